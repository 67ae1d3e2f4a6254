//! Staff: people who work at the exchange, what they log in with, and their sessions.
//!
//! Owns: the tables `staff`, `staff_enrolments`, `staff_credentials` and `staff_sessions`.
//! Never does: know what a role may; see a password, a code or a token: it gets hashes; verify a signature.
//! Invariants: each change and its row of the audit are one transaction; an enrolment is used once, and not before it opens; a
//! passkey's counter never goes back; whoever is disabled has no session; a session ends after half an hour without a request, and
//! after eight hours.
//! Known limits: one passkey a person.

use std::time::Duration;

use sqlx::{Sqlite, SqliteConnection, Transaction, sqlite::SqliteRow};
use tokio::time::timeout;
use xng_core::ids::AccountId;

use super::{AuditEntry, Fields, Office, OfficeError, TokenHash, audit::append, chat::give_up_conversations};

/// A session without a request ends after this: half an hour.
pub const STAFF_IDLE_MS: u64 = 30 * 60_000;
/// A session ends after this: eight hours.
pub const STAFF_SESSION_MS: u64 = 8 * 3_600_000;
/// A session's last request is noted so often.
const NOTED_EVERY_MS: u64 = 60_000;
/// And is not waited for longer than this.
const NOTING: Duration = Duration::from_secs(1);

/// A person.
#[derive(Clone, PartialEq, Eq)]
pub struct StaffMember {
    /// Their number.
    pub id: u64,
    /// Their name, in the one form in which it is counted.
    pub name: String,
    /// Their role's name.
    pub role: String,
    /// Their own account here.
    pub account: Option<AccountId>,
    /// Hash of their password, once they are enrolled.
    pub password_hash: Option<String>,
    /// When they were added, milliseconds since the epoch.
    pub created_ms: u64,
    /// Nothing opens for them any more.
    pub disabled: bool,
}

impl std::fmt::Debug for StaffMember {
    /// Without the hash.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StaffMember").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

/// A person to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStaff {
    /// Their name.
    pub name: String,
    /// Their role's name.
    pub role: String,
    /// Their own account here.
    pub account: Option<AccountId>,
}

/// A code that opens an enrolment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnrolmentCode {
    /// What is kept of it.
    pub hash: TokenHash,
    /// It opens nothing before.
    pub opens_ms: u64,
    /// It opens nothing from then on.
    pub expires_ms: u64,
    /// Who is behind it.
    pub by: EnrolmentBy,
}

/// Who is behind an enrolment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnrolmentBy {
    /// The operator, while there are not two owners.
    Operator,
    /// The operator alone, although two owners decide.
    OperatorAlone,
    /// Who proposed it and who agreed.
    Owners(u64, u64),
}

/// An enrolment that is open, or will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enrolment {
    /// Whose.
    pub staff: u64,
    /// When its code opens it, milliseconds since the epoch.
    pub opens_ms: u64,
    /// When it does no more.
    pub expires_ms: u64,
    /// By the operator alone, although two owners decide.
    pub alone: bool,
}

/// A passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffCredential {
    /// Whose.
    pub staff: u64,
    /// What the authenticator calls it.
    pub credential: Vec<u8>,
    /// Its public key, COSE.
    pub public_key: Vec<u8>,
    /// Signatures so far; 0 of authenticators that do not count.
    pub counter: u32,
}

/// A session that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStaffSession {
    /// SHA-256 of its token.
    pub token: TokenHash,
    /// From where.
    pub ip: String,
}

const CHANGING: &str = "change staff";
const READING: &str = "read staff";
/// The role of those who decide who works here, and how many of them it takes.
const OWNER: &str = "owner";
const OWNERS: u64 = 2;
/// What the operator opens alone, although owners decide, opens after so long: 72 hours, to see it and to stop it.
pub const ALONE_WAITS_MS: u64 = 72 * 3_600_000;
/// The kind of cases about who works here.
pub const STAFF_CASE: &str = "staff";
/// What the audit calls an enrolment, whose subject is [`signature_name`].
pub const ENROL: &str = "enrol";

/// A person's name in votes and in the audit: it names one person for ever.
#[must_use]
pub fn signature_name(id: u64, name: &str) -> String {
    format!("{name}@staff-{id}")
}

impl Office {
    /// Adds a person who then enrols by the code; their number, or none when the name is taken, or who is behind the code may not open it
    /// any more.
    pub async fn add_staff(
        &self,
        new: &NewStaff,
        code: &EnrolmentCode,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<Option<u64>, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(CHANGING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(CHANGING))?;
        let added = sqlx::query(
            "INSERT INTO staff (name, role, account, created_ms) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
        )
        .bind(&new.name)
        .bind(&new.role)
        .bind(new.account.map(|account| account.0.cast_signed()))
        .bind(now_ms.cast_signed())
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(CHANGING))?;
        if added.rows_affected() == 0 {
            return Ok(None);
        }
        let id = added.last_insert_rowid().cast_unsigned();
        if !may_open(&mut transaction, id, code, now_ms).await? {
            return Ok(None);
        }
        open_enrolment(&mut transaction, id, code).await?;
        finish(transaction, audit, now_ms).await?;
        Ok(Some(id))
    }

    /// Lets a person enrol anew: the password, the passkey and all sessions go, at once, or with a code of the operator alone once it is
    /// used, so that an owner can stop it. False when there is no such one, or they are disabled.
    pub async fn renew_staff(
        &self,
        name: &str,
        code: &EnrolmentCode,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(CHANGING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(CHANGING))?;
        let at_once = code.by != EnrolmentBy::OperatorAlone;
        let found: Option<i64> = sqlx::query_scalar(
            "UPDATE staff SET password_hash = CASE WHEN ?1 THEN NULL ELSE password_hash END
             WHERE name = ?2 AND disabled_ms IS NULL RETURNING id",
        )
        .bind(at_once)
        .bind(name)
        .fetch_optional(&mut *transaction)
        .await
        .map_err(OfficeError::database(CHANGING))?;
        let Some(id) = found.map(i64::cast_unsigned) else { return Ok(false) };
        if !may_open(&mut transaction, id, code, now_ms).await? {
            return Ok(false);
        }
        if at_once {
            close_doors(&mut transaction, id, now_ms).await?;
        } else {
            drop_enrolment(&mut transaction, id).await?;
        }
        open_enrolment(&mut transaction, id, code).await?;
        finish(transaction, audit, now_ms).await?;
        Ok(true)
    }

    /// Nothing opens for a person any more. False when there is no such one, they are disabled already, or an owner of whom fewer than
    /// two others would be left, once there were two.
    pub async fn disable_staff(&self, name: &str, audit: &AuditEntry, now_ms: u64) -> Result<bool, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(CHANGING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(CHANGING))?;
        let owners = owners(&mut *transaction).await.map_err(OfficeError::database(CHANGING))?;
        let found: Option<i64> = sqlx::query_scalar(
            "UPDATE staff SET disabled_ms = ?1, password_hash = NULL WHERE name = ?2 AND disabled_ms IS NULL
             AND (role <> ?3 OR ?4 < ?5 OR (SELECT COUNT(*) FROM staff AS other WHERE other.role = ?3 AND other.name <> ?2
                  AND other.disabled_ms IS NULL AND other.password_hash IS NOT NULL) >= ?5)
             RETURNING id",
        )
        .bind(now_ms.cast_signed())
        .bind(name)
        .bind(OWNER)
        .bind(owners.cast_signed())
        .bind(OWNERS.cast_signed())
        .fetch_optional(&mut *transaction)
        .await
        .map_err(OfficeError::database(CHANGING))?;
        let Some(id) = found.map(i64::cast_unsigned) else { return Ok(false) };
        close_doors(&mut transaction, id, now_ms).await?;
        give_up_conversations(&mut transaction, id, now_ms).await?;
        finish(transaction, audit, now_ms).await?;
        Ok(true)
    }

    /// All people, by their numbers.
    pub async fn all_staff(&self) -> Result<Vec<StaffMember>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM staff ORDER BY id").fetch_all(self.database.readers());
        rows.await.map_err(OfficeError::database(READING))?.iter().map(member).collect()
    }

    /// A person by name, unless they are disabled.
    pub async fn staff_named(&self, name: &str) -> Result<Option<StaffMember>, OfficeError> {
        let row = sqlx::query("SELECT * FROM staff WHERE name = ? AND disabled_ms IS NULL")
            .bind(name)
            .fetch_optional(self.database.readers());
        row.await.map_err(OfficeError::database(READING))?.as_ref().map(member).transpose()
    }

    /// Whether somebody of these roles ever enrolled, by the audit: who renews or disables them undoes nothing.
    pub async fn ever_had(&self, roles: &[&str]) -> Result<bool, OfficeError> {
        let enrolled = "SELECT 1 FROM staff JOIN audit ON subject = name || '@staff-' || staff.id
             WHERE action = ? AND role = ? LIMIT 1";
        for role in roles {
            let found = sqlx::query(enrolled).bind(ENROL).bind(role).fetch_optional(self.database.readers());
            if found.await.map_err(OfficeError::database(READING))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether two owners ever enrolled, by the audit: they decide who works here from then on, whoever renews or disables them.
    pub async fn owners_decide(&self) -> Result<bool, OfficeError> {
        let count = owners(self.database.readers()).await.map_err(OfficeError::database(READING))?;
        Ok(count >= OWNERS)
    }

    /// Enrolments whose codes have not expired.
    pub async fn enrolments(&self, now_ms: u64) -> Result<Vec<Enrolment>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM staff_enrolments WHERE expires_ms > ? ORDER BY staff")
            .bind(now_ms.cast_signed())
            .fetch_all(self.database.readers());
        let enrolment = |row: &SqliteRow| {
            let f = Fields { row, table: "staff_enrolments" };
            let (opens_ms, expires_ms) = (f.id("opens_ms")?, f.id("expires_ms")?);
            Ok(Enrolment { staff: f.id("staff")?, opens_ms, expires_ms, alone: f.get::<i64>("alone")? != 0 })
        };
        rows.await.map_err(OfficeError::database(READING))?.iter().map(enrolment).collect()
    }

    /// Takes a person's code back. False when they have none that has not expired.
    pub async fn stop_enrolment(&self, staff: u64, audit: &AuditEntry, now_ms: u64) -> Result<bool, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(CHANGING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(CHANGING))?;
        let stopped = sqlx::query("DELETE FROM staff_enrolments WHERE staff = ? AND expires_ms > ?")
            .bind(staff.cast_signed())
            .bind(now_ms.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(CHANGING))?;
        if stopped.rows_affected() == 0 {
            return Ok(false);
        }
        finish(transaction, audit, now_ms).await?;
        Ok(true)
    }

    /// Whom a code lets enrol.
    pub async fn enrolling(&self, code: &TokenHash, now_ms: u64) -> Result<Option<StaffMember>, OfficeError> {
        let row = sqlx::query(
            "SELECT staff.* FROM staff_enrolments JOIN staff ON staff.id = staff
             WHERE code_hash = ?1 AND opens_ms <= ?2 AND expires_ms > ?2 AND disabled_ms IS NULL",
        )
        .bind(code.as_slice())
        .bind(now_ms.cast_signed())
        .fetch_optional(self.database.readers());
        row.await.map_err(OfficeError::database(READING))?.as_ref().map(member).transpose()
    }

    /// Enrols whom the code names with a password and a passkey in the place of those they had, and uses the code up. With the second
    /// owner, codes that the operator made before wait as later ones do. False when it opens nothing any more, or somebody has this
    /// passkey.
    pub async fn enrol(
        &self,
        code: &TokenHash,
        password_hash: &str,
        key: &StaffCredential,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(CHANGING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(CHANGING))?;
        let used =
            "DELETE FROM staff_enrolments WHERE code_hash = ?1 AND staff = ?2 AND opens_ms <= ?3 AND expires_ms > ?3";
        let used = sqlx::query(used)
            .bind(code.as_slice())
            .bind(key.staff.cast_signed())
            .bind(now_ms.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(CHANGING))?;
        if used.rows_affected() == 0 {
            return Ok(false);
        }
        close_doors(&mut transaction, key.staff, now_ms).await?;
        let set = sqlx::query("UPDATE staff SET password_hash = ? WHERE id = ? AND disabled_ms IS NULL")
            .bind(password_hash)
            .bind(key.staff.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(CHANGING))?;
        let kept = sqlx::query(
            "INSERT INTO staff_credentials (staff, credential, public_key, counter, created_ms, last_used_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (credential) DO NOTHING",
        )
        .bind(key.staff.cast_signed())
        .bind(&key.credential)
        .bind(&key.public_key)
        .bind(i64::from(key.counter))
        .bind(now_ms.cast_signed())
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(CHANGING))?;
        if set.rows_affected() == 0 || kept.rows_affected() == 0 {
            return Ok(false);
        }
        let before = owners(&mut *transaction).await.map_err(OfficeError::database(CHANGING))?;
        append(&mut transaction, audit, now_ms).await?;
        let after = owners(&mut *transaction).await.map_err(OfficeError::database(CHANGING))?;
        if before < OWNERS && after >= OWNERS {
            sqlx::query(
                "UPDATE staff_enrolments SET opens_ms = ?1, expires_ms = ?1 + expires_ms - ?2, alone = 1 WHERE expires_ms > ?2",
            )
            .bind((now_ms + ALONE_WAITS_MS).cast_signed())
            .bind(now_ms.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(CHANGING))?;
        }
        transaction.commit().await.map_err(OfficeError::database(CHANGING))?;
        Ok(true)
    }

    /// Passkeys of a person.
    pub async fn staff_credentials(&self, staff: u64) -> Result<Vec<StaffCredential>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM staff_credentials WHERE staff = ? ORDER BY id")
            .bind(staff.cast_signed())
            .fetch_all(self.database.readers());
        rows.await.map_err(OfficeError::database(READING))?.iter().map(credential).collect()
    }

    /// Notes a signature with its row of the audit. False when the passkey is gone or its counter went back: a copy of it signs.
    pub async fn note_signature(
        &self,
        key: &StaffCredential,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(CHANGING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(CHANGING))?;
        if !signed(&mut transaction, key, now_ms).await? {
            return Ok(false);
        }
        finish(transaction, audit, now_ms).await?;
        Ok(true)
    }

    /// Begins a session of a person whose password is still `verified` and whose passkey signed. False when one of them changed.
    pub async fn begin_staff_session(
        &self,
        new: &NewStaffSession,
        (verified, key): (&str, &StaffCredential),
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(CHANGING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(CHANGING))?;
        let same = sqlx::query("SELECT 1 FROM staff WHERE id = ? AND password_hash = ? AND disabled_ms IS NULL")
            .bind(key.staff.cast_signed())
            .bind(verified)
            .fetch_optional(&mut *transaction)
            .await
            .map_err(OfficeError::database(CHANGING))?;
        if same.is_none() || !signed(&mut transaction, key, now_ms).await? {
            return Ok(false);
        }
        sqlx::query("DELETE FROM staff_sessions WHERE last_seen_ms <= ? OR created_ms <= ?")
            .bind(now_ms.saturating_sub(STAFF_IDLE_MS).cast_signed())
            .bind(now_ms.saturating_sub(STAFF_SESSION_MS).cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(CHANGING))?;
        sqlx::query(
            "INSERT INTO staff_sessions (token_hash, staff, created_ms, last_seen_ms, ip) VALUES (?1, ?2, ?3, ?3, ?4)",
        )
        .bind(new.token.as_slice())
        .bind(key.staff.cast_signed())
        .bind(now_ms.cast_signed())
        .bind(&new.ip)
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(CHANGING))?;
        finish(transaction, audit, now_ms).await?;
        Ok(true)
    }

    /// Whose session a token is, and when it ends whatever happens; none once it ended. That somebody was `there` is noted.
    pub async fn staff_session(
        &self,
        token: &TokenHash,
        there: bool,
        now_ms: u64,
    ) -> Result<Option<(StaffMember, u64)>, OfficeError> {
        let row = sqlx::query(
            "SELECT staff.*, staff_sessions.created_ms AS begun_ms, last_seen_ms FROM staff_sessions
             JOIN staff ON staff.id = staff
             WHERE token_hash = ? AND last_seen_ms > ? AND staff_sessions.created_ms > ? AND disabled_ms IS NULL",
        )
        .bind(token.as_slice())
        .bind(now_ms.saturating_sub(STAFF_IDLE_MS).cast_signed())
        .bind(now_ms.saturating_sub(STAFF_SESSION_MS).cast_signed())
        .fetch_optional(self.database.readers())
        .await
        .map_err(OfficeError::database(READING))?;
        let Some(row) = row else { return Ok(None) };
        let f = Fields { row: &row, table: "staff_sessions" };
        if there && f.id("last_seen_ms")? + NOTED_EVERY_MS < now_ms {
            // Who is there may halt something although the office takes no writes just now.
            match timeout(NOTING, self.note_staff(token, now_ms)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "that somebody of the staff is there was not noted"),
                Err(_) => tracing::warn!("that somebody of the staff is there was not noted in time"),
            }
        }
        Ok(Some((member(&row)?, f.id("begun_ms")? + STAFF_SESSION_MS)))
    }

    async fn note_staff(&self, token: &TokenHash, now_ms: u64) -> Result<(), OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(CHANGING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(CHANGING))?;
        sqlx::query("UPDATE staff_sessions SET last_seen_ms = ? WHERE token_hash = ?")
            .bind(now_ms.cast_signed())
            .bind(token.as_slice())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(CHANGING))?;
        transaction.commit().await.map_err(OfficeError::database(CHANGING))
    }

    /// Ends a session.
    pub async fn end_staff_session(
        &self,
        token: &TokenHash,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<(), OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(CHANGING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(CHANGING))?;
        sqlx::query("DELETE FROM staff_sessions WHERE token_hash = ?")
            .bind(token.as_slice())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(CHANGING))?;
        finish(transaction, audit, now_ms).await
    }
}

/// The row of the audit, and the end of the transaction.
pub(super) async fn finish(
    mut transaction: Transaction<'_, Sqlite>,
    audit: &AuditEntry,
    now_ms: u64,
) -> Result<(), OfficeError> {
    append(&mut transaction, audit, now_ms).await?;
    transaction.commit().await.map_err(OfficeError::database(CHANGING))
}

/// Takes a passkey's new counter, of those that count above the one before; false otherwise.
pub(super) async fn signed(
    connection: &mut SqliteConnection,
    key: &StaffCredential,
    now_ms: u64,
) -> Result<bool, OfficeError> {
    let noted = sqlx::query(
        "UPDATE staff_credentials SET counter = ?1, last_used_ms = ?2
         WHERE staff = ?3 AND credential = ?4 AND (counter < ?1 OR (counter = 0 AND ?1 = 0))",
    )
    .bind(i64::from(key.counter))
    .bind(now_ms.cast_signed())
    .bind(key.staff.cast_signed())
    .bind(&key.credential)
    .execute(connection)
    .await
    .map_err(OfficeError::database(CHANGING))?;
    Ok(noted.rows_affected() > 0)
}

/// Owners who ever enrolled.
async fn owners<'e>(from: impl sqlx::Executor<'e, Database = Sqlite>) -> Result<u64, sqlx::Error> {
    let count: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM staff WHERE role = ? AND EXISTS
         (SELECT 1 FROM audit WHERE subject = name || '@staff-' || staff.id AND action = ?)",
    )
    .bind(OWNER)
    .bind(ENROL)
    .fetch_one(from)
    .await?;
    Ok(count.cast_unsigned())
}

/// Whether who is behind a code may still open it, by what was written last: the owners are two who work here and are enrolled, the
/// operator decides with nobody, or waits. What owners opened for a person and is not used yet, the operator alone does not take away.
async fn may_open(
    transaction: &mut Transaction<'_, Sqlite>,
    staff: u64,
    code: &EnrolmentCode,
    now_ms: u64,
) -> Result<bool, OfficeError> {
    let failed = OfficeError::database(CHANGING);
    match code.by {
        EnrolmentBy::Operator => Ok(owners(&mut **transaction).await.map_err(failed)? < OWNERS),
        EnrolmentBy::OperatorAlone => {
            let of_owners =
                "SELECT 1 FROM staff_enrolments WHERE staff = ? AND proposed_by IS NOT NULL AND expires_ms > ?";
            let of_owners = sqlx::query(of_owners).bind(staff.cast_signed()).bind(now_ms.cast_signed());
            Ok(of_owners.fetch_optional(&mut **transaction).await.map_err(failed)?.is_none())
        }
        EnrolmentBy::Owners(one, other) => {
            let here: i64 = sqlx::query_scalar(
                "SELECT COUNT(*) FROM staff WHERE id IN (?, ?) AND role = ? AND disabled_ms IS NULL AND password_hash IS NOT NULL",
            )
            .bind(one.cast_signed())
            .bind(other.cast_signed())
            .bind(OWNER)
            .fetch_one(&mut **transaction)
            .await
            .map_err(failed)?;
            Ok(here.cast_unsigned() == OWNERS)
        }
    }
}

async fn drop_enrolment(connection: &mut SqliteConnection, staff: u64) -> Result<(), OfficeError> {
    let gone =
        sqlx::query("DELETE FROM staff_enrolments WHERE staff = ?").bind(staff.cast_signed()).execute(connection);
    gone.await.map(drop).map_err(OfficeError::database(CHANGING))
}

async fn open_enrolment(
    connection: &mut SqliteConnection,
    staff: u64,
    code: &EnrolmentCode,
) -> Result<(), OfficeError> {
    let (alone, owners) = match code.by {
        EnrolmentBy::Operator => (false, None),
        EnrolmentBy::OperatorAlone => (true, None),
        EnrolmentBy::Owners(one, other) => (false, Some((one.cast_signed(), other.cast_signed()))),
    };
    let insert = "INSERT INTO staff_enrolments (code_hash, staff, opens_ms, expires_ms, alone, proposed_by, decided_by)
                  VALUES (?, ?, ?, ?, ?, ?, ?)";
    sqlx::query(insert)
        .bind(code.hash.as_slice())
        .bind(staff.cast_signed())
        .bind(code.opens_ms.cast_signed())
        .bind(code.expires_ms.cast_signed())
        .bind(alone)
        .bind(owners.map(|(one, _)| one))
        .bind(owners.map(|(_, other)| other))
        .execute(connection)
        .await
        .map(drop)
        .map_err(OfficeError::database(CHANGING))
}

/// A person's sessions, passkeys and codes go, and what rests on their word: it may have been somebody else's.
async fn close_doors(connection: &mut SqliteConnection, staff: u64, now_ms: u64) -> Result<(), OfficeError> {
    sqlx::query("UPDATE staff_cases SET state = 3, decided_ms = ? WHERE kind = ? AND state = 1 AND proposed_by = ?")
        .bind(now_ms.cast_signed())
        .bind(STAFF_CASE)
        .bind(staff.cast_signed())
        .execute(&mut *connection)
        .await
        .map_err(OfficeError::database(CHANGING))?;
    for statement in [
        "DELETE FROM staff_sessions WHERE staff = ?",
        "DELETE FROM staff_credentials WHERE staff = ?",
        "DELETE FROM staff_enrolments WHERE ?1 IN (staff, proposed_by, decided_by)",
    ] {
        let gone = sqlx::query(statement).bind(staff.cast_signed()).execute(&mut *connection);
        gone.await.map_err(OfficeError::database(CHANGING))?;
    }
    Ok(())
}

fn member(row: &SqliteRow) -> Result<StaffMember, OfficeError> {
    let f = Fields { row, table: "staff" };
    Ok(StaffMember {
        id: f.id("id")?,
        name: f.get("name")?,
        role: f.get("role")?,
        account: f.get::<Option<i64>>("account")?.map(|account| AccountId(account.cast_unsigned())),
        password_hash: f.get("password_hash")?,
        created_ms: f.id("created_ms")?,
        disabled: f.get::<Option<i64>>("disabled_ms")?.is_some(),
    })
}

fn credential(row: &SqliteRow) -> Result<StaffCredential, OfficeError> {
    let f = Fields { row, table: "staff_credentials" };
    Ok(StaffCredential {
        staff: f.id("staff")?,
        credential: f.get("credential")?,
        public_key: f.get("public_key")?,
        counter: f.small("counter")?,
    })
}
