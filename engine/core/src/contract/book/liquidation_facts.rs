//! Facts of liquidations in contracts' books: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: every number that is needed to apply a fact is in it; a step names its owner,
//! makers, those whose legs are deleveraged, the insurance, fees and clearing, and nobody else; what the insurance gives was
//! set apart for it.
//! Rules: `docs/rules/contracts.md "Liquidation of legs"`, "Deleveraging". Known limits: none.

use super::effect::Effect;
use super::facts::{BookTrade, OrderCut, posting, unlock};
use super::order::{BookUnits, LegSide};
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::ids::{AccountId, AssetId, EntityId, MarketId, OrderId, TradeId, UpdateId, Wallet};
use crate::money::{Amount, Lots, Ticks};
use crate::record::{FactBody, LogType, Posting, Role};

crate::wire_struct! {
    /// What is liquidated together.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Scope {
        /// What it is paid in.
        pub settle: AssetId,
        /// An isolated position; all that is in the pool without one.
        pub leg: Option<(MarketId, LegSide)>,
    }
}

crate::wire_struct! {
    /// A contract's prices, as an account saw them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SeenPrice {
        /// Which contract.
        pub contract: MarketId,
        /// Its mark.
        pub mark: Amount,
        /// Its index.
        pub index: Amount,
        /// They are fresh; otherwise nothing is closed there.
        pub fresh: bool,
    }
}

crate::wire_struct! {
    /// What a scope is worth, and the prices that make it so.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ScopeWorth {
        /// Prices of the contracts in it.
        pub prices: Vec<SeenPrice>,
        /// Equity, rounded.
        pub equity: Amount,
        /// What must stay, rounded.
        pub maintenance: Amount,
    }
}

crate::wire_struct! {
    /// A scope is at its end: it takes nothing new, and is closed step by step.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LiquidationStarted {
        /// Whose.
        pub account: AccountId,
        /// Number of the case among those of the account, from 1.
        pub case: u32,
        /// What of its.
        pub scope: Scope,
        /// What it was worth.
        pub worth: ScopeWorth,
    }
}

crate::wire_struct! {
    /// A scope is above its end again, or empty.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LiquidationEnded {
        /// Whose.
        pub account: AccountId,
        /// Number of the case.
        pub case: u32,
        /// What of its.
        pub scope: Scope,
        /// Steps that were taken in books.
        pub steps: u32,
        /// What it was worth.
        pub worth: ScopeWorth,
    }
}

crate::wire_struct! {
    /// A position that was closed because an opposite one was liquidated.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DeleveragedLeg {
        /// Whose.
        pub account: AccountId,
        /// What it does to the position.
        pub effect: Effect,
    }
}

crate::wire_struct! {
    /// What of a step the book did not take.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Deleverage {
        /// The price: that at which nothing is left of the owner's.
        pub ticks: Ticks,
        /// What it does to the owner.
        pub owner: Effect,
        /// Opposite positions by rank.
        pub legs: Vec<DeleveragedLeg>,
    }
}

crate::wire_struct! {
    /// A step of a liquidation: lots of a position were closed in the book, the rest against opposite positions.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LegLiquidated {
        /// Meaning of the numbers.
        pub units: BookUnits,
        /// Whose.
        pub account: AccountId,
        /// Which position.
        pub leg: LegSide,
        /// Whose money it may lose.
        pub mode: MarginMode,
        /// Number of the case, and of the step in it.
        pub case: u32,
        /// See there.
        pub step: u32,
        /// The mark.
        pub mark: Amount,
        /// How much was to be closed.
        pub lots: Lots,
        /// What the position may lose: of an isolated one against its cost, of a cross one against the mark.
        pub margin: Amount,
        /// The price at which that is used up.
        pub bankruptcy: Ticks,
        /// The worst price of its order.
        pub worst: Ticks,
        /// The contract's funding index, up to which the parties' positions are settled.
        pub index: Amount,
        /// Id of the first trade; the others follow.
        pub first_trade: TradeId,
        /// Trades in the order in which they happened.
        pub trades: Vec<BookTrade>,
        /// What the insurance gives for trades beyond bankruptcy.
        pub insured: Amount,
        /// What the book did not take.
        pub deleverage: Option<Deleverage>,
        /// Resting orders that became smaller or left.
        pub cuts: Vec<OrderCut>,
        /// State of the book after this.
        pub update: UpdateId,
        /// Id of the order that closes; those of the positions that are deleveraged follow. Of records before them none.
        pub order: OrderId,
    }
}

crate::wire_struct! {
    /// [`LegLiquidated`] as version 1 had it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LegLiquidatedV1 {
        /// Meaning of the numbers.
        pub units: BookUnits,
        /// Whose.
        pub account: AccountId,
        /// Which position.
        pub leg: LegSide,
        /// Whose money it may lose.
        pub mode: MarginMode,
        /// Number of the case, and of the step in it.
        pub case: u32,
        /// See there.
        pub step: u32,
        /// The mark.
        pub mark: Amount,
        /// How much was to be closed.
        pub lots: Lots,
        /// What the position may lose: of an isolated one against its cost, of a cross one against the mark.
        pub margin: Amount,
        /// The price at which that is used up.
        pub bankruptcy: Ticks,
        /// The worst price of its order.
        pub worst: Ticks,
        /// The contract's funding index, up to which the parties' positions are settled.
        pub index: Amount,
        /// Id of the first trade; the others follow.
        pub first_trade: TradeId,
        /// Trades in the order in which they happened.
        pub trades: Vec<BookTrade>,
        /// What the insurance gives for trades beyond bankruptcy.
        pub insured: Amount,
        /// What the book did not take.
        pub deleverage: Option<Deleverage>,
        /// Resting orders that became smaller or left.
        pub cuts: Vec<OrderCut>,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

impl From<LegLiquidatedV1> for LegLiquidated {
    fn from(old: LegLiquidatedV1) -> Self {
        let LegLiquidatedV1 {
            units,
            account,
            leg,
            mode,
            case,
            step,
            mark,
            lots,
            margin,
            bankruptcy,
            worst,
            index,
            first_trade,
            trades,
            insured,
            deleverage,
            cuts,
            update,
        } = old;
        LegLiquidated {
            units,
            account,
            leg,
            mode,
            case,
            step,
            mark,
            lots,
            margin,
            bankruptcy,
            worst,
            index,
            first_trade,
            trades,
            insured,
            deleverage,
            cuts,
            update,
            order: OrderId(0),
        }
    }
}

crate::wire_struct! {
    /// The insurance set money apart for a contract's liquidations.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct QuotaSet {
        /// Which contract.
        pub contract: MarketId,
        /// In what.
        pub settle: AssetId,
        /// What was set apart, and what is.
        pub before: Amount,
        /// See there.
        pub quota: Amount,
    }
}

impl FactBody for LiquidationStarted {}
impl FactBody for LiquidationEnded {}

impl FactBody for QuotaSet {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Contract(self.contract), Role::Item(0));
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role == Role::Decider && self.quota != self.before {
            let (reference, more) = (u64::from(self.contract.0), self.quota - self.before);
            let row = posting(AccountId::INSURANCE, self.settle, LogType::LIQUIDATION, reference);
            post(Posting { available: -more, locked: more, ..row });
        }
    }
}

impl LegLiquidated {
    /// All effects, with whose they are.
    pub fn effects(&self) -> impl Iterator<Item = (AccountId, &Effect)> {
        let owner = self.account;
        let trades = self.trades.iter().flat_map(move |t| [(t.maker, &t.maker_effect), (owner, &t.taker_effect)]);
        let own = self.deleverage.iter().map(move |d| (owner, &d.owner));
        trades.chain(own).chain(self.deleveraged().iter().map(|leg| (leg.account, &leg.effect)))
    }

    /// What it does to the position itself. The owner's opposite one may be among those that were deleveraged.
    pub fn own_effects(&self) -> impl Iterator<Item = &Effect> {
        let own = self.effects().filter(|(account, effect)| *account == self.account && effect.leg == self.leg);
        own.map(|(_, effect)| effect)
    }

    /// Opposite positions that were closed.
    #[must_use]
    pub fn deleveraged(&self) -> &[DeleveragedLeg] {
        self.deleverage.as_ref().map_or(&[], |deleverage| &deleverage.legs)
    }

    /// How many orders it is for those whose positions were closed: the owner's, and one of each that was deleveraged.
    #[must_use]
    pub fn orders(&self) -> u64 {
        if self.order == OrderId(0) { 0 } else { 1 + self.deleveraged().len() as u64 }
    }

    /// Trade ids that it takes: behind those of its trades one of the owner's deleveraging, and one of each position that was
    /// deleveraged.
    #[must_use]
    pub fn trade_ids(&self) -> u64 {
        let behind = if self.deleverage.is_some() { self.orders() } else { 0 };
        self.trades.len() as u64 + behind
    }

    /// Whether a trade is at a price beyond bankruptcy: the insurance paid for it.
    #[must_use]
    pub fn is_insured(&self, trade: &BookTrade) -> bool {
        match trade.taker_effect.direction {
            Direction::Short => trade.ticks < self.bankruptcy,
            Direction::Long => trade.ticks > self.bankruptcy,
        }
    }

    /// The n-th of those that items name: a cut, or behind them a position that was deleveraged.
    ///
    /// # Errors
    /// The position.
    pub fn item(&self, n: u32) -> Result<&OrderCut, &DeleveragedLeg> {
        let n = n as usize;
        self.cuts.get(n).ok_or_else(|| &self.deleveraged()[n - self.cuts.len()])
    }

    fn sum(&self, of: impl Fn(&Effect) -> Amount) -> Amount {
        self.effects().map(|(_, effect)| of(effect)).sum()
    }
}

impl FactBody for LegLiquidated {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        for (i, t) in (0..).zip(&self.trades) {
            tell(EntityId::Account(t.maker), Role::Maker(i));
        }
        for (i, cut) in (0..).zip(&self.cuts) {
            tell(EntityId::Account(cut.account), Role::Item(i));
        }
        let behind = u32::try_from(self.cuts.len()).unwrap_or(u32::MAX);
        for (i, leg) in (behind..).zip(self.deleveraged()) {
            tell(EntityId::Account(leg.account), Role::Item(i));
        }
        tell(EntityId::Account(self.account), Role::Taker);
        if !self.trades.is_empty() {
            tell(EntityId::Account(AccountId::FEE), Role::Fees);
            tell(EntityId::Account(AccountId::INSURANCE), Role::Insurance);
        }
        tell(EntityId::Account(AccountId::CLEARING), Role::Other);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let (u, reference) = (&self.units, u64::from(self.units.contract.0));
        let row = |account, log| posting(account, u.settle, log, reference);
        match role {
            Role::Maker(i) => {
                let t = &self.trades[i as usize];
                t.maker_effect.postings(t.maker, u, t.maker_order.0, post);
            }
            Role::Item(i) => match self.item(i) {
                Ok(cut) => unlock(cut.account, u, cut.order, cut.unlocked, post),
                Err(leg) => leg.effect.postings(leg.account, u, reference, post),
            },
            Role::Taker => {
                if !self.insured.is_zero() {
                    let wallet = match self.mode {
                        MarginMode::Isolated => Wallet::Futures,
                        MarginMode::Cross => Wallet::Pnl,
                    };
                    post(Posting { wallet, available: self.insured, ..row(self.account, LogType::LIQUIDATION) });
                }
                for t in &self.trades {
                    t.taker_effect.postings(self.account, u, reference, post);
                }
                self.deleverage.iter().for_each(|d| d.owner.postings(self.account, u, reference, post));
            }
            Role::Fees => {
                let available = self.sum(|e| e.fee - e.insurance);
                post(Posting { available, ..row(AccountId::FEE, LogType::FEE_INCOME) });
            }
            Role::Insurance => {
                let (available, locked) = (self.sum(|e| e.insurance), -self.insured);
                post(Posting { available, locked, ..row(AccountId::INSURANCE, LogType::LIQUIDATION) });
            }
            Role::Other => {
                let available = -self.sum(Effect::cleared);
                post(Posting { available, ..row(AccountId::CLEARING, LogType::LEVER_CLOSE) });
            }
            Role::Decider => {}
        }
    }
}
