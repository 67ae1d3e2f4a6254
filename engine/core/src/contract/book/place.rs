//! Taking an order of a contract's book: checks, matching, what rests.
//!
//! Owns: the order of the checks, and the fact that comes of it. Never does: change the book; evolving does. Invariants: a
//! refusal comes before anything is matched; an order opens no more than its account said it would.
//! Rules: `docs/rules/contracts.md "Book orders"`. Known limits: one order a decision.

use super::effect::Leg;
use super::facts::{BookTrade, ContractOrderPlaced, CutReason, OrderCut};
use super::order::{BookOrder, BookUnits, NewBookOrder};
use super::orders::OrderSums;
use super::trading::Deal;
use super::{ContractBook, MAX_TICKS, Submit};
use crate::contract::Contract;
use crate::contract::leg::{Direction, divide};
use crate::contract::params::ContractParams;
use crate::fraction::Fraction;
use crate::ids::{OrderId, TradeId, UpdateId};
use crate::market::book::Resting;
use crate::market::matching::{Incoming, MAX_MATCHES, MatchResult, match_order};
use crate::market::{EndReason, MarketState, OrderKind, OrderStatus, Side, Stp, Tif};
use crate::money::{Amount, Lots, Ticks};
use crate::reject::Reject;
use std::cmp::Ordering;

const PPM: i128 = 1_000_000;

impl ContractParams {
    /// What ticks and lots of its book mean.
    #[must_use]
    pub fn book_units(&self) -> BookUnits {
        BookUnits { contract: self.contract, settle: self.settle, lot: self.lot, tick: self.tick }
    }
}

/// Whether an order of this side and price takes one of the other side at `best`.
fn crosses(side: Side, ticks: Ticks, best: Ticks) -> bool {
    match side {
        Side::Buy => ticks >= best,
        Side::Sell => ticks <= best,
    }
}

/// The price that is better for the other side: which an order of this side reaches first.
fn nearer(side: Side, one: Ticks, other: Ticks) -> Ticks {
    match side {
        Side::Buy => one.min(other),
        Side::Sell => one.max(other),
    }
}

/// What the owner of an order has in the book before it comes.
struct Standing<'a> {
    /// The position that it is about.
    leg: Option<&'a Leg>,
    /// How many orders rest.
    orders: usize,
    /// Sums of those of its position and side.
    sums: OrderSums,
}

impl Standing<'_> {
    /// The position, if it is of that direction.
    fn leg_of(&self, direction: Direction) -> Option<&Leg> {
        self.leg.filter(|leg| leg.direction == direction)
    }

    /// How an order divides: what it closes of the position, and what it opens.
    fn divide(&self, wanted: &NewBookOrder) -> (Lots, Lots) {
        let opposite = self.leg_of(Direction::opened_by(wanted.side).opposite());
        let closing = if wanted.rests() { self.sums.closing } else { Lots::ZERO };
        divide(wanted.lots, opposite.map_or(Lots::ZERO, |leg| leg.lots), closing)
    }
}

impl ContractBook {
    pub(super) fn next_order(&self, units: &BookUnits) -> OrderId {
        OrderId::of(units.contract, self.placed + 1)
    }

    pub(super) fn next_update(&self) -> UpdateId {
        UpdateId(self.update.0 + 1)
    }

    /// What the owner of an order has in the book already.
    fn standing(&self, terms: &BookOrder) -> Standing<'_> {
        let (account, leg) = (terms.account, terms.leg);
        let (orders, sums) = self.orders.of_side(account, leg, terms.side);
        Standing { leg: self.legs.get(account, leg), orders, sums }
    }

    pub(super) fn check_shape(&self, wanted: &NewBookOrder) -> Result<(), Reject> {
        let p = &self.params;
        let priced = match wanted.kind {
            OrderKind::Limit => wanted.ticks.0 > 0 && wanted.ticks.0 <= MAX_TICKS,
            OrderKind::Market => wanted.ticks.is_zero(),
        };
        if !priced {
            return Err(Reject::BadPrice);
        }
        // A contract has no trading days.
        if wanted.tif == Tif::Day {
            return Err(Reject::BadParameters);
        }
        if wanted.lots < p.lots.0 {
            return Err(Reject::BelowMinAmount);
        }
        if wanted.lots > p.lots.1 {
            return Err(Reject::AboveMaxAmount);
        }
        // What both sides would lose is not worth its money here.
        if wanted.stp == Stp::Decrement { Err(Reject::NotAllowed) } else { Ok(()) }
    }

    /// What an account would have of one direction, at its worst, against the brackets.
    fn check_bracket(
        standing: &Standing<'_>,
        params: &ContractParams,
        units: &BookUnits,
        mark: Amount,
        o: &BookOrder,
    ) -> Result<(), Reject> {
        if o.opens.is_zero() {
            return Ok(());
        }
        let leg = standing.leg_of(Direction::opened_by(o.side));
        let held = (mark, leg.map_or(Amount::ZERO, |leg| units.base(leg.lots)));
        let resting = (Amount(standing.sums.opened), units.lot);
        let notional = Fraction::values([held, (o.valued, units.base(o.opens)), resting]);
        let most = params.brackets.multiple_of(notional).ok_or(Reject::BracketExceeded)?;
        if o.multiple > most { Err(Reject::BadMultiple) } else { Ok(()) }
    }
}

impl Contract {
    /// The order's fact, or why it is refused.
    pub(super) fn place(&self, params: &ContractParams, submit: &Submit) -> Result<Box<ContractOrderPlaced>, Reject> {
        let book = self.book.as_deref().ok_or(Reject::NotAllowed)?;
        if self.state != MarketState::Trading {
            return Err(Reject::MarketClosed);
        }
        let Submit { terms, wanted, .. } = submit;
        if wanted.versions != (params.version, book.params.version) {
            return Err(Reject::StaleTerms);
        }
        book.check_shape(wanted)?;
        self.check_band(book, params, wanted)?;
        let units = params.book_units();
        let only_closes = wanted.reduce_only || wanted.leg.is_closed_by(wanted.side);
        let standing = book.standing(terms);
        let (closes, opens) = standing.divide(wanted);
        let (open, opens) = if only_closes { (closes, Lots::ZERO) } else { (wanted.lots, opens) };
        if open.is_zero() {
            return Err(Reject::ReduceOnly);
        }
        let order = submit.fires.unwrap_or_else(|| book.next_order(&units));
        let mut taker = BookOrder { order, ticks: wanted.ticks, open, opens, locked: Amount::ZERO, ..*terms };
        taker.locked = taker.lock(&units);
        if opens > terms.opens || taker.locked > submit.held {
            // Since it was asked, its account's positions changed.
            let fires = submit.fires.is_some();
            return Err(if fires { Reject::StaleTerms } else { Reject::MarginInsufficient });
        }
        ContractBook::check_bracket(&standing, params, &units, self.mark, &taker)?;
        if wanted.rests() && standing.orders >= book.params.max_open_orders as usize {
            return Err(Reject::TooManyOrders);
        }
        let best = book.book.best(wanted.side.opposite());
        let meets = wanted.kind == OrderKind::Limit && best.is_some_and(|b| crosses(wanted.side, wanted.ticks, b));
        if wanted.tif == Tif::PostOnly && meets {
            return Err(Reject::WouldMatch);
        }
        Ok(self.run((book, &standing, best), params, (&units, taker), submit))
    }

    fn check_band(&self, book: &ContractBook, params: &ContractParams, wanted: &NewBookOrder) -> Result<(), Reject> {
        if wanted.kind == OrderKind::Market {
            return Ok(());
        }
        let price = i128::from(wanted.ticks.0).checked_mul(params.tick.0 * PPM).ok_or(Reject::BadPrice)?;
        let band = i128::from(book.params.band_ppm);
        let inside = price >= self.mark.0 * (PPM - band) && price <= self.mark.0 * (PPM + band);
        if inside { Ok(()) } else { Err(Reject::OutsidePriceBand) }
    }

    /// Matches an order that is let through, and says what becomes of it.
    fn run(
        &self,
        (book, standing, best): (&ContractBook, &Standing<'_>, Option<Ticks>),
        params: &ContractParams,
        (units, taker): (&BookUnits, BookOrder),
        submit: &Submit,
    ) -> Box<ContractOrderPlaced> {
        let wanted = &submit.wanted;
        let fees = book.params.fees_of(submit.level);
        let limit = match wanted.kind {
            OrderKind::Limit => nearer(wanted.side, wanted.ticks, submit.worst),
            OrderKind::Market => submit.worst,
        };
        let reaches = |limit| best.is_some_and(|best| crosses(wanted.side, limit, best));
        let mut order = taker;
        let (trades, cuts, stop) = if reaches(limit) {
            let own = (taker, standing.leg, standing.sums.closing);
            let mut deal = Deal::new(book, units, (params, self.mark), fees.taker, own);
            deal.ahead = !wanted.rests();
            let incoming = Incoming {
                account: taker.account,
                side: taker.side,
                limit: Some(limit),
                lots: taker.open,
                budget: None,
                stp: wanted.stp,
                taker_ppm: fees.taker,
                at_most: MAX_MATCHES,
            };
            deal.run(&incoming, wanted, &mut order)
        } else {
            let stop = match wanted.tif {
                Tif::Fok => Some(EndReason::FillOrKill),
                // What would rest must not meet the other side.
                Tif::Gtc | Tif::Ioc | Tif::PostOnly | Tif::Day => {
                    reaches(wanted.ticks).then_some(EndReason::Protection)
                }
            };
            (Vec::new(), Vec::new(), stop)
        };
        let filled = !trades.is_empty();
        let (status, reason) = ending(wanted, stop, order.open, filled);
        if !status.is_open() {
            (order.open, order.opens, order.locked) = (Lots::ZERO, Lots::ZERO, Amount::ZERO);
        }
        let touches = filled || !cuts.is_empty() || status.is_open();
        Box::new(ContractOrderPlaced {
            units: *units,
            order,
            kind: wanted.kind,
            tif: wanted.tif,
            stp: wanted.stp,
            reduce_only: wanted.reduce_only,
            lots: taker.open,
            opens: taker.opens,
            maker_ppm: fees.maker.0,
            client_id: wanted.client_id,
            index: book.funding.index,
            first_trade: TradeId::of(units.contract, book.trades + 1),
            trades,
            cuts,
            status,
            reason,
            update: if touches { book.next_update() } else { book.update },
        })
    }
}

/// Trades, cuts, and why the order ends before it is filled.
type Dealt = (Vec<BookTrade>, Vec<OrderCut>, Option<EndReason>);

impl Deal<'_> {
    /// Matches the incoming order; `order` is what is left of it.
    #[inline]
    fn run(mut self, incoming: &Incoming, wanted: &NewBookOrder, order: &mut BookOrder) -> Dealt {
        let mut outcome = MatchResult::default();
        let book = &self.book.book;
        match_order(book, &mut self, incoming, None, &mut outcome);
        outcome.prevented.iter().for_each(|own| self.take_out(own.order, CutReason::SelfTrade));
        if wanted.tif == Tif::Fok && !self.taker.open.is_zero() {
            return (Vec::new(), Vec::new(), Some(EndReason::FillOrKill));
        }
        let mut stop = outcome.stop;
        // What would rest must not meet what is left of the other side.
        let meets = |r: &Resting| crosses(wanted.side, wanted.ticks, r.ticks);
        let stands = |r: Resting| !self.order(r.order).open.is_zero();
        if stop.is_none() && !self.taker.open.is_zero() {
            let other = book.walk(wanted.side.opposite());
            if other.take_while(meets).any(stands) {
                stop = Some(EndReason::Protection);
            }
        }
        *order = self.taker;
        (std::mem::take(&mut self.trades), self.take_cuts(), stop)
    }
}

/// State of the order after its decision, and why a remainder is gone.
fn ending(wanted: &NewBookOrder, stop: Option<EndReason>, left: Lots, filled: bool) -> (OrderStatus, EndReason) {
    let gone = |reason| (OrderStatus::Expired, reason);
    match (stop, left.0.cmp(&0)) {
        (Some(EndReason::SelfTrade), _) => (OrderStatus::ExpiredInMatch, EndReason::SelfTrade),
        (_, Ordering::Less | Ordering::Equal) => (OrderStatus::Filled, EndReason::None),
        (Some(reason), _) => gone(reason),
        (None, _) => match (wanted.kind, wanted.tif) {
            (OrderKind::Market, _) if filled => gone(EndReason::Protection),
            (OrderKind::Market, _) => gone(EndReason::NoLiquidity),
            (OrderKind::Limit, Tif::Ioc) => gone(EndReason::Ioc),
            (OrderKind::Limit, Tif::Fok) => gone(EndReason::FillOrKill),
            (OrderKind::Limit, Tif::Gtc | Tif::PostOnly | Tif::Day) if filled => {
                (OrderStatus::Partial, EndReason::None)
            }
            (OrderKind::Limit, Tif::Gtc | Tif::PostOnly | Tif::Day) => (OrderStatus::Open, EndReason::None),
        },
    }
}
