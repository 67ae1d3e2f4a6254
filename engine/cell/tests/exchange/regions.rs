//! What countries are not offered: who rules so, and what an account may still do there.

use crate::copying;
use crate::legs;
use crate::legs_conditional::waits;
use crate::seconds::{RISE, enter_command};
use crate::stocks::facts;
use crate::support::{BTC, Exchange, USDT, btc_usdt};
use crate::tickets::{audit, btc_contract, list, open, start_anew, wanted};
use xng_cell::{Envelope, Ingress};
use xng_core::account::{
    AccountCommand, Conversion, ConvertCommand, LegCommand, OpenTicket, OrderName, SpotCommand, TicketCommand, Tier,
};
use xng_core::contract::book::facts::BookFact;
use xng_core::contract::book::order::NewBookOrder;
use xng_core::contract::book::waiting::WorkingPrice;
use xng_core::contract::leg::Direction;
use xng_core::copy::facts::CopyFact;
use xng_core::entity::{Command, Reply};
use xng_core::ids::{AccountId, MarketId, Wallet};
use xng_core::market::{Side, Stp, Tif};
use xng_core::money::Amount;
use xng_core::record::{Cause, Fact, Origin};
use xng_core::region::{Country, Product, Products};
use xng_core::registry::{RegistryCommand, RegistryFact};
use xng_core::reject::Reject;
use xng_core::spot::{Leg, NewOrder, OrderGroup, TriggerKind};

const ALICE: AccountId = AccountId(100_001);
const BOB: AccountId = AccountId(100_002);
const M: MarketId = MarketId(1);
const STAFF: Origin = Origin::Staff { maker: 1, checker: 2, case: 7 };

pub(crate) fn country(letters: &str) -> Country {
    Country::parse(letters).expect("two letters")
}

fn some(products: &[Product]) -> Products {
    products.iter().copied().collect()
}

fn bar(country: Country, products: &[Product]) -> RegistryCommand {
    RegistryCommand::Bar(country, some(products))
}

/// What is refused of a rule.
fn rule(x: &mut Exchange, origin: Origin, command: RegistryCommand) -> Result<(), Reject> {
    let token = x.submit_as(origin, None, Command::Registry((), command));
    x.run();
    match x.answer(token).expect("an answer") {
        Reply::Accepted(_) => Ok(()),
        Reply::Rejected(reject) => Err(reject),
        other => panic!("{other:?}"),
    }
}

/// One person bars products.
pub(crate) fn bars(x: &mut Exchange, country: Country, products: &[Product]) {
    assert_eq!(rule(x, Origin::Admin, bar(country, products)), Ok(()));
}

/// Somebody lives in a country from now on.
pub(crate) fn lives_in(x: &mut Exchange, account: AccountId, tier: Tier, country: Option<Country>) -> Reply {
    let command = AccountCommand::SetTier { tier, case: 7, by: vec!["ann".into()], country };
    x.send(None, Command::Account(account, command))
}

fn refused(x: &mut Exchange, who: AccountId, command: AccountCommand) -> Option<Reject> {
    match x.send(None, Command::Account(who, command)) {
        Reply::Rejected(reject) => Some(reject),
        _ => None,
    }
}

fn order(x: &Exchange, side: Side) -> NewOrder {
    let ticks = if side == Side::Buy { 4_900_000 } else { 5_100_000 };
    x.limit(M, side, ticks, 100, Tif::Gtc, Stp::ExpireTaker)
}

/// All facts of countries, for the golden journals.
pub(crate) fn every_fact(x: &mut Exchange) {
    for products in [&[Product::Options, Product::Spot][..], &[Product::Copying]] {
        bars(x, country("AA"), products);
    }
    let lives = lives_in(x, AccountId(100_041), Tier::Basic, Some(country("AA")));
    assert!(matches!(lives, Reply::Accepted(_)), "{lives:?}");
}

#[test]
fn one_person_bars_and_two_allow() {
    let mut x = Exchange::new(&[btc_usdt()]);
    let (here, all) = (country("AA"), some(Product::ALL));
    assert_eq!(rule(&mut x, Origin::Admin, bar(here, &[Product::Options, Product::Spot])), Ok(()));
    assert_eq!(rule(&mut x, Origin::Admin, bar(here, &[Product::Spot])), Err(Reject::AlreadyExists));
    assert_eq!(rule(&mut x, STAFF, bar(here, &[Product::Stocks])), Err(Reject::NotAllowed), "one person bars");
    let one = Origin::Staff { maker: 1, checker: 1, case: 7 };
    for origin in [Origin::Admin, Origin::System, Origin::House, Origin::User, Origin::Api, one] {
        let command = RegistryCommand::Allow(here, all);
        assert_eq!(rule(&mut x, origin, command), Err(Reject::NotTwoPeople), "{origin}");
    }
    assert_eq!(rule(&mut x, STAFF, RegistryCommand::Allow(here, some(&[Product::Spot, Product::Stocks]))), Ok(()));
    assert_eq!(rule(&mut x, STAFF, RegistryCommand::Allow(here, some(&[Product::Spot]))), Err(Reject::AlreadyExists));
    assert_eq!(rule(&mut x, Origin::Admin, bar(Country::UNKNOWN, &[Product::Copying])), Ok(()));
    let ruled = |fact: &Fact| match fact {
        Fact::Registry(RegistryFact::RegionRuled(f)) => Some((f.country, f.barred)),
        _ => None,
    };
    let ruled: Vec<(Country, Products)> = facts(&x).iter().filter_map(ruled).collect();
    let options = some(&[Product::Options]);
    let wanted = [
        (here, some(&[Product::Spot, Product::Options])),
        (here, options),
        (Country::UNKNOWN, some(&[Product::Copying])),
    ];
    assert_eq!(ruled, wanted);
    audit(&x);
    x.check_fold();
}

#[test]
fn what_is_barred_is_not_opened_and_all_else_goes_on() {
    let mut x = legs::exchange(false);
    let (ours, others) = (country("AA"), country("BB"));
    for who in [ALICE, BOB] {
        x.fund(who, USDT, Amount::whole(100_000));
        x.fund(who, BTC, Amount::whole(10));
    }
    assert!(matches!(lives_in(&mut x, ALICE, Tier::Basic, Some(ours)), Reply::Accepted(_)));
    assert!(matches!(lives_in(&mut x, BOB, Tier::Basic, Some(others)), Reply::Accepted(_)));
    let bought = order(&x, Side::Buy);
    let resting = AccountCommand::Spot(SpotCommand::Place(bought));
    assert_eq!(refused(&mut x, ALICE, resting), None);
    let rests = x.cell.world().accounts().get(ALICE).unwrap().open_orders().next().unwrap().order;
    let ticket = open(&mut x, ALICE, wanted(Direction::Long, 1, 100));
    legs::place(&mut x, BOB, legs::limit(Side::Sell, 50_000, 2));
    legs::place(&mut x, ALICE, legs::limit(Side::Buy, 50_000, 2));
    bars(&mut x, ours, Product::ALL);

    let opening = |x: &Exchange| {
        [
            AccountCommand::Spot(SpotCommand::Place(order(x, Side::Buy))),
            AccountCommand::Spot(SpotCommand::PlaceGroup(Box::new(
                x.group(&[Leg { order: order(x, Side::Buy), trigger: None }]),
            ))),
            AccountCommand::Tickets(TicketCommand::Open(wanted(Direction::Short, 1, 100))),
            AccountCommand::Legs(LegCommand::Place(legs::limit(Side::Sell, 50_100, 3))),
            AccountCommand::Legs(LegCommand::Place(legs::limit(Side::Buy, 49_900, 1))),
            AccountCommand::Convert(ConvertCommand::Quote { from: BTC, to: USDT }),
            AccountCommand::Convert(ConvertCommand::Convert(Conversion {
                from: BTC,
                to: USDT,
                amount: Amount::whole(1),
                quote: None,
            })),
            AccountCommand::Convert(ConvertCommand::Dust { assets: vec![BTC], version: None }),
            AccountCommand::Copy(xng_core::account::CopyCommand::Follow { trader: BOB, terms: copying::ONCE }),
        ]
    };
    for command in opening(&x) {
        let said = format!("{command:?}");
        assert_eq!(refused(&mut x, ALICE, command), Some(Reject::NotInRegion), "{said}");
    }
    assert!(matches!(x.send(None, enter_command(ALICE, RISE, "10")), Reply::Rejected(Reject::NotInRegion)));
    for command in opening(&x) {
        assert_ne!(refused(&mut x, BOB, command), Some(Reject::NotInRegion), "elsewhere it is offered");
    }

    let reduces = NewBookOrder { reduce_only: true, ..legs::limit(Side::Sell, 50_100, 1) };
    // Alice has two: who sells one closes, also without saying so.
    let closes = legs::limit(Side::Sell, 50_200, 1);
    let (asset, amount) = (USDT, Amount::whole(1));
    for command in [
        AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(rests))),
        AccountCommand::Spot(SpotCommand::Place(order(&x, Side::Sell))),
        AccountCommand::Legs(LegCommand::Place(reduces)),
        AccountCommand::Legs(LegCommand::Place(closes)),
        AccountCommand::Tickets(TicketCommand::Close(ticket)),
        AccountCommand::Transfer { asset, from: Wallet::Spot, to: Wallet::Funding, amount },
    ] {
        let said = format!("{command:?}");
        assert_eq!(refused(&mut x, ALICE, command), None, "{said}");
    }

    // Who comes from a barred country somewhere else opens again.
    let again = AccountCommand::Spot(SpotCommand::Place(order(&x, Side::Buy)));
    assert!(matches!(lives_in(&mut x, ALICE, Tier::Basic, Some(ours)), Reply::Rejected(Reject::AlreadyExists)));
    assert!(matches!(lives_in(&mut x, ALICE, Tier::Basic, Some(others)), Reply::Accepted(_)));
    assert_eq!(refused(&mut x, ALICE, again.clone()), None);
    // A higher tier does not move anybody.
    assert!(matches!(lives_in(&mut x, BOB, Tier::Advanced, None), Reply::Accepted(_)));
    assert_eq!(x.cell.world().accounts().get(BOB).unwrap().country(), others);
    audit(&x);
    x.check_fold();
}

#[test]
fn a_rule_holds_after_a_start_and_for_those_of_whom_nothing_is_known() {
    let mut x = Exchange::new(&[btc_usdt()]);
    list(&mut x, btc_contract());
    x.make_house();
    for who in [ALICE, AccountId::HOUSE] {
        x.fund(who, USDT, Amount::whole(100_000));
    }
    bars(&mut x, Country::UNKNOWN, &[Product::Spot]);
    let buys = AccountCommand::Spot(SpotCommand::Place(order(&x, Side::Buy)));
    assert_eq!(refused(&mut x, ALICE, buys.clone()), Some(Reject::NotInRegion));
    // The house lives nowhere, and quotes on.
    let (side, ticks, lots) = (Side::Buy, xng_core::money::Ticks(4_900_000), xng_core::money::Lots(5));
    let levels = vec![xng_core::spot::QuoteLevel { side, ticks, lots }];
    let hold = [(BTC, Amount::ZERO), (USDT, Amount::whole(10_000))];
    let quote = SpotCommand::Quote { market: M, levels, hold, version: 0 };
    assert_eq!(refused(&mut x, AccountId::HOUSE, AccountCommand::Spot(quote)), None);

    let mut next = start_anew(&x);
    let command = Command::Account(ALICE, buys);
    let before = x.journal.records().len();
    next.admit(Ingress::Command(Envelope { ticket: None, origin: Origin::User, cause: Cause::Request, command }));
    while next.turn(|_, _| {}) {}
    assert_eq!(x.journal.records().len(), before, "nothing was placed");
    assert_eq!(next.world().registry().get(()).unwrap().barred()[&Country::UNKNOWN], some(&[Product::Spot]));
    audit(&x);
}

#[test]
fn a_trader_is_not_copied_where_that_is_barred() {
    for product in [Product::Copying, Product::Contracts] {
        let mut x = copying::started();
        assert!(matches!(lives_in(&mut x, ALICE, Tier::Basic, Some(country("AA"))), Reply::Accepted(_)));
        let copied = open(&mut x, BOB, wanted(Direction::Long, 1, 100));
        bars(&mut x, country("AA"), &[product]);
        open(&mut x, BOB, wanted(Direction::Long, 2, 100));
        let skipped = |fact: &Fact| match fact {
            Fact::Copy(CopyFact::CopySkipped(f)) => Some((f.account, f.reason)),
            _ => None,
        };
        let skipped: Vec<(AccountId, Reject)> = facts(&x).iter().filter_map(skipped).collect();
        assert_eq!(skipped, [(ALICE, Reject::NotInRegion)], "{product:?}");
        // What was copied before is closed with its source.
        assert_eq!(crate::tickets::tickets(&x, ALICE).len(), 1);
        assert_eq!(refused(&mut x, BOB, AccountCommand::Tickets(TicketCommand::Close(copied))), None);
        assert_eq!(crate::tickets::tickets(&x, ALICE).len(), 0);
        audit(&x);
    }
}

#[test]
fn what_waits_for_a_price_opens_nothing_when_it_comes() {
    let mut x = legs::exchange(false);
    assert!(matches!(lives_in(&mut x, ALICE, Tier::Basic, Some(country("AA"))), Reply::Accepted(_)));
    let target = Some("49000".parse().unwrap());
    open(&mut x, ALICE, OpenTicket { target, ..wanted(Direction::Long, 1, 100) });
    let opens = legs::limit(Side::Sell, 48_900, 1);
    crate::legs_conditional::wait(&mut x, ALICE, waits(opens, WorkingPrice::Mark, TriggerKind::StopLoss, 49_000));
    bars(&mut x, country("AA"), &[Product::Contracts]);
    legs::index(&mut x, "49000");
    x.run();
    let account = x.cell.world().accounts().get(ALICE).unwrap();
    assert!(account.tickets().is_empty() && account.legs().is_empty() && account.conditionals().is_empty());
    assert_eq!(account.locks(), [], "nothing is left locked");
    let why = |fact: &Fact| match fact {
        Fact::Book(BookFact::ConditionalsChanged(f)) => f.refused,
        _ => None,
    };
    assert_eq!(facts(&x).iter().filter_map(why).collect::<Vec<Reject>>(), [Reject::NotInRegion]);
    audit(&x);
}

#[test]
fn an_order_that_would_buy_later_does_not() {
    let mut x = Exchange::new(&[btc_usdt()]);
    x.fund(ALICE, BTC, Amount::whole(1));
    x.fund(BOB, USDT, Amount::whole(100_000));
    assert!(matches!(lives_in(&mut x, ALICE, Tier::Basic, Some(country("AA"))), Reply::Accepted(_)));
    let leg = |side, ticks| Leg { order: x.limit(M, side, ticks, 100, Tif::Gtc, Stp::ExpireTaker), trigger: None };
    let (first, then) = (leg(Side::Sell, 5_000_000), leg(Side::Buy, 4_900_000));
    let group = OrderGroup { pending: vec![then], ..x.group(&[first]) };
    assert!(matches!(x.place_group(ALICE, group), Reply::Accepted(_)));
    bars(&mut x, country("AA"), &[Product::Spot]);
    let meets = x.limit(M, Side::Buy, 5_000_000, 100, Tif::Gtc, Stp::ExpireTaker);
    x.place(BOB, meets);
    x.advance(5_000_000_000);
    x.run();
    assert_eq!(x.cell.world().accounts().get(ALICE).unwrap().open_orders().count(), 0);
    assert_eq!(x.free(ALICE, USDT).1, Amount::ZERO, "nothing is locked for it");
    audit(&x);
    x.check_fold();
}

#[test]
fn who_says_alone_where_an_owner_lives_takes_no_higher_tier_back() {
    let mut x = Exchange::new(&[btc_usdt()]);
    for (tier, country) in [(Tier::Basic, None), (Tier::Advanced, None), (Tier::Basic, Some(country("AA")))] {
        let set = lives_in(&mut x, ALICE, tier, country);
        assert!(matches!(set, Reply::Accepted(_)), "{tier:?}: {set:?}");
    }
    let account = x.cell.world().accounts().get(ALICE).unwrap();
    assert_eq!((account.tier(), account.country()), (Tier::Advanced, country("AA")));
    assert!(matches!(lives_in(&mut x, ALICE, Tier::Basic, None), Reply::Rejected(Reject::NotTwoPeople)));
    audit(&x);
    x.check_fold();
}
