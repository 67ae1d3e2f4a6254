//! The contract that a call of this convention is about.
//!
//! Owns: finding it. Never does: ask the exchange. Invariants: contracts without a book are not there. Known limits: none.

use crate::api::binance::errors::ApiError;
use crate::api::binance::request::Request;
pub use crate::orders::book_contract::Listed;

impl Listed {
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
        Listed::of_symbol(&request.app.shared.contracts, symbol).ok_or_else(ApiError::symbol)
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
        Listed::all_of(&request.app.shared.contracts)
    }
}
