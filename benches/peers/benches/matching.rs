//! Matching alone: the exchange's book beside those of other people, on one flow in one run.
//!
//! - `fills`: whether each engine fills as ours does, which is held against a naive book in `engine/core/tests/book`;
//!   the first operation that it fills otherwise is printed.
//! - `latency`: each operation's time, ours and the peers'. p99 says what one order waits for another's cache misses.
//! - `10,000 resting` (criterion): operations a second. A regression here slows every order of every market.
//! - `1,000,000 resting` (criterion): the same in a book that fits no cache.
//! - `recorded stock`, `recorded coin` (criterion): order-by-order feeds from an empty book on, where they are there
//!   (`xng_benches::recorded`). A regression here and not above says that the made flow is unlike real ones.
//!
//! `cargo bench --manifest-path benches/peers/Cargo.toml --target-dir target/peers/cargo`; peers outside of crates.io:
//! `benches/harness/run.sh`.
//!
//! Owns: the adapters. Never does: favour one: every engine gets the same operations and hands its fills over.
//! Invariants: an engine that fills wrongly is measured all the same, and named. Known limits: one thread.

use criterion::{BatchSize, Bencher, Criterion, Throughput};
use hdrhistogram::Histogram;
use std::time::Instant;
use xng_benches::flow::{Engine, Fill, Op, Ours, flow};
use xng_benches::recorded::recordings;
use xng_benches::report;
use xng_core::spot::Side;

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SEED: u64 = 7;
const RESTING: usize = 10_000;
const OPS: usize = 1_000_000;
const MANY: usize = 1_000_000;

struct Lobster {
    book: lobster::OrderBook,
}

impl Engine for Lobster {
    const NAME: &'static str = "lobster 0.7";

    fn empty() -> Lobster {
        Lobster { book: lobster::OrderBook::default() }
    }

    fn limit(&mut self, id: u64, side: Side, ticks: i64, lots: i64, fills: &mut Vec<Fill>) {
        let side = match side {
            Side::Buy => lobster::Side::Bid,
            Side::Sell => lobster::Side::Ask,
        };
        let order = lobster::OrderType::Limit { id: id.into(), side, qty: lots as u64, price: ticks as u64 };
        use lobster::OrderEvent::{Filled, PartiallyFilled};
        if let Filled { fills: met, .. } | PartiallyFilled { fills: met, .. } = self.book.execute(order) {
            let fill =
                |f: &lobster::FillMetadata| Fill { maker: f.order_2 as u64, ticks: f.price as i64, lots: f.qty as i64 };
            fills.extend(met.iter().map(fill));
        }
    }

    fn cancel(&mut self, _n: u64, id: u64) {
        self.book.execute(lobster::OrderType::Cancel { id: id.into() });
    }
}

struct Matchcore {
    book: matchcore::OrderBook,
}

impl Matchcore {
    fn execute(&mut self, n: u64, kind: matchcore::CommandKind) -> matchcore::CommandOutcome {
        use matchcore::{Command, CommandMeta, SequenceNumber, Timestamp};
        // The first command has number 0, or every one is refused.
        let meta = CommandMeta { sequence_number: SequenceNumber(n - 1), timestamp: Timestamp(n) };
        self.book.execute(&Command { meta, kind })
    }
}

impl Engine for Matchcore {
    const NAME: &'static str = "matchcore 0.4";

    fn empty() -> Matchcore {
        Matchcore { book: matchcore::OrderBook::new("M1") }
    }

    /// An order's id is the sequence number of its command.
    fn limit(&mut self, id: u64, side: Side, ticks: i64, lots: i64, fills: &mut Vec<Fill>) {
        use matchcore::{
            CommandKind, CommandOutcome, CommandReport, LimitOrder, NewOrder, OrderFlags, Price, Quantity,
        };
        use matchcore::{QuantityPolicy, SubmitCmd, TimeInForce};
        let side = match side {
            Side::Buy => matchcore::Side::Buy,
            Side::Sell => matchcore::Side::Sell,
        };
        let quantity = QuantityPolicy::Standard { quantity: Quantity(lots as u64) };
        let flags = OrderFlags::new(side, false, TimeInForce::Gtc);
        let order = NewOrder::Limit(LimitOrder::new(Price(ticks as u64), quantity, flags));
        let outcome = self.execute(id, CommandKind::Submit(SubmitCmd { order }));
        let CommandOutcome::Applied(CommandReport::Submit(effects)) = outcome else { return };
        let met = effects.target_order().match_result().into_iter().flat_map(|met| met.trades());
        fills.extend(met.map(|t| Fill {
            maker: t.maker_order_id().0 + 1,
            ticks: t.price().0 as i64,
            lots: t.quantity().0 as i64,
        }));
    }

    fn cancel(&mut self, n: u64, id: u64) {
        use matchcore::{CancelCmd, CommandKind, OrderId, OrderKind};
        self.execute(n, CommandKind::Cancel(CancelCmd { order_id: OrderId(id - 1), order_kind: OrderKind::Limit }));
    }
}

struct OrderbookRs {
    book: orderbook_rs::DefaultOrderBook,
}

impl Engine for OrderbookRs {
    const NAME: &'static str = "orderbook-rs 0.15";

    fn empty() -> OrderbookRs {
        OrderbookRs { book: orderbook_rs::DefaultOrderBook::new("M1") }
    }

    fn limit(&mut self, id: u64, side: Side, ticks: i64, lots: i64, fills: &mut Vec<Fill>) {
        use orderbook_rs::{Id, TimeInForce};
        let side = match side {
            Side::Buy => orderbook_rs::Side::Buy,
            Side::Sell => orderbook_rs::Side::Sell,
        };
        let (id, gtc) = (Id::Sequential(id), TimeInForce::Gtc);
        let placed = self.book.add_limit_order_with_result(id, ticks as u128, lots as u64, side, gtc, None);
        let Ok((_, Some(met))) = placed else { return };
        fills.extend(met.match_result.trades().as_vec().iter().map(|t| Fill {
            maker: match t.maker_order_id() {
                Id::Sequential(id) => id,
                _ => 0,
            },
            ticks: t.price().as_u128() as i64,
            lots: t.quantity().as_u64() as i64,
        }));
    }

    fn cancel(&mut self, _n: u64, id: u64) {
        // One that is not there is no error here.
        drop(self.book.cancel_order(orderbook_rs::Id::Sequential(id)));
    }
}

/// The first operation that `E` fills otherwise than our book.
fn fills<E: Engine>(list: &[Op]) {
    let (mut ours, mut theirs) = (Ours::empty(), E::empty());
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    for (n, op) in (1..).zip(list) {
        ours.apply(n, *op, &mut expected);
        theirs.apply(n, *op, &mut found);
        if expected != found {
            let place = format!("operation {n} ({op:?})");
            let (theirs, ours) = (found.first(), expected.first());
            let both = (found.len(), expected.len());
            report(&format!(
                "{}: WRONG at {place}: fills {}, first {theirs:?}; ours {}, first {ours:?}",
                E::NAME,
                both.0,
                both.1
            ));
            return;
        }
    }
    report(&format!("{}: {} operations filled as by {}", E::NAME, list.len(), Ours::NAME));
}

/// Times of single operations in steady state; what looking at the clock takes is in them and told beside.
fn latency<E: Engine>(list: &[Op]) {
    let (mut engine, mut fills) = (E::empty(), Vec::new());
    let (before, steady) = list.split_at(list.len() - OPS);
    for (n, op) in (1..).zip(before) {
        engine.apply(n, *op, &mut fills);
    }
    let mut times = Histogram::<u64>::new_with_max(10_000_000_000, 3).expect("a range");
    for (n, op) in (before.len() as u64 + 1..).zip(steady) {
        let begun = Instant::now();
        engine.apply(n, *op, &mut fills);
        times.saturating_record(begun.elapsed().as_nanos() as u64);
    }
    tell(E::NAME, &times);
}

fn tell(name: &str, times: &Histogram<u64>) {
    let at = |p: f64| times.value_at_quantile(p);
    report(&format!("{name:<20} p50 {} p99 {} p99.9 {} ns", at(0.5), at(0.99), at(0.999)));
}

fn clock() {
    let mut times = Histogram::<u64>::new_with_max(10_000_000_000, 3).expect("a range");
    for _ in 0..OPS {
        let begun = Instant::now();
        times.saturating_record(begun.elapsed().as_nanos() as u64);
    }
    tell("(the clock alone)", &times);
}

fn throughput<E: Engine>(c: &mut Criterion, list: &[Op], resting: usize) {
    let (before, steady) = list.split_at(list.len() - OPS);
    let filled = || {
        let (mut engine, mut fills) = (E::empty(), Vec::with_capacity(1_024));
        for (n, op) in (1..).zip(before) {
            engine.apply(n, *op, &mut fills);
        }
        (engine, fills)
    };
    time::<E>(c, &format!("{resting} resting"), steady.len(), |b| {
        b.iter_batched(
            filled,
            |(mut engine, mut fills)| {
                for (n, op) in (before.len() as u64 + 1..).zip(steady) {
                    engine.apply(n, *op, &mut fills);
                }
                engine
            },
            BatchSize::PerIteration,
        );
    });
}

/// A whole flow from an empty book on.
fn whole<E: Engine>(c: &mut Criterion, name: &str, list: &[Op]) {
    time::<E>(c, name, list.len(), |b| {
        b.iter_batched(
            || (E::empty(), Vec::with_capacity(1_024)),
            |(mut engine, mut fills)| {
                for (n, op) in (1..).zip(list) {
                    engine.apply(n, *op, &mut fills);
                }
                engine
            },
            BatchSize::PerIteration,
        );
    });
}

fn time<E: Engine>(c: &mut Criterion, group: &str, ops: usize, run: impl FnMut(&mut Bencher<'_>)) {
    let mut group = c.benchmark_group(group);
    group.sample_size(10).throughput(Throughput::Elements(ops as u64));
    group.bench_function(E::NAME, run);
    group.finish();
}

fn main() {
    let (some, many) = (flow(SEED, RESTING, OPS), flow(SEED, MANY, OPS));
    fills::<Lobster>(&some);
    fills::<Matchcore>(&some);
    fills::<OrderbookRs>(&some);
    clock();
    latency::<Ours>(&some);
    latency::<Matchcore>(&some);
    latency::<Lobster>(&some);
    latency::<OrderbookRs>(&some);
    let mut c = Criterion::default().configure_from_args();
    throughput::<Ours>(&mut c, &some, RESTING);
    throughput::<Matchcore>(&mut c, &some, RESTING);
    throughput::<Lobster>(&mut c, &some, RESTING);
    throughput::<OrderbookRs>(&mut c, &some, RESTING);
    throughput::<Ours>(&mut c, &many, MANY);
    let recordings = recordings().expect("what is recorded is readable");
    if recordings.is_empty() {
        report("no recordings are here");
    }
    for (name, list) in &recordings {
        fills::<Lobster>(list);
        fills::<Matchcore>(list);
        fills::<OrderbookRs>(list);
        whole::<Ours>(&mut c, name, list);
        whole::<Matchcore>(&mut c, name, list);
        whole::<Lobster>(&mut c, name, list);
        whole::<OrderbookRs>(&mut c, name, list);
    }
    c.final_summary();
}
