//! The journal, snapshots, the archive and the SQL store.
//!
//! - [`journal`]: makes a cell's records durable, and reads them back.
//! - [`snapshot`]: the whole state at one LSN, so that recovery folds only later records.
//! - [`store`]: the journal as SQL rows, and the persister that keeps them up to date.
//! - [`ticks`]: every tick of every index in files of hours, with hashes and signed roots.
//! - [`redis`]: the connection to a server that may be away; it holds only data that can be rebuilt.
//! - [`office`]: users, sessions, codes, watchlists and the audit log in ordinary SQL.
//!
//! Owns: every file and table of an exchange. Never does: decide; change a fact. Invariants: the journal alone is the source
//! of trading data, the office database that of users. Known limits: those of each part.
//!
//! Starting a cell's journal:
//!
//! ```no_run
//! use std::{sync::Arc, time::Duration};
//! use xng_core::journal::{Batch, Journal, Lsn};
//! use xng_persistence::journal::{Hooks, Options, RealStorage, Started, recover};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let storage = Arc::new(RealStorage::open("data/journal")?);
//! let snapshot_lsn = Lsn(0); // the newest valid snapshot, or 0
//! let recovered = recover(storage, Options::new(0), snapshot_lsn)?;
//!
//! // Replay from the snapshot to the end.
//! let last = recovered.summary().last;
//! let mut reader = recovered.reader(snapshot_lsn.next())?;
//! while let Some(batch) = reader.next_batch(last)? {
//!     for (_lsn, _bytes) in batch.records() { /* decode and evolve */ }
//! }
//!
//! // Then write. The hook is called after each sync; the cell parks on it.
//! let Started { mut handle, control, writer } = recovered.start(Hooks::new(|_durable| ()))?;
//! let mut batch = Batch::default();
//! batch.push(handle.last().next(), |out| out.extend_from_slice(b"a fact"));
//! handle.append(&mut batch);
//! assert!(control.wait_for(handle.last(), Duration::from_secs(1)));
//!
//! // Views subscribe; whoever may lag follows; a snapshot and the cursors release segments.
//! let _live = control.subscribe();
//! let _lagging = control.follower(Lsn(1))?;
//! control.release_up_to(snapshot_lsn);
//! writer.shutdown();
//! # Ok(()) }
//! ```
//!
//! The floor given to `recover` is the highest LSN that anybody outside knows to be durable: the newest snapshot's, the
//! store's checkpoint's, the cursors'. Segments are released up to the lowest one that is still needed: the *older* of
//! the two snapshots (what it needs is in the archive otherwise), `PersisterHandle::persisted`, the cursors.
//!
//! Opening the databases and starting the persister:
//!
//! ```no_run
//! use std::{path::Path, time::Duration};
//! use xng_persistence::{
//!     journal::JournalControl,
//!     office::Office,
//!     store::{self, Persister, PersisterOptions, StoreUrl},
//! };
//!
//! # async fn example(control: JournalControl, epoch: u32) -> Result<(), Box<dyn std::error::Error>> {
//! // Or `postgres://…`, which need not be there yet.
//! let store = store::open(&StoreUrl::parse("sqlite:data/store.db")?).await?;
//! let _office = Office::open(Path::new("data/office.db")).await?;
//! // The epoch is the recovered journal's; the hook is called when the persister cannot go on.
//! let persister = Persister::start(store, control, 0, epoch, PersisterOptions::default(), |_error| ())?;
//! let _lag = persister.handle().lag_records();
//! persister.shutdown(Duration::from_secs(30));
//! # Ok(()) }
//! ```

#[cfg(test)]
mod eventually;
pub mod journal;
mod migrations;
pub mod office;
mod postgres;
pub mod redis;
pub mod ring;
#[cfg(any(test, feature = "test-support"))]
pub mod services;
pub mod snapshot;
mod sqlite;
pub mod store;
pub mod ticks;

/// How often property tests draw: PROPTEST_CASES makes them long.
#[cfg(test)]
fn proptest_cases(few: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(few)
}
