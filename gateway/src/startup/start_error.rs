//! Why an exchange does not start, in words for its operator.
//!
//! Owns: the list of reasons. Never does: handle one. Invariants: each says what to do, or what is missing. Known limits: none.

use crate::common::time::ts;
use crate::config::ConfigError;
use crate::feed::recorded::RecordedError;
use std::path::PathBuf;
use thiserror::Error;
use xng_cell::FoldError;
use xng_core::journal::Lsn;
use xng_persistence::journal::JournalError;
use xng_persistence::office::OfficeError;
use xng_persistence::snapshot::SnapshotError;
use xng_persistence::store::{PersistError, StoreError};
use xng_runtime::clock::ClockBehind;

/// Why the exchange does not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// Settings.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// `exchange restore` did not come to its end.
    #[error("{} is there: a restore is under way or was interrupted; empty the folder and restore again", .0.display())]
    Restoring(PathBuf),
    /// The journal.
    #[error("journal: {0}")]
    Journal(#[from] JournalError),
    /// The store is of a later history than the journal, or the journal has lost files.
    #[error(
        "store: {store}: its rows go up to {at}, the journal ends at {end}: it lived through what a restored backup does \
         not know, or files of the journal are missing; after a restore give the exchange an empty database"
    )]
    StoreBeyond {
        /// The store, without what is secret.
        store: String,
        /// Where its rows end.
        at: Lsn,
        /// Where the journal ends.
        end: Lsn,
    },
    /// The snapshots.
    #[error("snapshots: {0}")]
    Snapshot(#[from] SnapshotError),
    /// The journal does not fold.
    #[error("recovery: {file}: {error}")]
    Fold {
        /// The segment that holds the record.
        file: String,
        /// What is wrong with it.
        error: FoldError,
    },
    /// A snapshot holds what only a newer release can read.
    #[error("recovery: {folder}: {error}; start the release that wrote it, or move this folder away")]
    NewerSnapshot {
        /// The snapshot.
        folder: String,
        /// What is not known.
        error: FoldError,
    },
    /// The store.
    #[error("store: {0}")]
    Store(#[from] StoreError),
    /// The persister.
    #[error("persister: {0}")]
    Persist(#[from] PersistError),
    /// The feed's recordings.
    #[error("feed: {0}")]
    Feed(#[from] RecordedError),
    /// The clock.
    #[error(
        "the clock says {} UTC, the journal's last record is from {} UTC, {} s later (a start waits for {wait_s} s at most, \
         clock.wait_s): set the clock, then start again; if the clock is right, it was ahead at an earlier start: \
         clock.start = \"last_stamp\" goes on from that record, for that one start",
        ts(behind.wall_ms.cast_signed()),
        ts(behind.last_ms.cast_signed()),
        behind.last_ms.saturating_sub(behind.wall_ms).div_ceil(1_000)
    )]
    Clock {
        /// Both times.
        behind: ClockBehind,
        /// So long a start waits.
        wait_s: u64,
    },
    /// The clock is far ahead of the last record, and nobody said that it is right.
    #[error(
        "the clock is {days:.1} days ahead of the journal's last record: set it, or start once with --accept-clock if it is \
         right"
    )]
    ClockJumped {
        /// How far.
        days: f64,
    },
    /// A folder or thread.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The office database.
    #[error("office: {0}")]
    Office(#[from] OfficeError),
    /// The threads that hash passwords.
    #[error("password hashing: {0}")]
    Hasher(String),
}
