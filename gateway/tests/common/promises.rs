//! What a fault test tried and found, as a row of the table that `make test` and `make chaos` print (`scripts/promises.sh`).

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// One test's row about one promise (`docs/rules/reliability.md "Promises"`).
#[derive(Debug, Default)]
pub(crate) struct Row<'a> {
    /// The event of the promise, in the table's words.
    pub(crate) promise: &'a str,
    /// How it was tried.
    pub(crate) how: &'a str,
    /// How often.
    pub(crate) tried: usize,
    /// Acknowledgements that were looked up afterwards.
    pub(crate) checked: usize,
    /// Those that were gone, or not what was acknowledged.
    pub(crate) lost: usize,
    /// What happened twice, or half.
    pub(crate) doubled: usize,
    /// How long the starts afterwards took.
    pub(crate) starts: Vec<Duration>,
    /// Facts that these starts folded, and the time that this alone took.
    pub(crate) folded: (u64, Duration),
}

impl Row<'_> {
    /// Adds it to the file that the variable PROMISES names (default `target/promises.tsv`).
    pub(crate) fn tell(&self) {
        let file = std::env::var_os("PROMISES").map_or_else(
            || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/promises.tsv")),
            PathBuf::from,
        );
        let mut starts: Vec<u128> = self.starts.iter().map(Duration::as_millis).collect();
        starts.sort_unstable();
        let line = format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            self.promise,
            self.how,
            self.tried,
            self.checked,
            self.lost,
            self.doubled,
            starts.get(starts.len() / 2).copied().unwrap_or(0),
            starts.last().copied().unwrap_or(0),
            self.folded.0,
            self.folded.1.as_micros(),
        );
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let mut out = OpenOptions::new().create(true).append(true).open(&file).unwrap_or_else(|error| {
            panic!("{}: {error}", file.display());
        });
        writeln!(out, "{line}").unwrap();
    }
}
