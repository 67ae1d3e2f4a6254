//! Countdowns of accounts in contracts' books: their orders are cancelled when they are not renewed, through a crash too.

use crate::legs::{ALICE, BOB, audit, exchange, index, limit, ok, place, refused};
use crate::legs_conditional::{wait, waiting, waits};
use crate::support::Exchange;
use crate::tickets::C;
use xng_cell::{Plain, World};
use xng_core::account::LegCommand;
use xng_core::contract::book::waiting::WorkingPrice;
use xng_core::ids::{AccountId, MarketId};
use xng_core::market::{Side, TriggerKind};
use xng_core::reject::Reject;

const SECOND: u64 = 1_000_000_000;

fn countdown(x: &mut Exchange, who: AccountId, seconds: u64) {
    ok(x, who, LegCommand::Countdown { contract: C, after: seconds * SECOND });
}

fn resting(x: &Exchange, who: AccountId) -> usize {
    x.cell.world().accounts().get(who).unwrap().book_orders().len()
}

fn runs(x: &Exchange) -> bool {
    !x.cell.world().contracts().get(C).unwrap().book().unwrap().countdowns().is_empty()
}

/// Both have an order that rests, and Alice one that waits for a price.
fn orders(x: &mut Exchange) {
    place(x, ALICE, limit(Side::Buy, 49_000, 1));
    place(x, ALICE, limit(Side::Sell, 51_000, 1));
    wait(x, ALICE, waits(limit(Side::Sell, 49_500, 1), WorkingPrice::Mark, TriggerKind::StopLoss, 49_500));
    place(x, BOB, limit(Side::Buy, 49_000, 1));
}

#[test]
fn all_orders_are_cancelled_when_the_time_is_up_and_not_before() {
    let mut x = exchange(false);
    orders(&mut x);
    countdown(&mut x, ALICE, 30);
    x.advance(29 * SECOND);
    x.run();
    countdown(&mut x, ALICE, 30);
    x.advance(29 * SECOND);
    x.run();
    assert_eq!((resting(&x, ALICE), waiting(&x, ALICE), runs(&x)), (2, 1, true), "it began anew");
    x.advance(2 * SECOND);
    x.run();
    assert_eq!((resting(&x, ALICE), waiting(&x, ALICE), runs(&x)), (0, 0, false));
    assert_eq!(resting(&x, BOB), 1, "his are his own");
    index(&mut x, "50000");
    place(&mut x, ALICE, limit(Side::Buy, 49_000, 1));
    x.advance(100 * SECOND);
    x.run();
    assert_eq!(resting(&x, ALICE), 1, "it ran once");
    audit(&mut x);
}

#[test]
fn a_countdown_that_was_ended_cancels_nothing() {
    let mut x = exchange(false);
    orders(&mut x);
    countdown(&mut x, ALICE, 30);
    countdown(&mut x, BOB, 60);
    countdown(&mut x, ALICE, 0);
    x.advance(59 * SECOND);
    x.run();
    assert_eq!((resting(&x, ALICE), resting(&x, BOB)), (2, 1));
    x.advance(2 * SECOND);
    x.run();
    assert_eq!((resting(&x, ALICE), resting(&x, BOB), runs(&x)), (2, 0, false));
    let nowhere = LegCommand::Countdown { contract: MarketId(600), after: SECOND };
    assert_eq!(refused(&mut x, ALICE, nowhere), Reject::UnknownMarket);
    audit(&mut x);
}

#[test]
fn a_countdown_goes_on_after_a_crash_at_any_record() {
    let mut x = exchange(false);
    orders(&mut x);
    countdown(&mut x, ALICE, 30);
    let before = x.journal.records().len();
    x.advance(31 * SECOND);
    x.run();
    let records = x.journal.records();
    assert!(records.len() >= before + 3, "orders that rest, those that wait, the end");
    for upto in before..=records.len() {
        let mut world: World<Plain> = World::default();
        for (lsn, bytes) in &records[..upto] {
            world.fold(*lsn, bytes).unwrap();
        }
        let mut y = x.resumed(world, &records[..upto]);
        y.advance(31 * SECOND);
        y.run();
        assert_eq!((resting(&y, ALICE), waiting(&y, ALICE), runs(&y)), (0, 0, false), "from record {upto}");
        audit(&mut y);
    }
}
