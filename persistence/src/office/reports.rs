//! What the office says of days, for reports: who came, who was verified, how long people waited.
//!
//! Owns: these queries. Never does: name a user. Invariants: none. Known limits: what was said is erased 180 days after a
//! conversation was closed, and with it when it was answered; one that was
//! revoked is not known any more to have passed, or after how long.

use sqlx::Row as _;

use super::{Office, OfficeError};

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// How many users did something on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayCount {
    /// The day (UTC), in days since the epoch.
    pub day: u32,
    /// What they did: `registered`, `basic verification passed`, `advanced verification failed`.
    pub what: String,
    /// How many.
    pub count: u64,
}

/// How long somebody waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Since when, milliseconds since the epoch.
    pub since_ms: u64,
    /// For how long, milliseconds.
    pub took_ms: u64,
}

impl Office {
    /// Users who registered, and verifications that were decided, by day.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn days_of_users(&self, since_ms: u64, until_ms: u64) -> Result<Vec<DayCount>, OfficeError> {
        let failed = || OfficeError::database("count users by day");
        let sql = "SELECT created_ms / ?1 AS day, 'registered' AS what, count(*) AS n FROM users
                   WHERE created_ms >= ?2 AND created_ms < ?3 GROUP BY day
                   UNION ALL
                   SELECT decided_ms / ?1, iif(level = 1, 'basic', 'advanced') || ' verification ' ||
                   iif(state = 2, 'passed', iif(reason = 'revoked', 'revoked', 'failed')), count(*) FROM verifications
                   WHERE decided_ms >= ?2 AND decided_ms < ?3 AND state IN (2, 3) GROUP BY 1, 2
                   ORDER BY 1, 2";
        let rows = sqlx::query(sql)
            .bind(DAY_MS)
            .bind(since_ms.cast_signed())
            .bind(until_ms.cast_signed())
            .fetch_all(self.database.readers())
            .await
            .map_err(failed())?;
        let count = |row: &sqlx::sqlite::SqliteRow| -> Result<DayCount, sqlx::Error> {
            let (day, n): (i64, i64) = (row.try_get(0)?, row.try_get(2)?);
            Ok(DayCount { day: day.try_into().unwrap_or(u32::MAX), what: row.try_get(1)?, count: n.cast_unsigned() })
        };
        rows.iter().map(|row| count(row).map_err(failed())).collect()
    }

    /// How long verifications waited that were sent in then and are decided, the oldest first, `most` at most.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn verification_waits(&self, since_ms: u64, until_ms: u64, most: u32) -> Result<Vec<Wait>, OfficeError> {
        let sql = "SELECT submitted_ms, decided_ms - submitted_ms FROM verifications
                   WHERE submitted_ms >= ? AND submitted_ms < ? AND decided_ms IS NOT NULL AND reason IS NOT 'revoked'
                   ORDER BY id LIMIT ?";
        self.waits(sql, (since_ms, until_ms), most).await
    }

    /// How long conversations that were opened then waited for the first answer of a person, the oldest first, `most` at most.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn first_answers(&self, since_ms: u64, until_ms: u64, most: u32) -> Result<Vec<Wait>, OfficeError> {
        let sql = "SELECT c.opened_ms, min(m.created_ms) - c.opened_ms FROM conversations c
                   JOIN chat_messages m ON m.conversation = c.id AND m.sender = 2
                   WHERE c.opened_ms >= ? AND c.opened_ms < ? GROUP BY c.id ORDER BY c.id LIMIT ?";
        self.waits(sql, (since_ms, until_ms), most).await
    }

    async fn waits(&self, sql: &'static str, (since, until): (u64, u64), most: u32) -> Result<Vec<Wait>, OfficeError> {
        let failed = || OfficeError::database("read how long people waited");
        let rows = sqlx::query(sql)
            .bind(since.cast_signed())
            .bind(until.cast_signed())
            .bind(most)
            .fetch_all(self.database.readers())
            .await
            .map_err(failed())?;
        let wait = |row: &sqlx::sqlite::SqliteRow| -> Result<Wait, sqlx::Error> {
            let (since, took): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
            // A clock that was set back makes no negative wait.
            Ok(Wait { since_ms: since.cast_unsigned(), took_ms: took.max(0).cast_unsigned() })
        };
        rows.iter().map(|row| wait(row).map_err(failed())).collect()
    }
}
