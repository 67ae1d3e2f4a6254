//! Folds records into rows.
//!
//! Owns: which fact makes which row; a cache of the balances and open orders that rows are made from.
//! Never does: I/O; look at a clock.
//! Invariants: what it needs from the store is asked for before a batch is folded; a row that came and went within a batch
//! is written once, as it is at the end; after a failed write the cache is thrown away.
//! Known limits: the cache is thrown away whole when it has grown beyond its bound.

use std::collections::{BTreeMap, HashMap, HashSet};
use xng_core::registry::RegistryFact;
use xng_core::spot::facts::SpotFact;

use xng_core::{
    account::{
        Balance, Fill, Order, OrderChange,
        order_effects::{OrderKeeper, each_order_effect},
    },
    entity::TimeNs,
    ids::{AccountId, EntityId, MarketId, OrderId},
    journal::Lsn,
    money::Amount,
    record::{Fact, Posting, Record},
    spot::{MarketState, StateReason, facts::OrderList, prevention::PreventedMatch},
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
        let mut named = Named::default();
        for (_, record) in records {
            record.fact.parties(record.decider, |entity, part| {
                record.fact.postings(part, |p| {
                    balances.insert((p.account, p.wallet, p.asset));
                });
                if let EntityId::Account(account) = entity {
                    each_order_effect(record, account, part, &mut named);
                }
            });
        }
        balances.retain(|key| !self.balances.contains_key(key));
        let Named { made, changed: mut orders } = named;
        orders.retain(|id| !self.orders.contains_key(id) && !made.contains(id));
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
            Fact::Registry(RegistryFact::AssetListed(f)) => {
                changes.assets.insert(f.asset, (**f).clone());
            }
            Fact::Spot(fact) => note_market(fact, changes),
            Fact::Account(_) | Fact::Price(_) | Fact::Cell(_) => {}
        }
        let mut orders = OrderRows { orders: &mut self.orders, changes, time, missing: None };
        record.fact.parties(record.decider, |entity, part| {
            if let EntityId::Account(account) = entity {
                each_order_effect(record, account, part, &mut orders);
            }
        });
        if let Some(order) = orders.missing {
            return Err(Missing { lsn, order });
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
}

/// What one record does to orders becomes rows.
struct OrderRows<'a> {
    orders: &'a mut HashMap<OrderId, StoredOrder>,
    changes: &'a mut Changes,
    time: TimeNs,
    /// The first order that was not there.
    missing: Option<OrderId>,
}

impl OrderKeeper for OrderRows<'_> {
    fn insert(&mut self, account: AccountId, _: OrderChange, order: Order) {
        let stored = StoredOrder { account, order };
        self.orders.insert(order.order, stored);
        self.changes.orders.insert(order.order, stored);
    }

    fn change(&mut self, account: AccountId, what: OrderChange, id: OrderId, change: impl FnOnce(&mut Order)) {
        let Some(stored) = self.orders.get_mut(&id) else {
            self.missing.get_or_insert(id);
            return;
        };
        let before = (stored.order.client_id, stored.order.lots);
        change(&mut stored.order);
        let after = (stored.order.client_id, stored.order.lots);
        self.changes.orders.insert(id, *stored);
        if what == OrderChange::Amended {
            self.changes.amendments.push(StoredAmendment {
                account,
                order: id,
                time: self.time,
                client_ids: [before.0, after.0],
                lots: [before.1, after.1],
            });
        }
    }

    fn fill(&mut self, account: AccountId, fill: Fill, _: bool) {
        self.changes.fills.push(StoredFill { account, fill });
    }

    fn prevented(&mut self, account: AccountId, prevented: PreventedMatch) {
        self.changes.prevented.push(StoredPrevented { account, prevented });
    }

    fn list(&mut self, account: AccountId, market: MarketId, list: &OrderList) {
        self.changes.lists.push(StoredList { account, market, list: list.clone(), created: self.time });
    }
}

/// The orders that records make, and those that they change.
#[derive(Default)]
struct Named {
    made: HashSet<OrderId>,
    changed: HashSet<OrderId>,
}

impl OrderKeeper for Named {
    fn insert(&mut self, _: AccountId, _: OrderChange, order: Order) {
        self.made.insert(order.order);
    }
    fn change(&mut self, _: AccountId, _: OrderChange, order: OrderId, _: impl FnOnce(&mut Order)) {
        self.changed.insert(order);
    }
    fn fill(&mut self, _: AccountId, _: Fill, _: bool) {}
    fn prevented(&mut self, _: AccountId, _: PreventedMatch) {}
    fn list(&mut self, _: AccountId, _: MarketId, _: &OrderList) {}
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

/// What a fact says of its market.
fn note_market(fact: &SpotFact, changes: &mut Changes) {
    match fact {
        SpotFact::MarketListed(f) => {
            changes.markets.insert(f.params.market, f.params.clone());
            changes.states.insert(f.params.market, f.params.first_state());
        }
        SpotFact::MarketParamsChanged(f) => {
            changes.markets.insert(f.params.market, f.params.clone());
        }
        SpotFact::MarketStateChanged(f) => {
            changes.states.insert(f.units.market, (f.state, f.reason));
        }
        SpotFact::QuotesSet(f) => {
            if f.opens {
                changes.states.insert(f.units.market, (MarketState::Trading, StateReason::Fresh));
            }
        }
        SpotFact::OrderPlaced(_)
        | SpotFact::OrdersCanceled(_)
        | SpotFact::OrdersChanged(_)
        | SpotFact::TradeIdsReserved(_) => {}
    }
}
