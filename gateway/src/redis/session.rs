//! The session entry in Redis, for other processes.
//!
//! Owns: its form, its key, its lifetime. Never does: talk to Redis. Invariants: a key is of the token's hash, never of the
//! token. Known limits: none.

use crate::api::auth::secrets::hex;
use crate::common::time::Ms;
use serde::{Deserialize, Serialize};
use xng_persistence::office::TokenHash;

/// How long a session stays here after it was last seen.
pub const CACHED_SESSION_SECONDS: u64 = 600;

/// A live session as other gateways see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HotSession {
    /// Whose.
    pub account: u64,
    /// When it began.
    pub created_ms: Ms,
    /// When it ends unless it is used.
    pub expires_ms: Ms,
}

/// Its key.
pub(super) fn session_key(id: &TokenHash) -> String {
    format!("xng:session:{}", hex(id))
}
