//! The market of the demo as a watcher sees it: trades at the best prices, books that move, levels, volumes.
//!
//! `ALIVE_SECONDS=300` watches for longer than `make test` does.

use crate::client::{Server, WHOLE_DEMO};
use crate::feed_recording::data;
use crate::socket::Socket;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use xng_gateway::feed::book::FeedBook;
use xng_gateway::feed::recorded::files;
use xng_gateway::feed::replay::{self, Files, Said};

/// What was seen of one pair.
#[derive(Debug, Default)]
struct Seen {
    best: Option<(f64, f64)>,
    trades: u64,
    outside: u64,
    /// Moments in which there were such: one order that takes several levels makes several trades at once.
    moments_outside: u64,
    /// The last of them.
    moment: Option<u64>,
    /// The last trade's id, and how often the next was not the one after it.
    last: Option<u64>,
    gaps: u64,
    /// States of the book that its diffs went through.
    changes: u64,
    /// Levels that diffs named, and how many diffs there were.
    levels: (u64, u64),
    /// Base traded in each five seconds.
    volumes: BTreeMap<u64, f64>,
    sizes: BTreeMap<String, u64>,
}

fn number(value: &Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

impl Seen {
    fn hear(&mut self, stream: &str, data: &Value, at: Duration) {
        if stream.ends_with("@bookTicker") {
            self.best = Some((number(&data["b"]), number(&data["a"])));
        } else if stream.ends_with("@trade") {
            let (price, Some((bid, ask))) = (number(&data["p"]), self.best) else { return };
            self.trades += 1;
            let id = data["t"].as_u64().unwrap();
            self.gaps += u64::from(self.last.replace(id).is_some_and(|last| id != last + 1));
            if price < bid || price > ask {
                self.outside += 1;
                self.moments_outside +=
                    u64::from(self.moment.replace(data["T"].as_u64().unwrap()) != data["T"].as_u64());
            }
            *self.volumes.entry(at.as_secs() / 5).or_default() += number(&data["q"]);
            *self.sizes.entry(data["q"].as_str().unwrap().to_owned()).or_default() += 1;
        } else {
            self.changes += data["u"].as_u64().unwrap() - data["U"].as_u64().unwrap() + 1;
            let named = |side: &str| data[side].as_array().unwrap().len() as u64;
            self.levels = (self.levels.0 + named("b") + named("a"), self.levels.1 + 1);
        }
    }

    /// Deviation of the volume of five seconds against its mean.
    fn dispersion(&self) -> f64 {
        let all: Vec<f64> = self.volumes.values().copied().collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt() / mean
    }
}

fn filter(info: &Value, symbol: &str, kind: &str, field: &str) -> f64 {
    let pairs = info["symbols"].as_array().unwrap();
    let pair = pairs.iter().find(|s| s["symbol"] == symbol).unwrap();
    let filters = pair["filters"].as_array().unwrap();
    number(&filters.iter().find(|f| f["filterType"] == kind).unwrap()[field])
}

/// Levels of a side within so many parts per thousand of its best price.
fn within(side: &Value, parts: f64) -> usize {
    let levels = side.as_array().unwrap();
    let best = number(&levels[0][0]);
    levels.iter().filter(|l| (number(&l[0]) - best).abs() <= best * parts / 1_000.0).count()
}

/// Watches some pairs for a while.
fn watch(server: &Server, symbols: &[&str], seconds: u64) -> (BTreeMap<String, Seen>, f64) {
    let streams: Vec<String> = symbols
        .iter()
        .flat_map(|s| ["trade", "bookTicker", "depth@100ms"].map(|c| format!("{}@{c}", s.to_ascii_lowercase())))
        .collect();
    let mut socket = Socket::open(server, &format!("/stream?streams={}", streams.join("/")));
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(seconds) {
        let frame = socket.next();
        let stream = frame["stream"].as_str().unwrap();
        let symbol = stream.split('@').next().unwrap().to_ascii_uppercase();
        seen.entry(symbol).or_default().hear(stream, &frame["data"], began.elapsed());
    }
    (seen, began.elapsed().as_secs_f64())
}

fn seconds() -> u64 {
    std::env::var("ALIVE_SECONDS").map_or(40, |s| s.parse().unwrap())
}

/// Of the trades of a recording's first seconds, how many there are and how many lie outside the best prices of the book
/// that was received last.
fn recorded_outside(folder: &Path, symbol: &str, seconds: u64) -> (u64, u64) {
    let messages = replay::read(&Files::of(symbol, &files(folder).unwrap()).unwrap()).unwrap();
    let end = messages[0].received_ns + i64::try_from(seconds).unwrap() * 1_000_000_000;
    let (mut book, mut trades, mut outside) = (FeedBook::default(), 0, 0);
    for message in messages.into_iter().filter(|m| m.received_ns < end) {
        match message.said {
            Said::Book(bids, asks) => book.replace(&bids, &asks),
            Said::Levels(bids, asks) => book.update(&bids, &asks),
            Said::Trade(price, ..) => {
                let (Some(bid), Some(ask)) = (book.bids().next(), book.asks().next()) else { continue };
                trades += 1;
                outside += u64::from(price < bid.0 || price > ask.0);
            }
        }
    }
    (trades, outside)
}

#[test]
fn a_replay_shows_no_more_trades_outside_the_best_prices_than_its_recording_has() {
    let Some(folder) = data().map(|data| data.join("permissive/binance_20240808")) else {
        eprintln!("no recorded data");
        return;
    };
    let settings = [("XNG__FEED__KIND", "replay"), ("XNG__FEED__SOURCE", folder.to_str().unwrap())];
    let server = Server::start(&settings);
    server.wait_open("BTCUSDT");
    let symbols = ["BTCUSDT", "ETHUSDT"];
    let seconds = seconds().max(100);
    let (seen, _) = watch(&server, &symbols, seconds);
    let share = |(trades, outside): (u64, u64)| outside as f64 * 100.0 / trades as f64;
    let sum = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
    let (mut ours, mut theirs) = ((0, 0), (0, 0));
    for symbol in symbols {
        let (shown, said) = (&seen[symbol], recorded_outside(&folder, symbol, seconds));
        let shown = (shown.trades, shown.outside);
        eprintln!(
            "{symbol}: {:.1} % of {} replayed trades outside the best prices, {:.1} % in the recording",
            share(shown),
            shown.0,
            share(said)
        );
        (ours, theirs) = (sum(ours, shown), sum(theirs, said));
    }
    let (ours_share, theirs_share) = (share(ours), share(theirs));
    eprintln!("both: {ours_share:.1} % of {}, {theirs_share:.1} % in the recording", ours.0);
    // What is watched begins and ends a little beside what is counted of the recording.
    let most = theirs_share + 1.0;
    assert!(ours.0 > 100 && ours_share <= most, "{ours_share} % outside, {theirs_share} % in the recording");
}

#[test]
fn trades_happen_at_the_best_prices_of_a_book_that_moves_and_is_deep() {
    let server = Server::start(&[WHOLE_DEMO]);
    server.wait_open("BTCUSDT");
    let info = server.api().raw_get("/api/v3/exchangeInfo");
    // A stock that is out of its sessions rests.
    let listed = info["symbols"].as_array().unwrap().iter().filter(|s| s["status"] == "TRADING");
    let symbols: Vec<&str> = listed.map(|s| s["symbol"].as_str().unwrap()).collect();
    let (seen, took) = watch(&server, &symbols, seconds());
    eprintln!(
        "{:9} {:>7} {:>9} {:>10} {:>12} {:>8} {:>8} {:>10} {:>8}",
        "pair", "trades", "outside %", "changes/s", "levels/diff", "in 1 %", "in 8 %", "dispersion", "spread"
    );
    for symbol in &symbols {
        let s = &seen[*symbol];
        let depth = server.api().raw_get(&format!("/api/v3/depth?symbol={symbol}&limit=5000"));
        let levels = |parts| within(&depth["bids"], parts).min(within(&depth["asks"], parts));
        let (outside, changes) = (s.outside as f64 * 100.0 / s.trades.max(1) as f64, s.changes as f64 / took);
        let per_diff = s.levels.0 as f64 / s.levels.1.max(1) as f64;
        let (bid, ask) = s.best.unwrap();
        eprintln!(
            "{symbol:9} {:7} {outside:9.2} {changes:10.2} {per_diff:12.1} {:8} {:8} {:10.2} {:8.5}",
            s.trades,
            levels(11.0),
            levels(82.0),
            s.dispersion(),
            ask - bid
        );
        // A small pair may rest for a while.
        assert!(s.trades > 0 || took < 120.0, "{symbol} does not trade");
        let most = if took < 120.0 { 5.0 } else { 1.0 };
        assert!(
            s.moments_outside <= 2 || (s.moments_outside * 100) as f64 <= most * s.trades as f64,
            "{symbol}: in {} moments there were trades outside the best prices, of {} trades",
            s.moments_outside,
            s.trades
        );
        assert_eq!(s.gaps, 0, "{symbol}: ids of trades are counts");
        // Changes come by chance: a short look sees some less than there are on average.
        let (busy, calm) = if took < 120.0 { (3.0, 0.8) } else { (5.0, 1.0) };
        let wanted = if ["BTCUSDT", "ETHUSDT"].contains(symbol) { busy } else { calm };
        assert!(changes > wanted, "{symbol}: {changes} changes of the book a second");
        // A coarse tick leaves room for fewer.
        let ticks = (bid * 0.08 / filter(&info, symbol, "PRICE_FILTER", "tickSize")) as usize;
        assert!(levels(82.0) >= 225.min(ticks * 3 / 4), "{symbol}: {} levels within 8 %", levels(82.0));
        assert!(levels(11.0) >= 180.min(ticks / 8 * 3 / 4), "{symbol}: {} levels within 1 %", levels(11.0));
        // Of a handful of bars one pair's may be alike by chance, all pairs' may not (below).
        let alike = if took < 120.0 { 0.05 } else { 0.3 };
        assert!(s.trades < 200 || s.dispersion() > alike, "{symbol}: volume bars of equal height: {:?}", s.volumes);
        assert!(per_diff <= 25.0, "{symbol}: {per_diff} levels a change");
        let most = s.sizes.values().max().copied().unwrap_or(0);
        // Where a step is worth more than the least order, many trades are one step.
        let coarse =
            filter(&info, symbol, "LOT_SIZE", "stepSize") * bid > filter(&info, symbol, "NOTIONAL", "minNotional");
        assert!(
            s.trades < 200 || coarse || most * 2 < s.trades,
            "{symbol}: {most} of {} trades have one size",
            s.trades
        );
    }
    let dispersions: Vec<f64> = seen.values().filter(|s| s.trades >= 20).map(Seen::dispersion).collect();
    let dispersion = dispersions.iter().sum::<f64>() / dispersions.len() as f64;
    // Of one or two pairs alone the figure swings more.
    let least = if dispersions.len() < 3 { 0.15 } else { 0.3 };
    assert!(dispersion > least, "volume bars of equal height: {dispersions:?}");
    let (named, diffs) = seen.values().fold((0, 0), |sum, s| (sum.0 + s.levels.0, sum.1 + s.levels.1));
    assert!(named <= 12 * diffs, "{named} levels in {diffs} changes");
    let all: u64 = seen.values().map(|s| s.trades).sum();
    let outside: u64 = seen.values().map(|s| s.moments_outside).sum();
    let said =
        format!("in {outside} moments there were trades outside the best prices, of {all} trades in {took:.0} s");
    eprintln!("{said}");
    assert!(all > 100 && outside * 100 < all, "{said}");
}
