//! Threads and tasks that the exchange cannot do without: when one panics, or a task ends before its time, the process
//! stops and recovery is replay (`design/architecture.md` rule 8).

use crate::health::Health;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

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

/// Starts a task on this thread whose panic, or end before the process drains, stops the process. A task that is
/// dropped with its thread's runtime has not ended.
pub fn task(name: &'static str, health: Arc<Health>, work: impl Future<Output = ()> + 'static) {
    let running = tokio::task::spawn_local(work);
    tokio::task::spawn_local(async move {
        match running.await {
            Err(error) if error.is_cancelled() => {}
            Err(_) => stop(name, "its task panicked"),
            Ok(()) if health.draining.load(Ordering::Relaxed) => {}
            Ok(()) => stop(name, "its task ended"),
        }
    });
}
