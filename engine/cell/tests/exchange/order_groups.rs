//! Orders that wait, lists, icebergs, replacements and amendments, worked out by hand.

use crate::support::{BTC, Exchange, USDT, btc_usdt};
use std::collections::BTreeMap;
use xng_core::account::{AccountCommand, Order, OrderName, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, ClientOrderId, MarketId, OrderId, PriceId};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;
use xng_core::spot::facts::SpotFact;
use xng_core::spot::{
    EndReason, GroupAck, Leg, MarketCommand, MarketState, NewOrder, OrderGroup, OrderKind, OrderStatus, Replaced, Side,
    Stp, Tif, Trigger, TriggerKind,
};

pub(crate) const M: MarketId = MarketId(1);
pub(crate) const ALICE: AccountId = AccountId(100_001);
pub(crate) const BOB: AccountId = AccountId(100_002);
pub(crate) const CAROL: AccountId = AccountId(100_003);
use Side::{Buy, Sell};
use TriggerKind::{StopLoss, TakeProfit};

pub(crate) fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

/// A market of 1 USDT a tick and 0.001 BTC a lot, with 100,000 USDT and 10 BTC for each.
pub(crate) fn exchange() -> Exchange {
    let mut params = btc_usdt();
    (params.tick, params.step) = (Amount::whole(1), amount("0.001"));
    let mut x = Exchange::new(&[params]);
    for account in [ALICE, BOB, CAROL] {
        x.fund(account, USDT, Amount::whole(100_000));
        x.fund(account, BTC, Amount::whole(10));
    }
    x
}

pub(crate) fn order(x: &Exchange, side: Side, ticks: i64, lots: i64) -> NewOrder {
    x.limit(M, side, ticks, lots, Tif::Gtc, Stp::ExpireTaker)
}

pub(crate) fn at_market(x: &Exchange, side: Side, lots: i64) -> NewOrder {
    NewOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, ..order(x, side, 1, lots) }
}

pub(crate) fn limit(x: &mut Exchange, account: AccountId, side: Side, ticks: i64, lots: i64) -> OrderId {
    let order = order(x, side, ticks, lots);
    match x.place(account, order) {
        Reply::Accepted(Accepted::Placed(ack)) => ack.order,
        other => panic!("placed, not {other:?}"),
    }
}

/// A trade at this price: Bob and Carol pass a lot on.
pub(crate) fn trade(x: &mut Exchange, ticks: i64) {
    limit(x, BOB, Sell, ticks, 1);
    limit(x, CAROL, Buy, ticks, 1);
}

pub(crate) fn tick(x: &mut Exchange, price: &str) {
    let push = PriceCommand::Push(SourcePrice { source: 1, price: amount(price) });
    x.ok(Command::Price(PriceId(1), push));
}

pub(crate) fn placed_group(reply: Reply) -> GroupAck {
    match reply {
        Reply::Accepted(Accepted::GroupPlaced(ack)) => *ack,
        other => panic!("an order group was placed, not {other:?}"),
    }
}

pub(crate) fn refused(reply: Reply) -> Reject {
    match reply {
        Reply::Rejected(reject) => reject,
        other => panic!("refused, not {other:?}"),
    }
}

fn stop(x: &mut Exchange, account: AccountId, order: NewOrder, kind: TriggerKind, ticks: i64, bips: u32) -> OrderId {
    let group = x.stop(order, kind, ticks, bips);
    placed_group(x.place_group(account, group)).orders[0].order
}

pub(crate) fn told(x: &Exchange, account: AccountId, order: OrderId) -> Order {
    x.order(account, order)
}

fn waits(x: &Exchange, order: OrderId) -> bool {
    x.cell.world().markets().get(M).is_some_and(|m| m.triggers().get(order).is_some())
}

pub(crate) fn last_fact(x: &Exchange) -> Fact {
    Record::decode(&x.journal.records().last().expect("a record").1).unwrap().fact
}

/// The depth that facts tell is the depth of the book.
pub(crate) fn check(x: &mut Exchange) {
    x.audit();
    let mut told: BTreeMap<(Side, Ticks), i64> = BTreeMap::new();
    for (_, bytes) in x.journal.records() {
        let fact = Record::decode(&bytes).unwrap().fact;
        fact.book_changes(|side, ticks, lots| *told.entry((side, ticks)).or_default() += lots);
    }
    told.retain(|_, lots| *lots != 0);
    let (book, _) = x.cell.world().markets().get(M).unwrap().book();
    let level = |side| book.depth(side).map(move |(ticks, lots)| ((side, ticks), lots.0));
    assert_eq!(told, level(Buy).chain(level(Sell)).collect(), "depth");
    x.check_fold();
}

#[test]
fn a_stop_loss_waits_locks_and_becomes_the_same_order_in_the_book() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let sell = order(&x, Sell, 890, 500);
    let id = stop(&mut x, ALICE, sell, StopLoss, 900, 0);
    assert_eq!(x.free(ALICE, BTC), (amount("9.5"), amount("0.5")));
    let waiting = told(&x, ALICE, id);
    assert_eq!((waiting.status, waiting.working), (OrderStatus::Waiting, 0));
    trade(&mut x, 901);
    assert!(waits(&x, id), "901 is above its price");
    limit(&mut x, BOB, Buy, 895, 200);
    trade(&mut x, 900);
    let placed = told(&x, ALICE, id);
    assert_eq!((placed.status, placed.filled, placed.open), (OrderStatus::Partial, Lots(200), Lots(300)));
    assert!(placed.working > placed.created);
    assert_eq!((placed.spent, placed.fee), (amount("179"), amount("0.179")), "0.2 at 895, 0.1 % of it");
    assert_eq!(x.free(ALICE, BTC), (amount("9.5"), amount("0.3")));
    check(&mut x);
}

#[test]
fn the_index_triggers_as_a_trade_does_and_not_between_two_ticks() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let (buy, sell) = (order(&x, Buy, 1_010, 10), order(&x, Sell, 990, 10));
    let rises = stop(&mut x, ALICE, buy, StopLoss, 1_005, 0);
    let falls = stop(&mut x, ALICE, sell, StopLoss, 995, 0);
    tick(&mut x, "1004.99999999");
    tick(&mut x, "995.00000001");
    assert!(waits(&x, rises) && waits(&x, falls));
    tick(&mut x, "1005");
    assert!(!waits(&x, rises) && waits(&x, falls));
    tick(&mut x, "994.5");
    assert!(!waits(&x, falls));
    check(&mut x);
}

#[test]
fn triggers_that_are_reached_or_make_no_sense_are_refused() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let (buy, sell) = (order(&x, Buy, 1_000, 10), order(&x, Sell, 1_000, 10));
    let mut ask = |order: NewOrder, kind, ticks, bips| {
        let group = x.stop(order, kind, ticks, bips);
        refused(x.place_group(ALICE, group))
    };
    for (order, kind, ticks) in [
        (sell, StopLoss, 1_000),
        (sell, StopLoss, 1_001),
        (buy, StopLoss, 999),
        (sell, TakeProfit, 999),
        (buy, TakeProfit, 1_001),
    ] {
        assert_eq!(ask(order, kind, ticks, 0), Reject::WouldTrigger, "{:?} {kind:?} {ticks}", order.side);
    }
    assert_eq!(ask(sell, StopLoss, 0, 0), Reject::BadTrigger);
    assert_eq!(ask(sell, StopLoss, 900, 9), Reject::BadTrigger);
    assert_eq!(ask(sell, StopLoss, 900, 2_001), Reject::BadTrigger);
    assert_eq!(ask(sell, StopLoss, -5, 0), Reject::BadTrigger);
    assert_eq!(ask(NewOrder { ticks: Ticks(400), ..sell }, StopLoss, 900, 0), Reject::OutsidePriceBand);
    assert_eq!(ask(NewOrder { lots: Lots(11_000), ..sell }, StopLoss, 900, 0), Reject::InsufficientBalance);
    let (mut x, lot) = (exchange(), 1);
    trade(&mut x, 1_000);
    for n in 0..25 {
        let sell = order(&x, Sell, 900, lot);
        stop(&mut x, ALICE, sell, StopLoss, 900 - n, 0);
    }
    let sell = order(&x, Sell, 900, lot);
    let one_more = x.stop(sell, StopLoss, 800, 0);
    assert_eq!(refused(x.place_group(ALICE, one_more)), Reject::TooManyTriggers);
    check(&mut x);
}

#[test]
fn a_buy_at_market_locks_up_to_the_protection_and_gets_the_rest_back() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let buy = at_market(&x, Buy, 1_000);
    let id = stop(&mut x, ALICE, buy, StopLoss, 1_100, 0);
    assert_eq!(x.free(ALICE, USDT).1, amount("1155"), "5 % above 1,100");
    limit(&mut x, BOB, Sell, 1_120, 600);
    limit(&mut x, BOB, Sell, 1_200, 600);
    tick(&mut x, "1100");
    let done = told(&x, ALICE, id);
    assert_eq!((done.status, done.filled), (OrderStatus::Expired, Lots(600)), "1,200 is beyond the protection");
    assert_eq!(x.free(ALICE, USDT), (amount("99328"), Amount::ZERO));
    assert_eq!(x.free(ALICE, BTC).0, amount("10.5994"));
    check(&mut x);
}

#[test]
fn a_closed_market_triggers_when_it_opens() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let sell = order(&x, Sell, 890, 10);
    let id = stop(&mut x, ALICE, sell, StopLoss, 900, 0);
    x.ok(Command::Market(M, MarketCommand::SetState(MarketState::CancelOnly)));
    tick(&mut x, "850");
    tick(&mut x, "950");
    assert!(waits(&x, id), "nothing is placed while the market is closed");
    x.ok(Command::Market(M, MarketCommand::SetState(MarketState::Trading)));
    x.run();
    assert!(!waits(&x, id), "its price was there");
    assert_eq!(told(&x, ALICE, id).status, OrderStatus::Open);
    check(&mut x);
}

#[test]
fn a_trailing_stop_follows_the_best_price() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let sell = at_market(&x, Sell, 100);
    let id = stop(&mut x, ALICE, sell, StopLoss, 0, 500);
    limit(&mut x, BOB, Buy, 800, 100);
    for price in ["1000", "1080", "1026.5"] {
        tick(&mut x, price);
        assert!(waits(&x, id), "at {price}");
    }
    tick(&mut x, "1026");
    let done = told(&x, ALICE, id);
    assert_eq!((done.status, done.spent), (OrderStatus::Filled, amount("80")), "5 % below 1,080");
    check(&mut x);
}

fn oco(x: &Exchange, side: Side, lots: i64, limit_at: i64, stop_at: i64, stop_limit: i64) -> OrderGroup {
    let resting = Leg { order: NewOrder { tif: Tif::PostOnly, ..order(x, side, limit_at, lots) }, trigger: None };
    let trigger = Some(Trigger { kind: StopLoss, ticks: Ticks(stop_at), trail_bips: 0 });
    let waiting = Leg { order: order(x, side, stop_limit, lots), trigger };
    OrderGroup { list: ClientOrderId::parse("list"), ..x.group(&[resting, waiting]) }
}

#[test]
fn a_list_locks_once_and_a_fill_of_one_ends_the_other() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let list = oco(&x, Sell, 500, 1_100, 900, 890);
    let ack = placed_group(x.place_group(ALICE, list));
    let [limit_leg, stop_leg] = [ack.orders[0].order, ack.orders[1].order];
    assert_eq!(x.free(ALICE, BTC), (amount("9.5"), amount("0.5")), "once");
    assert_eq!(told(&x, ALICE, stop_leg).list, told(&x, ALICE, limit_leg).list);
    limit(&mut x, BOB, Buy, 1_100, 200);
    let (filled, gone) = (told(&x, ALICE, limit_leg), told(&x, ALICE, stop_leg));
    assert_eq!((filled.status, filled.open), (OrderStatus::Partial, Lots(300)));
    assert_eq!((gone.status, gone.reason), (OrderStatus::Expired, EndReason::OtherLeg));
    assert_eq!(x.free(ALICE, BTC), (amount("9.5"), amount("0.3")));
    tick(&mut x, "900");
    check(&mut x);
}

#[test]
fn a_list_of_buys_locks_the_dearer_one_and_the_stop_takes_over_in_one_record() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let list = oco(&x, Buy, 500, 900, 1_100, 1_120);
    let ack = placed_group(x.place_group(ALICE, list));
    assert_eq!(x.free(ALICE, USDT).1, amount("560"), "0.5 at 1,120, not 0.5 at 900 too");
    limit(&mut x, BOB, Sell, 1_110, 500);
    let before = x.journal.records().len();
    tick(&mut x, "1100");
    assert_eq!(x.journal.records().len(), before + 2, "the tick, and one record for both orders");
    assert!(
        matches!(last_fact(&x), Fact::Spot(SpotFact::OrdersChanged(f)) if f.gone.len() == 1 && f.triggered.is_some())
    );
    let [gone, filled] = [told(&x, ALICE, ack.orders[0].order), told(&x, ALICE, ack.orders[1].order)];
    assert_eq!((gone.status, filled.status, filled.spent), (OrderStatus::Expired, OrderStatus::Filled, amount("555")));
    assert_eq!(x.free(ALICE, USDT), (amount("99445"), Amount::ZERO));
    check(&mut x);
}

#[test]
fn to_cancel_one_order_of_a_list_cancels_both() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let list = oco(&x, Sell, 500, 1_100, 900, 890);
    let ack = placed_group(x.place_group(ALICE, list.clone()));
    assert_eq!(refused(x.place_group(ALICE, list.clone())), Reject::DuplicateClientOrderId, "the list's name is taken");
    let cancel = SpotCommand::Cancel(OrderName::Id(ack.orders[1].order));
    let reply = x.ok(Command::Account(ALICE, AccountCommand::Spot(cancel)));
    assert!(matches!(reply, Reply::Accepted(Accepted::Canceled(orders)) if orders.len() == 2));
    assert_eq!(x.free(ALICE, BTC), (amount("10"), Amount::ZERO));
    placed_group(x.place_group(ALICE, list));
    check(&mut x);
}

#[test]
fn lists_whose_prices_do_not_lie_around_the_market_are_refused() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    for (side, limit_at, stop_at) in
        [(Sell, 1_000, 900), (Sell, 1_100, 1_000), (Buy, 1_000, 1_100), (Buy, 900, 999), (Sell, 990, 900)]
    {
        let list = oco(&x, side, 10, limit_at, stop_at, stop_at);
        assert_eq!(refused(x.place_group(ALICE, list)), Reject::BadLegs, "{side:?} {limit_at} {stop_at}");
    }
    let list = oco(&x, Sell, 10, 1_100, 900, 890);
    let two_stops = OrderGroup { legs: vec![list.legs[1], list.legs[1]], ..list.clone() };
    assert_eq!(refused(x.place_group(ALICE, two_stops)), Reject::BadLegs);
    let mut uneven = list;
    uneven.legs[0].order.lots = Lots(9);
    assert_eq!(refused(x.place_group(ALICE, uneven)), Reject::BadLegs);
    check(&mut x);
}

#[test]
fn an_iceberg_shows_a_slice_at_a_time_behind_the_others() {
    let mut x = exchange();
    let hidden = NewOrder { iceberg: Lots(100), ..order(&x, Sell, 1_000, 250) };
    let Reply::Accepted(Accepted::Placed(iceberg)) = x.place(ALICE, hidden) else { panic!("placed") };
    let other = limit(&mut x, BOB, Sell, 1_000, 50);
    assert_eq!(x.free(ALICE, BTC).1, amount("0.25"), "all of it is locked");
    let shown = |x: &Exchange| {
        let (book, _) = x.cell.world().markets().get(M).unwrap().book();
        book.walk(Sell).map(|r| (r.order, r.lots.0)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&x), [(iceberg.order, 100), (other, 50)]);
    limit(&mut x, CAROL, Buy, 1_000, 120);
    assert_eq!(shown(&x), [(other, 30), (iceberg.order, 100)], "the next slice stands behind");
    check(&mut x);
    limit(&mut x, CAROL, Buy, 1_000, 150);
    assert_eq!(shown(&x), [(iceberg.order, 30)], "30, then a slice of 100, then 20 of the last 50");
    assert_eq!(told(&x, ALICE, iceberg.order).open, Lots(30));
    check(&mut x);
    limit(&mut x, CAROL, Buy, 1_000, 30);
    assert_eq!(told(&x, ALICE, iceberg.order).status, OrderStatus::Filled);
    for bad in [Lots(250), Lots(2), Lots(-1)] {
        let order = NewOrder { iceberg: bad, ..order(&x, Sell, 1_000, 250) };
        assert_eq!(refused(x.place(ALICE, order)), Reject::BadIceberg, "{bad:?}");
    }
    let at_once = NewOrder { iceberg: Lots(100), tif: Tif::Ioc, ..order(&x, Sell, 1_000, 250) };
    assert_eq!(refused(x.place(ALICE, at_once)), Reject::BadIceberg);
    check(&mut x);
}

fn replace(x: &mut Exchange, old: OrderId, must: bool, order: NewOrder) -> Reply {
    let group = x.group(&[Leg { order, trigger: None }]);
    x.place_group(ALICE, OrderGroup { replaces: Some(Replaced { order: old, must }), ..group })
}

#[test]
fn a_replacement_uses_the_lock_of_what_it_replaces() {
    let mut x = exchange();
    let old = limit(&mut x, ALICE, Buy, 1_000, 90_000);
    assert_eq!(x.free(ALICE, USDT), (amount("10000"), amount("90000")));
    let dearer = order(&x, Buy, 1_000, 100_000);
    let ack = placed_group(replace(&mut x, old, true, dearer));
    assert_eq!((ack.canceled, ack.orders.len()), (vec![old], 1));
    assert_eq!(x.free(ALICE, USDT), (Amount::ZERO, amount("100000")));
    let too_dear = order(&x, Buy, 1_001, 100_000);
    assert_eq!(refused(replace(&mut x, ack.orders[0].order, true, too_dear)), Reject::InsufficientBalance);
    check(&mut x);
}

#[test]
fn a_replacement_that_the_book_refuses_still_cancels_and_says_so() {
    let mut x = exchange();
    limit(&mut x, BOB, Sell, 1_000, 10);
    let old = limit(&mut x, ALICE, Buy, 900, 10);
    let post_only = NewOrder { tif: Tif::PostOnly, ..order(&x, Buy, 1_000, 10) };
    let ack = placed_group(replace(&mut x, old, true, post_only));
    assert_eq!((ack.canceled, ack.orders.len(), ack.refused), (vec![old], 0, Some(Reject::WouldMatch)));
    assert_eq!(x.free(ALICE, USDT), (amount("100000"), Amount::ZERO));
    let next = order(&x, Buy, 900, 10);
    assert_eq!(refused(replace(&mut x, old, true, next)), Reject::OrderDone, "what it must replace is gone");
    let ack = placed_group(replace(&mut x, old, false, next));
    assert_eq!((ack.canceled.len(), ack.orders.len()), (0, 1));
    let bad = NewOrder { iceberg: next.lots, ..next };
    assert_eq!(refused(replace(&mut x, ack.orders[0].order, true, bad)), Reject::BadIceberg);
    assert_eq!(told(&x, ALICE, ack.orders[0].order).status, OrderStatus::Open, "a form that is wrong changes nothing");
    check(&mut x);
}

#[test]
fn a_replacement_does_not_meet_what_it_replaces() {
    let mut x = exchange();
    let old = limit(&mut x, ALICE, Sell, 1_000, 10);
    limit(&mut x, BOB, Sell, 1_000, 10);
    let turned = order(&x, Buy, 1_000, 10);
    let ack = placed_group(replace(&mut x, old, true, turned));
    assert_eq!(ack.orders[0].status, OrderStatus::Filled, "with Bob's, which stood behind");
    check(&mut x);
}

fn amend(x: &mut Exchange, order: OrderId, lots: i64) -> Reply {
    let client_id = ClientOrderId::parse(&format!("new{}", order.0));
    let amend = SpotCommand::Amend { order: OrderName::Id(order), lots: Lots(lots), client_id };
    x.send(None, Command::Account(ALICE, AccountCommand::Spot(amend)))
}

#[test]
fn an_amended_order_keeps_its_place_and_gives_back_its_lock() {
    let mut x = exchange();
    let first = limit(&mut x, ALICE, Buy, 1_000, 100);
    let second = limit(&mut x, BOB, Buy, 1_000, 100);
    limit(&mut x, CAROL, Sell, 1_000, 30);
    for bad in [100, 101, 30, 29] {
        assert_eq!(refused(amend(&mut x, first, bad)), Reject::BadAmendment, "{bad} of 100, 30 filled");
    }
    placed_group(amend(&mut x, first, 50));
    let amended = told(&x, ALICE, first);
    assert_eq!((amended.lots, amended.open, amended.filled), (Lots(50), Lots(20), Lots(30)));
    assert_eq!(amended.client_id, ClientOrderId::parse(&format!("new{}", first.0)));
    assert_eq!(x.free(ALICE, USDT).1, amount("20"));
    let (book, _) = x.cell.world().markets().get(M).unwrap().book();
    assert_eq!(book.walk(Buy).map(|r| (r.order, r.lots.0)).collect::<Vec<_>>(), [(first, 20), (second, 100)]);
    check(&mut x);
    let hidden = NewOrder { iceberg: Lots(10), ..order(&x, Buy, 900, 40) };
    let Reply::Accepted(Accepted::Placed(iceberg)) = x.place(ALICE, hidden) else { panic!("placed") };
    placed_group(amend(&mut x, iceberg.order, 15));
    check(&mut x);
    placed_group(amend(&mut x, iceberg.order, 5));
    check(&mut x);
    trade(&mut x, 1_500);
    let sell = order(&x, Sell, 1_000, 40);
    let waiting = stop(&mut x, ALICE, sell, StopLoss, 1_200, 0);
    placed_group(amend(&mut x, waiting, 10));
    assert_eq!(x.free(ALICE, BTC).1, amount("0.01"));
    check(&mut x);
}

#[test]
fn what_is_asked_in_one_turn_is_reckoned_together() {
    let mut x = exchange();
    let first = limit(&mut x, ALICE, Buy, 1_000, 10);
    let amend = |lots: i64| {
        let amend = SpotCommand::Amend { order: OrderName::Id(first), lots: Lots(lots), client_id: None };
        Command::Account(ALICE, AccountCommand::Spot(amend))
    };
    let tokens = [5, 8].map(|lots| x.submit(None, amend(lots)));
    x.run();
    placed_group(x.answer(tokens[0]).unwrap());
    assert_eq!(refused(x.answer(tokens[1]).unwrap()), Reject::BadAmendment, "cut from what it is no more");
    let amended = told(&x, ALICE, first);
    assert_eq!((amended.lots, amended.open), (Lots(5), Lots(5)));
    check(&mut x);
    trade(&mut x, 2_000);
    let sell = order(&x, Sell, 1_000, 10);
    let tokens: Vec<u64> = (0..30)
        .map(|_| {
            let group = Box::new(x.stop(sell, StopLoss, 1_200, 0));
            x.submit(None, Command::Account(ALICE, AccountCommand::Spot(SpotCommand::PlaceGroup(group))))
        })
        .collect();
    x.run();
    let replies: Vec<Reply> = tokens.iter().filter_map(|token| x.answer(*token)).collect();
    let (waiting, over) = replies.split_at(25);
    waiting.iter().for_each(|reply| assert!(matches!(reply, Reply::Accepted(Accepted::GroupPlaced(_))), "{reply:?}"));
    over.iter().for_each(|reply| assert_eq!(refused(reply.clone()), Reject::TooManyTriggers));
    check(&mut x);
}

#[test]
fn a_purchase_for_an_amount_is_refused_when_what_was_to_pay_for_it_was_spent_meanwhile() {
    let mut x = exchange();
    let rests = limit(&mut x, ALICE, Buy, 1_000, 100_000);
    x.fund(BOB, BTC, Amount::whole(90));
    limit(&mut x, BOB, Sell, 2_000, 100_000);
    // In one turn: half of what rests is taken, and it is replaced by a purchase for all that it locked.
    let sell = order(&x, Sell, 1_000, 50_000);
    let by_quote = x.by_quote(M, Buy, amount("100000"));
    let leg = Leg { order: by_quote, trigger: None };
    let mut instead = x.group(&[leg]);
    (instead.replaces, instead.terms) = (Some(Replaced { order: rests, must: true }), by_quote.terms);
    x.fund(CAROL, BTC, Amount::whole(50));
    x.submit(None, Command::Account(CAROL, AccountCommand::Spot(SpotCommand::Place(sell))));
    let replace = SpotCommand::PlaceGroup(Box::new(instead));
    let token = x.submit(None, Command::Account(ALICE, AccountCommand::Spot(replace)));
    x.run();
    let ack = placed_group(x.answer(token).unwrap());
    assert_eq!((ack.refused, ack.canceled), (Some(Reject::InsufficientBalance), vec![rests]));
    check(&mut x);
}
