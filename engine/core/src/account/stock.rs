//! What an account does about corporate actions of stocks: it goes through each one once.
//!
//! Owns: [`StockCommand`], the actions that it went through, what they make of its holdings. Never does: begin one; the
//! stock's market does. Invariants: an action is applied once; with all wallets together a holding is whole board lots after a
//! split. Rules: `docs/rules/stocks.md "Corporate actions"`. Known limits: what is no whole board lot is taken from the
//! spot wallet first.

use super::Account;
use crate::codec::WordHash;
use crate::entity::Decision;
use crate::ids::{MarketId, Wallet};
use crate::money::Amount;
use crate::record::Role;
use crate::reject::Reject;
use crate::stock::facts::{Action, ActionApplied, Holding, StockFact};
use crate::stock::{ActionKind, odd_cash};

/// What an account can be asked about stocks.
#[derive(Debug, Clone, Copy)]
pub enum StockCommand {
    /// Go through a corporate action. The stock's market asks for it.
    Apply {
        /// The action.
        action: Action,
        /// Holdings are whole multiples of this after a split.
        board_lot: Amount,
        /// What a share of what is no whole one is paid.
        odd_price: Amount,
    },
}

crate::wire_struct! {
    /// The last action of a stock that an account went through.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LastAction {
        /// The stock's market.
        pub market: MarketId,
        /// The action's number.
        pub id: u32,
    }
}

/// Where what is no whole board lot is taken from: the wallet of trades first.
const ODD_FROM: [Wallet; 5] = [Wallet::Spot, Wallet::Funding, Wallet::Futures, Wallet::Options, Wallet::Earn];

impl Account {
    fn last_action(&self, market: MarketId) -> u32 {
        self.cold().actions.iter().find(|last| last.market == market).map_or(0, |last| last.id)
    }

    pub(super) fn decide_stock(&self, command: &StockCommand) -> Result<Decision, Reject> {
        let StockCommand::Apply { action, board_lot, odd_price } = *command;
        if self.last_action(action.market) >= action.id {
            return Err(Reject::AlreadyExists);
        }
        let held: Vec<_> = self.balances.iter().filter(|b| b.asset == action.asset).collect();
        // The book is empty: nothing of it may be locked.
        if held.iter().any(|b| !b.locked.is_zero()) {
            return Err(Reject::BadAction);
        }
        let held = held.iter().filter(|b| !b.available.is_zero());
        let mut holdings: Vec<Holding> = held
            .map(|b| Holding { wallet: b.wallet, before: b.available, after: action.kind.holding(b.available) })
            .collect();
        let before: Amount = holdings.iter().map(|h| h.before).sum();
        let odd = match action.kind {
            ActionKind::Split { .. } => Amount(holdings.iter().map(|h| h.after).sum::<Amount>().0 % board_lot.0),
            ActionKind::Dividend { .. } => Amount::ZERO,
        };
        take(&mut holdings, odd);
        let (gross, withheld) = action.kind.dividend(before);
        let odd_cash = odd_cash(odd, odd_price);
        Ok(Decision::Fact(ActionApplied { account: self.id, action, holdings, odd, odd_cash, gross, withheld }.into()))
    }

    pub(super) fn apply_stock(&mut self, fact: &StockFact, role: Role) {
        let StockFact::ActionApplied(f) = fact else { return };
        if role != Role::Decider {
            return;
        }
        let (market, id) = (f.action.market, f.action.id);
        let actions = &mut self.cold_mut().actions;
        match actions.iter_mut().find(|last| last.market == market) {
            Some(last) => last.id = id,
            None => actions.push(LastAction { market, id }),
        }
    }
}

fn take(holdings: &mut [Holding], odd: Amount) {
    let mut left = odd;
    for wallet in ODD_FROM {
        for h in holdings.iter_mut().filter(|h| h.wallet == wallet) {
            let taken = left.min(h.after);
            (h.after, left) = (h.after - taken, left - taken);
        }
    }
}

pub(super) fn hash_actions(actions: &[LastAction], h: WordHash) -> WordHash {
    actions.iter().fold(h, |h, last| h.pair(u64::from(last.market.0), u64::from(last.id)))
}

/// Whether accounts are named by a fact of stocks in this role.
pub(super) fn stock_names_accounts_as(fact: &StockFact, role: Role) -> bool {
    match fact {
        StockFact::ActionApplied(_) => matches!(role, Role::Decider | Role::Other),
        StockFact::CalendarSet(_)
        | StockFact::SessionChanged(_)
        | StockFact::ActionAnnounced(_)
        | StockFact::ActionSet(_)
        | StockFact::ActionDone(_) => false,
    }
}
