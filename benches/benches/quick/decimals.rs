//! Prices and quantities between texts and amounts: the decimal edge.
//!
//! Stands for: two numbers of every order that comes in, and each level and trade that goes out. A regression of
//! `read` slows calls; one of `write` slows depth streams and snapshots, which are numbers mostly.

use crate::measure;
use criterion::Criterion;
use xng_benches::parts::calls::{Reading, Writing};

pub(crate) fn benches(c: &mut Criterion) {
    measure(c, "decimals", "read", &Reading::of_prices());
    measure(c, "decimals", "write", &Writing::of_prices());
}
