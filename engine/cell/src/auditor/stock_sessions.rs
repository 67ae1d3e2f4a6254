//! Sessions, days and pauses of stocks as the auditor sees them.
//!
//! Owns: what calendars told, ticks of the window of moves. Never does: use the engine's rules. Invariants checked: a phase is
//! the one that follows by the sessions; only orders whose day ended leave because it did; nothing is matched in a pause; at
//! rest each market is open when nothing keeps it from it, and nothing is left in its queue.
//! Known limits: a list that takes away a session that is under way ends the day when the calendar says so.

use super::stocks::Stocks;
use super::{Auditor, Finding};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::BTreeMap;
use xng_core::entity::TimeNs;
use xng_core::ids::{MarketId, OrderId};
use xng_core::journal::Lsn;
use xng_core::price::PriceTicked;
use xng_core::spot::{Market, MarketState, StateReason};
use xng_core::stock::facts::SessionChanged;
use xng_core::stock::{CalendarId, SessionPhase, StockTerms};

const MS_NS: u64 = 1_000_000;
/// The window of moves has so many parts.
const PARTS: u64 = 30;

/// What the index of a market did.
#[derive(Debug, Clone, Default)]
struct Moves {
    /// Part of the window and index.
    ticks: Vec<(u64, i128)>,
    paused_until: TimeNs,
    last: TimeNs,
}

/// What the auditor knows of phases and moves.
#[derive(Debug, Clone, Default)]
pub(super) struct Sessions {
    /// Phase and its end, as they were told.
    told: BTreeMap<CalendarId, (SessionPhase, TimeNs)>,
    /// When it was told that a day is over.
    ended: BTreeMap<CalendarId, TimeNs>,
    moves: BTreeMap<MarketId, Moves>,
}

impl Moves {
    fn hear(&mut self, terms: &StockTerms, time: TimeNs, index: i128) {
        self.last = time;
        if time < self.paused_until {
            return;
        }
        let part = time / (u64::from(terms.pause_window_ms) * MS_NS / PARTS).max(1);
        self.ticks.retain(|(at, _)| at + PARTS >= part);
        self.ticks.push((part, index));
        let far = |from: i128| (index - from).abs() * 1_000_000 >= from * i128::from(terms.pause_ppm);
        if self.ticks.iter().any(|(_, from)| far(*from)) {
            self.paused_until = time + u64::from(terms.pause_ms) * MS_NS;
            self.ticks.clear();
        }
    }
}

impl Stocks {
    /// The index of a market moved.
    pub(super) fn hear(&mut self, f: &PriceTicked, time: TimeNs) {
        for market in f.markets() {
            let Some(terms) = self.terms(market) else { continue };
            let phase = self.times.told.get(&terms.calendar).map(|(phase, _)| *phase);
            if phase == Some(SessionPhase::Open) {
                self.times.moves.entry(market).or_default().hear(&terms, time, f.index.0);
            }
        }
    }

    /// A split took place: prices before it are no moves.
    pub(super) fn forget_moves(&mut self, market: MarketId) {
        self.times.moves.entry(market).or_default().ticks.clear();
    }

    pub(super) fn pauses(&self, market: MarketId, time: TimeNs) -> bool {
        self.times.moves.get(&market).is_some_and(|moves| time < moves.paused_until)
    }

    /// All boundaries of a calendar up to then were told.
    pub(super) fn told_up_to(&self, calendar: CalendarId, time: TimeNs) -> TimeNs {
        self.times.told.get(&calendar).map_or(time, |(_, until)| if *until > 0 { time.min(*until) } else { time })
    }

    /// A calendar is in a phase from now on.
    pub(super) fn told(&mut self, calendar: CalendarId, (phase, until): (SessionPhase, TimeNs), time: TimeNs) {
        let was = self.times.told.insert(calendar, (phase, until)).map(|(phase, _)| phase);
        if phase == SessionPhase::Closed && was.is_some_and(|was| was != SessionPhase::Closed) {
            self.times.ended.insert(calendar, time);
        }
        if phase == SessionPhase::Open && was != Some(SessionPhase::Open) {
            for market in self.of_calendar(calendar) {
                self.forget_moves(market);
            }
        }
    }

    /// Whether a phase is the one that follows when the one before it is over.
    pub(super) fn follows(&self, f: &SessionChanged, time: TimeNs) -> bool {
        let Some((_, at)) = self.times.told.get(&f.calendar).filter(|(_, at)| *at > 0 && *at <= time) else {
            return false;
        };
        let sessions = self.sessions_from(f.calendar);
        let ended = sessions.iter().find(|(_, close, _)| close == at).map(|(.., last)| *last);
        match (ended, f.phase) {
            (Some(last), SessionPhase::Break) => !last,
            (Some(last), SessionPhase::Closed) => last || f.until == 0,
            (_, SessionPhase::Open) => sessions.iter().any(|(open, close, _)| (*open..*close).contains(at)),
            // A session that was taken away has no end.
            (None, SessionPhase::Break | SessionPhase::Closed) => true,
        }
    }

    /// Whether the day of an order is over, as its calendar told.
    pub(super) fn left_in_time(&self, order: OrderId) -> bool {
        let calendar = self.terms(order.market()).map(|terms| terms.calendar);
        let ended = calendar.and_then(|calendar| self.times.ended.get(&calendar));
        self.taken_of_day(order).zip(ended).is_some_and(|(taken, ended)| taken < *ended)
    }
}

impl Auditor {
    /// At rest no order is left of a day that is over, no action is under way, each calendar is in the phase that its sessions
    /// say, and each market is open that may be.
    pub fn no_stock_is_due<H: Hosting>(&self, world: &World<H>, now: TimeNs) -> Result<(), Finding> {
        self.stocks.nothing_is_left(now)?;
        for (id, calendar) in world.calendars().iter() {
            let (open, phase) = (self.stocks.calendar_open(id, now), calendar.phase());
            if open != (phase.phase == SessionPhase::Open) {
                return Err(format!("calendar {id} is in {phase:?} at {now}; that a session is under way is {open}"));
            }
        }
        world.markets().iter().try_for_each(|(id, market)| self.is_open_in_time(id, market, now))
    }

    fn is_open_in_time(&self, id: MarketId, market: &Market, now: TimeNs) -> Result<(), Finding> {
        let Some(p) = market.params().filter(|p| p.stock.is_some()) else { return Ok(()) };
        let (state, reason) = market.state();
        let last = self.stocks.times.moves.get(&id).map_or(0, |moves| moves.last);
        let fresh = p.stale_after_ms == 0 || last > 0 && now < last + u64::from(p.stale_after_ms) * MS_NS;
        let by_itself = !p.house_quoted && reason != StateReason::Operator;
        let may = self.stocks.in_session(id, now) && !self.stocks.pauses(id, now) && fresh && by_itself;
        let left = market.queue().next().is_some();
        match state {
            MarketState::Trading if left => Err(format!("at rest orders wait for market {id}, which is open")),
            MarketState::CancelOnly if may => Err(format!("market {id} is closed at {now} for {reason:?}")),
            MarketState::Trading | MarketState::CancelOnly | MarketState::Halt => Ok(()),
        }
    }

    /// What leaves because a day is over is of that day.
    pub(super) fn is_of_the_day(&self, lsn: Lsn, mut orders: impl Iterator<Item = OrderId>) -> Result<(), Finding> {
        match orders.find(|order| !self.stocks.left_in_time(*order)) {
            Some(order) => Err(format!("record {lsn} ends order {order} because of a day that is not over")),
            None => Ok(()),
        }
    }
}
