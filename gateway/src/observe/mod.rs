//! What an operator sees: health, metrics, the ops port with its console, an order's trace, records as text.
//!
//! Owns: what is noted of the exchange, and how it is shown; the routes by which operators decide. Never does: change anything
//! of the exchange but by commands of operators (`ops/stocks.rs`, `ops/traders.rs`). Invariants: to note something is a look at
//! the clock and a push, never a wait. Known limits: figures begin anew with the process.

pub mod health;
pub mod metrics;
pub mod ops;
pub mod order_trace;
pub(crate) mod render;
mod render_book;
pub(crate) mod render_chain;
mod render_convert;
mod render_copy;
mod render_coupon;
mod render_seconds;
mod render_stock;
