//! Corporate actions of stocks as rows, and which of them are asked for.
//!
//! Owns: the tables `corporate_actions` and `applied_actions`, and the rows of each fact of stocks. Never does: compute an
//! amount; the fact has it. Invariants: an action has one row, an account has one row for each action that it went through. Known
//! limits: calendars have no rows: they are in memory and in the journal.

use std::collections::BTreeMap;

use xng_core::{
    entity::TimeNs,
    ids::{AccountId, AssetId, MarketId},
    journal::Lsn,
    money::Amount,
    record::Record,
    stock::{
        ActionKind,
        facts::{Action, ActionApplied, StockFact},
    },
};

use super::{
    Missing,
    message::{MessageKey, MessageKind, StoredMessage},
    table::{Kept, StoredRow, WrittenRow, tables},
};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};

tables! {
    /// What a batch changes of corporate actions.
    rows {
        /// Actions that changed, as they are now.
        actions: BTreeMap<(MarketId, u32), StoredAction>,
        /// Accounts that went through one, in order.
        applied: Vec<AppliedAction>,
        /// What owners are told.
        messages: BTreeMap<MessageKey, StoredMessage>,
    }
    remembered { actions: StoredAction }
}

impl Needs {
    pub(in crate::store) fn name(&mut self, _: &Record, fact: &StockFact) {
        match fact {
            StockFact::ActionAnnounced(f) => self.actions.made((f.action.market, f.action.id)),
            StockFact::ActionSet(f) => self.actions.changed((f.action.market, f.action.id)),
            StockFact::ActionDone(f) => self.actions.changed((f.market, f.id)),
            StockFact::CalendarSet(_) | StockFact::SessionChanged(_) | StockFact::ActionApplied(_) => {}
        }
    }
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (lsn, record): (Lsn, &Record),
        fact: &StockFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        let time = record.time;
        let missing = |market: MarketId, id: u32| Missing { lsn, row: format!("action {id} of market {market}") };
        match fact {
            StockFact::ActionAnnounced(f) => {
                let row = StoredAction { action: f.action, announced: time, set: None, done: None };
                self.actions.add(row, &mut rows.actions);
            }
            StockFact::ActionSet(f) => {
                let key = (f.action.market, f.action.id);
                let set = ActionInForce { time, board_lot: f.board_lot, odd_price: f.odd_price };
                let changed = self.actions.change(key, &mut rows.actions, |row| row.set = Some(set));
                changed.ok_or_else(|| missing(key.0, key.1))?;
            }
            StockFact::ActionDone(f) => {
                let changed = self.actions.change((f.market, f.id), &mut rows.actions, |row| row.done = Some(time));
                changed.ok_or_else(|| missing(f.market, f.id))?;
            }
            StockFact::ActionApplied(f) => {
                rows.applied.push(AppliedAction::of((lsn, time), f));
                message(f, time).add_to(&mut rows.messages);
            }
            StockFact::CalendarSet(_) | StockFact::SessionChanged(_) => {}
        }
        Ok(())
    }
}

/// What an action tells who held the stock.
fn message(f: &ActionApplied, time: TimeNs) -> StoredMessage {
    StoredMessage {
        market: f.action.market,
        asset: f.action.quote,
        detail: u32::from(match f.action.kind {
            ActionKind::Split { .. } => SPLIT,
            ActionKind::Dividend { .. } => DIVIDEND,
        }),
        amount: f.odd_cash + f.gross - f.withheld,
        other: f.holdings.iter().fold(Amount::ZERO, |held, holding| held + holding.after),
        ..StoredMessage::new(f.account, MessageKind::CorporateAction, time)
    }
}

/// A corporate action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredAction {
    /// The action.
    pub action: Action,
    /// When its market stopped taking orders for it.
    pub announced: TimeNs,
    /// Once it was in force.
    pub set: Option<ActionInForce>,
    /// When all holders had gone through it.
    pub done: Option<TimeNs>,
}

/// An action in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionInForce {
    /// Since when.
    pub time: TimeNs,
    /// Holdings are whole multiples of this after a split.
    pub board_lot: Amount,
    /// What a share of what is no whole one was paid.
    pub odd_price: Amount,
}

const SPLIT: u8 = 1;
const DIVIDEND: u8 = 2;

impl StoredRow for StoredAction {
    const TABLE: &'static Table = &Table {
        name: "corporate_actions",
        reading: "read corporate actions",
        key: &["market", "action"],
        columns: &[
            "market",
            "action",
            "asset",
            "quote",
            "kind",
            "new_shares",
            "old_shares",
            "per_share_whole",
            "per_share_frac",
            "withheld_ppm",
            "announced_ns",
            "set_ns",
            "board_lot_whole",
            "board_lot_frac",
            "odd_price_whole",
            "odd_price_frac",
            "done_ns",
        ],
        replaced: &["set_ns", "board_lot_whole", "board_lot_frac", "odd_price_whole", "odd_price_frac", "done_ns"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let kind = match f.small::<u8>("kind")? {
            SPLIT => ActionKind::Split { new: f.small("new_shares")?, old: f.small("old_shares")? },
            DIVIDEND => {
                let per_share = f.amount("per_share_whole", "per_share_frac")?;
                ActionKind::Dividend { per_share, withheld_ppm: f.small("withheld_ppm")? }
            }
            other => return Err(f.strange("kind", other.to_string())),
        };
        let (market, id) = (MarketId(f.small("market")?), f.small("action")?);
        let (asset, quote) = (AssetId(f.small("asset")?), AssetId(f.small("quote")?));
        let set = match f.maybe_int("set_ns")? {
            None => None,
            Some(time) => Some(ActionInForce {
                time: time.cast_unsigned(),
                board_lot: f.amount("board_lot_whole", "board_lot_frac")?,
                odd_price: f.amount("odd_price_whole", "odd_price_frac")?,
            }),
        };
        Ok(StoredAction {
            action: Action { market, asset, quote, id, kind },
            announced: f.id("announced_ns")?,
            set,
            done: f.maybe_int("done_ns")?.map(i64::cast_unsigned),
        })
    }
}

impl WrittenRow for StoredAction {
    fn put(&self, c: &mut Columns) {
        let a = &self.action;
        c.int(a.market.0).int(a.id).int(a.asset.0).int(a.quote.0);
        let (kind, shares, dividend) = match a.kind {
            ActionKind::Split { new, old } => (SPLIT, Some((new, old)), None),
            ActionKind::Dividend { per_share, withheld_ppm } => (DIVIDEND, None, Some((per_share, withheld_ppm))),
        };
        c.int(kind).maybe_int(shares.map(|(new, _)| new.into())).maybe_int(shares.map(|(_, old)| old.into()));
        c.maybe_amount(dividend.map(|(per_share, _)| per_share)).maybe_int(dividend.map(|(_, ppm)| ppm.into()));
        c.id(self.announced).maybe_int(self.set.map(|set| set.time.cast_signed()));
        c.maybe_amount(self.set.map(|set| set.board_lot)).maybe_amount(self.set.map(|set| set.odd_price));
        c.maybe_int(self.done.map(u64::cast_signed));
    }
}

impl Kept for StoredAction {
    type Key = (MarketId, u32);

    fn key(&self) -> (MarketId, u32) {
        (self.action.market, self.action.id)
    }

    fn numbers((market, id): (MarketId, u32)) -> impl IntoIterator<Item = i64> {
        [market.0.into(), id.into()]
    }

    fn is_done(&self) -> bool {
        self.done.is_some()
    }
}

/// An account that went through an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppliedAction {
    /// Position of the record.
    pub lsn: Lsn,
    /// Whose.
    pub account: AccountId,
    /// Which market's.
    pub market: MarketId,
    /// The action's number.
    pub action: u32,
    /// When.
    pub time: TimeNs,
    /// What all wallets held before.
    pub before: Amount,
    /// What they hold after.
    pub after: Amount,
    /// What was no whole board lot and was paid for.
    pub odd: Amount,
    /// What was paid for it.
    pub odd_cash: Amount,
    /// The dividend.
    pub gross: Amount,
    /// What was withheld of it.
    pub withheld: Amount,
}

impl AppliedAction {
    fn of((lsn, time): (Lsn, TimeNs), f: &ActionApplied) -> Self {
        AppliedAction {
            lsn,
            account: f.account,
            market: f.action.market,
            action: f.action.id,
            time,
            before: f.holdings.iter().map(|h| h.before).sum(),
            after: f.holdings.iter().map(|h| h.after).sum(),
            odd: f.odd,
            odd_cash: f.odd_cash,
            gross: f.gross,
            withheld: f.withheld,
        }
    }
}

impl StoredRow for AppliedAction {
    const TABLE: &'static Table = &Table {
        name: "applied_actions",
        reading: "read applied actions",
        key: &["lsn"],
        columns: &[
            "lsn",
            "account",
            "market",
            "action",
            "time_ns",
            "before_whole",
            "before_frac",
            "after_whole",
            "after_frac",
            "odd_whole",
            "odd_frac",
            "odd_cash_whole",
            "odd_cash_frac",
            "gross_whole",
            "gross_frac",
            "withheld_whole",
            "withheld_frac",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        Ok(AppliedAction {
            lsn: Lsn(f.id("lsn")?),
            account: AccountId(f.id("account")?),
            market: MarketId(f.small("market")?),
            action: f.small("action")?,
            time: f.id("time_ns")?,
            before: f.amount("before_whole", "before_frac")?,
            after: f.amount("after_whole", "after_frac")?,
            odd: f.amount("odd_whole", "odd_frac")?,
            odd_cash: f.amount("odd_cash_whole", "odd_cash_frac")?,
            gross: f.amount("gross_whole", "gross_frac")?,
            withheld: f.amount("withheld_whole", "withheld_frac")?,
        })
    }
}

impl WrittenRow for AppliedAction {
    fn put(&self, c: &mut Columns) {
        c.id(self.lsn.0).id(self.account.0).int(self.market.0).int(self.action).id(self.time);
        c.amount(self.before).amount(self.after).amount(self.odd).amount(self.odd_cash);
        c.amount(self.gross).amount(self.withheld);
    }
}

/// Actions of one stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionFilter {
    /// Whose market.
    pub market: MarketId,
}

impl Filter for ActionFilter {
    type Row = StoredAction;
    type Cursor = u32;
    const ORDER: &'static [&'static str] = &["action"];

    fn narrow(&self, query: &mut Query) {
        query.equal("market", self.market.0);
    }

    fn cursor(row: &StoredAction) -> u32 {
        row.action.id
    }

    fn place(action: u32) -> Vec<u64> {
        vec![action.into()]
    }
}

/// Actions that one account went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppliedFilter {
    /// Whose.
    pub account: AccountId,
}

impl Filter for AppliedFilter {
    type Row = AppliedAction;
    type Cursor = Lsn;
    const ORDER: &'static [&'static str] = &["lsn"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
    }

    fn cursor(row: &AppliedAction) -> Lsn {
        row.lsn
    }

    fn place(lsn: Lsn) -> Vec<u64> {
        vec![lsn.0]
    }
}
