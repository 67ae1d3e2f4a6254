//! Copy trading through the cell: copies, reasons, closes, shares, crashes between any two steps.

use crate::properties::Dice;
use crate::support::{Exchange, USDT};
use crate::tickets::{
    ALICE, BOB, C, at, audit, available, closed, fund, futures, index, open, refused, send, start_anew, tickets, wanted,
};
use xng_cell::auditor::Auditor;
use xng_core::account::facts::AccountStatus;
use xng_core::account::{AccountCommand, CopyCommand, OpenTicket, OwnFollow, Property, TicketCommand};
use xng_core::contract::facts::{ContractFact, MarginMode};
use xng_core::contract::leg::Direction;
use xng_core::contract::ticket_facts::CloseReason;
use xng_core::contract::tickets::{Stops, TicketId};
use xng_core::copy::facts::CopyFact;
use xng_core::copy::statistics::Statistics;
use xng_core::copy::trader::Trader;
use xng_core::copy::{FollowKind, FollowTerms, TraderTerms, next_monday};
use xng_core::entity::{Command, Reply};
use xng_core::ids::AccountId;
use xng_core::money::{Amount, Lots};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;

const TRADER: AccountId = BOB;
const CAROL: AccountId = AccountId(100_003);
const DAVE: AccountId = AccountId(100_004);
const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;
const TEN_PERCENT: TraderTerms = TraderTerms { asset: USDT, share_ppm: 100_000 };
pub(crate) const ONCE: FollowTerms = FollowTerms { kind: FollowKind::Multiple, number: 1_000 };

fn ask(x: &mut Exchange, who: AccountId, command: CopyCommand) -> Reply {
    x.send(None, Command::Account(who, AccountCommand::Copy(command)))
}

fn done(x: &mut Exchange, who: AccountId, command: CopyCommand) {
    let said = format!("{command:?}");
    match ask(x, who, command) {
        Reply::Accepted(_) => {}
        other => panic!("{said}: {other:?}"),
    }
}

fn not_done(x: &mut Exchange, who: AccountId, command: CopyCommand) -> Reject {
    match ask(x, who, command) {
        Reply::Rejected(reject) => reject,
        other => panic!("{other:?}"),
    }
}

fn follow(terms: FollowTerms) -> CopyCommand {
    CopyCommand::Follow { trader: TRADER, terms }
}

fn multiple(number: u32) -> FollowTerms {
    FollowTerms { kind: FollowKind::Multiple, number }
}

fn lots(number: u32) -> FollowTerms {
    FollowTerms { kind: FollowKind::Lots, number }
}

/// A trader at 50,000 with 100,000; Alice and Carol follow, with 10,000 each.
pub(crate) fn started() -> Exchange {
    let mut x = at("50000");
    [ALICE, CAROL].into_iter().for_each(|who| fund(&mut x, who, "10000"));
    done(&mut x, TRADER, CopyCommand::SetTrader(Some(TEN_PERCENT)));
    done(&mut x, ALICE, follow(multiple(1_500)));
    done(&mut x, CAROL, follow(lots(2)));
    x
}

fn long(lots: i64) -> OpenTicket {
    wanted(Direction::Long, lots, 100)
}

fn trader(x: &Exchange) -> &Trader {
    x.cell.world().traders().get(TRADER).expect("a trader")
}

fn own(x: &Exchange, who: AccountId) -> OwnFollow {
    let copying = x.cell.world().accounts().get(who).unwrap().copying().expect("it follows");
    *copying.follow(TRADER).expect("it followed")
}

fn facts(x: &Exchange) -> Vec<CopyFact> {
    let facts = x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).unwrap().fact);
    facts.filter_map(|fact| if let Fact::Copy(fact) = fact { Some(fact) } else { None }).collect()
}

fn skips(x: &Exchange) -> Vec<(AccountId, Reject)> {
    let skipped = |fact| if let CopyFact::CopySkipped(f) = fact { Some((f.account, f.reason)) } else { None };
    facts(x).into_iter().filter_map(skipped).collect()
}

fn shares(x: &Exchange) -> Vec<[String; 3]> {
    let shared = |fact| match fact {
        CopyFact::ProfitShared(f) => Some([f.share, f.released, f.results.mark].map(|a| a.to_string())),
        _ => None,
    };
    facts(x).into_iter().filter_map(shared).collect()
}

/// The auditor agrees, and nobody is left.
fn all_is_well(x: &Exchange) {
    audit(x);
    let mut auditor = Auditor::default();
    for (lsn, bytes) in x.journal.records() {
        auditor.read(lsn, &Record::decode(&bytes).unwrap()).unwrap();
    }
    auditor.nobody_is_left().unwrap();
    assert_eq!(trader(x).left(), 0);
}

/// All facts of copy trading; a copy is open at the end.
pub(crate) fn every_fact(x: &mut Exchange) {
    let (trader, alice) = (AccountId(100_011), AccountId(100_012));
    [trader, alice].into_iter().for_each(|who| fund(x, who, "10000"));
    let version = x.cell.world().contracts().get(C).unwrap().params().unwrap().version;
    let long = |lots| OpenTicket { version, ..long(lots) };
    index(x, "50000");
    done(x, trader, CopyCommand::SetTrader(Some(TEN_PERCENT)));
    // Who has no money gets no copy.
    for follower in [alice, AccountId(100_013)] {
        done(x, follower, CopyCommand::Follow { trader, terms: ONCE });
    }
    let first = open(x, trader, long(1));
    index(x, "50400");
    send(x, trader, TicketCommand::Close(first));
    open(x, trader, OpenTicket { lots: Lots(30_000), ..long(1) });
    let copied = open(x, trader, long(2));
    let copy = tickets(x, alice).last().expect("a copy").id();
    done(x, alice, CopyCommand::Detach(copy));
    x.cell.clock().0 = next_monday(x.cell.latest());
    x.run();
    index(x, "50400");
    open(x, trader, long(3));
    done(x, alice, CopyCommand::Unfollow { trader });
    done(x, alice, CopyCommand::Follow { trader, terms: lots(2) });
    send(x, trader, TicketCommand::Close(copied));
    done(x, trader, CopyCommand::SetTrader(None));
    done(x, trader, CopyCommand::SetTrader(Some(TEN_PERCENT)));
    done(x, alice, CopyCommand::Follow { trader, terms: ONCE });
    index(x, "50300");
    open(x, trader, long(1));
}

/// A command about copy trading by chance.
pub(crate) fn random(dice: &mut Dice, account: AccountId) -> Command {
    let trader = AccountId(100_001 + dice.below(4));
    let terms = dice.pick(&[ONCE, multiple(333), multiple(9_000), lots(1), lots(3)]);
    let command = match dice.below(8) {
        0 => CopyCommand::SetTrader(Some(TEN_PERCENT)),
        1 if dice.below(4) == 0 => CopyCommand::SetTrader(None),
        2 => CopyCommand::Unfollow { trader },
        3 => CopyCommand::Detach(TicketId::of(account, 1 + dice.below(20) as u32)),
        _ => CopyCommand::Follow { trader, terms },
    };
    Command::Account(account, AccountCommand::Copy(command))
}

#[test]
fn a_copy_has_the_traders_price_and_its_own_lots() {
    let mut x = started();
    let source = open(&mut x, TRADER, long(3));
    let theirs = tickets(&x, TRADER)[0];
    for (who, hundredths) in [(ALICE, 450), (CAROL, 200)] {
        let copy = tickets(&x, who)[0].terms;
        assert_eq!((copy.price, copy.lots, copy.multiple), (theirs.terms.price, Lots(hundredths), 100));
        assert_eq!((copy.mode, copy.stops), (MarginMode::Isolated, Stops::default()));
        let link = x.cell.world().accounts().get(who).unwrap().copying().unwrap().link(copy.ticket).unwrap();
        assert_eq!((link.trader, link.source, link.follow), (TRADER, source, own(&x, who).follow));
    }
    assert_eq!(trader(&x).statistics().copies, 2);
    all_is_well(&x);
}

#[test]
fn copies_close_when_the_trader_closes_and_their_owners_cannot() {
    let mut x = started();
    let source = open(&mut x, TRADER, long(1));
    let copy = tickets(&x, CAROL)[0].id();
    assert_eq!(refused(&mut x, CAROL, TicketCommand::Close(copy)), Reject::CopiedTicket);
    let all = TicketCommand::CloseAll { contract: None, direction: None };
    assert_eq!(refused(&mut x, CAROL, all), Reject::UnknownTicket);
    index(&mut x, "50500");
    send(&mut x, TRADER, TicketCommand::Close(source));
    assert!(tickets(&x, CAROL).is_empty() && tickets(&x, ALICE).is_empty());
    let reasons: Vec<_> = closed(&x).iter().map(|(who, c)| (*who, c.reason, c.index.to_string())).collect();
    let at = || "50500".to_string();
    assert_eq!(
        reasons,
        [(TRADER, CloseReason::User, at()), (ALICE, CloseReason::Copy, at()), (CAROL, CloseReason::Copy, at())]
    );
    // Carol's two lots: 9.8 gained, 0.50010 paid for opening; a tenth of the rest is withheld.
    assert_eq!((own(&x, CAROL).results.sum.to_string(), futures(&x, CAROL).1), ("9.2999".into(), "0.92999".into()));
    assert_eq!(available(&x, CAROL), "10008.36991");
    all_is_well(&x);
}

#[test]
fn copies_follow_stops_and_liquidations_of_the_trader_too() {
    let mut x = started();
    let stops = Stops { take_profit: Some("50100".parse().unwrap()), stop_loss: None };
    open(&mut x, TRADER, OpenTicket { stops, ..long(1) });
    index(&mut x, "50150");
    assert!(tickets(&x, CAROL).is_empty());
    open(&mut x, TRADER, long(1));
    // Carol's copy has the same margin a lot, so it is liquidated at the same index, by its own alarm or by the trader's.
    index(&mut x, "49900");
    assert!(tickets(&x, TRADER).is_empty() && tickets(&x, CAROL).is_empty() && tickets(&x, ALICE).is_empty());
    all_is_well(&x);
}

#[test]
fn a_limit_ticket_is_copied_when_it_is_opened() {
    let mut x = started();
    open(&mut x, TRADER, OpenTicket { target: Some("49950".parse().unwrap()), ..long(2) });
    assert!(tickets(&x, CAROL).is_empty(), "it waits");
    index(&mut x, "49940");
    let copy = tickets(&x, ALICE)[0].terms;
    // The trader's is opened at its target, the copy at the index.
    assert_eq!((copy.price.to_string(), copy.lots), ("49949.99".into(), Lots(300)));
    all_is_well(&x);
}

#[test]
fn a_copy_that_cannot_be_is_skipped_once_and_others_go_on() {
    let mut x = started();
    fund(&mut x, ALICE, "-10099");
    open(&mut x, TRADER, long(10));
    assert_eq!(skips(&x), [(ALICE, Reject::InsufficientBalance)]);
    assert_eq!((tickets(&x, ALICE).len(), tickets(&x, CAROL).len()), (0, 1));
    fund(&mut x, ALICE, "10000");
    x.run();
    assert!(tickets(&x, ALICE).is_empty(), "it is not tried again");
    x.ok(Command::Account(CAROL, AccountCommand::Set(Property::Status(AccountStatus::Locked))));
    open(&mut x, TRADER, long(1));
    assert_eq!(skips(&x)[1..], [(CAROL, Reject::AccountLocked)]);
    assert_eq!(trader(&x).statistics().skips, 2);
    all_is_well(&x);
}

#[test]
fn an_old_ticket_is_not_copied_and_an_edit_counts_for_later_ones() {
    let mut x = started();
    open(&mut x, TRADER, long(1));
    fund(&mut x, DAVE, "10000");
    done(&mut x, DAVE, follow(ONCE));
    assert!(tickets(&x, DAVE).is_empty(), "it was opened before");
    let number = own(&x, CAROL).follow;
    done(&mut x, CAROL, follow(lots(5)));
    assert_eq!((own(&x, CAROL).follow, tickets(&x, CAROL)[0].terms.lots), (number, Lots(200)));
    open(&mut x, TRADER, long(1));
    assert_eq!((tickets(&x, CAROL)[1].terms.lots, tickets(&x, DAVE)[0].terms.lots), (Lots(500), Lots(100)));
    done(&mut x, CAROL, CopyCommand::Unfollow { trader: TRADER });
    open(&mut x, TRADER, long(1));
    assert_eq!((tickets(&x, CAROL).len(), tickets(&x, DAVE).len()), (2, 2));
    send(&mut x, TRADER, TicketCommand::CloseAll { contract: None, direction: None });
    assert!(tickets(&x, CAROL).is_empty(), "what is linked is closed, who follows or not");
    all_is_well(&x);
}

#[test]
fn who_may_follow_whom() {
    let mut x = started();
    let to = |trader| CopyCommand::Follow { trader, terms: ONCE };
    assert_eq!(not_done(&mut x, TRADER, to(TRADER)), Reject::TraderFollows);
    assert_eq!(not_done(&mut x, CAROL, to(ALICE)), Reject::NotTrader);
    assert_eq!(not_done(&mut x, DAVE, follow(lots(6))), Reject::BadParameters);
    assert_eq!(not_done(&mut x, ALICE, CopyCommand::SetTrader(Some(TEN_PERCENT))), Reject::TraderFollows);
    let more = [AccountId(100_021), AccountId(100_022)];
    more.into_iter().for_each(|who| done(&mut x, who, CopyCommand::SetTrader(Some(TEN_PERCENT))));
    assert_eq!(not_done(&mut x, more[0], follow(ONCE)), Reject::TraderFollows);
    done(&mut x, CAROL, to(more[0]));
    assert_eq!(not_done(&mut x, CAROL, to(more[1])), Reject::TooManyFollows);
    done(&mut x, CAROL, follow(lots(3)));
    assert_eq!(not_done(&mut x, DAVE, CopyCommand::Unfollow { trader: TRADER }), Reject::NotFollowing);
    // Two questions at once: the place is taken while the first is being decided.
    let tokens: Vec<u64> = [TRADER, more[0], more[1]]
        .map(|trader| x.submit(None, Command::Account(DAVE, AccountCommand::Copy(to(trader)))))
        .into();
    x.run();
    let rejected = |x: &mut Exchange, token| matches!(x.answer(token), Some(Reply::Rejected(Reject::TooManyFollows)));
    assert_eq!(tokens.into_iter().filter(|token| rejected(&mut x, *token)).count(), 1);
    all_is_well(&x);
}

#[test]
fn a_copy_becomes_an_own_ticket_and_the_trader_has_no_part_in_it() {
    let mut x = started();
    let source = open(&mut x, TRADER, long(1));
    let copy = tickets(&x, CAROL)[0].id();
    done(&mut x, CAROL, CopyCommand::Detach(copy));
    assert_eq!(not_done(&mut x, CAROL, CopyCommand::Detach(copy)), Reject::UnknownTicket);
    index(&mut x, "50500");
    send(&mut x, TRADER, TicketCommand::Close(source));
    assert_eq!((tickets(&x, CAROL).len(), tickets(&x, ALICE).len()), (1, 0));
    send(&mut x, CAROL, TicketCommand::Close(copy));
    assert_eq!((futures(&x, CAROL).1, own(&x, CAROL).results.sum), ("0".into(), Amount::ZERO));
    all_is_well(&x);
}

#[test]
fn shares_are_settled_on_mondays_with_who_has_no_copy_open() {
    let mut x = started();
    let first = open(&mut x, TRADER, long(1));
    index(&mut x, "50500");
    send(&mut x, TRADER, TicketCommand::Close(first));
    let stays = open(&mut x, TRADER, long(1));
    let copy = tickets(&x, CAROL)[0].id();
    done(&mut x, CAROL, CopyCommand::Detach(copy));
    // Carol has no copy open any more: settled at once.
    assert_eq!(shares(&x), [["0.92999", "0", "9.2999"].map(String::from)]);
    let (monday, before) = (next_monday(x.cell.latest()), futures(&x, TRADER));
    x.cell.clock().0 = monday;
    x.run();
    assert_eq!(shares(&x).len(), 1, "Alice has a copy open");
    // Nights that passed are charged; the share is of results alone.
    index(&mut x, "50500");
    send(&mut x, TRADER, TicketCommand::Close(stays));
    assert_eq!(futures(&x, TRADER).1, "0");
    assert_ne!(futures(&x, TRADER), before);
    x.cell.clock().0 = monday + 7 * DAY;
    x.run();
    assert_eq!(shares(&x).len(), 2);
    let results = own(&x, ALICE).results;
    assert_eq!((results.withheld, results.mark), (Amount::ZERO, results.sum));
    assert_eq!(futures(&x, ALICE).1, "0");
    all_is_well(&x);
}

#[test]
fn who_stops_to_follow_is_settled_when_the_last_copy_is_closed() {
    let mut x = started();
    let source = open(&mut x, TRADER, long(1));
    done(&mut x, CAROL, CopyCommand::Unfollow { trader: TRADER });
    assert!(shares(&x).is_empty());
    index(&mut x, "50500");
    send(&mut x, TRADER, TicketCommand::Close(source));
    assert_eq!(shares(&x), [["0.92999", "0", "9.2999"].map(String::from)]);
    all_is_well(&x);
}

#[test]
fn when_the_trader_is_none_any_more_copies_become_own_tickets() {
    let mut x = started();
    let source = open(&mut x, TRADER, long(1));
    done(&mut x, CAROL, CopyCommand::Unfollow { trader: TRADER });
    done(&mut x, TRADER, CopyCommand::SetTrader(None));
    assert!(!own(&x, ALICE).is_active());
    index(&mut x, "50500");
    send(&mut x, TRADER, TicketCommand::Close(source));
    for who in [ALICE, CAROL] {
        let ticket = tickets(&x, who)[0].id();
        send(&mut x, who, TicketCommand::Close(ticket));
        assert_eq!(futures(&x, who).1, "0");
    }
    assert_eq!(not_done(&mut x, ALICE, follow(ONCE)), Reject::NotTrader);
    done(&mut x, TRADER, CopyCommand::SetTrader(Some(TEN_PERCENT)));
    done(&mut x, ALICE, follow(ONCE));
    let other = TraderTerms { asset: crate::support::BTC, ..TEN_PERCENT };
    done(&mut x, TRADER, CopyCommand::SetTrader(None));
    assert_eq!(not_done(&mut x, TRADER, CopyCommand::SetTrader(Some(other))), Reject::BadParameters);
    all_is_well(&x);
}

#[test]
fn statistics_are_what_closed_tickets_brought() {
    let mut x = started();
    let run = |x: &mut Exchange, direction, to: &str| {
        index(x, "50000");
        let ticket = open(x, TRADER, wanted(direction, 10, 100));
        index(x, to);
        send(x, TRADER, TicketCommand::Close(ticket));
    };
    run(&mut x, Direction::Long, "50500");
    run(&mut x, Direction::Long, "49900");
    run(&mut x, Direction::Short, "49500");
    let view = trader(&x).view();
    let Statistics { closed, won, long, short, profit, drawdown, worst_day, .. } = view.statistics;
    assert_eq!((closed, won, long, short), (3, 2, 2, 1));
    // 49 - 11 + 49, less three fees; the day as a whole is not below zero.
    let shown = [profit, drawdown, worst_day].map(|a| a.to_string());
    assert_eq!(shown, ["79.4995", "13.5005", "0"]);
    assert_eq!((view.followers, view.open_tickets, view.terms), (2, 0, Some(TEN_PERCENT)));
}

#[test]
fn between_any_two_records_a_start_anew_makes_each_copy_once() {
    let mut x = started();
    [DAVE, AccountId(100_005)].into_iter().for_each(|who| {
        fund(&mut x, who, "10000");
        done(&mut x, who, follow(ONCE));
    });
    fund(&mut x, DAVE, "-9999");
    let before = x.journal.records().len();
    let source = open(&mut x, TRADER, long(2));
    index(&mut x, "50100");
    send(&mut x, TRADER, TicketCommand::Close(source));
    let records = x.journal.records();
    let last = |records: &[(xng_core::journal::Lsn, Vec<u8>)]| {
        let kinds = records.iter().filter_map(|(_, bytes)| match Record::decode(bytes).unwrap().fact {
            Fact::Contract(ContractFact::TicketOpened(f)) => f.copy.map(|link| (f.account, link.source)),
            Fact::Copy(CopyFact::CopySkipped(f)) => Some((f.account, f.source)),
            _ => None,
        });
        let mut kinds: Vec<_> = kinds.collect();
        kinds.sort_unstable();
        kinds
    };
    assert_eq!(last(&records).len(), 4);
    for cut in before..records.len() {
        let mut world = xng_cell::World::<xng_cell::Plain>::default();
        for (lsn, bytes) in &records[..=cut] {
            world.fold(*lsn, bytes).unwrap();
        }
        let mut again = x.resumed(world, &records[..=cut]);
        again.cell.catch_up();
        again.run();
        // Prices come a moment later.
        for _ in 0..5 {
            index(&mut again, "50100");
            again.advance(1_000_000_000);
            again.run();
        }
        let served = last(&again.journal.records());
        // The trader's ticket is in the records, so each follower was served, once.
        let opened = records[..=cut].iter().any(|(_, bytes)| {
            matches!(Record::decode(bytes).unwrap().fact, Fact::Contract(ContractFact::TicketOpened(f)) if f.leads)
        });
        assert_eq!(served.len(), if opened { 4 } else { 0 }, "after {cut} records");
        all_is_well(&again);
    }
    assert_eq!(start_anew(&x).state_hash(), x.cell.state_hash());
}

#[test]
fn a_copy_whose_question_was_on_its_way_when_the_ticket_was_closed_is_closed_next() {
    let mut x = started();
    let source = TicketId::of(TRADER, 1);
    let command = |command| Command::Account(TRADER, AccountCommand::Tickets(command));
    // In one turn: the trader's timer asks, the ticket is closed, the answer comes.
    x.submit(None, command(TicketCommand::Open(long(1))));
    x.cell.turn(|_, _| {});
    x.submit(None, command(TicketCommand::Close(source)));
    x.run();
    assert!(tickets(&x, ALICE).is_empty() && tickets(&x, CAROL).is_empty() && tickets(&x, TRADER).is_empty());
    assert_eq!(trader(&x).open_copies(), 0);
    all_is_well(&x);
}

#[test]
fn a_copy_waits_for_a_price_that_may_be_relied_on_while_it_is_young() {
    let late = |by: u64| {
        let mut x = started();
        x.submit(None, Command::Account(TRADER, AccountCommand::Tickets(TicketCommand::Open(long(1)))));
        x.cell.turn(|_, _| {});
        // Before the first question is decided.
        x.advance(by * 1_000_000_000);
        x.run();
        x
    };
    let mut x = late(6);
    assert!(tickets(&x, ALICE).is_empty() && skips(&x).is_empty());
    index(&mut x, "50000");
    for _ in 0..3 {
        x.advance(1_000_000_000);
        x.run();
    }
    assert_eq!([ALICE, CAROL].map(|who| tickets(&x, who).len()), [1, 1]);
    assert!(skips(&x).is_empty());
    all_is_well(&x);
    let x = late(11);
    assert_eq!(skips(&x), [(ALICE, Reject::PriceStale), (CAROL, Reject::PriceStale)]);
    all_is_well(&x);
}

#[test]
fn a_copy_is_opened_at_the_index_of_its_moment() {
    let mut x = started();
    x.submit(None, Command::Account(TRADER, AccountCommand::Tickets(TicketCommand::Open(long(1)))));
    x.cell.turn(|_, _| {});
    let said = xng_core::price::SourcePrice { source: 1, price: "50100".parse().unwrap() };
    // Before the first question is decided.
    x.submit(None, Command::Price(xng_core::ids::PriceId(1), xng_core::price::PriceCommand::Push(said)));
    x.run();
    let prices = [TRADER, ALICE, CAROL].map(|who| tickets(&x, who)[0].terms.price.to_string());
    assert_eq!(prices[0], "50010");
    assert_eq!(prices[2], "50110.02", "{prices:?}");
    all_is_well(&x);
}

#[test]
fn a_copy_whose_question_was_on_its_way_when_the_trader_was_ended_is_an_own_ticket() {
    let mut x = started();
    x.submit(None, Command::Account(TRADER, AccountCommand::Tickets(TicketCommand::Open(long(1)))));
    x.cell.turn(|_, _| {});
    x.submit(None, Command::Account(TRADER, AccountCommand::Copy(CopyCommand::SetTrader(None))));
    x.run();
    assert_eq!((tickets(&x, ALICE).len(), tickets(&x, TRADER).len()), (1, 1));
    let own = tickets(&x, ALICE)[0].id();
    send(&mut x, ALICE, TicketCommand::Close(own));
    assert!(tickets(&x, ALICE).is_empty() && trader(&x).open_copies() == 0);
    all_is_well(&x);
}

#[test]
fn a_turn_closes_few_copies_and_fewer_when_orders_wait() {
    let mut x = at("50000");
    done(&mut x, TRADER, CopyCommand::SetTrader(Some(TEN_PERCENT)));
    let followers: Vec<AccountId> = (0..100).map(|n| AccountId(200_001 + n)).collect();
    for who in &followers {
        fund(&mut x, *who, "10000");
        done(&mut x, *who, follow(ONCE));
    }
    let source = open(&mut x, TRADER, long(1));
    let open = |x: &Exchange| followers.iter().filter(|who| !tickets(x, **who).is_empty()).count();
    assert_eq!(open(&x), 100);
    x.submit(None, Command::Account(TRADER, AccountCommand::Tickets(TicketCommand::Close(source))));
    let mut closed_beside = |commands: usize| {
        let before = open(&x);
        for _ in 0..commands {
            x.submit(None, Command::Account(ALICE, AccountCommand::View));
        }
        x.cell.turn(|_, _| {});
        before - open(&x)
    };
    assert_eq!(closed_beside(0), 0, "the trader closes its own");
    let turns = [1, 10, 0, 1].map(&mut closed_beside);
    assert_eq!(turns, [1, 5, 8, 1], "one for two commands that wait, or 8");
    while open(&x) > 0 {
        x.cell.turn(|_, _| {});
    }
    all_is_well(&x);
}
