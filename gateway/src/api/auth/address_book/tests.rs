//! Whose addresses are paid, and since when.

use super::*;
use crate::api::auth::Session;
use crate::api::auth::challenges::{Action, Wanted};
use std::path::Path;

const WAIT_S: u64 = 3_600;
const BTC: (AssetId, ChainId) = (AssetId(1), ChainId(1));

async fn opened(folder: &Path, wait_s: u64) -> Auth {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml");
    let mut config = crate::config::Config::load(Path::new(path)).unwrap();
    (config.auth.argon_memory_kib, config.auth.argon_passes) = (64, 1);
    config.files.locales = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/locales").into();
    config.withdrawals.new_address_wait_s = wait_s;
    let auth = Auth::open(folder, &config).await.unwrap();
    auth.plant_demo_users(&config).await.unwrap();
    auth
}

async fn execute(folder: &Path, sql: &'static str) {
    use sqlx::Connection;
    let url = format!("sqlite://{}", folder.join("office.db").display());
    let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
}

fn shows(account: AccountId, password: Option<&'static str>) -> Surety<'static> {
    Surety {
        session: Session { id: [0; 32], account },
        ip: IpAddr::from([127, 0, 0, 1]),
        wanted: Wanted::new(Action::AddAddress, |_| None),
        proof: None,
        pay_password: password,
    }
}

const USER: AccountId = AccountId::FIRST_USER;
const OTHER: AccountId = AccountId(AccountId::FIRST_USER.0 + 1);

impl AddressBook<'_> {
    async fn added(&self, user: AccountId, address: &str) -> Result<BookRow, Code> {
        let added = self.add(BTC, address, "mine", &shows(user, Some("demo1234"))).await;
        added.map_err(|failure| failure.code)
    }

    async fn paid(&self, user: AccountId, address: &str) -> Usable {
        self.usable(user, BTC.0, BTC.1, address).await.unwrap()
    }
}

#[test]
fn an_address_waits_unless_it_was_saved_after_the_wait_was_switched_off() {
    let at = |created, off, now| usable_at(created, off, 100, now);
    assert_eq!((at(1_000, None, 1_099), at(1_000, None, 1_100)), (1_100, 0));
    // Asked for at 950, off from 1,050 on.
    assert_eq!(at(1_000, Some(1_050), 1_040), 1_100, "not off yet");
    assert_eq!(at(1_000, Some(1_050), 1_060), 1_100, "saved meanwhile");
    assert_eq!(at(1_050, Some(1_050), 1_050), 0);
    assert_eq!(at(u64::MAX, None, 0), u64::MAX);
}

#[tokio::test]
async fn an_address_is_saved_by_a_password_and_belongs_to_its_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let auth = opened(folder.path(), WAIT_S).await;
    let book = auth.address_book();
    for (surety, code) in [(shows(USER, None), Code::Parameter), (shows(USER, Some("wrong-one")), Code::BadPayPassword)]
    {
        assert_eq!(book.add(BTC, "one", "", &surety).await.unwrap_err().code, code);
    }
    let row = book.added(USER, "one").await.unwrap();
    assert_eq!(row.usable_at_ms, row.created_ms + 1_000 * WAIT_S);
    let found = Usable::Found { usable_at_ms: row.usable_at_ms, created_ms: row.created_ms };
    assert_eq!(book.paid(USER, "one").await, found);
    assert_eq!(book.paid(OTHER, "one").await, Usable::NotThere);
    for (asset, network, address) in [(AssetId(2), BTC.1, "one"), (BTC.0, ChainId(2), "one"), (BTC.0, BTC.1, "One")] {
        assert_eq!(book.usable(USER, asset, network, address).await.unwrap(), Usable::NotThere);
    }
    assert_eq!(book.added(USER, "one").await, Err(Code::Exists));
    let from = IpAddr::from([127, 0, 0, 1]);
    assert_eq!(book.delete(OTHER, row.id, from).await.unwrap_err().code, Code::NotFound);
    assert_eq!(book.list(USER).await.unwrap(), std::slice::from_ref(&row));
    book.delete(USER, row.id, from).await.unwrap();
    assert_eq!((book.paid(USER, "one").await, book.list(USER).await.unwrap()), (Usable::NotThere, vec![]));
    for n in 0..MOST_ADDRESSES {
        book.added(USER, &n.to_string()).await.unwrap();
    }
    assert_eq!(book.added(USER, "more").await, Err(Code::Limit));
}

#[tokio::test]
async fn a_row_that_somebody_changed_in_the_database_is_not_there() {
    let changes = [
        "UPDATE withdraw_addresses SET address = 'thief'",
        "UPDATE withdraw_addresses SET created_ms = created_ms - 86400000",
        "UPDATE withdraw_addresses SET user = 100002",
        "UPDATE withdraw_addresses SET asset = 2",
        "UPDATE withdraw_addresses SET network = 2",
        "UPDATE withdraw_addresses SET remark = 'exchange'",
        "UPDATE withdraw_addresses SET mac = zeroblob(32)",
        "UPDATE withdraw_addresses SET mac = x''",
    ];
    for change in changes {
        let folder = tempfile::tempdir().unwrap();
        let auth = opened(folder.path(), 0).await;
        let book = auth.address_book();
        let row = book.added(USER, "one").await.unwrap();
        assert_eq!(row.usable_at_ms, 0, "without a wait");
        execute(folder.path(), change).await;
        for (user, address) in [(USER, "one"), (USER, "thief"), (OTHER, "one")] {
            assert_eq!(book.paid(user, address).await, Usable::NotThere, "{change}");
            assert!(book.list(user).await.unwrap().is_empty(), "{change}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let auth = opened(folder.path(), 0).await;
    let book = auth.address_book();
    let kept = book.added(USER, "kept").await.unwrap();
    execute(
        folder.path(),
        "INSERT INTO withdraw_addresses (user, asset, network, address, remark, created_ms, mac)
         SELECT user, asset, network, 'thief', remark, created_ms, mac FROM withdraw_addresses",
    )
    .await;
    assert_eq!(book.list(USER).await.unwrap(), [kept], "another's mac is none");
    drop(auth);
    std::fs::remove_file(folder.path().join("office.key")).unwrap();
    let anew = opened(folder.path(), 0).await;
    assert!(anew.address_book().list(USER).await.unwrap().is_empty(), "under another key nothing is ours");
}

#[tokio::test]
async fn the_wait_is_switched_off_by_a_password_after_the_wait_and_on_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let auth = opened(folder.path(), 5).await;
    let book = auth.address_book();
    let from = IpAddr::from([127, 0, 0, 1]);
    assert_eq!(book.whitelist(USER).await.unwrap(), Whitelist { is_on: true, off_at_ms: 0, wait_s: 5 });
    let refused = book.switch_off(&shows(USER, None)).await;
    assert_eq!(refused.unwrap_err().code, Code::Parameter);
    book.switch_off(&shows(USER, Some("demo1234"))).await.unwrap();
    let asked = book.whitelist(USER).await.unwrap();
    assert!(asked.is_on && asked.off_at_ms > now(), "{asked:?}");
    let meanwhile = book.added(USER, "meanwhile").await.unwrap();
    assert_eq!(meanwhile.usable_at_ms, meanwhile.created_ms + 5_000);
    book.switch_off(&shows(USER, Some("demo1234"))).await.unwrap();
    assert_eq!(book.whitelist(USER).await.unwrap().off_at_ms, asked.off_at_ms, "a second time changes nothing");
    tokio::time::sleep(std::time::Duration::from_millis(asked.off_at_ms.saturating_sub(now()) + 5)).await;
    assert!(!book.whitelist(USER).await.unwrap().is_on);
    assert!(book.whitelist(OTHER).await.unwrap().is_on, "everybody has their own");
    let after = book.added(USER, "after").await.unwrap();
    assert_eq!(after.usable_at_ms, 0);
    assert_eq!(book.paid(USER, "after").await, Usable::Found { usable_at_ms: 0, created_ms: after.created_ms });
    book.switch_on(USER, from).await.unwrap();
    let now_waits = Usable::Found { usable_at_ms: after.created_ms + 5_000, created_ms: after.created_ms };
    assert_eq!(book.paid(USER, "after").await, now_waits);
}

#[tokio::test]
async fn a_switch_that_somebody_else_wrote_switches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let auth = opened(folder.path(), WAIT_S).await;
    let book = auth.address_book();
    execute(folder.path(), "INSERT INTO withdraw_whitelists_off VALUES (100001, 1, zeroblob(32))").await;
    assert!(book.whitelist(USER).await.unwrap().is_on);
    assert!(book.added(USER, "one").await.unwrap().usable_at_ms > 0);
    book.switch_off(&shows(USER, Some("demo1234"))).await.unwrap();
    execute(folder.path(), "UPDATE withdraw_whitelists_off SET from_ms = 1").await;
    assert_eq!(book.whitelist(USER).await.unwrap().off_at_ms, 0);
    execute(folder.path(), "UPDATE withdraw_whitelists_off SET user = 100002").await;
    assert!(book.whitelist(OTHER).await.unwrap().is_on, "another's");
}
