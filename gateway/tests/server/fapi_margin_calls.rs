//! Warnings before a liquidation, through the real binary.

use crate::fapi::{Trader, meet, number, price_now, ready};
use crate::fapi_liquidation::{ETHER, geared, listens, times};
use crate::fapi_streams::of;
use serde_json::json;

#[test]
fn owners_are_warned_before_a_liquidation() {
    let (server, bot, other) = ready();
    let price = price_now(&server, "ETHUSDT");
    let mut owns = listens(&server, &bot);
    geared(&bot, &other, &price);
    let limit = |side: &str, quantity: &str, factor: f64| {
        format!("{ETHER}&side={side}&type=LIMIT&timeInForce=GTC&quantity={quantity}&price={}", times(&price, factor))
    };
    other.order(&limit("BUY", "0.5", 0.9965));
    other.order(&limit("SELL", "0.1", 0.9975));
    bot.order(&limit("SELL", "0.1", 0.9965));
    let call = owns.until(of("MARGIN_CALL"));
    let row = &call["p"][0];
    assert_eq!((&row["s"], &row["ps"], &row["mt"]), (&json!("ETHUSDT"), &json!("BOTH"), &json!("ISOLATED")), "{call}");
    let of = |field: &str| number(&row[field]);
    assert!(of("iw") > of("mm") && of("mm") > 0.0 && of("mp") > 0.0 && call.get("cw").is_none(), "{call}");
    assert!(of("iw") + of("up") <= of("mm") * 2.4 + 1e-6, "{call}");
}

#[test]
fn the_owner_of_a_pool_is_warned_with_all_of_its_positions() {
    let (server, bot, other) = ready();
    let price = price_now(&server, "ETHUSDT");
    let mut owns = listens(&server, &bot);
    bot.good("POST", "v1/leverage", &format!("{ETHER}&leverage=100"));
    meet(&other, &bot, ("ETHUSDT", "SELL", "1.0", &price), "");
    // All but a little more than the margin of the position leaves.
    let most = number(&bot.good("GET", "v3/account", "")["maxWithdrawAmount"]);
    let amount = format!("{:.2}", most - 1.0);
    let moved = bot.0.api.post(
        "/wallet/change",
        &[("currency_id", "3"), ("number", &amount), ("from_field", "lever"), ("to_field", "change")],
    );
    assert_eq!(moved["type"], "ok", "{moved}");
    let limit = |trader: &Trader, side: &str, quantity: &str, factor: f64| {
        let terms = format!("{ETHER}&side={side}&type=LIMIT&timeInForce=GTC&quantity={quantity}");
        trader.order(&format!("{terms}&price={}", times(&price, factor)));
    };
    limit(&other, "BUY", "0.1", 0.9965);
    limit(&other, "SELL", "0.1", 0.9975);
    limit(&bot, "SELL", "0.1", 0.9965);
    let call = owns.until(of("MARGIN_CALL"));
    let row = &call["p"][0];
    assert_eq!(
        (&row["s"], &row["mt"], &row["iw"]),
        (&json!("ETHUSDT"), &json!("CROSSED"), &json!("0.00000000")),
        "{call}"
    );
    assert!(number(&call["cw"]) > 0.0 && number(&row["mm"]) > 0.0, "{call}");
}
