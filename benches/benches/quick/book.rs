//! Matching alone, 10,000 orders at rest: orders that rest, cancels, orders that take, and the mixture of the three.
//!
//! Stands for: the market's part of every order. A regression slows every order of a market, which has one thread, and
//! the folding of its records at a start.

use crate::measure;
use criterion::Criterion;
use xng_benches::parts::books::Books;

const RESTING: usize = 10_000;

pub(crate) fn benches(c: &mut Criterion) {
    measure(c, "book", "place", &Books::placing(RESTING));
    measure(c, "book", "cancel", &Books::cancelling(RESTING));
    measure(c, "book", "take", &Books::taking(RESTING));
    measure(c, "book", "mixture", &Books::mixed(RESTING));
}
