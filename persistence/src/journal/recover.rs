//! Recovery: finds the journal's end, and refuses to open a journal whose end is ambiguous.
//!
//! Owns: the torn-tail rule (see `mod.rs`); what must happen on disk before a recovered journal may be relied on; the
//! lock, which a starting process may take first.
//! Never does: change a file while it looks (only `Recovered::start` writes); skip a bad block; replay.
//! Invariants: every live segment is read in full and every block of it checked.
//! Known limits: a missing last segment can only be noticed through the caller's floor.

use std::{fmt, sync::Arc};

use xng_core::journal::Lsn;

use super::{
    JournalError, Options, Reader,
    appender::{AppendResult, Appender},
    archive::{archived_header, remove_temporaries},
    format::{SegmentHeader, genesis_hash, peek_block},
    metrics::JournalMetrics,
    segment::{LOCK_FILE, LiveSegment, LiveSegments, Name, Position, Walk, list_archive, list_root, read_header},
    spares::SparePool,
    storage::{LockGuard, Storage},
};

/// A block that was being written when the machine stopped. It was never acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The segment.
    pub file: String,
    /// Where the block begins.
    pub byte: u64,
    /// Records that its header (which may itself be torn) speaks of.
    pub records: u32,
}

/// What recovery found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The oldest record that can be read, from the archive or the live segments; `last + 1` when there is none.
    pub oldest: Lsn,
    /// The last record; 0 when the journal is new.
    pub last: Lsn,
    /// Chain hash at the end.
    pub tail_hash: u64,
    /// The epoch that begins now: one more than the last one.
    pub epoch: u32,
    /// The torn tail, when one could be recognised.
    pub cut: Option<Cut>,
}

/// A journal that was checked and is locked for this process. Replay it through [`Recovered::reader`], then
/// [`Recovered::start`] it.
pub struct Recovered {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) options: Options,
    pub(crate) lock: LockGuard,
    summary: Summary,
    segments: Vec<LiveSegment>,
    last_segment: Option<SegmentHeader>,
    at: Position,
    /// Offset and length of the last block of the last segment.
    last_block: Option<(u64, usize)>,
}

impl fmt::Debug for Recovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recovered").field("summary", &self.summary).finish_non_exhaustive()
    }
}

/// The parts of a journal that is ready to be written.
pub(crate) struct Ready {
    pub(crate) appender: Appender,
    pub(crate) spares: Arc<SparePool>,
    pub(crate) live: Arc<LiveSegments>,
    pub(crate) metrics: Arc<JournalMetrics>,
}

/// A journal that is locked for this process and not looked at yet: nobody else starts on the same data.
pub struct Held {
    storage: Arc<dyn Storage>,
    lock: LockGuard,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("storage", &self.storage).finish_non_exhaustive()
    }
}

/// Locks the journal in `storage`.
///
/// # Errors
/// [`JournalError::Locked`] when another process has it open, and I/O errors.
pub fn hold(storage: Arc<dyn Storage>) -> Result<Held, JournalError> {
    let locked = storage.lock(LOCK_FILE).map_err(JournalError::io("lock", storage.describe(LOCK_FILE)))?;
    match locked {
        Some(lock) => Ok(Held { storage, lock }),
        None => Err(JournalError::Locked { path: storage.describe(LOCK_FILE) }),
    }
}

/// Locks the journal in `storage` and finds its end; see [`Held::recover`].
///
/// # Errors
/// As [`hold`] and [`Held::recover`].
pub fn recover(storage: Arc<dyn Storage>, options: Options, floor: Lsn) -> Result<Recovered, JournalError> {
    hold(storage)?.recover(options, floor)
}

impl Held {
    /// Finds the journal's end.
    ///
    /// `floor` is the highest LSN that anything outside the journal knows to be durable (snapshot, store checkpoint,
    /// cursors); 0 when there is nothing.
    ///
    /// # Errors
    /// [`JournalError::Corrupt`] or [`JournalError::TooShort`] with file and byte when the bytes are not what was written;
    /// I/O errors.
    pub fn recover(self, options: Options, floor: Lsn) -> Result<Recovered, JournalError> {
        find_end(self, options.validated(), floor)
    }
}

fn find_end(Held { storage, lock }: Held, options: Options, floor: Lsn) -> Result<Recovered, JournalError> {
    let numbers = live_numbers(&*storage)?;
    let oldest_archived = check_archive(&*storage, options.cell, &numbers)?;

    let mut segments = Vec::new();
    let mut last_segment = None;
    let mut last_block = None;
    let mut cut = None;
    let mut at = Position { offset: 0, chain: genesis_hash(options.cell), next: Lsn(1), epoch: 0 };
    let mut end = (storage.describe(""), 0);
    for (index, &number) in numbers.iter().enumerate() {
        let path = Name::Segment(number).path();
        let shown = storage.describe(&path);
        let file = storage.open(&path).map_err(JournalError::io("open", &*shown))?;
        let header = read_header(&*file, &shown, options.cell)?;
        let len = file.len().map_err(JournalError::io("measure", &*shown))?;
        check_header(&header, number, len, &shown)?;
        if index > 0 {
            follows(&header, at, &end)?;
        } else if number == 1 && (header.prev_hash, header.first_lsn) != (at.chain, at.next) {
            let what = "the first segment does not begin the journal of this cell".to_owned();
            return Err(JournalError::Corrupt { file: shown, byte: 0, what });
        }
        segments.push(LiveSegment { number, first_lsn: header.first_lsn });

        let mut walk = Walk::new(file, shown.clone(), &header)?;
        last_block = None;
        let mut start = walk.position().offset;
        while let Some((block, _)) = walk.next_block()? {
            last_block = Some((start, block.padded_bytes()));
            start = walk.position().offset;
        }
        at = walk.position();
        if index + 1 == numbers.len() {
            cut = check_tail(&mut walk, at)?;
        }
        end = (shown, at.offset);
        last_segment = Some(header);
    }
    let last = Lsn(at.next.0 - 1);
    if last < floor {
        return Err(JournalError::TooShort { file: end.0, byte: end.1, end: last, floor });
    }
    let oldest = oldest_archived.or(segments.first().map(|s| s.first_lsn)).unwrap_or(at.next);
    let summary = Summary { oldest, last, tail_hash: at.chain, epoch: at.epoch + 1, cut };
    Ok(Recovered { storage, options, lock, summary, segments, last_segment, at, last_block })
}

impl Recovered {
    /// What was found.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Reads records from `from` on, up to the summary's `last`, for replay.
    pub fn reader(&self, from: Lsn) -> Result<Reader, JournalError> {
        Reader::open(self.storage.clone(), self.options.cell, from)
    }

    /// Makes sure that what was found is on the disk and not only in the page cache, and begins the epoch.
    pub(crate) fn prepare(&self) -> Result<Ready, JournalError> {
        let metrics = Arc::new(JournalMetrics::new());
        remove_temporaries(&*self.storage)?;
        let spares = Arc::new(SparePool::open(
            self.storage.clone(),
            self.options.segment_bytes,
            self.segments.len(),
            metrics.clone(),
        )?);
        let live = Arc::new(LiveSegments::new(self.segments.iter().copied()));
        self.storage.sync_dir("").map_err(JournalError::io("sync", self.storage.describe("")))?;
        let mut appender = Appender::new(
            self.storage.clone(),
            self.options.clone(),
            spares.clone(),
            live.clone(),
            metrics.clone(),
            self.last_segment,
            self.at,
        )?;
        if let Some((offset, len)) = self.last_block {
            appender.rewrite(offset, len)?;
        }
        while let AppendResult::NoSpare = appender.open_epoch(self.summary.epoch)? {
            spares.fill_one()?;
        }
        Ok(Ready { appender, spares, live, metrics })
    }
}

fn live_numbers(storage: &dyn Storage) -> Result<Vec<u64>, JournalError> {
    let mut numbers: Vec<u64> =
        list_root(storage)?.into_iter().filter_map(|n| if let Name::Segment(n) = n { Some(n) } else { None }).collect();
    numbers.sort_unstable();
    for pair in numbers.windows(2) {
        if pair[1] != pair[0] + 1 {
            return Err(missing(storage, pair[0] + 1, pair[1]));
        }
    }
    Ok(numbers)
}

/// Checks that no segment is missing between the archive and the live ones; returns the oldest archived LSN.
fn check_archive(storage: &dyn Storage, cell: u32, live: &[u64]) -> Result<Option<Lsn>, JournalError> {
    let archived = list_archive(storage)?.into_iter().filter_map(|n| match n {
        Name::Archived(n) => Some(n),
        Name::Segment(_) | Name::Spare(_) | Name::Fill(_) | Name::ArchiveTemporary(_) => None,
    });
    let mut archived: Vec<u64> = archived.collect();
    archived.sort_unstable();
    let (Some(&oldest), Some(&newest)) = (archived.first(), archived.last()) else {
        return Ok(None);
    };
    match live.first() {
        None => return Err(missing(storage, newest + 1, newest)),
        Some(&first) if first > newest + 1 => return Err(missing(storage, newest + 1, first)),
        Some(_) => {}
    }
    // The oldest segment that a reader can reach without a gap.
    let mut reachable = newest;
    for &number in archived.iter().rev().skip(1) {
        if number + 1 != reachable {
            break;
        }
        reachable = number;
    }
    Ok(Some(archived_header(storage, reachable.max(oldest), cell)?.first_lsn))
}

pub(crate) fn missing(storage: &dyn Storage, number: u64, other: u64) -> JournalError {
    JournalError::Corrupt {
        file: storage.describe(&Name::Segment(number).path()),
        byte: 0,
        what: format!("the segment is missing, though segment {other} exists"),
    }
}

pub(crate) fn check_header(header: &SegmentHeader, number: u64, len: u64, file: &str) -> Result<(), JournalError> {
    if header.number != number {
        let what = format!("the file holds segment {}", header.number);
        return Err(JournalError::Corrupt { file: file.to_owned(), byte: 0, what });
    }
    if header.segment_bytes != len {
        let what = format!("the file has {len} bytes, its header says {}", header.segment_bytes);
        return Err(JournalError::Corrupt { file: file.to_owned(), byte: len.min(header.segment_bytes), what });
    }
    Ok(())
}

/// Checks that `header` begins where the segment before it ended.
pub(crate) fn follows(header: &SegmentHeader, at: Position, end: &(String, u64)) -> Result<(), JournalError> {
    if (header.prev_hash, header.first_lsn) == (at.chain, at.next) && header.epoch >= at.epoch {
        return Ok(());
    }
    Err(JournalError::Corrupt {
        file: end.0.clone(),
        byte: end.1,
        what: format!(
            "no intact block of {} here, but segment {} begins at {}",
            at.next, header.number, header.first_lsn
        ),
    })
}

/// Decides whether the end of the last segment's walk is lawful.
pub(crate) fn check_tail(walk: &mut Walk, at: Position) -> Result<Option<Cut>, JournalError> {
    if let Some((byte, block)) = walk.find_intact_after(at.offset)? {
        let what = format!(
            "the block is damaged: an intact one with records from {} follows at byte {byte}, so this is no torn tail",
            block.first_lsn
        );
        return Err(walk.corrupt(at.offset, what));
    }
    if walk.bytes_left(at.offset) == 0 {
        return Ok(None);
    }
    let name = walk.name().to_owned();
    let torn = peek_block(walk.bytes(at.offset, super::format::SECTOR_BYTES)?)
        .filter(|block| block.first_lsn == at.next && block.prev_hash == at.chain);
    Ok(torn.map(|block| Cut { file: name, byte: at.offset, records: block.count }))
}
