//! Candles, and how far they go.
//!
//! Owns: the tables `candles` and `candle_watermark`. Never does: make a candle.
//! Invariants: candles and the watermark that they stand for are written in one transaction, and only onto the watermark that
//! the writer left. Known limits: none.

use xng_core::{
    ids::{MarketId, TradeId},
    journal::Lsn,
    money::Amount,
};

use super::{
    SqlStore, StoreError,
    rows::table::{StoredRow, WrittenRow},
    sql::{Columns, Fields, Statement, Table, TableRows},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candle {
    /// Of which market.
    pub market: MarketId,
    /// Its length in seconds; a calendar month is 2,592,000 by agreement.
    pub period: u32,
    /// When it opens, milliseconds since the epoch.
    pub open_ms: u64,
    /// First price.
    pub open: Amount,
    /// Highest price.
    pub high: Amount,
    /// Lowest price.
    pub low: Amount,
    /// Last price.
    pub close: Amount,
    /// Base amount traded.
    pub volume: Amount,
    /// Quote amount traded.
    pub total: Amount,
    /// Base amount in trades whose taker bought.
    pub taker_buy: Amount,
    /// Quote amount in trades whose taker bought.
    pub taker_total: Amount,
    /// Number of trades.
    pub trades: u64,
    /// The first trade; 0 when there is none.
    pub first_trade: TradeId,
    /// The last trade; 0 when there is none.
    pub last_trade: TradeId,
}

const CANDLE_COLUMNS: [&str; 22] = [
    "market",
    "period",
    "open_ms",
    "open_whole",
    "open_frac",
    "high_whole",
    "high_frac",
    "low_whole",
    "low_frac",
    "close_whole",
    "close_frac",
    "volume_whole",
    "volume_frac",
    "total_whole",
    "total_frac",
    "taker_buy_whole",
    "taker_buy_frac",
    "taker_total_whole",
    "taker_total_frac",
    "trades",
    "first_trade",
    "last_trade",
];

pub(super) static CANDLES: Table = Table {
    name: "candles",
    reading: "read candles",
    key: &["market", "period", "open_ms"],
    columns: &CANDLE_COLUMNS,
    // All but the key.
    replaced: CANDLE_COLUMNS.split_at(3).1,
    ..Table::PLAIN
};

pub(super) static WATERMARK: Table =
    Table { name: "candle_watermark", key: &["cell"], others: &["cell", "lsn"], ..Table::PLAIN };

impl StoredRow for Candle {
    const TABLE: &'static Table = &CANDLES;

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
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
}

impl WrittenRow for Candle {
    fn put(&self, c: &mut Columns) {
        c.int(self.market.0).int(self.period).id(self.open_ms);
        c.amount(self.open).amount(self.high).amount(self.low).amount(self.close);
        c.amount(self.volume).amount(self.total).amount(self.taker_buy).amount(self.taker_total);
        c.id(self.trades).id(self.first_trade.0).id(self.last_trade.0);
    }
}

impl SqlStore {
    /// Writes candles (replacing those with the same market, period and time) and the LSN up to which they hold every
    /// trade, in one transaction. False, and nothing is written, when the store's watermark is not `was`: it lost
    /// transactions, is another one, or an answer of it was lost.
    ///
    /// # Errors
    /// When the database does not take them.
    pub async fn put_candles(
        &self,
        candles: &[Candle],
        cell: u32,
        was: Option<Lsn>,
        watermark: Lsn,
    ) -> Result<bool, StoreError> {
        let failed = "write candles";
        let mut transaction = self.database.begin(failed).await?;
        let to = watermark.0.cast_signed();
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
            transaction.upsert(TableRows::of(&CANDLES, candles, |c, candle| candle.put(c))).await?;
            transaction.commit().await.map(|()| true)
        };
        written.await.map_err(StoreError::database(failed))
    }

    /// The last `limit` candles that open at or after `from_ms` and before `to_ms`, oldest first.
    ///
    /// # Errors
    /// When the database does not answer, or with a row that this build cannot read.
    pub async fn candles(
        &self,
        market: MarketId,
        period: u32,
        from_ms: u64,
        to_ms: u64,
        limit: u32,
    ) -> Result<Vec<Candle>, StoreError> {
        let sql = "SELECT * FROM candles WHERE market = ? AND period = ? AND open_ms >= ? AND open_ms < ? \
            ORDER BY open_ms DESC LIMIT ?";
        let bound = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let query = Statement::new(sql).with(market.0).with(period);
        let query = query.with(bound(from_ms)).with(bound(to_ms)).with(limit);
        let mut candles: Vec<Candle> = self.select(query).await?;
        candles.reverse();
        Ok(candles)
    }

    /// Up to which LSN the candles hold every trade; `None` before the first candle.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn candle_watermark(&self, cell: u32) -> Result<Option<Lsn>, StoreError> {
        let query = Statement::new("SELECT lsn FROM candle_watermark WHERE cell = ?").with(cell);
        let rows = self.database.read("read the candles' watermark", query).await?;
        rows.first().map(|row| Ok(Lsn(row.first()?.cast_unsigned()))).transpose()
    }

    /// Removes the candles of a period that open before `before_ms`; returns how many.
    ///
    /// # Errors
    /// When the database does not do it.
    pub async fn prune_candles(&self, period: u32, before_ms: u64) -> Result<u64, StoreError> {
        let failed = "remove candles";
        let mut transaction = self.database.begin(failed).await?;
        let sql = "DELETE FROM candles WHERE period = ? AND open_ms < ?";
        let removal = Statement::new(sql).with(period).with(i64::try_from(before_ms).unwrap_or(i64::MAX));
        let removed = transaction.execute(removal).await.map_err(StoreError::database(failed))?;
        transaction.commit().await.map_err(StoreError::database(failed))?;
        Ok(removed)
    }
}
