//! `sim`: runs seeds and says what was reached, or how to repeat what failed.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use xng_sim::{PATHS, Run};

struct Wish {
    first: u64,
    seeds: u64,
    steps: u64,
    within: Option<Duration>,
}

fn wish() -> Result<Wish, String> {
    let mut wish = Wish { first: 1, seeds: 1, steps: 2_000, within: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().and_then(|v| v.parse::<u64>().ok()).ok_or(format!("{word} needs a number"))?;
        match word.as_str() {
            "--seed" => (wish.first, wish.seeds) = (value, 1),
            "--first-seed" => wish.first = value,
            "--seeds" => wish.seeds = value,
            "--steps" => wish.steps = value,
            "--seconds" => wish.within = Some(Duration::from_secs(value)),
            _ => return Err(format!("{word}? --seed, --first-seed, --seeds, --steps or --seconds")),
        }
    }
    Ok(wish)
}

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    let wish = match wish() {
        Ok(wish) => wish,
        Err(error) => {
            drop(writeln!(io::stderr(), "{error}"));
            return ExitCode::FAILURE;
        }
    };
    let begun = Instant::now();
    let (mut done, mut records, mut reached) = (0u64, 0u64, BTreeMap::<&str, u64>::new());
    let mut seed = wish.first;
    let goes_on = |done: u64| match wish.within {
        Some(within) => begun.elapsed() < within,
        None => done < wish.seeds,
    };
    while goes_on(done) {
        // A panic of an entity stops the process; here it is a finding like another.
        let outcome = catch_unwind(|| {
            let mut run = Run::new(seed).map_err(|finding| (0, finding))?;
            run.run(wish.steps)?;
            Ok((run.records(), run.reached()))
        });
        match outcome.unwrap_or_else(|_| Err((0, "a panic, told above".to_owned()))) {
            Ok((more, paths)) => {
                records += more;
                paths.into_iter().for_each(|(path, n)| *reached.entry(path).or_default() += n);
            }
            Err((step, finding)) => {
                let again = format!("cargo run --release -p xng-sim -- --seed {seed} --steps {}", wish.steps);
                drop(writeln!(out, "seed {seed}, step {step}: {finding}\nrepeat it with: {again}"));
                return ExitCode::FAILURE;
            }
        }
        done += 1;
        seed += 1;
    }
    let seconds = begun.elapsed().as_secs();
    drop(writeln!(out, "{done} seeds of {} steps in {seconds} s: {records} records, nothing wrong", wish.steps));
    for path in PATHS {
        drop(writeln!(out, "{:>10}  {path}", reached.get(path).copied().unwrap_or(0)));
    }
    let never: Vec<&&str> = PATHS.iter().filter(|path| !reached.contains_key(**path)).collect();
    if !never.is_empty() {
        drop(writeln!(out, "never reached: {never:?}"));
    }
    ExitCode::SUCCESS
}
