//! A Bitcoin node as a chain.
//!
//! Owns: which questions are asked for each ability of the port, and what the node's codes mean. Never does: trust a form;
//! keep blocks; try again by itself, but for a chain that moved while it was read. Invariants: a block's hash covers its
//! header and its header the ids of its transactions, so a node cannot mix blocks up; amounts are exact. Known limits: the
//! node needs `txindex=1`; scripts that hold a bare public key have no address; outputs are the node's word, only ids are
//! covered by the hash.

use super::{Auth, Limits, Network, Rpc, amount, library, txid};
use crate::hex;
use crate::port::{
    Block, BlockId, BroadcastError, ChainAdapter, ChainError, FeeRate, Found, Output, Taken, Transaction, Unspent,
    UnspentOutput,
};
use crate::rpc::short;
use library::block::{Header, Version};
use library::hashes::Hash;
use library::{Address, CompactTarget, ScriptBuf, TxMerkleNode, consensus, merkle_tree};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;
use xng_core::chain::{BlockHash, OutPoint, TxId, Units};

/// How often a chain that moved is read again before the caller hears of it.
const ATTEMPTS: usize = 5;
/// Addresses in one question about unspent outputs: 8 MB, a quarter of what a node reads at most.
const SCAN_ADDRESSES: usize = 100_000;
/// Codes of the node (its `rpc/protocol.h`).
const NOT_THERE: i64 = -5;
const PARAMETER: i64 = -8;
const SPENT: i64 = -25;
const REJECTED: i64 = -26;
const IN_CHAIN: i64 = -27;
const UNREADABLE: i64 = -22;

/// Bounds of the fee rate, and how soon a transaction should be in a block.
#[derive(Debug, Clone, Copy)]
pub struct FeeLimits {
    /// Never less.
    pub floor: FeeRate,
    /// Never more, whatever the node says.
    pub cap: FeeRate,
    /// Blocks to wait, 1 to 1,008.
    pub within_blocks: u16,
}

/// What the adapter is told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the node answers, such as `http://127.0.0.1:8332`.
    pub url: String,
    /// How it knows us.
    pub auth: Auth,
    /// What it must follow.
    pub network: Network,
    /// How many confirmations make a block final.
    pub confirmations: u64,
    /// Bounds of the fee rate.
    pub fees: FeeLimits,
    /// Time limits.
    pub limits: Limits,
}

/// The adapter. See the module's header.
#[derive(Debug)]
pub struct Bitcoind {
    rpc: Rpc,
    network: Network,
    confirmations: u64,
    fees: FeeLimits,
}

#[derive(Deserialize)]
struct ChainInfo {
    chain: String,
    blocks: u64,
    bestblockhash: String,
}

#[derive(Deserialize)]
struct RpcBlock {
    hash: String,
    height: u64,
    version: i32,
    merkleroot: String,
    time: u32,
    nonce: u32,
    bits: String,
    previousblockhash: Option<String>,
    tx: Vec<RpcTransaction>,
}

#[derive(Deserialize)]
struct RpcTransaction {
    txid: String,
    vin: Vec<RpcInput>,
    vout: Vec<RpcOutput>,
}

#[derive(Deserialize)]
struct RpcInput {
    coinbase: Option<String>,
    txid: Option<String>,
    vout: Option<u32>,
}

#[derive(Deserialize)]
struct RpcOutput {
    #[serde(deserialize_with = "amount::read")]
    value: u64,
    n: u32,
    #[serde(rename = "scriptPubKey")]
    script: RpcScript,
}

#[derive(Deserialize)]
struct RpcScript {
    hex: String,
}

#[derive(Deserialize)]
struct Estimate {
    #[serde(default, deserialize_with = "amount::read_optional")]
    feerate: Option<u64>,
}

#[derive(Deserialize)]
struct PoolInfo {
    #[serde(deserialize_with = "amount::read")]
    mempoolminfee: u64,
}

#[derive(Deserialize)]
struct Located {
    blockhash: Option<String>,
    confirmations: Option<i64>,
}

#[derive(Deserialize)]
struct HeaderInfo {
    hash: String,
    height: u64,
    confirmations: i64,
}

#[derive(Deserialize)]
struct Indexes {
    txindex: Option<Index>,
}

#[derive(Deserialize)]
struct Index {
    synced: bool,
}

#[derive(Deserialize)]
struct Scan {
    success: bool,
    height: u64,
    bestblock: String,
    unspents: Vec<ScanOutput>,
}

#[derive(Deserialize)]
struct ScanOutput {
    txid: String,
    vout: u32,
    height: u64,
    #[serde(deserialize_with = "amount::read")]
    amount: u64,
}

fn wrong(what: impl Into<String>) -> ChainError {
    ChainError::Shape(what.into())
}

fn hash(text: &str) -> Result<[u8; 32], ChainError> {
    hex::hash(text).ok_or_else(|| wrong(format!("{text:.70} is no hash")))
}

/// In the order of the wire.
fn wire(mut hash: [u8; 32]) -> [u8; 32] {
    hash.reverse();
    hash
}

impl RpcBlock {
    /// Checks the block against its own hash, and gives what we need of it.
    fn check(self, asked: BlockId, network: Network) -> Result<Block, ChainError> {
        let at = |what: &str| wrong(format!("block {}: {what}", asked.height));
        if self.height != asked.height || hash(&self.hash)? != asked.hash.0 {
            return Err(at("another one than asked for"));
        }
        let parent = self.previousblockhash.as_deref().map(hash).transpose()?;
        if parent.is_some() != (self.height > 0) {
            return Err(at("only the first block has no block below it"));
        }
        let ids: Vec<[u8; 32]> = self.tx.iter().map(|tx| hash(&tx.txid)).collect::<Result<_, _>>()?;
        // The same root comes from a list whose end is there twice.
        if ids.iter().collect::<BTreeSet<_>>().len() != ids.len() {
            return Err(at("a transaction is there twice"));
        }
        let nodes = ids.iter().map(|id| TxMerkleNode::from_byte_array(wire(*id)));
        let root = merkle_tree::calculate_root(nodes).ok_or_else(|| at("no transactions"))?;
        if root.to_byte_array() != wire(hash(&self.merkleroot)?) {
            return Err(at("the transactions are not those of its header"));
        }
        let bits = u32::from_str_radix(&self.bits, 16).map_err(|_| at("its target is no number"))?;
        let header = Header {
            version: Version::from_consensus(self.version),
            prev_blockhash: library::BlockHash::from_byte_array(wire(parent.unwrap_or_default())),
            merkle_root: root,
            time: self.time,
            bits: CompactTarget::from_consensus(bits),
            nonce: self.nonce,
        };
        if header.block_hash().to_byte_array() != wire(asked.hash.0) {
            return Err(at("its header has another hash"));
        }
        let one = |(place, tx): (usize, RpcTransaction)| tx.check(place == 0, network);
        let transactions = self.tx.into_iter().enumerate().map(one).collect::<Result<_, _>>()?;
        Ok(Block { id: asked, parent: parent.map(BlockHash), transactions })
    }
}

impl RpcTransaction {
    fn check(self, first: bool, network: Network) -> Result<Transaction, ChainError> {
        let id = TxId(hash(&self.txid)?);
        let at = |what: &str| wrong(format!("transaction {id}: {what}"));
        let coinbase = self.vin.iter().any(|input| input.coinbase.is_some());
        if coinbase != first || (coinbase && self.vin.len() != 1) || self.vin.is_empty() {
            return Err(at("the first of a block, and no other, is the miner's"));
        }
        let mut spends = Vec::with_capacity(self.vin.len());
        for input in self.vin.iter().filter(|_| !coinbase) {
            let (Some(txid), Some(n)) = (&input.txid, input.vout) else { return Err(at("an input spends nothing")) };
            spends.push(OutPoint { txid: TxId(hash(txid)?), n });
        }
        let mut outputs = Vec::with_capacity(self.vout.len());
        for (place, output) in (0..).zip(self.vout) {
            if output.n != place {
                return Err(at("its outputs are not in order"));
            }
            let script = hex::decode(&output.script.hex).ok_or_else(|| at("a script is not hexadecimal"))?;
            // Our own text, not the node's: how nodes write unusual scripts differs between releases.
            let address = Address::from_script(&ScriptBuf::from_bytes(script), network.to_bitcoin()).ok();
            let address = address.map(|address| address.to_string());
            outputs.push(Output { n: place, address, units: Units(output.value.into()) });
        }
        Ok(Transaction { txid: id, coinbase, spends, outputs })
    }
}

/// What the node means by refusing a transaction. Its codes are few, so the first words of its text, which are fixed
/// (`validation.cpp`, `policy/rbf.cpp`), tell the rest apart.
fn refusal(code: i64, message: String) -> Result<Taken, BroadcastError> {
    const KNOWN: [&str; 3] = ["txn-already-known", "txn-already-in-mempool", "txn-same-nonwitness-data-in-mempool"];
    const ELSEWHERE: [&str; 4] =
        ["bad-txns-inputs-missingorspent", "bad-txns-inputs-spent", "Missing inputs", "txn-mempool-conflict"];
    const FEE: [&str; 5] =
        ["min relay fee not met", "mempool min fee not met", "insufficient fee", "replacement-failed", "mempool full"];
    let begins = |texts: &[&str]| texts.iter().any(|text| message.starts_with(text));
    match code {
        IN_CHAIN => Ok(Taken::Known),
        SPENT | REJECTED if begins(&KNOWN) => Ok(Taken::Known),
        SPENT | REJECTED if begins(&ELSEWHERE) => Err(BroadcastError::SpentElsewhere(message)),
        SPENT | REJECTED if begins(&FEE) => Err(BroadcastError::FeeTooLow(message)),
        SPENT | REJECTED | UNREADABLE => Err(BroadcastError::Refused(message)),
        _ => Err(ChainError::Rpc { code, message }.into()),
    }
}

impl Bitcoind {
    /// Asks nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let Settings { url, auth, network, confirmations, fees, limits } = settings;
        Bitcoind { rpc: Rpc::new(&url, auth, limits), network, confirmations, fees }
    }

    /// The node's id of the transaction if it has it: none, waiting, or in a block of the chain that it follows.
    fn located(&mut self, txid: TxId) -> Result<Found, ChainError> {
        let located: Located = match self.rpc.call("getrawtransaction", json!([txid.to_string(), 1])) {
            Err(ChainError::Rpc { code: NOT_THERE, .. }) => return Ok(Found::Unknown),
            answer => answer?,
        };
        let Some(block) = located.blockhash else { return Ok(Found::InPool) };
        // The index keeps the last block that had it, also after that block left the chain.
        if located.confirmations.unwrap_or(0) < 1 {
            return Ok(Found::Unknown);
        }
        let header: HeaderInfo = self.rpc.call("getblockheader", json!([block]))?;
        if header.confirmations < 1 || header.hash != block {
            return Err(ChainError::Moved);
        }
        Ok(Found::InBlock(BlockId { height: header.height, hash: BlockHash(hash(&block)?) }))
    }

    fn scan(&mut self, addresses: &[String]) -> Result<Unspent, ChainError> {
        let descriptors: Vec<String> = addresses.iter().map(|address| format!("addr({address})")).collect();
        let scan: Scan = match self.rpc.scan("scantxoutset", json!(["start", descriptors])) {
            // The parameter that cannot be met is the one scan at a time; our descriptors were checked.
            Err(ChainError::Rpc { code: PARAMETER, message }) => return Err(ChainError::NotReady(message)),
            answer => answer?,
        };
        if !scan.success {
            return Err(ChainError::NotReady("somebody ended its scan".into()));
        }
        let at = BlockId { height: scan.height, hash: BlockHash(hash(&scan.bestblock)?) };
        let output = |output: &ScanOutput| {
            let place = OutPoint { txid: TxId(hash(&output.txid)?), n: output.vout };
            Ok(UnspentOutput { at: place, units: Units(output.amount.into()), height: output.height })
        };
        let outputs: Vec<UnspentOutput> = scan.unspents.iter().map(output).collect::<Result<_, ChainError>>()?;
        if outputs.iter().map(|output| output.at).collect::<BTreeSet<_>>().len() != outputs.len() {
            return Err(wrong("an unspent output is there twice"));
        }
        if outputs.iter().any(|output| output.height > at.height) {
            return Err(wrong("an unspent output is of a block that is not there"));
        }
        Ok(Unspent { at, outputs })
    }

    /// All batches at one block, or `Moved`.
    fn scan_all(&mut self, addresses: &[String]) -> Result<Unspent, ChainError> {
        let mut total: Option<Unspent> = None;
        for batch in addresses.chunks(SCAN_ADDRESSES) {
            let part = self.scan(batch)?;
            let sum = total.get_or_insert(Unspent { at: part.at, outputs: Vec::new() });
            if sum.at != part.at {
                return Err(ChainError::Moved);
            }
            sum.outputs.extend(part.outputs);
        }
        total.map_or_else(|| Ok(Unspent { at: self.tip()?, outputs: Vec::new() }), Ok)
    }
}

/// Asks again while the chain moves, a few times.
fn settled<T>(mut ask: impl FnMut() -> Result<T, ChainError>) -> Result<T, ChainError> {
    for _ in 1..ATTEMPTS {
        match ask() {
            Err(ChainError::Moved) => {}
            answer => return answer,
        }
    }
    ask()
}

impl ChainAdapter for Bitcoind {
    fn tip(&mut self) -> Result<BlockId, ChainError> {
        let info: ChainInfo = self.rpc.call("getblockchaininfo", json!([]))?;
        if !self.network.names().contains(&info.chain.as_str()) {
            let ours = self.network.names().join(" or ");
            return Err(ChainError::WrongChain { ours, theirs: short(&info.chain) });
        }
        Ok(BlockId { height: info.blocks, hash: BlockHash(hash(&info.bestblockhash)?) })
    }

    fn confirmations(&self) -> u64 {
        self.confirmations
    }

    fn block(&mut self, height: u64) -> Result<Block, ChainError> {
        let name: String = match self.rpc.call("getblockhash", json!([height])) {
            Err(ChainError::Rpc { code: PARAMETER, .. }) => return Err(ChainError::NoBlock(height)),
            answer => answer?,
        };
        let asked = BlockId { height, hash: BlockHash(hash(&name)?) };
        let block: RpcBlock = self.rpc.call("getblock", json!([name, 2]))?;
        block.check(asked, self.network)
    }

    fn fee_rate(&mut self) -> Result<FeeRate, ChainError> {
        let estimate: Estimate = self.rpc.call("estimatesmartfee", json!([self.fees.within_blocks]))?;
        let pool: PoolInfo = self.rpc.call("getmempoolinfo", json!([]))?;
        // A young node knows no estimate; what its pool demands holds always.
        let wanted = estimate.feerate.unwrap_or(0).max(pool.mempoolminfee);
        Ok(FeeRate(wanted).max(self.fees.floor).min(self.fees.cap))
    }

    fn broadcast(&mut self, raw: &[u8]) -> Result<Taken, BroadcastError> {
        let transaction: library::Transaction = consensus::deserialize(raw)
            .map_err(|_| BroadcastError::Chain(ChainError::Question("the bytes are no transaction".into())))?;
        match self.rpc.call::<String>("sendrawtransaction", json!([hex::encode(raw)])) {
            Ok(id) if hash(&id)? == txid(transaction.compute_txid()).0 => Ok(Taken::InPool),
            Ok(id) => Err(wrong(format!("it took {id:.70} instead of what was sent")).into()),
            Err(ChainError::Rpc { code, message }) => refusal(code, message),
            Err(error) => Err(error.into()),
        }
    }

    fn find(&mut self, txid: TxId) -> Result<Found, ChainError> {
        settled(|| {
            let before = self.tip()?;
            match self.located(txid)? {
                Found::Unknown => {}
                found @ (Found::InPool | Found::InBlock(_)) => return Ok(found),
            }
            // Only an index that has everything can say that there is nothing, and only while nothing moves: a block may
            // take a transaction out of the pool between two looks.
            let indexes: Indexes = self.rpc.call("getindexinfo", json!(["txindex"]))?;
            match indexes.txindex {
                None => return Err(ChainError::Settings("txindex=1 is missing")),
                Some(Index { synced: false }) => return Err(ChainError::NotReady("its index is being built".into())),
                Some(Index { synced: true }) => {}
            }
            let again = self.located(txid)?;
            if again == Found::Unknown && self.tip()? != before { Err(ChainError::Moved) } else { Ok(again) }
        })
    }

    fn unspent(&mut self, addresses: &[String]) -> Result<Unspent, ChainError> {
        // One address in two forms, or twice in different batches, would count twice.
        let mut distinct = BTreeSet::new();
        for text in addresses {
            let wrong = |e| ChainError::Question(format!("{text:.100}: {e}"));
            distinct.insert(super::destination(text, self.network).map_err(wrong)?);
        }
        let distinct: Vec<String> = distinct.into_iter().collect();
        settled(|| self.scan_all(&distinct))
    }
}
