//! Sockets of the futures convention, through the real binary.

use crate::binance_order_groups::signed;
use crate::fapi::{Trader, mark, meet, number, price_now, public, ready};
use crate::socket::Socket;
use crate::streams::{fills, firsts, fits};
use serde_json::{Value, json};

pub(crate) fn listen_key(trader: &Trader) -> String {
    let made = trader.0.api.raw("POST", "/fapi/v1/listenKey", &[("x-mbx-apikey", &trader.0.key)], "");
    made.body["listenKey"].as_str().unwrap_or_else(|| panic!("{}", made.body)).to_owned()
}

pub(crate) fn of(event: &'static str) -> impl FnMut(&Value) -> bool {
    move |frame| frame["e"] == event
}

#[test]
fn an_owner_hears_of_orders_fills_and_positions_in_order() {
    let (server, bot, other) = ready();
    let key = listen_key(&bot);
    let mut socket = Socket::open(&server, &format!("/private/ws?listenKey={key}"));
    let price = price_now(&server, "BTCUSDT");
    bot.order(&format!(
        "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTX&quantity=0.02&price={price}&newClientOrderId=first"
    ));
    let new = socket.until(of("ORDER_TRADE_UPDATE"));
    let o = &new["o"];
    assert_eq!((&o["x"], &o["X"], &o["c"], &o["f"]), (&"NEW".into(), &"NEW".into(), &"first".into(), &"GTX".into()));
    other.order(&format!("symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=IOC&quantity=0.01&price={price}"));
    let fill = socket.until(of("ORDER_TRADE_UPDATE"));
    let o = &fill["o"];
    assert_eq!(
        (&o["x"], &o["X"], &o["l"], &o["m"]),
        (&"TRADE".into(), &"PARTIALLY_FILLED".into(), &"0.01".into(), &true.into())
    );
    assert_eq!((number(&o["ap"]), &o["N"], &o["ps"]), (price.parse::<f64>().unwrap(), &json!("USDT"), &json!("BOTH")));
    assert_eq!(socket.until(of("TRADE_LITE"))["t"], o["t"]);
    let account = socket.until(of("ACCOUNT_UPDATE"));
    let a = &account["a"];
    assert_eq!((&a["m"], &a["P"][0]["pa"], &a["P"][0]["s"]), (&"ORDER".into(), &"0.01".into(), &"BTCUSDT".into()));
    let rows = bot.good("GET", "v2/balance", "");
    let usdt = rows.as_array().unwrap().iter().find(|row| row["asset"] == "USDT").unwrap();
    assert_eq!((&a["B"][0]["wb"], &a["B"][0]["bc"]), (&usdt["balance"], &json!("0.00000000")), "{account}");
    bot.good("DELETE", "v1/allOpenOrders", "symbol=BTCUSDT");
    let gone = socket.until(of("ORDER_TRADE_UPDATE"));
    assert_eq!((&gone["o"]["x"], &gone["o"]["z"]), (&"CANCELED".into(), &"0.01".into()), "{gone}");
    bot.good("POST", "v1/leverage", "symbol=ETHUSDT&leverage=7");
    assert_eq!(socket.until(of("ACCOUNT_CONFIG_UPDATE"))["ac"], json!({ "s": "ETHUSDT", "l": 7 }));
}

#[test]
fn public_streams_tell_book_trades_and_marks_of_contracts() {
    let (server, bot, other) = ready();
    let mut depth = Socket::open(&server, "/public/ws/btcusdt@depth@100ms");
    let names = "btcusdt@aggTrade/btcusdt@markPrice@1s/!markPrice@arr@1s/btcusdt@ticker/btcusdt@kline_1m";
    let mut all = Socket::open(&server, &format!("/market/stream?streams={names}"));
    let mut plain = Socket::open(&server, "/fapi/ws");
    let params =
        json!(["btcusdt@bookTicker", "btcusdt@depth5@500ms", "btcusdt@trade", "btcusdt_perpetual@continuousKline_1m"]);
    plain.send(&json!({ "method": "SUBSCRIBE", "params": params, "id": 1 }));
    plain.until(|frame| frame["id"] == 1);
    let price = price_now(&server, "BTCUSDT");
    meet(&bot, &other, ("BTCUSDT", "BUY", "0.01", &price), "");
    let first = depth.next();
    assert_eq!((&first["e"], &first["s"]), (&"depthUpdate".into(), &"BTCUSDT".into()));
    assert_eq!(first["pu"].as_u64().unwrap() + 1, first["U"].as_u64().unwrap());
    let low = format!("{:.2}", price.parse::<f64>().unwrap() * 0.98);
    bot.order(&format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price={low}"));
    let wanted = json!([low, "0.01000000"]);
    let mut before = first;
    depth.until(|frame| {
        let follows = frame["pu"] == before["u"];
        assert!(follows, "{frame} after {before}");
        before = frame.clone();
        frame["b"].as_array().unwrap().contains(&wanted)
    });
    assert_eq!(public(&server, "v1/depth?symbol=BTCUSDT")["lastUpdateId"], before["u"]);
    let trade = all.until(|frame| frame["stream"] == "btcusdt@aggTrade");
    assert_eq!((&trade["data"]["q"], trade["data"].get("M")), (&"0.01".into(), None));
    let told = all.until(|frame| frame["stream"] == "btcusdt@markPrice@1s");
    let now = mark(&server, "BTCUSDT");
    assert!((number(&told["data"]["p"]) / now - 1.0).abs() < 0.01 && told["data"]["T"].is_u64(), "{told}");
    assert_eq!(all.until(|frame| frame["stream"] == "!markPrice@arr@1s")["data"].as_array().unwrap().len(), 2);
    all.until(|frame| frame["stream"] == "btcusdt@ticker");
    all.until(|frame| frame["stream"] == "btcusdt@kline_1m");
    plain.until(|frame| frame["e"] == "bookTicker" && frame["b"] == low.as_str());
    plain
        .until(|frame| frame["e"] == "depthUpdate" && frame["b"].as_array().is_some_and(|bids| bids.contains(&wanted)));
    assert_eq!(plain.until(of("continuous_kline"))["ps"], "BTCUSDT");
}

#[test]
fn streams_of_spot_and_of_contracts_with_one_name_are_two() {
    let (server, bot, other) = ready();
    let mut spot = Socket::open(&server, "/ws/btcusdt@trade");
    let mut futures = Socket::open(&server, "/fapi/ws/btcusdt@trade");
    let price = price_now(&server, "BTCUSDT");
    meet(&bot, &other, ("BTCUSDT", "BUY", "0.01", &price), "");
    let heard = futures.next();
    assert_eq!((&heard["q"], &heard["X"], &heard["t"]), (&"0.01".into(), &"MARKET".into(), &1.into()));
    assert_eq!(spot.next()["M"], true, "trades of the pair go on");
}

#[test]
fn frames_of_contracts_are_what_the_document_tells() {
    let (server, bot, other) = ready();
    let names = [
        "btcusdt@trade",
        "btcusdt@aggTrade",
        "btcusdt@kline_1m",
        "btcusdt_perpetual@continuousKline_1m",
        "btcusdt@miniTicker",
        "!miniTicker@arr",
        "btcusdt@ticker",
        "!ticker@arr",
        "btcusdt@bookTicker",
        "!bookTicker",
        "btcusdt@depth5@100ms",
        "btcusdt@depth",
        "btcusdt@markPrice@1s",
        "!markPrice@arr@1s",
    ];
    let mut socket = Socket::open(&server, "/market/stream");
    socket.send(&json!({ "method": "SUBSCRIBE", "params": names, "id": "all" }));
    socket.until(|frame| frame["id"] == "all");
    let price = price_now(&server, "BTCUSDT");
    meet(&bot, &other, ("BTCUSDT", "BUY", "0.01", &price), "");
    let seen = firsts(&mut socket, &names);
    let document = server.api().raw_get("/asyncapi.json");
    let mut told = 0;
    for (id, channel) in document["channels"].as_object().unwrap() {
        let address = channel["address"].as_str().unwrap();
        let Some(pattern) = ["/market/ws/", "/public/ws/"].iter().find_map(|path| address.strip_prefix(path)) else {
            continue;
        };
        told += 1;
        let matching: Vec<_> = seen.iter().filter(|(name, _)| fills(channel, pattern, name)).collect();
        // What happens to terms and in a liquidation is read elsewhere.
        assert!(
            !matching.is_empty() || ["contractInfo", "forceOrder", "allForceOrders"].contains(&id.as_str()),
            "{id}"
        );
        matching.iter().for_each(|(name, data)| fits(data, &channel["messages"]["event"]["payload"], name));
    }
    assert_eq!(told, names.len() + 3);
}

/// What a request of the websocket API ends with.
fn asked(socket: &mut Socket, bot: &Trader, id: u64, method: &str, params: &Value) -> Value {
    socket.send(&json!({ "id": id, "method": method, "params": signed(&bot.0, params) }));
    socket.until(|frame| frame["id"] == id)
}

#[test]
fn a_bot_trades_contracts_by_the_websocket_api() {
    let (server, bot, other) = ready();
    let mut socket = Socket::open(&server, "/ws-fapi/v1");
    let price = price_now(&server, "BTCUSDT");
    let limit = json!({ "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.02",
        "price": price });
    let placed = asked(&mut socket, &bot, 1, "order.place", &limit);
    assert_eq!((&placed["status"], &placed["result"]["status"]), (&json!(200), &json!("NEW")), "{placed}");
    let named = json!({ "symbol": "BTCUSDT", "orderId": placed["result"]["orderId"] });
    let smaller = json!({ "symbol": "BTCUSDT", "orderId": placed["result"]["orderId"], "side": "BUY", "quantity": "0.01",
        "price": price });
    let changed = asked(&mut socket, &bot, 2, "order.modify", &smaller);
    assert_eq!(changed["result"]["origQty"], "0.01", "{changed}");
    assert_eq!(asked(&mut socket, &bot, 3, "v1/order.status", &named)["result"]["origQty"], "0.01");
    assert_eq!(asked(&mut socket, &bot, 4, "order.cancel", &named)["result"]["status"], "CANCELED");
    assert_eq!(asked(&mut socket, &bot, 5, "order.cancel", &named)["error"]["code"], -2011);
    meet(&bot, &other, ("BTCUSDT", "BUY", "0.01", &price), "");
    let logged = asked(&mut socket, &bot, 6, "session.logon", &json!({}));
    assert_eq!(logged["result"]["apiKey"], bot.0.key.as_str(), "{logged}");
    let mut plain = |id: u64, method: &str, params: Value| {
        socket.send(&json!({ "id": id, "method": method, "params": params }));
        socket.until(|frame| frame["id"] == id)
    };
    let now = || json!({ "timestamp": crate::bot::now_ms() });
    let by_rest = |path: &str| bot.good("GET", path, "");
    let rows = |told: &Value| told.as_array().map(Vec::len);
    assert_eq!(rows(&plain(7, "account.position", now())["result"]), rows(&by_rest("v2/positionRisk")));
    let position = plain(8, "v2/account.position", now())["result"][0]["positionAmt"].clone();
    assert_eq!(position, "0.01");
    for (id, method, field) in
        [(9, "account.status", "totalWalletBalance"), (10, "v2/account.status", "totalWalletBalance")]
    {
        assert!(number(&plain(id, method, now())["result"][field]) > 0.0, "{method}");
    }
    for (id, method) in [(11, "account.balance"), (12, "v2/account.balance")] {
        assert_eq!(rows(&plain(id, method, now())["result"]), rows(&by_rest("v2/balance")), "{method}");
    }
    assert!(plain(13, "depth", json!({ "symbol": "BTCUSDT" }))["result"]["lastUpdateId"].is_u64());
    assert_eq!(plain(14, "ticker.price", json!({ "symbol": "BTCUSDT" }))["result"]["symbol"], "BTCUSDT");
    assert_eq!(plain(15, "ticker.book", json!({ "symbol": "BTCUSDT" }))["result"]["symbol"], "BTCUSDT");
    for (id, method) in [(16, "userDataStream.subscribe"), (17, "myTrades"), (18, "klines")] {
        assert_eq!(plain(id, method, json!({}))["error"]["code"], -1100, "{method} is spot's");
    }
}
