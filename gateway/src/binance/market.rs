//! Book and trades of `/api/v3` (`design/api.md` section 2), and what every call of market data needs.
//!
//! Owns: reading and answering these calls. Never does: need a login. Invariants: depth joins the depth streams by update
//! id. Known limits: trades as many as boards keep.

use super::errors::ApiError;
use super::params::Args;
use super::request::{Outcome, Request};
use crate::edge::fixed;
use crate::market::aggregates::Aggregate;
use crate::market::board::{Board, read};
use crate::market::candles::TapeTrade;
use crate::market::payload::{DepthFormat, state_name};
use crate::time::now_ms;
use serde_json::{Value, json};
use std::sync::{Arc, RwLock};

pub(super) type Shared = Arc<RwLock<Board>>;

/// Trades that a call gives at most, and unless it is told.
const MOST_TRADES: usize = 1_000;
const TRADES: usize = 500;

/// `GET ping`.
pub fn ping(_: &Request) -> Outcome {
    Ok("{}".to_owned().into())
}

/// `GET time`.
pub fn time(request: &Request) -> Outcome {
    Ok(json!({ "serverTime": request.unit.of(now_ms()) }).into())
}

/// The board of `symbol`, in the state that `symbolStatus` asks for.
pub(super) fn board(request: &Request) -> Result<Shared, ApiError> {
    let board = named(request, request.args.need("symbol")?)?;
    if is_in_status(&request.args, &read(&board)) { Ok(board) } else { Err(ApiError::status_mismatch()) }
}

fn is_in_status(args: &Args, board: &Board) -> bool {
    args.text("symbolStatus").is_none_or(|status| status == state_name(board.state))
}

pub(super) fn named(request: &Request, symbol: &str) -> Result<Shared, ApiError> {
    let catalog = request.app.shared.listed();
    let market = catalog.by_symbol(symbol).map(|m| m.params.market).ok_or_else(ApiError::symbol)?;
    request.app.shared.boards.get(market).ok_or_else(ApiError::symbol)
}

/// Names of `symbol` or `symbols`; both together are refused.
pub(super) fn wanted(args: &Args) -> Result<Option<Vec<String>>, ApiError> {
    match (args.text("symbol"), args.names("symbols")) {
        (Some(_), Some(_)) => Err(ApiError::combination()),
        (Some(symbol), None) => Ok(Some(vec![symbol.to_owned()])),
        (None, names) => Ok(names.map(<[String]>::to_vec)),
    }
}

/// One object for `symbol`, a list otherwise: of those that are named, or of all when `all` may be asked for.
pub(super) fn each(request: &Request, all: bool, row: impl Fn(&Board) -> Value) -> Outcome {
    let names = wanted(&request.args)?;
    if request.args.has("symbol") {
        return Ok(row(&read(&*board(request)?)).into());
    }
    let boards = match names {
        Some(names) => names.iter().map(|name| named(request, name)).collect::<Result<Vec<Shared>, ApiError>>()?,
        None if all => request.app.shared.boards.all(),
        None => return Err(ApiError::neither("symbol", "symbols")),
    };
    let boards = boards.iter().map(|board| read(board)).filter(|board| is_in_status(&request.args, board));
    Ok(Value::Array(boards.map(|board| row(&board)).collect()).into())
}

/// `GET depth`: levels and update id of the same moment.
pub fn depth(request: &Request) -> Outcome {
    let board = board(request)?;
    let board = read(&board);
    Ok(DepthFormat::new(&board).snapshot(&board, request.args.limit(100, 5_000)).into())
}

/// `GET trades`, and `GET historicalTrades` with `fromId`.
pub fn trades(request: &Request) -> Outcome {
    let board = board(request)?;
    let limit = request.args.limit(TRADES, MOST_TRADES);
    let b = read(&board);
    let row = |t: &TapeTrade| {
        json!({
            "id": t.id.published(), "price": fixed(t.price, b.price_places()), "qty": fixed(t.quantity, b.quantity_places()),
            "quoteQty": fixed(t.quote, 8), "time": request.unit.of(t.time_ms), "isBuyerMaker": t.buyer_is_maker,
            "isBestMatch": true,
        })
    };
    let from = request.args.whole("fromId");
    let found = b.trades.iter().filter(|t| from.is_none_or(|id| t.id.published() as i64 >= id)).collect();
    Ok(Value::Array(part(found, limit, from.is_some()).map(row).collect()).into())
}

/// The oldest or the newest of what ascends, ascending.
pub(super) fn part<T>(all: Vec<T>, limit: usize, oldest: bool) -> impl Iterator<Item = T> {
    let skip = if oldest { 0 } else { all.len().saturating_sub(limit) };
    all.into_iter().skip(skip).take(limit)
}

/// `GET aggTrades`.
pub fn agg_trades(request: &Request) -> Outcome {
    let args = &request.args;
    let board = board(request)?;
    let limit = args.limit(TRADES, MOST_TRADES);
    let (from_id, start, end) = (args.whole("fromId"), args.whole("startTime"), args.whole("endTime"));
    if from_id.is_some() && (start.is_some() || end.is_some()) {
        return Err(ApiError::combination());
    }
    let b = read(&board);
    let inside = |a: &Aggregate| {
        let us = a.time_ms * 1_000;
        from_id.is_none_or(|id| a.first.published() as i64 >= id)
            && start.is_none_or(|start| us >= start)
            && end.is_none_or(|end| us <= end)
    };
    let row = |a: Aggregate| {
        json!({
            "a": a.first.published(), "p": fixed(a.price, b.price_places()), "q": fixed(a.quantity, b.quantity_places()),
            "f": a.first.published(), "l": a.last.published(), "T": request.unit.of(a.time_ms), "m": a.buyer_is_maker, "M": true,
        })
    };
    let found = b.aggregates().into_iter().filter(inside).collect();
    let oldest = from_id.is_some() || start.is_some();
    Ok(Value::Array(part(found, limit, oldest).map(row).collect()).into())
}
