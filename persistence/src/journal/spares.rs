//! Spare segments: zeros written ahead, so that a sync of a block never has to change the file system's metadata.
//!
//! Owns: the pool of spares, and the way in which one is made. Never does: name a segment that is in use; run a thread (the
//! keeper's thread calls it); judge how much the journal can still take (`free_space.rs`).
//! Invariants: a name in the pool is a file of full length, all of it allocated and synced; files are renamed from use
//! to use and never deleted for being surplus; reading the stock takes no lock: the cell reads it with each command that it
//! admits.
//! Known limits: a disk that another program fills between the check of free space and the fill is noticed by the fill; a
//! spare of another size (the setting changed) is removed at the start.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use xng_core::journal::Capacity;

use super::{
    error::JournalError,
    free_space::{self, Shortage},
    metrics::JournalMetrics,
    options::Options,
    segment::{Name, list_root},
    storage::Storage,
};

/// Zeros are written and synced in pieces of this size: the journal's own syncs wait behind one of them at most.
const FILL_CHUNK_BYTES: usize = 1 << 20;
/// The lowest bits of a packed stock say why there will be no more …
const WHY_BITS: u32 = 2;
/// … [`Shortage::Disk`] …
const DISK: u64 = 1;
/// … or [`Shortage::Limit`].
const LIMIT: u64 = 2;

/// The spares of one journal.
#[derive(Debug)]
pub(crate) struct SparePool {
    storage: Arc<dyn Storage>,
    segment_bytes: u64,
    metrics: Arc<JournalMetrics>,
    state: Mutex<Pool>,
    /// [`Pool::stock`] as of the last change, as [`packed`] packs it.
    stock: AtomicU64,
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

impl Pool {
    /// Spares ready for use, and why there will be no more.
    fn stock(&self) -> (usize, Option<Shortage>) {
        (self.ready.len(), self.shortage)
    }
}

/// Both in one word, so that they are always read as they were at one time.
fn packed((ready, shortage): (usize, Option<Shortage>)) -> u64 {
    let why = match shortage {
        None => 0,
        Some(Shortage::Disk) => DISK,
        Some(Shortage::Limit) => LIMIT,
    };
    (ready as u64) << WHY_BITS | why
}

fn unpacked(word: u64) -> (usize, Option<Shortage>) {
    let shortage = match word & (DISK | LIMIT) {
        0 => None,
        DISK => Some(Shortage::Disk),
        _ => Some(Shortage::Limit),
    };
    ((word >> WHY_BITS) as usize, shortage)
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
        let stock = AtomicU64::new(packed(pool.stock()));
        Ok(Self { storage, segment_bytes, metrics, state: Mutex::new(pool), stock, changed: Condvar::new() })
    }

    /// Takes a spare out of the pool, when there is one. Its name stays as it is until the taker renames it.
    pub(crate) fn take(&self) -> Option<Name> {
        let number = self.change(|pool| pool.ready.pop_front());
        self.changed.notify_all();
        number.map(Name::Spare)
    }

    /// Spares ready for use.
    pub(crate) fn ready(&self) -> usize {
        self.stock().0
    }

    /// Spares ready for use, and why there will be no more.
    pub(crate) fn stock(&self) -> (usize, Option<Shortage>) {
        unpacked(self.stock.load(Ordering::Acquire))
    }

    /// How much the journal can still take, with so many bytes left in the segment being written.
    pub(crate) fn capacity(&self, options: &Options, left: u64) -> Capacity {
        free_space::capacity(self.stock(), options, left)
    }

    /// Notes whether another segment can be had; true when that is news.
    pub(crate) fn note_shortage(&self, shortage: Option<Shortage>) -> bool {
        self.change(|pool| std::mem::replace(&mut pool.shortage, shortage)) != shortage
    }

    /// Bytes of the spares and the segments in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.pool().files as u64 * self.segment_bytes
    }

    /// Why another segment cannot be had, if so.
    pub(crate) fn shortage(&self, options: &Options) -> Result<Option<Shortage>, JournalError> {
        free_space::shortage(&*self.storage, self.bytes(), self.segment_bytes, options)
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
        self.change(|pool| pool.ready.push_back(number));
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

    /// Changes the stock, and publishes it before anybody else changes it.
    fn change<T>(&self, change: impl FnOnce(&mut Pool) -> T) -> T {
        let mut pool = self.pool();
        let done = change(&mut pool);
        JournalMetrics::set(&self.metrics.spare_segments, pool.ready.len() as u64);
        self.stock.store(packed(pool.stock()), Ordering::Release);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::fake_disk::FakeDisk;
    use std::sync::mpsc::channel;

    const SEGMENT_BYTES: u64 = 4_096;

    fn opened(disk: &FakeDisk) -> SparePool {
        SparePool::open(Arc::new(disk.clone()), SEGMENT_BYTES, 0, Arc::new(JournalMetrics::new())).unwrap()
    }

    #[test]
    fn the_room_is_told_while_somebody_holds_the_pool() {
        let (pool, options) = (opened(&FakeDisk::new()), Options::new(0));
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            let held = pool.pool();
            scope.spawn(|| sender.send(pool.capacity(&options, 0)));
            let seen = receiver.recv_timeout(Duration::from_secs(10));
            // Before the assertion, or who waits for it would never end.
            drop(held);
            assert_eq!(seen, Ok(Capacity::Plenty), "no spare, and nobody has said that there will be none");
        });
    }

    #[test]
    fn what_is_told_is_the_pool_after_each_change() {
        let disk = FakeDisk::new();
        let pool = opened(&disk);
        let is_told = |expected| {
            assert_eq!((pool.stock(), pool.pool().stock()), (expected, expected));
            assert_eq!(
                (pool.ready(), pool.metrics.spare_segments.load(Ordering::Relaxed)),
                (expected.0, expected.0 as u64)
            );
        };
        is_told((0, None));
        for ready in 1..=3 {
            pool.fill_one().unwrap();
            is_told((ready, None));
        }
        for why in [Some(Shortage::Disk), Some(Shortage::Limit), None, Some(Shortage::Limit)] {
            assert!(pool.note_shortage(why) && !pool.note_shortage(why));
            is_told((3, why));
        }
        let taken = pool.take().unwrap();
        is_told((2, Some(Shortage::Limit)));
        pool.adopt(taken).unwrap();
        is_told((3, Some(Shortage::Limit)));
        assert_eq!(opened(&disk).stock(), (3, None), "after a start");
    }
}
