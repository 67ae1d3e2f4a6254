//! What every call can reach: the parts shared by all threads, and this thread's client of the cell.
//!
//! Owns: the list of these parts. Never does: hold state of its own beside counters and limits.
//! Invariants: what is shared may be used from any thread without waiting. Known limits: one cell.

use crate::api::app::content::Content;
use crate::api::app::convert::Conversions;
use crate::api::auth::Auth;
use crate::api::binance::cancel_names::CancelNames;
use crate::api::binance::limits::ApiLimits;
use crate::api::binance::listen_keys::ListenKeys;
use crate::api::http::documents::Document;
use crate::api::http::i18n::Messages;
use crate::api::http::limits::{Buckets, Pace, network};
use crate::api::http::writers::Writers;
use crate::api::ws::private::PrivateHub;
use crate::audit_anchor::AuditAnchor;
use crate::chat::Chat;
use crate::config::Config;
use crate::custody::chains::Chains;
use crate::custody::statements::Statements;
use crate::fair::Fair;
use crate::feed::feedback::Feedback;
use crate::feed::sources::Sources;
use crate::market::board::{Boards, read};
use crate::market::calendars::Calendars;
use crate::market::campaigns::Campaigns;
use crate::market::catalog::{Catalog, SharedCatalog};
use crate::market::contracts::Contracts;
use crate::market::desks::Desks;
use crate::market::stocks::Stocks;
use crate::market::tape::WaitingTape;
use crate::market::traders::Traders;
use crate::market::view::ViewSender;
use crate::market_maker::watch::Watch;
use crate::observe::health::Health;
use crate::observe::metrics::Meters;
use crate::orders::histories::Histories;
use crate::redis::Hot;
use crate::startup::operators::Operators;
use dashmap::DashSet;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Mutex;
use xng_core::ids::{AccountId, AssetId};
use xng_core::money::{Amount, Exact};
use xng_persistence::store::{PersisterHandle, SqlStore};
use xng_runtime::Client;

/// Shared by all threads.
#[derive(Debug)]
pub struct Shared {
    /// Settings.
    pub config: Config,
    /// Counters of calls, orders and sockets.
    pub meters: Meters,
    /// Progress, refusals, failures.
    pub health: Arc<Health>,
    /// What is listed.
    pub catalog: SharedCatalog,
    /// Where each pair's prices come from.
    pub sources: Arc<Sources>,
    /// Market data.
    pub boards: Boards,
    /// Contracts: parameters, index, mark.
    pub contracts: Contracts,
    /// Desks of seconds options.
    pub desks: Arc<Desks>,
    /// Trading calendars of stocks.
    pub stocks: Arc<Stocks>,
    /// Chains whose coins come in.
    pub chains: Arc<Chains>,
    /// What they hold, as it was stated to everybody.
    pub statements: Arc<Statements>,
    /// What their sessions are made of.
    pub calendars: Arc<Calendars>,
    /// Commands of operators.
    pub operators: Operators,
    /// Traders whom others follow.
    pub traders: Arc<Traders>,
    /// Decisions about who is one are made one at a time.
    pub trader_decisions: tokio::sync::Mutex<()>,
    /// Campaigns of coupons.
    pub campaigns: Arc<Campaigns>,
    /// How far the office's audit was anchored.
    pub audit_anchor: Arc<AuditAnchor>,
    /// Enrolments of the staff that the operator made alone although owners decide, as of a minute ago.
    pub waiting_enrolments: AtomicU64,
    /// Parameters of markets are proposed, put into force and taken back one at a time.
    pub changing_parameters: Mutex<()>,
    /// The archive of ticks.
    pub fair: Fair,
    /// Server messages.
    pub messages: Messages,
    /// News, menu, articles, fiat rates.
    pub content: Content,
    /// Live service.
    pub chat: Chat,
    /// Who is logged in.
    pub auth: Arc<Auth>,
    /// History.
    pub store: Arc<SqlStore>,
    /// What became of accounts' orders, before it is in the store.
    pub histories: Histories,
    /// How far the store is behind.
    pub persister: PersisterHandle,
    /// The way to the market view.
    pub view: ViewSender,
    /// Trades of the feeds on their way to it.
    pub tape: WaitingTape,
    /// What durable records tell the simulated source.
    pub feedback: Feedback,
    /// What operators see of the house.
    pub house: Watch,
    /// What the simulator draws the history before the first start from.
    pub seed: u64,
    /// Calls by user.
    pub user_calls: Arc<Buckets<AccountId>>,
    /// Calls by address.
    pub ip_calls: Arc<Buckets<IpAddr>>,
    /// What an address may have done in a second, whatever it asks.
    pub pace: Arc<Pace>,
    /// Codes of coupons that open nothing, by user.
    pub coupon_tries: Buckets<AccountId>,
    /// Bank cards that were saved, by user: each is a row of the audit and a mail.
    pub card_saves: Buckets<AccountId>,
    /// What programs may ask.
    pub api_limits: ApiLimits,
    /// Threads for large answers.
    pub writers: Writers,
    /// `/openapi.json`.
    pub openapi: Document,
    /// `/api/openapi.json`.
    pub app_calls: Document,
    /// `/asyncapi.json`.
    pub asyncapi: Document,
    /// Names of cancels by program.
    pub cancel_names: CancelNames,
    /// Signs quotes of conversion, and counts conversions.
    pub conversions: Conversions,
    /// Names of private streams.
    pub listen_keys: ListenKeys,
    /// Streams that sockets name, by address: apart from calls, which cancels are.
    pub ip_streams: Buckets<IpAddr>,
    /// Openings of programs' sockets, by address.
    pub ip_sockets: Buckets<IpAddr>,
    /// Uploads by user.
    pub uploads: Buckets<AccountId>,
    /// Uploads that are being worked on.
    pub upload_slots: tokio::sync::Semaphore,
    /// Users whose picture is on its way.
    pub uploading: DashSet<AccountId>,
    /// Money requests without a key that are being answered: account and digest of endpoint and body.
    pub in_flight: DashSet<(AccountId, u128)>,
    /// Number of the next socket session.
    pub next_session: Arc<AtomicU64>,
    /// Told once, before a restart.
    pub stopping: tokio::sync::watch::Sender<bool>,
    /// Redis, when the settings name one.
    pub hot: std::sync::OnceLock<Hot>,
    /// Open sockets by address.
    pub sockets: dashmap::DashMap<IpAddr, u32>,
}

/// One thread's view of the exchange.
#[derive(Clone)]
pub struct App {
    /// Shared by all threads.
    pub shared: Arc<Shared>,
    /// This thread's client of the cell.
    pub client: Client,
    /// This thread's private event readers.
    pub private: Rc<PrivateHub>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("App")
    }
}

impl Shared {
    /// From now on nothing new is taken, and sockets are told.
    pub fn begin_stop(&self) {
        self.health.draining.store(true, Ordering::Relaxed);
        self.stopping.send_replace(true);
    }

    /// What is listed now.
    #[must_use]
    pub fn listed(&self) -> Arc<Catalog> {
        self.catalog.now()
    }

    /// Forgets limits that no longer limit anybody, so that names and addresses of strangers do not pile up.
    pub fn sweep(&self) {
        self.user_calls.sweep();
        self.coupon_tries.sweep();
        self.card_saves.sweep();
        self.ip_calls.sweep();
        self.pace.sweep();
        self.api_limits.sweep();
        self.cancel_names.sweep();
        self.listen_keys.sweep();
        self.ip_streams.sweep();
        self.ip_sockets.sweep();
        self.uploads.sweep();
        self.auth.sweep();
    }

    /// Counts what an address asks for as so much, and waits for its turn; false when it has asked for too much.
    pub async fn admits(&self, from: IpAddr, weight: u64) -> bool {
        let from = network(from);
        self.ip_calls.take_many(from, weight as usize) && self.pace.turn(from, weight).await.is_ok()
    }

    /// Websockets that are open.
    #[must_use]
    pub fn open_sockets(&self) -> u64 {
        self.sockets.iter().map(|open| u64::from(*open)).sum()
    }

    /// Price of one whole asset in USDT; zero when no market tells it.
    #[must_use]
    pub fn usdt_price(&self, catalog: &Catalog, asset: AssetId) -> Amount {
        let usdt = catalog.assets.values().find(|a| a.name == "USDT").map(|a| a.id);
        if Some(asset) == usdt {
            return Amount::whole(1);
        }
        let market = usdt.and_then(|usdt| catalog.by_pair(asset, usdt));
        let board = market.and_then(|m| self.boards.get(m.params.market));
        board.and_then(|b| read(&b).last_price()).unwrap_or_default()
    }

    /// What an amount is worth in USDT.
    #[must_use]
    pub fn usdt_value(&self, catalog: &Catalog, asset: AssetId, amount: Amount) -> Amount {
        Exact::from(self.usdt_price(catalog, asset)).times(Exact::from(amount)).round8()
    }
}
