//! Looks on while commands are handled: how whoever drives a cell measures it, as a cell knows no time of day.
//!
//! Owns: the trait. Never does: change what happens. Invariants: every command that is handled begins and ends once,
//! one within none. Known limits: sees commands, not what a record does to the entities that it names.

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
