//! `sim`: runs seeds and prints the paths reached, or the command that repeats a failure.
//!
//! Owns: seeds, threads over them, the report. Never does: judge a run; the run does. Invariants: a failing seed is
//! named with the command that repeats it. Known limits: a panic is reported without its step.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use xng_sim::{PATHS, Reached, Run};

const USAGE: &str = "sim [--seed N | --first-seed N --seeds N | --first-seed N --seconds N] [--steps N] [--jobs N]";

struct Arguments {
    first: u64,
    seeds: u64,
    steps: u64,
    /// As many seeds as this time allows, instead of a number.
    within: Option<Duration>,
    jobs: u64,
}

fn arguments() -> Result<Arguments, String> {
    let jobs = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let mut arguments = Arguments { first: 1, seeds: 1, steps: 2_000, within: None, jobs };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value =
            words.next().and_then(|v| v.parse::<u64>().ok()).ok_or(format!("{word} needs a number\n{USAGE}"))?;
        match word.as_str() {
            "--seed" => (arguments.first, arguments.seeds) = (value, 1),
            "--first-seed" => arguments.first = value,
            "--seeds" => arguments.seeds = value,
            "--steps" => arguments.steps = value,
            "--seconds" => arguments.within = Some(Duration::from_secs(value)),
            "--jobs" => arguments.jobs = value.max(1),
            _ => return Err(format!("{word}?\n{USAGE}")),
        }
    }
    Ok(arguments)
}

/// What all seeds came to.
#[derive(Default)]
struct Total {
    seeds: u64,
    records: u64,
    reached: Reached,
    /// Seed, step and what was wrong.
    failed: Option<(u64, u64, String)>,
}

/// Records and paths of one seed, or the step at which something was wrong.
fn one(seed: u64, steps: u64) -> Result<(u64, Reached), (u64, String)> {
    // A panic of an entity stops the process; here it is a finding like another.
    let outcome = catch_unwind(|| {
        let mut run = Run::new(seed).map_err(|finding| (0, finding))?;
        run.run(steps)?;
        Ok((run.records(), run.reached()))
    });
    outcome.unwrap_or_else(|_| Err((0, "a panic, told above".to_owned())))
}

fn run(arguments: &Arguments) -> Total {
    let (begun, next, stop) = (Instant::now(), AtomicU64::new(arguments.first), AtomicBool::new(false));
    let total = Mutex::new(Total::default());
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let over =
                arguments.within.map_or(seed - arguments.first >= arguments.seeds, |within| begun.elapsed() >= within);
            if over {
                return;
            }
            let outcome = one(seed, arguments.steps);
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            match outcome {
                Ok((records, paths)) => {
                    total.seeds += 1;
                    total.records += records;
                    paths.into_iter().for_each(|(path, n)| *total.reached.entry(path).or_default() += n);
                }
                Err((step, finding)) => {
                    stop.store(true, Ordering::Relaxed);
                    total.failed.get_or_insert((seed, step, finding));
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..arguments.jobs {
            scope.spawn(work);
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn report(arguments: &Arguments, total: &Total, seconds: u64) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (seeds, records, steps) = (total.seeds, total.records, arguments.steps);
    if let Some((seed, step, finding)) = &total.failed {
        writeln!(out, "seed {seed}, step {step}: {finding}")?;
        return writeln!(out, "repeat it with: cargo run --profile sim -p xng-sim -- --seed {seed} --steps {steps}");
    }
    let last = arguments.first + seeds.max(1) - 1;
    writeln!(
        out,
        "{seeds} seeds ({}..={last}) of {steps} steps in {seconds} s: {records} records, nothing wrong",
        arguments.first
    )?;
    for path in PATHS {
        writeln!(out, "{:>10}  {path}", total.reached.get(path).copied().unwrap_or(0))?;
    }
    let never: Vec<&&str> = PATHS.iter().filter(|path| !total.reached.contains_key(**path)).collect();
    if never.is_empty() { Ok(()) } else { writeln!(out, "never reached: {never:?}") }
}

/// Adds lines to the table of promises (`scripts/promises.sh`), where the variable PROMISES names its file: promise, how,
/// times tried, acknowledgements looked up, lost, doubled. What has no acknowledgements of its own is audited after every
/// step; a run in which anything was lost or doubled does not get here.
fn tell_promises(total: &Total) -> io::Result<()> {
    let Some(file) = std::env::var_os("PROMISES") else { return Ok(()) };
    let of = |path: &str| total.reached.get(path).copied().unwrap_or(0);
    let mut out = OpenOptions::new().create(true).append(true).open(file)?;
    for (promise, path, checked) in [
        ("the process is killed", "kill", of("acknowledgement looked up after a kill")),
        ("the machine loses power", "power loss", of("acknowledgement looked up after a power loss")),
        ("the disk is full", "disks full", 0),
        ("the store is away", "store failed, tried again", 0),
        ("a retry of a request", "lost and asked again", 0),
    ] {
        writeln!(out, "{promise}\tsimulator: {path}\t{}\t{checked}\t0\t0\t0\t0\t0\t0", of(path))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            drop(writeln!(io::stderr(), "{error}"));
            return ExitCode::FAILURE;
        }
    };
    let begun = Instant::now();
    let total = run(&arguments);
    // Whoever closed the pipe does not want to read it.
    drop(report(&arguments, &total, begun.elapsed().as_secs()));
    if total.failed.is_some() {
        return ExitCode::FAILURE;
    }
    match tell_promises(&total) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(io::stderr(), "the file of promises: {error}"));
            ExitCode::FAILURE
        }
    }
}
