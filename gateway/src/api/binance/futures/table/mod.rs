//! The futures part of the table of calls.
//!
//! Owns: its groups. Never does: answer a call. Invariants: those of the table. Known limits: none.

pub mod account;
pub mod orders;
pub mod public;
