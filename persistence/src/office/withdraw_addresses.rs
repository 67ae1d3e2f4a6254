//! Where users have coins paid out to, and who does not want new addresses to wait.
//!
//! Owns: the tables `withdraw_addresses` and `withdraw_whitelists_off`.
//! Never does: look at an address or make a MAC; it gets texts in their normal form, and bytes.
//! Invariants: an address is one of a user's on a network once; a user has at most so many, counted in the same write; each change
//! is one transaction with its row of the audit; of what was deleted nothing is kept here.
//! Known limits: a row that somebody kept may be put back by who writes to the database, with its MAC.
//! Rules: `docs/rules/authentication.md "Address book"`.

use sqlx::{SqliteConnection, sqlite::SqliteRow};
use xng_core::chain::ChainId;
use xng_core::ids::{AccountId, AssetId};

use super::{AuditEntry, Fields, Office, OfficeError, PasswordProof, audit::append};

/// An address that a user wants to be paid to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWithdrawAddress {
    /// Whose.
    pub user: AccountId,
    /// Of which asset.
    pub asset: AssetId,
    /// On which chain.
    pub network: ChainId,
    /// The address in its normal form.
    pub address: String,
    /// What its user says about it.
    pub remark: String,
    /// When it was saved, milliseconds since the epoch.
    pub created_ms: u64,
    /// Over all of these.
    pub mac: Vec<u8>,
}

/// A row of the table. What it says is believed once its MAC was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithdrawAddress {
    /// What its user names it by.
    pub id: u64,
    /// The rest of it.
    pub row: NewWithdrawAddress,
}

/// What came of saving an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saving {
    /// It is there, with this id.
    Saved(u64),
    /// It was there before.
    AlreadyThere,
    /// There are as many as a user may have.
    Full,
    /// The user's passwords or factors are not those any more that were looked at.
    Stale,
}

/// Since when new addresses of a user do not wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhitelistOff {
    /// From when on, milliseconds since the epoch.
    pub from_ms: u64,
    /// Over user and time.
    pub mac: Vec<u8>,
}

const SAVING: &str = "save an address to withdraw to";

impl Office {
    /// Keeps an address when its user has fewer than `most`.
    pub async fn save_withdraw_address(
        &self,
        new: &NewWithdrawAddress,
        proof: &PasswordProof,
        most: u32,
        audit: &AuditEntry,
    ) -> Result<Saving, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(SAVING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(SAVING))?;
        if !proof.holds(&mut transaction, new.user).await? {
            return Ok(Saving::Stale);
        }
        let added = sqlx::query(
            "INSERT INTO withdraw_addresses (user, asset, network, address, remark, created_ms, mac)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE (SELECT count(*) FROM withdraw_addresses WHERE user = ?1) < ?8
             ON CONFLICT (user, asset, network, address) DO NOTHING",
        )
        .bind(new.user.0.cast_signed())
        .bind(new.asset.0)
        .bind(new.network.0)
        .bind(&new.address)
        .bind(&new.remark)
        .bind(new.created_ms.cast_signed())
        .bind(&new.mac)
        .bind(most)
        .execute(&mut *transaction)
        .await
        .map_err(OfficeError::database(SAVING))?;
        if added.rows_affected() == 0 {
            let is_there = is_there(&mut transaction, new).await?;
            return Ok(if is_there { Saving::AlreadyThere } else { Saving::Full });
        }
        append(&mut transaction, audit, new.created_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(SAVING))?;
        Ok(Saving::Saved(added.last_insert_rowid().cast_unsigned()))
    }

    /// A user's addresses, the newest first.
    pub async fn withdraw_addresses(&self, user: AccountId) -> Result<Vec<WithdrawAddress>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM withdraw_addresses WHERE user = ? ORDER BY id DESC")
            .bind(user.0.cast_signed())
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("list addresses to withdraw to"))?;
        rows.iter().map(address_fields).collect()
    }

    /// Deletes one of a user's addresses; false when there is no such one.
    pub async fn delete_withdraw_address(
        &self,
        (user, id): (AccountId, u64),
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let failed = "delete an address to withdraw to";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let deleted = sqlx::query("DELETE FROM withdraw_addresses WHERE user = ? AND id = ?")
            .bind(user.0.cast_signed())
            .bind(id.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        if deleted.rows_affected() == 0 {
            return Ok(false);
        }
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(true)
    }

    /// Since when new addresses of a user do not wait; `None`: they do.
    pub async fn whitelist_off(&self, user: AccountId) -> Result<Option<WhitelistOff>, OfficeError> {
        let row = sqlx::query("SELECT * FROM withdraw_whitelists_off WHERE user = ?")
            .bind(user.0.cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database("read a whitelist's state"))?;
        let read = |row| {
            let f = Fields { row, table: "withdraw_whitelists_off" };
            Ok(WhitelistOff { from_ms: f.id("from_ms")?, mac: f.get("mac")? })
        };
        row.as_ref().map(read).transpose()
    }

    /// New addresses of a user do not wait from a time on, in the place of what was said before. False when the proof does not
    /// hold any more.
    pub async fn switch_whitelist_off(
        &self,
        user: AccountId,
        off: &WhitelistOff,
        proof: &PasswordProof,
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<bool, OfficeError> {
        let failed = "switch a whitelist off";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        if !proof.holds(&mut transaction, user).await? {
            return Ok(false);
        }
        sqlx::query("INSERT OR REPLACE INTO withdraw_whitelists_off (user, from_ms, mac) VALUES (?, ?, ?)")
            .bind(user.0.cast_signed())
            .bind(off.from_ms.cast_signed())
            .bind(&off.mac)
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        append(&mut transaction, audit, now_ms).await?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(true)
    }

    /// New addresses of a user wait; false when they did before.
    pub async fn switch_whitelist_on(
        &self,
        user: AccountId,
        audit: &AuditEntry,
        now_ms: u64,
    ) -> Result<bool, OfficeError> {
        let failed = "switch a whitelist on";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let removed = sqlx::query("DELETE FROM withdraw_whitelists_off WHERE user = ?")
            .bind(user.0.cast_signed())
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

async fn is_there(connection: &mut SqliteConnection, new: &NewWithdrawAddress) -> Result<bool, OfficeError> {
    sqlx::query("SELECT 1 FROM withdraw_addresses WHERE user = ? AND asset = ? AND network = ? AND address = ?")
        .bind(new.user.0.cast_signed())
        .bind(new.asset.0)
        .bind(new.network.0)
        .bind(&new.address)
        .fetch_optional(connection)
        .await
        .map(|row| row.is_some())
        .map_err(OfficeError::database(SAVING))
}

fn address_fields(row: &SqliteRow) -> Result<WithdrawAddress, OfficeError> {
    let f = Fields { row, table: "withdraw_addresses" };
    let row = NewWithdrawAddress {
        user: AccountId(f.id("user")?),
        asset: AssetId(f.small("asset")?),
        network: ChainId(f.small("network")?),
        address: f.get("address")?,
        remark: f.get("remark")?,
        created_ms: f.id("created_ms")?,
        mac: f.get("mac")?,
    };
    Ok(WithdrawAddress { id: f.id("id")?, row })
}
