//! What may come between the fill of a first order and the turn of those that it brings.

use crate::arranging::{ALICE, BOB, CAROL, amount, arranged, at_market, exchange, limit, order, told, trade};
use crate::support::{BTC, ETH, Exchange, USDT, btc_usdt, market};
use Side::{Buy, Sell};
use TriggerKind::StopLoss;
use xng_core::account::{AccountCommand, SpotCommand};
use xng_core::entity::{Command, Reply};
use xng_core::ids::{MarketId, OrderId, PriceId};
use xng_core::money::{Amount, Ticks};
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::spot::{
    Arrangement, Leg, MarketCommand, MarketParams, MarketState, NewOrder, OrderKind, OrderStatus, Replaced, Side, Stp,
    Tif, Trigger, TriggerKind,
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
    let wanted = Arrangement { pending, list: None, ..x.arrangement(&[plain(first)]) };
    arranged(x.arrange(ALICE, wanted)).orders.iter().map(|ack| ack.order).collect()
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
    x.cell.line_up();
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
    assert_eq!(told(&x, ALICE, closed[1]).status, OrderStatus::Pending);

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
    assert_eq!(told(&x, ALICE, protects).status, OrderStatus::Waiting, "its own market is open");
}

#[test]
fn who_replaces_a_pending_stop_needs_no_room_for_both() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    for n in 0..24 {
        let sell = at_market(&x, Sell, 10);
        let wanted = x.stop(sell, StopLoss, 700 + n, 0);
        arranged(x.arrange(ALICE, wanted));
    }
    let (first, out) = (order(&x, Buy, 900, 500), at_market(&x, Sell, 400));
    let orders = brings(&mut x, first, vec![stop(out, StopLoss, 800)]);
    let another = stop(at_market(&x, Sell, 10), StopLoss, 750);
    let replaces = Some(Replaced { order: orders[1], must: true });
    let wanted = Arrangement { replaces, ..x.arrangement(&[another]) };
    let reply = x.arrange(ALICE, wanted);
    assert!(matches!(&reply, Reply::Arranged(_)), "24 wait besides what leaves: {reply:?}");
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
    x.cell.line_up();
    assert!(x.cell.handle_next() && x.cell.handle_next());
    let push = PriceCommand::Push(SourcePrice { source: 1, price: amount("900.5") });
    x.submit(None, Command::Price(PriceId(1), push));
    x.run();
    assert_eq!(told(&x, ALICE, stop_at_900).status, OrderStatus::Waiting, "the price never came to 900");
}

#[test]
fn a_stop_that_waits_already_is_not_triggered_by_the_same_index() {
    let mut x = exchange();
    trade(&mut x, 1_000);
    let out = at_market(&x, Sell, 400);
    let wanted = x.stop(out, StopLoss, 900, 0);
    let id = arranged(x.arrange(ALICE, wanted)).orders[0].order;
    limit(&mut x, CAROL, Buy, 890, 1_000);
    x.ok(Command::Price(PriceId(1), PriceCommand::Push(SourcePrice { source: 1, price: amount("900.5") })));
    assert_eq!(told(&x, ALICE, id).status, OrderStatus::Waiting);
}

#[test]
fn a_list_that_waits_for_its_market_to_open_takes_nobodys_money_meanwhile() {
    let mut x = two_markets();
    trade(&mut x, 1_000);
    let (first, back) = (order(&x, Sell, 1_100, 500), at_market(&x, Buy, 10));
    let closed = brings(&mut x, first, vec![plain(back)]);
    let buy = order(&x, Buy, 1_100, 500);
    fill_and_halt(&mut x, buy);
    assert_eq!(told(&x, ALICE, closed[1]).status, OrderStatus::Pending);
    for n in 0..3 {
        x.advance(2 * SECOND);
        let buy = on(&x, M2, Buy, 900 + n, 10);
        let reply = x.place(ALICE, buy);
        assert!(matches!(reply, Reply::Placed(_)), "9 of more than 100,000 USDT: {reply:?}");
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
    x.ok(Command::Market(M, MarketCommand::ChangeParams(params)));
    let sell = order(&x, Sell, 900, 500);
    x.place(BOB, sell);
    let statuses: Vec<OrderStatus> = orders.iter().map(|order| told(&x, ALICE, *order).status).collect();
    assert_eq!(
        statuses,
        [OrderStatus::Filled, OrderStatus::Open, OrderStatus::Waiting],
        "they were counted when taken"
    );
}
