//! Trades into candles of all sixteen periods.
//!
//! Stands for: the market view's work for every trade, the reference feed's too. A regression lets streams lag, and
//! lengthens a start that reads a feed's history.

use crate::measure;
use criterion::Criterion;
use xng_benches::parts::market::Candling;

pub(crate) fn benches(c: &mut Criterion) {
    measure(c, "candles", "add", &Candling::of_trades());
}
