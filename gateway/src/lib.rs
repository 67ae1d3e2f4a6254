//! The exchange's server: HTTP calls, sockets, market data, feeds, the static app.
//!
//! Owns: everything that faces the outside. Never does: decide what moves money. Invariants: nothing leaves but
//! through the gate or from views of durable records. Known limits: one process, one cell.
#![forbid(unsafe_code)]
// Rows with many keys are one `json!` each.
#![recursion_limit = "512"]

/// The release.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// The commit that it was built of: `dev` in builds for tests, `unknown` where nobody knew.
pub const COMMIT: &str = env!("XNG_COMMIT");
/// Both, as `--version` and the log tell them.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (commit ", env!("XNG_COMMIT"), ")");

pub mod api;
pub mod app;
pub mod common;
pub mod config;
pub mod feed;
pub mod market;
pub mod market_maker;
pub mod observe;
pub mod orders;
pub mod redis;
pub mod startup;
pub mod tools;
