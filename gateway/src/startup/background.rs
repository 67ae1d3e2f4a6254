//! What runs beside the HTTP server: seeding, the feed, the house.
//!
//! Owns: the thread on which feed and house live. Never does: serve a call. Invariants: the public address opens
//! after everything is listed. Known limits: a feed that cannot be prepared ends the start.

use crate::app::Shared;
use crate::common::critical_task;
use crate::custody::{payer, reader, reserve};
use crate::feed::splits;
use crate::feed::start::Feeds;
use crate::market_maker::House;
use crate::startup::exchange::Exchange;
use crate::startup::seed::{self, SeedError};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use xng_runtime::{Admission, Client};

/// Commands of the house in flight; credits of its own, so that a flood of orders does not stop its quotes.
const IN_FLIGHT: u32 = 1_024;

/// Seeds the exchange, then starts feed and house on a thread of their own. Returns when everything is listed.
pub fn start(exchange: &Exchange) -> Result<(), String> {
    let (shared, cell) = (exchange.shared.clone(), exchange.cell.clone());
    let (ready_tx, ready) = crossbeam::channel::bounded(1);
    let run = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return drop(ready_tx.send(Err(error.to_string()))),
        };
        tokio::task::LocalSet::new().block_on(&runtime, async move {
            let (events, _) = mpsc::unbounded_channel();
            let client = Client::start(&cell, &Admission::new(IN_FLIGHT, IN_FLIGHT), events);
            let fresh = shared.listed().markets.is_empty();
            let listed = match seed::seed(&client, &shared).await {
                Ok(()) => wait_until_listed(&shared).await,
                // Everything is as it was: cancels, reads, and what makes room (store, snapshots) must go on.
                Err(SeedError::NoRoom) if !fresh => {
                    tracing::warn!("the journal has no room: what the settings list anew waits for the next start");
                    Ok(())
                }
                Err(SeedError::NoRoom) => {
                    Err("the journal has no room to begin: see journal.min_free_mib and journal.max_mib".to_owned())
                }
                Err(SeedError::Wrong(error)) => Err(error),
            };
            shared.operators.serve(client.clone());
            if let Err(failure) = shared.auth.move_locks(&client).await {
                tracing::error!(?failure, "locks of an earlier release are tried again at the next start");
            }
            let feeds = match listed {
                Ok(()) => prepared(&shared).await.map_err(|error| format!("feed: {error}")),
                Err(error) => Err(error),
            };
            match feeds {
                Ok(feeds) => {
                    drop(ready_tx.send(Ok(())));
                    follow(shared, client, feeds).await;
                }
                Err(error) => drop(ready_tx.send(Err(error))),
            }
        });
    };
    critical_task::spawn("house", run).map_err(|e| e.to_string())?;
    ready.recv().unwrap_or_else(|_| Err("the house's thread ended".into()))?;
    let chains = &exchange.shared.config.chain;
    reader::start(chains, &exchange.shared.chains, &exchange.cell)?;
    reserve::start(chains, &exchange.shared.chains, &exchange.shared.statements, &exchange.cell)?;
    payer::start(chains, &exchange.shared.chains, &exchange.cell)
}

async fn prepared(shared: &Shared) -> Result<Feeds, String> {
    let splits = splits::of_stocks_with_bars(shared).await?;
    Feeds::prepare(shared, &splits).map_err(|error| error.to_string())
}

/// The market view follows the journal: what was just listed is there in a moment.
async fn wait_until_listed(shared: &Shared) -> Result<(), String> {
    let wanted = shared.catalog.seeds().market.len();
    for _ in 0..600 {
        let listed = shared.listed().markets.len();
        if listed >= wanted && shared.boards.all().len() >= wanted {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("the market view does not follow".into())
}

async fn follow(shared: Arc<Shared>, client: Client, feeds: Feeds) {
    let feed = feeds.start(&shared);
    let house = House::new(shared.clone(), client, &shared.config.house);
    let mut working = JoinSet::new();
    working.spawn_local(house.run(feed));
    match working.join_next().await {
        Some(Ok(())) if shared.health.draining.load(Ordering::Relaxed) => {}
        ended => critical_task::stop("house", &format!("{ended:?}")),
    }
}
