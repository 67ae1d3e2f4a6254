//! `exchange backup`: a consistent copy of all that cannot be rebuilt, also beside a running server.
//!
//! Owns: the order of copying. The office goes first and the journal last: an older office beside a newer journal is what
//! a start knows how to deal with (`Auth::raise_ids`), and the snapshot lies before the journal's end.
//! Never does: write into the data folder; copy the store, which is rebuilt from the journal.
//! Invariants: every record that was durable when the copying of the journal began is in the copy.
//! Known limits: the archive is copied whole each time.

use super::data_folder::{fold_on, restored, snapshots, survey};
use super::error::ToolError;
use super::manifest::{self, Entry, Manifest};
use crate::config::Config;
use crate::startup::cell::{CELL, PlainWorld};
use std::fs;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use xng_core::journal::Lsn;
use xng_core::record::STATE_HASH_FORM;
use xng_persistence::journal::survey::Survey;
use xng_persistence::office::Office;
use xng_persistence::snapshot::Snapshot;

/// Attempts to copy the newest snapshot, which the server may remove once there are newer ones.
const ATTEMPTS: u32 = 4;

/// Where to.
#[derive(Debug, clap::Args)]
pub struct Backup {
    /// A folder that is empty or not there.
    dir: PathBuf,
}

/// A backup that is being made.
struct Making<'a> {
    data: &'a Path,
    dir: &'a Path,
    files: Vec<Entry>,
}

impl Backup {
    pub(super) fn run(&self, config: &Config, settings: &Path, out: &mut dyn Write) -> Result<(), ToolError> {
        let dir = self.dir.as_path();
        if !manifest::names_in(dir)?.is_empty() {
            let what = format!("{} is not empty: a backup goes into a folder of its own", dir.display());
            return Err(ToolError::Refused(what));
        }
        make_folder(dir)?;
        let mut making = Making { data: &config.server.data_dir, dir, files: Vec::new() };
        making.office()?;
        making.file(crate::api::auth::sealing::FILE)?;
        making.file(crate::fair::FILE)?;
        making.folder("upload")?;
        making.folder(crate::api::auth::verification::PRIVATE)?;
        making.file("crashes.tsv")?;
        for path in [settings, &config.files.markets, &config.files.calendars] {
            making.settings(path)?;
        }
        let mut world = making.snapshot()?;
        let survey = survey(making.data)?;
        let last = making.journal(&survey)?;
        fold_on(&mut world, &survey, last)?;
        let (state, files) = (world.state_hash(), making.files);
        let (count, bytes) = (files.len(), files.iter().map(|entry| entry.bytes).sum::<u64>());
        Manifest::new(CELL, last.0, STATE_HASH_FORM, state, files).write(dir)?;
        writeln!(out, "{count} files, {bytes} bytes; records up to {last}, state {state:016x}")?;
        Ok(())
    }
}

/// Makes a folder that only its owner may enter: the office knows people.
pub(super) fn make_folder(path: &Path) -> Result<(), ToolError> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(ToolError::file("create", path))
}

impl Making<'_> {
    /// Makes the folders above a file of the backup.
    fn target(&self, name: &str) -> Result<PathBuf, ToolError> {
        let path = self.dir.join(name);
        path.parent().map_or(Ok(()), make_folder)?;
        Ok(path)
    }

    fn copy(&mut self, from: &Path, name: &str) -> Result<(), ToolError> {
        let target = self.target(name)?;
        self.files.push(manifest::copy(from, &target, name)?);
        Ok(())
    }

    fn file(&mut self, name: &str) -> Result<(), ToolError> {
        let path = self.data.join(name);
        if path.is_file() { self.copy(&path, name) } else { Ok(()) }
    }

    fn folder(&mut self, name: &str) -> Result<(), ToolError> {
        let folder = self.data.join(name);
        for file in manifest::files_under(&folder)? {
            self.copy(&folder.join(&file), &format!("{name}/{}", file.display()))?;
        }
        Ok(())
    }

    /// Files of the same name from different folders each get a folder of their own.
    fn settings(&mut self, path: &Path) -> Result<(), ToolError> {
        let Some(name) = path.file_name() else { return Ok(()) };
        let mut target = format!("settings/{}", name.to_string_lossy());
        let mut n = 1;
        while self.files.iter().any(|file| file.path == target) {
            n += 1;
            target = format!("settings/{n}/{}", name.to_string_lossy());
        }
        self.copy(path, &target)
    }

    fn office(&mut self) -> Result<(), ToolError> {
        let source = self.data.join("office.db");
        if !source.is_file() {
            return Err(ToolError::Refused(format!("there is no {}", source.display())));
        }
        let target = self.target("office.db")?;
        super::data_folder::runtime()?.block_on(Office::copy(&source, &target))?;
        fs::File::open(&target).and_then(|file| file.sync_all()).map_err(ToolError::file("sync", &target))?;
        self.files.push(manifest::entry(&target, "office.db")?);
        Ok(())
    }

    /// Copies the newest snapshot and gives its state; without any, the state before the first record.
    fn snapshot(&mut self) -> Result<PlainWorld, ToolError> {
        let store = snapshots(self.data)?;
        let kept = self.files.len();
        for attempt in 1.. {
            let Some(snapshot) = store.valid()?.next() else { return Ok(PlainWorld::default()) };
            match self.copy_snapshot(&snapshot) {
                Ok(()) => return restored(&snapshot),
                Err(_) if attempt < ATTEMPTS => {
                    self.files.truncate(kept);
                    let half = self.dir.join("snap");
                    fs::remove_dir_all(&half).map_err(ToolError::file("remove", &half))?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(PlainWorld::default())
    }

    fn copy_snapshot(&mut self, snapshot: &Snapshot) -> Result<(), ToolError> {
        let name = snapshot.folder().to_owned();
        make_folder(&self.dir.join(&name))?;
        self.folder(&name)
    }

    /// Copies the archive and what is durable of the live segments; gives the last record.
    fn journal(&mut self, survey: &Survey) -> Result<Lsn, ToolError> {
        for name in survey.archived() {
            let source = self.data.join("journal").join(&name);
            self.copy(&source, &format!("journal/{name}"))?;
        }
        let mut last = Lsn::ZERO;
        for &number in survey.live() {
            let packed;
            (packed, last) = survey.packed(number)?;
            let name = format!("journal/live/seg-{number:012}.zst");
            let target = self.target(&name)?;
            manifest::write(&target, &packed)?;
            self.files.push(manifest::entry(&target, &name)?);
        }
        Ok(last)
    }
}
