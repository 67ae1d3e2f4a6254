//! The persister's side: what it loads, and the one transaction that it writes.
//!
//! Owns: the inserts of the projection's tables. Never does: read through the readers' connections.
//! Invariants: rows and checkpoint are in one transaction, and the checkpoint moves only from where the writer left it.
//! Known limits: none.

use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use xng_core::{
    account::Balance,
    codec::Wire,
    ids::OrderId,
    journal::Lsn,
    spot::{MarketParams, facts::Units},
};

use super::{
    bind::{Columns, Fields, insert},
    read::{balance_fields, order_fields},
};
use crate::{
    sqlite::Database,
    store::{BalanceKey, Changes, Checkpoint, LedgerRow, StoreError, StoredFill, StoredOrder},
};

/// Keys of one query at most.
const KEYS_A_QUERY: usize = 1_000;

pub(super) async fn checkpoint(database: &Database, cell: u32) -> Result<Option<Checkpoint>, StoreError> {
    let failed = "read the checkpoint";
    let mut writer = database.writer().await.map_err(StoreError::database(failed))?;
    let connection = writer.connection().map_err(StoreError::database(failed))?;
    let row = sqlx::query("SELECT epoch, lsn, time_ns FROM checkpoint WHERE cell = ?")
        .bind(cell)
        .fetch_optional(connection)
        .await
        .map_err(StoreError::database(failed))?;
    let Some(row) = row else { return Ok(None) };
    let fields = Fields { row: &row, table: "checkpoint" };
    Ok(Some(Checkpoint { epoch: fields.small("epoch")?, lsn: Lsn(fields.id("lsn")?), time: fields.id("time_ns")? }))
}

pub(super) async fn balances(
    database: &Database,
    keys: &[BalanceKey],
) -> Result<Vec<(BalanceKey, Balance)>, StoreError> {
    let failed = "read balances";
    let mut found = Vec::with_capacity(keys.len());
    let mut writer = database.writer().await.map_err(StoreError::database(failed))?;
    for chunk in keys.chunks(KEYS_A_QUERY) {
        let mut query =
            QueryBuilder::<Sqlite>::new("SELECT * FROM balances WHERE (account, wallet, asset) IN (VALUES ");
        let mut tuples = query.separated(", ");
        for (account, wallet, asset) in chunk {
            tuples.push("(");
            tuples.push_bind_unseparated(account.0.cast_signed());
            tuples.push_unseparated(", ");
            tuples.push_bind_unseparated(*wallet as u8);
            tuples.push_unseparated(", ");
            tuples.push_bind_unseparated(asset.0);
            tuples.push_unseparated(")");
        }
        query.push(")");
        let connection = writer.connection().map_err(StoreError::database(failed))?;
        let rows = query.build().persistent(false).fetch_all(connection).await.map_err(StoreError::database(failed))?;
        for row in &rows {
            found.push(balance_fields(row)?);
        }
    }
    Ok(found)
}

pub(super) async fn orders_by_id(database: &Database, ids: &[OrderId]) -> Result<Vec<StoredOrder>, StoreError> {
    let failed = "read orders";
    let mut found = Vec::with_capacity(ids.len());
    let mut writer = database.writer().await.map_err(StoreError::database(failed))?;
    for chunk in ids.chunks(KEYS_A_QUERY) {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT * FROM orders WHERE order_id IN (");
        let mut list = query.separated(", ");
        for id in chunk {
            list.push_bind(id.0.cast_signed());
        }
        query.push(")");
        let connection = writer.connection().map_err(StoreError::database(failed))?;
        let rows = query.build().persistent(false).fetch_all(connection).await.map_err(StoreError::database(failed))?;
        for row in &rows {
            found.push(order_fields(row)?);
        }
    }
    Ok(found)
}

pub(super) async fn apply(database: &Database, changes: &Changes) -> Result<(), StoreError> {
    let failed = "write the projection";
    let mut writer = database.writer().await.map_err(StoreError::database(failed))?;
    let result = apply_with(&mut writer, changes).await;
    if let Err(StoreError::Database { .. }) = result {
        writer.discard();
    }
    result
}

async fn apply_with(writer: &mut crate::sqlite::Writer<'_>, changes: &Changes) -> Result<(), StoreError> {
    let failed = "write the projection";
    let mut transaction = writer.begin().await.map_err(StoreError::database(failed))?;
    move_checkpoint(&mut transaction, changes).await?;
    write_rows(&mut transaction, changes).await.map_err(StoreError::database(failed))?;
    transaction.commit().await.map_err(StoreError::database(failed))
}

async fn move_checkpoint(connection: &mut SqliteConnection, changes: &Changes) -> Result<(), StoreError> {
    let to = &changes.to;
    let sql = if changes.from == Lsn::ZERO {
        "INSERT INTO checkpoint (epoch, lsn, time_ns, cell) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
    } else {
        "UPDATE checkpoint SET epoch = ?, lsn = ?, time_ns = ? WHERE cell = ? AND lsn = ? AND epoch <= ?"
    };
    let mut query =
        sqlx::query(sql).bind(to.epoch).bind(to.lsn.0.cast_signed()).bind(to.time.cast_signed()).bind(changes.cell);
    if changes.from != Lsn::ZERO {
        query = query.bind(changes.from.0.cast_signed()).bind(to.epoch);
    }
    let moved = query.execute(connection).await.map_err(StoreError::database("move the checkpoint"))?;
    if moved.rows_affected() == 1 {
        Ok(())
    } else {
        Err(StoreError::Moved { cell: changes.cell, expected: changes.from, epoch: to.epoch })
    }
}

async fn write_rows(connection: &mut SqliteConnection, changes: &Changes) -> Result<(), sqlx::Error> {
    for asset in changes.assets.values() {
        let wallets: Vec<&str> = asset.wallets.iter().map(|w| w.name()).collect();
        sqlx::query(
            "INSERT INTO assets (asset, name, wallets) VALUES (?, ?, ?)
             ON CONFLICT (asset) DO UPDATE SET name = excluded.name, wallets = excluded.wallets",
        )
        .bind(asset.asset.0)
        .bind(&asset.name)
        .bind(wallets.join(","))
        .execute(&mut *connection)
        .await?;
    }
    insert(connection, MARKET_HEAD, MARKET_TAIL, changes.markets.values(), market_columns).await?;
    for (market, (state, reason)) in &changes.states {
        sqlx::query("UPDATE markets SET state = ?, reason = ? WHERE market = ?")
            .bind(*state as u8)
            .bind(*reason as u8)
            .bind(market.0)
            .execute(&mut *connection)
            .await?;
    }
    insert(connection, BALANCE_HEAD, BALANCE_TAIL, &changes.balances, balance_columns).await?;
    let cell = changes.cell;
    insert(connection, LEDGER_HEAD, "", &changes.ledger, |c, row| ledger_columns(c, row, cell)).await?;
    insert(connection, ORDER_HEAD, ORDER_TAIL, changes.orders.values(), order_columns).await?;
    insert(connection, FILL_HEAD, "", &changes.fills, fill_columns).await
}

const MARKET_HEAD: &str = "INSERT INTO markets (market, version, symbol, base, quote, tick_whole, tick_frac, \
    step_whole, step_frac, params) ";
const MARKET_TAIL: &str = " ON CONFLICT (market) DO UPDATE SET version = excluded.version, symbol = excluded.symbol, \
    base = excluded.base, quote = excluded.quote, tick_whole = excluded.tick_whole, tick_frac = excluded.tick_frac, \
    step_whole = excluded.step_whole, step_frac = excluded.step_frac, params = excluded.params";

fn market_columns(c: &mut Columns<'_, '_>, p: &MarketParams) {
    let mut params = Vec::new();
    p.put(&mut params);
    c.int(p.market.0).int(p.version).text(Some(p.symbol.clone())).int(p.base.0).int(p.quote.0);
    c.amount(p.tick).amount(p.step).bytes(params);
}

const BALANCE_HEAD: &str = "INSERT INTO balances (account, wallet, asset, available_whole, available_frac, \
    locked_whole, locked_frac) ";
const BALANCE_TAIL: &str = " ON CONFLICT (account, wallet, asset) DO UPDATE SET \
    available_whole = excluded.available_whole, available_frac = excluded.available_frac, \
    locked_whole = excluded.locked_whole, locked_frac = excluded.locked_frac";

fn balance_columns(c: &mut Columns<'_, '_>, (key, balance): (&BalanceKey, &Balance)) {
    c.id(key.0.0).int(key.1 as u8).int(key.2.0).amount(balance.available).amount(balance.locked);
}

const LEDGER_HEAD: &str = "INSERT INTO ledger (account, wallet, asset, log, available_whole, available_frac, \
    locked_whole, locked_frac, available_after_whole, available_after_frac, locked_after_whole, locked_after_frac, \
    reference, time_ns, cell, lsn) ";

fn ledger_columns(c: &mut Columns<'_, '_>, row: &LedgerRow, cell: u32) {
    c.id(row.account.0).int(row.wallet as u8).int(row.asset.0).int(row.log.0);
    c.amount(row.available).amount(row.locked).amount(row.available_after).amount(row.locked_after);
    c.id(row.reference).id(row.time).int(cell).id(row.lsn.0);
}

const ORDER_HEAD: &str = "INSERT INTO orders (order_id, account, market, base, quote, lot_units, tick_lot_units, side, \
    kind, tif, ticks, lots, budget_whole, budget_frac, open_lots, filled_lots, spent_whole, spent_frac, fee_whole, \
    fee_frac, status, reason, client_id, created_ns, updated_ns) ";
const ORDER_TAIL: &str = " ON CONFLICT (order_id) DO UPDATE SET open_lots = excluded.open_lots, \
    filled_lots = excluded.filled_lots, spent_whole = excluded.spent_whole, spent_frac = excluded.spent_frac, \
    fee_whole = excluded.fee_whole, fee_frac = excluded.fee_frac, status = excluded.status, reason = excluded.reason, \
    updated_ns = excluded.updated_ns";

fn units_columns(c: &mut Columns<'_, '_>, units: &Units) {
    c.int(units.market.0).int(units.base.0).int(units.quote.0).int(units.lot_units).int(units.tick_lot_units);
}

fn order_columns(c: &mut Columns<'_, '_>, stored: &StoredOrder) {
    let o = &stored.order;
    c.id(o.order.0).id(stored.account.0);
    units_columns(c, &o.units);
    c.int(o.side as u8).int(o.kind as u8).int(o.tif as u8).int(o.ticks.0).int(o.lots.0).amount(o.budget);
    c.int(o.open.0).int(o.filled.0).amount(o.spent).amount(o.fee).int(o.status as u8).int(o.reason as u8);
    c.text(o.client_id.map(|id| id.as_str().to_owned())).id(o.created).id(o.updated);
}

const FILL_HEAD: &str = "INSERT INTO fills (trade, maker, account, order_id, market, base, quote, lot_units, \
    tick_lot_units, side, ticks, lots, price_whole, price_frac, amount_whole, amount_frac, total_whole, total_frac, \
    fee_whole, fee_frac, fee_asset, time_ns) ";

fn fill_columns(c: &mut Columns<'_, '_>, stored: &StoredFill) {
    let f = &stored.fill;
    c.id(f.trade.0).int(f.maker).id(stored.account.0).id(f.order.0);
    units_columns(c, &f.units);
    c.int(f.side as u8).int(f.ticks.0).int(f.lots.0);
    c.amount(f.units.price(f.ticks)).amount(f.units.base_amount(f.lots)).amount(f.units.notional(f.ticks, f.lots));
    c.amount(f.fee).int(f.units.received(f.side).0).id(f.time);
}
