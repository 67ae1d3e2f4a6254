//! Snapshots: the whole engine state at one LSN, as opaque entity blobs, so that recovery need not fold everything.
//!
//! Owns: the directories `snap/{lsn}/` and their files.
//! Never does: interpret an entity's bytes; decide when a snapshot is made; touch the journal.
//! Invariants: a directory has its final name only after all its files were synced, read back and found to load to the
//! state that was given; the newest two are kept; a damaged one is passed over, with a warning, in favour of the one before.
//! Known limits: journal segments may be released up to the *older* of the two only, unless there is an archive.
//!
//! ```text
//! snap/00000000000000012345/part-0000.zst   zstd of entries: key length 4 · key · value length 4 · value
//!                           part-0001.zst   … each of about `part_bytes` before compression
//!                           MANIFEST        magic 8 · version 4 · cell 4 · lsn 8 · digest 8 · entries 8 · parts 4 ·
//!                                           per part (file bytes 8 · raw bytes 8 · crc32c 4) · crc32c of all that 4
//! snap/tmp-…                                being written, or left by a crash (removed at the next write)
//! ```

use std::{
    fmt,
    io::{self, Read},
    sync::Arc,
};

use xng_core::journal::Lsn;

use crate::journal::storage::{Storage, read_all};
use manifest::{Manifest, Part, VERSION};

pub use entries::Entries;

mod entries;
mod manifest;

const SNAPSHOT_DIR: &str = "snap";
const TEMPORARY_PREFIX: &str = "tmp-";
const MANIFEST: &str = "MANIFEST";
/// zstd's fastest ordinary level: a snapshot is read once or never.
const COMPRESSION_LEVEL: i32 = 1;
/// Snapshots that stay.
const KEPT: usize = 2;

/// What can go wrong with a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The operating system refused an operation.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file or directory.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// Bytes are not what was written.
    #[error("{file}, byte {byte}: {what}")]
    Damaged {
        /// The file.
        file: String,
        /// Where.
        byte: u64,
        /// What is wrong.
        what: String,
    },
    /// A newer release wrote it.
    #[error(
        "{file} has format {found}, this build reads up to {ours}: start the release that wrote it, or move the \
         snapshot's folder away (the journal says the same)"
    )]
    Version {
        /// The manifest.
        file: String,
        /// Its format.
        found: u32,
        /// The newest one that this build reads.
        ours: u32,
    },
    /// What was read back is no state at all.
    #[error("the snapshot at {lsn} does not load: {what}")]
    Unloadable {
        /// The snapshot.
        lsn: Lsn,
        /// Why, in the words of whoever loads states.
        what: String,
    },
    /// What was read back does not have the state hash that was given.
    #[error("the snapshot at {lsn} reads back with digest {found:016x} instead of {expected:016x}")]
    Digest {
        /// The snapshot.
        lsn: Lsn,
        /// The digest given to `write`.
        expected: u64,
        /// The digest of what was read back.
        found: u64,
    },
}

/// One entity: its key and its bytes.
pub type Entry = (Vec<u8>, Vec<u8>);

/// The snapshots of one cell. See the module's header.
#[derive(Debug)]
pub struct SnapshotStore {
    storage: Arc<dyn Storage>,
    cell: u32,
    part_bytes: usize,
}

/// A snapshot whose files are all there and intact.
pub struct Snapshot {
    storage: Arc<dyn Storage>,
    dir: String,
    manifest: Manifest,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("lsn", &self.manifest.lsn).finish_non_exhaustive()
    }
}

impl SnapshotStore {
    /// The snapshots of `cell` under `storage`; nothing is read yet.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, cell: u32) -> Self {
        Self { storage, cell, part_bytes: 16 << 20 }
    }

    /// Bytes of entries in one file before compression (about: the entry that crosses it is the last one).
    #[must_use]
    pub fn with_part_bytes(mut self, bytes: usize) -> Self {
        self.part_bytes = bytes.max(1);
        self
    }

    /// Writes the snapshot at `lsn` and removes all but the newest two. Nothing is changed when it is there already.
    ///
    /// `digest` is the hash of the whole state; it is stored and given back. `digest_of` loads the state from what was
    /// read back and returns its hash, which must be `digest`: one that does not load never takes a good one's place.
    ///
    /// # Errors
    /// [`SnapshotError::Digest`], whatever `digest_of` says, and I/O errors, a full disk included; nothing but a temporary
    /// directory is left behind then, and trying again writes new files, so that it is safe after a failed sync too.
    pub fn write(
        &self,
        lsn: Lsn,
        digest: u64,
        entries: &mut dyn Iterator<Item = Entry>,
        digest_of: &mut dyn FnMut(Entries<'_>) -> Result<u64, SnapshotError>,
    ) -> Result<(), SnapshotError> {
        let target = format!("{SNAPSHOT_DIR}/{:020}", lsn.0);
        let temporary = format!("{SNAPSHOT_DIR}/{TEMPORARY_PREFIX}{:020}", lsn.0);
        self.storage.create_dir(SNAPSHOT_DIR).map_err(self.io("create", SNAPSHOT_DIR))?;
        self.storage.sync_dir("").map_err(self.io("sync", ""))?;
        self.remove_temporaries()?;
        if self.lsns()?.contains(&lsn) {
            if self.load(&target).is_ok() {
                return self.sync_dir(SNAPSHOT_DIR);
            }
            self.storage.remove_dir(&target).map_err(self.io("remove", &target))?;
        }

        self.storage.create_dir(&temporary).map_err(self.io("create", &temporary))?;
        let written = self.write_files(&temporary, lsn, digest, entries).and_then(|manifest| {
            let snapshot = self.load(&temporary)?;
            if snapshot.manifest != manifest {
                return Err(self.damaged(&temporary, MANIFEST, 0, "the manifest reads back differently".to_owned()));
            }
            let found = digest_of(snapshot.entries())?;
            for entry in snapshot.entries() {
                entry?;
            }
            if found == digest { Ok(()) } else { Err(SnapshotError::Digest { lsn, expected: digest, found }) }
        });
        if let Err(e) = written {
            if let Err(left) = self.storage.remove_dir(&temporary) {
                tracing::warn!(dir = temporary, error = %left, "cannot remove an unfinished snapshot");
            }
            return Err(e);
        }
        self.sync_dir(&temporary)?;
        self.storage.rename(&temporary, &target).map_err(self.io("rename", &temporary))?;
        self.sync_dir(SNAPSHOT_DIR)?;
        self.prune()
    }

    /// The snapshots that are whole, newest first; each is checked when it is asked for.
    ///
    /// # Errors
    /// When the directory itself cannot be read; a damaged snapshot is passed over with a warning.
    pub fn valid(&self) -> Result<impl Iterator<Item = Snapshot> + '_, SnapshotError> {
        let lsns = self.lsns()?;
        if !lsns.is_empty() {
            // The process that gave it its name may have died before the name was durable.
            self.sync_dir(SNAPSHOT_DIR)?;
        }
        Ok(lsns.into_iter().rev().filter_map(|lsn| {
            let dir = format!("{SNAPSHOT_DIR}/{:020}", lsn.0);
            match self.load(&dir) {
                Ok(snapshot) if snapshot.manifest.lsn == lsn => return Some(snapshot),
                Ok(snapshot) => {
                    tracing::warn!(dir, holds = %snapshot.manifest.lsn, "a snapshot has another one's name; passed over");
                }
                Err(error) => tracing::warn!(dir, %error, "a snapshot is not valid; passed over"),
            }
            None
        }))
    }

    /// Refuses snapshots of a newer format; for starts, where passing one over would hide that a newer release ran here.
    ///
    /// # Errors
    /// [`SnapshotError::Version`] naming the first of them, and I/O errors.
    pub fn refuse_newer(&self) -> Result<(), SnapshotError> {
        for lsn in self.lsns()? {
            let path = format!("{SNAPSHOT_DIR}/{:020}/{MANIFEST}", lsn.0);
            match self.storage.open(&path).and_then(|file| read_all(&*file)) {
                Ok(bytes) => {
                    if let Some(found) = Manifest::version(&bytes).filter(|found| *found > VERSION) {
                        let file = self.storage.describe(&path);
                        return Err(SnapshotError::Version { file, found, ours: VERSION });
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(self.io("read", &path)(e)),
            }
        }
        Ok(())
    }

    /// LSNs of the snapshots by name, oldest first, valid or not.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn lsns(&self) -> Result<Vec<Lsn>, SnapshotError> {
        let mut lsns: Vec<Lsn> = self.names()?.iter().filter_map(|name| name.parse().ok().map(Lsn)).collect();
        lsns.sort_unstable();
        Ok(lsns)
    }

    fn write_files(
        &self,
        dir: &str,
        lsn: Lsn,
        digest: u64,
        entries: &mut dyn Iterator<Item = Entry>,
    ) -> Result<Manifest, SnapshotError> {
        let mut manifest = Manifest { cell: self.cell, lsn, digest, entries: 0, parts: Vec::new() };
        let mut raw = Vec::new();
        for (key, value) in entries {
            for field in [&key, &value] {
                let len = u32::try_from(field.len()).expect("an entity is far below 4 GiB");
                raw.extend_from_slice(&len.to_le_bytes());
                raw.extend_from_slice(field);
            }
            manifest.entries += 1;
            if raw.len() >= self.part_bytes {
                manifest.parts.push(self.write_part(dir, manifest.parts.len(), &raw)?);
                raw.clear();
            }
        }
        if !raw.is_empty() {
            manifest.parts.push(self.write_part(dir, manifest.parts.len(), &raw)?);
        }
        self.write_file(&format!("{dir}/{MANIFEST}"), &manifest.encode())?;
        Ok(manifest)
    }

    fn write_part(&self, dir: &str, number: usize, raw: &[u8]) -> Result<Part, SnapshotError> {
        let path = part_path(dir, number);
        let packed = zstd::encode_all(raw, COMPRESSION_LEVEL).map_err(self.io("compress", &path))?;
        self.write_file(&path, &packed)?;
        Ok(Part { file_bytes: packed.len() as u64, raw_bytes: raw.len() as u64, crc: crc32c::crc32c(&packed) })
    }

    fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), SnapshotError> {
        let file = self.storage.create(path).map_err(self.io("create", path))?;
        file.write_at(bytes, 0).map_err(self.io("write", path))?;
        file.sync().map_err(self.io("sync", path))
    }

    /// Reads the manifest and checks every file's length and checksum.
    fn load(&self, dir: &str) -> Result<Snapshot, SnapshotError> {
        let path = format!("{dir}/{MANIFEST}");
        let bytes = read_file(&*self.storage, &path)?;
        let manifest = Manifest::decode(&bytes).map_err(|what| self.damaged(dir, MANIFEST, 0, what))?;
        if manifest.cell != self.cell {
            let what = format!("the snapshot is of cell {}, this is cell {}", manifest.cell, self.cell);
            return Err(self.damaged(dir, MANIFEST, 12, what));
        }
        let snapshot = Snapshot { storage: self.storage.clone(), dir: dir.to_owned(), manifest };
        for number in 0..snapshot.manifest.parts.len() {
            snapshot.packed_part(number)?;
        }
        Ok(snapshot)
    }

    fn prune(&self) -> Result<(), SnapshotError> {
        let lsns = self.lsns()?;
        for lsn in lsns.iter().rev().skip(KEPT) {
            let dir = format!("{SNAPSHOT_DIR}/{:020}", lsn.0);
            self.storage.remove_dir(&dir).map_err(self.io("remove", &dir))?;
        }
        self.sync_dir(SNAPSHOT_DIR)
    }

    fn remove_temporaries(&self) -> Result<(), SnapshotError> {
        for name in self.names()?.iter().filter(|name| name.starts_with(TEMPORARY_PREFIX)) {
            let dir = format!("{SNAPSHOT_DIR}/{name}");
            self.storage.remove_dir(&dir).map_err(self.io("remove", &dir))?;
        }
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, SnapshotError> {
        match self.storage.list(SNAPSHOT_DIR) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            names => names.map_err(self.io("list", SNAPSHOT_DIR)),
        }
    }

    fn sync_dir(&self, dir: &str) -> Result<(), SnapshotError> {
        self.storage.sync_dir(dir).map_err(self.io("sync", dir))
    }

    fn io(&self, action: &'static str, path: &str) -> impl FnOnce(io::Error) -> SnapshotError {
        let path = self.storage.describe(path);
        move |source| SnapshotError::Io { action, path, source }
    }

    fn damaged(&self, dir: &str, file: &str, byte: u64, what: String) -> SnapshotError {
        SnapshotError::Damaged { file: self.storage.describe(&format!("{dir}/{file}")), byte, what }
    }
}

impl Snapshot {
    /// The state is the one right after this record.
    #[must_use]
    pub fn lsn(&self) -> Lsn {
        self.manifest.lsn
    }

    /// Its folder, relative to the storage.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.dir
    }

    /// The hash of the state, as it was given to `write`. Whoever loads the state compares.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.manifest.digest
    }

    /// Number of entities.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.manifest.entries
    }

    /// True when there is no entity in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.manifest.entries == 0
    }

    /// The entities in the order in which they were given. One file at a time is in memory.
    #[must_use]
    pub fn entries(&self) -> Entries<'_> {
        Entries { snapshot: self, part: 0, raw: Vec::new(), at: 0, left: self.manifest.entries, failed: false }
    }

    fn packed_part(&self, number: usize) -> Result<Vec<u8>, SnapshotError> {
        let path = part_path(&self.dir, number);
        let part = self.manifest.parts[number];
        let packed = read_file(&*self.storage, &path)?;
        if (packed.len() as u64, crc32c::crc32c(&packed)) == (part.file_bytes, part.crc) {
            return Ok(packed);
        }
        let what = format!("{} bytes do not match the manifest's length and checksum", packed.len());
        Err(SnapshotError::Damaged { file: self.storage.describe(&path), byte: 0, what })
    }

    fn raw_part(&self, number: usize) -> Result<Vec<u8>, SnapshotError> {
        let packed = self.packed_part(number)?;
        let expected = self.manifest.parts[number].raw_bytes;
        // Piece by piece: nobody's word is taken for how much memory it needs.
        let mut raw = Vec::new();
        let read = zstd::Decoder::with_buffer(packed.as_slice())
            .and_then(|unpacked| unpacked.take(expected.saturating_add(1)).read_to_end(&mut raw));
        read.map_err(|e| e.to_string())
            .and_then(|_| if raw.len() as u64 == expected { Ok(raw) } else { Err("its length is wrong".to_owned()) })
            .map_err(|what| SnapshotError::Damaged {
                file: self.storage.describe(&part_path(&self.dir, number)),
                byte: 0,
                what: format!("the file cannot be unpacked: {what}"),
            })
    }
}

fn part_path(dir: &str, number: usize) -> String {
    format!("{dir}/part-{number:04}.zst")
}

fn read_file(storage: &dyn Storage, path: &str) -> Result<Vec<u8>, SnapshotError> {
    storage.open(path).and_then(|file| read_all(&*file)).map_err(|source| SnapshotError::Io {
        action: "read",
        path: storage.describe(path),
        source,
    })
}

#[cfg(test)]
mod tests;
