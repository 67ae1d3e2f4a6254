//! Facts of contracts' books as JSON.
//!
//! Owns: the names of their fields. Never does: leave a field out. Invariants: amounts and prices are texts. Known limits: none.

use super::render::{joined, name, text, time};
use serde_json::{Value, json};
use xng_core::contract::book::conditional_facts::ConditionalsChanged;
use xng_core::contract::book::effect::Effect;
use xng_core::contract::book::facts::{BookFact, BookTrade, ContractOrderPlaced, OrderCut, PaidLeg};
use xng_core::contract::book::liquidation_facts::{DeleveragedLeg, LegLiquidated, Scope, ScopeWorth};
use xng_core::contract::book::order::{BookOrder, BookUnits};
use xng_core::contract::book::params::BookParams;
use xng_core::contract::book::quoting::BookQuotesSet;
use xng_core::contract::book::waiting::WaitingBookOrder;
use xng_core::money::Lots;

pub(super) fn book(fact: &BookFact) -> Value {
    match fact {
        BookFact::BookListed(f) => params(&f.params),
        BookFact::BookParamsChanged(f) => params(&f.params),
        BookFact::ContractOrderPlaced(f) => placed(f),
        BookFact::ContractOrdersCanceled(f) => {
            let orders: Vec<_> = f.orders.iter().map(|o| order(&f.units, o)).collect();
            json!({ "units": units(&f.units), "account": f.account.0, "orders": orders, "update": f.update.0 })
        }
        BookFact::ConditionalsChanged(f) => conditionals(f),
        BookFact::ContractOrderAmended(f) => json!({ "units": units(&f.units), "account": f.account.0,
            "cut": cut(&f.units, &f.cut), "update": f.update.0 }),
        BookFact::BookQuotesSet(f) => quotes(f),
        BookFact::LegTermsSet(f) => json!({ "account": f.account.0, "contract": f.contract.0, "multiple": f.multiple,
            "mode": name(f.mode) }),
        BookFact::PositionModeSet(f) => json!({ "account": f.account.0, "hedge": f.hedge }),
        BookFact::CountdownSet(f) => json!({ "contract": f.contract.0, "account": f.account.0, "due": time(f.due) }),
        BookFact::LegMarginMoved(f) => json!({ "units": units(&f.units), "account": f.account.0, "leg": name(f.leg),
            "amount": text(f.amount) }),
        BookFact::FundingSet(f) => json!({ "units": units(&f.units), "due": time(f.due), "rate": text(f.rate),
            "mark": text(f.mark), "per_lot": text(f.per_lot), "index": text(f.index), "reason": name(f.reason) }),
        BookFact::FundingPaid(f) => json!({ "units": units(&f.units), "index": text(f.index),
            "legs": f.legs.iter().map(paid_leg).collect::<Vec<_>>(),
            "next": f.next.map(|(account, leg)| json!({ "account": account.0, "leg": name(leg) })) }),
        BookFact::ResultsSettled(f) => json!({ "account": f.account.0, "settle": f.settle.0,
            "results": text(f.results), "deficit": text(f.deficit) }),
        BookFact::LiquidationStarted(f) => {
            let case = json!({ "account": f.account.0, "case": f.case, "scope": scope(&f.scope) });
            joined(case, worth(&f.worth))
        }
        BookFact::LiquidationEnded(f) => {
            let case = json!({ "account": f.account.0, "case": f.case, "scope": scope(&f.scope), "steps": f.steps });
            joined(case, worth(&f.worth))
        }
        BookFact::LegLiquidated(f) => liquidated(f),
        BookFact::QuotaSet(f) => json!({ "contract": f.contract.0, "settle": f.settle.0, "before": text(f.before),
            "quota": text(f.quota) }),
    }
}

fn conditionals(f: &ConditionalsChanged) -> Value {
    let one = |w: &WaitingBookOrder| {
        let (u, condition) = (&f.units, &w.condition);
        json!({ "order": w.order.0, "side": name(w.side), "leg": name(w.leg), "kind": name(w.kind), "tif": name(w.tif),
            "stp": name(w.stp), "price": text(u.price(w.ticks)), "lots": w.lots.0, "reduce_only": w.reduce_only,
            "working": name(condition.working), "trigger": name(condition.trigger.kind),
            "trigger_price": text(u.price(condition.trigger.ticks)), "trail_bips": condition.trigger.trail_bips,
            "close_position": condition.close_position, "client_id": w.client_id.map(|id| id.as_str().to_owned()) })
    };
    let gone: Vec<_> = f.gone.iter().map(one).collect();
    json!({ "units": units(&f.units), "account": f.account.0, "waits": f.waits.as_ref().map(one), "gone": gone,
        "placed": f.placed.as_ref().map(placed), "reason": name(f.reason), "refused": f.refused.map(name),
        "update": f.update.0 })
}

fn quotes(f: &BookQuotesSet) -> Value {
    let u = &f.units;
    let level = |side, ticks, lots: Lots| json!({ "side": name(side), "price": text(u.price(ticks)), "lots": lots.0 });
    let off: Vec<_> = f.off.iter().map(|gone| level(gone.side, gone.ticks, gone.lots)).collect();
    let on: Vec<_> = f.on.iter().map(|new| level(new.side, new.ticks, new.lots)).collect();
    json!({ "units": units(u), "account": f.account.0, "multiple": f.multiple, "fee_ppm": f.fee_ppm.0,
        "maker_ppm": f.maker_ppm.0, "mark": text(f.mark), "off": off, "first_order": f.first_order.0, "on": on,
        "update": f.update.0 })
}

fn scope(s: &Scope) -> Value {
    json!({ "settle": s.settle.0, "leg": s.leg.map(|(contract, leg)| json!({ "contract": contract.0, "leg": name(leg) })) })
}

fn worth(w: &ScopeWorth) -> Value {
    let seen = w
        .prices
        .iter()
        .map(|p| json!({ "contract": p.contract.0, "mark": text(p.mark), "index": text(p.index), "fresh": p.fresh }));
    json!({ "prices": seen.collect::<Vec<_>>(), "equity": text(w.equity), "maintenance": text(w.maintenance) })
}

fn liquidated(f: &LegLiquidated) -> Value {
    let u = &f.units;
    let step = json!({ "units": units(u), "account": f.account.0, "leg": name(f.leg), "mode": name(f.mode),
        "case": f.case, "step": f.step, "mark": text(f.mark), "lots": f.lots.0, "margin": text(f.margin),
        "bankruptcy": text(u.price(f.bankruptcy)), "worst": text(u.price(f.worst)) });
    let legs = |legs: &[DeleveragedLeg]| {
        legs.iter().map(|leg| json!({ "account": leg.account.0, "effect": effect(&leg.effect) })).collect::<Vec<_>>()
    };
    let became = json!({ "index": text(f.index), "first_trade": f.first_trade.0,
        "trades": f.trades.iter().map(|t| trade(u, t)).collect::<Vec<_>>(), "insured": text(f.insured),
        "deleverage": f.deleverage.as_ref().map(|d| json!({ "price": text(u.price(d.ticks)),
            "owner": effect(&d.owner), "legs": legs(&d.legs) })),
        "cuts": f.cuts.iter().map(|c| cut(u, c)).collect::<Vec<_>>(), "update": f.update.0, "order": f.order.0 });
    joined(step, became)
}

fn params(p: &BookParams) -> Value {
    let fees: Vec<_> = p.fees.iter().map(|fee| json!({ "maker": fee.maker.0, "taker": fee.taker.0 })).collect();
    let f = &p.funding;
    json!({ "contract": p.contract.0, "version": p.version, "lots": [p.lots.0.0, p.lots.1.0], "fees": fees,
        "max_open_orders": p.max_open_orders, "band_ppm": p.band_ppm, "protection_ppm": p.protection_ppm,
        "funding": { "interest": text(f.interest), "inner": text(f.inner), "cap": text(f.cap), "period_s": f.period_s },
        "liquidation_ppm": p.liquidation_ppm, "quota_ppm": p.quota_ppm })
}

fn units(u: &BookUnits) -> Value {
    json!({ "contract": u.contract.0, "settle": u.settle.0, "lot": text(u.lot), "tick": text(u.tick) })
}

fn order(u: &BookUnits, o: &BookOrder) -> Value {
    json!({ "order": o.order.0, "account": o.account.0, "side": name(o.side), "leg": name(o.leg),
        "price": text(u.price(o.ticks)), "open": o.open.0, "opens": o.opens.0, "multiple": o.multiple,
        "mode": name(o.mode), "valued": text(o.valued), "fee_ppm": o.fee_ppm.0, "locked": text(o.locked) })
}

fn placed(f: &ContractOrderPlaced) -> Value {
    let u = &f.units;
    let asked = json!({ "units": units(u), "kind": name(f.kind), "tif": name(f.tif), "stp": name(f.stp),
        "reduce_only": f.reduce_only, "lots": f.lots.0, "opens_of_all": f.opens.0, "maker_ppm": f.maker_ppm,
        "client_id": f.client_id.map(|id| id.as_str().to_owned()) });
    let became = json!({ "index": text(f.index), "first_trade": f.first_trade.0,
        "trades": f.trades.iter().map(|t| trade(u, t)).collect::<Vec<_>>(),
        "cuts": f.cuts.iter().map(|c| cut(u, c)).collect::<Vec<_>>(),
        "status": name(f.status), "reason": name(f.reason), "update": f.update.0 });
    joined(joined(order(u, &f.order), asked), became)
}

fn trade(u: &BookUnits, t: &BookTrade) -> Value {
    json!({ "maker_order": t.maker_order.0, "maker": t.maker.0, "price": text(u.price(t.ticks)), "lots": t.lots.0,
        "maker_effect": effect(&t.maker_effect), "taker_effect": effect(&t.taker_effect) })
}

fn effect(e: &Effect) -> Value {
    json!({ "leg": name(e.leg), "direction": name(e.direction), "mode": name(e.mode), "multiple": e.multiple,
        "closed": e.closed.0, "opened": e.opened.0, "opens": e.opens.0, "released": text(e.released),
        "cost": text(e.cost), "result": text(e.result), "fee": text(e.fee), "insurance": text(e.insurance),
        "funding": text(e.funding), "margin": text(e.margin), "unlocked": text(e.unlocked) })
}

fn cut(u: &BookUnits, c: &OrderCut) -> Value {
    json!({ "order": c.order.0, "account": c.account.0, "side": name(c.side), "price": text(u.price(c.ticks)),
        "lots": c.lots.0, "opens": c.opens.0, "mode": name(c.mode), "unlocked": text(c.unlocked), "gone": c.gone,
        "reason": name(c.reason) })
}

fn paid_leg(p: &PaidLeg) -> Value {
    json!({ "account": p.account.0, "leg": name(p.leg), "mode": name(p.mode), "lots": p.lots.0, "amount": text(p.amount) })
}
