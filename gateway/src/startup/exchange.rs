//! The assembly: data folder, databases, cell, market view, persister, snapshots, in the order in which they start.
//!
//! Owns: that order, and the order of a stop. Never does: decide; do the work of a part.
//! Invariants: nothing is opened before this process holds the lock of the data folder; readers of the journal start before
//! its writer. Known limits: one cell.

use crate::api::app::content::Content;
use crate::api::app::convert::Conversions;
use crate::api::auth::Auth;
use crate::api::binance::limits::ApiLimits;
use crate::api::http::documents::Document;
use crate::api::http::i18n::Messages;
use crate::api::http::limits::{Buckets, Pace};
use crate::api::http::writers::Writers;
use crate::app::Shared;
use crate::audit_anchor::AuditAnchor;
use crate::common::critical_task;
use crate::config::{Config, ConfigError, Profile};
use crate::custody::settings::{NetworkName, check_together};
use crate::custody::statements::Statements;
use crate::fair;
use crate::feed::feedback::Feedback;
use crate::feed::simulator;
use crate::feed::sources::Sources;
use crate::market::calendars::Calendars;
use crate::market::candle_store;
use crate::market::catalog::{MarketSeed, Seeds};
use crate::market::tape::WaitingTape;
use crate::market::view::{self, View, ViewInput};
use crate::messenger::worker;
use crate::observe::health::{self, Health, Phase};
use crate::observe::metrics::Meters;
use crate::orders::histories::Histories;
use crate::reactors;
use crate::redis::{Hot, Inputs};
use crate::startup::cell::CELL;
use crate::startup::public::Public;
use crate::startup::recovery::{self, Data};
use crate::startup::snapshots;
use crate::startup::start_error::StartError;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use xng_core::entity::Command;
use xng_core::ids::EntityId;
use xng_persistence::journal::{JournalControl, JournalWriter};
use xng_persistence::store::{
    self, Checkpoint, Persister, PersisterHandle, PersisterOptions, Projection as _, SqlStore, StoreError,
};
use xng_runtime::clock::ClockOffset;
use xng_runtime::{Admission, CellHandle};

/// What was decided must be durable within this time of a stop.
const DRAIN_WITHIN: Duration = Duration::from_secs(5);
/// Codes of coupons that open nothing, of a user in an hour.
const COUPON_TRIES: u32 = 5;
/// Bank cards that a user saves in a day.
const CARD_SAVES: u32 = 10;

/// A running exchange without its HTTP server.
#[derive(Debug)]
pub struct Exchange {
    /// What calls share.
    pub shared: Arc<Shared>,
    /// The way into the cell.
    pub cell: CellHandle,
    /// Credits.
    pub admission: Admission,
    /// The journal, for metrics and followers.
    pub journal: JournalControl,
    /// The persister; pausing it is for tests and repairs.
    pub persister: PersisterHandle,
    /// How far the cell's clock is off the wall.
    pub clock: ClockOffset,
    /// Entities that take nothing new after they crashed.
    pub halted: Vec<EntityId>,
    /// Crashes on record, by number of the entity's kind.
    pub crashes: [u64; Command::KIND_NUMBERS],
    snapshots: snapshots::Asking,
    writer: Option<JournalWriter>,
    persister_thread: Option<Persister>,
}

/// Buckets of so many calls a minute, over all gateways when there is a Redis.
fn limits<K: std::hash::Hash + Eq + Clone>(calls: u32, config: &Config) -> Buckets<K> {
    let buckets = Buckets::new(calls, Duration::from_secs(60));
    if config.redis.url.is_some() { buckets.counted() } else { buckets }
}

/// How far the store's rows go. A store that is away says nothing about the journal: then only the snapshots do.
async fn checkpoint(store: &SqlStore) -> Result<Option<Checkpoint>, StoreError> {
    match store.checkpoint(CELL).await {
        Err(error @ StoreError::Database { .. }) => {
            tracing::warn!(%error, "the store is away; the exchange starts without it");
            Ok(None)
        }
        known => known,
    }
}

/// What the settings list, where its prices come from, and when stocks are traded.
struct Planned {
    seeds: Arc<Seeds>,
    sources: Arc<Sources>,
    calendars: Arc<Calendars>,
}

fn planned(config: &Config) -> Result<Planned, StartError> {
    let seeds = Arc::new(Seeds::load(&config.files.markets)?);
    let calendars = Calendars::load(&config.files.calendars)?;
    seeds
        .calendar_params(&calendars, Timestamp::now())
        .map_err(|message| ConfigError::File { path: config.files.calendars.clone(), message })?;
    let mut named = BTreeSet::new();
    for chain in &config.chain {
        if !named.insert(chain.chain()) {
            return Err(ConfigError::Conflict(format!("chain {}: its id is named twice", chain.name)).into());
        }
        if config.profile == Profile::Production && (chain.network != NetworkName::Main || chain.is_known_test()) {
            return Err(ConfigError::Conflict(format!("chain {}: a test network in production", chain.name)).into());
        }
        chain
            .params(|name| seeds.asset_id(name))
            .and_then(|_| chain.terms(|name| seeds.asset_id(name)))
            .and_then(|_| chain.check_node())
            .map_err(|what| ConfigError::Conflict(format!("chain {}: {what}", chain.name)))?;
    }
    check_together(&config.chain).map_err(ConfigError::Conflict)?;
    let symbols: Vec<String> = seeds.market.iter().map(MarketSeed::symbol).collect();
    let stocks = seeds.market.iter().filter(|m| m.stock.is_some()).map(|m| (m.symbol(), m.base.as_str()));
    let sources = Arc::new(Sources::plan(&config.feed, symbols.iter().map(String::as_str), stocks)?);
    Ok(Planned { seeds, sources, calendars: Arc::new(calendars) })
}

/// Hot views, when there is a Redis.
fn start_hot(shared: &Arc<Shared>) -> std::io::Result<()> {
    if let Some(url) = &shared.config.redis.url {
        let live = shared.clone();
        let inputs = Inputs {
            boards: shared.boards.clone(),
            catalog: shared.catalog.clone(),
            view: shared.view.clone(),
            user_calls: shared.user_calls.clone(),
            ip_calls: shared.ip_calls.clone(),
            next_session: shared.next_session.clone(),
            sessions: Box::new(move || live.auth.hot_sessions()),
        };
        let hot = Hot::start(url, inputs)?;
        shared.auth.share_sessions(hot.clone());
        shared.hot.get_or_init(|| hot);
    }
    Ok(())
}

/// The persister; a pause of it is for tests and repairs.
fn start_persister(
    config: &Config,
    store: Arc<SqlStore>,
    journal: JournalControl,
    epoch: u32,
) -> Result<Persister, StartError> {
    let options = PersisterOptions {
        batch_records: u32::try_from(config.store.batch_records).unwrap_or(u32::MAX),
        batch_wait: Duration::from_millis(config.store.batch_ms),
        burst: Duration::from_secs(config.store.burst_seconds),
        ..PersisterOptions::default()
    };
    // It says so itself; `/readyz` and `/status` show it.
    Ok(Persister::start(store, journal, CELL, epoch, options, |_| ())?)
}

impl Exchange {
    /// Starts everything but the HTTP server, feeds and seeds. `health` shows how far it is.
    pub async fn start(config: Config, health: Arc<Health>) -> Result<Exchange, StartError> {
        // First of all: a second server changes nothing under the first, not even a schema.
        let data = Data::hold(&config.server.data_dir)?;
        if data.is_open_to_others()? {
            health.data_open.store(true, Ordering::Relaxed);
            let folder = config.server.data_dir.display();
            tracing::warn!(%folder, "the data folder is open to other users of this machine: chmod 700");
        }
        let snapshots = data.snapshots()?;
        let Planned { seeds, sources, calendars } = planned(&config)?;
        let seed = simulator::seed(&config.server.data_dir, config.feed.seed)?;
        let (messages, content) = (Messages::load(&config.files.locales)?, Content::load(&config.files)?);
        let store = store::open(&config.store_url()).await?;
        let checkpoint = checkpoint(&store).await?;
        let auth = Arc::new(Auth::open(&config.server.data_dir, &config).await?);
        content.take(&auth.office().approved_articles().await?);

        let journal = recovery::start_cell(&config, data, checkpoint, &health)?;
        // Before the look at what is there: nothing lies between the two.
        let groups = journal.control.subscribe().groups;
        // The cell answers when it has caught up.
        let mut public = Public::of(&journal.handle, &journal.halted)?;
        health.startup.enter(Phase::Parts);
        auth.locked().add(std::mem::take(&mut public.locked));
        if let Some(highest) = public.highest {
            auth.raise_ids(highest).await?;
        }
        let fold = public.contracts()?;
        let (desks, traders, stocks) = (public.desks()?, public.traders()?, public.stocks()?);
        let campaigns = public.campaigns()?;
        let chains = public.chains(&config.chain)?;
        let statements = Arc::new(Statements::found(&config.server.data_dir, &config.chain)?);
        let audit_anchor = Arc::new(AuditAnchor::recovered(public.audit_anchor.as_ref()));
        let catalog = public.catalog(seeds, &fold, &desks);
        let boards = public.boards(&sources);
        public.contract_boards(&fold, &boards, &sources);
        let contracts = fold.shared();
        let past = candle_store::start(&boards, &store, &journal.control, public.lsn).await?;

        let histories = Histories::start(public.histories(), public.leg_histories(), groups)?;

        let pace = Arc::new(Pace::new(config.limits.weight_per_second_ip));
        let api_limits = ApiLimits::new(config.api, pace.clone());
        // An order that is filled gives its count back.
        let counts = api_limits.clone();
        let (tape, feedback) = (WaitingTape::default(), Feedback::default());
        let (heard, users, anchor) = (feedback.clone(), auth.clone(), audit_anchor.clone());
        let (view_tx, view_rx) = crossbeam::channel::bounded::<ViewInput>(view::INPUTS);
        let (candles_tx, candles_rx) = crossbeam::channel::bounded(candle_store::BATCHES);
        let view = View::new(catalog.clone(), boards.clone(), sources.clone(), public.lsn, candles_tx)
            .for_workers(config.server.workers)
            .with_tape(tape.clone())
            .with_contracts(fold)
            .with_desks(desks.clone())
            .with_stocks(stocks.clone())
            .with_traders(traders.clone())
            .with_campaigns(campaigns.clone())
            .with_chains(chains.clone())
            .telling(move |fact| {
                counts.follow(fact);
                heard.follow(fact);
                users.follow(fact);
                anchor.follow(fact);
            });
        let (groups, watched) = (journal.subscription.groups, health.clone());
        critical_task::spawn("view", move || view.run(&groups, &view_rx, &watched))?;

        let persister = start_persister(&config, store.clone(), journal.control.clone(), journal.epoch)?;
        candle_store::start_writer(store.clone(), candles_rx, boards.clone(), past, persister.handle())?;
        let (control, every) = (journal.control.clone(), config.journal.snapshot_every_records);
        let folder = config.server.data_dir.join("reactors");
        let mut cursors = reactors::start(reactors::of_products(), &folder, &journal.control, &journal.handle)?;
        let fair = fair::start(&config.server.data_dir, &journal.control, &mut cursors)?;
        let followers = (persister.handle(), cursors);
        let snapshots = snapshots::start(snapshots, control, followers, every, health.clone())?;
        health::watch(health.clone(), journal.handle.clone(), journal.control.clone())?;

        let admission = Admission::new(config.limits.orders_in_flight, config.limits.cancels_in_flight);
        let shared = Arc::new(Shared {
            user_calls: limits(config.limits.calls_per_minute_user, &config).into(),
            coupon_tries: Buckets::new(COUPON_TRIES, Duration::from_secs(3_600)),
            card_saves: Buckets::new(CARD_SAVES, Duration::from_secs(86_400)),
            ip_calls: limits(config.limits.calls_per_minute_ip, &config).into(),
            pace,
            api_limits,
            writers: Writers::start(config.server.workers.div_ceil(2))?,
            openapi: Document::default(),
            app_calls: Document::default(),
            asyncapi: Document::default(),
            cancel_names: Default::default(),
            conversions: Conversions::drawn(),
            listen_keys: Default::default(),
            ip_streams: Buckets::new(config.limits.calls_per_minute_ip, Duration::from_secs(60)),
            ip_sockets: Buckets::new(config.limits.socket_opens_per_ip, Duration::from_secs(300)),
            uploads: Buckets::new(config.limits.uploads_per_hour, Duration::from_secs(3_600)),
            uploading: dashmap::DashSet::new(),
            upload_slots: tokio::sync::Semaphore::new(crate::api::app::upload::AT_ONCE),
            in_flight: dashmap::DashSet::new(),
            next_session: Arc::new(AtomicU64::new(1)),
            sockets: dashmap::DashMap::new(),
            hot: OnceLock::new(),
            stopping: tokio::sync::watch::Sender::new(false),
            meters: Meters::default(),
            health,
            config,
            catalog,
            sources,
            boards,
            contracts,
            desks,
            stocks,
            chains,
            statements,
            traders,
            trader_decisions: Default::default(),
            campaigns,
            calendars,
            operators: Default::default(),
            audit_anchor,
            waiting_enrolments: Default::default(),
            changing_parameters: Default::default(),
            fair,
            messages,
            content,
            chat: Default::default(),
            auth,
            store,
            histories,
            persister: persister.handle(),
            view: view_tx,
            tape,
            feedback,
            house: Default::default(),
            seed,
        });
        start_hot(&shared)?;
        worker::start(&shared.auth.messenger, &shared.stopping.subscribe())?;
        Ok(Exchange {
            shared,
            cell: journal.handle,
            admission,
            journal: journal.control,
            persister: persister.handle(),
            clock: journal.clock,
            halted: journal.halted,
            crashes: journal.crashes,
            snapshots,
            writer: Some(journal.writer),
            persister_thread: Some(persister),
        })
    }

    /// What the cell decided becomes durable, a snapshot makes the next start quick (unless somebody hurries), the
    /// persister catches up for a while, and the journal is sealed. The cell's thread ends with the process.
    pub fn shut_down(&mut self, flush: Duration) {
        let decided = self.cell.with_world(|world| world.lsn()).recv_timeout(DRAIN_WITHIN);
        let durable = decided.is_ok_and(|lsn| self.journal.wait_for(lsn, DRAIN_WITHIN));
        if !durable {
            tracing::warn!("the cell or the journal does not come to rest; the next start finds what is durable");
        }
        self.snapshots.last_one(&self.shared.health);
        if let Some(persister) = self.persister_thread.take() {
            persister.shutdown(flush);
        }
        if let Some(writer) = self.writer.take() {
            writer.shutdown();
        }
    }
}
