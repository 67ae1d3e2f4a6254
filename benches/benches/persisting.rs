//! Rows a second into Postgres: the real persister and projection, every ledger row, against a raw COPY of the same rows.
//!
//! A journal of orders is written first; then the persister follows it into a private server. The probe lets the server
//! itself read what the tables then hold, in the binary form, into empty tables with the same indexes: no client, no
//! transaction but one a table. `ORDERS` is the number of orders.

#![allow(clippy::print_stdout)]

use std::{
    env,
    error::Error,
    sync::Arc,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use xng_benches::{Dice, busy_cell, order, tell};
use xng_core::journal::Lsn;
use xng_persistence::{
    journal::{Hooks, JournalControl, Options, RealStorage, Started, recover},
    services::Postgres,
    store::{Persister, PersisterOptions, StoreUrl, open},
};

const LONG: Duration = Duration::from_secs(600);
/// Tables of the projection that grow with the orders.
const TABLES: [&str; 4] = ["ledger", "fills", "orders", "balances"];

fn main() -> Result<(), Box<dyn Error>> {
    let orders: u64 = env::var("ORDERS").ok().and_then(|n| n.parse().ok()).unwrap_or(200_000);
    let folder = tempfile::tempdir()?;
    let (control, facts) = journal_of(orders, folder.path())?;
    let server = Postgres::start()?;
    let url = server.create_database()?;
    let persisted = persist(&url, control, facts)?;
    let copied = probe(&server, &url)?;
    println!("  persisting / probe: {:.2}", persisted / copied);
    Ok(())
}

/// Lets a cell take so many orders; gives the journal that it wrote and how many facts are in it.
fn journal_of(orders: u64, folder: &std::path::Path) -> Result<(JournalControl, u64), Box<dyn Error>> {
    let storage = Arc::new(RealStorage::open(folder)?);
    let recovered = recover(storage, Options::new(0), Lsn::ZERO)?;
    let Started { handle, control, writer } = recovered.start(Hooks::new(|_| ()))?;
    let (mut cell, mut dice) = (busy_cell(handle), Dice(3));
    for n in 1..=orders {
        tell(&mut cell, order(&mut dice));
        if n % 256 == 0 || n == orders {
            while cell.turn(|_, _| {}) {}
        }
    }
    drop(cell);
    writer.shutdown();
    let facts = control.durable().0;
    Ok((control, facts))
}

/// Follows the journal into the store; gives the rows a second.
fn persist(url: &str, control: JournalControl, facts: u64) -> Result<f64, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let store = runtime.block_on(open(&StoreUrl::parse(url)?))?;
    // Migrated before the clock runs.
    runtime.block_on(store.markets())?;
    let began = Instant::now();
    let fatal = |error: &_| println!("  the persister stopped: {error}");
    let persister = Persister::start(store, control, 0, 1, PersisterOptions::default(), fatal)?;
    let handle = persister.handle();
    if !handle.wait_for(Lsn(facts), LONG) {
        return Err("the persister does not follow".into());
    }
    let seconds = began.elapsed().as_secs_f64();
    let metrics = handle.metrics();
    let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    let (rows, batches) = (count(&metrics.rows), count(&metrics.batches));
    let rate = |n: u64| n as f64 / seconds;
    println!("  persisting: {facts} facts, {rows} rows in {batches} batches, {seconds:.2} s");
    println!("  persisting: {:.0} rows/s, {:.0} facts/s", rate(rows), rate(facts));
    persister.shutdown(LONG);
    Ok(rate(rows))
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
        println!("  probe: {table}: {count} rows, {took:.2} s, {:.0} rows/s", count as f64 / took);
        (rows, seconds) = (rows + count, seconds + took);
    }
    println!("  probe: {:.0} rows/s", rows as f64 / seconds);
    Ok(rows as f64 / seconds)
}
