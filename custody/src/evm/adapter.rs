//! An EVM node as a chain.
//!
//! Owns: which questions are asked for each ability, and what the node's codes mean. Never does: trust a form; keep
//! blocks; try again by itself. Invariants: a block is proven by its hash, see `block.rs`; amounts are exact.
//! Known limits: balances, nonces and where a transaction is are the node's word; a balance is a question an address and
//! asset; a node must answer `eth_getBlockReceipts`, and hold the state of blocks that balances are asked at; one that
//! indexes only recent transactions calls older ones unknown, so what is unknown is void only by a used nonce.

use super::block::{Block, Envelope, RpcBlock, RpcHeader, wrong};
use super::{Address, Auth, LEAST_GAS, Limits, balance_call, library, transfer_call, units};
use crate::hex;
use crate::port::{BlockId, BroadcastError, ChainError, Found, Taken};
use crate::rpc::{Rpc, short};
use alloy_consensus::ReceiptEnvelope;
use alloy_eips::eip2718::Decodable2718;
use alloy_primitives::{B256, U64, U256, keccak256};
use library::secp256k1::{Secp256k1, VerifyOnly};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt;
use xng_core::chain::{BlockHash, TxId, Units};

/// Questions in one message: nodes take 1,000 at most.
const QUESTIONS: usize = 500;
/// Codes of nodes (EIP-1474, and what several nodes add): the transaction or the question is refused.
const SERVER: i64 = -32_000;
const NOT_FOUND: i64 = -32_001;
const UNKNOWN: i64 = -39_001;
const REJECTED: i64 = -32_003;
const ALSO_REJECTED: i64 = -32_010;
const NO_METHOD: i64 = -32_601;
/// What nodes say of a block that they do not have.
const UNKNOWN_BLOCK: [&str; 6] = [
    "header not found",
    "block not found",
    "for hash not found",
    "resource not found",
    "not currently canonical",
    "unknown block",
];
/// Blocks whose tips are looked at, the median of each, where a node gives no advice.
const TIP_BLOCKS: u64 = 20;
/// One part in so many of the estimated gas is added to it: what a token takes may have grown by the time of its block.
const GAS_MARGIN: u64 = 4;

/// When a block is final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finality {
    /// When the chain says so: its tag `finalized`.
    Tag,
    /// With so many confirmations, at least 1: the tip has one. For chains without the tag.
    Confirmations(u64),
}

/// What a transaction pays for a unit of gas at most, in wei.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GasFee {
    /// All of it.
    pub max_fee_per_gas: u128,
    /// What of it is the miner's; not more than all.
    pub max_priority_fee_per_gas: u128,
}

/// Bounds of both parts. The caps win over the floors.
#[derive(Debug, Clone, Copy)]
pub struct FeeLimits {
    /// Never less.
    pub floor: GasFee,
    /// Never more, whatever the node says.
    pub cap: GasFee,
}

/// What the adapter is told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the node answers, such as `http://127.0.0.1:8545`.
    pub url: String,
    /// How it knows us.
    pub auth: Auth,
    /// The chain that it must follow (EIP-155).
    pub chain_id: u64,
    /// When a block is final.
    pub finality: Finality,
    /// Contracts whose transfers are read.
    pub tokens: Vec<Address>,
    /// Bounds of the price of gas.
    pub fees: FeeLimits,
    /// Gas of one transfer at most.
    pub gas_cap: u64,
    /// Time limits.
    pub limits: Limits,
}

/// What an address holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// Whose.
    pub address: Address,
    /// The chain's coin, in wei.
    pub native: Units,
    /// In the order in which the tokens were asked for.
    pub tokens: Vec<Units>,
}

/// After which transactions a nonce is the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// Those of all blocks up to the tip.
    Tip,
    /// Also those that wait in the node's pool.
    Pool,
    /// Those of this block and all below it.
    Block(BlockHash),
}

/// Where a transaction is, and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    /// Where.
    pub found: Found,
    /// In a block: whether it was not reverted. The fee is paid in both cases. Whether a token moved, its `Transfer` in the block
    /// says: some tokens answer "no" and revert nothing.
    pub success: Option<bool>,
}

/// The adapter. See the module's header.
pub struct Evm {
    rpc: Rpc,
    chain_id: u64,
    finality: Finality,
    tokens: BTreeSet<Address>,
    fees: FeeLimits,
    gas_cap: u64,
    curve: Secp256k1<VerifyOnly>,
}

impl fmt::Debug for Evm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evm").field("rpc", &self.rpc).field("chain_id", &self.chain_id).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RpcLocated {
    hash: B256,
    block_hash: Option<B256>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RpcReceipt {
    transaction_hash: B256,
    block_hash: B256,
    block_number: U64,
    status: U64,
}

#[derive(Deserialize)]
struct FeeHistory {
    reward: Option<Vec<Vec<U256>>>,
}

fn quantity(n: u64) -> String {
    format!("{n:#x}")
}

fn b256(hash: [u8; 32]) -> String {
    format!("0x{}", hex::encode(&hash))
}

/// Exactly this block's state, as long as the block is on the chain (EIP-1898).
fn exactly(at: BlockHash) -> Value {
    json!({ "blockHash": b256(at.0), "requireCanonical": true })
}

/// A node that does not know a block that it named before went another way.
fn moved(error: ChainError) -> ChainError {
    if let ChainError::Rpc { code: SERVER | NOT_FOUND | UNKNOWN, message } = &error
        && has(message, &UNKNOWN_BLOCK)
    {
        return ChainError::Moved;
    }
    error
}

fn has(message: &str, texts: &[&str]) -> bool {
    let message = message.to_lowercase();
    texts.iter().any(|text| message.contains(text))
}

/// What the node means by refusing a transaction. Its codes are few, and each node has words of its own.
fn refusal(code: i64, message: String) -> Result<Taken, BroadcastError> {
    const KNOWN: [&str; 3] = ["already known", "already imported", "alreadyknown"];
    const ELSEWHERE: [&str; 4] = ["nonce too low", "nonce is too low", "nonce_too_low", "oldnonce"];
    const FEE: [&str; 7] = [
        "underpriced",
        "less than block base fee",
        "fee too low",
        "feetoolow",
        "gas price below",
        "txpool is full",
        "tip cap below",
    ];
    if !matches!(code, SERVER | REJECTED | ALSO_REJECTED) {
        return Err(ChainError::Rpc { code, message }.into());
    }
    if has(&message, &KNOWN) || message.to_lowercase().starts_with("known transaction") {
        Ok(Taken::Known)
    } else if has(&message, &ELSEWHERE) {
        Err(BroadcastError::SpentElsewhere(message))
    } else if has(&message, &FEE) {
        Err(BroadcastError::FeeTooLow(message))
    } else {
        Err(BroadcastError::Refused(message))
    }
}

impl Evm {
    /// Asks nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let Settings { url, auth, chain_id, finality, tokens, fees, gas_cap, limits } = settings;
        let (rpc, curve) = (Rpc::version_2(&url, auth, limits), Secp256k1::verification_only());
        Evm { rpc, chain_id, finality, tokens: tokens.into_iter().collect(), fees, gas_cap, curve }
    }

    /// Contracts whose transfers are read.
    pub fn tokens(&self) -> impl Iterator<Item = Address> {
        self.tokens.iter().copied()
    }

    fn check_chain(&mut self) -> Result<(), ChainError> {
        let theirs: U64 = self.rpc.call("eth_chainId", json!([]))?;
        if theirs == U64::from(self.chain_id) {
            return Ok(());
        }
        Err(ChainError::WrongChain { ours: self.chain_id.to_string(), theirs: theirs.to_string() })
    }

    /// None when there is no such block.
    fn header(&mut self, which: &str) -> Result<Option<RpcHeader>, ChainError> {
        let header: Option<RpcHeader> = self.rpc.call("eth_getBlockByNumber", json!([which, false]))?;
        header.map(|header| header.id().map(|_| header)).transpose()
    }

    fn latest(&mut self) -> Result<RpcHeader, ChainError> {
        self.header("latest")?.ok_or_else(|| ChainError::NotReady("it has no block yet".into()))
    }

    /// The node's best block.
    ///
    /// # Errors
    /// Every kind of [`ChainError`] but `NoBlock`; `WrongChain` when the node follows another one.
    pub fn tip(&mut self) -> Result<BlockId, ChainError> {
        self.check_chain()?;
        self.latest()?.id()
    }

    /// The highest final block; with confirmations the first block, 0, always is.
    ///
    /// # Errors
    /// Those of [`Evm::tip`]; `NotReady` when the node says that no block is final yet.
    pub fn final_block(&mut self) -> Result<BlockId, ChainError> {
        let which = match self.finality {
            Finality::Tag => {
                self.check_chain()?;
                "finalized".to_owned()
            }
            Finality::Confirmations(n) => {
                let height = self.tip()?.height.saturating_add(1).saturating_sub(n.max(1));
                return match self.header(&quantity(height)).map_err(moved)? {
                    Some(header) => header.id().and_then(|id| match id {
                        id if id.height == height => Ok(id),
                        _ => Err(wrong(format!("block {height}: another one than asked for"))),
                    }),
                    None => Err(ChainError::NotReady("no block is final yet".into())),
                };
            }
        };
        match self.header(&which).map_err(moved) {
            Err(ChainError::Moved) | Ok(None) => Err(ChainError::NotReady("no block is final yet".into())),
            Ok(Some(header)) => header.id(),
            Err(error) => Err(error),
        }
    }

    /// The block at this height of the chain that the node follows now. Whether it continues the block below is the
    /// caller's to check, by its parent.
    ///
    /// # Errors
    /// `NoBlock` above the tip, `Moved` when the chain went another way meanwhile, and every other kind.
    pub fn block(&mut self, height: u64) -> Result<Block, ChainError> {
        let block: Option<RpcBlock> = self.rpc.call("eth_getBlockByNumber", json!([quantity(height), true]))?;
        let block = block.ok_or(ChainError::NoBlock(height))?;
        let id = block.head.id()?;
        if id.height != height {
            return Err(wrong(format!("block {height}: another one than asked for")));
        }
        let receipts = self.rpc.call("eth_getBlockReceipts", json!([b256(id.hash.0)])).map_err(moved)?;
        let receipts: Vec<ReceiptEnvelope> = Option::ok_or(receipts, ChainError::Moved)?;
        block.check(&receipts, &self.tokens, &self.curve)
    }

    /// What these addresses hold of the coin and of `tokens`, after this block, in the order of `addresses`.
    ///
    /// # Errors
    /// `Moved` when the block is not on the chain any more, `Shape` when a token's contract does not answer, and every
    /// other kind but `NoBlock`. A node that dropped the state of an old block says `Rpc`.
    pub fn balances(
        &mut self,
        addresses: &[Address],
        tokens: &[Address],
        at: BlockHash,
    ) -> Result<Vec<Balance>, ChainError> {
        let block = exactly(at);
        let mut balances = Vec::with_capacity(addresses.len());
        for batch in addresses.chunks((QUESTIONS / (tokens.len() + 1)).max(1)) {
            let coin = |of: &Address| ("eth_getBalance", json!([of.to_string(), block]));
            let token = |of: &Address, token: &Address| {
                let data = format!("0x{}", hex::encode(&balance_call(*of)));
                ("eth_call", json!([{ "to": token.to_string(), "data": data }, block]))
            };
            let of = |address| std::iter::once(coin(address)).chain(tokens.iter().map(move |it| token(address, it)));
            let questions: Vec<(&str, Value)> = batch.iter().flat_map(of).collect();
            let answers: Vec<String> = self.rpc.batch(&questions).map_err(moved)?;
            for (address, said) in batch.iter().zip(answers.chunks_exact(tokens.len() + 1)) {
                let native = amount(&said[0])?;
                let tokens = said[1..].iter().map(|text| word(text)).collect::<Result<_, _>>()?;
                balances.push(Balance { address: *address, native, tokens });
            }
        }
        Ok(balances)
    }

    /// The nonce of the next transaction of `address`.
    ///
    /// # Errors
    /// `Moved` when the block is not on the chain any more, and every other kind but `NoBlock`.
    pub fn next_nonce(&mut self, address: Address, at: At) -> Result<u64, ChainError> {
        let at = match at {
            At::Tip => json!("latest"),
            At::Pool => json!("pending"),
            At::Block(hash) => exactly(hash),
        };
        let n: U64 = self.rpc.call("eth_getTransactionCount", json!([address.to_string(), at])).map_err(moved)?;
        Ok(n.to())
    }

    /// What a transaction should offer now: twice the base fee of the latest block and the node's advice for the miner,
    /// between floor and cap.
    ///
    /// # Errors
    /// Every kind of [`ChainError`] but `NoBlock`.
    pub fn fee(&mut self) -> Result<GasFee, ChainError> {
        let base = u128::from(self.latest()?.header.base_fee_per_gas.unwrap_or(0));
        let advice: U256 = match self.rpc.call("eth_maxPriorityFeePerGas", json!([])) {
            Err(ChainError::Rpc { code: NO_METHOD, .. }) => self.median_priority()?,
            answer => answer?,
        };
        let FeeLimits { floor, cap } = self.fees;
        let between = |wanted: u128, floor: u128, cap: u128| wanted.max(floor).min(cap);
        let advice = u128::try_from(advice).unwrap_or(u128::MAX);
        let priority = between(advice, floor.max_priority_fee_per_gas, cap.max_priority_fee_per_gas);
        let all = base.saturating_mul(2).saturating_add(priority);
        let all = between(all, floor.max_fee_per_gas, cap.max_fee_per_gas);
        Ok(GasFee { max_fee_per_gas: all, max_priority_fee_per_gas: priority.min(all) })
    }

    /// Of the last blocks, for nodes without advice.
    fn median_priority(&mut self) -> Result<U256, ChainError> {
        let history: FeeHistory = self.rpc.call("eth_feeHistory", json!([quantity(TIP_BLOCKS), "latest", [50]]))?;
        let mut paid: Vec<U256> = history.reward.unwrap_or_default().into_iter().flatten().collect();
        paid.sort_unstable();
        Ok(paid.get(paid.len() / 2).copied().unwrap_or_default())
    }

    /// Gas that a transfer of `units` takes, as the node tries it now, and a quarter more; a transfer that runs nobody's
    /// code takes exactly [`LEAST_GAS`].
    ///
    /// # Errors
    /// `Question` when it would be above the cap of the settings; `Rpc` when the transfer fails, such as for lack of coins;
    /// every other kind but `NoBlock`.
    pub fn gas(&mut self, from: Address, to: Address, token: Option<Address>, units: Units) -> Result<u64, ChainError> {
        let call = match token {
            None => json!({ "from": from.to_string(), "to": to.to_string(), "value": format!("{:#x}", units.0) }),
            Some(token) => {
                let data = format!("0x{}", hex::encode(&transfer_call(to, units)));
                json!({ "from": from.to_string(), "to": token.to_string(), "data": data })
            }
        };
        let tried: U64 = self.rpc.call("eth_estimateGas", json!([call, "latest"]))?;
        let tried: u64 = tried.to();
        let gas = if tried <= LEAST_GAS { LEAST_GAS } else { tried.saturating_add(tried / GAS_MARGIN) };
        if gas > self.gas_cap {
            return Err(ChainError::Question(format!("it takes {gas} gas, above the cap of {}", self.gas_cap)));
        }
        Ok(gas)
    }

    /// Gives the node a signed transaction. The same bytes may be sent any number of times. One whose nonce is not the next
    /// is taken, too, and waits for those before it.
    ///
    /// # Errors
    /// See [`BroadcastError`]; none of its variants proves that the transaction is void. `SpentElsewhere` says that its
    /// nonce is used, by itself or by another one: [`Evm::find`] tells.
    pub fn broadcast(&mut self, raw: &[u8]) -> Result<Taken, BroadcastError> {
        Envelope::decode_2718_exact(raw)
            .map_err(|_| BroadcastError::Chain(ChainError::Question("the bytes are no transaction".into())))?;
        let question = json!([format!("0x{}", hex::encode(raw))]);
        match self.rpc.call::<B256>("eth_sendRawTransaction", question) {
            Ok(id) if id == keccak256(raw) => Ok(Taken::InPool),
            Ok(id) => Err(wrong(format!("the node calls it {id}")).into()),
            Err(ChainError::Rpc { code, message }) => refusal(code, message),
            Err(other) => Err(other.into()),
        }
    }

    /// Where a transaction is now.
    ///
    /// # Errors
    /// `Moved` when the chain moved meanwhile, and every other kind but `NoBlock`.
    pub fn find(&mut self, txid: TxId) -> Result<Located, ChainError> {
        let before = self.tip()?;
        let located = self.locate(txid)?;
        if located.found != Found::Unknown {
            return Ok(located);
        }
        // A block may take a transaction out of the pool between two looks: only while nothing moves there is nothing.
        let again = self.locate(txid)?;
        if again.found == Found::Unknown && self.tip()? != before { Err(ChainError::Moved) } else { Ok(again) }
    }

    fn locate(&mut self, txid: TxId) -> Result<Located, ChainError> {
        let id = b256(txid.0);
        let located: Option<RpcLocated> = self.rpc.call("eth_getTransactionByHash", json!([id]))?;
        let Some(located) = located else { return Ok(Located { found: Found::Unknown, success: None }) };
        if located.hash.0 != txid.0 {
            return Err(wrong(format!("transaction {txid}: another one than asked for")));
        }
        let Some(block) = located.block_hash else { return Ok(Located { found: Found::InPool, success: None }) };
        let receipt: Option<RpcReceipt> = self.rpc.call("eth_getTransactionReceipt", json!([id]))?;
        let receipt = receipt.filter(|receipt| receipt.block_hash == block).ok_or(ChainError::Moved)?;
        if receipt.transaction_hash.0 != txid.0 {
            return Err(wrong(format!("transaction {txid}: the receipt of another one")));
        }
        // Nodes keep receipts of blocks that left the chain.
        let header = self.header(&quantity(receipt.block_number.to()))?.ok_or(ChainError::Moved)?;
        if header.hash != block {
            return Err(ChainError::Moved);
        }
        let success = Some(receipt.status == U64::from(1));
        Ok(Located { found: Found::InBlock(header.id()?), success })
    }
}

/// A number of the node's own answers.
fn amount(text: &str) -> Result<Units, ChainError> {
    let number = text.strip_prefix("0x").and_then(|digits| u128::from_str_radix(digits, 16).ok());
    number.map(Units).ok_or_else(|| wrong(format!("{text:.70} is no amount")))
}

/// The word that a contract answers.
fn word(text: &str) -> Result<Units, ChainError> {
    let bytes = text.strip_prefix("0x").and_then(hex::decode).filter(|bytes| bytes.len() == 32);
    let units = bytes.and_then(|bytes| units(U256::from_be_slice(&bytes)));
    units.ok_or_else(|| wrong(format!("{} is no balance of a token", short(text))))
}
