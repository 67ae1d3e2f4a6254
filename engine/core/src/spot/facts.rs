//! Facts of spot markets, with their routing and postings.

use super::params::{MarketParams, MarketState, Side, StateReason, base_amount, notional};
use super::{OrderAck, OrderStatus, StopReason};
use crate::entity::TimeNs;
use crate::ids::{AccountId, AssetId, ClientOrderId, EntityId, MarketId, OrderId, TradeId, UpdateId, Wallet};
use crate::money::{Amount, FeePpm, Lots, Ticks};
use crate::record::{LogType, Part, Posting};

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

    /// What an order of this side locks, and in which asset.
    #[must_use]
    pub fn lock(&self, side: Side, ticks: Ticks, lots: Lots) -> (AssetId, Amount) {
        match side {
            Side::Buy => (self.quote, self.notional(ticks, lots)),
            Side::Sell => (self.base, self.base_amount(lots)),
        }
    }
}

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
        /// The quantity that left the book.
        pub lots: Lots,
        /// The order is gone.
        pub closed: bool,
        /// The order was a quote of the house.
        pub quote: bool,
    }
}

crate::wire_struct! {
    /// An order was taken: its trades and what became of the rest, in one decision.
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
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
        /// Fee rate of later fills as maker.
        pub maker_ppm: FeePpm,
        /// Id of the first trade; the others follow.
        pub first_trade: TradeId,
        /// Trades in the order in which they happened.
        pub trades: Vec<Trade>,
        /// Own resting orders in the way.
        pub prevented: Vec<Prevented>,
        /// Quantity that rests in the book.
        pub rest: Lots,
        /// State of the order after this.
        pub status: OrderStatus,
        /// Why a remainder does not rest.
        pub reason: StopReason,
        /// State of the book after this.
        pub update: UpdateId,
    }
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
        pub reason: StopReason,
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

/// What one side of a trade moves: what it pays (from `available` as taker, from `locked` as maker) and what it gets.
struct Leg<'a> {
    units: &'a Units,
    account: AccountId,
    order: OrderId,
    side: Side,
    trade: &'a Trade,
    maker: bool,
}

impl Leg<'_> {
    fn post(&self, post: &mut impl FnMut(Posting)) {
        let (t, u) = (self.trade, self.units);
        let (cost, base) = (u.notional(t.ticks, t.lots), u.base_amount(t.lots));
        let fee = if self.maker { t.maker_fee } else { t.taker_fee };
        let (pays, paid, gets, got) = match self.side {
            Side::Buy => (u.quote, cost, u.base, base),
            Side::Sell => (u.base, base, u.quote, cost),
        };
        let (from_available, from_locked) = if self.maker { (Amount::ZERO, -paid) } else { (-paid, Amount::ZERO) };
        let row = |asset, available, locked| Posting {
            account: self.account,
            wallet: Wallet::Change,
            asset,
            log: LogType::SPOT_TRADE,
            available,
            locked,
            reference: self.order.0,
        };
        post(row(pays, from_available, from_locked));
        post(row(gets, got - fee, Amount::ZERO));
    }
}

fn freeze(account: AccountId, asset: AssetId, amount: Amount, order: u64, post: &mut impl FnMut(Posting)) {
    if amount.is_zero() {
        return;
    }
    post(Posting {
        account,
        wallet: Wallet::Change,
        asset,
        log: LogType::SPOT_FREEZE,
        available: -amount,
        locked: amount,
        reference: order,
    });
}

fn fee_income(asset: AssetId, amount: Amount, post: &mut impl FnMut(Posting)) {
    if amount.is_zero() {
        return;
    }
    post(Posting {
        account: AccountId::FEE,
        wallet: Wallet::Change,
        asset,
        log: LogType::FEE_INCOME,
        available: amount,
        locked: Amount::ZERO,
        reference: 0,
    });
}

/// Fees in base and in quote of trades whose taker was on `side`.
fn fees<'a>(trades: impl Iterator<Item = (Side, &'a Trade)>) -> (Amount, Amount) {
    trades.fold((Amount::ZERO, Amount::ZERO), |(base, quote), (side, t)| match side {
        Side::Buy => (base + t.taker_fee, quote + t.maker_fee),
        Side::Sell => (base + t.maker_fee, quote + t.taker_fee),
    })
}

impl OrderPlaced {
    pub(crate) fn parties(&self, mut tell: impl FnMut(EntityId, Part)) {
        for (i, p) in self.prevented.iter().enumerate() {
            tell(EntityId::Account(p.account), Part::Item(i as u32));
        }
        for (i, t) in self.trades.iter().enumerate() {
            tell(EntityId::Account(t.maker), Part::Maker(i as u32));
        }
        tell(EntityId::Account(self.account), Part::Taker);
        if !self.trades.is_empty() {
            tell(EntityId::Account(AccountId::FEE), Part::Fees);
        }
    }

    pub(crate) fn postings(&self, part: Part, post: &mut impl FnMut(Posting)) {
        let u = &self.units;
        match part {
            Part::Taker => {
                for trade in &self.trades {
                    let (account, order, side) = (self.account, self.order, self.side);
                    Leg { units: u, account, order, side, trade, maker: false }.post(post);
                }
                let (asset, amount) = u.lock(self.side, self.ticks, self.rest);
                freeze(self.account, asset, amount, self.order.0, post);
            }
            Part::Maker(i) => {
                let trade = &self.trades[i as usize];
                let (account, order, side) = (trade.maker, trade.maker_order, self.side.opposite());
                Leg { units: u, account, order, side, trade, maker: true }.post(post);
            }
            Part::Item(i) => {
                let p = &self.prevented[i as usize];
                let (asset, amount) = u.lock(self.side.opposite(), p.ticks, p.lots);
                freeze(p.account, asset, -amount, p.order.0, post);
            }
            Part::Fees => {
                let (base, quote) = fees(self.trades.iter().map(|t| (self.side, t)));
                fee_income(u.base, base, post);
                fee_income(u.quote, quote, post);
            }
            Part::Decider | Part::Other => {}
        }
    }

    /// Quantity that was filled.
    #[must_use]
    pub fn filled(&self) -> Lots {
        self.trades.iter().fold(Lots::ZERO, |sum, t| sum + t.lots)
    }

    /// Quote amount that was exchanged.
    #[must_use]
    pub fn spent(&self) -> Amount {
        self.trades.iter().map(|t| self.units.notional(t.ticks, t.lots)).sum()
    }

    /// Fee of the taker, in what the taker receives.
    #[must_use]
    pub fn taker_fee(&self) -> Amount {
        self.trades.iter().map(|t| t.taker_fee).sum()
    }

    pub(crate) fn ack(&self, time: TimeNs) -> OrderAck {
        OrderAck { order: self.order, status: self.status, filled: self.filled(), spent: self.spent(), time }
    }
}

impl OrdersCanceled {
    pub(crate) fn parties(&self, mut tell: impl FnMut(EntityId, Part)) {
        for (i, o) in self.orders.iter().enumerate() {
            tell(EntityId::Account(o.account), Part::Item(i as u32));
        }
    }

    pub(crate) fn postings(&self, part: Part, post: &mut impl FnMut(Posting)) {
        if let Part::Item(i) = part {
            let o = &self.orders[i as usize];
            let (asset, amount) = self.units.lock(o.side, o.ticks, o.lots);
            freeze(o.account, asset, -amount, o.order.0, post);
        }
    }
}

/// Base and quote that quotes lock.
fn quotes_lock(units: &Units, quotes: impl Iterator<Item = (Side, Ticks, Lots)>) -> (Amount, Amount) {
    quotes.fold((Amount::ZERO, Amount::ZERO), |(base, quote), (side, ticks, lots)| match side {
        Side::Buy => (base, quote + units.notional(ticks, lots)),
        Side::Sell => (base + units.base_amount(lots), quote),
    })
}

impl QuotesSet {
    pub(crate) fn parties(&self, mut tell: impl FnMut(EntityId, Part)) {
        for (i, t) in self.trades.iter().enumerate() {
            tell(EntityId::Account(t.trade.maker), Part::Maker(i as u32));
        }
        tell(EntityId::Account(self.account), Part::Taker);
        if !self.trades.is_empty() {
            tell(EntityId::Account(AccountId::FEE), Part::Fees);
        }
    }

    /// Side of the quote that made the `i`-th trade.
    #[must_use]
    pub fn trade_side(&self, i: usize) -> Side {
        self.on[self.trades[i].on as usize].side
    }

    /// Id of the `i`-th new quote.
    #[must_use]
    pub fn order(&self, i: u32) -> OrderId {
        OrderId(self.first_order.0 + u64::from(i) * crate::ids::MARKET_SPAN)
    }

    /// Change of what the house's quotes lock: base, quote.
    #[must_use]
    pub fn lock_change(&self) -> (Amount, Amount) {
        let on = quotes_lock(&self.units, self.on.iter().map(|q| (q.side, q.ticks, q.rest)));
        let off = quotes_lock(&self.units, self.off.iter().map(|q| (q.side, q.ticks, q.lots)));
        (on.0 - off.0, on.1 - off.1)
    }

    pub(crate) fn postings(&self, part: Part, post: &mut impl FnMut(Posting)) {
        let u = &self.units;
        match part {
            Part::Taker => {
                for (i, t) in self.trades.iter().enumerate() {
                    let (account, order, side) = (self.account, self.order(t.on), self.trade_side(i));
                    Leg { units: u, account, order, side, trade: &t.trade, maker: false }.post(post);
                }
                let (base, quote) = self.lock_change();
                freeze(self.account, u.base, base, 0, post);
                freeze(self.account, u.quote, quote, 0, post);
            }
            Part::Maker(i) => {
                let trade = &self.trades[i as usize].trade;
                let side = self.trade_side(i as usize).opposite();
                let (account, order) = (trade.maker, trade.maker_order);
                Leg { units: u, account, order, side, trade, maker: true }.post(post);
            }
            Part::Fees => {
                let trades = self.trades.iter().enumerate().map(|(i, t)| (self.trade_side(i), &t.trade));
                let (base, quote) = fees(trades);
                fee_income(u.base, base, post);
                fee_income(u.quote, quote, post);
            }
            Part::Decider | Part::Item(_) | Part::Other => {}
        }
    }
}

impl MarketStateChanged {
    pub(crate) fn parties(&self, mut tell: impl FnMut(EntityId, Part)) {
        if !self.off.is_empty() {
            tell(EntityId::Account(self.house), Part::Item(0));
        }
    }

    /// What the removed quotes had locked: base, quote.
    #[must_use]
    pub fn released(&self) -> (Amount, Amount) {
        quotes_lock(&self.units, self.off.iter().map(|q| (q.side, q.ticks, q.lots)))
    }

    pub(crate) fn postings(&self, part: Part, post: &mut impl FnMut(Posting)) {
        if let Part::Item(_) = part {
            let (base, quote) = self.released();
            freeze(self.house, self.units.base, -base, 0, post);
            freeze(self.house, self.units.quote, -quote, 0, post);
        }
    }
}
