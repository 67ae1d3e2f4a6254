//! Threads that the exchange cannot do without: when one panics, the process stops and recovery is replay
//! (`design/architecture.md` rule 8).

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Starts a thread whose panic stops the process.
pub fn spawn(name: &'static str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let run = move || {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            tracing::error!(thread = name, "a vital thread panicked; the process stops");
            std::process::abort();
        }
    };
    std::thread::Builder::new().name(name.into()).spawn(run).map(drop)
}
