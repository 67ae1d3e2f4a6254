//! Orders that another one brings when it is filled, by program: `orderList/oto`, `orderList/otoco`.

use crate::bot::Bot;
use crate::client::Server;
use crate::socket::Socket;
use crate::tool::{good, tool};
use crate::wait::{eventually, found};
use serde_json::{Value, json};

fn best(server: &Server, side: &str) -> f64 {
    let best = server.api().raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
    best[side].as_str().unwrap().parse().unwrap()
}

/// The best bid in whole quote, moved by so many per mille.
fn near(server: &Server, per_mille: i64) -> i64 {
    best(server, "bidPrice") as i64 * (1_000 + per_mille) / 1_000
}

/// A buy of 0.02 at a price.
fn working(price: i64) -> String {
    format!(
        "symbol=BTCUSDT&workingType=LIMIT&workingTimeInForce=GTC&workingSide=BUY&workingQuantity=0.02&workingPrice={price}"
    )
}

/// What ends what was bought, at a profit or at a loss. A little less, since the fee is paid in what is bought.
fn both(take: i64, stop: i64) -> String {
    format!(
        "pendingSide=SELL&pendingQuantity=0.019&pendingAboveType=LIMIT_MAKER&pendingAbovePrice={take}\
         &pendingAboveClientOrderId=take&pendingBelowType=STOP_LOSS&pendingBelowStopPrice={stop}\
         &pendingBelowClientOrderId=stop"
    )
}

fn states(row: &Value) -> Vec<&str> {
    row["orderReports"].as_array().unwrap().iter().map(|report| report["status"].as_str().unwrap()).collect()
}

/// A socket that is told what happens to the bot's orders.
fn listens(server: &Server, bot: &Bot) -> Socket {
    let key = [("x-mbx-apikey", bot.key.as_str())];
    let reply = bot.api.raw("POST", "/api/v3/userDataStream", &key, "");
    Socket::open(server, &format!("/ws/{}", reply.body["listenKey"].as_str().unwrap()))
}

fn status(bot: &Bot, id: &Value) -> Value {
    bot.good("GET", "order", &format!("symbol=BTCUSDT&orderId={id}"))["status"].clone()
}

fn locked(bot: &Bot, asset: &str) -> Value {
    let account = bot.good("GET", "account", "");
    account["balances"]
        .as_array()
        .unwrap()
        .iter()
        .find(|b| b["asset"] == asset)
        .map_or(Value::Null, |b| b["locked"].clone())
}

#[test]
fn a_filled_order_brings_two_of_which_one_cancels_the_other() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let mut socket = listens(&server, &bot);
    let (take, stop) = (near(&server, 30), near(&server, -30));
    // At once: the best ask is cheaper.
    let asked = format!("{}&{}&listClientOrderId=bracket", working(near(&server, 5)), both(take, stop));
    let placed = bot.good("POST", "orderList/otoco", &asked);
    assert_eq!((&placed["contingencyType"], &placed["listOrderStatus"]), (&json!("OTO"), &json!("EXECUTING")));
    assert_eq!(states(&placed), ["FILLED", "PENDING_NEW", "PENDING_NEW"], "{placed}");
    let reports = placed["orderReports"].as_array().unwrap();
    assert!(reports.iter().all(|report| report["orderListId"] == placed["orderListId"]), "{placed}");
    assert_eq!(
        (&reports[0]["executedQty"], &reports[1]["workingTime"]),
        (&json!("0.02000000"), &json!(-1)),
        "{placed}"
    );
    let [take, stop] = [&placed["orders"][1]["orderId"], &placed["orders"][2]["orderId"]];
    eventually("both are placed", || status(&bot, take) == "NEW" && status(&bot, stop) == "NEW");
    assert_eq!(locked(&bot, "BTC"), "0.01900000", "once for both");
    let list = bot.good("GET", "orderList", "origClientOrderId=bracket");
    assert_eq!((&list["contingencyType"], list["orders"].as_array().unwrap().len()), (&json!("OTO"), 3), "{list}");

    let mut reply = Vec::new();
    socket.until(|event| {
        match (&event["e"], &event["i"]) {
            (e, id) if e == "executionReport" && id == take => reply.push((event["x"].clone(), event["X"].clone())),
            (e, _) if e == "listStatus" => reply.push((event["c"].clone(), event["l"].clone())),
            _ => {}
        }
        reply.len() == 4
    });
    let pair = |one: &str, other: &str| (json!(one), json!(other));
    let expected =
        [pair("NEW", "PENDING_NEW"), pair("OTO", "EXEC_STARTED"), pair("NEW", "NEW"), pair("OTO", "EXEC_STARTED")];
    assert_eq!(reply, expected);
    let ended = bot.good("DELETE", "orderList", "symbol=BTCUSDT&listClientOrderId=bracket");
    assert_eq!(ended["listOrderStatus"], "ALL_DONE");
    assert_eq!((status(&bot, take), status(&bot, stop)), (json!("CANCELED"), json!("CANCELED")));
    assert_eq!(locked(&bot, "BTC"), "0.00000000");
}

#[test]
fn pending_orders_survive_a_kill_leave_with_the_first_and_are_in_journal_and_store_alike() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let (low, take, stop) = (near(&server, -40), near(&server, 30), near(&server, -60));
    let single = "pendingType=LIMIT&pendingTimeInForce=GTC&pendingSide=SELL&pendingQuantity=0.019";
    let asked = format!("{}&{single}&pendingPrice={take}&listClientOrderId=one&newOrderRespType=ACK", working(low));
    let short = bot.good("POST", "orderList/oto", &asked);
    assert_eq!(short["orderReports"][1].get("status"), None, "{short}");
    let bracket = bot.good("POST", "orderList/otoco", &format!("{}&{}", working(low), both(take, stop)));
    assert_eq!(states(&bracket), ["NEW", "PENDING_NEW", "PENDING_NEW"], "{bracket}");
    assert_eq!(locked(&bot, "BTC"), "0.00000000", "nothing of what is pending is locked");
    let open = |bot: &Bot| bot.good("GET", "openOrders", "symbol=BTCUSDT").as_array().unwrap().len();
    assert_eq!(open(&bot), 5);
    server.wait_persisted();
    server.kill();
    server.launch();
    server.wait_open("BTCUSDT");
    let bot = Bot { api: server.demo("demo"), ..bot };
    assert_eq!(open(&bot), 5);
    assert_eq!(status(&bot, &bracket["orders"][1]["orderId"]), "PENDING_NEW");
    assert_eq!(bot.good("GET", "openOrderList", "").as_array().unwrap().len(), 2);
    let by_name = "symbol=BTCUSDT&origClientOrderId=stop";
    let ended = bot.good("DELETE", "order", by_name);
    assert_eq!((&ended["listStatusType"], &ended["orders"]), (&json!("ALL_DONE"), &bracket["orders"]), "{ended}");
    let replaced = format!(
        "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price={low}&cancelReplaceMode=STOP_ON_FAILURE\
         &cancelOrderId={}",
        short["orders"][0]["orderId"]
    );
    bot.good("POST", "order/cancelReplace", &replaced);
    assert_eq!(status(&bot, &short["orders"][1]["orderId"]), "CANCELED", "it leaves with the first");
    // One that is filled, so that the tools see what is placed at its turn.
    let asked = format!("{}&{single}&pendingPrice={take}", working(near(&server, 5)));
    let filled = bot.good("POST", "orderList/oto", &asked);
    let brought = &filled["orders"][1]["orderId"];
    found("it is placed", || (status(&bot, brought) == "NEW").then_some(()));
    let user = bot.user();
    server.wait_persisted();
    let ids: Vec<Value> = bot
        .good("GET", "allOrderList", "")
        .as_array()
        .unwrap()
        .iter()
        .map(|list| list["orderListId"].clone())
        .collect();
    assert_eq!(ids, [&short, &bracket, &filled].map(|list| list["orderListId"].clone()));
    assert!(server.terminate().success());
    assert!(good(&tool(&server, &["audit"])).ends_with("no difference\n"));
    assert!(good(&tool(&server, &["replay", "--user", &user])).contains("equals the journal"));
    let traced = good(&tool(&server, &["trace", &brought.to_string()]));
    assert!(traced.contains("placed once the first order of its list is filled"), "{traced}");
    assert!(traced.contains("its turn in its list came"), "{traced}");
}

#[test]
fn what_is_wrong_with_an_order_of_the_list_is_told_in_the_lists_words() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let (low, take, stop) = (near(&server, -40), near(&server, 30), near(&server, -60));
    let refused = |path: &str, query: &str| bot.call("POST", path, query).body;
    let without = refused(
        "orderList/oto",
        &format!("{}&pendingType=LIMIT&pendingTimeInForce=GTC&pendingSide=SELL&pendingQuantity=0.01", working(low)),
    );
    assert_eq!(without["msg"], "Mandatory parameter 'pendingPrice' was not sent, was empty/null, or malformed.");
    let crossed = refused("orderList/otoco", &format!("{}&{}", working(low), both(stop, take)));
    assert_eq!(crossed["msg"], "The relationship of the prices for the orders is not correct.");
    let small = refused(
        "orderList/oto",
        &format!("{}&pendingType=MARKET&pendingSide=SELL&pendingQuantity=0.000001", working(low)),
    );
    assert_eq!(small["msg"], "Filter failure: LOT_SIZE");
    let stops =
        format!("{}&{}", working(low).replace("workingType=LIMIT", "workingType=STOP_LOSS_LIMIT"), both(take, stop));
    assert_eq!(refused("orderList/otoco", &stops)["code"], -1116);
    let poor = working(low).replace("workingQuantity=0.02", "workingQuantity=90");
    assert_eq!(refused("orderList/otoco", &format!("{poor}&{}", both(take, stop)))["code"], -2010);
    assert_eq!(bot.good("GET", "openOrders", "symbol=BTCUSDT"), json!([]));
    // The one that is pending needs more than there will be.
    let asked = format!(
        "{}&pendingType=LIMIT&pendingTimeInForce=GTC&pendingSide=SELL&pendingQuantity=5&pendingPrice={take}",
        working(near(&server, 5))
    );
    let placed = bot.good("POST", "orderList/oto", &asked);
    let pending = &placed["orders"][1]["orderId"];
    let row = found("its end", || {
        let row = bot.good("GET", "order", &format!("symbol=BTCUSDT&orderId={pending}"));
        (row["status"] != "PENDING_NEW").then_some(row)
    });
    assert_eq!((&row["status"], &row["expiryReason"]), (&json!("EXPIRED"), &json!("EXCHANGE_CANCELED")), "{row}");
}

#[test]
fn a_list_is_told_done_when_what_it_brings_is_filled_at_once() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let mut socket = listens(&server, &bot);
    let pending = "pendingType=MARKET&pendingSide=SELL&pendingQuantity=0.019";
    let placed = bot.good("POST", "orderList/oto", &format!("{}&{pending}", working(near(&server, 5))));
    assert_eq!(states(&placed), ["FILLED", "PENDING_NEW"], "{placed}");
    let mut reply = Vec::new();
    socket.until(|event| {
        if event["e"] == "listStatus" {
            reply.push((event["l"].clone(), event["L"].clone()));
        }
        reply.len() == 3
    });
    let started = (json!("EXEC_STARTED"), json!("EXECUTING"));
    assert_eq!(reply, [started.clone(), started, (json!("ALL_DONE"), json!("ALL_DONE"))]);
    assert_eq!(status(&bot, &placed["orders"][1]["orderId"]), "FILLED");
}
