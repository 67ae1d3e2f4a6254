//! A chain's node, whatever its form.
//!
//! Owns: one form for the questions of reading and paying. Never does: decide what a block means. Invariants: those of the adapters.
//! Known limits: none.

use xng_core::chain::{BlockHash, ChainCommand, ChainParams, Contract, GasPrice, PlanId, TxId};
use xng_custody::bitcoin::Bitcoind;
use xng_custody::evm::{self, Evm};
use xng_custody::port::{Block, BlockId, BroadcastError, ChainAdapter, ChainError, Found, Taken};

/// See the module's header.
#[derive(Debug)]
pub(super) enum Node {
    /// Of a chain of coins.
    Coins(Box<Bitcoind>),
    /// Of a chain of accounts.
    Accounts(Box<Evm>),
}

/// A block of either form.
#[derive(Debug)]
pub(super) enum NodeBlock {
    /// Of a chain of coins.
    Coins(Block),
    /// Of a chain of accounts.
    Accounts(evm::Block),
}

impl NodeBlock {
    pub(super) fn id(&self) -> BlockId {
        match self {
            NodeBlock::Coins(block) => block.id,
            NodeBlock::Accounts(block) => block.id,
        }
    }

    /// The block below; none for the first one.
    pub(super) fn parent(&self) -> Option<BlockHash> {
        match self {
            NodeBlock::Coins(block) => block.parent,
            NodeBlock::Accounts(block) => block.parent,
        }
    }
}

/// What a transaction should pay now.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fee {
    /// Units per 1,000 virtual bytes.
    Rate(u64),
    /// For a unit of gas.
    Gas(GasPrice),
}

impl Fee {
    /// Asks the chain for the next transaction.
    pub(super) fn plan(self) -> ChainCommand {
        match self {
            Fee::Rate(rate) => ChainCommand::Plan { rate },
            Fee::Gas(gas) => ChainCommand::PlanTransfer { gas },
        }
    }

    /// Asks for one in the place of the last one of a plan.
    pub(super) fn bump(self, plan: PlanId) -> ChainCommand {
        match self {
            Fee::Rate(rate) => ChainCommand::Bump { plan, rate },
            Fee::Gas(gas) => ChainCommand::BumpTransfer { plan, gas },
        }
    }
}

impl Node {
    /// The best block.
    ///
    /// # Errors
    /// As the adapters have it, here and below.
    pub(super) fn tip(&mut self) -> Result<BlockId, ChainError> {
        match self {
            Node::Coins(node) => node.tip(),
            Node::Accounts(node) => node.tip(),
        }
    }

    /// Whether it reads all assets of a chain with these parameters. What it does not read would look as if it had not moved.
    pub(super) fn reads_all(&self, params: &ChainParams) -> bool {
        let contracts: Vec<Contract> = params.assets().filter_map(|asset| asset.contract).collect();
        match self {
            Node::Coins(_) => contracts.is_empty() && params.accounts.is_none(),
            Node::Accounts(node) => contracts.iter().all(|contract| node.tokens().any(|token| token.0 == *contract)),
        }
    }

    /// Height of the last final block; `confirmations` make one final where the chain does not say so itself.
    pub(super) fn final_height(&mut self, tip: BlockId, confirmations: u32) -> Result<u64, ChainError> {
        match self {
            Node::Coins(_) => Ok(tip.height.saturating_add(1).saturating_sub(u64::from(confirmations))),
            Node::Accounts(node) => Ok(node.final_block()?.height),
        }
    }

    pub(super) fn block(&mut self, height: u64) -> Result<NodeBlock, ChainError> {
        match self {
            Node::Coins(node) => node.block(height).map(NodeBlock::Coins),
            Node::Accounts(node) => node.block(height).map(NodeBlock::Accounts),
        }
    }

    pub(super) fn fee(&mut self) -> Result<Fee, ChainError> {
        match self {
            Node::Coins(node) => node.fee_rate().map(|rate| Fee::Rate(rate.0)),
            Node::Accounts(node) => node.fee().map(|fee| {
                let (max_fee, max_priority_fee) = (fee.max_fee_per_gas, fee.max_priority_fee_per_gas);
                Fee::Gas(GasPrice { max_fee, max_priority_fee })
            }),
        }
    }

    pub(super) fn find(&mut self, txid: TxId) -> Result<Found, ChainError> {
        match self {
            Node::Coins(node) => node.find(txid),
            Node::Accounts(node) => node.find(txid).map(|located| located.found),
        }
    }

    pub(super) fn broadcast(&mut self, raw: &[u8]) -> Result<Taken, BroadcastError> {
        match self {
            Node::Coins(node) => node.broadcast(raw),
            Node::Accounts(node) => node.broadcast(raw),
        }
    }
}
