//! Recovery: a saved state, then the journal's tail. Needs no store.
//!
//! Owns: the fold of a saved state and the records behind it into a world. Never does: I/O; the caller supplies entries and
//! batches, and tries the previous state when one is unusable. Invariants: the result is a function of the journal alone; a
//! saved state only makes recovery faster. Known limits: the whole state is in memory.

use crate::hosting::Hosting;
use crate::world::{Decoded, FoldError, World};
use std::fmt::Display;
use thiserror::Error;
use xng_core::journal::{Batch, Lsn};

/// A saved state as a snapshot store gives it: the entries are those of [`World::save`].
#[derive(Debug)]
pub struct Saved<I> {
    /// Its position.
    pub lsn: Lsn,
    /// The state hash that it must have.
    pub digest: u64,
    /// Its entries, or why they cannot be read.
    pub entries: I,
}

/// Why a saved state is of no use.
#[derive(Debug, Error)]
pub enum Unusable<E: Display> {
    /// It cannot be read.
    #[error("{0}")]
    Read(E),
    /// It reads and is no state, or not the one that it should be.
    #[error("{0}")]
    Load(FoldError),
}

impl<H: Hosting> World<H> {
    /// Reads one saved state.
    pub fn restore<I, E>(saved: Saved<I>) -> Result<World<H>, Unusable<E>>
    where
        I: Iterator<Item = Result<(Vec<u8>, Vec<u8>), E>>,
        E: Display,
    {
        let mut failed = None;
        let entries = saved.entries.map_while(|entry| entry.map_err(|error| failed = Some(error)).ok());
        let world = World::load(entries, saved.lsn, saved.digest);
        match failed {
            Some(error) => Err(Unusable::Read(error)),
            None => world.map_err(Unusable::Load),
        }
    }

    /// Folds a batch of records.
    pub fn fold_batch(&mut self, batch: &Batch) -> Result<(), FoldError> {
        let mut decoded = Decoded::default();
        decoded.add(batch);
        self.fold_decoded(&decoded)
    }
}
