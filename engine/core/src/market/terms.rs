//! What orders of all products have in common: sides, kinds, times in force, states of orders and markets.
//!
//! Owns: these. Never does: know a book. Invariants: numbers of the enums are permanent: facts and rows hold them. Known
//! limits: none.

use crate::money::{FeePpm, Lots, Ticks};

crate::wire_enum! {
    /// Side of an order.
    pub enum Side {
        /// Bids.
        Buy = 1,
        /// Asks.
        Sell = 2,
    }
}

impl Side {
    /// The other side.
    #[must_use]
    pub fn opposite(self) -> Side {
        match self {
            Side::Buy => Side::Sell,
            Side::Sell => Side::Buy,
        }
    }
}

crate::wire_enum! {
    /// What a market takes (`docs/rules/prices.md "Market states"`).
    pub enum MarketState {
        /// Everything.
        Trading = 1,
        /// Cancels only.
        CancelOnly = 2,
        /// Cancels only, until an operator says otherwise.
        Halt = 3,
    }
}

crate::wire_enum! {
    /// Why a market's state changed.
    pub enum StateReason {
        /// Newly listed: waits for a price and quotes.
        Listed = 1,
        /// The process started again.
        Recovery = 2,
        /// The index is older than the market allows.
        StaleIndex = 3,
        /// Price and quotes are fresh.
        Fresh = 4,
        /// An operator's decision.
        Operator = 5,
        /// The session of a stock's venue is over.
        Session = 7,
        /// The index of a stock moved too far in too short a time.
        Pause = 8,
        /// A corporate action is under way.
        Action = 9,
    }
}

crate::wire_struct! {
    /// Fees of one VIP level (`docs/rules/accounts.md "Fee levels"`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LevelFees {
        /// For the order that rested.
        pub maker: FeePpm,
        /// For the order that came in.
        pub taker: FeePpm,
    }
}

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
        /// Until it is filled or cancelled, or the trading day of its stock is over.
        Day = 5,
    }
}

impl Tif {
    /// What of it is not filled at once rests in the book.
    #[must_use]
    #[inline]
    pub fn rests(self) -> bool {
        match self {
            Tif::Gtc | Tif::PostOnly | Tif::Day => true,
            Tif::Ioc | Tif::Fok => false,
        }
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
    /// What a conditional order is for; with the side, it says which way the price must go (`docs/rules/spot.md "Triggers"`).
    pub enum TriggerKind {
        /// Sells below the market, buys above it.
        StopLoss = 1,
        /// Sells above the market, buys below it.
        TakeProfit = 2,
        /// Waits for no price: for the open of a stock's market.
        Open = 3,
    }
}

crate::wire_struct! {
    /// When a conditional order becomes an order of the book.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Trigger {
        /// What it is for.
        pub kind: TriggerKind,
        /// The price that triggers, or that a trailing order begins to trail at; 0 when it trails from the next price.
        pub ticks: Ticks,
        /// How far the price must turn back from its best, in hundredths of a percent; 0 when it does not trail.
        pub trail_bips: u32,
    }
}

impl Trigger {
    /// Its price is reached from below.
    #[must_use]
    pub fn rises(&self, side: Side) -> bool {
        (self.kind == TriggerKind::StopLoss) == (side == Side::Buy)
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
        /// Waits for its trigger; nothing of it is in the book.
        Waiting = 7,
        /// Is placed once the first order of its list is filled; until then it locks nothing.
        Pending = 8,
    }
}

impl OrderStatus {
    /// Rests in the book, waits for its trigger, or for the first order of its list.
    #[must_use]
    pub fn is_open(self) -> bool {
        match self {
            OrderStatus::Open | OrderStatus::Partial | OrderStatus::Waiting | OrderStatus::Pending => true,
            OrderStatus::Filled | OrderStatus::Canceled | OrderStatus::Expired | OrderStatus::ExpiredInMatch => false,
        }
    }

    /// The order got all that it could: filled, or a market order that ended with fills.
    #[must_use]
    pub fn is_complete(self, kind: OrderKind, filled: Lots) -> bool {
        match self {
            OrderStatus::Filled => true,
            OrderStatus::Expired | OrderStatus::ExpiredInMatch => kind == OrderKind::Market && !filled.is_zero(),
            OrderStatus::Open
            | OrderStatus::Partial
            | OrderStatus::Canceled
            | OrderStatus::Waiting
            | OrderStatus::Pending => false,
        }
    }
}

crate::wire_enum! {
    /// Why an order or its remainder is gone.
    pub enum EndReason {
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
        /// Another order of its list was filled, triggered or cancelled, or ended before it was filled.
        OtherLeg = 9,
        /// Its owner put another order in its place.
        Replaced = 10,
        /// The first order of its list was filled, and the market refused to place this one.
        Refused = 11,
        /// It is one of a liquidation.
        Liquidation = 12,
        /// It closed a position because an opposite one was liquidated.
        Deleveraging = 13,
        /// The trading day of its stock is over.
        SessionEnd = 14,
        /// Its stock had a corporate action.
        CorporateAction = 15,
    }
}
