//! One exchange follows another as its venue: the simulator's A, and B behind a line that can be cut.

use crate::exchange::Running;
use crate::line::Line;
use std::time::{Duration, Instant};

const WITHIN: Duration = Duration::from_secs(120);

/// Waits until B shows a book that A showed just before and still shows.
fn books_meet(a: &Running, b: &Running, symbol: &str) -> [Vec<[String; 2]>; 2] {
    let until = Instant::now() + WITHIN;
    loop {
        let (before, ours, after) = (a.depth(symbol), b.depth(symbol), a.depth(symbol));
        if before == after && ours == after && !ours[0].is_empty() {
            return ours;
        }
        assert!(Instant::now() < until, "{symbol}: A shows {after:?}\nB shows {ours:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_follower_shows_the_venues_book_through_a_cut_and_closes_when_the_venue_dies() {
    let mut a = Running::start(&[]);
    a.until("the venue's markets open", WITHIN, |a| a.status("BTCUSDT") == "TRADING");
    let line = Line::to(a.port);
    let source = format!("ws://127.0.0.1:{}", line.port);
    let b = Running::start(&[("XNG__FEED__KIND", "live"), ("XNG__FEED__SOURCE", &source)]);
    b.until("the follower's markets open", WITHIN, |b| b.status("BTCUSDT") == "TRADING");
    for (symbol, interval) in [("BTCUSDT", "1m"), ("BTCUSDT", "4h"), ("ETHBTC", "1d")] {
        let path = format!("/api/v3/klines?symbol={symbol}&interval={interval}&limit=900");
        let rows = |r: &Running| r.get(&path).as_array().unwrap().clone();
        let (theirs, ours) = (rows(&a), rows(&b));
        // A period may begin between the two calls, and the current candle goes on.
        assert!(theirs[2..890].iter().all(|row| ours.contains(row)), "{symbol} {interval}: not the venue's candles");
    }
    let mut seen = std::collections::BTreeSet::new();
    let until = Instant::now() + WITHIN;
    while seen.len() < 3 {
        seen.insert(books_meet(&a, &b, "BTCUSDT"));
        assert!(Instant::now() < until, "A's book stands");
    }
    for symbol in ["ETHUSDT", "USDCUSDT", "SOLBTC"] {
        let book = books_meet(&a, &b, symbol);
        assert!(book.iter().all(|side| side.len() > 150), "{symbol}: all levels of the venue");
        assert_eq!(b.status(symbol), "TRADING");
    }
    let trades = |r: &Running| {
        let tape = r.get("/api/v3/trades?symbol=BTCUSDT&limit=1000");
        let text = |t: &serde_json::Value| format!("{} {} {} {}", t["price"], t["qty"], t["time"], t["isBuyerMaker"]);
        tape.as_array().unwrap().iter().map(text).collect::<Vec<String>>()
    };
    b.until("trades of the venue", WITHIN, |b| trades(b).len() > 5);
    let (ours, theirs) = (trades(&b), trades(&a));
    assert!(theirs.windows(ours.len()).any(|w| w == ours), "B's tape is no part of A's");

    assert!(line.cut() >= 1, "nothing was open");
    b.until("the cut is felt", WITHIN, |b| b.log().contains("the venue is lost"));
    b.until("it follows again", WITHIN, |b| b.log().matches("following the venue").count() >= 2);
    let shown = books_meet(&a, &b, "BTCUSDT");
    b.until("the book goes on after the cut", WITHIN, |b| b.depth("BTCUSDT") != shown);
    books_meet(&a, &b, "BTCUSDT");
    assert_eq!(b.status("BTCUSDT"), "TRADING", "a short cut does not close a market");

    a.kill();
    b.until("markets close without their venue", WITHIN, |b| b.status("BTCUSDT") == "CANCEL_ONLY");
    b.until("the house has left the book", WITHIN, |b| b.depth("BTCUSDT").iter().all(Vec::is_empty));
    b.until("all markets close", WITHIN, |b| {
        ["ETHUSDT", "USDCUSDT", "SOLBTC"].iter().all(|s| b.status(s) == "CANCEL_ONLY")
    });
}
