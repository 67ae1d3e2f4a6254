//! Steps of liquidations as the auditor sees them: how much one takes, and how far it goes.
//!
//! Owns: its own size of a step, and its own worst price. Never does: use the engine's formulas. Invariants checked: a step is of
//! the leg with the largest maintenance among those whose mark is fresh, down to the ceiling of the bracket below; its order
//! goes beyond bankruptcy by what the quota pays, and no farther than 2 % from the mark.
//! Known limits: a step is one that the account may have asked for since the last records.

use super::Auditor;
use super::contracts::ONE;
use super::legs::Position;
use super::liquidation::{PPM, SeenLeg, SeenScope};
use xng_core::contract::book::liquidation_facts::LegLiquidated;
use xng_core::contract::book::order::BookUnits;
use xng_core::entity::TimeNs;
use xng_core::ids::MarketId;

/// The order of a liquidation stays so near to the mark.
const BAND_PPM: i128 = 20_000;

fn ceil(n: i128, d: i128) -> i128 {
    -(-n).div_euclid(d)
}

impl Auditor {
    /// Lots that a step takes of a leg: down to the ceiling of the bracket below, in the lowest one all.
    pub(super) fn step_lots(&self, contract: MarketId, leg: &Position) -> i64 {
        let (lots, Some(listed)) = (leg.lots.abs(), self.contracts.listed.get(&contract)) else { return 0 };
        let one = listed.mark * listed.params.lot.0;
        let value = one * i128::from(lots);
        let brackets = &listed.params.brackets.list;
        let place = brackets.iter().position(|bracket| value <= bracket.ceiling.0 * ONE).unwrap_or(brackets.len() - 1);
        let Some(below) = place.checked_sub(1).filter(|_| one > 0) else { return lots };
        let excess = ceil(value - brackets[below].ceiling.0 * ONE, one);
        i64::try_from(excess).map_or(lots, |excess| excess.min(lots))
    }

    /// Whether a step is what its account may have asked for when it saw its scope so.
    pub(super) fn is_step_of(&self, seen: &SeenScope, time: TimeNs, f: &LegLiquidated, leg: &Position) -> bool {
        let key = (f.units.contract, f.leg);
        let Some(own) = seen.legs.get(&key) else { return false };
        // What is not fresh by now may not have been when it was asked.
        let is_fresh = |contract: MarketId, other: &SeenLeg| {
            let stale = self.contracts.listed.get(&contract).map_or(0, |listed| listed.params.stale_after_ns());
            other.time.is_some_and(|at| time.saturating_sub(at) <= stale) && self.is_fresh(contract, time)
        };
        let mut others = seen.legs.iter().filter(|(other, _)| **other != key);
        let comes_first = |(at, other): (&_, &SeenLeg)| other.kept > own.kept || (other.kept == own.kept && *at < key);
        let before = others.any(|(at, other)| comes_first((at, other)) && is_fresh(at.0, other));
        !before && f.lots.0 == own.step.min(leg.lots.abs())
    }
}

/// The worst price of a step of so many lots, in ticks.
pub(super) fn worst_of(
    u: &BookUnits,
    leg: &Position,
    (lots, bankruptcy): (i64, i64),
    (quota, mark): (i128, i128),
) -> i64 {
    let (tick, base) = (u.tick.0, i128::from(lots) * u.lot.0);
    let bankrupt = i128::from(bankruptcy) * tick * base;
    let worst = if leg.lots > 0 {
        ceil(bankrupt - quota * ONE, base * tick).max(ceil(mark * (PPM - BAND_PPM), PPM * tick))
    } else {
        (bankrupt + quota * ONE).div_euclid(base * tick).min((mark * (PPM + BAND_PPM)).div_euclid(PPM * tick))
    };
    i64::try_from(worst.max(1)).unwrap_or(i64::MAX)
}
