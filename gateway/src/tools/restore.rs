//! `exchange restore`: a data folder out of a backup.
//!
//! Owns: checking every byte on its way, and the state at the end; saying what is to be done about the store.
//! Never does: touch a data folder that has anything in it; touch the store.
//! Invariants: all is made in a folder inside the data folder, which may be a mount point; it moves up, the journal last,
//! once all of it is durable and folds to the state of the backup, and while that folder is there no server starts.
//! Known limits: the settings of the backup are put beside the data, in `settings/`; using them is up to the operator.

use super::backup::make_folder;
use super::data_folder::{fold_on, restored, snapshots, survey};
use super::error::ToolError;
use super::manifest::{self, Entry, Manifest};
use super::stored::Stored;
use crate::config::Config;
use crate::startup::cell::{CELL, PlainWorld};
use crate::startup::recovery::RESTORING;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use xng_core::journal::Lsn;
use xng_core::record::STATE_HASH_FORM;
use xng_persistence::journal::survey::{Survey, unpack_live};
use xng_persistence::journal::{RealStorage, Storage};
use xng_persistence::store::Projecting;

const LIVE: &str = "journal/live/seg-";

/// Where from.
#[derive(Debug, clap::Args)]
pub struct Restore {
    /// A folder that `exchange backup` made.
    dir: PathBuf,
}

impl Restore {
    pub(super) fn run(&self, config: &Config, out: &mut dyn Write) -> Result<(), ToolError> {
        let data = config.server.data_dir.as_path();
        let manifest = Manifest::read(&self.dir)?;
        if manifest.cell != CELL {
            return Err(ToolError::Refused(format!("the backup is of cell {}, this is cell {CELL}", manifest.cell)));
        }
        let making = room(data)?;
        for entry in &manifest.files {
            self.file(entry, &making)?;
        }
        let state = check(&manifest, &making)?;
        sync_folders(&making)?;
        // While the journal is there to be asked.
        let advice = store_advice(config, &survey(&making)?, Lsn(manifest.lsn));
        move_up(&making, data)?;
        let (files, lsn) = (manifest.files.len(), manifest.lsn);
        let same = if manifest.state_form == STATE_HASH_FORM {
            "as in the backup"
        } else {
            "hashed in another form than the backup's, so not compared with it"
        };
        writeln!(out, "{files} files are whole; records up to {lsn} fold to {state}, {same}")?;
        writeln!(out, "{advice}")?;
        Ok(())
    }

    /// Copies one file and compares it with the manifest; a live segment becomes one again.
    fn file(&self, entry: &Entry, making: &Path) -> Result<(), ToolError> {
        let source = self.dir.join(&entry.path);
        let plain = Path::new(&entry.path).components().all(|c| matches!(c, std::path::Component::Normal(_)));
        if !plain {
            return Err(ToolError::Found(format!("the manifest names {}, which leads out of it", entry.path)));
        }
        let live = entry.path.strip_prefix(LIVE).and_then(|rest| rest.strip_suffix(".zst")?.parse::<u64>().ok());
        let target = if live.is_some() { making.join("journal/unpacking") } else { making.join(&entry.path) };
        let folder = target.parent().unwrap_or(making);
        make_folder(folder)?;
        let found = manifest::copy(&source, &target, &entry.path)?;
        if found != *entry {
            return Err(ToolError::Found(format!(
                "{}: {} bytes with checksum {}, the manifest says {} with {}",
                source.display(),
                found.bytes,
                found.sha256,
                entry.bytes,
                entry.sha256
            )));
        }
        let Some(number) = live else { return Ok(()) };
        let storage = RealStorage::open(folder).map_err(ToolError::file("open", folder))?;
        let packed = storage.open("unpacking").map_err(ToolError::file("open", &target))?;
        unpack_live(&storage, CELL, number, &*packed)?;
        fs::remove_file(&target).map_err(ToolError::file("remove", &target))
    }
}

/// Makes the folder in which the data folder is made.
fn room(data: &Path) -> Result<PathBuf, ToolError> {
    let refused = |why: &str| Err(ToolError::Refused(format!("{} {why}", data.display())));
    let making = data.join(RESTORING);
    let names = manifest::names_in(data)?;
    if names.iter().any(|name| name != RESTORING) {
        return match making.exists() {
            true => refused("has a part of what an interrupted restore moved into it: empty it and restore again"),
            false => refused("is not empty: it is left as it is"),
        };
    }
    if !names.is_empty() {
        // Half of an attempt that was interrupted; nobody ever used it.
        fs::remove_dir_all(&making).map_err(ToolError::file("remove", &making))?;
    }
    make_folder(&making.join("journal"))?;
    // A server that began meanwhile finds the folder that was just made, or what it made itself is found here.
    if manifest::names_in(data)?.iter().any(|name| name != RESTORING) {
        fs::remove_dir_all(&making).map_err(ToolError::file("remove", &making))?;
        return refused("was empty and is not any more: an exchange starts in it");
    }
    if let Some(parent) = data.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        manifest::sync_folder(parent)?;
    }
    manifest::sync_folder(data)?;
    Ok(making)
}

/// Gives everything its place, the journal last: without one nobody takes the rest for a whole exchange.
fn move_up(making: &Path, data: &Path) -> Result<(), ToolError> {
    let (journal, rest): (Vec<_>, Vec<_>) = manifest::names_in(making)?.into_iter().partition(|name| name == "journal");
    for names in [rest, journal] {
        for name in names {
            let from = making.join(&name);
            fs::rename(&from, data.join(&name)).map_err(ToolError::file("rename", &from))?;
        }
        manifest::sync_folder(data)?;
    }
    fs::remove_dir(making).map_err(ToolError::file("remove", making))?;
    manifest::sync_folder(data)
}

/// What the next start finds in the store, and what to do about it before.
fn store_advice(config: &Config, journal: &Survey, last: Lsn) -> String {
    let url = config.store_url();
    if url.file().is_some_and(|path| path.starts_with(&config.server.data_dir)) {
        return "the store is rebuilt from the journal at the next start".to_owned();
    }
    let empty = "BEFORE THE NEXT START give the exchange an empty database there (drop it and create it anew, or move the \
                 file away, and what ends in -wal and -shm with it), or name another one in store.url; all rows are \
                 rebuilt from the journal";
    let stored = match Stored::open(config) {
        Ok(Some(stored)) => stored,
        Ok(None) => return format!("the store ({url:?}) is empty and is filled from the journal at the next start"),
        Err(error) => {
            return format!(
                "the store ({url:?}) cannot be looked at: {error}\nif rows are there, and they go beyond {last} or are of \
                 another history: {empty}"
            );
        }
    };
    let at = stored.checkpoint.lsn;
    if at > last {
        return format!("the store ({url:?}) stands at {at}, beyond the backup, which ends at {last}\n{empty}");
    }
    match same_history(&stored, journal) {
        Ok(true) => format!("the store ({url:?}) stands at {at} and is brought up from there at the next start"),
        Ok(false) => format!("the store ({url:?}) stands at {at} of another history than the backup\n{empty}"),
        Err(error) => {
            format!("the store ({url:?}) stands at {at}; the journal cannot be asked about it: {error}\n{empty}")
        }
    }
}

/// Whether the journal's record at the store's checkpoint is the one that was projected.
fn same_history(stored: &Stored, journal: &Survey) -> Result<bool, ToolError> {
    let checkpoint = &stored.checkpoint;
    let batch = journal.reader(checkpoint.lsn)?.next_batch(checkpoint.lsn)?;
    let record = batch.as_ref().and_then(|batch| batch.records().next());
    Ok(record.is_some_and(|(_, bytes)| Projecting::confirm(checkpoint, bytes).is_ok()))
}

/// Folds what was restored and compares it with the manifest's state.
fn check(manifest: &Manifest, making: &Path) -> Result<String, ToolError> {
    let survey = survey(making)?;
    let (_, last) = survey.range()?;
    if last != Lsn(manifest.lsn) {
        return Err(ToolError::Found(format!("the journal ends at {last}, the manifest says {}", manifest.lsn)));
    }
    survey.walk(|_, _| Ok::<(), ToolError>(()))?;
    let store = snapshots(making)?;
    let mut world = store.valid()?.next().map_or(Ok(PlainWorld::default()), |snapshot| restored(&snapshot))?;
    fold_on(&mut world, &survey, last)?;
    let state = format!("{:016x}", world.state_hash());
    if manifest.state_form == STATE_HASH_FORM && state != manifest.state {
        return Err(ToolError::Found(format!("the state is {state}, the manifest says {}", manifest.state)));
    }
    Ok(state)
}

fn sync_folders(root: &Path) -> Result<(), ToolError> {
    for file in manifest::files_under(root)? {
        let mut folder = root.join(file);
        while folder.pop() && folder.starts_with(root) {
            manifest::sync_folder(&folder)?;
        }
    }
    Ok(())
}
