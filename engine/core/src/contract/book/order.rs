//! Orders of a contract's book, as they are wanted and as they rest.
//!
//! Owns: how an order divides into what closes and what opens, and what it sets aside. Never does: match. Invariants: what an
//! order opens is fixed when it is taken; a fill takes what closes first; what is set aside follows from what is open.
//! Rules: `docs/rules/contracts.md "Book orders"`. Known limits: none.

use crate::codec::WordHash;
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::fraction::share8;
use crate::ids::{AccountId, AssetId, ClientOrderId, MarketId, OrderId};
use crate::market::matching::{MakerTaker, Trading};
use crate::market::{OrderKind, Side, Stp, Tif};
use crate::money::{Amount, FeePpm, Lots, ONE, Ticks};

const ONE_I64: i64 = ONE as i64;

crate::wire_enum! {
    /// Which position of an account on a contract.
    pub enum LegSide {
        /// The only one, of either direction (one-way mode).
        Both = 1,
        /// The long one (hedge mode).
        Long = 2,
        /// The short one (hedge mode).
        Short = 3,
    }
}

impl LegSide {
    /// Its direction, when it has but one.
    #[must_use]
    pub fn direction(self) -> Option<Direction> {
        match self {
            LegSide::Both => None,
            LegSide::Long => Some(Direction::Long),
            LegSide::Short => Some(Direction::Short),
        }
    }

    /// Whether an order of this side can only close it.
    #[must_use]
    pub fn is_closed_by(self, side: Side) -> bool {
        self.direction().is_some_and(|direction| direction != Direction::opened_by(side))
    }
}

crate::wire_struct! {
    /// What a record's ticks and lots mean, so that applying it needs no parameters.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct BookUnits {
        /// Which contract.
        pub contract: MarketId,
        /// What it is paid in.
        pub settle: AssetId,
        /// Units of the base in one lot.
        pub lot: Amount,
        /// One tick, for one whole of the base.
        pub tick: Amount,
    }
}

impl BookUnits {
    /// Adds it to a hash.
    #[must_use]
    pub(crate) fn hash(&self, h: WordHash) -> WordHash {
        h.word(u64::from(self.contract.0) << 16 | u64::from(self.settle.0)).wide(self.lot.0).wide(self.tick.0)
    }

    /// The price of so many ticks.
    #[must_use]
    pub fn price(&self, ticks: Ticks) -> Amount {
        Amount(i128::from(ticks.0) * self.tick.0)
    }

    /// The quantity of the base in so many lots.
    #[must_use]
    pub fn base(&self, lots: Lots) -> Amount {
        Amount(i128::from(lots.0) * self.lot.0)
    }

    /// Price times quantity: exact, because tick times lot is a whole number of 1e-8.
    #[must_use]
    pub fn value(&self, ticks: Ticks, lots: Lots) -> Amount {
        let product = i128::from(ticks.0) * i128::from(lots.0);
        let one = self.tick.0 * self.lot.0;
        // Dividing by a constant is a multiplication in 64 bits, and a loop in 128.
        let one = i64::try_from(one).map_or_else(|_| one / ONE, |one| i128::from(one / ONE_I64));
        Amount(product.checked_mul(one).expect("value overflow"))
    }
}

/// A fee is a share of the notional value, of both sides.
impl Trading for &BookUnits {
    fn notional(&self, ticks: Ticks, lots: Lots) -> Amount {
        self.value(ticks, lots)
    }

    fn fees(&self, _side: Side, _lots: Lots, cost: Amount, rates: MakerTaker<FeePpm>) -> MakerTaker<Amount> {
        MakerTaker { maker: rates.maker.of(cost), taker: rates.taker.of(cost) }
    }
}

/// An order that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewBookOrder {
    /// Of which contract.
    pub contract: MarketId,
    /// Versions of the contract's and of the book's parameters that it was made from.
    pub versions: (u32, u32),
    /// Buy or sell.
    pub side: Side,
    /// Which position it is about.
    pub leg: LegSide,
    /// Limit or market.
    pub kind: OrderKind,
    /// How long.
    pub tif: Tif,
    /// When it meets its owner's own order.
    pub stp: Stp,
    /// Limit price; 0 for market orders.
    pub ticks: Ticks,
    /// Quantity.
    pub lots: Lots,
    /// It only closes.
    pub reduce_only: bool,
    /// The bot's own name for it.
    pub client_id: Option<ClientOrderId>,
}

impl NewBookOrder {
    /// Whether what is not filled at once stays in the book. What does not rest comes before its owner's resting orders, of
    /// which its fills cut what they can close no more: whoever wants to leave now is not kept waiting by them.
    #[must_use]
    pub fn rests(&self) -> bool {
        self.kind == OrderKind::Limit && self.tif.rests()
    }
}

crate::wire_struct! {
    /// An order as the book keeps it beside its place in the queue, and as its owner's account keeps it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct BookOrder {
        /// The order.
        pub order: OrderId,
        /// Its owner.
        pub account: AccountId,
        /// Buy or sell.
        pub side: Side,
        /// Which position it is about.
        pub leg: LegSide,
        /// Its price.
        pub ticks: Ticks,
        /// What is open.
        pub open: Lots,
        /// How much of that opens; the rest closes.
        pub opens: Lots,
        /// Multiple of what it opens.
        pub multiple: u16,
        /// Whose money it may lose.
        pub mode: MarginMode,
        /// The price at which what it sets aside is reckoned.
        pub valued: Amount,
        /// The fee rate at which that is reckoned.
        pub fee_ppm: FeePpm,
        /// What it sets aside.
        pub locked: Amount,
    }
}

impl BookOrder {
    /// Adds it to a hash.
    #[must_use]
    pub(crate) fn hash(&self, h: WordHash) -> WordHash {
        let BookOrder { order, account, side, leg, ticks, open, opens, multiple, mode, valued, fee_ppm, locked } = self;
        let marks = u64::from(*multiple) << 24 | (*side as u64) << 16 | (*leg as u64) << 8 | *mode as u64;
        let h = h.pair(order.0, account.0).pair(marks, ticks.0 as u64).pair(open.0 as u64, opens.0 as u64);
        h.wide(valued.0).wide(locked.0).word(u64::from(fee_ppm.0))
    }

    /// How much of what is open closes.
    #[must_use]
    pub fn closes(&self) -> Lots {
        self.open - self.opens
    }

    /// Margin of what it opens, and the fee of all of it.
    #[must_use]
    pub fn claims(&self, units: &BookUnits) -> (Amount, Amount) {
        let part = |lots, of| share8(self.valued, units.base(lots), of);
        let margin = if self.opens.is_zero() { Amount::ZERO } else { part(self.opens, (1, self.multiple.into())) };
        (margin, part(self.open, (self.fee_ppm.0, 1_000_000)))
    }

    /// Both together.
    #[must_use]
    pub fn claim(&self, units: &BookUnits) -> Amount {
        let (margin, fee) = self.claims(units);
        margin + fee
    }

    /// What filling all of it at its limit loses against a mark.
    #[must_use]
    pub fn loss(&self, mark: Amount, units: &BookUnits) -> Amount {
        self.loss_at(self.ticks, mark, units)
    }

    /// The same at another price than its limit.
    #[must_use]
    #[inline]
    pub fn loss_at(&self, ticks: Ticks, mark: Amount, units: &BookUnits) -> Amount {
        let worse = match self.side {
            Side::Buy => units.price(ticks) - mark,
            Side::Sell => mark - units.price(ticks),
        };
        if worse.is_positive() { share8(worse, units.base(self.open), (1, 1)) } else { Amount::ZERO }
    }

    /// Its claim, of what is taken out of available money: cross orders take nothing, and one that only closes pays its fee out
    /// of what closing brings.
    #[must_use]
    #[inline]
    pub fn lock(&self, units: &BookUnits) -> Amount {
        match self.mode {
            MarginMode::Isolated if self.opens.is_zero() => Amount::ZERO,
            MarginMode::Isolated => self.claim(units),
            MarginMode::Cross => Amount::ZERO,
        }
    }

    /// What its owner must have for it: what an isolated order sets aside, what a cross one claims of the pool.
    #[must_use]
    pub fn required(&self, units: &BookUnits) -> Amount {
        match self.mode {
            MarginMode::Isolated => self.lock(units),
            MarginMode::Cross => self.claim(units),
        }
    }

    /// How a fill divides: what closes first.
    #[must_use]
    pub fn opening_part(&self, lots: Lots) -> Lots {
        Lots((lots.0 - self.closes().0).max(0))
    }

    /// Takes so much of it, of which a part opens; gives what comes free.
    pub fn take(&mut self, lots: Lots, opens: Lots, units: &BookUnits) -> Amount {
        self.open -= lots;
        self.opens -= opens;
        assert!(self.open >= self.opens && self.opens >= Lots::ZERO, "{self:?} has fewer lots than are taken");
        let before = std::mem::replace(&mut self.locked, Amount::ZERO);
        self.locked = self.lock(units);
        before - self.locked
    }

    /// As [`Self::take`], by the numbers of a record.
    pub fn reduce(&mut self, lots: Lots, opens: Lots, unlocked: Amount) {
        self.open -= lots;
        self.opens -= opens;
        self.locked -= unlocked;
        let sound = self.open >= self.opens && self.opens >= Lots::ZERO && !self.locked.is_negative();
        assert!(sound, "{self:?} has less than is taken");
    }
}
