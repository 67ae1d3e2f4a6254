//! The seeded simulator: the price source of an installation without a network.
//!
//! Owns: a market of correlated coins in virtual time. Never does: read the wall clock (only [`run`] does), hear of
//! users' orders.
//! Invariants: the same pairs, seed and start give the same events; a pair of two coins is priced by its USDT pairs;
//! books are never crossed; trades happen at the best prices.
//! Known limits: trades take nothing from the levels; a restart goes on from the last price with the seed's first
//! moves; "the same" holds on machines whose mathematical library rounds alike.

pub mod calibration;
pub mod history;
pub mod ladder;
pub mod prices;
pub mod rng;

pub use history::history;

use super::{FeedEvent, Mids};
use crate::feed::inbox::Inbox;
use crate::time::{Ms, now_ms};
use calibration::{cross_profile, profile};
use ladder::{Ladder, Shape};
use prices::Prices;
use rng::{Rng, name_hash};
use std::time::Duration;
use tokio::time::MissedTickBehavior;
use xng_core::ids::MarketId;
use xng_core::money::Amount;

/// The asset that every coin has its price in.
const MONEY: &str = "USDT";
/// Virtual time passes in steps of this length.
pub const STEP_MS: Ms = 100;
/// After a longer sleep of the machine the market goes on from now.
const BEHIND_MS: Ms = 5_000;
/// Another taker side after a burst.
const TURN: f64 = 0.4;

/// One pair to simulate.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Which pair.
    pub market: MarketId,
    /// Code of the base.
    pub base: String,
    /// Code of the quote.
    pub quote: String,
    /// Where its price begins.
    pub start: Amount,
    /// Its tick.
    pub tick: Amount,
    /// Its step.
    pub step: Amount,
    /// Another source speaks for it; here it only prices pairs of two coins.
    pub followed: bool,
}

impl Pair {
    fn legs(&self, pairs: &[Pair]) -> Option<(Amount, Amount)> {
        let leg = |name: &str| pairs.iter().find(|p| p.base == name && p.quote == MONEY).map(|p| p.start);
        if self.quote == MONEY { None } else { leg(&self.base).zip(leg(&self.quote)) }
    }

    /// A price in this pair's ticks.
    fn snap(&self, price: f64) -> Amount {
        let tick = self.tick.0 as f64 / 1e8;
        Amount(((price / tick).round() as i128).max(1) * self.tick.0)
    }
}

/// Lets pairs of two coins begin where their USDT pairs say.
pub fn align(pairs: &mut [Pair]) {
    let all = pairs.to_vec();
    for pair in pairs {
        if let Some((base, quote)) = pair.legs(&all) {
            pair.start = pair.snap(base.0 as f64 / quote.0 as f64);
        }
    }
}

#[derive(Debug, Clone)]
struct Desk {
    pair: Pair,
    /// Names of the coins whose prices make this pair's: base, and quote unless that is USDT.
    coins: (String, Option<String>),
    shape: Shape,
    ladder: Ladder,
    rng: Rng,
    next_burst_ms: f64,
    buying: bool,
}

/// All pairs in virtual time.
#[derive(Debug, Clone)]
pub struct Market {
    prices: Prices,
    desks: Vec<Desk>,
    now: Ms,
}

impl Market {
    /// A market that begins at `now`.
    #[must_use]
    pub fn new(pairs: &[Pair], seed: u64, now: Ms) -> Market {
        let mut prices = Prices::new(seed);
        let mut desks = Vec::new();
        for pair in pairs {
            let cross = pair.legs(pairs).is_some();
            let symbol = format!("{}{}", pair.base, pair.quote);
            let shape = |profile| Shape { tick: pair.tick, step: pair.step, profile };
            let (coins, shape) = if cross {
                ((pair.base.clone(), Some(pair.quote.clone())), shape(cross_profile(&pair.base)))
            } else {
                let name = if pair.quote == MONEY { pair.base.clone() } else { symbol.clone() };
                let mut own = profile(&pair.base);
                if pair.followed {
                    own.move_ppm = 0.0;
                }
                prices.add(&name, seed, own, pair.start.0 as f64 / 1e8);
                ((name, None), shape(own))
            };
            if pair.followed {
                continue;
            }
            let ladder = Ladder::new(shape.clone());
            let rng = Rng::new(seed, name_hash(&symbol) ^ 1);
            let next_burst_ms = now as f64;
            desks.push(Desk { pair: pair.clone(), coins, shape, ladder, rng, next_burst_ms, buying: true });
        }
        Market { prices, desks, now }
    }

    /// Virtual time.
    #[must_use]
    pub fn now(&self) -> Ms {
        self.now
    }

    /// Goes on from a later time as if nothing had happened meanwhile.
    pub fn skip_to(&mut self, now: Ms) {
        let by = now - self.now;
        self.desks.iter_mut().for_each(|d| d.next_burst_ms += by as f64);
        self.now = now;
    }

    /// Takes a coin's price in USDT from elsewhere.
    pub fn follow(&mut self, base: &str, price: Amount) {
        self.prices.set(base, price.0 as f64 / 1e8);
    }

    /// What the next [`STEP_MS`] bring.
    pub fn step(&mut self, out: &mut Vec<FeedEvent>) {
        self.now += STEP_MS;
        self.prices.step();
        for desk in &mut self.desks {
            desk.step(&self.prices, self.now, out);
        }
    }
}

impl Desk {
    fn step(&mut self, prices: &Prices, now: Ms, out: &mut Vec<FeedEvent>) {
        let Some(base) = prices.get(&self.coins.0) else { return };
        let quote = self.coins.1.as_ref().and_then(|name| prices.get(name)).unwrap_or(1.0);
        if self.ladder.step(base / quote, base, &mut self.rng) {
            let (bids, asks) = self.ladder.levels();
            out.push(FeedEvent::Book { market: self.pair.market, bids, asks });
        }
        while self.next_burst_ms < now as f64 {
            self.burst(base, out);
        }
    }

    fn burst(&mut self, usdt: f64, out: &mut Vec<FeedEvent>) {
        let profile = self.shape.profile;
        if self.rng.chance(TURN) {
            self.buying = !self.buying;
        }
        let (bid, ask) = self.ladder.best();
        let ticks = if self.buying { ask } else { bid };
        let trades = self.rng.from(profile.burst).round() as usize;
        for _ in 0..trades.max(1) {
            let lots = self.shape.quantity(self.rng.from(profile.sizes), usdt);
            out.push(FeedEvent::Trade {
                market: self.pair.market,
                price: Amount(i128::from(ticks) * self.pair.tick.0),
                quantity: Amount(i128::from(lots) * self.pair.step.0),
                time_ms: self.next_burst_ms as Ms,
                buyer_is_maker: !self.buying,
            });
        }
        self.next_burst_ms += self.rng.from(profile.gaps) * profile.slowness;
    }
}

/// Speaks about all pairs that are not followed until nobody listens; `mids` tells those that are.
pub async fn run(pairs: Vec<Pair>, seed: u64, mids: Mids, out: Inbox) {
    let mut market = Market::new(&pairs, seed, now_ms());
    let mut ticks = tokio::time::interval(Duration::from_millis(STEP_MS as u64));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut events = Vec::new();
    loop {
        ticks.tick().await;
        let now = now_ms();
        if now - market.now() > BEHIND_MS {
            market.skip_to(now - STEP_MS);
        }
        for pair in pairs.iter().filter(|p| p.followed && p.quote == MONEY) {
            if let Some(mid) = mids.get(pair.market) {
                market.follow(&pair.base, mid);
            }
        }
        while market.now() + STEP_MS <= now {
            market.step(&mut events);
        }
        for event in events.drain(..) {
            out.send(event);
        }
    }
}
