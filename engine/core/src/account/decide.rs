//! What an account decides by itself, and what it says of itself. Reads state only. What it asks of products has a file
//! each (`spot.rs`).
//!
//! Owns: transfers, grants, changes of level and status. Never does: change anything; know a product. Invariants: a
//! repeated request gets the first accepted answer before anything else is looked at. Known limits: none.

use super::facts::{AccountChanged, AccountStatus, GrantItem, GrantKind, Granted, RequestsForgotten, Transferred};
use super::requests::{Lookup, MORE_TO_FREE, MOST};
use super::{Account, AccountView, Fill, Order};
use crate::entity::{CommandClass, Ctx, Decision, Reply, TimeNs};
use crate::ids::{AccountId, AssetId, OrderId, RequestKey, Wallet};
use crate::money::{Amount, MAX_AMOUNT};
use crate::record::Origin;
use crate::reject::Reject;
use crate::spot::facts::OrderList;

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
            prevented: if latest { self.rare().prevented.clone() } else { Vec::new() },
        }
    }

    /// One order with its fills and, when it is in a list, what is remembered of that; balances are left out.
    pub(super) fn look(&self, id: OrderId) -> AccountView {
        let found = self.order(id);
        let list = found.map(|o| o.list).filter(|list| list.0 > 0);
        let lists: Vec<OrderList> = self.rare().lists.iter().filter(|l| Some(l.list) == list).cloned().collect();
        let is_meant = |o: &Order| o.order == id || lists.iter().any(|list| list.orders.contains(&o.order));
        let ids = lists.iter().flat_map(|list| list.orders.iter().copied()).chain([id]);
        let mut done: Vec<Order> = Vec::new();
        for order in ids.filter_map(|id| self.order(id)).filter(|o| !o.status.is_open()) {
            if !done.iter().any(|known| known.order == order.order) {
                done.push(order);
            }
        }
        // Nothing of it is older than itself.
        let since = found.map_or(u64::MAX, |o| o.created);
        let fills = self.fills.newest().take_while(|fill| fill.time >= since).filter(|fill| fill.order == id);
        let mut fills: Vec<Fill> = fills.collect();
        fills.reverse();
        AccountView {
            account: self.id,
            seq: self.seq,
            level: self.level,
            status: self.status,
            balances: Vec::new(),
            open: self.orders.values().filter(|o| is_meant(o)).copied().collect(),
            lists: lists.clone(),
            done,
            fills,
            prevented: self.rare().prevented.iter().filter(|m| m.taker == id || m.maker == id).copied().collect(),
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

    /// Forgets the keys whose day is over.
    pub(super) fn forget(&self, now: TimeNs) -> Option<Decision> {
        let through = self.rare().requests.to_forget(now)?;
        Some(Decision::Fact(RequestsForgotten { account: self.id, through }.into()))
    }

    /// Whether there is no room for one more key: what is not forgotten before its day is over must be bounded. The exchange
    /// itself and the back office are not kept waiting by what a user did.
    pub(super) fn has_no_room(&self, class: CommandClass, ctx: &Ctx) -> bool {
        let most = match (ctx.origin, class) {
            (Origin::System | Origin::Admin | Origin::House, _) => return false,
            (Origin::User | Origin::Api, CommandClass::Frees) => MOST + MORE_TO_FREE,
            (Origin::User | Origin::Api, CommandClass::Takes | CommandClass::Reads) => MOST,
        };
        let asking = self.holds.iter().filter(|hold| hold.key.is_some()).count();
        self.rare().requests.live(ctx.now) + asking >= most
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
