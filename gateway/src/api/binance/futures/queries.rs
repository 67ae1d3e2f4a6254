//! `GET order`, `openOrder`, `openOrders`, `allOrders`, `userTrades`, `forceOrders`.
//!
//! Owns: which orders and fills are meant. Never does: change one. Invariants: rows ascend; what is in memory goes before what
//! the store says of it. Known limits: none.

use super::listed::Listed;
use super::rows;
use crate::api::binance::errors::ApiError;
use crate::api::binance::orders::queries::span;
use crate::api::binance::params::Args;
use crate::api::binance::request::{ApiResult, Request};
use crate::common::time::now_ns;
use crate::orders::leg_history::LegHistory;
use crate::orders::leg_lookup::{self, End};
use serde_json::Value;
use xng_core::account::leg_orders::LegOrder;
use xng_core::account::{AccountView, LegsView};
use xng_core::entity::TimeNs;
use xng_core::ids::{ClientOrderId, MARKET_SPAN, OrderId, TradeId};
use xng_core::spot::EndReason;
use xng_persistence::store::{LegFillFilter, LegOrderFilter};

const ROWS: usize = 500;
const FORCED_ROWS: usize = 50;
const MOST_FORCED: usize = 100;
const MOST_ROWS: usize = 1_000;
/// No contract has so many trades: ids of all contracts stay below what the store holds.
const MOST_TRADES: u64 = (1 << 62) / MARKET_SPAN;
const WEEK_US: i64 = 7 * 86_400_000_000;
const WEEK_NS: TimeNs = WEEK_US.unsigned_abs() * 1_000;

/// How an order is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderRef {
    /// By its number.
    Id(OrderId),
    /// By its owner's name for it.
    Name(ClientOrderId),
}

impl OrderRef {
    /// What `orderId` or `origClientOrderId` says.
    ///
    /// # Errors
    /// -1102 without either.
    pub fn of(args: &Args) -> Result<OrderRef, ApiError> {
        if let Some(id) = args.whole("orderId") {
            return Ok(OrderRef::Id(OrderId(id.unsigned_abs())));
        }
        let name = args.text("origClientOrderId").and_then(ClientOrderId::parse);
        name.map(OrderRef::Name).ok_or_else(|| ApiError::neither("origClientOrderId", "orderId"))
    }

    pub(super) fn is(&self, order: &LegOrder) -> bool {
        match self {
            OrderRef::Id(id) => order.order == *id,
            OrderRef::Name(name) => order.client_id == Some(*name) || order.order.0.to_string() == name.as_str(),
        }
    }
}

/// Either name of an order must be sent.
///
/// # Errors
/// -1102.
pub fn names_an_order(args: &Args) -> Result<(), ApiError> {
    OrderRef::of(args).map(drop)
}

/// The account and what it has in contracts' books; the histories know everything that the account says.
pub(super) async fn seen(request: &Request) -> Result<(Box<AccountView>, LegsView), ApiError> {
    Ok(leg_lookup::seen(&request.app, request.account()?).await?)
}

/// Looks at the account's history.
pub(super) fn history<R>(request: &Request, look: impl FnOnce(&LegHistory) -> R) -> Result<Option<R>, ApiError> {
    Ok(request.app.shared.histories.read_legs(request.account()?, look))
}

/// Open orders as the account has them, with what is known of them besides.
async fn open(request: &Request, legs: &LegsView) -> Result<Vec<LegOrder>, ApiError> {
    Ok(leg_lookup::open(&request.app, request.account()?, legs).await?)
}

/// Own orders that are open, those that wait for a price among them.
pub(super) async fn all_of(request: &Request) -> Result<Vec<LegOrder>, ApiError> {
    let (_, legs) = seen(request).await?;
    open(request, &legs).await
}

/// Own orders that wait for a price, oldest first.
pub(super) async fn waiting(request: &Request, is_it: impl Fn(&LegOrder) -> bool) -> Result<Vec<LegOrder>, ApiError> {
    let (_, legs) = seen(request).await?;
    Ok(legs.conditionals.iter().map(LegOrder::from_conditional).filter(is_it).collect())
}

/// One order of a contract, open or done.
///
/// # Errors
/// -2013.
pub(super) async fn find(request: &Request, listed: &Listed, name: &OrderRef) -> Result<LegOrder, ApiError> {
    let (view, legs) = seen(request).await?;
    let here = |order: &LegOrder| order.units.contract == listed.id && name.is(order);
    let open = open(request, &legs).await?;
    if let Some(order) = open.iter().find(|order| here(order)) {
        return Ok(*order);
    }
    let done = match name {
        OrderRef::Id(id) => leg_lookup::done_order(&request.app, view.account, *id).await?,
        OrderRef::Name(name) => {
            let filter =
                LegOrderFilter { contract: Some(listed.id), name: Some(*name), ..LegOrderFilter::of(view.account) };
            leg_lookup::orders(&request.app, &open, &filter, (End::Newest, 1)).await?.pop()
        }
    };
    done.filter(here).ok_or_else(ApiError::no_such_order)
}

/// One open order of a contract.
///
/// # Errors
/// -2013.
pub(super) async fn open_order(request: &Request, listed: &Listed, name: &OrderRef) -> Result<LegOrder, ApiError> {
    let (_, legs) = seen(request).await?;
    let found = open(request, &legs).await?.into_iter().find(|o| o.units.contract == listed.id && name.is(o));
    found.ok_or_else(ApiError::no_such_order)
}

fn list(request: &Request, orders: &[LegOrder]) -> ApiResult {
    let board = request.app.shared.contracts.now();
    Ok(Value::Array(orders.iter().map(|o| rows::order(o, &board, request.unit)).collect()).into())
}

/// `GET order`.
pub async fn order(request: Request) -> ApiResult {
    let listed = Listed::named(&request)?;
    let order = find(&request, &listed, &OrderRef::of(&request.args)?).await?;
    Ok(rows::order(&order, &request.app.shared.contracts.now(), request.unit).into())
}

/// `GET openOrder`.
pub async fn one_open(request: Request) -> ApiResult {
    let listed = Listed::named(&request)?;
    let order = open_order(&request, &listed, &OrderRef::of(&request.args)?).await?;
    Ok(rows::order(&order, &request.app.shared.contracts.now(), request.unit).into())
}

/// `GET openOrders`: of one contract or of all, oldest first.
pub async fn all_open(request: Request) -> ApiResult {
    let wanted = Listed::wanted(&request)?;
    let (_, legs) = seen(&request).await?;
    let mut orders = open(&request, &legs).await?;
    orders.retain(|o| wanted.iter().any(|listed| listed.id == o.units.contract));
    list(&request, &orders)
}

/// A span is of seven days at most.
///
/// # Errors
/// -4165.
pub fn is_a_week(args: &Args) -> Result<(), ApiError> {
    match (args.whole("startTime"), args.whole("endTime")) {
        (Some(start), Some(end)) if end - start > WEEK_US => {
            Err(ApiError::bad(-4165, "Search interval must be at most 7 days."))
        }
        _ => Ok(()),
    }
}

/// Whether a time lies in the span that is asked for.
pub(super) fn is_inside(args: &Args, time: TimeNs) -> bool {
    let us = i64::try_from(time / 1_000).unwrap_or(i64::MAX);
    args.whole("startTime").is_none_or(|start| us >= start) && args.whole("endTime").is_none_or(|end| us < end + 1_000)
}

/// The end of a list that is asked for.
pub(super) fn end_of(oldest: bool) -> End {
    if oldest { End::Oldest } else { End::Newest }
}

/// `GET allOrders`: from an order on, or of a span, or the newest.
pub async fn all_orders(request: Request) -> ApiResult {
    let (args, listed) = (&request.args, Listed::named(&request)?);
    let (view, legs) = seen(&request).await?;
    let mut filter = LegOrderFilter { contract: Some(listed.id), ..LegOrderFilter::of(view.account) };
    (filter.since, filter.until) = span(args);
    filter.from = args.whole("orderId").map(|id| OrderId(id.unsigned_abs()));
    let part = (end_of(filter.from.is_some() || filter.since.is_some()), args.limit(ROWS, MOST_ROWS));
    let open = open(&request, &legs).await?;
    list(&request, &leg_lookup::orders(&request.app, &open, &filter, part).await?)
}

/// `GET userTrades`: of an order, from a trade on, of a span, or the newest.
pub async fn trades(request: Request) -> ApiResult {
    let args = &request.args;
    let contract = if args.has("symbol") { Some(Listed::named(&request)?.id) } else { None };
    let (view, _) = seen(&request).await?;
    let mut filter = LegFillFilter { contract, ..LegFillFilter::of(view.account) };
    (filter.since, filter.until) = span(args);
    filter.order = args.whole("orderId").map(|id| OrderId(id.unsigned_abs()));
    // Trades are numbered a contract.
    let from = args.whole("fromId").map(|id| id.unsigned_abs().min(MOST_TRADES));
    filter.from = contract.zip(from).map(|(contract, from)| TradeId::of(contract, from));
    let part = (end_of(from.is_some() || filter.since.is_some()), args.limit(ROWS, MOST_ROWS));
    let fills = leg_lookup::fills(&request.app, &filter, part).await?;
    let (board, catalog) = (request.app.shared.contracts.now(), request.app.shared.listed());
    Ok(Value::Array(fills.iter().map(|f| rows::trade(f, &board, &catalog, request.unit)).collect()).into())
}

/// Kinds of orders that the exchange makes.
pub const FORCED: [&str; 2] = ["LIQUIDATION", "ADL"];

/// `GET forceOrders`: those of the account's own liquidations, and what closed its positions against others' ones; of the last
/// week unless a time is named.
pub async fn forced(request: Request) -> ApiResult {
    let args = &request.args;
    let contract = if args.has("symbol") { Some(Listed::named(&request)?.id) } else { None };
    let (view, _) = seen(&request).await?;
    let reasons = match args.text("autoCloseType") {
        Some("LIQUIDATION") => vec![EndReason::Liquidation],
        Some("ADL") => vec![EndReason::Deleveraging],
        _ => vec![EndReason::Liquidation, EndReason::Deleveraging],
    };
    let mut filter = LegOrderFilter { contract, reasons, ..LegOrderFilter::of(view.account) };
    let (since, until) = span(args);
    // Few orders are of these kinds, so that a search without an end would look through all of an account's.
    filter.since = since.or_else(|| Some(until.unwrap_or_else(now_ns).saturating_sub(WEEK_NS)));
    filter.until = until.or_else(|| Some(since?.saturating_add(WEEK_NS)));
    let part = (end_of(since.is_some()), args.limit(FORCED_ROWS, MOST_FORCED));
    list(&request, &leg_lookup::orders(&request.app, &[], &filter, part).await?)
}
