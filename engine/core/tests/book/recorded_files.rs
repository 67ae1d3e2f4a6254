//! Files of recorded market data, where they are. The folder is named by the variable DATA (default `../shared/data` beside
//! the repository).

use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    PathBuf::from(std::env::var("DATA").unwrap_or_else(|_| default.to_owned()))
}

/// A row by the names of its columns.
pub(crate) type Row = BTreeMap<String, String>;

pub(crate) fn rows(source: impl Read) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(source);
    let header = reader.headers().unwrap().clone();
    let row = |r: csv::StringRecord| header.iter().zip(r.iter()).map(|(k, v)| (k.into(), v.into())).collect();
    reader.records().map(|r| row(r.unwrap())).collect()
}

/// The rows of a file in the folder; none when it is not there.
pub(crate) fn recording(name: &str) -> Option<Vec<Row>> {
    let path: PathBuf = data().join(name);
    let exists = Path::new(&path).exists();
    exists.then(|| rows(GzDecoder::new(File::open(&path).unwrap())))
}
