//! Watchlists, and the outbox of a development server.
//!
//! Owns: the tables `watchlist` and `outbox`.
//! Never does: send anything.
//! Invariants: a pair is watched once by a user; the outbox keeps the newest only.
//! Known limits: none.
//! Rules: `docs/rules/app-calls.md "Market data"`; `docs/rules/authentication.md "Verification codes"`.

use sqlx::Row;
use xng_core::ids::{AccountId, AssetId, MarketId};

use super::{Fields, Office, OfficeError};

/// Mails that the outbox keeps.
const OUTBOX_KEPT: i64 = 1_000;

/// A pair that somebody watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// By what it is removed.
    pub id: u64,
    /// The coin.
    pub asset: AssetId,
    /// The market.
    pub market: MarketId,
}

/// What came of watching a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watching {
    /// It is watched, under this id.
    Added(u64),
    /// It was watched already.
    AlreadyThere,
    /// The list is full.
    Full,
}

/// A mail or text that was not really sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// Its id.
    pub id: u64,
    /// `mail` or `sms`.
    pub channel: String,
    /// To whom.
    pub destination: String,
    /// Its subject.
    pub subject: String,
    /// Its text.
    pub body: String,
    /// When, milliseconds since the epoch.
    pub created_ms: u64,
}

impl Office {
    /// Counts `bytes` against a user's quota of `limit`; false, and nothing counted, when it does not fit.
    pub async fn reserve_upload(&self, user: AccountId, bytes: u64, limit: u64) -> Result<bool, OfficeError> {
        let failed = "count an upload";
        if bytes > limit {
            return Ok(false);
        }
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let done = sqlx::query(
            "INSERT INTO uploads (user, bytes) VALUES (?, ?)
             ON CONFLICT (user) DO UPDATE SET bytes = bytes + excluded.bytes WHERE bytes + excluded.bytes <= ?",
        )
        .bind(user.0.cast_signed())
        .bind(bytes.cast_signed())
        .bind(limit.cast_signed())
        .execute(writer.connection().map_err(OfficeError::database(failed))?)
        .await
        .map_err(OfficeError::database(failed))?;
        Ok(done.rows_affected() > 0)
    }

    /// Watches a pair, when the list has fewer than `most`.
    pub async fn watch(
        &self,
        user: AccountId,
        asset: AssetId,
        market: MarketId,
        most: u32,
        now_ms: u64,
    ) -> Result<Watching, OfficeError> {
        let failed = "add to a watchlist";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let row =
            sqlx::query("SELECT count(*), coalesce(sum(asset = ? AND market = ?), 0) FROM watchlist WHERE user = ?")
                .bind(asset.0)
                .bind(market.0)
                .bind(user.0.cast_signed())
                .fetch_one(&mut *transaction)
                .await
                .map_err(OfficeError::database(failed))?;
        let (watched, this): (i64, i64) = (row.get(0), row.get(1));
        if this > 0 {
            return Ok(Watching::AlreadyThere);
        }
        if watched >= i64::from(most) {
            return Ok(Watching::Full);
        }
        let added = sqlx::query("INSERT INTO watchlist (user, asset, market, created_ms) VALUES (?, ?, ?, ?)")
            .bind(user.0.cast_signed())
            .bind(asset.0)
            .bind(market.0)
            .bind(now_ms.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(Watching::Added(added.last_insert_rowid().cast_unsigned()))
    }

    /// Stops watching; false when the user has no such entry.
    pub async fn unwatch(&self, user: AccountId, id: u64) -> Result<bool, OfficeError> {
        let failed = "remove from a watchlist";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let done = sqlx::query("DELETE FROM watchlist WHERE user = ? AND id = ?")
            .bind(user.0.cast_signed())
            .bind(id.cast_signed())
            .execute(writer.connection().map_err(OfficeError::database(failed))?)
            .await
            .map_err(OfficeError::database(failed))?;
        Ok(done.rows_affected() == 1)
    }

    /// What a user watches, in the order in which it was added.
    pub async fn watchlist(&self, user: AccountId) -> Result<Vec<Watched>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM watchlist WHERE user = ? ORDER BY id")
            .bind(user.0.cast_signed())
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("read a watchlist"))?;
        let watched = |row| {
            let f = Fields { row, table: "watchlist" };
            Ok(Watched { id: f.id("id")?, asset: AssetId(f.small("asset")?), market: MarketId(f.small("market")?) })
        };
        rows.iter().map(watched).collect()
    }

    /// Puts a mail or text into the outbox; the oldest give way.
    pub async fn put_mail(
        &self,
        channel: &str,
        destination: &str,
        subject: &str,
        body: &str,
        now_ms: u64,
    ) -> Result<u64, OfficeError> {
        let failed = "put a mail into the outbox";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        let put =
            sqlx::query("INSERT INTO outbox (channel, destination, subject, body, created_ms) VALUES (?, ?, ?, ?, ?)")
                .bind(channel)
                .bind(destination)
                .bind(subject)
                .bind(body)
                .bind(now_ms.cast_signed())
                .execute(&mut *transaction)
                .await
                .map_err(OfficeError::database(failed))?;
        let id = put.last_insert_rowid();
        sqlx::query("DELETE FROM outbox WHERE id <= ?")
            .bind(id - OUTBOX_KEPT)
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(failed))?;
        transaction.commit().await.map_err(OfficeError::database(failed))?;
        Ok(id.cast_unsigned())
    }

    /// The newest mails, newest first; to one destination, or to all.
    pub async fn mails(&self, destination: Option<&str>, limit: u32) -> Result<Vec<Mail>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM outbox WHERE ?1 IS NULL OR destination = ?1 ORDER BY id DESC LIMIT ?2")
            .bind(destination)
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database("read the outbox"))?;
        let mail = |row| {
            let f = Fields { row, table: "outbox" };
            Ok(Mail {
                id: f.id("id")?,
                channel: f.get("channel")?,
                destination: f.get("destination")?,
                subject: f.get("subject")?,
                body: f.get("body")?,
                created_ms: f.id("created_ms")?,
            })
        };
        rows.iter().map(mail).collect()
    }
}
