//! The journal's threads: the writer and the keeper.
//!
//! Owns: the loop that makes groups durable, sealing, the start and the end of both threads.
//! Never does: go on after an error; linger for a bigger group.
//! Invariants: one block at a time: stage, write, sync, wake, publish.
//! Known limits: one writer; two gain nothing, because the device serialises.

use std::{
    collections::VecDeque,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam::channel::Sender;
use xng_core::journal::{Batch, Lsn};

use super::{
    JournalControl, JournalError, JournalHandle, JournalMetrics, Recovered,
    appender::{AppendResult, Appender, Cursor},
    handle::{JournalState, lock},
    recycle::{Keeper, Step},
    storage::LockGuard,
};

/// Emptied batches kept for the cell's next ones.
const FREE_BATCHES: usize = 64;
/// A batch that grew beyond this gives its memory back.
const FREE_BATCH_BYTES: usize = 1 << 20;
/// How long the keeper waits before it looks again whether there is room.
const SHORT_RETRY: Duration = Duration::from_millis(250);
/// How long the keeper sleeps when nobody wakes it.
const KEEPER_NAP: Duration = Duration::from_secs(1);

/// What the journal calls from its threads.
#[derive(Clone)]
pub struct Hooks {
    /// Called after each sync with the durable LSN, before followers get the group and while their list is locked: it must
    /// neither block nor subscribe. The cell parks on it.
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

/// Owns the threads and the lock. Dropping it writes what was handed over, seals, and stops.
pub struct JournalWriter {
    shared: Arc<JournalState>,
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
        let shared = Arc::new(JournalState {
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
    shared: &Arc<JournalState>,
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

fn keep(keeper: &Keeper, shared: &JournalState) -> Result<(), JournalError> {
    while !shared.is_over() {
        let nap = match keeper.step()? {
            Step::Worked => continue,
            Step::Idle => KEEPER_NAP,
            Step::Short => SHORT_RETRY,
        };
        let target = keeper.options.spare_segments;
        let idle = nap == KEEPER_NAP;
        shared.spares.wait(nap, |ready| {
            let released = Lsn(shared.released.load(Ordering::Acquire));
            let work = ready < target || shared.live.oldest_released(released).is_some();
            !(shared.is_over() || idle && work)
        });
    }
    Ok(())
}

struct Writer {
    appender: Appender,
    shared: Arc<JournalState>,
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
                    AppendResult::Durable(_) => None,
                    AppendResult::NoSpare => Some(Instant::now() + self.shared.options.seal_after),
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
                AppendResult::Durable(lsn) => break lsn,
                AppendResult::NoSpare if self.shared.is_over() => return Ok(false),
                AppendResult::NoSpare => {
                    self.shared.spares.wait(KEEPER_NAP, |ready| ready == 0 && !self.shared.is_over());
                }
            }
        };
        self.shared.segment_room.store(self.appender.room_in_segment(), Ordering::Relaxed);
        self.shared.pending_bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.publish(durable);
        self.shared.notify_waiters();
        Ok(true)
    }

    /// Moves the watermark, wakes the cell and hands the group on, as one step for whoever subscribes meanwhile.
    fn publish(&self, durable: Lsn) {
        let mut subscribers = lock(&self.shared.subscribers);
        self.shared.durable.store(durable.0, Ordering::Release);
        // First of all: answers wait for it.
        (self.hooks.wake)(durable);
        if subscribers.is_empty() {
            return;
        }
        let group = Arc::new(self.appender.written_batch());
        subscribers.retain(|sender| sender.send(group.clone()).is_ok());
        let backlog = subscribers.iter().map(Sender::len).max().unwrap_or(0);
        JournalMetrics::set(&self.shared.metrics.subscriber_backlog, backlog as u64);
    }
}
