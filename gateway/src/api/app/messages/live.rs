//! Which events are told as a message, so that the app looks for new ones.
//!
//! Owns: that. Never does: make a message, the store does of the same facts. Invariants: none: the event
//! is a hint to look, and may come without a message. Known limits: of small deposits, and of what the office tells (logins, security),
//! there is none: they are seen with the next look.

use serde_json::{Value, json};
use xng_core::account::{AccountEvent, OptionChange};
use xng_core::contract::facts::ContractFact;
use xng_core::contract::ticket_facts::CloseReason;
use xng_core::copy::facts::CopyFact;
use xng_core::entity::TimeNs;
use xng_core::market::OrderStatus;
use xng_core::seconds::rules::OptionResult;

/// The event `mail`, when there is something new to read.
#[must_use]
pub(crate) fn event(event: &AccountEvent) -> Option<(&'static str, Value)> {
    tells(event).then(|| ("mail", json!({ "kind": "system" })))
}

/// An order that was there before is filled.
fn fills_unseen(status: OrderStatus, created: TimeNs, updated: TimeNs) -> bool {
    status == OrderStatus::Filled && updated > created
}

fn tells(event: &AccountEvent) -> bool {
    let of_state = event.orders.is_empty() && event.wallets.is_empty() && event.legs.is_none();
    of_state
        || event.orders.iter().any(|(o, _)| fills_unseen(o.status, o.created, o.updated))
        || event.legs.iter().flat_map(|legs| &legs.orders).any(|(o, _)| fills_unseen(o.status, o.created, o.updated))
        || event.notice.is_some()
        || event.action.is_some()
        || event.deposit.is_some()
        || event.withdrawal.is_some()
        || event.tickets.as_deref().is_some_and(|(fact, _)| of_tickets(fact))
        || event.copying.as_deref().is_some_and(|fact| of_copies(fact, event))
        || matches!(event.option.as_deref(), Some(OptionChange::Settled(end)) if end.result == OptionResult::Void)
}

fn of_tickets(fact: &ContractFact) -> bool {
    match fact {
        ContractFact::TicketsMoved(f) => {
            let unseen = |reason| !matches!(reason, CloseReason::User | CloseReason::Batch);
            !f.activated.is_empty() || f.closed.iter().any(|closed| unseen(closed.reason))
        }
        ContractFact::RiskWarned(_) => true,
        ContractFact::TicketOpened(_)
        | ContractFact::TicketReserved(_)
        | ContractFact::TicketCanceled(_)
        | ContractFact::TicketStopsSet(_)
        | ContractFact::NightCharged(_)
        | ContractFact::ContractListed(_)
        | ContractFact::ContractParamsChanged(_)
        | ContractFact::ContractStateChanged(_)
        | ContractFact::MarkSet(_)
        | ContractFact::DeficitCovered(_) => false,
    }
}

fn of_copies(fact: &CopyFact, event: &AccountEvent) -> bool {
    match fact {
        CopyFact::CopySkipped(f) => f.account == event.account,
        CopyFact::CopyDetached(f) => f.account == event.account,
        CopyFact::ProfitShared(f) => f.account == event.account,
        CopyFact::TraderSet(_) | CopyFact::Followed(_) | CopyFact::Unfollowed(_) | CopyFact::SharesDue(_) => false,
    }
}
