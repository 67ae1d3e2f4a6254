//! What facts of contracts' books do to an account.
//!
//! Owns: how its legs, orders and their locks change. Never does: refuse. Invariants: it keeps what the contract keeps; what is
//! locked is in the lock table. Known limits: none.

use super::legs::{LegTerms, Legs, OwnLeg, OwnOrder};
use crate::account::Account;
use crate::account::locks::{Lock, LockKind};
use crate::contract::book::effect::{Effect, Leg};
use crate::contract::book::facts::{BookFact, BookTrade, ContractOrderPlaced, LegMarginMoved, OrderCut};
use crate::contract::book::order::{BookOrder, BookUnits, LegSide};
use crate::entity::Applied;
use crate::ids::{OrderId, Wallet};
use crate::money::{Amount, Lots};
use crate::record::Role;

impl Account {
    pub(in crate::account) fn apply_book(&mut self, fact: &BookFact, applied: Applied<'_>, role: Role) {
        match (fact, role) {
            (BookFact::ContractOrderPlaced(f), Role::Maker(_) | Role::Item(_)) => self.met(f, role),
            (BookFact::ConditionalsChanged(f), Role::Maker(_) | Role::Item(_)) => {
                f.placed.iter().for_each(|placed| self.met(placed, role));
            }
            (BookFact::LegLiquidated(f), Role::Maker(i)) => self.make(&f.units, &f.trades[i as usize], f.index),
            (BookFact::LegLiquidated(f), Role::Item(i)) => match f.item(i) {
                Ok(cut) => self.cut_order(&f.units, cut),
                Err(leg) => self.apply_effect(&f.units, &leg.effect, f.index),
            },
            (BookFact::LegLiquidated(f), Role::Taker) => {
                f.own_effects().for_each(|effect| self.apply_effect(&f.units, effect, f.index));
                self.count_step(f);
            }
            (BookFact::LegLiquidated(f), Role::Insurance) => self.apply_insured(f),
            (BookFact::LiquidationStarted(f), Role::Decider) => self.begin_case(f),
            (BookFact::LiquidationEnded(f), Role::Decider) => self.end_case(f),
            (BookFact::QuotaSet(f), Role::Decider) => self.apply_quota(f),
            (BookFact::ResultsSettled(f), Role::Insurance) => self.hear_of_deficit(f.settle, f.deficit),
            (BookFact::ContractOrderPlaced(f), Role::Taker) => {
                self.take_order(f, applied.record.time);
                self.remember(applied);
            }
            (BookFact::ConditionalsChanged(f), Role::Taker) => {
                self.own_legs().change_conditionals(f, applied.record.time);
                f.placed.iter().for_each(|placed| self.take_order(placed, applied.record.time));
                self.remember(applied);
            }
            (BookFact::ContractOrdersCanceled(f), Role::Taker) => {
                for gone in &f.orders {
                    self.reduce_order(&f.units, gone.order, (gone.open, gone.opens), gone.locked, |_| {});
                }
                self.remember(applied);
            }
            (BookFact::BookQuotesSet(f), Role::Taker) => {
                for gone in &f.off {
                    self.reduce_order(&f.units, gone.order, (gone.lots, gone.lots), Amount::ZERO, |_| {});
                }
                f.orders().for_each(|rests| self.keep_quote(&f.units, rests, applied.record.time));
                self.remember(applied);
            }
            (BookFact::ContractOrderAmended(f), Role::Taker) => {
                self.cut_order(&f.units, &f.cut);
                self.remember(applied);
            }
            (BookFact::LegMarginMoved(f), Role::Taker) => {
                self.move_leg_margin(f);
                self.remember(applied);
            }
            (BookFact::FundingPaid(f), Role::Item(i)) => {
                let paid = f.legs[i as usize];
                let pay = |leg: &mut Option<Leg>| leg.iter_mut().for_each(|leg| *leg = paid.apply(*leg, f.index));
                self.change_leg(&f.units, paid.leg, pay);
            }
            (BookFact::CountdownSet(_), Role::Taker) => self.remember(applied),
            (BookFact::LegTermsSet(f), Role::Decider) => {
                let (contract, multiple, mode) = (f.contract, f.multiple, f.mode);
                let terms = &mut self.own_legs().rare_mut().terms;
                terms.retain(|terms| terms.contract != contract);
                terms.push(LegTerms { contract, multiple, mode });
                terms.sort_unstable_by_key(|terms| terms.contract);
                self.remember(applied);
            }
            (BookFact::PositionModeSet(f), Role::Decider) => {
                self.own_legs().rare_mut().hedge = f.hedge;
                self.remember(applied);
            }
            // The exchange's own accounts have postings alone, and so have results that are settled.
            (
                BookFact::ContractOrderPlaced(_)
                | BookFact::ConditionalsChanged(_)
                | BookFact::LegLiquidated(_)
                | BookFact::FundingPaid(_)
                | BookFact::ResultsSettled(_),
                Role::Fees | Role::Insurance | Role::Other | Role::Decider,
            ) => {}
            (_, role) => unreachable!("an account is not named by {fact:?} as {role:?}"),
        }
    }

    fn take_order(&mut self, f: &ContractOrderPlaced, time: u64) {
        for trade in &f.trades {
            self.apply_effect(&f.units, &trade.taker_effect, f.index);
        }
        self.keep_order(f, time);
    }

    /// A resting order was filled or cut by an order that came in.
    fn met(&mut self, f: &ContractOrderPlaced, role: Role) {
        match role {
            Role::Maker(i) => self.make(&f.units, &f.trades[i as usize], f.index),
            Role::Item(i) => self.cut_order(&f.units, &f.cuts[i as usize]),
            Role::Decider | Role::Taker | Role::Fees | Role::Insurance | Role::Other => {}
        }
    }

    fn make(&mut self, units: &BookUnits, trade: &BookTrade, index: Amount) {
        let effect = &trade.maker_effect;
        self.apply_effect(units, effect, index);
        self.reduce_order(units, trade.maker_order, (trade.lots, effect.opens), effect.unlocked, |o| {
            o.filled += trade.lots;
        });
    }

    fn own_legs(&mut self) -> &mut Legs {
        self.legs.get_or_insert_default()
    }

    #[inline]
    fn lock_in_book(&mut self, kind: LockKind, reference: u64, units: &BookUnits, amount: Amount) {
        // Of what is cross nothing is locked.
        if amount.is_zero() {
            return;
        }
        let (wallet, asset) = (Wallet::Futures, units.settle);
        self.cold_mut().locks.add(Lock { kind, reference, wallet, asset, amount });
    }

    /// Its place among the legs, or where it would be.
    fn find_leg(&self, units: &BookUnits, side: LegSide) -> Result<usize, usize> {
        let key = (units.contract, side);
        self.legs().binary_search_by_key(&key, |own| (own.units.contract, own.side))
    }

    fn change_leg(&mut self, units: &BookUnits, side: LegSide, change: impl FnOnce(&mut Option<Leg>)) {
        let found = self.find_leg(units, side);
        let legs = &mut self.own_legs().legs;
        let mut leg = found.ok().map(|at| legs[at].leg);
        let before = leg.map_or(Amount::ZERO, |leg| leg.margin);
        change(&mut leg);
        let after = match (found, leg) {
            (Ok(at), Some(leg)) => {
                legs[at].leg = leg;
                leg.margin
            }
            (Ok(at), None) => {
                legs.remove(at);
                Amount::ZERO
            }
            (Err(at), Some(leg)) => {
                // One or two are all that most accounts ever have.
                legs.reserve_exact(1);
                legs.insert(at, OwnLeg { units: *units, side, leg });
                leg.margin
            }
            (Err(_), None) => Amount::ZERO,
        };
        self.changed_leg(units, side, after - before);
    }

    /// A leg was changed, and its margin by so much.
    #[inline]
    fn changed_leg(&mut self, units: &BookUnits, side: LegSide, margin: Amount) {
        let reference = u64::from(units.contract.0) << 2 | side as u64;
        self.lock_in_book(LockKind::Leg, reference, units, margin);
        self.keep_warning();
    }

    fn apply_effect(&mut self, units: &BookUnits, effect: &Effect, index: Amount) {
        let found = self.find_leg(units, effect.leg);
        match (found, self.legs.as_deref_mut()) {
            // Nearly always it is there, and is changed in its place.
            (Ok(at), Some(own)) => {
                let leg = &mut own.legs[at].leg;
                let before = leg.margin;
                let after = if effect.leaves(leg, index) {
                    leg.margin
                } else {
                    own.legs.remove(at);
                    Amount::ZERO
                };
                self.changed_leg(units, effect.leg, after - before);
            }
            _ => self.change_leg(units, effect.leg, |leg| effect.change(leg, index)),
        }
    }

    fn move_leg_margin(&mut self, f: &LegMarginMoved) {
        self.change_leg(&f.units, f.leg, |leg| leg.iter_mut().for_each(|leg| leg.margin += f.amount));
    }

    fn keep_order(&mut self, f: &ContractOrderPlaced, time: u64) {
        if !f.status.is_open() {
            return;
        }
        let own = OwnOrder {
            rests: f.order,
            units: f.units,
            lots: f.lots,
            filled: f.filled(),
            reduce_only: f.reduce_only,
            client_id: f.client_id,
            created: time,
        };
        self.own_legs().orders.insert(own);
        self.lock_in_book(LockKind::BookOrder, f.order.order.0, &f.units, f.order.locked);
    }

    fn keep_quote(&mut self, units: &BookUnits, rests: BookOrder, created: u64) {
        let (lots, filled) = (rests.open, Lots::ZERO);
        let own = OwnOrder { rests, units: *units, lots, filled, reduce_only: false, client_id: None, created };
        self.own_legs().orders.insert(own);
    }

    fn reduce_order(
        &mut self,
        units: &BookUnits,
        id: OrderId,
        (lots, opens): (Lots, Lots),
        unlocked: Amount,
        change: impl FnOnce(&mut OwnOrder),
    ) {
        self.own_legs().orders.change(id, |own| {
            own.rests.reduce(lots, opens, unlocked);
            change(own);
        });
        self.lock_in_book(LockKind::BookOrder, id.0, units, -unlocked);
    }

    fn cut_order(&mut self, units: &BookUnits, cut: &OrderCut) {
        self.reduce_order(units, cut.order, (cut.lots, cut.opens), cut.unlocked, |o| o.lots -= cut.lots);
    }
}

/// Whether accounts are named by a fact in this role.
pub(in crate::account) fn book_names_accounts_as(fact: &BookFact, role: Role) -> bool {
    match fact {
        BookFact::ContractOrderPlaced(_) | BookFact::ConditionalsChanged(_) | BookFact::LegLiquidated(_) => {
            role != Role::Decider
        }
        BookFact::ContractOrdersCanceled(_)
        | BookFact::ContractOrderAmended(_)
        | BookFact::BookQuotesSet(_)
        | BookFact::CountdownSet(_)
        | BookFact::LegMarginMoved(_) => role == Role::Taker,
        BookFact::LegTermsSet(_)
        | BookFact::PositionModeSet(_)
        | BookFact::LiquidationStarted(_)
        | BookFact::LiquidationEnded(_)
        | BookFact::QuotaSet(_) => role == Role::Decider,
        BookFact::ResultsSettled(_) => matches!(role, Role::Decider | Role::Other | Role::Insurance),
        BookFact::FundingPaid(_) => matches!(role, Role::Item(_) | Role::Other),
        BookFact::BookListed(_) | BookFact::BookParamsChanged(_) | BookFact::FundingSet(_) => false,
    }
}
