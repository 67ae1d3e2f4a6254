//! The operator's tools, as subcommands of the real binary, on data that a real exchange wrote.

use crate::bot::Bot;
use crate::client::{Api, Server, WHOLE_DEMO};
use crate::tool::{bad, command, good, on, tool};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_persistence::store::{Changes, Projection, SqlStore, StoreUrl, StoredBalance};

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
    // All pairs: so that there are records enough.
    let often = [("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "50"), ("XNG__JOURNAL__SEGMENT_MIB", "1")];
    let mut server = Server::start(&[WHOLE_DEMO, often[0], often[1]]);
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
        let key = (account, balance.wallet, balance.asset);
        changes.wallets.balances.insert(key, StoredBalance { account, balance });
        store.apply(&changes).await.unwrap();
        store.close().await;
    });
    let printed = bad(&tool(&server, &["audit"]), 1);
    assert!(printed.contains("the store differs at balance"), "{printed}");
    let printed = bad(&tool(&server, &["replay", "--user", &uid.to_string()]), 1);
    assert!(printed.contains("the store differs at balance"), "{printed}");
}

#[test]
fn what_was_changed_of_an_order_outlives_a_restart_and_is_held_against_the_journal() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let best = server.api().raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
    let low = (best["bidPrice"].as_str().unwrap().parse::<f64>().unwrap() * 0.96) as i64;
    let order = format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price={low}");
    let named = format!("symbol=BTCUSDT&orderId={}", bot.good("POST", "order", &order)["orderId"]);
    for quantity in ["0.006", "0.003"] {
        bot.good("PUT", "order/amend/keepPriority", &format!("{named}&newQty={quantity}"));
    }
    let printed = bot.good("GET", "order/amendments", &named);
    assert_eq!(printed.as_array().map(Vec::len), Some(2), "{printed}");
    server.wait_persisted();
    server.kill();
    server.launch();
    let bot = Bot { api: server.demo("demo"), ..bot };
    assert_eq!(bot.good("GET", "order/amendments", &named), printed);
    let user = bot.user();
    server.wait_persisted();
    assert!(server.terminate().success());

    let replay = ["replay", "--user", &user];
    let audited = good(&tool(&server, &["audit"]));
    assert!(audited.contains("2 amendments"), "{audited}");
    assert!(good(&tool(&server, &replay)).contains("equals the journal"));
    for (change, found) in [
        (
            "UPDATE amendments SET lots = lots + 1 WHERE lots = (SELECT MIN(lots) FROM amendments)",
            "differs at amendment",
        ),
        ("DELETE FROM amendments WHERE lots = (SELECT MIN(lots) FROM amendments)", "lacks amendment"),
        ("UPDATE amendments SET lots = lots + 1", "has one amendment"),
    ] {
        sql(&server.data_dir().join("store.db"), change);
        for args in [&["audit"][..], &replay] {
            let said = bad(&tool(&server, args), 1);
            assert!(said.contains(found), "{change}: {said}");
        }
    }
    // As in a store that is older than the table.
    sql(&server.data_dir().join("store.db"), "DELETE FROM amendments");
    assert!(good(&tool(&server, &["audit"])).contains("0 amendments"));
    assert!(good(&tool(&server, &replay)).contains("equals the journal"));
}

#[test]
fn a_changed_missing_or_added_row_of_any_table_is_named_by_audit_and_replay() {
    let (server, uid) = stopped_exchange();
    let (path, user) = (server.data_dir().join("store.db"), uid.to_string());
    // Into one file, which is put back after each change.
    sql(&path, "PRAGMA wal_checkpoint(TRUNCATE)");
    let whole = std::fs::read(&path).unwrap();
    for (table, row, number) in [("orders", "order", "order_id"), ("fills", "fill", "trade")] {
        let last = format!("SELECT MAX({number}) FROM {table} WHERE account = {uid}");
        let copied = format!(
            "CREATE TEMP TABLE more AS SELECT * FROM {table} WHERE {number} = ({last}) AND account = {uid};
             UPDATE more SET {number} = {number} + 1000000; INSERT INTO {table} SELECT * FROM more"
        );
        for (change, found) in [
            (format!("UPDATE {table} SET lots = lots + 1 WHERE {number} = ({last})"), format!("differs at {row}")),
            (format!("DELETE FROM {table} WHERE account = {uid} AND {number} = ({last})"), format!("lacks {row}")),
            (copied, format!("has one {row} of account {uid} that no record explains")),
        ] {
            sql(&path, &change);
            for args in [&["audit"][..], &["replay", "--user", &user]] {
                let printed = bad(&tool(&server, args), 1);
                assert!(printed.contains(&found), "{change}: {printed}");
            }
            std::fs::write(&path, &whole).unwrap();
        }
    }
    good(&tool(&server, &["audit"]));
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
    let printed = bad(&tool(&server, &["journal", "verify"]), 1);
    assert!(printed.contains(&segments[0].display().to_string()) && printed.contains("byte "), "{printed}");
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
    assert_eq!(api.get_patiently("/coin/list?status=1&limit=100")["message"], orders);
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
    let printed = bad(&on(&data, &["restore", backup.to_str().unwrap()]), 1);
    assert!(printed.contains("office.db") && !data.join("journal").exists(), "{printed}");
    bytes[2_000] ^= 1;
    std::fs::write(&office, &bytes).unwrap();
    good(&on(&data, &["restore", backup.to_str().unwrap()]));
    std::fs::remove_file(backup.join("MANIFEST")).unwrap();
    let printed = bad(&on(&folder.path().join("other"), &["restore", backup.to_str().unwrap()]), 2);
    assert!(printed.contains("no manifest"), "{printed}");
}

#[test]
fn a_backup_restores_into_a_mount_point_and_an_interrupted_restore_keeps_servers_out() {
    let (server, _) = stopped_exchange();
    let folder = tempfile::tempdir().unwrap();
    let (backup, data) = (folder.path().join("backup"), folder.path().join("mnt"));
    let said = good(&tool(&server, &["backup", backup.to_str().unwrap()]));
    let state = said.trim_end().rsplit(' ').next().unwrap();
    std::fs::create_dir(&data).unwrap();
    // As a file system of its own has it at its root; and half of an attempt.
    let script = r#"mount -t tmpfs none "$2" && mkdir -p "$2/lost+found" "$2/.restoring/journal" &&
        ! "$1" --config config/exchange.toml && "$1" restore "$3" && "$1" journal verify --json && ls -A "$2""#;
    let mut unshare = command("unshare", &data);
    unshare.args(["--mount", "--map-root-user", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_exchange")]);
    unshare
        .env("XNG__SERVER__LISTEN", "127.0.0.1:0")
        .env("XNG__SERVER__OPS_LISTEN", "127.0.0.1:0")
        .env("XNG__SERVER__ADMIN_LISTEN", "");
    let out = good(&unshare.args([&data, &backup]).output().unwrap());
    assert!(out.contains("a restore is under way or was interrupted"), "{out}");
    assert!(out.contains(&format!("\"state\":\"{state}\"")), "{out}");
    assert!(out.contains("office.db") && !out.ends_with(".restoring\n") && !out.contains("\n.restoring\n"), "{out}");

    std::fs::create_dir_all(data.join(".restoring")).unwrap();
    std::fs::write(data.join("office.db"), []).unwrap();
    let printed = bad(&on(&data, &["restore", backup.to_str().unwrap()]), 2);
    assert!(printed.contains("interrupted restore") && data.join("office.db").exists(), "{printed}");
}

#[test]
fn a_restore_says_what_to_do_about_a_store_that_lived_on_and_a_start_on_it_is_refused_in_words() {
    let mut server = Server::prepare(&[("XNG__JOURNAL__SEGMENT_MIB", "1")]);
    let url = format!("sqlite:{}", server.scratch().join("elsewhere.db").display());
    server.set("XNG__STORE__URL", &url);
    server.launch();
    let (api, _) = live_a_little(&server);
    let folder = tempfile::tempdir().unwrap();
    let backup = folder.path().join("backup");
    good(&tool(&server, &["backup", backup.to_str().unwrap()]));
    let order =
        [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.001")];
    for _ in 0..20 {
        assert!(api.post("/coin/trade", &order)["data"]["id"].is_u64());
    }
    server.wait_persisted();
    assert!(server.terminate().success());

    let restore = |url: &str, data: &Path| {
        let mut restore = command(env!("CARGO_BIN_EXE_exchange"), data);
        good(&restore.env("XNG__STORE__URL", url).arg("restore").arg(&backup).output().unwrap())
    };
    let mut elsewhere = Server::prepare(&[("XNG__STORE__URL", &url)]);
    let said = restore(&url, &elsewhere.data_dir());
    assert!(said.contains("beyond the backup") && said.contains("BEFORE THE NEXT START"), "{said}");
    assert_eq!(elsewhere.try_launch().expect_err("the rows are of a later history").code(), Some(1));
    let log = elsewhere.log();
    assert!(log.contains("give the exchange an empty database") && log.contains("elsewhere.db"), "{log}");
    for name in ["elsewhere.db", "elsewhere.db-wal", "elsewhere.db-shm"] {
        let path = server.scratch().join(name);
        assert!(!path.exists() || std::fs::remove_file(path).is_ok());
    }
    elsewhere.launch();
    elsewhere.wait_open("BTCUSDT");
    elsewhere.wait_persisted();
    assert!(elsewhere.terminate().success(), "{}", elsewhere.log());

    let empty = format!("sqlite:{}", server.scratch().join("none.db").display());
    let said = restore(&empty, &folder.path().join("third"));
    assert!(said.contains("is empty and is filled") && !server.scratch().join("none.db").exists(), "{said}");
}

#[test]
fn audit_and_replay_never_change_the_store_nor_use_one_of_another_schema() {
    let (server, uid) = stopped_exchange();
    let path = server.data_dir().join("store.db");
    let everything = || {
        let mut names: Vec<_> = std::fs::read_dir(server.data_dir()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        (names, std::fs::read(&path).unwrap())
    };
    let replay = ["replay", "--user", &uid.to_string()];
    let before = everything();
    good(&tool(&server, &["audit"]));
    good(&tool(&server, &replay));
    assert!(everything() == before, "a look changed the store");
    sql(&path, "DELETE FROM _sqlx_migrations WHERE version = (SELECT MAX(version) FROM _sqlx_migrations)");
    let before = everything();
    for args in [&["audit"][..], &replay] {
        let printed = bad(&tool(&server, args), 2);
        assert!(printed.contains("has schema ") && printed.contains(", this build reads "), "{printed}");
    }
    assert!(everything() == before, "a refusal changed the store");
    std::fs::write(&path, []).unwrap();
    let before = everything();
    assert!(good(&tool(&server, &["audit"])).contains("there is none"));
    assert!(everything() == before, "an empty file became something");
}

/// Changes a SQLite file behind everybody's back.
fn sql(path: &Path, statement: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        use sqlx::Connection;
        let mut connection = sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    });
}

#[test]
fn settings_and_markets_of_the_same_file_name_are_both_in_a_backup() {
    let (server, _) = stopped_exchange();
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    for (from, to) in [("config/exchange.toml", "one"), ("config/markets.toml", "two")] {
        std::fs::create_dir(folder.path().join(to)).unwrap();
        std::fs::copy(root.join(from), folder.path().join(to).join("x.toml")).unwrap();
    }
    let backup = folder.path().join("backup");
    let mut made = command(env!("CARGO_BIN_EXE_exchange"), &server.data_dir());
    made.env("XNG__FILES__MARKETS", folder.path().join("two/x.toml"));
    good(&made.arg("--config").arg(folder.path().join("one/x.toml")).arg("backup").arg(&backup).output().unwrap());
    let same = |a: &str, b: &str| std::fs::read(backup.join(a)).unwrap() == std::fs::read(root.join(b)).unwrap();
    assert!(same("settings/x.toml", "config/exchange.toml") && same("settings/2/x.toml", "config/markets.toml"));
    good(&on(&folder.path().join("data"), &["restore", backup.to_str().unwrap()]));
}
