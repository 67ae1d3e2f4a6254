//! Compressed copies of segments that are no longer needed for recovery: replay, audit and dumps read them.
//!
//! Owns: the archive's files: zstd of a segment's header and blocks, without the unused rest.
//! Never does: delete an archived segment; decide when one may be archived.
//! Invariants: a file has its final name only after it was synced, read back, and its blocks walked to the segment's
//! last LSN and chain hash.
//! Known limits: a whole segment is held in memory while it is compressed or read (64 MiB with the default size).

use std::{
    io::{self, BufReader, Read},
    sync::Arc,
};

use super::{
    error::JournalError,
    format::{SEGMENT_HEADER_BYTES, SegmentHeader},
    metrics::JournalMetrics,
    segment::{ARCHIVE_DIR, Name, Position, Walk, list_archive, read_header},
    storage::{Storage, StorageFile},
};

/// zstd's own default: about 1 GB in 2 s on one core, and half the size of level 1 is not there to be had.
const COMPRESSION_LEVEL: i32 = 3;
/// Two to this many bytes are what unpacking looks back at most; the level above needs a quarter of it.
const WINDOW_LOG_MOST: u32 = 23;

/// Compresses segment `number`, unless that was done before a crash. The next segment exists: its header says where
/// this one must end, so that a damaged segment is never archived as a shorter one.
pub(crate) fn archive_segment(
    storage: &dyn Storage,
    cell: u32,
    number: u64,
    metrics: &JournalMetrics,
) -> Result<(), JournalError> {
    let source = Name::Segment(number).path();
    let shown = storage.describe(&source);
    let file = storage.open(&source).map_err(JournalError::io("open", &*shown))?;
    let header = read_header(&*file, &shown, cell)?;
    let next_path = Name::Segment(number + 1).path();
    let next_shown = storage.describe(&next_path);
    let next_file = storage.open(&next_path).map_err(JournalError::io("open", &*next_shown))?;
    let next = read_header(&*next_file, &next_shown, cell)?;
    let end = walk_to_end(file.clone(), shown.clone(), &header)?;
    if (end.next, end.chain) != (next.first_lsn, next.prev_hash) {
        let what = format!("no intact block here, but segment {} begins at {}", number + 1, next.first_lsn);
        return Err(JournalError::Corrupt { file: shown, byte: end.offset, what });
    }

    storage.create_dir(ARCHIVE_DIR).map_err(JournalError::io("create", storage.describe(ARCHIVE_DIR)))?;
    storage.sync_dir("").map_err(JournalError::io("sync", storage.describe("")))?;
    let target = Name::Archived(number);
    if list_archive(storage)?.contains(&target) {
        verify(storage, cell, target, &header, end)?;
        // The process that gave it its name may have died before the name was durable.
        return sync_archive(storage);
    }

    let mut used = vec![0; end.offset as usize];
    file.read_at(&mut used, 0).map_err(JournalError::io("read", &*shown))?;
    let packed = pack(&used).map_err(JournalError::io("compress", &*shown))?;
    let temporary = Name::ArchiveTemporary(number);
    if let Err(e) = write_new(storage, &temporary.path(), &packed) {
        remove_if_there(storage, &temporary.path());
        return Err(e);
    }
    verify(storage, cell, temporary, &header, end)?;
    let (from, to) = (temporary.path(), target.path());
    storage.rename(&from, &to).map_err(JournalError::io("rename", storage.describe(&from)))?;
    sync_archive(storage)?;
    JournalMetrics::add(&metrics.archived_bytes, packed.len() as u64);
    Ok(())
}

/// Removes what a crash left half-written.
pub(crate) fn remove_temporaries(storage: &dyn Storage) -> Result<(), JournalError> {
    for name in list_archive(storage)? {
        if let Name::ArchiveTemporary(_) = name {
            let path = name.path();
            storage.remove(&path).map_err(JournalError::io("remove", storage.describe(&path)))?;
        }
    }
    Ok(())
}

/// Opens an archived segment as if it were a file of the segment's own bytes, or `None` when there is none.
pub(crate) fn open_archived(storage: &dyn Storage, number: u64) -> Result<Option<Arc<dyn StorageFile>>, JournalError> {
    let path = Name::Archived(number).path();
    match storage.open(&path) {
        Ok(file) => Ok(Some(Arc::new(unpack(storage, &path, &*file)?))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(JournalError::io("open", storage.describe(&path))(e)),
    }
}

/// The header of an archived segment, without unpacking the rest.
pub(crate) fn archived_header(storage: &dyn Storage, number: u64, cell: u32) -> Result<SegmentHeader, JournalError> {
    let name = Name::Archived(number);
    let shown = name.shown(storage);
    let file = storage.open(&name.path()).map_err(JournalError::io("open", &*shown))?;
    let mut bytes = vec![0; SEGMENT_HEADER_BYTES];
    decoder(&*file).and_then(|mut decoder| decoder.read_exact(&mut bytes)).map_err(|e| damaged(&shown, &e))?;
    read_header(&MemoryFile(bytes), &shown, cell)
}

fn walk_to_end(file: Arc<dyn StorageFile>, name: String, header: &SegmentHeader) -> Result<Position, JournalError> {
    let mut walk = Walk::new(file, name, header)?;
    while walk.next_block()?.is_some() {}
    Ok(walk.position())
}

fn verify(
    storage: &dyn Storage,
    cell: u32,
    name: Name,
    expected: &SegmentHeader,
    end: Position,
) -> Result<(), JournalError> {
    let path = name.path();
    let shown = name.shown(storage);
    let file = storage.open(&path).map_err(JournalError::io("open", &*shown))?;
    let copy: Arc<dyn StorageFile> = Arc::new(unpack(storage, &path, &*file)?);
    let header = read_header(&*copy, &shown, cell)?;
    let found = walk_to_end(copy, shown.clone(), &header)?;
    if header == *expected && found == end {
        return Ok(());
    }
    let what = format!("the copy ends at {}, the segment at {}", found.next, end.next);
    Err(JournalError::Corrupt { file: shown, byte: found.offset, what })
}

/// Compresses a segment's header and blocks.
pub(crate) fn pack(used: &[u8]) -> io::Result<Vec<u8>> {
    zstd::encode_all(used, COMPRESSION_LEVEL)
}

fn sync_archive(storage: &dyn Storage) -> Result<(), JournalError> {
    storage.sync_dir(ARCHIVE_DIR).map_err(JournalError::io("sync", storage.describe(ARCHIVE_DIR)))
}

fn write_new(storage: &dyn Storage, path: &str, bytes: &[u8]) -> Result<(), JournalError> {
    let file = storage.create(path).map_err(JournalError::io("create", storage.describe(path)))?;
    file.write_at(bytes, 0).map_err(JournalError::io("write", storage.describe(path)))?;
    file.sync().map_err(JournalError::io("sync", storage.describe(path)))
}

fn remove_if_there(storage: &dyn Storage, path: &str) {
    if let Err(e) = storage.remove(path) {
        tracing::warn!(file = path, error = %e, "cannot remove a half-written archive file");
    }
}

/// Unpacks a segment's header and blocks: no more than the header says that there may be.
pub(crate) fn unpack(storage: &dyn Storage, path: &str, file: &dyn StorageFile) -> Result<MemoryFile, JournalError> {
    let shown = storage.describe(path);
    unpack_bounded(file).map(MemoryFile).map_err(|e| damaged(&shown, &e))
}

fn unpack_bounded(file: &dyn StorageFile) -> io::Result<Vec<u8>> {
    let mut decoder = decoder(file)?;
    let mut bytes = vec![0; SEGMENT_HEADER_BYTES];
    decoder.read_exact(&mut bytes)?;
    // Without a header that can be read nothing behind it can: whoever looks at it next says what is wrong.
    let Ok(header) = SegmentHeader::decode(&bytes) else { return Ok(bytes) };
    decoder.take(header.segment_bytes - SEGMENT_HEADER_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > header.segment_bytes {
        return Err(io::Error::other(format!("more than the {} bytes of the segment are in it", header.segment_bytes)));
    }
    Ok(bytes)
}

fn decoder(file: &dyn StorageFile) -> io::Result<zstd::Decoder<'_, BufReader<Sequential<'_>>>> {
    let mut decoder = zstd::Decoder::new(Sequential { file, at: 0 })?;
    decoder.window_log_max(WINDOW_LOG_MOST)?;
    Ok(decoder)
}

fn damaged(file: &str, error: &io::Error) -> JournalError {
    JournalError::Corrupt {
        file: file.to_owned(),
        byte: 0,
        what: format!("the compressed segment cannot be unpacked: {error}"),
    }
}

/// Reads a file from front to back, for the decompressor.
struct Sequential<'a> {
    file: &'a dyn StorageFile,
    at: u64,
}

impl Read for Sequential<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read_at(buf, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// An unpacked segment.
#[derive(Debug)]
pub(crate) struct MemoryFile(pub(crate) Vec<u8>);

impl StorageFile for MemoryFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let from = self.0.len().min(offset as usize);
        let n = buf.len().min(self.0.len() - from);
        buf[..n].copy_from_slice(&self.0[from..from + n]);
        Ok(n)
    }

    fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
