//! Orders of contracts that wait for a price, through the real binary.

use crate::fapi::{Trader, live, mark, meet, price_now, ready};
use crate::socket::Socket;
use crate::wait::eventually;
use serde_json::{Value, json};

fn listen_key(trader: &Trader) -> String {
    let made = trader.0.api.raw("POST", "/fapi/v1/listenKey", &[("x-mbx-apikey", &trader.0.key)], "");
    made.body["listenKey"].as_str().unwrap_or_else(|| panic!("{}", made.body)).to_owned()
}

fn times(price: &str, factor: f64) -> String {
    format!("{:.2}", price.parse::<f64>().unwrap() * factor)
}

#[test]
fn an_order_waits_is_triggered_by_a_trade_and_told() {
    let (server, bot, other) = ready();
    let price = price_now(&server, "ETHUSDT");
    let key = listen_key(&bot);
    let mut socket = Socket::open(&server, &format!("/private/ws?listenKey={key}"));
    let (low, high) = (times(&price, 0.999), times(&price, 1.001));
    meet(&other, &bot, ("ETHUSDT", "BUY", "0.1", &price), "");
    let placed = bot.good(
        "POST",
        "v1/algoOrder",
        &format!(
            "algoType=CONDITIONAL&symbol=ETHUSDT&side=BUY&type=STOP&timeInForce=GTC&quantity=0.1&price={low}\
             &triggerPrice={high}&workingType=CONTRACT_PRICE&clientAlgoId=stop"
        ),
    );
    assert_eq!((&placed["algoStatus"], &placed["orderType"]), (&json!("NEW"), &json!("STOP")), "{placed}");
    assert_eq!((&placed["triggerPrice"], &placed["clientAlgoId"]), (&json!(high), &json!("stop")));
    let algo = |frame: &Value| frame["e"] == "ALGO_UPDATE";
    let told = socket.until(algo);
    assert_eq!(
        (&told["o"]["X"], &told["o"]["aid"], &told["o"]["tp"]),
        (&json!("NEW"), &placed["algoId"], &json!(high))
    );
    let open = bot.good("GET", "v1/openAlgoOrders", "symbol=ETHUSDT");
    assert_eq!((open.as_array().unwrap().len(), &open[0]), (1, &placed), "{open}");
    assert_eq!(bot.good("GET", "v1/openOrders", "symbol=ETHUSDT")[0]["type"], "STOP");
    // A trade at the trigger, between the two: the order then rests at its limit.
    meet(&other, &bot, ("ETHUSDT", "SELL", "0.1", &high), "");
    let told = socket.until(algo);
    assert_eq!((&told["o"]["X"], &told["o"]["ai"]), (&json!("TRIGGERED"), &json!(placed["algoId"].to_string())));
    let update = socket.until(|frame| frame["e"] == "ORDER_TRADE_UPDATE" && frame["o"]["i"] == placed["algoId"]);
    let o = &update["o"];
    assert_eq!((&o["x"], &o["o"], &o["ot"], &o["sp"]), (&json!("NEW"), &json!("LIMIT"), &json!("STOP"), &json!(high)));
    assert_eq!(bot.good("GET", "v1/openAlgoOrders", ""), json!([]));
    let order = bot.good("GET", "v1/order", "symbol=ETHUSDT&origClientOrderId=stop");
    assert_eq!(
        (&order["type"], &order["origType"], &order["status"]),
        (&json!("LIMIT"), &json!("STOP"), &json!("NEW"))
    );
    eventually("all of them are told", || {
        let all = bot.good("GET", "v1/allAlgoOrders", "symbol=ETHUSDT");
        all.as_array().unwrap().len() == 1 && all[0]["algoStatus"] == "TRIGGERED"
    });
}

#[test]
fn orders_that_wait_are_checked_cancelled_and_there_after_a_kill() {
    let (mut server, bot, _other) = ready();
    let price = price_now(&server, "BTCUSDT");
    let (low, high) = (times(&price, 0.9), times(&price, 1.1));
    let new = |params: &str| format!("algoType=CONDITIONAL&symbol=BTCUSDT&{params}");
    for (params, code) in [
        (format!("side=SELL&type=STOP_MARKET&quantity=0.01&workingType=MARK_PRICE&triggerPrice={high}"), -2021),
        (format!("side=BUY&type=STOP_MARKET&quantity=0.01&workingType=MARK_PRICE&triggerPrice={low}"), -2021),
        ("side=BUY&type=STOP_MARKET&quantity=0.01".to_owned(), -1102),
        ("side=BUY&type=STOP_MARKET&quantity=0.01&triggerPrice=0".to_owned(), -4006),
        ("side=BUY&type=TRAILING_STOP_MARKET&quantity=0.01&callbackRate=0.05".to_owned(), -1130),
        (format!("side=SELL&type=STOP&quantity=0.01&price={low}&triggerPrice={low}&closePosition=true"), -4136),
        (format!("side=SELL&type=STOP_MARKET&quantity=0.01&triggerPrice={low}&closePosition=true"), -4137),
        (format!("side=SELL&type=LIMIT&quantity=0.01&price={low}"), -1116),
    ] {
        assert_eq!(bot.code("POST", "v1/algoOrder", &new(&params)), code, "{params}");
    }
    // As older clients place them.
    let stop = bot.order(&format!("symbol=BTCUSDT&side=SELL&type=STOP_MARKET&closePosition=true&stopPrice={low}"));
    assert_eq!(
        (&stop["status"], &stop["type"], &stop["closePosition"]),
        (&json!("NEW"), &json!("STOP_MARKET"), &json!(true))
    );
    let trails =
        new(&format!("side=SELL&type=TRAILING_STOP_MARKET&quantity=0.01&callbackRate=1.5&activatePrice={high}"));
    let trails = bot.good("POST", "v1/algoOrder", &trails);
    assert_eq!((&trails["callbackRate"], &trails["activatePrice"]), (&json!("1.5"), &json!(high)), "{trails}");
    assert_eq!(bot.code("POST", "v1/leverage", "symbol=BTCUSDT&leverage=7"), -4161);
    server.wait_persisted();
    let open = bot.good("GET", "v1/openAlgoOrders", "");
    assert_eq!(open.as_array().unwrap().len(), 2, "{open}");
    server.kill();
    server.launch();
    live(&server);
    assert!(mark(&server, "BTCUSDT") > 0.0);
    assert_eq!(bot.good("GET", "v1/openAlgoOrders", ""), open);
    let gone = bot.good("DELETE", "v1/algoOrder", &format!("algoId={}", trails["algoId"]));
    assert_eq!((&gone["algoId"], &gone["code"]), (&trails["algoId"], &json!("200")));
    assert_eq!(bot.code("DELETE", "v1/algoOrder", &format!("algoId={}", trails["algoId"])), -2011);
    bot.good("DELETE", "v1/algoOpenOrders", "symbol=BTCUSDT");
    assert_eq!(bot.good("GET", "v1/openAlgoOrders", ""), json!([]));
    eventually("the store has both", || {
        let (status, all) = bot.call("GET", "v1/allAlgoOrders", "symbol=BTCUSDT");
        let canceled = |rows: &Vec<Value>| rows.len() == 2 && rows.iter().all(|row| row["algoStatus"] == "CANCELED");
        status == 200 && all.as_array().is_some_and(canceled)
    });
}

#[test]
fn an_order_that_is_refused_when_its_price_came_says_why() {
    let (server, bot, other) = ready();
    let price = price_now(&server, "ETHUSDT");
    let high = times(&price, 1.001);
    let mut socket = Socket::open(&server, &format!("/private/ws?listenKey={}", listen_key(&bot)));
    let stop = format!("symbol=ETHUSDT&side=BUY&type=STOP_MARKET&quantity=0.1&triggerPrice={high}&reduceOnly=true");
    let placed = bot.good("POST", "v1/algoOrder", &format!("algoType=CONDITIONAL&{stop}"));
    let algo = |frame: &Value| frame["e"] == "ALGO_UPDATE";
    assert_eq!(socket.until(algo)["o"]["rm"], "");
    // The bot has bought: there is nothing that buying could close.
    meet(&other, &bot, ("ETHUSDT", "SELL", "0.1", &high), "");
    let told = socket.until(algo)["o"].clone();
    assert_eq!((&told["X"], &told["aid"]), (&json!("REJECTED"), &placed["algoId"]), "{told}");
    assert_eq!(told["rm"], "ReduceOnly Order is rejected.", "{told}");
}
