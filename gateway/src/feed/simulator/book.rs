//! The book of one simulated pair: the levels that the house's quotes mirror and that prints take from.
//!
//! Owns: levels of both sides in ticks and steps. Never does: know what time it is; hear of accounts.
//! Invariants: never crossed; a print takes part of the best level and never the whole of it, so that between two
//! publications of the book no print is outside of what was published; levels stand at fixed prices, so a move of the
//! price changes only levels near the best ones, and [`SimBook::tidy_up`] the far ones.
//! Known limits: quantities are drawn, not the sum of anybody's orders.

use super::calibration::{LEVEL_CHURN, Profile, WIDE};
use super::rng::{Draws, LiveRng};
use crate::feed::Level;
use std::collections::{BTreeMap, BTreeSet};
use xng_core::codec::mix64;
use xng_core::money::Amount;
use xng_core::spot::Side;

/// Levels that belong on a side; some more stand that the price left behind.
pub const LEVELS: usize = 250;
/// So many of them are looked through for missing ones at each change.
const NEAR_LEVELS: usize = 200;
/// How far beyond the best prices the mid may lie, in ticks, before they follow: no flutter on coarse ticks.
const SLACK_TICKS: f64 = 0.25;
/// Levels of a side right behind the best one, in parts per million between them.
const FINE: (i64, f64) = (8, 5.0);
/// Levels behind those, to about 1 %.
const NEAR: (i64, f64) = (191, 52.0);
/// Levels behind those, to about 8 %.
const FAR: (i64, f64) = (50, 1_400.0);
/// Fine levels that the price left behind stand until it is so many times their reach away.
const LEFT_BEHIND: i64 = 3;
/// Levels next to the best ones that stand as soon as the price is there; others follow by [`INSERTS`].
const AT_ONCE: usize = 3;
/// Missing levels that one change of the book fills, best first.
const INSERTS: usize = 3;
/// A best level of which prints left less than this share is filled up with the next change.
const DEPLETED: f64 = 0.1;

/// Units of a book, and how its levels are drawn.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Tick in quote.
    pub tick: Amount,
    /// Step of the base.
    pub step: Amount,
    /// Tables.
    pub profile: Profile,
}

impl Shape {
    /// An amount in USDT as a quantity of at least one step, `usdt` being the price of the base.
    #[must_use]
    pub fn quantity(&self, value: f64, usdt: f64) -> i64 {
        let step = self.step.0 as f64 / 1e8;
        ((value * self.profile.liquidity / usdt / step).round() as i64).max(1)
    }

    /// Ticks by which both best prices are usually further away than with a spread of one tick, the price being `at` ticks.
    fn usual_wide(&self, at: f64) -> i64 {
        ((self.profile.spread_ppm * 1e-6 * at - 1.0) / 2.0).round().max(0.0) as i64
    }

    fn level(&self, (ticks, lots): (i64, i64)) -> Level {
        (Amount(i128::from(ticks) * self.tick.0), Amount(i128::from(lots) * self.step.0))
    }
}

/// A fixed grid of prices: one price in each interval of `gap` ticks, somewhere in it.
#[derive(Debug, Clone, Copy)]
struct Grid {
    gap: i64,
    salt: u64,
}

impl Grid {
    fn new(gap_ppm: f64, at: f64, least: i64, salt: u64) -> Grid {
        Grid { gap: ((gap_ppm * 1e-6 * at).round() as i64).max(least), salt }
    }

    /// The price in the `k`-th interval.
    fn price(self, k: i64) -> i64 {
        k * self.gap + (mix64(self.salt ^ k as u64) % self.gap as u64) as i64
    }

    /// Prices beyond `from` going `away`, nearest first.
    fn beyond(self, from: i64, away: i64) -> impl Iterator<Item = i64> {
        let first = from.div_euclid(self.gap);
        (0..).map(move |n| self.price(first + away * n)).filter(move |p| (p - from) * away > 0)
    }

    fn holds(self, price: i64) -> bool {
        self.price(price.div_euclid(self.gap)) == price
    }
}

#[derive(Debug, Clone, Default)]
struct Rows {
    lots: BTreeMap<i64, i64>,
    /// Prices that changed since they were published last.
    changed: BTreeSet<i64>,
}

impl Rows {
    fn set(&mut self, ticks: i64, lots: i64) {
        let was = if lots > 0 { self.lots.insert(ticks, lots) } else { self.lots.remove(&ticks) };
        if was.unwrap_or(0) != lots {
            self.changed.insert(ticks);
        }
    }
}

/// Both sides.
#[derive(Debug, Clone)]
pub struct SimBook {
    shape: Shape,
    grids: Option<[Grid; 3]>,
    salt: u64,
    /// The best bid as the price has it, when the spread is one tick.
    low: i64,
    /// Ticks by which both best prices are further away now.
    wide: i64,
    wide_for: usize,
    bids: Rows,
    asks: Rows,
}

const SIDES: [(Side, i64); 2] = [(Side::Buy, -1), (Side::Sell, 1)];

impl SimBook {
    /// An empty book; `salt` decides where its levels are.
    #[must_use]
    pub fn new(shape: Shape, salt: u64) -> SimBook {
        let (bids, asks) = (Rows::default(), Rows::default());
        SimBook { shape, grids: None, salt, low: 0, wide: 0, wide_for: 0, bids, asks }
    }

    fn rows(&mut self, side: Side) -> &mut Rows {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    /// The best bid and the best ask in ticks as the price has them, whatever was taken of the book.
    #[must_use]
    pub fn touch(&self) -> (i64, i64) {
        (self.low - self.wide, self.low + 1 + self.wide)
    }

    /// The middle of [`touch`](Self::touch) in quote: nothing that anybody takes moves it.
    #[must_use]
    pub fn reference(&self) -> Amount {
        let (bid, ask) = self.touch();
        Amount(i128::from(bid + ask) * self.shape.tick.0 / 2)
    }

    /// The best level of a side that stands, in ticks and steps.
    #[must_use]
    pub fn best(&self, side: Side) -> Option<(i64, i64)> {
        let row = match side {
            Side::Buy => self.bids.lots.last_key_value(),
            Side::Sell => self.asks.lots.first_key_value(),
        };
        row.map(|(ticks, lots)| (*ticks, *lots))
    }

    /// How far the mid, in quote, lies beyond the best prices, in parts per million; 0 between them.
    #[must_use]
    pub fn off_ppm(&self, mid: f64) -> f64 {
        let at = mid / (self.shape.tick.0 as f64 / 1e8);
        let low = self.low as f64;
        let beyond = (low - SLACK_TICKS - at).max(at - low - 1.0 - SLACK_TICKS).max(0.0);
        beyond / at * 1e6
    }

    /// One change of the book: it follows the mid, in quote, fills up what is missing, and somebody changes an order.
    /// `usdt` is the base's price. True when the best prices moved.
    pub fn change(&mut self, mid: f64, usdt: f64, rng: &mut LiveRng) -> bool {
        let at = mid / (self.shape.tick.0 as f64 / 1e8);
        let before = self.touch();
        self.wide_for = self.wide_for.saturating_sub(1);
        let follows = self.low == 0 || self.off_ppm(mid) > 0.0;
        if follows {
            self.low = (at.floor() as i64).max(1);
        }
        let usual = self.shape.usual_wide(at);
        if self.wide_for == 0 {
            self.wide = usual;
        }
        if follows && rng.chance(WIDE.0) {
            let ticks = rng.from(WIDE.1) * 1e-6 * at / 2.0;
            self.wide = usual.max(ticks.round() as i64);
            self.wide_for = 1 + rng.below(2);
        }
        self.wide = self.wide.min(self.low - 1);
        if self.grids.is_none() {
            self.begin(at, usdt, rng);
            return true;
        }
        let moved = before != self.touch();
        for (side, away) in SIDES {
            self.follow(side, away, usdt, rng);
        }
        self.churn(usdt, rng);
        moved
    }

    /// All levels at once.
    fn begin(&mut self, at: f64, usdt: f64, rng: &mut LiveRng) {
        let fine = Grid::new(FINE.1, at, 1, mix64(self.salt));
        let near = Grid::new(NEAR.1, at, 1, mix64(self.salt ^ 1));
        let far = Grid::new(FAR.1, at, near.gap, mix64(self.salt ^ 2));
        self.grids = Some([fine, near, far]);
        for (side, away) in SIDES {
            for ticks in self.wanted(side, away) {
                let lots = self.draw(side, ticks, usdt, rng);
                self.rows(side).set(ticks, lots);
            }
        }
    }

    fn touch_of(&self, side: Side) -> i64 {
        let (bid, ask) = self.touch();
        match side {
            Side::Buy => bid,
            Side::Sell => ask,
        }
    }

    /// Where levels of a side belong now, best first.
    fn wanted(&self, side: Side, away: i64) -> impl Iterator<Item = i64> + use<> {
        let best = self.touch_of(side);
        let [fine, near, far] = self.grids.expect("a book that has begun");
        let fine_end = best + away * FINE.0 * fine.gap;
        let near_end = fine_end + away * NEAR.0 * near.gap;
        let far_end = near_end + away * FAR.0 * far.gap;
        let within = move |end: i64| move |p: &i64| (end - p) * away >= 0;
        std::iter::once(best)
            .chain(fine.beyond(best, away).take_while(within(fine_end)))
            .chain(near.beyond(fine_end, away).take_while(within(near_end)))
            .chain(far.beyond(near_end, away).take_while(within(far_end)))
            .filter(|p| *p > 0)
            .take(LEVELS)
    }

    /// Removes what the best price crossed and fills up what is missing near it.
    fn follow(&mut self, side: Side, away: i64, usdt: f64, rng: &mut LiveRng) {
        let best = self.touch_of(side);
        let rows = self.rows(side);
        let crossed: Vec<i64> = match side {
            Side::Buy => rows.lots.range(best + 1..).map(|(p, _)| *p).collect(),
            Side::Sell => rows.lots.range(..best).map(|(p, _)| *p).collect(),
        };
        crossed.into_iter().for_each(|p| rows.set(p, 0));
        let wanted = self.wanted(side, away).take(NEAR_LEVELS).enumerate();
        let stand = &self.rows(side).lots;
        let missing: Vec<(usize, i64)> =
            wanted.filter(|(_, p)| !stand.contains_key(p)).take(AT_ONCE + 1 + INSERTS).collect();
        let mut inserts = INSERTS;
        for (n, ticks) in missing {
            if n > AT_ONCE {
                if inserts == 0 {
                    break;
                }
                inserts -= 1;
            }
            let lots = self.draw(side, ticks, usdt, rng);
            self.rows(side).set(ticks, lots);
        }
        if let Some((ticks, lots)) = self.best(side) {
            let usual = self.shape.quantity(self.shape.profile.touch[1].1, usdt);
            if (lots as f64) < DEPLETED * usual as f64 {
                let lots = self.draw(side, ticks, usdt, rng);
                self.rows(side).set(ticks, lots);
            }
        }
    }

    /// Somebody changes an order, mostly near the best prices.
    fn churn(&mut self, usdt: f64, rng: &mut LiveRng) {
        for _ in 0..1 + rng.below(2) {
            let (side, _) = SIDES[rng.below(2)];
            let at = rng.from(LEVEL_CHURN) as usize - 1;
            let rows = self.rows(side);
            let ticks = match side {
                Side::Buy => rows.lots.keys().rev().nth(at).copied(),
                Side::Sell => rows.lots.keys().nth(at).copied(),
            };
            let Some(ticks) = ticks else { continue };
            let lots = self.draw(side, ticks, usdt, rng);
            self.rows(side).set(ticks, lots);
        }
    }

    /// Far levels: those that the price left behind go, those that it came near to come, some change.
    pub fn tidy_up(&mut self, usdt: f64, rng: &mut LiveRng) {
        let Some([fine, near, far]) = self.grids else { return };
        for (side, away) in SIDES {
            let best = self.touch_of(side);
            let wanted: BTreeSet<i64> = self.wanted(side, away).collect();
            let left_behind = LEFT_BEHIND * FINE.0 * fine.gap;
            let near_end = FINE.0 * fine.gap + NEAR.0 * near.gap;
            let rows = self.rows(side);
            let stays = |p: i64| {
                let distance = (p - best).abs();
                wanted.contains(&p)
                    || distance <= left_behind
                    || near.holds(p) && distance <= near_end + far.gap
                    || far.holds(p) && distance > near_end && distance <= near_end + (FAR.0 + 1) * far.gap
            };
            let gone: Vec<i64> = rows.lots.keys().copied().filter(|p| !stays(*p)).collect();
            gone.into_iter().for_each(|p| rows.set(p, 0));
            for ticks in wanted {
                if self.rows(side).lots.contains_key(&ticks) {
                    continue;
                }
                let lots = self.draw(side, ticks, usdt, rng);
                self.rows(side).set(ticks, lots);
            }
            for _ in 0..3 {
                let count = self.rows(side).lots.len();
                let Some(ticks) = self.rows(side).lots.keys().nth(rng.below(count)).copied() else { continue };
                let lots = self.draw(side, ticks, usdt, rng);
                self.rows(side).set(ticks, lots);
            }
        }
    }

    /// A quantity for a level: larger the further away.
    fn draw(&self, side: Side, ticks: i64, usdt: f64, rng: &mut LiveRng) -> i64 {
        let best = self.touch_of(side);
        let distance_ppm = ((ticks - best).abs() as f64 / best as f64) * 1e6;
        let profile = &self.shape.profile;
        if distance_ppm == 0.0 {
            return self.shape.quantity(rng.from(profile.touch), usdt);
        }
        if distance_ppm <= FINE.0 as f64 * FINE.1 {
            return self.shape.quantity(rng.from(profile.level), usdt);
        }
        let away = 1.0 + (distance_ppm / 1_000.0).powf(0.6);
        self.shape.quantity(profile.depth * away * (0.7 * rng.normal()).exp(), usdt)
    }

    /// A trade of at most `lots` with the best level of a side; what it was, in ticks and steps.
    pub fn print(&mut self, side: Side, lots: i64) -> Option<(i64, i64)> {
        let (ticks, stand) = self.best(side)?;
        let taken = lots.min(stand - 1);
        if taken < 1 {
            return None;
        }
        self.rows(side).set(ticks, stand - taken);
        Some((ticks, taken))
    }

    /// Somebody took this of a level of the house, which stands for one of this book.
    pub fn take(&mut self, side: Side, ticks: i64, lots: i64) {
        let rows = self.rows(side);
        if let Some(stand) = rows.lots.get(&ticks).copied() {
            rows.set(ticks, (stand - lots).max(0));
        }
    }

    /// Bids and asks that changed since this was asked last, as amounts; 0 for a level that is gone.
    pub fn changes(&mut self) -> (Vec<Level>, Vec<Level>) {
        let shape = self.shape.clone();
        let said = |rows: &mut Rows| -> Vec<Level> {
            let changed = std::mem::take(&mut rows.changed);
            changed.into_iter().map(|p| shape.level((p, rows.lots.get(&p).copied().unwrap_or(0)))).collect()
        };
        (said(&mut self.bids), said(&mut self.asks))
    }

    /// Bids and asks, best first, as amounts.
    #[must_use]
    pub fn levels(&self) -> (Vec<Level>, Vec<Level>) {
        let row = |(t, l): (&i64, &i64)| self.shape.level((*t, *l));
        (self.bids.lots.iter().rev().map(row).collect(), self.asks.lots.iter().map(row).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::calibration::profile;
    use super::super::rng::LiveSeed;
    use super::*;

    fn book() -> (SimBook, LiveRng) {
        let shape = Shape { tick: Amount(1_000_000), step: Amount(1_000), profile: profile("BTC") };
        (SimBook::new(shape, 7), LiveSeed::numbered(1).stream("book"))
    }

    #[test]
    fn a_book_is_never_crossed_and_a_move_changes_levels_near_the_best_only() {
        let (mut book, mut rng) = book();
        let mut mid = 60_000.0;
        let (mut changes, mut changed) = (0, 0);
        for n in 0..20_000 {
            if rng.chance(0.1) {
                mid *= 1.0 + 0.000_041 * rng.normal();
            }
            book.change(mid, mid, &mut rng);
            if n % 65 == 0 {
                book.tidy_up(mid, &mut rng);
            }
            let (bids, asks) = book.levels();
            let (bid, ask) = (bids[0].0, asks[0].0);
            assert!(bid < ask, "step {n}");
            assert!(bids.iter().chain(&asks).all(|l| l.1 > Amount::ZERO));
            let within = |reach: i128| {
                let near = |l: &&Level| (l.0.0 - bid.0).abs() * 1_000 < bid.0 * reach;
                (bids.iter().filter(near).count(), asks.iter().filter(near).count())
            };
            let (one, eight) = (within(10), within(79));
            assert!(one.0 >= 180 && one.1 >= 180, "step {n}: {one:?} levels within 1 %");
            assert!(eight.0 >= 230 && eight.1 >= 230, "step {n}: {eight:?} levels within 8 %");
            assert!(bids.len() <= 400 && asks.len() <= 400, "step {n}: {} {}", bids.len(), asks.len());
            let levels = book.changes();
            if n > 0 {
                changes += 1;
                changed += levels.0.len() + levels.1.len();
                let far = |l: &&Level| (l.0.0 - bid.0).abs() * 1_000 > bid.0 * 3;
                assert!(n % 65 == 0 || levels.0.iter().chain(&levels.1).filter(far).count() <= 2, "step {n}");
            }
        }
        let average = f64::from(changed as u32) / f64::from(changes);
        assert!(average <= 12.0, "{average} levels a change");
    }

    #[test]
    fn sizes_grow_away_from_the_best_price() {
        let (mut book, mut rng) = book();
        book.change(60_000.0, 60_000.0, &mut rng);
        let (bids, _) = book.levels();
        let mean =
            |from: usize, to: usize| bids[from..to].iter().map(|l| l.1.0 as f64).sum::<f64>() / (to - from) as f64;
        assert!(mean(20, 60) < mean(140, 200) && mean(140, 200) < mean(210, 245));
    }

    #[test]
    fn prints_take_of_the_best_level_and_leave_it_there() {
        let (mut book, mut rng) = book();
        book.change(60_000.0, 60_000.0, &mut rng);
        let (ask, stand) = book.best(Side::Sell).unwrap();
        assert_eq!(book.print(Side::Sell, 3), Some((ask, 3)));
        assert_eq!(book.best(Side::Sell), Some((ask, stand - 3)));
        assert_eq!(book.print(Side::Sell, stand), Some((ask, stand - 4)), "all but one step");
        assert_eq!(book.print(Side::Sell, 1), None);
        assert_eq!(book.best(Side::Sell), Some((ask, 1)));
    }

    #[test]
    fn what_users_take_is_gone_until_somebody_fills_it_up_and_moves_no_price() {
        let (mut book, mut rng) = book();
        book.change(60_000.0, 60_000.0, &mut rng);
        let (reference, (ask, stand)) = (book.reference(), book.best(Side::Sell).unwrap());
        book.take(Side::Sell, ask, stand);
        assert!(book.best(Side::Sell).unwrap().0 > ask);
        assert_eq!(book.reference(), reference);
        book.change(60_000.0, 60_000.0, &mut rng);
        assert_eq!(book.best(Side::Sell).unwrap().0, ask, "new quotes follow");
    }
}
