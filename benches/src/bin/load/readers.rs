//! Sockets that read as fast as they can, on one thread, and say what arrived when.
//!
//! Owns: healthy subscribers. Never does: subscribe. Invariants: a message's latency goes from the event time that it
//! names, in milliseconds, to its arrival, so it is told up to a millisecond too long, never too short.
//! Known limits: one thread for all; its share of the cores is told.

use crate::Failure;
use crate::frames::{self, CLOSE, Frames, PING, TEXT};
use crate::process::Cpu;
use crate::recorder::{Measured, Recorder};
use crate::sockets::Opened;
use crate::table::whole;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Bytes that are taken from a socket at once.
const CHUNK: usize = 64 * 1_024;

/// What one socket got in the measured time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Got {
    pub(crate) messages: u64,
    pub(crate) reads: u64,
    /// The server ended it before the time was over.
    pub(crate) ended: bool,
}

/// What all of them got, and the cores that this took.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) each: Vec<Got>,
    pub(crate) cores: f64,
}

/// Readers at work.
pub(crate) struct Readers(JoinHandle<std::io::Result<Counts>>);

impl Readers {
    /// Reads from all until the recorder's time is over.
    pub(crate) fn start(streams: Vec<Opened>, recorder: Arc<Recorder>) -> std::io::Result<Readers> {
        for (stream, _) in &streams {
            stream.set_nonblocking(true)?;
        }
        let read = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let cpu = Cpu::of_this_thread();
            let each = tokio::task::LocalSet::new().block_on(&runtime, async move {
                let mut reading = JoinSet::new();
                let chunk = Rc::new(RefCell::new(vec![0; CHUNK]));
                for (stream, begin) in streams {
                    let mut frames = Frames::default();
                    frames.take(&begin, |_, _| {});
                    let stream = TcpStream::from_std(stream)?;
                    reading.spawn_local(socket(stream, frames, chunk.clone(), recorder.clone()));
                }
                Ok::<_, std::io::Error>(reading.join_all().await)
            })?;
            Ok(Counts { each, cores: cpu.cores() })
        };
        std::thread::Builder::new().name("readers".into()).spawn(read).map(Readers)
    }

    /// Waits for the end of the measured time.
    pub(crate) fn join(self) -> Result<Counts, Failure> {
        Ok(self.0.join().map_err(|_| "the readers panicked")??)
    }
}

async fn socket(stream: TcpStream, mut frames: Frames, chunk: Rc<RefCell<Vec<u8>>>, recorder: Arc<Recorder>) -> Got {
    let mut got = Got::default();
    let ends = tokio::time::Instant::from_std(recorder.ends());
    loop {
        let goes_on = match tokio::time::timeout_at(ends, stream.readable()).await {
            Err(_) => return got,
            Ok(Ok(())) => take(&stream, &mut chunk.borrow_mut(), (&mut frames, &mut got), &recorder),
            Ok(Err(_)) => false,
        };
        if Instant::now() >= recorder.ends() {
            return got;
        }
        if !goes_on {
            return Got { ended: true, ..got };
        }
    }
}

/// Takes what is there; false when there will be no more.
fn take(stream: &TcpStream, chunk: &mut [u8], (frames, got): (&mut Frames, &mut Got), recorder: &Recorder) -> bool {
    let read = match stream.try_read(chunk) {
        Ok(0) => return false,
        Ok(read) => read,
        Err(error) => return error.kind() == std::io::ErrorKind::WouldBlock,
    };
    let (at, now_micros) = (Instant::now(), frames::epoch_micros());
    let measured = (recorder.began()..recorder.ends()).contains(&at);
    let mut noting = recorder.batch();
    let mut note = |ms: Option<u64>, count: u64| {
        if count == 0 {
            return;
        }
        let Some(ms) = ms else { return noting.only_done(at, count) };
        let late = Duration::from_micros(now_micros.saturating_sub(ms * 1_000));
        noting.done(at - late, at, count);
    };
    // Most messages of a chunk are of one millisecond.
    let (mut alike, mut count, mut goes_on) = (None, 0, true);
    frames.take(&chunk[..read], |kind, payload| match kind {
        TEXT => {
            let ms = frames::event_ms(payload);
            if ms != alike {
                note(alike, count);
                (alike, count) = (ms, 0);
            }
            count += 1;
            got.messages += u64::from(measured);
        }
        // A pong that finds no room is missed by nobody: the next one will do.
        PING => drop(stream.try_write(&frames::pong(payload))),
        CLOSE => goes_on = false,
        _ => {}
    });
    note(alike, count);
    got.reads += u64::from(measured);
    goes_on
}

/// Findings about readers.
pub(crate) fn notes(counts: &Counts, measured: &Measured) -> Vec<(String, String)> {
    let mut each: Vec<u64> = counts.each.iter().map(|got| got.messages).collect();
    each.sort_unstable();
    let seconds = measured.long.as_secs_f64();
    let at = |share: usize| each.get((each.len().max(1) - 1) * share / 100).map_or(0.0, |n| *n as f64 / seconds);
    let reads: u64 = counts.each.iter().map(|got| got.reads).sum();
    let messages: u64 = each.iter().sum();
    let ended = counts.each.iter().filter(|got| got.ended).count();
    vec![
        ("messages a socket".into(), format!("{}/s (least {}, most {})", whole(at(50)), whole(at(0)), whole(at(100)))),
        ("messages a read".into(), format!("{:.1}", messages as f64 / reads.max(1) as f64)),
        ("sockets that the server ended".into(), ended.to_string()),
        ("readers' cores".into(), format!("{:.2}", counts.cores)),
    ]
}
