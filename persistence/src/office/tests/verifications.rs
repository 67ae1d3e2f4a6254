//! Verifications: one that waits, one document, one lease, one decision; pictures; contacts.

use super::*;
use crate::office::{
    FAILED_KEPT_MS, NewVerification, PICTURE_KEPT_MS, PrivateFile, REVIEW_MS, SentIn, VerificationDecision,
    VerificationState,
};

fn document(user: AccountId, number: u8) -> NewVerification {
    NewVerification {
        user,
        level: 1,
        id_type: Some(1),
        country: Some("44".into()),
        region: Some("GB".into()),
        sealed: Some(vec![1, 2]),
        number_hash: Some(vec![number; 32]),
        pictures: None,
    }
}

fn file(user: AccountId, name: &str) -> PrivateFile {
    PrivateFile { name: name.into(), user, ending: "jpg".into(), sealed_key: vec![7], side: None }
}

fn pictures(user: AccountId, names: [&str; 2]) -> NewVerification {
    let none = document(user, 0);
    let pictures = Some(names.map(str::to_owned));
    NewVerification {
        level: 2,
        id_type: None,
        country: None,
        region: None,
        sealed: None,
        number_hash: None,
        pictures,
        ..none
    }
}

fn staff(rig: &Rig, name: &str) -> u64 {
    let new = NewStaff { name: name.to_owned(), role: "compliance".to_owned(), account: None };
    let code = EnrolmentCode {
        hash: [name.len() as u8 + name.as_bytes()[0]; 32],
        opens_ms: 0,
        expires_ms: NOW,
        by: EnrolmentBy::Operator,
    };
    rig.wait(rig.office.add_staff(&new, &code, &entry("add"), NOW)).expect("a new name")
}

fn decision(id: u64, by: u64, passes: bool) -> VerificationDecision {
    VerificationDecision { id, by, passes, reason: String::new(), note: String::new() }
}

#[test]
fn one_of_a_level_waits_and_a_document_is_one_users() {
    let rig = Rig::new();
    let (ann, bob) = (rig.register("ann@example.com").id, rig.register("bob@example.com").id);
    let office = &rig.office;
    let send = |new: &NewVerification| rig.wait(office.send_in(new, &entry("verify"), 5));
    assert!(matches!(send(&document(ann, 1)), SentIn::Waits(_)));
    assert_eq!(send(&document(ann, 2)), SentIn::AlreadyThere);
    assert_eq!(send(&document(bob, 1)), SentIn::Taken);
    assert!(matches!(send(&document(bob, 2)), SentIn::Waits(_)));
    assert_eq!(rig.wait(office.verifications_waiting()), 2);
}

#[test]
fn who_holds_the_lease_decides_once() {
    let rig = Rig::new();
    let ann = rig.register("ann@example.com").id;
    let (office, staff) = (&rig.office, [staff(&rig, "eve"), staff(&rig, "sam")]);
    let SentIn::Waits(id) = rig.wait(office.send_in(&document(ann, 1), &entry("verify"), 5)) else {
        panic!("it waits")
    };
    let decide = |by: u64, at: u64| rig.wait(office.decide_verification(&decision(id, by, true), &entry("verify"), at));
    assert!(!decide(staff[0], 6), "nobody reviews it");
    assert_eq!(rig.wait(office.lease_verification(id, staff[0], 10)), Some(10 + REVIEW_MS));
    assert_eq!(rig.wait(office.lease_verification(id, staff[1], 11)), None);
    assert!(!decide(staff[1], 12), "somebody else reviews it");
    assert!(!decide(staff[0], 10 + REVIEW_MS), "it took too long");
    assert!(rig.wait(office.lease_verification(id, staff[1], 10 + REVIEW_MS)).is_some());
    assert!(!decide(staff[0], 11 + REVIEW_MS), "it is another's now");
    assert!(decide(staff[1], 11 + REVIEW_MS));
    assert!(!decide(staff[1], 12 + REVIEW_MS), "once");
    assert_eq!(rig.wait(office.lease_verification(id, staff[1], 13 + REVIEW_MS)), None);

    let to_do = rig.wait(office.verifications_to_do());
    assert_eq!(to_do.iter().map(|(one, name)| (one.id, name.as_str())).collect::<Vec<_>>(), [(id, "sam")]);
    rig.wait(office.verification_done(id));
    assert!(rig.wait(office.verifications_to_do()).is_empty());
    rig.wait(office.revoke_verifications(ann, 0, 99));
    let of_ann = rig.wait(office.verifications_of(ann));
    assert_eq!((of_ann[0].state, of_ann[0].reason.as_deref()), (VerificationState::Failed, Some("revoked")));
    assert!(matches!(rig.wait(office.send_in(&document(ann, 1), &entry("verify"), 100)), SentIn::Waits(_)));
}

#[test]
fn a_picture_is_sent_in_once_by_its_owner_or_forgotten() {
    let rig = Rig::new();
    let (ann, bob) = (rig.register("ann@example.com").id, rig.register("bob@example.com").id);
    let office = &rig.office;
    for (user, name) in [(ann, "a"), (ann, "b"), (ann, "c"), (bob, "d")] {
        rig.wait(office.add_private_file(&file(user, name), 10));
    }
    let send = |new: &NewVerification| rig.wait(office.send_in(new, &entry("verify"), 11));
    assert_eq!(send(&pictures(ann, ["a", "d"])), SentIn::NoPicture, "one is another user's");
    let SentIn::Waits(id) = send(&pictures(ann, ["a", "b"])) else { panic!("it waits") };
    let sides: Vec<Option<String>> = rig.wait(office.pictures(id)).into_iter().map(|file| file.side).collect();
    assert_eq!(sides, [Some("front".into()), Some("reverse".into())]);
    assert_eq!(send(&pictures(bob, ["d", "a"])), SentIn::NoPicture);
    assert!(rig.wait(office.forget_pictures(9 + PICTURE_KEPT_MS)).is_empty());
    let mut gone = rig.wait(office.forget_pictures(10 + PICTURE_KEPT_MS));
    gone.sort_unstable();
    assert_eq!(gone, ["c", "d"]);
    assert_eq!(rig.wait(office.pictures(id)).len(), 2);
}

#[test]
fn what_failed_is_forgotten_after_ninety_days_and_what_passed_stays() {
    let rig = Rig::new();
    let (ann, bob) = (rig.register("ann@example.com").id, rig.register("bob@example.com").id);
    let (office, eve) = (&rig.office, staff(&rig, "eve"));
    let decided = |new: &NewVerification, passes: bool| {
        let SentIn::Waits(id) = rig.wait(office.send_in(new, &entry("verify"), 5)) else { panic!("it waits") };
        assert!(rig.wait(office.lease_verification(id, eve, 10)).is_some());
        assert!(rig.wait(office.decide_verification(&decision(id, eve, passes), &entry("verify"), 20)));
        id
    };
    for (user, name) in [(ann, "a"), (ann, "b"), (bob, "c"), (bob, "d")] {
        rig.wait(office.add_private_file(&file(user, name), 1));
    }
    let (failed, passed) = (decided(&document(ann, 1), false), decided(&document(bob, 2), true));
    let (failed_pictures, _) = (decided(&pictures(ann, ["a", "b"]), false), decided(&pictures(bob, ["c", "d"]), true));
    let sealed = |id| rig.wait(office.verification(id)).expect("there").sealed;
    assert!(rig.wait(office.forget_pictures(19 + FAILED_KEPT_MS)).is_empty());
    assert!(sealed(failed).is_some());
    let mut gone = rig.wait(office.forget_pictures(20 + FAILED_KEPT_MS));
    gone.sort_unstable();
    assert_eq!(gone, ["a", "b"]);
    assert!(rig.wait(office.pictures(failed_pictures)).is_empty());
    assert!(sealed(failed).is_none() && sealed(passed).is_some());
    assert!(rig.wait(office.forget_pictures(1_000 + FAILED_KEPT_MS)).is_empty(), "once");
}

#[test]
fn a_contact_is_bound_by_both_codes_at_once() {
    let rig = Rig::new();
    let (ann, bob) = (rig.register("ann@example.com"), rig.register("bob@example.com"));
    let claims = |contact: &str, old: &str, code: u8| {
        let of = |purpose, to: &str| CodeClaim { destination: to.to_owned(), ..claim(purpose, code) };
        (of(Purpose::BindNew, contact), of(Purpose::Bind, old))
    };
    let notice = message(Channel::Sms, "to who had it", NOW + MINUTE);
    let bind = |user: &User, contact: &Login, claims: &(CodeClaim, CodeClaim)| {
        let at = (user.id, user.password_hash.as_str());
        rig.wait(rig.office.bind_contact(at, contact, (&claims.0, &claims.1), (&entry("bind"), Some(&notice)), NOW))
    };
    let sent = |claims: &(CodeClaim, CodeClaim)| {
        for claim in [&claims.0, &claims.1] {
            rig.put_code(claim, NOW, MINUTE);
        }
    };
    let new = phone("13800138000");
    let right = claims("+8613800138000", "ann@example.com", 1);
    sent(&right);
    let wrong = claims("+8613800138000", "ann@example.com", 2);
    assert_eq!(bind(&ann, &new, &wrong), Binding::BadOldCode);
    assert_eq!(bind(&ann, &new, &(wrong.0, right.1.clone())), Binding::BadCode);
    let stale = User { password_hash: "another".into(), ..ann.clone() };
    assert_eq!(bind(&stale, &new, &right), Binding::Stale);
    assert_eq!(bind(&ann, &new, &right), Binding::Bound);
    assert_eq!(bind(&ann, &new, &right), Binding::BadOldCode, "codes are used up");
    assert_eq!(rig.wait(rig.office.withdrawals_paused_until(ann.id)), 0, "it takes nobody's place");
    let other = claims("+8613800138000", "bob@example.com", 3);
    sent(&other);
    assert_eq!(bind(&bob, &new, &other), Binding::Taken);
    let mail = claims("ann@example.org", "ann@example.com", 4);
    sent(&mail);
    assert_eq!(bind(&ann, &Login::Email("Ann@Example.org".into()), &mail), Binding::Bound);
    assert_eq!(rig.wait(rig.office.withdrawals_paused_until(ann.id)), NOW + PAUSE_MS);
    let found = rig.wait(rig.office.user(ann.id)).expect("there");
    assert_eq!(found.email.as_deref(), Some("ann@example.org"));
    let told = rig.wait(rig.office.waiting_messages(Channel::Sms));
    assert_eq!(told.count, 2, "a notice with each that was bound, and with nothing else");
}
