//! Cases of the staff: what one person proposes and another decides.
//!
//! Owns: the table `staff_cases`.
//! Never does: do what was decided.
//! Invariants: nobody approves what they proposed; a case is decided once, with the signature and the row of the audit in one
//! transaction; of one kind and subject one is open at most.
//! Known limits: who proposed it may refuse it, which takes it back.

use sqlx::sqlite::SqliteRow;

use super::{
    AuditEntry, Fields, Office, OfficeError,
    staff::{StaffCredential, finish, signed},
};

/// A case that nobody decides ends after this: 72 hours.
pub const CASE_OPEN_MS: u64 = 72 * 3_600_000;

/// How far a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseState {
    /// Somebody else has to decide.
    Proposed = 1,
    /// Another person agreed.
    Approved = 2,
    /// Somebody refused it, or who proposed it took it back.
    Refused = 3,
    /// Nobody decided in time.
    Expired = 4,
}

/// A case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffCase {
    /// Its number.
    pub id: u64,
    /// What is proposed.
    pub kind: String,
    /// About what.
    pub subject: String,
    /// How far it is.
    pub state: CaseState,
    /// Who proposed it.
    pub proposed_by: u64,
    /// When, milliseconds since the epoch.
    pub proposed_ms: u64,
    /// Why.
    pub proposed_reason: String,
    /// Who decided.
    pub decided_by: Option<u64>,
    /// When.
    pub decided_ms: Option<u64>,
    /// Why.
    pub decided_reason: Option<String>,
}

/// What somebody proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCase {
    /// What.
    pub kind: String,
    /// About what.
    pub subject: String,
    /// Who.
    pub by: u64,
    /// Why.
    pub reason: String,
}

/// What somebody decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseDecision {
    /// Of which case.
    pub case: u64,
    /// Who.
    pub by: u64,
    /// Why.
    pub reason: String,
    /// It is approved.
    pub approves: bool,
}

impl Office {
    /// Opens a case; its number, or none while another of this kind and subject is open.
    pub async fn propose(&self, new: &NewCase, audit: &AuditEntry, now_ms: u64) -> Result<Option<u64>, OfficeError> {
        let failed = "open a case";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let added = sqlx::query(
            "INSERT INTO staff_cases (kind, subject, state, proposed_by, proposed_ms, proposed_reason)
             SELECT ?1, ?2, 1, ?3, ?4, ?5 WHERE NOT EXISTS
             (SELECT 1 FROM staff_cases WHERE kind = ?1 AND subject = ?2 AND state = 1 AND proposed_ms > ?6)",
        )
        .bind(&new.kind)
        .bind(&new.subject)
        .bind(new.by.cast_signed())
        .bind(now_ms.cast_signed())
        .bind(&new.reason)
        .bind(now_ms.saturating_sub(CASE_OPEN_MS).cast_signed())
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        if added.rows_affected() == 0 {
            return Ok(None);
        }
        let id = added.last_insert_rowid().cast_unsigned();
        finish(transaction, audit, now_ms).await?;
        Ok(Some(id))
    }

    /// Decides a case by who signed for it. False when it is decided or expired, who proposed it would approve it, or the passkey
    /// is gone.
    pub async fn decide_case(
        &self,
        decision: &CaseDecision,
        key: &StaffCredential,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let failed = "decide a case";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let decided = sqlx::query(
            "UPDATE staff_cases SET state = ?1, decided_by = ?2, decided_ms = ?3, decided_reason = ?4
             WHERE id = ?5 AND state = 1 AND proposed_ms > ?6 AND (?1 = 3 OR proposed_by <> ?2)",
        )
        .bind(if decision.approves { 2 } else { 3 })
        .bind(decision.by.cast_signed())
        .bind(now_ms.cast_signed())
        .bind(&decision.reason)
        .bind(decision.case.cast_signed())
        .bind(now_ms.saturating_sub(CASE_OPEN_MS).cast_signed())
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        if decided.rows_affected() == 0 || !signed(&mut transaction, key, now_ms).await? {
            return Ok(false);
        }
        finish(transaction, audit, now_ms).await?;
        Ok(true)
    }

    /// The newest cases of a kind, the newest first.
    pub async fn cases(&self, kind: &str, limit: u32, now_ms: u64) -> Result<Vec<StaffCase>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM staff_cases WHERE kind = ? ORDER BY id DESC LIMIT ?");
        let rows = rows.bind(kind).bind(limit);
        let rows = rows.fetch_all(self.database.readers()).await.map_err(OfficeError::database("read cases"))?;
        rows.iter().map(|row| case(row, now_ms)).collect()
    }

    /// A case.
    pub async fn case(&self, id: u64, now_ms: u64) -> Result<Option<StaffCase>, OfficeError> {
        let row = sqlx::query("SELECT * FROM staff_cases WHERE id = ?").bind(id.cast_signed());
        let row = row.fetch_optional(self.database.readers()).await.map_err(OfficeError::database("read a case"))?;
        row.map(|row| case(&row, now_ms)).transpose()
    }
}

pub(super) fn case(row: &SqliteRow, now_ms: u64) -> Result<StaffCase, OfficeError> {
    let f = Fields { row, table: "staff_cases" };
    let proposed_ms = f.id("proposed_ms")?;
    let state = match f.get::<i64>("state")? {
        1 if proposed_ms + CASE_OPEN_MS <= now_ms => CaseState::Expired,
        1 => CaseState::Proposed,
        2 => CaseState::Approved,
        3 => CaseState::Refused,
        other => return Err(f.strange("state", other.to_string())),
    };
    let number = |column| Ok::<_, OfficeError>(f.get::<Option<i64>>(column)?.map(i64::cast_unsigned));
    Ok(StaffCase {
        id: f.id("id")?,
        kind: f.get("kind")?,
        subject: f.get("subject")?,
        state,
        proposed_by: f.id("proposed_by")?,
        proposed_ms,
        proposed_reason: f.get("proposed_reason")?,
        decided_by: number("decided_by")?,
        decided_ms: number("decided_ms")?,
        decided_reason: f.get("decided_reason")?,
    })
}
