//! The persister: follows the durable journal and keeps the store's rows up to it.
//!
//! Owns: its thread and runtime, batching, retries, the lag.
//! Never does: make the exchange wait; write rows without the checkpoint that they stand for.
//! Invariants: a batch is written once: after an error it is folded and written again only if the checkpoint says that
//! it was not.
//! Known limits: a record that cannot be read or that does not fit the rows stops it (the hook is called, the lag grows).

use std::{
    fmt, io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tokio::runtime::{Builder, Runtime};
use xng_core::{codec::DecodeError, entity::TimeNs, journal::Lsn, record::Record};

use super::{
    Changes, Checkpoint, Projection, StoreError,
    projector::{Missing, Projector},
};
use crate::journal::{Follower, Histogram, JournalControl, JournalError};

/// Upper bounds (inclusive) of the buckets of [`PersisterMetrics::batch_micros`], in microseconds.
pub const BATCH_BOUNDS_MICROS: [u64; 10] =
    [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000];

/// How long the thread waits for a record before it looks whether it shall stop.
const NAP: Duration = Duration::from_millis(50);

/// Settings of a persister.
#[derive(Clone, Copy, Debug)]
pub struct PersisterOptions {
    /// Records in one transaction, about (a block of the journal is not split). Default 5,000.
    pub batch_records: u32,
    /// How long a batch waits for more records. Default 200 ms.
    pub batch_wait: Duration,
    /// Pause after the first failed attempt; it doubles with each one. Default 50 ms.
    pub retry_first: Duration,
    /// Longest pause between attempts. Default 5 s.
    pub retry_most: Duration,
}

impl Default for PersisterOptions {
    fn default() -> Self {
        Self {
            batch_records: 5_000,
            batch_wait: Duration::from_millis(200),
            retry_first: Duration::from_millis(50),
            retry_most: Duration::from_secs(5),
        }
    }
}

/// Why a persister stopped for good. A database that is away is no reason.
#[derive(Debug, thiserror::Error)]
pub enum PersistError {
    /// The journal cannot be read.
    #[error("the persister cannot read the journal: {0}")]
    Journal(#[from] JournalError),
    /// A record cannot be read.
    #[error("record {lsn} cannot be read: {error}")]
    Record {
        /// Which one.
        lsn: Lsn,
        /// Why.
        error: DecodeError,
    },
    /// The store's rows do not belong to this journal, or somebody else writes them.
    #[error("the store does not fit the journal: {0}")]
    Mismatch(String),
    /// The thread could not be started, or panicked.
    #[error("the persister's thread: {0}")]
    Thread(String),
}

impl From<Missing> for PersistError {
    fn from(missing: Missing) -> Self {
        Self::Mismatch(missing.to_string())
    }
}

/// Counters of one persister since its start.
#[derive(Debug)]
pub struct PersisterMetrics {
    /// The last record whose rows are in the store.
    pub persisted: AtomicU64,
    /// Transactions written.
    pub batches: AtomicU64,
    /// Records projected.
    pub records: AtomicU64,
    /// Rows written.
    pub rows: AtomicU64,
    /// Attempts that failed.
    pub errors: AtomicU64,
    /// Time of loading, folding and writing a batch.
    pub batch_micros: Histogram,
    /// Stamp of the oldest record that was read and is not yet in the store; 0 when there is none.
    pub oldest_pending: AtomicU64,
}

/// Everybody's view of a running persister. Clones are handles to the same one.
#[derive(Clone)]
pub struct PersisterHandle {
    shared: Arc<Shared>,
}

impl fmt::Debug for PersisterHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PersisterHandle").field("persisted", &self.persisted()).finish_non_exhaustive()
    }
}

/// Owns the persister's thread; dropping it stops without waiting for the rest.
#[derive(Debug)]
pub struct Persister {
    handle: PersisterHandle,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    control: JournalControl,
    metrics: PersisterMetrics,
    failed: AtomicBool,
    switches: Mutex<Switches>,
    /// Told when a switch is set and when a batch was written.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Switches {
    paused: bool,
    /// Stop at this moment, or earlier when everything is written.
    stop_by: Option<Instant>,
}

impl PersisterHandle {
    /// The last record whose rows are in the store. It is one of those below which segments may be released.
    #[must_use]
    pub fn persisted(&self) -> Lsn {
        Lsn(self.shared.metrics.persisted.load(Ordering::Acquire))
    }

    /// Durable records whose rows are not yet in the store.
    #[must_use]
    pub fn lag_records(&self) -> u64 {
        self.shared.control.durable().0.saturating_sub(self.persisted().0)
    }

    /// Age of the oldest record that waits, at `now` (the cell's clock); zero when none does.
    #[must_use]
    pub fn lag(&self, now: TimeNs) -> Duration {
        match self.shared.metrics.oldest_pending.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            oldest => Duration::from_nanos(now.saturating_sub(oldest)),
        }
    }

    /// Waits until the rows of `lsn` are in the store; false when the time was up first or the persister stopped.
    #[must_use]
    pub fn wait_for(&self, lsn: Lsn, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut switches = self.shared.switches();
        while self.persisted() < lsn && !self.has_failed() {
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|d| !d.is_zero()) else { break };
            switches = self.shared.changed.wait_timeout(switches, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.persisted() >= lsn
    }

    /// Holds back further transactions, as a database that is away would.
    pub fn pause(&self) {
        self.shared.switches().paused = true;
    }

    /// Ends a pause.
    pub fn resume(&self) {
        self.shared.switches().paused = false;
        self.shared.changed.notify_all();
    }

    /// True after it stopped for good.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.shared.failed.load(Ordering::Acquire)
    }

    /// The counters.
    #[must_use]
    pub fn metrics(&self) -> &PersisterMetrics {
        &self.shared.metrics
    }
}

impl Persister {
    /// Starts following `control` from the store's checkpoint. `epoch` is the journal's, from its recovery.
    ///
    /// `on_fatal` is called at most once, from the persister's thread, when it cannot go on. A database that is locked,
    /// full or away is retried for ever and counted.
    ///
    /// # Errors
    /// When the thread or its runtime cannot be started.
    pub fn start(
        store: Arc<dyn Projection>,
        control: JournalControl,
        cell: u32,
        epoch: u32,
        options: PersisterOptions,
        on_fatal: impl FnOnce(&PersistError) + Send + 'static,
    ) -> Result<Self, PersistError> {
        let thread_error = |e: io::Error| PersistError::Thread(e.to_string());
        let runtime = Builder::new_current_thread().enable_all().build().map_err(thread_error)?;
        let zero = || AtomicU64::new(0);
        let metrics = PersisterMetrics {
            persisted: zero(),
            batches: zero(),
            records: zero(),
            rows: zero(),
            errors: zero(),
            batch_micros: Histogram::new(&BATCH_BOUNDS_MICROS),
            oldest_pending: zero(),
        };
        let switches = Mutex::new(Switches::default());
        let failed = AtomicBool::new(false);
        let shared = Arc::new(Shared { control, metrics, failed, switches, changed: Condvar::new() });
        let mut worker =
            Worker { store, cell, epoch, options, runtime, shared: shared.clone(), projector: Projector::default() };
        let thread = thread::Builder::new()
            .name("persister".to_owned())
            .spawn(move || {
                let run = catch_unwind(AssertUnwindSafe(|| worker.run()));
                if let Err(error) = run.unwrap_or_else(|_| Err(PersistError::Thread("it panicked".to_owned()))) {
                    tracing::error!(%error, "the persister stopped");
                    worker.shared.failed.store(true, Ordering::Release);
                    worker.shared.tell();
                    on_fatal(&error);
                }
            })
            .map_err(thread_error)?;
        Ok(Self { handle: PersisterHandle { shared }, thread: Some(thread) })
    }

    /// A handle for metrics, waiting and the switches.
    #[must_use]
    pub fn handle(&self) -> PersisterHandle {
        self.handle.clone()
    }

    /// Writes what is durable, for at most `flush`, and stops. What is left is written after the next start.
    pub fn shutdown(mut self, flush: Duration) {
        self.stop(flush);
    }

    fn stop(&mut self, flush: Duration) {
        self.handle.shared.switches().stop_by = Some(Instant::now() + flush);
        self.handle.shared.tell();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the persister panicked");
        }
    }
}

impl Drop for Persister {
    fn drop(&mut self) {
        self.stop(Duration::ZERO);
    }
}

impl Shared {
    fn switches(&self) -> MutexGuard<'_, Switches> {
        self.switches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        drop(self.switches());
        self.changed.notify_all();
    }

    fn time_is_up(&self) -> bool {
        self.switches().stop_by.is_some_and(|by| by <= Instant::now())
    }

    /// Sleeps unless the persister is told to stop.
    fn sleep(&self, duration: Duration) {
        let deadline = Instant::now() + duration;
        let mut switches = self.switches();
        while switches.stop_by.is_none() {
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|d| !d.is_zero()) else { break };
            switches = self.changed.wait_timeout(switches, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits while paused; false when told to stop meanwhile.
    fn wait_while_paused(&self) -> bool {
        let mut switches = self.switches();
        while switches.paused && switches.stop_by.is_none() {
            switches = self.changed.wait(switches).unwrap_or_else(PoisonError::into_inner);
        }
        !switches.paused
    }

    /// True when told to stop and nothing is left to be written.
    fn may_stop(&self, next: Lsn) -> bool {
        self.switches().stop_by.is_some() && next > self.control.durable()
    }
}

struct Worker {
    store: Arc<dyn Projection>,
    cell: u32,
    epoch: u32,
    options: PersisterOptions,
    runtime: Runtime,
    shared: Arc<Shared>,
    projector: Projector,
}

/// What an attempt to write a batch came to.
enum Attempt {
    Written,
    Failed(StoreError),
}

impl Worker {
    fn run(&mut self) -> Result<(), PersistError> {
        let Some(from) = self.begin()? else { return Ok(()) };
        let mut follower = self.shared.control.follower(from.next())?;
        let mut from = from;
        loop {
            let records = self.gather(&mut follower)?;
            let Some((_, first)) = records.first() else {
                if self.shared.may_stop(follower.next_lsn()) || self.shared.time_is_up() {
                    return Ok(());
                }
                continue;
            };
            self.shared.metrics.oldest_pending.store(first.time, Ordering::Relaxed);
            if !self.shared.wait_while_paused() || !self.write(from, &records)? {
                return Ok(());
            }
            from = Lsn(follower.next_lsn().0 - 1);
            // Whoever keeps feeding the journal does not keep a stop from ending; the next start goes on from here.
            if self.shared.time_is_up() {
                return Ok(());
            }
        }
    }

    /// Where the rows end; `None` when told to stop before the store could say.
    fn begin(&mut self) -> Result<Option<Lsn>, PersistError> {
        let Some(checkpoint) = self.checkpoint() else { return Ok(None) };
        let Some(checkpoint) = checkpoint else { return Ok(Some(Lsn::ZERO)) };
        let durable = self.shared.control.durable();
        if checkpoint.lsn > durable {
            let what = format!("its rows go up to {}, the journal to {durable}", checkpoint.lsn);
            return Err(PersistError::Mismatch(what));
        }
        if checkpoint.epoch > self.epoch {
            let what = format!("its rows are of epoch {}, the journal is in {}", checkpoint.epoch, self.epoch);
            return Err(PersistError::Mismatch(what));
        }
        self.shared.metrics.persisted.store(checkpoint.lsn.0, Ordering::Release);
        self.shared.tell();
        Ok(Some(checkpoint.lsn))
    }

    /// Asks until there is an answer or the time is up.
    fn checkpoint(&mut self) -> Option<Option<Checkpoint>> {
        let mut pause = self.options.retry_first;
        loop {
            match self.runtime.block_on(self.store.checkpoint(self.cell)) {
                Ok(checkpoint) => return Some(checkpoint),
                Err(error) => pause = self.back_off(pause, &error),
            }
            if self.shared.switches().stop_by.is_some() {
                return None;
            }
        }
    }

    /// Records for one transaction; none when nothing came for a while.
    fn gather(&self, follower: &mut Follower) -> Result<Vec<(Lsn, Record)>, PersistError> {
        let mut records = Vec::new();
        let mut wait = NAP;
        let mut deadline = None;
        while let Some(batch) = follower.next_batch(wait)? {
            for (lsn, bytes) in batch.records() {
                let record = Record::decode(bytes).map_err(|error| PersistError::Record { lsn, error })?;
                records.push((lsn, record));
            }
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + self.options.batch_wait);
            wait = deadline.saturating_duration_since(Instant::now());
            let stopping = self.shared.switches().stop_by.is_some();
            if records.len() >= self.options.batch_records as usize || wait.is_zero() || stopping {
                break;
            }
        }
        Ok(records)
    }

    /// Writes a batch, however long it takes; false when told to stop first.
    fn write(&mut self, from: Lsn, records: &[(Lsn, Record)]) -> Result<bool, PersistError> {
        let mut pause = self.options.retry_first;
        loop {
            let begun = Instant::now();
            let mut changes = Changes::none(self.cell, self.epoch, from);
            let error = match self.attempt(records, &mut changes)? {
                Attempt::Written => None,
                Attempt::Failed(error) => self.unless_written(error, &changes)?,
            };
            let Some(error) = error else {
                let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
                self.note(&changes, records.len(), micros);
                return Ok(true);
            };
            self.projector.forget();
            if self.shared.switches().stop_by.is_some() && self.shared.time_is_up() {
                return Ok(false);
            }
            pause = self.back_off(pause, &error);
        }
    }

    fn attempt(&mut self, records: &[(Lsn, Record)], changes: &mut Changes) -> Result<Attempt, PersistError> {
        let needs = self.projector.needs(records);
        let store = &self.store;
        let loaded = self
            .runtime
            .block_on(async { Ok((store.balances(&needs.balances).await?, store.orders_by_id(&needs.orders).await?)) });
        let (balances, orders) = match loaded {
            Ok(loaded) => loaded,
            Err(error) => return Ok(Attempt::Failed(error)),
        };
        self.projector.learn(&needs, balances, orders);
        for (lsn, record) in records {
            self.projector.fold(*lsn, record, changes)?;
        }
        match self.runtime.block_on(self.store.apply(changes)) {
            Ok(()) => Ok(Attempt::Written),
            Err(error) => Ok(Attempt::Failed(error)),
        }
    }

    /// A failed commit may have been done all the same: the checkpoint tells. Gives the error back when it was not.
    fn unless_written(&mut self, error: StoreError, changes: &Changes) -> Result<Option<StoreError>, PersistError> {
        let Ok(checkpoint) = self.runtime.block_on(self.store.checkpoint(self.cell)) else { return Ok(Some(error)) };
        let at = checkpoint.map_or(Lsn::ZERO, |c| c.lsn);
        if at == changes.from {
            return Ok(Some(error));
        }
        if at == changes.to.lsn && checkpoint == Some(changes.to) {
            return Ok(None);
        }
        Err(PersistError::Mismatch(format!("its rows go up to {at}, expected {}: {error}", changes.from)))
    }

    fn note(&mut self, changes: &Changes, records: usize, micros: u64) {
        self.projector.written(&changes.orders);
        let metrics = &self.shared.metrics;
        metrics.batches.fetch_add(1, Ordering::Relaxed);
        metrics.records.fetch_add(records as u64, Ordering::Relaxed);
        metrics.rows.fetch_add(changes.rows() as u64, Ordering::Relaxed);
        metrics.batch_micros.record(micros);
        let behind = self.shared.control.durable() > changes.to.lsn;
        metrics.oldest_pending.store(if behind { changes.to.time } else { 0 }, Ordering::Relaxed);
        metrics.persisted.store(changes.to.lsn.0, Ordering::Release);
        self.shared.tell();
    }

    fn back_off(&self, pause: Duration, error: &StoreError) -> Duration {
        self.shared.metrics.errors.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(%error, retry_in = ?pause, "the store did not take a batch; the exchange goes on without it");
        self.shared.sleep(pause);
        (pause * 2).min(self.options.retry_most)
    }
}
