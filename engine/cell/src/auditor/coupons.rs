//! Coupons as the auditor sees them: its own count of each campaign, its own budgets, who has a coupon.
//!
//! Owns: campaigns, unused coupons. Never does: use the engine's formulas. Invariants checked: a campaign locks value times number and
//! frees what its coupons did not take, once, at its end; an account gets one coupon of a campaign, as long as one is left; a coupon
//! has its campaign's value, and is used or taken back once, before it expires; one that is an option's stake is paid to the house once,
//! and is no other open option's. Known limits: that no campaign is left whose end came
//! is true at rest only (`no_campaign_is_due`).

use super::agree::first_difference;
use super::seconds::SECONDS_HOUSE;
use super::{Auditor, Finding, WalletKey};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use xng_core::account::Account;
use xng_core::coupon::campaign::{CampaignState, CampaignView};
use xng_core::coupon::facts::{CampaignClosed, CampaignOpened, CouponFact, CouponIssued};
use xng_core::coupon::{CampaignId, CampaignTerms, Coupon, CouponId, CouponKind};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, Wallet};
use xng_core::journal::Lsn;

const PROMOTION: AccountId = AccountId(15);
/// Coupons of one campaign are this far apart.
const SPAN: u64 = 65_536;

/// A campaign.
#[derive(Debug, Clone)]
struct Own {
    terms: CampaignTerms,
    state: CampaignState,
    used: i128,
    revoked: u32,
    /// Who got a coupon: one each.
    holders: BTreeSet<AccountId>,
}

impl Own {
    fn locked(&self) -> i128 {
        if self.state == CampaignState::Closed {
            return 0;
        }
        self.terms.value.0 * (i128::from(self.terms.number) - self.used)
    }

    fn runs(&self, time: TimeNs) -> bool {
        self.state != CampaignState::Closed && time < self.terms.ends
    }
}

/// What the auditor knows of coupons.
#[derive(Debug, Clone, Default)]
pub(super) struct Coupons {
    campaigns: BTreeMap<CampaignId, Own>,
    unused: BTreeMap<CouponId, Coupon>,
    /// Those that options can be opened by: the house has their stakes.
    bonuses: BTreeMap<CouponId, Coupon>,
}

impl Coupons {
    fn running(&mut self, campaign: CampaignId, time: TimeNs) -> Option<&mut Own> {
        self.campaigns.get_mut(&campaign).filter(|own| own.runs(time))
    }

    /// Takes a coupon that was not used and has not expired.
    fn take(&mut self, coupon: &Coupon, time: TimeNs) -> bool {
        let live = time < coupon.expires && self.unused.get(&coupon.coupon) == Some(coupon);
        live && self.unused.remove(&coupon.coupon).is_some()
    }

    /// An option is opened by a coupon: it has no other one.
    pub(super) fn enter(&mut self, coupon: &Coupon, time: TimeNs) -> bool {
        let live = time < coupon.expires && self.bonuses.get(&coupon.coupon) == Some(coupon);
        live && self.bonuses.remove(&coupon.coupon).is_some()
    }

    /// An option can be opened by a coupon: its stake was paid, or an option by it ended without a winner.
    pub(super) fn add_bonus(&mut self, coupon: Coupon) {
        self.bonuses.insert(coupon.coupon, coupon);
    }
}

fn campaign_of(coupon: CouponId) -> CampaignId {
    CampaignId((coupon.0 % SPAN) as u16)
}

impl Auditor {
    pub(super) fn coupon_fact(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &CouponFact,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let right = match fact {
            CouponFact::CampaignOpened(f) => self.campaign_opened(time, f, moved),
            CouponFact::CampaignStopped(f) => match self.coupons.running(f.campaign, time) {
                Some(own) if own.state == CampaignState::Open => {
                    own.state = CampaignState::Stopped;
                    true
                }
                _ => false,
            },
            CouponFact::CouponIssued(f) => self.coupon_issued(time, f),
            CouponFact::CouponRevoked(f) => {
                let taken = self.coupons.take(&f.coupon, time);
                let own = self.coupons.running(campaign_of(f.coupon.coupon), time);
                own.map(|own| own.revoked += 1).is_some() && taken && !f.by.is_empty()
            }
            CouponFact::CouponCashed(f) => {
                let into = (f.coupon.account, Wallet::Spot, f.coupon.asset);
                self.coupon_paid(time, &f.coupon, into, moved) && f.coupon.kind == CouponKind::Cash
            }
            CouponFact::CouponStaked(f) => {
                let into = (SECONDS_HOUSE, Wallet::Options, f.coupon.asset);
                let paid = self.coupon_paid(time, &f.coupon, into, moved);
                self.coupons.add_bonus(f.coupon);
                paid && f.coupon.kind == CouponKind::MicroBonus
            }
            CouponFact::CampaignClosed(f) => self.campaign_closed(time, f, moved),
        };
        if right { Ok(()) } else { Err(format!("record {lsn} is wrong about coupons: {fact:?}")) }
    }

    fn campaign_opened(&mut self, time: TimeNs, f: &CampaignOpened, moved: &mut Vec<WalletKey>) -> bool {
        let terms = &f.terms;
        let budget = terms.value.0 * i128::from(terms.number);
        let people: BTreeSet<&String> = f.by.iter().collect();
        let right = budget > 0 && f.budget.0 == budget && terms.ends > time && people.len() == f.by.len();
        let promotion = (PROMOTION, Wallet::Spot, terms.asset);
        self.add(promotion, -budget, budget, moved);
        *self.explained.entry(promotion).or_default() += budget;
        let (state, holders) = (CampaignState::Open, BTreeSet::new());
        let own = Own { terms: terms.clone(), state, used: 0, revoked: 0, holders };
        self.coupons.campaigns.insert(terms.campaign, own).is_none() && right && !people.is_empty()
    }

    fn coupon_issued(&mut self, time: TimeNs, f: &CouponIssued) -> bool {
        let c = &f.coupon;
        let Some(own) = self.coupons.running(campaign_of(c.coupon), time) else { return false };
        let out = own.holders.len() as u64;
        let terms = &own.terms;
        let right = own.state == CampaignState::Open
            && out - u64::from(own.revoked) < u64::from(terms.number)
            && c.coupon.0 / SPAN == out + 1
            && (c.kind, c.asset, c.value) == (terms.kind, terms.asset, terms.value)
            && c.issued == time
            && c.expires == terms.ends.min(time + terms.lives)
            && (f.by.is_some() || terms.code.is_some());
        let is_new = own.holders.insert(c.account);
        self.coupons.unused.insert(c.coupon, *c);
        right && is_new
    }

    /// A coupon's value comes into a wallet.
    fn coupon_paid(&mut self, time: TimeNs, coupon: &Coupon, into: WalletKey, moved: &mut Vec<WalletKey>) -> bool {
        let taken = self.coupons.take(coupon, time);
        let own = self.coupons.running(campaign_of(coupon.coupon), time);
        let runs = own.map(|own| own.used += 1).is_some();
        let promotion = (PROMOTION, Wallet::Spot, coupon.asset);
        self.add(into, coupon.value.0, 0, moved);
        self.add(promotion, 0, -coupon.value.0, moved);
        *self.explained.entry(promotion).or_default() -= coupon.value.0;
        taken && runs
    }

    fn campaign_closed(&mut self, time: TimeNs, f: &CampaignClosed, moved: &mut Vec<WalletKey>) -> bool {
        let Some(own) = self.coupons.campaigns.get_mut(&f.campaign) else { return false };
        let left = own.locked();
        let right = time >= own.terms.ends && own.state != CampaignState::Closed && f.asset == own.terms.asset;
        own.state = CampaignState::Closed;
        let promotion = (PROMOTION, Wallet::Spot, f.asset);
        if left > 0 {
            self.add(promotion, left, -left, moved);
            *self.explained.entry(promotion).or_default() -= left;
        }
        self.coupons.unused.retain(|id, _| campaign_of(*id) != f.campaign);
        self.coupons.bonuses.retain(|id, _| campaign_of(*id) != f.campaign);
        right && f.freed.0 == left
    }

    /// What campaigns lock.
    pub(super) fn campaign_locks(&self) -> impl Iterator<Item = (WalletKey, i128)> + '_ {
        let own = self.coupons.campaigns.values();
        own.map(|own| ((PROMOTION, Wallet::Spot, own.terms.asset), own.locked()))
    }

    /// Campaigns that were opened.
    pub fn campaigns(&self) -> impl Iterator<Item = CampaignId> + '_ {
        self.coupons.campaigns.keys().copied()
    }

    /// Coupons of an account that it may open an option by; expired ones may be among them.
    pub fn bonuses(&self, account: AccountId) -> impl Iterator<Item = &Coupon> + '_ {
        self.coupons.bonuses.values().filter(move |coupon| coupon.account == account)
    }

    /// Coupons of an account that were not used; expired ones may be among them.
    pub fn unused_coupons(&self, account: AccountId) -> impl Iterator<Item = CouponId> + '_ {
        self.coupons.unused.values().filter(move |coupon| coupon.account == account).map(|coupon| coupon.coupon)
    }

    /// Whether no campaign is left whose end came, where everything due was done.
    ///
    /// # Errors
    /// The first one.
    pub fn no_campaign_is_due(&self, now: TimeNs) -> Result<(), Finding> {
        let due = |own: &&Own| own.state != CampaignState::Closed && own.terms.ends <= now;
        match self.coupons.campaigns.values().find(due) {
            Some(own) => Err(format!("campaign {} is over and was not closed", own.terms.campaign)),
            None => Ok(()),
        }
    }

    /// Whether campaigns and accounts have the same coupons.
    pub(super) fn agrees_on_coupons<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        let known: BTreeMap<CampaignId, CampaignView> = self
            .coupons
            .campaigns
            .iter()
            .map(|(id, own)| {
                let (terms, state) = (own.terms.clone(), own.state);
                let (issued, used) = (own.holders.len() as u32, own.used as u32);
                (*id, CampaignView { terms, state, issued, used, revoked: own.revoked })
            })
            .collect();
        let views = world.campaigns().iter().filter_map(|(id, campaign)| Some((id, campaign.view()?)));
        let views: BTreeMap<CampaignId, CampaignView> = views.collect();
        if views != known {
            return Err(format!("campaign {}", first_difference(&views, &known)));
        }
        // What expired goes at different times.
        let now = self.time();
        let live = |coupon: &&Coupon| now < coupon.expires;
        let agree = |known: &BTreeMap<CouponId, Coupon>, of: fn(&Account) -> &[Coupon]| {
            let known: BTreeMap<CouponId, Coupon> =
                known.iter().filter(|(_, coupon)| live(coupon)).map(|(id, c)| (*id, *c)).collect();
            let own = world.accounts().iter().flat_map(|(_, account): (_, &Account)| of(account));
            let own: BTreeMap<CouponId, Coupon> = own.filter(live).map(|c| (c.coupon, *c)).collect();
            if own == known { Ok(()) } else { Err(format!("an account's coupon {}", first_difference(&own, &known))) }
        };
        agree(&self.coupons.unused, Account::coupons)?;
        agree(&self.coupons.bonuses, Account::bonuses)
    }
}
