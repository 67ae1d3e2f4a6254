//! The journal of one cell: the append-only, checksummed, fsynced sequence of records, in files.
//!
//! Owns: the order of records on disk, the durable LSN, the rules of recovery.
//! Never does: look inside a record; skip a corrupt one; go on after a failed write or sync.
//! Invariants: a record whose LSN was reported durable survives any crash; recovery returns a prefix of the appended
//! records; at most one block, the last, is ever truncated.
//! Known limits: one writer thread and one device per cell; a record is smaller than a segment.
//!
//! ```text
//! <directory>/LOCK                        held by the process that writes
//!             seg-000000000041            live segments, oldest first …
//!             seg-000000000042            … the last one is being written
//!             spare-000000000007          full length, written ahead, renamed to seg-… when needed and back later
//!             archive/seg-000000000040.zst
//!
//! segment  ┌ 4 KiB header ───────────────────────────────────────────────────────────────────────────────┐
//!          │ magic 8 · version 4 · min reader 4 · cell 4 · epoch 4 · number 8 · first LSN 8 · salt 8 ·   │
//!          │ previous segment's chain hash 8 · segment bytes 8 · zeros · crc32c 4                        │
//!          ├ block ─┬ block ─┬ block ─┬ unused: zeros, or bytes of an earlier use under another salt ────┤
//!          └────────┴────────┴────────┴──────────────────────────────────────────────────────────────────┘
//! block    crc32c(salt, all that follows) 4 · magic 4 · len 4 · count 4 · first LSN 8 · previous chain hash 8 ·
//!          durable through 8 · epoch 4 · kind 4 · records · zeros up to a multiple of 512
//! record   len 4 · bytes (the journal's users define them: `xng_core::record`)
//! kind     0 data · 1 seal (the journal went idle or stopped) · 2 open (a start of the journal; begins an epoch)
//! ```
//!
//! **The torn-tail rule** (`recover`). The first place where no intact block is ends the journal, when it is in the last
//! segment, when no intact block lies anywhere after it, and when every LSN known to be durable (from the blocks, and the
//! caller's floor: snapshot, store checkpoint, cursors) lies before it. Anything else is corruption: the journal refuses
//! to open and names file and byte.
//!
//! **Who does what.** [`recover`] reads; [`Recovered::reader`] feeds replay; [`Recovered::start`] begins the epoch and
//! the threads: the writer ([`JournalHandle`] is its end in the cell, [`JournalControl`] everybody else's) and the keeper
//! (archives and recycles released segments, keeps spares).

mod appender;
mod archive;
mod error;
#[cfg(any(test, feature = "test-support"))]
pub mod fake_disk;
pub mod format;
mod free_space;
mod handle;
#[cfg(any(test, feature = "test-support"))]
pub mod manual;
mod metrics;
mod options;
mod reader;
mod recover;
mod recycle;
mod segment;
mod spares;
pub mod storage;
pub mod survey;
#[cfg(test)]
mod tests;
mod writer;

pub use error::JournalError;
pub use free_space::Shortage;
pub use handle::{JournalControl, JournalHandle, Subscription};
pub use metrics::{FSYNC_BOUNDS_MICROS, GROUP_BOUNDS, Group, JournalMetrics};
pub use options::{Options, Salts};
pub use reader::{Follower, Reader};
pub use recover::{Cut, Held, Recovered, Summary, hold, recover};
pub use storage::{RealStorage, Storage, StorageFile};
pub use writer::{Hooks, JournalWriter, Started};
pub use xng_core::journal::Capacity;
