//! The fact of waiting orders of a contract's book: its form, whom it names, what it moves.
//!
//! Owns: these. Never does: decide. Invariants: an order that waits moves no money; the order that one becomes is in the fact
//! whole. Rules: `docs/rules/contracts.md "Conditional orders"`. Known limits: none.

use super::facts::ContractOrderPlaced;
use super::order::BookUnits;
use super::waiting::WaitingBookOrder;
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AccountId, EntityId, UpdateId};
use crate::market::{EndReason, OrderStatus};
use crate::money::{Amount, Lots};
use crate::record::{FactBody, Posting, Role};
use crate::reject::Reject;
use crate::spot::OrderAck;

crate::wire_struct! {
    /// Orders of one account wait for a price, or wait no more.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ConditionalsChanged {
        /// Meaning of the numbers.
        pub units: BookUnits,
        /// Whose.
        pub account: AccountId,
        /// The one that waits from now on.
        pub waits: Option<WaitingBookOrder>,
        /// Those that wait no more.
        pub gone: Vec<WaitingBookOrder>,
        /// What became of the one whose price came.
        pub placed: Option<ContractOrderPlaced>,
        /// Why others are gone.
        pub reason: EndReason,
        /// Why no order came of the one whose price came.
        pub refused: Option<Reject>,
        /// State of the book after this.
        pub update: UpdateId,
    }
}

impl FactBody for ConditionalsChanged {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        match &self.placed {
            Some(placed) => placed.parties(tell),
            None => tell(EntityId::Account(self.account), Role::Taker),
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        self.placed.iter().for_each(|placed| placed.postings(role, post));
    }

    fn reply(&self, time: TimeNs) -> Reply {
        if let Some(placed) = &self.placed {
            return placed.reply(time);
        }
        Reply::Accepted(match &self.waits {
            Some(waits) => {
                let (order, status) = (waits.order, OrderStatus::Waiting);
                Accepted::Placed(OrderAck { order, status, filled: Lots::ZERO, spent: Amount::ZERO, time })
            }
            None => Accepted::Canceled(self.gone.iter().map(|gone| gone.order).collect()),
        })
    }
}
