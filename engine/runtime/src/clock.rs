//! The cell's clock in the server: follows the monotonic clock and is slewed gently to the wall.
//!
//! Owns: the offset from the wall and how fast it shrinks (0.5 ms a second). Never does: go back, or jump with a
//! wall clock that is set. Invariants: later than the last record at the start: otherwise the start is refused, or goes
//! on from that record when the operator says so; strictly in step with the monotonic clock. Known limits: after the wall
//! was set far, it is followed for hours or until a restart; a clock that goes on from a last record far ahead of the wall is
//! ahead for 2,000 times as long.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use thiserror::Error;
use xng_cell::Clock;
use xng_core::entity::TimeNs;

/// The wall clock lies before the journal's last stamp.
#[derive(Debug, Error)]
#[error("the clock says {wall_ms} ms, the journal's last record is from {last_ms} ms")]
pub struct ClockBehind {
    /// Wall clock.
    pub wall_ms: u64,
    /// Last stamp.
    pub last_ms: u64,
}

/// At most this share of the elapsed time is corrected (500 ppm, as NTP does).
const SLEW_PPM: u64 = 500;
/// A wall clock may lie this far behind the journal: stamps can run ahead of it a little.
pub const TOLERANCE_NS: u64 = 1_000_000_000;

/// How far the wall clock is ahead of a cell's clock, as last measured. A jump of the wall is followed so slowly that
/// somebody must be told of it.
#[derive(Debug, Clone, Default)]
pub struct ClockOffset(Arc<AtomicI64>);

impl ClockOffset {
    /// In milliseconds; negative when the wall lies behind.
    #[must_use]
    pub fn ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed) / 1_000_000
    }
}

/// Monotonic, slewed to the wall.
#[derive(Debug)]
pub struct SlewedClock {
    base: TimeNs,
    since: Instant,
    offset: ClockOffset,
    /// It began ahead of the wall.
    began_ahead: bool,
}

/// What is done when the wall clock lies before the journal's last stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// The start is refused.
    Refuse,
    /// Time goes on from that stamp.
    GoOn,
}

/// The wall clock, in nanoseconds since the epoch.
#[must_use]
pub fn wall_ns() -> TimeNs {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64)
}

impl SlewedClock {
    /// Starts at the wall clock, unless that lies before `last`, the journal's last stamp.
    ///
    /// # Errors
    /// When it does, and that is not to be gone on from.
    pub fn start(last: TimeNs, behind: Behind) -> Result<SlewedClock, ClockBehind> {
        let wall = wall_ns();
        match behind {
            _ if wall + TOLERANCE_NS >= last => Ok(SlewedClock::at_the_wall()),
            Behind::GoOn => Ok(SlewedClock::going_on_from(last)),
            Behind::Refuse => Err(ClockBehind { wall_ms: wall / 1_000_000, last_ms: last / 1_000_000 }),
        }
    }

    /// Starts at the wall clock.
    #[must_use]
    pub fn at_the_wall() -> SlewedClock {
        let offset = ClockOffset::default();
        SlewedClock { base: wall_ns(), since: Instant::now(), offset, began_ahead: false }
    }

    /// Starts at a time that the wall clock has not reached yet.
    #[must_use]
    pub fn going_on_from(time: TimeNs) -> SlewedClock {
        let clock = SlewedClock { base: time, began_ahead: true, ..SlewedClock::at_the_wall() };
        clock.measure(wall_ns(), time);
        clock
    }

    /// Whether it began ahead of the wall.
    #[must_use]
    pub fn began_ahead(&self) -> bool {
        self.began_ahead
    }

    fn measure(&self, wall: TimeNs, now: TimeNs) {
        self.offset.0.store(wall.wrapping_sub(now).cast_signed(), Ordering::Relaxed);
    }

    /// Tells how far it is off, for as long as it runs.
    #[must_use]
    pub fn offset(&self) -> ClockOffset {
        self.offset.clone()
    }
}

/// The time `now`, after `elapsed`, moved towards `wall` by no more than clocks are ever wrong by.
fn slewed(now: TimeNs, wall: TimeNs, elapsed: u64) -> TimeNs {
    let most = elapsed * SLEW_PPM / 1_000_000;
    if wall >= now { now + (wall - now).min(most) } else { now - (now - wall).min(most) }
}

impl Clock for SlewedClock {
    fn now(&mut self) -> TimeNs {
        // Looked at once: a thread that loses its core between two looks would lose that time for good.
        let instant = Instant::now();
        let elapsed = instant.duration_since(self.since).as_nanos() as u64;
        let now = self.base + elapsed;
        // Twice a second is enough to follow any sane wall clock.
        if elapsed > 500_000_000 {
            let wall = wall_ns();
            self.measure(wall, now);
            self.base = slewed(now, wall, elapsed);
            self.since = instant;
        }
        now
    }

    /// A wall that was set back while the process lives is followed, not believed: deadlines of the calendar go by the
    /// exchange's time then, as everything else.
    fn ahead(&mut self) -> TimeNs {
        if self.began_ahead { self.now().saturating_sub(wall_ns()) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_clock_that_is_set_is_followed_by_half_a_millisecond_a_second() {
        let now = 10_000 * SECOND;
        for jump in [SECOND / 1_000, 7_200 * SECOND] {
            assert_eq!(slewed(now, now + jump, SECOND), now + 500_000);
            assert_eq!(slewed(now, now - jump, SECOND), now - 500_000);
        }
        assert_eq!(slewed(now, now + 1_000, SECOND), now + 1_000, "a small error is gone at once");
        assert_eq!(slewed(now, now, SECOND), now);
    }

    #[test]
    fn a_wall_clock_before_the_journals_last_record_is_refused() {
        let wall = wall_ns();
        assert!(SlewedClock::start(wall - SECOND, Behind::Refuse).is_ok());
        let refused = SlewedClock::start(wall + 3_600 * SECOND, Behind::Refuse).expect_err("an hour behind");
        assert_eq!((refused.last_ms - refused.wall_ms).div_ceil(1_000), 3_600, "{refused}");
    }

    #[test]
    fn a_clock_goes_on_from_the_last_stamp_when_it_is_told_to_and_knows_that_it_is_ahead() {
        let last = wall_ns() + 3_600 * SECOND;
        let mut clock = SlewedClock::start(last, Behind::GoOn).expect("goes on");
        let now = clock.now();
        assert!(now >= last && clock.began_ahead(), "{now}");
        assert!((-3_600_000..-3_500_000).contains(&clock.offset().ms()), "{} ms", clock.offset().ms());
        assert!((3_500 * SECOND..=3_600 * SECOND).contains(&clock.ahead()), "{}", clock.ahead());
        let mut right = SlewedClock::start(wall_ns() - SECOND, Behind::GoOn).expect("nothing to go on from");
        assert_eq!((right.began_ahead(), right.ahead()), (false, 0));
    }
}
