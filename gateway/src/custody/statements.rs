//! Statements of reserves, as everybody may read them: files of a folder, the newest of each chain.
//!
//! Owns: the folder, how many are kept. Never does: make one; `publisher.rs` does. Invariants: a file is there whole or not at all, under
//! its statement's id; what is listed is there. Rules: `docs/rules/custody.md "Statements of reserves"`. Known limits: none.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xng_custody::reserves::Header;

/// Their folder in the data folder.
pub(crate) const FOLDER: &str = "reserves";
/// How a statement's file ends; one that is being written ends otherwise.
const ENDING: &str = "jsonl";
const UNFINISHED: &str = "part";
/// So many are kept of each chain: a month of days.
const KEPT: usize = 30;
/// A header has a line for itself, and is no longer.
const HEADER_BYTES: u64 = 65_536;

/// A statement that anybody may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// Its id, in hex.
    pub id: String,
    /// What it says of chain, block and sums.
    pub header: Header,
}

/// See the module's header.
#[derive(Debug)]
pub struct Statements {
    folder: PathBuf,
    /// Newest first.
    all: Mutex<Vec<Stated>>,
}

fn header(path: &Path) -> io::Result<Header> {
    let mut line = String::new();
    BufReader::new(File::open(path)?.take(HEADER_BYTES)).read_line(&mut line)?;
    serde_json::from_str(&line).map_err(io::Error::other)
}

impl Statements {
    /// Those of a data folder.
    ///
    /// # Errors
    /// When its folder cannot be made or read.
    pub fn found(data: &Path) -> io::Result<Statements> {
        let folder = data.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let mut all = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if ending == Some(UNFINISHED) {
                fs::remove_file(&path)?;
            }
            let name = path.file_stem().and_then(|name| name.to_str()).filter(|_| ending == Some(ENDING));
            let Some(name) = name else { continue };
            match header(&path) {
                Ok(header) => all.push(Stated { id: name.to_owned(), header }),
                Err(error) => tracing::warn!(file = %path.display(), %error, "a statement of reserves is not shown"),
            }
        }
        all.sort_by(|a, b| b.header.time_ms.cmp(&a.header.time_ms).then_with(|| a.id.cmp(&b.id)));
        Ok(Statements { folder, all: Mutex::new(all) })
    }

    fn state(&self) -> MutexGuard<'_, Vec<Stated>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All, newest first.
    #[must_use]
    pub fn all(&self) -> Vec<Stated> {
        self.state().clone()
    }

    /// When the newest of a chain was made, in milliseconds of Unix time; 0 without one.
    #[must_use]
    pub fn newest_ms(&self, name: &str) -> u64 {
        let state = self.state();
        state.iter().find(|stated| stated.header.name == name).map_or(0, |stated| stated.header.time_ms)
    }

    /// Where anybody gets a statement's file, below the server's root.
    #[must_use]
    pub fn path_of(id: &str) -> String {
        format!("/{FOLDER}/{id}.{ENDING}")
    }

    /// Whether a file of the folder is a statement that is shown.
    #[must_use]
    pub fn is_shown(file: &Path) -> bool {
        file.extension().is_some_and(|ending| ending == ENDING)
    }

    /// Where a statement is written before it is shown.
    pub(super) fn unfinished(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.{UNFINISHED}"))
    }

    /// Shows what was written to [`Statements::unfinished`], and forgets the oldest of its chain.
    ///
    /// # Errors
    /// When the file cannot be moved.
    pub(super) fn show(&self, stated: Stated) -> io::Result<()> {
        fs::rename(self.unfinished(&stated.id), self.folder.join(format!("{}.{ENDING}", stated.id)))?;
        let name = stated.header.name.clone();
        let mut all = self.state();
        all.retain(|other| other.id != stated.id);
        all.insert(0, stated);
        let of_chain: Vec<String> =
            all.iter().filter(|of| of.header.name == name).skip(KEPT).map(|of| of.id.clone()).collect();
        all.retain(|of| !of_chain.contains(&of.id));
        for id in of_chain {
            fs::remove_file(self.folder.join(format!("{id}.{ENDING}")))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(n: u32) -> (Stated, String) {
        let line = format!(
            "{{\"format\":\"xng/reserves/1\",\"chain\":\"bitcoin\",\"name\":\"Bitcoin\",\"chain_id\":null,\"height\":{n},\
             \"hash\":\"{:064x}\",\"time_ms\":{n},\"assets\":[{{\"asset\":\"BTC\",\"contract\":null,\"decimals\":8,\
             \"units\":\"0\"}}],\"addresses\":0}}",
            7
        );
        (Stated { id: format!("{n:064x}"), header: serde_json::from_str(&line).unwrap() }, line)
    }

    #[test]
    fn a_month_of_each_chain_is_kept_and_found_again() {
        let data = tempfile::tempdir().unwrap();
        let statements = Statements::found(data.path()).unwrap();
        for n in 1..=32 {
            let (stated, line) = stated(n);
            fs::write(statements.unfinished(&stated.id), format!("{line}\n")).unwrap();
            statements.show(stated).unwrap();
        }
        let shown: Vec<u64> = statements.all().iter().map(|stated| stated.header.time_ms).collect();
        assert_eq!(shown, (3..=32).rev().collect::<Vec<u64>>());
        assert_eq!((statements.newest_ms("Bitcoin"), statements.newest_ms("Ethereum")), (32, 0));
        // One that was being written when the process ended, and a file of somebody else.
        fs::write(statements.unfinished("half"), "{").unwrap();
        fs::write(data.path().join(FOLDER).join("broken.jsonl"), "{").unwrap();
        let again = Statements::found(data.path()).unwrap();
        assert_eq!(again.all(), statements.all());
        assert!(!again.unfinished("half").exists());
    }
}
