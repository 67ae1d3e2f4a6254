//! The board: what public facts say now of contracts, prices, conversion and desks, so that an account can decide without asking.
//!
//! Owns: a face of each contract, price and desk, and of conversion; what countries are not offered. Never does: belong to a state: it is
//! in no snapshot, no digest and no hash; whoever runs entities fills it from [`crate::entity::Entity::publish`] after each delivery, and
//! anew at a start. Invariants: `evolve` never reads it: a fact carries what was read. Known limits: after a start only the last tick
//! of a price is known.

use crate::contract::book::params::BookParams;
use crate::contract::params::ContractParams;
use crate::convert::day_of;
use crate::convert::params::{ConvertParams, RING_NS};
use crate::entity::{Alarm, PriceAxis, TimeNs};
use crate::ids::{AssetId, MarketId, PriceId};
use crate::money::{Amount, Lots};
use crate::region::{Country, Products};
use crate::seconds::DeskId;
use crate::seconds::params::DeskParams;
use crate::spot::{MarketState, StateReason};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A contract as everybody sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractFace {
    /// Its parameters.
    pub params: Arc<ContractParams>,
    /// What it takes.
    pub state: MarketState,
    /// Why.
    pub reason: StateReason,
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
        self.state == MarketState::Trading && self.is_fresh(now)
    }

    /// Whether there is an index that is not too old, whatever the state.
    #[must_use]
    pub fn is_fresh(&self, now: TimeNs) -> bool {
        let (_, seq, time) = self.index;
        seq > 0 && now.saturating_sub(time) <= self.params.stale_after_ns()
    }
}

/// A tick of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// Its number in the price's log.
    pub seq: u64,
    /// The index.
    pub index: Amount,
    /// When it came.
    pub time: TimeNs,
}

/// Ticks that a face keeps at most, however many come.
const MOST_TICKS: usize = 1_024;

/// A price as everybody sees it: each tick that was the last one at some time within [`RING_NS`] before the newest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceFace {
    ticks: VecDeque<Tick>,
    jumps: bool,
}

impl PriceFace {
    /// The newest tick.
    #[must_use]
    pub fn last(&self) -> Option<Tick> {
        self.ticks.back().copied()
    }

    /// The tick that was the newest at a time, if it is kept.
    #[must_use]
    pub fn at(&self, time: TimeNs) -> Option<Tick> {
        let upto = self.ticks.partition_point(|tick| tick.time <= time);
        self.ticks.get(upto.checked_sub(1)?).copied()
    }

    /// Whether a jump waits to be confirmed.
    #[must_use]
    pub fn jumps(&self) -> bool {
        self.jumps
    }

    fn follow(&mut self, tick: Tick, jumps: bool) {
        self.jumps = jumps;
        if self.last().is_some_and(|last| last.seq >= tick.seq) {
            return;
        }
        self.ticks.push_back(tick);
        let kept = tick.time.saturating_sub(RING_NS);
        while self.ticks.len() > MOST_TICKS || self.ticks.get(1).is_some_and(|second| second.time <= kept) {
            self.ticks.pop_front();
        }
    }
}

/// Conversion as everybody sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertFace {
    /// Its parameters.
    pub params: Arc<ConvertParams>,
    /// The day of `given`, counted from 1970-01-01 in UTC.
    pub day: u32,
    /// What the house gave on that day, by asset.
    pub given: Vec<(AssetId, Amount)>,
}

impl ConvertFace {
    /// What the house gave of an asset today.
    #[must_use]
    pub fn given(&self, asset: AssetId, now: TimeNs) -> Amount {
        let today = self.given.iter().filter(|_| self.day == day_of(now));
        today.filter(|(given, _)| *given == asset).map(|(_, amount)| *amount).sum()
    }
}

/// A desk of seconds options as everybody sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskFace {
    /// Its terms.
    pub params: Arc<DeskParams>,
}

/// What everybody sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Board {
    contracts: BTreeMap<MarketId, ContractFace>,
    /// Contracts whose parameters became others, for [`Board::take_changed_terms`].
    changed: Vec<MarketId>,
    prices: BTreeMap<PriceId, PriceFace>,
    conversion: Option<ConvertFace>,
    desks: BTreeMap<DeskId, DeskFace>,
    barred: BTreeMap<Country, Products>,
}

static NOTHING: Board = Board {
    contracts: BTreeMap::new(),
    changed: Vec::new(),
    prices: BTreeMap::new(),
    conversion: None,
    desks: BTreeMap::new(),
    barred: BTreeMap::new(),
};

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

    /// A price, once it had a tick.
    #[must_use]
    pub fn price(&self, id: PriceId) -> Option<&PriceFace> {
        self.prices.get(&id)
    }

    /// Conversion, once it has parameters.
    #[must_use]
    pub fn conversion(&self) -> Option<&ConvertFace> {
        self.conversion.as_ref()
    }

    /// A price's last tick is this, and whether a jump waits.
    pub fn show_price(&mut self, id: PriceId, tick: Tick, jumps: bool) {
        self.prices.entry(id).or_default().follow(tick, jumps);
    }

    /// A desk of seconds options, once it is listed.
    #[must_use]
    pub fn desk(&self, id: DeskId) -> Option<&DeskFace> {
        self.desks.get(&id)
    }

    /// All desks of seconds options.
    pub fn desks(&self) -> impl Iterator<Item = (DeskId, &DeskFace)> {
        self.desks.iter().map(|(id, face)| (*id, face))
    }

    /// A desk shows this from now on.
    pub fn set_desk(&mut self, id: DeskId, face: DeskFace) {
        self.desks.insert(id, face);
    }

    /// Whether anything is not offered anywhere.
    #[must_use]
    pub fn bars_something(&self) -> bool {
        !self.barred.is_empty()
    }

    /// What is not offered in a country.
    #[must_use]
    pub fn barred(&self, country: Country) -> Products {
        self.barred.get(&country).copied().unwrap_or_default()
    }

    /// Countries have these rules from now on; none of them is without a product.
    pub fn set_barred(&mut self, barred: BTreeMap<Country, Products>) {
        self.barred = barred;
    }

    /// Conversion shows this from now on.
    pub fn set_conversion(&mut self, face: ConvertFace) {
        self.conversion = Some(face);
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
