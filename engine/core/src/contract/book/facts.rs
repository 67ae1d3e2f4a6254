//! Facts of contracts' books: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: every number that is needed to apply a fact is in it; what parties gain and
//! lose is the clearing account's other side.
//! Rules: `docs/rules/contracts.md "Book orders"`. Known limits: none.

use super::conditional_facts::ConditionalsChanged;
use super::countdown::CountdownSet;
use super::effect::Effect;
use super::liquidation_facts::{LegLiquidated, LegLiquidatedV1, LiquidationEnded, LiquidationStarted, QuotaSet};
use super::order::{BookOrder, BookUnits, LegSide};
use super::params::BookParams;
use super::placed_form::{ConditionalsChangedV1, ContractOrderPlacedV1};
use super::quoting::BookQuotesSet;
use crate::contract::facts::MarginMode;
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AccountId, AssetId, ClientOrderId, EntityId, MarketId, OrderId, TradeId, UpdateId, Wallet};
use crate::market::{EndReason, OrderKind, OrderStatus, Side, Stp, Tif};
use crate::money::{Amount, Lots, Ticks};
use crate::record::{FactBody, LogType, Posting, Role};
use crate::spot::OrderAck;

crate::wire_struct! {
    /// A contract has a book.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BookListed {
        /// Its parameters.
        pub params: BookParams,
    }
}

crate::wire_struct! {
    /// A contract's book has other parameters.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BookParamsChanged {
        /// All of them.
        pub params: BookParams,
    }
}

crate::wire_struct! {
    /// Two orders of a contract met, at the maker's price.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BookTrade {
        /// The order that rested.
        pub maker_order: OrderId,
        /// Its owner.
        pub maker: AccountId,
        /// Price.
        pub ticks: Ticks,
        /// Quantity.
        pub lots: Lots,
        /// What it does to the maker.
        pub maker_effect: Effect,
        /// What it does to the taker.
        pub taker_effect: Effect,
    }
}

crate::wire_enum! {
    /// Why a resting order became smaller or left in somebody's decision.
    pub enum CutReason {
        /// The position that it was to close became smaller.
        LegShrank = 1,
        /// Its owner could not pay for its fill.
        Unpaid = 2,
        /// Its owner's other order met it.
        SelfTrade = 3,
    }
}

crate::wire_struct! {
    /// A resting order that became smaller, or left.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OrderCut {
        /// The order.
        pub order: OrderId,
        /// Its owner.
        pub account: AccountId,
        /// Its side.
        pub side: Side,
        /// Its price.
        pub ticks: Ticks,
        /// How much it lost, and how much of that was to open.
        pub lots: Lots,
        /// See there.
        pub opens: Lots,
        /// Whose money it may lose.
        pub mode: MarginMode,
        /// What it sets aside no more.
        pub unlocked: Amount,
        /// It left.
        pub gone: bool,
        /// Why.
        pub reason: CutReason,
    }
}

/// An order of a contract's book was taken: its trades and what became of the rest, in one decision.
/// Its byte forms are in `placed_form.rs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractOrderPlaced {
    /// Meaning of the numbers.
    pub units: BookUnits,
    /// The order, as it rests: open is what rests, locked what that sets aside.
    pub order: BookOrder,
    /// Limit or market.
    pub kind: OrderKind,
    /// How long it lives.
    pub tif: Tif,
    /// What happens when it meets its owner's own order.
    pub stp: Stp,
    /// It only closes.
    pub reduce_only: bool,
    /// Quantity asked for.
    pub lots: Lots,
    /// How much of it was to open when it was taken.
    pub opens: Lots,
    /// Fee rate of later fills as maker, in parts per million.
    pub maker_ppm: u32,
    /// The bot's own name for it.
    pub client_id: Option<ClientOrderId>,
    /// The contract's funding index, up to which the parties' positions are settled.
    pub index: Amount,
    /// Id of the first trade; the others follow.
    pub first_trade: TradeId,
    /// Trades in the order in which they happened.
    pub trades: Vec<BookTrade>,
    /// Resting orders that became smaller or left.
    pub cuts: Vec<OrderCut>,
    /// State of the order after this.
    pub status: OrderStatus,
    /// Why a remainder does not rest.
    pub reason: EndReason,
    /// State of the book after this.
    pub update: UpdateId,
}

crate::wire_struct! {
    /// Orders of one account left a contract's book unfilled.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ContractOrdersCanceled {
        /// Meaning of the numbers.
        pub units: BookUnits,
        /// Whose.
        pub account: AccountId,
        /// Which ones, as they rested.
        pub orders: Vec<BookOrder>,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

crate::wire_struct! {
    /// An order of a contract's book became smaller and kept its place.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ContractOrderAmended {
        /// Meaning of the numbers.
        pub units: BookUnits,
        /// Whose.
        pub account: AccountId,
        /// What it lost.
        pub cut: OrderCut,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

crate::wire_struct! {
    /// An account trades a contract by other terms.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LegTermsSet {
        /// Whose.
        pub account: AccountId,
        /// Which contract.
        pub contract: MarketId,
        /// The multiple.
        pub multiple: u16,
        /// Whose money its positions may lose.
        pub mode: MarginMode,
    }
}

crate::wire_struct! {
    /// An account has one position a contract, or a long and a short one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PositionModeSet {
        /// Whose.
        pub account: AccountId,
        /// Two positions.
        pub hedge: bool,
    }
}

crate::wire_struct! {
    /// Margin was put into an isolated position, or taken out of it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LegMarginMoved {
        /// Meaning of the numbers.
        pub units: BookUnits,
        /// Whose.
        pub account: AccountId,
        /// Which position.
        pub leg: LegSide,
        /// How much; taken out when negative.
        pub amount: Amount,
    }
}

crate::wire_struct! {
    /// Results of cross positions became available, or were paid out of what is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ResultsSettled {
        /// Whose.
        pub account: AccountId,
        /// Of which asset.
        pub settle: AssetId,
        /// What was in the results wallet.
        pub results: Amount,
        /// What its owner could not pay: the house's loss.
        pub deficit: Amount,
    }
}

crate::wire_enum! {
    /// Why a period of funding has its rate.
    pub enum FundingReason {
        /// By its premium.
        Regular = 1,
        /// None: there was no mark that could be relied on.
        NoMark = 2,
    }
}

crate::wire_struct! {
    /// A period of funding is over: every leg owes what the index moved.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FundingSet {
        /// Meaning of the numbers.
        pub units: BookUnits,
        /// When the period was over.
        pub due: u64,
        /// Its rate, in 1e-8.
        pub rate: Amount,
        /// The mark.
        pub mark: Amount,
        /// What a long lot pays.
        pub per_lot: Amount,
        /// What a long lot has paid since the beginning.
        pub index: Amount,
        /// Why.
        pub reason: FundingReason,
    }
}

crate::wire_struct! {
    /// A leg that paid funding, or got it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PaidLeg {
        /// Whose.
        pub account: AccountId,
        /// Which of its positions.
        pub leg: LegSide,
        /// Whose money it may lose.
        pub mode: MarginMode,
        /// How much of it there is.
        pub lots: Lots,
        /// What it got; what it paid is negative.
        pub amount: Amount,
    }
}

crate::wire_struct! {
    /// Legs paid funding, or got it: some of all, in order.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FundingPaid {
        /// Meaning of the numbers.
        pub units: BookUnits,
        /// The funding index up to which they are settled.
        pub index: Amount,
        /// Which.
        pub legs: Vec<PaidLeg>,
        /// Who is next.
        pub next: Option<(AccountId, LegSide)>,
    }
}

impl FactBody for FundingSet {}

impl FactBody for FundingPaid {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        for (i, paid) in (0..).zip(&self.legs) {
            tell(EntityId::Account(paid.account), Role::Item(i));
        }
        if !self.legs.is_empty() {
            tell(EntityId::Account(AccountId::CLEARING), Role::Other);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let row = |account| posting(account, self.units.settle, LogType::FUNDING, self.units.contract.0.into());
        match role {
            Role::Item(i) => {
                let paid = &self.legs[i as usize];
                post(match paid.mode {
                    MarginMode::Isolated => Posting { locked: paid.amount, ..row(paid.account) },
                    MarginMode::Cross => Posting { wallet: Wallet::Pnl, available: paid.amount, ..row(paid.account) },
                });
            }
            Role::Other => {
                let all: Amount = self.legs.iter().map(|paid| paid.amount).sum();
                post(Posting { available: -all, ..row(AccountId::CLEARING) });
            }
            Role::Decider | Role::Taker | Role::Maker(_) | Role::Fees | Role::Insurance => {}
        }
    }
}

pub(super) fn posting(account: AccountId, asset: AssetId, log: LogType, reference: u64) -> Posting {
    let (available, locked) = (Amount::ZERO, Amount::ZERO);
    Posting { account, wallet: Wallet::Futures, asset, log, available, locked, reference }
}

/// What comes free of an order's lock.
pub(super) fn unlock(
    account: AccountId,
    units: &BookUnits,
    order: OrderId,
    amount: Amount,
    post: &mut impl FnMut(Posting),
) {
    if !amount.is_zero() {
        let row = posting(account, units.settle, LogType::LEVER_MARGIN, order.0);
        post(Posting { available: amount, locked: -amount, ..row });
    }
}

impl FactBody for BookListed {}
impl FactBody for BookParamsChanged {}
impl FactBody for LegTermsSet {}
impl FactBody for PositionModeSet {}

impl ContractOrderPlaced {
    /// Quantity that was filled.
    #[must_use]
    pub fn filled(&self) -> Lots {
        self.trades.iter().fold(Lots::ZERO, |sum, t| sum + t.lots)
    }

    /// What was exchanged.
    #[must_use]
    pub fn spent(&self) -> Amount {
        // Of one tick and lot once, and not of each trade.
        let ticks: i128 = self.trades.iter().map(|t| i128::from(t.ticks.0) * i128::from(t.lots.0)).sum();
        if ticks == 0 { Amount::ZERO } else { Amount(ticks * self.units.value(Ticks(1), Lots(1)).0) }
    }

    /// All effects, with whose they are.
    pub fn effects(&self) -> impl Iterator<Item = (AccountId, &Effect)> {
        let taker = self.order.account;
        self.trades.iter().flat_map(move |t| [(t.maker, &t.maker_effect), (taker, &t.taker_effect)])
    }

    /// What one of the exchange's own accounts gets of all trades. Apart from the others' rows: most roles have none of it.
    #[inline(never)]
    fn exchanges(&self, role: Role) -> Posting {
        let sum = |of: fn(&Effect) -> Amount| {
            self.trades.iter().map(|t| of(&t.maker_effect) + of(&t.taker_effect)).sum::<Amount>()
        };
        let (account, log, available) = match role {
            Role::Fees => (AccountId::FEE, LogType::FEE_INCOME, sum(|e| e.fee - e.insurance)),
            Role::Insurance => (AccountId::INSURANCE, LogType::FEE_INCOME, sum(|e| e.insurance)),
            Role::Other | Role::Decider | Role::Taker | Role::Maker(_) | Role::Item(_) => {
                (AccountId::CLEARING, LogType::LEVER_CLOSE, -sum(Effect::cleared))
            }
        };
        Posting { available, ..posting(account, self.units.settle, log, self.order.order.0) }
    }
}

impl FactBody for ContractOrderPlaced {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        for (i, t) in (0..).zip(&self.trades) {
            tell(EntityId::Account(t.maker), Role::Maker(i));
        }
        for (i, cut) in (0..).zip(&self.cuts) {
            tell(EntityId::Account(cut.account), Role::Item(i));
        }
        tell(EntityId::Account(self.order.account), Role::Taker);
        if !self.trades.is_empty() {
            tell(EntityId::Account(AccountId::FEE), Role::Fees);
            tell(EntityId::Account(AccountId::INSURANCE), Role::Insurance);
            tell(EntityId::Account(AccountId::CLEARING), Role::Other);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let u = &self.units;
        match role {
            Role::Maker(i) => {
                let t = &self.trades[i as usize];
                t.maker_effect.postings(t.maker, u, t.maker_order.0, post);
            }
            Role::Item(i) => {
                let cut = &self.cuts[i as usize];
                unlock(cut.account, u, cut.order, cut.unlocked, post);
            }
            Role::Taker => {
                for t in &self.trades {
                    t.taker_effect.postings(self.order.account, u, self.order.order.0, post);
                }
                unlock(self.order.account, u, self.order.order, -self.order.locked, post);
            }
            Role::Fees | Role::Insurance | Role::Other => post(self.exchanges(role)),
            Role::Decider => {}
        }
    }

    fn reply(&self, time: TimeNs) -> Reply {
        let (order, status) = (self.order.order, self.status);
        let ack = OrderAck { order, status, filled: self.filled(), spent: self.spent(), time };
        Reply::Accepted(Accepted::Placed(ack))
    }
}

impl FactBody for ContractOrdersCanceled {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.account), Role::Taker);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role == Role::Taker {
            self.orders.iter().for_each(|o| unlock(self.account, &self.units, o.order, o.locked, post));
        }
    }

    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Canceled(self.orders.iter().map(|o| o.order).collect()))
    }
}

impl FactBody for ContractOrderAmended {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.account), Role::Taker);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role == Role::Taker {
            unlock(self.account, &self.units, self.cut.order, self.cut.unlocked, post);
        }
    }
}

impl FactBody for LegMarginMoved {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.account), Role::Taker);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role == Role::Taker {
            let row = posting(self.account, self.units.settle, LogType::LEVER_MARGIN, self.units.contract.0.into());
            post(Posting { available: -self.amount, locked: self.amount, ..row });
        }
    }
}

impl FactBody for ResultsSettled {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        if !self.deficit.is_zero() {
            tell(EntityId::Account(AccountId::LEVER_HOUSE), Role::Other);
            tell(EntityId::Account(AccountId::INSURANCE), Role::Insurance);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let row = |account| posting(account, self.settle, LogType::LEVER_CLOSE, 0);
        match role {
            Role::Decider => {
                post(Posting { available: -self.results, wallet: Wallet::Pnl, ..row(self.account) });
                post(Posting { available: self.results + self.deficit, ..row(self.account) });
            }
            Role::Other => post(Posting { available: -self.deficit, ..row(AccountId::LEVER_HOUSE) }),
            Role::Taker | Role::Maker(_) | Role::Item(_) | Role::Fees | Role::Insurance => {}
        }
    }
}

impl BookFact {
    /// The order that it takes into a book, if it does.
    #[must_use]
    pub fn placed(&self) -> Option<&ContractOrderPlaced> {
        match self {
            BookFact::ContractOrderPlaced(f) => Some(f),
            BookFact::ConditionalsChanged(f) => f.placed.as_ref(),
            BookFact::BookListed(_)
            | BookFact::BookParamsChanged(_)
            | BookFact::ContractOrdersCanceled(_)
            | BookFact::ContractOrderAmended(_)
            | BookFact::LegTermsSet(_)
            | BookFact::PositionModeSet(_)
            | BookFact::LegMarginMoved(_)
            | BookFact::FundingSet(_)
            | BookFact::FundingPaid(_)
            | BookFact::ResultsSettled(_)
            | BookFact::LiquidationStarted(_)
            | BookFact::LegLiquidated(_)
            | BookFact::LiquidationEnded(_)
            | BookFact::QuotaSet(_)
            | BookFact::CountdownSet(_)
            | BookFact::BookQuotesSet(_) => None,
        }
    }
}

crate::record::product_facts! {
    /// Facts of contracts' books.
    Book(BookFact) {
        /// A contract has a book.
        BookListed = 60 v 1,
        /// A contract's book has other parameters.
        BookParamsChanged = 61 v 1,
        /// An order was taken, with its trades.
        ContractOrderPlaced = 62 v 2 (1: ContractOrderPlacedV1),
        /// Orders left the book unfilled.
        ContractOrdersCanceled = 63 v 1,
        /// An order became smaller.
        ContractOrderAmended = 64 v 1,
        /// An account trades a contract by other terms.
        LegTermsSet = 65 v 1,
        /// An account has one position a contract, or two.
        PositionModeSet = 66 v 1,
        /// Margin was put into an isolated position, or taken out.
        LegMarginMoved = 67 v 1,
        /// A period of funding is over.
        FundingSet = 68 v 1,
        /// Legs paid funding, or got it.
        FundingPaid = 69 v 1,
        /// Results became available, or were paid.
        ResultsSettled = 70 v 1,
        /// A scope of an account is at its end.
        LiquidationStarted = 71 v 1,
        /// A step of a liquidation.
        LegLiquidated = 72 v 2 (1: LegLiquidatedV1),
        /// A scope is above its end again, or empty.
        LiquidationEnded = 75 v 1,
        /// The insurance set money apart.
        QuotaSet = 76 v 1,
        /// Orders wait for a price, or wait no more.
        ConditionalsChanged = 77 v 2 (1: ConditionalsChangedV1),
        /// A countdown began anew, or ended.
        CountdownSet = 78 v 1,
        /// The house's quotes.
        BookQuotesSet = 79 v 1,
    }
}
