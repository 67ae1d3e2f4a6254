//! The state of a chain: how far it was read, whose its addresses are, which coins are ours.
//!
//! Owns: the cursor, addresses, coins, what small deposits have come to; withdrawals and plans are parts of it
//! (`withdrawals.rs`, `plans.rs`), and so are the balances of a chain of accounts (`accounts`), which has no coins.
//! Never does: talk to a node; believe that a block is final: who reads the node waits for that.
//! Invariants: blocks are taken in the order of the chain, each part once: a block read again gives the same parts; what our
//! coins hold is the negative of the custody account plus what is less than an amount's last place. Rules:
//! `docs/rules/custody.md "Deposits"`.
//! Known limits: one cursor, one node.

use super::accounts::{Accounts, AssetKey};
use super::coins::{BlockHash, Key, OutPoint, TxId, Units};
use super::command::{ChainCommand, FinalBlock, Spend};
use super::facts::{
    AddressAssigned, BlockTaken, BlocksPassed, ChainFact, ChainHalted, ChainResumed, ChainSet, Credit, CreditKind,
    HaltReason, ReserveChecked, SmallDepositsCredited,
};
use super::params::{ChainId, ChainParams, ChainParamsV1};
use super::plans::{FreeCoins, MOST_OWN, Plans};
use super::withdrawal_facts::{OwnTransaction, TransactionPlanned};
use super::withdrawals::{WITH_TOKENS, Withdrawals};
use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes};
use crate::entity::{Accepted, Applied, CommandClass, Ctx, Deadline, Decision, Entity, Reply, TimeNs};
use crate::entity::{check_version, save_versioned};
use crate::hashed::HashedMap;
use crate::ids::{AccountId, AssetId};
use crate::money::Amount;
use crate::record::{Fact, Role};
use crate::reject::Reject;
use std::collections::{BTreeMap, BTreeSet};

/// What one record says of a block at most; a block with more is taken in parts. A release that changes it must not meet a block that
/// is half taken: the parts of such a block are counted by it.
pub const MOST_CREDITS: usize = 256;

crate::wire_struct! {
    /// How far a chain was read.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Cursor {
        /// Height of the last block.
        pub height: u64,
        /// Its hash.
        pub hash: BlockHash,
        /// Parts of it that were taken; 0 of a block that passed.
        pub parts: u32,
        /// All of it was taken.
        pub whole: bool,
        /// Addresses that are looked for in the parts that are left: those with lower numbers.
        pub known: u64,
    }
}

crate::wire_struct! {
    /// A coin that is ours.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct OwnCoin {
        /// What it holds.
        pub units: Units,
        /// Whose key spends it.
        pub key: Key,
        /// Height of its block.
        pub height: u64,
        /// A block's reward, which can be spent 100 blocks later.
        pub coinbase: bool,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Assigned {
    key: Key,
    account: AccountId,
}

/// The state of a chain.
#[derive(Debug)]
pub struct Chain {
    id: ChainId,
    params: Option<ChainParams>,
    cursor: Option<Cursor>,
    halted: Option<HaltReason>,
    /// By number.
    assigned: Vec<Assigned>,
    assigned_hash: u64,
    /// The number of each address.
    numbers: BTreeMap<Key, u64>,
    /// Numbers of each account's addresses, in order.
    of_account: BTreeMap<AccountId, Vec<u64>>,
    coins: HashedMap<OutPoint, OwnCoin>,
    /// What our coins hold.
    held: Units,
    /// What is kept of each address whose deposits were small.
    small: HashedMap<Key, Amount>,
    /// Those of them that are enough, by the parameters.
    enough: BTreeSet<Key>,
    /// What came and is less than an amount's last place.
    residual: Units,
    /// Coins that no plan has taken.
    pub(super) free: FreeCoins,
    pub(super) withdrawals: Withdrawals,
    pub(super) plans: Plans,
    pub(super) accounts: Accounts,
}

impl Chain {
    /// Which chain.
    pub(super) fn id(&self) -> ChainId {
        self.id
    }

    /// Its parameters, once it has some.
    #[must_use]
    pub fn params(&self) -> Option<&ChainParams> {
        self.params.as_ref()
    }

    /// How far it was read; none before its first block.
    #[must_use]
    pub fn cursor(&self) -> Option<Cursor> {
        self.cursor
    }

    /// Why nothing is taken from it.
    #[must_use]
    pub fn halted(&self) -> Option<HaltReason> {
        self.halted
    }

    /// How many addresses were assigned.
    #[must_use]
    pub fn addresses(&self) -> u64 {
        self.assigned.len() as u64
    }

    /// An address by its number, and whose it is.
    #[must_use]
    pub fn address(&self, number: u64) -> Option<(Key, AccountId)> {
        let assigned = self.assigned.get(usize::try_from(number).ok()?)?;
        Some((assigned.key, assigned.account))
    }

    /// An account's addresses, in order.
    pub fn addresses_of(&self, account: AccountId) -> impl DoubleEndedIterator<Item = Key> {
        let numbers = self.of_account.get(&account).into_iter().flatten();
        numbers.filter_map(|number| Some(self.address(*number)?.0))
    }

    /// The coins that are ours.
    pub fn coins(&self) -> impl Iterator<Item = (&OutPoint, &OwnCoin)> {
        self.coins.iter()
    }

    /// A coin of ours.
    #[must_use]
    pub fn coin(&self, at: &OutPoint) -> Option<&OwnCoin> {
        self.coins.get(at)
    }

    /// What our addresses hold of an asset of the chain.
    #[must_use]
    pub fn held(&self, asset: AssetId) -> Units {
        if self.has_accounts() { self.accounts.held(asset) } else { self.held }
    }

    /// What came of an asset and is less than an amount's last place.
    #[must_use]
    pub fn residual(&self, asset: AssetId) -> Units {
        if self.has_accounts() { self.accounts.residual(asset) } else { self.residual }
    }

    /// Whether its transactions move balances of accounts.
    #[must_use]
    pub fn has_accounts(&self) -> bool {
        self.params().is_some_and(|params| params.accounts.is_some())
    }

    /// What an address of ours holds of an asset, on a chain of accounts.
    #[must_use]
    pub fn balance(&self, asset: AssetId, key: Key) -> Units {
        self.accounts.balance(asset, key)
    }

    /// What each address of ours holds, on a chain of accounts.
    pub fn balances(&self) -> impl Iterator<Item = (&AssetKey, &Units)> {
        self.accounts.balances()
    }

    /// Whose an address of ours is.
    #[must_use]
    pub fn owner_of(&self, key: Key) -> Option<AccountId> {
        self.numbers.get(&key).and_then(|number| self.address(*number)).map(|(_, account)| account)
    }

    pub(super) fn listed(&self) -> Result<&ChainParams, Reject> {
        self.params().ok_or(Reject::UnknownChain)
    }

    /// That it is read: its parameters.
    pub(super) fn read(&self) -> Result<&ChainParams, Reject> {
        if self.halted.is_some() { Err(Reject::ChainClosed) } else { self.listed() }
    }

    fn set(&self, params: &ChainParams) -> Result<Decision, Reject> {
        params.check()?;
        if params.chain != self.id {
            return Err(Reject::BadParameters);
        }
        // Who changes them knows which they are: what configuration seeds is of none.
        if params.version != self.params().map_or(0, |old| old.version) {
            return Err(Reject::AlreadyExists);
        }
        if self.params().is_some_and(|old| !params.keeps(old)) {
            return Err(Reject::BadParameters);
        }
        let params = ChainParams { version: params.version + 1, ..params.clone() };
        Ok(Decision::Fact(ChainSet { params }.into()))
    }

    fn assign(&self, account: AccountId, n: u32) -> Result<Decision, Reject> {
        let params = self.listed()?;
        if account.is_system() {
            return Err(Reject::NotAllowed);
        }
        let own = self.of_account.get(&account).map_or(&[][..], Vec::as_slice);
        let at = (n as usize).checked_sub(1).ok_or(Reject::BadParameters)?;
        if let Some(known) = own.get(at).and_then(|number| self.address(*number)) {
            return Ok(Decision::Reply(Reply::Accepted(Accepted::Address(known.0))));
        }
        if at > own.len() {
            return Err(Reject::BadParameters);
        }
        // What is paid before anybody reads the chain is never found.
        if self.halted.is_some() || self.cursor.is_none() {
            return Err(Reject::ChainClosed);
        }
        if n > params.addresses {
            return Err(Reject::TooManyAddresses);
        }
        let last = Key { ring: params.ring, change: false, index: u32::MAX };
        let before = self.numbers.range(..=last).next_back().filter(|(key, _)| key.ring == params.ring);
        let index = before.map_or(0, |(key, _)| key.index + 1);
        // Children that are not hardened.
        if index >= 1 << 31 {
            return Err(Reject::TooManyAddresses);
        }
        let key = Key { ring: params.ring, change: false, index };
        Ok(Decision::Fact(AddressAssigned { chain: self.id, number: self.addresses(), key, account }.into()))
    }

    pub(super) fn halt(&self, reason: HaltReason, height: u64, txid: TxId) -> Decision {
        Decision::Fact(ChainHalted { chain: self.id, reason, height, txid }.into())
    }

    fn check_reserve(
        &self,
        height: u64,
        token: Option<AssetId>,
        (found, besides): (Units, Units),
    ) -> Result<Decision, Reject> {
        let params = self.read()?;
        let at = self.cursor.filter(|cursor| cursor.whole && cursor.height == height).ok_or(Reject::NotNextBlock)?;
        let asset = token.unwrap_or(params.asset);
        let held = self.held(asset);
        // More than all of them is no answer.
        if found > held || token == Some(params.asset) || params.asset(asset).is_none() {
            return Err(Reject::BadParameters);
        }
        let (chain, hash) = (self.id, at.hash);
        Ok(Decision::Fact(ReserveChecked { chain, height, hash, held, found, besides, token }.into()))
    }

    fn pass(&self, (after, from): (u64, BlockHash), height: u64, hash: BlockHash) -> Result<Decision, Reject> {
        self.read()?;
        match self.cursor {
            None if from != BlockHash::default() => return Err(Reject::NotNextBlock),
            Some(cursor) if !cursor.whole || after != cursor.height || height <= after => {
                return Err(Reject::NotNextBlock);
            }
            // What was final is not the block before: the chain went another way.
            Some(cursor) if from != cursor.hash => {
                return Ok(self.halt(HaltReason::Reorganised, cursor.height, TxId::default()));
            }
            None | Some(_) => {}
        }
        Ok(Decision::Fact(BlocksPassed { chain: self.id, from, height, hash }.into()))
    }

    /// That a part of a block is the next one; the halt when the chain went another way.
    pub(super) fn follows(
        &self,
        (from, height, hash): (BlockHash, u64, BlockHash),
        part: u32,
        known: u64,
    ) -> Result<Option<Decision>, Reject> {
        let cursor = self.cursor.ok_or(Reject::NotNextBlock)?;
        if part == 0 {
            if !cursor.whole || height != cursor.height + 1 {
                return Err(Reject::NotNextBlock);
            }
            if from != cursor.hash {
                return Ok(Some(self.halt(HaltReason::Reorganised, cursor.height, TxId::default())));
            }
        } else {
            if cursor.whole || height != cursor.height || part != cursor.parts {
                return Err(Reject::NotNextBlock);
            }
            if hash != cursor.hash {
                return Ok(Some(self.halt(HaltReason::Reorganised, height, TxId::default())));
            }
            if known != cursor.known {
                return Err(Reject::BadParameters);
            }
        }
        if known > self.addresses() { Err(Reject::BadParameters) } else { Ok(None) }
    }

    /// Whose an address is, when it is one of the first so many.
    pub(super) fn owner_among(&self, key: Key, known: u64) -> Option<AccountId> {
        let number = self.numbers.get(&key).filter(|number| **number < known)?;
        Some(self.address(*number)?.1)
    }

    fn take(&self, block: &FinalBlock) -> Result<Decision, Reject> {
        let params = self.read()?;
        if params.accounts.is_some() {
            return Err(Reject::BadParameters);
        }
        let at = (block.from, block.height, block.hash);
        if let Some(halt) = self.follows(at, block.part, block.known)? {
            return Ok(halt);
        }
        if block.outputs.len() > MOST_CREDITS {
            return Err(Reject::BadParameters);
        }
        let is_ours = |at: &OutPoint| self.coins.get(at).is_some() || block.outputs.iter().any(|out| out.at == *at);
        let spends: Vec<Spend> = block.spends.iter().filter(|spend| is_ours(&spend.coin)).copied().collect();
        let own = match self.own_of(&spends) {
            Ok(own) if own.len() > MOST_OWN => return Err(Reject::BadParameters),
            Ok(own) => own,
            Err(by) => return Ok(self.halt(HaltReason::Spent, block.height, by)),
        };
        let credits = self.credits(params, block)?;
        let FinalBlock { from, height, hash, part, last, known, .. } = *block;
        let fact = BlockTaken { chain: self.id, from, height, hash, part, last, known, credits, own };
        Ok(Decision::Fact(fact.into()))
    }

    fn credits(&self, params: &ChainParams, block: &FinalBlock) -> Result<Vec<Credit>, Reject> {
        let mut credits: Vec<Credit> = Vec::with_capacity(block.outputs.len());
        let mut seen = BTreeSet::new();
        for output in &block.outputs {
            let owner = self.owner_among(output.key, block.known).ok_or(Reject::BadParameters)?;
            // An output is one coin.
            if self.coins.get(&output.at).is_some() || !seen.insert(output.at) {
                return Err(Reject::BadParameters);
            }
            let (amount, _) = params.amount(output.units).ok_or(Reject::BadAmount)?;
            let kind = match amount {
                _ if output.coinbase => CreditKind::Coinbase,
                small if small < params.min_deposit => CreditKind::Small,
                _ => CreditKind::Credited,
            };
            let (at, key, units, asset) = (output.at, output.key, output.units, params.asset);
            credits.push(Credit { at, key, owner, asset, units, amount, kind });
        }
        Ok(credits)
    }

    fn credit_small(&self) -> Option<Decision> {
        if self.halted.is_some() {
            return None;
        }
        let (AssetKey { asset, key }, amount) = match self.accounts.enough() {
            Some(enough) => enough,
            None => {
                let key = *self.enough.first()?;
                (AssetKey { asset: self.params()?.asset, key }, *self.small.get(&key)?)
            }
        };
        let account = self.owner_of(key)?;
        let chain = self.id;
        Some(Decision::Fact(SmallDepositsCredited { chain, key, account, asset, amount }.into()))
    }

    fn assigned(&mut self, assigned: Assigned) {
        let number = self.addresses();
        let Assigned { key, account } = assigned;
        let of_key = WordHash::new(number).pair(u64::from(key.ring) << 32 | u64::from(key.index), account.0);
        self.assigned_hash = self.assigned_hash.wrapping_add(of_key.end());
        self.assigned.push(assigned);
        self.numbers.insert(key, number);
        self.of_account.entry(account).or_default().push(number);
    }

    /// A coin is ours.
    fn got(&mut self, at: OutPoint, coin: OwnCoin) {
        self.held = Units(self.held.0 + coin.units.0);
        self.coins.insert(at, coin);
        self.free.insert(at, &coin);
    }

    /// A transaction of ours is final.
    fn settled(&mut self, own: &OwnTransaction, height: u64) {
        let plan = self.plans.settled(own.plan);
        for input in &plan.attempts[own.attempt as usize].transaction.inputs {
            let coin = self.coins.remove(&input.at).expect("what a plan spends is ours");
            self.held = Units(self.held.0 - coin.units.0);
        }
        plan.withdrawals.iter().for_each(|id| self.withdrawals.closed(*id));
        if let Some(change) = own.change {
            self.got(change.at, OwnCoin { units: change.units, key: change.key, height, coinbase: false });
        }
    }

    fn planned(&mut self, f: &TransactionPlanned, time: TimeNs) {
        self.plans.planned(f, time);
        // Those that come after it spend the same coins.
        if f.attempt == 0 {
            for input in &f.transaction.inputs {
                let coin = self.coins.get(&input.at).expect("what a plan spends is ours");
                self.free.remove(input.at, coin);
            }
            f.withdrawals.iter().for_each(|id| self.withdrawals.planned(*id, f.plan));
        }
    }

    fn find_free(&mut self) {
        self.free = FreeCoins::default();
        let spent: BTreeSet<OutPoint> =
            self.plans.iter().flat_map(|plan| &plan.attempts[0].transaction.inputs).map(|coin| coin.at).collect();
        for (at, coin) in self.coins.iter().filter(|(at, _)| !spent.contains(at)) {
            self.free.insert(*at, coin);
        }
    }

    fn taken(&mut self, block: &BlockTaken) {
        let BlockTaken { height, hash, part, last: whole, known, .. } = *block;
        self.cursor = Some(Cursor { height, hash, parts: part + 1, whole, known });
        let params = self.params.clone().expect("a chain that is read has parameters");
        if params.accounts.is_some() {
            return self.transferred(block, &params);
        }
        block.own.iter().for_each(|own| self.settled(own, height));
        let min = params.min_deposit;
        for credit in &block.credits {
            let coinbase = credit.kind == CreditKind::Coinbase;
            let rest = params.amount(credit.units).map_or(Units::default(), |(_, rest)| rest);
            self.residual = Units(self.residual.0 + rest.0);
            self.got(credit.at, OwnCoin { units: credit.units, key: credit.key, height, coinbase });
            if credit.kind == CreditKind::Small {
                let sum = credit.amount + self.small.get(&credit.key).copied().unwrap_or(Amount::ZERO);
                self.small.insert(credit.key, sum);
                if sum >= min {
                    self.enough.insert(credit.key);
                }
            }
        }
    }

    /// A block of a chain of accounts was taken.
    fn transferred(&mut self, block: &BlockTaken, params: &ChainParams) {
        for credit in &block.credits {
            self.accounts.credited(credit, params.asset(credit.asset).expect("what is credited is listed"));
        }
        for own in &block.own {
            self.accounts.settled(own, params.coin());
            own.paid.iter().for_each(|paid| self.withdrawals.closed(paid.withdrawal));
            if let Some(failed) = own.transfer.and_then(|transfer| transfer.failed) {
                self.withdrawals.failed(failed.withdrawal, own.txid);
            }
        }
    }

    fn look_for_enough(&mut self) {
        let Some(params) = &self.params else { return };
        self.accounts.look_for_enough(params);
        let enough = self.small.iter().filter(|(_, sum)| **sum >= params.min_deposit);
        self.enough = enough.map(|(key, _)| *key).collect();
    }

    fn load_state(id: ChainId, version: u8, r: &mut Reader<'_>) -> Result<Chain, DecodeError> {
        let mut chain = Chain::blank(id);
        chain.params = match version {
            WITH_TOKENS.. => Wire::get(r)?,
            _ => Option::<ChainParamsV1>::get(r)?.map(ChainParams::from),
        };
        chain.cursor = Wire::get(r)?;
        chain.halted = Wire::get(r)?;
        for (key, account) in Vec::<(Key, AccountId)>::get(r)? {
            chain.assigned(Assigned { key, account });
        }
        chain.coins = Wire::get(r)?;
        chain.held = Units(chain.coins.iter().map(|(_, coin)| coin.units.0).sum());
        chain.small = Wire::get(r)?;
        chain.residual = Wire::get(r)?;
        if version >= 2 {
            chain.withdrawals = Withdrawals::load(version, r)?;
            chain.plans = Wire::get(r)?;
        }
        if chain.has_accounts() {
            chain.accounts = Wire::get(r)?;
        }
        chain.look_for_enough();
        chain.find_free();
        Ok(chain)
    }
}

/// 1: before coins left; 2: one limit of 24 hours for all accounts; 3: chains of coins alone.
const STATE_VERSION: u8 = 4;

impl Entity for Chain {
    type Id = ChainId;
    type Command = ChainCommand;

    const NAME: &'static str = "chain";
    const MESSAGES: &'static [&'static str] = &[
        "set",
        "assign",
        "pass",
        "take",
        "halt",
        "resume",
        "timer",
        "set_terms",
        "request",
        "cancel",
        "vote",
        "plan",
        "bump",
        "signed",
        "check_reserve",
        "take_transfers",
        "plan_transfer",
        "bump_transfer",
    ];

    fn message(command: &ChainCommand) -> usize {
        match command {
            ChainCommand::Set(_) => 0,
            ChainCommand::Assign { .. } => 1,
            ChainCommand::Pass { .. } => 2,
            ChainCommand::Take(_) => 3,
            ChainCommand::Halt => 4,
            ChainCommand::Resume => 5,
            ChainCommand::Timer => 6,
            ChainCommand::SetTerms(_) => 7,
            ChainCommand::Request { .. } => 8,
            ChainCommand::Cancel { .. } => 9,
            ChainCommand::Vote { .. } => 10,
            ChainCommand::Plan { .. } => 11,
            ChainCommand::Bump { .. } => 12,
            ChainCommand::Signed { .. } => 13,
            ChainCommand::CheckReserve { .. } => 14,
            ChainCommand::TakeTransfers(_) => 15,
            ChainCommand::PlanTransfer { .. } => 16,
            ChainCommand::BumpTransfer { .. } => 17,
        }
    }

    fn blank(id: ChainId) -> Chain {
        Chain {
            id,
            params: None,
            cursor: None,
            halted: None,
            assigned: Vec::new(),
            assigned_hash: 0,
            numbers: BTreeMap::new(),
            of_account: BTreeMap::new(),
            coins: HashedMap::default(),
            held: Units::default(),
            small: HashedMap::default(),
            enough: BTreeSet::new(),
            residual: Units::default(),
            free: FreeCoins::default(),
            withdrawals: Withdrawals::default(),
            plans: Plans::default(),
            accounts: Accounts::default(),
        }
    }

    fn decide(&self, command: &ChainCommand, ctx: &Ctx<'_>) -> Decision {
        let decided = match command {
            ChainCommand::Set(params) => self.set(params),
            ChainCommand::Assign { account, n } => self.assign(*account, *n),
            ChainCommand::Pass { after, from, height, hash } => self.pass((*after, *from), *height, *hash),
            ChainCommand::Take(block) => self.take(block),
            ChainCommand::TakeTransfers(block) => self.take_transfers(block),
            ChainCommand::CheckReserve { height, token, found, besides } => {
                self.check_reserve(*height, *token, (*found, *besides))
            }
            ChainCommand::Halt => self.read().map(|_| {
                let height = self.cursor.map_or(0, |cursor| cursor.height);
                self.halt(HaltReason::Operator, height, TxId::default())
            }),
            ChainCommand::Resume => match self.halted {
                Some(_) => Ok(Decision::Fact(ChainResumed { chain: self.id }.into())),
                None => Ok(Decision::Nothing),
            },
            ChainCommand::Timer => Ok(self.credit_small().unwrap_or(Decision::Nothing)),
            ChainCommand::SetTerms(terms) => self.set_terms(terms),
            ChainCommand::Request { account, tier, wanted } => self.request((*account, *tier), wanted, ctx.now),
            ChainCommand::Cancel { account, withdrawal } => self.cancel(*account, *withdrawal),
            ChainCommand::Vote { withdrawal, vote, agrees, seen } => self.vote(*withdrawal, vote, *agrees, *seen),
            ChainCommand::Plan { rate } => self.plan(*rate),
            ChainCommand::Bump { plan, rate } => self.bump(*plan, *rate, ctx.now),
            ChainCommand::PlanTransfer { gas } => self.plan_transfer(*gas),
            ChainCommand::BumpTransfer { plan, gas } => self.bump_transfer(*plan, *gas, ctx.now),
            ChainCommand::Signed { plan, attempt, txid, raw } => self.signed(*plan, *attempt, *txid, raw),
        };
        decided.unwrap_or_else(Decision::Reject)
    }

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        let Fact::Chain(fact) = &applied.record.fact else {
            unreachable!("a chain is not named by {}", applied.record.fact.name())
        };
        match fact {
            ChainFact::ChainSet(f) => {
                self.params = Some(f.params.clone());
                self.accounts.try_all_again();
                self.look_for_enough();
            }
            ChainFact::AddressAssigned(f) => self.assigned(Assigned { key: f.key, account: f.account }),
            ChainFact::BlocksPassed(f) => {
                let (height, hash) = (f.height, f.hash);
                self.cursor = Some(Cursor { height, hash, parts: 0, whole: true, known: 0 });
            }
            ChainFact::BlockTaken(f) => self.taken(f),
            ChainFact::SmallDepositsCredited(f) => {
                let (asset, key) = (f.asset, f.key);
                self.accounts.small_credited(AssetKey { asset, key });
                self.small.remove(&key);
                self.enough.remove(&key);
            }
            ChainFact::ChainHalted(f) => self.halted = Some(f.reason),
            ChainFact::ChainResumed(_) => self.halted = None,
            ChainFact::ReserveChecked(f) if f.is_whole() => {}
            ChainFact::ReserveChecked(_) => self.halted = Some(HaltReason::Missing),
            ChainFact::TransactionPlanned(f) => self.planned(f, applied.record.time),
            ChainFact::TransferPlanned(f) => {
                let params = self.params.as_ref().expect("a chain that pays has parameters");
                let asset = Accounts::asset_of(params, &f.transaction);
                self.accounts.planned(f, asset, applied.record.time);
                if let Some(id) = f.withdrawal.filter(|_| f.attempt == 0) {
                    self.withdrawals.planned(id, f.plan);
                }
            }
            ChainFact::TransactionSigned(f) if self.has_accounts() => self.accounts.signed(f, applied.record.time),
            ChainFact::TransactionSigned(f) => self.plans.signed(f, applied.record.time),
            ChainFact::WithdrawalTermsSet(_)
            | ChainFact::WithdrawalRequested(_)
            | ChainFact::WithdrawalAgreed(_)
            | ChainFact::WithdrawalEnded(_)
            | ChainFact::SettledInside(_) => self.withdrawals.evolve(fact, applied.record.time),
        }
    }

    fn class(command: &ChainCommand) -> CommandClass {
        match command {
            ChainCommand::Set(_)
            | ChainCommand::Assign { .. }
            | ChainCommand::Pass { .. }
            | ChainCommand::Take(_)
            | ChainCommand::Resume
            | ChainCommand::SetTerms(_)
            | ChainCommand::Request { .. }
            | ChainCommand::TakeTransfers(_)
            | ChainCommand::Plan { .. }
            | ChainCommand::Bump { .. }
            | ChainCommand::PlanTransfer { .. }
            | ChainCommand::BumpTransfer { .. } => CommandClass::Consumes,
            // What protects, frees money or finishes what was begun goes on when little room is left.
            ChainCommand::Halt
            | ChainCommand::Timer
            | ChainCommand::Cancel { .. }
            | ChainCommand::Vote { .. }
            | ChainCommand::CheckReserve { .. }
            | ChainCommand::Signed { .. } => CommandClass::Releases,
        }
    }

    fn deadline(&self) -> Option<Deadline> {
        let has_enough = !self.enough.is_empty() || self.accounts.has_enough();
        (has_enough && self.halted.is_none()).then_some(Deadline::Elapsed(0))
    }

    fn settles(&self) -> bool {
        true
    }

    fn timer() -> Option<ChainCommand> {
        Some(ChainCommand::Timer)
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(256);
        match &self.params {
            Some(params) => {
                bytes.push(1);
                params.hashed(&mut bytes);
            }
            None => self.params.put(&mut bytes),
        }
        self.cursor.put(&mut bytes);
        self.halted.put(&mut bytes);
        self.residual.put(&mut bytes);
        let hash = WordHash::new(hash_bytes(u64::from(self.id.0), &bytes))
            .pair(self.addresses(), self.assigned_hash)
            .pair(self.coins.len() as u64, self.coins.digest())
            .pair(self.small.len() as u64, self.small.digest());
        let hash = if self.has_accounts() { self.accounts.hash(hash) } else { hash };
        // What had no withdrawals yet has the hash of older releases.
        if self.withdrawals.is_untouched() { hash.end() } else { self.plans.hash(self.withdrawals.hash(hash)).end() }
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.params.put(out);
            self.cursor.put(out);
            self.halted.put(out);
            self.assigned.iter().map(|a| (a.key, a.account)).collect::<Vec<_>>().put(out);
            self.coins.put(out);
            self.small.put(out);
            self.residual.put(out);
            self.withdrawals.save(out);
            self.plans.put(out);
            if self.has_accounts() {
                self.accounts.put(out);
            }
        });
    }

    fn load(id: ChainId, r: &mut Reader<'_>) -> Result<Chain, DecodeError> {
        let version = check_version(r, STATE_VERSION, "chain state version")?;
        Chain::load_state(id, version, r)
    }
}
