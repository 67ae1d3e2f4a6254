//! Sockets: stream names, bounded outboxes, sessions.
//!
//! [`session`] is the only file that names actix-web-actors (the crate is in maintenance mode; a swap to its successor
//! touches that file). What is sent is made elsewhere: public streams by the market view, private events by
//! [`private`].

pub mod control;
pub mod outbox;
pub mod private;
pub mod session;
pub mod stream;
