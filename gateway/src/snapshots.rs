//! Snapshots in the background: folds the previous one and the records since, which also proves that they fold.
//! Releases journal segments that a durable snapshot and the store's checkpoint are past.

use crate::exchange::{PlainWorld, StartError, load_snapshot};
use crate::vital;
use std::time::{Duration, Instant};
use xng_core::journal::Lsn;
use xng_persistence::journal::JournalControl;
use xng_persistence::snapshot::SnapshotStore;
use xng_persistence::store::PersisterHandle;

const LOOK: Duration = Duration::from_secs(1);
/// A snapshot at least this often while anything happens, so that a restart stays quick.
const AT_LEAST_EVERY: Duration = Duration::from_secs(600);

/// Starts the thread.
pub fn start(
    snapshots: SnapshotStore,
    journal: JournalControl,
    persister: PersisterHandle,
    every_records: u64,
) -> std::io::Result<()> {
    let run = move || {
        if let Err(error) = follow(&snapshots, &journal, &persister, every_records) {
            // Trading goes on; without snapshots the journal grows and a restart takes longer.
            tracing::error!(%error, "no more snapshots");
        }
    };
    vital::spawn("snapshots", run)
}

fn follow(
    snapshots: &SnapshotStore,
    journal: &JournalControl,
    persister: &PersisterHandle,
    every_records: u64,
) -> Result<(), StartError> {
    let mut world: PlainWorld = load_snapshot(snapshots)?;
    let mut saved = world.lsn();
    let mut follower = journal.follower(world.lsn().next())?;
    let (mut last, mut released) = (Instant::now(), Instant::now());
    loop {
        if let Some(batch) = follower.next_batch(LOOK)? {
            for (lsn, bytes) in batch.records() {
                world.fold(lsn, bytes)?;
            }
        }
        let new = world.lsn().0 - saved.0;
        if new >= every_records || (new > 0 && last.elapsed() >= AT_LEAST_EVERY) {
            last = Instant::now();
            let digest = world.state_hash();
            match snapshots.write(world.lsn(), digest, &mut world.save()) {
                Ok(()) => {
                    saved = world.lsn();
                    tracing::info!(lsn = saved.0, "snapshot");
                }
                // A full disk, most likely: the next one is tried later.
                Err(error) => tracing::warn!(%error, "no snapshot this time"),
            }
        }
        if released.elapsed() < LOOK {
            continue;
        }
        released = Instant::now();
        // Two snapshots are kept: segments stay until the older one is past them too.
        let older = snapshots.lsns()?.first().copied().unwrap_or(Lsn::ZERO);
        journal.release_up_to(older.min(persister.persisted()));
    }
}
