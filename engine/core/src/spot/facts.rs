//! Facts of spot markets: their forms. Postings and named entities are in `settlement.rs` and
//! `orders_changed.rs`.
//!
//! Owns: the fields of a market's facts. Never does: hold a number that follows from another. Invariants: a fact has every
//! number that applying it needs; units are in the fact, not looked up. Known limits: a trade names its maker
//! by order, not by position. Forms of earlier releases are in `old_forms.rs`.

use super::old_forms::{MarketListedV1, MarketParamsChangedV1, OrdersChangedV1, OrdersChangedV2, QuotesSetV1};
use super::params::{MarketParams, base_amount, notional};
use super::placed_form::{OrderPlacedV1, OrderPlacedV2, OrderPlacedV3};
use super::{EndReason, ListKind, MarketState, OrderKind, OrderStatus, Side, StateReason, Stp, Tif, Trigger};
use crate::ids::{AccountId, AssetId, ClientOrderId, MarketId, OrderId, TradeId, UpdateId};
use crate::market::matching::{MakerTaker, Trading};
use crate::market::triggers::Conditional;
pub use crate::market::{BlockingOrder, Prevented, Trade};
use crate::money::{Amount, FeePpm, Lots, ONE, Ticks};
use crate::stock::fee_at_most;

crate::wire_struct! {
    /// A market exists.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MarketListed {
        /// Its parameters.
        pub params: MarketParams,
    }
}

crate::wire_struct! {
    /// A market's parameters are these from now on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MarketParamsChanged {
        /// All of them.
        pub params: MarketParams,
    }
}

crate::wire_struct! {
    /// Trade ids that own trades will not use, so that the reference tape's trades have durable ids too.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TradeIdsReserved {
        /// Of which market.
        pub market: MarketId,
        /// The first one.
        pub first: TradeId,
        /// How many.
        pub count: u32,
    }
}

crate::wire_struct! {
    /// What a record's ticks and lots mean, so that applying it needs no parameters.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Units {
        /// Which market.
        pub market: MarketId,
        /// What is bought and sold.
        pub base: AssetId,
        /// What it is paid in.
        pub quote: AssetId,
        /// Base units of one lot.
        pub lot_units: i64,
        /// Quote units of one lot at one tick.
        pub tick_lot_units: i64,
    }
}

impl Units {
    /// Price times quantity.
    #[must_use]
    pub fn notional(&self, ticks: Ticks, lots: Lots) -> Amount {
        notional(ticks, lots, self.tick_lot_units)
    }

    /// Base amount of a quantity.
    #[must_use]
    pub fn base_amount(&self, lots: Lots) -> Amount {
        base_amount(lots, self.lot_units)
    }

    /// Quote for one whole base: exact, because a market's tick is a whole number of 1e-8.
    #[must_use]
    pub fn price(&self, ticks: Ticks) -> Amount {
        Amount(i128::from(ticks.0) * i128::from(self.tick_lot_units) * ONE / i128::from(self.lot_units))
    }

    /// What an order of this side pays its fee in: of stocks the quote, otherwise what it receives.
    #[must_use]
    pub fn fee_asset(&self, side: Side) -> AssetId {
        match side {
            Side::Buy if self.market.is_stock() => self.quote,
            Side::Buy => self.base,
            Side::Sell => self.quote,
        }
    }
}

/// A fee is paid in what its side receives; of stocks in the quote, by a buyer on top of the cost.
impl Trading for &Units {
    #[inline]
    fn notional(&self, ticks: Ticks, lots: Lots) -> Amount {
        Units::notional(self, ticks, lots)
    }

    #[inline]
    fn paid(&self, cost: Amount, taker: FeePpm) -> Amount {
        if self.market.is_stock() { cost + fee_at_most(cost, taker.0) } else { cost }
    }

    #[inline]
    fn fees(&self, side: Side, lots: Lots, cost: Amount, rates: MakerTaker<FeePpm>) -> MakerTaker<Amount> {
        if self.market.is_stock() {
            return MakerTaker { maker: rates.maker.of(cost), taker: rates.taker.of(cost) };
        }
        let base = self.base_amount(lots);
        let (taker, maker) = match side {
            Side::Buy => (base, cost),
            Side::Sell => (cost, base),
        };
        MakerTaker { maker: rates.maker.of(maker), taker: rates.taker.of(taker) }
    }
}

/// A trade with what its record says around it: for fills, the tape and candles.
#[derive(Debug, Clone, Copy)]
pub struct Execution<'a> {
    /// Its id.
    pub id: TradeId,
    /// The taker.
    pub taker: AccountId,
    /// The taker's order.
    pub taker_order: OrderId,
    /// The taker's side.
    pub taker_side: Side,
    /// The trade.
    pub trade: &'a Trade,
    /// Meaning of its numbers.
    pub units: &'a Units,
}

/// An order was taken: its trades and what became of the rest, in one decision. Its bytes: `placed_form.rs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderPlaced {
    /// Meaning of the numbers.
    pub units: Units,
    /// The order.
    pub order: OrderId,
    /// Its owner.
    pub account: AccountId,
    /// Its side.
    pub side: Side,
    /// Limit or market.
    pub kind: super::OrderKind,
    /// How long it lives.
    pub tif: super::Tif,
    /// Limit price; 0 for market orders.
    pub ticks: Ticks,
    /// Quantity asked for; 0 when a quote amount was named.
    pub lots: Lots,
    /// Quote amount asked for; 0 when a quantity was named.
    pub budget: Amount,
    /// What happens when it meets its owner's own order.
    pub stp: super::Stp,
    /// How much of what rests is shown at a time; 0: all of it.
    pub iceberg: Lots,
    /// The bot's own name for it.
    pub client_id: Option<ClientOrderId>,
    /// Fee rate of later fills as maker.
    pub maker_ppm: FeePpm,
    /// Id of the first trade; the others follow.
    pub first_trade: TradeId,
    /// Trades in the order in which they happened.
    pub trades: Vec<Trade>,
    /// Own resting orders in the way that lost something.
    pub prevented: Box<[Prevented]>,
    /// The own resting order that ended it, when that lost nothing. Forms before the fourth do not tell it.
    pub stopper: Option<Box<BlockingOrder>>,
    /// Quantity that rests in the book.
    pub rest: Lots,
    /// State of the order after this.
    pub status: OrderStatus,
    /// Why a remainder does not rest.
    pub reason: EndReason,
    /// State of the book after this.
    pub update: UpdateId,
}

crate::wire_struct! {
    /// An order that left the book.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CanceledOrder {
        /// The order.
        pub order: OrderId,
        /// Its owner.
        pub account: AccountId,
        /// Its side.
        pub side: Side,
        /// Its price.
        pub ticks: Ticks,
        /// What was still open.
        pub lots: Lots,
    }
}

crate::wire_struct! {
    /// Orders left the book unfilled.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OrdersCanceled {
        /// Meaning of the numbers.
        pub units: Units,
        /// Which ones.
        pub orders: Vec<CanceledOrder>,
        /// Why.
        pub reason: EndReason,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

crate::wire_struct! {
    /// A quote that was taken away.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct QuoteOff {
        /// Its side.
        pub side: Side,
        /// Its price.
        pub ticks: Ticks,
        /// What was still open.
        pub lots: Lots,
    }
}

crate::wire_struct! {
    /// A quote that was placed; its order id is the fact's first plus its position.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct QuoteOn {
        /// Its side.
        pub side: Side,
        /// Its price.
        pub ticks: Ticks,
        /// What rests of it after its trades.
        pub rest: Lots,
    }
}

crate::wire_struct! {
    /// A quote met orders that were in its way.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct QuoteTrade {
        /// Position of the quote in `on`.
        pub on: u32,
        /// The trade; the house is the taker.
        pub trade: Trade,
    }
}

crate::wire_struct! {
    /// The house's quotes at some price levels are these now; other levels stay.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct QuotesSet {
        /// Meaning of the numbers.
        pub units: Units,
        /// The house.
        pub account: AccountId,
        /// The market was closed for want of price and quotes and opens with this.
        pub opens: bool,
        /// Quotes that are gone.
        pub off: Vec<QuoteOff>,
        /// Id of the first new quote.
        pub first_order: OrderId,
        /// New quotes.
        pub on: Vec<QuoteOn>,
        /// Fee rate of the new quotes as makers.
        pub maker_ppm: FeePpm,
        /// Id of the first trade.
        pub first_trade: TradeId,
        /// Trades of new quotes with orders that were in their way.
        pub trades: Vec<QuoteTrade>,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

crate::wire_struct! {
    /// A market opened, closed or halted; the house's quotes leave with a closing.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MarketStateChanged {
        /// Meaning of the numbers.
        pub units: Units,
        /// The new state.
        pub state: MarketState,
        /// Why.
        pub reason: StateReason,
        /// Whose quotes are taken away.
        pub house: AccountId,
        /// The quotes.
        pub off: Vec<QuoteOff>,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

crate::wire_struct! {
    /// An order that waits for its trigger.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WaitingOrder {
        /// Its id, which it keeps.
        pub order: OrderId,
        /// Its owner.
        pub account: AccountId,
        /// The owner's VIP level, for its fees.
        pub level: u8,
        /// Its side.
        pub side: Side,
        /// Limit or market, once it is triggered.
        pub kind: OrderKind,
        /// How long it lives from then on.
        pub tif: Tif,
        /// What happens then when it meets its owner's own order.
        pub stp: Stp,
        /// Limit price; 0 for market orders.
        pub ticks: Ticks,
        /// Quantity.
        pub lots: Lots,
        /// How much of a resting remainder is shown at a time; 0: all of it.
        pub iceberg: Lots,
        /// When it is triggered.
        pub trigger: Trigger,
        /// What it locks: in a list only what it needs beyond the other order's lock.
        pub locked: Amount,
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
    }
}

impl Conditional for WaitingOrder {
    fn order(&self) -> OrderId {
        self.order
    }
    fn side(&self) -> Side {
        self.side
    }
    fn trigger(&self) -> &Trigger {
        &self.trigger
    }
}

crate::wire_struct! {
    /// An order that left the book, or waits no more.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct GoneOrder {
        /// The order.
        pub order: OrderId,
        /// Its side.
        pub side: Side,
        /// Its price.
        pub ticks: Ticks,
        /// What was still open.
        pub lots: Lots,
        /// What of it was to be seen in the book.
        pub shown: Lots,
        /// What it locked.
        pub locked: Amount,
    }
}

crate::wire_struct! {
    /// An order that became smaller and kept its place.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AmendedOrder {
        /// The order.
        pub order: OrderId,
        /// Its side.
        pub side: Side,
        /// Its price.
        pub ticks: Ticks,
        /// Its whole quantity from now on.
        pub lots: Lots,
        /// What it lost.
        pub cut: Lots,
        /// What of that was to be seen in the book.
        pub shown: Lots,
        /// What it does not lock any more.
        pub released: Amount,
        /// The bot's own name for it from now on.
        pub client_id: Option<ClientOrderId>,
    }
}

crate::wire_struct! {
    /// An order that is placed once the first order of its list is filled.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PendingOrder {
        /// Its id, which it keeps.
        pub order: OrderId,
        /// Its side.
        pub side: Side,
        /// Limit or market.
        pub kind: OrderKind,
        /// How long it lives once it is placed.
        pub tif: Tif,
        /// What happens then when it meets its owner's own order.
        pub stp: Stp,
        /// Limit price; 0 for market orders.
        pub ticks: Ticks,
        /// Quantity.
        pub lots: Lots,
        /// How much of a resting remainder is shown at a time; 0: all of it.
        pub iceberg: Lots,
        /// What it waits for after it was placed; nothing without it.
        pub trigger: Option<Trigger>,
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
    }
}

crate::wire_struct! {
    /// Orders that depend on each other.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OrderList {
        /// Its id: that of its first order.
        pub list: OrderId,
        /// How they depend on each other. Forms before the third of [`OrdersChanged`] have [`ListKind::OneCancels`] only.
        pub kind: ListKind,
        /// Its orders.
        pub orders: Vec<OrderId>,
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
    }
}

crate::wire_struct! {
    /// What became of an account's orders in one decision that is more than a plain order or cancel: orders that wait, lists,
    /// replacements, triggers. It happens in the order of its fields; what is locked comes free first.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OrdersChanged {
        /// Meaning of the numbers.
        pub units: Units,
        /// Whose orders.
        pub account: AccountId,
        /// Orders that are gone.
        pub gone: Vec<GoneOrder>,
        /// Why.
        pub reason: EndReason,
        /// An order that waited and is `placed` now, and what it locked.
        pub triggered: Option<(OrderId, Amount)>,
        /// The list whose pending orders are `placed` or `waiting` now.
        pub activated: Option<OrderId>,
        /// Orders that became smaller.
        pub amended: Vec<AmendedOrder>,
        /// An order that is taken into the book now.
        pub placed: Option<OrderPlaced>,
        /// Orders that wait from now on.
        pub waiting: Vec<WaitingOrder>,
        /// Orders that are placed once `placed` is filled.
        pub pending: Vec<PendingOrder>,
        /// The list that the new orders are.
        pub list: Option<OrderList>,
        /// Why nothing was placed in the place of what is gone, or why what is gone was not placed.
        pub refused: Option<crate::reject::Reject>,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

crate::record::product_facts! {
    /// Facts of spot markets.
    Spot(SpotFact) {
        /// A market exists.
        MarketListed = 20 v 2 (1: MarketListedV1),
        /// A market's parameters changed.
        MarketParamsChanged = 21 v 2 (1: MarketParamsChangedV1),
        /// A market opened, closed or halted.
        MarketStateChanged = 22 v 1,
        /// An order was taken, with its trades.
        OrderPlaced = 23 v 4 (1: OrderPlacedV1, 2: OrderPlacedV2, 3: OrderPlacedV3),
        /// Orders left the book unfilled.
        OrdersCanceled = 24 v 1,
        /// The house's quotes at some price levels.
        QuotesSet = 25 v 2 (1: QuotesSetV1),
        /// Trade ids were set apart for the reference tape.
        TradeIdsReserved = 26 v 1,
        /// Orders that wait, lists, replacements, triggers.
        OrdersChanged = 27 v 3 (1: OrdersChangedV1, 2: OrdersChangedV2),
    }
}

impl SpotFact {
    /// The order that it placed in the book or at its market, if it did.
    #[must_use]
    pub fn placed(&self) -> Option<&OrderPlaced> {
        match self {
            SpotFact::OrderPlaced(placed) => Some(placed),
            SpotFact::OrdersChanged(changed) => changed.placed.as_ref(),
            SpotFact::MarketListed(_)
            | SpotFact::MarketParamsChanged(_)
            | SpotFact::MarketStateChanged(_)
            | SpotFact::OrdersCanceled(_)
            | SpotFact::QuotesSet(_)
            | SpotFact::TradeIdsReserved(_) => None,
        }
    }
}
