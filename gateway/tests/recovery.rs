//! What a start makes of the snapshots that it finds.

use std::sync::Arc;
use xng_cell::{Plain, World};
use xng_core::account::facts::{GrantItem, GrantKind, Granted};
use xng_core::codec::Wire;
use xng_core::ids::{AccountId, AssetId, EntityId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_core::record::{Cause, Fact, Origin, Record};
use xng_gateway::recovery::load_snapshot;
use xng_persistence::journal::RealStorage;
use xng_persistence::snapshot::SnapshotStore;

/// The world after so many grants.
fn world(grants: u64) -> World<Plain> {
    let mut world = World::default();
    for n in 1..=grants {
        let items = vec![GrantItem { wallet: Wallet::Legal, asset: AssetId(1), amount: Amount::whole(1) }];
        let (account, kind) = (AccountId(100_001), GrantKind::Correction);
        let fact = Fact::Granted(Granted { account, kind, items });
        let decider = EntityId::Account(account);
        let mut bytes = Vec::new();
        Record { time: n, decider, cause: Cause::Request, origin: Origin::System, fact }.encode(&mut bytes);
        world.fold(Lsn(n), &bytes).expect("folds");
    }
    world
}

fn save(snapshots: &SnapshotStore, mut world: World<Plain>, wrong: u64) {
    let digest = world.state_hash() + wrong;
    snapshots.write(world.lsn(), digest, &mut world.save(), &mut |_| Ok(digest)).expect("written");
}

#[test]
fn a_snapshot_that_does_not_load_is_passed_over_for_the_one_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let storage = Arc::new(RealStorage::open(folder.path().to_path_buf()).expect("opens"));
    let snapshots = SnapshotStore::new(storage, 0);
    let found = || load_snapshot::<Plain>(&snapshots).expect("starts").lsn();
    assert_eq!(found(), Lsn::ZERO, "no snapshot is none");
    save(&snapshots, world(5), 0);
    assert_eq!(found(), Lsn(5));
    save(&snapshots, world(6), 1);
    assert_eq!(found(), Lsn(5), "whole, but of another state");
    let mut account = Vec::new();
    EntityId::Account(AccountId(100_001)).put(&mut account);
    let garbage = vec![(account, Vec::new())];
    snapshots.write(Lsn(7), 0, &mut garbage.into_iter(), &mut |_| Ok(0)).expect("whole, but no state");
    assert_eq!(found(), Lsn::ZERO, "neither of the two that are kept");
}
