//! Probes of the machine in the same run: what the disk and the network give to a program that does nothing else.
//!
//! Owns: a raw fdatasync, and a raw TCP writer that sends what the exchange's sockets send. Never does: use the exchange.
//! Invariants: figures of the exchange are compared with probes of the same run, not of another day. Known limits: the
//! writer knows no subscriptions and no slow readers: it waits for each.

use crate::frames;
use crate::pace::Pace;
use crate::pace::Schedule;
use crate::process::Cpu;
use crate::progress::Progress;
use crate::readers::{self, Readers};
use crate::recorder::Recorder;
use crate::table::{Run, whole};
use crate::{Failure, Span};
use clap::Args;
use std::fs::File;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of a block: the least that the journal writes.
const BLOCK: usize = 512;
/// Blocks of the file that is written round and round, as a recycled segment is.
const BLOCKS: u64 = 16_384;

/// A file of so many zeros that is on the disk, and gone with its handle.
pub(crate) fn zeros(bytes: usize) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(&vec![0; bytes])?;
    file.sync_all()?;
    Ok(file)
}

/// `fdatasync` after each block of a file that was filled with zeros before.
pub(crate) fn disk(long: Duration) -> Result<Run, Failure> {
    let file = zeros(BLOCK * BLOCKS as usize)?;
    let recorder = Recorder::new(Instant::now(), long);
    let (block, mut n) = ([7; BLOCK], 0);
    loop {
        let begun = Instant::now();
        if begun >= recorder.ends() {
            break;
        }
        file.write_all_at(&block, n % BLOCKS * BLOCK as u64)?;
        file.sync_data()?;
        recorder.batch().done(begun, Instant::now(), 1);
        n += 1;
    }
    let name = "probe, write 512 bytes and fdatasync".to_owned();
    Ok(Run { name, offered: None, unit: "syncs", measured: recorder.measured(), notes: Vec::new() })
}

/// The raw TCP writer.
#[derive(Debug, Clone, Args)]
pub(crate) struct Tcp {
    /// Sockets that read.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) sockets: usize,
    /// Messages a second to each of them.
    #[arg(long, default_value_t = 1_000.0)]
    pub(crate) rate: f64,
    /// Bytes of a message's payload; a trade of the public streams has about 130.
    #[arg(long, default_value_t = 130)]
    pub(crate) bytes: usize,
}

/// One thread writes what is due to one socket after the other; another reads as the sockets' mode does.
pub(crate) fn tcp(args: &Tcp, span: Span) -> Result<Run, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let mut writers = Vec::with_capacity(args.sockets);
    let mut streams = Vec::with_capacity(args.sockets);
    for _ in 0..args.sockets {
        streams.push((TcpStream::connect(address)?, Vec::new()));
        let (writer, _) = listener.accept()?;
        writer.set_nodelay(true)?;
        writers.push(writer);
    }
    let name = format!("probe, raw TCP, {} sockets, {} each", whole(args.sockets as f64), Pace::Open(args.rate).name());
    let start = Instant::now();
    let recorder = Arc::new(Recorder::new(start + span.warm_up, span.seconds));
    let (schedule, ends, bytes) = (Schedule::new(start, args.rate), recorder.ends(), args.bytes);
    let writing = std::thread::spawn(move || write_until(ends, schedule, bytes, writers));
    let progress = Progress::of(&name, recorder.clone());
    let counts = Readers::start(streams, recorder.clone())?.join()?;
    drop(progress);
    let (cores, passes) = writing.join().map_err(|_| "the writer panicked")??;
    let measured = recorder.measured();
    let mut notes = readers::notes(&counts, &measured);
    notes.push(("writer's cores".into(), format!("{cores:.2}")));
    notes.push(("delivered a core of the writer".into(), format!("{}/s", whole(measured.rate() / cores.max(0.01)))));
    notes.push((
        "messages a write".into(),
        format!("{:.1}", schedule.count_before(Instant::now()) as f64 / passes.max(1) as f64),
    ));
    let offered = Some(args.rate * args.sockets as f64);
    Ok(Run { name, offered, unit: "messages", measured, notes })
}

/// Passes over all sockets, each with everything that became due since the pass before.
fn write_until(
    ends: Instant,
    schedule: Schedule,
    bytes: usize,
    mut writers: Vec<TcpStream>,
) -> std::io::Result<(f64, u64)> {
    let cpu = Cpu::of_this_thread();
    let (mut sent, mut passes, mut block) = (0, 0, Vec::new());
    loop {
        let now = Instant::now();
        if now >= ends {
            return Ok((cpu.cores(), passes));
        }
        let due = schedule.count_before(now);
        if due == sent {
            std::thread::sleep(schedule.due(due).saturating_duration_since(now));
            continue;
        }
        block.clear();
        for _ in sent..due {
            frames::put_timed(&mut block, bytes);
        }
        for writer in &mut writers {
            match writer.write_all(&block) {
                // The readers have ended.
                Err(_) if Instant::now() >= ends => return Ok((cpu.cores(), passes)),
                written => written?,
            }
        }
        (sent, passes) = (due, passes + 1);
    }
}
