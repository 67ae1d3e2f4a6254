//! The real binary with a private Postgres that comes and goes.

use crate::client::{Api, Server};
use crate::wait::eventually;
use serde_json::Value;
use std::time::{Duration, Instant};
use xng_persistence::services::Postgres;

fn place(api: &Api, price: &str) -> Value {
    let form = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", price), ("amount", "0.001")];
    let placed = api.post("/coin/trade", &form);
    assert_eq!(placed["type"], "ok", "{placed}");
    placed["data"].clone()
}

fn minutes(server: &Server) -> usize {
    let candles = server.api().raw_get("/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=1000");
    candles.as_array().map_or(0, Vec::len)
}

fn ledger(api: &Api) -> Value {
    api.post("/wallet/legal_log", &[("page", "1"), ("limit", "100")])
}

#[test]
fn an_exchange_starts_and_trades_while_postgres_is_away_and_everything_is_there_when_it_comes() {
    let postgres = Postgres::start().unwrap();
    let url = postgres.create_database().unwrap();
    let mut server = Server::start(&[("XNG__STORE__URL", &url)]);
    server.wait_open("BTCUSDT");
    let first = place(&server.demo("demo"), "56000");
    server.wait_persisted();
    // The charts' history is written behind the rest.
    eventually("candles in the store", || {
        postgres.execute(&url, "SELECT count(*) > 1000 FROM candles").unwrap().trim() == "t"
    });
    assert!(server.terminate().success(), "{}", server.log());
    assert!(minutes_in(&postgres, &url) > 500);

    postgres.stop().unwrap();
    server.launch();
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let (resting, filled) = (place(&api, "56000"), place(&api, "65000"));
    assert_eq!(filled["status"], 2, "{filled}");
    assert!(minutes(&server) < 100, "the past is in the store");
    let began = Instant::now();
    let later = ledger(&api);
    assert_eq!(later["code"], 1020, "{later}");
    assert!(later["message"].as_str().unwrap().contains("later"), "{later}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let open = api.get("/coin/list?status=1");
    assert_eq!(open["message"][0]["id"], resting["id"], "the latest are in memory: {open}");

    postgres.restart().unwrap();
    server.wait_persisted();
    let rows = ledger(&api);
    let spent = rows["message"]["list"].as_array().unwrap_or_else(|| panic!("{rows}"));
    assert!(spent.len() >= 6, "{rows}");
    for order in [&first, &resting, &filled] {
        let id = &order["id"];
        assert_eq!(
            postgres.execute(&url, &format!("SELECT count(*) FROM orders WHERE order_id = {id}")).unwrap().trim(),
            "1"
        );
    }
    eventually("the charts have a past", || minutes(&server) > 500);

    postgres.freeze();
    let began = Instant::now();
    let frozen = place(&api, "55000");
    assert_eq!(ledger(&api)["code"], 1020, "it does not wait for a server that stands still");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    postgres.thaw();
    server.wait_persisted();
    let sql = format!("SELECT count(*) FROM orders WHERE order_id = {}", frozen["id"]);
    assert_eq!(postgres.execute(&url, &sql).unwrap().trim(), "1");
    server.kill();
    assert!(minutes_in(&postgres, &url) > 500, "whole candles, not the part since the start");
}

fn minutes_in(postgres: &Postgres, url: &str) -> u64 {
    let sql = "SELECT count(*) FROM candles WHERE period = 60 AND market = 1";
    postgres.execute(url, sql).unwrap().trim().parse().unwrap()
}

#[test]
fn a_password_in_the_stores_url_is_in_no_log() {
    let url = "postgres://trader:hunter2@127.0.0.1:1/exchange";
    let server = Server::start(&[("XNG__STORE__URL", url)]);
    server.wait_open("BTCUSDT");
    let log = server.log();
    assert!(log.contains("the store is away") && log.contains("127.0.0.1"), "{log}");
    assert!(!log.contains("hunter2") && !log.contains("trader:"), "{log}");
}
