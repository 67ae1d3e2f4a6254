//! Lists whose first order brings one or two others when it is filled: `orderList/oto`, `orderList/otoco`.
//!
//! Owns: their parameters and what is told when they were taken. Never does: hold money for the pending orders; their account
//! does at their turn. Invariants: the first order is told with what it met at once, the others as they are then: pending.
//! Known limits: what a pending order comes to is told by its own queries and events.

use super::list_rows;
use super::lists::{COMMON, one, own};
use super::place::{at_once, hand_over, leg, pending_leg, placed};
use super::request::{OrderRequest, ResponseType};
use super::rows;
use crate::api::binance::errors::ApiError;
use crate::api::binance::params::Args;
use crate::api::binance::request::{ApiResponse, ApiResult, Request};
use serde_json::Value;
use xng_core::account::{Order, SpotCommand};
use xng_core::ids::{ClientOrderId, OrderId};
use xng_core::spot::facts::OrderList;
use xng_core::spot::{Leg, ListKind, OrderGroup};

/// Parameters that the two pending orders of `orderList/otoco` have in common.
const PENDING: [(&str, &str); 2] = [("pendingSide", "side"), ("pendingQuantity", "quantity")];

/// A first order and what it brings.
#[derive(Debug)]
pub struct Asked {
    first: OrderRequest,
    pending: Vec<OrderRequest>,
}

fn with_own_size(args: &Args, word: &str) -> Result<OrderRequest, ApiError> {
    let mut names = own(word);
    names.extend([(format!("{word}Side"), "side"), (format!("{word}Quantity"), "quantity")]);
    one(args, (COMMON, &names), None)
}

fn of_side(args: &Args, word: &str) -> Result<OrderRequest, ApiError> {
    let mut names = own(word);
    names.extend(PENDING.map(|(name, plain)| (name.to_owned(), plain)));
    one(args, (COMMON, &names), None)
}

/// The orders of `orderList/oto`.
///
/// # Errors
/// As those of an order, in the list's words.
pub fn oto(args: &Args) -> Result<Asked, ApiError> {
    Ok(Asked { first: with_own_size(args, "working")?, pending: vec![with_own_size(args, "pending")?] })
}

/// The orders of `orderList/otoco`.
///
/// # Errors
/// As those of an order, in the list's words.
pub fn otoco(args: &Args) -> Result<Asked, ApiError> {
    let pending = vec![of_side(args, "pendingAbove")?, of_side(args, "pendingBelow")?];
    Ok(Asked { first: with_own_size(args, "working")?, pending })
}

/// `POST orderList/oto`.
pub async fn place_oto(request: Request) -> ApiResult {
    let asked = oto(&request.args)?;
    place(request, asked).await
}

/// `POST orderList/otoco`.
pub async fn place_otoco(request: Request) -> ApiResult {
    let asked = otoco(&request.args)?;
    place(request, asked).await
}

async fn place(request: Request, mut asked: Asked) -> ApiResult {
    let (info, account) = (super::market(&request)?, request.account()?);
    let (boards, market) = (&request.app.shared.boards, info.params.market);
    let respond = request.args.text("newOrderRespType").and_then(ResponseType::parse);
    asked.first.respond = respond.unwrap_or(ResponseType::Result);
    let first = leg(&asked.first, &info, boards)?;
    let pending: Vec<Leg> = asked.pending.iter().map(|order| pending_leg(order, &info)).collect::<Result<_, _>>()?;
    let name = request.args.text("listClientOrderId").and_then(ClientOrderId::parse);
    let (legs, terms) = (vec![first], first.order.terms);
    let group = OrderGroup { market, replaces: None, legs, pending: pending.clone(), list: name, terms };
    request.still_fresh()?;
    let command = SpotCommand::PlaceGroup(Box::new(group));
    let acks = hand_over(&request, (account, first.order.kind), 1 + pending.len(), command, None).await?;
    let list = acks.orders.first().map_or(OrderId(0), |ack| ack.order);
    let each = std::iter::once(&first).chain(&pending).zip(&acks.orders);
    let orders: Vec<Order> = each.map(|(leg, ack)| Order { list, ..at_once(leg, ack, &info) }).collect();
    let ids = acks.orders.iter().map(|ack| ack.order).collect();
    let told = OrderList { list, kind: ListKind::OneTriggers, orders: ids, client_id: name };
    let mut row = list_rows::begun(&request, &told, &orders, acks.time);
    let mut reports: Vec<Value> = Vec::with_capacity(orders.len());
    if let Some(ack) = acks.orders.first() {
        let mut report = placed(&request, account, (&asked.first, &first, &info), ack).await;
        report["orderListId"] = list.0.into();
        reports.push(report);
    }
    let catalog = request.app.shared.listed();
    for (asked, order) in asked.pending.iter().zip(orders.iter().skip(1)) {
        reports.push(match respond {
            Some(ResponseType::Ack) => rows::head(order, &catalog, request.unit),
            Some(ResponseType::Result | ResponseType::Full) | None => {
                asked.labelled(rows::report(order, &catalog, request.unit))
            }
        });
    }
    row["orderReports"] = reports.into();
    let counts = request.app.shared.api_limits.order_counts(account);
    Ok(ApiResponse { orders: Some(counts), ..row.into() })
}
