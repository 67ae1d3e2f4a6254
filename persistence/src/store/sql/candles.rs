//! Candles, and how far they go.
//!
//! Owns: the tables `candles` and `candle_watermark`. Never does: make a candle.
//! Invariants: candles and the watermark that they stand for are written in one transaction, and only onto the watermark that
//! the writer left. Known limits: none.

use std::ops::Range;

use xng_core::{
    ids::{MarketId, TradeId},
    journal::Lsn,
};

use super::{
    dialect::Database,
    fields::{Fields, Row},
    statement::Statement,
    tables::{self, Rows},
};
use crate::store::{Candle, StoreError};

/// False, and nothing is written, when the store's watermark is not `was`.
pub(super) async fn put(
    database: &Database,
    candles: &[Candle],
    cell: u32,
    was: Option<Lsn>,
    mark: Lsn,
) -> Result<bool, StoreError> {
    let failed = "write candles";
    let mut transaction = database.begin(failed).await?;
    let to = mark.0.cast_signed();
    let moved = match was {
        None => Statement::new("INSERT INTO candle_watermark (cell, lsn) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .with(cell)
            .with(to),
        Some(was) => Statement::new("UPDATE candle_watermark SET lsn = ? WHERE cell = ? AND lsn = ?")
            .with(to)
            .with(cell)
            .with(was.0.cast_signed()),
    };
    let written = async {
        if transaction.execute(moved).await? == 0 {
            return Ok(false);
        }
        transaction.upsert(Rows::of(&tables::CANDLES, candles, tables::candle_columns)).await?;
        transaction.commit().await.map(|()| true)
    };
    written.await.map_err(StoreError::database(failed))
}

pub(super) async fn load(
    database: &Database,
    market: MarketId,
    period: u32,
    open_ms: Range<u64>,
    limit: u32,
) -> Result<Vec<Candle>, StoreError> {
    let sql = "SELECT * FROM candles WHERE market = ? AND period = ? AND open_ms >= ? AND open_ms < ? \
        ORDER BY open_ms DESC LIMIT ?";
    let bound = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    let query = Statement::new(sql).with(market.0).with(period);
    let query = query.with(bound(open_ms.start)).with(bound(open_ms.end)).with(limit);
    let rows = database.read("read candles", query).await?;
    rows.iter().rev().map(fields).collect()
}

pub(super) async fn watermark(database: &Database, cell: u32) -> Result<Option<Lsn>, StoreError> {
    let query = Statement::new("SELECT lsn FROM candle_watermark WHERE cell = ?").with(cell);
    let rows = database.read("read the candles' watermark", query).await?;
    rows.first().map(|row| Ok(Lsn(row.first()?.cast_unsigned()))).transpose()
}

pub(super) async fn prune(database: &Database, period: u32, before_ms: u64) -> Result<u64, StoreError> {
    let failed = "remove candles";
    let mut transaction = database.begin(failed).await?;
    let sql = "DELETE FROM candles WHERE period = ? AND open_ms < ?";
    let removal = Statement::new(sql).with(period).with(i64::try_from(before_ms).unwrap_or(i64::MAX));
    let removed = transaction.execute(removal).await.map_err(StoreError::database(failed))?;
    transaction.commit().await.map_err(StoreError::database(failed))?;
    Ok(removed)
}

fn fields(row: &Row) -> Result<Candle, StoreError> {
    let f = Fields { row, table: "candles" };
    Ok(Candle {
        market: MarketId(f.small("market")?),
        period: f.small("period")?,
        open_ms: f.id("open_ms")?,
        open: f.amount("open_whole", "open_frac")?,
        high: f.amount("high_whole", "high_frac")?,
        low: f.amount("low_whole", "low_frac")?,
        close: f.amount("close_whole", "close_frac")?,
        volume: f.amount("volume_whole", "volume_frac")?,
        total: f.amount("total_whole", "total_frac")?,
        taker_buy: f.amount("taker_buy_whole", "taker_buy_frac")?,
        taker_total: f.amount("taker_total_whole", "taker_total_frac")?,
        trades: f.id("trades")?,
        first_trade: TradeId(f.id("first_trade")?),
        last_trade: TradeId(f.id("last_trade")?),
    })
}
