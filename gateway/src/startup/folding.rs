//! Folds a journal's tail, at a start and in the operator's tools: the calling thread folds the accounts, and one ahead of
//! it reads, decodes and folds all other kinds.
//!
//! Owns: that thread, for as long as it takes. Never does: skip a record.
//! Invariants: what comes out is the same as with [`World::fold_batch`] on every block in turn; an error names the
//! segment that it is in, and what was read ahead of it is let go.
//! Known limits: [`GROUPS`] groups of decoded records wait at most, some megabytes.

use crossbeam::channel::{Receiver, Sender, bounded};
use std::thread;
use thiserror::Error;
use xng_cell::world::{Decoded, Others};
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
    let (ahead, groups) = bounded(GROUPS);
    let (back, used) = bounded(GROUPS);
    let mut others = world.split_off();
    let result = thread::scope(|scope| {
        let ahead = Ahead { reader, upto, others: &mut others, groups: ahead, used };
        thread::Builder::new().name("folding".to_owned()).spawn_scoped(scope, || ahead.run())?;
        // The thread ahead ends when its groups are no longer wanted.
        for group in groups {
            let Group { file, decoded } = group?;
            world.fold_accounts(&decoded).map_err(|error| FoldingError::Fold { file, error })?;
            folded(world.lsn());
            // Who made them lets them go: this thread is the one that is waited for.
            let _ = back.try_send(decoded);
        }
        Ok(())
    });
    world.join(others);
    result
}

/// The thread ahead: reads, decodes, and folds all but the accounts.
struct Ahead<'a, H: Hosting> {
    reader: Reader,
    upto: Lsn,
    others: &'a mut Others<H>,
    groups: Sender<Result<Group, JournalError>>,
    /// Comes back from whoever folded it.
    used: Receiver<Decoded>,
}

impl<H: Hosting> Ahead<'_, H> {
    fn run(mut self) {
        let mut group: Option<Group> = None;
        loop {
            let batch = match self.reader.next_batch(self.upto) {
                Ok(Some(batch)) => batch,
                last => {
                    if let (Err(error), true) = (last, self.hand_over(group)) {
                        let _ = self.groups.send(Err(error));
                    }
                    return;
                }
            };
            let full = group.take_if(|g| g.decoded.len() >= GROUP || g.file != self.reader.file());
            if !self.hand_over(full) {
                return;
            }
            group.get_or_insert_with(|| self.begin()).decoded.add(&batch);
        }
    }

    fn begin(&self) -> Group {
        let mut decoded = self.used.try_recv().unwrap_or_default();
        decoded.clear();
        Group { file: self.reader.file().to_owned(), decoded }
    }

    /// False when it is no longer wanted: whoever folds stopped early.
    fn hand_over(&mut self, group: Option<Group>) -> bool {
        group.is_none_or(|mut group| {
            self.others.fold(&mut group.decoded);
            self.groups.send(Ok(group)).is_ok()
        })
    }
}
