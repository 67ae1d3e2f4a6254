//! How long the persister rests after a batch: nothing, but for a burst of orders.
//!
//! Rows cost about as much as the orders that they tell of. While more comes than a store takes anyway, the persister
//! works a fifth of the time and leaves the rest to those whom somebody waits for; it has caught up soon after the burst.
//!
//! Owns: what counts as a burst, and for how long rows may fall behind. Never does: sleep, read a clock.
//! Invariants: it never stands still, and who has not caught up for [`Pace::new`]'s patience does not rest before it has.
//! Known limits: it does not ask whether a processor is idle.

use std::time::{Duration, Instant};
use xng_core::journal::Lsn;

/// Records a second from which on it is a burst; about what SQLite takes beside trading on two cores.
const BURST: f64 = 8_000.0;
/// A rest is so many times as long as the batch before it took …
const REST: u32 = 4;
/// … but not longer than this, so that the end of a burst is noticed.
const LONGEST: Duration = Duration::from_secs(1);

/// See the module's header.
#[derive(Debug)]
pub(super) struct Pace {
    patience: Duration,
    looked: Option<(Instant, Lsn)>,
    /// Since when it has not caught up, if it rested.
    behind_since: Option<Instant>,
}

impl Pace {
    /// Rows may fall behind for as long as `patience`; zero never rests.
    pub(super) fn new(patience: Duration) -> Pace {
        Pace { patience, looked: None, behind_since: None }
    }

    /// The rest after a batch that took `took` and was written at `now`, when the journal was durable up to `durable`.
    /// `full`: there was more than went into it.
    pub(super) fn rest(&mut self, now: Instant, durable: Lsn, took: Duration, full: bool) -> Duration {
        let before = self.looked.replace((now, durable));
        if !full {
            self.behind_since = None;
        }
        let Some((then, from)) = before else { return Duration::ZERO };
        let seconds = now.saturating_duration_since(then).as_secs_f64();
        let came = durable.0.saturating_sub(from.0) as f64;
        if came < BURST * seconds || self.patience.is_zero() {
            return Duration::ZERO;
        }
        let since = *self.behind_since.get_or_insert(now);
        if now.saturating_duration_since(since) < self.patience { (took * REST).min(LONGEST) } else { Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOK: Duration = Duration::from_millis(100);
    const PATIENCE: Duration = Duration::from_secs(60);

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

        /// The rest when so many records a second came for so long.
        fn after(&mut self, long: Duration, a_second: u64, full: bool) -> Duration {
            self.now += long;
            self.lsn += a_second * long.as_millis() as u64 / 1_000;
            self.pace.rest(self.now, Lsn(self.lsn), TOOK, full)
        }
    }

    #[test]
    fn it_rests_in_a_burst_only() {
        let mut rig = Rig::new(PATIENCE);
        assert_eq!(rig.after(Duration::from_secs(1), 7_900, true), Duration::ZERO);
        assert_eq!(rig.after(Duration::from_secs(1), 8_100, true), TOOK * 4);
        assert_eq!(rig.after(Duration::from_millis(500), 200_000, true), TOOK * 4);
        assert_eq!(rig.after(Duration::from_secs(1), 100, true), Duration::ZERO, "the burst is over");
    }

    #[test]
    fn a_rest_has_an_end_however_long_the_batch_took() {
        let mut pace = Pace::new(PATIENCE);
        let now = Instant::now();
        pace.rest(now, Lsn(0), TOOK, true);
        let long = Duration::from_secs(20);
        assert_eq!(pace.rest(now + Duration::from_secs(1), Lsn(1_000_000), long, true), LONGEST);
    }

    #[test]
    fn after_its_patience_it_goes_on_until_it_has_caught_up() {
        let mut rig = Rig::new(PATIENCE);
        for second in 0..60 {
            assert_eq!(rig.after(Duration::from_secs(1), 50_000, true), TOOK * 4, "second {second}");
        }
        for _ in 0..100 {
            assert_eq!(rig.after(Duration::from_secs(1), 50_000, true), Duration::ZERO);
        }
        assert_eq!(rig.after(Duration::from_secs(1), 50_000, false), TOOK * 4, "it has caught up");
    }

    #[test]
    fn without_patience_it_never_rests() {
        let mut rig = Rig::new(Duration::ZERO);
        assert_eq!(rig.after(Duration::from_secs(1), 1_000_000, true), Duration::ZERO);
    }
}
