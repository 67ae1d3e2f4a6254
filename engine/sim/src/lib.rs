//! The deterministic simulator: the very same entities, cell, journal format, snapshots and projection as
//! the server's, under a seeded scheduler and virtual time, on disks that lose what real ones lose.
//!
//! A run is a function of its seed. `sim --seed N --steps M` repeats it.

mod crash;
pub mod dice;
pub mod node;
pub mod persist;
pub mod run;
mod site;
pub mod store;
pub mod traffic;

pub use xng_cell::auditor;

pub use run::{PATHS, Reached, Run};
