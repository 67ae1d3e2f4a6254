//! Files of the archive: their names, lines read one by one, files that appear whole or not at all.
//!
//! Owns: the names. Never does: interpret a line. Invariants: a file that has its final name is whole and on disk; of the
//! file that is being written only whole lines are handed out.
//! Known limits: a reader may find that a file was compressed after it listed it, and looks again.
//!
//! ```text
//! <data>/ticks/cursor                 up to which record everything is in these files and on disk
//!              <price>/<hour>.jsonl       the hour that is being written, and hours that wait to be compressed
//!              <price>/<hour>.jsonl.zst   an hour that is over
//!              <price>/<hour>.root        its signed root, one line of JSON
//!              <price>/<hour>.jsonl.zst.damaged   one that could not be read at a start; nobody looks at it
//! ```

use super::line::{hash, hex, unhex};
use super::root::SignedRoot;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use xng_core::ids::PriceId;

/// Hours of a price, and whether each is compressed.
pub(super) type Hours = BTreeMap<u64, bool>;

const PLAIN: &str = "jsonl";
const PACKED: &str = "jsonl.zst";
const DAMAGED: &str = "jsonl.zst.damaged";
const ROOT: &str = "root";

/// A missing folder or file as none.
pub(super) fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn path(folder: &Path, price: PriceId, hour: u64, ending: &str) -> PathBuf {
    folder.join(price.to_string()).join(format!("{hour}.{ending}"))
}

/// The file of an hour that is not compressed.
pub(super) fn plain(folder: &Path, price: PriceId, hour: u64) -> PathBuf {
    path(folder, price, hour, PLAIN)
}

/// Prices that have a folder.
pub(super) fn prices(folder: &Path) -> io::Result<Vec<PriceId>> {
    let Some(entries) = there(fs::read_dir(folder))? else { return Ok(Vec::new()) };
    let mut prices = Vec::new();
    for entry in entries {
        prices.extend(entry?.file_name().to_str().and_then(|name| name.parse().ok()).map(PriceId));
    }
    Ok(prices)
}

/// Hours that have a file.
pub(super) fn hours(folder: &Path, price: PriceId) -> io::Result<Hours> {
    let mut hours = Hours::new();
    let Some(entries) = there(fs::read_dir(folder.join(price.to_string())))? else { return Ok(hours) };
    for entry in entries {
        let name = entry?.file_name();
        let Some((hour, ending)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
        let Ok(hour) = hour.parse() else { continue };
        match ending {
            PLAIN => drop(hours.entry(hour).or_insert(false)),
            PACKED => drop(hours.insert(hour, true)),
            _ => {}
        }
    }
    Ok(hours)
}

/// Whole lines of a file, without their ends; none after an error.
pub(super) struct Lines(Option<Box<dyn BufRead>>);

impl Lines {
    /// Of an hour, compressed or not; none when there is no such file.
    pub(super) fn open(folder: &Path, price: PriceId, hour: u64) -> io::Result<Option<Lines>> {
        if let Some(file) = there(File::open(path(folder, price, hour, PLAIN)))? {
            return Ok(Some(Lines(Some(Box::new(BufReader::new(file))))));
        }
        Lines::packed(folder, price, hour)
    }

    /// Of an hour's compressed file.
    pub(super) fn packed(folder: &Path, price: PriceId, hour: u64) -> io::Result<Option<Lines>> {
        let Some(file) = there(File::open(path(folder, price, hour, PACKED)))? else { return Ok(None) };
        Ok(Some(Lines(Some(Box::new(BufReader::new(zstd::Decoder::new(file)?))))))
    }
}

impl Iterator for Lines {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        let mut bytes = Vec::new();
        match self.0.as_mut()?.read_until(b'\n', &mut bytes) {
            Err(error) => {
                self.0 = None;
                Some(Err(error))
            }
            // What has no end yet is being written.
            Ok(_) if bytes.pop() != Some(b'\n') => None,
            // What is no text is no line of ours; whoever reads it says so.
            Ok(_) => Some(Ok(String::from_utf8(bytes).unwrap_or_default())),
        }
    }
}

/// Writes a file that appears whole or not at all, and is on disk then.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    sync_parent(path)
}

/// Makes the names beside a file durable.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Puts a compressed file in the place of an hour's.
pub(super) fn pack(folder: &Path, price: PriceId, hour: u64, bytes: &[u8]) -> io::Result<()> {
    // zstd's own default.
    let packed = zstd::encode_all(bytes, 0)?;
    write_whole(&path(folder, price, hour, PACKED), &packed)?;
    fs::remove_file(path(folder, price, hour, PLAIN))
}

/// Whether it is the file's fault that it was not read: what the operating system refuses for another reason may pass.
pub(super) fn is_damage(error: &io::Error) -> bool {
    error.raw_os_error().is_none_or(|code| code == rustix::io::Errno::IO.raw_os_error())
}

/// Takes an hour's compressed file out of the archive, and gives its new name.
pub(super) fn put_aside(folder: &Path, price: PriceId, hour: u64) -> io::Result<PathBuf> {
    let (from, to) = (path(folder, price, hour, PACKED), path(folder, price, hour, DAMAGED));
    fs::rename(&from, &to)?;
    sync_parent(&to)?;
    Ok(to)
}

/// Keeps an hour's root.
pub(super) fn write_root(folder: &Path, price: PriceId, hour: u64, root: &SignedRoot) -> io::Result<()> {
    let SignedRoot { statement, signature, key } = root;
    let row = json!({ "statement": hex(statement), "signature": hex(signature), "key": hex(key) });
    write_whole(&path(folder, price, hour, ROOT), format!("{row}\n").as_bytes())
}

/// An hour's root, if it has one.
pub(super) fn read_root(folder: &Path, price: PriceId, hour: u64) -> io::Result<Option<SignedRoot>> {
    let Some(text) = there(fs::read_to_string(path(folder, price, hour, ROOT)))? else { return Ok(None) };
    let damaged = || io::Error::other(format!("the root of hour {hour} of price {price} is damaged"));
    let row: Value = serde_json::from_str(&text).map_err(|_| damaged())?;
    let bytes = |name: &str| row[name].as_str().and_then(unhex).ok_or_else(damaged);
    let key = row["key"].as_str().and_then(hash).ok_or_else(damaged)?;
    Ok(Some(SignedRoot { statement: bytes("statement")?, signature: bytes("signature")?, key: key.to_vec() }))
}
