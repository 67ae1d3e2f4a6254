//! Records of orders to bytes and back, and the numbers that they are made of.
//!
//! Stands for: what every record costs the cell once and every follower once (view, persister, snapshots, a start). A
//! regression of `encode` slows orders; one of `decode` slows starts and lets followers lag.

use crate::measure;
use criterion::Criterion;
use xng_benches::parts::records::{Decoding, Encoding, Numbers};

pub(crate) fn benches(c: &mut Criterion) {
    measure(c, "codec", "encode", &Encoding::of_orders());
    measure(c, "codec", "decode", &Decoding::of_orders());
    measure(c, "codec", "numbers out", &Numbers::out());
    measure(c, "codec", "numbers back", &Numbers::back());
}
