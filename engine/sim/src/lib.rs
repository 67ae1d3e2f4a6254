//! The deterministic simulator: the very same entities, cell, journal format, snapshots and projection as
//! the server's, under a seeded scheduler and virtual time, on disks that lose what real ones lose.
//!
//! A run is a function of its seed. `sim --seed N --steps M` repeats it.
//!
//! Owns: scheduler, disks, clients, store of a run. Never does: use a clock, a thread or a file, the SQLite file of
//! some seeds aside. Invariants: what runs is what the server runs, byte for byte. Known limits: cells of one run do
//! not talk to each other yet.

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
