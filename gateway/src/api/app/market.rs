//! Market data in the app's form, and favourites (`docs/rules/app-calls.md "Market data"`).
//!
//! Owns: the app's form of market data. Never does: compute a price; hold a board while it writes. Invariants: the same book
//! as in the streams; a call weighs what it writes.
//! Known limits: as many candles and trades as boards and store keep.

use super::call::{Call, CallResult};
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::api::http::writers::LARGE_ROWS;
use crate::common::decimal::{fixed, put_fixed};
use crate::common::time::ts;
use crate::market::board::{Board, read};
use crate::market::candles::{Candle, KEPT, TapeTrade};
use crate::market::interval::Interval;
use crate::market::payload::{list, put_text};
use serde_json::json;
use std::fmt::Write;
use std::sync::{Arc, RwLock};
use xng_core::ids::AssetId;
use xng_core::money::Amount;
use xng_core::spot::Side;

fn board(call: &Call) -> Result<Arc<RwLock<Board>>, Failure> {
    let symbol = call.params.need("symbol")?;
    let catalog = call.app.shared.listed();
    let market = catalog.by_symbol(symbol).ok_or_else(|| Failure::text(Code::NotFound, "unknown_pair"))?;
    call.app.shared.boards.get(market.params.market).ok_or(Code::NotFound.into())
}

fn period(call: &Call) -> Result<Interval, Failure> {
    Interval::parse_h5(call.params.need("period")?).ok_or_else(|| Failure::field("period", "unknown"))
}

/// Candles that one call gives at most (`docs/rules/prices.md "Candles"`).
const MOST_CANDLES: usize = KEPT;

/// What so many rows weigh.
pub(super) fn weight(rows: usize) -> u64 {
    1 + rows as u64 / 50
}

/// Prices as JSON numbers, for charts only: nowhere else does the app's form ask for them
/// (`docs/rules/money.md "Decimals in answers"`).
fn put_candle(out: &mut String, c: &Candle, places: usize) {
    let written = write!(out, r#"{{"id":{},"time":{}"#, c.open_ms / 1_000, c.open_ms);
    debug_assert!(written.is_ok(), "a text takes any text");
    let prices = [("open", c.open), ("close", c.close), ("high", c.high), ("low", c.low)];
    let amounts = [("volume", c.volume), ("amount", c.volume), ("vol", c.turnover)];
    let all = prices.map(|(name, value)| (name, value, places)).into_iter();
    for (name, value, places) in all.chain(amounts.map(|(name, value)| (name, value, 8))) {
        out.push_str(",\"");
        out.push_str(name);
        out.push_str("\":");
        put_fixed(out, value, places);
    }
    out.push('}');
}

async fn candles(call: &Call, found: Vec<Candle>, places: usize) -> CallResult {
    call.written(found, true, move |out, candle| put_candle(out, candle, places)).await
}

/// `GET /currency/new_timeshar`: candles that open in `[from, to)`, seconds.
pub async fn candles_between(call: Call) -> CallResult {
    let (board, interval) = (board(&call)?, period(&call)?);
    let (from, to): (i64, i64) = (call.params.need_integer("from")?, call.params.need_integer("to")?);
    let top = i64::MAX / 1_000;
    if from < 0 || to <= from || to > top {
        return Err(Failure::field("to", "not after from"));
    }
    let look = |board: &Board| {
        let (from, to) = (from * 1_000, to * 1_000);
        (board.candles.between(interval, (from, to), MOST_CANDLES), board.price_places())
    };
    let (found, places) = look(&read(&board));
    call.weighs(weight(found.len())).await?;
    candles(&call, found, places).await
}

/// `GET /currency/kline_market_Daily`: the latest candles.
pub async fn latest_candles(call: Call) -> CallResult {
    let (board, interval) = (board(&call)?, period(&call)?);
    let limit: usize = call.params.integer("limit")?.unwrap_or(150);
    if limit == 0 || limit > MOST_CANDLES {
        return Err(Failure::field("limit", "out of range"));
    }
    call.weighs(weight(limit)).await?;
    let look = |board: &Board| (board.candles.latest(interval, limit), board.price_places());
    let (found, places) = look(&read(&board));
    candles(&call, found, places).await
}

/// `GET /currency/depth`.
pub async fn depth(call: Call) -> CallResult {
    let board = board(&call)?;
    let limit: usize = call.params.integer("limit")?.unwrap_or(20);
    if limit == 0 || limit > 5_000 {
        return Err(Failure::field("limit", "out of range"));
    }
    call.weighs(weight(2 * limit.min(1_000))).await?;
    let look = |board: &Board| {
        let side = |side| board.depth.levels(side).take(limit).map(|l| board.level(l)).collect::<Vec<_>>();
        let places = (board.price_places(), board.quantity_places());
        (side(Side::Buy), side(Side::Sell), board.depth.update(), places)
    };
    let (bids, asks, seq, (price, quantity)) = look(&read(&board));
    let large = bids.len() + asks.len() > LARGE_ROWS;
    let write = move || {
        let level = |out: &mut String, (p, q): &(Amount, Amount)| {
            out.push('[');
            put_text(out, *p, price);
            out.push(',');
            put_text(out, *q, quantity);
            out.push(']');
        };
        let (bids, asks) = (list(&bids, level), list(&asks, level));
        Answer::body_of(&format!(r#"{{"bids":{bids},"asks":{asks},"seq":{seq}}}"#), false)
    };
    Ok(Answer::written(call.app.shared.writers.run_if(large, write).await.map_err(|_| Code::Busy)?))
}

/// `GET /currency/deals`: the latest trades, newest first.
pub async fn deals(call: Call) -> CallResult {
    let board = board(&call)?;
    let limit: usize = call.params.integer("limit")?.unwrap_or(50);
    if limit == 0 || limit > 1_000 {
        return Err(Failure::field("limit", "out of range"));
    }
    call.weighs(weight(limit)).await?;
    let look = |board: &Board| {
        let latest: Vec<TapeTrade> = board.trades.iter().rev().take(limit).copied().collect();
        (latest, board.price_places(), board.quantity_places())
    };
    let (latest, price, quantity) = look(&read(&board));
    let row = move |out: &mut String, t: &TapeTrade| {
        let written = write!(
            out,
            r#"{{"id":{},"price":"{}","amount":"{}","time":"{}","time_ms":{},"type":{},"own":{}}}"#,
            t.id,
            fixed(t.price, price),
            fixed(t.quantity, quantity),
            ts(t.time_ms),
            t.time_ms,
            if t.buyer_is_maker { 2 } else { 1 },
            t.own(),
        );
        debug_assert!(written.is_ok(), "a text takes any text");
    };
    call.written(latest, false, row).await
}

/// `POST /optional/add`.
pub async fn favourite_add(call: Call) -> CallResult {
    let session = call.session().await?;
    let currency = AssetId(call.params.need_integer("currency_id")?);
    let catalog = call.app.shared.listed();
    let wanted: Option<u16> = call.params.integer("match_id")?;
    let market = match wanted {
        Some(id) => catalog.markets.values().find(|m| m.params.market.0 == id && m.params.base == currency),
        None => catalog.markets.values().find(|m| m.params.base == currency),
    };
    let market = market.ok_or_else(|| Failure::text(Code::NotFound, "unknown_pair"))?;
    let id = call.app.shared.auth.favourite_add(session.account, currency, market.params.market).await?;
    Ok(Answer::ok(json!({ "id": id })))
}

/// `POST /optional/del`.
pub async fn favourite_del(call: Call) -> CallResult {
    let session = call.session().await?;
    call.app.shared.auth.favourite_del(session.account, call.params.need_integer("id")?).await?;
    Ok(call.said("done"))
}

/// `GET /optional/list`.
pub async fn favourites(call: Call) -> CallResult {
    let session = call.session().await?;
    let rows = call.app.shared.auth.favourites(session.account).await?;
    let row = |(id, currency, market): (u64, AssetId, xng_core::ids::MarketId)| json!({ "id": id, "currency_id": currency.0, "match_id": market.0 });
    Ok(Answer::ok(rows.into_iter().map(row).collect()))
}
