//! What operators see of Redis.
//!
//! Owns: these counters. Never does: decide by them. Invariants: none. Known limits: they begin anew with the process.

use crate::observe::health::Count;
use std::sync::atomic::AtomicBool;

/// What operators see of it.
#[derive(Debug, Default)]
pub struct Stats {
    /// The last call succeeded.
    pub up: AtomicBool,
    /// Calls that failed.
    pub errors: Count,
    /// Frames published.
    pub published: Count,
    /// Times that everything was written anew.
    pub rewritten: Count,
}
