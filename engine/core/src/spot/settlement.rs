//! Settlement: the movements of money that the facts of spot markets make, and the entities that they name.
//!
//! Owns: postings, routing, replies, executions and depth changes of these facts; those of `OrdersChanged` are in
//! `orders_changed.rs`, postings of locks in `locking.rs`. Never does: decide, change state.
//! Invariants: the postings of a fact sum to zero per asset; a fee is taken from what its side receives, of stocks
//! from the quote.
//! Rules: `docs/rules/spot.md "Settlement"`, "Fees".
//! Known limits: walks the trades of a fact each time it is asked.

use super::facts::{
    Execution, MarketListed, MarketParamsChanged, MarketStateChanged, OrderPlaced, OrdersCanceled, QuoteTrade,
    QuotesSet, Trade, TradeIdsReserved, Units,
};
use super::locking::post_lock;
use super::order::OrderAck;
use super::params::MarketParams;
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AccountId, AssetId, EntityId, MarketId, OrderId, UpdateId, Wallet};
use crate::market::{MarketState, Side, StateReason};
use crate::money::{Amount, Lots, Ticks};
use crate::record::{FactBody, Listing, LogType, Posting, Role};

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
            Side::Buy if u.market.is_stock() => (u.quote, cost + fee, u.base, base),
            Side::Buy => (u.quote, cost, u.base, base - fee),
            Side::Sell => (u.base, base, u.quote, cost - fee),
        };
        let (from_available, from_locked) = if self.maker {
            let (_, locked) = u.lock(self.side, t.ticks, t.lots);
            (locked - paid, -locked)
        } else {
            (-paid, Amount::ZERO)
        };
        let row = |asset, available, locked| Posting {
            account: self.account,
            wallet: Wallet::Spot,
            asset,
            log: LogType::SPOT_TRADE,
            available,
            locked,
            reference: self.order.0,
        };
        post(row(pays, from_available, from_locked));
        post(row(gets, got, Amount::ZERO));
    }
}

fn fee_income(asset: AssetId, amount: Amount, post: &mut impl FnMut(Posting)) {
    if amount.is_zero() {
        return;
    }
    post(Posting {
        account: AccountId::FEE,
        wallet: Wallet::Spot,
        asset,
        log: LogType::FEE_INCOME,
        available: amount,
        locked: Amount::ZERO,
        reference: 0,
    });
}

/// Fees in base and in quote of trades whose taker was on `side`.
fn fees<'a>(units: &Units, trades: impl Iterator<Item = (Side, &'a Trade)>) -> (Amount, Amount) {
    let stock = units.market.is_stock();
    trades.fold((Amount::ZERO, Amount::ZERO), |(base, quote), (side, t)| match side {
        _ if stock => (base, quote + t.maker_fee + t.taker_fee),
        Side::Buy => (base + t.taker_fee, quote + t.maker_fee),
        Side::Sell => (base + t.maker_fee, quote + t.taker_fee),
    })
}

impl OrderPlaced {
    /// Quantity that was filled.
    #[must_use]
    pub fn filled(&self) -> Lots {
        self.trades.iter().fold(Lots::ZERO, |sum, t| sum + t.lots)
    }

    /// What of its rest is to be seen.
    #[must_use]
    pub fn shown(&self) -> Lots {
        if self.iceberg.is_zero() { self.rest } else { Lots(self.rest.0.min(self.iceberg.0)) }
    }

    /// Quote amount that was exchanged.
    #[must_use]
    pub fn spent(&self) -> Amount {
        self.trades.iter().map(|t| self.units.notional(t.ticks, t.lots)).sum()
    }

    /// Fee of the taker, in [`Units::fee_asset`].
    #[must_use]
    pub fn taker_fee(&self) -> Amount {
        self.trades.iter().map(|t| t.taker_fee).sum()
    }

    pub(crate) fn ack(&self, time: TimeNs) -> OrderAck {
        OrderAck { order: self.order, status: self.status, filled: self.filled(), spent: self.spent(), time }
    }

    /// Its trades in order.
    pub fn executions(&self) -> impl Iterator<Item = Execution<'_>> {
        (0..self.trades.len() as u32).map(|i| self.execution(i))
    }

    /// Its `i`-th trade.
    #[must_use]
    pub fn execution(&self, i: u32) -> Execution<'_> {
        Execution {
            id: self.first_trade.plus(u64::from(i)),
            taker: self.account,
            taker_order: self.order,
            taker_side: self.side,
            trade: &self.trades[i as usize],
            units: &self.units,
        }
    }
}

impl FactBody for MarketListed {
    fn market_state(&self) -> Option<(MarketId, MarketState, StateReason)> {
        let (state, reason) = self.params.first_state();
        Some((self.params.market, state, reason))
    }
    fn market_params(&self) -> Option<(&MarketParams, Listing)> {
        Some((&self.params, Listing::New))
    }
}

impl FactBody for MarketParamsChanged {
    fn market_params(&self) -> Option<(&MarketParams, Listing)> {
        Some((&self.params, Listing::Changed))
    }
}

impl FactBody for TradeIdsReserved {
    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::TradeIds { first: self.first, count: self.count }
    }
}

impl FactBody for OrderPlaced {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        for (i, p) in self.prevented.iter().enumerate() {
            tell(EntityId::Account(p.account), Role::Item(i as u32));
        }
        for (i, t) in self.trades.iter().enumerate() {
            tell(EntityId::Account(t.maker), Role::Maker(i as u32));
        }
        tell(EntityId::Account(self.account), Role::Taker);
        if !self.trades.is_empty() {
            tell(EntityId::Account(AccountId::FEE), Role::Fees);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let u = &self.units;
        match role {
            Role::Taker => {
                for trade in &self.trades {
                    let (account, order, side) = (self.account, self.order, self.side);
                    Leg { units: u, account, order, side, trade, maker: false }.post(post);
                }
                let (asset, amount) = u.lock(self.side, self.ticks, self.rest);
                post_lock(self.account, asset, amount, self.order.0, post);
            }
            Role::Maker(i) => {
                let trade = &self.trades[i as usize];
                let (account, order, side) = (trade.maker, trade.maker_order, self.side.opposite());
                Leg { units: u, account, order, side, trade, maker: true }.post(post);
            }
            Role::Item(i) => {
                let p = &self.prevented[i as usize];
                let (asset, amount) = u.lock(self.side.opposite(), p.ticks, p.lots);
                post_lock(p.account, asset, -amount, p.order.0, post);
            }
            Role::Fees => {
                let (base, quote) = fees(u, self.trades.iter().map(|t| (self.side, t)));
                fee_income(u.base, base, post);
                fee_income(u.quote, quote, post);
            }
            Role::Decider | Role::Other | Role::Insurance => {}
        }
    }

    fn reply(&self, time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Placed(self.ack(time)))
    }

    fn each_execution(&self, each: &mut impl FnMut(Execution<'_>)) {
        self.executions().for_each(each);
    }

    fn book_changes(&self, change: &mut impl FnMut(Side, Ticks, i64)) -> Option<(MarketId, UpdateId)> {
        let other = self.side.opposite();
        self.prevented.iter().for_each(|p| change(other, p.ticks, p.refill.0 - (p.lots - p.hidden).0));
        self.trades.iter().for_each(|t| change(other, t.ticks, t.refill.0 - t.lots.0));
        if !self.rest.is_zero() {
            change(self.side, self.ticks, self.shown().0);
        }
        Some((self.units.market, self.update))
    }
}

impl FactBody for OrdersCanceled {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        for (i, o) in self.orders.iter().enumerate() {
            tell(EntityId::Account(o.account), Role::Item(i as u32));
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if let Role::Item(i) = role {
            let o = &self.orders[i as usize];
            let (asset, amount) = self.units.lock(o.side, o.ticks, o.lots);
            post_lock(o.account, asset, -amount, o.order.0, post);
        }
    }

    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Canceled(self.orders.iter().map(|o| o.order).collect()))
    }

    fn book_changes(&self, change: &mut impl FnMut(Side, Ticks, i64)) -> Option<(MarketId, UpdateId)> {
        self.orders.iter().for_each(|o| change(o.side, o.ticks, -o.lots.0));
        Some((self.units.market, self.update))
    }
}

impl QuotesSet {
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

    /// Its trades in order.
    pub fn executions(&self) -> impl Iterator<Item = Execution<'_>> {
        (0..self.trades.len() as u32).map(|i| self.execution(i))
    }

    /// Its `i`-th trade.
    #[must_use]
    pub fn execution(&self, i: u32) -> Execution<'_> {
        let QuoteTrade { on, trade } = &self.trades[i as usize];
        Execution {
            id: self.first_trade.plus(u64::from(i)),
            taker: self.account,
            taker_order: self.order(*on),
            taker_side: self.on[*on as usize].side,
            trade,
            units: &self.units,
        }
    }
}

impl FactBody for QuotesSet {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        for (i, t) in self.trades.iter().enumerate() {
            tell(EntityId::Account(t.trade.maker), Role::Maker(i as u32));
        }
        tell(EntityId::Account(self.account), Role::Taker);
        if !self.trades.is_empty() {
            tell(EntityId::Account(AccountId::FEE), Role::Fees);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let u = &self.units;
        match role {
            Role::Taker => {
                // What the removed quotes locked comes free first: the house may have nothing else to pay with.
                let (base, quote) = self.lock_change();
                post_lock(self.account, u.base, base, 0, post);
                post_lock(self.account, u.quote, quote, 0, post);
                for (i, t) in self.trades.iter().enumerate() {
                    let (account, order, side) = (self.account, self.order(t.on), self.trade_side(i));
                    Leg { units: u, account, order, side, trade: &t.trade, maker: false }.post(post);
                }
            }
            Role::Maker(i) => {
                let trade = &self.trades[i as usize].trade;
                let side = self.trade_side(i as usize).opposite();
                let (account, order) = (trade.maker, trade.maker_order);
                Leg { units: u, account, order, side, trade, maker: true }.post(post);
            }
            Role::Fees => {
                let trades = self.trades.iter().enumerate().map(|(i, t)| (self.trade_side(i), &t.trade));
                let (base, quote) = fees(u, trades);
                fee_income(u.base, base, post);
                fee_income(u.quote, quote, post);
            }
            Role::Decider | Role::Item(_) | Role::Other | Role::Insurance => {}
        }
    }

    fn market_state(&self) -> Option<(MarketId, MarketState, StateReason)> {
        self.opens.then_some((self.units.market, MarketState::Trading, StateReason::Fresh))
    }

    fn each_execution(&self, each: &mut impl FnMut(Execution<'_>)) {
        self.executions().for_each(each);
    }

    fn book_changes(&self, change: &mut impl FnMut(Side, Ticks, i64)) -> Option<(MarketId, UpdateId)> {
        self.off.iter().for_each(|q| change(q.side, q.ticks, -q.lots.0));
        self.executions().for_each(|e| {
            change(e.taker_side.opposite(), e.trade.ticks, e.trade.refill.0 - e.trade.lots.0);
        });
        self.on.iter().filter(|q| !q.rest.is_zero()).for_each(|q| change(q.side, q.ticks, q.rest.0));
        Some((self.units.market, self.update))
    }
}

impl FactBody for MarketStateChanged {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        if !self.off.is_empty() {
            tell(EntityId::Account(self.house), Role::Item(0));
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if let Role::Item(_) = role {
            let (base, quote) = self.released();
            post_lock(self.house, self.units.base, -base, 0, post);
            post_lock(self.house, self.units.quote, -quote, 0, post);
        }
    }

    fn market_state(&self) -> Option<(MarketId, MarketState, StateReason)> {
        Some((self.units.market, self.state, self.reason))
    }

    fn book_changes(&self, change: &mut impl FnMut(Side, Ticks, i64)) -> Option<(MarketId, UpdateId)> {
        self.off.iter().for_each(|q| change(q.side, q.ticks, -q.lots.0));
        Some((self.units.market, self.update))
    }
}
