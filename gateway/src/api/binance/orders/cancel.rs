//! `DELETE order`, `DELETE openOrders`.
//!
//! Owns: which order is meant, and what is told of its end. Never does: change an order itself. Invariants: what is told is
//! the order after its end. Known limits: `cancelRestrictions` are looked at right before the exchange is asked, so a fill
//! in between passes them.

use super::rows::{self, drawn_name};
use crate::api::binance::errors::ApiError;
use crate::api::binance::params::Args;
use crate::api::binance::request::{ApiResult, Request};
use crate::orders::lookup::{look, seen, view};
use serde_json::{Value, json};
use xng_core::account::{AccountCommand, AccountView, Order, OrderName, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, MarketId, OrderId};
use xng_core::record::Origin;
use xng_core::spot::OrderStatus;

pub(super) const NEW_NAME: &str = "newClientOrderId";

/// The open order that is meant.
///
/// # Errors
/// -2011 when there is none.
pub(super) fn meant<'v>(args: &Args, view: &'v AccountView, market: MarketId) -> Result<&'v Order, ApiError> {
    let here = || view.open.iter().filter(|o| o.units.market == market);
    let named = args.text("origClientOrderId");
    let is_named = |o: &Order| named.is_none_or(|name| rows::client_id(o) == name);
    match args.whole("orderId") {
        Some(id) => {
            let found = here().find(|o| o.order.0 as i64 == id).ok_or_else(ApiError::unknown_order)?;
            if is_named(found) { Ok(found) } else { Err(ApiError::other_order()) }
        }
        None => here().find(|o| is_named(o)).ok_or_else(ApiError::unknown_order),
    }
}

/// Whether an order in this state may be cancelled.
pub(super) fn permits(restrictions: Option<&str>, status: OrderStatus) -> bool {
    match restrictions {
        Some("ONLY_NEW") => matches!(status, OrderStatus::Open | OrderStatus::Waiting | OrderStatus::Pending),
        Some("ONLY_PARTIALLY_FILLED") => status == OrderStatus::Partial,
        _ => true,
    }
}

/// The name that the sender gives in this parameter, or a drawn one.
pub(super) fn named_by(request: &Request, parameter: &str) -> String {
    request.args.text(parameter).map_or_else(drawn_name, str::to_owned)
}

/// What is told of a cancelled order.
pub(super) fn row(request: &Request, o: &Order, name: &str) -> Value {
    let mut row = rows::numbers(o);
    let head = json!({
        "symbol": rows::symbol(&o.units, &request.app.shared.listed()), "origClientOrderId": rows::client_id(o),
        "orderId": o.order.0, "orderListId": rows::list_of(o), "clientOrderId": name, "transactTime": request.unit.ns(o.updated),
    });
    rows::extend(&mut row, head);
    Value::Object(row)
}

/// Cancels by a name.
pub(super) async fn ask(
    request: &Request,
    account: AccountId,
    command: SpotCommand,
    name: &str,
) -> Result<Vec<OrderId>, ApiError> {
    request.still_fresh()?;
    let command = Command::Account(account, AccountCommand::Spot(command));
    let note = |ticket| request.app.shared.cancel_names.put(ticket, name);
    match request.app.client.call_noted(Origin::Api, None, command, note).await? {
        Reply::Accepted(Accepted::Canceled(ids)) => Ok(ids),
        Reply::Rejected(reject) => Err(reject.into()),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy) => {
            unreachable!("a cancel is done or refused, not {other:?}")
        }
    }
}

/// Orders after their end, in the order of their ids; what is not to be had now as it was
/// before.
pub(super) async fn ended(request: &Request, before: &AccountView, ids: &[OrderId]) -> Vec<Order> {
    let after: Vec<Order> = match ids {
        [one] => look(&request.app, before.account, *one)
            .await
            .ok()
            .and_then(|after| after.order(*one))
            .into_iter()
            .collect(),
        _ => seen(&request.app, before.account).await.map_or_else(|_| Vec::new(), |after| after.done().entries),
    };
    let find = |id: &OrderId| {
        let as_it_was = || before.open.iter().find(|o| o.order == *id).copied();
        let forgotten = || as_it_was().map(|o| Order { status: OrderStatus::Canceled, ..o });
        after.iter().rev().find(|o| o.order == *id).copied().or_else(forgotten)
    };
    ids.iter().filter_map(find).collect()
}

/// `DELETE order`.
pub async fn cancel(request: Request) -> ApiResult {
    let market = super::market(&request)?.params.market;
    let before = view(&request.app, request.account()?).await?;
    let order = meant(&request.args, &before, market)?;
    if !permits(request.args.text("cancelRestrictions"), order.status) {
        return Err(ApiError::restricted());
    }
    let name = named_by(&request, NEW_NAME);
    let command = SpotCommand::Cancel(OrderName::Id(order.order));
    let ids = ask(&request, before.account, command, &name).await?;
    let ended = ended(&request, &before, &ids).await;
    // The order that was named; with it, the other one of its list.
    let named = ended.iter().find(|o| o.order == order.order).ok_or_else(ApiError::unknown_order)?;
    if named.list.0 > 0 {
        return Ok(super::list_rows::canceled(&request, &before, named.list, &ended).await.into());
    }
    Ok(row(&request, named, &name).into())
}

/// `DELETE openOrders`: all of one market.
pub async fn cancel_all(request: Request) -> ApiResult {
    let market = super::market(&request)?.params.market;
    let before = view(&request.app, request.account()?).await?;
    if !before.open.iter().any(|o| o.units.market == market) {
        return Err(ApiError::unknown_order());
    }
    let name = drawn_name();
    let ids = ask(&request, before.account, SpotCommand::CancelAll(market), &name).await?;
    let ended = ended(&request, &before, &ids).await;
    if ended.is_empty() {
        return Err(ApiError::unknown_order());
    }
    Ok(Value::Array(ended.iter().map(|o| row(&request, o, &name)).collect()).into())
}

/// Either name of an order must be sent.
///
/// # Errors
/// -1102.
pub fn names_an_order(args: &Args) -> Result<(), ApiError> {
    let named = args.has("orderId") || args.has("origClientOrderId");
    if named { Ok(()) } else { Err(ApiError::neither("origClientOrderId", "orderId")) }
}
