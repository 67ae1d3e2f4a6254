//! Traders as everybody sees them: the engine's own entities, folded from durable facts; their figures as of the last hour.
//!
//! Owns: the fold, the figures that were published last. Never does: decide; take a figure from anywhere else. Invariants: what is
//! published is what the cell's traders were at one record: the first of an hour, of a start, or one that made or ended a trader.
//! Known limits: none.

use super::saved::load_all;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use xng_core::codec::DecodeError;
use xng_core::contract::facts::ContractFact;
use xng_core::copy::facts::CopyFact;
use xng_core::copy::trader::{Trader, TraderView};
use xng_core::entity::{Applied, Entity, TimeNs};
use xng_core::ids::{AccountId, EntityId};
use xng_core::journal::Lsn;
use xng_core::record::{Fact, Role};
use xng_core::reject::Reject;

const HOUR_NS: TimeNs = 3_600_000_000_000;

/// Figures of all traders at one record.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// The record.
    pub lsn: Lsn,
    /// Its time.
    pub time: TimeNs,
    /// By account; those that are traders no more are not among them.
    pub traders: BTreeMap<AccountId, TraderView>,
}

#[derive(Debug, Default)]
struct State {
    traders: BTreeMap<AccountId, Trader>,
    /// Copies that were skipped since the start, by the name of the reason.
    skips: BTreeMap<String, u64>,
    published: Arc<Figures>,
}

/// What operators want to know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accounts that are traders.
    pub traders: usize,
    /// Follows.
    pub followers: usize,
    /// Copies that are open.
    pub open: usize,
    /// Copies, closes and settlements that are left to do.
    pub left: usize,
    /// Copies that were ever opened, and those that were skipped.
    pub copies: (u64, u64),
}

/// A reason as calls and metrics name it: `insufficient_balance`.
#[must_use]
pub fn reason_name(reason: Reject) -> String {
    let mut name = String::new();
    for letter in format!("{reason:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// All traders.
#[derive(Debug, Default)]
pub struct Traders(Mutex<State>);

impl State {
    fn publish(&mut self, lsn: Lsn, time: TimeNs) {
        let views = self.traders.iter().map(|(id, trader)| (*id, trader.view()));
        let traders = views.filter(|(_, view)| view.terms.is_some()).collect();
        self.published = Arc::new(Figures { lsn, time, traders });
    }
}

impl Traders {
    /// As recovery found them, each in its saved form.
    ///
    /// # Errors
    /// A form that this build did not write.
    pub fn found(saved: &[(AccountId, Vec<u8>)], (lsn, time): (Lsn, TimeNs)) -> Result<Traders, DecodeError> {
        let traders = load_all::<Trader>(saved)?;
        let mut state = State { traders, ..State::default() };
        state.publish(lsn, time);
        Ok(Traders(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a durable record. The first one of an hour publishes.
    pub fn follow(&self, applied: Applied<'_>) {
        let (lsn, record) = (applied.lsn, applied.record);
        match &record.fact {
            Fact::Copy(_) | Fact::Contract(ContractFact::TicketOpened(_) | ContractFact::TicketsMoved(_)) => {}
            Fact::Contract(_)
            | Fact::Spot(_)
            | Fact::Account(_)
            | Fact::Price(_)
            | Fact::Book(_)
            | Fact::Convert(_)
            | Fact::Seconds(_)
            | Fact::Stock(_)
            | Fact::Chain(_)
            | Fact::Coupon(_)
            | Fact::Registry(_)
            | Fact::Cell(_) => {
                let mut state = self.state();
                if state.published.time / HOUR_NS != record.time / HOUR_NS {
                    state.publish(lsn, record.time);
                }
                return;
            }
        }
        let mut state = self.state();
        if let Fact::Copy(CopyFact::CopySkipped(f)) = &record.fact {
            *state.skips.entry(reason_name(f.reason)).or_default() += 1;
        }
        let mut is_set = false;
        record.fact.parties(record.decider, |entity, role: Role| {
            if let EntityId::Trader(id) = entity {
                let trader = state.traders.entry(id).or_insert_with(|| Trader::blank(id));
                let before = trader.terms().is_some();
                trader.evolve(applied, role);
                is_set |= before != trader.terms().is_some();
            }
        });
        // Who becomes a trader, or stops to be one, is seen at once.
        if is_set || state.published.time / HOUR_NS != record.time / HOUR_NS {
            state.publish(lsn, record.time);
        }
    }

    /// What was published last.
    #[must_use]
    pub fn figures(&self) -> Arc<Figures> {
        Arc::clone(&self.state().published)
    }

    /// How many follow each trader now.
    #[must_use]
    pub fn follower_counts(&self) -> BTreeMap<AccountId, usize> {
        self.state().traders.iter().map(|(id, trader)| (*id, trader.follower_count())).collect()
    }

    /// Copies that were skipped since the start, by the name of the reason.
    #[must_use]
    pub fn skips(&self) -> BTreeMap<String, u64> {
        self.state().skips.clone()
    }

    /// Sums for operators.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let state = self.state();
        state.traders.values().fold(Counts::default(), |sum, trader| {
            let statistics = trader.statistics();
            Counts {
                traders: sum.traders + usize::from(trader.terms().is_some()),
                followers: sum.followers + trader.follower_count(),
                open: sum.open + trader.open_copies(),
                left: sum.left + trader.left(),
                copies: (sum.copies.0 + statistics.copies, sum.copies.1 + statistics.skips),
            }
        })
    }
}
