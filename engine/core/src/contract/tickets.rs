//! Tickets: positions against the house at the index, each with a margin of its own.
//!
//! Owns: their numbers. Never does: decide. Invariants: margin and fee are rounded once; a ticket's owner never loses more
//! than its margin, a cross ticket's no more than the pool.
//! Rules: `docs/rules/contracts.md "Tickets"`. Known limits: none.

use super::leg::Direction;
use super::ticket_facts::CloseReason;
use crate::fraction::Fraction;
use crate::ids::AccountId;
use crate::money::{Amount, MAX_AMOUNT, ONE};

crate::ids::id!(
    /// A ticket, below 2^53: the account's number times 2^24 plus the account's own count.
    TicketId(u64)
);

/// Tickets that fit into one account's numbers.
const TICKET_SPAN: u64 = 1 << 24;
/// Tickets that an account ever has.
pub const TICKETS_AN_ACCOUNT: u32 = (1 << 24) - 1;

impl TicketId {
    /// The `count`-th ticket of `account`.
    #[must_use]
    pub fn of(account: AccountId, count: u32) -> TicketId {
        TicketId(account.0 * TICKET_SPAN + u64::from(count))
    }
}

crate::wire_struct! {
    /// Where a ticket is closed by the index.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Stops {
        /// With a gain.
        pub take_profit: Option<Amount>,
        /// With a loss, or with less of a gain.
        pub stop_loss: Option<Amount>,
    }
}

impl Stops {
    /// Whether they lie on their sides of the price, at whole ticks.
    #[must_use]
    pub fn suit(&self, direction: Direction, price: Amount, tick: Amount) -> bool {
        let (above, below) = match direction {
            Direction::Long => (self.take_profit, self.stop_loss),
            Direction::Short => (self.stop_loss, self.take_profit),
        };
        let whole = |stop: Amount| stop.is_positive() && stop <= MAX_AMOUNT && stop.0 % tick.0 == 0;
        above.is_none_or(|stop| stop > price && whole(stop)) && below.is_none_or(|stop| stop < price && whole(stop))
    }

    /// Which of them an index reaches; the loss where it reaches both.
    #[must_use]
    pub fn reached(&self, direction: Direction, index: Amount) -> Option<CloseReason> {
        let (lost, won) = match direction {
            Direction::Long => {
                (self.stop_loss.is_some_and(|stop| index <= stop), self.take_profit.is_some_and(|stop| index >= stop))
            }
            Direction::Short => {
                (self.stop_loss.is_some_and(|stop| index >= stop), self.take_profit.is_some_and(|stop| index <= stop))
            }
        };
        match (lost, won) {
            (true, _) => Some(CloseReason::StopLoss),
            (false, true) => Some(CloseReason::TakeProfit),
            (false, false) => None,
        }
    }
}

/// Lots of tickets are counted in hundredths: copies may be fractional.
pub const HUNDREDTHS: i64 = 100;

/// The price at which a ticket is opened: the index and the spread, to a tick.
#[must_use]
pub fn opening_price(direction: Direction, index: Amount, spread_ppm: u32, tick: Amount) -> Amount {
    let (index, spread) = (Fraction::from(index), Fraction::from(index).ppm(spread_ppm));
    let price = match direction {
        Direction::Long => index.plus(spread),
        Direction::Short => index.minus(spread),
    };
    Amount(price.over(tick.into()).half_up() * tick.0)
}

/// The price that is offered: never on the user's side of the index, whatever a small spread is rounded to.
#[must_use]
pub fn offered_price(direction: Direction, index: Amount, spread_ppm: u32, tick: Amount) -> Amount {
    let price = opening_price(direction, index, spread_ppm, tick);
    match direction {
        Direction::Long if price < index => price + tick,
        Direction::Short if price > index => price - tick,
        Direction::Long | Direction::Short => price,
    }
}

/// What a ticket would have gained at a price.
#[must_use]
pub fn result(direction: Direction, open: Amount, now: Amount, base: Amount) -> Fraction {
    direction.result(Fraction::value(open, base), Fraction::value(now, base))
}

/// What its owner gets back when a ticket alone ends, and what the margin did not cover.
#[must_use]
pub fn proceeds(margin: Amount, result: Amount) -> (Amount, Amount) {
    let left = margin + result;
    (left.max(Amount::ZERO), (-left).max(Amount::ZERO))
}

/// A night's fee, from the margin first, then from what is available: both as they are afterwards, and what was taken.
#[must_use]
pub fn overnight(notional: Fraction, rate_ppm: u32, margin: Amount, available: Amount) -> (Amount, Amount, Amount) {
    let fee = notional.ppm(rate_ppm).round8();
    let of_margin = fee.min(margin);
    let of_available = (fee - of_margin).min(available.max(Amount::ZERO));
    (margin - of_margin, available - of_available, of_margin + of_available)
}

/// The index, in ticks, at which an isolated ticket ends: where margin and result are so many percent of the margin at
/// opening. A long's is the highest such tick, a short's the lowest.
#[must_use]
pub fn liquidation_index(
    direction: Direction,
    (open, base): (Amount, Amount),
    (origin, margin): (Amount, Amount),
    burst_percent: u32,
    tick: Amount,
) -> Option<i128> {
    let keeps = Fraction::from(origin).ppm(burst_percent * 10_000);
    let room = Fraction::from(margin).minus(keeps).by(ONE).over(base.into());
    let ticks = match direction {
        Direction::Long => Fraction::from(open).minus(room).over(tick.into()).floor(),
        Direction::Short => Fraction::from(open).plus(room).over(tick.into()).ceil(),
    };
    (ticks > 0).then_some(ticks)
}
