//! What facts of contracts' books tell the owners of positions and orders.
//!
//! Owns: their messages. Never does: keep a position. Invariants: nobody is told of what the house holds.
//! Known limits: orders that their owners see filled at once are not told.

use std::collections::BTreeMap;

use xng_core::{
    account::leg_orders::LegOrder,
    contract::book::{facts::BookFact, liquidation_facts::LegLiquidated, order::BookUnits},
    entity::TimeNs,
    ids::AccountId,
};

use crate::store::rows::message::{MessageKey, MessageKind, StoredMessage};

/// An order that rested or waited is filled.
pub(super) fn filled(account: AccountId, order: &LegOrder, time: TimeNs) -> StoredMessage {
    let key = MessageKey::filled(account, MessageKind::ContractOrderFilled, time);
    StoredMessage {
        detail: order.side as u32,
        reference: order.order.0,
        amount: order.units.base(order.filled),
        other: order.spent,
        ..of_contract(StoredMessage::of(key, time), &order.units)
    }
}

/// What else a fact tells.
pub(super) fn tell(fact: &BookFact, time: TimeNs, rows: &mut BTreeMap<MessageKey, StoredMessage>) {
    match fact {
        BookFact::LegLiquidated(f) => liquidated(f, time, rows),
        BookFact::FundingPaid(f) => {
            for paid in &f.legs {
                let message = StoredMessage::new(paid.account, MessageKind::Funding, time).about(paid.leg as u64);
                StoredMessage { amount: paid.amount, reference: 0, ..of_contract(message, &f.units) }.add_to(rows);
            }
        }
        BookFact::ContractOrderPlaced(_)
        | BookFact::ConditionalsChanged(_)
        | BookFact::LegMarginMoved(_)
        | BookFact::BookListed(_)
        | BookFact::BookParamsChanged(_)
        | BookFact::ContractOrdersCanceled(_)
        | BookFact::ContractOrderAmended(_)
        | BookFact::BookQuotesSet(_)
        | BookFact::LegTermsSet(_)
        | BookFact::PositionModeSet(_)
        | BookFact::LiquidationStarted(_)
        | BookFact::LiquidationEnded(_)
        | BookFact::QuotaSet(_)
        | BookFact::CountdownSet(_)
        | BookFact::FundingSet(_)
        | BookFact::ResultsSettled(_) => {}
    }
}

fn liquidated(f: &LegLiquidated, time: TimeNs, rows: &mut BTreeMap<MessageKey, StoredMessage>) {
    let message = StoredMessage::new(f.account, MessageKind::PositionLiquidated, time);
    StoredMessage { amount: f.units.base(f.lots), other: f.mark, ..of_contract(message, &f.units) }.add_to(rows);
    let Some(deleverage) = &f.deleverage else { return };
    for leg in &deleverage.legs {
        let side = leg.effect.leg as u64;
        let message = StoredMessage::new(leg.account, MessageKind::PositionDeleveraged, time).about(side);
        StoredMessage {
            amount: f.units.base(leg.effect.closed),
            other: f.units.price(deleverage.ticks),
            reference: 0,
            ..of_contract(message, &f.units)
        }
        .add_to(rows);
    }
}

fn of_contract(message: StoredMessage, units: &BookUnits) -> StoredMessage {
    StoredMessage { market: units.contract, asset: units.settle, ..message }
}
