//! Orders of a market, whoever's, and the fills of some orders: for looks at a market as a whole.
//!
//! Owns: these filters; the index `orders_by_market` serves the first, `fills_by_order` the second. Never does: write.
//! Invariants: none. Known limits: orders of the house are no rows.

use xng_core::{
    entity::TimeNs,
    ids::{MarketId, OrderId},
};

use super::{
    fills::{FillCursor, StoredFill},
    orders::{OrderCursor, StoredOrder},
};
use crate::store::sql::{Filter, Query};

/// Orders of a market that were taken at or after a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarketOrders {
    /// Where.
    pub market: MarketId,
    /// When, at the earliest.
    pub since: TimeNs,
}

impl Filter for MarketOrders {
    type Row = StoredOrder;
    type Cursor = OrderCursor;
    const ORDER: &'static [&'static str] = &["created_ns", "order_id"];

    fn narrow(&self, query: &mut Query) {
        query.equal("market", self.market.0).from("created_ns", Some(self.since));
    }

    fn cursor(row: &StoredOrder) -> OrderCursor {
        OrderCursor::from(&row.order)
    }

    fn place(cursor: OrderCursor) -> Vec<u64> {
        vec![cursor.created, cursor.order.0]
    }
}

/// Fills of these orders, one of them at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillsOfOrders {
    /// Which orders.
    pub orders: Vec<OrderId>,
}

impl Filter for FillsOfOrders {
    type Row = StoredFill;
    type Cursor = FillCursor;
    const ORDER: &'static [&'static str] = &["time_ns", "trade", "maker"];

    fn narrow(&self, query: &mut Query) {
        query.among("order_id", self.orders.iter().map(|order| order.0.cast_signed()));
    }

    fn cursor(row: &StoredFill) -> FillCursor {
        FillCursor { time: row.fill.time, trade: row.fill.trade, maker: row.fill.maker }
    }

    fn place(cursor: FillCursor) -> Vec<u64> {
        vec![cursor.time, cursor.trade.0, u64::from(cursor.maker)]
    }
}
