//! Amendments: an open order becomes smaller and keeps its place in the queue.
//!
//! Owns: the checks of an amendment, and the amount that it releases. Never does: raise a quantity or change a price.
//! Invariants: the released amount is at most the locked one. Known limits: an order of a list cannot be amended.
//! Rules: `docs/rules/spot.md "Replacing and amending"`.

use super::facts::{AmendedOrder, OrdersChanged};
use super::params::MarketParams;
use super::{EndReason, Market};
use crate::entity::Decision;
use crate::ids::{AccountId, ClientOrderId, OrderId};
use crate::market::MarketState;
use crate::money::{Amount, Lots, Ticks};
use crate::record::Fact;
use crate::reject::Reject;

/// Makes an order smaller by `cut`, so that `lots` are left of it in all.
pub(super) fn amend(
    market: &Market,
    p: &MarketParams,
    account: AccountId,
    order: OrderId,
    (lots, cut): (Lots, Lots),
    client_id: Option<ClientOrderId>,
) -> Decision {
    let Some(gone) = market.leaver(p, account, order) else { return Decision::Reject(Reject::OrderDone) };
    if cut.0 <= 0 || cut >= gone.lots || market.lists.has(order) {
        return Decision::Reject(Reject::BadAmendment);
    }
    if lots < p.min_lots {
        return Decision::Reject(Reject::BelowMinAmount);
    }
    if market.state != MarketState::Trading {
        return Decision::Reject(Reject::MarketClosed);
    }
    if gone.ticks != Ticks::ZERO && p.notional(gone.ticks, lots) < p.min_notional {
        return Decision::Reject(Reject::BelowMinNotional);
    }
    let hidden = gone.lots - gone.shown;
    let waits = market.triggers.get(order).is_some();
    let shown = if waits { Lots::ZERO } else { Lots((cut.0 - hidden.0).max(0)) };
    // In proportion: exact for what has a price, and never more than there is for what has none.
    let released = Amount(gone.locked.0 * i128::from(cut.0) / i128::from(gone.lots.0));
    let (side, ticks) = (gone.side, gone.ticks);
    let amended = vec![AmendedOrder { order, side, ticks, lots, cut, shown, released, client_id }];
    let fact = market.gone(p, account, Vec::new(), EndReason::None);
    let update = if shown.is_zero() { market.update } else { market.next_update() };
    Decision::Fact(Fact::from(OrdersChanged { amended, update, ..fact }))
}
