//! How tickets end: by their owner, by their stops, by liquidation; and how those that wait are opened.
//!
//! Owns: what is due at an index, in which order, and what each ticket brings. Never does: change anything. Invariants: on one
//! alarm limit tickets are opened first, then stops close, then liquidation; what a cross ticket loses beyond its margin is
//! taken from what is available, and stays unsettled while other cross tickets are open; only the last one leaves a deficit.
//! A copy that its trader closes: `close_copy_at`. Rules: `docs/rules/contracts.md "Tickets"`, `docs/rules/copy-trading.md`. Known
//! limits: an alarm that comes while an
//! order of the account is on its way to a contract's book is looked at again when that has decided.

use super::cross::{is_near_its_end, known};
use super::{Account, Ticket, certain, live};
use crate::board::{Board, ContractFace};
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::contract::ticket_facts::{ActivatedTicket, CloseReason, ClosedNet, ClosedTicket, RiskWarned, TicketsMoved};
use crate::contract::tickets::{TicketId, proceeds};
use crate::copy::{SourceIndex, withheld};
use crate::entity::{Ctx, Decision};
use crate::ids::{AssetId, EntityId, MarketId, Wallet};
use crate::money::Amount;
use crate::region::{Product, Products};
use crate::reject::Reject;
use std::collections::BTreeMap;

/// What is closed so far, with the money of pools as it leaves it.
struct Closing<'a, 'b> {
    account: &'a Account,
    ctx: &'a Ctx<'b>,
    /// All tickets: those that are still open.
    open: Vec<Ticket>,
    /// Available and unsettled, by asset.
    cash: BTreeMap<AssetId, (Amount, Amount)>,
    closed: Vec<ClosedTicket>,
    nets: Vec<ClosedNet>,
}

impl<'a, 'b> Closing<'a, 'b> {
    fn new(account: &'a Account, ctx: &'a Ctx<'b>) -> Closing<'a, 'b> {
        let open = account.tickets().iter().filter(|ticket| ticket.is_open()).copied().collect();
        Closing { account, ctx, open, cash: BTreeMap::new(), closed: Vec::new(), nets: Vec::new() }
    }

    /// What tickets are closed at. While a jump waits the index is known to be old: nobody gains or loses by it.
    fn face(&self, contract: MarketId) -> Option<&'b ContractFace> {
        certain(self.ctx.board, contract, self.ctx.now)
    }

    fn cash(&mut self, settle: AssetId) -> &mut (Amount, Amount) {
        let account = self.account;
        let now = |wallet| account.balance(wallet, settle).available;
        self.cash.entry(settle).or_insert_with(|| (now(Wallet::Futures), now(Wallet::Pnl)))
    }

    /// Closes one, if its index may be relied on.
    fn close(&mut self, ticket: &Ticket, reason: CloseReason) {
        if let Some(face) = self.face(ticket.terms.contract) {
            self.close_at(ticket, reason, (face.index.0, face.index.1));
        }
    }

    fn close_at(&mut self, ticket: &Ticket, reason: CloseReason, (index, index_seq): (Amount, u64)) {
        let (settle, result) = (ticket.terms.settle, ticket.result(index).round8());
        self.open.retain(|other| other.id() != ticket.id());
        let others = self.open.iter().any(|other| other.is_cross() && other.terms.settle == settle);
        let others = others || self.account.has_cross_legs(settle);
        let cash = self.cash(settle);
        let before = *cash;
        let deficit = match ticket.terms.mode {
            MarginMode::Isolated => {
                let (credit, deficit) = proceeds(ticket.margin, result);
                cash.0 += credit;
                deficit
            }
            MarginMode::Cross => {
                let sum = cash.0 + cash.1 + ticket.margin + result;
                let missing = (-sum).max(Amount::ZERO);
                *cash = (sum.max(Amount::ZERO), if others { -missing } else { Amount::ZERO });
                if others { Amount::ZERO } else { missing }
            }
        };
        let (credit, unsettled) = (cash.0 - before.0, cash.1 - before.1);
        self.profit(ticket, result + deficit);
        let (contract, direction, lots) = (ticket.terms.contract, ticket.terms.direction, ticket.terms.lots);
        let (ticket, margin) = (ticket.id(), ticket.margin);
        self.closed.push(ClosedTicket {
            ticket,
            reason,
            contract,
            settle,
            direction,
            lots,
            margin,
            result,
            credit,
            unsettled,
            deficit,
            index,
            index_seq,
        });
    }

    /// What a closed ticket of a trader, or a closed copy, brought; what is withheld of a copy's profit is its owner's no more.
    fn profit(&mut self, ticket: &Ticket, gained: Amount) {
        let link = self.account.link(ticket.id());
        if link.is_none() && !self.account.leads() {
            return;
        }
        let profit = gained - ticket.terms.fee - ticket.nights;
        let copy = link.map(|link| {
            let own = self.account.copying().and_then(|own| own.follow(link.trader));
            (link, own.map_or(Amount::ZERO, |own| withheld(profit, own.offer.share_ppm)))
        });
        if let Some((_, withheld)) = copy {
            self.cash(ticket.terms.settle).0 -= withheld;
        }
        self.nets.push(ClosedNet { ticket: ticket.id(), profit, copy });
    }

    /// Closes those for which there is a reason.
    fn close_each(&mut self, reason: impl Fn(&Ticket, Amount) -> Option<CloseReason>) {
        for ticket in self.open.clone() {
            let index = self.face(ticket.terms.contract).map(|face| face.index.0);
            if let Some(reason) = index.and_then(|index| reason(&ticket, index)) {
                self.close(&ticket, reason);
            }
        }
    }

    /// Closes all cross tickets whose index is fresh, if a pool that has no legs is at its end by the last prices.
    fn liquidate_pool(&mut self, settle: AssetId) {
        if self.account.is_in_steps(settle) || self.account.is_pool_in_doubt(settle, self.ctx) {
            return;
        }
        self.close_pool(settle);
    }

    fn close_pool(&mut self, settle: AssetId) {
        let cross: Vec<Ticket> =
            self.open.iter().filter(|ticket| ticket.is_cross() && ticket.terms.settle == settle).copied().collect();
        let cash = *self.cash(settle);
        let face = |contract| known(self.ctx.board, contract);
        let pool = self.account.pool_of(settle, cash.0 + cash.1, cross.iter(), face);
        if pool.is_some_and(|pool| pool.is_due()) {
            for ticket in &cross {
                self.close(ticket, CloseReason::Liquidation);
            }
        }
    }

    /// What its cross tickets that are open are paid in.
    fn pools(&self) -> Vec<AssetId> {
        let cross = self.open.iter().filter(|ticket| ticket.is_cross());
        let mut pools: Vec<AssetId> = cross.map(|ticket| ticket.terms.settle).collect();
        pools.sort_unstable();
        pools.dedup();
        pools
    }

    /// Opens a ticket that waits, if an index that may be relied on reaches its target.
    fn activate(&mut self, waiting: &Ticket) -> Option<ActivatedTicket> {
        let face = self.face(waiting.terms.contract)?;
        if self.account.is_pool_liquidated(waiting.terms.settle) || !self.account.may_open_contracts(self.ctx.board) {
            return None;
        }
        let (index, index_seq, _) = face.index;
        if !waiting.is_reached(index) {
            return None;
        }
        self.open.push(Ticket { opened: self.ctx.now, ..*waiting });
        self.open.sort_unstable_by_key(Ticket::id);
        let terms = &waiting.terms;
        let (ticket, contract, settle) = (terms.ticket, terms.contract, terms.settle);
        Some(ActivatedTicket { ticket, contract, settle, fee: terms.fee, insurance: terms.insurance, index, index_seq })
    }

    fn fact(self, activated: Vec<ActivatedTicket>) -> Option<TicketsMoved> {
        let (account, leads, closed, nets) = (self.account.id, self.account.leads(), self.closed, self.nets);
        if activated.is_empty() && closed.is_empty() {
            return None;
        }
        let is_active = |ticket: &&Ticket| activated.iter().any(|activated| activated.ticket == ticket.id());
        let led = self.account.tickets().iter().filter(|ticket| leads && is_active(ticket));
        let led = led.map(|ticket| ticket.terms).collect();
        Some(TicketsMoved { account, activated, closed, leads, led, nets })
    }
}

impl Account {
    pub(super) fn close_ticket(&self, id: TicketId, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        let ticket = self.ticket(id)?;
        if !ticket.is_open() {
            return Err(Reject::UnknownTicket);
        }
        if self.link(id).is_some() {
            return Err(Reject::CopiedTicket);
        }
        self.close_some(std::slice::from_ref(ticket), CloseReason::User, ctx)
    }

    pub(super) fn close_all_tickets(
        &self,
        contract: Option<MarketId>,
        direction: Option<Direction>,
        ctx: &Ctx<'_>,
    ) -> Result<Decision, Reject> {
        let wanted = |t: &&Ticket| {
            let terms = &t.terms;
            let of_contract = contract.is_none_or(|contract| terms.contract == contract);
            let is_own = t.is_open() && self.link(t.id()).is_none();
            is_own && of_contract && direction.is_none_or(|direction| terms.direction == direction)
        };
        let tickets: Vec<Ticket> = self.tickets().iter().filter(wanted).copied().collect();
        self.close_some(&tickets, CloseReason::Batch, ctx)
    }

    /// Closes some of its tickets at the index: those whose index may be relied on.
    fn close_some(&self, tickets: &[Ticket], reason: CloseReason, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        if self.is_held_by_books() {
            return Err(Reject::RequestInFlight);
        }
        let mut closing = Closing::new(self, ctx);
        for ticket in tickets {
            closing.close(ticket, reason);
        }
        match closing.fact(Vec::new()) {
            Some(fact) => Ok(Decision::Fact(fact.into())),
            None if tickets.is_empty() => Err(Reject::UnknownTicket),
            None => Err(Reject::PriceStale),
        }
    }

    /// Closes a copy because the trader's ticket was closed: at the index now. When that may not be relied on, at the trader's,
    /// which was, unless it is too old; then at the last one. A copy is isolated: an order on its way to a book claims nothing that
    /// closing takes.
    pub(in crate::account) fn close_copy_at(
        &self,
        id: TicketId,
        at: SourceIndex,
        ctx: &Ctx<'_>,
    ) -> Result<Decision, Reject> {
        let ticket = self.ticket(id)?;
        let mut closing = Closing::new(self, ctx);
        let index = match closing.face(ticket.terms.contract) {
            Some(face) => (face.index.0, face.index.1),
            None if at.is_old(ctx.now) => {
                known(ctx.board, ticket.terms.contract).map_or((at.index, at.seq), |face| (face.index.0, face.index.1))
            }
            None => (at.index, at.seq),
        };
        closing.close_at(ticket, CloseReason::Copy, index);
        Ok(Decision::Fact(closing.fact(Vec::new()).ok_or(Reject::UnknownTicket)?.into()))
    }

    /// An alarm came: looks exactly, and does what is due.
    pub(in crate::account) fn at_alarm(&self, ctx: &Ctx<'_>) -> Decision {
        // It looks again when the book has decided.
        if self.is_held_by_books() {
            return Decision::Nothing;
        }
        let mut closing = Closing::new(self, ctx);
        let waiting = self.tickets().iter().filter(|ticket| !ticket.is_open());
        let activated = waiting.filter_map(|ticket| closing.activate(ticket)).collect();
        closing.close_each(|ticket, index| ticket.terms.stops.reached(ticket.terms.direction, index));
        closing.close_each(|ticket, index| ticket.is_due(index).then_some(CloseReason::Liquidation));
        for settle in closing.pools() {
            closing.liquidate_pool(settle);
        }
        match closing.fact(activated) {
            Some(fact) => Decision::Fact(fact.into()),
            None => {
                let due = self.start_liquidation(ctx).or_else(|| self.cancel_unpaid(ctx));
                let due = due.or_else(|| self.cancel_barred(ctx));
                due.or_else(|| self.warn(ctx)).unwrap_or(Decision::Nothing)
            }
        }
    }

    /// Whether contracts are offered where its owner lives.
    pub(super) fn may_open_contracts(&self, board: &Board) -> bool {
        self.may_open(Products::of(Product::Contracts), board).is_ok()
    }

    /// A ticket whose index came and that may not be opened any more.
    fn cancel_barred(&self, ctx: &Ctx<'_>) -> Option<Decision> {
        if self.may_open_contracts(ctx.board) {
            return None;
        }
        let is_due = |ticket: &&Ticket| {
            let face = live(ctx.board, ticket.terms.contract, ctx.now);
            !ticket.is_open() && face.is_some_and(|face| ticket.is_reached(face.index.0))
        };
        let due = self.tickets().iter().find(is_due)?;
        self.cancel_ticket(due.id()).ok()
    }

    /// Closes the cross tickets of a pool that is at its end.
    pub(super) fn liquidate_tickets(&self, settle: AssetId, ctx: &Ctx<'_>) -> Option<Decision> {
        let mut closing = Closing::new(self, ctx);
        closing.close_pool(settle);
        Some(Decision::Fact(closing.fact(Vec::new())?.into()))
    }

    /// Money that cross tickets might take is held for an order of a contract's book, which is decided first.
    fn is_held_by_books(&self) -> bool {
        let mut asked = self.held_parts().map(|hold| hold.decider);
        asked.any(|decider| matches!(decider, EntityId::Contract(_)))
            && (self.tickets().iter().any(|ticket| ticket.terms.mode == MarginMode::Cross) || !self.legs().is_empty())
    }

    /// Tells an owner once that a pool is near its end.
    fn warn(&self, ctx: &Ctx<'_>) -> Option<Decision> {
        if self.is_warned() || !self.open_cases().is_empty() {
            return None;
        }
        self.pools().into_iter().find_map(|settle| {
            let pool = self.pool(settle, ctx).ok().filter(is_near_its_end)?;
            let (equity, maintenance) = (pool.equity.round8(), pool.maintenance.round8());
            Some(Decision::Fact(RiskWarned { account: self.id, settle, equity, maintenance }.into()))
        })
    }
}
