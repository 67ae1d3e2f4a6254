//! A chain of accounts whose blocks are drawn, for the simulator: what is true of it, whatever a node shows or the records say.
//!
//! Owns: blocks with transfers to addresses that clients were told, of a coin of 18 decimals and a token of 6, with transactions of
//! ours, some of which move nothing, and with others of our keys; other ways that the chain goes; what nodes have of what was sent;
//! which lies were told; what each address holds after a block.
//! Never does: look at the engine; send a command (`accounts_reader.rs` and `accounts_payer.rs` do).
//! Invariants: a block that is not final may be replaced; of a key's transactions those are taken whose nonce is the next, each nonce
//! once. After each block that is read the balances of the records are those of the chain, but for what a node lied about; a chain
//! is halted for another way or a foreign transaction only when there was one.
//! Known limits: one chain, one token.

use crate::accounts_payer::Signer;
use crate::fake_chain::bytes;
use crate::rng::Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use xng_cell::auditor::{Auditor, ChainProgress, OpenTransfer};
use xng_core::chain::facts::{BlockTaken, ChainFact, ChainHalted, HaltReason};
use xng_core::chain::{
    AccountKey, AccountTransaction, AccountsParams, BlockHash, ChainCommand, ChainId, ChainParams, Contract, Incoming,
    Key, OutPoint, OwnTransfer, PlanId, Recipient, Token, TxId, Units,
};
use xng_core::entity::Command;
use xng_core::ids::AssetId;
use xng_core::journal::Lsn;
use xng_core::money::{Amount, ONE};
use xng_core::record::{Fact, Record};

pub(crate) const ACCOUNTS: ChainId = ChainId(2);
pub(crate) const COIN: AssetId = AssetId(2);
pub(crate) const TOKEN: AssetId = AssetId(4);
const CONTRACT: Contract = [7; 20];
const CONFIRMATIONS: usize = 3;
/// Height of the first block.
pub(crate) const FIRST: u64 = 2_000;
/// Blocks that are replaced at once are fewer.
const DEEPEST: usize = 20;
/// Blocks in a row that take nothing of ours.
const JAM: u64 = 10;
/// Transactions of ours that a block takes at most.
const MOST_TAKEN: usize = 5;

/// What addresses of ours hold, and how many transactions each made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) balances: BTreeMap<(AssetId, Key), u128>,
    nonces: BTreeMap<Key, u64>,
}

/// A transaction of one of our keys that is in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) shown: OwnTransfer,
    from: Key,
    /// The address of ours that gets what it moves.
    to: Option<Key>,
    /// Whose plan it is; none of one that nobody planned.
    pub(crate) plan: Option<(PlanId, u32)>,
    /// Whether it is the key's own, and not by leave of it.
    has_nonce: bool,
}

/// A block.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) hash: BlockHash,
    pub(crate) incoming: Vec<Incoming>,
    pub(crate) made: Vec<Made>,
    after: Rc<State>,
}

/// A transaction of ours that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) plan: PlanId,
    pub(crate) attempt: u32,
    pub(crate) txid: TxId,
    pub(crate) asset: AssetId,
    pub(crate) transaction: AccountTransaction,
}

impl State {
    fn has(&self, asset: AssetId, key: Key) -> u128 {
        self.balances.get(&(asset, key)).copied().unwrap_or_default()
    }

    fn add(&mut self, asset: AssetId, key: Key, units: u128) {
        let sum = self.has(asset, key) + units;
        if sum > 0 {
            self.balances.insert((asset, key), sum);
        }
    }

    fn take(&mut self, asset: AssetId, key: Key, units: u128) {
        let left = self.has(asset, key) - units;
        if left > 0 {
            self.balances.insert((asset, key), left)
        } else {
            self.balances.remove(&(asset, key))
        };
    }

    fn apply(&mut self, made: &Made) {
        self.take(COIN, made.from, made.shown.fee.0);
        for (asset, key, units) in &made.shown.moved {
            self.take(*asset, *key, units.0);
            if let Some(to) = made.to {
                self.add(*asset, to, units.0);
            }
        }
        *self.nonces.entry(made.from).or_default() += u64::from(made.has_nonce);
    }

    /// Whether a block may take it: it is the next of its key, which has what it may cost.
    fn may_take(&self, sent: &Sent) -> bool {
        let t = &sent.transaction;
        let moved = if sent.asset == COIN { t.units.0 } else { 0 };
        self.nonces.get(&t.from).copied().unwrap_or_default() == t.nonce
            && self.has(COIN, t.from) >= t.most_fee().0 + moved
    }
}

/// The chain.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeAccounts {
    pub(crate) blocks: Vec<Block>,
    told: Vec<Key>,
    /// What nodes have: it may be in any block, and is forgotten now and then.
    pub(crate) sent: Vec<Sent>,
    pub(crate) signer: Signer,
    /// What is on its way for long.
    pub(crate) late: VecDeque<ChainCommand>,
    /// What a node said of transfers that was not so: another sum, or none.
    pub(crate) lies: BTreeMap<OutPoint, BTreeSet<Option<Units>>>,
    /// Transactions of ours of which it said another sum.
    pub(crate) own_lies: BTreeSet<TxId>,
    /// Blocks of another chain that were shown and did not halt the chain yet.
    pub(crate) strangers: u64,
    drawn: u64,
    /// Where the records were when they were compared.
    compared: Option<(u64, BlockHash)>,
    pub(crate) reached: Vec<&'static str>,
}

impl FakeAccounts {
    /// Lists the chain.
    pub(crate) fn listing() -> Command {
        Command::Chain(ACCOUNTS, FakeAccounts::set(0, 1))
    }

    /// Sets the least deposits, so many times the least, and the rest as it is.
    pub(crate) fn set(version: u32, times: i128) -> ChainCommand {
        let (min_deposit, min_sweep) = (Amount(times * ONE), Amount(5 * ONE));
        let token = Token { asset: TOKEN, contract: CONTRACT, decimals: 6, min_deposit, min_sweep };
        let accounts = AccountsParams {
            chain_id: 7,
            min_sweep: Amount(ONE / 20),
            coin_gas: 30_000,
            token_gas: 65_000,
            tokens: vec![token],
        };
        let params = ChainParams {
            chain: ACCOUNTS,
            version,
            name: "Accounts".into(),
            asset: COIN,
            decimals: 18,
            confirmations: CONFIRMATIONS as u32,
            min_deposit: Amount(times * ONE / 100),
            addresses: 3,
            keys: vec![AccountKey { ring: 0, fingerprint: [8; 8] }],
            ring: 0,
            accounts: Some(accounts),
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

    /// What is so after the last block.
    fn tip(&self) -> Rc<State> {
        self.blocks.last().map(|block| block.after.clone()).unwrap_or_default()
    }

    /// Transfers to addresses that were told.
    fn incoming(&self, rng: &mut Rng) -> Vec<Incoming> {
        // What is in the first block is never read.
        let none = self.told.is_empty() || self.blocks.is_empty() || rng.chance(1, 2);
        let count = if none { 0 } else { rng.below(6) };
        let transfer = |n: u64| {
            let (asset, one) =
                if rng.chance(1, 2) { (COIN, 4 * 10_u128.pow(18)) } else { (TOKEN, 90 * 10_u128.pow(6)) };
            let most = if rng.chance(1, 3) { one / 200 } else { one };
            // Two transfers of one transaction now and then.
            let txid = TxId(bytes((self.drawn * 100 + n / 2) | 1 << 61));
            Incoming {
                at: OutPoint { txid, n: (n % 2) as u32 },
                key: self.told[rng.below(self.told.len() as u64) as usize],
                asset,
                units: Units(1 + u128::from(rng.next_u64()) % most),
            }
        };
        (0..count).map(transfer).collect()
    }

    /// What a transaction does in a block: it moves what it says, or costs its gas and moves nothing.
    fn run(rng: &mut Rng, sent: &Sent, state: &State, fails: bool) -> Made {
        let t = &sent.transaction;
        let to = if let Recipient::Own(key) = t.to { Some(key) } else { None };
        // A payee may be a contract that refuses; a token may be paused.
        let refuses = fails && (to.is_none() && rng.chance(1, 5) || t.token.is_some() && rng.chance(1, 12));
        let moves = !refuses && state.has(sent.asset, t.from) >= t.units.0;
        let gas = t.gas_limit - rng.below(t.gas_limit / 8);
        let price = t.max_fee_per_gas - u128::from(rng.next_u64()) % (t.max_fee_per_gas / 4 + 1);
        let moved = moves.then_some((sent.asset, t.from, t.units)).into_iter().collect();
        let shown = OwnTransfer { txid: sent.txid, fee: Units(u128::from(gas) * price), moved };
        Made { shown, from: t.from, to, plan: Some((sent.plan, sent.attempt)), has_nonce: true }
    }

    /// A transaction of one of our keys that nobody planned, or one that takes its token by leave of it.
    fn steal(&mut self, rng: &mut Rng, state: &State) -> Option<Made> {
        let (asset, from) = *state.balances.keys().nth(rng.below(state.balances.len().max(1) as u64) as usize)?;
        let has_nonce = asset == COIN || rng.chance(1, 2);
        let fee = if has_nonce { state.has(COIN, from) / 1_000 } else { 0 };
        let units = state.has(asset, from) / 2;
        let moved = if has_nonce && rng.chance(1, 3) { Vec::new() } else { vec![(asset, from, Units(units))] };
        self.reach("a key of ours moves what no plan does");
        let shown = OwnTransfer { txid: TxId(bytes(self.drawn << 20 | 1 << 62)), fee: Units(fee), moved };
        Some(Made { shown, from, to: None, plan: None, has_nonce })
    }

    /// A block; in the place of another one it takes much, replacements first.
    fn mine(&mut self, rng: &mut Rng, is_other_way: bool) {
        let incoming = self.incoming(rng);
        let is_jam = !is_other_way && (self.drawn / JAM).is_multiple_of(3);
        let newest_first = is_other_way || rng.chance(1, 2);
        let most = if is_jam { 0 } else { rng.below(1 + MOST_TAKEN as u64) as usize };
        let steals = !self.blocks.is_empty() && rng.chance(1, 1_000);
        self.found(rng, incoming, (newest_first, most, true), steals);
    }

    fn found(
        &mut self,
        rng: &mut Rng,
        incoming: Vec<Incoming>,
        (newest_first, most, fails): (bool, usize, bool),
        steals: bool,
    ) {
        let mut after = self.tip();
        let mut made: Vec<Made> = Vec::new();
        while made.len() < most {
            let mut sent = self.sent.iter();
            let next =
                if newest_first { sent.rfind(|sent| after.may_take(sent)) } else { sent.find(|s| after.may_take(s)) };
            let Some(next) = next else { break };
            made.push(FakeAccounts::run(rng, next, &after, fails));
            Rc::make_mut(&mut after).apply(&made[made.len() - 1]);
        }
        if let Some(stolen) = steals.then(|| self.steal(rng, &after)).flatten() {
            Rc::make_mut(&mut after).apply(&stolen);
            made.push(stolen);
        }
        for Incoming { key, asset, units, .. } in &incoming {
            Rc::make_mut(&mut after).add(*asset, *key, units.0);
        }
        self.drawn += 1;
        let hash = BlockHash(bytes(self.drawn << 20 | 1 << 60 | self.blocks.len() as u64));
        self.blocks.push(Block { hash, incoming, made, after });
    }

    /// Blocks with all that can be taken, which are final at once.
    pub(crate) fn mine_all(&mut self, rng: &mut Rng) {
        self.found(rng, Vec::new(), (true, usize::MAX, true), false);
        (1..CONFIRMATIONS).for_each(|_| self.found(rng, Vec::new(), (true, 0, false), false));
    }

    /// Time passes: blocks are found, now and then on another way.
    pub(crate) fn grow(&mut self, rng: &mut Rng, auditor: &Auditor) {
        let open: BTreeSet<PlanId> = auditor.open_transfers(ACCOUNTS).map(|of| of.plan).collect();
        self.sent.retain(|sent| open.contains(&sent.plan));
        let replaced = match rng.below(1_000) {
            // One that was read already, if not much came after it.
            0 => {
                let read = auditor.chain(ACCOUNTS).and_then(|progress| self.place(progress.at?));
                let above = read.map_or(0, |read| self.blocks.len() - read);
                if (CONFIRMATIONS..DEEPEST).contains(&above) { above } else { CONFIRMATIONS }
            }
            1..=150 => rng.below(CONFIRMATIONS as u64) as usize,
            _ => 0,
        };
        let replaced = replaced.min(self.blocks.len());
        let gone = self.blocks.split_off(self.blocks.len() - replaced);
        (0..=replaced).for_each(|_| self.mine(rng, replaced > 0));
        match replaced {
            0 => {}
            deep if deep >= CONFIRMATIONS => self.reach("a final block is replaced"),
            _ => self.reach("blocks that are not final are replaced"),
        }
        let was = |new: &Made| {
            let mut old = gone.iter().flat_map(|block| &block.made);
            old.any(|old| old.plan.is_some() && old.plan.map(|(id, _)| id) == new.plan.map(|(id, _)| id) && old != new)
        };
        if self.blocks.iter().rev().take(replaced + 1).flat_map(|block| &block.made).filter(|new| was(new)).count() > 0
        {
            self.reach("on another way a transfer ends in another way");
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

    /// What is so after a block; none when the chain went another way.
    pub(crate) fn after(&self, at: (u64, BlockHash)) -> Option<&State> {
        Some(&self.blocks[self.place(at)?].after)
    }

    /// A record that the auditor has not read yet: whether what it says of blocks is so.
    pub(crate) fn judge(&mut self, record: &Record, auditor: &Auditor) -> Result<(), String> {
        let Fact::Chain(fact) = &record.fact else { return Ok(()) };
        if let ChainFact::BlockTaken(f) = fact
            && f.chain == ACCOUNTS
        {
            return self.judge_block(f, auditor);
        }
        if let ChainFact::BlocksPassed(f) = fact
            && f.chain == ACCOUNTS
            && let Some((height, _)) = auditor.chain(ACCOUNTS).and_then(|progress| progress.at)
            && self.place((f.height, f.hash)).is_some()
        {
            return self.judge_way((height, f.from));
        }
        if let ChainFact::ChainHalted(f) = fact
            && f.chain == ACCOUNTS
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
        let block = &self.blocks[at];
        for credit in &f.credits {
            let came = block.incoming.iter().find(|incoming| incoming.at == credit.at);
            let came = came.ok_or_else(|| format!("{credit:?} is not in block {}", f.height))?;
            let lie = || self.lies.get(&credit.at).is_some_and(|lies| lies.contains(&Some(credit.units)));
            if (came.key, came.asset) != (credit.key, credit.asset) || (came.units != credit.units && !lie()) {
                return Err(format!("{credit:?} is {came:?} in block {}", f.height));
            }
        }
        let mut reached = Vec::new();
        for own in &f.own {
            let made = block.made.iter().find(|made| made.plan == Some((own.plan, own.attempt)));
            let made = made.ok_or_else(|| format!("{own:?} is not in block {}", f.height))?;
            let end = own.transfer.ok_or_else(|| format!("{own:?} does not say how it ended"))?;
            if (made.shown.fee, !made.shown.moved.is_empty()) != (end.fee, end.moved) || made.shown.txid != own.txid {
                return Err(format!("{own:?} is {made:?} in block {}", f.height));
            }
            let mut later = auditor.open_transfers(ACCOUNTS).filter(|of| of.plan == own.plan);
            if later.any(|of| of.attempt > own.attempt && of.signed.is_some()) {
                reached.push("a transfer is final that was replaced");
            }
            if own.attempt > 0 {
                reached.push("a replacement of a transfer is final");
            }
        }
        self.reached.extend(reached);
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
            HaltReason::Spent => {
                let mut stolen = self.blocks.iter().flat_map(|block| &block.made).filter(|made| made.plan.is_none());
                self.own_lies.contains(&f.txid) || stolen.any(|made| made.shown.txid == f.txid)
            }
            HaltReason::Reorganised => {
                let at = auditor.chain(ACCOUNTS).and_then(|progress| progress.at);
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

    /// Transfers up to a block, with what the records say of each.
    fn came<'a>(&'a self, auditor: &Auditor, last: usize) -> impl Iterator<Item = (&'a Incoming, Option<u128>)> {
        let told: BTreeMap<OutPoint, u128> = auditor.came(ACCOUNTS).map(|(at, came)| (at, came.units)).collect();
        let all = self.blocks[..=last].iter().flat_map(|block| &block.incoming);
        all.map(move |incoming| (incoming, told.get(&incoming.at).copied()))
    }

    /// Whether the balances of the records are those of the chain, up to where it was read.
    pub(crate) fn agrees(&mut self, auditor: &Auditor) -> Result<(), String> {
        let Some(ChainProgress { at: Some(at), part: None, .. }) = auditor.chain(ACCOUNTS) else {
            self.compared = None;
            return Ok(());
        };
        if self.compared.replace(at) == Some(at) {
            return Ok(());
        }
        let Some(place) = self.place(at) else { return Ok(()) };
        let mut there = self.blocks[place].after.balances.clone();
        if !self.lies.is_empty() {
            for (Incoming { at, key, asset, units }, told) in self.came(auditor, place) {
                let is_lie = self.lies.get(at).is_some_and(|lies| lies.contains(&told.map(Units)));
                if told != Some(units.0) && !is_lie {
                    return Err(format!("transfer {at:?} brings {units:?}, the records say {told:?}"));
                }
                let has = there.entry((*asset, *key)).or_default();
                // Of what it was said to be more, more may have been taken than ever came: nothing of it moved then.
                *has = (*has + told.unwrap_or_default()).saturating_sub(units.0);
            }
            there.retain(|_, units| *units > 0);
        }
        let says: BTreeMap<(AssetId, Key), u128> =
            auditor.balances(ACCOUNTS).map(|(a, key, u)| ((a, key), u)).collect();
        if says == there { Ok(()) } else { Err(format!("after block {} {there:?} is there, not {says:?}", at.0)) }
    }

    /// Whether the records have nothing that a node made up, and nothing happened on the chain that halts it for ever.
    pub(crate) fn is_sound(&self, auditor: &Auditor) -> bool {
        let Some(at) = auditor.chain(ACCOUNTS).and_then(|progress| progress.at) else { return false };
        let Some(place) = self.place(at) else { return false };
        let made_up = !self.lies.is_empty()
            && self.came(auditor, place).any(|(came, told)| told.is_some_and(|told| told != came.units.0));
        !made_up && self.blocks.iter().flat_map(|block| &block.made).all(|made| made.plan.is_some())
    }

    /// Between which steps of paying a crash comes.
    pub(crate) fn crash_paths(&self, auditor: &Auditor, durable: Lsn) -> BTreeSet<&'static str> {
        let in_block = |txid: TxId| self.blocks.iter().flat_map(|block| &block.made).any(|m| m.shown.txid == txid);
        let path = |of: OpenTransfer<'_>| match of.signed {
            _ if of.planned > durable => "crash before a plan is durable",
            None => "crash between plan and signature",
            Some((_, lsn)) if lsn > durable => "crash before a signature is durable",
            Some((txid, _)) if in_block(txid) => "crash between a transaction's block and its record",
            Some((txid, _)) if self.sent.iter().any(|sent| sent.txid == txid) => "crash between sending and block",
            Some(_) => "crash between signature and sending",
        };
        auditor.open_transfers(ACCOUNTS).map(path).collect()
    }
}
