//! Folds a journal's tail, at a start and in the operator's tools: one thread reads and decodes ahead of the one that
//! folds.
//!
//! Owns: that thread, for as long as it takes. Never does: skip a record.
//! Invariants: what comes out is the same as with [`World::fold_batch`] on every block in turn; an error names the
//! segment that it is in, and what was read ahead of it is let go.
//! Known limits: [`GROUPS`] groups of decoded records wait at most, some megabytes.

use std::thread;
use thiserror::Error;
use xng_cell::world::Decoded;
use xng_cell::{FoldError, Hosting, World};
use xng_core::journal::Lsn;
use xng_persistence::journal::{JournalError, Reader};

/// Records that are handed over at once: enough that the handing over costs nothing.
const GROUP: usize = 2_048;
/// Groups that wait at most.
const GROUPS: usize = 4;

/// Why a tail does not fold.
#[derive(Debug, Error)]
pub enum FoldingError {
    /// The journal does not read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There is no thread to be had.
    #[error("no thread to read with: {0}")]
    Thread(#[from] std::io::Error),
    /// It reads and does not fold.
    #[error("{file}: {error}")]
    Fold {
        /// The segment.
        file: String,
        /// Why.
        error: FoldError,
    },
}

/// Records of one segment.
struct Group {
    file: String,
    decoded: Decoded,
}

/// Folds what `reader` reads, up to `upto`; `folded` is told the position now and then.
///
/// # Errors
/// See [`FoldingError`]; the world is then somewhere in between.
pub fn fold_to<H: Hosting>(
    world: &mut World<H>,
    reader: Reader,
    upto: Lsn,
    mut folded: impl FnMut(Lsn),
) -> Result<(), FoldingError> {
    let (ahead, groups) = crossbeam::channel::bounded(GROUPS);
    thread::scope(|scope| {
        thread::Builder::new().name("decoding".to_owned()).spawn_scoped(scope, move || read(reader, upto, &ahead))?;
        // The reading thread ends when its groups are no longer wanted.
        for group in groups {
            let Group { file, decoded } = group?;
            world.fold_decoded(decoded).map_err(|error| FoldingError::Fold { file, error })?;
            folded(world.lsn());
        }
        Ok(())
    })
}

fn read(mut reader: Reader, upto: Lsn, ahead: &crossbeam::channel::Sender<Result<Group, JournalError>>) {
    let mut group: Option<Group> = None;
    loop {
        let batch = match reader.next_batch(upto) {
            Ok(Some(batch)) => batch,
            last => {
                // Whoever folds stopped early if it takes no more.
                let whole = group.is_none_or(|group| ahead.send(Ok(group)).is_ok());
                if let (Err(error), true) = (last, whole) {
                    let _ = ahead.send(Err(error));
                }
                return;
            }
        };
        if group.as_ref().is_some_and(|g| g.decoded.records.len() >= GROUP || g.file != reader.file())
            && group.take().is_some_and(|group| ahead.send(Ok(group)).is_err())
        {
            return;
        }
        let group = group.get_or_insert_with(|| Group { file: reader.file().to_owned(), decoded: Decoded::default() });
        group.decoded.add(&batch);
    }
}
