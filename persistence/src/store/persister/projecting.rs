//! Records into rows, attempt by attempt: what the persister's actor and the simulator drive.
//!
//! Owns: the batch that is being written, where the store is, the order of questions and writes.
//! Never does: wait, pause, look at a clock, count; its driver does.
//! Invariants: a batch is written once: after an error it is folded and written again only if the checkpoint says that
//! it was not. An attempt that is dropped halfway leaves the store as a crash would: the next one starts at `open`.
//! Known limits: a record that cannot be read or that does not fit the rows is final.

use std::{fmt, mem, sync::Arc};

use xng_core::{
    entity::TimeNs,
    journal::{Batch, Lsn},
    record::Record,
};

use super::PersistError;
use crate::store::{Changes, Checkpoint, Projection, StoreError, projector::Projector};

/// Why an attempt did not succeed.
#[derive(Debug)]
pub enum Trouble {
    /// The store did not take it; nothing is half done, and the same may be tried again.
    Store(StoreError),
    /// Trying again is of no use.
    Fatal(PersistError),
}

impl<E: Into<PersistError>> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self::Fatal(error.into())
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where the store is now.
    pub to: Checkpoint,
    /// Records of the batch.
    pub records: usize,
    /// Rows that they became, the checkpoint aside.
    pub rows: usize,
}

/// See the module's header.
pub struct Projecting {
    store: Arc<dyn Projection>,
    cell: u32,
    epoch: u32,
    at: Lsn,
    projector: Projector,
    records: Vec<(Lsn, Record)>,
}

impl fmt::Debug for Projecting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Projecting").field("at", &self.at).field("waiting", &self.records.len()).finish_non_exhaustive()
    }
}

impl Projecting {
    /// Projects the records of `cell` into `store`; `epoch` is the journal's.
    #[must_use]
    pub fn new(store: Arc<dyn Projection>, cell: u32, epoch: u32) -> Self {
        Self { store, cell, epoch, at: Lsn::ZERO, projector: Projector::default(), records: Vec::new() }
    }

    /// Asks the store where it is; the next record that it wants is the one after. `durable` is the journal's end.
    ///
    /// # Errors
    /// [`Trouble::Fatal`] when the store is ahead of the journal: it belongs to another one.
    pub async fn open(&mut self, durable: Lsn) -> Result<Lsn, Trouble> {
        let checkpoint = self.store.checkpoint(self.cell).await.map_err(Trouble::Store)?;
        let Some(checkpoint) = checkpoint else { return Ok(Lsn::ZERO) };
        let what = if checkpoint.lsn > durable {
            format!("its rows go up to {}, the journal to {durable}", checkpoint.lsn)
        } else if checkpoint.epoch > self.epoch {
            format!("its rows are of epoch {}, the journal is in {}", checkpoint.epoch, self.epoch)
        } else {
            self.at = checkpoint.lsn;
            return Ok(self.at);
        };
        Err(PersistError::Mismatch(what).into())
    }

    /// Adds records to the batch. They follow what was written and what waits already.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn push(&mut self, batch: &Batch) -> Result<(), PersistError> {
        for (lsn, bytes) in batch.records() {
            let record = Record::decode(bytes).map_err(|error| PersistError::Record { lsn, error })?;
            self.records.push((lsn, record));
        }
        Ok(())
    }

    /// Records that wait to be written.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.records.len()
    }

    /// Time of the oldest of them.
    #[must_use]
    pub fn oldest(&self) -> Option<TimeNs> {
        self.records.first().map(|(_, record)| record.time)
    }

    /// One attempt to write all that waits; afterwards nothing does, or all of it still does.
    ///
    /// # Errors
    /// See [`Trouble`].
    pub async fn write(&mut self) -> Result<Written, Trouble> {
        let mut changes = Changes::none(self.cell, self.epoch, self.at);
        let outcome = match self.attempt(&mut changes).await {
            Err(Trouble::Store(error)) => self.unless_written(error, &changes).await,
            other => other,
        };
        if let Err(error) = outcome {
            self.projector.forget();
            return Err(error);
        }
        self.projector.written(&changes.orders);
        self.at = changes.to.lsn;
        let records = mem::take(&mut self.records).len();
        Ok(Written { to: changes.to, records, rows: changes.rows() })
    }

    async fn attempt(&mut self, changes: &mut Changes) -> Result<(), Trouble> {
        let needs = self.projector.needs(&self.records);
        let balances = self.store.balances(&needs.balances).await.map_err(Trouble::Store)?;
        let orders = self.store.orders_by_id(&needs.orders).await.map_err(Trouble::Store)?;
        self.projector.learn(&needs, balances, orders);
        for (lsn, record) in &self.records {
            self.projector.fold(*lsn, record, changes).map_err(PersistError::from)?;
        }
        self.store.apply(changes).await.map_err(Trouble::Store)
    }

    /// A failed commit may have been done all the same: the checkpoint tells. Gives the error back when it was not.
    async fn unless_written(&self, error: StoreError, changes: &Changes) -> Result<(), Trouble> {
        let Ok(checkpoint) = self.store.checkpoint(self.cell).await else { return Err(Trouble::Store(error)) };
        let at = checkpoint.map_or(Lsn::ZERO, |c| c.lsn);
        if at == changes.from {
            return Err(Trouble::Store(error));
        }
        if at == changes.to.lsn && checkpoint == Some(changes.to) {
            return Ok(());
        }
        Err(PersistError::Mismatch(format!("its rows go up to {at}, expected {}: {error}", changes.from)).into())
    }
}
