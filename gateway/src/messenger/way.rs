//! The port by which messages leave: what a way is given, and how it ends.
//!
//! Owns: these forms. Never does: send. Invariants: an error holds nothing that others wrote, and no secret: it is kept and shown.
//! Known limits: none.

/// A message that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outgoing {
    /// What tells it from all others, at each attempt the same.
    pub(super) id: String,
    /// To whom.
    pub(super) to: String,
    /// In which language it is.
    pub(super) lang: String,
    /// Its subject.
    pub(super) subject: String,
    /// Its text.
    pub(super) text: String,
    /// When it was written, milliseconds since the epoch.
    pub(super) created_ms: u64,
    /// From when on it is worth nothing.
    pub(super) expires_ms: u64,
}

/// Why a message was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unsent {
    /// Another attempt may send it.
    ForNow(String),
    /// No attempt will.
    ForEver(String),
}

/// A way for messages to leave.
pub(super) trait Way: std::fmt::Debug + Send + Sync {
    /// Sends a message; waits for the other side's word.
    fn send(&self, message: &Outgoing) -> Result<(), Unsent>;
}
