//! `POST order`, `POST order/test`, `POST batchOrders`, and amendments: `PUT order`, `PUT batchOrders`.
//!
//! Owns: what an order is to the exchange, and its answer. Never does: match. Invariants: a request is handed over only while its
//! window is open; an order is counted before it is handed over. Known limits: an amendment makes an order smaller and keeps its
//! price.

use super::conditional;
use super::errors::{failed, min_notional, refused};
use super::listed::Listed;
use super::queries::{self, OrderRef};
use super::request::FuturesOrder;
use super::rows;
use super::table::orders::{AMENDMENT, NEW_ORDER};
use crate::api::binance::errors::ApiError;
use crate::api::binance::limits::OrderEnd;
use crate::api::binance::orders::rows::drawn_name;
use crate::api::binance::params::{Args, Pairs};
use crate::api::binance::request::{ApiResponse, ApiResult, Request};
use crate::orders::leg_placing::{self, Draft, Unfit};
use crate::orders::submission;
use serde_json::{Value, json};
use xng_core::account::{AccountCommand, LegCommand};
use xng_core::contract::book::order::NewBookOrder;
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::ClientOrderId;
use xng_core::money::{Amount, Lots};
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::spot::{OrderAck, OrderKind, OrderStatus, Side};

/// Orders in a batch at most.
const MOST_ORDERS: usize = 5;
/// A filter in the words of the convention.
pub(super) fn unfit(unfit: Unfit, listed: &Listed) -> ApiError {
    match unfit {
        Unfit::Tick => ApiError::bad(-4014, "Price not increased by tick size."),
        Unfit::Lot => ApiError::bad(-4023, "Qty not increased by step size."),
        Unfit::TooLarge => ApiError::bad(-4005, "Quantity greater than max quantity."),
        Unfit::TooSmall => ApiError::bad(-4004, "Quantity less than min quantity."),
        Unfit::Above(high) => ApiError::bad(-4016, format!("Limit price can't be higher than {}.", listed.price(high))),
        Unfit::Below(low) => ApiError::bad(-4024, format!("Limit price can't be lower than {}.", listed.price(low))),
        Unfit::Value => min_notional(),
    }
}

/// An order as the account is asked for it.
///
/// # Errors
/// Filters that it does not pass.
pub(super) fn wanted(order: &FuturesOrder, listed: &Listed) -> Result<NewBookOrder, ApiError> {
    let client_id = order.draft.client_id.or_else(|| ClientOrderId::parse(&drawn_name()));
    let draft = Draft { client_id, ..order.draft };
    leg_placing::fitted(&draft, listed).map_err(|why| unfit(why, listed))
}

/// Counts the order, hands it over and waits for its durable answer.
async fn submit(request: &Request, wanted: &NewBookOrder) -> Result<OrderAck, ApiError> {
    let (account, shared) = (request.account()?, &request.app.shared);
    request.still_fresh()?;
    let counted = shared.api_limits.take_order(account)?;
    let command = Command::Account(account, AccountCommand::Legs(leg_placing::command(*wanted, None)));
    let ask = async { Ok(request.app.client.call(Origin::Api, None, command).await?) };
    submission::submit(shared, wanted.kind, request.began, ask, |reply| match reply {
        Ok(Reply::Accepted(Accepted::Placed(ack))) => {
            counted.ended(match ack.status {
                _ if !ack.filled.is_zero() => OrderEnd::Filled,
                OrderStatus::Open | OrderStatus::Partial | OrderStatus::Waiting | OrderStatus::Pending => {
                    OrderEnd::Rests(ack.order)
                }
                OrderStatus::Filled | OrderStatus::Canceled | OrderStatus::Expired | OrderStatus::ExpiredInMatch => {
                    OrderEnd::Expired
                }
            });
            Ok(ack)
        }
        Ok(Reply::Rejected(reject)) => {
            counted.ended(OrderEnd::Refused);
            Err(refused(reject))
        }
        Ok(other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy)) => {
            unreachable!("orders are placed or refused, not {other:?}")
        }
        Err(failure) => {
            let error = failed(failure);
            // Of a timeout nobody knows whether there is an order: it stays counted.
            if error == ApiError::busy() {
                counted.ended(OrderEnd::Refused);
            }
            Err(error)
        }
    })
    .await
}

async fn place_one(request: &Request, order: &FuturesOrder, listed: &Listed) -> Result<Value, ApiError> {
    let wanted = wanted(order, listed)?;
    if let Some(wait) = &order.wait {
        let now = conditional::submit(request, wanted, (wait, listed)).await?;
        return Ok(rows::acted(&now, &request.app.shared.contracts.now(), request.unit));
    }
    let (draft, shared) = (&order.draft, &request.app.shared);
    if draft.kind == OrderKind::Market && !leg_placing::meets_somebody(shared, listed, draft.side).await {
        let msg = "The counterparty's best price does not meet the PERCENT_PRICE filter limit.";
        return Err(ApiError::bad(-4131, msg));
    }
    let ack = submit(request, &wanted).await?;
    let mut now = leg_placing::at_once((&wanted, None), &ack, listed);
    if !order.tells_result {
        // That it was taken is all that is asked for.
        (now.status, now.filled, now.spent) = (OrderStatus::Open, Lots::ZERO, Amount::ZERO);
    }
    Ok(rows::acted(&now, &request.app.shared.contracts.now(), request.unit))
}

/// `POST order`.
pub async fn place(request: Request) -> ApiResult {
    let (order, listed) = (FuturesOrder::read(&request.args)?, Listed::named(&request)?);
    let row = place_one(&request, &order, &listed).await?;
    let counts = request.app.shared.api_limits.order_counts(request.account()?);
    Ok(ApiResponse { orders: Some(counts), ..row.into() })
}

/// `POST order/test`: everything that can be said of an order without asking the exchange.
pub async fn test(request: Request) -> ApiResult {
    let (order, listed) = (FuturesOrder::read(&request.args)?, Listed::named(&request)?);
    wanted(&order, &listed)?;
    Ok(json!({}).into())
}

/// The members of a JSON list of objects, each as the parameters of a call of its own.
fn batch(
    request: &Request,
    params: &'static [crate::api::binance::params::Param],
) -> Result<Vec<Result<Args, ApiError>>, ApiError> {
    let text = request.args.need("batchOrders")?;
    let list: Vec<serde_json::Map<String, Value>> =
        serde_json::from_str(text).map_err(|_| ApiError::data("batchOrders"))?;
    if list.is_empty() || list.len() > MOST_ORDERS {
        return Err(ApiError::bad(-4082, "Invalid number of batch place orders."));
    }
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let read = |order: serde_json::Map<String, Value>| {
        let sent: Pairs = order.iter().map(|(name, value)| (name.clone(), word(value))).collect();
        Args::read(params.iter(), &sent)
    };
    Ok(list.into_iter().map(read).collect())
}

fn told(result: Result<Value, ApiError>) -> Value {
    result.unwrap_or_else(|error| error.body_fields())
}

/// `POST batchOrders`: one after the other, each for itself.
pub async fn place_batch(request: Request) -> ApiResult {
    let mut rows = Vec::new();
    for args in batch(&request, &NEW_ORDER)? {
        let row = match args {
            Ok(args) => {
                let one = Request { args, ..request.clone() };
                match FuturesOrder::read(&one.args).and_then(|order| Ok((order, Listed::named(&one)?))) {
                    Ok((order, listed)) => place_one(&one, &order, &listed).await,
                    Err(error) => Err(error),
                }
            }
            Err(error) => Err(error),
        };
        rows.push(told(row));
    }
    let counts = request.app.shared.api_limits.order_counts(request.account()?);
    Ok(ApiResponse { orders: Some(counts), ..Value::Array(rows).into() })
}

async fn amend_one(request: &Request) -> Result<Value, ApiError> {
    let (args, listed) = (&request.args, Listed::named(request)?);
    let account = request.account()?;
    let order = queries::open_order(request, &listed, &OrderRef::of(args)?).await?;
    let quantity = args.amount("quantity").ok_or_else(|| ApiError::missing("quantity"))?;
    let price = args.amount("price").ok_or_else(|| ApiError::missing("price"))?;
    let named =
        leg_placing::in_lots(&listed, quantity).and_then(|lots| Ok((lots, leg_placing::in_ticks(&listed, price)?)));
    let (lots, ticks) = named.map_err(|why| unfit(why, &listed))?;
    let side = args.text("side").map_or(order.side, |side| if side == "BUY" { Side::Buy } else { Side::Sell });
    if side != order.side {
        return Err(ApiError::data("side"));
    }
    if ticks != order.ticks || lots > order.lots {
        // Another price or more of it is another place in the queue.
        return Err(ApiError::bad(-4015, "An order is made smaller at its price; cancel it and place another."));
    }
    request.still_fresh()?;
    let name = xng_core::account::OrderName::Id(order.order);
    let command = AccountCommand::Legs(LegCommand::Amend { order: name, lots });
    match request.app.client.call(Origin::Api, None, Command::Account(account, command)).await? {
        Reply::Accepted(_) | Reply::Known(_) => {}
        Reply::Rejected(Reject::UnknownOrder | Reject::OrderDone) => return Err(ApiError::no_such_order()),
        Reply::Rejected(reject) => return Err(refused(reject)),
        Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy => return Err(ApiError::busy()),
    }
    let now = queries::find(request, &listed, &OrderRef::Id(order.order)).await?;
    Ok(rows::acted(&now, &request.app.shared.contracts.now(), request.unit))
}

/// `PUT order`.
pub async fn amend(request: Request) -> ApiResult {
    Ok(amend_one(&request).await?.into())
}

/// `PUT batchOrders`.
pub async fn amend_batch(request: Request) -> ApiResult {
    let mut rows = Vec::new();
    for args in batch(&request, &AMENDMENT)? {
        let row = match args {
            Ok(args) => amend_one(&Request { args, ..request.clone() }).await,
            Err(error) => Err(error),
        };
        rows.push(told(row));
    }
    Ok(Value::Array(rows).into())
}
