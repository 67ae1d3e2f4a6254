//! A line a second while a run goes on.
//!
//! Owns: the thread that prints. Never does: touch what is measured. Invariants: it ends with its run. Known limits:
//! a window that is longer than a second is shown as far as it has come.

use crate::recorder::{Recorder, millis};
use crate::table::{say, whole};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Prints until it is dropped.
pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

const LINE_EVERY: Duration = Duration::from_secs(1);

impl Progress {
    /// Begins to print the windows of a run.
    pub(crate) fn of(name: &str, recorder: Arc<Recorder>) -> Progress {
        let stop = Arc::new(AtomicBool::new(false));
        let (name, stopped) = (name.to_owned(), stop.clone());
        let thread = std::thread::spawn(move || {
            let mut next = recorder.began() + LINE_EVERY;
            while !stopped.load(Ordering::Relaxed) && next <= recorder.ends() + LINE_EVERY {
                std::thread::park_timeout(next.saturating_duration_since(Instant::now()));
                if Instant::now() >= next {
                    line(&name, &recorder, next);
                    next += LINE_EVERY;
                }
            }
        });
        Progress { stop, thread: Some(thread) }
    }
}

fn line(name: &str, recorder: &Recorder, at: Instant) {
    // The window that has just ended.
    let inside = at - LINE_EVERY.min(recorder.window()) / 2;
    let Some((window, errors, open)) = recorder.look(inside) else { return };
    let passed = inside.duration_since(recorder.began()).as_nanos() % recorder.window().as_nanos();
    let seen = if recorder.window() > LINE_EVERY { Duration::from_nanos(passed as u64) } else { recorder.window() };
    let seconds = (at - recorder.began()).as_secs();
    let latency = &window.latency;
    say(&format!(
        "{name}  {seconds:>4} s  {:>9}/s  p50 {:>8.3} ms  p99 {:>8.3} ms  max {:>8.3} ms  open {open}  errors {errors}",
        whole(window.done as f64 / seen.as_secs_f64().max(0.001)),
        millis(latency, 0.5),
        millis(latency, 0.99),
        latency.max() as f64 / 1_000.0,
    ));
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A line that cannot be printed is no reason to lose the measurements.
            drop(thread.join());
        }
    }
}
