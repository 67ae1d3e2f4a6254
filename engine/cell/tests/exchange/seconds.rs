//! Seconds options through the cell: worked numbers, rounds that come and go, silence, restarts, limits, parallel requests.

use crate::properties::Dice;
use crate::support::{Exchange, USDT, btc_usdt};
use xng_cell::{Plain, World};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, EnterOption, OptionChange, SecondsCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, MarketId, PriceId, RequestKey, Wallet};
use xng_core::journal::Capacity;
use xng_core::money::Amount;
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;
use xng_core::seconds::desk::{DeskCommand, DeskOffer};
use xng_core::seconds::facts::{FEW_ITEMS, MOST_ITEMS, OptionsSettled, SecondsFact};
use xng_core::seconds::params::DeskParams;
use xng_core::seconds::rules::{OptionResult, OptionSide};
use xng_core::seconds::{DeskId, OptionId};

const ALICE: AccountId = AccountId(100_001);
const BOB: AccountId = AccountId(100_002);
const SECOND: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;
pub(crate) const RISE: OptionSide = OptionSide::Rise;
pub(crate) const FALL: OptionSide = OptionSide::Fall;

pub(crate) fn desk() -> DeskId {
    DeskId::of(MarketId(1), 1)
}

/// Of 60 seconds at 75 %, with a fee of 1 %.
pub(crate) fn params() -> DeskParams {
    DeskParams {
        version: 0,
        desk: desk(),
        price: PriceId(1),
        seconds: 60,
        asset: USDT,
        ratio_ppm: 750_000,
        fee_ppm: 10_000,
        stake: (Amount::whole(10), Amount::whole(1_000)),
        most_open: 5,
        minute_cap: Amount::whole(1_000),
        day_cap: Amount::whole(10_000),
        fresh_ms: 2_000,
        open: true,
    }
}

pub(crate) fn set(x: &mut Exchange, params: DeskParams) -> Reply {
    x.send(None, Command::Seconds(params.desk, DeskCommand::SetParams(Box::new(params))))
}

pub(crate) fn fund(x: &mut Exchange, account: AccountId, amount: &str) {
    let items = vec![GrantItem { wallet: Wallet::Options, asset: USDT, amount: amount.parse().unwrap() }];
    x.ok(Command::Account(account, AccountCommand::Grant { kind: GrantKind::Correction, items }));
}

pub(crate) fn tick(x: &mut Exchange, index: &str) {
    let said = SourcePrice { source: 1, price: index.parse().unwrap() };
    x.ok(Command::Price(PriceId(1), PriceCommand::Push(said)));
    x.run();
}

/// A desk at 50,000; Alice and Bob have 10,000 each.
fn started(params: DeskParams) -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    assert!(matches!(set(&mut x, params), Reply::Accepted(Accepted::Done)));
    [ALICE, BOB].into_iter().for_each(|who| fund(&mut x, who, "10000"));
    x.advance(100 * SECOND);
    tick(&mut x, "50000");
    x
}

fn wanted(side: OptionSide, stake: &str) -> EnterOption {
    EnterOption { desk: desk(), side, stake: stake.parse().unwrap(), coupon: None, version: None }
}

pub(crate) fn enter_command(account: AccountId, side: OptionSide, stake: &str) -> Command {
    Command::Account(account, AccountCommand::Seconds(SecondsCommand::Enter(wanted(side, stake))))
}

fn enter(x: &mut Exchange, account: AccountId, side: OptionSide, stake: &str) -> Reply {
    x.send(None, enter_command(account, side, stake))
}

pub(crate) fn opened(reply: &Reply) -> OptionId {
    match reply {
        Reply::Accepted(Accepted::Option(option)) => *option,
        other => panic!("opened: {other:?}"),
    }
}

pub(crate) fn refused(reply: &Reply) -> Reject {
    match reply {
        Reply::Rejected(reject) => *reject,
        other => panic!("refused: {other:?}"),
    }
}

/// Available and locked of the options wallet.
pub(crate) fn has(x: &Exchange, account: AccountId) -> [String; 2] {
    let balance = x.cell.world().accounts().get(account).expect("an account").balance(Wallet::Options, USDT);
    [balance.available.to_string(), balance.locked.to_string()]
}

/// Sets the clock to so long after the opening of an option.
pub(crate) fn to(x: &mut Exchange, account: AccountId, after: u64) {
    let opened = x.cell.world().accounts().get(account).unwrap().options()[0].opened / MS * MS;
    x.cell.clock().0 = opened + after;
}

pub(crate) fn settled(x: &Exchange) -> Vec<OptionsSettled> {
    let facts = x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).expect("a record").fact);
    let its = |fact| if let Fact::Seconds(SecondsFact::OptionsSettled(f)) = fact { Some(*f) } else { None };
    facts.filter_map(its).collect()
}

fn rounds(x: &Exchange) -> usize {
    x.cell.world().rounds().len()
}

/// All facts of seconds options: a win, a tie and a void, and a silent price; one is open at the end.
pub(crate) fn every_fact(x: &mut Exchange) {
    set(x, params());
    fund(x, ALICE, "1000");
    fund(x, BOB, "1000");
    tick(x, "50000");
    opened(&enter(x, ALICE, RISE, "100"));
    opened(&enter(x, BOB, FALL, "33.33"));
    to(x, ALICE, 59 * SECOND);
    tick(x, "50001");
    x.advance(2 * SECOND);
    tick(x, "50001");
    opened(&enter(x, ALICE, RISE, "20"));
    x.advance(125 * SECOND);
    x.run();
    tick(x, "50001");
    opened(&enter(x, BOB, FALL, "11"));
}

/// A command about options by chance.
pub(crate) fn random(dice: &mut Dice, account: AccountId) -> Command {
    let side = dice.pick(&[RISE, FALL]);
    let stake = Amount(1 + i128::from(dice.below(300_000_000)));
    let version = dice.pick(&[None, Some(1), Some(2)]);
    let enter = EnterOption { desk: desk(), side, stake, coupon: None, version };
    Command::Account(account, AccountCommand::Seconds(SecondsCommand::Enter(enter)))
}

#[test]
fn wins_losses_ties_and_voids_pay_what_the_worked_numbers_say() {
    // M1, M2, M3, M5: the tick at +60.001 s decides nothing.
    for (close, side, gets) in
        [("50001", RISE, "10074"), ("50001", FALL, "9899"), ("50000", RISE, "9999"), ("49999.99", FALL, "10074")]
    {
        let mut x = started(params());
        opened(&enter(&mut x, ALICE, side, "100"));
        assert_eq!(has(&x, ALICE), ["9899", "101"]);
        to(&mut x, ALICE, 60 * SECOND);
        tick(&mut x, close);
        assert_eq!(has(&x, ALICE), ["9899", "101"], "nothing is certain before a later tick");
        x.advance(MS);
        tick(&mut x, "49990");
        // The round ends with the second.
        x.advance(SECOND);
        tick(&mut x, "49990");
        assert_eq!(has(&x, ALICE), [gets, "0"], "{close}");
        assert_eq!(rounds(&x), 0, "its round is gone");
        x.audit();
        x.check_fold();
    }
    // M4.
    let fees = DeskParams { ratio_ppm: 725_000, fee_ppm: 2_000, ..params() };
    let mut x = started(fees);
    opened(&enter(&mut x, ALICE, RISE, "33.33"));
    assert_eq!(has(&x, ALICE), ["9966.60334", "33.39666"]);
    to(&mut x, ALICE, 58 * SECOND);
    tick(&mut x, "50000.01");
    x.advance(4 * SECOND);
    tick(&mut x, "49000");
    assert_eq!(has(&x, ALICE), ["10024.09759", "0"]);
    assert_eq!(has(&x, AccountId::SECONDS_HOUSE), ["-24.16425", "0"]);
    assert_eq!(has(&x, AccountId::FEE), ["0.06666", "0"]);
}

#[test]
fn without_a_tick_in_the_last_five_seconds_everything_comes_back() {
    let mut x = started(params());
    opened(&enter(&mut x, ALICE, RISE, "100"));
    to(&mut x, ALICE, 55 * SECOND - MS);
    tick(&mut x, "50100");
    x.advance(10 * SECOND);
    tick(&mut x, "50200");
    assert_eq!(has(&x, ALICE), ["10000", "0"], "M6");
    let item = settled(&x)[0].items[0];
    assert_eq!((item.result, item.close_seq), (OptionResult::Void, 0));
    assert!(x.cell.world().accounts().get(AccountId::FEE).is_none(), "no fee is earned");
    x.audit();
    // Exactly five seconds before the expiry still counts.
    let mut x = started(params());
    opened(&enter(&mut x, ALICE, RISE, "100"));
    to(&mut x, ALICE, 55 * SECOND);
    tick(&mut x, "50100");
    x.advance(10 * SECOND);
    tick(&mut x, "50200");
    assert_eq!(settled(&x)[0].items[0].close_price, "50100".parse().unwrap());
}

#[test]
fn a_round_waits_for_a_later_tick_and_asks_a_silent_price_after_a_minute() {
    let mut x = started(params());
    opened(&enter(&mut x, ALICE, RISE, "100"));
    opened(&enter(&mut x, BOB, FALL, "100"));
    to(&mut x, ALICE, 59 * SECOND);
    tick(&mut x, "50001");
    x.advance(60 * SECOND);
    x.run();
    assert_eq!(settled(&x).len(), 0, "59 s after the second at most");
    x.advance(3 * SECOND);
    x.run();
    let settled = settled(&x);
    let results: Vec<OptionResult> = settled[0].items.iter().map(|item| item.result).collect();
    assert_eq!(results, [OptionResult::Win, OptionResult::Loss]);
    assert_eq!((rounds(&x), settled.len()), (0, 1));
    // Two sides of the same stake: the house keeps a quarter.
    assert_eq!(has(&x, AccountId::SECONDS_HOUSE), ["25", "0"]);
    x.audit();
    x.check_fold();
    // The price does not know the round any more.
    tick(&mut x, "50002");
}

#[test]
fn a_large_round_settles_in_many_records_of_few_options() {
    let mut x = started(DeskParams { minute_cap: Amount::whole(1_000_000), most_open: 255, ..params() });
    for n in 0..1_200_u64 {
        let account = AccountId(200_000 + n);
        fund(&mut x, account, "100");
        opened(&enter(&mut x, account, if n % 2 == 0 { RISE } else { FALL }, "10"));
        if n % 100 == 0 {
            tick(&mut x, "50000");
        }
    }
    let accounts = x.cell.world().accounts();
    let second = |n: u64| accounts.get(AccountId(200_000 + n)).unwrap().options()[0].round();
    assert_eq!(second(0), second(1_199), "all in one round");
    to(&mut x, AccountId(200_000), 59 * SECOND);
    tick(&mut x, "50000.5");
    x.advance(2 * SECOND);
    tick(&mut x, "50001");
    let items: Vec<(usize, bool)> = settled(&x).iter().map(|f| (f.items.len(), f.last)).collect();
    let records = 1_200 / MOST_ITEMS;
    assert_eq!(items.len(), records);
    assert!(items.iter().enumerate().all(|(n, item)| *item == (MOST_ITEMS, n + 1 == records)), "{items:?}");
    assert_eq!((rounds(&x), x.cell.world().desks().get(desk()).unwrap().open()), (0, 0));
    assert_eq!(has(&x, AccountId::SECONDS_HOUSE), ["1500", "0"]);
    x.audit();
    x.check_fold();
}

#[test]
fn the_house_takes_no_more_of_a_side_than_its_cap_and_the_other_side_stays_open() {
    let mut x = started(DeskParams { minute_cap: Amount::whole(100), ..params() });
    opened(&enter(&mut x, ALICE, RISE, "120"));
    assert_eq!(refused(&enter(&mut x, BOB, RISE, "20")), Reject::SideFull);
    let now = x.cell.latest();
    let offer = x.cell.world().desks().get(desk()).and_then(|desk| desk.offer(now)).expect("listed");
    let DeskOffer { rise_open, fall_open, worst_loss, .. } = offer;
    assert_eq!((rise_open, fall_open, worst_loss.to_string()), (true, true, "90".into()));
    opened(&enter(&mut x, BOB, FALL, "50"));
    opened(&enter(&mut x, BOB, RISE, "50"));
    // What is settled frees its part.
    to(&mut x, ALICE, 59 * SECOND);
    tick(&mut x, "50001");
    x.advance(2 * SECOND);
    tick(&mut x, "50001");
    opened(&enter(&mut x, BOB, RISE, "130"));
    x.audit();
}

#[test]
fn a_void_frees_the_cap_and_is_no_loss_of_the_day() {
    let mut x = started(DeskParams { minute_cap: Amount::whole(90), day_cap: Amount::whole(50), ..params() });
    opened(&enter(&mut x, ALICE, RISE, "120"));
    x.advance(70 * SECOND);
    tick(&mut x, "60000");
    x.advance(SECOND);
    tick(&mut x, "60000");
    assert_eq!(settled(&x)[0].items[0].result, OptionResult::Void);
    opened(&enter(&mut x, ALICE, RISE, "120"));
    to(&mut x, ALICE, 59 * SECOND);
    tick(&mut x, "60001");
    x.advance(2 * SECOND);
    tick(&mut x, "60001");
    assert_eq!(refused(&enter(&mut x, ALICE, FALL, "10")), Reject::OptionClosed, "the house lost 90 today");
    x.advance(86_400 * SECOND);
    tick(&mut x, "60001");
    opened(&enter(&mut x, ALICE, FALL, "10"));
}

#[test]
fn an_option_is_refused_for_each_reason_with_its_own_word() {
    let mut x = started(params());
    let ask = |x: &mut Exchange, wanted: EnterOption| {
        x.send(None, Command::Account(ALICE, AccountCommand::Seconds(SecondsCommand::Enter(wanted))))
    };
    let other = EnterOption { desk: DeskId::of(MarketId(2), 1), ..wanted(RISE, "100") };
    assert_eq!(refused(&ask(&mut x, other)), Reject::UnknownDesk);
    let seen = EnterOption { version: Some(2), ..wanted(RISE, "100") };
    assert_eq!(refused(&ask(&mut x, seen)), Reject::StaleTerms);
    assert_eq!(refused(&enter(&mut x, ALICE, RISE, "9.99999999")), Reject::BelowMinAmount);
    assert_eq!(refused(&enter(&mut x, ALICE, RISE, "-10")), Reject::BelowMinAmount);
    assert_eq!(refused(&enter(&mut x, ALICE, RISE, "1000.00000001")), Reject::AboveMaxAmount);
    fund(&mut x, AccountId(100_009), "10.09999999");
    assert_eq!(refused(&enter(&mut x, AccountId(100_009), RISE, "10")), Reject::InsufficientBalance);
    x.advance(2 * SECOND - 10 * MS);
    opened(&enter(&mut x, ALICE, RISE, "10"));
    x.advance(20 * MS);
    assert_eq!(refused(&enter(&mut x, ALICE, RISE, "10")), Reject::PriceStale);
    tick(&mut x, "70000");
    assert_eq!(refused(&enter(&mut x, ALICE, RISE, "10")), Reject::PriceStale, "a jump waits");
    tick(&mut x, "70000");
    for _ in 1..5 {
        opened(&enter(&mut x, ALICE, RISE, "10"));
    }
    assert_eq!(refused(&enter(&mut x, ALICE, RISE, "10")), Reject::TooManyOptions);
    assert_eq!(refused(&set(&mut x, params())), Reject::AlreadyExists);
    assert_eq!(refused(&set(&mut x, DeskParams { version: 1, seconds: 10, ..params() })), Reject::BadParameters);
    assert_eq!(refused(&set(&mut x, DeskParams { version: 1, seconds: 30, ..params() })), Reject::BadParameters);
    assert!(matches!(set(&mut x, DeskParams { version: 1, open: false, ..params() }), Reply::Accepted(_)));
    assert_eq!(refused(&enter(&mut x, BOB, RISE, "10")), Reject::OptionClosed);
    assert_eq!(refused(&enter(&mut x, AccountId::SECONDS_HOUSE, RISE, "10")), Reject::NotAllowed);
}

#[test]
fn two_hundred_requests_at_once_open_five_options_and_one_key_opens_one() {
    let mut x = started(params());
    let tokens: Vec<u64> = (0..200).map(|_| x.submit(None, enter_command(ALICE, RISE, "10"))).collect();
    x.run();
    let answers: Vec<Reply> = tokens.into_iter().filter_map(|token| x.answer(token)).collect();
    let taken = answers.iter().filter(|a| matches!(a, Reply::Accepted(Accepted::Option(_)))).count();
    assert_eq!((taken, answers.len()), (5, 200));
    let key = Some(RequestKey { key: 77, body: 1 });
    let tokens: Vec<u64> = (0..200).map(|_| x.submit(key, enter_command(BOB, FALL, "10"))).collect();
    x.run();
    let first = opened(&x.answer(tokens[0]).expect("an answer"));
    let again = x.send(key, enter_command(BOB, FALL, "10"));
    assert!(matches!(again, Reply::Known(Accepted::Option(option)) if option == first), "{again:?}");
    assert_eq!(x.cell.world().accounts().get(BOB).unwrap().options().len(), 1);
    x.audit();
}

#[test]
fn after_a_restart_what_is_due_settles_by_the_ticks_that_were() {
    let mut x = started(params());
    opened(&enter(&mut x, ALICE, RISE, "100"));
    x.advance(SECOND);
    tick(&mut x, "50000");
    opened(&enter(&mut x, BOB, FALL, "50"));
    to(&mut x, ALICE, 59 * SECOND);
    tick(&mut x, "50001");
    let records = x.journal.records();
    // Once from the journal alone, once from a snapshot.
    let mut folded = World::<Plain>::default();
    records.iter().for_each(|(lsn, bytes)| drop(folded.fold(*lsn, bytes).expect("a record")));
    let (lsn, digest) = (folded.lsn(), folded.state_hash());
    let entries: Vec<_> = folded.save().collect();
    let loaded = World::<Plain>::load(entries.into_iter(), lsn, digest).expect("a snapshot");
    for world in [folded, loaded] {
        let mut again = x.resumed(world, &records);
        again.advance(3_600 * SECOND);
        again.run();
        let settled = settled(&again);
        let items: Vec<_> = settled.iter().flat_map(|f| &f.items).map(|i| (i.option.account, i.result)).collect();
        assert_eq!(items, [(ALICE, OptionResult::Win), (BOB, OptionResult::Loss)], "in due order");
        assert_eq!(rounds(&again), 0);
        again.audit();
        again.check_fold();
    }
}

#[test]
fn settling_waits_while_the_journal_has_little_room_and_nothing_is_lost() {
    let mut x = started(params());
    opened(&enter(&mut x, ALICE, RISE, "100"));
    to(&mut x, ALICE, 59 * SECOND);
    tick(&mut x, "50001");
    x.advance(2 * SECOND);
    tick(&mut x, "50001");
    assert_eq!(settled(&x).len(), 1);
    opened(&enter(&mut x, ALICE, RISE, "100"));
    to(&mut x, ALICE, 59 * SECOND);
    tick(&mut x, "50002");
    x.advance(2 * SECOND);
    let said = SourcePrice { source: 1, price: "50003".parse().unwrap() };
    x.submit(None, Command::Price(PriceId(1), PriceCommand::Push(said)));
    // The tick is taken, then the room is gone.
    x.cell.enqueue_due();
    *x.journal.capacity.borrow_mut() = Capacity::Low;
    x.run();
    assert_eq!(settled(&x).len(), 1);
    x.advance(30 * SECOND);
    *x.journal.capacity.borrow_mut() = Capacity::Plenty;
    x.run();
    assert_eq!(settled(&x).len(), 2);
    assert_eq!(has(&x, ALICE), ["10148", "0"]);
}

/// Two rounds, a second apart, of so many options each, both due.
fn two_due_rounds(options: usize) -> Exchange {
    let cap = Amount::whole(1_000_000);
    let mut x = started(DeskParams { most_open: 250, minute_cap: cap, day_cap: cap, ..params() });
    for _ in 0..2 {
        for _ in 0..options {
            opened(&enter(&mut x, ALICE, RISE, "10"));
        }
        x.advance(SECOND);
        tick(&mut x, "50000");
    }
    assert_eq!(rounds(&x), 2);
    x.advance(58 * SECOND);
    tick(&mut x, "50001");
    x.advance(4 * SECOND);
    let said = SourcePrice { source: 1, price: "50001".parse().unwrap() };
    x.submit(None, Command::Price(PriceId(1), PriceCommand::Push(said)));
    x.cell.turn(|_, _| {});
    assert_eq!(settled(&x).len(), 0, "the tick is taken");
    x
}

/// A turn with so many commands; the options that it settled, record by record.
fn settled_beside(x: &mut Exchange, commands: usize) -> Vec<OptionsSettled> {
    let before = settled(x).len();
    for _ in 0..commands {
        x.submit(None, Command::Account(BOB, AccountCommand::View));
    }
    x.cell.turn(|_, _| {});
    settled(x).split_off(before)
}

#[test]
fn a_turn_settles_few_options_beside_few_commands_and_many_beside_none() {
    let mut x = two_due_rounds(100);
    let sizes = |settled: Vec<OptionsSettled>| settled.iter().map(|f| f.items.len()).collect::<Vec<_>>();
    assert_eq!(sizes(settled_beside(&mut x, 1)), [FEW_ITEMS]);
    assert_eq!(sizes(settled_beside(&mut x, 10)), [FEW_ITEMS; 5], "one record for two commands");
    let all = sizes(settled_beside(&mut x, 0));
    assert_eq!(all, [MOST_ITEMS; 8], "beside none eight records, and large ones");
    let rest = sizes(settled_beside(&mut x, 0));
    assert_eq!(rest.iter().sum::<usize>(), 200 - 6 * FEW_ITEMS - 8 * MOST_ITEMS, "the rest");
    x.audit();
    x.check_fold();
}

#[test]
fn rounds_take_turns_beside_commands_that_never_end() {
    let mut x = two_due_rounds(10);
    let mut order = Vec::new();
    while rounds(&x) > 0 {
        let settled = settled_beside(&mut x, 1);
        assert!(!settled.is_empty(), "each turn settles something");
        order.extend(settled.iter().map(|f| f.round));
    }
    let turns = 2 * 10_usize.div_ceil(FEW_ITEMS);
    assert_eq!(order.len(), turns);
    assert!(order.windows(2).all(|two| two[0] != two[1]), "{order:?}");
    x.audit();
    x.check_fold();
}

#[test]
fn the_owner_is_told_of_each_option() {
    let mut x = started(params());
    x.watch(ALICE);
    let option = opened(&enter(&mut x, ALICE, RISE, "100"));
    to(&mut x, ALICE, 59 * SECOND);
    tick(&mut x, "50001");
    x.advance(2 * SECOND);
    tick(&mut x, "50001");
    let told: Vec<OptionChange> = x.events.iter().filter_map(|e| e.option.as_deref().copied()).collect();
    let [OptionChange::Opened(o), OptionChange::Settled(s)] = told[..] else { panic!("{told:?}") };
    assert_eq!((o.option, s.option, s.result, s.paid.to_string()), (option, o, OptionResult::Win, "175".into()));
}

#[test]
fn the_places_of_rounds_are_used_again_and_the_live_state_is_the_fold() {
    let mut x = started(DeskParams { most_open: 200, ..params() });
    let mut most = 0;
    for n in 0..3_000_u64 {
        x.advance(SECOND);
        tick(&mut x, if n % 3 == 0 { "50001" } else { "50000" });
        let side = if n % 2 == 0 { RISE } else { FALL };
        let who = if n % 5 < 3 { ALICE } else { BOB };
        enter(&mut x, who, side, "10");
        most = most.max(rounds(&x));
    }
    assert!((60..=63).contains(&most), "{most} rounds at once");
    x.audit();
    x.check_fold();
}
