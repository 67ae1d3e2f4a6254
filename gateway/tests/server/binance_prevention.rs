//! Self-trade prevention as programs are told of it: in answers, queries, lists and events.

use crate::bot::Bot;
use crate::client::Server;
use crate::socket::Socket;
use crate::tool::{good, tool};
use crate::wait::found;
use serde_json::{Value, json};

fn lots(value: &Value) -> i64 {
    let text = value.as_str().unwrap_or_else(|| panic!("an amount: {value}"));
    (text.parse::<f64>().unwrap() * 1e8).round() as i64
}

/// A level with more than 0.2 BTC is waited out: the bot has 5 to sell, and may need several tries.
const MOST_THERE: i64 = 20_000_000;

/// Of a row: asked for, executed, prevented.
fn quantities(row: &Value) -> [i64; 3] {
    let prevented = row.get("preventedQuantity").map_or(0, lots);
    [lots(&row["origQty"]), lots(&row["executedQty"]), prevented]
}

/// A bot's order that rests, and one of its own that met it in this mode: both as they were answered.
fn meeting(server: &Server, bot: &Bot, mode: &str, maker: &str, taker: &str) -> [Value; 2] {
    found("two orders that meet", || {
        let best = server.api().raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
        let (price, there) = (best["bidPrice"].as_str()?, lots(&best["bidQty"]));
        if there > MOST_THERE {
            return None;
        }
        let rests = format!("symbol=BTCUSDT&side=BUY&type=LIMIT_MAKER&quantity={maker}&price={price}");
        let rests = bot.call("POST", "order", &format!("{rests}&newOrderRespType=RESULT"));
        if rests.status != 200 {
            return None;
        }
        // Behind what others have there.
        let quantity = (there + lots(&json!(taker))) as f64 / 1e8;
        let meets = format!("symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=GTC&quantity={quantity:.5}&price={price}");
        let meets = bot.good("POST", "order", &format!("{meets}&selfTradePreventionMode={mode}"));
        if meets.get("preventedMatches").is_some() {
            return Some([rests.body, meets]);
        }
        // The house went away, or came in between.
        bot.call("DELETE", "openOrders", "symbol=BTCUSDT");
        None
    })
}

fn listen(server: &Server, bot: &Bot) -> Socket {
    let key = [("x-mbx-apikey", bot.key.as_str())];
    let name = bot.api.raw("POST", "/api/v3/userDataStream", &key, "").body["listenKey"].as_str().unwrap().to_owned();
    let mut socket = Socket::open(server, "/ws");
    socket.send(&json!({ "method": "SUBSCRIBE", "params": [name], "id": 1 }));
    socket.until(|frame| frame["id"] == 1);
    socket
}

/// The reports of two orders up to the end of one.
fn reports(socket: &mut Socket, ids: [&Value; 2], last: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut reply = Vec::new();
    socket.until(|event| {
        if event["e"] == "executionReport" && ids.contains(&&event["i"]) {
            reply.push(event.clone());
        }
        event["e"] == "executionReport" && last(event)
    });
    reply
}

#[test]
fn a_decrement_is_told_in_answers_queries_lists_and_events_alike() {
    let mut server =
        Server::start(&[("XNG__DEMO__SPOT_USDT", "10000000"), ("XNG__API__ORDERS_PER_10_SECONDS", "100000")]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    bot.good("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=5");
    let mut socket = listen(&server, &bot);
    let [maker, taker] = meeting(&server, &bot, "DECREMENT", "0.05", "0.02");
    let matches = taker["preventedMatches"].as_array().unwrap().clone();
    assert_eq!(matches.len(), 1, "{taker}");
    let (id, prevented) = (matches[0]["preventedMatchId"].clone(), matches[0]["takerPreventedQuantity"].clone());
    assert_eq!((&matches[0]["makerOrderId"], &matches[0]["makerSymbol"]), (&maker["orderId"], &json!("BTCUSDT")));
    assert_eq!(matches[0]["makerPreventedQuantity"], prevented, "the same of both");
    assert_eq!((&taker["preventedMatchId"], &taker["preventedQuantity"]), (&id, &prevented));
    let [asked, executed, lost] = quantities(&taker);
    assert_eq!((asked, taker["status"].as_str()), (executed + lost, Some("EXPIRED_IN_MATCH")), "{taker}");

    let named = |row: &Value| format!("symbol=BTCUSDT&orderId={}", row["orderId"]);
    let rests = bot.good("GET", "order", &named(&maker));
    assert_eq!((&rests["preventedMatchId"], &rests["preventedQuantity"]), (&id, &prevented), "{rests}");
    let open = bot.good("GET", "openOrders", "symbol=BTCUSDT")[0].clone();
    assert_eq!(open, rests);
    let done = bot.good("GET", "order", &named(&taker));
    assert_eq!((&done["preventedMatchId"], &done["preventedQuantity"]), (&id, &prevented));
    let all = bot.good("GET", "allOrders", "symbol=BTCUSDT");
    assert!(all.as_array().unwrap().contains(&done) && all.as_array().unwrap().contains(&rests));

    let of = |query: &str| bot.good("GET", "myPreventedMatches", &format!("symbol=BTCUSDT&{query}"));
    let row = of(&format!("preventedMatchId={id}"))[0].clone();
    assert_eq!((&row["takerOrderId"], &row["makerOrderId"]), (&taker["orderId"], &maker["orderId"]));
    assert_eq!((&row["selfTradePreventionMode"], &row["tradeGroupId"]), (&json!("DECREMENT"), &json!(-1)));
    assert_eq!((&row["transactTime"], &row["price"]), (&taker["transactTime"], &maker["price"]));
    for order in [&maker, &taker] {
        assert_eq!(of(&format!("orderId={}", order["orderId"])), json!([row]), "of each of its orders");
    }
    let next = id.as_u64().unwrap() + 1;
    assert_eq!(of(&format!("orderId={}&fromPreventedMatchId={next}&limit=5", maker["orderId"])), json!([]));

    let ended = |event: &Value| event["i"] == taker["orderId"] && event["X"] == "EXPIRED_IN_MATCH";
    let reply = reports(&mut socket, [&maker["orderId"], &taker["orderId"]], ended);
    let preventions: Vec<&Value> = reply.iter().filter(|event| event["x"] == "TRADE_PREVENTION").collect();
    assert_eq!(preventions.len(), 2, "{reply:?}");
    for (event, (mine, other)) in preventions.iter().zip([(&maker, &taker), (&taker, &maker)]) {
        assert_eq!((&event["i"], &event["U"], &event["Cs"]), (&mine["orderId"], &other["orderId"], &json!("BTCUSDT")));
        assert_eq!((&event["v"], &event["A"], &event["B"]), (&id, &prevented, &prevented));
        assert_eq!((&event["pl"], &event["pL"]), (&prevented, &maker["price"]));
        let quote = lots(&event["pl"]) as f64 * event["pL"].as_str().unwrap().parse::<f64>().unwrap() / 1e8;
        assert!((event["pY"].as_str().unwrap().parse::<f64>().unwrap() - quote).abs() < 1e-6, "{event}");
    }
    assert_eq!(preventions[0]["X"], "NEW", "what is left of it stays");

    server.wait_persisted();
    server.kill();
    server.launch();
    server.wait_open("BTCUSDT");
    let bot = Bot { api: server.demo("demo"), ..bot };
    // What is left of it may have been filled since.
    let kept = bot.good("GET", "order", &named(&maker));
    assert_eq!((&kept["preventedMatchId"], &kept["preventedQuantity"]), (&id, &prevented), "it is in the journal");
    let query = format!("symbol=BTCUSDT&preventedMatchId={id}");
    let again = found("the store is asked", || {
        Some(bot.call("GET", "myPreventedMatches", &query)).filter(|told| told.status == 200)
    });
    assert_eq!(again.body, json!([row]));
    let canceled = bot.call("DELETE", "order", &named(&maker));
    let reply = (&canceled.body["preventedQuantity"], &canceled.body["origQty"]);
    assert!(canceled.status != 200 || reply == (&prevented, &maker["origQty"]), "{}", canceled.body);
    let user = bot.user();
    server.wait_persisted();
    assert!(server.terminate().success());
    let audit = good(&tool(&server, &["audit"]));
    assert!(audit.contains("1 prevented matches"), "{audit}");
    assert!(good(&tool(&server, &["replay", "--user", &user])).contains("equals the journal"));
}

#[test]
fn the_other_modes_tell_what_expired_and_by_which_order() {
    let server = Server::start(&[("XNG__DEMO__SPOT_USDT", "10000000"), ("XNG__API__ORDERS_PER_10_SECONDS", "100000")]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    bot.good("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=5");
    for (mode, taker_ends, maker_ends) in
        [("EXPIRE_TAKER", true, false), ("EXPIRE_MAKER", false, true), ("EXPIRE_BOTH", true, true)]
    {
        let mut socket = listen(&server, &bot);
        let [maker, taker] = meeting(&server, &bot, mode, "0.01", "0.02");
        let reply = taker["preventedMatches"][0].clone();
        assert_eq!(reply.get("takerPreventedQuantity").is_some(), taker_ends, "{mode}: {taker}");
        assert_eq!(reply.get("makerPreventedQuantity").is_some(), maker_ends, "{mode}: {taker}");
        let row = bot.good("GET", "order", &format!("symbol=BTCUSDT&orderId={}", maker["orderId"]));
        assert_eq!(row["status"] == "EXPIRED_IN_MATCH", maker_ends, "{mode}: {row}");
        assert_eq!(row.get("preventedQuantity"), maker_ends.then_some(&row["origQty"]), "{mode}: {row}");
        let [asked, executed, lost] = quantities(&taker);
        assert_eq!((lost > 0, taker["status"] == "EXPIRED_IN_MATCH"), (taker_ends, taker_ends), "{mode}: {taker}");
        if taker_ends {
            assert_eq!(asked, executed + lost, "{mode}");
            assert_eq!(reply["takerPreventedQuantity"], taker["preventedQuantity"]);
        }
        let list = bot.good("GET", "myPreventedMatches", &format!("symbol=BTCUSDT&orderId={}", taker["orderId"]));
        assert_eq!((list.as_array().unwrap().len(), &list[0]["selfTradePreventionMode"]), (1, &json!(mode)));
        // The taker's last report, or the last of its cancel.
        bot.call("DELETE", "openOrders", "symbol=BTCUSDT");
        let over = |event: &Value| {
            let id = if taker_ends { &taker["orderId"] } else { &maker["orderId"] };
            event["i"] == *id && event["X"] == "EXPIRED_IN_MATCH"
        };
        let reports = reports(&mut socket, [&maker["orderId"], &taker["orderId"]], over);
        let of = |id: &Value| reports.iter().filter(|r| r["i"] == *id && r["x"] == "TRADE_PREVENTION").count();
        let counts = (of(&taker["orderId"]), of(&maker["orderId"]));
        assert_eq!(counts, (usize::from(taker_ends), usize::from(maker_ends)), "{mode}");
        let first = |id: &Value| reports.iter().find(|r| r["i"] == *id && r["x"] == "TRADE_PREVENTION").cloned();
        if let Some(report) = first(&taker["orderId"]) {
            assert_eq!((&report["U"], &report["v"]), (&maker["orderId"], &reply["preventedMatchId"]), "{mode}");
            assert_eq!((&report["A"], &report["B"]), (&taker["preventedQuantity"], &taker["preventedQuantity"]));
        }
        drop(socket);
    }
}
