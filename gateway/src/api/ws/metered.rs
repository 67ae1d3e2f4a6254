//! The adapter between a socket's outbox and the metrics of open sockets.
//!
//! Owns: the metric label of each socket mode.
//! Never does: count.
//! Invariants: the metrics module does not depend on the outbox.
//! Known limits: none.

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
