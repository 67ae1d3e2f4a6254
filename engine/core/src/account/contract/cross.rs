//! The pool of an account: what its cross tickets and legs are worth together.
//!
//! Owns: the pool as of the prices of contracts, what may leave the futures wallet. Never does: decide what is closed.
//! Invariants: openings, warnings and what may leave need a fresh price of each contract; a liquidation takes the last price
//! of a contract whose price is not fresh. Its alarms: `alarms.rs`.
//! Rules: `docs/rules/contracts.md "Cross pool"`. Known limits: none.

use super::{Account, Ticket, certain, live};
use crate::account::Balance;
use crate::board::{Board, ContractFace};
use crate::contract::pool::{Held, Pool, transferable};
use crate::entity::Ctx;
use crate::fraction::Fraction;
use crate::ids::{AssetId, MarketId, Wallet};
use crate::money::Amount;
use crate::reject::Reject;

/// So many wallets are looked through faster than they are searched.
const FEW_BALANCES: usize = 8;

/// An owner is warned at this risk rate, in percent; 50 is the end.
pub const WARNING_PERCENT: i128 = 120;

/// The pool of cross tickets, with so much cash; none when the index of one of their contracts is not known.
#[must_use]
pub fn pool<'a>(
    cash: Amount,
    tickets: impl Iterator<Item = &'a Ticket>,
    index: impl Fn(MarketId) -> Option<Amount>,
) -> Option<Pool> {
    tickets.filter(|ticket| ticket.is_cross()).try_fold(Pool::of(cash), |pool, ticket| {
        let result = ticket.result(index(ticket.terms.contract)?);
        Some(pool.and_ticket(ticket.margin, ticket.terms.margin, result))
    })
}

/// What must stay so that nothing happens to a pool: its maintenance, or more while its owner is not warned yet.
pub(super) fn kept(maintenance: Fraction, warned: bool) -> Fraction {
    if warned { maintenance } else { maintenance.by(WARNING_PERCENT).over(Fraction::new(50, 1)) }
}

/// What is above the risk rate at which the next thing happens to a pool: a warning, or its end.
pub(super) fn cushion(pool: &Pool, warned: bool) -> Fraction {
    pool.equity.minus(kept(pool.maintenance, warned))
}

/// The last prices of a contract, fresh or not; none before the first.
pub(super) fn known(board: &Board, contract: MarketId) -> Option<&ContractFace> {
    board.contract(contract).filter(|face| face.index.1 > 0)
}

/// Whether an owner is warned: at the end, or near it.
pub(super) fn is_near_its_end(pool: &Pool) -> bool {
    pool.maintenance.is_positive() && cushion(pool, false) <= Fraction::ZERO
}

impl Account {
    /// What its pool has in money: what is available, and results that are not settled.
    pub(super) fn pool_cash(&self, settle: AssetId) -> Amount {
        if self.balances().len() > FEW_BALANCES {
            return self.available(Wallet::Futures, settle) + self.available(Wallet::Pnl, settle);
        }
        // One look at each costs less than two searches.
        let of_pool = |b: &&Balance| b.asset == settle && matches!(b.wallet, Wallet::Futures | Wallet::Pnl);
        self.balances().iter().filter(of_pool).map(|b| b.available).sum()
    }

    /// What of its pool's money is set aside for questions on their way.
    #[inline]
    pub(super) fn held_of_pool(&self, settle: AssetId) -> Amount {
        if self.holds.is_empty() {
            return Amount::ZERO;
        }
        let parts = self.held_parts().flat_map(|hold| &hold.parts);
        let of_pool =
            |(wallet, asset): (Wallet, AssetId)| asset == settle && matches!(wallet, Wallet::Futures | Wallet::Pnl);
        parts.filter(|(wallet, asset, _)| of_pool((*wallet, *asset))).map(|(_, _, amount)| *amount).sum()
    }

    pub(super) fn cross_tickets(&self, settle: AssetId) -> impl Iterator<Item = &Ticket> {
        self.tickets().iter().filter(move |ticket| ticket.is_cross() && ticket.terms.settle == settle)
    }

    /// Its pool with so much cash and these of its tickets, by the prices that `face` gives; none when it lacks one.
    pub(super) fn pool_of<'t, 'b>(
        &self,
        settle: AssetId,
        cash: Amount,
        tickets: impl Iterator<Item = &'t Ticket>,
        face: impl Fn(MarketId) -> Option<&'b ContractFace>,
    ) -> Option<Pool> {
        let of_tickets = pool(cash, tickets, |contract| Some(face(contract)?.index.0))?;
        self.cross_legs(settle).try_fold(of_tickets, |pool, own| {
            let face = face(own.units.contract)?;
            let value = Fraction::value(face.mark, own.units.base(own.leg.lots));
            Some(pool.and_leg(own.gain(face), face.params.brackets.maintenance(value)))
        })
    }

    /// Its pool by fresh prices.
    pub(super) fn pool(&self, settle: AssetId, ctx: &Ctx<'_>) -> Result<Pool, Reject> {
        let face = |contract| live(ctx.board, contract, ctx.now);
        let pool = self.pool_of(settle, self.pool_cash(settle), self.cross_tickets(settle), face);
        pool.ok_or(Reject::PriceStale)
    }

    /// Its pool by the last prices, fresh or not.
    pub(super) fn last_pool(&self, settle: AssetId, board: &Board) -> Option<Pool> {
        let face = |contract| known(board, contract);
        self.pool_of(settle, self.pool_cash(settle), self.cross_tickets(settle), face)
    }

    /// What may leave its futures wallet.
    pub(in crate::account) fn may_leave(&self, settle: AssetId, ctx: &Ctx<'_>) -> Result<Amount, Reject> {
        let free = self.free(Wallet::Futures, settle);
        let is_flat = self.cross_tickets(settle).next().is_none() && self.legs.is_none();
        if is_flat {
            // An order that is on its way to a book needs what it claims.
            return Ok((free - self.held(Wallet::Pnl, settle)).max(Amount::ZERO));
        }
        if self.is_pool_liquidated(settle) {
            return Ok(Amount::ZERO);
        }
        let mut margins = (Amount::ZERO, Amount::ZERO);
        let fresh = |contract| certain(ctx.board, contract, ctx.now);
        let legs = self.leg_sums(settle, fresh).ok_or(Reject::PriceStale)?;
        let mut unrealised = legs.unrealised();
        for ticket in self.cross_tickets(settle) {
            let face = fresh(ticket.terms.contract).ok_or(Reject::PriceStale)?;
            unrealised = unrealised.plus(ticket.result(face.index.0));
            margins = (margins.0 + ticket.margin, margins.1 + ticket.terms.margin);
        }
        let results = self.balance(Wallet::Pnl, settle).available;
        let needs = self.order_needs(settle, fresh).ok_or(Reject::PriceStale)?;
        let (initial, orders) = (legs.initial, needs.orders + self.held(Wallet::Pnl, settle));
        Ok(transferable(&Held { available: free, results, margins, unrealised, initial, orders }).min(free))
    }
}
