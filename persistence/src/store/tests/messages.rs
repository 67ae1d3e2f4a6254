//! Messages against the records: each is told to whom it happened, and nothing else is.

use xng_core::{
    chain::facts::{ChainFact, Credit, CreditKind},
    contract::ticket_facts::{CloseReason, ClosedTicket},
    spot::OrderStatus,
};

use super::*;
use crate::store::{MessageFilter, MessageKind, StoredMessage};

/// Messages of an account, the oldest first.
fn messages_of(rig: &Rig, account: AccountId) -> Vec<StoredMessage> {
    let filter = MessageFilter { account, since: None };
    rig.wait(rig.store.page(&filter, Slice::Oldest, 1_000)).expect("reads")
}

fn told(messages: &[StoredMessage], kind: MessageKind) -> impl Iterator<Item = &StoredMessage> {
    messages.iter().filter(move |message| message.key.kind == kind)
}

/// Of `orders`, as they are now, those that were filled later than they came are told, and with how many at what time.
pub(super) fn check_messages(rig: &Rig, exchange: &Exchange, account: AccountId, orders: &[Order]) {
    let messages = messages_of(rig, account);
    if account.is_system() {
        assert!(messages.is_empty(), "nobody reads what the exchange is told: {messages:?}");
        return;
    }
    let ten_seconds = 10_000_000_000;
    let mut expected: BTreeMap<u64, u32> = BTreeMap::new();
    for order in orders.iter().filter(|o| o.status == OrderStatus::Filled && o.updated > o.created) {
        *expected.entry(order.updated / ten_seconds).or_default() += 1;
    }
    let filled = told(&messages, MessageKind::OrderFilled);
    let filled: BTreeMap<u64, u32> = filled.map(|m| (m.key.at / ten_seconds, m.count)).collect();
    assert_eq!(filled, expected, "filled orders of {account}");
    let mut closed = 0;
    let mut skipped = 0;
    let mut deposits = 0;
    for record in &exchange.records {
        match &record.fact {
            Fact::Contract(ContractFact::TicketsMoved(f)) if f.account == account => {
                let seen = |c: &&ClosedTicket| matches!(c.reason, CloseReason::User | CloseReason::Batch);
                closed += f.closed.len() - f.closed.iter().filter(seen).count();
            }
            Fact::Copy(CopyFact::CopySkipped(f)) if f.account == account => skipped += 1,
            Fact::Chain(ChainFact::BlockTaken(f)) => {
                let credited = |c: &&Credit| c.owner == account && c.kind == CreditKind::Credited;
                deposits += f.credits.iter().filter(credited).count();
            }
            Fact::Chain(ChainFact::SmallDepositsCredited(f)) if f.account == account => deposits += 1,
            _ => {}
        }
    }
    let of_tickets = told(&messages, MessageKind::TicketClosed).count();
    assert_eq!(of_tickets + told(&messages, MessageKind::TicketLiquidated).count(), closed, "tickets of {account}");
    assert_eq!(told(&messages, MessageKind::CopySkipped).count(), skipped, "copies of {account}");
    assert_eq!(told(&messages, MessageKind::Deposit).count(), deposits, "deposits of {account}");
}
