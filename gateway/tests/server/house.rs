//! The house's quotes through the real binary: never more than it has, never refused for it.

use crate::bot::Bot;
use crate::client::Server;
use crate::wait::eventually;
use std::time::{Duration, Instant};

/// Sum of a side's quantities.
fn sum(server: &Server, symbol: &str, side: &str) -> f64 {
    let depth = server.api().raw_get(&format!("/api/v3/depth?symbol={symbol}&limit=5000"));
    let levels = depth[side].as_array().unwrap_or_else(|| panic!("{depth}"));
    levels.iter().map(|l| l[1].as_str().unwrap().parse::<f64>().unwrap()).sum()
}

#[test]
fn a_house_with_little_money_quotes_what_it_can_afford() {
    // 3,000 USDT and as much of each coin: less than a ladder of twenty levels.
    let server = Server::start(&[("XNG__HOUSE__INVENTORY_USDT", "3000")]);
    server.wait_open("BTCUSDT");
    eventually("quotes stand", || sum(&server, "BTCUSDT", "asks") > 0.0 && sum(&server, "BTCUSDT", "bids") > 0.0);
    let demo = server.demo("demo");
    let buy = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("order_type", "market"), ("amount", "0.03")];
    assert_eq!(demo.post("/coin/trade", &buy)["type"], "ok");
    let by = Instant::now() + Duration::from_secs(5);
    while Instant::now() < by {
        assert!(sum(&server, "BTCUSDT", "asks") < 0.06, "never more than it has");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(server.status("house_cut") > 0);
    let log = server.log();
    assert!(!log.contains("InsufficientBalance"), "{log}");
}

#[test]
fn a_house_without_money_leaves_no_quote_and_says_so() {
    let server = Server::start(&[("XNG__HOUSE__INVENTORY_USDT", "0.00001")]);
    eventually("ladders of both pairs were cut", || server.status("house_cut") > 2);
    assert_eq!(sum(&server, "BTCUSDT", "bids") + sum(&server, "BTCUSDT", "asks"), 0.0);
    let info = server.api().raw_get("/api/v3/exchangeInfo?symbol=BTCUSDT");
    assert_ne!(info["symbols"][0]["status"], "TRADING", "a market without quotes does not open");
    assert_eq!(server.status("house_refused"), 0);
}

#[test]
fn takers_who_trade_all_the_time_never_find_the_book_empty() {
    let server = Server::start(&[("XNG__API__ORDERS_PER_10_SECONDS", "100000")]);
    server.wait_open("BTCUSDT");
    let bots = ["demo", "demo2", "trader"].map(|name| Bot::of(&server, name, &[]));
    std::thread::scope(|all| {
        for bot in &bots {
            all.spawn(|| {
                for _ in 0..1_000 {
                    bot.good("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.0001");
                }
            });
        }
    });
    assert_eq!(server.status("house_refused"), 0);
}
