//! Staff: enrolments, sessions, signatures, and cases that take two people.

use super::*;

const CODE: EnrolmentCode =
    EnrolmentCode { hash: [1; 32], opens_ms: 0, expires_ms: NOW + MINUTE, by: EnrolmentBy::Operator };

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

#[test]
fn what_came_of_a_case_is_noted_once_and_only_when_it_was_approved() {
    let rig = Rig::new();
    let (anna, ben) = (enrolled(&rig, "anna", 1), enrolled(&rig, "ben", 2));
    let propose = |subject: &str| {
        let new = NewCase { kind: "change".into(), subject: subject.into(), by: anna, reason: "why".into() };
        rig.wait(rig.office.propose(&new, &entry("propose"), NOW)).expect("none is open")
    };
    let decide = |case, approves| {
        let decision = CaseDecision { case, by: ben, reason: "so do I".into(), approves };
        assert!(rig.wait(rig.office.decide_case(&decision, &key(ben, 0), &entry("decide"), NOW)));
    };
    let waiting = || {
        let all = rig.wait(rig.office.cases_without_outcome("change", NOW));
        all.into_iter().map(|case| case.id).collect::<Vec<_>>()
    };
    let end = |case, outcome| rig.wait(rig.office.end_case(case, outcome, &entry("end"), NOW + 5));
    let (one, two, three) = (propose("1"), propose("2"), propose("3"));
    assert!(!end(one, "done"), "nobody decided");
    decide(one, true);
    decide(two, false);
    decide(three, true);
    assert_eq!(waiting(), [one, three]);
    assert!(!end(two, "done"), "it was refused");
    let rows = || rig.wait(rig.office.verify_audit()).0;
    let before = rows();
    assert!(end(one, "done") && !end(one, "again"));
    assert_eq!(rows(), before + 1, "the audit has what was noted");
    assert_eq!(waiting(), [three]);
    assert!(rig.wait(rig.office.cases_without_outcome("other", NOW)).is_empty());
    let outcomes = rig.wait(rig.office.case_outcomes("change", 10));
    let of = |case| rig.wait(rig.office.case_outcome(case));
    assert_eq!((of(one), of(three)), (outcomes.get(&one).cloned(), None));
    assert_eq!(outcomes, [(one, CaseOutcome { outcome: "done".into(), at_ms: NOW + 5 })].into());
}

#[test]
fn a_code_opens_nothing_before_its_time_nor_once_it_was_stopped() {
    let rig = Rig::new();
    let later = EnrolmentCode { opens_ms: NOW + 10, ..CODE };
    let id = add(&rig, "anna", later).expect("a new name");
    let found = |now_ms| rig.wait(rig.office.enrolling(&CODE.hash, now_ms)).is_some();
    let enrol = |now_ms| rig.wait(rig.office.enrol(&CODE.hash, HASH, &key(id, 0), &entry("enrol"), now_ms));
    assert!(!found(NOW + 9) && !enrol(NOW + 9) && found(NOW + 10) && !found(NOW + MINUTE));
    let open = |now_ms| rig.wait(rig.office.enrolments(now_ms));
    assert_eq!(open(NOW), [Enrolment { staff: id, opens_ms: NOW + 10, expires_ms: NOW + MINUTE, alone: false }]);
    assert!(open(NOW + MINUTE).is_empty());

    let stop = |now_ms| rig.wait(rig.office.stop_enrolment(id, &entry("stop"), now_ms));
    assert!(!stop(NOW + MINUTE) && stop(NOW) && !stop(NOW));
    assert!(!found(NOW + 10) && !enrol(NOW + 10) && open(NOW).is_empty());
    assert!(rig.wait(rig.office.renew_staff("anna", &CODE, &entry("renew"), NOW)));
    assert!(enrol(NOW) && open(NOW).is_empty());
    assert_eq!(rig.wait(rig.office.verify_audit()).0, 4, "add, stop, renew, enrol");
}

/// Somebody of a role who enrolled, as the audit has it.
fn joined(rig: &Rig, name: &str, role: &str, code: u8) -> u64 {
    let new = NewStaff { name: name.to_owned(), role: role.to_owned(), account: None };
    let by = if rig.wait(rig.office.owners_decide()) { EnrolmentBy::OperatorAlone } else { EnrolmentBy::Operator };
    let code = EnrolmentCode { hash: [code; 32], by, ..CODE };
    let id = rig.wait(rig.office.add_staff(&new, &code, &entry("add"), NOW)).expect("a new name");
    let row = AuditEntry { subject: signature_name(id, name), ..entry(ENROL) };
    assert!(rig.wait(rig.office.enrol(&code.hash, HASH, &key(id, 0), &row, NOW)));
    id
}

#[test]
fn from_the_second_owner_on_what_was_opened_before_waits_and_two_owners_stay() {
    let rig = Rig::new();
    let decide = || rig.wait(rig.office.owners_decide());
    let disable = |name: &str| rig.wait(rig.office.disable_staff(name, &entry("disable"), NOW));
    joined(&rig, "olga", "owner", 1);
    let early = EnrolmentCode { hash: [9; 32], ..CODE };
    assert!(add(&rig, "eve", early).is_some() && !decide());
    assert!(add(&rig, "old", EnrolmentCode { hash: [8; 32], expires_ms: NOW, ..CODE }).is_some());
    joined(&rig, "otto", "owner", 2);
    assert!(decide());
    let open = rig.wait(rig.office.enrolments(NOW));
    let waits = NOW + ALONE_WAITS_MS;
    assert_eq!((open.len(), open[0].opens_ms, open[0].expires_ms, open[0].alone), (1, waits, waits + MINUTE, true));
    let opens = |hash: u8, now_ms| rig.wait(rig.office.enrolling(&[hash; 32], now_ms)).is_some();
    assert!(!opens(9, NOW) && opens(9, waits));
    assert!(!opens(8, NOW) && !opens(8, waits), "what was too old stays so");
    let late = EnrolmentCode { hash: [7; 32], ..CODE };
    assert_eq!(add(&rig, "ted", late), None, "the operator does not decide any more");

    assert!(!disable("olga"), "one owner would be left");
    joined(&rig, "oda", "owner", 3);
    assert!(disable("olga") && !disable("otto") && decide());
}

#[test]
fn a_renewal_by_the_operator_alone_ends_nothing_before_it_is_used() {
    let rig = Rig::new();
    let id = joined(&rig, "olga", "owner", 1);
    assert!(session(&rig, 7, &key(id, 0), NOW));
    let alone = EnrolmentCode { hash: [5; 32], opens_ms: NOW + 5, by: EnrolmentBy::OperatorAlone, ..CODE };
    assert!(rig.wait(rig.office.renew_staff("olga", &alone, &entry("renew"), NOW)));
    assert!(is_open(&rig, 7, true, NOW), "so that they can stop it");
    let other = StaffCredential { credential: vec![77; 4], ..key(id, 0) };
    assert!(rig.wait(rig.office.enrol(&alone.hash, "another", &other, &entry("enrol"), NOW + 5)));
    assert!(!is_open(&rig, 7, true, NOW + 5));
    assert_eq!(rig.wait(rig.office.staff_credentials(id)), [other]);
}

#[test]
fn what_rests_on_the_word_of_an_owner_ends_with_their_sessions() {
    let rig = Rig::new();
    let [olga, otto] = [("olga", 1), ("otto", 2)].map(|(name, code)| joined(&rig, name, "owner", code));
    let by = EnrolmentBy::Owners(olga, otto);
    assert!(add(&rig, "fay", EnrolmentCode { hash: [6; 32], by, ..CODE }).is_some());
    let new = NewCase { kind: STAFF_CASE.into(), subject: "{}".into(), by: olga, reason: "a test".into() };
    let case = rig.wait(rig.office.propose(&new, &entry("propose"), NOW)).expect("none is open");
    let alone = EnrolmentCode { hash: [8; 32], by: EnrolmentBy::OperatorAlone, ..CODE };
    assert!(!rig.wait(rig.office.renew_staff("fay", &alone, &entry("renew"), NOW)), "owners opened it");
    let oda = joined(&rig, "oda", "owner", 3);
    let again = EnrolmentCode { hash: [7; 32], by: EnrolmentBy::Owners(otto, oda), ..CODE };
    assert!(rig.wait(rig.office.renew_staff("olga", &again, &entry("renew"), NOW)));
    let of_gone = EnrolmentCode { hash: [6; 32], by, ..CODE };
    assert_eq!(add(&rig, "fred", of_gone), None, "one of them is not enrolled any more");
    let open: Vec<u64> = rig.wait(rig.office.enrolments(NOW)).iter().map(|one| one.staff).collect();
    assert_eq!(open, [olga], "fay's is gone");
    assert_eq!(rig.wait(rig.office.case(case, NOW)).map(|case| case.state), Some(CaseState::Refused));
}
