//! Reading records back: for replay, the persister, audit.
//!
//! Owns: [`Reader`] (records from any LSN on, across archive and live segments) and [`Follower`] (the same, waiting for
//! what becomes durable).
//! Never does: hand out a record that is not durable; keep a segment from being recycled.
//! Invariants: every block is checked (checksum, chain, LSN) before a record of it is handed out. A live segment that is
//! recycled while it is read is noticed, because its old blocks stop validating, and read on from the archive.
//! Known limits: opening reads the segment from its start up to the wanted LSN.

use std::{
    fmt, io,
    sync::Arc,
    time::{Duration, Instant},
};

use xng_core::journal::{Batch, Lsn};

use super::{
    JournalError,
    archive::open_archived,
    format::SegmentHeader,
    handle::JournalState,
    segment::{Name, Walk, list_archive, list_root, read_header},
    storage::{Storage, StorageFile},
};

/// Attempts to open a segment that is being renamed meanwhile.
const OPEN_ATTEMPTS: u32 = 4;

/// Reads records in order. See the module's header.
pub struct Reader {
    storage: Arc<dyn Storage>,
    cell: u32,
    next: Lsn,
    current: Option<Open>,
}

struct Open {
    header: SegmentHeader,
    file: Arc<dyn StorageFile>,
    walk: Walk,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Reader {
    /// A reader whose first record is `from` (at least 1).
    ///
    /// # Errors
    /// [`JournalError::Gone`] when `from` is older than everything kept.
    pub fn open(storage: Arc<dyn Storage>, cell: u32, from: Lsn) -> Result<Self, JournalError> {
        let mut reader = Self { storage, cell, next: from.max(Lsn(1)), current: None };
        reader.locate()?;
        Ok(reader)
    }

    /// The next record to be read.
    #[must_use]
    pub fn next_lsn(&self) -> Lsn {
        self.next
    }

    /// The segment that is being read, for messages.
    #[must_use]
    pub fn file(&self) -> &str {
        self.current.as_ref().map_or("the journal", |open| open.walk.name())
    }

    /// The next block's records up to `upto`, which the caller knows to be durable; `None` when all were read.
    ///
    /// # Errors
    /// [`JournalError::Corrupt`] when a durable record is not there or not intact.
    pub fn next_batch(&mut self, upto: Lsn) -> Result<Option<Batch>, JournalError> {
        while self.next <= upto {
            if self.current.is_none() {
                self.locate()?;
            }
            let Some(open) = &mut self.current else {
                let wanted = self.next;
                return Err(JournalError::Gone { wanted, oldest: upto.next() });
            };
            match open.walk.next_block() {
                Ok(Some((block, body))) if block.next_lsn() > self.next => {
                    let batch = cut_out(block.first_lsn, body, self.next, upto);
                    self.next = batch.last().next();
                    return Ok(Some(batch));
                }
                Ok(Some(_)) => {}
                Ok(None) => self.advance()?,
                Err(e) => self.reopen_if_recycled(e)?,
            }
        }
        Ok(None)
    }

    /// Nothing intact is here, though the wanted record is durable: what was read ahead is stale, the segment was
    /// recycled, or the record is in the next one.
    fn advance(&mut self) -> Result<(), JournalError> {
        let Some(open) = &mut self.current else { return Ok(()) };
        open.walk.forget();
        let before = open.walk.position();
        if open.walk.next_block()?.is_some() {
            // Found once the window was read anew; go back to it in the ordinary way.
            open.walk.rewind(before);
            return Ok(());
        }
        let number = open.header.number;
        if self.was_recycled()? {
            return self.locate();
        }
        let Some(next) = self.open_segment(number + 1)? else {
            return Err(self.damaged(format!("record {} should be here", self.next)));
        };
        let expected = (before.chain, before.next);
        if (next.header.prev_hash, next.header.first_lsn) != expected {
            let what = format!("no intact block here, but segment {} begins at {}", number + 1, next.header.first_lsn);
            return Err(self.damaged(what));
        }
        self.current = Some(next);
        Ok(())
    }

    fn damaged(&self, what: String) -> JournalError {
        match &self.current {
            Some(open) => open.walk.corrupt(open.walk.position().offset, what),
            None => JournalError::Gone { wanted: self.next, oldest: self.next.next() },
        }
    }

    fn reopen_if_recycled(&mut self, error: JournalError) -> Result<(), JournalError> {
        if self.was_recycled()? { self.locate() } else { Err(error) }
    }

    /// True when the open file no longer holds the segment that it was opened for.
    fn was_recycled(&self) -> Result<bool, JournalError> {
        let Some(open) = &self.current else { return Ok(false) };
        match read_header(&*open.file, open.walk.name(), self.cell) {
            Ok(header) => Ok(header != open.header),
            // A header that is being written anew is not intact, and one that is damaged cannot be read on either way.
            Err(JournalError::Corrupt { .. }) => Ok(!self.is_still_named(open)),
            Err(e) => Err(e),
        }
    }

    fn is_still_named(&self, open: &Open) -> bool {
        self.storage.open(&Name::Segment(open.header.number).path()).is_ok()
    }

    /// Opens the segment that holds the next record (or will hold it).
    fn locate(&mut self) -> Result<(), JournalError> {
        self.current = None;
        let mut numbers = self.numbers()?;
        let mut oldest = None;
        while !numbers.is_empty() {
            let middle = numbers.len() / 2;
            let Some(open) = self.open_segment(numbers[middle])? else {
                // Recycled without an archive since it was listed; so are all older ones.
                numbers.drain(..=middle);
                continue;
            };
            if open.header.first_lsn <= self.next {
                numbers.drain(..=middle);
                self.current = Some(open);
            } else {
                oldest = Some(open.header.first_lsn);
                numbers.truncate(middle);
            }
        }
        match oldest {
            Some(oldest) if self.current.is_none() => Err(JournalError::Gone { wanted: self.next, oldest }),
            Some(_) | None => Ok(()),
        }
    }

    fn numbers(&self) -> Result<Vec<u64>, JournalError> {
        let mut names = list_root(&*self.storage)?;
        names.extend(list_archive(&*self.storage)?);
        let mut numbers: Vec<u64> = names
            .into_iter()
            .filter_map(|name| match name {
                Name::Segment(n) | Name::Archived(n) => Some(n),
                Name::Spare(_) | Name::Fill(_) | Name::ArchiveTemporary(_) => None,
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }

    /// Opens a live or archived segment; `None` when there is no such one (any more).
    fn open_segment(&self, number: u64) -> Result<Option<Open>, JournalError> {
        let path = Name::Segment(number).path();
        let shown = self.storage.describe(&path);
        let mut fault = None;
        for _ in 0..OPEN_ATTEMPTS {
            match self.storage.open(&path) {
                Ok(file) => match read_header(&*file, &shown, self.cell) {
                    Ok(header) if header.number == number => return Open::new(header, file, shown).map(Some),
                    // Renamed away and given a new header between opening and reading.
                    Ok(_) => {}
                    Err(e) => fault = Some(e),
                },
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    let Some(file) = open_archived(&*self.storage, number)? else { return Ok(None) };
                    let shown = Name::Archived(number).shown(&*self.storage);
                    let header = read_header(&*file, &shown, self.cell)?;
                    return Open::new(header, file, shown).map(Some);
                }
                Err(e) => return Err(JournalError::io("open", shown)(e)),
            }
        }
        fault.map_or(Ok(None), Err)
    }
}

impl Open {
    fn new(header: SegmentHeader, file: Arc<dyn StorageFile>, name: String) -> Result<Self, JournalError> {
        let walk = Walk::new(file.clone(), name, &header)?;
        Ok(Self { header, file, walk })
    }
}

/// The records of a block from `from` to `upto`, both included.
fn cut_out(first: Lsn, body: &[u8], from: Lsn, upto: Lsn) -> Batch {
    let mut lsn = first;
    let mut rest = body;
    let mut start = 0;
    let mut batch = Batch { first: from, count: 0, bytes: Vec::new() };
    let mut end = 0;
    while let Some((len, tail)) = rest.split_first_chunk::<4>() {
        if lsn > upto {
            break;
        }
        let size = 4 + u32::from_le_bytes(*len) as usize;
        rest = &tail[size - 4..];
        end += size;
        if lsn < from {
            start = end;
        } else {
            batch.count += 1;
        }
        lsn = lsn.next();
    }
    batch.bytes.extend_from_slice(&body[start..end]);
    batch
}

/// Follows a journal that is being written: reads what is durable and waits for more.
#[derive(Debug)]
pub struct Follower {
    reader: Reader,
    shared: Arc<JournalState>,
}

impl Follower {
    pub(crate) fn new(reader: Reader, shared: Arc<JournalState>) -> Self {
        Self { reader, shared }
    }

    /// The next record to be read.
    #[must_use]
    pub fn next_lsn(&self) -> Lsn {
        self.reader.next_lsn()
    }

    /// The segment that is being read, for messages.
    #[must_use]
    pub fn file(&self) -> &str {
        self.reader.file()
    }

    /// Waits until `lsn` is durable; false when the time was up first or the journal stopped.
    #[must_use]
    pub fn wait_for(&self, lsn: Lsn, timeout: Duration) -> bool {
        self.shared.wait_durable(lsn, Instant::now() + timeout)
    }

    /// The next block's records; `None` when nothing became durable within `timeout`.
    ///
    /// # Errors
    /// As [`Reader::next_batch`].
    pub fn next_batch(&mut self, timeout: Duration) -> Result<Option<Batch>, JournalError> {
        if !self.wait_for(self.reader.next_lsn(), timeout) {
            return Ok(None);
        }
        self.reader.next_batch(self.shared.durable())
    }
}
