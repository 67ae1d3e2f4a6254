//! Lists of orders that depend on each other, as rows.
//!
//! Owns: the table `order_lists`. Never does: hold the orders; they are rows of their own. Invariants: a list never changes.
//! Known limits: three orders at most.

use xng_core::{
    entity::TimeNs,
    ids::{AccountId, MarketId, OrderId},
    spot::{ListKind, facts::OrderList},
};

use super::orders::OrderCursor;
use crate::store::{
    StoreError,
    rows::table::{StoredRow, WrittenRow},
    sql::{Columns, Fields, Filter, Query, Table},
};

/// Orders that depend on each other, and their owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredList {
    /// Whose.
    pub account: AccountId,
    /// Where.
    pub market: MarketId,
    /// The list.
    pub list: OrderList,
    /// When it was taken.
    pub created: TimeNs,
}

impl StoredRow for StoredList {
    const TABLE: &'static Table = &Table {
        name: "order_lists",
        reading: "read lists",
        key: &["list_id"],
        columns: &["list_id", "account", "market", "other", "client_id", "created_ns", "kind", "third"],
        texts: &["client_id"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let list = OrderId(f.id("list_id")?);
        let client_id = f.client_id("client_id")?;
        let third = f.maybe_int("third")?.map(|third| OrderId(third.cast_unsigned()));
        let orders = [list, OrderId(f.id("other")?)].into_iter().chain(third).collect();
        let list = OrderList { list, kind: f.variant("kind", ListKind::ALL, |v| v as u8)?, orders, client_id };
        let (account, market) = (AccountId(f.id("account")?), MarketId(f.small("market")?));
        Ok(StoredList { account, market, list, created: f.id("created_ns")? })
    }
}

impl WrittenRow for StoredList {
    fn put(&self, c: &mut Columns) {
        let order = |at: usize| self.list.orders.get(at).map(|order| order.0);
        c.id(self.list.list.0).id(self.account.0).int(self.market.0).id(order(1).unwrap_or_default());
        c.text(self.list.client_id.map(|id| id.as_str().to_owned())).id(self.created);
        c.int(self.list.kind as u8).maybe_int(order(2).map(u64::cast_signed));
    }
}

/// Which lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListFilter {
    /// Whose.
    pub account: AccountId,
}

impl Filter for ListFilter {
    type Row = StoredList;
    type Cursor = OrderCursor;
    const ORDER: &'static [&'static str] = &["created_ns", "list_id"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
    }

    fn cursor(row: &StoredList) -> OrderCursor {
        OrderCursor { created: row.created, order: row.list.list }
    }

    fn place(cursor: OrderCursor) -> Vec<u64> {
        vec![cursor.created, cursor.order.0]
    }
}
