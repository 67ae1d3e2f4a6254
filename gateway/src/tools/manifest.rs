//! What a backup says of itself.
//!
//! Owns: the manifest's form, and how single files are copied, summed and made durable. Never does: choose what to copy.
//! Invariants: it is written last, so a folder with one is whole; it is under a checksum of its own; new files are their
//! owner's alone.
//! Known limits: files are read twice where they are made by somebody else (the office, packed segments).
//!
//! ```text
//! <backup>/MANIFEST       one line of JSON, and on the second line the SHA-256 of the first
//!          snap/<lsn>/…   the newest snapshot, as it is
//!          journal/archive/seg-….zst
//!          journal/live/seg-….zst     header and durable blocks of live segments, compressed as in the archive
//!          office.db  office.key  ticks.key  upload/…  crashes.tsv  settings/…
//! ```

use super::error::ToolError;
use crate::api::auth::secrets::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The form that this build writes and reads.
const FORM: u32 = 1;
const NAME: &str = "MANIFEST";

/// One file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Relative to the backup.
    pub(super) path: String,
    /// Its length.
    pub(super) bytes: u64,
    /// Its SHA-256, in hex.
    pub(super) sha256: String,
}

/// What is in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Form of the backup.
    pub(super) form: u32,
    /// The release that made it.
    pub(super) release: String,
    /// When, milliseconds since the epoch.
    pub(super) taken_ms: i64,
    /// Whose journal.
    pub(super) cell: u32,
    /// The last record in it.
    pub(super) lsn: u64,
    /// How the state was hashed.
    pub(super) state_form: u32,
    /// Hash of the state at that record.
    pub(super) state: String,
    /// All files but this one, in the order in which they were copied.
    pub(super) files: Vec<Entry>,
}

impl Manifest {
    /// A manifest of the state at `lsn`.
    pub(super) fn new(cell: u32, lsn: u64, state_form: u32, state: u64, files: Vec<Entry>) -> Manifest {
        let release = crate::RELEASE.to_owned();
        let state = format!("{state:016x}");
        Manifest { form: FORM, release, taken_ms: crate::common::time::now_ms(), cell, lsn, state_form, state, files }
    }

    /// Writes it into a backup under its name, whole or not at all.
    pub(super) fn write(&self, backup: &Path) -> Result<(), ToolError> {
        let line = serde_json::to_string(self).map_err(|error| ToolError::Refused(error.to_string()))?;
        let text = format!("{line}\n{}\n", hex(&Sha256::digest(line.as_bytes())));
        let (temporary, path) = (backup.join(format!("{NAME}.tmp")), backup.join(NAME));
        write(&temporary, text.as_bytes())?;
        fs::rename(&temporary, &path).map_err(ToolError::file("rename", &temporary))?;
        sync_folder(backup)
    }

    /// Reads a backup's.
    pub(super) fn read(backup: &Path) -> Result<Manifest, ToolError> {
        let path = backup.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let what =
                    format!("{} has no manifest: it is no backup, or one that was not finished", backup.display());
                return Err(ToolError::Refused(what));
            }
            Err(error) => return Err(ToolError::file("read", &path)(error)),
        };
        let damaged = |why: String| ToolError::Found(format!("{}: {why}", path.display()));
        let (line, sum) = text.split_once('\n').unwrap_or((&text, ""));
        if hex(&Sha256::digest(line.as_bytes())) != sum.trim_end() {
            return Err(damaged("the manifest does not match its checksum".into()));
        }
        let form: FormVersion = serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
        if form.form != FORM {
            let what = format!("{} has form {}, this build reads form {FORM}", path.display(), form.form);
            return Err(ToolError::Refused(what));
        }
        serde_json::from_str(line).map_err(|error| damaged(error.to_string()))
    }
}

#[derive(Deserialize)]
struct FormVersion {
    form: u32,
}

/// How new files are made: they may hold passwords.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options
}

/// Writes a new file and makes it durable.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), ToolError> {
    let mut file = private().open(path).map_err(ToolError::file("create", path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(ToolError::file("write", path))
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(path: &Path) -> Result<(), ToolError> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(ToolError::file("sync", path))
}

/// Copies a file into a new one, makes that durable, and says what it copied.
pub(super) fn copy(from: &Path, to: &Path, name: &str) -> Result<Entry, ToolError> {
    let mut source = File::open(from).map_err(ToolError::file("open", from))?;
    let mut target = private().open(to).map_err(ToolError::file("create", to))?;
    let (mut sum, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        let n = source.read(&mut piece).map_err(ToolError::file("read", from))?;
        if n == 0 {
            break;
        }
        sum.update(&piece[..n]);
        bytes += n as u64;
        target.write_all(&piece[..n]).map_err(ToolError::file("write", to))?;
    }
    target.sync_all().map_err(ToolError::file("sync", to))?;
    Ok(Entry { path: name.to_owned(), bytes, sha256: hex(&sum.finalize()) })
}

/// What a file that is there is.
pub(super) fn entry(path: &Path, name: &str) -> Result<Entry, ToolError> {
    let bytes = fs::read(path).map_err(ToolError::file("read", path))?;
    Ok(Entry { path: name.to_owned(), bytes: bytes.len() as u64, sha256: hex(&Sha256::digest(&bytes)) })
}

/// All files under a folder, as paths relative to it, sorted; none when there is no such folder.
pub(super) fn files_under(folder: &Path) -> Result<Vec<PathBuf>, ToolError> {
    let (mut files, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(inner) = folders.pop() {
        let path = folder.join(&inner);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(ToolError::file("list", &path)(error)),
        };
        for entry in entries {
            let entry = entry.map_err(ToolError::file("list", &path))?;
            let name = inner.join(entry.file_name());
            let kind = entry.file_type().map_err(ToolError::file("look at", &path))?;
            if kind.is_dir() { folders.push(name) } else { files.push(name) }
        }
    }
    files.sort();
    Ok(files)
}

/// What lies in a folder; nothing when there is none. What a file system keeps at its root for itself is left out.
pub(super) fn names_in(path: &Path) -> Result<Vec<OsString>, ToolError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ToolError::file("list", path)(error)),
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name()).map_err(ToolError::file("list", path)));
    names.filter(|name| !name.as_ref().is_ok_and(|name| name == "lost+found")).collect()
}
