//! Messages to users that come from the office, and which of all messages they have read.
//!
//! Owns: the tables `message_reads` and `message_marks`; which rows of the audit and of verifications are told to their user.
//! Never does: hold a text. Invariants: a message is a row that is there anyway, so none is lost and none comes twice.
//! Known limits: a single message that was read is remembered until all are marked as read.
//! Rules: `docs/rules/app-calls.md "Messages"`.

use std::collections::HashSet;

use sqlx::sqlite::SqliteRow;
use xng_core::{entity::TimeNs, ids::AccountId};

use super::{Fields, Office, OfficeError, mailed::SECURITY_CHANGES};

/// What the audit says of a user that its owner is told in the app, as the audit names it.
pub fn told() -> impl Iterator<Item = &'static str> {
    ["login", "bind contact"].into_iter().chain(SECURITY_CHANGES)
}

/// Where a message comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageSource {
    /// The store's messages.
    Fact = 1,
    /// This office.
    Office = 2,
    /// Announcements.
    Article = 3,
}

/// What names a message to whom it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageName {
    /// When it came.
    pub at: TimeNs,
    /// From where.
    pub source: MessageSource,
    /// What it tells, a number of its source.
    pub kind: u8,
    /// Of what.
    pub subject: u64,
}

/// What the office tells a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfficeMessage {
    /// Number of its row: of the audit, or of a verification.
    pub id: u64,
    /// When, milliseconds since the epoch.
    pub at_ms: u64,
    /// What.
    pub event: OfficeEvent,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfficeEvent {
    /// One of [`told`].
    Audit {
        /// Which.
        action: String,
        /// More about it, JSON.
        detail: String,
        /// From which network address.
        ip: String,
    },
    /// A verification was refused.
    VerificationFailed {
        /// Of which level.
        level: u8,
        /// A word of the list of reasons.
        reason: String,
    },
}

impl OfficeMessage {
    /// What names it.
    #[must_use]
    pub fn name(&self) -> MessageName {
        let kind = match &self.event {
            OfficeEvent::Audit { .. } => 1,
            OfficeEvent::VerificationFailed { .. } => 2,
        };
        MessageName { at: self.at_ms * 1_000_000, source: MessageSource::Office, kind, subject: self.id }
    }
}

/// What somebody has read of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessagesRead {
    /// Everything that came up to this time; none when all were never marked.
    pub until: Option<TimeNs>,
    /// Single ones that came later.
    pub single: HashSet<MessageName>,
}

impl MessagesRead {
    /// Whether a message was read.
    #[must_use]
    pub fn has(&self, name: &MessageName) -> bool {
        self.until.is_some_and(|until| name.at <= until) || self.single.contains(name)
    }
}

const READING: &str = "read messages of the office";

impl Office {
    /// What the office tells a user, the newest first.
    pub async fn office_messages(
        &self,
        user: AccountId,
        since_ms: u64,
        limit: u32,
    ) -> Result<Vec<OfficeMessage>, OfficeError> {
        let actions: Vec<String> = told().map(|action| format!("'{action}'")).collect();
        let query = format!(
            "SELECT * FROM (SELECT 1 AS kind, id, created_ms AS at_ms, action, detail, ip FROM audit
                            WHERE subject = ?1 AND created_ms >= ?3 AND action IN ({}) ORDER BY id DESC LIMIT ?4)
             UNION ALL
             SELECT 2, id, decided_ms, CAST(level AS TEXT), reason, '' FROM verifications
             WHERE user = ?2 AND state = 3 AND decided_ms >= ?3
             ORDER BY at_ms DESC, kind DESC, id DESC LIMIT ?4",
            actions.join(", ")
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(format!("user:{}", user.0))
            .bind(user.0.cast_signed())
            .bind(since_ms.cast_signed())
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        rows.iter().map(message).collect()
    }

    /// What a user has read of a source.
    pub async fn messages_read(&self, user: AccountId, source: MessageSource) -> Result<MessagesRead, OfficeError> {
        let until: Option<i64> = sqlx::query_scalar("SELECT at_ns FROM message_marks WHERE user = ? AND source = ?")
            .bind(user.0.cast_signed())
            .bind(source as u8)
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        let rows = sqlx::query("SELECT at_ns, kind, subject FROM message_reads WHERE user = ? AND source = ?")
            .bind(user.0.cast_signed())
            .bind(source as u8)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        let name = |row: &SqliteRow| {
            let f = Fields { row, table: "message_reads" };
            Ok(MessageName { at: f.id("at_ns")?, source, kind: f.small("kind")?, subject: f.id("subject")? })
        };
        let single = rows.iter().map(name).collect::<Result<_, OfficeError>>()?;
        Ok(MessagesRead { until: until.map(i64::cast_unsigned), single })
    }

    /// A message was read.
    pub async fn mark_message(&self, user: AccountId, name: &MessageName) -> Result<(), OfficeError> {
        let failed = "mark a message as read";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        sqlx::query("INSERT INTO message_reads (user, source, at_ns, kind, subject) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
            .bind(user.0.cast_signed())
            .bind(name.source as u8)
            .bind(name.at.cast_signed())
            .bind(name.kind)
            .bind(name.subject.cast_signed())
            .execute(writer.connection().map_err(OfficeError::database(failed))?)
            .await
            .map(drop)
            .map_err(OfficeError::database(failed))
    }

    /// All messages of these sources that came up to now were read.
    pub async fn mark_messages(
        &self,
        user: AccountId,
        sources: &[MessageSource],
        now: TimeNs,
    ) -> Result<(), OfficeError> {
        let failed = "mark messages as read";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(failed))?;
        for source in sources {
            let mark = "INSERT INTO message_marks (user, source, at_ns) VALUES (?1, ?2, ?3)
                        ON CONFLICT (user, source) DO UPDATE SET at_ns = max(at_ns, excluded.at_ns)";
            let single = "DELETE FROM message_reads WHERE user = ?1 AND source = ?2 AND at_ns <= ?3";
            for query in [mark, single] {
                sqlx::query(query)
                    .bind(user.0.cast_signed())
                    .bind(*source as u8)
                    .bind(now.cast_signed())
                    .execute(&mut *transaction)
                    .await
                    .map_err(OfficeError::database(failed))?;
            }
        }
        transaction.commit().await.map_err(OfficeError::database(failed))
    }
}

fn message(row: &SqliteRow) -> Result<OfficeMessage, OfficeError> {
    let f = Fields { row, table: "audit" };
    let (kind, action) = (f.get::<i64>("kind")?, f.get::<String>("action")?);
    let event = match kind {
        1 => OfficeEvent::Audit { action, detail: f.get("detail")?, ip: f.get("ip")? },
        _ => OfficeEvent::VerificationFailed {
            level: action.parse().map_err(|_| f.strange("level", action))?,
            reason: f.get::<Option<String>>("detail")?.unwrap_or_default(),
        },
    };
    Ok(OfficeMessage { id: f.id("id")?, at_ms: f.id("at_ms")?, event })
}
