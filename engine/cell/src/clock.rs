//! The clock of a cell: the trait, and a clock that is set by hand.
//!
//! Owns: both. Never does: read the wall clock. Invariants: an implementation never goes back. Known limits: none.

use xng_core::entity::TimeNs;

/// Nanoseconds since the epoch. May stand still or go back; the cell's stamps do not.
pub trait Clock {
    /// The time now.
    fn now(&mut self) -> TimeNs;

    /// How far that is ahead of the calendar, when it is known to be.
    fn ahead(&mut self) -> TimeNs {
        0
    }
}

/// A clock that stands until it is set: tests and simulations.
#[derive(Debug, Clone, Copy, Default)]
pub struct ManualClock(pub TimeNs);

impl Clock for ManualClock {
    fn now(&mut self) -> TimeNs {
        self.0
    }
}
