//! A spot market: one pair, one book, continuous price-time matching.
//!
//! Owns: the book, the orders that wait for a price, the market's parameters and state, ids of its orders, trades and book
//! states.
//! Never does: know balances. It uses only the amount that the account holds, and records the whole settlement in one fact.
//! Invariants: bids and asks do not cross after a decision; ids only grow; the house has at most one quote per price level;
//! the market's timer places orders whose trigger was reached, one per decision.
//! Known limits: one house account quotes a market; a decision makes at most 1,024 trades.
//! Rules: `docs/rules/spot.md`; `docs/architecture.md "An order step by step"`.

mod amend;
pub mod conditional;
mod corporate_action;
mod evolve;
pub mod facts;
mod leaving;
pub mod lists;
mod locking;
mod market_state;
pub(crate) mod old_forms;
mod order;
pub mod order_group;
mod orders_changed;
pub mod params;
pub mod pending;
pub(crate) mod placed_form;
pub mod prevented_matches;
mod quoting;
mod rules;
mod session;
mod settlement;
mod triggered;

use crate::codec::{DecodeError, Reader, Wire, hash_bytes, mix64};
use crate::entity::{Applied, CommandClass, Ctx, Deadline, Decision, Entity, TimeNs, check_version, save_versioned};
use crate::ids::{AccountId, ClientOrderId, EntityId, MarketId, OrderId, TradeId, UpdateId};
use crate::market::book::{Book, Iceberg, Resting};
use crate::market::matching;
use crate::market::triggers::Triggers;
pub use crate::market::{
    EndReason, LevelFees, MarketState, OrderKind, OrderStatus, Side, StateReason, Stp, Tif, Trigger, TriggerKind,
};
use crate::money::{Amount, Lots, Ticks};
use crate::record::{Fact, Role};
use crate::reject::Reject;
use crate::stock::ActionKind;
use facts::{CanceledOrder, MarketListed, MarketParamsChanged, OrdersCanceled, TradeIdsReserved, WaitingOrder};
use lists::Lists;
use old_forms::MarketParamsV1;
pub use order::{GroupAck, Leg, ListKind, NewOrder, OrderAck, OrderGroup, QuoteLevel, Replaced, Terms};
pub use params::MarketParams;
use rules::Asker;
pub use rules::{MAX_PARTS, fits};
use session::StockState;
use std::collections::BTreeMap;

/// What a market can be asked.
#[derive(Debug, Clone)]
pub enum MarketCommand {
    /// Create the market.
    List(Box<MarketParams>),
    /// Change its parameters, by whoever knows the version in force; ticks and lots only while it has no order.
    ChangeParams(Box<MarketParams>),
    /// An operator opens or closes it.
    SetState(MarketState),
    /// An account's order; the account holds what it needs.
    Submit {
        /// The order.
        order: NewOrder,
        /// Whose.
        account: AccountId,
        /// VIP level.
        level: u8,
        /// What is held for it.
        held: Amount,
        /// Orders that the account has open here, this one not counted.
        open: u32,
    },
    /// Take orders out that the account says are its own.
    Cancel {
        /// Whose.
        account: AccountId,
        /// Which.
        orders: Vec<OrderId>,
    },
    /// An account's orders that are more than a plain one.
    PlaceGroup {
        /// What is wanted.
        group: Box<OrderGroup>,
        /// Whose.
        account: AccountId,
        /// VIP level.
        level: u8,
        /// What is held for it.
        held: Amount,
        /// Orders that the account has open here, these not counted.
        open: u32,
        /// How many of them wait for a price.
        waiting: u32,
    },
    /// Say what the pending orders of a list whose first order is filled need, if they can be placed now; the question goes
    /// back to their owner.
    Due {
        /// Whose.
        account: AccountId,
        /// The list.
        list: OrderId,
    },
    /// Place them.
    Activate {
        /// Whose.
        account: AccountId,
        /// VIP level.
        level: u8,
        /// The list.
        list: OrderId,
        /// What is held for them.
        held: Amount,
        /// The account has less than was asked for.
        short: bool,
    },
    /// Make an order smaller.
    Amend {
        /// Whose.
        account: AccountId,
        /// Which.
        order: OrderId,
        /// Its whole quantity from now on.
        lots: Lots,
        /// What it loses.
        cut: Lots,
        /// Its name from now on.
        client_id: Option<ClientOrderId>,
    },
    /// The ladder that the house wants; it holds what the ladder needs beyond what the standing quotes lock.
    Quote {
        /// The house.
        account: AccountId,
        /// VIP level.
        level: u8,
        /// All its levels.
        levels: Vec<QuoteLevel>,
        /// Held base and quote.
        held: (Amount, Amount),
        /// Version of the parameters that were used.
        version: u32,
    },
    /// Begin a corporate action of a stock (configuration and operators only).
    SetAction {
        /// Its number: more than that of the last one.
        id: u32,
        /// What it is.
        kind: ActionKind,
    },
    /// Set trade ids apart for the reference tape.
    ReserveTradeIds(u32),
    /// A deadline passed.
    Timer,
    /// The process starts again.
    Recovered,
}

/// The state of one market.
#[derive(Debug)]
pub struct Market {
    id: MarketId,
    params: Option<MarketParams>,
    state: MarketState,
    reason: StateReason,
    book: Book,
    quotes: BTreeMap<(Side, Ticks), OrderId>,
    house: AccountId,
    triggers: Triggers<WaitingOrder>,
    lists: Lists,
    orders: u64,
    trades: u64,
    update: UpdateId,
    last: Ticks,
    /// The latest price of all: of the last trade or of the index.
    seen: Ticks,
    index: Amount,
    index_time: TimeNs,
    /// Of stocks.
    stock: Option<Box<StockState>>,
}

impl Market {
    /// Its parameters, once listed.
    #[must_use]
    pub fn params(&self) -> Option<&MarketParams> {
        self.params.as_ref()
    }

    /// Its state and why.
    #[must_use]
    pub fn state(&self) -> (MarketState, StateReason) {
        (self.state, self.reason)
    }

    /// Its book and the book's update id.
    #[must_use]
    pub fn book(&self) -> (&Book, UpdateId) {
        (&self.book, self.update)
    }

    /// Price of the last trade; 0 before the first.
    #[must_use]
    pub fn last(&self) -> Ticks {
        self.last
    }

    /// Its orders that wait for a price.
    #[must_use]
    pub fn triggers(&self) -> &Triggers<WaitingOrder> {
        &self.triggers
    }

    /// Which of its orders depend on each other.
    #[must_use]
    pub fn lists(&self) -> &Lists {
        &self.lists
    }

    /// The latest price of all, by which triggers go: of the last trade or of the index; 0 before the first.
    #[must_use]
    pub fn seen(&self) -> Ticks {
        self.seen
    }

    /// The latest price of its index and its time; after a split the one before it in new shares.
    #[must_use]
    pub fn index(&self) -> Option<(Amount, TimeNs)> {
        (self.index_time > 0).then_some((self.index, self.index_time))
    }

    /// The house's resting quotes.
    pub fn quotes(&self) -> impl Iterator<Item = Resting> {
        self.quotes.values().map(|order| self.book.get(*order).expect("a quote rests"))
    }

    fn next_order(&self) -> OrderId {
        OrderId::of(self.id, self.orders + 1)
    }

    fn next_trade(&self) -> TradeId {
        TradeId::of(self.id, self.trades + 1)
    }

    fn next_update(&self) -> UpdateId {
        UpdateId(self.update.0 + 1)
    }

    fn decide_listed(&self, p: &MarketParams, command: &MarketCommand, ctx: &Ctx<'_>) -> Decision {
        if self.stock.is_some()
            && let Some(decision) = self.at_session(p, command, ctx.now)
        {
            return decision;
        }
        match command {
            MarketCommand::List(_) => Decision::Reject(Reject::AlreadyExists),
            MarketCommand::ChangeParams(new) => self.change_params(p, new),
            MarketCommand::SetState(state) if *state == self.state && self.reason == StateReason::Operator => {
                Decision::Reject(Reject::AlreadyExists)
            }
            // An operator's "open" hands the market back to its price and quotes, if it needs them.
            MarketCommand::SetState(MarketState::Trading) => {
                let (state, reason) = p.first_state();
                if (state, reason) == (self.state, self.reason) {
                    return Decision::Reject(Reject::AlreadyExists);
                }
                Decision::Fact(self.state_change(p, state, reason))
            }
            // Two people let it go on first.
            MarketCommand::SetState(MarketState::CancelOnly) if self.state == MarketState::Halt => {
                Decision::Reject(Reject::NotAllowed)
            }
            MarketCommand::SetState(state) => Decision::Fact(self.state_change(p, *state, StateReason::Operator)),
            MarketCommand::Submit { order, account, level, held, open } => {
                let asker = Asker { account: *account, level: *level, held: *held, open: *open };
                match rules::place(self, p, order, &asker, None) {
                    Ok(fact) => Decision::Fact(fact.into()),
                    Err(reject) => Decision::Reject(reject),
                }
            }
            MarketCommand::Cancel { account, orders } => self.cancel(p, *account, orders),
            MarketCommand::PlaceGroup { group, account, level, held, open, waiting } => {
                let asker = Asker { account: *account, level: *level, held: *held, open: *open };
                order_group::place_group(self, p, group, &asker, *waiting)
            }
            MarketCommand::Due { account, list } => pending::need(self, p, *account, *list),
            MarketCommand::Activate { account, level, list, held, short } => {
                // They were counted among the open ones when they were taken.
                let asker = Asker { account: *account, level: *level, held: *held, open: 0 };
                pending::activate(self, p, *list, &asker, *short)
            }
            MarketCommand::Amend { account, order, lots, cut, client_id } => {
                amend::amend(self, p, *account, *order, (*lots, *cut), *client_id)
            }
            MarketCommand::Quote { account, level, levels, held, version } => {
                if *version != p.version {
                    return Decision::Reject(Reject::StaleTerms);
                }
                quoting::quote(self, p, *account, *level, levels, *held, ctx.now)
            }
            MarketCommand::SetAction { id, kind } => {
                corporate_action::announce(self, p, *id, *kind, ctx.now).unwrap_or_else(Decision::Reject)
            }
            MarketCommand::ReserveTradeIds(count) => {
                if *count == 0 || *count > 65_536 {
                    return Decision::Reject(Reject::BadAmount);
                }
                let (market, first) = (self.id, self.next_trade());
                Decision::Fact(TradeIdsReserved { market, first, count: *count }.into())
            }
            MarketCommand::Timer => self.timer_due(p, ctx.now),
            MarketCommand::Recovered if self.state == MarketState::Trading && p.stale_after_ms > 0 => {
                Decision::Fact(self.state_change(p, MarketState::CancelOnly, StateReason::Recovery))
            }
            MarketCommand::Recovered => Decision::Nothing,
        }
    }

    fn change_params(&self, p: &MarketParams, new: &MarketParams) -> Decision {
        let same_units = new.tick == p.tick && new.step == p.step;
        let calendar = |p: &MarketParams| p.stock.map(|stock| stock.calendar);
        let same_pair = new.base == p.base && new.quote == p.quote && new.market == p.market;
        let same_pair = same_pair && calendar(new) == calendar(p);
        if new.check().is_err() || !same_pair {
            return Decision::Reject(Reject::BadParameters);
        }
        // Whoever did not hear that it was done asks again.
        let is_done =
            new.version.wrapping_add(1) == p.version && MarketParams { version: p.version, ..new.clone() } == *p;
        if new == p || is_done {
            return Decision::Reject(Reject::AlreadyExists);
        }
        // Whoever read an older version has not seen what changes.
        if new.version != p.version {
            return Decision::Reject(Reject::StaleTerms);
        }
        if !same_units && !self.has_no_orders() {
            return Decision::Reject(Reject::OrdersOpen);
        }
        let params = MarketParams { version: p.version + 1, ..new.clone() };
        Decision::Fact(MarketParamsChanged { params }.into())
    }

    fn has_no_orders(&self) -> bool {
        self.book.is_empty() && self.triggers.is_empty() && self.lists.is_empty() && self.queue().next().is_none()
    }

    fn is_plain(&self, order: OrderId) -> bool {
        let queued = self.stock.as_ref().is_some_and(|stock| stock.queued(order).is_some());
        !queued && self.triggers.get(order).is_none() && !self.lists.has(order) && self.book.iceberg(order).is_none()
    }

    fn cancel(&self, p: &MarketParams, account: AccountId, orders: &[OrderId]) -> Decision {
        let nothing_waits = self.triggers.is_empty() && self.lists.is_empty() && self.queue().next().is_none();
        let plain = nothing_waits && !self.book.has_icebergs() || orders.iter().all(|id| self.is_plain(*id));
        if !plain {
            return leaving::cancel(self, p, account, orders);
        }
        let live: Vec<CanceledOrder> = orders
            .iter()
            .take(matching::MAX_MATCHES)
            .filter_map(|id| self.book.get(*id))
            .filter(|r| r.account == account && !r.quote)
            .map(|r| CanceledOrder { order: r.order, account, side: r.side, ticks: r.ticks, lots: r.lots })
            .collect();
        if live.is_empty() {
            return Decision::Reject(Reject::OrderDone);
        }
        Decision::Fact(Fact::from(OrdersCanceled {
            units: p.units(),
            orders: live,
            reason: EndReason::User,
            update: self.next_update(),
        }))
    }
}

const STATE_VERSION: u8 = 4;

impl Entity for Market {
    type Id = MarketId;
    type Command = MarketCommand;

    const NAME: &'static str = "market";
    const MESSAGES: &'static [&'static str] = &[
        "list",
        "change_params",
        "set_state",
        "submit",
        "cancel",
        "quote",
        "reserve_trade_ids",
        "timer",
        "recovered",
        "place_group",
        "amend",
        "activate",
        "due",
        "set_action",
    ];

    fn message(command: &MarketCommand) -> usize {
        match command {
            MarketCommand::List(_) => 0,
            MarketCommand::ChangeParams(_) => 1,
            MarketCommand::SetState(_) => 2,
            MarketCommand::Submit { .. } => 3,
            MarketCommand::Cancel { .. } => 4,
            MarketCommand::Quote { .. } => 5,
            MarketCommand::ReserveTradeIds(_) => 6,
            MarketCommand::Timer => 7,
            MarketCommand::Recovered => 8,
            MarketCommand::PlaceGroup { .. } => 9,
            MarketCommand::Amend { .. } => 10,
            MarketCommand::Activate { .. } => 11,
            MarketCommand::Due { .. } => 12,
            MarketCommand::SetAction { .. } => 13,
        }
    }

    fn blank(id: MarketId) -> Market {
        Market {
            id,
            params: None,
            state: MarketState::Halt,
            reason: StateReason::Listed,
            book: Book::default(),
            quotes: BTreeMap::new(),
            house: AccountId::HOUSE,
            triggers: Triggers::default(),
            lists: Lists::default(),
            orders: 0,
            trades: 0,
            update: UpdateId(0),
            last: Ticks::ZERO,
            seen: Ticks::ZERO,
            index: Amount::ZERO,
            index_time: 0,
            stock: None,
        }
    }

    fn decide(&self, command: &MarketCommand, ctx: &Ctx<'_>) -> Decision {
        match (command, &self.params) {
            (_, Some(p)) => self.decide_listed(p, command, ctx),
            (MarketCommand::List(params), None) => match params.check() {
                Ok(()) if params.market == self.id => {
                    Decision::Fact(MarketListed { params: (**params).clone() }.into())
                }
                _ => Decision::Reject(Reject::BadParameters),
            },
            (MarketCommand::Timer | MarketCommand::Recovered, None) => Decision::Nothing,
            (_, None) => Decision::Reject(Reject::UnknownMarket),
        }
    }

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        self.follow(applied.record);
    }

    fn deadline(&self) -> Option<Deadline> {
        self.next_deadline()
    }

    fn timer() -> Option<MarketCommand> {
        Some(MarketCommand::Timer)
    }

    fn recovered() -> Option<MarketCommand> {
        Some(MarketCommand::Recovered)
    }

    /// Its state and its parameters: two people decide about both.
    fn is_for_staff(command: &MarketCommand) -> bool {
        matches!(command, MarketCommand::SetState(_) | MarketCommand::ChangeParams(_))
    }

    fn class(command: &MarketCommand) -> CommandClass {
        match command {
            MarketCommand::Cancel { .. } => CommandClass::Releases,
            // What protects goes on when little room is left.
            MarketCommand::SetState(MarketState::Halt | MarketState::CancelOnly) => CommandClass::Releases,
            MarketCommand::List(_)
            | MarketCommand::ChangeParams(_)
            | MarketCommand::SetState(MarketState::Trading)
            | MarketCommand::Submit { .. }
            | MarketCommand::PlaceGroup { .. }
            | MarketCommand::Amend { .. }
            | MarketCommand::Due { .. }
            | MarketCommand::Activate { .. }
            | MarketCommand::Quote { .. }
            | MarketCommand::SetAction { .. }
            | MarketCommand::ReserveTradeIds(_)
            | MarketCommand::Timer
            | MarketCommand::Recovered => CommandClass::Consumes,
        }
    }

    fn likely_parties(&self, command: &MarketCommand, tell: &mut impl FnMut(EntityId)) {
        let MarketCommand::Submit { order, .. } = command else { return };
        let first = self.book.first(order.side.opposite()).filter(|(ticks, _)| rules::meets(order, *ticks));
        first.into_iter().for_each(|(_, account)| tell(EntityId::Account(account)));
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(256);
        self.params.put(&mut bytes);
        // Without the byte that says "no stocks": hashes in old journals are of markets before there were any.
        if self.params.as_ref().is_some_and(|p| p.stock.is_none()) {
            bytes.pop();
        }
        self.save_counters(&mut bytes);
        // Without `seen`: a snapshot from before it existed does not tell it, and no record follows from it alone.
        let stock = self.stock.as_ref().map_or(0, |stock| stock.digest());
        let waiting = self.triggers.digest() ^ self.lists.digest().rotate_left(1) ^ stock;
        mix64(hash_bytes(u64::from(self.id.0) ^ waiting, &bytes)).wrapping_add(self.book.digest())
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.params.put(out);
            self.save_counters(out);
            self.book.put(out);
            self.book.icebergs().collect::<Vec<(OrderId, Iceberg)>>().put(out);
            self.triggers.put(out);
            self.lists.put_pairs(out);
            self.seen.put(out);
            self.lists.put_all_pending(out);
            out.push(u8::from(self.stock.is_some()));
            self.stock.iter().for_each(|stock| stock.put(out));
        });
    }

    fn load(id: MarketId, r: &mut Reader<'_>) -> Result<Market, DecodeError> {
        let version = check_version(r, STATE_VERSION, "market state version")?;
        let mut market = Market {
            id,
            params: if version > 3 { Wire::get(r)? } else { Option::<MarketParamsV1>::get(r)?.map(MarketParams::from) },
            state: Wire::get(r)?,
            reason: Wire::get(r)?,
            house: Wire::get(r)?,
            orders: Wire::get(r)?,
            trades: Wire::get(r)?,
            update: Wire::get(r)?,
            last: Wire::get(r)?,
            index: Wire::get(r)?,
            index_time: Wire::get(r)?,
            book: Wire::get(r)?,
            quotes: BTreeMap::new(),
            triggers: Triggers::default(),
            lists: Lists::default(),
            seen: Ticks::ZERO,
            stock: None,
        };
        if version > 1 {
            for (order, iceberg) in Vec::<(OrderId, Iceberg)>::get(r)? {
                market.book.get(order).ok_or(DecodeError::Range("iceberg"))?;
                market.book.hide(order, iceberg);
            }
            (market.triggers, market.lists, market.seen) = (Wire::get(r)?, Lists::get_pairs(r)?, Wire::get(r)?);
        } else {
            market.seen = market.last;
        }
        if version > 2 {
            market.lists.get_all_pending(r)?;
        }
        if version > 3 {
            market.stock = Option::<StockState>::get(r)?.map(Box::new);
        }
        let quotes = market.book.all().filter(|q| q.quote).map(|q| ((q.side, q.ticks), q.order)).collect();
        market.quotes = quotes;
        Ok(market)
    }
}

impl Market {
    fn save_counters(&self, out: &mut Vec<u8>) {
        self.state.put(out);
        self.reason.put(out);
        self.house.put(out);
        self.orders.put(out);
        self.trades.put(out);
        self.update.put(out);
        self.last.put(out);
        self.index.put(out);
        self.index_time.put(out);
    }
}
