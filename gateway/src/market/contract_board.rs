//! A contract's book as a board: what facts change of its levels, its trades, and the candles of its prices.
//!
//! Owns: how a contract's parameters are a market's, and what its facts do to its board. Never does: publish. Invariants: levels
//! are those of the contract at the same record. Known limits: candles of mark, index and premium begin with the process.

use super::board::{Board, Prices};
use super::candles::{Candles, TapeTrade};
use super::depth::{Changes, Depth};
use crate::common::time::{Ms, ms};
use xng_core::contract::Contract;
use xng_core::contract::book::facts::{BookFact, BookTrade, ContractOrderPlaced, OrderCut};
use xng_core::contract::book::params::BookParams;
use xng_core::contract::facts::MarkSet;
use xng_core::contract::leg::Direction;
use xng_core::contract::params::ContractParams;
use xng_core::entity::TimeNs;
use xng_core::ids::{MarketId, UpdateId};
use xng_core::money::{Amount, Exact, Ticks};
use xng_core::spot::{MarketParams, Side};

/// A contract's parameters as boards and payloads read them.
#[must_use]
pub fn market_params(contract: &ContractParams, book: &BookParams) -> MarketParams {
    MarketParams {
        market: contract.contract,
        version: book.version,
        symbol: contract.symbol.clone(),
        base: contract.base,
        quote: contract.settle,
        tick: contract.tick,
        step: contract.lot,
        min_lots: book.lots.0,
        max_lots: book.lots.1,
        min_notional: Amount::ZERO,
        band_ppm: book.band_ppm,
        protection_ppm: book.protection_ppm,
        max_open_orders: book.max_open_orders,
        fees: book.fees.clone(),
        stale_after_ms: contract.stale_after_ms,
        house_quoted: false,
        stock: None,
    }
}

/// The board of a contract as it is now, once it has a book.
#[must_use]
pub fn board_of(contract: &Contract, source: &'static str) -> Option<Board> {
    let (params, own) = (contract.params()?, contract.book()?);
    let (book, update) = own.book();
    let depth = Depth::new(book.depth(Side::Buy), book.depth(Side::Sell), update);
    let mut board = Board::new(market_params(params, own.params()), contract.state().0, source, depth);
    board.prices = Some(Box::default());
    Some(board)
}

fn put_cut(cut: &OrderCut, change: &mut impl FnMut(Side, Ticks, i64)) {
    change(cut.side, cut.ticks, -cut.lots.0);
}

fn put_placed(f: &ContractOrderPlaced, change: &mut impl FnMut(Side, Ticks, i64)) {
    for trade in &f.trades {
        change(f.order.side.opposite(), trade.ticks, -trade.lots.0);
    }
    f.cuts.iter().for_each(|cut| put_cut(cut, change));
    if f.status.is_open() {
        change(f.order.side, f.order.ticks, f.order.open.0);
    }
}

/// Calls `change` for each change of a level; the contract and the state of its book after them.
pub fn book_changes(fact: &BookFact, mut change: impl FnMut(Side, Ticks, i64)) -> Option<(MarketId, UpdateId)> {
    match fact {
        BookFact::ContractOrderPlaced(f) => {
            put_placed(f, &mut change);
            Some((f.units.contract, f.update))
        }
        BookFact::ConditionalsChanged(f) => {
            f.placed.iter().for_each(|placed| put_placed(placed, &mut change));
            Some((f.units.contract, f.update))
        }
        BookFact::ContractOrdersCanceled(f) => {
            f.orders.iter().for_each(|o| change(o.side, o.ticks, -o.open.0));
            Some((f.units.contract, f.update))
        }
        BookFact::ContractOrderAmended(f) => {
            put_cut(&f.cut, &mut change);
            Some((f.units.contract, f.update))
        }
        BookFact::BookQuotesSet(f) => {
            f.off.iter().for_each(|gone| change(gone.side, gone.ticks, -gone.lots.0));
            f.on.iter().for_each(|new| change(new.side, new.ticks, new.lots.0));
            Some((f.units.contract, f.update))
        }
        BookFact::LegLiquidated(f) => {
            // A liquidation takes; what it takes rests on the other side.
            for trade in &f.trades {
                change(trade.maker_effect.direction.opening_side(), trade.ticks, -trade.lots.0);
            }
            f.cuts.iter().for_each(|cut| put_cut(cut, &mut change));
            Some((f.units.contract, f.update))
        }
        BookFact::BookListed(_)
        | BookFact::LiquidationStarted(_)
        | BookFact::LiquidationEnded(_)
        | BookFact::QuotaSet(_)
        | BookFact::CountdownSet(_)
        | BookFact::BookParamsChanged(_)
        | BookFact::LegTermsSet(_)
        | BookFact::PositionModeSet(_)
        | BookFact::LegMarginMoved(_)
        | BookFact::FundingSet(_)
        | BookFact::FundingPaid(_)
        | BookFact::ResultsSettled(_) => None,
    }
}

/// The contract that a fact's trades are of, and these as a tape shows them.
#[must_use]
pub fn trades(fact: &BookFact, time: TimeNs) -> Option<(MarketId, Vec<TapeTrade>)> {
    let (units, first, trades, taker) = match fact {
        BookFact::ContractOrderPlaced(_) | BookFact::ConditionalsChanged(_) => {
            let f = fact.placed()?;
            (&f.units, f.first_trade, &f.trades, Some(f.order.order))
        }
        BookFact::LegLiquidated(f) => (&f.units, f.first_trade, &f.trades, None),
        BookFact::BookListed(_)
        | BookFact::BookParamsChanged(_)
        | BookFact::ContractOrdersCanceled(_)
        | BookFact::ContractOrderAmended(_)
        | BookFact::BookQuotesSet(_)
        | BookFact::LegTermsSet(_)
        | BookFact::PositionModeSet(_)
        | BookFact::LegMarginMoved(_)
        | BookFact::FundingSet(_)
        | BookFact::FundingPaid(_)
        | BookFact::ResultsSettled(_)
        | BookFact::LiquidationStarted(_)
        | BookFact::LiquidationEnded(_)
        | BookFact::QuotaSet(_)
        | BookFact::CountdownSet(_) => return None,
    };
    // A trade that the insurance paid for is no price.
    let insured = |trade: &BookTrade| matches!(fact, BookFact::LegLiquidated(f) if f.is_insured(trade));
    let trade = |(i, t): (u64, &BookTrade)| TapeTrade {
        id: first.plus(i).count(),
        price: units.price(t.ticks),
        quantity: units.base(t.lots),
        quote: units.value(t.ticks, t.lots),
        time_ms: ms(time),
        buyer_is_maker: t.maker_effect.direction == Direction::Long,
        taker,
    };
    let told: Vec<TapeTrade> = (0..).zip(trades).filter(|(_, t)| !insured(t)).map(trade).collect();
    (!told.is_empty()).then_some((units.contract, told))
}

impl Depth {
    /// Follows a fact of this contract's book. True when it changed.
    pub fn follow_contract(&mut self, fact: &BookFact, changed: &mut Changes) -> bool {
        let found = book_changes(fact, |side, ticks, by| self.change(side, ticks, by, changed));
        found.is_some_and(|(_, update)| self.moved_to(update))
    }
}

fn put_price(candles: &mut Candles, price: Amount, time_ms: Ms) {
    let none = Amount::ZERO;
    let (id, quantity, quote) = (0, none, none);
    candles.add(&TapeTrade { id, price, quantity, quote, time_ms, buyer_is_maker: false, taker: None });
    // Nobody stores them.
    candles.take_changed();
}

impl Board {
    /// Follows a mark.
    pub fn mark(&mut self, f: &MarkSet, time: TimeNs) {
        let at = ms(time);
        self.index = Some((f.index, ms(f.index_time)));
        let Prices { mark, index, premium } = &mut **self.prices.get_or_insert_default();
        put_price(mark, f.mark, at);
        put_price(index, f.index, at);
        let part = Exact::from(f.mark - f.index).div_sig20_half_up(Exact::from(f.index));
        put_price(premium, part.map_or(Amount::ZERO, Exact::round8), at);
    }
}
