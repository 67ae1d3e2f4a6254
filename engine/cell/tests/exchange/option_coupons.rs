//! Options by coupons: what they pay, what a tie gives back, races, expiry, starts in between.

use crate::coupons::{ask, audit, by_staff, counts, coupon, done, not_done, open, people, promotion, terms, unused};
use crate::properties::Dice;
use crate::regions::{bars, country, lives_in};
use crate::seconds::{self, FALL, RISE, desk, enter_command, has, opened, refused, settled, tick, to};
use crate::support::{BTC, Exchange, USDT, btc_usdt};
use crate::tickets::{ALICE, BOB, start_anew};
use xng_core::account::facts::AccountStatus;
use xng_core::account::{AccountCommand, CouponCommand, EnterOption, Property, SecondsCommand, Tier};
use xng_core::coupon::campaign::CampaignState;
use xng_core::coupon::{CampaignId, CampaignTerms, CouponId, CouponKind, Issuer};
use xng_core::entity::{Accepted, Command, Ctx, Decision, Entity as _, Reply};
use xng_core::ids::{AccountId, RequestKey, Wallet};
use xng_core::money::Amount;
use xng_core::record::Origin;
use xng_core::region::Product;
use xng_core::reject::Reject;
use xng_core::seconds::desk::{DeskCommand, Entry};
use xng_core::seconds::rules::{OptionResult, OptionSide};

const PROMOTION: AccountId = AccountId::PROMOTION;
const HOUSE: AccountId = AccountId::SECONDS_HOUSE;
const SECOND: u64 = 1_000_000_000;

fn bonus_terms(x: &Exchange) -> CampaignTerms {
    CampaignTerms { kind: CouponKind::MicroBonus, ..terms(x) }
}

/// A desk at 50,000 that takes 10 to 1,000; Alice and Bob have a coupon of 12.5 each, and 100 for options.
fn started() -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    seconds::set(&mut x, seconds::params());
    x.fund(PROMOTION, USDT, Amount::whole(100));
    [ALICE, BOB].into_iter().for_each(|who| seconds::fund(&mut x, who, "100"));
    let terms = bonus_terms(&x);
    open(&mut x, terms);
    [ALICE, BOB].into_iter().for_each(|who| done(&mut x, who, by_staff()));
    x.advance(100 * SECOND);
    tick(&mut x, "50000");
    x
}

fn by_coupon(side: OptionSide, count: u32, stake: &str) -> EnterOption {
    EnterOption { desk: desk(), side, stake: stake.parse().unwrap(), coupon: Some(coupon(count)), version: None }
}

fn enter(x: &mut Exchange, who: AccountId, wanted: EnterOption) -> Reply {
    x.send(None, Command::Account(who, AccountCommand::Seconds(SecondsCommand::Enter(wanted))))
}

fn bonuses(x: &Exchange, who: AccountId) -> Vec<CouponId> {
    x.cell.world().accounts().get(who).into_iter().flat_map(|a| a.bonuses()).map(|c| c.coupon).collect()
}

fn house(x: &Exchange) -> String {
    let house = x.cell.world().accounts().get(HOUSE);
    house.map_or(Amount::ZERO, |house| house.balance(Wallet::Options, USDT).available).to_string()
}

/// Ends the option that Alice opened last, at this index.
fn ends_at(x: &mut Exchange, index: &str) {
    to(x, ALICE, 59 * SECOND);
    tick(x, index);
    x.advance(2 * SECOND);
    tick(x, index);
}

/// A coupon's stake is paid; an option by it ties, and another one by it wins: of the same coupon.
pub(crate) fn every_fact(x: &mut Exchange) {
    x.fund(PROMOTION, USDT, Amount::whole(100));
    let campaign = CampaignId(9);
    let terms = CampaignTerms { campaign, ..bonus_terms(x) };
    open(x, terms);
    let issuer = Issuer::Staff("ann".into());
    done(x, ALICE, CouponCommand::Receive { campaign, issuer: issuer.clone() });
    done(x, BOB, CouponCommand::Receive { campaign, issuer });
    [1, 2].into_iter().zip([ALICE, BOB]).for_each(|(n, who)| {
        done(x, who, CouponCommand::Use(CouponId::of(campaign, n)));
    });
    let of = |count| EnterOption { coupon: Some(CouponId::of(campaign, count)), ..by_coupon(RISE, count, "12.5") };
    tick(x, "50000");
    opened(&enter(x, ALICE, of(1)));
    ends_at(x, "50000");
    opened(&enter(x, ALICE, of(1)));
    ends_at(x, "50001");
    opened(&enter(x, BOB, of(2)));
}

/// An option by one of the account's coupons, if it has one that was paid for.
pub(crate) fn random(x: &Exchange, dice: &mut Dice, account: AccountId) -> Option<Command> {
    let bonus = *x.cell.world().accounts().get(account)?.bonuses().first()?;
    let (side, coupon) = (dice.pick(&[RISE, FALL]), Some(bonus.coupon));
    let wanted = EnterOption { desk: desk(), side, stake: bonus.value, coupon, version: None };
    Some(Command::Account(account, AccountCommand::Seconds(SecondsCommand::Enter(wanted))))
}

#[test]
fn a_win_pays_profit_alone_and_a_loss_costs_nothing() {
    for (close, gets, house_has) in [("50001", "109.375", "3.125"), ("49999", "100", "12.5")] {
        let mut x = started();
        done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
        assert_eq!((house(&x), promotion(&x)), ("12.5".into(), ("62.5".into(), "25".into())));
        assert_eq!((unused(&x, ALICE), bonuses(&x, ALICE)), (vec![], vec![coupon(1)]));
        assert_eq!(counts(&x), (CampaignState::Open, [2, 1, 0]));
        opened(&enter(&mut x, ALICE, by_coupon(RISE, 1, "12.5")));
        assert_eq!((has(&x, ALICE), bonuses(&x, ALICE)), (["100".into(), "0".into()], vec![]));
        let offer = x.cell.world().desks().get(desk()).unwrap().offer(x.cell.latest()).unwrap();
        assert_eq!(offer.worst_loss.to_string(), "9.375", "the stake is not the house's to win");
        ends_at(&mut x, close);
        assert_eq!((has(&x, ALICE), house(&x)), ([gets.into(), "0".into()], house_has.into()), "{close}");
        assert_eq!(refused(&enter(&mut x, ALICE, by_coupon(RISE, 1, "12.5"))), Reject::UnknownCoupon);
        audit(&mut x);
    }
}

#[test]
fn a_tie_and_a_void_option_give_the_coupon_back_as_long_as_it_lives() {
    let mut x = started();
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    opened(&enter(&mut x, ALICE, by_coupon(RISE, 1, "12.5")));
    ends_at(&mut x, "50000");
    assert_eq!((has(&x, ALICE), bonuses(&x, ALICE)), (["100".into(), "0".into()], vec![coupon(1)]));
    // No tick decides the next one.
    opened(&enter(&mut x, ALICE, by_coupon(FALL, 1, "12.5")));
    x.advance(125 * SECOND);
    x.run();
    tick(&mut x, "50000");
    assert_eq!((has(&x, ALICE), bonuses(&x, ALICE)), (["100".into(), "0".into()], vec![coupon(1)]));
    let ends: Vec<OptionResult> = settled(&x).iter().flat_map(|f| &f.items).map(|item| item.result).collect();
    assert_eq!((ends, house(&x)), (vec![OptionResult::Tie, OptionResult::Void], "12.5".into()), "paid for once");
    // It expires while an option by it is open, which the result does not change.
    x.advance(3_290 * SECOND);
    tick(&mut x, "50000");
    opened(&enter(&mut x, ALICE, by_coupon(FALL, 1, "12.5")));
    ends_at(&mut x, "50000");
    assert_eq!(bonuses(&x, ALICE), []);
    audit(&mut x);
}

#[test]
fn a_coupon_is_the_stake_of_one_option_and_of_no_other_amount() {
    let mut x = started();
    assert_eq!(refused(&enter(&mut x, ALICE, by_coupon(RISE, 1, "12.5"))), Reject::UnknownCoupon, "not paid for");
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    assert_eq!(not_done(&mut x, ALICE, CouponCommand::Use(coupon(1))), Reject::UnknownCoupon);
    assert_eq!(refused(&enter(&mut x, ALICE, by_coupon(RISE, 1, "13"))), Reject::BadParameters);
    assert_eq!(refused(&enter(&mut x, BOB, by_coupon(RISE, 1, "12.5"))), Reject::UnknownCoupon, "somebody else's");
    let wanted = |side| AccountCommand::Seconds(SecondsCommand::Enter(by_coupon(side, 1, "12.5")));
    let tokens: Vec<u64> = (0..200)
        .map(|n| x.submit(None, Command::Account(ALICE, wanted(if n % 2 == 0 { RISE } else { FALL }))))
        .collect();
    x.run();
    let taken = tokens.into_iter().filter(|token| matches!(x.answer(*token), Some(Reply::Accepted(_)))).count();
    assert_eq!(taken, 1);
    // Money of its own is another matter.
    opened(&x.send(None, enter_command(ALICE, FALL, "20")));
    audit(&mut x);
}

#[test]
fn one_that_is_over_opens_nothing_and_its_campaign_frees_the_rest() {
    let mut x = started();
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    x.advance(3_600 * SECOND);
    tick(&mut x, "50000");
    assert_eq!(refused(&enter(&mut x, ALICE, by_coupon(RISE, 1, "12.5"))), Reject::CouponOver);
    assert_eq!(not_done(&mut x, BOB, CouponCommand::Use(coupon(2))), Reject::CouponOver);
    x.advance(3_700 * SECOND);
    x.run();
    assert_eq!((promotion(&x), house(&x)), (("87.5".into(), "0".into()), "12.5".into()));
    audit(&mut x);
}

#[test]
fn one_that_expires_on_its_way_to_the_desk_opens_nothing() {
    let mut x = started();
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    let bonus = x.cell.world().accounts().get(ALICE).unwrap().bonuses()[0];
    x.advance(bonus.expires - x.cell.latest() - SECOND);
    tick(&mut x, "50000");
    let (board, version) = (x.cell.world().board(), 1);
    let entry = Entry { account: ALICE, side: RISE, stake: bonus.value, bonus: Some(bonus.into()), version };
    let decide = |now| {
        let ctx = Ctx { now, request: None, origin: Origin::User, others_wait: false, board };
        x.cell.world().desks().get(desk()).unwrap().decide(&DeskCommand::Enter(entry), &ctx)
    };
    assert!(matches!(decide(bonus.expires - 1), Decision::Fact(_)));
    assert!(matches!(decide(bonus.expires), Decision::Reject(Reject::CouponOver)));
}

#[test]
fn another_asset_a_second_coupon_at_once_and_a_locked_account_are_refused() {
    let mut x = started();
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    x.fund(PROMOTION, BTC, Amount::whole(100));
    for (n, asset) in [(2, BTC), (3, USDT)] {
        let terms = CampaignTerms { campaign: CampaignId(n), asset, ..bonus_terms(&x) };
        open(&mut x, terms);
        let issuer = Issuer::Staff("ann".into());
        done(&mut x, ALICE, CouponCommand::Receive { campaign: CampaignId(n), issuer });
        done(&mut x, ALICE, CouponCommand::Use(CouponId::of(CampaignId(n), 1)));
    }
    let by = |n, side| EnterOption { coupon: Some(CouponId::of(CampaignId(n), 1)), ..by_coupon(side, 1, "12.5") };
    assert_eq!(refused(&enter(&mut x, ALICE, by(2, RISE))), Reject::BadParameters, "another asset");
    let both = [by(1, RISE), by(3, FALL)]
        .map(|wanted| x.submit(None, Command::Account(ALICE, AccountCommand::Seconds(SecondsCommand::Enter(wanted)))));
    x.run();
    let [first, second] = both.map(|token| x.answer(token).expect("an answer"));
    opened(&first);
    assert_eq!(refused(&second), Reject::RequestInFlight);
    let locked = AccountCommand::Set(Property::Status(AccountStatus::Locked));
    x.ok(Command::Account(ALICE, locked));
    assert_eq!(refused(&enter(&mut x, ALICE, by(3, FALL))), Reject::AccountLocked);
    // What it opened before settles all the same.
    ends_at(&mut x, "50000");
    assert_eq!(bonuses(&x, ALICE).len(), 3);
    audit(&mut x);
}

#[test]
fn a_coupon_that_was_paid_for_is_not_taken_back_and_counts_as_unused() {
    let mut x = started();
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    let back = CouponCommand::Revoke { coupon: coupon(1), by: "ben".into() };
    assert_eq!(not_done(&mut x, ALICE, back), Reject::UnknownCoupon);
    // With those of fifty other campaigns it would be the 51st.
    x.fund(PROMOTION, USDT, Amount::whole(10_000));
    for n in 2..=51 {
        let terms = CampaignTerms { campaign: CampaignId(n), ..bonus_terms(&x) };
        done(&mut x, PROMOTION, CouponCommand::Fund { terms: Box::new(terms), by: people() });
    }
    let receive = |n| CouponCommand::Receive { campaign: CampaignId(n), issuer: Issuer::Staff("ann".into()) };
    (2..=50).for_each(|n| done(&mut x, ALICE, receive(n)));
    assert_eq!(not_done(&mut x, ALICE, receive(51)), Reject::TooManyCoupons);
}

#[test]
fn a_start_between_any_two_records_pays_once() {
    let mut x = started();
    x.fund(ALICE, BTC, Amount::whole(1));
    let key = Some(RequestKey { key: 7, body: 1 });
    let wanted = Command::Account(ALICE, AccountCommand::Seconds(SecondsCommand::Enter(by_coupon(RISE, 1, "12.5"))));
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    x.cell = start_anew(&x);
    assert_eq!(bonuses(&x, ALICE), [coupon(1)]);
    assert!(matches!(ask(&mut x, ALICE, CouponCommand::Use(coupon(1))), Reply::Rejected(Reject::UnknownCoupon)));
    tick(&mut x, "50000");
    let first = x.send(key, wanted.clone());
    let Reply::Accepted(Accepted::Option(option)) = first else { panic!("{first:?}") };
    x.cell = start_anew(&x);
    let again = x.send(key, wanted);
    assert!(matches!(again, Reply::Known(Accepted::Option(same)) if same == option), "{again:?}");
    tick(&mut x, "50000");
    ends_at(&mut x, "50001");
    x.cell = start_anew(&x);
    assert_eq!((has(&x, ALICE), house(&x)), (["109.375".into(), "0".into()], "3.125".into()));
    audit(&mut x);
}

#[test]
fn a_coupon_is_not_staked_where_options_are_barred() {
    let mut x = started();
    let country = country("AA");
    assert!(matches!(lives_in(&mut x, ALICE, Tier::Basic, Some(country)), Reply::Accepted(_)));
    bars(&mut x, country, &[Product::Options]);
    assert_eq!(not_done(&mut x, ALICE, CouponCommand::Use(coupon(1))), Reject::NotInRegion);
    assert_eq!(refused(&enter(&mut x, ALICE, by_coupon(RISE, 1, "12.5"))), Reject::NotInRegion);
    assert_eq!((unused(&x, ALICE).len(), bonuses(&x, ALICE).len()), (1, 0), "it has its coupon still");
    done(&mut x, BOB, CouponCommand::Use(coupon(2)));
    audit(&mut x);
}
