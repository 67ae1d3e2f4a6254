//! Prices of coins in USDT: one common factor and one own factor per coin.
//!
//! Owns: each coin's price and the volatility of each factor. Never does: know ticks, books or time of day.
//! Invariants: a coin's own stream depends on seed and name only, so the set of coins changes no coin's own moves.
//! Known limits: moves come in jumps of a stream of events, between which prices stand, as mids do; no drift.

use super::calibration::{COMMON_WEIGHT, MOVE_SIGMA, MOVES_PER_SECOND, Profile, VOLATILITY};
use super::rng::{Rng, name_hash};
use std::collections::BTreeMap;

/// Seconds of one step.
pub const STEP_SECONDS: f64 = 0.1;
/// What is taken back of a pegged coin's distance from 1 at each move.
const PEG_PULL: f64 = 0.3;

/// A source of moves whose volatility clusters.
#[derive(Debug, Clone)]
struct Factor {
    rng: Rng,
    volatility_log: f64,
}

impl Factor {
    fn new(seed: u64, name: &str) -> Factor {
        let mut rng = Rng::new(seed, name_hash(name));
        let volatility_log = VOLATILITY.0 * rng.normal();
        Factor { rng, volatility_log }
    }

    /// A signed move of typical size 1, if one comes in this step.
    fn step(&mut self, per_second: f64) -> Option<f64> {
        let (deviation, half_life) = VOLATILITY;
        let keep = 0.5f64.powf(STEP_SECONDS / half_life);
        self.volatility_log = self.volatility_log * keep + deviation * (1.0 - keep * keep).sqrt() * self.rng.normal();
        let volatility = self.volatility_log.exp();
        if !self.rng.chance(per_second * STEP_SECONDS * volatility) {
            return None;
        }
        let size = (MOVE_SIGMA * self.rng.normal()).exp() * volatility;
        Some(if self.rng.chance(0.5) { size } else { -size })
    }
}

#[derive(Debug, Clone)]
struct Coin {
    own: Factor,
    profile: Profile,
    price: f64,
}

/// All coins' prices.
#[derive(Debug, Clone)]
pub struct Prices {
    common: Factor,
    coins: BTreeMap<String, Coin>,
}

impl Prices {
    /// No coins yet.
    #[must_use]
    pub fn new(seed: u64) -> Prices {
        Prices { common: Factor::new(seed, "common factor"), coins: BTreeMap::new() }
    }

    /// Adds a coin at a price.
    pub fn add(&mut self, name: &str, seed: u64, profile: Profile, price: f64) {
        self.coins.insert(name.to_owned(), Coin { own: Factor::new(seed, name), profile, price });
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

    /// Moves all coins by one step.
    pub fn step(&mut self) {
        let common = self.common.step(MOVES_PER_SECOND.0).map_or(0.0, |m| m * COMMON_WEIGHT);
        for coin in self.coins.values_mut() {
            let own = coin.own.step(MOVES_PER_SECOND.1).unwrap_or(0.0);
            let units = common * coin.profile.beta + own;
            if units == 0.0 {
                continue;
            }
            let mut change = units * coin.profile.move_ppm * 1e-6;
            if coin.profile.pegged {
                change -= (coin.price - 1.0) * PEG_PULL;
            }
            coin.price *= change.exp();
        }
    }
}
