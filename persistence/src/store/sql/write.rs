//! The persister's side: what it loads, and the one transaction that it writes.
//!
//! Owns: the order in which the projection's tables are written. Never does: write through the readers' connections.
//! Invariants: rows and checkpoint are in one transaction, the checkpoint is compared and locked first, and it moves only
//! from where the writer left it; ledger rows are numbered from it, without gaps.
//! Known limits: one cell a store; a second one's ledger rows would have the first one's numbers, and be refused.

use xng_core::{account::Balance, ids::OrderId, journal::Lsn};

use super::{
    dialect::{Database, Transaction},
    fields::Fields,
    read::{balance_fields, order_fields},
    statement::Statement,
    tables::{self, Rows},
};
use crate::store::{BalanceKey, Changes, Checkpoint, StoreError, StoredOrder};

pub(super) async fn checkpoint(database: &Database, cell: u32) -> Result<Option<Checkpoint>, StoreError> {
    let query = Statement::new("SELECT epoch, lsn, time_ns FROM checkpoint WHERE cell = ?").with(cell);
    let rows = database.recall("read the checkpoint", query).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let fields = Fields { row, table: "checkpoint" };
    Ok(Some(Checkpoint { epoch: fields.small("epoch")?, lsn: Lsn(fields.id("lsn")?), time: fields.id("time_ns")? }))
}

pub(super) async fn balances(
    database: &Database,
    keys: &[BalanceKey],
) -> Result<Vec<(BalanceKey, Balance)>, StoreError> {
    let key = |&(account, wallet, asset): &BalanceKey| [account.0.cast_signed(), wallet as i64, i64::from(asset.0)];
    let keys: Vec<i64> = keys.iter().flat_map(key).collect();
    let rows = database.look_up("read balances", &tables::BALANCES, keys).await?;
    rows.iter().map(balance_fields).collect()
}

pub(super) async fn orders_by_id(database: &Database, ids: &[OrderId]) -> Result<Vec<StoredOrder>, StoreError> {
    let keys: Vec<i64> = ids.iter().map(|id| id.0.cast_signed()).collect();
    let rows = database.look_up("read orders", &tables::ORDERS, keys).await?;
    rows.iter().map(order_fields).collect()
}

pub(super) async fn apply(database: &Database, changes: &Changes) -> Result<(), StoreError> {
    let failed = "write the projection";
    let mut transaction = database.begin(failed).await?;
    let numbered = move_checkpoint(&mut transaction, changes).await?;
    write_rows(&mut transaction, changes, numbered).await.map_err(StoreError::database(failed))?;
    transaction.commit().await.map_err(StoreError::database(failed))
}

/// Moves it and gives the number of the last ledger row before these.
async fn move_checkpoint(transaction: &mut Transaction<'_>, changes: &Changes) -> Result<u64, StoreError> {
    let to = &changes.to;
    let added = changes.ledger.len() as u64;
    let sql = if changes.from == Lsn::ZERO {
        "INSERT INTO checkpoint (epoch, lsn, time_ns, ledger_id, cell) VALUES (?, ?, ?, ?, ?) \
         ON CONFLICT DO NOTHING RETURNING ledger_id"
    } else {
        "UPDATE checkpoint SET epoch = ?, lsn = ?, time_ns = ?, ledger_id = ledger_id + ? \
         WHERE cell = ? AND lsn = ? AND epoch <= ? RETURNING ledger_id"
    };
    let ids = [to.lsn.0, to.time, added].map(u64::cast_signed);
    let mut statement = Statement::new(sql).with(to.epoch).with(ids[0]).with(ids[1]).with(ids[2]).with(changes.cell);
    if changes.from != Lsn::ZERO {
        statement = statement.with(changes.from.0.cast_signed()).with(to.epoch);
    }
    let moved = transaction.fetch(statement).await.map_err(StoreError::database("move the checkpoint"))?;
    match moved.first() {
        Some(row) => Ok(row.first()?.cast_unsigned() - added),
        None => Err(StoreError::Moved { cell: changes.cell, expected: changes.from, epoch: to.epoch }),
    }
}

async fn write_rows(t: &mut Transaction<'_>, changes: &Changes, numbered: u64) -> Result<(), sqlx::Error> {
    t.upsert(Rows::of(&tables::ASSETS, changes.assets.values(), tables::asset_columns)).await?;
    t.upsert(Rows::of(&tables::MARKETS, changes.markets.values(), tables::market_columns)).await?;
    for (market, (state, reason)) in &changes.states {
        let sql = "UPDATE markets SET state = ?, reason = ? WHERE market = ?";
        t.fetch(Statement::new(sql).with(*state as u8).with(*reason as u8).with(market.0)).await?;
    }
    let ledger = (numbered + 1..).zip(&changes.ledger);
    let ledger = Rows::of(&tables::LEDGER, ledger, |c, (id, row)| tables::ledger_columns(c, id, row, changes.cell));
    t.append(ledger).await?;
    t.append(Rows::of(&tables::ORDER_LISTS, &changes.lists, tables::list_columns)).await?;
    t.append(Rows::of(&tables::FILLS, &changes.fills, tables::fill_columns)).await?;
    t.append(Rows::of(&tables::PREVENTED, &changes.prevented, tables::prevented_columns)).await?;
    t.append(Rows::of(&tables::AMENDMENTS, &changes.amendments, tables::amendment_columns)).await?;
    t.upsert(Rows::of(&tables::BALANCES, &changes.balances, tables::balance_columns)).await?;
    t.upsert(Rows::of(&tables::ORDERS, changes.orders.values(), tables::order_columns)).await
}
