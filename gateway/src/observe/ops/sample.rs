//! Rates and percentiles of the last seconds, from counters that only grow.
//!
//! Owns: samples of ten seconds. Never does: count itself. Invariants: a rate is of two samples and the time between
//! them; a percentile is of what was counted in that time, nothing without counts. Known limits: percentiles are as fine
//! as the buckets, straight lines within one.

use crate::observe::metrics::process;
use crate::observe::metrics::scrape::Figures;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use xng_core::entity::Command;
use xng_core::histogram::Histogram;

/// Samples that are kept: percentiles are of as many seconds.
const KEPT: usize = 11;

/// Counts of a histogram at one moment.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    bounds: &'static [u64],
    counts: Vec<u64>,
    sum: u64,
}

impl From<&Histogram> for Counts {
    fn from(histogram: &Histogram) -> Counts {
        Counts { bounds: histogram.bounds(), counts: histogram.counts(), sum: histogram.sum() }
    }
}

impl Counts {
    /// What was counted since `before`.
    #[must_use]
    pub fn since(&self, before: &Counts) -> Counts {
        let counts = self.counts.iter().zip(before.counts.iter().chain(std::iter::repeat(&0)));
        let counts = counts.map(|(now, then)| now.saturating_sub(*then)).collect();
        Counts { bounds: self.bounds, counts, sum: self.sum.saturating_sub(before.sum) }
    }

    /// Both together; they have the same bounds.
    #[must_use]
    pub fn and(mut self, other: &Counts) -> Counts {
        if self.counts.is_empty() {
            return other.clone();
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
        self.sum += other.sum;
        self
    }

    /// How many.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The mean; nothing without counts.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.total() > 0).then(|| self.sum as f64 / self.total() as f64)
    }

    /// The value below which a share lies; nothing without counts. In the last bucket, which has no end, its beginning.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = self.total() as f64 * share;
        if self.total() == 0 {
            return None;
        }
        let mut so_far = 0.0;
        for (n, count) in self.counts.iter().map(|count| *count as f64).enumerate() {
            let from = if n == 0 { 0 } else { self.bounds[n - 1] } as f64;
            if count > 0.0 && so_far + count >= wanted {
                let to = self.bounds.get(n).map_or(from, |bound| *bound as f64);
                return Some(from + (to - from) * ((wanted - so_far) / count).clamp(0.0, 1.0));
            }
            so_far += count;
        }
        self.bounds.last().map(|bound| *bound as f64)
    }
}

/// All that grows, at one moment.
#[derive(Debug, Clone)]
pub struct Sample {
    at: Instant,
    pub(super) messages: Vec<u64>,
    pub(super) handle: Vec<Counts>,
    pub(super) wait: Vec<Counts>,
    pub(super) commands: u64,
    pub(super) rejects: u64,
    pub(super) busy: u64,
    pub(super) records: u64,
    pub(super) bytes: u64,
    pub(super) groups: Counts,
    pub(super) fsync: Counts,
    pub(super) rows: u64,
    pub(super) batches: Counts,
    pub(super) fanout: Counts,
    pub(super) conflated: u64,
    pub(super) orders: u64,
    pub(super) ack: Counts,
    pub(super) requests: u64,
    pub(super) trades: BTreeMap<String, u64>,
    pub(super) threads: BTreeMap<String, f64>,
}

impl Sample {
    /// A look at all counters.
    #[must_use]
    pub fn take(f: &Figures) -> Sample {
        let (meters, journal, persister) = (f.cell.meters(), f.journal.metrics(), f.persister.metrics());
        let (counters, mine) = (f.cell.stats().counters, &f.shared.meters);
        let load = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let boards = f.shared.boards.all();
        let trades = boards.iter().map(|board| {
            let board = crate::market::board::read(board);
            (board.params.symbol.clone(), board.own_trades + board.tape_trades)
        });
        Sample {
            at: Instant::now(),
            messages: (0..Command::MESSAGE_NUMBERS).map(|message| meters.messages(message)).collect(),
            handle: meters.handle_nanos.iter().map(Counts::from).collect(),
            wait: meters.wait_nanos.iter().map(Counts::from).collect(),
            commands: counters.commands,
            rejects: counters.rejects,
            busy: counters.busy,
            records: load(&journal.appended_records),
            bytes: load(&journal.written_bytes),
            groups: (&journal.group_records).into(),
            fsync: (&journal.fsync_micros).into(),
            rows: load(&persister.rows),
            batches: (&persister.batch_micros).into(),
            fanout: (&mine.sockets.fanout_micros).into(),
            conflated: mine.sockets.all_conflated().map(|(_, n)| n).sum(),
            orders: mine.orders.ends().map(|(_, _, n)| n).sum(),
            ack: (&mine.orders.ack_micros).into(),
            requests: mine.http.answers().iter().map(|(_, _, n)| n).sum(),
            trades: trades.collect(),
            threads: process::threads().into_iter().map(|(name, (_, seconds))| (name, seconds)).collect(),
        }
    }

    /// Growth a second since `before`.
    #[must_use]
    pub fn rate(&self, before: &Sample, of: impl Fn(&Sample) -> f64) -> f64 {
        let seconds = self.at.duration_since(before.at).as_secs_f64();
        if seconds > 0.0 { (of(self) - of(before)).max(0.0) / seconds } else { 0.0 }
    }
}

/// The samples of the last seconds.
#[derive(Debug, Default)]
pub struct Window(VecDeque<Sample>);

impl Window {
    /// Adds a sample; gives the newest, the one before it and the oldest that is kept.
    pub fn add(&mut self, sample: Sample) -> (&Sample, &Sample, &Sample) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(sample);
        let newest = self.0.len() - 1;
        (&self.0[newest], &self.0[newest.saturating_sub(1)], &self.0[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(values: &[u64]) -> Counts {
        let histogram = Histogram::new(&[10, 20, 40]);
        values.iter().for_each(|value| histogram.record(*value));
        Counts::from(&histogram)
    }

    #[test]
    fn a_percentile_is_of_what_came_since() {
        let before = counts(&[5, 5, 5]);
        let now = counts(&[5, 5, 5, 15, 15, 30, 30]);
        let since = now.since(&before);
        assert_eq!((since.total(), since.mean()), (4, Some(22.5)));
        assert_eq!((since.quantile(0.5), since.quantile(1.0)), (Some(20.0), Some(40.0)));
        assert_eq!(now.since(&now).quantile(0.5), None);
    }

    #[test]
    fn what_lies_beyond_the_last_bound_is_told_as_that_bound() {
        assert_eq!(counts(&[1_000]).quantile(0.99), Some(40.0));
        assert_eq!(counts(&[15]).and(&counts(&[1_000])).quantile(0.25), Some(15.0));
    }
}
