//! A campaign alone: numbers of coupons, codes, what it saves.

use super::campaign::{Campaign, CampaignCommand, CampaignState};
use super::{CampaignId, CampaignTerms, CouponId, CouponKind, Issuer, digest_of};
use crate::board::Board;
use crate::codec::Reader;
use crate::entity::{Applied, Ctx, Decision, Entity};
use crate::ids::{AccountId, AssetId, EntityId};
use crate::journal::Lsn;
use crate::money::Amount;
use crate::record::{Cause, Origin, Record, Role};
use crate::reject::Reject;

const C: CampaignId = CampaignId(7);
const SECOND: u64 = 1_000_000_000;

fn terms() -> CampaignTerms {
    CampaignTerms {
        campaign: C,
        name: "x".into(),
        kind: CouponKind::Cash,
        asset: AssetId(3),
        value: Amount::whole(2),
        number: 2,
        lives: 10 * SECOND,
        ends: 100 * SECOND,
        code: Some(digest_of("abc-123")),
    }
}

fn decide(campaign: &Campaign, command: &CampaignCommand, now: u64) -> Decision {
    let board = Board::default();
    campaign.decide(command, &Ctx { now, request: None, origin: Origin::Admin, others_wait: false, board: &board })
}

/// What it decides happens; a refusal is given back.
fn happens(campaign: &mut Campaign, command: &CampaignCommand, now: u64) -> Result<(), Reject> {
    match decide(campaign, command, now) {
        Decision::Fact(fact) => {
            let (decider, cause, origin) = (EntityId::Campaign(C), Cause::Request, Origin::Admin);
            let record = Record { time: now, decider, cause, origin, fact };
            campaign.evolve(Applied { lsn: Lsn(1), record: &record }, Role::Decider);
            Ok(())
        }
        Decision::Reject(reject) => Err(reject),
        other @ (Decision::Ask(_) | Decision::Reply(_) | Decision::Nothing) => panic!("{other:?}"),
    }
}

fn opened() -> Campaign {
    let mut campaign = Campaign::blank(C);
    let open = CampaignCommand::Open { terms: Box::new(terms()), by: vec!["ann".into()] };
    happens(&mut campaign, &open, SECOND).unwrap();
    campaign
}

fn issue(account: u64, code: &str) -> CampaignCommand {
    CampaignCommand::Issue { account: AccountId(account), issuer: Issuer::Code(digest_of(code)) }
}

#[test]
fn the_number_of_a_coupon_names_its_campaign() {
    let coupon = CouponId::of(CampaignId(65_535), 100_000);
    assert_eq!((coupon.campaign(), coupon.0 < 1 << 53), (CampaignId(65_535), true));
    assert_eq!(CouponId::of(C, 1), CouponId(65_543));
}

#[test]
fn a_code_is_the_same_however_it_is_typed() {
    let digest = digest_of("WELCOME-2026");
    for same in ["welcome2026", " Welcome 2026 ", "WEL-COME-20-26"] {
        assert_eq!(digest_of(same), digest, "{same}");
    }
    assert_ne!(digest_of("WELCOME-2O26"), digest);
}

#[test]
fn a_coupon_lives_as_long_as_its_campaign_lets_it() {
    let mut campaign = opened();
    let Decision::Fact(crate::record::Fact::Coupon(fact)) = decide(&campaign, &issue(1, "ABC123"), 95 * SECOND) else {
        panic!("a coupon")
    };
    let super::facts::CouponFact::CouponIssued(issued) = fact else { panic!("a coupon") };
    assert_eq!((issued.coupon.issued, issued.coupon.expires), (95 * SECOND, 100 * SECOND));
    assert!(issued.coupon.is_live(100 * SECOND - 1) && !issued.coupon.is_live(100 * SECOND));
    happens(&mut campaign, &issue(1, "abc 123"), 2 * SECOND).unwrap();
    assert_eq!(happens(&mut campaign, &issue(2, "abc 12"), 2 * SECOND), Err(Reject::UnknownCampaign));
    assert_eq!(happens(&mut campaign, &issue(1, "abc 123"), 2 * SECOND), Err(Reject::CouponTaken));
    happens(&mut campaign, &issue(2, "abc 123"), 2 * SECOND).unwrap();
    assert_eq!(happens(&mut campaign, &issue(3, "abc 123"), 2 * SECOND), Err(Reject::CampaignEmpty));
    assert_eq!(happens(&mut campaign, &issue(3, "abc 123"), 100 * SECOND), Err(Reject::CampaignOver));
}

/// The coupon that an account got in the second second.
fn campaign_coupon(campaign: &Campaign, account: u64) -> super::Coupon {
    let terms = campaign.view().expect("it was opened").terms;
    let (kind, asset, value) = (terms.kind, terms.asset, terms.value);
    let (issued, expires) = (2 * SECOND, 12 * SECOND);
    super::Coupon { coupon: CouponId::of(C, 1), account: AccountId(account), kind, asset, value, issued, expires }
}

#[test]
fn a_campaign_is_loaded_as_it_was_saved() {
    let mut campaign = opened();
    happens(&mut campaign, &issue(5, "abc123"), 2 * SECOND).unwrap();
    let stop = CampaignCommand::Stop { by: "ben".into() };
    happens(&mut campaign, &stop, 3 * SECOND).unwrap();
    let mut bytes = Vec::new();
    campaign.save(&mut bytes);
    let mut loaded = Campaign::load(C, &mut Reader::new(&bytes)).unwrap();
    assert_eq!((loaded.view(), loaded.digest()), (campaign.view(), campaign.digest()));
    assert_eq!(loaded.view().map(|view| (view.state, view.locked())), Some((CampaignState::Stopped, Amount::whole(4))));
    let coupon = campaign_coupon(&loaded, 5);
    for (now, is_live) in [(coupon.expires - 1, true), (coupon.expires, false)] {
        let back = CampaignCommand::Revoke { coupon, by: "ann".into() };
        for command in [back, CampaignCommand::Use { coupon }] {
            assert_eq!(matches!(decide(&loaded, &command, now), Decision::Fact(_)), is_live, "{command:?} at {now}");
        }
    }
    // Its end comes once.
    happens(&mut loaded, &CampaignCommand::Timer, 100 * SECOND).unwrap();
    assert!(matches!(decide(&loaded, &CampaignCommand::Timer, 101 * SECOND), Decision::Nothing));
    assert_eq!(loaded.view().map(|view| view.locked()), Some(Amount::ZERO));
}
