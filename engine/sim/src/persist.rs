//! The persister's part of a site: the projection driven call by call, and the auditor's look at what it wrote.
//!
//! Owns: the call that is under way, and a second auditor that stands where the store stands.
//! Invariants: the rows are those of the records up to the checkpoint, each projected once, whatever failed.
//! Never does: wait: a call that is not ready is asked again in a later step. Known limits: the actor around the
//! projection (pauses, back-off) is not in it.

use crate::auditor::{Auditor, Finding};
use crate::node::Records;
use crate::store::{MemoryStore, Rows};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use xng_core::ids::{TradeId, Wallet};
use xng_core::journal::{Batch, Lsn};
use xng_core::money::Amount;
use xng_core::record::Record;
use xng_persistence::store::{
    BalanceKey, Changes, Checkpoint, LedgerRow, Projecting, StoredOption, StoredWithdrawal, Trouble, Written,
};

enum Done {
    Opened(Result<Option<Checkpoint>, Trouble>),
    Wrote(Result<Written, Trouble>),
}

type Projection = Pin<Box<dyn Future<Output = (Projecting, Done)>>>;

/// What a step of the persister came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// There is nothing to do.
    Idle,
    /// The store has not answered yet.
    Waits,
    /// The store said where it is.
    Opened(Lsn),
    /// The store did not take it.
    Failed,
    /// A batch is there.
    Wrote(Lsn),
}

/// Records that it writes at once: fewer than often wait.
const AT_ONCE: usize = 50;

/// The persister of one process; it dies with it.
pub struct Persisting {
    projecting: Option<Projecting>,
    call: Option<Projection>,
    /// The next record that it reads; unknown until the store was asked.
    next: Option<Lsn>,
}

impl std::fmt::Debug for Persisting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Persisting").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Persisting {
    /// The persister of a process whose journal is in `epoch`.
    #[must_use]
    pub fn new(store: &MemoryStore, epoch: u32) -> Self {
        let projecting = Projecting::new(Arc::new(store.clone()), 0, epoch);
        Self { projecting: Some(projecting), call: None, next: None }
    }

    /// The next record that it wants, unless it writes, or does not know yet.
    #[must_use]
    pub fn wants(&self) -> Option<Lsn> {
        let idle = self.call.is_none() && self.projecting.as_ref().is_some_and(|p| p.waiting() == 0);
        self.next.filter(|_| idle)
    }

    /// True while the store works on something.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        self.call.is_some()
    }

    /// One step: begins a call or asks whether the one under way has ended. `records` follow what was read before.
    pub fn step(&mut self, durable: Lsn, records: Records) -> Result<Step, Finding> {
        if let Some((first, _)) = records.first() {
            let mut batch = Batch { first: *first, ..Batch::default() };
            records.iter().for_each(|(lsn, bytes)| batch.push(*lsn, |out| out.extend_from_slice(bytes)));
            self.next = Some(batch.last().next());
            if let Some(projecting) = &mut self.projecting {
                projecting.push(&batch).map_err(|error| error.to_string())?;
            }
        }
        if self.call.is_none() {
            let Some(mut projecting) = self.projecting.take() else { return Ok(Step::Idle) };
            if self.next.is_none() {
                self.call = Some(Box::pin(async move {
                    let at = projecting.open(durable).await;
                    (projecting, Done::Opened(at))
                }));
            } else if projecting.waiting() > 0 {
                self.call = Some(Box::pin(async move {
                    let written = projecting.write(AT_ONCE).await;
                    (projecting, Done::Wrote(written))
                }));
            } else {
                self.projecting = Some(projecting);
                return Ok(Step::Idle);
            }
        }
        let Some(call) = &mut self.call else { return Ok(Step::Idle) };
        let Poll::Ready((projecting, done)) = call.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            return Ok(Step::Waits);
        };
        (self.call, self.projecting) = (None, Some(projecting));
        match done {
            Done::Opened(Ok(checkpoint)) => {
                let at = checkpoint.map_or(Lsn::ZERO, |c| c.lsn);
                self.next = Some(at.next());
                Ok(Step::Opened(at))
            }
            Done::Wrote(Ok(written)) => Ok(Step::Wrote(written.to.lsn)),
            Done::Opened(Err(Trouble::Moved { left, found })) | Done::Wrote(Err(Trouble::Moved { left, found })) => {
                Err(format!("the store was left at {left} and is at {found}"))
            }
            Done::Opened(Err(Trouble::Store(_))) | Done::Wrote(Err(Trouble::Store(_))) => Ok(Step::Failed),
            Done::Opened(Err(Trouble::Fatal(error))) | Done::Wrote(Err(Trouble::Fatal(error))) => {
                Err(format!("the persister stopped: {error}"))
            }
        }
    }
}

/// What the rows must be, from the records up to the checkpoint.
#[derive(Debug, Default)]
pub struct RowsAudit {
    auditor: Auditor,
    /// Rows of the ledger that were looked at.
    ledger: usize,
    /// What the last of them left in each wallet.
    after: BTreeMap<BalanceKey, (i128, i128)>,
    fills: BTreeSet<(TradeId, bool)>,
    looked_at: usize,
}

impl RowsAudit {
    /// Looks at all that was written since the last time. `history` holds all records, the first one first.
    pub fn follow(&mut self, rows: &Rows, history: &[Vec<u8>]) -> Result<(), Finding> {
        let Changes { wallets, spot, .. } = &rows.written;
        let to = rows.checkpoint.map_or(Lsn::ZERO, |c| c.lsn);
        let from = self.auditor.last();
        if to.0 > history.len() as u64 {
            return Err(format!("the rows go up to {to}, the journal to {}", history.len()));
        }
        for lsn in from.0 + 1..=to.0 {
            let record =
                Record::decode(&history[lsn as usize - 1]).map_err(|error| format!("record {lsn}: {error}"))?;
            self.auditor.read(Lsn(lsn), &record)?;
        }
        self.follow_ledger(&wallets.ledger, from, to)?;
        for account in self.auditor.take_touched() {
            for (wallet, asset, held) in self.auditor.wallets(account) {
                let key = (account, wallet, asset);
                let held = (held.available, held.locked);
                let row = wallets.balances.get(&key).map(|row| row.balance);
                let row = row.map_or((0, 0), |b| (b.available.0, b.locked.0));
                let after = self.after.get(&key).copied().unwrap_or_default();
                if row != held || after != held {
                    return Err(format!(
                        "{key:?} at {to}: records say {held:?}, its row {row:?}, the ledger {after:?}"
                    ));
                }
            }
        }
        for stored in &spot.fills[self.looked_at..] {
            if !self.fills.insert((stored.fill.trade, stored.fill.maker)) {
                return Err(format!("a fill of trade {} is there twice", stored.fill.trade));
            }
        }
        self.looked_at = spot.fills.len();
        if spot.fills.len() as u64 != 2 * self.auditor.trades() {
            return Err(format!("{} fills of {} trades at {to}", spot.fills.len(), self.auditor.trades()));
        }
        Ok(())
    }

    /// Each row leads from what the one before left to what it says.
    fn follow_ledger(&mut self, ledger: &[LedgerRow], from: Lsn, to: Lsn) -> Result<(), Finding> {
        for row in &ledger[self.ledger..] {
            let key = (row.account, row.wallet, row.asset);
            let (available, locked) = self.after.entry(key).or_default();
            *available += row.available.0;
            *locked += row.locked.0;
            if (*available, *locked) != (row.available_after.0, row.locked_after.0) || row.lsn <= from || row.lsn > to {
                return Err(format!("ledger row {row:?} does not lead to what it says: {available} and {locked}"));
            }
        }
        self.ledger = ledger.len();
        Ok(())
    }

    /// Everything: all wallets and all orders.
    pub fn whole(&mut self, rows: &Rows, history: &[Vec<u8>]) -> Result<(), Finding> {
        self.follow(rows, history)?;
        let Changes { wallets, spot, seconds, chain, .. } = &rows.written;
        for (key, row) in &wallets.balances {
            let balance = row.balance;
            let held = self.auditor.wallets(key.0).find(|(w, a, _)| (*w, *a) == (key.1, key.2));
            let held = held.map_or((0, 0), |(_, _, held)| (held.available, held.locked));
            if held != (balance.available.0, balance.locked.0) {
                return Err(format!("the row of {key:?} says {balance:?}, the records {held:?}"));
            }
            if matches!(key.1, Wallet::Spot | Wallet::Futures) {
                continue;
            }
            let its = |o: &&StoredOption| {
                let owned = (o.option.account, Wallet::Options, o.option.asset) == *key;
                owned && o.end.is_none()
            };
            let locked: Amount = seconds.options.values().filter(its).map(|o| o.option.locked()).sum();
            let leaves = |w: &&StoredWithdrawal| (w.account, Wallet::Funding, w.asset) == *key && !w.stage.is_end();
            let leaving: Amount = chain.withdrawals.values().filter(leaves).map(|w| w.number).sum();
            if balance.locked != locked + leaving {
                return Err(format!(
                    "the row of {key:?} has {} locked, open options {locked}, withdrawals {leaving}",
                    balance.locked
                ));
            }
        }
        let open: BTreeMap<_, _> = self.auditor.open().map(|(id, open)| (id, (open.account, open.lots))).collect();
        let rest = spot.orders.iter().filter(|(_, o)| o.order.status.is_open());
        let rest: BTreeMap<_, _> = rest.map(|(id, o)| (*id, (o.account, o.order.open.0))).collect();
        if open != rest {
            return Err(format!("open orders of the store {rest:?}, of the records {open:?}"));
        }
        if spot.orders.len() != self.auditor.orders() {
            return Err(format!("{} orders in the store, {} in the records", spot.orders.len(), self.auditor.orders()));
        }
        Ok(())
    }
}
