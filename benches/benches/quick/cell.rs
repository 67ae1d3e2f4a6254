//! Orders of 10,000 accounts through a cell without a disk: account, hold, market, settlement, encoding, gate.
//!
//! Stands for: the peak of a cell. A regression here that `book` and `codec` do not show lies in accounts, queue or gate;
//! the orders a second of `make load` fall with it.

use criterion::{Criterion, Throughput};
use std::time::{Duration, Instant};
use xng_benches::parts::Part;
use xng_benches::parts::cells::Cells;

pub(crate) fn benches(c: &mut Criterion) {
    let mut cells = Cells::new(10_000);
    let mut group = c.benchmark_group("cell");
    group.throughput(Throughput::Elements(cells.steps()));
    group.bench_function("orders", |b| {
        b.iter_custom(|runs| {
            let mut took = Duration::ZERO;
            for _ in 0..runs {
                let began = Instant::now();
                std::hint::black_box(cells.run());
                took += began.elapsed();
                cells.refill();
            }
            took
        });
    });
    group.finish();
}
