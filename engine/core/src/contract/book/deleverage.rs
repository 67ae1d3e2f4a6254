//! Deleveraging: what of a liquidation the book does not take is closed against opposite positions.
//!
//! Owns: whose turn it is, and what it does to both sides. Never does: take a ticket, or more positions than one record holds.
//! Invariants: the owner's own opposite position first, then others by rank, at one price, whole ones first to last; who cannot
//! pay for it is passed over; the closing orders of both are cut as by any fill.
//! Rules: `docs/rules/contracts.md "Deleveraging"`. Known limits: looks at all legs of the contract.

use super::effect::{Effect, Fill, Leg};
use super::liquidation_facts::{Deleverage, DeleveragedLeg};
use super::order::LegSide;
use super::trading::Deal;
use crate::contract::liquidation::Rank;
use crate::ids::AccountId;
use crate::money::{Amount, Lots, Ticks};

/// Positions that one record deleverages at most.
const LEGS_A_RECORD: usize = 512;

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

    /// Opposite positions, highest rank first; before all the owner's own, so that nobody else pays for what is hedged.
    fn ranked(&self, owner: AccountId, leg: &Leg, mark: Amount) -> Vec<(Rank, AccountId, LegSide, Leg)> {
        let now = self.book.legs().unordered().filter_map(|((account, side), before)| {
            let now = self.known_leg((account, side)).unwrap_or(Some(*before));
            let other = now.filter(|other| other.direction != leg.direction)?;
            let rank = Rank::of(other.unrealised(mark, self.units), other.cost, other.multiple);
            Some((rank, account, side, other))
        });
        let mut ranked: Vec<_> = now.collect();
        ranked.sort_by(|a, b| {
            let own_first = (a.1 != owner).cmp(&(b.1 != owner));
            own_first.then_with(|| a.0.before(&b.0)).then((a.1, a.2).cmp(&(b.1, b.2)))
        });
        ranked
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
        for (_, account, side, leg) in self.ranked(owner, &own, mark) {
            if left.is_zero() || legs.len() == LEGS_A_RECORD {
                break;
            }
            let taken = leg.lots.min(left);
            if let Some(effect) = self.closing((side, &leg), taken, ticks) {
                left -= taken;
                legs.push(DeleveragedLeg { account, effect });
            }
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
