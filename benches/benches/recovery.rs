//! How long a start takes: `cargo bench -p xng-benches --bench recovery`.
//!
//! - `tail`: records a second folded from a journal on disk after a snapshot, digests checked; orders and trades of
//!   100,000 accounts. Bar 1 M/s, goal 1.6 M/s (`design/performance.md`).
//! - `snapshot`: 1,000,000 accounts with 1,000,000 open orders: load, check, recover the journal. Bar 20 s.
//!
//! Both go the way of a start (snapshot store, `World::restore`, `recover`, `folding::fold_to`).
//! `RECORDS` and `ACCOUNTS` make them smaller or larger. Beside the time that passed stands the time that the folding
//! thread had a core (a second thread reads and decodes): on a machine that does other things too, that is what says how
//! fast the code is.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_benches::Dice;
use xng_cell::clock::ManualClock;
use xng_cell::recovery::Saved;
use xng_cell::{Cell, Envelope, Ingress, Plain, World};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, SpotCommand};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, MarketId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::{Amount, FeePpm, Lots, Ticks};
use xng_core::record::{Origin, Record};
use xng_core::spot::{LevelFees, MarketCommand, MarketParams, NewOrder, OrderKind, Side, Stp, Terms, Tif};
use xng_gateway::folding::fold_to;
use xng_persistence::journal::{
    Hooks, JournalControl, JournalHandle, JournalWriter, Options, RealStorage, Started, recover,
};
use xng_persistence::snapshot::SnapshotStore;

const MARKETS: u64 = 8;
const MID: i64 = 5_000_000;
const FIRST: u64 = 100_001;
/// Commands between two waits for the disk.
const CHUNK: u64 = 2_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn params(market: u16) -> MarketParams {
    MarketParams {
        market: MarketId(market),
        version: 0,
        symbol: format!("M{market}"),
        base: AssetId(1),
        quote: AssetId(3),
        tick: Amount(1_000_000),
        step: Amount(1_000),
        min_lots: Lots(1),
        max_lots: Lots(1_000_000_000),
        min_notional: Amount::ZERO,
        band_ppm: 500_000,
        protection_ppm: 50_000,
        max_open_orders: 200,
        fees: vec![LevelFees { maker: FeePpm(800), taker: FeePpm(1_000) }],
        stale_after_ms: 0,
        house_quoted: false,
    }
}

/// An exchange that writes to a real journal.
struct Exchange {
    cell: Cell<Plain, JournalHandle, ManualClock>,
    control: JournalControl,
    writer: JournalWriter,
    told: u64,
}

impl Exchange {
    fn start(folder: &Path) -> Exchange {
        let storage = Arc::new(RealStorage::open(folder.join("journal")).expect("storage"));
        let recovered = recover(storage, Options::new(0), Lsn::ZERO).expect("an empty journal");
        let Started { handle, control, writer } = recovered.start(Hooks::new(|_| ())).expect("started");
        let cell = Cell::new(World::default(), handle, ManualClock(1));
        let mut exchange = Exchange { cell, control, writer, told: 0 };
        for market in 1..=MARKETS as u16 {
            exchange.tell(Command::Market(MarketId(market), MarketCommand::List(params(market))));
        }
        exchange
    }

    fn tell(&mut self, command: Command) {
        self.cell.admit(Ingress::Command(Envelope { ticket: None, origin: Origin::Api, request: None, command }));
        self.told += 1;
        if self.told.is_multiple_of(CHUNK) {
            self.settle();
        }
    }

    fn settle(&mut self) {
        while self.cell.turn(|_, _| {}) {}
        self.cell.hand_over();
        let last = self.cell.world().lsn();
        assert!(self.control.wait_for(last, Duration::from_secs(60)), "the disk stands still");
        while self.cell.turn(|_, _| {}) {}
    }

    fn fund(&mut self, accounts: u64) {
        for n in 0..accounts {
            let item =
                |asset| GrantItem { wallet: Wallet::Change, asset: AssetId(asset), amount: Amount::whole(1_000_000) };
            let grant = AccountCommand::Grant { kind: GrantKind::Correction, items: vec![item(1), item(3)] };
            self.tell(Command::Account(AccountId(FIRST + n), grant));
        }
        self.settle();
    }

    fn place(&mut self, account: u64, market: u16, (side, ticks, lots): (Side, i64, i64), tif: Tif) {
        let (p, ticks, lots) = (params(market), Ticks(ticks), Lots(lots));
        let terms = Terms { version: 0, asset: p.locked_asset(side), amount: p.lock(side, ticks, lots), capped: false };
        let (kind, stp, budget) = (OrderKind::Limit, Stp::ExpireTaker, Amount::ZERO);
        let market = MarketId(market);
        let new = NewOrder { market, side, kind, tif, stp, ticks, lots, budget, client_id: None, terms };
        self.tell(Command::Account(AccountId(FIRST + account), AccountCommand::Spot(SpotCommand::Place(new))));
    }

    /// Writes a snapshot of what is there; how long that takes.
    fn snapshot(&mut self, folder: &Path) -> Duration {
        self.settle();
        let digest = self.cell.state_hash();
        let world = self.cell.world();
        let began = Instant::now();
        snapshots(folder).write(world.lsn(), digest, &mut world.save(), &mut |_| Ok(digest)).expect("written");
        began.elapsed()
    }

    fn stop(mut self) -> Lsn {
        self.settle();
        let last = self.cell.world().lsn();
        drop(self.cell);
        self.writer.shutdown();
        last
    }
}

fn snapshots(folder: &Path) -> SnapshotStore {
    SnapshotStore::new(Arc::new(RealStorage::open(folder).expect("storage")), 0)
}

/// Time that passed, and time that this thread had a core.
#[derive(Clone, Copy)]
struct Spent {
    wall: Duration,
    cpu: Duration,
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2?} ({:.2?} on a core)", self.wall, self.cpu)
    }
}

/// Measures from its making or the last lap on.
struct Watch(Instant, Duration);

impl Watch {
    fn start() -> Watch {
        Watch(Instant::now(), on_core())
    }

    fn lap(&mut self) -> Spent {
        let before = std::mem::replace(self, Watch::start());
        Spent { wall: self.0 - before.0, cpu: self.1 - before.1 }
    }
}

/// How long this thread has had a core since it began.
fn on_core() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says");
    Duration::from_nanos(text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("a number"))
}

/// What each part of a start took.
struct Restart {
    loaded: Spent,
    checked: Spent,
    folded: Spent,
    tail: u64,
}

/// Starts again, as the exchange does.
fn restart(folder: &Path) -> (World<Plain>, Restart) {
    let mut watch = Watch::start();
    let store = snapshots(folder);
    let snapshot = store.valid().expect("readable").next().expect("a snapshot");
    let (lsn, digest, entries) = (snapshot.lsn(), snapshot.digest(), snapshot.entries());
    let mut world: World<Plain> = World::restore(Saved { lsn, digest, entries }).expect("it loads");
    let loaded = watch.lap();
    let storage = Arc::new(RealStorage::open(folder.join("journal")).expect("storage"));
    let recovered = recover(storage, Options::new(0), lsn).expect("it recovers");
    let checked = watch.lap();
    let last = recovered.summary().last;
    let reader = recovered.reader(lsn.next()).expect("readable");
    fold_to(&mut world, reader, last, |_| {}).expect("it folds");
    let folded = watch.lap();
    (world, Restart { loaded, checked, folded, tail: last.0 - lsn.0 })
}

/// Trades in the records from `from` on.
fn trades(folder: &Path, from: Lsn) -> u64 {
    let storage = Arc::new(RealStorage::open(folder.join("journal")).expect("storage"));
    let recovered = recover(storage, Options::new(0), from).expect("it recovers");
    let (last, mut reader) = (recovered.summary().last, recovered.reader(from).expect("readable"));
    let mut trades = 0;
    while let Some(batch) = reader.next_batch(last).expect("whole") {
        for (_, bytes) in batch.records() {
            Record::decode(bytes).expect("it reads").fact.each_execution(|_| trades += 1);
        }
    }
    trades
}

fn report(text: &str) {
    use std::io::Write;
    writeln!(std::io::stdout(), "{text}").expect("somebody reads");
}

fn tail() {
    let (accounts, records) = (number("ACCOUNTS", 100_000), number("RECORDS", 2_000_000));
    let folder = tempfile::tempdir().expect("a folder");
    let (mut exchange, mut dice) = (Exchange::start(folder.path()), Dice(1));
    exchange.fund(accounts);
    exchange.snapshot(folder.path());
    let from = exchange.cell.world().lsn().0;
    let mut orders = 0_u64;
    while exchange.cell.world().lsn().0 < from + records {
        let side = if dice.below(2) == 0 { Side::Buy } else { Side::Sell };
        let (ticks, lots) = (MID + dice.below(21) as i64 - 10, 1 + dice.below(50) as i64);
        let tif = if dice.below(2) == 0 { Tif::Gtc } else { Tif::Ioc };
        exchange.place(dice.below(accounts), 1 + dice.below(MARKETS) as u16, (side, ticks, lots), tif);
        orders += 1;
    }
    exchange.settle();
    let state = exchange.cell.state_hash();
    exchange.stop();
    let (mut world, Restart { loaded, checked, folded, tail }) = restart(folder.path());
    assert_eq!(world.state_hash(), state, "the same state");
    let trades = trades(folder.path(), Lsn(from + 1));
    let rate = |time: Duration| tail as f64 / time.as_secs_f64();
    report(&format!(
        "tail: {tail} records ({orders} orders, {trades} trades, {accounts} accounts) folded in {folded}: {:.0} records/s, \
         {:.0} a second on a core; snapshot loaded in {loaded}, blocks checked in {checked}",
        rate(folded.wall),
        rate(folded.cpu),
    ));
}

fn snapshot() {
    let accounts = number("ACCOUNTS", 1_000_000);
    let folder = tempfile::tempdir().expect("a folder");
    let (mut exchange, mut dice) = (Exchange::start(folder.path()), Dice(2));
    exchange.fund(accounts);
    for account in 0..accounts {
        let away = 1 + dice.below(5_000) as i64;
        let (side, ticks) = if dice.below(2) == 0 { (Side::Buy, MID - away) } else { (Side::Sell, MID + away) };
        let lots = 1 + dice.below(50) as i64;
        exchange.place(account, 1 + dice.below(MARKETS) as u16, (side, ticks, lots), Tif::Gtc);
    }
    let written = exchange.snapshot(folder.path());
    let (state, open) = (exchange.cell.state_hash(), open_orders(exchange.cell.world()));
    exchange.stop();
    let (mut world, Restart { loaded, checked, folded, tail }) = restart(folder.path());
    let ready = [loaded, checked, folded].iter().map(|part| part.wall).sum::<Duration>();
    assert_eq!((world.state_hash(), open_orders(&world)), (state, open), "the same state");
    report(&format!(
        "snapshot: {accounts} accounts, {open} open orders: written in {written:.2?}; ready in {ready:.2?}: loaded and \
         checked in {loaded}, blocks of the journal checked in {checked}, {tail} records folded in {folded}"
    ));
}

fn open_orders(world: &World<Plain>) -> usize {
    world.markets().iter().map(|(_, market)| market.book().0.len()).sum()
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|arg| name.contains(arg.as_str()));
    if runs("tail") {
        tail();
    }
    if runs("snapshot") {
        snapshot();
    }
}
