//! How a market moves with its facts.
//!
//! Owns: what each fact does to book, quotes, waiting orders, prices and counters. Never does: decide. Invariants: the same facts
//! give the same market; a fact is applied whole. Known limits: none.

use super::facts::{self, OrderList, OrderPlaced, OrdersChanged, QuotesSet};
use super::{
    Iceberg, ListKind, Market, MarketParams, MarketState, OrderStatus, Resting, Side, StateReason, TriggerKind,
};
use crate::account::facts::AccountFact;
use crate::ids::{AccountId, OrderId};
use crate::money::{Amount, Ticks};
use crate::price::facts::PriceFact;
use crate::record::{Fact, Record};
use crate::spot::facts::SpotFact;

impl Market {
    /// Takes over what a record says.
    pub(super) fn follow(&mut self, record: &Record) {
        if let Fact::Spot(fact) = &record.fact {
            self.follow_spot(fact);
        } else if let Fact::Price(PriceFact::PriceTicked(f)) = &record.fact {
            self.index = f.index;
            self.index_time = record.time;
            self.note_index(f.index);
            if let (Some(stock), Some(terms)) = (&mut self.stock, self.params.as_ref().and_then(|p| p.stock.as_ref())) {
                stock.note(terms, record.time, f.index);
            }
        } else if let Fact::Stock(fact) = &record.fact {
            self.follow_stock(fact);
        } else if let Fact::Account(AccountFact::Granted(f)) = &record.fact {
            self.stock_mut().held_by(f.account);
        } else {
            unreachable!("a market is not named by {}", record.fact.name());
        }
    }

    fn follow_spot(&mut self, fact: &SpotFact) {
        match fact {
            SpotFact::MarketListed(f) => self.list(&f.params),
            SpotFact::MarketParamsChanged(f) => self.change_units(&f.params),
            SpotFact::MarketStateChanged(f) => {
                for q in &f.off {
                    self.take_off(q.side, q.ticks);
                }
                (self.state, self.reason, self.update) = (f.state, f.reason, f.update);
            }
            SpotFact::OrderPlaced(f) => {
                self.orders += 1;
                self.apply_order(f);
            }
            SpotFact::OrdersChanged(f) => self.apply_change(f),
            SpotFact::OrdersCanceled(f) => {
                for o in &f.orders {
                    self.book.remove(o.order).expect("a cancelled order rests");
                    self.stock.iter_mut().for_each(|stock| stock.ended(o.order));
                }
                self.update = f.update;
            }
            SpotFact::QuotesSet(f) => self.apply_quotes(f),
            SpotFact::TradeIdsReserved(f) => self.trades += u64::from(f.count),
        }
    }

    /// The price is here: of a trade, or of the index, which lies between two ticks.
    fn note(&mut self, floor: Ticks, ceiling: Ticks) {
        self.seen = floor;
        self.triggers.note(floor, ceiling);
    }

    fn note_index(&mut self, index: Amount) {
        let Some(tick) = self.params.as_ref().map(|p| p.tick.0) else { return };
        let floor = i64::try_from(index.0 / tick).unwrap_or(i64::MAX - 1);
        let ceiling = floor + i64::from(index.0 % tick != 0);
        self.note(Ticks(floor), Ticks(ceiling));
    }

    fn take_off(&mut self, side: Side, ticks: Ticks) {
        let order = self.quotes.remove(&(side, ticks)).expect("a quote that is taken off rests");
        self.book.remove(order).expect("a quote rests in the book");
    }

    fn fill(&mut self, trade: &facts::Trade, taker: AccountId, maker_side: Side) {
        if let Some(stock) = &mut self.stock {
            stock.holders.insert(if maker_side == Side::Buy { trade.maker.0 } else { taker.0 });
            if trade.maker_done {
                stock.ended(trade.maker_order);
            }
        }
        let refilled = self.book.reduce(trade.maker_order, trade.lots);
        debug_assert_eq!(refilled, trade.refill, "an iceberg shows what the record says");
        if trade.maker_quote && trade.maker_done {
            self.quotes.remove(&(maker_side, trade.ticks));
        }
        self.lists.touched(trade.maker_order);
        if trade.maker_done {
            self.lists.ended(trade.maker_order, true);
        }
        self.last = trade.ticks;
        self.trades += 1;
        self.note(trade.ticks, trade.ticks);
    }

    fn prevent(&mut self, prevented: &facts::Prevented, side: Side) {
        if prevented.closed {
            self.stock.iter_mut().for_each(|stock| stock.ended(prevented.order));
            self.book.remove(prevented.order).expect("a prevented order rests");
            self.lists.ended(prevented.order, false);
        } else {
            self.book.reduce(prevented.order, prevented.lots - prevented.hidden);
        }
        if prevented.quote && prevented.closed {
            self.quotes.remove(&(side, prevented.ticks));
        }
        self.lists.touched(prevented.order);
    }

    fn apply_order(&mut self, f: &OrderPlaced) {
        for prevented in &f.prevented {
            self.prevent(prevented, f.side.opposite());
        }
        for trade in &f.trades {
            self.fill(trade, f.account, f.side.opposite());
        }
        if let Some(stock) = &mut self.stock {
            stock.ended(f.order);
            if !f.rest.is_zero() {
                stock.opened(f.order, f.tif);
            }
        }
        if !f.rest.is_zero() {
            let (order, account, side, ticks) = (f.order, f.account, f.side, f.ticks);
            let (lots, maker_ppm) = (f.shown(), f.maker_ppm);
            self.book.insert(Resting { order, account, side, ticks, lots, maker_ppm, quote: false });
            if lots < f.rest {
                self.book.hide(order, Iceberg { slice: f.iceberg, hidden: f.rest - lots });
            }
        }
        self.update = f.update;
    }

    fn apply_change(&mut self, f: &OrdersChanged) {
        for gone in &f.gone {
            let queued = self.leave_queue(gone.order);
            if !self.lists.forget(gone.order) && !queued && self.triggers.remove(gone.order).is_none() {
                self.book.remove(gone.order).expect("an order that is gone rested or waited");
            }
        }
        for amended in &f.amended {
            if self.triggers.get(amended.order).is_some() {
                self.triggers.change(amended.order, |waiting| {
                    waiting.lots -= amended.cut;
                    waiting.locked -= amended.released;
                    waiting.client_id = amended.client_id;
                });
            } else {
                self.book.cut(amended.order, amended.cut);
            }
        }
        if let Some((order, _)) = f.triggered {
            self.lists.forget(order);
            let waited = self.leave_queue(order) || self.triggers.remove(order).is_some();
            assert!(waited, "an order that is triggered waited");
        }
        // Orders whose turn came have had their ids since they were taken.
        if let Some(first) = f.activated {
            self.lists.activate(first);
        }
        if let Some(placed) = &f.placed {
            self.orders += u64::from(f.triggered.is_none() && f.activated.is_none());
            self.apply_order(placed);
        }
        for waiting in &f.waiting {
            self.orders += u64::from(f.activated.is_none());
            self.stock.iter_mut().for_each(|stock| stock.opened(waiting.order, waiting.tif));
            if waiting.trigger.kind == TriggerKind::Open {
                self.stock_mut().enqueue(waiting.clone());
                continue;
            }
            let reached = f.activated.is_some() && self.reached(waiting.side, &waiting.trigger);
            self.triggers.insert(waiting.clone(), reached);
        }
        if let Some(list) = &f.list {
            self.begin_list(list, f);
        }
        self.update = f.update;
    }

    /// An order is not open any more; true when it waited for the open.
    fn leave_queue(&mut self, order: OrderId) -> bool {
        self.stock.as_mut().is_some_and(|stock| {
            stock.ended(order);
            stock.dequeue(order)
        })
    }

    fn begin_list(&mut self, list: &OrderList, f: &OrdersChanged) {
        match (list.kind, &list.orders[..]) {
            (ListKind::OneCancels, [one, other]) => self.lists.link(*one, *other),
            (ListKind::OneCancels, _) => {}
            (ListKind::OneTriggers, _) => {
                self.orders += f.pending.len() as u64;
                self.lists.wait_for(list.list, f.account, f.pending.clone());
                if let Some(first) = f.placed.as_ref().filter(|first| !first.status.is_open()) {
                    self.lists.ended(first.order, first.status == OrderStatus::Filled);
                }
            }
        }
    }

    fn apply_quotes(&mut self, f: &QuotesSet) {
        self.house = f.account;
        if f.opens {
            (self.state, self.reason) = (MarketState::Trading, StateReason::Fresh);
        }
        for q in &f.off {
            self.take_off(q.side, q.ticks);
        }
        for (i, t) in f.trades.iter().enumerate() {
            self.fill(&t.trade, f.account, f.trade_side(i).opposite());
        }
        for (i, q) in f.on.iter().enumerate() {
            self.orders += 1;
            if q.rest.is_zero() {
                continue;
            }
            let order = f.order(i as u32);
            let (account, maker_ppm) = (f.account, f.maker_ppm);
            let (side, ticks, lots) = (q.side, q.ticks, q.rest);
            self.book.insert(Resting { order, account, side, ticks, lots, maker_ppm, quote: true });
            self.quotes.insert((side, ticks), order);
        }
        self.update = f.update;
    }

    /// New parameters; the last price is told in the new tick, and forgotten when that cannot tell it.
    fn change_units(&mut self, params: &MarketParams) {
        if let Some(old) = self.params.replace(params.clone()) {
            let price = i128::from(self.last.0) * old.tick.0;
            let same = price % params.tick.0 == 0;
            let ticks = i64::try_from(price / params.tick.0).ok().filter(|_| same);
            self.last = Ticks(ticks.unwrap_or(0));
            self.seen = self.last;
        }
    }

    fn list(&mut self, params: &MarketParams) {
        self.params = Some(params.clone());
        if params.stock.is_some() {
            self.stock_mut();
        }
        (self.state, self.reason) = params.first_state();
    }
}
