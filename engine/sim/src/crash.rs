//! How a site dies and comes back.
//!
//! Owns: where it is hit, what its disks lose, what must be there afterwards.
//! Never does: break a disk and go on with the same process. Invariants: what comes back holds a prefix of what was
//! handed over, with all that was answered. Known limits: one part is hit a crash; the rest dies with it.

use crate::auditor::{Auditor, Finding};
use crate::node::{Disks, Node, Stopped};
use crate::persist::{Persisting, Step};
use crate::site::{Promised, Site, wrong};
use xng_core::journal::Lsn;
use xng_core::record::Record;
use xng_persistence::journal::fake_disk::{FakeDisk, Faults, Loss};

impl Site {
    pub(crate) fn crash(&mut self) -> Result<(), Finding> {
        self.take_handed()?;
        let operations = |disk: &FakeDisk| disk.counts().operations;
        let soon = 1 + self.rng.below(6);
        match self.rng.below(10) {
            0 | 1 => {
                let crash_at = Some(operations(&self.disks.journal) + soon);
                self.disks.journal.set_faults(Faults { crash_at, ..self.faults() });
                if let Err(Stopped::Disk(_)) = self.commit_and_seal() {
                    self.count("crash while a group is written");
                }
            }
            2 => {
                let crash_at = Some(operations(&self.disks.journal) + soon);
                self.disks.journal.set_faults(Faults { crash_at, ..self.faults() });
                let kept = (0..4).find_map(|_| self.node.keep().err());
                if let Some(Stopped::Disk(_)) = kept {
                    self.count("crash while a segment is archived or recycled");
                }
            }
            3 | 4 => {
                let crash_at = Some(operations(&self.disks.snapshots) + 1 + self.rng.below(14));
                self.disks.snapshots.set_faults(Faults { crash_at, ..Faults::default() });
                if let Err(Stopped::Disk(_)) = self.node.snapshot() {
                    self.count("crash while a snapshot is written");
                }
            }
            5 => {
                let fail_syncs = [self.disks.journal.counts().syncs + 1].into();
                self.disks.journal.set_faults(Faults { fail_syncs, ..self.faults() });
                if let Err(Stopped::Disk(_)) = self.node.commit() {
                    self.count("failed sync");
                }
            }
            6 | 7 => {
                // Into the middle of a transaction, if there is one.
                let steps = 1 + self.rng.below(6);
                for _ in 0..steps {
                    if self.persist()? == Step::Waits && self.rng.chance(1, 2) {
                        break;
                    }
                }
            }
            _ => {}
        }
        self.die_and_recover()
    }

    fn commit_and_seal(&mut self) -> Result<(), Stopped> {
        while self.node.commit()? {}
        self.node.seal()
    }

    fn die_and_recover(&mut self) -> Result<(), Finding> {
        let told_durable = self.node.durable();
        if self.node.cell.world().accounts().iter().any(|(_, account)| account.asking() > 0) {
            self.count("crash between hold and decision");
        }
        if self.history.len() as u64 > told_durable.0 {
            self.count("crash with decisions that are not durable");
        }
        let between = self.chain.crash_paths(&self.auditor, told_durable);
        let of_accounts = self.accounts.crash_paths(&self.auditor, told_durable);
        between.union(&of_accounts).for_each(|path| self.count(path));
        if self.node.cell.gated() > 0 {
            self.count("crash with answers at the gate");
        }
        if self.persisting.is_writing() {
            self.count("crash while the store writes");
        }
        if self.store.client_died() {
            self.count("crash, and the store wrote on");
        }
        // What the store has, the journal has too.
        let told_durable = self.store.look(|rows| rows.checkpoint.map_or(told_durable, |c| c.lsn.max(told_durable)));
        let mut broken = self.rng.chance(1, 2);
        loop {
            self.disks = if broken {
                self.count("power loss");
                let (a, b) = (self.rng.next_u64(), self.rng.next_u64());
                let loss = |seed: u64| match seed % 4 {
                    0 => Loss::Everything,
                    1 => Loss::Nothing,
                    _ => Loss::Random(seed),
                };
                let journal = self.disks.journal.power_loss(loss(a));
                Disks { journal, snapshots: self.disks.snapshots.power_loss(loss(b)), limit: self.disks.limit }
            } else {
                self.count("kill");
                let (journal, snapshots) = (self.disks.journal.kill(), self.disks.snapshots.kill());
                Disks { journal, snapshots, limit: self.disks.limit }
            };
            self.set_faults();
            if self.rng.chance(1, 6) {
                let crash_at = Some(self.disks.journal.counts().operations + 1 + self.rng.below(8));
                self.disks.journal.set_faults(Faults { crash_at, ..self.faults() });
            }
            // The clock of a machine that was set back too far is refused; it is set right.
            self.now = self.now.max(self.auditor.time());
            match Node::start(&self.disks, self.rng.next_u64(), self.now, told_durable) {
                Ok(node) => {
                    self.persisting = Persisting::new(&self.store, node.epoch());
                    self.node = node;
                    self.set_faults();
                    break;
                }
                Err(Stopped::Disk(_)) if self.disks.journal.has_crashed() => {
                    self.count("crash while recovering");
                    broken = self.rng.chance(1, 2);
                }
                Err(Stopped::Disk(_)) if self.full.is_some() => {
                    self.count("start on a full disk");
                    self.free();
                }
                Err(stopped) => return Err(wrong(stopped)),
            }
        }
        self.after_recovery(told_durable, broken)
    }

    fn after_recovery(&mut self, told_durable: Lsn, broken: bool) -> Result<(), Finding> {
        let found = self.node.read(Lsn(1)).map_err(wrong)?;
        let last = found.len() as u64;
        if last < told_durable.0 {
            return Err(format!("records up to {told_durable} were durable, {last} are left"));
        }
        let prefix = found.iter().zip(&self.history).all(|((_, bytes), before)| bytes == before);
        if !prefix || found.len() > self.history.len() {
            return Err(format!("the {last} records found are no prefix of the {} written", self.history.len()));
        }
        if found.len() < self.history.len() {
            self.count("records lost that nobody was told of");
        }
        self.history.truncate(found.len());
        self.auditor = Auditor::default();
        for (lsn, bytes) in &found {
            let record = Record::decode(bytes).map_err(|error| format!("record {lsn} does not read: {error}"))?;
            self.auditor.read(*lsn, &record)?;
        }
        let path = if broken {
            "acknowledgement looked up after a power loss"
        } else {
            "acknowledgement looked up after a kill"
        };
        *self.reached.entry(path).or_default() += self.promised.len() as u64;
        for promised in &self.promised {
            let there = match promised {
                Promised::Key(account, key, lsn) => self.auditor.keyed(*account, *key).any(|there| there == *lsn),
                Promised::Placed(account, order) => {
                    self.auditor.owner(*order).is_some_and(|(owner, _)| owner == *account)
                }
                Promised::Address(chain, account, key) => self.auditor.owner_of(*chain, key) == Some(*account),
                Promised::Withdrawal(withdrawal) => self.auditor.knows_withdrawal(*withdrawal),
                Promised::Ended(order) => self.auditor.ended(*order).is_some(),
            };
            if !there {
                return Err(format!("{promised:?} was answered and is gone"));
            }
        }
        let unanswered = std::mem::take(&mut self.asked);
        self.lost.extend(unanswered.into_values().filter(|asked| asked.key.is_some()));
        self.audit_all()
    }
}
