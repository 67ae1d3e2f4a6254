//! Campaigns of coupons: the engine's own entities, folded from durable facts.
//!
//! Owns: the fold. Never does: decide; issue a coupon. Invariants: what is shown is what the cell's campaigns were at one record. Known
//! limits: campaigns that are over are kept.

use super::saved::load_all;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use xng_core::codec::DecodeError;
use xng_core::coupon::campaign::{Campaign, CampaignState, CampaignView};
use xng_core::coupon::{CampaignId, CodeDigest};
use xng_core::entity::{Applied, Entity};
use xng_core::ids::EntityId;
use xng_core::record::{Fact, Role};

/// All campaigns.
#[derive(Debug, Default)]
pub struct Campaigns(Mutex<BTreeMap<CampaignId, Campaign>>);

impl Campaigns {
    /// As recovery found them, each in its saved form.
    ///
    /// # Errors
    /// A form that this build did not write.
    pub fn found(saved: &[(CampaignId, Vec<u8>)]) -> Result<Campaigns, DecodeError> {
        Ok(Campaigns(Mutex::new(load_all::<Campaign>(saved)?)))
    }

    fn all_of_them(&self) -> MutexGuard<'_, BTreeMap<CampaignId, Campaign>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a durable record.
    pub fn follow(&self, applied: Applied<'_>) {
        let record = applied.record;
        if !matches!(record.fact, Fact::Coupon(_)) {
            return;
        }
        let mut all = self.all_of_them();
        record.fact.parties(record.decider, |entity, role: Role| {
            if let EntityId::Campaign(id) = entity {
                all.entry(id).or_insert_with(|| Campaign::blank(id)).evolve(applied, role);
            }
        });
    }

    /// All that were opened, by number.
    #[must_use]
    pub fn all(&self) -> Vec<CampaignView> {
        self.all_of_them().values().filter_map(Campaign::view).collect()
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: CampaignId) -> Option<CampaignView> {
        self.all_of_them().get(&id).and_then(Campaign::view)
    }

    /// The newest one that issues coupons to who knows this code; one that does not any more where none does.
    #[must_use]
    pub fn of_code(&self, code: &CodeDigest) -> Option<CampaignId> {
        let all = self.all();
        let has_code = |view: &&CampaignView| view.terms.code.as_ref() == Some(code);
        let found = all.iter().rev().filter(has_code).find(|view| view.state == CampaignState::Open);
        found.or_else(|| all.iter().rev().find(has_code)).map(|view| view.terms.campaign)
    }

    /// The number of the next one; none when there are no more.
    #[must_use]
    pub fn next(&self) -> Option<CampaignId> {
        let last = self.all_of_them().last_key_value().map_or(0, |(id, _)| id.0);
        last.checked_add(1).map(CampaignId)
    }
}
