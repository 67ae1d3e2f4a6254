//! Bank cards of users.
//!
//! Owns: the table `bank_cards`. Never does: open what is sealed. Invariants: a change and its row of the audit are one transaction; a
//! user has one card of a kind. Known limits: what a card was before is not kept.

use xng_core::ids::AccountId;

use super::{AuditEntry, Fields, Office, OfficeError, PasswordProof, audit::append};

/// Which card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardKind {
    /// Of a bank of the user's country.
    Domestic = 1,
    /// Of another country's.
    International = 2,
}

/// A card as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCard {
    /// What its user wrote about it.
    pub sealed: Vec<u8>,
    /// When it was saved, milliseconds since the epoch.
    pub saved_ms: u64,
}

impl Office {
    /// Keeps a user's card, in the place of the one of this kind; false when the proof does not hold any more.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn save_card(
        &self,
        (user, kind, sealed): (AccountId, CardKind, &[u8]),
        proof: &PasswordProof,
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<bool, OfficeError> {
        let failed = "save a bank card";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        if !proof.holds(&mut transaction, user).await? {
            return Ok(false);
        }
        sqlx::query("INSERT OR REPLACE INTO bank_cards (user, kind, sealed, saved_ms) VALUES (?, ?, ?, ?)")
            .bind(user.0.cast_signed())
            .bind(kind as i64)
            .bind(sealed)
            .bind(now_ms.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(true)
    }

    /// A user's card.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn card(&self, user: AccountId, kind: CardKind) -> Result<Option<StoredCard>, OfficeError> {
        let row = sqlx::query("SELECT sealed, saved_ms FROM bank_cards WHERE user = ? AND kind = ?")
            .bind(user.0.cast_signed())
            .bind(kind as i64)
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database("read a bank card"))?;
        let card = |row: &sqlx::sqlite::SqliteRow| {
            let f = Fields { row, table: "bank_cards" };
            Ok(StoredCard { sealed: f.get("sealed")?, saved_ms: f.id("saved_ms")? })
        };
        row.as_ref().map(card).transpose()
    }

    /// Removes a user's card; false when there is none.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn remove_card(
        &self,
        (user, kind): (AccountId, CardKind),
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<bool, OfficeError> {
        let failed = "remove a bank card";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let removed = sqlx::query("DELETE FROM bank_cards WHERE user = ? AND kind = ?")
            .bind(user.0.cast_signed())
            .bind(kind as i64)
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if removed.rows_affected() == 0 {
            return Ok(false);
        }
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(true)
    }
}
