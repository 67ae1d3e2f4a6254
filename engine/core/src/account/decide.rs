//! Decisions that an account makes alone, and its views. Reads state only. Questions to products have one folder per product
//! (`spot`).
//!
//! Owns: transfers, grants, changes of level and status. Never does: change anything; know a product. Invariants: a
//! repeated request gets the first accepted answer before anything else is looked at. Known limits: none.

use super::facts::{
    AccountStatus, GrantItem, GrantKind, Granted, HouseSet, RequestsForgotten, StatusSet, Transferred, VipSet,
};
use super::request_keys::{Lookup, MORE_TO_FREE, MOST};
use super::{Account, AccountView, OpenList, Property};
use crate::entity::{CommandClass, Ctx, Decision, Reply, TimeNs};
use crate::ids::{AccountId, AssetId, OrderId, RequestKey, Wallet};
use crate::money::{Amount, MAX_AMOUNT};
use crate::record::Origin;
use crate::reject::Reject;
use crate::system_accounts::may_be_negative;

impl Account {
    /// What facts made of it: what it holds for a decision that is still to come shows as available, so that a read sees
    /// each order either whole or not at all.
    pub(super) fn view(&self) -> AccountView {
        AccountView {
            account: self.id,
            seq: self.seq,
            last: self.last,
            level: self.level,
            status: self.status,
            tier: self.tier(),
            country: self.country(),
            balances: self.balances.to_vec(),
            open: self.orders.values().copied().collect(),
            lists: self.cold().lists.iter().map(|open| open.list.clone()).collect(),
            ended: self.cold().lists.iter().flat_map(|open| open.ended.iter().copied()).collect(),
            tickets: self.tickets().to_vec(),
            legs: self.legs_view(),
            options: self.options().to_vec(),
            copying: self.cold().copying.clone(),
            coupons: self.coupons().to_vec(),
            bonuses: self.bonuses().to_vec(),
        }
    }

    /// One open order and, when it is in a list, those of the list that are open; balances are left out.
    pub(super) fn view_order(&self, id: OrderId) -> AccountView {
        let lists: Vec<&OpenList> = self.cold().lists.iter().filter(|open| open.list.orders.contains(&id)).collect();
        let others = lists.iter().flat_map(|open| open.list.orders.iter().copied()).filter(|other| *other != id);
        let open = std::iter::once(id).chain(others).filter_map(|id| self.order(id)).collect();
        AccountView {
            account: self.id,
            seq: self.seq,
            last: self.last,
            level: self.level,
            status: self.status,
            tier: self.tier(),
            country: self.country(),
            balances: Vec::new(),
            open,
            lists: lists.iter().map(|open| open.list.clone()).collect(),
            ended: lists.iter().flat_map(|open| open.ended.iter().copied()).collect(),
            tickets: Vec::new(),
            legs: None,
            options: Vec::new(),
            copying: None,
            coupons: Vec::new(),
            bonuses: Vec::new(),
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
        (from, to): (Wallet, Wallet),
        amount: Amount,
        ctx: &Ctx<'_>,
    ) -> Result<Decision, Reject> {
        self.may_act()?;
        if from == to || !from.takes_transfers() || !to.takes_transfers() {
            return Err(Reject::BadWallet);
        }
        if !amount.is_positive() || amount > MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        // Of the futures wallet stays what cross positions need.
        let free = if from == Wallet::Futures { self.may_leave(asset, ctx)? } else { self.free(from, asset) };
        if free < amount {
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
        let of_results = items.iter().any(|i| i.wallet == Wallet::Pnl);
        if items.is_empty()
            || of_results
            || named.len() != items.len()
            || items.iter().any(bad)
            || self.id == AccountId::ADJUST
        {
            return Err(Reject::BadAmount);
        }
        let owes = |i: &GrantItem| (self.free(i.wallet, i.asset) + i.amount).is_negative();
        if items.iter().any(|i| owes(i) && !may_be_negative(self.id, i.wallet)) {
            return Err(Reject::InsufficientBalance);
        }
        Ok(Decision::Fact(Granted { account: self.id, kind, items: items.to_vec() }.into()))
    }

    pub(super) fn set(&self, property: Property, origin: Origin) -> Result<Decision, Reject> {
        let account = self.id;
        if property == Property::Status(AccountStatus::Active) {
            match origin {
                Origin::Staff { maker, checker, .. } if maker != checker => {}
                // Who got into somebody's account does not unlock it.
                Origin::User | Origin::Api => return Err(Reject::AccountLocked),
                Origin::Staff { .. } | Origin::System | Origin::Admin | Origin::House => {
                    return Err(Reject::NotTwoPeople);
                }
            }
        }
        let (is_so, fact) = match property {
            Property::Vip(level) => (level == self.level, VipSet { account, level }.into()),
            Property::Status(status) => (status == self.status, StatusSet { account, status }.into()),
            Property::House(house) => (house == self.house, HouseSet { account, house }.into()),
        };
        if is_so { Err(Reject::AlreadyExists) } else { Ok(Decision::Fact(fact)) }
    }

    /// Forgets the keys whose day is over.
    pub(super) fn forget(&self, now: TimeNs) -> Option<Decision> {
        let through = self.cold().requests.to_forget(now)?;
        Some(Decision::Fact(RequestsForgotten { account: self.id, through }.into()))
    }

    /// Whether there is no room for one more key: what is not forgotten before its day is over must be bounded. The exchange
    /// itself and the back office are not kept waiting by what a user did.
    pub(super) fn has_no_room(&self, class: CommandClass, ctx: &Ctx<'_>) -> bool {
        let most = match (ctx.origin, class) {
            (Origin::System | Origin::Admin | Origin::House | Origin::Staff { .. }, _) => return false,
            (Origin::User | Origin::Api, CommandClass::Releases) => MOST + MORE_TO_FREE,
            (Origin::User | Origin::Api, CommandClass::Consumes | CommandClass::ReadOnly) => MOST,
        };
        let asking = self.holds.iter().filter(|hold| hold.key.is_some()).count();
        self.cold().requests.live(ctx.now) + asking >= most
    }

    /// What a request key says before the command itself is looked at.
    pub(super) fn repeated(&self, key: RequestKey) -> Option<Decision> {
        match self.cold().requests.look_up(key) {
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
