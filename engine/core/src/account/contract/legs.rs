//! The positions that an account has in contracts' books, and its orders there.
//!
//! Owns: the account's mirror of legs and orders, position mode, multiples, margin modes; what it can be asked about them.
//! Never does: match; the contract does. Invariants: legs and orders are those that the contracts have; what they set aside is
//! locked and in the lock table; a mode or a multiple changes only without legs and orders. What an order needs: `needs.rs`.
//! Rules: `docs/rules/contracts.md "Book orders"`. Known limits: none.

use super::Account;
use super::conditionals::OwnConditional;
pub use super::own_orders::ListedOrder;
use super::own_orders::OwnOrders;
use crate::account::open_orders::name_hash;
use crate::account::spot::OrderName;
use crate::board::ContractFace;
use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes};
use crate::contract::ContractCommand;
use crate::contract::book::BookCommand;
use crate::contract::book::effect::Leg;
use crate::contract::book::facts::{LegTermsSet, PositionModeSet, ResultsSettled};
use crate::contract::book::order::{BookOrder, BookUnits, LegSide, NewBookOrder};
use crate::contract::book::params::BookParams;
use crate::contract::book::quoting::NewQuotes;
use crate::contract::book::waiting::{NewConditional, WaitingCommand};
use crate::contract::facts::MarginMode;
use crate::entity::{Accepted, Ask, Command, CommandClass, Ctx, Decision, HoldRequest, Reply, TimeNs};
use crate::ids::{AssetId, ClientOrderId, EntityId, MarketId, OrderId, Wallet};
use crate::money::{Amount, Lots, MAX_AMOUNT};
use crate::reject::Reject;

/// What an account can be asked about contracts' books.
#[derive(Debug, Clone)]
pub enum LegCommand {
    /// Place an order.
    Place(NewBookOrder),
    /// The house's: these are its quotes from now on.
    Quote(Box<NewQuotes>),
    /// Place an order that waits for a price.
    PlaceConditional(Box<NewConditional>),
    /// The price of one came (its contract asks).
    Fire(OrderId),
    /// Cancel all orders of one contract that wait for a price.
    CancelConditionals(MarketId),
    /// Cancel an order, one that waits for a price too.
    Cancel(OrderName),
    /// Cancel all open orders of one contract.
    CancelAll(MarketId),
    /// Make an order smaller, in its place.
    Amend {
        /// Which.
        order: OrderName,
        /// Its whole quantity from now on.
        lots: Lots,
    },
    /// Trade a contract by other terms.
    SetTerms {
        /// Which.
        contract: MarketId,
        /// The multiple, if it changes.
        multiple: Option<u16>,
        /// Whose money its positions may lose, if that changes.
        mode: Option<MarginMode>,
    },
    /// Have a long and a short position of each contract, or one.
    SetHedge(bool),
    /// Cancel all orders of one contract after so long, unless this comes again; after nothing: never.
    Countdown {
        /// Of which contract.
        contract: MarketId,
        /// How long.
        after: TimeNs,
    },
    /// Put margin into an isolated position, or take it out.
    MoveMargin {
        /// Of which contract.
        contract: MarketId,
        /// Which position.
        leg: LegSide,
        /// How much; taken out when negative.
        amount: Amount,
    },
}

impl LegCommand {
    pub(in crate::account) fn class(&self) -> CommandClass {
        match self {
            LegCommand::Cancel(_)
            | LegCommand::CancelAll(_)
            | LegCommand::CancelConditionals(_)
            | LegCommand::Fire(_) => CommandClass::Releases,
            LegCommand::Place(_)
            | LegCommand::PlaceConditional(_)
            | LegCommand::Quote(_)
            | LegCommand::Amend { .. }
            | LegCommand::SetTerms { .. }
            | LegCommand::SetHedge(_)
            | LegCommand::Countdown { .. }
            | LegCommand::MoveMargin { .. } => CommandClass::Consumes,
        }
    }
}

crate::wire_struct! {
    /// An open order of a contract's book, as its owner's account keeps it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct OwnOrder {
        /// As the contract keeps it.
        pub rests: BookOrder,
        /// Meaning of its numbers.
        pub units: BookUnits,
        /// Its whole quantity.
        pub lots: Lots,
        /// What is filled.
        pub filled: Lots,
        /// It only closes.
        pub reduce_only: bool,
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
        /// When it was placed.
        pub created: u64,
    }
}

impl OwnOrder {
    pub(super) fn hash(&self) -> u64 {
        let OwnOrder { rests, units, lots, filled, reduce_only, client_id, created } = self;
        let h = units.hash(rests.hash(WordHash::new(u64::from(*reduce_only)))).pair(lots.0 as u64, filled.0 as u64);
        h.pair(name_hash(*client_id), *created).end()
    }
}

crate::wire_struct! {
    /// A position in a contract's book, as its owner's account keeps it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct OwnLeg {
        /// Meaning of its numbers.
        pub units: BookUnits,
        /// Which position.
        pub side: LegSide,
        /// As the contract keeps it.
        pub leg: Leg,
    }
}

crate::wire_struct! {
    /// How an account trades one contract.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LegTerms {
        /// Which.
        pub contract: MarketId,
        /// The multiple.
        pub multiple: u16,
        /// Whose money its positions may lose.
        pub mode: MarginMode,
    }
}

impl LegTerms {
    /// Those of an account that chose none.
    #[must_use]
    pub fn of_book(contract: MarketId, face: &ContractFace, book: &BookParams) -> LegTerms {
        let multiple = book.first_multiple(face.params.brackets.largest_multiple());
        LegTerms { contract, multiple, mode: MarginMode::Cross }
    }
}

/// What an account has in contracts' books, for its owner.
#[derive(Debug, Clone, Default)]
pub struct LegsView {
    /// Positions, by contract and side.
    pub legs: Vec<OwnLeg>,
    /// Open orders, by id.
    pub orders: Vec<OwnOrder>,
    /// Orders that wait for a price, by id.
    pub conditionals: Vec<OwnConditional>,
    /// How it trades the contracts for which it chose, by contract.
    pub terms: Vec<LegTerms>,
    /// It has a long and a short position of each contract.
    pub hedge: bool,
}

/// What an account has in contracts' books.
#[derive(Debug, Default)]
pub(in crate::account) struct Legs {
    /// By contract and side.
    pub(super) legs: Vec<OwnLeg>,
    pub(super) orders: OwnOrders,
    /// Once it chose, or an order of it waited for a price.
    rare: Option<Box<Rare>>,
}

/// What few accounts have: apart, so that a position of the others takes less memory.
#[derive(Debug, Default)]
pub(super) struct Rare {
    /// By contract.
    pub(super) terms: Vec<LegTerms>,
    pub(super) hedge: bool,
    /// By id.
    pub(super) conditionals: Vec<OwnConditional>,
}

impl Rare {
    const NOTHING: &Rare = &Rare { terms: Vec::new(), hedge: false, conditionals: Vec::new() };
}

impl Legs {
    pub(super) fn rare(&self) -> &Rare {
        self.rare.as_deref().unwrap_or(Rare::NOTHING)
    }

    pub(super) fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    pub(in crate::account) fn hash(&self, h: WordHash) -> WordHash {
        let (Legs { legs, orders, .. }, Rare { terms, hedge, conditionals }) = (self, self.rare());
        let h = h.pair(legs.len() as u64, u64::from(*hedge));
        let h = legs.iter().fold(h, |h, own| own.leg.hash(own.units.hash(h).word(own.side as u64)));
        let h = h.pair(orders.digest(), orders.all().len() as u64);
        if terms.is_empty() && conditionals.is_empty() {
            // The lengths of both: nearly always this is all, and needs no memory.
            return h.word(hash_bytes(1, &[0, 0]));
        }
        let mut bytes = Vec::with_capacity(64);
        terms.put(&mut bytes);
        conditionals.put(&mut bytes);
        h.word(hash_bytes(1, &bytes))
    }
}

/// What waits for a price has its place in a state after all else.
impl Wire for Legs {
    fn put(&self, out: &mut Vec<u8>) {
        let Rare { terms, hedge, conditionals: _ } = self.rare();
        self.legs.put(out);
        self.orders.put(out);
        terms.put(out);
        hedge.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (legs, orders, terms, hedge) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
        let rare = Rare { terms, hedge, conditionals: Vec::new() };
        let rare = (hedge || !rare.terms.is_empty()).then(|| Box::new(rare));
        Ok(Legs { legs, orders, rare })
    }
}

impl Account {
    /// Its positions in contracts' books, by contract and side.
    #[must_use]
    pub fn legs(&self) -> &[OwnLeg] {
        self.legs.as_deref().map_or(&[], |legs| &legs.legs)
    }

    /// Its open orders in contracts' books, by id.
    #[must_use]
    pub fn book_orders(&self) -> &[ListedOrder] {
        self.legs.as_deref().map_or(&[], |legs| legs.orders.all())
    }

    /// Whether it has a long and a short position of each contract.
    #[must_use]
    pub fn is_hedged(&self) -> bool {
        self.legs.as_deref().is_some_and(|legs| legs.rare().hedge)
    }

    /// How it trades a contract, once it has chosen.
    #[must_use]
    pub fn leg_terms(&self, contract: MarketId) -> Option<LegTerms> {
        let legs = self.legs.as_deref()?;
        legs.rare().terms.iter().find(|terms| terms.contract == contract).copied()
    }

    /// How it trades a contract: as it has chosen, or with what everybody has at first.
    pub(super) fn terms_in(&self, contract: MarketId, face: &ContractFace, book: &BookParams) -> LegTerms {
        self.leg_terms(contract).unwrap_or_else(|| LegTerms::of_book(contract, face, book))
    }

    /// All of it.
    pub(in crate::account) fn legs_view(&self) -> Option<Box<LegsView>> {
        let own = self.legs.as_deref()?;
        let (Legs { legs, orders, .. }, Rare { terms, hedge, conditionals }) = (own, own.rare());
        let (legs, orders, terms) = (legs.clone(), orders.all().iter().map(|own| **own).collect(), terms.clone());
        Some(Box::new(LegsView { legs, orders, conditionals: conditionals.clone(), terms, hedge: *hedge }))
    }

    pub(in crate::account) fn decide_legs(&self, command: &LegCommand, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        match command {
            LegCommand::Place(wanted) => self.place_in_book(wanted, ctx),
            LegCommand::Quote(wanted) => self.quote_in_book(wanted, ctx),
            LegCommand::PlaceConditional(new) => self.place_conditional(new, ctx),
            LegCommand::Fire(order) => self.fire(*order, ctx),
            LegCommand::CancelConditionals(contract) => Ok(self.cancel_conditionals(*contract)),
            LegCommand::Cancel(name) => {
                if let Ok(own) = self.conditional(*name) {
                    let (contract, orders) = (own.units.contract, vec![own.waits.order]);
                    return Ok(self.ask_book(contract, WaitingCommand::Cancel(self.id, orders).into(), None));
                }
                let order = self.book_order(*name)?.rests.order;
                Ok(self.ask_book(order.market(), BookCommand::Cancel { account: self.id, orders: vec![order] }, None))
            }
            LegCommand::CancelAll(contract) => Ok(self.cancel_all_in_book(*contract)),
            LegCommand::Amend { order, lots } => self.amend_in_book(*order, *lots),
            LegCommand::SetTerms { contract, multiple, mode } => self.set_terms(*contract, (*multiple, *mode), ctx),
            LegCommand::SetHedge(hedge) => self.set_hedge(*hedge),
            LegCommand::Countdown { contract, after } => {
                ctx.board.contract(*contract).ok_or(Reject::UnknownMarket)?;
                Ok(self.ask_book(*contract, BookCommand::Countdown { account: self.id, after: *after }, None))
            }
            LegCommand::MoveMargin { contract, leg, amount } => self.move_margin(*contract, *leg, *amount, ctx),
        }
    }

    pub(super) fn ask_book(&self, contract: MarketId, command: BookCommand, hold: Option<HoldRequest>) -> Decision {
        let command = Command::Contract(contract, ContractCommand::Book(command));
        Decision::Ask(Box::new(Ask { command, hold }))
    }

    pub(super) fn book_order(&self, name: OrderName) -> Result<&OwnOrder, Reject> {
        let is_it = |o: &&OwnOrder| match name {
            OrderName::Id(id) => o.rests.order == id,
            OrderName::Client(client) => o.client_id == Some(client),
        };
        self.book_orders().iter().map(|listed| &**listed).find(is_it).ok_or(Reject::UnknownOrder)
    }

    /// Whether anything of a contract, or of any, is open or on its way.
    fn is_in_book(&self, contract: Option<MarketId>) -> bool {
        let is_it = |of: MarketId| contract.is_none_or(|contract| contract == of);
        let asked = |hold: &HoldRequest| matches!(hold.decider, EntityId::Contract(of) if is_it(of));
        self.legs().iter().any(|leg| is_it(leg.units.contract))
            || self.book_orders().iter().any(|o| is_it(o.units.contract))
            || self.conditionals().iter().any(|own| is_it(own.units.contract))
            || self.held_parts().any(asked)
    }

    fn cancel_all_in_book(&self, contract: MarketId) -> Decision {
        let own = self.book_orders().iter().filter(|o| o.units.contract == contract);
        let orders: Vec<OrderId> = own.map(|o| o.rests.order).collect();
        if orders.is_empty() {
            return Decision::Reply(Reply::Accepted(Accepted::Canceled(orders)));
        }
        self.ask_book(contract, BookCommand::Cancel { account: self.id, orders }, None)
    }

    fn amend_in_book(&self, name: OrderName, lots: Lots) -> Result<Decision, Reject> {
        self.may_act()?;
        let own = self.book_order(name)?;
        let order = own.rests.order;
        if lots <= own.filled || self.held_parts().any(|h| h.names.contains(order.0)) {
            return Err(Reject::BadAmendment);
        }
        // What was cut off it is no part of its quantity any more.
        let open = lots - own.filled;
        let hold = HoldRequest::of(EntityId::Contract(order.market()), Wallet::Futures, own.units.settle, Amount::ZERO);
        let change = (own.rests.open, open);
        let command = BookCommand::Amend { account: self.id, order, change };
        Ok(self.ask_book(order.market(), command, Some(hold.naming([order.0]))))
    }

    fn set_terms(
        &self,
        contract: MarketId,
        (multiple, mode): (Option<u16>, Option<MarginMode>),
        ctx: &Ctx<'_>,
    ) -> Result<Decision, Reject> {
        self.may_act()?;
        let face = ctx.board.contract(contract).ok_or(Reject::UnknownMarket)?;
        let (book, _) = face.book.as_ref().ok_or(Reject::UnknownMarket)?;
        let before = self.terms_in(contract, face, book);
        let (multiple, mode) = (multiple.unwrap_or(before.multiple), mode.unwrap_or(before.mode));
        if multiple == 0 || multiple > face.params.brackets.largest_multiple() {
            return Err(Reject::BadMultiple);
        }
        if self.leg_terms(contract) == Some(LegTerms { contract, multiple, mode }) {
            return Err(Reject::AlreadyExists);
        }
        if self.is_in_book(Some(contract)) {
            return Err(Reject::PositionOpen);
        }
        Ok(Decision::Fact(LegTermsSet { account: self.id, contract, multiple, mode }.into()))
    }

    fn set_hedge(&self, hedge: bool) -> Result<Decision, Reject> {
        self.may_act()?;
        if self.is_hedged() == hedge {
            return Err(Reject::AlreadyExists);
        }
        if self.is_in_book(None) {
            return Err(Reject::PositionOpen);
        }
        Ok(Decision::Fact(PositionModeSet { account: self.id, hedge }.into()))
    }

    fn move_margin(&self, contract: MarketId, leg: LegSide, amount: Amount, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.may_act()?;
        if amount.is_zero() || amount > MAX_AMOUNT || amount < -MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        let own = self.legs().iter().find(|own| own.units.contract == contract && own.side == leg);
        let own = own.ok_or(Reject::UnknownLeg)?;
        let settle = own.units.settle;
        self.may_add(settle, (contract, leg), own.leg.mode)?;
        let added = amount.max(Amount::ZERO);
        if added.is_positive() && self.may_leave(settle, ctx)? < added {
            return Err(Reject::InsufficientBalance);
        }
        let hold = HoldRequest::of(EntityId::Contract(contract), Wallet::Futures, settle, added);
        Ok(self.ask_book(contract, BookCommand::MoveMargin { account: self.id, leg, amount }, Some(hold)))
    }

    /// Refuses a name that an open order of a book, or one on its way, has.
    pub(super) fn check_book_name(&self, name: Option<ClientOrderId>) -> Result<(), Reject> {
        let Some(client) = name else { return Ok(()) };
        let on_way = self.held_parts().any(|h| h.names.contains(name_hash(name)));
        let name = OrderName::Client(client);
        if on_way || self.book_order(name).is_ok() || self.conditional(name).is_ok() {
            return Err(Reject::DuplicateClientOrderId);
        }
        Ok(())
    }

    /// An asset whose results wallet no cross position explains any more.
    #[inline]
    pub(in crate::account) fn unsettled(&self) -> Option<AssetId> {
        self.legs.as_ref()?;
        let idle = |settle| !self.has_cross_legs(settle) && self.cross_tickets(settle).next().is_none();
        // They stand by wallet, this one at the end: each fact asks, and most accounts have more of others.
        let wallets = self.balances().iter().rev().take_while(|b| b.wallet == Wallet::Pnl);
        let wallets = wallets.filter(|b| !b.available.is_zero());
        wallets.map(|b| b.asset).filter(|settle| idle(*settle)).last()
    }

    /// Settles results that no cross position explains any more.
    pub(in crate::account) fn settle_results(&self) -> Option<Decision> {
        let settle = self.unsettled()?;
        let results = self.balance(Wallet::Pnl, settle).available;
        // What is held for a decision that is still to come pays nothing else.
        let missing = -(results + self.free(Wallet::Futures, settle).max(Amount::ZERO));
        let deficit = missing.max(Amount::ZERO);
        Some(Decision::Fact(ResultsSettled { account: self.id, settle, results, deficit }.into()))
    }
}
