//! The public book follows facts of orders and tells the levels that changed, a diff a hundred facts.
//!
//! Stands for: the market view's work for depth streams. A regression lets streams lag behind the journal at the peak:
//! one thread follows all markets.

use crate::measure;
use criterion::Criterion;
use xng_benches::parts::market::Depths;

pub(crate) fn benches(c: &mut Criterion) {
    measure(c, "depth", "follow", &Depths::of_orders());
}
