//! How well the exchange knows who owns an account: the tier that one or two people gave it, and where they live.
//!
//! Owns: tiers, countries, the fact, who may set one, and that an account opens nothing that is not offered there. Never does: look at a
//! document; the office does. Invariants: a higher tier is one person's decision or the settings', a lower one that of two people; of a
//! case it is one step: what was revoked meanwhile stays revoked; whoever decided is in the record. Rules: `docs/rules/verification.md`,
//! `docs/rules/regions.md`. Known limits: a name is what the office says.

use super::{Account, AccountCommand};
use crate::board::Board;
use crate::entity::Decision;
use crate::ids::AccountId;
use crate::record::FactBody;
use crate::region::{Country, Products, opens};
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
        /// Where the owner lives from now on; none: as before.
        pub country: Option<Country>,
    }
}

crate::wire_struct! {
    /// The first form, before countries mattered.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TierChangedV1 {
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

impl From<TierChangedV1> for TierChanged {
    fn from(old: TierChangedV1) -> TierChanged {
        let TierChangedV1 { account, tier, case, by } = old;
        TierChanged { account, tier, case, by, country: None }
    }
}

impl FactBody for TierChanged {}

impl Account {
    /// How well its owner is known.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.cold().tier
    }

    /// Where its owner lives.
    #[must_use]
    pub fn country(&self) -> Country {
        self.cold().country
    }

    /// What it may not open.
    pub(super) fn barred(&self, board: &Board) -> Products {
        // The house and the exchange live nowhere.
        if self.house || self.id.is_system() { Products::NONE } else { board.barred(self.country()) }
    }

    /// Refuses what would open something that is not offered where the owner lives.
    #[inline]
    pub(super) fn check_offered(&self, command: &AccountCommand, board: &Board) -> Result<(), Reject> {
        if board.bars_something() { self.may_open(opens(command), board) } else { Ok(()) }
    }

    /// Refuses to open something of products of which one is barred.
    #[inline]
    pub(super) fn may_open(&self, opened: Products, board: &Board) -> Result<(), Reject> {
        // Nearly everywhere everything is offered, and most commands open nothing.
        let may = !board.bars_something() || opened.is_empty() || !opened.meets(self.barred(board));
        if may { Ok(()) } else { Err(Reject::NotInRegion) }
    }

    pub(super) fn set_tier(
        &self,
        (tier, country): (Tier, Option<Country>),
        case: u64,
        by: &[String],
    ) -> Result<Decision, Reject> {
        let form = |name: &String| name.trim().to_ascii_lowercase();
        let mut people: Vec<String> = by.iter().map(form).collect();
        people.sort_unstable();
        people.dedup();
        let is_name = |name: &String| !name.is_empty() && name.chars().count() <= LONGEST_NAME;
        if !people.iter().all(is_name) || !(1..=MOST_PEOPLE).contains(&by.len()) {
            return Err(Reject::BadParameters);
        }
        // Who says where the owner lives, alone, takes no higher tier back by it.
        let tier = if country.is_some() && people.len() < 2 { tier.max(self.tier()) } else { tier };
        if tier == self.tier() && country.is_none_or(|country| country == self.country()) {
            return Err(Reject::AlreadyExists);
        }
        if tier < self.tier() && people.len() < 2 {
            return Err(Reject::NotTwoPeople);
        }
        if case != 0 && tier == Tier::Advanced && self.tier() == Tier::Unverified {
            return Err(Reject::Unverified);
        }
        Ok(Decision::Fact(TierChanged { account: self.id, tier, case, by: by.to_vec(), country }.into()))
    }

    pub(super) fn apply_tier(&mut self, f: &TierChanged) {
        let cold = self.cold_mut();
        cold.tier = f.tier;
        cold.country = f.country.unwrap_or(cold.country);
        if self.cold().is_empty() {
            self.cold = None;
        }
    }
}
