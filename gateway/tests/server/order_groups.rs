//! Stops and lists of the app, `/coin/stop` and `/coin/oco`, through the real binary.

use crate::client::{Api, Server};
use serde_json::{Value, json};

const BTC: u32 = 1;

/// A server, a user with some of the base, and prices below and above the market's.
fn ready() -> (Server, Api, [String; 2]) {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let bought = ask(&api, "/coin/trade", &[("type", "1"), ("order_type", "market"), ("amount", "0.05")]);
    assert_eq!(bought["type"], "ok", "{bought}");
    let best = api.raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
    let price: f64 = best["bidPrice"].as_str().unwrap().parse().unwrap();
    let moved = |percent: f64| format!("{}", (price * (1.0 + percent / 100.0)) as i64);
    (server, api, [moved(-5.0), moved(5.0)])
}

fn ask(api: &Api, path: &str, fields: &[(&str, &str)]) -> Value {
    ask_as(api, path, fields, None)
}

fn ask_as(api: &Api, path: &str, fields: &[(&str, &str)], key: Option<&str>) -> Value {
    let pair = [("currency_id", "1"), ("legal_id", "3")];
    api.try_post(path, &[&pair[..], fields].concat(), key).unwrap()
}

#[test]
fn a_stop_waits_is_listed_as_open_and_is_told_again_to_who_asks_again() {
    let (_server, api, [low, high]) = ready();
    let stop = [
        ("type", "2"),
        ("amount", "0.01"),
        ("trigger", "stop_loss"),
        ("trigger_price", &*low),
        ("target_price", &*low),
    ];
    let placed = ask_as(&api, "/coin/stop", &stop, Some("stop"));
    assert_eq!((&placed["type"], &placed["data"]["status"]), (&json!("ok"), &json!(1)), "{placed}");
    let id = &placed["data"]["id"];
    let again = ask_as(&api, "/coin/stop", &stop, Some("stop"));
    assert_eq!((&again["data"]["id"], &again["data"]["repeated"]), (id, &json!(true)), "{again}");
    let known = api.get("/coin/request?key=stop")["message"].clone();
    assert_eq!((&known["status"], &known["data"]["ids"]), (&json!("done"), &json!([id])), "{known}");
    let open = api.get("/coin/list?status=1")["message"].clone();
    assert_eq!(open.as_array().unwrap().len(), 1, "{open}");
    let told = (&open[0]["id"], &open[0]["waiting"], &open[0]["trigger"], &open[0]["trigger_price"]);
    assert_eq!(told, (id, &json!(true), &json!("stop_loss"), &json!(low)));
    assert_eq!(api.balance(BTC).1, "0.01");
    let trailing =
        [("type", "2"), ("amount", "0.01"), ("trigger", "take_profit"), ("trigger_price", &*high), ("trail", "2.5")];
    let placed = ask(&api, "/coin/stop", &trailing);
    assert_eq!(placed["type"], "ok", "{placed}");
    let open = api.get("/coin/list?status=1")["message"].clone();
    assert_eq!((&open[0]["trail"], &open[0]["order_type"]), (&json!(250), &json!("market")), "{open}");
    let canceled = ask(&api, "/coin/cancel_all", &[]);
    assert_eq!(canceled["data"]["ids"].as_array().map(Vec::len), Some(2), "{canceled}");
    assert_eq!((api.balance(BTC).1, api.get("/coin/list?status=1")["message"].clone()), ("0".into(), json!([])));
}

#[test]
fn both_orders_of_a_pair_lock_once_and_end_as_one() {
    let (_server, api, [low, high]) = ready();
    let pair =
        [("type", "2"), ("amount", "0.02"), ("target_price", &*high), ("trigger_price", &*low), ("stop_price", &*low)];
    let placed = ask(&api, "/coin/oco", &pair);
    let ids = placed["data"]["ids"].as_array().unwrap_or_else(|| panic!("{placed}")).clone();
    assert_eq!((ids.len(), &placed["data"]["id"]), (2, &ids[0]));
    assert_eq!(api.balance(BTC).1, "0.02", "once");
    let open = api.get("/coin/list?status=1")["message"].clone();
    let lists: Vec<&Value> = open.as_array().unwrap().iter().map(|o| &o["list_id"]).collect();
    assert_eq!(lists, [&ids[0], &ids[0]], "{open}");
    let canceled = ask(&api, "/coin/cancel", &[("id", &ids[1].to_string())]);
    assert_eq!(canceled["type"], "ok", "{canceled}");
    assert_eq!((api.balance(BTC).1, api.get("/coin/list?status=1")["message"].clone()), ("0".into(), json!([])));
}

#[test]
fn what_cannot_be_is_refused_with_the_rule_that_it_breaks() {
    let (_server, api, [low, high]) = ready();
    let base = |trigger_price: &str, amount: &str, more: &[(&str, &str)]| {
        let fields = [("type", "2"), ("trigger", "stop_loss"), ("trigger_price", trigger_price), ("amount", amount)];
        ask(&api, "/coin/stop", &[&fields[..], more].concat())
    };
    for (answer, said) in [
        (base(&format!("{low}.001"), "0.01", &[]), "PRICE_FILTER"),
        (base(&low, "0.01", &[("target_price", &*format!("{low}.001"))]), "PRICE_FILTER"),
        (base(&low, "0.0000001", &[]), "LOT_SIZE"),
        (base(&low, "0.01", &[("trail", "2.555")]), "trail"),
        (base(&low, "-1", &[]), "amount"),
        (base(&high, "0.01", &[]), "immediately"),
        (base(&low, "9", &[]), "balance"),
        (base("", "0.01", &[]), "trigger"),
    ] {
        assert!(answer["type"] == "error" && answer.to_string().contains(said), "{said}: {answer}");
    }
    let pair = [("type", "2"), ("amount", "0.01"), ("trigger_price", &*low)];
    let answer = ask(&api, "/coin/oco", &pair);
    assert_eq!(answer["errors"], json!({ "target_price": "missing" }), "{answer}");
    let swapped = [("type", "2"), ("amount", "0.01"), ("target_price", &*low), ("trigger_price", &*high)];
    assert_eq!(ask(&api, "/coin/oco", &swapped)["type"], "error");
    assert_eq!(api.balance(BTC).1, "0");
}
