//! A chain whose blocks are drawn, for the simulator: what is true of it, whatever a node shows or the records say.
//!
//! Owns: blocks with payments to addresses that clients were told, with transactions of ours and with thefts of our coins; other ways
//! that the chain goes; what nodes have of what was sent; which lies were told; which coins are there after a block.
//! Never does: look at the engine; send a command (`chain_reader.rs` and `chain_payer.rs` do).
//! Invariants: a block that is not final may be replaced; any of a plan's transactions that was sent may be taken, if what it spends is
//! there, and only one of them. After each block that is read the coins of the records are those of the chain, but for what a node
//! lied about; a chain is halted for another way or a foreign spend only when there was one.
//! Known limits: one chain.

use crate::chain_payer::Signer;
use crate::rng::Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xng_cell::auditor::{Auditor, ChainProgress, OpenAttempt};
use xng_core::chain::facts::{BlockTaken, ChainFact, ChainHalted, CreditKind, HaltReason};
use xng_core::chain::{
    AccountKey, BlockHash, ChainCommand, ChainId, ChainParams, Coin, Key, MOST_OWN, OutPoint, Output, PlanId, Spend,
    TxId, Units,
};
use xng_core::codec::mix64;
use xng_core::entity::Command;
use xng_core::ids::AssetId;
use xng_core::journal::Lsn;
use xng_core::money::{Amount, ONE};
use xng_core::record::{Fact, Record};

pub(crate) const CHAIN: ChainId = ChainId(1);
const CONFIRMATIONS: usize = 3;
/// Height of the first block.
pub(crate) const FIRST: u64 = 1_000;
/// A block's reward may be spent so many blocks later.
const RIPE_AFTER: u64 = 100;
/// Blocks that are replaced at once are fewer.
const DEEPEST: usize = 20;
/// Blocks in a row that take nothing of ours.
const JAM: u64 = 12;
/// Blocks without anything of ours that are found at once now and then.
const NIGHT: u64 = 40;
/// Answers that are kept to come late, at most.
const MOST_LATE: usize = 3;

#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) hash: BlockHash,
    pub(crate) outputs: Vec<Output>,
    /// Transactions of ours.
    own: Vec<Sent>,
    /// Coins of ours that are spent by nobody's plan.
    stolen: Vec<Spend>,
}

/// What a coin holds, and the first block that may spend it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct There {
    pub(crate) units: Units,
    from: u64,
}

pub(crate) type Coins = BTreeMap<OutPoint, There>;

/// A transaction of ours that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) plan: PlanId,
    pub(crate) txid: TxId,
    pub(crate) inputs: Vec<Coin>,
    pub(crate) change: Option<Units>,
    pub(crate) payments: u32,
}

impl Block {
    pub(crate) fn is_empty(&self) -> bool {
        self.outputs.is_empty() && self.own.is_empty() && self.stolen.is_empty()
    }

    /// All that it spends.
    pub(crate) fn spends(&self) -> impl Iterator<Item = Spend> {
        let own =
            |sent: &Sent| sent.inputs.iter().map(|coin| Spend { coin: coin.at, by: sent.txid }).collect::<Vec<_>>();
        self.stolen.iter().copied().chain(self.own.iter().flat_map(own))
    }

    fn apply(&self, height: u64, there: &mut Coins) {
        for output in &self.outputs {
            let from = if output.coinbase { height + RIPE_AFTER } else { 0 };
            there.insert(output.at, There { units: output.units, from });
        }
        self.own.iter().for_each(|sent| sent.apply(there));
        there.retain(|at, _| self.stolen.iter().all(|spend| spend.coin != *at));
    }
}

impl Sent {
    /// Whether the block at this height may take it: a signature holds for what its coin holds, and for nothing else.
    fn is_valid(&self, height: u64, there: &Coins) -> bool {
        let good = |coin: &Coin| there.get(&coin.at).is_some_and(|is| is.units == coin.units && is.from <= height);
        self.inputs.iter().all(good)
    }

    fn apply(&self, there: &mut Coins) {
        there.retain(|at, _| self.inputs.iter().all(|coin| coin.at != *at));
        let change = self.change.map(|units| There { units, from: 0 });
        there.extend(change.map(|change| (OutPoint { txid: self.txid, n: self.payments }, change)));
    }
}

/// The chain.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeChain {
    pub(crate) blocks: Vec<Block>,
    told: Vec<Key>,
    /// What nodes have: it may be in any block, and is forgotten now and then.
    pub(crate) sent: Vec<Sent>,
    pub(crate) signer: Signer,
    /// What is on its way for long.
    pub(crate) late: VecDeque<ChainCommand>,
    /// What a node said of outputs that was not so: another sum, or none.
    pub(crate) lies: BTreeMap<OutPoint, BTreeSet<Option<Units>>>,
    /// Blocks of another chain that were shown and did not halt the chain yet.
    pub(crate) strangers: u64,
    drawn: u64,
    /// Outputs that are blocks' rewards.
    rewards: BTreeSet<OutPoint>,
    /// Where the records were when their coins were compared.
    compared: Option<(u64, BlockHash)>,
    reached: Vec<&'static str>,
}

pub(crate) fn bytes(n: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&mix64(n).to_be_bytes());
    bytes[24..].copy_from_slice(&n.to_be_bytes());
    bytes
}

/// What comes of a command that is sent: mostly this; now and then it is on its way for long, even beyond a crash, or comes twice.
pub(crate) fn on_its_way(
    chain: ChainId,
    rng: &mut Rng,
    command: Option<ChainCommand>,
    (late, reached): (&mut VecDeque<ChainCommand>, &mut Vec<&'static str>),
) -> Vec<Command> {
    let mut all: Vec<ChainCommand> = Vec::new();
    if rng.chance(1, 10)
        && let Some(late) = late.pop_front()
    {
        reached.push("what node or signer said comes late");
        all.push(late);
    }
    if let Some(command) = command {
        match rng.below(30) {
            0 if late.len() < MOST_LATE => late.push_back(command),
            1 => {
                reached.push("what node or signer said comes twice");
                all.extend([command.clone(), command]);
            }
            _ => all.push(command),
        }
    }
    all.into_iter().map(|command| Command::Chain(chain, command)).collect()
}

impl FakeChain {
    /// Lists the chain.
    pub(crate) fn listing() -> Command {
        Command::Chain(CHAIN, FakeChain::set(0, Amount(ONE / 100)))
    }

    /// Sets the least deposit, and the rest as it is.
    pub(crate) fn set(version: u32, min_deposit: Amount) -> ChainCommand {
        let params = ChainParams {
            chain: CHAIN,
            version,
            name: "Fake".into(),
            asset: AssetId(1),
            decimals: 8,
            confirmations: CONFIRMATIONS as u32,
            min_deposit,
            addresses: 3,
            keys: vec![AccountKey { ring: 0, fingerprint: [7; 8] }],
            ring: 0,
            accounts: None,
        };
        ChainCommand::Set(Box::new(params))
    }

    /// A client was told that an address is its own.
    pub(crate) fn told(&mut self, key: Key) {
        if !self.told.contains(&key) {
            self.told.push(key);
        }
    }

    pub(crate) fn reach(&mut self, path: &'static str) {
        self.reached.push(path);
    }

    /// Paths that were reached since this was asked last.
    pub(crate) fn take_reached(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.reached)
    }

    /// What comes of a command that is sent to this chain.
    pub(crate) fn on_its_way(&mut self, rng: &mut Rng, command: Option<ChainCommand>) -> Vec<Command> {
        on_its_way(CHAIN, rng, command, (&mut self.late, &mut self.reached))
    }

    /// A block; in the place of another one it takes much, replacements first.
    fn mine(&mut self, rng: &mut Rng, is_other_way: bool) {
        let count = if self.told.is_empty() || rng.chance(1, 2) { 0 } else { rng.below(8) };
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
        let outputs: Vec<Output> = outputs.collect();
        self.rewards.extend(outputs.iter().filter(|output| output.coinbase).map(|output| output.at));
        let mut there = self.coins(self.blocks.len());
        // For a while miners take nothing of ours, then much; a replacement before or after what it replaces.
        let is_jam = !is_other_way && (self.drawn / JAM).is_multiple_of(3);
        let (much, newest_first) = (is_other_way || rng.chance(1, 3), is_other_way || rng.chance(1, 2));
        let wants = |own| !is_jam && own < MOST_OWN + 2 && (much || rng.chance(1, 3));
        let own = self.taken(&mut there, newest_first, wants);
        let mut stolen = Vec::new();
        if !there.is_empty() && rng.chance(1, 800) {
            let coin = there.keys().nth(rng.below(there.len() as u64) as usize).copied();
            let by = TxId(bytes(self.drawn << 20 | 1 << 62));
            stolen.extend(coin.map(|coin| Spend { coin, by }));
            self.reach("a coin is spent by no plan");
        }
        self.found(outputs, own, stolen);
    }

    fn found(&mut self, outputs: Vec<Output>, own: Vec<Sent>, stolen: Vec<Spend>) {
        self.drawn += 1;
        let hash = BlockHash(bytes(self.drawn << 20 | self.blocks.len() as u64));
        self.blocks.push(Block { hash, outputs, own, stolen });
    }

    /// Blocks with all that can be taken, which are final at once.
    pub(crate) fn mine_all(&mut self) {
        let mut there = self.coins(self.blocks.len());
        let own = self.taken(&mut there, true, |_| true);
        self.found(Vec::new(), own, Vec::new());
        (1..CONFIRMATIONS).for_each(|_| self.found(Vec::new(), Vec::new(), Vec::new()));
    }

    /// Transactions that the next block takes, by what it has already: what they spend is there, and spent by nothing else.
    fn taken(&self, there: &mut Coins, newest_first: bool, mut wants: impl FnMut(usize) -> bool) -> Vec<Sent> {
        let height = FIRST + self.blocks.len() as u64;
        let mut own: Vec<Sent> = Vec::new();
        let last = self.sent.len();
        for n in 0..last {
            let sent = &self.sent[if newest_first { last - 1 - n } else { n }];
            if sent.is_valid(height, there) && wants(own.len()) {
                sent.apply(there);
                own.push(sent.clone());
            }
        }
        own
    }

    /// Time passes: blocks are found, now and then on another way.
    pub(crate) fn grow(&mut self, rng: &mut Rng, auditor: &Auditor) {
        let replaced = match rng.below(1_000) {
            // One that was read already, if not much came after it.
            0 => {
                let read = auditor.chain(CHAIN).and_then(|progress| self.place(progress.at?));
                let above = read.map_or(0, |read| self.blocks.len() - read);
                if (CONFIRMATIONS..DEEPEST).contains(&above) { above } else { CONFIRMATIONS }
            }
            1..=150 => rng.below(CONFIRMATIONS as u64) as usize,
            _ => 0,
        };
        let replaced = replaced.min(self.blocks.len());
        let gone = self.blocks.split_off(self.blocks.len() - replaced);
        (0..=replaced).for_each(|_| self.mine(rng, replaced > 0));
        if rng.chance(1, 50) {
            // A night: rewards ripen.
            (0..NIGHT).for_each(|_| self.found(Vec::new(), Vec::new(), Vec::new()));
        }
        match replaced {
            0 => {}
            deep if deep >= CONFIRMATIONS => self.reach("a final block is replaced"),
            _ => self.reach("blocks that are not final are replaced"),
        }
        let came = self.blocks.iter().rev().take(replaced + 1).flat_map(|block| &block.own);
        let was = |new: &Sent| gone.iter().flat_map(|block| &block.own).any(|old| old.plan == new.plan && old != new);
        if came.filter(|new| was(new)).count() > 0 {
            self.reach("on another way another transaction of a plan is taken");
        }
        if !self.sent.is_empty() && rng.chance(1, 60) {
            self.sent.clear();
            self.reach("nodes forget what waits");
        }
    }

    pub(crate) fn final_blocks(&self) -> usize {
        (self.blocks.len() + 1).saturating_sub(CONFIRMATIONS)
    }

    /// Where a block is that is on the chain.
    pub(crate) fn place(&self, (height, hash): (u64, BlockHash)) -> Option<usize> {
        let at = usize::try_from(height.checked_sub(FIRST)?).ok()?;
        self.blocks.get(at).filter(|block| block.hash == hash).map(|_| at)
    }

    /// Coins on our addresses after so many blocks. The block where reading began is not read.
    fn coins(&self, blocks: usize) -> Coins {
        let mut there = Coins::new();
        for (height, block) in (FIRST..).zip(&self.blocks[..blocks]).skip(1) {
            block.apply(height, &mut there);
        }
        there
    }

    /// Coins on our addresses after a block; none when the chain went another way.
    pub(crate) fn coins_after(&self, at: (u64, BlockHash)) -> Option<Coins> {
        Some(self.coins(self.place(at)? + 1))
    }

    /// A record that the auditor has not read yet: whether what it says of blocks is so.
    pub(crate) fn judge(&mut self, record: &Record, auditor: &Auditor) -> Result<(), String> {
        let Fact::Chain(fact) = &record.fact else { return Ok(()) };
        if let ChainFact::BlockTaken(f) = fact
            && f.chain == CHAIN
        {
            return self.judge_block(f, auditor);
        }
        if let ChainFact::BlocksPassed(f) = fact
            && f.chain == CHAIN
            && let Some((height, _)) = auditor.chain(CHAIN).and_then(|progress| progress.at)
            && self.place((f.height, f.hash)).is_some()
        {
            return self.judge_way((height, f.from));
        }
        if let ChainFact::ChainHalted(f) = fact
            && f.chain == CHAIN
        {
            return self.judge_halt(f, auditor);
        }
        Ok(())
    }

    fn judge_block(&mut self, f: &BlockTaken, auditor: &Auditor) -> Result<(), String> {
        let Some(at) = self.place((f.height, f.hash)) else { return Ok(()) };
        if f.part == 0 {
            self.judge_way((f.height - 1, f.from))?;
        }
        let block = self.blocks[at].clone();
        for credit in &f.credits {
            let output = block.outputs.iter().find(|output| output.at == credit.at);
            let output = output.ok_or_else(|| format!("{credit:?} is not in block {}", f.height))?;
            let lie = || self.lies.get(&credit.at).is_some_and(|lies| lies.contains(&Some(credit.units)));
            let is_reward = credit.kind == CreditKind::Coinbase;
            if output.key != credit.key || is_reward != output.coinbase || (output.units != credit.units && !lie()) {
                return Err(format!("{credit:?} is {output:?} in block {}", f.height));
            }
        }
        for own in &f.own {
            if block.own.iter().all(|sent| sent.txid != own.txid) {
                return Err(format!("{own:?} is not in block {}", f.height));
            }
            let signed = |n: u32| {
                auditor.open_plans(CHAIN).any(|of| of.plan == own.plan && of.attempt > n && of.signed.is_some())
            };
            if signed(own.attempt) {
                self.reach("a transaction is final that was replaced");
            }
            if own.attempt > 0 {
                self.reach("a replacement is final");
            }
            let sent = block.own.iter().filter(|sent| sent.txid == own.txid).flat_map(|sent| &sent.inputs);
            let is_reward = |coin: &Coin| self.rewards.contains(&coin.at);
            if sent.filter(|coin| is_reward(coin)).count() > 0 {
                self.reach("a block's reward is spent");
            }
        }
        Ok(())
    }

    /// What is on the chain comes after what is on the chain.
    fn judge_way(&self, from: (u64, BlockHash)) -> Result<(), String> {
        match self.place(from) {
            Some(_) => Ok(()),
            None => Err(format!("a block is read that comes after another one than {from:?}")),
        }
    }

    fn judge_halt(&mut self, f: &ChainHalted, auditor: &Auditor) -> Result<(), String> {
        let is_right = match f.reason {
            HaltReason::Operator | HaltReason::Missing => true,
            HaltReason::Spent => self.blocks.iter().flat_map(|block| &block.stolen).any(|spend| spend.by == f.txid),
            HaltReason::Reorganised => {
                let at = auditor.chain(CHAIN).and_then(|progress| progress.at);
                let is_gone = at.is_some_and(|at| self.place(at).is_none());
                if is_gone || self.strangers == 0 {
                    is_gone
                } else {
                    self.strangers -= 1;
                    true
                }
            }
        };
        if is_right { Ok(()) } else { Err(format!("{f:?}, and there was no cause")) }
    }

    /// Whether the coins of the records are those of the chain, up to where it was read.
    pub(crate) fn agrees(&mut self, auditor: &Auditor) -> Result<(), String> {
        let Some(ChainProgress { at: Some(at), part: None, .. }) = auditor.chain(CHAIN) else {
            self.compared = None;
            return Ok(());
        };
        if self.compared.replace(at) == Some(at) {
            return Ok(());
        }
        let Some(mut there) = self.coins_after(at) else { return Ok(()) };
        let lied = |coin: &OutPoint, units| self.lies.get(coin).is_some_and(|lies| lies.contains(&units));
        for (coin, units) in auditor.coins(CHAIN) {
            let is = there.remove(&coin);
            if is.is_none_or(|is| is.units != Units(units)) && !lied(&coin, Some(Units(units))) {
                return Err(format!("coin {coin:?} holds {units} in the records, after block {} {is:?}", at.0));
            }
        }
        match there.iter().find(|(coin, _)| !lied(coin, None)) {
            Some(forgotten) => Err(format!("{forgotten:?} is there after block {}, and not in the records", at.0)),
            None => Ok(()),
        }
    }

    /// Whether the records have no coin that a node made up, and nothing happened on the chain that halts it for ever.
    pub(crate) fn is_sound(&self, auditor: &Auditor) -> bool {
        let Some(at) = auditor.chain(CHAIN).and_then(|progress| progress.at) else { return false };
        let Some(place) = self.place(at) else { return false };
        // In the middle of a block some of its coins may be there already.
        let there = self.coins(self.blocks.len().min(place + 1));
        let is_false = |lies: &BTreeSet<Option<Units>>| lies.iter().any(Option::is_some);
        let made_up = auditor.coins(CHAIN).any(|(coin, units)| {
            self.lies.get(&coin).is_some_and(is_false) && there.get(&coin).is_none_or(|is| is.units != Units(units))
        });
        !made_up && self.blocks.iter().all(|block| block.stolen.is_empty())
    }

    /// Between which steps of paying a crash comes.
    pub(crate) fn crash_paths(&self, auditor: &Auditor, durable: Lsn) -> BTreeSet<&'static str> {
        let in_block = |txid: TxId| self.blocks.iter().flat_map(|block| &block.own).any(|own| own.txid == txid);
        let path = |of: OpenAttempt<'_>| match of.signed {
            _ if of.planned > durable => "crash before a plan is durable",
            None => "crash between plan and signature",
            Some((_, lsn)) if lsn > durable => "crash before a signature is durable",
            Some((txid, _)) if in_block(txid) => "crash between a transaction's block and its record",
            Some((txid, _)) if self.sent.iter().any(|sent| sent.txid == txid) => "crash between sending and block",
            Some(_) => "crash between signature and sending",
        };
        auditor.open_plans(CHAIN).map(path).collect()
    }
}
