//! Candles of `/api/v3` (`docs/rules/program-api.md "Market data"`), also as other zones count days, and the average price.
//!
//! Owns: candles that begin at midnight elsewhere. Never does: make a candle of trades. Invariants: a zone's candle is the
//! join of whole shorter ones. Known limits: as many candles as boards keep; in another zone fewer of the long ones.

use super::call::Venue;
use super::errors::ApiError;
use super::market::{board, part, rows};
use super::request::{ApiResult, Request};
use crate::common::decimal::fixed;
use crate::common::time::{Ms, now_ms};
use crate::market::board::{AVERAGE_MINUTES, Board, read};
use crate::market::candles::{Candle, KEPT};
use crate::market::interval::Interval;
use crate::market::payload::put_text;
use serde_json::json;
use std::fmt::Write;

const MOST_CANDLES: usize = 1_000;
const CANDLES: usize = 500;
const DAY: Ms = 86_400_000;

/// Begin of the candle that `at` lies in and of the next one, in a zone so far east of UTC.
fn span(interval: Interval, at: Ms, east: Ms) -> (Ms, Ms) {
    let (open, next) = interval.span(at + east);
    (open - east, next - east)
}

/// The longest period whose candles make up those of `interval` in a zone.
fn base(interval: Interval, east: Ms) -> Interval {
    // Months are whole days.
    let whole = interval.length().unwrap_or(DAY);
    let fits = |b: &Interval| b.length().is_some_and(|l| l <= whole && whole % l == 0 && east % l == 0);
    Interval::ALL.into_iter().rev().find(fits).unwrap_or(Interval::M1)
}

/// A market's candles in a zone so far east of UTC, oldest first.
pub(super) fn in_zone(board: &Board, interval: Interval, east: Ms) -> Vec<Candle> {
    if span(interval, 0, east) == interval.span(0) {
        return board.candles.series(interval).copied().collect();
    }
    let parts = board.candles.series(base(interval, east));
    let is_cut = parts.len() == KEPT;
    let mut joined: Vec<Candle> = Vec::new();
    for part in parts {
        let open_ms = span(interval, part.open_ms, east).0;
        match joined.last_mut() {
            Some(last) if last.open_ms == open_ms => last.join(part),
            // Of the first one a part may have been forgotten.
            None if is_cut && open_ms != part.open_ms => {}
            _ => joined.push(Candle { open_ms, ..*part }),
        }
    }
    joined
}

/// `GET klines` and `GET uiKlines`.
pub async fn klines(request: Request) -> ApiResult {
    let args = &request.args;
    let board = board(&request)?;
    let interval = args.text("interval").and_then(Interval::parse).ok_or_else(|| ApiError::missing("interval"))?;
    let (start, end) = (args.whole("startTime"), args.whole("endTime"));
    let east = args.whole("timeZone").unwrap_or(0) * 60_000;
    let inside = |c: &Candle| {
        let us = c.open_ms * 1_000;
        start.is_none_or(|start| us >= start) && end.is_none_or(|end| us <= end)
    };
    let limit = args.limit(CANDLES, if request.venue == Venue::Futures { KEPT } else { MOST_CANDLES });
    let look = |board: &Board| {
        let places = (board.price_places(), board.quantity_places());
        (in_zone(board, interval, east), places)
    };
    let (all, (price, quantity)) = look(&read(&board));
    let found: Vec<Candle> = part(all.into_iter().filter(inside).collect(), limit, start.is_some()).collect();
    let unit = request.unit;
    let row = move |out: &mut String, c: &Candle| {
        // The last moment in the unit that was asked for.
        let close = unit.of(span(interval, c.open_ms, east).1) - 1;
        let written = write!(out, "[{}", unit.of(c.open_ms));
        let prices = [c.open, c.high, c.low, c.close].map(|price_of| (price_of, price));
        for (amount, places) in prices.into_iter().chain([(c.volume, quantity)]) {
            out.push(',');
            put_text(out, amount, places);
        }
        let written = written.and_then(|()| write!(out, ",{close},"));
        put_text(out, c.turnover, 8);
        let written = written.and_then(|()| write!(out, ",{},", c.trades));
        put_text(out, c.taker_base, quantity);
        out.push(',');
        put_text(out, c.taker_quote, 8);
        out.push_str(r#","0"]"#);
        debug_assert!(written.is_ok(), "a text takes any text");
    };
    rows(&request, found, row).await
}

/// `GET avgPrice`.
pub fn avg_price(request: &Request) -> ApiResult {
    let board = board(request)?;
    let b = read(&board);
    let (price, close) = b.average(now_ms()).unwrap_or_default();
    Ok(json!({ "mins": AVERAGE_MINUTES, "price": fixed(price, 8), "closeTime": request.unit.of(close) }).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Ms = 3_600_000;

    #[test]
    fn a_zones_candles_are_made_of_the_longest_that_fit() {
        assert_eq!(base(Interval::D1, 8 * HOUR), Interval::H8);
        assert_eq!(base(Interval::D1, -5 * HOUR), Interval::H1);
        assert_eq!(base(Interval::W1, 9 * HOUR + HOUR / 2), Interval::M30);
        assert_eq!(base(Interval::Mo1, 5 * HOUR + 3 * HOUR / 4), Interval::M15);
        assert_eq!(base(Interval::H4, 2 * HOUR), Interval::H2);
    }

    #[test]
    fn a_zones_day_begins_at_its_own_midnight() {
        // 2024-08-08 00:00 UTC.
        let midnight = 1_723_075_200_000;
        assert_eq!(span(Interval::D1, midnight, 8 * HOUR), (midnight - 8 * HOUR, midnight + 16 * HOUR));
        assert_eq!(span(Interval::D1, midnight, -5 * HOUR), (midnight - 19 * HOUR, midnight + 5 * HOUR));
        assert_eq!(span(Interval::M1, midnight, 8 * HOUR), Interval::M1.span(midnight));
    }
}
