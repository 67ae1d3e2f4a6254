//! What an order is, before and after the market took it.
//!
//! Owns: kinds, times in force, prevention, status. Never does: know a book. Invariants: numbers of the enums are
//! permanent: facts and rows hold them. Known limits: limit, market and their times in force; no triggers yet.

use super::params::Side;
use crate::entity::TimeNs;
use crate::ids::{AssetId, ClientOrderId, MarketId, OrderId};
use crate::money::{Amount, Lots, Ticks};

crate::wire_enum! {
    /// Limit or market.
    pub enum OrderKind {
        /// At a price or better.
        Limit = 1,
        /// At what the book offers, within the market's protection.
        Market = 2,
    }
}

crate::wire_enum! {
    /// How long an order lives.
    pub enum Tif {
        /// Until it is filled or cancelled.
        Gtc = 1,
        /// What is not filled at once expires.
        Ioc = 2,
        /// All at once or nothing.
        Fok = 3,
        /// Refused if it would match at once.
        PostOnly = 4,
    }
}

crate::wire_enum! {
    /// Self-trade prevention; the incoming order's mode decides.
    pub enum Stp {
        /// The incoming order's remainder expires.
        ExpireTaker = 1,
        /// The resting order expires, the incoming one goes on.
        ExpireMaker = 2,
        /// Both expire.
        ExpireBoth = 3,
        /// Both lose the smaller quantity.
        Decrement = 4,
    }
}

crate::wire_enum! {
    /// State of an order.
    pub enum OrderStatus {
        /// Rests, nothing filled.
        Open = 1,
        /// Filled.
        Filled = 2,
        /// Cancelled by its owner, an operator or the market.
        Canceled = 3,
        /// Rests, partly filled.
        Partial = 4,
        /// Its remainder did not rest.
        Expired = 5,
        /// Its remainder met an order of the same owner.
        ExpiredInMatch = 6,
    }
}

impl OrderStatus {
    /// Rests in the book.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, OrderStatus::Open | OrderStatus::Partial)
    }

    /// The order got all that it could: filled, or a market order that ended with fills.
    #[must_use]
    pub fn is_complete(self, kind: OrderKind, filled: Lots) -> bool {
        match self {
            OrderStatus::Filled => true,
            OrderStatus::Expired | OrderStatus::ExpiredInMatch => kind == OrderKind::Market && !filled.is_zero(),
            OrderStatus::Open | OrderStatus::Partial | OrderStatus::Canceled => false,
        }
    }
}

crate::wire_enum! {
    /// Why an order or its remainder is gone.
    pub enum StopReason {
        /// It is not, or it is filled.
        None = 0,
        /// Immediate-or-cancel.
        Ioc = 1,
        /// Fill-or-kill that could not be filled.
        FillOrKill = 2,
        /// A market order found nothing (more) to match.
        NoLiquidity = 3,
        /// A market order reached the market's protection.
        Protection = 4,
        /// It met an order of the same owner.
        SelfTrade = 5,
        /// One decision makes no more trades.
        TradeLimit = 6,
        /// The hold affords no further lot.
        Budget = 7,
        /// Its owner cancelled it.
        User = 8,
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
    /// The bot's own name for it.
    pub client_id: Option<ClientOrderId>,
    /// What must be held.
    pub terms: Terms,
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
