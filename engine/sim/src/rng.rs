//! The pseudo-random generator of a run, and its only source of randomness, so that a seed repeats the run.
//!
//! Owns: the generator. Never does: read anything outside the run. Invariants: equal seeds give equal numbers in all later
//! releases: seeds named in documents depend on it. Known limits: not for secrets.

use xng_core::codec::mix64;

/// A sequence of numbers that depends on its seed alone.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Rng {
        Rng(mix64(seed ^ 0x5eed))
    }

    /// Another sequence, drawn from this one.
    pub fn fork(&mut self) -> Rng {
        Rng::new(self.next_u64())
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.0)
    }

    /// One of `0..n`; `n` is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next_u64() % n
    }

    /// True `n` times in `of`.
    pub fn chance(&mut self, n: u64, of: u64) -> bool {
        self.below(of) < n
    }

    /// One of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    /// Position of one of these weights, in proportion; not all are 0.
    pub fn weighted(&mut self, weights: &[u64]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (at, weight) in weights.iter().enumerate() {
            if left < *weight {
                return at;
            }
            left -= weight;
        }
        unreachable!("the rest is below the sum")
    }
}
