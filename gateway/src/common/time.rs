//! The gateway's clock, and times as calls show them.
//!
//! Owns: the one clock of the process outside the cell. It is a static because a clock is one a process by nature.
//! Invariants: time does not go back while the process lives, and a wall clock that is set is followed as slowly as the
//! cell follows it: sessions, codes and limits neither end early nor live on, and no answer is stamped before another.
//! Never does: stamp a decision. Known limits: the cell, which does, has a clock of its own; the two may differ by some
//! milliseconds after the wall was set.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use std::sync::{LazyLock, Mutex, PoisonError};
use xng_cell::Clock;
use xng_core::entity::TimeNs;
use xng_runtime::clock::SlewedClock;

/// Milliseconds since the epoch.
pub type Ms = i64;

/// The clock of this process, and the latest that it told.
static CLOCK: LazyLock<Mutex<(SlewedClock, TimeNs)>> = LazyLock::new(|| Mutex::new((SlewedClock::at_the_wall(), 0)));

/// The exchange's time goes on from a stamp that the wall clock has not reached yet.
pub(crate) fn go_on_from(last: TimeNs) {
    CLOCK.lock().unwrap_or_else(PoisonError::into_inner).0 = SlewedClock::going_on_from(last);
}

/// Nanoseconds since the epoch: moved on by the monotonic clock and slewed gently to the wall.
#[must_use]
pub fn now_ns() -> TimeNs {
    let mut clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    clock.1 = clock.1.max(clock.0.now());
    clock.1
}

/// As [`now_ns`], in milliseconds.
#[must_use]
pub fn now_ms() -> Ms {
    ms(now_ns())
}

/// A record's time in milliseconds.
#[must_use]
pub fn ms(time: TimeNs) -> Ms {
    (time / 1_000_000) as Ms
}

/// How times are written; programs may ask for microseconds (`docs/rules/program-api.md "Signing"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum TimeUnit {
    /// Milliseconds since the epoch.
    #[default]
    Millis,
    /// Microseconds since the epoch.
    Micros,
}

impl TimeUnit {
    /// Reads the convention's name, in capitals or small letters.
    #[must_use]
    pub fn parse(name: &str) -> Option<TimeUnit> {
        match name {
            "MILLISECOND" | "millisecond" => Some(TimeUnit::Millis),
            "MICROSECOND" | "microsecond" => Some(TimeUnit::Micros),
            _ => None,
        }
    }

    /// A time that is known in milliseconds.
    #[must_use]
    pub fn of(self, ms: Ms) -> i64 {
        match self {
            TimeUnit::Millis => ms,
            TimeUnit::Micros => ms.saturating_mul(1_000),
        }
    }

    /// A record's time.
    #[must_use]
    pub fn ns(self, time: TimeNs) -> i64 {
        match self {
            TimeUnit::Millis => (time / 1_000_000) as i64,
            TimeUnit::Micros => (time / 1_000) as i64,
        }
    }

    /// Now.
    #[must_use]
    pub fn now(self) -> i64 {
        match self {
            TimeUnit::Millis => now_ms(),
            TimeUnit::Micros => (now_ns() / 1_000) as i64,
        }
    }
}

/// `YYYY-MM-DD HH:MM:SS`, UTC (`docs/rules/money.md "Decimals in answers"`).
#[must_use]
pub fn ts(ms: Ms) -> String {
    let time = Timestamp::from_millisecond(ms).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Reads what [`ts`] writes.
#[must_use]
pub fn parse_ts(text: &str) -> Option<Ms> {
    let time = DateTime::strptime("%Y-%m-%d %H:%M:%S", text).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

/// First day of the month that `ms` lies in, and of the next one.
#[must_use]
pub fn month_of(ms: Ms) -> (Ms, Ms) {
    let day = Timestamp::from_millisecond(ms).unwrap_or_default().to_zoned(TimeZone::UTC).date();
    let first = day.first_of_month();
    let next = first.last_of_month().tomorrow().unwrap_or(first);
    let at = |d: Date| d.to_zoned(TimeZone::UTC).map_or(0, |z| z.timestamp().as_millisecond());
    (at(first), at(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_nineteen_characters() {
        assert_eq!(ts(1_723_075_200_000), "2024-08-08 00:00:00");
        assert_eq!(ts(0).len(), 19);
        assert_eq!(parse_ts("2024-08-08 00:00:00"), Some(1_723_075_200_000));
        assert_eq!(parse_ts("2024-08-08"), None);
    }

    #[test]
    fn months_begin_at_midnight_utc() {
        let (first, next) = month_of(1_709_209_845_000);
        assert_eq!((ts(first).as_str(), ts(next).as_str()), ("2024-02-01 00:00:00", "2024-03-01 00:00:00"));
    }
}
