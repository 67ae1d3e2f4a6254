//! What comes behind a decision, the same for the shapes that are not ours: stamp, check, encode, journal, gate.
//!
//! Left out of what the cell does: the look at the journal's room, digests and state hash, timers, meters, what watched
//! accounts are told.
//!
//! Owns: a journal in a temporary folder and what waits for it. Never does: decide, apply. Invariants: an order is done
//! when its record is durable; postings of a record sum to zero. Known limits: one thread.

use crate::Failure;
use crate::recorder::Recorder;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
use tempfile::TempDir;
use xng_cell::cell::{HANDOVER_BYTES, HANDOVER_RECORDS};
use xng_core::board::Board;
use xng_core::entity::{Ctx, TimeNs};
use xng_core::ids::{EntityId, HoldId};
use xng_core::journal::{Batch, Journal, Lsn};
use xng_core::record::{Cause, Fact, Origin, Record, ZeroSum};
use xng_persistence::journal::{Hooks, JournalHandle, JournalWriter, Options, RealStorage, Started, recover};
use xng_runtime::clock::wall_ns;

/// Orders that begin between two looks at the journal, as the cell admits them.
pub(super) const ADMIT: usize = xng_cell::cell::ADMIT;

/// The journal with what waits for it.
pub(super) struct Tail {
    journal: JournalHandle,
    writer: Option<JournalWriter>,
    out: Batch,
    lsn: Lsn,
    time: TimeNs,
    holds: u64,
    sums: ZeroSum,
    gate: VecDeque<(Lsn, Instant)>,
    _folder: TempDir,
}

impl Tail {
    /// An empty one; `wake` is called after each sync.
    pub(super) fn start(wake: impl Fn() + Send + Sync + 'static) -> Result<Tail, Failure> {
        let folder = tempfile::tempdir()?;
        let storage = Arc::new(RealStorage::open(folder.path())?);
        let Started { handle: journal, writer, .. } =
            recover(storage, Options::new(0), Lsn::ZERO)?.start(Hooks::new(move |_| wake()))?;
        Ok(Tail {
            journal,
            writer: Some(writer),
            out: Batch::default(),
            lsn: Lsn::ZERO,
            time: 0,
            holds: 0,
            sums: ZeroSum::default(),
            gate: VecDeque::new(),
            _folder: folder,
        })
    }

    /// What a decision now may look at.
    pub(super) fn ctx(&mut self) -> Ctx<'static> {
        self.time = wall_ns().max(self.time + 1);
        Ctx { now: self.time, request: None, origin: Origin::Api, others_wait: false, board: Board::nothing() }
    }

    /// A hold's name.
    pub(super) fn hold(&mut self) -> HoldId {
        self.holds += 1;
        HoldId(self.holds)
    }

    /// Checks and encodes what was decided.
    ///
    /// # Panics
    /// When its postings do not balance.
    pub(super) fn record(&mut self, decider: EntityId, fact: Fact) -> (Lsn, Record) {
        self.sums.clear();
        fact.all_postings(decider, |posting| self.sums.add(&posting));
        assert_eq!(self.sums.imbalance(), None, "postings of {} do not balance", fact.name());
        self.lsn = self.lsn.next();
        let record = Record { time: self.time, decider, cause: Cause::Request, origin: Origin::Api, fact };
        self.out.push(self.lsn, |bytes| record.encode(bytes));
        if self.out.count >= HANDOVER_RECORDS || self.out.bytes.len() >= HANDOVER_BYTES {
            self.hand_over();
        }
        (self.lsn, record)
    }

    /// Hands the group over.
    pub(super) fn hand_over(&mut self) {
        if !self.out.is_empty() {
            self.journal.append(&mut self.out);
        }
    }

    /// An order that began at `begun` rests on what was recorded last.
    pub(super) fn park(&mut self, begun: Instant) {
        self.gate.push_back((self.lsn, begun));
    }

    /// Notes what became durable; gives how many orders.
    pub(super) fn open(&mut self, recorder: &Recorder) -> usize {
        let durable = self.journal.durable();
        let count = self.gate.iter().take_while(|(lsn, _)| *lsn <= durable).count();
        if count > 0 {
            let at = Instant::now();
            let mut noting = recorder.batch();
            for (_, begun) in self.gate.drain(..count) {
                noting.done(begun, at, 1);
            }
        }
        count
    }

    /// Position of what was recorded last.
    pub(super) fn lsn(&self) -> Lsn {
        self.lsn
    }

    /// Orders that wait for the journal.
    pub(super) fn waiting(&self) -> usize {
        self.gate.len()
    }

    /// Everything that was recorded is durable.
    pub(super) fn is_durable(&self) -> bool {
        self.out.is_empty() && self.journal.durable() >= self.lsn
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            writer.shutdown();
        }
    }
}
