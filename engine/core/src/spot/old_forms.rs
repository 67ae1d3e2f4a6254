//! Forms of spot facts that earlier releases wrote. All later releases read them.
//!
//! Owns: what a trade, a prevented order and a ladder were before icebergs, and a prevented order before its matches were
//! told, changes of orders before orders could be pending, and parameters before stocks. Never does: write. Invariants: what
//! was not told then is what it was: nothing hidden, nothing refilled, no match, nothing pending, no stock.
//! Known limits: none.

use super::facts::{
    MarketListed, MarketParamsChanged, OrderList, OrderPlaced, OrdersChanged, Prevented, QuoteOff, QuoteOn, QuoteTrade,
    QuotesSet, Trade, Units,
};
use super::params::MarketParams;
use super::placed_form::OrderPlacedV3;
use super::{LevelFees, ListKind};
use crate::codec::{DecodeError, Reader, Wire};
use crate::ids::{AccountId, AssetId, ClientOrderId, MarketId, OrderId, TradeId, UpdateId};
use crate::money::{Amount, FeePpm, Lots, Ticks};

crate::wire_struct! {
    /// The first form of [`Trade`].
    #[derive(Debug)]
    pub struct TradeV1 {
        /// The order that rested.
        pub maker_order: OrderId,
        /// Its owner.
        pub maker: AccountId,
        /// Price.
        pub ticks: Ticks,
        /// Quantity.
        pub lots: Lots,
        /// The maker's fee.
        pub maker_fee: Amount,
        /// The taker's fee.
        pub taker_fee: Amount,
        /// The maker's order is filled by this.
        pub maker_done: bool,
        /// The maker's order is a quote of the house.
        pub maker_quote: bool,
    }
}

impl From<TradeV1> for Trade {
    fn from(old: TradeV1) -> Trade {
        let TradeV1 { maker_order, maker, ticks, lots, maker_fee, taker_fee, maker_done, maker_quote } = old;
        Trade { maker_order, maker, ticks, lots, maker_fee, taker_fee, maker_done, maker_quote, refill: Lots::ZERO }
    }
}

crate::wire_struct! {
    /// The first form of [`Prevented`].
    #[derive(Debug)]
    pub struct PreventedV1 {
        /// The order.
        pub order: OrderId,
        /// Its owner.
        pub account: AccountId,
        /// Its price.
        pub ticks: Ticks,
        /// The quantity that left the book.
        pub lots: Lots,
        /// The order is gone.
        pub closed: bool,
        /// The order was a quote of the house.
        pub quote: bool,
    }
}

impl From<PreventedV1> for Prevented {
    fn from(old: PreventedV1) -> Prevented {
        let PreventedV1 { order, account, ticks, lots, closed, quote } = old;
        Prevented { order, account, ticks, lots, closed, quote, hidden: Lots::ZERO, refill: Lots::ZERO, after: None }
    }
}

crate::wire_struct! {
    /// The second form of [`Prevented`].
    #[derive(Debug)]
    pub struct PreventedV2 {
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
        /// What the order shows of its hidden rest from now on.
        pub refill: Lots,
    }
}

impl From<PreventedV2> for Prevented {
    fn from(old: PreventedV2) -> Prevented {
        let PreventedV2 { order, account, ticks, lots, closed, quote, hidden, refill } = old;
        Prevented { order, account, ticks, lots, closed, quote, hidden, refill, after: None }
    }
}

crate::wire_struct! {
    /// The first form of [`OrderList`]: two orders of which one cancels the other.
    #[derive(Debug)]
    pub struct OrderListV1 {
        /// Its id: that of its first order.
        pub list: OrderId,
        /// Its orders.
        pub orders: Vec<OrderId>,
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
    }
}

impl From<OrderListV1> for OrderList {
    fn from(old: OrderListV1) -> OrderList {
        let OrderListV1 { list, orders, client_id } = old;
        OrderList { list, kind: ListKind::OneCancels, orders, client_id }
    }
}

crate::wire_struct! {
    /// The first form of [`MarketParams`]: before stocks.
    #[derive(Debug)]
    pub struct MarketParamsV1 {
        /// Which market.
        pub market: MarketId,
        /// Counts changes.
        pub version: u32,
        /// Its name.
        pub symbol: String,
        /// What is bought and sold.
        pub base: AssetId,
        /// What it is paid in.
        pub quote: AssetId,
        /// One tick.
        pub tick: Amount,
        /// One lot.
        pub step: Amount,
        /// Smallest quantity.
        pub min_lots: Lots,
        /// Largest quantity.
        pub max_lots: Lots,
        /// Smallest price times quantity.
        pub min_notional: Amount,
        /// How far limit prices may differ from the reference.
        pub band_ppm: u32,
        /// How far market orders go.
        pub protection_ppm: u32,
        /// Open orders of one account at most.
        pub max_open_orders: u32,
        /// Fees by VIP level.
        pub fees: Vec<LevelFees>,
        /// How old the index may be.
        pub stale_after_ms: u32,
        /// Opens with the house's first quotes.
        pub house_quoted: bool,
    }
}

impl From<MarketParamsV1> for MarketParams {
    fn from(old: MarketParamsV1) -> MarketParams {
        let MarketParamsV1 { market, version, symbol, base, quote, tick, step, min_lots, max_lots, .. } = old;
        let MarketParamsV1 { min_notional, band_ppm, protection_ppm, max_open_orders, fees, .. } = old;
        let MarketParamsV1 { stale_after_ms, house_quoted, .. } = old;
        MarketParams {
            market,
            version,
            symbol,
            base,
            quote,
            tick,
            step,
            min_lots,
            max_lots,
            min_notional,
            band_ppm,
            protection_ppm,
            max_open_orders,
            fees,
            stale_after_ms,
            house_quoted,
            stock: None,
        }
    }
}

crate::wire_struct! {
    /// The first form of [`MarketListed`].
    #[derive(Debug)]
    pub struct MarketListedV1 {
        /// Its parameters.
        pub params: MarketParamsV1,
    }
}

impl From<MarketListedV1> for MarketListed {
    fn from(old: MarketListedV1) -> MarketListed {
        MarketListed { params: old.params.into() }
    }
}

crate::wire_struct! {
    /// The first form of [`MarketParamsChanged`].
    #[derive(Debug)]
    pub struct MarketParamsChangedV1 {
        /// All of them.
        pub params: MarketParamsV1,
    }
}

impl From<MarketParamsChangedV1> for MarketParamsChanged {
    fn from(old: MarketParamsChangedV1) -> MarketParamsChanged {
        MarketParamsChanged { params: old.params.into() }
    }
}

/// A form of [`OrdersChanged`] from before there were pending orders; `placed` reads what is placed.
fn changed_without_pending(
    r: &mut Reader<'_>,
    placed: impl FnOnce(&mut Reader<'_>) -> Result<OrderPlaced, DecodeError>,
) -> Result<OrdersChanged, DecodeError> {
    let (units, account, gone, reason) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
    let (triggered, amended) = (Wire::get(r)?, Wire::get(r)?);
    let placed = if bool::get(r)? { Some(placed(r)?) } else { None };
    let waiting = Wire::get(r)?;
    let list = Option::<OrderListV1>::get(r)?.map(OrderList::from);
    let (refused, update) = (Wire::get(r)?, Wire::get(r)?);
    let (activated, pending) = (None, Vec::new());
    Ok(OrdersChanged {
        units,
        account,
        gone,
        reason,
        triggered,
        activated,
        amended,
        placed,
        waiting,
        pending,
        list,
        refused,
        update,
    })
}

/// The first form of [`OrdersChanged`]: what it places has the third form.
pub(crate) struct OrdersChangedV1(OrdersChanged);

impl OrdersChangedV1 {
    pub(crate) fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        changed_without_pending(r, |r| Ok(OrderPlacedV3::get(r)?.into())).map(OrdersChangedV1)
    }
}

impl From<OrdersChangedV1> for OrdersChanged {
    fn from(OrdersChangedV1(old): OrdersChangedV1) -> OrdersChanged {
        old
    }
}

/// The second form of [`OrdersChanged`]: what it places has the form of today.
pub(crate) struct OrdersChangedV2(OrdersChanged);

impl OrdersChangedV2 {
    pub(crate) fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        changed_without_pending(r, OrderPlaced::get).map(OrdersChangedV2)
    }
}

impl From<OrdersChangedV2> for OrdersChanged {
    fn from(OrdersChangedV2(old): OrdersChangedV2) -> OrdersChanged {
        old
    }
}

crate::wire_struct! {
    /// The first form of [`QuoteTrade`].
    #[derive(Debug)]
    pub struct QuoteTradeV1 {
        /// Position of the quote in `on`.
        pub on: u32,
        /// The trade.
        pub trade: TradeV1,
    }
}

crate::wire_struct! {
    /// The first form of [`QuotesSet`].
    #[derive(Debug)]
    pub struct QuotesSetV1 {
        /// Meaning of the numbers.
        pub units: Units,
        /// The house.
        pub account: AccountId,
        /// The market opens with this.
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
        /// Trades of new quotes.
        pub trades: Vec<QuoteTradeV1>,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

impl From<QuotesSetV1> for QuotesSet {
    fn from(old: QuotesSetV1) -> QuotesSet {
        let QuotesSetV1 { units, account, opens, off, first_order, on, maker_ppm, first_trade, trades, update } = old;
        let trades = trades.into_iter().map(|t| QuoteTrade { on: t.on, trade: t.trade.into() }).collect();
        QuotesSet { units, account, opens, off, first_order, on, maker_ppm, first_trade, trades, update }
    }
}
