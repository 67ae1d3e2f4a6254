//! `load standard`: a short set of all modes, each against its own private exchange or engine.
//!
//! Owns: which runs there are. Never does: measure. Invariants: probes and what is compared with them are of one
//! process. Known limits: short; for figures to quote run the modes alone, longer, five times.

use crate::http::{self, By, Http, Mix};
use crate::in_process::{self, InProcess};
use crate::private::{self, Limits, Private};
use crate::probes::{self, Tcp};
use crate::sockets::{self, Sockets};
use crate::table::{Run, say};
use crate::{Failure, Span};
use clap::Args;
use std::path::PathBuf;

/// What the set is made of.
#[derive(Debug, Clone, Args)]
pub(crate) struct Standard {
    /// The server's binary; without it the one beside this.
    #[arg(long)]
    pub(crate) exchange: Option<PathBuf>,
    /// The settings that it begins from.
    #[arg(long, default_value = "config/exchange.toml")]
    pub(crate) config: PathBuf,
    /// Accounts in this process.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) accounts: u64,
    /// Orders a second, in this process and over HTTP; 0 is the peak.
    #[arg(long, value_delimiter = ',', default_value = "10000,0")]
    pub(crate) rate: Vec<f64>,
    /// Users of the private exchange.
    #[arg(long, default_value_t = 32)]
    pub(crate) users: usize,
    /// Healthy sockets; a tenth as many stall.
    #[arg(long, default_value_t = 200)]
    pub(crate) sockets: usize,
    /// Own trades a second that sockets are told of.
    #[arg(long, default_value_t = 500.0)]
    pub(crate) trades: f64,
}

/// Runs all of it.
pub(crate) fn run(args: &Standard, span: Span) -> Result<Vec<Run>, Failure> {
    let binary = private::binary(args.exchange.as_deref())?;
    let mut runs = Vec::new();
    for beside in [false, true] {
        let engine = InProcess {
            accounts: args.accounts,
            markets: 1,
            rate: args.rate.clone(),
            in_flight: 512,
            beside,
            config: args.config.clone(),
            seed: 1,
        };
        runs.append(&mut in_process::run(&engine, span)?);
    }
    say("a private exchange starts");
    let exchange = Private::start(&binary, &args.config, args.users, Limits::Lifted)?;
    let access = exchange.access();
    for by in [By::App, By::Signed, By::Websocket] {
        let (rate, mix) = (args.rate.clone(), Mix::Both);
        let orders = Http { access: access.clone(), rate, connections: 64, mix, by, seed: 1, spread: false };
        runs.append(&mut http::run(&orders, span)?);
    }
    runs.push(probes::tcp(&Tcp { sockets: args.sockets, rate: args.trades, bytes: 130 }, span)?);
    let sockets = Sockets {
        access,
        sockets: args.sockets,
        streams: vec!["btcusdt@trade".into()],
        stalled: (args.sockets / 10).max(1),
        stalled_receive_kib: 4,
        trades: args.trades,
        seed: 1,
    };
    runs.append(&mut sockets::run(&sockets, span)?);
    Ok(runs)
}
