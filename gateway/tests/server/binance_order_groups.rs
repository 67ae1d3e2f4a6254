//! Stops, lists, icebergs, replacements and amendments by program, and what private streams tell of them.

use crate::bot::{Bot, now_ms};
use crate::client::Server;
use crate::socket::Socket;
use crate::wait::eventually;
use serde_json::{Value, json};

fn ready() -> (Server, Bot) {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    bot.good("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.05");
    (server, bot)
}

/// The latest price in whole quote, moved by so many per mille.
fn near(server: &Server, per_mille: i64) -> i64 {
    let best = server.api().raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
    let price: f64 = best["bidPrice"].as_str().unwrap().parse().unwrap();
    price as i64 * (1_000 + per_mille) / 1_000
}

fn order(bot: &Bot, rest: &str) -> Value {
    bot.good("POST", "order", &format!("symbol=BTCUSDT&quantity=0.01&newOrderRespType=FULL&{rest}"))
}

fn free(bot: &Bot, asset: &str) -> (String, String) {
    let account = bot.good("GET", "account", "");
    let balance = account["balances"].as_array().unwrap().iter().find(|b| b["asset"] == asset).unwrap().clone();
    (balance["free"].as_str().unwrap().to_owned(), balance["locked"].as_str().unwrap().to_owned())
}

#[test]
fn every_type_of_order_that_waits_is_taken_told_and_survives_a_kill() {
    let (mut server, bot) = ready();
    let (low, high) = (near(&server, -50), near(&server, 50));
    let mut waiting = Vec::new();
    for (params, kind) in [
        (format!("side=SELL&type=STOP_LOSS&stopPrice={low}"), "STOP_LOSS"),
        (format!("side=SELL&type=STOP_LOSS_LIMIT&timeInForce=GTC&stopPrice={low}&price={low}"), "STOP_LOSS_LIMIT"),
        (format!("side=SELL&type=TAKE_PROFIT&stopPrice={high}"), "TAKE_PROFIT"),
        (format!("side=BUY&type=STOP_LOSS&stopPrice={high}"), "STOP_LOSS"),
        (format!("side=BUY&type=TAKE_PROFIT_LIMIT&timeInForce=GTC&stopPrice={low}&price={low}"), "TAKE_PROFIT_LIMIT"),
        ("side=BUY&type=STOP_LOSS&trailingDelta=1000".into(), "STOP_LOSS"),
    ] {
        let row = order(&bot, &params);
        assert_eq!(
            (&row["status"], &row["type"], &row["workingTime"]),
            (&json!("NEW"), &json!(kind), &json!(-1)),
            "{row}"
        );
        waiting.push(row["orderId"].clone());
    }
    let reply = |bot: &Bot| -> Vec<Value> {
        let open = bot.good("GET", "openOrders", "symbol=BTCUSDT");
        open.as_array().unwrap().iter().map(|o| o["orderId"].clone()).collect()
    };
    assert_eq!(reply(&bot), waiting);
    let one = bot.good("GET", "order", &format!("symbol=BTCUSDT&orderId={}", waiting[0]));
    assert_eq!((&one["isWorking"], &one["stopPrice"]), (&json!(false), &json!(format!("{low}.00000000"))));
    let locked = free(&bot, "BTC").1;
    assert_eq!(locked, "0.03000000");
    server.kill();
    server.launch();
    server.wait_open("BTCUSDT");
    let bot = Bot { api: server.demo("demo"), ..bot };
    assert_eq!(reply(&bot), waiting, "they wait on");
    assert_eq!(free(&bot, "BTC").1, locked);
    let ended = bot.good("DELETE", "openOrders", "symbol=BTCUSDT");
    assert_eq!(ended.as_array().unwrap().len(), waiting.len());
    assert_eq!(free(&bot, "BTC").1, "0.00000000");
    let too_late = format!("symbol=BTCUSDT&quantity=0.01&side=SELL&type=STOP_LOSS&stopPrice={high}");
    assert_eq!(
        bot.call("POST", "order", &too_late).body,
        json!({ "code": -2010, "msg": "Order would trigger immediately." })
    );
    let wild = "symbol=BTCUSDT&quantity=0.01&side=SELL&type=STOP_LOSS&trailingDelta=5";
    assert_eq!(bot.call("POST", "order", wild).body["msg"], "Filter failure: TRAILING_DELTA");
}

#[test]
fn a_stop_fires_when_its_price_comes_and_keeps_its_number() {
    let (server, bot) = ready();
    // So close that the simulated price passes it soon.
    let best = server.api().raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
    let price: f64 = best["bidPrice"].as_str().unwrap().parse().unwrap();
    let mut ids = Vec::new();
    for (kind, offset) in [("STOP_LOSS", -0.5), ("TAKE_PROFIT", 2.5)] {
        let params = format!("symbol=BTCUSDT&side=SELL&quantity=0.01&type={kind}&stopPrice={:.2}", price + offset);
        let reply = bot.call("POST", "order", &params);
        // It may have moved meanwhile.
        if reply.status == 200 {
            ids.push(reply.body["orderId"].clone());
        }
    }
    assert!(!ids.is_empty(), "one of both is on the right side");
    let done = crate::wait::found("a triggered order", || {
        ids.iter().find_map(|id| {
            let row = bot.good("GET", "order", &format!("symbol=BTCUSDT&orderId={id}"));
            (row["status"] == "FILLED").then_some(row)
        })
    });
    assert_eq!((&done["isWorking"], &done["executedQty"]), (&json!(true), &json!("0.01000000")));
}

fn oco(bot: &Bot, rest: &str) -> Value {
    bot.good("POST", "orderList/oco", &format!("symbol=BTCUSDT&side=SELL&quantity=0.02&{rest}"))
}

#[test]
fn lists_that_an_account_forgot_before_they_were_written_are_told_later_and_never_left_out() {
    let (server, bot) = ready();
    let (low, high) = (near(&server, -30).to_string(), near(&server, 30).to_string());
    // The app's orders are not counted as those of programs are.
    let pair = [("currency_id", "1"), ("legal_id", "3"), ("type", "2"), ("amount", "0.01"), ("target_price", &*high)];
    let pair = [&pair[..], &[("trigger_price", &*low), ("stop_price", &*low)]].concat();
    let place = || bot.api.post("/coin/oco", &pair)["data"]["id"].as_u64().expect("a pair is placed");
    let cancel = |id: u64| assert_eq!(bot.api.post("/coin/cancel", &[("id", &id.to_string())])["type"], "ok");
    let long = place();
    let at = server.status("lsn");
    eventually("it is written", || server.status("persisted") >= at);
    server.ops_post("/dev/persister/pause");
    (0..64).for_each(|_| cancel(place()));
    cancel(long);
    let all = || bot.call("GET", "allOrderList", "").body.as_array().map(Vec::len);
    assert_eq!(all(), Some(65), "64 are in memory, the first is written");
    cancel(place());
    let reply = bot.call("GET", "allOrderList", "");
    assert_eq!(reply.body["code"], -1008, "the second is nowhere: {}", reply.body);
    server.ops_post("/dev/persister/resume");
    eventually("all of them", || all() == Some(66));
}

#[test]
fn a_list_locks_once_is_found_by_every_name_and_ends_as_one() {
    let (server, bot) = ready();
    let (low, high) = (near(&server, -30), near(&server, 30));
    let rest = format!(
        "aboveType=LIMIT_MAKER&abovePrice={high}&aboveClientOrderId=up&belowType=STOP_LOSS_LIMIT&belowStopPrice={low}\
         &belowPrice={low}&belowTimeInForce=GTC&belowClientOrderId=down&listClientOrderId=both&aboveStrategyId=7\
         &belowStrategyId=8"
    );
    let placed = oco(&bot, &rest);
    assert_eq!((&placed["contingencyType"], &placed["listOrderStatus"]), (&json!("OCO"), &json!("EXECUTING")));
    let reports = placed["orderReports"].as_array().unwrap();
    assert!(reports.iter().all(|r| r["orderListId"] == placed["orderListId"] && r["status"] == "NEW"), "{placed}");
    assert_eq!((&reports[0]["strategyId"], &reports[1]["strategyId"]), (&json!(7), &json!(8)), "{placed}");
    assert_eq!(free(&bot, "BTC").1, "0.02000000", "once");
    let id = &placed["orderListId"];
    assert_eq!(bot.good("GET", "orderList", &format!("orderListId={id}"))["listClientOrderId"], "both");
    assert_eq!(bot.good("GET", "orderList", "origClientOrderId=both")["orderListId"], *id);
    assert_eq!(bot.good("GET", "openOrderList", "").as_array().unwrap().len(), 1);
    let open = bot.good("GET", "openOrders", "symbol=BTCUSDT");
    assert!(open.as_array().unwrap().iter().all(|o| o["orderListId"] == *id), "{open}");
    let canceled = bot.good("DELETE", "orderList", "symbol=BTCUSDT&listClientOrderId=both");
    assert_eq!(canceled["listOrderStatus"], "ALL_DONE");
    assert_eq!(free(&bot, "BTC").1, "0.00000000");
    assert_eq!(bot.call("DELETE", "orderList", "symbol=BTCUSDT&listClientOrderId=both").end(), (400, -2011));
    assert_eq!(bot.good("GET", "openOrderList", ""), json!([]));
    let all = bot.good("GET", "allOrderList", "");
    assert_eq!((all.as_array().unwrap().len(), &all[0]["listStatusType"]), (1, &json!("ALL_DONE")));
    let old = format!(
        "symbol=BTCUSDT&side=SELL&quantity=0.02&price={high}&stopPrice={low}&stopLimitPrice={low}&stopLimitTimeInForce=GTC"
    );
    let short = bot.good("POST", "order/oco", &format!("{old}&newOrderRespType=ACK"));
    assert_eq!(short["orderReports"][0].get("status"), None, "{short}");
    let by_name = format!("symbol=BTCUSDT&orderListId={}&newClientOrderId=gone", short["orderListId"]);
    assert_eq!(bot.good("DELETE", "orderList", &by_name)["orders"], short["orders"]);
    let placed = bot.good("POST", "order/oco", &old);
    let first = &placed["orders"][0]["orderId"];
    let ended = bot.good("DELETE", "order", &format!("symbol=BTCUSDT&orderId={first}"));
    assert_eq!((&ended["listStatusType"], &ended["orders"]), (&json!("ALL_DONE"), &placed["orders"]));
    let wrong = format!(
        "symbol=BTCUSDT&side=SELL&quantity=0.02&price={low}&stopPrice={high}&stopLimitPrice={high}\
        &stopLimitTimeInForce=GTC"
    );
    let refused = bot.call("POST", "order/oco", &wrong);
    assert_eq!(refused.body["msg"], "The relationship of the prices for the orders is not correct.");
    let missing = format!(
        "{}&aboveType=LIMIT_MAKER&belowType=STOP_LOSS&belowStopPrice={low}",
        "symbol=BTCUSDT&side=SELL&quantity=0.02"
    );
    let reply = bot.call("POST", "orderList/oco", &missing);
    assert_eq!(reply.body["msg"], "Mandatory parameter 'abovePrice' was not sent, was empty/null, or malformed.");
}

#[test]
fn a_list_of_which_one_is_filled_is_over_once_and_its_trades_name_it() {
    let server = Server::start(&[("XNG__DEMO__SPOT_USDT", "10000000")]);
    server.wait_open("BTCUSDT");
    let (bot, other) = (Bot::of(&server, "demo", &[]), Bot::of(&server, "demo2", &[]));
    bot.good("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.05");
    let key = [("x-mbx-apikey", bot.key.as_str())];
    let listen = bot.api.raw("POST", "/api/v3/userDataStream", &key, "").body["listenKey"].as_str().unwrap().to_owned();
    let mut socket = Socket::open(&server, &format!("/ws/{listen}"));
    let (low, high) = (near(&server, -30), near(&server, 1));
    let placed =
        oco(&bot, &format!("aboveType=LIMIT_MAKER&abovePrice={high}&belowType=STOP_LOSS&belowStopPrice={low}"));
    let take = format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=IOC&quantity=100&price={high}");
    let id = placed["orderReports"].as_array().unwrap().iter().find(|r| r["type"] == "LIMIT_MAKER").unwrap()["orderId"]
        .clone();
    crate::wait::found("the fill of one", || {
        other.good("POST", "order", &take);
        let order = bot.good("GET", "order", &format!("symbol=BTCUSDT&orderId={id}"));
        (order["status"] == "FILLED").then_some(())
    });
    let trades = bot.good("GET", "myTrades", &format!("symbol=BTCUSDT&orderId={id}"));
    assert!(trades.as_array().unwrap().iter().all(|t| t["orderListId"] == placed["orderListId"]), "{trades}");
    let plain = bot.good("GET", "myTrades", "symbol=BTCUSDT")[0].clone();
    assert_eq!(plain["orderListId"], -1);
    // An order that rests is the last that it is told of.
    let rests = format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price={low}");
    let last = bot.good("POST", "order", &rests)["orderId"].clone();
    let mut states = Vec::new();
    socket.until(|event| {
        if event["e"] == "listStatus" {
            states.push(event["l"].clone());
        }
        event["i"] == last
    });
    assert_eq!(states, [json!("EXEC_STARTED"), json!("ALL_DONE")]);
}

#[test]
fn a_replacement_is_told_in_both_parts_whatever_became_of_them() {
    let (server, bot) = ready();
    let (low, lower, high) = (near(&server, -50), near(&server, -60), near(&server, 50));
    let buy = |price: i64| format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price={price}");
    let placed = bot.good("POST", "order", &buy(low));
    let replace = |mode: &str, id: &Value, new: &str| {
        bot.call("POST", "order/cancelReplace", &format!("{new}&cancelReplaceMode={mode}&cancelOrderId={id}"))
    };
    let done = replace("STOP_ON_FAILURE", &placed["orderId"], &buy(lower));
    assert_eq!(
        (done.status, &done.body["cancelResult"], &done.body["newOrderResult"]),
        (200, &json!("SUCCESS"), &json!("SUCCESS")),
        "{}",
        done.body
    );
    assert_eq!(done.body["cancelResponse"]["orderId"], placed["orderId"]);
    let new = done.body["newOrderResponse"]["orderId"].clone();
    let gone = replace("STOP_ON_FAILURE", &placed["orderId"], &buy(lower));
    assert_eq!(gone.end(), (400, -2022));
    assert_eq!(gone.body["data"]["newOrderResult"], "NOT_ATTEMPTED");
    let half = replace("ALLOW_FAILURE", &placed["orderId"], &buy(lower));
    assert_eq!(half.end(), (409, -2021));
    assert_eq!(
        (&half.body["data"]["cancelResult"], &half.body["data"]["newOrderResult"]),
        (&json!("FAILURE"), &json!("SUCCESS"))
    );
    let post_only = format!("symbol=BTCUSDT&side=BUY&type=LIMIT_MAKER&quantity=0.01&price={high}");
    let other_half = replace("STOP_ON_FAILURE", &new, &post_only);
    assert_eq!(other_half.end(), (409, -2021));
    assert_eq!(other_half.body["data"]["newOrderResponse"]["code"], -2010);
    let unfit = replace("STOP_ON_FAILURE", &half.body["data"]["newOrderResponse"]["orderId"], &buy(1));
    assert_eq!(unfit.end(), (400, -1013), "a form that is wrong changes nothing");
    assert_eq!(bot.good("GET", "openOrders", "symbol=BTCUSDT").as_array().unwrap().len(), 1);
    let rests = &half.body["data"]["newOrderResponse"]["orderId"];
    let dear = format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=50&price={lower}");
    let unpaid = replace("STOP_ON_FAILURE", rests, &dear);
    assert_eq!(unpaid.end(), (409, -2021), "cancelled, and then there was too little money: {}", unpaid.body);
    assert_eq!(unpaid.body["data"]["cancelResponse"]["orderId"], *rests);
    assert_eq!(unpaid.body["data"]["cancelResponse"]["status"], "CANCELED");
    assert_eq!(unpaid.body["data"]["newOrderResponse"]["code"], -2010);
    assert_eq!(bot.good("GET", "openOrders", "symbol=BTCUSDT"), json!([]));
}

#[test]
fn an_order_is_made_smaller_in_its_place_and_an_iceberg_shows_a_part() {
    let (server, bot) = ready();
    let low = near(&server, -40);
    let placed = order(&bot, &format!("side=BUY&type=LIMIT&timeInForce=GTC&price={low}&icebergQty=0.002"));
    assert_eq!(placed["icebergQty"], "0.00200000");
    let shown = crate::wait::found("the level", || {
        let depth = server.api().raw_get("/api/v3/depth?symbol=BTCUSDT&limit=5000");
        depth["bids"].as_array()?.iter().find(|l| l[0] == format!("{low}.00")).map(|l| l[1].clone())
    });
    assert!(shown.as_str().unwrap().parse::<f64>().unwrap() < 0.01, "{shown} of 0.01 and what others have there");
    let amend = |qty: &str| {
        let params = format!("symbol=BTCUSDT&orderId={}&newQty={qty}", placed["orderId"]);
        bot.call("PUT", "order/amend/keepPriority", &params)
    };
    let done = amend("0.004");
    assert_eq!((done.status, &done.body["amendedOrder"]["qty"]), (200, &json!("0.00400000")), "{}", done.body);
    let all = |more: &str| {
        bot.good("GET", "order/amendments", &format!("symbol=BTCUSDT&orderId={}{more}", placed["orderId"]))
    };
    let reply = all("");
    assert_eq!(
        (&reply[0]["executionId"], &reply[0]["origQty"], &reply[0]["newQty"], &reply[0]["time"]),
        (&done.body["executionId"], &json!("0.01000000"), &json!("0.00400000"), &done.body["transactTime"])
    );
    assert_eq!(reply[0]["origClientOrderId"], placed["clientOrderId"]);
    assert_eq!(reply[0]["newClientOrderId"], done.body["amendedOrder"]["clientOrderId"]);
    assert_eq!(amend("0.003").status, 200);
    assert_eq!(all("").as_array().unwrap().len(), 2);
    let next = all("&limit=1")[0]["executionId"].as_u64().unwrap() + 1;
    assert_eq!(all(&format!("&fromExecutionId={next}"))[0]["newQty"], "0.00300000");
    assert_eq!(bot.call("GET", "order/amendments", "symbol=ETHUSDT&orderId=1").end(), (400, -2013));
    assert_eq!(amend("0.004").end(), (400, -2038));
    assert_eq!(amend("0.0000001").end(), (400, -1013));
    let now = bot.good("GET", "order", &format!("symbol=BTCUSDT&orderId={}", placed["orderId"]));
    assert_eq!((&now["origQty"], &now["status"]), (&json!("0.00300000"), &json!("NEW")));
    let thin =
        format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price={low}&icebergQty=0.00001");
    assert_eq!(bot.call("POST", "order", &thin).body["msg"], "Filter failure: ICEBERG_PARTS");
}

/// A request's parameters with time and signature, as the websocket API wants them.
pub(crate) fn signed(bot: &Bot, params: &Value) -> Value {
    let mut all = params.as_object().unwrap().clone();
    all.insert("apiKey".into(), bot.key.clone().into());
    all.insert("timestamp".into(), json!(now_ms() as u64));
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    let mut pairs: Vec<String> = all.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
    pairs.sort();
    all.insert("signature".into(), bot.sign(&pairs.join("&")).into());
    Value::Object(all)
}

/// The answer to a request; events that come before it are kept.
fn ask_and_hear(socket: &mut Socket, id: u64, method: &str, params: &Value, heard: &mut Vec<Value>) -> Value {
    socket.send(&json!({ "id": id, "method": method, "params": params }));
    socket.until(|frame| {
        let is_answer = frame["id"] == id;
        if !is_answer {
            heard.push(frame.clone());
        }
        is_answer
    })
}

fn ask(socket: &mut Socket, id: u64, method: &str, params: &Value) -> Value {
    ask_and_hear(socket, id, method, params, &mut Vec::new())
}

#[test]
fn the_websocket_api_places_orders_and_tells_what_becomes_of_them_in_order() {
    let (server, bot) = ready();
    let mut socket = Socket::open(&server, "/ws-api/v3");
    assert_eq!(ask(&mut socket, 1, "v3/ping", &json!({}))["result"], json!({}));
    let limits = ask(&mut socket, 2, "time", &json!({}));
    assert_eq!(limits["rateLimits"][0]["rateLimitType"], "REQUEST_WEIGHT");
    assert!(ask(&mut socket, 3, "time", &json!({ "returnRateLimits": false })).get("rateLimits").is_none());
    let nobody = ask(&mut socket, 4, "userDataStream.subscribe", &json!({}));
    assert_eq!((&nobody["status"], &nobody["error"]["code"]), (&json!(401), &json!(-2015)));
    let logon = ask(&mut socket, 5, "session.logon", &signed(&bot, &json!({})));
    assert_eq!(logon["result"]["apiKey"], bot.key, "{logon}");
    assert_eq!(ask(&mut socket, 6, "userDataStream.subscribe", &json!({}))["result"], json!({ "subscriptionId": 0 }));
    assert_eq!(ask(&mut socket, 7, "userDataStream.subscribe", &json!({}))["error"]["code"], -2035);
    assert_eq!(ask(&mut socket, 8, "session.status", &json!({}))["result"]["userDataStream"], true);

    let low = near(&server, -40);
    let order = json!({
        "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.01",
        "price": low.to_string(), "newClientOrderId": "ws", "timestamp": now_ms() as u64,
    });
    let mut heard = Vec::new();
    let placed = ask_and_hear(&mut socket, 9, "order.place", &order, &mut heard);
    assert_eq!((&placed["status"], &placed["result"]["status"]), (&json!(200), &json!("NEW")), "{placed}");
    assert_eq!(placed["rateLimits"][0]["rateLimitType"], "ORDERS");
    let bad = json!({ "symbol": "BTCUSDT", "timestamp": now_ms() as u64 });
    let bad = ask_and_hear(&mut socket, 10, "order.place", &bad, &mut heard);
    assert_eq!((&bad["status"], &bad["error"]["code"]), (&json!(400), &json!(-1102)));
    bot.good("DELETE", "order", "symbol=BTCUSDT&origClientOrderId=ws");
    bot.good("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.001&newClientOrderId=now");
    let (mut reply, mut positions) = (Vec::new(), Vec::new());
    while reply.last() != Some(&("now".to_owned(), "TRADE".to_owned(), "FILLED".to_owned())) {
        let frame = if heard.is_empty() { socket.next() } else { heard.remove(0) };
        assert_eq!(frame["subscriptionId"], 0);
        if frame["event"]["e"] != "executionReport" {
            positions.push(frame);
            continue;
        }
        let text = |name: &str| frame["event"][name].as_str().unwrap().to_owned();
        let name = if frame["event"]["C"] == "" { text("c") } else { text("C") };
        reply.push((name, text("x"), text("X")));
    }
    let of = |name: &str| -> Vec<(String, String)> {
        reply.iter().filter(|t| t.0 == name).map(|t| (t.1.clone(), t.2.clone())).collect()
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(of("ws"), [pair("NEW", "NEW"), pair("CANCELED", "CANCELED")]);
    assert_eq!(of("now")[0], pair("NEW", "NEW"));
    assert!(positions.iter().all(|p| p["event"]["e"] == "outboundAccountPosition") && positions.len() >= 2);
    assert_eq!(positions[0]["event"]["B"][0]["a"], "USDT", "what the order locked");

    let off = ask(&mut socket, 11, "session.logout", &json!({}));
    assert_eq!((&off["result"]["apiKey"], &off["result"]["userDataStream"]), (&json!(null), &json!(false)));
    assert_eq!(ask(&mut socket, 12, "order.place", &order)["error"]["code"], -2014);
    let alone = ask(&mut socket, 13, "userDataStream.subscribe.signature", &signed(&bot, &json!({})));
    assert_eq!(alone["result"], json!({ "subscriptionId": 1 }), "{alone}");
    let wrong = json!({ "apiKey": bot.key, "timestamp": now_ms() as u64, "signature": "00" });
    assert_eq!(ask(&mut socket, 14, "account.status", &wrong)["error"]["code"], -1022);
    let account = ask(&mut socket, 15, "account.status", &signed(&bot, &json!({ "omitZeroBalances": true })));
    assert_eq!(account["result"]["canTrade"], true, "{account}");
    // Signed with the rest, as it is sent.
    let silent = ask(&mut socket, 16, "account.status", &signed(&bot, &json!({ "returnRateLimits": false })));
    assert_eq!((&silent["status"], silent.get("rateLimits")), (&json!(200), None), "{silent}");
    let logon = ask(&mut socket, 17, "session.logon", &signed(&bot, &json!({ "returnRateLimits": false })));
    assert_eq!((&logon["result"]["apiKey"], logon.get("rateLimits")), (&json!(bot.key), None), "{logon}");
    let status = ask(&mut socket, 18, "session.status", &json!({ "returnRateLimits": false }));
    assert_eq!(status["status"], 200, "{status}");
}

#[test]
fn each_report_has_a_number_of_its_own_though_one_record_ends_many_orders() {
    let (server, bot) = ready();
    let mut socket = Socket::open(&server, "/ws-api/v3");
    let begun = ask(&mut socket, 1, "userDataStream.subscribe.signature", &signed(&bot, &json!({})));
    assert_eq!(begun["result"], json!({ "subscriptionId": 0 }));
    let low = near(&server, -40);
    for _ in 0..3 {
        order(&bot, &format!("side=BUY&type=LIMIT&timeInForce=GTC&price={low}"));
    }
    bot.good("DELETE", "openOrders", "symbol=BTCUSDT");
    let (mut numbers, mut ended) = (std::collections::BTreeSet::new(), 0);
    while ended < 3 {
        let event = socket.next()["event"].clone();
        if event["e"] == "executionReport" {
            assert!(numbers.insert(event["I"].as_u64().unwrap()), "{event}");
            ended += usize::from(event["x"] == "CANCELED");
        }
    }
    assert_eq!(numbers.len(), 6);
}

#[test]
fn whatever_comes_in_is_answered_and_does_not_close_the_connection() {
    let (server, _) = ready();
    let mut socket = Socket::open(&server, "/ws-api/v3");
    for frame in
        ["", "{", "[]", "1", "null", "{\"id\":1}", "{\"id\":1,\"method\":7}", "{\"method\":\"ping\",\"params\":[]}"]
    {
        socket.0.send(tungstenite::Message::text(frame)).unwrap();
        let reply = socket.next();
        assert_eq!((&reply["status"], &reply["error"]["code"]), (&json!(400), &json!(-1135)), "{frame}: {reply}");
    }
    for (method, params, code) in [
        ("nothing", json!({}), -1100),
        ("depth", json!({}), -1102),
        ("depth", json!({ "symbol": "BTCUSDT", "limit": -1 }), -1100),
        ("depth", json!({ "symbol": "BTCUSDT", "more": 1 }), -1104),
        ("klines", json!({ "symbol": "BTCUSDT", "interval": "7m" }), -1120),
        ("order.place", json!({ "symbol": "BTCUSDT" }), -2014),
        ("session.logon", json!({}), -1102),
        ("userDataStream.unsubscribe", json!({}), -2036),
    ] {
        let reply = ask(&mut socket, 7, method, &params);
        assert_eq!(reply["error"]["code"], code, "{method} {params}: {reply}");
    }
    assert_eq!(ask(&mut socket, 8, "ping", &json!({}))["status"], 200);
}

#[test]
fn a_listen_key_opens_the_same_stream_until_it_or_its_api_key_ends() {
    let (server, bot) = ready();
    let key = [("x-mbx-apikey", bot.key.as_str())];
    let made = bot.api.raw("POST", "/api/v3/userDataStream", &key, "").body["listenKey"].as_str().unwrap().to_owned();
    assert_eq!(made.len(), 60);
    let put = |listen: &str| bot.api.raw("PUT", &format!("/api/v3/userDataStream?listenKey={listen}"), &key, "");
    assert_eq!((put(&made).status, put("none").end()), (200, (400, -1125)));
    let mut raw = Socket::open(&server, &format!("/ws/{made}"));
    let mut combined = Socket::open(&server, "/stream");
    combined.send(&json!({ "method": "SUBSCRIBE", "params": [made], "id": 1 }));
    combined.until(|frame| frame["id"] == 1);
    // Both listen: the one since it was open, the other since it was answered.
    let low = near(&server, -40);
    let limit = format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price={low}");
    bot.good("POST", "order", &limit);
    assert_eq!(raw.until(|f| f["e"] == "executionReport")["x"], "NEW");
    let wrapped = combined.until(|f| f["data"]["e"] == "executionReport");
    assert_eq!((&wrapped["stream"], &wrapped["data"]["x"]), (&json!(made), &json!("NEW")));
    let writer = Bot::of(&server, "demo", &[("scopes", "trade")]);
    let by_writer = [("x-mbx-apikey", writer.key.as_str())];
    for (method, path) in [("POST", "userDataStream".to_owned()), ("PUT", format!("userDataStream?listenKey={made}"))] {
        let refused = bot.api.raw(method, &format!("/api/v3/{path}"), &by_writer, "");
        assert_eq!(refused.end(), (401, -2015), "{method}: who may not read does not listen");
    }
    let reader = Bot::of(&server, "demo", &[]);
    let by_reader = [("x-mbx-apikey", reader.key.as_str())];
    let start = || bot.api.raw("POST", "/api/v3/userDataStream", &by_reader, "").body["listenKey"].clone();
    assert_eq!(start(), json!(made), "an account has one");
    let keys = bot.api.post("/user/api_keys/list", &[])["message"].clone();
    let id = keys.as_array().unwrap().iter().find(|k| k["api_key"] == bot.key).unwrap()["id"].to_string();
    let gone = bot.api.post("/user/api_keys/delete", &[("id", id.as_str()), ("pay_password", "demo1234")]);
    assert_eq!(gone["type"], "ok");
    assert_eq!(raw.until(|f| f["e"] == "listenKeyExpired")["listenKey"], json!(made));
    // Also to who comes anew it says nothing, while the one of another API key does.
    let mut late = Socket::open(&server, &format!("/stream?streams={made}"));
    let next = start();
    assert_ne!(next, json!(made));
    late.send(&json!({ "method": "SUBSCRIBE", "params": [next], "id": 2 }));
    late.until(|frame| frame["id"] == 2);
    reader.good("POST", "order", &limit);
    assert_eq!(late.until(|f| f["data"]["e"] == "executionReport")["stream"], next);
    let ended =
        bot.api.raw("DELETE", &format!("/api/v3/userDataStream?listenKey={}", next.as_str().unwrap()), &by_reader, "");
    assert_eq!(ended.status, 200);
}
