//! Orders by program: placing, testing, cancelling, and looking at them (`docs/rules/program-api.md "Orders"`).
//!
//! Owns: an order's parameters, its rows, these calls. Never does: match, or judge a balance. Invariants: what an order
//! asks for is read apart from what the exchange can do of it. Known limits: those of each call.

pub mod brackets;
pub mod cancel;
mod list_rows;
pub mod lists;
pub mod place;
pub mod queries;
pub mod replace;
pub mod request;
pub mod rows;

use super::errors::ApiError;
use super::request::Request;
use crate::market::catalog::MarketInfo;

/// The market of `symbol`.
///
/// # Errors
/// -1121.
pub fn market(request: &Request) -> Result<MarketInfo, ApiError> {
    let catalog = request.app.shared.listed();
    catalog.by_symbol(request.args.need("symbol")?).cloned().ok_or_else(ApiError::symbol)
}
