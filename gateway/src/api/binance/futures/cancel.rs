//! `DELETE order`, `batchOrders`, `allOpenOrders`, and `POST countdownCancelAll`.
//!
//! Owns: which orders are meant, and what is told of their end. Never does: change an order itself. Invariants: what is told is
//! the order after its end. Known limits: there is no countdown.

use super::errors::refused;
use super::listed::Listed;
use super::queries::{self, OrderRef};
use super::rows;
use crate::api::binance::errors::ApiError;
use crate::api::binance::request::{ApiResult, Request};
use serde_json::{Value, json};
use xng_core::account::leg_orders::LegOrder;
use xng_core::account::{AccountCommand, LegCommand, OrderName};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{ClientOrderId, OrderId};
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::spot::OrderStatus;

/// Orders in a batch at most.
const MOST_ORDERS: usize = 10;

pub(super) async fn ask(request: &Request, command: LegCommand) -> Result<Vec<OrderId>, ApiError> {
    request.still_fresh()?;
    let command = Command::Account(request.account()?, AccountCommand::Legs(command));
    match request.app.client.call(Origin::Api, None, command).await? {
        Reply::Accepted(Accepted::Canceled(ids)) => Ok(ids),
        Reply::Rejected(Reject::UnknownOrder | Reject::OrderDone) => Err(ApiError::unknown_order()),
        Reply::Rejected(reject) => Err(refused(reject)),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy) => {
            unreachable!("a cancel is done or refused, not {other:?}")
        }
    }
}

async fn cancel_one(request: &Request, listed: &Listed, name: &OrderRef) -> Result<Value, ApiError> {
    let before = queries::open_order(request, listed, name).await.map_err(|_| ApiError::unknown_order())?;
    ask(request, LegCommand::Cancel(OrderName::Id(before.order))).await?;
    let now = queries::find(request, listed, &OrderRef::Id(before.order)).await;
    let now = now.unwrap_or(LegOrder { status: OrderStatus::Canceled, ..before });
    Ok(rows::acted(&now, &request.app.shared.contracts.now(), request.unit))
}

/// `DELETE order`.
pub async fn cancel(request: Request) -> ApiResult {
    let listed = Listed::named(&request)?;
    Ok(cancel_one(&request, &listed, &OrderRef::of(&request.args)?).await?.into())
}

/// `DELETE batchOrders`: each for itself.
pub async fn cancel_batch(request: Request) -> ApiResult {
    let (args, listed) = (&request.args, Listed::named(&request)?);
    let mut names: Vec<OrderRef> = Vec::new();
    if let Some(text) = args.text("orderIdList") {
        let ids: Vec<u64> = serde_json::from_str(text).map_err(|_| ApiError::data("orderIdList"))?;
        names.extend(ids.into_iter().map(|id| OrderRef::Id(OrderId(id))));
    }
    if let Some(text) = args.text("origClientOrderIdList") {
        let list: Vec<String> = serde_json::from_str(text).map_err(|_| ApiError::data("origClientOrderIdList"))?;
        let parsed: Option<Vec<ClientOrderId>> = list.iter().map(|name| ClientOrderId::parse(name)).collect();
        names.extend(parsed.ok_or_else(|| ApiError::data("origClientOrderIdList"))?.into_iter().map(OrderRef::Name));
    }
    if names.is_empty() {
        return Err(ApiError::neither("orderIdList", "origClientOrderIdList"));
    }
    if names.len() > MOST_ORDERS {
        return Err(ApiError::bad(-4083, "Invalid number of batch place orders."));
    }
    let mut rows = Vec::new();
    for name in &names {
        rows.push(cancel_one(&request, &listed, name).await.unwrap_or_else(|error| error.body_fields()));
    }
    Ok(Value::Array(rows).into())
}

/// `DELETE allOpenOrders`: all of one contract, those that wait for a price too.
pub async fn cancel_all(request: Request) -> ApiResult {
    let listed = Listed::named(&request)?;
    ask(&request, LegCommand::CancelAll(listed.id)).await?;
    ask(&request, LegCommand::CancelConditionals(listed.id)).await?;
    Ok(json!({ "code": 200, "msg": "The operation of cancel all open order is done." }).into())
}
