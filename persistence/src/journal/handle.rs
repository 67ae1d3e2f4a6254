//! The handles of a running journal: the cell's, and those of its readers.
//!
//! Owns: the queue between cell and writer, the durable watermark, the list of subscribers. Never does: make the cell
//! wait for I/O. Invariants: the watermark is stored after the sync returned and before subscribers are notified;
//! groups reach a subscriber in order and without a gap from its starting point. Known limits: subscribers' channels
//! are unbounded; their backlog is counted, and stopping a slow one is its owner's business.

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam::channel::{Receiver, Sender, unbounded};
use xng_core::journal::{Batch, Journal, Lsn};

use super::{
    Capacity, Follower, Hooks, JournalError, JournalMetrics, Options, Reader, free_space::Shortage,
    segment::LiveSegments, spares::SparePool, storage::Storage,
};

/// Groups as they become durable.
#[derive(Debug)]
pub struct Subscription {
    /// The groups that arrive begin right after this LSN; what lies at or before it is read with a [`Follower`].
    pub after: Lsn,
    /// The groups, in order. `len()` is the backlog.
    pub groups: Receiver<Arc<Batch>>,
}

#[derive(Debug, Default)]
pub(crate) struct Queue {
    pub(crate) batches: VecDeque<Batch>,
    pub(crate) free: Vec<Batch>,
    pub(crate) writer_sleeps: bool,
}

/// What the writer, the keeper, the cell and followers share.
pub(crate) struct JournalState {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) options: Options,
    pub(crate) queue: Mutex<Queue>,
    pub(crate) queued: Condvar,
    pub(crate) durable: AtomicU64,
    pub(crate) pending_bytes: AtomicU64,
    /// Bytes left in the segment being written.
    pub(crate) segment_room: AtomicU64,
    pub(crate) stop: AtomicBool,
    pub(crate) failed: AtomicBool,
    pub(crate) released: Arc<AtomicU64>,
    pub(crate) subscribers: Mutex<Vec<Sender<Arc<Batch>>>>,
    /// Number of threads in `wait_durable`.
    pub(crate) waiters: Mutex<usize>,
    pub(crate) became_durable: Condvar,
    pub(crate) spares: Arc<SparePool>,
    pub(crate) live: Arc<LiveSegments>,
    pub(crate) metrics: Arc<JournalMetrics>,
}

impl fmt::Debug for JournalState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournalState").field("durable", &self.durable()).finish_non_exhaustive()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl JournalState {
    pub(crate) fn durable(&self) -> Lsn {
        Lsn(self.durable.load(Ordering::Acquire))
    }

    pub(crate) fn wait_durable(&self, lsn: Lsn, deadline: Instant) -> bool {
        if self.durable() >= lsn {
            return true;
        }
        let mut waiters = lock(&self.waiters);
        *waiters += 1;
        while self.durable() < lsn && !self.is_over() {
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|d| !d.is_zero()) else { break };
            waiters = self.became_durable.wait_timeout(waiters, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *waiters -= 1;
        self.durable() >= lsn
    }

    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Acquire) || self.failed.load(Ordering::Acquire)
    }

    fn capacity(&self) -> Capacity {
        self.spares.capacity(&self.options, self.segment_room.load(Ordering::Relaxed))
    }

    pub(crate) fn notify_waiters(&self) {
        if *lock(&self.waiters) > 0 {
            self.became_durable.notify_all();
        }
    }

    /// Ends everything; the first failure is told to the hook.
    pub(crate) fn fail(&self, hooks: &Hooks, error: &JournalError) {
        let first = !self.failed.swap(true, Ordering::AcqRel);
        self.wake_all();
        if first {
            (hooks.on_fatal)(error);
        }
    }

    pub(crate) fn wake_all(&self) {
        drop(lock(&self.queue));
        self.queued.notify_all();
        drop(lock(&self.waiters));
        self.became_durable.notify_all();
        self.spares.wake();
    }
}

/// The cell's end of the journal.
#[derive(Debug)]
pub struct JournalHandle {
    pub(crate) shared: Arc<JournalState>,
    pub(crate) last: Lsn,
}

impl JournalHandle {
    /// The last LSN handed over.
    #[must_use]
    pub fn last(&self) -> Lsn {
        self.last
    }
}

impl Journal for JournalHandle {
    fn append(&mut self, batch: &mut Batch) {
        if batch.is_empty() {
            return;
        }
        assert_eq!(batch.first, self.last.next(), "a batch follows the last one handed over");
        self.last = batch.last();
        let shared = &*self.shared;
        shared.pending_bytes.fetch_add(batch.bytes.len() as u64, Ordering::Relaxed);
        JournalMetrics::add(&shared.metrics.appended_records, u64::from(batch.count));
        JournalMetrics::set(&shared.metrics.last, self.last.0);
        let sleeps = {
            let mut queue = lock(&shared.queue);
            let empty = queue.free.pop().unwrap_or_default();
            queue.batches.push_back(std::mem::replace(batch, empty));
            std::mem::take(&mut queue.writer_sleeps)
        };
        if sleeps {
            shared.queued.notify_one();
        }
    }

    fn durable(&self) -> Lsn {
        self.shared.durable()
    }

    fn pending_bytes(&self) -> u64 {
        self.shared.pending_bytes.load(Ordering::Relaxed)
    }

    fn capacity(&self) -> Capacity {
        self.shared.capacity()
    }
}

/// Everybody else's end of the journal. Clones are handles to the same one.
#[derive(Clone, Debug)]
pub struct JournalControl {
    pub(crate) shared: Arc<JournalState>,
}

impl JournalControl {
    /// The highest LSN that survives a power loss.
    #[must_use]
    pub fn durable(&self) -> Lsn {
        self.shared.durable()
    }

    /// Waits until `lsn` is durable; false when the time was up first or the journal stopped.
    #[must_use]
    pub fn wait_for(&self, lsn: Lsn, timeout: Duration) -> bool {
        self.shared.wait_durable(lsn, Instant::now() + timeout)
    }

    /// Groups from now on, in memory; for views that must not wait for the disk.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        let (sender, groups) = unbounded();
        let mut subscribers = lock(&self.shared.subscribers);
        subscribers.push(sender);
        Subscription { after: self.shared.durable(), groups }
    }

    /// Reads durable records from `from` on, and waits for more; for whoever may lag or begin in the past.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn follower(&self, from: Lsn) -> Result<Follower, JournalError> {
        let shared = &self.shared;
        Ok(Follower::new(Reader::open(shared.storage.clone(), shared.options.cell, from)?, shared.clone()))
    }

    /// Says that nobody needs records up to `lsn` for recovery: a durable snapshot, the store's checkpoint and every
    /// reactor's cursor are past it. Segments that lie wholly at or before it are archived and reused.
    pub fn release_up_to(&self, lsn: Lsn) {
        let lsn = lsn.min(self.durable());
        self.shared.released.fetch_max(lsn.0, Ordering::AcqRel);
        self.shared.spares.wake();
    }

    /// How much the journal can still take.
    #[must_use]
    pub fn capacity(&self) -> Capacity {
        self.shared.capacity()
    }

    /// Why no further segment can be had. Set before orders notice, while more than the last two spares are there.
    #[must_use]
    pub fn shortage(&self) -> Option<Shortage> {
        self.shared.spares.stock().1
    }

    /// Bytes of the segments in use and of the spares; what the limit of bytes counts.
    #[must_use]
    pub fn segment_bytes(&self) -> u64 {
        self.shared.spares.bytes()
    }

    /// Whether further segments can be had and those in use take less than half of what they may: else whoever reads the archive as
    /// well holds no segment back.
    #[must_use]
    pub fn is_roomy(&self) -> bool {
        let options = &self.shared.options;
        let spares = self.spare_segments() as u64 * options.segment_bytes;
        self.shortage().is_none() && self.segment_bytes().saturating_sub(spares) < options.max_bytes / 2
    }

    /// Spare segments ready for use.
    #[must_use]
    pub fn spare_segments(&self) -> usize {
        self.shared.spares.ready()
    }

    /// Bytes free on the journal's disk.
    ///
    /// # Errors
    /// When the operating system cannot say.
    pub fn free_bytes(&self) -> Result<u64, JournalError> {
        let storage = &self.shared.storage;
        storage.free_bytes().map_err(JournalError::io("measure the disk of", storage.describe("")))
    }

    /// Bytes handed over and not yet durable.
    #[must_use]
    pub fn pending_bytes(&self) -> u64 {
        self.shared.pending_bytes.load(Ordering::Relaxed)
    }

    /// True after a fatal error (only seen where the hook does not abort).
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.shared.failed.load(Ordering::Acquire)
    }

    /// The counters.
    #[must_use]
    pub fn metrics(&self) -> &JournalMetrics {
        &self.shared.metrics
    }
}
