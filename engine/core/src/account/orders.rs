//! An account's own view of its orders and fills: the open ones, and the latest of the others.

use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes, mix64};
use crate::entity::TimeNs;
use crate::ids::{ClientOrderId, OrderId, TradeId};
use crate::money::{Amount, Exact, Lots, Ticks};
use crate::spot::facts::{Execution, OrderPlaced, Trade, Units};
use crate::spot::{OrderKind, OrderStatus, Side, StopReason, Tif};
use std::collections::{BTreeMap, VecDeque};

/// Orders that are done and fills that an account remembers; older ones come from the store.
pub const RECENT: usize = 256;

crate::wire_struct! {
    /// An order as its owner sees it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Order {
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
        /// Limit price; 0 for market orders.
        pub ticks: Ticks,
        /// Quantity asked for; 0 when a quote amount was named.
        pub lots: Lots,
        /// Quote amount asked for; 0 when a quantity was named.
        pub budget: Amount,
        /// What rests in the book.
        pub open: Lots,
        /// What was filled.
        pub filled: Lots,
        /// Quote exchanged so far.
        pub spent: Amount,
        /// Fees so far, in what the order receives.
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

crate::wire_struct! {
    /// One side of a trade.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Fill {
        /// The trade.
        pub trade: TradeId,
        /// The order that was filled.
        pub order: OrderId,
        /// Meaning of the numbers.
        pub units: Units,
        /// The order's side.
        pub side: Side,
        /// Price.
        pub ticks: Ticks,
        /// Quantity.
        pub lots: Lots,
        /// Fee, in what the order receives.
        pub fee: Amount,
        /// The order rested.
        pub maker: bool,
        /// When.
        pub time: TimeNs,
    }
}

impl Fill {
    /// One side of an execution.
    #[must_use]
    pub fn of(e: &Execution<'_>, maker: bool, time: TimeNs) -> Fill {
        let (order, side, fee) = if maker {
            (e.trade.maker_order, e.taker_side.opposite(), e.trade.maker_fee)
        } else {
            (e.taker_order, e.taker_side, e.trade.taker_fee)
        };
        let (ticks, lots) = (e.trade.ticks, e.trade.lots);
        Fill { trade: e.id, order, units: *e.units, side, ticks, lots, fee, maker, time }
    }
}

impl Order {
    /// The order that a fact took, after the fact's own trades.
    #[must_use]
    pub fn from_placed(f: &OrderPlaced, time: TimeNs) -> Order {
        Order {
            order: f.order,
            units: f.units,
            side: f.side,
            kind: f.kind,
            tif: f.tif,
            ticks: f.ticks,
            lots: f.lots,
            budget: f.budget,
            open: f.rest,
            filled: f.filled(),
            spent: f.spent(),
            fee: f.taker_fee(),
            status: f.status,
            reason: f.reason,
            client_id: f.client_id,
            created: time,
            updated: time,
        }
    }

    /// A fill as maker.
    pub fn fill_as_maker(&mut self, trade: &Trade, time: TimeNs) {
        self.open -= trade.lots;
        self.filled += trade.lots;
        self.spent += self.units.notional(trade.ticks, trade.lots);
        self.fee += trade.maker_fee;
        self.status = if trade.maker_done { OrderStatus::Filled } else { OrderStatus::Partial };
        self.updated = time;
    }

    /// Self-trade prevention took `lots` off the book; `closed` when that was all.
    pub fn prevent(&mut self, lots: Lots, closed: bool, time: TimeNs) {
        self.open -= lots;
        self.updated = time;
        if closed {
            (self.status, self.reason) = (OrderStatus::ExpiredInMatch, StopReason::SelfTrade);
        }
    }

    /// It left the book.
    pub fn cancel(&mut self, reason: StopReason, time: TimeNs) {
        self.open = Lots::ZERO;
        self.updated = time;
        (self.status, self.reason) = (OrderStatus::Canceled, reason);
    }

    /// Average price of its fills to eight decimals; zero before the first.
    #[must_use]
    pub fn average(&self) -> Amount {
        let filled = Exact::from(self.units.base_amount(self.filled));
        Exact::from(self.spent).div_sig20_half_up(filled).map_or(Amount::ZERO, Exact::round8)
    }

    /// It got all that it could: filled, or a market order that ended with fills.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.status.is_complete(self.kind, self.filled)
    }

    /// What it still locks.
    #[must_use]
    pub fn locks(&self) -> (crate::ids::AssetId, Amount) {
        self.units.lock(self.side, self.ticks, self.open)
    }
}

/// What the account's hash covers of an entry of [`Recent`]: enough to tell it from any other.
pub trait Hashed {
    /// Its hash.
    fn hash(&self) -> u64;
}

impl Hashed for Order {
    fn hash(&self) -> u64 {
        let became = (self.status as u64) << 8 | self.reason as u64;
        mix64(self.order.0 ^ mix64(self.filled.0 as u64 ^ mix64(self.updated ^ mix64(became ^ self.spent.0 as u64))))
    }
}

impl Hashed for Fill {
    fn hash(&self) -> u64 {
        mix64(self.trade.0 ^ mix64(self.order.0 ^ mix64(self.time ^ self.fee.0 as u64)))
    }
}

/// An account's open orders. Their hash covers all of each order and is kept up to date as they change.
#[derive(Debug, Default)]
pub struct OpenOrders {
    by_id: BTreeMap<OrderId, Order>,
    digest: u64,
}

fn whole_hash(o: &Order) -> u64 {
    let u = &o.units;
    let kinds = [o.side as u64, o.kind as u64, o.tif as u64, o.status as u64, o.reason as u64];
    let kinds = kinds.iter().fold(0, |all, kind| all << 8 | kind);
    let name = o.client_id.map_or(0, |id| hash_bytes(1, id.as_str().as_bytes()));
    let pair = u64::from(u.market.0) << 48 ^ u64::from(u.base.0) << 24 ^ u64::from(u.quote.0);
    let h = WordHash::new(o.order.0).word(pair).word(u.lot_units as u64).word(u.tick_lot_units as u64);
    let h = h.word(kinds).word(name).word(o.ticks.0 as u64).word(o.lots.0 as u64).wide(o.budget.0);
    let h = h.word(o.open.0 as u64).word(o.filled.0 as u64).wide(o.spent.0).wide(o.fee.0);
    h.word(o.created).word(o.updated).end()
}

impl OpenOrders {
    /// Adds one.
    pub fn insert(&mut self, order: Order) {
        self.digest = self.digest.wrapping_add(whole_hash(&order));
        self.by_id.insert(order.order, order);
    }

    /// Takes one out.
    pub fn remove(&mut self, id: OrderId) -> Option<Order> {
        let order = self.by_id.remove(&id)?;
        self.digest = self.digest.wrapping_sub(whole_hash(&order));
        Some(order)
    }

    /// Changes one.
    ///
    /// # Panics
    /// When it is not open: a fact that speaks of it is a bug.
    pub fn change(&mut self, id: OrderId, change: impl FnOnce(&mut Order)) {
        let order = self.by_id.get_mut(&id).expect("what a fact changes is open");
        self.digest = self.digest.wrapping_sub(whole_hash(order));
        change(order);
        self.digest = self.digest.wrapping_add(whole_hash(order));
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: OrderId) -> Option<&Order> {
        self.by_id.get(&id)
    }

    /// All, by id.
    pub fn values(&self) -> impl Iterator<Item = &Order> {
        self.by_id.values()
    }

    /// Hash of all of them.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

impl Wire for OpenOrders {
    fn put(&self, out: &mut Vec<u8>) {
        (self.by_id.len() as u64).put(out);
        self.by_id.values().for_each(|order| order.put(out));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut orders = OpenOrders::default();
        Vec::<Order>::get(r)?.into_iter().for_each(|order| orders.insert(order));
        Ok(orders)
    }
}

/// A list that forgets its oldest entries; its hash covers all that it ever held.
#[derive(Debug)]
pub struct Recent<T> {
    list: VecDeque<T>,
    digest: u64,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent { list: VecDeque::new(), digest: 0 }
    }
}

impl<T: Hashed> Recent<T> {
    /// Adds the newest.
    pub fn push(&mut self, item: T) {
        self.digest = mix64(self.digest ^ item.hash());
        if self.list.len() == RECENT {
            self.list.pop_front();
        }
        self.list.push_back(item);
    }

    /// Hash of all that it ever held, in order.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.list.iter()
    }
}

impl<T: Wire> Wire for Recent<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.digest.put(out);
        (self.list.len() as u64).put(out);
        self.list.iter().for_each(|item| item.put(out));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Recent { digest: Wire::get(r)?, list: Vec::<T>::get(r)?.into() })
    }
}
