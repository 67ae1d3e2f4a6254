//! One process of the exchange: a cell over plain entities, its journal and snapshots on fake disks.
//!
//! Owns: what dies in a crash (the node) and what does not (the disks). Never does: anything unless told.
//! Invariants: nothing of a node outlives it but what is on the disks. Known limits: the journal is driven by hand,
//! its threads are tested elsewhere.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use xng_cell::clock::ManualClock;
use xng_cell::recovery::{Saved, Unusable};
use xng_cell::{Cell, Plain, World};
use xng_core::entity::TimeNs;
use xng_core::journal::{Batch, Capacity, Journal, Lsn};
use xng_persistence::journal::fake_disk::FakeDisk;
use xng_persistence::journal::manual::ManualJournal;
use xng_persistence::journal::{JournalError, Options, Salts, recover};
use xng_persistence::snapshot::{SnapshotError, SnapshotStore};

/// Small segments, so that a run goes through many of them.
pub const SEGMENT_BYTES: u64 = 32 * 1_024;
/// Digests often, so that a run has many.
const DIGEST_EVERY: u64 = 50;
/// Few, so that turns have something to take into the state hash.
const UNHASHED: usize = 3;

/// Records with their positions.
pub type Records = Vec<(Lsn, Vec<u8>)>;

/// The journal as the cell sees it; everything handed over is noted.
#[derive(Debug, Clone)]
pub struct Tapped {
    journal: Rc<RefCell<ManualJournal>>,
    handed: Rc<RefCell<Records>>,
}

impl Journal for Tapped {
    fn append(&mut self, batch: &mut Batch) {
        self.handed.borrow_mut().extend(batch.records().map(|(lsn, bytes)| (lsn, bytes.to_vec())));
        self.journal.borrow_mut().append(batch);
    }
    fn durable(&self) -> Lsn {
        self.journal.borrow().durable()
    }
    fn pending_bytes(&self) -> u64 {
        self.journal.borrow().pending_bytes()
    }
    fn capacity(&self) -> Capacity {
        self.journal.borrow().capacity()
    }
}

/// What a machine keeps: the journal's disk and the snapshots'.
#[derive(Debug, Clone, Default)]
pub struct Disks {
    /// The journal and its archive.
    pub journal: FakeDisk,
    /// Snapshots.
    pub snapshots: FakeDisk,
    /// Bytes that the journal's segments may take.
    pub limit: Option<u64>,
}

/// Why a process stopped or did not start.
#[derive(Debug)]
pub enum Stopped {
    /// Its disk failed it: an error that stops the real process, or the machine went down.
    Disk(String),
    /// Something is wrong with what it found: a bug.
    Wrong(String),
}

impl From<JournalError> for Stopped {
    fn from(error: JournalError) -> Stopped {
        let told = error.to_string();
        if matches!(error, JournalError::Io { .. }) { Stopped::Disk(told) } else { Stopped::Wrong(told) }
    }
}

impl From<SnapshotError> for Stopped {
    fn from(error: SnapshotError) -> Stopped {
        let told = error.to_string();
        if matches!(error, SnapshotError::Io { .. }) { Stopped::Disk(told) } else { Stopped::Wrong(told) }
    }
}

/// A running process.
pub struct Node {
    /// The cell.
    pub cell: Cell<Plain, Tapped, ManualClock>,
    tapped: Tapped,
    snapshots: SnapshotStore,
    /// The world that snapshots are made of: follows the durable journal.
    behind: World<Plain>,
    /// Where the last snapshot stands.
    saved: Lsn,
    epoch: u32,
    /// The store's rows go up to here, as its persister knows.
    pub floor: Lsn,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.cell.fmt(f)
    }
}

fn options(salt: u64, limit: Option<u64>) -> Options {
    let mut options = Options::new(0);
    (options.segment_bytes, options.spare_segments) = (SEGMENT_BYTES, 3);
    (options.max_block_records, options.salts) = (64, Salts::seeded(salt));
    // The reserve of cancels is counted in blocks: they are small beside a segment here as well.
    (options.max_block_bytes, options.max_bytes) = (4 * 1_024, limit.unwrap_or(u64::MAX));
    options
}

impl Node {
    /// Recovers from the disks and starts at `now`. `salt` is new for each start, as a random one would be; `floor` is
    /// how far somebody outside knows the journal to go.
    pub fn start(disks: &Disks, salt: u64, now: TimeNs, floor: Lsn) -> Result<Node, Stopped> {
        let snapshots = SnapshotStore::new(Arc::new(disks.snapshots.clone()), 0);
        let mut world: World<Plain> = World::default();
        if let Some(snapshot) = snapshots.valid()?.next() {
            let (lsn, digest, entries) = (snapshot.lsn(), snapshot.digest(), snapshot.entries());
            world = World::restore(Saved { lsn, digest, entries }).map_err(|e| Stopped::Wrong(e.to_string()))?;
        }
        let saved = world.lsn();
        let recovered = recover(Arc::new(disks.journal.clone()), options(salt, disks.limit), floor.max(saved))?;
        let (last, epoch) = (recovered.summary().last, recovered.summary().epoch);
        let mut reader = recovered.reader(world.lsn().next())?;
        while let Some(batch) = reader.next_batch(last)? {
            world.fold_batch(&batch).map_err(|e| Stopped::Wrong(e.to_string()))?;
        }
        let mut behind: World<Plain> = World::default();
        let mut reader = recovered.reader(Lsn(1))?;
        while let Some(batch) = reader.next_batch(saved)? {
            behind.fold_batch(&batch).map_err(|e| Stopped::Wrong(e.to_string()))?;
        }
        let tapped = Tapped { journal: Rc::new(RefCell::new(recovered.start_manual()?)), handed: Rc::default() };
        let mut cell = Cell::new(world, tapped.clone(), ManualClock(now));
        cell.digest_every(DIGEST_EVERY);
        cell.leave_unhashed(UNHASHED);
        while !cell.catch_up() {}
        Ok(Node { cell, tapped, snapshots, behind, saved, epoch, floor: Lsn::ZERO })
    }

    /// Start of the journal, counted.
    #[must_use]
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// How much the journal takes now.
    #[must_use]
    pub fn capacity(&self) -> Capacity {
        self.tapped.capacity()
    }

    /// The journal's durable end.
    #[must_use]
    pub fn durable(&self) -> Lsn {
        self.tapped.durable()
    }

    /// What was handed over since the last call.
    pub fn take_handed(&mut self) -> Records {
        std::mem::take(&mut *self.tapped.handed.borrow_mut())
    }

    /// One group is written and synced; false when nothing waits.
    pub fn commit(&mut self) -> Result<bool, Stopped> {
        Ok(self.tapped.journal.borrow_mut().commit()?)
    }

    /// A sealing block.
    pub fn seal(&mut self) -> Result<(), Stopped> {
        Ok(self.tapped.journal.borrow_mut().seal()?)
    }

    /// One turn of the keeper: archives and recycles what nobody needs any more.
    pub fn keep(&mut self) -> Result<bool, Stopped> {
        let oldest = self.snapshots.lsns()?.first().copied().unwrap_or(Lsn::ZERO);
        self.tapped.journal.borrow().release_up_to(oldest.min(self.floor));
        Ok(self.tapped.journal.borrow_mut().keep()?)
    }

    /// All durable records from `from` on.
    pub fn read(&self, from: Lsn) -> Result<Records, Stopped> {
        self.read_some(from, u64::MAX)
    }

    /// The durable records from `from` on, of at most so many blocks.
    pub fn read_some(&self, from: Lsn, mut blocks: u64) -> Result<Records, Stopped> {
        let upto = self.durable();
        let mut reader = self.tapped.journal.borrow().reader(from)?;
        let mut records = Vec::new();
        while blocks > 0
            && let Some(batch) = reader.next_batch(upto)?
        {
            records.extend(batch.records().map(|(lsn, bytes)| (lsn, bytes.to_vec())));
            blocks -= 1;
        }
        Ok(records)
    }

    /// Folds what became durable and writes a snapshot of it; the one who reads it back loads it anew.
    pub fn snapshot(&mut self) -> Result<(), Stopped> {
        for (lsn, bytes) in self.read(self.behind.lsn().next())? {
            self.behind.fold(lsn, &bytes).map_err(|e| Stopped::Wrong(e.to_string()))?;
        }
        if self.behind.lsn() == self.saved {
            return Ok(());
        }
        let (lsn, digest) = (self.behind.lsn(), self.behind.state_hash());
        self.snapshots.write(lsn, digest, &mut self.behind.save(), &mut |entries| match World::<Plain>::restore(
            Saved { lsn, digest, entries },
        ) {
            Ok(mut world) => Ok(world.state_hash()),
            Err(Unusable::Read(error)) => Err(error),
            Err(Unusable::Load(error)) => Err(SnapshotError::Unloadable { lsn, what: error.to_string() }),
        })?;
        self.saved = lsn;
        Ok(())
    }

    /// Where the last snapshot stands.
    #[must_use]
    pub fn saved(&self) -> Lsn {
        self.saved
    }
}
