//! Helpers that every module uses: times, decimals, critical threads, passkeys, countries.
//!
//! Owns: these five.
//! Never does: depend on another module of the gateway.
//! Invariants: no state but the process clock.
//! Known limits: none.

pub mod areas;
pub mod critical_task;
pub mod decimal;
pub mod passkeys;
pub mod time;
