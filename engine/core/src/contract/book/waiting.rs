//! Orders of a contract's book that wait for a price.
//!
//! Owns: what such an order waits for, the checks when it is taken, the choice of the next one whose price came, and what it
//! becomes. Never does: say what an order needs; its account does when its price came. Invariants: a price that is reached
//! already is refused; a waiting order sets nothing aside; one order a decision; nothing is placed without a fresh index,
//! or while a jump of it waits.
//! Rules: `docs/rules/contracts.md "Conditional orders"`. Known limits: none.

use super::conditional_facts::ConditionalsChanged;
use super::order::{LegSide, NewBookOrder};
use super::{BookCommand, ContractBook, MAX_TICKS, Submit};
use crate::account::{AccountCommand, LegCommand};
use crate::codec::{DecodeError, Reader, Wire};
use crate::contract::Contract;
use crate::contract::params::ContractParams;
use crate::entity::{Ask, Command, Ctx, Decision};
use crate::ids::{AccountId, ClientOrderId, OrderId};
use crate::market::matching::MAX_MATCHES;
use crate::market::triggers::{Conditional, Triggers};
use crate::market::{EndReason, MarketState, OrderKind, Side, Stp, Tif, Trigger, TriggerKind};
use crate::money::{Amount, Lots, Ticks};
use crate::reject::Reject;
use std::ops::RangeInclusive;

/// Waiting orders of one account on one contract at most (the convention's MAX_NUM_ALGO_ORDERS).
pub const MAX_CONDITIONALS: usize = 10;
/// Least and most distance of a trailing order, in hundredths of a percent.
pub const CALLBACK_BIPS: RangeInclusive<u32> = 10..=1_000;

crate::wire_enum! {
    /// The price by which a conditional order goes.
    pub enum WorkingPrice {
        /// The mark.
        Mark = 1,
        /// The last trade.
        Last = 2,
    }
}

crate::wire_struct! {
    /// What an order waits for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Condition {
        /// By which price.
        pub working: WorkingPrice,
        /// The price that triggers. A trailing order is a take-profit: its price is where it begins to trail.
        pub trigger: Trigger,
        /// It closes the position as it is then; its quantity is 0 until that.
        pub close_position: bool,
    }
}

crate::wire_struct! {
    /// An order that waits.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct WaitingBookOrder {
        /// Its id, which it keeps.
        pub order: OrderId,
        /// Its owner.
        pub account: AccountId,
        /// Buy or sell.
        pub side: Side,
        /// Which position it is about.
        pub leg: LegSide,
        /// Limit or market, once its price came.
        pub kind: OrderKind,
        /// How long it lives from then on.
        pub tif: Tif,
        /// What happens then when it meets its owner's own order.
        pub stp: Stp,
        /// Limit price; 0 for market orders.
        pub ticks: Ticks,
        /// Quantity; 0 when it closes a position.
        pub lots: Lots,
        /// It only closes.
        pub reduce_only: bool,
        /// What it waits for.
        pub condition: Condition,
        /// The bot's own name for it.
        pub client_id: Option<ClientOrderId>,
    }
}

impl Conditional for WaitingBookOrder {
    fn order(&self) -> OrderId {
        self.order
    }
    fn side(&self) -> Side {
        self.side
    }
    fn trigger(&self) -> &Trigger {
        &self.condition.trigger
    }
}

/// A conditional order that is wanted. `versions` of the order are those that it was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewConditional {
    /// The order that it becomes.
    pub order: NewBookOrder,
    /// What it waits for.
    pub condition: Condition,
}

/// An order whose price came, with what its account says about it now.
#[derive(Debug, Clone)]
pub struct Fire {
    /// Whose.
    pub account: AccountId,
    /// Which.
    pub order: OrderId,
    /// The order, or why it cannot be one.
    pub submit: Result<Submit, Reject>,
}

/// The waiting orders of a book, by the price that each goes by.
#[derive(Debug, Default)]
pub struct Waiting {
    by_mark: Triggers<WaitingBookOrder>,
    by_last: Triggers<WaitingBookOrder>,
}

impl Waiting {
    /// True when none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_mark.is_empty() && self.by_last.is_empty()
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_mark.len() + self.by_last.len()
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, order: OrderId) -> Option<&WaitingBookOrder> {
        self.by_mark.get(order).or_else(|| self.by_last.get(order))
    }

    /// All: those that go by the mark first.
    pub fn all(&self) -> impl Iterator<Item = &WaitingBookOrder> {
        self.by_mark.all().chain(self.by_last.all())
    }

    /// The next ones whose price came: one that goes by the mark, and one that goes by the last trade.
    fn fired(&self) -> impl Iterator<Item = &WaitingBookOrder> {
        self.by_mark.fired().into_iter().chain(self.by_last.fired())
    }

    pub(super) fn remove(&mut self, order: OrderId) {
        let was = self.by_mark.remove(order).or_else(|| self.by_last.remove(order));
        was.expect("what a fact ends waits");
    }

    pub(super) fn insert(&mut self, order: WaitingBookOrder) {
        match order.condition.working {
            WorkingPrice::Mark => self.by_mark.insert(order, false),
            WorkingPrice::Last => self.by_last.insert(order, false),
        }
    }

    /// The mark is between these ticks now.
    pub(super) fn note_mark(&mut self, (floor, ceiling): (Ticks, Ticks)) {
        self.by_mark.note(floor, ceiling);
    }

    /// A trade was made at this price.
    pub(super) fn note_last(&mut self, ticks: Ticks) {
        self.by_last.note(ticks, ticks);
    }

    pub(super) fn digest(&self) -> u64 {
        self.by_mark.digest().wrapping_add(self.by_last.digest().rotate_left(7))
    }
}

impl Wire for Waiting {
    fn put(&self, out: &mut Vec<u8>) {
        self.by_mark.put(out);
        self.by_last.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Waiting { by_mark: Wire::get(r)?, by_last: Wire::get(r)? })
    }
}

/// Whether a price between these ticks has come to where an order triggers.
fn is_reached(side: Side, trigger: &Trigger, (floor, ceiling): (Ticks, Ticks)) -> bool {
    if trigger.rises(side) { floor >= trigger.ticks } else { ceiling <= trigger.ticks }
}

fn check_condition(wanted: &NewBookOrder, condition: &Condition) -> Result<(), Reject> {
    let Condition { trigger, close_position, .. } = condition;
    let trails = trigger.trail_bips > 0;
    let priced = trigger.ticks.0 > 0 || (trails && trigger.ticks.is_zero());
    let at_market = wanted.kind == OrderKind::Market;
    let alike = !trails || (trigger.kind == TriggerKind::TakeProfit && at_market);
    let waits_for_price = trigger.kind != TriggerKind::Open;
    if !waits_for_price
        || !priced
        || trigger.ticks.0 > MAX_TICKS
        || !alike
        || (trails && !CALLBACK_BIPS.contains(&trigger.trail_bips))
    {
        return Err(Reject::BadTrigger);
    }
    let closes = at_market && wanted.reduce_only && wanted.lots.is_zero() && !trails;
    if *close_position && !closes { Err(Reject::BadLegs) } else { Ok(()) }
}

/// The ticks between which a mark is.
pub(super) fn ticks_around(mark: Amount, params: &ContractParams) -> (Ticks, Ticks) {
    let (floor, between) = (mark.0.div_euclid(params.tick.0), mark.0.rem_euclid(params.tick.0) != 0);
    let of = |ticks: i128| Ticks(i64::try_from(ticks).unwrap_or(i64::MAX));
    (of(floor), of(floor + i128::from(between)))
}

impl Contract {
    /// An order that waits from now on, or why it does not.
    pub(super) fn wait(
        &self,
        params: &ContractParams,
        account: AccountId,
        new: &NewConditional,
        ctx: &Ctx<'_>,
    ) -> Result<ConditionalsChanged, Reject> {
        let book = self.book.as_deref().ok_or(Reject::NotAllowed)?;
        if self.state != MarketState::Trading {
            return Err(Reject::MarketClosed);
        }
        if !self.is_fresh(params, ctx.now) {
            return Err(Reject::PriceStale);
        }
        let NewConditional { order: wanted, mut condition } = *new;
        if wanted.versions != (params.version, book.params.version) {
            return Err(Reject::StaleTerms);
        }
        check_condition(&wanted, &condition)?;
        if !condition.close_position {
            book.check_shape(&wanted)?;
        }
        let now = match condition.working {
            WorkingPrice::Mark => Some(ticks_around(self.mark, params)),
            WorkingPrice::Last => Some((book.last, book.last)).filter(|_| !book.last.is_zero()),
        };
        let trigger = &mut condition.trigger;
        match now {
            // It trails from the price that is now.
            Some((floor, ceiling)) if trigger.ticks.is_zero() => {
                trigger.ticks = if trigger.rises(wanted.side) { floor } else { ceiling };
            }
            Some(now) if is_reached(wanted.side, trigger, now) => return Err(Reject::WouldTrigger),
            Some(_) | None => {}
        }
        let NewBookOrder { side, leg, kind, tif, stp, ticks, lots, reduce_only, client_id, .. } = wanted;
        let order = book.next_order(&params.book_units());
        let waits = WaitingBookOrder {
            order,
            account,
            side,
            leg,
            kind,
            tif,
            stp,
            ticks,
            lots,
            reduce_only,
            condition,
            client_id,
        };
        Ok(ConditionalsChanged { waits: Some(waits), ..book.conditionals(params, account) })
    }

    /// The account's waiting orders among these wait no more.
    pub(super) fn cancel_waiting(
        &self,
        params: &ContractParams,
        account: AccountId,
        orders: &[OrderId],
    ) -> Result<Decision, Reject> {
        let book = self.book.as_deref().ok_or(Reject::NotAllowed)?;
        let own = |id: &OrderId| book.waiting.get(*id).filter(|w| w.account == account).copied();
        let mut gone: Vec<WaitingBookOrder> = orders.iter().take(MAX_MATCHES).filter_map(own).collect();
        gone.sort_unstable_by_key(|w| w.order);
        gone.dedup_by_key(|w| w.order);
        if gone.is_empty() {
            return Err(Reject::OrderDone);
        }
        let reason = EndReason::User;
        Ok(Decision::Fact(ConditionalsChanged { gone, reason, ..book.conditionals(params, account) }.into()))
    }

    /// Whether an order's price came and it may be placed now.
    pub(in crate::contract) fn has_fired(&self) -> bool {
        let book = self.book.as_deref().filter(|_| self.state == MarketState::Trading);
        book.is_some_and(|book| book.waiting.fired().next().is_some())
    }

    /// Asks the owner of the next order whose price came.
    pub(in crate::contract) fn ask_fired(&self, params: &ContractParams, ctx: &Ctx<'_>) -> Option<Decision> {
        if !self.has_fired() || !self.is_fresh(params, ctx.now) || self.jumps {
            return None;
        }
        let fired = self.book.as_deref()?.waiting.fired().next()?;
        let command = Command::Account(fired.account, AccountCommand::Legs(LegCommand::Fire(fired.order)));
        Some(Decision::Ask(Box::new(Ask { command, hold: None })))
    }

    /// What an order whose price came becomes. A refusal here leaves it as it is: it is looked at again.
    pub(super) fn fire(&self, params: &ContractParams, fire: &Fire, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        let book = self.book.as_deref().ok_or(Reject::NotAllowed)?;
        if self.state != MarketState::Trading {
            return Err(Reject::MarketClosed);
        }
        if !self.is_fresh(params, ctx.now) || self.jumps {
            return Err(Reject::PriceStale);
        }
        let is_it = |w: &&WaitingBookOrder| (w.order, w.account) == (fire.order, fire.account);
        let gone = vec![*book.waiting.fired().find(is_it).ok_or(Reject::OrderDone)?];
        let none = book.conditionals(params, fire.account);
        let fact = match fire.submit.as_ref().map_err(|reject| *reject).and_then(|submit| self.place(params, submit)) {
            Ok(placed) => ConditionalsChanged { gone, update: placed.update, placed: Some(*placed), ..none },
            Err(Reject::StaleTerms) => return Err(Reject::StaleTerms),
            Err(reject) => ConditionalsChanged { gone, reason: EndReason::Refused, refused: Some(reject), ..none },
        };
        Ok(Decision::Fact(fact.into()))
    }

    pub(super) fn decide_waiting(
        &self,
        params: &ContractParams,
        command: &WaitingCommand,
        ctx: &Ctx<'_>,
    ) -> Result<Decision, Reject> {
        match command {
            WaitingCommand::Wait(account, new) => Ok(Decision::Fact(self.wait(params, *account, new, ctx)?.into())),
            WaitingCommand::Cancel(account, orders) => self.cancel_waiting(params, *account, orders),
            WaitingCommand::Fire(fire) => self.fire(params, fire, ctx),
        }
    }
}

/// What a contract can be asked about waiting orders.
#[derive(Debug, Clone)]
pub enum WaitingCommand {
    /// An account's order waits.
    Wait(AccountId, Box<NewConditional>),
    /// Take waiting orders out that the account says are its own.
    Cancel(AccountId, Vec<OrderId>),
    /// The account has looked at an order whose price came.
    Fire(Box<Fire>),
}

impl From<WaitingCommand> for BookCommand {
    fn from(command: WaitingCommand) -> BookCommand {
        BookCommand::Waiting(command)
    }
}

impl ContractBook {
    /// All waiting orders of an account wait no more; none when it has none.
    pub(super) fn cancel_all_waiting(
        &self,
        params: &ContractParams,
        account: AccountId,
    ) -> Option<ConditionalsChanged> {
        let own = self.waiting.all().filter(|w| w.account == account);
        let mut gone: Vec<WaitingBookOrder> = own.take(MAX_MATCHES).copied().collect();
        gone.sort_unstable_by_key(|w| w.order);
        let reason = EndReason::User;
        (!gone.is_empty()).then(|| ConditionalsChanged { gone, reason, ..self.conditionals(params, account) })
    }

    /// The fact that nothing changed yet, to which changes are added.
    fn conditionals(&self, params: &ContractParams, account: AccountId) -> ConditionalsChanged {
        ConditionalsChanged {
            units: params.book_units(),
            account,
            waits: None,
            gone: Vec::new(),
            placed: None,
            reason: EndReason::None,
            refused: None,
            update: self.update,
        }
    }
}
