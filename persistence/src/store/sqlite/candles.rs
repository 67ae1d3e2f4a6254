//! Candles, and how far they go.
//!
//! Owns: the tables `candles` and `candle_watermark`. Never does: make a candle.
//! Invariants: candles and the watermark that they stand for are written in one transaction.
//! Known limits: none.

use std::ops::Range;

use sqlx::{Row, sqlite::SqliteRow};
use xng_core::{
    ids::{MarketId, TradeId},
    journal::Lsn,
};

use super::bind::{Columns, Fields, insert};
use crate::{
    sqlite::{Database, Writer},
    store::{Candle, StoreError},
};

const HEAD: &str = "INSERT INTO candles (market, period, open_ms, open_whole, open_frac, high_whole, high_frac, \
    low_whole, low_frac, close_whole, close_frac, volume_whole, volume_frac, total_whole, total_frac, \
    taker_buy_whole, taker_buy_frac, taker_total_whole, taker_total_frac, trades, first_trade, last_trade) ";
const TAIL: &str = " ON CONFLICT (market, period, open_ms) DO UPDATE SET open_whole = excluded.open_whole, \
    open_frac = excluded.open_frac, high_whole = excluded.high_whole, high_frac = excluded.high_frac, \
    low_whole = excluded.low_whole, low_frac = excluded.low_frac, close_whole = excluded.close_whole, \
    close_frac = excluded.close_frac, volume_whole = excluded.volume_whole, volume_frac = excluded.volume_frac, \
    total_whole = excluded.total_whole, total_frac = excluded.total_frac, \
    taker_buy_whole = excluded.taker_buy_whole, taker_buy_frac = excluded.taker_buy_frac, \
    taker_total_whole = excluded.taker_total_whole, taker_total_frac = excluded.taker_total_frac, \
    trades = excluded.trades, first_trade = excluded.first_trade, last_trade = excluded.last_trade";

pub(super) async fn put(database: &Database, candles: &[Candle], cell: u32, mark: Lsn) -> Result<(), StoreError> {
    let failed = "write candles";
    let mut writer = database.writer().await.map_err(StoreError::database(failed))?;
    let result = put_with(&mut writer, candles, cell, mark).await;
    if result.is_err() {
        writer.discard();
    }
    result.map_err(StoreError::database(failed))
}

async fn put_with(writer: &mut Writer<'_>, candles: &[Candle], cell: u32, mark: Lsn) -> Result<(), sqlx::Error> {
    let mut transaction = writer.begin().await?;
    insert(&mut transaction, HEAD, TAIL, candles, columns).await?;
    sqlx::query(
        "INSERT INTO candle_watermark (cell, lsn) VALUES (?, ?) ON CONFLICT (cell) DO UPDATE SET lsn = excluded.lsn",
    )
    .bind(cell)
    .bind(mark.0.cast_signed())
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await
}

pub(super) async fn load(
    database: &Database,
    market: MarketId,
    period: u32,
    open_ms: Range<u64>,
    limit: u32,
) -> Result<Vec<Candle>, StoreError> {
    let rows = sqlx::query(
        "SELECT * FROM candles WHERE market = ? AND period = ? AND open_ms >= ? AND open_ms < ?
         ORDER BY open_ms DESC LIMIT ?",
    )
    .bind(market.0)
    .bind(period)
    .bind(i64::try_from(open_ms.start).unwrap_or(i64::MAX))
    .bind(i64::try_from(open_ms.end).unwrap_or(i64::MAX))
    .bind(limit)
    .fetch_all(database.readers())
    .await
    .map_err(StoreError::database("read candles"))?;
    rows.iter().rev().map(fields).collect()
}

pub(super) async fn watermark(database: &Database, cell: u32) -> Result<Option<Lsn>, StoreError> {
    let failed = "read the candles' watermark";
    let row = sqlx::query("SELECT lsn FROM candle_watermark WHERE cell = ?")
        .bind(cell)
        .fetch_optional(database.readers())
        .await
        .map_err(StoreError::database(failed))?;
    let Some(row) = row else { return Ok(None) };
    let lsn: i64 = row.try_get(0).map_err(StoreError::database(failed))?;
    Ok(Some(Lsn(lsn.cast_unsigned())))
}

pub(super) async fn prune(database: &Database, period: u32, before_ms: u64) -> Result<u64, StoreError> {
    let failed = "remove candles";
    let mut writer = database.writer().await.map_err(StoreError::database(failed))?;
    let connection = writer.connection().map_err(StoreError::database(failed))?;
    let removed = sqlx::query("DELETE FROM candles WHERE period = ? AND open_ms < ?")
        .bind(period)
        .bind(i64::try_from(before_ms).unwrap_or(i64::MAX))
        .execute(connection)
        .await
        .map_err(StoreError::database(failed))?;
    Ok(removed.rows_affected())
}

fn columns(c: &mut Columns<'_, '_>, candle: &Candle) {
    c.int(candle.market.0).int(candle.period).id(candle.open_ms);
    c.amount(candle.open).amount(candle.high).amount(candle.low).amount(candle.close);
    c.amount(candle.volume).amount(candle.total).amount(candle.taker_buy).amount(candle.taker_total);
    c.id(candle.trades).id(candle.first_trade.0).id(candle.last_trade.0);
}

fn fields(row: &SqliteRow) -> Result<Candle, StoreError> {
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
