//! The archiver: follows the durable records and writes ticks, once a second.
//!
//! Owns: the follower, the cursor. Never does: stop because of a file or of the journal; write a tick that is not durable.
//! Invariants: the cursor is written after all ticks up to it are on disk; what fails for one price holds up no other until
//! [`MOST_WAITING`] bytes wait for it.
//! Known limits: a cursor that is lost costs a reading of the whole journal; while the journal cannot be read at some place, the
//! archive ends there.

use super::book::Book;
use super::root::Signs;
use super::{TickMetrics, cursor, files};
use crate::journal::{Follower, JournalControl, JournalError};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use xng_core::entity::TimeNs;
use xng_core::ids::{EntityId, PriceId};
use xng_core::journal::{Batch, Lsn};
use xng_core::price::PriceKind;
use xng_core::price::facts::PriceFact;
use xng_core::record::{Fact, Record};

/// Files are made durable and the cursor is written this often.
const SAVE_EVERY: Duration = Duration::from_secs(10);
/// With so many bytes that could not be written nothing more is read.
const MOST_WAITING: usize = 16 << 20;
/// With so many bytes more that wait they are written, and hours that are over compressed, before more is read.
const WRITE_AT: usize = 1 << 20;

/// Writes the archive.
#[derive(Debug)]
pub struct Archiver {
    folder: PathBuf,
    journal: JournalControl,
    follower: Option<Follower>,
    books: BTreeMap<PriceId, Book>,
    opened: bool,
    followed: Lsn,
    time: TimeNs,
    shared: Arc<AtomicU64>,
    /// When the cursor was written last by this process.
    saved: Option<Instant>,
    /// When hours were last looked through.
    looked: TimeNs,
    signs: Arc<dyn Signs>,
    metrics: Arc<TickMetrics>,
}

impl Archiver {
    /// An archiver into a folder. Nothing is read or written before its first round.
    #[must_use]
    pub fn new(folder: &Path, journal: &JournalControl, signs: Arc<dyn Signs>, metrics: Arc<TickMetrics>) -> Archiver {
        Archiver {
            folder: folder.to_owned(),
            journal: journal.clone(),
            follower: None,
            books: BTreeMap::new(),
            opened: false,
            followed: Lsn::ZERO,
            time: 0,
            shared: Arc::default(),
            saved: None,
            looked: 0,
            signs,
            metrics,
        }
    }

    /// Up to which record it does not need the journal any more.
    #[must_use]
    pub fn cursor(&self) -> Arc<AtomicU64> {
        self.shared.clone()
    }

    /// Reads what is durable and writes it. What goes wrong, damage to the journal's compressed segments included, is counted,
    /// told and tried again at the next round.
    pub fn round(&mut self) {
        let tried = self.open().and_then(|()| self.write());
        if let Err(error) = tried {
            self.failed(&error);
        }
        if !self.opened {
            return;
        }
        if let Err(error) = self.follow() {
            // Where that left the follower is not known.
            self.follower = None;
            self.failed(&error);
        }
        self.keep(SAVE_EVERY);
    }

    fn failed(&self, error: &dyn std::error::Error) {
        self.metrics.failures.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(%error, folder = %self.folder.display(), "ticks are not archived this time");
    }

    /// Looks at what is there, once.
    fn open(&mut self) -> io::Result<()> {
        if self.opened {
            return Ok(());
        }
        std::fs::create_dir_all(&self.folder)?;
        for price in files::prices(&self.folder)? {
            self.books.insert(price, Book::open(self.folder.clone(), price)?);
        }
        self.followed = cursor::read(&self.folder, self.journal.durable())?;
        self.shared.store(self.followed.0, Ordering::Release);
        self.opened = true;
        Ok(())
    }

    fn follower(&mut self) -> Result<&mut Follower, JournalError> {
        if self.follower.is_none() {
            let follower = match self.journal.follower(self.followed.next()) {
                Err(JournalError::Gone { wanted, oldest }) => {
                    tracing::warn!(%wanted, %oldest, "the archive of ticks begins after records that are gone");
                    self.followed = Lsn(oldest.0.saturating_sub(1));
                    self.journal.follower(oldest)?
                }
                other => other?,
            };
            self.follower = Some(follower);
        }
        Ok(self.follower.as_mut().expect("it was made"))
    }

    fn waits(&self) -> usize {
        self.books.values().map(Book::waits).sum()
    }

    fn follow(&mut self) -> Result<(), JournalError> {
        // More than what is durable now is the next round's.
        let end = self.journal.durable();
        // What one price cannot write waits, and does not keep the others from being written.
        let mut left = self.waits();
        while self.followed < end && self.waits() < MOST_WAITING {
            let Some(batch) = self.follower()?.next_batch(Duration::ZERO)? else { return Ok(()) };
            self.take(&batch);
            if self.waits() >= left + WRITE_AT {
                // A long way behind, hours are compressed and the cursor moves on the way, not at its end.
                self.keep(SAVE_EVERY);
                left = self.waits();
            }
        }
        Ok(())
    }

    fn take(&mut self, batch: &Batch) {
        for (lsn, bytes) in batch.records() {
            self.followed = lsn;
            let (time, decider) = Record::stamp(bytes).expect("the cell wrote it");
            self.time = time;
            let EntityId::Price(price) = decider else { continue };
            let record = Record::decode(bytes).expect("the cell wrote it");
            let Fact::Price(PriceFact::PriceTicked(fact)) = record.fact else { continue };
            if fact.kind == PriceKind::Index {
                let book = self.books.entry(price).or_insert_with(|| Book::new(self.folder.clone(), price));
                let new = book.take(record.time, &fact);
                self.metrics.ticks.fetch_add(u64::from(new), Ordering::Relaxed);
            }
        }
    }

    /// Writes what waits, compresses hours that are over and saves, not more often than this; each of the three whatever became
    /// of the others.
    fn keep(&mut self, every: Duration) {
        for tried in [self.write(), self.pack(), self.save(every)] {
            if let Err(error) = tried {
                self.failed(&error);
            }
        }
    }

    /// Does something with each book, whatever becomes of the others; the first failure, if any.
    fn each(&mut self, work: impl Fn(&mut Book) -> io::Result<()>) -> io::Result<()> {
        self.books.values_mut().map(work).fold(Ok(()), Result::and)
    }

    fn write(&mut self) -> io::Result<()> {
        let metrics = Arc::clone(&self.metrics);
        self.each(|book| {
            metrics.bytes.fetch_add(book.write()?, Ordering::Relaxed);
            Ok(())
        })?;
        self.metrics.written.store(self.followed.0, Ordering::Relaxed);
        self.metrics.through.store(self.time, Ordering::Release);
        Ok(())
    }

    /// Looks for hours that are over, once an hour and after failures.
    fn pack(&mut self) -> io::Result<()> {
        if super::hour_of(self.looked) == super::hour_of(self.time) {
            return Ok(());
        }
        let (time, signs) = (self.time, Arc::clone(&self.signs));
        self.each(|book| book.pack(time, &*signs))?;
        self.looked = self.time;
        Ok(())
    }

    /// Makes all of it durable, then says so in the cursor; not more often than this, and not while lines wait to be written.
    fn save(&mut self, every: Duration) -> io::Result<()> {
        let is_due = self.saved.is_none_or(|saved| saved.elapsed() >= every);
        if !is_due || self.waits() > 0 || self.shared.load(Ordering::Relaxed) == self.followed.0 {
            return Ok(());
        }
        self.saved = Some(Instant::now());
        self.each(Book::sync)?;
        cursor::write(&self.folder, self.followed)?;
        self.shared.store(self.followed.0, Ordering::Release);
        Ok(())
    }

    /// Writes all that is durable and its cursor, for a stop and for tests.
    pub fn finish(&mut self) {
        self.round();
        if let Err(error) = self.save(Duration::ZERO) {
            self.failed(&error);
        }
    }
}
