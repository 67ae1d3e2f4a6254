//! What an order of a contract's book needs of its owner's account.
//!
//! Owns: how an order is valued, what it must set aside, the worst price that its owner can pay, sums of legs and orders.
//! Never does: match. Invariants: margins at the mark of cross legs, and margins, fees and losses against the mark of orders
//! and of those on their way, are never more than equity when an order is sent; what is decided at once takes no pool below
//! nothing. Rules: `docs/rules/contracts.md "Book orders"`, "Cross pool". Known limits: an order that only closes needs no
//! margin.

use super::cross::{cushion, known, pool};
use super::legs::{LegTerms, OwnLeg, OwnOrder};
use super::own_orders::{Needs, OwnOrders};
use super::{Account, live};
use crate::account::open_orders::name_hash;
use crate::board::{Board, ContractFace};
use crate::contract::book::order::{BookOrder, BookUnits, LegSide, NewBookOrder};
use crate::contract::book::params::BookParams;
use crate::contract::book::{BookCommand, Submit};
use crate::contract::facts::MarginMode;
use crate::contract::leg::{Direction, divide};
use crate::entity::{Ctx, Decision, HoldRequest};
use crate::fraction::{Fraction, share8};
use crate::ids::{AccountId, AssetId, EntityId, MarketId, OrderId, Wallet};
use crate::market::{OrderKind, Side};
use crate::money::{Amount, FeePpm, Lots, MAX_AMOUNT, ONE, Ticks};
use crate::reject::Reject;

/// Two numbers that are rounded may be so much less than what they stand for together.
const ROUNDED: Amount = Amount(2);
/// A fee is hardly ever more than this part of the value.
const FEES_BOUND: i128 = 64;

/// What cross legs make of a pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct LegSums {
    /// Results so far, less funding that is owed: values at the mark, and what is whole.
    unrealised: (Fraction, Amount),
    /// Margin at opening, at the mark.
    pub(super) initial: Amount,
}

/// What a pool's equity leaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Positions at their marks; money stands beside them, since a step with a fraction costs several of whole money.
    values: Fraction,
    /// What nothing needs of the rest.
    free: Amount,
    /// What fills of other orders could not take of it.
    equity: Amount,
}

impl Room {
    /// Whether nothing needs so much.
    #[inline]
    pub(super) fn has(&self, claim: Amount) -> bool {
        self.values >= (claim - self.free).into()
    }

    /// Whether its equity surely pays fee and loss of an order, each rounded.
    #[inline]
    fn covers(&self, costs: Amount) -> bool {
        self.values >= (costs + ROUNDED - self.equity).into()
    }

    /// The same of a pool that [has](Self::has) what an order claims.
    #[inline]
    fn pays(&self, claim: Amount, costs: Amount) -> bool {
        claim - self.free + self.equity >= costs + ROUNDED
    }
}

impl LegSums {
    /// Results so far, less funding that is owed.
    pub(super) fn unrealised(&self) -> Fraction {
        self.unrealised.0.plus(self.unrealised.1.into())
    }
}

impl OwnLeg {
    /// Result so far at a contract's mark, less funding that is owed.
    #[must_use]
    pub fn gain(&self, face: &ContractFace) -> Fraction {
        let ((price, base), whole) = self.gain_in_parts(face);
        Fraction::value(price, base).plus(whole.into())
    }

    /// The same as price and quantity of its value at the mark, negative of a short one, and what is whole.
    #[inline]
    fn gain_in_parts(&self, face: &ContractFace) -> ((Amount, Amount), Amount) {
        let index = face.book.as_ref().map_or(self.leg.funding_index, |(_, index)| *index);
        let sign = match self.leg.direction {
            Direction::Long => 1,
            Direction::Short => -1,
        };
        let value = (Amount(face.mark.0 * sign), self.units.base(self.leg.lots));
        (value, self.leg.funding(index) - self.leg.signed_cost())
    }
}

impl OwnOrder {
    /// What a cross order needs at a mark: margin, fee, and what filling it at its limit loses.
    #[must_use]
    pub fn needs(&self, mark: Amount) -> Amount {
        self.rests.claim(&self.units) + self.rests.loss(mark, &self.units)
    }
}

impl Account {
    pub(super) fn cross_legs(&self, settle: AssetId) -> impl Iterator<Item = &OwnLeg> {
        self.legs().iter().filter(move |own| own.leg.mode == MarginMode::Cross && own.units.settle == settle)
    }

    /// Whether a cross leg is open.
    pub(super) fn has_cross_legs(&self, settle: AssetId) -> bool {
        self.cross_legs(settle).next().is_some()
    }

    pub(super) fn own_orders(&self) -> Option<&OwnOrders> {
        self.legs.as_deref().map(|legs| &legs.orders)
    }

    /// Whether a cross order is open.
    pub(super) fn has_cross_orders(&self, settle: AssetId) -> bool {
        self.own_orders().is_some_and(|orders| orders.has_cross(settle))
    }

    /// What its cross orders need at the marks that `face` gives; none when it lacks one.
    pub(super) fn order_needs<'b>(
        &self,
        settle: AssetId,
        face: impl Fn(MarketId) -> Option<&'b ContractFace>,
    ) -> Option<Needs> {
        let none = Needs { orders: Amount::ZERO, risks: Amount::ZERO };
        self.own_orders().map_or(Some(none), |orders| orders.needs(settle, |contract| Some(face(contract)?.mark)))
    }

    /// Sums of its cross legs at the marks that `face` gives; none when it lacks one.
    pub(super) fn leg_sums<'b>(
        &self,
        settle: AssetId,
        face: impl Fn(MarketId) -> Option<&'b ContractFace>,
    ) -> Option<LegSums> {
        let (mut values, mut whole, mut initial) = (Fraction::NO_VALUE, Amount::ZERO, Amount::ZERO);
        for own in self.cross_legs(settle) {
            let face = face(own.units.contract)?;
            let ((price, base), settled) = own.gain_in_parts(face);
            (values, whole) = (values.plus_value(price, base), whole + settled);
            initial += share8(face.mark, base, (1, own.leg.multiple.into()));
        }
        Some(LegSums { unrealised: (values, whole), initial })
    }

    /// What is left of a pool above its maintenance when all of its cross orders that open were filled, by the last prices;
    /// none without orders, or when a price is not known.
    pub(super) fn after_fills(&self, settle: AssetId, board: &Board) -> Option<Fraction> {
        if !self.has_cross_orders(settle) {
            return None;
        }
        let risks = self.own_orders()?.opening_risks(settle, |contract| Some(known(board, contract)?.mark))?;
        Some(cushion(&self.last_pool(settle, board)?, true).minus(risks.into()))
    }

    /// Takes orders out whose losses a pool could not pay any more: the mark moved away from them. Those of one contract; the
    /// next look finds others: when they are gone, or at the next price.
    pub(super) fn cancel_unpaid(&self, ctx: &Ctx<'_>) -> Option<Decision> {
        let orders = self.own_orders()?;
        orders.cross_assets().into_iter().find_map(|settle| {
            self.after_fills(settle, ctx.board).filter(|left| *left < Fraction::ZERO)?;
            let mark = |contract| live(ctx.board, contract, ctx.now).map(|face| face.mark);
            let (contract, losing) = orders.losing(settle, mark)?;
            Some(self.ask_book(contract, BookCommand::Cancel { account: self.id, orders: losing }, None))
        })
    }

    /// What its equity leaves by fresh prices; what is held for questions on their way counts as gone.
    pub(super) fn cross_room(&self, settle: AssetId, ctx: &Ctx<'_>) -> Result<Room, Reject> {
        self.room_at(settle, |contract| live(ctx.board, contract, ctx.now))
    }

    /// The same by the prices that `face` gives.
    #[inline(always)]
    fn room_at<'b>(
        &self,
        settle: AssetId,
        face: impl Fn(MarketId) -> Option<&'b ContractFace> + Copy,
    ) -> Result<Room, Reject> {
        let legs = self.leg_sums(settle, face).ok_or(Reject::PriceStale)?;
        let orders = self.order_needs(settle, face).ok_or(Reject::PriceStale)?;
        let mut needed = legs.initial + orders.orders;
        let held = self.held_of_pool(settle);
        let (mut values, results) = legs.unrealised;
        if !self.tickets().is_empty() {
            let index = |contract| Some(face(contract)?.index.0);
            let tickets = pool(Amount::ZERO, self.cross_tickets(settle), index).ok_or(Reject::PriceStale)?;
            values = values.plus(tickets.equity);
            needed += self.cross_tickets(settle).map(|ticket| ticket.terms.margin).sum();
        }
        let cash = self.pool_cash(settle) + results - held;
        Ok(Room { values, free: cash - needed, equity: cash - orders.risks })
    }

    pub(super) fn place_in_book(&self, wanted: &NewBookOrder, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.check_book_name(wanted.client_id)?;
        let (submit, hold) = self.submit_to_book(wanted, None, ctx)?;
        let hold = hold.naming([name_hash(wanted.client_id)]);
        Ok(self.ask_book(wanted.contract, BookCommand::Submit(submit), Some(hold)))
    }

    /// What an order needs now, and what is held for that. `fires` is the waiting order that it comes of.
    pub(super) fn submit_to_book(
        &self,
        wanted: &NewBookOrder,
        fires: Option<OrderId>,
        ctx: &Ctx<'_>,
    ) -> Result<(Box<Submit>, HoldRequest), Reject> {
        self.may_act()?;
        let face = ctx.board.contract(wanted.contract).ok_or(Reject::UnknownMarket)?;
        let (book, _) = face.book.as_ref().ok_or(Reject::NotAllowed)?;
        if !face.is_live(ctx.now) {
            return Err(Reject::PriceStale);
        }
        if wanted.versions != (face.params.version, book.version) {
            return Err(Reject::StaleTerms);
        }
        if self.is_hedged() == (wanted.leg == LegSide::Both) {
            return Err(Reject::PositionModeMismatch);
        }
        if wanted.lots.0 <= 0 || wanted.lots > book.lots.1 {
            return Err(if wanted.lots.0 <= 0 { Reject::BelowMinAmount } else { Reject::AboveMaxAmount });
        }
        let rests = wanted.rests();
        if rests && self.id == AccountId::HOUSE {
            // What rests for the house are its quotes, which open all of their lots.
            return Err(Reject::NotAllowed);
        }
        let owner = Owner {
            account: self.id,
            level: self.level,
            legs: self.legs(),
            closing: self.own_orders().map_or(Lots::ZERO, |own| own.closing(wanted.contract, wanted.side, wanted.leg)),
            terms: self.leg_terms(wanted.contract),
        };
        let (terms, units) = (order_terms(&owner, wanted, (face, book))?, face.params.book_units());
        if !terms.opens.is_zero() && !self.may_open_contracts(ctx.board) {
            return Err(Reject::NotInRegion);
        }
        let settle = units.settle;
        let wallet = match terms.mode {
            MarginMode::Isolated => Wallet::Futures,
            MarginMode::Cross => Wallet::Pnl,
        };
        self.may_add(settle, (wanted.contract, wanted.leg), terms.mode)?;
        let held = terms.lock(&units);
        let (mut claim, fee) = match terms.mode {
            MarginMode::Isolated => (held, Amount::ZERO),
            MarginMode::Cross => {
                let (margin, fee) = terms.claims(&units);
                (margin + fee, fee)
            }
        };
        if claim > MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        let mut worst = worst_of(wanted, face, book);
        match terms.mode {
            MarginMode::Isolated if claim.is_positive() && self.may_leave(settle, ctx)? < claim => {
                return Err(Reject::InsufficientBalance);
            }
            MarginMode::Isolated => {}
            MarginMode::Cross => {
                // What only closes needs no other contract's price to be fresh.
                let room = self.room_at(settle, |contract| match terms.opens.is_zero() {
                    // It is live, and nearly always the only one.
                    _ if contract == wanted.contract => Some(face),
                    true => known(ctx.board, contract),
                    false => live(ctx.board, contract, ctx.now),
                })?;
                let mut loss = terms.loss_at(worst, face.mark, &units);
                // What rests keeps its loss set apart.
                if rests {
                    claim += loss;
                }
                if !terms.opens.is_zero() && !room.has(claim) {
                    return Err(Reject::MarginInsufficient);
                }
                let costs = fee + loss;
                let is_paid = match terms.opens.is_zero() {
                    // Of one that closes less than was asked for, fee and loss are reckoned for all of it.
                    true => terms.open == wanted.lots && room.covers(costs),
                    false => room.pays(claim, costs),
                };
                if !is_paid {
                    let paid = affordable(wanted, &units, face.mark, (&room, terms.fee_ppm), worst);
                    let paid = paid.ok_or(Reject::MarginInsufficient)?;
                    if paid != worst {
                        worst = paid;
                        loss = terms.loss_at(worst, face.mark, &units);
                    }
                }
                // What is decided at once may lose so much until it is; others do not count on it.
                if !rests {
                    claim += loss;
                }
            }
        }
        let submit = Box::new(Submit { terms, wanted: *wanted, level: self.level, held, worst, fires });
        let hold = HoldRequest::of(EntityId::Contract(wanted.contract), wallet, settle, claim);
        Ok((submit, HoldRequest { entries: 1, ..hold }))
    }
}

/// What of an account says how its orders of a contract's book are taken.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// Whose they are.
    pub account: AccountId,
    /// VIP level.
    pub level: u8,
    /// Its positions.
    pub legs: &'a [OwnLeg],
    /// What its open orders close already of the position that this one would close.
    pub closing: Lots,
    /// How it chose to trade the contract.
    pub terms: Option<LegTerms>,
}

/// What open orders close of the position that a new one would close.
#[must_use]
pub fn closing(orders: &[OwnOrder], wanted: &NewBookOrder) -> Lots {
    let alike = orders
        .iter()
        .filter(|o| (o.units.contract, o.rests.side, o.rests.leg) == (wanted.contract, wanted.side, wanted.leg));
    alike.fold(Lots::ZERO, |sum, o| sum + o.rests.closes())
}

/// What an order opens at most, and what it is valued at.
///
/// # Errors
/// `ReduceOnly`: there is nothing that it could close. `BadPrice`.
#[inline(always)]
pub fn order_terms(
    owner: &Owner<'_>,
    wanted: &NewBookOrder,
    (face, book): (&ContractFace, &BookParams),
) -> Result<BookOrder, Reject> {
    let direction = Direction::opened_by(wanted.side);
    let opposite = owner
        .legs
        .iter()
        .find(|own| own.units.contract == wanted.contract && own.side == wanted.leg && own.leg.direction != direction);
    let closing = if wanted.rests() { owner.closing } else { Lots::ZERO };
    let (closes, opens) = divide(wanted.lots, opposite.map_or(Lots::ZERO, |own| own.leg.lots), closing);
    let only_closes = wanted.reduce_only || wanted.leg.is_closed_by(wanted.side);
    let (open, opens) = if only_closes { (closes, Lots::ZERO) } else { (wanted.lots, opens) };
    if open.is_zero() {
        return Err(Reject::ReduceOnly);
    }
    let (units, fees) = (face.params.book_units(), book.fees_of(owner.level));
    if wanted.kind == OrderKind::Limit && wanted.ticks.0 <= 0 {
        return Err(Reject::BadPrice);
    }
    let limit = units.price(wanted.ticks);
    let valued = match (wanted.side, wanted.kind) {
        (Side::Buy, OrderKind::Limit) => limit,
        (Side::Buy, OrderKind::Market) => units.price(worst_of(wanted, face, book)),
        (Side::Sell, _) => limit.max(face.mark),
    };
    let LegTerms { multiple, mode, .. } = owner.terms.unwrap_or_else(|| LegTerms::of_book(wanted.contract, face, book));
    Ok(BookOrder {
        order: OrderId(0),
        account: owner.account,
        side: wanted.side,
        leg: wanted.leg,
        ticks: wanted.ticks,
        open,
        opens,
        multiple,
        mode,
        valued,
        fee_ppm: FeePpm(fees.maker.0.max(fees.taker.0)),
        locked: Amount::ZERO,
    })
}

/// The worst price of an order for itself: its limit, or the protection around the mark.
#[must_use]
#[inline]
pub fn worst_of(wanted: &NewBookOrder, face: &ContractFace, book: &BookParams) -> Ticks {
    if wanted.kind == OrderKind::Limit {
        return wanted.ticks;
    }
    let (mark, away) = (Fraction::from(face.mark), Fraction::from(face.mark).ppm(book.protection_ppm));
    let tick = Fraction::from(face.params.tick);
    ticks(match wanted.side {
        Side::Buy => mark.plus(away).over(tick).floor(),
        Side::Sell => mark.minus(away).over(tick).ceil(),
    })
}

fn ticks(of: i128) -> Ticks {
    Ticks(i64::try_from(of).unwrap_or(i64::MAX).max(0))
}

/// The price from which on loss against the mark and fee of all lots use up the equity, if that is before `worst`; none when
/// every price above zero does. Apart: nearly every order was found to be paid before.
#[inline(never)]
fn affordable(
    wanted: &NewBookOrder,
    units: &BookUnits,
    mark: Amount,
    (room, fee): (&Room, FeePpm),
    worst: Ticks,
) -> Option<Ticks> {
    let (base, price) = (units.base(wanted.lots), units.price(worst));
    let worse = match wanted.side {
        Side::Buy => price - mark,
        Side::Sell => mark - price,
    };
    // Nearly always it is not, and a bound of the fee shows it: loss and fee together have a larger denominator.
    let bound = Fraction::value(Amount(worse.0 * FEES_BOUND + price.0), base);
    let left = Amount(room.equity.0 * FEES_BOUND);
    if i128::from(fee.0) * FEES_BOUND <= 1_000_000 && bound.minus(room.values.by(FEES_BOUND)) <= left.into() {
        return Some(worst);
    }
    let equity = room.values.plus(room.equity.into());
    let lost = Fraction::value(worse, base);
    if lost.plus(Fraction::value(price, base).ppm(fee.0)) <= equity {
        return Some(worst);
    }
    let per_base = equity.by(ONE).over(base.into());
    let (sign, factor) = match wanted.side {
        Side::Buy => (per_base, 1_000_000 + i128::from(fee.0)),
        Side::Sell => (per_base.negated(), 1_000_000 - i128::from(fee.0)),
    };
    let price = Fraction::from(mark).plus(sign).over(Fraction::new(factor, 1_000_000)).over(units.tick.into());
    match wanted.side {
        Side::Buy => Some(price.floor()).filter(|ticks| *ticks > 0).map(ticks).map(|ticks| ticks.min(worst)),
        Side::Sell => Some(ticks(price.ceil()).max(worst)),
    }
}
