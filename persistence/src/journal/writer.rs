//! The writer's thread, and the ends of it that others hold.
//!
//! Owns: the queue between cell and disk, the durable watermark, subscribers, the journal's two threads.
//! Never does: make the cell wait for I/O; go on after an error; linger for a bigger group.
//! Invariants: the watermark is stored after the sync returned and before anybody is told; groups reach a subscriber in
//! order and without a gap from its starting point.
//! Known limits: subscribers' channels are unbounded; their backlog is counted, and stopping a slow one is its owner's
//! business.

use std::{
    collections::VecDeque,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam::channel::{Receiver, Sender, unbounded};
use xng_core::journal::{Batch, Journal, Lsn};

use super::{
    Follower, JournalError, JournalMetrics, Options, Reader, Recovered, Room,
    appender::{Appender, Cursor, Outcome},
    options::RESERVED_SPARES,
    recycle::{Keeper, Step},
    segment::LiveSegments,
    spares::SparePool,
    storage::{LockGuard, Storage},
};

/// Emptied batches kept for the cell's next ones.
const FREE_BATCHES: usize = 64;
/// A batch that grew beyond this gives its memory back.
const FREE_BATCH_BYTES: usize = 1 << 20;
/// How long the keeper waits before it tries a full disk again.
const DISK_FULL_RETRY: Duration = Duration::from_millis(250);
/// How long the keeper sleeps when nobody wakes it.
const KEEPER_NAP: Duration = Duration::from_secs(1);

/// What the journal calls from its threads.
#[derive(Clone)]
pub struct Hooks {
    /// Called after each sync with the durable LSN; the cell parks on it. It must not block.
    pub wake: Arc<dyn Fn(Lsn) + Send + Sync>,
    /// Called once when the journal cannot go on. Default: log and abort the process, because after a failed sync the
    /// next one returns success though data are lost.
    pub on_fatal: Arc<dyn Fn(&JournalError) + Send + Sync>,
}

impl Hooks {
    /// Aborts the process on a fatal error and calls `wake` after each sync.
    #[must_use]
    pub fn new(wake: impl Fn(Lsn) + Send + Sync + 'static) -> Self {
        let on_fatal = |error: &JournalError| {
            tracing::error!(%error, "the journal cannot go on; stopping the process");
            std::process::abort();
        };
        Self { wake: Arc::new(wake), on_fatal: Arc::new(on_fatal) }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hooks")
    }
}

/// A running journal.
#[derive(Debug)]
pub struct Started {
    /// For the cell.
    pub handle: JournalHandle,
    /// For everybody else.
    pub control: JournalControl,
    /// Stops the threads when dropped.
    pub writer: JournalWriter,
}

/// Groups as they become durable.
#[derive(Debug)]
pub struct Subscription {
    /// The groups that arrive begin right after this LSN; what lies at or before it is read with a [`Follower`].
    pub after: Lsn,
    /// The groups, in order. `len()` is the backlog.
    pub groups: Receiver<Arc<Batch>>,
}

#[derive(Debug, Default)]
struct Queue {
    batches: VecDeque<Batch>,
    free: Vec<Batch>,
    writer_sleeps: bool,
}

/// What the writer, the keeper, the cell and followers share.
pub(crate) struct Shared {
    storage: Arc<dyn Storage>,
    options: Options,
    queue: Mutex<Queue>,
    queued: Condvar,
    durable: AtomicU64,
    pending_bytes: AtomicU64,
    /// Bytes left in the segment being written.
    segment_room: AtomicU64,
    stop: AtomicBool,
    failed: AtomicBool,
    released: Arc<AtomicU64>,
    subscribers: Mutex<Vec<Sender<Arc<Batch>>>>,
    /// Number of threads in `wait_durable`.
    waiters: Mutex<usize>,
    became_durable: Condvar,
    spares: Arc<SparePool>,
    live: Arc<LiveSegments>,
    metrics: Arc<JournalMetrics>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("durable", &self.durable()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
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

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Acquire) || self.failed.load(Ordering::Acquire)
    }

    fn room(&self) -> Room {
        if !self.spares.disk_is_full() {
            return Room::Plenty;
        }
        let spares = self.spares.ready();
        let a_block = self.options.max_block_bytes.min(self.options.block_capacity()) as u64;
        if spares > RESERVED_SPARES {
            Room::Plenty
        } else if spares > 0 || self.segment_room.load(Ordering::Relaxed) > a_block {
            Room::Low
        } else {
            Room::Exhausted
        }
    }

    fn notify_waiters(&self) {
        if *lock(&self.waiters) > 0 {
            self.became_durable.notify_all();
        }
    }

    /// Ends everything; the first failure is told to the hook.
    fn fail(&self, hooks: &Hooks, error: &JournalError) {
        let first = !self.failed.swap(true, Ordering::AcqRel);
        self.wake_all();
        if first {
            (hooks.on_fatal)(error);
        }
    }

    fn wake_all(&self) {
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
    shared: Arc<Shared>,
    last: Lsn,
}

impl JournalHandle {
    /// How much the journal can still take; orders need `Plenty`, cancels `Low`.
    #[must_use]
    pub fn room(&self) -> Room {
        self.shared.room()
    }

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
}

/// Everybody else's end of the journal. Clones are handles to the same one.
#[derive(Clone, Debug)]
pub struct JournalControl {
    shared: Arc<Shared>,
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
    pub fn room(&self) -> Room {
        self.shared.room()
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

/// Owns the threads and the lock. Dropping it writes what was handed over, seals, and stops.
pub struct JournalWriter {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    lock: Option<LockGuard>,
}

impl fmt::Debug for JournalWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournalWriter").finish_non_exhaustive()
    }
}

impl JournalWriter {
    /// Writes what was handed over, seals, stops the threads and releases the lock. What cannot be written because the
    /// disk is full was never acknowledged and is dropped.
    pub fn shutdown(mut self) {
        self.stop();
    }

    fn stop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.wake_all();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a journal thread panicked outside of its guard");
            }
        }
        self.lock = None;
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Recovered {
    /// Begins the epoch and the threads. Replay first: what was recovered counts as durable from here on.
    ///
    /// # Errors
    /// I/O errors; a disk too full for the first segment.
    pub fn start(self, hooks: Hooks) -> Result<Started, JournalError> {
        let ready = self.prepare()?;
        let last = self.summary().last;
        let Recovered { storage, options, lock, .. } = self;
        JournalMetrics::set(&ready.metrics.last, last.0);
        let shared = Arc::new(Shared {
            storage: storage.clone(),
            options: options.clone(),
            queue: Mutex::default(),
            queued: Condvar::new(),
            durable: AtomicU64::new(last.0),
            pending_bytes: AtomicU64::new(0),
            segment_room: AtomicU64::new(ready.appender.room_in_segment()),
            stop: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            released: Arc::new(AtomicU64::new(0)),
            subscribers: Mutex::default(),
            waiters: Mutex::new(0),
            became_durable: Condvar::new(),
            spares: ready.spares.clone(),
            live: ready.live.clone(),
            metrics: ready.metrics.clone(),
        });
        let keeper = Keeper {
            storage,
            options,
            spares: ready.spares,
            live: ready.live,
            released: shared.released.clone(),
            metrics: ready.metrics,
        };
        let appender = ready.appender;
        let threads = vec![
            spawn("journal-writer", &shared, &hooks, {
                let (shared, hooks) = (shared.clone(), hooks.clone());
                move || Writer { appender, shared, hooks, batches: VecDeque::new(), cursor: Cursor::default() }.run()
            })?,
            spawn("journal-keeper", &shared, &hooks, {
                let shared = shared.clone();
                move || keep(&keeper, &shared)
            })?,
        ];
        let writer = JournalWriter { shared: shared.clone(), threads, lock: Some(lock) };
        let handle = JournalHandle { shared: shared.clone(), last };
        Ok(Started { handle, control: JournalControl { shared }, writer })
    }
}

fn spawn(
    name: &str,
    shared: &Arc<Shared>,
    hooks: &Hooks,
    body: impl FnOnce() -> Result<(), JournalError> + Send + 'static,
) -> Result<JoinHandle<()>, JournalError> {
    let (shared, hooks) = (shared.clone(), hooks.clone());
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(JournalError::Panicked(text.unwrap_or_else(|| "no message".to_owned())))
            });
            if let Err(error) = result {
                shared.fail(&hooks, &error);
            }
        })
        .map_err(JournalError::io("start thread", name))
}

fn keep(keeper: &Keeper, shared: &Shared) -> Result<(), JournalError> {
    while !shared.is_over() {
        let nap = match keeper.step()? {
            Step::Worked => continue,
            Step::Idle => KEEPER_NAP,
            Step::DiskFull => DISK_FULL_RETRY,
        };
        let target = keeper.options.spare_segments;
        let idle = nap == KEEPER_NAP;
        shared.spares.wait(nap, |ready| {
            let released = Lsn(shared.released.load(Ordering::Acquire));
            let work = ready < target || shared.live.oldest_released(released).is_some();
            !shared.is_over() && !(idle && work)
        });
    }
    Ok(())
}

struct Writer {
    appender: Appender,
    shared: Arc<Shared>,
    hooks: Hooks,
    /// Taken from the queue, not yet in a block; `cursor` is the progress in the first.
    batches: VecDeque<Batch>,
    cursor: Cursor,
}

impl Writer {
    fn run(mut self) -> Result<(), JournalError> {
        // The block that opened the epoch vouches for what lies before it.
        let mut seal_at = None;
        loop {
            self.take(seal_at);
            if self.shared.failed.load(Ordering::Acquire) {
                return Ok(());
            }
            self.stage()?;
            if self.appender.staged() > 0 {
                if !self.commit()? {
                    return Ok(());
                }
                seal_at = Some(Instant::now() + self.shared.options.seal_after);
                continue;
            }
            let stopping = self.shared.stop.load(Ordering::Acquire);
            if seal_at.is_some_and(|at| stopping || at <= Instant::now()) {
                seal_at = match self.appender.seal()? {
                    Outcome::Durable(_) => None,
                    Outcome::NoSpare => Some(Instant::now() + self.shared.options.seal_after),
                };
                self.shared.segment_room.store(self.appender.room_in_segment(), Ordering::Relaxed);
            }
            if stopping {
                return Ok(());
            }
        }
    }

    /// Moves what was queued here; waits when there is nothing anywhere.
    fn take(&mut self, seal_at: Option<Instant>) {
        let mut queue = lock(&self.shared.queue);
        while queue.batches.is_empty() && self.batches.is_empty() && !self.shared.is_over() {
            queue.writer_sleeps = true;
            match seal_at.map(|at| at.saturating_duration_since(Instant::now())) {
                None => queue = self.shared.queued.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => break,
                Some(left) => {
                    queue = self.shared.queued.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        queue.writer_sleeps = false;
        self.batches.append(&mut queue.batches);
    }

    /// Fills the block in hand and gives used batches back.
    fn stage(&mut self) -> Result<(), JournalError> {
        let mut used = Vec::new();
        while let Some(batch) = self.batches.front() {
            if !self.appender.stage(batch, &mut self.cursor)? {
                break;
            }
            self.cursor = Cursor::default();
            used.extend(self.batches.pop_front());
        }
        let mut queue = lock(&self.shared.queue);
        for mut batch in used {
            if queue.free.len() < FREE_BATCHES && batch.bytes.capacity() <= FREE_BATCH_BYTES {
                batch.clear();
                queue.free.push(batch);
            }
        }
        Ok(())
    }

    /// Writes the block in hand and tells everybody; false when the journal stops for want of a segment.
    fn commit(&mut self) -> Result<bool, JournalError> {
        let bytes = self.appender.staged_bytes() as u64;
        let durable = loop {
            match self.appender.commit()? {
                Outcome::Durable(lsn) => break lsn,
                Outcome::NoSpare if self.shared.is_over() => return Ok(false),
                Outcome::NoSpare => {
                    self.shared.spares.wait(KEEPER_NAP, |ready| ready == 0 && !self.shared.is_over());
                }
            }
        };
        self.shared.segment_room.store(self.appender.room_in_segment(), Ordering::Relaxed);
        self.publish(durable);
        self.shared.pending_bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.shared.notify_waiters();
        (self.hooks.wake)(durable);
        Ok(true)
    }

    /// Moves the watermark and hands the group on, as one step for whoever subscribes meanwhile.
    fn publish(&self, durable: Lsn) {
        let mut subscribers = lock(&self.shared.subscribers);
        self.shared.durable.store(durable.0, Ordering::Release);
        if subscribers.is_empty() {
            return;
        }
        let group = Arc::new(self.appender.written_batch());
        subscribers.retain(|sender| sender.send(group.clone()).is_ok());
        let backlog = subscribers.iter().map(Sender::len).max().unwrap_or(0);
        JournalMetrics::set(&self.shared.metrics.subscriber_backlog, backlog as u64);
    }
}
