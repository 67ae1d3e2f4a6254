//! A stock's market over its sessions: when it takes orders, those that wait for its open, those of a day, pauses.
//!
//! Owns: phase, queue, orders of the day, the window of moves, and what a corporate action needs (`corporate_action.rs` decides).
//! Never does: know a calendar; it hears of phases. Invariants: nothing is matched outside of a session, in a pause, or while
//! an action is under way, however late timers are; while orders of the queue are left, new ones join them; an order of
//! the day is in `day` as long as it is open, or in `over` once its day is over. Rules: `docs/rules/stocks.md`.
//! Known limits: no auctions; a queued order cannot be amended.

use super::conditional;
use super::facts::{OrdersCanceled, OrdersChanged, WaitingOrder};
use super::params::MarketParams;
use super::rules::{self, Asker};
use super::{EndReason, Market, MarketCommand, NewOrder, OrderKind, Tif, Trigger, TriggerKind, corporate_action};
use crate::codec::{DecodeError, Reader, Wire, hash_bytes, mix64};
use crate::entity::{Decision, TimeNs};
use crate::hashed::Numbers;
use crate::ids::{AccountId, OrderId};
use crate::market::{MarketState, StateReason};
use crate::money::{Amount, Lots, Ticks};
use crate::record::Fact;
use crate::reject::Reject;
use crate::spot::facts::CanceledOrder;
use crate::stock::StockTerms;
use crate::stock::calendar::{Phase, SessionPhase};
use corporate_action::UnderWay;
use std::collections::{BTreeMap, VecDeque};

/// Orders that leave in one record at most.
pub(super) const CHUNK: usize = 256;
/// The window of moves is kept in so many parts.
const PARTS: u64 = 30;
const MS_NS: u64 = 1_000_000;
const PPM: i128 = 1_000_000;

crate::wire_struct! {
    /// Lowest and highest index of a part of the window.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Moves {
        /// Which part, counted from the epoch.
        pub part: u64,
        /// Lowest.
        pub low: Amount,
        /// Highest.
        pub high: Amount,
    }
}

/// What a stock's market has beyond a spot market's.
#[derive(Debug)]
pub(super) struct StockState {
    pub(super) phase: Phase,
    queue: BTreeMap<OrderId, WaitingOrder>,
    day: Numbers,
    over: Numbers,
    moves: VecDeque<Moves>,
    paused_until: TimeNs,
    /// Accounts that may hold the stock.
    pub(super) holders: Numbers,
    pub(super) action: Option<UnderWay>,
    /// Number of the last action that was set.
    pub(super) last_action: u32,
}

impl Default for StockState {
    fn default() -> StockState {
        StockState {
            phase: Phase { phase: SessionPhase::Closed, until: 0 },
            queue: BTreeMap::new(),
            day: Numbers::default(),
            over: Numbers::default(),
            moves: VecDeque::new(),
            paused_until: 0,
            holders: Numbers::default(),
            action: None,
            last_action: 0,
        }
    }
}

impl StockState {
    /// Orders are matched now. Those whose day is over are gone before.
    fn trades(&self, now: TimeNs) -> bool {
        let open = self.phase.phase == SessionPhase::Open && now < self.phase.until;
        open && now >= self.paused_until && self.action.is_none() && self.over.is_empty()
    }

    /// A session is under way, whether its market was told already or will be.
    pub(super) fn in_session(&self, now: TimeNs) -> bool {
        let Phase { phase, until } = self.phase;
        phase == SessionPhase::Open || until > 0 && now >= until
    }

    /// A day is over when its venue closes, not when one that is closed is said to be so again. Moves over a closed time do not
    /// count.
    pub(super) fn hear(&mut self, phase: Phase) {
        let was = std::mem::replace(&mut self.phase, phase);
        if phase.phase == SessionPhase::Open && was.phase != SessionPhase::Open {
            self.moves.clear();
        }
        if phase.phase == SessionPhase::Closed && was.phase != SessionPhase::Closed {
            for number in std::mem::take(&mut self.day).iter() {
                self.over.insert(number);
            }
        }
    }

    /// An account may hold the stock from now on. While an action is in force, who comes to hold it goes through it, too.
    pub(super) fn held_by(&mut self, account: AccountId) {
        let is_new = self.holders.insert(account.0);
        if let Some(under_way) = &mut self.action {
            under_way.granted(account, is_new);
        }
    }

    /// Orders that wait for the open.
    pub(super) fn queue(&self) -> impl Iterator<Item = &WaitingOrder> {
        self.queue.values()
    }

    pub(super) fn queued(&self, order: OrderId) -> Option<&WaitingOrder> {
        self.queue.get(&order)
    }

    pub(super) fn enqueue(&mut self, order: WaitingOrder) {
        self.queue.insert(order.order, order);
    }

    pub(super) fn dequeue(&mut self, order: OrderId) -> bool {
        self.queue.remove(&order).is_some()
    }

    /// An order is open from now on.
    pub(super) fn opened(&mut self, order: OrderId, tif: Tif) {
        if tif == Tif::Day {
            self.day.insert(order.0);
        }
    }

    /// An order is not open any more.
    pub(super) fn ended(&mut self, order: OrderId) {
        self.day.remove(order.0);
        self.over.remove(order.0);
    }

    /// Notes a tick of the index; a move that is too large pauses trading.
    pub(super) fn note(&mut self, terms: &StockTerms, time: TimeNs, index: Amount) {
        // Out of a session a move pauses nothing.
        if self.phase.phase != SessionPhase::Open || time < self.paused_until {
            return;
        }
        let window = u64::from(terms.pause_window_ms) * MS_NS;
        let part = time / (window / PARTS).max(1);
        while self.moves.front().is_some_and(|first| first.part + PARTS < part) {
            self.moves.pop_front();
        }
        match self.moves.back_mut() {
            Some(last) if last.part == part => {
                (last.low, last.high) = (last.low.min(index), last.high.max(index));
            }
            _ => self.moves.push_back(Moves { part, low: index, high: index }),
        }
        let far = |from: Amount| (index - from).0.abs() * PPM >= from.0 * i128::from(terms.pause_ppm);
        if self.moves.iter().any(|m| far(m.low) || far(m.high)) {
            self.paused_until = time + u64::from(terms.pause_ms) * MS_NS;
            self.moves.clear();
        }
    }

    /// After a split prices are others.
    pub(super) fn forget_moves(&mut self) {
        self.moves.clear();
    }

    /// When it must be looked at, if the market's other deadlines are `other`.
    pub(super) fn deadline(&self, market: &Market, other: Option<TimeNs>) -> Option<TimeNs> {
        let trading = market.state == MarketState::Trading;
        let paused = self.paused_until > market.index_time;
        let stops = self.phase.phase != SessionPhase::Open || paused || self.action.is_some();
        if !self.over.is_empty() || self.action.is_some() || trading && (stops || !self.queue.is_empty()) {
            return Some(0);
        }
        if trading {
            return Some(other.map_or(self.phase.until, |other| other.min(self.phase.until)));
        }
        // It opens when the session has begun and a pause is over; one that needs no index has no other deadline.
        let by_itself = |p: &MarketParams| p.stale_after_ms == 0 && !p.house_quoted && market.waits_to_open();
        let other = other.or_else(|| market.params.as_ref().filter(|p| by_itself(p)).map(|_| 0));
        other.filter(|_| self.phase.phase == SessionPhase::Open).map(|other| other.max(self.paused_until))
    }

    pub(super) fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(256);
        self.put_small(&mut bytes);
        self.action.as_ref().map(UnderWay::digest).put(&mut bytes);
        let queue = self.queue.keys().fold(0, |all: u64, order| all.wrapping_add(mix64(!order.0)));
        let sets = [&self.day, &self.over, &self.holders].map(Numbers::digest);
        sets.iter().fold(hash_bytes(queue, &bytes), |all, set| mix64(all ^ set))
    }

    fn put_small(&self, out: &mut Vec<u8>) {
        self.phase.phase.put(out);
        self.phase.until.put(out);
        self.moves.iter().copied().collect::<Vec<Moves>>().put(out);
        self.paused_until.put(out);
        self.last_action.put(out);
    }
}

impl Wire for StockState {
    fn put(&self, out: &mut Vec<u8>) {
        self.put_small(out);
        self.action.put(out);
        self.queue.values().cloned().collect::<Vec<WaitingOrder>>().put(out);
        self.day.put(out);
        self.over.put(out);
        self.holders.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let phase = Phase { phase: Wire::get(r)?, until: Wire::get(r)? };
        let (moves, paused_until) = (Vec::<Moves>::get(r)?.into(), Wire::get(r)?);
        let (last_action, action) = (Wire::get(r)?, Wire::get(r)?);
        let queue = Vec::<WaitingOrder>::get(r)?.into_iter().map(|order| (order.order, order)).collect();
        let (day, over, holders) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
        Ok(StockState { phase, queue, day, over, moves, paused_until, holders, action, last_action })
    }
}

impl Market {
    /// Made when it is needed: facts may name a market of stocks before it is listed.
    pub(super) fn stock_mut(&mut self) -> &mut StockState {
        assert!(self.id.is_stock(), "market {} is not one of stocks", self.id);
        self.stock.get_or_insert_default()
    }

    /// Orders that wait for the open, by age.
    pub fn queue(&self) -> impl Iterator<Item = &WaitingOrder> {
        self.stock.iter().flat_map(|stock| stock.queue())
    }

    /// The number of the corporate action that is under way.
    #[must_use]
    pub fn action_under_way(&self) -> Option<u32> {
        self.stock.as_ref()?.action.as_ref().map(UnderWay::id)
    }

    /// The number of the last corporate action of a stock, and whether it is under way; none before the first.
    #[must_use]
    pub fn last_action(&self) -> Option<(u32, bool)> {
        let set = self.stock.as_ref().map(|stock| (stock.last_action, false)).filter(|(id, _)| *id > 0);
        self.action_under_way().map(|id| (id, true)).or(set)
    }

    /// What a market of stocks does with a command before anything else is looked at; none lets it through.
    #[cold]
    pub(super) fn at_session(&self, p: &MarketParams, command: &MarketCommand, now: TimeNs) -> Option<Decision> {
        let stock = self.stock.as_deref()?;
        let closed = Decision::Reject(Reject::MarketClosed);
        match command {
            MarketCommand::Submit { order, account, level, held, open } => {
                let asker = Asker { account: *account, level: *level, held: *held, open: *open };
                let trades = stock.trades(now);
                let queues = if trades {
                    !stock.queue.is_empty() && (self.state == MarketState::Trading || self.waits_to_open())
                } else {
                    self.takes_into_queue(p, stock)
                };
                match (queues, trades) {
                    (true, _) => Some(enqueue(self, p, order, &asker).unwrap_or_else(Decision::Reject)),
                    (false, true) => None,
                    (false, false) => Some(closed),
                }
            }
            MarketCommand::Amend { order, .. } if stock.queued(*order).is_some() => {
                Some(Decision::Reject(Reject::BadAmendment))
            }
            // While orders of the queue are left, what is more than a plain order would pass them.
            MarketCommand::PlaceGroup { .. } | MarketCommand::Due { .. } | MarketCommand::Activate { .. }
                if !stock.queue.is_empty() =>
            {
                Some(closed)
            }
            MarketCommand::PlaceGroup { .. }
            | MarketCommand::Amend { .. }
            | MarketCommand::Due { .. }
            | MarketCommand::Activate { .. }
            | MarketCommand::Quote { .. } => (!stock.trades(now)).then_some(closed),
            MarketCommand::List(_)
            | MarketCommand::ChangeParams(_)
            | MarketCommand::SetState(_)
            | MarketCommand::SetAction { .. }
            | MarketCommand::Cancel { .. }
            | MarketCommand::ReserveTradeIds(_)
            | MarketCommand::Timer
            | MarketCommand::Recovered => None,
        }
    }

    fn takes_into_queue(&self, p: &MarketParams, stock: &StockState) -> bool {
        let queues = p.stock.is_some_and(|terms| terms.queues);
        queues && stock.phase.phase != SessionPhase::Open && stock.action.is_none() && self.waits_to_open()
    }

    /// The timer's work on a market of stocks: it closes, orders of the day leave, an action goes on.
    #[cold]
    pub(super) fn session_due(&self, p: &MarketParams, now: TimeNs) -> Option<Decision> {
        let stock = self.stock.as_deref()?;
        if self.state == MarketState::Trading && !stock.trades(now) {
            let in_session = stock.phase.phase == SessionPhase::Open && now < stock.phase.until;
            let reason = match (&stock.action, in_session && now < stock.paused_until) {
                (Some(_), _) => StateReason::Action,
                (None, true) => StateReason::Pause,
                (None, false) => StateReason::Session,
            };
            return Some(Decision::Fact(self.state_change(p, MarketState::CancelOnly, reason)));
        }
        if let Some(order) = stock.over.first() {
            let orders = stock.over.iter().map(OrderId);
            return self.leave(p, OrderId(order), orders, EndReason::SessionEnd).map(Decision::Fact);
        }
        corporate_action::due(self, p, stock)
    }

    /// The order of the queue whose turn it is.
    pub(super) fn next_queued(&self, now: TimeNs) -> Option<&WaitingOrder> {
        let stock = self.stock.as_deref().filter(|stock| stock.trades(now))?;
        stock.queue.values().next().filter(|_| self.state == MarketState::Trading)
    }

    /// Whether its session lets it open.
    pub(super) fn session_lets_open(&self, now: TimeNs) -> bool {
        self.stock.as_deref().is_none_or(|stock| stock.trades(now))
    }

    /// The fact that orders leave by themselves: `first` with those of its list, or as many of `orders` as are plain.
    pub(super) fn leave(
        &self,
        p: &MarketParams,
        first: OrderId,
        orders: impl Iterator<Item = OrderId>,
        reason: EndReason,
    ) -> Option<Fact> {
        if !self.is_plain(first) {
            let owner = self.owner(first)?;
            let gone = self.leavers(p, owner, first);
            return Some(Fact::from(self.gone(p, owner, gone, reason)));
        }
        let plain = orders.filter(|order| self.is_plain(*order)).filter_map(|order| self.book.get(order));
        let orders: Vec<CanceledOrder> = plain
            .take(CHUNK)
            .map(|r| CanceledOrder { order: r.order, account: r.account, side: r.side, ticks: r.ticks, lots: r.lots })
            .collect();
        Some(Fact::from(OrdersCanceled { units: p.units(), orders, reason, update: self.next_update() }))
    }

    /// Whose an open order is.
    pub(super) fn owner(&self, order: OrderId) -> Option<AccountId> {
        let queued = self.stock.as_ref().and_then(|stock| stock.queued(order)).map(|w| w.account);
        let waiting = || self.triggers.get(order).map(|w| w.account);
        let pending = || self.lists.pending_order(order).map(|(owner, _)| owner);
        queued.or_else(waiting).or_else(pending).or_else(|| self.book.get(order).map(|r| r.account))
    }
}

/// Takes a limit order that waits for the open.
fn enqueue(market: &Market, p: &MarketParams, order: &NewOrder, asker: &Asker) -> Result<Decision, Reject> {
    let waits = order.kind == OrderKind::Limit && matches!(order.tif, Tif::Gtc | Tif::Day);
    if !waits || order.iceberg != Lots::ZERO {
        return Err(Reject::MarketClosed);
    }
    rules::check_order(market, p, order, asker.held)?;
    rules::check_band(p, order.ticks, rules::reference(market, p))?;
    if asker.open >= p.max_open_orders {
        return Err(Reject::TooManyOrders);
    }
    let trigger = Trigger { kind: TriggerKind::Open, ticks: Ticks::ZERO, trail_bips: 0 };
    let locked = p.lock(order.side, order.ticks, order.lots);
    let waiting = vec![conditional::wait(market.next_order(), order, trigger, asker, locked)];
    let fact = market.gone(p, asker.account, Vec::new(), EndReason::None);
    Ok(Decision::Fact(Fact::from(OrdersChanged { waiting, ..fact })))
}
