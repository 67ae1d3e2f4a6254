//! What a start makes of the snapshots that it finds.

use std::sync::Arc;
use xng_cell::{Plain, World};
use xng_core::codec::Wire;
use xng_core::journal::Lsn;
use xng_core::record::STATE_HASH_FORM;
use xng_gateway::exchange::load_snapshot;
use xng_persistence::journal::RealStorage;
use xng_persistence::snapshot::SnapshotStore;

type Entry = (Vec<u8>, Vec<u8>);

/// The world's own entries, as if it stood at `lsn`.
fn entries(lsn: Lsn) -> Vec<Entry> {
    let mut entries: Vec<Entry> = World::<Plain>::default().save().collect();
    let mut head = Vec::new();
    lsn.0.put(&mut head);
    0u64.put(&mut head);
    STATE_HASH_FORM.put(&mut head);
    entries[0].1 = head;
    entries
}

#[test]
fn a_snapshot_that_does_not_load_is_passed_over_for_the_one_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let storage = Arc::new(RealStorage::open(folder.path().to_path_buf()).expect("opens"));
    let snapshots = SnapshotStore::new(storage, 0);
    assert_eq!(load_snapshot::<Plain>(&snapshots).expect("no snapshot is none").lsn(), Lsn::ZERO);
    let digest = World::<Plain>::default().state_hash();
    snapshots.write(Lsn(5), digest, &mut entries(Lsn(5)).into_iter()).expect("written");
    assert_eq!(load_snapshot::<Plain>(&snapshots).expect("loads").lsn(), Lsn(5));
    snapshots.write(Lsn(6), digest + 1, &mut entries(Lsn(6)).into_iter()).expect("whole, but not this state");
    assert_eq!(load_snapshot::<Plain>(&snapshots).expect("loads").lsn(), Lsn(5), "digest");
    let garbage = vec![(vec![0xff; 3], vec![1, 2, 3])];
    snapshots.write(Lsn(7), digest, &mut garbage.into_iter()).expect("whole, but no state");
    assert_eq!(load_snapshot::<Plain>(&snapshots).expect("passed over").lsn(), Lsn::ZERO, "entries");
}
