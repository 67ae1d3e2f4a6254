//! The assembly: journal, recovery, cell, market view, persister, snapshots, in the order in which they start.

use crate::app::Shared;
use crate::auth::Auth;
use crate::catalog::{Catalog, MarketSeed, Seeds, SharedCatalog};
use crate::config::{Config, ConfigError};
use crate::content::Content;
use crate::feed::recorded::RecordedError;
use crate::feed::sources::Sources;
use crate::folding::{FoldingError, fold_to};
use crate::health::{self, Health, Phase, Startup};
use crate::history;
use crate::hot::Hot;
use crate::http::i18n::Messages;
use crate::http::limits::Buckets;
use crate::market::board::{Board, Boards};
use crate::market::depth::Depth;
use crate::market::view::{self, View, ViewInput};
use crate::time::ms;
use crate::{snapshots, vital};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use thiserror::Error;
use xng_cell::recovery::{Saved, Unusable};
use xng_cell::{Cell, FoldError, Plain, World};
use xng_core::codec::DecodeError;
use xng_core::ids::{AccountId, EntityId, MarketId, UpdateId};
use xng_core::journal::Lsn;
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::registry::AssetListed;
use xng_core::spot::{MarketParams, MarketState, Side};
use xng_persistence::journal::{
    Hooks, JournalControl, JournalError, JournalWriter, Options, RealStorage, Recovered, Started, recover,
};
use xng_persistence::office::OfficeError;
use xng_persistence::snapshot::{SnapshotError, SnapshotStore};
use xng_persistence::store::{
    self, Checkpoint, PersistError, Persister, PersisterHandle, PersisterOptions, Store, StoreError,
};
use xng_runtime::clock::{ClockBehind, ClockOffset, SlewedClock, wall_ns};
use xng_runtime::crash::CrashFile;
use xng_runtime::shell::Actors;
use xng_runtime::{Admission, CellHandle, thread};

/// The only cell so far.
pub const CELL: u32 = 0;
/// What was decided must be durable within this time of a stop.
const DRAIN_WITHIN: Duration = Duration::from_secs(5);

/// Why the exchange does not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// Settings.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The journal.
    #[error("journal: {0}")]
    Journal(#[from] JournalError),
    /// The snapshots.
    #[error("snapshots: {0}")]
    Snapshot(#[from] SnapshotError),
    /// The journal does not fold.
    #[error("recovery: {file}: {error}")]
    Fold {
        /// The segment that holds the record.
        file: String,
        /// What is wrong with it.
        error: FoldError,
    },
    /// A snapshot holds what only a newer release can read.
    #[error("recovery: {folder}: {error}; start the release that wrote it, or move this folder away")]
    NewerSnapshot {
        /// The snapshot.
        folder: String,
        /// What is not known.
        error: FoldError,
    },
    /// The store.
    #[error("store: {0}")]
    Store(#[from] StoreError),
    /// The persister.
    #[error("persister: {0}")]
    Persist(#[from] PersistError),
    /// The feed's recordings.
    #[error("feed: {0}")]
    Feed(#[from] RecordedError),
    /// The clock.
    #[error(transparent)]
    Clock(#[from] ClockBehind),
    /// A folder or thread.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The office database.
    #[error("office: {0}")]
    Office(#[from] OfficeError),
    /// The threads that hash passwords.
    #[error("password hashing: {0}")]
    Hasher(String),
}

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
    snapshots: snapshots::Asking,
    writer: Option<JournalWriter>,
    persister_thread: Option<Persister>,
}

/// What recovery found of a market.
struct Found {
    params: MarketParams,
    state: MarketState,
    bids: Vec<(Ticks, Lots)>,
    asks: Vec<(Ticks, Lots)>,
    update: UpdateId,
}

/// What recovery found of everything that is public.
struct Public {
    lsn: Lsn,
    assets: Vec<AssetListed>,
    markets: Vec<Found>,
    indices: BTreeMap<MarketId, (Amount, i64)>,
    /// The highest account that any record names.
    highest: Option<AccountId>,
}

fn public_state(world: &World<Actors>) -> Public {
    let found = |(_, m): (MarketId, &xng_core::spot::Market)| {
        let (book, update) = m.book();
        m.params().map(|params| Found {
            params: params.clone(),
            state: m.state().0,
            bids: book.depth(Side::Buy).collect(),
            asks: book.depth(Side::Sell).collect(),
            update,
        })
    };
    let mut indices = BTreeMap::new();
    for (_, price) in world.prices().iter() {
        if let (Some(listed), Some((index, time))) = (price.listed(), price.index()) {
            indices.extend(listed.markets.iter().map(|m| (*m, (index, ms(time)))));
        }
    }
    Public {
        lsn: world.lsn(),
        assets: world.registry().get(()).into_iter().flat_map(|r| r.assets()).cloned().collect(),
        markets: world.markets().iter().filter_map(found).collect(),
        indices,
        highest: world.accounts().iter().map(|(id, _)| id).max(),
    }
}

/// The newest snapshot that loads; without any, the world before the first record.
pub fn load_snapshot<H: xng_cell::Hosting>(snapshots: &SnapshotStore) -> Result<World<H>, StartError> {
    snapshots.refuse_newer()?;
    for snapshot in snapshots.valid()? {
        let (lsn, digest, entries) = (snapshot.lsn(), snapshot.digest(), snapshot.entries());
        match World::restore(Saved { lsn, digest, entries }) {
            Ok(world) => return Ok(world),
            Err(Unusable::Load(error @ FoldError::Entry { error: DecodeError::Unknown { .. }, .. })) => {
                return Err(StartError::NewerSnapshot { folder: snapshot.folder().to_owned(), error });
            }
            // The journal still reaches back to the one before.
            Err(error) => tracing::error!(%lsn, %error, "a snapshot does not load; passed over"),
        }
    }
    Ok(World::default())
}

impl From<FoldingError> for StartError {
    fn from(error: FoldingError) -> StartError {
        match error {
            FoldingError::Journal(error) => StartError::Journal(error),
            FoldingError::Fold { file, error } => StartError::Fold { file, error },
        }
    }
}

/// Folds everything after the world's position up to the journal's end.
fn fold_tail<H: xng_cell::Hosting>(
    world: &mut World<H>,
    recovered: &Recovered,
    startup: &Startup,
) -> Result<(), StartError> {
    let last = recovered.summary().last;
    startup.fold(world.lsn(), last);
    let reader = recovered.reader(world.lsn().next())?;
    Ok(fold_to(world, reader, last, |lsn| startup.folded(lsn))?)
}

fn journal_options(config: &Config) -> Options {
    let mut options = Options::new(CELL);
    options.segment_bytes = config.journal.segment_mib << 20;
    options.spare_segments = config.journal.spares;
    options.max_bytes = config.journal.max_mib << 20;
    options.min_free_bytes = config.journal.min_free_mib << 20;
    options
}

struct Journalled {
    control: JournalControl,
    writer: JournalWriter,
    epoch: u32,
    handle: CellHandle,
    subscription: xng_persistence::journal::Subscription,
    clock: ClockOffset,
    halted: Vec<EntityId>,
}

/// Recovers and starts the cell on its own thread.
fn start_cell(
    config: &Config,
    snapshots: SnapshotStore,
    floor: Lsn,
    health: &Arc<Health>,
) -> Result<Journalled, StartError> {
    let health = health.clone();
    let storage = Arc::new(RealStorage::open(config.server.data_dir.join("journal"))?);
    let crash = CrashFile::new(config.server.data_dir.join("crashes.tsv"));
    let handle = CellHandle::new();
    let (tx, rx) = crossbeam::channel::bounded(1);
    let (options, waker, refused) = (journal_options(config), handle.clone(), crash.read(wall_ns() / 1_000_000_000)?);
    let halted = refused.entities.clone();
    thread::start(&handle, crash, move || -> Result<_, StartError> {
        health.startup.enter(Phase::Snapshot);
        let mut world: World<Actors> = load_snapshot(&snapshots)?;
        health.startup.enter(Phase::Journal);
        let recovered = recover(storage, options, floor.max(world.lsn()))?;
        let (from, began) = (world.lsn(), Instant::now());
        fold_tail(&mut world, &recovered, &health.startup)?;
        let fold_micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        health.startup.enter(Phase::Parts);
        let clock = SlewedClock::start(world.time())?;
        let epoch = recovered.summary().epoch;
        let (lsn, folded) = (world.lsn().0, world.lsn().0 - from.0);
        tracing::info!(lsn, folded, fold_micros, entities = world.entities(), epoch, "recovered");
        let Started { handle: journal, control, writer } = recovered.start(Hooks::new(move |_| waker.wake()))?;
        let (subscription, offset) = (control.subscribe(), clock.offset());
        let mut cell = Cell::new(world, journal, clock);
        cell.refuse(refused);
        // The receiver waits right below.
        drop(tx.send((control, writer, epoch, subscription, offset)));
        Ok(cell)
    })?;
    let (control, writer, epoch, subscription, clock) =
        rx.recv().map_err(|_| std::io::Error::other("the cell's thread ended at its start"))?;
    Ok(Journalled { control, writer, epoch, handle, subscription, clock, halted })
}

/// Makes boards of what recovery found.
fn boards_of(public: &Public, sources: &Sources) -> Boards {
    let boards = Boards::default();
    for found in &public.markets {
        let depth = Depth::new(found.bids.iter().copied(), found.asks.iter().copied(), found.update);
        let source = sources.label(&found.params.symbol);
        let mut board = Board::new(found.params.clone(), found.state, source, depth);
        board.index = public.indices.get(&found.params.market).copied();
        boards.insert(board);
    }
    boards
}

/// Buckets of so many calls a minute, over all gateways when there is a Redis.
fn limits<K: std::hash::Hash + Eq + Clone>(calls: u32, config: &Config) -> Buckets<K> {
    let buckets = Buckets::new(calls, Duration::from_secs(60));
    if config.redis.url.is_some() { buckets.counted() } else { buckets }
}

fn catalog_of(public: &Public, seeds: Arc<Seeds>) -> SharedCatalog {
    let catalog = SharedCatalog::new(Catalog::default(), seeds.clone());
    for asset in &public.assets {
        catalog.follow(&xng_core::record::Fact::AssetListed(asset.clone()));
    }
    let mut listed = Catalog::clone(&catalog.now());
    for found in &public.markets {
        listed.insert_market(&found.params, &seeds);
        if let Some(info) = listed.markets.get_mut(&found.params.market) {
            info.state = found.state;
        }
    }
    SharedCatalog::new(listed, seeds)
}

/// How far the store's rows go. A store that is away says nothing about the journal: then only the snapshots do.
async fn checkpoint(store: &dyn Store) -> Result<Option<Checkpoint>, StoreError> {
    match store.checkpoint(CELL).await {
        Err(error @ StoreError::Database { .. }) => {
            tracing::warn!(%error, "the store is away; the exchange starts without it");
            Ok(None)
        }
        known => known,
    }
}

impl Exchange {
    /// Starts everything but the HTTP server, feeds and seeds. `health` shows how far it is.
    pub async fn start(config: Config, health: Arc<Health>) -> Result<Exchange, StartError> {
        let data: PathBuf = config.server.data_dir.clone();
        std::fs::create_dir_all(&data)?;
        let seeds = Arc::new(Seeds::load(&config.files.markets)?);
        let symbols: Vec<String> = seeds.market.iter().map(MarketSeed::symbol).collect();
        let sources = Arc::new(Sources::plan(&config.feed, symbols.iter().map(String::as_str))?);
        let messages = Messages::load(&config.files.locales)?;
        let content = Content::load(&config)?;
        let store = store::open(&config.store_url()).await?;
        let checkpoint = checkpoint(&*store).await?;
        let auth = Auth::open(&data.join("office.db"), &config).await?;

        let snapshot_storage = Arc::new(RealStorage::open(&data)?);
        let floor = checkpoint.map_or(Lsn::ZERO, |c| c.lsn);
        let journal = start_cell(&config, SnapshotStore::new(snapshot_storage.clone(), CELL), floor, &health)?;

        let state = journal.handle.with_world(|world| public_state(world)).recv();
        let mut public = state.map_err(|_| std::io::Error::other("the cell does not answer"))?;
        // Shown as what it is: it takes no orders.
        for found in public.markets.iter_mut().filter(|f| journal.halted.contains(&EntityId::Market(f.params.market))) {
            found.state = MarketState::Halt;
        }
        if let Some(highest) = public.highest {
            auth.raise_ids(highest).await?;
        }
        let catalog = catalog_of(&public, seeds);
        let boards = boards_of(&public, &sources);
        let missing = history::start(&boards, &*store, &journal.control, public.lsn).await?;

        let (view_tx, view_rx) = crossbeam::channel::bounded::<ViewInput>(view::INPUTS);
        let (candles_tx, candles_rx) = crossbeam::channel::bounded(history::BATCHES);
        history::start_writer(store.clone(), candles_rx, missing)?;
        let view = View::new(catalog.clone(), boards.clone(), sources.clone(), public.lsn, candles_tx.clone());
        let groups = journal.subscription.groups;
        let watched = health.clone();
        vital::spawn("view", move || view.run(&groups, &view_rx, &watched))?;

        let options = PersisterOptions {
            batch_records: config.store.batch_records as u32,
            batch_wait: Duration::from_millis(config.store.batch_ms),
            ..PersisterOptions::default()
        };
        let stop = |error: &PersistError| tracing::error!(%error, "the persister stopped");
        let persister = Persister::start(store.clone(), journal.control.clone(), CELL, journal.epoch, options, stop)?;
        let persister_handle = persister.handle();

        let snapshots = snapshots::start(
            SnapshotStore::new(snapshot_storage, CELL),
            journal.control.clone(),
            persister_handle.clone(),
            config.journal.snapshot_every_records,
            health.clone(),
        )?;

        health::watch(health.clone(), journal.handle.clone(), journal.control.clone())?;
        let admission = Admission::new(config.limits.orders_in_flight, config.limits.cancels_in_flight);
        let shared = Arc::new(Shared {
            user_calls: limits(config.limits.calls_per_minute_user, &config),
            ip_calls: limits(config.limits.calls_per_minute_ip, &config),
            uploads: Buckets::new(config.limits.uploads_per_hour, Duration::from_secs(3_600)),
            uploading: dashmap::DashSet::new(),
            upload_slots: tokio::sync::Semaphore::new(crate::calls::upload::AT_ONCE),
            in_flight: dashmap::DashSet::new(),
            next_session: AtomicU64::new(1),
            sockets: dashmap::DashMap::new(),
            hot: OnceLock::new(),
            stopping: tokio::sync::watch::Sender::new(false),
            health,
            config,
            catalog,
            sources,
            boards,
            messages,
            content,
            auth,
            store,
            view: view_tx,
            candles: candles_tx,
        });
        if let Some(url) = &shared.config.redis.url {
            let hot = Hot::start(url, shared.clone())?;
            shared.auth.share_sessions(hot.clone());
            shared.hot.get_or_init(|| hot);
        }
        Ok(Exchange {
            shared,
            cell: journal.handle,
            admission,
            journal: journal.control,
            persister: persister_handle,
            clock: journal.clock,
            halted: journal.halted,
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

/// A world without hosts: what folds use.
pub type PlainWorld = World<Plain>;
