//! Crashes, lost power and failing syncs.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::journal::fake_disk::{Faults, Loss};

const LOSSES: [Loss; 5] = [Loss::Everything, Loss::Nothing, Loss::Random(1), Loss::Random(2), Loss::Random(3)];

/// Runs the script on a new disk with these faults; returns the disk and what was acknowledged.
fn run_with(faults: Faults, acts: &[Act]) -> (FakeDisk, Lsn, Result<(), JournalError>) {
    let disk = FakeDisk::new();
    disk.set_faults(faults);
    let mut acked = Lsn::ZERO;
    let result = open(&disk, options()).and_then(|mut journal| run(&mut journal, acts, &mut acked));
    (disk, acked, result)
}

fn operations(acts: &[Act]) -> (u64, u64, u64) {
    let (disk, acked, result) = run_with(Faults::default(), acts);
    result.expect("no faults, no error");
    assert!(acked.0 > 50, "the script does something");
    let counts = disk.counts();
    (counts.operations, counts.writes, counts.syncs)
}

#[test]
fn a_crash_at_any_operation_loses_nothing_acknowledged_and_leaves_a_prefix() {
    let acts = script(11, 200);
    let (operations, _, _) = operations(&acts);
    for crash_at in 1..=operations {
        let faults = Faults { crash_at: Some(crash_at), ..Faults::default() };
        let (disk, acked, result) = run_with(faults, &acts);
        assert!(result.is_err() && disk.has_crashed(), "operation {crash_at} is reached");
        for loss in LOSSES {
            check_and_go_on(&disk.fork().power_loss(loss), acked);
        }
        check_and_go_on(&disk.kill(), acked);
    }
}

#[test]
fn a_crash_during_recovery_from_a_crash_loses_nothing_either() {
    let acts = script(5, 120);
    let (operations, _, _) = operations(&acts);
    for crash_at in (1..=operations).step_by(3) {
        let faults = Faults { crash_at: Some(crash_at), ..Faults::default() };
        let (disk, acked, _) = run_with(faults, &acts);
        for again_at in 1..=10 {
            let second = disk.fork().power_loss(Loss::Random(crash_at));
            let found = check(&second, acked);
            let second = second.kill();
            second.set_faults(Faults { crash_at: Some(second.counts().operations + again_at), ..Faults::default() });
            if open(&second, options()).is_ok() {
                break;
            }
            check_and_go_on(&second.power_loss(Loss::Random(again_at)), found);
        }
    }
}

#[test]
fn without_syncs_the_loss_is_noticed() {
    let acts = script(11, 200);
    let faults = Faults { sync_is_stubbed: true, ..Faults::default() };
    let (disk, acked, result) = run_with(faults, &acts);
    result.expect("a stubbed sync reports success");
    let mut lost = 0;
    for loss in [Loss::Everything, Loss::Random(1), Loss::Random(2), Loss::Random(3)] {
        let disk = disk.fork().power_loss(loss);
        match recover(Arc::new(disk), options(), Lsn::ZERO) {
            Ok(recovered) => lost += u32::from(recovered.summary().last < acked),
            Err(_) => lost += 1,
        }
    }
    assert_eq!(lost, 4, "the same checks that pass with syncs fail without them");
}

#[test]
fn an_error_of_any_sync_is_fatal_and_nothing_acknowledged_is_lost_though_later_syncs_succeed() {
    let acts = script(21, 150);
    let (_, _, syncs) = operations(&acts);
    for n in 1..=syncs {
        let faults = Faults { fail_syncs: BTreeSet::from([n]), ..Faults::default() };
        let (disk, acked, result) = run_with(faults, &acts);
        let error = result.expect_err("a failed sync is an error");
        assert!(matches!(error, JournalError::Io { action: "sync", .. }), "sync {n}: {error}");
        // The process aborts; the page cache still shows what never reached the disk.
        check_and_go_on(&disk.kill(), acked);
    }
}

#[test]
fn an_error_of_any_write_is_fatal_and_nothing_acknowledged_is_lost() {
    let acts = script(22, 150);
    let (_, writes, _) = operations(&acts);
    for n in 1..=writes {
        let faults = Faults { fail_writes: BTreeSet::from([n]), ..Faults::default() };
        let (disk, acked, result) = run_with(faults, &acts);
        assert!(result.is_err(), "write {n}");
        check_and_go_on(&disk.kill(), acked);
    }
}

#[test]
fn an_archived_copy_whose_name_was_not_yet_durable_is_not_relied_on() {
    let acts = script(11, 200);
    let (operations, _, _) = operations(&acts);
    for crash_at in 1..=operations {
        let faults = Faults { crash_at: Some(crash_at), ..Faults::default() };
        let (disk, acked, _) = run_with(faults, &acts);
        // The process dies, the next one archives and recycles on, and only then the power fails.
        let disk = disk.kill();
        let mut journal = open(&disk, options()).expect("opens");
        let mut acked_now = acked;
        run(&mut journal, &script(crash_at, 30), &mut acked_now).expect("no faults");
        check_and_go_on(&disk.power_loss(Loss::Everything), acked_now.max(acked));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::proptest_cases(1_500), ..ProptestConfig::default() })]

    #[test]
    fn random_scripts_with_random_torn_and_reordered_tails_keep_the_promise(
        seed in any::<u64>(), len in 20u64..150, crash in any::<u64>(), loss in any::<u64>(), rounds in 1u64..4,
    ) {
        let mut disk = FakeDisk::new();
        let mut acked = Lsn::ZERO;
        for round in 0..rounds {
            let at = disk.counts().operations + 1 + mix(crash + round) % (len * 3);
            disk.set_faults(Faults { crash_at: Some(at), ..Faults::default() });
            if let Ok(mut journal) = open(&disk, options()) {
                let _ = run(&mut journal, &script(seed + round, len), &mut acked);
            }
            disk = disk.power_loss(Loss::Random(loss + round));
            acked = check(&disk, acked);
            disk = disk.kill();
        }
        check_and_go_on(&disk, acked);
    }
}
