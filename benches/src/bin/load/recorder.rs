//! What was measured: latencies by window of time, what was done in each, errors by kind.
//!
//! Owns: histograms and counts of one run. Never does: send, print.
//! Invariants: a latency counts from the intended time and stands in the window of the intended time, so that a server
//! that stands still shows in every request that should have been sent meanwhile (no coordinated omission); what is done
//! counts in the window in which it was done. Known limits: microseconds, three digits.

use hdrhistogram::Histogram;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Windows of a run at most, but for a rest; longer runs have longer windows.
const MOST_WINDOWS: u64 = 120;

/// One stretch of a run.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    /// Latencies in microseconds of what should have been sent in it.
    pub(crate) latency: Histogram<u64>,
    /// What was done in it.
    pub(crate) done: u64,
}

impl Window {
    fn new() -> Window {
        Window { latency: histogram(), done: 0 }
    }
}

fn histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are allowed")
}

#[derive(Debug)]
struct Inner {
    windows: Vec<Window>,
    errors: BTreeMap<String, u64>,
    open: u64,
}

/// The measurements of one run, shared by the threads that make them.
#[derive(Debug)]
pub(crate) struct Recorder {
    began: Instant,
    long: Duration,
    window: Duration,
    inner: Mutex<Inner>,
}

/// A finished run's measurements.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) windows: Vec<Window>,
    /// All latencies.
    pub(crate) latency: Histogram<u64>,
    /// What was done in the measured time.
    pub(crate) done: u64,
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) long: Duration,
    pub(crate) window: Duration,
}

impl Recorder {
    /// Measures from `began` on for so `long`; what lies before or behind is not counted.
    pub(crate) fn new(began: Instant, long: Duration) -> Recorder {
        let window = Duration::from_secs(long.as_secs().div_ceil(MOST_WINDOWS).max(1)).min(long);
        let count = long.as_nanos().div_ceil(window.as_nanos().max(1)).max(1);
        let windows = (0..count).map(|_| Window::new()).collect();
        Recorder { began, long, window, inner: Mutex::new(Inner { windows, errors: BTreeMap::new(), open: 0 }) }
    }

    /// When the measured time begins.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// When it ends.
    pub(crate) fn ends(&self) -> Instant {
        self.began + self.long
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn window_of(&self, at: Instant) -> Option<usize> {
        let since = at.checked_duration_since(self.began).filter(|since| *since < self.long)?;
        usize::try_from(since.as_nanos() / self.window.as_nanos()).ok()
    }

    /// Notes several at once under one lock.
    pub(crate) fn batch(&self) -> Noting<'_> {
        Noting { recorder: self, inner: self.lock() }
    }

    /// The state of the window at `at`, with what is under way.
    pub(crate) fn look(&self, at: Instant) -> Option<(Window, u64, u64)> {
        let index = self.window_of(at)?;
        let inner = self.lock();
        Some((inner.windows.get(index)?.clone(), inner.errors.values().sum(), inner.open))
    }

    /// Length of a window.
    pub(crate) fn window(&self) -> Duration {
        self.window
    }

    /// Everything that was measured.
    pub(crate) fn measured(&self) -> Measured {
        let inner = self.lock();
        let mut latency = histogram();
        for window in &inner.windows {
            latency.add(&window.latency).expect("a histogram that grows takes any other");
        }
        let done = inner.windows.iter().map(|w| w.done).sum();
        let (windows, errors) = (inner.windows.clone(), inner.errors.clone());
        Measured { windows, latency, done, errors, long: self.long, window: self.window }
    }
}

/// The recorder while somebody notes.
pub(crate) struct Noting<'a> {
    recorder: &'a Recorder,
    inner: MutexGuard<'a, Inner>,
}

impl Noting<'_> {
    /// `count` alike that should have been sent at `intended` and were done at `at`.
    pub(crate) fn done(&mut self, intended: Instant, at: Instant, count: u64) {
        let micros = u64::try_from(at.saturating_duration_since(intended).as_micros()).unwrap_or(u64::MAX).max(1);
        self.latency(intended, micros, count);
        self.only_done(at, count);
    }

    /// `count` latencies of what should have been sent at `intended`.
    pub(crate) fn latency(&mut self, intended: Instant, micros: u64, count: u64) {
        if let Some(window) = self.recorder.window_of(intended).and_then(|i| self.inner.windows.get_mut(i)) {
            window.latency.record_n(micros.max(1), count).expect("a histogram that grows takes any value");
        }
    }

    /// `count` were done at `at`.
    pub(crate) fn only_done(&mut self, at: Instant, count: u64) {
        if let Some(window) = self.recorder.window_of(at).and_then(|i| self.inner.windows.get_mut(i)) {
            window.done += count;
        }
    }

    /// Something went wrong.
    pub(crate) fn error(&mut self, kind: &str) {
        self.errors(kind, 1);
    }

    /// The same went wrong so often.
    pub(crate) fn errors(&mut self, kind: &str, count: u64) {
        match self.inner.errors.get_mut(kind) {
            Some(known) => *known += count,
            None => drop(self.inner.errors.insert(kind.to_owned(), count)),
        }
    }

    /// What is under way now.
    pub(crate) fn open(&mut self, open: u64) {
        self.inner.open = open;
    }
}

impl Measured {
    /// Done a second.
    pub(crate) fn rate(&self) -> f64 {
        self.done as f64 / self.long.as_secs_f64()
    }

    /// Milliseconds at a quantile; zero when nothing was measured.
    pub(crate) fn at(&self, quantile: f64) -> f64 {
        millis(&self.latency, quantile)
    }

    /// Seconds of the window with this number.
    pub(crate) fn seconds(&self, window: usize) -> f64 {
        let from = self.window.as_secs_f64() * window as f64;
        self.window.as_secs_f64().min(self.long.as_secs_f64() - from).max(f64::MIN_POSITIVE)
    }

    /// Done a second, window by window.
    pub(crate) fn rates(&self) -> Vec<f64> {
        self.windows.iter().enumerate().map(|(i, w)| w.done as f64 / self.seconds(i)).collect()
    }

    /// Milliseconds at a quantile, window by window; windows in which nothing was due are left out.
    pub(crate) fn each(&self, quantile: f64) -> Vec<f64> {
        self.windows.iter().filter(|w| !w.latency.is_empty()).map(|w| millis(&w.latency, quantile)).collect()
    }
}

/// Milliseconds of a histogram at a quantile.
pub(crate) fn millis(histogram: &Histogram<u64>, quantile: f64) -> f64 {
    if histogram.is_empty() { 0.0 } else { histogram.value_at_quantile(quantile) as f64 / 1_000.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Schedule;

    /// A thousand requests a second for ten seconds against a server that takes 1 ms, and stands still for the whole of
    /// the fourth second. What was due meanwhile is answered when it goes on.
    fn stalled(recorder: &Recorder, schedule: Schedule) {
        let began = recorder.began();
        let (from, until) = (began + Duration::from_secs(3), began + Duration::from_secs(4));
        for n in 0..10_000 {
            let intended = schedule.due(n);
            let begun = if (from..until).contains(&intended) { until } else { intended };
            recorder.batch().done(intended, begun + Duration::from_millis(1), 1);
        }
    }

    #[test]
    fn a_server_that_stands_still_shows_in_the_percentiles_of_all_that_was_due_meanwhile() {
        let began = Instant::now();
        let recorder = Recorder::new(began, Duration::from_secs(10));
        stalled(&recorder, Schedule::new(began, 1_000.0));
        let m = recorder.measured();
        assert_eq!(m.latency.len(), 10_000);
        // A tenth of all requests waited, evenly between 0 and 1,000 ms: the 95th percentile is half a second.
        assert!((m.at(0.5) - 1.0).abs() < 0.01, "{}", m.at(0.5));
        assert!((m.at(0.95) - 501.0).abs() < 3.0, "{}", m.at(0.95));
        assert!((m.at(0.99) - 901.0).abs() < 3.0, "{}", m.at(0.99));
        assert!((m.at(1.0) - 1_001.0).abs() < 3.0, "{}", m.at(1.0));
    }

    #[test]
    fn a_stall_stands_in_its_own_window_and_what_it_held_back_in_the_next() {
        let began = Instant::now();
        let recorder = Recorder::new(began, Duration::from_secs(10));
        stalled(&recorder, Schedule::new(began, 1_000.0));
        let m = recorder.measured();
        let p50 = m.each(0.5);
        assert!((p50[3] - 501.0).abs() < 3.0 && p50.iter().enumerate().all(|(i, p)| i == 3 || *p < 1.1), "{p50:?}");
        let rates = m.rates();
        assert!(rates[3] < 2.0 && rates[4] > 1_990.0, "{rates:?}");
    }

    #[test]
    fn what_lies_outside_of_the_measured_time_is_not_counted() {
        let began = Instant::now() + Duration::from_secs(5);
        let recorder = Recorder::new(began, Duration::from_secs(2));
        let second = Duration::from_secs(1);
        recorder.batch().done(began - second, began - second, 1);
        recorder.batch().done(began, began + 3 * second, 1);
        recorder.batch().done(began + 2 * second, began + 2 * second, 1);
        let m = recorder.measured();
        assert_eq!((m.done, m.latency.len()), (0, 1), "due in time, done too late");
        assert!((m.at(1.0) - 3_000.0).abs() < 3.0);
    }

    #[test]
    fn a_long_run_has_a_bounded_number_of_windows() {
        let m = Recorder::new(Instant::now(), Duration::from_secs(1_801)).measured();
        assert!(m.windows.len() <= 121 && m.window == Duration::from_secs(16));
        assert_eq!(Recorder::new(Instant::now(), Duration::from_millis(300)).measured().windows.len(), 1);
    }
}
