//! Threads and tasks that the exchange cannot do without: when one panics, or a task ends before its time, the process
//! stops and recovery is replay (`docs/decisions.md "Fail stop"`).
//!
//! Owns: how such a part is started and what its end means. Never does: start one again. Invariants: no vital part
//! is missing while the process lives. Known limits: a part that hangs is found by health, not here.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Stops the process, saying why.
pub fn stop(name: &str, why: &str) -> ! {
    tracing::error!(part = name, why, "a vital part is broken; the process stops");
    std::process::abort();
}

/// Starts a thread whose panic stops the process.
pub fn spawn(name: &'static str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let run = move || {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            stop(name, "its thread panicked");
        }
    };
    std::thread::Builder::new().name(name.into()).spawn(run).map(drop)
}

/// Starts a task on this thread whose panic, or end before the process `drains`, stops the process. A task that is
/// dropped with its thread's runtime has not ended.
pub fn task(name: &'static str, drains: impl Fn() -> bool + 'static, work: impl Future<Output = ()> + 'static) {
    let running = tokio::task::spawn_local(work);
    tokio::task::spawn_local(async move {
        match running.await {
            Err(error) if error.is_cancelled() => {}
            Err(_) => stop(name, "its task panicked"),
            Ok(()) if drains() => {}
            Ok(()) => stop(name, "its task ended"),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Runs the named test of this binary in a process of its own, with `PART` set; true when it was aborted.
    fn aborts(part: &str) -> bool {
        let me = std::env::current_exe().unwrap();
        let mut child = Command::new(me);
        child
            .args(["--exact", "common::critical_task::tests::a_part_that_runs_in_a_process_of_its_own", "--nocapture"])
            .env("PART", part);
        let ended = child.output().unwrap().status;
        std::os::unix::process::ExitStatusExt::signal(&ended) == Some(6)
    }

    #[test]
    fn a_part_that_runs_in_a_process_of_its_own() {
        let Ok(part) = std::env::var("PART") else { return };
        let drains = part == "drains";
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            task("part", move || drains, async move { assert!(part != "panics") });
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        });
    }

    #[test]
    fn a_task_that_panics_or_ends_stops_the_process_unless_it_drains() {
        assert!(aborts("panics"));
        assert!(aborts("ends"));
        assert!(!aborts("drains"));
    }
}
