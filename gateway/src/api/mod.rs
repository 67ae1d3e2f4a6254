//! What faces clients: the app's calls, the programs' calls, charts, sockets; and what they share.
//!
//! Owns: the form of every request and answer on the public port. Never does: decide what moves money. Invariants: a call asks the
//! exchange or shows views of durable records; who asks is settled by [`auth`] and nowhere else. Known limits: those of each part.

pub mod app;
pub mod auth;
pub mod binance;
pub mod deadline;
pub mod http;
mod refusals;
pub mod udf;
mod value_type;
pub mod ws;
