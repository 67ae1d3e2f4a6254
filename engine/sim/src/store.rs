//! A store in memory that is slow, fails and outlives the process: what the projection is driven into.
//!
//! Owns: the rows of one exchange, and the faults of its calls. In some seeds every committed transaction goes into a
//! real SQLite file as well.
//! Invariants: a transaction is there whole or not at all, and only if the checkpoint is where its writer thought.
//! Never does: answer before it is asked again as often as it is slow. Known limits: faults are of whole calls; half
//! answers are tested with real databases.

use crate::auditor::Finding;
use crate::dice::Dice;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use xng_core::account::{Balance, Order};
use xng_core::ids::{AccountId, OrderId, PreventedId};
use xng_core::journal::Lsn;
use xng_persistence::store::{
    BalanceKey, Changes, Checkpoint, FillFilter, LedgerFilter, LedgerRow, OrderFilter, Pending, PreventedFilter,
    Projection, Slice, SqlStore, Store, StoreError, StoreUrl, StoredAmendment, StoredFill, StoredOrder,
    StoredPrevented,
};

/// Everything that was committed.
#[derive(Debug, Default, Clone)]
pub struct Rows {
    /// How far the rows go.
    pub checkpoint: Option<Checkpoint>,
    /// Wallets as they are.
    pub balances: BTreeMap<BalanceKey, Balance>,
    /// Movements in order.
    pub ledger: Vec<LedgerRow>,
    /// Orders as they are.
    pub orders: BTreeMap<OrderId, StoredOrder>,
    /// Fills in order.
    pub fills: Vec<StoredFill>,
    /// Prevented matches in order.
    pub prevented: Vec<StoredPrevented>,
    /// Amendments in order.
    pub amendments: Vec<StoredAmendment>,
}

/// How a call ends badly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Nothing was done.
    Before,
    /// It was done, and the answer got lost.
    After,
}

/// How often calls fail and how slow they are; each seed draws its own.
#[derive(Debug)]
struct Temper {
    fails: u64,
    slow: u64,
}

#[derive(Debug)]
struct State {
    dice: Dice,
    temper: Temper,
    rows: Rows,
    /// A transaction that the store works on; its client may die meanwhile.
    at_work: Option<Changes>,
    mirror: Option<Mirror>,
    /// What the mirror refused: a finding.
    broken: Option<Finding>,
}

/// The store. Clones are the same one.
#[derive(Debug, Clone)]
pub struct MemoryStore(Arc<Mutex<State>>);

/// A real SQLite file that gets the same transactions.
#[derive(Debug)]
struct Mirror {
    store: SqlStore,
    runtime: Runtime,
    _folder: TempDir,
}

/// So many times not ready.
struct Slow(u64);

impl Future for Slow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        Poll::Pending
    }
}

impl MemoryStore {
    /// An empty store. `mirrored`: with a real SQLite file beside.
    pub fn new(mut dice: Dice, mirrored: bool) -> Result<Self, Finding> {
        let temper = Temper { fails: dice.pick(&[0, 0, 5, 30]), slow: dice.pick(&[0, 1, 3, 8]) };
        let mirror = if mirrored { Some(Mirror::open()?) } else { None };
        let state = State { dice, temper, rows: Rows::default(), at_work: None, mirror, broken: None };
        Ok(Self(Arc::new(Mutex::new(state))))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the rows.
    pub fn look<T>(&self, look: impl FnOnce(&Rows) -> T) -> T {
        look(&self.state().rows)
    }

    /// Whoever wrote is gone. What the store was working on comes to its end or does not; true when it did.
    pub fn client_died(&self) -> bool {
        let mut state = self.state();
        match state.at_work.take() {
            Some(changes) if state.dice.chance(1, 2) => state.commit(&changes).is_ok(),
            Some(_) | None => false,
        }
    }

    /// Compares every row with the SQLite file's, where there is one.
    pub fn compare_with_file(&self) -> Result<bool, Finding> {
        let state = self.state();
        if let Some(broken) = &state.broken {
            return Err(broken.clone());
        }
        match &state.mirror {
            None => Ok(false),
            Some(mirror) => mirror.compare(&state.rows).map(|()| true),
        }
    }

    async fn call(&self, changes: Option<&Changes>) -> Result<Option<Fault>, StoreError> {
        let (slow, fault) = {
            let mut state = self.state();
            state.at_work = changes.cloned();
            let (most, fails) = (state.temper.slow, state.temper.fails);
            let slow = if most == 0 { 0 } else { state.dice.below(most + 1) };
            let fault = state.dice.chance(fails, 100).then(|| state.dice.pick(&[Fault::Before, Fault::After]));
            (slow, fault)
        };
        Slow(slow).await;
        self.state().at_work = None;
        if fault == Some(Fault::Before) { Err(StoreError::away("reach the store")) } else { Ok(fault) }
    }
}

impl State {
    fn commit(&mut self, changes: &Changes) -> Result<(), StoreError> {
        let at = self.rows.checkpoint.map_or(Lsn::ZERO, |c| c.lsn);
        if at != changes.from {
            return Err(StoreError::Moved { cell: changes.cell, expected: changes.from, epoch: changes.to.epoch });
        }
        let rows = &mut self.rows;
        rows.checkpoint = Some(changes.to);
        rows.balances.extend(changes.balances.iter().map(|(key, balance)| (*key, *balance)));
        for row in &changes.ledger {
            rows.ledger.push(LedgerRow { id: rows.ledger.len() as u64 + 1, ..*row });
        }
        rows.orders.extend(changes.orders.iter().map(|(id, order)| (*id, *order)));
        rows.fills.extend(&changes.fills);
        rows.prevented.extend(&changes.prevented);
        rows.amendments.extend(&changes.amendments);
        if let Some(mirror) = &self.mirror
            && let Err(error) = mirror.runtime.block_on(mirror.store.apply(changes))
        {
            self.broken = Some(format!("SQLite did not take what memory took: {error}"));
        }
        Ok(())
    }
}

impl Projection for MemoryStore {
    fn checkpoint(&self, _: u32) -> Pending<'_, Option<Checkpoint>> {
        Box::pin(async {
            self.call(None).await?;
            Ok(self.look(|rows| rows.checkpoint))
        })
    }

    fn balances<'a>(&'a self, keys: &'a [BalanceKey]) -> Pending<'a, Vec<(BalanceKey, Balance)>> {
        Box::pin(async {
            self.call(None).await?;
            Ok(self.look(|rows| keys.iter().filter_map(|key| Some((*key, *rows.balances.get(key)?))).collect()))
        })
    }

    fn orders_by_id<'a>(&'a self, ids: &'a [OrderId]) -> Pending<'a, Vec<StoredOrder>> {
        Box::pin(async {
            self.call(None).await?;
            Ok(self.look(|rows| ids.iter().filter_map(|id| rows.orders.get(id).copied()).collect()))
        })
    }

    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()> {
        Box::pin(async {
            let fault = self.call(Some(changes)).await?;
            self.state().commit(changes)?;
            if fault.is_some() { Err(StoreError::away("reach the store")) } else { Ok(()) }
        })
    }
}

impl Mirror {
    fn open() -> Result<Self, Finding> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
        let path = folder.path().join("store.db");
        let store = runtime.block_on(SqlStore::open(&StoreUrl::sqlite(&path))).map_err(|e| e.to_string())?;
        Ok(Self { store, runtime, _folder: folder })
    }

    fn ask<T>(&self, question: Pending<'_, T>) -> Result<T, Finding> {
        self.runtime.block_on(question).map_err(|e| e.to_string())
    }

    fn compare(&self, rows: &Rows) -> Result<(), Finding> {
        let checkpoint = self.ask(self.store.checkpoint(0))?;
        same("checkpoint", &checkpoint, &rows.checkpoint)?;
        let mut accounts: Vec<AccountId> = rows.balances.keys().map(|(account, _, _)| *account).collect();
        accounts.dedup();
        for account in accounts {
            self.compare_account(account, rows)?;
        }
        Ok(())
    }

    fn compare_account(&self, account: AccountId, rows: &Rows) -> Result<(), Finding> {
        const PAGE: u32 = 1_000;
        let balances = self.ask(self.store.balances_of(account))?;
        let expected = rows.balances.iter().filter(|((a, _, _), _)| *a == account).map(|(_, b)| *b);
        same("balances", &balances, &expected.collect())?;

        let (filter, mut found) = (LedgerFilter::of(account), Vec::new());
        loop {
            let slice = found.last().map_or(Slice::Oldest, |row: &LedgerRow| Slice::After(row.id));
            let page = self.ask(self.store.ledger(&filter, slice, PAGE))?;
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        same("ledger", &found, &rows.ledger.iter().filter(|row| row.account == account).copied().collect())?;

        let (filter, mut found) = (OrderFilter::of(account), Vec::new());
        loop {
            let slice = found.last().map_or(Slice::Oldest, |order: &Order| Slice::After(order.into()));
            let page = self.ask(self.store.orders(&filter, slice, PAGE))?;
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        let mut expected: Vec<_> = rows.orders.values().filter(|o| o.account == account).map(|o| o.order).collect();
        expected.sort_by_key(|o| (o.created, o.order));
        same("orders", &found, &expected)?;

        let (filter, mut found) = (FillFilter::of(account), Vec::new());
        loop {
            let slice = found.last().map_or(Slice::Oldest, |fill: &StoredFill| Slice::After(fill.cursor()));
            let page = self.ask(self.store.fills(&filter, slice, PAGE))?;
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        let mut expected: Vec<_> = rows.fills.iter().filter(|f| f.account == account).copied().collect();
        expected.sort_by_key(|f| (f.fill.time, f.fill.trade, f.fill.maker));
        same("fills", &found, &expected)?;

        let prevented = || rows.prevented.iter().filter(|p| p.account == account);
        let markets: BTreeSet<_> = prevented().map(|p| p.prevented.units.market).collect();
        for market in markets {
            let mut filter = PreventedFilter { account, market, order: None, id: None, from: None };
            let mut found: Vec<StoredPrevented> = Vec::new();
            loop {
                let page = self.ask(self.store.prevented(&filter, PAGE))?;
                let Some(last) = page.last() else { break };
                filter.from = Some(PreventedId(last.prevented.id.0 + 1));
                found.extend(page);
            }
            let mut expected: Vec<_> = prevented().filter(|p| p.prevented.units.market == market).copied().collect();
            expected.sort_by_key(|p| p.prevented.id);
            same("prevented matches", &found, &expected)?;
        }

        let mut amended: BTreeMap<OrderId, Vec<StoredAmendment>> = BTreeMap::new();
        for row in rows.amendments.iter().filter(|row| row.account == account) {
            amended.entry(row.order).or_default().push(*row);
        }
        for (order, expected) in amended {
            let mut found: Vec<StoredAmendment> = Vec::new();
            loop {
                let from = found.last().map_or(0, |last| last.time + 1);
                let page = self.ask(self.store.amendments(order, from, PAGE))?;
                if page.is_empty() {
                    break;
                }
                found.extend(page);
            }
            same("amendments", &found, &expected)?;
        }
        Ok(())
    }
}

fn same<T: PartialEq + std::fmt::Debug>(table: &str, file: &T, memory: &T) -> Result<(), Finding> {
    if file == memory { Ok(()) } else { Err(format!("SQLite has other rows of {table}: {file:?}, memory {memory:?}")) }
}
