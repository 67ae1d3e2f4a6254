//! Candles before the first start.
//!
//! Owns: one walk per pair, backward from its start price. Never does: read a clock or stored candles.
//! Invariants: the last candle closes at the start price; each candle opens where the one before closed; the same
//! seed, pair and time give the same candles; moves of coins are correlated; pairs of two coins are quotients.
//! Known limits: minutes reach back five days, before them candles are longer; each period still has as many as are
//! kept, because a longer period needs no shorter candles than its own.

use super::calibration::{ACTIVITY_POWER, PAST_TURNOVER, Profile, VOLATILITY, cross_profile, profile};
use super::prices::day_cycle;
use super::rng::{Draws, Rng, mean, name_hash};
use super::{MONEY, Pair};
use crate::common::time::Ms;
use crate::market::candles::Candle;
use crate::market::interval::Interval;
use xng_core::money::{Amount, Exact};

const MINUTE: Ms = 60_000;
const HOUR: Ms = 60 * MINUTE;
const DAY: Ms = 24 * HOUR;
/// How far back, in hours, candles of which length reach: 1,500 of every period up to 12 hours, each made of lengths
/// that divide it, then days for three years.
const REACH: [(Ms, Ms); 7] = [
    (125, MINUTE),
    (750, 15 * MINUTE),
    (1_500, HOUR),
    (9_000, 2 * HOUR),
    (12_000, 4 * HOUR),
    (18_000, 12 * HOUR),
    (26_400, DAY),
];
/// Deviation of a coin's move in a day for a move of one part per million in [`Profile`]: daily 2 % for BTC in a usual hour.
const DAILY_PER_PPM: f64 = 0.000_35;
/// Share of the common factor in the square of a move.
const COMMON_SHARE: f64 = 0.6;
/// Backward in time prices are drawn to the start price; half of the distance in this many days.
const RETURN_DAYS: f64 = 250.0;

/// Opens of all candles, oldest first, each with its length.
fn grid(now: Ms) -> Vec<(Ms, Ms)> {
    let mut until = now;
    let mut parts: Vec<Vec<(Ms, Ms)>> = Vec::new();
    for (hours, length) in REACH {
        let from = (now - hours * HOUR).div_euclid(DAY) * DAY;
        parts.push(
            (0..).map(|n| from + n * length).take_while(|open| *open < until).map(|open| (open, length)).collect(),
        );
        until = from;
    }
    parts.into_iter().rev().flatten().collect()
}

/// A candle of floats.
#[derive(Debug, Clone, Copy)]
struct Bar {
    open: f64,
    high: f64,
    low: f64,
    close: f64,
    /// The move against what is usual for its length and time.
    unusual: f64,
    /// Trade against what is usual.
    busy: f64,
}

/// Volatility of a coin, or of what moves all coins, over time: the logarithm's parts as in [`VOLATILITY`], each a smooth
/// line through draws that belong to the moment, so that walks of different coins share the common one.
struct Waves {
    seed: u64,
    purpose: u64,
}

impl Waves {
    /// The logarithm around `at` for candles of `length`: parts that are shorter average out.
    fn log(&self, at: Ms, length: Ms) -> f64 {
        let part = |(n, (deviation, half_life)): (usize, &(f64, f64))| {
            let span = (half_life * 2_000.0) as Ms;
            if span < length {
                return 0.0;
            }
            let draw = |k: Ms| Rng::new(self.seed ^ k as u64, self.purpose ^ n as u64).normal();
            let (knot, share) = (at.div_euclid(span), at.rem_euclid(span) as f64 / span as f64);
            let line = draw(knot) * (1.0 - share) + draw(knot + 1) * share;
            deviation * line / (share * share + (1.0 - share) * (1.0 - share)).sqrt()
        };
        VOLATILITY.iter().enumerate().map(part).sum()
    }
}

/// How far a walk of deviation `sigma` that ends at `end` goes beyond both, at probability `u`.
fn overshoot(end: f64, sigma: f64, u: f64) -> f64 {
    (end + (end * end - 2.0 * sigma * sigma * u.ln()).sqrt()) / 2.0
}

/// Bars of one coin against USDT, ending at `last`.
fn walk(name: &str, profile: &Profile, last: f64, grid: &[(Ms, Ms)], seed: u64) -> Vec<Bar> {
    let (mut own, purpose) = (Rng::new(seed, name_hash(name) ^ 2), name_hash("common history"));
    let [common_waves, own_waves] =
        [name_hash("common volatility"), name_hash(name) ^ 4].map(|purpose| Waves { seed, purpose });
    let daily = profile.move_ppm * DAILY_PER_PPM;
    let mut regime_log = 0.0;
    let (mut close, anchor) = (last.ln(), last.ln());
    let mut bars: Vec<Bar> = Vec::with_capacity(grid.len());
    for (open_ms, length) in grid.iter().rev() {
        let days = *length as f64 / DAY as f64;
        let keep = 0.5f64.powf(days / 2.0);
        regime_log = regime_log * keep + 0.3 * (1.0 - keep * keep).sqrt() * own.normal();
        let cycle = if *length < DAY { day_cycle(open_ms + length / 2) } else { 1.0 };
        let (shared, alone) = (common_waves.log(*open_ms, *length), own_waves.log(*open_ms, *length));
        let sigma = daily * days.sqrt() * f64::exp(regime_log) * cycle;
        // The common draw belongs to the moment, not to the coin.
        let common = Rng::new(seed ^ *open_ms as u64, purpose).normal() * profile.beta * shared.exp();
        let z = common * COMMON_SHARE.sqrt() + own.normal() * (1.0 - COMMON_SHARE).sqrt() * alone.exp();
        // Fat tails: now and then a move is twice as large.
        let z = if own.chance(0.05) { z * 2.0 } else { z };
        let mut change = z * sigma;
        let pull =
            if profile.peg.is_some() { 1.0 - 0.5f64.powf(days * 24.0) } else { 1.0 - 0.5f64.powf(days / RETURN_DAYS) };
        change += (close - anchor) * pull;
        let open = close - change;
        let reach = sigma * ((shared + alone) / 2.0).exp();
        let (up, down) = (overshoot(change, reach, own.uniform()), overshoot(-change, reach, own.uniform()));
        let busy = ((shared + alone) / 2.0 + regime_log / 2.0).exp() * cycle;
        bars.push(Bar {
            open: open.exp(),
            high: (open + up).exp(),
            low: (open - down).exp(),
            close: close.exp(),
            unusual: (z / ((shared + alone) / 2.0).exp()).abs(),
            busy: busy.powf(ACTIVITY_POWER),
        });
        close = open;
    }
    bars.reverse();
    bars
}

/// Quotient of two walks over the same grid.
fn cross(base: &[Bar], quote: &[Bar]) -> Vec<Bar> {
    let bar = |(b, q): (&Bar, &Bar)| {
        let (open, close) = (b.open / q.open, b.close / q.close);
        // Not known from the two extremes; a part of the wider one is.
        let reach = ((b.high / b.low).ln().max((q.high / q.low).ln()) * 0.15).exp();
        Bar {
            open,
            high: open.max(close) * reach,
            low: open.min(close) / reach,
            close,
            unusual: b.unusual,
            busy: b.busy,
        }
    };
    base.iter().zip(quote).map(bar).collect()
}

/// What a day brings: USDT traded, and trades.
fn day_of(profile: &Profile) -> (f64, f64) {
    let trades = DAY as f64 / (mean(profile.gaps) * profile.slowness) * mean(profile.burst);
    (trades * mean(profile.sizes) * profile.liquidity * PAST_TURNOVER, trades)
}

struct Volume {
    rng: Rng,
    /// Per day: base traded at the start price, and trades.
    base: f64,
    trades: f64,
}

impl Volume {
    fn dress(&mut self, pair: &Pair, bar: &Bar, (open_ms, length): (Ms, Ms)) -> Candle {
        let days = length as f64 / DAY as f64;
        let busy = (0.35 * self.rng.normal()).exp() * (0.6 + 0.5 * bar.unusual) * bar.busy;
        let lots = |share: f64| {
            let step = pair.step.0 as f64 / 1e8;
            Amount((self.base * days * busy * share / step).max(1.0) as i128 * pair.step.0)
        };
        let (open, close) = (pair.snap(bar.open), pair.snap(bar.close));
        let (high, low) = (pair.snap(bar.high).max(open).max(close), pair.snap(bar.low).min(open).min(close));
        let (volume, taker_base) = (lots(1.0), lots(0.42 + 0.16 * self.rng.uniform()));
        // Between the prices of the candle, so that turnover over volume is one of them.
        let average = Amount((open.0 + close.0 + high.0 + low.0) / 4);
        let value = |base: Amount| Exact::from(average).times(Exact::from(base)).round8();
        Candle {
            open_ms,
            open,
            high,
            low,
            close,
            volume,
            turnover: value(volume),
            trades: (self.trades * days * busy).max(1.0) as u64,
            taker_base: taker_base.min(volume),
            taker_quote: value(taker_base.min(volume)),
            first_trade: 0,
            last_trade: 0,
        }
    }
}

/// Candles of `pair` up to `now`, one of `pairs`: first those of up to twelve hours and less (see `REACH`), in
/// which each is a whole part of every longer period; then days.
#[must_use]
pub fn history(pair: &Pair, pairs: &[Pair], seed: u64, now: Ms) -> (Vec<Candle>, Vec<Candle>) {
    let grid = grid(now);
    let start = |amount: Amount| amount.0 as f64 / 1e8;
    let symbol = format!("{}{}", pair.base, pair.quote);
    let (bars, profile) = match pair.legs(pairs) {
        Some((base, quote)) => {
            let leg = |name: &str, last: Amount| walk(name, &profile(name), start(last), &grid, seed);
            (cross(&leg(&pair.base, base), &leg(&pair.quote, quote)), cross_profile(&pair.base))
        }
        None => {
            let profile = profile(&pair.base);
            let name = if pair.quote == MONEY { &pair.base } else { &symbol };
            (walk(name, &profile, start(pair.start), &grid, seed), profile)
        }
    };
    let (usdt, trades) = day_of(&profile);
    let price = pair.legs(pairs).map_or(pair.start, |(base, _)| base);
    let mut volume = Volume { rng: Rng::new(seed, name_hash(&symbol) ^ 3), base: usdt / start(price), trades };
    let traded = |(_, (open, length)): &(&Bar, &(Ms, Ms))| pair.trades(*open, open + length);
    let dress = |(bar, place): (&Bar, &(Ms, Ms))| volume.dress(pair, bar, *place);
    let mut list: Vec<Candle> = bars.iter().zip(&grid).filter(traded).map(dress).collect();
    if let Some(last) = list.last_mut() {
        last.close = pair.start;
        (last.high, last.low) = (last.high.max(pair.start), last.low.min(pair.start));
    }
    let mut days: Vec<Candle> = Vec::new();
    for candle in &list {
        let open_ms = Interval::D1.span(candle.open_ms).0;
        match days.last_mut() {
            Some(day) if day.open_ms == open_ms => day.join(candle),
            _ => days.push(Candle { open_ms, ..*candle }),
        }
    }
    (list, days)
}
