//! What the gateway counts, and the text in which Prometheus reads all of it.
//!
//! What others count already (journal, persister, cell, health) is read where it is when somebody asks, and copied
//! nowhere.
//!
//! Owns: figures of calls, orders and sockets; the names of all metrics (`docs/rules/reliability.md "Metrics"`).
//! Never does: name a user or an order in a label. Invariants: labels come from lists that are in the code or the
//! configuration. Known limits: counters begin anew with the process.

mod chain;
mod chat;
mod contracts;
mod convert;
mod copying;
mod coupons;
pub mod http;
pub mod ledger;
mod office;
pub mod orders;
mod outbox;
pub mod process;
pub mod scrape;
mod seconds;
pub mod sockets;
mod stock;
pub mod text;
mod ticks;

/// What the gateway's threads count.
#[derive(Debug, Default)]
pub struct Meters {
    /// Requests of the public port.
    pub http: http::HttpMeters,
    /// Orders as callers see them.
    pub orders: orders::OrderMeters,
    /// Websockets.
    pub sockets: std::sync::Arc<sockets::SocketMeters>,
}
