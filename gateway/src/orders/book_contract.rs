//! A contract with a book, as calls see it.
//!
//! Owns: its numbers in its own units, and how an account trades it. Never does: ask the exchange; read a request. Invariants:
//! contracts without a book are not there. Known limits: none.

use crate::common::decimal::{decimals, fixed};
use crate::market::contracts::{BookFigures, Contracts, by_symbol};
use std::sync::Arc;
use xng_core::account::{LegTerms, LegsView};
use xng_core::board::{Board, ContractFace};
use xng_core::contract::book::order::BookUnits;
use xng_core::contract::book::params::BookParams;
use xng_core::ids::MarketId;
use xng_core::money::{Amount, Lots, Ticks};

/// A contract with a book, as everybody sees it now.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its number.
    pub id: MarketId,
    /// What it shows.
    pub face: ContractFace,
    /// Its book's parameters.
    pub book: Arc<BookParams>,
    /// What a long lot has paid in funding.
    pub funding_index: Amount,
    /// What its book shows beside levels.
    pub figures: BookFigures,
}

impl Listed {
    /// A contract as it is shown now; none without a book.
    #[must_use]
    pub fn of(id: MarketId, face: &ContractFace, figures: Option<&BookFigures>) -> Option<Listed> {
        let (book, funding_index) = face.book.clone()?;
        Some(Listed { id, face: face.clone(), book, funding_index, figures: *figures? })
    }

    /// The contract of a symbol.
    #[must_use]
    pub fn of_symbol(contracts: &Contracts, symbol: &str) -> Option<Listed> {
        let board = contracts.now();
        let (id, face) = by_symbol(&board, symbol)?;
        Listed::of(id, face, contracts.books().get(&id))
    }

    /// All of them.
    #[must_use]
    pub fn all_of(contracts: &Contracts) -> Vec<Listed> {
        let (board, books): (Arc<Board>, _) = (contracts.now(), contracts.books());
        board.contracts().filter_map(|(id, face)| Listed::of(id, face, books.get(&id))).collect()
    }

    /// Its symbol.
    #[must_use]
    pub fn symbol(&self) -> &str {
        &self.face.params.symbol
    }

    /// Meaning of its numbers.
    #[must_use]
    pub fn units(&self) -> BookUnits {
        self.face.params.book_units()
    }

    /// A price with its decimals.
    #[must_use]
    pub fn price(&self, price: Amount) -> String {
        fixed(price, decimals(self.face.params.tick))
    }

    /// A quantity with its decimals.
    #[must_use]
    pub fn quantity(&self, base: Amount) -> String {
        fixed(base, decimals(self.face.params.lot))
    }

    /// So many lots as a quantity.
    #[must_use]
    pub fn lots(&self, lots: Lots) -> String {
        self.quantity(self.units().base(lots))
    }

    /// So many ticks as a price.
    #[must_use]
    pub fn ticks(&self, ticks: Ticks) -> String {
        self.price(self.units().price(ticks))
    }

    /// How an account trades it.
    #[must_use]
    pub fn terms(&self, legs: &LegsView) -> LegTerms {
        let chosen = legs.terms.iter().find(|terms| terms.contract == self.id).copied();
        chosen.unwrap_or_else(|| LegTerms::of_book(self.id, &self.face, &self.book))
    }

    /// The largest value that a position with this multiple may have.
    #[must_use]
    pub fn most_value(&self, multiple: u16) -> Amount {
        let fitting = self.face.params.brackets.list.iter().filter(|bracket| bracket.max_multiple >= multiple);
        fitting.map(|bracket| bracket.ceiling).max().unwrap_or_default()
    }
}
