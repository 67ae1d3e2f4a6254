//! Addresses from which users logged in.
//!
//! Owns: the table `known_addresses`.
//! Never does: look at an address; it gets texts.
//! Invariants: an address is known for 30 days after the last login from there; a user has at most so many, and those that
//! were not seen for longest give way.
//! Known limits: a login from an address makes it known, whoever else is there.
//! Rules: `docs/rules/authentication.md "Login delays"` and `"Sessions"`.

use sqlx::SqliteConnection;
use xng_core::ids::AccountId;

use super::{Office, OfficeError};

/// An address is known for so long after a login.
pub const KNOWN_FOR_MS: u64 = 30 * 86_400_000;
/// Addresses of one user.
const MOST: i64 = 100;

impl Office {
    /// Whether a user logged in from an address of late.
    pub async fn knows_address(&self, user: AccountId, address: &str, now_ms: u64) -> Result<bool, OfficeError> {
        let found: Option<i64> =
            sqlx::query_scalar("SELECT 1 FROM known_addresses WHERE user = ? AND address = ? AND seen_ms > ?")
                .bind(user.0.cast_signed())
                .bind(address)
                .bind(now_ms.saturating_sub(KNOWN_FOR_MS).cast_signed())
                .fetch_optional(self.database.readers())
                .await
                .map_err(OfficeError::database("look for an address"))?;
        Ok(found.is_some())
    }
}

/// From then on a login from nowhere known is one from elsewhere: who registers logs in at once.
const NEW_FOR_MS: u64 = 3_600_000;

/// Whether a user, unless just registered, has not logged in from this address of late.
pub(super) async fn is_elsewhere(
    connection: &mut SqliteConnection,
    user: AccountId,
    address: &str,
    now_ms: u64,
) -> Result<bool, OfficeError> {
    let (all, here, is_old): (i64, i64, bool) = sqlx::query_as(
        "SELECT count(address), coalesce(sum(address = ?1), 0), created_ms <= ?2
         FROM users LEFT JOIN known_addresses ON user = users.id AND seen_ms > ?3 WHERE users.id = ?4",
    )
    .bind(address)
    .bind(now_ms.saturating_sub(NEW_FOR_MS).cast_signed())
    .bind(now_ms.saturating_sub(KNOWN_FOR_MS).cast_signed())
    .bind(user.0.cast_signed())
    .fetch_one(connection)
    .await
    .map_err(OfficeError::database("look for other addresses"))?;
    Ok(here == 0 && (all > 0 || is_old))
}

/// Notes a login from an address within the caller's transaction.
pub(super) async fn note(
    connection: &mut SqliteConnection,
    user: AccountId,
    address: &str,
    now_ms: u64,
) -> Result<(), OfficeError> {
    let failed = "note an address";
    sqlx::query(
        "INSERT INTO known_addresses (user, address, seen_ms) VALUES (?, ?, ?)
         ON CONFLICT (user, address) DO UPDATE SET seen_ms = excluded.seen_ms",
    )
    .bind(user.0.cast_signed())
    .bind(address)
    .bind(now_ms.cast_signed())
    .execute(&mut *connection)
    .await
    .map_err(OfficeError::database(failed))?;
    sqlx::query(
        "DELETE FROM known_addresses WHERE user = ?1 AND (seen_ms <= ?2 OR address NOT IN
         (SELECT address FROM known_addresses WHERE user = ?1 ORDER BY seen_ms DESC, address LIMIT ?3))",
    )
    .bind(user.0.cast_signed())
    .bind(now_ms.saturating_sub(KNOWN_FOR_MS).cast_signed())
    .bind(MOST)
    .execute(connection)
    .await
    .map_err(OfficeError::database(failed))?;
    Ok(())
}
