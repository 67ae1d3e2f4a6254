//! What a turn promises: timers first, time that never goes back, room kept for cancels, what crashed is not tried again.

use crate::support::{BTC, Exchange, MemoryJournal, USDT, btc_usdt};
use xng_cell::{Cell, Clock, Envelope, Ingress, Plain, Refused, World};
use xng_core::account::facts::{AccountFact, GrantItem, GrantKind};
use xng_core::account::request_keys::MOST;
use xng_core::account::{AccountCommand, OrderName, SpotCommand};
use xng_core::entity::{Accepted, Command, Entity, Reply, TimeNs, View};
use xng_core::ids::{AccountId, EntityId, MarketId, PriceId, RequestKey, Wallet};
use xng_core::journal::Capacity;
use xng_core::money::Amount;
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::{Cause, Fact, Origin, Record};
use xng_core::reject::Reject;
use xng_core::spot::{MarketState, Side, Stp, Tif};

const ALICE: AccountId = AccountId(100_001);
const M: MarketId = MarketId(1);
const SECOND: TimeNs = 1_000_000_000;

fn tick() -> Command {
    Command::Price(PriceId(1), PriceCommand::Push(SourcePrice { source: 1, price: Amount::whole(50_000) }))
}

/// A market that trades for five seconds after each tick of its index.
fn timed() -> Exchange {
    let mut params = btc_usdt();
    params.stale_after_ms = 5_000;
    let mut x = Exchange::new(&[params]);
    x.fund(ALICE, USDT, Amount::whole(100_000));
    x.ok(tick());
    x.run();
    assert_eq!(state(&x), MarketState::Trading);
    x
}

fn state(x: &Exchange) -> MarketState {
    x.cell.world().markets().get(M).unwrap().state().0
}

fn buy(x: &Exchange) -> Command {
    let order = x.limit(M, Side::Buy, 4_900_000, 1_000, Tif::Gtc, Stp::ExpireTaker);
    Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Place(order)))
}

#[test]
fn timers_that_are_due_go_before_the_commands_that_came_meanwhile() {
    let mut x = timed();
    let order = buy(&x);
    let token = x.submit(None, order);
    x.advance(6 * SECOND);
    x.run();
    assert!(matches!(x.answer(token), Some(Reply::Rejected(Reject::MarketClosed))));
}

#[test]
fn digests_hold_though_the_state_hash_is_kept_up_turn_by_turn() {
    let mut x = Exchange::new(&[]);
    x.cell.digest_every(700);
    x.cell.leave_unhashed(100);
    for round in 1..=3 {
        (0..500).for_each(|n| x.fund(AccountId(ALICE.0 + n * n % 500), USDT, Amount::whole(round)));
    }
    assert!(x.cell.counters().digests >= 2);
    x.check_fold();
}

/// Says every second time that it is half a millisecond earlier, as a clock that is being set does.
struct Wobbling(TimeNs, bool);

impl Clock for Wobbling {
    fn now(&mut self) -> TimeNs {
        self.1 = !self.1;
        if self.1 { self.0 } else { self.0 - 500_000 }
    }
}

#[test]
fn a_deadline_is_kept_though_the_clock_is_set_back_when_it_is_decided() {
    let x = timed();
    let mut world: World<Plain> = World::default();
    x.journal.records().iter().for_each(|(lsn, bytes)| drop(world.fold(*lsn, bytes).unwrap()));
    let deadline = world.next_deadline(0, true).expect("the index goes stale");
    for wobble in [false, true] {
        let mut world: World<Plain> = World::default();
        x.journal.records().iter().for_each(|(lsn, bytes)| drop(world.fold(*lsn, bytes).unwrap()));
        let mut cell = Cell::new(world, MemoryJournal::default(), Wobbling(deadline, wobble));
        for _ in 0..10 {
            cell.turn(|_, _| {});
        }
        assert_eq!(cell.world().markets().get(M).unwrap().state().0, MarketState::CancelOnly);
    }
}

#[test]
fn a_timer_that_leaves_no_fact_comes_again_and_does_not_spin() {
    let mut x = timed();
    let timer = format!("{:?}", Command::Market(M, xng_core::spot::MarketCommand::Timer));
    x.cell.refuse(Refused { commands: vec![timer], entities: vec![EntityId::Market(M)] });
    x.advance(6 * SECOND);
    x.run();
    let before = x.cell.counters().commands;
    x.run();
    assert_eq!(x.cell.counters().commands, before, "it waits");
    x.cell.refuse(Refused::default());
    x.advance(SECOND);
    x.run();
    assert_eq!(state(&x), MarketState::CancelOnly, "it came again");
}

#[test]
fn without_room_orders_stop_first_then_cancels_and_reads_never() {
    let mut x = timed();
    let order = buy(&x);
    let Reply::Accepted(Accepted::Placed(ack)) = x.send(None, order.clone()) else { panic!("placed") };
    let spot = |command| Command::Account(ALICE, AccountCommand::Spot(command));
    let (cancel, cancel_all) = (spot(SpotCommand::Cancel(OrderName::Id(ack.order))), spot(SpotCommand::CancelAll(M)));
    *x.journal.capacity.borrow_mut() = Capacity::Exhausted;
    assert!(matches!(x.send(None, order.clone()), Reply::Busy));
    assert!(matches!(x.send(None, cancel.clone()), Reply::Busy));
    assert!(matches!(x.send(None, cancel_all), Reply::Busy));
    let view = Command::Account(ALICE, AccountCommand::View);
    assert!(matches!(x.send(None, view), Reply::View(View::Account(view)) if view.open.len() == 1));
    *x.journal.capacity.borrow_mut() = Capacity::Low;
    assert!(matches!(x.send(None, order.clone()), Reply::Busy));
    assert!(matches!(x.send(None, cancel), Reply::Accepted(Accepted::Canceled(_))));
    *x.journal.capacity.borrow_mut() = Capacity::Plenty;
    assert!(matches!(x.send(None, order), Reply::Accepted(Accepted::Placed(_))));
    x.audit();
}

#[test]
fn a_read_between_an_orders_hold_and_its_decision_sees_nothing_of_it() {
    let mut x = timed();
    let order = buy(&x);
    let view = Command::Account(ALICE, AccountCommand::View);
    let Reply::View(View::Account(before)) = x.send(None, view.clone()) else { panic!("a view") };
    let (placed, read) = (x.submit(None, order), x.submit(None, view));
    x.run();
    assert!(matches!(x.answer(placed), Some(Reply::Accepted(Accepted::Placed(_)))));
    let Some(Reply::View(View::Account(seen))) = x.answer(read) else { panic!("a view") };
    assert_eq!((seen.balances, seen.open.len()), (before.balances, 0), "not half of it either");
}

#[test]
fn busy_is_said_at_once_while_other_answers_wait_for_the_disk() {
    let mut x = timed();
    *x.journal.lag.borrow_mut() = 1_000;
    let order = buy(&x);
    let placed = x.submit(None, order.clone());
    x.run();
    *x.journal.capacity.borrow_mut() = Capacity::Low;
    let busy = x.submit(None, order);
    x.run();
    assert!(matches!(x.answer(busy), Some(Reply::Busy)));
    assert!(x.answer(placed).is_none());
}

#[test]
fn what_crashed_before_is_refused_and_what_crashed_twice_is_halted_while_the_rest_trades() {
    let mut x = timed();
    let order = buy(&x);
    x.cell.refuse(Refused { commands: vec![format!("{order:?}")], entities: Vec::new() });
    assert!(matches!(x.send(None, order.clone()), Reply::Rejected(Reject::Poisoned)));
    let other = x.limit(M, Side::Buy, 4_800_000, 1_000, Tif::Gtc, Stp::ExpireTaker);
    assert!(matches!(x.place(ALICE, other), Reply::Accepted(Accepted::Placed(_))));
    x.cell.refuse(Refused { commands: Vec::new(), entities: vec![EntityId::Account(ALICE)] });
    assert!(matches!(x.place(ALICE, other), Reply::Rejected(Reject::Poisoned)));
    let cancel = Command::Account(ALICE, AccountCommand::Spot(SpotCommand::CancelAll(M)));
    assert!(
        matches!(x.send(None, cancel), Reply::Accepted(Accepted::Canceled(ids)) if ids.len() == 1),
        "her money is not stuck"
    );
    let view = Command::Account(ALICE, AccountCommand::View);
    assert!(matches!(x.send(None, view), Reply::View(_)));
    let bob = AccountId(100_002);
    x.fund(bob, BTC, Amount::whole(1));
    let sale = x.limit(M, Side::Sell, 5_100_000, 1_000, Tif::Gtc, Stp::ExpireTaker);
    assert!(matches!(x.place(bob, sale), Reply::Accepted(Accepted::Placed(_))));
    x.cell.refuse(Refused { commands: Vec::new(), entities: vec![EntityId::Market(M)] });
    assert!(matches!(x.place(bob, sale), Reply::Rejected(Reject::Poisoned)));
    x.advance(6 * SECOND);
    x.run();
    assert_eq!(state(&x), MarketState::CancelOnly, "a halted market still closes");
}

const DAY: u64 = 24 * 3_600 * SECOND;

/// A transfer of one unit there or back, under a key.
fn keyed(x: &mut Exchange, key: u128) -> Reply {
    let (from, to) = match key % 2 {
        0 => (Wallet::Spot, Wallet::Funding),
        _ => (Wallet::Funding, Wallet::Spot),
    };
    let transfer = AccountCommand::Transfer { asset: USDT, from, to, amount: Amount(1) };
    x.send(Some(RequestKey { key, body: 1 }), Command::Account(ALICE, transfer))
}

/// Bytes of an account in a snapshot.
fn saved(x: &Exchange, account: AccountId) -> usize {
    let mut bytes = Vec::new();
    x.cell.world().accounts().get(account).expect("there").save(&mut bytes);
    bytes.len()
}

fn forgotten(x: &Exchange) -> usize {
    let records = x.journal.records();
    let facts = records.iter().map(|(_, bytes)| Record::decode(bytes).expect("reads").fact);
    facts.filter(|fact| matches!(fact, Fact::Account(AccountFact::RequestsForgotten(_)))).count()
}

#[test]
fn an_idle_accounts_request_keys_are_forgotten_by_a_timer_when_their_day_is_over() {
    let mut x = Exchange::new(&[]);
    x.fund(ALICE, USDT, Amount::whole(1));
    let bare = saved(&x, ALICE);
    (0..200).for_each(|key| assert!(matches!(keyed(&mut x, key), Reply::Accepted(Accepted::Done))));
    assert!(saved(&x, ALICE) > bare + 1_000);
    x.advance(DAY - SECOND);
    x.run();
    assert!(matches!(keyed(&mut x, 0), Reply::Known(Accepted::Done)), "its day is not over");
    // Everything that happens now is the timer.
    x.advance(3_600 * SECOND + 2 * SECOND);
    x.run();
    assert_eq!(forgotten(&x), 1, "once for all of them");
    assert!(saved(&x, ALICE) < bare + 64, "{} bytes after {bare}", saved(&x, ALICE));
    x.advance(9 * DAY);
    x.run();
    assert_eq!(forgotten(&x), 1, "there is no more to forget");
    x.check_fold();
    assert!(matches!(keyed(&mut x, 0), Reply::Accepted(Accepted::Done)), "it is decided anew");
    x.check_fold();
}

#[test]
fn who_has_as_many_live_keys_as_there_is_room_for_is_asked_to_come_again() {
    let mut x = Exchange::new(&[btc_usdt()]);
    x.fund(ALICE, USDT, Amount::whole(1_000_000));
    let most = MOST as u128;
    (0..most).for_each(|key| assert!(matches!(keyed(&mut x, key), Reply::Accepted(Accepted::Done)), "{key}"));
    assert!(matches!(keyed(&mut x, most), Reply::Busy), "one more");
    assert!(matches!(keyed(&mut x, 0), Reply::Known(Accepted::Done)), "none was forgotten for it");
    let order = x.limit(M, Side::Buy, 4_000_000, 100, Tif::Gtc, Stp::ExpireTaker);
    let Reply::Accepted(Accepted::Placed(placed)) = x.place(ALICE, order) else { panic!("without a key") };
    let cancel = AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(placed.order)));
    let cancelled = x.send(Some(RequestKey { key: most + 1, body: 1 }), Command::Account(ALICE, cancel));
    assert!(
        matches!(cancelled, Reply::Accepted(Accepted::Canceled(_))),
        "{cancelled:?}: what frees money is not kept out by orders"
    );
    let items = vec![GrantItem { wallet: Wallet::Spot, asset: USDT, amount: Amount::whole(1) }];
    let grant = AccountCommand::Grant { kind: GrantKind::Correction, items };
    let request = Some(RequestKey { key: most + 2, body: 1 });
    let command = Command::Account(ALICE, grant);
    x.cell.admit(Ingress::Command(Envelope {
        ticket: None,
        origin: Origin::Admin,
        cause: Cause::of(request),
        command,
    }));
    x.run();
    assert_eq!(x.free(ALICE, USDT).0, Amount::whole(1_000_001), "the back office is not kept out by the user");
    x.advance(DAY + SECOND);
    assert!(matches!(keyed(&mut x, most), Reply::Accepted(Accepted::Done)), "a day later");
    x.check_fold();
}
