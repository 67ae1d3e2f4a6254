//! Contracts' books as the auditor sees them: its own sums of positions, margins and orders.
//!
//! Owns: legs, orders of books, what the clearing account must have. Never does: use the engine's formulas. Invariants checked:
//! long and short lots of a contract are equal; the clearing account has minus the signed cost of all legs, less funding that
//! is owed; results are those of released cost; a trade is at the maker's price and within the taker's limit; what an
//! account's orders close of a leg is no more than the leg; what orders and isolated legs set aside is what they must.
//! Known limits: that the best order was met first is checked by the engine's own tests of the book.

use super::contracts::{INSURANCE, ONE, futures, nearest};
use super::marks::MarkParts;
use super::{Auditor, FEE, Finding, LEVER_HOUSE, SPAN, WalletKey};
use std::collections::{BTreeMap, BTreeSet};
use xng_core::contract::book::effect::Effect;
use xng_core::contract::book::facts::{
    BookFact, BookTrade, ContractOrderPlaced, ContractOrdersCanceled, FundingPaid, LegMarginMoved, OrderCut,
    ResultsSettled,
};
use xng_core::contract::book::order::{BookOrder, BookUnits, LegSide};
use xng_core::contract::book::params::BookParams;
use xng_core::contract::book::quoting::BookQuotesSet;
use xng_core::contract::book::waiting::WaitingBookOrder;
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, MarketId, OrderId, Wallet};
use xng_core::journal::Lsn;
use xng_core::market::LevelFees;
use xng_core::money::{Amount, Ticks};
use xng_core::spot::Side;

pub(super) const CLEARING: AccountId = AccountId(4);

/// A position: lots and cost are positive for a long, negative for a short.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) lots: i64,
    pub(super) cost: i128,
    pub(super) margin: i128,
    /// Funding index up to which it has paid.
    pub(super) paid_to: i128,
    /// The pool may lose with it.
    pub(super) cross: bool,
    /// Its multiple.
    pub(super) multiple: u16,
}

/// A book.
#[derive(Debug, Clone)]
pub(super) struct Book {
    pub(super) asset: AssetId,
    pub(super) marks: MarkParts,
    pub(super) fees: Vec<LevelFees>,
    pub(super) quota_ppm: u32,
    pub(super) liquidation_ppm: u32,
    pub(super) orders: BTreeMap<OrderId, BookOrder>,
    pub(super) waiting: BTreeMap<OrderId, WaitingBookOrder>,
    pub(super) legs: BTreeMap<(AccountId, LegSide), Position>,
    pub(super) index: i128,
    /// Sums over all legs: lots, cost, lots times the index that each has paid to.
    sums: (i64, i128, i128),
}

impl Book {
    fn new(asset: AssetId, time: TimeNs, params: &BookParams) -> Book {
        Book {
            asset,
            marks: MarkParts::new(time, &params.funding),
            fees: params.fees.clone(),
            quota_ppm: params.quota_ppm,
            liquidation_ppm: params.liquidation_ppm,
            orders: BTreeMap::new(),
            waiting: BTreeMap::new(),
            legs: BTreeMap::new(),
            index: 0,
            sums: (0, 0, 0),
        }
    }

    pub(super) fn leg(&self, account: AccountId, side: LegSide) -> Position {
        let new = Position { paid_to: self.index, ..Position::default() };
        self.legs.get(&(account, side)).copied().unwrap_or(new)
    }

    /// Legs of an account.
    pub(super) fn of(&self, account: AccountId) -> impl Iterator<Item = (LegSide, &Position)> {
        let own = self.legs.range((account, LegSide::Both)..=(account, LegSide::Short));
        own.map(|((_, side), leg)| (*side, leg))
    }

    fn set(&mut self, key: (AccountId, LegSide), leg: Position) {
        let add = |sums: &mut (i64, i128, i128), leg: &Position, sign: i64| {
            let lots = leg.lots * sign;
            *sums = (sums.0 + lots, sums.1 + leg.cost * i128::from(sign), sums.2 + i128::from(lots) * leg.paid_to);
        };
        if let Some(old) = self.legs.remove(&key) {
            add(&mut self.sums, &old, -1);
        }
        if leg.lots != 0 {
            add(&mut self.sums, &leg, 1);
            self.legs.insert(key, leg);
        }
    }
}

pub(super) fn sign(side: Side) -> i64 {
    match side {
        Side::Buy => 1,
        Side::Sell => -1,
    }
}

/// What is known of one party's part of a trade.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fill<'a> {
    pub(super) order: &'a BookOrder,
    /// Ticks and lots.
    pub(super) at: (i64, i64),
    /// What is set aside no more, or given.
    pub(super) freed: i128,
    /// The insurance's part of the fee, where it is not the usual one.
    pub(super) insurance: Option<i128>,
}

/// What an isolated order sets aside when so much of it is open, of which a part opens.
fn set_aside(u: &BookUnits, o: &BookOrder, open: i64, opens: i64) -> i128 {
    // What only closes pays its fee out of what that brings.
    if o.mode == MarginMode::Cross || opens == 0 {
        return 0;
    }
    let value = |lots: i64| o.valued.0 * u.lot.0 * i128::from(lots);
    nearest(value(opens), ONE * i128::from(o.multiple))
        + nearest(value(open) * i128::from(o.fee_ppm.0), ONE * 1_000_000)
}

impl Auditor {
    pub(super) fn book_fact(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &BookFact,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        match fact {
            BookFact::BookListed(f) => {
                let Some(listed) = self.contracts.listed.get(&f.params.contract) else {
                    return Err(format!("record {lsn} gives contract {} a book; it is not listed", f.params.contract));
                };
                let book = Book::new(listed.params.settle, time, &f.params);
                self.books.insert(f.params.contract, book);
                Ok(())
            }
            BookFact::ContractOrderPlaced(f) => {
                self.order_ids(lsn, f.units.contract, f.order.order.0, 1)?;
                self.taken_in_book(lsn, f, moved)
            }
            BookFact::ConditionalsChanged(f) => self.conditionals_changed(lsn, f, moved),
            BookFact::ContractOrdersCanceled(f) => self.canceled_in_book(lsn, f, moved),
            BookFact::ContractOrderAmended(f) => {
                self.update(lsn, f.units.contract, f.update.0)?;
                self.cut_in_book(lsn, &f.units, &f.cut, moved)?;
                self.sets_aside(lsn, &f.units, f.cut.order)
            }
            BookFact::BookQuotesSet(f) => self.quotes_in_book(lsn, f),
            BookFact::LegMarginMoved(f) => self.margin_moved(lsn, f, moved),
            BookFact::ResultsSettled(f) => self.results_settled(lsn, f, moved),
            BookFact::FundingSet(f) => {
                self.rate_is_right(lsn, time, f)?;
                let book = self.book_of(lsn, f.units.contract)?;
                let per_lot = nearest(f.mark.0 * f.units.lot.0 * f.rate.0, ONE * ONE);
                book.index += per_lot;
                book.marks.funding_set(time, f);
                if f.per_lot.0 != per_lot || f.index.0 != book.index {
                    return Err(format!("record {lsn} sets {f:?}; {per_lot} a lot is right"));
                }
                self.clearing_is_right(lsn, f.units.contract)
            }
            BookFact::FundingPaid(f) => self.funding_paid(lsn, f, moved),
            BookFact::LiquidationStarted(f) => self.liquidation_started(lsn, time, f),
            BookFact::LegLiquidated(f) => self.leg_liquidated(lsn, time, f, moved),
            BookFact::LiquidationEnded(f) => self.liquidation_ended((lsn, time), f),
            BookFact::QuotaSet(f) => self.quota_set(lsn, f, moved),
            BookFact::BookParamsChanged(f) => {
                let book = self.book_of(lsn, f.params.contract)?;
                (book.quota_ppm, book.liquidation_ppm) = (f.params.quota_ppm, f.params.liquidation_ppm);
                book.fees.clone_from(&f.params.fees);
                book.marks.change_period(time, &f.params.funding);
                Ok(())
            }
            BookFact::LegTermsSet(f) => {
                self.terms.choose(f.account, f.contract, (f.multiple, f.mode));
                Ok(())
            }
            BookFact::PositionModeSet(_) | BookFact::CountdownSet(_) => Ok(()),
        }
    }

    pub(super) fn book_of(&mut self, lsn: Lsn, contract: MarketId) -> Result<&mut Book, Finding> {
        self.books.get_mut(&contract).ok_or_else(|| format!("record {lsn} names the book of {contract}; it has none"))
    }

    /// Locks money of an isolated position or order, or gives it back.
    pub(super) fn lock_futures(
        &mut self,
        account: AccountId,
        asset: AssetId,
        amount: i128,
        moved: &mut Vec<WalletKey>,
    ) {
        let wallet = futures(account, asset);
        self.add(wallet, -amount, amount, moved);
        *self.explained.entry(wallet).or_default() += amount;
    }

    pub(super) fn taken_in_book(
        &mut self,
        lsn: Lsn,
        f: &ContractOrderPlaced,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let (u, o) = (&f.units, &f.order);
        self.has_terms(lsn, u, o)?;
        self.update(lsn, u.contract, f.update.0)?;
        self.trade_ids(lsn, u.contract, f.first_trade.0, f.trades.len() as u64)?;
        if !self.lean {
            self.placed_in_books.entry(o.order).or_insert((o.account, lsn));
        }
        let (mut open, mut opens) = (f.lots.0, f.opens.0);
        self.book_of(lsn, u.contract)?.marks.traded(f.trades.last());
        let mut changed = BTreeSet::new();
        let mut touched = BTreeSet::from([(o.account, o.leg, o.side)]);
        for t in &f.trades {
            let maker = self.maker_of(lsn, u, t, (o.side, o.ticks), o.account)?;
            self.maker_fill(lsn, u, &maker, t, moved)?;
            changed.insert(t.maker_order);
            // Of the incoming order the same is set aside in thought, and paid out of what is available.
            let before = set_aside(u, o, open, opens);
            (open, opens) = (open - t.lots.0, opens - t.taker_effect.opens.0);
            let freed = before - set_aside(u, o, open, opens);
            if t.taker_effect.unlocked.0 != 0 || open < opens || opens < 0 {
                return Err(format!("record {lsn} takes {t:?} from {o:?}"));
            }
            let fill = Fill { order: o, at: (t.ticks.0, t.lots.0), freed, insurance: None };
            self.party(lsn, u, &fill, &t.taker_effect, moved)?;
            touched.extend([(maker.account, maker.leg, maker.side)]);
        }
        for cut in &f.cuts {
            self.cut_in_book(lsn, u, cut, moved)?;
            changed.insert(cut.order);
        }
        for id in changed {
            self.sets_aside(lsn, u, id)?;
        }
        let rests = f.status.is_open();
        let expected = if rests { (open, opens, set_aside(u, o, open, opens)) } else { (0, 0, 0) };
        if (o.open.0, o.opens.0, o.locked.0) != expected || (rests && open == 0) {
            return Err(format!("record {lsn} leaves {o:?}; {expected:?} is right"));
        }
        if rests {
            self.lock_futures(o.account, u.settle, o.locked.0, moved);
            self.book_of(lsn, u.contract)?.orders.insert(o.order, *o);
        } else {
            self.end(o.order, lsn);
        }
        self.touch(o.account);
        for (account, leg, side) in touched {
            self.closes_no_more(lsn, u.contract, account, leg, side)?;
        }
        self.clearing_is_right(lsn, u.contract)
    }

    /// The order that a trade takes from: it rests at the trade's price, which the incoming order may trade at.
    pub(super) fn maker_of(
        &mut self,
        lsn: Lsn,
        u: &BookUnits,
        t: &BookTrade,
        (side, limit): (Side, Ticks),
        taker: AccountId,
    ) -> Result<BookOrder, Finding> {
        let Some(maker) = self.book_of(lsn, u.contract)?.orders.get(&t.maker_order).copied() else {
            return Err(format!("record {lsn} fills order {}, which is not open", t.maker_order));
        };
        let beyond = (t.ticks.0 - limit.0) * sign(side) > 0 && limit.0 != 0;
        let whose = (maker.account, maker.side, maker.ticks) == (t.maker, side.opposite(), t.ticks);
        if beyond || !whose || t.maker == taker || t.lots.0 <= 0 || t.lots.0 > maker.open.0 {
            return Err(format!("record {lsn} makes {t:?} of {maker:?}, within {limit:?}"));
        }
        Ok(maker)
    }

    /// The maker's part of a trade.
    pub(super) fn maker_fill(
        &mut self,
        lsn: Lsn,
        u: &BookUnits,
        maker: &BookOrder,
        t: &BookTrade,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let e = &t.maker_effect;
        let fill = Fill { order: maker, at: (t.ticks.0, t.lots.0), freed: e.unlocked.0, insurance: None };
        self.party(lsn, u, &fill, e, moved)?;
        self.shrink_order(lsn, u, t.maker_order, (t.lots.0, e.opens.0, e.unlocked.0))
    }

    /// One party's part of a trade.
    pub(super) fn party(
        &mut self,
        lsn: Lsn,
        u: &BookUnits,
        fill: &Fill<'_>,
        e: &Effect,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let (order, (ticks, lots), freed) = (fill.order, fill.at, fill.freed);
        let one = i128::from(ticks) * (u.tick.0 * u.lot.0 / ONE);
        let way = sign(order.side);
        let insurance_ppm = i128::from(self.listed(lsn, u.contract)?.params.insurance_ppm);
        let book = self.book_of(lsn, u.contract)?;
        let before = book.leg(order.account, order.leg);
        let isolated = order.mode == MarginMode::Isolated;
        let closed = if before.lots * way < 0 { before.lots.abs().min(lots) } else { 0 };
        let opened = lots - closed;
        let released = nearest(before.cost * i128::from(closed), i128::from(before.lots.abs().max(1)));
        let value = one * i128::from(closed);
        // Closing a long brings its value and takes its cost, which is positive; of a short both are negative.
        let result = -i128::from(way) * value - released;
        let funding = i128::from(before.lots) * (before.paid_to - book.index);
        let insurance = fill.insurance.unwrap_or(e.fee.0 * insurance_ppm / 1_000_000);
        let added = one * i128::from(opened) * i128::from(way);
        let mut margin = 0;
        if isolated {
            let settled = before.margin + funding;
            let given = nearest(settled * i128::from(closed), i128::from(before.lots.abs().max(1)));
            let paid = freed + given + result - e.fee.0;
            let missing = (-paid).max(0);
            let wanted = nearest(one * i128::from(opened), i128::from(order.multiple));
            margin = settled - given - missing + wanted.min(paid.max(0));
            let turns = closed > 0 && opened > 0;
            if margin < 0 || (turns && paid < wanted) || settled - given < missing {
                return Err(format!("record {lsn} fills {order:?}, which cannot pay"));
            }
        }
        let direction = if way > 0 { Direction::Long } else { Direction::Short };
        let right = (closed, opened, released.abs(), added.abs(), result, funding, insurance, margin - before.margin);
        let says = (e.closed.0, e.opened.0, e.released.0, e.cost.0, e.result.0, e.funding.0, e.insurance.0, e.margin.0);
        let same = (e.leg, e.direction, e.mode) == (order.leg, direction, order.mode);
        if right != says || !same || e.fee.0 < 0 || e.fee.0 > one * i128::from(lots) {
            return Err(format!("record {lsn} has {e:?}; {right:?} is right"));
        }
        let lots_after = before.lots + lots * way;
        let margin = if lots_after == 0 { 0 } else { margin };
        let (cost, paid_to) = (before.cost - released + added, book.index);
        let multiple = if before.lots.abs() > closed { before.multiple } else { e.multiple };
        let after = Position { lots: lots_after, cost, margin, paid_to, cross: !isolated, multiple };
        let (asset, gained) = (book.asset, result + funding);
        book.set((order.account, order.leg), after);
        if isolated && opened > 0 && self.leg_worth(u.contract, &after).is_due() {
            return Err(format!("record {lsn} opens {after:?} of account {} at its end", order.account));
        }
        self.in_books.insert(order.account);
        if isolated {
            let wallet = futures(order.account, asset);
            let locked = margin - before.margin - e.unlocked.0;
            self.add(wallet, gained - e.fee.0 - locked, locked, moved);
            *self.explained.entry(wallet).or_default() += locked;
        } else {
            self.add((order.account, Wallet::Pnl, asset), gained - e.fee.0, 0, moved);
        }
        self.add(futures(CLEARING, asset), -gained, 0, moved);
        self.add(futures(FEE, asset), e.fee.0 - insurance, 0, moved);
        self.add(futures(INSURANCE, asset), insurance, 0, moved);
        Ok(())
    }

    /// An order of a book has fewer lots, of which fewer open.
    fn shrink_order(
        &mut self,
        lsn: Lsn,
        u: &BookUnits,
        id: OrderId,
        (lots, opens, unlocked): (i64, i64, i128),
    ) -> Result<(), Finding> {
        let orders = &mut self.book_of(lsn, u.contract)?.orders;
        let Some(order) = orders.get_mut(&id) else {
            return Err(format!("record {lsn} takes from order {id}, which is not open"));
        };
        (order.open.0, order.opens.0) = (order.open.0 - lots, order.opens.0 - opens);
        order.locked.0 -= unlocked;
        if order.opens.0 < 0 || order.open < order.opens {
            return Err(format!("record {lsn} leaves {order:?}"));
        }
        let (is_done, rest) = (order.open.0 == 0, order.locked.0);
        if is_done {
            orders.remove(&id);
            if rest != 0 {
                return Err(format!("record {lsn} ends order {id}, which still sets {rest} aside"));
            }
            self.end(id, lsn);
        }
        Ok(())
    }

    /// Whether an order sets aside what it must, once a record is applied whole.
    pub(super) fn sets_aside(&mut self, lsn: Lsn, u: &BookUnits, id: OrderId) -> Result<(), Finding> {
        match self.book_of(lsn, u.contract)?.orders.get(&id) {
            Some(o) if o.locked.0 != set_aside(u, o, o.open.0, o.opens.0) => {
                Err(format!("record {lsn} leaves {o:?}, which sets aside something else"))
            }
            Some(_) | None => Ok(()),
        }
    }

    pub(super) fn cut_in_book(
        &mut self,
        lsn: Lsn,
        u: &BookUnits,
        cut: &OrderCut,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let found = self.book_of(lsn, u.contract)?.orders.get(&cut.order).copied();
        let Some(order) = found.filter(|o| (o.account, o.side, o.ticks) == (cut.account, cut.side, cut.ticks)) else {
            return Err(format!("record {lsn} cuts {cut:?}, which is {found:?}"));
        };
        self.shrink_order(lsn, u, cut.order, (cut.lots.0, cut.opens.0, cut.unlocked.0))?;
        let is_left = self.book_of(lsn, u.contract)?.orders.contains_key(&cut.order);
        if cut.lots.0 <= 0 || cut.gone == is_left || (cut.gone && cut.unlocked != order.locked) {
            return Err(format!("record {lsn} cuts {cut:?} of {order:?}"));
        }
        self.lock_futures(cut.account, u.settle, -cut.unlocked.0, moved);
        Ok(())
    }

    fn canceled_in_book(
        &mut self,
        lsn: Lsn,
        f: &ContractOrdersCanceled,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        self.update(lsn, f.units.contract, f.update.0)?;
        for gone in &f.orders {
            let known = self.book_of(lsn, f.units.contract)?.orders.remove(&gone.order);
            if known != Some(*gone) || gone.account != f.account {
                return Err(format!("record {lsn} cancels {gone:?}, the order is {known:?}"));
            }
            self.lock_futures(f.account, f.units.settle, -gone.locked.0, moved);
            self.end(gone.order, lsn);
        }
        Ok(())
    }

    /// The house's quotes: those that left stood as the record says, new ones meet nothing.
    fn quotes_in_book(&mut self, lsn: Lsn, f: &BookQuotesSet) -> Result<(), Finding> {
        let u = &f.units;
        self.update(lsn, u.contract, f.update.0)?;
        for gone in &f.off {
            let known = self.book_of(lsn, u.contract)?.orders.remove(&gone.order);
            let right =
                |o: &BookOrder| (o.account, o.side, o.ticks, o.open) == (f.account, gone.side, gone.ticks, gone.lots);
            if !known.as_ref().is_some_and(right) {
                return Err(format!("record {lsn} takes {gone:?} away, the quote is {known:?}"));
            }
            self.end(gone.order, lsn);
        }
        self.order_ids(lsn, u.contract, f.first_order.0, f.on.len() as u64)?;
        for (place, quote) in (0..).zip(&f.on) {
            let (order, way) = (OrderId(f.first_order.0 + place * SPAN), sign(quote.side));
            let price = i128::from(quote.ticks.0) * u.tick.0;
            let valued = if quote.side == Side::Sell { price.max(f.mark.0) } else { price };
            let book = self.book_of(lsn, u.contract)?;
            let meets = book.orders.values().find(|o| o.side != quote.side && (quote.ticks.0 - o.ticks.0) * way >= 0);
            let alike = |o: &&BookOrder| (o.account, o.side, o.ticks) == (f.account, quote.side, quote.ticks);
            if meets.is_some() || quote.lots.0 <= 0 || book.orders.values().any(|o| alike(&o)) {
                return Err(format!("record {lsn} quotes {quote:?}, which meets {meets:?} or stands twice"));
            }
            let rests = BookOrder {
                order,
                account: f.account,
                side: quote.side,
                leg: LegSide::Both,
                ticks: quote.ticks,
                open: quote.lots,
                opens: quote.lots,
                multiple: f.multiple,
                mode: MarginMode::Cross,
                valued: Amount(valued),
                fee_ppm: f.fee_ppm,
                locked: Amount::ZERO,
            };
            book.orders.insert(order, rests);
            self.has_terms(lsn, u, &rests)?;
            if !self.lean {
                self.placed_in_books.entry(order).or_insert((f.account, lsn));
            }
        }
        self.touch(f.account);
        Ok(())
    }

    fn margin_moved(&mut self, lsn: Lsn, f: &LegMarginMoved, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        let book = self.book_of(lsn, f.units.contract)?;
        let mut leg = book.leg(f.account, f.leg);
        leg.margin += f.amount.0;
        if leg.lots == 0 || leg.margin < 0 {
            return Err(format!("record {lsn} moves {} to {leg:?}", f.amount));
        }
        book.set((f.account, f.leg), leg);
        self.lock_futures(f.account, f.units.settle, f.amount.0, moved);
        Ok(())
    }

    fn funding_paid(&mut self, lsn: Lsn, f: &FundingPaid, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        let (contract, asset) = (f.units.contract, f.units.settle);
        for paid in &f.legs {
            let book = self.book_of(lsn, contract)?;
            let mut leg = book.leg(paid.account, paid.leg);
            let amount = i128::from(leg.lots) * (leg.paid_to - book.index);
            if leg.lots.abs() != paid.lots.0 || paid.amount.0 != amount || f.index.0 != book.index {
                return Err(format!("record {lsn} has {paid:?} paid by {leg:?}; {amount} is right"));
            }
            leg.paid_to = book.index;
            if leg.cross {
                self.add((paid.account, Wallet::Pnl, asset), amount, 0, moved);
            } else {
                leg.margin += amount;
                self.add(futures(paid.account, asset), 0, amount, moved);
                *self.explained.entry(futures(paid.account, asset)).or_default() += amount;
            }
            self.book_of(lsn, contract)?.set((paid.account, paid.leg), leg);
            self.add(futures(CLEARING, asset), -amount, 0, moved);
        }
        self.clearing_is_right(lsn, contract)
    }

    fn results_settled(&mut self, lsn: Lsn, f: &ResultsSettled, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        let held = |wallet| self.wallets.get(&(f.account, wallet, f.settle)).map_or(0, |held| held.available);
        let (results, available) = (held(Wallet::Pnl), held(Wallet::Futures));
        let most = (-results - available).max(0);
        let owed = (-results).max(0);
        if f.results.0 != results || f.deficit.0 < 0 || f.deficit.0 > owed || (f.deficit.0 > 0 && f.deficit.0 < most) {
            return Err(format!("record {lsn} settles {f:?} of {results} and {available}"));
        }
        self.add((f.account, Wallet::Pnl, f.settle), -results, 0, moved);
        self.add(futures(f.account, f.settle), results + f.deficit.0, 0, moved);
        if f.deficit.0 > 0 {
            self.add(futures(LEVER_HOUSE, f.settle), -f.deficit.0, 0, moved);
            *self.contracts.deficits.entry(f.settle).or_default() += f.deficit.0;
        }
        Ok(())
    }

    /// What an account's orders of one side close of a leg is no more than the leg.
    pub(super) fn closes_no_more(
        &mut self,
        lsn: Lsn,
        contract: MarketId,
        account: AccountId,
        leg: LegSide,
        side: Side,
    ) -> Result<(), Finding> {
        let book = self.book_of(lsn, contract)?;
        let closable = (-book.leg(account, leg).lots * sign(side)).max(0);
        let alike = book.orders.values().filter(|o| (o.account, o.leg, o.side) == (account, leg, side));
        let closing: i64 = alike.map(|o| o.open.0 - o.opens.0).sum();
        if closing > closable {
            return Err(format!("record {lsn} lets orders of account {account} close {closing} of {closable} lots"));
        }
        Ok(())
    }

    /// Long and short lots are equal, and the clearing account is the other side of all cost and funding.
    pub(super) fn clearing_is_right(&mut self, lsn: Lsn, contract: MarketId) -> Result<(), Finding> {
        let book = self.book_of(lsn, contract)?;
        if book.sums.0 != 0 {
            return Err(format!("record {lsn} leaves {} more long than short lots of {contract}", book.sums.0));
        }
        let asset = book.asset;
        let of_asset = self.books.values().filter(|book| book.asset == asset);
        // Of all lots, which sum to nothing, the index itself cancels out.
        let expected: i128 = of_asset.map(|book| -book.sums.1 + book.sums.2).sum();
        let has = self.wallets.get(&futures(CLEARING, asset)).map_or(0, |held| held.available);
        if has != expected {
            return Err(format!("record {lsn} leaves {has} with the clearing account, legs say {expected}"));
        }
        Ok(())
    }

    /// Whether a cross leg of an account is open.
    pub(super) fn has_cross_legs(&self, account: AccountId, asset: AssetId) -> bool {
        let of_asset = self.books.values().filter(|book| book.asset == asset);
        of_asset.flat_map(|book| book.of(account)).any(|(_, leg)| leg.cross)
    }

    /// Open orders of an account in books.
    pub fn book_orders(&self, account: AccountId) -> impl Iterator<Item = OrderId> {
        let own = |book: &Book| {
            let waiting = book.waiting.values().map(|w| (w.account, w.order));
            book.orders.values().map(|o| (o.account, o.order)).chain(waiting).collect::<Vec<_>>()
        };
        self.books.values().flat_map(own).filter(move |(of, _)| *of == account).map(|(_, order)| order)
    }

    /// Whether an account trades in books: its results are settled by a record of their own.
    pub(super) fn trades_in_books(&self, account: AccountId) -> bool {
        self.in_books.contains(&account)
    }

    /// Whether results are settled that no cross position explains: true when nothing waits in the cell.
    pub fn results_are_settled(&self) -> Result<(), Finding> {
        for account in &self.in_books {
            for (wallet, asset, _) in self.wallets(*account).filter(|(wallet, ..)| *wallet == Wallet::Pnl) {
                if !self.has_cross_legs(*account, asset) {
                    self.is_settled_now(self.last, (*account, wallet, asset))?;
                }
            }
        }
        Ok(())
    }

    /// What legs and orders of books lock.
    pub(super) fn leg_locks(&self) -> impl Iterator<Item = (WalletKey, i128)> {
        self.books.values().flat_map(|book| {
            let legs = book.legs.iter().map(|((account, _), leg)| (futures(*account, book.asset), leg.margin));
            legs.chain(book.orders.values().map(|o| (futures(o.account, book.asset), o.locked.0)))
        })
    }
}
