//! The entities of a snapshot, one after the other.
//!
//! Owns: the form of an entry within a part. Never does: check a file; the snapshot did when it was opened, and does again.
//! Invariants: an error is the last thing that is handed out. Known limits: one part at a time is in memory, whole.

use super::{Entry, Snapshot, SnapshotError, part_path};

/// Iterates over the entities of a snapshot; ends after the first error.
#[derive(Debug)]
pub struct Entries<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) part: usize,
    pub(super) raw: Vec<u8>,
    pub(super) at: usize,
    pub(super) left: u64,
    pub(super) failed: bool,
}

impl Entries<'_> {
    fn read(&mut self) -> Result<Entry, SnapshotError> {
        if self.at == self.raw.len() && self.part < self.snapshot.manifest.parts.len() {
            self.raw = self.snapshot.raw_part(self.part)?;
            self.at = 0;
            self.part += 1;
        }
        match (self.field(), self.field()) {
            (Some(key), Some(value)) => Ok((key, value)),
            (_, _) => Err(SnapshotError::Damaged {
                file: self.snapshot.storage.describe(&part_path(&self.snapshot.dir, self.part.saturating_sub(1))),
                byte: self.at as u64,
                what: "an entry is cut short".to_owned(),
            }),
        }
    }

    fn field(&mut self) -> Option<Vec<u8>> {
        let (len, rest) = self.raw.get(self.at..)?.split_first_chunk::<4>()?;
        let field = rest.get(..u32::from_le_bytes(*len) as usize)?.to_vec();
        self.at += 4 + field.len();
        Some(field)
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, SnapshotError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 || self.failed {
            return None;
        }
        self.left -= 1;
        let entry = self.read();
        self.failed = entry.is_err();
        Some(entry)
    }
}
