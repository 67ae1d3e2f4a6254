//! What may come between the fill of a first order and the turn of those that it brings.

use crate::order_groups::{
    ALICE, BOB, CAROL, amount, at_market, check, exchange, limit, order, placed_group, stored, trade,
};
use crate::support::{BTC, ETH, Exchange, USDT, btc_usdt, market};
use Side::{Buy, Sell};
use TriggerKind::StopLoss;
use xng_cell::{Plain, World};
use xng_core::account::{AccountCommand, Property, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{ClientOrderId, MarketId, OrderId, PriceId};
use xng_core::money::{Amount, Ticks};
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::spot::{
    EndReason, Leg, MarketCommand, MarketParams, MarketState, NewOrder, OrderGroup, OrderKind, OrderStatus, Replaced,
    Side, Stp, Tif, Trigger, TriggerKind,
};

const SECOND: u64 = 1_000_000_000;
const M: MarketId = MarketId(1);
const M2: MarketId = MarketId(2);

fn plain(order: NewOrder) -> Leg {
    Leg { order, trigger: None }
}

fn stop(order: NewOrder, kind: TriggerKind, ticks: i64) -> Leg {
    Leg { order, trigger: Some(Trigger { kind, ticks: Ticks(ticks), trail_bips: 0 }) }
}

fn brings(x: &mut Exchange, first: NewOrder, pending: Vec<Leg>) -> Vec<OrderId> {
    let wanted = OrderGroup { pending, list: None, ..x.group(&[plain(first)]) };
    placed_group(x.place_group(ALICE, wanted)).orders.iter().map(|ack| ack.order).collect()
}

/// Two markets that are alike: BTC/USDT and ETH/USDT.
fn two_markets() -> Exchange {
    let alike = |mut p: xng_core::spot::MarketParams| {
        (p.tick, p.step) = (Amount::whole(1), amount("0.001"));
        p
    };
    let mut x = Exchange::new(&[alike(btc_usdt()), alike(market(2, ETH, USDT, 1, 1))]);
    for account in [ALICE, BOB, CAROL] {
        x.fund(account, USDT, Amount::whole(100_000));
        x.fund(account, BTC, Amount::whole(10));
        x.fund(account, ETH, Amount::whole(10));
    }
    x
}

fn on(x: &Exchange, m: MarketId, side: Side, ticks: i64, lots: i64) -> NewOrder {
    x.limit(m, side, ticks, lots, Tif::Gtc, Stp::ExpireTaker)
}

fn submit(x: &mut Exchange, who: xng_core::ids::AccountId, order: NewOrder) {
    x.submit(None, Command::Account(who, AccountCommand::Spot(SpotCommand::Place(order))));
}

/// Fills an order by `order` of Bob, and halts its market before what it brings has its turn.
fn fill_and_halt(x: &mut Exchange, order: NewOrder) {
    submit(x, BOB, order);
    x.cell.enqueue_due();
    assert!(x.cell.handle_next() && x.cell.handle_next());
    x.submit(None, Command::Market(order.market, MarketCommand::SetState(MarketState::Halt)));
    x.run();
}

#[test]
fn a_market_that_is_closed_keeps_no_list_of_another_market_waiting() {
    let mut x = two_markets();
    trade(&mut x, 1_000);
    let sells = vec![plain(order(&x, Sell, 1_100, 400))];
    let first = order(&x, Buy, 900, 500);
    let closed = brings(&mut x, first, sells);
    let sell = order(&x, Sell, 900, 500);
    fill_and_halt(&mut x, sell);
    assert_eq!(stored(&x, ALICE, closed[1]).status, OrderStatus::Pending);

    // The other market is open: a bracket there is filled whole.
    let (first, out) = (on(&x, M2, Buy, 900, 500), on(&x, M2, Sell, 800, 400));
    let at_stop = stop(NewOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, ..out }, StopLoss, 800);
    let [_, protects] = brings(&mut x, first, vec![at_stop])[..] else { panic!("two orders") };
    let sell = on(&x, M2, Sell, 900, 500);
    x.place(BOB, sell);
    for _ in 0..60 {
        x.advance(SECOND);
        x.run();
    }
    assert_eq!(stored(&x, ALICE, protects).status, OrderStatus::Waiting, "its own market is open");
}

#[test]
fn who_replaces_a_pending_stop_needs_no_room_for_both() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    for n in 0..24 {
        let sell = at_market(&x, Sell, 10);
        let wanted = x.stop(sell, StopLoss, 700 + n, 0);
        placed_group(x.place_group(ALICE, wanted));
    }
    let (first, out) = (order(&x, Buy, 900, 500), at_market(&x, Sell, 400));
    let orders = brings(&mut x, first, vec![stop(out, StopLoss, 800)]);
    let another = stop(at_market(&x, Sell, 10), StopLoss, 750);
    let replaces = Some(Replaced { order: orders[1], must: true });
    let wanted = OrderGroup { replaces, ..x.group(&[another]) };
    let reply = x.place_group(ALICE, wanted);
    assert!(matches!(&reply, Reply::Accepted(Accepted::GroupPlaced(_))), "24 wait besides what leaves: {reply:?}");
}

#[test]
fn an_index_between_two_ticks_triggers_nothing_below_it_at_its_turn() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let (first, out) = (order(&x, Buy, 905, 500), at_market(&x, Sell, 400));
    let [_, stop_at_900] = brings(&mut x, first, vec![stop(out, StopLoss, 900)])[..] else { panic!("two orders") };
    limit(&mut x, CAROL, Buy, 890, 1_000);
    let sell = order(&x, Sell, 905, 500);
    submit(&mut x, BOB, sell);
    x.cell.enqueue_due();
    assert!(x.cell.handle_next() && x.cell.handle_next());
    let push = PriceCommand::Push(SourcePrice { source: 1, price: amount("900.5") });
    x.submit(None, Command::Price(PriceId(1), push));
    x.run();
    assert_eq!(stored(&x, ALICE, stop_at_900).status, OrderStatus::Waiting, "the price never came to 900");
}

#[test]
fn a_stop_that_waits_already_is_not_triggered_by_the_same_index() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let out = at_market(&x, Sell, 400);
    let wanted = x.stop(out, StopLoss, 900, 0);
    let id = placed_group(x.place_group(ALICE, wanted)).orders[0].order;
    limit(&mut x, CAROL, Buy, 890, 1_000);
    x.ok(Command::Price(PriceId(1), PriceCommand::Push(SourcePrice { source: 1, price: amount("900.5") })));
    assert_eq!(stored(&x, ALICE, id).status, OrderStatus::Waiting);
}

#[test]
fn a_list_that_waits_for_its_market_to_open_takes_nobodys_money_meanwhile() {
    let mut x = two_markets();
    trade(&mut x, 1_000);
    let (first, back) = (order(&x, Sell, 1_100, 500), at_market(&x, Buy, 10));
    let closed = brings(&mut x, first, vec![plain(back)]);
    let buy = order(&x, Buy, 1_100, 500);
    fill_and_halt(&mut x, buy);
    assert_eq!(stored(&x, ALICE, closed[1]).status, OrderStatus::Pending);
    for n in 0..3 {
        x.advance(2 * SECOND);
        let buy = on(&x, M2, Buy, 900 + n, 10);
        let reply = x.place(ALICE, buy);
        assert!(matches!(reply, Reply::Accepted(Accepted::Placed(_))), "9 of more than 100,000 USDT: {reply:?}");
    }
}

#[test]
fn two_orders_have_their_turn_after_fewer_open_ones_are_allowed() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let (first, out) = (order(&x, Buy, 900, 500), at_market(&x, Sell, 400));
    let take = plain(NewOrder { tif: Tif::PostOnly, ..order(&x, Sell, 1_100, 400) });
    let orders = brings(&mut x, first, vec![take, stop(out, StopLoss, 800)]);
    let params = MarketParams { max_open_orders: 1, ..x.params(M) };
    x.ok(Command::Market(M, MarketCommand::ChangeParams(Box::new(params))));
    let sell = order(&x, Sell, 900, 500);
    x.place(BOB, sell);
    let statuses: Vec<OrderStatus> = orders.iter().map(|order| stored(&x, ALICE, *order).status).collect();
    assert_eq!(
        statuses,
        [OrderStatus::Filled, OrderStatus::Open, OrderStatus::Waiting],
        "they were counted when taken"
    );
}

#[test]
fn two_lists_due_at_once_have_their_turns_and_a_restart_between_changes_nothing() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let mut all = Vec::new();
    for n in 0..20 {
        let (first, out) = (order(&x, Buy, 900, 10), at_market(&x, Sell, 9));
        let take = NewOrder { tif: Tif::PostOnly, ..order(&x, Sell, 1_100 + n, 9) };
        all.push(brings(&mut x, first, vec![plain(take), stop(out, StopLoss, 800)]));
    }
    let sell = order(&x, Sell, 900, 200);
    submit(&mut x, BOB, sell);
    x.cell.enqueue_due();
    assert!(x.cell.handle_next() && x.cell.handle_next());
    x.cell.hand_over();
    let (lsn, hash) = (x.cell.world().lsn(), x.cell.state_hash());
    let entries: Vec<(Vec<u8>, Vec<u8>)> = x.cell.world().save().collect();
    let loaded: World<Plain> = World::load(entries.clone().into_iter(), lsn, hash).unwrap();
    assert!(loaded.save().eq(entries.into_iter()));
    x.run();
    for orders in &all {
        let now: Vec<OrderStatus> = orders.iter().map(|o| stored(&x, ALICE, *o).status).collect();
        assert_eq!(now, [OrderStatus::Filled, OrderStatus::Open, OrderStatus::Waiting]);
    }
    check(&mut x);
}

#[test]
fn names_come_free_prevention_and_cancel_between_fill_and_turn_hold() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let name = |order: NewOrder, n: &str| NewOrder { client_id: ClientOrderId::parse(n), ..order };
    for _ in 0..3 {
        let (first, out) = (name(order(&x, Buy, 900, 500), "a"), name(order(&x, Sell, 1_100, 400), "b"));
        let orders = brings(&mut x, first, vec![plain(out)]);
        // Filled, and all is cancelled before its turn.
        let sell = order(&x, Sell, 900, 500);
        submit(&mut x, BOB, sell);
        x.cell.enqueue_due();
        assert!(x.cell.handle_next() && x.cell.handle_next());
        x.submit(None, Command::Account(ALICE, AccountCommand::Spot(SpotCommand::CancelAll(M))));
        x.run();
        let now = stored(&x, ALICE, orders[1]);
        assert!(
            matches!((now.status, now.reason), (OrderStatus::Canceled, EndReason::User)),
            "{:?} {:?}",
            now.status,
            now.reason
        );
        check(&mut x);
    }
    // Decremented to nothing by its owner's own order: not filled.
    let first = order(&x, Buy, 900, 500);
    let out = order(&x, Sell, 1_100, 400);
    let orders = brings(&mut x, first, vec![plain(out)]);
    let own = NewOrder { stp: Stp::Decrement, ..order(&x, Sell, 900, 500) };
    x.place(ALICE, own);
    assert_eq!(stored(&x, ALICE, orders[1]).reason, EndReason::OtherLeg);
    check(&mut x);
    // As taker: a part filled, the rest decremented.
    limit(&mut x, BOB, Sell, 910, 100);
    limit(&mut x, ALICE, Sell, 911, 400);
    let first = NewOrder { stp: Stp::Decrement, ..order(&x, Buy, 911, 500) };
    let out = order(&x, Sell, 1_100, 100);
    let orders = brings(&mut x, first, vec![plain(out)]);
    assert_eq!(stored(&x, ALICE, orders[1]).reason, EndReason::OtherLeg);
    check(&mut x);
}

#[test]
fn locked_level_and_parameters_change_between_fill_and_turn() {
    use xng_core::account::facts::AccountStatus;
    let mut x = exchange();
    trade(&mut x, 1_000);
    let first = order(&x, Buy, 900, 500);
    let out = at_market(&x, Sell, 400);
    let take = NewOrder { tif: Tif::PostOnly, ..order(&x, Sell, 1_100, 400) };
    let orders = brings(&mut x, first, vec![plain(take), stop(out, StopLoss, 800)]);
    let sell = order(&x, Sell, 900, 500);
    submit(&mut x, BOB, sell);
    x.cell.enqueue_due();
    assert!(x.cell.handle_next() && x.cell.handle_next());
    let lock = AccountCommand::Set(Property::Status(AccountStatus::Locked));
    x.submit(None, Command::Account(ALICE, lock));
    let mut params = btc_usdt();
    (params.tick, params.step, params.max_open_orders) = (Amount::whole(1), amount("0.001"), 1);
    x.submit(None, Command::Market(M, MarketCommand::ChangeParams(Box::new(params))));
    x.run();
    for _ in 0..3 {
        x.advance(SECOND);
        x.run();
    }
    let now: Vec<OrderStatus> = orders.iter().map(|o| stored(&x, ALICE, *o).status).collect();
    assert_eq!(now, [OrderStatus::Filled, OrderStatus::Open, OrderStatus::Waiting], "they were taken before");
    check(&mut x);
}

/// Fills Alice's first order at 1,100, and lets another come between that and the turn of what it brings.
fn fill_then(x: &mut Exchange, who: xng_core::ids::AccountId, order_between: NewOrder) {
    let buy = order(x, Buy, 1_100, 500);
    submit(x, BOB, buy);
    x.cell.enqueue_due();
    assert!(x.cell.handle_next() && x.cell.handle_next());
    submit(x, who, order_between);
    x.run();
    check(x);
}

#[test]
fn a_best_price_that_goes_between_question_and_turn_cuts_no_order() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    limit(&mut x, CAROL, Sell, 1_150, 10);
    limit(&mut x, CAROL, Sell, 1_300, 1_000);
    let (first, back) = (order(&x, Sell, 1_100, 500), at_market(&x, Buy, 100));
    let orders = brings(&mut x, first, vec![plain(back)]);
    let takes = order(&x, Buy, 1_150, 10);
    fill_then(&mut x, BOB, takes);
    assert_eq!(stored(&x, ALICE, orders[1]).status, OrderStatus::Filled, "for 1,300 there is money");
}

#[test]
fn what_trails_from_its_turn_is_placed_though_the_price_jumps_meanwhile() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    limit(&mut x, CAROL, Sell, 1_150, 10);
    limit(&mut x, CAROL, Sell, 1_400, 1_000);
    let (first, back) = (order(&x, Sell, 1_100, 500), at_market(&x, Buy, 100));
    let trails = Leg { order: back, trigger: Some(Trigger { kind: StopLoss, ticks: Ticks::ZERO, trail_bips: 10 }) };
    let orders = brings(&mut x, first, vec![trails]);
    let takes = order(&x, Buy, 1_400, 20);
    fill_then(&mut x, BOB, takes);
    assert_eq!(stored(&x, ALICE, orders[1]).status, OrderStatus::Waiting);
}

#[test]
fn a_stop_that_was_passed_by_its_turn_pays_what_the_price_is_then() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    limit(&mut x, CAROL, Sell, 1_300, 1_000);
    let (first, back) = (order(&x, Sell, 1_100, 500), at_market(&x, Buy, 100));
    let orders = brings(&mut x, first, vec![stop(back, StopLoss, 1_150)]);
    let buy = order(&x, Buy, 1_300, 600);
    x.place(BOB, buy);
    assert_eq!(stored(&x, ALICE, orders[1]).status, OrderStatus::Filled);
    check(&mut x);
}

#[test]
fn a_buy_at_market_with_nobody_to_buy_from_finds_nobody() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let (first, back) = (order(&x, Sell, 1_100, 500), at_market(&x, Buy, 10));
    let orders = brings(&mut x, first, vec![plain(back)]);
    let buy = order(&x, Buy, 1_100, 500);
    x.place(BOB, buy);
    assert_eq!(stored(&x, ALICE, orders[1]).reason, EndReason::NoLiquidity, "it is not for want of money");
    check(&mut x);
}
