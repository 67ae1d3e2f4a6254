//! Terms of one asset of a chain, and its withdrawals of the last 24 hours.
//!
//! Owns: these, what they come to. Never does: decide. Invariants: none of a day ago or older limits anybody. Rules:
//! `docs/rules/custody.md "Withdrawals"`. Known limits: none.

use super::terms::{WithdrawalTerms, WithdrawalTermsV1, WithdrawalTermsV2};
use super::withdrawal::{Withdrawal, WithdrawalId};
use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes};
use crate::entity::TimeNs;
use crate::hashed::HashedMap;
use crate::ids::AccountId;
use crate::money::Amount;
use std::collections::{BTreeMap, BTreeSet};

/// The limit of an account is of so long.
const DAY_NS: TimeNs = 86_400 * 1_000_000_000;
/// The limit of what nobody looks at is of so long.
const HOUR_NS: TimeNs = 3_600 * 1_000_000_000;

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
pub(super) struct AssetLimits {
    terms: Option<WithdrawalTerms>,
    /// By their numbers, and so by their times.
    recent: HashedMap<WithdrawalId, RecentWithdrawal>,
    /// Recent ones of each account.
    of_account: BTreeMap<AccountId, BTreeSet<WithdrawalId>>,
}

impl AssetLimits {
    pub(super) fn terms(&self) -> Option<&WithdrawalTerms> {
        self.terms.as_ref()
    }

    pub(super) fn set_terms(&mut self, terms: WithdrawalTerms) {
        self.terms = Some(terms);
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

    pub(super) fn note(&mut self, withdrawal: &Withdrawal, time: TimeNs) {
        // What is older than a day limits nobody.
        while let Some((id, account)) = self
            .oldest()
            .filter(|(_, recent)| time.saturating_sub(recent.at) >= DAY_NS)
            .map(|(id, recent)| (id, recent.account))
        {
            self.forget(id, account);
        }
        let (id, account, number) = (withdrawal.withdrawal, withdrawal.account, withdrawal.number);
        let automatic = withdrawal.is_automatic();
        self.recent.insert(id, RecentWithdrawal { account, number, at: time, automatic });
        self.of_account.entry(account).or_default().insert(id);
    }

    fn oldest(&self) -> Option<(WithdrawalId, &RecentWithdrawal)> {
        self.recent.iter().next().map(|(id, recent)| (*id, recent))
    }

    pub(super) fn forget(&mut self, id: WithdrawalId, account: AccountId) {
        self.recent.remove(&id);
        if let Some(its) = self.of_account.get_mut(&account) {
            its.remove(&id);
            if its.is_empty() {
                self.of_account.remove(&account);
            }
        }
    }

    pub(super) fn hash(&self, h: WordHash, count: u64, open: (u64, u64)) -> WordHash {
        let mut bytes = Vec::with_capacity(128);
        match &self.terms {
            Some(terms) => {
                bytes.push(1);
                terms.hashed(&mut bytes);
            }
            None => self.terms.put(&mut bytes),
        }
        h.pair(hash_bytes(0, &bytes), count).pair(open.0, open.1).pair(self.recent.len() as u64, self.recent.digest())
    }

    pub(super) fn save_terms(&self, out: &mut Vec<u8>) {
        self.terms.put(out);
    }

    pub(super) fn save_recent(&self, out: &mut Vec<u8>) {
        self.recent.put(out);
    }

    /// Terms as a chain of this version of its state saved them.
    pub(super) fn load_terms(&mut self, version: u8, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.terms = match version {
            2 => Option::<WithdrawalTermsV1>::get(r)?.map(WithdrawalTerms::from),
            3 => Option::<WithdrawalTermsV2>::get(r)?.map(WithdrawalTerms::from),
            _ => Wire::get(r)?,
        };
        Ok(())
    }

    pub(super) fn load_recent(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.recent = Wire::get(r)?;
        for (id, recent) in self.recent.iter() {
            self.of_account.entry(recent.account).or_default().insert(*id);
        }
        Ok(())
    }
}
