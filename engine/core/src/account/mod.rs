//! An account: wallets, holds, own orders, request keys.
//!
//! Owns: balances (available and locked) by wallet and asset, open orders, the lock table, request keys, holds. Never
//! does: match, price, read a clock; journal a hold; keep orders that are done or fills: whoever wants them follows the
//! journal (`order_effects.rs`).
//! Invariants: available and locked are never negative (the adjust account excepted); locked equals what open orders
//! and the lock table explain; client order ids are unique among open orders and holds; `seq` grows by one with each fact
//! that names the account; two hashes cover all that was ever done and filled.
//! Known limits: it cannot tell an order that is done from one that never was.
//! Rules: `docs/rules/accounts.md`; `docs/rules/spot.md "Locks"`.

mod apply;
mod cold_state;
pub mod contract;
pub mod convert;
pub mod copying;
pub mod coupons;
mod decide;
mod event;
pub mod facts;
pub mod histories;
pub mod leg_orders;
pub mod locks;
mod old_state;
pub mod open_orders;
pub mod order_effects;
pub mod orders;
mod packed;
pub mod recent;
pub mod request_keys;
pub mod seconds;
pub mod spot;
pub mod stock;
pub mod verification;
pub mod withdrawing;

use crate::board::Board;
use crate::chain::{ChainId, WithdrawalRequest};
use crate::codec::{DecodeError, Reader, Wire, WordHash};
use crate::coupon::Coupon;
use crate::entity::{
    Alarm, Applied, CommandClass, Ctx, Deadline, Decision, Entity, HoldRequest, LivePrices, Reply, View,
};
use crate::entity::{check_version, save_versioned};
use crate::ids::{AccountId, AssetId, HoldId, MarketId, OrderId, RequestKey, Wallet};
use crate::journal::Lsn;
use crate::money::Amount;
use crate::record::{Posting, Role};
use crate::region::Country;
use crate::reject::Reject;
use crate::seconds::{SecondsOption, get_old_options};
use crate::spot::facts::OrderList;
use cold_state::{ColdState, OpenList};
use contract::Tickets;
pub use contract::conditionals::OwnConditional;
use contract::legs::Legs;
pub use contract::legs::{LegCommand, LegTerms, LegsView, OwnLeg, OwnOrder};
use contract::liquidation::Cases;
pub use contract::needs::{Owner, closing, order_terms, worst_of};
pub use contract::{OpenTicket, Ticket, TicketCommand};
use convert::Conversions;
pub use convert::{Conversion, ConvertCommand};
pub use copying::{CopyCommand, OwnCopying, OwnFollow};
pub use coupons::CouponCommand;
use coupons::hash_coupons;
pub use event::{AccountEvent, Before, Deposit, LegsCause, LegsEvent, LegsNotice, OrderChange};
use facts::{AccountStatus, GrantItem, GrantKind};
use locks::Lock;
use open_orders::OpenOrders;
pub use orders::{Fill, Order};
use seconds::hash_options;
pub use seconds::{EnterOption, OptionChange, SecondsCommand};
pub use spot::{OrderName, SpotCommand};
pub use stock::StockCommand;
use stock::hash_actions;
pub use verification::Tier;
pub use withdrawing::{WithdrawalChange, WithdrawalStep};

/// A property of an account; each is set by itself, so that who sets one undoes nothing that happened to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// VIP level.
    Vip(u8),
    /// Whether it may act.
    Status(AccountStatus),
    /// Whether it quotes for the house.
    House(bool),
}

/// What an account can be asked.
#[derive(Debug, Clone)]
pub enum AccountCommand {
    /// About spot orders.
    Spot(SpotCommand),
    /// About tickets.
    Tickets(TicketCommand),
    /// About orders and positions in contracts' books.
    Legs(LegCommand),
    /// About conversion.
    Convert(ConvertCommand),
    /// About seconds options.
    Seconds(SecondsCommand),
    /// About copy trading.
    Copy(CopyCommand),
    /// About corporate actions of stocks.
    Stock(StockCommand),
    /// About coupons.
    Coupon(CouponCommand),
    /// Let coins leave over a chain.
    Withdraw {
        /// Which chain.
        chain: ChainId,
        /// What, and where to.
        wanted: Box<WithdrawalRequest>,
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
    /// Set one property (configuration and back office only).
    Set(Property),
    /// Set how well its owner is known (configuration and back office only).
    SetTier {
        /// How well.
        tier: Tier,
        /// The office's case, 0 without one.
        case: u64,
        /// Who decided.
        by: Vec<String>,
        /// Where its owner lives; none: as before.
        country: Option<Country>,
    },
    /// What it holds and has open.
    View,
    /// One open order and the list that it is in: a view of them alone.
    ViewOrder(OrderId),
    /// What became of a request, by key alone.
    Request(u128),
    /// A deadline passed: the first order of a list is filled, request keys are old, a night is over, a deficit waits.
    Timer,
    /// A price was reached at which one of its positions may end.
    Alarm,
    /// The insurance sets money apart for a contract's liquidations (the contract asks for it).
    SetQuota(MarketId),
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

/// A question on its way: what it sets aside and the key of the request behind it, in memory only.
// An allocator has places of a power of two at hand: others cost it several times as much, and this one comes and goes with each
// question.
#[derive(Debug, Clone, Copy)]
#[repr(align(256))]
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
    /// The last record that named it: what it did besides is in the histories up to there.
    pub last: Lsn,
    /// VIP level.
    pub level: u8,
    /// Whether it may act.
    pub status: AccountStatus,
    /// How well its owner is known.
    pub tier: Tier,
    /// Where its owner lives.
    pub country: Country,
    /// All wallets that ever held something; what is held for a decision still to come is in `available`.
    pub balances: Vec<Balance>,
    /// Open orders by id, those that wait among them.
    pub open: Vec<Order>,
    /// Lists that these are in.
    pub lists: Vec<OrderList>,
    /// Orders of these lists that ended.
    pub ended: Vec<Order>,
    /// Tickets, by number: those that are open, and those that wait.
    pub tickets: Vec<Ticket>,
    /// Positions and orders in contracts' books, once it had one or chose how to trade.
    pub legs: Option<Box<LegsView>>,
    /// Open seconds options, in the order in which they were opened.
    pub options: Vec<SecondsOption>,
    /// Whom it follows and what of its tickets are copies, once it followed or was a trader.
    pub copying: Option<Box<OwnCopying>>,
    /// Coupons that it did not use; expired ones may be among them.
    pub coupons: Vec<Coupon>,
    /// Those whose stake the house of seconds options has, and by which no option is open.
    pub bonuses: Vec<Coupon>,
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
    /// Covers all orders that were ever done, in their order.
    done_hash: u64,
    /// Covers all fills that ever were, in their order.
    fills_hash: u64,
    cold: Option<Box<ColdState>>,
    /// Once it had a leg, or chose how to trade one. Beside the cold state: most accounts with a position have nothing of that.
    legs: Option<Box<Legs>>,
    holds: Vec<Hold>,
}

impl Account {
    /// Whose it is.
    #[must_use]
    pub fn id(&self) -> AccountId {
        self.id
    }

    /// Whether it may act.
    #[must_use]
    pub fn status(&self) -> AccountStatus {
        self.status
    }

    /// One wallet; zero when it never held anything.
    #[must_use]
    pub fn balance(&self, wallet: Wallet, asset: AssetId) -> Balance {
        match self.find(wallet, asset) {
            Ok(at) => self.balances[at],
            Err(_) => Balance { wallet, asset, available: Amount::ZERO, locked: Amount::ZERO },
        }
    }

    /// What one wallet has available.
    #[inline]
    fn available(&self, wallet: Wallet, asset: AssetId) -> Amount {
        self.find(wallet, asset).map_or(Amount::ZERO, |at| self.balances[at].available)
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

    /// One of its open orders.
    #[must_use]
    pub fn order(&self, id: OrderId) -> Option<Order> {
        self.orders.get(id).copied()
    }

    /// What is locked besides by open orders.
    #[must_use]
    pub fn locks(&self) -> &[Lock] {
        self.cold().locks.all()
    }

    /// The account's own sequence.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    fn cold(&self) -> &ColdState {
        self.cold.as_deref().unwrap_or(ColdState::NOTHING)
    }

    fn cold_mut(&mut self) -> &mut ColdState {
        self.cold.get_or_insert_default()
    }

    fn find(&self, wallet: Wallet, asset: AssetId) -> Result<usize, usize> {
        // One number to compare: this is asked for every posting.
        let place = |wallet: Wallet, asset: AssetId| (wallet as u64) << 32 | u64::from(asset.0);
        let wanted = place(wallet, asset);
        self.balances.binary_search_by_key(&wanted, |b| place(b.wallet, b.asset))
    }

    #[inline]
    fn held(&self, wallet: Wallet, asset: AssetId) -> Amount {
        if self.holds.is_empty() {
            return Amount::ZERO;
        }
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
        self.available(wallet, asset) - self.held(wallet, asset)
    }

    /// Questions of its own that are on their way to somebody else's decision.
    #[must_use]
    pub fn asking(&self) -> usize {
        self.holds.len()
    }

    /// A fact names it.
    #[inline]
    fn count(&mut self, applied: Applied<'_>) {
        if self.last != applied.lsn {
            self.last = applied.lsn;
            self.seq += 1;
        }
    }
}

/// About as many as a line of the cache has room for.
const BALANCES_A_LINE: usize = 64_usize.div_ceil(size_of::<Balance>());

const STATE_VERSION: u8 = 17;

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
        "set",
        "view",
        "request",
        "place_group",
        "amend",
        "view_order",
        "timer",
        "activate",
        "open_ticket",
        "close_ticket",
        "close_tickets",
        "alarm",
        "cancel_ticket",
        "set_stops",
        "place_in_book",
        "cancel_in_book",
        "cancel_all_in_book",
        "amend_in_book",
        "set_terms",
        "set_hedge",
        "move_margin",
        "quote_in_book",
        "set_quota",
        "place_conditional",
        "fire",
        "cancel_conditionals",
        "countdown",
        "quote_conversion",
        "convert",
        "list_dust",
        "convert_dust",
        "set_conversion",
        "enter_option",
        "set_trader",
        "follow",
        "unfollow",
        "detach_copy",
        "open_copy",
        "close_copy",
        "release_copies",
        "settle_share",
        "apply_action",
        "withdraw",
        "set_tier",
        "fund_campaign",
        "receive_coupon",
        "use_coupon",
        "revoke_coupon",
    ];

    fn message(command: &AccountCommand) -> usize {
        match command {
            AccountCommand::Spot(SpotCommand::Place(_)) => 0,
            AccountCommand::Spot(SpotCommand::Cancel(_)) => 1,
            AccountCommand::Spot(SpotCommand::CancelAll(_)) => 2,
            AccountCommand::Spot(SpotCommand::Quote { .. }) => 3,
            AccountCommand::Transfer { .. } => 4,
            AccountCommand::Grant { .. } => 5,
            AccountCommand::Set(_) => 6,
            AccountCommand::View => 7,
            AccountCommand::Request(_) => 8,
            AccountCommand::Spot(SpotCommand::PlaceGroup(_)) => 9,
            AccountCommand::Spot(SpotCommand::Amend { .. }) => 10,
            AccountCommand::ViewOrder(_) => 11,
            AccountCommand::Timer => 12,
            AccountCommand::Spot(SpotCommand::Activate { .. }) => 13,
            AccountCommand::Tickets(TicketCommand::Open(_)) => 14,
            AccountCommand::Tickets(TicketCommand::Close(_)) => 15,
            AccountCommand::Tickets(TicketCommand::CloseAll { .. }) => 16,
            AccountCommand::Alarm => 17,
            AccountCommand::Tickets(TicketCommand::Cancel(_)) => 18,
            AccountCommand::Tickets(TicketCommand::SetStops { .. }) => 19,
            AccountCommand::Legs(LegCommand::Place(_)) => 20,
            AccountCommand::Legs(LegCommand::Cancel(_)) => 21,
            AccountCommand::Legs(LegCommand::CancelAll(_)) => 22,
            AccountCommand::Legs(LegCommand::Amend { .. }) => 23,
            AccountCommand::Legs(LegCommand::SetTerms { .. }) => 24,
            AccountCommand::Legs(LegCommand::SetHedge(_)) => 25,
            AccountCommand::Legs(LegCommand::MoveMargin { .. }) => 26,
            AccountCommand::Legs(LegCommand::Quote(_)) => 27,
            AccountCommand::SetQuota(_) => 28,
            AccountCommand::Legs(LegCommand::PlaceConditional(_)) => 29,
            AccountCommand::Legs(LegCommand::Fire(_)) => 30,
            AccountCommand::Legs(LegCommand::CancelConditionals(_)) => 31,
            AccountCommand::Legs(LegCommand::Countdown { .. }) => 32,
            AccountCommand::Convert(ConvertCommand::Quote { .. }) => 33,
            AccountCommand::Convert(ConvertCommand::Convert(_)) => 34,
            AccountCommand::Convert(ConvertCommand::ListDust) => 35,
            AccountCommand::Convert(ConvertCommand::Dust { .. }) => 36,
            AccountCommand::Convert(ConvertCommand::SetParams(_)) => 37,
            AccountCommand::Seconds(SecondsCommand::Enter(_)) => 38,
            AccountCommand::Copy(CopyCommand::SetTrader(_)) => 39,
            AccountCommand::Copy(CopyCommand::Follow { .. }) => 40,
            AccountCommand::Copy(CopyCommand::Unfollow { .. }) => 41,
            AccountCommand::Copy(CopyCommand::Detach(_)) => 42,
            AccountCommand::Copy(CopyCommand::Open(_)) => 43,
            AccountCommand::Copy(CopyCommand::Close { .. }) => 44,
            AccountCommand::Copy(CopyCommand::Release { .. }) => 45,
            AccountCommand::Copy(CopyCommand::Settle { .. }) => 46,
            AccountCommand::Stock(StockCommand::Apply { .. }) => 47,
            AccountCommand::Withdraw { .. } => 48,
            AccountCommand::SetTier { .. } => 49,
            AccountCommand::Coupon(CouponCommand::Fund { .. }) => 50,
            AccountCommand::Coupon(CouponCommand::Receive { .. }) => 51,
            AccountCommand::Coupon(CouponCommand::Use(_)) => 52,
            AccountCommand::Coupon(CouponCommand::Revoke { .. }) => 53,
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
            done_hash: 0,
            fills_hash: 0,
            cold: None,
            legs: None,
            holds: Vec::new(),
        }
    }

    fn decide(&self, command: &AccountCommand, ctx: &Ctx<'_>) -> Decision {
        if let Some(key) = ctx.request {
            if let Some(decision) = self.repeated(key) {
                return decision;
            }
            if self.has_no_room(Self::class(command), ctx) {
                return Decision::Reply(Reply::Busy);
            }
        }
        if let Err(reject) = self.check_offered(command, ctx.board) {
            return Decision::Reject(reject);
        }
        let decided = match command {
            AccountCommand::Spot(command) => self.decide_spot(command, ctx.board),
            AccountCommand::Tickets(command) => self.decide_tickets(command, ctx),
            AccountCommand::Legs(command) => self.decide_legs(command, ctx),
            AccountCommand::Convert(command) => self.decide_convert(command, ctx),
            AccountCommand::Seconds(command) => self.decide_seconds(command, ctx),
            AccountCommand::Copy(command) => self.decide_copying(command, ctx),
            AccountCommand::Stock(command) => self.decide_stock(command),
            AccountCommand::Coupon(command) => self.decide_coupons(command, ctx),
            AccountCommand::Withdraw { chain, wanted } => self.withdraw(*chain, wanted),
            AccountCommand::Alarm => Ok(self.at_alarm(ctx)),
            AccountCommand::SetQuota(contract) => self.set_quota(*contract, ctx),
            AccountCommand::Transfer { asset, from, to, amount } => self.transfer(*asset, (*from, *to), *amount, ctx),
            AccountCommand::Grant { kind, items } => self.grant_money(*kind, items),
            AccountCommand::Set(property) => self.set(*property, ctx.origin),
            AccountCommand::SetTier { tier, case, by, country } => self.set_tier((*tier, *country), *case, by),
            AccountCommand::View => Ok(Decision::Reply(Reply::View(View::Account(Box::new(self.view()))))),
            AccountCommand::ViewOrder(order) => {
                Ok(Decision::Reply(Reply::View(View::Account(Box::new(self.view_order(*order))))))
            }
            AccountCommand::Request(key) => match self.cold().requests.by_key(*key) {
                Some(answer) => Ok(Decision::Reply(Reply::Known(answer.clone()))),
                None if self.holds.iter().any(|h| h.key.is_some_and(|k| k.key == *key)) => Err(Reject::RequestInFlight),
                None => Err(Reject::UnknownRequest),
            },
            AccountCommand::Timer => {
                // What an order brings may wait for a closed market, so it comes last.
                let decided = self.forget(ctx.now).or_else(|| self.night(ctx)).or_else(|| self.cover());
                let decided = decided.or_else(|| self.liquidate(ctx)).or_else(|| self.settle_results());
                Ok(decided.or_else(|| self.due(ctx.now)).unwrap_or(Decision::Nothing))
            }
        };
        decided.unwrap_or_else(Decision::Reject)
    }

    fn evolve(&mut self, applied: Applied<'_>, role: Role) {
        self.count(applied);
        applied.record.fact.postings(role, |p| self.post(&p));
        self.apply(applied, role);
    }

    fn evolve_checked(&mut self, applied: Applied<'_>, role: Role, movements: &[Posting]) {
        self.count(applied);
        movements.iter().for_each(|p| self.post(p));
        self.apply(applied, role);
    }

    /// Locks, and that they come off.
    fn is_for_staff(command: &AccountCommand) -> bool {
        matches!(command, AccountCommand::Set(Property::Status(_)))
    }

    fn class(command: &AccountCommand) -> CommandClass {
        match command {
            AccountCommand::Spot(command) => command.class(),
            AccountCommand::Tickets(command) => command.class(),
            AccountCommand::Legs(command) => command.class(),
            AccountCommand::Convert(command) => command.class(),
            AccountCommand::Copy(command) => command.class(),
            AccountCommand::Coupon(command) => command.class(),
            AccountCommand::View | AccountCommand::ViewOrder(_) | AccountCommand::Request(_) => CommandClass::ReadOnly,
            // A busy exchange keeps nobody from it.
            AccountCommand::Set(Property::Status(AccountStatus::Locked)) => CommandClass::Releases,
            AccountCommand::Transfer { .. }
            | AccountCommand::Grant { .. }
            | AccountCommand::Set(_)
            | AccountCommand::SetTier { .. }
            | AccountCommand::Withdraw { .. }
            | AccountCommand::Seconds(_) => CommandClass::Consumes,
            AccountCommand::Timer | AccountCommand::Alarm | AccountCommand::SetQuota(_) | AccountCommand::Stock(_) => {
                CommandClass::Releases
            }
        }
    }

    #[inline]
    fn deadline(&self) -> Option<Deadline> {
        if self.unsettled().is_some() {
            return Some(Deadline::Elapsed(0));
        }
        let cold = self.cold.as_ref()?;
        if !cold.due.is_empty() || self.has_deficits() || !self.open_cases().is_empty() {
            return Some(Deadline::Elapsed(0));
        }
        let (look, night) = (cold.requests.look_at(self.id.0), self.next_midnight());
        // Whichever is first; the other one is registered when that has run.
        match (look, night) {
            (Some(look), Some(night)) if look < night => Some(Deadline::Elapsed(look)),
            (_, Some(night)) => Some(Deadline::Calendar(night)),
            (look, None) => look.map(Deadline::Elapsed),
        }
    }

    // Forgetting request keys can wait; the turn of what an order brings, and a liquidation, cannot.
    fn settles(&self) -> bool {
        self.cold().due.is_empty() && self.open_cases().is_empty()
    }

    fn timer() -> Option<AccountCommand> {
        Some(AccountCommand::Timer)
    }

    fn has_alarms(&self) -> bool {
        self.legs.is_some() || self.cold.as_ref().is_some_and(|cold| cold.tickets.is_some())
    }

    fn alarms(&self, board: &Board, alarm: &mut impl FnMut(Alarm)) {
        self.tell_alarms(board, alarm);
    }

    fn alarm() -> Option<AccountCommand> {
        Some(AccountCommand::Alarm)
    }

    fn publish(&self, board: &mut Board) -> Option<LivePrices> {
        // Of all accounts one shows something.
        if self.id == AccountId::CONVERT_HOUSE {
            self.publish_conversion(board);
        }
        None
    }

    fn place_hold(&mut self, id: HoldId, request: Option<HoldRequest>, key: Option<RequestKey>) {
        if self.holds.capacity() == 0 {
            // Nearly always it asks one thing at a time; memory that is made costs less than memory that grows from nothing.
            self.holds = Vec::with_capacity(1);
        }
        self.holds.push(Hold { id, request, key });
    }

    fn release_hold(&mut self, id: HoldId) {
        self.holds.retain(|h| h.id != id);
        if self.holds.is_empty() {
            // As much memory as the rest of an account, of which few ask at the same time.
            self.holds = Vec::new();
        }
    }

    fn prefetch_hints(&self, tell: &mut impl FnMut(*const u8)) {
        self.balances.iter().step_by(BALANCES_A_LINE).for_each(|b| tell(std::ptr::from_ref(b).cast()));
        self.cold.iter().for_each(|cold| tell(std::ptr::from_ref::<ColdState>(cold).cast()));
        self.legs.iter().for_each(|legs| tell(std::ptr::from_ref::<Legs>(legs).cast()));
        self.orders.prefetch_hints(tell);
    }

    fn digest(&self) -> u64 {
        let flags = u64::from(self.level) << 16 | (self.status as u64) << 8;
        let flags = flags | u64::from(self.house) << 1 | u64::from(self.opened) | (self.tier() as u64) << 24;
        let h = WordHash::new(self.id.0).pair(self.seq, self.last.0).word(flags);
        let h = self
            .balances
            .iter()
            .fold(h, |h, b| h.word(u64::from(b.asset.0) << 8 | b.wallet as u64).wide(b.available.0).wide(b.locked.0));
        let country = self.country();
        // Most have none: nothing is hashed for it.
        let h = if country.is_known() { h.word(country.number().into()) } else { h };
        let h = self.cold().locks.hash(h);
        let h = self.cold().lists.iter().flat_map(|l| &l.list.orders).fold(h, |h, order| h.word(order.0));
        let h = self.cold().due.iter().fold(h, |h, list| h.word(list.0));
        let h = self.cold().tickets.iter().fold(h, |h, tickets| tickets.hash(h));
        let h = self.legs.iter().fold(h, |h, legs| legs.hash(h));
        let h = self.cold().cases.iter().fold(h, |h, cases| cases.hash(h));
        let h = self.cold().conversions.iter().fold(h, |h, conversions| conversions.hash(h));
        let h = hash_options(&self.cold().options, h);
        let h = self.cold().copying.iter().fold(h, |h, copying| copying.hash(h));
        let h = hash_actions(&self.cold().actions, h);
        let h = hash_coupons(0, &self.cold().coupons, h);
        let h = hash_coupons(1, &self.cold().bonuses, h);
        h.pair(self.orders.digest(), self.done_hash).pair(self.fills_hash, self.cold().requests.digest()).end()
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.seq.put(out);
            self.last.0.put(out);
            self.level.put(out);
            self.status.put(out);
            self.house.put(out);
            self.opened.put(out);
            self.balances.put(out);
            self.orders.put(out);
            self.done_hash.put(out);
            self.fills_hash.put(out);
            let ColdState { locks, requests, lists, due, tickets, cases, .. } = self.cold();
            let ColdState { conversions, options, copying, actions, tier, country, coupons, bonuses, .. } = self.cold();
            let legs = &self.legs;
            locks.put(out);
            requests.put(out);
            lists.put(out);
            due.put(out);
            out.push(u8::from(tickets.is_some()));
            tickets.iter().for_each(|tickets| tickets.put(out));
            out.push(u8::from(legs.is_some()));
            legs.iter().for_each(|legs| legs.put(out));
            cases.as_deref().cloned().put(out);
            legs.iter().for_each(|legs| legs.put_conditionals(out));
            conversions.as_deref().cloned().put(out);
            options.put(out);
            copying.as_deref().cloned().put(out);
            actions.put(out);
            tier.put(out);
            coupons.put(out);
            bonuses.put(out);
            country.put(out);
        });
    }

    fn load(id: AccountId, r: &mut Reader<'_>) -> Result<Account, DecodeError> {
        let version = check_version(r, STATE_VERSION, "account state version")?;
        let (seq, last, level, status) = (Wire::get(r)?, Lsn(Wire::get(r)?), Wire::get(r)?, Wire::get(r)?);
        let (house, opened, balances) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
        let (orders, [done_hash, fills_hash], mut cold, legs) = if version < 5 {
            let (orders, hashes, cold) = old_state::load(version, r)?;
            (orders, hashes, cold, None)
        } else {
            let (orders, hashes) = (Wire::get(r)?, [Wire::get(r)?, Wire::get(r)?]);
            let (locks, requests, lists, due) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
            let tickets = if version > 5 { Option::<Tickets>::get(r)?.map(Box::new) } else { None };
            let legs = if version > 6 { Option::<Legs>::get(r)?.map(Box::new) } else { None };
            let cases = if version > 7 { Option::<Cases>::get(r)?.map(Box::new) } else { None };
            let mut legs = legs;
            if let (Some(legs), true) = (&mut legs, version > 8) {
                legs.get_conditionals(r)?;
            }
            let conversions = if version > 9 { Option::<Conversions>::get(r)?.map(Box::new) } else { None };
            let options = match version {
                ..=10 => Vec::new(),
                11..=15 => get_old_options(r)?,
                _ => Wire::get(r)?,
            };
            let copying = if version > 11 { Option::<OwnCopying>::get(r)?.map(Box::new) } else { None };
            let actions = if version > 12 { Wire::get(r)? } else { Vec::new() };
            let tier = if version > 13 { Wire::get(r)? } else { Tier::Unverified };
            let coupons = if version > 14 { Wire::get(r)? } else { Vec::new() };
            let bonuses = if version > 15 { Wire::get(r)? } else { Vec::new() };
            let country = if version > 16 { Wire::get(r)? } else { Country::UNKNOWN };
            let base = ColdState { locks, requests, lists, due, tickets, cases, ..ColdState::default() };
            let cold = ColdState { conversions, options, copying, actions, tier, country, coupons, bonuses, ..base };
            (orders, hashes, cold, legs)
        };
        for list in &mut cold.lists {
            list.open = list.list.orders.iter().filter(|id| orders.get(**id).is_some()).count();
        }
        cold.lists.retain(|list| list.open > 0);
        let cold = (!cold.is_empty()).then(|| Box::new(cold));
        let holds = Vec::new();
        Ok(Account {
            id,
            seq,
            last,
            level,
            status,
            house,
            opened,
            balances,
            orders,
            done_hash,
            fills_hash,
            cold,
            legs,
            holds,
        })
    }
}
