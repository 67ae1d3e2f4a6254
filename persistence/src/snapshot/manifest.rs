//! A snapshot's manifest: what is in the snapshot, and how each file of it looks.
//!
//! Owns: the manifest's bytes (the picture is in `mod.rs`). Never does: I/O.
//! Invariants: what decodes is under a checksum of its own, and nothing is left over. Known limits: none.

use xng_core::journal::Lsn;

const MAGIC: [u8; 8] = *b"XNGSNAP\0";
const FIXED_MANIFEST_BYTES: usize = 44;
const PART_RECORD_BYTES: usize = 20;
/// The form that this build writes, and the newest that it reads.
pub(super) const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) cell: u32,
    pub(super) lsn: Lsn,
    pub(super) digest: u64,
    pub(super) entries: u64,
    pub(super) parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) file_bytes: u64,
    pub(super) raw_bytes: u64,
    pub(super) crc: u32,
}

impl Manifest {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(FIXED_MANIFEST_BYTES + self.parts.len() * PART_RECORD_BYTES + 4);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&self.cell.to_le_bytes());
        out.extend_from_slice(&self.lsn.0.to_le_bytes());
        out.extend_from_slice(&self.digest.to_le_bytes());
        out.extend_from_slice(&self.entries.to_le_bytes());
        out.extend_from_slice(&(self.parts.len() as u32).to_le_bytes());
        for part in &self.parts {
            out.extend_from_slice(&part.file_bytes.to_le_bytes());
            out.extend_from_slice(&part.raw_bytes.to_le_bytes());
            out.extend_from_slice(&part.crc.to_le_bytes());
        }
        let crc = crc32c::crc32c(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }

    /// The format of an intact manifest, whatever it is.
    pub(super) fn version(bytes: &[u8]) -> Option<u32> {
        let (body, crc) = bytes.split_last_chunk::<4>()?;
        let mut at = Fields(body);
        let intact = u32::from_le_bytes(*crc) == crc32c::crc32c(body) && at.take::<8>() == Ok(MAGIC);
        intact.then(|| at.take().ok().map(u32::from_le_bytes)).flatten()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let (body, crc) = bytes.split_last_chunk::<4>().ok_or("the manifest is empty")?;
        if u32::from_le_bytes(*crc) != crc32c::crc32c(body) {
            return Err("the manifest does not match its checksum".to_owned());
        }
        let mut at = Fields(body);
        if at.take::<8>()? != MAGIC {
            return Err("this is no snapshot's manifest".to_owned());
        }
        let version = u32::from_le_bytes(at.take()?);
        if version != VERSION {
            return Err(format!("the snapshot has format {version}, this reader knows {VERSION}"));
        }
        let cell = u32::from_le_bytes(at.take()?);
        let lsn = Lsn(u64::from_le_bytes(at.take()?));
        let digest = u64::from_le_bytes(at.take()?);
        let entries = u64::from_le_bytes(at.take()?);
        let count = u32::from_le_bytes(at.take()?);
        let mut parts = Vec::new();
        for _ in 0..count {
            let file_bytes = u64::from_le_bytes(at.take()?);
            let raw_bytes = u64::from_le_bytes(at.take()?);
            let crc = u32::from_le_bytes(at.take()?);
            parts.push(Part { file_bytes, raw_bytes, crc });
        }
        if at.0.is_empty() {
            Ok(Self { cell, lsn, digest, entries, parts })
        } else {
            Err("the manifest has bytes left over".to_owned())
        }
    }
}

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (field, rest) = self.0.split_first_chunk::<N>().ok_or("the manifest is cut short")?;
        self.0 = rest;
        Ok(*field)
    }
}
