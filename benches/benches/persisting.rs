//! Rows a second into Postgres: the real persister and projection, every ledger row, against a raw COPY of the same rows.
//!
//! A journal of orders is written first; then the persister follows it into a private server. The probe lets the server
//! itself read what the tables then hold, in the binary form, into empty tables with the same indexes: no client, no
//! transaction but one a table. `ORDERS` is the number of orders.

use std::{
    env,
    error::Error,
    sync::Arc,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use xng_benches::{Dice, busy_cell, order, tell};
use xng_core::journal::{Journal, Lsn};
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
    let seconds = persist(&url, control, facts)?;
    let rows = probe(&server, &url)?;
    println!("  persisting / probe: {:.2}", rows.0 as f64 / seconds / rows.1);
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
