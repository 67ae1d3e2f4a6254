//! A step of a liquidation in a contract's book.
//!
//! Owns: the price at which nothing is left of a position, the order that closes it, the fact of the step. Never does: judge
//! whether its owner is at the end; the account does. Invariants: nothing happens without a fresh mark, or while a jump
//! waits; a step that was taken is not taken again; the insurance gives no more than the contract's quota. What
//! the book does not take: `deleverage.rs`.
//! Rules: `docs/rules/contracts.md "Liquidation of legs"`. Known limits: none.

use super::effect::Leg;
use super::facts::CutReason;
use super::liquidation_facts::{LegLiquidated, QuotaSet};
use super::order::{BookOrder, BookUnits, LegSide};
use super::trading::{Deal, Rescue};
use super::{ContractBook, SetApart};
use crate::account::AccountCommand;
use crate::contract::Contract;
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::contract::liquidation::Holding;
use crate::contract::params::ContractParams;
use crate::contract::pool::Pool;
use crate::entity::{Ask, Command, Ctx, Decision, TimeNs};
use crate::fraction::Fraction;
use crate::ids::{AccountId, OrderId, TradeId};
use crate::market::matching::{Incoming, MAX_MATCHES, MatchResult, match_order};
use crate::market::{EndReason, MarketState, Side, Stp};
use crate::money::{Amount, FeePpm, Lots, Ticks};

/// The order of a liquidation stays so near to the mark.
const BAND_PPM: u32 = 20_000;
/// The insurance looks after the quota of a contract with positions so often.
const QUOTA_EVERY: TimeNs = 3_600_000_000_000;
/// And so long after some of it was used.
const QUOTA_AFTER: TimeNs = 60_000_000_000;

/// A step, as the owner's account asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Liquidate {
    /// Whose.
    pub account: AccountId,
    /// Which position.
    pub leg: LegSide,
    /// Number of the case, and of the step in it.
    pub case: u32,
    /// See there.
    pub step: u32,
    /// How much is closed at most.
    pub lots: Lots,
    /// What the pool gives for the position: it may lose so much against the mark. Of an isolated one nothing.
    pub share: Amount,
}

/// The price at which nothing is left of a position.
fn bankruptcy(leg: &Leg, units: &BookUnits, index: Amount, (mark, share): (Amount, Amount)) -> (Holding, Ticks) {
    let base = units.base(leg.lots);
    let (cost, margin) = match leg.mode {
        MarginMode::Isolated => (leg.cost, leg.margin + leg.funding(index)),
        MarginMode::Cross => {
            let value = Fraction::value(mark, base).round8();
            // What else the pool lost is not paid for by those who are opposite to this position.
            (value, share.max(leg.unrealised(mark, units).round8().min(Amount::ZERO)))
        }
    };
    let holding = Holding { direction: leg.direction, base, cost, margin };
    let ticks = holding.bankruptcy_ticks(units.tick).unwrap_or(Ticks(1)).max(Ticks(1));
    (holding, ticks)
}

/// Whether an isolated position is at its end.
pub(super) fn is_due(leg: &Leg, params: &ContractParams, (mark, index): (Amount, Amount)) -> bool {
    let units = params.book_units();
    let gain = leg.unrealised(mark, &units).plus((leg.margin + leg.funding(index)).into());
    let kept = params.brackets.maintenance(Fraction::value(mark, units.base(leg.lots)));
    Pool::of(Amount::ZERO).and_leg(gain, kept).is_due()
}

impl Contract {
    pub(super) fn liquidate(&self, params: &ContractParams, wanted: &Liquidate, ctx: &Ctx<'_>) -> Decision {
        // Since it was asked the index may have jumped.
        let live = self.state == MarketState::Trading && self.is_fresh(params, ctx.now) && !self.jumps;
        let step = self.book.as_deref().filter(|_| live).and_then(|book| self.step(book, params, wanted));
        step.map_or(Decision::Nothing, |fact| Decision::Fact(fact.into()))
    }

    fn step(&self, book: &ContractBook, params: &ContractParams, wanted: &Liquidate) -> Option<LegLiquidated> {
        let (account, side, units) = (wanted.account, wanted.leg, params.book_units());
        let leg = *book.legs.get(account, side)?;
        let number = (wanted.case, wanted.step);
        if book.set_apart.steps.get(&(account, side)).is_some_and(|taken| *taken >= number) {
            return None;
        }
        let (mark, index) = (self.mark, book.funding.index);
        if leg.mode == MarginMode::Isolated && !is_due(&leg, params, (mark, index)) {
            // Since it was asked the mark moved, or margin came.
            return None;
        }
        let (holding, bankruptcy_ticks) = bankruptcy(&leg, &units, index, (mark, wanted.share));
        // With more funding owed than there is margin, a part of it cannot pay for itself.
        let all = leg.mode == MarginMode::Isolated && holding.margin.is_negative();
        let lots = if all { leg.lots } else { leg.lots.min(wanted.lots) };
        if lots <= Lots::ZERO {
            return None;
        }
        let quota = book.set_apart.quota;
        let closed = Holding {
            base: units.base(lots),
            cost: units.value(bankruptcy_ticks, lots),
            margin: Amount::ZERO,
            ..holding
        };
        let worst = closed.worst_ticks(quota, mark, BAND_PPM, units.tick).max(Ticks(1));
        let taker = closing_order(&leg, (account, side), lots, worst);
        let rescue =
            Rescue { bankruptcy: bankruptcy_ticks, fee_ppm: book.params.liquidation_ppm, quota, insured: Amount::ZERO };
        let closing = book.orders.of_side(account, side, taker.side).1.closing;
        let mut deal = Deal::new(book, &units, (params, mark), FeePpm(0), (taker, Some(&leg), closing));
        deal.rescue = Some(rescue);
        let mut outcome = MatchResult::default();
        let incoming = Incoming {
            account,
            side: taker.side,
            limit: Some(worst),
            lots,
            budget: None,
            stp: Stp::ExpireMaker,
            taker_ppm: FeePpm(0),
            at_most: MAX_MATCHES,
        };
        match_order(&book.book, &mut deal, &incoming, None, &mut outcome);
        outcome.prevented.iter().for_each(|own| deal.take_out(own.order, CutReason::SelfTrade));
        // With more to trade in the book nobody else is asked yet.
        let left = if outcome.stop == Some(EndReason::TradeLimit) { Lots::ZERO } else { deal.taker.open };
        let price = match (leg.mode, deal.leg(account, side)) {
            (MarginMode::Isolated, Some(now)) => bankruptcy(&now, &units, index, (mark, wanted.share)).1,
            _ => bankruptcy_ticks,
        };
        let deleverage = deal.deleverage((account, side), left, price, mark);
        let insured = deal.rescue.as_ref().map_or(Amount::ZERO, |rescue| rescue.insured);
        let cuts = deal.take_cuts();
        if deal.trades.is_empty() && deleverage.is_none() && cuts.is_empty() {
            return None;
        }
        Some(LegLiquidated {
            units,
            account,
            leg: side,
            mode: leg.mode,
            case: wanted.case,
            step: wanted.step,
            mark,
            lots,
            margin: holding.margin,
            bankruptcy: bankruptcy_ticks,
            worst,
            index,
            first_trade: TradeId::of(units.contract, book.trades + 1),
            trades: deal.trades,
            insured,
            deleverage,
            cuts,
            update: book.next_update(),
            order: OrderId::of(units.contract, book.placed + 1),
        })
    }

    pub(in crate::contract) fn ask_quota(&self) -> Decision {
        let command = Command::Account(AccountId::INSURANCE, AccountCommand::SetQuota(self.id));
        Decision::Ask(Box::new(Ask { command, hold: None }))
    }

    /// When the insurance looks after the quota next: nobody needs one without positions.
    pub(in crate::contract) fn quota_due(&self) -> Option<TimeNs> {
        let book = self.book.as_deref().filter(|book| !book.legs.is_empty())?;
        Some(book.set_apart.due)
    }
}

/// The order that closes lots of a position; it sets nothing aside and pays no fee of orders.
fn closing_order(leg: &Leg, (account, side): (AccountId, LegSide), lots: Lots, ticks: Ticks) -> BookOrder {
    BookOrder {
        order: OrderId(0),
        account,
        side: match leg.direction {
            Direction::Long => Side::Sell,
            Direction::Short => Side::Buy,
        },
        leg: side,
        ticks,
        open: lots,
        opens: Lots::ZERO,
        multiple: leg.multiple,
        mode: leg.mode,
        valued: Amount::ZERO,
        fee_ppm: FeePpm(0),
        locked: Amount::ZERO,
    }
}

impl ContractBook {
    pub(super) fn liquidated(&mut self, f: &LegLiquidated, time: TimeNs) {
        let last = self.last;
        for trade in &f.trades {
            self.trade(trade);
            if !f.is_insured(trade) {
                self.waiting.note_last(trade.ticks);
            }
        }
        // What the insurance paid for is no price.
        self.last = f.trades.iter().rev().find(|trade| !f.is_insured(trade)).map_or(last, |trade| trade.ticks);
        for (account, effect) in f.effects() {
            if !self.legs.change((account, effect.leg), |leg| effect.change(leg, f.index)) {
                self.set_apart.steps.remove(&(account, effect.leg));
            }
        }
        f.cuts.iter().for_each(|cut| self.cut(cut));
        if self.legs.get(f.account, f.leg).is_some() {
            self.set_apart.steps.insert((f.account, f.leg), (f.case, f.step));
        }
        self.placed += f.orders();
        self.trades += f.trade_ids() - f.trades.len() as u64;
        let apart: &mut SetApart = &mut self.set_apart;
        apart.quota -= f.insured;
        assert!(!apart.quota.is_negative(), "{f:?} takes more than was set apart");
        if f.insured.is_positive() {
            apart.due = apart.due.min(time + QUOTA_AFTER);
        }
        self.update = f.update;
    }

    pub(super) fn set_quota(&mut self, f: &QuotaSet, time: TimeNs) {
        (self.set_apart.quota, self.set_apart.due) = (f.quota, time + QUOTA_EVERY);
    }
}
