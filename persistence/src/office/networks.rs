//! Networks from which users logged in.
//!
//! Owns: the table `known_networks`.
//! Never does: look at an address; it gets networks as texts.
//! Invariants: a network is known for 30 days after the last login from there; a user has at most so many, and those that
//! were not seen for longest give way.
//! Known limits: a login from a network makes it known, whoever else is there.
//! Rules: `spec/domain.md` 1.2 "POST /user/login".

use sqlx::SqliteConnection;
use xng_core::ids::AccountId;

use super::{Office, OfficeError};

/// A network is known for so long after a login.
pub const KNOWN_FOR_MS: u64 = 30 * 86_400_000;
/// Networks of one user.
const MOST: i64 = 100;

impl Office {
    /// Whether a user logged in from a network of late.
    pub async fn knows_network(&self, user: AccountId, network: &str, now_ms: u64) -> Result<bool, OfficeError> {
        let found: Option<i64> =
            sqlx::query_scalar("SELECT 1 FROM known_networks WHERE user = ? AND network = ? AND seen_ms > ?")
                .bind(user.0.cast_signed())
                .bind(network)
                .bind(now_ms.saturating_sub(KNOWN_FOR_MS).cast_signed())
                .fetch_optional(self.database.readers())
                .await
                .map_err(OfficeError::database("look for a network"))?;
        Ok(found.is_some())
    }
}

/// Notes a login from a network within the caller's transaction.
pub(super) async fn note(
    connection: &mut SqliteConnection,
    user: AccountId,
    network: &str,
    now_ms: u64,
) -> Result<(), OfficeError> {
    let failed = "note a network";
    sqlx::query(
        "INSERT INTO known_networks (user, network, seen_ms) VALUES (?, ?, ?)
         ON CONFLICT (user, network) DO UPDATE SET seen_ms = excluded.seen_ms",
    )
    .bind(user.0.cast_signed())
    .bind(network)
    .bind(now_ms.cast_signed())
    .execute(&mut *connection)
    .await
    .map_err(OfficeError::database(failed))?;
    sqlx::query(
        "DELETE FROM known_networks WHERE user = ?1 AND (seen_ms <= ?2 OR network NOT IN
         (SELECT network FROM known_networks WHERE user = ?1 ORDER BY seen_ms DESC, network LIMIT ?3))",
    )
    .bind(user.0.cast_signed())
    .bind(now_ms.saturating_sub(KNOWN_FOR_MS).cast_signed())
    .bind(MOST)
    .execute(connection)
    .await
    .map_err(OfficeError::database(failed))?;
    Ok(())
}
