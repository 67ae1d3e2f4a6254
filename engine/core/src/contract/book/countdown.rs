//! Countdowns: an account's orders of a contract are cancelled unless it says in time that it is still there.
//!
//! Owns: whose time is up when, and what is cancelled then. Never does: know why an account is silent. Invariants: an account has
//! one countdown a contract; it ends once nothing of the account's is open, or when its owner ends it.
//! Rules: `docs/rules/contracts.md "Countdowns"`. Known limits: one that is over after the end of a funding period runs after
//! it, by the calendar; its owner's waiting orders are looked for among all.

use super::ContractBook;
use super::facts::ContractOrdersCanceled;
use crate::codec::{DecodeError, Reader, Wire, mix64};
use crate::contract::Contract;
use crate::contract::params::ContractParams;
use crate::entity::{Decision, TimeNs};
use crate::ids::{AccountId, EntityId, MarketId};
use crate::market::matching::MAX_MATCHES;
use crate::record::{FactBody, Role};
use std::collections::{BTreeMap, BTreeSet};

crate::wire_struct! {
    /// An account's countdown in a contract began anew, or ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CountdownSet {
        /// Which contract.
        pub contract: MarketId,
        /// Whose.
        pub account: AccountId,
        /// When its orders are cancelled; 0: there is no countdown any more.
        pub due: u64,
    }
}

impl FactBody for CountdownSet {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.account), Role::Taker);
    }
}

/// See the module's header.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Countdowns {
    by_account: BTreeMap<AccountId, TimeNs>,
    by_time: BTreeSet<(TimeNs, AccountId)>,
    digest: u64,
}

fn hash_of(account: AccountId, due: TimeNs) -> u64 {
    mix64(mix64(account.0) ^ due)
}

impl Countdowns {
    pub(super) fn set(&mut self, account: AccountId, due: TimeNs) {
        let before = if due == 0 { self.by_account.remove(&account) } else { self.by_account.insert(account, due) };
        if let Some(before) = before {
            self.by_time.remove(&(before, account));
            self.digest = self.digest.wrapping_sub(hash_of(account, before));
        }
        if due != 0 {
            self.by_time.insert((due, account));
            self.digest = self.digest.wrapping_add(hash_of(account, due));
        }
    }

    /// Of all of them.
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    /// The one that is over first.
    fn first(&self) -> Option<(TimeNs, AccountId)> {
        self.by_time.first().copied()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_account.is_empty()
    }
}

impl Wire for Countdowns {
    fn put(&self, out: &mut Vec<u8>) {
        let all: Vec<(AccountId, TimeNs)> = self.by_account.iter().map(|(account, due)| (*account, *due)).collect();
        all.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut countdowns = Countdowns::default();
        Vec::<(AccountId, TimeNs)>::get(r)?.into_iter().for_each(|(account, due)| countdowns.set(account, due));
        Ok(countdowns)
    }
}

impl Contract {
    /// An account's countdown begins anew; after nothing it has none.
    pub(super) fn set_countdown(&self, account: AccountId, after: TimeNs, now: TimeNs) -> CountdownSet {
        let due = if after == 0 { 0 } else { now.saturating_add(after) };
        CountdownSet { contract: self.id, account, due }
    }

    /// When the next countdown is over.
    pub(in crate::contract) fn countdown_due(&self) -> Option<TimeNs> {
        self.book.as_deref()?.countdowns.first().map(|(due, _)| due)
    }

    /// What the next countdown that is over cancels: orders that rest, then those that wait, then nothing more.
    pub(in crate::contract) fn count_down(&self, params: &ContractParams, now: TimeNs) -> Option<Decision> {
        let book = self.book.as_deref()?;
        let (_, account) = book.countdowns.first().filter(|(due, _)| *due <= now)?;
        let orders: Vec<_> = book.orders.of(account).into_iter().take(MAX_MATCHES).copied().collect();
        if !orders.is_empty() {
            let (units, update) = (params.book_units(), book.next_update());
            return Some(Decision::Fact(ContractOrdersCanceled { units, account, orders, update }.into()));
        }
        let waiting = book.cancel_all_waiting(params, account);
        let ended = || self.set_countdown(account, 0, now).into();
        Some(Decision::Fact(waiting.map_or_else(ended, Into::into)))
    }
}

impl ContractBook {
    /// Countdowns of accounts.
    #[must_use]
    pub fn countdowns(&self) -> &Countdowns {
        &self.countdowns
    }

    pub(in crate::contract) fn put_countdowns(&self, out: &mut Vec<u8>) {
        self.countdowns.put(out);
    }

    pub(in crate::contract) fn get_countdowns(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.countdowns = Wire::get(r)?;
        Ok(())
    }
}
