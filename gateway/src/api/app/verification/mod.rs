//! Calls of verification (`docs/rules/verification.md`): how far a user is, and sending in.
//!
//! Owns: reading these calls, what a user is told. Never does: decide; show a picture or a whole number. Invariants: a mail address and a
//! phone are bound before anything is sent in. Known limits: none.

mod contacts;
mod table;

use super::call::{Call, CallResult};
use super::deposit::network;
use crate::api::auth::verification::{Document, Person, Standing, standing};
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::common::time::{Ms, ts};
pub(crate) use contacts::{bind_email, bind_mobile, send_email, send_sms};
use serde_json::{Value, json};
pub(super) use table::CALLS;
use xng_core::account::Tier;
use xng_core::ids::AccountId;
use xng_persistence::office::{Verification, VerificationState};

/// A name of which the first letter of each word is shown.
pub(super) fn masked_name(name: &str) -> String {
    let masked = |word: &str| word.chars().next().map_or_else(String::new, |first| format!("{first}**"));
    name.split(' ').map(masked).collect::<Vec<String>>().join(" ")
}

/// A number of which two characters at each end are shown.
fn masked_number(number: &str) -> String {
    // It has six at least, of one byte each.
    format!("{}******{}", &number[..2], &number[number.len() - 2..])
}

/// What a user's levels are, for the calls that tell it.
#[derive(Debug)]
pub(super) struct Levels {
    pub(super) basic: Standing,
    pub(super) advanced: Standing,
    pub(super) person: Option<Person>,
    cases: Vec<Verification>,
}

impl Levels {
    /// Of an account with this tier.
    pub(super) async fn of(call: &Call, account: AccountId, tier: Tier) -> Result<Levels, Failure> {
        let auth = &call.app.shared.auth;
        let cases = auth.verifications(account).await?;
        let (basic, last) = standing(Tier::Basic as u8, tier, &cases);
        let (advanced, _) = standing(Tier::Advanced as u8, tier, &cases);
        let person = last.filter(|case| case.state != VerificationState::Failed).and_then(|case| auth.person(case));
        Ok(Levels { basic, advanced, person, cases })
    }

    /// The highest level that waits or has passed.
    pub(super) fn highest(&self) -> u8 {
        let counts = |standing| matches!(standing, Standing::UnderReview | Standing::Passed);
        if counts(self.advanced) { 2 } else { u8::from(counts(self.basic)) }
    }

    /// Why a level failed, and what the reviewer says to it.
    fn failure(&self, level: u8, standing: Standing) -> (&str, &str) {
        let last = self.cases.iter().find(|case| case.level == level).filter(|_| standing == Standing::Failed);
        let text =
            |of: fn(&Verification) -> &Option<String>| last.and_then(|case| of(case).as_deref()).unwrap_or_default();
        (text(|case| &case.reason), text(|case| &case.note))
    }
}

/// `GET /real/state`.
pub(crate) async fn state(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let shared = &call.app.shared;
    let tier = call.view(account).await?.tier;
    let levels = Levels::of(&call, account, tier).await?;
    let user = shared.auth.user(account).await?;
    let mut limits: Vec<Value> = Vec::new();
    for status in shared.chains.all() {
        limits.extend(status.assets.iter().filter_map(|asset| {
            let terms = asset.terms.as_ref()?;
            Some(json!({ "network": network(shared, &status, asset.form.asset), "name": shared.listed().asset_name(asset.form.asset),
                "basic": terms.daily_limit.to_string(), "advanced": terms.daily_limit_advanced.to_string() }))
        }));
    }
    let document = levels.cases.iter().find(|case| case.level == Tier::Basic as u8);
    let shown = levels.person.as_ref().zip(document).map(|(person, case)| {
        let at = case.submitted_ms as Ms;
        json!({ "id_type": case.id_type, "country": case.country, "region": case.region.as_deref().unwrap_or_default(),
            "name": masked_name(&person.name),
            "card_id": masked_number(&person.number), "create_time": ts(at), "create_ms": at })
    });
    let (reason, note) = levels.failure(Tier::Basic as u8, levels.basic);
    let (advanced_reason, advanced_note) = levels.failure(Tier::Advanced as u8, levels.advanced);
    Ok(Answer::ok(json!({
        "real_status": levels.highest(), "review_status": levels.basic as u8,
        "advanced_review_status": levels.advanced as u8, "reason": reason, "advanced_reason": advanced_reason, "note": note,
        "advanced_note": advanced_note, "has_email": user.email.is_some(), "has_phone": user.phone.is_some(),
        "limits": limits, "real_data": shown,
    })))
}

fn document(call: &Call) -> Result<Document, Failure> {
    let p = &call.params;
    let person = Person { name: p.need("name")?.to_owned(), number: p.need("card_id")?.to_owned() };
    let region = p.get("region").filter(|region| !region.is_empty()).map(str::to_owned);
    Document { id_type: p.need_integer("id_type")?, country: p.need("country")?.to_owned(), region, person }.checked()
}

/// `POST /user/real`: `real_type` 1 with `id_type`, `country`, `region`, `name` and `card_id`; 2 with `front_pic` and `reverse_pic`.
pub(crate) async fn submit(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let auth = &call.app.shared.auth;
    let level: u8 = call.params.need_integer("real_type")?;
    let user = auth.user(account).await?;
    if user.email.is_none() || user.phone.is_none() {
        return Err(Failure::text(Code::NotEligible, "bind_contacts_first"));
    }
    let tier = call.view(account).await?.tier;
    if tier as u8 >= level {
        return Err(Failure::text(Code::State, "verification_there"));
    }
    match level {
        1 => auth.send_in_document(account, &document(&call)?, call.ip).await?,
        2 if tier < Tier::Basic => return Err(Failure::text(Code::State, "basic_first")),
        2 => {
            let pictures = [call.params.need("front_pic")?, call.params.need("reverse_pic")?];
            auth.send_in_pictures(account, pictures, call.ip).await?;
        }
        _ => return Err(Failure::field("real_type", "1 or 2")),
    }
    Ok(call.said("verification_sent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_names_and_numbers_little_is_shown() {
        assert_eq!(masked_name("Ann Lee"), "A** L**");
        assert_eq!(masked_name("王小明"), "王**");
        assert_eq!(masked_number("AB123456"), "AB******56");
    }
}
