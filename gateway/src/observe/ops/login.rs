//! Who may see the console, and which programs may ask what it is told.
//!
//! Owns: the operators' token, the sessions that it opened, the key that this process gave to programs. Never does: keep
//! one of them as it is: only digests. Invariants: without a token no session opens; tries are limited over all callers
//! of a kind, since there is one secret; a comparison takes as long for a wrong token as for the right one. Known limits: sessions
//! end with the process or after twelve hours; one token for all operators.

use crate::api::http::limits::Buckets;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// Tries a minute, of all operators together and of all programs together: a program with an old key locks nobody out.
const TRIES: u32 = 10;

/// Who tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Asker {
    Operator,
    Program,
}

/// A session's life.
pub const CONSOLE_SESSION_LENGTH: Duration = Duration::from_secs(12 * 3_600);

/// Why somebody stays outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
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
    /// Of this process alone; nobody guesses it.
    key: OnceLock<[u8; 32]>,
    tries: Buckets<Asker>,
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

/// Nothing while the system has no randomness.
fn new_secret() -> Option<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Doors {
    /// Doors that open to `token`; an empty one opens nothing.
    #[must_use]
    pub fn new(token: &str) -> Doors {
        let token = (!token.is_empty()).then(|| digest(token));
        let tries = Buckets::new(TRIES, Duration::from_secs(60));
        Doors { token, key: OnceLock::new(), tries, sessions: Mutex::default() }
    }

    /// Whether there is a token.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.token.is_some()
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<[u8; 32], Instant>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a token is the operators', one try of those that a minute has; the right one gives its try back.
    fn try_token(&self, who: Asker, token: &str) -> Result<(), Refused> {
        let known = self.token.as_ref().ok_or(Refused::Off)?;
        if !self.tries.take(who) {
            return Err(Refused::TooMany);
        }
        if !bool::from(known.ct_eq(&digest(token))) {
            tracing::warn!("a wrong token at the console's door");
            return Err(Refused::Wrong);
        }
        self.tries.give(&who);
        Ok(())
    }

    /// Opens a session for who has the token; gives its secret, for the cookie.
    ///
    /// # Errors
    /// Why it stays closed.
    pub fn knock(&self, token: &str) -> Result<String, Refused> {
        self.try_token(Asker::Operator, token)?;
        let secret = new_secret().ok_or(Refused::TooMany)?;
        let mut sessions = self.sessions();
        sessions.retain(|_, opened| opened.elapsed() < CONSOLE_SESSION_LENGTH);
        sessions.insert(digest(&secret), Instant::now());
        tracing::info!("an operator opened the console");
        Ok(secret)
    }

    /// A key for programs of this machine, in force from now on; made once.
    #[must_use]
    pub fn make_key(&self) -> Option<String> {
        let key = new_secret()?;
        self.key.set(digest(&key)).is_ok().then_some(key)
    }

    /// Whether a program may ask: with the key, or with the token.
    ///
    /// # Errors
    /// Why not.
    pub fn program(&self, key: &str) -> Result<(), Refused> {
        if self.is_key(key) { Ok(()) } else { self.try_token(Asker::Program, key) }
    }

    /// Whether it is the key for programs.
    #[must_use]
    pub fn is_key(&self, key: &str) -> bool {
        self.key.get().is_some_and(|known| known.ct_eq(&digest(key)).into())
    }

    /// Whether a cookie's secret is that of a session.
    #[must_use]
    pub fn knows(&self, secret: &str) -> bool {
        self.sessions().get(&digest(secret)).is_some_and(|opened| opened.elapsed() < CONSOLE_SESSION_LENGTH)
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
        let tries = (doors.knock(""), doors.knock("x"), doors.program(""));
        assert_eq!(tries, (Err(Refused::Off), Err(Refused::Off), Err(Refused::Off)));
        assert!(!doors.knows(""));
    }

    #[test]
    fn the_token_opens_a_session_that_ends_when_it_is_closed() {
        let doors = Doors::new("a long enough secret");
        assert_eq!(doors.knock("a long enough secres"), Err(Refused::Wrong));
        let secret = doors.knock("a long enough secret").expect("it is the token");
        assert!(doors.knows(&secret) && !doors.knows("a long enough secret") && secret.len() == 64);
        doors.close(&secret);
        assert!(!doors.knows(&secret));
    }

    #[test]
    fn guessing_is_slow_even_for_who_then_guesses_right() {
        for knock in [|doors: &Doors, token: &str| doors.knock(token).map(drop), Doors::program] {
            let doors = Doors::new("a long enough secret");
            let key = doors.make_key().unwrap();
            let wrong = (0..TRIES).filter(|n| knock(&doors, &n.to_string()) == Err(Refused::Wrong)).count();
            assert_eq!((wrong, knock(&doors, "a long enough secret")), (TRIES as usize, Err(Refused::TooMany)));
            assert_eq!(doors.program(&key), Ok(()), "which is nobody's guess");
            let others = doors.knock("a long enough secret").is_ok() || doors.program("a long enough secret").is_ok();
            assert!(others, "programs' tries are not operators'");
        }
    }

    #[test]
    fn programs_come_with_the_key_or_the_token_as_often_as_they_like() {
        let doors = Doors::new("a long enough secret");
        let key = doors.make_key().unwrap();
        for _ in 0..3 * TRIES {
            assert_eq!((doors.program(&key), doors.program("a long enough secret")), (Ok(()), Ok(())));
        }
        assert_eq!((doors.knock(&key), doors.knows(&key)), (Err(Refused::Wrong), false), "it opens no session");
        assert_eq!(doors.make_key(), None, "there is one");
    }
}
