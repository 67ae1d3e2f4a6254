//! Facts of calendars and corporate actions: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: every number that is needed to apply a fact is in it; `stock_issuer` is the other
//! side of what an action gives and takes. Rules: `docs/rules/stocks.md`. Known limits: none.

use super::ActionKind;
use super::calendar::{CalendarId, CalendarParams, SessionPhase};
use crate::entity::TimeNs;
use crate::ids::{AccountId, AssetId, EntityId, MarketId, Wallet};
use crate::money::Amount;
use crate::record::{FactBody, LogType, Posting, Role};

crate::wire_struct! {
    /// A calendar has these parameters from now on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CalendarSet {
        /// All of them.
        pub params: CalendarParams,
        /// What the venue does now.
        pub phase: SessionPhase,
        /// Until when; 0 without an end that is known.
        pub until: TimeNs,
    }
}

crate::wire_struct! {
    /// A session of a venue began or ended.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SessionChanged {
        /// Which calendar's.
        pub calendar: CalendarId,
        /// What the venue does now.
        pub phase: SessionPhase,
        /// Until when; 0 without an end that is known.
        pub until: TimeNs,
        /// Who is told.
        pub markets: Vec<MarketId>,
    }
}

crate::wire_struct! {
    /// A corporate action of a stock.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Action {
        /// Whose market.
        pub market: MarketId,
        /// The stock.
        pub asset: AssetId,
        /// What the stock is paid in.
        pub quote: AssetId,
        /// Its number, which grows with each action of the stock.
        pub id: u32,
        /// What it is.
        pub kind: ActionKind,
    }
}

crate::wire_struct! {
    /// A market takes no orders any more and empties its book, for an action.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ActionAnnounced {
        /// The action.
        pub action: Action,
    }
}

crate::wire_struct! {
    /// The book is empty: the action is in force, and each holder is told.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ActionSet {
        /// The action.
        pub action: Action,
        /// Holdings are whole multiples of this.
        pub board_lot: Amount,
        /// What a share of what is no whole board lot is paid.
        pub odd_price: Amount,
        /// Accounts that are told.
        pub holders: u32,
    }
}

crate::wire_struct! {
    /// A wallet's holding before and after an action.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Holding {
        /// Which wallet.
        pub wallet: Wallet,
        /// Before.
        pub before: Amount,
        /// After.
        pub after: Amount,
    }
}

crate::wire_struct! {
    /// An account went through an action.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ActionApplied {
        /// Whose.
        pub account: AccountId,
        /// The action.
        pub action: Action,
        /// Wallets with the stock.
        pub holdings: Vec<Holding>,
        /// What was no whole board lot and was paid for; `after` is without it.
        pub odd: Amount,
        /// What was paid for it.
        pub odd_cash: Amount,
        /// The dividend.
        pub gross: Amount,
        /// What was withheld of it.
        pub withheld: Amount,
    }
}

crate::wire_struct! {
    /// All holders went through an action; the market opens again with its session.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ActionDone {
        /// Whose market.
        pub market: MarketId,
        /// The action's number.
        pub id: u32,
    }
}

impl FactBody for CalendarSet {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        self.params.markets.iter().for_each(|market| tell(EntityId::Market(*market), Role::Other));
    }
}

impl FactBody for SessionChanged {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        self.markets.iter().for_each(|market| tell(EntityId::Market(*market), Role::Other));
    }
}

impl FactBody for ActionAnnounced {}
impl FactBody for ActionSet {}
impl FactBody for ActionDone {}

impl ActionApplied {
    /// The movements of its owner; the issuer has the same with the other sign.
    fn moves(&self, post: &mut impl FnMut(Wallet, AssetId, LogType, Amount)) {
        let Action { asset, quote, .. } = self.action;
        for h in self.holdings.iter().filter(|h| h.before != h.after) {
            post(h.wallet, asset, LogType::STOCK_SPLIT, h.after - h.before);
        }
        let cash = [
            (LogType::STOCK_ODD_LOT, self.odd_cash),
            (LogType::STOCK_DIVIDEND, self.gross),
            (LogType::STOCK_WITHHELD, -self.withheld),
        ];
        for (log, amount) in cash.into_iter().filter(|(_, amount)| !amount.is_zero()) {
            post(Wallet::Spot, quote, log, amount);
        }
    }
}

impl FactBody for ActionApplied {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Market(self.action.market), Role::Item(0));
        tell(EntityId::Account(AccountId::STOCK_ISSUER), Role::Other);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let (account, one) = match role {
            Role::Decider => (self.account, 1),
            Role::Other => (AccountId::STOCK_ISSUER, -1),
            Role::Taker | Role::Maker(_) | Role::Item(_) | Role::Fees | Role::Insurance => return,
        };
        self.moves(&mut |wallet, asset, log, amount| {
            let (available, locked) = (Amount(amount.0 * one), Amount::ZERO);
            post(Posting { account, wallet, asset, log, available, locked, reference: u64::from(self.action.id) });
        });
    }
}

crate::record::product_facts! {
    /// Facts of stocks.
    Stock(StockFact) {
        /// A calendar's parameters.
        CalendarSet = 100 v 1,
        /// A session began or ended.
        SessionChanged = 101 v 1,
        /// A market empties its book for an action.
        ActionAnnounced = 102 v 1,
        /// An action is in force.
        ActionSet = 103 v 1,
        /// An account went through an action.
        ActionApplied = 104 v 1,
        /// All holders did.
        ActionDone = 105 v 1,
    }
}
