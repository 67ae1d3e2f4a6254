//! Calls of live service (`docs/rules/chat.md "Calls"`): users and visitors talk with the staff.
//!
//! Owns: who may ask about a conversation, what may be said. Never does: keep a message; name anybody of the staff. Invariants: a
//! conversation that is not the asker's is not there; a message is plain text; visitors send no pictures. Known limits: 200 messages an
//! answer.

mod table;

use super::call::{Call, CallResult};
use super::market::weight;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::app::Shared;
use crate::common::time::{now_ms, ts};
use data_encoding::BASE64;
use serde_json::{Value, json};
pub(super) use table::CALLS;
use xng_persistence::office::{
    ChatMessage, ChatParty, ChatSaid, ChatSender, ChatState, ChatTopic, Conversation, NewChatMessage, OfficeError,
};

/// Letters of a message.
pub(crate) const MOST_LETTERS: usize = 1_000;
/// Letters of a client id.
const MOST_CLIENT_ID: usize = 64;
/// Messages of one answer.
const ROWS: u32 = 200;
/// What names of private pictures begin with.
const PRIVATE: &str = "private/";

fn now() -> u64 {
    now_ms().cast_unsigned()
}

fn away(error: OfficeError) -> Failure {
    tracing::warn!(%error, "the office database did not answer");
    Code::Busy.into()
}

/// Who asks.
async fn party(call: &Call) -> Result<ChatParty, Failure> {
    if call.token().is_some() {
        return Ok(ChatParty::User(call.session().await?.account));
    }
    let proof = call.params.get("visitor_id").ok_or(Code::NeedsLogin)?;
    let name = call.app.shared.auth.visitor(proof);
    name.map(ChatParty::Visitor).ok_or_else(|| Failure::field("visitor_id", "not one of ours"))
}

/// The conversation that is asked about; one of others is not there.
async fn asked(call: &Call) -> Result<Conversation, Failure> {
    let (party, id) = (party(call).await?, call.params.need_integer::<u32>("id")?);
    let found = call.app.shared.auth.office().conversation(u64::from(id)).await.map_err(away)?;
    found.filter(|found| found.party == party).ok_or_else(|| Code::NotFound.into())
}

fn row(call: &Call, message: &ChatMessage) -> Value {
    let content = match message.sender {
        ChatSender::System => call.app.shared.messages.text(call.lang, &message.text, &[]),
        ChatSender::User | ChatSender::Agent => message.text.clone(),
    };
    // What others draw is theirs.
    let client_id = message.client_id.as_deref().filter(|_| message.sender == ChatSender::User);
    let image = message.file.as_ref().map(|name| format!("{PRIVATE}{name}"));
    let at = message.created_ms.cast_signed();
    json!({ "id": message.id, "from": message.sender.name(), "client_id": client_id.unwrap_or_default(),
        "content": content, "image": image.unwrap_or_default(), "create_time": ts(at), "create_ms": at })
}

fn told(shared: &Shared, conversation: &Conversation, proof: &str) -> Value {
    let Conversation { id, topic, state, staff, user_read, staff_read, stars, last, .. } = conversation;
    json!({ "id": id, "topic": topic.name(), "state": state.name(), "last": last, "user_read": user_read,
        "agent_read": staff_read, "agent_typing": shared.chat.is_typing(*id, true), "is_held": staff.is_some(),
        "is_staffed": shared.chat.is_staffed(), "stars": stars.unwrap_or_default(), "visitor_id": proof })
}

/// What may be said, in one form.
///
/// # Errors
/// The reason why it may not.
pub(crate) fn plain(text: &str) -> Result<String, &'static str> {
    let text = text.replace("\r\n", "\n").trim().to_owned();
    if text.chars().any(|c| c.is_control() && c != '\n') {
        return Err("not plain text");
    }
    match text.chars().count() {
        0 => Err("empty"),
        letters if letters > MOST_LETTERS => Err("longer than 1,000 letters"),
        _ => Ok(text),
    }
}

/// The name that its sender drew for a message.
///
/// # Errors
/// The reason why it is none.
pub(crate) fn client_id(text: &str) -> Result<&str, &'static str> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let is_good = (1..=MOST_CLIENT_ID).contains(&text.len()) && text.bytes().all(fits);
    if is_good { Ok(text) } else { Err("1 to 64 letters, digits, - and _") }
}

/// `POST /chat/open`: the asker's conversation about a topic; who is not logged in becomes a visitor.
pub(super) async fn open(call: Call) -> CallResult {
    let name = call.params.need("topic")?;
    let topic = ChatTopic::ALL.into_iter().find(|topic| topic.name() == name);
    let topic = topic.ok_or_else(|| Failure::field("topic", "support, loan or repay"))?;
    let is_new = match call.params.integer::<u8>("new")? {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => return Err(Failure::field("new", "0 or 1")),
    };
    let shared = &call.app.shared;
    let is_somebody = call.token().is_some() || call.params.get("visitor_id").is_some();
    let (party, proof) = if is_somebody {
        (party(&call).await?, call.params.get("visitor_id").unwrap_or_default().to_owned())
    } else {
        if !shared.chat.may_begin(call.ip) {
            return Err(Code::TooMany.into());
        }
        let (name, proof) = shared.auth.new_visitor();
        (ChatParty::Visitor(name), proof)
    };
    let proof = if matches!(party, ChatParty::User(_)) { String::new() } else { proof };
    let office = shared.auth.office();
    let opened = office.open_conversation(&party, (topic, call.lang.name()), is_new, now());
    Ok(Answer::ok(told(shared, &opened.await.map_err(away)?, &proof)))
}

/// `POST /chat/send`: a text or a picture. What was sent before is answered as it is.
pub(super) async fn send(call: Call) -> CallResult {
    let conversation = asked(&call).await?;
    let drawn = client_id(call.params.need("client_id")?).map_err(|why| Failure::field("client_id", why))?.to_owned();
    let (text, file) = match (call.params.get("content"), call.params.get("image")) {
        (Some(text), None) => (plain(text).map_err(|why| Failure::field("content", why))?, None),
        (None, Some(name)) => {
            if matches!(conversation.party, ChatParty::Visitor(_)) {
                return Err(Failure::text(Code::NotEligible, "chat_no_pictures"));
            }
            (String::new(), Some(name.strip_prefix(PRIVATE).unwrap_or_default().to_owned()))
        }
        (Some(_), Some(_)) => return Err(Failure::field("image", "beside a text")),
        (None, None) => return Err(Failure::field("content", "missing")),
    };
    let shared = &call.app.shared;
    if !shared.chat.may_say(&conversation.party, call.ip) {
        return Err(Code::TooMany.into());
    }
    let new = NewChatMessage { conversation: conversation.id, client_id: drawn, staff: None, text, file };
    let said = match shared.auth.office().say(&new, now()).await.map_err(away)? {
        ChatSaid::Now(said) => {
            shared.chat.said(conversation.id, false);
            shared.chat.moved(&conversation.party, conversation.id);
            said
        }
        ChatSaid::Before(said) => said,
        ChatSaid::Closed | ChatSaid::NotHeld => return Err(Failure::text(Code::State, "chat_is_closed")),
        ChatSaid::TooMany => return Err(Code::TooMany.into()),
        ChatSaid::NoPicture => return Err(Failure::field("image", "not a picture of yours that was not sent yet")),
    };
    Ok(Answer::ok(row(&call, &said)))
}

/// `GET /chat/logs`: what was said after a message, and how the conversation stands.
pub(super) async fn logs(call: Call) -> CallResult {
    let conversation = asked(&call).await?;
    let after = call.params.integer::<u32>("after_id")?.unwrap_or_default();
    call.weighs(weight(ROWS as usize)).await?;
    let shared = &call.app.shared;
    let said = shared.auth.office().chat_messages(conversation.id, u64::from(after), ROWS).await.map_err(away)?;
    let rows: Vec<Value> = said.iter().map(|message| row(&call, message)).collect();
    let proof = call.params.get("visitor_id").filter(|_| call.token().is_none()).unwrap_or_default();
    Ok(Answer { data: told(shared, &conversation, proof), ..Answer::ok(rows.into()) })
}

/// `POST /chat/read`: everything up to a message was read.
pub(super) async fn read(call: Call) -> CallResult {
    let Conversation { id, party, .. } = asked(&call).await?;
    let upto = u64::from(call.params.need_integer::<u32>("upto")?);
    let shared = &call.app.shared;
    if shared.auth.office().read_chat(id, ChatSender::User, upto).await.map_err(away)? {
        shared.chat.was_read(&party, id, (ChatSender::User, upto));
    }
    Ok(call.said("chat_done"))
}

/// `POST /chat/typing`: who asks types now.
pub(super) async fn typing(call: Call) -> CallResult {
    let Conversation { id, party, state, .. } = asked(&call).await?;
    if state != ChatState::Closed {
        call.app.shared.chat.types(&party, id, false);
    }
    Ok(call.said("chat_done"))
}

/// `POST /chat/rate`: stars for a closed conversation, once.
pub(super) async fn rate(call: Call) -> CallResult {
    let Conversation { id, state, .. } = asked(&call).await?;
    let stars: u8 = call.params.need_integer("stars")?;
    if !(1..=5).contains(&stars) {
        return Err(Failure::field("stars", "1 to 5"));
    }
    if state != ChatState::Closed {
        return Err(Failure::text(Code::State, "chat_not_closed"));
    }
    let is_kept = call.app.shared.auth.office().rate_conversation(id, stars).await.map_err(away)?;
    if is_kept { Ok(call.said("chat_rated")) } else { Err(Failure::text(Code::State, "chat_rated_before")) }
}

/// `GET /chat/picture`: a picture of the asker's conversation, as the address of its data.
pub(super) async fn picture(call: Call) -> CallResult {
    call.session().await?;
    let conversation = asked(&call).await?;
    let name = call.params.need("image")?.strip_prefix(PRIVATE).unwrap_or_default().to_owned();
    let shared = &call.app.shared;
    let file = shared.auth.office().chat_picture(conversation.id, &name).await.map_err(away)?;
    let file = file.ok_or(Code::NotFound)?;
    let bytes = shared.auth.picture(&shared.config.server.data_dir, &file).await?;
    call.weighs(weight(bytes.len() / 1_024)).await?;
    let form = if file.ending == "jpg" { "jpeg" } else { "png" };
    Ok(Answer::ok(format!("data:image/{form};base64,{}", BASE64.encode(&bytes)).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_plain_text_of_at_most_a_thousand_letters() {
        assert_eq!(plain(" hello\r\nworld "), Ok("hello\nworld".to_owned()));
        assert_eq!(plain(&"字".repeat(1_000)), Ok("字".repeat(1_000)));
        assert_eq!(plain("<b>1 < 2</b>"), Ok("<b>1 < 2</b>".to_owned()), "it is never HTML");
        for bad in [" \n ", "a\0b", "a\u{1b}[31mb", &"字".repeat(1_001)] {
            assert!(plain(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_client_id_has_few_letters_and_no_spaces() {
        assert!(client_id("0b5f-AZ_9").is_ok() && client_id(&"a".repeat(64)).is_ok());
        for bad in ["", "a b", "ä", &"a".repeat(65)] {
            assert!(client_id(bad).is_err(), "{bad}");
        }
    }
}
