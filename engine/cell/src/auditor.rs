//! The auditor: an independent ledger, derived from the records of the journal alone.
//!
//! Owns: every balance, open order, quote and request key as it must be. Never does: use the engine's arithmetic,
//! postings or routing; it reads the numbers of the facts and does its own sums.
//! Invariants checked with every record: sums are zero per asset, no balance is negative (the adjust account, the houses
//! of tickets and conversion and what lies outside excepted), an order is opened once and never filled beyond what is
//! open, a request key leaves one fact in a day and is not forgotten before, update, order and trade ids only grow.
//! Known limits: a full auditor (the simulator's) keeps every order and request key in memory; an auditor made with
//! [`Auditor::lean`] keeps only wallets and open orders, and relies on growing ids for "opened once".

mod accounts;
mod agree;
mod anchors;
mod chains;
mod conditionals;
mod contracts;
mod convert;
mod copying;
mod coupons;
mod deleverage;
mod funding;
mod legs;
mod liquidation;
mod market_params;
mod marks;
mod order_groups;
mod pending;
mod quotes;
mod regions;
mod rest;
mod seconds;
mod steps;
mod stock_sessions;
mod stocks;
mod terms;
mod tickets_moved;
mod tiers;
mod transfers;
mod withdrawals;

pub use accounts::{Came, OpenTransfer};
pub use chains::ChainProgress;
use chains::{Chains, is_custody};
use contracts::Contracts;
use convert::{CONVERT_HOUSE, Conversions};
use copying::Copying;
use coupons::Coupons;
use pending::Brought;
use seconds::{SECONDS_HOUSE, SecondsOptions};
use std::collections::{BTreeMap, BTreeSet};
use stocks::{STOCK_ISSUER, Stocks};
use withdrawals::NETWORK_EXPENSE;
pub use withdrawals::OpenAttempt;
use xng_core::account::facts::{AccountFact, Granted};
use xng_core::chain::facts::ChainFact;
use xng_core::contract::book::facts::BookFact;
use xng_core::contract::facts::ContractFact;
use xng_core::convert::facts::ConvertFact;
use xng_core::copy::facts::CopyFact;
use xng_core::coupon::facts::CouponFact;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, MarketId, OrderId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::Ticks;
use xng_core::price::facts::PriceFact;
use xng_core::record::{Cause, Fact, Origin, Record};
use xng_core::registry::RegistryFact;
use xng_core::seconds::facts::SecondsFact;
use xng_core::spot::facts::{MarketStateChanged, OrderPlaced, OrdersCanceled, Prevented, SpotFact, Trade, Units};
use xng_core::spot::{EndReason, MarketParams, Side, Stp};

// Written here again and not taken from the engine's ids: what checks it must not follow it into a mistake.
const FEE: AccountId = AccountId(1);
/// A request key names one request for so long.
const DAY_NS: u64 = 86_400_000_000_000;
const ADJUST: AccountId = AccountId(2);
const LEVER_HOUSE: AccountId = AccountId(3);
/// Ids of one market are this far apart.
const SPAN: u64 = 1_024;

/// What is wrong, in words.
pub type Finding = String;

/// One wallet: available and locked, in units of 1e-8.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// Can be used.
    pub available: i128,
    /// Set aside.
    pub locked: i128,
}

/// An open order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    /// Whose.
    pub account: AccountId,
    /// Where.
    pub market: MarketId,
    /// Its side.
    pub side: Side,
    /// Its price.
    pub ticks: i64,
    /// All of it, as it was placed or amended.
    pub whole: i64,
    /// What is open.
    pub lots: i64,
    /// Asset and amount that one lot of it locks.
    lock: (AssetId, i128),
    stage: Stage,
}

/// Where an open order is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// In the book.
    Rests,
    /// It waits for its price, and locks so much.
    Waits(i128),
    /// It is placed once the first order of its list is filled.
    Pending,
}

impl Open {
    fn locked(&self) -> i128 {
        match self.stage {
            Stage::Rests => self.lock.1 * i128::from(self.lots),
            Stage::Waits(locked) => locked,
            Stage::Pending => 0,
        }
    }
}

type WalletKey = (AccountId, Wallet, AssetId);

/// The ledger.
#[derive(Debug, Clone, Default)]
pub struct Auditor {
    wallets: BTreeMap<WalletKey, Held>,
    sums: BTreeMap<AssetId, i128>,
    open: BTreeMap<OrderId, Open>,
    params: BTreeMap<MarketId, MarketParams>,
    /// Of each order in a list the other one.
    lists: BTreeMap<OrderId, OrderId>,
    /// What pending orders an order brings.
    brings: BTreeMap<OrderId, Brought>,
    /// Orders whose other one was filled.
    spoiled: BTreeSet<OrderId>,
    quotes: BTreeMap<(MarketId, Side, Ticks), (OrderId, i64)>,
    /// What open orders, quotes and tickets lock.
    explained: BTreeMap<WalletKey, i128>,
    contracts: Contracts,
    conversions: Conversions,
    seconds: SecondsOptions,
    copying: Copying,
    coupons: Coupons,
    stocks: Stocks,
    chains: Chains,
    books: BTreeMap<MarketId, legs::Book>,
    liquidations: liquidation::Liquidations,
    terms: terms::Terms,
    tiers: tiers::Tiers,
    anchors: anchors::Anchors,
    regions: regions::Regions,
    /// Accounts that ever had a leg.
    in_books: BTreeSet<AccountId>,
    /// Keeps none of the next four.
    lean: bool,
    placed: BTreeMap<OrderId, (AccountId, Lsn)>,
    placed_in_books: BTreeMap<OrderId, (AccountId, Lsn)>,
    ended: BTreeMap<OrderId, Lsn>,
    /// Record and time of each request that named it, oldest first: one a day at most.
    keys: BTreeMap<(AccountId, u128), Vec<(Lsn, u64)>>,
    orders: BTreeMap<MarketId, u64>,
    trades: BTreeMap<MarketId, u64>,
    updates: BTreeMap<MarketId, u64>,
    house: BTreeMap<MarketId, AccountId>,
    traded: u64,
    touched: BTreeSet<AccountId>,
    last: Lsn,
    time: u64,
}

fn base(units: &Units, lots: i64) -> i128 {
    i128::from(lots) * i128::from(units.lot_units)
}

fn cost(units: &Units, ticks: i64, lots: i64) -> i128 {
    i128::from(ticks) * i128::from(lots) * i128::from(units.tick_lot_units)
}

/// Takes `count` ids of one market, which are [`SPAN`] apart, off the row that ends with `last`; or gives the last one
/// that is taken already.
fn take(last: &mut u64, first: u64, count: u64) -> Result<(), u64> {
    if count > 0 && first <= *last {
        return Err(*last);
    }
    if count > 0 {
        *last = first + (count - 1) * SPAN;
    }
    Ok(())
}

fn lock_of_one(units: &Units, side: Side, ticks: i64) -> (AssetId, i128) {
    match side {
        Side::Buy if stocks::is_stock(units.market) => {
            let one = cost(units, ticks, 1);
            (units.quote, one + stocks::reserve(one))
        }
        Side::Buy => (units.quote, cost(units, ticks, 1)),
        Side::Sell => (units.base, base(units, 1)),
    }
}

/// Two people of the back office lock and unlock accounts, halt and open markets, change their parameters and allow products again where
/// they were barred; older journals also have levels and houses.
fn check_staff(lsn: Lsn, record: &Record) -> Result<(), Finding> {
    let Origin::Staff { maker, checker, .. } = record.origin else { return Ok(()) };
    let theirs = matches!(
        record.fact,
        Fact::Account(AccountFact::StatusSet(_) | AccountFact::VipSet(_) | AccountFact::HouseSet(_))
            | Fact::Spot(SpotFact::MarketStateChanged(_) | SpotFact::MarketParamsChanged(_))
            | Fact::Contract(ContractFact::ContractStateChanged(_))
            | Fact::Registry(RegistryFact::RegionRuled(_))
    );
    if !theirs {
        return Err(format!("record {lsn} is the back office's: {} is none of its facts", record.fact.name()));
    }
    if maker == checker { Err(format!("record {lsn}: one person proposed and approved it")) } else { Ok(()) }
}

impl Auditor {
    /// An auditor for journals of any length: its memory grows with wallets and open orders only. [`Self::key`],
    /// [`Self::owner`] and [`Self::ended`] know nothing then, and [`Self::take_touched`] is empty.
    #[must_use]
    pub fn lean() -> Auditor {
        Auditor { lean: true, ..Auditor::default() }
    }

    /// The last record that it read.
    #[must_use]
    pub fn last(&self) -> Lsn {
        self.last
    }

    /// Its time.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time
    }

    /// All wallets of an account that ever held something.
    pub fn wallets(&self, account: AccountId) -> impl Iterator<Item = (Wallet, AssetId, Held)> {
        let all =
            self.wallets.range((account, Wallet::Funding, AssetId(0))..=(account, Wallet::Pnl, AssetId(u32::MAX)));
        all.map(|((_, wallet, asset), held)| (*wallet, *asset, *held))
    }

    /// Every account that was ever named.
    #[must_use]
    pub fn accounts(&self) -> BTreeSet<AccountId> {
        self.wallets.keys().map(|(account, _, _)| *account).collect()
    }

    /// Open orders of users.
    pub fn open(&self) -> impl Iterator<Item = (OrderId, &Open)> {
        self.open.iter().map(|(id, open)| (*id, open))
    }

    /// Standing quotes.
    pub fn quotes(&self) -> impl Iterator<Item = (OrderId, MarketId, Side, Ticks, i64)> {
        self.quotes.iter().map(|((market, side, ticks), (id, lots))| (*id, *market, *side, *ticks, *lots))
    }

    /// The records that requests of this key left, oldest first: one a day at most.
    pub fn keyed(&self, account: AccountId, key: u128) -> impl DoubleEndedIterator<Item = Lsn> {
        self.keys.get(&(account, key)).into_iter().flatten().map(|(lsn, _)| *lsn)
    }

    /// Whose an order is and which record placed it, if it was ever placed.
    #[must_use]
    pub fn owner(&self, order: OrderId) -> Option<(AccountId, Lsn)> {
        self.placed.get(&order).or_else(|| self.placed_in_books.get(&order)).copied()
    }

    /// The record that ended an order.
    #[must_use]
    pub fn ended(&self, order: OrderId) -> Option<Lsn> {
        self.ended.get(&order).copied()
    }

    /// Trades so far.
    #[must_use]
    pub fn trades(&self) -> u64 {
        self.traded
    }

    /// Orders of users that were ever placed on spot markets.
    #[must_use]
    pub fn orders(&self) -> usize {
        self.placed.len()
    }

    /// Accounts that changed since the last call.
    pub fn take_touched(&mut self) -> BTreeSet<AccountId> {
        std::mem::take(&mut self.touched)
    }

    /// Reads the next record.
    pub fn read(&mut self, lsn: Lsn, record: &Record) -> Result<(), Finding> {
        if lsn.0 != self.last.0 + 1 {
            return Err(format!("record {lsn} follows {}", self.last));
        }
        if record.time <= self.time {
            return Err(format!("record {lsn} is stamped {}, the one before {}", record.time, self.time));
        }
        (self.last, self.time) = (lsn, record.time);
        check_staff(lsn, record)?;
        let mut moved: Vec<WalletKey> = Vec::new();
        self.fact(lsn, record, &mut moved)?;
        self.see_scopes();
        if !self.lean
            && let (Cause::Keyed(key), Some(account)) = (&record.cause, asker(&record.fact))
        {
            let records = self.keys.entry((account, key.key)).or_default();
            if let Some((before, time)) = records.last()
                && time + DAY_NS > record.time
            {
                return Err(format!("records {before} and {lsn} were made by one request of account {account}"));
            }
            records.push((lsn, record.time));
        }
        for key in moved {
            self.touch(key.0);
            let held = self.wallets.get(&key).copied().unwrap_or_default();
            let signed =
                [ADJUST, LEVER_HOUSE, legs::CLEARING, SECONDS_HOUSE, CONVERT_HOUSE, STOCK_ISSUER, NETWORK_EXPENSE]
                    .contains(&key.0)
                    || is_custody(key.0)
                    || key.1 == Wallet::Pnl;
            self.is_settled(lsn, key)?;
            if !signed && (held.available < 0 || held.locked < 0) {
                return Err(format!("record {lsn} leaves {held:?} in wallet {key:?}"));
            }
        }
        match self.sums.iter().find(|(_, sum)| **sum != 0) {
            Some((asset, sum)) => Err(format!("record {lsn} makes {sum} of asset {asset} out of nothing")),
            None => Ok(()),
        }
    }

    fn fact(&mut self, lsn: Lsn, record: &Record, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        self.check_offered(lsn, record)?;
        match &record.fact {
            Fact::Spot(fact) => {
                self.stock_orders((lsn, record.time), fact)?;
                self.spot_fact(lsn, fact, moved)
            }
            Fact::Account(fact) => self.account_fact(lsn, record.time, fact, moved),
            Fact::Contract(fact) => self.contract_fact((lsn, record.time), fact, moved),
            Fact::Book(fact) => self.book_fact((lsn, record.time), fact, moved),
            Fact::Price(PriceFact::PriceTicked(f)) => {
                self.contracts.hear(f);
                self.conversions.hear(f, record.time);
                self.seconds.hear(f, record.time);
                self.stocks.hear(f, record.time);
                Ok(())
            }
            Fact::Convert(fact) => self.convert_fact((lsn, record.time), fact, moved),
            Fact::Seconds(fact) => self.seconds_fact((lsn, record.time), fact, moved),
            Fact::Copy(fact) => self.copy_fact((lsn, record.time), fact, moved),
            Fact::Stock(fact) => self.stock_fact((lsn, record.time), fact, moved),
            Fact::Chain(fact) => self.chain_fact((lsn, record.time), fact, moved),
            Fact::Coupon(fact) => self.coupon_fact((lsn, record.time), fact, moved),
            Fact::Registry(RegistryFact::AuditAnchored(f)) => {
                self.anchors.add(f).map_err(|what| format!("record {lsn} {what}"))
            }
            Fact::Registry(RegistryFact::RegionRuled(f)) => {
                let ruled = self.regions.ruled(f, record.origin, (lsn, record.time));
                ruled.map_err(|what| format!("record {lsn} {what}"))
            }
            Fact::Registry(RegistryFact::AssetListed(_)) | Fact::Price(PriceFact::PriceListed(_)) | Fact::Cell(_) => {
                Ok(())
            }
        }
    }

    fn account_fact(
        &mut self,
        lsn: Lsn,
        time: TimeNs,
        fact: &AccountFact,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        match fact {
            AccountFact::Granted(f) => self.granted(f, moved),
            AccountFact::Transferred(f) => {
                self.transfer_may_leave(lsn, time, f)?;
                let sum = f.amount.0;
                self.add((f.account, f.from, f.asset), -sum, 0, moved);
                self.add((f.account, f.to, f.asset), sum, 0, moved);
            }
            AccountFact::RequestsForgotten(f) if f.through + DAY_NS > time => {
                return Err(format!(
                    "record {lsn} forgets request keys of account {} before their day is over",
                    f.account
                ));
            }
            AccountFact::AccountChanged(f) => self.terms.set_level(f.account, f.level),
            AccountFact::VipSet(f) => self.terms.set_level(f.account, f.level),
            AccountFact::TierChanged(f) => {
                self.regions.moved(f, (lsn, time));
                return self.tiers.change(f, (lsn, time)).map_err(|what| format!("record {lsn} {what}"));
            }
            AccountFact::RequestsForgotten(_) | AccountFact::StatusSet(_) | AccountFact::HouseSet(_) => {}
        }
        Ok(())
    }

    fn spot_fact(&mut self, lsn: Lsn, fact: &SpotFact, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        match fact {
            SpotFact::OrderPlaced(f) => {
                self.order_ids(lsn, f.units.market, f.order.0, 1)?;
                self.taken(lsn, f, moved)
            }
            SpotFact::OrdersCanceled(f) => self.canceled(lsn, f, moved),
            SpotFact::OrdersChanged(f) => self.changed(lsn, f, moved),
            SpotFact::QuotesSet(f) => self.quotes_set(lsn, f, moved),
            SpotFact::MarketStateChanged(f) => self.state_changed(lsn, f, moved),
            SpotFact::TradeIdsReserved(f) => self.trade_ids(lsn, f.market, f.first.0, u64::from(f.count)),
            SpotFact::MarketListed(f) => {
                self.params.insert(f.params.market, f.params.clone());
                Ok(())
            }
            SpotFact::MarketParamsChanged(f) => self.params_changed(lsn, &f.params),
        }
    }

    fn add(&mut self, key: WalletKey, available: i128, locked: i128, moved: &mut Vec<WalletKey>) {
        let held = self.wallets.entry(key).or_default();
        held.available += available;
        held.locked += locked;
        *self.sums.entry(key.2).or_default() += available + locked;
        moved.push(key);
    }

    fn lock(&mut self, account: AccountId, (asset, amount): (AssetId, i128), moved: &mut Vec<WalletKey>) {
        self.add((account, Wallet::Spot, asset), -amount, amount, moved);
        *self.explained.entry((account, Wallet::Spot, asset)).or_default() += amount;
    }

    fn granted(&mut self, f: &Granted, moved: &mut Vec<WalletKey>) {
        for item in &f.items {
            self.add((f.account, item.wallet, item.asset), item.amount.0, 0, moved);
            self.add((ADJUST, item.wallet, item.asset), -item.amount.0, 0, moved);
        }
    }

    fn touch(&mut self, account: AccountId) {
        if !self.lean {
            self.touched.insert(account);
        }
    }

    fn end(&mut self, order: OrderId, lsn: Lsn) {
        self.spoiled.remove(&order);
        self.lists.remove(&order);
        if !self.lean {
            self.ended.insert(order, lsn);
        }
    }

    fn order_ids(&mut self, lsn: Lsn, market: MarketId, first: u64, count: u64) -> Result<(), Finding> {
        take(self.orders.entry(market).or_default(), first, count)
            .map_err(|last| format!("record {lsn} gives order id {first} again, {last} is taken"))
    }

    fn trade_ids(&mut self, lsn: Lsn, market: MarketId, first: u64, count: u64) -> Result<(), Finding> {
        take(self.trades.entry(market).or_default(), first, count)
            .map_err(|last| format!("record {lsn} gives trade id {first} again, {last} is taken"))
    }

    fn update(&mut self, lsn: Lsn, market: MarketId, update: u64) -> Result<(), Finding> {
        let last = self.updates.entry(market).or_default();
        if update < *last {
            return Err(format!("record {lsn} takes the book's update id back from {last} to {update}"));
        }
        *last = update;
        Ok(())
    }

    /// Both sides of a trade and its fees. The taker pays out of what is available, the maker out of what is locked.
    fn trade(
        &mut self,
        lsn: Lsn,
        u: &Units,
        (taker, side): (AccountId, Side),
        t: &Trade,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        self.traded += 1;
        let (b, q) = (base(u, t.lots.0), cost(u, t.ticks.0, t.lots.0));
        let wallet = |account, asset| (account, Wallet::Spot, asset);
        let (taker_fee, maker_fee) = (t.taker_fee.0, t.maker_fee.0);
        if taker_fee < 0 || maker_fee < 0 {
            return Err(format!("record {lsn} has a negative fee: {t:?}"));
        }
        let (locked_asset, locked) = match side {
            _ if stocks::is_stock(u.market) => self.stock_trade(lsn, u, (taker, side), t, moved)?,
            Side::Buy => {
                self.add(wallet(taker, u.quote), -q, 0, moved);
                self.add(wallet(taker, u.base), b - taker_fee, 0, moved);
                self.add(wallet(t.maker, u.base), 0, -b, moved);
                self.add(wallet(t.maker, u.quote), q - maker_fee, 0, moved);
                self.add(wallet(FEE, u.base), taker_fee, 0, moved);
                self.add(wallet(FEE, u.quote), maker_fee, 0, moved);
                (u.base, b)
            }
            Side::Sell => {
                self.add(wallet(taker, u.base), -b, 0, moved);
                self.add(wallet(taker, u.quote), q - taker_fee, 0, moved);
                self.add(wallet(t.maker, u.quote), 0, -q, moved);
                self.add(wallet(t.maker, u.base), b - maker_fee, 0, moved);
                self.add(wallet(FEE, u.quote), taker_fee, 0, moved);
                self.add(wallet(FEE, u.base), maker_fee, 0, moved);
                (u.quote, q)
            }
        };
        *self.explained.entry((t.maker, Wallet::Spot, locked_asset)).or_default() -= locked;
        if t.maker_quote {
            self.reduce_quote(lsn, u.market, side.opposite(), t.ticks, t.lots.0, t.maker_done)
        } else {
            self.filled_of_list(lsn, t.maker_order)?;
            if t.maker_done {
                self.whole(t.maker_order);
            }
            self.reduce(lsn, t.maker_order, t.lots.0, t.maker_done)
        }
    }

    fn reduce(&mut self, lsn: Lsn, order: OrderId, lots: i64, done: bool) -> Result<(), Finding> {
        let Some(open) = self.open.get_mut(&order) else {
            return Err(format!("record {lsn} takes from order {order}, which is not open"));
        };
        if open.stage != Stage::Rests {
            return Err(format!("record {lsn} takes from order {order}, which is not in the book"));
        }
        open.lots -= lots;
        if open.lots < 0 || (open.lots == 0) != done {
            return Err(format!("record {lsn} leaves {} lots of order {order} and says done: {done}", open.lots));
        }
        if done {
            self.open.remove(&order);
            self.end(order, lsn);
        }
        Ok(())
    }

    fn taken(&mut self, lsn: Lsn, f: &OrderPlaced, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        let u = &f.units;
        self.update(lsn, u.market, f.update.0)?;
        self.trade_ids(lsn, u.market, f.first_trade.0, f.trades.len() as u64)?;
        if !self.lean {
            self.placed.entry(f.order).or_insert((f.account, lsn));
        }
        for p in &f.prevented {
            let (asset, one) = lock_of_one(u, f.side.opposite(), p.ticks.0);
            self.lock(p.account, (asset, -one * i128::from(p.lots.0)), moved);
            if p.quote {
                self.reduce_quote(lsn, u.market, f.side.opposite(), p.ticks, p.lots.0, p.closed)?;
            } else {
                self.reduce(lsn, p.order, p.lots.0, p.closed)?;
            }
        }
        self.lost(lsn, f)?;
        for t in &f.trades {
            let worse = match f.side {
                Side::Buy => f.ticks.0 != 0 && t.ticks > f.ticks,
                Side::Sell => f.ticks.0 != 0 && t.ticks < f.ticks,
            };
            if worse {
                return Err(format!(
                    "record {lsn} fills order {} at {}, beyond its limit {}",
                    f.order, t.ticks.0, f.ticks.0
                ));
            }
            self.trade(lsn, u, (f.account, f.side), t, moved)?;
        }
        if !f.trades.is_empty() {
            self.filled_of_list(lsn, f.order)?;
        }
        if f.rest.0 > 0 {
            let lock = lock_of_one(u, f.side, f.ticks.0);
            self.lock(f.account, (lock.0, lock.1 * i128::from(f.rest.0)), moved);
            let (account, market, side) = (f.account, u.market, f.side);
            self.open.insert(
                f.order,
                Open {
                    account,
                    market,
                    side,
                    ticks: f.ticks.0,
                    whole: f.lots.0,
                    lots: f.rest.0,
                    lock,
                    stage: Stage::Rests,
                },
            );
        } else {
            self.end(f.order, lsn);
        }
        self.touch(f.account);
        Ok(())
    }

    /// What an order was filled, rests and lost to its owner's own orders is what was asked for, or less when it does not rest.
    fn lost(&self, lsn: Lsn, f: &OrderPlaced) -> Result<(), Finding> {
        if let Some(stopper) = &f.stopper {
            let open = self.open.get(&stopper.order).filter(|open| open.account == f.account);
            let is_it = open.is_some_and(|open| open.ticks == stopper.ticks.0 && open.lots == stopper.lots.0);
            let ends = f.reason == EndReason::SelfTrade && f.stp == Stp::ExpireTaker;
            if !is_it || !ends || !f.prevented.is_empty() {
                return Err(format!("record {lsn} has order {} ended by {stopper:?}, which is {open:?}", f.order));
            }
        }
        if f.prevented.iter().any(|p| p.account != f.account || p.after.is_some_and(|n| n as usize > f.trades.len())) {
            return Err(format!("record {lsn} takes {:?} out of the way of order {}", f.prevented, f.order));
        }
        let filled: i64 = f.trades.iter().map(|t| t.lots.0).sum();
        let taken = |p: &Prevented| if f.stp == Stp::Decrement { p.lots.0 } else { 0 };
        let lost: i64 = f.prevented.iter().map(taken).sum();
        let sum = filled + f.rest.0 + lost;
        // Forms that do not tell what came before a match do not tell the mode either.
        let is_whole = f.prevented.iter().all(|p| p.after.is_some());
        if f.lots.0 > 0 && (sum > f.lots.0 || f.rest.0 > 0 && is_whole && sum < f.lots.0) {
            return Err(format!("record {lsn} fills, rests and takes {sum} of order {}, not {}", f.order, f.lots.0));
        }
        Ok(())
    }

    fn canceled(&mut self, lsn: Lsn, f: &OrdersCanceled, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        self.update(lsn, f.units.market, f.update.0)?;
        for o in &f.orders {
            let Some(open) = self.open.get(&o.order).copied() else {
                return Err(format!("record {lsn} cancels order {}, which is not open", o.order));
            };
            if (open.account, open.lots) != (o.account, o.lots.0) {
                return Err(format!("record {lsn} cancels {o:?}, the order is {open:?}"));
            }
            self.lock(open.account, (open.lock.0, -open.lock.1 * i128::from(open.lots)), moved);
            self.reduce(lsn, o.order, open.lots, true)?;
        }
        Ok(())
    }

    fn state_changed(&mut self, lsn: Lsn, f: &MarketStateChanged, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        self.update(lsn, f.units.market, f.update.0)?;
        for q in &f.off {
            self.quote_off(lsn, &f.units, f.house, (q.side, q.ticks, q.lots.0), moved)?;
        }
        Ok(())
    }
}

/// The account whose request a fact answers.
fn asker(fact: &Fact) -> Option<AccountId> {
    match fact {
        Fact::Account(fact) => match fact {
            AccountFact::Granted(f) => Some(f.account),
            AccountFact::Transferred(f) => Some(f.account),
            AccountFact::AccountChanged(f) => Some(f.account),
            AccountFact::VipSet(f) => Some(f.account),
            AccountFact::StatusSet(f) => Some(f.account),
            AccountFact::HouseSet(f) => Some(f.account),
            AccountFact::TierChanged(f) => Some(f.account),
            AccountFact::RequestsForgotten(_) => None,
        },
        Fact::Spot(fact) => match fact {
            SpotFact::OrderPlaced(f) => Some(f.account),
            SpotFact::OrdersCanceled(f) => f.orders.first().map(|o| o.account),
            SpotFact::OrdersChanged(f) => Some(f.account),
            SpotFact::QuotesSet(f) => Some(f.account),
            SpotFact::MarketListed(_)
            | SpotFact::MarketParamsChanged(_)
            | SpotFact::MarketStateChanged(_)
            | SpotFact::TradeIdsReserved(_) => None,
        },
        Fact::Contract(fact) => match fact {
            ContractFact::TicketOpened(f) => Some(f.account),
            ContractFact::TicketReserved(f) => Some(f.account),
            ContractFact::TicketsMoved(f) => Some(f.account),
            ContractFact::TicketCanceled(f) => Some(f.account),
            ContractFact::TicketStopsSet(f) => Some(f.account),
            ContractFact::ContractListed(_)
            | ContractFact::ContractParamsChanged(_)
            | ContractFact::ContractStateChanged(_)
            | ContractFact::MarkSet(_)
            | ContractFact::NightCharged(_)
            | ContractFact::RiskWarned(_)
            | ContractFact::DeficitCovered(_) => None,
        },
        Fact::Book(fact) => match fact {
            BookFact::ContractOrderPlaced(f) => Some(f.order.account),
            BookFact::ContractOrdersCanceled(f) => Some(f.account),
            BookFact::ContractOrderAmended(f) => Some(f.account),
            BookFact::ConditionalsChanged(f) => Some(f.account),
            BookFact::LegTermsSet(f) => Some(f.account),
            BookFact::PositionModeSet(f) => Some(f.account),
            BookFact::LegMarginMoved(f) => Some(f.account),
            BookFact::CountdownSet(f) => Some(f.account),
            BookFact::BookQuotesSet(f) => Some(f.account),
            BookFact::BookListed(_)
            | BookFact::BookParamsChanged(_)
            | BookFact::FundingSet(_)
            | BookFact::FundingPaid(_)
            | BookFact::ResultsSettled(_)
            | BookFact::LiquidationStarted(_)
            | BookFact::LegLiquidated(_)
            | BookFact::LiquidationEnded(_)
            | BookFact::QuotaSet(_) => None,
        },
        Fact::Convert(fact) => match fact {
            ConvertFact::Converted(f) => Some(f.account),
            ConvertFact::DustConverted(f) => Some(f.account),
            ConvertFact::ConvertParamsSet(_) => None,
        },
        Fact::Seconds(fact) => match fact {
            SecondsFact::OptionOpened(f) => Some(f.option.account),
            SecondsFact::DeskParamsSet(_) | SecondsFact::OptionsSettled(_) | SecondsFact::PriceSilent(_) => None,
        },
        Fact::Copy(fact) => match fact {
            CopyFact::TraderSet(f) => Some(f.account),
            CopyFact::Followed(f) => Some(f.account),
            CopyFact::Unfollowed(f) => Some(f.account),
            CopyFact::CopyDetached(f) => Some(f.account),
            CopyFact::CopySkipped(_) | CopyFact::SharesDue(_) | CopyFact::ProfitShared(_) => None,
        },
        Fact::Coupon(fact) => match fact {
            CouponFact::CampaignOpened(_) => Some(AccountId::PROMOTION),
            CouponFact::CouponIssued(f) => Some(f.coupon.account),
            CouponFact::CouponRevoked(f) => Some(f.coupon.account),
            CouponFact::CouponCashed(f) => Some(f.coupon.account),
            CouponFact::CouponStaked(f) => Some(f.coupon.account),
            CouponFact::CampaignStopped(_) | CouponFact::CampaignClosed(_) => None,
        },
        Fact::Chain(ChainFact::WithdrawalRequested(f)) => Some(f.withdrawal.account),
        Fact::Chain(ChainFact::SettledInside(f)) if f.vote.is_none() => Some(f.withdrawal.account),
        Fact::Stock(_) | Fact::Chain(_) | Fact::Registry(_) | Fact::Price(_) | Fact::Cell(_) => None,
    }
}
