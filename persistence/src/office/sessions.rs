//! Sessions: the logged-in users with address and expiry.
//!
//! Owns: the table `sessions`.
//! Never does: make or see a token; it gets SHA-256 hashes. Cache (the gateway does).
//! Invariants: an expired session is none; a user has at most so many, and the longest unseen give way.
//! Known limits: `touch` is a write; callers touch once in a while, not at each request.
//! Rules: `docs/rules/authentication.md "Sessions"`.

use sqlx::{Row, SqliteConnection, sqlite::SqliteRow};
use xng_core::ids::AccountId;

use super::{
    Fields, NewMessage, Office, OfficeError,
    addresses::{is_elsewhere, note},
    outbox,
};

/// SHA-256 of a session's token.
pub type TokenHash = [u8; 32];

/// A session that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// SHA-256 of its token.
    pub token: TokenHash,
    /// Whose.
    pub user: AccountId,
    /// When it ends unless it is touched, milliseconds since the epoch.
    pub expires_ms: u64,
    /// Network address that it began from.
    pub ip: String,
    /// That as limits see it, which is known from now on.
    pub address: String,
    /// What the client calls itself.
    pub agent: String,
    /// The user proved a second factor, too.
    pub with_factor: bool,
    /// In which language the user is written to from now on, unless the address is not known.
    pub lang: String,
    /// What the user is told when this address is not known.
    pub notice: Option<NewMessage>,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// What its user names it by.
    pub id: u64,
    /// SHA-256 of its token.
    pub token: TokenHash,
    /// Whose.
    pub user: AccountId,
    /// When it began, milliseconds since the epoch.
    pub created_ms: u64,
    /// When it was last touched.
    pub last_seen_ms: u64,
    /// When it ends.
    pub expires_ms: u64,
    /// Network address that it began from.
    pub ip: String,
    /// What the client calls itself.
    pub agent: String,
}

impl Office {
    /// Begins a session; the address that it comes from is known from then on. Who is not just registered and has not logged in from
    /// there of late gets the notice. Expired ones of the user are removed, and the
    /// longest unseen as long as there are `most` or more. Returns the tokens that are dead now, or nothing when the user's
    /// password hash is not `verified` any more, or the user has a second factor by now that was not proved: then no session
    /// begins.
    pub async fn begin_session(
        &self,
        new: &NewSession,
        verified: &str,
        most: u32,
        now_ms: u64,
    ) -> Result<Option<Vec<TokenHash>>, OfficeError> {
        let failed = "begin a session";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let same = sqlx::query(
            "SELECT 1 FROM users WHERE id = ?1 AND password_hash = ?2
             AND (?3 OR NOT EXISTS (SELECT 1 FROM factors WHERE user = ?1 AND confirmed = 1))",
        )
        .bind(new.user.0.cast_signed())
        .bind(verified)
        .bind(new.with_factor)
        .fetch_optional(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        if same.is_none() {
            return Ok(None);
        }
        let ended = sqlx::query(
            "DELETE FROM sessions WHERE user = ?1 AND (expires_ms <= ?2 OR id NOT IN
             (SELECT id FROM sessions WHERE user = ?1 AND expires_ms > ?2
              ORDER BY last_seen_ms DESC, id DESC LIMIT ?3))
             RETURNING token_hash",
        )
        .bind(new.user.0.cast_signed())
        .bind(now_ms.cast_signed())
        .bind(most.saturating_sub(1))
        .fetch_all(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        sqlx::query(
            "INSERT INTO sessions (token_hash, user, created_ms, last_seen_ms, expires_ms, ip, agent)
             VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6)",
        )
        .bind(new.token.as_slice())
        .bind(new.user.0.cast_signed())
        .bind(now_ms.cast_signed())
        .bind(new.expires_ms.cast_signed())
        .bind(&new.ip)
        .bind(&new.agent)
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        let is_elsewhere = is_elsewhere(&mut transaction, new.user, &new.address, now_ms).await?;
        // Whoever stole a password does not choose the language of the warnings.
        sqlx::query("UPDATE users SET lang = ?1 WHERE id = ?2 AND (lang = '' OR NOT ?3)")
            .bind(&new.lang)
            .bind(new.user.0.cast_signed())
            .bind(is_elsewhere)
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if let Some(notice) = new.notice.as_ref().filter(|_| is_elsewhere) {
            outbox::put(&mut transaction, notice, now_ms).await?;
        }
        note(&mut transaction, new.user, &new.address, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        let dead = ended.iter().map(|row| Fields { row, table: "sessions" }.hash("token_hash"));
        dead.collect::<Result<_, _>>().map(Some)
    }

    /// The session of a token, unless it has expired.
    pub async fn session(&self, token: &TokenHash, now_ms: u64) -> Result<Option<Session>, OfficeError> {
        let row = sqlx::query("SELECT * FROM sessions WHERE token_hash = ? AND expires_ms > ?")
            .bind(token.as_slice())
            .bind(now_ms.cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database("find a session"))?;
        row.as_ref().map(session_fields).transpose()
    }

    /// Notes that a session was seen and when it ends now; false when there is none (any more).
    pub async fn touch_session(&self, token: &TokenHash, now_ms: u64, expires_ms: u64) -> Result<bool, OfficeError> {
        let failed = "touch a session";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let done = sqlx::query(
            "UPDATE sessions SET last_seen_ms = ?2, expires_ms = ?3 WHERE token_hash = ?1 AND expires_ms > ?2",
        )
        .bind(token.as_slice())
        .bind(now_ms.cast_signed())
        .bind(expires_ms.cast_signed())
        .execute(writer.connection().map_err(OfficeError::database(failed))?)
        .await
        .map_err(OfficeError::database(failed))?;
        Ok(done.rows_affected() == 1)
    }

    /// Ends the session of a token; false when there is none.
    pub async fn end_session(&self, token: &TokenHash) -> Result<bool, OfficeError> {
        let failed = "end a session";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let done = sqlx::query("DELETE FROM sessions WHERE token_hash = ?")
            .bind(token.as_slice())
            .execute(writer.connection().map_err(OfficeError::database(failed))?)
            .await
            .map_err(OfficeError::database(failed))?;
        Ok(done.rows_affected() == 1)
    }

    /// Ends one session of a user by its id; its token, or `None` when there is no such one.
    pub async fn revoke_session(&self, user: AccountId, id: u64) -> Result<Option<TokenHash>, OfficeError> {
        let failed = "revoke a session";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let row = sqlx::query("DELETE FROM sessions WHERE user = ? AND id = ? RETURNING token_hash")
            .bind(user.0.cast_signed())
            .bind(id.cast_signed())
            .fetch_optional(writer.connection().map_err(OfficeError::database(failed))?)
            .await
            .map_err(OfficeError::database(failed))?;
        row.as_ref().map(|row| Fields { row, table: "sessions" }.hash("token_hash")).transpose()
    }

    /// A user's sessions that have not expired, the last seen first.
    pub async fn sessions(&self, user: AccountId, now_ms: u64) -> Result<Vec<Session>, OfficeError> {
        let rows =
            sqlx::query("SELECT * FROM sessions WHERE user = ? AND expires_ms > ? ORDER BY last_seen_ms DESC, id DESC")
                .bind(user.0.cast_signed())
                .bind(now_ms.cast_signed())
                .fetch_all(self.database.readers())
                .await
                .map_err(OfficeError::database("list sessions"))?;
        rows.iter().map(session_fields).collect()
    }
}

/// Ends all sessions of a user within the caller's transaction; their tokens.
pub(super) async fn revoke_all(
    connection: &mut SqliteConnection,
    user: AccountId,
) -> Result<Vec<TokenHash>, OfficeError> {
    let rows = sqlx::query("DELETE FROM sessions WHERE user = ? RETURNING token_hash")
        .bind(user.0.cast_signed())
        .fetch_all(connection)
        .await
        .map_err(OfficeError::database("revoke sessions"))?;
    rows.iter().map(|row| Fields { row, table: "sessions" }.hash("token_hash")).collect()
}

fn session_fields(row: &SqliteRow) -> Result<Session, OfficeError> {
    let f = Fields { row, table: "sessions" };
    Ok(Session {
        id: f.id("id")?,
        token: f.hash("token_hash")?,
        user: AccountId(f.id("user")?),
        created_ms: f.id("created_ms")?,
        last_seen_ms: f.id("last_seen_ms")?,
        expires_ms: f.id("expires_ms")?,
        ip: row.try_get("ip").map_err(OfficeError::database("read a session"))?,
        agent: row.try_get("agent").map_err(OfficeError::database("read a session"))?,
    })
}
