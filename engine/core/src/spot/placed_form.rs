//! The byte forms of [`OrderPlaced`], the fact that most of a journal consists of.
//!
//! Owns: form 4, which is written, and forms 3, 2 and 1, which are read for ever. Never does: leave out what cannot be told from
//! the rest. Invariants: what is written reads as the same fact; a market's orders and trades are named by their count
//! alone, makers by how far they are from the taker.
//! Known limits: ids of another market than that of the units, and an order that is still pending, cannot be written; nobody
//! makes such a fact.

use super::facts::{BlockingOrder, OrderPlaced, Prevented, Trade, Units};
use super::old_forms::{PreventedV1, PreventedV2, TradeV1};
use super::{OrderStatus, Stp, Tif};
use crate::codec::{DecodeError, Reader, Wire};
use crate::ids::{MARKET_SPAN, MarketId, OrderId, TradeId};
use crate::money::{Amount, Lots, Ticks};

/// Which bits of the first number of forms 2 to 4 hold what; the rest is zero or empty without its bit.
mod bits {
    pub(super) const SIDE: u16 = 0;
    pub(super) const KIND: u16 = 1;
    pub(super) const TIF: u16 = 2;
    pub(super) const STATUS: u16 = 4;
    pub(super) const REASON: u16 = 7;
    pub(super) const CLIENT_ID: u16 = 1 << 11;
    pub(super) const BUDGET: u16 = 1 << 12;
    pub(super) const PREVENTED: u16 = 1 << 13;
    pub(super) const REST: u16 = 1 << 14;
    pub(super) const TRADES: u16 = 1 << 15;
}

/// Which bits of the second number of forms 3 and 4.
mod more_bits {
    pub(super) const STP: u8 = 0;
    pub(super) const ICEBERG: u8 = 1 << 3;
    /// Form 4 only.
    pub(super) const STOPPER: u8 = 1 << 4;
    /// Form 4 only: a time in force that the bits for it have no room for.
    pub(super) const DAY: u8 = 1 << 5;
}

const MAKER_DONE: u128 = 1;
const MAKER_QUOTE: u128 = 2;
/// Not in form 2, which has no refills, and whose quantity begins where this bit is.
const REFILL: u128 = 4;

/// The forms that begin with bits. Each is read by code of its own: most of a start is reading them.
const SECOND: u8 = 2;
const THIRD: u8 = 3;
const FOURTH: u8 = 4;

/// How many orders or trades a market had with this one.
fn count(id: u64, market: MarketId) -> u64 {
    assert!(id % MARKET_SPAN == u64::from(market.0), "{id} is of another market than {market}");
    id / MARKET_SPAN
}

fn id(count: u64, market: MarketId) -> Result<u64, DecodeError> {
    let id = count.checked_mul(MARKET_SPAN).and_then(|id| id.checked_add(u64::from(market.0)));
    id.filter(|_| u64::from(market.0) < MARKET_SPAN).ok_or(DecodeError::Range("id of a market"))
}

/// What a bit says is there, must not be what stands for its absence: a fact has one form only.
fn there<T: PartialEq>(value: T, absent: &T) -> Result<T, DecodeError> {
    if value == *absent { Err(DecodeError::Range("a value that is told without its bit")) } else { Ok(value) }
}

/// A value of few bits.
#[inline]
fn few<T: Wire>(bits: u16, from: u16, width: u16, first: u8) -> Result<T, DecodeError> {
    let value = (bits >> from & ((1 << width) - 1)) as u8;
    T::get(&mut Reader::new(&[value + first]))
}

fn put_trade(t: &Trade, f: &OrderPlaced, out: &mut Vec<u8>) {
    let (taker, maker) = (count(f.order.0, f.units.market), count(t.maker_order.0, f.units.market));
    (taker.wrapping_sub(maker) as i64).put(out);
    t.maker.put(out);
    f.ticks.0.wrapping_sub(t.ticks.0).put(out);
    let done = if t.maker_done { MAKER_DONE } else { 0 };
    let quote = if t.maker_quote { MAKER_QUOTE } else { 0 };
    let refill = if t.refill.is_zero() { 0 } else { REFILL };
    (u128::from(t.lots.0 as u64) << 3 | done | quote | refill).put(out);
    t.maker_fee.put(out);
    t.taker_fee.put(out);
    if !t.refill.is_zero() {
        t.refill.put(out);
    }
}

fn get_trade<const FORM: u8>(
    r: &mut Reader<'_>,
    taker: u64,
    ticks: Ticks,
    market: MarketId,
) -> Result<Trade, DecodeError> {
    let maker = taker.wrapping_sub(i64::get(r)? as u64);
    let (maker_order, maker) = (OrderId(id(maker, market)?), Wire::get(r)?);
    let ticks = Ticks(ticks.0.wrapping_sub(Wire::get(r)?));
    let lots = u128::get(r)?;
    let (maker_done, maker_quote) = (lots & MAKER_DONE != 0, lots & MAKER_QUOTE != 0);
    let refilled = FORM != SECOND && lots & REFILL != 0;
    let flags = if FORM == SECOND { 2 } else { 3 };
    let lots = Lots(u64::try_from(lots >> flags).map_err(|_| DecodeError::Range("lots"))? as i64);
    let (maker_fee, taker_fee) = (Wire::get(r)?, Wire::get(r)?);
    let refill = if refilled { there(Wire::get(r)?, &Lots::ZERO)? } else { Lots::ZERO };
    Ok(Trade { maker_order, maker, ticks, lots, maker_fee, taker_fee, maker_done, maker_quote, refill })
}

impl OrderPlaced {
    fn bits(&self) -> u16 {
        debug_assert!(self.status != OrderStatus::Pending, "what is placed is not pending");
        let few = (self.side as u16 - 1) << bits::SIDE
            | (self.kind as u16 - 1) << bits::KIND
            | (if self.tif == Tif::Day { Tif::Gtc } else { self.tif } as u16 - 1) << bits::TIF
            | (self.status as u16) << bits::STATUS
            | (self.reason as u16) << bits::REASON;
        let there = [
            (self.client_id.is_some(), bits::CLIENT_ID),
            (!self.budget.is_zero(), bits::BUDGET),
            (!self.prevented.is_empty(), bits::PREVENTED),
            (!self.rest.is_zero(), bits::REST),
            (!self.trades.is_empty(), bits::TRADES),
        ];
        there.iter().fold(few, |all, (there, bit)| if *there { all | bit } else { all })
    }

    fn more_bits(&self) -> u8 {
        let iceberg = if self.iceberg.is_zero() { 0 } else { more_bits::ICEBERG };
        let stopper = if self.stopper.is_some() { more_bits::STOPPER } else { 0 };
        let day = if self.tif == Tif::Day { more_bits::DAY } else { 0 };
        (self.stp as u8) << more_bits::STP | iceberg | stopper | day
    }
}

impl Wire for OrderPlaced {
    fn put(&self, out: &mut Vec<u8>) {
        let market = self.units.market;
        let [low, high] = self.bits().to_le_bytes();
        out.extend_from_slice(&[low, high, self.more_bits()]);
        self.units.put(out);
        count(self.order.0, market).put(out);
        self.account.put(out);
        self.ticks.put(out);
        self.lots.put(out);
        self.maker_ppm.put(out);
        count(self.first_trade.0, market).put(out);
        self.update.put(out);
        self.client_id.iter().for_each(|client_id| client_id.put(out));
        if !self.budget.is_zero() {
            self.budget.put(out);
        }
        if !self.iceberg.is_zero() {
            self.iceberg.put(out);
        }
        if !self.prevented.is_empty() {
            put_prevented(&self.prevented, out);
        }
        self.stopper.iter().for_each(|stopper| stopper.put(out));
        if !self.rest.is_zero() {
            self.rest.put(out);
        }
        if !self.trades.is_empty() {
            (self.trades.len() as u64).put(out);
            self.trades.iter().for_each(|trade| put_trade(trade, self, out));
        }
    }

    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        get::<FOURTH>(r)
    }
}

/// Prevented matches, which hardly any order has.
#[cold]
fn put_prevented(prevented: &[Prevented], out: &mut Vec<u8>) {
    prevented.to_vec().put(out);
}

/// As they are read.
#[cold]
fn get_prevented<const FORM: u8>(r: &mut Reader<'_>) -> Result<Box<[Prevented]>, DecodeError> {
    let read: Vec<Prevented> = match FORM {
        SECOND => Vec::<PreventedV1>::get(r)?.into_iter().map(Prevented::from).collect(),
        THIRD => Vec::<PreventedV2>::get(r)?.into_iter().map(Prevented::from).collect(),
        _ => Vec::<Prevented>::get(r)?,
    };
    there(read.into(), &Box::default())
}

#[cold]
fn get_stopper(r: &mut Reader<'_>) -> Result<Option<Box<BlockingOrder>>, DecodeError> {
    BlockingOrder::get(r).map(|stopper| Some(Box::new(stopper)))
}

/// A day's order has a bit of its own beside the bits of one that has no end.
fn tif(tif: Tif, more: u8) -> Result<Tif, DecodeError> {
    match (more & more_bits::DAY != 0, tif) {
        (false, tif) => Ok(tif),
        (true, Tif::Gtc) => Ok(Tif::Day),
        (true, _) => Err(DecodeError::Range("time in force")),
    }
}

#[inline]
fn get<const FORM: u8>(r: &mut Reader<'_>) -> Result<OrderPlaced, DecodeError> {
    let (bits, more) = if FORM == SECOND {
        (u16::from_le_bytes([u8::get(r)?, u8::get(r)?]), (Stp::ExpireTaker as u8) << more_bits::STP)
    } else {
        match *r.take(3)? {
            [low, high, more] => (u16::from_le_bytes([low, high]), more),
            _ => return Err(DecodeError::Short),
        }
    };
    let has = |bit| bits & bit != 0;
    let since_fourth = if FORM == FOURTH { more_bits::STOPPER | more_bits::DAY } else { 0 };
    if more & !(since_fourth | more_bits::ICEBERG | 7 << more_bits::STP) != 0 {
        return Err(DecodeError::Range("bits of an order"));
    }
    let units = Units::get(r)?;
    let taker = u64::get(r)?;
    let (account, ticks, lots, maker_ppm) = (Wire::get(r)?, Ticks::get(r)?, Wire::get(r)?, Wire::get(r)?);
    let (first_trade, update) = (TradeId(id(u64::get(r)?, units.market)?), Wire::get(r)?);
    let client_id = if has(bits::CLIENT_ID) { Some(Wire::get(r)?) } else { None };
    let budget = if has(bits::BUDGET) { there(Wire::get(r)?, &Amount::ZERO)? } else { Amount::ZERO };
    let is_iceberg = more & more_bits::ICEBERG != 0;
    let iceberg = if is_iceberg { there(Wire::get(r)?, &Lots::ZERO)? } else { Lots::ZERO };
    let prevented = if has(bits::PREVENTED) { get_prevented::<FORM>(r)? } else { Box::default() };
    let stopper = if more & more_bits::STOPPER != 0 { get_stopper(r)? } else { None };
    let rest = if has(bits::REST) { there(Wire::get(r)?, &Lots::ZERO)? } else { Lots::ZERO };
    let mut trades = Vec::new();
    if has(bits::TRADES) {
        let count = there(u64::get(r)?, &0)?;
        // A trade takes six bytes at least: no more room is made than the bytes can fill.
        trades.reserve_exact(count.min(r.left() as u64 / 6) as usize);
        for _ in 0..count {
            trades.push(get_trade::<FORM>(r, taker, ticks, units.market)?);
        }
    }
    Ok(OrderPlaced {
        units,
        order: OrderId(id(taker, units.market)?),
        account,
        side: few(bits, bits::SIDE, 1, 1)?,
        kind: few(bits, bits::KIND, 1, 1)?,
        tif: tif(few(bits, bits::TIF, 2, 1)?, more)?,
        ticks,
        lots,
        budget,
        stp: few(u16::from(more), u16::from(more_bits::STP), 3, 0)?,
        iceberg,
        client_id,
        maker_ppm,
        first_trade,
        trades,
        prevented,
        stopper,
        rest,
        status: few(bits, bits::STATUS, 3, 0)?,
        reason: few(bits, bits::REASON, 4, 0)?,
        update,
    })
}

/// The third form: a prevented match does not tell what came before it, and one that took nothing off the resting order is
/// not told.
pub(crate) struct OrderPlacedV3(OrderPlaced);

impl OrderPlacedV3 {
    pub(crate) fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        get::<THIRD>(r).map(OrderPlacedV3)
    }
}

impl From<OrderPlacedV3> for OrderPlaced {
    fn from(OrderPlacedV3(old): OrderPlacedV3) -> OrderPlaced {
        old
    }
}

/// The second form: without prevention and icebergs.
pub(crate) struct OrderPlacedV2(OrderPlaced);

impl OrderPlacedV2 {
    pub(crate) fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        get::<SECOND>(r).map(OrderPlacedV2)
    }
}

impl From<OrderPlacedV2> for OrderPlaced {
    fn from(OrderPlacedV2(old): OrderPlacedV2) -> OrderPlaced {
        old
    }
}

/// The first form: each field as itself, one after the other.
pub(crate) struct OrderPlacedV1(OrderPlaced);

impl OrderPlacedV1 {
    pub(crate) fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(OrderPlacedV1(OrderPlaced {
            units: Wire::get(r)?,
            order: Wire::get(r)?,
            account: Wire::get(r)?,
            side: Wire::get(r)?,
            kind: Wire::get(r)?,
            tif: Wire::get(r)?,
            ticks: Wire::get(r)?,
            lots: Wire::get(r)?,
            budget: Wire::get(r)?,
            stp: Stp::ExpireTaker,
            iceberg: Lots::ZERO,
            client_id: Wire::get(r)?,
            maker_ppm: Wire::get(r)?,
            first_trade: Wire::get(r)?,
            trades: Vec::<TradeV1>::get(r)?.into_iter().map(Trade::from).collect(),
            prevented: Vec::<PreventedV1>::get(r)?.into_iter().map(Prevented::from).collect(),
            stopper: None,
            rest: Wire::get(r)?,
            status: Wire::get(r)?,
            reason: Wire::get(r)?,
            update: Wire::get(r)?,
        }))
    }
}

impl From<OrderPlacedV1> for OrderPlaced {
    fn from(OrderPlacedV1(old): OrderPlacedV1) -> OrderPlaced {
        old
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::Prevented;
    use super::*;
    use crate::ids::{AccountId, AssetId, ClientOrderId, UpdateId};
    use crate::money::FeePpm;
    use crate::spot::{EndReason, OrderKind, OrderStatus, Side, Tif};
    use proptest::prelude::*;
    use proptest::sample::select;

    const MARKET: MarketId = MarketId(7);

    fn order() -> impl Strategy<Value = OrderId> {
        (0..1_u64 << 40).prop_map(|count| OrderId::of(MARKET, count))
    }

    fn amount() -> impl Strategy<Value = Amount> {
        prop_oneof![Just(Amount::ZERO), any::<i128>().prop_map(Amount)]
    }

    fn lots() -> impl Strategy<Value = Lots> {
        prop_oneof![Just(Lots::ZERO), any::<i64>().prop_map(Lots)]
    }

    fn trade() -> impl Strategy<Value = Trade> {
        let flags = (any::<bool>(), any::<bool>(), lots());
        (order(), any::<u64>(), any::<i64>(), lots(), amount(), amount(), flags).prop_map(|t| Trade {
            maker_order: t.0,
            maker: AccountId(t.1),
            ticks: Ticks(t.2),
            lots: t.3,
            maker_fee: t.4,
            taker_fee: t.5,
            maker_done: t.6.0,
            maker_quote: t.6.1,
            refill: t.6.2,
        })
    }

    fn prevented() -> impl Strategy<Value = Prevented> {
        let after = proptest::option::of(any::<u32>());
        (order(), any::<u64>(), any::<i64>(), lots(), any::<[bool; 2]>(), [lots(), lots()], after).prop_map(|p| {
            Prevented {
                order: p.0,
                account: AccountId(p.1),
                ticks: Ticks(p.2),
                lots: p.3,
                closed: p.4[0],
                quote: p.4[1],
                hidden: p.5[0],
                refill: p.5[1],
                after: p.6,
            }
        })
    }

    fn stopper() -> impl Strategy<Value = BlockingOrder> {
        (order(), any::<i64>(), lots()).prop_map(|s| BlockingOrder { order: s.0, ticks: Ticks(s.1), lots: s.2 })
    }

    fn placed() -> impl Strategy<Value = OrderPlaced> {
        let kinds = (select(Side::ALL), select(OrderKind::ALL), select(Tif::ALL), select(Stp::ALL), lots());
        let placed = OrderStatus::ALL.iter().copied().filter(|status| *status != OrderStatus::Pending);
        let became = (select(placed.collect::<Vec<_>>()), select(EndReason::ALL), lots());
        let name = proptest::option::of("[a-z]{1,36}");
        let stopper = proptest::option::of(stopper().prop_map(Box::new));
        let lists = (proptest::collection::vec(trade(), 0..4), proptest::collection::vec(prevented(), 0..3), stopper);
        let asked = (order(), any::<i64>(), lots(), amount(), any::<u32>(), any::<[u32; 2]>());
        (kinds, became, name, lists, asked).prop_map(|(kinds, became, name, lists, asked)| OrderPlaced {
            units: Units { market: MARKET, base: AssetId(1), quote: AssetId(3), lot_units: 1_000, tick_lot_units: 10 },
            order: asked.0,
            account: AccountId(100_001),
            side: kinds.0,
            kind: kinds.1,
            tif: kinds.2,
            ticks: Ticks(asked.1),
            lots: asked.2,
            budget: asked.3,
            stp: kinds.3,
            iceberg: kinds.4,
            client_id: name.and_then(|name| ClientOrderId::parse(&name)),
            maker_ppm: FeePpm(asked.4),
            first_trade: TradeId::of(MARKET, u64::from(asked.5[0])),
            trades: lists.0,
            prevented: lists.1.into(),
            stopper: lists.2,
            rest: became.2,
            status: became.0,
            reason: became.1,
            update: UpdateId(u64::from(asked.5[1])),
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_the_same(fact in placed()) {
            let mut bytes = Vec::new();
            fact.put(&mut bytes);
            let mut r = Reader::new(&bytes);
            prop_assert_eq!(OrderPlaced::get(&mut r).unwrap(), fact);
            r.finish().unwrap();
        }

        #[test]
        fn damaged_bytes_are_refused_or_are_the_form_of_another_fact(fact in placed(), at: usize, by in 1..=255_u8) {
            let mut bytes = Vec::new();
            fact.put(&mut bytes);
            let at = at % bytes.len();
            bytes[at] ^= by;
            let mut r = Reader::new(&bytes);
            if let Ok(other) = OrderPlaced::get(&mut r) {
                let mut again = Vec::new();
                other.put(&mut again);
                prop_assert_eq!(OrderPlaced::get(&mut Reader::new(&again)).unwrap(), other);
            }
        }
    }

    #[test]
    fn a_bit_for_what_is_not_there_is_refused() {
        let mut bytes = Vec::new();
        let fact = OrderPlaced {
            units: Units { market: MARKET, base: AssetId(1), quote: AssetId(3), lot_units: 1, tick_lot_units: 1 },
            order: OrderId::of(MARKET, 1),
            account: AccountId(1),
            side: Side::Buy,
            kind: OrderKind::Limit,
            tif: Tif::Gtc,
            ticks: Ticks(1),
            lots: Lots(1),
            budget: Amount::ZERO,
            stp: Stp::ExpireMaker,
            iceberg: Lots::ZERO,
            client_id: None,
            maker_ppm: FeePpm(0),
            first_trade: TradeId::of(MARKET, 1),
            trades: Vec::new(),
            prevented: Box::default(),
            stopper: None,
            rest: Lots::ZERO,
            status: OrderStatus::Expired,
            reason: EndReason::Ioc,
            update: UpdateId(1),
        };
        fact.put(&mut bytes);
        for bit in [bits::BUDGET, bits::PREVENTED, bits::REST, bits::TRADES] {
            let mut damaged = (fact.bits() | bit).to_le_bytes().to_vec();
            damaged.extend_from_slice(&bytes[2..]);
            damaged.push(0);
            assert!(OrderPlaced::get(&mut Reader::new(&damaged)).is_err(), "{bit:x}");
        }
        let mut damaged = bytes.clone();
        damaged[2] |= more_bits::ICEBERG;
        damaged.push(0);
        assert!(OrderPlaced::get(&mut Reader::new(&damaged)).is_err());
    }
}
