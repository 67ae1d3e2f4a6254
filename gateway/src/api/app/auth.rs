//! Registration, login, passwords (`docs/rules/authentication.md`).
//!
//! Owns: reading these calls. Never does: decide who somebody is; `crate::api::auth` does. Invariants: a
//! stranger learns nothing from an answer. Known limits: none.

use super::call::{Call, CallResult};
use super::safe;
use crate::api::auth::rules::{self, Contact};
use crate::api::auth::{Asker, LoginFrom, NewUser, Purpose};
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::app::Shared;
use crate::common::decimal;
use serde_json::Value;
use xng_core::account::AccountCommand;
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, Wallet};
use xng_core::money::Amount;
use xng_core::record::Origin;

/// What the trial of a password weighs.
pub(super) const PASSWORD_WEIGHT: u64 = 10;

/// A refusal with the field that it is about, so that the app can tell it there.
pub(super) fn at(field: &'static str) -> impl Fn(Failure) -> Failure {
    move |failure| {
        let reason = if failure.text.is_empty() { "refused" } else { failure.text };
        Failure { field: failure.field.or_else(|| Some((field.to_owned(), reason))), ..failure }
    }
}

/// A wrong code is about the field of the code; what else goes wrong then is about none.
pub(super) fn at_code(field: &'static str) -> impl Fn(Failure) -> Failure {
    move |failure| if failure.code == Code::BadCode { at(field)(failure) } else { failure }
}

pub(super) fn at_passwords(first: &'static str, second: &'static str) -> impl Fn(Failure) -> Failure {
    move |failure| at(if failure.text == "passwords_differ" { second } else { first })(failure)
}

fn contact(call: &Call, field: &'static str) -> Result<Contact, Failure> {
    Contact::parse(call.params.need(field)?, call.params.get("area_code")).map_err(at(field))
}

pub(super) fn from(call: &Call) -> LoginFrom<'_> {
    LoginFrom { ip: call.ip, lang: call.lang, agent: &call.agent }
}

/// What a code is for.
fn purpose(call: &Call) -> Result<Option<Purpose>, Failure> {
    let Some(name) = call.params.get("type").or(call.params.get("scene")) else { return Ok(None) };
    // A code to a contact that is not bound yet has a call of its own.
    let purpose = Purpose::parse(name).filter(|purpose| *purpose != Purpose::BindNew);
    Ok(Some(purpose.ok_or_else(|| Failure::field("type", "unknown"))?))
}

async fn asker(call: &Call, purpose: Option<Purpose>) -> Result<Asker, Failure> {
    let session = match purpose.filter(|purpose| purpose.needs_login()) {
        Some(_) => Some(call.session().await?),
        None => None,
    };
    Ok(Asker { ip: call.ip, session })
}

/// `POST /sms_mail`: the same answer whether or not the account exists.
pub async fn send_code(call: Call) -> CallResult {
    let contact = contact(&call, "user_string")?;
    let purpose = purpose(&call)?.unwrap_or(Purpose::Register);
    let asker = asker(&call, Some(purpose)).await?;
    let at_contact =
        |failure: Failure| if failure.code == Code::Parameter { at("user_string")(failure) } else { failure };
    call.app.shared.auth.send_code(purpose, &contact, asker, call.lang).await.map_err(at_contact)?;
    Ok(call.said("code_sent"))
}

/// `POST /user/check_email`: verifies without consuming.
pub async fn check_code(call: Call) -> CallResult {
    let contact = contact(&call, "user_string")?;
    let code = rules::code(call.params.need("email_code")?).map_err(at("email_code"))?;
    let purpose = purpose(&call)?;
    let asker = asker(&call, purpose).await?;
    call.app.shared.auth.check_code(purpose, &contact, asker, code).await.map_err(at_code("email_code"))?;
    Ok(call.said("code_verified"))
}

/// `POST /user/register`.
pub async fn register(call: Call) -> CallResult {
    let p = &call.params;
    let contact = contact(&call, "user_string")?;
    match (p.get("type").unwrap_or("email"), &contact) {
        ("email", Contact::Email(_)) | ("mobile", Contact::Phone { .. }) => {}
        ("email" | "mobile", _) => return Err(at("user_string")(Failure::text(Code::Parameter, "bad_account"))),
        _ => return Err(Failure::field("type", "email or mobile")),
    }
    let code = rules::code(p.need("code")?).map_err(at("code"))?;
    let settings = &call.app.shared.config.auth;
    let password = rules::password(p.need("password")?, p.need("re_password")?, settings.password_min)
        .map_err(at_passwords("password", "re_password"))?;
    let inviter = p.get("extension_code").map(str::to_owned);
    if inviter.is_none() && settings.invitation_required {
        return Err(at("extension_code")(Failure::text(Code::Parameter, "invitation_needed")));
    }
    let new = NewUser { contact, password: password.to_owned(), inviter };
    let account = call.app.shared.auth.register(new, code, call.ip).await.map_err(refused)?;
    grant_opening(&call, account).await;
    Ok(call.said("registered"))
}

/// Which field a registration was refused for.
fn refused(failure: Failure) -> Failure {
    match (failure.code, failure.text) {
        (Code::Exists, _) => at("user_string")(failure),
        (_, "invitation_needed") => at("extension_code")(failure),
        _ => at_code("code")(failure),
    }
}

/// The opening balance of the demo profile.
fn opening(shared: &Shared) -> Vec<GrantItem> {
    let catalog = shared.listed();
    let Some(usdt) = catalog.assets.values().find(|a| a.name == "USDT").map(|a| a.id) else { return Vec::new() };
    let demo = &shared.config.demo;
    let item =
        |wallet, text: &str| GrantItem { wallet, asset: usdt, amount: decimal::amount(text).unwrap_or(Amount::ZERO) };
    let all = [
        item(Wallet::Spot, &demo.spot_usdt),
        item(Wallet::Funding, &demo.funding_usdt),
        item(Wallet::Futures, &demo.futures_usdt),
    ];
    all.into_iter().filter(|item| item.amount.is_positive()).collect()
}

/// The demo's opening balance, once an account. A login tries again, should the process have stopped in between.
pub(super) async fn grant_opening(call: &Call, account: AccountId) {
    let items = opening(&call.app.shared);
    if call.app.shared.config.profile != crate::config::Profile::Demo || items.is_empty() {
        return;
    }
    let grant = AccountCommand::Grant { kind: GrantKind::Opening, items };
    let reply = call.app.client.call(Origin::System, None, Command::Account(account, grant)).await;
    tracing::debug!(?reply, account = account.0, "opening balance");
}

/// `POST /user/login`: the message is the token; 1021 with a challenge where a second factor is in use.
pub async fn login(call: Call) -> CallResult {
    let p = &call.params;
    let name = p.get("user_string").or(p.get("account"));
    let (Some(name), Some(password)) = (name, p.get("password")) else {
        return Err(Failure::text(Code::Parameter, "invalid_login"));
    };
    let contact = Contact::parse(name, p.get("area_code"));
    call.weighs(PASSWORD_WEIGHT).await?;
    let (token, account) = call.app.shared.auth.login(name, contact.ok(), password, from(&call)).await?;
    grant_opening(&call, account).await;
    Ok(Answer::ok(Value::String(token)))
}

/// `POST /user/login/second`: `challenge_id`, `method`, `code` (`assertion` of a passkey). The message is the token.
pub async fn login_second(call: Call) -> CallResult {
    let (challenge, answer) = safe::second_step(&call)?;
    call.weighs(PASSWORD_WEIGHT).await?;
    let (token, account) = call.app.shared.auth.login_second(challenge, answer, from(&call)).await?;
    grant_opening(&call, account).await;
    Ok(Answer::ok(Value::String(token)))
}

/// `POST /user/forget`: a new password by a code, and by a second factor where one is in use.
pub async fn forget(call: Call) -> CallResult {
    let p = &call.params;
    let contact = contact(&call, "account")?;
    let min = call.app.shared.config.auth.password_min;
    let password = rules::password(p.need("password")?, p.need("repassword")?, min)
        .map_err(at_passwords("password", "repassword"))?;
    let code = rules::code(p.need("code")?).map_err(at("code"))?;
    let second = safe::second(&call)?;
    // Where a second factor was sent, a wrong code may be that one as well: the answer does not tell which.
    let about_code = |failure| if second.is_none() { at_code("code")(failure) } else { failure };
    call.app.shared.auth.reset_password(&contact, (code, second), password, call.ip).await.map_err(about_code)?;
    Ok(call.said("password_changed"))
}

/// `GET /user/logout`: fine with a dead token too.
pub async fn logout(call: Call) -> CallResult {
    if let Some(token) = call.token() {
        call.app.shared.auth.logout(token, call.ip).await?;
    }
    Ok(call.said("logged_out"))
}
