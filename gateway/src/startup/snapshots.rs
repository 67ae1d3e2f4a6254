//! Snapshots in the background: folds the previous one and the records since, which also proves that they fold.
//! Releases journal segments that a durable snapshot, the store's checkpoint and the reactors' cursors are past.
//!
//! Owns: the second world, made of durable records only. Never does: touch the one that decides.
//! Invariants: records that do not fold, a digest among them that does not match, stop the process: what was decided
//! since rests on a state that its own facts do not explain (`docs/decisions.md "Fail stop"`). A snapshot counts only
//! after it was read back and loaded. The journal reaches back to both that are kept, its archive included.
//! Known limits: while the disk refuses, nothing is released; health says so.

use crate::common::critical_task;
use crate::observe::health::Health;
use crate::observe::metrics::ledger::Counting;
use crate::reactors::Cursors;
use crate::startup::cell::PlainWorld;
use crate::startup::recovery::load_snapshot;
use crate::startup::start_error::StartError;
use crossbeam::channel::{RecvTimeoutError, Sender, bounded, unbounded};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use xng_cell::recovery::{Saved, Unusable};
use xng_cell::{FoldError, World};
use xng_core::journal::Lsn;
use xng_persistence::journal::{Capacity, Follower, JournalControl, JournalError};
use xng_persistence::snapshot::{SnapshotError, SnapshotStore};
use xng_persistence::store::PersisterHandle;

const LOOK: Duration = Duration::from_secs(1);
/// Who has folded everything waits this long, then for the next record: not each sync of the journal wakes it.
const NAP: Duration = Duration::from_millis(50);
/// A snapshot at least this often while anything happens, so that a restart stays quick.
const AT_LEAST_EVERY: Duration = Duration::from_secs(600);
/// From the begin of one snapshot to that of the next passes so many times what the last one took, if nobody asks for one:
/// when much happens in little time, orders have the processor …
const REST: u32 = 20;
/// The same while orders are refused because the journal waits for snapshots.
const URGENT_REST: u32 = 2;
/// … but a start has at most so many times the records to fold after which a snapshot is due.
const MOST: u64 = 25;
/// After a failed attempt the next one waits this long.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// A stop waits this long for its snapshot.
const LAST_WITHIN: Duration = Duration::from_secs(60);

/// Why a round went wrong.
#[derive(Debug, thiserror::Error)]
enum Setback {
    /// State and facts disagree, or the journal's bytes are not what was written. Nothing may go on from there.
    #[error("{0}")]
    Broken(String),
    /// The operating system refused; worth another try.
    #[error("{0}")]
    Passing(String),
}

impl From<FoldError> for Setback {
    fn from(error: FoldError) -> Setback {
        Setback::Broken(error.to_string())
    }
}

impl From<JournalError> for Setback {
    fn from(error: JournalError) -> Setback {
        match error {
            JournalError::Io { .. } => Setback::Passing(error.to_string()),
            JournalError::Locked { .. }
            | JournalError::Corrupt { .. }
            | JournalError::Version { .. }
            | JournalError::WrongCell { .. }
            | JournalError::TooShort { .. }
            | JournalError::Gone { .. }
            | JournalError::TooLarge { .. }
            | JournalError::Panicked(_) => Setback::Broken(error.to_string()),
        }
    }
}

impl From<SnapshotError> for Setback {
    /// A snapshot that cannot be made or read leaves the one before and the journal; trading rests on neither.
    fn from(error: SnapshotError) -> Setback {
        Setback::Passing(error.to_string())
    }
}

impl From<StartError> for Setback {
    fn from(error: StartError) -> Setback {
        Setback::Passing(error.to_string())
    }
}

/// The way to ask for a snapshot out of turn.
#[derive(Debug)]
pub struct Asking(Sender<Sender<()>>);

impl Asking {
    /// Waits for a snapshot of everything that is durable now; not for ever, and not once somebody hurries.
    pub fn last_one(&self, health: &Health) {
        let (done, waits) = bounded(1);
        let began = Instant::now();
        if health.hurried.load(Ordering::Relaxed) || self.0.send(done).is_err() {
            return;
        }
        while began.elapsed() < LAST_WITHIN && !health.hurried.load(Ordering::Relaxed) {
            match waits.recv_timeout(Duration::from_millis(50)) {
                Ok(()) => return,
                Err(RecvTimeoutError::Timeout) => {}
                // It failed and said so.
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        tracing::warn!("no snapshot at the stop; the next start folds a longer tail");
    }
}

/// Starts the thread.
pub fn start(
    snapshots: SnapshotStore,
    journal: JournalControl,
    (persister, cursors): (PersisterHandle, Cursors),
    every_records: u64,
    health: Arc<Health>,
) -> std::io::Result<Asking> {
    let (ask, asked) = unbounded::<Sender<()>>();
    let run = move || {
        let mut keeper: Option<Keeper> = None;
        loop {
            if let (Some(keeper), Ok(done)) = (keeper.as_mut(), asked.try_recv()) {
                match keeper.save_all(&snapshots, &journal, &health) {
                    // Who asked may have gone on.
                    Ok(()) => drop(done.send(())),
                    Err(Setback::Passing(error)) => tracing::warn!(error, "no snapshot at the stop"),
                    Err(Setback::Broken(error)) => critical_task::stop("snapshots", &error),
                }
            }
            let done = match keeper.as_mut() {
                None => Keeper::start(&snapshots, &journal, every_records, &health).map(|new| keeper = Some(new)),
                Some(keeper) => keeper.round(&snapshots, &journal, (&persister, &cursors), &health),
            };
            match done {
                Ok(()) => {
                    let failing = keeper.as_ref().is_some_and(|keeper| keeper.failed.is_some());
                    health.snapshot_failing.store(failing, Ordering::Relaxed);
                }
                Err(Setback::Passing(error)) => {
                    failed(&health, &error);
                    std::thread::sleep(RETRY_AFTER);
                }
                Err(Setback::Broken(error)) => critical_task::stop("snapshots", &error),
            }
        }
    };
    critical_task::spawn("snapshots", run)?;
    Ok(Asking(ask))
}

/// A full disk, most likely: trading goes on, and the next attempt comes.
fn failed(health: &Health, error: &str) {
    health.snapshot_failures.add(1);
    health.snapshot_failing.store(true, Ordering::Relaxed);
    tracing::warn!(error, "no snapshot this time");
}

/// The world as of the durable records, and what was saved of it.
struct Keeper {
    world: PlainWorld,
    saved: Lsn,
    follower: Follower,
    every_records: u64,
    last: Instant,
    took: Duration,
    /// When the last attempt failed, if it did.
    failed: Option<Instant>,
    released: Instant,
    /// Orders are refused for want of segments that nobody but the older snapshot needs.
    urgent: bool,
    counting: Counting,
}

impl Keeper {
    fn start(
        snapshots: &SnapshotStore,
        journal: &JournalControl,
        every_records: u64,
        health: &Health,
    ) -> Result<Keeper, Setback> {
        let world: PlainWorld = load_snapshot(snapshots)?;
        let (saved, follower) = (world.lsn(), journal.follower(world.lsn().next())?);
        if saved > Lsn::ZERO {
            health.snapshot_at(saved);
        }
        let (last, released, counting) = (Instant::now(), Instant::now(), Counting::default());
        let (took, failed, urgent) = (Duration::ZERO, None, false);
        Ok(Keeper { world, saved, follower, every_records, last, took, failed, released, urgent, counting })
    }

    /// Folds what is there, saves when it is time, releases what nobody needs any more: the latter whether saving works or not.
    fn round(
        &mut self,
        snapshots: &SnapshotStore,
        journal: &JournalControl,
        (persister, cursors): (&PersisterHandle, &Cursors),
        health: &Health,
    ) -> Result<(), Setback> {
        if let Err(error) = self.fold() {
            // Where a failed reading left the follower is not known.
            self.follower = journal.follower(self.world.lsn().next())?;
            return Err(error);
        }
        self.counting.round(&self.world, &health.ledger);
        let new = self.world.lsn().0 - self.saved.0;
        let rested = self.failed.is_none_or(|at| at.elapsed() >= RETRY_AFTER);
        let again = self.failed.is_some() && new > 0;
        if rested && (again || is_due(new, self.every_records, self.last.elapsed(), self.took, self.urgent)) {
            match self.save(snapshots, health) {
                Err(Setback::Passing(error)) => {
                    self.failed = Some(Instant::now());
                    failed(health, &error);
                }
                done => done?,
            }
        }
        if self.released.elapsed() >= LOOK {
            self.released = Instant::now();
            let older = snapshots.lsns()?.first().copied().unwrap_or(Lsn::ZERO);
            let room = journal.capacity() == Capacity::Plenty;
            let followed = followed(persister.persisted(), cursors, journal);
            self.urgent = !room && older < followed;
            journal.release_up_to(unneeded(older, self.saved, followed, self.urgent));
        }
        Ok(())
    }

    fn save(&mut self, snapshots: &SnapshotStore, health: &Health) -> Result<(), Setback> {
        let begun = Instant::now();
        save(&mut self.world, snapshots)?;
        (self.last, self.took, self.failed) = (begun, begun.elapsed(), None);
        let micros = u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX);
        health.snapshot_micros.store(micros, Ordering::Relaxed);
        self.saved = self.world.lsn();
        health.snapshot_at(self.saved);
        tracing::info!(lsn = self.saved.0, "snapshot");
        Ok(())
    }

    /// Folds all that is durable and saves it.
    fn save_all(
        &mut self,
        snapshots: &SnapshotStore,
        journal: &JournalControl,
        health: &Health,
    ) -> Result<(), Setback> {
        let durable = journal.durable();
        while self.world.lsn() < durable {
            self.fold()?;
        }
        if self.world.lsn() > self.saved { self.save(snapshots, health) } else { Ok(()) }
    }

    fn fold(&mut self) -> Result<(), Setback> {
        let mut batch = self.follower.next_batch(Duration::ZERO)?;
        if batch.is_none() {
            std::thread::sleep(NAP);
            batch = self.follower.next_batch(LOOK)?;
        }
        if let Some(batch) = batch {
            self.world.fold_batch(&batch)?;
        }
        Ok(())
    }
}

/// Whether it is time for a snapshot: so many records and so much time after the last one, which took `took`. When it is
/// `urgent`, any record will do: only cancels are taken, and few come.
fn is_due(records: u64, every_records: u64, since: Duration, took: Duration, urgent: bool) -> bool {
    if urgent {
        return records > 0 && since >= took * URGENT_REST;
    }
    let rested = since >= took * REST || records >= every_records.saturating_mul(MOST);
    (records >= every_records && rested) || (records > 0 && since >= AT_LEAST_EVERY)
}

/// Up to where everybody is who reads the journal besides. The archive of ticks counts while the journal is roomy: a lag of it
/// must not bring the journal to where orders are refused.
fn followed(persisted: Lsn, cursors: &Cursors, journal: &JournalControl) -> Lsn {
    persisted.min(cursors.lowest(journal.is_roomy()))
}

/// Up to where the journal's segments may go: two snapshots are kept, and the older one needs them too. When it is `urgent`
/// there may be no record any more, so no newer snapshot either: then the one `saved` last must do, and the older one finds
/// what it needs in the archive.
fn unneeded(older: Lsn, saved: Lsn, followed: Lsn, urgent: bool) -> Lsn {
    followed.min(if urgent { saved } else { older })
}

/// Writes a snapshot and loads it again: only one that gives the same world back counts.
fn save(world: &mut PlainWorld, snapshots: &SnapshotStore) -> Result<(), SnapshotError> {
    let (lsn, digest) = (world.lsn(), world.state_hash());
    snapshots.write(lsn, digest, &mut world.save(), &mut |entries| {
        let restored: Result<PlainWorld, Unusable<SnapshotError>> = World::restore(Saved { lsn, digest, entries });
        match restored {
            Ok(mut world) => Ok(world.state_hash()),
            Err(Unusable::Read(error)) => Err(error),
            Err(Unusable::Load(error)) => Err(SnapshotError::Unloadable { lsn, what: error.to_string() }),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::entity::TimeNs;
    use xng_core::ids::{AssetId, EntityId, Wallet};
    use xng_core::journal::{Batch, Journal};
    use xng_core::record::{Cause, Fact, Origin, Record};
    use xng_core::registry::AssetListed;
    use xng_persistence::journal::{Hooks, Options, RealStorage, Started, recover};

    #[test]
    fn snapshots_are_due_by_records_but_take_a_twentieth_of_the_time() {
        let seconds = Duration::from_secs;
        let due = |records, since, took| is_due(records, 1_000, seconds(since), seconds(took), false);
        assert!(!due(999, 599, 0) && due(1_000, 0, 0), "by records");
        assert!(!due(5_000, 19, 1) && due(5_000, 20, 1), "twenty times as long as it took");
        assert!(!due(24_999, 19, 1) && due(25_000, 19, 1), "but a start folds no more than that");
        assert!(due(1, 600, 100) && !due(0, 6_000, 100), "and within ten minutes");
    }

    #[test]
    fn a_journal_without_room_does_not_wait_for_records_that_cannot_come() {
        let seconds = Duration::from_secs;
        let due = |records, since, took| is_due(records, 1_000, seconds(since), seconds(took), true);
        assert!(due(1, 2, 1), "a single cancel is enough");
        assert!(!due(1, 1, 1), "it does nothing else all the time");
        assert!(!due(0, 600, 1), "there is nothing to save");
        let unneeded = |followed, urgent| unneeded(Lsn(10), Lsn(20), Lsn(followed), urgent);
        assert_eq!((unneeded(30, false), unneeded(30, true)), (Lsn(10), Lsn(20)), "the newest snapshot is enough");
        assert_eq!(
            (unneeded(5, false), unneeded(15, true)),
            (Lsn(5), Lsn(15)),
            "but the store and the reactors need what they have not read"
        );
    }

    fn record(time: TimeNs, fact: Fact) -> Record {
        Record { time, decider: EntityId::Registry(()), cause: Cause::Cell, origin: Origin::System, fact }
    }

    fn listed(asset: u32) -> Fact {
        Fact::from(AssetListed { asset: AssetId(asset), name: format!("A{asset}"), wallets: vec![Wallet::Spot] })
    }

    struct Rig {
        started: Started,
        snapshots: SnapshotStore,
        health: Health,
        at: Lsn,
        /// Goes last: a journal whose folder goes away stops the process.
        _folder: tempfile::TempDir,
    }

    impl Rig {
        fn new() -> Rig {
            Rig::with_at_most(u64::MAX)
        }

        fn with_at_most(max_bytes: u64) -> Rig {
            let folder = tempfile::tempdir().unwrap();
            let open = |name: &str| Arc::new(RealStorage::open(folder.path().join(name)).unwrap());
            let options = Options { segment_bytes: 1 << 20, max_bytes, ..Options::new(0) };
            let started = recover(open("journal"), options, Lsn::ZERO).unwrap().start(Hooks::new(|_| ())).unwrap();
            let snapshots = SnapshotStore::new(open("data"), 0);
            Rig { _folder: folder, started, snapshots, health: Health::default(), at: Lsn::ZERO }
        }

        fn append(&mut self, fact: Fact) {
            self.at = self.at.next();
            let mut batch = Batch::default();
            batch.push(self.at, |bytes| record(self.at.0, fact).encode(bytes));
            self.started.handle.append(&mut batch);
            assert!(self.started.control.wait_for(self.at, Duration::from_secs(10)));
        }

        fn keeper(&self) -> Keeper {
            Keeper::start(&self.snapshots, &self.started.control, 2, &self.health).unwrap()
        }
    }

    #[test]
    fn an_archive_of_ticks_that_lags_holds_no_segment_once_they_take_half_of_what_they_may() {
        let mut rig = Rig::with_at_most(12 << 20);
        let (control, mut cursors) = (rig.started.control.clone(), Cursors::default());
        cursors.add_archive(Arc::default());
        assert_eq!(followed(Lsn(9), &cursors, &control), Lsn::ZERO, "it has read nothing yet");
        while control.is_roomy() {
            let name = "A".repeat(200_000);
            rig.append(Fact::from(AssetListed { asset: AssetId(1), name, wallets: vec![Wallet::Spot] }));
        }
        assert_eq!(control.capacity(), Capacity::Plenty, "orders do not notice");
        assert_eq!(followed(Lsn(9), &cursors, &control), Lsn(9), "only the store counts");
    }

    #[test]
    fn a_digest_that_does_not_match_is_no_passing_trouble() {
        let mut rig = Rig::new();
        let mut keeper = rig.keeper();
        rig.append(listed(1));
        keeper.fold().unwrap();
        let mut wrong = keeper.world.digest();
        wrong.state ^= 1;
        rig.append(wrong.into());
        let Err(Setback::Broken(why)) = keeper.fold() else { panic!("it goes on") };
        assert!(why.contains("digest mismatch at 2"), "{why}");
    }

    #[test]
    fn a_snapshot_is_loaded_again_before_it_counts() {
        let mut rig = Rig::new();
        let mut keeper = rig.keeper();
        (1..=3).for_each(|asset| rig.append(listed(asset)));
        while keeper.world.lsn() < rig.at {
            keeper.fold().unwrap();
        }
        save(&mut keeper.world, &rig.snapshots).unwrap();
        let again = rig.keeper();
        assert_eq!((again.saved, again.world.lsn()), (Lsn(3), Lsn(3)));
        assert_eq!(rig.health.snapshot_lsn.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn the_operating_systems_refusals_pass_and_damage_does_not() {
        let source = std::io::Error::other("full");
        let io = JournalError::Io { action: "read", path: "x".into(), source };
        assert!(matches!(Setback::from(io), Setback::Passing(_)));
        let damaged = JournalError::Corrupt { file: "x".into(), byte: 1, what: "y".into() };
        assert!(matches!(Setback::from(damaged), Setback::Broken(_)));
    }
}
