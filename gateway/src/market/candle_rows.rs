//! Candles as rows of the store.
//!
//! Owns: what a candle is there. Never does: read or write the store. Invariants: what is read back is what was written.
//! Known limits: a month is a number of seconds, by agreement with the store.

use super::board::{Board, write};
use super::candles::Candle;
use super::interval::Interval;
use crate::common::time::Ms;
use std::sync::RwLock;
use xng_core::ids::{MarketId, TradeId};
use xng_core::journal::Lsn;
use xng_persistence::store;

/// A calendar month, by agreement with the store.
const MONTH_SECONDS: u32 = 2_592_000;

/// Seconds of a period.
pub(crate) fn period(interval: Interval) -> u32 {
    interval.length().map_or(MONTH_SECONDS, |ms| (ms / 1_000) as u32)
}

/// A candle out of its row.
pub(crate) fn from_store(c: &store::Candle) -> Candle {
    Candle {
        open_ms: c.open_ms as Ms,
        open: c.open,
        high: c.high,
        low: c.low,
        close: c.close,
        volume: c.volume,
        turnover: c.total,
        trades: c.trades,
        taker_base: c.taker_buy,
        taker_quote: c.taker_total,
        first_trade: c.first_trade.count(),
        last_trade: c.last_trade.count(),
    }
}

/// The row of a candle.
pub(crate) fn to_store(market: MarketId, interval: Interval, c: &Candle) -> store::Candle {
    store::Candle {
        market,
        period: period(interval),
        open_ms: c.open_ms as u64,
        open: c.open,
        high: c.high,
        low: c.low,
        close: c.close,
        volume: c.volume,
        total: c.turnover,
        taker_buy: c.taker_base,
        taker_total: c.taker_quote,
        trades: c.trades,
        first_trade: TradeId::of(market, c.first_trade),
        last_trade: TradeId::of(market, c.last_trade),
    }
}

/// Candles for the store and the LSN up to which they hold every own trade.
#[derive(Debug)]
pub struct CandleRows {
    /// The candles.
    pub rows: Vec<store::Candle>,
    /// The watermark.
    pub lsn: Lsn,
}

/// Candles that changed since the last call.
#[must_use]
pub fn changed(board: &RwLock<Board>) -> Vec<store::Candle> {
    let (market, changed) = {
        let mut board = write(board);
        (board.params.market, board.candles.take_changed())
    };
    changed.iter().map(|(i, c)| to_store(market, *i, c)).collect()
}
