//! An outbox as the metrics of open sockets see it.
//!
//! Owns: what its mode is called there. Never does: count. Invariants: metrics know no outbox. Known limits: none.

use super::outbox::{Mode, Outbox};
use crate::observe::metrics::sockets::{Queue, SocketKind};

impl Queue for Outbox {
    fn kind(&self) -> SocketKind {
        match self.mode() {
            Mode::Raw => SocketKind::Raw,
            Mode::Combined => SocketKind::Combined,
            Mode::App => SocketKind::App,
        }
    }

    fn waiting_bytes(&self) -> u64 {
        Outbox::waiting_bytes(self)
    }
}
