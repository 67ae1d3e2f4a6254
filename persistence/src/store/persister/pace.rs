//! How long the persister rests after a batch: nothing, but for a burst of orders.
//!
//! Rows cost about as much as the orders that they tell of. While more comes than the store can take, the persister rests
//! four times as long as a batch took and leaves the processor to those whom somebody waits for; what is left is written
//! after the burst, as fast as the store takes it.
//!
//! Owns: what counts as a burst, and how long rests may go on. Never does: sleep, read a clock.
//! Invariants: it never stands still, and who has not caught up within [`Pace::new`]'s patience of the first rest does not
//! rest again before it has. Known limits: it does not ask whether a processor is idle.

use std::time::{Duration, Instant};
use xng_core::journal::Lsn;

/// Fewer records a second are no burst, however slow the store is: they leave the processor alone.
const BURST: f64 = 8_000.0;
/// A rest is so many times as long as the batch before it took …
const REST: u32 = 4;
/// … but not longer than this, so that the end of a burst is noticed.
const LONGEST: Duration = Duration::from_secs(2);

/// A batch that was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch {
    /// When.
    pub(super) at: Instant,
    /// What was durable in the journal then.
    pub(super) durable: Lsn,
    /// Its records.
    pub(super) records: usize,
    /// How long it took.
    pub(super) took: Duration,
    /// There was more than went into it.
    pub(super) full: bool,
}

/// See the module's header.
#[derive(Debug)]
pub(super) struct Pace {
    patience: Duration,
    looked: Option<(Instant, Lsn)>,
    /// Since when it has not caught up, if it rested.
    behind_since: Option<Instant>,
}

impl Pace {
    /// Rests may go on for so long without its having caught up; zero: it never rests.
    pub(super) fn new(patience: Duration) -> Pace {
        Pace { patience, looked: None, behind_since: None }
    }

    /// The rest after a batch. `may`: nobody waits for what only the persister can give.
    pub(super) fn rest(&mut self, batch: Batch, may: bool) -> Duration {
        let before = self.looked.replace((batch.at, batch.durable));
        if !batch.full {
            self.behind_since = None;
        }
        let Some((then, from)) = before else { return Duration::ZERO };
        let seconds = batch.at.saturating_duration_since(then).as_secs_f64();
        let came = batch.durable.0.saturating_sub(from.0) as f64;
        let takes = batch.took.as_secs_f64() / batch.records.max(1) as f64;
        let bursts = came >= BURST * seconds && came * takes >= seconds;
        if !bursts || !may || self.patience.is_zero() {
            return Duration::ZERO;
        }
        let since = *self.behind_since.get_or_insert(batch.at);
        let patient = batch.at.saturating_duration_since(since) < self.patience;
        if patient { (batch.took * REST).min(LONGEST) } else { Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);
    const SECOND: Duration = Duration::from_secs(1);
    /// What the store needs for a batch: 10,000 records a second.
    const RECORDS: usize = 2_000;
    const TOOK: Duration = Duration::from_millis(200);

    struct Rig {
        pace: Pace,
        now: Instant,
        lsn: u64,
    }

    impl Rig {
        fn new(patience: Duration) -> Rig {
            let mut rig = Rig { pace: Pace::new(patience), now: Instant::now(), lsn: 0 };
            assert_eq!(rig.after(Duration::ZERO, 0, true), Duration::ZERO, "nothing is known yet");
            rig
        }

        fn batch(&mut self, long: Duration, a_second: u64, took: Duration, full: bool) -> Batch {
            self.now += long;
            self.lsn += a_second * long.as_millis() as u64 / 1_000;
            Batch { at: self.now, durable: Lsn(self.lsn), records: RECORDS, took, full }
        }

        /// The rest when so many records a second came for so long.
        fn after(&mut self, long: Duration, a_second: u64, full: bool) -> Duration {
            let batch = self.batch(long, a_second, TOOK, full);
            self.pace.rest(batch, true)
        }
    }

    #[test]
    fn it_rests_while_more_comes_than_the_store_takes() {
        let mut rig = Rig::new(PATIENCE);
        assert_eq!(rig.after(SECOND, 9_900, true), Duration::ZERO, "the store keeps up");
        assert_eq!(rig.after(SECOND, 10_100, true), TOOK * 4);
        assert_eq!(rig.after(SECOND / 2, 200_000, true), TOOK * 4);
        assert_eq!(rig.after(SECOND, 100, true), Duration::ZERO, "the burst is over");
    }

    #[test]
    fn a_slow_store_alone_is_no_burst() {
        let mut rig = Rig::new(PATIENCE);
        let batch = rig.batch(SECOND, 7_900, SECOND * 20, true);
        assert_eq!(rig.pace.rest(batch, true), Duration::ZERO);
    }

    #[test]
    fn a_rest_has_an_end_however_long_the_batch_took() {
        for (took, rest) in [(SECOND / 2, SECOND * 2), (SECOND * 20, LONGEST)] {
            let mut rig = Rig::new(PATIENCE);
            let batch = rig.batch(SECOND, 1_000_000, took, true);
            assert_eq!(rig.pace.rest(batch, true), rest);
        }
    }

    #[test]
    fn after_its_patience_it_goes_on_until_it_has_caught_up() {
        let mut rig = Rig::new(PATIENCE);
        for second in 0..60 {
            assert_eq!(rig.after(SECOND, 50_000, true), TOOK * 4, "second {second}");
        }
        for _ in 0..100 {
            assert_eq!(rig.after(SECOND, 50_000, true), Duration::ZERO);
        }
        assert_eq!(rig.after(SECOND, 50_000, false), TOOK * 4, "it has caught up");
    }

    #[test]
    fn a_pause_of_the_burst_in_which_it_does_not_catch_up_gives_no_new_patience() {
        let mut rig = Rig::new(PATIENCE);
        assert_eq!(rig.after(SECOND, 50_000, true), TOOK * 4);
        assert_eq!(rig.after(SECOND * 58, 100, true), Duration::ZERO);
        assert_eq!(rig.after(SECOND, 50_000, true), TOOK * 4);
        assert_eq!(rig.after(SECOND, 50_000, true), Duration::ZERO);
    }

    #[test]
    fn without_patience_or_leave_it_never_rests() {
        let mut rig = Rig::new(Duration::ZERO);
        assert_eq!(rig.after(SECOND, 1_000_000, true), Duration::ZERO);
        let mut rig = Rig::new(PATIENCE);
        let batch = rig.batch(SECOND, 1_000_000, TOOK, true);
        assert_eq!(rig.pace.rest(batch, false), Duration::ZERO);
    }
}
