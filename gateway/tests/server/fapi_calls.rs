//! The futures calls one by one: what they refuse, and the form of their answers by the document.

use crate::bot::{Place, now_ms};
use crate::client::Told;
use crate::fapi::{meet, price_now, public, ready};
use crate::schema::wrong;
use crate::wait::asked_again;
use serde_json::Value;

#[test]
fn wrong_orders_are_refused_with_the_conventions_codes() {
    let (server, bot, other) = ready();
    let price = price_now(&server, "ETHUSDT");
    let [high, low] = [1.06, 0.94].map(|times| format!("{:.2}", price.parse::<f64>().unwrap() * times));
    let limit = "symbol=ETHUSDT&side=BUY&type=LIMIT&timeInForce=GTC";
    for (params, code) in [
        (String::new(), -1102),
        ("symbol=NOPE&side=BUY&type=MARKET&quantity=1".to_owned(), -1121),
        (format!("{limit}&price={price}"), -1102),
        (format!("{limit}&quantity=1"), -1102),
        ("symbol=ETHUSDT&side=BUY&type=LIMIT&quantity=1&price=2000".to_owned(), -1102),
        (format!("{limit}&quantity=0&price={price}"), -4003),
        (format!("{limit}&quantity=0.1&price=0"), -4001),
        (format!("{limit}&quantity=0.15&price={price}"), -4023),
        (format!("{limit}&quantity=100000&price={price}"), -4005),
        (format!("{limit}&quantity=0.1&price=2000.001"), -4014),
        (format!("{limit}&quantity=0.1&price={high}"), -4016),
        (format!("{limit}&quantity=0.1&price={low}"), -4024),
        (format!("{limit}&quantity=500&price={price}"), -2019),
        (format!("{limit}&quantity=0.1&price={price}&positionSide=LONG"), -4061),
        (format!("{limit}&quantity=0.1&price={price}&positionSide=UP"), -4060),
        (format!("{limit}&quantity=0.1&price={price}&reduceOnly=true"), -2022),
        (format!("{limit}&quantity=0.1&price={price}&reduceOnly=maybe"), -1130),
        (format!("{limit}&quantity=0.1&price={price}&closePosition=true"), -4136),
        (format!("{limit}&quantity=0.1&price={price}&priceMatch=QUEUE"), -1130),
        (format!("{limit}&quantity=0.1&price={price}&unknown=1"), -1104),
        ("symbol=ETHUSDT&side=BUY&type=MARKET&quantity=0.1".to_owned(), -4131),
        ("symbol=ETHUSDT&side=BUY&type=MARKET&quantity=0.1&price=2000".to_owned(), -1106),
        ("symbol=ETHUSDT&side=BUY&type=STOP_MARKET&quantity=0.1".to_owned(), -1102),
        ("symbol=ETHUSDT&side=BUY&type=TRAILING_STOP_MARKET&quantity=0.1&callbackRate=11".to_owned(), -1130),
        ("symbol=ETHUSDT&side=BUY&type=ICEBERG&quantity=0.1".to_owned(), -1116),
        ("symbol=ETHUSDT&side=HOLD&type=MARKET&quantity=0.1".to_owned(), -1117),
        (format!("symbol=ETHUSDT&side=BUY&type=LIMIT&timeInForce=GTD&quantity=0.1&price={price}"), -1115),
    ] {
        assert_eq!(bot.code("POST", "v1/order", &params), code, "{params}");
    }
    assert_eq!(bot.good("GET", "v1/allOrders", "symbol=ETHUSDT"), Value::Array(Vec::new()));
    for (method, path, params, code) in [
        ("GET", "v1/order", "symbol=ETHUSDT&orderId=1", -2013),
        ("GET", "v1/order", "symbol=ETHUSDT", -1102),
        ("DELETE", "v1/order", "symbol=ETHUSDT&orderId=1", -2011),
        ("DELETE", "v1/order", "symbol=ETHUSDT&origClientOrderId=nobody", -2011),
        ("GET", "v1/openOrder", "symbol=ETHUSDT&orderId=1", -2013),
        ("PUT", "v1/order", "symbol=ETHUSDT&orderId=1&quantity=0.1&price=2000", -2013),
        ("POST", "v1/leverage", "symbol=ETHUSDT&leverage=0", -4028),
        ("POST", "v1/countdownCancelAll", "symbol=ETHUSDT", -1102),
        ("POST", "v1/countdownCancelAll", "symbol=ETHUSDT&countdownTime=99999999999999", -1130),
        ("POST", "v1/countdownCancelAll", "symbol=NOPE&countdownTime=1000", -1121),
        ("POST", "v1/leverage", "symbol=NOPE&leverage=1", -1121),
        ("POST", "v1/marginType", "symbol=ETHUSDT&marginType=BOTH", -1130),
        ("POST", "v1/positionMargin", "symbol=ETHUSDT&amount=1&type=3", -1130),
        ("POST", "v1/multiAssetsMargin", "multiAssetsMargin=true", -4167),
        ("POST", "v1/multiAssetsMargin", "multiAssetsMargin=false", -4171),
        ("POST", "v1/batchOrders", "batchOrders=%5B%5D", -4082),
        ("GET", "v1/userTrades", "symbol=ETHUSDT&startTime=1&endTime=604800002", -4165),
        ("GET", "v1/income", "incomeType=GIFT", -1130),
    ] {
        assert_eq!(bot.code(method, path, params), code, "{method} {path} {params}");
    }
    // What would take is refused when it may only rest.
    meet(&bot, &other, ("ETHUSDT", "BUY", "0.1", &price), "");
    bot.order(&format!("{limit}&quantity=0.1&price={price}"));
    let taking = format!("symbol=ETHUSDT&side=SELL&type=LIMIT&timeInForce=GTX&quantity=0.1&price={price}");
    assert_eq!(other.code("POST", "v1/order", &taking), -5022);
}

#[test]
fn every_answer_has_the_form_that_the_document_tells() {
    let (server, bot, other) = ready();
    let price = price_now(&server, "BTCUSDT");
    meet(&bot, &other, ("BTCUSDT", "BUY", "0.01", &price), "");
    let document = server.api().raw_get("/openapi.json");
    let mut tried = 0;
    let mut ask = |method: &str, path: &str, params: &str| {
        let full = format!("/fapi/{path}");
        let operation = &document["paths"][&full][method.to_lowercase()];
        let send = || {
            if operation["security"].is_null() {
                bot.0.api.raw(method, &format!("{full}?{params}"), &[], "")
            } else if path.ends_with("/listenKey") || path.ends_with("/historicalTrades") {
                bot.0.api.raw(method, &format!("{full}?{params}"), &[("x-mbx-apikey", &bot.0.key)], "")
            } else {
                let and = if params.is_empty() { "" } else { "&" };
                bot.0.send(method, &full, &format!("{params}{and}timestamp={}", now_ms()), Place::Query)
            }
        };
        // The store may be a little behind.
        let is_later = |told: &Told| method == "GET" && told.end() == (503, -1008);
        let told = asked_again(send, is_later);
        assert_eq!(told.status, 200, "{method} {full}: {}", told.body);
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{method} {full}");
        assert_eq!(wrong(&document, schema, &told.body, &full), None);
        tried += 1;
        told.body
    };
    let symbol = "symbol=BTCUSDT";
    let candles = "symbol=BTCUSDT&interval=1m";
    for (path, params) in [
        ("v1/ping", ""),
        ("v1/time", ""),
        ("v1/exchangeInfo", ""),
        ("v1/depth", symbol),
        ("v1/trades", symbol),
        ("v1/historicalTrades", symbol),
        ("v1/aggTrades", symbol),
        ("v1/klines", candles),
        ("v1/continuousKlines", "pair=BTCUSDT&contractType=PERPETUAL&interval=1m"),
        ("v1/markPriceKlines", candles),
        ("v1/indexPriceKlines", "pair=BTCUSDT&interval=1m"),
        ("v1/premiumIndexKlines", candles),
        ("v1/premiumIndex", symbol),
        ("v1/premiumIndex", ""),
        ("v1/fundingRate", symbol),
        ("v1/fundingInfo", ""),
        ("v1/ticker/24hr", ""),
        ("v1/ticker/24hr", symbol),
        ("v1/ticker/price", symbol),
        ("v2/ticker/price", ""),
        ("v1/ticker/bookTicker", symbol),
        ("v1/openInterest", symbol),
        ("v1/constituents", symbol),
        ("v1/openOrders", ""),
        ("v1/allOrders", symbol),
        ("v1/userTrades", symbol),
        ("v1/forceOrders", ""),
        ("v1/positionSide/dual", ""),
        ("v1/multiAssetsMargin", ""),
        ("v1/positionMargin/history", symbol),
        ("v1/leverageBracket", ""),
        ("v1/commissionRate", symbol),
        ("v1/income", ""),
        ("v1/accountConfig", ""),
        ("v1/symbolConfig", ""),
        ("v1/apiTradingStatus", ""),
        ("v1/adlQuantile", ""),
        ("v2/account", ""),
        ("v3/account", ""),
        ("v2/balance", ""),
        ("v3/balance", ""),
        ("v2/positionRisk", ""),
        ("v3/positionRisk", ""),
    ] {
        ask("GET", path, params);
    }
    let low = format!("{:.2}", price.parse::<f64>().unwrap() * 0.97);
    let limit = format!("{symbol}&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.02&price={low}");
    ask("POST", "v1/order/test", &limit);
    let order = ask("POST", "v1/order", &limit);
    let named = format!("{symbol}&orderId={}", order["orderId"]);
    ask("GET", "v1/order", &named);
    ask("GET", "v1/openOrder", &named);
    ask("PUT", "v1/order", &format!("{named}&quantity=0.01&price={low}"));
    ask("DELETE", "v1/order", &named);
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    ask("POST", "v1/batchOrders", &format!("batchOrders={}", encoded(r#"[{"symbol":"BTCUSDT"}]"#)));
    ask("PUT", "v1/batchOrders", &format!("batchOrders={}", encoded(r#"[{"symbol":"BTCUSDT"}]"#)));
    ask("DELETE", "v1/batchOrders", &format!("{symbol}&orderIdList=[1]"));
    ask("DELETE", "v1/allOpenOrders", symbol);
    ask("POST", "v1/countdownCancelAll", &format!("{symbol}&countdownTime=60000"));
    ask("POST", "v1/countdownCancelAll", &format!("{symbol}&countdownTime=0"));
    let far = format!("{:.2}", price.parse::<f64>().unwrap() * 1.2);
    let stop = format!("algoType=CONDITIONAL&{symbol}&side=BUY&type=STOP_MARKET&quantity=0.01&triggerPrice={far}");
    let waits = ask("POST", "v1/algoOrder", &stop);
    let named = format!("algoId={}", waits["algoId"]);
    ask("GET", "v1/algoOrder", &named);
    ask("GET", "v1/openAlgoOrders", "");
    ask("GET", "v1/allAlgoOrders", symbol);
    ask("DELETE", "v1/algoOrder", &named);
    ask("DELETE", "v1/algoOpenOrders", symbol);
    ask("POST", "v1/leverage", "symbol=ETHUSDT&leverage=5");
    ask("POST", "v1/marginType", "symbol=ETHUSDT&marginType=ISOLATED");
    meet(&other, &bot, ("BTCUSDT", "BUY", "0.01", &price), "");
    ask("POST", "v1/positionSide/dual", "dualSidePosition=true");
    ask("POST", "v1/listenKey", "");
    ask("PUT", "v1/listenKey", "");
    ask("DELETE", "v1/listenKey", "");
    // Two of them are refused here: of margin, there is no isolated position; margin in several assets there is never.
    let refused = 2;
    let paths = document["paths"].as_object().unwrap().iter().filter(|(path, _)| path.starts_with("/fapi/"));
    let calls: usize = paths.map(|(_, calls)| calls.as_object().unwrap().len()).sum();
    assert!(tried + refused >= calls, "{tried} answers of {calls} calls were looked at");
}

#[test]
fn exchange_info_and_brackets_are_those_of_the_contract() {
    let (server, bot, _other) = ready();
    let told = public(&server, "v1/exchangeInfo");
    let btc = &told["symbols"][0];
    assert_eq!(
        (&btc["symbol"], &btc["contractType"], &btc["marginAsset"]),
        (&"BTCUSDT".into(), &"PERPETUAL".into(), &"USDT".into())
    );
    let kinds: Vec<&str> = btc["filters"].as_array().unwrap().iter().filter_map(|f| f["filterType"].as_str()).collect();
    let order =
        ["PRICE_FILTER", "LOT_SIZE", "MARKET_LOT_SIZE", "MAX_NUM_ORDERS", "MAX_NUM_ALGO_ORDERS", "MIN_NOTIONAL"];
    assert_eq!(kinds[..order.len()], order);
    let rows = bot.good("GET", "v1/leverageBracket", "symbol=BTCUSDT");
    let second = &rows[0]["brackets"][1];
    assert_eq!((&second["notionalFloor"], &second["notionalCap"]), (&300_000.into(), &1_000_000.into()));
    assert_eq!((&second["initialLeverage"], &second["cum"]), (&75.into(), &600.into()), "{second}");
    let fees = bot.good("GET", "v1/commissionRate", "symbol=BTCUSDT");
    assert_eq!(
        (&fees["makerCommissionRate"], &fees["takerCommissionRate"]),
        (&"0.00020000".into(), &"0.00050000".into())
    );
}
