//! `markPriceKlines`, `indexPriceKlines`, `premiumIndexKlines`, `continuousKlines`: candles of a contract's prices.
//!
//! Owns: which candles are meant. Never does: make one. Invariants: rows are those of `klines`, without volumes where nothing is
//! traded. Known limits: candles of mark, index and premium begin with the process.

use super::listed::Listed;
use crate::api::binance::errors::ApiError;
use crate::api::binance::market::part;
use crate::api::binance::request::{ApiResult, Request};
use crate::common::decimal::fixed;
use crate::market::board::{Board, read};
use crate::market::candles::{Candle, Candles, KEPT};
use crate::market::interval::Interval;
use serde_json::{Value, json};

const CANDLES: usize = 500;

/// Candles of the contract that a parameter names; `traded` says whether volumes are told.
fn rows(
    request: &Request,
    name: &str,
    places: Option<usize>,
    series: impl Fn(&Board) -> Option<&Candles>,
) -> ApiResult {
    let args = &request.args;
    let listed = Listed::find(request, args.need(name)?)?;
    let interval = args.text("interval").and_then(Interval::parse).ok_or_else(|| ApiError::missing("interval"))?;
    let (start, end) = (args.whole("startTime"), args.whole("endTime"));
    let board = request.app.shared.boards.get(listed.id).ok_or_else(ApiError::symbol)?;
    let board = read(&board);
    let is_inside = |c: &&Candle| {
        let us = c.open_ms * 1_000;
        start.is_none_or(|start| us >= start) && end.is_none_or(|end| us <= end)
    };
    let found: Vec<Candle> =
        series(&board).map(|c| c.series(interval).filter(is_inside).copied().collect()).unwrap_or_default();
    let (unit, quantity) = (request.unit, board.quantity_places());
    let price = places.unwrap_or(board.price_places());
    let row = |c: Candle| {
        let close = unit.of(interval.span(c.open_ms).1) - 1;
        json!([
            unit.of(c.open_ms),
            fixed(c.open, price),
            fixed(c.high, price),
            fixed(c.low, price),
            fixed(c.close, price),
            fixed(c.volume, quantity),
            close,
            fixed(c.turnover, 8),
            c.trades,
            fixed(c.taker_base, quantity),
            fixed(c.taker_quote, 8),
            "0",
        ])
    };
    let limit = args.limit(CANDLES, KEPT);
    Ok(Value::Array(part(found, limit, start.is_some()).map(row).collect()).into())
}

/// `GET markPriceKlines`.
pub fn marks(request: &Request) -> ApiResult {
    rows(request, "symbol", None, |board| board.prices.as_deref().map(|prices| &prices.mark))
}

/// `GET indexPriceKlines`.
pub fn indices(request: &Request) -> ApiResult {
    rows(request, "pair", None, |board| board.prices.as_deref().map(|prices| &prices.index))
}

/// `GET premiumIndexKlines`.
pub fn premiums(request: &Request) -> ApiResult {
    rows(request, "symbol", Some(8), |board| board.prices.as_deref().map(|prices| &prices.premium))
}

/// `GET continuousKlines`: there are contracts without an end alone.
pub fn continuous(request: &Request) -> ApiResult {
    rows(request, "pair", None, |board| Some(&board.candles))
}
