//! Recorded files: which there are in a folder, and rows of them by column name.
//!
//! Owns: nothing. Never does: write to the folder. Invariants: every error names file and line.
//! Known limits: gzip only; a column may be missing only where it is asked for as optional.

use crate::common::decimal::amount;
use csv::StringRecord;
use flate2::read::MultiGzDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use thiserror::Error;
use xng_core::money::Amount;

/// Folders below the given one that are looked into.
const DEPTH: usize = 3;

/// Why a recording cannot be used.
#[derive(Debug, Error)]
pub enum RecordedError {
    /// A file or folder cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A row that is not CSV, or gzip that is damaged.
    #[error("{path}:{line}: {error}")]
    Csv {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1 for the header.
        line: u64,
        /// Why.
        error: csv::Error,
    },
    /// A column that must be there is not.
    #[error("{path}:1: no column {column}")]
    Column {
        /// Which file.
        path: PathBuf,
        /// Its name.
        column: &'static str,
    },
    /// A value that is not what its column holds.
    #[error("{path}:{line}: {column} is {value:?}")]
    Value {
        /// Which file.
        path: PathBuf,
        /// Which line.
        line: u64,
        /// Which column.
        column: &'static str,
        /// What stands there.
        value: String,
    },
    /// Updates between two messages are missing.
    #[error("{path}:{line}: a gap: update {first} follows {last}")]
    Gap {
        /// Which file.
        path: PathBuf,
        /// Which line.
        line: u64,
        /// First update of the message.
        first: u64,
        /// Last one before it.
        last: u64,
    },
    /// A book without a beginning.
    #[error("{path}: no snapshot")]
    NoSnapshot {
        /// Which file.
        path: PathBuf,
    },
    /// Nothing to replay.
    #[error("{path}: no files spot_<pair>_depth.csv.gz and spot_<pair>_trades.csv.gz of a listed pair")]
    Nothing {
        /// Which folder.
        path: PathBuf,
    },
}

/// Files by name without their ending, of a folder and those below it; of files with one name the first folder's
/// counts.
pub fn files(folder: &Path) -> Result<BTreeMap<String, PathBuf>, RecordedError> {
    let mut found = BTreeMap::new();
    collect(folder, DEPTH, &mut found)?;
    Ok(found)
}

fn collect(folder: &Path, depth: usize, found: &mut BTreeMap<String, PathBuf>) -> Result<(), RecordedError> {
    let fail = |error| RecordedError::Io { path: folder.to_owned(), error };
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder).map_err(fail)?.collect();
    let mut paths: Vec<PathBuf> = entries.map_err(fail)?.iter().map(std::fs::DirEntry::path).collect();
    paths.sort();
    for path in paths.iter().filter(|p| p.is_file()) {
        let name = path.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_suffix(".csv.gz"));
        if let Some(name) = name {
            found.entry(name.to_owned()).or_insert_with(|| path.clone());
        }
    }
    for path in paths.iter().filter(|p| p.is_dir() && depth > 0) {
        collect(path, depth - 1, found)?;
    }
    Ok(())
}

/// A file that is read row by row.
pub struct Table {
    path: PathBuf,
    reader: csv::Reader<BufReader<MultiGzDecoder<File>>>,
    columns: BTreeMap<String, usize>,
    row: StringRecord,
    line: u64,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}

impl Table {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<Table, RecordedError> {
        let file = File::open(path).map_err(|error| RecordedError::Io { path: path.to_owned(), error })?;
        let mut reader = csv::Reader::from_reader(BufReader::new(MultiGzDecoder::new(file)));
        let header = reader.headers().map_err(|error| RecordedError::Csv { path: path.to_owned(), line: 1, error })?;
        let columns = header.iter().enumerate().map(|(i, name)| (name.to_owned(), i)).collect();
        Ok(Table { path: path.to_owned(), reader, columns, row: StringRecord::new(), line: 1 })
    }

    /// The line that the values are of.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Goes to the next row; false at the end.
    pub fn advance(&mut self) -> Result<bool, RecordedError> {
        self.line += 1;
        let (path, line) = (&self.path, self.line);
        self.reader.read_record(&mut self.row).map_err(|error| RecordedError::Csv { path: path.clone(), line, error })
    }

    /// A value as it stands.
    pub fn text(&self, column: &'static str) -> Result<&str, RecordedError> {
        let at = self.columns.get(column).ok_or_else(|| RecordedError::Column { path: self.path.clone(), column })?;
        self.row.get(*at).ok_or_else(|| self.wrong(column))
    }

    /// A whole number or a flag.
    pub fn value<T: FromStr>(&self, column: &'static str) -> Result<T, RecordedError> {
        self.text(column)?.parse().map_err(|_| self.wrong(column))
    }

    /// Whether there is such a column.
    #[must_use]
    pub fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    /// A price that may have more decimals than there are units: they are cut off.
    pub fn rounded(&self, column: &'static str) -> Result<Amount, RecordedError> {
        let text = self.text(column)?;
        let end = text.find('.').map_or(text.len(), |point| text.len().min(point + 9));
        let cut = text.get(..end).unwrap_or(text);
        amount(cut).ok().filter(|a| *a >= Amount::ZERO).ok_or_else(|| self.wrong(column))
    }

    /// An amount or a price; never below zero.
    pub fn amount(&self, column: &'static str) -> Result<Amount, RecordedError> {
        amount(self.text(column)?).ok().filter(|a| *a >= Amount::ZERO).ok_or_else(|| self.wrong(column))
    }

    /// The error for a value of this row that makes no sense.
    #[must_use]
    pub fn wrong(&self, column: &'static str) -> RecordedError {
        let value = self.columns.get(column).and_then(|at| self.row.get(*at)).unwrap_or_default().to_owned();
        RecordedError::Value { path: self.path.clone(), line: self.line, column, value }
    }
}
