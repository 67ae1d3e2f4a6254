//! `load shapes`: the same orders, entities and journal in three shapes by turns: ours; direct calls on one thread; every
//! entity an ordinary actix actor with a mailbox of its own.
//!
//! Compare rates, not latencies: ours begins and ends on a thread of its own, as a gateway's does, that makes the orders and
//! notes each answer; the two others do both on the thread that handles, many at once, and leave out what the cell does
//! besides (`tail.rs`). So a ratio belongs to a number of cores. All take the same orders in a turn, a faster one more of
//! them. A lower ratio says that the cell around the entities, its driver or its port became dearer.
//!
//! Owns: turns, figures and ratios. Never does: handle an order. Invariants: all shapes are alive in all turns, on one
//! disk; only one is asked at a time, and who goes first changes. Known limits: one market, a closed loop.

mod direct;
mod mailboxes;
mod tail;

use crate::engine::Engine;
use crate::in_process;
use crate::pace::Pace;
use crate::probes;
use crate::process::Cpu;
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::table::{Run, say, spread, whole};
use crate::{Failure, Span};
use clap::Args;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_benches::{Dice, Size};

/// What is run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Shapes {
    /// Accounts that trade.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) accounts: u64,
    /// Orders under way.
    #[arg(long, default_value_t = 512)]
    pub(crate) in_flight: usize,
    /// Turns of each shape.
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: u64,
}

/// One way to put entities and journal together.
trait Shape {
    /// What it is called.
    fn name(&self) -> &'static str;
    /// Keeps so many orders under way until the recorder's time ends, and waits for the last answer.
    fn run(&mut self, dice: Dice, in_flight: usize, recorder: &Arc<Recorder>) -> Result<(), Failure>;
}

/// The exchange's engine: cell, shells, gate, port.
struct Ours(Engine, Size);

impl Shape for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn run(&mut self, dice: Dice, in_flight: usize, recorder: &Arc<Recorder>) -> Result<(), Failure> {
        in_process::closed(&self.0, dice, self.1, in_flight, recorder)
    }
}

/// Runs them by turns.
pub(crate) fn run(args: &Shapes, span: Span) -> Result<Vec<Run>, Failure> {
    let size = Size { accounts: args.accounts, markets: 1 };
    say(&format!("shapes: {} accounts begin in each", whole(size.accounts as f64)));
    let mut shapes: [Box<dyn Shape>; 3] = [
        Box::new(Ours(Engine::alone(size)?, size)),
        Box::new(direct::Direct::start(size)?),
        Box::new(mailboxes::Mailboxes::start(size)?),
    ];
    let mut runs = vec![probes::disk(span.seconds.min(Duration::from_secs(3)))?];
    let mut ratios = [Vec::new(), Vec::new()];
    for round in 1..=args.rounds {
        let mut rates = [0.0; 3];
        let turns = if round % 2 == 1 { [0, 1, 2] } else { [2, 1, 0] };
        for at in turns {
            let run = turn(&mut *shapes[at], round, args.in_flight, span)?;
            rates[at] = run.measured.rate();
            runs.push(run);
        }
        for (ratios, other) in ratios.iter_mut().zip(&rates[1..]) {
            ratios.push(rates[0] / other.max(1.0));
        }
    }
    if let Some(last) = runs.last_mut() {
        for (ratios, shape) in ratios.iter_mut().zip(&shapes[1..]) {
            ratios.sort_by(f64::total_cmp);
            let median = ratios.get(ratios.len() / 2).copied().unwrap_or_default();
            let all = spread(ratios, |r| format!("{r:.2}"));
            last.notes.push((format!("ours / {}", shape.name()), format!("{median:.2} (median; {all})")));
        }
    }
    Ok(runs)
}

fn turn(shape: &mut dyn Shape, round: u64, in_flight: usize, span: Span) -> Result<Run, Failure> {
    let name = format!("{}, {}, turn {round}", shape.name(), Pace::Closed(in_flight).name());
    let recorder = Arc::new(Recorder::new(Instant::now() + span.warm_up, span.seconds));
    let cpu = Cpu::of_this_process();
    let progress = Progress::of(&name, recorder.clone());
    shape.run(Dice(round), in_flight, &recorder)?;
    drop(progress);
    let measured = recorder.measured();
    if !measured.errors.is_empty() {
        return Err(format!("{name}: {:?}", measured.errors).into());
    }
    let notes = vec![("cores used, warm-up included".into(), format!("{:.2}", cpu.cores()))];
    Ok(Run { name, offered: None, unit: "orders", measured, notes })
}
