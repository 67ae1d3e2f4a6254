//! From a data folder to an exchange that serves, and back: recovery, assembly, seeding, listeners, snapshots, the stop.
//!
//! Owns: the order in which parts start and stop. Never does: decide, or know what any part does. Invariants: nothing is opened
//! before the data folder is this process's; nothing is served before all of the journal is folded. Known limits: one cell.

pub mod background;
pub mod cell;
pub mod exchange;
pub mod folding;
pub mod operators;
pub mod public;
pub mod recovery;
pub mod seed;
pub mod server;
pub mod snapshots;
pub mod start_error;
