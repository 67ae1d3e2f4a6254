//! What contracts cost a cell: ticks that reach nobody, alarms, a fall that ends many tickets at once, nights.
//!
//! Stands for: the path from a tick of an index to the mark, the board and the sorted prices at which accounts look again.
//! Figures of one run beside those of a spot pair's tick say more than times.
//!
//! Owns: contracts with tickets of very many accounts, and what is measured of them. Never does: touch a disk. Invariants:
//! every ticket that should end has ended when a row is printed. Known limits: the cell alone, so an order's time is that of
//! its turn; `TICKETS` and `CONTRACTS` set how many there are.

mod legs;

use std::time::{Duration, Instant};
use xng_benches::tickets::SETTLE;
use xng_benches::{Dice, Nowhere, Size, account_id, busy_cell, number, order, report, tell};
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Plain};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, OpenTicket, TicketCommand};
use xng_core::contract::ContractCommand;
use xng_core::contract::params::{ContractParams, FIRST_CONTRACT};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, EntityId, MarketId, PriceId, Wallet};
use xng_core::money::{Amount, ONE};
use xng_core::price::facts::PriceListed;
use xng_core::price::{PriceCommand, SourcePrice};

// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Bare = Cell<Plain, Nowhere, ManualClock>;

/// Where indices begin, whole.
const MIDDLE: i64 = 50_000;
/// The price that only the spot market hears.
const SPOT: PriceId = PriceId(1);
const DAY_NS: u64 = 86_400_000_000_000;
const WALLET: Wallet = Wallet::Futures;

fn contract(n: u64) -> MarketId {
    MarketId(FIRST_CONTRACT + n as u16)
}

fn price_of(n: u64) -> PriceId {
    PriceId(10 + n as u16)
}

fn params(n: u64) -> ContractParams {
    xng_benches::tickets::params(contract(n), price_of(n))
}

fn run(cell: &mut Bare) {
    while cell.turn(|_, _| {}) {}
}

/// A tick, and all that follows from it.
fn tick(cell: &mut Bare, price: PriceId, at: Amount) -> Duration {
    cell.clock().0 += 1_000_000;
    let said = SourcePrice { source: 1, price: at };
    tell(cell, Command::Price(price, PriceCommand::Push(said)));
    let began = Instant::now();
    run(cell);
    began.elapsed()
}

/// Hundredths away from the middle.
fn at(hundredths: i64) -> Amount {
    Amount(i128::from(MIDDLE * 100 + hundredths) * ONE / 100)
}

/// A cell whose accounts have a ticket each, on contracts by turns; every second one a cross ticket.
fn with_tickets(tickets: u64, contracts: u64) -> Bare {
    let mut cell = busy_cell(Nowhere::default(), Size { accounts: 10, markets: 1 });
    cell.clock().0 = 20_000 * DAY_NS + 1;
    let hears = |price, symbol: String, hearer| {
        Command::Price(price, PriceCommand::List(PriceListed { price, symbol, hearers: vec![hearer] }))
    };
    tell(&mut cell, hears(SPOT, "M1".into(), EntityId::Market(MarketId(1))));
    for n in 0..contracts {
        tell(&mut cell, Command::Contract(contract(n), ContractCommand::List(Box::new(params(n)))));
        tell(&mut cell, hears(price_of(n), format!("C{n}"), EntityId::Contract(contract(n))));
        run(&mut cell);
        tick(&mut cell, price_of(n), at(0));
    }
    for n in 0..tickets {
        let items = vec![GrantItem { wallet: WALLET, asset: SETTLE, amount: Amount::whole(200) }];
        let of = |command| Command::Account(account_id(n), command);
        tell(&mut cell, of(AccountCommand::Grant { kind: GrantKind::Correction, items }));
        tell(&mut cell, of(AccountCommand::Tickets(TicketCommand::Open(wanted(n, contracts)))));
        if n.is_multiple_of(100) {
            run(&mut cell);
        }
    }
    run(&mut cell);
    assert_eq!(open(&cell), tickets, "each has its ticket");
    cell
}

fn wanted(n: u64, contracts: u64) -> OpenTicket {
    xng_benches::tickets::wanted(n, contract(n % contracts))
}

fn open(cell: &Bare) -> u64 {
    cell.world().accounts().iter().map(|(_, account)| account.tickets().len() as u64).sum()
}

fn percentile(sorted: &[Duration], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6
}

/// Ticks that reach nobody, by turns with those of the spot pair.
fn ticks(cell: &mut Bare, rounds: u64, contracts: u64) {
    let mut took: [Vec<Duration>; 2] = Default::default();
    for round in 0..rounds {
        let near = at(round as i64 % 7 - 3);
        took[0].push(tick(cell, SPOT, near));
        took[1].push(tick(cell, price_of(round % contracts), near));
    }
    took.iter_mut().for_each(|all| all.sort_unstable());
    for share in [0.5, 0.99] {
        let [spot, ours] = [0, 1].map(|n| percentile(&took[n], share));
        report(&format!(
            "tick that reaches nobody, p{:.0} of {rounds}: {ours:.2} µs; a spot pair's {spot:.2} µs; ratio {:.2}",
            share * 100.0,
            ours / spot
        ));
    }
}

/// One contract's index falls until about `count` tickets are at their end.
fn fall(cell: &mut Bare, count: u64) {
    let mut ends: Vec<Amount> = cell
        .world()
        .accounts()
        .iter()
        .flat_map(|(_, account)| account.tickets())
        .filter(|ticket| ticket.terms.contract == contract(0))
        .filter_map(|ticket| ticket.liquidation_index(Amount(ONE / 100)))
        .collect();
    ends.sort_unstable_by(|a, b| b.cmp(a));
    let Some(end) = ends.get(count as usize / 2) else { return };
    let before = open(cell);
    let took = tick(cell, price_of(0), *end);
    let gone = before - open(cell);
    let each = took.as_secs_f64() * 1e6 / gone.max(1) as f64;
    let ms = took.as_secs_f64() * 1e3;
    report(&format!("{gone} tickets end at one tick: {ms:.2} ms, {each:.2} µs each"));
    assert!(gone > 0, "somebody ended");
}

/// Orders in a loop, first alone, then while the nights of all accounts are charged.
fn nights(cell: &mut Bare) {
    let size = Size { accounts: 10, markets: 1 };
    let mut dice = Dice(3);
    let mut turn = |cell: &mut Bare| {
        tell(cell, order(&mut dice, size));
        let began = Instant::now();
        let more = cell.turn(|_, _| {});
        (began.elapsed(), more)
    };
    let mut alone: Vec<Duration> = (0..20_000).map(|_| turn(cell).0).collect();
    run(cell);
    let before = cell.world().lsn();
    cell.clock().0 = (cell.clock().0 / DAY_NS + 1) * DAY_NS;
    let (began, mut beside) = (Instant::now(), Vec::new());
    // Until no timer is due any more: those of other accounts are a day away.
    while cell.next_deadline().is_some_and(|due| due <= cell.clock().0) {
        beside.push(turn(cell).0);
    }
    let took = began.elapsed().as_secs_f64();
    [&mut alone, &mut beside].into_iter().for_each(|all| all.sort_unstable());
    let records = cell.world().lsn().0 - before.0;
    report(&format!(
        "nights of {} accounts: {took:.2} s, {records} records; a turn with an order p99 {:.1} µs, alone {:.1} µs",
        open(cell),
        percentile(&beside, 0.99),
        percentile(&alone, 0.99)
    ));
    let charged = cell.world().accounts().iter().flat_map(|(_, account)| account.tickets());
    assert!(charged.into_iter().all(|ticket| ticket.nights.is_positive()), "every ticket paid");
}

fn main() {
    legs::all();
    let (tickets, contracts) = (number("TICKETS", 100_000), number("CONTRACTS", 20));
    let began = Instant::now();
    let mut cell = with_tickets(tickets, contracts);
    let each = began.elapsed().as_secs_f64() * 1e6 / tickets as f64;
    report(&format!("{tickets} tickets on {contracts} contracts opened, {each:.2} µs each with their money"));
    assert!(cell.world().accounts().get(AccountId::LEVER_HOUSE).is_none(), "nothing has ended yet");
    ticks(&mut cell, number("ROUNDS", 20_000), contracts);
    nights(&mut cell);
    for n in 0..contracts {
        tick(&mut cell, price_of(n), at(0));
    }
    for count in [1, 100, 1_000] {
        fall(&mut cell, count);
    }
}
