//! The prices at which positions end, and what a liquidation takes.
//!
//! Owns: liquidation and bankruptcy prices, steps, worst prices, the fee, the order of deleveraging. Never does: look at an
//! account. Invariants: prices are exact until the one rounding to a tick; a long's liquidation price is rounded down and
//! its bankruptcy price up, a short's the other way.
//! Rules: `docs/rules/contracts.md "Liquidation"`. Known limits: none.

use super::brackets::{Brackets, Tier};
use super::leg::Direction;
use crate::fraction::Fraction;
use crate::money::{Amount, Ticks};
use std::cmp::Ordering;

/// A position as its prices depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// Long or short.
    pub direction: Direction,
    /// Quantity of the base.
    pub base: Amount,
    /// Notional value at entry.
    pub cost: Amount,
    /// What it may lose. Of a cross position: the pool's cash, with the results of the others less their maintenance.
    pub margin: Amount,
}

impl Holding {
    /// What it would cost, or bring, to be left with nothing: cost and margin on the side of the loss.
    fn stake(&self) -> Amount {
        match self.direction {
            Direction::Long => self.cost - self.margin,
            Direction::Short => self.cost + self.margin,
        }
    }

    /// Price at which equity equals a bracket's maintenance, in units of 1e-8.
    fn price_in(&self, tier: &Tier) -> Fraction {
        let rate = i128::from(tier.bracket.rate_ppm);
        let (stake, factor) = match self.direction {
            Direction::Long => (self.stake() - tier.amount, 1_000_000 - rate),
            Direction::Short => (self.stake() + tier.amount, 1_000_000 + rate),
        };
        per_base(stake.into(), self.base).over(Fraction::new(factor, 1_000_000))
    }

    /// The price at which it is liquidated, exact, and the bracket at that price; none when no price above zero does.
    #[must_use]
    pub fn liquidation(&self, brackets: &Brackets) -> Option<(Fraction, usize)> {
        let last = brackets.list.len() - 1;
        let mut floor = Fraction::ZERO;
        for tier in brackets.tiers() {
            let price = self.price_in(&tier);
            let notional = price.times(Fraction::new(self.base.0, crate::money::ONE));
            let above = tier.place == 0 || notional > floor;
            let below = tier.place == last || notional <= tier.bracket.ceiling.into();
            if above && below {
                return price.is_positive().then_some((price, tier.place));
            }
            floor = tier.bracket.ceiling.into();
        }
        None
    }

    /// Its liquidation price as a multiple of the tick, and the bracket there.
    #[must_use]
    pub fn liquidation_ticks(&self, brackets: &Brackets, tick: Amount) -> Option<(Ticks, usize)> {
        let (price, place) = self.liquidation(brackets)?;
        let ticks = match self.direction {
            Direction::Long => in_ticks(price, tick).floor(),
            Direction::Short => in_ticks(price, tick).ceil(),
        };
        Some((ticks_of(ticks), place))
    }

    /// The price at which nothing of its margin is left, exact; it may be below zero.
    #[must_use]
    pub fn bankruptcy(&self) -> Fraction {
        per_base(self.stake().into(), self.base)
    }

    /// Its bankruptcy price as a multiple of the tick, rounded so that its owner does not lose more.
    #[must_use]
    pub fn bankruptcy_ticks(&self, tick: Amount) -> Option<Ticks> {
        let price = self.bankruptcy();
        price.is_positive().then(|| self.at_tick(price, tick))
    }

    /// The worst price of an order that liquidates it: bankruptcy, stretched by what the insurance gives, within a band
    /// around the mark.
    #[must_use]
    pub fn worst_ticks(&self, quota: Amount, mark: Amount, band_ppm: u32, tick: Amount) -> Ticks {
        let (stretch, band) = (per_base(quota.into(), self.base), Fraction::from(mark).ppm(band_ppm));
        let mark = Fraction::from(mark);
        let price = match self.direction {
            Direction::Long => self.bankruptcy().minus(stretch).max(mark.minus(band)),
            Direction::Short => self.bankruptcy().plus(stretch).min(mark.plus(band)),
        };
        self.at_tick(price, tick)
    }

    fn at_tick(&self, price: Fraction, tick: Amount) -> Ticks {
        ticks_of(match self.direction {
            Direction::Long => in_ticks(price, tick).ceil(),
            Direction::Short => in_ticks(price, tick).floor(),
        })
    }
}

/// A sum of money for so much of the base, for one whole of it.
fn per_base(money: Fraction, base: Amount) -> Fraction {
    money.by(crate::money::ONE).over(base.into())
}

fn in_ticks(price: Fraction, tick: Amount) -> Fraction {
    price.over(tick.into())
}

fn ticks_of(ticks: i128) -> Ticks {
    Ticks(i64::try_from(ticks).expect("a price of a contract fits"))
}

/// How many lots a step of a liquidation takes: down to the ceiling of the bracket below, in the lowest bracket all.
#[must_use]
pub fn step_lots(lots: i64, lot: Amount, mark: Amount, brackets: &Brackets) -> i64 {
    let one = Fraction::value(mark, lot);
    let notional = one.by(lots.into());
    let tier = brackets.tier_of(notional);
    let Some(below) = tier.place.checked_sub(1) else { return lots };
    let excess = notional.minus(brackets.list[below].ceiling.into());
    i64::try_from(excess.over(one).ceil()).map_or(lots, |reduce| reduce.min(lots))
}

/// The fee of a liquidation's fill: a share of its value, no more than what is left.
#[must_use]
pub fn fee(notional: Fraction, rate_ppm: u32, left: Amount) -> Amount {
    notional.ppm(rate_ppm).round8().min(left.max(Amount::ZERO))
}

/// A position's place in the order of deleveraging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank(Fraction);

impl Rank {
    /// Of a position with this result so far: result over cost, times the multiple of a winner, over that of a loser.
    #[must_use]
    pub fn of(unrealised: Fraction, cost: Amount, multiple: u16) -> Rank {
        let (share, multiple) = (unrealised.over(cost.into()), Fraction::new(multiple.into(), 1));
        Rank(if unrealised.is_positive() { share.times(multiple) } else { share.over(multiple) })
    }

    /// Who comes first: the higher rank.
    #[must_use]
    pub fn before(&self, other: &Rank) -> Ordering {
        other.0.cmp(&self.0)
    }
}

/// The lights of the `place`-th, from 0, of `all` positions of a side: 5 for who is deleveraged first, down to 1.
#[must_use]
pub fn lights(place: usize, all: usize) -> u8 {
    5 - u8::try_from(5 * place / all.max(1)).unwrap_or(4).min(4)
}
