//! The app's stream of contracts: state, index and mark, and whether they can be relied on.
//!
//! Owns: when it speaks, and of which contracts. Never does: compute a price. Invariants: whoever follows it knows within half a
//! second that an index is too old. Known limits: one stream for all contracts.

use super::contracts::Contracts;
use super::payload;
use super::view::View;
use crate::api::ws::outbox::Conflation;
use crate::api::ws::stream::Stream;
use crate::common::time::now_ns;
use std::collections::BTreeMap;
use xng_core::board::ContractFace;
use xng_core::entity::TimeNs;
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_core::spot::MarketState;

/// Fast ticks of the view between two looks.
const LOOK_EVERY: u64 = 5;
/// Looks between two frames of all contracts.
const ALL_EVERY: u64 = 10;

/// What was told of a contract: a change of it is told.
type Told = (MarketState, bool, u64, Amount);

/// What was told of all of them.
#[derive(Debug, Default)]
pub(super) struct ContractStream {
    contracts: Contracts,
    told: BTreeMap<MarketId, Told>,
    ticks: u64,
}

fn list(contracts: impl Iterator<Item = String>) -> String {
    format!("[{}]", contracts.collect::<Vec<String>>().join(","))
}

fn told(face: &ContractFace, now: TimeNs) -> Told {
    (face.state, face.is_live(now), face.index.1, face.mark)
}

impl ContractStream {
    pub(super) fn of(contracts: Contracts) -> ContractStream {
        ContractStream { contracts, ..ContractStream::default() }
    }

    /// All contracts.
    pub(super) fn all(&self) -> String {
        let now = now_ns();
        list(self.contracts.now().contracts().map(|(id, face)| payload::contract(id, face, now)))
    }

    /// What changed since the last look, or all when its time has come; none between two looks, and when nothing changed.
    fn next(&mut self) -> Option<String> {
        self.ticks += 1;
        if !self.ticks.is_multiple_of(LOOK_EVERY) {
            return None;
        }
        let all = (self.ticks / LOOK_EVERY).is_multiple_of(ALL_EVERY);
        let (now, board) = (now_ns(), self.contracts.now());
        let mut changed = Vec::new();
        for (id, face) in board.contracts() {
            let new = told(face, now);
            if self.told.insert(id, new) != Some(new) || all {
                changed.push(payload::contract(id, face, now));
            }
        }
        (!changed.is_empty()).then(|| list(changed.into_iter()))
    }
}

impl View {
    /// Every 100 ms: tells what changed of contracts, if it is time.
    pub(super) fn contracts_changed(&mut self) {
        if let Some(data) = self.contract_stream.next() {
            self.publish(Stream::Contracts, Conflation::Each, |_| data.clone());
        }
    }
}
