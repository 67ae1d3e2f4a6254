//! Orders as rows, and which of them are asked for.
//!
//! Owns: the table `orders`. Never does: change an order; its own type does.
//! Invariants: a row is the engine's own order, so that memory and history are shown alike.
//! Known limits: conditions beyond the account are checked row by row.

use xng_core::{
    account::Order,
    entity::TimeNs,
    ids::{AccountId, AssetId, ClientOrderId, MarketId, OrderId, PreventedId},
    money::{Amount, Lots, Ticks},
    spot::{EndReason, OrderKind, OrderStatus, Side, Stp, Tif, Trigger, TriggerKind},
};

use super::{put_units, units};
use crate::store::{
    StoreError, amount,
    rows::table::{Kept, StoredRow, WrittenRow},
    sql::{Columns, Fields, Filter, Query, Statement, Table},
};

/// An order and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredOrder {
    /// Whose.
    pub account: AccountId,
    /// The order.
    pub order: Order,
}

impl StoredRow for StoredOrder {
    const TABLE: &'static Table = &Table {
        name: "orders",
        reading: "read orders",
        key: &["order_id"],
        columns: &[
            "order_id",
            "account",
            "market",
            "base",
            "quote",
            "lot_units",
            "tick_lot_units",
            "side",
            "kind",
            "tif",
            "ticks",
            "lots",
            "budget_whole",
            "budget_frac",
            "open_lots",
            "filled_lots",
            "spent_whole",
            "spent_frac",
            "fee_whole",
            "fee_frac",
            "status",
            "reason",
            "client_id",
            "created_ns",
            "updated_ns",
            "stp",
            "iceberg_lots",
            "trigger_kind",
            "trigger_ticks",
            "trail_bips",
            "waiting_lock_whole",
            "waiting_lock_frac",
            "list_id",
            "working_ns",
            "prevented_lots",
            "prevented_by",
        ],
        replaced: &[
            "lots",
            "open_lots",
            "filled_lots",
            "spent_whole",
            "spent_frac",
            "fee_whole",
            "fee_frac",
            "status",
            "reason",
            "client_id",
            "updated_ns",
            "waiting_lock_whole",
            "waiting_lock_frac",
            "list_id",
            "working_ns",
            "prevented_lots",
            "prevented_by",
        ],
        texts: &["client_id"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let client_id = f.client_id("client_id")?;
        let created = f.id("created_ns")?;
        let trigger = match f.maybe_int("trigger_kind")? {
            None => None,
            Some(_) => Some(Trigger {
                kind: f.variant("trigger_kind", TriggerKind::ALL, |v| v as u8)?,
                ticks: Ticks(f.int("trigger_ticks")?),
                trail_bips: f.small("trail_bips")?,
            }),
        };
        let locked = match f.maybe_int("waiting_lock_whole")? {
            None => Amount::ZERO,
            Some(_) => f.amount("waiting_lock_whole", "waiting_lock_frac")?,
        };
        let order = Order {
            order: OrderId(f.id("order_id")?),
            units: units(f)?,
            side: f.variant("side", Side::ALL, |v| v as u8)?,
            kind: f.variant("kind", OrderKind::ALL, |v| v as u8)?,
            tif: f.variant("tif", Tif::ALL, |v| v as u8)?,
            ticks: Ticks(f.int("ticks")?),
            lots: Lots(f.int("lots")?),
            budget: f.amount("budget_whole", "budget_frac")?,
            open: Lots(f.int("open_lots")?),
            filled: Lots(f.int("filled_lots")?),
            spent: f.amount("spent_whole", "spent_frac")?,
            fee: f.amount("fee_whole", "fee_frac")?,
            status: f.variant("status", OrderStatus::ALL, |v| v as u8)?,
            reason: f.variant("reason", EndReason::ALL, |v| v as u8)?,
            client_id,
            created,
            updated: f.id("updated_ns")?,
            stp: f.variant("stp", Stp::ALL, |v| v as u8)?,
            iceberg: Lots(f.maybe_int("iceberg_lots")?.unwrap_or_default()),
            trigger,
            locked,
            list: OrderId(f.maybe_int("list_id")?.unwrap_or_default().cast_unsigned()),
            working: f.maybe_int("working_ns")?.map_or(created, i64::cast_unsigned),
            prevented: Lots(f.maybe_int("prevented_lots")?.unwrap_or_default()),
            prevented_by: PreventedId(f.maybe_int("prevented_by")?.unwrap_or_default().cast_unsigned()),
        };
        Ok(StoredOrder { account: AccountId(f.id("account")?), order })
    }
}

impl WrittenRow for StoredOrder {
    fn put(&self, c: &mut Columns) {
        let o = &self.order;
        c.id(o.order.0).id(self.account.0);
        put_units(c, &o.units);
        c.int(o.side as u8).int(o.kind as u8).int(o.tif as u8).int(o.ticks.0).int(o.lots.0).amount(o.budget);
        c.int(o.open.0).int(o.filled.0).amount(o.spent).amount(o.fee).int(o.status as u8).int(o.reason as u8);
        c.text(o.client_id.map(|id| id.as_str().to_owned())).id(o.created).id(o.updated).int(o.stp as u8);
        let lock = (!o.locked.is_zero()).then(|| amount::split(o.locked));
        c.maybe_int((!o.iceberg.is_zero()).then_some(o.iceberg.0));
        c.maybe_int(o.trigger.map(|t| t.kind as i64)).maybe_int(o.trigger.map(|t| t.ticks.0));
        c.maybe_int(o.trigger.map(|t| i64::from(t.trail_bips)));
        c.maybe_int(lock.map(|(whole, _)| whole)).maybe_int(lock.map(|(_, frac)| frac));
        c.maybe_int((o.list.0 > 0).then_some(o.list.0.cast_signed()));
        c.maybe_int((o.working != o.created).then_some(o.working.cast_signed()));
        c.maybe_int((!o.prevented.is_zero()).then_some(o.prevented.0));
        c.maybe_int((!o.prevented.is_zero()).then_some(o.prevented_by.0.cast_signed()));
    }
}

impl Kept for StoredOrder {
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
pub struct OrderCursor {
    /// When it was taken.
    pub created: TimeNs,
    /// Which one.
    pub order: OrderId,
}

impl From<&Order> for OrderCursor {
    fn from(order: &Order) -> Self {
        Self { created: order.created, order: order.order }
    }
}

/// Which orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderFilter {
    /// Whose.
    pub account: AccountId,
    /// Of one market only.
    pub market: Option<MarketId>,
    /// Of markets with this base only (`currency_id`).
    pub base: Option<AssetId>,
    /// Of markets with this quote only (`legal_id`).
    pub quote: Option<AssetId>,
    /// Of one side only.
    pub side: Option<Side>,
    /// Limit or market orders only.
    pub kind: Option<OrderKind>,
    /// In these states only; empty: in any.
    pub statuses: Vec<OrderStatus>,
    /// With these ids only; empty: with any.
    pub ids: Vec<OrderId>,
    /// Only those that got what they could (`Order::is_complete`), or only the ones that did not.
    pub complete: Option<bool>,
    /// Taken at or after this time only.
    pub since: Option<TimeNs>,
    /// Taken before this time only.
    pub until: Option<TimeNs>,
    /// With this id or a higher one only.
    pub from: Option<OrderId>,
    /// Of this client order id only.
    pub name: Option<ClientOrderId>,
}

impl OrderFilter {
    /// All orders of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self {
            account,
            market: None,
            base: None,
            quote: None,
            side: None,
            kind: None,
            statuses: Vec::new(),
            ids: Vec::new(),
            complete: None,
            since: None,
            until: None,
            from: None,
            name: None,
        }
    }

    /// Whether an order of the account is one of them.
    #[must_use]
    pub fn lets_through(&self, o: &Order) -> bool {
        self.market.is_none_or(|market| o.units.market == market)
            && self.base.is_none_or(|base| o.units.base == base)
            && self.quote.is_none_or(|quote| o.units.quote == quote)
            && self.side.is_none_or(|side| o.side == side)
            && self.kind.is_none_or(|kind| o.kind == kind)
            && (self.statuses.is_empty() || self.statuses.contains(&o.status))
            && (self.ids.is_empty() || self.ids.contains(&o.order))
            && self.complete.is_none_or(|complete| o.is_complete() == complete)
            && self.since.is_none_or(|since| o.created >= since)
            && self.until.is_none_or(|until| o.created < until)
            && self.from.is_none_or(|from| o.order >= from)
            && self.name.is_none_or(|name| o.client_id == Some(name))
    }
}

impl Filter for OrderFilter {
    type Row = StoredOrder;
    type Cursor = OrderCursor;
    const ORDER: &'static [&'static str] = &["created_ns", "order_id"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        query.only("market", self.market.map(|market| market.0));
        query.only("base", self.base.map(|asset| asset.0)).only("quote", self.quote.map(|asset| asset.0));
        query.only("side", self.side.map(|side| side as u8)).only("kind", self.kind.map(|kind| kind as u8));
        query.among("status", self.statuses.iter().map(|status| *status as i64));
        query.among("order_id", self.ids.iter().map(|id| id.0.cast_signed()));
        if let Some(complete) = self.complete {
            only_complete(query.and(), complete);
        }
        query.between("created_ns", self.since, self.until).from("order_id", self.from.map(|order| order.0));
        if let Some(name) = self.name {
            query.and().push("client_id = ").bind_text(name.as_str());
        }
    }

    fn cursor(row: &StoredOrder) -> OrderCursor {
        OrderCursor::from(&row.order)
    }

    fn place(cursor: OrderCursor) -> Vec<u64> {
        vec![cursor.created, cursor.order.0]
    }
}

/// `Order::is_complete` in SQL.
fn only_complete(statement: &mut Statement, complete: bool) {
    statement.push(if complete { "(" } else { "NOT (" });
    statement.push("status = ").bind(OrderStatus::Filled as i64);
    statement.push(" OR (kind = ").bind(OrderKind::Market as i64).push(" AND filled_lots > 0 AND status IN (");
    statement.list([OrderStatus::Expired, OrderStatus::ExpiredInMatch].map(|status| status as i64)).push(")))");
}
