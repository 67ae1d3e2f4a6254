//! Pauses of withdrawals: which changes make one, and that it only grows.

use super::factors::{confirm, secured};
use super::*;

fn until(rig: &Rig, user: AccountId) -> u64 {
    rig.wait(rig.office.withdrawals_paused_until(user))
}

fn pay_code(rig: &Rig, code: u8) -> CodeClaim {
    let claim = CodeClaim { asker: "session:1".to_owned(), ..claim(Purpose::Pay, code) };
    rig.put_code(&claim, NOW, MINUTE);
    claim
}

fn set_pay(rig: &Rig, user: AccountId, codes: &[CodeClaim], now_ms: u64) -> PaySetting {
    rig.wait(rig.office.set_pay_password((user, HASH), "$argon2id$pay", codes, (&entry("set"), now_ms)))
}

#[test]
fn a_reset_password_pauses_withdrawals_and_a_pause_only_grows() {
    let rig = Rig::new();
    let (ann, bea) = (rig.register("ann@example.com").id, rig.register("bea@example.com").id);
    assert_eq!((until(&rig, ann), until(&rig, AccountId(7))), (0, 0));
    rig.wait(rig.office.rehash_password(ann, HASH, "$argon2id$stronger"));
    assert_eq!(until(&rig, ann), 0, "the same password");
    rig.wait(rig.office.reset_password(ann, HASH, false, (&entry("reset password"), NOW))).expect("no factor");
    assert_eq!((until(&rig, ann), until(&rig, bea)), (NOW + PAUSE_MS, 0));
    rig.wait(rig.office.reset_password(ann, HASH, false, (&entry("reset password"), NOW - 5))).expect("no factor");
    assert_eq!(until(&rig, ann), NOW + PAUSE_MS);
    rig.wait(rig.office.reset_password(ann, HASH, false, (&entry("reset password"), NOW + 5))).expect("no factor");
    assert_eq!(until(&rig, ann), NOW + 5 + PAUSE_MS);
}

#[test]
fn a_factor_that_goes_pauses_withdrawals_and_one_that_comes_does_not() {
    let rig = Rig::new();
    let (user, id) = secured(&rig, "ann@example.com");
    assert_eq!(until(&rig, user.id), 0);
    let proof = user.password_proof().with_factor();
    assert!(rig.wait(rig.office.remove_factor((user.id, id), &proof, &entry("remove"), NOW)));
    assert_eq!(until(&rig, user.id), NOW + PAUSE_MS);

    let (user, _) = secured(&rig, "bea@example.com");
    let new = NewFactor { user: user.id, sealed: vec![1], label: String::new() };
    let proof = user.password_proof().with_factor();
    let next = rig.wait(rig.office.begin_factor(&new, &proof, &entry("begin"), NOW)).expect("begun");
    assert_eq!(until(&rig, user.id), 0, "not in use yet");
    assert!(confirm(&rig, (user.id, next, 100), NOW + 1));
    assert_eq!(until(&rig, user.id), NOW + 1 + PAUSE_MS, "it took the place of another");

    assert!(rig.wait(rig.office.remove_factors(user.id, &entry("remove"), NOW + 2)).is_some());
    assert_eq!(until(&rig, user.id), NOW + 2 + OPERATOR_PAUSE_MS);
    assert!(rig.wait(rig.office.remove_factors(user.id, &entry("remove"), NOW + 9)).is_none());
    assert_eq!(until(&rig, user.id), NOW + 2 + OPERATOR_PAUSE_MS, "nothing was done");
}

#[test]
fn a_pay_password_is_set_once_by_a_code_and_another_in_its_place_pauses_withdrawals() {
    let rig = Rig::new();
    let user = rig.register("a@b.c").id;
    let code = pay_code(&rig, 1);
    let wrong = CodeClaim { hash: [9; 32], ..code.clone() };
    assert_eq!(set_pay(&rig, user, std::slice::from_ref(&wrong), NOW), PaySetting::BadCode);
    assert_eq!(set_pay(&rig, user, &[], NOW), PaySetting::BadCode);
    let there = CodeClaim { asker: "session:2".to_owned(), ..code.clone() };
    assert_eq!(set_pay(&rig, user, &[there], NOW), PaySetting::BadCode, "another session");
    let (right, set) = ([code.clone()], entry("set"));
    let stale = rig.office.set_pay_password((user, "old"), "x", &right, (&set, NOW));
    assert_eq!(rig.wait(stale), PaySetting::Stale);
    assert_eq!(rig.wait(rig.office.user(user)).expect("there").pay_password_hash, None);
    let both = [wrong, code.clone()];
    assert_eq!(set_pay(&rig, user, &both, NOW), PaySetting::Set { replaced: false }, "it was not used up");
    assert_eq!(rig.wait(rig.office.user(user)).expect("there").pay_password_hash.as_deref(), Some("$argon2id$pay"));
    assert_eq!(until(&rig, user), 0, "the first one");
    assert_eq!(set_pay(&rig, user, &[code], NOW), PaySetting::BadCode, "once");
    assert_eq!(set_pay(&rig, user, &[pay_code(&rig, 2)], NOW), PaySetting::Set { replaced: true });
    assert_eq!(until(&rig, user), NOW + PAUSE_MS);
    assert_eq!(rig.wait(rig.office.verify_audit()).0, 2, "a row of the audit each");
}
