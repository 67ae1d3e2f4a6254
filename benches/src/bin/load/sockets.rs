//! `load ws`: subscribers of the public streams, and readers that stall.
//!
//! Owns: opening sockets, the runs without and with stalled ones. Never does: publish; own orders that trade do, when
//! asked for. Invariants: every healthy socket reads the same streams. Known limits: what stalled sockets cost is told
//! for a server on this machine only.

use crate::connection::Connection;
use crate::frames;
use crate::http::{self, By, Http, Mix};
use crate::pace::Pace;
use crate::process::{Cpu, listener};
use crate::progress::Progress;
use crate::readers::{self, Readers};
use crate::recorder::Recorder;
use crate::stalled::Stalled;
use crate::table::{Run, ms, say, warn, whole};
use crate::target::{Access, Target, host_of};
use crate::{Failure, Span};
use clap::Args;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Sockets that are opened at once.
const AT_ONCE: usize = 64;
/// Between the last socket's opening and the first that counts, besides the warm-up.
const SETTLES: Duration = Duration::from_secs(1);

/// What is run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Sockets {
    #[command(flatten)]
    pub(crate) access: Access,
    /// Healthy sockets.
    #[arg(long, default_value_t = 200)]
    pub(crate) sockets: usize,
    /// Streams that each reads.
    #[arg(long, value_delimiter = ',', default_value = "btcusdt@trade")]
    pub(crate) streams: Vec<String>,
    /// Sockets that subscribe and never read, in a second run beside the healthy ones.
    #[arg(long, default_value_t = 0)]
    pub(crate) stalled: usize,
    /// What the kernel keeps for a stalled reader on this side, in KiB; 0 is its own choice.
    #[arg(long, default_value_t = 0)]
    pub(crate) stalled_receive_kib: u32,
    /// Own orders a second that each make a trade, beside; 0 leaves publishing to the feed.
    #[arg(long, default_value_t = 0.0)]
    pub(crate) trades: f64,
    /// Another seed gives other orders.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Where sockets are opened.
#[derive(Debug, Clone)]
pub(crate) struct Streams {
    pub(crate) host: String,
    pub(crate) address: SocketAddr,
    pub(crate) path: String,
}

/// Runs the healthy sockets alone, then beside stalled ones when there are to be any.
pub(crate) fn run(args: &Sockets, span: Span) -> Result<Vec<Run>, Failure> {
    let (access, _private) = args.access.begin()?;
    let args = &Sockets { access, ..args.clone() };
    let (host, address) = host_of(&args.access.url)?;
    let streams = Streams { host, address, path: format!("/ws/{}", args.streams.join("/")) };
    let target = if args.trades > 0.0 { Some(Target::reach(&args.access)?) } else { None };
    let mut runs = one(args, &streams, target.as_ref(), span, None)?;
    if args.stalled > 0 {
        let alone = runs[0].measured.at(0.99);
        let mut beside = one(args, &streams, target.as_ref(), span, Some(args.stalled))?;
        let ratio = beside[0].measured.at(0.99) / alone.max(0.001);
        let note = format!("{ratio:.2} of {} ms alone", ms(alone));
        beside[0].notes.push(("p99 beside stalled sockets".into(), note));
        runs.append(&mut beside);
    }
    Ok(runs)
}

fn one(
    args: &Sockets,
    streams: &Streams,
    target: Option<&Target>,
    span: Span,
    stalled: Option<usize>,
) -> Result<Vec<Run>, Failure> {
    let beside = stalled.map(|n| format!(", {} stalled beside", whole(n as f64))).unwrap_or_default();
    let name = format!("ws, {} sockets, {}{beside}", whole(args.sockets as f64), args.streams.join("+"));
    say(&format!("{name}: opening"));
    let healthy = open_all(streams, args.sockets)?;
    let recorder = Arc::new(Recorder::new(Instant::now() + SETTLES + span.warm_up, span.seconds));
    let progress = Progress::of(&name, recorder.clone());
    let readers = Readers::start(healthy, recorder.clone())?;
    let server = listener(streams.address.port());
    if server.is_none() && stalled.is_some() {
        warn("the server is not seen on this machine: what stalled sockets cost is not told");
    }
    let cpu = server.map(Cpu::of);
    let (mut trading, mut halted) = (None, None);
    std::thread::scope(|scope| -> Result<(), Failure> {
        // They begin before the readers' time and end with it.
        let left = recorder.ends().saturating_duration_since(Instant::now());
        let during = Span { warm_up: left.saturating_sub(span.seconds), seconds: span.seconds };
        let traders = target.map(|target| scope.spawn(move || trades(args, target, during)));
        if let Some(count) = stalled {
            // The traders' own connections are there before anything is counted.
            std::thread::sleep(SETTLES);
            let receive = args.stalled_receive_kib * 1_024;
            halted = Some(Stalled::watch(streams, count, receive, server, recorder.ends())?);
        }
        if let Some(traders) = traders {
            trading = Some(traders.join().map_err(|_| "the traders panicked")??);
        }
        Ok(())
    })?;
    let counts = readers.join()?;
    let cores = cpu.map(|cpu| cpu.cores());
    drop(progress);
    let measured = recorder.measured();
    let mut notes = readers::notes(&counts, &measured);
    if let Some(cores) = cores {
        let each = whole(measured.rate() / cores.max(0.01));
        notes.push((
            "server's cores".into(),
            format!("{cores:.2}, with all that it does besides: {each} messages a core"),
        ));
    }
    if let Some(stalled) = halted {
        notes.append(&mut stalled.notes());
    }
    let run = Run { name, offered: None, unit: "messages", measured, notes };
    Ok(std::iter::once(run).chain(trading).collect())
}

/// Own orders that each make a trade.
fn trades(args: &Sockets, target: &Target, span: Span) -> Result<Run, Failure> {
    let http = Http {
        access: args.access.clone(),
        rate: vec![args.trades],
        connections: 32,
        by: By::App,
        mix: Mix::Trades,
        seed: args.seed,
        spread: false,
    };
    http::one(target, &[], &http, Pace::Open(args.trades), span)
}

/// Opens so many sockets on the streams.
fn open_all(streams: &Streams, count: usize) -> Result<Vec<Opened>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (mut opening, mut open, mut begun) = (JoinSet::new(), Vec::with_capacity(count), 0);
        while open.len() < count {
            while begun < count && opening.len() < AT_ONCE {
                opening.spawn(open_one(streams.clone(), None));
                begun += 1;
            }
            if let Some(done) = opening.join_next().await {
                open.push(done??);
            }
        }
        Ok(open)
    })
}

/// A socket, and the begin of its first frame if that came with the answer.
pub(crate) type Opened = (TcpStream, Vec<u8>);

/// Opens one; `receive` bounds what the kernel keeps for it on this side.
pub(crate) async fn open_one(streams: Streams, receive: Option<u32>) -> std::io::Result<Opened> {
    let mut connection = Connection::open(streams.address, receive).await?;
    let answer = connection.ask(frames::handshake(&streams.host, &streams.path).as_bytes()).await?;
    if answer.status != 101 {
        let why = String::from_utf8_lossy(answer.body).into_owned();
        return Err(std::io::Error::other(format!("no socket: status {}: {why}", answer.status)));
    }
    connection.into_parts()
}
