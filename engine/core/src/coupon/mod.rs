//! Coupons: a campaign sets money apart and issues coupons, each of which one account uses once.
//!
//! Owns: the numbers of campaigns and coupons, a campaign's terms. Never does: know balances; the account holds its coupons
//! (`account/coupons.rs`). Invariants: what all coupons of a campaign can take is locked in the account `promotion` from its
//! opening on; a coupon does not outlive its campaign; an account gets one coupon of a campaign.
//! Rules: `docs/rules/coupons.md`. Known limits: one value a campaign.

pub mod campaign;
pub mod facts;
#[cfg(test)]
mod tests;

use crate::entity::TimeNs;
use crate::ids::{AccountId, AssetId};
use crate::money::{Amount, MAX_AMOUNT};
use crate::reject::Reject;
use sha2::{Digest as _, Sha256};

crate::ids::id!(
    /// A campaign.
    CampaignId(u16)
);
crate::ids::id!(
    /// A coupon, unique across campaigns and below 2^53: the campaign's own count times 65,536 and the campaign's number.
    CouponId(u64)
);

/// Campaigns that fit into the number of a coupon.
const CAMPAIGN_SPAN: u64 = 65_536;
/// Coupons that a campaign has at most: it keeps who got one.
pub const MOST_COUPONS: u32 = 100_000;
/// Unused coupons that an account has at most.
pub const MOST_UNUSED: usize = 50;
/// Letters of a campaign's name at most.
pub const LONGEST_NAME: usize = 64;
/// A campaign lasts so long at most: its money is locked meanwhile.
pub const LONGEST_NS: TimeNs = 400 * 86_400_000_000_000;

impl CouponId {
    /// The `count`-th coupon of a campaign.
    #[must_use]
    pub fn of(campaign: CampaignId, count: u32) -> CouponId {
        CouponId(u64::from(count) * CAMPAIGN_SPAN + u64::from(campaign.0))
    }

    /// Its campaign.
    #[must_use]
    pub fn campaign(self) -> CampaignId {
        CampaignId((self.0 % CAMPAIGN_SPAN) as u16)
    }
}

crate::wire_enum! {
    /// What a coupon is good for. The numbers are permanent.
    pub enum CouponKind {
        /// Its value comes into the spot wallet.
        Cash = 1,
        /// Its value is the stake of a seconds option, of which only profit is paid.
        MicroBonus = 2,
    }
}

/// The digest of a code: the code itself is in no record.
pub type CodeDigest = [u8; 32];

/// The digest of a code as it is typed: small and large letters are the same, blanks and hyphens are not read.
#[must_use]
pub fn digest_of(code: &str) -> CodeDigest {
    let typed = code.chars().filter(|c| !c.is_whitespace() && *c != '-').flat_map(char::to_uppercase);
    let mut sha = Sha256::new();
    sha.update(b"xng/coupon/1");
    sha.update(typed.collect::<String>().as_bytes());
    sha.finalize().into()
}

crate::wire_struct! {
    /// Terms of a campaign; they do not change.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CampaignTerms {
        /// Which.
        pub campaign: CampaignId,
        /// What users read.
        pub name: String,
        /// What its coupons are good for.
        pub kind: CouponKind,
        /// What they are in.
        pub asset: AssetId,
        /// Of each coupon.
        pub value: Amount,
        /// Coupons at most.
        pub number: u32,
        /// A coupon is used within so long after it was issued.
        pub lives: TimeNs,
        /// No coupon is issued or used from then on.
        pub ends: TimeNs,
        /// Who knows the code gets a coupon; none: the back office issues them.
        pub code: Option<CodeDigest>,
    }
}

impl CampaignTerms {
    /// What all of its coupons can take; none when it is more than an amount can be.
    #[must_use]
    pub fn budget(&self) -> Option<Amount> {
        let budget = self.value.0.checked_mul(i128::from(self.number)).map(Amount);
        budget.filter(|budget| *budget <= MAX_AMOUNT)
    }

    /// The first of them, by its name, that is out of its range.
    #[must_use]
    pub fn unfit(&self, now: TimeNs) -> Option<&'static str> {
        let name = self.name.trim();
        let all = [
            ("campaign", self.campaign.0 > 0),
            ("name", !name.is_empty() && name.chars().count() <= LONGEST_NAME && name.len() == self.name.len()),
            // A stock that a product keeps locked could not go through a corporate action.
            ("asset", self.asset.stock_market().is_none()),
            ("value", self.value.is_positive()),
            ("number", (1..=MOST_COUPONS).contains(&self.number)),
            ("budget", self.budget().is_some()),
            ("lives", (1..=LONGEST_NS).contains(&self.lives)),
            ("ends", self.ends > now && self.ends - now <= LONGEST_NS),
        ];
        all.into_iter().find(|(_, fits)| !fits).map(|(name, _)| name)
    }

    /// Whether they fit together.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self, now: TimeNs) -> Result<(), Reject> {
        self.unfit(now).map_or(Ok(()), |_| Err(Reject::BadParameters))
    }
}

crate::wire_struct! {
    /// A coupon that an account has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Coupon {
        /// Which.
        pub coupon: CouponId,
        /// Whose.
        pub account: AccountId,
        /// What it is good for.
        pub kind: CouponKind,
        /// What it is in.
        pub asset: AssetId,
        /// Of it.
        pub value: Amount,
        /// When the account got it.
        pub issued: TimeNs,
        /// It is used before then.
        pub expires: TimeNs,
    }
}

impl Coupon {
    /// Whether it can be used.
    #[must_use]
    pub fn is_live(&self, now: TimeNs) -> bool {
        now < self.expires
    }
}

/// Who lets an account have a coupon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Issuer {
    /// Whoever knows the campaign's code.
    Code(CodeDigest),
    /// A person of the back office, by name.
    Staff(String),
}
