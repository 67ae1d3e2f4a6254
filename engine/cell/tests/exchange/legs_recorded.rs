//! Legs with liquidation prices spread over recorded marks: exactly those whose price was crossed are gone, each at the first
//! mark that crossed it. `LEGS=100000` makes it large. Skipped where the recordings are not.

use crate::legs::{amount, book, index, limit, ok, place};
use crate::recorded_files::{Row, recording};
use crate::support::{Exchange, btc_usdt};
use crate::tickets::{C, btc_contract, fund, list};
use std::collections::BTreeMap;
use xng_core::account::{AccountCommand, LegCommand, Property};
use xng_core::contract::ContractCommand;
use xng_core::contract::book::BookCommand;
use xng_core::contract::book::facts::BookFact;
use xng_core::contract::book::order::NewBookOrder;
use xng_core::contract::book::params::{BookParams, FundingParams};
use xng_core::contract::book::quoting::NewQuotes;
use xng_core::contract::brackets::{Bracket, Brackets};
use xng_core::contract::facts::{ContractFact, MarginMode};
use xng_core::contract::leg::Direction;
use xng_core::contract::params::ContractParams;
use xng_core::entity::Command;
use xng_core::ids::AccountId;
use xng_core::market::Side;
use xng_core::money::{Amount, Lots, ONE, Ticks};
use xng_core::record::{Fact, Record};
use xng_core::spot::QuoteLevel;

const SECOND_NS: u64 = 1_000_000_000;
const FIRST: u64 = 100_001;
const MULTIPLE: u16 = 400;
const RATE_PPM: u32 = 1_000;
/// Longs are opened up to so far above the index, shorts below it: their ends are spread over as much, up to the index.
const SPREAD_PPM: i128 = 1_450;

/// What was seen in a second: index, and the best prices of the contract's book.
struct Second {
    index: Amount,
    bid: Amount,
    ask: Amount,
}

fn price(row: &Row, name: &str) -> Amount {
    amount(row[name].trim_end_matches('0').trim_end_matches('.'))
}

fn middle(row: &Row) -> Amount {
    Amount((price(row, "bid_price").0 + price(row, "ask_price").0) / 2)
}

/// A second's last row of each of two files.
fn seconds(index: Vec<Row>, of_index: fn(&Row) -> Amount, bbo: &[Row]) -> Vec<Second> {
    let second = |row: &Row| row["recv_ns"].parse::<u64>().unwrap() / SECOND_NS;
    let touches: BTreeMap<u64, &Row> = bbo.iter().map(|row| (second(row), row)).collect();
    let indices: BTreeMap<u64, Amount> = index.iter().map(|row| (second(row), of_index(row))).collect();
    let known = indices.into_iter().filter_map(|(at, index)| {
        let (_, touch) = touches.range(..=at).next_back()?;
        Some(Second { index, bid: price(touch, "bid_price"), ask: price(touch, "ask_price") })
    });
    known.collect()
}

fn exchange() -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    let bracket = Bracket { ceiling: Amount::whole(300_000_000), max_multiple: MULTIPLE, rate_ppm: RATE_PPM };
    list(&mut x, ContractParams { brackets: Brackets { list: vec![bracket] }, ..btc_contract() });
    // With a low cap of funding a thin margin needs no look at each mark.
    let funding = FundingParams { cap: amount("0.0001"), period_s: 86_400, ..book(false).funding };
    let params = BookParams { lots: (Lots(1), Lots(10_000_000)), funding, ..book(false) };
    x.ok(Command::Contract(C, ContractCommand::Book(BookCommand::List(Box::new(params)))));
    x.ok(Command::Account(AccountId::HOUSE, AccountCommand::Set(Property::House(true))));
    fund(&mut x, AccountId::HOUSE, "10000000000");
    // What is sold beyond bankruptcy is paid for: nobody is deleveraged.
    fund(&mut x, AccountId(5), "1000000000");
    x
}

/// Two at a time trade with each other, each two at a price of their own.
fn open(x: &mut Exchange, legs: u64, at: Amount) {
    for n in (0..legs).step_by(2) {
        let two = [n, n + 1].map(|n| AccountId(FIRST + n));
        for who in two {
            fund(x, who, "100");
            let (multiple, mode) = (Some(MULTIPLE), Some(MarginMode::Isolated));
            ok(x, who, LegCommand::SetTerms { contract: C, multiple, mode });
        }
        // In no order, above the index and below it by turns.
        let part = i128::from(n / 2 * 7_919 % legs) * SPREAD_PPM / i128::from(legs);
        let price = at.0 + at.0 * if n % 4 == 0 { part } else { -part } / 1_000_000;
        let ticks = Ticks(i64::try_from(price / (ONE / 100)).unwrap());
        place(x, two[0], NewBookOrder { ticks, ..limit(Side::Sell, 0, 1) });
        place(x, two[1], NewBookOrder { ticks, ..limit(Side::Buy, 0, 1) });
    }
}

/// The best prices of the recording, with more than anybody takes.
fn quote(x: &mut Exchange, second: &Second) {
    let level = |side, price: Amount| QuoteLevel {
        side,
        ticks: Ticks(i64::try_from(price.0 / (ONE / 100)).unwrap()),
        lots: Lots(1_000_000),
    };
    let levels = vec![level(Side::Buy, second.bid), level(Side::Sell, second.ask)];
    ok(x, AccountId::HOUSE, LegCommand::Quote(Box::new(NewQuotes { contract: C, versions: (0, 0), levels })));
}

/// What is kept of a leg here, in parts of 1e-8.
struct Own {
    way: i128,
    cost: i128,
    margin: i128,
}

impl Own {
    /// At this mark its equity is no more than what must stay.
    fn is_crossed(&self, mark: i128) -> bool {
        // A lot is a hundredth of the base: all in hundredths.
        let equity = (self.margin - self.way * self.cost) * 100 + self.way * mark;
        equity * 1_000_000 <= mark * i128::from(RATE_PPM)
    }
}

fn own(x: &Exchange, n: u64) -> Own {
    let legs = x.cell.world().accounts().get(AccountId(FIRST + n)).unwrap().legs();
    let leg = legs[0].leg;
    let way = if leg.direction == Direction::Long { 1 } else { -1 };
    Own { way, cost: leg.cost.0, margin: leg.margin.0 }
}

fn ends_those_that_are_crossed(name: &str, seconds: &[Second]) {
    let legs: u64 = std::env::var("LEGS").map_or(600, |n| n.parse().unwrap()) / 2 * 2;
    let mut x = exchange();
    index(&mut x, &seconds[0].index.to_string());
    open(&mut x, legs, seconds[0].index);
    let mut alive: BTreeMap<u64, Own> = (0..legs).map(|n| (FIRST + n, own(&x, n))).collect();
    let began = x.journal.records().len();
    for second in seconds {
        x.advance(SECOND_NS);
        quote(&mut x, second);
        index(&mut x, &second.index.to_string());
        x.run();
    }
    let (mut mark, mut lowest, mut highest) = (0, i128::MAX, 0);
    let mut due: BTreeMap<u64, i128> = BTreeMap::new();
    for (_, bytes) in x.journal.records().into_iter().skip(began) {
        match Record::decode(&bytes).unwrap().fact {
            Fact::Contract(ContractFact::MarkSet(f)) => {
                assert!(due.is_empty(), "{name}: left at mark {mark}: {due:?}");
                (mark, lowest, highest) = (f.mark.0, lowest.min(f.mark.0), highest.max(f.mark.0));
                let crossed = alive.iter().filter(|(_, own)| own.is_crossed(mark));
                due = crossed.map(|(account, _)| (*account, mark)).collect();
                alive.retain(|account, _| !due.contains_key(account));
            }
            Fact::Book(BookFact::LegLiquidated(f)) => {
                let was_due = due.remove(&f.account.0);
                assert_eq!(was_due, Some(f.mark.0), "{name}: {f:?}");
                assert!(f.deleverage.is_none() && f.trades.len() == 1, "{f:?}");
            }
            _ => {}
        }
    }
    assert!(due.is_empty(), "{name}: left: {due:?}");
    for n in 0..legs {
        let has = !x.cell.world().accounts().get(AccountId(FIRST + n)).unwrap().legs().is_empty();
        assert_eq!(has, alive.contains_key(&(FIRST + n)), "{name}: account {}", FIRST + n);
    }
    let gone = legs - alive.len() as u64;
    eprintln!("{name}: {gone} of {legs} legs are gone over {} marks from {lowest} to {highest}", seconds.len());
    assert!(gone > legs / 50 && !alive.is_empty(), "prices are spread over the marks");
}

#[test]
fn legs_over_the_marks_that_a_venue_published_are_gone_where_they_were_crossed() {
    let folder = "permissive/binance_20230404/usdm_btcusdt";
    let files = recording(&format!("{folder}_markprice.csv.gz")).zip(recording(&format!("{folder}_bbo.csv.gz")));
    let Some((marks, bbo)) = files else { return eprintln!("{folder} is not here") };
    ends_those_that_are_crossed("2023-04-04", &seconds(marks, |row| price(row, "index_price"), &bbo));
}

#[test]
fn legs_over_our_own_marks_are_gone_where_they_were_crossed() {
    let folder = "permissive/binance_20240808";
    let files = recording(&format!("{folder}/spot_btcusdt_bbo.csv.gz"))
        .zip(recording(&format!("{folder}/usdm_btcusdt_bbo.csv.gz")));
    let Some((spot, bbo)) = files else { return eprintln!("{folder} is not here") };
    ends_those_that_are_crossed("2024-08-08", &seconds(spot, middle, &bbo));
}
