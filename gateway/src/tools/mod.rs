//! The operator's tools: subcommands of the `exchange` binary. All but `ready`, `admin` and `prove` work on the data folder:
//! `ready` and `admin` ask the running server, `prove` reads a file.
//!
//! Owns: what they have in common: where things lie, how they end.
//! Never does: write into a data folder that is in use.
//! Invariants: beside a running server a tool that works on the data folder takes no lock and reads only what is durable;
//! while none runs it holds the journal's lock, so that none starts under it. Exit codes: 0 all is well, 1 something is
//! damaged or differs, 2 the tool could not do its work.
//! Known limits: what is read while a server runs may be older than what it acknowledges meanwhile.

mod admin;
mod audit;
mod audited_office;
mod backup;
mod data_folder;
mod error;
mod journal;
mod manifest;
mod ops_port;
mod prove;
mod replay;
mod restore;
mod rows;
mod stored;
mod trace;

use crate::config::Config;
pub use error::ToolError;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// What can be done besides serving.
#[derive(Debug, clap::Subcommand)]
pub enum Tool {
    /// Look at the journal. Reads only; may run beside the server and then sees what is durable
    #[command(subcommand)]
    Journal(journal::Look),
    /// Rebuild one user's whole history from the journal, and compare it with the store
    ///
    /// Reads only. Beside a running server the history is shown up to what is durable and the store, which moves, is not
    /// compared.
    Replay(replay::Replay),
    /// Ask the running server whether it is ready (`/readyz`); ends with 1 when it is not, or none answers
    Ready,
    /// Follow one order: its facts, its rows in the store and, while the server runs that took it, the time of each stage
    Trace(trace::Trace),
    /// Fold the whole journal with a plain ledger and with the engine; compare both, the snapshots, the store and the audit
    ///
    /// Reads only. Beside a running server the store, which moves, is not compared. Ends with 1 on any difference.
    Audit(audit::Audit),
    /// Copy everything that cannot be rebuilt into an empty folder; may run beside the server
    Backup(backup::Backup),
    /// Make a data folder of a backup; the settings' data folder must be empty or not there
    Restore(restore::Restore),
    /// Decide what operators decide; asks the running server
    #[command(subcommand)]
    Admin(admin::Admin),
    /// Check a proof file; needs no server, no settings and no data folder
    ///
    /// Ends with 1 when it does not hold, with 2 when it cannot be read.
    Prove(prove::Prove),
}

/// Runs a tool that needs no settings, if it is one.
pub fn run_alone(tool: &Tool, out: &mut dyn Write, errors: &mut dyn Write) -> Option<ExitCode> {
    match tool {
        Tool::Prove(prove) => Some(ended(prove.run(out), errors)),
        Tool::Journal(_)
        | Tool::Replay(_)
        | Tool::Ready
        | Tool::Trace(_)
        | Tool::Audit(_)
        | Tool::Backup(_)
        | Tool::Restore(_)
        | Tool::Admin(_) => None,
    }
}

/// Runs a tool; what it has to say goes to `out`, what stops it to `errors`.
pub fn run(tool: &Tool, config: &Config, settings: &Path, out: &mut dyn Write, errors: &mut dyn Write) -> ExitCode {
    let done = match tool {
        Tool::Journal(look) => look.run(config, out),
        Tool::Replay(replay) => replay.run(config, out),
        Tool::Ready => ops_port::ready(config, out),
        Tool::Trace(trace) => trace.run(config, out),
        Tool::Audit(audit) => audit.run(config, out),
        Tool::Backup(backup) => backup.run(config, settings, out),
        Tool::Restore(restore) => restore.run(config, out),
        Tool::Admin(admin) => admin.run(config, out),
        Tool::Prove(prove) => prove.run(out),
    };
    ended(done, errors)
}

fn ended(done: Result<(), ToolError>, errors: &mut dyn Write) -> ExitCode {
    let printed = match &done {
        Ok(()) => Ok(()),
        Err(error) if error.is_finding() => writeln!(errors, "WRONG: {error}"),
        Err(error) => writeln!(errors, "error: {error}"),
    };
    match done.and(printed.map_err(ToolError::Output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_finding() => ExitCode::from(1),
        Err(_) => ExitCode::from(2),
    }
}
