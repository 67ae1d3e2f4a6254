//! Pages of an account's tickets: what its actor has, open or waiting, and ended ones from the store.
//!
//! Owns: how the two are joined. Never does: show a row. Invariants: a ticket is in a page once; what the actor has goes before what
//! the store says of it. Known limits: ended tickets are answered "later" while the store is away or behind; 1,000 rows back.

use crate::api::http::errors::Failure;
use crate::app::App;
use crate::orders::lookup::{DEEP, answered, is_behind, written};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use xng_core::account::{AccountView, Ticket};
use xng_core::contract::tickets::TicketId;
use xng_core::ids::{AccountId, MarketId};
use xng_persistence::store::{Slice, StoredTicket, TicketFilter, TicketState};

/// Tickets that the actor has.
pub const LIVING: [TicketState; 2] = [TicketState::Waits, TicketState::Open];
/// Those that only the store has.
pub const ENDED: [TicketState; 2] = [TicketState::Closed, TicketState::Canceled];

/// Which tickets.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Of one contract only.
    pub contract: Option<MarketId>,
    /// In one of these states.
    pub living: &'static [TicketState],
    /// Or in one of these.
    pub ended: &'static [TicketState],
}

fn state(ticket: &Ticket) -> TicketState {
    if ticket.is_open() { TicketState::Open } else { TicketState::Waits }
}

/// Tickets, newest first, and how many there are.
///
/// # Errors
/// A page beyond what is read; busy, "later", when the store does not come to what happened last.
pub async fn merged_tickets(
    app: &App,
    view: &AccountView,
    wanted: &Wanted,
    (number, limit): (u64, u64),
) -> Result<(Vec<StoredTicket>, u64), Failure> {
    let account = view.account;
    let living = view.tickets.iter().filter(|t| wanted.contract.is_none_or(|contract| t.terms.contract == contract));
    let living = living.filter(|t| wanted.living.contains(&state(t)));
    let row = |t: &Ticket| StoredTicket { account, settle: t.terms.settle, ticket: *t, end: None };
    let mut all: Vec<StoredTicket> = living.map(row).collect();
    let mut total = all.len() as u64;
    if !wanted.ended.is_empty() {
        let reach = number * limit;
        if reach > DEEP {
            return Err(Failure::field("page", "out of range"));
        }
        written(app).await?;
        let filter =
            TicketFilter { contract: wanted.contract, states: Some(wanted.ended), ..TicketFilter::of(account) };
        let ended = answered(app.shared.store.page(&filter, Slice::Newest, reach as u32).await)?;
        total += answered(app.shared.store.count(&filter).await)?;
        // What ended since the actor was asked is still among its own.
        let known: BTreeSet<TicketId> = view.tickets.iter().map(Ticket::id).collect();
        all.extend(ended.into_iter().filter(|row| !known.contains(&row.ticket.id())));
    }
    all.sort_unstable_by_key(|row| Reverse(row.ticket.id()));
    let skip = usize::try_from((number - 1) * limit).unwrap_or(usize::MAX);
    Ok((all.into_iter().skip(skip).take(limit as usize).collect(), total))
}

/// Whether a ticket that the actor does not have ended, as one of this account's; what the store may not know yet ended.
///
/// # Errors
/// Busy, "later", when the store does not answer.
pub async fn has_ended(app: &App, account: AccountId, ticket: TicketId, view: &AccountView) -> Result<bool, Failure> {
    // Before the store is asked: what is written meanwhile is not in its answer.
    let behind = is_behind(app, view.last);
    let stored = answered(app.shared.store.find::<StoredTicket>(ticket).await)?;
    Ok(match stored {
        Some(row) => row.account == account,
        // Numbers of tickets tell whose they are.
        None => behind && (TicketId::of(account, 1)..TicketId::of(AccountId(account.0 + 1), 0)).contains(&ticket),
    })
}
