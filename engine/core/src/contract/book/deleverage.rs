//! Deleveraging: what of a liquidation the book does not take is closed against opposite positions.
//!
//! Owns: whose turn it is, and what it does to both sides. Never does: take a ticket, or more positions than one record holds.
//! Invariants: the owner's own opposite position first, then others by rank, at one price, whole ones first to last; who cannot
//! pay for it is passed over; the closing orders of both are cut as by any fill.
//! Rules: `docs/rules/contracts.md "Deleveraging"`. Known limits: looks at all legs of
//! the contract, and keeps the next ones alone: memory for all of them is new to the process, and costs several times the looks.

use super::effect::{Effect, Fill, Leg};
use super::liquidation_facts::{Deleverage, DeleveragedLeg};
use super::order::LegSide;
use super::trading::Deal;
use crate::contract::liquidation::Rank;
use crate::ids::AccountId;
use crate::money::{Amount, Lots, Ticks};
use std::cmp::Ordering;

/// Positions that one record deleverages at most.
const LEGS_A_RECORD: usize = 512;

/// An opposite position with its place in the order of deleveraging.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    is_other: bool,
    rank: Rank,
    account: AccountId,
    side: LegSide,
    leg: Leg,
}

impl Ranked {
    /// Who comes first. No two are equal.
    fn cmp(&self, other: &Ranked) -> Ordering {
        let own_first = self.is_other.cmp(&other.is_other).then_with(|| self.rank.before(&other.rank));
        own_first.then_with(|| (self.account, self.side).cmp(&(other.account, other.side)))
    }
}

/// The first ones of very many, in order, in memory for twice as many.
fn first_of<T: Copy>(all: impl Iterator<Item = T>, count: usize, order: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let (mut first, mut last) = (Vec::with_capacity(2 * count), None);
    for next in all {
        if last.is_some_and(|last| order(&next, &last).is_gt()) {
            continue;
        }
        first.push(next);
        if first.len() == 2 * count {
            first.select_nth_unstable_by(count - 1, &order);
            first.truncate(count);
            last = first.last().copied();
        }
    }
    first.sort_unstable_by(&order);
    first.truncate(count);
    first
}

impl Deal<'_> {
    /// What closing lots of a position at a price does to it.
    fn closing(&self, (side, leg): (LegSide, &Leg), lots: Lots, price: Ticks) -> Option<Effect> {
        let fill = Fill {
            leg: side,
            direction: leg.direction.opposite(),
            mode: leg.mode,
            multiple: leg.multiple,
            lots,
            opens: Lots::ZERO,
            one: self.units.value(price, Lots(1)),
            fee: (Amount::ZERO, Amount::ZERO),
            index: self.book.funding_index(),
            freed: Amount::ZERO,
        };
        fill.effect(Some(leg))
    }

    /// The next opposite positions behind one, or the first ones: the owner's own, so that nobody else pays for what is hedged,
    /// then those of the highest rank.
    fn ranked(&self, owner: AccountId, leg: &Leg, mark: Amount, behind: Option<&Ranked>) -> Vec<Ranked> {
        let all = self.book.legs().unordered().filter_map(|((account, side), before)| {
            let now = self.known_leg((account, side)).unwrap_or(Some(*before));
            let leg = now.filter(|other| other.direction != leg.direction)?;
            let rank = Rank::of(leg.unrealised(mark, self.units), leg.cost, leg.multiple);
            let next = Ranked { is_other: account != owner, rank, account, side, leg };
            behind.is_none_or(|behind| next.cmp(behind).is_gt()).then_some(next)
        });
        first_of(all, LEGS_A_RECORD, Ranked::cmp)
    }

    /// Closes so much of a position against opposite ones; none when nobody can be asked.
    pub(super) fn deleverage(
        &mut self,
        (owner, side): (AccountId, LegSide),
        lots: Lots,
        ticks: Ticks,
        mark: Amount,
    ) -> Option<Deleverage> {
        let own = self.leg(owner, side).filter(|_| lots > Lots::ZERO)?;
        let (mut left, mut legs) = (lots, Vec::new());
        let mut next = self.ranked(owner, &own, mark, None);
        'all: while !next.is_empty() {
            for Ranked { account, side, leg, .. } in &next {
                if left.is_zero() || legs.len() == LEGS_A_RECORD {
                    break 'all;
                }
                let taken = leg.lots.min(left);
                if let Some(effect) = self.closing((*side, leg), taken, ticks) {
                    left -= taken;
                    legs.push(DeleveragedLeg { account: *account, effect });
                }
            }
            if left.is_zero() || legs.len() == LEGS_A_RECORD {
                break;
            }
            // Hardly ever: some could not pay and were passed over.
            next = self.ranked(owner, &own, mark, next.last());
        }
        let owner_effect = self.closing((side, &own), lots - left, ticks).filter(|_| !legs.is_empty())?;
        self.close_against(owner, &owner_effect);
        for leg in &legs {
            self.close_against(leg.account, &leg.effect);
        }
        Some(Deleverage { ticks, owner: owner_effect, legs })
    }

    fn close_against(&mut self, account: AccountId, effect: &Effect) {
        self.apply(account, effect);
        self.shrink(account, effect.leg, effect.direction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_of_many_are_those_of_a_sorted_list(
            numbers in prop::collection::btree_set(any::<u16>(), 0..200),
            count in 1..40_usize,
        ) {
            let mixed = || numbers.iter().map(|n| n.wrapping_mul(40_503));
            let mut sorted: Vec<u16> = mixed().collect();
            sorted.sort_unstable();
            sorted.truncate(count);
            prop_assert_eq!(first_of(mixed(), count, u16::cmp), sorted);
        }
    }
}
