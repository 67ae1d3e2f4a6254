//! Live service: what of conversations lives in memory, and what is done about them once a minute.
//!
//! Owns: who of the staff is there, who types, the limits of those who write, what waits, and the way of events to users' sockets.
//! Never does: keep what was said, the office does. Invariants: an event is a hint: what it tells of is in the office before it is sent.
//! Known limits: events reach the sockets of this process; visitors and the staff have none and ask again.
//! Rules: `docs/rules/chat.md`.

use crate::api::http::limits::{Buckets, network};
use crate::app::Shared;
use crate::common::time::now_ms;
use dashmap::DashMap;
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::broadcast;
use xng_core::ids::AccountId;
use xng_persistence::office::{ChatParty, ChatSender};

/// Messages of a user, and of a visitor or an address without a login, in a minute.
const USER_A_MINUTE: u32 = 30;
const VISITOR_A_MINUTE: u32 = 10;
/// Visitors whom one address may begin to be in an hour.
const VISITORS_AN_HOUR: u32 = 20;
/// Who has not looked at the queue for so long is not there.
const THERE: Duration = Duration::from_secs(120);
/// Who types says so again within this time.
const TYPES: Duration = Duration::from_secs(6);
/// Events that a thread may be behind.
const BEHIND: usize = 1_024;
const MINUTE: Duration = Duration::from_secs(60);

/// A frame for the sockets of a user.
#[derive(Debug, Clone)]
pub struct Notice {
    /// Whose.
    pub account: AccountId,
    /// The frame.
    pub frame: Arc<str>,
}

/// See the module's header.
#[derive(Debug)]
pub struct Chat {
    notices: broadcast::Sender<Notice>,
    there: DashMap<u64, Instant>,
    /// By conversation, and whether it is the staff who types.
    typing: DashMap<(u64, bool), Instant>,
    users: Buckets<AccountId>,
    visitors: Buckets<String>,
    addresses: Buckets<IpAddr>,
    beginnings: Buckets<IpAddr>,
    waiting: AtomicU64,
    oldest_ms: AtomicU64,
}

impl Default for Chat {
    fn default() -> Chat {
        Chat {
            notices: broadcast::channel(BEHIND).0,
            there: DashMap::new(),
            typing: DashMap::new(),
            users: Buckets::new(USER_A_MINUTE, MINUTE),
            visitors: Buckets::new(VISITOR_A_MINUTE, MINUTE),
            addresses: Buckets::new(VISITOR_A_MINUTE, MINUTE),
            beginnings: Buckets::new(VISITORS_AN_HOUR, 60 * MINUTE),
            waiting: AtomicU64::new(0),
            oldest_ms: AtomicU64::new(0),
        }
    }
}

impl Chat {
    /// Frames for users' sockets from now on.
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    fn tell(&self, party: &ChatParty, event: &str, data: &Value) {
        let ChatParty::User(account) = party else { return };
        let frame = json!({ "event": event, "data": data }).to_string().into();
        // Without a thread that listens there is no socket either.
        drop(self.notices.send(Notice { account: *account, frame }));
    }

    /// Something was said in a conversation, or its state changed.
    pub fn moved(&self, party: &ChatParty, id: u64) {
        self.tell(party, "chat", &json!({ "id": id }));
    }

    /// A side has read everything up to a message.
    pub fn was_read(&self, party: &ChatParty, id: u64, (side, upto): (ChatSender, u64)) {
        self.tell(party, "chat_read", &json!({ "id": id, "side": side.name(), "upto": upto }));
    }

    /// Somebody types; who asks is told of the staff alone.
    pub fn types(&self, party: &ChatParty, id: u64, is_staff: bool) {
        self.typing.insert((id, is_staff), Instant::now());
        if is_staff {
            self.tell(party, "chat_typing", &json!({ "id": id }));
        }
    }

    /// What was typed is said.
    pub fn said(&self, id: u64, is_staff: bool) {
        self.typing.remove(&(id, is_staff));
    }

    /// Whether a side types now.
    #[must_use]
    pub fn is_typing(&self, id: u64, is_staff: bool) -> bool {
        self.typing.get(&(id, is_staff)).is_some_and(|at| at.elapsed() < TYPES)
    }

    /// Somebody of the staff looks at the queue.
    pub fn is_looking(&self, staff: u64) {
        self.there.insert(staff, Instant::now());
    }

    /// Whether anybody of the staff is there.
    #[must_use]
    pub fn is_staffed(&self) -> bool {
        self.there.iter().any(|at| at.elapsed() < THERE)
    }

    /// Counts a message; false when there were too many in the last minute.
    pub fn may_say(&self, party: &ChatParty, from: IpAddr) -> bool {
        match party {
            ChatParty::User(account) => self.users.take(*account),
            ChatParty::Visitor(name) => self.visitors.take(name.clone()) && self.addresses.take(network(from)),
        }
    }

    /// Counts a visitor who was nobody before; false when there were too many from there in the last hour.
    pub fn may_begin(&self, from: IpAddr) -> bool {
        self.beginnings.take(network(from))
    }

    /// Conversations that wait for the staff, and since when the first of them does, as of a minute ago at most.
    pub fn waiting(&self) -> (u64, Option<u64>) {
        let since = self.oldest_ms.load(Ordering::Relaxed);
        (self.waiting.load(Ordering::Relaxed), (since > 0).then_some(since))
    }

    fn sweep(&self) {
        self.there.retain(|_, at| at.elapsed() < THERE);
        self.typing.retain(|_, at| at.elapsed() < TYPES);
        self.users.sweep();
        self.visitors.sweep();
        self.addresses.sweep();
        self.beginnings.sweep();
    }
}

/// Once a minute: closes what nobody goes on with, erases what is old, and counts what waits.
pub async fn tidy(shared: &Shared) {
    let (chat, office) = (&shared.chat, shared.auth.office());
    chat.sweep();
    let now = now_ms().cast_unsigned();
    match office.close_idle_conversations("exchange", now).await {
        Ok(closed) => closed.iter().for_each(|(id, party)| chat.moved(party, *id)),
        Err(error) => tracing::warn!(%error, "conversations that nobody goes on with stay open for now"),
    }
    if let Err(error) = office.erase_chats(now).await {
        tracing::warn!(%error, "what was said long ago stays for now");
    }
    match office.conversations_waiting().await {
        Ok((waiting, since)) => {
            chat.waiting.store(waiting, Ordering::Relaxed);
            chat.oldest_ms.store(since.unwrap_or_default(), Ordering::Relaxed);
        }
        Err(error) => tracing::warn!(%error, "nobody knows how many conversations wait"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visitor_has_ten_messages_a_minute_and_so_has_their_address() {
        let (chat, from) = (Chat::default(), IpAddr::from([10, 0, 0, 1]));
        let visitor = |n: u8| ChatParty::Visitor(format!("v{n}"));
        assert_eq!((0..12).filter(|_| chat.may_say(&visitor(1), from)).count(), 10);
        assert!(!chat.may_say(&visitor(2), from), "another name changes nothing");
        assert!(chat.may_say(&visitor(2), IpAddr::from([10, 0, 0, 2])));
        let user = ChatParty::User(AccountId(1));
        assert_eq!((0..40).filter(|_| chat.may_say(&user, from)).count(), 30);
    }

    #[test]
    fn only_users_are_told_and_only_of_the_staffs_typing() {
        let chat = Chat::default();
        let mut notices = chat.notices();
        let (user, visitor) = (ChatParty::User(AccountId(7)), ChatParty::Visitor("v".into()));
        chat.moved(&visitor, 1);
        chat.types(&user, 2, false);
        assert!(notices.try_recv().is_err());
        chat.types(&user, 2, true);
        let told = notices.try_recv().unwrap();
        assert_eq!((told.account, &*told.frame), (AccountId(7), r#"{"data":{"id":2},"event":"chat_typing"}"#));
        assert!(chat.is_typing(2, true) && chat.is_typing(2, false) && !chat.is_typing(1, true));
        chat.said(2, true);
        assert!(!chat.is_typing(2, true));
    }
}
