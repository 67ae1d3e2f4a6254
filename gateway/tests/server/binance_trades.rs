//! Numbers of trades: one for each, the same in every call, stream and event.

use crate::bot::Bot;
use crate::client::Server;
use crate::socket::Socket;
use crate::wait::found;
use serde_json::{Value, json};

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("a trade's number: {value}"))
}

fn numbers(rows: &Value, name: &str) -> Vec<u64> {
    rows.as_array().unwrap_or_else(|| panic!("{rows}")).iter().map(|row| number(&row[name])).collect()
}

#[test]
fn a_trade_has_one_number_everywhere_and_it_is_its_count_in_its_market() {
    let server = Server::start(&[("XNG__DEMO__SPOT_USDT", "10000000")]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let key = [("x-mbx-apikey", bot.key.as_str())];
    let listen = bot.api.raw("POST", "/api/v3/userDataStream", &key, "").body["listenKey"].as_str().unwrap().to_owned();
    let mut socket = Socket::open(&server, "/stream");
    let streams = ["btcusdt@trade", "btcusdt@aggTrade", "btcusdt@kline_1s", "btcusdt@ticker", &listen];
    socket.send(&json!({ "method": "SUBSCRIBE", "params": streams, "id": 1 }));
    socket.until(|frame| frame["id"] == 1);
    // More than the best ask: several trades of one order, if the house sells at more than one price.
    let order = found("somebody sells enough", || {
        let reply = bot.call("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=2");
        (reply.status == 200 && reply.body["fills"].as_array().unwrap().len() > 1).then_some(reply.body)
    });
    let fills = numbers(&order["fills"], "tradeId");
    assert!(fills.windows(2).all(|pair| pair[1] == pair[0] + 1), "trades of one order are counted on: {fills:?}");
    let (first, last) = (fills[0], fills[fills.len() - 1]);

    let of_order = format!("symbol=BTCUSDT&orderId={}", order["orderId"]);
    assert_eq!(numbers(&bot.good("GET", "myTrades", &of_order), "id"), fills);
    let from = format!("symbol=BTCUSDT&fromId={last}");
    assert_eq!(numbers(&bot.good("GET", "myTrades", &from), "id")[0], last, "from this trade on");
    let beyond = format!("symbol=BTCUSDT&fromId={}", i64::MAX);
    assert_eq!(bot.good("GET", "myTrades", &beyond), json!([]));
    let mut app = numbers(&bot.api.get("/coin/trades?limit=100")["message"], "id");
    app.truncate(fills.len());
    app.reverse();
    assert_eq!(app, fills, "the app tells the same");

    let (mut reports, mut streamed, mut aggregated) = (Vec::new(), Vec::new(), Vec::new());
    let mut counted = Vec::new();
    while reports.last() != Some(&last) || streamed.last() < Some(&last) || aggregated.last() < Some(&last) {
        let data = socket.next()["data"].clone();
        match data["e"].as_str().unwrap_or_default() {
            "executionReport" if data["x"] == "TRADE" && data["i"] == order["orderId"] => {
                reports.push(number(&data["t"]))
            }
            "trade" => streamed.push(number(&data["t"])),
            "aggTrade" => aggregated.extend(number(&data["f"])..=number(&data["l"])),
            "kline" if data["k"]["n"] != 0 => counted.push(data["k"]["f"].clone()),
            "24hrTicker" => counted.push(data["L"].clone()),
            _ => {}
        }
    }
    assert_eq!(reports, fills);
    let is_mine = |id: &u64| (first..=last).contains(id);
    assert_eq!(streamed.iter().copied().filter(is_mine).collect::<Vec<u64>>(), fills);
    assert_eq!(
        aggregated.iter().copied().filter(is_mine).collect::<Vec<u64>>(),
        fills,
        "l - f + 1 trades an aggregate"
    );

    let public = |path: &str| server.api().raw_get(&format!("/api/v3/{path}symbol=BTCUSDT&limit=1000&fromId={first}"));
    let mine = |rows: &Value, name: &str| numbers(rows, name).into_iter().filter(is_mine).collect::<Vec<u64>>();
    let history = public("historicalTrades?");
    assert_eq!((number(&history[0]["id"]), mine(&history, "id")), (first, fills.clone()));
    let parts = public("aggTrades?");
    let parts = parts.as_array().unwrap().iter().filter(|a| is_mine(&number(&a["a"])));
    let reply: Vec<u64> = parts.flat_map(|a| number(&a["f"])..=number(&a["l"])).collect();
    assert_eq!(reply, fills);
    let deals = server.api().get("/currency/deals?symbol=BTC%2FUSDT&limit=1000");
    let mut deals = mine(&deals["message"], "id");
    deals.reverse();
    assert_eq!(deals, fills);
    let day = server.api().raw_get("/api/v3/ticker/24hr?symbol=BTCUSDT");
    // An id that tells its market would be a thousand times as large.
    let trades = server.api().raw_get("/api/v3/trades?symbol=BTCUSDT&limit=1");
    counted.push(day["lastId"].clone());
    counted.push(trades[0]["id"].clone());
    assert!(
        counted.iter().all(|id| id.as_i64().is_some_and(|id| id < 2 * last as i64 + 100_000)),
        "{counted:?} {last}"
    );
    assert!(number(&day["lastId"]) >= last && number(&trades[0]["id"]) >= last);
}
