//! What was changed of orders, as rows.
//!
//! Owns: the table `amendments`. Never does: amend. Invariants: none beyond the table's key. Known limits: they are asked for
//! order by order.

use xng_core::{
    entity::TimeNs,
    ids::{AccountId, ClientOrderId, OrderId},
    money::Lots,
};

use crate::store::{
    StoreError,
    rows::table::{StoredRow, WrittenRow},
    sql::{Columns, Fields, Filter, Query, Table},
};

/// What was changed of an order that became smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredAmendment {
    /// Whose.
    pub account: AccountId,
    /// Which order.
    pub order: OrderId,
    /// When.
    pub time: TimeNs,
    /// Its name before and after.
    pub client_ids: [Option<ClientOrderId>; 2],
    /// Its whole quantity before and after.
    pub lots: [Lots; 2],
}

impl StoredRow for StoredAmendment {
    const TABLE: &'static Table = &Table {
        name: "amendments",
        reading: "read amendments",
        key: &["order_id", "time_ns"],
        columns: &["order_id", "time_ns", "account", "client_id_before", "client_id", "lots_before", "lots"],
        texts: &["client_id_before", "client_id"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        Ok(StoredAmendment {
            account: AccountId(f.id("account")?),
            order: OrderId(f.id("order_id")?),
            time: f.id("time_ns")?,
            client_ids: [f.client_id("client_id_before")?, f.client_id("client_id")?],
            lots: [Lots(f.int("lots_before")?), Lots(f.int("lots")?)],
        })
    }
}

impl WrittenRow for StoredAmendment {
    fn put(&self, c: &mut Columns) {
        let [before, after] = self.client_ids.map(|id| id.map(|id| id.as_str().to_owned()));
        c.id(self.order.0).id(self.time).id(self.account.0).text(before).text(after);
        c.int(self.lots[0].0).int(self.lots[1].0);
    }
}

/// Which amendments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmendmentFilter {
    /// Of which order.
    pub order: OrderId,
    /// At or after this time.
    pub from: TimeNs,
}

impl Filter for AmendmentFilter {
    type Row = StoredAmendment;
    type Cursor = TimeNs;
    const ORDER: &'static [&'static str] = &["time_ns"];

    fn narrow(&self, query: &mut Query) {
        query.equal("order_id", self.order.0.cast_signed()).from("time_ns", Some(self.from));
    }

    fn cursor(row: &StoredAmendment) -> TimeNs {
        row.time
    }

    fn place(cursor: TimeNs) -> Vec<u64> {
        vec![cursor]
    }
}
