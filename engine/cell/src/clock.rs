//! Where the cell's time comes from.

use xng_core::entity::TimeNs;

/// Nanoseconds since the epoch. May stand still or go back; the cell's stamps do not.
pub trait Clock {
    /// The time now.
    fn now(&mut self) -> TimeNs;
}

/// A clock that stands until it is set: tests and simulations.
#[derive(Debug, Clone, Copy, Default)]
pub struct ManualClock(pub TimeNs);

impl Clock for ManualClock {
    fn now(&mut self) -> TimeNs {
        self.0
    }
}
