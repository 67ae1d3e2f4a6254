//! The persister: an actor that follows the durable journal and keeps the store's rows up to it.
//!
//! Owns: its thread with the actor on it, the handle that everybody else has, settings and counters.
//! Never does: make the exchange wait; write rows without the checkpoint that they stand for.
//! Invariants: the journal is its only queue: it holds one batch, however long the store is away.
//! Known limits: a record that cannot be read or that does not fit the rows stops it (the hook is called, the lag grows).

mod actor;
mod pace;
mod projecting;

use std::{
    fmt, io,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use actix::{Addr, System};
use xng_core::{codec::DecodeError, entity::TimeNs, histogram::Histogram, journal::Lsn};

use self::actor::{Pause, PersisterActor, Stop};
use super::{Projection, StoreError, rows::Missing};
use crate::journal::{JournalControl, JournalError};
use crate::ring::Ring;

pub use self::projecting::{Projecting, Trouble, Written};

/// Upper bounds (inclusive) of the buckets of [`PersisterMetrics::batch_micros`], in microseconds.
pub const BATCH_BOUNDS_MICROS: [u64; 10] =
    [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000];

/// Upper bounds (inclusive) of the buckets of [`PersisterMetrics::batch_rows`].
pub const BATCH_BOUNDS_ROWS: [u64; 8] = [1, 10, 100, 1_000, 5_000, 10_000, 50_000, 100_000];

/// Settings of a persister.
#[derive(Clone, Copy, Debug)]
pub struct PersisterOptions {
    /// Records in one transaction at most; fewer after one that took too long. Default 5,000.
    pub batch_records: u32,
    /// How long a batch waits for more records. Default 200 ms.
    pub batch_wait: Duration,
    /// How long it may go on resting between batches, in a burst of orders, without having caught up; then it does not rest
    /// until it has. Zero: it never rests. Default 60 s.
    pub burst: Duration,
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
            burst: Duration::from_secs(60),
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
    /// The store will never take anything: its schema is not one that this build can bring up to date.
    #[error("the store cannot be used: {0}")]
    Store(StoreError),
    /// The thread could not be started, or panicked.
    #[error("the persister's thread: {0}")]
    Thread(String),
}

impl From<Missing> for PersistError {
    fn from(missing: Missing) -> Self {
        Self::Mismatch(missing.to_string())
    }
}

/// Batches that are remembered.
const WRITTEN: usize = 8_192;

/// A batch that is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenBatch {
    /// Its last record.
    pub to: Lsn,
    /// Rows that it became.
    pub rows: usize,
    /// When the store had taken it.
    pub at: Instant,
    /// How long loading, folding and writing took.
    pub took: Duration,
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
    /// Attempts that failed and were, or will be, made again.
    pub errors: AtomicU64,
    /// Those of them after which it began anew from the store's checkpoint.
    pub reopened: AtomicU64,
    /// Time of loading, folding and writing a batch, of the attempt that succeeded.
    pub batch_micros: Histogram,
    /// Rows in one transaction.
    pub batch_rows: Histogram,
    /// The latest batches.
    pub written: Ring<WrittenBatch>,
    /// Stamp of the oldest record that was read and is not yet in the store; 0 when there is none.
    pub oldest_pending: AtomicU64,
    /// Time for which it meant to leave the processor to bursts of orders; a stop cuts a rest short.
    pub rest_micros: AtomicU64,
    /// Since when no attempt has succeeded: milliseconds after the start; 0 when the last one did.
    failing_since: AtomicU64,
}

/// Everybody's view of a running persister. Clones are handles to the same one.
#[derive(Clone)]
pub struct PersisterHandle {
    shared: Arc<PersisterState>,
    address: Addr<PersisterActor>,
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

struct PersisterState {
    control: JournalControl,
    metrics: PersisterMetrics,
    failed: AtomicBool,
    /// The store has said where it is, and that is this journal's.
    confirmed: AtomicBool,
    begun: Instant,
    /// Held while `changed` is told and waited for.
    watched: Mutex<()>,
    /// Told when a batch was written and when it stopped for good.
    changed: Condvar,
}

impl PersisterHandle {
    /// The last record whose rows are in the store. It is one of those below which segments may be released.
    #[must_use]
    pub fn persisted(&self) -> Lsn {
        Lsn(self.shared.metrics.persisted.load(Ordering::Acquire))
    }

    /// The last record that is durable: the store is to come there.
    #[must_use]
    pub fn durable(&self) -> Lsn {
        self.shared.control.durable()
    }

    /// Durable records whose rows are not yet in the store.
    #[must_use]
    pub fn lag_records(&self) -> u64 {
        self.durable().0.saturating_sub(self.persisted().0)
    }

    /// Age of the oldest record that waits, at `now` (the cell's clock); zero when none does. Until the store has said
    /// where it is, the time for which it has not.
    #[must_use]
    pub fn lag(&self, now: TimeNs) -> Duration {
        match self.shared.metrics.oldest_pending.load(Ordering::Relaxed) {
            0 if self.lag_records() > 0 => self.failing_for().unwrap_or_default(),
            0 => Duration::ZERO,
            oldest => Duration::from_nanos(now.saturating_sub(oldest)),
        }
    }

    /// How long every attempt has failed; nothing when the last one did not.
    #[must_use]
    pub fn failing_for(&self) -> Option<Duration> {
        match self.shared.metrics.failing_since.load(Ordering::Relaxed) {
            0 => None,
            since => Some(self.shared.begun.elapsed().saturating_sub(Duration::from_millis(since))),
        }
    }

    /// Waits until the rows of `lsn` are in the store; false when the time was up first or the persister stopped.
    #[must_use]
    pub fn wait_for(&self, lsn: Lsn, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut watched = self.shared.watched();
        while self.persisted() < lsn && !self.has_failed() {
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|d| !d.is_zero()) else { break };
            watched = self.shared.changed.wait_timeout(watched, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.persisted() >= lsn
    }

    /// Holds back further transactions, as a database that is away would.
    pub fn pause(&self) {
        self.address.do_send(Pause(true));
    }

    /// Ends a pause.
    pub fn resume(&self) {
        self.address.do_send(Pause(false));
    }

    /// True once the store has said where it is and its rows turned out to be this journal's: before, nobody else writes
    /// to it either.
    #[must_use]
    pub fn has_confirmed(&self) -> bool {
        self.shared.confirmed.load(Ordering::Acquire)
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
    /// When the thread cannot be started.
    pub fn start(
        store: Arc<dyn Projection>,
        control: JournalControl,
        cell: u32,
        epoch: u32,
        options: PersisterOptions,
        on_fatal: impl FnOnce(&PersistError) + Send + 'static,
    ) -> Result<Self, PersistError> {
        let (failed, confirmed, watched) = (AtomicBool::new(false), AtomicBool::new(false), Mutex::new(()));
        let shared = Arc::new(PersisterState {
            control,
            metrics: PersisterMetrics::new(),
            failed,
            confirmed,
            begun: Instant::now(),
            watched,
            changed: Condvar::new(),
        });
        let projecting = Projecting::new(store, cell, epoch);
        let (sender, receiver) = crossbeam::channel::bounded(1);
        let (theirs, on_fatal) = (shared.clone(), Box::new(on_fatal));
        let run = move || {
            let system = System::new();
            let start = async move { PersisterActor::start_new(projecting, theirs, options, on_fatal) };
            // The receiver waits right below.
            drop(sender.send(system.block_on(start)));
            if let Err(error) = system.run() {
                tracing::error!(%error, "the persister's arbiter ended");
            }
        };
        let thread_error = |e: io::Error| PersistError::Thread(e.to_string());
        let thread = thread::Builder::new().name("persister".to_owned()).spawn(run).map_err(thread_error)?;
        let address = receiver.recv().map_err(|_| PersistError::Thread("it ended at its start".to_owned()))?;
        Ok(Self { handle: PersisterHandle { shared, address }, thread: Some(thread) })
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
        self.handle.address.do_send(Stop(flush));
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

impl PersisterMetrics {
    fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            persisted: zero(),
            batches: zero(),
            records: zero(),
            rows: zero(),
            errors: zero(),
            reopened: zero(),
            batch_micros: Histogram::new(&BATCH_BOUNDS_MICROS),
            batch_rows: Histogram::new(&BATCH_BOUNDS_ROWS),
            written: Ring::new(WRITTEN),
            oldest_pending: zero(),
            rest_micros: zero(),
            failing_since: zero(),
        }
    }
}

impl PersisterState {
    /// The store answered, or did not.
    fn note_attempt(&self, succeeded: bool) {
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
        let since = &self.metrics.failing_since;
        if succeeded {
            since.store(0, Ordering::Relaxed);
        } else if since.load(Ordering::Relaxed) == 0 {
            since.store(now, Ordering::Relaxed);
        }
    }

    fn watched(&self) -> MutexGuard<'_, ()> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        drop(self.watched());
        self.changed.notify_all();
    }
}
