//! Counts of values by size: what every part of the exchange measures itself with.
//!
//! Owns: buckets and their sum. Never does: look at a clock; know a unit or an exporter; allocate when it counts.
//! Invariants: counts only grow; buckets are disjoint (not cumulative), a value on a bound belongs to that bound's.
//! Known limits: what is read of one histogram is read bucket by bucket, not at one instant.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts of values by size.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [u64],
    buckets: Box<[AtomicU64]>,
    sum: AtomicU64,
}

impl Histogram {
    /// An empty one; `bounds` grow.
    #[must_use]
    pub fn new(bounds: &'static [u64]) -> Self {
        Self { bounds, buckets: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(), sum: AtomicU64::new(0) }
    }

    /// Counts a value.
    pub fn record(&self, value: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.buckets[bucket].fetch_add(1, Relaxed);
        self.sum.fetch_add(value, Relaxed);
    }

    /// The buckets' upper bounds; the last bucket has none.
    #[must_use]
    pub fn bounds(&self) -> &'static [u64] {
        self.bounds
    }

    /// Values in each bucket: one more than there are bounds.
    #[must_use]
    pub fn counts(&self) -> Vec<u64> {
        self.buckets.iter().map(|b| b.load(Relaxed)).collect()
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|b| b.load(Relaxed)).sum()
    }

    /// Sum of the values.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.sum.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: [u64; 13] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096];

    #[test]
    fn a_value_on_a_bound_belongs_to_that_bounds_bucket() {
        let histogram = Histogram::new(&BOUNDS);
        for value in [1, 2, 3, 4, 4_096, 4_097] {
            histogram.record(value);
        }
        let counts = histogram.counts();
        assert_eq!(&counts[..4], [1, 1, 2, 0]);
        assert_eq!(&counts[12..], [1, 1]);
        assert_eq!((histogram.count(), histogram.sum()), (6, 8_203));
    }
}
