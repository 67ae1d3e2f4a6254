//! The app's private events of tickets: what an account's tickets are worth at the indices of now, and which ended.
//!
//! Owns: what is known of a watched account's futures wallet and tickets, and when that is told. Never does: ask the account.
//! Invariants: an account is told at most once a tick of the hub, and only what changed. Known limits: the sums of an account
//! with tickets in several assets are in USDT.

use crate::api::app::lever::rows;
use crate::app::Shared;
use crate::orders::worth::Worth;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use xng_core::account::{AccountEvent, AccountView, Balance, Ticket};
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
        Positions { seq: view.seq, balances, tickets: view.tickets.clone(), told: Arc::default() }
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
    }

    /// Somebody reads them who was told nothing yet.
    pub(super) fn has_new_reader(&mut self) {
        self.told = Arc::default();
    }

    /// How many tickets there are.
    pub(super) fn tickets(&self) -> usize {
        self.tickets.len()
    }

    /// Whether there is something to tell: tickets, or that there are none any more.
    pub(super) fn are_told(&self) -> bool {
        !(self.tickets.is_empty() && self.told.is_empty())
    }

    /// The frame of now, when it is another than the last one.
    pub(super) fn frame(&mut self, shared: &Shared) -> Option<Arc<str>> {
        let (board, catalog) = (shared.contracts.now(), shared.listed());
        let worth = Worth::new(&board, &self.balances, &self.tickets);
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
