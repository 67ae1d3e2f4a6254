//! Orders that wait for the open: by age, with the house's quotes, beside orders that come meanwhile.

use crate::stocks::{
    ALICE, BOB, Buy, CAROL, DAVE, SHARE, Sell, US, all_is_well, at, cancel, exchange, exchange_of, facts, group, has,
    hk, index, limit, open, opened_at, place, queue, quote, refused, state, stop, taken, to, trades, us,
};
use crate::support::{Exchange, USDT};
use xng_core::account::{AccountCommand, OrderName, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, OrderId, PriceId, RequestKey};
use xng_core::money::{Amount, Lots};
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::Fact;
use xng_core::reject::Reject;
use xng_core::spot::facts::SpotFact;
use xng_core::spot::{Leg, MarketParams, MarketState, NewOrder, OrderGroup, OrderStatus, Replaced, StateReason, Tif};

#[test]
fn what_came_while_it_was_closed_is_placed_at_the_open_by_age() {
    let mut x = exchange_of(us(), hk());
    opened_at(&mut x, 1, "100", "100");
    place(&mut x, CAROL, US, Sell, "101", 5, Tif::Gtc);
    to(&mut x, at(1, 32));
    assert_eq!(state(&x, US), (MarketState::CancelOnly, StateReason::Session));
    // Saturday.
    let market = x.market_order(US, Buy, 1, 11_000);
    assert_eq!(refused(&x.place(ALICE, market)), Reject::MarketClosed);
    for tif in [Tif::Ioc, Tif::Fok, Tif::PostOnly] {
        let order = limit(&x, US, Buy, "100", 1, tif);
        assert_eq!(refused(&x.place(ALICE, order)), Reject::MarketClosed, "{tif:?}");
    }
    let iceberg = NewOrder { iceberg: Lots(2), ..limit(&x, US, Buy, "100", 10, Tif::Gtc) };
    assert_eq!(refused(&x.place(ALICE, iceberg)), Reject::MarketClosed);
    let wrong = limit(&x, US, Buy, "300", 1, Tif::Gtc);
    assert_eq!(refused(&x.place(ALICE, wrong)), Reject::OutsidePriceBand);
    let conditional = x.group(&[stop(&x, US, Sell, "90", 1, Tif::Gtc)]);
    assert_eq!(refused(&x.place_group(ALICE, conditional)), Reject::MarketClosed);
    // Of the same request one order, and one answer.
    let order = limit(&x, US, Buy, "102", 3, Tif::Gtc);
    let command = Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Place(order)));
    let key = Some(RequestKey { key: 5, body: 1 });
    let first = taken(&x.send(key, command.clone()));
    assert_eq!((first.status, first.filled), (OrderStatus::Waiting, Lots::ZERO));
    assert!(matches!(x.send(key, command), Reply::Known(Accepted::Placed(ack)) if ack == first));
    // 102.102 a share are locked.
    assert_eq!(has(&x, ALICE, USDT), ["999693.694", "306.306"]);
    let second = place(&mut x, BOB, US, Buy, "102", 4, Tif::Day);
    let third = place(&mut x, ALICE, US, Sell, "100", 1, Tif::Gtc);
    let gone = place(&mut x, ALICE, US, Buy, "102", 9, Tif::Gtc);
    assert!(matches!(cancel(&mut x, ALICE, gone.order), Reply::Accepted(Accepted::Canceled(_))));
    let amend = SpotCommand::Amend { order: OrderName::Id(second.order), lots: Lots(1), client_id: None };
    let amend = Command::Account(BOB, AccountCommand::Spot(amend));
    assert_eq!(refused(&x.send(None, amend)), Reject::BadAmendment);
    let replaces = Some(Replaced { order: second.order, must: true });
    let leg = Leg { order: limit(&x, US, Buy, "101", 4, Tif::Gtc), trigger: None };
    let replacement = xng_core::spot::OrderGroup { replaces, ..x.group(&[leg]) };
    assert_eq!(refused(&x.place_group(BOB, replacement)), Reject::MarketClosed);
    assert_eq!(queue(&x, US), [first.order, second.order, third.order]);
    assert_eq!(x.order(BOB, second.order).status, OrderStatus::Waiting);
    all_is_well(&mut x);
    opened_at(&mut x, 2, "100", "100");
    // The five of yesterday: three for the first, two for the second, whose rest meets the third.
    assert_eq!(trades(&x), [(first.order, 10_100, 3), (second.order, 10_100, 2), (third.order, 10_200, 1)]);
    assert!(queue(&x, US).is_empty());
    assert_eq!(x.order(BOB, second.order).open, Lots(1));
    // 303.1515 paid, 101.949 earned.
    assert_eq!(has(&x, ALICE, USDT), ["999798.7975", "0"]);
    all_is_well(&mut x);
}

#[test]
fn a_house_opens_its_market_with_quotes_and_the_queue_meets_them() {
    let mut x = exchange_of(MarketParams { house_quoted: true, ..us() }, hk());
    let first = place(&mut x, ALICE, US, Buy, "101", 3, Tif::Day);
    to(&mut x, at(1, 19));
    index(&mut x, US, "100");
    assert_eq!(state(&x, US).0, MarketState::CancelOnly, "it waits for quotes");
    let second = place(&mut x, BOB, US, Sell, "99", 2, Tif::Gtc);
    assert_eq!((second.status, queue(&x, US).len()), (OrderStatus::Waiting, 2), "nobody passes the queue");
    assert!(matches!(quote(&mut x, US, &[(Buy, "99.5", 5), (Sell, "100.5", 5)]), Reply::Accepted(_)));
    assert_eq!(state(&x, US), (MarketState::Trading, StateReason::Fresh));
    assert_eq!(trades(&x), [(first.order, 10_050, 3), (second.order, 9_950, 2)]);
    // What its purchase locks of the rest: a thousandth more than it costs.
    assert_eq!(x.free(AccountId::HOUSE, USDT).1.to_string(), "298.7985");
    to(&mut x, at(1, 32));
    assert_eq!(x.cell.world().markets().get(US).unwrap().quotes().count(), 0, "quotes leave at the close");
    assert!(x.free(AccountId::HOUSE, USDT).1.is_zero() && x.free(AccountId::HOUSE, SHARE).1.is_zero());
    assert_eq!(refused(&quote(&mut x, US, &[(Buy, "99.5", 5)])), Reject::MarketClosed);
    all_is_well(&mut x);
}

/// Decides one thing, timers that are due among them.
fn step(x: &mut Exchange) -> bool {
    x.cell.enqueue_due();
    let worked = x.cell.handle_next();
    x.cell.hand_over();
    worked
}

/// The price at which the market opens is on its way.
fn says_the_price(x: &mut Exchange) {
    let said = SourcePrice { source: 1, price: Amount::whole(100) };
    x.submit(None, Command::Price(PriceId(US.0), PriceCommand::Push(said)));
}

#[test]
fn a_long_queue_is_placed_faster_than_orders_join_it() {
    let mut x = exchange();
    for n in 0..300 {
        place(&mut x, [ALICE, BOB, CAROL][n % 3], US, Buy, "100", 1, Tif::Gtc);
    }
    x.cell.clock().0 = at(1, 19);
    x.run();
    says_the_price(&mut x);
    let mut turns = 0;
    while turns == 0 || !queue(&x, US).is_empty() {
        let order = limit(&x, US, Buy, "100", 1, Tif::Gtc);
        (0..100).for_each(|_| {
            x.submit(None, Command::Account(DAVE, AccountCommand::Spot(SpotCommand::Place(order))));
        });
        x.cell.turn(|_, _| {});
        turns += 1;
        assert!(turns < 10, "{} are left", queue(&x, US).len());
    }
    x.run();
    all_is_well(&mut x);
}

#[test]
fn while_the_queue_is_placed_new_orders_join_it_or_are_refused() {
    let mut x = exchange();
    let early: Vec<OrderId> = (0..6)
        .map(|n| place(&mut x, if n % 2 == 0 { ALICE } else { CAROL }, US, Buy, "100", 1, Tif::Gtc).order)
        .collect();
    to(&mut x, at(1, 19));
    says_the_price(&mut x);
    // Until the market has opened and two of the queue are placed.
    while queue(&x, US).len() > 4 {
        step(&mut x);
    }
    let spot = |who, order| Command::Account(who, AccountCommand::Spot(SpotCommand::Place(order)));
    let joins = x.submit(None, spot(BOB, limit(&x, US, Sell, "100", 6, Tif::Gtc)));
    let market = x.submit(None, spot(BOB, x.market_order(US, Sell, 1, 1)));
    let ioc = x.submit(None, spot(BOB, limit(&x, US, Sell, "100", 1, Tif::Ioc)));
    let one = Leg { order: limit(&x, US, Sell, "100", 1, Tif::Gtc), trigger: None };
    let one = x.group(&[one]);
    let one = x.submit(None, Command::Account(BOB, AccountCommand::Spot(SpotCommand::PlaceGroup(Box::new(one)))));
    x.run();
    let joins = taken(&x.answer(joins).unwrap());
    assert_eq!(joins.status, OrderStatus::Waiting);
    for token in [market, ioc, one] {
        assert_eq!(refused(&x.answer(token).unwrap()), Reject::MarketClosed);
    }
    // It comes last, and meets all who were there before.
    assert_eq!(trades(&x), [(joins.order, 10_000, 1); 6]);
    let placed = facts(&x).into_iter().filter_map(|fact| match fact {
        Fact::Spot(SpotFact::OrdersChanged(f)) => f.triggered.map(|(order, _)| order),
        _ => None,
    });
    assert_eq!(placed.collect::<Vec<_>>(), [&early[..], &[joins.order]].concat());
    all_is_well(&mut x);
}

#[test]
fn orders_that_wait_for_a_price_do_so_over_night_and_come_after_the_queue() {
    let mut x = open();
    let waits = group(&mut x, ALICE, |x| vec![stop(x, US, Sell, "180", 2, Tif::Gtc)]);
    to(&mut x, at(1, 32));
    let queued = place(&mut x, BOB, US, Buy, "175", 1, Tif::Gtc);
    index(&mut x, US, "175");
    assert!(trades(&x).is_empty(), "its price came, and nothing is matched");
    opened_at(&mut x, 2, "175", "321");
    assert_eq!(trades(&x), [(waits[0], 17_500, 1)]);
    assert_eq!(x.order(BOB, queued.order).status, OrderStatus::Filled);
    all_is_well(&mut x);
}

#[test]
fn what_an_order_brings_waits_until_the_queue_is_placed() {
    let mut x = exchange();
    opened_at(&mut x, 1, "100", "100");
    let first = Leg { order: limit(&x, US, Sell, "101", 2, Tif::Gtc), trigger: None };
    let brings = Leg { order: limit(&x, US, Buy, "103", 2, Tif::Gtc), trigger: None };
    let wanted = OrderGroup { pending: vec![brings], ..x.group(&[first]) };
    let Reply::Accepted(Accepted::GroupPlaced(ack)) = x.place_group(ALICE, wanted) else { panic!("placed") };
    to(&mut x, at(1, 32));
    // The first of them fills it; the others are there before what it brings.
    let fills = place(&mut x, BOB, US, Buy, "101", 2, Tif::Gtc).order;
    let sells: Vec<OrderId> = (0..9).map(|_| place(&mut x, CAROL, US, Sell, "103", 1, Tif::Gtc).order).collect();
    // Its owner asks as soon as it can.
    x.cell.clock().0 = at(2, 19);
    says_the_price(&mut x);
    while step(&mut x) {}
    x.run();
    let brought = ack.orders[1].order;
    assert_eq!(trades(&x).len(), 1, "its owner asks again in a second");
    to(&mut x, at(2, 19) + 2_000_000_000);
    assert_eq!(trades(&x), [(fills, 10_100, 2), (brought, 10_300, 1), (brought, 10_300, 1)]);
    assert_eq!(x.order(CAROL, sells[2]).status, OrderStatus::Open);
    all_is_well(&mut x);
}
