//! Orders and fills in the convention's form.
//!
//! Owns: field names and words of these rows. Never does: ask anybody. Invariants: a placed, a queried and a cancelled order
//! show one thing alike; amounts have eight decimals. Known limits: none.

use super::request::{OrderType, StpMode};
use crate::api::auth::secrets::alphanumeric;
use crate::common::decimal::fixed;
use crate::common::time::TimeUnit;
use crate::market::catalog::Catalog;
use serde_json::{Map, Value, json};
use xng_core::account::{Fill, Order};
use xng_core::entity::TimeNs;
use xng_core::money::{Amount, Lots};
use xng_core::spot::facts::{OrderList, Units};
use xng_core::spot::prevented_matches::PreventedMatch;
use xng_core::spot::{EndReason, ListKind, OrderKind, OrderStatus, Side, Stp, Tif, TriggerKind};
use xng_persistence::store::StoredAmendment;

/// What the exchange does of it when an order does not say.
pub const DEFAULT_STP: Stp = Stp::ExpireTaker;

/// An amount as rows show it.
#[must_use]
pub fn eight(amount: Amount) -> String {
    fixed(amount, 8)
}

/// The word of a side.
#[must_use]
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::Buy => "BUY",
        Side::Sell => "SELL",
    }
}

/// The word of a state.
#[must_use]
pub fn status_name(status: OrderStatus) -> &'static str {
    match status {
        OrderStatus::Open | OrderStatus::Waiting => "NEW",
        OrderStatus::Pending => "PENDING_NEW",
        OrderStatus::Partial => "PARTIALLY_FILLED",
        OrderStatus::Filled => "FILLED",
        OrderStatus::Canceled => "CANCELED",
        OrderStatus::Expired => "EXPIRED",
        OrderStatus::ExpiredInMatch => "EXPIRED_IN_MATCH",
    }
}

/// The word of an order's type.
#[must_use]
pub fn type_of(o: &Order) -> &'static str {
    let kind = match (o.trigger.map(|t| t.kind), o.kind, o.tif) {
        (Some(TriggerKind::StopLoss), OrderKind::Market, _) => OrderType::StopLoss,
        (Some(TriggerKind::StopLoss), OrderKind::Limit, _) => OrderType::StopLossLimit,
        (Some(TriggerKind::TakeProfit), OrderKind::Market, _) => OrderType::TakeProfit,
        (Some(TriggerKind::TakeProfit), OrderKind::Limit, _) => OrderType::TakeProfitLimit,
        // One that waits for the open of a stock's market is a limit order to programs.
        (Some(TriggerKind::Open) | None, OrderKind::Market, _) => OrderType::Market,
        (Some(TriggerKind::Open) | None, OrderKind::Limit, Tif::PostOnly) => OrderType::LimitMaker,
        (Some(TriggerKind::Open) | None, OrderKind::Limit, Tif::Gtc | Tif::Ioc | Tif::Fok | Tif::Day) => {
            OrderType::Limit
        }
    };
    kind.name()
}

/// The word of a time in force.
#[must_use]
pub fn tif_name(tif: Tif) -> &'static str {
    match tif {
        // The convention has no order of a day.
        Tif::Gtc | Tif::PostOnly | Tif::Day => "GTC",
        Tif::Ioc => "IOC",
        Tif::Fok => "FOK",
    }
}

/// The word of a mode of self-trade prevention.
#[must_use]
pub fn stp_name(stp: Stp) -> &'static str {
    match stp {
        Stp::ExpireTaker => StpMode::NAMES[StpMode::ExpireTaker as usize],
        Stp::ExpireMaker => StpMode::NAMES[StpMode::ExpireMaker as usize],
        Stp::ExpireBoth => StpMode::NAMES[StpMode::ExpireBoth as usize],
        Stp::Decrement => StpMode::NAMES[StpMode::Decrement as usize],
    }
}

/// Why an order expired, if it did.
#[must_use]
pub fn expiry_reason(reason: EndReason) -> Option<&'static str> {
    match reason {
        EndReason::Ioc => Some("UNFILLED_IOC_QUANTITY_EXPIRED"),
        EndReason::FillOrKill => Some("UNFILLED_FOK_ORDER_EXPIRED"),
        EndReason::NoLiquidity | EndReason::Budget => Some("INSUFFICIENT_LIQUIDITY"),
        EndReason::Protection => Some("EXECUTION_RULE_PRICE_RANGE_EXCEEDED"),
        EndReason::TradeLimit | EndReason::Refused | EndReason::SessionEnd | EndReason::CorporateAction => {
            Some("EXCHANGE_CANCELED")
        }
        EndReason::OtherLeg => Some("OCO_TRIGGER"),
        EndReason::None
        | EndReason::SelfTrade
        | EndReason::User
        | EndReason::Replaced
        | EndReason::Liquidation
        | EndReason::Deleveraging => None,
    }
}

/// A market's symbol.
#[must_use]
pub fn symbol(units: &Units, catalog: &Catalog) -> String {
    catalog.markets.get(&units.market).map_or_else(String::new, |info| info.params.symbol.clone())
}

/// The name that an order goes by: the bot's own, or its number.
#[must_use]
pub fn client_id(o: &Order) -> String {
    o.client_id.map_or_else(|| o.order.0.to_string(), |name| name.as_str().to_owned())
}

/// Quantity asked for; of an order by quote amount what it got.
fn asked(o: &Order) -> Amount {
    o.units.base_amount(if o.lots == Lots::ZERO { o.filled } else { o.lots })
}

/// A name for an order or a cancel whose sender gave none.
#[must_use]
pub fn drawn_name() -> String {
    alphanumeric(22)
}

/// What all rows of an order tell.
pub(super) fn numbers(o: &Order) -> Map<String, Value> {
    let mut row = Map::new();
    let mut put = |name: &str, value: Value| row.insert(name.to_owned(), value);
    put("price", eight(o.units.price(o.ticks)).into());
    put("origQty", eight(asked(o)).into());
    put("executedQty", eight(o.units.base_amount(o.filled)).into());
    put("origQuoteOrderQty", eight(o.budget).into());
    put("cummulativeQuoteQty", eight(o.spent).into());
    put("status", status_name(o.status).into());
    put("timeInForce", tif_name(o.tif).into());
    put("type", type_of(o).into());
    put("side", side_name(o.side).into());
    put("selfTradePreventionMode", stp_name(o.stp).into());
    if let Some(trigger) = o.trigger {
        put("stopPrice", eight(o.units.price(trigger.ticks)).into());
        if trigger.trail_bips > 0 {
            put("trailingDelta", trigger.trail_bips.into());
        }
    }
    if !o.iceberg.is_zero() {
        put("icebergQty", eight(o.units.base_amount(o.iceberg)).into());
    }
    if !o.prevented.is_zero() {
        put("preventedMatchId", o.prevented_by.0.into());
        put("preventedQuantity", eight(o.units.base_amount(o.prevented)).into());
    }
    if let Some(reason) = expiry_reason(o.reason) {
        put("expiryReason", reason.into());
    }
    row
}

/// What a prevented match was between and what it took, in an answer to the order that came in and in a list.
#[must_use]
pub fn prevented(m: &PreventedMatch, catalog: &Catalog) -> Map<String, Value> {
    let mut row = Map::new();
    let head = json!({
        "preventedMatchId": m.id.0, "makerSymbol": symbol(&m.units, catalog), "makerOrderId": m.maker.0,
        "price": eight(m.units.price(m.ticks)),
    });
    extend(&mut row, head);
    for (name, lots) in [("takerPreventedQuantity", m.taker_lots), ("makerPreventedQuantity", m.maker_lots)] {
        if !lots.is_zero() {
            row.insert(name.to_owned(), eight(m.units.base_amount(lots)).into());
        }
    }
    row
}

/// A row of `myPreventedMatches`. Accounts here are in no trade group.
#[must_use]
pub fn prevented_match(m: &PreventedMatch, catalog: &Catalog, unit: TimeUnit) -> Value {
    let mut row = prevented(m, catalog);
    let more = json!({
        "symbol": symbol(&m.units, catalog), "takerOrderId": m.taker.0, "tradeGroupId": -1,
        "selfTradePreventionMode": stp_name(m.stp), "transactTime": unit.ns(m.time),
    });
    extend(&mut row, more);
    Value::Object(row)
}

/// The list that an order is in, or -1.
#[must_use]
pub fn list_of(o: &Order) -> i64 {
    if o.list.0 > 0 { o.list.0 as i64 } else { -1 }
}

/// The word of a list's kind: lists of three orders have that of two.
#[must_use]
pub fn contingency(list: &OrderList) -> &'static str {
    match list.kind {
        ListKind::OneCancels => "OCO",
        ListKind::OneTriggers => "OTO",
    }
}

/// When an order came to the book, or -1 while it did not.
#[must_use]
pub fn working_time(o: &Order, unit: TimeUnit) -> i64 {
    if o.working > 0 { unit.ns(o.working) } else { -1 }
}

/// A row of `GET order`, `openOrders`, `allOrders`.
#[must_use]
pub fn order(o: &Order, catalog: &Catalog, unit: TimeUnit) -> Value {
    let mut row = Map::new();
    row.insert("stopPrice".into(), eight(Amount::ZERO).into());
    row.insert("icebergQty".into(), eight(Amount::ZERO).into());
    row.extend(numbers(o));
    let more = json!({
        "symbol": symbol(&o.units, catalog), "orderId": o.order.0, "orderListId": list_of(o),
        "clientOrderId": client_id(o), "time": unit.ns(o.created), "updateTime": unit.ns(o.updated),
        "isWorking": o.working > 0, "workingTime": working_time(o, unit),
    });
    extend(&mut row, more);
    Value::Object(row)
}

/// Which order an action was about, and when.
#[must_use]
pub fn head(o: &Order, catalog: &Catalog, unit: TimeUnit) -> Value {
    json!({
        "symbol": symbol(&o.units, catalog), "orderId": o.order.0, "orderListId": list_of(o),
        "clientOrderId": client_id(o), "transactTime": unit.ns(o.updated),
    })
}

/// An order in the report of an action: placed, cancelled or part of a list.
#[must_use]
pub fn report(o: &Order, catalog: &Catalog, unit: TimeUnit) -> Value {
    let mut row = numbers(o);
    extend(&mut row, head(o, catalog, unit));
    row.insert("workingTime".into(), working_time(o, unit).into());
    Value::Object(row)
}

pub(crate) fn extend(row: &mut Map<String, Value>, more: Value) {
    if let Value::Object(more) = more {
        row.extend(more);
    }
}

/// A row of `myTrades`; `list` as [`list_of`] tells its order's.
#[must_use]
pub fn trade(f: &Fill, list: i64, catalog: &Catalog, unit: TimeUnit) -> Value {
    json!({
        "symbol": symbol(&f.units, catalog), "id": f.trade.count(), "orderId": f.order.0, "orderListId": list,
        "price": eight(f.units.price(f.ticks)), "qty": eight(f.units.base_amount(f.lots)),
        "quoteQty": eight(f.units.notional(f.ticks, f.lots)), "commission": eight(f.fee),
        "commissionAsset": catalog.asset_name(f.units.fee_asset(f.side)), "time": unit.ns(f.time),
        "isBuyer": f.side == Side::Buy, "isMaker": f.maker, "isBestMatch": true,
    })
}

/// A row of `order/amendments`. An order without a name goes by its number.
#[must_use]
pub fn amendment(o: &Order, a: &StoredAmendment, catalog: &Catalog, unit: TimeUnit) -> Value {
    let [before, after] = a.client_ids.map(|id| client_id(&Order { client_id: id, ..*o }));
    let [orig, new] = a.lots.map(|lots| eight(o.units.base_amount(lots)));
    json!({
        "symbol": symbol(&o.units, catalog), "orderId": o.order.0, "executionId": execution_id(a.time),
        "origClientOrderId": before, "newClientOrderId": after, "origQty": orig, "newQty": new, "time": unit.ns(a.time),
    })
}

/// The id of an amendment: its time in microseconds, since nanoseconds are beyond what clients read without loss.
#[must_use]
pub fn execution_id(time: TimeNs) -> u64 {
    time / 1_000
}

/// A fill inside of a new order's answer.
#[must_use]
pub fn fill(f: &Fill, catalog: &Catalog) -> Value {
    json!({
        "price": eight(f.units.price(f.ticks)), "qty": eight(f.units.base_amount(f.lots)), "commission": eight(f.fee),
        "commissionAsset": catalog.asset_name(f.units.fee_asset(f.side)), "tradeId": f.trade.count(),
    })
}
