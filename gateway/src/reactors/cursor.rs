//! A reactor's cursor on disk.
//!
//! Owns: the file, one a reactor in the data folder's `reactors/`. Never does: decide where a reactor begins without it: at
//! the first record. Invariants: a file is whole or not there; a cursor that was written for a longer journal than there is
//! (one that was restored to an earlier time) counts as none. Known limits: it costs a reading of the whole archive to lose.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use xng_core::journal::Lsn;

/// Where a reactor is, and up to where the journal went when that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// The cursor.
    pub cursor: Lsn,
    /// The last record that was looked at: outcomes of what is before the cursor are not after it.
    pub through: Lsn,
}

/// The file of one reactor.
#[derive(Debug)]
pub struct CursorFile {
    folder: PathBuf,
    name: &'static str,
}

impl CursorFile {
    /// Makes the folder when there is none.
    ///
    /// # Errors
    /// The operating system's.
    pub fn new(folder: PathBuf, name: &'static str) -> io::Result<CursorFile> {
        fs::create_dir_all(&folder)?;
        Ok(CursorFile { folder, name })
    }

    /// The cursor; the journal's begin when there is none that fits a journal that ends at `end`.
    ///
    /// # Errors
    /// The operating system's, and a file that says something else.
    pub fn read(&self, end: Lsn) -> io::Result<Lsn> {
        let path = self.folder.join(self.name);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lsn::ZERO),
            read => read?,
        };
        let unreadable = || io::Error::other(format!("{} is no cursor: delete it", path.display()));
        let saved = parsed(&text).ok_or_else(unreadable)?;
        Ok(if saved.through <= end { saved.cursor } else { Lsn::ZERO })
    }

    /// Replaces the file; what it says is on disk then.
    ///
    /// # Errors
    /// The operating system's.
    pub fn write(&self, saved: Saved) -> io::Result<()> {
        let (new, place) = (self.folder.join(format!("{}.new", self.name)), self.folder.join(self.name));
        let mut file = File::create(&new)?;
        writeln!(file, "cursor {} through {}", saved.cursor, saved.through)?;
        file.sync_all()?;
        fs::rename(&new, &place)?;
        File::open(&self.folder)?.sync_all()
    }
}

fn parsed(text: &str) -> Option<Saved> {
    let mut words = text.split_whitespace();
    let mut number = |name| (words.next() == Some(name)).then(|| words.next()?.parse().ok()).flatten().map(Lsn);
    let saved = Saved { cursor: number("cursor")?, through: number("through")? };
    (words.next().is_none() && saved.cursor <= saved.through).then_some(saved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_only_for_a_journal_that_is_as_long() {
        let folder = tempfile::tempdir().unwrap();
        let file = CursorFile::new(folder.path().join("reactors"), "test").unwrap();
        assert_eq!(file.read(Lsn(5)).unwrap(), Lsn::ZERO, "none yet");
        file.write(Saved { cursor: Lsn(3), through: Lsn(9) }).unwrap();
        assert_eq!(file.read(Lsn(9)).unwrap(), Lsn(3));
        assert_eq!(file.read(Lsn(8)).unwrap(), Lsn::ZERO, "outcomes may be gone with the records");
        fs::write(folder.path().join("reactors/test"), "cursor 9 through 3").unwrap();
        assert!(file.read(Lsn(9)).is_err(), "a damaged file is said, not passed over");
    }
}
