//! Conditional orders: the checks of an order that waits for its trigger, and the amount that it locks.
//!
//! Owns: these checks, the price by which a trigger is measured, the limits on waiting and trailing orders. Never does: follow
//! prices; `triggers` does. Invariants: a trigger that is already reached is refused, except when a pending order is
//! activated. Known limits: the cost of a buy at market is estimated at its trigger's price.
//! Rules: `docs/rules/spot.md "Triggers"`, "Trailing stops".

use super::facts::WaitingOrder;
use super::params::MarketParams;
use super::rules::{self, Asker};
use super::{Market, NewOrder, OrderKind, Tif, Trigger, TriggerKind};
use crate::ids::OrderId;
use crate::market::{MarketState, Side};
use crate::money::{Amount, Ticks};
use crate::reject::Reject;

/// Waiting orders of one account on one market at most (the convention's MAX_NUM_ALGO_ORDERS).
pub const MAX_WAITING: u32 = 25;
/// Least and most distance of a trailing order, in hundredths of a percent (TRAILING_DELTA).
pub const TRAIL_BIPS: std::ops::RangeInclusive<u32> = 10..=2_000;

/// Whether orders are asked for now, or were and have their turn now.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Their owner is told when prices do not fit, and may ask again.
    Asked,
    /// A price that was reached meanwhile triggers at once: a loss that is to be stopped is not kept for a refusal.
    Activated,
}

/// Somebody's orders on their way into a market.
pub(super) struct Entry<'a> {
    pub(super) market: &'a Market,
    pub(super) p: &'a MarketParams,
    pub(super) asker: &'a Asker,
    pub(super) turn: Turn,
}

impl Entry<'_> {
    /// Lets a conditional order through, and says what it locks.
    pub(super) fn check_waiting(&self, order: &NewOrder, trigger: &Trigger) -> Result<Amount, Reject> {
        let Entry { market, p, asker, turn } = *self;
        if market.state != MarketState::Trading {
            return Err(Reject::MarketClosed);
        }
        let price = price_of(market, trigger);
        check_trigger(p, order, trigger, price)?;
        if price == Ticks::ZERO {
            return Err(Reject::BadTrigger);
        }
        if asker.open >= p.max_open_orders {
            return Err(Reject::TooManyOrders);
        }
        if turn == Turn::Asked && market.reached(order.side, trigger) {
            return Err(Reject::WouldTrigger);
        }
        let costs = if turn == Turn::Activated { price_at_turn(market, order.side, trigger) } else { price };
        let need = p.lock_waiting(order, costs, trigger.trail_bips);
        // A buy at market has no price of its own that its cost follows from: it locks what it can of that, but its price.
        let least = if order.kind == OrderKind::Market { p.lock(order.side, price, order.lots) } else { need };
        if asker.held < least {
            return Err(Reject::InsufficientBalance);
        }
        Ok(need.min(asker.held))
    }
}

/// The order as it waits in the market, with the amount that it locks.
pub(super) fn wait(id: OrderId, order: &NewOrder, trigger: Trigger, asker: &Asker, locked: Amount) -> WaitingOrder {
    WaitingOrder {
        order: id,
        account: asker.account,
        level: asker.level,
        side: order.side,
        kind: order.kind,
        tif: order.tif,
        stp: order.stp,
        ticks: order.ticks,
        lots: order.lots,
        iceberg: order.iceberg,
        trigger,
        locked,
        client_id: order.client_id,
    }
}

/// The price that an order whose turn in its list has come reckons its cost from: a stop that was passed by then is triggered
/// at once, at what the price is now.
pub(super) fn price_at_turn(market: &Market, side: Side, trigger: &Trigger) -> Ticks {
    let price = price_of(market, trigger);
    if market.reached(side, trigger) { price.max(market.seen) } else { price }
}

/// The price that a conditional order is measured by: its own, or the latest when it trails from there.
fn price_of(market: &Market, trigger: &Trigger) -> Ticks {
    if trigger.ticks == Ticks::ZERO { market.seen } else { trigger.ticks }
}

/// What of a conditional order can be told without book and balances; `price` is what it is measured by, which one that
/// trails from the price at its turn does not have before.
pub(super) fn check_trigger(p: &MarketParams, order: &NewOrder, trigger: &Trigger, price: Ticks) -> Result<(), Reject> {
    rules::check_shape(p, order)?;
    // The market alone makes an order wait for its open.
    if trigger.kind == TriggerKind::Open {
        return Err(Reject::BadTrigger);
    }
    let trails = trigger.trail_bips > 0;
    let in_range = !trails || TRAIL_BIPS.contains(&trigger.trail_bips);
    let from_turn = trails && price == Ticks::ZERO;
    if !in_range || (trigger.ticks == Ticks::ZERO && !trails) || !from_turn && rules::check_price(price).is_err() {
        return Err(Reject::BadTrigger);
    }
    if order.lots.is_zero() || order.tif == Tif::PostOnly {
        return Err(Reject::BadLegs);
    }
    let at = if order.kind == OrderKind::Limit { order.ticks } else { price };
    if at != Ticks::ZERO && p.notional(at, order.lots) < p.min_notional {
        return Err(Reject::BelowMinNotional);
    }
    if order.kind == OrderKind::Limit && !from_turn {
        rules::check_band(p, order.ticks, Some(Amount(i128::from(price.0) * p.tick.0)))?;
    }
    Ok(())
}

impl Market {
    /// The latest price has come to where the order triggers, if it does not trail.
    pub(super) fn reached(&self, side: Side, trigger: &Trigger) -> bool {
        if self.seen == Ticks::ZERO || trigger.trail_bips > 0 {
            return false;
        }
        // An index between two ticks has not come down to the lower one.
        let tick = self.params.as_ref().map_or(1, |p| p.tick.0);
        let between = self.index.0 % tick != 0 && self.index.0 / tick == i128::from(self.seen.0);
        let ceiling = Ticks(self.seen.0 + i64::from(between));
        if trigger.rises(side) { self.seen >= trigger.ticks } else { ceiling <= trigger.ticks }
    }
}
