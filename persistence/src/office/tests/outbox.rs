//! The outbox: what is due, what became of attempts, what expires, what is kept.

use super::*;

const DAY: u64 = 24 * 60 * MINUTE;

impl Rig {
    /// Puts a message beside a code, as it comes to be.
    fn put_message(&self, message: &NewMessage, now: u64) {
        let claim = CodeClaim {
            purpose: Purpose::Register,
            destination: message.destination.clone(),
            asker: HOME.to_owned(),
            hash: [1; 32],
        };
        self.wait(self.office.put_code(&claim, message, now, MINUTE));
    }

    fn due(&self, channel: Channel, now: u64) -> Vec<DueMessage> {
        self.wait(self.office.due_messages(channel, now, 10))
    }

    fn waiting(&self, channel: Channel) -> (u64, u64) {
        let Waiting { count, oldest_ms } = self.wait(self.office.waiting_messages(channel));
        (count, oldest_ms)
    }

    /// State, text and error of a message.
    fn row(&self, id: u64) -> Option<(i64, Option<Vec<u8>>, String)> {
        let path = self.directory.path().join("office.db");
        self.runtime.block_on(async {
            let mut connection = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
            let row = sqlx::query_as("SELECT state, sealed, error FROM outbox WHERE id = ?").bind(id.cast_signed());
            row.fetch_optional(&mut connection).await.unwrap()
        })
    }
}

#[test]
fn a_message_waits_in_its_channel_until_an_attempt_sends_it_and_has_no_text_afterwards() {
    let rig = Rig::new();
    rig.put_message(&message(Channel::Mail, "a@b.c", NOW + 10 * MINUTE), NOW);
    rig.put_message(&message(Channel::Sms, "+861", NOW + 10 * MINUTE), NOW + 1);
    let due = rig.due(Channel::Mail, NOW + 1);
    let [mail] = due.as_slice() else { panic!("{due:?}") };
    assert_eq!((mail.destination.as_str(), mail.lang.as_str(), mail.attempts), ("a@b.c", "vi", 0));
    assert_eq!((mail.created_ms, mail.expires_ms), (NOW, NOW + 10 * MINUTE));
    assert_eq!((rig.waiting(Channel::Mail), rig.waiting(Channel::Sms)), ((1, NOW), (1, NOW + 1)));

    // It is counted first: who dies before the end of an attempt makes another one.
    assert!(rig.wait(rig.office.begin_attempt(mail.id, NOW + 2, NOW + 5_000)));
    assert_eq!(rig.due(Channel::Mail, NOW + 4_999), []);
    assert_eq!(rig.due(Channel::Mail, NOW + 5_000)[0].attempts, 1);

    let later = Attempt::Later { error: "451".to_owned(), next_ms: NOW + 40_000 };
    rig.wait(rig.office.end_attempt(mail.id, &later, NOW + 6_000));
    assert_eq!(rig.due(Channel::Mail, NOW + 39_999), []);
    assert_eq!(rig.row(mail.id), Some((0, Some(b"sealed".to_vec()), "451".to_owned())));

    assert!(rig.wait(rig.office.begin_attempt(mail.id, NOW + 40_000, NOW + 50_000)));
    rig.wait(rig.office.end_attempt(mail.id, &Attempt::Sent, NOW + 41_000));
    assert_eq!(rig.row(mail.id), Some((1, None, String::new())));
    assert_eq!((rig.waiting(Channel::Mail), rig.waiting(Channel::Sms)), ((0, 0), (1, NOW + 1)));
    assert!(!rig.wait(rig.office.begin_attempt(mail.id, NOW + 60_000, NOW + 70_000)), "it is sent once");
    assert!(!rig.wait(rig.office.end_attempt(mail.id, &later, NOW + 60_000)));
    assert_eq!(rig.row(mail.id).expect("there").0, 1, "what is done stays done");
}

#[test]
fn what_fails_and_what_expires_is_never_sent_and_loses_its_text() {
    let rig = Rig::new();
    for n in 0..3 {
        rig.put_message(&message(Channel::Mail, "a@b.c", NOW + (n + 1) * MINUTE), NOW + n);
    }
    let ids: Vec<u64> = rig.due(Channel::Mail, NOW + 10).iter().map(|message| message.id).collect();
    let failed = Attempt::Failed { error: "550".to_owned() };
    rig.wait(rig.office.end_attempt(ids[2], &failed, NOW + 11));
    assert_eq!(rig.row(ids[2]), Some((2, None, "550".to_owned())));

    assert_eq!(rig.due(Channel::Mail, NOW + MINUTE).len(), 1, "the first one is too old, ended or not");
    assert!(!rig.wait(rig.office.begin_attempt(ids[0], NOW + MINUTE, NOW + 2 * MINUTE)));
    assert_eq!(rig.wait(rig.office.expire_messages(Channel::Sms, NOW + MINUTE)), 0);
    assert_eq!(rig.wait(rig.office.expire_messages(Channel::Mail, NOW + MINUTE)), 1);
    assert_eq!(rig.row(ids[0]), Some((2, None, "expired".to_owned())));

    // Also where nobody sends any more, by the next message; with what the last attempt said.
    let later = Attempt::Later { error: "451".to_owned(), next_ms: NOW };
    rig.wait(rig.office.end_attempt(ids[1], &later, NOW + MINUTE));
    rig.put_message(&message(Channel::Mail, "a@b.c", NOW + 3 * MINUTE), NOW + 2 * MINUTE);
    assert_eq!(rig.row(ids[1]), Some((2, None, "expired; 451".to_owned())));
    assert_eq!(rig.waiting(Channel::Mail).0, 1);
}

#[test]
fn a_message_is_written_with_what_causes_it_or_not_at_all() {
    let rig = Rig::new();
    rig.execute("CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'full'); END").unwrap();
    let code = claim(Purpose::Register, 1);
    let told = message(Channel::Mail, "a@b.c", NOW + MINUTE);
    let put = rig.office.put_code(&code, &told, NOW, MINUTE);
    rig.runtime.block_on(put).expect_err("no message");
    let checked = rig.wait(rig.office.check_code(&code, CodeUse::Consume, NOW + 1));
    assert_eq!(checked, CodeCheck::None, "no code that nobody is told");
}

#[test]
fn the_dev_mailbox_shows_the_newest_first_and_nothing_of_it_is_sent() {
    let rig = Rig::new();
    for n in 0..5 {
        let to = if n % 2 == 0 { "a@b.c" } else { "b@b.c" };
        let shown = NewMessage { is_shown: true, sealed: vec![n], ..message(Channel::Mail, to, NOW + MINUTE) };
        rig.put_message(&shown, NOW + u64::from(n));
    }
    rig.put_message(&message(Channel::Mail, "b@b.c", NOW + MINUTE), NOW + 5);
    let texts = |to: Option<&str>| {
        rig.wait(rig.office.shown_messages(to, 3)).into_iter().flat_map(|shown| shown.sealed).collect::<Vec<_>>()
    };
    assert_eq!(texts(None), [4, 3, 2]);
    assert_eq!(texts(Some("b@b.c")), [3, 1]);
    assert_eq!((rig.due(Channel::Mail, NOW + 9).len(), rig.waiting(Channel::Mail).0), (1, 1));
}

#[test]
fn what_was_done_long_ago_is_forgotten() {
    let rig = Rig::new();
    for n in 0..2 {
        rig.put_message(&message(Channel::Mail, "a@b.c", NOW + 30 * DAY), NOW + n);
    }
    let first = rig.due(Channel::Mail, NOW + 10)[0].id;
    rig.wait(rig.office.end_attempt(first, &Attempt::Sent, NOW + MINUTE));
    rig.put_message(&message(Channel::Mail, "a@b.c", NOW + 30 * DAY), NOW + 7 * DAY);
    assert!(rig.row(first).is_some());
    rig.put_message(&message(Channel::Mail, "a@b.c", NOW + 30 * DAY), NOW + 8 * DAY);
    assert_eq!((rig.row(first), rig.waiting(Channel::Mail).0), (None, 3), "what waits stays");
}

#[test]
fn a_login_from_elsewhere_and_its_notice_are_one_write() {
    let rig = Rig::new();
    let user = rig.register("a@b.c").id;
    let begin = |token: u8, address: &str, now: u64| {
        let notice = Some(message(Channel::Mail, "a@b.c", now + DAY));
        let new = NewSession { address: address.to_owned(), notice, ..session(token, user, now + DAY) };
        rig.wait(rig.office.begin_session(&new, HASH, 10, now)).is_some()
    };
    assert!(begin(1, "1.1.1.1", NOW) && begin(2, "1.1.1.1", NOW + 1));
    assert_eq!(rig.waiting(Channel::Mail).0, 0, "there was no other place");
    assert!(begin(3, "2.2.2.2", NOW + 2));
    assert_eq!(rig.waiting(Channel::Mail), (1, NOW + 2));
    assert!(begin(4, "1.1.1.1", NOW + 3) && begin(5, "2.2.2.2", NOW + 4));
    assert_eq!(rig.waiting(Channel::Mail).0, 1, "both are known");
    assert!(begin(6, "1.1.1.1", NOW + 5 + KNOWN_FOR_MS));
    let again = (1, NOW + 5 + KNOWN_FOR_MS);
    assert_eq!(rig.waiting(Channel::Mail), again, "nobody logged in from anywhere of late; the first has expired");
}
