//! Waiting for what another process does. The deadlines only tell a hang from progress.
#![allow(dead_code, reason = "each test target uses a part")]

use std::time::{Duration, Instant};

/// How long anything is waited for that has no deadline of its own.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a question is asked again whose answer is "later".
const ASKS_FOR: Duration = Duration::from_secs(60);

/// Waits until it is so.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    found(what, || is_so().then_some(()));
}

/// As [`eventually`], for so long at most.
pub(crate) fn within(patience: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    found_within(patience, what, || is_so().then_some(()));
}

/// Waits until there is something.
pub(crate) fn found<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    found_within(PATIENCE, what, look)
}

/// Asks again while the answer is "later"; gives the last answer. Right after a start, histories and store come to what
/// accounts say only a little after the exchange is ready.
pub(crate) fn asked_again<T>(ask: impl Fn() -> T, is_later: impl Fn(&T) -> bool) -> T {
    let until = Instant::now() + ASKS_FOR;
    loop {
        let answer = ask();
        if !is_later(&answer) || Instant::now() >= until {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn found_within<T>(patience: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + patience;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "not within {patience:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
