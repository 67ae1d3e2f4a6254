//! Prevented matches as rows, and which of them are asked for.
//!
//! Owns: the table `prevented_matches`. Never does: prevent. Invariants: none beyond the table's key. Known limits: they are
//! asked for market by market.

use xng_core::{
    ids::{AccountId, MarketId, OrderId, PreventedId},
    money::{Lots, Ticks},
    spot::{Stp, prevented_matches::PreventedMatch},
};

use super::units;
use crate::store::{
    StoreError,
    rows::table::{StoredRow, WrittenRow},
    sql::{Columns, Fields, Filter, Query, Table},
};

/// A prevented match and the owner of both of its orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredPrevented {
    /// Whose.
    pub account: AccountId,
    /// The match.
    pub prevented: PreventedMatch,
}

impl StoredRow for StoredPrevented {
    const TABLE: &'static Table = &Table {
        name: "prevented_matches",
        reading: "read prevented matches",
        key: &["market", "prevented"],
        columns: &[
            "market",
            "prevented",
            "account",
            "taker",
            "maker",
            "base",
            "quote",
            "lot_units",
            "tick_lot_units",
            "stp",
            "ticks",
            "taker_lots",
            "maker_lots",
            "lots",
            "time_ns",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let prevented = PreventedMatch {
            id: PreventedId(f.id("prevented")?),
            units: units(f)?,
            taker: OrderId(f.id("taker")?),
            maker: OrderId(f.id("maker")?),
            stp: f.variant("stp", Stp::ALL, |v| v as u8)?,
            ticks: Ticks(f.int("ticks")?),
            taker_lots: Lots(f.int("taker_lots")?),
            maker_lots: Lots(f.int("maker_lots")?),
            lots: Lots(f.int("lots")?),
            time: f.id("time_ns")?,
        };
        Ok(StoredPrevented { account: AccountId(f.id("account")?), prevented })
    }
}

impl WrittenRow for StoredPrevented {
    fn put(&self, c: &mut Columns) {
        let (m, u) = (&self.prevented, &self.prevented.units);
        c.int(u.market.0).id(m.id.0).id(self.account.0).id(m.taker.0).id(m.maker.0);
        c.int(u.base.0).int(u.quote.0).int(u.lot_units).int(u.tick_lot_units);
        c.int(m.stp as u8).int(m.ticks.0).int(m.taker_lots.0).int(m.maker_lots.0).int(m.lots.0).id(m.time);
    }
}

/// Which prevented matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreventedFilter {
    /// Whose.
    pub account: AccountId,
    /// Of this market only.
    pub market: MarketId,
    /// Of one order only.
    pub order: Option<OrderId>,
    /// This one only.
    pub id: Option<PreventedId>,
    /// With this id or a higher one only.
    pub from: Option<PreventedId>,
}

impl PreventedFilter {
    /// Whether a match of the account is one of them.
    #[must_use]
    pub fn lets_through(&self, m: &PreventedMatch) -> bool {
        m.units.market == self.market
            && self.order.is_none_or(|order| m.taker == order || m.maker == order)
            && self.id.is_none_or(|id| m.id == id)
            && self.from.is_none_or(|from| m.id >= from)
    }
}

impl Filter for PreventedFilter {
    type Row = StoredPrevented;
    type Cursor = PreventedId;
    const ORDER: &'static [&'static str] = &["prevented"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed()).equal("market", self.market.0);
        query.only_id("prevented", self.id.map(|id| id.0)).from("prevented", self.from.map(|id| id.0));
        if let Some(order) = self.order.map(|order| order.0.cast_signed()) {
            query.and().push("(taker = ").bind(order).push(" OR maker = ").bind(order).push(")");
        }
    }

    fn cursor(row: &StoredPrevented) -> PreventedId {
        row.prevented.id
    }

    fn place(cursor: PreventedId) -> Vec<u64> {
        vec![cursor.0]
    }
}
