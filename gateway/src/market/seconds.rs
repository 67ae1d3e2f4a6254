//! The view's work once a second: candles, tickers, averages, market states, and the first frames of streams for the app.
//!
//! Owns: which of these is published when.
//! Never does: compute what nobody reads; candles excepted, because they are stored.
//! Invariants: a candle's final state is published before the next candle's first; a ticker is published when its market traded
//! since the last one, or its stock was split.
//! Known limits: candles of every period are published once a second.

use super::aggregates::Aggregate;
use super::board::{Board, Day, read, write};
use super::candle_rows::{CandleRows, changed};
use super::interval::{Interval, Zone};
use super::payload;
use super::view::{SLOW_EVERY, View};
use crate::api::ws::outbox::Conflation;
use crate::api::ws::stream::{Pace, Stream, Window};
use crate::common::time::{Ms, TimeUnit, now_ms};
use std::sync::{Arc, RwLock};
use xng_core::contract::params::FIRST_CONTRACT;
use xng_core::ids::MarketId;

/// Slow ticks between two full statuses.
const STATUS_EVERY: u64 = 5;
/// Slow ticks between two marks for those who want fewer.
const MARKS_EVERY: u64 = 3;
/// Slow ticks between two writings of candles.
const CANDLES_EVERY: u64 = 10;
/// Levels of the app's snapshot.
const SNAPSHOT_LEVELS: usize = 1_000;
/// Trades of the app's snapshot.
const SNAPSHOT_TRADES: usize = 50;

/// Markets that traded, with a window's figures.
type Windows = Vec<(Arc<RwLock<Board>>, Day)>;

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

impl View {
    /// False when candles wait for a writer that does not keep up.
    pub(super) fn second(&mut self, markets: &[MarketId]) -> bool {
        let now = now_ms();
        let (mut statuses, mut traded) = (Vec::new(), Vec::new());
        let all = (self.slow_ticks / SLOW_EVERY).is_multiple_of(STATUS_EVERY);
        for market in markets {
            let Some(edge) = self.markets.get_mut(market) else { continue };
            write(&edge.board).candles.roll(now);
            let (state, is_contract) = (read(&edge.board).state, read(&edge.board).is_contract());
            if is_contract {
                let mut board = write(&edge.board);
                board.prices.iter_mut().for_each(|prices| prices.roll(now));
            } else if edge.published_state.replace(state) != Some(state) || all {
                statuses.push(payload::status(&read(&edge.board)));
            }
            if std::mem::take(&mut edge.ticker_touched) {
                traded.push(*market);
            }
            Zone::ALL.into_iter().for_each(|zone| self.klines(*market, zone, now));
            self.average(*market, now);
        }
        self.marks(now);
        self.tickers(&traded, now);
        traded.retain(|market| market.0 < FIRST_CONTRACT);
        Window::ALL.into_iter().for_each(|window| self.rolling(&traded, window, now));
        if !statuses.is_empty() {
            self.publish(Stream::Status, Conflation::Each, |_| format!("[{}]", statuses.join(",")));
        }
        self.watch_sessions(now);
        !(self.slow_ticks / SLOW_EVERY).is_multiple_of(CANDLES_EVERY) || self.store_candles(markets)
    }

    fn store_candles(&mut self, markets: &[MarketId]) -> bool {
        if self.candles.is_full() {
            // The boards remember which candles changed: they go with the next ones.
            return false;
        }
        let rows = markets.iter().filter_map(|m| self.markets.get(m));
        let rows: Vec<_> = rows.flat_map(|e| changed(&e.board)).collect();
        if self.candles.try_send(CandleRows { rows, lsn: self.lsn }).is_err() {
            tracing::error!("nobody writes candles");
        }
        true
    }

    fn klines(&mut self, market: MarketId, zone: Zone, now: Ms) {
        let Some(edge) = self.markets.get_mut(&market) else { return };
        let board = edge.board.clone();
        let board = read(&board);
        let (Some(newest), offset) = (board.candles.newest(), zone.offset()) else { return };
        for interval in Interval::ALL {
            let stream = Stream::Kline(market, interval, zone);
            let Some(edge) = self.markets.get_mut(&market) else { return };
            let open_ms = interval.span_at(newest, offset).0;
            let was = std::mem::replace(&mut edge.current[zone as usize][interval as usize], open_ms);
            if !self.topics.wanted(stream) {
                continue;
            }
            let form = (interval, zone);
            // What was current before the first second is not known.
            if was != open_ms
                && was != 0
                && let Some(closed) = board.candles.at(interval, offset, was)
            {
                // Its last word is never overtaken by the next candle.
                self.publish(stream, Conflation::Each, |unit| payload::kline(&board, form, &closed, now, unit));
            }
            if let Some(candle) = board.candles.at(interval, offset, open_ms) {
                self.publish(stream, Conflation::Latest, |unit| payload::kline(&board, form, &candle, now, unit));
            }
        }
        if board.is_contract() && zone == Zone::Utc {
            self.continuous_klines(&board, newest, now);
        }
    }

    /// The same by a contract's pair; a candle's last word is the one before the next begins.
    fn continuous_klines(&mut self, board: &Board, newest: Ms, now: Ms) {
        for interval in Interval::ALL {
            let stream = Stream::ContinuousKline(board.params.market, interval);
            let candle = board.candles.at(interval, 0, newest).filter(|_| self.topics.wanted(stream));
            if let Some(candle) = candle {
                let data = |unit| payload::continuous_kline(board, interval, &candle, now, unit);
                self.publish(stream, Conflation::Latest, data);
            }
        }
    }

    /// Every second the marks of contracts, and every third one for those who want fewer.
    fn marks(&mut self, now: Ms) {
        let shared = self.contracts.shared();
        let (board, books) = (shared.now(), shared.books());
        let slow = (self.slow_ticks / SLOW_EVERY).is_multiple_of(MARKS_EVERY);
        let paces = [Some(Pace::Second), slow.then_some(Pace::Slow)];
        for pace in paces.into_iter().flatten() {
            for (id, face) in board.contracts() {
                let Some(figures) = books.get(&id) else { continue };
                let stream = Stream::MarkPrice(id, pace);
                self.publish(stream, Conflation::Latest, |unit| payload::mark_price(face, figures, now, unit));
            }
            self.publish(Stream::AllMarkPrices(pace), Conflation::Each, |unit| {
                let known = board.contracts().filter_map(|(id, face)| Some((face, books.get(&id)?)));
                list(known.map(|(face, figures)| payload::mark_price(face, figures, now, unit)))
            });
        }
    }

    fn board(&self, market: MarketId) -> Option<Arc<RwLock<Board>>> {
        self.markets.get(&market).map(|edge| edge.board.clone())
    }

    fn average(&mut self, market: MarketId, now: Ms) {
        let stream = Stream::AveragePrice(market);
        let board = self.board(market).filter(|_| self.topics.wanted(stream));
        let Some(board) = board.as_deref().map(read) else { return };
        if let Some((average, last)) = board.average(now) {
            self.publish(stream, Conflation::Latest, |unit| payload::average_price(&board, average, last, now, unit));
        }
    }

    fn tickers(&mut self, traded: &[MarketId], now: Ms) {
        let (of_contracts, of_spot): (Vec<MarketId>, Vec<MarketId>) =
            traded.iter().partition(|market| market.0 >= FIRST_CONTRACT);
        self.tickers_of(&of_spot, (Stream::AllMiniTickers, Stream::AllTickers), now);
        self.tickers_of(&of_contracts, (Stream::AllContractMiniTickers, Stream::AllContractTickers), now);
    }

    fn tickers_of(&mut self, traded: &[MarketId], (all_mini, all_full): (Stream, Stream), now: Ms) {
        let mut days = Windows::new();
        for market in traded {
            let (mini, full) = (Stream::MiniTicker(*market), Stream::Ticker(*market));
            if ![mini, full, all_mini, all_full].into_iter().any(|stream| self.topics.wanted(stream)) {
                continue;
            }
            let Some(shared) = self.board(*market) else { continue };
            let board = read(&shared);
            let Some(day) = board.day(now) else { continue };
            self.publish(full, Conflation::Latest, |unit| payload::ticker(&board, &day, now, unit));
            self.publish(mini, Conflation::Latest, |unit| payload::mini_ticker(&board, &day, now, unit));
            drop(board);
            days.push((shared, day));
        }
        if !days.is_empty() {
            // Each entry is the newest of its symbol only, so these do not conflate.
            self.publish(all_mini, Conflation::Each, |unit| {
                list(days.iter().map(|(board, day)| payload::mini_ticker(&read(board), day, now, unit)))
            });
            self.publish(all_full, Conflation::Each, |unit| {
                list(days.iter().map(|(board, day)| payload::ticker(&read(board), day, now, unit)))
            });
        }
    }

    fn rolling(&mut self, traded: &[MarketId], window: Window, now: Ms) {
        let mut found = Windows::new();
        for market in traded {
            let stream = Stream::Rolling(*market, window);
            if ![stream, Stream::AllRolling(window)].into_iter().any(|stream| self.topics.wanted(stream)) {
                continue;
            }
            let Some(shared) = self.board(*market) else { continue };
            let board = read(&shared);
            let Some(figures) = board.window(window.length(), now) else { continue };
            self.publish(stream, Conflation::Latest, |unit| payload::rolling(&board, window, &figures, now, unit));
            drop(board);
            found.push((shared, figures));
        }
        if !found.is_empty() {
            self.publish(Stream::AllRolling(window), Conflation::Each, |unit| {
                list(found.iter().map(|(board, figures)| payload::rolling(&read(board), window, figures, now, unit)))
            });
        }
    }

    /// The app's first frame of a stream.
    pub(super) fn snapshot(&self, stream: Stream) -> Option<String> {
        let (now, unit) = (now_ms(), TimeUnit::Millis);
        let Some(market) = stream.market() else {
            let boards = self.markets.values().map(|e| read(&e.board)).filter(|b| !b.is_contract());
            return Some(match stream {
                Stream::AllMiniTickers => {
                    list(boards.filter_map(|b| Some(payload::mini_ticker(&b, &b.day(now)?, now, unit))))
                }
                Stream::AllTickers => list(boards.filter_map(|b| Some(payload::ticker(&b, &b.day(now)?, now, unit)))),
                Stream::AllRolling(w) => {
                    list(boards.filter_map(|b| Some(payload::rolling(&b, w, &b.window(w.length(), now)?, now, unit))))
                }
                Stream::Status => list(boards.map(|b| payload::status(&b))),
                Stream::Contracts => self.contract_stream.all(),
                // They have a market, or the app does not read them.
                Stream::AllMarkPrices(_)
                | Stream::AllContractMiniTickers
                | Stream::AllContractTickers
                | Stream::AllContractBookTickers
                | Stream::ContractInfo
                | Stream::ForceOrder(_)
                | Stream::AllForceOrders
                | Stream::ContinuousKline(..)
                | Stream::MarkPrice(..)
                | Stream::Depth(..)
                | Stream::Partial(..)
                | Stream::Trade(_)
                | Stream::AggTrade(_)
                | Stream::Kline(..)
                | Stream::MiniTicker(_)
                | Stream::Ticker(_)
                | Stream::BookTicker(_)
                | Stream::Rolling(..)
                | Stream::AveragePrice(_) => return None,
            });
        };
        let edge = self.markets.get(&market)?;
        let board = read(&edge.board);
        match stream {
            Stream::Depth(..) => Some(edge.format.snapshot(&board, SNAPSHOT_LEVELS)),
            Stream::Partial(_, n, _) => Some(edge.format.partial(&board, usize::from(n), unit)),
            Stream::Trade(_) => {
                let latest = board.trades.len().saturating_sub(SNAPSHOT_TRADES);
                Some(list(board.trades.iter().skip(latest).map(|t| payload::trade(&board, t, unit))))
            }
            Stream::AggTrade(_) => {
                let all: Vec<Aggregate> = board.aggregates();
                let latest = &all[all.len().saturating_sub(SNAPSHOT_TRADES)..];
                Some(list(latest.iter().map(|a| payload::agg_trade(&board, a, unit))))
            }
            Stream::Kline(_, interval, zone) => {
                let candle = board.candles.at(interval, zone.offset(), board.candles.newest()?)?;
                Some(payload::kline(&board, (interval, zone), &candle, now, unit))
            }
            Stream::MiniTicker(_) => board.day(now).map(|d| payload::mini_ticker(&board, &d, now, unit)),
            Stream::Ticker(_) => board.day(now).map(|d| payload::ticker(&board, &d, now, unit)),
            Stream::Rolling(_, w) => board.window(w.length(), now).map(|d| payload::rolling(&board, w, &d, now, unit)),
            Stream::AveragePrice(_) => {
                board.average(now).map(|(average, last)| payload::average_price(&board, average, last, now, unit))
            }
            Stream::BookTicker(_) => Some(payload::book_ticker(&board, unit)),
            Stream::AllMarkPrices(_)
            | Stream::AllContractMiniTickers
            | Stream::AllContractTickers
            | Stream::AllContractBookTickers
            | Stream::ContractInfo
            | Stream::ForceOrder(_)
            | Stream::AllForceOrders
            | Stream::ContinuousKline(..)
            | Stream::MarkPrice(..)
            | Stream::AllMiniTickers
            | Stream::AllTickers
            | Stream::AllRolling(_)
            | Stream::Status
            | Stream::Contracts => None,
        }
    }
}
