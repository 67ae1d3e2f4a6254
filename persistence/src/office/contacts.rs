//! Binding of contacts: another mail address or phone of a user, by a code that was sent to it.
//!
//! Owns: changes of `users.email`, `users.area_code` and `users.phone`.
//! Never does: send a code.
//! Invariants: a contact is one user's; with the code that was sent to it comes one that was sent to a contact that the user had before;
//! codes are used up with the change, one that takes the place of another pauses withdrawals, and the notice is in the outbox, in one
//! transaction.
//! Known limits: a contact is replaced, never removed.
//! Rules: `docs/rules/authentication.md "Contacts"`.

use xng_core::ids::AccountId;

use super::{
    AuditEntry, CodeCheck, CodeClaim, CodeUse, Login, NewMessage, Office, OfficeError, PAUSE_MS, audit::append,
    codes::check, outbox::put, pauses::pause,
};

/// What came of binding a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// It is bound.
    Bound,
    /// The code that was sent to the new one is wrong.
    BadCode,
    /// The code that was sent to one that the user had before is wrong.
    BadOldCode,
    /// Somebody else has this contact.
    Taken,
    /// The password was changed meanwhile.
    Stale,
}

impl Office {
    /// Binds a contact of a user whose login password's hash is still `login`. `old` claims the code that was sent to the contact in
    /// whose place the new one comes, or to the other one that the user has. The notice goes with it.
    pub async fn bind_contact(
        &self,
        (user, login): (AccountId, &str),
        contact: &Login,
        (new, old): (&CodeClaim, &CodeClaim),
        (audit, notice): (&AuditEntry, Option<&NewMessage>),
        now_ms: u64,
    ) -> Result<Binding, OfficeError> {
        let failed = "bind a contact";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        for (claim, wrong) in [(old, Binding::BadOldCode), (new, Binding::BadCode)] {
            if check(&mut transaction, claim, CodeUse::Verify { for_ms: 0 }, now_ms).await? != CodeCheck::Right {
                // A wrong attempt counts, so this part stays; the other code stays good.
                transaction.commit().await.map_err(OfficeError::database(failed))?;
                return Ok(wrong);
            }
        }
        let (taken, has, bind) = match contact {
            Login::Email(_) => (
                "SELECT EXISTS (SELECT 1 FROM users WHERE email = ?1 AND ?2 IS NULL AND id <> ?3)",
                "SELECT EXISTS (SELECT 1 FROM users WHERE id = ? AND email IS NOT NULL)",
                "UPDATE users SET email = ?1 WHERE ?2 IS NULL AND id = ?3 AND password_hash = ?4",
            ),
            Login::Phone(_) => (
                "SELECT EXISTS (SELECT 1 FROM users WHERE phone = ?1 AND area_code = ?2 AND id <> ?3)",
                "SELECT EXISTS (SELECT 1 FROM users WHERE id = ? AND phone IS NOT NULL)",
                "UPDATE users SET phone = ?1, area_code = ?2 WHERE id = ?3 AND password_hash = ?4",
            ),
        };
        let (text, area) = match contact {
            Login::Email(email) => (email.to_lowercase(), None),
            Login::Phone(phone) => (phone.number.clone(), Some(phone.area_code.clone())),
        };
        let is_taken: bool = sqlx::query_scalar(taken)
            .bind(&text)
            .bind(&area)
            .bind(user.0.cast_signed())
            .fetch_one(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if is_taken {
            return Ok(Binding::Taken);
        }
        let replaces: bool = sqlx::query_scalar(has)
            .bind(user.0.cast_signed())
            .fetch_one(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        for claim in [old, new] {
            check(&mut transaction, claim, CodeUse::Consume, now_ms).await?;
        }
        let bound = sqlx::query(bind)
            .bind(&text)
            .bind(&area)
            .bind(user.0.cast_signed())
            .bind(login)
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if bound.rows_affected() == 0 {
            return Ok(Binding::Stale);
        }
        if replaces {
            pause(&mut transaction, user, now_ms + PAUSE_MS).await?;
        }
        append(&mut transaction, audit, now_ms).await?;
        if let Some(notice) = notice {
            put(&mut transaction, notice, now_ms).await?;
        }
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Binding::Bound)
    }
}
