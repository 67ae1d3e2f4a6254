//! The quick benches: each hot part by itself, a few seconds each. `make bench` runs them and compares with the baseline
//! that `make bench-baseline` saved; the parts and what a regression means stand in the head of each file.
//!
//! Owns: what all have in common. Never does: compare with a bar; criterion compares. Invariants: each part is measured
//! without those around it, on an input that is made beforehand. Known limits: one thread, and a machine with nothing
//! else to do; `make test-counts` compares instructions, which no neighbour changes.

mod book;
mod candles;
mod cell;
mod codec;
mod decimals;
mod depth;
mod journal;
mod parse;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use xng_benches::parts::Part;

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures a part, a fresh one each time.
fn measure<P: Part + Clone>(c: &mut Criterion, group: &str, name: &str, part: &P) {
    let mut group = c.benchmark_group(group);
    group.throughput(Throughput::Elements(part.steps()));
    group.bench_function(name, |b| b.iter_batched_ref(|| part.clone(), P::run, BatchSize::PerIteration));
    group.finish();
}

fn config() -> Criterion {
    Criterion::default().warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3))
}

criterion_group!(
    name = quick;
    config = config();
    targets = book::benches, cell::benches, journal::benches, codec::benches, depth::benches, candles::benches,
        decimals::benches, parse::benches
);
criterion_main!(quick);
