//! The operator's tools, as subcommands of the real binary, on data that a real exchange wrote.

use crate::client::{Api, Server};
use crate::tool::{bad, good, on, tool};
use serde_json::Value;
use std::sync::Arc;
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_persistence::store::{Changes, Projection, SqlStore, Store, StoreUrl};

/// Trades a little: orders that meet the house's quotes, orders that rest, cancels.
fn live_a_little(server: &Server) -> (Api, u64) {
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let pair = [("currency_id", "1"), ("legal_id", "3")];
    for side in ["1", "1", "2"] {
        let form = [("type", side), ("order_type", "market"), ("amount", "0.001")];
        let answer = api.post("/coin/trade", &[&pair[..], &form[..]].concat());
        assert!(answer["data"]["id"].is_u64(), "{answer}");
    }
    for n in 0..25 {
        let form = [("type", "1"), ("target_price", "56000"), ("amount", "0.0005")];
        let id = api.post("/coin/trade", &[&pair[..], &form[..]].concat())["data"]["id"].as_u64().unwrap();
        if n % 4 == 0 {
            api.post("/coin/cancel", &[("id", &id.to_string())]);
        }
    }
    let uid = api.get("/user/info")["message"]["id"].as_u64().unwrap();
    (api, uid)
}

fn stopped_exchange() -> (Server, u64) {
    let mut server =
        Server::start(&[("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "50"), ("XNG__JOURNAL__SEGMENT_MIB", "1")]);
    let (_, uid) = live_a_little(&server);
    assert!(server.terminate().success());
    (server, uid)
}

#[test]
fn verify_stat_dump_replay_and_audit_agree_on_a_stopped_exchange() {
    let (server, uid) = stopped_exchange();
    let verified: Value = serde_json::from_str(&good(&tool(&server, &["journal", "verify", "--json"]))).unwrap();
    let last = verified["last"].as_u64().unwrap();
    assert!(last > 100 && verified["folded_after"] == 0, "{verified}");
    assert!(good(&tool(&server, &["journal", "verify"])).contains("all blocks and records are whole"));

    let stat: Value = serde_json::from_str(&good(&tool(&server, &["journal", "stat", "--json"]))).unwrap();
    let records: u64 = stat["kinds"].as_object().unwrap().values().map(|k| k["records"].as_u64().unwrap()).sum();
    assert_eq!((records, &stat["lsn"][1]), (last, &last.into()), "{stat}");

    let all = good(&tool(&server, &["journal", "dump"]));
    let lines: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().enumerate().all(|(n, line)| line["lsn"] == n as u64 + 1));
    assert_eq!(lines.len() as u64, last);
    let some = ["journal", "dump", "--kind", "OrderPlaced", "--user", &uid.to_string(), "--from", "5"];
    let placed: Vec<Value> = good(&tool(&server, &some)).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(placed.len() > 20, "{}", placed.len());
    let traded = placed.iter().find(|p| p["fact"]["trades"].as_array().is_some_and(|t| !t.is_empty())).unwrap();
    let trade = &traded["fact"]["trades"][0];
    assert_eq!(trade["amount"].as_str().map(str::is_empty), Some(false), "{traded}");
    assert!(bad(&tool(&server, &["journal", "dump", "--kind", "Nonsense"]), 2).contains("OrderPlaced"));

    let replayed = good(&tool(&server, &["replay", "--user", &uid.to_string()]));
    assert!(replayed.contains("equals the journal") && replayed.contains("open order"), "{replayed}");
    let audited: Value = serde_json::from_str(&good(&tool(&server, &["audit", "--json"]))).unwrap();
    let compared = &audited["compared"];
    assert_eq!(compared["state"], verified["state"]);
    assert_eq!(compared["store"]["checkpoint"], last, "{audited}");
    assert!(compared["store"]["ledger"].as_u64().unwrap() > 50, "{audited}");
    assert!(compared["snapshots"].as_array().is_some_and(|found| !found.is_empty()), "{audited}");
    assert!(compared["store"]["fills"].as_u64().unwrap() > 0, "{audited}");
    assert!(good(&tool(&server, &["audit"])).ends_with("no difference\n"));
}

#[test]
fn a_changed_row_in_the_store_is_named_by_audit_and_replay() {
    let (server, uid) = stopped_exchange();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let store = Arc::new(SqlStore::open(&StoreUrl::sqlite(&server.data_dir().join("store.db"))).await.unwrap());
        let at = store.checkpoint(0).await.unwrap().unwrap();
        let account = xng_core::ids::AccountId(uid);
        let mut balance = store.balances_of(account).await.unwrap()[0];
        balance.available += Amount(1);
        let mut changes = Changes::none(0, at.epoch, at.lsn);
        changes.to = at;
        changes.balances.insert((account, balance.wallet, balance.asset), balance);
        store.apply(&changes).await.unwrap();
        store.close().await;
    });
    let told = bad(&tool(&server, &["audit"]), 1);
    assert!(told.contains("the store differs at balance"), "{told}");
    let told = bad(&tool(&server, &["replay", "--user", &uid.to_string()]), 1);
    assert!(told.contains("the store differs at balance"), "{told}");
}

#[test]
fn a_flipped_byte_is_found_with_file_and_byte() {
    let (server, _) = stopped_exchange();
    let mut segments: Vec<_> =
        std::fs::read_dir(server.data_dir().join("journal")).unwrap().map(|e| e.unwrap().path()).collect();
    segments.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with("seg-"));
    segments.sort();
    let mut bytes = std::fs::read(&segments[0]).unwrap();
    bytes[4_096 + 512 + 100] ^= 1;
    std::fs::write(&segments[0], bytes).unwrap();
    let told = bad(&tool(&server, &["journal", "verify"]), 1);
    assert!(told.contains(&segments[0].display().to_string()) && told.contains("byte "), "{told}");
}

#[test]
fn beside_a_running_server_tools_read_and_leave_it_alone() {
    let server = Server::start(&[]);
    let (api, uid) = live_a_little(&server);
    let durable = Lsn(server.ops_get("/status")["durable"].as_u64().unwrap());
    assert!(good(&tool(&server, &["journal", "verify"])).contains("whole"));
    let stat: Value = serde_json::from_str(&good(&tool(&server, &["journal", "stat", "--json"]))).unwrap();
    assert!(stat["lsn"][1].as_u64().unwrap() >= durable.0.saturating_sub(4_096), "{stat}");
    let audited = good(&tool(&server, &["audit"]));
    assert!(audited.contains("not compared: a server runs"), "{audited}");
    assert!(good(&tool(&server, &["replay", "--user", &uid.to_string()])).contains("a server runs"));
    let form = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.001")];
    assert!(api.post("/coin/trade", &form)["data"]["id"].is_u64(), "it trades on");
}

#[test]
fn a_backup_beside_a_running_server_restores_elsewhere_to_the_same_exchange() {
    let mut server =
        Server::start(&[("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "50"), ("XNG__JOURNAL__SEGMENT_MIB", "1")]);
    let (api, uid) = live_a_little(&server);
    let (balances, orders) = (api.balance(3), api.get("/coin/list?status=1&limit=100")["message"].clone());
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("backup");
    let dir = dir.to_str().unwrap();
    let said = good(&tool(&server, &["backup", dir]));
    assert!(bad(&tool(&server, &["backup", dir]), 2).contains("not empty"));
    assert!(bad(&tool(&server, &["restore", dir]), 2).contains("not empty"), "never over data");
    server.kill();

    let mut elsewhere = Server::prepare(&[]);
    let restored = good(&tool(&elsewhere, &["restore", dir]));
    let state = said.trim_end().rsplit(' ').next().unwrap();
    assert!(restored.contains(state), "{said}{restored}");
    let verified: Value = serde_json::from_str(&good(&tool(&elsewhere, &["journal", "verify", "--json"]))).unwrap();
    assert_eq!(verified["state"], state, "the digest is the same");
    elsewhere.launch();
    let api = elsewhere.demo("demo");
    assert_eq!(api.get("/user/info")["message"]["id"], uid, "the office came along");
    assert_eq!(api.balance(3), balances);
    assert_eq!(api.get("/coin/list?status=1&limit=100")["message"], orders);
    elsewhere.wait_persisted();
    assert!(elsewhere.terminate().success());
    let audited: Value = serde_json::from_str(&good(&tool(&elsewhere, &["audit", "--json"]))).unwrap();
    assert!(audited["compared"]["store"]["fills"].as_u64().unwrap() > 0, "the store is rebuilt: {audited}");
}

#[test]
fn a_damaged_or_unfinished_backup_is_not_restored() {
    let (server, _) = stopped_exchange();
    let folder = tempfile::tempdir().unwrap();
    let backup = folder.path().join("backup");
    good(&tool(&server, &["backup", backup.to_str().unwrap()]));
    let office = backup.join("office.db");
    let mut bytes = std::fs::read(&office).unwrap();
    bytes[2_000] ^= 1;
    std::fs::write(&office, &bytes).unwrap();
    let data = folder.path().join("data");
    let told = bad(&on(&data, &["restore", backup.to_str().unwrap()]), 1);
    assert!(told.contains("office.db") && !data.exists(), "{told}");
    bytes[2_000] ^= 1;
    std::fs::write(&office, &bytes).unwrap();
    good(&on(&data, &["restore", backup.to_str().unwrap()]));
    std::fs::remove_file(backup.join("MANIFEST")).unwrap();
    let told = bad(&on(&folder.path().join("other"), &["restore", backup.to_str().unwrap()]), 2);
    assert!(told.contains("no manifest"), "{told}");
}
