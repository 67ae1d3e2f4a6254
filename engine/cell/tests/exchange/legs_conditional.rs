//! Orders in a contract's own book that wait for a price: by mark and last trade, trailing, closing, refused, cancelled.

use crate::legs::{ALICE, BOB, CAROL, audit, exchange, index, isolated, leg, legs, limit, ok, place, refused, send};
use crate::legs_liquidation::{E, list_ether};
use crate::support::Exchange;
use crate::tickets::{C, fund};
use xng_cell::{Plain, World};
use xng_core::account::{LegCommand, OrderName};
use xng_core::contract::ContractCommand;
use xng_core::contract::book::conditional_facts::ConditionalsChanged;
use xng_core::contract::book::facts::{BookFact, CutReason};
use xng_core::contract::book::order::{LegSide, NewBookOrder};
use xng_core::contract::book::waiting::{Condition, NewConditional, WorkingPrice};
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, ClientOrderId, OrderId, PriceId};
use xng_core::market::{EndReason, MarketState, OrderKind, OrderStatus, Side, Trigger, TriggerKind};
use xng_core::money::{Lots, Ticks};
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;

const STOP: TriggerKind = TriggerKind::StopLoss;
const PROFIT: TriggerKind = TriggerKind::TakeProfit;

/// An order that waits for a price in whole units.
pub(crate) fn waits(order: NewBookOrder, working: WorkingPrice, kind: TriggerKind, price: i64) -> NewConditional {
    let trigger = Trigger { kind, ticks: Ticks(price * 100), trail_bips: 0 };
    NewConditional { order, condition: Condition { working, trigger, close_position: false } }
}

fn at_market(side: Side, lots: i64) -> NewBookOrder {
    NewBookOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, ..limit(side, 0, lots) }
}

/// Closes all of a position at market.
fn closes(side: Side, kind: TriggerKind, price: i64) -> NewConditional {
    let all = NewBookOrder { reduce_only: true, ..at_market(side, 0) };
    let mut new = waits(all, WorkingPrice::Mark, kind, price);
    new.condition.close_position = true;
    new
}

fn trails(side: Side, working: WorkingPrice, price: i64, bips: u32) -> NewConditional {
    let mut new = waits(at_market(side, 1), working, PROFIT, price);
    new.condition.trigger.trail_bips = bips;
    new
}

pub(crate) fn wait(x: &mut Exchange, who: AccountId, new: NewConditional) -> OrderId {
    match send(x, who, LegCommand::PlaceConditional(Box::new(new))) {
        Reply::Accepted(Accepted::Placed(ack)) => {
            assert_eq!((ack.status, ack.filled), (OrderStatus::Waiting, Lots::ZERO));
            ack.order
        }
        other => panic!("{new:?}: {other:?}"),
    }
}

fn not_taken(x: &mut Exchange, who: AccountId, new: NewConditional) -> Reject {
    refused(x, who, LegCommand::PlaceConditional(Box::new(new)))
}

pub(crate) fn waiting(x: &Exchange, who: AccountId) -> usize {
    x.cell.world().accounts().get(who).unwrap().conditionals().len()
}

/// What became of orders that waited, oldest first: those that were placed, refused or cancelled.
fn ended(x: &Exchange) -> Vec<ConditionalsChanged> {
    let facts = x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).unwrap().fact);
    let of_waiting = |fact| if let Fact::Book(BookFact::ConditionalsChanged(f)) = fact { Some(*f) } else { None };
    facts.filter_map(of_waiting).filter(|f| !f.gone.is_empty()).collect()
}

/// Alice has a long of so many lots from Bob at 50,000.
fn long(x: &mut Exchange, lots: i64) {
    place(x, BOB, limit(Side::Sell, 50_000, lots));
    place(x, ALICE, limit(Side::Buy, 50_000, lots));
}

/// A trade between two others at a price.
fn trade(x: &mut Exchange, price: i64) {
    place(x, BOB, limit(Side::Sell, price, 1));
    place(x, CAROL, limit(Side::Buy, price, 1));
}

#[test]
fn an_order_fires_at_its_exact_mark() {
    let mut x = exchange(false);
    for (kind, side, price, near, at) in [
        (STOP, Side::Sell, 49_000, "49000.005", "49000"),
        (STOP, Side::Buy, 50_000, "49999.995", "50000"),
        (PROFIT, Side::Sell, 51_000, "50999.995", "51000"),
        (PROFIT, Side::Buy, 50_500, "50500.005", "50500"),
    ] {
        let order = limit(side, price, 1);
        let id = wait(&mut x, ALICE, waits(order, WorkingPrice::Mark, kind, price));
        let before = ended(&x).len();
        index(&mut x, near);
        assert_eq!((waiting(&x, ALICE), ended(&x).len()), (1, before), "{kind:?} {side:?}");
        index(&mut x, at);
        let fact = ended(&x).pop().unwrap();
        let placed = fact.placed.unwrap();
        assert_eq!((waiting(&x, ALICE), placed.order.order, placed.status), (0, id, OrderStatus::Open));
        ok(&mut x, ALICE, LegCommand::Cancel(OrderName::Id(id)));
    }
    audit(&mut x);
}

#[test]
fn an_order_fires_at_its_exact_last_trade() {
    let mut x = exchange(false);
    let stop = waits(at_market(Side::Buy, 2), WorkingPrice::Last, STOP, 50_100);
    wait(&mut x, ALICE, stop);
    // The mark passes it, which is not its price.
    index(&mut x, "50200");
    trade(&mut x, 50_099);
    assert_eq!(waiting(&x, ALICE), 1);
    place(&mut x, BOB, limit(Side::Sell, 50_150, 5));
    trade(&mut x, 50_100);
    assert_eq!(waiting(&x, ALICE), 0);
    assert_eq!(leg(&x, ALICE), (Direction::Long, 2, "1003".into(), "0".into()));
    audit(&mut x);
}

#[test]
fn a_price_that_is_reached_already_is_refused() {
    let mut x = exchange(false);
    trade(&mut x, 50_010);
    for working in [WorkingPrice::Mark, WorkingPrice::Last] {
        let now = if working == WorkingPrice::Mark { 50_000 } else { 50_010 };
        for (kind, side, price) in
            [(STOP, Side::Sell, now), (STOP, Side::Buy, now), (PROFIT, Side::Sell, now), (PROFIT, Side::Buy, now)]
        {
            let new = waits(limit(side, price, 1), working, kind, price);
            assert_eq!(not_taken(&mut x, ALICE, new), Reject::WouldTrigger, "{working:?} {kind:?} {side:?}");
        }
    }
    let too_near = trails(Side::Sell, WorkingPrice::Mark, 51_000, 9);
    assert_eq!(not_taken(&mut x, ALICE, too_near), Reject::BadTrigger);
    let nowhere = waits(limit(Side::Sell, 50_000, 1), WorkingPrice::Mark, STOP, 0);
    assert_eq!(not_taken(&mut x, ALICE, nowhere), Reject::BadTrigger);
    audit(&mut x);
}

#[test]
fn nothing_fires_while_the_index_is_stale_or_the_contract_is_closed() {
    let mut x = exchange(false);
    wait(&mut x, ALICE, waits(limit(Side::Sell, 49_000, 1), WorkingPrice::Mark, STOP, 49_500));
    x.advance(60_000_000_000);
    x.run();
    let new = waits(limit(Side::Sell, 49_000, 1), WorkingPrice::Mark, STOP, 49_600);
    assert_eq!(not_taken(&mut x, ALICE, new), Reject::PriceStale);
    assert_eq!(waiting(&x, ALICE), 1);
    x.ok(Command::Contract(C, ContractCommand::SetState(MarketState::CancelOnly)));
    index(&mut x, "49000");
    index(&mut x, "50000");
    assert_eq!(waiting(&x, ALICE), 1, "it was closed while the price was there");
    x.ok(Command::Contract(C, ContractCommand::SetState(MarketState::Trading)));
    index(&mut x, "49900");
    assert_eq!(waiting(&x, ALICE), 1);
    index(&mut x, "49400");
    assert_eq!(waiting(&x, ALICE), 0, "the first fresh mark beyond it fires");
    audit(&mut x);
}

#[test]
fn an_order_whose_price_came_is_not_placed_while_a_jump_waits() {
    let mut x = exchange(false);
    wait(&mut x, ALICE, waits(limit(Side::Sell, 49_000, 1), WorkingPrice::Mark, STOP, 49_500));
    for price in ["49400", "42000"] {
        let said = SourcePrice { source: 1, price: price.parse().unwrap() };
        x.submit(None, Command::Price(PriceId(1), PriceCommand::Push(said)));
    }
    x.run();
    assert_eq!(waiting(&x, ALICE), 1);
    audit(&mut x);
    index(&mut x, "49300");
    x.advance(1_000_000_000);
    x.run();
    assert_eq!(waiting(&x, ALICE), 0, "the jump was none");
    audit(&mut x);
}

#[test]
fn a_trailing_order_follows_the_best_price() {
    let mut x = exchange(false);
    // From 50,500 on, one percent below the highest.
    wait(&mut x, ALICE, trails(Side::Sell, WorkingPrice::Mark, 50_500, 100));
    for price in ["50000", "49000", "50500", "50100", "51000", "50490.01"] {
        index(&mut x, price);
        assert_eq!(waiting(&x, ALICE), 1, "{price}");
    }
    place(&mut x, BOB, limit(Side::Buy, 50_000, 1));
    index(&mut x, "50490");
    assert_eq!(waiting(&x, ALICE), 0);
    assert_eq!(leg(&x, ALICE).0, Direction::Short);
    // Without a price it trails from what the price is now: one percent above the lowest.
    wait(&mut x, CAROL, trails(Side::Buy, WorkingPrice::Last, 0, 100));
    assert_eq!(
        x.cell.world().accounts().get(CAROL).unwrap().conditionals()[0].waits.condition.trigger.ticks,
        Ticks(5_000_000)
    );
    let trade = |x: &mut Exchange, price| {
        place(x, BOB, limit(Side::Sell, price, 1));
        place(x, ALICE, limit(Side::Buy, price, 1));
    };
    trade(&mut x, 49_500);
    trade(&mut x, 49_994);
    assert_eq!(waiting(&x, CAROL), 1);
    place(&mut x, BOB, limit(Side::Sell, 50_100, 3));
    trade(&mut x, 49_995);
    assert_eq!(waiting(&x, CAROL), 0);
    assert_eq!(leg(&x, CAROL).1, 1);
    audit(&mut x);
}

#[test]
fn closing_a_position_takes_it_as_it_is_and_cuts_what_rests() {
    let mut x = exchange(false);
    long(&mut x, 2);
    wait(&mut x, ALICE, closes(Side::Sell, STOP, 49_500));
    long(&mut x, 3);
    let profit = place(&mut x, ALICE, NewBookOrder { reduce_only: true, ..limit(Side::Sell, 51_000, 5) }).order;
    place(&mut x, BOB, limit(Side::Buy, 49_400, 9));
    // The last trade holds the mark one percent above the index.
    index(&mut x, "49000");
    let placed = ended(&x).pop().unwrap().placed.unwrap();
    assert_eq!((placed.lots, placed.opens, placed.status), (Lots(5), Lots::ZERO, OrderStatus::Filled));
    assert_eq!(
        (placed.cuts[0].order, placed.cuts[0].reason, placed.cuts[0].gone),
        (profit, CutReason::LegShrank, true)
    );
    assert!(legs(&x, ALICE).is_empty());
    audit(&mut x);
}

#[test]
fn what_a_triggered_order_does_not_close_stays_with_those_that_rest() {
    let mut x = exchange(false);
    long(&mut x, 5);
    wait(&mut x, ALICE, closes(Side::Sell, STOP, 49_500));
    let profit = place(&mut x, ALICE, limit(Side::Sell, 51_000, 5)).order;
    place(&mut x, BOB, limit(Side::Buy, 49_400, 2));
    // The last trade holds the mark one percent above the index.
    index(&mut x, "49000");
    let placed = ended(&x).pop().unwrap().placed.unwrap();
    assert_eq!((placed.filled(), placed.reason), (Lots(2), EndReason::Protection));
    assert_eq!((placed.cuts[0].order, placed.cuts[0].lots, placed.cuts[0].gone), (profit, Lots(2), false));
    assert_eq!(leg(&x, ALICE).1, 3);
    audit(&mut x);
}

#[test]
fn an_order_that_only_closes_ends_with_a_reason_when_there_is_nothing() {
    let mut x = exchange(false);
    wait(&mut x, ALICE, closes(Side::Sell, STOP, 49_500));
    let only = NewBookOrder { reduce_only: true, ..at_market(Side::Sell, 3) };
    wait(&mut x, ALICE, waits(only, WorkingPrice::Mark, STOP, 49_400));
    index(&mut x, "49300");
    let ended = ended(&x);
    let told: Vec<_> = ended.iter().map(|f| (f.placed.is_some(), f.reason, f.refused)).collect();
    assert_eq!(told, [(false, EndReason::Refused, Some(Reject::ReduceOnly)); 2]);
    assert_eq!(waiting(&x, ALICE), 0);
    audit(&mut x);
}

#[test]
fn money_is_asked_for_when_the_price_came() {
    let mut x = exchange(false);
    let poor = AccountId(100_009);
    fund(&mut x, poor, "10");
    // It would need 5,000 at 20 times.
    let new = waits(limit(Side::Buy, 50_500, 200), WorkingPrice::Mark, STOP, 50_500);
    wait(&mut x, poor, new);
    index(&mut x, "50500");
    let last = ended(&x).pop().unwrap();
    assert_eq!((last.placed, last.refused), (None, Some(Reject::MarginInsufficient)));
    // An isolated one sets its margin aside from then on only.
    isolated(&mut x, ALICE, 20);
    let id = wait(&mut x, ALICE, waits(limit(Side::Buy, 51_000, 20), WorkingPrice::Mark, STOP, 51_000));
    let free = |x: &Exchange| crate::legs::wallet(x, ALICE, xng_core::ids::Wallet::Futures);
    assert_eq!(free(&x), ("100000".into(), "0".into()));
    index(&mut x, "51000");
    assert_eq!(free(&x), ("99490".into(), "510".into()));
    ok(&mut x, ALICE, LegCommand::Cancel(OrderName::Id(id)));
    audit(&mut x);
}

#[test]
fn orders_that_wait_are_counted_named_and_cancelled() {
    let mut x = exchange(false);
    let far = |n: i64| waits(limit(Side::Sell, 49_000, 1), WorkingPrice::Mark, STOP, 49_000 + n);
    let mut named = far(0);
    named.order.client_id = ClientOrderId::parse("stop");
    wait(&mut x, ALICE, named);
    assert_eq!(not_taken(&mut x, ALICE, named), Reject::DuplicateClientOrderId);
    let name = named.order.client_id;
    let same = LegCommand::Place(NewBookOrder { client_id: name, ..limit(Side::Buy, 49_000, 1) });
    assert_eq!(refused(&mut x, ALICE, same), Reject::DuplicateClientOrderId);
    let terms = LegCommand::SetTerms { contract: C, multiple: Some(10), mode: Some(MarginMode::Cross) };
    assert_eq!(refused(&mut x, ALICE, terms), Reject::PositionOpen);
    assert_eq!(refused(&mut x, ALICE, LegCommand::SetHedge(true)), Reject::PositionOpen);
    ok(&mut x, ALICE, LegCommand::Cancel(OrderName::Client(name.unwrap())));
    for n in 0..10 {
        wait(&mut x, ALICE, far(n));
    }
    assert_eq!(not_taken(&mut x, ALICE, far(10)), Reject::TooManyTriggers);
    ok(&mut x, ALICE, LegCommand::CancelAll(C));
    assert_eq!(waiting(&x, ALICE), 10, "these are orders that rest");
    ok(&mut x, ALICE, LegCommand::CancelConditionals(C));
    assert_eq!(waiting(&x, ALICE), 0);
    let hedged = NewBookOrder { leg: LegSide::Long, ..limit(Side::Sell, 49_000, 1) };
    let new = waits(hedged, WorkingPrice::Mark, STOP, 49_000);
    assert_eq!(not_taken(&mut x, ALICE, new), Reject::PositionModeMismatch);
    audit(&mut x);
}

#[test]
fn one_turn_of_prices_fires_all_that_they_reached_one_record_each() {
    let mut x = exchange(false);
    for n in 0..3 {
        wait(&mut x, ALICE, waits(limit(Side::Sell, 49_200, 1), WorkingPrice::Mark, STOP, 49_500 - n * 10));
        wait(&mut x, BOB, waits(limit(Side::Buy, 49_200, 1), WorkingPrice::Mark, PROFIT, 49_500 - n * 10));
    }
    index(&mut x, "49480");
    let fired: Vec<i64> = ended(&x).iter().map(|f| f.gone[0].condition.trigger.ticks.0 / 100).collect();
    assert_eq!(fired, [49_500, 49_500, 49_490, 49_490, 49_480, 49_480]);
    assert_eq!(leg(&x, ALICE).1, 3);
    audit(&mut x);
}

#[test]
fn a_restart_between_trigger_and_order_places_it_once_with_the_next_fresh_mark() {
    let mut x = exchange(false);
    wait(&mut x, ALICE, waits(limit(Side::Sell, 49_400, 1), WorkingPrice::Mark, STOP, 49_500));
    index(&mut x, "49400");
    assert_eq!(ended(&x).len(), 1);
    // All records up to the one of the order: the process ends with the trigger reached.
    let records = x.journal.records();
    let fires = |bytes: &[u8]| match Record::decode(bytes).unwrap().fact {
        Fact::Book(BookFact::ConditionalsChanged(f)) => f.placed.is_some(),
        _ => false,
    };
    let at = records.iter().position(|(_, bytes)| fires(bytes)).unwrap();
    let mut world: World<Plain> = World::default();
    records[..at].iter().for_each(|(lsn, bytes)| drop(world.fold(*lsn, bytes).unwrap()));
    let mut x = x.resumed(world, &records[..at]);
    assert_eq!((waiting(&x, ALICE), ended(&x).len()), (1, 0), "closed after a start");
    index(&mut x, "49450");
    assert_eq!((waiting(&x, ALICE), ended(&x).len()), (0, 1));
    audit(&mut x);
}

#[test]
fn a_liquidation_takes_waiting_orders_out() {
    let mut x = exchange(false);
    isolated(&mut x, ALICE, 20);
    long(&mut x, 20);
    wait(&mut x, ALICE, closes(Side::Sell, PROFIT, 52_000));
    wait(&mut x, ALICE, waits(limit(Side::Sell, 47_000, 20), WorkingPrice::Last, STOP, 47_000));
    place(&mut x, BOB, limit(Side::Buy, 47_600, 20));
    index(&mut x, "47000");
    assert_eq!(waiting(&x, ALICE), 0);
    let gone: Vec<_> = ended(&x).iter().map(|f| (f.gone.len(), f.reason)).collect();
    assert_eq!(gone, [(2, EndReason::User)]);
    audit(&mut x);
}

/// Orders that wait, are triggered, refused and cancelled; one waits at the end.
pub(crate) fn every_fact(x: &mut Exchange, price: i64, versions: (u32, u32)) {
    let dora = AccountId(100_010);
    fund(x, dora, "50000");
    let of = |mut new: NewConditional| {
        new.order.versions = versions;
        new
    };
    let limited = |side, price| limit(side, price, 2);
    let gone = wait(x, dora, of(waits(limited(Side::Sell, price - 200), WorkingPrice::Last, STOP, price - 900)));
    wait(x, dora, of(waits(limited(Side::Buy, price - 100), WorkingPrice::Mark, STOP, price + 300)));
    wait(x, dora, of(closes(Side::Sell, PROFIT, price + 300)));
    wait(x, dora, of(trails(Side::Sell, WorkingPrice::Mark, 0, 500)));
    ok(x, dora, LegCommand::Cancel(OrderName::Id(gone)));
    index(x, &(price + 600).to_string());
    index(x, &price.to_string());
}

#[test]
fn a_pool_that_lacks_another_price_keeps_nobody_elses_order_waiting() {
    let mut x = exchange(false);
    list_ether(&mut x);
    let in_ether = |side| NewBookOrder { contract: E, ..limit(side, 2_000, 20) };
    place(&mut x, BOB, in_ether(Side::Sell));
    place(&mut x, ALICE, in_ether(Side::Buy));
    place(&mut x, BOB, limit(Side::Sell, 50_700, 5));
    let stop = waits(at_market(Side::Buy, 1), WorkingPrice::Mark, STOP, 50_500);
    for who in [ALICE, CAROL] {
        wait(&mut x, who, stop);
    }
    // Nobody says any more what ether is worth.
    x.advance(6_000_000_000);
    index(&mut x, "50600");
    x.run();
    let of: Vec<_> = ended(&x).iter().map(|f| (f.account, f.refused)).collect();
    assert_eq!(of, [(ALICE, Some(Reject::PriceStale)), (CAROL, None)]);
    assert_eq!(leg(&x, CAROL).1, 1);
    audit(&mut x);
}
