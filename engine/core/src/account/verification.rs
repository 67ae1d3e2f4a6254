//! How well the exchange knows who owns an account: the tier that two people's, or one person's, decision gave it.
//!
//! Owns: tiers, the fact, who may set one. Never does: look at a document; the office does. Invariants: a higher tier is one person's
//! decision or the settings', a lower one that of two people; of a case it is one step: what was revoked meanwhile stays revoked; whoever
//! decided is in the record. Rules:
//! `docs/rules/verification.md`. Known limits: a name is what the office says.

use super::Account;
use crate::entity::Decision;
use crate::ids::AccountId;
use crate::record::FactBody;
use crate::reject::Reject;

/// Letters of a name at most.
const LONGEST_NAME: usize = 64;
/// People who decide together at most.
const MOST_PEOPLE: usize = 4;

crate::wire_enum! {
    /// How well the exchange knows an account's owner.
    #[derive(Default)]
    pub enum Tier {
        /// Not at all.
        #[default]
        Unverified = 0,
        /// Name and number of a document were checked.
        Basic = 1,
        /// Pictures of the document, too.
        Advanced = 2,
    }
}

crate::wire_struct! {
    /// An account has this tier from now on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TierChanged {
        /// Whose.
        pub account: AccountId,
        /// The tier.
        pub tier: Tier,
        /// The office's case that was decided; 0 of one that the settings name.
        pub case: u64,
        /// Who decided.
        pub by: Vec<String>,
    }
}

impl FactBody for TierChanged {}

impl Account {
    /// How well its owner is known.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.cold().tier
    }

    pub(super) fn set_tier(&self, tier: Tier, case: u64, by: &[String]) -> Result<Decision, Reject> {
        let form = |name: &String| name.trim().to_ascii_lowercase();
        let mut people: Vec<String> = by.iter().map(form).collect();
        people.sort_unstable();
        people.dedup();
        let is_name = |name: &String| !name.is_empty() && name.chars().count() <= LONGEST_NAME;
        if !people.iter().all(is_name) || !(1..=MOST_PEOPLE).contains(&by.len()) {
            return Err(Reject::BadParameters);
        }
        if tier == self.tier() {
            return Err(Reject::AlreadyExists);
        }
        if tier < self.tier() && people.len() < 2 {
            return Err(Reject::NotTwoPeople);
        }
        if case != 0 && tier == Tier::Advanced && self.tier() == Tier::Unverified {
            return Err(Reject::Unverified);
        }
        Ok(Decision::Fact(TierChanged { account: self.id, tier, case, by: by.to_vec() }.into()))
    }

    pub(super) fn apply_tier(&mut self, tier: Tier) {
        self.cold_mut().tier = tier;
        if self.cold().is_empty() {
            self.cold = None;
        }
    }
}
