//! The book of one simulated pair: levels at absolute prices, kept as long as the price lets them stand.
//!
//! Owns: levels of both sides in ticks and steps. Never does: know what time it is.
//! Invariants: never crossed, strictly ordered, [`LEVELS`] a side unless prices end at the first tick; a level that
//! the best price does not pass stays.
//! Known limits: quantities are drawn, not the sum of anybody's orders.

use super::calibration::{LEVEL_GAP_PPM, Profile, WIDE};
use super::rng::Rng;
use crate::feed::Level;
use xng_core::money::Amount;

/// Levels per side.
pub const LEVELS: usize = 25;
/// How far beyond the best prices the mid may lie, in ticks, before they follow: no flutter on coarse ticks.
const SLACK_TICKS: f64 = 0.25;
/// Steps in which one level's quantity is changed, on average.
const REFRESH: f64 = 0.3;

/// One level: ticks and steps of quantity.
type Row = (i64, i64);

/// Units and taste of a ladder.
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
}

/// Both sides, best first.
#[derive(Debug, Clone)]
pub struct Ladder {
    shape: Shape,
    bid: i64,
    wide: i64,
    wide_steps: usize,
    bids: Vec<Row>,
    asks: Vec<Row>,
}

impl Ladder {
    /// An empty ladder.
    #[must_use]
    pub fn new(shape: Shape) -> Ladder {
        Ladder { shape, bid: 0, wide: 0, wide_steps: 0, bids: Vec::new(), asks: Vec::new() }
    }

    /// The best bid and the best ask in ticks.
    #[must_use]
    pub fn best(&self) -> (i64, i64) {
        (self.bid - self.wide, self.bid + 1 + self.wide)
    }

    /// Follows the mid, in quote, for one step; `usdt` is the base's price. True when any level changed.
    pub fn step(&mut self, mid: f64, usdt: f64, rng: &mut Rng) -> bool {
        let at = mid / (self.shape.tick.0 as f64 / 1e8);
        let before = self.best();
        self.wide_steps = self.wide_steps.saturating_sub(1);
        if self.wide_steps == 0 {
            self.wide = 0;
        }
        let low = self.bid as f64;
        if at < low - SLACK_TICKS || at > low + 1.0 + SLACK_TICKS {
            self.bid = (at.floor() as i64).max(1);
            if rng.chance(WIDE.0) {
                let ticks = rng.from(WIDE.1) * 1e-6 * at / 2.0;
                self.wide = (ticks.round() as i64).min(self.bid - 1);
                self.wide_steps = 1 + rng.below(3);
            }
        }
        let (bid, ask) = self.best();
        if before != (bid, ask) {
            self.fit(bid, -1, at, usdt, rng);
            self.fit(ask, 1, at, usdt, rng);
            return true;
        }
        self.refresh(usdt, rng)
    }

    /// Cuts what the new best price crosses and fills up what is missing between it and what is left, and behind.
    fn fit(&mut self, best: i64, away: i64, at: f64, usdt: f64, rng: &mut Rng) {
        let shape = &self.shape;
        let rows = if away < 0 { &mut self.bids } else { &mut self.asks };
        rows.retain(|(ticks, _)| (ticks - best) * away > 0);
        let mut filled = vec![(best, shape.quantity(rng.from(shape.profile.touch), usdt))];
        let mut old = rows.iter().copied().peekable();
        let mut next = best;
        while filled.len() < LEVELS {
            next += away * ((rng.from(LEVEL_GAP_PPM) * 1e-6 * at).round() as i64).max(1);
            if let Some(row) = old.next_if(|(ticks, _)| (next - ticks) * away >= 0) {
                // Behind the first level that still stands the others stand too.
                filled.push(row);
                filled.extend(old.by_ref().take(LEVELS - filled.len()));
                next = filled.last().map_or(next, |l| l.0);
                continue;
            }
            if next < 1 {
                break;
            }
            filled.push((next, shape.quantity(rng.from(shape.profile.level), usdt)));
        }
        *rows = filled;
    }

    /// Now and then somebody changes an order.
    fn refresh(&mut self, usdt: f64, rng: &mut Rng) -> bool {
        if !rng.chance(REFRESH) {
            return false;
        }
        let shape = &self.shape;
        let rows = if rng.chance(0.5) { &mut self.bids } else { &mut self.asks };
        // The best price is where most happens.
        let at = if rng.chance(0.4) { 0 } else { rng.below(rows.len()) };
        let table = if at == 0 { shape.profile.touch } else { shape.profile.level };
        let lots = shape.quantity(rng.from(table), usdt);
        match rows.get_mut(at) {
            Some(row) => row.1 = lots,
            None => return false,
        }
        true
    }

    /// Bids and asks as amounts.
    #[must_use]
    pub fn levels(&self) -> (Vec<Level>, Vec<Level>) {
        let amounts = |rows: &[Row]| {
            let level =
                |(t, l): &Row| (Amount(i128::from(*t) * self.shape.tick.0), Amount(i128::from(*l) * self.shape.step.0));
            rows.iter().map(level).collect()
        };
        (amounts(&self.bids), amounts(&self.asks))
    }
}

#[cfg(test)]
mod tests {
    use super::super::calibration::profile;
    use super::*;

    #[test]
    fn a_ladder_is_never_crossed_never_empty_and_keeps_levels_that_may_stand() {
        let shape = Shape { tick: Amount(1_000_000), step: Amount(1_000), profile: profile("BTC") };
        let (mut ladder, mut rng) = (Ladder::new(shape), Rng::new(1, 2));
        let mut mid = 60_000.0;
        for n in 0..5_000 {
            if rng.chance(0.1) {
                mid *= 1.0 + 0.000_1 * rng.normal();
            }
            let before = ladder.levels().0;
            ladder.step(mid, mid, &mut rng);
            let (bids, asks) = ladder.levels();
            assert_eq!((bids.len(), asks.len()), (LEVELS, LEVELS), "step {n}");
            assert!(bids.is_sorted_by(|a, b| a.0 > b.0) && asks.is_sorted_by(|a, b| a.0 < b.0), "step {n}: {bids:?}");
            assert!(bids[0].0 < asks[0].0);
            assert!(bids.iter().chain(&asks).all(|l| l.1 > Amount::ZERO));
            let stand = before.iter().filter(|l| l.0 < bids[0].0 && l.0 >= bids[LEVELS - 1].0);
            assert!(stand.into_iter().all(|l| bids.iter().any(|b| b.0 == l.0)), "step {n}");
        }
    }
}
