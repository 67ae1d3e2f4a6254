//! Orders that wait for a price: `algoOrder`, `openAlgoOrders`, `allAlgoOrders`, `algoOpenOrders`, and such orders by
//! `POST order`.
//!
//! Owns: what one is to the exchange, and its rows. Never does: follow a price. Invariants: an order has one number before and
//! after its price came. Known limits: one that is cancelled after its price came is told as CANCELED; no price protection.

use super::cancel::ask;
use super::errors::refused;
use super::listed::Listed;
use super::place;
use super::queries::{self, OrderRef};
use super::request::FuturesOrder;
use super::rows::{client_id, leg_name, price, quantity, symbol, tif_name};
use crate::api::binance::errors::ApiError;
use crate::api::binance::limits::OrderEnd;
use crate::api::binance::orders::queries::span;
use crate::api::binance::orders::rows::{side_name, stp_name};
use crate::api::binance::params::Args;
use crate::api::binance::request::{ApiResult, Request};
use crate::common::decimal::fixed;
use crate::common::time::TimeUnit;
use crate::orders::leg_lookup;
use crate::orders::leg_placing::{self, Wait};
use serde_json::{Value, json};
use xng_core::account::leg_orders::LegOrder;
use xng_core::account::{AccountCommand, LegCommand, OrderName};
use xng_core::board::Board;
use xng_core::contract::book::order::NewBookOrder;
use xng_core::contract::book::waiting::{Condition, WorkingPrice};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{ClientOrderId, OrderId};
use xng_core::money::Amount;
use xng_core::record::Origin;
use xng_core::spot::{EndReason, OrderKind, OrderStatus, TriggerKind};
use xng_persistence::store::LegOrderFilter;

const ROWS: usize = 500;
const MOST_ROWS: usize = 1_000;
/// One hundredth of a percent, in 1e-8 of a percent.
const BIP: i128 = 1_000_000;

/// The word of a type that waits.
#[must_use]
pub fn type_name(kind: OrderKind, condition: &Condition) -> &'static str {
    match (condition.trigger.kind, kind) {
        _ if condition.trigger.trail_bips > 0 => "TRAILING_STOP_MARKET",
        (TriggerKind::Open, _) => unreachable!("an order of a contract's book waits for a price"),
        (TriggerKind::StopLoss, OrderKind::Limit) => "STOP",
        (TriggerKind::StopLoss, OrderKind::Market) => "STOP_MARKET",
        (TriggerKind::TakeProfit, OrderKind::Limit) => "TAKE_PROFIT",
        (TriggerKind::TakeProfit, OrderKind::Market) => "TAKE_PROFIT_MARKET",
    }
}

/// The word of the price that it goes by.
#[must_use]
pub fn working_name(working: WorkingPrice) -> &'static str {
    match working {
        WorkingPrice::Mark => "MARK_PRICE",
        WorkingPrice::Last => "CONTRACT_PRICE",
    }
}

/// A trailing distance in percent.
#[must_use]
pub fn callback(condition: &Condition) -> String {
    fixed(Amount(i128::from(condition.trigger.trail_bips) * BIP), 1)
}

/// Counts the order, hands it over, and tells it as it waits.
pub(super) async fn submit(
    request: &Request,
    order: NewBookOrder,
    (wait, listed): (&Wait, &Listed),
) -> Result<LegOrder, ApiError> {
    let condition = Some(leg_placing::condition(wait, listed).map_err(|why| place::unfit(why, listed))?);
    let (account, shared) = (request.account()?, &request.app.shared);
    request.still_fresh()?;
    let counted = shared.api_limits.take_order(account)?;
    let command = Command::Account(account, AccountCommand::Legs(leg_placing::command(order, condition)));
    match request.app.client.call(Origin::Api, None, command).await? {
        Reply::Accepted(Accepted::Placed(ack)) => {
            counted.ended(OrderEnd::Rests(ack.order));
            Ok(leg_placing::at_once((&order, condition), &ack, listed))
        }
        Reply::Rejected(reject) => {
            counted.ended(OrderEnd::Refused);
            Err(refused(reject))
        }
        Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy => {
            Err(ApiError::busy())
        }
    }
}

/// The word of a state.
#[must_use]
pub fn state_name(o: &LegOrder) -> &'static str {
    match (o.status, o.reason) {
        (OrderStatus::Waiting | OrderStatus::Pending, _) => "NEW",
        (OrderStatus::Canceled, _) => "CANCELED",
        (OrderStatus::Expired, EndReason::Refused) if o.filled.is_zero() => "REJECTED",
        (OrderStatus::Open | OrderStatus::Partial, _) => "TRIGGERED",
        (OrderStatus::Filled | OrderStatus::Expired | OrderStatus::ExpiredInMatch, _) => "FINISHED",
    }
}

/// An order that waits or waited, in the form of these calls; none that never did.
fn row(o: &LegOrder, board: &Board, unit: TimeUnit) -> Option<Value> {
    let (u, condition) = (&o.units, o.condition.as_ref()?);
    let trails = condition.trigger.trail_bips > 0;
    let at = price(u, u.price(condition.trigger.ticks));
    let fired = !matches!(state_name(o), "NEW" | "CANCELED" | "REJECTED");
    Some(json!({
        "algoId": o.order.0, "clientAlgoId": client_id(o), "algoType": "CONDITIONAL",
        "orderType": type_name(o.kind, condition), "symbol": symbol(u, board), "side": side_name(o.side),
        "positionSide": leg_name(o.leg), "timeInForce": tif_name(o.tif), "quantity": quantity(u, u.base(o.lots)),
        "algoStatus": state_name(o), "actualOrderId": if fired { o.order.0.to_string() } else { String::new() },
        "triggerPrice": if trails { price(u, Amount::ZERO) } else { at.clone() }, "price": price(u, u.price(o.ticks)),
        "icebergQuantity": null, "selfTradePreventionMode": stp_name(o.stp),
        "workingType": working_name(condition.working), "priceMatch": "NONE",
        "closePosition": condition.close_position, "priceProtect": false, "reduceOnly": o.reduce_only,
        "activatePrice": if trails { at } else { String::new() },
        "callbackRate": if trails { callback(condition) } else { String::new() },
        "createTime": unit.ns(o.created), "updateTime": unit.ns(o.updated),
        "triggerTime": if fired { unit.ns(o.updated) } else { 0.into() }, "goodTillDate": 0,
    }))
}

fn list(request: &Request, orders: &[LegOrder]) -> ApiResult {
    let board = request.app.shared.contracts.now();
    Ok(Value::Array(orders.iter().filter_map(|o| row(o, &board, request.unit)).collect()).into())
}

/// `POST algoOrder`.
pub async fn place(request: Request) -> ApiResult {
    let (order, listed) = (FuturesOrder::read(&request.args)?, Listed::named(&request)?);
    let wait = order.wait.ok_or_else(|| ApiError::data("type"))?;
    let now = submit(&request, place::wanted(&order, &listed)?, (&wait, &listed)).await?;
    Ok(row(&now, &request.app.shared.contracts.now(), request.unit).unwrap_or_default().into())
}

fn named(args: &Args) -> Result<OrderRef, ApiError> {
    if let Some(id) = args.whole("algoId") {
        return Ok(OrderRef::Id(OrderId(id.unsigned_abs())));
    }
    let name = args.text("clientAlgoId").and_then(ClientOrderId::parse);
    name.map(OrderRef::Name).ok_or_else(|| ApiError::neither("clientAlgoId", "algoId"))
}

/// Either name of an order must be sent.
///
/// # Errors
/// -1102.
pub fn names_one(args: &Args) -> Result<(), ApiError> {
    named(args).map(drop)
}

/// The contract that an order's number belongs to, or each of them.
fn places(request: &Request, name: &OrderRef) -> Vec<Listed> {
    let all = Listed::all(request);
    match name {
        OrderRef::Id(id) => all.into_iter().filter(|listed| listed.id == id.market()).collect(),
        OrderRef::Name(_) => all,
    }
}

/// `GET algoOrder`: an order that waits, or waited.
pub async fn find(request: Request) -> ApiResult {
    let name = named(&request.args)?;
    for listed in places(&request, &name) {
        if let Ok(order) = queries::find(&request, &listed, &name).await
            && let Some(row) = row(&order, &request.app.shared.contracts.now(), request.unit)
        {
            return Ok(row.into());
        }
    }
    Err(ApiError::no_such_order())
}

/// `DELETE algoOrder`: an order that waits.
pub async fn cancel(request: Request) -> ApiResult {
    let name = named(&request.args)?;
    let waiting = queries::waiting(&request, |o| name.is(o)).await?;
    let order = waiting.first().ok_or_else(ApiError::unknown_order)?;
    ask(&request, LegCommand::Cancel(OrderName::Id(order.order))).await?;
    Ok(json!({ "algoId": order.order.0, "clientAlgoId": client_id(order), "code": "200", "msg": "success" }).into())
}

/// `DELETE algoOpenOrders`: all of one contract that wait.
pub async fn cancel_all(request: Request) -> ApiResult {
    let listed = Listed::named(&request)?;
    ask(&request, LegCommand::CancelConditionals(listed.id)).await?;
    Ok(json!({ "code": 200, "msg": "The operation of cancel all open order is done." }).into())
}

/// `GET openAlgoOrders`: of one contract or of all.
pub async fn all_open(request: Request) -> ApiResult {
    let wanted = Listed::wanted(&request)?;
    let id = request.args.whole("algoId").map(|id| OrderId(id.unsigned_abs()));
    let is_it =
        |o: &LegOrder| id.is_none_or(|id| o.order == id) && wanted.iter().any(|listed| listed.id == o.units.contract);
    list(&request, &queries::waiting(&request, is_it).await?)
}

/// `GET allAlgoOrders`: from an order on, or of a span, or the newest.
pub async fn all(request: Request) -> ApiResult {
    let (args, listed) = (&request.args, Listed::named(&request)?);
    let account = request.account()?;
    let mut filter = LegOrderFilter { contract: Some(listed.id), conditional: true, ..LegOrderFilter::of(account) };
    (filter.since, filter.until) = span(args);
    filter.from = args.whole("algoId").map(|id| OrderId(id.unsigned_abs()));
    let end = queries::end_of(filter.from.is_some() || filter.since.is_some());
    let open = queries::all_of(&request).await?;
    list(&request, &leg_lookup::orders(&request.app, &open, &filter, (end, args.limit(ROWS, MOST_ROWS))).await?)
}
