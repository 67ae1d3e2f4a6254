//! The deterministic simulator: the very same entities, cell, journal format, snapshots and projection as
//! the server's, under a seeded scheduler and virtual time, on disks that lose unsynced data as real ones do.
//!
//! A run is a function of its seed. `sim --seed N --steps M` repeats it.
//!
//! Owns: scheduler, disks, clients, store of a run. Never does: use a clock, a thread or a file, the SQLite file of
//! some seeds aside. Invariants: entities, journal format and projection are the server's own code. Known limits: cells
//! of one run do not exchange messages yet.

mod accounts_payer;
mod accounts_reader;
mod chain_payer;
mod chain_reader;
mod crash;
mod fake_accounts;
mod fake_chain;
pub mod node;
mod paths;
pub mod persist;
mod regions;
mod rest;
pub mod rng;
pub mod run;
mod scheduler;
mod site;
pub mod store;
pub mod traffic;
mod traffic_convert;
mod traffic_copying;
mod traffic_coupons;
mod traffic_legs;
mod traffic_seconds;
mod traffic_stocks;

pub use xng_cell::auditor;

pub use paths::PATHS;
pub use run::{Reached, Run};
