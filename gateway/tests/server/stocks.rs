//! Stocks through the real binary: sessions, queued orders, fees, board lots, paying with another money, corporate actions,
//! operators' decisions.

use crate::client::{Api, Server};
use crate::stock_market::{ALWAYS, with_stocks};
use crate::tool::{bad, good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a tool ends with that the server refused.
const REFUSED: i32 = 2;
pub(crate) const USDT: &str = "3";
pub(crate) const HKD: &str = "130";
/// Apple on market 384, Tencent on market 394.
const AAPL: &str = "10384";
pub(crate) const TENCENT: &str = "10394";

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

/// Both venues have these sessions and no others.
fn sessions(list: &[(u64, u64)]) -> String {
    let of = |(open, close): &(u64, u64)| format!("{{ open_ms = {open}, close_ms = {close}, last = true }}");
    let list: Vec<String> = list.iter().map(of).collect();
    let calendar = |id: u8, name: &str, zone: &str| {
        format!("[[calendar]]\nid = {id}\nname = \"{name}\"\nzone = \"{zone}\"\nsessions = [{}]\n", list.join(", "))
    };
    calendar(1, "NYSE", "America/New_York") + &calendar(2, "HKEX", "Asia/Hong_Kong")
}

pub(crate) fn quote(api: &Api, symbol: &str) -> Value {
    let groups = api.get("/currency/quotation_new")["message"].clone();
    let mut all = groups.as_array().unwrap().iter().flat_map(|group| group["quotation"].as_array().unwrap());
    all.find(|row| row["symbol"] == symbol).cloned().unwrap_or_else(|| panic!("no {symbol}: {groups}"))
}

pub(crate) fn is_open(api: &Api, symbol: &str) -> bool {
    quote(api, symbol)["market_status"] == "open"
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).parse().unwrap()
}

/// In units of 1e-8.
fn units(text: &str) -> i128 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{part:0<8}").parse().unwrap()
}

pub(crate) fn has(api: &Api, asset: &str) -> i128 {
    units(&api.balance(asset.parse().unwrap()).0)
}

pub(crate) fn order<'a>(asset: &'a str, money: &'a str, side: &'a str, amount: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![("currency_id", asset), ("legal_id", money), ("type", side), ("amount", amount)]
}

fn limit(api: &Api, asset: &str, money: &str, side: &str, amount: &str, price: &str) -> Value {
    let mut fields = order(asset, money, side, amount);
    fields.push(("target_price", price));
    api.post("/coin/trade", &fields)
}

fn detail(api: &Api, id: &Value) -> Value {
    api.get_patiently(&format!("/coin/detail?id={id}"))["message"].clone()
}

fn decide<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [&["admin"], words, &["--by", "ops", "--reason", "a test"]].concat()
}

#[test]
fn shares_are_bought_and_sold_with_the_fee_in_money() {
    let mut server = with_stocks(ALWAYS);
    server.launch();
    let api = server.demo("demo");
    eventually("the stock opens", || is_open(&api, "AAPL/USDT"));
    let row = quote(&api, "AAPL/USDT");
    assert_eq!(
        (&row["kind"], &row["title"], &row["step_table"]),
        (&json!("stock_us"), &json!("Apple Inc."), &json!(""))
    );
    assert_eq!((&row["session"]["venue"], &row["session"]["phase"]), (&json!("NYSE"), &json!("open")));
    assert_eq!((&row["lock_fee"], &row["queues"], &row["usdt_rate"]), (&json!("0.1"), &json!(1), &Value::Null));
    assert_eq!(quote(&api, "BTC/USDT")["session"], Value::Null);
    let before = has(&api, USDT);
    let bought = api.post("/coin/trade", &order(AAPL, USDT, "1", "10"));
    assert_eq!(bought["code"], 1, "{bought}");
    let row = detail(&api, &bought["data"]["id"]);
    assert_eq!((&row["status"], &row["tif"], &row["fee_currency"]), (&json!(2), &json!("GTC"), &json!("USDT")));
    let (cost, fee) = (units(row["filled_total"].as_str().unwrap()), units(row["fee"].as_str().unwrap()));
    let fills = row["fills"].as_array().unwrap();
    let fees: i128 =
        fills.iter().map(|fill| (units(fill["quote_amount"].as_str().unwrap()) * 5 + 5_000) / 10_000).sum();
    assert_eq!(fee, fees, "0.05 % of each fill, half up: {row}");
    assert_eq!((has(&api, USDT), has(&api, AAPL)), (before - cost - fee, 10 * 100_000_000));
    let sold = api.post("/coin/trade", &order(AAPL, USDT, "2", "4"));
    let row = detail(&api, &sold["data"]["id"]);
    let got = units(row["filled_total"].as_str().unwrap()) - units(row["fee"].as_str().unwrap());
    assert_eq!((has(&api, USDT), has(&api, AAPL)), (before - cost - fee + got, 6 * 100_000_000));
    let short = api.post("/coin/trade", &order(AAPL, USDT, "2", "7"));
    assert_eq!(short["code"], 1005, "no short sales: {short}");
    let half = api.post("/coin/trade", &order(AAPL, USDT, "1", "0.5"));
    assert_eq!(half["code"], 1013, "{half}");
    server.terminate();
    good(&tool(&server, &["audit"]));
}

#[test]
fn a_stock_in_hong_kong_dollars_is_paid_with_usdt_once_and_has_its_own_steps() {
    let mut server = with_stocks(ALWAYS);
    server.launch();
    let api = server.demo("demo");
    eventually("both open", || is_open(&api, "0700/HKD") && is_open(&api, "HKD/USDT"));
    let row = quote(&api, "0700/HKD");
    assert_eq!(
        (&row["kind"], &row["step"], &row["step_table"]),
        (&json!("stock_hk"), &json!("100"), &json!("hk-2025-08"))
    );
    assert!((number(&row["usdt_rate"]) - 7.8).abs() < 0.2, "{row}");
    let price = number(&row["now_price"]) * 1.02;
    // Steps of 0.2 from 200 to 500.
    let price = format!("{:.1}", (price / 0.2).round() * 0.2);
    let off = format!("{}5", &price);
    let refused = limit(&api, TENCENT, HKD, "1", "100", &off);
    assert_eq!(refused["code"], 1013, "{off}: {refused}");
    assert!(refused["message"].as_str().unwrap().contains("0.2"), "{refused}");
    let lot = limit(&api, TENCENT, HKD, "1", "150", &price);
    assert_eq!(lot["code"], 1013, "a board lot has 100 shares: {lot}");
    let poor = limit(&api, TENCENT, HKD, "1", "100", &price);
    assert_eq!(poor["code"], 1005, "there is no HKD: {poor}");
    let mut fields = order(TENCENT, HKD, "1", "100");
    fields.extend([("target_price", &*price), ("pay_with", "USDT")]);
    let before = has(&api, USDT);
    let paid = api.try_post("/coin/trade", &fields, Some("buys-once")).unwrap();
    assert_eq!(paid["code"], 1, "{paid}");
    let after = has(&api, USDT);
    assert!(after < before);
    let again = api.try_post("/coin/trade", &fields, Some("buys-once")).unwrap();
    assert_eq!((&again["code"], &again["data"]["repeated"]), (&json!(1), &json!(true)), "{again}");
    assert_eq!((has(&api, USDT), has(&api, TENCENT)), (after, 100 * 100_000_000));
    assert!(has(&api, HKD) > 0, "what is left stays HKD");
    assert_eq!(api.post("/coin/trade", &fields)["code"], 1001, "without a key it could pay twice");
    // A key that was another order's pays for nothing.
    eventually("the other stock opens", || is_open(&api, "AAPL/USDT"));
    let own = api.try_post("/coin/trade", &order(AAPL, USDT, "1", "1"), Some("its-own")).unwrap();
    assert_eq!(own["code"], 1, "{own}");
    let (usdt, hkd) = (has(&api, USDT), has(&api, HKD));
    let clash = api.try_post("/coin/trade", &fields, Some("its-own")).unwrap();
    assert_ne!(clash["code"], 1, "{clash}");
    assert_eq!((has(&api, USDT), has(&api, HKD)), (usdt, hkd), "nothing was converted");
    let mut sale = order(TENCENT, HKD, "2", "100");
    sale.push(("pay_with", "USDT"));
    assert_eq!(api.post("/coin/trade", &sale)["code"], 1001, "a sale is paid in its own money");
    server.terminate();
    good(&tool(&server, &["audit"]));
}

#[test]
fn an_order_waits_for_the_open_through_a_kill_and_one_of_the_day_ends_with_it() {
    let start = now_ms();
    let (open, close) = (start + 40_000, start + 80_000);
    let mut server = with_stocks(&sessions(&[(open, close), (start + 3_600_000, start + 7_200_000)]));
    server.launch();
    let api = server.demo("demo");
    eventually("the calendar is known", || quote(&api, "AAPL/USDT")["session"]["phase"] == "closed");
    let row = quote(&api, "AAPL/USDT");
    assert_eq!((&row["market_status"], &row["session"]["next_open_ms"]), (&json!("closed"), &json!(open)));
    let calendar = api.get("/stock/calendar?market=us")["message"].clone();
    assert_eq!((&calendar["venue"], &calendar["sessions"][0]["open_ms"]), (&json!("NYSE"), &json!(open)));
    let at_market = api.post("/coin/trade", &order(AAPL, USDT, "1", "1"));
    assert_eq!(at_market["code"], 1012, "{at_market}");
    // Start price 226.05: the first is filled at the open, the second is not.
    let first = limit(&api, AAPL, USDT, "1", "3", "240");
    assert_eq!((&first["code"], &first["data"]["queued"]), (&json!(1), &json!(1)), "{first}");
    let second = limit(&api, AAPL, USDT, "1", "2", "210");
    assert_eq!(second["data"]["queued"], 1, "{second}");
    let row = detail(&api, &first["data"]["id"]);
    assert_eq!(
        (&row["status"], &row["queued"], &row["tif"], &row["trigger"]),
        (&json!(1), &json!(1), &json!("DAY"), &Value::Null)
    );
    server.kill();
    server.launch();
    let api = server.demo("demo");
    eventually("the first is filled at the open", || detail(&api, &first["data"]["id"])["status"] == 2);
    assert!(now_ms() >= open);
    assert_eq!(has(&api, AAPL), 3 * 100_000_000);
    eventually("the second ends with the day", || {
        let row = detail(&api, &second["data"]["id"]);
        row["status"] == 3 && row["reason"] == "session_end"
    });
    assert!(now_ms() >= close);
    let row = quote(&api, "AAPL/USDT");
    assert_eq!((&row["session"]["phase"], &row["market_status"]), (&json!("closed"), &json!("closed")));
    assert_eq!(api.balance(3).1, "0", "nothing is locked");
    server.terminate();
    good(&tool(&server, &["audit"]));
}

#[test]
fn operators_split_a_stock_once_pay_a_dividend_and_halt_a_market() {
    let mut server = with_stocks(ALWAYS);
    server.launch();
    let api = server.demo("demo");
    eventually("the stock opens", || is_open(&api, "AAPL/USDT"));
    assert_eq!(api.post("/coin/trade", &order(AAPL, USDT, "1", "10"))["code"], 1);
    let split = decide(&["stock", "split", "AAPLUSDT", "4:1", "--number", "1"]);
    let refused = bad(&tool(&server, &split), REFUSED);
    assert!(refused.contains("outside of the sessions"), "{refused}");
    good(&tool(&server, &decide(&["market", "halt", "ETHUSDT"])));
    eventually("it is halted", || quote(&api, "ETH/USDT")["market_status"] == "halt");
    good(&tool(&server, &decide(&["market", "resume", "ETHUSDT"])));
    eventually("it opens again", || is_open(&api, "ETH/USDT"));
    // Today's and tomorrow's sessions are off: the day changes at midnight of the venue.
    for date in dates() {
        good(&tool(&server, &decide(&["calendar", "cancel", "NYSE", &date])));
    }
    eventually("it closes", || quote(&api, "AAPL/USDT")["market_status"] == "closed");
    let waits = limit(&api, AAPL, USDT, "2", "5", "230");
    assert_eq!(waits["data"]["queued"], 1, "{waits}");
    good(&tool(&server, &split));
    eventually("the split is done", || has(&api, AAPL) == 40 * 100_000_000);
    let row = detail(&api, &waits["data"]["id"]);
    assert_eq!((&row["status"], &row["reason"]), (&json!(3), &json!("corporate_action")));
    let refused = bad(&tool(&server, &split), REFUSED);
    assert!(refused.contains("was done"), "{refused}");
    let before = has(&api, USDT);
    let words = ["stock", "dividend", "AAPLUSDT", "0.25", "--withheld-ppm", "300000", "--number", "2"];
    good(&tool(&server, &decide(&words)));
    eventually("the dividend is paid", || has(&api, USDT) == before + units("7"));
    let actions =
        || api.get_patiently(&format!("/stock/actions?currency_id={AAPL}&legal_id={USDT}"))["message"]["list"].clone();
    eventually("both are told", || {
        actions().as_array().is_some_and(|list| list.len() == 2 && list[0]["effective_ms"] != 0)
    });
    let told = actions();
    assert_eq!((&told[1]["kind"], &told[1]["new"], &told[1]["old"]), (&json!("split"), &json!(4), &json!(1)));
    assert_eq!((&told[0]["per_share"], &told[0]["withholding"]), (&json!("0.25"), &json!("30")));
    assert!(good(&tool(&server, &["admin", "stock", "list"])).contains("\"last_action\":2"));
    server.kill();
    server.launch();
    assert_eq!(has(&server.demo("demo"), AAPL), 40 * 100_000_000, "once");
    server.terminate();
    let audit = good(&tool(&server, &["audit"]));
    assert!(audit.contains("corporate actions"), "{audit}");
}

#[test]
fn after_a_split_the_price_goes_on_in_new_shares_with_and_without_a_start() {
    let start = now_ms();
    let (close, open) = (start + 40_000, start + 75_000);
    let mut server = with_stocks(&sessions(&[(start - 60_000, close), (open, start + 3_600_000)]));
    server.launch();
    let api = server.demo("demo");
    eventually("the stock opens", || is_open(&api, "AAPL/USDT"));
    let bought = api.post("/coin/trade", &order(AAPL, USDT, "1", "10"));
    let price = |api: &Api, answer: &Value| number(&detail(api, &answer["data"]["id"])["fills"][0]["price"]);
    let old = price(&api, &bought);
    eventually("it closes", || quote(&api, "AAPL/USDT")["market_status"] == "closed");
    good(&tool(&server, &decide(&["stock", "split", "AAPLUSDT", "4:1", "--number", "1"])));
    eventually("the split is done", || has(&api, AAPL) == 40 * 100_000_000);
    assert!(now_ms() < open, "it was done over the closed time");
    let is_new = |price: f64| (price * 4.0 / old - 1.0).abs() < 0.05;
    eventually("it opens again", || is_open(&api, "AAPL/USDT"));
    let sold = price(&api, &api.post("/coin/trade", &order(AAPL, USDT, "2", "4")));
    assert!(is_new(sold), "{old} before, {sold} after the split");
    eventually("its candles are in new shares", || is_without_a_step(&server));
    server.kill();
    server.launch();
    let api = server.demo("demo");
    eventually("it opens after the start", || is_open(&api, "AAPL/USDT"));
    let sold = price(&api, &api.post("/coin/trade", &order(AAPL, USDT, "2", "4")));
    assert!(is_new(sold), "{old} before, {sold} after the split and a start");
    assert!(is_without_a_step(&server), "candles after the start are in new shares, too");
}

/// Whether no candle of Apple has prices far apart, those of before a split among them, and its day no other one.
fn is_without_a_step(server: &Server) -> bool {
    let get = |path: &str| server.api().raw("GET", path, &[], "").body;
    let change = number(&get("/api/v3/ticker/24hr?symbol=AAPLUSDT")["priceChangePercent"]);
    ["1m", "1h", "1d"].iter().all(|interval| {
        let candles = get(&format!("/api/v3/klines?symbol=AAPLUSDT&interval={interval}&limit=1000"));
        let candles = candles.as_array().unwrap();
        let (high, low) = (|c: &Value| number(&c[2]), |c: &Value| number(&c[3]));
        let near = |c: &Value| high(c) / low(c) < 1.3;
        let far = candles.windows(2).any(|pair| (number(&pair[1][1]) / number(&pair[0][4]) - 1.0).abs() > 0.3);
        !candles.is_empty() && candles.iter().all(near) && !far
    }) && change.abs() < 30.0
}

/// Today and tomorrow in New York, whatever the hour.
fn dates() -> [String; 2] {
    let zone = jiff::tz::TimeZoneDatabase::bundled().get("America/New_York").unwrap();
    let today = jiff::Timestamp::now().to_zoned(zone).date();
    [today, today.tomorrow().unwrap()].map(|date| date.to_string())
}

#[test]
fn bad_requests_are_refused_with_their_codes() {
    let mut server = with_stocks(ALWAYS);
    server.launch();
    let api = server.demo("demo");
    assert_eq!(api.get("/stock/calendar?market=mars")["code"], 1001);
    assert_eq!(api.get("/stock/calendar")["code"], 1001);
    assert_eq!(api.get("/stock/actions?currency_id=1&legal_id=3")["code"], 1003, "no stock");
    eventually("the pair opens", || is_open(&api, "BTC/USDT"));
    let mut fields = order("1", USDT, "1", "0.001");
    fields.extend([("target_price", "50000"), ("tif", "DAY")]);
    assert_eq!(api.post("/coin/trade", &fields)["code"], 1001, "coins have no days");
    for words in [
        ["stock", "split", "AAPLUSDT", "4", "--number", "1"],
        ["stock", "split", "AAPLUSDT", "1:1", "--number", "1"],
        ["stock", "split", "NONEUSDT", "4:1", "--number", "1"],
        ["stock", "split", "BTCUSDT", "4:1", "--number", "1"],
    ] {
        bad(&tool(&server, &decide(&words)), REFUSED);
    }
    bad(&tool(&server, &decide(&["calendar", "cancel", "NYSE", "yesterday"])), REFUSED);
    bad(&tool(&server, &decide(&["calendar", "cancel", "LSE", "2026-12-01"])), REFUSED);
    bad(&tool(&server, &decide(&["market", "halt", "NONEUSDT"])), REFUSED);
}
