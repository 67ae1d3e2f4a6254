//! Rows of corporate actions by the tools' own fold, and where the store has them.
//!
//! Owns: what is compared of accounts that went through an action. Never does: share code with the projection.
//! Invariants: rows come in the order of the journal. Known limits: rows of the actions themselves belong to no account and are
//! not compared.

use super::{ComparedRow, Open, Takes, Tool, Whose, a_row_a_record, tables};
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use xng_core::codec::Wire;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_core::stock::facts::StockFact;
use xng_persistence::store::{AppliedAction, AppliedFilter};

tables! { actions: AppliedAction }

impl ComparedRow for AppliedAction {
    const NAMES: [&'static str; 2] = ["corporate action", "corporate actions"];
    const KEY: &'static str = "applied_actions";
    a_row_a_record!();

    fn put(&self, out: &mut Vec<u8>) {
        self.time.put(out);
        self.market.put(out);
        self.action.put(out);
        let sums = [self.before, self.after, self.odd, self.odd_cash, self.gross, self.withheld];
        sums.iter().for_each(|sum| sum.put(out));
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(AppliedFilter { account })
    }
}

/// See the module's header.
pub(in crate::tools) struct Fold {
    whose: Whose,
}

impl Fold {
    pub(super) fn new(whose: Whose) -> Fold {
        Fold { whose }
    }

    /// Reads the next fact.
    pub(super) fn read(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &StockFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        let StockFact::ActionApplied(f) = fact else { return Ok(()) };
        if !self.whose.wants(f.account) {
            return Ok(());
        }
        let (mut before, mut after) = (Amount::ZERO, Amount::ZERO);
        for h in &f.holdings {
            (before, after) = (before + h.before, after + h.after);
        }
        rows.actions.add(&AppliedAction {
            lsn,
            account: f.account,
            market: f.action.market,
            action: f.action.id,
            time,
            before,
            after,
            odd: f.odd,
            odd_cash: f.odd_cash,
            gross: f.gross,
            withheld: f.withheld,
        })
    }

    /// Nothing of an action stays open for an account.
    pub(super) fn open(&self, _open: &mut Vec<Open>) {}
}
