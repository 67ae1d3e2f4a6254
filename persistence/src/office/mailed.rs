//! What the audit says of users that they are told by mail, whatever they read in the app.
//!
//! Owns: the table `audit_mailed`; which rows of the audit are told so.
//! Never does: write a text. Invariants: the mails of some rows and the mark behind these rows are one transaction, so a row is mailed
//! once, also when two processes look.
//! Known limits: none.
//! Rules: `docs/rules/authentication.md "Outbox"`.

use xng_core::ids::AccountId;

use super::{Fields, NewMessage, Office, OfficeError, outbox::put};

/// Changes of what protects an account and of where its money may go, as the audit names them: told by mail and in the app.
pub(super) const SECURITY_CHANGES: [&str; 16] = [
    "reset password",
    "set pay password",
    "add authenticator",
    "remove authenticator",
    "remove factors",
    "add passkey",
    "remove passkey",
    "add withdraw address",
    "switch withdraw whitelist",
    "create api key",
    "change api key",
    "delete api key",
    "confirm api key",
    "change mail phrase",
    "save bank card",
    "remove bank card",
];
/// Told by mail besides them; in the app the journal's record of it is told.
const LOCK_CHANGES: [&str; 2] = ["lock account", "unlock account"];

/// All that is told by mail, as the audit names it. A login and another contact are told where they happen.
pub fn mailed() -> impl Iterator<Item = &'static str> {
    SECURITY_CHANGES.into_iter().chain(LOCK_CHANGES)
}

/// Rows of the audit that are looked at in one go.
const ROWS: u32 = 200;

/// A row of the audit that its user is told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToMail {
    /// Whom it is about.
    pub user: AccountId,
    /// What was done, one of [`mailed`].
    pub action: String,
    /// From which network address; empty when an operator did it.
    pub ip: String,
    /// When, milliseconds since the epoch.
    pub at_ms: u64,
}

const READING: &str = "look for what is told by mail";

impl Office {
    /// Rows of the audit that are to be told, the oldest first, of those after the mark: where the mark is, where it goes once they are
    /// told, and they.
    pub async fn audit_to_mail(&self) -> Result<(u64, u64, Vec<ToMail>), OfficeError> {
        let upto: i64 = sqlx::query_scalar("SELECT upto FROM audit_mailed")
            .fetch_one(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        let rows =
            sqlx::query("SELECT id, action, subject, ip, created_ms FROM audit WHERE id > ? ORDER BY id LIMIT ?")
                .bind(upto)
                .bind(ROWS)
                .fetch_all(self.database.readers())
                .await
                .map_err(OfficeError::database(READING))?;
        let (mut last, mut found) = (upto.cast_unsigned(), Vec::new());
        for row in &rows {
            let f = Fields { row, table: "audit" };
            last = f.id("id")?;
            let (action, subject) = (f.get::<String>("action")?, f.get::<String>("subject")?);
            let user = subject.strip_prefix("user:").and_then(|id| id.parse().ok()).map(AccountId);
            if let Some(user) = user.filter(|_| mailed().any(|told| told == action)) {
                found.push(ToMail { user, action, ip: f.get("ip")?, at_ms: f.id("created_ms")? });
            }
        }
        Ok((upto.cast_unsigned(), last, found))
    }

    /// Moves the mark and puts the mails into the outbox; false, and nothing was done, when the mark is not at `before` any more.
    pub async fn mail_audit(
        &self,
        (before, upto): (u64, u64),
        mails: &[NewMessage],
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let failed = "tell of the audit by mail";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let moved = sqlx::query("UPDATE audit_mailed SET upto = ? WHERE upto = ?")
            .bind(upto.cast_signed())
            .bind(before.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if moved.rows_affected() == 0 {
            return Ok(false);
        }
        for mail in mails {
            put(&mut transaction, mail, now_ms).await?;
        }
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(true)
    }
}
