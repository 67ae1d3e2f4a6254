//! Fills as rows, and which of them are asked for.
//!
//! Owns: the table `fills`. Never does: compute a fill. Invariants: price, amounts and total stand beside ticks and lots, for
//! whoever reads in SQL; what is read back are ticks and lots. Known limits: none.

use xng_core::{
    account::Fill,
    entity::TimeNs,
    ids::{AccountId, MarketId, OrderId, TradeId},
    money::{Lots, Ticks},
    spot::Side,
};

use super::{put_units, units};
use crate::store::{
    StoreError,
    rows::table::{StoredRow, WrittenRow},
    sql::{Columns, Fields, Filter, Query, Table},
};

/// A fill and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredFill {
    /// Whose.
    pub account: AccountId,
    /// The fill.
    pub fill: Fill,
}

impl StoredRow for StoredFill {
    const TABLE: &'static Table = &Table {
        name: "fills",
        reading: "read fills",
        key: &["trade", "maker"],
        columns: &[
            "trade",
            "maker",
            "account",
            "order_id",
            "market",
            "base",
            "quote",
            "lot_units",
            "tick_lot_units",
            "side",
            "ticks",
            "lots",
            "price_whole",
            "price_frac",
            "amount_whole",
            "amount_frac",
            "total_whole",
            "total_frac",
            "fee_whole",
            "fee_frac",
            "fee_asset",
            "time_ns",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let fill = Fill {
            trade: TradeId(f.id("trade")?),
            order: OrderId(f.id("order_id")?),
            units: units(f)?,
            side: f.variant("side", Side::ALL, |v| v as u8)?,
            ticks: Ticks(f.int("ticks")?),
            lots: Lots(f.int("lots")?),
            fee: f.amount("fee_whole", "fee_frac")?,
            maker: f.int("maker")? == 1,
            time: f.id("time_ns")?,
        };
        Ok(StoredFill { account: AccountId(f.id("account")?), fill })
    }
}

impl WrittenRow for StoredFill {
    fn put(&self, c: &mut Columns) {
        let f = &self.fill;
        c.id(f.trade.0).int(f.maker).id(self.account.0).id(f.order.0);
        put_units(c, &f.units);
        c.int(f.side as u8).int(f.ticks.0).int(f.lots.0);
        c.amount(f.units.price(f.ticks)).amount(f.units.base_amount(f.lots)).amount(f.units.notional(f.ticks, f.lots));
        c.amount(f.fee).int(f.units.fee_asset(f.side).0).id(f.time);
    }
}

/// Place of a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillCursor {
    /// When.
    pub time: TimeNs,
    /// Which trade.
    pub trade: TradeId,
    /// Which side of it.
    pub maker: bool,
}

/// Which fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillFilter {
    /// Whose.
    pub account: AccountId,
    /// Of one market only.
    pub market: Option<MarketId>,
    /// Of one order only.
    pub order: Option<OrderId>,
    /// At or after this time only.
    pub since: Option<TimeNs>,
    /// Before this time only.
    pub until: Option<TimeNs>,
    /// Of this trade or a later one only.
    pub from: Option<TradeId>,
}

impl FillFilter {
    /// All fills of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self { account, market: None, order: None, since: None, until: None, from: None }
    }

    /// Whether a fill of the account is one of them.
    #[must_use]
    pub fn lets_through(&self, f: &Fill) -> bool {
        self.market.is_none_or(|market| f.units.market == market)
            && self.order.is_none_or(|order| f.order == order)
            && self.since.is_none_or(|since| f.time >= since)
            && self.until.is_none_or(|until| f.time < until)
            && self.from.is_none_or(|from| f.trade >= from)
    }
}

impl Filter for FillFilter {
    type Row = StoredFill;
    type Cursor = FillCursor;
    const ORDER: &'static [&'static str] = &["time_ns", "trade", "maker"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        query.only("market", self.market.map(|market| market.0)).only_id("order_id", self.order.map(|order| order.0));
        query.between("time_ns", self.since, self.until).from("trade", self.from.map(|trade| trade.0));
    }

    fn cursor(row: &StoredFill) -> FillCursor {
        FillCursor { time: row.fill.time, trade: row.fill.trade, maker: row.fill.maker }
    }

    fn place(cursor: FillCursor) -> Vec<u64> {
        vec![cursor.time, cursor.trade.0, u64::from(cursor.maker)]
    }
}
