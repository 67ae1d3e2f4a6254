//! Tiers of accounts, as the auditor sees them.
//!
//! Owns: the last two tiers of each account. Never does: use the engine's rules. Invariants checked: a tier is another than before, of
//! a case one step higher; a lower one names two people, each one somebody; an account has the tier that its records say.
//! Known limits: a withdrawal may be held to the tier before: its account asked before the change; earlier releases had no tiers, so
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

/// A question is on its way from the account to the chain for so long at most: ten seconds.
const ON_ITS_WAY: TimeNs = 10_000_000_000;

/// What the auditor knows of tiers.
#[derive(Debug, Clone, Default)]
pub(super) struct Tiers(BTreeMap<AccountId, Changed>);

/// The tier before the last change, the one after it, and when that was.
#[derive(Debug, Clone, Copy, Default)]
struct Changed {
    tiers: [Tier; 2],
    at: TimeNs,
}

impl Tiers {
    pub(super) fn change(&mut self, f: &TierChanged, at: TimeNs) -> Result<(), String> {
        let changed = self.0.entry(f.account).or_default();
        let last = changed.tiers;
        let mut people: Vec<String> = f.by.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        people.sort_unstable();
        people.dedup();
        let wanted = if f.tier < last[1] { 2 } else { 1 };
        let skips = f.case != 0 && f.tier == Tier::Advanced && last[1] == Tier::Unverified;
        if skips || f.tier == last[1] || people.len() < wanted || people.iter().any(String::is_empty) {
            return Err(format!("makes {:?} of {:?} by {:?}", f.tier, last[1], f.by));
        }
        *changed = Changed { tiers: [last[1], f.tier], at };
        Ok(())
    }

    /// The limits that a withdrawal of an account may be held to.
    pub(super) fn limits(&self, account: AccountId, terms: Option<&WithdrawalTerms>, now: TimeNs) -> Vec<i128> {
        if self.0.is_empty() {
            return terms.map(|terms| terms.daily_limit.0).into_iter().collect();
        }
        let Changed { tiers, at } = self.0.get(&account).copied().unwrap_or_default();
        let tiers = if now - at < ON_ITS_WAY { &tiers[..] } else { &tiers[1..] };
        let limit = |tier| match (tier, terms) {
            (Tier::Basic, Some(terms)) => Some(terms.daily_limit.0),
            (Tier::Advanced, Some(terms)) => Some(terms.daily_limit_advanced.0),
            (Tier::Unverified, _) | (_, None) => None,
        };
        tiers.iter().filter_map(|tier| limit(*tier)).collect()
    }
}

impl Auditor {
    /// Whether accounts have the tiers that their records say.
    pub(super) fn agrees_on_tiers<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        for (id, Changed { tiers: [_, tier], .. }) in &self.tiers.0 {
            let has = world.accounts().get(*id).map(|account| account.tier());
            if has != Some(*tier) {
                return Err(format!("account {id} has tier {has:?}, its records say {tier:?}"));
            }
        }
        Ok(())
    }
}
