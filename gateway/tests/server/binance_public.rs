//! Market data calls of the programmatic API, through the real binary.

use crate::client::{Server, Told, WHOLE_DEMO};
use crate::wait::found;
use serde_json::{Value, json};
use std::path::Path;
use xng_gateway::market::catalog::Seeds;

const PAIR: &str = "BTCUSDT";

fn get(server: &Server, path: &str) -> Told {
    server.api().raw("GET", &format!("/api/v3{path}"), &[], "")
}

#[test]
fn each_refusal_has_its_status_and_code() {
    let server = Server::start(&[]);
    for (path, end) in [
        ("/nothing", (404, -1020)),
        ("/depth/", (404, -1020)),
        ("/depth?symbol=BTCUSDT&limit=0", (400, -1130)),
        ("/depth?symbol=BTCUSDT&limit=", (400, -1105)),
        ("/depth?symbol=BTCUSDT&limit=100000", (200, 0)),
        ("/depth?symbol=BTCUSDT&symbolStatus=OPEN", (400, -1122)),
        ("/depth?symbol=BTCUSDT&symbolStatus=BREAK", (400, -1220)),
        ("/trades?symbol=BTC%20USDT", (400, -1100)),
        ("/aggTrades?symbol=BTCUSDT&fromId=1&startTime=1", (400, -1128)),
        ("/klines?symbol=BTCUSDT", (400, -1102)),
        ("/klines?symbol=BTCUSDT&interval=1d&timeZone=15", (400, -1100)),
        ("/klines?symbol=BTCUSDT&interval=1d&startTime=99999999999999999999", (400, -1108)),
        ("/ticker/24hr?symbol=BTCUSDT&type=SMALL", (400, -1139)),
        ("/ticker/24hr?symbols=BTCUSDT", (400, -1100)),
        ("/ticker/24hr?symbols=%5B%22BTCUSDT%22,%22BTCUSDT%22%5D", (400, -1151)),
        ("/ticker", (400, -1102)),
        ("/ticker?symbol=BTCUSDT&windowSize=8d", (400, -1130)),
        ("/ticker/tradingDay?symbol=NOPE", (400, -1121)),
        ("/exchangeInfo?symbols=%5B%22NOPE%22%5D", (400, -1121)),
        ("/exchangeInfo?symbol=BTCUSDT&symbolStatus=TRADING", (400, -1128)),
        ("/exchangeInfo?permissions=ANY", (400, -1130)),
        ("/executionRules?symbol=BTCUSDT&symbolStatus=TRADING", (400, -1128)),
        ("/executionRules?symbol=BTCUSDT&symbols=%5B%22ETHUSDT%22%5D", (400, -1128)),
        ("/executionRules?symbols=%5B%22NOPE%22%5D", (400, -1121)),
        ("/referencePrice", (400, -1102)),
        ("/referencePrice?symbol=NOPE", (400, -1121)),
        ("/exchangeInfo?showPermissionSets=yes", (400, -1130)),
        ("/ping?x=1", (400, -1104)),
    ] {
        let reply = get(&server, path);
        assert_eq!(reply.end(), end, "{path}: {}", reply.body);
    }
    let wrong = server.api().raw("POST", "/api/v3/depth?symbol=BTCUSDT", &[], "");
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("GET")));
    let unit = server.api().raw("GET", "/api/v3/time", &[("x-mbx-time-unit", "SECOND")], "");
    assert_eq!(unit.end(), (400, -1194));
}

#[test]
fn every_public_call_answers_with_its_fields() {
    let server = Server::start(&[WHOLE_DEMO]);
    server.wait_open(PAIR);
    let ask = |path: &str| {
        let reply = get(&server, path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert_eq!(reply.header("content-type"), Some("application/json;charset=UTF-8"));
        reply.body
    };
    let fields = |row: &Value, names: &str| {
        let names: Vec<&str> = names.split(' ').collect();
        let mut has: Vec<&str> =
            row.as_object().unwrap_or_else(|| panic!("{row}")).keys().map(String::as_str).collect();
        has.sort_unstable();
        let mut wanted = names;
        wanted.sort_unstable();
        assert_eq!(has, wanted);
    };
    let mini =
        "symbol openPrice highPrice lowPrice lastPrice volume quoteVolume openTime closeTime firstId lastId count";
    let full = format!("{mini} priceChange priceChangePercent weightedAvgPrice");
    let day = format!("{full} prevClosePrice lastQty bidPrice bidQty askPrice askQty");
    assert_eq!(ask("/ping"), json!({}));
    fields(&ask("/time"), "serverTime");
    fields(&ask("/depth?symbol=BTCUSDT"), "lastUpdateId bids asks");
    fields(&ask("/avgPrice?symbol=BTCUSDT"), "mins price closeTime");
    fields(&ask("/ticker/24hr?symbol=BTCUSDT"), &day);
    fields(&ask("/ticker/24hr?symbol=BTCUSDT&type=MINI"), mini);
    fields(&ask("/ticker?symbol=BTCUSDT&windowSize=3h"), &full);
    fields(&ask("/ticker?symbols=%5B%22BTCUSDT%22%5D&windowSize=7d&type=MINI")[0], mini);
    fields(&ask("/ticker/tradingDay?symbol=BTCUSDT&timeZone=-5:30"), &full);
    fields(&ask("/ticker/price?symbol=BTCUSDT"), "symbol price");
    fields(&ask("/ticker/bookTicker")[0], "symbol bidPrice bidQty askPrice askQty");
    let trades = found("trades", || {
        let trades = ask("/historicalTrades?symbol=BTCUSDT&fromId=0&limit=2");
        (trades.as_array().is_some_and(|list| list.len() == 2)).then_some(trades)
    });
    fields(&trades[0], "id price qty quoteQty time isBuyerMaker isBestMatch");
    let next = ask(&format!("/historicalTrades?symbol=BTCUSDT&fromId={}&limit=1", trades[1]["id"]));
    assert_eq!(next[0], trades[1]);
    fields(&ask("/aggTrades?symbol=BTCUSDT&limit=1")[0], "a p q f l T m M");
    let info = ask("/exchangeInfo");
    assert_eq!(info["rateLimits"][0]["limit"], 100_000_000, "as it is set");
    let listed = Seeds::load(Path::new("../config/markets.toml")).unwrap().market.len();
    assert_eq!(info["symbols"].as_array().unwrap().len(), listed);
    assert_eq!(ask("/exchangeInfo?symbol=BTCUSDT&showPermissionSets=false").as_object().unwrap().len(), 5);
    assert_eq!(ask("/exchangeInfo?permissions=MARGIN")["symbols"], json!([]));
    assert_eq!(ask("/exchangeInfo?permissions=%5B%22MARGIN%22,%22SPOT%22%5D")["symbols"], info["symbols"]);
}

#[test]
fn rules_of_execution_and_the_reference_price_are_those_that_orders_go_by() {
    let server = Server::start(&[]);
    server.wait_open(PAIR);
    let rules = |query: &str| get(&server, &format!("/executionRules{query}")).body["symbolRules"].clone();
    let one = rules("?symbol=BTCUSDT");
    let range = json!({ "ruleType": "PRICE_RANGE", "bidLimitMultUp": "1.05", "askLimitMultDown": "0.95" });
    assert_eq!(one, json!([{ "symbol": PAIR, "rules": [range] }]));
    let listed = get(&server, "/exchangeInfo").body["symbols"].as_array().map(Vec::len);
    assert_eq!(rules("").as_array().map(Vec::len), listed, "of all that are listed");
    assert_eq!(rules("?symbols=%5B%22BTCUSDT%22,%22ETHUSDT%22%5D").as_array().map(Vec::len), Some(2));
    assert_eq!(rules("?symbolStatus=BREAK"), json!([]));
    let reply = found("an index", || {
        let reply = get(&server, "/referencePrice?symbol=BTCUSDT");
        (reply.status == 200).then_some(reply.body)
    });
    let number = |value: &Value| value.as_str().unwrap().parse::<f64>().unwrap();
    let bid = number(&get(&server, "/ticker/bookTicker?symbol=BTCUSDT").body["bidPrice"]);
    assert!((number(&reply["referencePrice"]) / bid - 1.0).abs() < 0.02, "{reply} beside {bid}");
    assert_eq!(reply["symbol"], PAIR);
}

#[test]
fn times_are_in_microseconds_when_that_is_asked_for_both_ways() {
    let server = Server::start(&[]);
    server.wait_open(PAIR);
    let micros = |path: &str| server.api().raw("GET", path, &[("X-MBX-TIME-UNIT", "MICROSECOND")], "").body;
    let now = micros("/api/v3/time")["serverTime"].as_i64().unwrap();
    assert!(now > 1_000_000_000_000_000, "{now}");
    let candles = micros("/api/v3/klines?symbol=BTCUSDT&interval=1h&limit=3");
    let opened = candles[1][0].as_i64().unwrap();
    assert_eq!(candles[1][6].as_i64(), Some(opened + 3_600_000_000 - 1));
    for start in [opened, opened / 1_000] {
        let same = micros(&format!("/api/v3/klines?symbol=BTCUSDT&interval=1h&startTime={start}&limit=1"));
        assert_eq!(same[0][0], opened);
    }
}

#[test]
fn a_day_of_another_zone_is_the_sum_of_its_hours() {
    let server = Server::start(&[]);
    server.wait_open(PAIR);
    let klines = |query: &str| get(&server, &format!("/klines?symbol=BTCUSDT&{query}")).body;
    let days = klines("interval=1d&timeZone=-5&limit=3");
    let day = &days[1];
    let (open, close) = (day[0].as_i64().unwrap(), day[6].as_i64().unwrap());
    assert_eq!((open % 86_400_000, close - open), (5 * 3_600_000, 86_400_000 - 1));
    let hours = klines(&format!("interval=1h&startTime={open}&endTime={close}"));
    let hours = hours.as_array().unwrap();
    assert_eq!(hours.len(), 24);
    assert_eq!((&day[1], &day[4]), (&hours[0][1], &hours[23][4]), "open and close");
    let counts: i64 = hours.iter().map(|hour| hour[8].as_i64().unwrap()).sum();
    assert_eq!(day[8].as_i64(), Some(counts));
}

#[test]
fn weight_is_told_counted_and_refused_and_who_goes_on_is_banned() {
    let server = Server::start(&[("XNG__API__WEIGHT_PER_MINUTE", "300")]);
    let used = |reply: &Told| reply.header("x-mbx-used-weight-1m").and_then(|used| used.parse::<u64>().ok());
    let mut reply = get(&server, "/ping");
    let first = used(&reply).unwrap();
    reply = get(&server, "/depth?symbol=BTCUSDT&limit=5000");
    // A minute may have begun in between.
    assert!([first + 250, 250].contains(&used(&reply).unwrap()), "{:?}", used(&reply));
    assert_eq!(reply.header("x-mbx-used-weight"), reply.header("x-mbx-used-weight-1m"));
    let refused = (0..200).map(|_| get(&server, "/exchangeInfo")).find(|reply| reply.status != 200).unwrap();
    assert_eq!(refused.end(), (429, -1003));
    let reply = "current limit is 300 request weight per 1 MINUTE.";
    assert!(refused.body["msg"].as_str().unwrap().contains(reply), "{}", refused.body);
    assert!((1..=60).contains(&refused.header("retry-after").unwrap().parse::<u64>().unwrap()));
    let banned = found("the ban", || Some(get(&server, "/exchangeInfo")).filter(|reply| reply.status == 418));
    assert_eq!(banned.end(), (418, -1003));
    assert!(banned.header("retry-after").unwrap().parse::<u64>().unwrap() <= 120);
    assert_eq!(server.api().get("/getSiteConfig")["type"], "ok", "the app goes on");
    assert_eq!(get(&server, "/ping").status, 418);
    let scrape = crate::metrics::scrape(&server);
    assert_eq!(scrape.sum("xng_api_banned_addresses", &[]), 1.0);
    for class in ["api_weight", "api_banned"] {
        assert!(scrape.sum("xng_rate_limited_total", &[("class", class)]) >= 1.0, "{class}");
    }
}
