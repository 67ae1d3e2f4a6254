//! Pauses of withdrawals: what follows when somebody's passwords or second factors change.
//!
//! Owns: `users.withdrawals_paused_until_ms`.
//! Never does: decide which changes pause; refuse a withdrawal.
//! Invariants: a pause is one write with the change that it follows from; it only grows.
//! Known limits: who writes to the database may end one; the address that is paid has a MAC of its own.
//! Rules: `docs/rules/authentication.md "Pauses"`.

use sqlx::SqliteConnection;
use xng_core::ids::AccountId;

use super::{Office, OfficeError};

/// After a change by the user, or by who could be taken for them: 24 hours.
pub const PAUSE_MS: u64 = 24 * 3_600_000;
/// After an operator took away all factors: 72 hours, in which the user may notice and object.
pub const OPERATOR_PAUSE_MS: u64 = 72 * 3_600_000;

impl Office {
    /// Until when nothing is paid out to a user, milliseconds since the epoch; 0: never paused, or no such user.
    pub async fn withdrawals_paused_until(&self, user: AccountId) -> Result<u64, OfficeError> {
        let until: Option<i64> = sqlx::query_scalar("SELECT withdrawals_paused_until_ms FROM users WHERE id = ?")
            .bind(user.0.cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database("read a pause"))?;
        Ok(until.unwrap_or_default().cast_unsigned())
    }
}

/// Pauses a user's withdrawals within the caller's transaction.
pub(super) async fn pause(
    connection: &mut SqliteConnection,
    user: AccountId,
    until_ms: u64,
) -> Result<(), OfficeError> {
    sqlx::query("UPDATE users SET withdrawals_paused_until_ms = max(withdrawals_paused_until_ms, ?) WHERE id = ?")
        .bind(until_ms.cast_signed())
        .bind(user.0.cast_signed())
        .execute(connection)
        .await
        .map(drop)
        .map_err(OfficeError::database("pause withdrawals"))
}
