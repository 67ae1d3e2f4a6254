//! What is publicly known of one market, or of a contract's book.
//!
//! Owns: book, candles, trades, day and state of one market. Never does: publish; wait for anybody but a reader of
//! itself. Invariants: its parts are of one record. Known limits: 1,000 trades; the day is of minutes, a stock's of hours.

use super::aggregates::{Aggregate, aggregated};
use super::candles::{Candle, Candles, TapeTrade};
use super::depth::Depth;
use super::interval::Interval;
use super::stocks::trading_day_begin;
use crate::common::decimal::{decimals, price_of};
use crate::common::time::Ms;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeBounds;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use xng_core::contract::params::FIRST_CONTRACT;
use xng_core::ids::MarketId;
use xng_core::money::{Amount, Exact, Lots, Ticks};
use xng_core::spot::{MarketParams, MarketState, Side};
use xng_core::stock::ActionKind;
use xng_core::stock::calendar::Session;

/// Trades kept for calls.
pub const TRADES_KEPT: usize = 1_000;
const DAY: Ms = 86_400_000;
const HOUR: Ms = 3_600_000;
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
    /// Of a stock: the sessions that are known.
    pub sessions: Option<Arc<[Session]>>,
    /// The store was away at the start: older candles come when it is back, so nobody makes some up.
    pub awaits_history: bool,
    /// Corporate actions that older candles have not gone through when they come.
    pub missed_actions: Vec<ActionKind>,
    /// How often all candles became others since the start.
    pub splits: u32,
    /// When anything last changed.
    pub updated_ms: Ms,
}

/// The last 24 hours, a stock's trading day, or another window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// Begin of the first minute, of a trading day that of its first session.
    pub open_ms: Ms,
    /// Price then; of a trading day the last one before it.
    pub open: Amount,
    /// Highest.
    pub high: Amount,
    /// Lowest.
    pub low: Amount,
    /// Last price.
    pub close: Amount,
    /// The last price before.
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
    /// One without trades.
    #[must_use]
    pub fn quiet(open_ms: Ms, price: Amount) -> Day {
        Day {
            open_ms,
            open: price,
            high: price,
            low: price,
            close: price,
            previous: price,
            volume: Amount::ZERO,
            turnover: Amount::ZERO,
            trades: 0,
            first_trade: 0,
            last_trade: 0,
        }
    }

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
            sessions: None,
            awaits_history: false,
            missed_actions: Vec::new(),
            splits: 0,
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

    /// A stock's holders went through a corporate action: what is older is told in the shares of now.
    pub fn go_through(&mut self, action: ActionKind) {
        self.candles.go_through(&action);
        self.splits += u32::from(matches!(action, ActionKind::Split { .. }));
        if self.awaits_history {
            self.missed_actions.push(action);
        }
    }

    /// The last 24 hours, from one-minute candles; of a stock the trading day that is or was last.
    #[must_use]
    pub fn day(&self, now: Ms) -> Option<Day> {
        match self.params.stock {
            Some(_) => self.trading_day(now),
            None => self.since(Interval::M1, now - DAY + 1),
        }
    }

    /// From its first hour on, in which there is no other day. It opens with the price of the day before.
    fn trading_day(&self, now: Ms) -> Option<Day> {
        let begun = self.sessions.as_deref().and_then(|sessions| trading_day_begin(sessions, now));
        // Where nobody knows when it began: 24 hours up to the last trade.
        let last = || self.candles.series(Interval::H1).rev().find(|c| c.trades > 0).map(|c| c.open_ms + HOUR - DAY);
        let open_ms = begun.or_else(last)?;
        let hour = Interval::H1.span(open_ms).0;
        let day = match self.candles.last(Interval::H1)? {
            // It has only just begun.
            last if last.open_ms < hour => Day::quiet(open_ms, last.close),
            _ => self.since(Interval::H1, hour)?,
        };
        Some(Day { open_ms, open: day.previous, ..day })
    }

    /// The minutes of which `length` before `now` has a part.
    #[must_use]
    pub fn window(&self, length: Ms, now: Ms) -> Option<Day> {
        self.since(Interval::M1, (now - length).div_euclid(MINUTE) * MINUTE)
    }

    /// Turnover per base over the last [`AVERAGE_MINUTES`], the last price if nothing was traded, and when the last trade
    /// was (0: none is known).
    #[must_use]
    pub fn average(&self, now: Ms) -> Option<(Amount, Ms)> {
        let window = self.since(Interval::M1, now - AVERAGE_MINUTES * MINUTE + 1)?;
        Some((window.average(), self.trades.back().map_or(0, |t| t.time_ms)))
    }

    /// From the candle on that begins at `from` or next after it.
    fn since(&self, interval: Interval, from: Ms) -> Option<Day> {
        let series = self.candles.series(interval);
        let before = series.len() - self.candles.series(interval).rev().take_while(|c| c.open_ms >= from).count();
        let mut candles = self.candles.series(interval).skip(before);
        let previous = before.checked_sub(1).and_then(|at| self.candles.series(interval).nth(at));
        let first: &Candle = candles.next().or(self.candles.last(interval))?;
        let mut sum = *first;
        for candle in candles {
            sum.join(candle);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market::catalog::Seeds;
    use std::path::Path;

    fn board(market: MarketId) -> Board {
        let seeds = Seeds::load(Path::new("../config/markets.toml")).unwrap();
        let seed = seeds.market.iter().find(|seed| seed.id == market.0).unwrap();
        Board::new(seeds.params(seed).unwrap(), MarketState::Trading, "simulated", Depth::default())
    }

    fn trade(board: &mut Board, time_ms: Ms, price: i64) {
        board.candles.roll(time_ms);
        let (price, quantity, quote) = (Amount::whole(price), Amount::whole(2), Amount::whole(2 * price));
        board.add_trade(TapeTrade { id: 1, price, quantity, quote, time_ms, buyer_is_maker: true, taker: None });
    }

    fn figures(board: &Board, now: Ms) -> (Ms, [i128; 4], i128, String) {
        let day = board.day(now).unwrap();
        let prices = [day.open, day.high, day.low, day.close].map(|price| price.0 / Amount::whole(1).0);
        (day.open_ms, prices, day.volume.0 / Amount::whole(1).0, day.change_percent())
    }

    /// Sessions of three days, the last two with a break; between the first two there are two more days.
    fn traded() -> (Board, [Ms; 5]) {
        let begins = [0, 72 * HOUR, 76 * HOUR, 96 * HOUR, 100 * HOUR].map(|begin| begin + 14 * HOUR);
        let session = |n: usize| Session {
            open_ms: begins[n].unsigned_abs(),
            close_ms: (begins[n] + 2 * HOUR).unsigned_abs(),
            last: n.is_multiple_of(2),
        };
        let mut board = board(MarketId(384));
        board.sessions = Some((0..5).map(session).collect());
        for (begin, price) in begins.into_iter().zip([100, 110, 120, 130, 90]) {
            trade(&mut board, begin + 1, price);
            trade(&mut board, begin + HOUR, price + 5);
        }
        (board, begins)
    }

    #[test]
    fn a_stocks_day_is_the_trading_day_and_opens_with_the_price_of_the_day_before() {
        let (mut board, begins) = traded();
        let day = |board: &Board, now| figures(board, now);
        let last = (begins[3], [125, 135, 90, 95], 8, "-24.00".into());
        assert_eq!(day(&board, begins[4] + HOUR), last);
        board.candles.roll(begins[4] + 90 * HOUR);
        assert_eq!(day(&board, begins[4] + 90 * HOUR), last, "while it is closed it is the day that was last");
        // A new day before its first trade.
        let next = begins[4] + 90 * HOUR;
        let (open_ms, close_ms) = (next.unsigned_abs(), (next + HOUR).unsigned_abs());
        let sessions = board.sessions.iter().flat_map(|sessions| sessions.iter().copied());
        board.sessions = Some(sessions.chain([Session { open_ms, close_ms, last: true }]).collect());
        assert_eq!(day(&board, next), (next, [95, 95, 95, 95], 0, "0.00".into()));
        board.candles = traded().0.candles;
        assert_eq!(day(&board, next), (next, [95, 95, 95, 95], 0, "0.00".into()), "nor is there an hour of it yet");
    }

    #[test]
    fn without_sessions_it_is_24_hours_up_to_the_last_trade() {
        let (mut board, begins) = traded();
        board.sessions = None;
        board.candles.roll(begins[4] + 90 * HOUR);
        let from = begins[4] + 2 * HOUR - DAY;
        assert_eq!(figures(&board, begins[4] + 90 * HOUR), (from, [125, 135, 90, 95], 8, "-24.00".into()));
    }

    #[test]
    fn after_a_split_what_is_older_is_told_in_new_shares() {
        let (mut board, begins) = traded();
        board.candles.take_changed();
        board.go_through(ActionKind::Split { new: 5, old: 1 });
        assert_eq!(figures(&board, begins[4] + HOUR), (begins[3], [25, 27, 18, 19], 40, "-24.00".into()));
        let turnover = board.day(begins[4] + HOUR).unwrap().turnover;
        assert_eq!(turnover, Amount::whole(2 * (130 + 135 + 90 + 95)));
        let stored = board.candles.take_changed().len();
        let kept = Interval::ALL.into_iter().filter(|interval| *interval != Interval::S1);
        let all: usize = kept.map(|interval| board.candles.series(interval).len()).sum();
        assert_eq!(stored, all, "all of them are stored anew");
        assert!(board.missed_actions.is_empty());
        board.go_through(ActionKind::Dividend { per_share: Amount::whole(1), withheld_ppm: 0 });
        assert_eq!(board.candles.take_changed(), [], "a dividend changes no candle");
    }
}
