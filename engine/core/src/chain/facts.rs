//! Facts of chains: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: coins that came are taken from the chain's custody account, whose balance is the
//! negative of what is on the chain. Rules: `docs/rules/custody.md`. Known limits: none.

use super::coins::{BlockHash, Key, OutPoint, TxId, Units};
use super::params::{ChainId, ChainParams};
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AccountId, AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::{FactBody, LogType, Posting, Role};

crate::wire_struct! {
    /// A chain has these parameters from now on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ChainSet {
        /// All of them.
        pub params: ChainParams,
    }
}

crate::wire_struct! {
    /// An account got an address.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct AddressAssigned {
        /// On which chain.
        pub chain: ChainId,
        /// How many addresses of the chain were assigned before it.
        pub number: u64,
        /// The address.
        pub key: Key,
        /// Whose it is.
        pub account: AccountId,
    }
}

crate::wire_struct! {
    /// Final blocks without anything of ours passed; or, from the zero hash, where the chain begins to be read.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct BlocksPassed {
        /// On which chain.
        pub chain: ChainId,
        /// The block before.
        pub from: BlockHash,
        /// Height of the last one that passed.
        pub height: u64,
        /// The last one that passed.
        pub hash: BlockHash,
    }
}

crate::wire_enum! {
    /// What became of coins that came.
    pub enum CreditKind {
        /// They are their owner's.
        Credited = 1,
        /// Less than the least deposit: kept until the address has received as much.
        Small = 2,
        /// A block's reward, which the chain may still take back.
        Coinbase = 3,
    }
}

crate::wire_struct! {
    /// Coins that came to an address of ours.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Credit {
        /// Where they are.
        pub at: OutPoint,
        /// The address.
        pub key: Key,
        /// Whose address it is.
        pub owner: AccountId,
        /// Which asset.
        pub asset: AssetId,
        /// What came, exactly.
        pub units: Units,
        /// What is booked of it.
        pub amount: Amount,
        /// What became of them.
        pub kind: CreditKind,
    }
}

impl Credit {
    /// The account that has them now.
    #[must_use]
    pub fn account(&self) -> AccountId {
        match self.kind {
            CreditKind::Credited => self.owner,
            CreditKind::Small | CreditKind::Coinbase => AccountId::UNCLAIMED,
        }
    }
}

crate::wire_struct! {
    /// A final block, or a part of one, with what concerns us in it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BlockTaken {
        /// On which chain.
        pub chain: ChainId,
        /// The block before it.
        pub from: BlockHash,
        /// Its height.
        pub height: u64,
        /// Its hash.
        pub hash: BlockHash,
        /// Which part of it, from 0 on.
        pub part: u32,
        /// It has no other part.
        pub last: bool,
        /// Addresses that were looked for: those with lower numbers.
        pub known: u64,
        /// What came, in the order of the block.
        pub credits: Vec<Credit>,
    }
}

crate::wire_struct! {
    /// An address has received as much as the least deposit: what was kept of it is its owner's.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SmallDepositsCredited {
        /// On which chain.
        pub chain: ChainId,
        /// The address.
        pub key: Key,
        /// Whose it is.
        pub account: AccountId,
        /// Which asset.
        pub asset: AssetId,
        /// How much.
        pub amount: Amount,
    }
}

crate::wire_enum! {
    /// Why a chain is not read any more.
    pub enum HaltReason {
        /// A final block is not on the chain any more.
        Reorganised = 1,
        /// Coins of ours were spent, and not by us.
        Spent = 2,
        /// An operator stopped it.
        Operator = 3,
    }
}

crate::wire_struct! {
    /// Nothing is credited and nothing is paid on a chain, until operators let it go on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ChainHalted {
        /// Which.
        pub chain: ChainId,
        /// Why.
        pub reason: HaltReason,
        /// Height at which it was noticed.
        pub height: u64,
        /// The transaction that spent what is ours; zeros of other reasons.
        pub txid: TxId,
    }
}

crate::wire_struct! {
    /// A chain that was halted is read again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ChainResumed {
        /// Which.
        pub chain: ChainId,
    }
}

fn row(account: AccountId, asset: AssetId, amount: Amount, reference: u64) -> Posting {
    let (wallet, log, locked) = (Wallet::Funding, LogType::DEPOSIT, Amount::ZERO);
    Posting { account, wallet, asset, log, available: amount, locked, reference }
}

impl FactBody for ChainSet {}
impl FactBody for BlocksPassed {}
impl FactBody for ChainHalted {}
impl FactBody for ChainResumed {}

impl FactBody for AddressAssigned {
    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Address(self.key))
    }
}

impl FactBody for BlockTaken {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        if !self.credits.is_empty() {
            tell(EntityId::Account(AccountId::custody(self.chain.0)), Role::Other);
        }
        for (n, credit) in (0..).zip(&self.credits) {
            tell(EntityId::Account(credit.account()), Role::Item(n));
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        match role {
            Role::Item(n) => {
                let credit = &self.credits[n as usize];
                post(row(credit.account(), credit.asset, credit.amount, self.height));
            }
            Role::Other => {
                let custody = AccountId::custody(self.chain.0);
                self.credits.iter().for_each(|credit| post(row(custody, credit.asset, -credit.amount, self.height)));
            }
            Role::Decider | Role::Taker | Role::Maker(_) | Role::Fees | Role::Insurance => {}
        }
    }
}

impl FactBody for SmallDepositsCredited {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.account), Role::Item(0));
        tell(EntityId::Account(AccountId::UNCLAIMED), Role::Other);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        match role {
            Role::Item(_) => post(row(self.account, self.asset, self.amount, 0)),
            Role::Other => post(row(AccountId::UNCLAIMED, self.asset, -self.amount, 0)),
            Role::Decider | Role::Taker | Role::Maker(_) | Role::Fees | Role::Insurance => {}
        }
    }
}

crate::record::product_facts! {
    /// Facts of chains.
    Chain(ChainFact) {
        /// Parameters of a chain.
        ChainSet = 170 v 1,
        /// An account got an address.
        AddressAssigned = 171 v 1,
        /// Blocks without anything of ours.
        BlocksPassed = 172 v 1,
        /// A block with something of ours.
        BlockTaken = 173 v 1,
        /// Small deposits that are enough together.
        SmallDepositsCredited = 174 v 1,
        /// A chain is not read any more.
        ChainHalted = 175 v 1,
        /// It is read again.
        ChainResumed = 176 v 1,
    }
}

impl ChainFact {
    /// Whether it names accounts: those that get coins, and the one that they are taken from.
    #[must_use]
    pub fn names_accounts(&self) -> bool {
        match self {
            ChainFact::BlockTaken(_) | ChainFact::SmallDepositsCredited(_) => true,
            ChainFact::ChainSet(_)
            | ChainFact::AddressAssigned(_)
            | ChainFact::BlocksPassed(_)
            | ChainFact::ChainHalted(_)
            | ChainFact::ChainResumed(_) => false,
        }
    }
}
