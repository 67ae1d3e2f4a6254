//! What every room uses: times, decimals, threads that the process cannot do without.
//!
//! Owns: these three. Never does: know another room. Invariants: nothing here holds state. Known limits: none.

pub mod critical_task;
pub mod decimal;
pub mod time;
