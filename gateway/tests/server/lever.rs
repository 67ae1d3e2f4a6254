//! Tickets of contracts through the real binary.

use crate::client::{Api, Server};
use crate::metrics::scrape;
use crate::socket::Socket;
use crate::tool::{good, tool};
use crate::wait::{eventually, found};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use xng_persistence::services::Postgres;

const PAIR: [(&str, &str); 2] = [("currency_id", "1"), ("legal_id", "3")];

fn amount(value: &Value) -> f64 {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).parse().unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-7
}

/// A server whose contract of BTC is live.
fn started(extra: &[(&str, &str)]) -> Server {
    let server = Server::start(extra);
    wait_live(&server);
    server
}

fn wait_live(server: &Server) {
    eventually("the contract is live", || {
        server.api().post("/lever/deal", &PAIR)["message"]["contract"]["live"] == true
    });
}

fn lever(api: &Api, call: &str, fields: &[(&str, &str)]) -> Value {
    api.post(&format!("/lever/{call}"), fields)
}

fn wanted<'a>(side: &'a str, share: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let fields = [("type", side), ("share", share), ("multiple", "100"), ("status", "1")];
    let named: BTreeSet<&str> = more.iter().map(|(name, _)| *name).collect();
    let rest = PAIR.into_iter().chain(fields).filter(|(name, _)| !named.contains(name));
    rest.chain(more.iter().copied()).collect()
}

/// Opens a ticket; its id.
fn open(api: &Api, side: &str, share: &str, more: &[(&str, &str)]) -> String {
    let opened = lever(api, "submit", &wanted(side, share, more));
    assert_eq!(opened["message"], "Submitted successfully", "{opened}");
    opened["data"]["id"].to_string()
}

fn tickets(api: &Api, status: &str) -> Vec<Value> {
    let told = api.post_patiently("/lever/my_trade", &[("status", status), ("limit", "100")]);
    told["message"]["data"].as_array().unwrap_or_else(|| panic!("{told}")).clone()
}

fn ticket(api: &Api, id: &str) -> Value {
    let all = tickets(api, "-1");
    let of = |row: &&Value| row["id"].as_u64() == id.parse().ok();
    all.iter().find(of).unwrap_or_else(|| panic!("no ticket {id} in {all:?}")).clone()
}

/// Available and locked USDT in futures.
fn futures(api: &Api) -> (f64, f64) {
    let row = api.post("/wallet/detail", &[("currency", "3"), ("type", "lever")]);
    (amount(&row["message"]["lever_balance"]), amount(&row["message"]["lock_lever_balance"]))
}

fn mark(api: &Api) -> f64 {
    amount(&lever(api, "deal", &PAIR)["message"]["mark_price"])
}

#[test]
fn a_ticket_opens_at_the_index_and_its_owner_gets_margin_and_result_when_it_closes() {
    let server = started(&[]);
    let api = server.demo("demo");
    assert_eq!(futures(&api), (1_000.0, 0.0), "the demo's grant");
    let id = open(&api, "1", "10", &[("margin_mode", "isolated")]);
    let row = ticket(&api, &id);
    let (price, margin, fee) = (amount(&row["price"]), amount(&row["origin_caution_money"]), amount(&row["trade_fee"]));
    assert_eq!((&row["share"], &row["number"], &row["symbol"]), (&json!("10"), &json!("0.1"), &json!("BTC/USDT")));
    assert_eq!((&row["status"], &row["type"], &row["margin_mode"]), (&json!(1), &json!(1), &json!("isolated")));
    assert!(near(margin, price * 0.1 / 100.0) && near(fee, price * 0.1 * 0.0005), "{row}");
    let (available, locked) = futures(&api);
    assert!(near(available, 1_000.0 - margin - fee) && near(locked, margin), "{available} {locked} {row}");
    let liquidated = amount(&row["liq_price"]);
    assert!(liquidated < price && liquidated > price * 0.99, "{row}");
    let deal = lever(&api, "deal", &PAIR)["message"].clone();
    assert_eq!(deal["my_transaction"][0]["id"].to_string(), id, "{deal}");
    assert!(near(amount(&deal["all_levers"]), price * 0.1), "{deal}");
    let log =
        |api: &Api| api.post("/wallet/legal_log", &[("currency", "3"), ("type", "lever")])["message"]["list"].clone();
    eventually("the ledger has its rows", || {
        let types: Vec<i64> = log(&api).as_array().unwrap().iter().map(|row| row["type"].as_i64().unwrap()).collect();
        types == [35, 30, 1]
    });
    let closed = lever(&api, "close", &[("id", &id)]);
    assert_eq!((&closed["message"], closed["data"]["id"].to_string()), (&json!("Position closed"), id.clone()));
    let row = ticket(&api, &id);
    assert_eq!((&row["status"], &row["close_reason"]), (&json!(3), &json!("user")), "{row}");
    assert!(near(amount(&row["profits"]), (amount(&row["update_price"]) - price) * 0.1), "{row}");
    assert_eq!(row["fact_profits"], row["profits"], "{row}");
    let (available, locked) = futures(&api);
    assert!(near(available, 1_000.0 - fee + amount(&row["fact_profits"])) && locked == 0.0, "{available} {row}");
    assert_eq!(lever(&api, "close", &[("id", &id)])["code"], 1004, "a second close");
    assert_eq!(lever(&server.demo("demo2"), "close", &[("id", &id)])["code"], 1003, "somebody else's");
    assert!(tickets(&api, "1").is_empty() && tickets(&api, "2").is_empty());
    assert_eq!(tickets(&api, "3").len(), 1);
}

#[test]
fn cross_tickets_share_a_pool_whose_money_cannot_all_leave() {
    let server = started(&[]);
    let api = server.demo("demo");
    open(&api, "1", "20", &[]);
    open(&api, "2", "5", &[]);
    let all = lever(&api, "dealall", &PAIR)["message"].clone();
    let rows = all["order"]["data"].as_array().unwrap();
    assert_eq!((rows.len(), &all["order"]["total"]), (2, &json!(2)), "{all}");
    let sum = |field: &str| rows.iter().map(|row| amount(&row[field])).sum::<f64>();
    assert!(near(amount(&all["caution_money_total"]), sum("caution_money")), "{all}");
    assert!(near(amount(&all["profits_total"]), sum("profits")), "{all}");
    let (balance, margin) = (amount(&all["balance"]), amount(&all["origin_caution_money_total"]));
    let risk = (balance + amount(&all["caution_money_total"]) + amount(&all["profits_total"])) / margin * 100.0;
    assert!((amount(&all["hazard_rate"]) - risk).abs() < 0.01, "{risk} {all}");
    assert_eq!(rows[0]["liq_price"], rows[1]["liq_price"], "one pool has one end");
    let wallet = api.post("/wallet/contractsWalletList", &[])["message"].clone();
    let (available, locked) = futures(&api);
    assert!((amount(&wallet["equity"]) - available - locked - amount(&wallet["unrealized"])).abs() < 1e-6, "{wallet}");
    assert!(amount(&wallet["risk_rate"]) > 100.0, "{wallet}");
    let most = amount(&wallet["transferable"]["USDT"]);
    assert!(most < available, "{most} of {available}");
    let out = |number: &str| {
        let fields = [("currency_id", "3"), ("number", number), ("from_field", "lever"), ("to_field", "change")];
        api.post("/wallet/change", &fields)
    };
    let refused = out(&available.to_string());
    assert_eq!(refused["code"], 1005, "{refused}");
    let text = refused["message"].as_str().unwrap();
    assert!(text.starts_with("At most ") && text.ends_with(" can leave while positions are open"), "{text}");
    assert_eq!(out("10")["message"], "Transfer succeeded");
    let closed = lever(&api, "batch_close", &[("type", "0")]);
    assert_eq!(closed["message"], "Submitted, please wait", "{closed}");
    assert_eq!(closed["data"]["ids"].as_array().map(Vec::len), Some(2), "{closed}");
    assert!(tickets(&api, "3").iter().all(|row| row["close_reason"] == "batch"));
    let (available, _) = futures(&api);
    assert_eq!(out(&available.to_string())["message"], "Transfer succeeded", "all of it, without a position");
}

#[test]
fn each_refusal_has_its_code_and_its_text() {
    let server = started(&[]);
    let api = server.demo("demo");
    let now = mark(&api);
    let [below, above] = [now * 0.9, now * 1.1].map(|price| format!("{price:.2}"));
    let long = |more: &[(&str, &str)]| lever(&api, "submit", &wanted("1", "1", more));
    let refused = |told: Value, code: u16, text: &str| {
        assert_eq!((&told["code"], &told["message"]), (&json!(code), &json!(text)), "{told}");
    };
    refused(long(&[("currency_id", "3"), ("legal_id", "1")]), 1003, "Specified trading pair does not exist");
    refused(long(&[("share", "0")]), 1013, "Lots cannot be lower than 1");
    for share in ["1.5", "-1", "0.01"] {
        refused(long(&[("share", share)]), 1001, "Lots must be an integer greater than 0");
    }
    for share in ["1001", "999999999999"] {
        refused(long(&[("share", share)]), 1013, "Lots cannot be higher than 1000");
    }
    for multiple in ["33", "0", "65537"] {
        refused(long(&[("multiple", multiple)]), 1001, "The selected multiple is not within the system range");
    }
    for target in ["0", "-5", ""] {
        refused(long(&[("status", "0"), ("target_price", target)]), 1001, "Limit price must be greater than 0");
    }
    let buy = long(&[("status", "0"), ("target_price", &above)]);
    refused(buy, 1013, "Limit buy price cannot be higher than current price");
    let sell = long(&[("type", "2"), ("status", "0"), ("target_price", &below)]);
    refused(sell, 1013, "Limit sell price cannot be lower than current price");
    let odd = long(&[("status", "0"), ("target_price", "100.001")]);
    refused(odd, 1013, "The price must be a multiple of 0.01 (PRICE_FILTER)");
    let stop = "Take profit and stop loss must lie on their sides of the current price";
    refused(long(&[("target_profit_price", &below)]), 1013, stop);
    refused(long(&[("stop_loss_price", &above)]), 1013, stop);
    let poor = long(&[("share", "1000"), ("multiple", "10")]);
    assert_eq!(poor["code"], 1005, "{poor}");
    let text = poor["message"].as_str().unwrap();
    assert!(text.starts_with("USDT insufficient balance, not less than ") && text.contains(" (fee: "), "{text}");
    for (field, value) in [("type", "3"), ("status", "2"), ("margin_mode", "both"), ("share", "1e1"), ("share", "")] {
        let told = long(&[(field, value)]);
        assert_eq!(told["code"], 1001, "{field}={value}: {told}");
        assert!(told["errors"][field].is_string(), "{told}");
    }
    let id = open(&api, "2", "1", &[]);
    let set = |fields: &[(&str, &str)]| lever(&api, "setstop", &[&[("id", id.as_str())], fields].concat());
    refused(set(&[("target_profit_price", &above)]), 1013, stop);
    refused(set(&[("stop_loss_price", "1.001")]), 1013, "The price must be a multiple of 0.01 (PRICE_FILTER)");
    assert_eq!(set(&[("stop_loss_price", "-1")])["code"], 1001);
    refused(lever(&api, "cancel", &[("id", &id)]), 1004, "The current state does not allow this operation");
    refused(lever(&api, "close", &[("id", "1")]), 1003, "Data not found");
    refused(lever(&api, "batch_close", &[("type", "1")]), 1003, "Data not found");
    assert_eq!(lever(&api, "batch_close", &[("type", "3")])["code"], 1001);
    assert_eq!(lever(&api, "my_trade", &[("status", "5")])["code"], 1001);
    let nobody = lever(&server.api(), "submit", &wanted("1", "1", &[]));
    assert_eq!((&nobody["type"], &nobody["code"]), (&json!("999"), &json!(999)));
    let french = lever(&api, "submit", &[wanted("1", "0", &[]), vec![("lang", "fra")]].concat());
    assert_eq!(french["message"], "Les lots ne peuvent pas être inférieurs à 1");
}

#[test]
fn a_limit_ticket_waits_with_its_money_and_gives_all_of_it_back() {
    let server = started(&[]);
    let api = server.demo("demo");
    let target = format!("{:.2}", mark(&api) * 0.9);
    let id = open(&api, "1", "10", &[("status", "0"), ("target_price", &target)]);
    let row = ticket(&api, &id);
    assert_eq!((&row["status"], &row["origin_price"]), (&json!(0), &json!(target.parse::<f64>().unwrap().to_string())));
    let reserved = amount(&row["caution_money"]) + amount(&row["trade_fee"]);
    let (available, locked) = futures(&api);
    assert!(near(locked, reserved) && near(available, 1_000.0 - reserved), "{row}");
    let stop = format!("{:.2}", mark(&api) * 0.8);
    assert_eq!(lever(&api, "setstop", &[("id", &id), ("stop_loss_price", &stop)])["type"], "ok");
    assert_eq!(amount(&ticket(&api, &id)["stop_loss_price"]), stop.parse::<f64>().unwrap());
    assert_eq!(lever(&api, "setstop", &[("id", &id), ("stop_loss_price", "0")])["type"], "ok");
    assert_eq!(ticket(&api, &id)["stop_loss_price"], "0");
    assert_eq!(lever(&api, "close", &[("id", &id)])["code"], 1004, "it is not open");
    assert_eq!(lever(&api, "cancel", &[("id", &id)])["message"], "Limit order cancelled");
    assert_eq!(futures(&api), (1_000.0, 0.0));
    let row = ticket(&api, &id);
    assert_eq!((&row["status"], &row["fact_profits"]), (&json!(4), &json!("0")), "{row}");
    assert_eq!(tickets(&api, "4").len(), 1);
    assert_eq!(lever(&api, "cancel", &[("id", &id)])["code"], 1004, "a second cancel");
}

#[test]
fn of_200_closes_of_one_ticket_at_once_exactly_one_has_an_effect() {
    let server = started(&[]);
    let api = server.demo("demo");
    let id = open(&api, "1", "10", &[]);
    let codes: Vec<i64> = std::thread::scope(|scope| {
        let close = |_| {
            let (api, id) = (api.clone(), id.as_str());
            scope.spawn(move || lever(&api, "close", &[("id", id)])["code"].as_i64().unwrap())
        };
        let asked: Vec<_> = (0..200).map(close).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == 1).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|code| [1, 1004].contains(code)), "{codes:?}");
    let row = ticket(&api, &id);
    let (available, locked) = futures(&api);
    let expected = 1_000.0 - amount(&row["trade_fee"]) + amount(&row["fact_profits"]);
    assert!(near(available, expected) && locked == 0.0, "{available} {row}");
}

#[test]
fn a_request_key_opens_and_closes_once() {
    let server = started(&[]);
    let api = server.demo("demo");
    let fields = wanted("1", "1", &[]);
    let ask = |call: &str, fields: &[(&str, &str)], key: &str| {
        api.try_post(&format!("/lever/{call}"), fields, Some(key)).unwrap()
    };
    let first = ask("submit", &fields, "a");
    let again = ask("submit", &fields, "a");
    assert_eq!((&again["data"]["id"], &again["data"]["repeated"]), (&first["data"]["id"], &json!(true)));
    assert_eq!(tickets(&api, "1").len(), 1);
    assert_eq!(ask("submit", &wanted("1", "2", &[]), "a")["code"], 1002, "another body");
    let id = first["data"]["id"].to_string();
    assert_eq!(ask("close", &[("id", &id)], "b")["type"], "ok");
    assert_eq!(ask("close", &[("id", &id)], "b")["data"]["repeated"], true);
    let fate = api.get("/coin/request?key=a");
    assert_eq!(fate["message"]["data"]["id"].to_string(), id, "{fate}");
}

#[test]
fn pages_go_back_from_the_newest_ticket() {
    let server = started(&[]);
    let api = server.demo("demo");
    let mut ids: Vec<String> = (0..7).map(|_| open(&api, "1", "1", &[])).collect();
    for id in &ids[..5] {
        assert_eq!(lever(&api, "close", &[("id", id)])["type"], "ok");
    }
    ids.reverse();
    let page = |number: &str| {
        let told = api.post_patiently("/lever/my_trade", &[("page", number), ("limit", "3")]);
        told["message"]["message"].clone()
    };
    let told: Vec<String> = ["1", "2", "3", "4"]
        .iter()
        .flat_map(|number| page(number)["data"].as_array().unwrap().clone())
        .map(|row| row["id"].to_string())
        .collect();
    assert_eq!(told, ids);
    assert_eq!((&page("2")["total"], &page("2")["pages"]), (&json!(7), &json!(3)));
    let other = api.post_patiently("/lever/my_trade", &[("currency_id", "2"), ("legal_id", "3")]);
    assert_eq!(other["message"]["message"]["total"], 0, "of another contract: {other}");
    server.ops_post("/dev/persister/pause");
    open(&api, "1", "1", &[]);
    assert_eq!(tickets(&api, "1").len(), 3, "open ones need no store");
    assert_eq!(lever(&api, "my_trade", &[("status", "3")])["code"], 1020, "ended ones do");
}

fn survives(server: &mut Server) {
    let api = server.demo("demo");
    let target = format!("{:.2}", mark(&api) * 0.9);
    let stop = format!("{:.2}", mark(&api) * 0.8);
    let open_ones = [
        open(&api, "1", "3", &[("stop_loss_price", &stop)]),
        open(&api, "2", "2", &[("margin_mode", "isolated")]),
        open(&api, "1", "1", &[("status", "0"), ("target_price", &target)]),
    ];
    let closed = open(&api, "1", "1", &[]);
    assert_eq!(lever(&api, "close", &[("id", &closed)])["type"], "ok");
    let steady = |row: &Value| {
        let fields = ["id", "status", "price", "caution_money", "trade_fee", "stop_loss_price", "margin_mode", "time"];
        fields.map(|field| row[field].clone())
    };
    let told = |api: &Api| -> Vec<[Value; 8]> { tickets(api, "-1").iter().map(steady).collect() };
    let (before, money) = (told(&api), futures(&api));
    server.kill();
    server.launch();
    let api = server.demo("demo");
    assert_eq!((told(&api), futures(&api)), (before, money));
    wait_live(server);
    let figures = scrape(server);
    let figure = |name: &str, label: &str, value: &str| figures.sum(name, &[("symbol", "BTCUSDT"), (label, value)]);
    assert_eq!((figure("xng_tickets", "state", "open"), figure("xng_tickets", "state", "waiting")), (2.0, 1.0));
    assert_eq!((figure("xng_ticket_lots", "side", "long"), figure("xng_ticket_lots", "side", "short")), (4.0, 2.0));
    for id in &open_ones[..2] {
        assert_eq!(lever(&api, "close", &[("id", id)])["type"], "ok");
    }
    open(&api, "1", "1", &[]);
    server.wait_persisted();
    server.kill();
    assert!(good(&tool(server, &["audit"])).ends_with("no difference\n"));
    let user = open_ones[0].parse::<u64>().unwrap() >> 24;
    assert!(good(&tool(server, &["replay", "--user", &user.to_string()])).contains("ticket"));
}

#[test]
fn tickets_survive_a_kill_and_the_audit_finds_no_difference() {
    survives(&mut started(&[]));
}

#[test]
fn tickets_survive_a_kill_with_postgres_too() {
    let postgres = Postgres::start().unwrap();
    let url = postgres.create_database().unwrap();
    survives(&mut started(&[("XNG__STORE__URL", &url)]));
}

#[test]
fn the_app_hears_of_prices_results_and_ends_at_once() {
    let server = started(&[]);
    let api = server.demo("demo");
    let mut socket = Socket::open(&server, "/realtime");
    socket.send(&json!({ "method": "SUBSCRIBE", "params": ["!contract@arr"], "id": 1 }));
    let first = socket.until(|frame| frame["snapshot"] == true);
    let told = first["data"].as_array().unwrap().iter().find(|told| told["symbol"] == "BTCUSDT").unwrap();
    assert_eq!((&told["live"], &told["match_id"], &told["status"]), (&json!(true), &json!(512), &json!("TRADING")));
    assert!(told["age_ms"].as_i64().unwrap() < 5_000 && amount(&told["mark"]) > 0.0, "{told}");
    socket.until(|frame| frame["stream"] == "!contract@arr" && frame["snapshot"].is_null());
    socket.send(&json!({ "event": "login", "data": { "token": api.token } }));
    let snapshot = socket.until(|frame| frame["event"] == "snapshot");
    let lever_row = |rows: &Value| rows.as_array().unwrap().iter().find(|row| row["account"] == "lever").cloned();
    assert_eq!(lever_row(&snapshot["data"]["wallets"]).unwrap()["available"], "1000", "{snapshot}");
    let id = open(&api, "1", "10", &[]);
    let wallet = socket.until(|frame| frame["event"] == "wallet");
    assert!(amount(&lever_row(&wallet["data"]).unwrap()["locked"]) > 0.0, "{wallet}");
    let mut results = BTreeSet::new();
    for _ in 0..3 {
        let frame = socket.until(|frame| frame["event"] == "lever_trade");
        let row = &frame["data"]["order"][0];
        assert_eq!(row["id"].to_string(), id, "{frame}");
        assert_eq!(frame["data"]["profits_all"], row["profits"], "{frame}");
        assert!(amount(&frame["data"]["hazard_rate"]) > 100.0 && amount(&frame["data"]["balance"]) > 900.0, "{frame}");
        results.insert(row["update_price"].to_string());
    }
    assert_eq!(results.len(), 3, "each frame tells something new");
    assert_eq!(lever(&api, "close", &[("id", &id)])["type"], "ok");
    let ended = socket.until(|frame| frame["event"] == "lever_closed");
    assert_eq!(ended["data"], json!({ "id": [id.parse::<u64>().unwrap()], "reasons": ["user"] }), "{ended}");
    socket.until(|frame| frame["event"] == "lever_trade" && frame["data"]["order"] == json!([]));
}

#[test]
fn calls_say_which_pairs_have_a_contract() {
    let server = started(&[]);
    let quotes = server.api().get("/currency/quotation_new");
    let quote = |symbol: &str| {
        let groups = quotes["message"].as_array().unwrap().iter();
        let mut rows = groups.flat_map(|group| group["quotation"].as_array().unwrap());
        rows.find(|row| row["symbol"] == symbol).unwrap().clone()
    };
    let btc = quote("BTC/USDT");
    let told = ["open_lever", "spread", "lever_share_num", "lever_trade_fee", "lever_min_share", "lever_max_share"];
    let told = told.map(|field| btc[field].clone());
    assert_eq!(told, [json!(1), json!("0.02"), json!("0.01"), json!("0.05"), json!(1), json!(1000)]);
    assert_eq!(btc["overnight"], "0.03");
    assert_eq!(server.api().get("/getSiteConfig")["message"]["features"]["contract"], true);
    let deal = lever(&server.api(), "deal", &[("currency_id", "2"), ("legal_id", "3")])["message"].clone();
    assert_eq!((&deal["contract"]["lot"], &deal["user_lever"]), (&json!("0.1"), &json!("0")), "{deal}");
    assert_eq!(deal["multiple"]["muit"][3], json!({ "value": 100 }));
    found("levels of the pair's book", || {
        let deal = lever(&server.api(), "deal", &PAIR);
        let side = |side: &str| deal["message"]["lever_transaction"][side].as_array().map_or(0, Vec::len);
        (side("in") == 5 && side("out") == 5).then_some(())
    });
    let coins = server.demo("demo").get("/currency/user_currency_list");
    let usdt = coins["message"].as_array().unwrap().iter().find(|coin| coin["name"] == "USDT").unwrap();
    assert_eq!(
        (&usdt["wallet"]["lever_balance"], &usdt["wallet"]["lever_transferable"]),
        (&json!("1000"), &json!("1000"))
    );
}
