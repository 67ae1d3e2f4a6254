//! What facts of accounts tell their owners.
//!
//! Owns: the messages of changed tiers and states. Never does: keep a balance (`wallets.rs`). Invariants: none beyond the table's key.
//! Known limits: levels of fees have no row.

use std::collections::BTreeMap;

use xng_core::{
    account::facts::{AccountFact, AccountStatus},
    journal::Lsn,
    record::Record,
};

use super::{
    Missing,
    message::{MessageKey, MessageKind, StoredMessage},
    table::tables,
};

tables! {
    /// What a batch tells owners of accounts.
    rows {
        /// Messages that are new.
        messages: BTreeMap<MessageKey, StoredMessage>,
    }
    remembered {}
}

impl Needs {
    pub(in crate::store) fn name(&mut self, _: &Record, _: &AccountFact) {}
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (_, record): (Lsn, &Record),
        fact: &AccountFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        let time = record.time;
        match fact {
            AccountFact::StatusSet(f) => {
                let kind = match f.status {
                    AccountStatus::Active => MessageKind::AccountActive,
                    AccountStatus::Locked => MessageKind::AccountLocked,
                };
                StoredMessage::new(f.account, kind, time).add_to(&mut rows.messages);
            }
            AccountFact::TierChanged(f) => {
                let message = StoredMessage::new(f.account, MessageKind::Tier, time);
                StoredMessage { detail: f.tier as u32, ..message }.add_to(&mut rows.messages);
            }
            AccountFact::AccountChanged(_)
            | AccountFact::Granted(_)
            | AccountFact::Transferred(_)
            | AccountFact::RequestsForgotten(_)
            | AccountFact::VipSet(_)
            | AccountFact::HouseSet(_) => {}
        }
        Ok(())
    }
}
