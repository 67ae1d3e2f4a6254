//! Looking at a journal that is not ours to write: verification, statistics, audit, backups and their restoration.
//!
//! Owns: [`Survey`], which loads whole segments into memory and walks every block of them.
//! Never does: change a file of the journal that it looks at; wait for the process that writes it.
//! Invariants: what it says to be durable is durable, also while another process writes, and all that was acknowledged
//! before it began is among it (unless the writer hangs); a segment that is reused while
//! it is read is noticed, because it no longer leads to the next one, and read again from the archive.
//! Known limits: one segment at a time is in memory, whole.

use std::{fmt, io, sync::Arc, thread, time::Duration};

use xng_core::journal::{Batch, Lsn};

use super::{
    JournalError,
    archive::{MemoryFile, pack, unpack},
    format::{BlockHeader, BlockKind, SegmentHeader, genesis_hash},
    reader::Reader,
    recover::{check_header, check_tail, follows, missing},
    segment::{LOCK_FILE, Name, Position, Walk, list_archive, list_root, read_header},
    storage::{LockGuard, Storage, StorageFile, read_all},
};

/// Attempts to read a segment that its writer reuses meanwhile.
const ATTEMPTS: u32 = 4;
/// How often, and how long apart, a writer's last block is looked at until it is known to be durable.
const SETTLE_LOOKS: u32 = 100;
const SETTLE_PAUSE: Duration = Duration::from_millis(50);

/// Zeros that are written at once behind the blocks of a segment that is restored.
const ZEROS: usize = 1 << 20;

/// One segment's figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentReport {
    /// Its file, as an operator would type it.
    pub file: String,
    /// Its number.
    pub number: u64,
    /// It lies in the archive, compressed.
    pub archived: bool,
    /// Length of the file on disk.
    pub file_bytes: u64,
    /// Bytes of header and blocks in it, unpacked.
    pub used_bytes: u64,
    /// Blocks of any kind.
    pub blocks: u64,
    /// Starts of the journal in it.
    pub opens: u64,
    /// Records.
    pub records: u64,
    /// First record, or the one that would be.
    pub first: Lsn,
    /// The record after the last one.
    pub next: Lsn,
    /// Epoch of its header and of its last block.
    pub epochs: (u32, u32),
}

/// Where a block lies.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its segment's file, as an operator would type it.
    pub file: &'a str,
    /// Its first byte; in an archived segment counted as in the segment that was packed.
    pub byte: u64,
}

/// A journal seen from outside. While nobody writes it, it is locked, so that nobody begins to.
pub struct Survey {
    storage: Arc<dyn Storage>,
    cell: u32,
    live: Vec<u64>,
    archived: Vec<u64>,
    lock: Option<LockGuard>,
}

impl fmt::Debug for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Survey").field("live", &self.live).field("written", &self.is_written()).finish_non_exhaustive()
    }
}

/// A segment in memory.
struct Loaded {
    shown: String,
    header: SegmentHeader,
    archived: bool,
    file_bytes: u64,
    bytes: Arc<dyn StorageFile>,
}

/// What a walk over a segment found.
struct Walked {
    report: SegmentReport,
    end: Position,
    /// The highest LSN that one of its blocks says to be durable; the one before the segment when none does.
    durable: Lsn,
}

impl Survey {
    /// Lists the journal of `cell`, and locks it unless another process has done so.
    ///
    /// # Errors
    /// When a segment is missing between others, and I/O errors.
    pub fn open(storage: Arc<dyn Storage>, cell: u32) -> Result<Survey, JournalError> {
        let lock = storage.lock(LOCK_FILE).map_err(JournalError::io("lock", storage.describe(LOCK_FILE)))?;
        let mut survey = Survey { storage, cell, live: Vec::new(), archived: Vec::new(), lock };
        survey.list()?;
        if survey.is_written() {
            survey.settle()?;
        }
        Ok(survey)
    }

    /// Another process has the journal open.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.lock.is_none()
    }

    /// Numbers of all segments, oldest first.
    #[must_use]
    pub fn numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.archived.iter().chain(&self.live).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Walks all segments, archived and live ones; `each` gets every block's records once, in order.
    ///
    /// # Errors
    /// [`JournalError::Corrupt`] with file and byte where something is not what was written, and whatever `each` says.
    pub fn walk<E: From<JournalError>>(
        &self,
        mut each: impl FnMut(&Place<'_>, &Batch) -> Result<(), E>,
    ) -> Result<Vec<SegmentReport>, E> {
        let mut reports = Vec::new();
        let mut before: Option<(Position, String)> = None;
        let numbers = self.numbers();
        for &number in &numbers {
            if self.archived.contains(&number) && self.live.contains(&number) {
                // Archived and not yet reused: both copies must be right.
                let copy = self.load_from(Name::Archived(number))?;
                reports.push(walk_one(&copy, &mut |_, _| Ok::<(), E>(()))?.report);
            }
            let loaded = self.load(number)?;
            self.check_place(&loaded, before.as_ref())?;
            let walked = walk_one(&loaded, &mut each)?;
            if numbers.last() == Some(&number) && !self.is_written() {
                let mut walk = Walk::new(loaded.bytes.clone(), loaded.shown.clone(), &loaded.header)?;
                check_tail(&mut walk, walked.end)?;
            }
            before = Some((walked.end, loaded.shown));
            reports.push(walked.report);
        }
        Ok(reports)
    }

    /// The oldest record that is kept and the last one that is durable; 1 and 0 in a new journal.
    ///
    /// # Errors
    /// As [`Survey::walk`], of the first and the last segment.
    pub fn range(&self) -> Result<(Lsn, Lsn), JournalError> {
        let (Some(&first), Some(&last)) = (self.numbers().first(), self.live.last()) else {
            return Ok((Lsn(1), Lsn::ZERO));
        };
        let oldest = self.load(first)?.header.first_lsn;
        let walked = walk_one(&self.load(last)?, &mut |_, _| Ok::<(), JournalError>(()))?;
        Ok((oldest, self.durable(&walked)))
    }

    /// Reads records from `from` on.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn reader(&self, from: Lsn) -> Result<Reader, JournalError> {
        Reader::open(self.storage.clone(), self.cell, from)
    }

    /// Files of the archive, oldest first, relative to the journal.
    #[must_use]
    pub fn archived(&self) -> Vec<String> {
        self.archived.iter().map(|number| Name::Archived(*number).path()).collect()
    }

    /// The segments that are live, oldest first.
    #[must_use]
    pub fn live(&self) -> &[u64] {
        &self.live
    }

    /// A segment's header and blocks up to the last durable one, compressed as in the archive, and the last LSN in it.
    ///
    /// # Errors
    /// As [`Survey::walk`], of this segment.
    pub fn packed(&self, number: u64) -> Result<(Vec<u8>, Lsn), JournalError> {
        let loaded = self.load(number)?;
        let mut end = walk_one(&loaded, &mut |_, _| Ok::<(), JournalError>(()))?.end;
        if self.live.last() == Some(&number) && self.is_written() {
            end = durable_end(&loaded)?;
        }
        let mut used = vec![0; end.offset as usize];
        loaded.bytes.read_at(&mut used, 0).map_err(JournalError::io("read", &*loaded.shown))?;
        let packed = pack(&used).map_err(JournalError::io("compress", &*loaded.shown))?;
        Ok((packed, Lsn(end.next.0 - 1)))
    }

    fn list(&mut self) -> Result<(), JournalError> {
        let number = |name| match name {
            Name::Segment(n) | Name::Archived(n) => Some(n),
            Name::Spare(_) | Name::Fill(_) | Name::ArchiveTemporary(_) => None,
        };
        // The archive last: what moves there between the two lists stands in at least one of them.
        self.live = list_root(&*self.storage)?.into_iter().filter_map(number).collect();
        self.archived = list_archive(&*self.storage)?.into_iter().filter_map(number).collect();
        self.live.sort_unstable();
        self.archived.sort_unstable();
        match self.numbers().windows(2).find(|pair| pair[1] != pair[0] + 1) {
            Some(pair) => Err(missing(&*self.storage, pair[0] + 1, pair[1])),
            None => Ok(()),
        }
    }

    /// Waits until the last block that is there is known to be durable: its writer adds one after it, a seal at the
    /// latest. So what was acknowledged before the survey began is in it. A writer that hangs is not waited for.
    fn settle(&mut self) -> Result<(), JournalError> {
        let mut wanted = None;
        for _ in 0..SETTLE_LOOKS {
            let Some(&last) = self.live.last() else { return Ok(()) };
            let walked = walk_one(&self.load(last)?, &mut |_, _| Ok::<(), JournalError>(()))?;
            if walked.durable.0 + 1 >= wanted.get_or_insert(walked.end.next).0 {
                return Ok(());
            }
            thread::sleep(SETTLE_PAUSE);
            self.list()?;
        }
        Ok(())
    }

    /// What is durable at the end of the journal: all of it, unless somebody may be writing the last block right now.
    fn durable(&self, last: &Walked) -> Lsn {
        if self.is_written() { last.durable } else { Lsn(last.end.next.0 - 1) }
    }

    /// Loads a live segment, or its archived copy when it is not live (any more).
    fn load(&self, number: u64) -> Result<Loaded, JournalError> {
        for _ in 0..ATTEMPTS {
            match self.load_from(Name::Segment(number)) {
                Err(JournalError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                    return self.load_from(Name::Archived(number));
                }
                // It may be given a new header while it is read.
                Err(JournalError::Corrupt { .. }) if self.is_written() => {}
                other => return other,
            }
        }
        self.load_from(Name::Segment(number))
    }

    fn load_from(&self, name: Name) -> Result<Loaded, JournalError> {
        let (path, shown) = (name.path(), name.shown(&*self.storage));
        let file = self.storage.open(&path).map_err(JournalError::io("open", &*shown))?;
        let file_bytes = file.len().map_err(JournalError::io("measure", &*shown))?;
        let (bytes, number) = match name {
            Name::Archived(number) => (unpack(&*self.storage, &path, &*file)?, number),
            Name::Segment(number) | Name::Spare(number) | Name::Fill(number) | Name::ArchiveTemporary(number) => {
                (MemoryFile(read_all(&*file).map_err(JournalError::io("read", &*shown))?), number)
            }
        };
        let header = read_header(&bytes, &shown, self.cell)?;
        let full = if let Name::Archived(_) = name { header.segment_bytes } else { file_bytes };
        check_header(&header, number, full, &shown)?;
        if let Name::Segment(_) = name {
            let now = read_header(&*file, &shown, self.cell)?;
            if now != header {
                let what = "the segment was reused while it was read".to_owned();
                return Err(JournalError::Corrupt { file: shown, byte: 0, what });
            }
        }
        let archived = matches!(name, Name::Archived(_));
        Ok(Loaded { shown, header, archived, file_bytes, bytes: Arc::new(bytes) })
    }

    /// Checks that a segment begins where the one before it ended, or, the first of all, where journals begin.
    fn check_place(&self, loaded: &Loaded, before: Option<&(Position, String)>) -> Result<(), JournalError> {
        let header = &loaded.header;
        match before {
            Some((at, file)) => follows(header, *at, &(file.clone(), at.offset)),
            None if header.number > 1 => Ok(()),
            None if (header.prev_hash, header.first_lsn) == (genesis_hash(self.cell), Lsn(1)) => Ok(()),
            None => {
                let what = "the first segment does not begin the journal of this cell".to_owned();
                Err(JournalError::Corrupt { file: loaded.shown.clone(), byte: 0, what })
            }
        }
    }
}

/// Walks over every block of one segment.
fn walk_one<E: From<JournalError>>(
    loaded: &Loaded,
    each: &mut impl FnMut(&Place<'_>, &Batch) -> Result<(), E>,
) -> Result<Walked, E> {
    let header = &loaded.header;
    let mut walk = Walk::new(loaded.bytes.clone(), loaded.shown.clone(), header)?;
    let mut durable = Lsn(header.first_lsn.0 - 1);
    let (mut blocks, mut opens, mut records) = (0, 0, 0);
    let mut byte = walk.position().offset;
    while let Some((block, body)) = walk.next_block()? {
        blocks += 1;
        opens += u64::from(block.kind == BlockKind::Open);
        records += u64::from(block.count);
        durable = durable.max(block.durable_through);
        if block.count > 0 {
            each(&Place { file: &loaded.shown, byte }, &batch(&block, body))?;
        }
        byte = walk.position().offset;
    }
    let end = walk.position();
    let report = SegmentReport {
        file: loaded.shown.clone(),
        number: header.number,
        archived: loaded.archived,
        file_bytes: loaded.file_bytes,
        used_bytes: end.offset,
        blocks,
        opens,
        records,
        first: header.first_lsn,
        next: end.next,
        epochs: (header.epoch, end.epoch),
    };
    Ok(Walked { report, end, durable })
}

/// Where the blocks end of which it is known that they are durable: the writer syncs each before it writes the next.
fn durable_end(loaded: &Loaded) -> Result<Position, JournalError> {
    let mut walk = Walk::new(loaded.bytes.clone(), loaded.shown.clone(), &loaded.header)?;
    let mut end = walk.position();
    let mut at = end;
    while let Some((block, _)) = walk.next_block()? {
        end = if block.count == 0 { walk.position() } else { at };
        at = walk.position();
    }
    Ok(end)
}

fn batch(block: &BlockHeader, body: &[u8]) -> Batch {
    Batch { first: block.first_lsn, count: block.count, bytes: body.to_vec() }
}

/// Makes a segment file of full length out of what [`Survey::packed`] gave.
///
/// # Errors
/// When it cannot be unpacked or is no segment of the cell, and I/O errors.
pub fn unpack_live(
    storage: &dyn Storage,
    cell: u32,
    number: u64,
    packed: &dyn StorageFile,
) -> Result<(), JournalError> {
    let path = Name::Segment(number).path();
    let shown = storage.describe(&path);
    let bytes = unpack(storage, &path, packed)?;
    let header = read_header(&bytes, &shown, cell)?;
    let file = storage.create(&path).map_err(JournalError::io("create", &*shown))?;
    let MemoryFile(used) = bytes;
    file.write_at(&used, 0).map_err(JournalError::io("write", &*shown))?;
    let zeros = vec![0; ZEROS];
    let mut at = used.len() as u64;
    while at < header.segment_bytes {
        let n = usize::try_from(header.segment_bytes - at).map_or(ZEROS, |left| left.min(ZEROS));
        file.write_at(&zeros[..n], at).map_err(JournalError::io("write", &*shown))?;
        at += n as u64;
    }
    file.sync().map_err(JournalError::io("sync", &*shown))?;
    storage.sync_dir("").map_err(JournalError::io("sync", storage.describe("")))
}
