//! Sockets: stream names, bounded outboxes, sessions.
//!
//! `session.rs` is the only file that names actix-web-actors (the crate is in maintenance mode; a swap to its successor
//! touches that file). What is sent is made elsewhere: public streams by the market view, private events by
//! [`private`].
//!
//! Owns: what stands between a publisher and a socket. Never does: let one reader delay another. Invariants: what
//! waits for a socket is bounded. Known limits: frames are texts.

mod address;
pub mod asyncapi;
mod channels;
mod contract_channels;
pub mod control;
mod counted;
pub mod frame;
mod metered;
mod methods;
pub mod opening;
pub mod outbox;
mod parts;
pub mod positions;
pub mod private;
mod program;
mod session;
pub mod stream;
