//! Rows of coupons by the tools' own fold, and where the store has them.
//!
//! Owns: what is compared of coupons. Never does: share code with the projection. Invariants: rows come in the order of the journal.
//! Known limits: unused coupons are kept in memory, expired ones among them.

use super::{ComparedRow, Open, Takes, Tool, Whose, tables};
use crate::observe::render;
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use serde_json::json;
use std::collections::BTreeMap;
use xng_core::codec::Wire;
use xng_core::coupon::facts::CouponFact;
use xng_core::coupon::{Coupon, CouponId};
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_core::seconds::facts::SecondsFact;
use xng_persistence::store::{CouponFilter, CouponState, CouponsOf, StoredCoupon};

tables! { coupons: StoredCoupon }

impl ComparedRow for StoredCoupon {
    const NAMES: [&'static str; 2] = ["coupon", "coupons"];
    const KEY: &'static str = "coupons";
    const IS_KEPT: bool = true;
    type Part = ();
    type Place = (TimeNs, CouponId);

    fn account(&self) -> AccountId {
        self.coupon.account
    }
    fn part(&self) {}
    fn place(&self) -> (TimeNs, CouponId) {
        (self.coupon.issued, self.coupon.coupon)
    }
    fn id(&self) -> u64 {
        self.coupon.coupon.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.coupon.put(out);
        self.state.put(out);
        self.until.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(CouponFilter { account, which: CouponsOf::All })
    }
}

/// See the module's header.
pub(in crate::tools) struct Fold {
    whose: Whose,
    unused: BTreeMap<CouponId, StoredCoupon>,
}

impl Fold {
    pub(super) fn new(whose: Whose) -> Fold {
        Fold { whose, unused: BTreeMap::new() }
    }

    /// Reads the next fact.
    pub(super) fn read(
        &mut self,
        (_, time): (Lsn, TimeNs),
        fact: &CouponFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        let (coupon, state) = match fact {
            CouponFact::CouponIssued(f) if self.whose.wants(f.coupon.account) => {
                let (coupon, state, until) = (f.coupon, CouponState::Unused, f.coupon.expires);
                let row = StoredCoupon { coupon, state, until };
                self.unused.insert(coupon.coupon, row);
                return rows.coupons.add(&row);
            }
            CouponFact::CouponCashed(f) => (f.coupon, CouponState::Used),
            CouponFact::CouponRevoked(f) => (f.coupon, CouponState::Revoked),
            CouponFact::CouponIssued(_)
            | CouponFact::CouponStaked(_)
            | CouponFact::CampaignOpened(_)
            | CouponFact::CampaignStopped(_)
            | CouponFact::CampaignClosed(_) => return Ok(()),
        };
        let Some(before) = self.unused.remove(&coupon.coupon) else { return Ok(()) };
        rows.coupons.take(Some(&before), &StoredCoupon { coupon, state, until: time })
    }

    /// Options that are opened by coupons, or that give them back, change their rows.
    pub(super) fn read_options(
        &mut self,
        time: TimeNs,
        fact: &SecondsFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        match fact {
            SecondsFact::OptionOpened(f) => {
                let Some(coupon) = f.option.coupon() else { return Ok(()) };
                let Some(before) = self.unused.remove(&coupon.coupon) else { return Ok(()) };
                rows.coupons.take(Some(&before), &StoredCoupon { state: CouponState::Used, until: time, ..before })
            }
            SecondsFact::OptionsSettled(f) => f.items.iter().try_for_each(|item| {
                let Some(coupon) = item.returned().filter(|c| self.whose.wants(c.account)) else { return Ok(()) };
                let (state, until) = (CouponState::Unused, coupon.expires);
                let row = StoredCoupon { coupon, state, until };
                self.unused.insert(coupon.coupon, row);
                let before = StoredCoupon { state: CouponState::Used, until: item.option.opened, ..row };
                rows.coupons.take(Some(&before), &row)
            }),
            SecondsFact::DeskParamsSet(_) | SecondsFact::PriceSilent(_) => Ok(()),
        }
    }

    /// Unused coupons.
    pub(super) fn open(&self, open: &mut Vec<Open>) {
        open.extend(self.unused.values().map(|StoredCoupon { coupon: c, .. }| {
            let Coupon { coupon, asset, value, expires, .. } = *c;
            let object = json!({ "coupon": coupon.0, "asset": asset.0, "value": value.to_string(),
                "expires": render::time(expires) });
            (format!("unused coupon {coupon}: {value} of asset {asset}, expires {}", render::time(expires)), object)
        }));
    }
}
