//! The house's ladders in a contract's book.

use crate::legs::{ALICE, BOB, audit, exchange, index, leg, legs, limit, ok, place, refused, send};
use crate::support::Exchange;
use crate::tickets::{C, fund};
use xng_core::account::{AccountCommand, LegCommand, Property};
use xng_core::contract::ContractCommand;
use xng_core::contract::book::facts::BookFact;
use xng_core::contract::book::quoting::{BookQuotesSet, NewQuotes};
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::entity::{Command, Reply};
use xng_core::ids::AccountId;
use xng_core::market::{MarketState, OrderStatus, Side, Tif};
use xng_core::money::{Lots, Ticks};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;
use xng_core::spot::QuoteLevel;

const HOUSE: AccountId = AccountId::HOUSE;

fn level(side: Side, price: i64, lots: i64) -> QuoteLevel {
    QuoteLevel { side, ticks: Ticks(price * 100), lots: Lots(lots) }
}

fn ladder(levels: &[(Side, i64, i64)]) -> LegCommand {
    let levels = levels.iter().map(|(side, price, lots)| level(*side, *price, *lots)).collect();
    LegCommand::Quote(Box::new(NewQuotes { contract: C, versions: (0, 0), levels }))
}

/// With a house that has so much money.
fn quoted(money: &str) -> Exchange {
    let mut x = exchange(true);
    x.ok(Command::Account(HOUSE, AccountCommand::Set(Property::House(true))));
    fund(&mut x, HOUSE, money);
    x
}

fn standing(x: &Exchange) -> Vec<(Side, i64, i64)> {
    let book = x.cell.world().contracts().get(C).unwrap().book().unwrap();
    let of = |side| book.book().0.depth(side).map(move |(ticks, lots)| (side, ticks.0 / 100, lots.0));
    of(Side::Buy).chain(of(Side::Sell)).collect()
}

fn set(x: &Exchange) -> Vec<BookQuotesSet> {
    let facts = x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).unwrap().fact);
    facts.filter_map(|fact| if let Fact::Book(BookFact::BookQuotesSet(f)) = fact { Some(*f) } else { None }).collect()
}

const FIRST: [(Side, i64, i64); 3] = [(Side::Buy, 49_990, 5), (Side::Buy, 49_980, 8), (Side::Sell, 50_010, 5)];

#[test]
fn a_ladder_changes_only_what_is_not_there() {
    let mut x = quoted("100000");
    ok(&mut x, HOUSE, ladder(&FIRST));
    assert_eq!(standing(&x), FIRST);
    ok(&mut x, HOUSE, ladder(&FIRST));
    assert_eq!(set(&x).len(), 1, "it stands");
    let second = [(Side::Buy, 49_990, 5), (Side::Buy, 49_970, 8), (Side::Sell, 50_010, 6)];
    ok(&mut x, HOUSE, ladder(&second));
    assert_eq!(standing(&x), second);
    let changed = &set(&x)[1];
    assert_eq!((changed.off.len(), changed.on.len()), (2, 2));
    ok(&mut x, HOUSE, ladder(&[]));
    assert_eq!(standing(&x), []);
    audit(&mut x);
}

#[test]
fn whoever_takes_a_quote_has_a_position_against_the_house() {
    let mut x = quoted("100000");
    ok(&mut x, HOUSE, ladder(&FIRST));
    let taken = place(&mut x, ALICE, limit(Side::Sell, 49_980, 6));
    assert_eq!((taken.status, taken.filled), (OrderStatus::Filled, Lots(6)));
    assert_eq!(standing(&x), [(Side::Buy, 49_980, 7), (Side::Sell, 50_010, 5)]);
    let (direction, lots, ..) = leg(&x, HOUSE);
    assert_eq!((direction, lots), (Direction::Long, 6));
    ok(&mut x, HOUSE, ladder(&FIRST));
    assert_eq!(standing(&x), FIRST, "filled up again");
    place(&mut x, BOB, limit(Side::Buy, 50_010, 5));
    assert_eq!(leg(&x, HOUSE).1, 1, "a quote that sells closes what the house is long");
    audit(&mut x);
}

#[test]
fn a_level_that_would_meet_somebodys_order_is_left_out() {
    let mut x = quoted("100000");
    ok(&mut x, HOUSE, ladder(&FIRST));
    place(&mut x, ALICE, limit(Side::Buy, 50_005, 2));
    index(&mut x, "49900");
    let lower = [(Side::Buy, 49_890, 5), (Side::Sell, 49_910, 5), (Side::Sell, 50_020, 5)];
    ok(&mut x, HOUSE, ladder(&lower));
    assert_eq!(standing(&x), [(Side::Buy, 50_005, 2), (Side::Buy, 49_890, 5), (Side::Sell, 50_020, 5)]);
    assert_eq!(legs(&x, HOUSE), [], "a quote does not take");
    let order = xng_core::contract::book::order::NewBookOrder { tif: Tif::Ioc, ..limit(Side::Sell, 50_005, 2) };
    assert_eq!(place(&mut x, HOUSE, order).filled, Lots(2), "an order of the house does");
    ok(&mut x, HOUSE, ladder(&lower));
    assert_eq!(standing(&x), lower);
    audit(&mut x);
}

#[test]
fn refusals_say_why_and_change_nothing() {
    let mut x = quoted("5000");
    assert_eq!(refused(&mut x, ALICE, ladder(&FIRST)), Reject::NotAllowed);
    let crossed = [(Side::Buy, 50_000, 1), (Side::Sell, 50_000, 1)];
    assert_eq!(refused(&mut x, HOUSE, ladder(&crossed)), Reject::BadPrice);
    let twice = [(Side::Buy, 49_000, 1), (Side::Buy, 49_000, 2)];
    assert_eq!(refused(&mut x, HOUSE, ladder(&twice)), Reject::AlreadyExists);
    assert_eq!(refused(&mut x, HOUSE, ladder(&[(Side::Buy, 49_000, 0)])), Reject::BadAmount);
    assert_eq!(refused(&mut x, HOUSE, ladder(&[(Side::Buy, 0, 1)])), Reject::BadPrice);
    let stale = NewQuotes { contract: C, versions: (0, 1), levels: vec![level(Side::Buy, 49_000, 1)] };
    assert_eq!(refused(&mut x, HOUSE, LegCommand::Quote(Box::new(stale))), Reject::StaleTerms);
    // At a multiple of 20 a lot of 500 needs 25 and its fee.
    ok(&mut x, HOUSE, ladder(&[(Side::Buy, 50_000, 190)]));
    let more = ladder(&[(Side::Buy, 50_000, 199)]);
    assert_eq!(refused(&mut x, HOUSE, more), Reject::MarginInsufficient);
    let isolated = LegCommand::SetTerms { contract: C, multiple: Some(20), mode: Some(MarginMode::Isolated) };
    assert_eq!(refused(&mut x, HOUSE, isolated), Reject::PositionOpen);
    let halt = ContractCommand::SetState(MarketState::Halt);
    x.ok(Command::Contract(C, halt));
    assert!(matches!(send(&mut x, HOUSE, ladder(&FIRST)), Reply::Rejected(Reject::PriceStale | Reject::MarketClosed)));
    // Quotes leave at any time.
    ok(&mut x, HOUSE, ladder(&[]));
    assert_eq!(standing(&x), []);
    audit(&mut x);
}
