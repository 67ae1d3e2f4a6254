//! Why a tool ends without a good word.
//!
//! Owns: the list of reasons, and which of them are findings. Never does: handle one. Invariants: each says what to do, or what is
//! missing. Known limits: none.

use std::path::{Path, PathBuf};
use xng_cell::FoldError;
use xng_persistence::journal::JournalError;
use xng_persistence::office::OfficeError;
use xng_persistence::snapshot::SnapshotError;
use xng_persistence::store::StoreError;

/// Why a tool ends without a good word.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// Something is damaged, or two things that must be the same differ.
    #[error("{0}")]
    Found(String),
    /// The tool cannot work with what it was given.
    #[error("{0}")]
    Refused(String),
    /// The journal: damage, or it cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The snapshots.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The office.
    #[error(transparent)]
    Office(#[from] OfficeError),
    /// A file.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Nobody reads what is written.
    #[error("cannot write the answer: {0}")]
    Output(#[from] std::io::Error),
}

impl From<FoldError> for ToolError {
    fn from(error: FoldError) -> ToolError {
        ToolError::Found(error.to_string())
    }
}

impl ToolError {
    /// Wraps an error of the operating system.
    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ToolError {
        let path = path.to_owned();
        move |source| ToolError::File { action, path, source }
    }

    /// Something is wrong with what was looked at, not with the looking.
    pub(super) fn is_finding(&self) -> bool {
        match self {
            ToolError::Found(_) | ToolError::Snapshot(SnapshotError::Damaged { .. }) => true,
            ToolError::Journal(error) => matches!(error, JournalError::Corrupt { .. } | JournalError::TooShort { .. }),
            ToolError::Refused(_)
            | ToolError::Snapshot(_)
            | ToolError::Store(_)
            | ToolError::Office(_)
            | ToolError::File { .. }
            | ToolError::Output(_) => false,
        }
    }
}
