//! Spot orders (`docs/rules/app-calls.md "Spot orders"`).
//!
//! Owns: texts to terms, and pages of orders and trades. Never does: match, or judge a balance. Invariants: what was
//! accepted once is told again. Known limits: those of `crate::orders::lookup`.

mod order_groups;
mod table;

use crate::api::app::call::{Call, CallResult, key_digest};
use crate::api::app::market::weight;
use crate::api::app::rows;
use crate::api::app::stock::pay_with;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::api::http::params::Params;
use crate::common::decimal::{BadNumber, lots, ticks};
use crate::market::board::Boards;
use crate::market::catalog::{Catalog, MarketInfo};
use crate::orders::lookup::{DEEP, fills_of, find_order, is_over, merged_fills, merged_orders, seen};
use crate::orders::required_hold::{OrderSpec, terms};
use crate::orders::submission::submit;
use serde_json::{Value, json};
pub(super) use table::CALLS;
use xng_core::account::{AccountCommand, OrderName, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, ClientOrderId, OrderId, RequestKey};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::record::Origin;
use xng_core::region::Product;
use xng_core::reject::Reject;
use xng_core::spot::{NewOrder, OrderAck, OrderKind, OrderStatus, Side, Stp, Tif};
use xng_persistence::store::{FillFilter, OrderFilter};

fn market(call: &Call, catalog: &Catalog) -> Result<MarketInfo, Failure> {
    let base = AssetId(call.params.need_integer("currency_id")?);
    let quote = AssetId(call.params.need_integer("legal_id")?);
    catalog.by_pair(base, quote).cloned().ok_or_else(|| Failure::text(Code::NotFound, "unknown_pair"))
}

/// Why a field's price or quantity cannot be taken; `filter` is the rule that says of which step it must be.
fn step_failure(field: &'static str, bad: BadNumber, (filter, step): (&'static str, Amount)) -> Failure {
    match bad {
        BadNumber::Shape => Failure::field(field, "not a plain decimal number"),
        BadNumber::Range => Failure::field(field, "out of range"),
        BadNumber::Step => Failure::text(Code::Limit, filter).with("step", step),
    }
}

fn kind(p: &Params, price: Amount) -> Result<OrderKind, Failure> {
    match p.get("order_type") {
        Some("limit") => Ok(OrderKind::Limit),
        Some("market") => Ok(OrderKind::Market),
        Some(_) => Err(Failure::field("order_type", "limit or market")),
        None if price.is_zero() => Ok(OrderKind::Market),
        None => Ok(OrderKind::Limit),
    }
}

fn order_spec(p: &Params, info: &MarketInfo) -> Result<OrderSpec, Failure> {
    let side = match p.need_integer::<u8>("type")? {
        1 => Side::Buy,
        2 => Side::Sell,
        _ => return Err(Failure::field("type", "1 or 2")),
    };
    let price = p.amount("target_price")?.unwrap_or_default();
    if price.is_negative() {
        return Err(Failure::field("target_price", "negative"));
    }
    let kind = kind(p, price)?;
    let is_stock = info.params.stock.is_some();
    let tif = match p.get("tif") {
        None if is_stock => Tif::Day,
        Some("DAY") if is_stock => Tif::Day,
        None | Some("GTC") => Tif::Gtc,
        Some("IOC") => Tif::Ioc,
        Some("FOK") => Tif::Fok,
        Some("POST_ONLY") => Tif::PostOnly,
        Some(_) => return Err(Failure::field("tif", "GTC, IOC, FOK, POST_ONLY, or DAY for stocks")),
    };
    let params = &info.params;
    let ticks = match kind {
        OrderKind::Market => Ticks::ZERO,
        OrderKind::Limit if price.is_zero() => return Err(Failure::field("target_price", "missing")),
        OrderKind::Limit => {
            let ticks = ticks(price, params);
            ticks.map_err(|bad| step_failure("target_price", bad, ("filter_tick", params.tick)))?
        }
    };
    if kind == OrderKind::Limit && !params.takes_price(ticks) {
        let step = params.stock.and_then(|stock| stock.steps.step(price, params.tick)).unwrap_or(params.tick);
        return Err(step_failure("target_price", BadNumber::Step, ("filter_tick", step)));
    }
    let by_quote = kind == OrderKind::Market && p.get("quote_amount").is_some();
    let (amount, budget) = if by_quote {
        (Lots::ZERO, p.need_positive("quote_amount")?)
    } else {
        let amount = p.need_positive("amount")?;
        let lots = lots(amount, params).map_err(|bad| step_failure("amount", bad, ("filter_step", params.step)))?;
        (lots, Amount::ZERO)
    };
    Ok(OrderSpec {
        side,
        kind,
        tif: if kind == OrderKind::Market { Tif::Gtc } else { tif },
        ticks,
        lots: amount,
        budget,
    })
}

/// `POST /coin/trade`.
pub async fn place(call: Call) -> CallResult {
    let session = call.session().await?;
    let catalog = call.app.shared.listed();
    let info = market(&call, &catalog)?;
    let key = call.request_key()?;
    let order = match new_order(&call.params, &info, &call.app.shared.boards) {
        Ok(order) => order,
        // What was accepted once is told again, whatever the market has become since.
        Err(failure) => return answered_before(&call, session.account, &info, key).await.unwrap_or(Err(failure)),
    };
    if let Some((from, key)) = pay_with::wanted(&call, &info, &order, key)? {
        // A request that was answered before pays for nothing.
        if let Some(known) = answered_before(&call, session.account, &info, Some(key)).await {
            return known;
        }
        let barred = catalog.barred(call.view(session.account).await?.country);
        if barred.has(Product::of_market(info.params.market)) {
            return Err(Reject::NotInRegion.into());
        }
        pay_with::convert(&call, session.account, (from, info.params.quote), key, order.terms.amount).await?;
    }
    let kind = order.kind;
    let answer = |reply| placed(&call, &info, kind, reply);
    hand_over(&call, session.account, key, (kind, SpotCommand::Place(order)), answer).await
}

/// Hands a command that places orders to the exchange and tells what became of it.
async fn hand_over(
    call: &Call,
    account: AccountId,
    key: Option<RequestKey>,
    (kind, command): (OrderKind, SpotCommand),
    answer: impl FnOnce(Reply) -> CallResult,
) -> CallResult {
    let ask = call.call_exclusively(account, key, Command::Account(account, AccountCommand::Spot(command)));
    submit(&call.app.shared, kind, call.began, ask, |reply| answer(reply?)).await
}

/// The answer to an earlier request with this key and body, if there was one.
async fn answered_before(
    call: &Call,
    account: AccountId,
    info: &MarketInfo,
    key: Option<RequestKey>,
) -> Option<CallResult> {
    // The account looks at the key before it looks at what is asked.
    let ask = Command::Account(account, AccountCommand::View);
    let reply = call.app.client.call(Origin::User, Some(key?), ask).await.ok()?;
    let price = call.params.amount("target_price").ok().flatten().unwrap_or_default();
    match reply {
        Reply::View(_) => None,
        known @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::Rejected(_) | Reply::Busy) => {
            Some(placed(call, info, kind(&call.params, price).ok()?, known))
        }
    }
}

/// What the account is asked for, checked as far as can be known here; a market purchase needs a best ask on its board.
pub fn new_order(p: &Params, info: &MarketInfo, boards: &Boards) -> Result<NewOrder, Failure> {
    let w = order_spec(p, info)?;
    let client_id = match p.get("client_id") {
        Some(text) => {
            let parsed = ClientOrderId::parse(text);
            Some(parsed.ok_or_else(|| Failure::field("client_id", "1 to 36 of A-Z a-z 0-9 . : / _ -"))?)
        }
        None => None,
    };
    Ok(NewOrder {
        market: info.params.market,
        side: w.side,
        kind: w.kind,
        tif: w.tif,
        stp: Stp::ExpireTaker,
        ticks: w.ticks,
        lots: w.lots,
        budget: w.budget,
        iceberg: Lots::ZERO,
        client_id,
        terms: terms(boards, info, &w)?,
    })
}

fn placed(call: &Call, info: &MarketInfo, kind: OrderKind, reply: Reply) -> CallResult {
    match reply {
        Reply::Accepted(Accepted::Placed(ack)) => Ok(call.said("order_placed").and(ack_row(&ack, info, kind))),
        Reply::Known(Accepted::Placed(ack)) => {
            let mut data = ack_row(&ack, info, kind);
            data["repeated"] = true.into();
            Ok(call.said("order_placed").and(data))
        }
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => Err(refusal(reject, info)),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("an order is placed or refused, not {other:?}")
        }
    }
}

/// What became of an order at once.
fn ack_row(ack: &OrderAck, info: &MarketInfo, kind: OrderKind) -> Value {
    json!({
        "id": ack.order.0, "order_no": ack.order.0.to_string(),
        "filled_amount": info.params.base_amount(ack.filled).to_string(),
        "filled_total": ack.spent.to_string(), "status": rows::status_number(ack.status, kind, ack.filled),
        "queued": u8::from(ack.status == OrderStatus::Waiting),
    })
}

/// A refusal with the market's limits in its text.
fn refusal(reject: Reject, info: &MarketInfo) -> Failure {
    let p = &info.params;
    let limits = [
        (Reject::BelowMinAmount, "min", p.base_amount(p.min_lots).to_string()),
        (Reject::AboveMaxAmount, "max", p.base_amount(p.max_lots).to_string()),
        (Reject::BelowMinNotional, "min", p.min_notional.to_string()),
        (Reject::OutsidePriceBand, "percent", Amount(i128::from(p.band_ppm) * 10_000).to_string()),
        (Reject::TooManyOrders, "max", p.max_open_orders.to_string()),
    ];
    let limit = limits.into_iter().find(|(of, ..)| *of == reject);
    limit.into_iter().fold(Failure::from(reject), |failure, (_, name, limit)| failure.with(name, limit))
}

/// The order of a request that was accepted before, as it is now. The request keys know it longer than the account's
/// memory, and the store may lag: then its ids are all that is told.
async fn known_order(call: &Call, account: AccountId, id: OrderId) -> Value {
    let mut row = match find_order(&call.app, account, id).await {
        Ok(order) => rows::order(account, &order, &call.app.shared.listed()),
        Err(_) => json!({ "id": id.0, "order_no": id.0.to_string() }),
    };
    row["repeated"] = true.into();
    row
}

/// `PUT /coin/trade`, `POST /coin/cancel`.
pub async fn cancel(call: Call) -> CallResult {
    let session = call.session().await?;
    let name = match call.params.get("client_id").filter(|_| call.params.get("id").is_none()) {
        Some(text) => OrderName::Client(ClientOrderId::parse(text).ok_or(Code::NotFound)?),
        None => OrderName::Id(OrderId(call.params.need_integer("id")?)),
    };
    let key = call.request_key()?;
    let command = Command::Account(session.account, AccountCommand::Spot(SpotCommand::Cancel(name)));
    match call.app.client.call(Origin::User, key, command).await? {
        Reply::Accepted(Accepted::Canceled(ids)) => {
            let ids: Vec<u64> = ids.iter().map(|o| o.0).collect();
            Ok(call.said("order_canceled").and(json!({ "ids": ids })))
        }
        Reply::Known(Accepted::Canceled(ids)) => {
            let ids: Vec<u64> = ids.iter().map(|o| o.0).collect();
            Ok(call.said("order_canceled").and(json!({ "ids": ids, "repeated": true })))
        }
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(Reject::UnknownOrder) => Err(older(&call, session.account, name).await),
        Reply::Rejected(reject) => Err(reject.into()),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("a cancel is done or refused, not {other:?}")
        }
    }
}

/// Why an order that the account no longer remembers cannot be cancelled.
async fn older(call: &Call, account: AccountId, name: OrderName) -> Failure {
    let is_over = match name {
        OrderName::Id(id) => is_over(&call.app, account, id).await,
        // Whether a client order id was ever used is told as far as memory goes back.
        OrderName::Client(name) => seen(&call.app, account).await.map(|seen| seen.named(name).is_some()),
    };
    match is_over {
        Ok(true) => Code::State.into(),
        Ok(false) => Code::NotFound.into(),
        Err(failure) => failure,
    }
}

/// `POST /coin/cancel_all`: of one market, or of all.
pub async fn cancel_all(call: Call) -> CallResult {
    let session = call.session().await?;
    let catalog = call.app.shared.listed();
    let some = call.params.get("currency_id").is_some() || call.params.get("legal_id").is_some();
    let only = if some { Some(market(&call, &catalog)?.params.market) } else { None };
    let view = call.view(session.account).await?;
    let mut markets: Vec<_> = view.open.iter().map(|o| o.units.market).collect();
    markets.sort_unstable();
    markets.dedup();
    let mut canceled: Vec<u64> = Vec::new();
    for market in markets.into_iter().filter(|m| only.is_none_or(|only| only == *m)) {
        let command = Command::Account(session.account, AccountCommand::Spot(SpotCommand::CancelAll(market)));
        match call.app.client.call(Origin::User, None, command).await? {
            Reply::Accepted(Accepted::Canceled(ids)) => canceled.extend(ids.iter().map(|o| o.0)),
            // Filled meanwhile.
            Reply::Rejected(Reject::OrderDone) => {}
            Reply::Rejected(reject) => return Err(reject.into()),
            other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy) => {
                unreachable!("a cancel is done or refused, not {other:?}")
            }
        }
    }
    Ok(call.said("orders_canceled").and(json!({ "ids": canceled })))
}

fn order_filter(call: &Call, account: AccountId) -> Result<OrderFilter, Failure> {
    let mut filter = OrderFilter::of(account);
    filter.base = call.params.integer("currency_id")?.filter(|id| *id != 0).map(AssetId);
    filter.quote = call.params.integer("legal_id")?.filter(|id| *id != 0).map(AssetId);
    filter.side = match call.params.integer::<u8>("type")? {
        None | Some(0) => None,
        Some(1) => Some(Side::Buy),
        Some(2) => Some(Side::Sell),
        Some(_) => return Err(Failure::field("type", "1 or 2")),
    };
    match call.params.integer::<i8>("status")? {
        None | Some(0 | -1) => {}
        Some(1) => filter.statuses = OrderStatus::ALL.iter().copied().filter(|status| status.is_open()).collect(),
        Some(2) => filter.complete = Some(true),
        Some(3) => {
            filter.statuses = vec![OrderStatus::Canceled, OrderStatus::Expired, OrderStatus::ExpiredInMatch];
            filter.complete = Some(false);
        }
        Some(4) => filter.statuses = vec![OrderStatus::Partial],
        Some(_) => return Err(Failure::field("status", "1 to 4")),
    }
    Ok(filter)
}

/// `GET /coin/list`: a bare array.
pub async fn orders(call: Call) -> CallResult {
    let session = call.session().await?;
    let (number, limit) = call.params.paging(10)?;
    let filter = order_filter(&call, session.account)?;
    call.weighs(weight((number * limit).min(DEEP) as usize)).await?;
    let seen = seen(&call.app, session.account).await?;
    let orders = merged_orders(&call.app, &seen, filter, (number, limit)).await?;
    let catalog = call.app.shared.listed();
    let mut answer = Answer::ok(orders.iter().map(|o| rows::order(session.account, o, &catalog)).collect());
    answer.extra.insert("seq".into(), seen.account.seq.into());
    Ok(answer)
}

/// `GET /coin/trades`: own fills.
pub async fn trades(call: Call) -> CallResult {
    let session = call.session().await?;
    let (number, limit) = call.params.paging(10)?;
    if number * limit > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    call.weighs(weight((number * limit) as usize)).await?;
    let catalog = call.app.shared.listed();
    let mut filter = FillFilter::of(session.account);
    if call.params.get("currency_id").is_some() {
        filter.market = Some(market(&call, &catalog)?.params.market);
    }
    let seen = seen(&call.app, session.account).await?;
    let fills = merged_fills(&call.app, &seen, &filter, (number, limit)).await?;
    Ok(Answer::ok(fills.iter().map(|f| rows::fill(f, &catalog)).collect()))
}

/// `GET /coin/detail`: one order with its fills.
pub async fn detail(call: Call) -> CallResult {
    let session = call.session().await?;
    let id = OrderId(call.params.need_integer("id")?);
    let order = find_order(&call.app, session.account, id).await?;
    let seen = seen(&call.app, session.account).await?;
    let fills = fills_of(&call.app, &seen, &order).await?;
    let catalog = call.app.shared.listed();
    let mut row = rows::order(session.account, &order, &catalog);
    row["fills"] = fills.iter().map(|f| rows::fill(f, &catalog)).collect();
    Ok(Answer::ok(row))
}

/// `GET /coin/request`: what became of a request whose answer was lost.
pub async fn request(call: Call) -> CallResult {
    let session = call.session().await?;
    let key = call.params.need("key")?;
    if key.len() > 64 {
        return Err(Failure::field("key", "at most 64 characters"));
    }
    let ask = Command::Account(session.account, AccountCommand::Request(key_digest(key)));
    let answer = match call.app.client.call(Origin::User, None, ask).await? {
        Reply::Known(answer) => {
            // A refused request leaves nothing behind, so what is known was accepted.
            let data = match answer {
                Accepted::Placed(ack) => known_order(&call, session.account, ack.order).await,
                Accepted::GroupPlaced(acks) => rows::repeated_group(&acks),
                Accepted::Ticket(ticket) => {
                    json!({ "id": ticket.0, "order_no": ticket.0.to_string(), "repeated": true })
                }
                Accepted::Option(option) => {
                    json!({ "id": option.0, "show_micro_id": option.0.to_string(), "repeated": true })
                }
                // Addresses are asked for without a key: who asks again is told the same.
                Accepted::Withdrawal(withdrawal) => json!({ "id": withdrawal.0, "repeated": true }),
                Accepted::Canceled(_) | Accepted::Address(_) | Accepted::Done => Value::Null,
            };
            json!({ "status": "done", "data": data })
        }
        Reply::Rejected(Reject::RequestInFlight) => json!({ "status": "pending", "data": null }),
        Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Rejected(_) | Reply::Busy => {
            json!({ "status": "unknown", "data": null })
        }
    };
    Ok(Answer::ok(answer))
}
