//! What lies in a data folder: its journal, its snapshots, the state that they give.
//!
//! Owns: where tools look. Never does: write. Invariants: what does not load or fold is a finding. Known limits: none.

use super::error::ToolError;
use crate::startup::cell::{CELL, PlainWorld};
use crate::startup::folding::{FoldingError, fold_to};
use std::path::Path;
use std::sync::Arc;
use xng_cell::World;
use xng_cell::recovery::Saved;
use xng_core::journal::Lsn;
use xng_persistence::journal::RealStorage;
use xng_persistence::journal::survey::Survey;
use xng_persistence::snapshot::{Snapshot, SnapshotStore};

/// The journal of a data folder.
pub(super) fn survey(data: &Path) -> Result<Survey, ToolError> {
    let folder = data.join("journal");
    if !folder.is_dir() {
        return Err(ToolError::Refused(format!("there is no journal in {}", folder.display())));
    }
    let storage = RealStorage::open(&folder).map_err(ToolError::file("open", &folder))?;
    Ok(Survey::open(Arc::new(storage), CELL)?)
}

/// The snapshots of a data folder.
pub(super) fn snapshots(data: &Path) -> Result<SnapshotStore, ToolError> {
    let storage = RealStorage::open(data).map_err(ToolError::file("open", data))?;
    Ok(SnapshotStore::new(Arc::new(storage), CELL))
}

/// The state in a snapshot.
pub(super) fn restored(snapshot: &Snapshot) -> Result<PlainWorld, ToolError> {
    let (lsn, digest, entries) = (snapshot.lsn(), snapshot.digest(), snapshot.entries());
    World::restore(Saved { lsn, digest, entries })
        .map_err(|error| ToolError::Found(format!("the snapshot at {lsn} does not load: {error}")))
}

/// Folds a world on to `last`.
pub(super) fn fold_on(world: &mut PlainWorld, survey: &Survey, last: Lsn) -> Result<(), ToolError> {
    let reader = survey.reader(world.lsn().next())?;
    fold_to(world, reader, last, |_| {}).map_err(|error| match error {
        FoldingError::Journal(error) => ToolError::Journal(error),
        FoldingError::Thread(_) => ToolError::Refused(error.to_string()),
        FoldingError::Fold { .. } => ToolError::Found(error.to_string()),
    })
}

/// A runtime for the databases.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, ToolError> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| ToolError::Refused(format!("no runtime: {error}")))
}
