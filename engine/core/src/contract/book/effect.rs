//! What one fill does to one party: its leg, and its money.
//!
//! Owns: legs as market and account keep them, effects, how an effect is found and applied. Never does: look at an account's
//! free money. Invariants: an effect gives free money or takes what was set aside for it, never more; results are those of
//! released cost, so that results and open cost do not depend on rounding; market and account apply the same effect.
//! Rules: `docs/rules/contracts.md "Legs"`. Known limits: none.

use super::order::{BookUnits, LegSide};
use crate::codec::WordHash;
use crate::contract::brackets::initial_margin;
use crate::contract::facts::MarginMode;
use crate::contract::leg::{Direction, close, share};
use crate::fraction::Fraction;
use crate::ids::{AccountId, Wallet};
use crate::money::{Amount, Lots};
use crate::record::{LogType, Posting};

crate::wire_struct! {
    /// A position in a contract's book.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Leg {
        /// Long or short.
        pub direction: Direction,
        /// How much.
        pub lots: Lots,
        /// Notional value at entry.
        pub cost: Amount,
        /// Whose money it may lose.
        pub mode: MarginMode,
        /// Its margin; nothing of a cross leg.
        pub margin: Amount,
        /// Its multiple.
        pub multiple: u16,
        /// The contract's funding index up to which it has paid.
        pub funding_index: Amount,
    }
}

/// What a leg would be after an effect that does not belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unfit(pub Leg);

impl Leg {
    /// Adds it to a hash.
    #[must_use]
    pub(crate) fn hash(&self, h: WordHash) -> WordHash {
        let Leg { direction, lots, cost, mode, margin, multiple, funding_index } = self;
        let marks = u64::from(*multiple) << 16 | (*direction as u64) << 8 | *mode as u64;
        h.pair(marks, lots.0 as u64).wide(cost.0).wide(margin.0).wide(funding_index.0)
    }

    /// What it would gain at a price.
    #[must_use]
    pub fn unrealised(&self, price: Amount, units: &BookUnits) -> Fraction {
        self.direction.result(self.cost.into(), Fraction::value(price, units.base(self.lots)))
    }

    /// The funding that it gets up to an index; what it pays is negative.
    #[must_use]
    pub fn funding(&self, index: Amount) -> Amount {
        let owed = Amount((index - self.funding_index).0 * i128::from(self.lots.0));
        match self.direction {
            Direction::Long => -owed,
            Direction::Short => owed,
        }
    }

    /// Its cost with the sign of its direction.
    #[must_use]
    pub fn signed_cost(&self) -> Amount {
        match self.direction {
            Direction::Long => self.cost,
            Direction::Short => -self.cost,
        }
    }
}

crate::wire_struct! {
    /// A party's part of a fill.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Effect {
        /// Which of its positions.
        pub leg: LegSide,
        /// The direction that the fill closes in or opens: that of its order.
        pub direction: Direction,
        /// Whose money the position may lose.
        pub mode: MarginMode,
        /// The multiple of what is opened.
        pub multiple: u16,
        /// How much is closed, and how much is opened.
        pub closed: Lots,
        /// See there.
        pub opened: Lots,
        /// How much of the fill was taken from what its order opens.
        pub opens: Lots,
        /// Cost that is released, and cost that is added.
        pub released: Amount,
        /// See there.
        pub cost: Amount,
        /// What closing gained.
        pub result: Amount,
        /// The fee, and the insurance's part of it.
        pub fee: Amount,
        /// See there.
        pub insurance: Amount,
        /// Funding that the position got before; what it paid is negative.
        pub funding: Amount,
        /// Change of the position's margin.
        pub margin: Amount,
        /// What its order sets aside no more.
        pub unlocked: Amount,
    }
}

/// What is known of a fill before its effect is.
#[derive(Debug, Clone, Copy)]
pub struct Fill {
    /// Which of the party's positions.
    pub leg: LegSide,
    /// The direction of its order.
    pub direction: Direction,
    /// Whose money the position may lose.
    pub mode: MarginMode,
    /// The multiple of what is opened.
    pub multiple: u16,
    /// How much.
    pub lots: Lots,
    /// How much of it is taken from what the order opens.
    pub opens: Lots,
    /// The value of one lot.
    pub one: Amount,
    /// The fee, and the insurance's part of it.
    pub fee: (Amount, Amount),
    /// The contract's funding index.
    pub index: Amount,
    /// What the order sets aside no more, or of what is held for it.
    pub freed: Amount,
}

impl Fill {
    /// Its effect on a leg, with `unlocked` left at nothing; none when the leg's money does not suffice.
    #[must_use]
    pub fn effect(&self, leg: Option<&Leg>) -> Option<Effect> {
        let value = |lots: Lots| Amount(self.one.0 * i128::from(lots.0));
        let opposite = leg.filter(|leg| leg.direction != self.direction);
        let closed = opposite.map_or(Lots::ZERO, |leg| Lots(leg.lots.0.min(self.lots.0)));
        let opened = self.lots - closed;
        let part = opposite.map(|leg| close(leg.direction, (leg.lots, leg.cost), closed, value(closed)));
        let (released, result) = part.map_or((Amount::ZERO, Amount::ZERO), |part| (part.released, part.result));
        let funding = leg.map_or(Amount::ZERO, |leg| leg.funding(self.index));
        let mut effect = Effect {
            leg: self.leg,
            direction: self.direction,
            mode: self.mode,
            multiple: self.multiple,
            closed,
            opened,
            opens: self.opens,
            released,
            cost: value(opened),
            result,
            fee: self.fee.0,
            insurance: self.fee.1,
            funding,
            margin: Amount::ZERO,
            unlocked: Amount::ZERO,
        };
        if self.mode == MarginMode::Isolated {
            effect.margin = self.margin(leg, opposite, &effect)?;
        }
        Some(effect)
    }

    /// How the margin of an isolated leg changes. What closing brings and what was set aside pay loss, fee and new margin;
    /// what is missing for the first two is taken from the margin that stays.
    fn margin(&self, leg: Option<&Leg>, opposite: Option<&Leg>, e: &Effect) -> Option<Amount> {
        let before = leg.map_or(Amount::ZERO, |leg| leg.margin);
        let settled = before + e.funding;
        let given = opposite.map_or(Amount::ZERO, |leg| share(settled, e.closed, leg.lots));
        let (stays, paid) = (settled - given, self.freed + given + e.result - e.fee);
        let missing = (-paid).max(Amount::ZERO);
        if missing > stays {
            return None;
        }
        let wanted = initial_margin(e.cost.into(), self.multiple);
        // What closing lost is not taken from the margin of what is opened the other way.
        if !e.closed.is_zero() && !e.opened.is_zero() && paid < wanted {
            return None;
        }
        Some(stays - missing + wanted.min(paid.max(Amount::ZERO)) - before)
    }
}

impl Effect {
    /// Applies it to a leg.
    ///
    /// # Panics
    /// When it does not fit: a record that says so is a bug.
    #[must_use]
    pub fn apply(&self, mut leg: Option<Leg>, index: Amount) -> Option<Leg> {
        self.change(&mut leg, index);
        leg
    }

    /// The same in the leg's place: a leg takes as many steps to copy as to change.
    ///
    /// # Panics
    /// As [`Self::apply`].
    #[inline]
    pub fn change(&self, leg: &mut Option<Leg>, index: Amount) {
        if !self.leaves(leg.get_or_insert_with(|| self.first(index)), index) {
            *leg = None;
        }
    }

    /// The same of a leg that is there; whether something is left of it.
    ///
    /// # Panics
    /// As [`Self::apply`].
    #[inline]
    pub(crate) fn leaves(&self, leg: &mut Leg, index: Amount) -> bool {
        self.change_there(leg, index).unwrap_or_else(|| panic!("{leg:?} after {self:?}"))
    }

    /// Applies it to a leg that may be another one than the record means.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn checked_apply(&self, leg: Option<Leg>, index: Amount) -> Result<Option<Leg>, Unfit> {
        let mut leg = leg.unwrap_or_else(|| self.first(index));
        let is_left = self.change_there(&mut leg, index).ok_or(Unfit(leg))?;
        Ok(is_left.then_some(leg))
    }

    /// The leg that it opens, before it does.
    fn first(&self, funding_index: Amount) -> Leg {
        let Effect { direction, mode, multiple, .. } = *self;
        let (lots, cost, margin) = (Lots::ZERO, Amount::ZERO, Amount::ZERO);
        Leg { direction, lots, cost, mode, margin, multiple, funding_index }
    }

    /// Whether something is left of a leg; none when it does not fit.
    fn change_there(&self, leg: &mut Leg, index: Amount) -> Option<bool> {
        leg.lots -= self.closed;
        leg.cost -= self.released;
        leg.margin += self.margin;
        leg.funding_index = index;
        if leg.lots.is_zero() {
            if !leg.cost.is_zero() {
                return None;
            }
            (leg.direction, leg.multiple, leg.mode) = (self.direction, self.multiple, self.mode);
        }
        if !self.opened.is_zero() {
            if leg.direction != self.direction {
                return None;
            }
            leg.lots += self.opened;
            leg.cost += self.cost;
        }
        let is_left = !leg.lots.is_zero();
        let below = leg.lots < Lots::ZERO || leg.cost.is_negative() || leg.margin.is_negative();
        if below || (!is_left && !leg.margin.is_zero()) { None } else { Some(is_left) }
    }

    /// What the other side of all results gives: results, and funding that is settled.
    #[must_use]
    pub fn cleared(&self) -> Amount {
        self.result + self.funding
    }

    /// The movements of its party.
    pub fn postings(&self, account: AccountId, units: &BookUnits, reference: u64, post: &mut impl FnMut(Posting)) {
        let none = Amount::ZERO;
        let wallet = match self.mode {
            MarginMode::Isolated => Wallet::Futures,
            MarginMode::Cross => Wallet::Pnl,
        };
        let mut row = |log, available, locked| {
            post(Posting { account, wallet, asset: units.settle, log, available, locked, reference });
        };
        let funding = match self.mode {
            MarginMode::Isolated => (none, self.funding),
            MarginMode::Cross => (self.funding, none),
        };
        let kept = self.margin - self.funding_of_margin() - self.unlocked;
        // What is gained comes first and what is lost last, so that nothing is below zero in between.
        if self.funding.is_positive() {
            row(LogType::FUNDING, funding.0, funding.1);
        }
        if self.result.is_positive() {
            row(LogType::LEVER_CLOSE, self.result, none);
        }
        if !kept.is_zero() {
            row(LogType::LEVER_MARGIN, -kept, kept);
        }
        if self.result.is_negative() {
            row(LogType::LEVER_CLOSE, self.result, none);
        }
        if !self.fee.is_zero() {
            row(LogType::LEVER_FEE, -self.fee, none);
        }
        if self.funding.is_negative() {
            row(LogType::FUNDING, funding.0, funding.1);
        }
    }

    /// Funding of an isolated leg is its margin's.
    fn funding_of_margin(&self) -> Amount {
        match self.mode {
            MarginMode::Isolated => self.funding,
            MarginMode::Cross => Amount::ZERO,
        }
    }
}
