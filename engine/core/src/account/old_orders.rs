//! The forms of [`Order`] that snapshots of earlier releases have. They are read for ever.
//!
//! Owns: what an order was before it could wait, be in a list or hide, and before it told what it lost. Never does: write.
//! Invariants: what was not told then is what it was. Known limits: the mode of
//! self-trade prevention was not kept; it only matters to an order that comes in.

use super::orders::Order;
use crate::entity::TimeNs;
use crate::ids::{ClientOrderId, OrderId, PreventedId};
use crate::money::{Amount, Lots, Ticks};
use crate::spot::facts::Units;
use crate::spot::{OrderKind, OrderStatus, Side, StopReason, Stp, Tif, Trigger};

crate::wire_struct! {
    /// The first form of [`Order`].
    #[derive(Debug)]
    pub struct OrderV1 {
        /// Its id.
        pub order: OrderId,
        /// Meaning of its numbers.
        pub units: Units,
        /// Its side.
        pub side: Side,
        /// Limit or market.
        pub kind: OrderKind,
        /// How long it lives.
        pub tif: Tif,
        /// Limit price.
        pub ticks: Ticks,
        /// Quantity asked for.
        pub lots: Lots,
        /// Quote amount asked for.
        pub budget: Amount,
        /// What rests in the book.
        pub open: Lots,
        /// What was filled.
        pub filled: Lots,
        /// Quote exchanged so far.
        pub spent: Amount,
        /// Fees so far.
        pub fee: Amount,
        /// Its state.
        pub status: OrderStatus,
        /// Why it or its remainder is gone.
        pub reason: StopReason,
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
        /// When it was taken.
        pub created: TimeNs,
        /// When it last changed.
        pub updated: TimeNs,
    }
}

impl From<OrderV1> for Order {
    fn from(o: OrderV1) -> Order {
        Order {
            order: o.order,
            units: o.units,
            side: o.side,
            kind: o.kind,
            tif: o.tif,
            ticks: o.ticks,
            lots: o.lots,
            budget: o.budget,
            open: o.open,
            filled: o.filled,
            spent: o.spent,
            fee: o.fee,
            status: o.status,
            reason: o.reason,
            client_id: o.client_id,
            created: o.created,
            updated: o.updated,
            stp: Stp::ExpireTaker,
            iceberg: Lots::ZERO,
            trigger: None,
            locked: Amount::ZERO,
            list: OrderId(0),
            working: o.created,
            prevented: Lots::ZERO,
            prevented_by: PreventedId::NONE,
        }
    }
}

crate::wire_struct! {
    /// The second form of [`Order`].
    #[derive(Debug)]
    pub struct OrderV2 {
        /// What the first form has.
        pub first: OrderV1,
        /// What happens when it meets its owner's own order.
        pub stp: Stp,
        /// How much of what rests is shown at a time.
        pub iceberg: Lots,
        /// When it becomes an order of the book.
        pub trigger: Option<Trigger>,
        /// What it locks while it waits.
        pub locked: Amount,
        /// The list that it is in.
        pub list: OrderId,
        /// When it came to the book.
        pub working: TimeNs,
    }
}

impl From<OrderV2> for Order {
    fn from(o: OrderV2) -> Order {
        let OrderV2 { first, stp, iceberg, trigger, locked, list, working } = o;
        Order { stp, iceberg, trigger, locked, list, working, ..Order::from(first) }
    }
}
