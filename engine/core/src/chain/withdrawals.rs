//! Withdrawals of a chain: what was asked for, who agreed, what waits to be paid.
//!
//! Owns: terms, open withdrawals, those of the last 24 hours. Never does: choose coins (`plans.rs`); prove who asks: the gateway
//! does. Invariants: an account's of 24 hours are at most the limit; one is approved by as many people as its request says, each
//! another; what is in a transaction is neither cancelled nor refused any more.
//! Rules: `docs/rules/custody.md "Withdrawals"`. Known limits: none.

use super::coins::Units;
use super::entity::Chain;
use super::facts::ChainFact;
use super::terms::{WithdrawalTerms, WithdrawalTermsV1};
use super::withdrawal::{OpenWithdrawal, PlanId, Withdrawal, WithdrawalId, WithdrawalRequest, WithdrawalState};
use super::withdrawal_facts::{
    EndOfWithdrawal, SettledInside, Vote, WithdrawalAgreed, WithdrawalEnded, WithdrawalRequested, WithdrawalTermsSet,
};
use crate::account::Tier;
use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes};
use crate::entity::{Decision, TimeNs};
use crate::hashed::HashedMap;
use crate::ids::AccountId;
use crate::money::Amount;
use crate::reject::Reject;
use std::collections::{BTreeMap, BTreeSet};

/// The limit of an account is of so long.
const DAY_NS: TimeNs = 86_400 * 1_000_000_000;
/// The limit of what nobody looks at is of so long.
const HOUR_NS: TimeNs = 3_600 * 1_000_000_000;
/// Nodes do not pass on a payment of less.
const LEAST_PAYMENT: Units = Units(1_000);
/// The longest address.
const LONGEST_ADDRESS: usize = 128;
/// The longest script that pays to an address.
const LONGEST_SCRIPT: u32 = 64;
/// The longest name of a person.
const LONGEST_NAME: usize = 64;
/// The longest reason.
const LONGEST_REASON: usize = 200;

crate::wire_struct! {
    /// One of the last 24 hours that was not taken back.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct RecentWithdrawal {
        /// Whose.
        pub account: AccountId,
        /// What it took.
        pub number: Amount,
        /// When.
        pub at: TimeNs,
        /// Nobody had to look at it.
        pub automatic: bool,
    }
}

/// See the module's header.
#[derive(Debug, Default)]
pub(super) struct Withdrawals {
    terms: Option<WithdrawalTerms>,
    /// Of the chain, ever.
    count: u64,
    open: HashedMap<WithdrawalId, OpenWithdrawal>,
    /// By their numbers, and so by their times.
    recent: HashedMap<WithdrawalId, RecentWithdrawal>,
    /// Recent ones of each account.
    of_account: BTreeMap<AccountId, BTreeSet<WithdrawalId>>,
    /// How many of each account are open.
    open_of: BTreeMap<AccountId, u32>,
    /// Those that wait for a transaction.
    approved: BTreeSet<WithdrawalId>,
}

impl Withdrawals {
    pub(super) fn terms(&self) -> Option<&WithdrawalTerms> {
        self.terms.as_ref()
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

    /// What an account withdrew within 24 hours: all, and what nobody looked at.
    pub(super) fn used(&self, account: AccountId, now: TimeNs) -> (Amount, Amount) {
        let recent = self.of_account.get(&account).into_iter().flatten().filter_map(|id| self.recent.get(id));
        let recent = recent.filter(|recent| now.saturating_sub(recent.at) < DAY_NS);
        recent.fold((Amount::ZERO, Amount::ZERO), |(all, automatic), recent| {
            let more = if recent.automatic { recent.number } else { Amount::ZERO };
            (all + recent.number, automatic + more)
        })
    }

    fn automatic_of_hour(&self, now: TimeNs) -> Amount {
        let last = self.recent.iter().rev().map(|(_, recent)| recent);
        let last = last.take_while(|recent| now.saturating_sub(recent.at) < HOUR_NS);
        last.filter(|recent| recent.automatic).map(|recent| recent.number).sum()
    }

    /// People who have to agree.
    pub(super) fn votes(&self, account: AccountId, number: Amount, flags: u32, now: TimeNs) -> u32 {
        let Some(terms) = &self.terms else { return 0 };
        if number > terms.two_votes_above {
            return 2;
        }
        let automatic = flags == 0
            && number <= terms.auto_each
            && self.used(account, now).1 + number <= terms.auto_day
            && self.automatic_of_hour(now) + number <= terms.auto_hour;
        u32::from(!automatic)
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
        // What is older than a day limits nobody.
        while let Some((id, account)) = self
            .oldest()
            .filter(|(_, recent)| time.saturating_sub(recent.at) >= DAY_NS)
            .map(|(id, recent)| (id, recent.account))
        {
            self.forget(id, account);
        }
        self.count += 1;
        let (id, account, number) = (withdrawal.withdrawal, withdrawal.account, withdrawal.number);
        let automatic = withdrawal.is_automatic();
        self.recent.insert(id, RecentWithdrawal { account, number, at: time, automatic });
        self.of_account.entry(account).or_default().insert(id);
    }

    fn oldest(&self) -> Option<(WithdrawalId, &RecentWithdrawal)> {
        self.recent.iter().next().map(|(id, recent)| (*id, recent))
    }

    fn forget(&mut self, id: WithdrawalId, account: AccountId) {
        self.recent.remove(&id);
        if let Some(its) = self.of_account.get_mut(&account) {
            its.remove(&id);
            if its.is_empty() {
                self.of_account.remove(&account);
            }
        }
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

    /// Takes in what a fact says of withdrawals.
    pub(super) fn evolve(&mut self, fact: &ChainFact, time: TimeNs) {
        match fact {
            ChainFact::WithdrawalTermsSet(f) => self.terms = Some(f.terms.clone()),
            ChainFact::WithdrawalRequested(f) => {
                self.note(&f.withdrawal, time);
                let (withdrawal, voters) = (f.withdrawal.clone(), Vec::new());
                self.opened(OpenWithdrawal { withdrawal, requested: time, voters, plan: None });
            }
            ChainFact::WithdrawalAgreed(f) => self.change(f.withdrawal, |open| open.voters.push(f.vote.who.clone())),
            ChainFact::WithdrawalEnded(f) => {
                self.closed(f.withdrawal);
                self.forget(f.withdrawal, f.account);
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
            | ChainFact::TransactionSigned(_) => {}
        }
    }

    pub(super) fn hash(&self, h: WordHash) -> WordHash {
        let mut bytes = Vec::with_capacity(128);
        self.terms.put(&mut bytes);
        if let Some(terms) = self.terms.as_ref().filter(|terms| terms.daily_limit_advanced == terms.daily_limit) {
            // One limit for all accounts has the hash that it had before there were two: the second one is the last field.
            let mut last = Vec::with_capacity(16);
            terms.daily_limit_advanced.put(&mut last);
            bytes.truncate(bytes.len() - last.len());
        }
        h.pair(hash_bytes(0, &bytes), self.count)
            .pair(self.open.len() as u64, self.open.digest())
            .pair(self.recent.len() as u64, self.recent.digest())
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.terms.is_none()
    }
}

impl Withdrawals {
    pub(super) fn save(&self, out: &mut Vec<u8>) {
        self.terms.put(out);
        self.count.put(out);
        self.open.put(out);
        self.recent.put(out);
    }

    /// As a chain of this version of its state saved them.
    pub(super) fn load(version: u8, r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let terms = match version {
            2 => Option::<WithdrawalTermsV1>::get(r)?.map(WithdrawalTerms::from),
            _ => Wire::get(r)?,
        };
        let mut all = Withdrawals { terms, count: Wire::get(r)?, ..Withdrawals::default() };
        let open: HashedMap<WithdrawalId, OpenWithdrawal> = Wire::get(r)?;
        open.iter().for_each(|(_, open)| all.opened(open.clone()));
        all.recent = Wire::get(r)?;
        for (id, recent) in all.recent.iter() {
            all.of_account.entry(recent.account).or_default().insert(*id);
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
    /// Terms of withdrawals, once there are some.
    #[must_use]
    pub fn terms(&self) -> Option<&WithdrawalTerms> {
        self.withdrawals.terms()
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

    /// How far an open one is.
    #[must_use]
    pub fn withdrawal_state(&self, open: &OpenWithdrawal) -> WithdrawalState {
        match open.plan {
            Some(plan) if self.plans.is_signed(plan) => WithdrawalState::Signed(plan),
            Some(plan) => WithdrawalState::Planned(plan),
            None if open.is_approved() => WithdrawalState::Approved,
            None => WithdrawalState::Pending,
        }
    }

    /// What an account withdrew within 24 hours.
    #[must_use]
    pub fn withdrawn(&self, account: AccountId, now: TimeNs) -> Amount {
        self.withdrawals.used(account, now).0
    }

    /// People who would have to agree to a withdrawal.
    #[must_use]
    pub fn votes_needed(&self, account: AccountId, number: Amount, flags: u32, now: TimeNs) -> u32 {
        self.withdrawals.votes(account, number, flags, now)
    }

    pub(super) fn set_terms(&self, terms: &WithdrawalTerms) -> Result<Decision, Reject> {
        let params = self.listed()?;
        terms.check()?;
        // Fees of a finer coin would leave something over that no amount can say.
        if terms.chain != self.id()
            || params.decimals > 8
            || params.units(terms.min - terms.fee).is_none_or(|least| least < LEAST_PAYMENT)
        {
            return Err(Reject::BadParameters);
        }
        if terms.version != self.terms().map_or(0, |old| old.version) {
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
        let terms = self.terms().filter(|terms| terms.open).ok_or(Reject::WithdrawalsClosed)?;
        if wanted.asset != params.asset {
            return Err(Reject::BadParameters);
        }
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
        let units = params.units(wanted.number - fee).ok_or(Reject::BadAmount)?;
        if self.withdrawals.open_of.get(&account).copied().unwrap_or_default() >= terms.most_open {
            return Err(Reject::TooManyWithdrawals);
        }
        if self.withdrawals.used(account, now).0 + wanted.number > terms.limit(tier) {
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
            needed: self.withdrawals.votes(account, wanted.number, wanted.flags, now),
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
            let (version, daily_limit) = self.terms().map_or((0, Amount::ZERO), |t| (t.version, t.daily_limit));
            let withdrawal = open.withdrawal.clone();
            let vote = Some(vote);
            return Ok(Decision::Fact(
                SettledInside { chain, withdrawal, receiver, vote, version, daily_limit }.into(),
            ));
        }
        Ok(Decision::Fact(WithdrawalAgreed { chain, withdrawal: id, account, vote, approved }.into()))
    }
}
