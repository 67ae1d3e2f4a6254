//! Market data as keys.
//!
//! Owns: which keys a market has, and which of them changed. Never does: know the connection.
//! Invariants: a depth or a ticker is written whole. Known limits: the latest 200 candles of an interval; they are
//! written one by one, so that a reader of a market that is written anew may find some only.

use crate::common::time::{Ms, TimeUnit, now_ms};
use crate::market::board::{Board, read};
use crate::market::candles::Candle;
use crate::market::interval::{Interval, Zone};
use crate::market::payload::{self, DepthFormat};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use xng_core::ids::MarketId;
use xng_persistence::redis::Pipeline;

/// Candles kept of each interval.
pub(super) const CANDLES: usize = 200;
/// Levels of a side.
const LEVELS: usize = 1_000;
/// Keys of a market go away this long after they were last written.
const SECONDS: u64 = 60;
/// Candles stay longer: those of quiet markets are not written again for a while.
const CANDLE_SECONDS: i64 = 86_400;

/// A board when it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stand {
    update: u64,
    traded: Ms,
    splits: u32,
}

impl Stand {
    fn of(board: &Board) -> Stand {
        Stand { update: board.depth.update(), traded: board.updated_ms, splits: board.splits }
    }
}

/// What was written last of each market.
#[derive(Debug, Default)]
pub(super) struct Views {
    written: BTreeMap<MarketId, Stand>,
}

fn candle(pipe: &mut Pipeline, board: &Board, interval: Interval, candle: &Candle, now: Ms) {
    let key = format!("xng:candles:{}:{}", board.params.symbol, interval.name());
    let payload = payload::kline(board, (interval, Zone::Utc), candle, now, TimeUnit::Millis);
    pipe.cmd("ZREMRANGEBYSCORE").arg(&key).arg(candle.open_ms).arg(candle.open_ms).ignore();
    pipe.zadd(&key, payload, candle.open_ms).ignore();
}

fn book_and_ticker(pipe: &mut Pipeline, board: &Board, now: Ms) {
    let symbol = &board.params.symbol;
    let depth = DepthFormat::new(board).snapshot(board, LEVELS);
    pipe.set_ex(format!("xng:depth:{symbol}"), depth, SECONDS).ignore();
    if let Some(day) = board.day(now) {
        pipe.set_ex(format!("xng:ticker:{symbol}"), payload::ticker(board, &day, now, TimeUnit::Millis), SECONDS)
            .ignore();
    }
}

fn all_candles(pipe: &mut Pipeline, board: &Board, now: Ms) {
    for interval in Interval::ALL {
        let key = format!("xng:candles:{}:{}", board.params.symbol, interval.name());
        pipe.del(&key).ignore();
        for c in board.candles.series(interval).rev().take(CANDLES) {
            pipe.zadd(&key, payload::kline(board, (interval, Zone::Utc), c, now, TimeUnit::Millis), c.open_ms).ignore();
        }
        pipe.expire(&key, CANDLE_SECONDS).ignore();
    }
}

impl Views {
    /// What changed since the last time; all depths and tickers when `all`, since keys go away by themselves.
    pub(super) fn changed(&mut self, boards: &[Arc<RwLock<Board>>], all: bool, pipe: &mut Pipeline) {
        let now = now_ms();
        for board in boards {
            let board = read(board);
            let stand = Stand::of(&board);
            let before = self.written.insert(board.params.market, stand);
            if before != Some(stand) || all {
                book_and_ticker(pipe, &board, now);
            }
            if before.is_some_and(|before| before.splits != stand.splits) {
                all_candles(pipe, &board, now);
            } else if before.is_some_and(|before| before.traded != stand.traded) {
                for interval in Interval::ALL {
                    // The one before may have got its last trade since.
                    for c in board.candles.series(interval).rev().take(2) {
                        candle(pipe, &board, interval, c, now);
                    }
                    let key = format!("xng:candles:{}:{}", board.params.symbol, interval.name());
                    pipe.cmd("ZREMRANGEBYRANK").arg(&key).arg(0).arg(-1 - CANDLES as i64).ignore();
                    pipe.expire(&key, CANDLE_SECONDS).ignore();
                }
            }
        }
    }

    /// Everything of one market.
    pub(super) fn whole(&mut self, board: &RwLock<Board>, pipe: &mut Pipeline) {
        let (board, now) = (read(board), now_ms());
        self.written.insert(board.params.market, Stand::of(&board));
        book_and_ticker(pipe, &board, now);
        all_candles(pipe, &board, now);
    }
}
