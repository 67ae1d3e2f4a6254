//! `load`: the load generator. Fixed rates (open loop, latency from the intended time) and closed loops, against the
//! engine in this process, a running exchange over HTTP, or its sockets; progress while it runs, a table and a report.
//!
//! A regression says that users wait longer or fewer get through; compare with the probes of the same run.
//!
//! Owns: arguments, what runs in which order, table and report. Never does: measure; the modes do.
//! Invariants: the table goes to the standard output, everything else to the standard error.
//! Known limits: the generator shares its machine with what it loads, and says how much of it it took.

mod bare;
mod beside_reads;
mod connection;
mod engine;
mod frames;
mod hops;
mod http;
mod in_process;
mod midnight;
mod pace;
mod plot;
mod private;
mod probes;
mod process;
mod program;
mod progress;
mod read_flood;
mod readers;
mod recorder;
mod report;
mod shapes;
mod sockets;
mod stalled;
mod standard;
mod table;
mod target;

use clap::{Args, Parser, Subcommand};
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use table::Run;

/// Why a run could not be made.
type Failure = Box<dyn Error + Send + Sync>;

/// That of the server: in process the engine is measured with it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Loads an exchange and says how it bears it.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    mode: Mode,
    #[command(flatten)]
    span: SpanArgs,
    /// Writes a report that one file holds (HTML).
    #[arg(long, global = true)]
    report: Option<PathBuf>,
    /// Microseconds that a thread keeps a processor, as `server.slice_us`, of the engine in this process; 0: as the system has it.
    #[arg(long, global = true, default_value_t = 100)]
    slice_us: u64,
}

#[derive(Debug, Subcommand)]
enum Mode {
    /// The engine in this process.
    InProcess(in_process::InProcess),
    /// The engine beside direct calls and beside actors with mailboxes.
    Shapes(shapes::Shapes),
    /// Orders while very many timers come due at one moment.
    Midnight(midnight::Midnight),
    /// Orders over HTTP to a running exchange.
    Http(http::Http),
    /// Subscribers of a running exchange's sockets.
    Ws(sockets::Sockets),
    /// A raw TCP writer, to compare sockets with.
    ProbeTcp(probes::Tcp),
    /// Orders beside one address that asks public calls as fast as its limits let it, call by call.
    BesideReads(beside_reads::BesideReads),
    /// The attacker of that, alone.
    ReadFlood(read_flood::ReadFlood),
    /// A short set of all of them, against a private exchange.
    Standard(standard::Standard),
}

#[derive(Debug, Clone, Args)]
struct SpanArgs {
    /// Measured time of each run.
    #[arg(long, global = true, default_value_t = 10.0)]
    seconds: f64,
    /// Time before it that does not count.
    #[arg(long, global = true, default_value_t = 2.0)]
    warm_up: f64,
}

/// Times of each run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    /// Before what counts.
    pub(crate) warm_up: Duration,
    /// What counts.
    pub(crate) seconds: Duration,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            table::say(&format!("load: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.slice_us > 0 {
        // Before there are other threads: they take it over.
        let slice = xng_slices::shorten(Duration::from_micros(arguments.slice_us));
        table::say(&format!("slices of the processor: {slice:?}"));
    }
    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).map_err(|e| format!("{seconds} seconds: {e}"));
    let span = Span { warm_up: time(arguments.span.warm_up)?, seconds: time(arguments.span.seconds)? };
    if span.seconds < Duration::from_millis(100) {
        return Err("a run of less than 0.1 s says nothing".into());
    }
    let runs: Vec<Run> = match &arguments.mode {
        Mode::InProcess(args) => in_process::run(args, span)?,
        Mode::Shapes(args) => shapes::run(args, span)?,
        Mode::Midnight(args) => midnight::run(args, span)?,
        Mode::Http(args) => http::run(args, span)?,
        Mode::Ws(args) => sockets::run(args, span)?,
        Mode::ProbeTcp(args) => vec![probes::tcp(args, span)?],
        Mode::BesideReads(args) => beside_reads::run(args, span)?,
        Mode::ReadFlood(args) => {
            writeln!(std::io::stdout(), "{}", read_flood::run(args)?)?;
            return Ok(());
        }
        Mode::Standard(args) => standard::run(args, span)?,
    };
    writeln!(std::io::stdout(), "{}", table::text(&runs))?;
    if let Some(path) = &arguments.report {
        let command = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
        std::fs::write(path, report::html(&runs, &command)).map_err(|e| format!("{}: {e}", path.display()))?;
        table::say(&format!("report: {}", path.display()));
    }
    Ok(())
}
