//! The tail of the log, for the console: the lines that the process writes anyway, kept a while.
//!
//! Owns: the latest lines. Never does: change a line, or keep one from where it goes. Invariants: numbers of lines grow by
//! one. Known limits: 500 lines; what is logged before there is a log is not there.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xng_persistence::ring::Ring;

const LINES: usize = 500;
/// A longer line is cut here; the log itself has all of it.
const LONGEST: usize = 2_000;

/// A line and its number.
pub type Line = (u64, Arc<str>);

/// See the module's header.
#[derive(Debug, Clone)]
pub struct LogTail(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    lines: Ring<Line>,
    next: AtomicU64,
}

impl Default for LogTail {
    fn default() -> Self {
        LogTail(Arc::new(Inner { lines: Ring::new(LINES), next: AtomicU64::new(1) }))
    }
}

impl LogTail {
    /// Keeps what is written to `out`.
    pub fn tee<W: Write>(&self, out: W) -> Tee<W> {
        Tee { tail: self.clone(), out }
    }

    fn keep(&self, written: &[u8]) {
        for line in String::from_utf8_lossy(written).lines().filter(|line| !line.is_empty()) {
            let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(at, _)| at);
            self.0.lines.push((self.0.next.fetch_add(1, Ordering::Relaxed), line[..end].into()));
        }
    }

    /// The latest lines after number `after`, at most `most`, oldest first.
    #[must_use]
    pub fn since(&self, after: u64, most: usize) -> Vec<Line> {
        self.0.lines.latest(most).into_iter().filter(|(number, _)| *number > after).collect()
    }
}

/// A writer that keeps what passes.
#[derive(Debug)]
pub struct Tee<W> {
    tail: LogTail,
    out: W,
}

impl<W: Write> Write for Tee<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // One line comes in one piece.
        self.tail.keep(bytes);
        self.out.write_all(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_kept_with_its_number_and_goes_on_whole() {
        let (tail, mut out) = (LogTail::default(), Vec::new());
        let long = "x".repeat(LONGEST + 100);
        writeln!(tail.tee(&mut out), "one").unwrap();
        tail.tee(&mut out).write_all(format!("{long}\n").as_bytes()).unwrap();
        assert_eq!(out.len(), 4 + long.len() + 1);
        let kept = tail.since(0, 10);
        assert_eq!((kept[0].0, &*kept[0].1, kept[1].1.len()), (1, "one", LONGEST));
        assert_eq!(tail.since(1, 10).len(), 1);
    }
}
