//! Orders and fills of contracts' books in the futures convention's form.
//!
//! Owns: field names and words of these rows. Never does: ask anybody. Invariants: a placed, a queried and a cancelled order show
//! one thing alike. Known limits: none.

use super::conditional::{callback, type_name, working_name};
use super::listed::Listed;
use crate::api::binance::orders::rows::{eight, side_name, status_name, stp_name};
use crate::common::decimal::{decimals, fixed};
use crate::common::time::TimeUnit;
use crate::market::catalog::Catalog;
use serde_json::{Value, json};
use xng_core::account::leg_orders::{LegFill, LegOrder};
use xng_core::board::Board;
use xng_core::contract::book::order::{BookUnits, LegSide};
use xng_core::money::{Amount, Exact};
use xng_core::spot::{OrderKind, OrderStatus, Side, Tif};

/// The word of a position's side.
#[must_use]
pub fn leg_name(leg: LegSide) -> &'static str {
    match leg {
        LegSide::Both => "BOTH",
        LegSide::Long => "LONG",
        LegSide::Short => "SHORT",
    }
}

/// The word of a time in force.
#[must_use]
pub fn tif_name(tif: Tif) -> &'static str {
    match tif {
        Tif::Gtc | Tif::Day => "GTC",
        Tif::Ioc => "IOC",
        Tif::Fok => "FOK",
        Tif::PostOnly => "GTX",
    }
}

/// The word of a type.
#[must_use]
pub fn kind_name(kind: OrderKind) -> &'static str {
    match kind {
        OrderKind::Limit => "LIMIT",
        OrderKind::Market => "MARKET",
    }
}

/// The name that an order goes by: the bot's own, or its number.
#[must_use]
pub fn client_id(order: &LegOrder) -> String {
    order.client_id.map_or_else(|| order.order.0.to_string(), |name| name.as_str().to_owned())
}

/// A contract's symbol.
#[must_use]
pub fn symbol(units: &BookUnits, board: &Board) -> String {
    board.contract(units.contract).map_or_else(String::new, |face| face.params.symbol.clone())
}

/// A quantity of lots with the decimals of one.
#[must_use]
pub fn quantity(units: &BookUnits, base: Amount) -> String {
    fixed(base, decimals(units.lot))
}

/// A price with the decimals of a tick.
#[must_use]
pub fn price(units: &BookUnits, price: Amount) -> String {
    fixed(price, decimals(units.tick))
}

/// What was paid for one of the base.
#[must_use]
pub fn average(spent: Amount, base: Amount) -> Amount {
    Exact::from(spent).div_sig20_half_up(Exact::from(base)).map_or(Amount::ZERO, Exact::round8)
}

/// An order as every call shows it.
fn common(o: &LegOrder, board: &Board, unit: TimeUnit) -> Value {
    let (u, filled) = (&o.units, o.units.base(o.filled));
    let original = original_name(o);
    let waits = matches!(o.status, OrderStatus::Waiting);
    let mut row = json!({
        "orderId": o.order.0, "symbol": symbol(u, board), "status": status_name(o.status),
        "clientOrderId": client_id(o), "price": price(u, u.price(o.ticks)), "avgPrice": eight(average(o.spent, filled)),
        "origQty": quantity(u, u.base(o.lots)), "executedQty": quantity(u, filled), "cumQuote": eight(o.spent),
        "timeInForce": tif_name(o.tif), "type": if waits { original } else { kind_name(o.kind) }, "origType": original,
        "reduceOnly": o.reduce_only, "closePosition": false, "side": side_name(o.side), "positionSide": leg_name(o.leg),
        "stopPrice": price(u, Amount::ZERO), "workingType": "CONTRACT_PRICE", "priceProtect": false,
        "priceMatch": "NONE", "selfTradePreventionMode": stp_name(o.stp), "goodTillDate": 0,
        "updateTime": unit.ns(o.updated),
    });
    if let Some(condition) = &o.condition {
        let at = price(u, u.price(condition.trigger.ticks));
        row["closePosition"] = condition.close_position.into();
        row["workingType"] = working_name(condition.working).into();
        if condition.trigger.trail_bips > 0 {
            row["activatePrice"] = at.into();
            row["priceRate"] = callback(condition).into();
        } else {
            row["stopPrice"] = at.into();
        }
    }
    row
}

/// The word of the type that an order was placed with.
#[must_use]
pub fn original_name(o: &LegOrder) -> &'static str {
    o.condition.as_ref().map_or_else(|| kind_name(o.kind), |condition| type_name(o.kind, condition))
}

/// An order that was looked up.
#[must_use]
pub fn order(o: &LegOrder, board: &Board, unit: TimeUnit) -> Value {
    let mut row = common(o, board, unit);
    row["time"] = unit.ns(o.created).into();
    row
}

/// An order that was placed, changed or cancelled just now.
#[must_use]
pub fn acted(o: &LegOrder, board: &Board, unit: TimeUnit) -> Value {
    let mut row = common(o, board, unit);
    row["cumQty"] = row["executedQty"].clone();
    row
}

/// A fill.
#[must_use]
pub fn trade(f: &LegFill, board: &Board, catalog: &Catalog, unit: TimeUnit) -> Value {
    let u = &f.units;
    json!({
        "symbol": symbol(u, board), "id": f.trade.count(), "orderId": f.order.0, "side": side_name(f.side),
        "price": price(u, u.price(f.ticks)), "qty": quantity(u, u.base(f.lots)),
        "realizedPnl": eight(f.result), "quoteQty": eight(u.value(f.ticks, f.lots)), "commission": eight(f.fee),
        "commissionAsset": catalog.asset_name(u.settle), "time": unit.ns(f.time), "positionSide": leg_name(f.leg),
        "buyer": f.side == Side::Buy, "maker": f.maker,
    })
}

/// The quantity with its sign.
#[must_use]
pub fn signed(listed: &Listed, base: Amount, long: bool) -> String {
    listed.quantity(if long { base } else { -base })
}
