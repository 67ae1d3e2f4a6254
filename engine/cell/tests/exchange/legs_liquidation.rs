//! Liquidation of legs through the cell: worked numbers, deleveraging, the insurance, stale prices, a crash after each record.

use crate::legs::{ALICE, BOB, CAROL, amount, audit, book, exchange, index, isolated, leg, legs, limit, ok, place};
use crate::legs::{refused, wallet};
use crate::support::Exchange;
use crate::tickets::{C, btc_contract, fund, wanted};
use xng_cell::{Plain, World};
use xng_core::account::{AccountCommand, LegCommand, TicketCommand};
use xng_core::contract::ContractCommand;
use xng_core::contract::book::BookCommand;
use xng_core::contract::book::facts::BookFact;
use xng_core::contract::book::liquidation_facts::{LegLiquidated, LiquidationStarted};
use xng_core::contract::book::order::{LegSide, NewBookOrder};
use xng_core::contract::brackets::{Bracket, Brackets};
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::contract::params::ContractParams;
use xng_core::entity::{Command, EntityId, Reply};
use xng_core::ids::{AccountId, MarketId, PriceId, Wallet};
use xng_core::market::{MarketState, OrderStatus, Side};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::price::{PriceCommand, PriceListed, SourcePrice};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;

const INSURANCE: AccountId = AccountId(5);
const POOR: AccountId = AccountId(100_004);
pub(crate) const E: MarketId = MarketId(513);

fn book_facts(x: &Exchange) -> Vec<BookFact> {
    let facts = x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).unwrap().fact);
    facts.filter_map(|fact| if let Fact::Book(fact) = fact { Some(fact) } else { None }).collect()
}

fn steps(x: &Exchange) -> Vec<LegLiquidated> {
    let facts = book_facts(x).into_iter();
    facts.filter_map(|fact| if let BookFact::LegLiquidated(f) = fact { Some(*f) } else { None }).collect()
}

fn started(x: &Exchange) -> Vec<LiquidationStarted> {
    let facts = book_facts(x).into_iter();
    facts.filter_map(|fact| if let BookFact::LiquidationStarted(f) = fact { Some(*f) } else { None }).collect()
}

fn ended(x: &Exchange) -> usize {
    book_facts(x).iter().filter(|fact| matches!(fact, BookFact::LiquidationEnded(_))).count()
}

fn trade(x: &mut Exchange, buyer: AccountId, seller: AccountId, price: i64, lots: i64) {
    place(x, seller, limit(Side::Sell, price, lots));
    assert_eq!(place(x, buyer, limit(Side::Buy, price, lots)).status, OrderStatus::Filled);
}

/// The mark follows the index at once: nobody traded, and no sample of the book counts.
fn gap(x: &mut Exchange, price: &str) {
    index(x, price);
    x.run();
}

/// The mark goes where the index is, over seconds.
fn settle(x: &mut Exchange, price: &str) {
    for _ in 0..3 {
        x.advance(1_000_000_000);
        index(x, price);
        x.run();
    }
}

fn mark(x: &Exchange) -> Amount {
    x.cell.world().contracts().get(C).unwrap().mark().0
}

#[test]
fn an_isolated_leg_ends_at_its_price_and_not_before() {
    let mut x = exchange(false);
    isolated(&mut x, ALICE, 20);
    trade(&mut x, ALICE, BOB, 50_000, 20);
    assert_eq!(leg(&x, ALICE), (Direction::Long, 20, "10000".into(), "500".into()));
    // The mark is held within one per cent of the index; the last trade was at 50,000. Of two the mean, until it is held.
    settle(&mut x, "47250");
    assert!(mark(&x) > amount("47690.77"), "{}", mark(&x));
    assert!(started(&x).is_empty());
    place(&mut x, CAROL, limit(Side::Buy, 47_600, 20));
    settle(&mut x, "47200");
    assert!(mark(&x) <= amount("47690.76"), "{}", mark(&x));
    let steps = steps(&x);
    assert_eq!((started(&x).len(), steps.len(), ended(&x)), (1, 1, 1));
    let step = &steps[0];
    // Bankruptcy 47,500: sold at 47,600, 20 more than nothing; the fee is 0.5 per cent of 9,520, no more than these 20.
    assert_eq!(
        (step.bankruptcy, step.trades[0].ticks, step.trades[0].lots),
        (Ticks(4_750_000), Ticks(4_760_000), Lots(20))
    );
    assert_eq!(step.trades[0].taker_effect.fee, amount("20"));
    assert!(legs(&x, ALICE).is_empty() && step.deleverage.is_none());
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("99500".into(), "0".into()));
    assert_eq!(wallet(&x, INSURANCE, Wallet::Futures).0, "20");
    audit(&mut x);
}

#[test]
fn what_the_book_does_not_take_is_deleveraged_by_rank() {
    let mut x = exchange(false);
    isolated(&mut x, ALICE, 20);
    trade(&mut x, ALICE, BOB, 50_000, 12);
    trade(&mut x, ALICE, CAROL, 50_000, 8);
    // Of two with the same result the one with more at stake comes first.
    ok(&mut x, POOR, LegCommand::SetTerms { contract: C, multiple: Some(50), mode: Some(MarginMode::Cross) });
    fund(&mut x, POOR, "1000");
    place(&mut x, POOR, limit(Side::Sell, 50_100, 3));
    place(&mut x, BOB, limit(Side::Buy, 50_100, 3));
    settle(&mut x, "48500");
    let closes = place(&mut x, POOR, NewBookOrder { reduce_only: true, ..limit(Side::Buy, 47_000, 3) }).order;
    gap(&mut x, "46000");
    settle(&mut x, "46000");
    let steps = steps(&x);
    assert_eq!(steps.len(), 1, "{steps:?}");
    let deleverage = steps[0].deleverage.as_ref().unwrap();
    assert_eq!(deleverage.ticks, Ticks(4_750_000), "at bankruptcy, not at the mark");
    let told: Vec<_> = deleverage.legs.iter().map(|leg| (leg.account, leg.effect.closed.0)).collect();
    assert_eq!(told[0], (POOR, 3), "{told:?}");
    assert_eq!(
        told.iter().map(|(_, lots)| lots).sum::<i64>() + steps[0].trades.iter().map(|t| t.lots.0).sum::<i64>(),
        20
    );
    assert!(legs(&x, ALICE).is_empty());
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("99500".into(), "0".into()), "no more than the margin");
    let order = x.cell.world().accounts().get(POOR).unwrap().book_orders().iter().any(|o| o.rests.order == closes);
    assert!(!order, "what would have closed the leg left with it");
    audit(&mut x);
}

#[test]
fn the_own_opposite_leg_is_closed_before_those_of_others() {
    let mut x = exchange(false);
    ok(&mut x, ALICE, LegCommand::SetHedge(true));
    isolated(&mut x, ALICE, 20);
    place(&mut x, BOB, limit(Side::Sell, 50_000, 20));
    place(&mut x, ALICE, NewBookOrder { leg: LegSide::Long, ..limit(Side::Buy, 50_000, 20) });
    // BOB's rank is the highest: nobody else has so high a multiple.
    place(&mut x, CAROL, limit(Side::Buy, 50_000, 3));
    place(&mut x, ALICE, NewBookOrder { leg: LegSide::Short, ..limit(Side::Sell, 50_000, 3) });
    settle(&mut x, "48500");
    gap(&mut x, "46000");
    settle(&mut x, "46000");
    let steps = steps(&x);
    assert_eq!(steps.len(), 1, "{steps:?}");
    let told = steps[0].deleveraged().iter().map(|leg| (leg.account, leg.effect.leg, leg.effect.closed.0));
    assert_eq!(told.collect::<Vec<_>>(), [(ALICE, LegSide::Short, 3), (BOB, LegSide::Both, 17)]);
    assert!(legs(&x, ALICE).is_empty());
    // Its margin of 500 is lost; the short leg gained 75 down to 47,500.
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("99575".into(), "0".into()));
    audit(&mut x);
}

#[test]
fn the_insurance_gives_its_quota_for_trades_beyond_bankruptcy() {
    let mut x = exchange(false);
    fund(&mut x, INSURANCE, "1000");
    isolated(&mut x, ALICE, 20);
    trade(&mut x, ALICE, BOB, 50_000, 20);
    settle(&mut x, "50000");
    settle(&mut x, "48500");
    // Ten per cent of what the insurance has.
    assert_eq!(wallet(&x, INSURANCE, Wallet::Futures), ("900".into(), "100".into()));
    place(&mut x, CAROL, limit(Side::Buy, 47_500, 1));
    // Down to 47,000 for all that is left: 19 lots of 0.01, 95 in all.
    place(&mut x, CAROL, limit(Side::Buy, 47_050, 10));
    place(&mut x, BOB, limit(Side::Buy, 46_900, 5));
    settle(&mut x, "47000");
    let steps = steps(&x);
    assert_eq!(steps.len(), 1, "{steps:?}");
    let prices: Vec<_> = steps[0].trades.iter().map(|t| (t.ticks.0 / 100, t.lots.0)).collect();
    assert_eq!(prices, [(47_500, 1), (47_050, 10)]);
    assert_eq!(steps[0].insured, amount("45"));
    assert_eq!(steps[0].deleverage.as_ref().unwrap().owner.closed, Lots(9));
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("99500".into(), "0".into()));
    let last = x.cell.world().contracts().get(C).unwrap().book().unwrap().last();
    assert_eq!(last, Ticks(4_750_000), "what the insurance pays for is no price");
    audit(&mut x);
    // A minute later it is filled again.
    assert_eq!(wallet(&x, INSURANCE, Wallet::Futures), ("900".into(), "55".into()));
    x.advance(61_000_000_000);
    index(&mut x, "47000");
    x.run();
    assert_eq!(wallet(&x, INSURANCE, Wallet::Futures), ("859.5".into(), "95.5".into()));
    audit(&mut x);
}

/// A cross long of 10 lots at 50,000 with 400 in the pool, and an order that rests.
fn cross(x: &mut Exchange) {
    fund(x, POOR, "400");
    trade(x, POOR, BOB, 50_000, 10);
}

#[test]
fn a_pool_cancels_orders_then_closes_tickets_then_legs() {
    let mut x = exchange(false);
    cross(&mut x);
    let order = place(&mut x, POOR, limit(Side::Buy, 48_000, 1)).order;
    let ticket = xng_core::account::OpenTicket { mode: MarginMode::Cross, ..wanted(Direction::Long, 1, 50) };
    crate::tickets::open(&mut x, POOR, ticket);
    settle(&mut x, "48500");
    settle(&mut x, "47000");
    place(&mut x, CAROL, limit(Side::Buy, 46_400, 20));
    settle(&mut x, "45800");
    let names: Vec<&str> = x.journal.records().iter().map(|(_, b)| Record::decode(b).unwrap().fact.name()).collect();
    let at = |name: &str| names.iter().rposition(|n| *n == name).unwrap_or_else(|| panic!("{name}: {names:?}"));
    assert!(at("LiquidationStarted") < at("ContractOrdersCanceled"), "{names:?}");
    assert!(at("ContractOrdersCanceled") < at("TicketsMoved"));
    assert!(at("TicketsMoved") < at("LegLiquidated") && at("LegLiquidated") < at("LiquidationEnded"));
    let poor = x.cell.world().accounts().get(POOR).unwrap();
    assert!(poor.book_orders().iter().all(|o| o.rests.order != order) && poor.tickets().is_empty());
    assert!(legs(&x, POOR).is_empty() && poor.open_cases().is_empty());
    audit(&mut x);
}

#[test]
fn a_gap_takes_no_more_than_the_pool_has() {
    let mut x = exchange(false);
    fund(&mut x, INSURANCE, "10");
    cross(&mut x);
    // At a gap the opposite legs take over at the price at which nothing is left of the pool.
    gap(&mut x, "45000");
    settle(&mut x, "45000");
    assert!(legs(&x, POOR).is_empty());
    let (available, locked) = wallet(&x, POOR, Wallet::Futures);
    assert!(amount(&available) < amount("1") && locked == "0", "{available}");
    assert_eq!(wallet(&x, POOR, Wallet::Pnl).0, "0");
    audit(&mut x);
}

/// Ether at 2,000, which the same pool is in.
pub(crate) fn list_ether(x: &mut Exchange) {
    let params = xng_core::contract::params::ContractParams {
        contract: E,
        price: PriceId(2),
        symbol: "ETHUSDT".into(),
        base: crate::support::ETH,
        ..btc_contract()
    };
    x.ok(Command::Contract(E, ContractCommand::List(Box::new(params))));
    let hearers = vec![EntityId::Contract(E)];
    let listed = PriceListed { price: PriceId(2), symbol: "E".into(), hearers };
    x.ok(Command::Price(PriceId(2), PriceCommand::List(listed)));
    let params = xng_core::contract::book::params::BookParams { contract: E, ..book(false) };
    x.ok(Command::Contract(E, ContractCommand::Book(BookCommand::List(Box::new(params)))));
    ether(x, "2000");
}

pub(crate) fn ether(x: &mut Exchange, price: &str) {
    let said = SourcePrice { source: 1, price: amount(price) };
    x.ok(Command::Price(PriceId(2), PriceCommand::Push(said)));
    x.run();
}

/// A pool of 700 with a cross long of 10 lots at 50,000, and one of 50 lots of ether at 2,000.
fn in_both(x: &mut Exchange) {
    list_ether(x);
    fund(x, POOR, "700");
    trade(x, POOR, BOB, 50_000, 10);
    let in_ether = |side| NewBookOrder { contract: E, ..limit(side, 2_000, 50) };
    place(x, BOB, in_ether(Side::Sell));
    place(x, POOR, in_ether(Side::Buy));
}

#[test]
fn a_stale_contract_keeps_its_last_price_and_its_legs() {
    let mut x = exchange(false);
    in_both(&mut x);
    for price in ["49000", "47000", "45500", "44500"] {
        settle(&mut x, price);
    }
    place(&mut x, CAROL, limit(Side::Buy, 43_100, 30));
    settle(&mut x, "42500");
    let started = started(&x);
    assert_eq!(started.len(), 1);
    let fresh: Vec<_> = started[0].worth.prices.iter().map(|seen| (seen.contract, seen.fresh)).collect();
    assert_eq!(fresh, [(C, true), (E, false)]);
    let left: Vec<_> = legs(&x, POOR).iter().map(|own| own.units.contract).collect();
    assert_eq!(left, [E], "nothing is closed at a price that is not fresh");
    let case = |x: &Exchange| x.cell.world().accounts().get(POOR).unwrap().open_cases().first().copied();
    assert!(case(&x).is_some(), "the pool is not above its end by the last price of ether");
    ether(&mut x, "2000");
    let again = LegCommand::Place(NewBookOrder { contract: E, ..limit(Side::Buy, 2_000, 1) });
    assert_eq!(refused(&mut x, POOR, again), Reject::Liquidating);
    x.advance(1_000_000_000);
    x.run();
    assert!(case(&x).is_none() && legs(&x, POOR).is_empty());
    audit(&mut x);
}

#[test]
fn a_contract_that_an_operator_closed_counts_in_its_pools_at_once() {
    let mut x = exchange(false);
    in_both(&mut x);
    x.ok(Command::Contract(C, ContractCommand::SetState(MarketState::CancelOnly)));
    for price in ["49000", "47000", "45500", "44500", "43500"] {
        settle(&mut x, price);
        ether(&mut x, "2000");
        assert!(started(&x).is_empty(), "{price}");
    }
    // The price of ether never moves: its alarm alone would see nothing.
    settle(&mut x, "42500");
    let started = started(&x);
    let fresh: Vec<_> = started[0].worth.prices.iter().map(|seen| (seen.contract, seen.fresh)).collect();
    assert_eq!((started.len(), fresh), (1, vec![(C, false), (E, true)]));
    x.run();
    let left: Vec<_> = legs(&x, POOR).iter().map(|own| own.units.contract).collect();
    assert_eq!(left, [C], "nothing is closed where an operator closed it");
    audit(&mut x);
}

/// The index of ether jumps, whether an operator closed its contract or not.
fn a_jump_waits(closed: bool) {
    let mut x = exchange(false);
    in_both(&mut x);
    if closed {
        x.ok(Command::Contract(E, ContractCommand::SetState(MarketState::CancelOnly)));
    }
    for price in ["49000", "47000", "45500", "44500"] {
        settle(&mut x, price);
        ether(&mut x, "2000");
    }
    place(&mut x, CAROL, limit(Side::Buy, 43_100, 30));
    ether(&mut x, "2500");
    settle(&mut x, "42500");
    audit(&mut x);
    assert!(started(&x).is_empty() && legs(&x, POOR).len() == 2, "what it has in ether is not known");
    ether(&mut x, "2500");
    assert!(started(&x).is_empty(), "it gained there");
    x.advance(1_000_000_000);
    x.run();
    assert_eq!(legs(&x, POOR).len(), 2);
    audit(&mut x);
}

#[test]
fn no_scope_is_judged_while_a_jump_of_an_index_waits() {
    a_jump_waits(false);
}

#[test]
fn a_jump_waits_in_a_contract_that_an_operator_closed_as_well() {
    a_jump_waits(true);
}

#[test]
fn a_pool_that_waits_for_a_price_keeps_no_isolated_leg_from_its_end() {
    let mut x = exchange(false);
    list_ether(&mut x);
    fund(&mut x, POOR, "464");
    isolated(&mut x, POOR, 20);
    trade(&mut x, POOR, BOB, 50_000, 10);
    let in_ether = |side| NewBookOrder { contract: E, ..limit(side, 2_000, 50) };
    place(&mut x, BOB, in_ether(Side::Sell));
    place(&mut x, POOR, in_ether(Side::Buy));
    let ticket = xng_core::account::OpenTicket { mode: MarginMode::Cross, ..wanted(Direction::Long, 10, 50) };
    crate::tickets::open(&mut x, POOR, ticket);
    for _ in 0..5 {
        settle(&mut x, "50000");
    }
    gap(&mut x, "47800");
    x.advance(1_000_000_000);
    x.run();
    let open = |x: &Exchange| x.cell.world().accounts().get(POOR).unwrap().open_cases().to_vec();
    assert_eq!(open(&x).len(), 1, "the pool waits for a price of ether");
    assert!(open(&x)[0].scope.leg.is_none() && legs(&x, POOR).len() == 2);
    place(&mut x, CAROL, limit(Side::Buy, 47_600, 10));
    settle(&mut x, "47000");
    let left: Vec<_> = legs(&x, POOR).iter().map(|own| own.units.contract).collect();
    assert_eq!((left, started(&x).len()), (vec![E], 2));
    assert_eq!(open(&x).len(), 1, "the isolated leg's case is over");
    ether(&mut x, "2000");
    x.advance(1_000_000_000);
    x.run();
    assert!(open(&x).is_empty() && legs(&x, POOR).is_empty());
    audit(&mut x);
}

#[test]
fn a_leg_ends_by_the_brackets_that_its_contract_has_now() {
    let mut x = exchange(false);
    isolated(&mut x, ALICE, 20);
    trade(&mut x, ALICE, BOB, 50_000, 10);
    place(&mut x, CAROL, limit(Side::Buy, 48_200, 10));
    // With 0.4 % to stay its price is 47,690, with 2 % it is 48,469. The last trade holds the mark 1 % above the index.
    settle(&mut x, "47900");
    assert_eq!((legs(&x, ALICE).len(), mark(&x)), (1, Amount::whole(48_379)));
    let bracket = |ceiling, max_multiple, rate_ppm| Bracket { ceiling: Amount::whole(ceiling), max_multiple, rate_ppm };
    let brackets = Brackets { list: vec![bracket(300_000, 25, 20_000), bracket(1_000_000, 20, 24_000)] };
    let params = ContractParams { brackets, ..btc_contract() };
    x.ok(Command::Contract(C, ContractCommand::SetState(MarketState::CancelOnly)));
    x.ok(Command::Contract(C, ContractCommand::ChangeParams(Box::new(params))));
    x.ok(Command::Contract(C, ContractCommand::SetState(MarketState::Trading)));
    settle(&mut x, "47900");
    assert!(legs(&x, ALICE).is_empty());
    audit(&mut x);
}

#[test]
fn all_that_one_price_ends_is_ended_before_the_next() {
    let mut x = exchange(false);
    isolated(&mut x, ALICE, 20);
    trade(&mut x, ALICE, BOB, 50_000, 20);
    let ticket = crate::tickets::open(&mut x, ALICE, wanted(Direction::Long, 1, 20));
    place(&mut x, CAROL, limit(Side::Buy, 47_500, 20));
    settle(&mut x, "48900");
    x.advance(1_000_000_000);
    gap(&mut x, "47000");
    let alice = x.cell.world().accounts().get(ALICE).unwrap();
    assert!(alice.tickets().iter().all(|own| own.id() != ticket), "a look does one thing: first the tickets");
    assert!(legs(&x, ALICE).is_empty(), "then the leg, though no other price came");
    audit(&mut x);
}

#[test]
fn nothing_new_is_taken_while_a_scope_is_liquidated() {
    let mut x = exchange(false);
    // Both sides are this account's or cannot pay: nobody can be asked, and the case stays open.
    list_ether(&mut x);
    fund(&mut x, POOR, "400");
    trade(&mut x, POOR, BOB, 50_000, 10);
    let in_ether = |side, price| NewBookOrder { contract: E, ..limit(side, price, 20) };
    place(&mut x, BOB, in_ether(Side::Sell, 2_000));
    place(&mut x, POOR, in_ether(Side::Buy, 2_000));
    for _ in 0..3 {
        settle(&mut x, "50000");
    }
    // Ether is worth nothing anybody knows of, and what bitcoin lost is more than all there was.
    settle(&mut x, "43000");
    assert!(!x.cell.world().accounts().get(POOR).unwrap().open_cases().is_empty());
    let out = AccountCommand::Transfer {
        asset: crate::support::USDT,
        from: Wallet::Futures,
        to: Wallet::Spot,
        amount: amount("0.00000001"),
    };
    assert!(matches!(x.send(None, Command::Account(POOR, out)), Reply::Rejected(Reject::InsufficientBalance)));
    let ticket = TicketCommand::Open(wanted(Direction::Long, 1, 50));
    assert_eq!(crate::tickets::refused(&mut x, POOR, ticket), Reject::Liquidating);
    audit(&mut x);
}

/// The exchange goes on from the records up to one of them, as after a crash.
fn again(x: &Exchange, upto: usize) -> Exchange {
    let mut world: World<Plain> = World::default();
    let records = x.journal.records();
    for (lsn, bytes) in &records[..upto] {
        world.fold(*lsn, bytes).unwrap();
    }
    x.resumed(world, &records[..upto])
}

#[test]
fn a_crash_after_any_record_goes_on_there() {
    let mut x = exchange(false);
    fund(&mut x, INSURANCE, "1000");
    cross(&mut x);
    place(&mut x, POOR, limit(Side::Buy, 48_000, 1));
    let ticket = xng_core::account::OpenTicket { mode: MarginMode::Cross, ..wanted(Direction::Long, 1, 50) };
    crate::tickets::open(&mut x, POOR, ticket);
    settle(&mut x, "50000");
    let before = x.journal.records().len();
    settle(&mut x, "46000");
    let all = x.journal.records().len();
    assert!(ended(&x) > 0);
    for upto in before..all {
        let mut y = again(&x, upto);
        settle(&mut y, "46000");
        settle(&mut y, "46000");
        let poor = y.cell.world().accounts().get(POOR).unwrap();
        assert!(
            poor.legs().is_empty() && poor.tickets().is_empty() && poor.open_cases().is_empty(),
            "from record {upto}"
        );
        audit(&mut y);
    }
}
