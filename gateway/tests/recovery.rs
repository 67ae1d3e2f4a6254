//! What a start makes of the snapshots that it finds, and how it folds the tail after them.

use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use xng_cell::{FoldError, Plain, World};
use xng_core::account::facts::{GrantItem, GrantKind, Granted};
use xng_core::codec::Wire;
use xng_core::ids::{AccountId, AssetId, EntityId, Wallet};
use xng_core::journal::{Batch, Journal, Lsn};
use xng_core::money::Amount;
use xng_core::record::{Cause, Fact, Origin, Record};
use xng_gateway::startup::folding::{FoldingError, fold_to};
use xng_gateway::startup::recovery::load_snapshot;
use xng_persistence::journal::{Hooks, Options, RealStorage, Recovered, recover};
use xng_persistence::snapshot::SnapshotStore;

/// The `n`th record: a grant.
fn grant(n: u64) -> Vec<u8> {
    let items = vec![GrantItem { wallet: Wallet::Funding, asset: AssetId(1), amount: Amount::whole(1) }];
    let (account, kind) = (AccountId(100_001 + n % 50), GrantKind::Correction);
    let fact = Fact::from(Granted { account, kind, items });
    let decider = EntityId::Account(account);
    let mut bytes = Vec::new();
    Record { time: n, decider, cause: Cause::Request, origin: Origin::System, fact }.encode(&mut bytes);
    bytes
}

/// The world after so many grants.
fn world(grants: u64) -> World<Plain> {
    let mut world = World::default();
    for n in 1..=grants {
        world.fold(Lsn(n), &grant(n)).expect("folds");
    }
    world
}

/// A journal of so many grants over several segments; the record at `spoilt` is none that anybody can read.
fn journal(grants: u64, spoilt: Option<u64>) -> (TempDir, Recovered) {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { segment_bytes: 128 << 10, max_block_bytes: 16 << 10, ..Options::new(0) };
    let open = || {
        let storage = Arc::new(RealStorage::open(folder.path().to_path_buf()).expect("opens"));
        recover(storage, options.clone(), Lsn::ZERO).expect("recovers")
    };
    let mut started = open().start(Hooks::new(|_| ())).expect("starts");
    let mut batch = Batch::default();
    for n in 1..=grants {
        let bytes = if spoilt == Some(n) { vec![0xff; 40] } else { grant(n) };
        batch.push(Lsn(n), |out| out.extend_from_slice(&bytes));
        if n % 100 == 0 || n == grants {
            started.handle.append(&mut batch);
        }
    }
    assert!(started.control.wait_for(Lsn(grants), Duration::from_secs(60)), "durable");
    started.writer.shutdown();
    let recovered = open();
    (folder, recovered)
}

#[test]
fn a_tail_of_many_groups_and_segments_folds_as_one_record_after_the_other_does() {
    const GRANTS: u64 = 12_345;
    let (_folder, journal) = journal(GRANTS, None);
    let mut folded: World<Plain> = World::default();
    let mut told = Vec::new();
    let reader = journal.reader(Lsn(1)).expect("opens");
    fold_to(&mut folded, reader, Lsn(GRANTS), |lsn| told.push(lsn)).expect("folds");
    assert_eq!((folded.lsn(), folded.state_hash()), (Lsn(GRANTS), world(GRANTS).state_hash()));
    assert!(told.len() > 5 && told.is_sorted() && told.last() == Some(&Lsn(GRANTS)), "{told:?}");

    let mut part: World<Plain> = World::default();
    fold_to(&mut part, journal.reader(Lsn(1)).expect("opens"), Lsn(7_000), |_| ()).expect("folds");
    assert_eq!((part.lsn(), part.state_hash()), (Lsn(7_000), world(7_000).state_hash()), "up to there and no further");
}

#[test]
fn a_record_that_nobody_can_read_ends_the_folding_there_and_its_segment_is_named() {
    const SPOILT: u64 = 5_000;
    let (_folder, journal) = journal(40_000, Some(SPOILT));
    let mut follower = journal.reader(Lsn(SPOILT)).expect("opens");
    follower.next_batch(Lsn(SPOILT)).expect("reads");
    let mut folded: World<Plain> = World::default();
    let mut told = Lsn::ZERO;
    // Far more follows than is read ahead: the reading thread stands at a full channel when it is let go.
    let reader = journal.reader(Lsn(1)).expect("opens");
    let error = fold_to(&mut folded, reader, Lsn(40_000), |lsn| told = lsn).expect_err("is not read");
    let FoldingError::Fold { file, error: FoldError::Record { lsn, .. } } = error else { panic!("{error}") };
    assert_eq!((lsn, file.as_str()), (Lsn(SPOILT), follower.file()));
    assert!(told < Lsn(SPOILT), "{told}");
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
