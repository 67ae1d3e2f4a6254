//! Who may see the console.
//!
//! Owns: the operators' token, the sessions that it opened. Never does: keep token or session as they are: only digests.
//! Invariants: without a token nobody gets in; tries are limited over all callers, since there is one secret; a comparison
//! takes as long for a wrong token as for the right one. Known limits: sessions end with the process or after twelve
//! hours; one token for all operators.

use crate::http::limits::Buckets;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// Tries a minute, of all callers together.
const TRIES: u32 = 10;
/// A session's life.
pub const LIFE: Duration = Duration::from_secs(12 * 3_600);

/// How a try ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Try {
    /// The session's secret, for the cookie.
    Open(String),
    /// A wrong token.
    Wrong,
    /// Too many tries.
    TooMany,
    /// There is no token: the console is off.
    Off,
}

/// See the module's header.
pub struct Doors {
    token: Option<[u8; 32]>,
    tries: Buckets<()>,
    sessions: Mutex<HashMap<[u8; 32], Instant>>,
}

impl fmt::Debug for Doors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Doors").field("on", &self.is_on()).finish_non_exhaustive()
    }
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

impl Doors {
    /// Doors that open to `token`; an empty one opens nothing.
    #[must_use]
    pub fn new(token: &str) -> Doors {
        let token = (!token.is_empty()).then(|| digest(token));
        Doors { token, tries: Buckets::new(TRIES, Duration::from_secs(60)), sessions: Mutex::default() }
    }

    /// Whether there is a token.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.token.is_some()
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<[u8; 32], Instant>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tries a token.
    #[must_use]
    pub fn knock(&self, token: &str) -> Try {
        let Some(known) = &self.token else { return Try::Off };
        if !self.tries.take(()) {
            return Try::TooMany;
        }
        if !bool::from(known.ct_eq(&digest(token))) {
            tracing::warn!("a wrong token at the console's door");
            return Try::Wrong;
        }
        let mut bytes = [0; 32];
        if getrandom::fill(&mut bytes).is_err() {
            return Try::TooMany;
        }
        let secret: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut sessions = self.sessions();
        sessions.retain(|_, opened| opened.elapsed() < LIFE);
        sessions.insert(digest(&secret), Instant::now());
        tracing::info!("an operator opened the console");
        Try::Open(secret)
    }

    /// Whether a cookie's secret is that of a session.
    #[must_use]
    pub fn knows(&self, secret: &str) -> bool {
        self.sessions().get(&digest(secret)).is_some_and(|opened| opened.elapsed() < LIFE)
    }

    /// Ends a session.
    pub fn close(&self, secret: &str) {
        self.sessions().remove(&digest(secret));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_token_nobody_gets_in_not_even_with_none() {
        let doors = Doors::new("");
        assert_eq!((doors.knock(""), doors.knock("x"), doors.knows("")), (Try::Off, Try::Off, false));
    }

    #[test]
    fn the_token_opens_a_session_that_ends_when_it_is_closed() {
        let doors = Doors::new("a long enough secret");
        assert_eq!(doors.knock("a long enough secres"), Try::Wrong);
        let Try::Open(secret) = doors.knock("a long enough secret") else { panic!("it is the token") };
        assert!(doors.knows(&secret) && !doors.knows("a long enough secret") && secret.len() == 64);
        doors.close(&secret);
        assert!(!doors.knows(&secret));
    }

    #[test]
    fn guessing_is_slow_even_for_who_then_guesses_right() {
        let doors = Doors::new("a long enough secret");
        let wrong = (0..TRIES).filter(|n| doors.knock(&n.to_string()) == Try::Wrong).count();
        assert_eq!((wrong, doors.knock("a long enough secret")), (TRIES as usize, Try::TooMany));
    }
}
