//! The address book: what is counted, what is once there, what a proof is needed for.

use super::*;
use xng_core::chain::ChainId;

const MOST: u32 = 20;

fn new(user: AccountId, address: &str) -> NewWithdrawAddress {
    NewWithdrawAddress {
        user,
        asset: AssetId(1),
        network: ChainId(1),
        address: address.to_owned(),
        remark: "cold".to_owned(),
        created_ms: NOW,
        mac: vec![7; 32],
    }
}

fn save(rig: &Rig, new: &NewWithdrawAddress) -> Saving {
    rig.wait(rig.office.save_withdraw_address(new, &rig.proof(new.user), MOST, &entry("add")))
}

fn saved(rig: &Rig, new: &NewWithdrawAddress) -> u64 {
    match save(rig, new) {
        Saving::Saved(id) => id,
        other => panic!("{other:?}"),
    }
}

fn rows_of_audit(rig: &Rig) -> u64 {
    rig.wait(rig.office.verify_audit()).0
}

#[test]
fn an_address_is_once_in_a_book_and_only_its_user_deletes_it() {
    let rig = Rig::new();
    let (ann, bea) = (rig.register("ann@example.com").id, rig.register("bea@example.com").id);
    let first = saved(&rig, &new(ann, "one"));
    let before = rows_of_audit(&rig);
    assert_eq!(save(&rig, &NewWithdrawAddress { remark: "hot".to_owned(), ..new(ann, "one") }), Saving::AlreadyThere);
    let token = saved(&rig, &NewWithdrawAddress { asset: AssetId(2), ..new(ann, "one") });
    let theirs = saved(&rig, &new(bea, "one"));
    let beside = saved(&rig, &NewWithdrawAddress { network: ChainId(2), ..new(ann, "one") });
    assert_eq!(rows_of_audit(&rig), before + 3, "with a row of the audit each, and none of what was refused");
    let ids: Vec<u64> = rig.wait(rig.office.withdraw_addresses(ann)).iter().map(|one| one.id).collect();
    assert_eq!(ids, [beside, token, first], "the newest first");
    let delete = |user, id| rig.wait(rig.office.delete_withdraw_address((user, id), &entry("delete"), NOW));
    assert!(!delete(ann, theirs) && !delete(ann, 99), "another's, and nobody's");
    assert!(delete(ann, first) && !delete(ann, first));
    assert_eq!(rows_of_audit(&rig), before + 4);
    let again = saved(&rig, &NewWithdrawAddress { created_ms: NOW + 9, ..new(ann, "one") });
    assert!(again > beside, "nothing was kept of it");
    let rows = rig.wait(rig.office.withdraw_addresses(ann));
    assert_eq!(rows[0].row, NewWithdrawAddress { created_ms: NOW + 9, ..new(ann, "one") });
}

#[test]
fn two_hundred_at_once_leave_twenty() {
    let rig = Rig::new();
    let user = rig.register("ann@example.com").id;
    for n in 0..19 {
        saved(&rig, &new(user, &n.to_string()));
    }
    let proof = rig.proof(user);
    let tries = (0..200).map(|n| {
        // Some ask for the same one.
        let (office, proof, new) = (rig.office.clone(), proof.clone(), new(user, &format!("late {}", n % 150)));
        async move { office.save_withdraw_address(&new, &proof, MOST, &entry("add")).await }
    });
    let outcomes = rig.runtime.block_on(async {
        let tries: Vec<_> = tries.map(tokio::spawn).collect();
        let mut outcomes = Vec::new();
        for one in tries {
            outcomes.push(one.await.expect("no panic").expect("no fault"));
        }
        outcomes
    });
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Saving::Saved(_))).count(), 1);
    assert_eq!(rig.wait(rig.office.withdraw_addresses(user)).len(), 20);
    assert_eq!(save(&rig, &new(user, "3")), Saving::AlreadyThere, "also when there is no room");
    let other = rig.register("bea@example.com").id;
    saved(&rig, &new(other, "one"));
}

#[test]
fn a_proof_that_does_not_hold_any_more_saves_and_switches_nothing() {
    let rig = Rig::new();
    let user = rig.register("ann@example.com").id;
    let proof = rig.proof(user);
    assert!(rig.wait(rig.office.proof_holds(user, &proof)));
    rig.wait(rig.office.reset_password(user, "$argon2id$two", false, (&entry("reset password"), NOW)))
        .expect("no factor");
    assert!(!rig.wait(rig.office.proof_holds(user, &proof)));
    let tried = rig.wait(rig.office.save_withdraw_address(&new(user, "one"), &proof, MOST, &entry("add")));
    assert_eq!(tried, Saving::Stale);
    let off = WhitelistOff { from_ms: NOW + MINUTE, mac: vec![1; 32] };
    let switch = |proof| rig.wait(rig.office.switch_whitelist_off(user, &off, proof, (&entry("off"), NOW)));
    assert!(!switch(&proof));
    assert_eq!(rows_of_audit(&rig), 1, "that of the reset");
    assert_eq!(rig.wait(rig.office.whitelist_off(user)), None);
    assert!(switch(&rig.proof(user)));
    assert_eq!(rig.wait(rig.office.whitelist_off(user)), Some(off));
    let on = || rig.wait(rig.office.switch_whitelist_on(user, &entry("on"), NOW));
    assert!(on() && !on());
    assert_eq!((rig.wait(rig.office.whitelist_off(user)), rows_of_audit(&rig)), (None, 3));
}
