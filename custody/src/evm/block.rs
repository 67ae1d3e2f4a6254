//! A block as a node tells it, proven by its own hash.
//!
//! Owns: what is read out of blocks, transactions and receipts. Never does: ask a node; know whose an address is.
//! Invariants: the hash covers the header, the header the transactions and their receipts; senders come from signatures, so
//! everything in a [`Block`] is what the hash says. Known limits: coins that come by a contract's inner call, as a
//! validator's withdrawal or a miner's reward are not in it, nor are token amounts above 2^128 - 1; a transaction of a
//! kind that this release does not know, as rollups have, makes its block unreadable; of a blob's price nothing is in the
//! fee.

use super::{Address, library, signer_of, units};
use crate::port::{BlockId, ChainError};
use alloy_consensus::proofs::{calculate_receipt_root, calculate_transaction_root};
use alloy_consensus::transaction::Transaction as _;
use alloy_consensus::{EthereumTxEnvelope, Header, ReceiptEnvelope, TxEip4844};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{B256, Log, TxKind, U256, keccak256};
use library::secp256k1::{Secp256k1, VerifyOnly};
use serde::Deserialize;
use std::collections::BTreeSet;
use xng_core::chain::{BlockHash, TxId, Units};

/// `Transfer(address,address,uint256)`.
const TRANSFERRED: [u8; 32] = [
    0xdd, 0xf2, 0x52, 0xad, 0x1b, 0xe2, 0xc8, 0x9b, 0x69, 0xc2, 0xb0, 0x68, 0xfc, 0x37, 0x8d, 0xaa, 0x95, 0x2b, 0xa7,
    0xf1, 0x63, 0xc4, 0xa1, 0x16, 0x28, 0xf5, 0x5a, 0x4d, 0xf5, 0x23, 0xb3, 0xef,
];

/// A transaction as a block has it: blobs are elsewhere.
pub(super) type Envelope = EthereumTxEnvelope<TxEip4844>;

/// A block with what can concern us.
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
    /// Who signed it, and paid the fee.
    pub sender: Address,
    /// Transactions of the sender before it.
    pub nonce: u64,
    /// False: nothing moved but the fee.
    pub success: bool,
    /// What the sender paid for it, in wei.
    pub fee: Units,
    /// What it moved; never of nothing.
    pub transfers: Vec<Transfer>,
}

/// Coins or tokens went from one address to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Of what.
    pub asset: Asset,
    /// Whose it was.
    pub from: Address,
    /// Whose it is.
    pub to: Address,
    /// How much, in the asset's smallest unit. A token that takes a fee of transfers tells here what arrived.
    pub units: Units,
}

/// What moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asset {
    /// The chain's own coin, by the transaction's value.
    Native,
    /// A listed token.
    Token {
        /// Its contract.
        contract: Address,
        /// Which log of the block, from 0 on.
        log: u32,
    },
}

/// A header with the hash that the node gives it.
#[derive(Debug, Deserialize)]
pub(super) struct RpcHeader {
    pub(super) hash: B256,
    #[serde(flatten)]
    pub(super) header: Header,
}

#[derive(Debug, Deserialize)]
pub(super) struct RpcBlock {
    #[serde(flatten)]
    pub(super) head: RpcHeader,
    transactions: Vec<Envelope>,
}

pub(super) fn wrong(what: impl Into<String>) -> ChainError {
    ChainError::Shape(what.into())
}

impl RpcHeader {
    /// Its place, when the header has this hash.
    pub(super) fn id(&self) -> Result<BlockId, ChainError> {
        if self.header.hash_slow() != self.hash {
            return Err(wrong(format!("block {}: its header has another hash", self.header.number)));
        }
        Ok(BlockId { height: self.header.number, hash: BlockHash(self.hash.0) })
    }
}

impl RpcBlock {
    /// Checks the block against its own hash, and gives what we need of it.
    pub(super) fn check(
        self,
        receipts: &[ReceiptEnvelope],
        tokens: &BTreeSet<Address>,
        curve: &Secp256k1<VerifyOnly>,
    ) -> Result<Block, ChainError> {
        let id = self.head.id()?;
        let header = self.head.header;
        let at = |what: &str| wrong(format!("block {}: {what}", id.height));
        if calculate_transaction_root(&self.transactions) != header.transactions_root {
            return Err(at("the transactions are not those of its header"));
        }
        if calculate_receipt_root(receipts) != header.receipts_root || receipts.len() != self.transactions.len() {
            return Err(at("the receipts are not those of its header"));
        }
        let (mut gas, mut logs) = (0, 0_u32);
        let mut transactions = Vec::with_capacity(receipts.len());
        for (envelope, receipt) in self.transactions.iter().zip(receipts) {
            let total = receipt.cumulative_gas_used();
            let used = total.checked_sub(gas).ok_or_else(|| at("its gas runs backwards"))?;
            let sender = signer_of(curve, envelope.signature_hash(), envelope.signature());
            let sender = sender.ok_or_else(|| at("a transaction is not signed"))?;
            let fee = u128::from(used).checked_mul(envelope.effective_gas_price(header.base_fee_per_gas));
            let success = receipt.status();
            transactions.push(Transaction {
                txid: TxId(keccak256(envelope.encoded_2718()).0),
                sender,
                nonce: envelope.nonce(),
                success,
                fee: Units(fee.ok_or_else(|| at("a fee above all coins"))?),
                transfers: if success { transfers(sender, envelope, receipt.logs(), logs, tokens) } else { Vec::new() },
            });
            gas = total;
            // A block's gas allows some hundred thousand logs at most.
            let next = u32::try_from(receipt.logs().len()).ok().and_then(|n| logs.checked_add(n));
            logs = next.ok_or_else(|| at("more logs than there can be"))?;
        }
        let parent = (id.height > 0).then_some(BlockHash(header.parent_hash.0));
        Ok(Block { id, parent, transactions })
    }
}

/// What a successful transaction moved; its first log is the block's `first`.
fn transfers(
    sender: Address,
    envelope: &Envelope,
    logs: &[Log],
    first: u32,
    tokens: &BTreeSet<Address>,
) -> Vec<Transfer> {
    let native = match envelope.kind() {
        TxKind::Call(to) => native(sender, Address(to.into_array()), envelope.value()),
        TxKind::Create => None,
    };
    let logs = (first..).zip(logs);
    let listed = logs.filter(|(_, log)| tokens.contains(&Address(log.address.into_array())));
    native.into_iter().chain(listed.filter_map(|(n, log)| transferred(n, log))).collect()
}

fn native(from: Address, to: Address, value: U256) -> Option<Transfer> {
    let units = units(value).filter(|units| units.0 > 0)?;
    Some(Transfer { asset: Asset::Native, from, to, units })
}

/// None when the log tells something else, or a transfer of nothing.
fn transferred(n: u32, log: &Log) -> Option<Transfer> {
    let [what, from, to] = log.data.topics() else { return None };
    let units = units(U256::from_be_bytes(<[u8; 32]>::try_from(log.data.data.as_ref()).ok()?))?;
    if what.0 != TRANSFERRED || units.0 == 0 {
        return None;
    }
    let asset = Asset::Token { contract: Address(log.address.into_array()), log: n };
    Some(Transfer { asset, from: address(from)?, to: address(to)?, units })
}

/// Twelve zeros and an address.
fn address(topic: &B256) -> Option<Address> {
    let (zeros, address) = topic.0.split_at(12);
    if zeros == [0; 12] { address.try_into().ok().map(Address) } else { None }
}
