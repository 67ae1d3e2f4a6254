//! Orders that leave: cancels, and the orders that leave together with another one.
//!
//! Owns: the orders that leave with an order of a list, and the fact of their end. Never does: change the market; `evolve`
//! does. Invariants: an order leaves with everything that it locked. Known limits: a cancel takes 1,024 orders at most; plain
//! resting orders take the shorter way in `mod.rs`. Rules: `docs/rules/spot.md "Order lists"`.

use super::facts::{GoneOrder, OrdersChanged, WaitingOrder};
use super::params::MarketParams;
use super::{EndReason, Market, pending};
use crate::entity::Decision;
use crate::ids::{AccountId, OrderId};
use crate::market::matching::MAX_MATCHES;
use crate::money::Lots;
use crate::record::Fact;
use crate::reject::Reject;

impl Market {
    /// An order of the account as it would leave; none when it is not open.
    pub(super) fn leaver(&self, p: &MarketParams, account: AccountId, order: OrderId) -> Option<GoneOrder> {
        if let Some((_, pending)) = self.lists.pending_order(order).filter(|(owner, _)| *owner == account) {
            return Some(pending::gone(pending));
        }
        let queued = self.stock.as_ref().and_then(|stock| stock.queued(order));
        if let Some(w) = queued.or_else(|| self.triggers.get(order)).filter(|w| w.account == account) {
            let WaitingOrder { order, side, ticks, lots, locked, .. } = *w;
            return Some(GoneOrder { order, side, ticks, lots, shown: Lots::ZERO, locked });
        }
        let r = self.book.get(order).filter(|r| r.account == account && !r.quote)?;
        let lots = self.book.open(&r);
        let locked = p.lock(r.side, r.ticks, lots);
        Some(GoneOrder { order, side: r.side, ticks: r.ticks, lots, shown: r.lots, locked })
    }

    /// An order and those that leave with it: the other one of its list, what it brings, or what brings it.
    pub(super) fn leavers(&self, p: &MarketParams, account: AccountId, order: OrderId) -> Vec<GoneOrder> {
        let mut ids = vec![order];
        ids.extend(self.lists.other(order));
        if let Some((first, list)) = self.lists.pending_of(order) {
            let all = std::iter::once(first).chain(list.orders.iter().map(|pending| pending.order));
            ids.extend(all.filter(|id| *id != order));
        }
        ids.into_iter().filter_map(|order| self.leaver(p, account, order)).collect()
    }

    /// The fact that these are gone, to which more is added.
    pub(super) fn gone(
        &self,
        p: &MarketParams,
        account: AccountId,
        gone: Vec<GoneOrder>,
        reason: EndReason,
    ) -> OrdersChanged {
        let shown = gone.iter().any(|gone| !gone.shown.is_zero());
        OrdersChanged {
            units: p.units(),
            account,
            gone,
            reason,
            triggered: None,
            activated: None,
            amended: Vec::new(),
            placed: None,
            waiting: Vec::new(),
            pending: Vec::new(),
            list: None,
            refused: None,
            update: if shown { self.next_update() } else { self.update },
        }
    }
}

/// Takes out orders of which at least one is more than a plain resting one.
pub(super) fn cancel(market: &Market, p: &MarketParams, account: AccountId, orders: &[OrderId]) -> Decision {
    let mut gone: Vec<GoneOrder> = Vec::new();
    for order in orders.iter().take(MAX_MATCHES) {
        if !gone.iter().any(|g| g.order == *order) {
            gone.extend(market.leavers(p, account, *order));
        }
    }
    if gone.is_empty() {
        return Decision::Reject(Reject::OrderDone);
    }
    Decision::Fact(Fact::from(market.gone(p, account, gone, EndReason::User)))
}
