//! `exchange-signer`: holds the keys of the exchange's coins, and signs what its own rules allow.
//!
//! - `seal`: the seed under a passphrase, in a file.
//! - `keys`: keys, addresses and signatures made of the seed.
//! - `policy`: the owner's file of caps and cold addresses.
//! - `protocol`: questions, answers, the codes of refusals.
//! - `transaction`: the bytes that a question means.
//! - `evm`: the same for EVM chains.
//! - `attest`: statements of reserves, which keys sign.
//! - `signed_log`: what was signed, on disk before it is told.
//! - `desk`: decides whether a question is signed.
//! - `server`: the unix socket.
//!
//! Owns: the seed, the log, the policy. Never does: believe the exchange; talk to a node or a network; change its policy.
//! Invariants: no transaction is signed that is not in the log; the same question has the same bytes; a stolen exchange gets
//! coins up to an hour's cap, signatures of false statements of reserves, and nothing else. Known limits:
//! Bitcoin and one EVM chain; above the caps it refuses, as two persons' WebAuthn assertions are not accepted yet; the
//! socket's user is its own, so another user needs root or a proxy; copies that libraries make of a key on their stack are
//! not wiped. Rules: `docs/custody.md "The signer"`.
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]

mod attest;
mod desk;
mod evm;
mod keys;
mod policy;
mod protocol;
mod seal;
mod server;
mod signed_log;
mod transaction;

use clap::{Parser, Subcommand};
use rustix::fs::Mode;
use rustix::process::{DumpableBehavior, set_dumpable_behavior, umask};
use std::error::Error;
use std::fs::{self, DirBuilder, File};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use zeroize::Zeroizing;

/// The files of the signer's folder.
const SEED: &str = "seed.sealed";
const POLICY: &str = "policy.toml";
const LOG: &str = "signed.log";
/// A secret line at most; its memory is never moved, so that no copy is left.
const LINE_BYTES: usize = 1_024;

#[derive(Parser)]
#[command(
    name = "exchange-signer",
    version,
    about = "Holds the keys of the exchange's coins and signs what its rules allow"
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Makes a seed, seals it under a passphrase, and prints the extended public keys of the accounts
    Init {
        /// Folder for seed, policy and log
        #[arg(long)]
        folder: PathBuf,
        /// Whose coins
        #[arg(long, value_enum)]
        network: keys::Network,
        /// Restores a seed from its 12 to 24 words: the first line of the input
        #[arg(long, conflicts_with = "show_words")]
        words: bool,
        /// Prints the 24 words of the new seed, once: the only copy that survives the folder
        #[arg(long)]
        show_words: bool,
        /// Reads the passphrase from a file instead of the input
        #[arg(long)]
        passphrase_file: Option<PathBuf>,
    },
    /// Answers on a unix socket until it is ended
    Run {
        /// The socket's path; only this user may connect
        #[arg(long)]
        socket: PathBuf,
        /// The folder of `init`
        #[arg(long)]
        folder: PathBuf,
        /// Reads the passphrase from a file instead of the input
        #[arg(long)]
        passphrase_file: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    // Neither a file nor a core of this process is for anybody else.
    umask(Mode::from_bits_truncate(0o077));
    let closed = set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(Into::into);
    let done = closed.and_then(|()| match Arguments::parse().task {
        Task::Init { folder, network, words, show_words, passphrase_file } => {
            init(&folder, network, words, show_words, passphrase_file.as_deref())
        }
        Task::Run { socket, folder, passphrase_file } => run(&socket, &folder, passphrase_file.as_deref()),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("exchange-signer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn init(
    folder: &Path,
    network: keys::Network,
    words: bool,
    show_words: bool,
    passphrase: Option<&Path>,
) -> Result<(), Box<dyn Error>> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let entropy = if words { seal::entropy_of(&secret_line("words")?)? } else { seal::fresh_entropy()? };
    let passphrase = read_passphrase(passphrase)?;
    // An existing seed is never overwritten: its coins would be lost.
    seal::write(&folder.join(SEED), network, &entropy, &passphrase)?;
    policy::write_default(&folder.join(POLICY), network)?;
    signed_log::create(&folder.join(LOG))?;
    File::open(folder)?.sync_all()?;

    let mut out = io::stdout().lock();
    if show_words {
        writeln!(out, "words: {}", seal::words_of(&entropy)?.as_str())?;
    }
    let keys = keys::Keys::new(network, &entropy)?;
    for ring in 0..policy::read(&folder.join(POLICY), network)?.rings {
        writeln!(out, "{} {}", keys.path(ring), keys.xpub(ring)?)?;
        writeln!(out, "{} {}", keys::Keys::evm_path(ring), keys.evm_xpub(ring)?)?;
    }
    Ok(())
}

fn run(socket: &Path, folder: &Path, passphrase: Option<&Path>) -> Result<(), Box<dyn Error>> {
    for name in ["", POLICY, LOG] {
        // Who may write these decides what is signed.
        let path = folder.join(name);
        let mode = fs::metadata(&path).map_err(|e| format!("{}: {e}", path.display()))?.permissions().mode();
        if mode & 0o022 != 0 {
            return Err(format!("{} can be written by others: see its mode", path.display()).into());
        }
    }
    let passphrase = read_passphrase(passphrase)?;
    let (network, entropy) = seal::open(&folder.join(SEED), &passphrase)?;
    drop(passphrase);
    let policy = policy::read(&folder.join(POLICY), network)?;
    let (log, past) = signed_log::open(&folder.join(LOG))?;
    let keys = keys::Keys::new(network, &entropy)?;
    drop(entropy);
    let desk = desk::Desk::new(keys, policy, log, past)?;
    Ok(server::serve(socket, desk)?)
}

fn read_passphrase(file: Option<&Path>) -> Result<Zeroizing<String>, Box<dyn Error>> {
    let text = match file {
        Some(path) => {
            let text = Zeroizing::new(fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?);
            Zeroizing::new(text.trim_end_matches(['\r', '\n']).to_owned())
        }
        None => secret_line("passphrase")?,
    };
    if text.chars().count() < 12 {
        return Err("the passphrase needs 12 characters or more".into());
    }
    Ok(text)
}

/// A line of the input; a terminal does not show it.
fn secret_line(what: &str) -> Result<Zeroizing<String>, Box<dyn Error>> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let input = io::stdin();
    let shown = if input.is_terminal() { Some(tcgetattr(&input)?) } else { None };
    if let Some(shown) = &shown {
        let mut hidden = shown.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        eprint!("{what}: ");
        tcsetattr(&input, OptionalActions::Flush, &hidden)?;
    }
    let read = unbuffered_line();
    if let Some(shown) = shown {
        tcsetattr(&input, OptionalActions::Flush, &shown)?;
        eprintln!();
    }
    read?.ok_or_else(|| format!("the input has no {what}").into())
}

/// A line of the input, byte by byte: the standard library's buffer would keep a copy that nobody wipes. None at its end.
fn unbuffered_line() -> Result<Option<Zeroizing<String>>, Box<dyn Error>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(LINE_BYTES));
    let mut byte = Zeroizing::new([0]);
    while bytes.len() < LINE_BYTES {
        match rustix::io::read(io::stdin(), &mut byte[..]) {
            Ok(0) if bytes.is_empty() => return Ok(None),
            Ok(0) => break,
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) => bytes.push(byte[0]),
            Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| "the input is not UTF-8")?;
    Ok(Some(Zeroizing::new(text.trim_end_matches('\r').to_owned())))
}
