//! Conversion through the real binary: quotes, what refuses them, dust.

use crate::client::{Api, Server};
use crate::tool::{good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::thread;

const BTC: &str = "1";
const ETH: &str = "2";
const USDT: &str = "3";

fn amount(value: &Value) -> f64 {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).parse().unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 2e-8
}

fn quote(api: &Api, from: &str, to: &str, number: &str) -> Value {
    let fields = [("from_currency_id", from), ("to_currency_id", to), ("number", number)];
    api.post("/user/getTransferFee", &fields)
}

fn convert(api: &Api, from: &str, to: &str, number: &str, quote_id: &str) -> Value {
    let fields = [("number", number), ("from_currency_id", from), ("to_currency_id", to), ("quote_id", quote_id)];
    api.post("/user/Transfer", &fields)
}

/// A demo user, once prices of both assets are fresh.
fn started(server: &Server) -> Api {
    let api = server.demo("demo");
    for asset in [BTC, ETH] {
        eventually("there are prices", || quote(&api, USDT, asset, "10")["code"] == 1);
    }
    api
}

fn has(api: &Api, asset: &str) -> f64 {
    api.balance(asset.parse().unwrap()).0.parse().unwrap()
}

/// A conversion at a quote that the price did not leave behind.
fn quoted(api: &Api, from: &str, to: &str, number: &str) -> Value {
    let (mut used, mut done) = (Value::Null, false);
    eventually("a quote is honoured", || {
        used = quote(api, from, to, number)["message"].clone();
        done = convert(api, from, to, number, used["quote_id"].as_str().unwrap())["code"] == 1;
        done
    });
    used
}

#[test]
fn a_quote_is_honoured_and_told_in_the_history_the_ledger_and_the_tools() {
    let mut server = Server::start(&[]);
    let api = started(&server);
    let list = api.post("/user/getTransferList", &[])["message"].clone();
    let names: Vec<&str> = list["transfer"].as_array().unwrap().iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["BTC", "ETH", "USDT"]);
    assert_eq!((&list["min"], &list["max"]), (&json!("1"), &json!("50000")));
    let before = [has(&api, USDT), has(&api, BTC)];
    let used = quoted(&api, USDT, BTC, "1000");
    assert_eq!(
        (&used["form_price"], &used["fee"], &used["spread"], &used["fee_amount"]),
        (&json!("1"), &json!("0.1"), &json!("0"), &json!("1"))
    );
    let got = amount(&used["to_amount"]);
    assert!(near(got, 1_000.0 / amount(&used["to_price"])) && near(got, 1_000.0 * amount(&used["rate"])), "{used}");
    assert!(near(has(&api, USDT), before[0] - 1_001.0) && near(has(&api, BTC), before[1] + got));
    let again = convert(&api, USDT, BTC, "1000", used["quote_id"].as_str().unwrap());
    assert_eq!((&again["code"], &again["data"]["repeated"]), (&json!(1), &json!(true)), "{again}");
    let other = convert(&api, USDT, BTC, "999", used["quote_id"].as_str().unwrap());
    assert_eq!(other["code"], 1002, "{other}");
    assert!(near(has(&api, BTC), before[1] + got), "nothing moved twice");
    let row = api.get_patiently("/user/Transfer/list")["message"]["data"][0].clone();
    assert_eq!(
        (&row["number"], &row["fee"], &row["to_number"], &row["type"]),
        (&json!("1000"), &json!("1"), &used["to_amount"], &json!("convert"))
    );
    let types = || {
        let log = api.post("/wallet/legal_log", &[("currency", "0"), ("type", "change"), ("limit", "3")]);
        let mut types: Vec<i64> =
            log["message"]["list"].as_array().unwrap().iter().filter_map(|row| row["type"].as_i64()).collect();
        types.sort_unstable();
        types
    };
    eventually("the ledger has its rows", || types() == [701, 702, 703]);
    server.terminate();
    let audit = good(&tool(&server, &["audit"]));
    assert!(audit.contains("1 conversions"), "{audit}");
}

#[test]
fn a_quote_asked_two_hundred_times_at_once_converts_once() {
    let server = Server::start(&[]);
    let api = started(&server);
    let before = has(&api, USDT);
    let quote = quote(&api, USDT, BTC, "10")["message"]["quote_id"].as_str().unwrap().to_owned();
    let asked: Vec<_> = (0..200)
        .map(|n| {
            let (api, quote) = (api.clone(), quote.clone());
            thread::spawn(move || {
                let fields =
                    [("number", "10"), ("from_currency_id", USDT), ("to_currency_id", BTC), ("quote_id", &*quote)];
                // Half of them have keys of their own, which a quote does not look at.
                let key = (n % 2 == 0).then(|| format!("key-{n}"));
                let answer = api.try_post("/user/Transfer", &fields, key.as_deref()).expect("an answer");
                (answer["code"].as_i64().unwrap(), answer["data"]["repeated"] == false)
            })
        })
        .collect();
    let mut codes: BTreeMap<i64, usize> = BTreeMap::new();
    let mut first = 0;
    for thread in asked {
        let (code, new) = thread.join().unwrap();
        *codes.entry(code).or_default() += 1;
        first += usize::from(code == 1 && new);
    }
    assert_eq!(first, 1, "{codes:?}");
    assert!(codes.keys().all(|code| [1, 1002, 1018].contains(code)), "{codes:?}");
    assert!(near(has(&api, USDT), before - 10.01), "{codes:?}");
}

#[test]
fn bad_requests_are_refused_with_their_codes_and_move_nothing() {
    let server = Server::start(&[]);
    let api = started(&server);
    let before = has(&api, USDT);
    let code = |from: &str, to: &str, number: &str, quote: &str| {
        convert(&api, from, to, number, quote)["code"].as_i64().unwrap()
    };
    let same = convert(&api, USDT, USDT, "10", "");
    assert_eq!((&same["code"], &same["message"]), (&json!(1001), &json!("The same currency cannot be transferred!")));
    assert_eq!(code(USDT, "34", "10", ""), 1014, "not converted here");
    assert_eq!(code(USDT, "77", "10", ""), 1014);
    for number in ["0", "-1", "NaN", "1e9", "", "0.000000001"] {
        assert_eq!(code(USDT, BTC, number, ""), 1001, "{number}");
    }
    assert_eq!(code(USDT, BTC, "0.00000001", ""), 1013, "F4");
    assert_eq!(code(USDT, BTC, "50000.00000001", ""), 1013);
    assert_eq!(code(USDT, BTC, "49000", ""), 1005);
    let quote_id = quote(&api, USDT, BTC, "10")["message"]["quote_id"].as_str().unwrap().to_owned();
    assert_eq!(code(USDT, ETH, "10", &quote_id), 1019, "of other assets");
    let better = format!("0{quote_id}");
    for made in ["1-2-3-4", "x", "0-1-1", &*better, &quote_id[..quote_id.len() - 1]] {
        assert_eq!(code(USDT, BTC, "10", made), 1019, "{made}");
    }
    let other = server.demo("demo2");
    assert_eq!(convert(&other, USDT, BTC, "10", &quote_id)["code"], 1019, "of another account");
    assert_eq!(server.api().post("/user/getTransferList", &[])["code"], 999);
    assert!(near(has(&api, USDT), before));
}

#[test]
fn a_quote_ends_after_ten_seconds_and_with_the_process() {
    let mut server = Server::start(&[]);
    let api = started(&server);
    let id = |api: &Api| quote(api, USDT, BTC, "10")["message"]["quote_id"].as_str().unwrap().to_owned();
    let old = id(&api);
    thread::sleep(std::time::Duration::from_millis(10_200));
    assert_eq!(convert(&api, USDT, BTC, "10", &old)["code"], 1019);
    let before = id(&api);
    server.terminate();
    server.launch();
    let api = started(&server);
    assert_eq!(convert(&api, USDT, BTC, "10", &before)["code"], 1019);
}

#[test]
fn dust_is_converted_once_in_a_day() {
    let server = Server::start(&[]);
    let api = started(&server);
    // Two users begin with whole balances; what is left of a sale is dust.
    let left = 0.001;
    let eth = has(&api, ETH);
    if eth > left {
        let sold = (eth - left) / 1.001;
        let parts = (sold * 2_000.0 / 40_000.0).ceil() as u32;
        for _ in 0..parts {
            let answer = convert(&api, ETH, USDT, &format!("{:.8}", sold / f64::from(parts)), "");
            assert_eq!(answer["code"], 1, "{answer}");
        }
    } else {
        quoted(&api, USDT, ETH, "3");
    }
    let dust = api.get("/convert/dust")["message"].clone();
    assert_eq!((&dust["to_currency_id"], &dust["limit"], &dust["next_at"]), (&json!(3), &json!("5"), &Value::Null));
    let rows = dust["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["currency_id"].as_u64().unwrap()).collect::<Vec<_>>(), [2], "{dust}");
    let refused = |ids: &str| api.post("/convert/dust", &[("currency_ids", ids)])["code"].as_i64().unwrap();
    assert_eq!([refused("x"), refused("3"), refused("2,2"), refused("77")], [1001, 1001, 1001, 1014]);
    let before = has(&api, USDT);
    let of_terms = |version: &str| api.post("/convert/dust", &[("currency_ids", "2"), ("version", version)]);
    assert_eq!(of_terms("77")["code"], 1019, "other terms than were shown");
    let done = of_terms(&dust["version"].to_string());
    assert_eq!(done["code"], 1, "{done}");
    assert!(near(has(&api, ETH), 0.0) && has(&api, USDT) > before);
    assert_eq!(refused("2"), 1013, "once in 24 hours");
    assert!(api.get("/convert/dust")["message"]["next_at"].is_u64());
    let row = api.get_patiently("/user/Transfer/list")["message"]["data"][0].clone();
    assert_eq!((&row["type"], &row["fee"]), (&json!("dust"), &json!("0")));
}
