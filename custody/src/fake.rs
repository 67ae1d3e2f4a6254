//! A chain in memory, with the port of the real ones.
//!
//! Owns: blocks, a pool, who holds which output, the faults that a test wants. Never does: check signatures; use a clock
//! or chance; keep anything. Invariants: the same calls give the same ids, hashes and answers; an output is spent once;
//! transactions are Bitcoin's, so that what is broadcast here has the id that it would have there.
//! Known limits: no proof of work, no size of blocks; a coinbase output can be spent at once, and nobody gets it.

use crate::bitcoin::{Network, destination};
use crate::port::{
    Block, BlockId, BroadcastError, ChainAdapter, ChainError, FeeRate, Found, Output, Taken, Transaction, Unspent,
    UnspentOutput,
};
use bitcoin::hashes::{Hash, sha256};
use bitcoin::{Address, Amount, ScriptBuf, Sequence, TxIn, TxOut, Txid, Witness, absolute, consensus, transaction};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xng_core::chain::{BlockHash, OutPoint, TxId, Units};

type Raw = bitcoin::Transaction;
type Place = bitcoin::OutPoint;

/// What happens to the next answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A broadcast does not arrive; the caller hears that nobody is reachable.
    LoseQuestion,
    /// A broadcast arrives, and the caller hears that nobody is reachable.
    LoseAnswer,
    /// A broadcast arrives twice; the caller hears the second answer.
    Double,
}

/// How a block is told wrongly, until it is told rightly again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// It continues another block than the one below.
    Parent,
    /// Its last transaction is left out.
    Missing,
    /// Its last output holds one unit more.
    Amount,
    /// The adapter notices that the answer makes no sense.
    Nonsense,
}

#[derive(Debug, Clone)]
struct Mined {
    id: BlockId,
    parent: Option<BlockHash>,
    transactions: Vec<Raw>,
}

/// The chain. See the module's header.
#[derive(Debug)]
pub struct FakeChain {
    network: Network,
    confirmations: u64,
    blocks: Vec<Mined>,
    pool: Vec<Raw>,
    /// Outputs that are not spent in blocks.
    unspent: BTreeMap<Place, TxOut>,
    /// What others spend to pay us: made up, one a payment.
    outside: BTreeMap<Place, Amount>,
    /// Numbers blocks and payments, so that no two are alike.
    made: u64,
    rate: FeeRate,
    reachable: bool,
    faults: VecDeque<Fault>,
    lies: BTreeMap<u64, Lie>,
}

fn txid(of: &Raw) -> TxId {
    let mut bytes = of.compute_txid().to_byte_array();
    bytes.reverse();
    TxId(bytes)
}

fn place(of: Place) -> OutPoint {
    let mut bytes = of.txid.to_byte_array();
    bytes.reverse();
    OutPoint { txid: TxId(bytes), n: of.vout }
}

fn wire(of: OutPoint) -> Place {
    let mut bytes = of.txid.0;
    bytes.reverse();
    Place { txid: bitcoin::Txid::from_byte_array(bytes), vout: of.n }
}

fn raw(inputs: Vec<Place>, outputs: Vec<TxOut>) -> Raw {
    let input = |previous_output| TxIn {
        previous_output,
        script_sig: ScriptBuf::new(),
        sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
        witness: Witness::new(),
    };
    Raw {
        version: transaction::Version::TWO,
        lock_time: absolute::LockTime::ZERO,
        input: inputs.into_iter().map(input).collect(),
        output: outputs,
    }
}

impl FakeChain {
    /// With its first block.
    #[must_use]
    pub fn new(network: Network, confirmations: u64) -> Self {
        let mut chain = FakeChain {
            network,
            confirmations,
            blocks: Vec::new(),
            pool: Vec::new(),
            unspent: BTreeMap::new(),
            outside: BTreeMap::new(),
            made: 0,
            rate: FeeRate(1_000),
            reachable: true,
            faults: VecDeque::new(),
            lies: BTreeMap::new(),
        };
        chain.mine();
        chain
    }

    /// Somebody pays `units` (satoshi) to an address; it waits in the pool.
    ///
    /// # Errors
    /// `Question` when it is no address of the network, or no amount.
    pub fn pay(&mut self, address: &str, units: Units) -> Result<OutPoint, ChainError> {
        let output = self.output(address, units)?;
        self.made += 1;
        let from = Place { txid: bitcoin::Txid::from_byte_array(self.unlike(b"payment")), vout: 0 };
        self.outside.insert(from, output.value);
        let paid = raw(vec![from], vec![output]);
        let at = OutPoint { txid: txid(&paid), n: 0 };
        self.pool.push(paid);
        Ok(at)
    }

    /// Somebody spends an output that is in a block, in a way that nobody here planned; it replaces what waits.
    ///
    /// # Errors
    /// `Question` when the output is not there, or `address` is none of the network.
    pub fn spend(&mut self, at: OutPoint, address: &str) -> Result<TxId, ChainError> {
        let held = self.unspent.get(&wire(at)).ok_or_else(|| ChainError::Question("no such output".into()))?.value;
        let output = self.output(address, Units(held.to_sat().into()))?;
        let spending = raw(vec![wire(at)], vec![output]);
        let conflicts = self.conflicts(&spending);
        self.evict(conflicts);
        let id = txid(&spending);
        self.pool.push(spending);
        Ok(id)
    }

    /// A block with all that waits.
    pub fn mine(&mut self) -> BlockId {
        let waiting = std::mem::take(&mut self.pool);
        self.mine_these(waiting)
    }

    /// A block with nothing but its miner's transaction; the pool stays.
    pub fn mine_empty(&mut self) -> BlockId {
        self.mine_these(Vec::new())
    }

    /// The last `depth` blocks leave the chain, and one more than these take their place, all empty. What they held waits
    /// again when `keep` is true, and is forgotten otherwise. The first block stays.
    pub fn reorganise(&mut self, depth: usize, keep: bool) -> BlockId {
        let left = self.blocks.len().saturating_sub(depth).max(1);
        let gone = self.blocks.split_off(left);
        self.unspent.clear();
        for block in &self.blocks {
            for transaction in &block.transactions {
                apply(&mut self.unspent, transaction);
            }
        }
        let held = gone.iter().flat_map(|block| block.transactions.iter().filter(|tx| !tx.is_coinbase()).cloned());
        let mut waiting: Vec<Raw> = held.filter(|_| keep).collect();
        waiting.append(&mut self.pool);
        // What spent a forgotten output is forgotten with it.
        for transaction in waiting {
            if transaction.input.iter().all(|input| self.value(input.previous_output).is_some()) {
                self.pool.push(transaction);
            }
        }
        (0..=gone.len()).map(|_| self.mine_empty()).last().unwrap_or(self.top())
    }

    /// What waits is forgotten, as a full pool forgets.
    pub fn forget_pool(&mut self) {
        self.pool.clear();
    }

    /// What the next broadcasts meet, one each.
    pub fn fault(&mut self, fault: Fault) {
        self.faults.push_back(fault);
    }

    /// Tells the block at `height` wrongly; none: rightly again.
    pub fn lie(&mut self, height: u64, lie: Option<Lie>) {
        match lie {
            Some(lie) => self.lies.insert(height, lie),
            None => self.lies.remove(&height),
        };
    }

    /// Whether the node answers at all.
    pub fn set_reachable(&mut self, reachable: bool) {
        self.reachable = reachable;
    }

    /// What the node says that a transaction should pay, and the least that it takes.
    pub fn set_fee_rate(&mut self, rate: FeeRate) {
        self.rate = rate;
    }

    fn output(&self, address: &str, units: Units) -> Result<TxOut, ChainError> {
        let wrong = || ChainError::Question(format!("{address:.100}, {units:?}: no address or no amount"));
        let text = destination(address, self.network).map_err(|_| wrong())?;
        let address = text.parse::<Address<_>>().map_err(|_| wrong())?.assume_checked();
        let value = u64::try_from(units.0).ok().map(Amount::from_sat).ok_or_else(wrong)?;
        Ok(TxOut { value, script_pubkey: address.script_pubkey() })
    }

    /// A hash that depends on all that was made before.
    fn unlike(&self, what: &[u8]) -> [u8; 32] {
        sha256::Hash::hash(&[what, &self.made.to_be_bytes()].concat()).to_byte_array()
    }

    fn mine_these(&mut self, mut transactions: Vec<Raw>) -> BlockId {
        self.made += 1;
        let script = ScriptBuf::new_op_return(self.made.to_be_bytes());
        let coinbase = raw(vec![Place::null()], vec![TxOut { value: Amount::ZERO, script_pubkey: script }]);
        transactions.insert(0, coinbase);
        for transaction in &transactions {
            apply(&mut self.unspent, transaction);
        }
        let parent = self.blocks.last().map(|block| block.id.hash);
        let id = BlockId { height: self.blocks.len() as u64, hash: BlockHash(self.unlike(b"block")) };
        self.blocks.push(Mined { id, parent, transactions });
        id
    }

    fn top(&self) -> BlockId {
        self.blocks.last().map_or(BlockId { height: 0, hash: BlockHash::default() }, |block| block.id)
    }

    /// What an output holds, in a block, in the pool or outside.
    fn value(&self, at: Place) -> Option<Amount> {
        let waiting = || self.pool.iter().find(|tx| tx.compute_txid() == at.txid);
        let output = |tx: &Raw| tx.output.get(at.vout as usize).map(|output| output.value);
        let held = self.unspent.get(&at).map(|output| output.value);
        held.or_else(|| waiting().and_then(output)).or_else(|| self.outside.get(&at).copied())
    }

    /// Waiting transactions that spend what `new` spends.
    fn conflicts(&self, new: &Raw) -> BTreeSet<TxId> {
        let spent: BTreeSet<Place> = new.input.iter().map(|input| input.previous_output).collect();
        let shares = |tx: &&Raw| tx.input.iter().any(|input| spent.contains(&input.previous_output));
        self.pool.iter().filter(shares).map(txid).collect()
    }

    /// Takes transactions out of the pool, and all that spend what they pay.
    fn evict(&mut self, mut gone: BTreeSet<TxId>) {
        loop {
            let before = gone.len();
            let child = |tx: &&Raw| tx.input.iter().any(|input| gone.contains(&place(input.previous_output).txid));
            let children: Vec<TxId> = self.pool.iter().filter(child).map(txid).collect();
            gone.extend(children);
            if gone.len() == before {
                break;
            }
        }
        self.pool.retain(|tx| !gone.contains(&txid(tx)));
    }

    fn fee(&self, of: &Raw) -> Option<u64> {
        let spent = of.input.iter().map(|input| self.value(input.previous_output)).sum::<Option<Amount>>()?;
        let paid: u64 = of.output.iter().map(|output| output.value.to_sat()).sum();
        spent.to_sat().checked_sub(paid)
    }

    fn take(&mut self, new: &Raw) -> Result<Taken, BroadcastError> {
        let elsewhere = || BroadcastError::SpentElsewhere("bad-txns-inputs-missingorspent".into());
        let id = txid(new);
        if self.pool.iter().any(|tx| txid(tx) == id) {
            return Ok(Taken::InPool);
        }
        if self.unspent.keys().any(|at| at.txid == new.compute_txid()) {
            return Ok(Taken::Known);
        }
        let fee = self.fee(new).ok_or_else(elsewhere)?;
        let conflicts = self.conflicts(new);
        let replaced = self.pool.iter().filter(|tx| conflicts.contains(&txid(tx)));
        let least = replaced.filter_map(|tx| self.fee(tx)).sum::<u64>();
        let own = self.rate.fee(new.vsize() as u64).0;
        if u128::from(fee) < own || (!conflicts.is_empty() && fee <= least) {
            return Err(BroadcastError::FeeTooLow(format!("{fee} pays less than {own} and {least}")));
        }
        self.evict(conflicts);
        self.pool.push(new.clone());
        Ok(Taken::InPool)
    }

    fn awake(&self) -> Result<(), ChainError> {
        self.reachable.then_some(()).ok_or_else(away)
    }

    fn told(&self, mined: &Mined) -> Block {
        let transaction = |tx: &Raw| Transaction {
            txid: txid(tx),
            coinbase: tx.is_coinbase(),
            spends: tx.input.iter().filter(|_| !tx.is_coinbase()).map(|input| place(input.previous_output)).collect(),
            outputs: (0..).zip(&tx.output).map(|(n, output)| self.told_output(n, output)).collect(),
        };
        let transactions = mined.transactions.iter().map(transaction).collect();
        Block { id: mined.id, parent: mined.parent, transactions }
    }

    fn told_output(&self, n: u32, output: &TxOut) -> Output {
        let address = self.address(output);
        Output { n, address, units: Units(output.value.to_sat().into()) }
    }

    fn address(&self, output: &TxOut) -> Option<String> {
        let network = match self.network {
            Network::Main => bitcoin::Network::Bitcoin,
            Network::Test => bitcoin::Network::Testnet,
            Network::Regtest => bitcoin::Network::Regtest,
        };
        Address::from_script(&output.script_pubkey, network).ok().map(|address| address.to_string())
    }
}

fn away() -> ChainError {
    ChainError::Unreachable("the fake node is away".into())
}

fn apply(unspent: &mut BTreeMap<Place, TxOut>, transaction: &Raw) {
    for input in &transaction.input {
        unspent.remove(&input.previous_output);
    }
    let txid = transaction.compute_txid();
    // Nobody can spend an output that only carries data.
    let held = (0..).zip(&transaction.output).filter(|(_, output)| !output.script_pubkey.is_op_return());
    unspent.extend(held.map(|(vout, output)| (Place { txid, vout }, output.clone())));
}

impl ChainAdapter for FakeChain {
    fn tip(&mut self) -> Result<BlockId, ChainError> {
        self.awake()?;
        Ok(self.top())
    }

    fn confirmations(&self) -> u64 {
        self.confirmations
    }

    fn block(&mut self, height: u64) -> Result<Block, ChainError> {
        self.awake()?;
        let mined = usize::try_from(height).ok().and_then(|height| self.blocks.get(height));
        let mut block = self.told(mined.ok_or(ChainError::NoBlock(height))?);
        match self.lies.get(&height) {
            None => {}
            Some(Lie::Parent) => block.parent = Some(BlockHash([0xff; 32])),
            Some(Lie::Missing) => drop(block.transactions.pop()),
            Some(Lie::Amount) => {
                let last = block.transactions.last_mut().and_then(|tx| tx.outputs.last_mut());
                last.into_iter().for_each(|output| output.units.0 += 1);
            }
            Some(Lie::Nonsense) => return Err(ChainError::Shape("the fake node talks nonsense".into())),
        }
        Ok(block)
    }

    fn fee_rate(&mut self) -> Result<FeeRate, ChainError> {
        self.awake()?;
        Ok(self.rate)
    }

    fn broadcast(&mut self, raw: &[u8]) -> Result<Taken, BroadcastError> {
        self.awake()?;
        let new: Raw =
            consensus::deserialize(raw).map_err(|_| ChainError::Question("the bytes are no transaction".into()))?;
        match self.faults.pop_front() {
            None => self.take(&new),
            Some(Fault::LoseQuestion) => Err(away().into()),
            Some(Fault::LoseAnswer) => {
                // Whatever came of it, nobody hears it.
                let _unheard = self.take(&new);
                Err(away().into())
            }
            Some(Fault::Double) => {
                let _first = self.take(&new);
                self.take(&new)
            }
        }
    }

    fn find(&mut self, id: TxId) -> Result<Found, ChainError> {
        self.awake()?;
        let block = self.blocks.iter().find(|block| block.transactions.iter().any(|tx| txid(tx) == id));
        let waits = self.pool.iter().any(|tx| txid(tx) == id);
        Ok(block.map_or(if waits { Found::InPool } else { Found::Unknown }, |block| Found::InBlock(block.id)))
    }

    fn unspent(&mut self, addresses: &[String]) -> Result<Unspent, ChainError> {
        self.awake()?;
        let wrong = |text: &String| ChainError::Question(format!("{text:.100} is no address of this network"));
        let normal = |text: &String| destination(text, self.network).map_err(|_| wrong(text));
        let wanted = addresses.iter().map(normal).collect::<Result<BTreeSet<String>, ChainError>>()?;
        let height = |of: Txid| {
            let has = |block: &&Mined| block.transactions.iter().any(|tx| tx.compute_txid() == of);
            self.blocks.iter().find(has).map_or(0, |block| block.id.height)
        };
        let is_ours = |output: &TxOut| self.address(output).is_some_and(|address| wanted.contains(&address));
        let ours = self.unspent.iter().filter(|(_, output)| is_ours(output)).map(|(at, output)| UnspentOutput {
            at: place(*at),
            units: Units(output.value.to_sat().into()),
            height: height(at.txid),
        });
        Ok(Unspent { at: self.top(), outputs: ours.collect() })
    }
}
