//! Coupons as an account sees them: it has them and asks their campaign.
//!
//! Owns: the account's unused coupons, and those that an option can be opened by; of the account `promotion`, what campaigns lock.
//! Never does: issue or pay one; the campaign decides. Invariants: a coupon that is on its way to be used or taken back is not asked
//! about again; one that expired goes with the next fact about coupons. Rules: `docs/rules/coupons.md`. Known limits: none.

use super::Account;
use super::locks::{Lock, LockKind};
use crate::codec::{Wire, WordHash, hash_bytes};
use crate::coupon::campaign::CampaignCommand;
use crate::coupon::facts::CouponFact;
use crate::coupon::{CampaignId, CampaignTerms, Coupon, CouponId, CouponKind, Issuer, MOST_UNUSED};
use crate::entity::{Applied, Ask, Command, CommandClass, Ctx, Decision, HoldRequest, TimeNs};
use crate::ids::{AccountId, AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::Role;
use crate::region::{Product, Products};
use crate::reject::Reject;
use crate::seconds::SecondsOption;

/// What an account can be asked about coupons.
#[derive(Debug, Clone)]
pub enum CouponCommand {
    /// Set money apart and open a campaign (the account `promotion`, configuration and back office only).
    Fund {
        /// With these terms.
        terms: Box<CampaignTerms>,
        /// Who decided.
        by: Vec<String>,
    },
    /// Get a coupon of a campaign.
    Receive {
        /// Which.
        campaign: CampaignId,
        /// Who lets it have one.
        issuer: Issuer,
    },
    /// Use one: its value comes into the spot wallet, or to the house of seconds options, as an option's stake.
    Use(CouponId),
    /// Give one back that was not used (back office only).
    Revoke {
        /// Which.
        coupon: CouponId,
        /// Who decided.
        by: String,
    },
}

impl CouponCommand {
    pub(super) fn class(&self) -> CommandClass {
        match self {
            CouponCommand::Fund { .. } | CouponCommand::Receive { .. } | CouponCommand::Use(_) => {
                CommandClass::Consumes
            }
            CouponCommand::Revoke { .. } => CommandClass::Releases,
        }
    }
}

/// Takes coupons into a state's hash; those of another list with another seed.
pub(super) fn hash_coupons(seed: u64, coupons: &[Coupon], h: WordHash) -> WordHash {
    coupons.iter().fold(h, |h, coupon| {
        let mut bytes = Vec::with_capacity(96);
        coupon.put(&mut bytes);
        h.word(hash_bytes(seed, &bytes))
    })
}

impl Account {
    /// Coupons that it did not use, in the order in which it got them; expired ones may be among them.
    #[must_use]
    pub fn coupons(&self) -> &[Coupon] {
        &self.cold().coupons
    }

    /// Coupons whose stake the house of seconds options has, and by which no option is open; expired ones may be among them.
    #[must_use]
    pub fn bonuses(&self) -> &[Coupon] {
        &self.cold().bonuses
    }

    pub(super) fn decide_coupons(&self, command: &CouponCommand, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        match command {
            CouponCommand::Fund { terms, by } => self.fund(terms, by, ctx),
            CouponCommand::Receive { campaign, issuer } => self.receive(*campaign, issuer, ctx),
            CouponCommand::Use(coupon) => {
                self.may_act()?;
                let coupon = self.live_coupon(*coupon, ctx.now)?;
                // Once its stake is paid, it is good for nothing else.
                if coupon.kind == CouponKind::MicroBonus {
                    self.may_open(Products::of(Product::Options), ctx.board)?;
                }
                Ok(ask(coupon.coupon.campaign(), CampaignCommand::Use { coupon }))
            }
            CouponCommand::Revoke { coupon, by } => {
                let coupon = self.live_coupon(*coupon, ctx.now)?;
                Ok(ask(coupon.coupon.campaign(), CampaignCommand::Revoke { coupon, by: by.clone() }))
            }
        }
    }

    fn fund(&self, terms: &CampaignTerms, by: &[String], ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        if self.id != AccountId::PROMOTION {
            return Err(Reject::NotAllowed);
        }
        terms.check(ctx.now)?;
        let budget = terms.budget().ok_or(Reject::BadParameters)?;
        if self.free(Wallet::Spot, terms.asset) < budget {
            return Err(Reject::InsufficientBalance);
        }
        let ask = CampaignCommand::Open { terms: Box::new(terms.clone()), by: by.to_vec() };
        let command = Command::Campaign(terms.campaign, ask);
        let hold = HoldRequest::of(EntityId::Campaign(terms.campaign), Wallet::Spot, terms.asset, budget);
        Ok(Decision::Ask(Box::new(Ask { command, hold: Some(hold) })))
    }

    fn receive(&self, campaign: CampaignId, issuer: &Issuer, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        // Who may not act may still be given one.
        if matches!(issuer, Issuer::Code(_)) {
            self.may_act()?;
        }
        if self.id.is_system() {
            return Err(Reject::NotAllowed);
        }
        let asked = self.held_parts().filter(|hold| matches!(hold.decider, EntityId::Campaign(_))).count();
        // Those of open options may come back.
        let staked = self.options().iter().filter_map(SecondsOption::coupon);
        let all = self.coupons().iter().chain(self.bonuses()).copied().chain(staked);
        let unused = all.filter(|coupon| coupon.is_live(ctx.now)).count();
        if unused + asked >= MOST_UNUSED {
            return Err(Reject::TooManyCoupons);
        }
        Ok(ask(campaign, CampaignCommand::Issue { account: self.id, issuer: issuer.clone() }))
    }

    /// One of its coupons that can be used, and is not on its way.
    fn live_coupon(&self, id: CouponId, now: TimeNs) -> Result<Coupon, Reject> {
        let coupon = self.coupons().iter().find(|coupon| coupon.coupon == id).ok_or(Reject::UnknownCoupon)?;
        // Of a campaign an account has one coupon.
        let campaign = EntityId::Campaign(id.campaign());
        if self.held_parts().any(|hold| hold.decider == campaign) {
            return Err(Reject::RequestInFlight);
        }
        if coupon.is_live(now) { Ok(*coupon) } else { Err(Reject::CouponOver) }
    }

    pub(super) fn apply_coupons(&mut self, fact: &CouponFact, applied: Applied<'_>, role: Role) {
        if role == Role::Taker {
            self.remember(applied);
        }
        let time = applied.record.time;
        match (fact, role) {
            (CouponFact::CampaignOpened(f), Role::Taker) => {
                self.lock_campaign(f.terms.campaign, f.terms.asset, f.budget);
            }
            (CouponFact::CouponIssued(f), Role::Taker) => {
                self.keep_live_coupons(time);
                self.cold_mut().coupons.push(f.coupon);
            }
            (CouponFact::CouponRevoked(f), Role::Taker) => self.lose_coupon(f.coupon.coupon, time),
            (CouponFact::CouponCashed(f), Role::Taker) => self.lose_coupon(f.coupon.coupon, time),
            (CouponFact::CouponStaked(f), Role::Taker) => {
                self.lose_coupon(f.coupon.coupon, time);
                self.cold_mut().bonuses.push(f.coupon);
            }
            (CouponFact::CouponCashed(f), Role::Other) => self.spend(&f.coupon),
            (CouponFact::CouponStaked(f), Role::Other) => self.spend(&f.coupon),
            (CouponFact::CampaignClosed(f), Role::Other) => self.lock_campaign(f.campaign, f.asset, -f.freed),
            (
                CouponFact::CampaignOpened(_)
                | CouponFact::CampaignStopped(_)
                | CouponFact::CouponIssued(_)
                | CouponFact::CouponRevoked(_)
                | CouponFact::CouponCashed(_)
                | CouponFact::CouponStaked(_)
                | CouponFact::CampaignClosed(_),
                _,
            ) => {}
        }
        if self.cold().is_empty() {
            self.cold = None;
        }
    }

    fn lock_campaign(&mut self, campaign: CampaignId, asset: AssetId, amount: Amount) {
        let (kind, reference, wallet) = (LockKind::Campaign, campaign.0.into(), Wallet::Spot);
        self.cold_mut().locks.add(Lock { kind, reference, wallet, asset, amount });
    }

    fn spend(&mut self, coupon: &Coupon) {
        self.lock_campaign(coupon.coupon.campaign(), coupon.asset, -coupon.value);
    }

    fn keep_live_coupons(&mut self, time: TimeNs) {
        if !self.cold().coupons.is_empty() || !self.cold().bonuses.is_empty() {
            let cold = self.cold_mut();
            cold.coupons.retain(|coupon| coupon.is_live(time));
            cold.bonuses.retain(|coupon| coupon.is_live(time));
        }
    }

    /// Where the account's time ran ahead of the campaign's, it may have lost it as expired before.
    fn lose_coupon(&mut self, id: CouponId, time: TimeNs) {
        self.cold_mut().coupons.retain(|coupon| coupon.coupon != id);
        self.keep_live_coupons(time);
    }
}

/// A campaign is asked; the account notes that it asks, and holds nothing.
fn ask(campaign: CampaignId, command: CampaignCommand) -> Decision {
    let hold = HoldRequest::of(EntityId::Campaign(campaign), Wallet::Spot, AssetId(0), Amount::ZERO);
    Decision::Ask(Box::new(Ask { command: Command::Campaign(campaign, command), hold: Some(hold) }))
}

/// Whether accounts are named by a fact of coupons in this role.
pub(super) fn coupons_name_accounts_as(fact: &CouponFact, role: Role) -> bool {
    match fact {
        CouponFact::CampaignOpened(_) | CouponFact::CouponIssued(_) | CouponFact::CouponRevoked(_) => {
            role == Role::Taker
        }
        CouponFact::CouponCashed(_) => matches!(role, Role::Taker | Role::Other),
        CouponFact::CouponStaked(_) => matches!(role, Role::Taker | Role::Item(_) | Role::Other),
        CouponFact::CampaignClosed(_) => role == Role::Other,
        CouponFact::CampaignStopped(_) => false,
    }
}
