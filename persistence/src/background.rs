//! Threads that follow: the store's, the snapshots'. They work on what is durable already and nobody waits for them.
//!
//! Owns: how such a thread says so. Never does: slow down while there is a processor to spare.
//! Invariants: a thread that stands back never comes forward again: the system lets nobody without privileges do that.
//! Why: on few cores they would take a burst of orders the processor away; what they owe meanwhile is in the journal.
//! Known limits: Linux gives priorities to threads; elsewhere the whole process would stand back, so nothing is asked.

/// Steps of priority given up: a thread then gets a tenth of what another one that wants the same processor gets.
#[cfg(target_os = "linux")]
const STEPS: i32 = 10;

/// Lets all other threads go first, for good, and those too that this one starts from now on.
pub fn stand_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(STEPS) {
        tracing::debug!(%error, "a following thread keeps its priority");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Field 19 of the kernel's line about a thread.
    fn niceness() -> i32 {
        let line = std::fs::read_to_string("/proc/thread-self/stat").expect("Linux says");
        let (_, behind_name) = line.rsplit_once(") ").expect("a name in parentheses");
        behind_name.split(' ').nth(16).and_then(|field| field.parse().ok()).expect("a number")
    }

    #[test]
    fn a_thread_stands_back_with_those_that_it_starts_and_no_other_does() {
        let before = niceness();
        let follow = || {
            stand_back();
            (niceness(), std::thread::spawn(niceness).join().expect("ends"))
        };
        let (following, started) = std::thread::spawn(follow).join().expect("ends");
        let less = (before + STEPS).min(19);
        assert_eq!((following, started, niceness()), (less, less, before));
    }
}
