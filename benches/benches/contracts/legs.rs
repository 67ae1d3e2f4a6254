//! What legs cost a cell: orders of a contract's book beside spot's, memory, a period of funding, deleveraging.
//!
//! Stands for: the path of an order of a book, and what happens to all positions at once.
//!
//! Owns: a contract with a book, and legs of very many accounts. Never does: touch a disk. Invariants: every leg is there, has
//! paid, or is gone when its row is printed. Known limits: `LEGS` sets how many there are; memory is that of the process.

use crate::{Bare, SETTLE, WALLET, at, contract, params, percentile, price_of, run, tick};
use std::time::{Duration, Instant};
use xng_benches::{Dice, Nowhere, Size, account_id, busy_cell, number, order, report, tell};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, LegCommand};
use xng_core::contract::ContractCommand;
use xng_core::contract::book::BookCommand;
use xng_core::contract::book::order::{LegSide, NewBookOrder};
use xng_core::contract::book::params::{BookParams, FundingParams};
use xng_core::contract::facts::MarginMode;
use xng_core::entity::Command;
use xng_core::ids::{AccountId, EntityId};
use xng_core::market::{LevelFees, OrderKind, Side, Stp, Tif};
use xng_core::money::{Amount, FeePpm, Lots, Ticks};
use xng_core::price::PriceCommand;
use xng_core::price::facts::PriceListed;

const PERIOD_S: u32 = 28_800;
/// Whole units of the index at the beginning, in ticks.
const MID: i64 = 5_000_000;

fn book() -> BookParams {
    BookParams {
        contract: contract(0),
        version: 0,
        lots: (Lots(1), Lots(1_000_000)),
        fees: vec![LevelFees { maker: FeePpm(200), taker: FeePpm(400) }],
        max_open_orders: 1_000_000,
        band_ppm: 50_000,
        protection_ppm: 50_000,
        funding: FundingParams {
            interest: Amount(10_000),
            inner: Amount(50_000),
            cap: Amount(300_000),
            period_s: PERIOD_S,
        },
        liquidation_ppm: 5_000,
        quota_ppm: 100_000,
    }
}

fn legs(who: AccountId, command: LegCommand) -> Command {
    Command::Account(who, AccountCommand::Legs(command))
}

fn place(who: AccountId, side: Side, ticks: i64, lots: i64, tif: Tif) -> Command {
    let wanted = NewBookOrder {
        contract: contract(0),
        versions: (0, 0),
        side,
        leg: LegSide::Both,
        kind: OrderKind::Limit,
        tif,
        stp: Stp::ExpireTaker,
        ticks: Ticks(ticks),
        lots: Lots(lots),
        reduce_only: false,
        client_id: None,
    };
    legs(who, LegCommand::Place(wanted))
}

fn fund(cell: &mut Bare, who: AccountId, whole: i64) {
    let items = vec![GrantItem { wallet: WALLET, asset: SETTLE, amount: Amount::whole(whole) }];
    tell(cell, Command::Account(who, AccountCommand::Grant { kind: GrantKind::Correction, items }));
}

/// A cell with one contract that has a book, at its first mark.
fn with_book(accounts: u64) -> Bare {
    let mut cell = busy_cell(Nowhere::default(), Size { accounts, markets: 1 });
    cell.clock().0 = 20_000 * crate::DAY_NS + 1;
    let mut terms = params(0);
    // Nobody's position is ever too large for it: what is refused costs little, and would make the rest look cheap.
    terms.brackets.list[0].ceiling = Amount::whole(1_000_000_000_000);
    tell(&mut cell, Command::Contract(contract(0), ContractCommand::List(Box::new(terms))));
    let list = ContractCommand::Book(BookCommand::List(Box::new(book())));
    tell(&mut cell, Command::Contract(contract(0), list));
    let hearers = vec![EntityId::Contract(contract(0))];
    let listed = PriceListed { price: price_of(0), symbol: "C0".into(), hearers };
    tell(&mut cell, Command::Price(price_of(0), PriceCommand::List(listed)));
    run(&mut cell);
    tick(&mut cell, price_of(0), at(0));
    cell
}

/// Orders of the book and of spot by turns, of the same shape.
fn beside_spot(rounds: u64) {
    let size = Size { accounts: 100, markets: 1 };
    let mut cell = with_book(size.accounts);
    (0..size.accounts).for_each(|n| fund(&mut cell, account_id(n), 100_000_000));
    run(&mut cell);
    let (mut dice, mut took) = (Dice(5), [Duration::ZERO; 2]);
    let in_book = |dice: &mut Dice| {
        let side = if dice.below(2) == 0 { Side::Buy } else { Side::Sell };
        let (ticks, lots) = (MID + dice.below(21) as i64 - 10, 1 + dice.below(50) as i64);
        let tif = if dice.below(2) == 0 { Tif::Gtc } else { Tif::Ioc };
        place(account_id(dice.below(size.accounts)), side, ticks, lots, tif)
    };
    let at_a_time = 500;
    for round in 0..rounds / at_a_time * 2 {
        for _ in 0..at_a_time {
            let command = if round % 2 == 0 { order(&mut dice, size) } else { in_book(&mut dice) };
            tell(&mut cell, command);
        }
        let began = Instant::now();
        run(&mut cell);
        took[round as usize % 2] += began.elapsed();
    }
    let [spot, ours] = took.map(|took| rounds as f64 / took.as_secs_f64());
    report(&format!("orders of a book: {ours:.0}/s; of spot: {spot:.0}/s; ratio {:.2}", ours / spot));
}

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4_096
}

/// Two at a time trade with each other; every long of a different account, and every short.
fn open(cell: &mut Bare, count: u64) {
    for n in 0..count {
        fund(cell, account_id(1_000 + n), 1_000);
        if n.is_multiple_of(500) {
            run(cell);
        }
    }
    run(cell);
    let (before, began) = (resident(), Instant::now());
    for n in (0..count).step_by(2) {
        tell(cell, place(account_id(1_000 + n), Side::Sell, MID, 1, Tif::Gtc));
        tell(cell, place(account_id(1_001 + n), Side::Buy, MID, 1, Tif::Gtc));
        run(cell);
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / count as f64;
    let bytes = resident().saturating_sub(before) / count;
    assert_eq!(
        cell.world().contracts().get(contract(0)).and_then(|c| c.book()).map(|b| b.legs().all().count()),
        Some(count as usize)
    );
    report(&format!("{count} legs opened, {each:.2} µs each; {bytes} bytes each with mirror and alarms"));
}

/// Spot orders in a loop, first alone, then while all legs pay.
fn funding(cell: &mut Bare) {
    let size = Size { accounts: 100, markets: 1 };
    let mut dice = Dice(3);
    let mut turn = |cell: &mut Bare| {
        tell(cell, order(&mut dice, size));
        let began = Instant::now();
        cell.turn(|_, _| {});
        began.elapsed()
    };
    let mut alone: Vec<Duration> = (0..20_000).map(|_| turn(cell)).collect();
    run(cell);
    let period = u64::from(PERIOD_S) * 1_000_000_000;
    cell.clock().0 = (cell.clock().0 / period + 1) * period - 1_000_000;
    tick(cell, price_of(0), at(0));
    let index = |cell: &Bare| {
        let book = cell.world().contracts().get(contract(0)).and_then(|c| c.book()).expect("it has a book");
        let first = book.legs().all().map(|(_, leg)| leg.funding_index).min().expect("somebody has a leg");
        (book.funding_index(), first)
    };
    cell.clock().0 += 2_000_000;
    let (began, mut beside) = (Instant::now(), Vec::new());
    let mut looked = 0;
    loop {
        beside.push(turn(cell));
        looked += 1;
        if looked % 50 == 0 {
            let (now, first) = index(cell);
            if now.is_positive() && now == first {
                break;
            }
        }
        assert!(began.elapsed() < Duration::from_secs(60), "all pay: {:?}", index(cell));
    }
    let took = began.elapsed().as_secs_f64();
    [&mut alone, &mut beside].into_iter().for_each(|all| all.sort_unstable());
    report(&format!(
        "a period of funding: {took:.2} s to the last leg; a turn with an order p99 {:.1} µs, alone {:.1} µs",
        percentile(&beside, 0.99),
        percentile(&alone, 0.99)
    ));
}

/// A position that no book takes is closed against the legs of others.
fn deleverage(cell: &mut Bare) {
    let (victim, other) = (account_id(10), account_id(11));
    fund(cell, victim, 3_000);
    fund(cell, other, 10_000_000);
    tell(
        cell,
        legs(
            victim,
            LegCommand::SetTerms { contract: contract(0), multiple: Some(100), mode: Some(MarginMode::Isolated) },
        ),
    );
    tell(cell, place(other, Side::Sell, MID, 400, Tif::Gtc));
    tell(cell, place(victim, Side::Buy, MID, 400, Tif::Gtc));
    run(cell);
    let has = |cell: &Bare| cell.world().accounts().get(victim).is_some_and(|account| !account.legs().is_empty());
    assert!(has(cell), "it has a position");
    let mut longest = Duration::ZERO;
    for second in 0..60 {
        cell.clock().0 += 1_000_000_000;
        let said = xng_core::price::SourcePrice { source: 1, price: at(-50_000 * (second + 1).min(2)) };
        tell(cell, Command::Price(price_of(0), PriceCommand::Push(said)));
        loop {
            let began = Instant::now();
            let more = cell.turn(|_, _| {});
            longest = longest.max(began.elapsed());
            if !more {
                break;
            }
        }
        if !has(cell) {
            break;
        }
    }
    assert!(!has(cell), "it is closed");
    report(&format!("deleveraging among all legs: the longest turn {:.2} ms", longest.as_secs_f64() * 1e3));
}

pub(crate) fn all() {
    beside_spot(number("ORDERS", 600_000));
    let count = number("LEGS", 100_000) / 2 * 2;
    let mut cell = with_book(100);
    open(&mut cell, count);
    funding(&mut cell);
    deleverage(&mut cell);
}
