//! Keys: what they may do, from where, and when they end.

use super::*;
use crate::api::auth::challenges::{Action, Wanted};
use crate::api::auth::office::now;
use crate::api::auth::second_factor::Surety;
use crate::api::auth::{Auth, LoginFrom, Session};
use crate::api::http::errors::Code;
use crate::api::http::i18n::Lang;
use xng_core::account::facts::{AccountStatus, StatusSet};
use xng_core::record::Fact;

#[test]
fn a_key_works_from_its_networks_and_without_any_from_anywhere() {
    let key = |text: &str| ApiKey {
        id: 1,
        account: AccountId(100_001),
        name: String::new(),
        scopes: Scopes::of_bits(3),
        verifier: Verifier::Ed25519([0; 32]),
        created_ms: 0,
        networks: networks(text).unwrap(),
        used_ms: AtomicI64::new(0),
        noted_ms: AtomicI64::new(0),
    };
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    let some = key("10.1.2.3, 192.168.7.9/16,2001:db8::/32");
    for (from, works) in [("10.1.2.3", true), ("10.1.2.4", false), ("192.168.255.1", true), ("2001:db8::9", true)] {
        assert_eq!(some.works_from(ip(from)), works, "{from}");
    }
    assert!(key("").works_from(ip("8.8.8.8")));
    assert!(networks("10.0.0.0/33").is_err() && networks("host").is_err() && networks(&"1.1.1.1,".repeat(31)).is_err());
}

#[test]
fn scopes_are_read_and_written_by_name() {
    let both = Scopes::parse("trade, read").unwrap();
    assert_eq!((both.names(), Scopes::of_bits(both.bits())), (vec!["read", "trade"], both));
    assert_eq!(Scopes::parse("read").unwrap().names(), ["read"]);
    assert_eq!((Scopes::parse(""), Scopes::parse("withdraw")), (None, None));
}

async fn opened(folder: &std::path::Path) -> Auth {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml");
    let mut config = crate::config::Config::load(std::path::Path::new(path)).unwrap();
    (config.auth.argon_memory_kib, config.auth.argon_passes) = (64, 1);
    config.files.locales = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/locales").into();
    let auth = Auth::open(folder, &config).await.unwrap();
    auth.plant_demo_users(&config).await.unwrap();
    auth
}

async fn execute(folder: &std::path::Path, sql: &'static str) {
    use sqlx::Connection;
    let url = format!("sqlite://{}", folder.join("office.db").display());
    let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
}

/// Who shows the login password for something.
fn by_password(account: AccountId) -> Surety<'static> {
    Surety {
        session: Session { id: [0; 32], account },
        ip: IpAddr::from([127, 0, 0, 1]),
        wanted: Wanted::new(Action::CreateApiKey, |_| None),
        proof: None,
        pay_password: Some("demo1234"),
    }
}

#[tokio::test]
async fn a_password_that_is_reset_after_it_was_looked_at_revives_and_makes_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let auth = std::sync::Arc::new(opened(folder.path()).await);
    let terms = KeyTerms { label: "bot".into(), scopes: Scopes::of_bits(3), networks: Vec::new() };
    let user = AccountId::FIRST_USER;
    let mine = by_password(user);
    let (key, _) = auth.create_api_key(&terms, None, &mine).await.unwrap();
    // Whoever changes keys waits here, after the password was looked at.
    let held = auth.keys.changing().await;
    let [first, second, third, fourth] = [0; 4].map(|_| (auth.clone(), terms.clone()));
    let late = [
        tokio::spawn(async move { first.0.confirm_api_key(key.id, &mine).await }),
        tokio::spawn(async move { second.0.change_api_key(key.id, &second.1, &mine).await }),
        tokio::spawn(async move { third.0.create_api_key(&third.1, None, &mine).await.map(|_| ()) }),
        tokio::spawn(async move { fourth.0.delete_api_key(key.id, &mine).await }),
    ];
    // However far they are: a password that is looked at later is wrong as well.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let hash = auth.hasher.hash("another1").await.unwrap();
    let audit = crate::api::auth::second_factor::entry(
        user,
        "reset password",
        &serde_json::json!({}),
        IpAddr::from([127, 0, 0, 1]),
    );
    let ended = auth.office.reset_password(user, &hash, false, (&audit, now())).await.unwrap().unwrap();
    ended.keys.iter().for_each(|name| auth.keys.end(name));
    drop(held);
    for late in late {
        assert_eq!(late.await.unwrap(), Err(Code::BadPayPassword.into()));
    }
    let left = auth.api_keys(user).await.unwrap();
    assert!(left.len() == 1 && left[0].suspended, "{left:?}");
    assert!(auth.keys.find(&key.name).is_none());
}

#[tokio::test]
async fn a_locked_users_keys_end_at_once_and_come_back_with_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let auth = opened(folder.path()).await;
    let terms = KeyTerms { label: "bot".into(), scopes: Scopes::of_bits(3), networks: Vec::new() };
    let mut changes = auth.keys.changes();
    let (user, other) = (AccountId::FIRST_USER, AccountId(AccountId::FIRST_USER.0 + 1));
    let (mine, secret) = auth.create_api_key(&terms, None, &by_password(user)).await.unwrap();
    let (theirs, _) = auth.create_api_key(&terms, Some([7; 32]), &by_password(other)).await.unwrap();
    auth.keys.used(&auth.keys.find(&mine.name).unwrap());
    let locks = |status| Fact::from(StatusSet { account: user, status });
    auth.follow(&locks(AccountStatus::Locked));
    assert!(auth.keys.find(&mine.name).is_none() && auth.keys.find(&theirs.name).is_some());
    assert_eq!(changes.try_recv().unwrap(), KeyChange { name: mine.name.clone(), account: user });
    auth.review_api_keys().await;
    assert!(auth.keys.find(&mine.name).is_none(), "a review brings nothing back");
    auth.follow(&locks(AccountStatus::Active));
    auth.review_api_keys().await;
    let back = auth.keys.find(&mine.name).expect("the user is back");
    let Verifier::Hmac(key) = &back.verifier else { panic!("{back:?}") };
    let shared = hmac::Key::new(hmac::HMAC_SHA256, secret.unwrap().as_bytes());
    assert!(hmac::verify(key, b"x", hmac::sign(&shared, b"x").as_ref()).is_ok());
    assert!(changes.try_recv().is_err(), "nobody held it open");
}

#[tokio::test]
async fn who_is_locked_is_logged_out_and_refused_also_by_the_lock_of_an_earlier_release() {
    let folder = tempfile::tempdir().unwrap();
    let auth = opened(folder.path()).await;
    let (user, from) = (AccountId::FIRST_USER, IpAddr::from([127, 0, 0, 1]));
    let login = || auth.login("demo", None, "demo1234", LoginFrom { ip: from, lang: Lang::En, agent: "" });
    let (token, whose) = login().await.unwrap();
    assert_eq!((whose, auth.session(&token).await.unwrap().account), (user, user));
    let mut kicks = auth.kicks();
    let locks = |status| Fact::from(StatusSet { account: user, status });
    auth.follow(&locks(AccountStatus::Locked));
    assert_eq!(kicks.try_recv().unwrap().reason, "locked");
    assert_eq!(auth.session(&token).await.map(|_| ()), Err(Code::NeedsLogin.into()));
    assert_eq!(login().await.map(|_| ()), Err(Code::AccountLocked.into()));
    auth.follow(&locks(AccountStatus::Active));
    assert!(login().await.is_ok());
    execute(folder.path(), "UPDATE users SET status = 1 WHERE id = 100001").await;
    let again = opened(folder.path()).await;
    assert_eq!(
        again.login("demo", None, "demo1234", LoginFrom { ip: from, lang: Lang::En, agent: "" }).await.map(|_| ()),
        Err(Code::AccountLocked.into())
    );
}
