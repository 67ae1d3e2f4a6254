//! Facts of contracts: the list of them, and the forms of those that name no account.
//!
//! Owns: these. Never does: decide. Invariants: every number that is needed to apply a fact is in it.
//! Rules: `docs/rules/contracts.md`. Known limits: none.

use super::params::ContractParams;
use super::ticket_facts::{
    DeficitCovered, NightCharged, RiskWarned, TicketCanceled, TicketOpened, TicketOpenedV1, TicketReserved,
    TicketStopsSet, TicketsMoved, TicketsMovedV1,
};
use crate::ids::MarketId;
use crate::money::{Amount, Exact};
use crate::record::FactBody;
use crate::spot::{MarketState, StateReason};

crate::wire_struct! {
    /// A contract exists.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ContractListed {
        /// Its parameters.
        pub params: ContractParams,
    }
}

crate::wire_struct! {
    /// A contract has other parameters.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ContractParamsChanged {
        /// All of them.
        pub params: ContractParams,
    }
}

crate::wire_struct! {
    /// A contract takes something else now.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ContractStateChanged {
        /// Which one.
        pub contract: MarketId,
        /// What it takes.
        pub state: MarketState,
        /// Why.
        pub reason: StateReason,
    }
}

crate::wire_struct! {
    /// The mark moved.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct MarkSet {
        /// Which contract.
        pub contract: MarketId,
        /// Number of the mark, from 1.
        pub seq: u64,
        /// The index, its number in the tick log, and the tick's time.
        pub index: Amount,
        /// See there.
        pub index_seq: u64,
        /// See there.
        pub index_time: u64,
        /// The mark.
        pub mark: Amount,
        /// It opens a contract that waited for a price.
        pub opens: bool,
        /// A new sample of the book's middle less the index.
        pub basis: Option<Amount>,
        /// A new sample of the premium, and its number in the funding period.
        pub premium: Option<(u32, Exact)>,
    }
}

crate::wire_struct! {
    /// The first form of [`MarkSet`]: contracts had no books.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct MarkSetV1 {
        /// Which contract.
        pub contract: MarketId,
        /// Number of the mark, from 1.
        pub seq: u64,
        /// The index, its number in the tick log, and the tick's time.
        pub index: Amount,
        /// See there.
        pub index_seq: u64,
        /// See there.
        pub index_time: u64,
        /// The mark.
        pub mark: Amount,
        /// It opens a contract that waited for a price.
        pub opens: bool,
    }
}

impl From<MarkSetV1> for MarkSet {
    fn from(f: MarkSetV1) -> MarkSet {
        let MarkSetV1 { contract, seq, index, index_seq, index_time, mark, opens } = f;
        MarkSet { contract, seq, index, index_seq, index_time, mark, opens, basis: None, premium: None }
    }
}

crate::wire_enum! {
    /// Whose money a position may lose.
    pub enum MarginMode {
        /// Its own margin only.
        Isolated = 1,
        /// All of the pool.
        Cross = 2,
    }
}

impl FactBody for ContractListed {}
impl FactBody for ContractParamsChanged {}
impl FactBody for ContractStateChanged {}
impl FactBody for MarkSet {}

crate::record::product_facts! {
    /// Facts of contracts.
    Contract(ContractFact) {
        /// A contract exists.
        ContractListed = 50 v 1,
        /// A contract has other parameters.
        ContractParamsChanged = 51 v 1,
        /// A contract takes something else now.
        ContractStateChanged = 52 v 1,
        /// The mark moved.
        MarkSet = 53 v 2 (1: MarkSetV1),
        /// A ticket was opened.
        TicketOpened = 54 v 2 (1: TicketOpenedV1),
        /// Tickets were opened or closed by prices, or closed by their owner.
        TicketsMoved = 55 v 2 (1: TicketsMovedV1),
        /// A limit ticket waits.
        TicketReserved = 56 v 1,
        /// A limit ticket was cancelled.
        TicketCanceled = 57 v 1,
        /// A ticket is closed at other prices.
        TicketStopsSet = 58 v 1,
        /// A night was charged.
        NightCharged = 59 v 1,
        /// A pool came near its end.
        RiskWarned = 73 v 1,
        /// The insurance paid what owners could not.
        DeficitCovered = 74 v 1,
    }
}
