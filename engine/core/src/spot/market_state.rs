//! The market's state over time: it closes when its index becomes stale, opens when the index is fresh again, and its timer.
//!
//! Owns: the freshness of the index, changes of state, the timer's decision and its deadline. Never does: read a clock;
//! time comes in with the command. Invariants: a market that an operator closed does not open by itself; a market that
//! stops trading removes the house's quotes in the same record. Known limits: a market that the house quotes opens with
//! its first quotes (`quoting.rs`). Rules: `docs/rules/prices.md "Market states"`.

use super::facts::{MarketStateChanged, QuoteOff};
use super::params::MarketParams;
use super::{Market, triggered};
use crate::entity::{Deadline, Decision, TimeNs};
use crate::market::{MarketState, StateReason};
use crate::record::Fact;

impl Market {
    /// Trading needs no index, or has one that is young enough.
    pub(super) fn index_is_fresh(&self, p: &MarketParams, now: TimeNs) -> bool {
        p.stale_after_ms == 0 || now < self.stale_at(p)
    }

    fn stale_at(&self, p: &MarketParams) -> TimeNs {
        self.index_time + u64::from(p.stale_after_ms) * 1_000_000
    }

    /// Closed by the market itself, not by an operator: opens by itself too.
    pub(super) fn waits_to_open(&self) -> bool {
        self.state == MarketState::CancelOnly && self.reason != StateReason::Operator
    }

    /// The fact of a new state; a market that stops trading removes the house's quotes with it.
    pub(super) fn state_change(&self, p: &MarketParams, state: MarketState, reason: StateReason) -> Fact {
        let leaving = state != MarketState::Trading;
        let off: Vec<QuoteOff> = self
            .quotes()
            .filter(|_| leaving)
            .map(|q| QuoteOff { side: q.side, ticks: q.ticks, lots: q.lots })
            .collect();
        let update = if off.is_empty() { self.update } else { self.next_update() };
        Fact::from(MarketStateChanged { units: p.units(), state, reason, house: self.house, off, update })
    }

    /// The timer's decision: what a session asks for, orders that leave, then staleness, then opening, then orders that waited
    /// for the open, then triggered ones.
    pub(super) fn timer_due(&self, p: &MarketParams, now: TimeNs) -> Decision {
        if self.stock.is_some()
            && let Some(decision) = self.session_due(p, now)
        {
            return decision;
        }
        let leaves = self.lists.leaving().is_some();
        if leaves && let Some(fact) = triggered::due(self, p) {
            return Decision::Fact(fact);
        }
        let fresh = self.index_is_fresh(p, now);
        if self.state == MarketState::Trading && !fresh {
            return Decision::Fact(self.state_change(p, MarketState::CancelOnly, StateReason::StaleIndex));
        }
        if self.waits_to_open() && !p.house_quoted && fresh && self.session_lets_open(now) {
            return Decision::Fact(self.state_change(p, MarketState::Trading, StateReason::Fresh));
        }
        if let Some(waiting) = self.next_queued(now) {
            return Decision::Fact(Fact::from(triggered::trigger(self, p, waiting)));
        }
        triggered::due(self, p).map_or(Decision::Nothing, Decision::Fact)
    }

    /// When its timer has something to do.
    #[inline]
    pub(super) fn next_deadline(&self) -> Option<Deadline> {
        let fired = self.state == MarketState::Trading && self.triggers.fired().is_some();
        if fired || self.lists.leaving().is_some() {
            return Some(Deadline::Elapsed(0));
        }
        let by_index = self.index_deadline();
        match &self.stock {
            None => by_index.map(Deadline::Elapsed),
            Some(stock) => stock.deadline(self, by_index).map(Deadline::Elapsed),
        }
    }

    /// When the index becomes too old, or lets it open.
    #[inline]
    fn index_deadline(&self) -> Option<TimeNs> {
        let p = self.params.as_ref().filter(|p| p.stale_after_ms > 0 && self.index_time > 0)?;
        match self.state {
            MarketState::Trading => Some(self.stale_at(p)),
            MarketState::CancelOnly if self.waits_to_open() && !p.house_quoted => Some(self.index_time),
            MarketState::CancelOnly | MarketState::Halt => None,
        }
    }
}
