//! The gate: answers and pushes wait here until the journal holds what they rest on.
//!
//! Invariants: entries leave in the order in which they came; none leaves before its LSN is durable. A reject rests on
//! nothing of its own and waits for the LSN that was current when it was made, so that it does not overtake the answer
//! that explains it.
//! Owns: what waits to leave. Never does: look at what it holds; sync. Known limits: bounded by credits only.

use crate::message::{Egress, PortId};
use std::collections::VecDeque;
use xng_core::journal::Lsn;

/// What waits.
#[derive(Debug, Default)]
pub struct Gate {
    waiting: VecDeque<(Lsn, PortId, Egress)>,
}

impl Gate {
    /// Parks something until `lsn` is durable. LSNs never go back.
    pub fn park(&mut self, lsn: Lsn, port: PortId, egress: Egress) {
        debug_assert!(self.waiting.back().is_none_or(|(last, _, _)| *last <= lsn));
        self.waiting.push_back((lsn, port, egress));
    }

    /// Lets go of everything up to `durable`.
    pub fn open(&mut self, durable: Lsn, mut leave: impl FnMut(PortId, Egress)) {
        while self.waiting.front().is_some_and(|(lsn, _, _)| *lsn <= durable) {
            if let Some((_, port, egress)) = self.waiting.pop_front() {
                leave(port, egress);
            }
        }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// True when nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
