//! The store against the engine's own entities: what it says is what they say.
//!
//! Owns: the rig (a journal on a fake disk, a SQLite file, a persister) and the comparisons.
//! Never does: repeat the projection's rules; it compares with the entities' state.
//! Invariants: none beyond the tests'.
//! Known limits: none.

mod exchange;
mod persisting;
mod queries;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use sqlx::{AssertSqlSafe, Connection, Row, SqliteConnection};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use xng_core::{
    account::Order,
    ids::{AccountId, AssetId, Wallet},
    journal::{Journal, Lsn},
    money::Amount,
};

use self::exchange::Exchange;
use super::{
    FillFilter, LedgerFilter, LedgerRow, OrderFilter, Persister, PersisterOptions, Projection, Slice, SqliteStore,
    Store,
};
use crate::journal::{Hooks, Options, Started, fake_disk::FakeDisk, recover};

const SOON: Duration = Duration::from_secs(20);
const CELL: u32 = 5;

/// A store on a file, and a runtime to ask it in.
struct Rig {
    runtime: Runtime,
    directory: TempDir,
    store: Arc<SqliteStore>,
}

impl Rig {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let directory = tempfile::tempdir().expect("a directory");
        let store = runtime.block_on(SqliteStore::open(&directory.path().join("store.db"))).expect("opens");
        Self { runtime, directory, store: Arc::new(store) }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("store.db")
    }

    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Another connection to the same file.
    fn connect(&self) -> SqliteConnection {
        self.wait(SqliteConnection::connect(&format!("sqlite://{}", self.path().display()))).expect("connects")
    }

    fn execute(&self, sql: &'static str) {
        let mut connection = self.connect();
        self.wait(sqlx::raw_sql(sql).execute(&mut connection)).expect("executes");
    }

    /// Every row of every table as text; the epoch of the checkpoint is left out.
    fn dump(&self) -> BTreeMap<String, Vec<String>> {
        let mut connection = self.connect();
        let mut dump = BTreeMap::new();
        for table in ["checkpoint", "assets", "markets", "balances", "ledger", "orders", "fills"] {
            let sql = AssertSqlSafe(format!("SELECT name FROM pragma_table_info('{table}')"));
            let columns = self.wait(sqlx::query(sql).fetch_all(&mut connection)).expect("has columns");
            let columns: Vec<String> = columns
                .iter()
                .map(|row| row.get::<String, _>(0))
                .filter(|name| name != "epoch")
                .map(|name| format!("quote({name})"))
                .collect();
            let sql = AssertSqlSafe(format!("SELECT {} FROM {table} ORDER BY 1", columns.join(" || ',' || ")));
            let rows = self.wait(sqlx::query(sql).fetch_all(&mut connection)).expect("has rows");
            dump.insert(table.to_owned(), rows.iter().map(|row| row.get(0)).collect());
        }
        dump
    }

    fn persister(&self, journal: &Started, epoch: u32, options: PersisterOptions) -> (Persister, Fatal) {
        start(self.store.clone(), journal, epoch, options)
    }

    /// Projects all records of `exchange` through a journal and a persister.
    fn project(&self, exchange: &Exchange) {
        let journal = Journaled::new();
        let mut started = journal.start();
        journal.append(&mut started, exchange);
        let (persister, _) = self.persister(&started, 1, quick());
        assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
        persister.shutdown(SOON);
    }
}

type Fatal = Arc<Mutex<Vec<String>>>;

fn start(store: Arc<dyn Projection>, journal: &Started, epoch: u32, options: PersisterOptions) -> (Persister, Fatal) {
    let fatal = Fatal::default();
    let told = fatal.clone();
    let persister = Persister::start(store, journal.control.clone(), CELL, epoch, options, move |error| {
        told.lock().expect("no panic").push(error.to_string());
    });
    (persister.expect("starts"), fatal)
}

fn quick() -> PersisterOptions {
    PersisterOptions {
        batch_wait: Duration::from_millis(5),
        retry_first: Duration::from_millis(5),
        ..PersisterOptions::default()
    }
}

/// A journal that outlives its starts.
struct Journaled {
    disk: FakeDisk,
}

impl Journaled {
    fn new() -> Self {
        Self { disk: FakeDisk::new() }
    }

    fn start(&self) -> Started {
        let options = Options { segment_bytes: 1 << 20, ..Options::new(CELL) };
        let recovered = recover(Arc::new(self.disk.clone()), options, Lsn::ZERO).expect("recovers");
        recovered.start(Hooks::new(|_| ())).expect("starts")
    }

    /// Hands over what the exchange has done since the journal's end, and waits until it is durable.
    fn append(&self, journal: &mut Started, exchange: &Exchange) {
        let mut batch = exchange.batch_from(journal.handle.last());
        journal.handle.append(&mut batch);
        assert!(journal.control.wait_for(journal.handle.last(), SOON));
    }
}

/// What the store says about the market is what the entity says.
fn check_market(rig: &Rig, exchange: &Exchange) {
    let stored = rig.wait(rig.store.markets()).expect("reads");
    let expected: Vec<_> =
        exchange.market.params().map(|p| (p.clone(), Some(exchange.market.state()))).into_iter().collect();
    assert_eq!(stored.into_iter().map(|m| (m.params, m.state)).collect::<Vec<_>>(), expected, "the market");
}

/// What the store says about the market and every account is what the entities say.
fn check(rig: &Rig, exchange: &Exchange) {
    check_market(rig, exchange);
    let mut sums: BTreeMap<AssetId, Amount> = BTreeMap::new();
    for &account in exchange.accounts.keys() {
        let view = exchange.view(account);
        let balances = rig.wait(rig.store.balances_of(account)).expect("reads");
        assert_eq!(balances, view.balances, "balances of {account}");
        let rows = ledger_of(rig, account);
        for row in &rows {
            *sums.entry(row.asset).or_default() += row.available + row.locked;
        }
        check_ledger(&rows, &view.balances);
        if account == AccountId::HOUSE {
            continue;
        }
        let orders = rig.wait(rig.store.orders(&OrderFilter::of(account), Slice::Oldest, 1_000)).expect("reads");
        let mut expected: Vec<Order> = view.open.iter().chain(&view.done).copied().collect();
        expected.sort_by_key(|o| o.created);
        assert!(view.done.len() < 256, "the account remembers all");
        assert_eq!(orders, expected, "orders of {account}");
        let fills = rig.wait(rig.store.fills(&FillFilter::of(account), Slice::Oldest, 1_000)).expect("reads");
        let mut fills: Vec<_> = fills.into_iter().map(|stored| stored.fill).collect();
        let mut expected = view.fills;
        fills.sort_by_key(|f| (f.trade, f.maker));
        expected.sort_by_key(|f| (f.trade, f.maker));
        assert_eq!(fills, expected, "fills of {account}");
    }
    assert!(sums.len() == 2 && sums.values().all(|sum| sum.is_zero()), "{sums:?}");
}

fn ledger_of(rig: &Rig, account: AccountId) -> Vec<LedgerRow> {
    let mut rows: Vec<LedgerRow> = Vec::new();
    let filter = LedgerFilter::of(account);
    loop {
        let slice = rows.last().map_or(Slice::Oldest, |row| Slice::After(row.id));
        let page = rig.wait(rig.store.ledger(&filter, slice, 1_000)).expect("reads");
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

/// The rows lead, one after the other, to the balances.
fn check_ledger(rows: &[LedgerRow], balances: &[xng_core::account::Balance]) {
    let mut at: BTreeMap<(Wallet, AssetId), (Amount, Amount)> = BTreeMap::new();
    for row in rows {
        let (available, locked) = at.entry((row.wallet, row.asset)).or_default();
        let before = (row.available_after - row.available, row.locked_after - row.locked);
        assert_eq!((*available, *locked), before, "{row:?}");
        (*available, *locked) = (row.available_after, row.locked_after);
    }
    for balance in balances {
        let last = at.get(&(balance.wallet, balance.asset)).copied().unwrap_or_default();
        assert_eq!(last, (balance.available, balance.locked), "{balance:?}");
    }
}
