//! Statements of reserves, as everybody may read them: files of a folder, the newest of each chain.
//!
//! Owns: the folder, how many are kept, which are shown. Never does: make one; `publisher.rs` does. Invariants: a file is there whole or
//! not at all, under its statement's id; of a chain whose reserves are not published nothing is shown.
//! Rules: `docs/rules/custody.md "Statements of reserves"`. Known limits: a file that somebody takes away is listed until the next start.

use super::settings::ChainSettings;
use crate::common::time::{Ms, now_ms};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xng_core::chain::ChainId;
use xng_custody::reserves::{Form, Header, LINE_BYTES};

/// Their folder in the data folder.
pub(crate) const FOLDER: &str = "reserves";
/// How a statement's file ends; one that is being written ends otherwise.
const ENDING: &str = "jsonl";
const UNFINISHED: &str = "part";
/// So many are kept of each chain: a month of days.
const KEPT: usize = 30;

/// A statement that anybody may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// Its id, in hex.
    pub id: String,
    /// What it says of chain, block and sums.
    pub header: Header,
}

/// Which chain a statement is of: its form, and the number of an EVM chain.
pub(super) type ChainKey = (Form, Option<u64>);

impl Stated {
    fn chain_key(&self) -> ChainKey {
        (self.header.chain, self.header.chain_id)
    }
}

/// Which chain statements of these settings are of.
pub(super) fn chain_key(settings: &ChainSettings) -> ChainKey {
    let number = settings.evm.as_ref().map(|evm| evm.chain_id);
    (if number.is_some() { Form::Evm } else { Form::Bitcoin }, number)
}

/// See the module's header.
#[derive(Debug)]
pub struct Statements {
    folder: PathBuf,
    since_ms: Ms,
    /// Newest first.
    all: Mutex<Vec<Stated>>,
}

fn header(path: &Path) -> io::Result<Header> {
    let mut line = String::new();
    BufReader::new(File::open(path)?.take(LINE_BYTES as u64)).read_line(&mut line)?;
    serde_json::from_str(&line).map_err(io::Error::other)
}

impl Statements {
    /// Those of a data folder that the settings let be published.
    ///
    /// # Errors
    /// When its folder cannot be made or read.
    pub fn found(data: &Path, settings: &[ChainSettings]) -> io::Result<Statements> {
        let folder = data.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let published = settings.iter().filter(|chain| chain.publish_reserves);
        let published: Vec<ChainKey> = published.map(chain_key).collect();
        let mut all = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            let name = path.file_stem().and_then(|name| name.to_str()).filter(|_| ending == Some(ENDING));
            let Some(name) = name else { continue };
            match header(&path) {
                Ok(header) if published.contains(&(header.chain, header.chain_id)) => {
                    all.push(Stated { id: name.to_owned(), header })
                }
                Ok(_) => {}
                Err(error) => tracing::warn!(file = %path.display(), %error, "a statement of reserves is not shown"),
            }
        }
        all.sort_by(|a, b| b.header.time_ms.cmp(&a.header.time_ms).then_with(|| a.id.cmp(&b.id)));
        Ok(Statements { folder, since_ms: now_ms(), all: Mutex::new(all) })
    }

    fn state(&self) -> MutexGuard<'_, Vec<Stated>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All, newest first.
    #[must_use]
    pub fn all(&self) -> Vec<Stated> {
        self.state().clone()
    }

    /// When the newest of a chain was made, or without one when this process started; never later than now, as a clock may have been
    /// ahead.
    #[must_use]
    pub fn newest_ms(&self, settings: &ChainSettings) -> Ms {
        let (state, of) = (self.state(), chain_key(settings));
        let newest = state.iter().filter(|stated| stated.chain_key() == of).max_by_key(|stated| stated.header.height);
        let made = newest.and_then(|stated| Ms::try_from(stated.header.time_ms).ok());
        made.unwrap_or(self.since_ms).min(now_ms())
    }

    /// Where anybody gets a statement's file, below the server's root.
    #[must_use]
    pub fn path_of(id: &str) -> String {
        format!("/{FOLDER}/{id}.{ENDING}")
    }

    /// Whether a file of the folder is a statement that is shown.
    #[must_use]
    pub fn is_shown(&self, file: &Path) -> bool {
        let id = file.file_stem().filter(|_| file.extension().is_some_and(|ending| ending == ENDING));
        id.is_some_and(|id| self.state().iter().any(|stated| id == stated.id.as_str()))
    }

    /// Where a chain's next statement is written before it is shown.
    pub(super) fn unfinished(&self, chain: ChainId) -> PathBuf {
        self.folder.join(format!("{}.{UNFINISHED}", chain.0))
    }

    /// Shows what was written to a chain's [`Statements::unfinished`], and forgets the oldest of that chain.
    ///
    /// # Errors
    /// When the file cannot be moved.
    pub(super) fn show(&self, chain: ChainId, stated: Stated) -> io::Result<()> {
        fs::rename(self.unfinished(chain), self.folder.join(format!("{}.{ENDING}", stated.id)))?;
        let of = stated.chain_key();
        let mut all = self.state();
        all.retain(|other| other.id != stated.id);
        all.insert(0, stated);
        let old: Vec<String> =
            all.iter().filter(|one| one.chain_key() == of).skip(KEPT).map(|one| one.id.clone()).collect();
        all.retain(|one| !old.contains(&one.id));
        for id in old {
            if let Err(error) = fs::remove_file(self.folder.join(format!("{id}.{ENDING}"))) {
                tracing::warn!(id, %error, "an old statement of reserves stays");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIN: ChainId = ChainId(1);

    fn settings(publishes: bool) -> ChainSettings {
        let text = format!(
            "id = 1\nname = \"Bitcoin\"\nasset = \"BTC\"\nnetwork = \"regtest\"\nnode = \"http://127.0.0.1:1\"\n\
             account_keys = []\nconfirmations = 2\nmin_deposit = \"1\"\naddresses_a_user = 1\npublish_reserves = {publishes}"
        );
        toml::from_str(&text).unwrap()
    }

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
        let (data, published) = (tempfile::tempdir().unwrap(), [settings(true)]);
        let statements = Statements::found(data.path(), &published).unwrap();
        assert!(statements.newest_ms(&published[0]) > 1_000_000, "without one it is the start's time");
        for n in 1..=32 {
            let (stated, line) = stated(n);
            fs::write(statements.unfinished(CHAIN), format!("{line}\n")).unwrap();
            // Somebody took one away.
            if n == 31 {
                fs::remove_file(data.path().join(FOLDER).join(format!("{:064x}.jsonl", 1))).unwrap();
            }
            statements.show(CHAIN, stated).unwrap();
        }
        let shown: Vec<u64> = statements.all().iter().map(|stated| stated.header.time_ms).collect();
        assert_eq!(shown, (3..=32).rev().collect::<Vec<u64>>());
        assert_eq!(statements.newest_ms(&published[0]), 32);
        // One that was being written when the process ended, and a file of somebody else.
        fs::write(statements.unfinished(CHAIN), "{").unwrap();
        fs::write(data.path().join(FOLDER).join("broken.jsonl"), "{").unwrap();
        let again = Statements::found(data.path(), &published).unwrap();
        assert_eq!(again.all(), statements.all());
        let is_shown = |of: &Statements, name: &str| of.is_shown(Path::new(name));
        let newest = format!("{:064x}.jsonl", 32);
        assert!(is_shown(&again, &newest) && !is_shown(&again, "broken.jsonl") && !is_shown(&again, "1.part"));
        let closed = Statements::found(data.path(), &[settings(false)]).unwrap();
        assert!(closed.all().is_empty() && !is_shown(&closed, &newest), "the settings say so no more");
    }
}
