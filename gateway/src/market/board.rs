//! What is publicly known of one market, or of a contract's book.
//!
//! Owns: book, candles, trades, day and state of one market. Never does: publish; wait for anybody but a reader of
//! itself. Invariants: its parts are of one record. Known limits: 1,000 trades; the day is of minutes.

use super::aggregates::{Aggregate, aggregated};
use super::candles::{Candle, Candles, TapeTrade};
use super::depth::Depth;
use super::interval::Interval;
use crate::common::decimal::{decimals, price_of};
use crate::common::time::Ms;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeBounds;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use xng_core::contract::params::FIRST_CONTRACT;
use xng_core::ids::MarketId;
use xng_core::money::{Amount, Exact, Lots, Ticks};
use xng_core::spot::{MarketParams, MarketState, Side};

/// Trades kept for calls.
pub const TRADES_KEPT: usize = 1_000;
const DAY: Ms = 86_400_000;
const MINUTE: Ms = 60_000;
/// Over so many minutes the average price goes.
pub const AVERAGE_MINUTES: Ms = 5;

/// Candles of prices at which nothing is traded.
#[derive(Debug, Clone, Default)]
pub struct Prices {
    /// Of the mark.
    pub mark: Candles,
    /// Of the index.
    pub index: Candles,
    /// Of what the mark is above the index, as a part of it.
    pub premium: Candles,
}

impl Prices {
    /// Opens candles for periods in which none came.
    pub fn roll(&mut self, now: Ms) {
        for candles in [&mut self.mark, &mut self.index, &mut self.premium] {
            candles.roll(now);
            // Nobody stores them.
            candles.take_changed();
        }
    }
}

/// One market's public state.
#[derive(Debug, Clone)]
pub struct Board {
    /// Its parameters.
    pub params: MarketParams,
    /// Its state.
    pub state: MarketState,
    /// `live`, `replayed` or `simulated`.
    pub source: &'static str,
    /// The last index and when it was stamped.
    pub index: Option<(Amount, Ms)>,
    /// Levels.
    pub depth: Depth,
    /// The latest trades, oldest first.
    pub trades: VecDeque<TapeTrade>,
    /// Candles of every period.
    pub candles: Candles,
    /// Own trades since the start.
    pub own_trades: u64,
    /// Trades of the reference tape since the start.
    pub tape_trades: u64,
    /// Of a contract: candles of its mark, its index and the premium. They begin with the process.
    pub prices: Option<Box<Prices>>,
    /// The store was away at the start: older candles come when it is back, so nobody makes some up.
    pub awaits_history: bool,
    /// When anything last changed.
    pub updated_ms: Ms,
}

/// The last 24 hours, or another window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// Begin of the first minute.
    pub open_ms: Ms,
    /// Price then.
    pub open: Amount,
    /// Highest.
    pub high: Amount,
    /// Lowest.
    pub low: Amount,
    /// Last price.
    pub close: Amount,
    /// Close of the minute before.
    pub previous: Amount,
    /// Base traded.
    pub volume: Amount,
    /// Quote traded.
    pub turnover: Amount,
    /// Trades.
    pub trades: u64,
    /// First trade's id.
    pub first_trade: u64,
    /// Last trade's id.
    pub last_trade: u64,
}

impl Day {
    /// Change since its begin.
    #[must_use]
    pub fn change(&self) -> Amount {
        self.close - self.open
    }

    /// Change in percent, two decimals, half-up.
    #[must_use]
    pub fn change_percent(&self) -> String {
        let hundred = Exact::new(100, 0);
        let share = Exact::from(self.change()).div_sig20_half_up(Exact::from(self.open));
        let percent = share.map_or(Exact::new(0, 0), |s| s.times(hundred).round_half_up(2));
        let text = percent.to_string();
        let (whole, frac) = text.split_once('.').unwrap_or((&text, ""));
        format!("{whole}.{frac:0<2}")
    }

    /// Turnover per base, or the last price without trades.
    #[must_use]
    pub fn average(&self) -> Amount {
        let average = Exact::from(self.turnover).div_sig20_half_up(Exact::from(self.volume));
        average.map_or(self.close, Exact::round8)
    }
}

impl Board {
    /// A board without history.
    #[must_use]
    pub fn new(params: MarketParams, state: MarketState, source: &'static str, depth: Depth) -> Board {
        let (trades, candles) = (VecDeque::new(), Candles::default());
        Board {
            params,
            state,
            source,
            index: None,
            depth,
            trades,
            candles,
            own_trades: 0,
            tape_trades: 0,
            prices: None,
            awaits_history: false,
            updated_ms: 0,
        }
    }

    /// Whether it is of a contract.
    #[must_use]
    pub fn is_contract(&self) -> bool {
        self.params.market.0 >= FIRST_CONTRACT
    }

    /// Adds a trade to tape and candles.
    pub fn add_trade(&mut self, trade: TapeTrade) {
        self.candles.add(&trade);
        if self.trades.len() == TRADES_KEPT {
            self.trades.pop_front();
        }
        self.trades.push_back(trade);
        self.updated_ms = trade.time_ms;
    }

    /// The last price: of a trade, else of the newest candle, else the index.
    #[must_use]
    pub fn last_price(&self) -> Option<Amount> {
        let candle = self.candles.last(Interval::M1).map(|c| c.close);
        candle.or(self.index.map(|(price, _)| price))
    }

    /// The latest trades as aggregates, oldest first. One whose first trade may have been let go is left out.
    #[must_use]
    pub fn aggregates(&self) -> Vec<Aggregate> {
        let mut all = aggregated(&self.trades);
        if self.trades.len() == TRADES_KEPT {
            all.remove(0);
        }
        all
    }

    /// The last 24 hours, from one-minute candles.
    #[must_use]
    pub fn day(&self, now: Ms) -> Option<Day> {
        self.since(now - DAY + 1)
    }

    /// The minutes of which `length` before `now` has a part.
    #[must_use]
    pub fn window(&self, length: Ms, now: Ms) -> Option<Day> {
        self.since((now - length).div_euclid(MINUTE) * MINUTE)
    }

    /// Turnover per base over the last [`AVERAGE_MINUTES`], the last price if nothing was traded, and when the last trade
    /// was (0: none is known).
    #[must_use]
    pub fn average(&self, now: Ms) -> Option<(Amount, Ms)> {
        let window = self.since(now - AVERAGE_MINUTES * MINUTE + 1)?;
        Some((window.average(), self.trades.back().map_or(0, |t| t.time_ms)))
    }

    /// From the minute on that begins at `from` or next after it.
    fn since(&self, from: Ms) -> Option<Day> {
        let series = self.candles.series(Interval::M1);
        let before = series.len() - self.candles.series(Interval::M1).rev().take_while(|c| c.open_ms >= from).count();
        let mut minutes = self.candles.series(Interval::M1).skip(before);
        let previous = before.checked_sub(1).and_then(|at| self.candles.series(Interval::M1).nth(at));
        let first: &Candle = minutes.next().or(self.candles.last(Interval::M1))?;
        let mut sum = *first;
        for minute in minutes {
            sum.join(minute);
        }
        Some(Day {
            open_ms: sum.open_ms,
            open: sum.open,
            high: sum.high,
            low: sum.low,
            close: sum.close,
            previous: previous.map_or(sum.open, |c| c.close),
            volume: sum.volume,
            turnover: sum.turnover,
            trades: sum.trades,
            first_trade: sum.first_trade,
            last_trade: sum.last_trade,
        })
    }

    /// The best price and quantity of a side.
    #[must_use]
    pub fn best(&self, side: Side) -> Option<(Amount, Amount)> {
        self.depth.best(side).map(|level| self.level(level))
    }

    /// A level as price and quantity.
    #[must_use]
    pub fn level(&self, (ticks, lots): (Ticks, Lots)) -> (Amount, Amount) {
        (price_of(ticks, &self.params), self.params.base_amount(lots))
    }

    /// Decimals of prices.
    #[must_use]
    pub fn price_places(&self) -> usize {
        decimals(self.params.tick)
    }

    /// Decimals of quantities.
    #[must_use]
    pub fn quantity_places(&self) -> usize {
        decimals(self.params.step)
    }
}

/// The boards of all markets, shared between the view (writes) and calls (read).
#[derive(Debug, Clone, Default)]
pub struct Boards(Arc<RwLock<BTreeMap<MarketId, Arc<RwLock<Board>>>>>);

/// Reads a board.
pub fn read(board: &RwLock<Board>) -> RwLockReadGuard<'_, Board> {
    board.read().unwrap_or_else(PoisonError::into_inner)
}

/// Changes a board.
pub fn write(board: &RwLock<Board>) -> RwLockWriteGuard<'_, Board> {
    board.write().unwrap_or_else(PoisonError::into_inner)
}

impl Boards {
    /// One market's board.
    #[must_use]
    pub fn get(&self, market: MarketId) -> Option<Arc<RwLock<Board>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&market).cloned()
    }

    /// All boards of spot markets by number.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<RwLock<Board>>> {
        self.of(..MarketId(FIRST_CONTRACT))
    }

    /// All boards of contracts by number.
    #[must_use]
    pub fn contracts(&self) -> Vec<Arc<RwLock<Board>>> {
        self.of(MarketId(FIRST_CONTRACT)..)
    }

    /// All of both.
    #[must_use]
    pub fn every(&self) -> Vec<Arc<RwLock<Board>>> {
        self.of(..)
    }

    fn of(&self, markets: impl RangeBounds<MarketId>) -> Vec<Arc<RwLock<Board>>> {
        let boards = self.0.read().unwrap_or_else(PoisonError::into_inner);
        boards.range(markets).map(|(_, board)| board.clone()).collect()
    }

    /// Adds a market.
    pub fn insert(&self, board: Board) {
        let mut boards = self.0.write().unwrap_or_else(PoisonError::into_inner);
        boards.insert(board.params.market, Arc::new(RwLock::new(board)));
    }
}
