//! What the office tells its users, and what they have read.
//!
//! Owns: the way there. Never does: word a message. Invariants: as of the office. Known limits: as of the office.

use super::Auth;
use super::office::away;
use crate::api::http::errors::Failure;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_persistence::office::{MessageName, MessageSource, MessagesRead, OfficeMessage};

impl Auth {
    /// What the office tells a user since then, newest first.
    pub async fn office_messages(
        &self,
        user: AccountId,
        since_ms: u64,
        limit: u32,
    ) -> Result<Vec<OfficeMessage>, Failure> {
        self.office.office_messages(user, since_ms, limit).await.map_err(away)
    }

    /// What a user has read of a source.
    pub async fn messages_read(&self, user: AccountId, source: MessageSource) -> Result<MessagesRead, Failure> {
        self.office.messages_read(user, source).await.map_err(away)
    }

    /// How many answers of live service a user has not read.
    pub async fn unread_answers(&self, user: AccountId) -> Result<u64, Failure> {
        self.office.unread_answers(user).await.map_err(away)
    }

    /// All answers of live service were read.
    pub async fn mark_answers(&self, user: AccountId) -> Result<(), Failure> {
        self.office.read_answers(user).await.map_err(away)
    }

    /// A message was read.
    pub async fn mark_message(&self, user: AccountId, name: &MessageName) -> Result<(), Failure> {
        self.office.mark_message(user, name).await.map_err(away)
    }

    /// All messages of these sources up to now were read.
    pub async fn mark_messages(&self, user: AccountId, of: &[MessageSource], now: TimeNs) -> Result<(), Failure> {
        self.office.mark_messages(user, of, now).await.map_err(away)
    }
}
