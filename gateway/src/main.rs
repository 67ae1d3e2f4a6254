//! The `exchange` binary.
//!
//! Owns: arguments, the log, the order from settings to serving and back. Never does: work of its own.
//! Invariants: both addresses are taken before the exchange starts. Known limits: none.

use actix_web::web::Data;
use clap::Parser;
use sd_notify::NotifyState;
use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use xng_gateway::backoffice::Desk;
use xng_gateway::barred_orders;
use xng_gateway::config::Config;
use xng_gateway::observe::health::Phase;
use xng_gateway::observe::ops::Front;
use xng_gateway::observe::ops::logs::LogTail;
use xng_gateway::startup::background;
use xng_gateway::startup::exchange::Exchange;
use xng_gateway::startup::seed;
use xng_gateway::startup::server;
use xng_gateway::tools::{self, Tool};

/// Accounts are many small pieces of memory; large pages for it (`docs/operations.md "Configure"`) spare the processor much
/// looking up.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// At a stop the store catches up for this long.
const FLUSH_WITHIN: Duration = Duration::from_secs(30);

/// A real-time exchange in one binary.
#[derive(Debug, Parser)]
#[command(name = "exchange", version = xng_gateway::VERSION)]
struct Args {
    /// Settings; every key may be overridden by a variable XNG__SECTION__KEY.
    #[arg(long, default_value = "config/exchange.toml")]
    config: PathBuf,
    /// Read the settings, say whether they are good, and stop.
    #[arg(long)]
    check_config: bool,
    /// The clock is right although it is more than a day ahead of the journal's last record (asked for in production).
    #[arg(long)]
    accept_clock: bool,
    /// Work on the data folder instead of serving.
    #[command(subcommand)]
    tool: Option<Tool>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let tail = LogTail::default();
    // A tool's answer goes to the standard output, alone.
    let (level, writer) = match &args.tool {
        None => {
            let tail = tail.clone();
            ("info", BoxMakeWriter::new(move || tail.tee(std::io::stdout())))
        }
        Some(_) => ("warn", BoxMakeWriter::new(std::io::stderr)),
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt().json().with_env_filter(filter).with_writer(writer);
    // A line that the disk has no room for is lost; told on a stream that is as full, the loss would end the process.
    log.log_internal_errors(false).init();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let alone = args.tool.as_ref().and_then(|tool| tools::run_alone(tool, &mut out, &mut std::io::stderr()));
    if let Some(code) = alone {
        return if out.flush().is_ok() { code } else { ExitCode::from(2) };
    }
    drop(out);
    let mut config = match Config::load(&args.config) {
        Ok(config) => config,
        Err(error) => return fail(&error),
    };
    config.clock.accepts_jump = args.accept_clock;
    if let Some(tool) = &args.tool {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let code = tools::run(tool, &config, &args.config, &mut out, &mut std::io::stderr());
        return if out.flush().is_ok() { code } else { ExitCode::from(2) };
    }
    tracing::info!(version = xng_gateway::VERSION, ?config, "settings in force");
    if args.check_config {
        tracing::info!("the settings are good");
        return ExitCode::SUCCESS;
    }
    // Before there are other threads: they take it over.
    shorten_slices(Duration::from_micros(config.server.slice_us));
    match actix_web::rt::System::new().block_on(serve(config, tail)) {
        Ok(code) => code,
        Err(error) => fail(&*error),
    }
}

fn fail(error: &dyn std::fmt::Display) -> ExitCode {
    tracing::error!(%error, "the exchange does not start");
    ExitCode::FAILURE
}

/// Without short slices the exchange is slower beside a burst, and works.
fn shorten_slices(wanted: Duration) {
    if wanted.is_zero() {
        return;
    }
    match xng_slices::shorten(wanted) {
        Ok(Duration::ZERO) => tracing::info!(?wanted, "this system knows no slices of the processor"),
        Ok(slice) => tracing::info!(?slice, "slices of the processor"),
        Err(error) => tracing::warn!(%error, ?wanted, "the system does not give slices of this length"),
    }
}

/// Tells systemd, where that started us and waits for it.
fn tell_manager(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager was not told");
    }
}

async fn serve(config: Config, tail: LogTail) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let named = |address: &str, error: std::io::Error| format!("{address}: {error}");
    let reserved = server::reserve(&config.server.listen).map_err(|e| named(&config.server.listen, e))?;
    let ops_listener = TcpListener::bind(&config.server.ops_listen).map_err(|e| named(&config.server.ops_listen, e))?;
    let office = &config.server.admin_listen;
    let office_listener =
        if office.is_empty() { None } else { Some(TcpListener::bind(office).map_err(|e| named(office, e))?) };
    let front = Data::new(Front::new(&config, tail));
    let operations = server::operations(front.clone(), ops_listener)?;
    let mut exchange = Exchange::start(config, front.health.clone()).await?;
    // From here on there is something to stop; a start that is not done is simply ended.
    let signals = server::StopSignals::hear()?;
    front.open(&exchange);
    background::start(&exchange)?;
    exchange.shared.auth.plant_demo_users(&exchange.shared.config).await.map_err(|f| format!("demo users: {f:?}"))?;
    seed::demo_tiers(&exchange.shared).await.map_err(|f| format!("demo tiers: {f:?}"))?;
    seed::demo_traders(&exchange.shared).await.map_err(|f| format!("demo traders: {f:?}"))?;
    seed::demo_campaign(&exchange.shared).await;
    let desk = || Data::new(Desk::new(&exchange.shared));
    let back_office = office_listener.map(|listener| server::back_office(desk(), listener)).transpose()?;
    let public = server::public(&exchange, server::listen(reserved)?)?;
    let health = &exchange.shared.health;
    health.startup.enter(Phase::Ready);
    health.serving.store(true, Ordering::Relaxed);
    tracing::info!(
        url = format!("http://{}/h5/", exchange.shared.config.server.listen),
        ops = format!("http://{}/", exchange.shared.config.server.ops_listen),
        "ready"
    );
    tell_manager(NotifyState::Ready);
    actix_web::rt::spawn(server::sweep(exchange.shared.clone(), exchange.clock.clone()));
    actix_web::rt::spawn(barred_orders::watch(exchange.shared.clone()));
    let stop = server::until_asked_to_stop(exchange.shared.clone(), public.handle(), signals);
    let served = server::until_served(public, stop, &exchange.shared.health).await;
    exchange.shared.begin_stop();
    tell_manager(NotifyState::Stopping);
    if let Some(back_office) = back_office {
        back_office.stop(true).await;
    }
    // The rest waits for threads and disks; a second signal is heard meanwhile.
    actix_web::rt::task::spawn_blocking(move || exchange.shut_down(FLUSH_WITHIN)).await?;
    operations.stop(true).await;
    if let Err(error) = served {
        tracing::error!(%error, "the exchange stopped");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
