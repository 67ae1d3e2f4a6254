//! Orders that wait, lists, replacements and triggers in the auditor's ledger.
//!
//! Owns: the locks of waiting orders, and the orders of each list. Never does: check trigger prices. Invariants checked: a
//! waiting order is not filled; at most one of a list's two orders is ever filled; only open orders leave. Pending orders are
//! in `pending.rs`.
//! Known limits: a lean auditor forgets a list with its orders.

use super::{Auditor, Finding, Open, Stage, WalletKey, lock_of_one};
use xng_core::ids::OrderId;
use xng_core::journal::Lsn;
use xng_core::spot::ListKind;
use xng_core::spot::facts::{AmendedOrder, GoneOrder, OrdersChanged};

impl Auditor {
    pub(super) fn changed(&mut self, lsn: Lsn, f: &OrdersChanged, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        self.update(lsn, f.units.market, f.update.0)?;
        for gone in &f.gone {
            self.gone(lsn, f, gone, moved)?;
        }
        self.left_together(lsn, f)?;
        if let Some(first) = f.activated {
            self.activated(lsn, f, first)?;
        }
        for amended in &f.amended {
            self.amended(lsn, f, amended, moved)?;
        }
        if let Some((order, amount)) = f.triggered {
            let open = self.take_open(lsn, f, order)?;
            if open.stage != Stage::Waits(amount.0) || f.placed.as_ref().is_none_or(|placed| placed.order != order) {
                return Err(format!("record {lsn} triggers {order} out of {amount:?}, it was {open:?}"));
            }
            self.lock(f.account, (open.lock.0, -amount.0), moved);
        }
        if let Some(placed) = &f.placed {
            if placed.account != f.account || placed.units != f.units || placed.update != f.update {
                return Err(format!("record {lsn} places an order of another account or market"));
            }
            if f.triggered.is_none() && f.activated.is_none() {
                self.order_ids(lsn, f.units.market, placed.order.0, 1)?;
            }
            self.taken(lsn, placed, moved)?;
        }
        for w in &f.waiting {
            if f.activated.is_none() {
                self.order_ids(lsn, f.units.market, w.order.0, 1)?;
            }
            if w.account != f.account || w.lots.0 <= 0 || w.locked.0 < 0 {
                return Err(format!("record {lsn} has an order wait that cannot: {w:?}"));
            }
            let lock = lock_of_one(&f.units, w.side, w.ticks.0);
            self.lock(w.account, (lock.0, w.locked.0), moved);
            let (market, stage) = (f.units.market, Stage::Waits(w.locked.0));
            let (account, side, ticks, lots) = (w.account, w.side, w.ticks.0, w.lots.0);
            let open = Open { account, market, side, ticks, whole: lots, lots, lock, stage };
            self.open.insert(w.order, open);
            if !self.lean {
                self.placed.entry(w.order).or_insert((w.account, lsn));
            }
        }
        match f.list.as_ref().map(|list| (list.kind, &list.orders[..])) {
            None if f.pending.is_empty() => {}
            Some((ListKind::OneCancels, [one, other])) if f.pending.is_empty() => {
                self.lists.insert(*one, *other);
                self.lists.insert(*other, *one);
            }
            Some((ListKind::OneTriggers, orders)) => self.promised(lsn, f, orders)?,
            None | Some((ListKind::OneCancels, _)) => {
                return Err(format!("record {lsn} makes {:?} a list, and {:?} pending", f.list, f.pending));
            }
        }
        self.touch(f.account);
        Ok(())
    }

    pub(super) fn take_open(&mut self, lsn: Lsn, f: &OrdersChanged, order: OrderId) -> Result<Open, Finding> {
        let open = self.open.remove(&order).filter(|open| open.account == f.account);
        self.lists.remove(&order);
        open.ok_or_else(|| format!("record {lsn} speaks of order {order}, which is not open"))
    }

    fn gone(
        &mut self,
        lsn: Lsn,
        f: &OrdersChanged,
        gone: &GoneOrder,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let open = self.take_open(lsn, f, gone.order)?;
        let locked = open.locked();
        if (open.lots, locked) != (gone.lots.0, gone.locked.0) || gone.shown > gone.lots {
            return Err(format!("record {lsn} takes away {gone:?}, the order is {open:?}"));
        }
        self.lock(f.account, (open.lock.0, -locked), moved);
        self.end(gone.order, lsn);
        Ok(())
    }

    fn amended(
        &mut self,
        lsn: Lsn,
        f: &OrdersChanged,
        a: &AmendedOrder,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let Some(open) = self.open.get_mut(&a.order).filter(|open| open.account == f.account) else {
            return Err(format!("record {lsn} makes order {} smaller, which is not open", a.order));
        };
        open.lots -= a.cut.0;
        open.whole -= a.cut.0;
        let sound = match &mut open.stage {
            Stage::Waits(locked) => {
                *locked -= a.released.0;
                *locked >= 0
            }
            Stage::Rests => a.released.0 == open.lock.1 * i128::from(a.cut.0),
            Stage::Pending => false,
        };
        if !sound || a.cut.0 <= 0 || open.lots <= 0 || open.whole != a.lots.0 {
            return Err(format!("record {lsn} makes {a:?} of an order, and leaves {open:?}"));
        }
        let asset = open.lock.0;
        self.lock(f.account, (asset, -a.released.0), moved);
        Ok(())
    }

    /// An order of a list was filled: its other one may not be.
    pub(super) fn filled_of_list(&mut self, lsn: Lsn, order: OrderId) -> Result<(), Finding> {
        if self.spoiled.contains(&order) {
            return Err(format!("record {lsn} fills order {order} although the other one of its list was filled"));
        }
        if let Some(other) = self.lists.get(&order).filter(|other| self.open.contains_key(*other)) {
            self.spoiled.insert(*other);
        }
        Ok(())
    }
}
