//! An outbox as the metrics of open sockets see it.
//!
//! Owns: what its mode is called there. Never does: count. Invariants: metrics know no outbox. Known limits: none.

use super::outbox::{Mode, Outbox};
use crate::observe::metrics::sockets::{Kind, Queue};

impl Queue for Outbox {
    fn kind(&self) -> Kind {
        match self.mode() {
            Mode::Raw => Kind::Raw,
            Mode::Combined => Kind::Combined,
            Mode::App => Kind::App,
        }
    }

    fn waiting_bytes(&self) -> u64 {
        Outbox::waiting_bytes(self)
    }
}
