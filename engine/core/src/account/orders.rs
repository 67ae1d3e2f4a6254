//! Orders and fills as their owner sees them. An account's open orders together are in `open_orders.rs`, the forms that
//! earlier releases wrote in `old_state.rs`.
//!
//! Owns: what of an order its owner sees, and how it moves with the market's facts. Never does: match; ask the
//! market. Invariants: open quantity and what is filled follow from facts alone. Known limits: none.

use super::packed::{Packed, Unpacker, amount, amount_of, signed, signed_of, small, units};
use crate::codec::mix64;
use crate::entity::TimeNs;
use crate::ids::{ClientOrderId, OrderId, PreventedId, TradeId};
use crate::money::{Amount, Exact, Lots, Ticks};
use crate::spot::facts::{AmendedOrder, Execution, OrderPlaced, PendingOrder, Prevented, Trade, Units, WaitingOrder};
use crate::spot::{EndReason, OrderKind, OrderStatus, Side, Stp, Tif, Trigger};

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
        /// What rests in the book, waits for its price or is still to be placed.
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
        pub reason: EndReason,
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
        /// When it was taken.
        pub created: TimeNs,
        /// When it last changed.
        pub updated: TimeNs,
        /// What happens when it meets its owner's own order.
        pub stp: Stp,
        /// How much of what rests is shown at a time; 0: all of it.
        pub iceberg: Lots,
        /// When it becomes, or became, an order of the book; at once without it.
        pub trigger: Option<Trigger>,
        /// What it locks while it waits.
        pub locked: Amount,
        /// The list that it is in; 0: none.
        pub list: OrderId,
        /// When it came to the book; 0 before.
        pub working: TimeNs,
        /// What of it self-trade prevention took.
        pub prevented: Lots,
        /// The last match that took some of it.
        pub prevented_by: PreventedId,
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

impl Packed for Order {
    type Words = [u64; 25];

    fn words(&self) -> [u64; 25] {
        let trigger = self.trigger.map_or(0, |t| t.kind as u8);
        let (tif, kind, side) = (self.tif as u8, self.kind as u8, self.side as u8);
        let kinds = [trigger, self.stp as u8, self.reason as u8, self.status as u8, tif, kind, side];
        let kinds = kinds.iter().fold(0, |all, kind| all << 8 | u64::from(*kind));
        let [u0, u1, u2, u3] = units(&self.units);
        let [ticks, lots, open] = [self.ticks.0, self.lots.0, self.open.0].map(signed);
        let ([b0, b1], [s0, s1], [f0, f1]) = (amount(self.budget), amount(self.spent), amount(self.fee));
        let (filled, lived) = (signed(self.filled.0), self.updated.wrapping_sub(self.created));
        let (order, updated) = (self.order.0, self.updated);
        let [at, bips, iceberg, p0, p1, list, waited] = self.rare_words();
        [
            order, u0, u1, u2, u3, kinds, ticks, lots, open, filled, b0, b1, s0, s1, f0, f1, lived, updated, at, bips,
            iceberg, p0, p1, list, waited,
        ]
    }

    /// Most orders never waited, are in no list, hide nothing and lost nothing.
    fn used(&self) -> usize {
        if self.has_rare_words() { 25 } else { 18 }
    }

    fn text(&self) -> &str {
        self.client_id.as_ref().map_or("", ClientOrderId::as_str)
    }

    fn of(u: &mut Unpacker<'_>) -> Order {
        let (order, units, mut kinds) = (OrderId(u.word()), u.units(), u.word());
        let (side, kind, tif) = (small(&mut kinds), small(&mut kinds), small(&mut kinds));
        let (status, reason, stp) = (small(&mut kinds), small(&mut kinds), small(&mut kinds));
        let trigger = (kinds > 0).then(|| small(&mut kinds));
        let (ticks, lots) = (Ticks(u.signed()), Lots(u.signed()));
        let (open, filled) = (Lots(u.signed()), Lots(u.signed()));
        let (budget, spent, fee) = (u.amount(), u.amount(), u.amount());
        let (lived, updated) = (u.word(), u.word());
        let created = updated.wrapping_sub(lived);
        let (at, bips) = (Ticks(u.signed()), u.word() as u32);
        let (iceberg, place, list) = (Lots(u.signed()), [u.word(), u.word()], OrderId(u.word()));
        let working = created.wrapping_add(u.word());
        let (locked, prevented, prevented_by) = match status {
            OrderStatus::Waiting => (amount_of(place), Lots::ZERO, PreventedId::NONE),
            OrderStatus::Open
            | OrderStatus::Filled
            | OrderStatus::Canceled
            | OrderStatus::Partial
            | OrderStatus::Expired
            | OrderStatus::ExpiredInMatch
            | OrderStatus::Pending => (Amount::ZERO, Lots(signed_of(place[0])), PreventedId(place[1])),
        };
        Order {
            order,
            units,
            side,
            kind,
            tif,
            ticks,
            lots,
            budget,
            open,
            filled,
            spent,
            fee,
            status,
            reason,
            client_id: ClientOrderId::parse(u.text()),
            created,
            updated,
            stp,
            iceberg,
            trigger: trigger.map(|kind| Trigger { kind, ticks: at, trail_bips: bips }),
            locked,
            list,
            working,
            prevented,
            prevented_by,
        }
    }
}

impl Order {
    fn has_rare_words(&self) -> bool {
        !(self.is_plain() && self.locked.is_zero() && self.working == self.created)
    }

    /// What is nothing for most orders.
    fn rare_words(&self) -> [u64; 7] {
        if !self.has_rare_words() {
            return [0; 7];
        }
        let (at, bips) = self.trigger.map_or((0, 0), |t| (signed(t.ticks.0), u64::from(t.trail_bips)));
        // An order that never waited came to the book when it was taken: that takes no byte.
        let (iceberg, waited) = (signed(self.iceberg.0), self.working.wrapping_sub(self.created));
        // An order that waits has lost nothing yet, and one that does not wait locks by what rests: both have one place.
        let [p0, p1] = match self.status {
            OrderStatus::Waiting => amount(self.locked),
            OrderStatus::Open
            | OrderStatus::Filled
            | OrderStatus::Canceled
            | OrderStatus::Partial
            | OrderStatus::Expired
            | OrderStatus::ExpiredInMatch
            | OrderStatus::Pending => [signed(self.prevented.0), self.prevented_by.0],
        };
        [at, bips, iceberg, p0, p1, self.list.0, waited]
    }
}

impl Packed for Fill {
    type Words = [u64; 12];

    fn words(&self) -> [u64; 12] {
        let kinds = u64::from(self.maker) << 8 | self.side as u64;
        let ([u0, u1, u2, u3], [f0, f1]) = (units(&self.units), amount(self.fee));
        let (ticks, lots) = (signed(self.ticks.0), signed(self.lots.0));
        [self.trade.0, self.order.0, u0, u1, u2, u3, kinds, ticks, lots, f0, f1, self.time]
    }

    fn of(u: &mut Unpacker<'_>) -> Fill {
        let (trade, order, units, mut kinds) = (TradeId(u.word()), OrderId(u.word()), u.units(), u.word());
        let (side, maker) = (small(&mut kinds), small(&mut kinds));
        let (ticks, lots, fee, time) = (Ticks(u.signed()), Lots(u.signed()), u.amount(), u.word());
        Fill { trade, order, units, side, ticks, lots, fee, maker, time }
    }
}

impl Fill {
    /// Enough to tell it from any other, for the account's hash.
    #[inline]
    pub(super) fn hash(&self) -> u64 {
        mix64(self.trade.0 ^ mix64(self.order.0 ^ mix64(self.time ^ self.fee.0 as u64)))
    }

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
    /// Enough of an order that is done to tell it from any other, for the account's hash.
    #[inline]
    pub(super) fn hash(&self) -> u64 {
        let became = (self.status as u64) << 8 | self.reason as u64;
        mix64(self.order.0 ^ mix64(self.filled.0 as u64 ^ mix64(self.updated ^ mix64(became ^ self.spent.0 as u64))))
    }

    /// The order that a fact took, after the fact's own trades.
    #[must_use]
    pub fn from_placed(f: &OrderPlaced, time: TimeNs) -> Order {
        let (prevented, prevented_by) = f.lost();
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
            stp: f.stp,
            iceberg: f.iceberg,
            trigger: None,
            locked: Amount::ZERO,
            list: OrderId(0),
            working: time,
            prevented,
            prevented_by,
        }
    }

    /// The order that waits from now on.
    #[must_use]
    pub fn from_waiting(w: &WaitingOrder, units: &Units, time: TimeNs) -> Order {
        Order {
            order: w.order,
            units: *units,
            side: w.side,
            kind: w.kind,
            tif: w.tif,
            ticks: w.ticks,
            lots: w.lots,
            budget: Amount::ZERO,
            open: w.lots,
            filled: Lots::ZERO,
            spent: Amount::ZERO,
            fee: Amount::ZERO,
            status: OrderStatus::Waiting,
            reason: EndReason::None,
            client_id: w.client_id,
            created: time,
            updated: time,
            stp: w.stp,
            iceberg: w.iceberg,
            trigger: Some(w.trigger),
            locked: w.locked,
            list: OrderId(0),
            working: 0,
            prevented: Lots::ZERO,
            prevented_by: PreventedId::NONE,
        }
    }

    /// The order that is placed once the first one of its list is filled.
    #[must_use]
    pub fn from_pending(p: &PendingOrder, units: &Units, time: TimeNs) -> Order {
        Order {
            order: p.order,
            units: *units,
            side: p.side,
            kind: p.kind,
            tif: p.tif,
            ticks: p.ticks,
            lots: p.lots,
            budget: Amount::ZERO,
            open: p.lots,
            filled: Lots::ZERO,
            spent: Amount::ZERO,
            fee: Amount::ZERO,
            status: OrderStatus::Pending,
            reason: EndReason::None,
            client_id: p.client_id,
            created: time,
            updated: time,
            stp: p.stp,
            iceberg: p.iceberg,
            trigger: p.trigger,
            locked: Amount::ZERO,
            list: OrderId(0),
            working: 0,
            prevented: Lots::ZERO,
            prevented_by: PreventedId::NONE,
        }
    }

    /// Its turn in its list came, and it waits for its price.
    pub fn activate(&mut self, w: &WaitingOrder, time: TimeNs) {
        (self.status, self.locked, self.updated) = (OrderStatus::Waiting, w.locked, time);
    }

    /// Its price, or its turn in its list, came: this became of it.
    pub fn trigger(&mut self, f: &OrderPlaced, time: TimeNs) {
        let Order { trigger, list, created, .. } = *self;
        *self = Order { trigger, list, created, ..Order::from_placed(f, time) };
    }

    /// It became smaller.
    pub fn amend(&mut self, a: &AmendedOrder, time: TimeNs) {
        (self.lots, self.client_id, self.updated) = (a.lots, a.client_id, time);
        self.open -= a.cut;
        if self.status == OrderStatus::Waiting {
            self.locked -= a.released;
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

    /// Self-trade prevention took some of it off the book, or all: the `i`-th that a fact says so of.
    pub fn prevent(&mut self, f: &OrderPlaced, i: u32, time: TimeNs) {
        let Prevented { lots, closed, after, .. } = f.prevented[i as usize];
        self.open -= lots;
        self.updated = time;
        if after.is_some() {
            self.prevented += lots;
            self.prevented_by = PreventedId::of(f.order, i);
        }
        if closed {
            (self.status, self.reason) = (OrderStatus::ExpiredInMatch, EndReason::SelfTrade);
        }
    }

    /// It left the book, or waits no more.
    pub fn cancel(&mut self, reason: EndReason, time: TimeNs) {
        (self.open, self.locked) = (Lots::ZERO, Amount::ZERO);
        self.updated = time;
        // Nobody cancelled what left because of another order of its list, or could not be placed.
        let status = match reason {
            EndReason::OtherLeg | EndReason::Refused | EndReason::SessionEnd => OrderStatus::Expired,
            EndReason::None
            | EndReason::Ioc
            | EndReason::FillOrKill
            | EndReason::NoLiquidity
            | EndReason::Protection
            | EndReason::SelfTrade
            | EndReason::TradeLimit
            | EndReason::Budget
            | EndReason::User
            | EndReason::Replaced
            | EndReason::Liquidation
            | EndReason::Deleveraging
            | EndReason::CorporateAction => OrderStatus::Canceled,
        };
        (self.status, self.reason) = (status, reason);
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

    /// It did not wait, is in no list, shows all of itself and lost nothing: as nearly all.
    pub(super) fn is_plain(&self) -> bool {
        self.trigger.is_none() && self.list.0 == 0 && self.iceberg.is_zero() && self.prevented.is_zero()
    }

    /// What it still locks.
    #[must_use]
    pub fn locks(&self) -> (crate::ids::AssetId, Amount) {
        let (asset, resting) = self.units.lock(self.side, self.ticks, self.open);
        let amount = match self.status {
            OrderStatus::Waiting => self.locked,
            OrderStatus::Pending => Amount::ZERO,
            OrderStatus::Open
            | OrderStatus::Partial
            | OrderStatus::Filled
            | OrderStatus::Canceled
            | OrderStatus::Expired
            | OrderStatus::ExpiredInMatch => resting,
        };
        (asset, amount)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::packed::{pack, unpack};
    use super::*;
    use crate::ids::{AssetId, MarketId};
    use crate::spot::TriggerKind;
    use proptest::prelude::*;

    fn units(market: u16, numbers: (u32, u32, i64, i64)) -> Units {
        let (base, quote, lot_units, tick_lot_units) = numbers;
        Units { market: MarketId(market), base: AssetId(base), quote: AssetId(quote), lot_units, tick_lot_units }
    }

    fn any_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
        proptest::sample::select(all)
    }

    prop_compose! {
        pub(in crate::account) fn any_order()(
            (ids, market, numbers) in any::<((u64, u64, u64), u16, (u32, u32, i64, i64))>(),
            (ticks, lots, open, filled) in any::<(i64, i64, i64, i64)>(),
            (budget, spent, fee) in any::<(i128, i128, i128)>(),
            (side, kind, tif) in (any_of(Side::ALL), any_of(OrderKind::ALL), any_of(Tif::ALL)),
            (status, reason) in (any_of(OrderStatus::ALL), any_of(EndReason::ALL)),
            name in proptest::option::of("[.A-Z:/a-z0-9_-]{1,36}"),
            (stp, iceberg, locked, list, working) in (any_of(Stp::ALL), any::<i64>(), any::<i128>(), any::<u64>(), any::<u64>()),
            trigger in proptest::option::of((any_of(TriggerKind::ALL), any::<i64>(), any::<u32>())),
            lost in any::<(i64, u64)>(),
        ) -> Order {
            let waits = status == OrderStatus::Waiting;
            let (locked, lost) = if waits { (locked, (0, 0)) } else { (0, lost) };
            Order {
                order: OrderId(ids.0),
                units: units(market, numbers),
                side,
                kind,
                tif,
                ticks: Ticks(ticks),
                lots: Lots(lots),
                budget: Amount(budget),
                open: Lots(open),
                filled: Lots(filled),
                spent: Amount(spent),
                fee: Amount(fee),
                status,
                reason,
                client_id: name.and_then(|name| ClientOrderId::parse(&name)),
                created: ids.1,
                updated: ids.2,
                stp,
                iceberg: Lots(iceberg),
                trigger: trigger.map(|(kind, ticks, trail_bips)| Trigger { kind, ticks: Ticks(ticks), trail_bips }),
                locked: Amount(locked),
                list: OrderId(list),
                working,
                prevented: Lots(lost.0),
                prevented_by: PreventedId(lost.1),
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(order in any_order(), maker: bool, shift in 0..64_u32) {
            let small = Order { created: order.created >> shift, ticks: Ticks(order.ticks.0 >> shift), ..order };
            for order in [order, small] {
                prop_assert_eq!(pack(&order, unpack::<Order>), order);
                let Order { units, side, ticks, lots, fee, created: time, .. } = order;
                let fill = Fill { trade: TradeId(time), order: order.order, units, side, ticks, lots, fee, maker, time };
                prop_assert_eq!(pack(&fill, unpack::<Fill>), fill);
            }
        }
    }
}
