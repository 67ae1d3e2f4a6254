//! Challenges: what a passkey was asked to sign, and what for.
//!
//! Owns: these, in memory, each under the digest of its name. Never does: verify an answer. Invariants: a challenge ends five minutes
//! after it began and is answered once, right or wrong; it is good for the person and the purpose that it was made for.
//! Known limits: forgotten at a restart; of one person the oldest give way.

use crate::api::auth::secrets::{digest, token};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use xng_core::chain::WithdrawalId;
use xng_persistence::office::TokenHash;

/// How long somebody has to answer: five minutes.
const LIVES_MS: u64 = 300_000;
/// Open challenges of one person.
const MOST: usize = 16;

/// What a signature is for.
pub(super) enum Purpose {
    /// To set a password and a passkey by this code.
    Enrol(TokenHash),
    /// To open a session; the password's hash, which was the right one.
    Login(String),
    /// To vote about a withdrawal.
    Vote { withdrawal: WithdrawalId, agrees: bool, reason: String },
    /// To decide about a case.
    Case { case: u64, approves: bool, reason: String },
}

/// A challenge.
pub(super) struct Pending {
    /// Whose answer it waits for.
    pub(super) staff: u64,
    /// What for.
    pub(super) purpose: Purpose,
    /// Drawn for it; part of what is signed.
    pub(super) nonce: String,
    /// What is signed.
    pub(super) challenge: [u8; 32],
    until_ms: u64,
}

/// See the module's header.
#[derive(Default)]
pub(super) struct Challenges(Mutex<HashMap<TokenHash, Pending>>);

impl Challenges {
    fn all(&self) -> MutexGuard<'_, HashMap<TokenHash, Pending>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps one; its name.
    pub(super) fn add(
        &self,
        (staff, purpose): (u64, Purpose),
        nonce: String,
        challenge: [u8; 32],
        now_ms: u64,
    ) -> String {
        let name = token();
        let mut all = self.all();
        all.retain(|_, pending| pending.until_ms > now_ms);
        let own = || all.iter().filter(|(_, pending)| pending.staff == staff);
        if own().count() >= MOST
            && let Some(oldest) = own().min_by_key(|(_, pending)| pending.until_ms).map(|(name, _)| *name)
        {
            all.remove(&oldest);
        }
        let pending = Pending { staff, purpose, nonce, challenge, until_ms: now_ms + LIVES_MS };
        all.insert(digest(&name), pending);
        name
    }

    /// Takes one away to answer it.
    pub(super) fn take(&self, name: &str, now_ms: u64) -> Option<Pending> {
        self.all().remove(&digest(name)).filter(|pending| pending.until_ms > now_ms)
    }

    pub(super) fn sweep(&self) {
        let now_ms = crate::common::time::now_ms().cast_unsigned();
        self.all().retain(|_, pending| pending.until_ms > now_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login() -> Purpose {
        Purpose::Login(String::new())
    }

    #[test]
    fn a_challenge_is_answered_once_and_in_time_and_the_oldest_give_way() {
        let all = Challenges::default();
        let name = all.add((1, login()), String::new(), [1; 32], 0);
        assert!(all.take(&name, 1).is_some() && all.take(&name, 1).is_none());
        let late = all.add((1, login()), String::new(), [1; 32], 0);
        assert!(all.take(&late, LIVES_MS).is_none());
        let names: Vec<String> =
            (0..=MOST as u64).map(|at| all.add((1, login()), String::new(), [1; 32], at)).collect();
        let other = all.add((2, login()), String::new(), [1; 32], 0);
        assert!(all.take(&names[0], 20).is_none() && all.take(&names[1], 20).is_some());
        assert!(all.take(&other, 20).is_some());
    }
}
