//! What it takes to open a ticket.
//!
//! Owns: the checks, price, margin and fee of a ticket that is wanted. Never does: change anything. Invariants: nothing is
//! opened on a doubtful index; money that the pool needs does not leave it for a ticket; a ticket does not begin with a pool
//! at its end. Rules: `docs/rules/contracts.md "Tickets"`. Known limits: none.

use super::cross::is_near_its_end;
use super::{Account, MAX_TICKETS, OpenTicket, Tickets, certain, live};
use crate::board::ContractFace;
use crate::contract::brackets::initial_margin;
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::contract::ticket_facts::{TicketOpened, TicketReserved, TicketTerms};
use crate::contract::tickets::{HUNDREDTHS, TICKETS_AN_ACCOUNT, TicketId, offered_price, result};
use crate::copy::SourceIndex;
use crate::entity::{Ctx, Decision};
use crate::fraction::Fraction;
use crate::ids::Wallet;
use crate::money::{Amount, Lots, MAX_AMOUNT};
use crate::reject::Reject;

impl Account {
    pub(super) fn open_ticket(&self, wanted: &OpenTicket, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.may_act()?;
        ctx.board.contract(wanted.contract).ok_or(Reject::UnknownMarket)?;
        let face = certain(ctx.board, wanted.contract, ctx.now).ok_or(Reject::PriceStale)?;
        if wanted.version != face.params.version {
            return Err(Reject::StaleTerms);
        }
        if self.is_pool_liquidated(face.params.settle) {
            return Err(Reject::Liquidating);
        }
        let terms = self.terms(wanted, face)?;
        self.within_caps(wanted, face, Fraction::value(terms.price, terms.base))?;
        self.can_pay(wanted, &terms, ctx)?;
        let (account, leads, (index, index_seq, _)) = (self.id, self.leads(), face.index);
        Ok(Decision::Fact(match wanted.target {
            None => TicketOpened { account, terms, index, index_seq, leads, copy: None }.into(),
            Some(target) => TicketReserved { account, terms, target }.into(),
        }))
    }

    /// What a copy of a trader's ticket would be, and the index: a ticket of its own at the index of now, but for lots in
    /// hundredths and for a pool that must not be near its end afterwards. At an older price it would be a gift of the house, or
    /// to it.
    pub(in crate::account) fn copy_terms(
        &self,
        wanted: &OpenTicket,
        at: SourceIndex,
        ctx: &Ctx<'_>,
    ) -> Result<(TicketTerms, (Amount, u64)), Reject> {
        self.may_act()?;
        let face = certain(ctx.board, wanted.contract, ctx.now).ok_or(Reject::PriceStale)?;
        if !at.counts(face.index.0, ctx.now) {
            return Err(Reject::CopyOutdated);
        }
        let settle = face.params.settle;
        if self.is_pool_liquidated(settle) {
            return Err(Reject::Liquidating);
        }
        self.sized(wanted, face)?;
        let (index, index_seq, _) = face.index;
        let (spread_ppm, tick) = (face.params.tickets.spread_ppm, face.params.tick);
        let terms = self.priced(wanted, face, offered_price(wanted.direction, index, spread_ppm, tick))?;
        self.within_caps(wanted, face, Fraction::value(terms.price, terms.base))?;
        self.can_pay(wanted, &terms, ctx)?;
        if self.pools().contains(&settle) {
            let mut pool = self.pool(settle, ctx)?;
            pool.equity = pool.equity.minus((terms.margin + terms.fee).into());
            if is_near_its_end(&pool) {
                return Err(Reject::InsufficientBalance);
            }
        }
        Ok((terms, (index, index_seq)))
    }

    /// Whether lots, multiple and their number are allowed.
    fn sized(&self, wanted: &OpenTicket, face: &ContractFace) -> Result<(), Reject> {
        let params = &*face.params;
        let hundredths = |lots: Lots| Lots(lots.0 * HUNDREDTHS);
        let (fewest, most) = (hundredths(params.tickets.lots.0), hundredths(params.tickets.lots.1));
        if wanted.lots < fewest {
            return Err(Reject::BelowMinAmount);
        }
        if wanted.lots > most {
            return Err(Reject::AboveMaxAmount);
        }
        if !params.tickets.multiples.contains(&wanted.multiple) {
            return Err(Reject::BadMultiple);
        }
        if self.tickets().len() >= MAX_TICKETS || self.ticket_count() >= TICKETS_AN_ACCOUNT {
            return Err(Reject::TooManyOrders);
        }
        Ok(())
    }

    /// Tickets so far.
    fn ticket_count(&self) -> u32 {
        self.cold().tickets.as_deref().map_or(0, |tickets: &Tickets| tickets.count)
    }

    /// Its price, margin and fee, if the contract takes such a ticket.
    fn terms(&self, wanted: &OpenTicket, face: &ContractFace) -> Result<TicketTerms, Reject> {
        let (params, index) = (&*face.params, face.index.0);
        if wanted.lots.0 % HUNDREDTHS != 0 {
            return Err(Reject::BelowMinAmount);
        }
        self.sized(wanted, face)?;
        let reference = match wanted.target {
            None => index,
            Some(target) if !target.is_positive() || target > MAX_AMOUNT || target.0 % params.tick.0 != 0 => {
                return Err(Reject::BadPrice);
            }
            // A limit is better than the index.
            Some(target) if (wanted.direction == Direction::Long) != (target < index) || target == index => {
                return Err(Reject::WouldTrigger);
            }
            // What waits at a fraction of the index would take the house's lots for next to no margin.
            Some(target) if (target - index).0.abs() > index.0 / 2 => return Err(Reject::OutsidePriceBand),
            Some(target) => target,
        };
        if !wanted.stops.suit(wanted.direction, reference, params.tick) {
            return Err(Reject::BadTrigger);
        }
        self.priced(wanted, face, offered_price(wanted.direction, reference, params.tickets.spread_ppm, params.tick))
    }

    /// Its margin and fee at a price.
    fn priced(&self, wanted: &OpenTicket, face: &ContractFace, price: Amount) -> Result<TicketTerms, Reject> {
        let params = &*face.params;
        if !price.is_positive() {
            return Err(Reject::BadPrice);
        }
        let base = params.base_of(wanted.lots);
        let notional = Fraction::value(price, base);
        if notional > params.brackets.largest().into() || notional > MAX_AMOUNT.into() {
            return Err(Reject::BracketExceeded);
        }
        if wanted.multiple > params.brackets.tier_of(notional).bracket.max_multiple {
            return Err(Reject::BadMultiple);
        }
        let margin = initial_margin(notional, wanted.multiple);
        let fee = notional.ppm(params.ticket_fee(self.level).0).round8();
        let insurance = Fraction::from(fee).ppm(params.insurance_ppm).floor8();
        let OpenTicket { contract, direction, mode, lots, multiple, stops, .. } = *wanted;
        let (ticket, settle) = (TicketId::of(self.id, self.ticket_count() + 1), params.settle);
        Ok(TicketTerms {
            ticket,
            contract,
            settle,
            direction,
            mode,
            lots,
            base,
            multiple,
            price,
            margin,
            fee,
            insurance,
            stops,
        })
    }

    /// Its own cap of notional value, and the house's caps of lots; tickets that wait count.
    fn within_caps(&self, wanted: &OpenTicket, face: &ContractFace, notional: Fraction) -> Result<(), Reject> {
        let own = self.tickets().iter().filter(|t| t.terms.contract == wanted.contract);
        let own = own.fold(notional, |sum, t| sum.plus(Fraction::value(t.terms.price, t.terms.base)));
        let (mut long, mut short) = (face.tickets.0.0, face.tickets.1.0);
        let before = (long - short).abs();
        match wanted.direction {
            Direction::Long => long += wanted.lots.0,
            Direction::Short => short += wanted.lots.0,
        }
        let (one_sided, both) = face.params.tickets.house_caps;
        let full = own > face.params.tickets.account_cap.into()
            // What brings both sides nearer is welcome however far apart they are.
            || (long - short).abs() > before.max(one_sided.0 * HUNDREDTHS)
            || long + short > both.0 * HUNDREDTHS;
        if full { Err(Reject::ExposureFull) } else { Ok(()) }
    }

    /// Whether its money is enough: what leaves the pool may leave it, and a cross ticket leaves the pool above its end.
    fn can_pay(&self, wanted: &OpenTicket, terms: &TicketTerms, ctx: &Ctx<'_>) -> Result<(), Reject> {
        let (settle, cost) = (terms.settle, terms.margin + terms.fee);
        let unsettled = self.balance(Wallet::Pnl, settle).available.min(Amount::ZERO);
        if !terms.margin.is_positive() || self.free(Wallet::Futures, settle) + unsettled < cost {
            return Err(Reject::InsufficientBalance);
        }
        let enough = if wanted.mode == MarginMode::Cross && wanted.target.is_none() {
            let index = live(ctx.board, wanted.contract, ctx.now).ok_or(Reject::PriceStale)?.index.0;
            let mut pool = self.pool(settle, ctx)?;
            pool.equity = pool.equity.minus(cost.into());
            let result = result(terms.direction, terms.price, index, terms.base);
            !pool.and_ticket(terms.margin, terms.margin, result).is_due()
        } else {
            self.may_leave(settle, ctx)? >= cost
        };
        if enough { Ok(()) } else { Err(Reject::InsufficientBalance) }
    }
}
