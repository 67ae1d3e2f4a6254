//! The persister's side: the checkpoint, and the one transaction that is written.
//!
//! Owns: the table `checkpoint`. Never does: write through the readers' connections; know another table.
//! Invariants: rows and checkpoint are in one transaction, the checkpoint is compared and locked first, and it moves only
//! from where the writer left it; ledger rows are numbered from it, without gaps.
//! Known limits: none.

use xng_core::journal::Lsn;

use super::{
    dialect::{Database, Transaction},
    fields::Fields,
    statement::Statement,
    table::Table,
};
use crate::store::{Changes, Checkpoint, StoreError, rows::table::Place};

pub(super) static CHECKPOINT: Table = Table {
    name: "checkpoint",
    key: &["cell"],
    others: &["cell", "epoch", "lsn", "time_ns", "ledger_id"],
    ..Table::PLAIN
};

pub(super) async fn checkpoint(database: &Database, cell: u32) -> Result<Option<Checkpoint>, StoreError> {
    let query = Statement::new("SELECT epoch, lsn, time_ns FROM checkpoint WHERE cell = ?").with(cell);
    let rows = database.recall("read the checkpoint", query).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let fields = Fields::of(row, &CHECKPOINT);
    Ok(Some(Checkpoint { epoch: fields.small("epoch")?, lsn: Lsn(fields.id("lsn")?), time: fields.id("time_ns")? }))
}

pub(super) async fn apply(database: &Database, changes: &Changes) -> Result<(), StoreError> {
    let failed = "write the projection";
    let mut transaction = database.begin(failed).await?;
    let numbered = move_checkpoint(&mut transaction, changes).await?;
    let place = Place { cell: changes.cell, ledger: numbered };
    changes.write(&mut transaction, place).await.map_err(StoreError::database(failed))?;
    transaction.commit().await.map_err(StoreError::database(failed))
}

/// Moves it and gives the number of the last ledger row before these.
async fn move_checkpoint(transaction: &mut Transaction<'_>, changes: &Changes) -> Result<u64, StoreError> {
    let to = &changes.to;
    let added = changes.wallets.ledger.len() as u64;
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
