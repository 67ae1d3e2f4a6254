//! Chains as everybody sees them: the engine's own entities, folded from durable facts.
//!
//! Owns: the fold. Never does: decide. Invariants: what it shows is what the cell's chains were when the last durable record was
//! made. Known limits: all addresses are in memory.

use super::address_index::AddressIndex;
use super::keys::{AddressError, Keys, PlannedTransaction};
use super::unconfirmed::UnconfirmedDeposit;
use crate::common::time::{Ms, ms};
use crate::market::saved::{Saved, load_all};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xng_core::chain::facts::{ChainFact, HaltReason, ReserveChecked};
use xng_core::chain::{
    Chain, ChainAsset, ChainId, ChainParams, Cursor, Key, OpenWithdrawal, OutPoint, Plan, PlanId, SignedBytes,
    TransferPlan, Units, WithdrawalId, WithdrawalTerms,
};
use xng_core::codec::DecodeError;
use xng_core::entity::{Applied, Entity, TimeNs};
use xng_core::ids::{AccountId, AssetId, EntityId};
use xng_core::money::Amount;
use xng_core::record::{Fact, Role};
use xng_custody::bitcoin::Destination;
use xng_custody::evm;

/// A node that did not answer for so long has gone.
const SILENT_MS: Ms = 120_000;

/// A chain's node, as it was last seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeStatus {
    /// Height of its best block.
    pub tip: u64,
    /// When it answered.
    pub seen_ms: Ms,
}

#[derive(Debug, Default)]
struct State {
    chains: BTreeMap<ChainId, Chain>,
    nodes: BTreeMap<ChainId, NodeStatus>,
    /// What keeps a chain from being read.
    troubles: BTreeMap<ChainId, String>,
    /// Deposits that were credited since the start.
    credited: BTreeMap<ChainId, u64>,
    /// Withdrawals that were paid since the start.
    paid: BTreeMap<ChainId, u64>,
    /// Records of each chain since the start.
    changes: BTreeMap<ChainId, u64>,
    /// What keeps withdrawals from being paid.
    unpaid: BTreeMap<ChainId, String>,
    /// Chains that were read to their end since the start and the last halt.
    caught_up: BTreeSet<ChainId>,
    /// The last check of each since the start; of a chain's tokens by their assets.
    checked: BTreeMap<(ChainId, Option<AssetId>), ReserveSeen>,
    /// Somebody wants one.
    check_wanted: BTreeSet<ChainId>,
    /// Why the last one could not be made.
    check_failed: BTreeMap<ChainId, String>,
    /// Coins and tokens of chains that were missing, and were not seen whole since.
    unproven: BTreeSet<(ChainId, Option<AssetId>)>,
    /// Coins of ours in blocks that are not final yet.
    unconfirmed: BTreeMap<ChainId, Vec<UnconfirmedDeposit>>,
}

/// All chains.
#[derive(Debug, Default)]
pub struct Chains {
    state: Mutex<State>,
    /// The accounts of which addresses are made.
    keys: BTreeMap<ChainId, Keys>,
    /// What networks of their tokens are called.
    token_networks: BTreeMap<ChainId, String>,
    /// Which of our addresses a text is.
    indexes: Mutex<BTreeMap<ChainId, AddressIndex>>,
}

/// What operators see of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainStatus {
    /// Its parameters.
    pub params: ChainParams,
    /// How far it was read.
    pub cursor: Option<Cursor>,
    /// Why nothing is taken from it.
    pub halted: Option<HaltReason>,
    /// Addresses that were assigned.
    pub addresses: u64,
    /// Its coin and its tokens, the coin first.
    pub assets: Vec<AssetStatus>,
    /// Deposits that were credited since the start.
    pub credited: u64,
    /// Its node, once that answered.
    pub node: Option<NodeStatus>,
    /// What keeps it from being read.
    pub trouble: Option<String>,
    /// Open withdrawals.
    pub withdrawals: OpenCounts,
    /// Withdrawals that were paid since the start.
    pub paid: u64,
    /// What keeps withdrawals from being paid.
    pub unpaid: Option<String>,
    /// Somebody waits for one.
    pub check_wanted: bool,
    /// Why the last one could not be made.
    pub check_failed: Option<String>,
}

/// The address from which withdrawals of a chain of accounts are paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayingAddress {
    /// As the chain's explorers write it.
    pub address: String,
    /// What it holds of each asset, by what was read.
    pub holds: Vec<(ChainAsset, Units)>,
}

/// What operators see of an asset of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetStatus {
    /// Which.
    pub form: ChainAsset,
    /// What our addresses hold of it.
    pub held: Units,
    /// Terms of its withdrawals.
    pub terms: Option<WithdrawalTerms>,
    /// The last check of it since the start.
    pub reserve: Option<ReserveSeen>,
}

impl AssetStatus {
    /// What our addresses hold of it.
    #[must_use]
    pub fn amount(&self) -> Option<Amount> {
        self.form.amount(self.held).map(|(amount, _)| amount)
    }
}

/// A plan that no block has settled yet, on a chain of either form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPlan {
    /// Which.
    pub plan: PlanId,
    /// The asset whose terms it is held to.
    pub terms_of: AssetId,
    /// What it pays.
    pub withdrawals: Vec<WithdrawalId>,
    /// Its transactions, the newest last.
    pub attempts: Vec<OpenAttempt>,
}

/// A transaction of an open plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAttempt {
    /// Everything about it.
    pub transaction: PlannedTransaction,
    /// When it was decided.
    pub at: TimeNs,
    /// Once it is signed.
    pub signed: Option<SignedBytes>,
}

impl OpenPlan {
    fn of_coins(plan: &Plan, coin: AssetId) -> OpenPlan {
        let attempt = |attempt: &xng_core::chain::Attempt| OpenAttempt {
            transaction: PlannedTransaction::Coins(attempt.transaction.clone()),
            at: attempt.at,
            signed: attempt.signed.clone(),
        };
        let (plan, withdrawals, attempts) =
            (plan.plan, plan.withdrawals.clone(), plan.attempts.iter().map(attempt).collect());
        OpenPlan { plan, terms_of: coin, withdrawals, attempts }
    }

    fn of_accounts(plan: &TransferPlan, coin: AssetId) -> OpenPlan {
        let attempt = |attempt: &xng_core::chain::TransferAttempt| OpenAttempt {
            transaction: PlannedTransaction::Account(attempt.transaction.clone()),
            at: attempt.at,
            signed: attempt.signed.clone(),
        };
        let terms_of = plan.terms_of(coin);
        let withdrawals = plan.withdrawal.into_iter().collect();
        OpenPlan { plan: plan.plan, terms_of, withdrawals, attempts: plan.attempts.iter().map(attempt).collect() }
    }
}

/// What a node showed of an asset of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReserveSeen {
    /// The record of it.
    pub fact: ReserveChecked,
    /// When.
    pub at_ms: Ms,
}

/// How many withdrawals are open, and how long the oldest waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenCounts {
    /// Those that people have to agree to.
    pub pending: u64,
    /// When the oldest of them was asked for; 0 without one.
    pub pending_since_ms: Ms,
    /// Those that are to be paid.
    pub approved: u64,
    /// When the oldest of them was asked for; 0 without one.
    pub approved_since_ms: Ms,
}

fn count(chain: &Chain) -> OpenCounts {
    let mut counts = OpenCounts::default();
    for open in chain.open_withdrawals() {
        let (number, since) = if open.is_approved() {
            (&mut counts.approved, &mut counts.approved_since_ms)
        } else {
            (&mut counts.pending, &mut counts.pending_since_ms)
        };
        let at = ms(open.requested);
        *since = if *number == 0 { at } else { at.min(*since) };
        *number += 1;
    }
    counts
}

/// Blocks that a chain may lag: those without anything of ours are told together.
const MOST_LAG: u64 = 200;

impl ChainStatus {
    /// Its coin.
    #[must_use]
    pub fn coin(&self) -> &AssetStatus {
        &self.assets[0]
    }

    /// Whether something of it leaves: there are terms of withdrawals.
    #[must_use]
    pub fn pays(&self) -> bool {
        self.assets.iter().any(|asset| asset.terms.is_some())
    }

    /// Whether withdrawals of some asset are taken.
    #[must_use]
    pub fn takes_withdrawals(&self) -> bool {
        self.assets.iter().filter_map(|asset| asset.terms.as_ref()).any(|terms| terms.open)
    }

    /// When all of its assets had been looked up; 0 before that.
    #[must_use]
    pub fn checked_ms(&self) -> Ms {
        let of = |asset: &AssetStatus| asset.reserve.map_or(0, |reserve| reserve.at_ms);
        self.assets.iter().map(of).min().unwrap_or_default()
    }

    /// One of its assets.
    #[must_use]
    pub fn asset(&self, asset: AssetId) -> Option<&AssetStatus> {
        self.assets.iter().find(|of| of.form.asset == asset)
    }

    /// Whether it is read: its node answers, and what is final there was looked at, but for the last blocks.
    #[must_use]
    pub fn is_read(&self, now: Ms) -> bool {
        let (Some(node), Some(cursor)) = (self.node, self.cursor) else { return false };
        let lag = node.tip.saturating_sub(cursor.height);
        let lag = lag.saturating_sub(u64::from(self.params.confirmations));
        self.trouble.is_none() && lag <= MOST_LAG && now - node.seen_ms < SILENT_MS
    }
}

impl Chains {
    /// As recovery found them, each in its saved form; with the accounts that the settings name.
    ///
    /// # Errors
    /// A form that this build did not write.
    pub fn found(
        saved: &[Saved<Chain>],
        keys: BTreeMap<ChainId, Keys>,
        token_networks: BTreeMap<ChainId, String>,
    ) -> Result<Chains, DecodeError> {
        let chains = load_all::<Chain>(saved)?;
        let missing = chains.iter().filter(|(_, chain)| chain.halted() == Some(HaltReason::Missing));
        let assets = |chain: &Chain| chain.params().map(|p| p.assets().collect::<Vec<_>>()).unwrap_or_default();
        let unproven = missing.flat_map(|(id, chain)| assets(chain).into_iter().map(|asset| (*id, asset.token())));
        let unproven = unproven.collect();
        let state = Mutex::new(State { chains, unproven, ..State::default() });
        Ok(Chains { state, keys, token_networks, indexes: Mutex::default() })
    }

    /// The address of a key.
    ///
    /// # Errors
    /// When the settings do not name the key's account.
    pub fn address(&self, id: ChainId, key: Key) -> Result<String, AddressError> {
        self.keys(id)?.address(key)
    }

    /// What the network of a chain's tokens is called, when it is not by the chain's coin.
    #[must_use]
    pub fn token_network(&self, id: ChainId) -> Option<&str> {
        self.token_networks.get(&id).map(String::as_str)
    }

    fn keys(&self, id: ChainId) -> Result<&Keys, AddressError> {
        self.keys.get(&id).ok_or_else(AddressError::unnamed)
    }

    /// The address of a key of an EVM chain, as its node names it.
    ///
    /// # Errors
    /// As [`Chains::address`] has it.
    pub(super) fn evm_address(&self, id: ChainId, key: Key) -> Result<evm::Address, AddressError> {
        self.keys(id)?.evm_address(key)
    }

    /// The address from which withdrawals of a chain of accounts are paid; none of one of coins, or that the settings do not name.
    #[must_use]
    pub fn paying(&self, id: ChainId) -> Option<PayingAddress> {
        let found = self.look(id, |chain| {
            let (params, key) = (chain.params().filter(|params| params.accounts.is_some())?, chain.hot_key()?);
            let holds = params.assets().map(|asset| (asset, chain.balance(asset.asset, key)));
            Some((key, holds.collect()))
        });
        let (key, holds) = found.flatten()?;
        Some(PayingAddress { address: self.address(id, key).ok()?, holds })
    }

    /// Addresses of an EVM chain that are no user's: the one from which withdrawals are paid, of each account key.
    ///
    /// # Errors
    /// As [`Chains::address`] has it.
    pub(super) fn change_addresses(&self, id: ChainId) -> Result<BTreeMap<evm::Address, Key>, AddressError> {
        let rings = self.look(id, |chain| {
            let params = chain.params().into_iter().flat_map(|params| &params.keys);
            params.map(|key| key.ring).collect::<Vec<u32>>()
        });
        let keys = rings.unwrap_or_default().into_iter().map(|ring| Key { ring, change: true, index: 0 });
        keys.map(|key| Ok((self.evm_address(id, key)?, key))).collect()
    }

    /// What a text is as an address to pay to on a chain: its normal form, and the bytes of its script.
    ///
    /// # Errors
    /// When it is no address that the chain pays to, a token's contract, where tokens are lost, or an address of ours that is no user's;
    /// or when the settings do not name the chain.
    pub fn checks(&self, id: ChainId, text: &str) -> Result<Destination, AddressError> {
        let found = self.keys(id)?.checks(text)?;
        let contracts = self.look(id, |chain| {
            let params = chain.params().filter(|params| params.accounts.is_some());
            params.map(|params| params.assets().filter_map(|asset| asset.contract).collect::<Vec<_>>())
        });
        // A chain of coins has none, and its change comes to an address that nobody is told.
        let Some(contracts) = contracts.flatten() else { return Ok(found) };
        let refused = contracts.into_iter().map(evm::Address).chain(self.change_addresses(id)?.into_keys());
        if refused.into_iter().any(|address| address.to_string() == found.address) {
            return Err(AddressError::nobody());
        }
        Ok(found)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a durable record.
    pub fn follow(&self, applied: Applied<'_>) {
        let Fact::Chain(fact) = &applied.record.fact else { return };
        let EntityId::Chain(id) = applied.record.decider else { return };
        let mut state = self.state();
        state.chains.entry(id).or_insert_with(|| Chain::blank(id)).evolve(applied, Role::Decider);
        if let ChainFact::BlockTaken(f) = fact {
            *state.credited.entry(id).or_default() += f.credits.len() as u64;
            *state.paid.entry(id).or_default() += f.own.iter().map(|own| own.paid.len() as u64).sum::<u64>();
        }
        if matches!(fact, ChainFact::ChainHalted(_) | ChainFact::ChainResumed(_)) {
            state.caught_up.remove(&id);
        }
        if let ChainFact::ReserveChecked(fact) = fact {
            state.checked.insert((id, fact.token), ReserveSeen { fact: **fact, at_ms: ms(applied.record.time) });
            if fact.is_whole() {
                state.unproven.remove(&(id, fact.token));
            } else {
                state.unproven.insert((id, fact.token));
                state.caught_up.remove(&id);
            }
        }
        *state.changes.entry(id).or_default() += 1;
    }

    /// What is known of a chain, once it is listed.
    #[must_use]
    pub fn status(&self, id: ChainId) -> Option<ChainStatus> {
        let state = self.state();
        let chain = state.chains.get(&id)?;
        let params = chain.params()?.clone();
        let asset = |form: ChainAsset| AssetStatus {
            form,
            held: chain.held(form.asset),
            terms: chain.terms(form.asset).cloned(),
            reserve: state.checked.get(&(id, form.token())).copied(),
        };
        Some(ChainStatus {
            assets: params.assets().map(asset).collect(),
            params,
            cursor: chain.cursor(),
            halted: chain.halted(),
            addresses: chain.addresses(),
            credited: state.credited.get(&id).copied().unwrap_or_default(),
            node: state.nodes.get(&id).copied(),
            trouble: state.troubles.get(&id).cloned(),
            withdrawals: count(chain),
            paid: state.paid.get(&id).copied().unwrap_or_default(),
            unpaid: state.unpaid.get(&id).cloned(),
            check_wanted: state.check_wanted.contains(&id),
            check_failed: state.check_failed.get(&id).cloned(),
        })
    }

    /// Its node answered.
    pub fn saw(&self, id: ChainId, node: NodeStatus) {
        self.state().nodes.insert(id, node);
    }

    /// It was read as far as it could be.
    pub fn read_on(&self, id: ChainId) {
        self.state().troubles.remove(&id);
    }

    /// It cannot be read now; whether that is news.
    pub fn troubled(&self, id: ChainId, what: String) -> bool {
        let mut state = self.state();
        state.troubles.insert(id, what.clone()) != Some(what)
    }

    /// Records of it since the start.
    #[must_use]
    pub fn changes(&self, id: ChainId) -> u64 {
        self.state().changes.get(&id).copied().unwrap_or_default()
    }

    /// All that is final was read.
    pub fn caught_up(&self, id: ChainId) {
        self.state().caught_up.insert(id);
    }

    /// Whether all that was final was read since the start and the last halt.
    #[must_use]
    pub fn has_caught_up(&self, id: ChainId) -> bool {
        self.state().caught_up.contains(&id)
    }

    /// Its coins are looked up as soon as that is possible.
    pub fn want_check(&self, id: ChainId) {
        self.state().check_wanted.insert(id);
    }

    /// These are all coins of ours in blocks that are not final yet.
    pub(super) fn set_unconfirmed(&self, id: ChainId, outputs: Vec<UnconfirmedDeposit>) {
        self.state().unconfirmed.insert(id, outputs);
    }

    /// An account's coins on a chain in blocks that are not final yet, the oldest first.
    #[must_use]
    pub fn unconfirmed(&self, id: ChainId, account: AccountId) -> Vec<UnconfirmedDeposit> {
        let state = self.state();
        let (Some(chain), Some(coins)) = (state.chains.get(&id), state.unconfirmed.get(&id)) else { return Vec::new() };
        // A final block is taken before the blocks above it are looked at again.
        let taken = chain.cursor().map_or(0, |cursor| cursor.height);
        let is_theirs =
            |coin: &&UnconfirmedDeposit| coin.height > taken && chain.owner_of(coin.arriving.key) == Some(account);
        coins.iter().filter(is_theirs).copied().collect()
    }

    /// Whether the settings name it: otherwise nobody asks its node.
    #[must_use]
    pub fn has_node(&self, id: ChainId) -> bool {
        self.keys.contains_key(&id)
    }

    /// Whether coins were missing, and were not seen whole since: nothing is paid with them.
    #[must_use]
    pub fn is_unproven(&self, id: ChainId) -> bool {
        self.state().unproven.iter().any(|(chain, _)| *chain == id)
    }

    /// Whether somebody waits for that.
    #[must_use]
    pub fn is_check_wanted(&self, id: ChainId) -> bool {
        self.state().check_wanted.contains(&id)
    }

    /// They were looked up, or could not be, and why.
    pub fn check_done(&self, id: ChainId, failed: Option<String>) {
        let mut state = self.state();
        state.check_wanted.remove(&id);
        match failed {
            Some(why) => drop(state.check_failed.insert(id, why)),
            None => drop(state.check_failed.remove(&id)),
        }
    }

    /// Withdrawals can be paid.
    pub fn can_pay(&self, id: ChainId) {
        self.state().unpaid.remove(&id);
    }

    /// They cannot be paid now; whether that is news.
    pub fn cannot_pay(&self, id: ChainId, what: String) -> bool {
        let mut state = self.state();
        state.unpaid.insert(id, what.clone()) != Some(what)
    }

    /// Something of a chain.
    pub fn look<T>(&self, id: ChainId, look: impl FnOnce(&Chain) -> T) -> Option<T> {
        self.state().chains.get(&id).map(look)
    }

    /// Terms of withdrawals of an asset.
    #[must_use]
    pub fn terms(&self, id: ChainId, asset: AssetId) -> Option<WithdrawalTerms> {
        self.look(id, |chain| chain.terms(asset).cloned()).flatten()
    }

    /// Plans that no block has settled yet.
    #[must_use]
    pub fn open_plans(&self, id: ChainId) -> Vec<OpenPlan> {
        let open = |chain: &Chain| {
            let coin = chain.params().map(|params| params.asset)?;
            let coins = chain.plans().map(|plan| OpenPlan::of_coins(plan, coin));
            Some(coins.chain(chain.transfer_plans().map(|plan| OpenPlan::of_accounts(plan, coin))).collect())
        };
        self.look(id, open).flatten().unwrap_or_default()
    }

    /// Whether a withdrawal waits for a transaction, or an address to be swept.
    #[must_use]
    pub fn wants_plan(&self, id: ChainId) -> bool {
        let waits = |open: &OpenWithdrawal| open.is_approved() && open.plan.is_none();
        self.look(id, |chain| chain.open_withdrawals().any(waits) || chain.wants_sweep()).unwrap_or_default()
    }

    /// Looks addresses up; with how many of the chain are known.
    ///
    /// # Errors
    /// When an address is of a key that the settings do not name.
    pub(super) fn indexed<T>(
        &self,
        id: ChainId,
        look: impl FnOnce(&AddressIndex, u64) -> T,
    ) -> Result<T, AddressError> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        let index = indexes.entry(id).or_insert_with(|| AddressIndex::new(id));
        let known = index.follow(self)?;
        Ok(look(index, known))
    }

    /// The key of an address of ours, in its normal form.
    ///
    /// # Errors
    /// As [`Chains::indexed`] has it.
    pub fn key_of(&self, id: ChainId, address: &str) -> Result<Option<Key>, AddressError> {
        self.indexed(id, |index, known| index.key(address, known))
    }

    /// All of them that are listed.
    #[must_use]
    pub fn all(&self) -> Vec<ChainStatus> {
        let ids: Vec<ChainId> = self.state().chains.keys().copied().collect();
        ids.into_iter().filter_map(|id| self.status(id)).collect()
    }

    /// The addresses of a chain from a number on.
    #[must_use]
    pub fn addresses_from(&self, id: ChainId, number: u64) -> Vec<(u64, Key)> {
        let state = self.state();
        let Some(chain) = state.chains.get(&id) else { return Vec::new() };
        (number..chain.addresses()).filter_map(|number| Some((number, chain.address(number)?.0))).collect()
    }

    /// An account's addresses on a chain, in order.
    #[must_use]
    pub fn addresses_of(&self, id: ChainId, account: AccountId) -> Vec<Key> {
        self.state().chains.get(&id).map_or_else(Vec::new, |chain| chain.addresses_of(account).collect())
    }

    /// Those of the outputs that are coins of ours.
    #[must_use]
    pub fn own(&self, id: ChainId, outputs: impl Iterator<Item = OutPoint>) -> Vec<OutPoint> {
        let state = self.state();
        let Some(chain) = state.chains.get(&id) else { return Vec::new() };
        outputs.filter(|at| chain.coin(at).is_some()).collect()
    }
}
