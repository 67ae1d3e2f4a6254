//! When requests are sent: at times that are fixed beforehand, or as soon as an earlier one is answered.
//!
//! Owns: send times, and waiting for them. Never does: send. Invariants: a send time depends on nothing that happens
//! during the run. Known limits: evenly spread, not random.

use std::num::NonZero;
use std::time::{Duration, Instant};

/// Due requests are looked for at least this far apart: many short sleeps would cost the server's own time.
const LEAST_SLEEP: Duration = Duration::from_micros(50);

/// How a run is driven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// So many a second, whatever the server does.
    Open(f64),
    /// So many under way, each followed by another.
    Closed(usize),
}

impl Pace {
    /// As a run's name says it.
    pub(crate) fn name(self) -> String {
        match self {
            Pace::Open(rate) => format!("{}/s", crate::table::whole(rate)),
            Pace::Closed(flight) => format!("{flight} in flight"),
        }
    }
}

/// Send times of an open loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    began: Instant,
    rate: f64,
}

impl Schedule {
    /// `rate` a second from `began` on.
    pub(crate) fn new(began: Instant, rate: f64) -> Schedule {
        Schedule { began, rate }
    }

    /// When the n-th is due.
    pub(crate) fn due(&self, n: u64) -> Instant {
        self.began + Duration::from_secs_f64(n as f64 / self.rate)
    }

    /// How many are due before `at`.
    pub(crate) fn count_before(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.began).as_secs_f64();
        (since * self.rate).ceil() as u64
    }
}

/// Calls `send` with the numbers that are due, in order and at their time, up to the schedule's `count`.
pub(crate) fn keep_to(schedule: Schedule, count: u64, mut send: impl FnMut(std::ops::Range<u64>)) {
    // The kernel may add 50 microseconds to each sleep otherwise.
    if let Err(error) = rustix::thread::set_current_timer_slack(NonZero::new(1)) {
        crate::table::warn(&format!("timers stay coarse: {error}"));
    }
    let mut next = 0;
    while next < count {
        let now = Instant::now();
        let due = schedule.count_before(now).clamp(next, count);
        if due > next {
            send(next..due);
            next = due;
        } else {
            std::thread::sleep(schedule.due(next).saturating_duration_since(now).max(LEAST_SLEEP));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_sent_once_in_order_and_never_before_its_time() {
        let schedule = Schedule::new(Instant::now(), 20_000.0);
        let mut sent = Vec::new();
        keep_to(schedule, 2_000, |due| {
            assert!(schedule.due(due.end - 1) <= Instant::now());
            sent.extend(due);
        });
        assert_eq!(sent, (0..2_000).collect::<Vec<u64>>());
    }

    #[test]
    fn send_times_are_evenly_spread_and_counted_from_the_begin() {
        let began = Instant::now();
        let schedule = Schedule::new(began, 4.0);
        assert_eq!(schedule.due(6) - began, Duration::from_millis(1_500));
        assert_eq!(schedule.count_before(began), 0);
        assert_eq!(schedule.count_before(began + Duration::from_millis(1_400)), 6);
    }
}
