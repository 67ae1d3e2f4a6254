//! Rows of copy trading, for calls and for events.
//!
//! Owns: field names and numbers of rows. Never does: ask anybody. Invariants: rows of a list show one thing alike. Known limits: an
//! event names a trader by number alone, and says no pair: lists do.

use crate::api::app::lever::rows::{lots, percent};
use crate::common::time::{ms, ts};
use crate::market::catalog::Catalog;
use crate::market::traders::reason_name;
use serde_json::{Value, json};
use xng_core::account::{AccountEvent, OwnFollow};
use xng_core::board::Board;
use xng_core::contract::facts::ContractFact;
use xng_core::contract::leg::Direction;
use xng_core::contract::tickets::TicketId;
use xng_core::copy::facts::CopyFact;
use xng_core::copy::{FollowKind, FollowTerms, THOUSANDTHS};
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::money::{Amount, ONE};
use xng_core::reject::Reject;
use xng_persistence::store::{CopyEvent, StoredTicket};

/// Adds the fields of one object to another.
pub(super) fn merge(row: &mut Value, more: Value) {
    if let (Value::Object(row), Value::Object(more)) = (row, more) {
        row.extend(more);
    }
}

/// A trader's share in percent.
pub(super) fn share(ppm: u32) -> String {
    percent(ppm)
}

fn number(terms: FollowTerms) -> String {
    let unit = match terms.kind {
        FollowKind::Multiple => ONE / i128::from(THOUSANDTHS),
        FollowKind::Lots => ONE,
    };
    Amount(i128::from(terms.number) * unit).to_string()
}

/// How a trader is followed.
pub(super) fn follow(own: &OwnFollow) -> Value {
    json!({
        "type": own.terms.kind as u8, "number": number(own.terms), "cum": own.results.sum.to_string(),
        "hwm": own.results.mark.to_string(), "withheld": own.results.withheld.to_string(),
        "since": ts(ms(own.since)), "status": if own.is_active() { 1 } else { 2 },
        "share_ratio": share(own.offer.share_ppm),
    })
}

/// The pair of a ticket.
pub(super) fn symbol(row: &StoredTicket, catalog: &Catalog, board: &Board) -> String {
    let base = board.contract(row.ticket.terms.contract).map(|face| catalog.asset_name(face.params.base));
    format!("{}/{}", base.unwrap_or_default(), catalog.asset_name(row.settle))
}

/// A closed ticket of a trader, as everybody may see it.
pub(super) fn trade(row: &StoredTicket, catalog: &Catalog, board: &Board) -> Value {
    let (ticket, terms) = (&row.ticket, &row.ticket.terms);
    let closed = row.end.and_then(|end| end.closed);
    let costs = terms.fee + ticket.nights;
    let brought = closed.map_or(Amount::ZERO, |closed| closed.result + closed.deficit - costs);
    json!({
        "id": ticket.id().0, "symbol": symbol(row, catalog, board),
        "type": if terms.direction == Direction::Long { 1 } else { 2 }, "share": lots(ticket),
        "number": terms.base.to_string(), "multiple": terms.multiple, "price": terms.price.to_string(),
        "update_price": closed.map_or(Amount::ZERO, |closed| closed.index).to_string(),
        "fact_profits": brought.to_string(), "transaction_time": ts(ms(ticket.opened)),
        "handle_time": row.end.map_or_else(String::new, |end| ts(ms(end.time))),
    })
}

/// What was not copied, and why.
pub(super) fn skipped(event: &CopyEvent) -> Option<(TicketId, Reject)> {
    match event {
        CopyEvent::Skipped { source, reason } => Some((*source, *reason)),
        CopyEvent::Followed { .. }
        | CopyEvent::Unfollowed(_)
        | CopyEvent::Detached { .. }
        | CopyEvent::Shared { .. } => None,
    }
}

/// A ticket that was not copied.
pub(super) fn skip(
    (time, trader): (TimeNs, Value),
    symbol: String,
    source: TicketId,
    reason: Reject,
    text: &Value,
) -> Value {
    json!({
        "time": ts(ms(time)), "trader": trader, "symbol": symbol, "follow_order_id": source.0,
        "reason": reason_name(reason), "reason_name": text,
    })
}

fn trader(account: AccountId) -> Value {
    json!({ "id": account.0, "nickname": "" })
}

/// The events of what happened to an account's copies.
pub(crate) fn events(event: &AccountEvent) -> Vec<(&'static str, Value)> {
    let mut told = Vec::new();
    match event.copying.as_deref() {
        Some(CopyFact::CopySkipped(f)) if f.account == event.account => told.push((
            "copy_skipped",
            json!({ "trader": trader(f.trader), "symbol": "", "follow_order_id": f.source.0,
                "reason": reason_name(f.reason) }),
        )),
        Some(CopyFact::ProfitShared(f)) if f.account == event.account => told.push((
            "profit_shared",
            json!({ "trader": trader(f.trader), "share": f.share.to_string(), "released": f.released.to_string() }),
        )),
        // They are no copies any more.
        Some(CopyFact::Unfollowed(f)) => {
            let gone = |ticket: &TicketId| ("copy_closed", json!({ "trader": trader(f.trader), "id": ticket.0 }));
            told.extend(f.detached.iter().map(gone));
        }
        Some(CopyFact::CopyDetached(f)) => {
            told.push(("copy_closed", json!({ "trader": trader(f.trader), "id": f.ticket.0 })));
        }
        Some(
            CopyFact::CopySkipped(_)
            | CopyFact::ProfitShared(_)
            | CopyFact::TraderSet(_)
            | CopyFact::Followed(_)
            | CopyFact::SharesDue(_),
        )
        | None => {}
    }
    match event.tickets.as_deref() {
        Some((ContractFact::TicketOpened(f), _)) => {
            told.extend(
                f.copy.map(|link| ("copy_opened", json!({ "trader": trader(link.trader), "id": f.terms.ticket.0 }))),
            );
        }
        Some((ContractFact::TicketsMoved(f), _)) => {
            told.extend(f.copies().map(|(closed, link, _)| {
                ("copy_closed", json!({ "trader": trader(link.trader), "id": closed.ticket.0 }))
            }));
        }
        Some(_) | None => {}
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_names_for_programs() {
        assert_eq!(reason_name(Reject::InsufficientBalance), "insufficient_balance");
    }

    #[test]
    fn numbers_are_multiples_or_lots() {
        let of = |kind, count| number(FollowTerms { kind, number: count });
        assert_eq!((of(FollowKind::Multiple, 1_250), of(FollowKind::Lots, 3)), ("1.25".into(), "3".into()));
    }
}
