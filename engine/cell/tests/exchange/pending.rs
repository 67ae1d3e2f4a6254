//! Orders that another one brings when it is filled (OTO, OTOCO), worked out by hand.

use crate::order_groups::{
    ALICE, BOB, CAROL, M, amount, at_market, check, exchange, last_fact, limit, order, placed_group, refused, tick,
    told, trade,
};
use crate::support::{BTC, Exchange, USDT, btc_usdt};
use xng_core::account::{AccountCommand, OrderName, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{ClientOrderId, OrderId};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::record::{Cause, Fact, Record};
use xng_core::reject::Reject;
use xng_core::spot::facts::SpotFact;
use xng_core::spot::{
    EndReason, Leg, ListKind, MarketCommand, MarketState, NewOrder, OrderGroup, OrderStatus, Replaced, Side, Stp, Tif,
    Trigger, TriggerKind,
};

use Side::{Buy, Sell};
use TriggerKind::{StopLoss, TakeProfit};

const SECOND: u64 = 1_000_000_000;

fn plain(order: NewOrder) -> Leg {
    Leg { order, trigger: None }
}

fn stop(order: NewOrder, kind: TriggerKind, ticks: i64) -> Leg {
    Leg { order, trigger: Some(Trigger { kind, ticks: Ticks(ticks), trail_bips: 0 }) }
}

fn brings(x: &Exchange, first: NewOrder, pending: Vec<Leg>) -> OrderGroup {
    OrderGroup { pending, list: ClientOrderId::parse("list"), ..x.group(&[plain(first)]) }
}

/// A buy of half a coin at 900 that brings these; ids of all.
fn buy_that_brings(x: &mut Exchange, pending: Vec<Leg>) -> Vec<OrderId> {
    let wanted = brings(x, order(x, Buy, 900, 500), pending);
    placed_group(x.place_group(ALICE, wanted)).orders.iter().map(|ack| ack.order).collect()
}

fn take_and_stop(x: &Exchange, take: i64, stop_at: i64) -> Vec<Leg> {
    let take = NewOrder { tif: Tif::PostOnly, ..order(x, Sell, take, 400) };
    vec![plain(take), stop(at_market(x, Sell, 400), StopLoss, stop_at)]
}

fn cancel(x: &mut Exchange, order: OrderId) -> Vec<OrderId> {
    let cancel = AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(order)));
    match x.ok(Command::Account(ALICE, cancel)) {
        Reply::Accepted(Accepted::Canceled(orders)) => orders,
        other => panic!("cancelled, not {other:?}"),
    }
}

fn status(x: &Exchange, order: OrderId) -> (OrderStatus, EndReason) {
    let order = told(x, ALICE, order);
    (order.status, order.reason)
}

fn open(order: OrderStatus) -> (OrderStatus, EndReason) {
    (order, EndReason::None)
}

#[test]
fn a_pending_order_locks_nothing_and_is_placed_when_the_first_is_filled_whole() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let sells = vec![plain(order(&x, Sell, 1_100, 400))];
    let [first, pending] = buy_that_brings(&mut x, sells)[..] else { panic!("two orders") };
    assert_eq!(x.free(ALICE, USDT).1, amount("450"));
    assert_eq!(x.free(ALICE, BTC), (amount("10"), Amount::ZERO), "nothing of what is pending is locked");
    let Fact::Spot(SpotFact::OrdersChanged(f)) = last_fact(&x) else { panic!("a list") };
    let list = f.list.expect("a list");
    assert_eq!((list.kind, list.orders), (ListKind::OneTriggers, vec![first, pending]));
    let told_pending = told(&x, ALICE, pending);
    assert_eq!((told_pending.status, told_pending.working), (OrderStatus::Pending, 0));
    assert_eq!(told_pending.list, told(&x, ALICE, first).list);

    limit(&mut x, BOB, Sell, 900, 200);
    assert_eq!(status(&x, pending), open(OrderStatus::Pending), "a part of the first brings nothing");
    check(&mut x);
    limit(&mut x, BOB, Sell, 900, 300);
    assert_eq!((status(&x, first), status(&x, pending)), (open(OrderStatus::Filled), open(OrderStatus::Open)));
    assert_eq!(x.free(ALICE, BTC).1, amount("0.4"));
    let record = Record::decode(&x.journal.records().last().expect("a record").1).unwrap();
    assert_eq!(record.cause, Cause::Timer);
    assert!(
        matches!(record.fact, Fact::Spot(SpotFact::OrdersChanged(f)) if f.activated == Some(first) && f.pending.is_empty())
    );
    assert_eq!(limit(&mut x, CAROL, Buy, 1_100, 400).market(), M);
    assert_eq!(status(&x, pending), open(OrderStatus::Filled));
    check(&mut x);
}

#[test]
fn a_first_order_that_is_filled_at_once_brings_the_others_in_the_next_record() {
    let mut x = exchange();
    limit(&mut x, BOB, Sell, 900, 500);
    let wanted = brings(&x, order(&x, Buy, 900, 500), vec![plain(at_market(&x, Sell, 400))]);
    limit(&mut x, CAROL, Buy, 880, 1_000);
    let ack = placed_group(x.place_group(ALICE, wanted));
    let told_at_once: Vec<OrderStatus> = ack.orders.iter().map(|ack| ack.status).collect();
    assert_eq!(told_at_once, [OrderStatus::Filled, OrderStatus::Pending]);
    assert_eq!(status(&x, ack.orders[1].order), open(OrderStatus::Filled));
    check(&mut x);
}

#[test]
fn two_pending_orders_cancel_each_other_once_they_are_placed() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let both = take_and_stop(&x, 1_100, 800);
    let [first, take, stop] = buy_that_brings(&mut x, both)[..] else { panic!("three orders") };
    limit(&mut x, BOB, Sell, 900, 500);
    assert_eq!((status(&x, take), status(&x, stop)), (open(OrderStatus::Open), open(OrderStatus::Waiting)));
    assert_eq!(x.free(ALICE, BTC).1, amount("0.4"), "once for both");
    check(&mut x);
    limit(&mut x, CAROL, Buy, 1_100, 100);
    assert_eq!(status(&x, stop), (OrderStatus::Expired, EndReason::OtherLeg));
    assert_eq!(told(&x, ALICE, take).list, first, "they stay in their list");
    assert_eq!(cancel(&mut x, take), [take]);
    check(&mut x);
}

#[test]
fn a_stop_whose_price_was_reached_before_its_turn_is_triggered_at_once() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let both = take_and_stop(&x, 1_100, 950);
    let [_, take, stop] = buy_that_brings(&mut x, both)[..] else { panic!("three orders") };
    limit(&mut x, CAROL, Buy, 890, 1_000);
    limit(&mut x, BOB, Sell, 900, 500);
    assert_eq!((status(&x, stop), told(&x, ALICE, stop).spent), (open(OrderStatus::Filled), amount("356")));
    assert_eq!(status(&x, take), (OrderStatus::Expired, EndReason::OtherLeg));
    check(&mut x);
}

#[test]
fn what_the_market_has_to_refuse_at_its_turn_ends_and_says_so() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    // Ten coins are there, and half a one will come.
    let too_many = vec![plain(order(&x, Sell, 1_100, 10_600))];
    let [first, pending] = buy_that_brings(&mut x, too_many)[..] else { panic!("two orders") };
    limit(&mut x, BOB, Sell, 900, 500);
    assert_eq!((status(&x, first), status(&x, pending)), (open(OrderStatus::Filled), refusal()));
    let Fact::Spot(SpotFact::OrdersChanged(f)) = last_fact(&x) else { panic!("a refusal") };
    assert_eq!((f.refused, f.gone.len()), (Some(Reject::InsufficientBalance), 1));

    // Both leave when one cannot be placed: the maker would match.
    let both = take_and_stop(&x, 1_100, 800);
    let [_, take, stop] = buy_that_brings(&mut x, both)[..] else { panic!("three orders") };
    limit(&mut x, CAROL, Buy, 1_150, 10);
    limit(&mut x, BOB, Sell, 1_150, 10);
    limit(&mut x, CAROL, Buy, 1_120, 10);
    limit(&mut x, BOB, Sell, 900, 510);
    assert_eq!(
        (status(&x, take), status(&x, stop)),
        (open(OrderStatus::Open), open(OrderStatus::Waiting)),
        "gone again"
    );
    cancel(&mut x, take);
    let both = take_and_stop(&x, 1_100, 800);
    let [_, take, stop] = buy_that_brings(&mut x, both)[..] else { panic!("three orders") };
    let sells = NewOrder { tif: Tif::Ioc, ..order(&x, Sell, 900, 500) };
    let bids = order(&x, Buy, 1_120, 10);
    for (who, order) in [(BOB, sells), (CAROL, bids)] {
        x.submit(None, Command::Account(who, AccountCommand::Spot(SpotCommand::Place(order))));
    }
    x.run();
    assert_eq!((status(&x, take), status(&x, stop)), (refusal(), refusal()));
    assert_eq!(x.free(ALICE, BTC).1, Amount::ZERO);
    check(&mut x);
}

fn refusal() -> (OrderStatus, EndReason) {
    (OrderStatus::Expired, EndReason::Refused)
}

#[test]
fn to_cancel_one_order_of_the_list_cancels_all_in_one_record() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    for which in 0..3 {
        let both = take_and_stop(&x, 1_100, 800);
        let orders = buy_that_brings(&mut x, both);
        let before = x.journal.records().len();
        let mut gone = cancel(&mut x, orders[which]);
        gone.sort_unstable();
        assert_eq!(gone, orders);
        assert_eq!(x.journal.records().len(), before + 1);
        assert!(orders.iter().all(|order| status(&x, *order) == (OrderStatus::Canceled, EndReason::User)));
        check(&mut x);
    }
    let both = take_and_stop(&x, 1_100, 800);
    let orders = buy_that_brings(&mut x, both);
    x.ok(Command::Account(ALICE, AccountCommand::Spot(SpotCommand::CancelAll(M))));
    assert_eq!(status(&x, orders[2]), (OrderStatus::Canceled, EndReason::User));
    check(&mut x);
}

#[test]
fn a_first_order_that_ends_unfilled_brings_nothing() {
    let mut x = exchange();
    limit(&mut x, BOB, Sell, 900, 200);
    let ioc = NewOrder { tif: Tif::Ioc, ..order(&x, Buy, 900, 500) };
    let wanted = brings(&x, ioc, take_and_stop(&x, 1_100, 800));
    let ack = placed_group(x.place_group(ALICE, wanted));
    assert_eq!(ack.orders[0].status, OrderStatus::Expired, "a part of it was filled");
    for pending in &ack.orders[1..] {
        assert_eq!(status(&x, pending.order), (OrderStatus::Expired, EndReason::OtherLeg));
    }
    check(&mut x);

    let both = take_and_stop(&x, 1_100, 800);
    let orders = buy_that_brings(&mut x, both);
    let own = NewOrder { stp: Stp::ExpireMaker, ..order(&x, Sell, 900, 100) };
    x.place(ALICE, own);
    assert_eq!(status(&x, orders[0]).0, OrderStatus::ExpiredInMatch);
    assert_eq!(status(&x, orders[2]), (OrderStatus::Expired, EndReason::OtherLeg));
    check(&mut x);
}

#[test]
fn a_market_that_is_closed_at_their_turn_places_them_when_it_is_open_again() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let sells = vec![plain(order(&x, Sell, 1_100, 400))];
    let [first, pending] = buy_that_brings(&mut x, sells)[..] else { panic!("two orders") };
    let sell = order(&x, Sell, 900, 500);
    x.submit(None, Command::Account(BOB, AccountCommand::Spot(SpotCommand::Place(sell))));
    x.cell.enqueue_due();
    assert!(x.cell.handle_next() && x.cell.handle_next(), "the sale is held for, and decided");
    x.submit(None, Command::Market(M, MarketCommand::SetState(MarketState::Halt)));
    x.run();
    assert_eq!((status(&x, first), status(&x, pending)), (open(OrderStatus::Filled), open(OrderStatus::Pending)));
    let records = x.journal.records().len();
    for _ in 0..3 {
        x.advance(SECOND);
        x.run();
    }
    assert_eq!(x.journal.records().len(), records, "asking leaves nothing behind");
    check(&mut x);
    x.ok(Command::Market(M, MarketCommand::SetState(MarketState::Trading)));
    x.advance(SECOND);
    x.run();
    assert_eq!(status(&x, pending), open(OrderStatus::Open));
    check(&mut x);
}

#[test]
fn who_has_as_many_orders_as_there_may_be_gets_what_was_promised() {
    let mut params = btc_usdt();
    (params.tick, params.step, params.max_open_orders) = (Amount::whole(1), amount("0.001"), 4);
    let mut x = Exchange::new(&[params]);
    for account in [ALICE, BOB, CAROL] {
        x.fund(account, USDT, Amount::whole(100_000));
        x.fund(account, BTC, Amount::whole(10));
    }
    trade(&mut x, 1_000);
    let both = take_and_stop(&x, 1_100, 800);
    let [_, take, stop] = buy_that_brings(&mut x, both)[..] else { panic!("three orders") };
    limit(&mut x, ALICE, Buy, 700, 10);
    let sell = order(&x, Sell, 900, 500);
    // While its turn comes, others are on their way that will be refused.
    for (who, order) in [(BOB, sell), (ALICE, order(&x, Buy, 701, 10)), (ALICE, order(&x, Buy, 702, 10))] {
        x.submit(None, Command::Account(who, AccountCommand::Spot(SpotCommand::Place(order))));
    }
    x.run();
    assert_eq!((status(&x, take), status(&x, stop)), (open(OrderStatus::Open), open(OrderStatus::Waiting)));
    check(&mut x);
}

#[test]
fn what_cannot_be_brought_is_refused_at_once() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let (buy, sell) = (order(&x, Buy, 900, 500), order(&x, Sell, 1_100, 400));
    let both = take_and_stop(&x, 1_100, 800);
    let crossed = take_and_stop(&x, 1_100, 1_100);
    let uneven = vec![both[0], stop(at_market(&x, Sell, 399), StopLoss, 800)];
    let small = vec![plain(order(&x, Sell, 1_100, 0))];
    let by_amount = vec![plain(NewOrder { budget: amount("100"), lots: Lots::ZERO, ..at_market(&x, Sell, 1) })];
    let two_takes = vec![both[0], stop(sell, TakeProfit, 1_200)];
    let three = vec![both[0], both[1], both[1]];
    for (pending, expected) in [
        (crossed, Reject::BadLegs),
        (uneven, Reject::BadLegs),
        (two_takes, Reject::BadLegs),
        (three, Reject::BadLegs),
        (by_amount, Reject::BadLegs),
        (small, Reject::BadLegs),
        (vec![stop(sell, StopLoss, 0)], Reject::BadTrigger),
    ] {
        let wanted = brings(&x, buy, pending.clone());
        assert_eq!(refused(x.place_group(ALICE, wanted)), expected, "{pending:?}");
    }
    let waits = OrderGroup { legs: vec![stop(buy, StopLoss, 1_200)], ..brings(&x, buy, both.clone()) };
    assert_eq!(refused(x.place_group(ALICE, waits)), Reject::BadLegs, "the first order is a limit order");
    let open = limit(&mut x, ALICE, Buy, 800, 10);
    let replaces = Some(Replaced { order: open, must: true });
    let instead = OrderGroup { replaces, ..brings(&x, buy, both.clone()) };
    assert_eq!(refused(x.place_group(ALICE, instead)), Reject::BadLegs);
    let named = |order: NewOrder| NewOrder { client_id: ClientOrderId::parse("one"), ..order };
    let twice = brings(&x, named(buy), vec![plain(named(sell))]);
    assert_eq!(refused(x.place_group(ALICE, twice)), Reject::DuplicateClientOrderId);
    let orders = buy_that_brings(&mut x, both);
    for order in orders {
        let amend = SpotCommand::Amend { order: OrderName::Id(order), lots: Lots(10), client_id: None };
        let reply = x.send(None, Command::Account(ALICE, AccountCommand::Spot(amend)));
        assert_eq!(refused(reply), Reject::BadAmendment);
    }
    tick(&mut x, "1000");
    check(&mut x);
}
