//! An account: wallets, holds, own orders, request keys.
//!
//! Owns: balances (available and locked) by wallet and asset, open orders, the latest done orders and fills, request
//! keys, holds. Never does: match, price, read a clock; it never journals a hold.
//! Invariants: available and locked are never negative (the adjust account excepted); locked equals what open orders
//! and quotes explain; client order ids are unique among open orders and holds; `seq` grows by one with each fact that
//! names the account.
//! Known limits: 256 done orders and fills in memory, older ones come from the store.
//! Rules: `spec/domain.md` 0.5, 2.1, 2.11.

mod apply;
mod decide;
pub mod facts;
mod old_orders;
pub mod open_orders;
pub mod orders;
mod packed;
pub mod recent;
pub mod requests;
pub mod spot;

use crate::codec::{DecodeError, Reader, Wire, WordHash};
use crate::entity::{Applied, CommandClass, Ctx, Deadline, Decision, Entity, HoldRequest, Reply, TimeNs};
use crate::entity::{check_version, save_versioned};
use crate::ids::{AccountId, AssetId, HoldId, MarketId, OrderId, RequestKey, Wallet};
use crate::journal::Lsn;
use crate::money::Amount;
use crate::record::Part;
use crate::reject::Reject;
use crate::spot::facts::OrderList;
use crate::spot::old_forms::OrderListV1;
use crate::spot::prevention::PreventedMatch;
pub use apply::LISTS;
use facts::{AccountStatus, GrantItem, GrantKind};
use old_orders::{OrderV1, OrderV2};
use open_orders::OpenOrders;
pub use orders::{Fill, Order};
use recent::Recent;
pub use requests::Answer;
use requests::Requests;
pub use spot::{OrderName, SpotCommand};

/// What an account can be asked.
#[derive(Debug, Clone)]
pub enum AccountCommand {
    /// About spot orders.
    Spot(SpotCommand),
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
    /// What it holds and has open; with `latest`, its latest done orders and fills too.
    View {
        /// Wants them.
        latest: bool,
    },
    /// One order and its fills, of those that it remembers: a view of them alone.
    Look(OrderId),
    /// What became of a request, by key alone.
    Request(u128),
    /// A deadline passed: the first order of a list is filled, or request keys are old.
    Timer,
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

/// A question on its way: what it sets aside and the key of the request behind it, in memory only.
#[derive(Debug, Clone, Copy)]
struct Hold {
    id: HoldId,
    request: Option<HoldRequest>,
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
    /// All wallets that ever held something; what is held for a decision still to come is in `available`.
    pub balances: Vec<Balance>,
    /// Open orders by id, those that wait among them.
    pub open: Vec<Order>,
    /// Lists that these are in, and the latest ones before.
    pub lists: Vec<OrderList>,
    /// The latest orders that are done, oldest first.
    pub done: Vec<Order>,
    /// The latest fills, oldest first.
    pub fills: Vec<Fill>,
    /// The latest matches of its orders with each other that were prevented, oldest first.
    pub prevented: Vec<PreventedMatch>,
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
    /// When.
    pub time: TimeNs,
    /// The orders that it changed as they are now, in the order in which they changed.
    pub orders: Vec<(Order, OrderChange)>,
    /// Fills in this fact; all are of one order.
    pub fills: Vec<Fill>,
    /// Matches of this order with another one of the account that were prevented, each with how many of the fills came before.
    pub prevented: Vec<(u32, PreventedMatch)>,
    /// Lists that these orders are in, with all of their orders that are remembered.
    pub lists: Vec<(OrderList, Vec<Order>)>,
    /// What came into wallets or left them without an order.
    pub moved: Vec<(Wallet, AssetId, Amount)>,
}

/// What a fact did to an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderChange {
    /// It was taken, or its turn in its list came, and it met what it met.
    Placed,
    /// It was taken, or its turn in its list came, and it waits for its price.
    Waits,
    /// It was taken, and is placed once the first order of its list is filled.
    Pending,
    /// Its price came, and it met what it met.
    Triggered,
    /// It was filled as maker.
    Filled,
    /// Self-trade prevention took some of it, or ended it.
    Prevented,
    /// It became smaller.
    Amended,
    /// It left.
    Gone,
}

/// What most facts do not touch: apart, so that the rest of an account stays in four lines of the cache.
#[derive(Debug, Default)]
struct Rare {
    quotes: Vec<QuoteLock>,
    requests: Requests,
    /// The latest lists by age, those with an open order among them.
    lists: Vec<OrderList>,
    /// The latest prevented matches, oldest first.
    prevented: Vec<PreventedMatch>,
    /// Lists whose pending orders are to be placed, in the order in which their first orders were filled.
    due: Vec<OrderId>,
}

impl Rare {
    const NOTHING: &Rare = &Rare {
        quotes: Vec::new(),
        requests: Requests::NONE,
        lists: Vec::new(),
        prevented: Vec::new(),
        due: Vec::new(),
    };

    fn is_empty(&self) -> bool {
        let Rare { quotes, requests, lists, prevented, due } = self;
        quotes.is_empty() && requests.is_empty() && lists.is_empty() && prevented.is_empty() && due.is_empty()
    }
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
    orders: OpenOrders,
    done: Recent<Order>,
    fills: Recent<Fill>,
    rare: Option<Box<Rare>>,
    holds: Vec<Hold>,
}

impl Account {
    /// Whose it is.
    #[must_use]
    pub fn id(&self) -> AccountId {
        self.id
    }

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
        &self.rare().quotes
    }

    /// The account's own sequence.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    fn rare(&self) -> &Rare {
        self.rare.as_deref().unwrap_or(Rare::NOTHING)
    }

    fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    fn find(&self, wallet: Wallet, asset: AssetId) -> Result<usize, usize> {
        // One number to compare: this is asked for every posting.
        let place = |wallet: Wallet, asset: AssetId| (wallet as u64) << 32 | u64::from(asset.0);
        let wanted = place(wallet, asset);
        self.balances.binary_search_by_key(&wanted, |b| place(b.wallet, b.asset))
    }

    fn held(&self, wallet: Wallet, asset: AssetId) -> Amount {
        let parts = self.held_parts().flat_map(|h| h.parts);
        parts.filter(|(w, a, _)| (*w, *a) == (wallet, asset)).map(|(_, _, amount)| amount).sum()
    }

    /// What is set aside for questions on their way.
    fn held_parts(&self) -> impl Iterator<Item = &HoldRequest> {
        self.holds.iter().filter_map(|h| h.request.as_ref())
    }

    /// What can be used right now: available minus holds.
    #[must_use]
    pub fn free(&self, wallet: Wallet, asset: AssetId) -> Amount {
        self.balance(wallet, asset).available - self.held(wallet, asset)
    }

    /// Questions of its own that are on their way to somebody else's decision.
    #[must_use]
    pub fn asking(&self) -> usize {
        self.holds.len()
    }

    fn save_state(&self, out: &mut Vec<u8>) {
        self.seq.put(out);
        self.last.0.put(out);
        self.level.put(out);
        self.status.put(out);
        self.house.put(out);
        self.opened.put(out);
        self.balances.put(out);
        self.orders.put(out);
        self.rare().quotes.put(out);
    }
}

/// Open orders in an earlier form.
fn open_orders<F: Wire + Into<Order>>(r: &mut Reader<'_>) -> Result<OpenOrders, DecodeError> {
    Ok(OpenOrders::from(Vec::<F>::get(r)?.into_iter().map(F::into).collect::<Vec<Order>>()))
}

/// About as many as a line of the cache has room for.
const BALANCES_A_LINE: usize = 64_usize.div_ceil(size_of::<Balance>());

const STATE_VERSION: u8 = 4;

impl Entity for Account {
    type Id = AccountId;
    type Command = AccountCommand;

    const NAME: &'static str = "account";
    const MESSAGES: &'static [&'static str] = &[
        "place",
        "cancel",
        "cancel_all",
        "quote",
        "transfer",
        "grant",
        "change",
        "view",
        "request",
        "arrange",
        "amend",
        "look",
        "timer",
        "activate",
    ];

    fn message(command: &AccountCommand) -> usize {
        match command {
            AccountCommand::Spot(SpotCommand::Place(_)) => 0,
            AccountCommand::Spot(SpotCommand::Cancel(_)) => 1,
            AccountCommand::Spot(SpotCommand::CancelAll(_)) => 2,
            AccountCommand::Spot(SpotCommand::Quote { .. }) => 3,
            AccountCommand::Transfer { .. } => 4,
            AccountCommand::Grant { .. } => 5,
            AccountCommand::Change { .. } => 6,
            AccountCommand::View { .. } => 7,
            AccountCommand::Request(_) => 8,
            AccountCommand::Spot(SpotCommand::Arrange(_)) => 9,
            AccountCommand::Spot(SpotCommand::Amend { .. }) => 10,
            AccountCommand::Look(_) => 11,
            AccountCommand::Timer => 12,
            AccountCommand::Spot(SpotCommand::Activate { .. }) => 13,
        }
    }

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
            orders: OpenOrders::default(),
            done: Recent::default(),
            fills: Recent::default(),
            rare: None,
            holds: Vec::new(),
        }
    }

    fn decide(&self, command: &AccountCommand, ctx: &Ctx) -> Decision {
        if let Some(key) = ctx.request {
            if let Some(decision) = self.repeated(key) {
                return decision;
            }
            if self.has_no_room(Self::class(command), ctx) {
                return Decision::Reply(Reply::Busy);
            }
        }
        let decided = match command {
            AccountCommand::Spot(command) => self.decide_spot(command),
            AccountCommand::Transfer { asset, from, to, amount } => self.transfer(*asset, *from, *to, *amount),
            AccountCommand::Grant { kind, items } => self.grant_money(*kind, items),
            AccountCommand::Change { level, status, house } => self.change(*level, *status, *house),
            AccountCommand::View { latest } => Ok(Decision::Reply(Reply::Account(Box::new(self.view(*latest))))),
            AccountCommand::Look(order) => Ok(Decision::Reply(Reply::Account(Box::new(self.look(*order))))),
            AccountCommand::Request(key) => match self.rare().requests.by_key(*key) {
                Some(answer) => Ok(Decision::Reply(Reply::Known(answer.clone()))),
                None if self.holds.iter().any(|h| h.key.is_some_and(|k| k.key == *key)) => Err(Reject::RequestInFlight),
                None => Err(Reject::UnknownRequest),
            },
            AccountCommand::Timer => {
                Ok(self.forget(ctx.now).or_else(|| self.due(ctx.now)).unwrap_or(Decision::Nothing))
            }
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

    fn class(command: &AccountCommand) -> CommandClass {
        match command {
            AccountCommand::Spot(command) => command.class(),
            AccountCommand::View { .. } | AccountCommand::Look(_) | AccountCommand::Request(_) => CommandClass::Reads,
            AccountCommand::Transfer { .. } | AccountCommand::Grant { .. } | AccountCommand::Change { .. } => {
                CommandClass::Takes
            }
            AccountCommand::Timer => CommandClass::Frees,
        }
    }

    #[inline]
    fn deadline(&self) -> Option<Deadline> {
        let rare = self.rare.as_ref()?;
        match rare.due.is_empty() {
            true => rare.requests.look_at(self.id.0).map(Deadline::Elapsed),
            false => Some(Deadline::Elapsed(0)),
        }
    }

    fn timer() -> Option<AccountCommand> {
        Some(AccountCommand::Timer)
    }

    fn grant(&mut self, id: HoldId, request: Option<HoldRequest>, key: Option<RequestKey>) {
        self.holds.push(Hold { id, request, key });
    }

    fn release(&mut self, id: HoldId) {
        self.holds.retain(|h| h.id != id);
    }

    fn places(&self, tell: &mut impl FnMut(*const u8)) {
        self.balances.iter().step_by(BALANCES_A_LINE).for_each(|b| tell(std::ptr::from_ref(b).cast()));
        self.rare.iter().for_each(|rare| tell(std::ptr::from_ref::<Rare>(rare).cast()));
        self.orders.places(tell);
        tell(self.done.end());
        tell(self.fills.end());
    }

    fn digest(&self) -> u64 {
        let flags = u64::from(self.level) << 16 | (self.status as u64) << 8;
        let flags = flags | u64::from(self.house) << 1 | u64::from(self.opened);
        let h = WordHash::new(self.id.0).pair(self.seq, self.last.0).word(flags);
        let h = self
            .balances
            .iter()
            .fold(h, |h, b| h.word(u64::from(b.asset.0) << 8 | b.wallet as u64).wide(b.available.0).wide(b.locked.0));
        let h = self.rare().quotes.iter().fold(h, |h, q| {
            let [base, quote] = [q.base, q.quote];
            let assets = u64::from(base.0.0) << 32 | u64::from(quote.0.0);
            h.pair(u64::from(q.market.0), assets).wide(base.1.0).wide(quote.1.0)
        });
        let h = self.rare().lists.iter().flat_map(|l| &l.orders).fold(h, |h, order| h.word(order.0));
        let h = self.rare().prevented.iter().fold(h, |h, prevented| h.word(prevented.id.0));
        let h = self.rare().due.iter().fold(h, |h, list| h.word(list.0));
        h.pair(self.orders.digest(), self.done.digest()).pair(self.fills.digest(), self.rare().requests.digest()).end()
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.save_state(out);
            self.done.put(out);
            self.fills.put(out);
            self.rare().requests.put(out);
            self.rare().lists.put(out);
            self.rare().prevented.put(out);
            self.rare().due.put(out);
        });
    }

    fn load(id: AccountId, r: &mut Reader<'_>) -> Result<Account, DecodeError> {
        let version = check_version(r, STATE_VERSION, "account state version")?;
        let (seq, last, level, status) = (Wire::get(r)?, Lsn(Wire::get(r)?), Wire::get(r)?, Wire::get(r)?);
        let (house, opened, balances) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
        let orders = match version {
            1 => open_orders::<OrderV1>(r)?,
            2 => open_orders::<OrderV2>(r)?,
            _ => <OpenOrders as Wire>::get(r)?,
        };
        let quotes = Wire::get(r)?;
        let done = match version {
            1 => Recent::get_as::<OrderV1>(r)?,
            2 => Recent::get_as::<OrderV2>(r)?,
            _ => Recent::get(r)?,
        };
        let (fills, requests) = (Wire::get(r)?, Wire::get(r)?);
        let lists = match version {
            1 => Vec::new(),
            2 | 3 => Vec::<OrderListV1>::get(r)?.into_iter().map(OrderList::from).collect(),
            _ => Wire::get(r)?,
        };
        let prevented = if version > 2 { Wire::get(r)? } else { Vec::new() };
        let due = if version > 3 { Wire::get(r)? } else { Vec::new() };
        let rare = Rare { quotes, requests, lists, prevented, due };
        let rare = (!rare.is_empty()).then(|| Box::new(rare));
        let holds = Vec::new();
        Ok(Account { id, seq, last, level, status, house, opened, balances, orders, done, fills, rare, holds })
    }
}
