//! `POST order`, `POST order/test`.
//!
//! Owns: what an order is to the exchange, and its answer. Never does: match. Invariants: a request is handed over only
//! while its window is open; an order is counted before it is handed over. Known limits: an order's strategy is told in its
//! answer and not kept.

use super::request::{OrderRequest, OrderType, ResponseType, Size, StpMode, TimeInForce};
use super::rows::{self, DEFAULT_STP};
use crate::api::binance::account::{Commission, commission};
use crate::api::binance::errors::ApiError;
use crate::api::binance::exchange_info::{MAX_NOTIONAL, MAX_PRICE};
use crate::api::binance::limits::{CountedOrder, OrderEnd};
use crate::api::binance::request::{ApiResponse, ApiResult, Request};
use crate::api::http::errors::Failure;
use crate::common::decimal::{lots, ticks};
use crate::market::board::Boards;
use crate::market::catalog::MarketInfo;
use crate::orders::lookup::{fills_of, look, view};
use crate::orders::required_hold::{OrderSpec, terms, waiting_terms};
use crate::orders::submission;
use serde_json::{Value, json};
use xng_core::account::{AccountCommand, Fill, Order, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, ClientOrderId, OrderId, PreventedId};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::record::Origin;
use xng_core::spot::conditional::TRAIL_BIPS;
use xng_core::spot::prevented_matches::PreventedMatch;
use xng_core::spot::{
    GroupAck, Leg, MarketParams, NewOrder, OrderAck, OrderGroup, OrderKind, OrderStatus, Stp, Terms, Tif, Trigger,
    TriggerKind,
};

/// What a type and its time in force are to the exchange.
fn kind_of(order: &OrderRequest) -> (OrderKind, Tif, Option<TriggerKind>) {
    let tif = match order.tif {
        None | Some(TimeInForce::Gtc) => Tif::Gtc,
        Some(TimeInForce::Ioc) => Tif::Ioc,
        Some(TimeInForce::Fok) => Tif::Fok,
    };
    match order.kind {
        OrderType::Market => (OrderKind::Market, Tif::Gtc, None),
        OrderType::LimitMaker => (OrderKind::Limit, Tif::PostOnly, None),
        OrderType::Limit => (OrderKind::Limit, tif, None),
        OrderType::StopLoss => (OrderKind::Market, tif, Some(TriggerKind::StopLoss)),
        OrderType::StopLossLimit => (OrderKind::Limit, tif, Some(TriggerKind::StopLoss)),
        OrderType::TakeProfit => (OrderKind::Market, tif, Some(TriggerKind::TakeProfit)),
        OrderType::TakeProfitLimit => (OrderKind::Limit, tif, Some(TriggerKind::TakeProfit)),
    }
}

fn stp_of(mode: Option<StpMode>) -> Result<Stp, ApiError> {
    match mode {
        None => Ok(DEFAULT_STP),
        Some(StpMode::ExpireTaker) => Ok(Stp::ExpireTaker),
        Some(StpMode::ExpireMaker) => Ok(Stp::ExpireMaker),
        Some(StpMode::ExpireBoth) => Ok(Stp::ExpireBoth),
        Some(StpMode::Decrement) => Ok(Stp::Decrement),
        Some(StpMode::None | StpMode::Transfer) => {
            Err(ApiError::invalid("This symbol does not allow the specified self-trade prevention mode."))
        }
    }
}

fn price_in_ticks(price: Option<Amount>, p: &MarketParams) -> Result<Ticks, ApiError> {
    let price = match price {
        Some(price) => ticks(price, p).ok().filter(|t| (Ticks(1)..=MAX_PRICE).contains(t)),
        None => Some(Ticks::ZERO),
    };
    price.ok_or_else(|| ApiError::filter("PRICE_FILTER"))
}

/// Filters that need nothing but the order; the market checks them again with the others.
fn in_units(order: &OrderRequest, info: &MarketInfo) -> Result<OrderSpec, ApiError> {
    let p = &info.params;
    let (kind, tif, _) = kind_of(order);
    let price = price_in_ticks(order.price, p)?;
    let (size, budget) = match order.size {
        Size::Base(quantity) => {
            let size = lots(quantity, p).ok().filter(|lots| (p.min_lots..=p.max_lots).contains(lots));
            (size.ok_or_else(|| ApiError::filter("LOT_SIZE"))?, Amount::ZERO)
        }
        Size::Quote(budget) => (Lots::ZERO, budget),
    };
    let notional = match kind {
        OrderKind::Limit => Some(p.notional(price, size)),
        OrderKind::Market => Some(budget).filter(|budget| budget.is_positive()),
    };
    let too_much = kind == OrderKind::Limit && notional.is_some_and(|notional| notional > MAX_NOTIONAL);
    if too_much || notional.is_some_and(|notional| notional < p.min_notional) {
        return Err(ApiError::filter("NOTIONAL"));
    }
    Ok(OrderSpec { side: order.side, kind, tif, ticks: price, lots: size, budget })
}

/// When an order is triggered, for types that wait.
fn trigger_of(order: &OrderRequest, p: &MarketParams) -> Result<Option<Trigger>, ApiError> {
    let (_, _, Some(kind)) = kind_of(order) else { return Ok(None) };
    let bips = order.trailing_delta.unwrap_or_default();
    let in_range = bips == 0 || u32::try_from(bips).is_ok_and(|bips| TRAIL_BIPS.contains(&bips));
    if !in_range || (bips == 0 && order.trailing_delta.is_some()) {
        return Err(ApiError::filter("TRAILING_DELTA"));
    }
    Ok(Some(Trigger { kind, ticks: price_in_ticks(order.stop_price, p)?, trail_bips: bips as u32 }))
}

/// An order as the account is asked for it, with what it must hold.
///
/// # Errors
/// Filters that it does not pass; what the exchange cannot do; -1112 when a purchase at market finds no ask.
pub fn leg(order: &OrderRequest, info: &MarketInfo, boards: &Boards) -> Result<Leg, ApiError> {
    let Leg { mut order, trigger } = pending_leg(order, info)?;
    order.terms = match &trigger {
        None => {
            let NewOrder { side, kind, tif, ticks, lots, budget, .. } = order;
            let spec = OrderSpec { side, kind, tif, ticks, lots, budget };
            terms(boards, info, &spec).map_err(|_| ApiError::bad(-1112, "No orders on book for symbol."))?
        }
        // What it locks follows from its trigger, which the market looks at again.
        Some(trigger) => waiting_terms(boards, &info.params, &order, trigger),
    };
    Ok(Leg { order, trigger })
}

/// An order that is to be placed later: what it needs is held at its turn.
///
/// # Errors
/// Filters that it does not pass; what the exchange cannot do.
pub(super) fn pending_leg(order: &OrderRequest, info: &MarketInfo) -> Result<Leg, ApiError> {
    let (spec, p) = (in_units(order, info)?, &info.params);
    let (stp, trigger) = (stp_of(order.stp)?, trigger_of(order, p)?);
    let iceberg = match order.iceberg {
        Some(amount) => lots(amount, p).map_err(|_| ApiError::filter("LOT_SIZE"))?,
        None => Lots::ZERO,
    };
    let client_id = order.client_id.or_else(|| ClientOrderId::parse(&rows::drawn_name()));
    let terms = Terms { version: p.version, asset: p.locked_asset(spec.side), amount: Amount::ZERO, capped: false };
    let OrderSpec { side, kind, tif, ticks, lots, budget } = spec;
    let market = p.market;
    let order = NewOrder { market, side, kind, tif, stp, ticks, lots, budget, iceberg, client_id, terms };
    Ok(Leg { order, trigger })
}

/// `POST order`.
pub async fn place(request: Request) -> ApiResult {
    let asked = OrderRequest::read(&request.args)?;
    let info = super::market(&request)?;
    let account = request.account()?;
    let shared = &request.app.shared;
    let leg = leg(&asked, &info, &shared.boards)?;
    request.still_fresh()?;
    let ack = submit(&request, account, &leg).await?;
    let row = placed(&request, account, (&asked, &leg, &info), &ack).await;
    Ok(ApiResponse { orders: Some(shared.api_limits.order_counts(account)), ..row.into() })
}

/// Counts the order, hands it to the exchange and waits for its durable answer.
async fn submit(request: &Request, account: AccountId, leg: &Leg) -> Result<OrderAck, ApiError> {
    let command = match leg.trigger {
        None => SpotCommand::Place(leg.order),
        Some(_) => {
            let (market, terms) = (leg.order.market, leg.order.terms);
            let (legs, pending) = (vec![*leg], Vec::new());
            SpotCommand::PlaceGroup(Box::new(OrderGroup { market, replaces: None, legs, pending, list: None, terms }))
        }
    };
    let acks = hand_over(request, (account, leg.order.kind), 1, command, None).await?;
    acks.orders.first().copied().ok_or_else(ApiError::unknown)
}

/// Counts orders, hands the command that places them to the exchange, and waits for its durable answer; `cancel` names what
/// leaves for them.
///
/// # Errors
/// -1015 when they are too many; what the exchange refuses.
pub(super) async fn hand_over(
    request: &Request,
    (account, kind): (AccountId, OrderKind),
    orders: usize,
    command: SpotCommand,
    cancel: Option<&str>,
) -> Result<GroupAck, ApiError> {
    let shared = &request.app.shared;
    let mut counted = Vec::with_capacity(orders);
    for _ in 0..orders {
        match shared.api_limits.take_order(account) {
            Ok(one) => counted.push(one),
            Err(error) => {
                counted.into_iter().for_each(|one| one.ended(OrderEnd::Refused));
                return Err(error);
            }
        }
    }
    let command = Command::Account(account, AccountCommand::Spot(command));
    let note = |ticket| cancel.into_iter().for_each(|name| shared.cancel_names.put(ticket, name));
    let ask = async { Ok(request.app.client.call_noted(Origin::Api, None, command, note).await?) };
    submission::submit(shared, kind, request.began, ask, |reply| settled(reply, counted)).await
}

/// What was placed; orders that did not come to rest are not counted any more.
fn settled(reply: Result<Reply, Failure>, counted: Vec<CountedOrder>) -> Result<GroupAck, ApiError> {
    let acks = match reply {
        Ok(Reply::Accepted(Accepted::Placed(ack))) => {
            let (time, orders) = (ack.time, vec![ack]);
            GroupAck { canceled: Vec::new(), orders, refused: None, time }
        }
        Ok(Reply::Accepted(Accepted::GroupPlaced(acks))) => *acks,
        Ok(Reply::Rejected(reject)) => {
            counted.into_iter().for_each(|one| one.ended(OrderEnd::Refused));
            return Err(reject.into());
        }
        Ok(other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy)) => {
            unreachable!("orders are placed or refused, not {other:?}")
        }
        Err(failure) => {
            let error = ApiError::from(failure);
            // Of a timeout nobody knows whether there is an order: it stays counted.
            if error == ApiError::busy() {
                counted.into_iter().for_each(|one| one.ended(OrderEnd::Refused));
            }
            return Err(error);
        }
    };
    let mut ends = acks.orders.iter().map(|ack| match ack.status {
        _ if !ack.filled.is_zero() => OrderEnd::Filled,
        OrderStatus::Open | OrderStatus::Partial | OrderStatus::Waiting | OrderStatus::Pending => {
            OrderEnd::Rests(ack.order)
        }
        OrderStatus::Filled | OrderStatus::Canceled | OrderStatus::Expired | OrderStatus::ExpiredInMatch => {
            OrderEnd::Expired
        }
    });
    counted.into_iter().for_each(|one| one.ended(ends.next().unwrap_or(OrderEnd::Refused)));
    Ok(acks)
}

/// The order as it is right after it was placed.
pub(super) fn at_once(leg: &Leg, ack: &OrderAck, info: &MarketInfo) -> Order {
    let order = &leg.order;
    let open = if ack.status.is_open() { order.lots - ack.filled } else { Lots::ZERO };
    Order {
        order: ack.order,
        units: info.params.units(),
        side: order.side,
        kind: order.kind,
        tif: order.tif,
        ticks: order.ticks,
        lots: order.lots,
        budget: order.budget,
        open,
        filled: ack.filled,
        spent: ack.spent,
        fee: Amount::ZERO,
        status: ack.status,
        reason: xng_core::spot::EndReason::None,
        client_id: order.client_id,
        created: ack.time,
        updated: ack.time,
        stp: order.stp,
        iceberg: order.iceberg,
        trigger: leg.trigger,
        locked: Amount::ZERO,
        list: OrderId(0),
        working: if matches!(ack.status, OrderStatus::Waiting | OrderStatus::Pending) { 0 } else { ack.time },
        prevented: Lots::ZERO,
        prevented_by: PreventedId::NONE,
    }
}

/// What an order's sender is told, in as many words as they asked for. The order is taken: whatever cannot be looked up is
/// left out, since an error would have it sent again.
pub(super) async fn placed(
    request: &Request,
    account: AccountId,
    (asked, leg, info): (&OrderRequest, &Leg, &MarketInfo),
    ack: &OrderAck,
) -> Value {
    let mut now = at_once(leg, ack, info);
    let catalog = request.app.shared.listed();
    if asked.respond == ResponseType::Ack {
        return rows::head(&now, &catalog, request.unit);
    }
    let wants_fills = asked.respond == ResponseType::Full && !ack.filled.is_zero();
    let (mut fills, mut prevented): (Vec<Fill>, Vec<PreventedMatch>) = (Vec::new(), Vec::new());
    // The answer does not tell whether it met its owner's orders; in this mode it is over when it did.
    let may_have_met = leg.order.stp != Stp::ExpireTaker && ack.status != OrderStatus::Waiting;
    if wants_fills || may_have_met || !ack.status.is_open() {
        let seen = look(&request.app, account, ack.order).await.ok();
        let known = seen.as_ref().and_then(|seen| seen.order(ack.order));
        // What happened to it since is not part of this answer.
        now.reason = known.map_or(now.reason, |o| if ack.status.is_open() { now.reason } else { o.reason });
        let met =
            seen.iter().filter(|_| may_have_met || !ack.status.is_open()).flat_map(|seen| seen.prevented().entries);
        prevented.extend(met.filter(|m| m.taker == ack.order));
        for m in prevented.iter().filter(|m| !m.taker_lots.is_zero()) {
            (now.prevented, now.prevented_by) = (now.prevented + m.taker_lots, m.id);
        }
        if let Some(seen) = seen.filter(|_| wants_fills) {
            fills = fills_of(&request.app, &seen, &now).await.unwrap_or_else(|_| seen.fills_of(&now));
            fills.retain(|fill| fill.time <= ack.time);
            fills.sort_unstable_by_key(|fill| fill.trade);
        }
    }
    let mut row = asked.labelled(rows::report(&now, &catalog, request.unit));
    if asked.respond == ResponseType::Full {
        row["fills"] = fills.iter().map(|fill| rows::fill(fill, &catalog)).collect();
        if !prevented.is_empty() {
            row["preventedMatches"] = prevented.iter().map(|m| Value::Object(rows::prevented(m, &catalog))).collect();
        }
    }
    row
}

/// `POST order/test`: everything that can be said of an order without asking the exchange.
pub async fn test(request: Request) -> ApiResult {
    let asked = OrderRequest::read(&request.args)?;
    let info = super::market(&request)?;
    leg(&asked, &info, &request.app.shared.boards)?;
    if request.args.flag("computeCommissionRates") != Some(true) {
        return Ok(json!({}).into());
    }
    let account = view(&request.app, request.account()?).await?;
    let Commission { standard: [maker, taker], discount } = commission(&info, account.level);
    let none = json!({ "maker": rows::eight(Amount::ZERO), "taker": rows::eight(Amount::ZERO) });
    Ok(json!({
        "standardCommissionForOrder": { "maker": maker, "taker": taker }, "specialCommissionForOrder": none,
        "taxCommissionForOrder": none, "discount": discount,
    })
    .into())
}
