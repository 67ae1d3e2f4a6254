//! What came of cases that were approved and are carried out at a time of their own.
//!
//! Owns: the table `staff_case_outcomes`.
//! Never does: carry out what was decided.
//! Invariants: a case has one outcome at most, and only one that was approved; the row of the audit is in the same transaction.
//! Known limits: cases of other kinds have no outcome: they are carried out when they are decided.

use std::collections::BTreeMap;

use sqlx::sqlite::SqliteRow;

use super::{
    AuditEntry, Fields, Office, OfficeError,
    cases::{StaffCase, case},
    staff::finish,
};

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseOutcome {
    /// In words for people.
    pub outcome: String,
    /// When, milliseconds since the epoch.
    pub at_ms: u64,
}

impl Office {
    /// Cases of a kind that were approved and of which nothing came yet, the oldest first.
    pub async fn cases_without_outcome(&self, kind: &str, now_ms: u64) -> Result<Vec<StaffCase>, OfficeError> {
        let rows = sqlx::query(
            "SELECT * FROM staff_cases WHERE kind = ? AND state = 2
             AND NOT EXISTS (SELECT 1 FROM staff_case_outcomes WHERE staff_case = staff_cases.id) ORDER BY id",
        );
        let rows = rows.bind(kind).fetch_all(self.database.readers()).await;
        rows.map_err(OfficeError::database("read cases"))?.iter().map(|row| case(row, now_ms)).collect()
    }

    /// Outcomes of the newest cases of a kind, by case.
    pub async fn case_outcomes(&self, kind: &str, limit: u32) -> Result<BTreeMap<u64, CaseOutcome>, OfficeError> {
        let rows = sqlx::query(
            "SELECT o.* FROM staff_case_outcomes o JOIN staff_cases c ON c.id = o.staff_case
             WHERE c.kind = ? ORDER BY c.id DESC LIMIT ?",
        );
        let rows = rows.bind(kind).bind(limit).fetch_all(self.database.readers()).await;
        let rows = rows.map_err(OfficeError::database("read outcomes of cases"))?;
        rows.iter().map(outcome).collect()
    }

    /// What came of a case, if anything did.
    pub async fn case_outcome(&self, case: u64) -> Result<Option<CaseOutcome>, OfficeError> {
        let row = sqlx::query("SELECT * FROM staff_case_outcomes WHERE staff_case = ?").bind(case.cast_signed());
        let row = row.fetch_optional(self.database.readers()).await;
        let row = row.map_err(OfficeError::database("read the outcome of a case"))?;
        Ok(row.as_ref().map(outcome).transpose()?.map(|(_, outcome)| outcome))
    }

    /// Notes what came of a case. False when it was not approved, or has an outcome already.
    pub async fn end_case(
        &self,
        case: u64,
        outcome: &str,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let failed = "note the outcome of a case";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let noted = sqlx::query(
            "INSERT INTO staff_case_outcomes (staff_case, outcome, at_ms)
             SELECT id, ?2, ?3 FROM staff_cases WHERE id = ?1 AND state = 2 ON CONFLICT (staff_case) DO NOTHING",
        )
        .bind(case.cast_signed())
        .bind(outcome)
        .bind(now_ms.cast_signed())
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        if noted.rows_affected() == 0 {
            return Ok(false);
        }
        finish(transaction, audit, now_ms).await?;
        Ok(true)
    }
}

fn outcome(row: &SqliteRow) -> Result<(u64, CaseOutcome), OfficeError> {
    let f = Fields { row, table: "staff_case_outcomes" };
    Ok((f.id("staff_case")?, CaseOutcome { outcome: f.get("outcome")?, at_ms: f.id("at_ms")? }))
}
