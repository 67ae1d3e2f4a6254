//! Book and trades of `/api/v3` (`docs/rules/program-api.md "Market data"`), and what every call of market data needs.
//!
//! Owns: reading and answering these calls. Never does: need a login. Invariants: depth joins the depth streams by update
//! id. Known limits: trades as many as boards keep.

use super::call::Venue;
use super::errors::ApiError;
use super::params::Args;
use super::request::{ApiResult, Request};
use crate::api::http::writers::LARGE_ROWS;
use crate::common::decimal::fixed;
use crate::common::time::now_ms;
use crate::market::aggregates::Aggregate;
use crate::market::board::{Board, read};
use crate::market::candles::TapeTrade;
use crate::market::contracts::by_symbol;
use crate::market::payload::{DepthFormat, list, state_name};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::{Arc, RwLock};
use xng_core::spot::Side;

pub(super) type SharedBoard = Arc<RwLock<Board>>;

/// Trades that a call gives at most, and unless it is told.
const MOST_TRADES: usize = 1_000;
const TRADES: usize = 500;

/// `GET ping`.
pub fn ping(_: &Request) -> ApiResult {
    Ok("{}".to_owned().into())
}

/// `GET time`.
pub fn time(request: &Request) -> ApiResult {
    Ok(json!({ "serverTime": request.unit.of(now_ms()) }).into())
}

/// The board of `symbol`, in the state that `symbolStatus` asks for.
pub(super) fn board(request: &Request) -> Result<SharedBoard, ApiError> {
    let board = named(request, request.args.need("symbol")?)?;
    if is_in_status(&request.args, &read(&board)) { Ok(board) } else { Err(ApiError::status_mismatch()) }
}

fn is_in_status(args: &Args, board: &Board) -> bool {
    args.text("symbolStatus").is_none_or(|status| status == state_name(board.state))
}

pub(super) fn named(request: &Request, symbol: &str) -> Result<SharedBoard, ApiError> {
    let shared = &request.app.shared;
    let market = match request.venue {
        Venue::Spot => shared.listed().by_symbol(symbol).map(|m| m.params.market),
        Venue::Futures => by_symbol(&shared.contracts.now(), symbol).map(|(contract, _)| contract),
    };
    shared.boards.get(market.ok_or_else(ApiError::symbol)?).ok_or_else(ApiError::symbol)
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
pub(super) fn each(request: &Request, all: bool, row: impl Fn(&Board) -> Value) -> ApiResult {
    let names = wanted(&request.args)?;
    if request.args.has("symbol") {
        return Ok(row(&read(&*board(request)?)).into());
    }
    let boards = match names {
        Some(names) => names.iter().map(|name| named(request, name)).collect::<Result<Vec<SharedBoard>, ApiError>>()?,
        None if all => match request.venue {
            Venue::Spot => request.app.shared.boards.all(),
            Venue::Futures => request.app.shared.boards.contracts(),
        },
        None => return Err(ApiError::neither("symbol", "symbols")),
    };
    let boards = boards.iter().map(|board| read(board)).filter(|board| is_in_status(&request.args, board));
    Ok(Value::Array(boards.map(|board| row(&board)).collect()).into())
}

/// Rows that were copied, written by other threads if they are many.
pub(super) async fn rows<T: Send + 'static>(
    request: &Request,
    rows: Vec<T>,
    row: impl Fn(&mut String, &T) + Send + 'static,
) -> ApiResult {
    written(request, rows.len() > LARGE_ROWS, move || list(&rows, row)).await
}

async fn written(request: &Request, large: bool, write: impl FnOnce() -> String + Send + 'static) -> ApiResult {
    Ok(request.app.shared.writers.run_if(large, write).await.map_err(|_| ApiError::busy())?.into())
}

/// `GET depth`: levels and update id of the same moment.
pub async fn depth(request: Request) -> ApiResult {
    let (board, limit) = (board(&request)?, request.args.limit(100, 5_000));
    let look = |board: &Board| {
        let side = |side| board.depth.levels(side).take(limit).collect::<Vec<_>>();
        (DepthFormat::new(board), board.depth.update(), side(Side::Buy), side(Side::Sell))
    };
    let (format, update, bids, asks) = look(&read(&board));
    let large = bids.len() + asks.len() > LARGE_ROWS;
    let told = (request.venue == Venue::Futures).then(|| request.unit.now());
    let book = move || {
        let book = format.book(update, bids.into_iter(), asks.into_iter());
        // Futures tell the time too.
        match told {
            Some(now) => format!(r#"{{"E":{now},"T":{now},{}"#, &book[1..]),
            None => book,
        }
    };
    written(&request, large, book).await
}

/// `GET trades`, and `GET historicalTrades` with `fromId`.
pub async fn trades(request: Request) -> ApiResult {
    let board = board(&request)?;
    let (limit, from, unit) = (request.args.limit(TRADES, MOST_TRADES), request.args.whole("fromId"), request.unit);
    let look = |board: &Board| {
        let found = board.trades.iter().filter(|t| from.is_none_or(|id| t.id as i64 >= id)).copied().collect();
        (part(found, limit, from.is_some()).collect::<Vec<_>>(), board.price_places(), board.quantity_places())
    };
    let (found, price, quantity) = look(&read(&board));
    let end = if request.venue == Venue::Spot { r#","isBestMatch":true}"# } else { "}" };
    let row = move |out: &mut String, t: &TapeTrade| {
        let written = write!(
            out,
            r#"{{"id":{},"price":"{}","qty":"{}","quoteQty":"{}","time":{},"isBuyerMaker":{}{end}"#,
            t.id,
            fixed(t.price, price),
            fixed(t.quantity, quantity),
            fixed(t.quote, 8),
            unit.of(t.time_ms),
            t.buyer_is_maker,
        );
        debug_assert!(written.is_ok(), "a text takes any text");
    };
    rows(&request, found, row).await
}

/// The oldest or the newest of what ascends, ascending.
pub(super) fn part<T>(all: Vec<T>, limit: usize, oldest: bool) -> impl Iterator<Item = T> {
    let skip = if oldest { 0 } else { all.len().saturating_sub(limit) };
    all.into_iter().skip(skip).take(limit)
}

/// `GET aggTrades`.
pub async fn agg_trades(request: Request) -> ApiResult {
    let args = &request.args;
    let board = board(&request)?;
    let limit = args.limit(TRADES, MOST_TRADES);
    let (from_id, start, end) = (args.whole("fromId"), args.whole("startTime"), args.whole("endTime"));
    if from_id.is_some() && (start.is_some() || end.is_some()) {
        return Err(ApiError::combination());
    }
    let look = |board: &Board| (board.aggregates(), board.price_places(), board.quantity_places());
    let (all, price, quantity) = look(&read(&board));
    let inside = |a: &Aggregate| {
        let us = a.time_ms * 1_000;
        from_id.is_none_or(|id| a.first as i64 >= id)
            && start.is_none_or(|start| us >= start)
            && end.is_none_or(|end| us <= end)
    };
    let unit = request.unit;
    let end = if request.venue == Venue::Spot { r#","M":true}"# } else { "}" };
    let row = move |out: &mut String, a: &Aggregate| {
        let written = write!(
            out,
            r#"{{"a":{},"p":"{}","q":"{}","f":{},"l":{},"T":{},"m":{}{end}"#,
            a.first,
            fixed(a.price, price),
            fixed(a.quantity, quantity),
            a.first,
            a.last,
            unit.of(a.time_ms),
            a.buyer_is_maker,
        );
        debug_assert!(written.is_ok(), "a text takes any text");
    };
    let oldest = from_id.is_some() || start.is_some();
    let found = part(all.into_iter().filter(inside).collect(), limit, oldest).collect();
    rows(&request, found, row).await
}
