//! Rows of copy trading by the tools' own fold, and where the store has them.
//!
//! Owns: what is compared of traders and of what happened to followers. Never does: share code with the projection.
//! Invariants: rows come in the order of the journal. Known limits: traders and follows are kept in memory.

use super::{ComparedRow, Open, Takes, Tool, Whose, a_row_a_record, tables};
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use serde_json::json;
use std::collections::BTreeMap;
use xng_core::codec::Wire;
use xng_core::copy::facts::CopyFact;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_persistence::store::{CopyEvent, CopyEventFilter, StoredCopyEvent, StoredTrader, TraderFilter};

tables! { traders: StoredTrader, copy_events: StoredCopyEvent }

impl ComparedRow for StoredTrader {
    const NAMES: [&'static str; 2] = ["trader", "traders"];
    const KEY: &'static str = "traders";
    const IS_KEPT: bool = true;
    type Part = ();
    type Place = AccountId;

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> AccountId {
        self.account
    }
    fn id(&self) -> u64 {
        self.account.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.terms.put(out);
        self.time.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(TraderFilter { account })
    }
}

impl ComparedRow for StoredCopyEvent {
    const NAMES: [&'static str; 2] = ["copy event", "copy events"];
    const KEY: &'static str = "copy_events";
    a_row_a_record!();

    fn put(&self, out: &mut Vec<u8>) {
        self.trader.put(out);
        self.time.put(out);
        out.push(self.event.number());
        match self.event {
            CopyEvent::Followed { follow, terms, share_ppm } => {
                follow.put(out);
                terms.put(out);
                share_ppm.put(out);
            }
            CopyEvent::Unfollowed(copies) => copies.put(out),
            CopyEvent::Skipped { source, reason } => {
                source.put(out);
                out.push(reason as u8);
            }
            CopyEvent::Detached { source, ticket } => {
                source.put(out);
                ticket.put(out);
            }
            CopyEvent::Shared { share, released, mark } => {
                [share, released, mark].iter().for_each(|sum| sum.put(out));
            }
        }
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(CopyEventFilter { account, skipped: false })
    }
}

/// See the module's header.
pub(in crate::tools) struct Fold {
    whose: Whose,
    traders: BTreeMap<AccountId, StoredTrader>,
    /// By account and trader: what the account chose.
    follows: BTreeMap<(AccountId, AccountId), CopyEvent>,
}

impl Fold {
    pub(super) fn new(whose: Whose) -> Fold {
        Fold { whose, traders: BTreeMap::new(), follows: BTreeMap::new() }
    }

    /// Reads the next fact.
    pub(super) fn read(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &CopyFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        let (account, trader, event) = match fact {
            CopyFact::TraderSet(f) => {
                if !self.whose.wants(f.account) {
                    return Ok(());
                }
                let row = StoredTrader { account: f.account, terms: f.terms, time };
                let before = self.traders.insert(f.account, row);
                return rows.traders.take(before.as_ref(), &row);
            }
            CopyFact::SharesDue(_) => return Ok(()),
            CopyFact::Followed(f) => {
                let (follow, terms, share_ppm) = (f.follow, f.terms, f.offer.share_ppm);
                (f.account, f.trader, CopyEvent::Followed { follow, terms, share_ppm })
            }
            CopyFact::Unfollowed(f) => (f.account, f.trader, CopyEvent::Unfollowed(f.detached.len() as u64)),
            CopyFact::CopySkipped(f) => {
                (f.account, f.trader, CopyEvent::Skipped { source: f.source, reason: f.reason })
            }
            CopyFact::CopyDetached(f) => {
                (f.account, f.trader, CopyEvent::Detached { source: f.source, ticket: f.ticket })
            }
            CopyFact::ProfitShared(f) => {
                let (share, released, mark) = (f.share, f.released, f.results.mark);
                (f.account, f.trader, CopyEvent::Shared { share, released, mark })
            }
        };
        if !self.whose.wants(account) {
            return Ok(());
        }
        match event {
            CopyEvent::Followed { .. } => drop(self.follows.insert((account, trader), event)),
            CopyEvent::Unfollowed(_) => drop(self.follows.remove(&(account, trader))),
            CopyEvent::Skipped { .. } | CopyEvent::Detached { .. } | CopyEvent::Shared { .. } => {}
        }
        rows.copy_events.add(&StoredCopyEvent { lsn, account, trader, time, event })
    }

    /// Who follows whom.
    pub(super) fn open(&self, open: &mut Vec<Open>) {
        open.extend(self.follows.iter().filter_map(|((account, trader), event)| {
            let CopyEvent::Followed { follow, terms, share_ppm } = event else { return None };
            let kind = crate::observe::render::name(terms.kind);
            let object = json!({ "account": account.0, "trader": trader.0, "follow": follow, "kind": kind,
                "number": terms.number, "share_ppm": share_ppm });
            Some((format!("account {account} follows trader {trader}: {kind} {}", terms.number), object))
        }));
    }
}
