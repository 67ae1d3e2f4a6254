//! Folds records into rows.
//!
//! Owns: which fact makes which row; a cache of the balances and open orders that rows are made from.
//! Never does: I/O; look at a clock.
//! Invariants: what it needs from the store is asked for before a batch is folded; a row that came and went within a batch
//! is written once, as it is at the end; after a failed write the cache is thrown away.
//! Known limits: the cache is thrown away whole when it has grown beyond its bound.

use std::collections::{BTreeMap, HashMap, HashSet};

use xng_core::{
    account::{Balance, Fill, Order},
    entity::TimeNs,
    ids::{AccountId, OrderId},
    journal::Lsn,
    money::Amount,
    record::{Fact, Posting, Record},
    spot::{
        MarketState, StateReason,
        facts::{Execution, OrderPlaced, OrdersCanceled, OrdersChanged, QuotesSet},
    },
};

use super::rows::{
    BalanceKey, Changes, LedgerRow, StoredAmendment, StoredFill, StoredList, StoredOrder, StoredPrevented,
};

/// Balances and orders that are kept in memory at most, about 150 B each.
const REMEMBERED: usize = 1_000_000;

/// What must be loaded before a batch can be folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(crate) balances: Vec<BalanceKey>,
    pub(crate) orders: Vec<OrderId>,
}

/// A record speaks of an order that the store does not have: the rows do not belong to this journal, or the projection
/// is wrong.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("record {lsn} changes order {order}, which the store does not have")]
pub(crate) struct Missing {
    pub(crate) lsn: Lsn,
    pub(crate) order: OrderId,
}

/// See the module's header.
#[derive(Debug, Default)]
pub(crate) struct Projector {
    balances: HashMap<BalanceKey, Balance>,
    orders: HashMap<OrderId, StoredOrder>,
}

impl Projector {
    /// What the store must be asked for before `records` are folded.
    pub(crate) fn needs(&self, records: &[(Lsn, Record)]) -> Needs {
        let mut balances = HashSet::new();
        let mut orders = HashSet::new();
        let mut placed = HashSet::new();
        for (_, record) in records {
            record.fact.all_postings(record.decider, |p| {
                balances.insert((p.account, p.wallet, p.asset));
            });
            new_orders(&record.fact, |order| {
                placed.insert(order);
            });
            changed_orders(&record.fact, |order| {
                orders.insert(order);
            });
        }
        balances.retain(|key| !self.balances.contains_key(key));
        orders.retain(|id| !self.orders.contains_key(id) && !placed.contains(id));
        Needs { balances: balances.into_iter().collect(), orders: orders.into_iter().collect() }
    }

    /// Takes what the store answered. Wallets that it does not have are empty.
    pub(crate) fn learn(&mut self, needs: &Needs, balances: Vec<(BalanceKey, Balance)>, orders: Vec<StoredOrder>) {
        for &(account, wallet, asset) in &needs.balances {
            let empty = Balance { wallet, asset, available: Amount::ZERO, locked: Amount::ZERO };
            self.balances.insert((account, wallet, asset), empty);
        }
        self.balances.extend(balances);
        self.orders.extend(orders.into_iter().map(|o| (o.order.order, o)));
    }

    /// Adds what `record` changes to `changes`.
    pub(crate) fn fold(&mut self, lsn: Lsn, record: &Record, changes: &mut Changes) -> Result<(), Missing> {
        self.post(lsn, record, changes);
        let time = record.time;
        match &record.fact {
            Fact::AssetListed(f) => {
                changes.assets.insert(f.asset, (**f).clone());
            }
            Fact::MarketListed(f) => {
                changes.markets.insert(f.params.market, f.params.clone());
                changes.states.insert(f.params.market, f.params.first_state());
            }
            Fact::MarketParamsChanged(f) => {
                changes.markets.insert(f.params.market, f.params.clone());
            }
            Fact::MarketStateChanged(f) => {
                changes.states.insert(f.units.market, (f.state, f.reason));
            }
            Fact::OrderPlaced(f) => self.order_placed(lsn, f, time, changes)?,
            Fact::OrdersCanceled(f) => self.orders_canceled(lsn, f, time, changes)?,
            Fact::OrdersChanged(f) => self.orders_changed(lsn, f, time, changes)?,
            Fact::QuotesSet(f) => self.quotes_set(lsn, f, time, changes)?,
            Fact::AccountChanged(_)
            | Fact::Granted(_)
            | Fact::Transferred(_)
            | Fact::TradeIdsReserved(_)
            | Fact::PriceListed(_)
            | Fact::PriceTicked(_)
            | Fact::RequestsForgotten(_)
            | Fact::Digest(_) => {}
        }
        changes.to.lsn = lsn;
        changes.to.time = time;
        Ok(())
    }

    /// After the changes were written: closed orders need not be remembered, nor more than so many of all.
    pub(crate) fn written(&mut self, orders: &BTreeMap<OrderId, StoredOrder>) {
        if self.balances.len() + self.orders.len() > REMEMBERED {
            self.forget();
        }
        for (id, stored) in orders {
            if !stored.order.status.is_open() {
                self.orders.remove(id);
            }
        }
    }

    /// After a failed write, what was folded is not in the store.
    pub(crate) fn forget(&mut self) {
        self.balances.clear();
        self.orders.clear();
    }

    fn post(&mut self, lsn: Lsn, record: &Record, changes: &mut Changes) {
        let fact = &record.fact;
        fact.parties(record.decider, |_, part| {
            fact.postings(part, |p| {
                let key = (p.account, p.wallet, p.asset);
                let balance = self.balances.entry(key).or_insert(Balance {
                    wallet: p.wallet,
                    asset: p.asset,
                    available: Amount::ZERO,
                    locked: Amount::ZERO,
                });
                balance.available += p.available;
                balance.locked += p.locked;
                changes.balances.insert(key, *balance);
                changes.ledger.push(ledger_row(lsn, record.time, &p, balance));
            });
        });
    }

    fn order_placed(&mut self, lsn: Lsn, f: &OrderPlaced, time: TimeNs, changes: &mut Changes) -> Result<(), Missing> {
        self.met(lsn, f, time, changes)?;
        self.add(f.account, Order::from_placed(f, time), changes);
        Ok(())
    }

    fn add(&mut self, account: AccountId, order: Order, changes: &mut Changes) {
        let stored = StoredOrder { account, order };
        self.orders.insert(order.order, stored);
        changes.orders.insert(order.order, stored);
    }

    fn orders_changed(
        &mut self,
        lsn: Lsn,
        f: &OrdersChanged,
        time: TimeNs,
        changes: &mut Changes,
    ) -> Result<(), Missing> {
        for gone in f.gone_ids() {
            self.change(lsn, gone, changes, |order| order.cancel(f.reason, time))?;
        }
        for amended in &f.amended {
            let mut before = None;
            self.change(lsn, amended.order, changes, |order| {
                before = Some((order.client_id, order.lots));
                order.amend(amended, time);
            })?;
            changes.amendments.extend(before.map(|(client_id, lots)| StoredAmendment {
                account: f.account,
                order: amended.order,
                time,
                client_ids: [client_id, amended.client_id],
                lots: [lots, amended.lots],
            }));
        }
        if let Some(placed) = &f.placed {
            self.met(lsn, placed, time, changes)?;
            if f.triggered.is_some() || f.activated.is_some() {
                self.change(lsn, placed.order, changes, |order| order.trigger(placed, time))?;
            } else {
                self.add(f.account, Order::from_placed(placed, time), changes);
            }
        }
        for waiting in &f.waiting {
            match f.activated {
                Some(_) => self.change(lsn, waiting.order, changes, |order| order.activate(waiting, time))?,
                None => self.add(f.account, Order::from_waiting(waiting, &f.units, time), changes),
            }
        }
        for pending in &f.pending {
            self.add(f.account, Order::from_pending(pending, &f.units, time), changes);
        }
        if let Some(list) = &f.list {
            for order in &list.orders {
                self.change(lsn, *order, changes, |order| order.list = list.list)?;
            }
            let (account, market) = (f.account, f.units.market);
            changes.lists.push(StoredList { account, market, list: list.clone(), created: time });
        }
        Ok(())
    }

    /// The other orders that an order met, its owner's own among them, and its fills.
    fn met(&mut self, lsn: Lsn, f: &OrderPlaced, time: TimeNs, changes: &mut Changes) -> Result<(), Missing> {
        for (i, p) in (0..).zip(&f.prevented).filter(|(_, p)| !p.quote) {
            self.change(lsn, p.order, changes, |order| order.prevent(f, i, time))?;
        }
        let prevented = f.prevented_matches(time).map(|(_, prevented)| prevented);
        changes.prevented.extend(prevented.map(|prevented| StoredPrevented { account: f.account, prevented }));
        for execution in f.executions() {
            self.traded(lsn, &execution, time, changes)?;
        }
        Ok(())
    }

    fn quotes_set(&mut self, lsn: Lsn, f: &QuotesSet, time: TimeNs, changes: &mut Changes) -> Result<(), Missing> {
        if f.opens {
            changes.states.insert(f.units.market, (MarketState::Trading, StateReason::Fresh));
        }
        for execution in f.executions() {
            self.traded(lsn, &execution, time, changes)?;
        }
        Ok(())
    }

    /// Both sides of a trade, and the maker's order. The taker's order is the caller's.
    fn traded(&mut self, lsn: Lsn, e: &Execution<'_>, time: TimeNs, changes: &mut Changes) -> Result<(), Missing> {
        changes.fills.push(StoredFill { account: e.taker, fill: Fill::of(e, false, time) });
        changes.fills.push(StoredFill { account: e.trade.maker, fill: Fill::of(e, true, time) });
        if e.trade.maker_quote {
            return Ok(());
        }
        self.change(lsn, e.trade.maker_order, changes, |order| order.fill_as_maker(e.trade, time))
    }

    fn orders_canceled(
        &mut self,
        lsn: Lsn,
        f: &OrdersCanceled,
        time: TimeNs,
        changes: &mut Changes,
    ) -> Result<(), Missing> {
        for o in &f.orders {
            self.change(lsn, o.order, changes, |order| order.cancel(f.reason, time))?;
        }
        Ok(())
    }

    fn change(
        &mut self,
        lsn: Lsn,
        id: OrderId,
        changes: &mut Changes,
        change: impl FnOnce(&mut Order),
    ) -> Result<(), Missing> {
        let stored = self.orders.get_mut(&id).ok_or(Missing { lsn, order: id })?;
        change(&mut stored.order);
        changes.orders.insert(id, *stored);
        Ok(())
    }
}

/// Users' orders that come with a fact.
fn new_orders(fact: &Fact, mut each: impl FnMut(OrderId)) {
    match fact {
        Fact::OrderPlaced(f) => each(f.order),
        Fact::OrdersChanged(f) => {
            if f.activated.is_none() {
                f.placed.iter().filter(|_| f.triggered.is_none()).for_each(|placed| each(placed.order));
                f.waiting.iter().for_each(|waiting| each(waiting.order));
            }
            f.pending.iter().for_each(|pending| each(pending.order));
        }
        _ => {}
    }
}

fn met_orders(f: &OrderPlaced, each: &mut impl FnMut(OrderId)) {
    f.prevented.iter().filter(|p| !p.quote).for_each(|p| each(p.order));
    f.trades.iter().filter(|t| !t.maker_quote).for_each(|t| each(t.maker_order));
}

/// Users' orders that a fact changes and that were there before it.
fn changed_orders(fact: &Fact, mut each: impl FnMut(OrderId)) {
    match fact {
        Fact::OrderPlaced(f) => met_orders(f, &mut each),
        Fact::OrdersChanged(f) => {
            f.gone_ids().for_each(&mut each);
            f.amended.iter().for_each(|amended| each(amended.order));
            f.triggered.iter().for_each(|(waited, _)| each(*waited));
            if f.activated.is_some() {
                f.placed.iter().for_each(|placed| each(placed.order));
                f.waiting.iter().for_each(|waiting| each(waiting.order));
            }
            f.placed.iter().for_each(|placed| met_orders(placed, &mut each));
        }
        Fact::QuotesSet(f) => {
            f.trades.iter().filter(|t| !t.trade.maker_quote).for_each(|t| each(t.trade.maker_order));
        }
        Fact::OrdersCanceled(f) => f.orders.iter().for_each(|o| each(o.order)),
        Fact::AssetListed(_)
        | Fact::AccountChanged(_)
        | Fact::Granted(_)
        | Fact::Transferred(_)
        | Fact::MarketListed(_)
        | Fact::MarketParamsChanged(_)
        | Fact::MarketStateChanged(_)
        | Fact::TradeIdsReserved(_)
        | Fact::PriceListed(_)
        | Fact::PriceTicked(_)
        | Fact::RequestsForgotten(_)
        | Fact::Digest(_) => {}
    }
}

fn ledger_row(lsn: Lsn, time: TimeNs, p: &Posting, after: &Balance) -> LedgerRow {
    LedgerRow {
        id: 0,
        account: p.account,
        wallet: p.wallet,
        asset: p.asset,
        log: p.log,
        available: p.available,
        locked: p.locked,
        available_after: after.available,
        locked_after: after.locked,
        reference: p.reference,
        time,
        lsn,
    }
}
