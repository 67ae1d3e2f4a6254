//! What legs cost a cell: orders of a contract's book beside spot's, memory, a period of funding, deleveraging.
//!
//! Stands for: the path of an order of a book, and what happens to all positions at once.
//!
//! Owns: a contract with a book, and legs of very many accounts. Never does: touch a disk. Invariants: every leg is there, has
//! paid, or is gone when its row is printed. Known limits: `LEGS` sets how many there are; memory is that of the process.

use crate::{Bare, at, percentile, run, tick};
use std::time::{Duration, Instant};
use xng_benches::contract_book::{self, CONTRACT, MID, PERIOD_S, PRICE, cell_with_book, legs, limit, money};
use xng_benches::{Dice, Nowhere, Size, account_id, number, order, report, tell};
use xng_core::account::LegCommand;
use xng_core::contract::facts::MarginMode;
use xng_core::entity::Command;
use xng_core::ids::AccountId;
use xng_core::market::{Side, Tif};
use xng_core::price::PriceCommand;

fn fund(cell: &mut Bare, who: AccountId, whole: i64) {
    tell(cell, money(who, whole));
}

fn with_book(accounts: u64) -> Bare {
    cell_with_book(Nowhere::default(), Size { accounts, markets: 1 })
}

/// Orders of the book and of spot by turns, of the same shape.
fn beside_spot(rounds: u64) {
    let size = Size { accounts: 100, markets: 1 };
    let mut cell = with_book(size.accounts);
    (0..size.accounts).for_each(|n| fund(&mut cell, account_id(n), 100_000_000));
    run(&mut cell);
    let (mut dice, mut took) = (Dice(5), [Duration::ZERO; 2]);
    let at_a_time = 500;
    for round in 0..rounds / at_a_time * 2 {
        for _ in 0..at_a_time {
            let command = if round % 2 == 0 { order(&mut dice, size) } else { contract_book::order(&mut dice, size) };
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
        contract_book::pair(account_id(1_000 + n), account_id(1_001 + n))
            .into_iter()
            .for_each(|order| tell(cell, order));
        run(cell);
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / count as f64;
    let bytes = resident().saturating_sub(before) / count;
    assert_eq!(
        cell.world().contracts().get(CONTRACT).and_then(|c| c.book()).map(|b| b.legs().all().count()),
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
    // A tick takes a millisecond, and must not end the period.
    cell.clock().0 = (cell.clock().0 / period + 1) * period - 2_000_000;
    tick(cell, PRICE, at(0));
    assert!(contract_book::owing(cell.world()) > 0, "somebody owes");
    cell.clock().0 += 2_000_000;
    let (began, mut beside) = (Instant::now(), Vec::new());
    let mut looked = 0;
    loop {
        beside.push(turn(cell));
        looked += 1;
        if looked % 50 == 0 && contract_book::owing(cell.world()) == 0 {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "all pay");
    }
    let took = began.elapsed().as_secs_f64();
    [&mut alone, &mut beside].into_iter().for_each(|all| all.sort_unstable());
    report(&format!(
        "a period of funding: {took:.2} s to the last leg; a turn with an order p99 {:.1} µs, longest {:.1}; alone {:.1} µs",
        percentile(&beside, 0.99),
        percentile(&beside, 1.0),
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
            LegCommand::SetTerms { contract: CONTRACT, multiple: Some(100), mode: Some(MarginMode::Isolated) },
        ),
    );
    tell(cell, limit(other, (Side::Sell, MID, 400), Tif::Gtc));
    tell(cell, limit(victim, (Side::Buy, MID, 400), Tif::Gtc));
    run(cell);
    let has = |cell: &Bare| cell.world().accounts().get(victim).is_some_and(|account| !account.legs().is_empty());
    assert!(has(cell), "it has a position");
    let mut longest = Duration::ZERO;
    for second in 0..60 {
        cell.clock().0 += 1_000_000_000;
        let said = xng_core::price::SourcePrice { source: 1, price: at(-50_000 * (second + 1).min(2)) };
        tell(cell, Command::Price(PRICE, PriceCommand::Push(said)));
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
