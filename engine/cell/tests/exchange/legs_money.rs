//! Who pays: no order and no race of commands makes somebody else pay for a position.

use crate::legs::{ALICE, BOB, CAROL, amount, audit, exchange, index, isolated, leg, legs, limit, ok, place, refused};
use crate::legs::{send, wallet};
use crate::legs_liquidation::{E, ether, list_ether};
use crate::support::{Exchange, USDT};
use crate::tickets::{C, fund};
use xng_core::account::{AccountCommand, LegCommand, OrderName};
use xng_core::contract::book::order::NewBookOrder;
use xng_core::contract::facts::MarginMode;
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, Wallet};
use xng_core::market::{OrderKind, OrderStatus, Side, Tif};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::reject::Reject;

const NEW: AccountId = AccountId(100_009);

fn at_once(side: Side, price: i64, lots: i64) -> NewBookOrder {
    NewBookOrder { tif: Tif::Ioc, ..limit(side, price, lots) }
}

fn at_market(side: Side, lots: i64) -> NewBookOrder {
    NewBookOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, ..limit(side, 0, lots) }
}

/// Admits a command without running it.
fn submit(x: &mut Exchange, who: AccountId, command: LegCommand) -> u64 {
    x.submit(None, Command::Account(who, AccountCommand::Legs(command)))
}

#[test]
fn nobody_opens_an_isolated_leg_that_is_at_its_end() {
    let mut x = exchange(false);
    isolated(&mut x, ALICE, 100);
    // Margin 1 %, of which 0.4 % must stay: 0.6 % above the mark it would be at its end.
    place(&mut x, BOB, limit(Side::Sell, 50_400, 10));
    let taken = place(&mut x, ALICE, at_once(Side::Buy, 50_400, 10));
    assert_eq!((taken.status, taken.filled), (OrderStatus::Expired, Lots::ZERO));
    ok(&mut x, BOB, LegCommand::CancelAll(C));
    // As a maker it leaves instead.
    place(&mut x, ALICE, limit(Side::Buy, 52_000, 10));
    let taken = place(&mut x, BOB, at_once(Side::Sell, 52_000, 10));
    assert_eq!(taken.filled, Lots::ZERO);
    assert!(legs(&x, ALICE).is_empty() && legs(&x, BOB).is_empty());
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("100000".into(), "0".into()));
    // A little above the mark it may: what it loses is its own.
    place(&mut x, BOB, limit(Side::Sell, 50_200, 10));
    assert_eq!(place(&mut x, ALICE, at_once(Side::Buy, 50_200, 10)).filled, Lots(10));
    audit(&mut x);
}

#[test]
fn what_closing_lost_is_not_taken_from_the_margin_of_the_other_direction() {
    let mut x = exchange(false);
    isolated(&mut x, ALICE, 100);
    place(&mut x, BOB, limit(Side::Sell, 50_000, 20));
    place(&mut x, ALICE, limit(Side::Buy, 50_000, 20));
    // Closing brings the margin of 100 less 110, and the other 20 lots need 98.9 of their 100.
    place(&mut x, BOB, limit(Side::Buy, 49_450, 40));
    assert_eq!(place(&mut x, ALICE, at_once(Side::Sell, 49_450, 40)).filled, Lots::ZERO);
    assert_eq!(leg(&x, ALICE).1, 20);
    audit(&mut x);
}

#[test]
fn what_an_order_on_its_way_needs_cannot_leave() {
    let mut x = exchange(false);
    fund(&mut x, NEW, "3000");
    place(&mut x, BOB, limit(Side::Sell, 50_000, 100));
    let order = submit(&mut x, NEW, LegCommand::Place(at_once(Side::Buy, 50_000, 100)));
    let (from, to) = (Wallet::Futures, Wallet::Spot);
    let out = AccountCommand::Transfer { asset: USDT, from, to, amount: amount("3000") };
    let transfer = x.submit(None, Command::Account(NEW, out));
    x.run();
    assert!(matches!(x.answer(order), Some(Reply::Accepted(Accepted::Placed(_)))));
    assert!(matches!(x.answer(transfer), Some(Reply::Rejected(Reject::InsufficientBalance))));
    assert_eq!((wallet(&x, NEW, Wallet::Futures).0, leg(&x, NEW).1), ("3000".into(), 100));
    audit(&mut x);
}

#[test]
fn orders_of_one_turn_lose_no_more_than_there_is() {
    let mut x = exchange(false);
    fund(&mut x, NEW, "1000");
    let terms = LegCommand::SetTerms { contract: C, multiple: Some(100), mode: Some(MarginMode::Cross) };
    ok(&mut x, NEW, terms);
    place(&mut x, BOB, limit(Side::Sell, 51_000, 1_000));
    let tokens: Vec<u64> = (0..5).map(|_| submit(&mut x, NEW, LegCommand::Place(at_market(Side::Buy, 90)))).collect();
    x.run();
    let mut filled = 0;
    for token in tokens {
        if let Some(Reply::Accepted(Accepted::Placed(ack))) = x.answer(token) {
            filled += ack.filled.0;
        }
    }
    // A lot loses ten against the mark.
    assert!(filled > 0 && filled <= 100, "{filled} lots");
    audit(&mut x);
}

#[test]
fn an_isolated_leg_is_closed_without_other_money() {
    let mut x = exchange(true);
    fund(&mut x, NEW, "104.2");
    isolated(&mut x, NEW, 100);
    place(&mut x, BOB, limit(Side::Sell, 50_000, 20));
    place(&mut x, NEW, at_once(Side::Buy, 50_000, 20));
    assert_eq!(wallet(&x, NEW, Wallet::Futures), ("0.2".into(), "100".into()));
    place(&mut x, BOB, limit(Side::Buy, 49_900, 20));
    let rests = NewBookOrder { reduce_only: true, ..limit(Side::Sell, 50_500, 5) };
    let rests = place(&mut x, NEW, rests).order;
    assert_eq!(wallet(&x, NEW, Wallet::Futures), ("0.2".into(), "100".into()), "it sets nothing aside");
    ok(&mut x, NEW, LegCommand::Cancel(OrderName::Id(rests)));
    let closes = NewBookOrder { reduce_only: true, ..at_market(Side::Sell, 20) };
    assert_eq!(place(&mut x, NEW, closes).filled, Lots(20));
    // 100 less a loss of 20 and a fee of 3.992.
    assert_eq!(wallet(&x, NEW, Wallet::Futures), ("76.208".into(), "0".into()));
    audit(&mut x);
}

#[test]
fn a_stale_contract_does_not_forbid_to_close_in_another() {
    let mut x = exchange(false);
    list_ether(&mut x);
    fund(&mut x, NEW, "1000");
    let trade = |x: &mut Exchange, of: fn(Side) -> NewBookOrder| {
        place(x, BOB, of(Side::Sell));
        place(x, NEW, of(Side::Buy));
    };
    trade(&mut x, |side| limit(side, 50_000, 10));
    trade(&mut x, |side| NewBookOrder { contract: E, ..limit(side, 2_000, 10) });
    x.advance(6_000_000_000);
    index(&mut x, "50000");
    x.run();
    place(&mut x, CAROL, limit(Side::Buy, 49_990, 20));
    assert_eq!(refused(&mut x, NEW, LegCommand::Place(at_once(Side::Buy, 50_000, 1))), Reject::PriceStale);
    let closes = NewBookOrder { reduce_only: true, ..at_once(Side::Sell, 49_990, 10) };
    assert_eq!(place(&mut x, NEW, closes).filled, Lots(10));
    ether(&mut x, "2000");
    audit(&mut x);
}

#[test]
fn a_waiting_jump_keeps_money_in_the_pool() {
    let mut x = exchange(false);
    fund(&mut x, NEW, "10000");
    place(&mut x, BOB, limit(Side::Sell, 50_000, 100));
    place(&mut x, NEW, limit(Side::Buy, 50_000, 100));
    let out = |amount| {
        let (from, to) = (Wallet::Futures, Wallet::Spot);
        Command::Account(NEW, AccountCommand::Transfer { asset: USDT, from, to, amount })
    };
    assert!(matches!(x.send(None, out(amount("1"))), Reply::Accepted(_)));
    index(&mut x, "43000");
    x.run();
    assert!(matches!(x.send(None, out(amount("1"))), Reply::Rejected(Reject::PriceStale)));
    audit(&mut x);
}

#[test]
fn an_amendment_is_refused_when_the_order_was_filled_meanwhile() {
    let mut x = exchange(false);
    let order = place(&mut x, ALICE, limit(Side::Buy, 50_000, 20)).order;
    submit(&mut x, BOB, LegCommand::Place(at_once(Side::Sell, 50_000, 5)));
    let amend = submit(&mut x, ALICE, LegCommand::Amend { order: OrderName::Id(order), lots: Lots(10) });
    x.run();
    assert!(matches!(x.answer(amend), Some(Reply::Rejected(Reject::BadAmendment))));
    let own = &x.cell.world().accounts().get(ALICE).unwrap().book_orders()[0];
    assert_eq!((own.filled, own.rests.open), (Lots(5), Lots(15)));
    ok(&mut x, ALICE, LegCommand::Amend { order: OrderName::Id(order), lots: Lots(10) });
    audit(&mut x);
}

#[test]
fn multiple_and_margin_mode_change_apart() {
    let mut x = exchange(false);
    let set = |multiple, mode| LegCommand::SetTerms { contract: C, multiple, mode };
    for command in [set(None, Some(MarginMode::Isolated)), set(Some(10), None)] {
        submit(&mut x, ALICE, command);
    }
    x.run();
    let terms = x.cell.world().accounts().get(ALICE).unwrap().leg_terms(C).unwrap();
    assert_eq!((terms.multiple, terms.mode), (10, MarginMode::Isolated));
    assert!(matches!(send(&mut x, ALICE, set(None, None)), Reply::Rejected(Reject::AlreadyExists)));
}

#[test]
fn the_middle_of_a_wide_book_makes_no_mark() {
    let mut x = exchange(false);
    place(&mut x, BOB, limit(Side::Buy, 49_990, 5));
    place(&mut x, CAROL, limit(Side::Sell, 52_400, 1));
    for _ in 0..3 {
        x.advance(1_000_000_000);
        index(&mut x, "50000");
        x.run();
    }
    let mark = |x: &Exchange| x.cell.world().contracts().get(C).unwrap().mark().0;
    assert_eq!(mark(&x), Amount::whole(50_000));
    place(&mut x, CAROL, limit(Side::Sell, 50_050, 1));
    x.advance(1_000_000_000);
    index(&mut x, "50000");
    x.run();
    assert!(mark(&x) > Amount::whole(50_000));
}

#[test]
fn orders_that_their_pool_could_not_pay_for_leave_the_book() {
    for (side, limit_price, stays, leaves) in
        [(Side::Buy, 49_500, "47000", "46400"), (Side::Sell, 50_500, "53000", "53700")]
    {
        let mut x = exchange(false);
        fund(&mut x, NEW, "3000");
        place(&mut x, NEW, limit(side, limit_price, 100));
        let rest = |x: &Exchange| x.cell.world().accounts().get(NEW).unwrap().book_orders().len();
        // At its limit it would lose 2,500 of 3,000 against this mark, and 3,100 or 3,200 against the next one.
        index(&mut x, stays);
        x.run();
        assert_eq!(rest(&x), 1, "{stays}");
        index(&mut x, leaves);
        x.run();
        assert_eq!((rest(&x), wallet(&x, NEW, Wallet::Futures).0), (0, "3000".into()), "{leaves}");
        assert!(x.cell.world().contracts().get(C).unwrap().book().unwrap().orders().is_empty());
        audit(&mut x);
    }
}

#[test]
fn of_a_pool_with_a_position_only_orders_that_lose_leave() {
    let mut x = exchange(false);
    fund(&mut x, NEW, "1000");
    place(&mut x, BOB, limit(Side::Sell, 50_000, 20));
    place(&mut x, NEW, limit(Side::Buy, 50_000, 20));
    place(&mut x, NEW, limit(Side::Buy, 49_900, 10));
    place(&mut x, NEW, limit(Side::Buy, 47_600, 2));
    let rest = |x: &Exchange| -> Vec<i64> {
        x.cell.world().accounts().get(NEW).unwrap().book_orders().iter().map(|own| own.rests.ticks.0).collect()
    };
    assert_eq!(rest(&x), [4_990_000, 4_760_000]);
    let mark = |x: &Exchange| x.cell.world().contracts().get(C).unwrap().mark().0;
    // The last trade holds the mark 1 % above the index. The position loses 405 of 1,000, the first order 193.
    index(&mut x, "47500");
    x.run();
    assert_eq!((rest(&x).len(), mark(&x)), (2, Amount::whole(47_975)));
    // 607, 294, and 13 of the other one: 38 must stay of the 86 that are left.
    index(&mut x, "46500");
    x.run();
    assert_eq!((rest(&x), mark(&x)), (vec![4_990_000, 4_760_000], Amount::whole(46_965)));
    // 648, 314 and 17: the 38 are not there any more.
    index(&mut x, "46300");
    x.run();
    assert_eq!((rest(&x), leg(&x, NEW).1), (vec![], 20));
    audit(&mut x);
}

#[test]
fn an_order_that_only_closes_stays_whatever_the_mark_makes_of_it() {
    let mut x = exchange(false);
    list_ether(&mut x);
    fund(&mut x, NEW, "1000");
    place(&mut x, BOB, limit(Side::Sell, 50_000, 20));
    place(&mut x, NEW, limit(Side::Buy, 50_000, 20));
    place(&mut x, NEW, NewBookOrder { reduce_only: true, ..limit(Side::Sell, 50_200, 20) });
    place(&mut x, NEW, NewBookOrder { contract: E, ..limit(Side::Buy, 1_980, 400) });
    // Against the marks both orders lose more than the 1,000, but what one of them loses the position has gained.
    ether(&mut x, "1720");
    index(&mut x, "58000");
    x.run();
    assert_eq!(x.cell.world().accounts().get(NEW).unwrap().book_orders().len(), 2);
    audit(&mut x);
}
