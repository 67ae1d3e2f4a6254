//! How accounts trade contracts' books, as the auditor sees it.
//!
//! Owns: multiples, margin modes and levels that accounts have. Never does: use the engine's formulas. Invariants checked: an
//! order has the multiple and the mode that its account chose, is valued at its limit, a sell at the mark if that is higher,
//! and sets its fee aside at the higher rate of its account's level.
//! Known limits: the mark and the level are ones of those that its account saw lately.

use super::contracts::Listed;
use super::{Auditor, Finding};
use std::collections::{BTreeMap, VecDeque};
use xng_core::contract::book::order::{BookOrder, BookUnits};
use xng_core::contract::facts::MarginMode;
use xng_core::ids::{AccountId, MarketId};
use xng_core::journal::Lsn;
use xng_core::market::LevelFees;
use xng_core::money::Amount;
use xng_core::spot::Side;

/// The largest multiple that an account has before it chooses one.
const FIRST_MULTIPLE: u16 = 20;
/// So many of a contract's last marks are kept.
const MARKS: usize = 32;

/// What the auditor knows of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    chosen: BTreeMap<(AccountId, MarketId), (u16, MarginMode)>,
    /// The level before the last change, and the one after it.
    levels: BTreeMap<AccountId, (u8, u8)>,
}

impl Terms {
    pub(super) fn choose(&mut self, account: AccountId, contract: MarketId, terms: (u16, MarginMode)) {
        self.chosen.insert((account, contract), terms);
    }

    pub(super) fn set_level(&mut self, account: AccountId, level: u8) {
        let levels = self.levels.entry(account).or_default();
        *levels = (levels.1, level);
    }
}

impl Listed {
    /// A mark was made.
    pub(super) fn see_mark(&mut self, mark: Amount) {
        if self.marks.back() != Some(&mark.0) {
            if self.marks.len() == MARKS {
                self.marks.pop_front();
            }
            self.marks.push_back(mark.0);
        }
    }
}

/// Whether an order is valued as it must be when one of these is the mark that its account saw.
fn is_valued(u: &BookUnits, o: &BookOrder, marks: &VecDeque<i128>) -> bool {
    let limit = i128::from(o.ticks.0) * u.tick.0;
    match o.side {
        // At market it is valued at a price of its account, and does not rest.
        Side::Buy => o.ticks.0 == 0 || o.valued.0 == limit,
        Side::Sell => marks.iter().any(|mark| limit.max(*mark) == o.valued.0),
    }
}

impl Auditor {
    /// Whether a new order has the terms of its account.
    pub(super) fn has_terms(&mut self, lsn: Lsn, u: &BookUnits, o: &BookOrder) -> Result<(), Finding> {
        let listed = self.listed(lsn, u.contract)?;
        let largest = listed.params.brackets.list.first().map_or(0, |bracket| bracket.max_multiple);
        let valued = is_valued(u, o, &listed.marks);
        let chosen = self.terms.chosen.get(&(o.account, u.contract)).copied();
        let terms = chosen.unwrap_or((FIRST_MULTIPLE.min(largest), MarginMode::Cross));
        let levels = self.terms.levels.get(&o.account).copied().unwrap_or_default();
        let fees = &self.book_of(lsn, u.contract)?.fees;
        let fee = |level: u8| {
            let of_level = fees.get(usize::from(level)).or(fees.last());
            of_level.map_or(0, |LevelFees { maker, taker }| maker.0.max(taker.0))
        };
        let fee_ppm = o.fee_ppm.0;
        if !valued || (o.multiple, o.mode) != terms || ![fee(levels.0), fee(levels.1)].contains(&fee_ppm) {
            return Err(format!(
                "record {lsn} takes {o:?}; {terms:?} and levels {levels:?} are right, valued: {valued}"
            ));
        }
        Ok(())
    }
}
