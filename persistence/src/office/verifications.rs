//! What users send in to be verified, and the pictures of their documents.
//!
//! Owns: the tables `verifications` and `private_files`.
//! Never does: open what is sealed; set a tier, which is the engine's fact.
//! Invariants: of a user one of a level waits or has passed at most; a document is one user's; only who holds the lease decides, once,
//! with the row of the audit in one transaction; a picture is sent in once, by its owner.
//! Known limits: of what failed name, number and pictures stay 90 days, for the reviewers of the next one; a keyed hash of the number
//! stays.
//! Rules: `docs/rules/verification.md`.

use sqlx::sqlite::SqliteRow;
use xng_core::ids::AccountId;

use super::{AuditEntry, CHAT_KEPT_MS, Fields, Office, OfficeError, staff::finish};

/// How long nobody else reviews what somebody began to: 15 minutes.
pub const REVIEW_MS: u64 = 15 * 60_000;
/// A picture that was not sent in by then is erased: a day.
pub const PICTURE_KEPT_MS: u64 = 86_400_000;
/// What failed keeps what was sent in for so long: 90 days.
pub const FAILED_KEPT_MS: u64 = 90 * 86_400_000;

/// What somebody sends in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVerification {
    /// Who.
    pub user: AccountId,
    /// 1 name and number, 2 pictures.
    pub level: u8,
    /// 0 identity card, 1 passport, 2 driver's licence.
    pub id_type: Option<u8>,
    /// Dialling code of the country.
    pub country: Option<String>,
    /// The country by its letters of ISO 3166-1.
    pub region: Option<String>,
    /// Name and number, sealed.
    pub sealed: Option<Vec<u8>>,
    /// A keyed hash of country, kind and number.
    pub number_hash: Option<Vec<u8>>,
    /// Names of the pictures, front and reverse.
    pub pictures: Option<[String; 2]>,
}

/// What came of sending in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentIn {
    /// It waits, under this number.
    Waits(u64),
    /// One of this level waits already, or has passed.
    AlreadyThere,
    /// The document is another user's.
    Taken,
    /// No such pictures of this user, or they were sent in before.
    NoPicture,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerificationState {
    /// A reviewer has to look.
    Waits = 1,
    /// It passed.
    Passed = 2,
    /// It failed, or was revoked.
    Failed = 3,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// Its number.
    pub id: u64,
    /// Whose.
    pub user: AccountId,
    /// 1 name and number, 2 pictures.
    pub level: u8,
    /// How far it is.
    pub state: VerificationState,
    /// 0 identity card, 1 passport, 2 driver's licence.
    pub id_type: Option<u8>,
    /// Dialling code of the country.
    pub country: Option<String>,
    /// The country by its letters of ISO 3166-1.
    pub region: Option<String>,
    /// Name and number, sealed.
    pub sealed: Option<Vec<u8>>,
    /// When it came, milliseconds since the epoch.
    pub submitted_ms: u64,
    /// Who reviews it.
    pub reviewer: Option<u64>,
    /// Until when.
    pub leased_until_ms: Option<u64>,
    /// Who decided.
    pub decided_by: Option<u64>,
    /// When.
    pub decided_ms: Option<u64>,
    /// Why it failed.
    pub reason: Option<String>,
    /// What the reviewer told the user.
    pub note: Option<String>,
    /// The account has the tier.
    pub done: bool,
}

/// What a reviewer decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationDecision {
    /// Of which.
    pub id: u64,
    /// Who.
    pub by: u64,
    /// It passes.
    pub passes: bool,
    /// Why it does not.
    pub reason: String,
    /// What the user is told.
    pub note: String,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateFile {
    /// Its file's name.
    pub name: String,
    /// Whose.
    pub user: AccountId,
    /// `jpg` or `png`.
    pub ending: String,
    /// Its key, sealed.
    pub sealed_key: Vec<u8>,
    /// `front` or `reverse`, once it was sent in.
    pub side: Option<String>,
}

impl Office {
    /// Sends in what is to be verified.
    pub async fn send_in(&self, new: &NewVerification, audit: &AuditEntry, now_ms: u64) -> Result<SentIn, OfficeError> {
        let failed = "send in a verification";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let there = "SELECT EXISTS (SELECT 1 FROM verifications WHERE user = ? AND level = ? AND state IN (1, 2))";
        let is_there: bool = sqlx::query_scalar(there)
            .bind(new.user.0.cast_signed())
            .bind(new.level)
            .fetch_one(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if is_there {
            return Ok(SentIn::AlreadyThere);
        }
        let taken = "SELECT EXISTS (SELECT 1 FROM verifications WHERE number_hash = ? AND state IN (1, 2))";
        let is_taken: bool = sqlx::query_scalar(taken)
            .bind(&new.number_hash)
            .fetch_one(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if is_taken {
            return Ok(SentIn::Taken);
        }
        let added = sqlx::query(
            "INSERT INTO verifications (user, level, state, id_type, country, region, sealed, number_hash, submitted_ms)
             VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?)",
        )
        .bind(new.user.0.cast_signed())
        .bind(new.level)
        .bind(new.id_type)
        .bind(&new.country)
        .bind(&new.region)
        .bind(&new.sealed)
        .bind(&new.number_hash)
        .bind(now_ms.cast_signed())
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        let id = added.last_insert_rowid();
        for (name, side) in new.pictures.iter().flatten().zip(["front", "reverse"]) {
            let sent = sqlx::query(
                "UPDATE private_files SET verification = ?, side = ? WHERE name = ? AND user = ? AND verification IS NULL
                 AND conversation IS NULL",
            )
            .bind(id)
            .bind(side)
            .bind(name)
            .bind(new.user.0.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
            if sent.rows_affected() == 0 {
                return Ok(SentIn::NoPicture);
            }
        }
        finish(transaction, audit, now_ms).await?;
        Ok(SentIn::Waits(id.cast_unsigned()))
    }

    /// All of a user, the newest first.
    pub async fn verifications_of(&self, user: AccountId) -> Result<Vec<Verification>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM verifications WHERE user = ? ORDER BY id DESC")
            .bind(user.0.cast_signed())
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("read a user's verifications"))?;
        rows.iter().map(verification).collect()
    }

    /// One of them.
    pub async fn verification(&self, id: u64) -> Result<Option<Verification>, OfficeError> {
        let row = sqlx::query("SELECT * FROM verifications WHERE id = ?")
            .bind(id.cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database("read a verification"))?;
        row.as_ref().map(verification).transpose()
    }

    /// Those in a state: what waits from `from` on, the oldest first; what was decided before `from`, the newest first.
    pub async fn verifications(
        &self,
        state: VerificationState,
        from: Option<u64>,
        limit: u32,
    ) -> Result<Vec<Verification>, OfficeError> {
        let query = match state {
            VerificationState::Waits => "SELECT * FROM verifications WHERE state = ? AND id > ? ORDER BY id LIMIT ?",
            VerificationState::Passed | VerificationState::Failed => {
                "SELECT * FROM verifications WHERE state = ? AND id < ? ORDER BY id DESC LIMIT ?"
            }
        };
        let none = if state == VerificationState::Waits { 0 } else { i64::MAX };
        let rows = sqlx::query(query)
            .bind(state as u8)
            .bind(from.map_or(none, u64::cast_signed))
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("read verifications"))?;
        rows.iter().map(verification).collect()
    }

    /// How many wait.
    pub async fn verifications_waiting(&self) -> Result<u64, OfficeError> {
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM verifications WHERE state = 1")
            .fetch_one(self.database.readers())
            .await
            .map_err(OfficeError::database("count verifications"))?;
        Ok(count.cast_unsigned())
    }

    /// Others with the same document, in whatever state.
    pub async fn same_document(&self, id: u64) -> Result<Vec<u64>, OfficeError> {
        let rows: Vec<i64> = sqlx::query_scalar(
            "SELECT id FROM verifications WHERE id <> ?1
             AND number_hash = (SELECT number_hash FROM verifications WHERE id = ?1) ORDER BY id",
        )
        .bind(id.cast_signed())
        .fetch_all(self.database.readers())
        .await
        .map_err(OfficeError::database("look for a document"))?;
        Ok(rows.into_iter().map(i64::cast_unsigned).collect())
    }

    /// Lets somebody review one; until when, or none while somebody else does, or it is decided.
    pub async fn lease_verification(&self, id: u64, by: u64, now_ms: u64) -> Result<Option<u64>, OfficeError> {
        let failed = "lease a verification";
        let until = now_ms + REVIEW_MS;
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let done = sqlx::query(
            "UPDATE verifications SET reviewer = ?1, leased_until_ms = ?2
             WHERE id = ?3 AND state = 1 AND (reviewer IS NULL OR reviewer = ?1 OR leased_until_ms <= ?4)",
        )
        .bind(by.cast_signed())
        .bind(until.cast_signed())
        .bind(id.cast_signed())
        .bind(now_ms.cast_signed())
        .execute(writer.connection().map_err(OfficeError::database(failed))?)
        .await
        .map_err(OfficeError::database(failed))?;
        Ok((done.rows_affected() > 0).then_some(until))
    }

    /// Decides about one. False when it is decided, or who decides does not hold the lease.
    pub async fn decide_verification(
        &self,
        decision: &VerificationDecision,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let failed = "decide a verification";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let decided = sqlx::query(
            "UPDATE verifications SET state = ?1, decided_by = ?2, decided_ms = ?3, reason = ?4, note = ?5
             WHERE id = ?6 AND state = 1 AND reviewer = ?2 AND leased_until_ms > ?3",
        )
        .bind(if decision.passes { VerificationState::Passed } else { VerificationState::Failed } as u8)
        .bind(decision.by.cast_signed())
        .bind(now_ms.cast_signed())
        .bind(&decision.reason)
        .bind(&decision.note)
        .bind(decision.id.cast_signed())
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        if decided.rows_affected() == 0 {
            return Ok(false);
        }
        finish(transaction, audit, now_ms).await?;
        Ok(true)
    }

    /// What passed, and of which the account does not have the tier yet, with the name of who decided.
    pub async fn verifications_to_do(&self) -> Result<Vec<(Verification, String)>, OfficeError> {
        let rows = sqlx::query(
            "SELECT v.*, s.name AS decider FROM verifications v JOIN staff s ON s.id = v.decided_by
             WHERE v.state = 2 AND v.done = 0 ORDER BY v.id LIMIT 100",
        )
        .fetch_all(self.database.readers())
        .await
        .map_err(OfficeError::database("read verifications"))?;
        let named = |row| Ok((verification(row)?, Fields { row, table: "staff" }.get("decider")?));
        rows.iter().map(named).collect()
    }

    /// The account has the tier. False when it was revoked meanwhile.
    pub async fn verification_done(&self, id: u64) -> Result<bool, OfficeError> {
        let failed = "finish a verification";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        sqlx::query("UPDATE verifications SET done = 1 WHERE id = ? AND state = 2")
            .bind(id.cast_signed())
            .execute(writer.connection().map_err(OfficeError::database(failed))?)
            .await
            .map(|done| done.rows_affected() > 0)
            .map_err(OfficeError::database(failed))
    }

    /// What of a user passed on a level above `level` fails from now on.
    pub async fn revoke_verifications(&self, user: AccountId, level: u8, now_ms: u64) -> Result<(), OfficeError> {
        let failed = "revoke a verification";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        sqlx::query(
            "UPDATE verifications SET state = 3, reason = 'revoked', note = '', decided_ms = ?
             WHERE user = ? AND level > ? AND state IN (1, 2)",
        )
        .bind(now_ms.cast_signed())
        .bind(user.0.cast_signed())
        .bind(level)
        .execute(writer.connection().map_err(OfficeError::database(failed))?)
        .await
        .map(drop)
        .map_err(OfficeError::database(failed))
    }

    /// Keeps what is needed to read a picture again.
    pub async fn add_private_file(&self, file: &PrivateFile, now_ms: u64) -> Result<(), OfficeError> {
        let failed = "add a picture";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        sqlx::query("INSERT INTO private_files (name, user, ending, sealed_key, created_ms) VALUES (?, ?, ?, ?, ?)")
            .bind(&file.name)
            .bind(file.user.0.cast_signed())
            .bind(&file.ending)
            .bind(&file.sealed_key)
            .bind(now_ms.cast_signed())
            .execute(writer.connection().map_err(OfficeError::database(failed))?)
            .await
            .map(drop)
            .map_err(OfficeError::database(failed))
    }

    /// The pictures of one.
    pub async fn pictures(&self, verification: u64) -> Result<Vec<PrivateFile>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM private_files WHERE verification = ? ORDER BY side")
            .bind(verification.cast_signed())
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("read pictures"))?;
        rows.iter().map(private_file).collect()
    }

    /// A picture of a conversation.
    pub async fn chat_picture(&self, conversation: u64, name: &str) -> Result<Option<PrivateFile>, OfficeError> {
        let row = sqlx::query("SELECT * FROM private_files WHERE name = ? AND conversation = ?")
            .bind(name)
            .bind(conversation.cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database("read a picture"))?;
        row.as_ref().map(private_file).transpose()
    }

    /// Forgets the keys of pictures that were never sent in, of those that failed 90 days ago with name and number, and of those in
    /// conversations that were closed 180 days ago; the names of the files, which nobody can read any more.
    pub async fn forget_pictures(&self, now_ms: u64) -> Result<Vec<String>, OfficeError> {
        let failed = "forget pictures";
        let before = |kept: u64| now_ms.saturating_sub(kept).cast_signed();
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        sqlx::query(
            "UPDATE verifications SET sealed = NULL WHERE sealed IS NOT NULL AND state = 3 AND decided_ms <= ?",
        )
        .bind(before(FAILED_KEPT_MS))
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        let gone = sqlx::query_scalar(
            "DELETE FROM private_files WHERE name IN
             (SELECT name FROM private_files LEFT JOIN verifications v ON v.id = verification
              LEFT JOIN conversations c ON c.id = conversation
              WHERE (verification IS NULL AND conversation IS NULL AND created_ms <= ?)
              OR (v.state = 3 AND v.decided_ms <= ?) OR c.closed_ms <= ? LIMIT 100) RETURNING name",
        )
        .bind(before(PICTURE_KEPT_MS))
        .bind(before(FAILED_KEPT_MS))
        .bind(before(CHAT_KEPT_MS))
        .fetch_all(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(gone)
    }
}

fn private_file(row: &SqliteRow) -> Result<PrivateFile, OfficeError> {
    let f = Fields { row, table: "private_files" };
    Ok(PrivateFile {
        name: f.get("name")?,
        user: AccountId(f.id("user")?),
        ending: f.get("ending")?,
        sealed_key: f.get("sealed_key")?,
        side: f.get("side")?,
    })
}

fn verification(row: &SqliteRow) -> Result<Verification, OfficeError> {
    let f = Fields { row, table: "verifications" };
    let state = match f.get::<i64>("state")? {
        1 => VerificationState::Waits,
        2 => VerificationState::Passed,
        3 => VerificationState::Failed,
        other => return Err(f.strange("state", other.to_string())),
    };
    let number = |column| Ok::<_, OfficeError>(f.get::<Option<i64>>(column)?.map(i64::cast_unsigned));
    let id_type = f.get::<Option<i64>>("id_type")?.map(u8::try_from).transpose();
    Ok(Verification {
        id: f.id("id")?,
        user: AccountId(f.id("user")?),
        level: f.small("level")?,
        state,
        id_type: id_type.map_err(|_| f.strange("id_type", "a number above 255".into()))?,
        country: f.get("country")?,
        region: f.get("region")?,
        sealed: f.get("sealed")?,
        submitted_ms: f.id("submitted_ms")?,
        reviewer: number("reviewer")?,
        leased_until_ms: number("leased_until_ms")?,
        decided_by: number("decided_by")?,
        decided_ms: number("decided_ms")?,
        reason: f.get("reason")?,
        note: f.get("note")?,
        done: f.get::<i64>("done")? != 0,
    })
}
