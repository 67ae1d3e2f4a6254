//! From the data folder to a cell that runs: lock, snapshot, journal, the records after the snapshot.
//!
//! Owns: the order in which they are read, and what is said when they do not fit each other.
//! Never does: open anything of a folder that another process has, or that is being restored.
//! Invariants: nothing is written before all of it is read; the world is folded by the code that will decide with it.
//! Known limits: one cell.

use crate::common::time;
use crate::config::{self, Config};
use crate::observe::health::{ClockWarning, Health, Phase, Startup};
use crate::startup::cell::CELL;
use crate::startup::folding::{FoldingError, fold_to};
use crate::startup::start_error::StartError;
use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_cell::recovery::{Saved, Unusable};
use xng_cell::{Cell, FoldError, World};
use xng_core::codec::DecodeError;
use xng_core::entity::{Command, TimeNs};
use xng_core::ids::EntityId;
use xng_core::journal::Lsn;
use xng_persistence::journal::{
    self, Held, Hooks, JournalControl, JournalError, JournalWriter, Options, RealStorage, Recovered, Started,
    Subscription,
};
use xng_persistence::snapshot::SnapshotStore;
use xng_persistence::store::{Checkpoint, StoreUrl};
use xng_runtime::clock::{Behind, ClockOffset, SlewedClock, TOLERANCE_NS, wall_ns};
use xng_runtime::crash::CrashFile;
use xng_runtime::shell::Actors;
use xng_runtime::{CellHandle, thread};

/// Inside a data folder that `exchange restore` is making, or left half made.
pub(crate) const RESTORING: &str = ".restoring";

/// The newest snapshot that loads; without any, the world before the first record.
pub fn load_snapshot<H: xng_cell::Hosting>(snapshots: &SnapshotStore) -> Result<World<H>, StartError> {
    snapshots.refuse_newer()?;
    for snapshot in snapshots.valid()? {
        let (lsn, digest, entries) = (snapshot.lsn(), snapshot.digest(), snapshot.entries());
        match World::restore(Saved { lsn, digest, entries }) {
            Ok(world) => return Ok(world),
            Err(Unusable::Load(error @ FoldError::Entry { error: DecodeError::Unknown { .. }, .. })) => {
                return Err(StartError::NewerSnapshot { folder: snapshot.folder().to_owned(), error });
            }
            // The journal still reaches back to the one before, if only through its archive.
            Err(error) => tracing::error!(%lsn, %error, "a snapshot does not load; passed over"),
        }
    }
    Ok(World::default())
}

impl From<FoldingError> for StartError {
    fn from(error: FoldingError) -> StartError {
        match error {
            FoldingError::Journal(error) => StartError::Journal(error),
            FoldingError::Thread(error) => StartError::Io(error),
            FoldingError::Fold { file, error } => StartError::Fold { file, error },
        }
    }
}

/// Folds everything after the world's position up to the journal's end.
fn fold_tail<H: xng_cell::Hosting>(
    world: &mut World<H>,
    recovered: &Recovered,
    startup: &Startup,
) -> Result<(), StartError> {
    let last = recovered.summary().last;
    startup.begin_folding(world.lsn(), last);
    let reader = recovered.reader(world.lsn().next())?;
    Ok(fold_to(world, reader, last, |lsn| startup.reached(lsn))?)
}

fn journal_options(config: &Config) -> Options {
    let mut options = Options::new(CELL);
    options.segment_bytes = config.journal.segment_mib << 20;
    options.spare_segments = config.journal.spares;
    options.max_bytes = config.journal.max_mib << 20;
    options.min_free_bytes = config.journal.min_free_mib << 20;
    options
}

fn nobody_restores(folder: &Path) -> Result<(), StartError> {
    let restoring = folder.join(RESTORING);
    if restoring.exists() { Err(StartError::Restoring(restoring)) } else { Ok(()) }
}

/// A data folder that is this process's.
#[derive(Debug)]
pub(crate) struct Data {
    folder: PathBuf,
    journal: Held,
}

impl Data {
    /// Makes the folder, for this user alone, when there is none, and locks its journal.
    pub(crate) fn hold(folder: &Path) -> Result<Data, StartError> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        nobody_restores(folder)?;
        let journal = journal::hold(Arc::new(RealStorage::open(folder.join("journal"))?))?;
        // A restore that began meanwhile finds the journal's folder, or is found here.
        nobody_restores(folder)?;
        Ok(Data { folder: folder.to_owned(), journal })
    }

    /// Whether other users of the machine may look into it.
    pub(crate) fn is_open_to_others(&self) -> std::io::Result<bool> {
        Ok(std::fs::metadata(&self.folder)?.permissions().mode() & 0o077 != 0)
    }

    /// Its snapshots.
    pub(crate) fn snapshots(&self) -> Result<SnapshotStore, StartError> {
        Ok(SnapshotStore::new(Arc::new(RealStorage::open(&self.folder)?), CELL))
    }
}

/// A cell that runs, and its journal.
pub(crate) struct RunningCell {
    pub(crate) control: JournalControl,
    pub(crate) writer: JournalWriter,
    pub(crate) epoch: u32,
    pub(crate) handle: CellHandle,
    pub(crate) subscription: Subscription,
    pub(crate) clock: ClockOffset,
    pub(crate) halted: Vec<EntityId>,
    pub(crate) crashes: [u64; Command::KIND_NUMBERS],
}

/// A start that finds the wall clock so far ahead of the journal's last stamp says so: if the clock is wrong, what is stamped
/// from now on closes the exchange until that time comes.
const JUMP_NS: u64 = 86_400_000_000_000;

/// So often a clock is looked at that lies before the last record.
const LOOK: Duration = Duration::from_millis(100);

/// Waits for a clock that lies a little before the last record: nothing is stamped, opened, quoted or due meanwhile, while time
/// that stood would take old prices for fresh ones. A clock that lies far before is not waited for.
fn wait_for_clock(settings: &config::Clock, last: TimeNs, startup: &Startup) {
    let behind = || Duration::from_nanos(last.saturating_sub(wall_ns()));
    let at_first = behind();
    startup.clock_behind(at_first);
    let is_waited_for = |behind: Duration| behind > Duration::ZERO && behind <= Duration::from_secs(settings.wait_s);
    if settings.start != config::ClockStart::Wall
        || at_first <= Duration::from_nanos(TOLERANCE_NS)
        || !is_waited_for(at_first)
    {
        return;
    }
    startup.warn(ClockWarning::Waited);
    startup.enter(Phase::Waiting);
    tracing::warn!(
        clock = time::ts(time::ms(wall_ns())),
        last_record = time::ts(time::ms(last)),
        seconds = at_first.as_secs_f64(),
        "the clock lies before the journal's last record: the start waits for it"
    );
    loop {
        let behind = behind();
        // It may be set while it is waited for.
        if !is_waited_for(behind) {
            return;
        }
        std::thread::sleep(behind.min(LOOK));
    }
}

/// The cell's clock.
fn start_clock(settings: &config::Clock, last: TimeNs, startup: &Startup) -> Result<SlewedClock, StartError> {
    let (wall, days) = (wall_ns(), |ns: u64| ns as f64 / JUMP_NS as f64);
    if last > 0 && wall > last + JUMP_NS {
        let days = days(wall - last);
        startup.warn(ClockWarning::Jumped);
        tracing::error!(
            days,
            "the clock is far ahead of the journal's last record: if it is wrong, stop now, before anything is stamped by it"
        );
        if settings.wants_consent && !settings.accepts_jump {
            return Err(StartError::ClockJumped { days });
        }
    }
    wait_for_clock(settings, last, startup);
    let goes_on = settings.start == config::ClockStart::LastStamp;
    let clock = SlewedClock::start(last, if goes_on { Behind::GoOn } else { Behind::Refuse })
        .map_err(|behind| StartError::Clock { behind, wait_s: settings.wait_s })?;
    match (goes_on, clock.began_ahead()) {
        (true, true) => {
            startup.warn(ClockWarning::OnLastStamp);
            tracing::warn!(
                days = days(last - wall),
                "the exchange's time goes on from the last record, ahead of the clock"
            );
        }
        (true, false) => {
            tracing::warn!("clock.start = \"last_stamp\" is not needed any more: take it out of the settings")
        }
        (false, _) => {}
    }
    Ok(clock)
}

/// Recovers and starts the cell on its own thread. The store's rows go as far as `stored`.
pub(crate) fn start_cell(
    config: &Config,
    data: Data,
    stored: Option<Checkpoint>,
    health: &Arc<Health>,
) -> Result<RunningCell, StartError> {
    let health = health.clone();
    let snapshots = data.snapshots()?;
    let crash = CrashFile::new(data.folder.join("crashes.tsv"));
    let handle = CellHandle::new();
    let (tx, rx) = crossbeam::channel::bounded(1);
    let (options, waker, refused) = (journal_options(config), handle.clone(), crash.read(wall_ns() / 1_000_000_000)?);
    let (halted, store, crashes) = (refused.entities.clone(), config.store_url(), crash.crashes()?);
    let clock_settings = config.clock.clone();
    thread::start(&handle, crash, move || -> Result<_, StartError> {
        health.startup.enter(Phase::Snapshot);
        let mut world: World<Actors> = load_snapshot(&snapshots)?;
        health.startup.enter(Phase::Journal);
        let floor = stored.map_or(Lsn::ZERO, |checkpoint| checkpoint.lsn);
        let found = data.journal.recover(options, floor.max(world.lsn()));
        let recovered = found.map_err(|error| too_short(error, world.lsn(), &store))?;
        let (from, began) = (world.lsn(), Instant::now());
        fold_tail(&mut world, &recovered, &health.startup)?;
        let fold_micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let clock = start_clock(&clock_settings, world.time(), &health.startup)?;
        health.startup.enter(Phase::CatchingUp);
        if clock.began_ahead() {
            time::go_on_from(world.time());
        }
        let epoch = recovered.summary().epoch;
        let (lsn, folded) = (world.lsn().0, world.lsn().0 - from.0);
        tracing::info!(lsn, folded, fold_micros, entities = world.entities(), epoch, "recovered");
        let Started { handle: journal, control, writer } = recovered.start(Hooks::new(move |_| waker.wake()))?;
        let (subscription, offset) = (control.subscribe(), clock.offset());
        let mut cell = Cell::new(world, journal, clock);
        cell.refuse(refused);
        // The receiver waits right below.
        drop(tx.send((control, writer, epoch, subscription, offset)));
        Ok(cell)
    })?;
    let (control, writer, epoch, subscription, clock) =
        rx.recv().map_err(|_| std::io::Error::other("the cell's thread ended at its start"))?;
    Ok(RunningCell { control, writer, epoch, handle, subscription, clock, halted, crashes })
}

/// A journal that is too short for the store alone has words of its own: no file of it need be missing.
fn too_short(error: JournalError, snapshot: Lsn, store: &StoreUrl) -> StartError {
    if let JournalError::TooShort { end, floor, .. } = error
        && end >= snapshot
    {
        return StartError::StoreBeyond { store: format!("{store:?}"), at: floor, end };
    }
    StartError::Journal(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ClockStart;

    const HOUR: TimeNs = 3_600_000_000_000;

    fn settings(start: ClockStart, wants_consent: bool, accepts_jump: bool) -> config::Clock {
        config::Clock { start, wait_s: 2, wants_consent, accepts_jump }
    }

    #[test]
    fn a_clock_that_jumps_more_than_a_day_ahead_is_told_of_and_wants_a_word_in_production() {
        let started = |settings: &config::Clock, last: TimeNs| {
            let startup = Startup::default();
            (start_clock(settings, last, &startup).is_ok(), startup.clock())
        };
        let jumped = (true, Some(ClockWarning::Jumped));
        let (demo, production) = (settings(ClockStart::Wall, false, false), settings(ClockStart::Wall, true, false));
        let accepted = settings(ClockStart::Wall, true, true);
        let (long_ago, lately) = (wall_ns() - 25 * HOUR, wall_ns() - 23 * HOUR);
        assert_eq!(started(&demo, long_ago), jumped);
        assert_eq!(started(&production, long_ago), (false, Some(ClockWarning::Jumped)), "shown while it is refused");
        assert_eq!(started(&accepted, long_ago), jumped);
        for settings in [demo, production, accepted] {
            assert_eq!(started(&settings, lately), (true, None));
            assert_eq!(started(&settings, 0), (true, None), "an exchange that is new");
        }
    }

    #[test]
    fn a_clock_before_the_last_record_is_refused_unless_the_settings_go_on_from_it() {
        let last = wall_ns() + HOUR;
        let startup = Startup::default();
        let refused = start_clock(&settings(ClockStart::Wall, true, true), last, &startup);
        let Err(refused) = refused else { panic!("an hour") };
        let said = refused.to_string();
        let last_record = time::ts(time::ms(last));
        for part in [&*last_record, "3600 s later", "waits for 2 s at most", "set the clock", "last_stamp"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert_eq!((startup.behind().as_secs_f64().ceil(), startup.clock()), (3_600.0, None));
        let mut clock = start_clock(&settings(ClockStart::LastStamp, true, false), last, &startup).unwrap();
        assert!(xng_cell::Clock::now(&mut clock) >= last);
        assert_eq!(startup.clock(), Some(ClockWarning::OnLastStamp));
        let startup = Startup::default();
        let right = start_clock(&settings(ClockStart::LastStamp, true, false), wall_ns() - HOUR, &startup).unwrap();
        assert!(!right.began_ahead() && startup.clock().is_none(), "there is nothing to go on from");
    }

    #[test]
    fn a_clock_a_little_before_the_last_record_is_waited_for() {
        let (startup, last) = (Startup::default(), wall_ns() + 1_500_000_000);
        let mut clock = start_clock(&settings(ClockStart::Wall, true, false), last, &startup).unwrap();
        assert!(xng_cell::Clock::now(&mut clock) >= last && !clock.began_ahead());
        assert_eq!((startup.clock(), startup.look().phase), (Some(ClockWarning::Waited), Phase::Waiting));
        assert!((1_000..=1_500).contains(&startup.behind().as_millis()), "{:?}", startup.behind());
        let startup = Startup::default();
        let asleep = start_clock(&settings(ClockStart::Wall, true, false), wall_ns() + 500_000_000, &startup);
        assert!(asleep.is_ok() && startup.clock().is_none(), "stamps can run ahead a little");
    }
}
