//! Segment files: their names, the walk over their blocks, and the list of those in use.
//!
//! Owns: file names; [`Walk`], the only code that turns bytes of a segment into blocks; [`LiveSegments`].
//! Never does: write; decide whether a bad block is a torn tail (that is `recover`).
//! Invariants: a block is handed out only when its checksum, its place in the chain, its LSN, its epoch and its record
//! lengths are right.
//! Known limits: none.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use xng_core::journal::Lsn;

use super::{
    error::JournalError,
    format::{
        BLOCK_HEADER_BYTES, BlockHeader, BlockKind, FORMAT_VERSION, HIGHEST, HeaderFault, SECTOR_BYTES,
        SEGMENT_HEADER_BYTES, SegmentHeader, block_is_intact, chain_after, peek_block,
    },
    storage::{Storage, StorageFile},
};

/// Where compressed segments go.
pub(crate) const ARCHIVE_DIR: &str = "archive";
/// Name of the lock file.
pub(crate) const LOCK_FILE: &str = "LOCK";

const SEGMENT_PREFIX: &str = "seg-";
const SPARE_PREFIX: &str = "spare-";
const FILL_PREFIX: &str = "fill-";
const ARCHIVE_SUFFIX: &str = ".zst";
const TEMPORARY_SUFFIX: &str = ".tmp";

/// What a name in the journal's directory stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A segment in use.
    Segment(u64),
    /// A segment ready for use.
    Spare(u64),
    /// A spare whose zeros were being written.
    Fill(u64),
    /// A compressed segment in the archive's directory.
    Archived(u64),
    /// A compressed segment that was being written.
    ArchiveTemporary(u64),
}

impl Name {
    /// The name's path inside the journal.
    pub(crate) fn path(self) -> String {
        match self {
            Self::Segment(n) => format!("{SEGMENT_PREFIX}{n:012}"),
            Self::Spare(n) => format!("{SPARE_PREFIX}{n:012}"),
            Self::Fill(n) => format!("{FILL_PREFIX}{n:012}"),
            Self::Archived(n) => format!("{ARCHIVE_DIR}/{SEGMENT_PREFIX}{n:012}{ARCHIVE_SUFFIX}"),
            Self::ArchiveTemporary(n) => format!("{ARCHIVE_DIR}/{SEGMENT_PREFIX}{n:012}{TEMPORARY_SUFFIX}"),
        }
    }

    /// The name for messages. In an archived segment bytes are counted as in the segment that was packed.
    pub(crate) fn shown(self, storage: &dyn Storage) -> String {
        let path = storage.describe(&self.path());
        if let Self::Archived(_) | Self::ArchiveTemporary(_) = self { format!("{path} (unpacked)") } else { path }
    }

    /// Reads a name in the journal's own directory.
    fn parse_root(name: &str) -> Option<Self> {
        let number = |prefix| name.strip_prefix(prefix).and_then(number);
        number(SEGMENT_PREFIX)
            .map(Self::Segment)
            .or_else(|| number(SPARE_PREFIX).map(Self::Spare))
            .or_else(|| number(FILL_PREFIX).map(Self::Fill))
    }

    /// Reads a name in the archive's directory.
    fn parse_archive(name: &str) -> Option<Self> {
        let stem = name.strip_prefix(SEGMENT_PREFIX)?;
        if let Some(n) = stem.strip_suffix(ARCHIVE_SUFFIX) {
            return number(n).map(Self::Archived);
        }
        number(stem.strip_suffix(TEMPORARY_SUFFIX)?).map(Self::ArchiveTemporary)
    }
}

/// The number in a name.
fn number(digits: &str) -> Option<u64> {
    digits.parse().ok().filter(|number| *number < HIGHEST)
}

/// The names in the journal's directory that mean something, in order.
pub(crate) fn list_root(storage: &dyn Storage) -> Result<Vec<Name>, JournalError> {
    let names = storage.list("").map_err(JournalError::io("list", storage.describe("")))?;
    Ok(names.iter().filter_map(|n| Name::parse_root(n)).collect())
}

/// The same for the archive; empty when there is none yet.
pub(crate) fn list_archive(storage: &dyn Storage) -> Result<Vec<Name>, JournalError> {
    match storage.list(ARCHIVE_DIR) {
        Ok(names) => Ok(names.iter().filter_map(|n| Name::parse_archive(n)).collect()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(JournalError::io("list", storage.describe(ARCHIVE_DIR))(e)),
    }
}

/// Reads and checks a segment's header. `file` is for the message.
pub(crate) fn read_header(bytes: &dyn StorageFile, file: &str, cell: u32) -> Result<SegmentHeader, JournalError> {
    let mut buf = vec![0; SEGMENT_HEADER_BYTES];
    let n = bytes.read_at(&mut buf, 0).map_err(JournalError::io("read", file))?;
    let header = SegmentHeader::decode(&buf[..n]).map_err(|fault| match fault {
        HeaderFault::Damaged => JournalError::Corrupt {
            file: file.to_owned(),
            byte: 0,
            what: "the segment's header (bytes 0 to 4095) does not match its checksum".to_owned(),
        },
        HeaderFault::NeedsReader(needed) => {
            JournalError::Version { file: file.to_owned(), needed, ours: FORMAT_VERSION }
        }
    })?;
    if header.cell != cell {
        return Err(JournalError::WrongCell { file: file.to_owned(), found: header.cell, ours: cell });
    }
    Ok(header)
}

/// Where a walk is: what the next block must follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// Offset in the file.
    pub(crate) offset: u64,
    /// Chain hash before the next block.
    pub(crate) chain: u64,
    /// LSN of the next record.
    pub(crate) next: Lsn,
    /// Epoch of the last block, or of the segment.
    pub(crate) epoch: u32,
}

impl Position {
    /// The first block of a segment.
    pub(crate) fn at_start(header: &SegmentHeader) -> Self {
        Self {
            offset: SEGMENT_HEADER_BYTES as u64,
            chain: header.prev_hash,
            next: header.first_lsn,
            epoch: header.epoch,
        }
    }
}

/// Walks over the blocks of one segment.
pub(crate) struct Walk {
    file: Arc<dyn StorageFile>,
    /// For messages.
    name: String,
    salt: u64,
    len: u64,
    at: Position,
    window: Vec<u8>,
    window_start: u64,
    /// How much it reads next.
    ahead: usize,
}

/// What a walk reads at once, at first and at the end of a file that grows: who follows a journal reads little at a time …
const LEAST_AHEAD: usize = 64 << 10;
/// … and twice as much each time when it goes through a file.
const MOST_AHEAD: usize = 1 << 20;
/// Where no window begins.
const NOWHERE: u64 = u64::MAX;

impl Walk {
    /// A walk that starts at the first block.
    pub(crate) fn new(file: Arc<dyn StorageFile>, name: String, header: &SegmentHeader) -> Result<Self, JournalError> {
        let len = file.len().map_err(JournalError::io("measure", &*name))?;
        let at = Position::at_start(header);
        Ok(Self {
            file,
            name,
            salt: header.salt,
            len,
            at,
            window: Vec::new(),
            window_start: NOWHERE,
            ahead: LEAST_AHEAD,
        })
    }

    /// What the next block must follow.
    pub(crate) fn position(&self) -> Position {
        self.at
    }

    /// Goes back to a place where this walk was before.
    pub(crate) fn rewind(&mut self, to: Position) {
        self.at = to;
    }

    /// The file's name, for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Forgets what was read ahead; needed when the file has grown since.
    pub(crate) fn forget(&mut self) {
        (self.window_start, self.ahead) = (NOWHERE, LEAST_AHEAD);
    }

    /// The next block and its records' bytes, or `None` when no intact block is here. An intact block in the wrong
    /// place is an error: nothing that this journal writes looks like that.
    pub(crate) fn next_block(&mut self) -> Result<Option<(BlockHeader, &[u8])>, JournalError> {
        let at = self.at;
        let Some(header) = self.intact_block_at(at.offset)? else { return Ok(None) };
        let misplaced = if header.prev_hash != at.chain {
            Some("the block does not continue the hash chain")
        } else if header.first_lsn != at.next {
            Some("the block's first LSN does not follow the last one")
        } else if header.epoch < at.epoch {
            Some("the block's epoch is older than the one before it")
        } else if header.durable_through >= header.first_lsn {
            Some("the block claims to have been durable before it was written")
        } else {
            None
        };
        if let Some(what) = misplaced {
            return Err(self.corrupt(at.offset, what.to_owned()));
        }
        let padded = header.padded_bytes();
        self.at = Position {
            offset: at.offset + padded as u64,
            chain: chain_after(at.chain, self.bytes(at.offset, padded)?),
            next: header.next_lsn(),
            epoch: header.epoch,
        };
        let body = &self.bytes(at.offset, padded)?[BLOCK_HEADER_BYTES..BLOCK_HEADER_BYTES + header.len as usize];
        if !lengths_add_up(body, header.count) || (header.count > 0) != (header.kind == BlockKind::Data) {
            let what = "the lengths of the block's records do not add up".to_owned();
            return Err(self.corrupt(at.offset, what));
        }
        let len = header.len as usize;
        let body = &self.bytes(at.offset, padded)?[BLOCK_HEADER_BYTES..BLOCK_HEADER_BYTES + len];
        Ok(Some((header, body)))
    }

    /// The offset and header of the first intact block after `offset`, wherever the chain may lead.
    pub(crate) fn find_intact_after(&mut self, offset: u64) -> Result<Option<(u64, BlockHeader)>, JournalError> {
        let mut at = offset + SECTOR_BYTES as u64;
        while at < self.len {
            if let Some(header) = self.intact_block_at(at)? {
                return Ok(Some((at, header)));
            }
            at += SECTOR_BYTES as u64;
        }
        Ok(None)
    }

    /// Bytes of the file from `offset` on.
    pub(crate) fn bytes_left(&self, offset: u64) -> u64 {
        self.len.saturating_sub(offset)
    }

    /// The bytes of the block at `offset`, as they are; `len` must lie within the file.
    pub(crate) fn bytes(&mut self, offset: u64, len: usize) -> Result<&[u8], JournalError> {
        let in_window =
            offset >= self.window_start && offset + len as u64 <= self.window_start + self.window.len() as u64;
        if !in_window {
            let want = (self.len - offset).min(len.max(self.ahead) as u64);
            self.ahead = (self.ahead * 2).min(MOST_AHEAD);
            // A read that fails leaves no window.
            self.window_start = NOWHERE;
            self.window.resize(want as usize, 0);
            let n = self.file.read_at(&mut self.window, offset).map_err(JournalError::io("read", &*self.name))?;
            self.window.truncate(n);
            self.window_start = offset;
            if n < len {
                return Err(self.corrupt(offset + n as u64, "the file became shorter while it was read".to_owned()));
            }
        }
        let from = (offset - self.window_start) as usize;
        Ok(&self.window[from..from + len])
    }

    /// An error about this file.
    pub(crate) fn corrupt(&self, byte: u64, what: String) -> JournalError {
        JournalError::Corrupt { file: self.name.clone(), byte, what }
    }

    fn intact_block_at(&mut self, offset: u64) -> Result<Option<BlockHeader>, JournalError> {
        let room = self.len.saturating_sub(offset);
        if room < SECTOR_BYTES as u64 {
            return Ok(None);
        }
        let Some(header) = peek_block(self.bytes(offset, SECTOR_BYTES)?) else { return Ok(None) };
        if header.padded_bytes() as u64 > room {
            return Ok(None);
        }
        let salt = self.salt;
        let block = self.bytes(offset, header.padded_bytes())?;
        // The header again, of the bytes that were checked: the first may have been read before the block was written, of a
        // block of the file's last use that was as long.
        Ok(block_is_intact(salt, block).then(|| peek_block(block)).flatten())
    }
}

fn lengths_add_up(mut body: &[u8], count: u32) -> bool {
    for _ in 0..count {
        let Some((len, rest)) = body.split_first_chunk::<4>() else { return false };
        let Some(rest) = rest.get(u32::from_le_bytes(*len) as usize..) else { return false };
        body = rest;
    }
    body.is_empty()
}

/// One segment in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiveSegment {
    pub(crate) number: u64,
    pub(crate) first_lsn: Lsn,
}

/// The segments in use, oldest first; the last one is being written.
#[derive(Debug, Default)]
pub(crate) struct LiveSegments(Mutex<VecDeque<LiveSegment>>);

impl LiveSegments {
    pub(crate) fn new(segments: impl IntoIterator<Item = LiveSegment>) -> Self {
        Self(Mutex::new(segments.into_iter().collect()))
    }

    pub(crate) fn push(&self, segment: LiveSegment) {
        self.list().push_back(segment);
    }

    pub(crate) fn len(&self) -> usize {
        self.list().len()
    }

    /// The oldest segment when all of its records are at or before `released`; never the one being written.
    pub(crate) fn oldest_released(&self, released: Lsn) -> Option<LiveSegment> {
        let list = self.list();
        let second = list.get(1)?;
        (second.first_lsn <= released.next()).then(|| list[0])
    }

    /// Takes the oldest segment off the list.
    pub(crate) fn pop_oldest(&self) {
        self.list().pop_front();
    }

    fn list(&self) -> MutexGuard<'_, VecDeque<LiveSegment>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::format::seal_block;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const SALT: u64 = 7;

    /// A file whose bytes are others from its second read on.
    #[derive(Debug)]
    struct Written {
        before: Vec<u8>,
        after: Vec<u8>,
        reads: AtomicUsize,
    }

    impl StorageFile for Written {
        fn len(&self) -> io::Result<u64> {
            Ok(self.after.len() as u64)
        }
        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            let first = self.reads.fetch_add(1, Ordering::Relaxed) == 0;
            let from = &(if first { &self.before } else { &self.after })[offset as usize..];
            let n = from.len().min(buf.len());
            buf[..n].copy_from_slice(&from[..n]);
            Ok(n)
        }
        fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn sync(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A block of one record that takes so many bytes.
    fn block(salt: u64, prev_hash: u64, lsn: u64, padded: usize) -> Vec<u8> {
        let record = padded - BLOCK_HEADER_BYTES - 4;
        let mut block = vec![0; BLOCK_HEADER_BYTES];
        block.extend_from_slice(&u32::try_from(record).unwrap().to_le_bytes());
        block.resize(padded, 1);
        let (len, first_lsn, durable_through) = (record as u32 + 4, Lsn(lsn), Lsn(lsn - 1));
        let kind = BlockKind::Data;
        seal_block(
            &mut block,
            salt,
            &BlockHeader { len, count: 1, first_lsn, prev_hash, durable_through, epoch: 1, kind },
        );
        block
    }

    #[test]
    fn a_block_that_was_written_since_the_walk_looked_ahead_is_read_anew_with_its_header() {
        let header = SegmentHeader {
            version: FORMAT_VERSION,
            min_reader: FORMAT_VERSION,
            cell: 0,
            number: 1,
            epoch: 1,
            first_lsn: Lsn(1),
            salt: SALT,
            prev_hash: 11,
            segment_bytes: 1 << 20,
        };
        // Its header is in the first window, its end is not.
        let first = block(SALT, header.prev_hash, 1, LEAST_AHEAD - SECTOR_BYTES);
        let second = block(SALT, chain_after(header.prev_hash, &first), 2, 2 * SECTOR_BYTES);
        // What the file held there when it was last in use.
        let old = block(SALT + 1, 5, 2, second.len());
        let file = |second| [&vec![0; SEGMENT_HEADER_BYTES][..], &first, second].concat();
        let written = Written { before: file(&old), after: file(&second), reads: AtomicUsize::new(0) };
        let mut walk = Walk::new(Arc::new(written), "a segment".into(), &header).unwrap();
        for lsn in [1, 2] {
            let (found, _) = walk.next_block().unwrap().expect("it is there");
            assert_eq!(found.first_lsn, Lsn(lsn));
        }
        assert!(walk.next_block().unwrap().is_none());
    }
}
