//! What protects an account: second factors, challenges, proofs (`docs/rules/authentication.md "Proofs"`).
//!
//! Owns: reading these calls, and what each of them is proved for. Never does: decide whether a proof is good; `crate::api::auth`
//! does. Invariants: the subject of a proof is the fields of the call that it is for. Known limits: none.

use super::auth::{PASSWORD_WEIGHT, at, at_code, at_passwords, from, grant_opening};
use super::call::{Call, CallResult};
use crate::api::auth::Session;
use crate::api::auth::api_keys::KeyTerms;
use crate::api::auth::challenges::{Action, Wanted};
use crate::api::auth::passkeys::AskedPasskey;
use crate::api::auth::rules;
use crate::api::auth::second_factor::{Method, Surety};
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::common::passkeys::Registration;
use crate::common::time::{Ms, ts};
use serde_json::{Value, json};
use xng_persistence::office::FactorKind;

/// An action with its subject, read from the fields of the call.
fn wanted(call: &Call, action: Action) -> Wanted {
    Wanted::new(action, |name| call.params.was_sent(name).then(|| call.params.get(name).unwrap_or_default()))
}

/// What a call shows for an action.
pub(super) fn surety(call: &Call, session: Session, action: Action) -> Surety<'_> {
    let (proof, pay_password) = (call.params.get("proof"), call.params.get("pay_password"));
    Surety { session, ip: call.ip, wanted: wanted(call, action), proof, pay_password }
}

/// The method and the answer of a second factor.
fn answer(call: &Call) -> Result<(Method, &str), Failure> {
    let p = &call.params;
    let method = Method::parse(p.need("method")?).ok_or_else(|| Failure::field("method", "unknown"))?;
    let field = match method {
        Method::PayPassword => "pay_password",
        Method::Passkey => "assertion",
        Method::Totp | Method::Recovery => "code",
    };
    Ok((method, p.need(field)?))
}

/// The second factor of a reset of the password, when one was sent.
pub(super) fn second(call: &Call) -> Result<Option<(Method, &str)>, Failure> {
    match (call.params.get("method").map(Method::parse), call.params.get("second_code")) {
        (Some(Some(method @ (Method::Totp | Method::Recovery))), Some(code)) => Ok(Some((method, code))),
        (None, None) => Ok(None),
        (Some(None | Some(Method::Passkey | Method::PayPassword)), Some(_)) => {
            Err(Failure::field("method", "totp or recovery"))
        }
        (Some(None), _) => Err(Failure::field("method", "unknown")),
        (_, None) => Err(Failure::field("second_code", "missing")),
        (None, _) => Err(Failure::field("method", "missing")),
    }
}

/// The method and the answer of the second step of a login.
pub(super) fn second_step(call: &Call) -> Result<(&str, (Method, &str)), Failure> {
    let challenge = call.params.need("challenge_id")?;
    match answer(call)? {
        (Method::PayPassword, _) => Err(Failure::field("method", "totp, recovery or passkey")),
        answer => Ok((challenge, answer)),
    }
}

/// `GET /safe/state`: what protects the account.
pub async fn state(call: Call) -> CallResult {
    let session = call.session().await?;
    let state = call.app.shared.auth.safe_state(session.account).await?;
    let factors = state.factors.confirmed.iter().map(|factor| {
        let created_ms = factor.created_ms as Ms;
        let kind = match factor.kind {
            FactorKind::Totp => "totp",
            FactorKind::Passkey => "passkey",
        };
        json!({
            "id": factor.id, "kind": kind, "label": factor.label, "created_at": ts(created_ms), "created_at_ms": created_ms,
        })
    });
    Ok(Answer::ok(json!({
        "factors": factors.collect::<Vec<Value>>(), "recovery_left": state.factors.recovery_left,
        "passkeys": call.app.shared.auth.has_passkeys(),
        "has_pay_password": state.has_pay_password, "has_email": state.has_email, "has_phone": state.has_phone,
        "mail_phrase": state.mail_phrase,
    })))
}

/// `POST /safe/totp/begin`: `password` (of the login), or `proof` once a second factor is in use; a new
/// authenticator takes the place of the one before when it is confirmed; `label`. `data` has the secret, which is not told again.
pub async fn begin_totp(call: Call) -> CallResult {
    let session = call.session().await?;
    call.weighs(PASSWORD_WEIGHT).await?;
    let label = call.params.get("label").map(KeyTerms::label).transpose()?.unwrap_or_default();
    let shared = &call.app.shared;
    let (surety, password) = (surety(&call, session, Action::BeginTotp), call.params.get("password"));
    let new = shared.auth.begin_totp(&surety, password, (&shared.config.site.site_name, label)).await?;
    Ok(call.said("done").and(json!({ "id": new.id, "secret": new.secret, "uri": new.uri })))
}

/// `POST /safe/totp/confirm`: `id`, two codes in a row. `data` has the recovery codes, which are not told again.
pub async fn confirm_totp(call: Call) -> CallResult {
    let session = call.session().await?;
    let p = &call.params;
    let codes = (p.need("first_code")?, p.need("second_code")?);
    let recovery = call.app.shared.auth.confirm_totp(session.account, p.need_integer("id")?, codes, call.ip).await?;
    Ok(call.said("done").and(json!({ "recovery_codes": recovery })))
}

/// `POST /safe/totp/remove`: `id`, `proof`.
pub async fn remove_totp(call: Call) -> CallResult {
    remove(call, FactorKind::Totp, Action::RemoveTotp).await
}

async fn remove(call: Call, kind: FactorKind, action: Action) -> CallResult {
    let session = call.session().await?;
    let id = call.params.need_integer("id")?;
    // Without a proof there is no other way: a password is not enough to give up what protects it.
    let surety = Surety { pay_password: None, ..surety(&call, session, action) };
    call.app.shared.auth.remove_factor((kind, id), &surety).await?;
    Ok(call.said("done"))
}

/// `POST /safe/passkey/begin`: `password` (of the login), or `proof` once a second factor is in use; `label`. `data` has the
/// options by which a browser makes the passkey, and the challenge that its answer names.
pub async fn begin_passkey(call: Call) -> CallResult {
    let session = call.session().await?;
    call.weighs(PASSWORD_WEIGHT).await?;
    let label = call.params.get("label").map(KeyTerms::label).transpose()?.unwrap_or_default();
    let shared = &call.app.shared;
    let (surety, password) = (surety(&call, session, Action::AddPasskey), call.params.get("password"));
    let new = shared.auth.begin_passkey(&surety, password, (&shared.config.site.site_name, label)).await?;
    Ok(call.said("done").and(asked_passkey(&new)))
}

/// What a browser is asked for, as it is told.
fn asked_passkey(asked: &AskedPasskey) -> Value {
    json!({ "challenge_id": asked.challenge, "expire_at_ms": asked.expire_at_ms, "passkey": asked.options })
}

/// `POST /safe/passkey/finish`: `challenge_id`, what the browser said. `data` has the recovery codes of a first factor, which are
/// not told again.
pub async fn finish_passkey(call: Call) -> CallResult {
    let session = call.session().await?;
    let p = &call.params;
    let answer = Registration::new(p.need("client_data")?, p.need("attestation")?);
    let (id, recovery) =
        call.app.shared.auth.finish_passkey(session, (p.need("challenge_id")?, &answer), call.ip).await?;
    Ok(call.said("done").and(json!({ "id": id, "recovery_codes": recovery })))
}

/// `POST /user/login/passkey/begin`: what any passkey of this site signs for a login without a name.
pub async fn begin_passkey_login(call: Call) -> CallResult {
    call.weighs(PASSWORD_WEIGHT).await?;
    let asked = call.app.shared.auth.begin_passkey_login(call.ip)?;
    Ok(call.said("done").and(asked_passkey(&asked)))
}

/// `POST /user/login/passkey`: `challenge_id`, `assertion` with its `user_handle`. The message is the token.
pub async fn login_by_passkey(call: Call) -> CallResult {
    let (challenge, assertion) = (call.params.need("challenge_id")?, call.params.need("assertion")?);
    call.weighs(PASSWORD_WEIGHT).await?;
    let (token, account) = call.app.shared.auth.login_by_passkey(challenge, assertion, from(&call)).await?;
    grant_opening(&call, account).await;
    Ok(Answer::ok(Value::String(token)))
}

/// `POST /safe/passkey/remove`: `id`, `proof`.
pub async fn remove_passkey(call: Call) -> CallResult {
    remove(call, FactorKind::Passkey, Action::RemovePasskey).await
}

/// `POST /safe/mail_phrase`: `phrase` (empty: none), `proof` or `pay_password`.
pub async fn set_mail_phrase(call: Call) -> CallResult {
    let session = call.session().await?;
    if !call.params.was_sent("phrase") {
        return Err(Failure::field("phrase", "missing"));
    }
    let phrase = call.params.get("phrase").map(rules::mail_phrase).transpose().map_err(at("phrase"))?;
    call.weighs(PASSWORD_WEIGHT).await?;
    call.app.shared.auth.set_mail_phrase(phrase, &surety(&call, session, Action::MailPhrase)).await?;
    Ok(call.said("done"))
}

/// `POST /safe/lock`: locks one's own account, by the session alone: it makes the account safer. Calls of other sessions do not count
/// against it.
pub async fn lock(call: Call) -> CallResult {
    let account = call.session_uncounted().await?.account;
    call.app.shared.auth.lock_own(&call.app.client, account, call.ip).await?;
    Ok(call.said("done"))
}

/// `POST /safe/challenge`: `action`, and the fields that its call will have.
pub async fn challenge(call: Call) -> CallResult {
    let session = call.session().await?;
    let action = Action::parse(call.params.need("action")?).ok_or_else(|| Failure::field("action", "unknown"))?;
    let asked = call.app.shared.auth.challenge(session, wanted(&call, action)).await?;
    let methods: Vec<&str> = asked.methods.iter().map(|method| method.name()).collect();
    let asked = json!({
        "challenge_id": asked.id, "methods": methods, "expire_at_ms": asked.expire_at_ms, "passkey": asked.passkey,
    });
    Ok(call.said("done").and(asked))
}

/// `POST /safe/prove`: `challenge_id`, `method`, `code` (`pay_password` or `assertion` of those methods).
pub async fn prove(call: Call) -> CallResult {
    let session = call.session().await?;
    call.weighs(PASSWORD_WEIGHT).await?;
    let (method, given) = answer(&call)?;
    let name = call.params.need("challenge_id")?;
    let proved = call.app.shared.auth.prove_challenge(session, (name, method, given), call.ip).await?;
    Ok(call.said("done").and(json!({ "proof": proved.0, "expire_at_ms": proved.1 })))
}

/// `POST /safe/update_password`: the pay password: `password`, `re_password`, `code` (of the purpose `pay`).
pub async fn update_password(call: Call) -> CallResult {
    let session = call.session().await?;
    call.weighs(PASSWORD_WEIGHT).await?;
    let p = &call.params;
    let at_password = at_passwords("password", "re_password");
    let min = call.app.shared.config.auth.password_min;
    let password = rules::password(p.need("password")?, p.need("re_password")?, min).map_err(&at_password)?;
    let code = rules::code(p.need("code")?).map_err(at_code("code"))?;
    let refused = |failure: Failure| {
        if failure.code == Code::Parameter { at_password(failure) } else { at_code("code")(failure) }
    };
    call.app.shared.auth.set_pay_password(session, password, code, call.ip).await.map_err(refused)?;
    Ok(call.said("pay_password_set"))
}
