//! The public interface: the app's calls, Binance-convention calls, charts, sockets, and their shared code.
//!
//! Owns: the form of every request and answer on the public port. Never does: decide a movement of money. Invariants: a
//! call sends a command or shows views of durable records; [`auth`] alone identifies the caller. Known limits: those of
//! each part.

pub mod app;
pub mod auth;
pub mod binance;
pub mod http;
mod refusals;
pub mod timeout;
pub mod udf;
mod value_type;
pub mod ws;
