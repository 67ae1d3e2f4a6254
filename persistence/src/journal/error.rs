//! What can go wrong with a journal.
//!
//! Owns: the error type of every journal operation.
//! Never does: decide what is fatal; the writer and the caller do.
//! Invariants: whatever concerns bytes names the file and the byte.
//! Known limits: none.

use std::io;

use xng_core::journal::Lsn;

/// A fault of the journal. None of them is a business outcome.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The operating system refused an operation.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file or directory.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// Another process (or another part of this one) has the journal open.
    #[error("the journal is already open elsewhere: {path} is locked")]
    Locked {
        /// The lock file.
        path: String,
    },
    /// Bytes are not what was written. A torn tail is not reported this way: see `recover`.
    #[error("{file}, byte {byte}: {what}")]
    Corrupt {
        /// The damaged file.
        file: String,
        /// Offset of the first byte of the damaged header or block.
        byte: u64,
        /// What is wrong and what gives it away.
        what: String,
    },
    /// The file was written by a release whose format this one cannot read.
    #[error("{file} needs a reader of format {needed}, this one reads format {ours}")]
    Version {
        /// The file.
        file: String,
        /// The minimum reader version in its header.
        needed: u32,
        /// The version of this reader.
        ours: u32,
    },
    /// The directory belongs to another cell.
    #[error("{file} belongs to cell {found}, this is cell {ours}")]
    WrongCell {
        /// The file.
        file: String,
        /// The cell named in its header.
        found: u32,
        /// The cell that was asked for.
        ours: u32,
    },
    /// The journal ends before something that was acknowledged.
    #[error("{file}, byte {byte}: the journal ends at {end}, but {floor} is known to be durable; files are missing")]
    TooShort {
        /// The last segment.
        file: String,
        /// Where it ends.
        byte: u64,
        /// The last LSN found.
        end: Lsn,
        /// The highest LSN that a snapshot, the store or a follower has seen.
        floor: Lsn,
    },
    /// A reader asked for records that are neither in the live segments nor in the archive.
    #[error("record {wanted} is gone: the oldest one kept is {oldest}")]
    Gone {
        /// The record asked for.
        wanted: Lsn,
        /// The first one that can be read.
        oldest: Lsn,
    },
    /// A record does not fit into a segment.
    #[error("record {lsn} has {bytes} bytes, a segment holds {limit}")]
    TooLarge {
        /// The record.
        lsn: Lsn,
        /// Its size with its length prefix.
        bytes: usize,
        /// The most that one block can carry.
        limit: usize,
    },
    /// The writer's thread panicked; a bug.
    #[error("the journal's thread panicked: {0}")]
    Panicked(String),
}

impl JournalError {
    /// Wraps an I/O error with what was attempted and where.
    pub(crate) fn io(action: &'static str, path: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// True when the cause is a full disk or an exhausted quota, which is worth waiting out.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        let Self::Io { source, .. } = self else { return false };
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }
}
