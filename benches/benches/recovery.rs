//! How long a start takes: `cargo bench -p xng-benches --bench recovery`.
//!
//! - `tail`: records a second folded from a journal on disk after a snapshot, digests checked; orders and trades of
//!   100,000 accounts. Bar 1 M/s, goal 1.6 M/s (`docs/benchmarks.md "Start and recovery"`).
//! - `snapshot`: 1,000,000 accounts with 1,000,000 open orders: load, check, recover the journal. Bar 20 s.
//!
//! Both go the way of a start (snapshot store, `World::restore`, `recover`, `folding::fold_to`).
//! `RECORDS` and `ACCOUNTS` make them smaller or larger; the tail is folded by `STARTS` starts. Beside the time that
//! passed stands the time that the calling thread had a core: it folds the accounts, a second one does the rest. On a
//! machine that does other things too, that is what says how fast the code is.
//!
//! Owns: the data folders that it makes, and the clock around a start. Never does: fail on a bar: it prints
//! figures. Invariants: what is folded has its digests checked. Known limits: the files are warm: they were just
//! written.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_benches::{Dice, Journalled, MID, Size, limit, number, order, report, tell};
use xng_cell::recovery::Saved;
use xng_cell::{Plain, World};
use xng_core::journal::Lsn;
use xng_core::record::Record;
use xng_core::spot::{Side, Tif};
use xng_gateway::startup::folding::fold_to;
use xng_persistence::journal::{Options, RealStorage, recover};
use xng_persistence::snapshot::SnapshotStore;

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MARKETS: u16 = 8;
/// Commands between two waits for the disk.
const CHUNK: u64 = 2_000;

fn exchange(folder: &Path, accounts: u64) -> Journalled {
    Journalled::start(&folder.join("journal"), Size { accounts, markets: MARKETS })
}

/// Writes a snapshot of what is there; how long that takes.
fn write_snapshot(exchange: &mut Journalled, folder: &Path) -> Duration {
    exchange.settle();
    let digest = exchange.cell.state_hash();
    let world = exchange.cell.world();
    let began = Instant::now();
    snapshots(folder).write(world.lsn(), digest, &mut world.save(), &mut |_| Ok(digest)).expect("written");
    began.elapsed()
}

fn snapshots(folder: &Path) -> SnapshotStore {
    SnapshotStore::new(Arc::new(RealStorage::open(folder).expect("storage")), 0)
}

/// Time that passed, and time that this thread had a core.
#[derive(Clone, Copy)]
struct Spent {
    wall: Duration,
    cpu: Duration,
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2?} ({:.2?} on a core)", self.wall, self.cpu)
    }
}

/// Measures from its making or the last lap on.
struct Watch(Instant, Duration);

impl Watch {
    fn start() -> Watch {
        Watch(Instant::now(), on_core())
    }

    fn lap(&mut self) -> Spent {
        let before = std::mem::replace(self, Watch::start());
        Spent { wall: self.0 - before.0, cpu: self.1 - before.1 }
    }
}

/// How long this thread has had a core since it began.
fn on_core() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says");
    Duration::from_nanos(text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("a number"))
}

/// What each part of a start took.
struct Restart {
    loaded: Spent,
    checked: Spent,
    folded: Spent,
    tail: u64,
}

/// Starts again, as the exchange does.
fn restart(folder: &Path) -> (World<Plain>, Restart) {
    let mut watch = Watch::start();
    let store = snapshots(folder);
    let snapshot = store.valid().expect("readable").next().expect("a snapshot");
    let (lsn, digest, entries) = (snapshot.lsn(), snapshot.digest(), snapshot.entries());
    let mut world: World<Plain> = World::restore(Saved { lsn, digest, entries }).expect("it loads");
    let loaded = watch.lap();
    let storage = Arc::new(RealStorage::open(folder.join("journal")).expect("storage"));
    let recovered = recover(storage, Options::new(0), lsn).expect("it recovers");
    let checked = watch.lap();
    let last = recovered.summary().last;
    let reader = recovered.reader(lsn.next()).expect("readable");
    fold_to(&mut world, reader, last, |_| {}).expect("it folds");
    let folded = watch.lap();
    (world, Restart { loaded, checked, folded, tail: last.0 - lsn.0 })
}

/// Trades in the records from `from` on.
fn trades(folder: &Path, from: Lsn) -> u64 {
    let storage = Arc::new(RealStorage::open(folder.join("journal")).expect("storage"));
    let recovered = recover(storage, Options::new(0), from).expect("it recovers");
    let (last, mut reader) = (recovered.summary().last, recovered.reader(from).expect("readable"));
    let mut trades = 0;
    while let Some(batch) = reader.next_batch(last).expect("whole") {
        for (_, bytes) in batch.records() {
            Record::decode(bytes).expect("it reads").fact.each_execution(|_| trades += 1);
        }
    }
    trades
}

fn tail() {
    let (accounts, records) = (number("ACCOUNTS", 100_000), number("RECORDS", 2_000_000));
    let folder = tempfile::tempdir().expect("a folder");
    let (mut exchange, mut dice) = (exchange(folder.path(), accounts), Dice(1));
    write_snapshot(&mut exchange, folder.path());
    let from = exchange.cell.world().lsn().0;
    let mut orders = 0_u64;
    while exchange.cell.world().lsn().0 < from + records {
        tell(&mut exchange.cell, order(&mut dice, Size { accounts, markets: MARKETS }));
        orders += 1;
        if orders.is_multiple_of(CHUNK) {
            exchange.settle();
        }
    }
    exchange.settle();
    let state = exchange.cell.state_hash();
    exchange.stop();
    let trades = trades(folder.path(), Lsn(from + 1));
    report(&format!("tail: {orders} orders, {trades} trades, {accounts} accounts"));
    let mut rates: Vec<f64> = (0..number("STARTS", 5)).map(|_| start_with_tail(folder.path(), state)).collect();
    rates.sort_by(f64::total_cmp);
    let (least, most, median) = (rates[0], rates[rates.len() - 1], rates[rates.len() / 2]);
    report(&format!("tail: {least:.0} to {most:.0} records/s, median {median:.0}"));
}

/// Starts once; records folded a second.
fn start_with_tail(folder: &Path, state: u64) -> f64 {
    let (mut world, Restart { loaded, checked, folded, tail }) = restart(folder);
    assert_eq!(world.state_hash(), state, "the same state");
    let rate = |time: Duration| tail as f64 / time.as_secs_f64();
    report(&format!(
        "tail: {tail} records folded in {folded}: {:.0} records/s, {:.0} a second on a core; snapshot loaded in {loaded}, \
         blocks checked in {checked}",
        rate(folded.wall),
        rate(folded.cpu),
    ));
    rate(folded.wall)
}

fn snapshot() {
    let accounts = number("ACCOUNTS", 1_000_000);
    let folder = tempfile::tempdir().expect("a folder");
    let (mut exchange, mut dice) = (exchange(folder.path(), accounts), Dice(2));
    for account in 0..accounts {
        let away = 1 + dice.below(5_000) as i64;
        let (side, ticks) = if dice.below(2) == 0 { (Side::Buy, MID - away) } else { (Side::Sell, MID + away) };
        let (lots, market) = (1 + dice.below(50) as i64, 1 + dice.below(u64::from(MARKETS)) as u16);
        tell(&mut exchange.cell, limit(account, market, (side, ticks, lots), Tif::Gtc));
        if account.is_multiple_of(CHUNK) {
            exchange.settle();
        }
    }
    let written = write_snapshot(&mut exchange, folder.path());
    let (state, open) = (exchange.cell.state_hash(), open_orders(exchange.cell.world()));
    exchange.stop();
    let (mut world, Restart { loaded, checked, folded, tail }) = restart(folder.path());
    let ready = [loaded, checked, folded].iter().map(|part| part.wall).sum::<Duration>();
    assert_eq!((world.state_hash(), open_orders(&world)), (state, open), "the same state");
    report(&format!(
        "snapshot: {accounts} accounts, {open} open orders: written in {written:.2?}; ready in {ready:.2?}: loaded and \
         checked in {loaded}, blocks of the journal checked in {checked}, {tail} records folded in {folded}"
    ));
}

fn open_orders(world: &World<Plain>) -> usize {
    world.markets().iter().map(|(_, market)| market.book().0.len()).sum()
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|arg| name.contains(arg.as_str()));
    if runs("tail") {
        tail();
    }
    if runs("snapshot") {
        snapshot();
    }
}
