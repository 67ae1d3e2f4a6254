//! Recordings played again: the feed's book, trades and candles, and the exchange's own book, against an independent
//! reader. Always with a sample made here; with the recording of 2024-08-08 too where the data folder is there.

use crate::exchange::Running;
use crate::recording::{amount, data, number, rows};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_gateway::feed::FeedEvent;
use xng_gateway::feed::book::FeedBook;
use xng_gateway::feed::recorded::files;
use xng_gateway::feed::replay::{self, Files, Message, Replay, Said};
use xng_gateway::market::candles::{Candle, Candles, TapeTrade};
use xng_gateway::market::interval::Interval;

const SYMBOLS: [&str; 2] = ["BTCUSDT", "ETHUSDT"];
const MARKET: MarketId = MarketId(1);
const MINUTE: i64 = 60_000;
/// Levels of a side that are compared, and so many more that trades may have gone through.
const COMPARED: usize = 20;
const TOP: usize = 80;
/// Tells a hang from progress.
const LONG: Duration = Duration::from_secs(120);

/// Folders to test with; the temporary one lives as long as the guard.
fn folders() -> (tempfile::TempDir, Vec<PathBuf>) {
    let made = tempfile::tempdir().unwrap();
    crate::sample::write(made.path(), "BTCUSDT", 6_182_400, 1);
    crate::sample::write(made.path(), "ETHUSDT", 268_280, 2);
    let mut folders = vec![made.path().to_owned()];
    match data() {
        Some(folder) => folders.push(folder.join("permissive/binance_20240808")),
        None => eprintln!("no recorded data: only the sample is tested"),
    }
    (made, folders)
}

fn messages(folder: &Path, symbol: &str) -> Vec<Message> {
    replay::read(&Files::of(symbol, &files(folder).unwrap()).unwrap()).unwrap()
}

/// A book as plain maps by price.
type Sides = [BTreeMap<Amount, Amount>; 2];

/// Shows the books that a depth file says, by update id: found in two passes, unlike the feed's one.
fn each_book(folder: &Path, symbol: &str, mut show: impl FnMut(u64, &Sides)) {
    let rows = rows(&folder.join(format!("spot_{}_depth.csv.gz", symbol.to_ascii_lowercase())));
    let side = |row: &BTreeMap<String, String>| usize::from(row["side"] == "ask");
    let mut book = Sides::default();
    let mut at = 0;
    for row in rows.iter().filter(|r| r["kind"] == "snapshot") {
        book[side(row)].insert(amount(row, "price"), amount(row, "qty"));
        at = number::<u64>(row, "final_update_id");
    }
    for row in rows.iter().filter(|r| r["kind"] == "update") {
        let id = number::<u64>(row, "final_update_id");
        if id < at {
            continue;
        }
        if id > at {
            show(at, &book);
            at = id;
        }
        let (price, quantity) = (amount(row, "price"), amount(row, "qty"));
        if quantity.is_zero() {
            book[side(row)].remove(&price);
        } else {
            book[side(row)].insert(price, quantity);
        }
    }
    show(at, &book);
}

fn equal(feed: &FeedBook, said: &Sides) -> bool {
    let level = |(p, q): (&Amount, &Amount)| (*p, *q);
    feed.bids().eq(said[0].iter().rev().map(level)) && feed.asks().eq(said[1].iter().map(level))
}

fn apply(book: &mut FeedBook, said: &Said) -> bool {
    match said {
        Said::Book(bids, asks) => book.replace(bids, asks),
        Said::Levels(bids, asks) => book.update(bids, asks),
        Said::Trade(..) => return false,
    }
    true
}

#[test]
fn the_book_is_the_recordings_level_by_level_and_its_best_prices_those_of_the_bbo_file() {
    let (_guard, folders) = folders();
    for folder in &folders {
        for symbol in SYMBOLS {
            let mut messages = messages(folder, symbol).into_iter();
            let mut book = FeedBook::default();
            let mut best: BTreeMap<u64, [Amount; 4]> = BTreeMap::new();
            let mut compared = 0;
            each_book(folder, symbol, |id, said| {
                let message = messages.by_ref().find(|m| apply(&mut book, &m.said)).expect("as many books as recorded");
                assert_eq!(id, message.id);
                assert!(equal(&book, said), "{symbol} differs at update {id}");
                let (bid, ask) = (book.bids().next().unwrap(), book.asks().next().unwrap());
                best.insert(id, [bid.0, bid.1, ask.0, ask.1]);
                compared += 1;
            });
            assert!(messages.all(|m| matches!(m.said, Said::Trade(..))), "more books than recorded");
            let mut joined = 0;
            for row in rows(&folder.join(format!("spot_{}_bbo.csv.gz", symbol.to_ascii_lowercase()))) {
                let said = ["bid_price", "bid_qty", "ask_price", "ask_qty"].map(|c| amount(&row, c));
                if let Some(ours) = best.get(&number(&row, "update_id")) {
                    assert_eq!(ours, &said, "{symbol} at update {}", row["update_id"]);
                    joined += 1;
                }
            }
            assert!(compared > 1_900 && joined > 500, "{compared} books, {joined} of them in the bbo file");
            eprintln!("{symbol} of {}: {compared} books equal, {joined} with a bbo", folder.display());
        }
    }
}

/// Minute candles of a trades file: open, high, low, close, volume, turnover, trades, base bought by takers.
fn minutes(trades: &[BTreeMap<String, String>]) -> BTreeMap<i64, [i128; 8]> {
    let mut list: BTreeMap<i64, [i128; 8]> = BTreeMap::new();
    for row in trades {
        let (price, base) = (amount(row, "price").0, amount(row, "qty").0);
        let quote = (price * base + 50_000_000) / 100_000_000;
        let bought = if row["taker_side"] == "buy" { base } else { 0 };
        let open_ms = number::<i64>(row, "trade_ms") / MINUTE * MINUTE;
        let c = list.entry(open_ms).or_insert([price, price, price, price, 0, 0, 0, 0]);
        *c = [c[0], c[1].max(price), c[2].min(price), price, c[4] + base, c[5] + quote, c[6] + 1, c[7] + bought];
    }
    list
}

fn plain(c: &Candle) -> [i128; 8] {
    [c.open.0, c.high.0, c.low.0, c.close.0, c.volume.0, c.turnover.0, i128::from(c.trades), c.taker_base.0]
}

/// Plays everything once, from `began`.
fn play(messages: &[Message], began: i64) -> Vec<FeedEvent> {
    let mut replay = Replay::new(vec![(MARKET, messages.to_vec())], began).unwrap();
    let mut events = Vec::new();
    let mut now = began;
    while events.len() < messages.len() {
        replay.play(now, &mut events);
        now += 7;
    }
    events.truncate(messages.len());
    events
}

fn trades_of(events: &[FeedEvent]) -> Vec<(Amount, Amount, i64, bool)> {
    let trade = |e: &FeedEvent| match e {
        FeedEvent::Trade { price, quantity, time_ms, buyer_is_maker, .. } => {
            Some((*price, *quantity, *time_ms, *buyer_is_maker))
        }
        FeedEvent::Book { .. } | FeedEvent::Levels { .. } | FeedEvent::Price { .. } | FeedEvent::Lost(_) => None,
    };
    events.iter().filter_map(trade).collect()
}

#[test]
fn trades_and_minute_candles_are_the_recordings_shifted_in_time() {
    let (_guard, folders) = folders();
    for folder in &folders {
        for symbol in SYMBOLS {
            let recorded = rows(&folder.join(format!("spot_{}_trades.csv.gz", symbol.to_ascii_lowercase())));
            let messages = messages(folder, symbol);
            // The shift is what makes the first trade's time; a second run has one of whole minutes.
            let trial = 1_800_000_000_000;
            let off = trades_of(&play(&messages, trial))[0].2 - number::<i64>(&recorded[0], "trade_ms");
            let began = trial - off.rem_euclid(MINUTE);
            let shift = off - off.rem_euclid(MINUTE);
            let played = trades_of(&play(&messages, began));
            let said: Vec<(Amount, Amount, i64, bool)> = recorded
                .iter()
                .map(|r| {
                    (
                        amount(r, "price"),
                        amount(r, "qty"),
                        number::<i64>(r, "trade_ms") + shift,
                        r["is_buyer_maker"] == "true",
                    )
                })
                .collect();
            assert_eq!(played, said, "{symbol}");
            let mut candles = Candles::default();
            for (id, (price, quantity, time_ms, buyer_is_maker)) in (1u64..).zip(played) {
                let quote = xng_core::money::Exact::from(price).times(quantity.into()).round8();
                candles.add(&TapeTrade { id, price, quantity, quote, time_ms, buyer_is_maker, taker: None });
            }
            let ours: BTreeMap<i64, [i128; 8]> =
                candles.series(Interval::M1).map(|c| (c.open_ms - shift, plain(c))).collect();
            assert_eq!(ours, minutes(&recorded), "{symbol}");
            assert!(ours.len() >= 4);
            eprintln!("{symbol} of {}: {} trades, {} minutes equal", folder.display(), said.len(), ours.len());
        }
    }
}

#[test]
fn a_replay_begins_again_where_it_began_and_never_speaks_of_the_future() {
    let (_guard, folders) = folders();
    let messages = messages(&folders[0], "BTCUSDT");
    let mut replay = Replay::new(vec![(MARKET, messages.clone())], 5_000_000).unwrap();
    let (mut events, mut now) = (Vec::new(), 5_000_000);
    while events.len() < 2 * messages.len() + 10 {
        let from = events.len();
        replay.play(now, &mut events);
        let times = trades_of(&events[from..]);
        assert!(times.iter().all(|t| t.2 <= now && t.2 > now - 3_000), "at {now}: {times:?}");
        now += 100;
    }
    let n = messages.len();
    let books = |events: &[FeedEvent]| {
        events.iter().filter(|e| !matches!(e, FeedEvent::Trade { .. })).cloned().collect::<Vec<FeedEvent>>()
    };
    assert!(matches!(&books(&events)[0], FeedEvent::Book { bids, .. } if bids.len() > 100));
    assert_eq!(books(&events[..n]), books(&events[n..2 * n]));
    let (first, second) = (trades_of(&events[..n]), trades_of(&events[n..2 * n]));
    let by = second[0].2 - first[0].2;
    assert!(by > 190_000);
    assert!(first.iter().zip(&second).all(|(a, b)| (a.0, a.1, a.2 + by, a.3) == *b));
}

fn text(amount: Amount, places: usize) -> String {
    let text = amount.to_string();
    let (whole, frac) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}.{frac:0<places$}")
}

/// The best levels of a side as the exchange's `depth` writes them.
fn top(levels: impl Iterator<Item = (Amount, Amount)>) -> Vec<[String; 2]> {
    levels.take(TOP).map(|(p, q)| [text(p, 2), text(q, 8)]).collect()
}

#[test]
fn the_exchanges_own_book_is_the_recordings_best_levels_while_nobody_trades() {
    let (_guard, folders) = folders();
    for folder in &folders {
        let source = folder.to_str().unwrap();
        let exchange = Running::start(&[("XNG__FEED__KIND", "replay"), ("XNG__FEED__SOURCE", source)]);
        let open = |r: &Running| SYMBOLS.iter().all(|s| r.status(s) == "TRADING");
        exchange.until("replayed markets open", LONG, open);
        for (symbol, places) in SYMBOLS.iter().zip([5, 4]) {
            let mut states: BTreeSet<[Vec<[String; 2]>; 2]> = BTreeSet::new();
            // A recording's book has more levels at one time than at another.
            let mut fewest = 150;
            each_book(folder, symbol, |_, [bids, asks]| {
                let level = |(p, q): (&Amount, &Amount)| (*p, *q);
                fewest = fewest.min(bids.len()).min(asks.len());
                states.insert([top(bids.iter().rev().map(level)), top(asks.iter().map(level))]);
            });
            let (mut seen, mut most) = (BTreeSet::new(), 0);
            let began = Instant::now();
            // On a busy machine the first books are those of before all levels were quoted.
            while seen.len() < 16 || most < fewest {
                let shown = format!("{} books, {most} levels a side of {fewest} at least", seen.len());
                assert!(began.elapsed() < LONG, "{symbol} of {source} showed {shown}");
                let mut depth = exchange.depth(symbol);
                most = most.max(depth[0].len().min(depth[1].len()));
                depth.iter_mut().for_each(|side| side.truncate(COMPARED));
                assert!(is_recorded(&states, &depth), "{symbol} shows what was never recorded: {depth:?}");
                seen.insert(depth);
                std::thread::sleep(Duration::from_millis(25));
            }
            eprintln!("{symbol} of {source}: {} books of ours were recorded ones, {most} levels a side", seen.len());
            assert!(fewest > 20, "{symbol} of {source}: recorded {fewest} levels a side at least");
            tape_is_recorded(&exchange, folder, symbol, places);
        }
        every_pair_says_its_own_source(&exchange);
    }
}

/// That a book is one of the recorded ones, less best levels that trades went through just then.
fn is_recorded(states: &BTreeSet<[Vec<[String; 2]>; 2]>, [bids, asks]: &[Vec<[String; 2]>; 2]) -> bool {
    let holds = |state: &[[String; 2]], shown: &[[String; 2]]| state.windows(shown.len()).any(|w| w == shown);
    states.iter().any(|[b, a]| holds(b, bids) && holds(a, asks))
}

/// Pairs that the recording lacks are simulated beside it, open, and say so; those of two coins follow the recording.
fn every_pair_says_its_own_source(exchange: &Running) {
    let answer = exchange.get("/api/currency/quotation_new");
    let mut sources: BTreeMap<String, (String, String)> = BTreeMap::new();
    for group in answer["message"].as_array().unwrap() {
        for quote in group["quotation"].as_array().unwrap() {
            let field = |name: &str| quote[name].as_str().unwrap().to_owned();
            // A stock trades in its sessions.
            let rests = quote["session"].is_object() && quote["session"]["phase"] != "open";
            sources.insert(field("symbol"), (field("source"), if rests { "TRADING".into() } else { field("status") }));
        }
    }
    assert_eq!(sources.len(), crate::simulator::pairs().len());
    for (symbol, (source, status)) in &sources {
        let replayed = ["BTC/USDT", "ETH/USDT"].contains(&symbol.as_str());
        assert_eq!(source, if replayed { "replayed" } else { "simulated" }, "{symbol}");
        assert_eq!(status, "TRADING", "{symbol}");
    }
    let mid = |symbol: &str| {
        let [bids, asks] = exchange.depth(symbol);
        (bids[0][0].parse::<f64>().unwrap() + asks[0][0].parse::<f64>().unwrap()) / 2.0
    };
    let off = mid("ETHBTC") / (mid("ETHUSDT") / mid("BTCUSDT")) - 1.0;
    assert!(off.abs() < 0.001, "ETH/BTC is off its USDT pairs by {off}");
}

/// The exchange's latest trades stand in the recording, in the same order.
fn tape_is_recorded(exchange: &Running, folder: &Path, symbol: &str, places: usize) {
    type Row = (String, String, bool);
    let tape = exchange.get(&format!("/api/v3/trades?symbol={symbol}&limit=1000"));
    let field = |t: &serde_json::Value, name: &str| t[name].as_str().unwrap().to_owned();
    let row = |t: &serde_json::Value| (field(t, "price"), field(t, "qty"), t["isBuyerMaker"].as_bool().unwrap());
    let ours: Vec<Row> = tape.as_array().unwrap().iter().map(row).collect();
    assert!(ours.len() > 20, "{symbol} has {} trades", ours.len());
    let path = folder.join(format!("spot_{}_trades.csv.gz", symbol.to_ascii_lowercase()));
    let row = |r: &BTreeMap<String, String>| {
        (text(amount(r, "price"), 2), text(amount(r, "qty"), places), r["is_buyer_maker"] == "true")
    };
    let said: Vec<Row> = rows(&path).iter().map(row).collect();
    assert!(said.windows(ours.len()).any(|w| w == ours), "{symbol}: a tape that was never recorded");
}

fn broken(rows: &[&str], header: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    crate::sample::write(folder.path(), "BTCUSDT", 6_182_400, 1);
    let rows: Vec<String> = rows.iter().map(|r| (*r).to_owned()).collect();
    crate::sample::write_gz(&folder.path().join("spot_btcusdt_depth.csv.gz"), header, &rows);
    let files = Files::of("BTCUSDT", &files(folder.path()).unwrap()).unwrap();
    replay::read(&files).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_a_recording_is_told_by_file_and_line() {
    let good = "1,snapshot,,,,10,,bid,1.00,1.0";
    let header = crate::sample::DEPTH_HEADER;
    let cases = [
        (
            vec![good, "2,update,2,,11,12,,bid,1.00,2.0", "3,update,3,,14,15,,bid,1.00,2.0"],
            ":4: a gap: update 14 follows 12",
        ),
        (vec![good, "2,update,2,,x,12,,bid,1.00,2.0"], ":3: first_update_id is \"x\""),
        (vec![good, "2,update,2,,11,12,,bid,-1.00,2.0"], ":3: price is \"-1.00\""),
        (vec![good, "2,update,2,,11,12,,mid,1.00,2.0"], ":3: side is \"mid\""),
        (vec![good, "2,update,2,,11,12,,bid,1.00"], ":3: CSV error"),
        (vec!["2,update,2,,11,12,,bid,1.00,2.0"], ": no snapshot"),
    ];
    for (rows, message) in cases {
        let published = broken(&rows, header);
        assert!(published.contains("spot_btcusdt_depth.csv.gz") && published.contains(message), "{published}");
    }
    let published = broken(&[good], &header.replace("qty", "size"));
    assert!(published.ends_with("spot_btcusdt_depth.csv.gz:1: no column qty"), "{published}");
}
