//! Requests of the public port, by route and answer.
//!
//! Owns: counters and times by route. Never does: take a route from what a client sends: a path that no call has is
//! counted by its first part, if that is one of ours. Invariants: routes and codes come from the code, so their number
//! is bounded. Known limits: a socket's request is counted when it opens; files are one route.

use actix_web::HttpResponse;
use dashmap::DashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use xng_core::histogram::Histogram;

/// Upper bounds of request times, in microseconds.
pub const MICROS: [u64; 13] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000];

/// Which call answered, and with which code of its catalogue. Travels with the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Served {
    /// The route as it is written in the code.
    pub route: &'static str,
    /// The envelope's code, or the HTTP status where there is no envelope.
    pub code: u16,
}

impl Served {
    /// Marks a response.
    #[must_use]
    pub fn mark(self, mut response: HttpResponse) -> HttpResponse {
        response.extensions_mut().insert(self);
        response
    }
}

/// Figures by route.
#[derive(Debug, Default)]
pub struct HttpMeters {
    answers: DashMap<(&'static str, u16), AtomicU64>,
    micros: DashMap<&'static str, Histogram>,
}

/// The route of a path that no call of the tables has.
#[must_use]
pub fn class(path: &str) -> &'static str {
    let routes = ["/h5", "/upload", "/api", "/udf", "/ws", "/stream", "/realtime"];
    let is_below = |route: &str| path.strip_prefix(route).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    routes.into_iter().find(|route| is_below(route)).unwrap_or("other")
}

impl HttpMeters {
    /// Counts an answer.
    pub fn count(&self, Served { route, code }: Served, took: Duration) {
        let known = self.answers.get(&(route, code)).map(|counter| counter.fetch_add(1, Ordering::Relaxed));
        if known.is_none() {
            self.answers.entry((route, code)).or_default().fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        match self.micros.get(route) {
            Some(histogram) => histogram.record(micros),
            None => self.micros.entry(route).or_insert_with(|| Histogram::new(&MICROS)).record(micros),
        }
    }

    /// Answers so far, by route and code.
    #[must_use]
    pub fn answers(&self) -> Vec<(&'static str, u16, u64)> {
        let read = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let mut all: Vec<_> = self.answers.iter().map(|one| (one.key().0, one.key().1, read(&one))).collect();
        all.sort_unstable();
        all
    }

    /// Calls `tell` with the times of each route, by name.
    pub fn times(&self, mut tell: impl FnMut(&'static str, &Histogram)) {
        let mut routes: Vec<&'static str> = self.micros.iter().map(|one| *one.key()).collect();
        routes.sort_unstable();
        for route in routes {
            if let Some(histogram) = self.micros.get(route) {
                tell(route, &histogram);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_somebody_made_up_makes_no_new_label() {
        let meters = HttpMeters::default();
        let took = Duration::from_micros(300);
        for path in ["/h5/index.html", "/h5", "/h5x", "/api/v9/x", "/'--"] {
            meters.count(Served { route: class(path), code: 404 }, took);
        }
        meters.count(Served { route: "/api/coin/trade", code: 1 }, took);
        let answers = meters.answers();
        assert_eq!(answers, [("/api", 404, 1), ("/api/coin/trade", 1, 1), ("/h5", 404, 2), ("other", 404, 2)]);
        let mut counted = Vec::new();
        meters.times(|route, histogram| counted.push((route, histogram.count())));
        assert_eq!(counted, [("/api", 1), ("/api/coin/trade", 1), ("/h5", 2), ("other", 2)]);
    }
}
