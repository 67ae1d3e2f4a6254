//! Random numbers of the simulator: a fast generator for the history, an unpredictable one for live prices.
//!
//! Owns: the state of a stream. Never does: keep a live seed anywhere but in memory.
//! Invariants: a stream depends on seed and purpose only, in all later releases; an observer of a live stream who knows the
//! seed of the history cannot predict its next number, unless the settings name the seed.
//! Known limits: the seed of the history can be computed from its candles.

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng as _, SeedableRng};

/// Stretches `u` in `0..1` over a table of (probability, value): straight lines between the logarithms of its values.
#[must_use]
pub fn quantile(table: &[(f64, f64)], u: f64) -> f64 {
    let after = table.iter().position(|(p, _)| *p >= u).unwrap_or(table.len() - 1).max(1);
    let ((p0, v0), (p1, v1)) = (table[after - 1], table[after]);
    let share = ((u - p0) / (p1 - p0)).clamp(0.0, 1.0);
    (v0.ln() + share * (v1.ln() - v0.ln())).exp()
}

/// The mean of what [`quantile`] gives.
#[must_use]
pub fn mean(table: &[(f64, f64)]) -> f64 {
    const STEPS: u32 = 2_000;
    (0..STEPS).map(|n| quantile(table, (f64::from(n) + 0.5) / f64::from(STEPS))).sum::<f64>() / f64::from(STEPS)
}

/// A number that differs for each name and is the same in each run.
#[must_use]
pub fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| xng_core::codec::mix64(h ^ u64::from(b)))
}

/// What random numbers are drawn as.
pub trait Draws {
    /// 64 random bits.
    fn bits(&mut self) -> u64;

    /// In `0..1`, never 0 or 1.
    fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// True with this probability.
    fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// In `0..below`.
    fn below(&mut self, below: usize) -> usize {
        ((self.uniform() * below as f64) as usize).min(below.saturating_sub(1))
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// From a table of quantiles.
    fn from(&mut self, table: &[(f64, f64)]) -> f64 {
        quantile(table, self.uniform())
    }
}

/// A stream for the past, which is public: begun so often that beginning one must cost nothing.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The stream of a seed and of what it is for.
    #[must_use]
    pub fn new(seed: u64, purpose: u64) -> Rng {
        Rng(xng_core::codec::mix64(seed ^ purpose.rotate_left(17)))
    }
}

impl Draws for Rng {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        xng_core::codec::mix64(self.0)
    }
}

/// What live streams are drawn from.
pub struct LiveSeed([u8; 32]);

impl std::fmt::Debug for LiveSeed {
    /// Without the seed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveSeed").finish_non_exhaustive()
    }
}

impl LiveSeed {
    /// Another one at each start.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn drawn() -> Result<LiveSeed, getrandom::Error> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        Ok(LiveSeed(seed))
    }

    /// The one of a number.
    #[must_use]
    pub fn numbered(number: u64) -> LiveSeed {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        LiveSeed(seed)
    }

    /// The stream of what it is for.
    #[must_use]
    pub fn stream(&self, purpose: &str) -> LiveRng {
        let mut rng = ChaCha12Rng::from_seed(self.0);
        rng.set_stream(name_hash(purpose));
        LiveRng(rng)
    }
}

/// A stream for what comes.
#[derive(Debug)]
pub struct LiveRng(ChaCha12Rng);

impl Draws for LiveRng {
    fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_gives_back_its_own_quantiles() {
        let table = [(0.0, 1.0), (0.5, 10.0), (1.0, 1_000.0)];
        assert!((quantile(&table, 0.5) - 10.0).abs() < 1e-9);
        assert!((quantile(&table, 0.75) - 100.0).abs() < 1e-9);
        assert!((quantile(&table, 1.0) - 1_000.0).abs() < 1e-9);
    }

    #[test]
    fn the_same_seed_and_purpose_give_the_same_stream() {
        let mut streams = [Rng::new(7, 1), Rng::new(7, 1), Rng::new(7, 2)];
        let [a, b, c] = [0, 1, 2].map(|i| (0..5).map(|_| streams[i].uniform().to_bits()).collect::<Vec<u64>>());
        assert_eq!(a, b);
        assert_ne!(a, c);
    }

    #[test]
    fn a_live_stream_is_its_seeds_and_purposes_and_drawn_seeds_differ() {
        let draws = |seed: &LiveSeed, purpose: &str| -> Vec<u64> {
            let mut stream = seed.stream(purpose);
            (0..5).map(|_| stream.bits()).collect()
        };
        let (one, other) = (LiveSeed::numbered(7), LiveSeed::numbered(8));
        assert_eq!(draws(&one, "BTC"), draws(&LiveSeed::numbered(7), "BTC"));
        assert_ne!(draws(&one, "BTC"), draws(&one, "ETH"));
        assert_ne!(draws(&one, "BTC"), draws(&other, "BTC"));
        let drawn = [LiveSeed::drawn().unwrap(), LiveSeed::drawn().unwrap()];
        assert_ne!(draws(&drawn[0], "BTC"), draws(&drawn[1], "BTC"));
    }
}
