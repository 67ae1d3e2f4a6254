//! Staff: enrolments, sessions, signatures, and cases that take two people.

use super::*;

const CODE: EnrolmentCode = EnrolmentCode { hash: [1; 32], expires_ms: NOW + MINUTE };

fn key(staff: u64, counter: u32) -> StaffCredential {
    StaffCredential { staff, credential: vec![staff as u8; 4], public_key: vec![1, 2], counter }
}

fn add(rig: &Rig, name: &str, code: EnrolmentCode) -> Option<u64> {
    let new = NewStaff { name: name.to_owned(), role: "risk".to_owned(), account: None };
    rig.wait(rig.office.add_staff(&new, &code, &entry("add"), NOW))
}

/// Somebody who is enrolled.
pub(super) fn enrolled(rig: &Rig, name: &str, code: u8) -> u64 {
    let code = EnrolmentCode { hash: [code; 32], ..CODE };
    let id = add(rig, name, code).expect("a new name");
    assert!(rig.wait(rig.office.enrol(&code.hash, HASH, &key(id, 0), &entry("enrol"), NOW)));
    id
}

fn session(rig: &Rig, token: u8, key: &StaffCredential, now_ms: u64) -> bool {
    let new = NewStaffSession { token: [token; 32], ip: String::new() };
    rig.wait(rig.office.begin_staff_session(&new, (HASH, key), &entry("log in"), now_ms))
}

fn is_open(rig: &Rig, token: u8, there: bool, now_ms: u64) -> bool {
    rig.wait(rig.office.staff_session(&[token; 32], there, now_ms)).is_some()
}

#[test]
fn a_person_enrols_once_and_in_time_and_what_is_refused_leaves_no_row() {
    let rig = Rig::new();
    let id = add(&rig, "anna", CODE).expect("a new name");
    assert_eq!(add(&rig, "anna", EnrolmentCode { hash: [2; 32], ..CODE }), None);
    let ever = |role| rig.wait(rig.office.ever_had(&["support", role]));
    assert!(!ever("risk"), "not enrolled yet");
    let row = AuditEntry { subject: signature_name(id, "anna"), ..entry(ENROL) };
    let enrol = |hash: u8, now_ms| rig.wait(rig.office.enrol(&[hash; 32], HASH, &key(id, 0), &row, now_ms));
    assert!(!enrol(2, NOW) && !enrol(1, NOW + MINUTE));
    assert_eq!(rig.wait(rig.office.verify_audit()).0, 1);
    assert!(enrol(1, NOW) && !enrol(1, NOW));
    assert!(ever("risk") && !ever("audit"));
    assert!(session(&rig, 7, &key(id, 0), NOW));
    assert!(rig.wait(rig.office.disable_staff("anna", &entry("disable"), NOW)));
    assert!(!is_open(&rig, 7, true, NOW) && ever("risk"), "it stays so");
    assert!(!rig.wait(rig.office.renew_staff("anna", &CODE, &entry("renew"), NOW)), "for ever");
    assert_eq!(rig.wait(rig.office.verify_audit()).0, 4);
}

#[test]
fn a_session_ends_half_an_hour_after_somebody_was_there_and_after_eight_hours() {
    let rig = Rig::new();
    let id = enrolled(&rig, "anna", 1);
    assert!(session(&rig, 1, &key(id, 0), NOW));
    let mut now = NOW;
    while now < NOW + STAFF_SESSION_MS - STAFF_IDLE_MS {
        now += STAFF_IDLE_MS - 1;
        assert!(is_open(&rig, 1, true, now), "{now}");
    }
    assert!(!is_open(&rig, 1, true, NOW + STAFF_SESSION_MS));
    assert!(session(&rig, 2, &key(id, 0), NOW));
    assert!(is_open(&rig, 2, false, NOW + STAFF_IDLE_MS - 1), "a page that asks by itself");
    assert!(!is_open(&rig, 2, true, NOW + STAFF_IDLE_MS));
}

#[test]
fn a_counter_never_goes_back_and_one_that_does_not_count_may_stay() {
    let rig = Rig::new();
    let id = enrolled(&rig, "anna", 1);
    let signs = |counter| rig.wait(rig.office.note_signature(&key(id, counter), &entry("sign"), NOW));
    assert!(signs(0) && signs(0) && signs(5) && signs(6));
    assert!(!signs(6) && !signs(5) && !signs(0));
    assert_eq!(rig.wait(rig.office.verify_audit()).0, 6);
}

#[test]
fn a_case_takes_two_people_and_is_decided_once() {
    let rig = Rig::new();
    let (anna, ben) = (enrolled(&rig, "anna", 1), enrolled(&rig, "ben", 2));
    let propose = |by, now_ms| {
        let new = NewCase { kind: "resume".into(), subject: "chain:1".into(), by, reason: "why".into() };
        rig.wait(rig.office.propose(&new, &entry("propose"), now_ms))
    };
    let decide = |case, by, approves, now_ms| {
        let decision = CaseDecision { case, by, reason: "so do I".into(), approves };
        rig.wait(rig.office.decide_case(&decision, &key(by, 0), &entry("decide"), now_ms))
    };
    let state = |case, now_ms| rig.wait(rig.office.case(case, now_ms)).expect("there").state;
    let one = propose(anna, NOW).expect("none is open");
    assert_eq!(propose(ben, NOW), None, "it is proposed");
    assert!(!decide(one, anna, true, NOW), "alone");
    assert!(decide(one, ben, true, NOW) && !decide(one, ben, false, NOW));
    assert_eq!(state(one, NOW), CaseState::Approved);
    let two = propose(ben, NOW).expect("none is open");
    assert!(decide(two, ben, false, NOW), "taken back");
    assert_eq!(state(two, NOW), CaseState::Refused);
    let three = propose(ben, NOW).expect("none is open");
    assert!(!decide(three, anna, true, NOW + CASE_OPEN_MS), "too old");
    assert_eq!(state(three, NOW + CASE_OPEN_MS), CaseState::Expired);
    assert!(propose(anna, NOW + CASE_OPEN_MS).is_some());
    let forced = "UPDATE staff_cases SET state = 2, decided_by = proposed_by, decided_ms = 1 WHERE state = 1";
    assert!(rig.execute(forced).is_err(), "the table itself refuses it");
}
