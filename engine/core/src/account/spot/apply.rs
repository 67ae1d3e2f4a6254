//! What spot facts do to an account.
//!
//! Owns: how orders, lists, locks and request keys change. Never does: refuse: what a record says has happened; keep orders
//! that are done (the histories of accounts do, outside of the cell). Invariants: what is taken was held or locked for it,
//! or the process stops. Known limits: none.

use crate::account::locks::{Lock, LockKind};
use crate::account::order_effects::{OrderKeeper, each_order_effect};
use crate::account::{Account, Fill, OpenList, Order, OrderChange};
use crate::codec::mix64;
use crate::entity::Applied;
use crate::ids::{AccountId, AssetId, MarketId, OrderId, Wallet};
use crate::money::Amount;
use crate::record::Role;
use crate::spot::OrderStatus;
use crate::spot::facts::{OrderList, OrdersChanged, SpotFact, Units};
use crate::spot::prevented_matches::PreventedMatch;

impl OrderKeeper for Account {
    // An order is large: no copy of it on its way.
    #[inline]
    fn insert(&mut self, _: AccountId, _: OrderChange, order: Order) {
        if order.status.is_open() {
            self.orders.insert(order);
        } else {
            self.ended(&order);
        }
    }

    #[inline]
    fn change(&mut self, _: AccountId, _: OrderChange, order: OrderId, change: impl FnOnce(&mut Order)) {
        if let Some(done) = self.orders.change(order, change) {
            self.ended(&done);
        }
    }

    #[inline]
    fn fill(&mut self, _: AccountId, fill: Fill, quote: bool) {
        if !quote {
            self.fills_hash = mix64(self.fills_hash ^ fill.hash());
        } else if fill.maker {
            let (asset, amount) = fill.units.lock(fill.side, fill.ticks, fill.lots);
            self.quotes_lock(fill.units.market, asset, -amount);
        }
    }

    fn prevented(&mut self, _: AccountId, _: PreventedMatch) {}

    fn list(&mut self, _: AccountId, _: MarketId, list: &OrderList) {
        self.cold_mut().lists.push(OpenList { list: list.clone(), open: list.orders.len(), ended: Vec::new() });
    }
}

impl Account {
    /// An order is done: only its hash stays.
    #[inline]
    fn ended(&mut self, done: &Order) {
        self.done_hash = mix64(self.done_hash ^ done.hash());
        if done.list.0 > 0 {
            self.ended_in_list(done);
        }
    }

    /// A list whose last order ended is done too.
    #[cold]
    fn ended_in_list(&mut self, done: &Order) {
        let lists = &mut self.cold_mut().lists;
        if let Some(at) = lists.iter().position(|list| list.list.list == done.list) {
            lists[at].open -= 1;
            lists[at].ended.push(*done);
            if lists[at].open == 0 {
                lists.remove(at);
            }
        }
        if done.list == done.order && done.status == OrderStatus::Filled {
            self.first_filled(done.list);
        }
    }

    /// The first order of a list was filled: what it brings is to be placed.
    #[cold]
    fn first_filled(&mut self, list: OrderId) {
        if self.pending_in(list).next().is_some() {
            self.cold_mut().due.push(list);
        }
    }

    fn quotes_lock(&mut self, market: MarketId, asset: AssetId, amount: Amount) {
        let (kind, reference) = (LockKind::Quotes, u64::from(market.0));
        self.cold_mut().locks.add(Lock { kind, reference, wallet: Wallet::Spot, asset, amount });
    }

    fn quotes_change(&mut self, units: &Units, (base, quote): (Amount, Amount)) {
        self.quotes_lock(units.market, units.base, base);
        self.quotes_lock(units.market, units.quote, quote);
    }

    /// After what is more than a plain order: whose turn came, and whose did not.
    fn settle_due(&mut self, f: &OrdersChanged) {
        let first = f.placed.as_ref().filter(|placed| !f.pending.is_empty() && placed.status == OrderStatus::Filled);
        first.into_iter().for_each(|first| self.first_filled(first.order));
        if self.cold().due.is_empty() {
            return;
        }
        // Lists whose pending orders were placed or left are not due any more.
        let due = std::mem::take(&mut self.cold_mut().due);
        let due = due.into_iter().filter(|list| self.pending_in(*list).next().is_some()).collect();
        self.cold_mut().due = due;
    }

    pub(in crate::account) fn apply_spot(&mut self, fact: &SpotFact, applied: Applied<'_>, role: Role) {
        each_order_effect(applied.record, self.id, role, self);
        match fact {
            SpotFact::OrderPlaced(_) => {
                if role == Role::Taker {
                    self.remember(applied);
                }
            }
            SpotFact::OrdersChanged(f) => {
                if role == Role::Taker {
                    self.settle_due(f);
                    self.remember(applied);
                }
            }
            SpotFact::OrdersCanceled(_) => {
                if role == Role::Item(0) {
                    self.remember(applied);
                }
            }
            SpotFact::QuotesSet(f) => {
                if role == Role::Taker {
                    self.quotes_change(&f.units, f.lock_change());
                }
            }
            SpotFact::MarketStateChanged(f) => {
                let (base, quote) = f.released();
                self.quotes_change(&f.units, (-base, -quote));
            }
            // They name no account.
            SpotFact::MarketListed(_) | SpotFact::MarketParamsChanged(_) | SpotFact::TradeIdsReserved(_) => {}
        }
    }
}

/// Whether accounts are named by a spot fact in this role.
pub(in crate::account) fn spot_names_accounts_as(fact: &SpotFact, role: Role) -> bool {
    match fact {
        SpotFact::OrderPlaced(_) | SpotFact::OrdersChanged(_) => !matches!(role, Role::Decider | Role::Other),
        SpotFact::QuotesSet(_) => matches!(role, Role::Taker | Role::Maker(_) | Role::Fees),
        SpotFact::OrdersCanceled(_) | SpotFact::MarketStateChanged(_) => matches!(role, Role::Item(_)),
        SpotFact::MarketListed(_) | SpotFact::MarketParamsChanged(_) | SpotFact::TradeIdsReserved(_) => false,
    }
}
