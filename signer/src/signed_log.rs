//! What was signed: a line a transaction, on disk before the signature is told.
//!
//! Owns: the file, its form, the exclusive right to it. Never does: forget; decide. Invariants: a line is on disk before
//! anybody sees the signature; a torn last line was never answered for and is cut off; any other damage stops the start.
//! Known limits: it only grows, and all of it is in memory: about 300 bytes an input.

use crate::keys::Key;
use crate::protocol::{Input, Units, Wei};
use bitcoin::Txid;
use bitcoin::hex::DisplayHex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use thiserror::Error;

/// Hexadecimal digits of a line's checksum.
const CHECK: usize = 16;

#[derive(Debug, Error)]
pub(crate) enum LogError {
    #[error("the log of what was signed: {0}")]
    File(#[from] io::Error),
    #[error("another signer has the log of what was signed")]
    Taken,
    #[error("line {0} of the log of what was signed is damaged: nothing is signed before a person has looked at it")]
    Damaged(usize),
}

/// A signed transaction of Bitcoin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// When, in seconds since 1970.
    pub(crate) at: u64,
    /// The exchange's numbers.
    pub(crate) plan: u64,
    pub(crate) attempt: u32,
    pub(crate) txid: Txid,
    /// Of whom it pays and how much.
    pub(crate) digest: String,
    pub(crate) inputs: Vec<Input>,
    pub(crate) fee: Units,
    /// What it adds to its hour.
    pub(crate) counted: Units,
}

/// A signed transfer on an EVM chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvmEntry {
    /// When, in seconds since 1970.
    pub(crate) at: u64,
    /// The exchange's numbers.
    pub(crate) plan: u64,
    pub(crate) attempt: u32,
    /// What is bound.
    pub(crate) chain_id: u64,
    pub(crate) key: Key,
    pub(crate) nonce: u64,
    /// What was signed.
    pub(crate) hash: String,
    /// Of payee, asset and amount.
    pub(crate) digest: String,
    pub(crate) token: Option<String>,
    pub(crate) max_fee_per_gas: Wei,
    pub(crate) max_priority_fee_per_gas: Wei,
    /// What it costs at most.
    pub(crate) cost: Wei,
    /// What it adds to the asset's hour.
    pub(crate) counted: Wei,
    /// What its fee adds to the coin's hour.
    pub(crate) fee_counted: Wei,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvmLine {
    pub(crate) evm: EvmEntry,
}

/// What a line says. Those of Bitcoin have no title, as in the releases that knew nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Line {
    Coins(Entry),
    Evm(EvmLine),
}

/// The open file.
#[derive(Debug)]
pub(crate) struct SignedLog {
    file: File,
}

fn line(line: &Line) -> io::Result<String> {
    let text = serde_json::to_string(line)?;
    Ok(format!("{} {text}\n", check(&text)))
}

fn check(text: &str) -> String {
    let mut digits = Sha256::digest(text.as_bytes()).to_lower_hex_string();
    digits.truncate(CHECK);
    digits
}

fn parse(line: &str) -> Option<Line> {
    let (sum, text) = line.split_once(' ')?;
    if check(text) == sum { serde_json::from_str(text).ok() } else { None }
}

/// A new, empty one. There is no other way to begin: a missing file is no empty file.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.sync_all()
}

/// Takes it for this process and reads it.
pub(crate) fn open(path: &Path) -> Result<(SignedLog, Vec<Line>), LogError> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    file.try_lock().map_err(|_| LogError::Taken)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    if whole < bytes.len() {
        file.set_len(whole as u64)?;
        file.sync_all()?;
    }
    file.seek(SeekFrom::End(0))?;
    let mut entries = Vec::new();
    for (n, line) in bytes[..whole].split_inclusive(|byte| *byte == b'\n').enumerate() {
        let text = std::str::from_utf8(&line[..line.len() - 1]).ok();
        entries.push(text.and_then(parse).ok_or(LogError::Damaged(n + 1))?);
    }
    Ok((SignedLog { file }, entries))
}

impl SignedLog {
    /// Adds a line and waits until it is on disk. After an error nobody knows what is: the process must end.
    pub(crate) fn add(&mut self, said: &Line) -> io::Result<()> {
        self.file.write_all(line(said)?.as_bytes())?;
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn entry(plan: u64) -> Line {
        let key = Key { ring: 0, change: false, index: 3 };
        let txid: Txid = "ab".repeat(32).parse().unwrap();
        let input = Input { txid, n: 1, units: Units(5), key };
        let (fee, counted) = (Units(1), Units(2));
        let digest = "00".into();
        Line::Coins(Entry { at: 10, plan, attempt: 0, txid, digest, inputs: vec![input], fee, counted })
    }

    #[test]
    fn a_line_torn_at_any_byte_is_cut_off_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        create(&path).unwrap();
        let (mut log, none) = open(&path).unwrap();
        assert!(none.is_empty());
        log.add(&entry(1)).unwrap();
        let first = fs::metadata(&path).unwrap().len();
        log.add(&entry(2)).unwrap();
        assert!(matches!(open(&path), Err(LogError::Taken)), "one signer a log");
        drop(log);
        let bytes = fs::read(&path).unwrap();
        for length in first..bytes.len() as u64 {
            fs::write(&path, &bytes[..length as usize]).unwrap();
            let (mut log, entries) = open(&path).unwrap();
            assert_eq!(entries, [entry(1)], "{length}");
            assert_eq!(fs::metadata(&path).unwrap().len(), first);
            log.add(&entry(3)).unwrap();
            drop(log);
            assert_eq!(open(&path).unwrap().1, [entry(1), entry(3)]);
        }
    }

    #[test]
    fn a_changed_byte_stops_the_start_and_so_does_a_missing_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        assert!(matches!(open(&path), Err(LogError::File(_))));
        create(&path).unwrap();
        let (mut log, _) = open(&path).unwrap();
        log.add(&entry(1)).unwrap();
        log.add(&entry(2)).unwrap();
        drop(log);
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() - 1 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).unwrap();
            assert!(matches!(open(&path), Err(LogError::Damaged(_))), "{at}");
        }
        assert!(create(&path).is_err(), "never overwritten");
    }
}
