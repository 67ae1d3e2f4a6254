//! What a chain can be asked.
//!
//! Owns: its commands and what they carry. Never does: decide. Invariants: none. Known limits: none.

use super::accounts::{GasPrice, TransferBlock};
use super::coins::{BlockHash, Key, OutPoint, TxId, Units};
use super::params::ChainParams;
use super::terms::WithdrawalTerms;
use super::withdrawal::{PlanId, WithdrawalId, WithdrawalRequest};
use super::withdrawal_facts::Vote;
use crate::account::Tier;
use crate::ids::{AccountId, AssetId};

/// An output to an address of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// Where it is.
    pub at: OutPoint,
    /// The address.
    pub key: Key,
    /// What it holds.
    pub units: Units,
    /// A block's reward.
    pub coinbase: bool,
}

/// A transaction spends a coin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spend {
    /// The coin.
    pub coin: OutPoint,
    /// The transaction.
    pub by: TxId,
}

/// A final block, or a part of one, with what concerns us in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalBlock {
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
    /// Addresses that were looked for: those with lower numbers. The same in all parts.
    pub known: u64,
    /// In the order of the block, [`MOST_CREDITS`] at most.
    pub outputs: Vec<Output>,
    /// Outputs that were ours and that this part spends, by [`super::MOST_OWN`] transactions at most.
    pub spends: Vec<Spend>,
}

/// What a chain can be asked.
#[derive(Debug, Clone)]
pub enum ChainCommand {
    /// Set its parameters (configuration and operators only).
    Set(Box<ChainParams>),
    /// Give an account its `n`-th address, from 1 on; one that it has is told again.
    Assign {
        /// Whose.
        account: AccountId,
        /// Which of its addresses.
        n: u32,
    },
    /// Final blocks without anything of ours (who reads the node only).
    Pass {
        /// Height of the block before; of the first block 0.
        after: u64,
        /// The block before; of the first block zeros.
        from: BlockHash,
        /// Height of the last one.
        height: u64,
        /// The last one.
        hash: BlockHash,
    },
    /// A final block of a chain of coins with something of ours (who reads the node only).
    Take(Box<FinalBlock>),
    /// The same of a chain of accounts.
    TakeTransfers(Box<TransferBlock>),
    /// Our coins were looked up, all after one block (who reads the node only).
    CheckReserve {
        /// The block: the last one that was read.
        height: u64,
        /// A token's; none of the chain's own coin.
        token: Option<AssetId>,
        /// What the node shows of our coins.
        found: Units,
        /// What it shows on our addresses besides.
        besides: Units,
    },
    /// Take and pay nothing any more (operators only).
    Halt,
    /// Go on (operators only).
    Resume,
    /// Small deposits are enough together.
    Timer,
    /// Set the terms of withdrawals (configuration and operators only).
    SetTerms(Box<WithdrawalTerms>),
    /// Withdraw (the account asks for it, which holds what it takes).
    Request {
        /// Whose.
        account: AccountId,
        /// How well its owner is known.
        tier: Tier,
        /// What.
        wanted: Box<WithdrawalRequest>,
    },
    /// Take a withdrawal back.
    Cancel {
        /// Who asks; only the owner may.
        account: AccountId,
        /// Which.
        withdrawal: WithdrawalId,
    },
    /// A person of the exchange agrees or refuses (operators only).
    Vote {
        /// Which.
        withdrawal: WithdrawalId,
        /// Who, and why.
        vote: Vote,
        /// Whether it is paid.
        agrees: bool,
        /// How many had agreed when this person looked; who agrees is refused at another number.
        seen: Option<u32>,
    },
    /// Make a transaction for what waits, on a chain of coins (who follows the node only).
    Plan {
        /// Units per 1,000 virtual bytes.
        rate: u64,
    },
    /// Make one with more fee, on a chain of coins (who follows the node only).
    Bump {
        /// Of which plan.
        plan: PlanId,
        /// Units per 1,000 virtual bytes.
        rate: u64,
    },
    /// Make a transaction for what waits, on a chain of accounts (who follows the node only).
    PlanTransfer {
        /// What a unit of gas costs.
        gas: GasPrice,
    },
    /// Make one with more fee, on a chain of accounts (who follows the node only).
    BumpTransfer {
        /// Of which plan.
        plan: PlanId,
        /// What a unit of gas costs.
        gas: GasPrice,
    },
    /// What the signer gave (who asks it only, after checking it).
    Signed {
        /// Of which plan.
        plan: PlanId,
        /// Which of its transactions.
        attempt: u32,
        /// Its id.
        txid: TxId,
        /// Its bytes.
        raw: Vec<u8>,
    },
}
