//! An account's orders that wait for a price in contracts' books.
//!
//! Owns: the account's mirror of them, their limit, and what one whose price came needs then. Never does: follow prices; the
//! contract does. Invariants: they are those that the contracts have; they set nothing aside; an order whose price came is
//! judged as one that is placed now. Rules: `docs/rules/contracts.md "Conditional orders"`. Known limits: none.

use super::Account;
use super::legs::{Legs, OwnLeg};
use crate::account::open_orders::name_hash;
use crate::account::spot::OrderName;
use crate::board::ContractFace;
use crate::codec::{DecodeError, Reader, Wire};
use crate::contract::book::conditional_facts::ConditionalsChanged;
use crate::contract::book::order::{BookUnits, LegSide, NewBookOrder};
use crate::contract::book::params::BookParams;
use crate::contract::book::waiting::{Fire, MAX_CONDITIONALS, NewConditional, WaitingBookOrder, WaitingCommand};
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::entity::{Accepted, Ctx, Decision, HoldRequest, Reply, TimeNs};
use crate::ids::{EntityId, MarketId, OrderId, Wallet};
use crate::money::Amount;
use crate::reject::Reject;

crate::wire_struct! {
    /// An order that waits for a price, as its owner's account keeps it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct OwnConditional {
        /// As the contract keeps it.
        pub waits: WaitingBookOrder,
        /// Meaning of its numbers.
        pub units: BookUnits,
        /// When it was taken.
        pub created: u64,
    }
}

impl Account {
    /// Its orders in contracts' books that wait for a price, by id.
    #[must_use]
    pub fn conditionals(&self) -> &[OwnConditional] {
        self.legs.as_deref().map_or(&[], |legs| &legs.rare().conditionals)
    }

    pub(super) fn conditional(&self, name: OrderName) -> Result<&OwnConditional, Reject> {
        let is_it = |own: &&OwnConditional| match name {
            OrderName::Id(id) => own.waits.order == id,
            OrderName::Client(client) => own.waits.client_id == Some(client),
        };
        self.conditionals().iter().find(is_it).ok_or(Reject::UnknownOrder)
    }

    /// The margin mode of what an order that waits opens.
    pub(super) fn mode_of(&self, contract: MarketId) -> MarginMode {
        self.leg_terms(contract).map_or(MarginMode::Cross, |terms| terms.mode)
    }

    pub(super) fn place_conditional(&self, new: &NewConditional, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.may_act()?;
        let wanted = &new.order;
        self.check_book_name(wanted.client_id)?;
        let face = ctx.board.contract(wanted.contract).ok_or(Reject::UnknownMarket)?;
        if face.book.is_none() {
            return Err(Reject::NotAllowed);
        }
        if self.is_hedged() == (wanted.leg == LegSide::Both) {
            return Err(Reject::PositionModeMismatch);
        }
        if new.condition.close_position && wanted.leg.direction().is_some() && !wanted.leg.is_closed_by(wanted.side) {
            return Err(Reject::ReduceOnly);
        }
        let (contract, settle) = (wanted.contract, face.params.settle);
        self.may_add(settle, (contract, wanted.leg), self.mode_of(contract))?;
        let decider = EntityId::Contract(contract);
        let asked = self.held_parts().filter(|hold| hold.decider == decider);
        let asked: usize = asked.map(|hold| usize::from(hold.waiting)).sum();
        let waiting = self.conditionals().iter().filter(|own| own.units.contract == contract).count();
        if waiting + asked >= MAX_CONDITIONALS {
            return Err(Reject::TooManyTriggers);
        }
        let hold = HoldRequest::of(decider, Wallet::Futures, settle, Amount::ZERO);
        let hold = HoldRequest { waiting: 1, ..hold.naming([name_hash(wanted.client_id)]) };
        let command = WaitingCommand::Wait(self.id, Box::new(*new));
        Ok(self.ask_book(contract, command.into(), Some(hold)))
    }

    pub(super) fn cancel_conditionals(&self, contract: MarketId) -> Decision {
        let own = self.conditionals().iter().filter(|own| own.units.contract == contract);
        let orders: Vec<OrderId> = own.map(|own| own.waits.order).collect();
        if orders.is_empty() {
            return Decision::Reply(Reply::Accepted(Accepted::Canceled(orders)));
        }
        self.ask_book(contract, WaitingCommand::Cancel(self.id, orders).into(), None)
    }

    /// An order's price came: the contract is told what it needs now, or why there is no order.
    pub(super) fn fire(&self, order: OrderId, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        let own = self.conditional(OrderName::Id(order))?;
        let contract = own.units.contract;
        let face = ctx.board.contract(contract).ok_or(Reject::UnknownMarket)?;
        let (book, _) = face.book.as_ref().ok_or(Reject::NotAllowed)?;
        let wanted = self.becomes(own, face, book);
        let asked = wanted.and_then(|wanted| self.submit_to_book(&wanted, Some(order), ctx));
        let (submit, hold) = match asked {
            Ok((submit, hold)) => (Ok(*submit), Some(hold)),
            // Its contract asks again. Another contract's price that the pool needs may never come, so that is a refusal:
            // nobody's order waits for it.
            Err(Reject::PriceStale) if !face.is_live(ctx.now) => return Err(Reject::PriceStale),
            Err(reject) => (Err(reject), None),
        };
        let fire = Fire { account: self.id, order, submit };
        Ok(self.ask_book(contract, WaitingCommand::Fire(Box::new(fire)).into(), hold))
    }

    /// The order that a waiting one becomes now.
    fn becomes(&self, own: &OwnConditional, face: &ContractFace, book: &BookParams) -> Result<NewBookOrder, Reject> {
        let WaitingBookOrder { side, leg, kind, tif, stp, ticks, mut lots, reduce_only, client_id, .. } = own.waits;
        let contract = own.units.contract;
        if own.waits.condition.close_position {
            let opened = Direction::opened_by(side);
            let is_it = |l: &&OwnLeg| l.units.contract == contract && l.side == leg && l.leg.direction != opened;
            let closed = self.legs().iter().find(is_it).ok_or(Reject::ReduceOnly)?;
            lots = closed.leg.lots.min(book.lots.1);
        }
        let versions = (face.params.version, book.version);
        Ok(NewBookOrder { contract, versions, side, leg, kind, tif, stp, ticks, lots, reduce_only, client_id })
    }
}

impl Legs {
    pub(in crate::account) fn put_conditionals(&self, out: &mut Vec<u8>) {
        self.rare().conditionals.put(out);
    }

    pub(in crate::account) fn get_conditionals(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        let conditionals: Vec<OwnConditional> = Wire::get(r)?;
        if !conditionals.is_empty() {
            self.rare_mut().conditionals = conditionals;
        }
        Ok(())
    }

    /// What a fact does to the orders that wait.
    pub(super) fn change_conditionals(&mut self, f: &ConditionalsChanged, created: TimeNs) {
        let conditionals = &mut self.rare_mut().conditionals;
        conditionals.retain(|own| !f.gone.iter().any(|gone| gone.order == own.waits.order));
        conditionals.extend(f.waits.map(|waits| OwnConditional { waits, units: f.units, created }));
        conditionals.sort_unstable_by_key(|own| own.waits.order);
    }
}
