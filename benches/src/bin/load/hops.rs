//! Probe of an order's path: as many threads, hand-overs and syncs as an order passes through, with nothing done on the way.
//!
//! Owns: what the machine takes for that at a fixed rate; open loops of the engine are compared with it in the same run.
//! Never does: use the exchange. Invariants: whatever waits for the disk goes into one write and one sync, as in the journal.
//! Known limits: channels of the standard library; no thread has anything in its cache to lose.

use crate::pace::{Pace, Schedule, keep_to};
use crate::probes::zeros;
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::table::Run;
use crate::{Failure, Span};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// Bytes that one order and what it trades add to the journal, about.
const ORDER: usize = 128;
/// Bytes of a write are a multiple of it.
const BLOCK: usize = 512;
/// Bytes of one write at most.
const MOST: usize = 1 << 16;
/// Bytes of the file, which is written round and round.
const FILE: usize = 8 << 20;

/// What wakes the thread in the middle.
enum Wake {
    Due(Range<u64>),
    Durable(Vec<Range<u64>>),
}

/// At one rate.
pub(crate) fn run(rate: f64, span: Span) -> Result<Run, Failure> {
    let file = zeros(FILE)?;
    let name = format!("probe, an order's hand-overs and fdatasync, {}", Pace::Open(rate).name());
    let start = Instant::now();
    let recorder = Arc::new(Recorder::new(start + span.warm_up, span.seconds));
    let schedule = Schedule::new(start, rate);
    let count = schedule.count_before(recorder.ends());
    let (to_cell, cell) = channel();
    let (to_writer, writer) = channel();
    let (to_waiting, waiting) = channel();
    let (durable, progress) = (to_cell.clone(), Progress::of(&name, recorder.clone()));
    let written = std::thread::scope(|scope| {
        let written = scope.spawn(move || write(&file, &writer, &durable));
        scope.spawn(move || pass_on(&cell, to_writer, &to_waiting, count));
        scope.spawn(move || keep_to(schedule, count, |due| drop(to_cell.send(Wake::Due(due)))));
        for answered in waiting {
            let at = Instant::now();
            let mut noting = recorder.batch();
            answered.for_each(|n| noting.done(schedule.due(n), at, 1));
        }
        written.join()
    });
    drop(progress);
    written.map_err(|_| "the probe's writer panicked")??;
    Ok(Run { name, offered: Some(rate), unit: "hand-overs", measured: recorder.measured(), notes: Vec::new() })
}

/// What came goes to the disk, what is durable to who waits for it; until all are through.
fn pass_on(cell: &Receiver<Wake>, to_writer: Sender<Range<u64>>, to_waiting: &Sender<Range<u64>>, count: u64) {
    let mut through = 0;
    for wake in cell {
        match wake {
            Wake::Due(due) => drop(to_writer.send(due)),
            Wake::Durable(answers) => {
                for answer in answers {
                    through += answer.end - answer.start;
                    // Who waits does so to the end.
                    drop(to_waiting.send(answer));
                }
            }
        }
        if through == count {
            return;
        }
    }
}

/// One write and one sync for all that waits.
fn write(file: &File, due: &Receiver<Range<u64>>, durable: &Sender<Wake>) -> std::io::Result<()> {
    let (bytes, mut at) = (vec![7; MOST], 0);
    while let Ok(first) = due.recv() {
        let group: Vec<Range<u64>> = std::iter::once(first).chain(due.try_iter()).collect();
        let orders: u64 = group.iter().map(|range| range.end - range.start).sum();
        let long = (orders as usize * ORDER).next_multiple_of(BLOCK).min(MOST);
        file.write_all_at(&bytes[..long], at as u64)?;
        file.sync_data()?;
        at = (at + long) % (FILE - MOST);
        // Who passes it on may be through.
        drop(durable.send(Wake::Durable(group)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn whatever_is_due_comes_through_once() {
        let span = Span { warm_up: Duration::ZERO, seconds: Duration::from_millis(200) };
        let run = run(5_000.0, span).unwrap();
        assert_eq!(run.measured.latency.len(), 1_000);
        assert!(run.measured.errors.is_empty());
    }
}
