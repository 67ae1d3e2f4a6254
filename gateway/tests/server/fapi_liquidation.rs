//! Liquidation and deleveraging as bots of contracts hear of them, through the real binary.

use crate::fapi::{Trader, live, meet, number, price_now, public, ready};
use crate::fapi_streams::{listen_key, of};
use crate::socket::Socket;
use crate::streams::fits;
use crate::wait::eventually;
use serde_json::{Value, json};

pub(crate) const ETHER: &str = "symbol=ETHUSDT";

pub(crate) fn times(price: &str, factor: f64) -> String {
    format!("{:.2}", price.parse::<f64>().unwrap() * factor)
}

pub(crate) fn listens(server: &crate::client::Server, trader: &Trader) -> Socket {
    Socket::open(server, &format!("/private/ws?listenKey={}", listen_key(trader)))
}

/// The bot has a long position at a hundred times its margin, and nobody but the other bot is there.
pub(crate) fn geared(bot: &Trader, other: &Trader, price: &str) {
    bot.good("POST", "v1/marginType", &format!("{ETHER}&marginType=ISOLATED"));
    bot.good("POST", "v1/leverage", &format!("{ETHER}&leverage=100"));
    meet(other, bot, ("ETHUSDT", "SELL", "1.0", price), "");
}

/// The middle of the book and the last trade take the mark to the end of the bot's position; the other buys a part of it.
fn falls(bot: &Trader, other: &Trader, price: &str) {
    let limit = |side: &str, quantity: &str, factor: f64| {
        format!("{ETHER}&side={side}&type=LIMIT&timeInForce=GTC&quantity={quantity}&price={}", times(price, factor))
    };
    other.order(&limit("BUY", "0.5", 0.9905));
    other.order(&limit("SELL", "0.1", 0.9915));
    bot.order(&limit("SELL", "0.1", 0.9905));
}

#[test]
fn a_liquidation_and_a_deleveraging_are_told_as_orders() {
    let (mut server, bot, other) = ready();
    let price = price_now(&server, "ETHUSDT");
    geared(&bot, &other, &price);
    let quantile = |trader: &Trader| trader.good("GET", "v1/adlQuantile", ETHER)[0]["adlQuantile"]["BOTH"].clone();
    eventually("both are the first of their side", || quantile(&bot) == 4 && quantile(&other) == 4);
    assert_eq!(bot.good("GET", "v3/positionRisk", ETHER)[0]["adl"], 4);
    let (mut owns, mut opposes) = (listens(&server, &bot), listens(&server, &other));
    let mut tape = Socket::open(&server, "/market/stream?streams=ethusdt@forceOrder/!forceOrder@arr");
    falls(&bot, &other, &price);

    let order = |frame: &Value| frame["e"] == "ORDER_TRADE_UPDATE" && frame["o"]["o"] == "LIQUIDATION";
    let new = owns.until(order)["o"].clone();
    let name = new["c"].as_str().unwrap().to_owned();
    assert!(name.starts_with("autoclose-"), "{new}");
    assert_eq!(
        (&new["x"], &new["X"], &new["S"], &new["q"]),
        (&json!("NEW"), &json!("NEW"), &json!("SELL"), &json!("0.9"))
    );
    let (book, rest) = (owns.until(order)["o"].clone(), owns.until(order)["o"].clone());
    assert_eq!((&book["x"], &book["X"], &book["l"]), (&json!("CALCULATED"), &json!("PARTIALLY_FILLED"), &json!("0.4")));
    assert_eq!((&rest["x"], &rest["X"], &rest["l"]), (&json!("CALCULATED"), &json!("FILLED"), &json!("0.5")), "{rest}");
    let account = owns.until(of("ACCOUNT_UPDATE"))["a"].clone();
    assert_eq!((&account["m"], &account["P"][0]["pa"]), (&json!("ORDER"), &json!("0")), "{account}");

    assert_eq!(opposes.until(order)["o"]["X"], "NEW");
    let closed = opposes.until(order)["o"].clone();
    assert_eq!((&closed["c"], &closed["X"], &closed["l"]), (&json!("adl_autoclose"), &json!("FILLED"), &json!("0.5")));
    assert!(number(&closed["rp"]) > 0.0, "{closed}");
    assert_eq!(opposes.until(of("ACCOUNT_UPDATE"))["a"]["P"][0]["pa"], "0");

    let told = tape.until(|frame| frame["stream"] == "ethusdt@forceOrder")["data"]["o"].clone();
    assert_eq!((&told["S"], &told["z"], &told["X"]), (&json!("SELL"), &json!("0.9"), &json!("FILLED")), "{told}");
    assert_eq!(tape.until(|frame| frame["stream"] == "!forceOrder@arr")["data"]["o"], told);
    let schema =
        server.api().raw_get("/asyncapi.json")["channels"]["forceOrder"]["messages"]["event"]["payload"].clone();
    fits(&told, &schema["properties"]["o"], "forceOrder");

    let forced = |trader: &Trader, kind: &str| trader.good("GET", "v1/forceOrders", &format!("{ETHER}{kind}"));
    let own = forced(&bot, "");
    assert_eq!((own.as_array().unwrap().len(), &own[0]["clientOrderId"]), (1, &json!(name)), "{own}");
    assert_eq!((&own[0]["executedQty"], &own[0]["orderId"]), (&json!("0.9"), &new["i"]), "{own}");
    assert_eq!(forced(&bot, "&autoCloseType=ADL"), json!([]));
    let taken = forced(&other, "&autoCloseType=ADL");
    assert_eq!((taken.as_array().unwrap().len(), &taken[0]["orderId"]), (1, &closed["i"]), "{taken}");
    assert_eq!(forced(&other, "&autoCloseType=LIQUIDATION"), json!([]));
    assert_eq!(bot.code("GET", "v1/forceOrders", "autoCloseType=GIFT"), -1130);
    let fills = |trader: &Trader, id: &Value| {
        let rows = trader.good("GET", "v1/userTrades", &format!("{ETHER}&orderId={id}"));
        rows.as_array().unwrap().iter().map(|row| row["id"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(fills(&bot, &new["i"]), [book["t"].clone(), rest["t"].clone()]);
    assert_eq!(fills(&other, &closed["i"]), [closed["t"].clone()]);

    server.wait_persisted();
    server.kill();
    server.launch();
    live(&server);
    eventually("the store is asked", || bot.call("GET", "v1/forceOrders", ETHER).0 == 200);
    assert_eq!((forced(&bot, ""), forced(&other, "")), (own, taken), "from the store");
    assert_eq!(public(&server, "v1/openInterest?symbol=ETHUSDT")["openInterest"], "0.0");
    // Ids go on behind those of the liquidation.
    meet(&other, &bot, ("ETHUSDT", "SELL", "0.1", &price_now(&server, "ETHUSDT")), "");
    let last = bot.good("GET", "v1/userTrades", ETHER).as_array().unwrap().last().unwrap()["id"].clone();
    assert!(last.as_u64() > closed["t"].as_u64(), "{last} after {closed}");
}
