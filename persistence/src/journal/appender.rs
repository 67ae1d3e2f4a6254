//! The synchronous heart of the writer: records into a block, the block into the segment, one sync.
//!
//! Owns: the active segment and the place in it.
//! Never does: wait for anything but the disk; run a thread; retry.
//! Invariants: at most one block is not yet synced, and it is the last; a block never spans segments; a segment's header
//! is durable before its name is, and its name before its first block; every block of a segment is durable before the
//! next segment's header is written.
//! Known limits: beginning a segment costs two syncs more, one of them of the directory.

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Instant,
};

use xng_core::journal::{Batch, Lsn};

use super::{
    Options,
    error::JournalError,
    format::{
        BLOCK_HEADER_BYTES, BlockHeader, BlockKind, FORMAT_VERSION, MIN_READER_VERSION, SEGMENT_HEADER_BYTES,
        SegmentHeader, chain_after, padded_bytes, seal_block,
    },
    metrics::{Group, JournalMetrics},
    segment::{LiveSegment, LiveSegments, Name, Position},
    spares::SparePool,
    storage::{Storage, StorageFile},
};

/// Progress inside one batch whose records go into more than one block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    records: u32,
    bytes: usize,
}

/// What became of a block.
#[derive(Debug)]
pub(crate) enum AppendResult {
    /// It is durable up to this LSN.
    Durable(Lsn),
    /// It needs a new segment and there is no spare; nothing was written and the block is kept for the next try.
    NoSpare,
}

/// The segment being written.
struct Active {
    file: Arc<dyn StorageFile>,
    /// For messages.
    name: String,
    number: u64,
    salt: u64,
    len: u64,
}

/// Writes blocks. See the module's header.
pub(crate) struct Appender {
    storage: Arc<dyn Storage>,
    options: Options,
    spares: Arc<SparePool>,
    live: Arc<LiveSegments>,
    metrics: Arc<JournalMetrics>,
    active: Option<Active>,
    at: Position,
    /// Header room and the records of the block in hand.
    block: Vec<u8>,
    staged: u32,
    /// The block written last, with its header.
    written: Vec<u8>,
    written_header: Option<BlockHeader>,
}

impl Appender {
    /// Continues at `at`: in `segment` (its number, and header), or, when the journal is new, with the first one.
    pub(crate) fn new(
        storage: Arc<dyn Storage>,
        options: Options,
        spares: Arc<SparePool>,
        live: Arc<LiveSegments>,
        metrics: Arc<JournalMetrics>,
        segment: Option<SegmentHeader>,
        at: Position,
    ) -> Result<Self, JournalError> {
        let active = match segment {
            None => None,
            Some(header) => {
                let path = Name::Segment(header.number).path();
                let name = storage.describe(&path);
                let file = storage.open(&path).map_err(JournalError::io("open", &*name))?;
                let len = header.segment_bytes;
                Some(Active { file, name, number: header.number, salt: header.salt, len })
            }
        };
        JournalMetrics::set(&metrics.live_segments, live.len() as u64);
        let block = vec![0; BLOCK_HEADER_BYTES];
        let (staged, written, written_header) = (0, Vec::new(), None);
        Ok(Self { storage, options, spares, live, metrics, active, at, block, staged, written, written_header })
    }

    /// Writes the bytes again that the file already shows at `offset`, and syncs. A block that was written but whose
    /// sync failed before the last process died may be in the page cache only, and counted as clean there.
    pub(crate) fn rewrite(&self, offset: u64, len: usize) -> Result<(), JournalError> {
        let Some(active) = &self.active else { return Ok(()) };
        let mut bytes = vec![0; len];
        active.file.read_at(&mut bytes, offset).map_err(JournalError::io("read", &*active.name))?;
        active.file.write_at(&bytes, offset).map_err(JournalError::io("write", &*active.name))?;
        active.file.sync().map_err(JournalError::io("sync", &*active.name))
    }

    /// Begins an epoch with an empty block. It overwrites the first sector of whatever was cut, so that a torn block
    /// can never come back to life.
    pub(crate) fn open_epoch(&mut self, epoch: u32) -> Result<AppendResult, JournalError> {
        self.at.epoch = epoch;
        self.write_block(BlockKind::Open)
    }

    /// Writes an empty block that vouches for what lies before.
    pub(crate) fn seal(&mut self) -> Result<AppendResult, JournalError> {
        debug_assert_eq!(self.staged, 0, "a seal carries no record");
        let outcome = self.write_block(BlockKind::Seal)?;
        if let AppendResult::Durable(_) = outcome {
            JournalMetrics::add(&self.metrics.seals, 1);
        }
        Ok(outcome)
    }

    /// Copies records of `batch` from `cursor` on into the block in hand; true when none is left, false when the block
    /// is full.
    pub(crate) fn stage(&mut self, batch: &Batch, cursor: &mut Cursor) -> Result<bool, JournalError> {
        if cursor.records == 0 && self.fits(batch.count, batch.bytes.len()) {
            debug_assert!(batch.is_empty() || batch.first.0 == self.at.next.0 + u64::from(self.staged));
            self.block.extend_from_slice(&batch.bytes);
            self.staged += batch.count;
            return Ok(true);
        }
        while let Some((len, _)) = batch.bytes[cursor.bytes..].split_first_chunk::<4>() {
            let size = 4 + u32::from_le_bytes(*len) as usize;
            if self.staged > 0 && !self.fits(1, size) {
                return Ok(false);
            }
            let limit = self.options.block_capacity();
            if size > limit {
                let lsn = Lsn(batch.first.0 + u64::from(cursor.records));
                return Err(JournalError::TooLarge { lsn, bytes: size, limit });
            }
            self.block.extend_from_slice(&batch.bytes[cursor.bytes..cursor.bytes + size]);
            self.staged += 1;
            cursor.bytes += size;
            cursor.records += 1;
        }
        Ok(true)
    }

    /// Records in the block in hand.
    pub(crate) fn staged(&self) -> u32 {
        self.staged
    }

    /// The records of the block written last, for followers.
    pub(crate) fn written_batch(&self) -> Batch {
        let Some(header) = self.written_header else { return Batch::default() };
        let bytes = self.written[BLOCK_HEADER_BYTES..BLOCK_HEADER_BYTES + header.len as usize].to_vec();
        Batch { first: header.first_lsn, count: header.count, bytes }
    }

    /// Bytes of records in the block in hand.
    pub(crate) fn staged_bytes(&self) -> usize {
        self.block.len() - BLOCK_HEADER_BYTES
    }

    /// Writes and syncs the block in hand and empties it.
    pub(crate) fn commit(&mut self) -> Result<AppendResult, JournalError> {
        debug_assert!(self.staged > 0, "a data block carries records");
        let (records, bytes) = (self.staged, self.staged_bytes());
        let outcome = self.write_block(BlockKind::Data)?;
        if let AppendResult::Durable(_) = outcome {
            self.metrics.group_records.record(u64::from(records));
            JournalMetrics::add(&self.metrics.written_bytes, bytes as u64);
        }
        Ok(outcome)
    }

    /// Bytes left in the active segment.
    pub(crate) fn room_in_segment(&self) -> u64 {
        self.active.as_ref().map_or(0, |active| active.len - self.at.offset)
    }

    fn fits(&self, records: u32, bytes: usize) -> bool {
        let limit = self.options.max_block_bytes.min(self.options.block_capacity());
        self.staged + records <= self.options.max_block_records && self.staged_bytes() + bytes <= limit
    }

    fn write_block(&mut self, kind: BlockKind) -> Result<AppendResult, JournalError> {
        let len = self.staged_bytes();
        if self.room_in_segment() < padded_bytes(len) as u64 && !self.begin_segment()? {
            return Ok(AppendResult::NoSpare);
        }
        let Some(active) = &self.active else { return Ok(AppendResult::NoSpare) };
        let header = BlockHeader {
            len: u32::try_from(len).expect("a block is far below 4 GiB"),
            count: self.staged,
            first_lsn: self.at.next,
            prev_hash: self.at.chain,
            durable_through: Lsn(self.at.next.0 - 1),
            epoch: self.at.epoch,
            kind,
        };
        seal_block(&mut self.block, active.salt, &header);
        active.file.write_at(&self.block, self.at.offset).map_err(JournalError::io("write", &*active.name))?;
        let begun = Instant::now();
        active.file.sync().map_err(JournalError::io("sync", &*active.name))?;
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.metrics.fsync_micros.record(micros);
        JournalMetrics::add(&self.metrics.block_bytes, self.block.len() as u64);

        self.at.chain = chain_after(self.at.chain, &self.block);
        self.at.offset += self.block.len() as u64;
        self.at.next = header.next_lsn();
        std::mem::swap(&mut self.block, &mut self.written);
        self.written_header = Some(header);
        self.block.clear();
        self.block.resize(BLOCK_HEADER_BYTES, 0);
        self.staged = 0;
        let durable = header.first_lsn.0 - 1 + u64::from(header.count);
        self.metrics.durable.store(durable, Relaxed);
        if header.count > 0 {
            let (first, last, at) = (header.first_lsn, Lsn(durable), Instant::now());
            self.metrics.groups.push(Group { first, last, at, sync_micros: micros });
        }
        Ok(AppendResult::Durable(Lsn(durable)))
    }

    /// Makes a spare the active segment; false when there is none.
    fn begin_segment(&mut self) -> Result<bool, JournalError> {
        let Some(spare) = self.spares.take() else { return Ok(false) };
        let number = self.active.as_ref().map_or(1, |active| active.number + 1);
        let (from, to) = (spare.path(), Name::Segment(number).path());
        let shown = self.storage.describe(&from);
        let file = self.storage.open(&from).map_err(JournalError::io("open", &*shown))?;
        let len = file.len().map_err(JournalError::io("measure", &*shown))?;
        let salt = self.new_salt(&*file, &shown)?;
        let header = SegmentHeader {
            version: FORMAT_VERSION,
            min_reader: MIN_READER_VERSION,
            cell: self.options.cell,
            epoch: self.at.epoch,
            number,
            first_lsn: self.at.next,
            salt,
            prev_hash: self.at.chain,
            segment_bytes: len,
        };
        file.write_at(&header.encode(), 0).map_err(JournalError::io("write", &*shown))?;
        file.sync().map_err(JournalError::io("sync", &*shown))?;
        self.storage.rename(&from, &to).map_err(JournalError::io("rename", &*shown))?;
        self.storage.sync_dir("").map_err(JournalError::io("sync", self.storage.describe("")))?;
        self.live.push(LiveSegment { number, first_lsn: self.at.next });
        self.active = Some(Active { file, name: self.storage.describe(&to), number, salt, len });
        self.at.offset = SEGMENT_HEADER_BYTES as u64;
        JournalMetrics::add(&self.metrics.segments_begun, 1);
        JournalMetrics::set(&self.metrics.live_segments, self.live.len() as u64);
        Ok(true)
    }

    /// A random salt that is not the one of the file's earlier use.
    fn new_salt(&self, file: &dyn StorageFile, shown: &str) -> Result<u64, JournalError> {
        let mut old = vec![0; SEGMENT_HEADER_BYTES];
        let n = file.read_at(&mut old, 0).map_err(JournalError::io("read", shown))?;
        let old_salt = SegmentHeader::decode(&old[..n]).ok().map(|header| header.salt);
        loop {
            let salt = self.options.salts.next().map_err(JournalError::io("draw a salt for", shown))?;
            if Some(salt) != old_salt {
                return Ok(salt);
            }
        }
    }
}
