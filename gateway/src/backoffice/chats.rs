//! Live service: the queue, who holds what, answers, hand-overs.
//!
//! Owns: these calls. Never does: tell a user who of the staff writes. Invariants: what was said is shown to who holds the conversation, or
//! held it last; to roles that read everything too; each look but that of the holder is in the audit; nobody answers their own account;
//! a text that names a password or a code is stopped, unless it is a canned answer. Known limits: pages ask again for what is new; 300
//! messages are shown.
//! Rules: `docs/rules/chat.md`.

use super::asking::{Answer, Ask, Refusal, now, reason, refused};
use super::chat_words::secret_word;
use super::roles::{AnswerChats, Permission, Role, SeeChats};
use crate::api::app::chat::{client_id, plain};
use crate::api::http::i18n::Lang;
use crate::common::time::now_ms;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, ContentType};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xng_persistence::office::{
    AuditFilter, AuditRow, ChatClaim, ChatMessage, ChatParty, ChatSaid, ChatSender, ChatState, Conversation, MOST_HELD,
    NewChatMessage, StaffMember, chat_subject, signature_name,
};

/// Conversations that are told at once, messages of one, rows of the audit about it.
const ROWS: u32 = 200;
const MESSAGES: u32 = 300;
const NOTES: u32 = 50;
/// Answers that are written already: keys of texts, in the order in which they are offered.
const CANNED: [&str; 6] = [
    "chat_canned_hello",
    "chat_canned_wait",
    "chat_canned_more",
    "chat_canned_secrets",
    "chat_canned_deposit",
    "chat_canned_bye",
];
const NOT_HELD: &str = "You do not hold this conversation.";

fn party(party: &ChatParty) -> Option<u64> {
    match party {
        ChatParty::User(account) => Some(account.0),
        ChatParty::Visitor(_) => None,
    }
}

fn row(c: &Conversation, names: &BTreeMap<u64, String>) -> Value {
    let holder = c.staff.and_then(|id| names.get(&id).map(|name| signature_name(id, name)));
    json!({ "chat": c.id, "account": party(&c.party), "topic": c.topic.name(), "lang": c.lang, "state": c.state.name(),
        "holder": holder, "waits_ms": c.waits_ms, "moved_ms": c.moved_ms, "opened_ms": c.opened_ms,
        "closed_ms": c.closed_ms, "stars": c.stars, "unread": c.last > c.staff_read })
}

fn names(people: &[StaffMember]) -> BTreeMap<u64, String> {
    people.iter().map(|one| (one.id, one.name.clone())).collect()
}

/// Who may answer.
fn answers(person: &StaffMember) -> bool {
    let role = Role::parse(&person.role);
    !person.disabled && person.password_hash.is_some() && role.is_some_and(|role| role.may(Permission::AnswerChats))
}

#[derive(Deserialize)]
pub(super) struct Query {
    #[serde(default)]
    state: String,
    before: Option<u64>,
}

/// `GET /admin/api/chats`: what is not closed, who waits longest first; or what is closed, the newest first. Who may answer is there.
pub(super) async fn list(ask: Ask<SeeChats, Query>) -> Answer {
    let office = &ask.desk.office;
    let rows = match ask.asked.state.as_str() {
        "" | "open" => office.conversations(ROWS).await?,
        "closed" => office.closed_conversations(ask.asked.before, ROWS).await?,
        _ => return Err(refused(400, "open or closed")),
    };
    if ask.me.role.may(Permission::AnswerChats) && !ask.is_away() {
        ask.desk.shared.chat.is_looking(ask.me.id);
    }
    let names = names(&office.all_staff().await?);
    let (waiting, _) = office.conversations_waiting().await?;
    Ok(HttpResponse::Ok().json(json!({ "rows": rows.iter().map(|c| row(c, &names)).collect::<Vec<Value>>(),
        "waiting": waiting, "most_held": MOST_HELD, "now_ms": now_ms(), "me": ask.me.signs() })))
}

async fn found<P, B>(ask: &Ask<P, B>) -> Result<Conversation, Refusal> {
    let found = ask.desk.office.conversation(ask.number()?).await?;
    found.ok_or_else(|| refused(404, "There is no such conversation."))
}

fn said(ask: &Ask<SeeChats>, message: &ChatMessage) -> Value {
    let messages = &ask.desk.shared.messages;
    let text = match message.sender {
        ChatSender::System => messages.text(Lang::En, &message.text, &[]),
        ChatSender::User | ChatSender::Agent => message.text.clone(),
    };
    json!({ "id": message.id, "from": message.sender.name(), "client_id": message.client_id, "text": text,
        "image": message.file.is_some(), "at_ms": message.created_ms })
}

/// `GET /admin/api/chats/{id}`: what was said is for who holds it, and for who reads everything.
pub(super) async fn detail(ask: Ask<SeeChats>) -> Answer {
    let (c, office, shared) = (found(&ask).await?, &ask.desk.office, &ask.desk.shared);
    let people = office.all_staff().await?;
    let mut told = row(&c, &names(&people));
    let is_mine = c.staff == Some(ask.me.id) && c.state != ChatState::Closed;
    let reads = c.staff == Some(ask.me.id) || ask.me.role.may(Permission::ReadChats);
    if reads && !is_mine {
        office.append_audit(&ask.entry("look at chat", chat_subject(c.id), &json!({})), now()).await?;
    }
    let messages = if reads { office.newest_chat_messages(c.id, MESSAGES).await? } else { Vec::new() };
    told["messages"] = messages.iter().map(|message| said(&ask, message)).collect();
    let about = AuditFilter { subject: chat_subject(c.id), ..AuditFilter::default() };
    told["notes"] = office.audit(&about, NOTES).await?.iter().map(note).collect();
    let others = people.iter().filter(|one| one.id != ask.me.id && answers(one));
    told["people"] = others.map(|one| json!({ "id": one.id, "signs": signature_name(one.id, &one.name) })).collect();
    let lang = Lang::parse(&c.lang);
    told["canned"] = CANNED.iter().map(|key| Value::from(shared.messages.text(lang, key, &[]))).collect();
    told["user_read"] = c.user_read.into();
    told["user_typing"] = shared.chat.is_typing(c.id, false).into();
    (told["mine"], told["reads"]) = (is_mine.into(), reads.into());
    (told["now_ms"], told["me"]) = (now_ms().into(), ask.me.signs().into());
    Ok(HttpResponse::Ok().json(told))
}

/// `POST /admin/api/chats/{id}/claim`: one that nobody holds.
pub(super) async fn claim(ask: Ask<AnswerChats>) -> Answer {
    let c = found(&ask).await?;
    if ask.me.account.is_some_and(|account| c.party == ChatParty::User(account)) {
        return Err(refused(409, "This is your own account: somebody else answers."));
    }
    let audit = ask.entry("claim chat", chat_subject(c.id), &json!({ "account": party(&c.party) }));
    match ask.desk.office.claim_conversation(c.id, ask.me.id, (&audit, now())).await? {
        ChatClaim::Done => {}
        ChatClaim::Taken => return Err(refused(409, "Somebody else holds it, or it is closed.")),
        ChatClaim::Full => return Err(refused(409, full("You hold"))),
    }
    ask.desk.shared.chat.moved(&c.party, c.id);
    Ok(HttpResponse::Ok().json(json!({ "done": "claimed" })))
}

fn full(who: &str) -> String {
    format!("{who} {MOST_HELD} conversations, which is as many as one person may.")
}

#[derive(Deserialize)]
pub(super) struct Said {
    client_id: String,
    text: String,
}

/// `POST /admin/api/chats/{id}/send`: what was sent before is answered as it is.
pub(super) async fn send(ask: Ask<AnswerChats, Said>) -> Answer {
    let c = found(&ask).await?;
    let bad = |why: &str| refused(400, format!("Not sent: {why}."));
    let text = plain(&ask.asked.text).map_err(bad)?;
    let client_id = client_id(&ask.asked.client_id).map_err(bad)?.to_owned();
    let (shared, lang) = (&ask.desk.shared, Lang::parse(&c.lang));
    let is_canned = CANNED.iter().any(|key| shared.messages.text(lang, key, &[]) == text);
    if let Some(word) = secret_word(&text).filter(|_| !is_canned) {
        let text = format!(
            "Not sent: it names a secret ({word}). Nobody here asks users for passwords, codes or keys. \
             Say it without, or take the canned warning as it is."
        );
        return Err(refused(422, text));
    }
    let new = NewChatMessage { conversation: c.id, client_id, staff: Some(ask.me.id), text, file: None };
    let id = match ask.desk.office.say(&new, now()).await? {
        ChatSaid::Now(said) => {
            shared.chat.said(c.id, true);
            shared.chat.moved(&c.party, c.id);
            said.id
        }
        ChatSaid::Before(said) => said.id,
        ChatSaid::Closed => return Err(refused(409, "It is closed.")),
        ChatSaid::NotHeld | ChatSaid::NoPicture | ChatSaid::TooMany => return Err(refused(409, NOT_HELD)),
    };
    Ok(HttpResponse::Ok().json(json!({ "id": id })))
}

/// A row of the audit without what only those may see who read the audit.
fn note(entry: &AuditRow) -> Value {
    let mut note = super::audit::row(entry);
    for field in ["ip", "hash"] {
        note.as_object_mut().and_then(|fields| fields.remove(field));
    }
    note
}

/// Who holds it goes on, while it is not closed.
async fn held(ask: &Ask<AnswerChats, impl Sized>) -> Result<Conversation, Refusal> {
    let c = found(ask).await?;
    if c.staff == Some(ask.me.id) && c.state != ChatState::Closed { Ok(c) } else { Err(refused(409, NOT_HELD)) }
}

#[derive(Deserialize)]
pub(super) struct Upto {
    upto: u32,
}

/// `POST /admin/api/chats/{id}/read`: everything up to a message was read.
pub(super) async fn read(ask: Ask<AnswerChats, Upto>) -> Answer {
    let (c, upto) = (held(&ask).await?, u64::from(ask.asked.upto));
    if ask.desk.office.read_chat(c.id, ChatSender::Agent, upto).await? {
        ask.desk.shared.chat.was_read(&c.party, c.id, (ChatSender::Agent, upto));
    }
    Ok(HttpResponse::Ok().json(json!({ "done": "read" })))
}

/// `POST /admin/api/chats/{id}/typing`.
pub(super) async fn typing(ask: Ask<AnswerChats>) -> Answer {
    let c = held(&ask).await?;
    ask.desk.shared.chat.types(&c.party, c.id, true);
    Ok(HttpResponse::Ok().json(json!({ "done": "typing" })))
}

#[derive(Deserialize)]
pub(super) struct HandOver {
    /// To whom; nobody: back to the queue.
    to: Option<u64>,
    note: String,
}

/// `POST /admin/api/chats/{id}/hand-over`: with a note for who goes on.
pub(super) async fn hand_over(ask: Ask<AnswerChats, HandOver>) -> Answer {
    let (c, note) = (held(&ask).await?, reason(&ask.asked.note)?);
    let people = ask.desk.office.all_staff().await?;
    let to = match ask.asked.to {
        None => None,
        Some(id) => {
            let person = people.iter().find(|one| one.id == id && id != ask.me.id && answers(one));
            let person = person.ok_or_else(|| refused(400, "Nobody of that number answers users."))?;
            if person.account.is_some_and(|account| c.party == ChatParty::User(account)) {
                return Err(refused(409, "This is about their own account: somebody else answers."));
            }
            Some(person)
        }
    };
    let signs = to.map(|person| signature_name(person.id, &person.name));
    let audit = ask.entry("hand over chat", chat_subject(c.id), &json!({ "to": signs, "reason": note }));
    let way = (ask.me.id, to.map(|person| person.id));
    match ask.desk.office.hand_over(c.id, way, (&audit, now())).await? {
        ChatClaim::Done => {}
        ChatClaim::Taken => return Err(refused(409, NOT_HELD)),
        ChatClaim::Full => return Err(refused(409, full("They hold"))),
    }
    ask.desk.shared.chat.moved(&c.party, c.id);
    Ok(HttpResponse::Ok().json(json!({ "done": "handed over" })))
}

/// `POST /admin/api/chats/{id}/close`.
pub(super) async fn close(ask: Ask<AnswerChats>) -> Answer {
    let c = held(&ask).await?;
    let audit = ask.entry("close chat", chat_subject(c.id), &json!({ "account": party(&c.party) }));
    if !ask.desk.office.close_conversation(c.id, ask.me.id, (&audit, now())).await? {
        return Err(refused(409, "It is closed already."));
    }
    ask.desk.shared.chat.moved(&c.party, c.id);
    Ok(HttpResponse::Ok().json(json!({ "done": "closed" })))
}

/// `GET /admin/api/chats/{id}/pictures/{message}`: to who holds the conversation.
pub(super) async fn picture(ask: Ask<AnswerChats>) -> Answer {
    let c = held(&ask).await?;
    let none = || refused(404, "There is no such picture.");
    let message: u64 = ask.request.match_info().get("message").and_then(|id| id.parse().ok()).ok_or_else(none)?;
    let office = &ask.desk.office;
    let name = office.chat_messages(c.id, message.saturating_sub(1), 1).await?;
    let name = name.into_iter().find(|one| one.id == message).and_then(|one| one.file).ok_or_else(none)?;
    let file = office.chat_picture(c.id, &name).await?.ok_or_else(none)?;
    let audit = ask.entry("look at picture", chat_subject(c.id), &json!({ "message": message }));
    office.append_audit(&audit, now()).await?;
    let shared = &ask.desk.shared;
    let bytes = shared.auth.picture(&shared.config.server.data_dir, &file).await;
    let bytes = bytes.map_err(|_| refused(404, "The picture's file is gone, or was changed."))?;
    let form = if file.ending == "jpg" { ContentType::jpeg() } else { ContentType::png() };
    Ok(HttpResponse::Ok().insert_header(form).insert_header((CACHE_CONTROL, "no-store")).body(bytes))
}
