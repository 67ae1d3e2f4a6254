//! Recorded order-by-order feeds through the book: no impossible state. A small generated feed in the same form always runs.

use crate::recorded_files::{Row, recording, rows};
use std::collections::BTreeMap;
use xng_core::ids::{AccountId, OrderId};
use xng_core::market::book::{Book, Resting};
use xng_core::money::{FeePpm, Lots, Ticks};
use xng_core::spot::Side;

/// Decimal text times `scale`, exactly.
fn scaled(text: &str, scale: i64) -> i64 {
    let (whole, frac) = text.split_once('.').unwrap_or((text, ""));
    let places = scale.ilog10() as usize;
    assert!(frac.trim_end_matches('0').len() <= places, "{text}");
    let frac = format!("{frac:0<places$}");
    whole.parse::<i64>().unwrap() * scale + frac[..places].parse::<i64>().unwrap_or(0)
}

/// A book that a recording drives, with a plain account of what should be in it.
#[derive(Default)]
struct Replay {
    book: Book,
    expected: BTreeMap<OrderId, i64>,
    unknown: u64,
    applied: u64,
}

impl Replay {
    fn add(&mut self, id: u64, side: Side, ticks: i64, lots: i64) {
        let order = OrderId(id);
        if lots <= 0 || ticks <= 0 || self.expected.contains_key(&order) {
            self.unknown += 1;
            return;
        }
        let (account, maker_ppm) = (AccountId(1), FeePpm(0));
        let (ticks, lots_left) = (Ticks(ticks), Lots(lots));
        self.book.insert(Resting { order, account, side, ticks, lots: lots_left, maker_ppm, quote: false });
        self.expected.insert(order, lots);
        self.applied += 1;
    }

    fn take(&mut self, id: u64, lots: i64) {
        let order = OrderId(id);
        let Some(left) = self.expected.get_mut(&order) else {
            self.unknown += 1;
            return;
        };
        let lots = lots.min(*left);
        if lots <= 0 {
            return;
        }
        *left -= lots;
        if *left == 0 {
            self.expected.remove(&order);
        }
        self.book.reduce(order, Lots(lots));
        self.applied += 1;
    }

    fn check(&self) {
        assert_eq!(self.book.len(), self.expected.len());
        for (id, lots) in &self.expected {
            assert_eq!(self.book.get(*id).map(|r| r.lots.0), Some(*lots), "{id}");
        }
        for side in [Side::Buy, Side::Sell] {
            let by_level: i64 = self.book.depth(side).map(|(_, lots)| lots.0).sum();
            let by_order: i64 = self.book.walk(side).map(|r| r.lots.0).sum();
            assert_eq!(by_level, by_order, "levels hold what their orders hold");
            let prices: Vec<i64> = self.book.walk(side).map(|r| r.ticks.0).collect();
            let sorted = |w: &[i64]| if side == Side::Buy { w[0] >= w[1] } else { w[0] <= w[1] };
            assert!(prices.windows(2).all(sorted), "best price first");
        }
    }
}

/// LOBSTER: 1 add, 2 partial cancel, 3 delete, 4 execution of a visible order; `direction` is the resting order's.
fn lobster(rows: &[Row]) -> Replay {
    let mut replay = Replay::default();
    for (n, row) in rows.iter().enumerate() {
        let number = |name: &str| row[name].parse::<i64>().unwrap();
        let (id, size) = (number("order_id") as u64, number("size"));
        let side = if number("direction") == 1 { Side::Buy } else { Side::Sell };
        match number("type") {
            1 => replay.add(id, side, number("price_x10000"), size),
            2 | 4 => replay.take(id, size),
            3 => replay.take(id, i64::MAX),
            _ => {}
        }
        if n % 10_000 == 0 {
            replay.check();
        }
    }
    replay.check();
    replay
}

/// Bitstamp: `amount` is what remains after the event.
fn bitstamp(rows: &[Row]) -> Replay {
    let mut replay = Replay::default();
    for (n, row) in rows.iter().enumerate() {
        let event = row["event"].trim_start_matches("order_");
        if event == "trade" {
            continue;
        }
        let id = row["id"].parse::<u64>().unwrap();
        let left = scaled(&row["amount"], 100_000_000);
        let side = if row["side"].starts_with('b') { Side::Buy } else { Side::Sell };
        let now = replay.expected.get(&OrderId(id)).copied().unwrap_or(0);
        match event {
            "created" => replay.add(id, side, scaled(&row["price"], 100), left),
            "changed" => replay.take(id, now - left),
            "deleted" => replay.take(id, i64::MAX),
            other => panic!("an event {other}"),
        }
        if n % 5_000 == 0 {
            replay.check();
        }
    }
    replay.check();
    replay
}

#[test]
fn a_generated_order_feed_replays_without_an_impossible_state() {
    let mut text = String::from("time_s,type,order_id,size,price_x10000,direction\n");
    for n in 0..2_000 {
        let (side, price) = if n % 2 == 0 { (1, 1_000_000 - n % 37) } else { (-1, 1_000_100 + n % 41) };
        text.push_str(&format!("{n},1,{},{},{price},{side}\n", n + 1, 10 + n % 90));
        if n % 3 == 2 {
            text.push_str(&format!("{n},2,{},3,{price},{side}\n", n));
            text.push_str(&format!("{n},4,{},2,{price},{side}\n", n - 1));
        }
        if n % 5 == 4 {
            text.push_str(&format!("{n},3,{},0,{price},{side}\n", n - 2));
        }
    }
    let replay = lobster(&rows(text.as_bytes()));
    assert!(replay.applied > 3_000 && !replay.book.is_empty());
}

#[test]
fn recorded_order_feeds_replay_without_an_impossible_state() {
    for (name, run) in [
        ("restricted/l3_lobster_goog_20120621_level10_messages.csv.gz", lobster as fn(&[_]) -> Replay),
        ("copyleft/l3_bitstamp_btcusd_20150501.csv.gz", bitstamp),
    ] {
        let Some(rows) = recording(name) else {
            println!("{name} is not here; the generated feed stands for it");
            continue;
        };
        let replay = run(&rows);
        println!(
            "{name}: {} messages, {} applied, {} of orders from before the recording, {} rest",
            rows.len(),
            replay.applied,
            replay.unknown,
            replay.book.len()
        );
        assert!(replay.applied as usize > rows.len() / 2);
    }
}
