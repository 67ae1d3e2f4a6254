//! What a challenge and a proof are good for, and how long.

use super::*;
use xng_persistence::office::User;

const NOW: u64 = 1_700_000_000_000;
const ACCOUNT: AccountId = AccountId(100_001);
const SESSION: TokenHash = [1; 32];

fn wanted(id: &'static str) -> Wanted {
    Wanted::new(Action::DeleteApiKey, |name| (name == "id").then_some(id))
}

fn passwords() -> PasswordProof {
    let user = User {
        id: ACCOUNT,
        email: None,
        phone: None,
        password_hash: "hash".into(),
        pay_password_hash: None,
        nickname: String::new(),
        signature: String::new(),
        avatar: String::new(),
        extension_code: String::new(),
        inviter: None,
        parents: Vec::new(),
        created_ms: 0,
        lang: String::new(),
        mail_phrase: None,
    };
    user.password_proof()
}

#[test]
fn a_subject_is_all_its_fields_as_they_were_sent() {
    let create = |ips: Option<&'static str>, label: &'static str| {
        Wanted::new(Action::CreateApiKey, move |name| match name {
            "ips" => ips,
            "label" => Some(label),
            _ => None,
        })
    };
    assert_eq!(create(None, "bot"), create(None, "bot"));
    let others = [create(Some(""), "bot"), create(Some("10.0.0.1"), "bot"), create(None, "bo"), create(None, "")];
    assert!(others.iter().all(|other| *other != create(None, "bot")));
    assert_ne!(wanted("1"), Wanted::new(Action::ConfirmApiKey, |_| Some("1")), "another action");
    assert!(Action::ALL.iter().all(|action| Action::parse(action.name()) == Some(*action)));
    assert_eq!(Action::ALL.len(), ACTIONS.len());
}

#[test]
fn a_challenge_has_five_tries_of_whoever_was_asked_and_ends_after_five_minutes() {
    let challenges = Challenges::default();
    let (mine, here) = (Asked::Session(SESSION), Asked::Address(IpAddr::from([10, 0, 0, 1])));
    let (name, ends_ms) = challenges.ask(ACCOUNT, mine, Aim::Proof(wanted("1")), NOW);
    assert_eq!(ends_ms, NOW + 300_000);
    for other in [Asked::Session([2; 32]), here] {
        assert_eq!(challenges.attempt(&name, other, NOW), None, "others spend no try");
    }
    assert!((0..5).all(|_| challenges.attempt(&name, mine, ends_ms - 1).is_some()));
    assert_eq!(challenges.attempt(&name, mine, NOW), None, "the sixth");
    let (late, _) = challenges.ask(ACCOUNT, here, Aim::Login("hash".into()), NOW);
    assert_eq!(challenges.attempt(&late, here, ends_ms), None);
    assert!(challenges.attempt(&late, here, ends_ms - 1).is_some() && challenges.answered(&late, ends_ms - 1));
    assert!(!challenges.answered(&late, NOW), "once");
    assert_eq!(challenges.attempt(&late, here, NOW), None);
    assert_eq!(challenges.attempt("", mine, NOW), None);
}

#[test]
fn a_proof_is_used_once_in_its_session_for_its_subject_within_five_minutes() {
    let challenges = Challenges::default();
    let prove = || challenges.prove((ACCOUNT, SESSION), wanted("1"), passwords(), NOW).0;
    let (right, end) = (prove(), NOW + LIVES_MS);
    assert_eq!(challenges.use_up(&right, SESSION, wanted("1"), end - 1), Some(passwords()));
    assert_eq!(challenges.use_up(&right, SESSION, wanted("1"), NOW), None, "once");
    assert_eq!(challenges.use_up(&prove(), SESSION, wanted("1"), end), None, "too late");
    for (session, subject) in [([2; 32], "1"), (SESSION, "2")] {
        let proof = prove();
        assert_eq!(challenges.use_up(&proof, session, wanted(subject), NOW), None);
        assert_eq!(challenges.use_up(&proof, SESSION, wanted("1"), NOW), None, "what was misused is used up");
    }
}

#[test]
fn what_ended_is_forgotten_and_the_oldest_of_many_give_way() {
    let challenges = Challenges::default();
    let mine = Asked::Session(SESSION);
    let ask = || challenges.ask(ACCOUNT, mine, Aim::Proof(wanted("1")), NOW).0;
    let (first, second) = (ask(), ask());
    (2..=MOST).for_each(|_| drop(ask()));
    assert!(challenges.attempt(&first, mine, NOW).is_none() && challenges.attempt(&second, mine, NOW).is_some());
    let other = Asked::Session([2; 32]);
    let (kept, _) = challenges.ask(ACCOUNT, other, Aim::Proof(wanted("1")), NOW + 1);
    challenges.sweep(NOW + LIVES_MS);
    assert!(challenges.attempt(&kept, other, NOW + 1).is_some());
    assert_eq!((challenges.waiting.rows.len(), challenges.waiting.order.len()), (1, 1));
}
