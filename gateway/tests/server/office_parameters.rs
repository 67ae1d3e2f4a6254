//! The back office about parameters of markets on the real binary: proposed, looked at, approved, in force at their time and once.

use crate::back_office::{Browser, open_office, person};
use crate::client::{Api, Server};
use crate::tool::{good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

const BTC: u32 = 1;
const PAIR: [(&str, &str); 2] = [("currency_id", "1"), ("legal_id", "3")];

fn market_of(browser: &Browser) -> Value {
    let told = browser.get("parameters");
    assert_eq!(told.0, 200, "{told:?}");
    told.1["markets"].as_array().unwrap().iter().find(|row| row["symbol"] == "BTCUSDT").unwrap().clone()
}

fn case_of(browser: &Browser, case: &Value) -> Value {
    let told = browser.get("parameters").1;
    told["cases"].as_array().unwrap().iter().find(|row| &row["case"] == case).unwrap().clone()
}

/// The market's parameters with one of them changed.
fn with(browser: &Browser, field: &str, value: Value) -> Value {
    let mut params = market_of(browser)["params"].clone();
    params[field] = value;
    params
}

fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

fn buy(api: &Api, amount: &str) -> Value {
    api.post("/coin/trade", &[&PAIR[..], &[("type", "1"), ("order_type", "market"), ("amount", amount)]].concat())
}

fn rests(api: &Api, price: &str) -> Value {
    let fields = [("type", "1"), ("order_type", "limit"), ("target_price", price), ("amount", "0.001"), ("tif", "GTC")];
    api.post("/coin/trade", &[&PAIR[..], &fields[..]].concat())
}

/// A proposal's case.
fn propose(browser: &Browser, params: &Value, effective_ms: Option<u64>) -> (u16, Value) {
    let id = &market_of(browser)["id"];
    let body = json!({ "params": params, "effective_ms": effective_ms, "reason": "as announced" });
    browser.post(&format!("parameters/{id}/propose"), &body)
}

fn approve(browser: &Browser, case: &Value) -> (u16, Value) {
    browser.decide(&format!("parameter-cases/{case}/decide"), &json!({ "approves": true, "reason": "so do I" }))
}

#[test]
fn parameters_change_by_two_people_at_their_time_and_once() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let risk = person(&server, port, "rita", "risk", &[]);
    let listing = person(&server, port, "lee", "listing", &[]);
    let finance = person(&server, port, "fay", "finance", &[]);
    let api = server.demo("demo");
    assert_eq!(buy(&api, "0.001")["code"], 1);
    assert_eq!(rests(&api, "56000")["code"], 1);

    // What other parameters would have meant: the bought 0.001 are worth more than 56 USDT, the resting ones are not.
    let (id, before) = (market_of(&risk)["id"].clone(), market_of(&risk)["version"].as_u64().unwrap());
    let look = |params: &Value| risk.post(&format!("parameters/{id}/preview"), &json!({ "params": params }));
    let mut params = with(&risk, "min_notional", json!("56.5"));
    // As shipped, takers of levels 0 and 1 pay the same.
    params["fees"][0] = json!({ "maker_ppm": 0, "taker_ppm": 2_000 });
    params["fees"][1]["taker_ppm"] = json!(2_000);
    eventually("the store has both orders and the fill", || {
        let seen = look(&params).1;
        seen["orders"] == 2 && seen["fills"] == 1
    });
    let seen = look(&params).1;
    assert_eq!((&seen["refused"], &seen["refused_accounts"], &seen["is_all"]), (&json!(1), &json!(1), &json!(true)));
    assert_eq!(seen["reasons"], json!([{ "reason": "Value too small", "orders": 1 }]));
    let number = |field: &str| seen[field].as_str().unwrap().parse::<f64>().unwrap();
    assert!((number("fees_is") / number("fees_was") - 2.0).abs() < 1e-4, "{seen}");
    assert!((number("fees_was") / number("value") - 0.001).abs() < 1e-6, "{seen}");
    assert_eq!((&seen["needs_empty_book"], &seen["quote"]), (&json!(false), &json!("USDT")));
    let changed: Vec<&str> = seen["changes"].as_array().unwrap().iter().map(|c| c["field"].as_str().unwrap()).collect();
    assert_eq!(changed, ["min_notional", "maker_ppm of level 0", "taker_ppm of level 0", "taker_ppm of level 1"]);
    let coarse = look(&with(&risk, "step", json!("0.01"))).1;
    assert_eq!(coarse["error"], "min_quantity: not a whole number of steps", "{coarse}");

    // Who may, and what is refused.
    assert_eq!(propose(&finance, &params, None).0, 403);
    assert_eq!(propose(&risk, &market_of(&risk)["params"], None), (400, json!({ "error": "Nothing is changed." })));
    assert_eq!(propose(&risk, &with(&risk, "band_ppm", json!(1)), None).0, 400);
    assert_eq!(propose(&risk, &params, Some(now_ms() - 1)).0, 400);
    assert_eq!(propose(&risk, &params, Some(now_ms() + 31 * 86_400_000)).0, 400);
    let proposed = propose(&risk, &params, None);
    assert_eq!(proposed.0, 200, "{proposed:?}");
    let case = proposed.1["case"].clone();
    assert_eq!(propose(&listing, &with(&risk, "band_ppm", json!(50_000)), None).0, 409, "one of a market at a time");
    assert_eq!(finance.get(&format!("parameter-cases/{case}/preview")).1["refused"], 1);
    assert_eq!(approve(&risk, &case).0, 409, "not who proposed it");
    assert_eq!(market_of(&risk)["version"], before);
    assert_eq!(approve(&listing, &case), (200, json!({ "done": "in force" })));
    eventually("the catalogue has it", || market_of(&risk)["version"] == before + 1);
    assert_eq!(case_of(&finance, &case)["outcome"], "in force");
    assert_eq!(approve(&listing, &case).0, 409, "it is decided");
    let refused = rests(&api, "56000");
    assert_ne!(refused["code"], 1, "it is worth 56 USDT: {refused}");
    assert_eq!(api.balance(BTC).0, "0.000999", "0.1 % of what was received");
    assert_eq!(buy(&api, "0.001")["code"], 1);
    assert_eq!(api.balance(BTC).0, "0.001997", "0.2 % of what was received");

    // At a time of its own: taken back, and in force at the first look after that time, which a start is.
    let later = propose(&listing, &with(&listing, "max_open_orders", json!(150)), Some(now_ms() + 3_600_000));
    let case = later.1["case"].clone();
    let done = approve(&risk, &case);
    assert_eq!(done, (200, json!({ "done": "approve to change parameters" })));
    assert_eq!(
        (&case_of(&risk, &case)["state"], &case_of(&risk, &case)["outcome"]),
        (&json!("approved"), &Value::Null)
    );
    assert_eq!(propose(&risk, &with(&risk, "max_open_orders", json!(151)), None).0, 409, "one waits for its time");
    let back = json!({ "reason": "not today" });
    let take_back = |browser: &Browser| browser.post(&format!("parameter-cases/{case}/take-back"), &back).0;
    assert_eq!((take_back(&finance), take_back(&listing), take_back(&listing)), (403, 200, 409));
    assert_eq!(case_of(&risk, &case)["outcome"], "taken back");
    let at = now_ms() + 3_000;
    let case = propose(&listing, &with(&listing, "max_open_orders", json!(150)), Some(at)).1["case"].clone();
    assert_eq!(approve(&risk, &case).0, 200);
    server.kill();
    while now_ms() <= at {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    server.launch();
    eventually("it is in force", || case_of(&risk, &case)["outcome"] == "in force");
    let now = market_of(&risk);
    assert_eq!((&now["params"]["max_open_orders"], &now["version"]), (&json!(150), &json!(before + 2)));

    // Ticks change on an empty book only; the house quotes in the new ones.
    server.wait_open("BTCUSDT");
    let finer = with(&risk, "tick", json!("0.001"));
    let case = propose(&risk, &finer, None).1["case"].clone();
    let refused = approve(&listing, &case);
    assert!(refused.0 == 409 && refused.1["error"].as_str().unwrap().contains("empty book"), "{refused:?}");
    let why = json!({ "reason": "a finer tick" });
    assert_eq!(listing.post(&format!("markets/{id}/cancel-only"), &why).0, 200);
    eventually("it is closed", || {
        let told = risk.get("markets").1;
        let row = told["markets"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
        row["state"] == "CancelOnly" && row["by_operator"] == true && row["house"]["levels"] == 0
    });
    assert_ne!(buy(&api, "0.001")["code"], 1, "nothing is taken");
    for order in api.get("/coin/list?status=1")["message"].as_array().unwrap() {
        assert_eq!(api.post("/coin/cancel", &[("id", &order["id"].to_string())])["code"], 1);
    }
    let case = propose(&risk, &finer, None).1["case"].clone();
    assert_eq!(approve(&listing, &case), (200, json!({ "done": "in force" })));
    let resume = listing.post(&format!("markets/{id}/propose-resume"), &why).1["case"].clone();
    let path = format!("market-cases/{resume}/decide");
    assert_eq!(risk.decide(&path, &json!({ "approves": true, "reason": "so do I" })).0, 200);
    server.wait_open("BTCUSDT");
    let placed = rests(&api, "57000.001");
    assert_eq!(placed["code"], 1, "a price of the new tick: {placed}");
    assert_eq!(buy(&api, "0.001")["code"], 1);
    server.terminate();
    let facts = good(&tool(&server, &["journal", "dump", "--kind", "MarketParamsChanged"]));
    assert_eq!(facts.matches("Staff 1 and 2").count() + facts.matches("Staff 2 and 1").count(), 3, "{facts}");
    good(&tool(&server, &["audit"]));
}
