//! Copy trading as rows, and which of them are asked for.
//!
//! Owns: the tables `traders` and `copy_events`, and the rows of each fact of copy trading. Never does: compute a share; the
//! fact has it. Invariants: a row of `copy_events` is one fact, by its position; of a trader there is one row, as it is now.
//! Known limits: copies themselves are tickets; which closed ones were copies is in `closed_copies` (`contract.rs`).

use std::collections::BTreeMap;

use xng_core::{
    contract::tickets::TicketId,
    copy::{FollowKind, FollowTerms, TraderTerms, facts::CopyFact},
    entity::TimeNs,
    ids::{AccountId, AssetId},
    journal::Lsn,
    money::Amount,
    record::Record,
    reject::Reject,
};

use super::{
    Missing,
    message::{MessageKey, MessageKind, StoredMessage},
    table::{StoredRow, WrittenRow, tables},
};
use crate::store::{
    SqlStore, StoreError,
    sql::{Columns, Fields, Filter, Query, Statement, Table},
};

tables! {
    /// What a batch changes of copy trading.
    rows {
        /// Traders that changed, as they are now.
        traders: BTreeMap<AccountId, StoredTrader>,
        /// What happened to followers, in order.
        copy_events: Vec<StoredCopyEvent>,
        /// What owners are told.
        messages: BTreeMap<MessageKey, StoredMessage>,
    }
    remembered {}
}

impl Needs {
    pub(in crate::store) fn name(&mut self, _: &Record, _: &CopyFact) {}
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (lsn, record): (Lsn, &Record),
        fact: &CopyFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        let time = record.time;
        if let CopyFact::TraderSet(f) = fact {
            rows.traders.insert(f.account, StoredTrader { account: f.account, terms: f.terms, time });
        }
        rows.copy_events.extend(StoredCopyEvent::of(lsn, time, fact));
        if let Some(message) = message(fact, time) {
            message.add_to(&mut rows.messages);
        }
        Ok(())
    }
}

/// What a fact tells a follower. Who follows and who stops knows it.
fn message(fact: &CopyFact, time: TimeNs) -> Option<StoredMessage> {
    match fact {
        CopyFact::CopySkipped(f) => Some(StoredMessage {
            detail: f.reason as u32,
            reference: f.trader.0,
            ..StoredMessage::new(f.account, MessageKind::CopySkipped, time)
        }),
        CopyFact::CopyDetached(f) => Some(StoredMessage {
            reference: f.trader.0,
            ..StoredMessage::new(f.account, MessageKind::CopyDetached, time)
        }),
        CopyFact::ProfitShared(f) => Some(StoredMessage {
            asset: f.asset,
            reference: f.trader.0,
            amount: f.share,
            other: f.released,
            ..StoredMessage::new(f.account, MessageKind::ProfitShared, time)
        }),
        CopyFact::TraderSet(_) | CopyFact::Followed(_) | CopyFact::Unfollowed(_) | CopyFact::SharesDue(_) => None,
    }
}

/// A trader as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredTrader {
    /// Whose account.
    pub account: AccountId,
    /// Its terms; none when it is no trader any more.
    pub terms: Option<TraderTerms>,
    /// Since when.
    pub time: TimeNs,
}

impl StoredRow for StoredTrader {
    const TABLE: &'static Table = &Table {
        name: "traders",
        reading: "read traders",
        key: &["account"],
        columns: &["account", "asset", "share_ppm", "time_ns"],
        replaced: &["asset", "share_ppm", "time_ns"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let terms = match f.maybe_int("asset")? {
            None => None,
            Some(_) => Some(TraderTerms { asset: AssetId(f.small("asset")?), share_ppm: f.small("share_ppm")? }),
        };
        Ok(Self { account: AccountId(f.id("account")?), terms, time: f.id("time_ns")? })
    }
}

impl WrittenRow for StoredTrader {
    fn put(&self, c: &mut Columns) {
        c.id(self.account.0).maybe_int(self.terms.map(|terms| terms.asset.0.into()));
        c.maybe_int(self.terms.map(|terms| terms.share_ppm.into())).id(self.time);
    }
}

/// One account as a trader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraderFilter {
    /// Whose.
    pub account: AccountId,
}

impl Filter for TraderFilter {
    type Row = StoredTrader;
    type Cursor = AccountId;
    const ORDER: &'static [&'static str] = &["account"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
    }

    fn cursor(row: &StoredTrader) -> AccountId {
        row.account
    }

    fn place(account: AccountId) -> Vec<u64> {
        vec![account.0]
    }
}

impl SqlStore {
    /// All accounts that are traders or were, by number.
    ///
    /// # Errors
    /// When the database does not answer, or with a row that this build cannot read.
    pub async fn traders(&self) -> Result<Vec<StoredTrader>, StoreError> {
        self.select(Statement::new("SELECT * FROM traders ORDER BY account")).await
    }
}

/// What happened to a follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredCopyEvent {
    /// Position of the record.
    pub lsn: Lsn,
    /// Who follows.
    pub account: AccountId,
    /// The trader.
    pub trader: AccountId,
    /// When.
    pub time: TimeNs,
    /// What.
    pub event: CopyEvent,
}

/// What can happen to a follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyEvent {
    /// It follows, or chose something else.
    Followed {
        /// Number of the follow.
        follow: u64,
        /// What was chosen.
        terms: FollowTerms,
        /// The trader's share.
        share_ppm: u32,
    },
    /// It follows no more; so many copies became own tickets.
    Unfollowed(u64),
    /// A ticket of the trader was not copied.
    Skipped {
        /// Which.
        source: TicketId,
        /// Why.
        reason: Reject,
    },
    /// A copy became an own ticket.
    Detached {
        /// Of which ticket of the trader.
        source: TicketId,
        /// The copy.
        ticket: TicketId,
    },
    /// The trader's share was settled.
    Shared {
        /// The trader's.
        share: Amount,
        /// What came back.
        released: Amount,
        /// The highest sum of results from then on.
        mark: Amount,
    },
}

impl CopyEvent {
    /// Its permanent number.
    #[must_use]
    pub fn number(&self) -> u8 {
        match self {
            Self::Followed { .. } => 1,
            Self::Unfollowed(_) => 2,
            Self::Skipped { .. } => SKIPPED,
            Self::Detached { .. } => 4,
            Self::Shared { .. } => 5,
        }
    }
}

/// The number of what was skipped.
const SKIPPED: u8 = 3;

impl StoredCopyEvent {
    /// The row of a fact, if it has one.
    #[must_use]
    fn of(lsn: Lsn, time: TimeNs, fact: &CopyFact) -> Option<Self> {
        let row = |account, trader, event| Some(Self { lsn, account, trader, time, event });
        match fact {
            CopyFact::Followed(f) => {
                let (follow, terms, share_ppm) = (f.follow, f.terms, f.offer.share_ppm);
                row(f.account, f.trader, CopyEvent::Followed { follow, terms, share_ppm })
            }
            CopyFact::Unfollowed(f) => row(f.account, f.trader, CopyEvent::Unfollowed(f.detached.len() as u64)),
            CopyFact::CopySkipped(f) => {
                row(f.account, f.trader, CopyEvent::Skipped { source: f.source, reason: f.reason })
            }
            CopyFact::CopyDetached(f) => {
                row(f.account, f.trader, CopyEvent::Detached { source: f.source, ticket: f.ticket })
            }
            CopyFact::ProfitShared(f) => {
                let (share, released, mark) = (f.share, f.released, f.results.mark);
                row(f.account, f.trader, CopyEvent::Shared { share, released, mark })
            }
            CopyFact::TraderSet(_) | CopyFact::SharesDue(_) => None,
        }
    }
}

impl StoredRow for StoredCopyEvent {
    const TABLE: &'static Table = &Table {
        name: "copy_events",
        reading: "read copy events",
        key: &["lsn"],
        columns: &[
            "lsn",
            "account",
            "trader",
            "time_ns",
            "event",
            "follow",
            "kind",
            "number",
            "share_ppm",
            "detached",
            "source",
            "reason",
            "ticket",
            "share_whole",
            "share_frac",
            "released_whole",
            "released_frac",
            "mark_whole",
            "mark_frac",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let event = match f.int("event")? {
            1 => {
                let kind = f.variant("kind", FollowKind::ALL, |v| v as u8)?;
                let terms = FollowTerms { kind, number: f.small("number")? };
                CopyEvent::Followed { follow: f.id("follow")?, terms, share_ppm: f.small("share_ppm")? }
            }
            2 => CopyEvent::Unfollowed(f.id("detached")?),
            3 => CopyEvent::Skipped {
                source: TicketId(f.id("source")?),
                reason: f.variant("reason", Reject::ALL, |v| v as u8)?,
            },
            4 => CopyEvent::Detached { source: TicketId(f.id("source")?), ticket: TicketId(f.id("ticket")?) },
            5 => CopyEvent::Shared {
                share: f.amount("share_whole", "share_frac")?,
                released: f.amount("released_whole", "released_frac")?,
                mark: f.amount("mark_whole", "mark_frac")?,
            },
            other => return Err(f.strange("event", other.to_string())),
        };
        Ok(Self {
            lsn: Lsn(f.id("lsn")?),
            account: AccountId(f.id("account")?),
            trader: AccountId(f.id("trader")?),
            time: f.id("time_ns")?,
            event,
        })
    }
}

impl WrittenRow for StoredCopyEvent {
    fn put(&self, c: &mut Columns) {
        c.id(self.lsn.0).id(self.account.0).id(self.trader.0).id(self.time).int(self.event.number());
        let (mut follow, mut detached, mut source, mut ticket, mut reason) = (None, None, None, None, None);
        let mut shared = None;
        match self.event {
            CopyEvent::Followed { follow: number, terms, share_ppm } => follow = Some((number, terms, share_ppm)),
            CopyEvent::Unfollowed(copies) => detached = Some(copies),
            CopyEvent::Skipped { source: of, reason: why } => (source, reason) = (Some(of), Some(why)),
            CopyEvent::Detached { source: of, ticket: copy } => (source, ticket) = (Some(of), Some(copy)),
            CopyEvent::Shared { share, released, mark } => shared = Some((share, released, mark)),
        }
        c.maybe_int(follow.map(|(number, ..)| number.cast_signed()));
        c.maybe_int(follow.map(|(_, terms, _)| terms.kind as i64));
        c.maybe_int(follow.map(|(_, terms, _)| terms.number.into()));
        c.maybe_int(follow.map(|(.., share_ppm)| share_ppm.into()));
        c.maybe_int(detached.map(u64::cast_signed)).maybe_int(source.map(|of| of.0.cast_signed()));
        c.maybe_int(reason.map(|why| why as i64)).maybe_int(ticket.map(|copy| copy.0.cast_signed()));
        c.maybe_amount(shared.map(|(share, ..)| share)).maybe_amount(shared.map(|(_, released, _)| released));
        c.maybe_amount(shared.map(|(.., mark)| mark));
    }
}

/// What happened to one follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyEventFilter {
    /// Whose.
    pub account: AccountId,
    /// Only tickets that were not copied.
    pub skipped: bool,
}

impl Filter for CopyEventFilter {
    type Row = StoredCopyEvent;
    type Cursor = Lsn;
    const ORDER: &'static [&'static str] = &["lsn"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        if self.skipped {
            query.equal("event", SKIPPED);
        }
    }

    fn cursor(row: &StoredCopyEvent) -> Lsn {
        row.lsn
    }

    fn place(lsn: Lsn) -> Vec<u64> {
        vec![lsn.0]
    }
}
