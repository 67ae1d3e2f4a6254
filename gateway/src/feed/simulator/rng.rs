//! Random numbers that are the same for the same seed, for ever.
//!
//! Owns: the state of a stream. Never does: ask the system for entropy.
//! Invariants: a stream depends on seed and purpose only. Known limits: not for secrets.

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

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Rng(u64);

/// A number that differs for each name and is the same in each run.
#[must_use]
pub fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| xng_core::codec::mix64(h ^ u64::from(b)))
}

impl Rng {
    /// The stream of a seed and of what it is for.
    #[must_use]
    pub fn new(seed: u64, purpose: u64) -> Rng {
        Rng(xng_core::codec::mix64(seed ^ purpose.rotate_left(17)))
    }

    /// In `0..1`, never 0 or 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((xng_core::codec::mix64(self.0) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// In `0..below`.
    pub fn below(&mut self, below: usize) -> usize {
        ((self.uniform() * below as f64) as usize).min(below.saturating_sub(1))
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// From a table of quantiles.
    pub fn from(&mut self, table: &[(f64, f64)]) -> f64 {
        quantile(table, self.uniform())
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
}
