//! Contracts' books by program: Binance's USD-margined futures convention under `/fapi`
//! (`docs/rules/futures-api.md`).
//!
//! Owns: calls, rows, codes and private events of this convention. Never does: match, or judge a margin. Invariants: parameters,
//! signatures, limits and the table of calls are those of the spot calls. Known limits: those of each call.

pub mod account;
pub mod cancel;
pub mod conditional;
pub mod errors;
pub mod listed;
pub mod margin_calls;
pub mod market;
pub mod place;
pub mod prices;
pub mod queries;
pub mod request;
pub mod response_types;
pub mod rows;
pub mod settings;
pub mod table;
pub mod user_data;
