//! Orders of contracts' books as rows, and which of them are asked for.
//!
//! Owns: the table `leg_orders`. Never does: change an order; its own type does.
//! Invariants: a row is the engine's own order as its owner sees it. Known limits: none.

use xng_core::{
    account::leg_orders::LegOrder,
    contract::book::{
        order::LegSide,
        waiting::{Condition, WorkingPrice},
    },
    entity::TimeNs,
    ids::{AccountId, ClientOrderId, MarketId, OrderId},
    money::{Lots, Ticks},
    spot::{EndReason, OrderKind, OrderStatus, Side, Stp, Tif, Trigger, TriggerKind},
};

use super::{put_units, units};
use crate::store::{
    StoreError,
    rows::table::{Kept, StoredRow, WrittenRow},
    sql::{Columns, Fields, Filter, Query, Table},
};

/// An order and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredLegOrder {
    /// Whose.
    pub account: AccountId,
    /// The order.
    pub order: LegOrder,
}

impl StoredRow for StoredLegOrder {
    const TABLE: &'static Table = &Table {
        name: "leg_orders",
        reading: "read orders of contracts",
        key: &["order_id"],
        columns: &[
            "order_id",
            "account",
            "contract",
            "settle",
            "lot_whole",
            "lot_frac",
            "tick_whole",
            "tick_frac",
            "side",
            "leg",
            "kind",
            "tif",
            "stp",
            "reduce_only",
            "ticks",
            "lots",
            "open_lots",
            "filled_lots",
            "spent_whole",
            "spent_frac",
            "status",
            "reason",
            "working",
            "trigger_kind",
            "trigger_ticks",
            "trail_bips",
            "close_position",
            "client_id",
            "created_ns",
            "updated_ns",
        ],
        replaced: &["lots", "open_lots", "filled_lots", "spent_whole", "spent_frac", "status", "reason", "updated_ns"],
        texts: &["client_id"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let condition = match f.maybe_int("working")? {
            None => None,
            Some(_) => Some(Condition {
                working: f.variant("working", WorkingPrice::ALL, |v| v as u8)?,
                trigger: Trigger {
                    kind: f.variant("trigger_kind", TriggerKind::ALL, |v| v as u8)?,
                    ticks: Ticks(f.int("trigger_ticks")?),
                    trail_bips: f.small("trail_bips")?,
                },
                close_position: f.int("close_position")? == 1,
            }),
        };
        let order = LegOrder {
            order: OrderId(f.id("order_id")?),
            units: units(f)?,
            side: f.variant("side", Side::ALL, |v| v as u8)?,
            leg: f.variant("leg", LegSide::ALL, |v| v as u8)?,
            kind: f.variant("kind", OrderKind::ALL, |v| v as u8)?,
            tif: f.variant("tif", Tif::ALL, |v| v as u8)?,
            stp: f.variant("stp", Stp::ALL, |v| v as u8)?,
            ticks: Ticks(f.int("ticks")?),
            lots: Lots(f.int("lots")?),
            open: Lots(f.int("open_lots")?),
            filled: Lots(f.int("filled_lots")?),
            spent: f.amount("spent_whole", "spent_frac")?,
            reduce_only: f.int("reduce_only")? == 1,
            status: f.variant("status", OrderStatus::ALL, |v| v as u8)?,
            reason: f.variant("reason", EndReason::ALL, |v| v as u8)?,
            condition,
            client_id: f.client_id("client_id")?,
            created: f.id("created_ns")?,
            updated: f.id("updated_ns")?,
        };
        Ok(Self { account: AccountId(f.id("account")?), order })
    }
}

impl WrittenRow for StoredLegOrder {
    fn put(&self, c: &mut Columns) {
        let o = &self.order;
        c.id(o.order.0).id(self.account.0);
        put_units(c, &o.units);
        c.int(o.side as u8).int(o.leg as u8).int(o.kind as u8).int(o.tif as u8).int(o.stp as u8).int(o.reduce_only);
        c.int(o.ticks.0).int(o.lots.0).int(o.open.0).int(o.filled.0).amount(o.spent);
        c.int(o.status as u8).int(o.reason as u8);
        c.maybe_int(o.condition.map(|condition| condition.working as i64));
        c.maybe_int(o.condition.map(|condition| condition.trigger.kind as i64));
        c.maybe_int(o.condition.map(|condition| condition.trigger.ticks.0));
        c.maybe_int(o.condition.map(|condition| condition.trigger.trail_bips.into()));
        c.maybe_int(o.condition.map(|condition| condition.close_position.into()));
        c.text(o.client_id.map(|id| id.as_str().to_owned()));
        c.id(o.created).id(o.updated);
    }
}

impl Kept for StoredLegOrder {
    type Key = OrderId;

    fn key(&self) -> OrderId {
        self.order.order
    }

    fn numbers(key: OrderId) -> impl IntoIterator<Item = i64> {
        [key.0.cast_signed()]
    }

    fn is_done(&self) -> bool {
        !self.order.status.is_open()
    }
}

/// Place of an order in an account's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegOrderCursor {
    /// When it was taken.
    pub created: TimeNs,
    /// Which one.
    pub order: OrderId,
}

/// Which orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegOrderFilter {
    /// Whose.
    pub account: AccountId,
    /// Of one contract only.
    pub contract: Option<MarketId>,
    /// In these states only; empty: in any.
    pub statuses: Vec<OrderStatus>,
    /// Taken at or after this time only.
    pub since: Option<TimeNs>,
    /// Taken before this time only.
    pub until: Option<TimeNs>,
    /// With this id or a higher one only.
    pub from: Option<OrderId>,
    /// Those that wait or waited for a price only.
    pub conditional: bool,
    /// Of this client order id only.
    pub name: Option<ClientOrderId>,
    /// That ended for these reasons only; empty: for any.
    pub reasons: Vec<EndReason>,
}

impl LegOrderFilter {
    /// All orders of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self {
            account,
            contract: None,
            statuses: Vec::new(),
            since: None,
            until: None,
            from: None,
            conditional: false,
            name: None,
            reasons: Vec::new(),
        }
    }

    /// Whether an order of the account is one of them.
    #[must_use]
    pub fn lets_through(&self, o: &LegOrder) -> bool {
        self.contract.is_none_or(|contract| o.units.contract == contract)
            && (self.statuses.is_empty() || self.statuses.contains(&o.status))
            && self.since.is_none_or(|since| o.created >= since)
            && self.until.is_none_or(|until| o.created < until)
            && self.from.is_none_or(|from| o.order >= from)
            && (!self.conditional || o.condition.is_some())
            && self.name.is_none_or(|name| o.client_id == Some(name))
            && (self.reasons.is_empty() || self.reasons.contains(&o.reason))
    }
}

impl Filter for LegOrderFilter {
    type Row = StoredLegOrder;
    type Cursor = LegOrderCursor;
    const ORDER: &'static [&'static str] = &["created_ns", "order_id"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        query.only("contract", self.contract.map(|contract| contract.0));
        query.among("status", self.statuses.iter().map(|status| *status as i64));
        query.among("reason", self.reasons.iter().map(|reason| *reason as i64));
        query.between("created_ns", self.since, self.until).from("order_id", self.from.map(|order| order.0));
        if self.conditional {
            query.and().push("working IS NOT NULL");
        }
        if let Some(name) = self.name {
            query.and().push("client_id = ").bind_text(name.as_str());
        }
    }

    fn cursor(row: &StoredLegOrder) -> LegOrderCursor {
        LegOrderCursor { created: row.order.created, order: row.order.order }
    }

    fn place(cursor: LegOrderCursor) -> Vec<u64> {
        vec![cursor.created, cursor.order.0]
    }
}
