//! Facts of coupons: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: every number that is needed to apply a fact is in it; what a coupon brings was locked
//! in the account `promotion`. Rules: `docs/rules/coupons.md`. Known limits: none.

use super::{CampaignId, CampaignTerms, Coupon};
use crate::ids::{AccountId, AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::{FactBody, LogType, Posting, Role};

crate::wire_struct! {
    /// A campaign began; its money is locked.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CampaignOpened {
        /// Its terms.
        pub terms: CampaignTerms,
        /// What all of its coupons can take.
        pub budget: Amount,
        /// Who decided.
        pub by: Vec<String>,
    }
}

crate::wire_struct! {
    /// A campaign issues no more coupons; those that are out can be used.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CampaignStopped {
        /// Which.
        pub campaign: CampaignId,
        /// Who decided.
        pub by: String,
    }
}

crate::wire_struct! {
    /// An account got a coupon.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CouponIssued {
        /// The coupon.
        pub coupon: Coupon,
        /// Who of the back office let it have one; none of who knew the code.
        pub by: Option<String>,
    }
}

crate::wire_struct! {
    /// A coupon was taken back before it was used.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CouponRevoked {
        /// The coupon.
        pub coupon: Coupon,
        /// Who decided.
        pub by: String,
    }
}

crate::wire_struct! {
    /// A coupon's value came into its owner's spot wallet.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CouponCashed {
        /// The coupon.
        pub coupon: Coupon,
    }
}

crate::wire_struct! {
    /// A coupon's value came to the house of seconds options: the coupon is the stake of an option from now on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CouponStaked {
        /// The coupon.
        pub coupon: Coupon,
    }
}

crate::wire_struct! {
    /// A campaign is over: what its coupons did not take is free again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CampaignClosed {
        /// Which.
        pub campaign: CampaignId,
        /// In what.
        pub asset: AssetId,
        /// So much; nothing when all coupons were used.
        pub freed: Amount,
    }
}

fn row(account: AccountId, asset: AssetId, available: Amount, locked: Amount, reference: u64) -> Posting {
    Posting { account, wallet: Wallet::Spot, asset, log: LogType::COUPON, available, locked, reference }
}

/// What a campaign has locked for a coupon leaves the account `promotion`.
fn spent(coupon: &Coupon) -> Posting {
    row(AccountId::PROMOTION, coupon.asset, Amount::ZERO, -coupon.value, coupon.coupon.0)
}

impl FactBody for CampaignOpened {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(AccountId::PROMOTION), Role::Taker);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role == Role::Taker {
            let reference = self.terms.campaign.0.into();
            post(row(AccountId::PROMOTION, self.terms.asset, -self.budget, self.budget, reference));
        }
    }
}

impl FactBody for CampaignStopped {}

impl FactBody for CouponIssued {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.coupon.account), Role::Taker);
    }
}

impl FactBody for CouponRevoked {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.coupon.account), Role::Taker);
    }
}

impl FactBody for CouponCashed {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.coupon.account), Role::Taker);
        tell(EntityId::Account(AccountId::PROMOTION), Role::Other);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let Coupon { coupon, account, asset, value, .. } = self.coupon;
        match role {
            Role::Taker => post(row(account, asset, value, Amount::ZERO, coupon.0)),
            Role::Other => post(spent(&self.coupon)),
            Role::Decider | Role::Maker(_) | Role::Item(_) | Role::Fees | Role::Insurance => {}
        }
    }
}

impl FactBody for CouponStaked {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.coupon.account), Role::Taker);
        tell(EntityId::Account(AccountId::SECONDS_HOUSE), Role::Item(0));
        tell(EntityId::Account(AccountId::PROMOTION), Role::Other);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let Coupon { coupon, asset, value, .. } = self.coupon;
        match role {
            Role::Item(_) => {
                let row = row(AccountId::SECONDS_HOUSE, asset, value, Amount::ZERO, coupon.0);
                post(Posting { wallet: Wallet::Options, ..row });
            }
            Role::Other => post(spent(&self.coupon)),
            Role::Decider | Role::Taker | Role::Maker(_) | Role::Fees | Role::Insurance => {}
        }
    }
}

impl FactBody for CampaignClosed {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(AccountId::PROMOTION), Role::Other);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role == Role::Other && self.freed.is_positive() {
            post(row(AccountId::PROMOTION, self.asset, self.freed, -self.freed, self.campaign.0.into()));
        }
    }
}

crate::record::product_facts! {
    /// Facts of coupons.
    Coupon(CouponFact) {
        /// A coupon's value came to the house of seconds options.
        CouponStaked = 157 v 1,
        /// A campaign issues no more coupons.
        CampaignStopped = 158 v 1,
        /// A coupon was taken back.
        CouponRevoked = 159 v 1,
        /// A campaign began.
        CampaignOpened = 160 v 1,
        /// An account got a coupon.
        CouponIssued = 161 v 1,
        /// A coupon's value came into a wallet.
        CouponCashed = 162 v 1,
        /// A campaign is over.
        CampaignClosed = 163 v 1,
    }
}
