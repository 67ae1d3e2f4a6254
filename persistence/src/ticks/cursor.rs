//! The archive's cursor on disk: up to which record everything is in its files.
//!
//! Owns: the file. Never does: decide what to do without it: the archive reads the journal from its begin then.
//! Invariants: it is whole or not there. Known limits: one that is damaged counts as none.

use super::files::{there, write_whole};
use std::fs;
use std::io;
use std::path::Path;
use xng_core::journal::Lsn;

const NAME: &str = "cursor";

/// The cursor, unless it is beyond the end of the journal: then it is another journal's.
pub(super) fn read(folder: &Path, end: Lsn) -> io::Result<Lsn> {
    let text = there(fs::read_to_string(folder.join(NAME)))?.unwrap_or_default();
    let found = text.strip_prefix("cursor ").and_then(|rest| rest.trim_end().parse().ok()).map(Lsn);
    Ok(found.filter(|cursor| *cursor <= end).unwrap_or(Lsn::ZERO))
}

/// Replaces it.
pub(super) fn write(folder: &Path, cursor: Lsn) -> io::Result<()> {
    write_whole(&folder.join(NAME), format!("cursor {cursor}\n").as_bytes())
}
