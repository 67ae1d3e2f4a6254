//! Which cell this process runs, and the form in which tools and snapshots hold its state.
//!
//! Owns: the cell's number. Never does: run it. Invariants: journal, snapshots and store of a data folder are of this cell.
//! Known limits: one cell.

use xng_cell::{Plain, World};

/// The only cell so far.
pub const CELL: u32 = 0;

/// A world without hosts: what folds use.
pub type PlainWorld = World<Plain>;
