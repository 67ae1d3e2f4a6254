//! Periods of funding as rows, and which of them are asked for.
//!
//! Owns: the table `funding`. Never does: compute a rate. Invariants: a period of a contract is in it once. Known limits: what
//! each position paid is in the ledger.

use xng_core::{
    contract::book::facts::{FundingReason, FundingSet},
    entity::TimeNs,
    ids::MarketId,
    money::Amount,
};

use crate::store::{
    StoreError,
    rows::table::{StoredRow, WrittenRow},
    sql::{Columns, Fields, Filter, Query, Table},
};

/// A period of funding that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredFunding {
    /// Of which contract.
    pub contract: MarketId,
    /// When the period was over.
    pub due: TimeNs,
    /// Its rate.
    pub rate: Amount,
    /// The mark.
    pub mark: Amount,
    /// What a long lot paid.
    pub per_lot: Amount,
    /// Why it has this rate.
    pub reason: FundingReason,
}

impl StoredFunding {
    /// As the fact says.
    #[must_use]
    pub fn of(f: &FundingSet) -> Self {
        let FundingSet { units, due, rate, mark, per_lot, reason, .. } = *f;
        Self { contract: units.contract, due, rate, mark, per_lot, reason }
    }
}

impl StoredRow for StoredFunding {
    const TABLE: &'static Table = &Table {
        name: "funding",
        reading: "read funding",
        key: &["contract", "due_ns"],
        columns: &[
            "contract",
            "due_ns",
            "rate_whole",
            "rate_frac",
            "mark_whole",
            "mark_frac",
            "per_lot_whole",
            "per_lot_frac",
            "reason",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            contract: MarketId(f.small("contract")?),
            due: f.id("due_ns")?,
            rate: f.amount("rate_whole", "rate_frac")?,
            mark: f.amount("mark_whole", "mark_frac")?,
            per_lot: f.amount("per_lot_whole", "per_lot_frac")?,
            reason: f.variant("reason", FundingReason::ALL, |v| v as u8)?,
        })
    }
}

impl WrittenRow for StoredFunding {
    fn put(&self, c: &mut Columns) {
        c.int(self.contract.0).id(self.due).amount(self.rate).amount(self.mark).amount(self.per_lot);
        c.int(self.reason as u8);
    }
}

/// Which periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FundingFilter {
    /// Of one contract only.
    pub contract: Option<MarketId>,
    /// That ended at or after this time only.
    pub since: Option<TimeNs>,
    /// That ended before this time only.
    pub until: Option<TimeNs>,
}

impl Filter for FundingFilter {
    type Row = StoredFunding;
    type Cursor = (TimeNs, MarketId);
    const ORDER: &'static [&'static str] = &["due_ns", "contract"];

    fn narrow(&self, query: &mut Query) {
        query.only("contract", self.contract.map(|contract| contract.0)).between("due_ns", self.since, self.until);
    }

    fn cursor(row: &StoredFunding) -> (TimeNs, MarketId) {
        (row.due, row.contract)
    }

    fn place((due, contract): (TimeNs, MarketId)) -> Vec<u64> {
        vec![due, contract.0.into()]
    }
}
