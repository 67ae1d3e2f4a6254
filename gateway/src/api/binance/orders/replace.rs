//! `POST order/cancelReplace`, `PUT order/amend/keepPriority`.
//!
//! Owns: what both parts of a replacement are told. Never does: match. Invariants: the exchange does both parts in one
//! decision, and the new order may use what the old one had locked. Known limits: an order of a list cannot be made smaller.

use super::cancel::{NEW_NAME, ask, ended, meant, named_by, permits};
use super::place::{hand_over, leg, placed};
use super::request::OrderRequest;
use super::rows::{self, eight};
use crate::api::binance::errors::ApiError;
use crate::api::binance::params::Args;
use crate::api::binance::request::{ApiResponse, ApiResult, Request};
use crate::common::decimal::lots;
use crate::orders::lookup::{find_order, view};
use actix_web::http::StatusCode;
use serde_json::{Value, json};
use xng_core::account::{AccountCommand, AccountView, Order, OrderName, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{ClientOrderId, MarketId, OrderId};
use xng_core::record::Origin;
use xng_core::spot::{Leg, OrderGroup, Replaced};

/// What is said of a part that was not tried.
const NOT_ATTEMPTED: &str = "NOT_ATTEMPTED";

/// Both parts of a replacement must be there.
///
/// # Errors
/// -1102, and those of the new order.
pub fn shape(args: &Args) -> Result<(), ApiError> {
    if !(args.has("cancelOrderId") || args.has("cancelOrigClientOrderId")) {
        return Err(ApiError::neither("cancelOrigClientOrderId", "cancelOrderId"));
    }
    OrderRequest::read(args).map(drop)
}

/// Both failed, or the second was not tried: -2022 with what each was told.
fn failed(cancel: &ApiError, new: Option<&ApiError>) -> ApiError {
    let data = json!({
        "cancelResult": "FAILURE", "newOrderResult": if new.is_some() { "FAILURE" } else { NOT_ATTEMPTED },
        "cancelResponse": cancel.body_fields(), "newOrderResponse": new.map(ApiError::body_fields),
    });
    ApiError { data: Some(data), ..ApiError::bad(-2022, "Order cancel-replace failed.") }
}

/// One of both failed: status 409, -2021.
fn partly(cancel: (&str, Value), new: (&str, Value)) -> ApiError {
    let data = json!({
        "cancelResult": cancel.0, "newOrderResult": new.0, "cancelResponse": cancel.1, "newOrderResponse": new.1,
    });
    let error = ApiError::bad(-2021, "Order cancel-replace partially failed.");
    ApiError { status: StatusCode::CONFLICT, data: Some(data), ..error }
}

/// The order that is to go, as far as it is open and may be cancelled.
fn leaver<'v>(request: &Request, view: &'v AccountView, market: MarketId) -> Result<&'v Order, ApiError> {
    let names = [("cancelOrderId", "orderId"), ("cancelOrigClientOrderId", "origClientOrderId")];
    let args = request.args.renamed(names.iter().map(|(name, plain)| ((*name).to_owned(), *plain)));
    let found = meant(&args, view, market)?;
    let permitted = permits(request.args.text("cancelRestrictions"), found.status);
    if permitted { Ok(found) } else { Err(ApiError::restricted()) }
}

/// `POST order/cancelReplace`.
pub async fn replace(request: Request) -> ApiResult {
    let asked = OrderRequest::read(&request.args)?;
    let (info, account) = (super::market(&request)?, request.account()?);
    let shared = &request.app.shared;
    let new = leg(&asked, &info, &shared.boards)?;
    let must = request.args.text("cancelReplaceMode") == Some("STOP_ON_FAILURE");
    let before = view(&request.app, account).await?;
    let old = match leaver(&request, &before, info.params.market) {
        Ok(old) => Some(old),
        Err(error) if must => return Err(failed(&error, None)),
        Err(_) => None,
    };
    let replaces = old.map(|old| Replaced { order: old.order, must });
    let Leg { order, .. } = new;
    let (market, terms) = (order.market, order.terms);
    let group = OrderGroup { market, replaces, legs: vec![new], pending: Vec::new(), list: None, terms };
    request.still_fresh()?;
    let name = named_by(&request, "cancelNewClientOrderId");
    let command = SpotCommand::PlaceGroup(Box::new(group));
    let acks = match hand_over(&request, (account, order.kind), 1, command, Some(&name)).await {
        Ok(acks) => acks,
        // Nothing happened: the order is still there, or it was not there before.
        Err(error) if error.code == -2011 => return Err(failed(&ApiError::unknown_order(), None)),
        Err(error) if old.is_none() && matches!(error.code, -2010 | -1013) => {
            return Err(failed(&ApiError::unknown_order(), Some(&error)));
        }
        Err(error) => {
            // What balances and names forbid shows after the cancel; too many orders stop it unless that is wanted.
            let cancels = error.code == -2010
                || error.code == -1015 && request.args.text("orderRateLimitExceededMode") == Some("CANCEL_ONLY");
            let Some(old) = old.filter(|_| cancels) else { return Err(error) };
            return Err(cancel_alone(&request, &before, old, &name, &error).await);
        }
    };
    let canceled = match (old, acks.canceled.first()) {
        (Some(old), Some(_)) => Some(canceled_row(&request, &before, old, &acks.canceled, &name).await),
        _ => None,
    };
    let new_row = match acks.orders.first() {
        Some(ack) => Ok(placed(&request, account, (&asked, &new, &info), ack).await),
        None => Err(acks.refused.map_or_else(ApiError::unknown, ApiError::from)),
    };
    let counts = Some(shared.api_limits.order_counts(account));
    match (canceled, new_row) {
        (Some(canceled), Ok(new)) => {
            let row = json!({
                "cancelResult": "SUCCESS", "newOrderResult": "SUCCESS", "cancelResponse": canceled,
                "newOrderResponse": new,
            });
            Ok(ApiResponse { orders: counts, ..row.into() })
        }
        (Some(canceled), Err(error)) => Err(partly(("SUCCESS", canceled), ("FAILURE", error.body_fields()))),
        (None, Ok(new)) => Err(partly(("FAILURE", ApiError::unknown_order().body_fields()), ("SUCCESS", new))),
        (None, Err(error)) => Err(failed(&ApiError::unknown_order(), Some(&error))),
    }
}

async fn canceled_row(request: &Request, before: &AccountView, old: &Order, ids: &[OrderId], name: &str) -> Value {
    let ended = ended(request, before, ids).await;
    super::cancel::row(request, ended.iter().find(|o| o.order == old.order).unwrap_or(old), name)
}

/// The cancel without the new order, which was refused with this.
async fn cancel_alone(
    request: &Request,
    before: &AccountView,
    old: &Order,
    name: &str,
    refused: &ApiError,
) -> ApiError {
    match ask(request, before.account, SpotCommand::Cancel(OrderName::Id(old.order)), name).await {
        Ok(ids) => {
            let row = canceled_row(request, before, old, &ids, name).await;
            partly(("SUCCESS", row), ("FAILURE", refused.body_fields()))
        }
        Err(error) if error.code == -2011 => failed(&error, Some(refused)),
        Err(error) => error,
    }
}

/// `PUT order/amend/keepPriority`: less of it, in its place.
pub async fn amend(request: Request) -> ApiResult {
    let (info, account) = (super::market(&request)?, request.account()?);
    let before = view(&request.app, account).await?;
    let order = meant(&request.args, &before, info.params.market).map_err(|_| ApiError::no_such_order())?;
    let wanted = request.args.amount("newQty").ok_or_else(|| ApiError::missing("newQty"))?;
    let size = lots(wanted, &info.params).map_err(|_| ApiError::filter("LOT_SIZE"))?;
    if order.list.0 > 0 {
        return Err(ApiError::not_amended("The order is part of an order list and cannot be amended."));
    }
    if size >= order.lots {
        return Err(ApiError::not_amended("Order amend (quantity increase) is not supported."));
    }
    let client_id = ClientOrderId::parse(&named_by(&request, NEW_NAME));
    request.still_fresh()?;
    let command = SpotCommand::Amend { order: OrderName::Id(order.order), lots: size, client_id };
    let reply = request.app.client.call(Origin::Api, None, Command::Account(account, AccountCommand::Spot(command)));
    let time = match reply.await? {
        Reply::Accepted(Accepted::GroupPlaced(acks)) => acks.time,
        Reply::Rejected(reject) => return Err(reject.into()),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy) => {
            unreachable!("an order is amended or refused, not {other:?}")
        }
    };
    // It is amended: when it cannot be looked up now, as it must be.
    let as_asked = Order { lots: size, client_id, open: order.open - (order.lots - size), ..*order };
    let now = find_order(&request.app, account, order.order).await.unwrap_or(Order { updated: time, ..as_asked });
    let row = amended(&request, order, &now);
    let id = rows::execution_id(time);
    Ok(json!({ "transactTime": request.unit.ns(time), "executionId": id, "amendedOrder": row }).into())
}

/// An order that was made smaller, with the name that it had before.
fn amended(request: &Request, before: &Order, now: &Order) -> Value {
    json!({
        "symbol": rows::symbol(&now.units, &request.app.shared.listed()), "orderId": now.order.0,
        "orderListId": rows::list_of(now), "origClientOrderId": rows::client_id(before),
        "clientOrderId": rows::client_id(now), "price": eight(now.units.price(now.ticks)),
        "qty": eight(now.units.base_amount(now.lots)), "executedQty": eight(now.units.base_amount(now.filled)),
        "preventedQty": eight(now.units.base_amount(now.prevented)), "quoteOrderQty": eight(now.budget), "cumulativeQuoteQty": eight(now.spent),
        "status": rows::status_name(now.status), "timeInForce": rows::tif_name(now.tif), "type": rows::type_of(now),
        "side": rows::side_name(now.side), "workingTime": rows::working_time(now, request.unit),
        "selfTradePreventionMode": rows::stp_name(now.stp),
    })
}
