//! Trading calendars of stocks as everybody sees them: the engine's own entities, folded from durable facts.
//!
//! Owns: the fold, counts for operators. Never does: decide. Invariants: what it shows is what the cell's calendars were when the
//! last durable record was made. Known limits: actions are counted from this start on.

use super::saved::load_all;
use crate::common::time::Ms;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xng_core::codec::DecodeError;
use xng_core::entity::{Applied, Entity, TimeNs};
use xng_core::ids::{EntityId, MarketId};
use xng_core::record::{Fact, Role};
use xng_core::stock::calendar::{Calendar, CalendarParams, Phase, Session, SessionPhase};
use xng_core::stock::facts::StockFact;
use xng_core::stock::{CalendarId, StockTerms};

const MS_NS: u64 = 1_000_000;

/// When the trading day began that is or was last.
#[must_use]
pub fn trading_day_begin(sessions: &[Session], now: Ms) -> Option<Ms> {
    let begun = &sessions[..sessions.partition_point(|s| s.open_ms.cast_signed() <= now)];
    let earlier = &begun[..begun.len().checked_sub(1)?];
    let first = earlier.iter().rposition(|s| s.last).map_or(0, |at| at + 1);
    Some(begun[first].open_ms.cast_signed())
}

#[derive(Debug, Default)]
struct State {
    calendars: BTreeMap<CalendarId, Calendar>,
    /// Holders that went through an action, by market, since the start.
    applied: BTreeMap<MarketId, u64>,
    /// Markets with an action under way.
    under_way: BTreeSet<MarketId>,
    /// Number of the last action of each market.
    last: BTreeMap<MarketId, u32>,
}

/// All calendars.
#[derive(Debug, Default)]
pub struct Stocks(Mutex<State>);

/// A venue at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Venue {
    /// Its name.
    pub name: String,
    /// Its time zone.
    pub zone: String,
    /// What it does.
    pub phase: SessionPhase,
    /// Until when; none without an end that is known.
    pub until_ms: Option<Ms>,
    /// When its next session begins, if that is known.
    pub next_open_ms: Option<Ms>,
}

/// What operators see of stocks.
#[derive(Debug, Clone, Default)]
pub struct StockCounts {
    /// Whether each venue trades, and the sessions that are known, by its name.
    pub venues: Vec<(String, bool, usize)>,
    /// Holders that went through an action, by market.
    pub applied: BTreeMap<MarketId, u64>,
    /// Markets with an action under way.
    pub under_way: usize,
}

impl Stocks {
    /// As recovery found them, each in its saved form; and of each market the number of its last action, and whether that is under
    /// way.
    ///
    /// # Errors
    /// A form that this build did not write.
    pub fn found(saved: &[(CalendarId, Vec<u8>)], actions: &[(MarketId, u32, bool)]) -> Result<Stocks, DecodeError> {
        let calendars = load_all::<Calendar>(saved)?;
        let under_way = actions.iter().filter(|(.., under_way)| *under_way).map(|(market, ..)| *market).collect();
        let last = actions.iter().map(|(market, id, _)| (*market, *id)).collect();
        Ok(Stocks(Mutex::new(State { calendars, under_way, last, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a durable record.
    pub fn follow(&self, applied: Applied<'_>) {
        let Fact::Stock(fact) = &applied.record.fact else { return };
        let mut state = self.state();
        match fact {
            StockFact::CalendarSet(_) | StockFact::SessionChanged(_) => {
                let EntityId::Calendar(id) = applied.record.decider else { return };
                state.calendars.entry(id).or_insert_with(|| Calendar::blank(id)).evolve(applied, Role::Decider);
            }
            StockFact::ActionAnnounced(f) => {
                state.under_way.insert(f.action.market);
                state.last.insert(f.action.market, f.action.id);
            }
            StockFact::ActionApplied(f) => *state.applied.entry(f.action.market).or_default() += 1,
            StockFact::ActionDone(f) => {
                state.under_way.remove(&f.market);
            }
            StockFact::ActionSet(_) => {}
        }
    }

    /// A venue at a time, once its calendar is set.
    #[must_use]
    pub fn venue(&self, calendar: CalendarId, now: TimeNs) -> Option<Venue> {
        let state = self.state();
        let params = state.calendars.get(&calendar)?.params()?;
        let Phase { phase, until } = params.phase_at(now);
        let next = params.sessions.iter().find(|s| s.open_ms * MS_NS > now);
        Some(Venue {
            name: params.name.clone(),
            zone: params.zone.clone(),
            phase,
            until_ms: (until > 0).then_some((until / MS_NS).cast_signed()),
            next_open_ms: next.map(|s| s.open_ms.cast_signed()),
        })
    }

    /// Whether a market of stocks is in a session, and no action of it is under way.
    #[must_use]
    pub fn trades(&self, market: MarketId, terms: &StockTerms, now: TimeNs) -> bool {
        let state = self.state();
        let params = state.calendars.get(&terms.calendar).and_then(|calendar| calendar.params());
        let open = params.is_some_and(|params| params.phase_at(now).phase == SessionPhase::Open);
        open && !state.under_way.contains(&market)
    }

    /// Sessions that end within a time.
    #[must_use]
    pub fn sessions(&self, calendar: CalendarId, now: TimeNs, within: TimeNs) -> Vec<Session> {
        let state = self.state();
        let params = state.calendars.get(&calendar).and_then(|calendar| calendar.params());
        let sessions = params.iter().flat_map(|params| &params.sessions);
        let ahead = |s: &&Session| s.close_ms * MS_NS > now && s.open_ms * MS_NS < now + within;
        sessions.filter(ahead).copied().collect()
    }

    /// Number of the last action of each market, one that is under way among them.
    #[must_use]
    pub fn last_actions(&self) -> BTreeMap<MarketId, u32> {
        self.state().last.clone()
    }

    /// Whether an action of a market is under way.
    #[must_use]
    pub fn is_under_way(&self, market: MarketId) -> bool {
        self.state().under_way.contains(&market)
    }

    /// The parameters in force of a calendar, by the venue's name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<CalendarParams> {
        let state = self.state();
        let mut params = state.calendars.values().filter_map(Calendar::params);
        params.find(|params| params.name.eq_ignore_ascii_case(name)).cloned()
    }

    /// The parameters of a calendar in force.
    #[must_use]
    pub fn params(&self, calendar: CalendarId) -> Option<CalendarParams> {
        self.state().calendars.get(&calendar)?.params().cloned()
    }

    /// What operators see.
    #[must_use]
    pub fn counts(&self, now: TimeNs) -> StockCounts {
        let state = self.state();
        let venue = |calendar: &Calendar| {
            let params = calendar.params()?;
            let open = params.phase_at(now).phase == SessionPhase::Open;
            let ahead = params.sessions.iter().filter(|s| s.close_ms * MS_NS > now).count();
            Some((params.name.clone(), open, ahead))
        };
        StockCounts {
            venues: state.calendars.values().filter_map(venue).collect(),
            applied: state.applied.clone(),
            under_way: state.under_way.len(),
        }
    }
}
