//! The document of the programmatic API says what the real binary answers.

use crate::bot::{Bot, Place, now_ms};
use crate::client::{Server, Told};
use crate::schema::wrong;
use crate::wait::{asked_again, found};
use serde_json::Value;

#[test]
fn every_answer_has_the_form_that_the_document_tells() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let document = server.api().raw_get("/openapi.json");
    let mut tried = 0;
    let mut ask = |method: &str, path: &str, params: &str| {
        let operation = &document["paths"][path][method.to_lowercase()];
        let send = || {
            if operation["security"].is_null() {
                bot.api.raw(method, &format!("{path}?{params}"), &[], "")
            } else if path.ends_with("/userDataStream") {
                // A key is enough.
                bot.api.raw(method, &format!("{path}?{params}"), &[("x-mbx-apikey", &bot.key)], "")
            } else {
                let and = if params.is_empty() { "" } else { "&" };
                bot.send(method, path, &format!("{params}{and}timestamp={}", now_ms()), Place::Query)
            }
        };
        // The store may be a little behind.
        let is_later = |told: &Told| method == "GET" && told.end() == (503, -1008);
        let documented = asked_again(send, is_later);
        assert_eq!(documented.status, 200, "{method} {path}: {}", documented.body);
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{method} {path}");
        assert_eq!(wrong(&document, schema, &documented.body, path), None);
        tried += 1;
        documented.body
    };
    found("a trade", || {
        let trades = server.api().raw_get("/api/v3/trades?symbol=BTCUSDT");
        trades.as_array().filter(|trades| !trades.is_empty()).map(Vec::len)
    });
    let pair = "symbol=BTCUSDT";
    let named_of = |order: &Value| format!("{pair}&orderId={}", order["orderId"]);
    for (path, params) in [
        ("/api/v3/ping", ""),
        ("/api/v3/time", ""),
        ("/api/v3/exchangeInfo", ""),
        ("/api/v3/depth", pair),
        ("/api/v3/trades", pair),
        ("/api/v3/historicalTrades", pair),
        ("/api/v3/aggTrades", pair),
        ("/api/v3/klines", "symbol=BTCUSDT&interval=1m"),
        ("/api/v3/uiKlines", "symbol=BTCUSDT&interval=1w"),
        ("/api/v3/avgPrice", pair),
        ("/api/v3/ticker/24hr", ""),
        ("/api/v3/ticker/24hr", "symbol=BTCUSDT&type=MINI"),
        ("/api/v3/ticker/tradingDay", pair),
        ("/api/v3/ticker", pair),
        ("/api/v3/ticker/price", ""),
        ("/api/v3/ticker/bookTicker", pair),
        ("/sapi/v1/system/status", ""),
        ("/sapi/v1/capital/config/getall", ""),
        ("/sapi/v1/asset/tradeFee", ""),
        ("/sapi/v1/account/status", ""),
        ("/sapi/v1/account/apiTradingStatus", ""),
        ("/sapi/v1/account/apiRestrictions", ""),
        ("/sapi/v1/margin/allPairs", ""),
        ("/sapi/v1/margin/isolated/allPairs", ""),
        ("/dapi/v1/ping", ""),
        ("/dapi/v1/time", ""),
        ("/dapi/v1/exchangeInfo", ""),
        ("/api/v3/account", ""),
        ("/api/v3/account/commission", pair),
        ("/api/v3/rateLimit/order", ""),
        ("/api/v3/myPreventedMatches", "symbol=BTCUSDT&orderId=1"),
        ("/api/v3/myAllocations", pair),
        ("/api/v3/myFilters", pair),
        ("/api/v3/executionRules", ""),
        ("/api/v3/referencePrice", pair),
    ] {
        ask("GET", path, params);
    }
    let limit = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.001&price=56000";
    ask("POST", "/api/v3/order/test", limit);
    ask("POST", "/api/v3/order/test", &format!("{limit}&computeCommissionRates=true"));
    ask("POST", "/api/v3/order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.001");
    ask("POST", "/api/v3/order", &limit.replace("GTC", "IOC"));
    ask("POST", "/api/v3/order", &format!("{limit}&newOrderRespType=ACK"));
    let order = ask("POST", "/api/v3/order", limit);
    let named = format!("{pair}&orderId={}", order["orderId"]);
    ask("GET", "/api/v3/order", &named);
    ask("GET", "/api/v3/openOrders", "");
    ask("DELETE", "/api/v3/order", &named);
    let stop = "symbol=BTCUSDT&side=BUY&type=STOP_LOSS&quantity=0.001&trailingDelta=100&newOrderRespType=FULL";
    ask("POST", "/api/v3/order", stop);
    let two = "symbol=BTCUSDT&side=BUY&quantity=0.001";
    let below = "belowType=LIMIT_MAKER&belowPrice=56000";
    let above = "aboveType=STOP_LOSS_LIMIT&aboveStopPrice=66000&abovePrice=66000&aboveTimeInForce=GTC";
    let list = ask("POST", "/api/v3/orderList/oco", &format!("{two}&{below}&{above}"));
    ask("GET", "/api/v3/orderList", &format!("orderListId={}", list["orderListId"]));
    ask("GET", "/api/v3/openOrderList", "");
    ask("DELETE", "/api/v3/orderList", &format!("{pair}&orderListId={}", list["orderListId"]));
    let old = format!("{two}&price=56000&stopPrice=66000&stopLimitPrice=66000&stopLimitTimeInForce=GTC");
    let list = ask("POST", "/api/v3/order/oco", &old);
    ask("DELETE", "/api/v3/order", &format!("{pair}&orderId={}", list["orders"][0]["orderId"]));
    ask("GET", "/api/v3/allOrderList", "");
    let order = ask("POST", "/api/v3/order", &limit.replace("0.001", "0.002"));
    let smaller = format!("{pair}&orderId={}&newQty=0.001", order["orderId"]);
    ask("PUT", "/api/v3/order/amend/keepPriority", &smaller);
    ask("GET", "/api/v3/order/amendments", &named_of(&order));
    let replaced = format!("{limit}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrderId={}", order["orderId"]);
    ask("POST", "/api/v3/order/cancelReplace", &replaced);
    let listen_key = ask("POST", "/api/v3/userDataStream", "")["listenKey"].as_str().unwrap().to_owned();
    ask("PUT", "/api/v3/userDataStream", &format!("listenKey={listen_key}"));
    ask("DELETE", "/api/v3/userDataStream", &format!("listenKey={listen_key}"));
    ask("DELETE", "/api/v3/openOrders", pair);
    ask("GET", "/api/v3/allOrders", pair);
    ask("GET", "/api/v3/myTrades", pair);
    // Those of futures are in `fapi_calls.rs`.
    let paths = document["paths"].as_object().unwrap().iter().filter(|(path, _)| !path.starts_with("/fapi/"));
    let calls: usize = paths.map(|(_, calls)| calls.as_object().unwrap().len()).sum();
    assert!(tried >= calls, "{tried} answers of {calls} calls were looked at");
}
