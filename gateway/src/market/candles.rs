//! Candles of one market, all periods at once, the latest of each in memory.
//!
//! Owns: the open candle and the latest closed ones of each period. Never does: look at a clock. Invariants: closed
//! candles do not change, a late trade counts in the current one; but after a split of a stock all are in new shares.
//! Known limits: 1,500 of each.

use super::interval::Interval;
use crate::common::time::Ms;
use std::collections::{BTreeSet, VecDeque};
use xng_core::ids::OrderId;
use xng_core::money::Amount;
use xng_core::stock::ActionKind;

/// Candles kept per period: what one call may ask for.
pub const KEPT: usize = 1_500;

/// One candle. Prices in quote for one base, `volume` in base, `turnover` in quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candle {
    /// Begin, inclusive.
    pub open_ms: Ms,
    /// First price.
    pub open: Amount,
    /// Highest price.
    pub high: Amount,
    /// Lowest price.
    pub low: Amount,
    /// Last price.
    pub close: Amount,
    /// Base traded.
    pub volume: Amount,
    /// Quote traded.
    pub turnover: Amount,
    /// Trades.
    pub trades: u64,
    /// Base bought by takers.
    pub taker_base: Amount,
    /// Quote spent by takers that bought.
    pub taker_quote: Amount,
    /// First trade's id; 0 without trades.
    pub first_trade: u64,
    /// Last trade's id.
    pub last_trade: u64,
}

/// A trade on the public tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TapeTrade {
    /// Its id.
    pub id: u64,
    /// Price in quote for one base.
    pub price: Amount,
    /// Base amount.
    pub quantity: Amount,
    /// Quote amount.
    pub quote: Amount,
    /// When.
    pub time_ms: Ms,
    /// The buyer's order rested.
    pub buyer_is_maker: bool,
    /// The order that took, when it happened in our own book; else it is a trade of the reference feed.
    pub taker: Option<OrderId>,
}

impl TapeTrade {
    /// It happened in our own book.
    #[must_use]
    pub fn own(&self) -> bool {
        self.taker.is_some()
    }
}

impl Candle {
    /// A candle without trades at a price.
    #[must_use]
    pub fn flat(open_ms: Ms, price: Amount) -> Candle {
        Candle {
            open_ms,
            open: price,
            high: price,
            low: price,
            close: price,
            volume: Amount::ZERO,
            turnover: Amount::ZERO,
            trades: 0,
            taker_base: Amount::ZERO,
            taker_quote: Amount::ZERO,
            first_trade: 0,
            last_trade: 0,
        }
    }

    fn add(&mut self, t: &TapeTrade) {
        if self.trades == 0 && self.first_trade == 0 && self.volume.is_zero() {
            (self.open, self.high, self.low) = (t.price, t.price, t.price);
            self.first_trade = t.id;
        }
        self.high = self.high.max(t.price);
        self.low = self.low.min(t.price);
        self.close = t.price;
        self.volume += t.quantity;
        self.turnover += t.quote;
        self.trades += 1;
        self.last_trade = t.id;
        if !t.buyer_is_maker {
            self.taker_base += t.quantity;
            self.taker_quote += t.quote;
        }
    }

    /// Joins a later candle of a shorter period.
    pub fn join(&mut self, later: &Candle) {
        self.high = self.high.max(later.high);
        self.low = self.low.min(later.low);
        self.close = later.close;
        self.volume += later.volume;
        self.turnover += later.turnover;
        self.trades += later.trades;
        self.taker_base += later.taker_base;
        self.taker_quote += later.taker_quote;
        if self.first_trade == 0 {
            self.first_trade = later.first_trade;
        }
        self.last_trade = self.last_trade.max(later.last_trade);
    }
}

/// All periods of one market.
#[derive(Debug, Clone, Default)]
pub struct Candles {
    series: [VecDeque<Candle>; 16],
    changed: BTreeSet<(Interval, Ms)>,
}

impl Candles {
    /// Candles of a period, oldest first.
    pub fn series(&self, interval: Interval) -> impl DoubleEndedIterator<Item = &Candle> + ExactSizeIterator {
        self.series[interval as usize].iter()
    }

    /// Copies of a period's candles that open in `[from, to)`, the newest `most` of them at most.
    #[must_use]
    pub fn between(&self, interval: Interval, (from, to): (Ms, Ms), most: usize) -> Vec<Candle> {
        let series = &self.series[interval as usize];
        let end = series.partition_point(|c| c.open_ms < to);
        let begin = series.partition_point(|c| c.open_ms < from).max(end.saturating_sub(most)).min(end);
        series.range(begin..end).copied().collect()
    }

    /// Copies of a period's newest candles.
    #[must_use]
    pub fn latest(&self, interval: Interval, most: usize) -> Vec<Candle> {
        let series = &self.series[interval as usize];
        series.range(series.len().saturating_sub(most)..).copied().collect()
    }

    /// The current candle.
    #[must_use]
    pub fn last(&self, interval: Interval) -> Option<&Candle> {
        self.series[interval as usize].back()
    }

    /// Begin of the latest second or minute that is known; what is current lies there.
    #[must_use]
    pub fn newest(&self) -> Option<Ms> {
        self.last(Interval::S1).or(self.last(Interval::M1)).map(|c| c.open_ms)
    }

    /// The candle of a period that `at` lies in where clocks are ahead of UTC by `offset`, which is whole hours: what is
    /// known of it, joined from hours when it is none of UTC's.
    #[must_use]
    pub fn at(&self, interval: Interval, offset: Ms, at: Ms) -> Option<Candle> {
        let (open_ms, next) = interval.span_at(at, offset);
        let is_utcs = interval.span(open_ms) == (open_ms, next);
        let series = &self.series[if is_utcs { interval } else { Interval::H1 } as usize];
        let parts = series.range(series.partition_point(|c| c.open_ms < open_ms)..);
        let joined = parts.take_while(|c| c.open_ms < next).copied().reduce(|mut whole, later| {
            whole.join(&later);
            whole
        })?;
        Some(Candle { open_ms, ..joined })
    }

    /// Adds a trade to every period.
    pub fn add(&mut self, trade: &TapeTrade) {
        for interval in Interval::ALL {
            let open_ms = interval.span(trade.time_ms).0;
            let series = &mut self.series[interval as usize];
            match series.back_mut() {
                Some(last) if last.open_ms == open_ms => last.add(trade),
                // A trade that is late belongs to the current candle: closed candles do not change.
                Some(last) if last.open_ms > open_ms => last.add(trade),
                _ => {
                    let mut candle = Candle::flat(open_ms, trade.price);
                    candle.add(trade);
                    push(series, candle);
                }
            }
            if interval != Interval::S1 {
                self.mark(interval);
            }
        }
    }

    /// Opens candles for periods in which nothing was traded, at the last price.
    pub fn roll(&mut self, now: Ms) {
        for interval in Interval::ALL {
            let series = &mut self.series[interval as usize];
            let Some(last) = series.back().copied() else { continue };
            let mut open_ms = interval.span(last.open_ms).1;
            // After a long stop only what can be shown is filled in.
            if let Some(length) = interval.length() {
                open_ms = open_ms.max(interval.span(now).0 - length * KEPT as Ms);
            }
            while open_ms <= now {
                push(series, Candle::flat(open_ms, last.close));
                // All of them are stored: the newest ones of the store are those in memory.
                if interval != Interval::S1 {
                    self.changed.insert((interval, open_ms));
                }
                open_ms = interval.span(open_ms).1;
            }
        }
    }

    fn mark(&mut self, interval: Interval) {
        let Some(last) = self.last(interval) else { return };
        let key = (interval, last.open_ms);
        self.changed.insert(key);
    }

    /// Puts stored or historic candles in front; `list` ascends.
    pub fn load(&mut self, interval: Interval, list: impl IntoIterator<Item = Candle>) {
        let series = &mut self.series[interval as usize];
        for candle in list {
            if series.back().is_none_or(|last| last.open_ms < candle.open_ms) {
                push(series, candle);
            }
        }
    }

    /// Puts what was before in front of everything here; a candle that both have a part of is joined. Gives, for each
    /// period, from when on it is not what was stored.
    pub fn go_on_from(&mut self, before: Candles) -> Vec<(Interval, Ms)> {
        let mut news: Vec<_> = before.changed.into_iter().collect();
        for (interval, mut series) in Interval::ALL.into_iter().zip(before.series) {
            let here = &mut self.series[interval as usize];
            news.extend(here.front().map(|first| (interval, first.open_ms)));
            for candle in here.drain(..) {
                match series.back_mut() {
                    Some(last) if last.open_ms == candle.open_ms => last.join(&candle),
                    _ => push(&mut series, candle),
                }
            }
            *here = series;
        }
        news
    }

    /// All candles in the shares of after a corporate action; turnovers stay.
    pub fn go_through(&mut self, action: &ActionKind) {
        if !matches!(action, ActionKind::Split { .. }) {
            return;
        }
        for candle in self.series.iter_mut().flatten() {
            for price in [&mut candle.open, &mut candle.high, &mut candle.low, &mut candle.close] {
                *price = action.price(*price);
            }
            for shares in [&mut candle.volume, &mut candle.taker_base] {
                *shares = action.holding(*shares);
            }
        }
        self.mark_all();
    }

    /// Lets the next [`Self::take_changed`] give all candles of these periods from these times on.
    pub fn mark_from(&mut self, news: &[(Interval, Ms)]) {
        let news = news.iter().filter(|(interval, _)| *interval != Interval::S1);
        for (interval, from) in news {
            let changed = self.series[*interval as usize].iter().rev().take_while(|c| c.open_ms >= *from);
            self.changed.extend(changed.map(|c| (*interval, c.open_ms)));
        }
    }

    /// Lets the next [`Self::take_changed`] give everything.
    pub fn mark_all(&mut self) {
        self.mark_from(&Interval::ALL.map(|interval| (interval, Ms::MIN)));
    }

    /// Builds one period from candles of a shorter one.
    pub fn derive_from(&mut self, interval: Interval, shorter: &[Candle]) {
        let series = &mut self.series[interval as usize];
        series.clear();
        for candle in shorter {
            let open_ms = interval.span(candle.open_ms).0;
            match series.back_mut() {
                Some(last) if last.open_ms == open_ms => last.join(candle),
                _ => push(series, Candle { open_ms, ..*candle }),
            }
        }
    }

    /// Candles that changed since the last call, for the store.
    pub fn take_changed(&mut self) -> Vec<(Interval, Candle)> {
        let keys = std::mem::take(&mut self.changed);
        let find = |(interval, open_ms): (Interval, Ms)| {
            let series = &self.series[interval as usize];
            let at = series.binary_search_by_key(&open_ms, |c| c.open_ms).ok()?;
            Some((interval, series[at]))
        };
        keys.into_iter().filter_map(find).collect()
    }
}

fn push(series: &mut VecDeque<Candle>, candle: Candle) {
    if series.len() == KEPT {
        series.pop_front();
    }
    series.push_back(candle);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trade(id: u64, price: i64, quantity: i64, time_ms: Ms) -> TapeTrade {
        let (price, quantity) = (Amount::whole(price), Amount::whole(quantity));
        let quote = Amount(price.0 * quantity.0 / 100_000_000);
        TapeTrade { id, price, quantity, quote, time_ms, buyer_is_maker: id.is_multiple_of(2), taker: None }
    }

    #[test]
    fn trades_make_candles_of_every_period() {
        let mut c = Candles::default();
        for t in [trade(1, 100, 1, 1_000), trade(2, 103, 2, 30_000), trade(3, 99, 1, 61_000)] {
            c.add(&t);
        }
        let minutes: Vec<&Candle> = c.series(Interval::M1).collect();
        assert_eq!(minutes.len(), 2);
        let first = minutes[0];
        assert_eq!((first.open, first.high, first.low, first.close), {
            let a = Amount::whole;
            (a(100), a(103), a(100), a(103))
        });
        assert_eq!((first.volume, first.trades, first.first_trade, first.last_trade), (Amount::whole(3), 2, 1, 2));
        assert_eq!(c.last(Interval::M5).unwrap().low, Amount::whole(99));
        assert_eq!(c.last(Interval::M5).unwrap().taker_base, Amount::whole(2));
    }

    #[test]
    fn copies_are_of_the_range_and_the_newest_of_it() {
        let mut c = Candles::default();
        c.load(Interval::M1, (0..10).map(|n| Candle::flat(n * 60_000, Amount::whole(1))));
        let minutes = |found: Vec<Candle>| found.iter().map(|c| c.open_ms / 60_000).collect::<Vec<_>>();
        let between = |from: Ms, to: Ms, most| minutes(c.between(Interval::M1, (from * 60_000, to * 60_000), most));
        assert_eq!(between(2, 5, 100), [2, 3, 4], "the end is not inside");
        assert_eq!(between(2, 5, 2), [3, 4]);
        assert_eq!((between(5, 2, 100), between(20, 30, 100), between(0, 99, 0)), (vec![], vec![], vec![]));
        assert_eq!(minutes(c.latest(Interval::M1, 3)), [7, 8, 9]);
        assert_eq!((c.latest(Interval::M1, 99).len(), c.latest(Interval::M3, 5).len()), (10, 0));
    }

    #[test]
    fn quiet_periods_get_flat_candles() {
        let mut c = Candles::default();
        c.add(&trade(1, 100, 1, 1_000));
        c.roll(200_000);
        let closes: Vec<(Ms, Amount, u64)> = c.series(Interval::M1).map(|c| (c.open_ms, c.close, c.trades)).collect();
        let p = Amount::whole(100);
        assert_eq!(closes, vec![(0, p, 1), (60_000, p, 0), (120_000, p, 0), (180_000, p, 0)]);
    }

    #[test]
    fn candles_that_go_on_from_earlier_ones_are_those_of_all_trades() {
        let (mut whole, mut before, mut after) = (Candles::default(), Candles::default(), Candles::default());
        for n in 0..600u64 {
            let trade = trade(n + 1, 100 + (n as i64 * 7) % 13, 1, n as Ms * 1_700);
            whole.add(&trade);
            if n < 333 { before.add(&trade) } else { after.add(&trade) }
        }
        before.take_changed();
        after.take_changed();
        let news = after.go_on_from(before);
        after.mark_from(&news);
        let changed = after.take_changed();
        for interval in Interval::ALL {
            assert!(whole.series(interval).eq(after.series(interval)), "{interval:?}");
            let new = |c: &&Candle| interval.span(c.open_ms).1 > 333 * 1_700;
            let written = changed.iter().filter(|(i, _)| *i == interval).map(|(_, c)| c);
            let expected = whole.series(interval).filter(new).filter(|_| interval != Interval::S1);
            assert!(expected.eq(written), "{interval:?}: what changed since is written, whole");
        }
    }

    #[test]
    fn days_of_another_zone_are_joined_from_hours() {
        let (hour, mut c) = (3_600_000, Candles::default());
        for n in 0..48u64 {
            c.add(&trade(n + 1, 100 + n as i64, 1, n as Ms * hour));
        }
        let east = super::super::interval::Zone::East8.offset();
        let day = c.at(Interval::D1, east, 20 * hour).unwrap();
        assert_eq!((day.open_ms, day.open, day.close), (16 * hour, Amount::whole(116), Amount::whole(139)));
        assert_eq!((day.trades, day.first_trade, day.last_trade), (24, 17, 40));
        assert_eq!(c.at(Interval::D1, 0, 20 * hour).as_ref(), c.series(Interval::D1).next());
        assert_eq!(c.at(Interval::M1, east, 47 * hour).as_ref(), c.last(Interval::M1));
        assert_eq!(c.at(Interval::D1, east, 80 * hour), None);
    }

    #[test]
    fn a_longer_period_is_the_join_of_its_minutes() {
        let (mut direct, mut derived) = (Candles::default(), Candles::default());
        for n in 0..600u64 {
            direct.add(&trade(n + 1, 100 + (n as i64 * 7) % 13, 1, n as Ms * 1_700));
        }
        let minutes: Vec<Candle> = direct.series(Interval::M1).copied().collect();
        for interval in [Interval::M3, Interval::M5, Interval::M15] {
            derived.derive_from(interval, &minutes);
            let a: Vec<&Candle> = direct.series(interval).collect();
            let b: Vec<&Candle> = derived.series(interval).collect();
            assert_eq!(a, b, "{interval:?}");
        }
    }
}
