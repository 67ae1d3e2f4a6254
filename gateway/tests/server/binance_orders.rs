//! Signed calls of the programmatic API, through the real binary.

use crate::bot::{Bot, Place, now_ms};
use crate::client::Server;
use crate::wait::{eventually, found, within};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use std::time::Duration;

const RESTING: &str = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.001&price=56000";

fn ready() -> (Server, Bot) {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    (server, bot)
}

fn fields(row: &Value) -> Vec<&str> {
    row.as_object().unwrap_or_else(|| panic!("{row}")).keys().map(String::as_str).collect()
}

#[test]
fn a_request_is_taken_wherever_its_parameters_are_and_only_as_it_was_signed() {
    let (_server, bot) = ready();
    let order = format!("{RESTING}&newClientOrderId=first&timestamp={}", now_ms());
    let body = bot.send("POST", "/api/v3/order", &order, Place::Body);
    assert_eq!(body.status, 200, "{}", body.body);
    assert_eq!((&body.body["status"], &body.body["clientOrderId"]), (&json!("NEW"), &json!("first")));
    // Half in the query, half in the body; the query wins where both name one.
    let (query, rest) = ("symbol=BTCUSDT&origClientOrderId=first", format!("symbol=ETHUSDT&timestamp={}", now_ms()));
    let signature = bot.sign(&format!("{query}{rest}"));
    let form = [("x-mbx-apikey", bot.key.as_str()), ("content-type", "application/x-www-form-urlencoded")];
    let path = format!("/api/v3/order?{query}");
    let mixed = bot.api.raw("DELETE", &path, &form, &format!("{rest}&signature={}", signature.to_uppercase()));
    assert_eq!((mixed.status, &mixed.body["status"]), (200, &json!("CANCELED")), "{}", mixed.body);

    let time = format!("timestamp={}", now_ms());
    let key = [("x-mbx-apikey", bot.key.as_str())];
    for (path, end) in [
        (format!("?{time}"), (400, -1102)),
        (format!("?{time}&signature={}", bot.sign("timestamp=1")), (400, -1022)),
        (format!("?omitZeroBalances=true&{time}&signature={}", bot.sign(&time)), (400, -1022)),
        (format!("?signature={}", bot.sign("")), (400, -1102)),
    ] {
        let reply = bot.api.raw("GET", &format!("/api/v3/account{path}"), &key, "");
        assert_eq!(reply.end(), end, "{path}: {}", reply.body);
    }
    for (key, end) in [("", (401, -2014)), ("short", (401, -2014)), (&"a".repeat(64), (401, -2015))] {
        let reply = bot.api.raw("GET", &format!("/api/v3/account?{time}"), &[("x-mbx-apikey", key)], "");
        assert_eq!(reply.end(), end);
    }
}

#[test]
fn a_request_lives_as_long_as_its_window() {
    let (_server, bot) = ready();
    let ask = |ago: i128, window: &str| {
        let time = i128::try_from(now_ms()).unwrap() - ago;
        bot.send("GET", "/api/v3/openOrders", &format!("{window}timestamp={time}"), Place::Query)
    };
    assert_eq!(ask(0, "").status, 200);
    assert_eq!(ask(1_000, "").status, 200);
    assert_eq!(ask(30_000, "recvWindow=60000&").status, 200);
    let old = ask(6_000, "");
    assert_eq!(old.end(), (400, -1021));
    assert_eq!(old.body["msg"], "Timestamp for this request is outside of the recvWindow.");
    assert_eq!(ask(6_000, "recvWindow=60000&").status, 200);
    assert_eq!(ask(0, "recvWindow=60001&").end(), (400, -1131));
    // So far ahead that it still is when the server looks.
    let ahead = ask(-20_000, "");
    assert_eq!(ahead.body["msg"], "Timestamp for this request was 1000ms ahead of the server's time.");
    let micros = format!("timestamp={}", now_ms() * 1_000);
    assert_eq!(bot.send("GET", "/api/v3/openOrders", &micros, Place::Query).status, 200);
}

#[test]
fn a_key_may_do_what_its_terms_say_and_a_change_is_in_force_at_once() {
    let (server, trader) = ready();
    let reader = Bot::of(&server, "demo", &[("scopes", "read")]);
    let elsewhere = Bot::of(&server, "demo", &[("ips", "10.0.0.0/8")]);
    let writer = Bot::of(&server, "demo", &[("scopes", "trade")]);
    assert_eq!(reader.call("GET", "account", "").status, 200);
    assert_eq!(reader.call("POST", "order", RESTING).end(), (401, -2015));
    assert_eq!(elsewhere.call("GET", "account", "").end(), (401, -2015));
    assert_eq!(writer.call("GET", "account", "").end(), (401, -2015));
    assert_eq!(writer.call("POST", "order/test", RESTING).body, json!({}));

    let list = trader.api.post("/user/api_keys/list", &[]);
    let id = list["message"][0]["id"].to_string();
    let change = |path: &str, fields: &[(&str, &str)]| {
        let form = [&[("id", id.as_str()), ("pay_password", "demo1234")], fields].concat();
        assert_eq!(trader.api.post(&format!("/user/api_keys/{path}"), &form)["type"], "ok");
    };
    assert_eq!(trader.call("POST", "order/test", RESTING).status, 200);
    change("update", &[("scopes", "read")]);
    assert_eq!(trader.call("POST", "order/test", RESTING).end(), (401, -2015));
    assert_eq!(trader.call("GET", "account", "").status, 200);
    change("delete", &[]);
    assert_eq!(trader.call("GET", "account", "").end(), (401, -2015));
}

#[test]
fn an_ed25519_key_signs_too() {
    let (server, _) = ready();
    let pair = Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
    use base64::Engine;
    let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let api = server.demo("demo");
    let public = base64(pair.public_key().as_ref());
    let form = [("label", "pair"), ("kind", "ed25519"), ("public_key", public.as_str()), ("pay_password", "demo1234")];
    let made = api.post("/user/api_keys/create", &form);
    let headers = [("x-mbx-apikey", made["data"]["api_key"].as_str().unwrap())];
    let sent = format!("timestamp={}", now_ms());
    let signature = base64(pair.sign(sent.as_bytes()).as_ref());
    let escaped = signature.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    for signature in [&signature, &escaped] {
        let reply = api.raw("GET", &format!("/api/v3/account?{sent}&signature={signature}"), &headers, "");
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    let lower = signature.to_lowercase();
    let reply = api.raw("GET", &format!("/api/v3/account?{sent}&signature={lower}"), &headers, "");
    assert_eq!(reply.end(), (400, -1022), "base64 has cases");
}

#[test]
fn orders_rest_fill_and_end_as_every_call_tells() {
    let (server, bot) = ready();
    eventually("the ten seconds of the count do not end between order and answer", || now_ms() % 10_000 < 8_000);
    let tens = || now_ms() / 10_000;
    let began = tens();
    let placed = bot.call("POST", "order", &format!("{RESTING}&newClientOrderId=mine&strategyId=7"));
    let ended = tens();
    let count = placed.header("x-mbx-order-count-10s");
    // On a slow machine they may have ended all the same: the next ones count none yet.
    assert!(count == Some("1") || (count == Some("0") && ended > began), "{count:?} at {began} to {ended}");
    assert!(placed.header("x-mbx-order-count-1d").is_some());
    let row = placed.body;
    let (id, list) = (row["orderId"].clone(), &row["orderListId"]);
    assert_eq!(
        (&row["status"], list, &row["fills"], &row["strategyId"]),
        (&json!("NEW"), &json!(-1), &json!([]), &json!(7))
    );
    assert_eq!((&row["price"], &row["origQty"]), (&json!("56000.00000000"), &json!("0.00100000")));
    assert_eq!(
        bot.call("POST", "order", &format!("{RESTING}&newClientOrderId=mine")).body,
        json!({ "code": -2010, "msg": "Duplicate order sent." })
    );
    for query in [format!("symbol=BTCUSDT&orderId={id}"), "symbol=BTCUSDT&origClientOrderId=mine".into()] {
        let known = bot.good("GET", "order", &query);
        assert_eq!((&known["orderId"], &known["status"], &known["isWorking"]), (&id, &json!("NEW"), &json!(true)));
    }
    assert_eq!(bot.good("GET", "openOrders", "symbol=BTCUSDT")[0]["orderId"], id);
    assert_eq!(bot.good("GET", "openOrders", "symbol=ETHUSDT"), json!([]));
    let balances = bot.good("GET", "account", "omitZeroBalances=true");
    let usdt = balances["balances"].as_array().unwrap().iter().find(|b| b["asset"] == "USDT").unwrap();
    assert_eq!(usdt["locked"], "56.00000000");

    let market = bot.good("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.01");
    assert_eq!((&market["status"], &market["executedQty"]), (&json!("FILLED"), &json!("0.01000000")), "{market}");
    let fills = market["fills"].as_array().unwrap();
    assert!(!fills.is_empty() && fills.iter().all(|f| f["commissionAsset"] == "BTC"), "{market}");
    let trades = bot.good("GET", "myTrades", &format!("symbol=BTCUSDT&orderId={}", market["orderId"]));
    assert_eq!(trades.as_array().unwrap().len(), fills.len());
    assert_eq!((&trades[0]["id"], &trades[0]["isBuyer"]), (&fills[0]["tradeId"], &json!(true)));
    let by_quote =
        bot.good("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=100&newOrderRespType=RESULT");
    assert_eq!((&by_quote["origQuoteOrderQty"], &by_quote["status"]), (&json!("100.00000000"), &json!("FILLED")));
    assert!(!fields(&by_quote).contains(&"fills"));

    let canceled = bot.good("DELETE", "order", &format!("symbol=BTCUSDT&orderId={id}&newClientOrderId=stop"));
    assert_eq!(
        (&canceled["status"], &canceled["origClientOrderId"], &canceled["clientOrderId"]),
        (&json!("CANCELED"), &json!("mine"), &json!("stop"))
    );
    let again = bot.call("DELETE", "order", &format!("symbol=BTCUSDT&orderId={id}"));
    assert_eq!(again.body, json!({ "code": -2011, "msg": "Unknown order sent." }));
    let all = bot.good("GET", "allOrders", "symbol=BTCUSDT");
    let states: Vec<&str> = all.as_array().unwrap().iter().map(|o| o["status"].as_str().unwrap()).collect();
    assert_eq!(states, ["CANCELED", "FILLED", "FILLED"]);
    let from = bot.good("GET", "allOrders", &format!("symbol=BTCUSDT&orderId={}&limit=1", market["orderId"]));
    assert_eq!((from.as_array().unwrap().len(), &from[0]["orderId"]), (1, &market["orderId"]));
    assert_eq!(
        server.api().raw_get("/api/v3/trades?symbol=BTCUSDT&limit=1000").as_array().map(Vec::is_empty),
        Some(false)
    );
}

#[test]
fn every_kind_of_refusal_has_its_code_and_text() {
    let (_server, bot) = ready();
    let limit = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC";
    for (params, code, text) in [
        (format!("{limit}&quantity=0.001&price=56000.001"), -1013, "Filter failure: PRICE_FILTER"),
        (format!("{limit}&quantity=0.0000001&price=56000"), -1013, "Filter failure: LOT_SIZE"),
        (format!("{limit}&quantity=0.00001&price=56000"), -1013, "Filter failure: NOTIONAL"),
        (format!("{limit}&quantity=0.1&price=1000"), -1013, "Filter failure: PERCENT_PRICE_BY_SIDE"),
        (format!("{limit}&quantity=1&price=60000"), -2010, "Account has insufficient balance for requested action."),
        (
            format!("{limit}&quantity=1"),
            -1102,
            "Mandatory parameter 'price' was not sent, was empty/null, or malformed.",
        ),
        (
            format!("{RESTING}&newClientOrderId=a%20b"),
            -1100,
            "Illegal characters found in parameter 'newClientOrderId'; legal range is '^[\\.A-Z\\:/a-z0-9_-]{1,36}$'.",
        ),
        (
            format!("{RESTING}&selfTradePreventionMode=NONE"),
            -1013,
            "This symbol does not allow the specified self-trade prevention mode.",
        ),
        (
            "symbol=BTCUSDT&side=BUY&type=LIMIT_MAKER&quantity=0.001&price=65000".into(),
            -2010,
            "Order would immediately match and take.",
        ),
        ("symbol=BTCUSDT&side=SELL&type=STOP&quantity=0.001&stopPrice=50000".into(), -1116, "Invalid orderType."),
        ("symbol=NOPE&side=SELL&type=MARKET&quantity=0.001".into(), -1121, "Invalid symbol."),
    ] {
        let reply = bot.call("POST", "order", &params);
        assert_eq!(reply.body, json!({ "code": code, "msg": text }), "{params}");
        assert_eq!(reply.status, 400);
    }
    for (method, path, params, code) in [
        ("GET", "order", "symbol=BTCUSDT", -1102),
        ("GET", "order", "symbol=BTCUSDT&orderId=1", -2013),
        ("GET", "order", "symbol=BTCUSDT&origClientOrderId=none", -2013),
        ("DELETE", "order", "symbol=BTCUSDT&orderId=1", -2011),
        ("DELETE", "order", "symbol=BTCUSDT&orderId=1&cancelRestrictions=ANY", -1145),
        ("DELETE", "openOrders", "symbol=BTCUSDT", -2011),
        ("GET", "allOrders", "symbol=BTCUSDT&startTime=1&endTime=86400002", -1127),
        ("GET", "myTrades", "symbol=BTCUSDT&startTime=1&orderId=1", -1128),
        ("GET", "myPreventedMatches", "symbol=BTCUSDT", -1128),
    ] {
        assert_eq!(bot.call(method, path, params).end(), (400, code), "{method} {path} {params}");
    }
    let keyed = [("x-mbx-apikey", bot.key.as_str())];
    let pairs = bot.api.raw("GET", "/sapi/v1/margin/allPairs?symbol=NOSUCH", &keyed, "");
    assert_eq!(pairs.end(), (400, -1121));
}

#[test]
fn orders_that_do_not_rest_say_why_and_others_are_cancelled_by_market() {
    let (_server, bot) = ready();
    let order = |rest: &str| bot.good("POST", "order", &format!("symbol=BTCUSDT&side=BUY&quantity=0.001&{rest}"));
    let ioc = order("type=LIMIT&timeInForce=IOC&price=56000");
    assert_eq!((&ioc["status"], &ioc["expiryReason"]), (&json!("EXPIRED"), &json!("UNFILLED_IOC_QUANTITY_EXPIRED")));
    let fok = order("type=LIMIT&timeInForce=FOK&price=56000");
    assert_eq!((&fok["status"], &fok["expiryReason"]), (&json!("EXPIRED"), &json!("UNFILLED_FOK_ORDER_EXPIRED")));
    let maker = order("type=LIMIT_MAKER&price=56000");
    assert_eq!(fields(&maker), ["clientOrderId", "orderId", "orderListId", "symbol", "transactTime"], "ACK by default");
    let second = order("type=LIMIT&timeInForce=GTC&price=56001&selfTradePreventionMode=EXPIRE_BOTH");
    assert_eq!(second["selfTradePreventionMode"], "EXPIRE_BOTH");
    let restricted = format!("symbol=BTCUSDT&orderId={}&cancelRestrictions=ONLY_PARTIALLY_FILLED", second["orderId"]);
    assert_eq!(
        bot.call("DELETE", "order", &restricted).body["msg"],
        "Order was not canceled due to cancel restrictions."
    );
    let wrong = format!("symbol=BTCUSDT&orderId={}&origClientOrderId=other", second["orderId"]);
    assert_eq!(bot.call("DELETE", "order", &wrong).end(), (400, -2039));
    let ended = bot.good("DELETE", "openOrders", "symbol=BTCUSDT");
    let reply: Vec<(&Value, &Value)> = ended.as_array().unwrap().iter().map(|o| (&o["orderId"], &o["type"])).collect();
    assert_eq!(reply, [(&maker["orderId"], &json!("LIMIT_MAKER")), (&second["orderId"], &json!("LIMIT"))]);
    assert!(ended.as_array().unwrap().iter().all(|o| o["status"] == "CANCELED"));
    assert_eq!(bot.good("GET", "openOrders", ""), json!([]));
}

#[test]
fn unfilled_orders_are_counted_and_the_count_is_given_back_by_fills() {
    // Another day counts anew.
    within(Duration::from_secs(180), "the day does not end soon", || now_ms() % 86_400_000 < 86_280_000);
    let server = Server::start(&[("XNG__API__ORDERS_PER_DAY", "4")]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let day = || bot.good("GET", "rateLimit/order", "")[1].clone();
    assert_eq!(
        day(),
        json!({ "rateLimitType": "ORDERS", "interval": "DAY", "intervalNum": 1, "limit": 4, "count": 0 })
    );
    bot.good("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.001");
    assert_eq!(day()["count"], 0, "filled at once");
    bot.call("POST", "order", "symbol=BTCUSDT&side=BUY&type=LIMIT_MAKER&quantity=0.001&price=65000");
    assert_eq!(day()["count"], 0, "refused");
    for _ in 0..4 {
        bot.good("POST", "order", RESTING);
    }
    let refused = bot.call("POST", "order", RESTING);
    assert_eq!(refused.end(), (429, -1015));
    assert_eq!(refused.body["msg"], "Too many new orders; current limit is 4 orders per 1 DAY.");
    assert!(refused.header("retry-after").is_some());
    let first = bot.good("GET", "openOrders", "symbol=BTCUSDT")[0]["orderId"].clone();
    let replace = |how: &str| {
        let both = format!("{RESTING}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrderId={first}{how}");
        bot.call("POST", "order/cancelReplace", &both)
    };
    assert_eq!(replace("").end(), (429, -1015), "and nothing is cancelled");
    let canceled = replace("&orderRateLimitExceededMode=CANCEL_ONLY");
    assert_eq!(canceled.end(), (409, -2021), "{}", canceled.body);
    assert_eq!(canceled.body["data"]["cancelResponse"]["orderId"], first);
    assert_eq!(canceled.body["data"]["newOrderResponse"]["code"], -1015);
    assert_eq!(bot.good("DELETE", "openOrders", "symbol=BTCUSDT").as_array().unwrap().len(), 3);
    assert_eq!(day()["count"], 4, "cancelled orders stay counted");
}

#[test]
fn a_makers_first_fill_gives_more_back() {
    let (server, bot) = ready();
    for _ in 0..3 {
        bot.good("POST", "order", RESTING);
    }
    // The house's asks come down to a bid at the top sooner or later.
    let mut placed = 3_u64;
    found("a maker's fill", || {
        let book = server.api().raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
        let best = book["bidPrice"].as_str().unwrap();
        let order = format!("symbol=BTCUSDT&side=BUY&type=LIMIT_MAKER&quantity=0.001&price={best}");
        placed += u64::from(bot.call("POST", "order", &order).status == 200);
        std::thread::sleep(Duration::from_millis(500));
        let fills = bot.good("GET", "myTrades", "symbol=BTCUSDT");
        fills.as_array().is_some_and(|fills| fills.iter().any(|fill| fill["isMaker"] == true)).then_some(())
    });
    let count = || bot.good("GET", "rateLimit/order", "")[1]["count"].as_u64().unwrap();
    eventually("the count is given back", || count() <= placed.saturating_sub(5));
}

#[test]
fn fees_are_told_as_they_are_taken() {
    let (_server, bot) = ready();
    let rates = bot.good("GET", "account/commission", "symbol=BTCUSDT");
    assert_eq!(rates["standardCommission"]["taker"], "0.00100000");
    let account = bot.good("GET", "account", "");
    assert_eq!((&account["takerCommission"], &account["commissionRates"]["taker"]), (&json!(10), &json!("0.00100000")));
    let test = bot.good("POST", "order/test", &format!("{RESTING}&computeCommissionRates=true"));
    assert_eq!(
        fields(&test),
        ["discount", "specialCommissionForOrder", "standardCommissionForOrder", "taxCommissionForOrder"]
    );
    assert_eq!(bot.good("GET", "openOrders", ""), json!([]), "a test places nothing");
}

#[test]
fn orders_and_fills_that_memory_no_longer_has_are_found_by_id_name_and_time() {
    let server = Server::start(&[("XNG__API__ORDERS_PER_10_SECONDS", "100000")]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let market = "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.0001&newOrderRespType=RESULT";
    let first = bot.good("POST", "order", &format!("{market}&newClientOrderId=oldest"));
    // The account remembers 256 of each.
    for _ in 0..260 {
        bot.good("POST", "order", market);
    }
    server.wait_persisted();
    let id = &first["orderId"];
    let last = found("all of it is in the store", || {
        let reply = bot.call("GET", "allOrders", &format!("symbol=BTCUSDT&orderId={id}&limit=1000"));
        reply.body.as_array().filter(|rows| rows.len() == 261).cloned()
    });
    assert_eq!(&last[0]["orderId"], id);
    // What was just written may still count as being on its way.
    let ask = |path: &str, params: &str| {
        found("history", || Some(bot.call("GET", path, params)).filter(|reply| reply.status == 200)).body
    };
    let ids: Vec<u64> = last.iter().map(|row| row["orderId"].as_u64().unwrap()).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "oldest first, each once");
    let named = ask("order", "symbol=BTCUSDT&origClientOrderId=oldest");
    assert_eq!((&named["orderId"], &named["status"]), (id, &json!("FILLED")));
    let end = first["transactTime"].as_i64().unwrap();
    let span = format!("symbol=BTCUSDT&startTime={}&endTime={end}", end - 60_000);
    // A fast machine fills more than one order within the first one's millisecond.
    let within = last.iter().filter(|row| row["time"].as_i64().unwrap() <= end).count();
    assert!(within < 261);
    assert_eq!(ask("allOrders", &span).as_array().unwrap().len(), within);
    let always = ask("allOrders", &format!("symbol=BTCUSDT&endTime={}", i64::MAX));
    assert_eq!(always.as_array().unwrap().len(), 261, "however far the end lies");
    let newest = ask("allOrders", "symbol=BTCUSDT&limit=259");
    assert_eq!((newest.as_array().unwrap().len(), &newest[258]["orderId"]), (259, &last[260]["orderId"]));
    let trades = ask("myTrades", "symbol=BTCUSDT&limit=1000");
    let all = trades.as_array().unwrap().len();
    assert!(all >= 261);
    let oldest = ask("myTrades", &format!("symbol=BTCUSDT&fromId={}&limit=2", trades[0]["id"]));
    assert_eq!((&oldest[0], &oldest[1]), (&trades[0], &trades[1]));
    assert_eq!(ask("myTrades", &format!("symbol=BTCUSDT&orderId={id}"))[0]["orderId"], *id);
}

#[test]
fn filters_of_an_account_are_those_of_its_market_and_nothing_is_allotted() {
    let server = Server::start(&[]);
    let bot = Bot::of(&server, "demo", &[]);
    let mine = bot.good("GET", "myFilters", "symbol=BTCUSDT");
    let market = server.api().raw_get("/api/v3/exchangeInfo?symbol=BTCUSDT")["symbols"][0]["filters"].clone();
    let mine = mine["symbolFilters"].as_array().unwrap();
    assert!(mine.iter().all(|filter| market.as_array().unwrap().contains(filter)), "{mine:?} {market}");
    let kinds: Vec<&str> = mine.iter().filter_map(|filter| filter["filterType"].as_str()).collect();
    assert_eq!(kinds, ["MAX_NUM_ORDERS", "MAX_NUM_ALGO_ORDERS"]);
    assert_eq!(bot.good("GET", "myAllocations", "symbol=BTCUSDT&limit=10"), json!([]));
    for (params, end) in [
        ("symbol=BTCUSDT&orderId=1&startTime=1", (400, -1128)),
        ("symbol=BTCUSDT&startTime=1&endTime=86400002", (400, -1127)),
        ("symbol=NOPE", (400, -1121)),
    ] {
        assert_eq!(bot.call("GET", "myAllocations", params).end(), end, "{params}");
    }
    assert_eq!(bot.call("GET", "myFilters", "").end(), (400, -1102));
    assert_eq!(bot.call("GET", "order/amendments", "symbol=BTCUSDT").end(), (400, -1102));
}
