//! Starts the feeds: what each pair begins with, its history at the first start, and the tasks that speak.
//!
//! Owns: recordings and the venue's address until the tasks have them. Never does: change a pair that has a history.
//! Invariants: a recording that cannot be read stops the start; a venue that cannot be reached does not.
//! Known limits: blocks its thread while it reads; nothing else runs there yet.

use super::bars;
use super::inbox::Inbox;
use super::klines::{self, End};
use super::recorded::RecordedError;
use super::replay::{self, Message, Said};
use super::simulator::rng::LiveSeed;
use super::simulator::{self, Pair};
use super::splits::Splits;
use super::venue::{Venue, VenueError};
use super::{Mids, live};
use crate::app::Shared;
use crate::common::critical_task;
use crate::common::decimal;
use crate::common::time::{Ms, now_ms};
use crate::config::FeedKind;
use crate::market::board::{Board, read};
use crate::market::candle_store;
use crate::market::candles::Candle;
use crate::market::catalog::MarketSeed;
use crate::market::interval::Interval;
use jiff::Timestamp;
use std::sync::Arc;
use thiserror::Error;
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_core::spot::MarketParams;
use xng_core::stock::StepTable;
use xng_core::stock::calendar::Session;

const DAY_MS: Ms = 86_400_000;
/// Made-up candles reach back three years.
const PAST_DAYS: Ms = 1_100;
const AHEAD_DAYS: Ms = 400;

/// Minutes and days.
type Candles = (Vec<Candle>, Vec<Candle>);

/// Feeds that are ready to speak.
#[derive(Debug)]
pub struct Feeds {
    pairs: Vec<Pair>,
    recordings: Vec<(MarketId, Vec<Message>)>,
    venue: Option<Venue>,
    live_seed: LiveSeed,
}

/// Why no feed starts.
#[derive(Debug, Error)]
pub enum StartFeedError {
    /// A recording.
    #[error(transparent)]
    Recorded(#[from] RecordedError),
    /// A venue's address.
    #[error("feed.source: {0}")]
    Venue(#[from] VenueError),
    /// The simulator's seed.
    #[error("no random numbers for the simulator: {0}")]
    Seed(#[from] getrandom::Error),
}

/// A listed pair with what is known of it before its feed speaks.
struct Listed {
    pair: Pair,
    symbol: String,
    kind: FeedKind,
    /// Recorded candles, if the pair has no history yet.
    candles: Option<Candles>,
}

impl Feeds {
    /// Reads recordings and gives pairs without a history one. Takes seconds where recordings are long. Stocks whose bars are
    /// played had these splits.
    pub fn prepare(shared: &Shared, splits: &Splits) -> Result<Feeds, StartFeedError> {
        let feed = &shared.config.feed;
        let live = feed.kind == FeedKind::Live;
        let live_seed = simulator::live_seed(feed.seed)?;
        let venue = live.then(|| Venue::new(&feed.source, &feed.rest)).transpose()?;
        let mut recordings = Vec::new();
        let mut listed = Vec::new();
        for seed in &shared.catalog.seeds().market {
            let Some(mut one) = list(shared, seed) else { continue };
            if let Some(path) = shared.sources.bars(&one.symbol) {
                let in_force = splits.get(&one.pair.market);
                let bars = bars::read(path, in_force.map_or(&[], |in_force| &in_force.ratios))?;
                one.pair.last_action = in_force.map_or(0, |in_force| in_force.last);
                let price = one.pair.sessions.as_deref().and_then(|sessions| bars.last_price(sessions, now_ms()));
                one.pair.start = price.map_or(one.pair.start, |price| price_near(price, one.pair.tick));
                one.pair.bars = Some(Arc::new(bars));
            }
            let messages = shared.sources.recording(&one.symbol).map(replay::read).transpose()?;
            if one.candles.is_some() && one.kind != FeedKind::Live {
                one.candles = Some(recorded_candles(shared, &one, messages.as_deref())?);
            }
            if let Some(messages) = messages {
                one.pair.start = first_mid(&messages).unwrap_or(one.pair.start);
                recordings.push((one.pair.market, messages));
            } else if let Some(last) = one.candles.as_ref().and_then(last_close) {
                one.pair.start = last;
            }
            listed.push(one);
        }
        let mut pairs: Vec<Pair> = listed.iter().map(|l| l.pair.clone()).collect();
        simulator::align(&mut pairs);
        let mut reachable = true;
        for (one, pair) in listed.into_iter().zip(&pairs) {
            let Some((minutes, days)) = one.candles else { continue };
            match (one.kind, &venue) {
                (FeedKind::Live, Some(venue)) if reachable => {
                    reachable = from_venue(shared, pair.market, &one.symbol, venue);
                }
                (FeedKind::Simulator, _) => {
                    let (minutes, days) = complete(shared, pair, &pairs, minutes, days);
                    fill(shared, pair.market, |board| candle_store::fill(board, &minutes, &days));
                }
                _ => fill(shared, pair.market, |board| candle_store::fill(board, &minutes, &days)),
            }
        }
        Ok(Feeds { pairs, recordings, venue, live_seed })
    }

    /// Starts the tasks on this thread's local set. A task that ends or panics stops the process: without prices there
    /// is no market.
    #[must_use]
    pub fn start(self, shared: &Shared) -> Inbox {
        let (inbox, health) = (Inbox::new(shared.health.clone()), &shared.health);
        let mids = Mids::default();
        if shared.config.feed.kind != FeedKind::Live {
            let work = simulator::run(self.pairs, self.live_seed, mids.clone(), shared.feedback.clone(), inbox.clone());
            critical_task::task("simulated feed", health.drains(), work);
        }
        if let Some(venue) = self.venue {
            let catalog = shared.listed();
            let pairs = catalog.markets.values().map(|m| (m.params.symbol.clone(), m.params.market)).collect();
            critical_task::task("live feed", health.drains(), live::run(venue, pairs, inbox.clone()));
        }
        if self.recordings.iter().any(|(_, messages)| !messages.is_empty()) {
            let work = replay::run(self.recordings, mids, inbox.clone());
            critical_task::task("replayed feed", health.drains(), work);
        }
        inbox
    }
}

fn list(shared: &Shared, seed: &MarketSeed) -> Option<Listed> {
    let (symbol, catalog) = (seed.symbol(), shared.listed());
    let params = &catalog.markets.get(&MarketId(seed.id))?.params;
    let board = shared.boards.get(params.market)?;
    let (last, new) = {
        let board = read(&board);
        // The index is the feed's own price; the last trade may be a user's.
        let last = board.index.map(|(price, _)| price).or_else(|| board.last_price());
        (last, board.candles.last(Interval::M1).is_none() && !board.awaits_history)
    };
    let kind = shared.sources.of(&symbol);
    let start = last.or_else(|| decimal::amount(&seed.start_price).ok())?;
    let pair = Pair {
        market: params.market,
        base: seed.base.clone(),
        quote: seed.quote.clone(),
        start,
        tick: price_step(params, start),
        steps: params.stock.map_or(StepTable::Flat, |stock| stock.steps),
        step: params.step,
        followed: kind != FeedKind::Simulator,
        bars: None,
        last_action: 0,
        sessions: seed.stock.as_ref().and_then(|stock| sessions(shared, stock.calendar)),
    };
    Some(Listed { pair, symbol, kind, candles: new.then(Candles::default) })
}

fn price_near(price: f64, tick: Amount) -> Amount {
    Amount(((price * 1e8 / tick.0 as f64).round() as i128).max(1) * tick.0)
}

/// What prices of a pair are multiples of near its own.
fn price_step(params: &MarketParams, price: Amount) -> Amount {
    params.stock.and_then(|stock| stock.steps.step(price, params.tick)).unwrap_or(params.tick)
}

/// Sessions of a calendar as far back as made-up candles reach, and as far ahead as the process may live.
fn sessions(shared: &Shared, calendar: u16) -> Option<Arc<[Session]>> {
    let seed = shared.calendars.calendar.iter().find(|seed| seed.id == calendar)?;
    let from = Timestamp::from_millisecond(now_ms() - PAST_DAYS * DAY_MS).ok()?;
    match seed.sessions(from, (PAST_DAYS + AHEAD_DAYS) as u32) {
        Ok(sessions) => Some(sessions.into()),
        Err(error) => {
            tracing::error!(calendar = seed.name, %error, "no sessions: its stocks are simulated all the time");
            None
        }
    }
}

fn recorded_candles(shared: &Shared, one: &Listed, messages: Option<&[Message]>) -> Result<Candles, RecordedError> {
    let now = now_ms();
    let begins = messages.and_then(|m| m.first()).map(|m| m.received_ns / 1_000_000);
    let end = begins.map_or(End::Now(now), |begins| End::Recording { begins, now });
    klines::history(&one.symbol, shared.sources.files(), end)
}

fn last_close((minutes, days): &Candles) -> Option<Amount> {
    minutes.last().or(days.last()).map(|c| c.close)
}

fn first_mid(messages: &[Message]) -> Option<Amount> {
    messages.iter().find_map(|m| match &m.said {
        Said::Book(bids, asks) => {
            let bid = bids.iter().map(|l| l.0).max()?;
            Some(Amount((bid.0 + asks.iter().map(|l| l.0).min()?.0) / 2))
        }
        Said::Levels(..) | Said::Trade(..) => None,
    })
}

/// What is not recorded of a simulated pair is generated, towards where the recorded part ends.
fn complete(shared: &Shared, pair: &Pair, pairs: &[Pair], minutes: Vec<Candle>, days: Vec<Candle>) -> Candles {
    if !minutes.is_empty() {
        return (minutes, days);
    }
    let made = simulator::history(pair, pairs, shared.seed, now_ms());
    (made.0, if days.is_empty() { made.1 } else { days })
}

/// A venue's own candles of every period. Without them the pair begins with an empty chart; false then.
fn from_venue(shared: &Shared, market: MarketId, symbol: &str, venue: &Venue) -> bool {
    let periods = Interval::ALL.into_iter().filter(|i| *i != Interval::S1);
    let candles: Result<Vec<_>, _> = periods.map(|i| venue.candles(symbol, i).map(|list| (i, list))).collect();
    match candles {
        Ok(candles) => fill(shared, market, |board| {
            candles.into_iter().for_each(|(interval, list)| board.candles.load(interval, list));
        }),
        Err(VenueError::Rest { path, error: cause }) if matches!(*cause, ureq::Error::StatusCode(_)) => {
            tracing::warn!(symbol, path, %cause, "the venue has no history of this pair");
        }
        Err(error) => {
            tracing::warn!(symbol, %error, "no history from the venue");
            return false;
        }
    }
    true
}

fn fill(shared: &Shared, market: MarketId, load: impl FnOnce(&mut Board)) {
    let Some(board) = shared.boards.get(market) else { return };
    candle_store::begin(&board, load);
}
