//! Market data in the app's form, and favourites (`spec/domain.md` 1.6).
//!
//! Owns: the app's form of market data. Never does: compute a price. Invariants: the same book as in the streams.
//! Known limits: as many candles and trades as boards and store keep.

use super::{Call, Outcome};
use crate::edge::fixed;
use crate::http::envelope::Answer;
use crate::http::errors::{Code, Failure};
use crate::market::board::{Board, read};
use crate::market::candles::{Candle, KEPT};
use crate::market::interval::Interval;
use crate::time::ts;
use serde_json::{Value, json};
use std::sync::{Arc, RwLock};
use xng_core::ids::AssetId;
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

/// Prices as JSON numbers are the one place where the app's form asks for them (`spec/domain.md` 1.6); charts only.
fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

fn candle(c: &Candle, places: usize) -> Value {
    let price = |a| number(&fixed(a, places));
    json!({
        "id": c.open_ms / 1_000, "time": c.open_ms, "open": price(c.open), "close": price(c.close),
        "high": price(c.high), "low": price(c.low), "volume": number(&c.volume.to_string()),
        "amount": number(&c.volume.to_string()), "vol": number(&c.turnover.to_string()),
    })
}

fn candles(rows: Vec<Value>) -> Answer {
    let rows = Value::Array(rows);
    Answer::ok(rows.clone()).and(rows)
}

/// `GET /currency/new_timeshar`: candles that open in `[from, to)`, seconds.
pub async fn candles_between(call: Call) -> Outcome {
    let (board, interval) = (board(&call)?, period(&call)?);
    let (from, to): (i64, i64) = (call.params.need_integer("from")?, call.params.need_integer("to")?);
    let top = i64::MAX / 1_000;
    if from < 0 || to <= from || to > top {
        return Err(Failure::field("to", "not after from"));
    }
    let board = read(&board);
    let inside = board.candles.series(interval).filter(|c| c.open_ms >= from * 1_000 && c.open_ms < to * 1_000);
    Ok(candles(inside.map(|c| candle(c, board.price_places())).collect()))
}

/// `GET /currency/kline_market_Daily`: the latest candles.
pub async fn latest_candles(call: Call) -> Outcome {
    let (board, interval) = (board(&call)?, period(&call)?);
    let limit: usize = call.params.integer("limit")?.unwrap_or(150);
    if limit == 0 || limit > KEPT {
        return Err(Failure::field("limit", "out of range"));
    }
    let board = read(&board);
    let series = board.candles.series(interval);
    let skip = series.len().saturating_sub(limit);
    Ok(candles(board.candles.series(interval).skip(skip).map(|c| candle(c, board.price_places())).collect()))
}

/// `GET /currency/depth`.
pub async fn depth(call: Call) -> Outcome {
    let board = board(&call)?;
    let limit: usize = call.params.integer("limit")?.unwrap_or(20);
    if limit == 0 || limit > 5_000 {
        return Err(Failure::field("limit", "out of range"));
    }
    let board = read(&board);
    let side = |side: Side| -> Vec<Value> {
        let levels = board.depth.levels(side).take(limit).map(|l| board.level(l));
        levels.map(|(p, q)| json!([fixed(p, board.price_places()), fixed(q, board.quantity_places())])).collect()
    };
    Ok(Answer::ok(json!({ "bids": side(Side::Buy), "asks": side(Side::Sell), "seq": board.depth.update() })))
}

/// `GET /currency/deals`: the latest trades, newest first.
pub async fn deals(call: Call) -> Outcome {
    let board = board(&call)?;
    let limit: usize = call.params.integer("limit")?.unwrap_or(50);
    if limit == 0 || limit > 1_000 {
        return Err(Failure::field("limit", "out of range"));
    }
    let board = read(&board);
    let row = |t: &crate::market::candles::TapeTrade| {
        json!({
            "id": t.id.published(), "price": fixed(t.price, board.price_places()),
            "amount": fixed(t.quantity, board.quantity_places()), "time": ts(t.time_ms), "time_ms": t.time_ms,
            "type": if t.buyer_is_maker { 2 } else { 1 }, "own": t.own(),
        })
    };
    Ok(Answer::ok(board.trades.iter().rev().take(limit).map(row).collect()))
}

/// `POST /optional/add`.
pub async fn favourite_add(call: Call) -> Outcome {
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
pub async fn favourite_del(call: Call) -> Outcome {
    let session = call.session().await?;
    call.app.shared.auth.favourite_del(session.account, call.params.need_integer("id")?).await?;
    Ok(call.said("done"))
}

/// `GET /optional/list`.
pub async fn favourites(call: Call) -> Outcome {
    let session = call.session().await?;
    let rows = call.app.shared.auth.favourites(session.account).await?;
    let row = |(id, currency, market): (u64, AssetId, xng_core::ids::MarketId)| json!({ "id": id, "currency_id": currency.0, "match_id": market.0 });
    Ok(Answer::ok(rows.into_iter().map(row).collect()))
}
