//! The trades of one incoming order as they are made, before anything is changed.
//!
//! Owns: legs and orders as the decision leaves them, effects and cuts so far. Never does: change the book. Invariants: a trade
//! is made only when both parties can pay for it, and leaves no isolated position that is at its end; after each, what an
//! account's orders close of a leg is no more than the leg.
//! Rules: `docs/rules/contracts.md "Book orders"`. Known limits: where a leg shrinks below what orders close, looks at those of
//! its side that close.

use super::ContractBook;
use super::effect::{Effect, Fill, Leg};
use super::facts::{BookTrade, CutReason, OrderCut};
use super::liquidate::is_due;
use super::noted::{Noted, Place};
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

/// A resting order that was looked at.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// As the decision leaves it.
    now: BookOrder,
    /// What it closed before.
    closed: Lots,
}

impl Seen {
    fn of(order: &BookOrder) -> Seen {
        Seen { now: *order, closed: order.closes() }
    }
}

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
    /// What orders that rest close already of the position that the incoming one would close.
    closing: Lots,
    /// By id.
    orders: Noted<OrderId, Seen>,
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
        (taker, leg, closing): (BookOrder, Option<&Leg>, Lots),
    ) -> Deal<'a> {
        let (own, legs, orders) = (leg.copied(), Noted::default(), Noted::default());
        let (trades, cuts, rescue, ahead) = (Vec::new(), Vec::new(), None, false);
        Deal { book, units, params, mark, taker_ppm, taker, ahead, own, legs, closing, orders, trades, cuts, rescue }
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

    /// Where a leg is noted; none when it is the incoming order's own.
    #[inline]
    fn leg_place(&mut self, key: LegKey) -> Option<Place> {
        if self.is_own(key) {
            return None;
        }
        let book = self.book;
        Some(self.legs.note(key, || book.legs.get(key.0, key.1).copied()))
    }

    /// The leg at such a place.
    #[inline]
    fn leg_at(&mut self, place: Option<Place>) -> &mut Option<Leg> {
        match place {
            None => &mut self.own,
            Some(place) => &mut self.legs[place],
        }
    }

    /// Where an order of the book is noted.
    #[inline]
    fn order_place(&mut self, (id, side): (OrderId, Side)) -> Place {
        let book = self.book;
        self.orders.note(id, || Seen::of(book.order_met(id, side).expect("an order of the book is known")))
    }

    /// An order of the book, to be changed.
    #[inline]
    fn order_mut(&mut self, order: (OrderId, Side)) -> &mut BookOrder {
        let place = self.order_place(order);
        &mut self.orders[place].now
    }

    /// An order of the book as the decision leaves it.
    fn now(&self, rests: &BookOrder) -> BookOrder {
        self.orders.get(rests.order).map_or(*rests, |seen| seen.now)
    }

    /// The same by its id.
    pub(super) fn order(&self, id: OrderId) -> BookOrder {
        let rests = || *self.book.order(id).expect("an order of the book is known");
        self.orders.get(id).map_or_else(rests, |seen| seen.now)
    }

    /// What a fill would do to one party; of its order is left what it leaves.
    fn effect(
        &mut self,
        order: &mut BookOrder,
        leg: Option<Place>,
        (one, lots): (Amount, Lots),
        rate: FeePpm,
    ) -> Option<Effect> {
        let fee = rate.of(Amount(one.0 * i128::from(lots.0)));
        let insurance = fee.share_ppm_down(self.params.insurance_ppm);
        self.fill(order, leg, (one, lots), (fee, insurance), Amount::ZERO)
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
        self.fill(order, None, (one, lots), (fee, fee), *insured)
    }

    /// What a fill of so many lots, each worth `one`, would do to the leg at a place.
    #[inline]
    fn fill(
        &mut self,
        order: &mut BookOrder,
        leg: Option<Place>,
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
        fill.effect(self.leg_at(leg).as_ref())
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
        effect.change(self.leg_mut((account, effect.leg)), index);
    }

    /// Cuts what an account's orders close beyond what is left of a leg: the farthest from the touch first, of equals the
    /// youngest.
    pub(super) fn shrink(&mut self, account: AccountId, side: LegSide, direction: Direction) {
        let of_leg = |o: &BookOrder| o.account == account && o.leg == side && Direction::opened_by(o.side) == direction;
        let (own, resting) = if of_leg(&self.taker) {
            (if self.ahead { Lots::ZERO } else { self.taker.closes() }, self.closing)
        } else {
            (Lots::ZERO, self.book.orders.of_side(account, side, direction.opening_side()).1.closing)
        };
        // Before the leg is looked for: mostly nothing closes it, and a decision makes nothing that rests close more.
        if (own + resting).is_zero() {
            return;
        }
        let leg = self.leg_mut((account, side)).as_ref().filter(|leg| leg.direction != direction);
        let lots = leg.map_or(Lots::ZERO, |leg| leg.lots);
        // What rests closes so much; of orders that this decision changed, what they close now.
        let changed = self.orders.values().filter(|seen| of_leg(&seen.now));
        let all = changed.fold(own + resting, |sum, seen| sum + seen.now.closes() - seen.closed);
        if all <= lots {
            return;
        }
        let (mut excess, key) = (all - lots, (account, side, direction.opening_side()));
        while excess.0 > 0 {
            let closes = |o: &BookOrder| !self.now(o).closes().is_zero();
            let Some(rests) = self.book.orders.farthest_closing(key, closes) else { return };
            let order = self.now(rests);
            let lots = Lots(excess.0.min(order.closes().0));
            excess -= lots;
            self.cut(&order, (lots, Lots::ZERO), CutReason::LegShrank);
        }
    }

    /// An order loses so much, of which a part was to open.
    fn cut(&mut self, order: &BookOrder, (lots, opens): (Lots, Lots), reason: CutReason) {
        let units = self.units;
        let order = self.order_mut((order.order, order.side));
        let unlocked = order.take(lots, opens, units);
        let (gone, BookOrder { order, account, side, ticks, mode, .. }) = (false, *order);
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
            self.cut(&order, (order.open, order.opens), reason);
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
        let place = self.order_place((resting.order, resting.side));
        let mut left = self.orders[place].now;
        let lots = Lots(lots.0.min(left.open.0));
        if lots.is_zero() {
            return Admission::Skip;
        }
        let (maker_order, maker, before, ticks) = (left.order, left.account, left.locked, resting.ticks);
        let at = (self.units.value(ticks, Lots(1)), lots);
        // Looked at where they are: an effect is large.
        let leg = self.leg_place((maker, left.leg));
        let mut maker_part = self.effect(&mut left, leg, at, resting.maker_ppm);
        let Some(maker_effect) = maker_part.as_mut() else {
            return self.pass_over(maker_order);
        };
        if self.opens_at_the_end(maker, maker_effect) {
            return self.pass_over(maker_order);
        }
        let (mut taker, mut insured) = (self.taker, Amount::ZERO);
        let taker_part = match self.rescue {
            None => self.effect(&mut taker, None, at, self.taker_ppm),
            Some(_) => self.rescued(&mut taker, ticks, at, &mut insured),
        };
        let Some(taker_effect) = taker_part.as_ref() else { return Admission::Stop };
        if self.opens_at_the_end(taker.account, taker_effect) {
            return Admission::Stop;
        }
        maker_effect.unlocked = before - left.locked;
        self.orders[place].now = left;
        self.taker = taker;
        self.rescue.iter_mut().for_each(|rescue| rescue.insured += insured);
        let index = self.book.funding.index;
        maker_effect.change(self.leg_at(leg), index);
        taker_effect.change(&mut self.own, index);
        for (account, effect) in [(maker, &*maker_effect), (taker.account, taker_effect)] {
            if !effect.closed.is_zero() {
                self.shrink(account, effect.leg, effect.direction);
            }
        }
        if self.trades.is_empty() {
            // Few orders make more than two, and one is large.
            self.trades = Vec::with_capacity(2);
        }
        self.trades.push(BookTrade {
            maker_order,
            maker,
            ticks,
            lots,
            maker_effect: *maker_effect,
            taker_effect: *taker_effect,
        });
        Admission::Trade(lots)
    }
}
