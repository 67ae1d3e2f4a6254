//! A session: alive, as it is kept here, as its user sees it, and its end.
//!
//! Owns: these forms. Never does: begin or end one. Invariants: a session is named by its token's hash. Known limits: none.

use crate::api::http::i18n::Lang;
use crate::common::time::Ms;
use crate::redis::HotSession;
use std::net::IpAddr;
use xng_core::ids::AccountId;
use xng_persistence::office::TokenHash;

/// A session that is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// Hash of its token.
    pub id: TokenHash,
    /// Whose.
    pub account: AccountId,
}

/// A token that died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kick {
    /// Hash of the token.
    pub session: TokenHash,
    /// `logout`, `expired` or `locked`.
    pub reason: &'static str,
}

/// A session as its user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Hash of its token.
    pub id: TokenHash,
    /// What the user names it by.
    pub number: u64,
    /// Where from.
    pub ip: String,
    /// What the client called itself.
    pub agent: String,
    /// Since when.
    pub created_ms: Ms,
    /// Last seen.
    pub seen_ms: Ms,
}

/// From where somebody logs in.
#[derive(Debug, Clone, Copy)]
pub struct LoginFrom<'a> {
    /// The network address.
    pub ip: IpAddr,
    /// In which language the user is written to.
    pub lang: Lang,
    /// What the client calls itself.
    pub agent: &'a str,
}

/// A session as it is kept here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cached {
    pub(super) account: AccountId,
    pub(super) created_ms: Ms,
    pub(super) expires_ms: Ms,
    pub(super) touched_ms: Ms,
}

impl Cached {
    pub(super) fn hot(&self) -> HotSession {
        let Cached { account, created_ms, expires_ms, .. } = *self;
        HotSession { account: account.0, created_ms, expires_ms }
    }
}
