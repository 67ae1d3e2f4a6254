//! The byte forms of [`ContractOrderPlaced`], the most frequent fact of contracts' books.
//!
//! Owns: form 2, which is written, and form 1, which is read for ever; the same of the fact that holds one of a waiting order.
//! Never does: leave out what cannot be told from the rest. Invariants: what is written reads as the same fact, and a fact has
//! one form only; a number that nearly always follows from others is written as its difference from what follows, and left out
//! where there is none. Known limits: none.

use super::conditional_facts::ConditionalsChanged;
use super::effect::Effect;
use super::facts::{BookTrade, ContractOrderPlaced};
use super::order::{BookOrder, BookUnits};
use crate::codec::{DecodeError, Reader, Wire};
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::ids::OrderId;
use crate::market::{OrderKind, Side};
use crate::money::{Amount, Lots, ONE, Ticks};

/// Which bits of the first four bytes hold what.
mod bits {
    pub(super) const SIDE: u32 = 0;
    pub(super) const LEG: u32 = 1;
    pub(super) const KIND: u32 = 3;
    pub(super) const TIF: u32 = 4;
    pub(super) const STP: u32 = 7;
    pub(super) const STATUS: u32 = 10;
    pub(super) const REASON: u32 = 14;
    pub(super) const MODE: u32 = 18;
    pub(super) const REDUCE_ONLY: u32 = 1 << 19;
    pub(super) const CLIENT_ID: u32 = 1 << 20;
    /// Some of it is open.
    pub(super) const REST: u32 = 1 << 21;
    /// Not all of its quantity was to open.
    pub(super) const CLOSES: u32 = 1 << 22;
    /// It is not valued at its limit.
    pub(super) const VALUED: u32 = 1 << 23;
    pub(super) const LOCKED: u32 = 1 << 24;
    pub(super) const INDEX: u32 = 1 << 25;
    pub(super) const TRADES: u32 = 1 << 26;
    pub(super) const CUTS: u32 = 1 << 27;
    pub(super) const ALL: u32 = (1 << 28) - 1;
    // One more would be read as another bit.
    const _: () = assert!(crate::market::EndReason::ALL.len() <= 1 << (MODE - REASON));
}

/// Which bits of an effect's first two bytes hold what; the last ones are those of [`rare`] numbers.
mod effect_bits {
    pub(super) const LEG: u32 = 0;
    pub(super) const DIRECTION: u32 = 2;
    pub(super) const MODE: u32 = 3;
    pub(super) const CLOSED: u16 = 1 << 4;
    pub(super) const RELEASED: u16 = 1 << 5;
    pub(super) const RESULT: u16 = 1 << 6;
    pub(super) const FEE: u16 = 1 << 7;
    pub(super) const INSURANCE: u16 = 1 << 8;
    pub(super) const RARE: u32 = 9;
}

/// A value of few bits.
#[inline]
fn few<T: Wire>(bits: u32, from: u32, width: u32, first: u8) -> Result<T, DecodeError> {
    let value = (bits >> from & ((1 << width) - 1)) as u8;
    T::get(&mut Reader::new(&[value + first]))
}

/// A number that is told differs from nothing: a fact has one form only.
fn told<T: Wire + PartialEq + Default>(r: &mut Reader<'_>) -> Result<T, DecodeError> {
    let number = T::get(r)?;
    if number == T::default() { Err(DecodeError::Range("a number that is told without need")) } else { Ok(number) }
}

/// The same where a bit says whether it is told; nothing otherwise.
fn told_if<T: Wire + PartialEq + Default>(there: bool, r: &mut Reader<'_>) -> Result<T, DecodeError> {
    if there { told(r) } else { Ok(T::default()) }
}

/// What a tick of a lot is worth in a sound record, and any number in another one: reading refuses no sum.
fn worth(units: &BookUnits) -> i128 {
    let product = units.tick.0.wrapping_mul(units.lot.0);
    i64::try_from(product).map_or_else(|_| product / ONE, |product| i128::from(product / ONE as i64))
}

/// What effects of a trade nearly always say.
struct Usual {
    multiple: u16,
    lots: i64,
    /// The value of one lot.
    one: i128,
}

impl Usual {
    fn of(multiple: u16, lots: Lots, ticks: Ticks, worth: i128) -> Usual {
        Usual { multiple, lots: lots.0, one: worth.wrapping_mul(i128::from(ticks.0)) }
    }

    fn opened(&self, closed: Lots) -> i64 {
        self.lots.wrapping_sub(closed.0)
    }

    fn cost(&self, opened: Lots) -> i128 {
        self.one.wrapping_mul(i128::from(opened.0))
    }
}

/// The numbers of an effect that are nearly always nothing, as their differences from what they nearly always are.
fn rare(e: &Effect, usual: &Usual) -> [i128; 7] {
    [
        i128::from(e.multiple) - i128::from(usual.multiple),
        e.opened.0.wrapping_sub(usual.opened(e.closed)).into(),
        e.opens.0.wrapping_sub(e.opened.0).into(),
        e.cost.0.wrapping_sub(usual.cost(e.opened)),
        e.funding.0,
        e.margin.0,
        e.unlocked.0,
    ]
}

/// Those of them that are something, and which they are.
#[inline(never)]
fn put_rare(numbers: &[i128; 7], out: &mut Vec<u8>) -> u16 {
    let mut bits = 0;
    for (bit, number) in (effect_bits::RARE..).zip(numbers) {
        if *number != 0 {
            bits |= 1 << bit;
            number.put(out);
        }
    }
    bits
}

fn put_effect(e: &Effect, usual: &Usual, out: &mut Vec<u8>) {
    let mut bits = (e.leg as u16 - 1) << effect_bits::LEG
        | (e.direction as u16 - 1) << effect_bits::DIRECTION
        | (e.mode as u16 - 1) << effect_bits::MODE;
    let start = out.len();
    out.extend_from_slice(&[0, 0]);
    if !e.closed.is_zero() {
        bits |= effect_bits::CLOSED;
        e.closed.put(out);
    }
    let often = [
        (effect_bits::RELEASED, e.released),
        (effect_bits::RESULT, e.result),
        (effect_bits::FEE, e.fee),
        (effect_bits::INSURANCE, e.insurance),
    ];
    for (bit, amount) in often {
        if !amount.is_zero() {
            bits |= bit;
            amount.put(out);
        }
    }
    let rare = rare(e, usual);
    if rare.iter().fold(0, |any, number| any | number) != 0 {
        bits |= put_rare(&rare, out);
    }
    out[start..start + 2].copy_from_slice(&bits.to_le_bytes());
}

fn get_effect(usual: &Usual, r: &mut Reader<'_>) -> Result<Effect, DecodeError> {
    let bits = u16::from_le_bytes(Wire::get(r)?);
    let has = |bit| bits & bit != 0;
    let closed: Lots = told_if(has(effect_bits::CLOSED), r)?;
    let mut often = |bit| told_if::<Amount>(has(bit), r);
    let (released, result) = (often(effect_bits::RELEASED)?, often(effect_bits::RESULT)?);
    let (fee, insurance) = (often(effect_bits::FEE)?, often(effect_bits::INSURANCE)?);
    let mut rare = [0_i128; 7];
    for (bit, number) in (effect_bits::RARE..).zip(&mut rare) {
        *number = told_if(has(1 << bit), r)?;
    }
    let [multiple, opened, opens, cost, funding, margin, unlocked] = rare;
    let short = |number: i128| i64::try_from(number).map_err(|_| DecodeError::Range("lots of an effect"));
    let opened = Lots(usual.opened(closed).wrapping_add(short(opened)?));
    let multiple = i128::from(usual.multiple).checked_add(multiple).and_then(|multiple| u16::try_from(multiple).ok());
    Ok(Effect {
        leg: few(bits.into(), effect_bits::LEG, 2, 1)?,
        direction: few::<Direction>(bits.into(), effect_bits::DIRECTION, 1, 1)?,
        mode: few::<MarginMode>(bits.into(), effect_bits::MODE, 1, 1)?,
        multiple: multiple.ok_or(DecodeError::Range("multiple"))?,
        closed,
        opened,
        opens: Lots(opened.0.wrapping_add(short(opens)?)),
        released,
        cost: Amount(usual.cost(opened).wrapping_add(cost)),
        result,
        fee,
        insurance,
        funding: Amount(funding),
        margin: Amount(margin),
        unlocked: Amount(unlocked),
    })
}

/// Makers are named by how far they are from the taker, and prices by how much better they are.
fn put_trade(t: &BookTrade, (order, worth): (&BookOrder, i128), out: &mut Vec<u8>) {
    (order.order.0.wrapping_sub(t.maker_order.0) as i64).put(out);
    t.maker.put(out);
    order.ticks.0.wrapping_sub(t.ticks.0).put(out);
    t.lots.put(out);
    let usual = Usual::of(order.multiple, t.lots, t.ticks, worth);
    put_effect(&t.maker_effect, &usual, out);
    put_effect(&t.taker_effect, &usual, out);
}

fn get_trade(r: &mut Reader<'_>, (order, worth): (&BookOrder, i128)) -> Result<BookTrade, DecodeError> {
    let maker_order = OrderId(order.order.0.wrapping_sub(i64::get(r)? as u64));
    let maker = Wire::get(r)?;
    let ticks = Ticks(order.ticks.0.wrapping_sub(Wire::get(r)?));
    let lots = Wire::get(r)?;
    let usual = Usual::of(order.multiple, lots, ticks, worth);
    let (maker_effect, taker_effect) = (get_effect(&usual, r)?, get_effect(&usual, r)?);
    Ok(BookTrade { maker_order, maker, ticks, lots, maker_effect, taker_effect })
}

/// How much more than its limit an order is valued at.
fn valued_above(o: &BookOrder, units: &BookUnits) -> i128 {
    o.valued.0.wrapping_sub(limit(o.ticks, units))
}

/// The price of so many ticks in a sound record.
fn limit(ticks: Ticks, units: &BookUnits) -> i128 {
    units.tick.0.wrapping_mul(ticks.0.into())
}

impl ContractOrderPlaced {
    fn bits(&self) -> u32 {
        let o = &self.order;
        let few = (o.side as u32 - 1) << bits::SIDE
            | (o.leg as u32 - 1) << bits::LEG
            | (self.kind as u32 - 1) << bits::KIND
            | (self.tif as u32 - 1) << bits::TIF
            | (self.stp as u32) << bits::STP
            | (self.status as u32) << bits::STATUS
            | (self.reason as u32) << bits::REASON
            | (o.mode as u32 - 1) << bits::MODE;
        let there = [
            (self.reduce_only, bits::REDUCE_ONLY),
            (self.client_id.is_some(), bits::CLIENT_ID),
            (!o.open.is_zero() || !o.opens.is_zero(), bits::REST),
            (self.opens != self.lots, bits::CLOSES),
            (valued_above(o, &self.units) != 0, bits::VALUED),
            (!o.locked.is_zero(), bits::LOCKED),
            (!self.index.is_zero(), bits::INDEX),
            (!self.trades.is_empty(), bits::TRADES),
            (!self.cuts.is_empty(), bits::CUTS),
        ];
        there.iter().fold(few, |all, (there, bit)| if *there { all | bit } else { all })
    }
}

impl Wire for ContractOrderPlaced {
    fn put(&self, out: &mut Vec<u8>) {
        let (o, bits) = (&self.order, self.bits());
        let has = |bit| bits & bit != 0;
        out.extend_from_slice(&bits.to_le_bytes());
        self.units.put(out);
        o.order.put(out);
        o.account.put(out);
        o.ticks.put(out);
        o.multiple.put(out);
        o.fee_ppm.put(out);
        self.lots.put(out);
        self.maker_ppm.put(out);
        self.first_trade.put(out);
        self.update.put(out);
        self.client_id.iter().for_each(|client_id| client_id.put(out));
        if has(bits::REST) {
            o.open.put(out);
            o.open.0.wrapping_sub(o.opens.0).put(out);
        }
        if has(bits::CLOSES) {
            self.lots.0.wrapping_sub(self.opens.0).put(out);
        }
        if has(bits::VALUED) {
            valued_above(o, &self.units).put(out);
        }
        if has(bits::LOCKED) {
            o.locked.put(out);
        }
        if has(bits::INDEX) {
            self.index.put(out);
        }
        if has(bits::TRADES) {
            (self.trades.len() as u64).put(out);
            let worth = worth(&self.units);
            self.trades.iter().for_each(|trade| put_trade(trade, (o, worth), out));
        }
        if has(bits::CUTS) {
            self.cuts.put(out);
        }
    }

    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let bits = u32::from_le_bytes(Wire::get(r)?);
        let has = |bit| bits & bit != 0;
        if bits & !bits::ALL != 0 {
            return Err(DecodeError::Range("bits of an order"));
        }
        let units = BookUnits::get(r)?;
        let (order, account, ticks, multiple) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
        let (fee_ppm, lots, maker_ppm) = (Wire::get(r)?, Lots::get(r)?, Wire::get(r)?);
        let (first_trade, update) = (Wire::get(r)?, Wire::get(r)?);
        let client_id = if has(bits::CLIENT_ID) { Some(Wire::get(r)?) } else { None };
        let (open, closing) = if has(bits::REST) { (i64::get(r)?, i64::get(r)?) } else { (0, 0) };
        let rest = (Lots(open), Lots(open.wrapping_sub(closing)));
        if has(bits::REST) && rest == (Lots::ZERO, Lots::ZERO) {
            return Err(DecodeError::Range("a rest that is told without need"));
        }
        let closes: i64 = told_if(has(bits::CLOSES), r)?;
        let valued: i128 = told_if(has(bits::VALUED), r)?;
        let (locked, index) = (told_if(has(bits::LOCKED), r)?, told_if(has(bits::INDEX), r)?);
        let order = BookOrder {
            order,
            account,
            side: few::<Side>(bits, bits::SIDE, 1, 1)?,
            leg: few(bits, bits::LEG, 2, 1)?,
            ticks,
            open: rest.0,
            opens: rest.1,
            multiple,
            mode: few::<MarginMode>(bits, bits::MODE, 1, 1)?,
            valued: Amount(limit(ticks, &units).wrapping_add(valued)),
            fee_ppm,
            locked,
        };
        let mut trades = Vec::new();
        if has(bits::TRADES) {
            let count: u64 = told(r)?;
            let worth = worth(&units);
            // A length that lies must not ask for more memory than what it lies about.
            trades.reserve_exact(count.min((r.left() / size_of::<BookTrade>() + 1) as u64) as usize);
            for _ in 0..count {
                trades.push(get_trade(r, (&order, worth))?);
            }
        }
        Ok(ContractOrderPlaced {
            units,
            order,
            kind: few::<OrderKind>(bits, bits::KIND, 1, 1)?,
            tif: few(bits, bits::TIF, 3, 1)?,
            stp: few(bits, bits::STP, 3, 0)?,
            reduce_only: has(bits::REDUCE_ONLY),
            lots,
            opens: Lots(lots.0.wrapping_sub(closes)),
            maker_ppm,
            client_id,
            index,
            first_trade,
            trades,
            cuts: if has(bits::CUTS) { told(r)? } else { Vec::new() },
            status: few(bits, bits::STATUS, 4, 0)?,
            reason: few(bits, bits::REASON, 4, 0)?,
            update,
        })
    }
}

/// The first form: each field as itself, one after the other.
pub(crate) struct ContractOrderPlacedV1(ContractOrderPlaced);

impl ContractOrderPlacedV1 {
    pub(crate) fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(ContractOrderPlacedV1(ContractOrderPlaced {
            units: Wire::get(r)?,
            order: Wire::get(r)?,
            kind: Wire::get(r)?,
            tif: Wire::get(r)?,
            stp: Wire::get(r)?,
            reduce_only: Wire::get(r)?,
            lots: Wire::get(r)?,
            opens: Wire::get(r)?,
            maker_ppm: Wire::get(r)?,
            client_id: Wire::get(r)?,
            index: Wire::get(r)?,
            first_trade: Wire::get(r)?,
            trades: Wire::get(r)?,
            cuts: Wire::get(r)?,
            status: Wire::get(r)?,
            reason: Wire::get(r)?,
            update: Wire::get(r)?,
        }))
    }
}

impl From<ContractOrderPlacedV1> for ContractOrderPlaced {
    fn from(ContractOrderPlacedV1(old): ContractOrderPlacedV1) -> ContractOrderPlaced {
        old
    }
}

/// [`ConditionalsChanged`] with the first form of the order that one becomes.
pub(crate) struct ConditionalsChangedV1(ConditionalsChanged);

impl ConditionalsChangedV1 {
    pub(crate) fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(ConditionalsChangedV1(ConditionalsChanged {
            units: Wire::get(r)?,
            account: Wire::get(r)?,
            waits: Wire::get(r)?,
            gone: Wire::get(r)?,
            placed: if bool::get(r)? { Some(ContractOrderPlacedV1::get(r)?.into()) } else { None },
            reason: Wire::get(r)?,
            refused: Wire::get(r)?,
            update: Wire::get(r)?,
        }))
    }
}

impl From<ConditionalsChangedV1> for ConditionalsChanged {
    fn from(ConditionalsChangedV1(old): ConditionalsChangedV1) -> ConditionalsChanged {
        old
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::{CutReason, OrderCut};
    use super::super::order::LegSide;
    use super::*;
    use crate::ids::{AccountId, AssetId, ClientOrderId, MarketId, TradeId, UpdateId};
    use crate::market::{EndReason, OrderStatus, Stp, Tif};
    use crate::money::FeePpm;
    use proptest::prelude::*;
    use proptest::sample::select;

    /// Nothing, little, or anything.
    fn amount() -> impl Strategy<Value = Amount> {
        prop_oneof![Just(Amount::ZERO), (-100_i128..100).prop_map(Amount), any::<i128>().prop_map(Amount)]
    }

    fn lots() -> impl Strategy<Value = Lots> {
        prop_oneof![Just(Lots::ZERO), (0_i64..50).prop_map(Lots), any::<i64>().prop_map(Lots)]
    }

    fn effect() -> impl Strategy<Value = Effect> {
        let kinds = (select(LegSide::ALL), select(Direction::ALL), select(MarginMode::ALL), any::<u16>());
        (kinds, [lots(), lots(), lots()], prop::array::uniform8(amount())).prop_map(|(kinds, lots, amounts)| Effect {
            leg: kinds.0,
            direction: kinds.1,
            mode: kinds.2,
            multiple: kinds.3,
            closed: lots[0],
            opened: lots[1],
            opens: lots[2],
            released: amounts[0],
            cost: amounts[1],
            result: amounts[2],
            fee: amounts[3],
            insurance: amounts[4],
            funding: amounts[5],
            margin: amounts[6],
            unlocked: amounts[7],
        })
    }

    fn trade() -> impl Strategy<Value = BookTrade> {
        (any::<u64>(), any::<u64>(), any::<i64>(), lots(), effect(), effect()).prop_map(|t| BookTrade {
            maker_order: OrderId(t.0),
            maker: AccountId(t.1),
            ticks: Ticks(t.2),
            lots: t.3,
            maker_effect: t.4,
            taker_effect: t.5,
        })
    }

    fn cut() -> impl Strategy<Value = OrderCut> {
        (any::<u64>(), any::<u64>(), select(Side::ALL), any::<i64>(), lots(), lots(), amount(), any::<bool>()).prop_map(
            |c| OrderCut {
                order: OrderId(c.0),
                account: AccountId(c.1),
                side: c.2,
                ticks: Ticks(c.3),
                lots: c.4,
                opens: c.5,
                mode: MarginMode::Cross,
                unlocked: c.6,
                gone: c.7,
                reason: CutReason::LegShrank,
            },
        )
    }

    fn order() -> impl Strategy<Value = BookOrder> {
        let kinds = (select(Side::ALL), select(LegSide::ALL), select(MarginMode::ALL), any::<u16>(), any::<u32>());
        (any::<u64>(), any::<u64>(), kinds, any::<i64>(), lots(), lots(), amount(), amount()).prop_map(|o| BookOrder {
            order: OrderId(o.0),
            account: AccountId(o.1),
            side: o.2.0,
            leg: o.2.1,
            ticks: Ticks(o.3),
            open: o.4,
            opens: o.5,
            multiple: o.2.3,
            mode: o.2.2,
            valued: o.6,
            fee_ppm: FeePpm(o.2.4),
            locked: o.7,
        })
    }

    fn placed() -> impl Strategy<Value = ContractOrderPlaced> {
        let units = (any::<u16>(), any::<u16>(), amount(), amount());
        let kinds = (select(OrderKind::ALL), select(Tif::ALL), select(Stp::ALL), any::<bool>());
        let ends = (select(OrderStatus::ALL), select(EndReason::ALL), select(&[None, Some("a-1")][..]));
        let lists = (prop::collection::vec(trade(), 0..3), prop::collection::vec(cut(), 0..2));
        let numbers = (any::<u32>(), any::<u64>(), any::<u64>(), amount());
        (units, order(), kinds, ends, lots(), lots(), lists, numbers).prop_map(|f| ContractOrderPlaced {
            units: BookUnits { contract: MarketId(f.0.0), settle: AssetId(f.0.1.into()), lot: f.0.2, tick: f.0.3 },
            order: f.1,
            kind: f.2.0,
            tif: f.2.1,
            stp: f.2.2,
            reduce_only: f.2.3,
            lots: f.4,
            opens: f.5,
            maker_ppm: f.7.0,
            client_id: f.3.2.and_then(ClientOrderId::parse),
            index: f.7.3,
            first_trade: TradeId(f.7.1),
            trades: f.6.0,
            cuts: f.6.1,
            status: f.3.0,
            reason: f.3.1,
            update: UpdateId(f.7.2),
        })
    }

    proptest! {
        #[test]
        fn every_order_comes_back(placed in placed()) {
            let mut bytes = Vec::new();
            placed.put(&mut bytes);
            let mut r = Reader::new(&bytes);
            prop_assert_eq!(ContractOrderPlaced::get(&mut r).unwrap(), placed);
            r.finish().unwrap();
        }

        #[test]
        fn what_reads_as_an_order_is_the_one_form_of_it(
            placed in placed(),
            changes in prop::collection::vec((0..4_usize, any::<u8>()), 0..4),
        ) {
            // What is no number would read as one in more bytes than it needs.
            let mut bytes = Vec::new();
            ContractOrderPlaced { client_id: None, trades: Vec::new(), cuts: Vec::new(), ..placed }.put(&mut bytes);
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            let mut r = Reader::new(&bytes);
            if let Ok(read) = ContractOrderPlaced::get(&mut r) {
                let mut again = Vec::new();
                read.put(&mut again);
                prop_assert_eq!(&again[..], &bytes[..bytes.len() - r.left()]);
            }
        }

        #[test]
        fn no_byte_string_panics(bytes: Vec<u8>) {
            let _ = ContractOrderPlaced::get(&mut Reader::new(&bytes));
            let _ = ContractOrderPlacedV1::get(&mut Reader::new(&bytes)).map(|_| ());
        }
    }

    #[test]
    fn an_order_that_opens_at_its_limit_and_rests_takes_few_bytes() {
        let units =
            BookUnits { contract: MarketId(512), settle: AssetId(3), lot: Amount(100_000), tick: Amount(1_000_000) };
        let order = BookOrder {
            order: OrderId::of(MarketId(512), 1_000),
            account: AccountId(100_001),
            side: Side::Buy,
            leg: LegSide::Both,
            ticks: Ticks(5_000_000),
            open: Lots(20),
            opens: Lots(20),
            multiple: 20,
            mode: MarginMode::Cross,
            valued: units.price(Ticks(5_000_000)),
            fee_ppm: FeePpm(400),
            locked: Amount::ZERO,
        };
        let placed = ContractOrderPlaced {
            units,
            order,
            kind: OrderKind::Limit,
            tif: Tif::Gtc,
            stp: Stp::ExpireTaker,
            reduce_only: false,
            lots: Lots(20),
            opens: Lots(20),
            maker_ppm: 200,
            client_id: None,
            index: Amount::ZERO,
            first_trade: TradeId::of(MarketId(512), 700),
            trades: Vec::new(),
            cuts: Vec::new(),
            status: OrderStatus::Open,
            reason: EndReason::None,
            update: UpdateId(900),
        };
        let mut bytes = Vec::new();
        placed.put(&mut bytes);
        assert!(bytes.len() <= 48, "{} bytes", bytes.len());
    }
}
