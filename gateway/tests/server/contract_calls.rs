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

/// A position that is closed by the orders of the test is opened by two users who meet at the mark.
fn long_and_short(server: &Server, long: &Api, short: &Api, amount: &str) {
    let at = format!("{:.0}", mark(server, "BTCUSDT"));
    let placed = order(long, "1", "limit", amount, &[("target_price", &at)]);
    assert_eq!(placed["data"]["status"], 1, "{placed}");
    eventually("the other side meets it", || order(short, "2", "market", amount, &[])["data"]["status"] == 2);
}

fn closing(api: &Api, trigger: &str, price: &str, more: &[(&str, &str)]) -> Value {
    let fields = [("type", "2"), ("order_type", "market"), ("trigger", trigger), ("trigger_price", price)];
    post(api, "order", &fields.iter().chain(more).copied().collect::<Vec<_>>())
}

#[test]
fn stops_that_close_the_position_wait_and_one_of_them_closes_it() {
    let server = started(&[ALONE]);
    let [buyer, seller] = ["demo", "demo2"].map(|user| server.demo(user));
    long_and_short(&server, &buyer, &seller, "0.02");
    let now = mark(&server, "BTCUSDT");
    let [low, high] = [0.9, 1.2].map(|factor| format!("{:.0}", now * factor));
    let whole = [("close_position", "1")];
    let placed = closing(&buyer, "stop_loss", &low, &whole);
    let stop = &placed["data"];
    assert_eq!((&placed["code"], &stop["waiting"], &stop["status"]), (&json!(1), &json!(true), &json!(1)), "{placed}");
    assert_eq!((&stop["trigger"], &stop["trigger_price"]), (&json!("stop_loss"), &json!(low)), "{stop}");
    assert_eq!((&stop["trigger_by"], &stop["trail"]), (&json!("mark"), &json!(0)), "{stop}");
    assert_eq!((&stop["close_position"], &stop["reduce_only"]), (&json!(true), &json!(true)), "{stop}");
    assert_eq!((&stop["amount"], &stop["target_price"]), (&json!("0"), &json!("0")), "{stop}");
    let take = closing(&buyer, "take_profit", &high, &whole)["data"].clone();
    assert_eq!(get(&buyer, "orders"), json!([take, stop]), "as they were told when they were placed");
    let limit = [("type", "1"), ("order_type", "limit"), ("amount", "0.01"), ("target_price", high.as_str())];
    let waits = [("trigger", "stop_loss"), ("trigger_price", high.as_str()), ("trigger_by", "last")];
    let placed = post(&buyer, "order", &limit.into_iter().chain(waits).collect::<Vec<_>>());
    let by_last = &placed["data"];
    assert_eq!((&by_last["trigger_by"], &by_last["order_type"]), (&json!("last"), &json!("limit")), "{placed}");
    assert_eq!((&by_last["amount"], &by_last["close_position"]), (&json!("0.01"), &json!(false)), "{placed}");
    let id = by_last["id"].to_string();
    assert_eq!(buyer.post("/contract/cancel", &[("id", &id)])["data"]["ids"], json!([by_last["id"]]));

    // A trade above the last one reaches a price between the two; what is sold then meets the bid that waits for it.
    let at = format!("{:.0}", now * 1.005);
    let above = format!("{:.0}", now * 1.003);
    let by_last = [("close_position", "1"), ("trigger_by", "last")];
    assert_eq!(closing(&buyer, "take_profit", &above, &by_last)["code"], 1);
    let bid = |amount| order(&seller, "1", "limit", amount, &[("target_price", &at)]);
    assert_eq!(bid("0.03")["data"]["status"], 1);
    eventually("a trade above", || {
        order(&buyer, "2", "limit", "0.01", &[("target_price", &at)])["data"]["status"] == 2
    });
    eventually("the position is closed", || get(&buyer, "positions")["positions"] == json!([]));
}

#[test]
fn an_order_that_cannot_wait_is_refused_with_its_code_and_text() {
    let server = started(&[ALONE]);
    let api = server.demo("demo");
    let now = mark(&server, "BTCUSDT");
    let [low, high] = [0.9, 1.1].map(|factor| format!("{:.0}", now * factor));
    let whole = ("close_position", "1");
    for (trigger, price, more, code, text) in [
        ("stop_loss", high.as_str(), &[whole][..], 1004, "Order would trigger immediately"),
        ("take_profit", low.as_str(), &[whole], 1004, "Order would trigger immediately"),
        ("stop_loss", "50000.001", &[whole], 1013, "The price must be a multiple of 0.01"),
        ("stop_loss", "0", &[whole], 1001, "trigger_price: not greater than zero"),
        ("stop_loss", "-5", &[whole], 1001, "trigger_price: not greater than zero"),
        ("stop_loss", "low", &[whole], 1001, "trigger_price: not a plain decimal number"),
        ("stop_loss", "", &[whole], 1001, "trigger_price: missing"),
        ("stop", low.as_str(), &[whole], 1001, "trigger: stop_loss or take_profit"),
        ("", low.as_str(), &[], 1001, "trigger: missing"),
        ("", "", &[whole], 1001, "trigger: missing"),
        ("", "", &[("trigger_by", "last"), ("amount", "0.01")], 1001, "trigger: missing"),
        ("stop_loss", low.as_str(), &[whole, ("trigger_by", "index")], 1001, "trigger_by: mark or last"),
        ("stop_loss", low.as_str(), &[("close_position", "yes")], 1001, "close_position: 0 or 1"),
        ("stop_loss", low.as_str(), &[whole, ("amount", "0.01")], 1001, "amount: not with close_position"),
        ("stop_loss", low.as_str(), &[], 1001, "amount: missing"),
        ("stop_loss", low.as_str(), &[("amount", "0.001")], 1013, "The amount must be a multiple of 0.01"),
        ("stop_loss", low.as_str(), &[whole, ("position_side", "long")], 1001, "The position side does not match"),
    ] {
        let told = closing(&api, trigger, price, more);
        assert_eq!(told["code"], code, "{trigger} {price} {more:?}: {told}");
        let said = told["errors"].as_object().and_then(|fields| fields.iter().next());
        let said = said.map_or_else(|| told["message"].to_string(), |(field, why)| format!("{field}: {why}"));
        assert!(said.replace('"', "").contains(text), "{trigger} {price} {more:?}: {said}");
    }
    let waits = [("trigger", "stop_loss"), ("trigger_price", low.as_str())];
    let fields = [("type", "2"), ("order_type", "limit"), ("target_price", low.as_str()), whole];
    let limit = post(&api, "order", &fields.into_iter().chain(waits).collect::<Vec<_>>());
    assert_eq!(limit["errors"], json!({ "order_type": "market with close_position" }), "{limit}");
    let fields = [("type", "2"), ("order_type", "market"), ("amount", "0.01")];
    let preview = post(&api, "preview", &fields.into_iter().chain(waits).collect::<Vec<_>>());
    assert_eq!(preview["errors"], json!({ "trigger": "not in a preview" }), "{preview}");
    for _ in 0..10 {
        assert_eq!(closing(&api, "stop_loss", &low, &[whole])["code"], 1);
    }
    let one_more = closing(&api, "stop_loss", &low, &[whole]);
    assert_eq!(one_more["code"], 1013, "{one_more}");
    assert!(one_more["message"].as_str().unwrap().contains("At most 10"), "{one_more}");
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
