//! Positions in contracts' books as rows.
//!
//! Owns: the table `legs`. Never does: change a position; its own type does.
//! Invariants: a row is the engine's own leg; one that is closed has no lots. Known limits: none.

use xng_core::{
    contract::{
        book::{
            effect::Leg,
            order::{BookUnits, LegSide},
        },
        facts::MarginMode,
        leg::Direction,
    },
    entity::TimeNs,
    ids::{AccountId, MarketId},
    money::{Amount, Lots},
};

use super::{put_units, units};
use crate::store::{
    StoreError,
    rows::table::{Kept, StoredRow, WrittenRow},
    sql::{Columns, Fields, Filter, Query, Table},
};

/// Which position.
pub type LegKey = (AccountId, MarketId, LegSide);

/// What is left of a position that was closed.
pub(super) const NOTHING: Leg = Leg {
    direction: Direction::Long,
    lots: Lots::ZERO,
    cost: Amount::ZERO,
    mode: MarginMode::Isolated,
    margin: Amount::ZERO,
    multiple: 1,
    funding_index: Amount::ZERO,
};

/// A position and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredLeg {
    /// Whose.
    pub account: AccountId,
    /// Meaning of its numbers.
    pub units: BookUnits,
    /// Which of its owner's positions of this contract.
    pub side: LegSide,
    /// The position; without lots once it is closed.
    pub leg: Leg,
    /// When it last changed.
    pub updated: TimeNs,
}

impl StoredLeg {
    /// Whether it is closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.leg.lots.is_zero()
    }
}

impl StoredRow for StoredLeg {
    const TABLE: &'static Table = &Table {
        name: "legs",
        reading: "read positions",
        key: &["account", "contract", "leg"],
        columns: &[
            "account",
            "leg",
            "contract",
            "settle",
            "lot_whole",
            "lot_frac",
            "tick_whole",
            "tick_frac",
            "direction",
            "lots",
            "cost_whole",
            "cost_frac",
            "mode",
            "margin_whole",
            "margin_frac",
            "multiple",
            "funding_index_whole",
            "funding_index_frac",
            "updated_ns",
        ],
        replaced: &[
            "settle",
            "lot_whole",
            "lot_frac",
            "tick_whole",
            "tick_frac",
            "direction",
            "lots",
            "cost_whole",
            "cost_frac",
            "mode",
            "margin_whole",
            "margin_frac",
            "multiple",
            "funding_index_whole",
            "funding_index_frac",
            "updated_ns",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let leg = Leg {
            direction: f.variant("direction", Direction::ALL, |v| v as u8)?,
            lots: Lots(f.int("lots")?),
            cost: f.amount("cost_whole", "cost_frac")?,
            mode: f.variant("mode", MarginMode::ALL, |v| v as u8)?,
            margin: f.amount("margin_whole", "margin_frac")?,
            multiple: f.small("multiple")?,
            funding_index: f.amount("funding_index_whole", "funding_index_frac")?,
        };
        Ok(Self {
            account: AccountId(f.id("account")?),
            units: units(f)?,
            side: f.variant("leg", LegSide::ALL, |v| v as u8)?,
            leg,
            updated: f.id("updated_ns")?,
        })
    }
}

impl WrittenRow for StoredLeg {
    fn put(&self, c: &mut Columns) {
        let leg = &self.leg;
        c.id(self.account.0).int(self.side as u8);
        put_units(c, &self.units);
        c.int(leg.direction as u8).int(leg.lots.0).amount(leg.cost).int(leg.mode as u8).amount(leg.margin);
        c.int(leg.multiple).amount(leg.funding_index).id(self.updated);
    }
}

impl Kept for StoredLeg {
    type Key = LegKey;

    fn key(&self) -> LegKey {
        (self.account, self.units.contract, self.side)
    }

    fn numbers((account, contract, side): LegKey) -> impl IntoIterator<Item = i64> {
        [account.0.cast_signed(), i64::from(contract.0), side as i64]
    }

    fn is_done(&self) -> bool {
        self.is_closed()
    }
}

/// The positions of an account, closed ones among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegFilter {
    /// Whose.
    pub account: AccountId,
}

impl Filter for LegFilter {
    type Row = StoredLeg;
    type Cursor = (MarketId, LegSide);
    const ORDER: &'static [&'static str] = &["contract", "leg"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
    }

    fn cursor(row: &StoredLeg) -> (MarketId, LegSide) {
        (row.units.contract, row.side)
    }

    fn place((contract, side): (MarketId, LegSide)) -> Vec<u64> {
        vec![contract.0.into(), side as u64]
    }
}
