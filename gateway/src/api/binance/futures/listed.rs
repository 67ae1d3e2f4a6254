//! The contract that a call is about.
//!
//! Owns: finding it, and its numbers in its own units. Never does: ask the exchange. Invariants: contracts without a book are
//! not there. Known limits: none.

use crate::api::binance::errors::ApiError;
use crate::api::binance::request::Request;
use crate::common::decimal::{decimals, fixed};
use crate::market::contracts::{BookFigures, by_symbol};
use std::sync::Arc;
use xng_core::account::{LegTerms, LegsView};
use xng_core::board::{Board, ContractFace};
use xng_core::contract::book::order::BookUnits;
use xng_core::contract::book::params::BookParams;
use xng_core::contract::facts::MarginMode;
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
    fn of(id: MarketId, face: &ContractFace, figures: Option<&BookFigures>) -> Option<Listed> {
        let (book, funding_index) = face.book.clone()?;
        Some(Listed { id, face: face.clone(), book, funding_index, figures: *figures? })
    }

    /// The contract of `symbol`.
    ///
    /// # Errors
    /// -1121.
    pub fn named(request: &Request) -> Result<Listed, ApiError> {
        Listed::find(request, request.args.need("symbol")?)
    }

    /// The contract of a symbol.
    ///
    /// # Errors
    /// -1121.
    pub fn find(request: &Request, symbol: &str) -> Result<Listed, ApiError> {
        let contracts = &request.app.shared.contracts;
        let board = contracts.now();
        let found = by_symbol(&board, symbol);
        let listed = found.and_then(|(id, face)| Listed::of(id, face, contracts.books().get(&id)));
        listed.ok_or_else(ApiError::symbol)
    }

    /// All of them, or the one that `symbol` names.
    ///
    /// # Errors
    /// -1121.
    pub fn wanted(request: &Request) -> Result<Vec<Listed>, ApiError> {
        match request.args.text("symbol") {
            Some(symbol) => Ok(vec![Listed::find(request, symbol)?]),
            None => Ok(Listed::all(request)),
        }
    }

    /// All of them.
    #[must_use]
    pub fn all(request: &Request) -> Vec<Listed> {
        let contracts = &request.app.shared.contracts;
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
        chosen.unwrap_or_else(|| LegTerms {
            contract: self.id,
            multiple: self.book.first_multiple(self.face.params.brackets.largest_multiple()),
            mode: MarginMode::Cross,
        })
    }
}
