//! Prices of coins in USDT: one common factor and one own factor per coin.
//!
//! Owns: each coin's price and the volatility of each factor. Never does: know ticks or books; read a clock.
//! Invariants: a coin's own stream depends on seed and name only, so the set of coins changes no coin's own moves.
//! Known limits: moves come in jumps of a stream of events, between which prices stand, as mids do; no drift.

use super::calibration::{
    COMMON_WEIGHT, DAY_CYCLE, LIVE_ACTIVITY_POWERS, MOVE_SIGMA, MOVES_PER_SECOND, Profile, RECENT_MOVES_HALF_LIFE,
    SHOCK, USUAL_ACTIVITY, VOLATILITY,
};
use super::rng::{Draws, LiveRng, LiveSeed};
use crate::common::time::Ms;
use std::collections::BTreeMap;

/// Seconds of one step.
pub const STEP_SECONDS: f64 = 0.1;
/// What is taken back of a pegged coin's distance from its peg at each move.
const PEG_PULL: f64 = 0.3;
const HOUR_MS: f64 = 3_600_000.0;

/// What the hour of the day makes of volatility.
#[must_use]
pub fn day_cycle(now: Ms) -> f64 {
    let (amplitude, peak) = DAY_CYCLE;
    let hours = now as f64 / HOUR_MS - peak;
    (amplitude * (std::f64::consts::TAU * hours / 24.0).cos()).exp()
}

/// A source of moves whose volatility clusters.
#[derive(Debug)]
struct Factor {
    rng: LiveRng,
    parts: [f64; VOLATILITY.len()],
    /// Of this step.
    volatility: f64,
}

impl Factor {
    fn new(seed: &LiveSeed, name: &str) -> Factor {
        let mut rng = seed.stream(name);
        let parts = VOLATILITY.map(|(deviation, _)| deviation * rng.normal());
        Factor { rng, parts, volatility: 1.0 }
    }

    /// A signed move of typical size 1, if one comes in this step.
    fn step(&mut self, per_second: f64, cycle: f64) -> Option<f64> {
        for (part, (deviation, half_life)) in self.parts.iter_mut().zip(VOLATILITY) {
            let keep = 0.5f64.powf(STEP_SECONDS / half_life);
            *part = *part * keep + deviation * (1.0 - keep * keep).sqrt() * self.rng.normal();
        }
        self.volatility = self.parts.iter().sum::<f64>().exp() * cycle;
        if !self.rng.chance(per_second * STEP_SECONDS * self.volatility) {
            return None;
        }
        let shock = if self.rng.chance(SHOCK.0) { SHOCK.1 } else { 1.0 };
        let size = shock * (MOVE_SIGMA * self.rng.normal()).exp() * self.volatility.sqrt();
        Some(if self.rng.chance(0.5) { size } else { -size })
    }
}

#[derive(Debug)]
struct Coin {
    own: Factor,
    profile: Profile,
    price: f64,
    /// Squares of its moves of late, against what is usual.
    recent_squares: f64,
}

impl Coin {
    /// The squares of a step's moves at usual volatility; shocks are beyond what is usual.
    fn usual_square(&self) -> f64 {
        let common = MOVES_PER_SECOND.0 * (COMMON_WEIGHT * self.profile.beta).powi(2);
        (common + MOVES_PER_SECOND.1) * (2.0 * MOVE_SIGMA * MOVE_SIGMA).exp() * STEP_SECONDS
    }
}

/// All coins' prices.
#[derive(Debug)]
pub struct Prices {
    common: Factor,
    coins: BTreeMap<String, Coin>,
}

impl Prices {
    /// No coins yet.
    #[must_use]
    pub fn new(seed: &LiveSeed) -> Prices {
        Prices { common: Factor::new(seed, "common factor"), coins: BTreeMap::new() }
    }

    /// Adds a coin at a price.
    pub fn add(&mut self, name: &str, seed: &LiveSeed, profile: Profile, price: f64) {
        self.coins.insert(name.to_owned(), Coin { own: Factor::new(seed, name), profile, price, recent_squares: 1.0 });
    }

    /// A coin's price in USDT.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.coins.get(name).map(|c| c.price)
    }

    /// Sets a known coin's price.
    pub fn set(&mut self, name: &str, price: f64) {
        if let Some(coin) = self.coins.get_mut(name) {
            coin.price = price;
        }
    }

    /// How busy trade in a coin is now, against what is usual: more when its price is about to move more, and more when it
    /// moved more just now. What moves a price is trade, so that a bar's volume goes with its size.
    #[must_use]
    pub fn activity(&self, name: &str) -> f64 {
        let Some(coin) = self.coins.get(name) else { return 1.0 };
        let volatility = (self.common.volatility * coin.own.volatility).sqrt();
        let (of_volatility, of_moves) = LIVE_ACTIVITY_POWERS;
        volatility.powf(of_volatility) * coin.recent_squares.powf(of_moves) / USUAL_ACTIVITY
    }

    /// Moves all coins by one step, which ends at `now`.
    pub fn step(&mut self, now: Ms) {
        let cycle = day_cycle(now);
        let common = self.common.step(MOVES_PER_SECOND.0, cycle).map_or(0.0, |m| m * COMMON_WEIGHT);
        let keep = 0.5f64.powf(STEP_SECONDS / RECENT_MOVES_HALF_LIFE);
        for coin in self.coins.values_mut() {
            let own = coin.own.step(MOVES_PER_SECOND.1, cycle).unwrap_or(0.0);
            let units = common * coin.profile.beta + own;
            coin.recent_squares = coin.recent_squares * keep + units * units / coin.usual_square() * (1.0 - keep);
            if units == 0.0 {
                continue;
            }
            let mut change = units * coin.profile.move_ppm * 1e-6;
            if let Some(peg) = coin.profile.peg {
                change -= (coin.price / peg - 1.0) * PEG_PULL;
            }
            coin.price *= change.exp();
        }
    }
}
