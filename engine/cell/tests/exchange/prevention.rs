//! What an order that meets its owner's own comes to, in every mode, and what is remembered of the match.

use crate::support::{BTC, Exchange, USDT, btc_usdt};
use xng_core::account::{AccountEvent, Order, OrderChange};
use xng_core::entity::{Accepted, Reply};
use xng_core::ids::{AccountId, MarketId, OrderId, PreventedId};
use xng_core::money::{Amount, Lots};
use xng_core::spot::prevented_matches::PreventedMatch;
use xng_core::spot::{NewOrder, OrderAck, OrderStatus, Side, Stp, Tif};

const ALICE: AccountId = AccountId(100_001);
const BOB: AccountId = AccountId(100_002);
const M: MarketId = MarketId(1);

fn ready() -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    for who in [ALICE, BOB] {
        x.fund(who, USDT, Amount::whole(100_000));
        x.fund(who, BTC, Amount::whole(10));
    }
    x.watch(ALICE);
    x
}

fn placed(x: &mut Exchange, who: AccountId, order: NewOrder) -> OrderAck {
    match x.place(who, order) {
        Reply::Accepted(Accepted::Placed(ack)) => ack,
        other => panic!("{other:?}"),
    }
}

fn limit(x: &mut Exchange, who: AccountId, side: Side, ticks: i64, lots: i64, stp: Stp) -> OrderAck {
    let order = x.limit(M, side, ticks, lots, Tif::Gtc, stp);
    placed(x, who, order)
}

/// Alice's prevented matches.
fn prevented(x: &Exchange) -> Vec<PreventedMatch> {
    let histories = x.histories();
    histories.of(ALICE).map_or_else(Vec::new, |history| history.prevented(histories.position()).entries)
}

fn order(x: &Exchange, id: OrderId) -> Order {
    *x.orders(ALICE).0.iter().find(|o| o.order == id).expect("it is remembered")
}

/// Asked for, filled, open and lost: the first is the sum of the others while it is open.
fn lots(o: &Order) -> [i64; 4] {
    [o.lots.0, o.filled.0, o.open.0, o.prevented.0]
}

fn numbers(m: &PreventedMatch) -> (OrderId, OrderId, [i64; 3]) {
    (m.taker, m.maker, [m.taker_lots.0, m.maker_lots.0, m.lots.0])
}

#[test]
fn a_decrement_takes_the_smaller_quantity_off_both_and_both_explain_themselves() {
    let mut x = ready();
    let maker = limit(&mut x, ALICE, Side::Buy, 5_000_000, 600, Stp::ExpireTaker).order;
    let small = limit(&mut x, ALICE, Side::Sell, 5_000_000, 200, Stp::Decrement);
    assert_eq!(small.status, OrderStatus::ExpiredInMatch);
    assert_eq!(lots(&order(&x, small.order)), [200, 0, 0, 200]);
    let rests = order(&x, maker);
    assert_eq!((lots(&rests), rests.status), ([600, 0, 400, 200], OrderStatus::Open));
    assert_eq!(rests.prevented_by, PreventedId::of(small.order, 0));

    // Larger than what is left: the maker is over, and the rest of the taker is in the book.
    limit(&mut x, BOB, Side::Buy, 5_001_000, 50, Stp::ExpireTaker);
    let large = limit(&mut x, ALICE, Side::Sell, 5_000_000, 1_000, Stp::Decrement);
    let (large, maker) = (order(&x, large.order), order(&x, maker));
    assert_eq!((lots(&large), large.status), ([1_000, 50, 550, 400], OrderStatus::Partial));
    assert_eq!((lots(&maker), maker.status), ([600, 0, 0, 600], OrderStatus::ExpiredInMatch));
    let known = prevented(&x);
    let reported: Vec<_> = known.iter().map(numbers).collect();
    assert_eq!(reported, [(small.order, maker.order, [200, 200, 200]), (large.order, maker.order, [400, 400, 400])]);
    assert_eq!(known[1].id, PreventedId::of(large.order, 0));

    // Filled, in part by what was taken off it: an order that was filled.
    limit(&mut x, BOB, Side::Buy, 5_000_000, 550, Stp::ExpireTaker);
    let large = order(&x, large.order);
    assert_eq!((lots(&large), large.status), ([1_000, 600, 0, 400], OrderStatus::Filled));
    x.audit();
    x.check_fold();
}

#[test]
fn each_mode_tells_what_each_order_lost_and_what_they_would_have_traded() {
    for (stp, numbers_reported, status) in [
        (Stp::ExpireTaker, [250, 0, 100], OrderStatus::ExpiredInMatch),
        (Stp::ExpireMaker, [0, 100, 100], OrderStatus::Partial),
        (Stp::ExpireBoth, [250, 100, 100], OrderStatus::ExpiredInMatch),
        (Stp::Decrement, [100, 100, 100], OrderStatus::Partial),
    ] {
        let mut x = ready();
        // One trade comes first.
        limit(&mut x, BOB, Side::Sell, 4_999_000, 50, Stp::ExpireTaker);
        let maker = limit(&mut x, ALICE, Side::Sell, 5_000_000, 100, Stp::ExpireTaker).order;
        x.events.clear();
        let taker = limit(&mut x, ALICE, Side::Buy, 5_000_000, 300, stp);
        assert_eq!(taker.status, status, "{stp:?}");
        let known = prevented(&x);
        assert_eq!(known.iter().map(numbers).collect::<Vec<_>>(), [(taker.order, maker, numbers_reported)], "{stp:?}");
        assert_eq!(known[0].stp, stp);
        let (taker, maker) = (order(&x, taker.order), order(&x, maker));
        assert_eq!((taker.prevented.0, maker.prevented.0), (numbers_reported[0], numbers_reported[1]), "{stp:?}");
        assert_eq!(taker.prevented_by != PreventedId::NONE, numbers_reported[0] > 0);

        let of = |id: OrderId| move |e: &&AccountEvent| e.orders.iter().any(|(o, _)| o.order == id);
        let reported = x.events.iter().find(of(taker.order)).expect("of the taker");
        let after: Vec<u32> = reported.prevented.iter().map(|(after, _)| *after).collect();
        assert_eq!(after, if numbers_reported[0] > 0 { vec![1] } else { vec![] }, "{stp:?}: behind its trade");
        let reported = x.events.iter().find(of(maker.order));
        assert_eq!(reported.is_some(), numbers_reported[1] > 0, "{stp:?}: who lost nothing is told nothing");
        if let Some(event) = reported {
            assert_eq!(event.orders[0].1, OrderChange::Prevented);
            assert_eq!(event.prevented.iter().map(|(_, m)| m.maker_lots.0).collect::<Vec<_>>(), [numbers_reported[1]]);
        }
        x.audit();
        x.check_fold();
    }
}

#[test]
fn an_order_by_quote_amount_loses_what_its_amount_would_have_bought() {
    let mut x = ready();
    // 100 lots of a thousandth of a percent of a coin cost 50.
    limit(&mut x, ALICE, Side::Sell, 5_000_000, 100, Stp::ExpireTaker);
    limit(&mut x, BOB, Side::Sell, 5_001_000, 1_000, Stp::ExpireTaker);
    let decrement = NewOrder { stp: Stp::Decrement, ..x.by_quote(M, Side::Buy, Amount::whole(80)) };
    let ack = placed(&mut x, ALICE, decrement);
    assert_eq!((ack.status, ack.filled), (OrderStatus::Filled, Lots(59)), "what it lost is not spent once more");
    assert_eq!(order(&x, ack.order).prevented, Lots(100));

    limit(&mut x, ALICE, Side::Sell, 5_000_000, 200, Stp::ExpireTaker);
    let decrement = NewOrder { stp: Stp::Decrement, ..x.by_quote(M, Side::Buy, Amount::whole(80)) };
    let ack = placed(&mut x, ALICE, decrement);
    assert_eq!((ack.status, ack.filled), (OrderStatus::ExpiredInMatch, Lots(0)), "all of it");
    assert_eq!(order(&x, ack.order).prevented, Lots(160));

    let stopped = NewOrder { stp: Stp::ExpireTaker, ..x.by_quote(M, Side::Buy, Amount::whole(10)) };
    let ack = placed(&mut x, ALICE, stopped);
    assert_eq!((ack.status, order(&x, ack.order).prevented), (OrderStatus::ExpiredInMatch, Lots(20)));
    x.audit();
    x.check_fold();
}

#[test]
fn an_order_whose_amount_is_used_up_is_filled_though_its_owners_own_order_is_next() {
    let mut x = ready();
    limit(&mut x, BOB, Side::Sell, 5_000_000, 100, Stp::ExpireTaker);
    limit(&mut x, ALICE, Side::Sell, 5_000_000, 100, Stp::ExpireTaker);
    for stp in [Stp::ExpireTaker, Stp::ExpireBoth, Stp::Decrement] {
        // 20 lots and a part of one.
        let order = NewOrder { stp, ..x.by_quote(M, Side::Buy, Amount(10_4000_0000)) };
        let ack = placed(&mut x, ALICE, order);
        assert_eq!((ack.status, ack.filled), (OrderStatus::Filled, Lots(20)), "{stp:?}");
    }
    let last = NewOrder { stp: Stp::ExpireTaker, ..x.by_quote(M, Side::Buy, Amount(20_2000_0000)) };
    let ack = placed(&mut x, ALICE, last);
    assert_eq!((ack.status, ack.filled), (OrderStatus::Filled, Lots(40)), "the maker is used up too");
    assert!(prevented(&x).is_empty());
    x.check_fold();
}

#[test]
fn of_prevented_matches_a_history_has_the_latest() {
    let mut x = ready();
    limit(&mut x, ALICE, Side::Sell, 5_000_000, 100, Stp::ExpireTaker);
    let orders: Vec<OrderId> =
        (0..260).map(|_| limit(&mut x, ALICE, Side::Buy, 5_000_000, 1, Stp::ExpireTaker).order).collect();
    let known: Vec<OrderId> = prevented(&x).iter().map(|m| m.taker).collect();
    assert_eq!(known, orders[4..]);
    x.check_fold();
}
