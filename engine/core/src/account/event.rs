//! Account events: the message about a fact that a watcher of an account receives.
//!
//! Owns: the event of one fact, derived from the account before and after it. Never does: change the account; send.
//! Invariants: an order that the fact ended is in the event as it ended: the account does not keep it. Known limits: a
//! watcher is told new values, not differences.

use super::leg_orders::{LegFill, LegOrder, LegOrderKeeper, each_leg_order_effect};
use super::order_effects::{OrderKeeper, each_order_effect};
use super::seconds::{OptionChange, option_change};
use super::withdrawing::{WithdrawalChange, withdrawal_change};
use super::{Account, Balance, Fill, LegTerms, OpenList, Order, OwnLeg, Ticket};
use crate::chain::facts::ChainFact;
use crate::chain::{ChainId, OutPoint};
use crate::contract::book::facts::{BookFact, PaidLeg};
use crate::contract::book::liquidation_facts::{DeleveragedLeg, LiquidationEnded, LiquidationStarted};
use crate::contract::book::order::{BookUnits, LegSide};
use crate::contract::facts::ContractFact;
use crate::copy::facts::CopyFact;
use crate::coupon::facts::CouponFact;
use crate::entity::{Applied, TimeNs};
use crate::ids::{AccountId, AssetId, MarketId, OrderId, Wallet};
use crate::market::OrderStatus;
use crate::money::{Amount, Lots, Ticks};
use crate::record::{Fact, Record, Role};
use crate::reject::Reject;
use crate::spot::facts::OrderList;
use crate::spot::prevented_matches::PreventedMatch;
use crate::stock::facts::{ActionApplied, StockFact};

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
    /// Lists that these orders are in, with all of their orders.
    pub lists: Vec<(OrderList, Vec<Order>)>,
    /// What came into wallets or left them without an order.
    pub moved: Vec<(Wallet, AssetId, Amount)>,
    /// What it did to tickets, and all tickets as they are now.
    pub tickets: Option<Box<(ContractFact, Vec<Ticket>)>>,
    /// What it did to positions and orders in contracts' books.
    pub legs: Option<Box<LegsEvent>>,
    /// What happened to a seconds option.
    pub option: Option<Box<OptionChange>>,
    /// What happened to what it copies or leads.
    pub copying: Option<Box<CopyFact>>,
    /// What happened to positions in contracts' books without an order of their owner.
    pub notice: Option<Box<LegsNotice>>,
    /// What a corporate action did to its stocks.
    pub action: Option<Box<ActionApplied>>,
    /// Coins that came to an address of its own.
    pub deposit: Option<Box<Deposit>>,
    /// What happened to a withdrawal.
    pub withdrawal: Option<Box<WithdrawalChange>>,
    /// What happened to a coupon of it.
    pub coupon: Option<Box<CouponFact>>,
}

/// Coins that came to an account's address and are credited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deposit {
    /// On which chain.
    pub chain: ChainId,
    /// Which asset.
    pub asset: AssetId,
    /// How much.
    pub amount: Amount,
    /// Where they are; none of small ones that are credited together.
    pub at: Option<OutPoint>,
}

fn action(fact: &Fact, role: Role) -> Option<Box<ActionApplied>> {
    let Fact::Stock(StockFact::ActionApplied(f)) = fact else { return None };
    (role == Role::Decider).then(|| f.clone())
}

/// What happened to an account's positions without an order of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LegsNotice {
    /// Funding was settled.
    Funding {
        /// Meaning of the numbers.
        units: BookUnits,
        /// Which position.
        leg: LegSide,
        /// What it got; what it paid is negative.
        amount: Amount,
    },
    /// A liquidation started.
    Started(LiquidationStarted),
    /// A liquidation ended.
    Ended(LiquidationEnded),
    /// A step of a liquidation closed lots of a position.
    Step {
        /// Meaning of the numbers.
        units: BookUnits,
        /// Which position.
        leg: LegSide,
        /// How much was closed in the book and against opposite positions.
        lots: Lots,
        /// The price at which nothing of its margin is left.
        bankruptcy: Ticks,
        /// What closing gained.
        result: Amount,
        /// The fee.
        fee: Amount,
    },
    /// A position was closed because an opposite one was liquidated.
    Deleveraged {
        /// Meaning of the numbers.
        units: BookUnits,
        /// Which position.
        leg: LegSide,
        /// How much was closed.
        lots: Lots,
        /// At which price.
        ticks: Ticks,
        /// What closing gained.
        result: Amount,
    },
}

/// What a fact did to an account's positions and orders in contracts' books.
#[derive(Debug, Clone)]
pub struct LegsEvent {
    /// Why, where no order is the cause.
    pub cause: LegsCause,
    /// The orders that it changed as they are now, in the order in which they changed.
    pub orders: Vec<(LegOrder, OrderChange)>,
    /// Fills in this fact.
    pub fills: Vec<LegFill>,
    /// The positions that it changed as they are now; none of what is closed.
    pub legs: Vec<(MarketId, LegSide, Option<OwnLeg>)>,
    /// Why an order that waited was refused when its price came.
    pub refused: Option<Reject>,
}

/// What positions and orders changed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegsCause {
    /// An order: taken, filled, cut, cancelled or amended.
    Order,
    /// Funding.
    Funding,
    /// Margin was moved into a position or out of it.
    Margin,
    /// The owner trades a contract by another multiple or margin mode.
    Terms(LegTerms),
    /// The owner has a long and a short position of each contract from now on, or one.
    Hedge(bool),
    /// Results became available, or were paid.
    Settled,
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

/// What of an account a fact is about to change: taken before it is delivered, so that the event can tell of what ends.
#[derive(Debug, Default)]
pub struct Before {
    orders: Vec<Order>,
    lists: Vec<OpenList>,
    leg_orders: Vec<LegOrder>,
}

/// Takes copies of the open orders that a fact changes.
struct Copies<'a>(&'a Account, Vec<Order>);

impl OrderKeeper for Copies<'_> {
    fn insert(&mut self, _: AccountId, _: OrderChange, _: Order) {}
    fn change(&mut self, _: AccountId, _: OrderChange, order: OrderId, _: impl FnOnce(&mut Order)) {
        self.1.extend(self.0.orders.get(order));
    }
    fn fill(&mut self, _: AccountId, _: Fill, _: bool) {}
    fn prevented(&mut self, _: AccountId, _: PreventedMatch) {}
    fn list(&mut self, _: AccountId, _: MarketId, _: &OrderList) {}
}

/// Takes copies of the open orders of contracts' books that a fact changes.
struct LegCopies<'a>(&'a Account, Vec<LegOrder>);

impl LegOrderKeeper for LegCopies<'_> {
    fn insert(&mut self, _: AccountId, _: LegOrder) {}
    fn change(&mut self, _: AccountId, _: OrderChange, order: OrderId, _: impl FnOnce(&mut LegOrder)) {
        let own = self.0.book_orders().iter().find(|own| own.rests.order == order);
        self.1.extend(own.map(|own| LegOrder::from_own(own)));
        let waits = self.0.conditionals().iter().find(|own| own.waits.order == order);
        self.1.extend(waits.map(LegOrder::from_conditional));
    }
    fn fill(&mut self, _: AccountId, _: LegFill) {}
}

/// Does to these what the fact does to the orders.
struct LegChanges {
    before: Vec<LegOrder>,
    orders: Vec<(LegOrder, OrderChange)>,
    fills: Vec<LegFill>,
}

impl LegOrderKeeper for LegChanges {
    fn insert(&mut self, _: AccountId, order: LegOrder) {
        let waits = order.status == OrderStatus::Waiting;
        self.orders.push((order, if waits { OrderChange::Waits } else { OrderChange::Placed }));
    }
    fn change(&mut self, _: AccountId, what: OrderChange, id: OrderId, change: impl FnOnce(&mut LegOrder)) {
        if let Some(order) = self.before.iter_mut().find(|order| order.order == id) {
            change(order);
            self.orders.push((*order, what));
        }
    }
    fn fill(&mut self, _: AccountId, fill: LegFill) {
        self.fills.push(fill);
    }
}

/// Does to the copies what the fact does to the orders.
struct Changes {
    before: Vec<Order>,
    changes: Vec<(OrderId, OrderChange)>,
    fills: Vec<Fill>,
    lists: Vec<OpenList>,
}

impl OrderKeeper for Changes {
    fn insert(&mut self, _: AccountId, what: OrderChange, order: Order) {
        self.changes.push((order.order, what));
        self.before.push(order);
    }
    fn change(&mut self, _: AccountId, what: OrderChange, id: OrderId, change: impl FnOnce(&mut Order)) {
        if let Some(order) = self.before.iter_mut().find(|o| o.order == id) {
            change(order);
            self.changes.push((id, what));
        }
    }
    fn fill(&mut self, _: AccountId, fill: Fill, quote: bool) {
        // Of the house's own quotes only what others took is told.
        if fill.maker || !quote {
            self.fills.push(fill);
        }
    }
    fn prevented(&mut self, _: AccountId, _: PreventedMatch) {}
    fn list(&mut self, _: AccountId, _: MarketId, list: &OrderList) {
        self.lists.push(OpenList { list: list.clone(), open: 0, ended: Vec::new() });
    }
}

impl Account {
    /// What `part` of a record will change of it. Before the delivery.
    #[must_use]
    pub fn before(&self, record: &Record, role: Role) -> Before {
        let mut copies = Copies(self, Vec::new());
        each_order_effect(record, self.id, role, &mut copies);
        let mut of_books = LegCopies(self, Vec::new());
        each_leg_order_effect(record, self.id, role, &mut of_books);
        Before { orders: copies.1, lists: self.cold().lists.clone(), leg_orders: of_books.1 }
    }

    /// What `part` of a record that was just delivered changed, for whoever watches the account.
    #[must_use]
    pub fn event(&self, before: Before, applied: Applied<'_>, role: Role) -> AccountEvent {
        let Applied { record, .. } = applied;
        let mut wallets: Vec<Balance> = Vec::with_capacity(3);
        record.fact.postings(role, |p| {
            let now = self.balance(p.wallet, p.asset);
            match wallets.iter_mut().find(|w| (w.wallet, w.asset) == (p.wallet, p.asset)) {
                Some(w) => *w = now,
                None => wallets.push(now),
            }
        });
        self.complete_futures(&mut wallets);
        let legs = self.legs_event(before.leg_orders, record, role);
        let mut now = Changes { before: before.orders, changes: Vec::new(), fills: Vec::new(), lists: before.lists };
        each_order_effect(record, self.id, role, &mut now);
        let Changes { before: changed, changes, fills, lists } = now;
        let changed_order = |id: OrderId| changed.iter().find(|o| o.order == id).copied();
        let orders: Vec<(Order, OrderChange)> =
            changes.iter().filter_map(|(id, what)| Some((changed_order(*id)?, *what))).collect();
        let whole = |list: &OpenList| {
            let ended = |id| list.ended.iter().find(|o| o.order == id).copied();
            let order = |id: &OrderId| changed_order(*id).or_else(|| self.order(*id)).or_else(|| ended(*id));
            list.list.orders.iter().filter_map(order).collect()
        };
        let touched = |list: &&OpenList| orders.iter().any(|(order, _)| order.list == list.list.list);
        let lists = lists.iter().filter(touched).map(|list| (list.list.clone(), whole(list))).collect();
        let mut moved: Vec<(Wallet, AssetId, Amount)> = Vec::new();
        if orders.is_empty() {
            record.fact.postings(role, |p| moved.push((p.wallet, p.asset, p.available + p.locked)));
        }
        let prevented = prevented_of(&record.fact, role, record.time);
        let tickets = match &record.fact {
            Fact::Contract(fact) if role == Role::Decider => Some(Box::new((fact.clone(), self.tickets().to_vec()))),
            Fact::Contract(_)
            | Fact::Book(_)
            | Fact::Spot(_)
            | Fact::Account(_)
            | Fact::Convert(_)
            | Fact::Seconds(_)
            | Fact::Copy(_)
            | Fact::Stock(_)
            | Fact::Chain(_)
            | Fact::Coupon(_)
            | Fact::Registry(_)
            | Fact::Price(_)
            | Fact::Cell(_) => None,
        };
        let copying = if let Fact::Copy(fact) = &record.fact { Some(Box::new(fact.clone())) } else { None };
        let option = if let Fact::Seconds(fact) = &record.fact { option_change(fact, role) } else { None };
        let coupon = if let Fact::Coupon(fact) = &record.fact { Some(Box::new(fact.clone())) } else { None };
        let withdrawal = if let Fact::Chain(fact) = &record.fact { withdrawal_change(fact, role) } else { None };
        AccountEvent {
            account: self.id,
            seq: self.seq,
            time: record.time,
            wallets,
            orders,
            fills,
            prevented,
            lists,
            moved,
            tickets,
            legs,
            option: option.map(Box::new),
            copying,
            notice: notice(&record.fact, role).map(Box::new),
            action: action(&record.fact, role),
            deposit: self.deposit(&record.fact, role).map(Box::new),
            withdrawal: withdrawal.map(Box::new),
            coupon,
        }
    }

    fn legs_event(&self, before: Vec<LegOrder>, record: &Record, role: Role) -> Option<Box<LegsEvent>> {
        let Fact::Book(fact) = &record.fact else { return None };
        let (cause, touched) = touched_legs(fact, role)?;
        let now = |contract: MarketId, side: LegSide| {
            self.legs().iter().find(|own| own.units.contract == contract && own.side == side).copied()
        };
        let legs = touched.into_iter().map(|(contract, side)| (contract, side, now(contract, side))).collect();
        let mut changes = LegChanges { before, orders: Vec::new(), fills: Vec::new() };
        each_leg_order_effect(record, self.id, role, &mut changes);
        let LegChanges { orders, fills, .. } = changes;
        let refused = if let BookFact::ConditionalsChanged(f) = fact { f.refused } else { None };
        Some(Box::new(LegsEvent { cause, orders, fills, legs, refused }))
    }

    /// What came to its own address; the exchange's accounts are told of others', too.
    fn deposit(&self, fact: &Fact, role: Role) -> Option<Deposit> {
        let (Fact::Chain(fact), Role::Item(n)) = (fact, role) else { return None };
        if let ChainFact::SmallDepositsCredited(f) = fact {
            return Some(Deposit { chain: f.chain, asset: f.asset, amount: f.amount, at: None });
        }
        if let (ChainFact::SettledInside(f), 0) = (fact, n) {
            let w = &f.withdrawal;
            return Some(Deposit { chain: f.chain, asset: w.asset, amount: w.number, at: None });
        }
        let ChainFact::BlockTaken(f) = fact else { return None };
        let credit = f.credit(role).filter(|credit| credit.owner == self.id)?;
        Some(Deposit { chain: f.chain, asset: credit.asset, amount: credit.amount, at: Some(credit.at) })
    }

    /// Users see the futures wallet and its results as one: who is told of one is told of both.
    fn complete_futures(&self, wallets: &mut Vec<Balance>) {
        for (wallet, other) in [(Wallet::Futures, Wallet::Pnl), (Wallet::Pnl, Wallet::Futures)] {
            let lacks = |w: &&Balance| w.wallet == wallet && self.find(other, w.asset).is_ok();
            let assets: Vec<AssetId> = wallets.iter().filter(lacks).map(|w| w.asset).collect();
            for asset in assets {
                if !wallets.iter().any(|w| (w.wallet, w.asset) == (other, asset)) {
                    wallets.push(self.balance(other, asset));
                }
            }
        }
    }
}

/// What a fact tells the account that it names in this role; none of what its own orders do.
fn notice(fact: &Fact, role: Role) -> Option<LegsNotice> {
    let Fact::Book(fact) = fact else { return None };
    Some(match (fact, role) {
        (BookFact::FundingPaid(f), Role::Item(i)) => {
            let PaidLeg { leg, amount, .. } = f.legs[i as usize];
            LegsNotice::Funding { units: f.units, leg, amount }
        }
        (BookFact::LiquidationStarted(f), Role::Decider) => LegsNotice::Started((**f).clone()),
        (BookFact::LiquidationEnded(f), Role::Decider) => LegsNotice::Ended((**f).clone()),
        (BookFact::LegLiquidated(f), Role::Taker) => LegsNotice::Step {
            units: f.units,
            leg: f.leg,
            lots: f.own_effects().fold(Lots::ZERO, |sum, effect| sum + effect.closed),
            bankruptcy: f.bankruptcy,
            result: f.own_effects().map(|effect| effect.result).sum(),
            fee: f.own_effects().map(|effect| effect.fee).sum(),
        },
        (BookFact::LegLiquidated(f), Role::Item(i)) => {
            let (leg, deleverage) = (f.item(i).err()?, f.deleverage.as_ref()?);
            let DeleveragedLeg { effect, .. } = leg;
            LegsNotice::Deleveraged {
                units: f.units,
                leg: effect.leg,
                lots: effect.closed,
                ticks: deleverage.ticks,
                result: effect.result,
            }
        }
        _ => return None,
    })
}

/// The prevented matches that changed the order which a fact names in this role.
fn prevented_of(fact: &Fact, role: Role, time: TimeNs) -> Vec<(u32, PreventedMatch)> {
    let Fact::Spot(fact) = fact else { return Vec::new() };
    let Some(f) = fact.placed().filter(|f| f.met_its_own()) else { return Vec::new() };
    match role {
        Role::Taker => f.prevented_matches(time).filter(|(_, m)| !m.taker_lots.is_zero()).collect(),
        Role::Item(i) => f.prevented_match(i, time).into_iter().collect(),
        Role::Decider | Role::Maker(_) | Role::Fees | Role::Other | Role::Insurance => Vec::new(),
    }
}

/// Why a fact changes positions or orders of the account that it names in this role, and which positions; none of the
/// exchange's own accounts.
fn touched_legs(fact: &BookFact, role: Role) -> Option<(LegsCause, Vec<(MarketId, LegSide)>)> {
    Some(match (fact, role) {
        (BookFact::ContractOrderPlaced(f), Role::Taker) => {
            let first = f.trades.first().map(|trade| (f.units.contract, trade.taker_effect.leg));
            (LegsCause::Order, first.into_iter().collect())
        }
        (BookFact::ContractOrderPlaced(f), Role::Maker(i)) => {
            (LegsCause::Order, vec![(f.units.contract, f.trades[i as usize].maker_effect.leg)])
        }
        (BookFact::ContractOrderPlaced(_), Role::Item(_))
        | (BookFact::ContractOrdersCanceled(_) | BookFact::ContractOrderAmended(_), Role::Taker) => {
            (LegsCause::Order, Vec::new())
        }
        (BookFact::ConditionalsChanged(_), Role::Taker | Role::Maker(_) | Role::Item(_)) => {
            let placed = fact.placed();
            let trade = |i: u32| placed.and_then(|f| Some((f.units.contract, f.trades.get(i as usize)?)));
            let leg = match role {
                Role::Taker => trade(0).map(|(contract, trade)| (contract, trade.taker_effect.leg)),
                Role::Maker(i) => trade(i).map(|(contract, trade)| (contract, trade.maker_effect.leg)),
                Role::Item(_) | Role::Decider | Role::Fees | Role::Insurance | Role::Other => None,
            };
            (LegsCause::Order, leg.into_iter().collect())
        }
        (BookFact::LegLiquidated(f), Role::Taker) => (LegsCause::Order, vec![(f.units.contract, f.leg)]),
        (BookFact::LegLiquidated(f), Role::Maker(i)) => {
            (LegsCause::Order, vec![(f.units.contract, f.trades[i as usize].maker_effect.leg)])
        }
        (BookFact::LegLiquidated(f), Role::Item(i)) => {
            let leg = f.item(i).err().map(|leg| (f.units.contract, leg.effect.leg));
            (LegsCause::Order, leg.into_iter().collect())
        }
        (BookFact::LegMarginMoved(f), Role::Taker) => (LegsCause::Margin, vec![(f.units.contract, f.leg)]),
        (BookFact::FundingPaid(f), Role::Item(i)) => {
            (LegsCause::Funding, vec![(f.units.contract, f.legs[i as usize].leg)])
        }
        (BookFact::LegTermsSet(f), Role::Decider) => {
            let (contract, multiple, mode) = (f.contract, f.multiple, f.mode);
            (LegsCause::Terms(LegTerms { contract, multiple, mode }), Vec::new())
        }
        (BookFact::PositionModeSet(f), Role::Decider) => (LegsCause::Hedge(f.hedge), Vec::new()),
        (BookFact::ResultsSettled(_), Role::Decider) => (LegsCause::Settled, Vec::new()),
        _ => return None,
    })
}
