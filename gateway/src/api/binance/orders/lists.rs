//! Lists of two orders, one of which cancels the other: `orderList/oco`, `order/oco`; and `orderList`, `openOrderList`,
//! `allOrderList` for lists of all kinds.
//!
//! Owns: a list's parameters and rows. Never does: match. Invariants: a list is told with all of its orders. Known limits:
//! none. Lists whose first order brings the others are placed by `brackets.rs`.

use super::list_rows::{begun, canceled, row};
use super::place::{at_once, hand_over, leg};
use super::request::{OrderRequest, ResponseType};
use super::rows::{self};
use crate::api::binance::errors::ApiError;
use crate::api::binance::params::Args;
use crate::api::binance::request::{ApiResponse, ApiResult, Request};
use crate::api::binance::user_data::list_name;
use crate::orders::lookup::{find_orders, lists_of, view};
use serde_json::Value;
use xng_core::account::{Order, OrderName, SpotCommand};
use xng_core::ids::{AccountId, ClientOrderId, OrderId};
use xng_core::spot::facts::OrderList;
use xng_core::spot::{Leg, ListKind, OrderGroup, Terms, TriggerKind};

/// Parameters that the orders of any list have in common.
pub(super) const COMMON: &[&str] = &["symbol", "newOrderRespType", "selfTradePreventionMode"];
/// Those that two orders of which one cancels the other have in common.
const SHARED: &[&str] = &["symbol", "side", "quantity", "newOrderRespType", "selfTradePreventionMode"];
/// Those that each order has its own of, without the word that says which one.
const OWN: [(&str, &str); 9] = [
    ("Type", "type"),
    ("ClientOrderId", "newClientOrderId"),
    ("IcebergQty", "icebergQty"),
    ("Price", "price"),
    ("StopPrice", "stopPrice"),
    ("TrailingDelta", "trailingDelta"),
    ("TimeInForce", "timeInForce"),
    ("StrategyId", "strategyId"),
    ("StrategyType", "strategyType"),
];
/// What the deprecated form names the limit order's, and the stop's.
const LIMIT_NAMES: [(&str, &str); 5] = [
    ("limitClientOrderId", "newClientOrderId"),
    ("price", "price"),
    ("limitIcebergQty", "icebergQty"),
    ("limitStrategyId", "strategyId"),
    ("limitStrategyType", "strategyType"),
];
const STOP_NAMES: [(&str, &str); 8] = [
    ("stopClientOrderId", "newClientOrderId"),
    ("stopPrice", "stopPrice"),
    ("stopLimitPrice", "price"),
    ("stopIcebergQty", "icebergQty"),
    ("stopLimitTimeInForce", "timeInForce"),
    ("trailingDelta", "trailingDelta"),
    ("stopStrategyId", "strategyId"),
    ("stopStrategyType", "strategyType"),
];

/// One order of a list, read as an order of its own; what is wrong with it is told in the list's words.
pub(super) fn one(
    args: &Args,
    (shared, names): (&[&'static str], &[(String, &'static str)]),
    kind: Option<&str>,
) -> Result<OrderRequest, ApiError> {
    let shared = shared.iter().map(|name| ((*name).to_owned(), *name));
    let mut own = args.renamed(shared.chain(names.iter().cloned()));
    if let Some(kind) = kind {
        own.put_text("type", kind);
    }
    OrderRequest::read(&own).map_err(|error| {
        let told =
            |msg: String, (name, plain): &(String, &str)| msg.replace(&format!("'{plain}'"), &format!("'{name}'"));
        ApiError { msg: names.iter().fold(error.msg.into_owned(), told).into(), ..error }
    })
}

/// The parameters of one order whose names begin with a word.
pub(super) fn own(word: &str) -> Vec<(String, &'static str)> {
    OWN.iter().map(|(own, plain)| (format!("{word}{own}"), *plain)).collect()
}

fn of_side(args: &Args, side: &str) -> Result<OrderRequest, ApiError> {
    one(args, (SHARED, &own(side)), None)
}

fn owned(names: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    names.iter().map(|(name, plain)| ((*name).to_owned(), *plain)).collect()
}

/// Both orders of `orderList/oco`.
///
/// # Errors
/// As those of an order, in the list's words.
pub fn pair(args: &Args) -> Result<[OrderRequest; 2], ApiError> {
    Ok([of_side(args, "above")?, of_side(args, "below")?])
}

/// Both orders of the deprecated form: a limit maker, and a stop that has a limit price or none.
///
/// # Errors
/// As those of an order, in the list's words.
pub fn old_pair(args: &Args) -> Result<[OrderRequest; 2], ApiError> {
    let kind = if args.has("stopLimitPrice") { "STOP_LOSS_LIMIT" } else { "STOP_LOSS" };
    let (limit, stop) = (owned(&LIMIT_NAMES), owned(&STOP_NAMES));
    Ok([one(args, (SHARED, &limit), Some("LIMIT_MAKER"))?, one(args, (SHARED, &stop), Some(kind))?])
}

/// `POST orderList/oco`.
pub async fn place_pair(request: Request) -> ApiResult {
    let asked = pair(&request.args)?;
    place(request, asked).await
}

/// `POST order/oco`.
pub async fn place_old_pair(request: Request) -> ApiResult {
    let asked = old_pair(&request.args)?;
    place(request, asked).await
}

async fn place(request: Request, asked: [OrderRequest; 2]) -> ApiResult {
    let (info, account) = (super::market(&request)?, request.account()?);
    let boards = &request.app.shared.boards;
    let mut both = [(leg(&asked[0], &info, boards)?, &asked[0]), (leg(&asked[1], &info, boards)?, &asked[1])];
    // The order that rests comes first: the other one locks what it needs beyond it.
    both.sort_by_key(|(leg, _)| leg.trigger.is_some());
    let legs: Vec<Leg> = both.iter().map(|(leg, _)| *leg).collect();
    let needs: Vec<Terms> = legs.iter().map(|leg| leg.order.terms).collect();
    let terms = needs.iter().copied().max_by_key(|terms| terms.amount).ok_or_else(ApiError::unknown)?;
    let list = request.args.text("listClientOrderId").and_then(ClientOrderId::parse);
    let kind = legs[0].order.kind;
    let group = OrderGroup { market: info.params.market, replaces: None, legs, pending: Vec::new(), list, terms };
    request.still_fresh()?;
    let command = SpotCommand::PlaceGroup(Box::new(group));
    let acks = hand_over(&request, (account, kind), 2, command, None).await?;
    let first = acks.orders.first().map_or(OrderId(0), |ack| ack.order);
    // The exchange tells the one that takes its profit first.
    both.sort_by_key(|(leg, _)| leg.trigger.is_some_and(|t| t.kind == TriggerKind::StopLoss));
    let orders: Vec<Order> = both
        .iter()
        .zip(&acks.orders)
        .map(|((leg, _), ack)| Order { list: first, ..at_once(leg, ack, &info) })
        .collect();
    let ids = acks.orders.iter().map(|ack| ack.order).collect();
    let list = OrderList { list: first, kind: ListKind::OneCancels, orders: ids, client_id: list };
    let mut row = begun(&request, &list, &orders, acks.time);
    // Told when both were taken: none of them has a fill, so the longest answer is the one that says all of an order.
    let respond = request.args.text("newOrderRespType").and_then(ResponseType::parse).unwrap_or(ResponseType::Result);
    let catalog = request.app.shared.listed();
    let report = |(of, o): (&OrderRequest, &Order)| match respond {
        ResponseType::Ack => rows::head(o, &catalog, request.unit),
        ResponseType::Result | ResponseType::Full => of.labelled(rows::report(o, &catalog, request.unit)),
    };
    row["orderReports"] = both.iter().map(|(_, asked)| *asked).zip(&orders).map(report).collect();
    let counts = request.app.shared.api_limits.order_counts(account);
    Ok(ApiResponse { orders: Some(counts), ..row.into() })
}

/// Lists with their orders.
async fn whole(
    request: &Request,
    account: AccountId,
    lists: &[OrderList],
) -> Result<Vec<(OrderList, Vec<Order>)>, ApiError> {
    let ids: Vec<OrderId> = lists.iter().flat_map(|list| list.orders.iter().copied()).collect();
    let found = find_orders(&request.app, account, &ids).await?;
    let of = |list: &OrderList| list.orders.iter().filter_map(|id| found.get(id)).copied().collect();
    Ok(lists.iter().map(|list| (list.clone(), of(list))).collect())
}

/// Either name of a list must be sent.
///
/// # Errors
/// -1102.
pub fn names_a_list(args: &Args) -> Result<(), ApiError> {
    let named = args.has("orderListId") || args.has("listClientOrderId");
    if named { Ok(()) } else { Err(ApiError::neither("orderListId", "listClientOrderId")) }
}

/// The same of the call that asks for one.
///
/// # Errors
/// -1102.
pub fn asks_for_a_list(args: &Args) -> Result<(), ApiError> {
    let named = args.has("orderListId") || args.has("origClientOrderId");
    if named { Ok(()) } else { Err(ApiError::neither("orderListId", "origClientOrderId")) }
}

/// Whether a list has the number that is asked for, if one is, and this name, if it is one.
fn is_named(request: &Request, list: &OrderList, name: Option<&str>) -> bool {
    let number = request.args.whole("orderListId");
    number.is_none_or(|n| list.list.0 as i64 == n) && name.is_none_or(|name| list_name(list) == name)
}

/// `DELETE orderList`: all of its orders.
pub async fn cancel(request: Request) -> ApiResult {
    let market = super::market(&request)?.params.market;
    let before = view(&request.app, request.account()?).await?;
    let name = request.args.text("listClientOrderId");
    // Lists that are not over are all in memory.
    let unknown = ApiError::unknown_list;
    let found = before.lists.iter().rev().find(|list| is_named(&request, list, name)).ok_or_else(unknown)?;
    let open = before.open.iter().find(|o| o.list == found.list && o.units.market == market).ok_or_else(unknown)?;
    let cancel_name = super::cancel::named_by(&request, super::cancel::NEW_NAME);
    let command = SpotCommand::Cancel(OrderName::Id(open.order));
    let ids = super::cancel::ask(&request, before.account, command, &cancel_name).await;
    let ids = ids.map_err(|error| if error.code == -2011 { unknown() } else { error })?;
    let ended = super::cancel::ended(&request, &before, &ids).await;
    Ok(canceled(&request, &before, found.list, &ended).await.into())
}

/// `GET orderList`.
pub async fn one_list(request: Request) -> ApiResult {
    let (account, name) = (request.account()?, request.args.text("origClientOrderId"));
    let view = view(&request.app, account).await?;
    let is = |list: &&OrderList| is_named(&request, list, name);
    let found = match view.lists.iter().rev().find(is) {
        Some(list) => Some(list.clone()),
        None => lists_of(&request.app, account).await?.into_iter().rev().map(|(list, _)| list).find(|list| is(&list)),
    };
    let found = found.ok_or_else(ApiError::no_such_list)?;
    let whole = whole(&request, account, &[found]).await?;
    let row = whole.first().map(|(list, orders)| row(&request, list, orders));
    row.map(ApiResponse::from).ok_or_else(ApiError::unknown)
}

/// `GET openOrderList`.
pub async fn open_lists(request: Request) -> ApiResult {
    let account = request.account()?;
    let view = view(&request.app, account).await?;
    let of = |list: &OrderList| {
        let all = view.open.iter().chain(&view.ended).filter(|o| o.list == list.list);
        all.copied().collect::<Vec<Order>>()
    };
    Ok(view.lists.iter().map(|list| row(&request, list, &of(list))).collect::<Value>().into())
}

/// Which parameters of `allOrderList` stand together.
///
/// # Errors
/// -1127 and -1128.
pub fn all_shape(args: &Args) -> Result<(), ApiError> {
    if args.has("fromId") && (args.has("startTime") || args.has("endTime")) {
        return Err(ApiError::combination());
    }
    super::queries::is_a_day(args)
}

/// `GET allOrderList`: from a list on, of a span, or the newest; oldest first.
pub async fn all_lists(request: Request) -> ApiResult {
    let (account, args) = (request.account()?, &request.args);
    let (from, (since, until)) = (args.whole("fromId"), super::queries::span(args));
    let lists = lists_of(&request.app, account).await?;
    let fits = |list: &OrderList, created| {
        from.is_none_or(|from| list.list.0 as i64 >= from)
            && since.is_none_or(|since| created >= since)
            && until.is_none_or(|until| created < until)
    };
    let found: Vec<OrderList> = lists.into_iter().filter(|(l, created)| fits(l, *created)).map(|(l, _)| l).collect();
    let limit = args.limit(500, 1_000);
    let oldest = from.is_some() || since.is_some();
    let skip = if oldest { 0 } else { found.len().saturating_sub(limit) };
    let found: Vec<OrderList> = found.into_iter().skip(skip).take(limit).collect();
    let whole = whole(&request, account, &found).await?;
    Ok(Value::Array(whole.iter().map(|(list, orders)| row(&request, list, orders)).collect()).into())
}
