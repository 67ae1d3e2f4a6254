//! Messages to users as rows: what happened to them while they may have looked away.
//!
//! Owns: the table `messages`, to which several products add rows. Never does: hold a text: it is made when a message is read, in the
//! reader's language. Invariants: a message is a fold of facts, so that a store that is made anew has the same ones.
//! Known limits: fills of orders that rested are told together for ten seconds, one message for all of an account; whether a
//! message was read is in the office, not here; a store that was made before this table lacks what was before it.

use std::collections::BTreeMap;

use xng_core::{
    entity::TimeNs,
    ids::{AccountId, AssetId, MarketId},
    money::Amount,
};

use super::table::{Kept, Known, StoredRow, WrittenRow};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};

/// Fills of one account within this time are one message.
pub const TOGETHER_NS: TimeNs = 10_000_000_000;

/// What a message tells. The numbers are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageKind {
    /// A spot order that rested, or waited for a price, is filled: `amount` of the base for `other` of the quote.
    OrderFilled = 1,
    /// The same of an order of a contract's book: `amount` of the base, worth `other`.
    ContractOrderFilled = 2,
    /// A limit ticket is open, at the index `other`.
    TicketOpened = 3,
    /// A ticket was closed without its owner's doing; the result is `amount`, the index `other`, the reason `detail`.
    TicketClosed = 4,
    /// The same, by a liquidation.
    TicketLiquidated = 5,
    /// The pool of an account comes near its end: it is worth `amount`, and `other` must stay.
    RiskWarning = 6,
    /// `amount` of a position was closed by force; the mark was `other`.
    PositionLiquidated = 7,
    /// `amount` of a position was closed because an opposite one was liquidated, at the price `other`.
    PositionDeleveraged = 8,
    /// Funding, got or (negative) paid.
    Funding = 9,
    /// A seconds option was void: `amount` came back.
    OptionVoid = 10,
    /// A deposit was credited.
    Deposit = 11,
    /// A deposit below the least one came, and is kept until there is enough.
    SmallDeposit = 12,
    /// A withdrawal was asked for.
    WithdrawalRequested = 13,
    /// It was refused.
    WithdrawalRefused = 14,
    /// Its owner took it back.
    WithdrawalCancelled = 15,
    /// It was paid.
    WithdrawalPaid = 16,
    /// Coins of another user of the exchange came.
    TransferReceived = 17,
    /// The tier of verification is `detail` now.
    Tier = 18,
    /// The account was locked.
    AccountLocked = 19,
    /// It is active again.
    AccountActive = 20,
    /// A ticket of the trader `reference` was not copied, for the reason `detail`.
    CopySkipped = 21,
    /// A copy is its owner's own ticket now.
    CopyDetached = 22,
    /// The trader `reference` got the share `amount` of profits, and `other` came back.
    ProfitShared = 23,
    /// A corporate action: `amount` of money came, and `other` is held now; `detail` is 1 of a split, 2 of a dividend.
    CorporateAction = 24,
    /// A coupon came, worth `amount`.
    CouponIssued = 25,
}

impl MessageKind {
    /// All of them.
    pub const ALL: &'static [MessageKind] = &[
        Self::OrderFilled,
        Self::ContractOrderFilled,
        Self::TicketOpened,
        Self::TicketClosed,
        Self::TicketLiquidated,
        Self::RiskWarning,
        Self::PositionLiquidated,
        Self::PositionDeleveraged,
        Self::Funding,
        Self::OptionVoid,
        Self::Deposit,
        Self::SmallDeposit,
        Self::WithdrawalRequested,
        Self::WithdrawalRefused,
        Self::WithdrawalCancelled,
        Self::WithdrawalPaid,
        Self::TransferReceived,
        Self::Tier,
        Self::AccountLocked,
        Self::AccountActive,
        Self::CopySkipped,
        Self::CopyDetached,
        Self::ProfitShared,
        Self::CorporateAction,
        Self::CouponIssued,
    ];
}

/// What names a message: whose it is, when it came, what it tells, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageKey {
    /// Whose.
    pub account: AccountId,
    /// The record's time; of fills that are told together, the beginning of that time.
    pub at: TimeNs,
    /// What it tells.
    pub kind: MessageKind,
    /// Of what, where a record tells the same of several things.
    pub subject: u64,
}

impl MessageKey {
    /// Of an order that is filled, if anybody is told.
    pub(super) fn told(account: AccountId, kind: MessageKind, time: TimeNs) -> Option<MessageKey> {
        (!account.is_system()).then(|| Self::filled(account, kind, time))
    }

    /// Of orders that are filled within the same ten seconds.
    pub(super) fn filled(account: AccountId, kind: MessageKind, time: TimeNs) -> MessageKey {
        MessageKey { account, at: time / TOGETHER_NS * TOGETHER_NS, kind, subject: 0 }
    }
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    /// What names it.
    pub key: MessageKey,
    /// When what it tells happened last.
    pub time: TimeNs,
    /// How often it happened.
    pub count: u32,
    /// The market it is about; 0 without one.
    pub market: MarketId,
    /// What the amount is in; 0 where the market says it.
    pub asset: AssetId,
    /// More about it, see [`MessageKind`].
    pub detail: u32,
    /// The order, ticket, withdrawal or trader; 0 without one.
    pub reference: u64,
    /// How much, see [`MessageKind`].
    pub amount: Amount,
    /// Another number, see [`MessageKind`].
    pub other: Amount,
}

impl StoredMessage {
    /// One that tells nothing but its kind.
    pub(super) fn new(account: AccountId, kind: MessageKind, time: TimeNs) -> StoredMessage {
        Self::of(MessageKey { account, at: time, kind, subject: 0 }, time)
    }

    /// The same of one thing out of several.
    pub(super) fn about(self, subject: u64) -> StoredMessage {
        StoredMessage { key: MessageKey { subject, ..self.key }, reference: subject, ..self }
    }

    pub(super) fn of(key: MessageKey, time: TimeNs) -> StoredMessage {
        StoredMessage {
            key,
            time,
            count: 1,
            market: MarketId(0),
            asset: AssetId(0),
            detail: 0,
            reference: 0,
            amount: Amount::ZERO,
            other: Amount::ZERO,
        }
    }

    /// Adds it to a batch, unless it would tell the exchange itself something.
    pub(super) fn add_to(self, rows: &mut BTreeMap<MessageKey, StoredMessage>) {
        if !self.key.account.is_system() {
            rows.insert(self.key, self);
        }
    }

    /// As [`Self::add_to`], together with those of the same time.
    pub(super) fn add_up(self, known: &mut Known<StoredMessage>, rows: &mut BTreeMap<MessageKey, StoredMessage>) {
        if !self.key.account.is_system() {
            known.change_or_add(StoredMessage { count: 0, ..self }, rows, |row| {
                (row.count, row.time) = (row.count + 1, self.time);
            });
        }
    }
}

impl StoredRow for StoredMessage {
    const TABLE: &'static Table = &Table {
        name: "messages",
        reading: "read messages",
        key: &["account", "at_ns", "kind", "subject"],
        columns: &[
            "account",
            "at_ns",
            "kind",
            "subject",
            "time_ns",
            "count",
            "market",
            "asset",
            "detail",
            "reference",
            "amount_whole",
            "amount_frac",
            "other_whole",
            "other_frac",
        ],
        replaced: &["time_ns", "count"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let key = MessageKey {
            account: AccountId(f.id("account")?),
            at: f.id("at_ns")?,
            kind: f.variant("kind", MessageKind::ALL, |kind| kind as u8)?,
            subject: f.id("subject")?,
        };
        Ok(StoredMessage {
            key,
            time: f.id("time_ns")?,
            count: f.small("count")?,
            market: MarketId(f.small("market")?),
            asset: AssetId(f.small("asset")?),
            detail: f.small("detail")?,
            reference: f.id("reference")?,
            amount: f.amount("amount_whole", "amount_frac")?,
            other: f.amount("other_whole", "other_frac")?,
        })
    }
}

impl WrittenRow for StoredMessage {
    fn put(&self, c: &mut Columns) {
        c.id(self.key.account.0).id(self.key.at).int(self.key.kind as u8).id(self.key.subject);
        c.id(self.time).int(self.count).int(self.market.0).int(self.asset.0).int(self.detail).id(self.reference);
        c.amount(self.amount).amount(self.other);
    }
}

impl Kept for StoredMessage {
    type Key = MessageKey;

    fn key(&self) -> MessageKey {
        self.key
    }

    fn numbers(key: MessageKey) -> impl IntoIterator<Item = i64> {
        let MessageKey { account, at, kind, subject } = key;
        [account.0.cast_signed(), at.cast_signed(), kind as i64, subject.cast_signed()]
    }

    fn is_done(&self) -> bool {
        false
    }
}

/// Messages of one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageFilter {
    /// Whose.
    pub account: AccountId,
    /// Those that came at or after this time only.
    pub since: Option<TimeNs>,
}

impl Filter for MessageFilter {
    type Row = StoredMessage;
    type Cursor = MessageKey;
    const ORDER: &'static [&'static str] = &["at_ns", "kind", "subject"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed()).from("at_ns", self.since);
    }

    fn cursor(row: &StoredMessage) -> MessageKey {
        row.key
    }

    fn place(key: MessageKey) -> Vec<u64> {
        vec![key.at, key.kind as u64, key.subject]
    }
}
