//! The lights of positions: who would be deleveraged first (`docs/rules/contracts.md "Deleveraging"`).
//!
//! Owns: when places are found anew, and what they are. Never does: deleverage. Invariants: places are by the engine's own rank
//! at one mark. Known limits: places are found anew once a second of the journal's time, with many positions less often.

use std::collections::BTreeMap;
use std::sync::Arc;
use xng_core::contract::Contract;
use xng_core::contract::book::effect::Leg;
use xng_core::contract::book::order::LegSide;
use xng_core::contract::leg::Direction;
use xng_core::contract::liquidation::{Rank, lights};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, MarketId};

const SECOND: TimeNs = 1_000_000_000;
/// A second more between two looks for each so many positions.
const LEGS_A_SECOND: u64 = 1_000;

type Places = BTreeMap<(AccountId, LegSide), u8>;

/// The lights of all positions, by contract.
#[derive(Debug, Clone, Default)]
pub struct Lights(BTreeMap<MarketId, Arc<Places>>);

impl Lights {
    /// Those of one position; 0 of one that was not seen yet.
    #[must_use]
    pub fn of(&self, contract: MarketId, account: AccountId, side: LegSide) -> u8 {
        self.0.get(&contract).and_then(|places| places.get(&(account, side))).copied().unwrap_or(0)
    }
}

fn places(contract: &Contract) -> Option<Places> {
    let (params, book) = (contract.params()?, contract.book()?);
    let (units, mark) = (params.book_units(), contract.mark().0);
    let mut found = Places::new();
    for direction in [Direction::Long, Direction::Short] {
        let rank = |leg: &Leg| Rank::of(leg.unrealised(mark, &units), leg.cost, leg.multiple);
        let here = book.legs().all().filter(|(_, leg)| leg.direction == direction);
        let mut ranked: Vec<(Rank, (AccountId, LegSide))> = here.map(|(key, leg)| (rank(leg), key)).collect();
        ranked.sort_by(|a, b| a.0.before(&b.0).then(a.1.cmp(&b.1)));
        let all = ranked.len();
        found.extend(ranked.into_iter().enumerate().map(|(place, (_, key))| (key, lights(place, all))));
    }
    Some(found)
}

/// Finds places anew from time to time.
#[derive(Debug, Default)]
pub(super) struct Watch {
    due: BTreeMap<MarketId, TimeNs>,
}

impl Watch {
    /// The lights with those of a contract found anew, when it is time.
    pub(super) fn look(&mut self, contract: &Contract, id: MarketId, now: TimeNs, lights: &Lights) -> Option<Lights> {
        if self.due.get(&id).is_some_and(|due| now < *due) {
            return None;
        }
        let found = places(contract)?;
        self.due.insert(id, now + SECOND * (1 + found.len() as u64 / LEGS_A_SECOND));
        let mut lights = lights.clone();
        lights.0.insert(id, Arc::new(found));
        Some(lights)
    }
}
