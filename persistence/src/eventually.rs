//! Waits in tests for the effect of another thread. Built for tests only.

use std::time::{Duration, Instant};

/// Waits until it is so, for a minute at most, which only tells a hang from progress.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "not in a minute: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
