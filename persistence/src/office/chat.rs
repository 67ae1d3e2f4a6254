//! Conversations of users and visitors with the staff: what was said, who holds one, what each side has read.
//!
//! Owns: the tables `conversations` and `chat_messages`. Never does: word a text of the system; know what may be said.
//! Invariants: a message with a client id is stored once; of a topic somebody has one conversation that is not closed; only who holds it
//! answers, and nobody holds more than [`MOST_HELD`]; claim, hand-over and close are one write with their row of the audit.
//! Known limits: none. Rules: `docs/rules/chat.md`.

use sqlx::{Sqlite, SqliteConnection, Transaction, sqlite::SqliteRow};
use xng_core::ids::AccountId;

use super::{AuditEntry, Fields, Office, OfficeError, audit::append, staff::finish};

/// Conversations that one person holds at the same time.
pub const MOST_HELD: u32 = 6;
/// Messages of a user or visitor since the last answer.
const MOST_UNANSWERED: u32 = 50;
/// What nobody says anything in for so long is closed: a day.
pub const CHAT_IDLE_MS: u64 = 86_400_000;
/// What was said is erased so long after closing: 180 days.
pub const CHAT_KEPT_MS: u64 = 180 * 86_400_000;

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatParty {
    /// A user.
    User(AccountId),
    /// Somebody who is not logged in, by the name that was drawn for them.
    Visitor(String),
}

/// What it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatTopic {
    /// Online support.
    Support = 1,
    /// The loan officer.
    Loan = 2,
    /// The repayment specialist.
    Repay = 3,
}

impl ChatTopic {
    /// All of them.
    pub const ALL: [ChatTopic; 3] = [Self::Support, Self::Loan, Self::Repay];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Support => "support",
            Self::Loan => "loan",
            Self::Repay => "repay",
        }
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatState {
    /// Nothing was said yet.
    Open = 1,
    /// The staff has to answer.
    WaitingAgent = 2,
    /// The user may go on.
    WaitingUser = 3,
    /// It is over.
    Closed = 4,
}

impl ChatState {
    /// All of them.
    pub const ALL: [ChatState; 4] = [Self::Open, Self::WaitingAgent, Self::WaitingUser, Self::Closed];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::WaitingAgent => "waiting_agent",
            Self::WaitingUser => "waiting_user",
            Self::Closed => "closed",
        }
    }
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatSender {
    /// A user or visitor.
    User = 1,
    /// Somebody of the staff.
    Agent = 2,
    /// The exchange; the text is a key.
    System = 3,
}

impl ChatSender {
    /// All of them.
    pub const ALL: [ChatSender; 3] = [Self::User, Self::Agent, Self::System];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::System => "system",
        }
    }
}

/// A conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// Its number.
    pub id: u64,
    /// Who asks.
    pub party: ChatParty,
    /// What it is about.
    pub topic: ChatTopic,
    /// The language of who asks.
    pub lang: String,
    /// Whose turn it is.
    pub state: ChatState,
    /// Who of the staff holds it.
    pub staff: Option<u64>,
    /// When it began, milliseconds since the epoch.
    pub opened_ms: u64,
    /// Since when an answer is waited for.
    pub waits_ms: Option<u64>,
    /// When something was said last.
    pub moved_ms: u64,
    /// When it was closed.
    pub closed_ms: Option<u64>,
    /// The last message that who asks has read; 0 for none.
    pub user_read: u64,
    /// The last message that the staff has read; 0 for none.
    pub staff_read: u64,
    /// How who asked liked it, 1 to 5.
    pub stars: Option<u8>,
    /// Its last message; 0 for none.
    pub last: u64,
}

/// Something that is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewChatMessage {
    /// In which conversation.
    pub conversation: u64,
    /// Drawn by who says it.
    pub client_id: String,
    /// Who of the staff; none: who asks.
    pub staff: Option<u64>,
    /// The text; empty with a picture.
    pub text: String,
    /// The name of a private picture of who asks.
    pub file: Option<String>,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Its number: later ones have higher numbers.
    pub id: u64,
    /// In which conversation.
    pub conversation: u64,
    /// Drawn by who said it; none of the system.
    pub client_id: Option<String>,
    /// Who said it.
    pub sender: ChatSender,
    /// The text, or the key of one of the system.
    pub text: String,
    /// A picture's name.
    pub file: Option<String>,
    /// When, milliseconds since the epoch.
    pub created_ms: u64,
}

/// What came of saying something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatSaid {
    /// It is stored.
    Now(ChatMessage),
    /// It was there already.
    Before(ChatMessage),
    /// The conversation is closed.
    Closed,
    /// Somebody else, or nobody, holds it.
    NotHeld,
    /// No such picture of this user, or it is used already.
    NoPicture,
    /// [`MOST_UNANSWERED`] wait for an answer.
    TooMany,
}

/// What came of claiming one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatClaim {
    /// It is theirs.
    Done,
    /// Somebody else holds it, or it is closed.
    Taken,
    /// They hold as many as one person may.
    Full,
}

const READING: &str = "read conversations";
const WRITING: &str = "write a conversation";
const COLUMNS: &str = "c.*, (SELECT coalesce(max(m.id), 0) FROM chat_messages m WHERE m.conversation = c.id) AS last";

impl Office {
    /// The conversation of somebody about a topic that is not closed; else their last one, if it was closed a day ago at most and has no
    /// stars, unless `is_new`; else a new one.
    pub async fn open_conversation(
        &self,
        party: &ChatParty,
        (topic, lang): (ChatTopic, &str),
        is_new: bool,
        now_ms: u64,
    ) -> Result<Conversation, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(WRITING))?;
        let (user, visitor) = columns(party);
        let query = format!(
            "SELECT {COLUMNS} FROM conversations c WHERE (user = ?1 OR visitor = ?2) AND topic = ?3
             AND (state < 4 OR (?4 = 0 AND stars IS NULL AND closed_ms > ?5)) ORDER BY state = 4, id DESC LIMIT 1"
        );
        let there = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(user)
            .bind(visitor)
            .bind(topic as u8)
            .bind(is_new)
            .bind(now_ms.saturating_sub(CHAT_IDLE_MS).cast_signed())
            .fetch_optional(&mut *transaction)
            .await
            .map_err(OfficeError::database(WRITING))?;
        if let Some(row) = there {
            return conversation(&row);
        }
        let row = sqlx::query(
            "INSERT INTO conversations (user, visitor, topic, lang, state, opened_ms, moved_ms)
             VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5) RETURNING *, 0 AS last",
        )
        .bind(user)
        .bind(visitor)
        .bind(topic as u8)
        .bind(lang)
        .bind(now_ms.cast_signed())
        .fetch_one(&mut *transaction)
        .await
        .map_err(OfficeError::database(WRITING))?;
        let new = conversation(&row)?;
        transaction.commit().await.map_err(OfficeError::database(WRITING))?;
        Ok(new)
    }

    /// One of them.
    pub async fn conversation(&self, id: u64) -> Result<Option<Conversation>, OfficeError> {
        let query = format!("SELECT {COLUMNS} FROM conversations c WHERE id = ?");
        let row = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(id.cast_signed())
            .fetch_optional(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        row.as_ref().map(conversation).transpose()
    }

    /// Those in which something was said and that are not closed: who waits longest first, users before visitors, then what moved last.
    pub async fn conversations(&self, limit: u32) -> Result<Vec<Conversation>, OfficeError> {
        let query = format!(
            "SELECT {COLUMNS} FROM conversations c WHERE state IN (2, 3)
             ORDER BY state, state = 2 AND user IS NULL, coalesce(waits_ms, -moved_ms), id LIMIT ?"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        rows.iter().map(conversation).collect()
    }

    /// Closed ones before a number, the newest first.
    pub async fn closed_conversations(
        &self,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<Conversation>, OfficeError> {
        let query =
            format!("SELECT {COLUMNS} FROM conversations c WHERE state = 4 AND id < ?1 ORDER BY id DESC LIMIT ?2");
        let rows = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(before.map_or(i64::MAX, u64::cast_signed))
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        rows.iter().map(conversation).collect()
    }

    /// How many wait for an answer, and since when the first of them does.
    pub async fn conversations_waiting(&self) -> Result<(u64, Option<u64>), OfficeError> {
        let (count, since): (i64, Option<i64>) =
            sqlx::query_as("SELECT count(*), min(waits_ms) FROM conversations WHERE state = 2")
                .fetch_one(self.database.readers())
                .await
                .map_err(OfficeError::database(READING))?;
        Ok((count.cast_unsigned(), since.map(i64::cast_unsigned)))
    }

    /// What was said after a message, the oldest first.
    pub async fn chat_messages(
        &self,
        conversation: u64,
        after: u64,
        limit: u32,
    ) -> Result<Vec<ChatMessage>, OfficeError> {
        let rows = sqlx::query("SELECT * FROM chat_messages WHERE conversation = ? AND id > ? ORDER BY id LIMIT ?")
            .bind(conversation.cast_signed())
            .bind(after.cast_signed())
            .bind(limit)
            .fetch_all(self.database.readers())
            .await
            .map_err(OfficeError::database(READING))?;
        rows.iter().map(message).collect()
    }

    /// The last things that were said, the oldest of them first.
    pub async fn newest_chat_messages(&self, conversation: u64, limit: u32) -> Result<Vec<ChatMessage>, OfficeError> {
        let rows = sqlx::query(
            "SELECT * FROM (SELECT * FROM chat_messages WHERE conversation = ? ORDER BY id DESC LIMIT ?) ORDER BY id",
        )
        .bind(conversation.cast_signed())
        .bind(limit)
        .fetch_all(self.database.readers())
        .await
        .map_err(OfficeError::database(READING))?;
        rows.iter().map(message).collect()
    }

    /// Says something. A client id that its sender used in this conversation gives what was said then.
    pub async fn say(&self, new: &NewChatMessage, now_ms: u64) -> Result<ChatSaid, OfficeError> {
        let sender = if new.staff.is_some() { ChatSender::Agent } else { ChatSender::User };
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(WRITING))?;
        let before = sqlx::query("SELECT * FROM chat_messages WHERE conversation = ? AND sender = ? AND client_id = ?")
            .bind(new.conversation.cast_signed())
            .bind(sender as u8)
            .bind(&new.client_id)
            .fetch_optional(&mut *transaction)
            .await
            .map_err(OfficeError::database(WRITING))?;
        if let Some(row) = before {
            return Ok(ChatSaid::Before(message(&row)?));
        }
        let (state, holder): (i64, Option<i64>) = sqlx::query_as("SELECT state, staff FROM conversations WHERE id = ?")
            .bind(new.conversation.cast_signed())
            .fetch_one(&mut *transaction)
            .await
            .map_err(OfficeError::database(WRITING))?;
        if state == ChatState::Closed as i64 {
            return Ok(ChatSaid::Closed);
        }
        if new.staff.is_some() && holder.map(i64::cast_unsigned) != new.staff {
            return Ok(ChatSaid::NotHeld);
        }
        if sender == ChatSender::User && unanswered(&mut transaction, new.conversation).await? >= MOST_UNANSWERED {
            return Ok(ChatSaid::TooMany);
        }
        if let Some(name) = &new.file {
            let used = sqlx::query(
                "UPDATE private_files SET conversation = ?1 WHERE name = ?2 AND verification IS NULL
                 AND conversation IS NULL AND user = (SELECT user FROM conversations WHERE id = ?1)",
            )
            .bind(new.conversation.cast_signed())
            .bind(name)
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(WRITING))?;
            if used.rows_affected() == 0 {
                return Ok(ChatSaid::NoPicture);
            }
        }
        let said = insert(&mut transaction, (new, sender), now_ms).await?;
        // Who says something has read what came before it.
        let query = match sender {
            ChatSender::User => {
                "UPDATE conversations SET state = 2, waits_ms = coalesce(waits_ms, ?1), moved_ms = ?1, user_read = ?2
                 WHERE id = ?3"
            }
            ChatSender::Agent | ChatSender::System => {
                "UPDATE conversations SET state = 3, waits_ms = NULL, moved_ms = ?1, staff_read = ?2 WHERE id = ?3"
            }
        };
        sqlx::query(query)
            .bind(now_ms.cast_signed())
            .bind(said.id.cast_signed())
            .bind(new.conversation.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(WRITING))?;
        transaction.commit().await.map_err(OfficeError::database(WRITING))?;
        Ok(ChatSaid::Now(said))
    }

    /// One side has read everything up to a message; false when it had before.
    pub async fn read_chat(&self, conversation: u64, side: ChatSender, upto: u64) -> Result<bool, OfficeError> {
        let column = match side {
            ChatSender::User => "user_read",
            ChatSender::Agent | ChatSender::System => "staff_read",
        };
        let query = format!(
            "UPDATE conversations SET {column} = min(?1, (SELECT max(id) FROM chat_messages WHERE conversation = ?2))
             WHERE id = ?2 AND {column} < min(?1, (SELECT max(id) FROM chat_messages WHERE conversation = ?2))"
        );
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(upto.cast_signed())
            .bind(conversation.cast_signed())
            .execute(writer.connection().map_err(OfficeError::database(WRITING))?)
            .await
            .map(|done| done.rows_affected() > 0)
            .map_err(OfficeError::database(WRITING))
    }

    /// Answers of the staff that a user has not read.
    pub async fn unread_answers(&self, user: AccountId) -> Result<u64, OfficeError> {
        let count: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM conversations c JOIN chat_messages m ON m.conversation = c.id
             WHERE c.user = ? AND m.sender = 2 AND m.id > c.user_read",
        )
        .bind(user.0.cast_signed())
        .fetch_one(self.database.readers())
        .await
        .map_err(OfficeError::database(READING))?;
        Ok(count.cast_unsigned())
    }

    /// A user has read all answers of the staff.
    pub async fn read_answers(&self, user: AccountId) -> Result<(), OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        sqlx::query(
            "UPDATE conversations SET user_read =
             (SELECT coalesce(max(id), 0) FROM chat_messages WHERE conversation = conversations.id) WHERE user = ?",
        )
        .bind(user.0.cast_signed())
        .execute(writer.connection().map_err(OfficeError::database(WRITING))?)
        .await
        .map(drop)
        .map_err(OfficeError::database(WRITING))
    }

    /// Keeps how somebody liked a closed conversation; false when it is not closed, or has other stars.
    pub async fn rate_conversation(&self, id: u64, stars: u8) -> Result<bool, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        sqlx::query("UPDATE conversations SET stars = ?1 WHERE id = ?2 AND state = 4 AND coalesce(stars, ?1) = ?1")
            .bind(stars)
            .bind(id.cast_signed())
            .execute(writer.connection().map_err(OfficeError::database(WRITING))?)
            .await
            .map(|done| done.rows_affected() > 0)
            .map_err(OfficeError::database(WRITING))
    }

    /// Somebody takes a conversation that nobody holds.
    pub async fn claim_conversation(
        &self,
        id: u64,
        staff: u64,
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<ChatClaim, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(WRITING))?;
        if held(&mut transaction, staff).await? >= i64::from(MOST_HELD) {
            return Ok(ChatClaim::Full);
        }
        let query = "UPDATE conversations SET staff = ?1 WHERE id = ?2 AND state IN (2, 3) AND staff IS NULL";
        if !changed(&mut transaction, query, (Some(staff), id)).await? {
            return Ok(ChatClaim::Taken);
        }
        tell(&mut transaction, id, "chat_joined", now_ms).await?;
        finish(transaction, audit, now_ms).await?;
        Ok(ChatClaim::Done)
    }

    /// Who holds a conversation gives it to somebody else, or back to the queue; to who answers from now on it is unread.
    pub async fn hand_over(
        &self,
        id: u64,
        (from, to): (u64, Option<u64>),
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<ChatClaim, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(WRITING))?;
        if let Some(to) = to
            && held(&mut transaction, to).await? >= i64::from(MOST_HELD)
        {
            return Ok(ChatClaim::Full);
        }
        // What nobody holds waits for somebody.
        let query = "UPDATE conversations SET staff = ?1, staff_read = 0, state = 2, waits_ms = coalesce(waits_ms, ?4)
                     WHERE id = ?2 AND state IN (2, 3) AND staff = ?3";
        let done = sqlx::query(query)
            .bind(to.map(u64::cast_signed))
            .bind(id.cast_signed())
            .bind(from.cast_signed())
            .bind(now_ms.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(WRITING))?;
        if done.rows_affected() == 0 {
            return Ok(ChatClaim::Taken);
        }
        tell(&mut transaction, id, "chat_handed_over", now_ms).await?;
        finish(transaction, audit, now_ms).await?;
        Ok(ChatClaim::Done)
    }

    /// Who holds a conversation closes it; false when they do not.
    pub async fn close_conversation(
        &self,
        id: u64,
        staff: u64,
        (audit, now_ms): (&AuditEntry, u64),
    ) -> Result<bool, OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(WRITING))?;
        let query = "UPDATE conversations SET state = 4, waits_ms = NULL, closed_ms = ?3
                     WHERE id = ?2 AND state IN (2, 3) AND staff = ?1";
        let done = sqlx::query(query)
            .bind(staff.cast_signed())
            .bind(id.cast_signed())
            .bind(now_ms.cast_signed())
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(WRITING))?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        tell(&mut transaction, id, "chat_closed", now_ms).await?;
        finish(transaction, audit, now_ms).await?;
        Ok(true)
    }

    /// Closes what nobody has said anything in for a day, and forgets what was opened and never used; the closed ones, with rows of the
    /// audit by `actor`.
    pub async fn close_idle_conversations(
        &self,
        actor: &str,
        now_ms: u64,
    ) -> Result<Vec<(u64, ChatParty)>, OfficeError> {
        let before = now_ms.saturating_sub(CHAT_IDLE_MS).cast_signed();
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        let mut transaction = writer.begin().await.map_err(OfficeError::database(WRITING))?;
        sqlx::query("DELETE FROM conversations WHERE state = 1 AND moved_ms <= ?")
            .bind(before)
            .execute(&mut *transaction)
            .await
            .map_err(OfficeError::database(WRITING))?;
        let rows = sqlx::query(
            "UPDATE conversations SET state = 4, waits_ms = NULL, closed_ms = ?1
             WHERE id IN (SELECT id FROM conversations WHERE state IN (2, 3) AND moved_ms <= ?2 LIMIT 100)
             RETURNING *, 0 AS last",
        )
        .bind(now_ms.cast_signed())
        .bind(before)
        .fetch_all(&mut *transaction)
        .await
        .map_err(OfficeError::database(WRITING))?;
        let mut closed = Vec::new();
        for row in &rows {
            let Conversation { id, party, .. } = conversation(row)?;
            tell(&mut transaction, id, "chat_closed_idle", now_ms).await?;
            let (action, subject) = ("close chat".to_owned(), chat_subject(id));
            let detail = r#"{"reason":"nobody said anything for a day"}"#.to_owned();
            let audit = AuditEntry { actor: actor.into(), action, subject, detail, ip: String::new() };
            append(&mut transaction, &audit, now_ms).await?;
            closed.push((id, party));
        }
        transaction.commit().await.map_err(OfficeError::database(WRITING))?;
        Ok(closed)
    }

    /// Erases what was said in conversations that were closed 180 days ago; that they were, and their stars, stay.
    pub async fn erase_chats(&self, now_ms: u64) -> Result<(), OfficeError> {
        let mut writer = self.database.writer().await.map_err(OfficeError::database(WRITING))?;
        sqlx::query(
            "DELETE FROM chat_messages WHERE conversation IN
             (SELECT c.id FROM conversations c WHERE state = 4 AND closed_ms <= ?
              AND EXISTS (SELECT 1 FROM chat_messages m WHERE m.conversation = c.id) LIMIT 100)",
        )
        .bind(now_ms.saturating_sub(CHAT_KEPT_MS).cast_signed())
        .execute(writer.connection().map_err(OfficeError::database(WRITING))?)
        .await
        .map(drop)
        .map_err(OfficeError::database(WRITING))
    }
}

/// How the audit names a conversation.
#[must_use]
pub fn chat_subject(id: u64) -> String {
    format!("chat:{id}")
}

fn columns(party: &ChatParty) -> (Option<i64>, Option<&str>) {
    match party {
        ChatParty::User(user) => (Some(user.0.cast_signed()), None),
        ChatParty::Visitor(name) => (None, Some(name)),
    }
}

async fn held(connection: &mut SqliteConnection, staff: u64) -> Result<i64, OfficeError> {
    sqlx::query_scalar("SELECT count(*) FROM conversations WHERE staff = ? AND state < 4")
        .bind(staff.cast_signed())
        .fetch_one(connection)
        .await
        .map_err(OfficeError::database(WRITING))
}

async fn changed(
    transaction: &mut Transaction<'_, Sqlite>,
    query: &'static str,
    (staff, id): (Option<u64>, u64),
) -> Result<bool, OfficeError> {
    let done = sqlx::query(query)
        .bind(staff.map(u64::cast_signed))
        .bind(id.cast_signed())
        .execute(&mut **transaction)
        .await
        .map_err(OfficeError::database(WRITING))?;
    Ok(done.rows_affected() > 0)
}

/// The system says something: the key of a text.
async fn tell(connection: &mut SqliteConnection, id: u64, key: &str, now_ms: u64) -> Result<(), OfficeError> {
    sqlx::query("INSERT INTO chat_messages (conversation, sender, text, created_ms) VALUES (?, 3, ?, ?)")
        .bind(id.cast_signed())
        .bind(key)
        .bind(now_ms.cast_signed())
        .execute(connection)
        .await
        .map(drop)
        .map_err(OfficeError::database(WRITING))
}

/// Messages of who asks since the last answer.
async fn unanswered(connection: &mut SqliteConnection, conversation: u64) -> Result<u32, OfficeError> {
    sqlx::query_scalar(
        "SELECT count(*) FROM chat_messages WHERE conversation = ?1 AND sender = 1
         AND id > (SELECT coalesce(max(id), 0) FROM chat_messages WHERE conversation = ?1 AND sender = 2)",
    )
    .bind(conversation.cast_signed())
    .fetch_one(connection)
    .await
    .map_err(OfficeError::database(WRITING))
}

/// What somebody held who does not work here any more waits for others, within the caller's transaction.
pub(super) async fn give_up_conversations(
    connection: &mut SqliteConnection,
    staff: u64,
    now_ms: u64,
) -> Result<(), OfficeError> {
    sqlx::query(
        "UPDATE conversations SET staff = NULL, state = 2, waits_ms = coalesce(waits_ms, ?2)
         WHERE staff = ?1 AND state IN (2, 3)",
    )
    .bind(staff.cast_signed())
    .bind(now_ms.cast_signed())
    .execute(connection)
    .await
    .map(drop)
    .map_err(OfficeError::database(WRITING))
}

async fn insert(
    connection: &mut SqliteConnection,
    (new, sender): (&NewChatMessage, ChatSender),
    now_ms: u64,
) -> Result<ChatMessage, OfficeError> {
    let row = sqlx::query(
        "INSERT INTO chat_messages (conversation, client_id, sender, staff, text, file, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *",
    )
    .bind(new.conversation.cast_signed())
    .bind(&new.client_id)
    .bind(sender as u8)
    .bind(new.staff.map(u64::cast_signed))
    .bind(&new.text)
    .bind(&new.file)
    .bind(now_ms.cast_signed())
    .fetch_one(connection)
    .await
    .map_err(OfficeError::database(WRITING))?;
    message(&row)
}

fn message(row: &SqliteRow) -> Result<ChatMessage, OfficeError> {
    let f = Fields { row, table: "chat_messages" };
    let sender: u8 = f.small("sender")?;
    let known = ChatSender::ALL.into_iter().find(|one| *one as u8 == sender);
    Ok(ChatMessage {
        id: f.id("id")?,
        conversation: f.id("conversation")?,
        client_id: f.get("client_id")?,
        sender: known.ok_or_else(|| f.strange("sender", sender.to_string()))?,
        text: f.get("text")?,
        file: f.get("file")?,
        created_ms: f.id("created_ms")?,
    })
}

fn conversation(row: &SqliteRow) -> Result<Conversation, OfficeError> {
    let f = Fields { row, table: "conversations" };
    let maybe = |column| Ok::<_, OfficeError>(f.get::<Option<i64>>(column)?.map(i64::cast_unsigned));
    let (topic, state): (u8, u8) = (f.small("topic")?, f.small("state")?);
    let party = match (maybe("user")?, f.get::<Option<String>>("visitor")?) {
        (Some(user), _) => ChatParty::User(AccountId(user)),
        (None, Some(name)) => ChatParty::Visitor(name),
        (None, None) => return Err(f.strange("visitor", "nobody".to_owned())),
    };
    let known = ChatTopic::ALL.into_iter().find(|one| *one as u8 == topic);
    let stars = f.get::<Option<i64>>("stars")?.map(u8::try_from).transpose();
    Ok(Conversation {
        id: f.id("id")?,
        party,
        topic: known.ok_or_else(|| f.strange("topic", topic.to_string()))?,
        lang: f.get("lang")?,
        state: ChatState::ALL
            .into_iter()
            .find(|one| *one as u8 == state)
            .ok_or_else(|| f.strange("state", state.to_string()))?,
        staff: maybe("staff")?,
        opened_ms: f.id("opened_ms")?,
        waits_ms: maybe("waits_ms")?,
        moved_ms: f.id("moved_ms")?,
        closed_ms: maybe("closed_ms")?,
        user_read: f.id("user_read")?,
        staff_read: f.id("staff_read")?,
        stars: stars.map_err(|_| f.strange("stars", "a number above 255".into()))?,
        last: f.id("last")?,
    })
}
