//! The app's calls of contracts' books, through the real binary: two users trade with each other and with the house.

use crate::client::{Api, Server};
use crate::fapi::{live, mark, number, ready};
use crate::socket::Socket;
use crate::wait::eventually;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PAIR: [(&str, &str); 2] = [("currency_id", "1"), ("legal_id", "3")];

/// The house quotes nothing, so that users have the books for themselves.
const ALONE: (&str, &str) = ("XNG__HOUSE__CONTRACTS__LEVELS", "0");

fn post(api: &Api, call: &str, fields: &[(&str, &str)]) -> Value {
    let all: Vec<(&str, &str)> = PAIR.iter().chain(fields).copied().collect();
    api.post(&format!("/contract/{call}"), &all)
}

fn get(api: &Api, call: &str) -> Value {
    let told = api.get(&format!("/contract/{call}?currency_id=1&legal_id=3"));
    assert_eq!(told["code"], 1, "{call}: {told}");
    told["message"].clone()
}

fn order(api: &Api, side: &str, kind: &str, amount: &str, more: &[(&str, &str)]) -> Value {
    let fields = [("type", side), ("order_type", kind), ("amount", amount)];
    post(api, "order", &fields.iter().chain(more).copied().collect::<Vec<_>>())
}

fn position(api: &Api) -> Value {
    get(api, "positions")["positions"][0].clone()
}

fn started(extra: &[(&str, &str)]) -> Server {
    let server = Server::start(extra);
    live(&server);
    server
}

#[test]
fn an_order_is_previewed_placed_watched_and_closed() {
    let server = started(&[ALONE]);
    let [buyer, seller] = ["demo", "demo2"].map(|user| server.demo(user));
    let at = format!("{:.0}", mark(&server, "BTCUSDT"));
    let set = post(&buyer, "terms", &[("multiple", "10"), ("margin_mode", "isolated")]);
    assert_eq!(set["data"], json!({ "multiple": 10, "margin_mode": "isolated" }), "{set}");
    let limit = [("type", "1"), ("order_type", "limit"), ("amount", "0.02"), ("target_price", at.as_str())];
    let preview = post(&buyer, "preview", &limit)["message"].clone();
    let (value, margin, fee) = (number(&preview["value"]), number(&preview["margin"]), number(&preview["fee"]));
    assert!((margin - value / 10.0).abs() < 1e-7 && (fee - value * 0.0005).abs() < 1e-7, "{preview}");
    assert!((number(&preview["worst_case"]) - margin - fee).abs() < 1e-7, "{preview}");
    assert_eq!((&preview["opens"], &preview["enough"]), (&json!("0.02"), &json!(true)), "{preview}");

    let placed = post(&buyer, "order", &limit);
    assert_eq!((&placed["message"], &placed["data"]["status"]), (&json!("Order placed"), &json!(1)), "{placed}");
    assert_eq!(get(&buyer, "orders")[0]["id"], placed["data"]["id"]);
    assert_eq!(get(&seller, "orders"), json!([]), "somebody else's");
    let id = placed["data"]["id"].to_string();
    assert_eq!(seller.post("/contract/cancel", &[("id", &id)])["code"], 1003, "somebody else's");
    eventually("the seller meets it", || order(&seller, "2", "market", "0.02", &[])["data"]["status"] == 2);

    let own = position(&buyer);
    assert_eq!(
        (&own["side"], &own["amount"], &own["margin_mode"]),
        (&json!("long"), &json!("0.02"), &json!("isolated"))
    );
    assert_eq!((&own["multiple"], number(&own["entry"])), (&json!(10), at.parse::<f64>().unwrap()), "{own}");
    for (name, price) in [("liq_price", "liq_price"), ("bankruptcy_price", "bankruptcy_price")] {
        // The preview takes the higher fee, which an isolated position does not pay out of its margin.
        assert_eq!(own[name], preview[price], "{own} {preview}");
    }
    assert_eq!(position(&seller)["side"], "short");
    let lights = || get(&buyer, "adl")[0]["lights"] == 5 && position(&seller)["lights"] == 5;
    eventually("both are the first of their side", lights);

    let added = post(&buyer, "margin", &[("type", "1"), ("amount", "50")]);
    assert_eq!(added["data"], json!({ "amount": "50" }), "{added}");
    let after = position(&buyer);
    assert!((number(&after["margin"]) - number(&own["margin"]) - 50.0).abs() < 1e-7, "{after}");
    assert!(number(&after["liq_price"]) < number(&own["liq_price"]), "{after}");
    assert_eq!(post(&buyer, "margin", &[("type", "2"), ("amount", "60")])["code"], 1005);
    assert_eq!(post(&seller, "margin", &[("type", "1"), ("amount", "5")])["code"], 1003, "a cross position");
    let stays = post(&buyer, "terms", &[("multiple", "20"), ("margin_mode", "isolated")]);
    assert_eq!(stays["code"], 1004, "{stays}");

    let resting = order(&seller, "1", "limit", "0.02", &[("target_price", &at), ("reduce_only", "1")]);
    assert_eq!(resting["data"]["reduce_only"], true, "{resting}");
    let close = || order(&buyer, "2", "market", "0.02", &[("reduce_only", "1")])["data"]["status"] == 2;
    eventually("it closes at market", close);
    assert_eq!(get(&buyer, "positions")["positions"], json!([]));
    assert_eq!(get(&seller, "orders"), json!([]));
    let done = resting["data"]["id"].to_string();
    assert_eq!(seller.post("/contract/cancel", &[("id", &done)])["code"], 1004, "it is filled");
}

#[test]
fn what_cannot_be_is_refused_with_its_code() {
    let server = started(&[ALONE]);
    let api = server.demo("demo");
    let at = format!("{:.0}", mark(&server, "BTCUSDT"));
    let far = format!("{:.0}", mark(&server, "BTCUSDT") * 2.0);
    let limit = |price: &str, amount: &str, more: &[(&str, &str)]| {
        let fields: Vec<(&str, &str)> = [("target_price", price)].iter().chain(more).copied().collect();
        order(&api, "1", "limit", amount, &fields)["code"].clone()
    };
    for (price, amount, more, code) in [
        (at.as_str(), "0.001", &[][..], 1013),
        (at.as_str(), "0", &[], 1001),
        (at.as_str(), "-0.01", &[], 1001),
        (at.as_str(), "5000", &[], 1013),
        (far.as_str(), "0.01", &[], 1013),
        ("60000.001", "0.01", &[], 1013),
        ("0", "0.01", &[], 1001),
        (at.as_str(), "0.01", &[("tif", "GTX")], 1001),
        (at.as_str(), "0.01", &[("reduce_only", "yes")], 1001),
        (at.as_str(), "0.01", &[("reduce_only", "1")], 1004),
        (at.as_str(), "0.01", &[("position_side", "long")], 1001),
        (at.as_str(), "0.01", &[("client_id", "a b")], 1001),
        (at.as_str(), "3", &[], 1005),
    ] {
        assert_eq!(limit(price, amount, more), code, "{price} {amount} {more:?}");
    }
    assert_eq!(order(&api, "3", "market", "0.01", &[])["code"], 1001);
    assert_eq!(order(&api, "1", "stop", "0.01", &[])["code"], 1001);
    assert_eq!(order(&api, "1", "market", "0.01", &[])["code"], 1012, "nobody is there");
    assert_eq!(api.post("/contract/order", &[("currency_id", "99"), ("legal_id", "3")])["code"], 1003);
    assert_eq!(api.post("/contract/cancel", &[("id", "12")])["code"], 1003);
    for multiple in ["0", "101", "70000"] {
        let told = post(&api, "terms", &[("multiple", multiple), ("margin_mode", "cross")]);
        assert_eq!(told["code"], 1001, "{multiple}: {told}");
    }
    assert_eq!(post(&api, "terms", &[("multiple", "10"), ("margin_mode", "half")])["code"], 1001);
    assert_eq!(post(&api, "margin", &[("type", "1"), ("amount", "5")])["code"], 1003, "no position");
    assert_eq!(post(&api, "margin", &[("type", "3"), ("amount", "5")])["code"], 1001);
    for call in ["positions", "orders", "adl"] {
        assert_eq!(server.api().get(&format!("/contract/{call}"))["code"], 999, "{call}");
    }
}

#[test]
fn what_anybody_may_know_is_told_to_a_guest() {
    let server = started(&[]);
    let guest = server.api();
    let book = get(&guest, "book");
    assert_eq!((&book["symbol"], &book["live"], &book["multiple"]), (&json!("BTC/USDT"), &json!(true), &json!(20)));
    let funding = get(&guest, "funding");
    assert_eq!((&funding["period_s"], &funding["paid"]), (&json!(28_800), &json!([])), "{funding}");
    let insurance = get(&guest, "insurance");
    assert_eq!(insurance["contracts"].as_array().map(Vec::len), Some(2), "{insurance}");
    assert_eq!(insurance["funds"][0]["coin"], "USDT", "{insurance}");
}

#[test]
fn the_app_reads_a_contracts_book_and_hears_of_its_own_orders() {
    let server = started(&[]);
    let api = server.demo("demo");
    let mut socket = Socket::open(&server, "/realtime");
    socket.send(
        &json!({ "method": "SUBSCRIBE", "params": ["btcusdt_perp@depth@100ms", "btcusdt@depth@100ms"], "id": 1 }),
    );
    let mut begun = BTreeSet::new();
    socket.until(|frame| {
        if frame["snapshot"] == true {
            assert!(frame["data"]["lastUpdateId"].is_u64(), "{frame}");
            begun.insert(frame["stream"].to_string());
        }
        begun.len() == 2
    });
    socket.send(&json!({ "event": "login", "data": { "token": api.token } }));
    socket.until(|frame| frame["event"] == "snapshot");
    eventually("the house is met", || order(&api, "1", "market", "0.01", &[])["data"]["status"] == 2);
    let told = socket.until(|frame| frame["event"] == "contract_order");
    assert_eq!((&told["data"]["symbol"], &told["data"]["status"]), (&json!("BTCUSDT"), &json!(2)), "{told}");
    let changed = socket.until(|frame| frame["event"] == "contract_positions");
    assert_eq!((&changed["data"]["match_id"], &changed["seq"]), (&json!([512]), &told["seq"]));
}

#[test]
fn an_order_of_a_program_that_waits_is_shown_and_cancelled() {
    let (server, bot, _) = ready();
    let (trigger, app) = (format!("{:.1}", mark(&server, "BTCUSDT") * 0.9), &bot.0.api);
    let wanted = "symbol=BTCUSDT&side=SELL&type=STOP_MARKET&quantity=0.02&workingType=MARK_PRICE";
    let placed = bot.good("POST", "v1/algoOrder", &format!("algoType=CONDITIONAL&{wanted}&triggerPrice={trigger}"));
    let shown = get(app, "orders");
    let row = &shown[0];
    assert_eq!((&row["id"], &row["waiting"], &row["status"]), (&placed["algoId"], &json!(true), &json!(1)), "{shown}");
    assert_eq!((&row["trigger"], &row["trigger_by"]), (&json!("stop_loss"), &json!("mark")), "{shown}");
    assert!((number(&row["trigger_price"]) - number(&json!(trigger))).abs() < 1e-8, "{shown}");
    let ended = post(app, "cancel_all", &[]);
    assert_eq!(ended["data"]["ids"], json!([placed["algoId"]]), "{ended}");
    assert_eq!(get(app, "orders"), json!([]));
}
