//! A chain whose blocks are drawn, for the simulator: what a node would show, and what whoever reads the node sends.
//!
//! Owns: blocks with payments to addresses that clients were told, other ways that the chain goes, the commands of its reader.
//! Never does: look at the engine. Invariants: a block that is not final may be replaced; commands are what a reader that crashes,
//! reads again and is late could send. Known limits: one chain; nobody spends.

use crate::rng::Rng;
use xng_cell::auditor::{Auditor, ChainProgress};
use xng_core::chain::{
    AccountKey, BlockHash, ChainCommand, ChainId, ChainParams, FinalBlock, Key, MOST_CREDITS, OutPoint, Output, TxId,
    Units,
};
use xng_core::codec::mix64;
use xng_core::entity::Command;
use xng_core::ids::AssetId;
use xng_core::money::{Amount, ONE};

pub(crate) const CHAIN: ChainId = ChainId(1);
const CONFIRMATIONS: usize = 3;
/// Height of the first block.
const FIRST: u64 = 1_000;
/// Outputs that a part of a block has at most: few, so that blocks have parts.
const PART: usize = 3;

#[derive(Debug, Clone)]
struct Block {
    hash: BlockHash,
    outputs: Vec<Output>,
}

/// The chain.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeChain {
    blocks: Vec<Block>,
    told: Vec<Key>,
    drawn: u64,
    /// A final block was replaced.
    broken: bool,
}

fn bytes(n: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&mix64(n).to_be_bytes());
    bytes[24..].copy_from_slice(&n.to_be_bytes());
    bytes
}

impl FakeChain {
    /// Lists the chain.
    pub(crate) fn listing(&self) -> Command {
        let params = ChainParams {
            chain: CHAIN,
            version: 0,
            name: "Fake".into(),
            asset: AssetId(1),
            decimals: 8,
            confirmations: CONFIRMATIONS as u32,
            min_deposit: Amount(ONE / 100),
            addresses: 3,
            keys: vec![AccountKey { ring: 0, fingerprint: [7; 8] }],
            ring: 0,
        };
        Command::Chain(CHAIN, ChainCommand::Set(Box::new(params)))
    }

    /// A client was told that an address is its own.
    pub(crate) fn told(&mut self, key: Key) {
        if !self.told.contains(&key) {
            self.told.push(key);
        }
    }

    fn mine(&mut self, rng: &mut Rng) {
        let count = if self.told.is_empty() || rng.chance(1, 2) { 0 } else { rng.below(8) };
        let height = self.blocks.len() as u64;
        let outputs = (0..count).map(|n| {
            // Two payments of one transaction now and then.
            let transaction = self.drawn * 100 + n / 2;
            let units = if rng.chance(1, 3) { rng.below(1_000_000) } else { rng.below(50_000_000) };
            Output {
                at: OutPoint { txid: TxId(bytes(transaction)), n: (n % 2) as u32 },
                key: self.told[rng.below(self.told.len() as u64) as usize],
                units: Units(u128::from(units)),
                coinbase: n == 0 && rng.chance(1, 10),
            }
        });
        let outputs = outputs.collect();
        self.drawn += 1;
        let hash = BlockHash(bytes(self.drawn << 20 | height));
        self.blocks.push(Block { hash, outputs });
    }

    /// Time passes: blocks are found, now and then on another way.
    pub(crate) fn grow(&mut self, rng: &mut Rng) -> Option<&'static str> {
        let replaced = match rng.below(400) {
            0 => CONFIRMATIONS + 1 + rng.below(2) as usize,
            1..=60 => rng.below(CONFIRMATIONS as u64) as usize,
            _ => 0,
        };
        let replaced = replaced.min(self.blocks.len());
        self.blocks.truncate(self.blocks.len() - replaced);
        (0..=replaced).for_each(|_| self.mine(rng));
        match replaced {
            0 => None,
            deep if deep >= CONFIRMATIONS => {
                self.broken = true;
                Some("a final block is replaced")
            }
            _ => Some("blocks that are not final are replaced"),
        }
    }

    fn final_blocks(&self) -> usize {
        (self.blocks.len() + 1).saturating_sub(CONFIRMATIONS)
    }

    /// What the reader sends next, by what it knows of the records.
    pub(crate) fn next(&self, rng: &mut Rng, auditor: &Auditor) -> Option<Command> {
        let ChainProgress { at, part, addresses, .. } = auditor.chain(CHAIN)?;
        let send = |command| Some(Command::Chain(CHAIN, command));
        if rng.chance(1, 60) {
            return send(if rng.chance(1, 3) { ChainCommand::Halt } else { ChainCommand::Resume });
        }
        let Some((height, hash)) = at else {
            let first = self.blocks.first().filter(|_| self.final_blocks() > 0)?;
            return send(ChainCommand::Pass { after: 0, from: BlockHash::default(), height: FIRST, hash: first.hash });
        };
        let at = usize::try_from(height.checked_sub(FIRST)?).ok()?;
        // Late, or from before it crashed.
        let at = if rng.chance(1, 12) { at.saturating_sub(rng.below(3) as usize) } else { at };
        let (at, part, known) = match part {
            Some((part, known)) => (at, part, known),
            None => (at + 1, 0, addresses),
        };
        let block = self.blocks.get(at).filter(|_| at < self.final_blocks())?;
        let height = FIRST + at as u64;
        let from = if part == 0 { self.blocks[at - 1].hash } else { BlockHash::default() };
        if block.outputs.is_empty() && part == 0 {
            let empty = self.blocks[at..self.final_blocks()].iter().take_while(|block| block.outputs.is_empty());
            let passed = 1 + rng.below(empty.count() as u64) as usize;
            let last = &self.blocks[at + passed - 1];
            return send(ChainCommand::Pass {
                after: height - 1,
                from,
                height: height + passed as u64 - 1,
                hash: last.hash,
            });
        }
        let size = if rng.chance(1, 40) { MOST_CREDITS + 1 } else { PART };
        let first = part as usize * PART;
        let outputs: Vec<Output> = block.outputs.iter().skip(first).take(size).copied().collect();
        let last = first + outputs.len() >= block.outputs.len();
        let hash = if part == 0 || rng.chance(39, 40) { block.hash } else { hash };
        let (outputs, spends) = (outputs, Vec::new());
        send(ChainCommand::Take(Box::new(FinalBlock { from, height, hash, part, last, known, outputs, spends })))
    }

    /// Asks for an address.
    pub(crate) fn ask(rng: &mut Rng, account: xng_core::ids::AccountId) -> Command {
        Command::Chain(CHAIN, ChainCommand::Assign { account, n: 1 + rng.below(4) as u32 })
    }

    /// Whether what was credited is what came, up to where the chain was read.
    pub(crate) fn agrees(&self, auditor: &Auditor) -> Result<(), String> {
        let Some(ChainProgress { at: Some((height, _)), part: None, held, .. }) = auditor.chain(CHAIN) else {
            return Ok(());
        };
        if self.broken {
            return Ok(());
        }
        // Where reading began is not read.
        let read = self.blocks.iter().take((height - FIRST + 1) as usize).skip(1);
        let came: u128 = read.flat_map(|block| &block.outputs).map(|output| output.units.0).sum();
        if came == held { Ok(()) } else { Err(format!("{came} came up to block {height}, {held} were credited")) }
    }
}
