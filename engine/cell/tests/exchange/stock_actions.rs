//! Corporate actions through the cell: splits, odd lots, dividends, orders that leave, crashes between any two steps.

use crate::stocks::{
    ALICE, BOB, Buy, CAROL, DAVE, HK, HK_SHARE, HKD, SHARE, Sell, US, all_is_well, at, exchange, facts, group, index,
    left, limit, list, opened_at, place, quote, refused, set_calendar, state, stop, taken, to, us, us_calendar,
};
use crate::support::{Exchange, USDT};
use std::collections::BTreeMap;
use xng_cell::{Plain, World};
use xng_core::account::facts::{AccountStatus, GrantItem, GrantKind};
use xng_core::account::{AccountCommand, OrderName, Property, SpotCommand, StockCommand};
use xng_core::entity::{Command, Reply};
use xng_core::ids::{AccountId, AssetId, MarketId, Wallet};
use xng_core::money::Amount;
use xng_core::record::Fact;
use xng_core::reject::Reject;
use xng_core::spot::{EndReason, Leg, MarketCommand, MarketState, NewOrder, OrderStatus, StateReason, Tif};
use xng_core::stock::ActionKind;
use xng_core::stock::facts::{Action, ActionApplied, StockFact};

const FOUR: ActionKind = ActionKind::Split { new: 4, old: 1 };
const TENTH: ActionKind = ActionKind::Split { new: 1, old: 10 };

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

/// Money for each share, of which three tenths are withheld.
fn dividend(per_share: &str) -> ActionKind {
    ActionKind::Dividend { per_share: amount(per_share), withheld_ppm: 300_000 }
}

fn act(x: &mut Exchange, market: MarketId, id: u32, kind: ActionKind) -> Reply {
    x.send(None, Command::Market(market, MarketCommand::SetAction { id, kind }))
}

fn grant(who: AccountId, wallet: Wallet, asset: AssetId, whole: &str) -> Command {
    let items = vec![GrantItem { wallet, asset, amount: amount(whole) }];
    Command::Account(who, AccountCommand::Grant { kind: GrantKind::Correction, items })
}

/// Available and locked of a wallet.
fn held(x: &Exchange, who: AccountId, wallet: Wallet, asset: AssetId) -> [String; 2] {
    let balance = x.cell.world().accounts().get(who).unwrap().balance(wallet, asset);
    [balance.available.to_string(), balance.locked.to_string()]
}

fn free(x: &Exchange, who: AccountId, asset: AssetId) -> String {
    let [available, locked] = held(x, who, Wallet::Spot, asset);
    assert_eq!(locked, "0");
    available
}

fn applied(x: &Exchange) -> Vec<ActionApplied> {
    let its = |fact| if let Fact::Stock(StockFact::ActionApplied(f)) = fact { Some(*f) } else { None };
    facts(x).into_iter().filter_map(its).collect()
}

/// How often each account went through an action of a number.
fn times(x: &Exchange, id: u32) -> BTreeMap<AccountId, usize> {
    let mut times = BTreeMap::new();
    applied(x).iter().filter(|f| f.action.id == id).for_each(|f| *times.entry(f.account).or_default() += 1);
    times
}

/// The night after day 1, with prices of 100 and 10.
fn closed() -> Exchange {
    let mut x = exchange();
    opened_at(&mut x, 1, "100", "10");
    to(&mut x, at(1, 32));
    x
}

/// All facts of stocks; orders wait for the open, rest and are of a day at the end, and an action is under way.
pub(crate) fn every_fact(x: &mut Exchange) {
    let day = x.cell.latest() / (86_400 * 1_000_000_000) + 1;
    list(x, us());
    let mut calendar = us_calendar();
    for session in &mut calendar.sessions {
        session.open_ms += (day - 1) * 86_400_000;
        session.close_ms += (day - 1) * 86_400_000;
    }
    set_calendar(x, calendar);
    for who in [ALICE, BOB] {
        x.fund(who, USDT, Amount::whole(100_000));
        x.fund(who, SHARE, Amount::whole(1_000));
    }
    x.ok(grant(BOB, Wallet::Funding, SHARE, "7"));
    for (half_hours, price) in [(19, "100"), (19, "111"), (20, "111"), (21, "101")] {
        to(x, at(day, half_hours));
        index(x, US, price);
    }
    place(x, BOB, US, Sell, "101", 20, Tif::Gtc);
    place(x, ALICE, US, Buy, "101", 5, Tif::Day);
    place(x, ALICE, US, Buy, "100", 5, Tif::Day);
    group(x, BOB, |x| vec![stop(x, US, Sell, "90", 3, Tif::Day)]);
    to(x, at(day, 32));
    place(x, ALICE, US, Buy, "99", 4, Tif::Day);
    act(x, US, 1, FOUR);
    act(x, US, 2, dividend("0.24"));
    place(x, ALICE, US, Buy, "25", 4, Tif::Gtc);
    to(x, at(day + 1, 19));
    index(x, US, "25.3");
    place(x, ALICE, US, Buy, "24", 5, Tif::Day);
    to(x, at(day + 1, 32));
    place(x, BOB, US, Sell, "26", 4, Tif::Day);
    // One holder of two went through it when the file ends.
    x.submit(None, Command::Market(US, MarketCommand::SetAction { id: 3, kind: dividend("0.1") }));
    while times(x, 3).is_empty() {
        x.cell.turn(|_, _| {});
    }
}

#[test]
fn a_split_multiplies_what_all_wallets_hold_and_orders_leave_first() {
    let mut x = exchange();
    opened_at(&mut x, 1, "100", "10");
    x.ok(grant(ALICE, Wallet::Funding, SHARE, "50"));
    place(&mut x, ALICE, US, Buy, "99", 1, Tif::Gtc);
    let resting = place(&mut x, BOB, US, Sell, "120", 10, Tif::Gtc).order;
    let waits = group(&mut x, ALICE, |x| vec![stop(x, US, Sell, "80", 1, Tif::Gtc)])[0];
    let take = |x: &Exchange| Leg {
        order: NewOrder { tif: Tif::PostOnly, ..limit(x, US, Sell, "130", 2, Tif::Gtc) },
        trigger: None,
    };
    group(&mut x, CAROL, |x| vec![take(x), stop(x, US, Sell, "80", 2, Tif::Gtc)]);
    to(&mut x, at(1, 32));
    let queued = place(&mut x, CAROL, US, Buy, "90", 5, Tif::Day).order;
    assert_eq!(held(&x, BOB, Wallet::Spot, SHARE), ["9990", "10"]);
    assert!(matches!(act(&mut x, US, 7, FOUR), Reply::Accepted(_)));
    assert_eq!(left(&x, US)["action"], [1, 1, 2, 2]);
    for (who, order) in [(BOB, resting), (ALICE, waits), (CAROL, queued)] {
        let order = x.order(who, order);
        assert_eq!((order.status, order.reason), (OrderStatus::Canceled, EndReason::CorporateAction));
    }
    assert_eq!((free(&x, ALICE, SHARE), held(&x, ALICE, Wallet::Funding, SHARE)[0].as_str()), ("40000".into(), "200"));
    assert_eq!([BOB, CAROL, AccountId::HOUSE].map(|who| free(&x, who, SHARE)), ["40000"; 3]);
    assert_eq!(free(&x, AccountId::STOCK_ISSUER, SHARE), "-120000");
    assert_eq!(held(&x, AccountId::STOCK_ISSUER, Wallet::Funding, SHARE)[0], "-150");
    assert_eq!(times(&x, 7).values().copied().collect::<Vec<_>>(), [1; 4]);
    assert_eq!(state(&x, US), (MarketState::CancelOnly, StateReason::Session));
    // Limits around the new price are taken at once, and it opens with the next session.
    let early = place(&mut x, ALICE, US, Buy, "25", 3, Tif::Gtc);
    let far = limit(&x, US, Buy, "100", 1, Tif::Gtc);
    assert_eq!(refused(&x.place(BOB, far)), Reject::OutsidePriceBand);
    to(&mut x, at(2, 19));
    index(&mut x, US, "25");
    assert_eq!(state(&x, US), (MarketState::Trading, StateReason::Fresh), "the new price is no move");
    assert_eq!(x.order(ALICE, early.order).status, OrderStatus::Open);
    all_is_well(&mut x);
}

#[test]
fn what_is_no_whole_board_lot_is_paid_for() {
    let mut x = exchange();
    for (who, wallet, shares) in [
        (DAVE, Wallet::Spot, "3000"),
        (DAVE, Wallet::Funding, "1500"),
        (AccountId(100_005), Wallet::Funding, "1999"),
        (AccountId(100_006), Wallet::Spot, "1990"),
        (AccountId(100_006), Wallet::Options, "5"),
    ] {
        x.ok(grant(who, wallet, HK_SHARE, shares));
    }
    opened_at(&mut x, 1, "100", "10");
    to(&mut x, at(1, 32));
    assert!(matches!(act(&mut x, HK, 1, TENTH), Reply::Accepted(_)));
    // 300 and 150: 50 of the spot wallet are too many, at 100 Hong Kong dollars each.
    assert_eq!(
        (free(&x, DAVE, HK_SHARE), held(&x, DAVE, Wallet::Funding, HK_SHARE)[0].as_str()),
        ("250".into(), "150")
    );
    assert_eq!(free(&x, DAVE, HKD), "5000");
    // 199.9: all of it, and out of the wallet where it is; the money is in the spot wallet.
    assert_eq!(held(&x, AccountId(100_005), Wallet::Funding, HK_SHARE)[0], "0");
    assert_eq!(free(&x, AccountId(100_005), HKD), "19990");
    assert_eq!(
        (free(&x, AccountId(100_006), HK_SHARE), free(&x, AccountId(100_006), HKD)),
        ("0".into(), "19950".into())
    );
    assert_eq!(free(&x, AccountId::STOCK_ISSUER, HKD), "-44940");
    let action = applied(&x).into_iter().find(|f| f.account == DAVE).unwrap();
    assert_eq!((action.odd, action.odd_cash), (Amount::whole(50), Amount::whole(5_000)));
    // Who holds nothing any more is not asked the next time.
    assert!(matches!(act(&mut x, HK, 2, dividend("1")), Reply::Accepted(_)));
    let holders: Vec<AccountId> = times(&x, 2).into_keys().collect();
    assert_eq!(holders, [AccountId::HOUSE, ALICE, BOB, CAROL, DAVE]);
    all_is_well(&mut x);
}

#[test]
fn a_dividend_is_paid_in_the_quote_less_what_is_withheld() {
    let mut x = exchange();
    x.ok(grant(DAVE, Wallet::Spot, SHARE, "30"));
    x.ok(grant(DAVE, Wallet::Earn, SHARE, "10"));
    opened_at(&mut x, 1, "100", "10");
    to(&mut x, at(1, 32));
    assert!(matches!(act(&mut x, US, 1, dividend("0.24")), Reply::Accepted(_)));
    assert_eq!((free(&x, DAVE, USDT), free(&x, DAVE, SHARE)), ("6.72".into(), "30".into()));
    assert_eq!(held(&x, DAVE, Wallet::Earn, SHARE)[0], "10");
    let f = applied(&x).into_iter().find(|f| f.account == DAVE).unwrap();
    assert_eq!((f.gross, f.withheld, f.odd), (amount("9.6"), amount("2.88"), Amount::ZERO));
    // 0.01234567 shares: both roundings show.
    x.ok(grant(DAVE, Wallet::Spot, SHARE, "-29.98765433"));
    x.ok(grant(DAVE, Wallet::Earn, SHARE, "-10"));
    let kind = ActionKind::Dividend { per_share: amount("0.3333"), withheld_ppm: 150_000 };
    assert!(matches!(act(&mut x, US, 2, kind), Reply::Accepted(_)));
    assert_eq!(free(&x, DAVE, USDT), "6.72349759");
    all_is_well(&mut x);
}

#[test]
fn an_action_is_refused_in_a_session_again_beside_another_and_without_a_price() {
    let mut x = exchange();
    assert_eq!(refused(&act(&mut x, US, 1, FOUR)), Reject::PriceStale, "odd lots have no price yet");
    opened_at(&mut x, 1, "100", "10");
    assert_eq!(refused(&act(&mut x, US, 1, FOUR)), Reject::BadAction);
    x.ok(Command::Market(US, MarketCommand::SetState(MarketState::Halt)));
    assert_eq!(refused(&act(&mut x, US, 1, FOUR)), Reject::BadAction, "a halt is no close");
    x.ok(Command::Market(US, MarketCommand::SetState(MarketState::Trading)));
    to(&mut x, at(1, 32));
    assert_eq!(refused(&act(&mut x, US, 0, FOUR)), Reject::AlreadyExists);
    assert_eq!(refused(&act(&mut x, US, 2, ActionKind::Split { new: 3, old: 3 })), Reject::BadParameters);
    let both = [(2, FOUR), (3, FOUR)]
        .map(|(id, kind)| x.submit(None, Command::Market(US, MarketCommand::SetAction { id, kind })));
    x.run();
    assert!(matches!(x.answer(both[0]).unwrap(), Reply::Accepted(_)));
    assert_eq!(refused(&x.answer(both[1]).unwrap()), Reject::BadAction);
    assert_eq!(refused(&act(&mut x, US, 2, TENTH)), Reject::AlreadyExists);
    assert_eq!(refused(&act(&mut x, MarketId(9), 1, FOUR)), Reject::UnknownMarket);
    assert!(matches!(act(&mut x, US, 3, TENTH), Reply::Accepted(_)));
    assert_eq!(free(&x, ALICE, SHARE), "4000");
    // Whoever asks an account itself: it went through it.
    let kind = TENTH;
    let action = Action { market: US, asset: SHARE, quote: USDT, id: 3, kind };
    let (board_lot, odd_price) = (Amount::whole(1), Amount::whole(1));
    let again = AccountCommand::Stock(StockCommand::Apply { action, board_lot, odd_price });
    assert_eq!(refused(&x.send(None, Command::Account(ALICE, again))), Reject::AlreadyExists);
    all_is_well(&mut x);
}

#[test]
fn orders_that_are_on_their_way_are_refused_and_cancels_are_not() {
    let mut x = closed();
    let first = place(&mut x, ALICE, US, Sell, "110", 10, Tif::Gtc).order;
    let second = place(&mut x, ALICE, US, Sell, "111", 10, Tif::Gtc).order;
    let spot = |who, command| Command::Account(who, AccountCommand::Spot(command));
    let order = limit(&x, US, Sell, "120", 5, Tif::Gtc);
    // All in one turn: the order is asked for before the action is announced, and decided after it.
    let placed = x.submit(None, spot(BOB, SpotCommand::Place(order)));
    let action = x.submit(None, Command::Market(US, MarketCommand::SetAction { id: 1, kind: FOUR }));
    let cancel = x.submit(None, spot(ALICE, SpotCommand::Cancel(OrderName::Id(second))));
    x.run();
    assert_eq!(refused(&x.answer(placed).unwrap()), Reject::MarketClosed);
    assert!(matches!(x.answer(action).unwrap(), Reply::Accepted(_)));
    assert!(matches!(x.answer(cancel).unwrap(), Reply::Accepted(_)));
    assert_eq!(
        (x.order(ALICE, second).reason, x.order(ALICE, first).reason),
        (EndReason::User, EndReason::CorporateAction)
    );
    assert_eq!([ALICE, BOB].map(|who| free(&x, who, SHARE)), ["40000"; 2]);
    all_is_well(&mut x);
    // While it is under way nothing is taken, whatever the hour.
    x.submit(None, Command::Market(US, MarketCommand::SetAction { id: 2, kind: dividend("1") }));
    while times(&x, 2).len() < 2 {
        x.cell.turn(|_, _| {});
    }
    x.cell.clock().0 = at(2, 19) + 1;
    let order = limit(&x, US, Sell, "25", 5, Tif::Gtc);
    let placed = x.submit(None, spot(BOB, SpotCommand::Place(order)));
    x.run();
    assert_eq!(refused(&x.answer(placed).unwrap()), Reject::MarketClosed);
    index(&mut x, US, "25");
    assert_eq!(state(&x, US), (MarketState::Trading, StateReason::Fresh));
    assert_eq!(taken(&x.place(BOB, order)).status, OrderStatus::Open);
    all_is_well(&mut x);
}

#[test]
fn a_locked_account_goes_through_an_action_as_well() {
    let mut x = closed();
    let locks = place(&mut x, ALICE, US, Sell, "110", 10, Tif::Gtc).order;
    x.ok(Command::Account(ALICE, AccountCommand::Set(Property::Status(AccountStatus::Locked))));
    assert!(matches!(act(&mut x, US, 1, FOUR), Reply::Accepted(_)));
    assert_eq!((free(&x, ALICE, SHARE), x.order(ALICE, locks).reason), ("40000".into(), EndReason::CorporateAction));
    assert_eq!(times(&x, 1)[&ALICE], 1);
    all_is_well(&mut x);
}

#[test]
fn who_buys_or_is_given_shares_is_a_holder_and_who_sold_all_is_none_for_long() {
    let mut x = exchange();
    let (eve, frank) = (AccountId(100_007), AccountId(100_008));
    x.fund(eve, USDT, Amount::whole(1_000));
    x.ok(grant(frank, Wallet::Spot, SHARE, "5"));
    opened_at(&mut x, 1, "100", "10");
    place(&mut x, eve, US, Buy, "100", 3, Tif::Gtc);
    place(&mut x, frank, US, Sell, "100", 5, Tif::Gtc);
    place(&mut x, BOB, US, Buy, "100", 2, Tif::Ioc);
    assert!(matches!(quote(&mut x, US, &[(Buy, "99", 5)]), Reply::Accepted(_)));
    to(&mut x, at(1, 32));
    assert!(matches!(act(&mut x, US, 1, ActionKind::Split { new: 3, old: 2 }), Reply::Accepted(_)));
    assert_eq!(times(&x, 1).into_keys().collect::<Vec<_>>(), [AccountId::HOUSE, ALICE, BOB, CAROL, eve, frank]);
    // Four and a half: half a share is no lot, at two thirds of 100.
    assert_eq!((free(&x, eve, SHARE), free(&x, frank, SHARE)), ("4".into(), "0".into()));
    assert_eq!(free(&x, eve, USDT), "733.18333334");
    // While it is under way: Frank is given some before he would be asked, and Grace, who held none, is asked too.
    let grace = AccountId(100_009);
    x.submit(None, Command::Market(US, MarketCommand::SetAction { id: 2, kind: FOUR }));
    while times(&x, 2).len() < 3 {
        x.cell.turn(|_, _| {});
    }
    for who in [ALICE, grace, frank] {
        x.submit(None, grant(who, Wallet::Spot, SHARE, "10"));
    }
    x.run();
    assert_eq!([grace, frank].map(|who| free(&x, who, SHARE)), ["40"; 2]);
    // Alice had gone through it: her ten are new ones.
    assert_eq!(free(&x, ALICE, SHARE), "60010");
    assert!(times(&x, 2).values().all(|times| *times == 1));
    all_is_well(&mut x);
}

#[test]
fn between_any_two_records_a_start_anew_takes_each_holder_through_once() {
    let mut x = closed();
    for n in 0..5 {
        x.ok(grant(AccountId(100_020 + n), Wallet::Spot, SHARE, "15.5"));
        x.ok(grant(AccountId(100_020 + n), Wallet::Funding, SHARE, "7"));
    }
    for (who, price) in [(ALICE, "90"), (BOB, "91"), (CAROL, "92")] {
        place(&mut x, who, US, Buy, price, 5, Tif::Gtc);
    }
    let before = x.journal.records().len();
    assert!(matches!(act(&mut x, US, 1, ActionKind::Split { new: 1, old: 3 }), Reply::Accepted(_)));
    let records = x.journal.records();
    let holders = times(&x, 1);
    assert_eq!(holders.len(), 9);
    for cut in before..records.len() {
        let mut world: World<Plain> = World::default();
        records[..=cut].iter().for_each(|(lsn, bytes)| drop(world.fold(*lsn, bytes).unwrap()));
        // From a snapshot of it, too.
        let (lsn, hash) = (world.lsn(), world.state_hash());
        let entries: Vec<_> = world.save().collect();
        let world = World::<Plain>::load(entries.into_iter(), lsn, hash).unwrap();
        let mut again = x.resumed(world, &records[..=cut]);
        while !again.cell.catch_up() {}
        again.run();
        assert_eq!(times(&again, 1), holders, "after {cut} records");
        let shares = |x: &Exchange| holders.keys().map(|who| free(x, *who, SHARE)).collect::<Vec<_>>();
        assert_eq!(shares(&again), shares(&x));
        all_is_well(&mut again);
    }
}
