//! `load in-process`: orders through the ingress that a gateway thread uses, answers when they are durable.
//!
//! Owns: the runs at fixed rates and at the peak. Never does: look into the cell. Invariants: latency ends when the
//! answer arrives on the thread that waits as a gateway's does. Known limits: no text is parsed; half of the orders may
//! rest, about 0.6 trades an order; with `--beside`, runs above what the store takes show the first minute of a burst, in
//! which the persister rests (`store.burst_seconds`; 0 shows what comes after).

use crate::engine::{Engine, NO_ANSWER, Port};
use crate::pace::{Pace, Schedule, keep_to};
use crate::process::Cpu;
use crate::progress::Progress;
use crate::recorder::{Noting, Recorder};
use crate::table::{Run, say, whole};
use crate::{Failure, Span, hops, probes};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use xng_benches::{Dice, Size, order};
use xng_core::entity::{Accepted, Reply};

/// A probe has nothing that has to grow first.
const PROBE_WARM_UP: Duration = Duration::from_secs(1);

/// What is run.
#[derive(Debug, Clone, Args)]
pub(crate) struct InProcess {
    /// Accounts that trade.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) accounts: u64,
    /// Markets that they trade on.
    #[arg(long, default_value_t = 1)]
    pub(crate) markets: u16,
    /// Orders a second, one run each; 0 is the peak, a closed loop.
    #[arg(long, value_delimiter = ',', default_value = "10000,50000,100000,0")]
    pub(crate) rate: Vec<f64>,
    /// Orders under way at the peak.
    #[arg(long, default_value_t = 512)]
    pub(crate) in_flight: usize,
    /// With market view, persister, snapshots and health running, as in the exchange.
    #[arg(long)]
    pub(crate) beside: bool,
    /// Settings for `--beside`.
    #[arg(long, default_value = "config/exchange.toml")]
    pub(crate) config: PathBuf,
    /// Another seed gives other orders.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

impl InProcess {
    /// One run at a fixed rate on one market.
    pub(crate) fn of(accounts: u64, rate: f64) -> InProcess {
        let (config, rate) = (PathBuf::new(), vec![rate]);
        InProcess { accounts, markets: 1, rate, in_flight: 1, beside: false, config, seed: 1 }
    }
}

/// Runs them all on one engine, behind a probe of the disk; before each fixed rate one of the hand-overs.
pub(crate) fn run(args: &InProcess, span: Span) -> Result<Vec<Run>, Failure> {
    let size = Size { accounts: args.accounts, markets: args.markets };
    let mut runs = vec![probes::disk(span.seconds.min(Duration::from_secs(3)))?];
    say(&format!("in-process: {} accounts begin", whole(size.accounts as f64)));
    let engine = if args.beside { Engine::beside(size, &args.config)? } else { Engine::alone(size)? };
    for rate in &args.rate {
        let pace = if *rate > 0.0 { Pace::Open(*rate) } else { Pace::Closed(args.in_flight) };
        if let Pace::Open(rate) = pace {
            runs.push(hops::run(rate, Span { warm_up: PROBE_WARM_UP.min(span.warm_up), ..span })?);
        }
        runs.push(one(&engine, args, pace, span)?);
    }
    Ok(runs)
}

pub(crate) fn one(engine: &Engine, args: &InProcess, pace: Pace, span: Span) -> Result<Run, Failure> {
    let size = Size { accounts: args.accounts, markets: args.markets };
    let beside = if args.beside { "beside" } else { "alone" };
    let name = format!("in-process {beside}, {} accounts, {}", whole(args.accounts as f64), pace.name());
    let start = Instant::now();
    let recorder = Arc::new(Recorder::new(start + span.warm_up, span.seconds));
    let before = JournalSums::of(engine);
    let cpu = Cpu::of_this_process();
    let progress = Progress::of(&name, recorder.clone());
    let dice = Dice(args.seed);
    match pace {
        Pace::Open(rate) => open(engine, dice, size, Schedule::new(start, rate), &recorder)?,
        Pace::Closed(in_flight) => closed(engine, dice, size, in_flight, &recorder)?,
    }
    drop(progress);
    let mut notes = before.notes(engine);
    notes.push(("cores used, generator included".into(), format!("{:.2}", cpu.cores())));
    if let Some(persister) = &engine.persister {
        notes
            .push(("persister behind at the end".into(), format!("{} records", whole(persister.lag_records() as f64))));
    }
    let offered = match pace {
        Pace::Open(rate) => Some(rate),
        Pace::Closed(_) => None,
    };
    Ok(Run { name, offered, unit: "orders", measured: recorder.measured(), notes })
}

/// Notes an answer; refusals are errors.
fn answered(noting: &mut Noting<'_>, reply: &Reply, intended: Instant, at: Instant) {
    match reply {
        Reply::Accepted(Accepted::Placed(_)) => noting.done(intended, at, 1),
        Reply::Busy => noting.error("busy"),
        Reply::Rejected(reject) => noting.error(&format!("rejected: {reject:?}")),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_)) => {
            noting.error(&format!("answered {other:?}"))
        }
    }
}

fn open(
    engine: &Engine,
    mut dice: Dice,
    size: Size,
    schedule: Schedule,
    recorder: &Arc<Recorder>,
) -> Result<(), Failure> {
    let count = schedule.count_before(recorder.ends());
    let mut port = Port::open(&engine.handle);
    let (sender, noting, sent) = (port.sender(), recorder.clone(), AtomicU64::new(0));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            keep_to(schedule, count, |due| {
                sent.fetch_add(due.end - due.start, Ordering::Relaxed);
                sender.send(due.map(|n| (n, order(&mut dice, size))));
            });
        });
        runtime.block_on(async {
            let mut got = 0;
            while got < count {
                let last = Instant::now() >= recorder.ends();
                let Some(replies) = port.answers(NO_ANSWER).await else {
                    if last {
                        break;
                    }
                    continue;
                };
                let at = Instant::now();
                got += replies.len() as u64;
                let mut noting = noting.batch();
                for (n, reply) in replies {
                    answered(&mut noting, &reply, schedule.due(n), at);
                }
                noting.open(sent.load(Ordering::Relaxed).saturating_sub(got));
            }
            if got < count {
                recorder.batch().errors("no answer", count - got);
            }
        });
    });
    Ok(())
}

/// So many orders under way until the recorder's time ends.
pub(crate) fn closed(
    engine: &Engine,
    mut dice: Dice,
    size: Size,
    in_flight: usize,
    recorder: &Arc<Recorder>,
) -> Result<(), Failure> {
    let sent = std::cell::RefCell::new(vec![Instant::now(); in_flight]);
    let ends = recorder.ends();
    recorder.batch().open(in_flight as u64);
    let next = |place: u64| {
        let now = Instant::now();
        sent.borrow_mut()[place as usize] = now;
        (now < ends).then(|| order(&mut dice, size))
    };
    let answer = |place: u64, reply: Reply| {
        let begun = sent.borrow()[place as usize];
        answered(&mut recorder.batch(), &reply, begun, Instant::now());
    };
    let missing = Port::open(&engine.handle).keep_in_flight(in_flight, next, answer)?;
    if missing > 0 {
        recorder.batch().errors("no answer", missing as u64);
    }
    Ok(())
}

/// What the journal had counted at a moment.
struct JournalSums {
    records: u64,
    bytes: u64,
    groups: u64,
    syncs: u64,
    sync_micros: u64,
}

impl JournalSums {
    fn of(engine: &Engine) -> JournalSums {
        let m = engine.journal.metrics();
        JournalSums {
            records: m.durable.load(Ordering::Relaxed),
            bytes: m.written_bytes.load(Ordering::Relaxed),
            groups: m.group_records.count(),
            syncs: m.fsync_micros.count(),
            sync_micros: m.fsync_micros.sum(),
        }
    }

    /// What came since.
    fn notes(&self, engine: &Engine) -> Vec<(String, String)> {
        let now = JournalSums::of(engine);
        let per = |sum: u64, count: u64| sum as f64 / count.max(1) as f64;
        let records = now.records - self.records;
        vec![(
            "journal".into(),
            format!(
                "{} records, {:.1} bytes each, {:.1} a sync, a sync takes {:.0} µs on average",
                whole(records as f64),
                per(now.bytes - self.bytes, records),
                per(records, now.groups - self.groups),
                per(now.sync_micros - self.sync_micros, now.syncs - self.syncs),
            ),
        )]
    }
}
