//! A trading calendar: when the markets of a venue are open.
//!
//! Owns: the sessions of a venue as instants, its phase, who hears of changes. Never does: know time zones or holidays; whoever
//! makes the sessions does. Invariants: it changes its phase at each boundary, in order, however late; sessions do not
//! overlap. Rules: `docs/rules/stocks.md "Sessions"`.
//! Known limits: without sessions to come the venue is closed.

use super::facts::{CalendarSet, SessionChanged, StockFact};
use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::{Applied, CommandClass, Ctx, Deadline, Decision, Entity, TimeNs, check_version, save_versioned};
use crate::ids::{MarketId, id};
use crate::record::{Fact, Role};
use crate::reject::Reject;

id!(
    /// A trading calendar.
    CalendarId(u16)
);

const MS_NS: u64 = 1_000_000;
/// Sessions that a calendar has at most.
const MOST_SESSIONS: usize = 2_048;
/// The longest name.
const LONGEST_NAME: usize = 32;

crate::wire_enum! {
    /// What a venue does.
    pub enum SessionPhase {
        /// Trades.
        Open = 1,
        /// Between two sessions of a day.
        Break = 2,
        /// Until the next day's first session.
        Closed = 3,
    }
}

impl SessionPhase {
    /// As calls, tools and the console name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SessionPhase::Open => "open",
            SessionPhase::Break => "break",
            SessionPhase::Closed => "closed",
        }
    }
}

crate::wire_struct! {
    /// A session, in milliseconds since the epoch, UTC.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Session {
        /// When it begins.
        pub open_ms: u64,
        /// When it ends.
        pub close_ms: u64,
        /// The trading day ends with it.
        pub last: bool,
    }
}

crate::wire_struct! {
    /// A calendar's parameters.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CalendarParams {
        /// Which.
        pub calendar: CalendarId,
        /// Grows with each change; who changes them names the one that is in force, 0 at first.
        pub version: u32,
        /// The venue.
        pub name: String,
        /// Its time zone, for people.
        pub zone: String,
        /// Sessions by time, those that are over left out.
        pub sessions: Vec<Session>,
        /// Who hears of its phases.
        pub markets: Vec<MarketId>,
    }
}

/// A phase and when it ends; 0 without an end that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// What the venue does.
    pub phase: SessionPhase,
    /// Until when.
    pub until: TimeNs,
}

impl CalendarParams {
    /// Whether they fit together.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self) -> Result<(), Reject> {
        let text = |text: &str| !text.is_empty() && text.len() <= LONGEST_NAME;
        let far = u64::MAX / MS_NS;
        let good = text(&self.name)
            && text(&self.zone)
            && self.sessions.len() <= MOST_SESSIONS
            && self.sessions.iter().all(|s| s.open_ms < s.close_ms && s.close_ms < far)
            && self.sessions.windows(2).all(|pair| pair[0].close_ms < pair[1].open_ms)
            && self.markets.iter().all(|market| market.is_stock())
            && self.markets.windows(2).all(|pair| pair[0] < pair[1])
            && self.version < u32::MAX;
        if good { Ok(()) } else { Err(Reject::BadParameters) }
    }

    /// What the venue does at a time.
    #[must_use]
    pub fn phase_at(&self, now: TimeNs) -> Phase {
        let next = self.sessions.partition_point(|s| s.close_ms * MS_NS <= now);
        let Some(session) = self.sessions.get(next) else { return Phase { phase: SessionPhase::Closed, until: 0 } };
        if session.open_ms * MS_NS <= now {
            return Phase { phase: SessionPhase::Open, until: session.close_ms * MS_NS };
        }
        let within_day = next.checked_sub(1).is_some_and(|before| !self.sessions[before].last);
        let phase = if within_day { SessionPhase::Break } else { SessionPhase::Closed };
        Phase { phase, until: session.open_ms * MS_NS }
    }

    /// The end of the trading day that contains this time, or of the next one.
    fn day_ends(&self, upto: TimeNs) -> Option<TimeNs> {
        self.sessions.iter().find(|s| s.last && s.close_ms * MS_NS >= upto).map(|s| s.close_ms * MS_NS)
    }
}

/// What a calendar can be asked.
#[derive(Debug, Clone)]
pub enum CalendarCommand {
    /// Set its parameters (configuration and operators only).
    SetParams(Box<CalendarParams>),
    /// A boundary passed.
    Timer,
}

/// The state of a calendar.
#[derive(Debug)]
pub struct Calendar {
    id: CalendarId,
    params: Option<CalendarParams>,
    phase: Phase,
}

impl Calendar {
    /// Its parameters, once it has some.
    #[must_use]
    pub fn params(&self) -> Option<&CalendarParams> {
        self.params.as_ref()
    }

    /// What the venue does, as its markets know.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    fn set_params(&self, params: &CalendarParams, now: TimeNs) -> Result<Decision, Reject> {
        params.check()?;
        if params.calendar != self.id {
            return Err(Reject::BadParameters);
        }
        let old = self.params();
        // Who changes them knows which they are: what configuration seeds is of none.
        if params.version != old.map_or(0, |old| old.version) {
            return Err(Reject::AlreadyExists);
        }
        // A market that is not named any more would never close.
        if old.is_some_and(|old| old.markets.iter().any(|market| !params.markets.contains(market))) {
            return Err(Reject::BadParameters);
        }
        let params = CalendarParams { version: params.version + 1, ..params.clone() };
        let Phase { phase, until } = self.phase_of(&params, now);
        Ok(Decision::Fact(CalendarSet { params, phase, until }.into()))
    }

    /// The phase with new parameters. A boundary that passed without a `SessionChanged` comes first, so that the end of a day is
    /// not lost. A list without the day's earlier sessions gives `Break`, not `Closed`.
    fn phase_of(&self, params: &CalendarParams, now: TimeNs) -> Phase {
        let at = if self.phase.until > 0 { now.min(self.phase.until) } else { now };
        let new = params.phase_at(at);
        let ended = self.params().filter(|_| at == self.phase.until).map(|old| old.phase_at(at).phase);
        if let Some(phase @ (SessionPhase::Closed | SessionPhase::Break)) = ended
            && new.phase == SessionPhase::Open
        {
            return Phase { phase, until: at };
        }
        let in_day = self.phase.phase != SessionPhase::Closed;
        let day_ends = self.params().filter(|_| in_day).and_then(|old| old.day_ends(at));
        let begins = params.sessions.first().map(|first| first.open_ms * MS_NS).filter(|begins| *begins == new.until);
        match begins.zip(day_ends) {
            Some((begins, ends)) if begins < ends => Phase { phase: SessionPhase::Break, ..new },
            _ => new,
        }
    }

    /// The phase that follows the one that is over.
    fn next_phase(&self, now: TimeNs) -> Decision {
        let due = self.phase.until > 0 && now >= self.phase.until;
        let Some(params) = self.params().filter(|_| due) else { return Decision::Nothing };
        let Phase { phase, until } = params.phase_at(self.phase.until);
        let markets = params.markets.clone();
        Decision::Fact(SessionChanged { calendar: self.id, phase, until, markets }.into())
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        self.params.put(out);
        self.phase.phase.put(out);
        self.phase.until.put(out);
    }
}

const STATE_VERSION: u8 = 1;

impl Entity for Calendar {
    type Id = CalendarId;
    type Command = CalendarCommand;

    const NAME: &'static str = "calendar";
    const MESSAGES: &'static [&'static str] = &["set_params", "timer"];

    fn message(command: &CalendarCommand) -> usize {
        match command {
            CalendarCommand::SetParams(_) => 0,
            CalendarCommand::Timer => 1,
        }
    }

    fn blank(id: CalendarId) -> Calendar {
        Calendar { id, params: None, phase: Phase { phase: SessionPhase::Closed, until: 0 } }
    }

    fn decide(&self, command: &CalendarCommand, ctx: &Ctx<'_>) -> Decision {
        match command {
            CalendarCommand::SetParams(params) => self.set_params(params, ctx.now).unwrap_or_else(Decision::Reject),
            CalendarCommand::Timer => self.next_phase(ctx.now),
        }
    }

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        let Fact::Stock(fact) = &applied.record.fact else {
            unreachable!("a calendar is not named by {}", applied.record.fact.name())
        };
        match fact {
            StockFact::CalendarSet(f) => {
                self.params = Some(f.params.clone());
                self.phase = Phase { phase: f.phase, until: f.until };
            }
            StockFact::SessionChanged(f) => self.phase = Phase { phase: f.phase, until: f.until },
            StockFact::ActionAnnounced(_)
            | StockFact::ActionSet(_)
            | StockFact::ActionApplied(_)
            | StockFact::ActionDone(_) => unreachable!("a calendar is not named by corporate actions"),
        }
    }

    fn deadline(&self) -> Option<Deadline> {
        (self.phase.until > 0).then_some(Deadline::Calendar(self.phase.until))
    }

    fn timer() -> Option<CalendarCommand> {
        Some(CalendarCommand::Timer)
    }

    fn class(command: &CalendarCommand) -> CommandClass {
        match command {
            CalendarCommand::SetParams(_) => CommandClass::Consumes,
            // A market that cannot close is worse than one that cannot open.
            CalendarCommand::Timer => CommandClass::Releases,
        }
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(4_096);
        self.put_state(&mut bytes);
        hash_bytes(u64::from(self.id.0), &bytes)
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| self.put_state(out));
    }

    fn load(id: CalendarId, r: &mut Reader<'_>) -> Result<Calendar, DecodeError> {
        check_version(r, STATE_VERSION, "calendar state version")?;
        let params = Wire::get(r)?;
        Ok(Calendar { id, params, phase: Phase { phase: Wire::get(r)?, until: Wire::get(r)? } })
    }
}
