//! Signed calls of the futures convention, through the real binary: two bots who trade contracts with each other.

use crate::bot::Bot;
use crate::client::Server;
use crate::wait::eventually;
use serde_json::{Value, json};
use std::time::Duration;

/// A bot of contracts.
pub(crate) struct Trader(pub(crate) Bot);

impl Trader {
    pub(crate) fn call(&self, method: &str, path: &str, params: &str) -> (u16, Value) {
        let told = self.0.call_at(method, &format!("/fapi/{path}"), params);
        (told.status, told.body)
    }

    /// Of what must succeed.
    pub(crate) fn good(&self, method: &str, path: &str, params: &str) -> Value {
        let told = self.0.call_patiently(method, &format!("/fapi/{path}"), params);
        assert_eq!(told.status, 200, "{method} {path} {params}: {}", told.body);
        told.body
    }

    /// The code of what must be refused.
    pub(crate) fn code(&self, method: &str, path: &str, params: &str) -> i64 {
        let (status, body) = self.call(method, path, params);
        assert_eq!(status, 400, "{method} {path} {params}: {body}");
        body["code"].as_i64().unwrap_or_else(|| panic!("{body}"))
    }

    pub(crate) fn order(&self, params: &str) -> Value {
        self.good("POST", "v1/order", &format!("newOrderRespType=RESULT&{params}"))
    }

    pub(crate) fn position(&self, symbol: &str) -> Value {
        let rows = self.good("GET", "v2/positionRisk", &format!("symbol={symbol}"));
        rows[0].clone()
    }
}

pub(crate) fn public(server: &Server, path: &str) -> Value {
    server.api().raw_get(&format!("/fapi/{path}"))
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).parse().unwrap()
}

pub(crate) fn mark(server: &Server, symbol: &str) -> f64 {
    number(&public(server, &format!("v1/premiumIndex?symbol={symbol}"))["markPrice"])
}

pub(crate) fn live(server: &Server) {
    eventually("the contracts are open", || {
        let told = public(server, "v1/exchangeInfo");
        let symbols = told["symbols"].as_array().cloned().unwrap_or_default();
        symbols.len() == 2 && symbols.iter().all(|symbol| symbol["status"] == "TRADING")
    });
}

/// The house quotes nothing, so that the two have the books for themselves.
const ALONE: (&str, &str) = ("XNG__HOUSE__CONTRACTS__LEVELS", "0");

/// Two bots, each with what the demo grants.
pub(crate) fn ready() -> (Server, Trader, Trader) {
    let server = Server::start(&[ALONE]);
    live(&server);
    let [bot, other] = ["demo", "demo2"].map(|user| Trader(Bot::of(&server, user, &[])));
    (server, bot, other)
}

#[test]
fn two_bots_trade_and_each_has_its_side() {
    let (server, bot, other) = ready();
    let price = format!("{:.2}", mark(&server, "BTCUSDT"));
    let rests = bot.order(&format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.02&price={price}"));
    assert_eq!((&rests["status"], &rests["positionSide"]), (&json!("NEW"), &json!("BOTH")), "{rests}");
    let resting = json!([[price, "0.02000000"]]);
    eventually("the book shows it", || public(&server, "v1/depth?symbol=BTCUSDT")["bids"] == resting);
    let taken =
        other.order(&format!("symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=IOC&quantity=0.01&price={price}"));
    assert_eq!((&taken["status"], &taken["executedQty"]), (&json!("FILLED"), &json!("0.01")), "{taken}");
    let (long, short) = (bot.position("BTCUSDT"), other.position("BTCUSDT"));
    assert_eq!((&long["positionAmt"], &short["positionAmt"]), (&json!("0.01"), &json!("-0.01")));
    assert_eq!(number(&long["entryPrice"]), price.parse::<f64>().unwrap());
    assert_eq!((&long["leverage"], &long["marginType"]), (&json!("20"), &json!("cross")));
    let order = bot.good("GET", "v1/order", &format!("symbol=BTCUSDT&orderId={}", rests["orderId"]));
    assert_eq!((&order["status"], &order["executedQty"]), (&json!("PARTIALLY_FILLED"), &json!("0.01")), "{order}");
    let trades = bot.good("GET", "v1/userTrades", "symbol=BTCUSDT");
    assert_eq!(
        (trades.as_array().unwrap().len(), &trades[0]["maker"], &trades[0]["buyer"]),
        (1, &json!(true), &json!(true))
    );
    let value: f64 = price.parse::<f64>().unwrap() * 0.01;
    assert!((number(&trades[0]["commission"]) - value * 0.0002).abs() < 1e-7, "{trades}");
    let gone = bot.good("DELETE", "v1/order", &format!("symbol=BTCUSDT&orderId={}", rests["orderId"]));
    assert_eq!((&gone["status"], &gone["executedQty"]), (&json!("CANCELED"), &json!("0.01")), "{gone}");
    // Closed again, against each other.
    bot.order(&format!(
        "symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=GTC&quantity=0.01&price={price}&reduceOnly=true"
    ));
    other.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.01");
    assert_eq!(bot.position("BTCUSDT")["positionAmt"], "0.00");
    assert_eq!(bot.good("GET", "v3/positionRisk", ""), json!([]));
    let trades = || public(&server, "v1/trades?symbol=BTCUSDT").as_array().map_or(0, Vec::len);
    eventually("both trades are shown", || trades() == 2);
}

/// Two bots meet at a price: one rests, the other takes.
pub(crate) fn meet(
    maker: &Trader,
    taker: &Trader,
    (symbol, side, quantity, price): (&str, &str, &str, &str),
    more: &str,
) {
    let other = if side == "BUY" { "SELL" } else { "BUY" };
    let same = format!("symbol={symbol}&type=LIMIT&timeInForce=GTC&quantity={quantity}&price={price}");
    maker.order(&format!("{same}&side={side}{more}"));
    let taken = taker.order(&format!("{same}&side={other}"));
    assert_eq!(taken["status"], "FILLED", "{taken}");
}

pub(crate) fn price_now(server: &Server, symbol: &str) -> String {
    format!("{:.2}", mark(server, symbol))
}

fn balance(trader: &Trader) -> Value {
    let rows = trader.good("GET", "v2/balance", "");
    rows.as_array().unwrap().iter().find(|row| row["asset"] == "USDT").unwrap().clone()
}

#[test]
fn what_only_closes_is_refused_without_a_position_and_ends_with_it() {
    let (server, bot, other) = ready();
    let price = price_now(&server, "ETHUSDT");
    let close =
        format!("symbol=ETHUSDT&side=SELL&type=LIMIT&timeInForce=GTC&quantity=0.2&price={price}&reduceOnly=true");
    assert_eq!(bot.code("POST", "v1/order", &close), -2022);
    meet(&bot, &other, ("ETHUSDT", "BUY", "0.2", &price), "");
    // Above the price, so that it rests.
    let far = format!("{:.2}", price.parse::<f64>().unwrap() * 1.04);
    let rests = bot.order(&close.replace(&format!("price={price}"), &format!("price={far}")));
    assert_eq!((&rests["status"], &rests["reduceOnly"]), (&json!("NEW"), &json!(true)));
    meet(&other, &bot, ("ETHUSDT", "BUY", "0.1", &price), "");
    let cut = bot.good("GET", "v1/order", &format!("symbol=ETHUSDT&orderId={}", rests["orderId"]));
    assert_eq!((&cut["status"], &cut["origQty"]), (&json!("NEW"), &json!("0.1")), "{cut}");
    assert_eq!(bot.good("GET", "v1/openOrders", "symbol=ETHUSDT").as_array().unwrap().len(), 1);
    meet(&other, &bot, ("ETHUSDT", "BUY", "0.1", &price), "");
    let ended = bot.good("GET", "v1/order", &format!("symbol=ETHUSDT&orderId={}", rests["orderId"]));
    assert_eq!(ended["status"], "EXPIRED", "{ended}");
    assert_eq!(bot.good("GET", "v1/openOrders", ""), json!([]));
}

#[test]
fn a_hedged_account_has_a_long_and_a_short_position() {
    let (server, bot, other) = ready();
    let price = price_now(&server, "ETHUSDT");
    assert_eq!(bot.good("GET", "v1/positionSide/dual", ""), json!({ "dualSidePosition": false }));
    assert_eq!(bot.code("POST", "v1/positionSide/dual", "dualSidePosition=false"), -4059);
    bot.good("POST", "v1/positionSide/dual", "dualSidePosition=true");
    let order = format!("symbol=ETHUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.1&price={price}");
    assert_eq!(bot.code("POST", "v1/order", &order), -4061);
    meet(&bot, &other, ("ETHUSDT", "BUY", "0.2", &price), "&positionSide=LONG");
    meet(&bot, &other, ("ETHUSDT", "SELL", "0.1", &price), "&positionSide=SHORT");
    let rows = bot.good("GET", "v3/positionRisk", "symbol=ETHUSDT");
    let amounts: Vec<(&Value, &Value)> =
        rows.as_array().unwrap().iter().map(|row| (&row["positionSide"], &row["positionAmt"])).collect();
    assert_eq!(amounts, [(&json!("LONG"), &json!("0.2")), (&json!("SHORT"), &json!("-0.1"))]);
    assert_eq!(bot.code("POST", "v1/positionSide/dual", "dualSidePosition=false"), -4068);
    // An order against its side only closes.
    let more =
        format!("symbol=ETHUSDT&side=SELL&positionSide=LONG&type=LIMIT&timeInForce=GTC&quantity=0.2&price={price}");
    assert_eq!(bot.code("POST", "v1/order", &format!("{more}&reduceOnly=true")), -1106);
    bot.order(&more);
    other.order("symbol=ETHUSDT&side=BUY&type=MARKET&quantity=0.2");
    let rows = bot.good("GET", "v3/positionRisk", "symbol=ETHUSDT");
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["positionSide"]), (1, &json!("SHORT")), "{rows}");
}

#[test]
fn an_isolated_position_has_a_margin_of_its_own() {
    let (server, bot, other) = ready();
    let price = price_now(&server, "ETHUSDT");
    assert_eq!(bot.code("POST", "v1/marginType", "symbol=ETHUSDT&marginType=CROSSED"), -4046);
    bot.good("POST", "v1/marginType", "symbol=ETHUSDT&marginType=ISOLATED");
    let leverage = bot.good("POST", "v1/leverage", "symbol=ETHUSDT&leverage=10");
    assert_eq!((&leverage["leverage"], &leverage["symbol"]), (&json!(10), &json!("ETHUSDT")));
    assert_eq!(bot.code("POST", "v1/leverage", "symbol=ETHUSDT&leverage=101"), -4028);
    assert_eq!(bot.code("POST", "v1/positionMargin", "symbol=ETHUSDT&amount=5&type=1"), -4054);
    meet(&bot, &other, ("ETHUSDT", "BUY", "0.1", &price), "");
    let value = price.parse::<f64>().unwrap() * 0.1;
    let margin = |trader: &Trader| number(&trader.position("ETHUSDT")["isolatedWallet"]);
    assert!((margin(&bot) - value / 10.0).abs() < 0.01, "{}", bot.position("ETHUSDT"));
    let row = bot.position("ETHUSDT");
    assert_eq!((&row["marginType"], &row["leverage"]), (&json!("isolated"), &json!("10")));
    let end = number(&row["liquidationPrice"]) / price.parse::<f64>().unwrap();
    assert!((0.90..0.91).contains(&end), "ten times: {row}");
    let before = margin(&bot);
    bot.good("POST", "v1/positionMargin", "symbol=ETHUSDT&amount=5&type=1");
    assert!((margin(&bot) - before - 5.0).abs() < 1e-7);
    bot.good("POST", "v1/positionMargin", "symbol=ETHUSDT&amount=4&type=2");
    assert_eq!(bot.code("POST", "v1/positionMargin", "symbol=ETHUSDT&amount=20&type=2"), -4051);
    assert_eq!(bot.code("POST", "v1/positionMargin", "symbol=ETHUSDT&amount=0&type=2"), -4055);
    assert_eq!(other.code("POST", "v1/positionMargin", "symbol=ETHUSDT&amount=5&type=1"), -4049);
    let moved = bot.good("GET", "v1/positionMargin/history", "symbol=ETHUSDT");
    assert_eq!((moved.as_array().unwrap().len(), &moved[1]["type"]), (2, &json!(2)), "{moved}");
    assert_eq!(bot.code("POST", "v1/marginType", "symbol=ETHUSDT&marginType=CROSSED"), -4048);
    assert_eq!(bot.code("POST", "v1/order", "symbol=ETHUSDT&side=BUY&type=MARKET&quantity=0.1"), -4131, "nobody sells");
    let (wallet, cross) = (number(&balance(&bot)["balance"]), number(&balance(&bot)["crossWalletBalance"]));
    assert!((wallet - cross - margin(&bot)).abs() < 1e-7);
}

#[test]
fn funding_moves_money_between_longs_and_shorts_each_period() {
    let mut server = Server::prepare(&[ALONE]);
    server.list(|markets| {
        let book = markets["contracts"]["book"].as_table_mut().unwrap();
        book.insert("funding_period_s".to_owned(), 5.into());
        // Whatever the premium, eight hours' interest is paid in these five seconds.
        book.insert("interest".to_owned(), "0.9".into());
        book.insert("inner".to_owned(), "0.9".into());
    });
    server.launch();
    live(&server);
    let [bot, other] = ["demo", "demo2"].map(|user| Trader(Bot::of(&server, user, &[])));
    meet(&bot, &other, ("BTCUSDT", "BUY", "0.02", &price_now(&server, "BTCUSDT")), "");
    let start = number(&balance(&other)["balance"]);
    eventually("the short one is paid", || number(&balance(&other)["balance"]) > start);
    let paid = eventually_income(&bot, "FUNDING_FEE");
    assert!(number(&paid["income"]) < 0.0 && paid["symbol"] == "BTCUSDT", "{paid}");
    let rates = public(&server, "v1/fundingRate?symbol=BTCUSDT");
    let last = rates.as_array().unwrap().last().unwrap().clone();
    assert!(number(&last["fundingRate"]) > 0.0, "{rates}");
    let next = public(&server, "v1/premiumIndex?symbol=BTCUSDT")["nextFundingTime"].as_i64().unwrap();
    assert!(next > last["fundingTime"].as_i64().unwrap() && next % 5_000 == 0);
}

#[test]
fn a_bot_trades_with_the_house_at_the_market() {
    let server = Server::start(&[]);
    live(&server);
    let bot = Trader(Bot::of(&server, "demo", &[]));
    let asks = || public(&server, "v1/depth?symbol=ETHUSDT")["asks"].as_array().map_or(0, Vec::len);
    eventually("the house quotes", || asks() > 0);
    let bought = bot.order("symbol=ETHUSDT&side=BUY&type=MARKET&quantity=0.1");
    assert_eq!(bought["status"], "FILLED", "{bought}");
    assert_eq!(bot.position("ETHUSDT")["positionAmt"], "0.1");
    let sold = bot.order("symbol=ETHUSDT&side=SELL&type=MARKET&quantity=0.1&reduceOnly=true");
    assert_eq!(sold["status"], "FILLED", "{sold}");
    assert_eq!(bot.good("GET", "v3/positionRisk", ""), json!([]));
}

fn eventually_income(trader: &Trader, kind: &str) -> Value {
    let ask = || trader.good("GET", "v1/income", &format!("incomeType={kind}"));
    eventually("the store has it", || !ask().as_array().unwrap().is_empty());
    ask()[0].clone()
}

#[test]
fn positions_and_orders_are_there_after_a_kill() {
    let (mut server, bot, other) = ready();
    let price = price_now(&server, "BTCUSDT");
    meet(&bot, &other, ("BTCUSDT", "BUY", "0.01", &price), "");
    let low = format!("{:.2}", price.parse::<f64>().unwrap() * 0.97);
    let more =
        format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price={low}&newClientOrderId=mine");
    bot.order(&more);
    bot.order(&more.replace("mine", "gone").replace("GTC", "GTX"));
    bot.good("DELETE", "v1/order", "symbol=BTCUSDT&origClientOrderId=gone");
    let list = |path: &str| bot.good("GET", path, "symbol=BTCUSDT");
    let (orders, trades) = (list("v1/allOrders"), list("v1/userTrades"));
    assert_eq!((orders.as_array().unwrap().len(), trades.as_array().unwrap().len()), (3, 1), "{orders} {trades}");
    server.wait_persisted();
    let (book, position) = (public(&server, "v1/depth?symbol=BTCUSDT"), bot.position("BTCUSDT"));
    server.kill();
    server.launch();
    live(&server);
    eventually("the store is asked", || bot.call("GET", "v1/allOrders", "symbol=BTCUSDT").0 == 200);
    assert_eq!((list("v1/allOrders"), list("v1/userTrades")), (orders, trades), "from the store");
    let gone = bot.good("GET", "v1/order", "symbol=BTCUSDT&origClientOrderId=gone");
    assert_eq!((&gone["status"], &gone["timeInForce"]), (&json!("CANCELED"), &json!("GTX")));
    let after = public(&server, "v1/depth?symbol=BTCUSDT");
    assert_eq!((&after["bids"], &after["lastUpdateId"]), (&book["bids"], &book["lastUpdateId"]));
    let now = bot.position("BTCUSDT");
    for field in ["positionAmt", "entryPrice", "leverage", "marginType"] {
        assert_eq!(now[field], position[field], "{field}");
    }
    let order = bot.good("GET", "v1/openOrder", "symbol=BTCUSDT&origClientOrderId=mine");
    assert_eq!((&order["status"], &order["price"]), (&json!("NEW"), &json!(low)));
    assert_eq!(bot.code("POST", "v1/order", &more), -4116);
    assert_eq!(public(&server, "v1/openInterest?symbol=BTCUSDT")["openInterest"], "0.01");
    bot.good("DELETE", "v1/allOpenOrders", "symbol=BTCUSDT");
    assert_eq!(bot.good("GET", "v1/openOrders", ""), json!([]));
    std::thread::sleep(Duration::from_millis(10));
    meet(&other, &bot, ("BTCUSDT", "BUY", "0.01", &price_now(&server, "BTCUSDT")), "");
    assert_eq!(bot.position("BTCUSDT")["positionAmt"], "0.00");
}

#[test]
fn an_order_becomes_smaller_and_batches_are_each_for_itself() {
    let (server, bot, _other) = ready();
    let low = format!("{:.2}", mark(&server, "ETHUSDT") * 0.97);
    let one = json!({ "symbol": "ETHUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.4", "price": low });
    let mut bad = one.clone();
    bad["quantity"] = "0.05".into();
    let text = json!([one, bad]).to_string();
    let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let rows = bot.good("POST", "v1/batchOrders", &format!("batchOrders={encoded}"));
    assert_eq!((&rows[0]["status"], &rows[1]["code"]), (&json!("NEW"), &json!(-4023)), "{rows}");
    let named = format!("symbol=ETHUSDT&orderId={}&side=BUY", rows[0]["orderId"]);
    let smaller = bot.good("PUT", "v1/order", &format!("{named}&quantity=0.3&price={low}"));
    assert_eq!((&smaller["origQty"], &smaller["status"]), (&json!("0.3"), &json!("NEW")), "{smaller}");
    assert_eq!(bot.code("PUT", "v1/order", &format!("{named}&quantity=0.3&price={low}")), -5027);
    let ids = format!("orderIdList=[{}]", rows[0]["orderId"]);
    let gone = bot.good("DELETE", "v1/batchOrders", &format!("symbol=ETHUSDT&{ids}"));
    assert_eq!(gone[0]["status"], "CANCELED", "{gone}");
}

#[test]
fn a_countdown_cancels_all_orders_unless_it_comes_again_through_a_kill() {
    let (mut server, bot, other) = ready();
    let price = price_now(&server, "BTCUSDT");
    let [low, high] = [0.97, 1.2].map(|times| format!("{:.2}", price.parse::<f64>().unwrap() * times));
    let limit = format!("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.01&price={low}");
    let order = bot.order(&limit);
    other.order(&limit);
    bot.good(
        "POST",
        "v1/algoOrder",
        &format!("algoType=CONDITIONAL&symbol=BTCUSDT&side=BUY&type=STOP_MARKET&quantity=0.01&triggerPrice={high}"),
    );
    let countdown = |ms: u64| {
        let told = bot.good("POST", "v1/countdownCancelAll", &format!("symbol=BTCUSDT&countdownTime={ms}"));
        assert_eq!(told, json!({ "symbol": "BTCUSDT", "countdownTime": ms.to_string() }));
    };
    countdown(60_000);
    countdown(1_000);
    let open = |trader: &Trader| trader.good("GET", "v1/openOrders", "").as_array().map_or(0, Vec::len);
    eventually("both are cancelled", || open(&bot) == 0);
    assert_eq!(open(&other), 1, "somebody else's");
    let gone = bot.good("GET", "v1/order", &format!("symbol=BTCUSDT&orderId={}", order["orderId"]));
    assert_eq!(gone["status"], "CANCELED", "{gone}");
    bot.order(&limit);
    countdown(5_000);
    countdown(0);
    std::thread::sleep(Duration::from_millis(5_500));
    assert_eq!(open(&bot), 1, "it was ended");
    countdown(3_000);
    server.wait_persisted();
    server.kill();
    server.launch();
    live(&server);
    eventually("it went on", || open(&bot) == 0);
}
