//! What an order passes, part by part.
//!
//! - `book`: matching alone, 10,000 resting orders. A regression here slows every order.
//! - `record`: a fact to bytes and back. Replay and every follower decode.
//! - `cell`: account, market, settlement and encoding, without a disk.
//! - `journal`: one record and its durable answer, and groups; the device decides.
//!
//! Owns: the parts of the path and their loads. Never does: compare with a bar; criterion compares with the run
//! before. Invariants: each part is measured without those around it. Known limits: one thread.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::sync::Arc;
use std::time::Duration;
use xng_benches::{Dice, MID, Size, busy_cell, order, tell};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, EntityId, MarketId, OrderId, Wallet};
use xng_core::journal::{Batch, Journal, Lsn};
use xng_core::money::{Amount, FeePpm, Lots, Ticks};
use xng_core::record::{Cause, Fact, Origin, Record};
use xng_core::spot::book::{Book, Resting};
use xng_core::spot::facts::Units;
use xng_core::spot::matching::{Incoming, MAX_MATCHES, Outcome, matches};
use xng_core::spot::{Side, Stp};
use xng_persistence::journal::{Hooks, Options, RealStorage, Started, recover};

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const UNITS: Units =
    Units { market: MarketId(1), base: AssetId(1), quote: AssetId(3), lot_units: 1_000, tick_lot_units: 10 };

fn resting(order: u64, side: Side, ticks: i64, lots: i64) -> Resting {
    let (order, account) = (OrderId(order), AccountId(order % 1_000));
    Resting { order, account, side, ticks: Ticks(ticks), lots: Lots(lots), maker_ppm: FeePpm(800), quote: false }
}

fn full_book(dice: &mut Dice) -> Book {
    let mut book = Book::default();
    for n in 0..10_000 {
        let away = 1 + dice.below(2_000) as i64;
        let (side, ticks) = if n % 2 == 0 { (Side::Buy, MID - away) } else { (Side::Sell, MID + away) };
        book.insert(resting(n + 1, side, ticks, 1 + dice.below(100) as i64));
    }
    book
}

fn book(c: &mut Criterion) {
    let mut dice = Dice(1);
    let mut book = full_book(&mut dice);
    let (mut next, mut met) = (20_000, Outcome::default());
    let mut group = c.benchmark_group("book");
    group.throughput(Throughput::Elements(1));
    group.bench_function("add, match, cancel among 10,000", |b| {
        b.iter(|| {
            next += 1;
            let away = 1 + dice.below(2_000) as i64;
            let side = if next % 2 == 0 { Side::Buy } else { Side::Sell };
            let ticks = if side == Side::Buy { MID - away } else { MID + away };
            book.insert(resting(next, side, ticks, 5));
            let incoming = Incoming {
                account: AccountId(77_777),
                side,
                limit: Some(Ticks(if side == Side::Buy { MID + 1 } else { MID - 1 })),
                lots: Lots(1),
                budget: None,
                stp: Stp::ExpireTaker,
                taker_ppm: FeePpm(1_000),
                at_most: MAX_MATCHES,
            };
            matches(&book, &UNITS, &incoming, None, &mut met);
            for trade in &met.trades {
                book.reduce(trade.maker_order, trade.lots);
            }
            book.remove(OrderId(next))
        });
    });
    group.finish();
}

/// A journal that forgets: what is left is the engine.
#[derive(Default)]
struct Nowhere {
    last: Lsn,
}

impl Journal for Nowhere {
    fn append(&mut self, batch: &mut Batch) {
        self.last = batch.last();
        batch.clear();
    }
    fn durable(&self) -> Lsn {
        self.last
    }
    fn pending_bytes(&self) -> u64 {
        0
    }
}

fn cell(c: &mut Criterion) {
    let size = Size { accounts: 10_000, markets: 1 };
    let (mut cell, mut dice) = (busy_cell(Nowhere::default(), size), Dice(2));
    let mut group = c.benchmark_group("cell");
    group.throughput(Throughput::Elements(256));
    group.bench_function("256 orders of 10,000 accounts, no disk", |b| {
        b.iter_batched(
            || (0..256).map(|_| order(&mut dice, size)).collect::<Vec<Command>>(),
            |orders| {
                orders.into_iter().for_each(|o| tell(&mut cell, o));
                while cell.turn(|_, _| {}) {}
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn record(c: &mut Criterion) {
    let fact = Fact::from(xng_core::account::facts::Transferred {
        account: AccountId(123_456),
        asset: AssetId(3),
        from: Wallet::Change,
        to: Wallet::Legal,
        amount: Amount(123_456_789_012),
    });
    let decider = EntityId::Account(AccountId(123_456));
    let record = Record { time: 1_700_000_000_000_000_000, decider, cause: Cause::Request, origin: Origin::Api, fact };
    let mut bytes = Vec::new();
    record.encode(&mut bytes);
    let mut group = c.benchmark_group("record");
    group.throughput(Throughput::Elements(1));
    group.bench_function("encode", |b| {
        let mut out = Vec::with_capacity(256);
        b.iter(|| {
            out.clear();
            record.encode(&mut out);
            out.len()
        });
    });
    group.bench_function("decode", |b| b.iter(|| Record::decode(&bytes).map(|r| r.time)));
    group.finish();
}

fn journal(c: &mut Criterion) {
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
        assert!(control.wait_for(last, Duration::from_secs(10)));
    };
    let mut group = c.benchmark_group("journal");
    for records in [1, 64, 1_024] {
        group.throughput(Throughput::Elements(records));
        group.bench_function(format!("{records} records to durable"), |b| b.iter(|| append(records)));
    }
    group.finish();
    writer.shutdown();
}

criterion_group!(benches, book, record, cell, journal);
criterion_main!(benches);
