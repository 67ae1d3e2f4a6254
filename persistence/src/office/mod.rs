//! The office database: users, sessions, verification codes, second factors, API keys, addresses to withdraw to, bank cards, watchlists,
//! messages to be sent, staff with their cases, verifications, articles, conversations with users, which messages were read, and
//! the audit, as ordinary SQL tables.
//!
//! Owns: `office.db`, the only copy of these data.
//! Never does: hash a password, send a mail, read a clock or generate a token; keep balances or orders.
//! Invariants: what must not be half done is one transaction. Writes are serialised, so counters of attempts and limits cannot be
//! raced.
//! Known limits: SQLite on one machine.
//!
//! A business outcome (an address that is taken, a wrong code) is a value; an error is a fault of the database.

mod addresses;
mod api_keys;
mod audit;
mod cards;
mod case_outcomes;
mod cases;
mod chat;
mod codes;
mod contacts;
mod content;
mod factors;
mod lists;
mod mailed;
mod messages;
mod outbox;
mod pauses;
mod reports;
mod sessions;
mod staff;
#[cfg(test)]
mod tests;
mod traders;
mod users;
mod verifications;
mod withdraw_addresses;

use std::path::Path;

use sqlx::{Row, Type, sqlite::SqliteRow};

use crate::{migrations::SQLITE_OFFICE, sqlite::Database};

pub use addresses::KNOWN_FOR_MS;
pub use api_keys::{ApiKeyKind, NewApiKey, Proven, StoredApiKey, TRADES};
pub use audit::{AuditEntry, AuditFilter, AuditRow};
pub use cards::{CardKind, StoredCard};
pub use case_outcomes::CaseOutcome;
pub use cases::{CASE_OPEN_MS, CaseDecision, CaseState, NewCase, StaffCase};
pub use chat::{
    CHAT_IDLE_MS, CHAT_KEPT_MS, ChatClaim, ChatMessage, ChatParty, ChatSaid, ChatSender, ChatState, ChatTopic,
    Conversation, MOST_HELD, NewChatMessage, chat_subject,
};
pub use codes::{CodeCheck, CodeClaim, CodeUse, Purpose, SendCheck, SendLimits};
pub use contacts::Binding;
pub use content::{ArticleVersion, FIRST_ARTICLE, NewVersion, VersionState, VersionStep};
pub use factors::{Factor, FactorKind, Factors, MOST_PASSKEYS, NewFactor, Spending};
pub use lists::{Watched, Watching};
pub use mailed::{ToMail, mailed};
pub use messages::{MessageName, MessageSource, MessagesRead, OfficeEvent, OfficeMessage, told};
pub use outbox::{Attempt, Channel, DueMessage, NewMessage, ShownMessage, Waiting};
pub use pauses::{OPERATOR_PAUSE_MS, PAUSE_MS};
pub use reports::{DayCount, Wait};
pub use sessions::{NewSession, Session, TokenHash};
pub use staff::{
    ALONE_WAITS_MS, ENROL, Enrolment, EnrolmentBy, EnrolmentCode, NewStaff, NewStaffSession, STAFF_CASE, STAFF_IDLE_MS,
    STAFF_SESSION_MS, StaffCredential, StaffMember, signature_name,
};
pub use traders::{ApplicationState, TraderApplication};
pub use users::{Ended, Login, NewUser, PasswordProof, PaySetting, Phone, Registration, User};
pub use verifications::{
    FAILED_KEPT_MS, NewVerification, PICTURE_KEPT_MS, PrivateFile, REVIEW_MS, SentIn, Verification,
    VerificationDecision, VerificationState,
};
pub use withdraw_addresses::{NewWithdrawAddress, Saving, WhitelistOff, WithdrawAddress};

/// A fault of the office's database. Nothing was half done.
#[derive(Debug, thiserror::Error)]
pub enum OfficeError {
    /// The database refused, is locked, full or away.
    #[error("cannot {action}: {source}")]
    Database {
        /// What was attempted.
        action: &'static str,
        /// The cause.
        source: sqlx::Error,
    },
    /// The schema could not be brought up to date.
    #[error("cannot migrate the office's database: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A row that this build cannot read.
    #[error("a row of {table} holds {column} = {value}, which this build does not know")]
    Row {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// What it holds.
        value: String,
    },
    /// A row of the audit does not continue the chain of hashes.
    #[error("audit row {id} was changed, or one before it was removed")]
    AuditBroken {
        /// The first row that does not fit.
        id: u64,
    },
}

impl OfficeError {
    pub(crate) fn database(action: &'static str) -> impl FnOnce(sqlx::Error) -> Self {
        move |source| Self::Database { action, source }
    }
}

/// The office. See the module's header.
#[derive(Debug)]
pub struct Office {
    database: Database,
}

impl Office {
    /// Opens `path`, making the file when missing, and brings its schema up to date.
    ///
    /// # Errors
    /// When the file cannot be opened, or was written by a newer release.
    pub async fn open(path: &Path) -> Result<Self, OfficeError> {
        Ok(Self { database: Database::open(path, SQLITE_OFFICE).await? })
    }

    /// Opens the office and never changes it; nothing when there is none at `path`.
    ///
    /// # Errors
    /// When the file cannot be opened, or its schema is another one than this build's.
    pub async fn open_to_read(path: &Path) -> Result<Option<Self>, OfficeError> {
        if !path.is_file() {
            return Ok(None);
        }
        Ok(Database::open_to_read(path, SQLITE_OFFICE).await?.map(|database| Self { database }))
    }

    /// Writes a consistent copy of the office at `from` into the new file `to`, also while another process uses it. The
    /// schema stays what it is.
    ///
    /// # Errors
    /// When either file cannot be opened or the disk is full.
    pub async fn copy(from: &Path, to: &Path) -> Result<(), OfficeError> {
        Database::copy(from, to).await.map_err(OfficeError::database("copy the office"))
    }

    /// Closes the file. Calls that come later fail or open it again.
    pub async fn close(&self) {
        self.database.close().await;
    }
}

/// Reads the columns of one row.
struct Fields<'r> {
    row: &'r SqliteRow,
    table: &'static str,
}

impl Fields<'_> {
    fn get<'r, T: sqlx::Decode<'r, sqlx::Sqlite> + Type<sqlx::Sqlite>>(
        &'r self,
        column: &'static str,
    ) -> Result<T, OfficeError> {
        self.row.try_get(column).map_err(OfficeError::database("read a column"))
    }

    fn id(&self, column: &'static str) -> Result<u64, OfficeError> {
        Ok(self.get::<i64>(column)?.cast_unsigned())
    }

    fn small<T: TryFrom<i64>>(&self, column: &'static str) -> Result<T, OfficeError> {
        let value: i64 = self.get(column)?;
        T::try_from(value).map_err(|_| self.strange(column, value.to_string()))
    }

    fn hash(&self, column: &'static str) -> Result<[u8; 32], OfficeError> {
        let bytes: Vec<u8> = self.get(column)?;
        let len = bytes.len();
        bytes.try_into().map_err(|_| self.strange(column, format!("{len} bytes")))
    }

    fn strange(&self, column: &'static str, value: String) -> OfficeError {
        OfficeError::Row { table: self.table, column, value }
    }
}
