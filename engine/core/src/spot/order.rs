//! Orders: requests before the market accepts them, and their states afterwards.
//!
//! Owns: orders and lists as they are asked for. Never does: know a book. Invariants: numbers of the enums
//! are permanent: facts and rows hold them. Known limits: one trigger an order; a list has two orders, or three of which the
//! first brings the other two.

use crate::entity::TimeNs;
use crate::ids::{AssetId, ClientOrderId, MarketId, OrderId};
use crate::market::{OrderKind, OrderStatus, Side, Stp, Tif, Trigger};
use crate::money::{Amount, Lots, Ticks};

crate::wire_enum! {
    /// How the orders of a list depend on each other.
    pub enum ListKind {
        /// Two orders of which one cancels the other (OCO).
        OneCancels = 1,
        /// The first order brings the one or two others when it is filled (OTO, OTOCO); two cancel each other.
        OneTriggers = 2,
    }
}

/// What the gateway made of a request, by parameters that it knew; the market checks them again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Version of the parameters that were used.
    pub version: u32,
    /// What the account must hold.
    pub asset: AssetId,
    /// How much of it.
    pub amount: Amount,
    /// The amount is a ceiling: with less available, what is available is held (market buys).
    pub capped: bool,
}

/// A new order as the account and the market see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewOrder {
    /// Where.
    pub market: MarketId,
    /// Which side.
    pub side: Side,
    /// Limit or market.
    pub kind: OrderKind,
    /// How long.
    pub tif: Tif,
    /// When it meets its owner's own order.
    pub stp: Stp,
    /// Limit price; 0 for market orders.
    pub ticks: Ticks,
    /// Quantity; 0 when `budget` names a quote amount (market orders only).
    pub lots: Lots,
    /// Quote amount to spend or to earn; 0 when `lots` is given.
    pub budget: Amount,
    /// How much of a resting remainder is shown at a time; 0: all of it.
    pub iceberg: Lots,
    /// The bot's own name for it.
    pub client_id: Option<ClientOrderId>,
    /// What must be held.
    pub terms: Terms,
}

/// A new order that may wait for a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leg {
    /// The order. What must be held is said by the arrangement, its own terms are not looked at.
    pub order: NewOrder,
    /// When it becomes an order of the book; at once without it.
    pub trigger: Option<Trigger>,
}

/// What a caller wants beyond a plain order: one order that waits, or two of which one cancels the other, or either in the
/// place of an order that is open; or one that brings others when it is filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderGroup {
    /// Where.
    pub market: MarketId,
    /// The open order that goes first.
    pub replaces: Option<Replaced>,
    /// One order, or the two of a list.
    pub legs: Vec<Leg>,
    /// One order, or two of which one cancels the other, to be placed once the only leg is filled; mostly none. What they
    /// need is held then.
    pub pending: Vec<Leg>,
    /// The bot's own name for the list; only with two orders or more.
    pub list: Option<ClientOrderId>,
    /// What must be held for the legs; the lock of the replaced order counts.
    pub terms: Terms,
}

/// The order that a new one takes the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replaced {
    /// Which.
    pub order: OrderId,
    /// Without it, nothing is placed.
    pub must: bool,
}

/// One level of the ladder that the house wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteLevel {
    /// Side.
    pub side: Side,
    /// Price.
    pub ticks: Ticks,
    /// Quantity.
    pub lots: Lots,
}

crate::wire_struct! {
    /// What whoever placed an order is told.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct OrderAck {
        /// The order.
        pub order: OrderId,
        /// Its state.
        pub status: OrderStatus,
        /// Filled at once.
        pub filled: Lots,
        /// Quote exchanged at once.
        pub spent: Amount,
        /// When.
        pub time: TimeNs,
    }
}

crate::wire_struct! {
    /// The acknowledgement of an order group.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct GroupAck {
        /// Orders that left for it.
        pub canceled: Vec<OrderId>,
        /// The new ones.
        pub orders: Vec<OrderAck>,
        /// Why none was placed, when the replaced order left and its successor was refused.
        pub refused: Option<crate::reject::Reject>,
        /// When.
        pub time: TimeNs,
    }
}
