//! How a contract's book moves with its facts.
//!
//! Owns: what each fact does to orders, legs and counters. Never does: decide. Invariants: the same facts give the same book;
//! trades come first, then what they cut, then what rests. Known limits: none.

use super::ContractBook;
use super::conditional_facts::ConditionalsChanged;
use super::effect::Leg;
use super::facts::{BookFact, BookTrade, ContractOrderPlaced, LegMarginMoved, OrderCut};
use super::order::BookOrder;
use super::waiting::ticks_around;
use crate::contract::Contract;
use crate::contract::facts::MarkSet;
use crate::entity::TimeNs;
use crate::ids::OrderId;
use crate::market::MarketState;
use crate::market::book::Resting;
use crate::money::FeePpm;
use std::sync::Arc;

impl Contract {
    pub(in crate::contract) fn follow_book(&mut self, fact: &BookFact, time: TimeNs) {
        if let BookFact::BookListed(f) = fact {
            self.book = Some(Box::new(ContractBook::new(&f.params, time)));
            return;
        }
        let book = self.book.as_deref_mut().expect("a book is listed before anything happens to it");
        match fact {
            BookFact::BookListed(_) => {}
            BookFact::BookParamsChanged(f) => {
                book.params = Arc::new(f.params.clone());
                book.funding.change_period(time, f.params.funding.period_s);
            }
            BookFact::FundingSet(f) => book.set_funding(f, time),
            BookFact::FundingPaid(f) => book.pay_funding(f),
            BookFact::ContractOrderPlaced(f) => book.take(f),
            BookFact::ContractOrdersCanceled(f) => {
                f.orders.iter().for_each(|gone| book.take_out(gone.order));
                book.update = f.update;
            }
            BookFact::ContractOrderAmended(f) => {
                book.cut(&f.cut);
                book.update = f.update;
            }
            BookFact::ConditionalsChanged(f) => self.change_conditionals(f),
            BookFact::LegMarginMoved(f) => book.move_margin(f),
            BookFact::BookQuotesSet(f) => book.set_quotes(f),
            BookFact::LegLiquidated(f) => book.liquidated(f, time),
            BookFact::QuotaSet(f) => book.set_quota(f, time),
            BookFact::CountdownSet(f) => book.countdowns.set(f.account, f.due),
            BookFact::LiquidationStarted(_)
            | BookFact::LiquidationEnded(_)
            | BookFact::LegTermsSet(_)
            | BookFact::PositionModeSet(_)
            | BookFact::ResultsSettled(_) => {
                unreachable!("a contract is not named by {fact:?}")
            }
        }
    }
}

impl Contract {
    fn change_conditionals(&mut self, f: &ConditionalsChanged) {
        let (params, book) = (self.params.as_deref(), self.book.as_deref_mut());
        let (Some(params), Some(book)) = (params, book) else {
            unreachable!("a contract with waiting orders has a book")
        };
        f.gone.iter().for_each(|gone| book.waiting.remove(gone.order));
        if let Some(waits) = f.waits {
            book.placed += 1;
            book.waiting.insert(waits);
            // One that trails begins at the price that is now.
            book.waiting.note_mark(ticks_around(self.mark, params));
            if !book.last.is_zero() {
                book.waiting.note_last(book.last);
            }
        }
        f.placed.iter().for_each(|placed| book.take_order(placed));
    }

    /// Waiting orders see the mark, while the contract is open.
    pub(in crate::contract) fn show_mark(&mut self) {
        let (params, book) = (self.params.as_deref(), self.book.as_deref_mut());
        if let (Some(params), Some(book), MarketState::Trading) = (params, book, self.state) {
            book.waiting.note_mark(ticks_around(self.mark, params));
        }
    }
}

/// An order at its place in the queue.
fn rest(o: &BookOrder, maker_ppm: FeePpm) -> Resting {
    let BookOrder { order, account, side, ticks, open, .. } = *o;
    Resting { order, account, side, ticks, lots: open, maker_ppm, quote: false }
}

impl ContractBook {
    pub(in crate::contract) fn sample(&mut self, f: &MarkSet, time: TimeNs) {
        self.funding.sample(f, time);
    }

    fn take(&mut self, f: &ContractOrderPlaced) {
        self.placed += 1;
        self.take_order(f);
    }

    /// The same of an order whose id was given when it began to wait.
    fn take_order(&mut self, f: &ContractOrderPlaced) {
        for trade in &f.trades {
            self.trade(trade);
            self.waiting.note_last(trade.ticks);
        }
        for trade in &f.trades {
            let effect = &trade.maker_effect;
            self.legs.change((trade.maker, effect.leg), |leg| effect.change(leg, f.index));
        }
        if !f.trades.is_empty() {
            // The taker's position is looked for and hashed once: nobody trades with himself.
            let effects = f.trades.iter().map(|trade| &trade.taker_effect);
            self.legs.change((f.order.account, f.order.leg), |leg| {
                effects.for_each(|effect| effect.change(leg, f.index));
            });
        }
        f.cuts.iter().for_each(|cut| self.cut(cut));
        if f.status.is_open() {
            self.put_in(f.order, FeePpm(f.maker_ppm));
        }
        self.update = f.update;
    }

    pub(super) fn trade(&mut self, trade: &BookTrade) {
        self.trades += 1;
        self.last = trade.ticks;
        let effect = &trade.maker_effect;
        let at = self.book.place_of_met(trade.maker_order, effect.direction.opening_side());
        let at = at.expect("an order that trades rests");
        self.book.reduce_at(at, trade.lots);
        self.orders.change(at, |o| o.reduce(trade.lots, effect.opens, effect.unlocked));
    }

    /// The place of an order that a fact says rests.
    fn place_of(&self, order: OrderId) -> u32 {
        self.book.place_of(order).expect("what a fact changes rests")
    }

    /// An order rests from now on.
    pub(super) fn put_in(&mut self, order: BookOrder, maker_ppm: FeePpm) {
        let at = self.book.insert(rest(&order, maker_ppm));
        self.orders.insert(at, order);
    }

    /// An order rests no more.
    pub(super) fn take_out(&mut self, order: OrderId) {
        self.orders.remove(self.place_of(order));
        self.book.remove(order);
    }

    pub(super) fn cut(&mut self, cut: &OrderCut) {
        let at = self.place_of(cut.order);
        if cut.gone {
            self.book.remove(cut.order).expect("an order that is cut rests");
        } else {
            self.book.cut(cut.order, cut.lots);
        }
        self.orders.change(at, |o| o.reduce(cut.lots, cut.opens, cut.unlocked));
    }

    fn move_margin(&mut self, f: &LegMarginMoved) {
        let moved = |leg: &mut Option<Leg>| leg.iter_mut().for_each(|leg| leg.margin += f.amount);
        assert!(self.legs.change((f.account, f.leg), moved), "a leg whose margin is moved is there");
    }
}
