//! What runs beside the HTTP server: seeding, the feed, the house.

use crate::app::Shared;
use crate::config::FeedKind;
use crate::edge;
use crate::exchange::Exchange;
use crate::feed::FeedEvent;
use crate::feed::simulator::{self, Pair};
use crate::history::{self, CandleRows};
use crate::house::{Following, House};
use crate::market::board::{read, write};
use crate::market::interval::Interval;
use crate::seed;
use crate::time::now_ms;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_runtime::Client;

/// Seeds the exchange, then starts feed and house on a thread of their own. Returns when everything is listed.
pub fn start(exchange: &Exchange) -> Result<(), String> {
    let (shared, cell, admission) = (exchange.shared.clone(), exchange.cell.clone(), exchange.admission.clone());
    let (ready_tx, ready) = crossbeam::channel::bounded(1);
    let run = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return drop(ready_tx.send(Err(error.to_string()))),
        };
        tokio::task::LocalSet::new().block_on(&runtime, async move {
            let (events, _) = mpsc::unbounded_channel();
            let client = Client::start(&cell, &admission, events);
            let seeded = seed::plant(&client, &shared.config, shared.catalog.seeds()).await;
            let seeded = match seeded {
                Ok(()) => wait_until_listed(&shared).await,
                Err(error) => Err(error),
            };
            let failed = seeded.is_err();
            drop(ready_tx.send(seeded));
            if !failed {
                follow(shared, client).await;
            }
        });
    };
    std::thread::Builder::new().name("house".into()).spawn(run).map_err(|e| e.to_string())?;
    ready.recv().unwrap_or_else(|_| Err("the house's thread ended".into()))
}

/// The market view follows the journal: what was just listed is there in a moment.
async fn wait_until_listed(shared: &Shared) -> Result<(), String> {
    let wanted = shared.catalog.seeds().market.len();
    for _ in 0..600 {
        let listed = shared.listed().markets.len();
        if listed >= wanted && shared.boards.all().len() >= wanted {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("the market view does not follow".into())
}

fn pairs(shared: &Shared) -> Vec<Pair> {
    let catalog = shared.listed();
    let seeds = shared.catalog.seeds();
    let pair = |m: &crate::catalog::MarketSeed| {
        let params = &catalog.markets.get(&xng_core::ids::MarketId(m.id))?.params;
        let last = shared.boards.get(params.market).and_then(|b| read(&b).last_price());
        let start = last.or_else(|| edge::amount(&m.start_price).ok())?;
        let (base, quote) = (m.base.clone(), m.quote.clone());
        Some(Pair { market: params.market, base, quote, start, tick: params.tick, step: params.step })
    };
    let mut pairs: Vec<Pair> = seeds.market.iter().filter_map(pair).collect();
    simulator::align(&mut pairs);
    pairs
}

fn fill_history(shared: &Shared, pairs: &[Pair]) {
    for pair in pairs {
        let Some(board) = shared.boards.get(pair.market) else { continue };
        if read(&board).candles.last(Interval::M1).is_some() {
            continue;
        }
        let (minutes, days) = simulator::history(pair, pairs, shared.config.feed.seed, now_ms());
        let mut board = write(&board);
        history::fill(&mut board, &minutes, &days);
        let rows = history::everything(&board);
        if shared.candles.send(CandleRows { rows, lsn: Lsn::ZERO }).is_err() {
            tracing::error!("nobody writes candles");
        }
    }
}

async fn follow(shared: Arc<Shared>, client: Client) {
    let (tx, rx) = mpsc::unbounded_channel::<FeedEvent>();
    let config = &shared.config;
    let pairs = pairs(&shared);
    fill_history(&shared, &pairs);
    let following = match config.feed.kind {
        FeedKind::Simulator => {
            tokio::task::spawn_local(simulator::run(pairs, config.feed.seed, tx));
            Following::Beyond(config.house.requote_ppm)
        }
        FeedKind::Replay | FeedKind::Live => Following::Mirror,
    };
    House::new(shared.clone(), client, &config.house, following).run(rx).await;
}

/// The opening balance of the demo profile.
#[must_use]
pub fn opening(shared: &Shared) -> Vec<xng_core::account::facts::GrantItem> {
    use xng_core::account::facts::GrantItem;
    use xng_core::ids::Wallet;
    let catalog = shared.listed();
    let Some(usdt) = catalog.assets.values().find(|a| a.name == "USDT").map(|a| a.id) else { return Vec::new() };
    let demo = &shared.config.demo;
    let item = |wallet, text: &str| GrantItem { wallet, asset: usdt, amount: edge::amount(text).unwrap_or(Amount::ZERO) };
    vec![item(Wallet::Change, &demo.change_usdt), item(Wallet::Legal, &demo.legal_usdt)]
}
