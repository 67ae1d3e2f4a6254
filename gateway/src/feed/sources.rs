//! Price sources: the source of each pair's prices.
//!
//! Rules: with the simulator or a venue all pairs have the same source; beside a replay, pairs that the recording
//! lacks are simulated and say so, those of two coins priced by replayed ones where there are such. Stocks whose bars are in the
//! folder follow them, with simulated books and trades. A venue's missing
//! pairs stay closed: nothing is made up in production.
//! Owns: the plan made at the start. Never does: change it while running.
//! Invariants: every listed pair has one source, shown with its price. Known limits: a pair that is
//! listed later has none until a restart.

use super::bars;
use super::recorded::{self, RecordedError};
use super::replay::Files;
use crate::config::{Feed, FeedKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The source of every pair.
#[derive(Debug, Clone)]
pub struct Sources {
    kind: FeedKind,
    files: BTreeMap<String, PathBuf>,
    replayed: BTreeMap<String, Files>,
    bars: BTreeMap<String, PathBuf>,
}

impl Sources {
    /// Plans the sources of listed symbols (`BTCUSDT`), and of stocks with their codes. Errors: a replay without a folder or without
    /// any pair in it.
    pub fn plan<'a>(
        feed: &Feed,
        symbols: impl Iterator<Item = &'a str>,
        stocks: impl Iterator<Item = (String, &'a str)>,
    ) -> Result<Sources, RecordedError> {
        let (files, replayed, bars) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut sources = Sources { kind: feed.kind, files, replayed, bars };
        if feed.kind == FeedKind::Replay {
            let folder = Path::new(&feed.source);
            sources.files = recorded::files(folder)?;
            let found = symbols.filter_map(|s| Some((s.to_owned(), Files::of(s, &sources.files)?)));
            sources.replayed = found.collect();
            let bars = stocks.filter_map(|(symbol, code)| Some((symbol, bars::file(code, &sources.files)?.clone())));
            sources.bars = bars.collect();
            if sources.replayed.is_empty() {
                return Err(RecordedError::Nothing { path: folder.to_owned() });
            }
        }
        Ok(sources)
    }

    /// One pair's source.
    #[must_use]
    pub fn of(&self, symbol: &str) -> FeedKind {
        match self.kind {
            FeedKind::Replay if !self.replayed.contains_key(symbol) => FeedKind::Simulator,
            kind @ (FeedKind::Simulator | FeedKind::Replay | FeedKind::Live) => kind,
        }
    }

    /// How pages and calls label one pair's price.
    #[must_use]
    pub fn label(&self, symbol: &str) -> &'static str {
        if self.bars.contains_key(symbol) { FeedKind::Replay.label() } else { self.of(symbol).label() }
    }

    /// The bars that a simulated stock's price follows.
    #[must_use]
    pub fn bars(&self, symbol: &str) -> Option<&Path> {
        self.bars.get(symbol).map(PathBuf::as_path)
    }

    /// A replayed pair's files.
    #[must_use]
    pub fn recording(&self, symbol: &str) -> Option<&Files> {
        self.replayed.get(symbol)
    }

    /// All files of the replay's folder.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, PathBuf> {
        &self.files
    }
}
