//! Records as JSON, for people and scripts: every number of a fact is there, amounts and prices as decimal texts.
//!
//! Owns: the names of the fields. Never does: leave a field out; a new fact does not compile until it has its own.
//! Invariants: amounts and prices are texts. Known limits: one record a line, however long.

use super::render_copy::link;
use crate::api::auth::secrets::hex;
use serde::Serialize;
use serde_json::{Value, json};
use xng_core::account::facts::{AccountFact, GrantItem};
use xng_core::contract::brackets::Bracket;
use xng_core::contract::facts::ContractFact;
use xng_core::contract::params::ContractParams;
use xng_core::contract::ticket_facts::{ActivatedTicket, ClosedNet, ClosedTicket, Night, TicketTerms};
use xng_core::contract::tickets::Stops;
use xng_core::entity::TimeNs;
use xng_core::ids::EntityId;
use xng_core::journal::Lsn;
use xng_core::money::Ticks;
use xng_core::price::facts::{PriceFact, PriceTicked, SourcePrice};
use xng_core::record::{Cause, CellFact, Fact, Record};
use xng_core::registry::RegistryFact;
use xng_core::spot::facts::{
    AmendedOrder, BlockingOrder, CanceledOrder, GoneOrder, MarketStateChanged, OrderList, OrderPlaced, OrdersCanceled,
    OrdersChanged, PendingOrder, Prevented, QuoteOff, QuotesSet, SpotFact, Trade, Units, WaitingOrder,
};
use xng_core::spot::{MarketParams, Trigger};

#[derive(Serialize)]
struct Line<'a> {
    lsn: u64,
    time: String,
    time_ns: TimeNs,
    kind: &'a str,
    version: u8,
    decider: String,
    cause: Value,
    origin: String,
    fact: Value,
}

/// One record as one line.
pub(crate) fn line(lsn: Lsn, record: &Record) -> String {
    let line = Line {
        lsn: lsn.0,
        time: time(record.time),
        time_ns: record.time,
        kind: record.fact.name(),
        version: record.fact.kind().1,
        decider: record.decider.to_string(),
        cause: cause(&record.cause),
        origin: record.origin.to_string(),
        fact: fact(&record.fact),
    };
    // Texts and numbers always serialise.
    serde_json::to_string(&line).unwrap_or_default()
}

/// RFC 3339, UTC, to the nanosecond.
pub(crate) fn time(time: TimeNs) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(time)).unwrap_or_default().to_string()
}

fn cause(cause: &Cause) -> Value {
    match cause {
        Cause::Request => json!("request"),
        Cause::Keyed(key) => json!({ "key": format!("{:032x}", key.key), "body": format!("{:016x}", key.body) }),
        Cause::Timer => json!("timer"),
        Cause::Derived { cell, lsn, ordinal } => {
            json!({ "derived": { "cell": cell, "lsn": lsn.0, "ordinal": ordinal } })
        }
        Cause::Cell => json!("cell"),
    }
}

pub(super) fn text(value: impl std::fmt::Display) -> String {
    value.to_string()
}

pub(crate) fn name(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

fn units(u: &Units) -> Value {
    json!({ "market": u.market.0, "base": u.base.0, "quote": u.quote.0, "lot_units": u.lot_units, "tick_lot_units": u.tick_lot_units })
}

/// A price, in quote for one base; nothing for market orders, which have none.
fn price(u: &Units, ticks: Ticks) -> Option<String> {
    (ticks.0 != 0).then(|| text(u.price(ticks)))
}

fn params(p: &MarketParams) -> Value {
    let fees: Vec<_> = p.fees.iter().map(|f| json!({ "maker_ppm": f.maker.0, "taker_ppm": f.taker.0 })).collect();
    json!({
        "market": p.market.0, "version": p.version, "symbol": p.symbol, "base": p.base.0, "quote": p.quote.0,
        "tick": text(p.tick), "step": text(p.step), "min_lots": p.min_lots.0, "max_lots": p.max_lots.0,
        "min_notional": text(p.min_notional), "band_ppm": p.band_ppm, "protection_ppm": p.protection_ppm,
        "max_open_orders": p.max_open_orders, "fees": fees, "stale_after_ms": p.stale_after_ms,
        "house_quoted": p.house_quoted, "stock": p.stock.as_ref().map(super::render_stock::terms),
    })
}

fn trade(u: &Units, t: &Trade) -> Value {
    json!({
        "maker_order": t.maker_order.0, "maker": t.maker.0, "ticks": t.ticks.0, "price": price(u, t.ticks),
        "lots": t.lots.0, "amount": text(u.base_amount(t.lots)), "total": text(u.notional(t.ticks, t.lots)),
        "maker_fee": text(t.maker_fee), "taker_fee": text(t.taker_fee), "maker_done": t.maker_done,
        "maker_quote": t.maker_quote, "refill": t.refill.0,
    })
}

fn prevented(u: &Units, p: &Prevented) -> Value {
    json!({
        "order": p.order.0, "account": p.account.0, "ticks": p.ticks.0, "price": price(u, p.ticks), "lots": p.lots.0,
        "amount": text(u.base_amount(p.lots)), "closed": p.closed, "quote": p.quote, "hidden": p.hidden.0,
        "refill": p.refill.0, "after": p.after,
    })
}

fn stopper(u: &Units, s: &BlockingOrder) -> Value {
    json!({
        "order": s.order.0, "ticks": s.ticks.0, "price": price(u, s.ticks), "lots": s.lots.0,
        "amount": text(u.base_amount(s.lots)),
    })
}

fn placed(f: &OrderPlaced) -> Value {
    let u = &f.units;
    json!({
        "units": units(u), "order": f.order.0, "account": f.account.0, "side": name(f.side), "kind": name(f.kind),
        "tif": name(f.tif), "ticks": f.ticks.0, "price": price(u, f.ticks), "lots": f.lots.0,
        "amount": text(u.base_amount(f.lots)), "budget": text(f.budget), "stp": name(f.stp), "iceberg": f.iceberg.0,
        "client_id": f.client_id.as_ref().map(|id| id.as_str()), "maker_ppm": f.maker_ppm.0,
        "first_trade": f.first_trade.0, "trades": f.trades.iter().map(|t| trade(u, t)).collect::<Vec<_>>(),
        "prevented": f.prevented.iter().map(|p| prevented(u, p)).collect::<Vec<_>>(),
        "stopper": f.stopper.as_ref().map(|s| stopper(u, s)), "rest": f.rest.0,
        "status": name(f.status), "reason": name(f.reason), "update": f.update.0,
    })
}

fn canceled(u: &Units, o: &CanceledOrder) -> Value {
    json!({
        "order": o.order.0, "account": o.account.0, "side": name(o.side), "ticks": o.ticks.0,
        "price": price(u, o.ticks), "lots": o.lots.0, "amount": text(u.base_amount(o.lots)),
    })
}

fn orders_canceled(f: &OrdersCanceled) -> Value {
    let orders: Vec<_> = f.orders.iter().map(|o| canceled(&f.units, o)).collect();
    json!({ "units": units(&f.units), "orders": orders, "reason": name(f.reason), "update": f.update.0 })
}

fn trigger(u: &Units, t: &Trigger) -> Value {
    json!({ "kind": name(t.kind), "ticks": t.ticks.0, "price": price(u, t.ticks), "trail_bips": t.trail_bips })
}

fn waiting(u: &Units, w: &WaitingOrder) -> Value {
    json!({
        "order": w.order.0, "account": w.account.0, "level": w.level, "side": name(w.side), "kind": name(w.kind),
        "tif": name(w.tif), "stp": name(w.stp), "ticks": w.ticks.0, "price": price(u, w.ticks), "lots": w.lots.0,
        "amount": text(u.base_amount(w.lots)), "iceberg": w.iceberg.0, "locked": text(w.locked),
        "trigger": trigger(u, &w.trigger), "client_id": w.client_id.as_ref().map(|id| id.as_str()),
    })
}

fn pending(u: &Units, p: &PendingOrder) -> Value {
    json!({
        "order": p.order.0, "side": name(p.side), "kind": name(p.kind), "tif": name(p.tif), "stp": name(p.stp),
        "ticks": p.ticks.0, "price": price(u, p.ticks), "lots": p.lots.0, "amount": text(u.base_amount(p.lots)),
        "iceberg": p.iceberg.0, "trigger": p.trigger.as_ref().map(|t| trigger(u, t)),
        "client_id": p.client_id.as_ref().map(|id| id.as_str()),
    })
}

fn orders_changed(f: &OrdersChanged) -> Value {
    let u = &f.units;
    let gone = |o: &GoneOrder| {
        json!({ "order": o.order.0, "side": name(o.side), "ticks": o.ticks.0, "price": price(u, o.ticks),
            "lots": o.lots.0, "amount": text(u.base_amount(o.lots)), "shown": o.shown.0, "locked": text(o.locked) })
    };
    let amended = |o: &AmendedOrder| {
        json!({ "order": o.order.0, "side": name(o.side), "ticks": o.ticks.0, "price": price(u, o.ticks),
            "lots": o.lots.0, "cut": o.cut.0, "shown": o.shown.0, "released": text(o.released),
            "client_id": o.client_id.as_ref().map(|id| id.as_str()) })
    };
    let list = |l: &OrderList| {
        let orders: Vec<_> = l.orders.iter().map(|order| order.0).collect();
        json!({ "list": l.list.0, "orders": orders, "kind": name(l.kind),
            "client_id": l.client_id.as_ref().map(|id| id.as_str()) })
    };
    json!({
        "units": units(u), "account": f.account.0, "gone": f.gone.iter().map(gone).collect::<Vec<_>>(),
        "reason": name(f.reason),
        "triggered": f.triggered.map(|(order, lock)| json!({ "order": order.0, "locked": text(lock) })),
        "activated": f.activated.map(|list| list.0),
        "amended": f.amended.iter().map(amended).collect::<Vec<_>>(), "placed": f.placed.as_ref().map(placed),
        "waiting": f.waiting.iter().map(|w| waiting(u, w)).collect::<Vec<_>>(),
        "pending": f.pending.iter().map(|p| pending(u, p)).collect::<Vec<_>>(), "list": f.list.as_ref().map(list),
        "refused": f.refused.map(name), "update": f.update.0,
    })
}

fn off(u: &Units, q: &QuoteOff) -> Value {
    json!({ "side": name(q.side), "ticks": q.ticks.0, "price": price(u, q.ticks), "lots": q.lots.0,
        "amount": text(u.base_amount(q.lots)) })
}

fn quotes(f: &QuotesSet) -> Value {
    let u = &f.units;
    let on = |q: &xng_core::spot::facts::QuoteOn| {
        json!({ "side": name(q.side), "ticks": q.ticks.0, "price": price(u, q.ticks), "rest": q.rest.0,
            "amount": text(u.base_amount(q.rest)) })
    };
    json!({
        "units": units(u), "account": f.account.0, "opens": f.opens,
        "off": f.off.iter().map(|q| off(u, q)).collect::<Vec<_>>(), "first_order": f.first_order.0,
        "on": f.on.iter().map(on).collect::<Vec<_>>(), "maker_ppm": f.maker_ppm.0, "first_trade": f.first_trade.0,
        "trades": f.trades.iter().map(|t| json!({ "on": t.on, "trade": trade(u, &t.trade) })).collect::<Vec<_>>(),
        "update": f.update.0,
    })
}

fn state_changed(f: &MarketStateChanged) -> Value {
    let u = &f.units;
    json!({ "units": units(u), "state": name(f.state), "reason": name(f.reason), "house": f.house.0,
        "off": f.off.iter().map(|q| off(u, q)).collect::<Vec<_>>(), "update": f.update.0 })
}

fn names(entities: &[EntityId]) -> Vec<String> {
    entities.iter().map(EntityId::to_string).collect()
}

fn ticked(f: &PriceTicked) -> Value {
    let source = |s: &SourcePrice| json!({ "source": s.source, "price": text(s.price) });
    json!({ "price": f.price.0, "kind": name(f.kind), "seq": f.seq, "index": text(f.index), "said": source(&f.said),
        "sources": f.sources.iter().map(source).collect::<Vec<_>>(), "hearers": names(&f.hearers) })
}

fn fact(fact: &Fact) -> Value {
    match fact {
        Fact::Registry(RegistryFact::AssetListed(f)) => {
            let wallets: Vec<_> = f.wallets.iter().map(|w| w.name()).collect();
            json!({ "asset": f.asset.0, "name": f.name, "wallets": wallets })
        }
        Fact::Registry(RegistryFact::RegionRuled(f)) => {
            let barred: Vec<&str> = f.barred.iter().map(xng_core::region::Product::name).collect();
            json!({ "country": f.country.letters(), "barred": barred })
        }
        Fact::Registry(RegistryFact::AuditAnchored(f)) => {
            json!({ "rows": f.rows, "head": hex(&f.head), "accepted_by": f.accepted_by })
        }
        Fact::Account(fact) => account(fact),
        Fact::Spot(fact) => spot(fact),
        Fact::Price(PriceFact::PriceListed(f)) => {
            json!({ "price": f.price.0, "symbol": f.symbol, "hearers": names(&f.hearers) })
        }
        Fact::Price(PriceFact::PriceTicked(f)) => ticked(f),
        Fact::Contract(fact) => contract(fact),
        Fact::Book(fact) => super::render_book::book(fact),
        Fact::Convert(fact) => super::render_convert::convert(fact),
        Fact::Seconds(fact) => super::render_seconds::seconds(fact),
        Fact::Copy(fact) => super::render_copy::copy(fact),
        Fact::Stock(fact) => super::render_stock::stock(fact),
        Fact::Chain(fact) => super::render_chain::chain(fact),
        Fact::Coupon(fact) => super::render_coupon::coupon(fact),
        Fact::Cell(CellFact::Digest(f)) => {
            json!({ "form": f.form, "state": format!("{:016x}", f.state), "entities": f.entities })
        }
    }
}

fn contract_params(p: &ContractParams) -> Value {
    let t = &p.tickets;
    let bracket =
        |b: &Bracket| json!({ "ceiling": text(b.ceiling), "max_multiple": b.max_multiple, "rate_ppm": b.rate_ppm });
    let brackets: Vec<_> = p.brackets.list.iter().map(bracket).collect();
    let tickets = json!({ "spread_ppm": t.spread_ppm, "fees": t.fees.iter().map(|fee| fee.0).collect::<Vec<_>>(),
        "overnight_ppm": t.overnight_ppm, "multiples": t.multiples, "lots": [t.lots.0.0, t.lots.1.0],
        "account_cap": text(t.account_cap), "house_caps": [t.house_caps.0.0, t.house_caps.1.0] });
    json!({ "contract": p.contract.0, "version": p.version, "symbol": p.symbol, "base": p.base.0, "settle": p.settle.0,
        "price": p.price.0, "tick": text(p.tick), "lot": text(p.lot), "brackets": brackets,
        "mark_band_ppm": p.mark_band_ppm, "stale_after_ms": p.stale_after_ms, "insurance_ppm": p.insurance_ppm,
        "tickets": tickets })
}

fn contract(fact: &ContractFact) -> Value {
    match fact {
        ContractFact::ContractListed(f) => contract_params(&f.params),
        ContractFact::ContractParamsChanged(f) => contract_params(&f.params),
        ContractFact::ContractStateChanged(f) => {
            json!({ "contract": f.contract.0, "state": name(f.state), "reason": name(f.reason) })
        }
        ContractFact::MarkSet(f) => json!({ "contract": f.contract.0, "seq": f.seq, "index": text(f.index),
            "index_seq": f.index_seq, "index_time": time(f.index_time), "mark": text(f.mark), "opens": f.opens, "basis": f.basis.map(text),
            "premium": f.premium.map(|(slot, premium)| json!({ "slot": slot, "premium": text(premium) })) }),
        ContractFact::TicketOpened(f) => {
            let with = json!({ "account": f.account.0, "index": text(f.index), "index_seq": f.index_seq,
                "leads": f.leads, "copy": f.copy.as_ref().map(link) });
            joined(ticket_terms(&f.terms), with)
        }
        ContractFact::TicketReserved(f) => {
            joined(ticket_terms(&f.terms), json!({ "account": f.account.0, "target": text(f.target) }))
        }
        ContractFact::TicketsMoved(f) => json!({ "account": f.account.0,
            "activated": f.activated.iter().map(activated_ticket).collect::<Vec<_>>(),
            "closed": f.closed.iter().map(closed_ticket).collect::<Vec<_>>(), "leads": f.leads,
            "led": f.led.iter().map(ticket_terms).collect::<Vec<_>>(),
            "nets": f.nets.iter().map(closed_net).collect::<Vec<_>>() }),
        ContractFact::TicketCanceled(f) => json!({ "account": f.account.0, "ticket": f.ticket.0,
            "contract": f.contract.0, "settle": f.settle.0, "direction": name(f.direction), "lots": f.lots.0,
            "reserved": text(f.reserved) }),
        ContractFact::TicketStopsSet(f) => {
            joined(json!({ "account": f.account.0, "ticket": f.ticket.0 }), stops(&f.stops))
        }
        ContractFact::NightCharged(f) => {
            let night = |n: &Night| {
                json!({ "ticket": n.ticket.0, "settle": n.settle.0, "of_margin": text(n.of_margin),
                    "of_available": text(n.of_available) })
            };
            json!({ "account": f.account.0, "day": f.day, "nights": f.nights.iter().map(night).collect::<Vec<_>>() })
        }
        ContractFact::RiskWarned(f) => json!({ "account": f.account.0, "settle": f.settle.0,
            "equity": text(f.equity), "maintenance": text(f.maintenance) }),
        ContractFact::DeficitCovered(f) => json!({ "account": f.account.0, "settle": f.settle.0,
            "deficit": text(f.deficit), "paid": text(f.paid) }),
    }
}

pub(super) fn joined(mut object: Value, with: Value) -> Value {
    if let (Value::Object(all), Value::Object(with)) = (&mut object, with) {
        all.extend(with);
    }
    object
}

fn stops(stops: &Stops) -> Value {
    json!({ "take_profit": stops.take_profit.map(text), "stop_loss": stops.stop_loss.map(text) })
}

fn ticket_terms(t: &TicketTerms) -> Value {
    let terms = json!({ "ticket": t.ticket.0, "contract": t.contract.0, "settle": t.settle.0,
        "direction": name(t.direction), "mode": name(t.mode), "lots": t.lots.0, "base": text(t.base),
        "multiple": t.multiple, "price": text(t.price), "margin": text(t.margin), "fee": text(t.fee),
        "insurance": text(t.insurance) });
    joined(terms, stops(&t.stops))
}

fn activated_ticket(t: &ActivatedTicket) -> Value {
    json!({ "ticket": t.ticket.0, "contract": t.contract.0, "settle": t.settle.0, "fee": text(t.fee),
        "insurance": text(t.insurance), "index": text(t.index), "index_seq": t.index_seq })
}

fn closed_ticket(t: &ClosedTicket) -> Value {
    json!({ "ticket": t.ticket.0, "reason": name(t.reason), "contract": t.contract.0, "settle": t.settle.0,
        "direction": name(t.direction), "lots": t.lots.0, "margin": text(t.margin), "result": text(t.result),
        "credit": text(t.credit), "unsettled": text(t.unsettled), "deficit": text(t.deficit), "index": text(t.index),
        "index_seq": t.index_seq })
}

fn closed_net(n: &ClosedNet) -> Value {
    let copy = n.copy.as_ref().map(|(of, withheld)| json!({ "of": link(of), "withheld": text(*withheld) }));
    json!({ "ticket": n.ticket.0, "profit": text(n.profit), "copy": copy })
}

fn account(fact: &AccountFact) -> Value {
    let item = |i: &GrantItem| json!({ "wallet": i.wallet.name(), "asset": i.asset.0, "amount": text(i.amount) });
    match fact {
        AccountFact::AccountChanged(f) => {
            json!({ "account": f.account.0, "level": f.level, "status": name(f.status), "house": f.house })
        }
        AccountFact::TierChanged(f) => {
            json!({ "account": f.account.0, "tier": format!("{:?}", f.tier), "case": f.case, "by": f.by,
                "country": f.country.map(|country| country.letters().to_owned()) })
        }
        AccountFact::VipSet(f) => json!({ "account": f.account.0, "level": f.level }),
        AccountFact::StatusSet(f) => json!({ "account": f.account.0, "status": name(f.status) }),
        AccountFact::HouseSet(f) => json!({ "account": f.account.0, "house": f.house }),
        AccountFact::Granted(f) => {
            json!({ "account": f.account.0, "kind": name(f.kind), "items": f.items.iter().map(item).collect::<Vec<_>>() })
        }
        AccountFact::RequestsForgotten(f) => json!({ "account": f.account.0, "through": f.through }),
        AccountFact::Transferred(f) => json!({ "account": f.account.0, "asset": f.asset.0, "from": f.from.name(),
            "to": f.to.name(), "amount": text(f.amount) }),
    }
}

fn spot(fact: &SpotFact) -> Value {
    match fact {
        SpotFact::MarketListed(f) => params(&f.params),
        SpotFact::MarketParamsChanged(f) => params(&f.params),
        SpotFact::MarketStateChanged(f) => state_changed(f),
        SpotFact::OrderPlaced(f) => placed(f),
        SpotFact::OrdersCanceled(f) => orders_canceled(f),
        SpotFact::OrdersChanged(f) => orders_changed(f),
        SpotFact::QuotesSet(f) => quotes(f),
        SpotFact::TradeIdsReserved(f) => json!({ "market": f.market.0, "first": f.first.0, "count": f.count }),
    }
}
