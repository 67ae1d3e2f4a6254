//! The effects of facts on users' orders, in one place for every consumer that keeps orders.
//!
//! Owns: for each role of a fact, the orders that it creates, changes and ends, with their fills, prevented matches and lists.
//! Never does: keep an order; look at balances.
//! Invariants: an order is reported in its state after the step. The roles of a fact, in the order in which the fact names them,
//! report all of its effects. The account (`apply.rs`), the account histories and the store's projector use this module. The
//! auditor and `exchange audit` compute the same independently, as a check.
//! Known limits: spot orders only.

use super::{Fill, Order, OrderChange};
use crate::entity::TimeNs;
use crate::ids::{AccountId, EntityId, MarketId, OrderId};
use crate::record::{Fact, Record, Role};
use crate::spot::facts::{OrderList, OrderPlaced, OrdersChanged, SpotFact};
use crate::spot::prevented_matches::PreventedMatch;

/// Whoever keeps orders: an account its own, others those of everybody.
pub trait OrderKeeper {
    /// An order came into being: placed, waiting or pending. It may be done already.
    fn insert(&mut self, account: AccountId, what: OrderChange, order: Order);

    /// An order that is open changed; it is done when its status says so afterwards.
    fn change(&mut self, account: AccountId, what: OrderChange, order: OrderId, change: impl FnOnce(&mut Order));

    /// One side of a trade; with `quote`, the house's.
    fn fill(&mut self, account: AccountId, fill: Fill, quote: bool);

    /// A match of an order with another one of its owner that was prevented.
    fn prevented(&mut self, account: AccountId, prevented: PreventedMatch);

    /// A list; its orders come next.
    fn list(&mut self, account: AccountId, market: MarketId, list: &OrderList);
}

/// Tells `keeper` what a record does to the orders of the account that it names as `part`.
#[inline]
pub fn each_order_effect(record: &Record, account: AccountId, role: Role, keeper: &mut impl OrderKeeper) {
    let time = record.time;
    let Fact::Spot(fact) = &record.fact else { return };
    match fact {
        SpotFact::OrderPlaced(f) => match role {
            Role::Taker => {
                met(f, time, keeper);
                keeper.insert(account, OrderChange::Placed, Order::from_placed(f, time));
            }
            Role::Maker(_) | Role::Item(_) | Role::Decider | Role::Fees | Role::Other | Role::Insurance => {
                of_others_order(f, account, role, time, keeper);
            }
        },
        SpotFact::OrdersChanged(f) => match (role, &f.placed) {
            (Role::Taker, _) => orders_changed(f, time, keeper),
            (
                Role::Maker(_) | Role::Item(_) | Role::Decider | Role::Fees | Role::Other | Role::Insurance,
                Some(placed),
            ) => {
                of_others_order(placed, account, role, time, keeper);
            }
            (Role::Maker(_) | Role::Item(_) | Role::Decider | Role::Fees | Role::Other | Role::Insurance, None) => {}
        },
        SpotFact::OrdersCanceled(f) => {
            if let Role::Item(i) = role {
                keeper.change(account, OrderChange::Gone, f.orders[i as usize].order, |o| o.cancel(f.reason, time));
            }
        }
        SpotFact::QuotesSet(f) => match role {
            Role::Maker(i) => {
                let trade = &f.trades[i as usize].trade;
                filled_as_maker(account, Fill::of(&f.execution(i), true, time), trade.maker_quote, keeper, |order| {
                    order.fill_as_maker(trade, time);
                });
            }
            Role::Taker => {
                f.executions().for_each(|execution| keeper.fill(account, Fill::of(&execution, false, time), true));
            }
            Role::Item(_) | Role::Decider | Role::Fees | Role::Other | Role::Insurance => {}
        },
        SpotFact::MarketListed(_)
        | SpotFact::MarketParamsChanged(_)
        | SpotFact::MarketStateChanged(_)
        | SpotFact::TradeIdsReserved(_) => {}
    }
}

/// Looks for one order.
struct Concerns {
    order: OrderId,
    found: bool,
}

impl OrderKeeper for Concerns {
    fn insert(&mut self, _: AccountId, _: OrderChange, order: Order) {
        self.found |= order.order == self.order;
    }
    fn change(&mut self, _: AccountId, _: OrderChange, order: OrderId, _: impl FnOnce(&mut Order)) {
        self.found |= order == self.order;
    }
    fn fill(&mut self, _: AccountId, _: Fill, _: bool) {}
    fn prevented(&mut self, _: AccountId, _: PreventedMatch) {}
    fn list(&mut self, _: AccountId, _: MarketId, _: &OrderList) {}
}

/// Whether a record is about an order: it was placed, filled, cut or cancelled by it.
#[must_use]
pub fn concerns(record: &Record, order: OrderId) -> bool {
    let mut concerns = Concerns { order, found: false };
    record.fact.parties(record.decider, |entity, role| {
        if let EntityId::Account(account) = entity {
            each_order_effect(record, account, role, &mut concerns);
        }
    });
    concerns.found
}

/// What an order met: its fills, and its owner's other orders.
#[inline]
fn met(f: &OrderPlaced, time: TimeNs, keeper: &mut impl OrderKeeper) {
    for execution in f.executions() {
        keeper.fill(f.account, Fill::of(&execution, false, time), false);
    }
    if f.met_its_own() {
        f.prevented_matches(time).for_each(|(_, prevented)| keeper.prevented(f.account, prevented));
    }
}

#[inline]
fn filled_as_maker(
    account: AccountId,
    fill: Fill,
    quote: bool,
    keeper: &mut impl OrderKeeper,
    change: impl FnOnce(&mut Order),
) {
    keeper.fill(account, fill, quote);
    if !quote {
        keeper.change(account, OrderChange::Filled, fill.order, change);
    }
}

/// What somebody's order did to the account that it names in this role: filled or prevented an order of it.
#[inline]
fn of_others_order(f: &OrderPlaced, account: AccountId, role: Role, time: TimeNs, keeper: &mut impl OrderKeeper) {
    match role {
        Role::Maker(i) => {
            let trade = &f.trades[i as usize];
            filled_as_maker(account, Fill::of(&f.execution(i), true, time), trade.maker_quote, keeper, |order| {
                order.fill_as_maker(trade, time);
            });
        }
        Role::Item(i) => {
            let p = &f.prevented[i as usize];
            if !p.quote {
                keeper.change(account, OrderChange::Prevented, p.order, |order| order.prevent(f, i, time));
            }
        }
        Role::Decider | Role::Taker | Role::Fees | Role::Other | Role::Insurance => {}
    }
}

/// What is more than a plain order, in the order in which it happens.
fn orders_changed(f: &OrdersChanged, time: TimeNs, keeper: &mut impl OrderKeeper) {
    let account = f.account;
    for gone in &f.gone {
        keeper.change(account, OrderChange::Gone, gone.order, |order| order.cancel(f.reason, time));
    }
    for amended in &f.amended {
        keeper.change(account, OrderChange::Amended, amended.order, |order| order.amend(amended, time));
    }
    if let Some(list) = &f.list {
        keeper.list(account, f.units.market, list);
    }
    let list = f.list.as_ref().map_or(OrderId(0), |list| list.list);
    if let Some(placed) = &f.placed {
        met(placed, time, keeper);
        let trigger = |order: &mut Order| order.trigger(placed, time);
        match (f.triggered, f.activated) {
            (Some(_), _) => keeper.change(account, OrderChange::Triggered, placed.order, trigger),
            // An order whose turn in its list came is new to whoever watches, as one that was placed just now.
            (None, Some(_)) => keeper.change(account, OrderChange::Placed, placed.order, trigger),
            (None, None) => {
                keeper.insert(account, OrderChange::Placed, Order { list, ..Order::from_placed(placed, time) });
            }
        }
    }
    for waiting in &f.waiting {
        let activate = |order: &mut Order| order.activate(waiting, time);
        match f.activated {
            Some(_) => keeper.change(account, OrderChange::Waits, waiting.order, activate),
            None => {
                let order = Order { list, ..Order::from_waiting(waiting, &f.units, time) };
                keeper.insert(account, OrderChange::Waits, order);
            }
        }
    }
    for pending in &f.pending {
        let order = Order { list, ..Order::from_pending(pending, &f.units, time) };
        keeper.insert(account, OrderChange::Pending, order);
    }
}
