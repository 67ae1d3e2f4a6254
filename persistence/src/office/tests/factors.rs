//! Second factors: what is spent once, and what a password alone is not enough for.

use super::*;

/// A user with an authenticator in use and two recovery codes; the authenticator's id.
pub(super) fn secured(rig: &Rig, email: &str) -> (User, u64) {
    let user = rig.register(email);
    let id = begin(rig, &user, &user.password_proof(), NOW).expect("begun");
    assert!(rig.wait(rig.office.factors(user.id)).confirmed.is_empty(), "not in use yet");
    assert!(confirm(rig, (user.id, id, 100), NOW));
    (user, id)
}

fn begin(rig: &Rig, user: &User, proof: &PasswordProof, now_ms: u64) -> Option<u64> {
    let new = NewFactor { user: user.id, sealed: vec![1, 2, 3], label: "phone".to_owned() };
    rig.wait(rig.office.begin_factor(&new, proof, &entry("begin"), now_ms))
}

pub(super) fn confirm(rig: &Rig, which: (AccountId, u64, u64), now_ms: u64) -> bool {
    rig.wait(rig.office.confirm_factor(which, &[[1; 32], [2; 32]], &entry("confirm"), now_ms))
}

fn spend(rig: &Rig, user: AccountId, spending: Spending) -> bool {
    rig.wait(rig.office.spend(user, spending, &entry("spend"), NOW))
}

fn rows_of_audit(rig: &Rig) -> u64 {
    rig.wait(rig.office.verify_audit()).0
}

#[test]
fn a_step_and_a_recovery_code_are_spent_once_with_one_row_of_the_audit() {
    let rig = Rig::new();
    let (user, id) = secured(&rig, "ann@example.com");
    let before = rows_of_audit(&rig);
    for (spending, worth) in [
        (Spending::Step { factor: id, step: 100 }, false),
        (Spending::Step { factor: id, step: 102 }, true),
        (Spending::Step { factor: id, step: 102 }, false),
        (Spending::Step { factor: id, step: 101 }, false),
        (Spending::Step { factor: id + 1, step: 103 }, false),
        (Spending::Recovery([1; 32]), true),
        (Spending::Recovery([1; 32]), false),
        (Spending::Recovery([9; 32]), false),
    ] {
        assert_eq!(spend(&rig, user.id, spending), worth, "{spending:?}");
    }
    assert_eq!(rows_of_audit(&rig), before + 2);
    let other = rig.register("bea@example.com");
    assert!(!spend(&rig, other.id, Spending::Step { factor: id, step: 200 }), "another's");
    assert!(!spend(&rig, other.id, Spending::Recovery([2; 32])), "another's");
    let left = rig.wait(rig.office.factors(user.id));
    assert_eq!((left.confirmed[0].last_step, left.recovery_left), (102, 1));
}

#[test]
fn many_at_once_spend_a_step_once() {
    let rig = Rig::new();
    let (user, id) = secured(&rig, "ann@example.com");
    let tries = (0..200).map(|_| {
        let (office, user) = (rig.office.clone(), user.id);
        async move { office.spend(user, Spending::Step { factor: id, step: 101 }, &entry("spend"), NOW).await }
    });
    let spent = rig.runtime.block_on(async {
        let tries: Vec<_> = tries.map(tokio::spawn).collect();
        let mut spent = 0;
        for one in tries {
            spent += u32::from(one.await.expect("no panic").expect("no fault"));
        }
        spent
    });
    assert_eq!(spent, 1);
}

#[test]
fn a_password_alone_does_nothing_once_a_factor_is_in_use() {
    let rig = Rig::new();
    let (user, id) = secured(&rig, "ann@example.com");
    let alone = rig.proof(user.id);
    assert!(matches!(rig.wait(rig.office.add_api_key(&api_key(user.id, "a1"), &alone, 9, NOW)), Proven::Stale));
    assert_eq!(begin(&rig, &user, &alone, NOW), None);
    assert!(!rig.wait(rig.office.remove_factor((user.id, id), &alone, &entry("remove"), NOW)));
    let new = session(1, user.id, NOW + MINUTE);
    assert_eq!(rig.wait(rig.office.begin_session(&new, HASH, 10, NOW)), None);
    let both = NewSession { with_factor: true, ..new };
    assert!(rig.wait(rig.office.begin_session(&both, HASH, 10, NOW)).is_some());
    let with_factor = alone.clone().with_factor();
    assert!(done(rig.wait(rig.office.add_api_key(&api_key(user.id, "a1"), &with_factor, 9, NOW))).is_some());
    assert!(rig.wait(rig.office.remove_factor((user.id, id), &with_factor, &entry("remove"), NOW)));
    assert!(!spend(&rig, user.id, Spending::Recovery([2; 32])), "nothing is left of it");
    assert!(begin(&rig, &user, &alone, NOW).is_some());
}

#[test]
fn a_new_factor_takes_the_place_of_the_old_one_when_it_is_confirmed_in_time() {
    let rig = Rig::new();
    let (user, old) = secured(&rig, "ann@example.com");
    let proof = rig.proof(user.id).with_factor();
    let late = begin(&rig, &user, &proof, NOW).expect("begun");
    assert!(rig.wait(rig.office.waiting_factor(user.id, late, NOW)).is_some());
    assert!(rig.wait(rig.office.waiting_factor(user.id, late, NOW + 60 * MINUTE)).is_none());
    assert!(!confirm(&rig, (user.id, late, 200), NOW + 60 * MINUTE), "an hour is too long");
    assert_eq!(rig.wait(rig.office.factors(user.id)).confirmed[0].id, old);
    let new = begin(&rig, &user, &proof, NOW).expect("begun again");
    assert!(!confirm(&rig, (user.id, late, 200), NOW), "its place is taken");
    assert!(spend(&rig, user.id, Spending::Recovery([1; 32])), "the old ones until then");
    assert!(confirm(&rig, (user.id, new, 200), NOW) && !confirm(&rig, (user.id, new, 201), NOW));
    let now = rig.wait(rig.office.factors(user.id));
    assert_eq!((now.confirmed.len(), now.confirmed[0].id, now.recovery_left), (1, new, 2));
}

fn add_passkey(rig: &Rig, user: &User, proof: &PasswordProof) -> Option<(u64, bool)> {
    let new = NewFactor { user: user.id, sealed: vec![4], label: "key".to_owned() };
    rig.wait(rig.office.add_passkey((&new, 5), proof, &[[7; 32], [8; 32]], &entry("add"), NOW))
}

#[test]
fn a_first_passkey_brings_recovery_codes_and_another_one_a_pause() {
    let rig = Rig::new();
    let user = rig.register("ann@example.com");
    let paused = || rig.wait(rig.office.withdrawals_paused_until(user.id));
    let (first, is_first) = add_passkey(&rig, &user, &user.password_proof()).expect("added");
    assert!(is_first);
    assert_eq!((rig.wait(rig.office.factors(user.id)).recovery_left, paused()), (2, 0));
    assert_eq!(add_passkey(&rig, &user, &user.password_proof()), None, "the password alone is not enough any more");
    let proof = user.password_proof().with_factor();
    let (second, is_first) = add_passkey(&rig, &user, &proof).expect("added");
    assert!(!is_first);
    assert_eq!((rig.wait(rig.office.factors(user.id)).recovery_left, paused()), (2, NOW + PAUSE_MS));
    let id = begin(&rig, &user, &proof, NOW).expect("begun");
    assert!(confirm(&rig, (user.id, id, 100), NOW));
    let factors = rig.wait(rig.office.factors(user.id));
    assert_eq!((factors.of(FactorKind::Passkey).count(), factors.of(FactorKind::Totp).count()), (2, 1));
    for (n, id) in [first, second, id].into_iter().enumerate() {
        assert!(rig.wait(rig.office.remove_factor((user.id, id), &proof, &entry("remove"), NOW)));
        let left = rig.wait(rig.office.factors(user.id)).recovery_left;
        assert_eq!(left, if n == 2 { 0 } else { 2 }, "codes end with the last factor");
    }
}

#[test]
fn an_authenticator_that_was_begun_by_the_password_is_worth_nothing_once_there_is_a_passkey() {
    let rig = Rig::new();
    let user = rig.register("ann@example.com");
    let begun = begin(&rig, &user, &user.password_proof(), NOW).expect("begun");
    add_passkey(&rig, &user, &user.password_proof()).expect("added");
    assert!(!confirm(&rig, (user.id, begun, 100), NOW));
    let factors = rig.wait(rig.office.factors(user.id));
    assert_eq!((factors.confirmed.len(), factors.recovery_left), (1, 2));
}

#[test]
fn an_authenticator_beside_a_passkey_pauses_withdrawals() {
    let rig = Rig::new();
    let user = rig.register("ann@example.com");
    add_passkey(&rig, &user, &user.password_proof()).expect("added");
    let id = begin(&rig, &user, &user.password_proof().with_factor(), NOW).expect("begun");
    assert!(confirm(&rig, (user.id, id, 100), NOW));
    assert_eq!(rig.wait(rig.office.withdrawals_paused_until(user.id)), NOW + PAUSE_MS);
}

#[test]
fn a_passkey_counts_up_or_not_at_all() {
    let rig = Rig::new();
    let user = rig.register("ann@example.com");
    let (factor, _) = add_passkey(&rig, &user, &user.password_proof()).expect("added");
    let signature = |counter| spend(&rig, user.id, Spending::Signature { factor, counter });
    assert_eq!([5, 6, 6, 0, 7].map(signature), [false, true, false, false, true]);
    let new = NewFactor { user: user.id, sealed: vec![4], label: String::new() };
    let proof = user.password_proof().with_factor();
    let (silent, _) = rig.wait(rig.office.add_passkey((&new, 0), &proof, &[], &entry("add"), NOW)).expect("added");
    let signature = |counter| spend(&rig, user.id, Spending::Signature { factor: silent, counter });
    assert_eq!([0, 0, 3, 0].map(signature), [true, true, true, false]);
}

#[test]
fn a_user_has_so_many_passkeys() {
    let rig = Rig::new();
    let user = rig.register("ann@example.com");
    let proof = user.password_proof().with_factor();
    let added = (0..=MOST_PASSKEYS).filter(|_| add_passkey(&rig, &user, &proof).is_some()).count();
    assert_eq!(added, MOST_PASSKEYS as usize);
}
