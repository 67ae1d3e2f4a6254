//! Coupons through the cell: budgets, codes, races, expiry, the end of a campaign, crashes between any two steps.

use crate::properties::Dice;
use crate::support::{ASSETS, BTC, Exchange, USDT, btc_usdt};
use crate::tickets::{ALICE, BOB, start_anew};
use xng_cell::auditor::Auditor;
use xng_core::account::facts::AccountStatus;
use xng_core::account::{AccountCommand, CouponCommand, Property};
use xng_core::coupon::campaign::{CampaignCommand, CampaignState, CampaignView};
use xng_core::coupon::{CampaignId, CampaignTerms, CouponId, CouponKind, Issuer, digest_of};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, RequestKey};
use xng_core::money::Amount;
use xng_core::record::Record;
use xng_core::reject::Reject;

const PROMOTION: AccountId = AccountId::PROMOTION;
const CAROL: AccountId = AccountId(100_003);
const DAVE: AccountId = AccountId(100_004);
const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3_600 * SECOND;
const C: CampaignId = CampaignId(1);

/// Three coupons of 12.5 USDT, which live for an hour each; the campaign for two.
pub(crate) fn terms(x: &Exchange) -> CampaignTerms {
    CampaignTerms {
        campaign: C,
        name: "Welcome".into(),
        kind: CouponKind::Cash,
        asset: USDT,
        value: "12.5".parse().unwrap(),
        number: 3,
        lives: HOUR,
        ends: x.cell.latest() + 2 * HOUR,
        code: Some(digest_of("WELCOME-2026")),
    }
}

pub(crate) fn people() -> Vec<String> {
    vec!["ann".into(), "ben".into()]
}

pub(crate) fn ask(x: &mut Exchange, who: AccountId, command: CouponCommand) -> Reply {
    x.send(None, Command::Account(who, AccountCommand::Coupon(command)))
}

pub(crate) fn done(x: &mut Exchange, who: AccountId, command: CouponCommand) {
    let said = format!("{command:?}");
    match ask(x, who, command) {
        Reply::Accepted(Accepted::Done) => {}
        other => panic!("{said}: {other:?}"),
    }
}

pub(crate) fn not_done(x: &mut Exchange, who: AccountId, command: CouponCommand) -> Reject {
    match ask(x, who, command) {
        Reply::Rejected(reject) => reject,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn open(x: &mut Exchange, terms: CampaignTerms) {
    done(x, PROMOTION, CouponCommand::Fund { terms: Box::new(terms), by: people() });
}

fn by_code(code: &str) -> CouponCommand {
    CouponCommand::Receive { campaign: C, issuer: Issuer::Code(digest_of(code)) }
}

pub(crate) fn by_staff() -> CouponCommand {
    CouponCommand::Receive { campaign: C, issuer: Issuer::Staff("ann".into()) }
}

pub(crate) fn coupon(count: u32) -> CouponId {
    CouponId::of(C, count)
}

fn revoke(count: u32) -> CouponCommand {
    CouponCommand::Revoke { coupon: coupon(count), by: "ben".into() }
}

fn view(x: &Exchange) -> CampaignView {
    x.cell.world().campaigns().get(C).and_then(|campaign| campaign.view()).expect("a campaign")
}

pub(crate) fn counts(x: &Exchange) -> (CampaignState, [u32; 3]) {
    let CampaignView { state, issued, used, revoked, .. } = view(x);
    (state, [issued, used, revoked])
}

/// Available and locked of the money that campaigns have.
pub(crate) fn promotion(x: &Exchange) -> (String, String) {
    let (available, locked) = x.free(PROMOTION, USDT);
    (available.to_string(), locked.to_string())
}

fn spot(x: &Exchange, who: AccountId) -> String {
    x.free(who, USDT).0.to_string()
}

pub(crate) fn unused(x: &Exchange, who: AccountId) -> Vec<CouponId> {
    x.cell.world().accounts().get(who).into_iter().flat_map(|a| a.coupons()).map(|c| c.coupon).collect()
}

fn started() -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    x.fund(PROMOTION, USDT, Amount::whole(100));
    // Who is refused something is known by then.
    [ALICE, BOB, CAROL, DAVE].into_iter().for_each(|who| x.fund(who, BTC, Amount::whole(1)));
    let terms = terms(&x);
    open(&mut x, terms);
    x
}

pub(crate) fn audit(x: &mut Exchange) {
    let mut auditor = Auditor::default();
    for (lsn, bytes) in x.journal.records() {
        auditor.read(lsn, &Record::decode(&bytes).unwrap()).unwrap();
    }
    auditor.agrees(x.cell.world()).unwrap();
    auditor.no_campaign_is_due(x.cell.latest()).unwrap();
    x.check_fold();
}

/// All facts of coupons; one campaign runs at the end, and a coupon is unused.
pub(crate) fn every_fact(x: &mut Exchange) {
    x.fund(PROMOTION, USDT, Amount::whole(100));
    let first = terms(x);
    open(x, first.clone());
    [ALICE, BOB, CAROL].into_iter().for_each(|who| done(x, who, by_staff()));
    done(x, ALICE, CouponCommand::Use(coupon(1)));
    done(x, BOB, revoke(2));
    x.ok(Command::Campaign(C, CampaignCommand::Stop { by: "ann".into() }));
    x.advance(2 * HOUR + SECOND);
    x.run();
    let second = CampaignTerms { campaign: CampaignId(2), ends: x.cell.latest() + HOUR, ..first };
    open(x, second);
    let issuer = Issuer::Code(digest_of("welcome2026"));
    done(x, BOB, CouponCommand::Receive { campaign: CampaignId(2), issuer });
}

/// A command about coupons by chance.
pub(crate) fn random(x: &Exchange, dice: &mut Dice, account: AccountId) -> Command {
    let opened = x.cell.world().campaigns().iter().count() as u64;
    let campaign = CampaignId(1 + dice.below(opened + 1) as u16);
    let own = unused(x, account).first().copied().unwrap_or(coupon(1));
    let (who, command) = match dice.below(30) {
        0..=3 => {
            let (asset, ends) = (dice.pick(&ASSETS), x.cell.latest() + dice.pick(&[60 * SECOND, HOUR]));
            let kind =
                if asset == USDT { dice.pick(&[CouponKind::Cash, CouponKind::MicroBonus]) } else { CouponKind::Cash };
            // Below the most that a desk of the properties takes.
            let value = if kind == CouponKind::MicroBonus { Amount(123_456_789) } else { terms(x).value };
            let terms = CampaignTerms { campaign, kind, asset, value, ends, ..terms(x) };
            (PROMOTION, CouponCommand::Fund { terms: Box::new(terms), by: people() })
        }
        4 => return Command::Campaign(campaign, CampaignCommand::Stop { by: "ann".into() }),
        5..=8 => (account, CouponCommand::Revoke { coupon: own, by: "ben".into() }),
        9..=13 => (account, CouponCommand::Use(own)),
        14 => (account, CouponCommand::Receive { campaign, issuer: Issuer::Code(digest_of("wrong")) }),
        15..=22 => (account, CouponCommand::Receive { campaign, issuer: Issuer::Staff("ann".into()) }),
        _ => (account, CouponCommand::Receive { campaign, issuer: Issuer::Code(digest_of("welcome 2026")) }),
    };
    Command::Account(who, AccountCommand::Coupon(command))
}

#[test]
fn a_coupon_pays_its_value_once_out_of_what_was_locked_for_it() {
    let mut x = started();
    assert_eq!(promotion(&x), ("62.5".into(), "37.5".into()));
    done(&mut x, ALICE, by_code("welcome 2026"));
    assert_eq!((unused(&x, ALICE), spot(&x, ALICE)), (vec![coupon(1)], "0".into()));
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    assert_eq!((unused(&x, ALICE), spot(&x, ALICE)), (vec![], "12.5".into()));
    assert_eq!(promotion(&x), ("62.5".into(), "25".into()));
    assert_eq!(not_done(&mut x, ALICE, CouponCommand::Use(coupon(1))), Reject::UnknownCoupon);
    assert_eq!(not_done(&mut x, BOB, CouponCommand::Use(coupon(1))), Reject::UnknownCoupon, "somebody else's");
    assert_eq!(counts(&x), (CampaignState::Open, [1, 1, 0]));
    audit(&mut x);
}

#[test]
fn an_account_gets_one_coupon_of_a_campaign_with_its_code_while_there_are_some() {
    let mut x = started();
    assert_eq!(not_done(&mut x, ALICE, by_code("welcome-2025")), Reject::UnknownCampaign);
    done(&mut x, ALICE, by_code("Welcome-2026"));
    for command in [by_code("Welcome-2026"), by_staff()] {
        assert_eq!(not_done(&mut x, ALICE, command), Reject::CouponTaken);
    }
    [BOB, CAROL].into_iter().for_each(|who| done(&mut x, who, by_staff()));
    assert_eq!(not_done(&mut x, DAVE, by_staff()), Reject::CampaignEmpty);
    // What is taken back is another one's; who lost it gets no other.
    done(&mut x, BOB, revoke(2));
    assert_eq!(unused(&x, BOB), []);
    assert_eq!(not_done(&mut x, BOB, by_staff()), Reject::CouponTaken);
    done(&mut x, DAVE, by_staff());
    assert_eq!((unused(&x, DAVE), counts(&x)), (vec![coupon(4)], (CampaignState::Open, [4, 0, 1])));
    for nobody in [PROMOTION, AccountId::FEE] {
        assert_eq!(not_done(&mut x, nobody, by_staff()), Reject::NotAllowed);
    }
    audit(&mut x);
}

#[test]
fn of_many_at_once_one_has_an_effect() {
    let mut x = started();
    let receive = Command::Account(ALICE, AccountCommand::Coupon(by_code("welcome2026")));
    let tokens: Vec<u64> = (0..200).map(|_| x.submit(None, receive.clone())).collect();
    x.run();
    let accepted = |x: &mut Exchange, tokens: Vec<u64>| {
        tokens.into_iter().filter(|token| matches!(x.answer(*token), Some(Reply::Accepted(_)))).count()
    };
    assert_eq!(accepted(&mut x, tokens), 1);
    let cash = Command::Account(ALICE, AccountCommand::Coupon(CouponCommand::Use(coupon(1))));
    let back = Command::Account(ALICE, AccountCommand::Coupon(revoke(1)));
    let all = [cash, back].into_iter().cycle().take(200);
    let tokens: Vec<u64> = all.map(|command| x.submit(None, command)).collect();
    x.run();
    assert_eq!((accepted(&mut x, tokens), spot(&x, ALICE)), (1, "12.5".into()));
    audit(&mut x);
}

#[test]
fn a_request_that_is_repeated_pays_once() {
    let mut x = started();
    done(&mut x, ALICE, by_staff());
    let key = Some(RequestKey { key: 7, body: 1 });
    let cash = Command::Account(ALICE, AccountCommand::Coupon(CouponCommand::Use(coupon(1))));
    assert!(matches!(x.send(key, cash.clone()), Reply::Accepted(Accepted::Done)));
    assert!(matches!(x.send(key, cash), Reply::Known(Accepted::Done)));
    assert_eq!(spot(&x, ALICE), "12.5");
}

#[test]
fn a_coupon_is_used_before_its_time_is_over_and_goes_with_the_next_fact() {
    let mut x = started();
    done(&mut x, ALICE, by_staff());
    // Stamps run a little ahead of a clock that stands still.
    x.advance(HOUR + SECOND);
    assert_eq!(not_done(&mut x, ALICE, CouponCommand::Use(coupon(1))), Reject::CouponOver);
    assert_eq!(not_done(&mut x, ALICE, revoke(1)), Reject::CouponOver);
    assert_eq!(unused(&x, ALICE), [coupon(1)], "nothing names it since");
    let second = CampaignTerms { campaign: CampaignId(2), ..terms(&x) };
    open(&mut x, second);
    let issuer = Issuer::Staff("ann".into());
    done(&mut x, ALICE, CouponCommand::Receive { campaign: CampaignId(2), issuer });
    assert_eq!(unused(&x, ALICE), [CouponId::of(CampaignId(2), 1)]);
    audit(&mut x);
}

#[test]
fn a_campaign_that_ends_frees_what_its_coupons_did_not_take() {
    let mut x = started();
    [ALICE, BOB].into_iter().for_each(|who| done(&mut x, who, by_staff()));
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    x.advance(2 * HOUR + SECOND);
    x.run();
    assert_eq!((promotion(&x), counts(&x)), (("87.5".into(), "0".into()), (CampaignState::Closed, [2, 1, 0])));
    assert_eq!(not_done(&mut x, CAROL, by_staff()), Reject::CampaignOver);
    assert_eq!(not_done(&mut x, BOB, CouponCommand::Use(coupon(2))), Reject::CouponOver);
    audit(&mut x);
}

#[test]
fn a_campaign_that_was_stopped_issues_none_and_pays_those_that_are_out() {
    let mut x = started();
    done(&mut x, ALICE, by_staff());
    let stop = || Command::Campaign(C, CampaignCommand::Stop { by: "ann".into() });
    x.ok(stop());
    assert!(matches!(x.send(None, stop()), Reply::Rejected(Reject::CampaignOver)));
    assert_eq!(not_done(&mut x, BOB, by_staff()), Reject::CampaignOver);
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    assert_eq!((spot(&x, ALICE), counts(&x)), ("12.5".into(), (CampaignState::Stopped, [1, 1, 0])));
    audit(&mut x);
}

#[test]
fn a_campaign_needs_its_money_its_people_and_terms_that_fit() {
    let mut x = started();
    let second = CampaignTerms { campaign: CampaignId(2), ..terms(&x) };
    let fund = |terms: &CampaignTerms, by: Vec<String>| CouponCommand::Fund { terms: Box::new(terms.clone()), by };
    let dear = CampaignTerms { number: 6, ..second.clone() };
    assert_eq!(not_done(&mut x, PROMOTION, fund(&dear, people())), Reject::InsufficientBalance);
    assert_eq!(not_done(&mut x, ALICE, fund(&second, people())), Reject::NotAllowed);
    let first = fund(&terms(&x), people());
    assert_eq!(not_done(&mut x, PROMOTION, first), Reject::AlreadyExists);
    for by in [vec![], vec![" ".into()], vec!["ann".into(), "Ann".into()]] {
        assert_eq!(not_done(&mut x, PROMOTION, fund(&second, by)), Reject::BadParameters);
    }
    let now = x.cell.latest();
    let stock = AssetId(10_400);
    for bad in [
        CampaignTerms { campaign: CampaignId(0), ..second.clone() },
        CampaignTerms { name: " x".into(), ..second.clone() },
        CampaignTerms { name: "x".repeat(65), ..second.clone() },
        CampaignTerms { value: Amount::ZERO, ..second.clone() },
        CampaignTerms { value: Amount(i128::MAX), ..second.clone() },
        CampaignTerms { number: 0, ..second.clone() },
        CampaignTerms { number: 100_001, ..second.clone() },
        CampaignTerms { lives: 0, ..second.clone() },
        CampaignTerms { ends: now, ..second.clone() },
        CampaignTerms { ends: now + 401 * 24 * HOUR, ..second.clone() },
        CampaignTerms { asset: stock, ..second.clone() },
    ] {
        assert_eq!(not_done(&mut x, PROMOTION, fund(&bad, people())), Reject::BadParameters, "{bad:?}");
    }
    open(&mut x, second);
    audit(&mut x);
}

#[test]
fn who_is_locked_gets_a_coupon_of_the_staff_and_uses_none() {
    let mut x = started();
    let locked = |status| Command::Account(ALICE, AccountCommand::Set(Property::Status(status)));
    x.ok(locked(AccountStatus::Locked));
    assert_eq!(not_done(&mut x, ALICE, by_code("welcome2026")), Reject::AccountLocked);
    done(&mut x, ALICE, by_staff());
    assert_eq!(not_done(&mut x, ALICE, CouponCommand::Use(coupon(1))), Reject::AccountLocked);
    done(&mut x, ALICE, revoke(1));
    audit(&mut x);
}

#[test]
fn an_account_has_so_many_unused_coupons_at_most() {
    let mut x = Exchange::new(&[btc_usdt()]);
    x.fund(PROMOTION, USDT, Amount::whole(10_000));
    for n in 1..=51 {
        let terms = CampaignTerms { campaign: CampaignId(n), ..terms(&x) };
        open(&mut x, terms);
    }
    let receive = |n| CouponCommand::Receive { campaign: CampaignId(n), issuer: Issuer::Staff("ann".into()) };
    (1..=50).for_each(|n| done(&mut x, ALICE, receive(n)));
    assert_eq!(not_done(&mut x, ALICE, receive(51)), Reject::TooManyCoupons);
    done(&mut x, ALICE, CouponCommand::Use(CouponId::of(CampaignId(7), 1)));
    done(&mut x, ALICE, receive(51));
    audit(&mut x);
}

#[test]
fn a_start_between_any_two_records_goes_on_as_if_nothing_had_been() {
    let mut x = started();
    [ALICE, BOB].into_iter().for_each(|who| done(&mut x, who, by_staff()));
    done(&mut x, ALICE, CouponCommand::Use(coupon(1)));
    // The journal has the use; who did not see the answer asks again.
    x.cell = start_anew(&x);
    assert_eq!(not_done(&mut x, ALICE, CouponCommand::Use(coupon(1))), Reject::UnknownCoupon);
    done(&mut x, BOB, CouponCommand::Use(coupon(2)));
    // The end came while nobody ran.
    x.cell = start_anew(&x);
    x.advance(3 * HOUR);
    x.run();
    assert_eq!(
        (promotion(&x), spot(&x, ALICE), spot(&x, BOB)),
        (("75".into(), "0".into()), "12.5".into(), "12.5".into())
    );
    audit(&mut x);
}
