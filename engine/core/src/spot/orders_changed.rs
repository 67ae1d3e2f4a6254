//! Settlement of [`OrdersChanged`]: its postings, the entities that it names, its changes of the public book.
//!
//! Owns: postings, routing, reply and depth changes of this fact. Never does: decide, change state. Invariants: locked money
//! is released before a payment; the postings sum to zero per asset. Known limits: none.

use super::facts::{Execution, OrdersChanged, Units};
use super::locking::post_lock;
use super::{GroupAck, OrderAck, OrderStatus, TriggerKind};
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AssetId, EntityId, MarketId, OrderId, UpdateId};
use crate::market::Side;
use crate::money::{Amount, Lots, Ticks};
use crate::record::{FactBody, Posting, Role};

fn asset(units: &Units, side: Side) -> AssetId {
    units.lock(side, Ticks::ZERO, Lots::ZERO).0
}

/// The answer about an order of which nothing is in the book.
fn not_yet(order: OrderId, status: OrderStatus, time: TimeNs) -> OrderAck {
    OrderAck { order, status, filled: Lots::ZERO, spent: Amount::ZERO, time }
}

impl OrdersChanged {
    /// Ids of the orders that are gone.
    pub fn gone_ids(&self) -> impl Iterator<Item = OrderId> {
        self.gone.iter().map(|gone| gone.order)
    }

    /// It only takes orders away.
    #[must_use]
    pub fn only_cancels(&self) -> bool {
        self.placed.is_none() && self.waiting.is_empty() && self.amended.is_empty() && self.refused.is_none()
    }

    pub(crate) fn ack(&self, time: TimeNs) -> GroupAck {
        let placed = self.placed.iter().map(|placed| placed.ack(time));
        let waiting = self.waiting.iter().map(|w| not_yet(w.order, OrderStatus::Waiting, time));
        let pending = self.pending.iter().map(|p| not_yet(p.order, OrderStatus::Pending, time));
        let orders = placed.chain(waiting).chain(pending).collect();
        GroupAck { canceled: self.gone_ids().collect(), orders, refused: self.refused, time }
    }

    /// Side and asset of the order that was triggered.
    fn triggered_lock(&self) -> Option<(OrderId, AssetId, Amount)> {
        let side = self.placed.as_ref().map(|placed| placed.side)?;
        self.triggered.map(|(order, amount)| (order, asset(&self.units, side), amount))
    }

    fn own(&self, post: &mut impl FnMut(Posting)) {
        let (u, account) = (&self.units, self.account);
        for gone in &self.gone {
            post_lock(account, asset(u, gone.side), -gone.locked, gone.order.0, post);
        }
        if let Some((order, asset, amount)) = self.triggered_lock() {
            post_lock(account, asset, -amount, order.0, post);
        }
        for amended in &self.amended {
            post_lock(account, asset(u, amended.side), -amended.released, amended.order.0, post);
        }
        if let Some(placed) = &self.placed {
            placed.postings(Role::Taker, post);
        }
        for waiting in &self.waiting {
            post_lock(account, asset(u, waiting.side), waiting.locked, waiting.order.0, post);
        }
    }
}

impl FactBody for OrdersChanged {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        match &self.placed {
            Some(placed) => placed.parties(tell),
            None => tell(EntityId::Account(self.account), Role::Taker),
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        match (role, &self.placed) {
            (Role::Taker, _) => self.own(post),
            (Role::Maker(_) | Role::Item(_) | Role::Fees, Some(placed)) => placed.postings(role, post),
            (Role::Maker(_) | Role::Item(_) | Role::Fees, None)
            | (Role::Decider | Role::Other | Role::Insurance, _) => {}
        }
    }

    fn reply(&self, time: TimeNs) -> Reply {
        if self.only_cancels() {
            return Reply::Accepted(Accepted::Canceled(self.gone_ids().collect()));
        }
        // A plain order that waits for the open of its market is answered as a plain order.
        if let [w] = &self.waiting[..]
            && w.trigger.kind == TriggerKind::Open
        {
            return Reply::Accepted(Accepted::Placed(not_yet(w.order, OrderStatus::Waiting, time)));
        }
        Reply::Accepted(Accepted::GroupPlaced(Box::new(self.ack(time))))
    }

    fn each_execution(&self, each: &mut impl FnMut(Execution<'_>)) {
        self.placed.iter().for_each(|placed| placed.each_execution(each));
    }

    fn book_changes(&self, change: &mut impl FnMut(Side, Ticks, i64)) -> Option<(MarketId, UpdateId)> {
        self.gone.iter().filter(|gone| !gone.shown.is_zero()).for_each(|o| change(o.side, o.ticks, -o.shown.0));
        self.amended.iter().filter(|a| !a.shown.is_zero()).for_each(|a| change(a.side, a.ticks, -a.shown.0));
        if let Some(placed) = &self.placed {
            placed.book_changes(change);
        }
        Some((self.units.market, self.update))
    }
}
