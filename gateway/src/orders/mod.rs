//! Orders, whichever API they come by: what they ask of an account, how they enter the exchange, how they are found again.
//!
//! Owns: what the app's calls and the programs' calls do alike. Never does: read a text; show a row. Invariants: every order enters
//! by [`submission`]; an account's orders are found by [`lookup`] alone. Known limits: those of each part.

pub mod histories;
pub mod lookup;
pub mod submission;
pub mod terms;
