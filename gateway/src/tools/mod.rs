//! The operator's tools: subcommands of the `exchange` binary that work on the data folder.
//!
//! Owns: what they have in common: where things lie, how they end.
//! Never does: write into a data folder that is in use; wait for a running server.
//! Invariants: beside a running server a tool takes no lock and reads only what is durable; while none runs it holds the
//! journal's lock, so that none starts under it. Exit codes: 0 all is well, 1 something is damaged or differs, 2 the tool
//! could not do its work.
//! Known limits: what is read while a server runs may be older than what it acknowledges meanwhile.

mod audit;
mod backup;
mod journal;
mod manifest;
mod ops_port;
mod render;
mod replay;
mod restore;
mod rows;
mod stored;
mod trace;

pub(crate) use render::{entity as entity_name, line as record_line};

use crate::cell::{CELL, PlainWorld};
use crate::config::Config;
use crate::folding::{FoldingError, fold_to};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use xng_cell::recovery::Saved;
use xng_cell::{FoldError, World};
use xng_core::journal::Lsn;
use xng_persistence::journal::survey::Survey;
use xng_persistence::journal::{JournalError, RealStorage};
use xng_persistence::office::OfficeError;
use xng_persistence::snapshot::{Snapshot, SnapshotError, SnapshotStore};
use xng_persistence::store::StoreError;

/// What can be done besides serving.
#[derive(Debug, clap::Subcommand)]
pub enum Tool {
    /// Look at the journal. Reads only; may run beside the server and then sees what is durable
    #[command(subcommand)]
    Journal(journal::Look),
    /// Rebuild one user's whole history from the journal, and compare it with the store
    ///
    /// Reads only. Beside a running server the history is shown up to what is durable and the store, which moves, is not
    /// compared.
    Replay(replay::Replay),
    /// Ask the running server whether it is ready (`/readyz`); ends with 1 when it is not, or none answers
    Ready,
    /// Follow one order: its facts, its rows in the store and, while the server runs that took it, the time of each stage
    Trace(trace::Trace),
    /// Fold the whole journal with a plain ledger and with the engine; compare both, the snapshots and the store
    ///
    /// Reads only. Beside a running server the store, which moves, is not compared. Ends with 1 on any difference.
    Audit(audit::Audit),
    /// Copy everything that cannot be rebuilt into an empty folder; may run beside the server
    Backup(backup::Backup),
    /// Make a data folder of a backup; the settings' data folder must be empty or not there
    Restore(restore::Restore),
}

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
    fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ToolError {
        let path = path.to_owned();
        move |source| ToolError::File { action, path, source }
    }

    /// Something is wrong with what was looked at, not with the looking.
    fn is_finding(&self) -> bool {
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

/// Runs a tool; what it has to say goes to `out`, what stops it to `errors`.
pub fn run(tool: &Tool, config: &Config, settings: &Path, out: &mut dyn Write, errors: &mut dyn Write) -> ExitCode {
    let done = match tool {
        Tool::Journal(look) => look.run(config, out),
        Tool::Replay(replay) => replay.run(config, out),
        Tool::Ready => ops_port::ready(config, out),
        Tool::Trace(trace) => trace.run(config, out),
        Tool::Audit(audit) => audit.run(config, out),
        Tool::Backup(backup) => backup.run(config, settings, out),
        Tool::Restore(restore) => restore.run(config, out),
    };
    let told = match &done {
        Ok(()) => Ok(()),
        Err(error) if error.is_finding() => writeln!(errors, "WRONG: {error}"),
        Err(error) => writeln!(errors, "error: {error}"),
    };
    match done.and(told.map_err(ToolError::Output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_finding() => ExitCode::from(1),
        Err(_) => ExitCode::from(2),
    }
}

/// The journal of a data folder.
fn survey(data: &Path) -> Result<Survey, ToolError> {
    let folder = data.join("journal");
    if !folder.is_dir() {
        return Err(ToolError::Refused(format!("there is no journal in {}", folder.display())));
    }
    let storage = RealStorage::open(&folder).map_err(ToolError::file("open", &folder))?;
    Ok(Survey::open(Arc::new(storage), CELL)?)
}

/// The snapshots of a data folder.
fn snapshots(data: &Path) -> Result<SnapshotStore, ToolError> {
    let storage = RealStorage::open(data).map_err(ToolError::file("open", data))?;
    Ok(SnapshotStore::new(Arc::new(storage), CELL))
}

/// The state in a snapshot.
fn restored(snapshot: &Snapshot) -> Result<PlainWorld, ToolError> {
    let (lsn, digest, entries) = (snapshot.lsn(), snapshot.digest(), snapshot.entries());
    World::restore(Saved { lsn, digest, entries })
        .map_err(|error| ToolError::Found(format!("the snapshot at {lsn} does not load: {error}")))
}

/// Folds a world on to `last`.
fn fold_on(world: &mut PlainWorld, survey: &Survey, last: Lsn) -> Result<(), ToolError> {
    let reader = survey.reader(world.lsn().next())?;
    fold_to(world, reader, last, |_| {}).map_err(|error| match error {
        FoldingError::Journal(error) => ToolError::Journal(error),
        FoldingError::Thread(_) => ToolError::Refused(error.to_string()),
        FoldingError::Fold { .. } => ToolError::Found(error.to_string()),
    })
}

/// A runtime for the databases.
fn runtime() -> Result<tokio::runtime::Runtime, ToolError> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| ToolError::Refused(format!("no runtime: {error}")))
}
