//! Order books and matching, for every product that has a book.
//!
//! Owns: the book, price-time matching, what orders have in common. Never does: know a product: what a trade costs and whether
//! it may be made comes in through [`matching::Trading`].
//! Invariants: matching leaves the book as it was. Known limits: order lists are spot's.

pub mod book;
pub mod matching;
mod terms;
mod trades;
pub mod triggers;

pub use terms::{
    EndReason, LevelFees, MarketState, OrderKind, OrderStatus, Side, StateReason, Stp, Tif, Trigger, TriggerKind,
};
pub use trades::{BlockingOrder, Prevented, Trade};
