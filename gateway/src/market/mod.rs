//! Market data: what everybody may see, followed from durable facts and the reference feed.
//!
//! One thread ([`view`]) follows; HTTP reads the boards it keeps ([`board`]); sockets get what it publishes.
//!
//! Owns: what is derived from facts and feed for everybody. Never does: decide; show what is not durable.
//! Invariants: REST and streams show the same book. Known limits: one thread for all markets.

pub mod aggregates;
pub mod board;
pub mod candle_rows;
pub mod candles;
pub mod catalog;
pub mod depth;
pub mod history;
pub mod interval;
pub mod payload;
mod seconds;
pub mod tape;
mod topics;
pub mod view;
