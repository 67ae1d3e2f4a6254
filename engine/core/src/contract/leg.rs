//! Legs: a position in a contract market's own book, and what fills do to it.
//!
//! Owns: lots, cost, results. Never does: know prices of others. Invariants: what lots cost is released with them, whole
//! with the last one. Rules: `docs/rules/contracts.md "Legs"`. Known limits: none.

use crate::fraction::Fraction;
use crate::money::{Amount, Lots};
use crate::spot::Side;

crate::wire_enum! {
    /// Which way a position goes.
    pub enum Direction {
        /// Gains when the price rises.
        Long = 1,
        /// Gains when the price falls.
        Short = 2,
    }
}

impl Direction {
    /// What a position that was opened by an order of this side is.
    #[must_use]
    pub fn opened_by(side: Side) -> Direction {
        match side {
            Side::Buy => Direction::Long,
            Side::Sell => Direction::Short,
        }
    }

    /// The side of an order that opens it.
    #[must_use]
    pub fn opening_side(self) -> Side {
        match self {
            Direction::Long => Side::Buy,
            Direction::Short => Side::Sell,
        }
    }

    /// The other one.
    #[must_use]
    pub fn opposite(self) -> Direction {
        match self {
            Direction::Long => Direction::Short,
            Direction::Short => Direction::Long,
        }
    }

    /// A gain of the price, as this position sees it.
    #[must_use]
    pub fn result(self, from: Fraction, to: Fraction) -> Fraction {
        match self {
            Direction::Long => to.minus(from),
            Direction::Short => from.minus(to),
        }
    }
}

/// What is left of a leg of lots and cost when some of its lots are closed at a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    /// Part of the cost that these lots had.
    pub released: Amount,
    /// What closing them gained.
    pub result: Amount,
}

/// Closes `closed` of `lots` lots that cost `cost`, for `value`.
#[must_use]
pub fn close(direction: Direction, (lots, cost): (Lots, Amount), closed: Lots, value: Amount) -> Closed {
    let released = share(cost, closed, lots);
    let result = match direction {
        Direction::Long => value - released,
        Direction::Short => released - value,
    };
    Closed { released, result }
}

/// The part of a sum that belongs to some of the lots: half-up, all with the last one.
#[must_use]
pub fn share(sum: Amount, part: Lots, all: Lots) -> Amount {
    if part == all { sum } else { Fraction::from(sum).by(part.0.into()).over(Fraction::new(all.0.into(), 1)).round8() }
}

/// How an order of some lots divides: what it closes of the opposite leg, less what resting orders close already, and what
/// it opens.
#[must_use]
pub fn divide(lots: Lots, opposite: Lots, closing: Lots) -> (Lots, Lots) {
    let closes = Lots(lots.0.min((opposite.0 - closing.0).max(0)));
    (closes, lots - closes)
}
