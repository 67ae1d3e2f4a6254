//! Calls of the message centre (`docs/rules/app-calls.md "Messages"`): what happened to a user, announcements, what was read.
//!
//! Owns: how messages of facts, of the office and announcements become lists, and what is unread. Never does: keep a message.
//! Invariants: a message is shown to whom it is about alone; one that is read stays read. Known limits: unread ones are counted up
//! to 100, lists end after 1,000; of live service the unread answers
//! are counted, and read in their conversation.

pub(crate) mod live;
mod table;
mod texts;

use crate::api::app::call::{Call, CallResult};
use crate::api::app::content::Article;
use crate::api::app::market::weight;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::app::Shared;
use crate::common::time::{ms, now_ns, ts};
use crate::orders::lookup::{DEEP, answered, written};
use serde_json::{Value, json};
use std::cmp::Reverse;
pub(super) use table::CALLS;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_persistence::office::{MessageName, MessageSource, MessagesRead, OfficeMessage};
use xng_persistence::store::{MessageFilter, MessageKey, MessageKind, Slice, StoredMessage, TOGETHER_NS};

/// Unread ones are counted so far.
const COUNTED: usize = 100;
/// Of so many of the newest it is looked whether they were read.
const LOOKED_AT: u32 = 300;
/// The category of announcements.
const ANNOUNCEMENTS: u32 = 4;
const NS_A_MS: u64 = 1_000_000;

/// What kinds of messages calls know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shelf {
    Service,
    System,
    Notice,
}

impl Shelf {
    fn read(call: &Call) -> Result<Option<Shelf>, Failure> {
        match call.params.get("kind") {
            None | Some("") => Ok(None),
            Some("service") => Ok(Some(Shelf::Service)),
            Some("system") => Ok(Some(Shelf::System)),
            Some("notice") => Ok(Some(Shelf::Notice)),
            Some(_) => Err(Failure::field("kind", "service, system or notice")),
        }
    }

    fn sources(self) -> &'static [MessageSource] {
        match self {
            Shelf::Service => &[],
            Shelf::System => &[MessageSource::Fact, MessageSource::Office],
            Shelf::Notice => &[MessageSource::Article],
        }
    }
}

/// A message before it has a text.
enum Found {
    Fact(StoredMessage),
    Office(OfficeMessage),
}

fn fact_name(key: &MessageKey) -> MessageName {
    MessageName { at: key.at, source: MessageSource::Fact, kind: key.kind as u8, subject: key.subject }
}

impl Found {
    /// When it happened, or happened last: fills that are told together are named by the beginning of their time.
    fn time(&self) -> TimeNs {
        match self {
            Found::Fact(message) => message.time,
            Found::Office(message) => message.at_ms * NS_A_MS,
        }
    }

    fn name(&self) -> MessageName {
        match self {
            Found::Fact(message) => fact_name(&message.key),
            Found::Office(message) => message.name(),
        }
    }
}

/// A message's name in calls.
fn id_of(name: &MessageName) -> String {
    format!("{}-{}-{}-{}", name.source as u8, name.at, name.kind, name.subject)
}

fn name_of(id: &str) -> Option<MessageName> {
    let mut parts = id.split('-');
    let source = match parts.next()? {
        "1" => MessageSource::Fact,
        "2" => MessageSource::Office,
        "3" => MessageSource::Article,
        _ => return None,
    };
    let (at, kind, subject) = (parts.next()?, parts.next()?, parts.next()?);
    let name = MessageName { at: at.parse().ok()?, source, kind: kind.parse().ok()?, subject: subject.parse().ok()? };
    (id == id_of(&name)).then_some(name)
}

fn article_name(article: &Article) -> MessageName {
    let at = article.published_ms.cast_unsigned() * NS_A_MS;
    MessageName { at, source: MessageSource::Article, kind: 0, subject: article.id }
}

/// What a user has read of announcements: those of before it came are no news.
async fn articles_read(shared: &Shared, account: AccountId) -> Result<MessagesRead, Failure> {
    let mut read = shared.auth.messages_read(account, MessageSource::Article).await?;
    let joined = shared.auth.user(account).await?.created_ms.cast_unsigned() * NS_A_MS;
    read.until = Some(read.until.map_or(joined, |until| until.max(joined)));
    Ok(read)
}

/// Fills that came after all were marked are news, also within a message that began before.
fn is_fact_read(read: &MessagesRead, message: &StoredMessage) -> bool {
    read.until.is_some_and(|until| message.time <= until) || read.single.contains(&fact_name(&message.key))
}

/// The newest messages of facts and the office, at most so many.
async fn system_messages(
    shared: &Shared,
    account: AccountId,
    (facts_since, office_since): (Option<TimeNs>, TimeNs),
    limit: u32,
) -> Result<Vec<Found>, Failure> {
    let filter = MessageFilter { account, since: facts_since };
    let facts = answered(shared.store.page(&filter, Slice::Newest, limit).await)?;
    let office = shared.auth.office_messages(account, office_since / NS_A_MS, limit).await?;
    let mut all: Vec<Found> = facts.into_iter().map(Found::Fact).chain(office.into_iter().map(Found::Office)).collect();
    all.sort_by_key(|found| Reverse((found.time(), found.name())));
    all.truncate(limit as usize);
    Ok(all)
}

/// How many system messages and announcements a user has not read.
async fn unread_of(shared: &Shared, account: AccountId) -> Result<(usize, usize), Failure> {
    let facts = shared.auth.messages_read(account, MessageSource::Fact).await?;
    let office = shared.auth.messages_read(account, MessageSource::Office).await?;
    let since = (facts.until.map(|until| until.saturating_sub(TOGETHER_NS)), office.until.unwrap_or_default());
    let found = system_messages(shared, account, since, LOOKED_AT).await?;
    let is_new = |found: &&Found| match found {
        Found::Fact(message) => !is_fact_read(&facts, message),
        Found::Office(message) => !office.has(&message.name()),
    };
    let articles = articles_read(shared, account).await?;
    let news = shared.content.articles(ANNOUNCEMENTS);
    let news = news.iter().filter(|article| !articles.has(&article_name(article))).count();
    Ok((found.iter().filter(is_new).count().min(COUNTED), news.min(COUNTED)))
}

/// How many answers of live service a user has not read.
async fn answers_unread(shared: &Shared, account: AccountId) -> Result<u64, Failure> {
    Ok(shared.auth.unread_answers(account).await?.min(COUNTED as u64))
}

/// The numbers of unread messages, as calls show them; zeros while the store is away: they are no reason to fail.
pub(super) async fn unread_numbers(shared: &Shared, account: AccountId) -> Value {
    let (system, notice) = unread_of(shared, account).await.unwrap_or_default();
    let service = answers_unread(shared, account).await.unwrap_or_default();
    json!({ "service": service, "system": system, "notice": notice })
}

/// `GET /mailMessage/unread`.
pub(super) async fn unread(call: Call) -> CallResult {
    let account = call.session().await?.account;
    call.weighs(weight(LOOKED_AT as usize)).await?;
    let (system, notice) = unread_of(&call.app.shared, account).await?;
    let service = answers_unread(&call.app.shared, account).await?;
    Ok(Answer::ok(json!({ "service": service, "system": system, "notice": notice })))
}

fn system_row(call: &Call, found: &Found, read: bool) -> Value {
    let told = texts::Told::of(&call.app.shared, call.lang, found);
    json!({ "id": id_of(&found.name()), "kind": "system", "event": told.event, "title": told.title, "abstract": told.text,
        "content": told.text, "sender_name": call.app.shared.config.site.site_name, "sender_avatar": "",
        "is_read": u8::from(read), "create_time": ts(ms(found.time())), "url": told.url })
}

fn notice_row(call: &Call, article: &Article, read: bool) -> Option<Value> {
    let text = article.text(call.lang)?;
    Some(json!({ "id": id_of(&article_name(article)), "kind": "notice", "event": "announcement", "title": text.title,
        "abstract": text.summary, "content": text.content, "sender_name": call.app.shared.config.site.site_name,
        "sender_avatar": article.cover, "is_read": u8::from(read), "create_time": article.create_time,
        "url": article.url }))
}

/// `GET /mailMessage/getList`: a shelf, newest first.
pub(super) async fn list(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let shelf = Shelf::read(&call)?.unwrap_or(Shelf::System);
    let (number, limit) = call.params.paging(15)?;
    let reach = number * limit;
    if reach > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    // What is unread and how many there are is read besides.
    call.weighs(weight(reach as usize) + weight(DEEP as usize)).await?;
    let shared = &call.app.shared;
    let skip = (reach - limit) as usize;
    let (rows, count, unread): (Vec<Value>, u64, usize) = match shelf {
        Shelf::Service => (Vec::new(), 0, 0),
        Shelf::System => {
            written(&call.app).await?;
            let facts = shared.auth.messages_read(account, MessageSource::Fact).await?;
            let office = shared.auth.messages_read(account, MessageSource::Office).await?;
            let found = system_messages(shared, account, (None, 0), reach as u32).await?;
            let is_read = |found: &Found| match found {
                Found::Fact(message) => is_fact_read(&facts, message),
                Found::Office(message) => office.has(&message.name()),
            };
            let rows = found.iter().skip(skip).map(|found| system_row(&call, found, is_read(found))).collect();
            let facts = answered(shared.store.count(&MessageFilter { account, since: None }).await)?;
            let office = shared.auth.office_messages(account, 0, DEEP as u32).await?.len() as u64;
            (rows, (facts + office).min(DEEP), unread_of(shared, account).await?.0)
        }
        Shelf::Notice => {
            let read = articles_read(shared, account).await?;
            let all = shared.content.articles(ANNOUNCEMENTS);
            let rows: Vec<Value> =
                all.iter().filter_map(|article| notice_row(&call, article, read.has(&article_name(article)))).collect();
            let (count, unread) = (rows.len() as u64, unread_of(shared, account).await?.1);
            (rows.into_iter().skip(skip).take(limit as usize).collect(), count, unread)
        }
    };
    Ok(Answer::ok(json!({ "list": rows, "count": count, "unread": unread, "page": number, "limit": limit })))
}

/// `GET /mailMessage/detail`: one message, which is read now.
pub(super) async fn detail(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let name = name_of(call.params.need("id")?).ok_or(Code::NotFound)?;
    let shared = &call.app.shared;
    let row = match name.source {
        MessageSource::Fact => {
            let kind = MessageKind::ALL.iter().find(|kind| **kind as u8 == name.kind).ok_or(Code::NotFound)?;
            let key = MessageKey { account, at: name.at, kind: *kind, subject: name.subject };
            written(&call.app).await?;
            let found = answered(shared.store.find::<StoredMessage>(key).await)?.ok_or(Code::NotFound)?;
            system_row(&call, &Found::Fact(found), true)
        }
        MessageSource::Office => {
            let told = shared.auth.office_messages(account, name.at / NS_A_MS, DEEP as u32).await?;
            let found = told.into_iter().find(|message| message.name() == name).ok_or(Code::NotFound)?;
            system_row(&call, &Found::Office(found), true)
        }
        MessageSource::Article => {
            let articles = shared.content.articles(ANNOUNCEMENTS);
            let article = articles.iter().find(|article| article_name(article) == name).ok_or(Code::NotFound)?;
            notice_row(&call, article, true).ok_or(Code::NotFound)?
        }
    };
    shared.auth.mark_message(account, &name).await?;
    Ok(Answer::ok(row))
}

/// `POST /mailMessage/read_all`: of one shelf, or of all.
pub(super) async fn read_all(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let all = [Shelf::System, Shelf::Notice];
    let shelves = Shelf::read(&call)?;
    let sources: Vec<MessageSource> = match shelves {
        Some(shelf) => shelf.sources().to_vec(),
        None => all.iter().flat_map(|shelf| shelf.sources()).copied().collect(),
    };
    call.app.shared.auth.mark_messages(account, &sources, now_ns()).await?;
    if shelves.is_none_or(|shelf| shelf == Shelf::Service) {
        call.app.shared.auth.mark_answers(account).await?;
    }
    Ok(call.said("messages_read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written_and_no_other_way() {
        let name = MessageName { at: 17, source: MessageSource::Office, kind: 1, subject: u64::MAX };
        assert_eq!(name_of(&id_of(&name)), Some(name));
        for wrong in ["", "2", "2-17-1", "4-17-1-1", "2-017-1-1", "2-17-1-1-1", "2-17-256-1", "2-17-1--1", "2-x-1-1"] {
            assert_eq!(name_of(wrong), None, "{wrong}");
        }
    }
}
