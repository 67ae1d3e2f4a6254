//! Calls of bank cards (`docs/rules/app-calls.md "Bank cards"`): saving, showing, removing.
//!
//! Owns: reading these calls, and their rows. Never does: know what a field may hold; `crate::api::auth::cards` does.
//! Invariants: the account is the session's; an account number is never answered whole. Known limits: no list of banks is kept.

mod table;

use super::auth::PASSWORD_WEIGHT;
use super::call::{Call, CallResult};
use super::safe::surety;
use crate::api::auth::cards::{CardField, CardKind, DOMESTIC, INTERNATIONAL};
use crate::api::auth::challenges::Action;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::common::time::{Ms, ts};
use serde_json::{Value, json};
pub(super) use table::CALLS;

async fn saved(call: &Call, kind: CardKind, texts: &[String]) -> CallResult {
    let session = call.session().await?;
    if call.params.was_sent("pay_password") {
        call.weighs(PASSWORD_WEIGHT).await?;
    }
    let saves = &call.app.shared.card_saves;
    if !saves.take(session.account) {
        return Err(Code::TooMany.into());
    }
    let saved = call.app.shared.auth.save_card(kind, texts, &surety(call, session, Action::SaveCard)).await;
    if saved.is_err() {
        saves.give(&session.account);
    }
    saved.map(|()| call.said("done"))
}

/// When a card was saved, as calls tell it.
fn saved_at(saved_ms: u64) -> (String, Ms) {
    let saved_ms = saved_ms as Ms;
    (if saved_ms == 0 { String::new() } else { ts(saved_ms) }, saved_ms)
}

/// `POST /user/cash_save`: the fields of a domestic card, `pay_password` or `proof`.
pub(crate) async fn save(call: Call) -> CallResult {
    call.session().await?;
    let text = |field: &CardField| {
        let sent = call.params.get(field.name).or_else(|| call.params.get(field.alias?));
        field.checked(sent.unwrap_or_default()).map_err(|why| Failure::field(field.name, why))
    };
    let texts: Vec<String> = DOMESTIC.iter().map(text).collect::<Result<_, _>>()?;
    saved(&call, CardKind::Domestic, &texts).await
}

/// `POST /user/cash_info`: the domestic card, masked; empty texts without one.
pub(crate) async fn show(call: Call) -> CallResult {
    let session = call.session().await?;
    let card = call.app.shared.auth.shown_card(session.account, CardKind::Domestic).await?;
    let (texts, saved_ms) = card.unwrap_or_default();
    let (saved_at, saved_ms) = saved_at(saved_ms);
    let mut told = json!({ "saved_at": saved_at, "saved_at_ms": saved_ms, "banks": [] });
    for (at, field) in DOMESTIC.iter().enumerate() {
        told[field.name] = texts.get(at).cloned().unwrap_or_default().into();
    }
    Ok(Answer::ok(told))
}

/// The texts of an international card: `data` as a JSON array, or `data[0]`, `data[1]` and so on.
fn data(call: &Call) -> Result<Vec<String>, Failure> {
    let count = INTERNATIONAL.len();
    let sent: Vec<String> = match call.params.get("data") {
        Some(text) => serde_json::from_str(text).map_err(|_| Failure::field("data", "not a JSON array of texts"))?,
        None => {
            let part = |at: usize| call.params.get(&format!("data[{at}]")).unwrap_or_default().to_owned();
            (0..count).map(part).collect()
        }
    };
    if sent.len() != count {
        return Err(Failure::field("data", "one text for each form"));
    }
    let text = |(at, field): (usize, &CardField)| {
        field.checked(&sent[at]).map_err(|why| Failure::field(&format!("data[{at}]"), why))
    };
    INTERNATIONAL.iter().enumerate().map(text).collect()
}

/// `POST /user/cash_save_international`: `data`, `pay_password` or `proof`.
pub(crate) async fn save_international(call: Call) -> CallResult {
    call.session().await?;
    saved(&call, CardKind::International, &data(&call)?).await
}

/// `POST /user/cash_info_international`: what the fields are called, and the card, masked; no texts without one.
pub(crate) async fn show_international(call: Call) -> CallResult {
    let session = call.session().await?;
    let card = call.app.shared.auth.shown_card(session.account, CardKind::International).await?;
    let messages = &call.app.shared.messages;
    let form = |field: &CardField| -> Value { messages.text(call.lang, &format!("card_{}", field.name), &[]).into() };
    let (texts, saved_ms) = card.unwrap_or_default();
    let (saved_at, saved_ms) = saved_at(saved_ms);
    let forms: Vec<Value> = INTERNATIONAL.iter().map(form).collect();
    Ok(Answer::ok(json!({ "forms": forms, "data": texts, "saved_at": saved_at, "saved_at_ms": saved_ms })))
}

/// `POST /user/cash_delete`: `type` 1 the domestic card, 2 the international one.
pub(crate) async fn delete(call: Call) -> CallResult {
    let session = call.session().await?;
    let kind = match call.params.need("type")? {
        "1" => CardKind::Domestic,
        "2" => CardKind::International,
        _ => return Err(Failure::field("type", "1 or 2")),
    };
    call.app.shared.auth.remove_card(session.account, kind, call.ip).await?;
    Ok(call.said("done"))
}
