//! Applications of users who want others to follow them.
//!
//! Owns: the table `trader_applications`.
//! Never does: make anybody a trader; the account's own fact does. Invariants: a user has one application; one that waits is not
//! replaced. Known limits: older applications of a user are not kept.
//! Rules: `docs/rules/copy-trading.md "Becoming a trader"`.

use xng_core::ids::AccountId;

use super::{Fields, Office, OfficeError};

/// Where an application stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationState {
    /// Nobody has decided.
    Applied = 1,
    /// Approved.
    Approved = 2,
    /// Refused.
    Refused = 3,
}

/// An application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraderApplication {
    /// Whose.
    pub user: AccountId,
    /// What they say of themselves.
    pub intro: String,
    /// Where it stands.
    pub state: ApplicationState,
    /// Why it was decided so; empty before.
    pub reason: String,
    /// When it was made, milliseconds since the epoch.
    pub applied_ms: u64,
}

impl Office {
    /// Takes an application, unless one waits; whether it did.
    pub async fn apply_as_trader(&self, user: AccountId, intro: &str, now_ms: u64) -> Result<bool, OfficeError> {
        let failed = "keep an application";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let done = sqlx::query(
            "INSERT INTO trader_applications (user, intro, state, reason, applied_ms) VALUES (?, ?, 1, '', ?)
             ON CONFLICT (user) DO UPDATE SET intro = excluded.intro, state = 1, reason = '',
             applied_ms = excluded.applied_ms, decided_ms = NULL WHERE trader_applications.state <> 1",
        )
        .bind(user.0.cast_signed())
        .bind(intro)
        .bind(now_ms.cast_signed())
        .execute(writer.connection().map_err(OfficeError::database(failed))?)
        .await
        .map_err(OfficeError::database(failed))?;
        Ok(done.rows_affected() == 1)
    }

    /// The application of a user.
    pub async fn trader_application(&self, user: AccountId) -> Result<Option<TraderApplication>, OfficeError> {
        let row = sqlx::query("SELECT * FROM trader_applications WHERE user = ?")
            .bind(user.0.cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database("read an application"))?;
        row.as_ref().map(application).transpose()
    }

    /// Applications that wait, the oldest first.
    pub async fn waiting_traders(&self, limit: u32) -> Result<Vec<TraderApplication>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM trader_applications WHERE state = 1 ORDER BY applied_ms, user LIMIT ?")
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("read applications"))?;
        rows.iter().map(application).collect()
    }

    /// Notes what was decided about an application, if there is one.
    pub async fn decide_trader(
        &self,
        user: AccountId,
        state: ApplicationState,
        reason: &str,
        now_ms: u64,
    ) -> Result<(), OfficeError> {
        let failed = "decide an application";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        sqlx::query("UPDATE trader_applications SET state = ?, reason = ?, decided_ms = ? WHERE user = ?")
            .bind(state as i64)
            .bind(reason)
            .bind(now_ms.cast_signed())
            .bind(user.0.cast_signed())
            .execute(writer.connection().map_err(OfficeError::database(failed))?)
            .await
            .map_err(OfficeError::database(failed))?;
        Ok(())
    }
}

fn application(row: &sqlx::sqlite::SqliteRow) -> Result<TraderApplication, OfficeError> {
    let f = Fields { row, table: "trader_applications" };
    let state = match f.get::<i64>("state")? {
        1 => ApplicationState::Applied,
        2 => ApplicationState::Approved,
        3 => ApplicationState::Refused,
        other => return Err(f.strange("state", other.to_string())),
    };
    Ok(TraderApplication {
        user: AccountId(f.id("user")?),
        intro: f.get("intro")?,
        state,
        reason: f.get("reason")?,
        applied_ms: f.id("applied_ms")?,
    })
}
