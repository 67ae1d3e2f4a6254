//! What matching says: trades, and own orders in the way.
//!
//! Owns: the fields of these, which facts of both products carry. Never does: match. Invariants: a trade names its maker by
//! order. Known limits: in which asset a fee is paid is the product's own rule.

use crate::ids::{AccountId, OrderId};
use crate::money::{Amount, Lots, Ticks};

crate::wire_struct! {
    /// Two orders met, at the maker's price.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Trade {
        /// The order that rested.
        pub maker_order: OrderId,
        /// Its owner.
        pub maker: AccountId,
        /// Price.
        pub ticks: Ticks,
        /// Quantity.
        pub lots: Lots,
        /// The maker's fee, in what the maker receives.
        pub maker_fee: Amount,
        /// The taker's fee, in what the taker receives.
        pub taker_fee: Amount,
        /// The maker's order is filled by this.
        pub maker_done: bool,
        /// The maker's order is a quote of the house.
        pub maker_quote: bool,
        /// What the maker's order shows of its hidden rest from now on, behind all others of its price; 0 when there was
        /// more to be seen of it, or nothing hidden.
        pub refill: Lots,
    }
}

crate::wire_struct! {
    /// A resting order that self-trade prevention reduced or took out.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Prevented {
        /// The order.
        pub order: OrderId,
        /// Its owner.
        pub account: AccountId,
        /// Its price.
        pub ticks: Ticks,
        /// The quantity that left the order.
        pub lots: Lots,
        /// The order is gone.
        pub closed: bool,
        /// The order was a quote of the house.
        pub quote: bool,
        /// How much of the quantity was hidden.
        pub hidden: Lots,
        /// What the order shows of its hidden rest from now on, as a trade says it.
        pub refill: Lots,
        /// Trades of the incoming order before it met this one. Forms before the fourth of [`OrderPlaced`] do not tell it.
        pub after: Option<u32>,
    }
}

crate::wire_struct! {
    /// The owner's resting order that ended an incoming one and lost nothing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct BlockingOrder {
        /// The order.
        pub order: OrderId,
        /// Its price.
        pub ticks: Ticks,
        /// What was open of it.
        pub lots: Lots,
    }
}
