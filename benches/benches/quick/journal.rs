//! Records to durable: written to files in a temporary folder and synced (fdatasync), one at a time and in groups.
//!
//! Stands for: the wait of every answer. The device decides most of it: a regression means something only beside the same
//! figure of a build before, on the same disk; one that grows with the group lies in the writer.

use criterion::{Criterion, Throughput};
use std::sync::Arc;
use std::time::Duration;
use xng_core::journal::{Batch, Journal, Lsn};
use xng_persistence::journal::{Hooks, Options, RealStorage, Started, recover};

pub(crate) fn benches(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let storage = Arc::new(RealStorage::open(folder.path()).expect("storage"));
    let recovered = recover(storage, Options::new(0), Lsn::ZERO).expect("an empty journal");
    let Started { mut handle, control, writer } = recovered.start(Hooks::new(|_| ())).expect("started");
    let mut batch = Batch::default();
    let mut append = |records: u64| {
        for _ in 0..records {
            let lsn = if batch.is_empty() { handle.last().next() } else { batch.last().next() };
            batch.push(lsn, |out| out.extend_from_slice(&[7; 64]));
        }
        handle.append(&mut batch);
        let last = handle.last();
        assert!(control.wait_for(last, Duration::from_secs(10)), "the disk stands still");
    };
    let mut group = c.benchmark_group("journal");
    for records in [1, 64, 1_024] {
        group.throughput(Throughput::Elements(records));
        group.bench_function(format!("{records} to durable"), |b| b.iter(|| append(records)));
    }
    group.finish();
    writer.shutdown();
}
