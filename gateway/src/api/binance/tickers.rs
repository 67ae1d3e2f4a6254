//! Tickers of `/api/v3` (`docs/rules/program-api.md "Market data"`): prices and volumes of a day, a trading day, or any window.
//!
//! Owns: which candles make up a window. Never does: look at a trade. Invariants: a ticker's numbers are of one moment.
//! Known limits: windows of more than a day are of candles of several minutes, because boards keep no more of the others.

use super::call::Venue;
use super::candles::in_zone;
use super::errors::ApiError;
use super::market::each;
use super::request::{ApiResult, Request};
use crate::common::decimal::fixed;
use crate::common::time::TimeUnit;
use crate::common::time::{Ms, now_ms};
use crate::market::board::{Board, Day};
use crate::market::candles::{Candle, KEPT};
use crate::market::interval::Interval;
use serde_json::{Value, json};
use xng_core::money::Amount;
use xng_core::spot::Side;

const MINUTE: Ms = 60_000;

fn best(b: &Board, side: Side) -> (String, String) {
    let (price, quantity) = b.best(side).unwrap_or_default();
    (fixed(price, b.price_places()), fixed(quantity, b.quantity_places()))
}

fn is_mini(request: &Request) -> bool {
    request.args.text("type") == Some("MINI")
}

/// What all tickers tell; `times` are begin and end of the window in milliseconds.
fn row(b: &Board, d: &Day, (open_ms, close_ms): (Ms, Ms), unit: TimeUnit, mini: bool) -> Value {
    let (price, quantity) = (b.price_places(), b.quantity_places());
    let id = |id: u64| if id == 0 { -1 } else { id as i64 };
    let mut row = json!({
        "symbol": b.params.symbol, "openPrice": fixed(d.open, price), "highPrice": fixed(d.high, price),
        "lowPrice": fixed(d.low, price), "lastPrice": fixed(d.close, price), "volume": fixed(d.volume, quantity),
        "quoteVolume": fixed(d.turnover, 8), "openTime": unit.of(open_ms), "closeTime": unit.of(close_ms),
        "firstId": id(d.first_trade), "lastId": id(d.last_trade), "count": d.trades,
    });
    if !mini {
        row["priceChange"] = fixed(d.change(), price).into();
        row["priceChangePercent"] = d.change_percent().into();
        row["weightedAvgPrice"] = fixed(d.average(), 8).into();
    }
    row
}

fn last_quantity(b: &Board) -> String {
    fixed(b.trades.back().map_or(Amount::ZERO, |t| t.quantity), b.quantity_places())
}

/// When a contract's board last changed is told with its prices.
fn timed(request: &Request, b: &Board, mut row: Value) -> Value {
    if request.venue == Venue::Futures {
        row["time"] = request.unit.of(b.updated_ms.max(b.index.map_or(0, |(_, at)| at))).into();
    }
    row
}

/// `GET ticker/24hr`.
pub fn ticker_24hr(request: &Request) -> ApiResult {
    let (mini, now) = (is_mini(request), now_ms());
    each(request, true, |b| {
        let day = b.day(now).unwrap_or_else(|| Day::quiet(now, Amount::ZERO));
        let mut row = row(b, &day, (day.open_ms, now), request.unit, mini);
        if !mini && request.venue == Venue::Futures {
            row["lastQty"] = last_quantity(b).into();
        } else if !mini {
            let (bid, bid_qty) = best(b, Side::Buy);
            let (ask, ask_qty) = best(b, Side::Sell);
            row["prevClosePrice"] = fixed(day.previous, b.price_places()).into();
            row["lastQty"] = last_quantity(b).into();
            row["bidPrice"] = bid.into();
            row["bidQty"] = bid_qty.into();
            row["askPrice"] = ask.into();
            row["askQty"] = ask_qty.into();
        }
        row
    })
}

/// What candles that ascend say together.
fn joined<'c>(mut candles: impl Iterator<Item = &'c Candle>) -> Option<Day> {
    let mut sum = *candles.next()?;
    candles.for_each(|candle| sum.join(candle));
    Some(Day {
        open_ms: sum.open_ms,
        open: sum.open,
        high: sum.high,
        low: sum.low,
        close: sum.close,
        previous: sum.open,
        volume: sum.volume,
        turnover: sum.turnover,
        trades: sum.trades,
        first_trade: sum.first_trade,
        last_trade: sum.last_trade,
    })
}

/// The shortest period whose candles are kept from `from` on, or are all that there ever were.
fn deep_enough(b: &Board, from: Ms) -> Interval {
    let reaches = |interval: &Interval| {
        let mut series = b.candles.series(*interval);
        series.len() < KEPT || series.next().is_some_and(|first| first.open_ms <= from)
    };
    Interval::ALL.into_iter().skip(1).find(reaches).unwrap_or(Interval::D1)
}

/// Milliseconds of `1m` to `59m`, `1h` to `23h`, `1d` to `7d`.
fn window(text: &str) -> Option<Ms> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let (most, length) = match unit {
        "m" => (59, MINUTE),
        "h" => (23, 60 * MINUTE),
        "d" => (7, 24 * 60 * MINUTE),
        _ => return None,
    };
    let plain = number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
    let number = number.parse::<Ms>().ok().filter(|_| plain)?;
    (1..=most).contains(&number).then_some(number * length)
}

/// `GET ticker`: of a window that begins with a minute.
pub fn ticker(request: &Request) -> ApiResult {
    let length = window(request.args.text("windowSize").unwrap_or("1d")).ok_or_else(|| ApiError::data("windowSize"))?;
    let (mini, now) = (is_mini(request), now_ms());
    let from = Interval::M1.span(now - length).0;
    each(request, false, |b| {
        let series = b.candles.series(deep_enough(b, from)).filter(|candle| candle.open_ms >= from);
        let day = joined(series).unwrap_or_else(|| Day::quiet(from, b.last_price().unwrap_or_default()));
        row(b, &day, (from, now), request.unit, mini)
    })
}

/// `GET ticker/tradingDay`: since midnight in a zone.
pub fn trading_day(request: &Request) -> ApiResult {
    let east = request.args.whole("timeZone").unwrap_or(0) * MINUTE;
    let (mini, now) = (is_mini(request), now_ms());
    let (from, to) = Interval::D1.span(now + east);
    let (from, to) = (from - east, to - east);
    each(request, false, |b| {
        let today = in_zone(b, Interval::D1, east).into_iter().rfind(|day| day.open_ms == from);
        let day = joined(today.iter()).unwrap_or_else(|| Day::quiet(from, b.last_price().unwrap_or_default()));
        row(b, &day, (from, to - 1), request.unit, mini)
    })
}

/// `GET ticker/price`.
pub fn ticker_price(request: &Request) -> ApiResult {
    each(request, true, |b| {
        let last = b.last_price().unwrap_or_default();
        timed(request, b, json!({ "symbol": b.params.symbol, "price": fixed(last, b.price_places()) }))
    })
}

/// `GET ticker/bookTicker`.
pub fn ticker_book(request: &Request) -> ApiResult {
    each(request, true, |b| {
        let (bid, bid_qty) = best(b, Side::Buy);
        let (ask, ask_qty) = best(b, Side::Sell);
        let row = json!({ "symbol": b.params.symbol, "bidPrice": bid, "bidQty": bid_qty, "askPrice": ask, "askQty": ask_qty });
        timed(request, b, row)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_minutes_hours_or_days() {
        for (text, minutes) in [("1m", 1), ("59m", 59), ("23h", 23 * 60), ("7d", 7 * 24 * 60)] {
            assert_eq!(window(text), Some(minutes * MINUTE), "{text}");
        }
        for bad in ["", "m", "0m", "60m", "24h", "8d", "01m", "1d2h", "+1m", "1s", "１m"] {
            assert_eq!(window(bad), None, "{bad}");
        }
    }
}
