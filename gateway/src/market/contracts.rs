//! Contracts as everybody sees them: the engine's own entities, folded from durable facts, and the board that they publish.
//!
//! Owns: the fold, the board that calls and sockets read, counts for operators. Never does: decide. Invariants: the board is what
//! the cell's was when its last durable record was made. Known limits: what is counted without an end, and the list of funding
//! periods, begin anew with the process.

use super::lights::{Lights, Watch};
use arc_swap::ArcSwap;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use xng_core::account::Ticket;
use xng_core::board::{Board, ContractFace};
use xng_core::codec::{DecodeError, Reader};
use xng_core::contract::Contract;
use xng_core::contract::book::ContractBook;
use xng_core::contract::book::facts::BookFact;
use xng_core::contract::facts::ContractFact;
use xng_core::contract::funding::{FundingTerms, rate};
use xng_core::contract::params::ContractParams;
use xng_core::contract::ticket_facts::CloseReason;
use xng_core::contract::tickets::HUNDREDTHS;
use xng_core::entity::{Applied, Entity, TimeNs};
use xng_core::ids::{AssetId, EntityId, MarketId};
use xng_core::money::{Amount, Lots};
use xng_core::record::{Fact, Role};

/// Tickets of a contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that are open.
    pub open: u64,
    /// Those that wait for their price.
    pub waiting: u64,
    /// Liquidated since the start.
    pub liquidated: u64,
}

/// Liquidations of positions in a contract's book, since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LegCounts {
    /// Steps that were taken.
    pub steps: u64,
    /// Steps of which a part was closed against the positions of others.
    pub deleveraged: u64,
    /// What the insurance gave.
    pub insured: Amount,
    /// Orders whose price came and that were refused then.
    pub refused: u64,
}

/// What owners could not pay since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deficits {
    /// The insurance paid.
    pub paid: Amount,
    /// The house bears.
    pub borne: Amount,
}

/// Counts for operators.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// By contract.
    pub tickets: BTreeMap<MarketId, Counts>,
    /// By contract.
    pub legs: BTreeMap<MarketId, LegCounts>,
    /// By what they were owed in.
    pub deficits: BTreeMap<AssetId, Deficits>,
}

impl Tally {
    fn of(&mut self, contract: MarketId) -> &mut Counts {
        self.tickets.entry(contract).or_default()
    }

    fn follow_book(&mut self, fact: &BookFact) {
        match fact {
            BookFact::LegLiquidated(f) => {
                let counts = self.legs.entry(f.units.contract).or_default();
                counts.steps += 1;
                counts.deleveraged += u64::from(f.deleverage.is_some());
                counts.insured += f.insured;
            }
            BookFact::ConditionalsChanged(f) => {
                self.legs.entry(f.units.contract).or_default().refused += u64::from(f.refused.is_some());
            }
            BookFact::BookListed(_)
            | BookFact::BookParamsChanged(_)
            | BookFact::ContractOrderPlaced(_)
            | BookFact::ContractOrdersCanceled(_)
            | BookFact::ContractOrderAmended(_)
            | BookFact::BookQuotesSet(_)
            | BookFact::LegMarginMoved(_)
            | BookFact::LegTermsSet(_)
            | BookFact::PositionModeSet(_)
            | BookFact::ResultsSettled(_)
            | BookFact::LiquidationStarted(_)
            | BookFact::LiquidationEnded(_)
            | BookFact::QuotaSet(_)
            | BookFact::CountdownSet(_)
            | BookFact::FundingSet(_)
            | BookFact::FundingPaid(_) => {}
        }
    }

    fn follow(&mut self, fact: &ContractFact) {
        match fact {
            ContractFact::TicketOpened(f) => self.of(f.terms.contract).open += 1,
            ContractFact::TicketReserved(f) => self.of(f.terms.contract).waiting += 1,
            ContractFact::TicketCanceled(f) => self.of(f.contract).waiting -= 1,
            ContractFact::TicketsMoved(f) => {
                for activated in &f.activated {
                    let counts = self.of(activated.contract);
                    (counts.waiting, counts.open) = (counts.waiting - 1, counts.open + 1);
                }
                for closed in &f.closed {
                    let counts = self.of(closed.contract);
                    counts.open -= 1;
                    counts.liquidated += u64::from(closed.reason == CloseReason::Liquidation);
                }
            }
            ContractFact::DeficitCovered(f) => {
                let deficits = self.deficits.entry(f.settle).or_default();
                deficits.paid += f.paid;
                deficits.borne += f.deficit - f.paid;
            }
            ContractFact::ContractListed(_)
            | ContractFact::ContractParamsChanged(_)
            | ContractFact::ContractStateChanged(_)
            | ContractFact::MarkSet(_)
            | ContractFact::TicketStopsSet(_)
            | ContractFact::NightCharged(_)
            | ContractFact::RiskWarned(_) => {}
        }
    }
}

/// What everybody sees of a contract's book beside its levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookFigures {
    /// Lots of all long positions, which are as many as those of all short ones.
    pub open: Lots,
    /// Positions, open orders, and orders that wait for a price.
    pub counts: [usize; 3],
    /// The rate of the last funding period.
    pub rate: Amount,
    /// The rate that the present period has so far.
    pub next_rate: Amount,
    /// When it ends.
    pub due: TimeNs,
    /// The last trade's price; zero before the first.
    pub last: Amount,
    /// What the insurance set apart for its liquidations.
    pub quota: Amount,
}

impl BookFigures {
    fn of(params: &ContractParams, book: &ContractBook) -> BookFigures {
        let (state, p) = (book.funding(), &book.params().funding);
        let terms = FundingTerms { interest: p.interest, inner: p.inner, cap: p.cap, period_s: p.period_s };
        BookFigures {
            open: book.legs().lots().0,
            counts: [book.legs().len(), book.orders().len(), book.waiting().len()],
            rate: state.rate,
            next_rate: rate(&terms, state.premiums, state.weights),
            due: state.due,
            last: params.book_units().price(book.last()),
            quota: book.quota(),
        }
    }
}

/// A funding period that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FundingEnd {
    /// Which contract.
    pub contract: MarketId,
    /// When it was over.
    pub due: TimeNs,
    /// Its rate.
    pub rate: Amount,
    /// The mark then.
    pub mark: Amount,
}

/// Ends of funding periods that are kept.
const FUNDING_KEPT: usize = 2_000;

#[derive(Debug, Default)]
struct Inner {
    board: ArcSwap<Board>,
    books: ArcSwap<BTreeMap<MarketId, BookFigures>>,
    lights: ArcSwap<Lights>,
    funding: Mutex<VecDeque<FundingEnd>>,
    tally: Mutex<Tally>,
}

/// The board of contracts, for all threads.
#[derive(Debug, Clone, Default)]
pub struct Contracts(Arc<Inner>);

impl Contracts {
    /// What everybody sees now.
    #[must_use]
    pub fn now(&self) -> Arc<Board> {
        self.0.board.load_full()
    }

    /// What everybody sees now of books, beside levels.
    #[must_use]
    pub fn books(&self) -> Arc<BTreeMap<MarketId, BookFigures>> {
        self.0.books.load_full()
    }

    /// Lights of positions.
    #[must_use]
    pub fn lights(&self) -> Arc<Lights> {
        self.0.lights.load_full()
    }

    /// The latest funding periods that are over, oldest first.
    #[must_use]
    pub fn funding(&self) -> Vec<FundingEnd> {
        self.0.funding.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// What operators see now.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.counts().clone()
    }

    fn counts(&self) -> MutexGuard<'_, Tally> {
        self.0.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of the house's caps that the tickets of a contract use, in parts per million: the larger one of both caps.
#[must_use]
pub fn cap_used_ppm(face: &ContractFace) -> i128 {
    let (long, short) = (i128::from(face.tickets.0.0), i128::from(face.tickets.1.0));
    let (one_sided, both) = face.params.tickets.house_caps;
    let part = |lots: i128, cap: Lots| lots * 1_000_000 / (i128::from(cap.0) * i128::from(HUNDREDTHS));
    part((long - short).abs(), one_sided).max(part(long + short, both))
}

/// A contract with a book by its symbol.
#[must_use]
pub fn by_symbol<'b>(board: &'b Board, symbol: &str) -> Option<(MarketId, &'b ContractFace)> {
    board.contracts().find(|(_, face)| face.params.symbol == symbol && face.book.is_some())
}

/// A contract by its two assets.
#[must_use]
pub fn by_pair(board: &Board, base: AssetId, settle: AssetId) -> Option<(MarketId, &ContractFace)> {
    board.contracts().find(|(_, face)| face.params.base == base && face.params.settle == settle)
}

/// Contracts and tickets as recovery found them: contracts in the form that snapshots have.
#[derive(Debug, Default)]
pub struct Found {
    contracts: Vec<(MarketId, Vec<u8>)>,
    tally: Tally,
}

impl Found {
    /// Takes a copy of each contract, and counts tickets.
    pub fn of<'a>(
        contracts: impl Iterator<Item = (MarketId, &'a Contract)>,
        tickets: impl Iterator<Item = &'a Ticket>,
    ) -> Found {
        let copy = |(id, contract): (MarketId, &Contract)| {
            let mut bytes = Vec::with_capacity(512);
            contract.save(&mut bytes);
            (id, bytes)
        };
        let mut tally = Tally::default();
        for ticket in tickets {
            let counts = tally.of(ticket.terms.contract);
            *(if ticket.is_open() { &mut counts.open } else { &mut counts.waiting }) += 1;
        }
        Found { contracts: contracts.map(copy).collect(), tally }
    }
}

/// Follows facts of contracts.
#[derive(Debug, Default)]
pub struct Fold {
    contracts: BTreeMap<MarketId, Contract>,
    watch: Watch,
    shared: Contracts,
}

impl Fold {
    /// Goes on from what recovery found.
    ///
    /// # Errors
    /// A copy that cannot be read.
    pub fn from(found: &Found) -> Result<Fold, DecodeError> {
        let mut fold = Fold::default();
        *fold.shared.counts() = found.tally.clone();
        for (id, bytes) in &found.contracts {
            fold.contracts.insert(*id, Contract::load(*id, &mut Reader::new(bytes))?);
        }
        fold.publish(fold.contracts.keys().copied().collect());
        Ok(fold)
    }

    /// A contract as of the last record.
    #[must_use]
    pub fn contract(&self, id: MarketId) -> Option<&Contract> {
        self.contracts.get(&id)
    }

    /// All contracts as of the last record.
    pub fn contracts(&self) -> impl Iterator<Item = &Contract> {
        self.contracts.values()
    }

    /// What it publishes.
    #[must_use]
    pub fn shared(&self) -> Contracts {
        self.shared.clone()
    }

    /// The next durable record.
    pub fn follow(&mut self, applied: Applied<'_>) {
        // Nothing else names a contract.
        if !matches!(applied.record.fact, Fact::Contract(_) | Fact::Price(_) | Fact::Book(_)) {
            return;
        }
        if let Fact::Book(BookFact::FundingSet(f)) = &applied.record.fact {
            let mut funding = self.shared.0.funding.lock().unwrap_or_else(PoisonError::into_inner);
            if funding.len() == FUNDING_KEPT {
                funding.pop_front();
            }
            funding.push_back(FundingEnd { contract: f.units.contract, due: f.due, rate: f.rate, mark: f.mark });
        }
        if let Fact::Contract(fact) = &applied.record.fact {
            self.shared.counts().follow(fact);
        }
        if let Fact::Book(fact) = &applied.record.fact {
            self.shared.counts().follow_book(fact);
        }
        let mut named: Vec<(MarketId, Role)> = Vec::new();
        applied.record.fact.parties(applied.record.decider, |entity, role| {
            if let EntityId::Contract(id) = entity {
                named.push((id, role));
            }
        });
        for (id, role) in &named {
            self.contracts.entry(*id).or_insert_with(|| Contract::blank(*id)).evolve(applied, *role);
        }
        for (id, _) in &named {
            let contract = self.contracts.get(id);
            let seen = self.shared.lights();
            let found = contract.and_then(|contract| self.watch.look(contract, *id, applied.record.time, &seen));
            found.into_iter().for_each(|found| self.shared.0.lights.store(Arc::new(found)));
        }
        self.publish(named.into_iter().map(|(id, _)| id).collect());
    }

    fn publish(&self, changed: Vec<MarketId>) {
        if changed.is_empty() {
            return;
        }
        let mut board = Board::clone(&self.shared.0.board.load());
        let mut books = BTreeMap::clone(&self.shared.0.books.load());
        for (id, contract) in changed.iter().filter_map(|id| Some((*id, self.contracts.get(id)?))) {
            contract.publish(&mut board);
            let figures = contract.params().zip(contract.book()).map(|(params, book)| BookFigures::of(params, book));
            books.extend(figures.map(|figures| (id, figures)));
        }
        self.shared.0.board.store(Arc::new(board));
        self.shared.0.books.store(Arc::new(books));
    }
}
