//! An account's own view of its orders and fills, and the open ones of its orders. Those that are done are in `recent.rs`.
//!
//! Owns: what of an order its owner sees, and how it moves with the market's facts. Never does: match; ask the
//! market. Invariants: open quantity and what is filled follow from facts alone. Known limits: of an order that is
//! done only the latest are kept.

use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes};
use crate::entity::TimeNs;
use crate::ids::{ClientOrderId, OrderId, TradeId};
use crate::money::{Amount, Exact, Lots, Ticks};
use crate::spot::facts::{Execution, OrderPlaced, Trade, Units};
use crate::spot::{OrderKind, OrderStatus, Side, StopReason, Tif};

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

/// An account's open orders. Their hash covers all of each order and is kept up to date as they change.
#[derive(Debug, Default)]
pub struct OpenOrders {
    /// By id. A box each: an order is large, and its neighbours move when one comes or goes.
    by_id: Vec<(OrderId, Box<Order>)>,
    digest: u64,
}

fn whole_hash(o: &Order) -> u64 {
    let u = &o.units;
    let kinds = [o.side as u64, o.kind as u64, o.tif as u64, o.status as u64, o.reason as u64];
    let kinds = kinds.iter().fold(0, |all, kind| all << 8 | kind);
    let name = o.client_id.map_or(0, |id| hash_bytes(1, id.as_str().as_bytes()));
    let pair = u64::from(u.market.0) << 48 ^ u64::from(u.base.0) << 24 ^ u64::from(u.quote.0);
    let h = WordHash::new(o.order.0).pair(pair, kinds).pair(u.lot_units as u64, u.tick_lot_units as u64);
    let h = h.pair(name, o.ticks.0 as u64).pair(o.lots.0 as u64, o.open.0 as u64).pair(o.filled.0 as u64, o.created);
    h.wide(o.budget.0).wide(o.spent.0).wide(o.fee.0).word(o.updated).end()
}

impl OpenOrders {
    /// Adds one.
    ///
    /// # Panics
    /// When it is open already: ids are given once.
    pub fn insert(&mut self, order: Order) {
        self.digest = self.digest.wrapping_add(whole_hash(&order));
        let at = self.find(order.order).expect_err("an id is given once");
        self.by_id.insert(at, (order.order, Box::new(order)));
    }

    fn find(&self, id: OrderId) -> Result<usize, usize> {
        self.by_id.binary_search_by_key(&id, |(id, _)| *id)
    }

    /// Takes one out.
    pub fn remove(&mut self, id: OrderId) -> Option<Order> {
        let (_, order) = self.by_id.remove(self.find(id).ok()?);
        self.digest = self.digest.wrapping_sub(whole_hash(&order));
        Some(*order)
    }

    /// Changes one.
    ///
    /// # Panics
    /// When it is not open: a fact that speaks of it is a bug.
    pub fn change(&mut self, id: OrderId, change: impl FnOnce(&mut Order)) {
        let at = self.find(id).expect("what a fact changes is open");
        let order = &mut self.by_id[at].1;
        self.digest = self.digest.wrapping_sub(whole_hash(order));
        change(order);
        self.digest = self.digest.wrapping_add(whole_hash(order));
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: OrderId) -> Option<&Order> {
        self.find(id).ok().map(|at| &*self.by_id[at].1)
    }

    /// Where the latest of them are looked up, for whoever asks for memory ahead of time.
    pub fn places(&self, tell: &mut impl FnMut(*const u8)) {
        tell(self.by_id.as_ptr().wrapping_add(self.by_id.len()).cast());
    }

    /// All, by id.
    pub fn values(&self) -> impl Iterator<Item = &Order> {
        self.by_id.iter().map(|(_, order)| &**order)
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
        self.values().for_each(|order| order.put(out));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut orders = OpenOrders::default();
        Vec::<Order>::get(r)?.into_iter().for_each(|order| orders.insert(order));
        Ok(orders)
    }
}
