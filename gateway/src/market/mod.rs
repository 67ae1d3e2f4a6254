//! Market data: public data, derived from durable facts and the reference feed.
//!
//! One thread ([`view`]) follows the journal; HTTP reads its boards ([`board`]); sockets receive its published payloads.
//!
//! Owns: the public data derived from facts and feed. Never does: decide; show data that is not durable.
//! Invariants: REST and streams show the same book. Known limits: one thread for all markets.

pub mod aggregates;
pub mod board;
pub mod calendars;
pub mod campaigns;
pub mod candle_rows;
pub mod candle_store;
pub mod candles;
pub mod catalog;
pub mod contract_board;
pub mod contract_seeds;
mod contract_stream;
pub mod contracts;
pub mod convert_seeds;
mod copy_seeds;
pub mod depth;
pub mod desks;
pub mod interval;
pub mod lights;
pub mod payload;
pub mod saved;
mod seconds;
pub mod seconds_seeds;
mod stock_boards;
pub mod stock_seeds;
pub mod stocks;
pub mod tape;
pub mod terms;
mod topics;
pub mod traders;
pub mod view;
