//! The app's private events of tickets: what an account's tickets are worth at the indices of now, and which ended.
//!
//! Owns: what is known of a watched account's futures wallet, tickets and positions in books, and when that is told. Never
//! does: ask the account. Invariants: an account is told at most once a tick of the hub, and only what changed. Known limits:
//! the sums of an account with tickets in several assets are in USDT.

use crate::api::app::lever::rows;
use crate::app::Shared;
use crate::orders::worth::Worth;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use xng_core::account::{AccountEvent, AccountView, Balance, LegsView, Ticket};
use xng_core::board::Board;
use xng_core::contract::facts::ContractFact;
use xng_core::contract::tickets::TicketId;
use xng_core::ids::{AssetId, Wallet};
use xng_core::money::Amount;

/// So often tickets are valued anew.
pub const EVERY: Duration = Duration::from_millis(500);

/// What is known of an account.
pub(super) struct Positions {
    seq: u64,
    /// Of the futures wallet and its results.
    balances: Vec<Balance>,
    tickets: Vec<Ticket>,
    /// Positions in books alone: those that are cross are in the same pools.
    legs: LegsView,
    /// What its readers were told last; nothing when one of them is new.
    told: Arc<str>,
}

fn is_of_futures(balance: &Balance) -> bool {
    matches!(balance.wallet, Wallet::Futures | Wallet::Pnl)
}

impl Positions {
    /// As a view of the account has them.
    pub(super) fn of(view: &AccountView) -> Positions {
        let balances = view.balances.iter().copied().filter(is_of_futures).collect();
        let legs = view.legs.as_deref().map(|view| view.legs.clone()).unwrap_or_default();
        let legs = LegsView { legs, ..LegsView::default() };
        Positions { seq: view.seq, balances, tickets: view.tickets.clone(), legs, told: Arc::default() }
    }

    /// After an event; one that they have seen changes nothing.
    pub(super) fn follow(&mut self, event: &AccountEvent) {
        if event.seq < self.seq {
            return;
        }
        self.seq = event.seq;
        for new in event.wallets.iter().filter(|balance| is_of_futures(balance)) {
            match self.balances.iter_mut().find(|b| (b.wallet, b.asset) == (new.wallet, new.asset)) {
                Some(known) => *known = *new,
                None => self.balances.push(*new),
            }
        }
        if let Some((_, tickets)) = event.tickets.as_deref() {
            self.tickets.clone_from(tickets);
        }
        for (contract, side, now) in event.legs.iter().flat_map(|event| &event.legs) {
            let legs = &mut self.legs.legs;
            legs.retain(|own| (own.units.contract, own.side) != (*contract, *side));
            legs.extend(*now);
        }
    }

    /// Somebody reads them who was told nothing yet.
    pub(super) fn has_new_reader(&mut self) {
        self.told = Arc::default();
    }

    /// How many there are to value.
    pub(super) fn count(&self) -> usize {
        self.tickets.len() + self.legs.legs.len()
    }

    /// Whether there is something to tell: a position, or that there is none any more.
    pub(super) fn are_told(&self) -> bool {
        self.count() > 0 || !self.told.is_empty()
    }

    fn worth<'a>(&'a self, board: &'a Board) -> Worth<'a> {
        Worth::new(board, &self.balances, &self.tickets).beside(Some(&self.legs))
    }

    /// The frame of now, when it is another than the last one.
    pub(super) fn frame(&mut self, shared: &Shared) -> Option<Arc<str>> {
        let (board, catalog) = (shared.contracts.now(), shared.listed());
        let worth = self.worth(&board);
        let assets: BTreeSet<AssetId> = self.balances.iter().map(|b| b.asset).collect();
        let in_usdt = |of: &dyn Fn(AssetId) -> Amount| -> Amount {
            assets.iter().copied().map(|asset| shared.usdt_value(&catalog, asset, of(asset))).sum()
        };
        let sums = |asset: AssetId| worth.sums(|ticket| ticket.terms.settle == asset);
        let order: Vec<Value> = self.tickets.iter().map(|ticket| rows::moving(&worth, ticket)).collect();
        let data = json!({
            "hazard_rate": worth.lowest_risk(),
            "profits_all": in_usdt(&|asset| sums(asset).profits).to_string(),
            "caution_money_total": in_usdt(&|asset| sums(asset).margin).to_string(),
            "balance": in_usdt(&|asset| worth.cash(asset)).to_string(), "order": order,
        });
        let frame: Arc<str> = json!({ "event": "lever_trade", "data": data }).to_string().into();
        if frame == self.told {
            return None;
        }
        self.told = frame.clone();
        Some(frame)
    }
}

/// The frame of tickets that ended by an event, if some did.
pub(super) fn ended(event: &AccountEvent) -> Option<Arc<str>> {
    let ended: Vec<(TicketId, &str)> = match event.tickets.as_deref()? {
        (ContractFact::TicketsMoved(f), _) => {
            f.closed.iter().map(|closed| (closed.ticket, rows::reason_name(closed.reason))).collect()
        }
        (ContractFact::TicketCanceled(f), _) => vec![(f.ticket, "cancel")],
        (
            ContractFact::ContractListed(_)
            | ContractFact::ContractParamsChanged(_)
            | ContractFact::ContractStateChanged(_)
            | ContractFact::MarkSet(_)
            | ContractFact::TicketOpened(_)
            | ContractFact::TicketReserved(_)
            | ContractFact::TicketStopsSet(_)
            | ContractFact::NightCharged(_)
            | ContractFact::RiskWarned(_)
            | ContractFact::DeficitCovered(_),
            _,
        ) => Vec::new(),
    };
    if ended.is_empty() {
        return None;
    }
    let (ids, reasons): (Vec<u64>, Vec<&str>) = ended.into_iter().map(|(ticket, reason)| (ticket.0, reason)).unzip();
    let data = json!({ "id": ids, "reasons": reasons });
    Some(json!({ "event": "lever_closed", "seq": event.seq, "data": data }).to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orders::worth::tests::{board, free, long};
    use xng_core::account::{LegsCause, LegsEvent, OwnLeg};
    use xng_core::ids::AccountId;

    /// The position of a book is this now.
    fn event(seq: u64, now: Option<OwnLeg>) -> AccountEvent {
        let own = long();
        let legs = LegsEvent {
            cause: LegsCause::Order,
            orders: Vec::new(),
            fills: Vec::new(),
            legs: vec![(own.units.contract, own.side, now)],
            refused: None,
        };
        AccountEvent {
            account: AccountId(100_001),
            seq,
            wallets: Vec::new(),
            time: 0,
            orders: Vec::new(),
            fills: Vec::new(),
            prevented: Vec::new(),
            lists: Vec::new(),
            moved: Vec::new(),
            tickets: None,
            option: None,
            copying: None,
            deposit: None,
            withdrawal: None,
            coupon: None,
            legs: Some(Box::new(legs)),
            notice: None,
            action: None,
        }
    }

    #[test]
    fn a_position_of_a_book_counts_in_the_risk_rate_that_is_told() {
        let (board, balances) = (board("49500"), vec![free("120")]);
        let (tickets, legs) = (Vec::new(), LegsView::default());
        let mut positions = Positions { seq: 0, balances, tickets, legs, told: Arc::default() };
        assert!(!positions.are_told());
        positions.follow(&event(1, Some(long())));
        // As `walletList` tells it: equity of 70 over twice a maintenance of 0.4 % of 4,950.
        assert_eq!((positions.worth(&board).lowest_risk().as_str(), positions.count()), ("176.77", 1));
        assert!(positions.are_told());
        positions.follow(&event(2, Some(long())));
        assert_eq!(positions.count(), 1, "as it is now, not one more");
        positions.follow(&event(3, None));
        assert_eq!((positions.worth(&board).lowest_risk().as_str(), positions.count()), ("0", 0));
    }
}
