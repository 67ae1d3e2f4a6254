//! A chain whose blocks are drawn, for the simulator: what a node would show, and what whoever reads the node sends.
//!
//! Owns: blocks with payments to addresses that clients were told and with transactions of ours, other ways that the chain goes, the
//! commands of its reader and of whoever has transactions made, signed and sent.
//! Never does: look at the engine. Invariants: a block that is not final may be replaced; commands are what a reader that crashes,
//! reads again and is late could send. What is sent is durable; any of a
//! plan's transactions may be taken, and only one of them. Known limits: one chain; nobody but us spends.

use crate::rng::Rng;
use std::collections::BTreeSet;
use xng_cell::auditor::{Auditor, ChainProgress};
use xng_core::account::{AccountCommand, Tier};
use xng_core::chain::withdrawal_facts::Vote;
use xng_core::chain::{
    AccountKey, BlockHash, ChainCommand, ChainId, ChainParams, Coin, FinalBlock, Key, MOST_CREDITS, MOST_OWN, OutPoint,
    Output, Spend, TxId, Units, WithdrawalRequest, WithdrawalTerms, flags,
};
use xng_core::codec::{Wire, hash_bytes, mix64};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId};
use xng_core::journal::Lsn;
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
    /// Transactions of ours.
    own: Vec<Sent>,
}

impl Block {
    fn is_empty(&self) -> bool {
        self.outputs.is_empty() && self.own.is_empty()
    }
}

/// A transaction of ours that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sent {
    txid: TxId,
    inputs: Vec<Coin>,
    change: Option<Units>,
    payments: u32,
}

/// The chain.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeChain {
    blocks: Vec<Block>,
    told: Vec<Key>,
    /// All that was ever sent.
    sent: Vec<Sent>,
    drawn: u64,
    /// A final block was replaced.
    broken: bool,
}

/// Small enough that all limits are met.
fn terms() -> WithdrawalTerms {
    WithdrawalTerms {
        chain: CHAIN,
        version: 0,
        open: true,
        fee: Amount(20_000),
        min: Amount(100_000),
        max: Amount(30_000_000),
        daily_limit: Amount(60_000_000),
        most_open: 4,
        auto_each: Amount(10_000_000),
        auto_day: Amount(20_000_000),
        auto_hour: Amount(80_000_000),
        two_votes_above: Amount(20_000_000),
        most_a_transaction: Amount(45_000_000),
        most_chain_fee: Units(200_000),
        bump_after_ms: 1_000,
        daily_limit_advanced: Amount(90_000_000),
    }
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
        let own = self.taken(rng);
        self.drawn += 1;
        let hash = BlockHash(bytes(self.drawn << 20 | height));
        self.blocks.push(Block { hash, outputs, own });
    }

    /// Transactions that a block takes: what they spend is there, and spent by nothing else.
    fn taken(&self, rng: &mut Rng) -> Vec<Sent> {
        let mut there: BTreeSet<OutPoint> = BTreeSet::new();
        for block in &self.blocks {
            there.extend(block.outputs.iter().map(|output| output.at));
            for own in &block.own {
                there.retain(|at| own.inputs.iter().all(|coin| coin.at != *at));
                there.extend(own.change.map(|_| OutPoint { txid: own.txid, n: own.payments }));
            }
        }
        let mut own = Vec::new();
        for sent in &self.sent {
            let can = sent.inputs.iter().all(|coin| there.contains(&coin.at));
            if can && own.len() < MOST_OWN && rng.chance(1, 3) {
                there.retain(|at| sent.inputs.iter().all(|coin| coin.at != *at));
                own.push(sent.clone());
            }
        }
        own
    }

    /// What whoever pays withdrawals does next: people vote, transactions are made, signed, sent, replaced.
    pub(crate) fn pay(&mut self, rng: &mut Rng, auditor: &Auditor, durable: Lsn) -> Option<Command> {
        let send = |command| Some(Command::Chain(CHAIN, command));
        for (.., transaction, signed) in auditor.open_plans(CHAIN) {
            // Nothing is sent before its record is durable.
            let Some((txid, _)) = signed.filter(|(_, lsn)| *lsn <= durable && rng.chance(1, 2)) else { continue };
            let change = transaction.change.map(|(_, units)| units);
            let (inputs, payments) = (transaction.inputs.clone(), transaction.payments.len() as u32);
            let sent = Sent { txid, inputs, change, payments };
            if !self.sent.contains(&sent) {
                self.sent.push(sent);
            }
        }
        let rate = 1_000 + rng.below(60_000);
        match rng.below(8) {
            0 if auditor.withdrawal_terms(CHAIN).is_none() => send(ChainCommand::SetTerms(Box::new(terms()))),
            0..=2 => {
                let waiting = auditor.waiting_withdrawals(CHAIN);
                let (withdrawal, ..) = *waiting.get(rng.below(waiting.len().max(1) as u64) as usize)?;
                let who = ["ann", "ben", "cid"][rng.below(3) as usize].to_owned();
                let vote = Vote { who, reason: "looked at".into() };
                send(ChainCommand::Vote { withdrawal, vote, agrees: !rng.chance(1, 6), seen: None })
            }
            3 | 4 => send(ChainCommand::Plan { rate }),
            5 => {
                let plans: Vec<_> = auditor.open_plans(CHAIN).map(|(plan, ..)| plan).collect();
                let plan = *plans.get(rng.below(plans.len().max(1) as u64) as usize)?;
                send(ChainCommand::Bump { plan, rate: rate * 4 })
            }
            _ => {
                let unsigned = auditor.open_plans(CHAIN).filter(|(.., signed)| signed.is_none() || rng.chance(1, 9));
                let (plan, attempt, transaction, _) = unsigned.last()?;
                let mut raw = Vec::new();
                transaction.put(&mut raw);
                // The same transaction has the same id, whenever it is signed.
                let txid = TxId(bytes(hash_bytes(1, &raw) | 1 << 63));
                raw.truncate(64);
                send(ChainCommand::Signed { plan, attempt, txid, raw })
            }
        }
    }

    /// What an account asks about withdrawals.
    pub(crate) fn withdraw(rng: &mut Rng, auditor: &Auditor, account: AccountId) -> (Command, bool) {
        let waiting = auditor.waiting_withdrawals(CHAIN);
        let own = waiting.iter().filter(|(_, owner, _)| *owner == account || rng.chance(1, 20)).last();
        if rng.chance(1, 8)
            && let Some((withdrawal, ..)) = own
        {
            return (Command::Chain(CHAIN, ChainCommand::Cancel { account, withdrawal: *withdrawal }), false);
        }
        if rng.chance(1, 16) {
            let by = ["ann", "ben"].map(str::to_owned)[..1 + rng.below(2) as usize].to_vec();
            let tier = rng.pick(&[Tier::Unverified, Tier::Basic, Tier::Advanced, Tier::Advanced]);
            return (Command::Account(account, AccountCommand::SetTier { tier, case: rng.below(50), by }), false);
        }
        let inside = rng.chance(1, 5).then(|| Key { ring: 0, change: false, index: rng.below(5) as u32 });
        let wanted = WithdrawalRequest {
            asset: AssetId(1),
            number: Amount(i128::from(if rng.chance(1, 4) { rng.below(40_000_000) } else { rng.below(4_000_000) })),
            address: format!("fake{}", rng.below(5)),
            script_bytes: 22 + 12 * rng.below(2) as u32,
            inside,
            flags: if rng.chance(1, 4) { flags::NEW_ADDRESS } else { 0 },
            version: auditor.withdrawal_terms(CHAIN).unwrap_or_default(),
        };
        let command = AccountCommand::Withdraw { chain: CHAIN, wanted: Box::new(wanted) };
        (Command::Account(account, command), true)
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
        if let Some((height, _)) = at
            && part.is_none()
            && rng.chance(1, 25)
        {
            let (came, gone) = self.moved(height);
            // Now and then the node does not show all.
            let less = if rng.chance(1, 12) { 1 + u128::from(rng.below(1_000)) } else { 0 };
            let (found, besides) = (Units(came.saturating_sub(gone + less)), Units(u128::from(rng.below(2))));
            return send(ChainCommand::CheckReserve { height, found, besides });
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
        if block.is_empty() && part == 0 {
            let empty = self.blocks[at..self.final_blocks()].iter().take_while(|block| block.is_empty());
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
        let of = |own: &Sent| own.inputs.iter().map(|coin| Spend { coin: coin.at, by: own.txid }).collect::<Vec<_>>();
        let spends = block.own.iter().flat_map(of).collect();
        send(ChainCommand::Take(Box::new(FinalBlock { from, height, hash, part, last, known, outputs, spends })))
    }

    /// Asks for an address.
    pub(crate) fn ask(rng: &mut Rng, account: AccountId) -> Command {
        Command::Chain(CHAIN, ChainCommand::Assign { account, n: 1 + rng.below(4) as u32 })
    }

    /// What came to our addresses in blocks up to a height, change with it, and what was spent.
    fn moved(&self, height: u64) -> (u128, u128) {
        // Where reading began is not read.
        let read = || self.blocks.iter().take((height - FIRST + 1) as usize).skip(1);
        let came: u128 = read().flat_map(|block| &block.outputs).map(|output| output.units.0).sum();
        let own = || read().flat_map(|block| &block.own);
        let spent: u128 = own().flat_map(|own| &own.inputs).map(|coin| coin.units.0).sum();
        let back: u128 = own().filter_map(|own| own.change).map(|units| units.0).sum();
        (came + back, spent)
    }

    /// Whether what was credited is what came, up to where the chain was read.
    pub(crate) fn agrees(&self, auditor: &Auditor) -> Result<(), String> {
        let Some(ChainProgress { at: Some((height, _)), part: None, held, .. }) = auditor.chain(CHAIN) else {
            return Ok(());
        };
        if self.broken {
            return Ok(());
        }
        let (came, gone) = self.moved(height);
        if came == held + gone {
            Ok(())
        } else {
            Err(format!("{came} came and {gone} went up to block {height}: {held} are held"))
        }
    }
}
