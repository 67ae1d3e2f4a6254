//! What a watcher of an account is told of a fact.
//!
//! Owns: the event of one delivery, made of the account before and after it. Never does: change the account; send.
//! Invariants: an order that the fact ended is in the event as it ended: the account does not keep it. Known limits: a
//! watcher is told new values, not differences.

use super::order_effects::{OrderKeeper, each_order_effect};
use super::{Account, Balance, Fill, OpenList, Order};
use crate::entity::{Applied, TimeNs};
use crate::ids::{AccountId, AssetId, MarketId, OrderId, Wallet};
use crate::money::Amount;
use crate::record::{Fact, Record, Role};
use crate::spot::facts::OrderList;
use crate::spot::prevention::PreventedMatch;

/// What a fact changed for an account, for whoever watches it.
#[derive(Debug, Clone)]
pub struct AccountEvent {
    /// Whose.
    pub account: AccountId,
    /// The account's sequence after the fact.
    pub seq: u64,
    /// Wallets as they are now.
    pub wallets: Vec<Balance>,
    /// When.
    pub time: TimeNs,
    /// The orders that it changed as they are now, in the order in which they changed.
    pub orders: Vec<(Order, OrderChange)>,
    /// Fills in this fact; all are of one order.
    pub fills: Vec<Fill>,
    /// Matches of this order with another one of the account that were prevented, each with how many of the fills came before.
    pub prevented: Vec<(u32, PreventedMatch)>,
    /// Lists that these orders are in, with all of their orders.
    pub lists: Vec<(OrderList, Vec<Order>)>,
    /// What came into wallets or left them without an order.
    pub moved: Vec<(Wallet, AssetId, Amount)>,
}

/// What a fact did to an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderChange {
    /// It was taken, or its turn in its list came, and it met what it met.
    Placed,
    /// It was taken, or its turn in its list came, and it waits for its price.
    Waits,
    /// It was taken, and is placed once the first order of its list is filled.
    Pending,
    /// Its price came, and it met what it met.
    Triggered,
    /// It was filled as maker.
    Filled,
    /// Self-trade prevention took some of it, or ended it.
    Prevented,
    /// It became smaller.
    Amended,
    /// It left.
    Gone,
}

/// What of an account a fact is about to change: taken before it is delivered, so that the event can tell of what ends.
#[derive(Debug, Default)]
pub struct Before {
    orders: Vec<Order>,
    lists: Vec<OpenList>,
}

/// Takes copies of the open orders that a fact changes.
struct Copies<'a>(&'a Account, Vec<Order>);

impl OrderKeeper for Copies<'_> {
    fn insert(&mut self, _: AccountId, _: OrderChange, _: Order) {}
    fn change(&mut self, _: AccountId, _: OrderChange, order: OrderId, _: impl FnOnce(&mut Order)) {
        self.1.extend(self.0.orders.get(order));
    }
    fn fill(&mut self, _: AccountId, _: Fill, _: bool) {}
    fn prevented(&mut self, _: AccountId, _: PreventedMatch) {}
    fn list(&mut self, _: AccountId, _: MarketId, _: &OrderList) {}
}

/// Does to the copies what the fact does to the orders.
struct Changes {
    before: Vec<Order>,
    changes: Vec<(OrderId, OrderChange)>,
    fills: Vec<Fill>,
    lists: Vec<OpenList>,
}

impl OrderKeeper for Changes {
    fn insert(&mut self, _: AccountId, what: OrderChange, order: Order) {
        self.changes.push((order.order, what));
        self.before.push(order);
    }
    fn change(&mut self, _: AccountId, what: OrderChange, id: OrderId, change: impl FnOnce(&mut Order)) {
        if let Some(order) = self.before.iter_mut().find(|o| o.order == id) {
            change(order);
            self.changes.push((id, what));
        }
    }
    fn fill(&mut self, _: AccountId, fill: Fill, quote: bool) {
        // Of the house's own quotes only what others took is told.
        if fill.maker || !quote {
            self.fills.push(fill);
        }
    }
    fn prevented(&mut self, _: AccountId, _: PreventedMatch) {}
    fn list(&mut self, _: AccountId, _: MarketId, list: &OrderList) {
        self.lists.push(OpenList { list: list.clone(), open: 0, ended: Vec::new() });
    }
}

impl Account {
    /// What `part` of a record will change of it. Before the delivery.
    #[must_use]
    pub fn before(&self, record: &Record, role: Role) -> Before {
        let mut copies = Copies(self, Vec::new());
        each_order_effect(record, self.id, role, &mut copies);
        Before { orders: copies.1, lists: self.cold().lists.clone() }
    }

    /// What `part` of a record that was just delivered changed, for whoever watches the account.
    #[must_use]
    pub fn event(&self, before: Before, applied: Applied<'_>, role: Role) -> AccountEvent {
        let Applied { record, .. } = applied;
        let mut wallets: Vec<Balance> = Vec::with_capacity(3);
        record.fact.postings(role, |p| {
            let now = self.balance(p.wallet, p.asset);
            match wallets.iter_mut().find(|w| (w.wallet, w.asset) == (p.wallet, p.asset)) {
                Some(w) => *w = now,
                None => wallets.push(now),
            }
        });
        let mut now = Changes { before: before.orders, changes: Vec::new(), fills: Vec::new(), lists: before.lists };
        each_order_effect(record, self.id, role, &mut now);
        let Changes { before: changed, changes, fills, lists } = now;
        let changed_order = |id: OrderId| changed.iter().find(|o| o.order == id).copied();
        let orders: Vec<(Order, OrderChange)> =
            changes.iter().filter_map(|(id, what)| Some((changed_order(*id)?, *what))).collect();
        let whole = |list: &OpenList| {
            let ended = |id| list.ended.iter().find(|o| o.order == id).copied();
            let order = |id: &OrderId| changed_order(*id).or_else(|| self.order(*id)).or_else(|| ended(*id));
            list.list.orders.iter().filter_map(order).collect()
        };
        let touched = |list: &&OpenList| orders.iter().any(|(order, _)| order.list == list.list.list);
        let lists = lists.iter().filter(touched).map(|list| (list.list.clone(), whole(list))).collect();
        let mut moved: Vec<(Wallet, AssetId, Amount)> = Vec::new();
        if orders.is_empty() {
            record.fact.postings(role, |p| moved.push((p.wallet, p.asset, p.available + p.locked)));
        }
        let prevented = prevented_of(&record.fact, role, record.time);
        AccountEvent {
            account: self.id,
            seq: self.seq,
            time: record.time,
            wallets,
            orders,
            fills,
            prevented,
            lists,
            moved,
        }
    }
}

/// The prevented matches that changed the order which a fact names in this role.
fn prevented_of(fact: &Fact, role: Role, time: TimeNs) -> Vec<(u32, PreventedMatch)> {
    let Fact::Spot(fact) = fact else { return Vec::new() };
    let Some(f) = fact.placed().filter(|f| f.met_its_own()) else { return Vec::new() };
    match role {
        Role::Taker => f.prevented_matches(time).filter(|(_, m)| !m.taker_lots.is_zero()).collect(),
        Role::Item(i) => f.prevented_match(i, time).into_iter().collect(),
        Role::Decider | Role::Maker(_) | Role::Fees | Role::Other => Vec::new(),
    }
}
