//! Chains as everybody sees them: the engine's own entities, folded from durable facts.
//!
//! Owns: the fold. Never does: decide. Invariants: what it shows is what the cell's chains were when the last durable record was
//! made. Known limits: all addresses are in memory.

use super::address_index::AddressIndex;
use super::unconfirmed::UnconfirmedOutput;
use crate::common::time::{Ms, ms};
use crate::market::saved::{Saved, load_all};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xng_core::chain::facts::{ChainFact, HaltReason, ReserveChecked};
use xng_core::chain::{
    Chain, ChainId, ChainParams, Cursor, Key, OpenWithdrawal, OutPoint, Plan, Units, WithdrawalTerms,
};
use xng_core::codec::DecodeError;
use xng_core::entity::{Applied, Entity};
use xng_core::ids::{AccountId, EntityId};
use xng_core::record::{Fact, Role};
use xng_custody::bitcoin::{Account, AddressError, Destination, checked};

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
    /// The last check of each since the start.
    checked: BTreeMap<ChainId, ReserveSeen>,
    /// Somebody wants one.
    check_wanted: BTreeSet<ChainId>,
    /// Why the last one could not be made.
    check_failed: BTreeMap<ChainId, String>,
    /// Chains whose coins were missing, and were not seen whole since.
    unproven: BTreeSet<ChainId>,
    /// Coins of ours in blocks that are not final yet.
    unconfirmed: BTreeMap<ChainId, Vec<UnconfirmedOutput>>,
}

/// All chains.
#[derive(Debug, Default)]
pub struct Chains {
    state: Mutex<State>,
    /// The accounts of which addresses are made.
    accounts: BTreeMap<ChainId, Vec<Account>>,
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
    /// What our coins hold.
    pub held: Units,
    /// Deposits that were credited since the start.
    pub credited: u64,
    /// Its node, once that answered.
    pub node: Option<NodeStatus>,
    /// What keeps it from being read.
    pub trouble: Option<String>,
    /// Terms of withdrawals.
    pub terms: Option<WithdrawalTerms>,
    /// Open withdrawals.
    pub withdrawals: OpenCounts,
    /// Withdrawals that were paid since the start.
    pub paid: u64,
    /// What keeps withdrawals from being paid.
    pub unpaid: Option<String>,
    /// The last check of its coins since the start.
    pub reserve: Option<ReserveSeen>,
    /// Somebody waits for one.
    pub check_wanted: bool,
    /// Why the last one could not be made.
    pub check_failed: Option<String>,
}

/// What a node showed of a chain's coins.
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
    pub fn found(saved: &[Saved<Chain>], accounts: BTreeMap<ChainId, Vec<Account>>) -> Result<Chains, DecodeError> {
        let chains = load_all::<Chain>(saved)?;
        let missing = chains.iter().filter(|(_, chain)| chain.halted() == Some(HaltReason::Missing));
        let unproven = missing.map(|(id, _)| *id).collect();
        let state = Mutex::new(State { chains, unproven, ..State::default() });
        Ok(Chains { state, accounts, indexes: Mutex::default() })
    }

    /// The address of a key.
    ///
    /// # Errors
    /// When the settings do not name the key's account.
    pub fn address(&self, id: ChainId, key: Key) -> Result<String, AddressError> {
        let accounts = self.accounts.get(&id).map_or(&[][..], Vec::as_slice);
        let account = accounts.iter().find(|account| account.ring() == key.ring);
        account.ok_or(AddressError::WrongAccount)?.address(key)
    }

    /// What a text is as an address to pay to on a chain: its normal form, and the bytes of its script.
    ///
    /// # Errors
    /// When it is no address that the chain pays to, or the settings do not name the chain.
    pub fn checks(&self, id: ChainId, text: &str) -> Result<Destination, AddressError> {
        let account = self.accounts.get(&id).and_then(|accounts| accounts.first());
        checked(text, account.ok_or(AddressError::WrongAccount)?.network())
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
            state.checked.insert(id, ReserveSeen { fact: **fact, at_ms: ms(applied.record.time) });
            if fact.is_whole() {
                state.unproven.remove(&id);
            } else {
                state.unproven.insert(id);
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
        Some(ChainStatus {
            params: chain.params()?.clone(),
            cursor: chain.cursor(),
            halted: chain.halted(),
            addresses: chain.addresses(),
            held: chain.held(),
            credited: state.credited.get(&id).copied().unwrap_or_default(),
            node: state.nodes.get(&id).copied(),
            trouble: state.troubles.get(&id).cloned(),
            terms: chain.terms().cloned(),
            withdrawals: count(chain),
            paid: state.paid.get(&id).copied().unwrap_or_default(),
            unpaid: state.unpaid.get(&id).cloned(),
            reserve: state.checked.get(&id).copied(),
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
    pub(super) fn set_unconfirmed(&self, id: ChainId, outputs: Vec<UnconfirmedOutput>) {
        self.state().unconfirmed.insert(id, outputs);
    }

    /// An account's coins on a chain in blocks that are not final yet, the oldest first.
    #[must_use]
    pub fn unconfirmed(&self, id: ChainId, account: AccountId) -> Vec<UnconfirmedOutput> {
        let state = self.state();
        let (Some(chain), Some(coins)) = (state.chains.get(&id), state.unconfirmed.get(&id)) else { return Vec::new() };
        // A final block is taken before the blocks above it are looked at again.
        let taken = chain.cursor().map_or(0, |cursor| cursor.height);
        let is_theirs =
            |coin: &&UnconfirmedOutput| coin.height > taken && chain.owner_of(coin.output.key) == Some(account);
        coins.iter().filter(is_theirs).copied().collect()
    }

    /// Whether the settings name it: otherwise nobody asks its node.
    #[must_use]
    pub fn has_node(&self, id: ChainId) -> bool {
        self.accounts.contains_key(&id)
    }

    /// Whether coins were missing, and were not seen whole since: nothing is paid with them.
    #[must_use]
    pub fn is_unproven(&self, id: ChainId) -> bool {
        self.state().unproven.contains(&id)
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

    /// Withdrawals are paid.
    pub fn pays(&self, id: ChainId) {
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

    /// Terms of withdrawals.
    #[must_use]
    pub fn terms(&self, id: ChainId) -> Option<WithdrawalTerms> {
        self.look(id, |chain| chain.terms().cloned()).flatten()
    }

    /// Plans that no block has settled yet.
    #[must_use]
    pub fn plans(&self, id: ChainId) -> Vec<Plan> {
        self.look(id, |chain| chain.plans().cloned().collect()).unwrap_or_default()
    }

    /// Whether a withdrawal waits for a transaction.
    #[must_use]
    pub fn has_approved(&self, id: ChainId) -> bool {
        let waits = |open: &OpenWithdrawal| open.is_approved() && open.plan.is_none();
        self.look(id, |chain| chain.open_withdrawals().any(waits)).unwrap_or_default()
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
