//! A running exchange as the ops port looks at it: figures, why it is not ready, what wants an operator.
//!
//! Owns: these reasons, as probes and the console have them. Never does: wait for the cell. Invariants: a probe and the console
//! say the same. Known limits: none.

use crate::observe::health::ClockWarning;
use crate::observe::metrics::scrape::Figures;
use crate::startup::exchange::Exchange;
use std::sync::atomic::Ordering;
use xng_core::ids::EntityId;
use xng_core::journal::Capacity;
use xng_persistence::journal::Shortage;

/// What the ops port looks at.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) figures: Figures,
    pub(super) halted: Vec<EntityId>,
}

impl std::ops::Deref for Running {
    type Target = Figures;

    fn deref(&self) -> &Figures {
        &self.figures
    }
}

impl Running {
    /// A running exchange, seen for the console.
    pub(super) fn new(exchange: &Exchange) -> Running {
        let figures = Figures {
            shared: exchange.shared.clone(),
            cell: exchange.cell.clone(),
            admission: exchange.admission.clone(),
            journal: exchange.journal.clone(),
            persister: exchange.persister.clone(),
            crashes: exchange.crashes,
            clock: exchange.clock.clone(),
        };
        Running { figures, halted: exchange.halted.clone() }
    }
}

/// Why it should not be sent requests.
pub(super) fn unready(running: &Running) -> Vec<&'static str> {
    let health = &running.shared.health;
    let capacity = (running.journal.capacity(), running.journal.shortage());
    let mut reasons = health.stuck();
    let unready = [
        (!health.serving.load(Ordering::Relaxed), "starting"),
        (health.draining.load(Ordering::Relaxed), "draining"),
        (running.journal.has_failed(), "journal failed"),
        (capacity == (Capacity::Exhausted, Some(Shortage::Disk)), "disk full: read-only"),
        (capacity == (Capacity::Exhausted, Some(Shortage::Limit)), "journal full: read-only"),
        (health.view.is_stuck(), "market view stuck"),
    ];
    reasons.extend(unready.iter().filter(|(on, _)| *on).map(|(_, why)| *why));
    reasons
}

/// What wants an operator though users notice nothing yet.
pub(super) fn warnings(running: &Running) -> Vec<&'static str> {
    let health = &running.shared.health;
    let capacity = (running.journal.capacity(), running.journal.shortage());
    let low = [
        (running.persister.has_failed(), "persister stopped"),
        (running.persister.failing_for().is_some(), "store away"),
        (running.shared.hot.get().is_some_and(|hot| !hot.stats().up.load(Ordering::Relaxed)), "Redis away"),
        (health.snapshot_failing.load(Ordering::Relaxed), "snapshots fail"),
        (health.house.is_stuck(), "house stuck"),
        (health.data_open.load(Ordering::Relaxed), "data folder open to others"),
        (capacity == (Capacity::Plenty, Some(Shortage::Disk)), "disk nearly full"),
        (capacity == (Capacity::Plenty, Some(Shortage::Limit)), "journal nearly full"),
        (capacity == (Capacity::Low, Some(Shortage::Disk)), "disk full: cancels only"),
        (capacity == (Capacity::Low, Some(Shortage::Limit)), "journal full: cancels only"),
    ];
    let low = low.iter().filter(|(on, _)| *on).map(|(_, why)| *why);
    low.chain(health.startup.clock().map(ClockWarning::text)).collect()
}

/// What the journal takes, for scripts that watch it.
pub(super) fn capacity_name(capacity: Capacity) -> &'static str {
    match capacity {
        Capacity::Plenty => "plenty",
        Capacity::Low => "low",
        Capacity::Exhausted => "exhausted",
    }
}
