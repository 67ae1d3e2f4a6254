//! Reading the archive: slices of ticks, roots, places in them.
//!
//! Owns: finding the hour of a tick. Never does: write; wait for a tick. Invariants: a slice has no gap. Known limits: an hour is
//! read from its begin; whoever reads does so on a thread that may wait for a disk.

use super::book::hour_hashes;
use super::files::{self, Lines};
use super::line::{self, ArchivedTick, Hash, Line};
use super::root::{SignedRoot, path};
use super::{MOST_TICKS, TickMetrics, hour_of};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xng_core::entity::TimeNs;
use xng_core::ids::PriceId;

/// Attempts to open an hour that is being compressed meanwhile.
const ATTEMPTS: u32 = 3;

/// Ticks in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// Hash of the tick before the first one.
    pub previous: Hash,
    /// The ticks.
    pub ticks: Vec<ArchivedTick>,
}

/// Why there is no slice.
#[derive(Debug, thiserror::Error)]
pub enum SliceError {
    /// Its last ticks are not in the archive yet.
    #[error("not archived yet")]
    NotYet,
    /// Its first ticks came before the archive begins, or are missing in it.
    #[error("older than the archive")]
    Older,
    /// It would have more ticks than are given at once.
    #[error("too many ticks")]
    TooMany,
    /// The operating system refused, or a file is damaged.
    #[error("the archive of ticks: {0}")]
    File(#[from] io::Error),
}

/// Reads the archive.
#[derive(Debug, Clone)]
pub struct TickArchive {
    folder: PathBuf,
    metrics: Arc<TickMetrics>,
}

fn damaged(price: PriceId, hour: u64) -> SliceError {
    io::Error::other(format!("hour {hour} of price {price} is damaged")).into()
}

impl TickArchive {
    /// Of a folder.
    #[must_use]
    pub fn new(folder: &Path, metrics: Arc<TickMetrics>) -> TickArchive {
        TickArchive { folder: folder.to_owned(), metrics }
    }

    /// How far it is.
    #[must_use]
    pub fn metrics(&self) -> &TickMetrics {
        &self.metrics
    }

    /// The lines of an hour, which may be compressed between two looks.
    fn lines(&self, price: PriceId, hour: u64) -> io::Result<Lines> {
        for _ in 0..ATTEMPTS {
            if let Some(lines) = Lines::open(&self.folder, price, hour)? {
                return Ok(lines);
            }
        }
        Err(io::Error::other(format!("hour {hour} of price {price} is gone")))
    }

    /// The number of an hour's first tick; none while nothing of it is written.
    fn first_of(&self, price: PriceId, hour: u64) -> io::Result<Option<u64>> {
        for text in self.lines(price, hour)? {
            if let Some(seq) = line::seq_of(&text?) {
                return Ok(Some(seq));
            }
        }
        Ok(None)
    }

    /// The hours from that of a tick on.
    fn hours_from(&self, price: PriceId, seq: u64) -> Result<Vec<u64>, SliceError> {
        let hours: Vec<u64> = files::hours(&self.folder, price)?.into_keys().collect();
        let (mut low, mut high) = (0, hours.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.first_of(price, hours[middle])?.is_some_and(|first| first <= seq) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        match low.checked_sub(1) {
            Some(at) => Ok(hours[at..].to_vec()),
            None if hours.is_empty() => Err(SliceError::NotYet),
            None => match self.first_of(price, hours[0])? {
                Some(_) => Err(SliceError::Older),
                None => Err(SliceError::NotYet),
            },
        }
    }

    /// Ticks from a number on until `done` says of one that it is the last; false when the archive ends before.
    fn read(
        &self,
        price: PriceId,
        from: u64,
        most: usize,
        done: impl Fn(&ArchivedTick) -> bool,
    ) -> Result<(Slice, bool), SliceError> {
        let mut slice = Slice { previous: [0; 32], ticks: Vec::new() };
        let mut before: Option<Hash> = None;
        for hour in self.hours_from(price, from)? {
            for text in self.lines(price, hour)? {
                let text = text?;
                if line::seq_of(&text).is_some_and(|seq| seq < from) {
                    before = Some(line::hash_of(&text).ok_or_else(|| damaged(price, hour))?);
                    continue;
                }
                match line::parsed(&text).ok_or_else(|| damaged(price, hour))? {
                    Line::Head(head) if head.begins && !slice.ticks.is_empty() => return Err(SliceError::Older),
                    Line::Head(head) => before = Some(head.previous),
                    Line::Tick(tick) => {
                        if tick.seq != from + slice.ticks.len() as u64 {
                            return Err(SliceError::Older);
                        }
                        if slice.ticks.is_empty() {
                            slice.previous = before.ok_or_else(|| damaged(price, hour))?;
                        }
                        if slice.ticks.len() == most {
                            return Err(SliceError::TooMany);
                        }
                        let last = done(&tick);
                        slice.ticks.push(tick);
                        if last {
                            return Ok((slice, true));
                        }
                    }
                }
            }
        }
        Ok((slice, false))
    }

    /// The ticks with these numbers, both included.
    ///
    /// # Errors
    /// When the archive does not have all of them, or they are more than [`MOST_TICKS`].
    pub fn slice(&self, price: PriceId, from: u64, to: u64) -> Result<Slice, SliceError> {
        if to.checked_sub(from).is_none_or(|more| more >= MOST_TICKS as u64) {
            return Err(SliceError::TooMany);
        }
        match self.read(price, from, MOST_TICKS, |tick| tick.seq >= to)? {
            (slice, true) => Ok(slice),
            (_, false) => Err(SliceError::NotYet),
        }
    }

    /// The ticks from a number on up to the first one after a time, and whether that one is among them.
    ///
    /// # Errors
    /// When the archive does not have the first one, or they are more than `most`.
    pub fn until(&self, price: PriceId, from: u64, time: TimeNs, most: usize) -> Result<(Slice, bool), SliceError> {
        let (slice, done) = self.read(price, from, most, |tick| tick.time > time)?;
        if slice.ticks.is_empty() { Err(SliceError::NotYet) } else { Ok((slice, done)) }
    }

    /// The signed root of an hour, if it is over and archived.
    ///
    /// # Errors
    /// The operating system's.
    pub fn root(&self, price: PriceId, hour: u64) -> io::Result<Option<SignedRoot>> {
        files::read_root(&self.folder, price, hour)
    }

    /// The signed root of an hour, or why there is none: it is not over or not compressed yet, or it has none.
    ///
    /// # Errors
    /// Not yet, older, or the operating system's.
    pub fn signed_root(&self, price: PriceId, hour: u64) -> Result<SignedRoot, SliceError> {
        // Before the look for the root: an hour that gets one meanwhile is told as not yet.
        let is_over = hour < hour_of(self.metrics.through());
        let waits = files::plain(&self.folder, price, hour).exists();
        let none = if is_over && !waits { SliceError::Older } else { SliceError::NotYet };
        self.root(price, hour)?.ok_or(none)
    }

    /// The way from a tick of an hour to the hour's root.
    ///
    /// # Errors
    /// The operating system's.
    pub fn path(&self, price: PriceId, hour: u64, seq: u64) -> io::Result<Option<(u64, Vec<Hash>)>> {
        let Some((first, hashes)) = hour_hashes(&self.folder, price, hour)? else { return Ok(None) };
        let place = seq.checked_sub(first).filter(|place| *place < hashes.len() as u64);
        Ok(place.map(|place| (place, path(&hashes, place as usize))))
    }

    /// The newest hour of a price.
    ///
    /// # Errors
    /// The operating system's.
    pub fn newest_hour(&self, price: PriceId) -> io::Result<Option<u64>> {
        Ok(files::hours(&self.folder, price)?.into_keys().max())
    }
}
