//! What seconds options cost a cell: very many that expire at once, rounds that come and go, conversions beside.
//!
//! Stands for: an expiry that thousands share, and a year of rounds. Settling is told beside the time that folding as many
//! transfers takes, and orders beside orders of a cell that settles nothing: ratios of one run say more than times. The first
//! options of a process also pay for its memory, which the operating system gives in large pages; those after them do not.
//!
//! Owns: a desk with options of very many accounts, and what is measured of them. Never does: touch a disk. Invariants:
//! every option has ended when a row is printed; the state is that of a fold. Known limits: the cell alone; `OPTIONS`, `ROUNDS`
//! and `CONVERSIONS` set how many there are, `AGAIN` how often options are settled after the first time.

use std::time::{Duration, Instant};
use xng_benches::tickets::SETTLE;
use xng_benches::{Dice, Kept, Nowhere, Size, account_id, busy_cell, number, order, report, tell};
use xng_cell::cell::ADMIT;
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Plain, World};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, Conversion, ConvertCommand, EnterOption, SecondsCommand};
use xng_core::convert::params::{ConvertAsset, ConvertParams};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, EntityId, MarketId, PriceId, Wallet};
use xng_core::journal::{Batch, Journal, Lsn};
use xng_core::money::{Amount, ONE};
use xng_core::price::facts::PriceListed;
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::seconds::DeskId;
use xng_core::seconds::desk::DeskCommand;
use xng_core::seconds::params::DeskParams;
use xng_core::seconds::rules::OptionSide;

// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PRICE: PriceId = PriceId(1);
const SECOND: u64 = 1_000_000_000;
/// The shortest options that there may be.
const LIVES: u64 = 11;

/// What options are opened on.
fn desk(place: u16) -> DeskParams {
    DeskParams {
        version: 0,
        desk: DeskId::of(MarketId(1), place),
        price: PRICE,
        seconds: LIVES as u32,
        asset: SETTLE,
        ratio_ppm: 750_000,
        fee_ppm: 10_000,
        stake: (Amount(1), Amount::whole(1_000)),
        most_open: u8::MAX,
        minute_cap: Amount::whole(1_000_000_000),
        day_cap: Amount::whole(1_000_000_000),
        fresh_ms: 2_000,
        open: true,
    }
}

fn run<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>) {
    while cell.turn(|_, _| {}) {}
}

fn tick<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, hundredths: i64) {
    let said = SourcePrice { source: 1, price: Amount((50_000 * 100 + i128::from(hundredths)) * ONE / 100) };
    tell(cell, Command::Price(PRICE, PriceCommand::Push(said)));
}

fn grant<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, account: AccountId, wallet: Wallet, whole: i64) {
    let items = vec![GrantItem { wallet, asset: SETTLE, amount: Amount::whole(whole) }];
    tell(cell, Command::Account(account, AccountCommand::Grant { kind: GrantKind::Correction, items }));
}

/// A cell with a desk and a price.
fn started<J: Journal>(journal: J, accounts: u64) -> Cell<Plain, J, ManualClock> {
    let mut cell = busy_cell(journal, Size { accounts, markets: 1 });
    cell.clock().0 = 1_700_000_000 * SECOND;
    let hearers = vec![EntityId::Market(MarketId(1))];
    tell(
        &mut cell,
        Command::Price(PRICE, PriceCommand::List(PriceListed { price: PRICE, symbol: "M1".into(), hearers })),
    );
    tell(&mut cell, Command::Seconds(desk(0).desk, DeskCommand::SetParams(Box::new(desk(0)))));
    tick(&mut cell, 0);
    run(&mut cell);
    cell
}

fn enter(n: u64) -> Command {
    let side = if n.is_multiple_of(2) { OptionSide::Rise } else { OptionSide::Fall };
    let enter = EnterOption { desk: desk(0).desk, side, stake: Amount::whole(1), coupon: None, version: None };
    Command::Account(account_id(n), AccountCommand::Seconds(SecondsCommand::Enter(enter)))
}

/// The time of folding the records after `from`.
fn folded(records: &Batch, from: Lsn) -> Duration {
    let mut world = World::<Plain>::default();
    let mut began = Instant::now();
    for (lsn, bytes) in records.records() {
        if lsn == from.next() {
            began = Instant::now();
        }
        world.fold(lsn, bytes).expect("a record of this cell");
    }
    began.elapsed()
}

/// Times of orders, each by itself, while something else goes on.
fn orders<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, dice: &mut Dice, count: u64) -> Vec<Duration> {
    let one = |_| {
        tell(cell, order(dice, Size { accounts: 10, markets: 1 }));
        turn(cell)
    };
    (0..count).map(one).collect()
}

fn p99(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Options that the desk has open.
fn open<J: Journal>(cell: &Cell<Plain, J, ManualClock>) -> u64 {
    cell.world().desks().get(desk(0).desk).map_or(0, |desk| desk.open())
}

/// A turn without what is done for the state hash: a fold does not take it either.
fn turn<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>) -> Duration {
    let began = Instant::now();
    cell.turn_with_probe(&mut (), |_, _| {});
    let took = began.elapsed();
    cell.rehash_incrementally();
    took
}

/// A cell in which so many accounts have money for options.
fn with_money<J: Journal>(journal: J, accounts: u64) -> Cell<Plain, J, ManualClock> {
    let mut cell = started(journal, accounts.max(10));
    (0..accounts).for_each(|n| grant(&mut cell, account_id(n), Wallet::Options, 100));
    run(&mut cell);
    cell
}

/// Transfers, each account one: the time of the turns.
fn transfers<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, count: u64) -> Duration {
    let mut took = Duration::ZERO;
    for n in 0..count {
        let amount = Amount(1);
        let transfer = AccountCommand::Transfer { asset: SETTLE, from: Wallet::Options, to: Wallet::Spot, amount };
        tell(cell, Command::Account(account_id(n), transfer));
        if (n + 1) % ADMIT as u64 == 0 || n + 1 == count {
            took += turn(cell);
        }
    }
    took
}

/// The time of folding as many.
fn folded_transfers(count: u64) -> Duration {
    let mut cell = with_money(Kept::default(), count);
    let from = cell.world().lsn();
    transfers(&mut cell, count);
    run(&mut cell);
    folded(&cell.journal().all, from)
}

/// As many options of one second as accounts, due at the next turn.
fn due<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, options: u64) {
    (0..options).for_each(|n| tell(cell, enter(n)));
    run(cell);
    assert_eq!(open(cell), options, "each account has one");
    cell.clock().0 += (LIVES - 1) * SECOND;
    tick(cell, 100);
    run(cell);
    cell.clock().0 += 2 * SECOND;
    tick(cell, 100);
    // The tick is taken; what follows is the settling.
    cell.turn(|_, _| {});
}

/// The time of settling these, in turns that do nothing else.
fn settled<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, options: u64) -> Duration {
    due(cell, options);
    let mut settled = Duration::ZERO;
    while open(cell) > 0 {
        settled += turn(cell);
    }
    settled
}

/// Options of one second, settled at once.
fn settling(options: u64) {
    let fold = folded_transfers(options);
    let mut cell = with_money(Nowhere::default(), options);
    let live = transfers(&mut cell, options);
    let first = settled(&mut cell, options);
    let again = median((0..number("AGAIN", 5)).map(|_| settled(&mut cell, options)).collect());
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let of_fold = |time: Duration| format!("{:.1} ms, {:.2}", ms(time), ms(time) / ms(fold));
    report(&format!(
        "{options} options of one second: settled in {} of folding as many transfers ({:.1} ms), the first in {}; \
         the transfers themselves in {}",
        of_fold(again),
        ms(fold),
        of_fold(first),
        of_fold(live)
    ));
    // In each turn an order, and some that are settled.
    let mut dice = Dice(1);
    let (before, mut beside) = (p99(orders(&mut cell, &mut dice, 2_000)), Vec::new());
    due(&mut cell, options);
    while open(&cell) > 0 {
        beside.extend(orders(&mut cell, &mut dice, 1));
    }
    let (turns, beside) = (beside.len(), p99(beside));
    report(&format!(
        "an order meanwhile, of {turns}: p99 {:.1} us, {:.2} of that without ({:.1} us)",
        beside.as_secs_f64() * 1e6,
        beside.as_secs_f64() / before.as_secs_f64(),
        before.as_secs_f64() * 1e6
    ));
}

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4_096
}

/// A second in which an option is opened, and another one ends.
fn round<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, n: u64) {
    cell.clock().0 += SECOND;
    tell(cell, enter(0));
    tick(cell, (n % 3) as i64);
    run(cell);
}

/// Rounds of one option each, a second apart: what is left of them.
fn rounds(count: u64) {
    let mut cell = started(Nowhere::default(), 10);
    grant(&mut cell, account_id(0), Wallet::Options, 1_000_000_000);
    let began = Instant::now();
    let (mut most, mut warm) = (0, 0);
    for n in 0..count {
        round(&mut cell, n);
        most = most.max(cell.world().rounds().len());
        if n == count / 10 {
            warm = resident();
        }
    }
    let (took, after) = (began.elapsed(), resident());
    // The same life, shorter, is folded.
    let mut kept = started(Kept::default(), 10);
    grant(&mut kept, account_id(0), Wallet::Options, 1_000_000_000);
    (0..count.min(20_000)).for_each(|n| round(&mut kept, n));
    let mut world = World::<Plain>::default();
    for (lsn, bytes) in kept.journal().all.records() {
        world.fold(lsn, bytes).expect("a record of this cell");
    }
    assert_eq!(world.state_hash(), kept.state_hash(), "the live state is the fold");
    report(&format!(
        "{count} rounds: {most} at once at most, {:.1} us each; resident {:.1} MB after a tenth of them, {:.1} MB at the end",
        took.as_secs_f64() * 1e6 / count as f64,
        warm as f64 / 1e6,
        after as f64 / 1e6
    ));
}

/// Conversions without a quote, one after the other.
fn conversions(count: u64) {
    let mut cell = started(Nowhere::default(), 10);
    let base = AssetId(1);
    let listed = |asset, price| ConvertAsset { asset, price, daily_cap: Amount::whole(1_000_000_000) };
    let params = ConvertParams {
        version: 0,
        spread_ppm: 0,
        fee_ppm: 1_000,
        guard_ppm: 3_000,
        value: (Amount(1), Amount::whole(50_000)),
        stale_after_ms: 5_000,
        quote_ms: 10_000,
        dust_limit: Amount::whole(5),
        dust_fee_ppm: 1_000,
        dust_into: SETTLE,
        assets: vec![listed(base, Some(PRICE)), listed(SETTLE, None)],
    };
    let set = ConvertCommand::SetParams(Box::new(params));
    tell(&mut cell, Command::Account(AccountId::CONVERT_HOUSE, AccountCommand::Convert(set)));
    grant(&mut cell, account_id(0), Wallet::Spot, 1_000_000_000);
    tick(&mut cell, 0);
    run(&mut cell);
    let before = cell.counters().rejects;
    let began = Instant::now();
    for _ in 0..count {
        let wanted = Conversion { from: SETTLE, to: base, amount: Amount::whole(1), quote: None };
        tell(&mut cell, Command::Account(account_id(0), AccountCommand::Convert(ConvertCommand::Convert(wanted))));
        cell.turn(|_, _| {});
    }
    run(&mut cell);
    assert_eq!(cell.counters().rejects, before, "all are converted");
    report(&format!("a conversion: {:.2} us, {count} of them", began.elapsed().as_secs_f64() * 1e6 / count as f64));
}

fn main() {
    settling(number("OPTIONS", 10_000));
    rounds(number("ROUNDS", 1_000_000));
    conversions(number("CONVERSIONS", 100_000));
}
