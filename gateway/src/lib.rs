//! The exchange's server. Its modules:
//!
//! - [`api`]: the public interface: the app's calls, Binance-convention calls of API clients, charts, sockets,
//!   authentication;
//! - [`orders`]: the order handling that both APIs share: required hold, submission, lookup, histories;
//! - [`messenger`]: codes and notices to users, by mail and as texts to phones;
//! - [`market`]: market data: books, candles, tickers, stream payloads, the catalogue of listings;
//! - [`feed`]: reference feeds: a venue, a recording, the simulator;
//! - [`market_maker`]: the quotes of the house account, derived from the feed;
//! - [`reactors`]: followers of the journal that send commands; no product registers one yet;
//! - [`redis`]: a copy of hot views, streams and sessions in Redis, for readers outside this process;
//! - [`observe`]: health, metrics, the ops port and its console, order traces;
//! - [`startup`]: from a data folder to listeners, and the stop;
//! - [`tools`]: the operator's subcommands on the data folder;
//! - [`common`]: times, decimals, threads whose end stops the process.
//!
//! [`app`] is the state that every call can reach; [`config`] holds the settings; [`audit_anchor`] is how far the office's audit was
//! anchored in the journal.
//!
//! Owns: every interface to the outside. Never does: decide a movement of money. Invariants: answers and market data leave
//! through the gate or from views of durable records; no two files import each other, except a module and its parts. Known
//! limits: one process, one cell.
#![forbid(unsafe_code)]
// Rows with many keys are one `json!` each.
#![recursion_limit = "512"]

/// The release.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// The commit that it was built from: `dev` in test builds, `unknown` without a git checkout.
pub const COMMIT: &str = env!("XNG_COMMIT");
/// Both, as `--version` and the log print them.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (commit ", env!("XNG_COMMIT"), ")");

pub mod api;
pub mod app;
pub mod audit_anchor;
pub mod backoffice;
pub mod barred_orders;
pub mod chat;
pub mod common;
pub mod config;
pub mod custody;
pub mod fair;
pub mod feed;
pub mod market;
pub mod market_maker;
pub mod messenger;
pub mod observe;
pub mod orders;
pub mod reactors;
pub mod redis;
pub mod startup;
pub mod tools;
