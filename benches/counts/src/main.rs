//! Counts the instructions of the hot functions and compares them with those that stand in `benches/counts.tsv`.
//!
//! `counts check` ends with 1 when a function takes more than [`TOLERANCE_PERCENT`] more instructions than recorded, or
//! when a name stands on one side only; `counts record` writes the file. Counts of two compilers are not comparable:
//! under another than the recorded one `check` says that it compared nothing, and ends with 0 for that reason alone.
//! `counts build` only builds: that takes minutes of one processor, which `make test` gives while its tests wait.
//!
//! Owns: the comparison and its bound. Never does: count; `benches/hot.rs` does, under gungraun. Invariants: a run
//! that counted nothing is an error. Known limits: the C compiler (the allocator) and the C library are not compared.

mod compare;
mod run;
mod table;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use table::Table;

/// Beside this crate's folder.
const FILE: &str = "../counts.tsv";

/// What went wrong, for people.
type Failed = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let done = match mode.as_str() {
        "check" => check(),
        "record" => record().map(|()| true),
        "build" => folder().and_then(|folder| run::build(&folder)).map(|()| true),
        _ => Err("usage: counts check | record | build".into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("instruction counts: {error}"));
            ExitCode::from(2)
        }
    }
}

/// This crate's folder as cargo tells it now: a target folder that was copied holds this binary of another clone.
fn folder() -> Result<PathBuf, Failed> {
    let path = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("run this through cargo: `make test-counts`")?;
    Ok(path.into())
}

/// True when nothing got worse.
fn check() -> Result<bool, Failed> {
    let folder = folder()?;
    let recorded = Table::read(&folder.join(FILE))?;
    let toolchain = run::toolchain()?;
    if recorded.toolchain != toolchain {
        say(&format!(
            "instruction counts: NOT COMPARED, the compilers differ\n  recorded: {}\n  here:     {toolchain}\n  \
             `make record-counts` on a commit that is known to be good makes them comparable here",
            recorded.toolchain
        ));
        return Ok(true);
    }
    let counted = run::count(&folder)?;
    let verdict = compare::compare(&recorded.counts, &counted);
    verdict.lines.iter().for_each(|line| say(line));
    Ok(verdict.good)
}

fn record() -> Result<(), Failed> {
    let folder = folder()?;
    let table = Table { toolchain: run::toolchain()?, counts: run::count(&folder)? };
    table.write(&folder.join(FILE))?;
    say(&format!("instruction counts: {} recorded", table.counts.len()));
    Ok(())
}

fn say(text: &str) {
    writeln!(std::io::stdout(), "{text}").expect("somebody reads");
}
