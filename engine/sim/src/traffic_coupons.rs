//! What clients and the back office ask about coupons.
//!
//! Owns: random campaigns and uses. Never does: look at the engine. Invariants: commands are what a gateway could send. Known limits: one
//! code for all campaigns.

use crate::auditor::Auditor;
use crate::rng::Rng;
use crate::traffic::{ASSETS, KeyOf, SETTLE, Setting};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, CouponCommand};
use xng_core::coupon::campaign::CampaignCommand;
use xng_core::coupon::{CampaignId, CampaignTerms, CouponId, CouponKind, Issuer, digest_of};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, Wallet};
use xng_core::money::Amount;

const SECOND: u64 = 1_000_000_000;
/// Campaigns at most.
const MOST: u64 = 30;

impl Setting {
    /// What campaigns have when the exchange begins.
    pub(crate) fn promotion(&self) -> Command {
        let (wallet, amount) = (Wallet::Spot, Amount::whole(500));
        let items = ASSETS.map(|asset| GrantItem { wallet, asset, amount }).to_vec();
        Command::Account(AccountId::PROMOTION, AccountCommand::Grant { kind: GrantKind::Opening, items })
    }

    /// A command about coupons by chance.
    pub(crate) fn coupons(&self, rng: &mut Rng, auditor: &Auditor, account: AccountId) -> (AccountId, Command, KeyOf) {
        let of =
            |account, command| (account, Command::Account(account, AccountCommand::Coupon(command)), KeyOf::Request);
        let opened = auditor.campaigns().count() as u64;
        let campaign = CampaignId(1 + rng.below(opened + 1) as u16);
        let own = auditor.unused_coupons(account).nth(rng.below(3) as usize);
        let own = own.or_else(|| auditor.unused_coupons(account).next());
        let own = own.unwrap_or(CouponId(rng.below(1_000_000)));
        match rng.below(24) {
            0 | 1 => {
                let campaign = CampaignId(1 + opened.min(MOST) as u16);
                let terms = Box::new(campaign_terms(rng, campaign, auditor.time()));
                of(AccountId::PROMOTION, CouponCommand::Fund { terms, by: vec!["ann".into(), "ben".into()] })
            }
            2 if rng.chance(1, 3) => {
                let stop = CampaignCommand::Stop { by: "ann".into() };
                (account, Command::Campaign(campaign, stop), KeyOf::Nothing)
            }
            3 | 4 => of(account, CouponCommand::Revoke { coupon: own, by: "ben".into() }),
            5..=11 => of(account, CouponCommand::Use(own)),
            _ => {
                let issuer = match rng.below(8) {
                    0 => Issuer::Code(digest_of("wrong")),
                    1..=4 => Issuer::Code(digest_of("WELCOME")),
                    _ => Issuer::Staff("ann".into()),
                };
                of(account, CouponCommand::Receive { campaign, issuer })
            }
        }
    }
}

fn campaign_terms(rng: &mut Rng, campaign: CampaignId, now: u64) -> CampaignTerms {
    let kind = rng.pick(&[CouponKind::Cash, CouponKind::MicroBonus]);
    CampaignTerms {
        campaign,
        name: format!("campaign {campaign}"),
        kind,
        asset: if kind == CouponKind::MicroBonus { SETTLE } else { rng.pick(&ASSETS) },
        value: Amount(1 + i128::from(rng.below(500_000_000))),
        number: rng.pick(&[1, 2, 10, 1_000]) as u32,
        lives: rng.pick(&[1, 20, 7_200, 100_000]) * SECOND,
        // In the past now and then.
        ends: (now + rng.pick(&[5, 60, 3_600, 200_000]) * SECOND).saturating_sub(SECOND * rng.below(10)),
        code: rng.chance(2, 3).then(|| digest_of("welcome")),
    }
}
