//! What an account decides by itself, and what it says of itself. Reads state only. What it asks of products has a file
//! each (`spot.rs`).
//!
//! Owns: transfers, grants, changes of level and status. Never does: change anything; know a product. Invariants: a
//! repeated request gets the first accepted answer before anything else is looked at. Known limits: none.

use super::facts::{AccountChanged, AccountStatus, GrantItem, GrantKind, Granted, Transferred};
use super::requests::Lookup;
use super::{Account, AccountView};
use crate::entity::{Decision, Reply};
use crate::ids::{AccountId, AssetId, RequestKey, Wallet};
use crate::money::{Amount, MAX_AMOUNT};
use crate::reject::Reject;

impl Account {
    /// What facts made of it: what it holds for a decision that is still to come shows as available, so that a read sees
    /// each order either whole or not at all. With `latest`, the latest done orders and fills too.
    pub(super) fn view(&self, latest: bool) -> AccountView {
        AccountView {
            account: self.id,
            seq: self.seq,
            level: self.level,
            status: self.status,
            balances: self.balances.to_vec(),
            open: self.orders.values().copied().collect(),
            lists: self.rare().lists.clone(),
            done: if latest { self.done.iter().collect() } else { Vec::new() },
            fills: if latest { self.fills.iter().collect() } else { Vec::new() },
        }
    }

    pub(super) fn may_act(&self) -> Result<(), Reject> {
        match self.status {
            AccountStatus::Locked => Err(Reject::AccountLocked),
            AccountStatus::Active if self.id.is_system() => Err(Reject::NotAllowed),
            AccountStatus::Active => Ok(()),
        }
    }

    pub(super) fn transfer(
        &self,
        asset: AssetId,
        from: Wallet,
        to: Wallet,
        amount: Amount,
    ) -> Result<Decision, Reject> {
        self.may_act()?;
        if from == to || from == Wallet::Earn || to == Wallet::Earn {
            return Err(Reject::BadWallet);
        }
        if !amount.is_positive() || amount > MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        if self.free(from, asset) < amount {
            return Err(Reject::InsufficientBalance);
        }
        Ok(Decision::Fact(Transferred { account: self.id, asset, from, to, amount }.into()))
    }

    pub(super) fn grant_money(&self, kind: GrantKind, items: &[GrantItem]) -> Result<Decision, Reject> {
        if kind == GrantKind::Opening && self.opened {
            return Err(Reject::AlreadyExists);
        }
        let mut named: Vec<(Wallet, AssetId)> = items.iter().map(|i| (i.wallet, i.asset)).collect();
        named.sort_unstable();
        named.dedup();
        let bad = |i: &GrantItem| i.amount.is_zero() || i.amount > MAX_AMOUNT || i.amount < -MAX_AMOUNT;
        if items.is_empty() || named.len() != items.len() || items.iter().any(bad) || self.id == AccountId::ADJUST {
            return Err(Reject::BadAmount);
        }
        if items.iter().any(|i| (self.free(i.wallet, i.asset) + i.amount).is_negative()) {
            return Err(Reject::InsufficientBalance);
        }
        Ok(Decision::Fact(Granted { account: self.id, kind, items: items.to_vec() }.into()))
    }

    pub(super) fn change(&self, level: u8, status: AccountStatus, house: bool) -> Result<Decision, Reject> {
        if (level, status, house) == (self.level, self.status, self.house) {
            return Err(Reject::AlreadyExists);
        }
        Ok(Decision::Fact(AccountChanged { account: self.id, level, status, house }.into()))
    }

    /// What a request key says before the command itself is looked at.
    pub(super) fn repeated(&self, key: RequestKey) -> Option<Decision> {
        match self.rare().requests.look_up(key) {
            Lookup::Answered(answer) => Some(Decision::Reply(Reply::Known(answer.clone()))),
            Lookup::Clash => Some(Decision::Reject(Reject::RequestKeyClash)),
            Lookup::Unknown => {
                let twin = self.holds.iter().filter_map(|h| h.key).find(|k| k.key == key.key)?;
                let clash = twin.body != key.body;
                Some(Decision::Reject(if clash { Reject::RequestKeyClash } else { Reject::RequestInFlight }))
            }
        }
    }
}
