//! Rows a second into Postgres: the real persister and projection, every ledger row, against a raw COPY of the same rows,
//! and beside an engine that trades: `cargo bench -p xng-benches --bench persisting`.
//!
//! - `alone`: a journal of orders is written first; then the persister follows it into a private server. The probe lets
//!   the server itself read what the tables then hold, in the binary form, into empty tables with the same indexes: no
//!   client, no transaction but one a table. Bar: half of the probe.
//! - `beside`: the engine (cell, journal, fdatasync) trades as fast as it can, first without a persister, then with one
//!   that falls behind: trading must not notice more than the two cores that they share. Then it trades only as fast as
//!   the persister follows: what can be kept up. Bar: 60,000 rows a second.
//!
//! The persister never rests here (`burst` zero), unlike the exchange's in a burst: what the store takes is measured.
//!
//! A regression says that the store falls behind earlier. `ORDERS` and `SECONDS` make them smaller or larger; 10,000
//! accounts, one market, half of the orders may rest, about 0.6 trades an order.
//!
//! Owns: the private server, its probe and both runs. Never does: fail on a bar: it prints figures.
//! Invariants: rows are counted after they are committed. Known limits: engine, persister and server share the
//! cores.

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use xng_benches::{Dice, Journalled, Size, number, order, report, tell};
use xng_core::journal::{Journal as _, Lsn};
use xng_persistence::journal::JournalControl;
use xng_persistence::services::Postgres;
use xng_persistence::store::{Persister, PersisterHandle, PersisterOptions, StoreUrl, open};

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LONG: Duration = Duration::from_secs(600);
const SIZE: Size = Size { accounts: 10_000, markets: 1 };
/// Orders between two looks at the clock.
const GROUP: u64 = 256;
/// Facts that the persister may be behind while the engine keeps to its pace.
const KEPT_UP: u64 = 50_000;
/// Bytes that may wait for the disk, as the server's admission has it.
const WAITING: u64 = 1 << 20;
/// Tables of the projection that grow with the orders.
const TABLES: [&str; 4] = ["ledger", "fills", "orders", "balances"];

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|arg| name.contains(arg.as_str()));
    let server = Postgres::start()?;
    if runs("alone") {
        alone(&server)?;
    }
    if runs("beside") {
        beside(&server)?;
    }
    Ok(())
}

fn started(url: &str, control: JournalControl) -> Result<Persister, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let store = runtime.block_on(open(&StoreUrl::parse(url)?))?;
    // Migrated before the clock runs.
    runtime.block_on(store.markets())?;
    let fatal = |error: &_| report(&format!("the persister stopped: {error}"));
    let options = PersisterOptions { burst: Duration::ZERO, ..PersisterOptions::default() };
    Ok(Persister::start(store, control, 0, 1, options, fatal)?)
}

/// What a persister had done at a moment.
#[derive(Clone, Copy)]
struct Done {
    at: Instant,
    rows: u64,
    facts: u64,
    batches: u64,
}

impl Done {
    fn now(handle: &PersisterHandle) -> Done {
        let metrics = handle.metrics();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (rows, batches) = (count(&metrics.rows), count(&metrics.batches));
        Done { at: Instant::now(), rows, facts: handle.persisted().0, batches }
    }

    /// Rows and facts a second since `before`.
    fn rates(self, before: Done) -> (f64, f64) {
        let seconds = (self.at - before.at).as_secs_f64();
        ((self.rows - before.rows) as f64 / seconds, (self.facts - before.facts) as f64 / seconds)
    }
}

fn alone(server: &Postgres) -> Result<(), Box<dyn Error>> {
    let orders = number("ORDERS", 200_000);
    let folder = tempfile::tempdir()?;
    let (mut engine, mut dice) = (Journalled::start(folder.path(), SIZE), Dice(3));
    for n in 1..=orders {
        tell(&mut engine.cell, order(&mut dice, SIZE));
        if n % GROUP == 0 {
            engine.settle();
        }
    }
    let control = engine.control.clone();
    let facts = engine.stop();
    let url = server.create_database()?;
    let persister = started(&url, control)?;
    let handle = persister.handle();
    let begun = Done::now(&handle);
    caught_up(&handle, facts)?;
    let ended = Done::now(&handle);
    persister.shutdown(LONG);
    let (rows, rate) = ended.rates(begun);
    let per_batch = ended.rows / ended.batches.max(1);
    report(&format!(
        "alone: {facts} facts, {} rows, {per_batch} a batch: {rows:.0} rows/s, {rate:.0} facts/s",
        ended.rows
    ));
    let copied = probe(server, &url)?;
    report(&format!("alone / probe: {:.2} (bar 0.5)", rows / copied));
    Ok(())
}

fn caught_up(handle: &PersisterHandle, facts: Lsn) -> Result<(), Box<dyn Error>> {
    if handle.wait_for(facts, LONG) { Ok(()) } else { Err("the persister does not follow".into()) }
}

/// Copies what the tables hold into empty ones like them; gives the rows a second.
fn probe(server: &Postgres, url: &str) -> Result<f64, Box<dyn Error>> {
    let folder = server.folder();
    let (mut rows, mut seconds) = (0, 0.0);
    for table in TABLES {
        let file = folder.join(format!("{table}.copy")).display().to_string();
        server.execute(url, &format!("CREATE TABLE probe_{table} (LIKE {table} INCLUDING ALL)"))?;
        server.execute(url, &format!("COPY {table} TO '{file}' (FORMAT binary)"))?;
        server.execute(url, "CHECKPOINT")?;
        let began = Instant::now();
        server.execute(url, &format!("COPY probe_{table} FROM '{file}' (FORMAT binary)"))?;
        let took = began.elapsed().as_secs_f64();
        let count: u64 = server.execute(url, &format!("SELECT count(*) FROM probe_{table}"))?.trim().parse()?;
        report(&format!("probe: {table}: {count} rows, {took:.2} s, {:.0} rows/s", count as f64 / took));
        (rows, seconds) = (rows + count, seconds + took);
    }
    report(&format!("probe: {:.0} rows/s", rows as f64 / seconds));
    Ok(rows as f64 / seconds)
}

/// Trades for so long, each group when `may` says so; gives orders a second.
fn trade(engine: &mut Journalled, dice: &mut Dice, long: Duration, mut may: impl FnMut(&Journalled) -> bool) -> f64 {
    let (began, mut orders) = (Instant::now(), 0);
    while began.elapsed() < long {
        if engine.cell.journal().pending_bytes() > WAITING || !may(engine) {
            std::thread::sleep(Duration::from_micros(100));
            continue;
        }
        (0..GROUP).for_each(|_| tell(&mut engine.cell, order(dice, SIZE)));
        engine.work();
        orders += GROUP;
    }
    orders as f64 / began.elapsed().as_secs_f64()
}

fn beside(server: &Postgres) -> Result<(), Box<dyn Error>> {
    let long = Duration::from_secs(number("SECONDS", 20));
    let folder = tempfile::tempdir()?;
    let (mut engine, mut dice) = (Journalled::start(folder.path(), SIZE), Dice(4));
    let without = trade(&mut engine, &mut dice, long / 4, |_| true);
    let persister = started(&server.create_database()?, engine.control.clone())?;
    let handle = persister.handle();
    let begun = Done::now(&handle);
    let behind = trade(&mut engine, &mut dice, long / 4, |_| true);
    let (rows, facts) = Done::now(&handle).rates(begun);
    report(&format!(
        "beside: {without:.0} orders/s without a persister, {behind:.0} ({:.2}) while it falls behind at {rows:.0} rows/s, \
         {facts:.0} facts/s",
        behind / without
    ));
    engine.settle();
    caught_up(&handle, engine.cell.world().lsn())?;
    let begun = Done::now(&handle);
    let pace =
        trade(&mut engine, &mut dice, long, |engine| engine.cell.world().lsn().0 < handle.persisted().0 + KEPT_UP);
    let (rows, facts) = Done::now(&handle).rates(begun);
    report(&format!(
        "beside: kept up for {long:.0?} with {pace:.0} orders/s: {rows:.0} rows/s (bar 60,000), {facts:.0} facts/s, never more \
         than {KEPT_UP} facts behind"
    ));
    engine.stop();
    persister.shutdown(LONG);
    Ok(())
}
