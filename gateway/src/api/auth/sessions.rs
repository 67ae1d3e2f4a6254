//! Sessions: who is logged in, kept here so that they trade on while the office's database is away.
//!
//! Owns: the cache of live sessions, and who hears when one ends. Never does: keep a token, only its hash.
//! Invariants: a session that ended is not found again, however late somebody was about to keep it.
//! Known limits: while the database does not answer, a session is believed from Redis if it was seen of late.
//! Rules: `docs/rules/authentication.md "Sessions"`.

use super::Auth;
use super::office::{away, now};
use super::secrets::digest;
use super::session::{Cached, Kick, Session, SessionRow};
use crate::api::http::errors::{Code, Failure};
use crate::common::time::{Ms, now_ms};
use crate::redis::{Hot, HotSession};
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use tokio::sync::broadcast;
use xng_core::ids::AccountId;
use xng_persistence::office::{self, OfficeError, TokenHash};

/// A session's end moves on when it was last moved this long ago.
const TOUCH_MS: Ms = 300_000;

impl Auth {
    /// Shows live sessions to other gateways from now on.
    pub fn share_sessions(&self, hot: Hot) {
        let again = self.hot.set(hot);
        debug_assert!(again.is_ok(), "there is one Redis");
    }

    /// All live sessions, as other gateways see them.
    #[must_use]
    pub fn hot_sessions(&self) -> Vec<(TokenHash, HotSession)> {
        self.sessions.iter().map(|session| (*session.key(), session.hot())).collect()
    }

    /// Hears of every token that dies.
    #[must_use]
    pub fn kicks(&self) -> broadcast::Receiver<Kick> {
        self.kicks.subscribe()
    }

    pub(super) fn idle_ms(&self) -> Ms {
        Ms::from(self.settings.session_idle_hours) * 3_600_000
    }

    fn absolute_ms(&self) -> Ms {
        Ms::from(self.settings.session_absolute_hours) * 3_600_000
    }

    /// The session of a token, or 999.
    pub async fn session(&self, token: &str) -> Result<Session, Failure> {
        let id = digest(token);
        let now = now_ms();
        let cached = match self.sessions.get(&id).map(|c| *c) {
            Some(cached) => cached,
            None => self.find_session(id).await?,
        };
        let is_over = now >= cached.expires_ms || now >= cached.created_ms + self.absolute_ms();
        if is_over || self.locked.contains(cached.account) {
            self.forget(&id, if is_over { "expired" } else { "locked" });
            return Err(Code::NeedsLogin.into());
        }
        if now - cached.touched_ms > TOUCH_MS && !self.touch(id, now).await {
            return Err(Code::NeedsLogin.into());
        }
        Ok(Session { id, account: cached.account })
    }

    /// Whether a session that was alive has not ended since.
    #[must_use]
    pub fn is_alive(&self, id: &TokenHash) -> bool {
        self.sessions.contains_key(id)
    }

    async fn find_session(&self, id: TokenHash) -> Result<Cached, Failure> {
        loop {
            let ended = self.ended.load(Ordering::SeqCst);
            let cached = self.read_session(id).await?;
            self.sessions.insert(id, cached);
            // It may have ended between the reading and the keeping: then what was kept is not to be trusted.
            if self.ended.load(Ordering::SeqCst) == ended {
                self.show(id, &cached);
                return Ok(cached);
            }
            self.sessions.remove(&id);
        }
    }

    fn show(&self, id: TokenHash, session: &Cached) {
        if let Some(hot) = self.hot.get() {
            hot.session_seen(id, session.hot());
        }
    }

    /// While the office's database is away, who was seen of late goes on.
    async fn seen_of_late(&self, id: TokenHash, error: OfficeError) -> Result<Cached, Failure> {
        let found = match self.hot.get() {
            Some(hot) => hot.find_session(&id).await,
            None => None,
        };
        let HotSession { account, created_ms, expires_ms } = found.ok_or_else(|| away(error))?;
        Ok(Cached { account: AccountId(account), created_ms, expires_ms, touched_ms: now_ms() })
    }

    async fn read_session(&self, id: TokenHash) -> Result<Cached, Failure> {
        let found = match self.office.session(&id, now()).await {
            Ok(found) => found.ok_or(Code::NeedsLogin)?,
            Err(error) => return self.seen_of_late(id, error).await,
        };
        self.office.user(found.user).await.map_err(away)?.ok_or(Code::NeedsLogin)?;
        Ok(Cached {
            account: found.user,
            created_ms: found.created_ms as Ms,
            expires_ms: found.expires_ms as Ms,
            touched_ms: found.last_seen_ms as Ms,
        })
    }

    /// Moves a session's end on; false when it has ended. Without the database it goes on as it is.
    async fn touch(&self, id: TokenHash, now: Ms) -> bool {
        let expires_ms = now + self.idle_ms();
        match self.office.touch_session(&id, now as u64, expires_ms as u64).await {
            Ok(true) => {
                // Only if it is still kept here: it may have ended meanwhile, which the next call finds out.
                if let Some(mut session) = self.sessions.get_mut(&id) {
                    (session.expires_ms, session.touched_ms) = (expires_ms, now);
                    self.show(id, &session);
                }
                true
            }
            Ok(false) => {
                self.forget(&id, "expired");
                false
            }
            Err(error) => {
                tracing::warn!(%error, "a session was not touched");
                true
            }
        }
    }

    /// Forgets sessions that ended and limits that no longer limit anybody.
    pub fn sweep(&self) {
        let now = now_ms();
        let is_over = |s: &Cached| now >= s.expires_ms || now >= s.created_ms + self.absolute_ms();
        let over = self.sessions.iter().filter(|s| is_over(s.value())).map(|s| *s.key());
        let over: Vec<TokenHash> = over.collect();
        over.iter().for_each(|id| self.forget(id, "expired"));
        self.login_limits.sweep();
        self.challenges.sweep(now as u64);
        self.factor_tries.sweep();
        self.foreign_sends.sweep();
        self.documents.sweep();
    }

    pub(super) fn forget(&self, id: &TokenHash, reason: &'static str) {
        self.ended.fetch_add(1, Ordering::SeqCst);
        self.sessions.remove(id);
        if let Some(hot) = self.hot.get() {
            hot.session_ended(*id);
        }
        // Nobody listens while no worker runs.
        drop(self.kicks.send(Kick { session: *id, reason }));
    }

    /// Ends what is kept here of an account's sessions.
    pub(super) fn forget_all(&self, account: AccountId, reason: &'static str) {
        let theirs = self.sessions.iter().filter(|session| session.account == account).map(|session| *session.key());
        let theirs: Vec<TokenHash> = theirs.collect();
        theirs.iter().for_each(|id| self.forget(id, reason));
    }

    /// Ends a session; an unknown token is fine.
    pub async fn logout(&self, token: &str, ip: IpAddr) -> Result<(), Failure> {
        let id = digest(token);
        let whose = self.office.session(&id, now()).await.map_err(away)?.map(|session| session.user);
        self.office.end_session(&id).await.map_err(away)?;
        // A token that nobody has ends nothing, and tells nobody.
        if whose.is_some() || self.sessions.contains_key(&id) {
            self.forget(&id, "logout");
        }
        if let Some(user) = whose {
            self.audit(user, "logout", ip).await;
        }
        Ok(())
    }

    /// A user's sessions.
    pub async fn sessions(&self, account: AccountId) -> Result<Vec<SessionRow>, Failure> {
        let rows = self.office.sessions(account, now()).await.map_err(away)?;
        let row = |s: office::Session| SessionRow {
            id: s.token,
            number: s.id,
            ip: s.ip,
            agent: s.agent,
            created_ms: s.created_ms as Ms,
            seen_ms: s.last_seen_ms as Ms,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Ends one of a user's own sessions.
    pub async fn revoke(&self, account: AccountId, number: u64, ip: IpAddr) -> Result<(), Failure> {
        let ended = self.office.revoke_session(account, number).await.map_err(away)?;
        self.forget(&ended.ok_or(Code::NotFound)?, "logout");
        self.audit(account, "revoke session", ip).await;
        Ok(())
    }
}
