//! Market data: what everybody may see, followed from durable facts and the reference feed.
//!
//! One thread ([`view`]) follows; HTTP reads the boards it keeps ([`board`]); sockets get what it publishes.

pub mod board;
pub mod candles;
pub mod depth;
pub mod interval;
pub mod payload;
pub mod view;
