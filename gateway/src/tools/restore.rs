//! `exchange restore`: a data folder out of a backup.
//!
//! Owns: checking every byte on its way, and the state at the end.
//! Never does: touch a data folder that has anything in it.
//! Invariants: the data folder has its name only when all is in it, durable, and folds to the state of the backup.
//! Known limits: the settings of the backup are put beside the data, in `settings/`; using them is up to the operator.

use super::backup::make_folder;
use super::manifest::{self, Entry, Manifest};
use super::{ToolError, fold_on, restored, snapshots, survey};
use crate::config::Config;
use crate::exchange::{CELL, PlainWorld};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use xng_core::journal::Lsn;
use xng_core::record::STATE_HASH_FORM;
use xng_persistence::journal::survey::unpack_live;
use xng_persistence::journal::{RealStorage, Storage};

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
        if !manifest::is_free(data)? {
            return Err(ToolError::Refused(format!("{} is not empty: it is left as it is", data.display())));
        }
        if manifest.cell != CELL {
            return Err(ToolError::Refused(format!("the backup is of cell {}, this is cell {CELL}", manifest.cell)));
        }
        let mut name = data.file_name().unwrap_or_default().to_owned();
        name.push(".restoring");
        let making = data.with_file_name(name);
        if making.exists() {
            // Half of an attempt that was interrupted; nobody ever used it.
            fs::remove_dir_all(&making).map_err(ToolError::file("remove", &making))?;
        }
        make_folder(&making.join("journal"))?;
        for entry in &manifest.files {
            self.file(entry, &making)?;
        }
        let state = check(&manifest, &making)?;
        sync_folders(&making)?;
        if data.exists() {
            fs::remove_dir(data).map_err(ToolError::file("remove", data))?;
        }
        fs::rename(&making, data).map_err(ToolError::file("rename", &making))?;
        if let Some(parent) = data.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            manifest::sync_folder(parent)?;
        }
        let (files, lsn) = (manifest.files.len(), manifest.lsn);
        writeln!(out, "{files} files are whole; records up to {lsn} fold to {state}, as in the backup")?;
        writeln!(
            out,
            "the store is rebuilt from the journal at the next start; outside the data folder, empty it before"
        )?;
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
