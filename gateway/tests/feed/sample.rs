//! A small recording in Binance's recorded format, made up here for machines without recorded data.
#![allow(dead_code, reason = "each test uses a part")]

use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

pub(crate) const DEPTH_HEADER: &str =
    "recv_ns,kind,event_ms,txn_ms,first_update_id,final_update_id,prev_final_update_id,side,price,qty";
const TRADES_HEADER: &str = "recv_ns,event_ms,trade_ms,trade_id,price,qty,is_buyer_maker,taker_side";
const BBO_HEADER: &str = "recv_ns,update_id,event_ms,txn_ms,bid_price,bid_qty,ask_price,ask_qty";
/// Exchange time less receive time, as in the recording of 2024-08-08.
const AHEAD_MS: i64 = 1_272;
const BEGIN_MS: i64 = 1_723_161_255_000;
/// Messages of a sample, 100 ms apart.
pub(crate) const MESSAGES: u64 = 2_000;

pub(crate) fn write_gz(path: &Path, header: &str, rows: &[String]) {
    let mut out = GzEncoder::new(File::create(path).unwrap(), Compression::fast());
    writeln!(out, "{header}").unwrap();
    rows.iter().for_each(|row| writeln!(out, "{row}").unwrap());
    out.finish().unwrap();
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        xng_core::codec::mix64(self.0) % n
    }
}

fn cents(c: u64) -> String {
    format!("{}.{:02}000000", c / 100, c % 100)
}

fn quantity(units: u64) -> String {
    format!("{}.{:05}000", units / 100_000, units % 100_000)
}

/// Writes depth, trades and bbo of a pair whose mid is near `mid` cents. Quantities are multiples of 0.0001.
pub(crate) fn write(folder: &Path, symbol: &str, mid: u64, seed: u64) {
    let (mut dice, mut mid) = (Dice(seed), mid);
    let mut sides: [BTreeMap<u64, u64>; 2] = Default::default();
    for n in 0..200 {
        sides[0].insert(mid - 1 - n * 7, 10 * (1 + dice.below(50_000)));
        sides[1].insert(mid + 1 + n * 7, 10 * (1 + dice.below(50_000)));
    }
    let (mut depth, mut trades, mut bbo) = (Vec::new(), Vec::new(), Vec::new());
    let (mut update, mut trade) = (1_000_000u64, 77_000u64);
    for n in 0..MESSAGES {
        let recv_ms = BEGIN_MS + n as i64 * 100 - AHEAD_MS;
        let (event_ms, recv_ns) = (recv_ms + AHEAD_MS, recv_ms * 1_000_000 + dice.below(900_000) as i64);
        // A message holds several updates; its first follows the last one's end.
        let (first, last) = (update + 1, update + 1 + dice.below(5));
        update = last;
        mid = (mid + 40).saturating_sub(dice.below(81));
        let mut changes: BTreeMap<(usize, u64), u64> = BTreeMap::new();
        for (side, levels) in sides.iter().enumerate() {
            let crossed = levels.keys().filter(|p| if side == 0 { **p >= mid } else { **p <= mid });
            changes.extend(crossed.map(|p| ((side, *p), 0)));
            for _ in 0..4 {
                let away = 1 + dice.below(300);
                let price = if side == 0 { mid - away } else { mid + away };
                let lots = if dice.below(4) == 0 { 0 } else { 10 * (1 + dice.below(90_000)) };
                changes.insert((side, price), lots);
            }
        }
        for ((side, price), lots) in &changes {
            if *lots == 0 {
                sides[*side].remove(price)
            } else {
                sides[*side].insert(*price, *lots)
            };
            let name = ["bid", "ask"][*side];
            depth.push(format!(
                "{recv_ns},update,{event_ms},,{first},{last},,{name},{},{}",
                cents(*price),
                quantity(*lots)
            ));
        }
        // The snapshot is received after three messages, one of which it holds already.
        if n == 1 {
            let rows = |side: usize| {
                let at = recv_ns + 150_000_000;
                let name = ["bid", "ask"][side];
                let row = move |(p, q): (&u64, &u64)| {
                    format!("{at},snapshot,,,,{last},,{name},{},{}", cents(*p), quantity(*q))
                };
                sides[side].iter().map(row).collect::<Vec<String>>()
            };
            depth.extend(rows(0));
            depth.extend(rows(1));
        }
        let (bid, ask) = (sides[0].last_key_value().unwrap(), sides[1].first_key_value().unwrap());
        let (b, bq, a, aq) = (cents(*bid.0), quantity(*bid.1), cents(*ask.0), quantity(*ask.1));
        bbo.push(format!("{recv_ns},{last},,,{b},{bq},{a},{aq}"));
        for k in 0..dice.below(4) {
            trade += 1;
            let sell = dice.below(2) == 0;
            let price = if sell { &b } else { &a };
            let (qty, taker) = (quantity(10 * (1 + dice.below(9_000))), if sell { "sell" } else { "buy" });
            let (at, trade_ms) = (recv_ns + 10, event_ms - 3 + k as i64);
            trades.push(format!("{at},{event_ms},{trade_ms},{trade},{price},{qty},{sell},{taker}"));
        }
    }
    // Rows stand in receive order.
    let received = |row: &String| row.split(',').next().unwrap().parse::<i64>().unwrap();
    depth.sort_by_key(received);
    let name = symbol.to_ascii_lowercase();
    write_gz(&folder.join(format!("spot_{name}_depth.csv.gz")), DEPTH_HEADER, &depth);
    write_gz(&folder.join(format!("spot_{name}_trades.csv.gz")), TRADES_HEADER, &trades);
    write_gz(&folder.join(format!("spot_{name}_bbo.csv.gz")), BBO_HEADER, &bbo);
}
