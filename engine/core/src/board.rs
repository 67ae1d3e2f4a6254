//! The board: what public facts say now of contracts, so that an account can decide about its positions without asking.
//!
//! Owns: a face of each contract. Never does: belong to a state: it is in no snapshot, no digest and no hash; whoever runs
//! entities fills it from [`crate::entity::Entity::publish`] after each delivery, and anew at a start.
//! Invariants: `evolve` never reads it: a fact carries what was read. Known limits: contracts only.

use crate::contract::book::params::BookParams;
use crate::contract::params::ContractParams;
use crate::entity::{Alarm, PriceAxis, TimeNs};
use crate::ids::MarketId;
use crate::money::{Amount, Lots};
use crate::spot::MarketState;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A contract as everybody sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractFace {
    /// Its parameters.
    pub params: Arc<ContractParams>,
    /// What it takes.
    pub state: MarketState,
    /// The index as of the last mark, its number in the tick log, and the time of that tick.
    pub index: (Amount, u64, TimeNs),
    /// The mark.
    pub mark: Amount,
    /// A jump of the index waits to be confirmed: nothing is opened, closed or taken out at it meanwhile.
    pub jumps: bool,
    /// Lots of all long and all short tickets, in hundredths, those that wait among them.
    pub tickets: (Lots, Lots),
    /// Parameters of its book and what a long lot has paid in funding, once it has one.
    pub book: Option<(Arc<BookParams>, Amount)>,
}

impl ContractFace {
    /// Versions of its parameters and of those of its book.
    fn terms(&self) -> (u32, Option<u32>) {
        (self.params.version, self.book.as_ref().map(|(book, _)| book.version))
    }

    /// The last price on an axis.
    #[must_use]
    pub fn last(&self, axis: PriceAxis) -> Amount {
        match axis {
            PriceAxis::Index => self.index.0,
            PriceAxis::Mark => self.mark,
        }
    }

    /// Whether prices can be relied on: open, and the index is fresh.
    #[must_use]
    pub fn is_live(&self, now: TimeNs) -> bool {
        let (_, seq, time) = self.index;
        self.state == MarketState::Trading && seq > 0 && now.saturating_sub(time) <= self.params.stale_after_ns()
    }
}

/// What everybody sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Board {
    contracts: BTreeMap<MarketId, ContractFace>,
    /// Contracts whose parameters became others, for [`Board::take_changed_terms`].
    changed: Vec<MarketId>,
}

static NOTHING: Board = Board { contracts: BTreeMap::new(), changed: Vec::new() };

impl Board {
    /// A board with nothing on it.
    #[must_use]
    pub fn nothing() -> &'static Board {
        &NOTHING
    }

    /// A contract, if it is listed.
    #[must_use]
    pub fn contract(&self, id: MarketId) -> Option<&ContractFace> {
        self.contracts.get(&id)
    }

    /// Whether an alarm's price is reached by the last one.
    #[must_use]
    pub fn reaches(&self, alarm: &Alarm) -> bool {
        let face = self.contract(alarm.contract);
        face.is_some_and(|face| alarm.crossing.is_reached(alarm.price, face.last(alarm.axis)))
    }

    /// All contracts.
    pub fn contracts(&self) -> impl Iterator<Item = (MarketId, &ContractFace)> {
        self.contracts.iter().map(|(id, face)| (*id, face))
    }

    /// A contract shows this from now on.
    pub fn set_contract(&mut self, id: MarketId, face: ContractFace) {
        let terms = face.terms();
        let before = self.contracts.insert(id, face);
        if before.is_some_and(|before| before.terms() != terms) {
            self.changed.push(id);
        }
    }

    /// Contracts whose parameters, or those of their books, became others since the last time.
    pub fn take_changed_terms(&mut self) -> Vec<MarketId> {
        std::mem::take(&mut self.changed)
    }
}
