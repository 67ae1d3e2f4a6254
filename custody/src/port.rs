//! What every chain's adapter can do.
//!
//! Owns: the trait, the values that cross it, the kinds of failure. Never does: I/O; decide what a block means for an
//! account. Invariants: a failure says whether the same question may be asked again; an answer that is not whole is a
//! failure. Known limits: calls block, so an adapter has a thread of its own; the trait is of chains of coins: one of
//! accounts has calls of its own, with the same failures (`evm`).

use std::fmt;
use thiserror::Error;
use xng_core::chain::{BlockHash, OutPoint, TxId, Units};

/// A block by its place and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockId {
    /// Blocks below it.
    pub height: u64,
    /// Its hash.
    pub hash: BlockHash,
}

/// A block with everything that moves coins in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its place and hash.
    pub id: BlockId,
    /// The block below; none for the first one.
    pub parent: Option<BlockHash>,
    /// In the block's order.
    pub transactions: Vec<Transaction>,
}

/// A transaction in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Its id.
    pub txid: TxId,
    /// It pays the miner and spends nothing.
    pub coinbase: bool,
    /// What it spends, in its order.
    pub spends: Vec<OutPoint>,
    /// What it pays, in its order: the output's number is its place.
    pub outputs: Vec<Output>,
}

/// An output of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Which one, from 0 on.
    pub n: u32,
    /// The address that it pays; none when its script has none.
    pub address: Option<String>,
    /// How much.
    pub units: Units,
}

/// Satoshi per 1,000 virtual bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FeeRate(pub u64);

impl FeeRate {
    /// The fee of `virtual_bytes` at this rate, rounded up: never below what the node asks for.
    #[must_use]
    pub fn fee(self, virtual_bytes: u64) -> Units {
        Units((u128::from(self.0) * u128::from(virtual_bytes)).div_ceil(1_000))
    }
}

/// Where a transaction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The node does not have it, neither waiting nor in the chain that it follows.
    Unknown,
    /// It waits in the node's pool.
    InPool,
    /// In this block.
    InBlock(BlockId),
}

/// Unspent outputs of a set of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unspent {
    /// The block after which this holds.
    pub at: BlockId,
    /// All of them, each once.
    pub outputs: Vec<UnspentOutput>,
}

/// An output that no block spends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnspentOutput {
    /// Where it is.
    pub at: OutPoint,
    /// What it holds.
    pub units: Units,
    /// Height of its block.
    pub height: u64,
}

impl Unspent {
    /// What they hold together.
    #[must_use]
    pub fn units(&self) -> Units {
        Units(self.outputs.iter().map(|output| output.units.0).sum())
    }
}

/// A node did take a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is in the pool and is told to others. Also when it was in the pool before: the node does not tell these apart.
    InPool,
    /// The node has it already, in a block or in the pool: look it up with [`ChainAdapter::find`].
    Known,
}

/// Why a chain did not answer a question.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ChainError {
    /// No connection, no answer in time, or too many questions at once. Ask again.
    #[error("the node is not reachable: {0}")]
    Unreachable(String),
    /// The node starts or builds an index. Ask again.
    #[error("the node is not ready: {0}")]
    NotReady(String),
    /// The chain changed while it was read. Ask again.
    #[error("the chain moved while it was read")]
    Moved,
    /// The node refuses our password or cookie.
    #[error("the node refuses our credentials")]
    Unauthorised,
    /// The node follows another chain.
    #[error("the node follows {theirs}, not {ours}")]
    WrongChain {
        /// What it was asked to follow.
        ours: String,
        /// What it follows.
        theirs: String,
    },
    /// The node's settings lack something that we need.
    #[error("the node's settings: {0}")]
    Settings(&'static str),
    /// There is no block so high.
    #[error("there is no block at height {0}")]
    NoBlock(u64),
    /// The answer does not have its form, or contradicts itself. A defect of the node, or another program.
    #[error("the node's answer is wrong: {0}")]
    Shape(String),
    /// The node refuses the question, with its code.
    #[error("the node refuses: {message} ({code})")]
    Rpc {
        /// Its code.
        code: i64,
        /// Its words.
        message: String,
    },
    /// What we ask for makes no sense: a defect of ours or a wrong setting.
    #[error("a wrong question: {0}")]
    Question(String),
}

impl ChainError {
    /// The same question may be answered later, without a person.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            ChainError::Unreachable(_) | ChainError::NotReady(_) | ChainError::Moved | ChainError::NoBlock(_) => true,
            ChainError::Unauthorised
            | ChainError::WrongChain { .. }
            | ChainError::Settings(_)
            | ChainError::Shape(_)
            | ChainError::Rpc { .. }
            | ChainError::Question(_) => false,
        }
    }
}

/// Why a node did not take a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BroadcastError {
    /// An input is spent or unknown to the node; on a chain of accounts: the nonce is used. Also the answer for a transaction
    /// in a block whose outputs are all spent again: look it up with [`ChainAdapter::find`] before anything else is concluded.
    #[error("an input is spent elsewhere, or not there: {0}")]
    SpentElsewhere(String),
    /// The fee is below what the node takes now, or below what a replacement must pay. More fee may help.
    #[error("the fee is too low: {0}")]
    FeeTooLow(String),
    /// The node refuses it for another reason; it will not change its mind by itself.
    #[error("refused: {0}")]
    Refused(String),
    /// The node did not answer, or not to the question: nobody knows whether it was taken. Send the same bytes again.
    #[error(transparent)]
    Chain(#[from] ChainError),
}

/// A chain, through one node. Every call may block as long as the adapter's time limits allow.
pub trait ChainAdapter: Send + fmt::Debug {
    /// The node's best block.
    ///
    /// # Errors
    /// Every kind of [`ChainError`] but `NoBlock`.
    fn tip(&mut self) -> Result<BlockId, ChainError>;

    /// How many confirmations make a block final, at least 1: the tip has one.
    fn confirmations(&self) -> u64;

    /// The highest final block: `tip - confirmations + 1`; the first block, 0, always is.
    ///
    /// # Errors
    /// Those of [`ChainAdapter::tip`].
    fn final_height(&mut self) -> Result<u64, ChainError> {
        let tip = self.tip()?;
        Ok((tip.height + 1).saturating_sub(self.confirmations().max(1)))
    }

    /// The block at this height of the chain that the node follows now. Whether it continues the block below is the
    /// caller's to check, by its parent.
    ///
    /// # Errors
    /// `NoBlock` above the tip, and every other kind.
    fn block(&mut self, height: u64) -> Result<Block, ChainError>;

    /// What a transaction should pay now, between the adapter's floor and cap.
    ///
    /// # Errors
    /// Every kind of [`ChainError`] but `NoBlock`.
    fn fee_rate(&mut self) -> Result<FeeRate, ChainError>;

    /// Gives the node a signed transaction. The same bytes may be sent any number of times.
    ///
    /// # Errors
    /// See [`BroadcastError`]; none of its variants proves that the transaction is void.
    fn broadcast(&mut self, raw: &[u8]) -> Result<Taken, BroadcastError>;

    /// Where a transaction is now.
    ///
    /// # Errors
    /// Every kind of [`ChainError`] but `NoBlock`; never `Unknown` merely because the node cannot look.
    fn find(&mut self, txid: TxId) -> Result<Found, ChainError>;

    /// Unspent outputs of these addresses, all at one block. An address that is named twice counts once.
    ///
    /// # Errors
    /// `Moved` when blocks come faster than the node counts, and every other kind but `NoBlock`.
    fn unspent(&mut self, addresses: &[String]) -> Result<Unspent, ChainError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fee_is_rounded_up() {
        assert_eq!(FeeRate(1_000).fee(141), Units(141));
        assert_eq!(FeeRate(1_001).fee(141), Units(142));
        assert_eq!(FeeRate(u64::MAX).fee(u64::MAX).0, (u128::from(u64::MAX) * u128::from(u64::MAX)).div_ceil(1_000));
    }
}
