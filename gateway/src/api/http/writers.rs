//! Threads that write and compress large answers, and one that reads the archive of ticks, so that those that take orders do not.
//!
//! Owns: these threads and what waits for them. Never does: look at a board or wait for anybody but a disk: what is written was
//! copied before. Invariants: what waits is bounded; a piece of work that fails ends itself alone; the machine's processors are the
//! orders' first.
//! Known limits: work that was handed over is done although who asked has gone.

use crate::common::critical_task;
use crossbeam::channel::{Receiver, Sender, bounded};
use std::fmt;
use tokio::sync::oneshot;

/// Rows of an answer beyond which it is large.
pub const LARGE_ROWS: usize = 50;
/// Pieces of work that wait at most.
const WAITING: usize = 64;
/// How much these threads give way to others (`nice`).
const GIVES_WAY: i32 = 10;

type Work = Box<dyn FnOnce() + Send>;

/// The way to the threads.
#[derive(Clone)]
pub struct Writers(Sender<Work>);

impl fmt::Debug for Writers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} answers waiting", self.0.len())
    }
}

/// Too much waits, or the work failed: there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overloaded;

/// Lets the calling thread have the processor only after the others of this machine.
pub(crate) fn give_way() {
    use rustix::process::{getpriority_process, setpriority_process};
    let me = Some(rustix::thread::gettid());
    let lowered = getpriority_process(me).and_then(|now| setpriority_process(me, now.saturating_add(GIVES_WAY)));
    if let Err(error) = lowered {
        tracing::warn!(%error, "a thread of large answers or of passwords gives way to nobody");
    }
}

fn work(waiting: &Receiver<Work>) {
    give_way();
    for work in waiting {
        // An answer that cannot be written is one caller's loss: whoever waits for it is told so.
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err() {
            tracing::error!("an answer could not be written");
        }
    }
}

impl Writers {
    /// Starts so many threads.
    ///
    /// # Errors
    /// When the operating system gives none.
    pub fn start(threads: usize) -> std::io::Result<Writers> {
        let (tx, waiting) = bounded(WAITING);
        for _ in 0..threads {
            let waiting = waiting.clone();
            critical_task::spawn("writers", move || work(&waiting))?;
        }
        Ok(Writers(tx))
    }

    /// Has something done there if it is `large`, else right here.
    ///
    /// # Errors
    /// When too much waits.
    pub async fn run_if<T: Send + 'static>(
        &self,
        large: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Overloaded> {
        if large { self.run(work).await } else { Ok(work()) }
    }

    /// Has something done there.
    ///
    /// # Errors
    /// When too much waits.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Overloaded> {
        let (done, finished) = oneshot::channel();
        // Whoever asked may have gone.
        let work: Work = Box::new(move || drop(done.send(work())));
        self.0.try_send(work).map_err(|_| Overloaded)?;
        finished.await.map_err(|_| Overloaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_answer_that_cannot_be_written_is_refused_and_the_next_is_written() {
        let writers = Writers::start(1).unwrap();
        assert!(writers.run(|| panic!("cannot be written")).await.is_err());
        assert_eq!(writers.run(|| 7).await.ok(), Some(7));
    }

    #[tokio::test]
    async fn what_waits_is_bounded_and_what_is_beyond_is_refused_at_once() {
        let writers = Writers::start(1).unwrap();
        let (begun, begins) = oneshot::channel();
        let (go, gone) = crossbeam::channel::bounded::<()>(0);
        let first = tokio::spawn({
            let writers = writers.clone();
            async move {
                let work = move || {
                    begun.send(()).unwrap();
                    // Ends when the sender is dropped.
                    let _ = gone.recv();
                    7
                };
                writers.run(work).await
            }
        });
        begins.await.unwrap();
        let waiting: Vec<_> = (0..WAITING)
            .map(|n| {
                let writers = writers.clone();
                tokio::spawn(async move { writers.run(move || n).await })
            })
            .collect();
        tokio::task::yield_now().await;
        while writers.0.len() < WAITING {
            tokio::task::yield_now().await;
        }
        assert_eq!(writers.run(|| ()).await, Err(Overloaded));
        drop(go);
        assert_eq!(first.await.unwrap(), Ok(7));
        for (n, one) in waiting.into_iter().enumerate() {
            assert_eq!(one.await.unwrap(), Ok(n));
        }
    }
}
