//! What facts do to an account.
//!
//! Owns: how postings, orders, locks and request keys change with a fact. Never does: refuse: what a record says has
//! happened; keep what is done (the histories of accounts do, outside of the cell). Invariants: what is taken was held or
//! locked for it, or the process stops. Known limits: none.

use super::facts::GrantKind;
use super::locks::{Lock, LockKind};
use super::order_effects::{OrderKeeper, each_order_effect};
use super::{Account, Answer, Balance, Fill, OpenList, Order, OrderChange};
use crate::codec::mix64;
use crate::entity::Applied;
use crate::ids::{AccountId, AssetId, MarketId, OrderId, Wallet};
use crate::money::Amount;
use crate::record::{Fact, Part, Posting};
use crate::spot::OrderStatus;
use crate::spot::facts::{OrderList, OrdersChanged, Units};
use crate::spot::prevention::PreventedMatch;
use crate::system_accounts::may_be_negative;

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
        self.rare_mut().lists.push(OpenList { list: list.clone(), open: list.orders.len(), ended: Vec::new() });
    }
}

impl Account {
    pub(super) fn post(&mut self, p: &Posting) {
        let at = match self.find(p.wallet, p.asset) {
            Ok(at) => at,
            Err(at) => {
                let (wallet, asset) = (p.wallet, p.asset);
                self.balances.insert(at, Balance { wallet, asset, available: Amount::ZERO, locked: Amount::ZERO });
                at
            }
        };
        let b = &mut self.balances[at];
        b.available += p.available;
        b.locked += p.locked;
        let sound = !(b.available.is_negative() || b.locked.is_negative()) || may_be_negative(self.id, p.wallet);
        assert!(sound, "account {}: {:?} would be negative after {p:?}", self.id, *b);
    }

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
        let lists = &mut self.rare_mut().lists;
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
            self.rare_mut().due.push(list);
        }
    }

    fn quotes_lock(&mut self, market: MarketId, asset: AssetId, amount: Amount) {
        let (kind, reference) = (LockKind::Quotes, u64::from(market.0));
        self.rare_mut().locks.add(Lock { kind, reference, wallet: Wallet::Change, asset, amount });
    }

    fn quotes_change(&mut self, units: &Units, (base, quote): (Amount, Amount)) {
        self.quotes_lock(units.market, units.base, base);
        self.quotes_lock(units.market, units.quote, quote);
    }

    /// After what is more than a plain order: whose turn came, and whose did not.
    fn settle_due(&mut self, f: &OrdersChanged) {
        let first = f.placed.as_ref().filter(|placed| !f.pending.is_empty() && placed.status == OrderStatus::Filled);
        first.into_iter().for_each(|first| self.first_filled(first.order));
        if self.rare().due.is_empty() {
            return;
        }
        // Lists whose pending orders were placed or left are not due any more.
        let due = std::mem::take(&mut self.rare_mut().due);
        let due = due.into_iter().filter(|list| self.pending_in(*list).next().is_some()).collect();
        self.rare_mut().due = due;
    }

    #[inline]
    fn remember(&mut self, applied: Applied<'_>, answer: impl FnOnce() -> Answer) {
        if let Some(key) = applied.record.cause.request() {
            self.rare_mut().requests.remember(key, applied.record.time, answer());
        }
    }

    pub(super) fn apply(&mut self, applied: Applied<'_>, part: Part) {
        let time = applied.record.time;
        assert!(
            names_accounts_as(&applied.record.fact, part),
            "an account is not named by {} as {part:?}",
            applied.record.fact.name()
        );
        each_order_effect(applied.record, self.id, part, self);
        match &applied.record.fact {
            Fact::OrderPlaced(f) => {
                if part == Part::Taker {
                    self.remember(applied, || Answer::Placed(f.ack(time)));
                }
            }
            Fact::OrdersChanged(f) => {
                if part == Part::Taker {
                    self.settle_due(f);
                    self.remember(applied, || match f.only_cancels() {
                        true => Answer::Canceled(f.gone_ids().collect()),
                        false => Answer::Arranged(Box::new(f.ack(time))),
                    });
                }
            }
            Fact::OrdersCanceled(f) => {
                if part == Part::Item(0) {
                    self.remember(applied, || Answer::Canceled(f.orders.iter().map(|o| o.order).collect()));
                }
            }
            Fact::QuotesSet(f) => {
                if part == Part::Taker {
                    self.quotes_change(&f.units, f.lock_change());
                }
            }
            Fact::MarketStateChanged(f) => {
                let (base, quote) = f.released();
                self.quotes_change(&f.units, (-base, -quote));
            }
            Fact::Transferred(_) => self.remember(applied, || Answer::Done),
            Fact::RequestsForgotten(f) => {
                self.rare_mut().requests.forget(f.through);
                if self.rare().is_empty() {
                    self.rare = None;
                }
            }
            Fact::Granted(f) => {
                if part == Part::Decider {
                    self.opened |= f.kind == GrantKind::Opening;
                    self.remember(applied, || Answer::Done);
                }
            }
            Fact::AccountChanged(f) => (self.level, self.status, self.house) = (f.level, f.status, f.house),
            Fact::VipSet(f) => self.level = f.level,
            Fact::StatusSet(f) => self.status = f.status,
            Fact::HouseSet(f) => self.house = f.house,
            // They name no account.
            Fact::AssetListed(_)
            | Fact::MarketListed(_)
            | Fact::MarketParamsChanged(_)
            | Fact::TradeIdsReserved(_)
            | Fact::PriceListed(_)
            | Fact::PriceTicked(_)
            | Fact::Digest(_) => {}
        }
    }
}

/// Whether accounts are named by a fact in this role; a fact that names one in another is a bug.
fn names_accounts_as(fact: &Fact, part: Part) -> bool {
    match fact {
        Fact::OrderPlaced(_) | Fact::OrdersChanged(_) => !matches!(part, Part::Decider | Part::Other),
        Fact::QuotesSet(_) => matches!(part, Part::Taker | Part::Maker(_) | Part::Fees),
        Fact::OrdersCanceled(_) | Fact::MarketStateChanged(_) => matches!(part, Part::Item(_)),
        Fact::Granted(_) => matches!(part, Part::Decider | Part::Other),
        Fact::AccountChanged(_)
        | Fact::VipSet(_)
        | Fact::StatusSet(_)
        | Fact::HouseSet(_)
        | Fact::Transferred(_)
        | Fact::RequestsForgotten(_) => part == Part::Decider,
        Fact::AssetListed(_)
        | Fact::MarketListed(_)
        | Fact::MarketParamsChanged(_)
        | Fact::TradeIdsReserved(_)
        | Fact::PriceListed(_)
        | Fact::PriceTicked(_)
        | Fact::Digest(_) => false,
    }
}
