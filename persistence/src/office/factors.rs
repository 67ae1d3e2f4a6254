//! Second factors: authenticators, passkeys and recovery codes.
//!
//! Owns: the tables `factors` and `recovery_codes`.
//! Never does: open a secret, compute a code, verify a signature, or see a recovery code: it gets sealed secrets, time steps,
//! counters and digests.
//! Invariants: a time step and a recovery code are spent once, however many ask at once; each change is one transaction with its
//! row of the audit; a factor proves nothing before it is confirmed; a user has one authenticator in use at most, and one that
//! is being set up, and [`MOST_PASSKEYS`] passkeys; recovery codes end with the last factor.
//! Known limits: none.
//! Rules: `docs/rules/authentication.md "Second factor"`.

use sqlx::{SqliteConnection, sqlite::SqliteRow};
use xng_core::ids::AccountId;

use super::{
    AuditEntry, Fields, OPERATOR_PAUSE_MS, Office, OfficeError, PAUSE_MS, PasswordProof, TokenHash, audit::append,
    pauses::pause, sessions::revoke_all,
};

/// A factor that was not confirmed within this time is begun anew: one hour.
const SET_UP_WITHIN_MS: u64 = 3_600_000;

/// Passkeys of a user at most.
pub const MOST_PASSKEYS: u32 = 10;

/// Kinds of factors, by their numbers in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorKind {
    /// An authenticator that shows codes.
    Totp = 1,
    /// A passkey.
    Passkey = 2,
}

/// A factor that somebody sets up.
#[derive(Clone)]
pub struct NewFactor {
    /// Whose.
    pub user: AccountId,
    /// The sealed secret of an authenticator, or the sealed name and public key of a passkey.
    pub sealed: Vec<u8>,
    /// What the user sees of it.
    pub label: String,
}

impl std::fmt::Debug for NewFactor {
    /// Without the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewFactor").field("user", &self.user).finish_non_exhaustive()
    }
}

/// An authenticator or a passkey.
#[derive(Clone)]
pub struct Factor {
    /// What its user names it by.
    pub id: u64,
    /// Which of them.
    pub kind: FactorKind,
    /// As in [`NewFactor`].
    pub sealed: Vec<u8>,
    /// What the user sees of it.
    pub label: String,
    /// The newest time step that was spent; the counter that a passkey said last.
    pub last_step: u64,
    /// When it was begun, milliseconds since the epoch.
    pub created_ms: u64,
}

impl std::fmt::Debug for Factor {
    /// Without the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Factor").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What a user has besides the password.
#[derive(Clone, Debug, Default)]
pub struct Factors {
    /// In use.
    pub confirmed: Vec<Factor>,
    /// Recovery codes that are not used.
    pub recovery_left: u32,
}

impl Factors {
    /// Those of a kind.
    pub fn of(&self, kind: FactorKind) -> impl Iterator<Item = &Factor> {
        self.confirmed.iter().filter(move |factor| factor.kind == kind)
    }
}

/// What of a factor is spent once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    /// A time step of an authenticator.
    Step {
        /// The authenticator.
        factor: u64,
        /// The step: seconds since the epoch over 30.
        step: u64,
    },
    /// A signature of a passkey.
    Signature {
        /// The passkey.
        factor: u64,
        /// What it counted: more than before, or always 0 of one that does not count.
        counter: u32,
    },
    /// A recovery code, by its digest.
    Recovery([u8; 32]),
}

impl Office {
    /// What a user has in use.
    pub async fn factors(&self, user: AccountId) -> Result<Factors, OfficeError> {
        let failed = "read factors";
        let rows = sqlx::query("SELECT * FROM factors WHERE user = ? AND confirmed = 1 ORDER BY id")
            .bind(user.0.cast_signed())
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database(failed))?;
        let confirmed: Vec<Factor> = rows.iter().map(factor_fields).collect::<Result<_, _>>()?;
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM recovery_codes WHERE user = ? AND used_ms IS NULL")
            .bind(user.0.cast_signed())
            .fetch_one(self.database.readers())
            .await
            .map_err(OfficeError::database(failed))?;
        Ok(Factors { confirmed, recovery_left: u32::try_from(left).unwrap_or(u32::MAX) })
    }

    /// Keeps a factor that proves nothing yet, in the place of another that was not confirmed; its id, or `None` when the
    /// proof does not hold any more.
    pub async fn begin_factor(
        &self,
        new: &NewFactor,
        proof: &PasswordProof,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<Option<u64>, OfficeError> {
        let failed = "begin a factor";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        if !proof.holds(&mut transaction, new.user).await? {
            return Ok(None);
        }
        sqlx::query("DELETE FROM factors WHERE user = ? AND confirmed = 0")
            .bind(new.user.0.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        let added = sqlx::query(
            "INSERT INTO factors (user, kind, sealed, label, last_step, created_ms, confirmed)
             VALUES (?, ?, ?, ?, 0, ?, 0)",
        )
        .bind(new.user.0.cast_signed())
        .bind(FactorKind::Totp as i64)
        .bind(&new.sealed)
        .bind(&new.label)
        .bind(now_ms.cast_signed())
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Some(added.last_insert_rowid().cast_unsigned()))
    }

    /// A user's factor that waits to be confirmed, unless that takes too long.
    pub async fn waiting_factor(&self, user: AccountId, id: u64, now_ms: u64) -> Result<Option<Factor>, OfficeError> {
        let row = sqlx::query("SELECT * FROM factors WHERE user = ? AND id = ? AND confirmed = 0 AND created_ms > ?")
            .bind(user.0.cast_signed())
            .bind(id.cast_signed())
            .bind(now_ms.saturating_sub(SET_UP_WITHIN_MS).cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database("read a factor"))?;
        row.as_ref().map(factor_fields).transpose()
    }

    /// Puts an authenticator into use, in the place of the one before, with new recovery codes in the place of the old ones; the
    /// steps up to `step` are spent. Where a factor was in use, withdrawals pause. False when it does not wait any more.
    pub async fn confirm_factor(
        &self,
        (user, id, step): (AccountId, u64, u64),
        recovery: &[[u8; 32]],
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let failed = "confirm a factor";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let confirmed = sqlx::query(
            "UPDATE factors SET confirmed = 1, last_step = ? WHERE user = ? AND id = ? AND confirmed = 0 AND created_ms > ?",
        )
        .bind(step.cast_signed())
        .bind(user.0.cast_signed())
        .bind(id.cast_signed())
        .bind(now_ms.saturating_sub(SET_UP_WITHIN_MS).cast_signed())
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        if confirmed.rows_affected() == 0 {
            return Ok(false);
        }
        let had_other = has_factor(&mut transaction, user, Some(id)).await?;
        sqlx::query("DELETE FROM factors WHERE user = ? AND id <> ? AND confirmed = 1 AND kind = ?")
            .bind(user.0.cast_signed())
            .bind(id.cast_signed())
            .bind(FactorKind::Totp as i64)
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if had_other {
            pause(&mut transaction, user, now_ms + PAUSE_MS).await?;
        }
        replace_recovery(&mut transaction, user, recovery).await?;
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(true)
    }

    /// Puts a passkey into use beside what is there; its id and whether it is the first factor, or `None` when the proof does not hold
    /// any more or there are [`MOST_PASSKEYS`]. Of a first factor `recovery` are the codes from now on; beside another one withdrawals
    /// pause. An authenticator that is being set up is forgotten: who began it may have shown less than is asked for from now on.
    pub async fn add_passkey(
        &self,
        (new, counter): (&NewFactor, u32),
        proof: &PasswordProof,
        recovery: &[[u8; 32]],
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<Option<(u64, bool)>, OfficeError> {
        let failed = "add a passkey";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        if !proof.holds(&mut transaction, new.user).await? {
            return Ok(None);
        }
        let is_first = !has_factor(&mut transaction, new.user, None).await?;
        sqlx::query("DELETE FROM factors WHERE user = ? AND confirmed = 0")
            .bind(new.user.0.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        let added = sqlx::query(
            "INSERT INTO factors (user, kind, sealed, label, last_step, created_ms, confirmed)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, 1
             WHERE (SELECT count(*) FROM factors WHERE user = ?1 AND kind = ?2) < ?7",
        )
        .bind(new.user.0.cast_signed())
        .bind(FactorKind::Passkey as i64)
        .bind(&new.sealed)
        .bind(&new.label)
        .bind(counter)
        .bind(now_ms.cast_signed())
        .bind(MOST_PASSKEYS)
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(failed))?;
        if added.rows_affected() == 0 {
            return Ok(None);
        }
        if is_first {
            replace_recovery(&mut transaction, new.user, recovery).await?;
        } else {
            pause(&mut transaction, new.user, now_ms + PAUSE_MS).await?;
        }
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Some((added.last_insert_rowid().cast_unsigned(), is_first)))
    }

    /// Spends a step, a signature or a recovery code of a user; false when it was spent before, a later step was, or there is no
    /// such one.
    pub async fn spend(
        &self,
        user: AccountId,
        spending: Spending,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let failed = "spend a factor";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let spend = match spending {
            Spending::Step { factor, step } => sqlx::query(
                "UPDATE factors SET last_step = ?1 WHERE user = ?2 AND id = ?3 AND confirmed = 1 AND last_step < ?1",
            )
            .bind(step.cast_signed())
            .bind(user.0.cast_signed())
            .bind(factor.cast_signed()),
            Spending::Signature { factor, counter } => sqlx::query(
                "UPDATE factors SET last_step = ?1 WHERE user = ?2 AND id = ?3 AND confirmed = 1
                 AND (last_step < ?1 OR (last_step = 0 AND ?1 = 0))",
            )
            .bind(i64::from(counter))
            .bind(user.0.cast_signed())
            .bind(factor.cast_signed()),
            Spending::Recovery(digest) => sqlx::query(
                "UPDATE recovery_codes SET used_ms = ? WHERE user = ? AND digest = ? AND used_ms IS NULL
                 AND EXISTS (SELECT 1 FROM factors WHERE factors.user = recovery_codes.user AND confirmed = 1)",
            )
            .bind(now_ms.cast_signed())
            .bind(user.0.cast_signed())
            .bind(digest.to_vec()),
        };
        let spent = spend.execute(&mut *transaction).await.map_err(OfficeError::database(failed))?;
        if spent.rows_affected() == 0 {
            return Ok(false);
        }
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(true)
    }

    /// Takes a factor away, with the last one the recovery codes, and pauses withdrawals; false when the user has no such one, or
    /// the proof does not hold any more.
    pub async fn remove_factor(
        &self,
        (user, id): (AccountId, u64),
        proof: &PasswordProof,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let failed = "remove a factor";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        if !proof.holds(&mut transaction, user).await? {
            return Ok(false);
        }
        let removed = sqlx::query("DELETE FROM factors WHERE user = ? AND id = ? AND confirmed = 1")
            .bind(user.0.cast_signed())
            .bind(id.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if removed.rows_affected() == 0 {
            return Ok(false);
        }
        if !has_factor(&mut transaction, user, None).await? {
            forget_recovery(&mut transaction, user).await?;
        }
        pause(&mut transaction, user, now_ms + PAUSE_MS).await?;
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(true)
    }

    /// Takes all factors of a user away, and the recovery codes with them, ends the sessions and pauses withdrawals; `None` when
    /// there are none.
    pub async fn remove_factors(
        &self,
        user: AccountId,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<Option<Vec<TokenHash>>, OfficeError> {
        let failed = "remove factors";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let removed = sqlx::query("DELETE FROM factors WHERE user = ?")
            .bind(user.0.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if removed.rows_affected() == 0 {
            return Ok(None);
        }
        forget_recovery(&mut transaction, user).await?;
        let ended = revoke_all(&mut transaction, user).await?;
        pause(&mut transaction, user, now_ms + OPERATOR_PAUSE_MS).await?;
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Some(ended))
    }
}

/// Whether a user has a factor in use, besides this one.
async fn has_factor(
    connection: &mut SqliteConnection,
    user: AccountId,
    besides: Option<u64>,
) -> Result<bool, OfficeError> {
    sqlx::query("SELECT 1 FROM factors WHERE user = ? AND confirmed = 1 AND id IS NOT ? LIMIT 1")
        .bind(user.0.cast_signed())
        .bind(besides.map(u64::cast_signed))
        .fetch_optional(connection)
        .await
        .map(|row| row.is_some())
        .map_err(OfficeError::database("look for a factor"))
}

async fn replace_recovery(
    connection: &mut SqliteConnection,
    user: AccountId,
    digests: &[[u8; 32]],
) -> Result<(), OfficeError> {
    forget_recovery(connection, user).await?;
    for digest in digests {
        sqlx::query("INSERT INTO recovery_codes (user, digest) VALUES (?, ?)")
            .bind(user.0.cast_signed())
            .bind(digest.as_slice())
            .execute(&mut *connection)
            .await
            .map_err(OfficeError::database("keep recovery codes"))?;
    }
    Ok(())
}

async fn forget_recovery(connection: &mut SqliteConnection, user: AccountId) -> Result<(), OfficeError> {
    sqlx::query("DELETE FROM recovery_codes WHERE user = ?")
        .bind(user.0.cast_signed())
        .execute(connection)
        .await
        .map(drop)
        .map_err(OfficeError::database("forget recovery codes"))
}

fn factor_fields(row: &SqliteRow) -> Result<Factor, OfficeError> {
    let f = Fields { row, table: "factors" };
    let kind = match f.get::<i64>("kind")? {
        1 => FactorKind::Totp,
        2 => FactorKind::Passkey,
        other => return Err(f.strange("kind", other.to_string())),
    };
    Ok(Factor {
        id: f.id("id")?,
        kind,
        sealed: f.get("sealed")?,
        label: f.get("label")?,
        last_step: f.id("last_step")?,
        created_ms: f.id("created_ms")?,
    })
}
