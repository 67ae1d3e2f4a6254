//! `POST order`, `POST order/test`.
//!
//! Owns: what an order is to the exchange, and its answer. Never does: match. Invariants: a request is handed over only
//! while its window is open; an order is counted before it is handed over. Known limits: an order's strategy is told in its
//! answer and not kept.

use super::rows::{self, DEFAULT_STP};
use super::wish::{OrderRequest, OrderType, ResponseType, Size, StpMode, TimeInForce};
use crate::auth::secrets::alphanumeric;
use crate::binance::account::commission;
use crate::binance::errors::ApiError;
use crate::binance::exchange_info::MAX_PRICE;
use crate::binance::limits::OrderEnd;
use crate::binance::request::{Answer, Outcome, Request};
use crate::calls::spot::{Wish, terms};
use crate::catalog::MarketInfo;
use crate::edge::{lots, ticks};
use crate::http::errors::Failure;
use crate::market::board::Boards;
use crate::orders::{fills_of, view};
use crate::trail::Passed;
use serde_json::{Value, json};
use std::time::Instant;
use xng_core::account::{AccountCommand, Fill, Order, SpotCommand};
use xng_core::entity::{Command, Reply};
use xng_core::ids::{AccountId, ClientOrderId};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::record::Origin;
use xng_core::spot::facts::Units;
use xng_core::spot::{NewOrder, OrderAck, OrderKind, OrderStatus, Stp, Tif};

/// Characters of a client order id that we draw.
const DRAWN_ID: usize = 22;

/// What the exchange can do of a type and its time in force.
fn kind_of(order: &OrderRequest) -> Result<(OrderKind, Tif), ApiError> {
    if order.iceberg.is_some() {
        return Err(ApiError::rejected("Iceberg orders are not supported for this symbol."));
    }
    match (order.kind, order.tif) {
        (OrderType::Market, _) => Ok((OrderKind::Market, Tif::Gtc)),
        (OrderType::LimitMaker, _) => Ok((OrderKind::Limit, Tif::PostOnly)),
        (OrderType::Limit, None | Some(TimeInForce::Gtc)) => Ok((OrderKind::Limit, Tif::Gtc)),
        (OrderType::Limit, Some(TimeInForce::Ioc)) => Ok((OrderKind::Limit, Tif::Ioc)),
        (OrderType::Limit, Some(TimeInForce::Fok)) => Ok((OrderKind::Limit, Tif::Fok)),
        (OrderType::StopLoss | OrderType::StopLossLimit | OrderType::TakeProfit | OrderType::TakeProfitLimit, _) => {
            Err(ApiError::order_type())
        }
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

/// Filters that need nothing but the order; the market checks them again with the others.
fn in_units(order: &OrderRequest, info: &MarketInfo) -> Result<Wish, ApiError> {
    let p = &info.params;
    let (kind, tif) = kind_of(order)?;
    let price = match order.price {
        Some(price) => ticks(price, p).ok().filter(|t| (Ticks(1)..=MAX_PRICE).contains(t)),
        None => Some(Ticks::ZERO),
    };
    let price = price.ok_or_else(|| ApiError::filter("PRICE_FILTER"))?;
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
    if notional.is_some_and(|notional| notional < p.min_notional) {
        return Err(ApiError::filter("NOTIONAL"));
    }
    Ok(Wish { side: order.side, kind, tif, ticks: price, lots: size, budget })
}

/// The order as the account is asked for it.
///
/// # Errors
/// Filters that it does not pass; what the exchange cannot do; -1112 when a purchase at market finds no ask.
pub fn new_order(order: &OrderRequest, info: &MarketInfo, boards: &Boards) -> Result<NewOrder, ApiError> {
    let wish = in_units(order, info)?;
    let stp = stp_of(order.stp)?;
    let terms = terms(boards, info, &wish).map_err(|_| ApiError::bad(-1112, "No orders on book for symbol."))?;
    let Wish { side, kind, tif, ticks, lots, budget } = wish;
    let client_id = order.client_id.or_else(|| ClientOrderId::parse(&alphanumeric(DRAWN_ID)));
    Ok(NewOrder { market: info.params.market, side, kind, tif, stp, ticks, lots, budget, client_id, terms })
}

/// `POST order`.
pub async fn place(request: Request) -> Outcome {
    let asked = OrderRequest::read(&request.args)?;
    let info = super::market(&request)?;
    let account = request.account()?;
    let shared = &request.app.shared;
    let order = new_order(&asked, &info, &shared.boards)?;
    request.still_fresh()?;
    let ack = submit(&request, account, order).await?;
    let row = placed(&request, account, (&asked, &order, &info), &ack).await?;
    Ok(Answer { orders: Some(shared.api_limits.order_counts(account)), ..row.into() })
}

/// Counts the order, hands it to the exchange and waits for its durable answer.
async fn submit(request: &Request, account: AccountId, order: NewOrder) -> Result<OrderAck, ApiError> {
    let shared = &request.app.shared;
    let counted = shared.api_limits.take_order(account)?;
    let command = Command::Account(account, AccountCommand::Spot(SpotCommand::Place(order)));
    let handed = Instant::now();
    let reply = request.app.client.call(Origin::User, None, command).await;
    let answered = Instant::now();
    let reply = reply.map_err(Failure::from);
    shared.meters.orders.count(order.kind, &reply, answered - handed);
    match reply {
        Ok(Reply::Placed(ack)) => {
            counted.ended(match ack.status {
                _ if !ack.filled.is_zero() => OrderEnd::Filled,
                OrderStatus::Open | OrderStatus::Partial => OrderEnd::Rests(ack.order),
                OrderStatus::Filled | OrderStatus::Canceled | OrderStatus::Expired | OrderStatus::ExpiredInMatch => {
                    OrderEnd::Expired
                }
            });
            let (received, replied) = (request.began, Instant::now());
            let (order, decided) = (ack.order, ack.time);
            shared.health.trail.passed(Passed { order, decided, received, handed, answered, replied });
            Ok(ack)
        }
        Ok(Reply::Rejected(reject)) => {
            counted.ended(OrderEnd::Refused);
            Err(reject.into())
        }
        Ok(other) => unreachable!("an order is placed or refused, not {other:?}"),
        Err(failure) => {
            let error = ApiError::from(failure);
            // Of a timeout nobody knows whether there is an order: it stays counted.
            if error == ApiError::busy() {
                counted.ended(OrderEnd::Refused);
            }
            Err(error)
        }
    }
}

/// The order as it is right after it was placed.
fn at_once(order: &NewOrder, ack: &OrderAck, info: &MarketInfo) -> Order {
    let p = &info.params;
    let units = Units {
        market: p.market,
        base: p.base,
        quote: p.quote,
        lot_units: p.lot_units(),
        tick_lot_units: p.tick_lot_units(),
    };
    let open = if ack.status.is_open() { order.lots - ack.filled } else { Lots::ZERO };
    Order {
        order: ack.order,
        units,
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
        reason: xng_core::spot::StopReason::None,
        client_id: order.client_id,
        created: ack.time,
        updated: ack.time,
    }
}

/// What an order's sender is told, in as many words as they asked for.
async fn placed(
    request: &Request,
    account: AccountId,
    (asked, order, info): (&OrderRequest, &NewOrder, &MarketInfo),
    ack: &OrderAck,
) -> Result<Value, ApiError> {
    let mut now = at_once(order, ack, info);
    let time = request.unit.ns(ack.time);
    let head = json!({
        "symbol": info.params.symbol, "orderId": ack.order.0, "orderListId": -1, "clientOrderId": rows::client_id(&now),
        "transactTime": time,
    });
    if asked.respond == ResponseType::Ack {
        return Ok(head);
    }
    let wants_fills = asked.respond == ResponseType::Full && !ack.filled.is_zero();
    let mut fills: Vec<Fill> = Vec::new();
    if wants_fills || !ack.status.is_open() {
        let seen = view(&request.app, account, true).await?;
        let known = seen.open.iter().chain(&seen.done).find(|o| o.order == ack.order);
        // What happened to it since is not part of this answer.
        now.reason = known.map_or(now.reason, |o| if ack.status.is_open() { now.reason } else { o.reason });
        if wants_fills {
            fills = fills_of(&request.app, &seen, &now).await?;
            fills.retain(|fill| fill.time <= ack.time);
            fills.sort_unstable_by_key(|fill| fill.trade);
        }
    }
    let mut row = rows::numbers(&now);
    rows::extend(&mut row, head);
    row.insert("workingTime".into(), time.into());
    row.insert("selfTradePreventionMode".into(), rows::stp_name(order.stp).into());
    for (name, label) in [("strategyId", asked.strategy.0), ("strategyType", asked.strategy.1)] {
        if let Some(label) = label {
            row.insert(name.into(), label.into());
        }
    }
    if asked.respond == ResponseType::Full {
        let catalog = request.app.shared.listed();
        row.insert("fills".into(), fills.iter().map(|fill| rows::fill(fill, &catalog)).collect());
    }
    Ok(Value::Object(row))
}

/// `POST order/test`: everything that can be said of an order without asking the exchange.
pub async fn test(request: Request) -> Outcome {
    let asked = OrderRequest::read(&request.args)?;
    let info = super::market(&request)?;
    new_order(&asked, &info, &request.app.shared.boards)?;
    if request.args.flag("computeCommissionRates") != Some(true) {
        return Ok(json!({}).into());
    }
    let account = view(&request.app, request.account()?, false).await?;
    let rates = commission(&info, account.level);
    Ok(json!({
        "standardCommissionForOrder": rates.standard, "specialCommissionForOrder": rates.none,
        "taxCommissionForOrder": rates.none, "discount": rates.discount,
    })
    .into())
}
