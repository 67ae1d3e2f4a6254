//! Orders of contracts' books that wait for a price, as the auditor sees them.
//!
//! Owns: which orders wait. Never does: use the engine's triggers. Invariants checked: an order waits once, under an id of its
//! own; only its owner's orders leave; what one becomes is the order that waited, and no jump of the index waits then; an account
//! has no more of them than it may.
//! Known limits: that an order's price came is checked by the engine's own tests.

use super::{Auditor, Finding, WalletKey};
use xng_core::contract::book::conditional_facts::ConditionalsChanged;
use xng_core::contract::book::facts::ContractOrderPlaced;
use xng_core::contract::book::waiting::WaitingBookOrder;
use xng_core::journal::Lsn;

/// Waiting orders of an account on a contract.
const MOST: usize = 10;

/// Whether an order is the one that waited.
fn is_same(w: &WaitingBookOrder, f: &ContractOrderPlaced) -> bool {
    let o = &f.order;
    let terms = (w.order, w.account, w.side, w.leg, w.ticks) == (o.order, o.account, o.side, o.leg, o.ticks);
    let ways = (w.kind, w.tif, w.stp, w.reduce_only, w.client_id) == (f.kind, f.tif, f.stp, f.reduce_only, f.client_id);
    // What only closes is cut to what there is to close, and never grows.
    let closes = w.reduce_only || w.leg.is_closed_by(w.side);
    let lots = match (w.condition.close_position, closes) {
        (true, _) => f.opens.0 == 0,
        (false, true) => f.opens.0 == 0 && f.lots <= w.lots,
        (false, false) => f.lots == w.lots,
    };
    terms && ways && lots
}

impl Auditor {
    pub(super) fn conditionals_changed(
        &mut self,
        lsn: Lsn,
        f: &ConditionalsChanged,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let contract = f.units.contract;
        for gone in &f.gone {
            let known = self.book_of(lsn, contract)?.waiting.remove(&gone.order);
            if known != Some(*gone) || gone.account != f.account {
                return Err(format!("record {lsn} ends {gone:?}, which is {known:?}"));
            }
            if f.placed.is_none() {
                self.end(gone.order, lsn);
            }
        }
        if let Some(waits) = f.waits {
            self.order_ids(lsn, contract, waits.order.0, 1)?;
            if !self.lean {
                self.placed_in_books.entry(waits.order).or_insert((waits.account, lsn));
            }
            let book = self.book_of(lsn, contract)?;
            let own = book.waiting.values().filter(|w| w.account == f.account).count();
            let before = book.waiting.insert(waits.order, waits);
            if before.is_some() || own >= MOST || waits.account != f.account {
                return Err(format!("record {lsn} has {waits:?} wait, beside {own} others"));
            }
        }
        self.touch(f.account);
        let Some(placed) = &f.placed else { return Ok(()) };
        if f.gone.len() != 1 || !is_same(&f.gone[0], placed) || f.refused.is_some() {
            return Err(format!("record {lsn} makes {placed:?} of {:?}", f.gone));
        }
        if self.jumps(contract) {
            return Err(format!("record {lsn} makes {placed:?} while the index jumps"));
        }
        self.taken_in_book(lsn, placed, moved)
    }
}
