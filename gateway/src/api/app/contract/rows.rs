//! Rows of contracts' books: positions and orders, for calls and for private events.
//!
//! Owns: field names and numbers of rows. Never does: ask anybody. Invariants: a list and an event show one thing alike. Known
//! limits: none.

use crate::api::app::rows::{status_number, tif_name, trigger_name};
use crate::common::time::ms;
use crate::market::catalog::Catalog;
use crate::market::lights::Lights;
use crate::orders::book_contract::Listed;
use crate::orders::leg_worth::{Valued, Worth};
use serde_json::{Map, Value, json};
use xng_core::account::leg_orders::LegOrder;
use xng_core::account::{AccountEvent, LegsNotice};
use xng_core::contract::book::liquidation_facts::Scope;
use xng_core::contract::book::order::{BookUnits, LegSide};
use xng_core::contract::book::waiting::WorkingPrice;
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, MarketId};
use xng_core::money::{Amount, ONE};
use xng_core::spot::{OrderKind, OrderStatus, Side};

/// The word of a margin mode.
pub(crate) fn mode_name(mode: MarginMode) -> &'static str {
    match mode {
        MarginMode::Isolated => "isolated",
        MarginMode::Cross => "cross",
    }
}

/// The word of a position's side.
pub(crate) fn leg_name(leg: LegSide) -> &'static str {
    match leg {
        LegSide::Both => "both",
        LegSide::Long => "long",
        LegSide::Short => "short",
    }
}

fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Long => "long",
        Direction::Short => "short",
    }
}

fn working_name(working: WorkingPrice) -> &'static str {
    match working {
        WorkingPrice::Mark => "mark",
        WorkingPrice::Last => "last",
    }
}

/// What names a contract in each row.
pub(super) fn named(listed: &Listed, catalog: &Catalog) -> Map<String, Value> {
    let p = &listed.face.params;
    let (base, settle) = (catalog.asset_name(p.base), catalog.asset_name(p.settle));
    let row = json!({
        "match_id": listed.id.0, "symbol": format!("{base}/{settle}"), "currency_id": p.base.0, "legal_id": p.settle.0,
    });
    let Value::Object(row) = row else { unreachable!("a row is an object") };
    row
}

pub(super) fn with(mut row: Map<String, Value>, more: Value) -> Value {
    if let Value::Object(more) = more {
        row.extend(more);
    }
    Value::Object(row)
}

/// A position as it is at the mark of now.
pub(super) fn position(
    worth: &Worth<'_>,
    p: &Valued<'_>,
    (account, lights): (AccountId, &Lights),
    catalog: &Catalog,
) -> Value {
    let (own, listed) = (p.own, p.listed);
    let liquidation = Some(worth.liquidation(p)).filter(|price| price.is_positive());
    let price = |price: Option<Amount>| price.map(|price| listed.price(price));
    let margin = if p.is_isolated() { own.leg.margin } else { p.initial() };
    with(
        named(listed, catalog),
        json!({
            "position_side": leg_name(own.side), "side": direction_name(own.leg.direction), "lots": own.leg.lots.0,
            "amount": listed.quantity(p.base()), "cost": own.leg.cost.to_string(), "entry": listed.price(p.entry()),
            "mark": listed.price(listed.face.mark), "value": p.notional().to_string().trim_start_matches('-'),
            "liq_price": price(liquidation), "bankruptcy_price": price(worth.bankruptcy(p)),
            "margin": margin.to_string(), "maintenance": p.maintenance().to_string(),
            "margin_mode": mode_name(own.leg.mode), "multiple": own.leg.multiple,
            "profits": p.unrealised().to_string(), "roe": p.roe().to_string(), "funding": p.funding().to_string(),
            "risk_rate": worth.risk(p).map(|rate| rate.to_string()),
            "lights": lights.of(listed.id, account, own.side),
        }),
    )
}

/// An order of a contract's book.
pub(crate) fn order(o: &LegOrder, catalog: &Catalog) -> Value {
    let u = &o.units;
    let filled = u.base(o.filled);
    let average =
        if filled.is_zero() { Amount::ZERO } else { Fraction::from(o.spent).by(ONE).over(filled.into()).round8() };
    json!({
        "id": o.order.0, "match_id": u.contract.0, "symbol": catalog.symbol(u.contract),
        "type": if o.side == Side::Buy { 1 } else { 2 },
        "order_type": if o.kind == OrderKind::Market { "market" } else { "limit" }, "tif": tif_name(o.tif),
        "position_side": leg_name(o.leg), "target_price": u.price(o.ticks).to_string(),
        "average_price": average.to_string(), "amount": u.base(o.lots).to_string(),
        "filled_amount": filled.to_string(), "filled_total": o.spent.to_string(), "reduce_only": o.reduce_only,
        "trigger": o.condition.map(|c| trigger_name(c.trigger.kind)),
        "trigger_price": o.condition.map(|c| u.price(c.trigger.ticks).to_string()),
        "trail": o.condition.map(|c| c.trigger.trail_bips),
        "trigger_by": o.condition.map(|c| working_name(c.working)),
        "close_position": o.condition.is_some_and(|c| c.close_position),
        "waiting": matches!(o.status, OrderStatus::Waiting | OrderStatus::Pending),
        "status": status_number(o.status, o.kind, o.filled), "client_id": o.client_id.map(|name| name.as_str().to_owned()),
        "time_ms": ms(o.created), "update_time_ms": ms(o.updated),
    })
}

fn of_contract(units: &BookUnits, leg: LegSide, catalog: &Catalog) -> Map<String, Value> {
    let row = json!({
        "match_id": units.contract.0, "symbol": catalog.symbol(units.contract), "position_side": leg_name(leg),
        "coin": catalog.asset_name(units.settle),
    });
    let Value::Object(row) = row else { unreachable!("a row is an object") };
    row
}

fn of_scope(scope: &Scope, catalog: &Catalog) -> Map<String, Value> {
    let contract: Option<MarketId> = scope.leg.map(|(contract, _)| contract);
    let row = json!({
        "match_id": contract.map(|contract| contract.0),
        "symbol": contract.and_then(|contract| catalog.symbol(contract).map(str::to_owned)),
        "position_side": scope.leg.map(|(_, leg)| leg_name(leg)), "coin": catalog.asset_name(scope.settle),
    });
    let Value::Object(row) = row else { unreachable!("a row is an object") };
    row
}

/// What an event says of positions that no order of their owner changed.
pub(crate) fn notice(notice: &LegsNotice, catalog: &Catalog) -> (&'static str, Value) {
    match notice {
        LegsNotice::Funding { units, leg, amount } => {
            let row = of_contract(units, *leg, catalog);
            ("contract_funding", with(row, json!({ "amount": amount.to_string() })))
        }
        LegsNotice::Started(f) => {
            let (row, worth) = (of_scope(&f.scope, catalog), &f.worth);
            let more = json!({
                "phase": "started", "case": f.case, "equity": worth.equity.to_string(),
                "maintenance": worth.maintenance.to_string(),
            });
            ("contract_liquidation", with(row, more))
        }
        LegsNotice::Ended(f) => {
            let (row, worth) = (of_scope(&f.scope, catalog), &f.worth);
            let more = json!({
                "phase": "ended", "case": f.case, "steps": f.steps, "equity": worth.equity.to_string(),
                "maintenance": worth.maintenance.to_string(),
            });
            ("contract_liquidation", with(row, more))
        }
        LegsNotice::Step { units, leg, lots, bankruptcy, result, fee } => {
            let more = json!({
                "phase": "step", "amount": units.base(*lots).to_string(),
                "bankruptcy_price": units.price(*bankruptcy).to_string(), "result": result.to_string(),
                "fee": fee.to_string(),
            });
            ("contract_liquidation", with(of_contract(units, *leg, catalog), more))
        }
        LegsNotice::Deleveraged { units, leg, lots, ticks, result } => {
            let more = json!({
                "amount": units.base(*lots).to_string(), "price": units.price(*ticks).to_string(),
                "result": result.to_string(),
            });
            ("contract_deleveraged", with(of_contract(units, *leg, catalog), more))
        }
    }
}

/// The events of an account's fact about contracts' books, by name: what its orders came to, that positions changed, and what
/// happened to them without an order.
pub(crate) fn events(event: &AccountEvent, catalog: &Catalog) -> Vec<(&'static str, Value)> {
    let mut events: Vec<(&'static str, Value)> = Vec::new();
    if let Some(legs) = event.legs.as_deref() {
        events.extend(legs.orders.iter().map(|(o, _)| ("contract_order", order(o, catalog))));
        let changed: Vec<u16> = legs.legs.iter().map(|(contract, ..)| contract.0).collect();
        events.push(("contract_positions", json!({ "match_id": changed })));
    }
    events.extend(event.notice.iter().map(|told| notice(told, catalog)));
    events
}
