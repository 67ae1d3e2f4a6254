//! Records into rows, attempt by attempt: what the persister's actor and the simulator drive.
//!
//! Owns: the batch that is being written, where the store is, the order of questions and writes.
//! Never does: wait, pause, look at a clock, count; its driver does.
//! Invariants: a batch is written once: after a failed write it is folded again only onto rows that were read before a
//! checkpoint that still stood where it was, as a commit may land long after its connection broke. An attempt that is
//! dropped halfway leaves the store as a crash would: the next one starts at `open`.
//! Known limits: a record that cannot be read or that does not fit the rows is final.

use std::{fmt, sync::Arc};

use xng_core::{
    entity::TimeNs,
    journal::{Batch, Lsn},
    record::Record,
};

use super::PersistError;
use crate::store::{Changes, Checkpoint, Projection, StoreError, rows::Projector};

/// Why an attempt did not succeed.
#[derive(Debug)]
pub enum Trouble {
    /// The store did not take it; nothing is half done, and the same may be tried again.
    Store(StoreError),
    /// The store is not where it was left: it lost its last transactions, as one does that was restored or failed over, or
    /// one that was given up landed late. To be opened anew, which goes on from where it is.
    Moved {
        /// Where it was left.
        left: Lsn,
        /// Where it is.
        found: Lsn,
    },
    /// Trying again is of no use.
    Fatal(PersistError),
}

impl<E: Into<PersistError>> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self::Fatal(error.into())
    }
}

impl Trouble {
    fn of(error: StoreError) -> Self {
        if error.is_final() { Self::Fatal(PersistError::Store(error)) } else { Self::Store(error) }
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
    /// How many of them are the batch, from the first attempt to write it until it is written.
    size: Option<usize>,
    /// The batch may be written already, or be so at any moment: a write of it failed, or the store has just been opened.
    /// Its rows.
    unclear: Option<usize>,
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
        let (projector, records) = (Projector::default(), Vec::new());
        Self { store, cell, epoch, at: Lsn::ZERO, projector, records, size: None, unclear: None }
    }

    /// Forgets what waits and asks the store where it is; the next record that it wants is the one after. `durable` is the
    /// journal's end. Nothing is to be written before [`Self::confirm`] has seen the record of a checkpoint that there is.
    ///
    /// # Errors
    /// [`Trouble::Fatal`] when the store is ahead of the journal: it belongs to another one.
    pub async fn open(&mut self, durable: Lsn) -> Result<Option<Checkpoint>, Trouble> {
        self.records.clear();
        self.projector.forget();
        // A batch of whoever wrote before may land at any moment.
        (self.at, self.size, self.unclear) = (Lsn::ZERO, None, Some(0));
        let checkpoint = self.store.checkpoint(self.cell).await.map_err(Trouble::of)?;
        let Some(checkpoint) = checkpoint else { return Ok(None) };
        let what = if checkpoint.lsn > durable {
            format!("its rows go up to {}, the journal to {durable}", checkpoint.lsn)
        } else if checkpoint.epoch > self.epoch {
            format!("its rows are of epoch {}, the journal is in {}", checkpoint.epoch, self.epoch)
        } else {
            self.at = checkpoint.lsn;
            return Ok(Some(checkpoint));
        };
        Err(PersistError::Mismatch(what).into())
    }

    /// Whether the journal's record at the checkpoint is the one that was projected: times are strictly increasing along a
    /// journal, so another history has another one there.
    ///
    /// # Errors
    /// [`PersistError::Mismatch`] when the rows are those of another history, such as the one before a restored backup.
    pub fn confirm(checkpoint: &Checkpoint, bytes: &[u8]) -> Result<(), PersistError> {
        let lsn = checkpoint.lsn;
        let record = Record::decode(bytes).map_err(|error| PersistError::Record { lsn, error })?;
        if record.time == checkpoint.time {
            return Ok(());
        }
        let what = format!("its rows end with another record {lsn} than the journal has: they are of another history");
        Err(PersistError::Mismatch(what))
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

    /// One attempt to write what waits, `most` records of it; afterwards these are written, or all still wait and the next
    /// attempt is one of the same records.
    ///
    /// # Errors
    /// See [`Trouble`].
    ///
    /// # Panics
    /// When nothing waits.
    pub async fn write(&mut self, most: usize) -> Result<Written, Trouble> {
        let size = *self.size.get_or_insert(self.records.len().min(most));
        let to = self.target(size).expect("written only when records wait");
        match self.attempt(to).await {
            Ok(rows) => {
                (self.at, self.unclear, self.size) = (to.lsn, None, None);
                self.records.drain(..size);
                Ok(Written { to, records: size, rows })
            }
            Err(trouble) => {
                self.projector.forget();
                Err(trouble)
            }
        }
    }

    /// Where the store is once the batch is written.
    fn target(&self, size: usize) -> Option<Checkpoint> {
        self.records[..size].last().map(|(lsn, record)| Checkpoint { epoch: self.epoch, lsn: *lsn, time: record.time })
    }

    /// Loads, folds and writes; the number of rows.
    async fn attempt(&mut self, to: Checkpoint) -> Result<usize, Trouble> {
        let mut changes = Changes::none(self.cell, self.epoch, self.at);
        let batch = &self.records[..self.size.unwrap_or_default()];
        let mut needs = self.projector.needs(batch);
        self.store.load(&mut needs).await.map_err(Trouble::of)?;
        // In this order: rows that were read before the checkpoint stood still are those before the batch.
        if let Some(rows) = self.unclear
            && self.check(to).await?
        {
            self.projector.forget();
            return Ok(rows);
        }
        self.projector.learn(needs);
        let mut records = batch.iter();
        if let Err(error) = records.try_for_each(|(lsn, record)| self.projector.fold(*lsn, record, &mut changes)) {
            // A row that is missing may be one that the store has lost with its last transactions.
            self.check(to).await?;
            return Err(PersistError::from(error).into());
        }
        if let Err(error) = self.store.apply(&changes).await {
            // A failed commit may have been done all the same: the checkpoint tells, now or in the next attempt.
            self.unclear = Some(changes.rows());
            match self.check(to).await {
                // By this attempt or by the one before: what this one folded may hold the batch twice.
                Ok(true) => {
                    self.projector.forget();
                    return Ok(changes.rows());
                }
                Ok(false) | Err(Trouble::Store(_)) => return Err(Trouble::of(error)),
                Err(fatal) => return Err(fatal),
            }
        }
        self.projector.written(&changes);
        Ok(changes.rows())
    }

    /// Whether the batch is there after all.
    async fn check(&self, to: Checkpoint) -> Result<bool, Trouble> {
        let checkpoint = self.store.checkpoint(self.cell).await.map_err(Trouble::of)?;
        let at = checkpoint.map_or(Lsn::ZERO, |c| c.lsn);
        if at == self.at {
            return Ok(false);
        }
        if checkpoint == Some(to) { Ok(true) } else { Err(Trouble::Moved { left: self.at, found: at }) }
    }
}
