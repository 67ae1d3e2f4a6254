//! What facts do to an account, and what a watcher of it is told.
//!
//! Owns: how postings, orders, fills and request keys change with a fact. Never does: refuse: what a record says has
//! happened. Invariants: what is taken was held or locked for it, or the process stops. Known limits: a watcher is
//! told new values, not differences.

use super::facts::GrantKind;
use super::recent::RECENT;
use super::{Account, AccountEvent, Answer, Balance, Fill, Order, OrderChange, QuoteLock};
use crate::entity::{Applied, TimeNs};
use crate::ids::{AssetId, OrderId, Wallet};
use crate::money::Amount;
use crate::record::{Fact, Part, Posting};
use crate::spot::facts::{OrderList, OrderPlaced, OrdersCanceled, OrdersChanged, Trade, Units};
use crate::spot::prevention::PreventedMatch;
use crate::spot::{OrderStatus, Side};

/// Lists that an account remembers when nothing of them is open; older ones come from the store.
pub const LISTS: usize = 64;

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
        let sound = self.id.may_be_negative() || !(b.available.is_negative() || b.locked.is_negative());
        assert!(sound, "account {}: {:?} would be negative after {p:?}", self.id, *b);
    }

    /// An order's last change. It is done then: its hash is taken out as it stood, and not made anew in between.
    fn end(&mut self, order: OrderId, change: impl FnOnce(&mut Order)) {
        let mut done = self.orders.remove(order);
        change(&mut done);
        self.done.push(&done);
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

    /// Remembers a list, and forgets the oldest of which nothing is open when they become too many.
    fn begin_list(&mut self, list: &OrderList) {
        let is_done = |list: &OrderList| list.orders.iter().all(|order| self.orders.get(*order).is_none());
        let forget = self.rare().lists.iter().position(is_done).filter(|_| self.rare().lists.len() >= LISTS);
        let lists = &mut self.rare_mut().lists;
        forget.into_iter().for_each(|at| drop(lists.remove(at)));
        lists.push(list.clone());
    }

    /// What an order of this account met: its fills, and the account's own orders.
    fn met(&mut self, f: &OrderPlaced, time: TimeNs) {
        for execution in f.executions() {
            self.fills.push(&Fill::of(&execution, false, time));
        }
        if f.met_its_own() {
            let kept = &mut self.rare_mut().prevented;
            kept.extend(f.prevented_matches(time).map(|(_, prevented)| prevented));
            let forget = kept.len().saturating_sub(RECENT);
            kept.drain(..forget);
        }
    }

    fn placed(&mut self, f: &OrderPlaced, time: TimeNs) {
        self.met(f, time);
        self.keep(Order::from_placed(f, time));
    }

    // An order is large: no copy of it on its way.
    #[inline]
    fn keep(&mut self, order: Order) {
        if order.status.is_open() {
            self.orders.insert(order);
        } else {
            self.done.push(&order);
        }
    }

    fn filled_as_maker(&mut self, trade: &Trade, fill: Fill) {
        if trade.maker_quote {
            let (asset, amount) = fill.units.lock(fill.side, fill.ticks, fill.lots);
            let lock = self.quote_lock(&fill.units);
            match fill.side {
                Side::Buy => lock.quote = (asset, lock.quote.1 - amount),
                Side::Sell => lock.base = (asset, lock.base.1 - amount),
            }
            return;
        }
        self.fills.push(&fill);
        let change = |order: &mut Order| order.fill_as_maker(trade, fill.time);
        match trade.maker_done {
            true => self.end(trade.maker_order, change),
            false => self.orders.change(trade.maker_order, change),
        }
    }

    fn quote_lock(&mut self, units: &Units) -> &mut QuoteLock {
        let quotes = &mut self.rare_mut().quotes;
        let at = match quotes.binary_search_by_key(&units.market, |q| q.market) {
            Ok(at) => at,
            Err(at) => {
                let (base, quote) = ((units.base, Amount::ZERO), (units.quote, Amount::ZERO));
                quotes.insert(at, QuoteLock { market: units.market, base, quote });
                at
            }
        };
        &mut quotes[at]
    }

    fn quotes_change(&mut self, units: &Units, (base, quote): (Amount, Amount)) {
        let lock = self.quote_lock(units);
        lock.base.1 += base;
        lock.quote.1 += quote;
    }

    fn canceled(&mut self, f: &OrdersCanceled, i: u32, time: TimeNs) {
        let id = f.orders[i as usize].order;
        self.end(id, |order| order.cancel(f.reason, time));
    }

    /// What is more than a plain order, in the order in which it happens.
    fn changed(&mut self, f: &OrdersChanged, time: TimeNs) {
        for gone in &f.gone {
            self.end(gone.order, |order| order.cancel(f.reason, time));
        }
        for amended in &f.amended {
            self.orders.change(amended.order, |order| order.amend(amended, time));
        }
        let list = f.list.as_ref().map_or(OrderId(0), |list| list.list);
        if let Some(placed) = &f.placed {
            self.met(placed, time);
            if f.triggered.is_some() || f.activated.is_some() {
                let change = |order: &mut Order| order.trigger(placed, time);
                match placed.status.is_open() {
                    true => self.orders.change(placed.order, change),
                    false => self.end(placed.order, change),
                }
            } else {
                self.keep(Order { list, ..Order::from_placed(placed, time) });
            }
        }
        for waiting in &f.waiting {
            match f.activated {
                Some(_) => self.orders.change(waiting.order, |order| order.activate(waiting, time)),
                None => self.orders.insert(Order { list, ..Order::from_waiting(waiting, &f.units, time) }),
            }
        }
        for pending in &f.pending {
            self.orders.insert(Order { list, ..Order::from_pending(pending, &f.units, time) });
        }
        if let Some(list) = &f.list {
            self.begin_list(list);
        }
        let first = f.placed.as_ref().filter(|placed| !f.pending.is_empty() && placed.status == OrderStatus::Filled);
        first.into_iter().for_each(|first| self.first_filled(first.order));
        self.settle_due();
    }

    /// Lists whose pending orders were placed or left are not due any more.
    fn settle_due(&mut self) {
        if self.rare().due.is_empty() {
            return;
        }
        let due = std::mem::take(&mut self.rare_mut().due);
        let due = due.into_iter().filter(|list| self.pending_in(*list).next().is_some()).collect();
        self.rare_mut().due = due;
    }

    fn prevented(&mut self, f: &OrderPlaced, i: u32, time: TimeNs) {
        let p = &f.prevented[i as usize];
        let change = |order: &mut Order| order.prevent(f, i, time);
        match p.closed {
            true => self.end(p.order, change),
            false => self.orders.change(p.order, change),
        }
    }

    fn remember(&mut self, applied: Applied<'_>, answer: impl FnOnce() -> Answer) {
        if let Some(key) = applied.record.cause.request() {
            self.rare_mut().requests.remember(key, applied.record.time, answer());
        }
    }

    /// What somebody's order did to this account: filled or prevented an order of it, or paid it a fee.
    fn of_others_order(&mut self, f: &OrderPlaced, part: Part, time: TimeNs) {
        match part {
            Part::Maker(i) => self.filled_as_maker(&f.trades[i as usize], Fill::of(&f.execution(i), true, time)),
            Part::Item(i) => self.prevented(f, i, time),
            Part::Fees => {}
            Part::Decider | Part::Taker | Part::Other => unreachable!("an order names no account as {part:?}"),
        }
    }

    pub(super) fn apply(&mut self, applied: Applied<'_>, part: Part) {
        let time = applied.record.time;
        match (&applied.record.fact, part) {
            (Fact::OrderPlaced(f), Part::Taker) => {
                self.placed(f, time);
                self.remember(applied, || Answer::Placed(f.ack(time)));
            }
            (Fact::OrderPlaced(f), part) => self.of_others_order(f, part, time),
            (Fact::OrdersChanged(f), Part::Taker) => {
                self.changed(f, time);
                self.remember(applied, || match f.only_cancels() {
                    true => Answer::Canceled(f.gone_ids().collect()),
                    false => Answer::Arranged(Box::new(f.ack(time))),
                });
            }
            (Fact::OrdersChanged(f), part) => {
                if let Some(placed) = &f.placed {
                    self.of_others_order(placed, part, time);
                }
            }
            (Fact::OrdersCanceled(f), Part::Item(i)) => {
                self.canceled(f, i, time);
                if i == 0 {
                    self.remember(applied, || Answer::Canceled(f.orders.iter().map(|o| o.order).collect()));
                }
            }
            (Fact::QuotesSet(f), Part::Taker) => self.quotes_change(&f.units, f.lock_change()),
            (Fact::QuotesSet(f), Part::Maker(i)) => {
                self.filled_as_maker(&f.trades[i as usize].trade, Fill::of(&f.execution(i), true, time));
            }
            (Fact::MarketStateChanged(f), Part::Item(_)) => {
                let (base, quote) = f.released();
                self.quotes_change(&f.units, (-base, -quote));
            }
            (Fact::Transferred(_), Part::Decider) => self.remember(applied, || Answer::Done),
            (Fact::RequestsForgotten(f), Part::Decider) => {
                self.rare_mut().requests.forget(f.through);
                if self.rare().is_empty() {
                    self.rare = None;
                }
            }
            (Fact::Granted(f), Part::Decider) => {
                self.opened |= f.kind == GrantKind::Opening;
                self.remember(applied, || Answer::Done);
            }
            (Fact::AccountChanged(f), Part::Decider) => {
                (self.level, self.status, self.house) = (f.level, f.status, f.house);
            }
            (Fact::QuotesSet(_), Part::Fees) | (Fact::Granted(_), Part::Other) => {}
            (other, part) => unreachable!("an account is not named by {} as {part:?}", other.name()),
        }
    }

    /// What `part` of a fact that was just applied changed, for whoever watches the account.
    #[must_use]
    pub fn event(&self, applied: Applied<'_>, part: Part) -> AccountEvent {
        let mut wallets: Vec<Balance> = Vec::with_capacity(3);
        applied.record.fact.postings(part, |p| {
            let now = self.balance(p.wallet, p.asset);
            match wallets.iter_mut().find(|w| (w.wallet, w.asset) == (p.wallet, p.asset)) {
                Some(w) => *w = now,
                None => wallets.push(now),
            }
        });
        let time = applied.record.time;
        let (mut changes, mut fills, mut prevented) = (Vec::new(), Vec::new(), Vec::new());
        match (&applied.record.fact, part) {
            (Fact::OrderPlaced(f), part) => {
                changes.extend(placed_change(f, part, time, &mut fills));
                prevented = prevented_of(f, part, time);
            }
            (Fact::OrdersCanceled(f), Part::Item(i)) => changes.push((f.orders[i as usize].order, OrderChange::Gone)),
            (Fact::OrdersChanged(f), Part::Taker) => {
                changes.extend(f.gone_ids().map(|order| (order, OrderChange::Gone)));
                changes.extend(f.amended.iter().map(|amended| (amended.order, OrderChange::Amended)));
                prevented.extend(f.placed.iter().flat_map(|p| prevented_of(p, Part::Taker, time)));
                // An order whose turn in its list came is new to whoever watches, as one that was placed just now.
                let placed = f.placed.iter().filter_map(|p| placed_change(p, Part::Taker, time, &mut fills));
                let what = if f.triggered.is_some() { OrderChange::Triggered } else { OrderChange::Placed };
                changes.extend(placed.map(|(order, _)| (order, what)));
                changes.extend(f.waiting.iter().map(|waiting| (waiting.order, OrderChange::Waits)));
                changes.extend(f.pending.iter().map(|pending| (pending.order, OrderChange::Pending)));
            }
            (Fact::OrdersChanged(f), part) => {
                prevented.extend(f.placed.iter().flat_map(|p| prevented_of(p, part, time)));
                changes.extend(f.placed.iter().filter_map(|p| placed_change(p, part, time, &mut fills)));
            }
            (Fact::QuotesSet(f), Part::Maker(i)) => {
                fills.push(Fill::of(&f.execution(i), true, time));
                changes.push((f.trades[i as usize].trade.maker_order, OrderChange::Filled));
            }
            _ => {}
        }
        let known = |(id, what)| self.order(id).map(|order| (order, what));
        let orders: Vec<(Order, OrderChange)> = changes.into_iter().filter_map(known).collect();
        let touched = |list: &&OrderList| orders.iter().any(|(order, _)| order.list == list.list);
        let whole = |list: &OrderList| list.orders.iter().filter_map(|order| self.order(*order)).collect();
        let lists = self.rare().lists.iter().filter(touched).map(|list| (list.clone(), whole(list))).collect();
        let mut moved: Vec<(Wallet, AssetId, Amount)> = Vec::new();
        if orders.is_empty() {
            applied.record.fact.postings(part, |p| moved.push((p.wallet, p.asset, p.available + p.locked)));
        }
        AccountEvent { account: self.id, seq: self.seq, time, wallets, orders, fills, prevented, lists, moved }
    }

    /// An open order or one of the latest done ones.
    #[must_use]
    pub fn order(&self, id: OrderId) -> Option<Order> {
        self.orders.get(id).copied().or_else(|| self.done.newest().find(|o| o.order == id))
    }
}

/// The prevented matches that changed the order which a placed order names in this role.
fn prevented_of(f: &OrderPlaced, part: Part, time: TimeNs) -> Vec<(u32, PreventedMatch)> {
    if !f.met_its_own() {
        return Vec::new();
    }
    match part {
        Part::Taker => f.prevented_matches(time).filter(|(_, m)| !m.taker_lots.is_zero()).collect(),
        Part::Item(i) => f.prevented_match(i, time).into_iter().collect(),
        Part::Decider | Part::Maker(_) | Part::Fees | Part::Other => Vec::new(),
    }
}

/// What a placed order did to an order of the account that it names in this role; its fills go to `fills`.
fn placed_change(f: &OrderPlaced, part: Part, time: TimeNs, fills: &mut Vec<Fill>) -> Option<(OrderId, OrderChange)> {
    match part {
        Part::Taker => {
            fills.extend(f.executions().map(|e| Fill::of(&e, false, time)));
            Some((f.order, OrderChange::Placed))
        }
        Part::Maker(i) => {
            fills.push(Fill::of(&f.execution(i), true, time));
            Some((f.trades[i as usize].maker_order, OrderChange::Filled))
        }
        Part::Item(i) => Some((f.prevented[i as usize].order, OrderChange::Prevented)),
        Part::Decider | Part::Fees | Part::Other => None,
    }
}
