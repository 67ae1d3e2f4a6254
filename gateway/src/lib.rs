//! The exchange's server. Its modules:
//!
//! - [`api`]: what faces clients: the app's calls, the programs' calls (Binance's convention), charts, sockets, authentication;
//! - [`orders`]: what both APIs do with orders: terms, the way in, finding them again;
//! - [`market`]: market data: books, candles, tickers, the streams' texts, what is listed;
//! - [`feed`]: reference feeds: a venue, a recording, the simulator;
//! - [`market_maker`]: the quotes of the house account, made of the feed;
//! - [`redis`]: hot views and sessions for further gateways;
//! - [`observe`]: health, metrics, the ops port and its console, order traces;
//! - [`startup`]: from a data folder to listeners, and the stop;
//! - [`tools`]: the operator's subcommands, which work on the data folder;
//! - [`common`]: times, decimals, threads that must not end.
//!
//! [`app`] is what every call can reach; [`config`] the settings.
//!
//! Owns: everything that faces the outside. Never does: decide what moves money. Invariants: nothing leaves but
//! through the gate or from views of durable records; no two files import each other. Known limits: one process, one cell.
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
pub mod reactors;
pub mod redis;
pub mod startup;
pub mod tools;
