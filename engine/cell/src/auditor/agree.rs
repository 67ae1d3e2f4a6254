//! The auditor's ledger beside the engine's world.
//!
//! Owns: what is compared, and the words for a difference. Never does: read a fact; change either side.
//! Invariants: a difference is a [`Finding`] that names the account, order or book.
//! Known limits: a comparison of everything walks every account and order.

use super::{Auditor, Finding, Stage};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::BTreeMap;
use std::fmt::Debug;
use xng_core::account::Account;
use xng_core::ids::{AccountId, AssetId, OrderId, Wallet};
use xng_core::money::Amount;
use xng_core::spot::Market;

impl Auditor {
    /// Whether what is locked is what open orders and quotes explain, for one account.
    pub fn explains(&self, account: AccountId) -> Result<(), Finding> {
        for (wallet, asset, held) in self.wallets(account) {
            let known = self.explained.get(&(account, asset)).copied().unwrap_or(0);
            let expected = if wallet == Wallet::Spot { known } else { 0 };
            if held.locked != expected {
                return Err(format!(
                    "account {account} has {} of asset {asset} locked in {wallet:?}, its orders explain {expected}",
                    held.locked
                ));
            }
        }
        Ok(())
    }

    /// The same from the ground: every open order and quote added up.
    pub fn explains_from_the_ground(&self) -> Result<(), Finding> {
        let mut sums: BTreeMap<(AccountId, AssetId), i128> = BTreeMap::new();
        for open in self.open.values() {
            *sums.entry((open.account, open.lock.0)).or_default() += open.locked();
        }
        let users: BTreeMap<_, _> =
            self.explained.iter().filter(|((a, _), sum)| !self.is_house(*a) && **sum != 0).collect();
        let added: BTreeMap<_, _> = sums.iter().filter(|((a, _), sum)| !self.is_house(*a) && **sum != 0).collect();
        if users == added { Ok(()) } else { Err(format!("locks {users:?} are not what orders add up to, {added:?}")) }
    }

    /// Whether the engine's account has what this ledger has, and its locks are explained.
    pub fn agrees_on(&self, id: AccountId, account: Option<&Account>) -> Result<(), Finding> {
        self.explains(id)?;
        for (wallet, asset, held) in self.wallets(id) {
            let b = account.map(|a| a.balance(wallet, asset)).ok_or_else(|| format!("account {id} is not there"))?;
            if (b.available.0, b.locked.0) != (held.available, held.locked) {
                return Err(format!("account {id} has {b:?}, its records say {held:?}"));
            }
        }
        Ok(())
    }

    /// Whether the engine's world has the same balances, open orders and books.
    pub fn agrees<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        for (id, account) in world.accounts().iter() {
            self.agrees_on(id, Some(account))?;
            let strange = account.balances().iter().find(|b| {
                (b.available + b.locked != Amount::ZERO || b.locked != Amount::ZERO)
                    && !self.wallets.contains_key(&(id, b.wallet, b.asset))
            });
            if let Some(b) = strange {
                return Err(format!("account {id} has {b:?}, which no record gave it"));
            }
        }
        if let Some(id) = self.accounts().into_iter().find(|id| world.accounts().get(*id).is_none()) {
            return Err(format!("account {id} is not there"));
        }
        self.explains_from_the_ground()?;
        let known: BTreeMap<OrderId, (AccountId, i64)> = self.open().map(|(id, o)| (id, (o.account, o.lots))).collect();
        let accounts = world.accounts().iter();
        let open: BTreeMap<OrderId, (AccountId, i64)> =
            accounts.flat_map(|(id, a)| a.open_orders().map(move |o| (o.order, (id, o.open.0)))).collect();
        if open != known {
            return Err(format!("open order {}", first_difference(&open, &known)));
        }
        let mut resting = self.at(|stage| stage == Stage::Rests);
        resting.extend(self.quotes().map(|(id, _, _, _, lots)| (id, lots)));
        let in_book = |m: &Market| m.book().0.all().map(|r| (r.order, m.book().0.open(&r).0)).collect::<Vec<_>>();
        let books: BTreeMap<OrderId, i64> = world.markets().iter().flat_map(|(_, m)| in_book(m)).collect();
        if books != resting {
            return Err(format!("in the books {}", first_difference(&books, &resting)));
        }
        let known = self.at(|stage| matches!(stage, Stage::Waits(_)));
        let waiting = world.markets().iter().flat_map(|(_, m)| m.triggers().all().map(|w| (w.order, w.lots.0)));
        let waiting: BTreeMap<OrderId, i64> = waiting.collect();
        if waiting != known {
            return Err(format!("among those that wait {}", first_difference(&waiting, &known)));
        }
        let known = self.at(|stage| stage == Stage::Pending);
        let lists = world.markets().iter().flat_map(|(_, m)| m.lists().pending());
        let pending: BTreeMap<OrderId, i64> = lists.flat_map(|(_, l)| &l.orders).map(|o| (o.order, o.lots.0)).collect();
        if pending != known {
            return Err(format!("among the pending {}", first_difference(&pending, &known)));
        }
        Ok(())
    }

    /// Open orders of a stage, with what is open of them.
    fn at(&self, wanted: impl Fn(Stage) -> bool) -> BTreeMap<OrderId, i64> {
        self.open().filter(|(_, o)| wanted(o.stage)).map(|(id, o)| (id, o.lots)).collect()
    }

    fn is_house(&self, account: AccountId) -> bool {
        self.house.values().any(|house| *house == account)
    }
}

/// Where two maps differ first, in words.
fn first_difference<K: Ord + Debug, V: PartialEq + Debug>(engine: &BTreeMap<K, V>, says: &BTreeMap<K, V>) -> String {
    let wrong = engine.iter().find(|(k, v)| says.get(k) != Some(v)).map(|(k, _)| k);
    let missing = says.keys().find(|k| !engine.contains_key(k));
    let key = wrong.into_iter().chain(missing).min();
    let (has, says) = (key.and_then(|k| engine.get(k)), key.and_then(|k| says.get(k)));
    format!("{key:?} is {has:?} where the records say {says:?}")
}
