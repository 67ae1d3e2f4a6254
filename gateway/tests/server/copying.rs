//! Copy trading through the real binary: following, a copied ticket, a kill, reasons, applying, an operator's decision.

use crate::client::{Api, Server};
use crate::metrics::scrape;
use crate::socket::Socket;
use crate::tool::{good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};

const PAIR: [(&str, &str); 2] = [("currency_id", "1"), ("legal_id", "3")];

fn open(api: &Api, side: &str, share: &str) -> u64 {
    let fields = [PAIR[0], PAIR[1], ("type", side), ("share", share), ("multiple", "100"), ("status", "1")];
    let opened = api.post("/lever/submit", &fields);
    opened["data"]["id"].as_u64().unwrap_or_else(|| panic!("{opened}"))
}

fn close(api: &Api, id: u64) -> Value {
    api.post("/lever/close", &[("id", &id.to_string())])
}

fn rows(api: &Api, status: &str) -> Vec<Value> {
    let told = api.post_patiently("/lever/my_trade", &[("status", status), ("limit", "50")]);
    told["message"]["data"].as_array().unwrap_or_else(|| panic!("{told}")).clone()
}

fn id(api: &Api) -> u64 {
    api.get("/user/info")["message"]["id"].as_u64().unwrap()
}

/// A server whose contract is live, its trader, and a follower of it.
fn started(kind: &str, number: &str) -> (Server, Api, Api, String) {
    let mut server = Server::start(&[]);
    server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
    eventually("the contract is live", || {
        server.api().post("/lever/deal", &PAIR)["message"]["contract"]["live"] == true
    });
    let (trader, api) = (server.demo("trader"), server.demo("demo"));
    let leads = id(&trader).to_string();
    let told = api.post("/follow/follow", &[("trader_user_id", &leads), ("type", kind), ("number", number)]);
    assert_eq!((&told["code"], &told["message"]), (&json!(1), &json!("Followed")), "{told}");
    (server, trader, api, leads)
}

#[test]
fn a_ticket_is_copied_closed_listed_and_audited() {
    let (mut server, trader, api, leads) = started("1", "1.5");
    let mut events = Socket::open(&server, "/realtime");
    events.send(&json!({ "event": "login", "data": { "token": api.token } }));
    let source = open(&trader, "1", "3");
    eventually("it was copied", || rows(&api, "1").len() == 1);
    let copy = rows(&api, "1").remove(0);
    let theirs = rows(&trader, "1").remove(0);
    assert_eq!(
        (&copy["order_type"], &copy["share"], &copy["margin_mode"]),
        (&json!(2), &json!("4.5"), &json!("isolated"))
    );
    assert_eq!((&copy["price"], &copy["multiple"]), (&theirs["price"], &theirs["multiple"]));
    assert_eq!((&copy["follow_user_id"], &copy["follow_order_id"]), (&theirs["user_id"], &json!(source)));
    events.until(|frame| frame["event"] == "copy_opened");
    let own = copy["id"].as_u64().unwrap();
    assert_eq!(close(&api, own)["code"], 1004, "its trader closes it");
    let mine = api.get("/follow/my")["message"].clone();
    assert_eq!(
        (&mine["total"], &mine["follows"][0]["number"], &mine["follows"][0]["open_count"]),
        (&json!(1), &json!("1.5"), &json!(1))
    );
    assert_eq!(close(&trader, source)["code"], 1);
    eventually("its copy was closed", || rows(&api, "1").is_empty());
    events.until(|frame| frame["event"] == "copy_closed");
    eventually("the store has it", || rows(&api, "3").first().is_some_and(|row| row["close_reason"] == "copy"));
    let closed = rows(&api, "3").remove(0);
    assert_eq!((&closed["order_type"], &closed["follow_order_id"]), (&json!(2), &json!(source)));
    let detail = || api.get_patiently(&format!("/follow/traderDetail?trader_user_id={leads}"))["message"].clone();
    assert_eq!(
        (&detail()["is_followed"], &detail()["share_ratio"], &detail()["follow"]["type"]),
        (&json!(true), &json!("10"), &json!(1))
    );
    let history = api.get_patiently(&format!("/follow/historyTrade?trader_user_id={leads}"))["message"].clone();
    assert_eq!((&history["total"], &history["data"][0]["id"]), (&json!(1), &json!(source)));
    let list = server.api().get("/follow/index")["message"].clone();
    assert_eq!((&list["data"][0]["id"].to_string(), &list["data"][0]["follow_num"]), (&leads, &json!(1)));
    let figures = scrape(&server);
    assert_eq!(figures.sum("xng_copy_made_total", &[("outcome", "opened")]), 1.0);
    assert_eq!(figures.sum("xng_copy_left", &[]), 0.0);
    server.terminate();
    let audit = good(&tool(&server, &["audit"]));
    assert!(
        audit.contains("1 closed copies") && audit.contains("1 traders") && audit.contains("1 copy events"),
        "{audit}"
    );
}

#[test]
fn killed_right_after_a_traders_fill_each_follower_has_exactly_one_copy() {
    let (mut server, trader, api, leads) = started("2", "1");
    let other = server.demo("demo2");
    other.post("/follow/follow", &[("trader_user_id", &leads), ("type", "2"), ("number", "2")]);
    let sources: Vec<u64> = (0..3).map(|_| open(&trader, "2", "1")).collect();
    server.kill();
    server.launch();
    for (name, lots) in [("demo", "1"), ("demo2", "2")] {
        let api = server.demo(name);
        let mut of = Vec::new();
        eventually("its copies are there", || {
            of = rows(&api, "1")
                .iter()
                .map(|row| (row["follow_order_id"].as_u64().unwrap(), row["share"].clone()))
                .collect();
            of.len() >= sources.len()
        });
        of.sort_by_key(|(source, _)| *source);
        assert_eq!(of, sources.iter().map(|source| (*source, json!(lots))).collect::<Vec<_>>());
    }
    drop(api);
    server.terminate();
    good(&tool(&server, &["audit"]));
}

#[test]
fn what_cannot_be_copied_is_skipped_with_its_reason_and_a_copy_can_be_kept() {
    let (server, trader, api, leads) = started("2", "5");
    let left = [("currency_id", "3"), ("number", "985"), ("from_field", "lever"), ("to_field", "legal")];
    assert_eq!(api.post("/wallet/change", &left)["code"], 1);
    open(&trader, "1", "1");
    eventually("it was skipped", || api.get("/follow/log")["message"]["total"] == 1);
    let skip = api.get_patiently("/follow/log")["message"]["data"][0].clone();
    assert_eq!((&skip["reason"], &skip["symbol"]), (&json!("insufficient_balance"), &json!("BTC/USDT")), "{skip}");
    assert_eq!(skip["trader"]["id"].to_string(), leads);
    assert_eq!(scrape(&server).sum("xng_copy_skipped_total", &[("reason", "insufficient_balance")]), 1.0);
    let back = [("currency_id", "3"), ("number", "985"), ("from_field", "legal"), ("to_field", "lever")];
    assert_eq!(api.post("/wallet/change", &back)["code"], 1);
    open(&trader, "1", "1");
    eventually("the next one was copied", || rows(&api, "1").len() == 1);
    let own = rows(&api, "1")[0]["id"].to_string();
    assert_eq!(api.post("/follow/selfHolding", &[("transaction_id", &own)])["code"], 1);
    assert_eq!(rows(&api, "1")[0]["order_type"], 1);
    assert_eq!(api.post("/follow/cancel", &[("follow_user_id", &leads)])["code"], 1);
    open(&trader, "1", "1");
    eventually("the trader has three", || rows(&trader, "1").len() == 3);
    assert_eq!(rows(&api, "1").len(), 1);
    for (fields, code) in [
        ([("trader_user_id", leads.as_str()), ("type", "3"), ("number", "1")], 1001),
        ([("trader_user_id", &leads), ("type", "1"), ("number", "5.001")], 1013),
        ([("trader_user_id", &leads), ("type", "2"), ("number", "1.5")], 1001),
        ([("trader_user_id", &leads), ("type", "1"), ("number", "0")], 1001),
        ([("trader_user_id", "1"), ("type", "1"), ("number", "1")], 1003),
    ] {
        let told = api.post("/follow/follow", &fields);
        assert_eq!(told["code"], code, "{fields:?}: {told}");
    }
    let told = trader.post("/follow/follow", &[("trader_user_id", &leads), ("type", "1"), ("number", "1")]);
    assert_eq!(told["message"], "Traders cannot follow");
}

#[test]
fn a_user_applies_and_an_operator_decides() {
    let (server, _, _, _) = started("1", "1");
    let api = server.demo("demo2");
    let apply = |intro: &str| api.post_patiently("/follow/apply", &[("intro", intro)])["code"].clone();
    assert_ne!(apply("Trends only"), 1, "no closed tickets yet");
    for _ in 0..10 {
        let ticket = open(&api, "1", "1");
        assert_eq!(close(&api, ticket)["code"], 1);
    }
    let state = || api.get_patiently("/follow/apply/state")["message"].clone();
    eventually("ten are closed", || state()["eligible"] == true);
    assert_eq!(apply("Trends only"), 1);
    assert_eq!((&state()["state"], &state()["intro"]), (&json!(1), &json!("Trends only")));
    assert_eq!(apply("Again"), 1004);
    let account = id(&api).to_string();
    let said = good(&tool(&server, &["admin", "trader", "list"]));
    assert!(said.contains("Trends only") && said.contains(&account), "{said}");
    let decide = |what: &str| tool(&server, &["admin", "trader", what, &account, "--by", "Ann", "--reason", "Steady"]);
    good(&decide("approve"));
    assert_eq!((&state()["state"], &api.get("/user/info")["message"]["is_trader"]), (&json!(2), &json!(1)));
    good(&decide("approve"));
    eventually("it is listed", || server.api().get("/follow/index")["message"]["total"] == 2);
    good(&decide("end"));
    assert_eq!(api.get("/user/info")["message"]["is_trader"], 0);
    eventually("it is not listed", || server.api().get("/follow/index")["message"]["total"] == 1);
}
