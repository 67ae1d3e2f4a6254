//! Watchlists, and the quota of uploads.
//!
//! Owns: the tables `watchlist` and `uploads`.
//! Never does: look at a file.
//! Invariants: a pair is watched once by a user; nobody stores more bytes than their quota.
//! Known limits: none.
//! Rules: `docs/rules/app-calls.md "Market data"`.

use sqlx::Row;
use xng_core::ids::{AccountId, AssetId, MarketId};

use super::{Fields, Office, OfficeError};

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
}
