//! The prices at which an account looks again because of what its positions are worth.
//!
//! Owns: alarms of tickets, of isolated legs, of pools and of their orders. Never does: decide; whoever looks does it exactly.
//! Invariants: while prices lie inside of its alarms, nothing of an account is due; an alarm may come too early.
//! Rules: `docs/rules/contracts.md "Cross pool"`, "Liquidation". Known limits: who is due in a contract that an operator closed looks
//! again at each of its prices, and can do nothing there.

use super::cross::{cushion, kept, known};
use super::legs::OwnLeg;
use super::own_orders::OwnOrders;
use super::{ALARM_STEP, Account};
use crate::board::{Board, ContractFace};
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::contract::liquidation::Holding;
use crate::entity::{Alarm, Crossing, PriceAxis};
use crate::fraction::Fraction;
use crate::ids::{AssetId, MarketId};
use crate::market::Side;
use crate::money::{Amount, MAX_AMOUNT, ONE};
use std::collections::BTreeMap;

/// The next price, whatever it is.
fn next_price(contract: MarketId, axis: PriceAxis) -> Alarm {
    Alarm { contract, axis, crossing: Crossing::Down, price: MAX_AMOUNT }
}

fn signed(direction: Direction, base: Amount) -> Amount {
    match direction {
        Direction::Long => base,
        Direction::Short => -base,
    }
}

/// What of a pool depends on one price.
#[derive(Debug, Clone, Copy, Default)]
struct Stake {
    /// Base of the longs less that of the shorts.
    sum: Amount,
    /// Base of all legs, of which something must stay.
    gross: Amount,
    /// Base of what orders open that buy and that sell.
    orders: (Amount, Amount),
}

impl Stake {
    /// How much of the base loses when the price falls, and when it rises by a unit.
    fn weights(&self, face: &ContractFace, warned: bool) -> (Fraction, Fraction) {
        // What must stay falls with the price, and rises by the highest rate at most.
        let rate = face.params.brackets.list.last().map_or(0, |bracket| bracket.rate_ppm);
        let stays = kept(Fraction::from(self.gross).ppm(rate), warned);
        let (sum, (buys, sells)) = (Fraction::from(self.sum), self.orders);
        let falls = sum.max(Fraction::ZERO).plus(buys.into());
        (falls, sum.negated().plus(stays).max(Fraction::ZERO).plus(sells.into()))
    }
}

impl OwnLeg {
    /// An isolated leg's own numbers at its contract's funding index.
    pub(super) fn holding(&self, face: &ContractFace) -> Holding {
        let index = face.book.as_ref().map_or(self.leg.funding_index, |(_, index)| *index);
        let margin = self.leg.margin + self.leg.funding(index);
        Holding { direction: self.leg.direction, base: self.units.base(self.leg.lots), cost: self.leg.cost, margin }
    }

    /// Its alarm, if it is isolated: the exact price.
    fn alarm(&self, board: &Board) -> Option<Alarm> {
        let contract = self.units.contract;
        let Some(face) = known(board, contract) else { return Some(next_price(contract, PriceAxis::Mark)) };
        let holding = self.holding(face);
        // So thin a margin may not pay the next period, which then changes the price without a word to its owner.
        let cap = face.book.as_ref().map_or(Amount::ZERO, |(book, _)| book.funding.cap);
        let period = Fraction::value(face.mark, holding.base).times(Fraction::new(2 * cap.0, ONE));
        if Fraction::from(holding.margin) < period {
            return Some(next_price(contract, PriceAxis::Mark));
        }
        let (price, _) = holding.liquidation(&face.params.brackets)?;
        let steps = price.over(ALARM_STEP.into());
        let (crossing, steps) = match self.leg.direction {
            Direction::Long => (Crossing::Down, steps.ceil()),
            Direction::Short => (Crossing::Up, steps.floor()),
        };
        Some(Alarm { contract, axis: PriceAxis::Mark, crossing, price: Amount(steps * ALARM_STEP.0) })
    }
}

impl Account {
    pub(in crate::account) fn tell_alarms(&self, board: &Board, tell: &mut impl FnMut(Alarm)) {
        self.tickets().iter().for_each(|ticket| ticket.alarms(tell));
        let isolated = self.legs().iter().filter(|own| own.leg.mode == MarginMode::Isolated);
        isolated.filter_map(|own| own.alarm(board)).for_each(&mut *tell);
        self.pools().into_iter().for_each(|settle| self.tell_alarms_of(settle, board, tell));
        let ordered = self.own_orders().map(OwnOrders::cross_assets).unwrap_or_default();
        ordered.into_iter().for_each(|settle| self.tell_alarms_of_orders(settle, board, tell));
    }

    /// What its pools are paid in.
    pub(super) fn pools(&self) -> Vec<AssetId> {
        let tickets = self.tickets().iter().filter(|ticket| ticket.is_cross()).map(|ticket| ticket.terms.settle);
        let legs = self.legs().iter().filter(|own| own.leg.mode == MarginMode::Cross).map(|own| own.units.settle);
        let mut pools: Vec<AssetId> = tickets.chain(legs).collect();
        pools.sort_unstable();
        pools.dedup();
        pools
    }

    /// Whether the owner was told that a pool is near its end.
    pub(super) fn is_warned(&self) -> bool {
        self.cold().tickets.as_ref().is_some_and(|tickets| tickets.warned)
    }

    fn stakes(&self, settle: AssetId) -> Stakes {
        let mut stakes = Stakes::new();
        for ticket in self.cross_tickets(settle) {
            let stake = stakes.entry((ticket.terms.contract, PriceAxis::Index)).or_default();
            stake.sum += signed(ticket.terms.direction, ticket.terms.base);
        }
        for own in self.cross_legs(settle) {
            let stake = stakes.entry((own.units.contract, PriceAxis::Mark)).or_default();
            let base = own.units.base(own.leg.lots);
            (stake.sum, stake.gross) = (stake.sum + signed(own.leg.direction, base), stake.gross + base);
        }
        stakes
    }

    fn tell_alarms_of(&self, settle: AssetId, board: &Board, tell: &mut impl FnMut(Alarm)) {
        let warned = self.is_warned();
        let left = self.last_pool(settle, board).map(|pool| cushion(&pool, warned));
        tell_alarms_until(left, &self.stakes(settle), warned, board, tell);
    }

    /// Where a pool could not pay any more for all that its orders lose when they are filled.
    fn tell_alarms_of_orders(&self, settle: AssetId, board: &Board, tell: &mut impl FnMut(Alarm)) {
        let mut stakes = self.stakes(settle);
        for (contract, side, base) in self.own_orders().into_iter().flat_map(|orders| orders.cross_openings(settle)) {
            let stake = stakes.entry((contract, PriceAxis::Mark)).or_default();
            match side {
                Side::Buy => stake.orders.0 += base,
                Side::Sell => stake.orders.1 += base,
            }
        }
        tell_alarms_until(self.after_fills(settle, board), &stakes, true, board, tell);
    }
}

type Stakes = BTreeMap<(MarketId, PriceAxis), Stake>;

/// Each price may move by the same share of itself before what is left is used up.
fn tell_alarms_until(
    left: Option<Fraction>,
    stakes: &Stakes,
    warned: bool,
    board: &Board,
    tell: &mut impl FnMut(Alarm),
) {
    let Some(left) = left.filter(|left| left.is_positive()) else {
        // It is at its end, or not all is known: the next price of each of its contracts brings a look.
        stakes.keys().for_each(|(contract, axis)| tell(next_price(*contract, *axis)));
        return;
    };
    let moving = || {
        stakes.iter().filter_map(|((contract, axis), stake)| {
            let face = known(board, *contract)?;
            Some((*contract, *axis, face.last(*axis), stake.weights(face, warned)))
        })
    };
    let value = |price: Amount, base: Fraction| base.times(Fraction::new(price.0, ONE));
    let all =
        moving().fold(Fraction::ZERO, |sum, (_, _, price, (falls, rises))| sum.plus(value(price, falls.max(rises))));
    for (contract, axis, price, (falls, rises)) in moving() {
        if !falls.max(rises).is_positive() {
            continue;
        }
        // A price is a whole number of steps, so that a part of one says nothing: one division is enough.
        const { assert!(ALARM_STEP.0 == 1, "a price is a whole number of steps") };
        let (steps, distance) = (price.0, left.by(price.0).over(all).floor());
        let mut at =
            |crossing, steps: i128| tell(Alarm { contract, axis, crossing, price: Amount(steps * ALARM_STEP.0) });
        let down = steps - distance;
        // A price is above zero.
        if falls.is_positive() && down > 0 {
            at(Crossing::Down, down);
        }
        if rises.is_positive() {
            at(Crossing::Up, steps + distance);
        }
    }
}
