//! Market data calls of `/api/v3` (`design/api.md` section 2).
//!
//! Owns: reading and answering them. Never does: need a login. Invariants: depth joins the depth streams by update
//! id. Known limits: history as deep as boards and store.

use super::errors::ApiError;
use super::{Outcome, Query};
use crate::edge::fixed;
use crate::market::board::{Board, Day, read};
use crate::market::candles::TapeTrade;
use crate::market::interval::Interval;
use crate::market::payload::DepthFormat;
use crate::time::{Ms, now_ms};
use serde_json::{Value, json};
use std::sync::{Arc, RwLock};
use xng_core::money::Amount;
use xng_core::spot::Side;

type Shared = Arc<RwLock<Board>>;

/// `GET ping`.
pub fn ping(query: &Query) -> Outcome {
    query.only(&[])?;
    Ok("{}".into())
}

/// `GET time`.
pub fn time(query: &Query) -> Outcome {
    query.only(&[])?;
    Ok(json!({ "serverTime": now_ms() }).to_string())
}

fn symbol_shape(symbol: &str, name: &str) -> Result<(), ApiError> {
    let legal =
        (1..=20).contains(&symbol.len()) && symbol.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    if legal { Ok(()) } else { Err(ApiError::illegal(name)) }
}

fn board(query: &Query) -> Result<Shared, ApiError> {
    named(query, query.need("symbol")?)
}

fn named(query: &Query, symbol: &str) -> Result<Shared, ApiError> {
    symbol_shape(symbol, "symbol")?;
    let catalog = query.app.shared.listed();
    let market = catalog.by_symbol(symbol).map(|m| m.params.market).ok_or_else(ApiError::symbol)?;
    query.app.shared.boards.get(market).ok_or_else(ApiError::symbol)
}

/// Names of `symbol` or `symbols`; both together are refused.
pub(super) fn wanted(query: &Query) -> Result<Option<Vec<String>>, ApiError> {
    match (query.get("symbol"), query.get("symbols")) {
        (Some(_), Some(_)) => Err(ApiError::combination()),
        (Some(symbol), None) => {
            symbol_shape(symbol, "symbol")?;
            Ok(Some(vec![symbol.to_owned()]))
        }
        (None, Some(list)) => {
            let names: Vec<String> = serde_json::from_str(list).map_err(|_| ApiError::illegal("symbols"))?;
            if names.is_empty() {
                return Err(ApiError::illegal("symbols"));
            }
            names.iter().try_for_each(|n| symbol_shape(n, "symbols"))?;
            Ok(Some(names))
        }
        (None, None) => Ok(None),
    }
}

/// `GET depth`: levels and update id of the same moment.
pub fn depth(query: &Query) -> Outcome {
    query.only(&["symbol", "limit", "symbolStatus"])?;
    let board = board(query)?;
    let limit = query.limit(100, 5_000)?;
    let board = read(&board);
    Ok(DepthFormat::new(&board).snapshot(&board, limit))
}

fn plain_trade(b: &Board, t: &TapeTrade) -> Value {
    json!({
        "id": t.id, "price": fixed(t.price, b.price_places()), "qty": fixed(t.quantity, b.quantity_places()),
        "quoteQty": fixed(t.quote, 8), "time": t.time_ms, "isBuyerMaker": t.buyer_is_maker, "isBestMatch": true,
    })
}

/// `GET trades`.
pub fn trades(query: &Query) -> Outcome {
    query.only(&["symbol", "limit"])?;
    let board = board(query)?;
    let limit = query.limit(500, 1_000)?;
    let b = read(&board);
    let skip = b.trades.len().saturating_sub(limit);
    Ok(Value::Array(b.trades.iter().skip(skip).map(|t| plain_trade(&b, t)).collect()).to_string())
}

/// `GET aggTrades`.
pub fn agg_trades(query: &Query) -> Outcome {
    query.only(&["symbol", "limit", "fromId", "startTime", "endTime"])?;
    let board = board(query)?;
    let limit = query.limit(500, 1_000)?;
    let from_id = query.integer("fromId")?;
    let (start, end) = (query.integer("startTime")?, query.integer("endTime")?);
    if from_id.is_some() && (start.is_some() || end.is_some()) {
        return Err(ApiError::combination());
    }
    let b = read(&board);
    let inside = |t: &&TapeTrade| {
        from_id.is_none_or(|id| t.id as i64 >= id)
            && start.is_none_or(|s| t.time_ms >= s)
            && end.is_none_or(|e| t.time_ms <= e)
    };
    let row = |t: &TapeTrade| {
        json!({
            "a": t.id, "p": fixed(t.price, b.price_places()), "q": fixed(t.quantity, b.quantity_places()),
            "f": t.id, "l": t.id, "T": t.time_ms, "m": t.buyer_is_maker, "M": true,
        })
    };
    let found: Vec<&TapeTrade> = b.trades.iter().filter(inside).collect();
    let oldest_first = from_id.is_some() || start.is_some();
    let skip = if oldest_first { 0 } else { found.len().saturating_sub(limit) };
    Ok(Value::Array(found.into_iter().skip(skip).take(limit).map(row).collect()).to_string())
}

/// `GET klines`.
pub fn klines(query: &Query) -> Outcome {
    query.only(&["symbol", "interval", "limit", "startTime", "endTime", "timeZone"])?;
    let board = board(query)?;
    let interval = Interval::parse(query.need("interval")?).ok_or_else(ApiError::interval)?;
    let limit = query.limit(500, 1_000)?;
    let (start, end) = (query.integer("startTime")?, query.integer("endTime")?);
    let b = read(&board);
    let (price, quantity) = (b.price_places(), b.quantity_places());
    let inside = b
        .candles
        .series(interval)
        .filter(|c| start.is_none_or(|s: Ms| c.open_ms >= s) && end.is_none_or(|e: Ms| c.open_ms <= e));
    let found: Vec<_> = inside.collect();
    let skip = if start.is_some() { 0 } else { found.len().saturating_sub(limit) };
    let row = |c: &&crate::market::candles::Candle| {
        json!([
            c.open_ms,
            fixed(c.open, price),
            fixed(c.high, price),
            fixed(c.low, price),
            fixed(c.close, price),
            fixed(c.volume, quantity),
            interval.span(c.open_ms).1 - 1,
            fixed(c.turnover, 8),
            c.trades,
            fixed(c.taker_base, quantity),
            fixed(c.taker_quote, 8),
            "0",
        ])
    };
    Ok(Value::Array(found.iter().skip(skip).take(limit).map(row).collect()).to_string())
}

/// One object for `symbol`, a list otherwise.
fn each(query: &Query, row: impl Fn(&Board) -> Value) -> Outcome {
    match wanted(query)? {
        Some(names) if query.get("symbol").is_some() => Ok(row(&read(&*named(query, &names[0])?)).to_string()),
        Some(names) => {
            let boards: Result<Vec<Shared>, ApiError> = names.iter().map(|n| named(query, n)).collect();
            Ok(Value::Array(boards?.iter().map(|b| row(&read(b))).collect()).to_string())
        }
        None => Ok(Value::Array(query.app.shared.boards.all().iter().map(|b| row(&read(b))).collect()).to_string()),
    }
}

fn best(b: &Board, side: Side) -> (String, String) {
    let (price, quantity) = b.best(side).unwrap_or_default();
    (fixed(price, b.price_places()), fixed(quantity, b.quantity_places()))
}

fn day_row(b: &Board, mini: bool) -> Value {
    let now = now_ms();
    let empty = Day {
        open_ms: now,
        open: Amount::ZERO,
        high: Amount::ZERO,
        low: Amount::ZERO,
        close: Amount::ZERO,
        previous: Amount::ZERO,
        volume: Amount::ZERO,
        turnover: Amount::ZERO,
        trades: 0,
        first_trade: 0,
        last_trade: 0,
    };
    let d = b.day(now).unwrap_or(empty);
    let (price, quantity) = (b.price_places(), b.quantity_places());
    let id = |id: u64| if id == 0 { -1 } else { id as i64 };
    let mut row = json!({
        "symbol": b.params.symbol, "openPrice": fixed(d.open, price), "highPrice": fixed(d.high, price),
        "lowPrice": fixed(d.low, price), "lastPrice": fixed(d.close, price), "volume": fixed(d.volume, quantity),
        "quoteVolume": fixed(d.turnover, 8), "openTime": d.open_ms, "closeTime": now,
        "firstId": id(d.first_trade), "lastId": id(d.last_trade), "count": d.trades,
    });
    if !mini {
        let (bid, bid_qty) = best(b, Side::Buy);
        let (ask, ask_qty) = best(b, Side::Sell);
        let last_qty = b.trades.back().map_or(Amount::ZERO, |t| t.quantity);
        row["priceChange"] = fixed(d.change(), price).into();
        row["priceChangePercent"] = d.change_percent().into();
        row["weightedAvgPrice"] = fixed(d.average(), 8).into();
        row["prevClosePrice"] = fixed(d.previous, price).into();
        row["lastQty"] = fixed(last_qty, quantity).into();
        row["bidPrice"] = bid.into();
        row["bidQty"] = bid_qty.into();
        row["askPrice"] = ask.into();
        row["askQty"] = ask_qty.into();
    }
    row
}

/// `GET ticker/24hr`.
pub fn ticker_24hr(query: &Query) -> Outcome {
    query.only(&["symbol", "symbols", "type", "symbolStatus"])?;
    let mini = match query.get("type") {
        None | Some("FULL") => false,
        Some("MINI") => true,
        Some(_) => return Err(ApiError::illegal("type")),
    };
    each(query, |b| day_row(b, mini))
}

/// `GET ticker/price`.
pub fn ticker_price(query: &Query) -> Outcome {
    query.only(&["symbol", "symbols", "symbolStatus"])?;
    each(query, |b| {
        let last = b.last_price().unwrap_or_default();
        json!({ "symbol": b.params.symbol, "price": fixed(last, b.price_places()) })
    })
}

/// `GET ticker/bookTicker`.
pub fn ticker_book(query: &Query) -> Outcome {
    query.only(&["symbol", "symbols", "symbolStatus"])?;
    each(query, |b| {
        let (bid, bid_qty) = best(b, Side::Buy);
        let (ask, ask_qty) = best(b, Side::Sell);
        json!({ "symbol": b.params.symbol, "bidPrice": bid, "bidQty": bid_qty, "askPrice": ask, "askQty": ask_qty })
    })
}
