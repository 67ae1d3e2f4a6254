//! The cell's clock in the server: follows the monotonic clock and is slewed gently to the wall.

use std::time::{Instant, SystemTime, UNIX_EPOCH};
use thiserror::Error;
use xng_cell::Clock;
use xng_core::entity::TimeNs;

/// The wall clock lies before the journal's last stamp.
#[derive(Debug, Error)]
#[error("the clock says {wall_ms} ms, the journal's last record is from {last_ms} ms: set the clock, then start again")]
pub struct ClockBehind {
    /// Wall clock.
    pub wall_ms: u64,
    /// Last stamp.
    pub last_ms: u64,
}

/// At most this share of the elapsed time is corrected (500 ppm, as NTP does).
const SLEW_PPM: u64 = 500;
/// A wall clock may lie this far behind the journal: stamps can run ahead of it a little.
const TOLERANCE_NS: u64 = 1_000_000_000;

/// Monotonic, slewed to the wall.
#[derive(Debug)]
pub struct SlewedClock {
    base: TimeNs,
    since: Instant,
}

/// The wall clock, in nanoseconds since the epoch.
#[must_use]
pub fn wall_ns() -> TimeNs {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64)
}

impl SlewedClock {
    /// Starts at the wall clock; refuses when that lies before `last`, the journal's last stamp.
    pub fn start(last: TimeNs) -> Result<SlewedClock, ClockBehind> {
        let wall = wall_ns();
        if wall + TOLERANCE_NS < last {
            return Err(ClockBehind { wall_ms: wall / 1_000_000, last_ms: last / 1_000_000 });
        }
        Ok(SlewedClock { base: wall, since: Instant::now() })
    }
}

impl Clock for SlewedClock {
    fn now(&mut self) -> TimeNs {
        let elapsed = self.since.elapsed().as_nanos() as u64;
        let now = self.base + elapsed;
        // Twice a second is enough to follow any sane wall clock.
        if elapsed > 500_000_000 {
            let (wall, most) = (wall_ns(), elapsed * SLEW_PPM / 1_000_000);
            let corrected = if wall >= now { now + (wall - now).min(most) } else { now - (now - wall).min(most) };
            self.base = corrected;
            self.since = Instant::now();
        }
        now
    }
}
