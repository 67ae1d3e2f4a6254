//! `GET order`, `openOrders`, `allOrders`, `myTrades`, `myPreventedMatches`, `order/amendments`, `myAllocations`.
//!
//! Owns: which orders and fills are meant. Never does: change one. Invariants: rows ascend; what is in memory goes before
//! what the store says of it. Known limits: prevented matches of journals before they were recorded are not listed.

use super::rows;
use crate::api::binance::errors::ApiError;
use crate::api::binance::params::Args;
use crate::api::binance::request::{ApiResult, Request};
use crate::orders::lookup::{
    amendments_of, fills_between, find_named, find_order, find_orders, orders_of, prevented_from, view,
};
use serde_json::Value;
use xng_core::account::Fill;
use xng_core::entity::TimeNs;
use xng_core::ids::{ClientOrderId, MARKET_SPAN, OrderId, PreventedId, TradeId};
use xng_persistence::store::{FillFilter, OrderFilter, PreventedFilter, StoredAmendment};

const MOST_ROWS: usize = 1_000;
const ROWS: usize = 500;
const DAY_US: i64 = 86_400_000_000;
const SPAN_HOURS: u32 = 24;

/// `GET order`.
pub async fn order(request: Request) -> ApiResult {
    let market = super::market(&request)?.params.market;
    let account = request.account()?;
    let named = request.args.text("origClientOrderId").and_then(ClientOrderId::parse);
    let found = match (request.args.whole("orderId"), named) {
        (Some(id), _) => find_order(&request.app, account, OrderId(id.unsigned_abs())).await?,
        (None, Some(name)) => find_named(&request.app, account, market, name).await?,
        (None, None) => return Err(ApiError::no_such_order()),
    };
    if found.units.market != market {
        return Err(ApiError::no_such_order());
    }
    if named.is_some() && found.client_id != named {
        return Err(ApiError::other_order());
    }
    Ok(rows::order(&found, &request.app.shared.listed(), request.unit).into())
}

/// `GET openOrders`: of one market or of all, oldest first.
pub async fn open_orders(request: Request) -> ApiResult {
    let only = match request.args.has("symbol") {
        true => Some(super::market(&request)?.params.market),
        false => None,
    };
    let view = view(&request.app, request.account()?).await?;
    let catalog = request.app.shared.listed();
    let mut open: Vec<_> = view.open.iter().filter(|o| only.is_none_or(|only| o.units.market == only)).collect();
    open.sort_unstable_by_key(|o| (o.created, o.order));
    Ok(Value::Array(open.iter().map(|o| rows::order(o, &catalog, request.unit)).collect()).into())
}

/// A span of time from parameters in microseconds: from, and before.
pub(in crate::api::binance) fn span(args: &Args) -> (Option<TimeNs>, Option<TimeNs>) {
    // The store's times are signed.
    let ns = |us: i64| us.saturating_mul(1_000).unsigned_abs();
    // An end in milliseconds means all of that millisecond.
    let until = |us: i64| ns(us.saturating_add(if us % 1_000 == 0 { 1_000 } else { 1 }));
    (args.whole("startTime").map(ns), args.whole("endTime").map(until))
}

/// A span is of 24 hours at most.
///
/// # Errors
/// -1127.
pub fn is_a_day(args: &Args) -> Result<(), ApiError> {
    match (args.whole("startTime"), args.whole("endTime")) {
        (Some(start), Some(end)) if end - start > DAY_US => Err(ApiError::too_long(SPAN_HOURS)),
        _ => Ok(()),
    }
}

/// `GET allOrders`: from an order on, or of a span, or the newest.
pub async fn all_orders(request: Request) -> ApiResult {
    let args = &request.args;
    let mut filter = OrderFilter::of(request.account()?);
    let market = super::market(&request)?.params.market;
    filter.market = Some(market);
    (filter.since, filter.until) = span(args);
    filter.from = args.whole("orderId").map(|id| OrderId(id.unsigned_abs()));
    let oldest = filter.from.is_some() || filter.since.is_some();
    let orders = orders_of(&request.app, &filter, oldest, args.limit(ROWS, MOST_ROWS)).await?;
    let catalog = request.app.shared.listed();
    Ok(Value::Array(orders.iter().map(|o| rows::order(o, &catalog, request.unit)).collect()).into())
}

/// Which parameters of `myTrades` stand together.
///
/// # Errors
/// -1127 and -1128.
pub fn trades_shape(args: &Args) -> Result<(), ApiError> {
    let in_time = args.has("startTime") || args.has("endTime");
    if in_time && (args.has("orderId") || args.has("fromId")) {
        return Err(ApiError::combination());
    }
    is_a_day(args)
}

/// No market has so many trades: ids of all markets stay below what the store holds.
const MOST_TRADES: u64 = (1 << 62) / MARKET_SPAN;

/// `GET myTrades`: of an order, from a trade on, of a span, or the newest.
pub async fn trades(request: Request) -> ApiResult {
    let args = &request.args;
    let mut filter = FillFilter::of(request.account()?);
    let market = super::market(&request)?.params.market;
    filter.market = Some(market);
    (filter.since, filter.until) = span(args);
    filter.order = args.whole("orderId").map(|id| OrderId(id.unsigned_abs()));
    filter.from = args.whole("fromId").map(|id| TradeId::of(market, id.unsigned_abs().min(MOST_TRADES)));
    let oldest = filter.from.is_some() || filter.since.is_some();
    let fills = fills_between(&request.app, &filter, oldest, args.limit(ROWS, MOST_ROWS)).await?;
    let ids: Vec<OrderId> = fills.iter().map(|f| f.order).collect();
    let orders = find_orders(&request.app, filter.account, &ids).await?;
    let catalog = request.app.shared.listed();
    let row = |f: &Fill| rows::trade(f, orders.get(&f.order).map_or(-1, rows::list_of), &catalog, request.unit);
    Ok(Value::Array(fills.iter().map(row).collect()).into())
}

/// Which parameters of `myPreventedMatches` stand together.
///
/// # Errors
/// -1128.
pub fn prevented_shape(args: &Args) -> Result<(), ApiError> {
    let by_id = args.has("preventedMatchId");
    let paged = args.has("fromPreventedMatchId") || args.has("limit");
    if by_id == args.has("orderId") || (by_id && paged) { Err(ApiError::combination()) } else { Ok(()) }
}

/// `GET myPreventedMatches`: one, or those of an order, oldest first.
pub async fn prevented(request: Request) -> ApiResult {
    let (market, args) = (super::market(&request)?.params.market, &request.args);
    let id = |name| args.whole(name).map(|id| PreventedId(id.unsigned_abs()));
    let filter = PreventedFilter {
        account: request.account()?,
        market,
        order: args.whole("orderId").map(|id| OrderId(id.unsigned_abs())),
        id: id("preventedMatchId"),
        from: id("fromPreventedMatchId"),
    };
    let found = prevented_from(&request.app, &filter, args.limit(ROWS, MOST_ROWS)).await?;
    let catalog = request.app.shared.listed();
    let row = |m| rows::prevented_match(m, &catalog, request.unit);
    Ok(Value::Array(found.iter().map(row).collect()).into())
}

/// `GET order/amendments`: of one order, oldest first.
pub async fn amendments(request: Request) -> ApiResult {
    let (market, args) = (super::market(&request)?.params.market, &request.args);
    let id = args.whole("orderId").ok_or_else(|| ApiError::missing("orderId"))?;
    let order = find_order(&request.app, request.account()?, OrderId(id.unsigned_abs())).await?;
    if order.units.market != market {
        return Err(ApiError::no_such_order());
    }
    // An execution's id is its time in microseconds.
    let from = args.whole("fromExecutionId").map_or(0, |id| id.unsigned_abs().saturating_mul(1_000));
    let found = amendments_of(&request.app, order.order, from, args.limit(ROWS, MOST_ROWS)).await?;
    let catalog = request.app.shared.listed();
    let row = |a: &StoredAmendment| rows::amendment(&order, a, &catalog, request.unit);
    Ok(Value::Array(found.iter().map(row).collect()).into())
}

/// Which parameters of `myAllocations` stand together.
///
/// # Errors
/// -1127 and -1128.
pub fn allocations_shape(args: &Args) -> Result<(), ApiError> {
    let in_time = args.has("startTime") || args.has("endTime");
    if in_time && (args.has("orderId") || args.has("fromAllocationId")) {
        return Err(ApiError::combination());
    }
    is_a_day(args)
}

/// `GET myAllocations`: no order is routed elsewhere, so there are none.
pub fn allocations(request: &Request) -> ApiResult {
    super::market(request)?;
    Ok(Value::Array(Vec::new()).into())
}
