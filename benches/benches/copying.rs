//! What copy trading costs a cell: a trader's ticket and its copies, and orders of others meanwhile.
//!
//! Stands for: a trader with very many followers who opens and closes. Orders are told beside orders of a cell that copies
//! nothing: ratios of one run say more than times.
//!
//! Owns: a contract, a trader, followers, and what is measured of them. Never does: touch a disk. Invariants: each follower has
//! one copy of each ticket, and none when the trader's is closed. Known limits: the cell alone; `FOLLOWERS` sets how many there are.

use std::time::{Duration, Instant};
use xng_benches::tickets::{SETTLE, params, wanted};
use xng_benches::{Dice, Nowhere, Size, account_id, busy_cell, number, order, report, tell};
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Plain};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, CopyCommand, OpenTicket, TicketCommand};
use xng_core::contract::ContractCommand;
use xng_core::copy::{FollowKind, FollowTerms, TraderTerms};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, EntityId, MarketId, PriceId, Wallet};
use xng_core::money::{Amount, Lots, ONE};
use xng_core::price::facts::PriceListed;
use xng_core::price::{PriceCommand, SourcePrice};

// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PRICE: PriceId = PriceId(1);
const CONTRACT: MarketId = MarketId(512);
const SECOND: u64 = 1_000_000_000;
/// Tickets of the trader that are copied and closed.
const TICKETS: u64 = 50;

type Measured = Cell<Plain, Nowhere, ManualClock>;

fn run(cell: &mut Measured) {
    while cell.turn(|_, _| {}) {}
}

fn tick(cell: &mut Measured, hundredths: i64) {
    let said = SourcePrice { source: 1, price: Amount((50_000 * 100 + i128::from(hundredths)) * ONE / 100) };
    tell(cell, Command::Price(PRICE, PriceCommand::Push(said)));
    run(cell);
}

fn trader() -> AccountId {
    account_id(0)
}

fn copying(cell: &mut Measured, account: AccountId, command: CopyCommand) {
    tell(cell, Command::Account(account, AccountCommand::Copy(command)));
}

/// A cell with a contract, and a trader whom so many follow.
fn started(followers: u64) -> Measured {
    let mut cell = busy_cell(Nowhere::default(), Size { accounts: followers + 100, markets: 1 });
    cell.clock().0 = 1_700_000_000 * SECOND;
    tell(&mut cell, Command::Contract(CONTRACT, ContractCommand::List(Box::new(params(CONTRACT, PRICE)))));
    let hearers = vec![EntityId::Market(MarketId(1)), EntityId::Contract(CONTRACT)];
    let listed = PriceListed { price: PRICE, symbol: "M1".into(), hearers };
    tell(&mut cell, Command::Price(PRICE, PriceCommand::List(listed)));
    tick(&mut cell, 0);
    copying(&mut cell, trader(), CopyCommand::SetTrader(Some(TraderTerms { asset: SETTLE, share_ppm: 100_000 })));
    for n in 0..=followers {
        let items = vec![GrantItem { wallet: Wallet::Futures, asset: SETTLE, amount: Amount::whole(1_000_000) }];
        let grant = AccountCommand::Grant { kind: GrantKind::Correction, items };
        tell(&mut cell, Command::Account(account_id(n), grant));
        if n > 0 {
            let terms = FollowTerms { kind: FollowKind::Multiple, number: 1_000 };
            copying(&mut cell, account_id(n), CopyCommand::Follow { trader: trader(), terms });
        }
        if n % 1_000 == 0 {
            run(&mut cell);
        }
    }
    run(&mut cell);
    cell
}

/// What is left for the trader to do, and copies that are open.
fn left(cell: &Measured) -> (usize, usize) {
    cell.world().traders().get(trader()).map_or((0, 0), |trader| (trader.left(), trader.links().count()))
}

/// Runs until nothing is left; how long it took.
fn copied(cell: &mut Measured, command: TicketCommand) -> Duration {
    tell(cell, Command::Account(trader(), AccountCommand::Tickets(command)));
    let began = Instant::now();
    cell.turn(|_, _| {});
    while left(cell).0 > 0 {
        cell.turn(|_, _| {});
    }
    began.elapsed()
}

fn one_order(cell: &mut Measured, dice: &mut Dice) -> Duration {
    tell(cell, order(dice, Size { accounts: 10, markets: 1 }));
    let began = Instant::now();
    cell.turn_with_probe(&mut (), |_, _| {});
    let took = began.elapsed();
    cell.rehash_incrementally();
    took
}

fn percentile(times: &mut [Duration], of_hundred: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * of_hundred / 100).min(times.len() - 1)]
}

fn measured(followers: u64) {
    let mut cell = started(followers);
    let long = OpenTicket { lots: Lots(100), ..wanted(0, CONTRACT) };
    let (mut opened, mut closed) = (Vec::new(), Vec::new());
    for n in 0..TICKETS {
        opened.push(copied(&mut cell, TicketCommand::Open(long)));
        assert_eq!(left(&cell).1, followers as usize, "each follower has one");
        tick(&mut cell, (n % 7) as i64);
        closed.push(copied(&mut cell, TicketCommand::CloseAll { contract: None, direction: None }));
        assert_eq!(left(&cell).1, 0, "and none afterwards");
    }
    let ms = |times: &mut [Duration], part| percentile(times, part).as_secs_f64() * 1e3;
    report(&format!(
        "{followers} followers: from a trader's record to the last copy p50 {:.1} ms, p99 {:.1} ms; to the last close \
         p50 {:.1} ms, p99 {:.1} ms",
        ms(&mut opened, 50),
        ms(&mut opened, 99),
        ms(&mut closed, 50),
        ms(&mut closed, 99),
    ));
    let mut dice = Dice(1);
    let mut before: Vec<Duration> = (0..2_000).map(|_| one_order(&mut cell, &mut dice)).collect();
    let mut beside = Vec::new();
    while beside.len() < 2_000 {
        tell(&mut cell, Command::Account(trader(), AccountCommand::Tickets(TicketCommand::Open(long))));
        cell.turn(|_, _| {});
        while left(&cell).0 > 0 {
            beside.push(one_order(&mut cell, &mut dice));
        }
        copied(&mut cell, TicketCommand::CloseAll { contract: None, direction: None });
    }
    let (without, with) = (percentile(&mut before, 99), percentile(&mut beside, 99));
    report(&format!(
        "an order meanwhile, of {}: p99 {:.1} us, {:.2} of that without ({:.1} us)",
        beside.len(),
        with.as_secs_f64() * 1e6,
        with.as_secs_f64() / without.as_secs_f64(),
        without.as_secs_f64() * 1e6
    ));
}

fn main() {
    match number("FOLLOWERS", 0) {
        0 => [1_000, 10_000].into_iter().for_each(measured),
        followers => measured(followers),
    }
}
