//! Very many timers at once, timers that were missed, and timers that wait for room.

use crate::support::{Exchange, MemoryJournal, PORT, USDT, btc_usdt};
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Egress, Envelope, Ingress, Plain, Ticket, World};
use xng_core::account::AccountCommand;
use xng_core::account::facts::AccountFact;
use xng_core::entity::{Accepted, Command, Deadline, Entity, Reply, TimeNs};
use xng_core::ids::{AccountId, EntityId, MarketId, RequestKey, Wallet};
use xng_core::journal::{Capacity, Lsn};
use xng_core::money::Amount;
use xng_core::record::{Cause, Fact, Origin, Record};
use xng_core::spot::facts::SpotFact;
use xng_core::spot::{Side, Stp, Tif};

const HOUR: TimeNs = 3_600_000_000_000;
const USER: AccountId = AccountId(100_001);

/// So many accounts, each with a request key that will be forgotten; those of one hour are due within another.
fn keyed(accounts: u64, an_hour: u64) -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    for n in 0..accounts {
        let account = AccountId(USER.0 + n);
        x.fund(account, USDT, Amount::whole(1_000));
        let amount = Amount::whole(1);
        let transfer = AccountCommand::Transfer { asset: USDT, from: Wallet::Spot, to: Wallet::Funding, amount };
        let key = Some(RequestKey { key: u128::from(n), body: 1 });
        assert!(matches!(x.send(key, Command::Account(account, transfer)), Reply::Accepted(Accepted::Done)));
        if (n + 1) % an_hour == 0 {
            x.advance(HOUR);
        }
    }
    x
}

fn order(x: &Exchange) -> Command {
    let order = x.limit(MarketId(1), Side::Buy, 1_000_000, 10, Tif::Gtc, Stp::ExpireTaker);
    Command::Account(USER, AccountCommand::Spot(xng_core::account::SpotCommand::Place(order)))
}

/// Who forgot keys, from a position on.
fn forgot(journal: &MemoryJournal, after: Lsn) -> Vec<EntityId> {
    let decode = |(_, bytes): (Lsn, Vec<u8>)| Record::decode(&bytes).expect("a record");
    let records = journal.records().into_iter().filter(|(lsn, _)| *lsn > after).map(decode);
    records.filter(|r| matches!(r.fact, Fact::Account(AccountFact::RequestsForgotten(_)))).map(|r| r.decider).collect()
}

#[test]
fn an_order_waits_for_one_of_very_many_timers_that_are_due_and_turns_without_orders_take_more() {
    let mut x = keyed(3_000, u64::MAX);
    x.advance(26 * HOUR);
    let before = x.cell.world().lsn();
    for n in 1..=50 {
        let token = x.submit(None, order(&x));
        let mut answered = false;
        x.cell.turn(|_, egress| {
            answered |= matches!(egress, Egress::Reply(of, Reply::Accepted(Accepted::Placed(_))) if of == token)
        });
        assert!(answered, "in the turn in which it came");
        assert_eq!(forgot(&x.journal, before).len(), n, "one timer in each turn");
    }
    let mut turns = 0;
    while forgot(&x.journal, before).len() < 3_000 {
        x.cell.turn(|_, _| {});
        turns += 1;
    }
    assert_eq!(turns, 2_950_usize.div_ceil(8));
    x.check_fold();
}

#[test]
fn what_was_missed_for_three_days_runs_once_in_due_order_before_the_first_command() {
    // More than are handled in one go.
    let x = keyed(5_000, 500);
    let mut world: World<Plain> = World::default();
    for (lsn, bytes) in x.journal.records() {
        world.fold(lsn, &bytes).expect("the journal folds");
    }
    let mut due: Vec<(TimeNs, EntityId)> = Vec::new();
    for (id, account) in world.accounts().iter() {
        if let Some(Deadline::Elapsed(at)) = account.deadline() {
            due.push((at, EntityId::Account(id)));
        }
    }
    due.sort_unstable();
    let (journal, now) = (MemoryJournal::default(), world.time() + 72 * HOUR);
    let mut cell = Cell::new(world, journal.clone(), ManualClock(now));
    let mut goes = 1;
    while !cell.catch_up() {
        goes += 1;
    }
    assert!(goes > 1);
    let ticket = Some(Ticket { port: PORT, token: 1 });
    let command = order(&x);
    cell.admit(Ingress::Command(Envelope { ticket, origin: Origin::User, cause: Cause::Request, command }));
    cell.turn(|_, _| {});
    let (records, missed) = (journal.records(), forgot(&journal, Lsn::ZERO));
    assert_eq!(missed, due.iter().map(|(_, entity)| *entity).collect::<Vec<_>>(), "in due order, each once");
    let last = Record::decode(&records.last().expect("some").1).expect("a record");
    assert!(matches!(last.fact, Fact::Spot(SpotFact::OrderPlaced(_))), "{last:?}");
    let first = records.iter().position(|(_, bytes)| {
        matches!(Record::decode(bytes).expect("a record").fact, Fact::Spot(SpotFact::OrderPlaced(_)))
    });
    assert_eq!(first, Some(records.len() - 1), "nothing of it came before");
}

#[test]
fn timers_that_settle_wait_for_room() {
    let mut x = keyed(10, u64::MAX);
    *x.journal.capacity.borrow_mut() = Capacity::Low;
    x.advance(26 * HOUR);
    x.run();
    let all = |x: &Exchange| forgot(&x.journal, Lsn::ZERO).len();
    assert_eq!((all(&x), x.cell.next_deadline()), (0, None), "and nobody is woken for them");
    *x.journal.capacity.borrow_mut() = Capacity::Plenty;
    x.run();
    assert_eq!(all(&x), 10);
    x.check_fold();
}
