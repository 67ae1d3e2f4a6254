//! The timer's work on orders: an order whose list ended leaves, an order whose trigger was reached is placed.
//!
//! Owns: the choice of the next such order, and its fact. Never does: follow prices; `triggers` does. Invariants: one order
//! per decision; a triggered order is always decided, at worst as expired. Known limits: none.
//! Rules: `docs/rules/spot.md "Triggers"`.

use super::facts::{GoneOrder, OrderPlaced, OrdersChanged, WaitingOrder};
use super::order_group::{Plan, touches};
use super::params::MarketParams;
use super::rules::{self, Asker};
use super::{EndReason, Market, NewOrder, Terms};
use crate::market::MarketState;
use crate::market::matching::{MatchResult, TakenLots};
use crate::money::Amount;
use crate::record::Fact;

/// What is to be done at once: an order whose other one was filled leaves, and so do those that an unfilled one was to bring;
/// an order whose price came is placed.
pub(super) fn due(market: &Market, p: &MarketParams) -> Option<Fact> {
    if let Some(order) = market.lists.leaving() {
        let owner = market.owner(order)?;
        let gone = market.leavers(p, owner, order);
        return Some(Fact::from(market.gone(p, owner, gone, EndReason::OtherLeg)));
    }
    let waiting = market.triggers.fired().filter(|_| market.state == MarketState::Trading)?;
    Some(Fact::from(trigger(market, p, waiting)))
}

/// An order that waited is placed.
pub(super) fn trigger(market: &Market, p: &MarketParams, w: &WaitingOrder) -> OrdersChanged {
    let other = market.lists.other(w.order).and_then(|other| market.leaver(p, w.account, other));
    let gone: Vec<GoneOrder> = other.into_iter().collect();
    let held = gone.iter().fold(w.locked, |sum, other| sum + other.locked);
    let mut taken = TakenLots::default();
    gone.iter().for_each(|g| taken.take(g.order, g.lots));
    let order = NewOrder {
        market: market.id,
        side: w.side,
        kind: w.kind,
        tif: w.tif,
        stp: w.stp,
        ticks: w.ticks,
        lots: w.lots,
        budget: Amount::ZERO,
        iceberg: w.iceberg,
        client_id: w.client_id,
        terms: Terms { version: p.version, asset: p.locked_asset(w.side), amount: held, capped: false },
    };
    let asker = Asker { account: w.account, level: w.level, held, open: 0 };
    let best = rules::best_opposite(market, &order, Some(&taken));
    let placed = rules::run(market, p, &order, &asker, (w.order, best), Some(&mut taken)).unwrap_or_else(|_| {
        // All or nothing of more trades than one decision may make: nothing.
        let nothing = MatchResult { left: w.lots, stop: Some(EndReason::FillOrKill), ..MatchResult::default() };
        rules::finish(market, p, &order, &asker, w.order, p.units(), nothing).expect("nothing is always possible")
    });
    let mut fact = market.gone(p, w.account, gone, EndReason::OtherLeg);
    let plan = Plan { placed: Some(placed), ..Plan::default() };
    fact.update = if touches(&fact, &plan) { market.next_update() } else { market.update };
    let update = fact.update;
    let placed = plan.placed.map(|placed| OrderPlaced { update, ..placed });
    OrdersChanged { triggered: Some((w.order, w.locked)), placed, ..fact }
}
