//! Orders, whichever API they come by: the required hold, submission, lookup, histories.
//!
//! Owns: the order handling that the app's calls and Binance-convention calls share. Never does: read a text; show a
//! row. Invariants: every order enters by [`submission`]; an account's orders are found by [`lookup`] alone. Known
//! limits: those of each part.

pub mod book_contract;
pub mod histories;
pub mod leg_history;
pub mod leg_lookup;
pub mod leg_placing;
pub mod leg_worth;
pub mod lookup;
pub mod options;
pub mod required_hold;
pub mod submission;
pub mod tickets;
pub mod worth;
