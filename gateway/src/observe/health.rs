//! Health of the process: progress of its vital parts, and counts of refused, dropped and failed work.
//!
//! Owns: stamps and counters; the watch that asks the cell for a sign of life. Never does: act on any of it.
//! Invariants: a stamp only moves on with progress; time is monotonic, so that setting the clock raises no alarm.
//! Known limits: counters begin anew with the process.

use crate::common::critical_task;
use crate::observe::metrics::ledger::LedgerWatch;
use crate::observe::order_trace::Trail;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use xng_core::journal::Lsn;
use xng_persistence::journal::JournalControl;
use xng_runtime::CellHandle;

/// A part that made no progress for this long is stuck (`docs/rules/reliability.md "Health"`).
pub const STUCK_AFTER: Duration = Duration::from_secs(5);
/// The watch looks this often.
const LOOK: Duration = Duration::from_millis(500);

/// When a part last made progress.
#[derive(Debug)]
pub struct Progress {
    since: Instant,
    /// Milliseconds after `since`; negative before the first time.
    at: AtomicI64,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress { since: Instant::now(), at: AtomicI64::new(-1) }
    }
}

impl Progress {
    /// It made progress.
    pub fn made(&self) {
        let ms = i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX);
        self.at.store(ms, Ordering::Relaxed);
    }

    /// How long ago; `None` before the first time.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        let at = u64::try_from(self.at.load(Ordering::Relaxed)).ok()?;
        Some(self.since.elapsed().saturating_sub(Duration::from_millis(at)))
    }

    /// It has begun, and no progress was seen for [`STUCK_AFTER`].
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.age().is_some_and(|age| age > STUCK_AFTER)
    }
}

/// Counts events of one kind.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Counts `n` more.
    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// So far.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a start does, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Settings, the data folder's lock, databases.
    Opening,
    /// The newest snapshot is read.
    Snapshot,
    /// Every block of the live segments is checked.
    Journal,
    /// Records after the snapshot are folded.
    Folding,
    /// The clock lies a little before the last record.
    Waiting,
    /// Timers that were missed run, before any command.
    CatchingUp,
    /// Views, persister, house.
    Parts,
    /// It is ready.
    Ready,
}

impl Phase {
    /// Its name, for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening files",
            Phase::Snapshot => "loading the snapshot",
            Phase::Journal => "checking the journal",
            Phase::Folding => "folding records",
            Phase::Waiting => "waiting for the clock",
            Phase::CatchingUp => "running missed timers",
            Phase::Parts => "starting parts",
            Phase::Ready => "ready",
        }
    }
}

/// How far the start is: what `/startupz` shows.
#[derive(Debug)]
pub struct Startup(Mutex<Steps>);

/// What a start found wrong with the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockWarning {
    /// It was more than a day ahead of the journal's last record.
    Jumped,
    /// It lay before that record, and the exchange's time went on from there.
    OnLastStamp,
    /// It lay a little before that record, and the start waited for it.
    Waited,
}

impl ClockWarning {
    /// For people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            ClockWarning::Jumped => "the clock jumped more than a day ahead at the start",
            ClockWarning::OnLastStamp => "the exchange's time went on from the last record, ahead of the clock",
            ClockWarning::Waited => "the clock lay before the last record at the start, which waited for it",
        }
    }
}

#[derive(Debug)]
struct Steps {
    began: Instant,
    phase: Phase,
    /// Where folding began, where it is and where it ends.
    folded: (Lsn, Lsn, Lsn),
    folding: Option<Instant>,
    /// How long folding took, once it ended.
    took: Option<Duration>,
    ended: Option<Duration>,
    clock: Option<ClockWarning>,
    behind: Duration,
}

/// A look at a start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// What it does.
    pub phase: Phase,
    /// The last record that was folded, and the last one there is.
    pub lsn: (Lsn, Lsn),
    /// Facts folded a second, once there are any.
    pub facts_per_second: u64,
    /// Facts folded.
    pub folded: u64,
    /// Since the process began; the whole start once it is ready.
    pub elapsed: Duration,
}

impl Default for Startup {
    fn default() -> Startup {
        let folded = (Lsn::ZERO, Lsn::ZERO, Lsn::ZERO);
        let began = Instant::now();
        let (phase, folding, took, ended, clock) = (Phase::Opening, None, None, None, None);
        Startup(Mutex::new(Steps { began, phase, folded, folding, took, ended, clock, behind: Duration::ZERO }))
    }
}

impl Startup {
    fn steps(&self) -> MutexGuard<'_, Steps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next phase begins.
    pub fn enter(&self, phase: Phase) {
        let mut steps = self.steps();
        steps.phase = phase;
        if phase > Phase::Folding && steps.took.is_none() {
            steps.took = steps.folding.map(|since| since.elapsed());
        }
        if phase == Phase::Ready {
            steps.ended = Some(steps.began.elapsed());
        }
    }

    /// Records after `from` up to `to` are going to be folded.
    pub fn begin_folding(&self, from: Lsn, to: Lsn) {
        self.enter(Phase::Folding);
        let mut steps = self.steps();
        (steps.folded, steps.folding) = ((from, from, to), Some(Instant::now()));
    }

    /// Something is wrong with the clock.
    pub fn warn(&self, warning: ClockWarning) {
        self.steps().clock = Some(warning);
    }

    /// The clock lies so far before the journal's last record.
    pub fn clock_behind(&self, behind: Duration) {
        self.steps().behind = behind;
    }

    /// How far the clock lay before the journal's last record.
    #[must_use]
    pub fn behind(&self) -> Duration {
        self.steps().behind
    }

    /// What was wrong with the clock.
    #[must_use]
    pub fn clock(&self) -> Option<ClockWarning> {
        self.steps().clock
    }

    /// Records up to `lsn` are folded.
    pub fn reached(&self, lsn: Lsn) {
        self.steps().folded.1 = lsn;
    }

    /// Since the process began.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.steps().began.elapsed()
    }

    /// How far it is.
    #[must_use]
    pub fn look(&self) -> Seen {
        let steps = self.steps();
        let (from, at, to) = steps.folded;
        let took = steps.took.or_else(|| steps.folding.map(|since| since.elapsed())).unwrap_or_default();
        let folded = at.0 - from.0;
        let facts = u128::from(folded) * 1_000_000;
        let facts_per_second = u64::try_from(facts / took.as_micros().max(1)).unwrap_or(u64::MAX);
        let elapsed = steps.ended.unwrap_or_else(|| steps.began.elapsed());
        Seen { phase: steps.phase, lsn: (at, to), facts_per_second, folded, elapsed }
    }
}

/// The process's health, shared by all threads.
#[derive(Debug, Default)]
pub struct Health {
    /// The cell's thread answered.
    pub cell: Progress,
    /// The journal's writer has nothing to write, or wrote.
    pub journal: Progress,
    /// The market view went round.
    pub view: Progress,
    /// The house went round.
    pub house: Progress,
    /// A snapshot was written, or the start found one.
    pub snapshot: Progress,
    /// Position of the newest snapshot.
    pub snapshot_lsn: AtomicU64,
    /// How long the last one took, in microseconds.
    pub snapshot_micros: AtomicU64,
    /// What all accounts together hold.
    pub ledger: LedgerWatch,
    /// What calls and the view did, order by order.
    pub trail: Trail,
    /// Snapshots that failed.
    pub snapshot_failures: Count,
    /// The last attempt at a snapshot, or at reading the journal for it, failed.
    pub snapshot_failing: AtomicBool,
    /// Quotes that the exchange refused.
    pub house_refused: Count,
    /// Ladders that were cut to what the house can afford.
    pub house_cut: Count,
    /// Feed events that were dropped because the house did not keep up.
    pub feed_dropped: Count,
    /// Trades of the reference tape that were dropped because ids or the view did not keep up.
    pub tape_dropped: Count,
    /// Batches of candles that waited for a writer that did not keep up.
    pub candles_late: Count,
    /// Sessions that were cut because a queue on their way was full.
    pub sessions_cut: Count,
    /// Other users of the machine may look into the data folder.
    pub data_open: AtomicBool,
    /// Everything is listed and the ports are open.
    pub serving: AtomicBool,
    /// How far the start is.
    pub startup: Startup,
    /// Asked to stop.
    pub draining: AtomicBool,
    /// Asked a second time: what only makes the next start quicker is left out.
    pub hurried: AtomicBool,
}

impl Health {
    /// Tells whether the process was asked to stop, for parts that know nothing else of it.
    pub fn drains(self: &Arc<Health>) -> impl Fn() -> bool + use<> {
        let health = self.clone();
        move || health.draining.load(Ordering::Relaxed)
    }

    /// The parts without which the process is better restarted, and that are stuck.
    #[must_use]
    pub fn stuck(&self) -> Vec<&'static str> {
        let parts = [("cell", &self.cell), ("journal", &self.journal)];
        parts.into_iter().filter(|(_, p)| p.is_stuck()).map(|(name, _)| name).collect()
    }

    /// A snapshot stands at `lsn`.
    pub fn snapshot_at(&self, lsn: Lsn) {
        self.snapshot_lsn.store(lsn.0, Ordering::Relaxed);
        self.snapshot.made();
    }
}

/// Whether the journal's writer is at work: everything that the cell decided is durable, or some more is than before.
fn writes(lsn: Lsn, durable: Lsn, before: Lsn) -> bool {
    durable >= lsn || durable > before
}

/// Starts the thread that asks cell and journal for signs of life.
pub fn watch(health: Arc<Health>, cell: CellHandle, journal: JournalControl) -> std::io::Result<()> {
    health.cell.made();
    health.journal.made();
    let run = move || {
        let mut before = journal.durable();
        loop {
            // One question at a time: while the cell hangs this waits for it, and the stamp grows old.
            let Ok(lsn) = cell.with_world(|world| world.lsn()).recv() else { return };
            health.cell.made();
            let durable = journal.durable();
            if writes(lsn, durable, before) {
                health.journal.made();
            }
            before = durable;
            std::thread::sleep(LOOK);
        }
    };
    critical_task::spawn("watch", run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_stuck_only_after_it_began_and_stopped() {
        let mut part = Progress::default();
        assert!(!part.is_stuck() && part.age().is_none());
        part.made();
        assert!(!part.is_stuck());
        part.since = Instant::now().checked_sub(STUCK_AFTER * 3).unwrap();
        assert!(part.is_stuck());
    }

    #[test]
    fn a_start_says_what_it_does_and_how_fast() {
        let startup = Startup::default();
        assert_eq!(startup.look().phase, Phase::Opening);
        startup.begin_folding(Lsn(100), Lsn(900));
        startup.reached(Lsn(500));
        let seen = startup.look();
        assert_eq!((seen.phase, seen.lsn), (Phase::Folding, (Lsn(500), Lsn(900))));
        assert!(seen.facts_per_second > 0);
        startup.reached(Lsn(900));
        startup.enter(Phase::CatchingUp);
        assert_eq!((startup.look().phase.name(), startup.look().lsn.0), ("running missed timers", Lsn(900)));
        startup.enter(Phase::Parts);
        startup.enter(Phase::Ready);
        let (ready, later) = (startup.look(), startup.look());
        assert_eq!(ready, later, "what is over does not go on");
    }

    #[test]
    fn a_journal_that_owes_records_and_writes_none_makes_no_progress() {
        assert!(writes(Lsn(7), Lsn(7), Lsn(7)), "idle");
        assert!(writes(Lsn(9), Lsn(8), Lsn(7)), "behind and writing");
        assert!(!writes(Lsn(9), Lsn(7), Lsn(7)));
    }
}
