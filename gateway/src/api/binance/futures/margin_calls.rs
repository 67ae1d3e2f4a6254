//! `MARGIN_CALL`: an owner is warned before a liquidation (`docs/rules/contracts.md "Warnings"`).
//!
//! Owns: when an isolated position is near its end, and what a warning says. Never does: decide by it; of pools the engine warns.
//! Invariants: a position is told of once, and again only after it was well above its end. Known limits: positions are looked at
//! twice a second, and only while their owner listens.

use super::rows::{leg_name, quantity, symbol};
use super::user_data::Holdings;
use crate::api::binance::orders::rows::eight;
use crate::common::time::TimeUnit;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use xng_core::account::contract::cross::WARNING_PERCENT;
use xng_core::account::{AccountEvent, OwnLeg};
use xng_core::board::{Board, ContractFace};
use xng_core::contract::book::order::LegSide;
use xng_core::contract::facts::{ContractFact, MarginMode};
use xng_core::contract::leg::Direction;
use xng_core::fraction::Fraction;
use xng_core::ids::MarketId;
use xng_core::money::Amount;

/// A position may be told of again once it was above this risk rate, in percent.
const AGAIN_ABOVE_PERCENT: i128 = 150;

/// What of a position is told at a mark.
struct Marked {
    unrealised: Fraction,
    maintenance: Fraction,
}

impl Marked {
    fn of(own: &OwnLeg, face: &ContractFace) -> Marked {
        let (leg, units) = (&own.leg, &own.units);
        let value = Fraction::value(face.mark, units.base(leg.lots));
        Marked { unrealised: leg.unrealised(face.mark, units), maintenance: face.params.brackets.maintenance(value) }
    }

    /// Whether the risk rate of an isolated position is at most so much, in percent; 50 is the end.
    fn is_at(&self, percent: i128, own: &OwnLeg, face: &ContractFace) -> bool {
        let owed = face.book.as_ref().map_or(Amount::ZERO, |(_, index)| own.leg.funding(*index));
        let equity = self.unrealised.plus(Fraction::from(own.leg.margin + owed));
        equity <= self.maintenance.by(percent).over(Fraction::new(50, 1))
    }
}

/// Isolated positions whose owner was told.
#[derive(Debug, Default)]
pub struct Called(BTreeSet<(MarketId, LegSide)>);

impl Called {
    /// Which of these came near their end since the last look.
    pub(super) fn look<'l>(&mut self, legs: impl Iterator<Item = &'l OwnLeg>, board: &Board) -> Vec<OwnLeg> {
        let mut before = std::mem::take(&mut self.0);
        let mut near = Vec::new();
        for own in legs.filter(|own| own.leg.mode == MarginMode::Isolated) {
            let key = (own.units.contract, own.side);
            let was_told = before.remove(&key);
            let level = if was_told { AGAIN_ABOVE_PERCENT } else { WARNING_PERCENT };
            let is_near = |face: &ContractFace| Marked::of(own, face).is_at(level, own, face);
            if !board.contract(key.0).filter(|face| face.mark.is_positive()).is_some_and(is_near) {
                continue;
            }
            self.0.insert(key);
            if !was_told {
                near.push(*own);
            }
        }
        near
    }
}

fn position(own: &OwnLeg, board: &Board) -> Value {
    let (leg, units) = (&own.leg, &own.units);
    let base = units.base(leg.lots);
    let signed = if leg.direction == Direction::Long { base } else { -base };
    let face = board.contract(units.contract);
    let marked = face.map(|face| Marked::of(own, face));
    let of =
        |part: fn(&Marked) -> Fraction| eight(marked.as_ref().map_or(Amount::ZERO, |marked| part(marked).round8()));
    let isolated = leg.mode == MarginMode::Isolated;
    json!({
        "s": symbol(units, board), "ps": leg_name(own.side), "pa": quantity(units, signed),
        "mt": if isolated { "ISOLATED" } else { "CROSSED" }, "iw": eight(leg.margin),
        "mp": eight(face.map_or(Amount::ZERO, |face| face.mark)), "up": of(|marked| marked.unrealised),
        "mm": of(|marked| marked.maintenance),
    })
}

/// Of isolated positions.
#[must_use]
pub fn of_legs(near: &[OwnLeg], board: &Board, unit: TimeUnit) -> Value {
    let rows: Vec<Value> = near.iter().map(|own| position(own, board)).collect();
    json!({ "e": "MARGIN_CALL", "E": unit.now(), "p": rows })
}

/// Of a pool with positions in books, of which the engine warned in this event.
#[must_use]
pub fn of_pool(event: &AccountEvent, holdings: &Holdings, board: &Board, unit: TimeUnit) -> Option<Value> {
    let (ContractFact::RiskWarned(f), _) = event.tickets.as_deref()? else { return None };
    let is_in = |own: &&OwnLeg| own.leg.mode == MarginMode::Cross && own.units.settle == f.settle;
    let rows: Vec<Value> = holdings.positions().filter(is_in).map(|own| position(own, board)).collect();
    let cash = eight(holdings.pooled(f.settle));
    (!rows.is_empty()).then(|| json!({ "e": "MARGIN_CALL", "E": unit.now(), "cw": cash, "p": rows }))
}
