//! Tiers of accounts, as the auditor sees them.
//!
//! Owns: the tier of each account, and those just before it. Never does: use the engine's rules. Invariants checked: a tier is another
//! than before unless it names a country, of a case one step higher; a lower one names two people, each one somebody; an account has the
//! tier that its records say.
//! Known limits: a withdrawal may be held to a tier before: its account asked before the change; earlier releases had no tiers, so
//! until the first one is set all accounts are held to the basic limit.

use super::{Auditor, Finding};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::BTreeMap;
use xng_core::account::Tier;
use xng_core::account::verification::TierChanged;
use xng_core::chain::WithdrawalTerms;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;

/// A question is on its way from the account to the chain for so long at most: ten seconds, or, when a clock was set forward
/// meanwhile, while so many records were made.
const ON_ITS_WAY: TimeNs = 10_000_000_000;
const RECORDS_MEANWHILE: u64 = 100;

/// What the auditor knows of tiers.
#[derive(Debug, Clone, Default)]
pub(super) struct Tiers(BTreeMap<AccountId, Changed>);

/// The tier of an account, and those before it that a question on its way may name, with what ended them and when.
#[derive(Debug, Clone, Default)]
struct Changed {
    tier: Tier,
    before: Vec<(Tier, Lsn, TimeNs)>,
}

impl Tiers {
    pub(super) fn change(&mut self, f: &TierChanged, (lsn, at): (Lsn, TimeNs)) -> Result<(), String> {
        let changed = self.0.entry(f.account).or_default();
        let last = changed.tier;
        let mut people: Vec<String> = f.by.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        people.sort_unstable();
        people.dedup();
        let wanted = if f.tier < last { 2 } else { 1 };
        let skips = f.case != 0 && f.tier == Tier::Advanced && last == Tier::Unverified;
        if skips
            || f.tier == last && f.country.is_none()
            || people.len() < wanted
            || people.iter().any(String::is_empty)
        {
            return Err(format!("makes {:?} of {last:?} by {:?}", f.tier, f.by));
        }
        changed.tier = f.tier;
        changed.before.retain(|(_, ended, time)| may_be_on_its_way((*ended, *time), (lsn, at)));
        changed.before.push((last, lsn, at));
        Ok(())
    }

    /// The limits that a withdrawal of an account may be held to.
    pub(super) fn limits(&self, account: AccountId, terms: Option<&WithdrawalTerms>, now: (Lsn, TimeNs)) -> Vec<i128> {
        if self.0.is_empty() {
            return terms.map(|terms| terms.daily_limit.0).into_iter().collect();
        }
        let Changed { tier, before } = self.0.get(&account).cloned().unwrap_or_default();
        let before = before.iter().filter(|(_, ended, time)| may_be_on_its_way((*ended, *time), now));
        let limit = |tier| match (tier, terms) {
            (Tier::Basic, Some(terms)) => Some(terms.daily_limit.0),
            (Tier::Advanced, Some(terms)) => Some(terms.daily_limit_advanced.0),
            (Tier::Unverified, _) | (_, None) => None,
        };
        before.map(|(tier, ..)| *tier).chain([tier]).filter_map(limit).collect()
    }
}

/// Whether a question from before a change may still be on its way.
pub(super) fn may_be_on_its_way((changed, at): (Lsn, TimeNs), (lsn, now): (Lsn, TimeNs)) -> bool {
    now.saturating_sub(at) < ON_ITS_WAY || lsn.0 - changed.0 < RECORDS_MEANWHILE
}

impl Auditor {
    /// Whether accounts have the tiers that their records say.
    pub(super) fn agrees_on_tiers<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        for (id, Changed { tier, .. }) in &self.tiers.0 {
            let has = world.accounts().get(*id).map(|account| account.tier());
            if has != Some(*tier) {
                return Err(format!("account {id} has tier {has:?}, its records say {tier:?}"));
            }
        }
        Ok(())
    }
}
