//! The audit log: actions with their actors, chained by hash.
//!
//! Owns: the table `audit`.
//! Never does: change or remove a row (triggers refuse it).
//! Invariants: each row's hash covers the row and the hash before it, so a changed or missing row shows; only the newest
//! rows can be cut off unseen, those after the newest anchor in the journal.
//! Known limits: verifying reads everything.

use sha2::{Digest, Sha256};
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection, sqlite::SqliteRow};

use super::{Fields, Office, OfficeError};

/// Rows that verifying reads at once.
const VERIFY_ROWS: u32 = 1_000;

/// Something that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// By whom.
    pub actor: String,
    /// What.
    pub action: String,
    /// To whom or what.
    pub subject: String,
    /// More about it, JSON.
    pub detail: String,
    /// From which network address.
    pub ip: String,
}

/// A row of the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// Its number, from 1, without gaps.
    pub id: u64,
    /// When, milliseconds since the epoch.
    pub created_ms: u64,
    /// What.
    pub entry: AuditEntry,
    /// SHA-256 of the hash before and of this row.
    pub hash: [u8; 32],
}

/// Which rows of the audit are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Older than this one.
    pub before: Option<u64>,
    /// By whom, the whole text; empty: whoever.
    pub actor: String,
    /// The beginning of what was done; empty: whatever.
    pub action: String,
    /// To whom or what, the whole text; empty: whomever.
    pub subject: String,
}

impl AuditEntry {
    fn hash(&self, before: &[u8; 32], id: u64, created_ms: u64) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(before);
        hasher.update(id.to_le_bytes());
        hasher.update(created_ms.to_le_bytes());
        for field in [&self.actor, &self.action, &self.subject, &self.detail, &self.ip] {
            hasher.update((field.len() as u64).to_le_bytes());
            hasher.update(field.as_bytes());
        }
        hasher.finalize().into()
    }
}

impl Office {
    /// Appends a row; its number and hash.
    pub async fn append_audit(&self, entry: &AuditEntry, now_ms: u64) -> Result<AuditRow, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(APPENDING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(APPENDING))?;
        let row = append(&mut transaction, entry, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(APPENDING))?;
        Ok(row)
    }

    /// The newest rows of those that are wanted, newest first.
    pub async fn audit(&self, wanted: &AuditFilter, limit: u32) -> Result<Vec<AuditRow>, OfficeError> {
        // Of what is asked alone: with a condition for each field no index is used.
        let mut query = QueryBuilder::<Sqlite>::new("SELECT * FROM audit WHERE id < ");
        query.push_bind(wanted.before.map_or(i64::MAX, u64::cast_signed));
        if !wanted.actor.is_empty() {
            query.push(" AND actor = ").push_bind(&wanted.actor);
        }
        if !wanted.action.is_empty() {
            query.push(" AND substr(action, 1, ").push_bind(wanted.action.chars().count() as i64);
            query.push(") = ").push_bind(&wanted.action);
        }
        if !wanted.subject.is_empty() {
            query.push(" AND subject = ").push_bind(&wanted.subject);
        }
        query.push(" ORDER BY id DESC LIMIT ").push_bind(limit);
        let rows = query.build().fetch_all(self.database.readers());
        rows.await.map_err(OfficeError::database("read the audit"))?.iter().map(audit_fields).collect()
    }

    /// Rows of the audit from `from` on, oldest first.
    pub async fn audit_from(&self, from: u64, limit: u32) -> Result<Vec<AuditRow>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM audit WHERE id >= ? ORDER BY id LIMIT ?")
            .bind(from.cast_signed())
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("read the audit"))?;
        rows.iter().map(audit_fields).collect()
    }

    /// The newest row that is as old as this, milliseconds since the epoch, or older.
    pub async fn audit_row_until(&self, created_ms: u64) -> Result<Option<AuditRow>, OfficeError> {
        let row = sqlx::query("SELECT * FROM audit WHERE created_ms <= ? ORDER BY id DESC LIMIT 1")
            .bind(created_ms.cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database("read the audit"))?;
        row.as_ref().map(audit_fields).transpose()
    }

    /// Checks the whole chain; the number of rows and the newest hash.
    ///
    /// # Errors
    /// [`OfficeError::AuditBroken`] with the first row that does not fit.
    pub async fn verify_audit(&self) -> Result<(u64, [u8; 32]), OfficeError> {
        self.verify_audit_after(0, [0; 32]).await
    }

    /// Checks that rows continue the chain after so many rows with this hash; the number of all and the newest hash.
    ///
    /// # Errors
    /// See [`Office::verify_audit`].
    pub async fn verify_audit_after(&self, rows: u64, hash: [u8; 32]) -> Result<(u64, [u8; 32]), OfficeError> {
        let (mut count, mut hash) = (rows, hash);
        loop {
            let rows = self.audit_from(count + 1, VERIFY_ROWS).await?;
            if rows.is_empty() {
                return Ok((count, hash));
            }
            for row in rows {
                if row.id != count + 1 || row.hash != row.entry.hash(&hash, row.id, row.created_ms) {
                    return Err(OfficeError::AuditBroken { id: row.id });
                }
                (count, hash) = (row.id, row.hash);
            }
        }
    }
}

const APPENDING: &str = "append to the audit";

/// As [`Office::append_audit`], within the caller's transaction: what was done and its row are there together, or neither.
pub(super) async fn append(
    connection: &mut SqliteConnection,
    entry: &AuditEntry,
    now_ms: u64,
) -> Result<AuditRow, OfficeError> {
    let last = sqlx::query("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1")
        .fetch_optional(&mut *connection)
        .await
        .map_err(OfficeError::database(APPENDING))?;
    let (id, before) = match &last {
        None => (1, [0; 32]),
        Some(row) => (row.get::<i64, _>(0).cast_unsigned() + 1, Fields { row, table: "audit" }.hash("hash")?),
    };
    let hash = entry.hash(&before, id, now_ms);
    sqlx::query(
        "INSERT INTO audit (id, created_ms, actor, action, subject, detail, ip, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(id.cast_signed())
    .bind(now_ms.cast_signed())
    .bind(&entry.actor)
    .bind(&entry.action)
    .bind(&entry.subject)
    .bind(&entry.detail)
    .bind(&entry.ip)
    .bind(hash.as_slice())
    .execute(connection)
    .await
    .map_err(OfficeError::database(APPENDING))?;
    Ok(AuditRow { id, created_ms: now_ms, entry: entry.clone(), hash })
}

fn audit_fields(row: &SqliteRow) -> Result<AuditRow, OfficeError> {
    let f = Fields { row, table: "audit" };
    let entry = AuditEntry {
        actor: f.get("actor")?,
        action: f.get("action")?,
        subject: f.get("subject")?,
        detail: f.get("detail")?,
        ip: f.get("ip")?,
    };
    Ok(AuditRow { id: f.id("id")?, created_ms: f.id("created_ms")?, entry, hash: f.hash("hash")? })
}
