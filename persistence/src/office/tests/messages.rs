//! What the office tells its users, and what they have read.

use super::*;

const MS: u64 = 1_000_000;

fn of(user: AccountId, action: &str) -> AuditEntry {
    let actor = format!("user:{}", user.0);
    AuditEntry { subject: actor.clone(), actor, action: action.into(), detail: "{}".into(), ip: "10.0.0.9".into() }
}

fn actions(rig: &Rig, user: AccountId, since_ms: u64, limit: u32) -> Vec<String> {
    let told = rig.wait(rig.office.office_messages(user, since_ms, limit));
    told.into_iter()
        .map(|message| match message.event {
            OfficeEvent::Audit { action, .. } => action,
            OfficeEvent::VerificationFailed { level, .. } => format!("level {level}"),
        })
        .collect()
}

#[test]
fn a_user_is_told_what_the_audit_says_of_logins_and_security_and_nothing_of_others() {
    let rig = Rig::new();
    let (ann, bea) = (rig.register("ann@example.com").id, rig.register("bea@example.com").id);
    for (n, action) in (1..).zip(["login", "logout", "set pay password", "use second factor"]) {
        rig.wait(rig.office.append_audit(&of(ann, action), NOW + n));
    }
    rig.wait(rig.office.append_audit(&of(bea, "login"), NOW + 9));
    assert_eq!(actions(&rig, ann, 0, 100), ["set pay password", "login"]);
    assert_eq!(actions(&rig, ann, NOW + 2, 100), ["set pay password"]);
    assert_eq!(actions(&rig, ann, 0, 1), ["set pay password"]);
    assert_eq!(actions(&rig, bea, 0, 100), ["login"]);
    for action in told() {
        rig.wait(rig.office.append_audit(&of(bea, action), NOW + 10));
    }
    assert_eq!(actions(&rig, bea, NOW + 10, 100).len(), told().count());
}

#[test]
fn what_was_read_stays_read_one_by_one_or_all_up_to_a_time() {
    let rig = Rig::new();
    let (ann, bea) = (rig.register("ann@example.com").id, rig.register("bea@example.com").id);
    let source = MessageSource::Office;
    let name = |n: u64| MessageName { at: (NOW + n) * MS, source, kind: 1, subject: n };
    let read = |user| rig.wait(rig.office.messages_read(user, source));
    rig.wait(rig.office.mark_message(ann, &name(3)));
    rig.wait(rig.office.mark_message(ann, &name(3)));
    assert_eq!([1, 3, 4].map(|n| read(ann).has(&name(n))), [false, true, false]);
    assert!(!read(bea).has(&name(3)), "of another user");
    assert!(!rig.wait(rig.office.messages_read(ann, MessageSource::Fact)).has(&name(3)), "of another source");
    let fact = MessageName { source: MessageSource::Fact, ..name(3) };
    rig.wait(rig.office.mark_message(ann, &fact));
    rig.wait(rig.office.mark_messages(ann, &[source], (NOW + 3) * MS));
    assert_eq!([1, 3, 4].map(|n| read(ann).has(&name(n))), [true, true, false]);
    assert!(read(ann).single.is_empty(), "single ones before the mark are forgotten");
    assert!(rig.wait(rig.office.messages_read(ann, MessageSource::Fact)).has(&fact), "of another source: kept");
    rig.wait(rig.office.mark_messages(ann, &[source], (NOW + 1) * MS));
    assert!(read(ann).has(&name(3)), "a mark only grows");
}

#[test]
fn what_is_told_by_mail_is_mailed_once_and_in_order() {
    let rig = Rig::new();
    let ann = rig.register("ann@example.com").id;
    for action in ["login", "lock account", "logout", "add passkey"] {
        rig.wait(rig.office.append_audit(&of(ann, action), NOW));
    }
    let chain = AuditEntry { subject: "chain:1".into(), ..of(ann, "lock account") };
    rig.wait(rig.office.append_audit(&chain, NOW));
    let (before, upto, found) = rig.wait(rig.office.audit_to_mail());
    assert_eq!(upto, before + 5);
    let row = |action: &str| ToMail { user: ann, action: action.into(), ip: "10.0.0.9".into(), at_ms: NOW };
    assert_eq!(found, [row("lock account"), row("add passkey")]);
    let mails = [message(Channel::Mail, "ann@example.com", NOW + MINUTE)];
    let due = || rig.wait(rig.office.due_messages(Channel::Mail, NOW, 10)).len();
    assert!(rig.wait(rig.office.mail_audit((before, upto), &mails, NOW)));
    assert!(!rig.wait(rig.office.mail_audit((before, upto), &mails, NOW)), "another process was faster");
    assert_eq!(due(), 1);
    assert_eq!(rig.wait(rig.office.audit_to_mail()), (upto, upto, Vec::new()));
}

#[test]
fn a_login_says_in_which_language_a_user_is_written_to_and_a_proof_which_words_mails_carry() {
    let rig = Rig::new();
    let user = rig.register("ann@example.com");
    assert_eq!((user.lang.as_str(), &user.mail_phrase), ("", &None));
    assert!(rig.wait(rig.office.begin_session(&session(1, user.id, NOW + MINUTE), HASH, 10, NOW)).is_some());
    let proof = user.password_proof();
    let set = |sealed| {
        rig.wait(rig.office.set_mail_phrase((user.id, sealed), &proof, (&of(user.id, "change mail phrase"), NOW)))
    };
    let now = || rig.wait(rig.office.user(user.id)).map(|user| (user.lang, user.mail_phrase));
    assert!(set(Some(&b"sealed"[..])));
    assert_eq!(now(), Some(("vi".into(), Some(b"sealed".to_vec()))));
    rig.wait(rig.office.reset_password(user.id, "another", false, (&entry("reset password"), NOW)));
    assert!(!set(None), "the password was changed meanwhile");
    assert_eq!(now(), Some(("vi".into(), Some(b"sealed".to_vec()))));
}
