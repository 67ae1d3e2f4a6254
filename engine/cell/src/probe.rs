//! Probes: the hooks by which the driver of a cell measures the handling of commands; a cell itself has no clock to measure.
//!
//! Owns: the trait. Never does: affect a command. Invariants: every handled command begins and ends once, and never within
//! another. Known limits: sees commands, not what a record does to the entities that it names.

use xng_core::entity::Command;

/// Told of each command; `()` looks away.
pub trait Probe {
    /// A command is going to be handled.
    fn begins(&mut self, command: &Command);
    /// It has been: decided, applied to everybody that its record names, encoded.
    fn ended(&mut self);
}

impl Probe for () {
    fn begins(&mut self, _: &Command) {}
    fn ended(&mut self) {}
}
