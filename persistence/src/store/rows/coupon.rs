//! Coupons as rows, and which of them are asked for.
//!
//! Owns: the table `coupons`, and the rows of each fact of coupons. Never does: decide whether one is over; who asks names the time.
//! Invariants: a row is the engine's own coupon, and what became of it. Known limits: campaigns have no rows: they are in memory and in
//! the journal.

use std::collections::BTreeMap;

use xng_core::{
    coupon::{Coupon, CouponId, CouponKind, facts::CouponFact},
    entity::TimeNs,
    ids::{AccountId, AssetId},
    journal::Lsn,
    record::Record,
};

use super::{
    Missing,
    message::{MessageKey, MessageKind, StoredMessage},
    table::{StoredRow, WrittenRow, tables},
};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};

tables! {
    /// What a batch changes of coupons.
    rows {
        /// Coupons that changed, as they are now.
        coupons: BTreeMap<CouponId, StoredCoupon>,
        /// What owners are told.
        messages: BTreeMap<MessageKey, StoredMessage>,
    }
    remembered {}
}

impl Needs {
    pub(in crate::store) fn name(&mut self, _: &Record, _: &CouponFact) {}
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (_, record): (Lsn, &Record),
        fact: &CouponFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        let row = match fact {
            CouponFact::CouponIssued(f) => StoredCoupon::unused(f.coupon),
            CouponFact::CouponCashed(f) => StoredCoupon::ended(f.coupon, CouponState::Used, record.time),
            CouponFact::CouponRevoked(f) => StoredCoupon::ended(f.coupon, CouponState::Revoked, record.time),
            // It is used when an option is opened by it.
            CouponFact::CouponStaked(_)
            | CouponFact::CampaignOpened(_)
            | CouponFact::CampaignStopped(_)
            | CouponFact::CampaignClosed(_) => return Ok(()),
        };
        rows.coupons.insert(row.coupon.coupon, row);
        if let CouponFact::CouponIssued(f) = fact {
            let Coupon { coupon, account, asset, value, .. } = f.coupon;
            let message = StoredMessage::new(account, MessageKind::CouponIssued, record.time).about(coupon.0);
            StoredMessage { asset, amount: value, ..message }.add_to(&mut rows.messages);
        }
        Ok(())
    }
}

xng_core::wire_enum! {
    /// What became of a coupon.
    pub enum CouponState {
        /// It was not used; it may have expired.
        Unused = 0,
        /// It was used.
        Used = 1,
        /// It was taken back.
        Revoked = 2,
    }
}

/// A coupon, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredCoupon {
    /// The coupon.
    pub coupon: Coupon,
    /// What became of it.
    pub state: CouponState,
    /// When it was used or taken back; of an unused one when it expires.
    pub until: TimeNs,
}

impl StoredCoupon {
    /// One that was not used.
    #[must_use]
    pub fn unused(coupon: Coupon) -> Self {
        Self { coupon, state: CouponState::Unused, until: coupon.expires }
    }

    /// One that was used or taken back.
    #[must_use]
    pub fn ended(coupon: Coupon, state: CouponState, time: TimeNs) -> Self {
        Self { coupon, state, until: time }
    }
}

impl StoredRow for StoredCoupon {
    const TABLE: &'static Table = &Table {
        name: "coupons",
        reading: "read coupons",
        key: &["coupon_id"],
        columns: &[
            "coupon_id",
            "account",
            "kind",
            "asset",
            "value_whole",
            "value_frac",
            "issued_ns",
            "expires_ns",
            "state",
            "until_ns",
        ],
        replaced: &["state", "until_ns"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let coupon = Coupon {
            coupon: CouponId(f.id("coupon_id")?),
            account: AccountId(f.id("account")?),
            kind: f.variant("kind", CouponKind::ALL, |kind| kind as u8)?,
            asset: AssetId(f.small("asset")?),
            value: f.amount("value_whole", "value_frac")?,
            issued: f.id("issued_ns")?,
            expires: f.id("expires_ns")?,
        };
        let state = f.variant("state", CouponState::ALL, |state| state as u8)?;
        Ok(Self { coupon, state, until: f.id("until_ns")? })
    }
}

impl WrittenRow for StoredCoupon {
    fn put(&self, c: &mut Columns) {
        let coupon = &self.coupon;
        c.id(coupon.coupon.0).id(coupon.account.0).int(coupon.kind as u8).int(coupon.asset.0).amount(coupon.value);
        c.id(coupon.issued).id(coupon.expires).int(self.state as u8).id(self.until);
    }
}

/// Which coupons of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CouponsOf {
    /// All.
    All,
    /// Those that were used.
    Used,
    /// Those that were over at a time without having been used: expired, or taken back.
    OverAt(TimeNs),
}

/// Coupons of one account, in the order in which it got them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CouponFilter {
    /// Whose.
    pub account: AccountId,
    /// Which.
    pub which: CouponsOf,
}

impl Filter for CouponFilter {
    type Row = StoredCoupon;
    type Cursor = (TimeNs, CouponId);
    const ORDER: &'static [&'static str] = &["issued_ns", "coupon_id"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        match self.which {
            CouponsOf::All => {}
            CouponsOf::Used => {
                query.equal("state", CouponState::Used as u8);
            }
            CouponsOf::OverAt(now) => {
                let unpaid = [CouponState::Unused, CouponState::Revoked].map(|state| state as i64);
                // A coupon is over at its time, not after it.
                query.among("state", unpaid.into_iter()).between("until_ns", None, Some(now.saturating_add(1)));
            }
        }
    }

    fn cursor(row: &StoredCoupon) -> (TimeNs, CouponId) {
        (row.coupon.issued, row.coupon.coupon)
    }

    fn place((issued, coupon): (TimeNs, CouponId)) -> Vec<u64> {
        vec![issued, coupon.0]
    }
}
