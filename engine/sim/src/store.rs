//! A store in memory that is slow, fails and outlives the process: what the projection is driven into.
//!
//! Owns: the rows of one exchange, and the faults of its calls. In some seeds every committed transaction goes into a
//! real SQLite file as well.
//! Invariants: a transaction is there whole or not at all, and only if the checkpoint is where its writer thought.
//! Never does: answer before it is asked again as often as it is slow. Known limits: faults are of whole calls; half
//! answers are tested with real databases.

use crate::auditor::Finding;
use crate::rng::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use xng_core::coupon::CouponId;
use xng_core::ids::{AccountId, OrderId};
use xng_core::journal::Lsn;
use xng_persistence::store::{
    AmendmentFilter, Changes, Checkpoint, ClosedCopyFilter, ConversionFilter, CopyEventFilter, CouponFilter, CouponsOf,
    DepositFilter, FillFilter, Filter, FundingFilter, LedgerFilter, LegFillFilter, LegFilter, LegOrderFilter, Needs,
    OptionFilter, OrderFilter, Pending, PreventedFilter, Projection, Slice, SqlStore, StoreError, StoreUrl,
    StoredAmendment, StoredCoupon, TicketFilter, TraderFilter, WithdrawalFilter,
};

/// Everything that was committed.
#[derive(Debug, Clone)]
pub struct Rows {
    /// How far the rows go.
    pub checkpoint: Option<Checkpoint>,
    /// The rows: what was changed since the first record.
    pub written: Changes,
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
    rng: Rng,
    temper: Temper,
    rows: Rows,
    /// A transaction that the store works on; its client may die meanwhile.
    at_work: Option<Changes>,
    mirror: Option<Mirror>,
    /// Coupons as the mirror must have them: facts of coupons and of options both change their table.
    coupons: BTreeMap<CouponId, StoredCoupon>,
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
    pub fn new(mut rng: Rng, mirrored: bool) -> Result<Self, Finding> {
        let temper = Temper { fails: rng.pick(&[0, 0, 5, 30]), slow: rng.pick(&[0, 1, 3, 8]) };
        let mirror = if mirrored { Some(Mirror::open()?) } else { None };
        let state = State {
            rng,
            temper,
            rows: Rows { checkpoint: None, written: Changes::none(0, 0, Lsn::ZERO) },
            at_work: None,
            mirror,
            coupons: BTreeMap::new(),
            broken: None,
        };
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
            Some(changes) if state.rng.chance(1, 2) => state.commit(&changes).is_ok(),
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
            Some(mirror) => mirror.compare(&state.rows, &state.coupons).map(|()| true),
        }
    }

    async fn call(&self, changes: Option<&Changes>) -> Result<Option<Fault>, StoreError> {
        let (slow, fault) = {
            let mut state = self.state();
            state.at_work = changes.cloned();
            let (most, fails) = (state.temper.slow, state.temper.fails);
            let slow = if most == 0 { 0 } else { state.rng.below(most + 1) };
            let fault = state.rng.chance(fails, 100).then(|| state.rng.pick(&[Fault::Before, Fault::After]));
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
        let numbered = rows.written.wallets.ledger.len();
        rows.written.follow(changes);
        // In the order in which a batch writes them.
        self.coupons.extend(changes.coupon.coupons.iter().chain(&changes.seconds.coupons));
        for (id, row) in (1..).zip(rows.written.wallets.ledger.iter_mut()).skip(numbered) {
            row.id = id;
        }
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

    fn load<'a>(&'a self, needs: &'a mut Needs) -> Pending<'a, ()> {
        Box::pin(async {
            self.call(None).await?;
            self.look(|rows| needs.find_in(&rows.written));
            Ok(())
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

    fn ask<T>(&self, question: impl Future<Output = Result<T, StoreError>>) -> Result<T, Finding> {
        self.runtime.block_on(question).map_err(|e| e.to_string())
    }

    fn compare(&self, rows: &Rows, coupons: &BTreeMap<CouponId, StoredCoupon>) -> Result<(), Finding> {
        let checkpoint = self.ask(self.store.checkpoint(0))?;
        same("checkpoint", &checkpoint, &rows.checkpoint)?;
        let rows = &rows.written;
        let mut funding = rows.book.funding.clone();
        funding.sort_by_key(|period| (period.due, period.contract));
        same("funding", &self.all(&FundingFilter::default())?, &funding)?;
        let mut accounts: Vec<AccountId> = rows.wallets.balances.keys().map(|(account, _, _)| *account).collect();
        accounts.dedup();
        for account in accounts {
            self.compare_account(account, rows)?;
            let mut expected: Vec<_> = coupons.values().filter(|c| c.coupon.account == account).copied().collect();
            expected.sort_by_key(|c| (c.coupon.issued, c.coupon.coupon));
            same("coupons", &self.all(&CouponFilter { account, which: CouponsOf::All })?, &expected)?;
        }
        Ok(())
    }

    /// All rows that the filter lets through, page by page.
    fn all<F: Filter>(&self, filter: &F) -> Result<Vec<F::Row>, Finding> {
        let mut found: Vec<F::Row> = Vec::new();
        loop {
            let slice = found.last().map_or(Slice::Oldest, |row| Slice::After(F::cursor(row)));
            let page = self.ask(self.store.page(filter, slice, 1_000))?;
            if page.is_empty() {
                return Ok(found);
            }
            found.extend(page);
        }
    }

    fn compare_account(
        &self,
        account: AccountId,
        Changes { wallets, spot, contract, book, convert, seconds, copy, chain, .. }: &Changes,
    ) -> Result<(), Finding> {
        let balances = self.ask(self.store.balances_of(account))?;
        let expected = wallets.balances.values().filter(|row| row.account == account).map(|row| row.balance);
        same("balances", &balances, &expected.collect())?;

        let expected = wallets.ledger.iter().filter(|row| row.account == account).copied();
        same("ledger", &self.all(&LedgerFilter::of(account))?, &expected.collect())?;

        let mut expected: Vec<_> = spot.orders.values().filter(|o| o.account == account).copied().collect();
        expected.sort_by_key(|o| (o.order.created, o.order.order));
        same("orders", &self.all(&OrderFilter::of(account))?, &expected)?;

        let mut expected: Vec<_> = spot.fills.iter().filter(|f| f.account == account).copied().collect();
        expected.sort_by_key(|f| (f.fill.time, f.fill.trade, f.fill.maker));
        same("fills", &self.all(&FillFilter::of(account))?, &expected)?;

        let expected: Vec<_> = contract.tickets.values().filter(|t| t.account == account).copied().collect();
        same("tickets", &self.all(&TicketFilter::of(account))?, &expected)?;

        let expected = book.orders.values().filter(|o| o.account == account).copied();
        let mut expected: Vec<_> = expected.collect();
        expected.sort_by_key(|o| (o.order.created, o.order.order));
        same("orders of contracts", &self.all(&LegOrderFilter::of(account))?, &expected)?;

        let mut expected: Vec<_> = book.fills.iter().filter(|f| f.account == account).copied().collect();
        expected.sort_by_key(|f| (f.fill.time, f.fill.trade, f.fill.maker));
        same("fills of contracts", &self.all(&LegFillFilter::of(account))?, &expected)?;

        let expected: Vec<_> = book.legs.values().filter(|l| l.account == account).copied().collect();
        same("positions", &self.all(&LegFilter { account })?, &expected)?;

        let expected: Vec<_> = convert.conversions.iter().filter(|c| c.account == account).copied().collect();
        same("conversions", &self.all(&ConversionFilter { account })?, &expected)?;

        let mut expected: Vec<_> = seconds.options.values().filter(|o| o.option.account == account).copied().collect();
        expected.sort_by_key(|o| (o.option.opened, o.option.option));
        same("options", &self.all(&OptionFilter::of(account))?, &expected)?;

        let expected: Vec<_> = contract.closed_copies.iter().filter(|c| c.account == account).copied().collect();
        let mut closed = self.all(&ClosedCopyFilter { account, tickets: None })?;
        closed.sort_by_key(|c| c.time);
        same("closed copies", &closed, &expected)?;
        let expected: Vec<_> = copy.copy_events.iter().filter(|e| e.account == account).copied().collect();
        same("copy events", &self.all(&CopyEventFilter { account, skipped: false })?, &expected)?;
        let expected: Vec<_> = copy.traders.get(&account).copied().into_iter().collect();
        same("traders", &self.all(&TraderFilter { account })?, &expected)?;

        let expected: Vec<_> = chain.deposits.iter().filter(|d| d.account == account).copied().collect();
        same("deposits", &self.all(&DepositFilter { account, asset: None })?, &expected)?;

        let mut expected: Vec<_> = chain.withdrawals.values().filter(|w| w.account == account).cloned().collect();
        expected.sort_by_key(|w| (w.requested, w.withdrawal));
        same("withdrawals", &self.all(&WithdrawalFilter { account, done: false })?, &expected)?;

        let prevented = || spot.prevented.iter().filter(|p| p.account == account);
        let markets: BTreeSet<_> = prevented().map(|p| p.prevented.units.market).collect();
        for market in markets {
            let filter = PreventedFilter { account, market, order: None, id: None, from: None };
            let mut expected: Vec<_> = prevented().filter(|p| p.prevented.units.market == market).copied().collect();
            expected.sort_by_key(|p| p.prevented.id);
            same("prevented matches", &self.all(&filter)?, &expected)?;
        }

        let mut amended: BTreeMap<OrderId, Vec<StoredAmendment>> = BTreeMap::new();
        for row in spot.amendments.iter().filter(|row| row.account == account) {
            amended.entry(row.order).or_default().push(*row);
        }
        for (order, expected) in amended {
            same("amendments", &self.all(&AmendmentFilter { order, from: 0 })?, &expected)?;
        }
        Ok(())
    }
}

fn same<T: PartialEq + std::fmt::Debug>(table: &str, file: &T, memory: &T) -> Result<(), Finding> {
    if file == memory { Ok(()) } else { Err(format!("SQLite has other rows of {table}: {file:?}, memory {memory:?}")) }
}
