//! The seeded simulator (placeholder of the first end-to-end run; calibrated next).

use super::{FeedEvent, Level};
use crate::market::candles::Candle;
use crate::time::{Ms, now_ms};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use xng_core::ids::MarketId;
use xng_core::money::Amount;

/// One pair to simulate.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Which pair.
    pub market: MarketId,
    /// Where its price begins.
    pub start: Amount,
    /// Its tick.
    pub tick: Amount,
    /// Its step.
    pub step: Amount,
}

fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    (xng_core::codec::mix64(*state) >> 11) as f64 / (1u64 << 53) as f64
}

fn snap(price: f64, tick: Amount) -> Amount {
    let units = (price * 1e8) as i128;
    Amount((units / tick.0).max(1) * tick.0)
}

/// Speaks about all pairs until nobody listens.
pub async fn run(pairs: Vec<Pair>, seed: u64, out: UnboundedSender<FeedEvent>) {
    let mut state = seed;
    let mut prices: Vec<f64> = pairs.iter().map(|p| p.start.0 as f64 / 1e8).collect();
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    loop {
        seconds.tick().await;
        for (i, pair) in pairs.iter().enumerate() {
            prices[i] *= 1.0 + (next(&mut state) - 0.5) * 0.0004;
            let mid = prices[i];
            let level = |side: f64, n: usize, state: &mut u64| -> Level {
                let price = snap(mid * (1.0 + side * (0.00005 + 0.0001 * n as f64)), pair.tick);
                let size = snap(500.0 * (1.0 + 4.0 * next(state)) / mid, pair.step);
                (price, size)
            };
            let bids: Vec<Level> = (0..20).map(|n| level(-1.0, n, &mut state)).collect();
            let asks: Vec<Level> = (0..20).map(|n| level(1.0, n, &mut state)).collect();
            let book = FeedEvent::Book { market: pair.market, bids, asks };
            let quantity = snap(300.0 * next(&mut state) / mid, pair.step);
            let trade = FeedEvent::Trade {
                market: pair.market,
                price: snap(mid, pair.tick),
                quantity,
                time_ms: now_ms(),
                buyer_is_maker: next(&mut state) < 0.5,
            };
            if out.send(book).is_err() || out.send(trade).is_err() {
                return;
            }
        }
    }
}

/// Candles before the first start: minutes and days.
#[must_use]
pub fn history(pair: &Pair, seed: u64, now: Ms) -> (Vec<Candle>, Vec<Candle>) {
    let series = |count: i64, length: Ms, scale: f64| {
        let mut state = seed ^ u64::from(pair.market.0);
        let mut price = pair.start.0 as f64 / 1e8;
        let mut list: Vec<Candle> = Vec::new();
        for n in 0..count {
            let close = price;
            price *= 1.0 + (next(&mut state) - 0.5) * scale;
            let (open, close) = (snap(price, pair.tick), snap(close, pair.tick));
            let mut candle = Candle::flat((now / length - n) * length, open);
            candle.close = close;
            candle.high = open.max(close);
            candle.low = open.min(close);
            list.push(candle);
        }
        list.reverse();
        list
    };
    (series(1_500, 60_000, 0.001), series(1_000, 86_400_000, 0.05))
}
