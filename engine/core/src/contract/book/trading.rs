//! The trades of one incoming order as they are made, before anything is changed.
//!
//! Owns: legs and orders as the decision leaves them, effects and cuts so far. Never does: change the book. Invariants: a trade
//! is made only when both parties can pay for it, and leaves no isolated position that is at its end; after each, what an
//! account's orders close of a leg is no more than the leg.
//! Rules: `docs/rules/contracts.md "Book orders"`. Known limits: where a leg shrinks below what orders close, looks at those of
//! its side that only open, too.

use super::ContractBook;
use super::effect::{Effect, Fill, Leg};
use super::facts::{BookTrade, CutReason, OrderCut};
use super::liquidate::is_due;
use super::noted::Noted;
use super::order::{BookOrder, BookUnits, LegSide};
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::contract::liquidation;
use crate::contract::params::ContractParams;
use crate::ids::{AccountId, OrderId};
use crate::market::Side;
use crate::market::book::Resting;
use crate::market::matching::{Admission, MakerTaker, Trading};
use crate::money::{Amount, FeePpm, Lots, Ticks};
use std::collections::BTreeSet;

type LegKey = (AccountId, LegSide);

/// See the module's header.
pub(super) struct Deal<'a> {
    pub(super) book: &'a ContractBook,
    pub(super) units: &'a BookUnits,
    pub(super) params: &'a ContractParams,
    /// The mark at which it is decided.
    pub(super) mark: Amount,
    pub(super) taker_ppm: FeePpm,
    /// What is left of the incoming order.
    pub(super) taker: BookOrder,
    /// It comes before its owner's resting orders.
    pub(super) ahead: bool,
    /// The position that the incoming order is about, as the decision leaves it.
    own: Option<Leg>,
    /// By owner: what was looked at of others.
    legs: Noted<LegKey, Option<Leg>>,
    /// By id.
    orders: Noted<OrderId, BookOrder>,
    pub(super) trades: Vec<BookTrade>,
    cuts: Vec<OrderCut>,
    /// What is special when the incoming order liquidates a position.
    pub(super) rescue: Option<Rescue>,
}

/// What is special about the fills that liquidate a position.
pub(super) struct Rescue {
    /// The price at which nothing is left of the position.
    pub(super) bankruptcy: Ticks,
    /// The fee, of what is better than that.
    pub(super) fee_ppm: u32,
    /// What the insurance has for what is worse, and what it gave.
    pub(super) quota: Amount,
    /// See there.
    pub(super) insured: Amount,
}

impl<'a> Deal<'a> {
    pub(super) fn new(
        book: &'a ContractBook,
        units: &'a BookUnits,
        (params, mark): (&'a ContractParams, Amount),
        taker_ppm: FeePpm,
        (taker, leg): (BookOrder, Option<&Leg>),
    ) -> Deal<'a> {
        let (own, legs, orders) = (leg.copied(), Noted::default(), Noted::default());
        let (trades, cuts, rescue, ahead) = (Vec::new(), Vec::new(), None, false);
        Deal { book, units, params, mark, taker_ppm, taker, ahead, own, legs, orders, trades, cuts, rescue }
    }

    pub(super) fn leg(&self, account: AccountId, side: LegSide) -> Option<Leg> {
        self.known_leg((account, side)).unwrap_or_else(|| self.book.legs.get(account, side).copied())
    }

    fn is_own(&self, key: LegKey) -> bool {
        key == (self.taker.account, self.taker.leg)
    }

    /// A leg as the decision leaves it, if it was looked at: none when nothing is left of it.
    pub(super) fn known_leg(&self, key: LegKey) -> Option<Option<Leg>> {
        if self.is_own(key) {
            return Some(self.own);
        }
        self.legs.get(key).copied()
    }

    /// As [`Self::leg`], of one that is needed again.
    #[inline]
    fn leg_mut(&mut self, key: LegKey) -> &mut Option<Leg> {
        if self.is_own(key) {
            return &mut self.own;
        }
        let book = self.book;
        self.legs.get_or(key, || book.legs.get(key.0, key.1).copied())
    }

    fn set_order(&mut self, order: BookOrder) {
        *self.orders.get_or(order.order, || order) = order;
    }

    /// An order as the decision leaves it.
    pub(super) fn order(&self, id: OrderId) -> BookOrder {
        *self.orders.get(id).unwrap_or_else(|| self.book.orders.get(id).expect("an order of the book is known"))
    }

    /// What a fill would do to one party; of its order is left what it leaves.
    fn effect(&mut self, order: &mut BookOrder, (one, lots): (Amount, Lots), rate: FeePpm) -> Option<Effect> {
        let fee = rate.of(Amount(one.0 * i128::from(lots.0)));
        let insurance = fee.share_ppm_down(self.params.insurance_ppm);
        self.fill(order, (one, lots), (fee, insurance), Amount::ZERO)
    }

    /// The same of an order that liquidates; `insured` is what the insurance gives.
    #[cold]
    fn rescued(
        &mut self,
        order: &mut BookOrder,
        ticks: Ticks,
        (one, lots): (Amount, Lots),
        insured: &mut Amount,
    ) -> Option<Effect> {
        let rescue = self.rescue.as_ref()?;
        let (value, bankrupt) = (self.units.value(ticks, lots), self.units.value(rescue.bankruptcy, lots));
        let better = match order.side {
            Side::Sell => value - bankrupt,
            Side::Buy => bankrupt - value,
        };
        let fee = liquidation::fee(value.into(), rescue.fee_ppm, better);
        *insured = (-better).max(Amount::ZERO);
        if *insured > rescue.quota - rescue.insured {
            return None;
        }
        self.fill(order, (one, lots), (fee, fee), *insured)
    }

    /// What a fill of so many lots, each worth `one`, would do.
    #[inline]
    fn fill(
        &mut self,
        order: &mut BookOrder,
        (one, lots): (Amount, Lots),
        fee: (Amount, Amount),
        given: Amount,
    ) -> Option<Effect> {
        let opens = order.opening_part(lots);
        let freed = order.take(lots, opens, self.units) + given;
        let fill = Fill {
            leg: order.leg,
            direction: Direction::opened_by(order.side),
            mode: order.mode,
            multiple: order.multiple,
            lots,
            opens,
            one,
            fee,
            index: self.book.funding.index,
            freed,
        };
        fill.effect(self.leg_mut((order.account, order.leg)).as_ref())
    }

    /// Whether an isolated position would be at its end as soon as it is opened, or larger.
    fn opens_at_the_end(&self, account: AccountId, effect: &Effect) -> bool {
        if effect.mode == MarginMode::Cross || effect.opened.is_zero() {
            return false;
        }
        let index = self.book.funding.index;
        let leg = effect.apply(self.leg(account, effect.leg), index);
        leg.is_some_and(|leg| is_due(&leg, self.params, (self.mark, index)))
    }

    pub(super) fn apply(&mut self, account: AccountId, effect: &Effect) {
        let index = self.book.funding.index;
        let leg = self.leg_mut((account, effect.leg));
        *leg = effect.apply(*leg, index);
    }

    /// Cuts what an account's orders close beyond what is left of a leg: the farthest from the touch first, of equals the
    /// youngest.
    pub(super) fn shrink(&mut self, account: AccountId, side: LegSide, direction: Direction) {
        let leg = self.leg(account, side).filter(|leg| leg.direction != direction);
        let of_leg = |o: &BookOrder| o.account == account && o.leg == side && Direction::opened_by(o.side) == direction;
        let own = if of_leg(&self.taker) && !self.ahead { self.taker.closes() } else { Lots::ZERO };
        let lots = leg.map_or(Lots::ZERO, |leg| leg.lots);
        // What rests closes so much; of orders that this decision changed, what they close now.
        let changed = self.orders.values().filter(|o| of_leg(o));
        let rested = |o: &BookOrder| self.book.orders.get(o.order).map_or(Lots::ZERO, BookOrder::closes);
        let resting = self.book.orders.of_side(account, side, direction.opening_side()).1.closing;
        let all = changed.fold(own + resting, |sum, o| sum + o.closes() - rested(o));
        if all <= lots {
            return;
        }
        let (mut excess, key) = (all - lots, (account, side, direction.opening_side()));
        while excess.0 > 0 {
            let closes = |o: &BookOrder| !o.closes().is_zero() && !self.order(o.order).closes().is_zero();
            let Some(rests) = self.book.orders.farthest(key, closes) else { return };
            let order = self.order(rests.order);
            let lots = Lots(excess.0.min(order.closes().0));
            excess -= lots;
            self.cut(order, (lots, Lots::ZERO), CutReason::LegShrank);
        }
    }

    /// An order loses so much, of which a part was to open.
    fn cut(&mut self, mut order: BookOrder, (lots, opens): (Lots, Lots), reason: CutReason) {
        let unlocked = order.take(lots, opens, self.units);
        self.set_order(order);
        let (gone, BookOrder { order, account, side, ticks, mode, .. }) = (false, order);
        self.cuts.push(OrderCut { order, account, side, ticks, lots, opens, mode, unlocked, gone, reason });
    }

    /// The cuts, of which the last one of an order says whether it left: trades are applied before any of them.
    pub(super) fn take_cuts(&mut self) -> Vec<OrderCut> {
        let mut cuts = std::mem::take(&mut self.cuts);
        if cuts.is_empty() {
            return cuts;
        }
        let mut seen = BTreeSet::new();
        for cut in cuts.iter_mut().rev() {
            cut.gone = seen.insert(cut.order) && self.order(cut.order).open.is_zero();
        }
        cuts
    }

    /// A resting order leaves whole.
    pub(super) fn take_out(&mut self, id: OrderId, reason: CutReason) {
        let order = self.order(id);
        if !order.open.is_zero() {
            self.cut(order, (order.open, order.opens), reason);
        }
    }
}

impl Deal<'_> {
    /// The owner of a resting order cannot pay for its fill.
    #[cold]
    fn pass_over(&mut self, maker: OrderId) -> Admission {
        self.take_out(maker, CutReason::Unpaid);
        Admission::Skip
    }
}

impl Trading for &mut Deal<'_> {
    // The deal's own say more.
    const TELLS: bool = false;

    fn notional(&self, ticks: Ticks, lots: Lots) -> Amount {
        self.units.value(ticks, lots)
    }

    fn fees(&self, side: Side, lots: Lots, cost: Amount, rates: MakerTaker<FeePpm>) -> MakerTaker<Amount> {
        self.units.fees(side, lots, cost, rates)
    }

    fn admit(&mut self, resting: &Resting, lots: Lots) -> Admission {
        let mut left = self.order(resting.order);
        let lots = Lots(lots.0.min(left.open.0));
        if lots.is_zero() {
            return Admission::Skip;
        }
        let (maker_order, maker, before, ticks) = (left.order, left.account, left.locked, resting.ticks);
        let at = (self.units.value(ticks, Lots(1)), lots);
        let Some(mut maker_effect) = self.effect(&mut left, at, resting.maker_ppm) else {
            return self.pass_over(maker_order);
        };
        if self.opens_at_the_end(maker, &maker_effect) {
            return self.pass_over(maker_order);
        }
        let (mut taker, mut insured) = (self.taker, Amount::ZERO);
        let taker_part = match self.rescue {
            None => self.effect(&mut taker, at, self.taker_ppm),
            Some(_) => self.rescued(&mut taker, ticks, at, &mut insured),
        };
        let Some(taker_effect) = taker_part else { return Admission::Stop };
        if self.opens_at_the_end(taker.account, &taker_effect) {
            return Admission::Stop;
        }
        maker_effect.unlocked = before - left.locked;
        self.set_order(left);
        self.taker = taker;
        self.rescue.iter_mut().for_each(|rescue| rescue.insured += insured);
        self.apply(maker, &maker_effect);
        self.apply(taker.account, &taker_effect);
        for (account, effect) in [(maker, &maker_effect), (taker.account, &taker_effect)] {
            if !effect.closed.is_zero() {
                self.shrink(account, effect.leg, effect.direction);
            }
        }
        if self.trades.is_empty() {
            // Few orders make more than two, and one is large.
            self.trades.reserve_exact(2);
        }
        self.trades.push(BookTrade { maker_order, maker, ticks, lots, maker_effect, taker_effect });
        Admission::Trade(lots)
    }
}
