//! The histories of accounts beside the exchange: one thread folds durable records into them, calls read them.
//!
//! Owns: the thread, and how a reader waits for it. Never does: ask the store. Invariants: a reader sees all that is
//! durable up to the position that it waited for. Known limits: readers and the thread take turns.

use crate::common::critical_task;
use crate::orders::leg_history::{LegHistories, LegHistory};
use crossbeam::channel::Receiver;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::watch;
use xng_core::account::histories::{self, History};
use xng_core::account::recent::Place;
use xng_core::ids::AccountId;
use xng_core::journal::{Batch, Lsn};
use xng_core::record::Record;

/// How long a reader waits at most: the thread is that far behind only when it starves.
const WITHIN: Duration = Duration::from_secs(2);
/// Records that are followed under one lock: a group may have many thousands, and readers wait meanwhile.
const AT_ONCE: usize = 256;

#[derive(Debug)]
struct Inner {
    histories: RwLock<(histories::Histories, LegHistories)>,
    position: watch::Sender<Lsn>,
}

/// The histories, for all threads.
#[derive(Debug, Clone)]
pub struct Histories(Arc<Inner>);

impl Histories {
    /// Goes on from what is known with the groups that follow; what these repeat is passed over.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn start(
        histories: histories::Histories,
        of_books: LegHistories,
        groups: Receiver<Arc<Batch>>,
    ) -> std::io::Result<Histories> {
        let position = watch::Sender::new(histories.position());
        let started = Histories(Arc::new(Inner { histories: RwLock::new((histories, of_books)), position }));
        let followed = started.clone();
        critical_task::spawn("histories", move || groups.iter().for_each(|batch| followed.follow(&batch)))?;
        Ok(started)
    }

    fn follow(&self, batch: &Batch) {
        // Read before the lock is taken: readers wait for the rest only.
        let after = *self.0.position.borrow();
        let new = batch.records().filter(|(lsn, _)| *lsn > after);
        let decode = |(lsn, bytes)| (lsn, Record::decode(bytes).expect("the cell wrote it"));
        let records: Vec<(Lsn, Record)> = new.map(decode).collect();
        for some in records.chunks(AT_ONCE) {
            let mut histories = self.0.histories.write().unwrap_or_else(PoisonError::into_inner);
            for (lsn, record) in some {
                histories.0.follow(*lsn, record);
                histories.1.follow(*lsn, record);
            }
            let position = histories.0.position();
            drop(histories);
            self.0.position.send_replace(position);
        }
    }

    /// Waits until they have a record; false when they do not come there in time.
    pub async fn reach(&self, lsn: Lsn) -> bool {
        let mut position = self.0.position.subscribe();
        let reached = position.wait_for(|at| *at >= lsn);
        matches!(tokio::time::timeout(WITHIN, reached).await, Ok(Ok(_)))
    }

    /// The last record that is in them.
    #[must_use]
    pub fn position(&self) -> Lsn {
        *self.0.position.borrow()
    }

    /// Bytes of the entries.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.histories.read().unwrap_or_else(PoisonError::into_inner).0.bytes()
    }

    /// Looks at an account's history; without any, where all of them begin is told.
    pub fn read<R>(&self, account: AccountId, look: impl FnOnce(&History) -> R) -> Result<R, Place> {
        let histories = self.0.histories.read().unwrap_or_else(PoisonError::into_inner);
        histories.0.of(account).map(look).ok_or_else(|| histories.0.began())
    }

    /// Where histories in contracts' books begin.
    #[must_use]
    pub fn legs_began(&self) -> Place {
        self.0.histories.read().unwrap_or_else(PoisonError::into_inner).1.began()
    }

    /// Looks at an account's history in contracts' books; none when nothing is known of it.
    pub fn read_legs<R>(&self, account: AccountId, look: impl FnOnce(&LegHistory) -> R) -> Option<R> {
        let histories = self.0.histories.read().unwrap_or_else(PoisonError::into_inner);
        histories.1.of(account).map(look)
    }
}
