//! What anybody can check: the archive of ticks as this process runs it, its key, proofs of options.
//!
//! - `key`: the key that signs roots.
//! - `proof`: a proof file as it is given out.
//! - `verify`: a proof file as it is checked, without a server.
//!
//! Owns: the threads that write and read the archive. Never does: decide a result. Invariants: nothing of the archive stops trading. Known
//! limits: none. Rules: `docs/rules/prices.md "Archive"`, `docs/rules/seconds.md "Proof"`.

mod key;
pub(crate) mod proof;
pub mod verify;

pub(crate) use key::FILE;

use crate::api::http::writers::{Writers, give_way};
use crate::common::critical_task;
use crate::reactors::Cursors;
use key::RootKey;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use xng_persistence::journal::JournalControl;
use xng_persistence::ticks::{Archiver, Signs as _, TickArchive};

/// The archive writes this often.
const EVERY: Duration = Duration::from_secs(1);
/// Its folder in the data folder.
pub(crate) const FOLDER: &str = "ticks";

/// The archive, for calls and for metrics.
#[derive(Debug)]
pub struct Fair {
    /// Reads it, by way of `readers`.
    pub ticks: TickArchive,
    /// The thread that reads it, which may wait for a disk. It is its own: whoever reads whole hours holds up nobody else's answers.
    pub readers: Writers,
    /// The public key of roots.
    pub key: Vec<u8>,
}

/// Starts the archive's threads; journal segments wait for its cursor from then on.
///
/// # Errors
/// When the key cannot be read or made, or there is no thread to be had.
pub fn start(data_dir: &Path, journal: &JournalControl, cursors: &mut Cursors) -> std::io::Result<Fair> {
    let (key, folder, metrics) = (Arc::new(RootKey::open(data_dir)?), data_dir.join(FOLDER), Arc::default());
    let ticks = TickArchive::new(&folder, Arc::clone(&metrics));
    let public = key.key();
    let mut archiver = Archiver::new(&folder, journal, key, metrics);
    cursors.add_archive(archiver.cursor());
    critical_task::spawn("ticks", move || {
        give_way();
        loop {
            std::thread::sleep(EVERY);
            archiver.round();
        }
    })?;
    Ok(Fair { ticks, readers: Writers::start(1)?, key: public })
}
