//! Withdrawals of a chain: what was asked for, who agreed, what waits to be paid.
//!
//! Owns: open withdrawals of all assets; terms and those of the last 24 hours are in `limits.rs`. Never does: choose coins
//! (`plans.rs`, `accounts`); prove who asks: the gateway does.
//! Invariants: an account's of 24 hours and one asset are at most the limit; one is approved by as many people as its request says,
//! each another; what is in a transaction is neither cancelled nor refused any more; one whose transaction moved nothing needs two
//! people, to be paid again, and may be refused, but not taken back.
//! Rules: `docs/rules/custody.md "Withdrawals"`. Known limits: none.

use super::coins::{TxId, Units};
use super::entity::Chain;
use super::facts::ChainFact;
use super::limits::AssetLimits;
use super::terms::WithdrawalTerms;
use super::withdrawal::{OpenWithdrawal, PlanId, Withdrawal, WithdrawalId, WithdrawalRequest, WithdrawalState};
use super::withdrawal_facts::{
    EndOfWithdrawal, SettledInside, Vote, WithdrawalAgreed, WithdrawalEnded, WithdrawalRequested, WithdrawalTermsSet,
};
use crate::account::Tier;
use crate::codec::{DecodeError, Reader, Wire, WordHash};
use crate::entity::{Decision, TimeNs};
use crate::hashed::HashedMap;
use crate::ids::{AccountId, AssetId};
use crate::money::Amount;
use crate::reject::Reject;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes of chains of coins do not pass on a payment of less.
const LEAST_PAYMENT: Units = Units(1_000);
/// Version of a chain's state from which on tokens are in it.
pub(super) const WITH_TOKENS: u8 = 4;
/// The longest address.
const LONGEST_ADDRESS: usize = 128;
/// The longest script that pays to an address.
const LONGEST_SCRIPT: u32 = 64;
/// The longest name of a person.
const LONGEST_NAME: usize = 64;
/// People who have to agree that one is paid again whose transaction failed.
pub const VOTES_AFTER_FAILURE: u32 = 2;
/// The longest reason.
const LONGEST_REASON: usize = 200;

/// See the module's header.
#[derive(Debug, Default)]
pub(super) struct Withdrawals {
    /// Of the chain's coin.
    coin: AssetLimits,
    tokens: BTreeMap<AssetId, AssetLimits>,
    /// Of the chain, ever.
    count: u64,
    open: HashedMap<WithdrawalId, OpenWithdrawal>,
    /// How many of each account are open.
    open_of: BTreeMap<AccountId, u32>,
    /// Those that wait for a transaction.
    approved: BTreeSet<WithdrawalId>,
    /// Open ones whose last transaction moved nothing: which it was.
    failed: HashedMap<WithdrawalId, TxId>,
}

impl Withdrawals {
    /// Terms of a token, or of the coin.
    pub(super) fn terms(&self, token: Option<AssetId>) -> Option<&WithdrawalTerms> {
        self.limits(token)?.terms()
    }

    pub(super) fn limits(&self, token: Option<AssetId>) -> Option<&AssetLimits> {
        token.map_or(Some(&self.coin), |token| self.tokens.get(&token))
    }

    /// Those of an asset that has terms.
    fn limits_mut(&mut self, asset: AssetId) -> &mut AssetLimits {
        self.tokens.get_mut(&asset).unwrap_or(&mut self.coin)
    }

    pub(super) fn open(&self) -> impl Iterator<Item = &OpenWithdrawal> {
        self.open.iter().map(|(_, open)| open)
    }

    pub(super) fn get(&self, id: WithdrawalId) -> Option<&OpenWithdrawal> {
        self.open.get(&id)
    }

    /// Those that wait for a transaction, the oldest first.
    pub(super) fn approved(&self) -> impl Iterator<Item = &Withdrawal> {
        self.approved.iter().filter_map(|id| self.open.get(id)).map(|open| &open.withdrawal)
    }

    /// One that people or its owner may still end.
    fn undecided(&self, id: WithdrawalId) -> Result<&OpenWithdrawal, Reject> {
        match self.open.get(&id) {
            Some(open) if open.plan.is_none() => Ok(open),
            None if id.ordinal() == 0 || id.ordinal() > self.count => Err(Reject::UnknownWithdrawal),
            Some(_) | None => Err(Reject::WithdrawalDone),
        }
    }

    fn note(&mut self, withdrawal: &Withdrawal, time: TimeNs) {
        self.count += 1;
        self.limits_mut(withdrawal.asset).note(withdrawal, time);
    }

    fn opened(&mut self, open: OpenWithdrawal) {
        let id = open.withdrawal.withdrawal;
        *self.open_of.entry(open.withdrawal.account).or_default() += 1;
        if open.is_approved() && open.plan.is_none() {
            self.approved.insert(id);
        }
        self.open.insert(id, open);
    }

    /// It is not open any more.
    pub(super) fn closed(&mut self, id: WithdrawalId) {
        let open = self.open.remove(&id).expect("what ends is open");
        self.approved.remove(&id);
        self.failed.remove(&id);
        let account = open.withdrawal.account;
        let count = self.open_of.get_mut(&account).expect("what is open is counted");
        *count -= 1;
        if *count == 0 {
            self.open_of.remove(&account);
        }
    }

    fn change(&mut self, id: WithdrawalId, change: impl FnOnce(&mut OpenWithdrawal)) {
        let mut open = self.open.remove(&id).expect("what changes is open");
        change(&mut open);
        if open.is_approved() && open.plan.is_none() {
            self.approved.insert(id);
        } else {
            self.approved.remove(&id);
        }
        self.open.insert(id, open);
    }

    /// It is in a transaction.
    pub(super) fn planned(&mut self, id: WithdrawalId, plan: PlanId) {
        self.change(id, |open| open.plan = Some(plan));
    }

    /// Its transaction is final and moved nothing: people decide.
    pub(super) fn failed(&mut self, id: WithdrawalId, txid: TxId) {
        self.failed.insert(id, txid);
        self.change(id, |open| {
            open.plan = None;
            open.voters.clear();
            open.withdrawal.needed = VOTES_AFTER_FAILURE;
        });
    }

    /// Takes in what a fact says of withdrawals.
    pub(super) fn evolve(&mut self, fact: &ChainFact, time: TimeNs) {
        match fact {
            ChainFact::WithdrawalTermsSet(f) => {
                let limits = match f.terms.token {
                    Some(token) => self.tokens.entry(token).or_default(),
                    None => &mut self.coin,
                };
                limits.set_terms(f.terms.clone());
            }
            ChainFact::WithdrawalRequested(f) => {
                self.note(&f.withdrawal, time);
                let (withdrawal, voters) = (f.withdrawal.clone(), Vec::new());
                self.opened(OpenWithdrawal { withdrawal, requested: time, voters, plan: None });
            }
            ChainFact::WithdrawalAgreed(f) => self.change(f.withdrawal, |open| open.voters.push(f.vote.who.clone())),
            ChainFact::WithdrawalEnded(f) => {
                self.closed(f.withdrawal);
                self.limits_mut(f.asset).forget(f.withdrawal, f.account);
            }
            ChainFact::SettledInside(f) => match f.vote {
                Some(_) => self.closed(f.withdrawal.withdrawal),
                None => self.note(&f.withdrawal, time),
            },
            ChainFact::ChainSet(_)
            | ChainFact::AddressAssigned(_)
            | ChainFact::BlocksPassed(_)
            | ChainFact::BlockTaken(_)
            | ChainFact::SmallDepositsCredited(_)
            | ChainFact::ChainHalted(_)
            | ChainFact::ChainResumed(_)
            | ChainFact::ReserveChecked(_)
            | ChainFact::TransactionPlanned(_)
            | ChainFact::TransferPlanned(_)
            | ChainFact::TransactionSigned(_) => {}
        }
    }

    pub(super) fn hash(&self, h: WordHash) -> WordHash {
        let hash = self.coin.hash(h, self.count, (self.open.len() as u64, self.open.digest()));
        let token = |h: WordHash, (id, limits): (&AssetId, &AssetLimits)| limits.hash(h, u64::from(id.0), (0, 0));
        let hash = self.tokens.iter().fold(hash, token);
        if self.failed.len() == 0 { hash } else { hash.pair(self.failed.len() as u64, self.failed.digest()) }
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.coin.terms().is_none() && self.tokens.is_empty()
    }
}

impl Withdrawals {
    pub(super) fn save(&self, out: &mut Vec<u8>) {
        self.coin.save_terms(out);
        self.count.put(out);
        self.open.put(out);
        self.coin.save_recent(out);
        (self.tokens.len() as u64).put(out);
        for (token, limits) in &self.tokens {
            token.put(out);
            limits.save_terms(out);
            limits.save_recent(out);
        }
        self.failed.put(out);
    }

    /// As a chain of this version of its state saved them.
    pub(super) fn load(version: u8, r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut all = Withdrawals::default();
        all.coin.load_terms(version, r)?;
        all.count = Wire::get(r)?;
        let open: HashedMap<WithdrawalId, OpenWithdrawal> = Wire::get(r)?;
        open.iter().for_each(|(_, open)| all.opened(open.clone()));
        all.coin.load_recent(r)?;
        let tokens = if version >= WITH_TOKENS { u64::get(r)? } else { 0 };
        for _ in 0..tokens {
            let limits = all.tokens.entry(Wire::get(r)?).or_default();
            limits.load_terms(version, r)?;
            limits.load_recent(r)?;
        }
        if version >= WITH_TOKENS {
            all.failed = Wire::get(r)?;
        }
        Ok(all)
    }
}

fn is_text(text: &str, longest: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= longest && !text.chars().any(char::is_control)
}

/// A name in the one form in which it is counted: two forms of it would be two people.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-@+ ".contains(c);
    is_text(name, LONGEST_NAME) && name.chars().all(is_plain) && name.trim() == name && !name.contains("  ")
}

impl Chain {
    /// Terms of withdrawals of an asset of the chain, once there are some.
    #[must_use]
    pub fn terms(&self, asset: AssetId) -> Option<&WithdrawalTerms> {
        self.withdrawals.terms(self.token(asset))
    }

    /// Those of the chain's own coin.
    #[must_use]
    pub fn coin_terms(&self) -> Option<&WithdrawalTerms> {
        self.withdrawals.terms(None)
    }

    /// How terms name an asset of the chain.
    fn token(&self, asset: AssetId) -> Option<AssetId> {
        self.params().filter(|params| params.asset != asset).map(|_| asset)
    }

    /// Open withdrawals, by their numbers.
    pub fn open_withdrawals(&self) -> impl Iterator<Item = &OpenWithdrawal> {
        self.withdrawals.open()
    }

    /// One that is open.
    #[must_use]
    pub fn withdrawal(&self, id: WithdrawalId) -> Option<&OpenWithdrawal> {
        self.withdrawals.get(id)
    }

    /// The transaction of an open one that was final and moved nothing, the last such.
    #[must_use]
    pub fn failed_transaction(&self, id: WithdrawalId) -> Option<TxId> {
        self.withdrawals.failed.get(&id).copied()
    }

    /// How far an open one is.
    #[must_use]
    pub fn withdrawal_state(&self, open: &OpenWithdrawal) -> WithdrawalState {
        match open.plan {
            Some(plan) if self.plans.is_signed(plan) || self.accounts.is_signed(plan) => WithdrawalState::Signed(plan),
            Some(plan) => WithdrawalState::Planned(plan),
            None if open.is_approved() => WithdrawalState::Approved,
            None => WithdrawalState::Pending,
        }
    }

    /// What an account withdrew of an asset within 24 hours.
    #[must_use]
    pub fn withdrawn(&self, account: AccountId, asset: AssetId, now: TimeNs) -> Amount {
        self.withdrawals.limits(self.token(asset)).map_or(Amount::ZERO, |limits| limits.used(account, now).0)
    }

    /// People who would have to agree to a withdrawal.
    #[must_use]
    pub fn votes_needed(&self, account: AccountId, (asset, number): (AssetId, Amount), flags: u32, now: TimeNs) -> u32 {
        self.withdrawals.limits(self.token(asset)).map_or(0, |limits| limits.votes(account, number, flags, now))
    }

    pub(super) fn set_terms(&self, terms: &WithdrawalTerms) -> Result<Decision, Reject> {
        let params = self.listed()?;
        terms.check()?;
        let asset = params.asset(terms.token.unwrap_or(params.asset)).ok_or(Reject::BadParameters)?;
        let least = if params.accounts.is_some() { Units(1) } else { LEAST_PAYMENT };
        // A miner's fee of a finer coin would leave something over that no amount can say; on a chain of accounts it is kept account of.
        if terms.chain != self.id()
            || terms.token == Some(params.asset)
            || (params.accounts.is_none() && params.decimals > 8)
            || asset.units(terms.min - terms.fee).is_none_or(|units| units < least)
            || [terms.fee, terms.min, terms.max].iter().any(|amount| amount.0 % asset.step().0 != 0)
        {
            return Err(Reject::BadParameters);
        }
        if terms.version != self.withdrawals.terms(terms.token).map_or(0, |old| old.version) {
            return Err(Reject::AlreadyExists);
        }
        let terms = WithdrawalTerms { version: terms.version + 1, ..terms.clone() };
        Ok(Decision::Fact(WithdrawalTermsSet { terms }.into()))
    }

    pub(super) fn request(
        &self,
        (account, tier): (AccountId, Tier),
        wanted: &WithdrawalRequest,
        now: TimeNs,
    ) -> Result<Decision, Reject> {
        let params = self.read()?;
        let asset = params.asset(wanted.asset).ok_or(Reject::BadParameters)?;
        let terms = self.terms(wanted.asset).filter(|terms| terms.open).ok_or(Reject::WithdrawalsClosed)?;
        if wanted.version != terms.version {
            return Err(Reject::StaleTerms);
        }
        let receiver = match wanted.inside {
            Some(key) => Some(self.owner_of(key).ok_or(Reject::BadDestination)?),
            None => None,
        };
        let script = (1..=LONGEST_SCRIPT).contains(&wanted.script_bytes);
        if !is_text(&wanted.address, LONGEST_ADDRESS) || !script || receiver == Some(account) {
            return Err(Reject::BadDestination);
        }
        if wanted.number < terms.min {
            return Err(Reject::BelowMinAmount);
        }
        if wanted.number > terms.max {
            return Err(Reject::AboveMaxAmount);
        }
        let fee = if receiver.is_some() { Amount::ZERO } else { terms.fee };
        let units = asset.units(wanted.number - fee).ok_or(Reject::BadAmount)?;
        if self.withdrawals.open_of.get(&account).copied().unwrap_or_default() >= terms.most_open {
            return Err(Reject::TooManyWithdrawals);
        }
        if self.withdrawn(account, wanted.asset, now) + wanted.number > terms.limit(tier) {
            return Err(Reject::AboveDailyLimit);
        }
        let (chain, version, daily_limit) = (self.id(), terms.version, terms.limit(tier));
        let withdrawal = Withdrawal {
            withdrawal: WithdrawalId::of(chain, self.withdrawals.count + 1),
            account,
            asset: wanted.asset,
            number: wanted.number,
            fee,
            units,
            address: wanted.address.clone(),
            script_bytes: wanted.script_bytes,
            inside: receiver,
            flags: wanted.flags,
            needed: self.votes_needed(account, (wanted.asset, wanted.number), wanted.flags, now),
        };
        Ok(Decision::Fact(match receiver.filter(|_| withdrawal.is_automatic()) {
            Some(receiver) => SettledInside { chain, withdrawal, receiver, vote: None, version, daily_limit }.into(),
            None => WithdrawalRequested { chain, withdrawal, version, daily_limit }.into(),
        }))
    }

    fn ended(&self, open: &OpenWithdrawal, end: EndOfWithdrawal, vote: Option<Vote>) -> Decision {
        let Withdrawal { withdrawal, account, asset, number, .. } = open.withdrawal;
        Decision::Fact(WithdrawalEnded { chain: self.id(), withdrawal, account, asset, number, end, vote }.into())
    }

    /// Its owner takes it back. Also while the chain is halted: nothing leaves.
    pub(super) fn cancel(&self, account: AccountId, id: WithdrawalId) -> Result<Decision, Reject> {
        let open = self.withdrawals.undecided(id)?;
        if open.withdrawal.account != account {
            return Err(Reject::UnknownWithdrawal);
        }
        // It cost gas already: people look at it, and it counts for the limits meanwhile.
        if self.withdrawals.failed.get(&id).is_some() {
            return Err(Reject::WithdrawalDone);
        }
        Ok(self.ended(open, EndOfWithdrawal::Cancelled, None))
    }

    pub(super) fn vote(
        &self,
        id: WithdrawalId,
        vote: &Vote,
        agrees: bool,
        seen: Option<u32>,
    ) -> Result<Decision, Reject> {
        if !is_name(&vote.who) || !is_text(&vote.reason, LONGEST_REASON) {
            return Err(Reject::BadParameters);
        }
        let open = self.withdrawals.undecided(id)?;
        if !agrees {
            return Ok(self.ended(open, EndOfWithdrawal::Refused, Some(vote.clone())));
        }
        if seen.is_some_and(|seen| seen as usize != open.voters.len()) {
            return Err(Reject::VotedMeanwhile);
        }
        if open.is_approved() {
            return Err(Reject::WithdrawalDone);
        }
        if open.voters.contains(&vote.who) {
            return Err(Reject::NotTwoPeople);
        }
        let approved = open.voters.len() + 1 >= open.withdrawal.needed as usize;
        let (chain, account, vote) = (self.id(), open.withdrawal.account, vote.clone());
        if let Some(receiver) = open.withdrawal.inside.filter(|_| approved) {
            self.read()?;
            let (version, daily_limit) =
                self.terms(open.withdrawal.asset).map_or((0, Amount::ZERO), |t| (t.version, t.daily_limit));
            let withdrawal = open.withdrawal.clone();
            let vote = Some(vote);
            return Ok(Decision::Fact(
                SettledInside { chain, withdrawal, receiver, vote, version, daily_limit }.into(),
            ));
        }
        Ok(Decision::Fact(WithdrawalAgreed { chain, withdrawal: id, account, vote, approved }.into()))
    }
}
