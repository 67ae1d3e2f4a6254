//! The outbox: messages to users, from the transaction that causes one until it was sent, failed or expired.
//!
//! Owns: the table `outbox`.
//! Never does: send anything; open what is sealed.
//! Invariants: an attempt is counted before it is made; a message that is sent, failed or expired has no text any more; what has expired
//! is not attempted.
//! Known limits: a message whose sending was not noted is sent again: who receives it tells it by its id.
//! Rules: `docs/rules/authentication.md "Outbox"`.

use sqlx::{SqliteConnection, sqlite::SqliteRow};

use super::{Fields, Office, OfficeError};

/// Messages that the dev mailbox keeps.
const SHOWN_KEPT: i64 = 1_000;
/// How long it is known what became of a message.
const DONE_KEPT_MS: u64 = 7 * 24 * 3_600_000;

const WAITS: i64 = 0;
const SENT: i64 = 1;
const FAILED: i64 = 2;
const SHOWN: i64 = 3;

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// To a mail address.
    Mail,
    /// To a phone.
    Sms,
}

impl Channel {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Mail, Self::Sms];

    /// The name that the table uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Sms => "sms",
        }
    }
}

/// A message that is to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    /// Which way.
    pub channel: Channel,
    /// To whom.
    pub destination: String,
    /// In which language its text is.
    pub lang: String,
    /// Its subject.
    pub subject: String,
    /// Its text, sealed.
    pub sealed: Vec<u8>,
    /// It is shown in the dev mailbox and not sent.
    pub is_shown: bool,
    /// From when on it is worth nothing, milliseconds since the epoch.
    pub expires_ms: u64,
}

/// A message that is to be sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueMessage {
    /// Its id.
    pub id: u64,
    /// To whom.
    pub destination: String,
    /// In which language its text is.
    pub lang: String,
    /// Its subject.
    pub subject: String,
    /// Its text, sealed.
    pub sealed: Vec<u8>,
    /// Attempts before this one.
    pub attempts: u32,
    /// When it was written.
    pub created_ms: u64,
    /// From when on it is worth nothing.
    pub expires_ms: u64,
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It was sent.
    Sent,
    /// It was not sent, and is tried again.
    Later {
        /// Why not.
        error: String,
        /// When again.
        next_ms: u64,
    },
    /// It was not sent, and never will be.
    Failed {
        /// Why not.
        error: String,
    },
}

/// Messages of a channel that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How many.
    pub count: u64,
    /// When the oldest was written; 0 without any.
    pub oldest_ms: u64,
}

/// A message of the dev mailbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownMessage {
    /// Its id.
    pub id: u64,
    /// `mail` or `sms`.
    pub channel: String,
    /// To whom.
    pub destination: String,
    /// Its subject.
    pub subject: String,
    /// Its text, sealed.
    pub sealed: Vec<u8>,
    /// When it was written.
    pub created_ms: u64,
}

/// Writes a message within a transaction that the caller commits; old ones give way.
pub(super) async fn put(
    connection: &mut SqliteConnection,
    message: &NewMessage,
    now_ms: u64,
) -> Result<u64, OfficeError> {
    let failed = "put a message into the outbox";
    let put = sqlx::query(
        "INSERT INTO outbox
         (channel, destination, lang, subject, sealed, state, attempts, next_ms, error, created_ms, expires_ms)
         VALUES (?, ?, ?, ?, ?, ?, 0, ?, '', ?, ?)",
    )
    .bind(message.channel.name())
    .bind(&message.destination)
    .bind(&message.lang)
    .bind(&message.subject)
    .bind(&message.sealed)
    .bind(if message.is_shown { SHOWN } else { WAITS })
    .bind(now_ms.cast_signed())
    .bind(now_ms.cast_signed())
    .bind(message.expires_ms.cast_signed())
    .execute(&mut *connection)
    .await
    .map_err(OfficeError::database(failed))?;
    let id = put.last_insert_rowid();
    let old = [
        ("DELETE FROM outbox WHERE done_ms <= ?", now_ms.saturating_sub(DONE_KEPT_MS).cast_signed()),
        ("DELETE FROM outbox WHERE state = 3 AND id <= ?", id - SHOWN_KEPT),
    ];
    for (delete, until) in old {
        let deleted = sqlx::query(delete).bind(until).execute(&mut *connection).await;
        deleted.map_err(OfficeError::database(failed))?;
    }
    // Also where nothing is sent any more.
    for channel in Channel::ALL {
        expire(connection, channel, now_ms).await?;
    }
    Ok(id.cast_unsigned())
}

/// Ends what has expired: how many.
async fn expire(connection: &mut SqliteConnection, channel: Channel, now_ms: u64) -> Result<u64, OfficeError> {
    let ended = sqlx::query(
        "UPDATE outbox SET state = ?, sealed = NULL, done_ms = ?, error = trim('expired; ' || error, '; ')
         WHERE channel = ? AND state = 0 AND expires_ms <= ?",
    )
    .bind(FAILED)
    .bind(now_ms.cast_signed())
    .bind(channel.name())
    .bind(now_ms.cast_signed())
    .execute(connection)
    .await
    .map_err(OfficeError::database("end messages that expired"))?;
    Ok(ended.rows_affected())
}

impl Office {
    /// Ends messages of a channel that have expired: how many.
    pub async fn expire_messages(&self, channel: Channel, now_ms: u64) -> Result<u64, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database("end messages that expired"))?;
        let connection = writer.connection().map_err(OfficeError::database("end messages that expired"))?;
        expire(connection, channel, now_ms).await
    }

    /// Messages of a channel that are to be sent now, the longest due first.
    pub async fn due_messages(
        &self,
        channel: Channel,
        now_ms: u64,
        limit: u32,
    ) -> Result<Vec<DueMessage>, OfficeError> {
        let rows = sqlx::query(
            "SELECT * FROM outbox WHERE channel = ? AND state = 0 AND next_ms <= ? AND expires_ms > ?
             ORDER BY next_ms, id LIMIT ?",
        )
        .bind(channel.name())
        .bind(now_ms.cast_signed())
        .bind(now_ms.cast_signed())
        .bind(limit)
        .fetch_all(self.database.readers())
        .await
        .map_err(OfficeError::database("read the outbox"))?;
        rows.iter().map(due).collect()
    }

    /// Counts an attempt that is about to be made, the next one not before `next_ms`; false when the message is not to be sent (any
    /// more).
    pub async fn begin_attempt(&self, id: u64, now_ms: u64, next_ms: u64) -> Result<bool, OfficeError> {
        let failed = "count an attempt to send";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let begun = sqlx::query(
            "UPDATE outbox SET attempts = attempts + 1, next_ms = ? WHERE id = ? AND state = 0 AND expires_ms > ?",
        )
        .bind(next_ms.cast_signed())
        .bind(id.cast_signed())
        .bind(now_ms.cast_signed())
        .execute(writer.connection().map_err(OfficeError::database(failed))?)
        .await
        .map_err(OfficeError::database(failed))?;
        Ok(begun.rows_affected() == 1)
    }

    /// Notes what became of an attempt; false, and nothing changed, when the message ended meanwhile.
    pub async fn end_attempt(&self, id: u64, attempt: &Attempt, now_ms: u64) -> Result<bool, OfficeError> {
        let failed = "note an attempt to send";
        let mut writer = self.database.writer().await.map_err(OfficeError::database(failed))?;
        let connection = writer.connection().map_err(OfficeError::database(failed))?;
        let done = "UPDATE outbox SET state = ?, sealed = NULL, done_ms = ?, error = ? WHERE id = ? AND state = 0";
        let query = match attempt {
            Attempt::Sent => sqlx::query(done).bind(SENT).bind(now_ms.cast_signed()).bind(""),
            Attempt::Failed { error } => sqlx::query(done).bind(FAILED).bind(now_ms.cast_signed()).bind(error),
            Attempt::Later { error, next_ms } => {
                let later = "UPDATE outbox SET next_ms = ?, error = ? WHERE id = ? AND state = 0";
                sqlx::query(later).bind(next_ms.cast_signed()).bind(error)
            }
        };
        let noted = query.bind(id.cast_signed()).execute(connection).await.map_err(OfficeError::database(failed))?;
        Ok(noted.rows_affected() == 1)
    }

    /// How many messages of a channel wait, and since when.
    pub async fn waiting_messages(&self, channel: Channel) -> Result<Waiting, OfficeError> {
        let row = sqlx::query(
            "SELECT count(*) AS count, coalesce(min(created_ms), 0) AS oldest FROM outbox WHERE channel = ? AND state = 0",
        )
        .bind(channel.name())
        .fetch_one(self.database.readers())
        .await
        .map_err(OfficeError::database("count what waits in the outbox"))?;
        let f = Fields { row: &row, table: "outbox" };
        Ok(Waiting { count: f.id("count")?, oldest_ms: f.id("oldest")? })
    }

    /// The newest messages of the dev mailbox, newest first; to one destination, or to all.
    pub async fn shown_messages(
        &self,
        destination: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ShownMessage>, OfficeError> {
        let rows = sqlx::query(
            "SELECT * FROM outbox WHERE state = 3 AND (?1 IS NULL OR destination = ?1) ORDER BY id DESC LIMIT ?2",
        )
        .bind(destination)
        .bind(limit)
        .fetch_all(self.database.readers())
        .await
        .map_err(OfficeError::database("read the dev mailbox"))?;
        let shown = |row| {
            let f = Fields { row, table: "outbox" };
            Ok(ShownMessage {
                id: f.id("id")?,
                channel: f.get("channel")?,
                destination: f.get("destination")?,
                subject: f.get("subject")?,
                sealed: f.get("sealed")?,
                created_ms: f.id("created_ms")?,
            })
        };
        rows.iter().map(shown).collect()
    }
}

fn due(row: &SqliteRow) -> Result<DueMessage, OfficeError> {
    let f = Fields { row, table: "outbox" };
    Ok(DueMessage {
        id: f.id("id")?,
        destination: f.get("destination")?,
        lang: f.get("lang")?,
        subject: f.get("subject")?,
        sealed: f.get("sealed")?,
        attempts: f.small("attempts")?,
        created_ms: f.id("created_ms")?,
        expires_ms: f.id("expires_ms")?,
    })
}
