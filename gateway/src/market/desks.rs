//! Desks of seconds options as everybody sees them: the engine's own entities, folded from durable facts.
//!
//! Owns: the fold, counts for operators. Never does: decide. Invariants: what it shows is what the cell's desks were when the last
//! durable record was made. Known limits: results are counted from this start on.

use super::saved::load_all;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use xng_core::codec::DecodeError;
use xng_core::entity::{Applied, Entity, TimeNs};
use xng_core::ids::EntityId;
use xng_core::record::{Fact, Role};
use xng_core::seconds::DeskId;
use xng_core::seconds::desk::{Desk, DeskOffer};
use xng_core::seconds::facts::SecondsFact;
use xng_core::seconds::rules::OptionResult;

/// How many options of a desk ended so, since the start.
pub type Results = BTreeMap<(DeskId, OptionResult), u64>;

#[derive(Debug, Default)]
struct State {
    desks: BTreeMap<DeskId, Desk>,
    results: Results,
}

/// All desks.
#[derive(Debug, Default)]
pub struct Desks(Mutex<State>);

impl Desks {
    /// As recovery found them, each in its saved form.
    ///
    /// # Errors
    /// A form that this build did not write.
    pub fn found(saved: &[(DeskId, Vec<u8>)]) -> Result<Desks, DecodeError> {
        let desks = load_all::<Desk>(saved)?;
        Ok(Desks(Mutex::new(State { desks, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a durable record.
    pub fn follow(&self, applied: Applied<'_>) {
        let Fact::Seconds(fact) = &applied.record.fact else { return };
        let mut state = self.state();
        if let SecondsFact::OptionsSettled(f) = fact {
            for item in &f.items {
                *state.results.entry((f.desk(), item.result)).or_default() += 1;
            }
        }
        applied.record.fact.parties(applied.record.decider, |entity, role: Role| {
            if let EntityId::Seconds(id) = entity {
                state.desks.entry(id).or_insert_with(|| Desk::blank(id)).evolve(applied, role);
            }
        });
    }

    /// What a desk offers, once it is listed.
    #[must_use]
    pub fn offer(&self, desk: DeskId, now: TimeNs) -> Option<DeskOffer> {
        self.state().desks.get(&desk)?.offer(now)
    }

    /// What all desks offer, and how options of them ended.
    #[must_use]
    pub fn all(&self, now: TimeNs) -> (Vec<DeskOffer>, Results) {
        let state = self.state();
        (state.desks.values().filter_map(|desk| desk.offer(now)).collect(), state.results.clone())
    }
}
