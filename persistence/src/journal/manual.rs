//! A journal without threads: the same writer and keeper, driven step by step. For the simulator and for tests that
//! want every run alike.
//!
//! Owns: a queue like the real one's, and the calls that stand for the threads' turns.
//! Never does: run unless called; abort (errors come back to the caller).
//! Invariants: it writes the same bytes as the threaded journal.
//! Known limits: no subscribers and no sealing by time; `seal` is called by the driver.

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use xng_core::journal::{Batch, Capacity, Journal, Lsn};

use super::{
    JournalError, JournalMetrics, Options, Reader, Recovered,
    appender::{AppendResult, Appender, Cursor},
    recycle::{Keeper, Step},
    storage::{LockGuard, Storage},
};

/// See the module's header.
pub struct ManualJournal {
    appender: Appender,
    keeper: Keeper,
    storage: Arc<dyn Storage>,
    options: Options,
    queue: VecDeque<Batch>,
    cursor: Cursor,
    last: Lsn,
    durable: Lsn,
    pending_bytes: u64,
    released: Arc<AtomicU64>,
    metrics: Arc<JournalMetrics>,
    _lock: LockGuard,
}

impl fmt::Debug for ManualJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualJournal")
            .field("last", &self.last)
            .field("durable", &self.durable)
            .finish_non_exhaustive()
    }
}

impl Recovered {
    /// As [`Recovered::start`], without threads.
    ///
    /// # Errors
    /// I/O errors.
    pub fn start_manual(self) -> Result<ManualJournal, JournalError> {
        let ready = self.prepare()?;
        let last = self.summary().last;
        let Recovered { storage, options, lock, .. } = self;
        let released = Arc::new(AtomicU64::new(0));
        let keeper = Keeper {
            storage: storage.clone(),
            options: options.clone(),
            spares: ready.spares,
            live: ready.live,
            released: released.clone(),
            metrics: ready.metrics.clone(),
        };
        Ok(ManualJournal {
            appender: ready.appender,
            keeper,
            storage,
            options,
            queue: VecDeque::new(),
            cursor: Cursor::default(),
            last,
            durable: last,
            pending_bytes: 0,
            released,
            metrics: ready.metrics,
            _lock: lock,
        })
    }
}

impl ManualJournal {
    /// Writes and syncs one block of what was handed over; false when there is nothing to write, or no room for a segment
    /// that it needs. What could not be written waits.
    ///
    /// # Errors
    /// Whatever would have stopped the process; the journal must not be used afterwards.
    pub fn commit(&mut self) -> Result<bool, JournalError> {
        while let Some(batch) = self.queue.front() {
            if !self.appender.stage(batch, &mut self.cursor)? {
                break;
            }
            self.cursor = Cursor::default();
            self.queue.pop_front();
        }
        if self.appender.staged() == 0 {
            return Ok(false);
        }
        let bytes = self.appender.staged_bytes() as u64;
        loop {
            match self.appender.commit()? {
                AppendResult::Durable(lsn) => {
                    self.durable = lsn;
                    self.pending_bytes -= bytes;
                    return Ok(true);
                }
                AppendResult::NoSpare if self.keep()? => {}
                AppendResult::NoSpare => return Ok(false),
            }
        }
    }

    /// Writes a sealing block, unless records wait or there is no room for one.
    ///
    /// # Errors
    /// As [`ManualJournal::commit`].
    pub fn seal(&mut self) -> Result<(), JournalError> {
        // The threaded writer seals when it has nothing to write; what waits for room comes first.
        if self.appender.staged() > 0 {
            return Ok(());
        }
        while let AppendResult::NoSpare = self.appender.seal()? {
            if !self.keep()? {
                break;
            }
        }
        Ok(())
    }

    /// One turn of the keeper; false when it found nothing to do or no room.
    ///
    /// # Errors
    /// As [`ManualJournal::commit`].
    pub fn keep(&mut self) -> Result<bool, JournalError> {
        Ok(self.keeper.step()? == Step::Worked)
    }

    /// As [`super::JournalControl::release_up_to`].
    pub fn release_up_to(&self, lsn: Lsn) {
        self.released.fetch_max(lsn.min(self.durable).0, Ordering::AcqRel);
    }

    /// Reads records from `from` on, up to the durable LSN that the caller passes on.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn reader(&self, from: Lsn) -> Result<Reader, JournalError> {
        Reader::open(self.storage.clone(), self.options.cell, from)
    }

    /// The last LSN handed over.
    #[must_use]
    pub fn last(&self) -> Lsn {
        self.last
    }

    /// The counters.
    #[must_use]
    pub fn metrics(&self) -> &JournalMetrics {
        &self.metrics
    }
}

impl Journal for ManualJournal {
    fn append(&mut self, batch: &mut Batch) {
        if batch.is_empty() {
            return;
        }
        assert_eq!(batch.first, self.last.next(), "a batch follows the last one handed over");
        self.last = batch.last();
        self.pending_bytes += batch.bytes.len() as u64;
        self.queue.push_back(std::mem::take(batch));
    }

    fn durable(&self) -> Lsn {
        self.durable
    }

    fn pending_bytes(&self) -> u64 {
        self.pending_bytes
    }

    fn capacity(&self) -> Capacity {
        self.keeper.spares.capacity(&self.options, self.appender.room_in_segment())
    }
}
