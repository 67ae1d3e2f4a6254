//! Spare segments: zeros written ahead, so that a sync of a block never has to change the file system's metadata.
//!
//! Owns: the pool of spares, and how one is made.
//! Never does: name a segment that is in use; run a thread (the keeper's thread calls it).
//! Invariants: a name in the pool is a file of full length, all of it allocated and synced; files are renamed from use
//! to use and never deleted for being surplus.
//! Known limits: a disk that somebody else fills between the look at it and the fill is noticed by the fill; a spare of
//! another size (the setting changed) is removed at the start.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use xng_core::journal::Room;

use super::{
    error::JournalError,
    metrics::JournalMetrics,
    options::{Options, RESERVED_SPARES},
    segment::{Name, list_root},
    storage::Storage,
};

/// Zeros are written and synced in pieces of this size: the journal's own syncs wait behind one of them at most.
const FILL_CHUNK_BYTES: usize = 1 << 20;

/// Why the journal gets no further segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// The disk has no room for one, or only the room that is left to others.
    Disk,
    /// Segments take as much as they may: whoever should release them (the store, the snapshots) lags.
    Limit,
}

/// The spares of one journal.
#[derive(Debug)]
pub(crate) struct SparePool {
    storage: Arc<dyn Storage>,
    segment_bytes: u64,
    metrics: Arc<JournalMetrics>,
    state: Mutex<Pool>,
    /// Told when a spare is there, when one was taken, and when the journal stops.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Pool {
    ready: VecDeque<u64>,
    next_number: u64,
    /// Spares and segments in use. A spare that becomes a segment and back changes nothing.
    files: usize,
    /// Why no further spare can be had, as of the last look.
    shortage: Option<Shortage>,
}

impl SparePool {
    /// Takes stock of the spares that are there, beside `live` segments; removes half-filled ones and ones of another
    /// size.
    pub(crate) fn open(
        storage: Arc<dyn Storage>,
        segment_bytes: u64,
        live: usize,
        metrics: Arc<JournalMetrics>,
    ) -> Result<Self, JournalError> {
        let mut pool = Pool::default();
        for name in list_root(&*storage)? {
            let number = match name {
                Name::Spare(n) | Name::Fill(n) => n,
                Name::Segment(_) | Name::Archived(_) | Name::ArchiveTemporary(_) => continue,
            };
            pool.next_number = pool.next_number.max(number + 1);
            let path = name.path();
            let full = matches!(name, Name::Spare(_)) && {
                let file = storage.open(&path).map_err(JournalError::io("open", storage.describe(&path)))?;
                file.len().map_err(JournalError::io("measure", storage.describe(&path)))? == segment_bytes
            };
            if full {
                pool.ready.push_back(number);
            } else {
                storage.remove(&path).map_err(JournalError::io("remove", storage.describe(&path)))?;
            }
        }
        pool.files = live + pool.ready.len();
        JournalMetrics::set(&metrics.spare_segments, pool.ready.len() as u64);
        Ok(Self { storage, segment_bytes, metrics, state: Mutex::new(pool), changed: Condvar::new() })
    }

    /// Takes a spare out of the pool, when there is one. Its name stays as it is until the taker renames it.
    pub(crate) fn take(&self) -> Option<Name> {
        let mut pool = self.pool();
        let number = pool.ready.pop_front();
        JournalMetrics::set(&self.metrics.spare_segments, pool.ready.len() as u64);
        drop(pool);
        self.changed.notify_all();
        number.map(Name::Spare)
    }

    /// Spares ready for use.
    pub(crate) fn ready(&self) -> usize {
        self.pool().ready.len()
    }

    /// Spares ready for use, and why there will be no more.
    pub(crate) fn stock(&self) -> (usize, Option<Shortage>) {
        let pool = self.pool();
        (pool.ready.len(), pool.shortage)
    }

    /// How much the journal can still take, with so many bytes left in the segment being written.
    pub(crate) fn room(&self, options: &Options, left: u64) -> Room {
        let (spares, shortage) = self.stock();
        let a_block = options.max_block_bytes.min(options.block_capacity()) as u64;
        if shortage.is_none() || spares > RESERVED_SPARES {
            Room::Plenty
        } else if spares > 0 || left > a_block {
            Room::Low
        } else {
            Room::Exhausted
        }
    }

    /// Notes whether another segment can be had; true when that is news.
    pub(crate) fn note_shortage(&self, shortage: Option<Shortage>) -> bool {
        std::mem::replace(&mut self.pool().shortage, shortage) != shortage
    }

    /// Bytes of the spares and the segments in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.pool().files as u64 * self.segment_bytes
    }

    /// Why another segment cannot be had, if so.
    pub(crate) fn shortage(&self, options: &Options) -> Result<Option<Shortage>, JournalError> {
        if self.bytes().saturating_add(self.segment_bytes) > options.max_bytes {
            return Ok(Some(Shortage::Limit));
        }
        let disk = || self.storage.describe("");
        let free = self.storage.free_bytes().map_err(JournalError::io("measure the disk of", disk()))?;
        let short = free < self.segment_bytes.saturating_add(options.min_free_bytes);
        Ok(short.then_some(Shortage::Disk))
    }

    /// Waits until the pool changes, `wake` is called, or the time is up.
    pub(crate) fn wait(&self, timeout: Duration, go_on: impl Fn(usize) -> bool) {
        let pool = self.pool();
        if go_on(pool.ready.len()) {
            drop(self.changed.wait_timeout(pool, timeout).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Ends every `wait`.
    pub(crate) fn wake(&self) {
        drop(self.pool());
        self.changed.notify_all();
    }

    /// Makes one more spare from zeros. A full disk leaves nothing behind.
    pub(crate) fn fill_one(&self) -> Result<(), JournalError> {
        let fill = Name::Fill(self.reserve_number());
        if let Err(e) = self.fill(fill) {
            // The half-written file would only take the room that cancels and the store need.
            match self.storage.remove(&fill.path()) {
                Ok(()) => {}
                Err(left) => tracing::warn!(file = fill.path(), error = %left, "cannot remove a half-filled segment"),
            }
            return Err(e);
        }
        self.adopt(fill)?;
        self.pool().files += 1;
        Ok(())
    }

    /// Notes that a segment in use was removed instead of becoming a spare.
    pub(crate) fn one_less(&self) {
        self.pool().files -= 1;
    }

    /// Makes a file that is no longer needed (a released segment, a finished fill) a spare.
    pub(crate) fn adopt(&self, from: Name) -> Result<(), JournalError> {
        let number = self.reserve_number();
        let (from, to) = (from.path(), Name::Spare(number).path());
        self.storage.rename(&from, &to).map_err(JournalError::io("rename", self.storage.describe(&from)))?;
        self.storage.sync_dir("").map_err(JournalError::io("sync", self.storage.describe("")))?;
        let mut pool = self.pool();
        pool.ready.push_back(number);
        JournalMetrics::set(&self.metrics.spare_segments, pool.ready.len() as u64);
        drop(pool);
        self.changed.notify_all();
        Ok(())
    }

    fn fill(&self, name: Name) -> Result<(), JournalError> {
        let path = name.path();
        let shown = || self.storage.describe(&path);
        let free = self.storage.free_bytes().map_err(JournalError::io("measure the disk of", shown()))?;
        if free < self.segment_bytes {
            let full = std::io::ErrorKind::StorageFull.into();
            return Err(JournalError::io("make room for", shown())(full));
        }
        let file = self.storage.create(&path).map_err(JournalError::io("create", shown()))?;
        let zeros = vec![0; FILL_CHUNK_BYTES.min(self.segment_bytes as usize)];
        let mut at = 0;
        while at < self.segment_bytes {
            let n = zeros.len().min((self.segment_bytes - at) as usize);
            file.write_at(&zeros[..n], at).map_err(JournalError::io("write", shown()))?;
            at += n as u64;
            file.sync().map_err(JournalError::io("sync", shown()))?;
        }
        Ok(())
    }

    fn reserve_number(&self) -> u64 {
        let mut pool = self.pool();
        pool.next_number += 1;
        pool.next_number - 1
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
