//! The auditor's ledger beside the engine's world.
//!
//! Owns: what is compared, and the words for a difference. Never does: read a fact; change either side.
//! Invariants: a difference is a [`Finding`] that names the account, order or book.
//! Known limits: a comparison of everything walks every account and order.

use super::{Auditor, Finding, Stage, WalletKey};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use xng_core::account::{Account, OwnFollow, Ticket};
use xng_core::contract::book::effect::Leg;
use xng_core::contract::book::order::BookOrder;
use xng_core::contract::book::waiting::WaitingBookOrder;
use xng_core::contract::leg::Direction;
use xng_core::contract::tickets::TicketId;
use xng_core::copy::CopyLink;
use xng_core::ids::{AccountId, MarketId, OrderId, Wallet};
use xng_core::money::Amount;
use xng_core::seconds::{OptionId, SecondsOption};
use xng_core::spot::Market;

impl Auditor {
    /// Whether what is locked is what open orders and quotes explain, for one account.
    pub fn explains(&self, account: AccountId) -> Result<(), Finding> {
        for (wallet, asset, held) in self.wallets(account) {
            let expected = self.explained.get(&(account, wallet, asset)).copied().unwrap_or(0);
            if held.locked != expected {
                return Err(format!(
                    "account {account} has {} of asset {asset} locked in {wallet:?}, orders and tickets explain {expected}",
                    held.locked
                ));
            }
        }
        Ok(())
    }

    /// The same from the ground: every open order and quote added up.
    pub fn explains_from_the_ground(&self) -> Result<(), Finding> {
        let mut sums: BTreeMap<WalletKey, i128> = BTreeMap::new();
        let orders = self.open.values().map(|open| ((open.account, Wallet::Spot, open.lock.0), open.locked()));
        for (wallet, locked) in orders
            .chain(self.ticket_locks())
            .chain(self.leg_locks())
            .chain(self.quota_locks())
            .chain(self.option_locks_of_all())
            .chain(self.withheld_locks())
            .chain(self.withdrawal_locks())
            .chain(self.campaign_locks())
        {
            *sums.entry(wallet).or_default() += locked;
        }
        let users: BTreeMap<_, _> =
            self.explained.iter().filter(|((a, ..), sum)| !self.is_house(*a) && **sum != 0).collect();
        let added: BTreeMap<_, _> = sums.iter().filter(|((a, ..), sum)| !self.is_house(*a) && **sum != 0).collect();
        if users == added { Ok(()) } else { Err(format!("locks {users:?} are not what orders add up to, {added:?}")) }
    }

    /// Whether the engine's account has what this ledger has, and its locks are explained.
    pub fn agrees_on(&self, id: AccountId, account: Option<&Account>) -> Result<(), Finding> {
        self.explains(id)?;
        for (wallet, asset, held) in self.wallets(id) {
            // No fact names an account of the exchange for nothing, a fee of nothing, say: it may not be there yet.
            let has = account.map(|a| a.balance(wallet, asset)).map_or((0, 0), |b| (b.available.0, b.locked.0));
            if has != (held.available, held.locked) {
                return Err(format!("account {id} has {has:?} in {wallet:?} of {asset}, its records say {held:?}"));
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
        for id in self.accounts().into_iter().filter(|id| world.accounts().get(*id).is_none()) {
            if id >= AccountId::FIRST_USER {
                return Err(format!("account {id} is not there"));
            }
            self.agrees_on(id, None)?;
        }
        self.explains_from_the_ground()?;
        let known: BTreeMap<OrderId, (AccountId, i64)> = self.open().map(|(id, o)| (id, (o.account, o.lots))).collect();
        let accounts = world.accounts().iter();
        let open: BTreeMap<OrderId, (AccountId, i64)> =
            accounts.flat_map(|(id, a)| a.open_orders().map(move |o| (o.order, (id, o.open.0)))).collect();
        if open != known {
            return Err(format!("open order {}", first_difference(&open, &known)));
        }
        let known: BTreeMap<TicketId, _> = self.contracts.tickets.iter().map(|(id, t)| (*id, t.shape())).collect();
        let tickets = world.accounts().iter().flat_map(|(_, account)| account.tickets());
        let shape = |t: &Ticket| {
            let terms = &t.terms;
            (terms.direction, terms.lots.0, terms.base.0, terms.price.0, t.margin.0, t.is_open())
        };
        let tickets: BTreeMap<TicketId, _> = tickets.map(|t| (t.id(), shape(t))).collect();
        if tickets != known {
            return Err(format!("open ticket {}", first_difference(&tickets, &known)));
        }
        let known: BTreeMap<_, _> = self.contracts.listed.iter().map(|(id, listed)| (*id, listed.lots)).collect();
        let lots = world.contracts().iter().map(|(id, c)| (id, [c.tickets().0.0, c.tickets().1.0])).collect();
        if lots != known {
            return Err(format!("lots of contract {}", first_difference(&lots, &known)));
        }
        self.agrees_on_books(world)?;
        self.agrees_on_options(world)?;
        self.agrees_on_copies(world)?;
        let mut resting = self.at(|stage| stage == Stage::Rests);
        resting.extend(self.quotes().map(|(id, _, _, _, lots)| (id, lots)));
        let in_book = |m: &Market| m.book().0.all().map(|r| (r.order, m.book().0.open(&r).0)).collect::<Vec<_>>();
        let books: BTreeMap<OrderId, i64> = world.markets().iter().flat_map(|(_, m)| in_book(m)).collect();
        if books != resting {
            return Err(format!("in the books {}", first_difference(&books, &resting)));
        }
        let known = self.at(|stage| matches!(stage, Stage::Waits(_)));
        let all = |m: &Market| m.triggers().all().chain(m.queue()).map(|w| (w.order, w.lots.0)).collect::<Vec<_>>();
        let waiting: BTreeMap<OrderId, i64> = world.markets().iter().flat_map(|(_, m)| all(m)).collect();
        if waiting != known {
            return Err(format!("among those that wait {}", first_difference(&waiting, &known)));
        }
        let queued: BTreeSet<OrderId> = world.markets().iter().flat_map(|(_, m)| m.queue().map(|w| w.order)).collect();
        let known: BTreeSet<OrderId> = self.queued().collect();
        if queued != known {
            return Err(format!("for the open wait {queued:?}, the records say {known:?}"));
        }
        self.agrees_on_actions(world)?;
        self.agrees_on_chains(world)?;
        self.agrees_on_tiers(world)?;
        self.agrees_on_anchors(world)?;
        self.agrees_on_regions(world)?;
        self.agrees_on_withdrawals(world)?;
        self.agrees_on_coupons(world)?;
        let known = self.at(|stage| stage == Stage::Pending);
        let lists = world.markets().iter().flat_map(|(_, m)| m.lists().pending());
        let pending: BTreeMap<OrderId, i64> = lists.flat_map(|(_, l)| &l.orders).map(|o| (o.order, o.lots.0)).collect();
        if pending != known {
            return Err(format!("among the pending {}", first_difference(&pending, &known)));
        }
        Ok(())
    }

    /// Whether contracts and accounts have the same legs and orders of books.
    fn agrees_on_books<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        let all = |id: MarketId| self.books.get(&id).into_iter();
        let ids = || self.books.keys().copied();
        let known: BTreeMap<_, _> = ids()
            .flat_map(|c| {
                all(c).flat_map(move |b| b.legs.iter().map(move |(k, l)| ((c, *k), (l.lots, l.cost, l.margin))))
            })
            .collect();
        let shape = |leg: &Leg| {
            let lots = if leg.direction == Direction::Long { leg.lots.0 } else { -leg.lots.0 };
            (lots, leg.signed_cost().0, leg.margin.0)
        };
        let books = || world.contracts().iter().filter_map(|(id, contract)| Some((id, contract.book()?)));
        let legs: BTreeMap<_, _> =
            books().flat_map(|(c, book)| book.legs().all().map(move |(key, leg)| ((c, key), shape(leg)))).collect();
        if legs != known {
            return Err(format!("leg {}", first_difference(&legs, &known)));
        }
        let mirrors = world.accounts().iter().flat_map(|(id, account)| account.legs().iter().map(move |own| (id, own)));
        let mirrors: BTreeMap<_, _> =
            mirrors.map(|(id, own)| ((own.units.contract, (id, own.side)), shape(&own.leg))).collect();
        if mirrors != known {
            return Err(format!("an account's leg {}", first_difference(&mirrors, &known)));
        }
        let known: BTreeMap<MarketId, i128> = ids().map(|contract| (contract, self.quota(contract))).collect();
        let quotas: BTreeMap<MarketId, i128> = books().map(|(contract, book)| (contract, book.quota().0)).collect();
        if quotas != known {
            return Err(format!("quota of contract {}", first_difference(&quotas, &known)));
        }
        let known: BTreeMap<OrderId, BookOrder> =
            ids().flat_map(|c| all(c).flat_map(|b| b.orders.iter().map(|(id, o)| (*id, *o)))).collect();
        let orders: BTreeMap<OrderId, BookOrder> =
            books().flat_map(|(_, book)| book.orders().all().into_iter().map(|o| (o.order, *o))).collect();
        if orders != known {
            return Err(format!("in the book of a contract {}", first_difference(&orders, &known)));
        }
        let known: BTreeMap<OrderId, WaitingBookOrder> =
            ids().flat_map(|c| all(c).flat_map(|b| b.waiting.iter().map(|(id, w)| (*id, *w)))).collect();
        let waiting: BTreeMap<OrderId, WaitingBookOrder> =
            books().flat_map(|(_, book)| book.waiting().all().map(|w| (w.order, *w))).collect();
        if waiting != known {
            return Err(format!("among those that wait on a contract {}", first_difference(&waiting, &known)));
        }
        let own = world.accounts().iter().flat_map(|(_, account)| account.conditionals());
        let own: BTreeMap<OrderId, WaitingBookOrder> = own.map(|own| (own.waits.order, own.waits)).collect();
        if own != known {
            return Err(format!("an account's order that waits {}", first_difference(&own, &known)));
        }
        let known: BTreeMap<OrderId, BookOrder> =
            ids().flat_map(|c| all(c).flat_map(|b| b.orders.iter().map(|(id, o)| (*id, *o)))).collect();
        let resting = books().flat_map(|(_, book)| book.book().0.all().map(|r| (r.order, r.lots.0)));
        let resting: BTreeMap<OrderId, i64> = resting.collect();
        let open: BTreeMap<OrderId, i64> = known.iter().map(|(id, o)| (*id, o.open.0)).collect();
        if resting != open {
            return Err(format!("resting in the book of a contract {}", first_difference(&resting, &open)));
        }
        let own = world.accounts().iter().flat_map(|(_, account)| account.book_orders());
        let own: BTreeMap<OrderId, BookOrder> = own.map(|o| (o.rests.order, o.rests)).collect();
        if own != known {
            return Err(format!("an account's order {}", first_difference(&own, &known)));
        }
        Ok(())
    }

    /// Whether rounds, desks and accounts have the same options.
    fn agrees_on_options<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        let known: BTreeMap<OptionId, SecondsOption> =
            self.seconds.open.values().map(|open| (open.option.option, open.option)).collect();
        let in_rounds = world.rounds().iter().flat_map(|(_, round)| round.options());
        let in_rounds: BTreeMap<OptionId, SecondsOption> = in_rounds.map(|o| (o.option, *o)).collect();
        if in_rounds != known {
            return Err(format!("option {}", first_difference(&in_rounds, &known)));
        }
        let own = world.accounts().iter().flat_map(|(_, account)| account.options());
        let own: BTreeMap<OptionId, SecondsOption> = own.map(|o| (o.option, *o)).collect();
        if own != known {
            return Err(format!("an account's option {}", first_difference(&own, &known)));
        }
        let ended = world.rounds().iter().find(|(_, round)| round.options().next().is_none());
        if let Some((id, _)) = ended {
            return Err(format!("round {id} is over and still there"));
        }
        let open = world.desks().iter().map(|(_, desk)| desk.open()).sum::<u64>();
        if open != known.len() as u64 {
            return Err(format!("desks count {open} open options, there are {}", known.len()));
        }
        let exposed = world.desks().iter().flat_map(|(id, desk)| desk.exposures().map(move |(m, e)| ((id, m), e)));
        let exposed: BTreeMap<_, _> = exposed.map(|(key, e)| (key, e.worst_loss().0)).collect();
        let own = exposed.keys().map(|(desk, minute)| ((*desk, *minute), self.seconds.worst_loss(*desk, *minute)));
        let own: BTreeMap<_, _> = own.collect();
        if exposed != own {
            return Err(format!("exposure {}", first_difference(&exposed, &own)));
        }
        Ok(())
    }

    /// Whether traders and accounts have the same follows and copies.
    fn agrees_on_copies<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        let own = || world.accounts().iter().filter_map(|(id, account)| Some((id, account.copying()?)));
        let pair = |own: &OwnFollow| {
            let r = own.results;
            (own.follow, own.terms, own.offer, (r.sum.0, r.mark.0, r.withheld.0))
        };
        let pairs: BTreeMap<_, _> =
            own().flat_map(|(id, c)| c.follows.iter().map(move |f| ((id, f.trader), pair(f)))).collect();
        let known = self.copying.pairs.iter();
        let known: BTreeMap<_, _> =
            known.map(|(k, p)| (*k, (p.follow, p.terms, p.offer, (p.sum, p.mark, p.withheld)))).collect();
        if pairs != known {
            return Err(format!("follow {}", first_difference(&pairs, &known)));
        }
        let links: BTreeMap<TicketId, CopyLink> = own().flat_map(|(_, c)| c.links.iter().copied()).collect();
        if links != self.copying.links {
            return Err(format!("copy {}", first_difference(&links, &self.copying.links)));
        }
        let traders =
            world.traders().iter().flat_map(|(id, trader)| trader.links().map(move |(s, a)| ((id, s, a), ())));
        let traders: BTreeMap<_, _> = traders.collect();
        let known: BTreeMap<_, _> =
            links.iter().map(|(ticket, l)| ((l.trader, l.source, AccountId(ticket.0 >> 24)), ())).collect();
        if traders != known {
            return Err(format!("a trader's copy {}", first_difference(&traders, &known)));
        }
        let followers = world.traders().iter();
        let followers: BTreeMap<_, BTreeSet<AccountId>> =
            followers.map(|(id, t)| (id, t.followers().collect())).collect();
        let known: BTreeMap<_, _> = followers.keys().map(|id| (*id, self.copying.followers(*id))).collect();
        if followers != known {
            return Err(format!("followers {}", first_difference(&followers, &known)));
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
pub(super) fn first_difference<K: Ord + Debug, V: PartialEq + Debug>(
    engine: &BTreeMap<K, V>,
    says: &BTreeMap<K, V>,
) -> String {
    let wrong = engine.iter().find(|(k, v)| says.get(k) != Some(v)).map(|(k, _)| k);
    let missing = says.keys().find(|k| !engine.contains_key(k));
    let key = wrong.into_iter().chain(missing).min();
    let (has, says) = (key.and_then(|k| engine.get(k)), key.and_then(|k| says.get(k)));
    format!("{key:?} is {has:?} where the records say {says:?}")
}
