//! Fills of contracts' books as rows, and which of them are asked for.
//!
//! Owns: the table `leg_fills`. Never does: compute a fill. Invariants: price and value stand beside ticks and lots, for
//! whoever reads in SQL; what is read back are ticks and lots. Known limits: none.

use xng_core::{
    account::leg_orders::LegFill,
    contract::book::order::LegSide,
    entity::TimeNs,
    ids::{AccountId, MarketId, OrderId, TradeId},
    money::{Lots, Ticks},
    spot::Side,
};

use super::units;
use crate::store::{
    StoreError,
    rows::table::{StoredRow, WrittenRow},
    sql::{Columns, Fields, Filter, Query, Table},
};

/// A fill and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredLegFill {
    /// Whose.
    pub account: AccountId,
    /// The fill.
    pub fill: LegFill,
}

impl StoredRow for StoredLegFill {
    const TABLE: &'static Table = &Table {
        name: "leg_fills",
        reading: "read fills of contracts",
        key: &["contract", "trade", "maker"],
        columns: &[
            "contract",
            "trade",
            "maker",
            "account",
            "order_id",
            "settle",
            "lot_whole",
            "lot_frac",
            "tick_whole",
            "tick_frac",
            "side",
            "leg",
            "ticks",
            "lots",
            "price_whole",
            "price_frac",
            "value_whole",
            "value_frac",
            "result_whole",
            "result_frac",
            "fee_whole",
            "fee_frac",
            "time_ns",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let fill = LegFill {
            trade: TradeId(f.id("trade")?),
            order: OrderId(f.id("order_id")?),
            units: units(f)?,
            side: f.variant("side", Side::ALL, |v| v as u8)?,
            leg: f.variant("leg", LegSide::ALL, |v| v as u8)?,
            ticks: Ticks(f.int("ticks")?),
            lots: Lots(f.int("lots")?),
            result: f.amount("result_whole", "result_frac")?,
            fee: f.amount("fee_whole", "fee_frac")?,
            maker: f.int("maker")? == 1,
            time: f.id("time_ns")?,
        };
        Ok(Self { account: AccountId(f.id("account")?), fill })
    }
}

impl WrittenRow for StoredLegFill {
    fn put(&self, c: &mut Columns) {
        let f = &self.fill;
        c.int(f.units.contract.0).id(f.trade.0).int(f.maker).id(self.account.0).id(f.order.0);
        c.int(f.units.settle.0).amount(f.units.lot).amount(f.units.tick);
        c.int(f.side as u8).int(f.leg as u8).int(f.ticks.0).int(f.lots.0);
        c.amount(f.units.price(f.ticks)).amount(f.units.value(f.ticks, f.lots));
        c.amount(f.result).amount(f.fee).id(f.time);
    }
}

/// Place of a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegFillCursor {
    /// When.
    pub time: TimeNs,
    /// Which trade.
    pub trade: TradeId,
    /// Which side of it.
    pub maker: bool,
}

/// Which fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegFillFilter {
    /// Whose.
    pub account: AccountId,
    /// Of one contract only.
    pub contract: Option<MarketId>,
    /// Of one order only.
    pub order: Option<OrderId>,
    /// At or after this time only.
    pub since: Option<TimeNs>,
    /// Before this time only.
    pub until: Option<TimeNs>,
    /// Of this trade or a later one only.
    pub from: Option<TradeId>,
}

impl LegFillFilter {
    /// All fills of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self { account, contract: None, order: None, since: None, until: None, from: None }
    }

    /// Whether a fill of the account is one of them.
    #[must_use]
    pub fn lets_through(&self, f: &LegFill) -> bool {
        self.contract.is_none_or(|contract| f.units.contract == contract)
            && self.order.is_none_or(|order| f.order == order)
            && self.since.is_none_or(|since| f.time >= since)
            && self.until.is_none_or(|until| f.time < until)
            && self.from.is_none_or(|from| f.trade >= from)
    }
}

impl Filter for LegFillFilter {
    type Row = StoredLegFill;
    type Cursor = LegFillCursor;
    const ORDER: &'static [&'static str] = &["time_ns", "trade", "maker"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        query.only("contract", self.contract.map(|contract| contract.0));
        query.only_id("order_id", self.order.map(|order| order.0));
        query.between("time_ns", self.since, self.until).from("trade", self.from.map(|trade| trade.0));
    }

    fn cursor(row: &StoredLegFill) -> LegFillCursor {
        LegFillCursor { time: row.fill.time, trade: row.fill.trade, maker: row.fill.maker }
    }

    fn place(cursor: LegFillCursor) -> Vec<u64> {
        vec![cursor.time, cursor.trade.0, u64::from(cursor.maker)]
    }
}
