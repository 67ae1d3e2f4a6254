//! What days were like: who came, who was verified, how long people waited.

use super::staff::enrolled;
use super::*;

/// The day of `NOW`, and its beginning.
const DAY: u32 = (NOW / 86_400_000) as u32;
const MORNING: u64 = DAY as u64 * 86_400_000;
const NEXT: u64 = MORNING + 86_400_000;

#[test]
fn users_are_counted_on_the_day_they_came_and_verifications_when_they_were_decided() {
    let rig = Rig::new();
    rig.register("ann@example.com");
    rig.register("bea@example.com");
    let late = rig.wait(rig.office.register(&newcomer("cid@example.com"), NEXT));
    assert!(matches!(late, Registration::Done(_)));
    // Sent in the day before; one waits still, one was decided on the day after.
    rig.execute(
        "INSERT INTO verifications (user, level, state, submitted_ms, decided_ms) VALUES
         (100001, 1, 2, 1, 1700000000000), (100002, 1, 3, 1, 1700000000001), (100002, 2, 1, 1, NULL),
         (100003, 2, 2, 1, 1700050000000)",
    )
    .expect("executes");
    let days = |since, until| {
        let counts = rig.wait(rig.office.days_of_users(since, until)).into_iter();
        counts.map(|n| (n.day, n.what, n.count)).collect::<Vec<_>>()
    };
    let what = |day, what: &str, count| (day, what.to_owned(), count);
    let first = [
        what(DAY, "basic verification failed", 1),
        what(DAY, "basic verification passed", 1),
        what(DAY, "registered", 2),
    ];
    assert_eq!(days(MORNING, NEXT), first);
    let second = [what(DAY + 1, "advanced verification passed", 1), what(DAY + 1, "registered", 1)];
    assert_eq!(days(MORNING, NEXT + 86_400_000), [&first[..], &second[..]].concat());
    assert_eq!(days(0, MORNING), []);
    // A revocation is told when it happened, and that it had passed is not known any more.
    rig.wait(rig.office.revoke_verifications(AccountId(100_001), 0, NEXT));
    assert_eq!(days(MORNING, NEXT), [first[0].clone(), first[2].clone()]);
    assert!(days(NEXT, NEXT + 1).contains(&what(DAY + 1, "basic verification revoked", 1)));
    assert_eq!(
        rig.wait(rig.office.verification_waits(0, MORNING, 10)).len(),
        2,
        "a revocation is no decision about it"
    );
}

#[test]
fn waits_are_of_what_was_decided_or_answered_by_when_it_began() {
    let rig = Rig::new();
    let (ann, bea) = (rig.register("ann@example.com").id, rig.register("bea@example.com").id);
    rig.execute(
        "INSERT INTO verifications (user, level, state, submitted_ms, decided_ms) VALUES
         (100001, 1, 2, 1700000000000, 1700000090500), (100002, 1, 3, 1700000000000, 1699999999000),
         (100002, 2, 1, 1700000000000, NULL), (100001, 2, 2, 1, 1700000000000)",
    )
    .expect("executes");
    let wait = |since_ms, took_ms| Wait { since_ms, took_ms };
    let waits = |most| rig.wait(rig.office.verification_waits(MORNING, NEXT, most));
    assert_eq!(waits(10), [wait(NOW, 90_500), wait(NOW, 0)], "a clock that was set back makes no negative wait");
    assert_eq!(waits(1), [wait(NOW, 90_500)]);

    let agent = enrolled(&rig, "sue", 1);
    let opened = |user| {
        rig.wait(rig.office.open_conversation(&ChatParty::User(user), (ChatTopic::Support, "en"), false, NOW)).id
    };
    let (answered, silent) = (opened(ann), opened(bea));
    let say = |conversation, client_id: &str, staff, now| {
        let new = NewChatMessage { conversation, client_id: client_id.into(), staff, text: "hello".into(), file: None };
        rig.wait(rig.office.say(&new, now))
    };
    for conversation in [answered, silent] {
        assert!(matches!(say(conversation, "a", None, NOW + 1), ChatSaid::Now(_)));
    }
    rig.wait(rig.office.claim_conversation(answered, agent, (&entry("claim chat"), NOW + 2)));
    for (client_id, now) in [("b", NOW + 30_000), ("c", NOW + 60_000)] {
        assert!(matches!(say(answered, client_id, Some(agent), now), ChatSaid::Now(_)));
    }
    assert_eq!(rig.wait(rig.office.first_answers(MORNING, NEXT, 10)), [wait(NOW, 30_000)]);
    assert_eq!(rig.wait(rig.office.first_answers(NEXT, NEXT + 1, 10)), []);
}
