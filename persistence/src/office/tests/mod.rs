//! The office's rules, over a real file.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

mod cards;
mod chat;
mod content;
mod factors;
mod messages;
mod outbox;
mod pauses;
mod reports;
mod staff;
mod verifications;
mod withdraw_addresses;

use std::{collections::BTreeSet, sync::Arc};

use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use xng_core::ids::{AccountId, AssetId, MarketId};

use super::*;

const NOW: u64 = 1_700_000_000_000;
const MINUTE: u64 = 60_000;

struct Rig {
    runtime: Runtime,
    directory: TempDir,
    office: Arc<Office>,
}

impl Rig {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let directory = tempfile::tempdir().expect("a directory");
        let office = runtime.block_on(Office::open(&directory.path().join("office.db"))).expect("opens");
        Self { runtime, directory, office: Arc::new(office) }
    }

    fn wait<T>(&self, future: impl Future<Output = Result<T, OfficeError>>) -> T {
        self.runtime.block_on(future).expect("no fault")
    }

    fn execute(&self, sql: &'static str) -> Result<(), sqlx::Error> {
        let path = self.directory.path().join("office.db");
        self.runtime.block_on(async {
            let mut connection = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await?;
            sqlx::raw_sql(sql).execute(&mut connection).await.map(|_| ())
        })
    }

    /// What a user's password proves now.
    fn proof(&self, user: AccountId) -> PasswordProof {
        self.wait(self.office.user(user)).expect("there").password_proof()
    }

    /// Keeps a code, with a message that nobody looks at.
    fn put_code(&self, claim: &CodeClaim, now: u64, ttl: u64) {
        self.wait(self.office.put_code(claim, &message(Channel::Mail, "a@b.c", now + ttl), now, ttl));
    }

    fn register(&self, email: &str) -> User {
        match self.wait(self.office.register(&newcomer(email), NOW)) {
            Registration::Done(user) => *user,
            other => panic!("{other:?}"),
        }
    }
}

fn message(channel: Channel, to: &str, expires_ms: u64) -> NewMessage {
    let (destination, lang, subject) = (to.to_owned(), "vi".to_owned(), "a subject".to_owned());
    NewMessage { channel, destination, lang, subject, sealed: b"sealed".to_vec(), is_shown: false, expires_ms }
}

/// Of everybody's password.
const HASH: &str = "$argon2id$one";

fn newcomer(email: &str) -> NewUser {
    NewUser {
        login: Login::Email(email.to_owned()),
        password_hash: HASH.to_owned(),
        nickname: "nick".to_owned(),
        inviter_code: None,
        proof: None,
    }
}

fn phone(number: &str) -> Login {
    Login::Phone(Phone { area_code: "86".to_owned(), number: number.to_owned() })
}

const HOME: &str = "address:1.1.1.1";

fn claim(purpose: Purpose, code: u8) -> CodeClaim {
    CodeClaim { purpose, destination: "a@b.c".to_owned(), asker: HOME.to_owned(), hash: [code; 32] }
}

#[test]
fn a_user_stores_no_more_bytes_than_the_quota() {
    let rig = Rig::new();
    let (ann, bea) = (rig.register("ann@example.com").id, rig.register("bea@example.com").id);
    let fits = |user, bytes| rig.wait(rig.office.reserve_upload(user, bytes, 100));
    assert!(!fits(ann, 101));
    assert!(fits(ann, 60) && !fits(ann, 41) && fits(ann, 40) && !fits(ann, 1));
    assert!(fits(bea, 100), "each has a quota of their own");
}

#[test]
fn the_newest_code_says_what_it_is_for() {
    let rig = Rig::new();
    let newest =
        |asker: &str, purposes: &[Purpose]| rig.wait(rig.office.newest_purpose("a@b.c", asker, purposes, NOW + 3));
    assert_eq!(newest(HOME, &Purpose::ALL), None);
    rig.put_code(&claim(Purpose::Register, 1), NOW, MINUTE);
    rig.put_code(&claim(Purpose::Forget, 1), NOW + 1, MINUTE);
    assert_eq!(newest(HOME, &[Purpose::Register, Purpose::Forget]), Some(Purpose::Forget));
    assert_eq!(newest(HOME, &[Purpose::Register]), Some(Purpose::Register));
    let elsewhere = CodeClaim { asker: "address:2.2.2.2".to_owned(), ..claim(Purpose::Register, 1) };
    rig.put_code(&elsewhere, NOW + 2, MINUTE);
    assert_eq!(newest(HOME, &Purpose::ALL), Some(Purpose::Forget), "the newest of the own ones");
    assert_eq!(newest("address:3.3.3.3", &Purpose::ALL), Some(Purpose::Register));
    rig.wait(rig.office.check_code(&claim(Purpose::Forget, 1), CodeUse::Consume, NOW + 3));
    assert_eq!(newest(HOME, &Purpose::ALL), Some(Purpose::Register), "one that is used up proves nothing");
}

#[test]
fn no_new_user_gets_the_id_of_an_account_that_the_journal_knows() {
    let rig = Rig::new();
    let first = rig.register("first@example.com").id;
    rig.wait(rig.office.raise_ids(AccountId(first.0 + 50)));
    assert_eq!(rig.register("second@example.com").id, AccountId(first.0 + 51));
    rig.wait(rig.office.raise_ids(first));
    assert_eq!(rig.register("third@example.com").id, AccountId(first.0 + 52), "ids never go back");
}

#[test]
fn the_first_user_is_100001_and_is_found_by_mail_in_any_case_and_by_id() {
    let rig = Rig::new();
    let user = rig.register("Alice@Example.COM");
    assert_eq!((user.id, user.email.as_deref()), (AccountId(100_001), Some("alice@example.com")));
    assert_eq!((user.created_ms, user.parents.len()), (NOW, 0));
    let by_mail = rig.wait(rig.office.find_login(&Login::Email("ALICE@example.com".to_owned())));
    assert_eq!(by_mail.as_ref(), Some(&user));
    assert_eq!(rig.wait(rig.office.user(user.id)).as_ref(), Some(&user));
    assert_eq!(rig.wait(rig.office.find_login(&Login::Email("bob@example.com".to_owned()))), None);
    assert!(!format!("{user:?}").contains("argon2"), "hashes stay out of logs");
    assert_eq!(rig.register("second@example.com").id, AccountId(100_002));
}

#[test]
fn an_address_or_phone_is_one_users() {
    let rig = Rig::new();
    rig.register("a@b.c");
    assert_eq!(rig.wait(rig.office.register(&newcomer("A@B.C"), NOW)), Registration::Taken);
    let by_phone = NewUser { login: phone("13800138000"), ..newcomer("") };
    assert!(matches!(rig.wait(rig.office.register(&by_phone, NOW)), Registration::Done(_)));
    assert_eq!(rig.wait(rig.office.register(&by_phone, NOW)), Registration::Taken);
    assert!(rig.wait(rig.office.find_login(&phone("13800138000"))).is_some());
}

#[test]
fn extension_codes_are_six_of_the_alphabet_and_all_different() {
    let rig = Rig::new();
    let codes: BTreeSet<String> = (0..50).map(|n| rig.register(&format!("u{n}@b.c")).extension_code).collect();
    assert_eq!(codes.len(), 50);
    let of_the_alphabet = |c: char| c.is_ascii_uppercase() || ('2'..='9').contains(&c);
    assert!(codes.iter().all(|code| code.len() == 6 && code.chars().all(of_the_alphabet)), "{codes:?}");
}

#[test]
fn an_invitation_gives_a_place_in_the_tree_and_an_unknown_code_does_not() {
    let rig = Rig::new();
    let top = rig.register("top@b.c");
    let invite = |email: &str, code: &str| {
        let new = NewUser { inviter_code: Some(code.to_owned()), ..newcomer(email) };
        rig.wait(rig.office.register(&new, NOW))
    };
    let Registration::Done(middle) = invite("middle@b.c", &top.extension_code) else { panic!("not registered") };
    let Registration::Done(low) = invite("low@b.c", &middle.extension_code) else { panic!("not registered") };
    assert_eq!((middle.inviter, low.inviter), (Some(top.id), Some(middle.id)));
    assert_eq!(low.parents, [top.id, middle.id]);
    assert_eq!(invite("nobody@b.c", "000000"), Registration::UnknownInviter);
    assert!(rig.wait(rig.office.find_login(&Login::Email("nobody@b.c".to_owned()))).is_none());
    let (count, invited) = rig.wait(rig.office.invited(top.id, 10));
    assert_eq!((count, invited.len(), invited[0].id), (1, 1, middle.id));
}

#[test]
fn registering_uses_up_its_proof_and_a_wrong_proof_counts_as_an_attempt() {
    let rig = Rig::new();
    rig.put_code(&claim(Purpose::Register, 7), NOW, 10 * MINUTE);
    let register = |email: &str, code| {
        let new = NewUser { proof: Some(claim(Purpose::Register, code)), ..newcomer(email) };
        rig.wait(rig.office.register(&new, NOW))
    };
    assert_eq!(register("a@b.c", 8), Registration::Code(CodeCheck::Wrong { left: 4 }));
    assert!(matches!(register("a@b.c", 7), Registration::Done(_)));
    assert_eq!(register("other@b.c", 7), Registration::Code(CodeCheck::None), "once only");
}

#[test]
fn a_proof_is_not_used_up_by_a_registration_that_fails() {
    let rig = Rig::new();
    rig.register("a@b.c");
    rig.put_code(&claim(Purpose::Register, 7), NOW, 10 * MINUTE);
    let new = NewUser { proof: Some(claim(Purpose::Register, 7)), ..newcomer("a@b.c") };
    assert_eq!(rig.wait(rig.office.register(&new, NOW)), Registration::Taken);
    let other = NewUser { proof: Some(claim(Purpose::Register, 7)), ..newcomer("b@b.c") };
    assert!(matches!(rig.wait(rig.office.register(&other, NOW)), Registration::Done(_)));
}

#[test]
fn a_code_is_of_one_purpose_expires_and_is_void_after_five_wrong_attempts() {
    let rig = Rig::new();
    let check = |purpose, code, now| {
        rig.wait(rig.office.check_code(&claim(purpose, code), CodeUse::Verify { for_ms: 10 * MINUTE }, now))
    };
    rig.put_code(&claim(Purpose::Forget, 1), NOW, 10 * MINUTE);
    assert_eq!(check(Purpose::Register, 1, NOW), CodeCheck::None);
    assert_eq!(check(Purpose::Forget, 1, NOW + 10 * MINUTE), CodeCheck::None, "expired");
    assert_eq!(check(Purpose::Forget, 1, NOW + 9 * MINUTE), CodeCheck::Right);
    assert_eq!(check(Purpose::Forget, 1, NOW + 18 * MINUTE), CodeCheck::Right, "verified for ten minutes more");
    for left in (0..5).rev() {
        assert_eq!(check(Purpose::Forget, 9, NOW + 18 * MINUTE), CodeCheck::Wrong { left });
    }
    assert_eq!(check(Purpose::Forget, 1, NOW + 18 * MINUTE), CodeCheck::None, "void");
    rig.put_code(&claim(Purpose::Forget, 2), NOW, 10 * MINUTE);
    assert_eq!(check(Purpose::Forget, 2, NOW), CodeCheck::Right, "a new code begins anew");
}

#[test]
fn twenty_guesses_at_once_count_as_five_attempts_and_no_more() {
    let rig = Rig::new();
    rig.put_code(&claim(Purpose::Pay, 77), NOW, 10 * MINUTE);
    let outcomes = rig.runtime.block_on(async {
        let guesses = (0..20u8).map(|guess| {
            let office = rig.office.clone();
            tokio::spawn(async move { office.check_code(&claim(Purpose::Pay, guess), CodeUse::Consume, NOW).await })
        });
        let mut outcomes = Vec::new();
        for guess in guesses.collect::<Vec<_>>() {
            outcomes.push(guess.await.expect("no panic").expect("no fault"));
        }
        outcomes
    });
    let wrong = outcomes.iter().filter(|o| matches!(o, CodeCheck::Wrong { .. })).count();
    let none = outcomes.iter().filter(|o| **o == CodeCheck::None).count();
    assert_eq!((wrong, none), (5, 15));
    let right = rig.wait(rig.office.check_code(&claim(Purpose::Pay, 77), CodeUse::Consume, NOW));
    assert_eq!(right, CodeCheck::None);
}

#[test]
fn nobody_voids_or_burns_the_code_that_another_asked_for() {
    let rig = Rig::new();
    let at = |asker: &str, code| CodeClaim { asker: asker.to_owned(), ..claim(Purpose::Forget, code) };
    let check = |claim| rig.wait(rig.office.check_code(&claim, CodeUse::Verify { for_ms: 0 }, NOW));
    rig.put_code(&at(HOME, 1), NOW, 10 * MINUTE);
    for left in [2, 1, 0] {
        assert_eq!(check(at("address:6.6.6.6", 9)), CodeCheck::Wrong { left });
    }
    assert_eq!(check(at("address:6.6.6.7", 1)), CodeCheck::None, "strangers have no attempts left");
    rig.put_code(&at("address:6.6.6.6", 2), NOW, 10 * MINUTE);
    assert_eq!(check(at("address:6.6.6.6", 1)), CodeCheck::Wrong { left: 4 }, "compared with their own alone");
    assert_eq!(check(at(HOME, 1)), CodeCheck::Right);
    rig.put_code(&at(HOME, 3), NOW, 10 * MINUTE);
    assert_eq!(check(at("address:8.8.8.8", 3)), CodeCheck::Right, "its owner, whose address has changed");
    let used = rig.wait(rig.office.check_code(&at(HOME, 3), CodeUse::Consume, NOW));
    assert_eq!(used, CodeCheck::Right);
    assert_eq!(check(at("address:6.6.6.6", 2)), CodeCheck::None, "all others end with the one that was used");
}

#[test]
fn a_code_for_who_is_logged_in_is_of_one_session() {
    let rig = Rig::new();
    let at = |asker: &str| CodeClaim { asker: asker.to_owned(), ..claim(Purpose::Withdraw, 1) };
    let check = |asker: &str| rig.wait(rig.office.check_code(&at(asker), CodeUse::Consume, NOW));
    rig.put_code(&at("session:1"), NOW, 10 * MINUTE);
    assert_eq!(check("session:2"), CodeCheck::None);
    assert_eq!(check(HOME), CodeCheck::None);
    assert_eq!(check("session:1"), CodeCheck::Right);
}

#[test]
fn sends_are_limited_by_minute_by_day_and_by_network_address() {
    let rig = Rig::new();
    let limits = SendLimits::default();
    let send = |to: &str, ip: &str, now| rig.wait(rig.office.reserve_send(Purpose::Register, to, ip, &limits, now));
    assert_eq!(send("a@b.c", "1.1.1.1", NOW), SendCheck::Allowed);
    assert_eq!(send("a@b.c", "1.1.1.1", NOW + 1_000), SendCheck::Wait { ms: 59_000 });
    for n in 1..5 {
        assert_eq!(send("a@b.c", "1.1.1.1", NOW + n * MINUTE), SendCheck::Allowed);
    }
    let day = 24 * 60 * MINUTE;
    assert_eq!(send("a@b.c", "1.1.1.1", NOW + 5 * MINUTE), SendCheck::Wait { ms: day - 5 * MINUTE });
    for n in 5..10 {
        assert_eq!(
            send("a@b.c", "2.2.2.2", NOW + n * MINUTE),
            SendCheck::Allowed,
            "who is elsewhere is not kept from it"
        );
    }
    assert_eq!(send("a@b.c", "4.4.4.4", NOW + 10 * MINUTE), SendCheck::Wait { ms: day - 10 * MINUTE });
    let of_user = rig.office.reserve_send(Purpose::Withdraw, "a@b.c", "1.1.1.1", &limits, NOW + 10 * MINUTE);
    assert_eq!(rig.wait(of_user), SendCheck::Allowed, "strangers use up none of what a login sends");
    assert_eq!(send("a@b.c", "1.1.1.1", NOW + day), SendCheck::Allowed);
    for n in 0..30 {
        assert_eq!(send(&format!("{n}@b.c"), "3.3.3.3", NOW + n), SendCheck::Allowed);
    }
    assert_eq!(send("x@b.c", "3.3.3.3", NOW + 30), SendCheck::Wait { ms: 60 * MINUTE - 30 });
}

fn session(token: u8, user: AccountId, expires_ms: u64) -> NewSession {
    let (ip, address) = ("1.1.1.1".to_owned(), "1.1.1.1".to_owned());
    let (agent, lang, notice) = ("test".to_owned(), "vi".to_owned(), None);
    NewSession { token: [token; 32], user, expires_ms, ip, address, agent, with_factor: false, lang, notice }
}

#[test]
fn a_session_is_found_until_it_expires_or_is_ended() {
    let rig = Rig::new();
    let user = rig.register("a@b.c").id;
    assert!(
        rig.wait(rig.office.begin_session(&session(1, user, NOW + MINUTE), HASH, 10, NOW)).expect("begins").is_empty()
    );
    let found = rig.wait(rig.office.session(&[1; 32], NOW)).expect("there");
    assert_eq!((found.user, found.created_ms, found.expires_ms), (user, NOW, NOW + MINUTE));
    assert_eq!(rig.wait(rig.office.session(&[2; 32], NOW)), None);
    assert!(rig.wait(rig.office.touch_session(&[1; 32], NOW + 1, NOW + 5 * MINUTE)));
    assert!(rig.wait(rig.office.session(&[1; 32], NOW + 2 * MINUTE)).is_some(), "it slides");
    assert_eq!(rig.wait(rig.office.session(&[1; 32], NOW + 5 * MINUTE)), None, "expired");
    assert!(!rig.wait(rig.office.touch_session(&[1; 32], NOW + 5 * MINUTE, NOW + 9 * MINUTE)), "no way back");
    assert!(rig.wait(rig.office.end_session(&[1; 32])));
    assert!(!rig.wait(rig.office.end_session(&[1; 32])));
    assert_eq!(rig.wait(rig.office.session(&[1; 32], NOW)), None);
}

#[test]
fn the_longest_unseen_sessions_give_way_and_sessions_are_listed_and_revoked_by_their_user_only() {
    let rig = Rig::new();
    let (user, other) = (rig.register("a@b.c").id, rig.register("b@b.c").id);
    for n in 0..10 {
        rig.wait(rig.office.begin_session(&session(n, user, NOW + MINUTE), HASH, 10, NOW + u64::from(n)));
    }
    rig.wait(rig.office.touch_session(&[0; 32], NOW + 100, NOW + MINUTE));
    let ended =
        rig.wait(rig.office.begin_session(&session(10, user, NOW + MINUTE), HASH, 10, NOW + 200)).expect("begins");
    assert_eq!(ended, [[1; 32]], "token 0 was seen since");
    let listed = rig.wait(rig.office.sessions(user, NOW + 200));
    assert_eq!(listed.iter().map(|s| s.token[0]).collect::<Vec<_>>(), [10, 0, 9, 8, 7, 6, 5, 4, 3, 2]);
    assert_eq!(rig.wait(rig.office.revoke_session(other, listed[2].id)), None, "somebody else's");
    assert_eq!(rig.wait(rig.office.revoke_session(user, listed[2].id)), Some([9; 32]));
    assert_eq!(rig.wait(rig.office.sessions(user, NOW + 200)).len(), 9);
}

#[test]
fn an_address_is_known_for_thirty_days_after_a_login() {
    let rig = Rig::new();
    let (user, other) = (rig.register("a@b.c").id, rig.register("b@b.c").id);
    let knows = |user, address: &str, at| rig.wait(rig.office.knows_address(user, address, at));
    assert!(!knows(user, "1.1.1.1", NOW));
    let late = NewSession { address: "9.9.9.0".to_owned(), ..session(1, user, NOW + MINUTE) };
    assert_eq!(rig.wait(rig.office.begin_session(&late, "$argon2id$other", 10, NOW)), None);
    assert!(!knows(user, "9.9.9.0", NOW), "nobody logged in from there");
    rig.wait(rig.office.begin_session(&session(1, user, NOW + MINUTE), HASH, 10, NOW));
    assert!(knows(user, "1.1.1.1", NOW) && !knows(other, "1.1.1.1", NOW) && !knows(user, "1.1.2.0", NOW));
    assert!(knows(user, "1.1.1.1", NOW + KNOWN_FOR_MS - 1) && !knows(user, "1.1.1.1", NOW + KNOWN_FOR_MS));
    rig.wait(rig.office.begin_session(&session(2, user, NOW + 9 * MINUTE), HASH, 10, NOW + MINUTE));
    assert!(knows(user, "1.1.1.1", NOW + KNOWN_FOR_MS), "the last login counts");
    for n in 0..120_u64 {
        let address = format!("2.2.{n}.0");
        let new = NewSession { address, ..session(100 + n as u8, user, NOW + 99 * MINUTE) };
        rig.wait(rig.office.begin_session(&new, HASH, 10, NOW + 2 * MINUTE + n));
    }
    assert!(
        !knows(user, "1.1.1.1", NOW + 3 * MINUTE) && !knows(user, "2.2.19.0", NOW + 3 * MINUTE),
        "the oldest gave way"
    );
    assert!(knows(user, "2.2.20.0", NOW + 3 * MINUTE) && knows(user, "2.2.119.0", NOW + 3 * MINUTE));
}

#[test]
fn a_reset_password_ends_all_sessions_and_a_rehash_none() {
    let rig = Rig::new();
    let user = rig.register("a@b.c").id;
    for n in 1..=3 {
        rig.wait(rig.office.begin_session(&session(n, user, NOW + MINUTE), HASH, 10, NOW));
    }
    rig.wait(rig.office.rehash_password(user, "another", "$argon2id$wrong"));
    assert_eq!(rig.wait(rig.office.user(user)).expect("there").password_hash, HASH, "it has been changed meanwhile");
    rig.wait(rig.office.rehash_password(user, HASH, "$argon2id$stronger"));
    assert_eq!(rig.wait(rig.office.sessions(user, NOW)).len(), 3);
    assert!(rig.wait(rig.office.knows_address(user, "1.1.1.1", NOW)));
    let ended = rig
        .wait(rig.office.reset_password(user, "$argon2id$two", false, (&entry("reset password"), NOW)))
        .expect("no factor")
        .sessions;
    assert_eq!(ended.into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([[1; 32], [2; 32], [3; 32]]));
    assert_eq!(rig.wait(rig.office.user(user)).expect("there").password_hash, "$argon2id$two");
    assert!(rig.wait(rig.office.sessions(user, NOW)).is_empty());
    assert!(!rig.wait(rig.office.knows_address(user, "1.1.1.1", NOW)), "whoever had the old one may have been there");
    let late = session(9, user, NOW + MINUTE);
    assert_eq!(
        rig.wait(rig.office.begin_session(&late, HASH, 10, NOW)),
        None,
        "the old password opens nothing any more"
    );
}

#[test]
fn profile_and_pay_password_are_read_and_old_locks_are_moved_once() {
    let rig = Rig::new();
    let user = rig.register("a@b.c").id;
    let set =
        "UPDATE users SET nickname = 'new', avatar = '/upload/x.png', pay_password_hash = '$argon2id$pay', status = 1";
    rig.execute(set).expect("a row of another release");
    let user = rig.wait(rig.office.user(user)).expect("there");
    assert_eq!((user.nickname.as_str(), user.signature.as_str(), user.avatar.as_str()), ("new", "", "/upload/x.png"));
    assert_eq!(user.pay_password_hash.as_deref(), Some("$argon2id$pay"));
    assert_eq!(rig.wait(rig.office.locked_before()), [user.id]);
    rig.wait(rig.office.lock_moved(user.id));
    assert!(rig.wait(rig.office.locked_before()).is_empty());
}

#[test]
fn a_pair_is_watched_once_within_the_limit_and_removed_by_its_user_only() {
    let rig = Rig::new();
    let (user, other) = (rig.register("a@b.c").id, rig.register("b@b.c").id);
    let watch = |asset, most| rig.wait(rig.office.watch(user, AssetId(asset), MarketId(1), most, NOW));
    let Watching::Added(first) = watch(1, 2) else { panic!("not added") };
    assert_eq!(watch(1, 2), Watching::AlreadyThere);
    assert!(matches!(watch(2, 2), Watching::Added(_)));
    assert_eq!(watch(3, 2), Watching::Full);
    assert!(!rig.wait(rig.office.unwatch(other, first)), "somebody else's");
    assert!(rig.wait(rig.office.unwatch(user, first)));
    let listed = rig.wait(rig.office.watchlist(user));
    assert_eq!(listed.iter().map(|w| w.asset).collect::<Vec<_>>(), [AssetId(2)]);
}

fn entry(action: &str) -> AuditEntry {
    AuditEntry {
        actor: "admin:1".to_owned(),
        action: action.to_owned(),
        subject: "user:100001".to_owned(),
        detail: "{}".to_owned(),
        ip: "1.1.1.1".to_owned(),
    }
}

#[test]
fn the_audit_can_only_grow_and_a_tampered_row_is_found() {
    let rig = Rig::new();
    for n in 0..4 {
        let row = rig.wait(rig.office.append_audit(&entry(&format!("step {n}")), NOW + n));
        assert_eq!(row.id, n + 1);
    }
    let newest = rig.wait(rig.office.audit(&AuditFilter::default(), 2));
    assert_eq!(newest.iter().map(|r| r.entry.action.as_str()).collect::<Vec<_>>(), ["step 3", "step 2"]);
    assert_eq!(rig.wait(rig.office.audit(&AuditFilter { before: Some(2), ..AuditFilter::default() }, 10)).len(), 1);
    assert_eq!(rig.wait(rig.office.verify_audit()), (4, newest[0].hash));
    assert!(rig.execute("UPDATE audit SET actor = 'nobody' WHERE id = 2").is_err(), "refused");
    assert!(rig.execute("DELETE FROM audit WHERE id = 2").is_err(), "refused");
    rig.execute("DROP TRIGGER audit_is_not_changed; UPDATE audit SET actor = 'nobody' WHERE id = 2").expect("by force");
    let error = rig.runtime.block_on(rig.office.verify_audit()).expect_err("noticed");
    assert!(matches!(error, OfficeError::AuditBroken { id: 2 }), "{error}");
}

#[test]
fn the_file_opens_again_with_everything_in_it() {
    let rig = Rig::new();
    let user = rig.register("a@b.c");
    rig.runtime.block_on(rig.office.close());
    let again = rig.wait(Office::open(&rig.directory.path().join("office.db")));
    assert_eq!(rig.wait(again.user(user.id)), Some(user));
}

fn api_key(user: AccountId, name: &str) -> NewApiKey {
    NewApiKey {
        user,
        label: "bot".to_owned(),
        kind: ApiKeyKind::Hmac,
        name: name.to_owned(),
        secret: vec![1, 2, 3],
        scopes: 3,
        networks: "10.0.0.0/8".to_owned(),
    }
}

#[test]
fn logins_of_an_older_release_are_known_by_their_sessions() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("office.db");
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        drop(Database::open(&path, &SQLITE_OFFICE[..5]).await.expect("the older release"));
        let mut connection = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.expect("opens");
        sqlx::raw_sql(
            "INSERT INTO users (id, email, password_hash, nickname, signature, avatar, extension_code, parents, status,
             created_ms) VALUES (100001, 'a@b.c', 'x', '', '', '', 'ABCDEF', '/', 0, 1);
             INSERT INTO sessions (token_hash, user, created_ms, last_seen_ms, expires_ms, ip, agent) VALUES
             (zeroblob(32), 100001, 5, 6, 7, '1.1.1.1', ''), (zeroblob(31), 100001, 9, 9, 9, '1.1.1.1', ''),
             (zeroblob(30), 100001, 5, 6, 7, '2001:db8::1', '');
             INSERT INTO known_networks VALUES (100001, '1.1.1.0', 5), (100001, '2.2.2.0', 5);",
        )
        .execute(&mut connection)
        .await
        .expect("rows of the older release");
        drop(connection.close().await);
        let office = Office::open(&path).await.expect("this release");
        let mut known = Vec::new();
        for address in ["1.1.1.1", "1.1.1.0", "2.2.2.0", "2001:db8::1", "2001:db8::"] {
            if office.knows_address(AccountId(100_001), address, 8 + KNOWN_FOR_MS).await.expect("no fault") {
                known.push(address);
            }
        }
        assert_eq!(known, ["1.1.1.1"], "by its latest login");
    });
}

fn done<T: std::fmt::Debug>(outcome: Proven<T>) -> Option<T> {
    let Proven::Done(done) = outcome else { panic!("the password is still the same") };
    done
}

#[test]
fn a_password_that_is_not_the_users_any_more_does_nothing_to_keys() {
    type Change = fn(&Rig, AccountId);
    let login: Change = |rig, user| {
        drop(rig.wait(rig.office.reset_password(user, "$argon2id$two", false, (&entry("reset password"), NOW))))
    };
    let pay: Change = |rig, _| rig.execute("UPDATE users SET pay_password_hash = '$argon2id$pay'").expect("set");
    let no_pay: Change = |rig, _| rig.execute("UPDATE users SET pay_password_hash = NULL").expect("removed");
    for (had_pay, change) in [(false, login), (true, login), (false, pay), (true, no_pay)] {
        let rig = Rig::new();
        let user = rig.register("ann@example.com").id;
        if had_pay {
            rig.execute("UPDATE users SET pay_password_hash = '$argon2id$first'").expect("set");
        }
        let proof = rig.proof(user);
        let id = done(rig.wait(rig.office.add_api_key(&api_key(user, "a1"), &proof, 9, NOW))).expect("room");
        rig.execute("UPDATE api_keys SET suspended = 1").expect("suspended");
        change(&rig, user);
        assert!(matches!(rig.wait(rig.office.confirm_api_key(user, id, &proof)), Proven::Stale));
        assert!(matches!(rig.wait(rig.office.change_api_key(user, id, &proof, ("new", 1, ""))), Proven::Stale));
        assert!(matches!(rig.wait(rig.office.add_api_key(&api_key(user, "a2"), &proof, 9, NOW)), Proven::Stale));
        assert!(matches!(rig.wait(rig.office.remove_api_key(user, id, &proof)), Proven::Stale));
        let left = rig.wait(rig.office.api_keys(user));
        assert_eq!(left.len(), 1);
        assert!(left[0].suspended && left[0].key.label == "bot");
        let confirmed = done(rig.wait(rig.office.confirm_api_key(user, id, &rig.proof(user))));
        assert!(confirmed.is_some_and(|key| !key.suspended), "by the password of now");
    }
}

#[test]
fn api_keys_are_counted_and_belong_to_their_user() {
    let rig = Rig::new();
    let (ann, bea) = (rig.register("ann@example.com").id, rig.register("bea@example.com").id);
    let add = |user, name| done(rig.wait(rig.office.add_api_key(&api_key(user, name), &rig.proof(user), 2, NOW)));
    let first = add(ann, "a1").unwrap();
    assert!(add(ann, "a2").is_some() && add(bea, "b1").is_some());
    assert_eq!(add(ann, "a3"), None, "two are enough");
    let (again, proof) = (api_key(bea, "a1"), rig.proof(bea));
    assert!(rig.runtime.block_on(rig.office.add_api_key(&again, &proof, 2, NOW)).is_err(), "names are unique");
    let change = |user| done(rig.wait(rig.office.change_api_key(user, first, &rig.proof(user), ("new", 1, ""))));
    assert!(change(bea).is_none(), "another's");
    let changed = change(ann).unwrap();
    assert_eq!((&*changed.key.label, changed.key.scopes, &*changed.key.networks), ("new", 1, ""));
    rig.wait(rig.office.api_keys_used(&[(first, NOW + 5)]));
    let list = rig.wait(rig.office.api_keys(ann));
    let found: Vec<_> = list.iter().map(|key| (&*key.key.name, key.used_ms)).collect();
    assert_eq!(found, [("a1", Some(NOW + 5)), ("a2", None)]);
    let remove =
        |user| done(rig.wait(rig.office.remove_api_key(user, first, &rig.proof(user)))).map(|key| key.key.name);
    assert_eq!((remove(bea), remove(ann).as_deref()), (None, Some("a1")));
    assert!(add(ann, "a3").is_some(), "room again");
}

#[test]
fn keys_of_users_who_are_gone_are_not_live() {
    let rig = Rig::new();
    let names = ["ann", "bea", "cem"];
    for name in names {
        let user = rig.register(&format!("{name}@example.com")).id;
        done(rig.wait(rig.office.add_api_key(&api_key(user, name), &rig.proof(user), 2, NOW))).unwrap();
    }
    rig.execute("DELETE FROM users WHERE email = 'bea@example.com'").unwrap();
    let live: Vec<String> = rig.wait(rig.office.live_api_keys()).into_iter().map(|key| key.key.name).collect();
    assert_eq!(live, ["ann", "cem"]);
}
