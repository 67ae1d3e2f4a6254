//! An account: wallets, holds, own orders, request keys.
//!
//! Owns: balances (available and locked) by wallet and asset, open orders, the latest done orders and fills, request
//! keys, holds. Never does: match, price, read a clock; it never journals a hold.
//! Invariants: available and locked are never negative (the adjust account excepted); locked equals what open orders
//! and quotes explain; client order ids are unique among open orders and holds; `seq` grows by one with each fact that
//! names the account.
//! Known limits: 256 done orders and fills in memory, older ones come from the store.
//! Rules: `spec/domain.md` 0.5, 2.1, 2.11.

pub mod facts;
pub mod orders;
pub mod requests;

use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::{Applied, Command, Ctx, Decision, Entity, HoldRequest, Reply, TimeNs};
use crate::entity::{check_version, save_versioned};
use crate::ids::{AccountId, AssetId, ClientOrderId, HoldId, MarketId, OrderId, RequestKey, Wallet};
use crate::journal::Lsn;
use crate::money::{Amount, MAX_AMOUNT};
use crate::record::{Fact, Part, Posting};
use crate::reject::Reject;
use crate::spot::facts::{OrderPlaced, OrdersCanceled, QuotesSet, Trade};
use crate::spot::{MarketCommand, NewOrder, QuoteLevel, Side};
use facts::{AccountChanged, AccountStatus, GrantItem, GrantKind, Granted, Transferred};
use orders::Recent;
pub use orders::{Fill, Order};
pub use requests::{Answer, AnswerKind};
use requests::{Lookup, Requests};
use std::collections::BTreeMap;

/// How a caller names an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderName {
    /// By the exchange's id.
    Id(OrderId),
    /// By the client order id of an open order.
    Client(ClientOrderId),
}

/// What an account can be asked.
#[derive(Debug, Clone)]
pub enum AccountCommand {
    /// Place an order.
    Place(NewOrder),
    /// Cancel an order.
    Cancel(OrderName),
    /// Cancel all open orders of one market.
    CancelAll(MarketId),
    /// Set the house's ladder (the house's account only).
    Quote {
        /// Where.
        market: MarketId,
        /// All its levels.
        levels: Vec<QuoteLevel>,
        /// What the levels lock at most: base and quote.
        hold: [(AssetId, Amount); 2],
        /// Version of the parameters that were used.
        version: u32,
    },
    /// Move money between two wallets.
    Transfer {
        /// Which asset.
        asset: AssetId,
        /// Out of.
        from: Wallet,
        /// Into.
        to: Wallet,
        /// How much.
        amount: Amount,
    },
    /// Give or take money (configuration and back office only).
    Grant {
        /// Why.
        kind: GrantKind,
        /// What.
        items: Vec<GrantItem>,
    },
    /// Change level, status or flags (configuration and back office only).
    Change {
        /// VIP level.
        level: u8,
        /// Whether it may act.
        status: AccountStatus,
        /// It quotes for the house.
        house: bool,
    },
    /// What it holds.
    View,
    /// What became of a request, by key alone.
    Request(u128),
}

crate::wire_struct! {
    /// What is in one wallet of one asset.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Balance {
        /// Which wallet.
        pub wallet: Wallet,
        /// Which asset.
        pub asset: AssetId,
        /// Can be used, holds not yet taken off.
        pub available: Amount,
        /// Set aside by open orders and the like.
        pub locked: Amount,
    }
}

crate::wire_struct! {
    /// What the house's quotes lock on one market.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct QuoteLock {
        /// Which market.
        pub market: MarketId,
        /// Base asset and amount.
        pub base: (AssetId, Amount),
        /// Quote asset and amount.
        pub quote: (AssetId, Amount),
    }
}

/// Money set aside in memory.
#[derive(Debug, Clone, Copy)]
struct Hold {
    id: HoldId,
    request: HoldRequest,
    key: Option<RequestKey>,
}

/// An account as its owner may see it.
#[derive(Debug, Clone)]
pub struct AccountView {
    /// Whose.
    pub account: AccountId,
    /// Its own sequence.
    pub seq: u64,
    /// VIP level.
    pub level: u8,
    /// Whether it may act.
    pub status: AccountStatus,
    /// All wallets that ever held something; holds are taken off `available`.
    pub balances: Vec<Balance>,
    /// Open orders by id.
    pub open: Vec<Order>,
    /// The latest orders that are done, oldest first.
    pub done: Vec<Order>,
    /// The latest fills, oldest first.
    pub fills: Vec<Fill>,
}

/// What a fact changed for an account, for whoever watches it.
#[derive(Debug, Clone)]
pub struct AccountEvent {
    /// Whose.
    pub account: AccountId,
    /// The account's sequence after the fact.
    pub seq: u64,
    /// Wallets as they are now.
    pub wallets: Vec<Balance>,
    /// The order as it is now.
    pub order: Option<Order>,
    /// Fills of that order in this fact.
    pub fills: Vec<Fill>,
}

/// The state of one account.
#[derive(Debug)]
pub struct Account {
    id: AccountId,
    seq: u64,
    last: Lsn,
    level: u8,
    status: AccountStatus,
    house: bool,
    opened: bool,
    balances: Vec<Balance>,
    orders: BTreeMap<OrderId, Order>,
    quotes: Vec<QuoteLock>,
    done: Recent<Order>,
    fills: Recent<Fill>,
    requests: Requests,
    holds: Vec<Hold>,
}

impl Account {
    /// One wallet; zero when it never held anything.
    #[must_use]
    pub fn balance(&self, wallet: Wallet, asset: AssetId) -> Balance {
        match self.find(wallet, asset) {
            Ok(at) => self.balances[at],
            Err(_) => Balance { wallet, asset, available: Amount::ZERO, locked: Amount::ZERO },
        }
    }

    /// All wallets.
    #[must_use]
    pub fn balances(&self) -> &[Balance] {
        &self.balances
    }

    /// Open orders by id.
    pub fn open_orders(&self) -> impl Iterator<Item = &Order> {
        self.orders.values()
    }

    /// What the house's quotes lock.
    #[must_use]
    pub fn quote_locks(&self) -> &[QuoteLock] {
        &self.quotes
    }

    /// The account's own sequence.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    fn find(&self, wallet: Wallet, asset: AssetId) -> Result<usize, usize> {
        self.balances.binary_search_by_key(&(wallet, asset), |b| (b.wallet, b.asset))
    }

    fn held(&self, wallet: Wallet, asset: AssetId) -> Amount {
        let parts = self.holds.iter().filter(|h| h.request.wallet == wallet).flat_map(|h| h.request.parts);
        parts.filter(|(a, _)| *a == asset).map(|(_, amount)| amount).sum()
    }

    /// What can be used right now: available minus holds.
    #[must_use]
    pub fn free(&self, wallet: Wallet, asset: AssetId) -> Amount {
        self.balance(wallet, asset).available - self.held(wallet, asset)
    }

    fn view(&self) -> AccountView {
        let balances =
            self.balances.iter().map(|b| Balance { available: self.free(b.wallet, b.asset), ..*b }).collect();
        AccountView {
            account: self.id,
            seq: self.seq,
            level: self.level,
            status: self.status,
            balances,
            open: self.orders.values().copied().collect(),
            done: self.done.iter().copied().collect(),
            fills: self.fills.iter().copied().collect(),
        }
    }

    fn may_act(&self) -> Result<(), Reject> {
        match self.status {
            AccountStatus::Locked => Err(Reject::AccountLocked),
            AccountStatus::Active if self.id.is_system() => Err(Reject::NotAllowed),
            AccountStatus::Active => Ok(()),
        }
    }

    fn place(&self, order: &NewOrder) -> Result<Decision, Reject> {
        self.may_act()?;
        if self.house {
            return Err(Reject::NotAllowed);
        }
        if let Some(client_id) = order.client_id {
            let open = self.orders.values().any(|o| o.client_id == Some(client_id));
            if open || self.holds.iter().any(|h| h.request.client_id == Some(client_id)) {
                return Err(Reject::DuplicateClientOrderId);
            }
        }
        if !order.terms.amount.is_positive() || order.terms.amount > MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        let free = self.free(Wallet::Change, order.terms.asset);
        let amount = if order.terms.capped { order.terms.amount.min(free) } else { order.terms.amount };
        if amount > free || !amount.is_positive() {
            return Err(Reject::InsufficientBalance);
        }
        let resting = self.orders.values().filter(|o| o.units.market == order.market).count();
        let waiting = self.holds.iter().filter(|h| h.request.market == order.market).count();
        Ok(Decision::Ask {
            command: Command::Market(
                order.market,
                MarketCommand::Submit {
                    order: *order,
                    account: self.id,
                    level: self.level,
                    held: amount,
                    open: (resting + waiting) as u32,
                },
            ),
            hold: Some(HoldRequest {
                wallet: Wallet::Change,
                market: order.market,
                parts: [(order.terms.asset, amount), (order.terms.asset, Amount::ZERO)],
                client_id: order.client_id,
            }),
        })
    }

    fn cancel(&self, name: OrderName) -> Result<Decision, Reject> {
        let is = |o: &Order| match name {
            OrderName::Id(id) => o.order == id,
            OrderName::Client(client) => o.client_id == Some(client),
        };
        let open = match name {
            OrderName::Id(id) => self.orders.get(&id),
            OrderName::Client(_) => self.orders.values().find(|o| is(o)),
        };
        match open {
            Some(o) => Ok(self.ask_cancel(o.units.market, vec![o.order])),
            None if self.done.iter().any(is) => Err(Reject::OrderDone),
            None => Err(Reject::UnknownOrder),
        }
    }

    fn ask_cancel(&self, market: MarketId, orders: Vec<OrderId>) -> Decision {
        let command = Command::Market(market, MarketCommand::Cancel { account: self.id, orders });
        Decision::Ask { command, hold: None }
    }

    fn cancel_all(&self, market: MarketId) -> Decision {
        let here = self.orders.values().filter(|o| o.units.market == market).map(|o| o.order);
        let orders: Vec<OrderId> = here.collect();
        if orders.is_empty() { Decision::Reply(Reply::Canceled(orders)) } else { self.ask_cancel(market, orders) }
    }

    fn quote(
        &self,
        market: MarketId,
        levels: &[QuoteLevel],
        hold: [(AssetId, Amount); 2],
        version: u32,
    ) -> Result<Decision, Reject> {
        self.may_act()?;
        let affordable = hold.iter().all(|(asset, amount)| self.free(Wallet::Change, *asset) >= *amount);
        match (self.house, affordable) {
            (false, _) => Err(Reject::NotAllowed),
            (true, false) => Err(Reject::InsufficientBalance),
            (true, true) => Ok(Decision::Ask {
                command: Command::Market(
                    market,
                    MarketCommand::Quote {
                        account: self.id,
                        level: self.level,
                        levels: levels.to_vec(),
                        held: (hold[0].1, hold[1].1),
                        version,
                    },
                ),
                hold: Some(HoldRequest { wallet: Wallet::Change, market, parts: hold, client_id: None }),
            }),
        }
    }

    fn transfer(&self, asset: AssetId, from: Wallet, to: Wallet, amount: Amount) -> Result<Decision, Reject> {
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
        Ok(Decision::Fact(Fact::Transferred(Transferred { account: self.id, asset, from, to, amount })))
    }

    fn grant_money(&self, kind: GrantKind, items: &[GrantItem]) -> Result<Decision, Reject> {
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
        Ok(Decision::Fact(Fact::Granted(Granted { account: self.id, kind, items: items.to_vec() })))
    }

    fn change(&self, level: u8, status: AccountStatus, house: bool) -> Result<Decision, Reject> {
        if (level, status, house) == (self.level, self.status, self.house) {
            return Err(Reject::AlreadyExists);
        }
        Ok(Decision::Fact(Fact::AccountChanged(AccountChanged { account: self.id, level, status, house })))
    }

    /// What a request key says before the command itself is looked at.
    fn repeated(&self, key: RequestKey) -> Option<Decision> {
        match self.requests.look_up(key) {
            Lookup::Answered(answer) => Some(Decision::Reply(Reply::Known(answer))),
            Lookup::Clash => Some(Decision::Reject(Reject::RequestKeyClash)),
            Lookup::Unknown => {
                let twin = self.holds.iter().filter_map(|h| h.key).find(|k| k.key == key.key)?;
                let clash = twin.body != key.body;
                Some(Decision::Reject(if clash { Reject::RequestKeyClash } else { Reject::RequestInFlight }))
            }
        }
    }

    fn post(&mut self, p: &Posting) {
        let at = match self.find(p.wallet, p.asset) {
            Ok(at) => at,
            Err(at) => {
                let (wallet, asset) = (p.wallet, p.asset);
                self.balances.insert(at, Balance { wallet, asset, available: Amount::ZERO, locked: Amount::ZERO });
                at
            }
        };
        let b = &mut self.balances[at];
        b.available += p.available;
        b.locked += p.locked;
        let sound = self.id.may_be_negative() || !(b.available.is_negative() || b.locked.is_negative());
        assert!(sound, "account {}: {:?} would be negative after {p:?}", self.id, *b);
    }

    fn close(&mut self, order: OrderId) {
        if let Some(done) = self.orders.remove(&order) {
            self.done.push(done);
        }
    }

    fn placed(&mut self, f: &OrderPlaced, time: TimeNs) {
        for (i, t) in f.trades.iter().enumerate() {
            self.fills.push(taker_fill(f, i, t, time));
        }
        let order = Order::from_placed(f, time);
        if order.status.is_open() {
            self.orders.insert(f.order, order);
        } else {
            self.done.push(order);
        }
    }

    fn filled_as_maker(&mut self, trade: &Trade, fill: Fill) {
        if trade.maker_quote {
            let (asset, amount) = fill.units.lock(fill.side, fill.ticks, fill.lots);
            let lock = self.quote_lock(&fill.units);
            match fill.side {
                Side::Buy => lock.quote = (asset, lock.quote.1 - amount),
                Side::Sell => lock.base = (asset, lock.base.1 - amount),
            }
            return;
        }
        let order = self.orders.get_mut(&trade.maker_order).expect("the maker's order is open");
        order.fill_as_maker(trade, fill.time);
        self.fills.push(fill);
        if trade.maker_done {
            self.close(trade.maker_order);
        }
    }

    fn quote_lock(&mut self, units: &crate::spot::facts::Units) -> &mut QuoteLock {
        let at = match self.quotes.binary_search_by_key(&units.market, |q| q.market) {
            Ok(at) => at,
            Err(at) => {
                let (base, quote) = ((units.base, Amount::ZERO), (units.quote, Amount::ZERO));
                self.quotes.insert(at, QuoteLock { market: units.market, base, quote });
                at
            }
        };
        &mut self.quotes[at]
    }

    fn quotes_change(&mut self, units: &crate::spot::facts::Units, (base, quote): (Amount, Amount)) {
        let lock = self.quote_lock(units);
        lock.base.1 += base;
        lock.quote.1 += quote;
    }

    fn canceled(&mut self, f: &OrdersCanceled, i: u32, time: TimeNs) {
        let id = f.orders[i as usize].order;
        self.orders.get_mut(&id).expect("a cancelled order is open").cancel(f.reason, time);
        self.close(id);
    }

    fn prevented(&mut self, f: &OrderPlaced, i: u32, time: TimeNs) {
        let p = &f.prevented[i as usize];
        let order = self.orders.get_mut(&p.order).expect("a prevented order is open");
        order.prevent(p.lots, p.closed, time);
        if p.closed {
            self.close(p.order);
        }
    }

    fn remember(&mut self, applied: Applied<'_>, kind: AnswerKind, reference: u64) {
        if let Some(key) = applied.record.cause.request() {
            self.requests.remember(key, Answer { kind, reference, time: applied.record.time });
        }
    }

    fn apply(&mut self, applied: Applied<'_>, part: Part) {
        let time = applied.record.time;
        match (&applied.record.fact, part) {
            (Fact::OrderPlaced(f), Part::Taker) => {
                self.placed(f, time);
                self.remember(applied, AnswerKind::Placed, f.order.0);
            }
            (Fact::OrderPlaced(f), Part::Maker(i)) => {
                self.filled_as_maker(&f.trades[i as usize], maker_fill(f, i as usize, time));
            }
            (Fact::OrderPlaced(f), Part::Item(i)) => self.prevented(f, i, time),
            (Fact::OrdersCanceled(f), Part::Item(i)) => {
                self.canceled(f, i, time);
                if i == 0 {
                    self.remember(applied, AnswerKind::Canceled, f.orders[0].order.0);
                }
            }
            (Fact::QuotesSet(f), Part::Taker) => self.quotes_change(&f.units, f.lock_change()),
            (Fact::QuotesSet(f), Part::Maker(i)) => {
                self.filled_as_maker(&f.trades[i as usize].trade, quote_maker_fill(f, i as usize, time));
            }
            (Fact::MarketStateChanged(f), Part::Item(_)) => {
                let (base, quote) = f.released();
                self.quotes_change(&f.units, (-base, -quote));
            }
            (Fact::Transferred(_), Part::Decider) => self.remember(applied, AnswerKind::Done, 0),
            (Fact::Granted(f), Part::Decider) => {
                self.opened |= f.kind == GrantKind::Opening;
                self.remember(applied, AnswerKind::Done, 0);
            }
            (Fact::AccountChanged(f), Part::Decider) => {
                (self.level, self.status, self.house) = (f.level, f.status, f.house);
            }
            (Fact::OrderPlaced(_) | Fact::QuotesSet(_), Part::Fees) | (Fact::Granted(_), Part::Other) => {}
            (other, part) => unreachable!("an account is not named by {} as {part:?}", other.name()),
        }
    }

    /// What `part` of a fact that was just applied changed, for whoever watches the account.
    #[must_use]
    pub fn event(&self, applied: Applied<'_>, part: Part) -> AccountEvent {
        let mut wallets: Vec<Balance> = Vec::with_capacity(3);
        applied.record.fact.postings(part, |p| {
            let now = Balance { available: self.free(p.wallet, p.asset), ..self.balance(p.wallet, p.asset) };
            match wallets.iter_mut().find(|w| (w.wallet, w.asset) == (p.wallet, p.asset)) {
                Some(w) => *w = now,
                None => wallets.push(now),
            }
        });
        let time = applied.record.time;
        let (order, fills) = match (&applied.record.fact, part) {
            (Fact::OrderPlaced(f), Part::Taker) => {
                let fills = f.trades.iter().enumerate().map(|(i, t)| taker_fill(f, i, t, time)).collect();
                (Some(f.order), fills)
            }
            (Fact::OrderPlaced(f), Part::Maker(i)) => {
                (Some(f.trades[i as usize].maker_order), vec![maker_fill(f, i as usize, time)])
            }
            (Fact::OrderPlaced(f), Part::Item(i)) => (Some(f.prevented[i as usize].order), Vec::new()),
            (Fact::OrdersCanceled(f), Part::Item(i)) => (Some(f.orders[i as usize].order), Vec::new()),
            (Fact::QuotesSet(f), Part::Maker(i)) => {
                (Some(f.trades[i as usize].trade.maker_order), vec![quote_maker_fill(f, i as usize, time)])
            }
            _ => (None, Vec::new()),
        };
        let order = order.and_then(|id| self.order(id).copied());
        AccountEvent { account: self.id, seq: self.seq, wallets, order, fills }
    }

    /// An open order or one of the latest done ones.
    #[must_use]
    pub fn order(&self, id: OrderId) -> Option<&Order> {
        self.orders.get(&id).or_else(|| self.done.iter().rev().find(|o| o.order == id))
    }

    fn save_state(&self, out: &mut Vec<u8>) {
        self.seq.put(out);
        self.last.0.put(out);
        self.level.put(out);
        self.status.put(out);
        self.house.put(out);
        self.opened.put(out);
        self.balances.put(out);
        (self.orders.len() as u64).put(out);
        self.orders.values().for_each(|o| o.put(out));
        self.quotes.put(out);
    }
}

fn taker_fill(f: &OrderPlaced, i: usize, t: &Trade, time: TimeNs) -> Fill {
    Fill {
        trade: f.first_trade.plus(i as u64),
        order: f.order,
        units: f.units,
        side: f.side,
        ticks: t.ticks,
        lots: t.lots,
        fee: t.taker_fee,
        maker: false,
        time,
    }
}

fn maker_fill(f: &OrderPlaced, i: usize, time: TimeNs) -> Fill {
    let t = &f.trades[i];
    let side = f.side.opposite();
    Fill { order: t.maker_order, side, fee: t.maker_fee, maker: true, ..taker_fill(f, i, t, time) }
}

fn quote_maker_fill(f: &QuotesSet, i: usize, time: TimeNs) -> Fill {
    let t = &f.trades[i].trade;
    Fill {
        trade: f.first_trade.plus(i as u64),
        order: t.maker_order,
        units: f.units,
        side: f.trade_side(i).opposite(),
        ticks: t.ticks,
        lots: t.lots,
        fee: t.maker_fee,
        maker: true,
        time,
    }
}

const STATE_VERSION: u8 = 1;

impl Entity for Account {
    type Id = AccountId;
    type Command = AccountCommand;

    fn blank(id: AccountId) -> Account {
        Account {
            id,
            seq: 0,
            last: Lsn::ZERO,
            level: 0,
            status: AccountStatus::Active,
            house: false,
            opened: false,
            balances: Vec::new(),
            orders: BTreeMap::new(),
            quotes: Vec::new(),
            done: Recent::default(),
            fills: Recent::default(),
            requests: Requests::default(),
            holds: Vec::new(),
        }
    }

    fn decide(&self, command: &AccountCommand, ctx: &Ctx) -> Decision {
        if let Some(decision) = ctx.request.and_then(|key| self.repeated(key)) {
            return decision;
        }
        let decided = match command {
            AccountCommand::Place(order) => self.place(order),
            AccountCommand::Cancel(name) => self.cancel(*name),
            AccountCommand::CancelAll(market) => Ok(self.cancel_all(*market)),
            AccountCommand::Quote { market, levels, hold, version } => self.quote(*market, levels, *hold, *version),
            AccountCommand::Transfer { asset, from, to, amount } => self.transfer(*asset, *from, *to, *amount),
            AccountCommand::Grant { kind, items } => self.grant_money(*kind, items),
            AccountCommand::Change { level, status, house } => self.change(*level, *status, *house),
            AccountCommand::View => Ok(Decision::Reply(Reply::Account(Box::new(self.view())))),
            AccountCommand::Request(key) => match self.requests.by_key(*key) {
                Some(answer) => Ok(Decision::Reply(Reply::Known(answer))),
                None if self.holds.iter().any(|h| h.key.is_some_and(|k| k.key == *key)) => Err(Reject::RequestInFlight),
                None => Err(Reject::UnknownOrder),
            },
        };
        decided.unwrap_or_else(Decision::Reject)
    }

    fn evolve(&mut self, applied: Applied<'_>, part: Part) {
        if self.last != applied.lsn {
            self.last = applied.lsn;
            self.seq += 1;
        }
        applied.record.fact.postings(part, |p| self.post(&p));
        self.apply(applied, part);
    }

    fn deadline(&self) -> Option<TimeNs> {
        None
    }

    fn timer() -> Option<AccountCommand> {
        None
    }

    fn grant(&mut self, id: HoldId, request: HoldRequest, key: Option<RequestKey>) {
        self.holds.push(Hold { id, request, key });
    }

    fn release(&mut self, id: HoldId) {
        self.holds.retain(|h| h.id != id);
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(256);
        self.save_state(&mut bytes);
        hash_bytes(self.id.0, &bytes)
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.save_state(out);
            self.done.put(out);
            self.fills.put(out);
            self.requests.put(out);
        });
    }

    fn load(id: AccountId, r: &mut Reader<'_>) -> Result<Account, DecodeError> {
        check_version(r, STATE_VERSION, "account state version")?;
        Ok(Account {
            id,
            seq: Wire::get(r)?,
            last: Lsn(Wire::get(r)?),
            level: Wire::get(r)?,
            status: Wire::get(r)?,
            house: Wire::get(r)?,
            opened: Wire::get(r)?,
            balances: Wire::get(r)?,
            orders: Vec::<Order>::get(r)?.into_iter().map(|o| (o.order, o)).collect(),
            quotes: Wire::get(r)?,
            done: Wire::get(r)?,
            fills: Wire::get(r)?,
            requests: Wire::get(r)?,
            holds: Vec::new(),
        })
    }
}
