//! How people get in: they enrol by a code, log in by a password and a passkey, and leave.
//!
//! Owns: these calls, the cookie. Never does: tell whether a name, a password or both were wrong; log a secret. Invariants: a password
//! alone opens nothing, a passkey alone neither; a try is counted before the password is looked at; an unknown name costs the same
//! work. Known limits: tries are counted in memory and forgotten at a restart. Rules: `docs/back-office.md "Logging in"`.

use super::Desk;
use super::asking::{Answer, Ask, COOKIE, Me, Refusal, now, refused, who};
use super::challenges::Purpose;
use super::enrolment_codes::kept;
use super::roles::{Permission, SeeOneself};
use crate::api::auth::login_limits::{Place, Trial};
use crate::api::auth::rules;
use crate::api::auth::secrets::{digest, token};
use crate::api::http::guard::client_ip;
use crate::api::http::limits::network;
use crate::common::passkeys::{Assertion, Registration, text};
use actix_web::cookie::{Cookie, SameSite, time};
use actix_web::web::{Data, Json};
use actix_web::{HttpRequest, HttpResponse};
use serde::Deserialize;
use serde_json::{Value, json};
use xng_persistence::office::{
    AuditEntry, ENROL, NewStaffSession, STAFF_SESSION_MS, StaffCredential, StaffMember, signature_name,
};

/// Characters of a password at least.
const LEAST_PASSWORD: usize = 12;

#[derive(Deserialize)]
pub(super) struct Code {
    code: String,
}

#[derive(Deserialize)]
pub(super) struct Enrolment {
    code: String,
    challenge: String,
    password: String,
    registration: Registration,
}

#[derive(Deserialize)]
pub(super) struct Credentials {
    name: String,
    password: String,
}

#[derive(Deserialize)]
pub(super) struct Proof {
    challenge: String,
    assertion: Assertion,
}

fn entry(desk: &Desk, request: &HttpRequest, (id, name): (u64, &str), action: &str) -> AuditEntry {
    let (actor, ip) = (signature_name(id, name), client_ip(request, &desk.shared.config).to_string());
    AuditEntry { subject: actor.clone(), actor, action: action.into(), detail: "{}".into(), ip }
}

fn no_code() -> Refusal {
    refused(403, "This code opens nothing: it was used, it is too old, or it does not open yet. Ask for a new one.")
}

fn too_many() -> Refusal {
    refused(429, "Too many tries. Wait a few minutes.")
}

async fn enrolling(desk: &Desk, request: &HttpRequest, code: &str) -> Result<StaffMember, Refusal> {
    let from = network(client_ip(request, &desk.shared.config));
    if !desk.enrolments.take(from) {
        return Err(too_many());
    }
    let found = desk.office.enrolling(&kept(code), now()).await?.ok_or_else(no_code)?;
    // Only codes that open nothing stay counted.
    desk.enrolments.give(&from);
    Ok(found)
}

/// `POST /admin/api/enrol/begin`: what a passkey is made by.
pub(super) async fn begin_enrolment(desk: Data<Desk>, request: HttpRequest, asked: Json<Code>) -> Answer {
    let member = enrolling(&desk, &request, &asked.code).await?;
    let nonce = token();
    let challenge = digest(&format!("enrolment {nonce}"));
    let options = desk.site.creation(&challenge, "Back office", (member.id, &member.name), std::iter::empty());
    let purpose = Purpose::Enrol(kept(&asked.code));
    let name = desk.challenges.add((member.id, purpose), nonce, challenge, now());
    let said = json!({ "challenge": name, "name": member.name, "role": member.role, "options": options });
    Ok(HttpResponse::Ok().json(said))
}

/// `POST /admin/api/enrol/finish`: a password and a passkey for the code.
pub(super) async fn enrol(desk: Data<Desk>, request: HttpRequest, asked: Json<Enrolment>) -> Answer {
    let member = enrolling(&desk, &request, &asked.code).await?;
    let password = rules::password(&asked.password, &asked.password, LEAST_PASSWORD);
    let password = password
        .map_err(|_| refused(400, "A password has 12 to 64 characters and is not one that everybody tries first."))?;
    let pending = desk.challenges.take(&asked.challenge, now()).ok_or_else(no_code)?;
    let code = kept(&asked.code);
    let is_for_it = match pending.purpose {
        Purpose::Enrol(of) => of == code && pending.staff == member.id,
        Purpose::Login(_) | Purpose::Vote { .. } | Purpose::Case { .. } => false,
    };
    if !is_for_it {
        return Err(no_code());
    }
    let key = desk.site.register(&pending.challenge, &asked.registration);
    let key = key.map_err(|why| refused(400, format!("Not taken: {why}.")))?;
    let hash = desk.auth().hash_password(password).await?;
    let key = StaffCredential {
        staff: member.id,
        credential: key.credential,
        public_key: key.public_key,
        counter: key.counter,
    };
    // What they sign can be verified for as long as the audit is there, whatever becomes of the key.
    let detail = json!({ "credential": text(&key.credential), "public_key": text(&key.public_key) });
    let audit = AuditEntry { detail: detail.to_string(), ..entry(&desk, &request, (member.id, &member.name), ENROL) };
    if desk.office.enrol(&code, &hash, &key, &audit, now()).await? {
        Ok(HttpResponse::Ok().json(json!({ "name": member.name })))
    } else {
        Err(refused(409, "The code was used meanwhile, or somebody has this passkey."))
    }
}

fn wrong() -> Refusal {
    refused(401, "Name or password is wrong.")
}

/// `POST /admin/api/login/begin`: the password; what the passkey is to sign.
pub(super) async fn begin_login(desk: Data<Desk>, request: HttpRequest, asked: Json<Credentials>) -> Answer {
    let ip = client_ip(&request, &desk.shared.config);
    if !desk.limits.admits(ip) {
        return Err(too_many());
    }
    let place = Place::new(asked.name.chars().take(64).collect(), ip);
    let trial = desk.limits.begin(&place);
    if trial != Trial::Open {
        return Err(too_many());
    }
    let member = desk.office.staff_named(&asked.name).await?;
    let expected = member.as_ref().and_then(|member| member.password_hash.clone());
    let is_right = desk.auth().is_password(&asked.password, expected.as_deref()).await;
    if !matches!(is_right, Ok(false)) {
        desk.limits.give_back(&place, trial);
    }
    let (true, Some(member), Some(verified)) = (is_right?, member, expected) else {
        tracing::warn!(%ip, "a wrong password at the back office");
        return Err(wrong());
    };
    let nonce = token();
    let challenge = digest(&format!("login {nonce}"));
    let keys = desk.office.staff_credentials(member.id).await?;
    let options = desk.site.request(&challenge, keys.iter().map(|key| key.credential.as_slice()));
    let name = desk.challenges.add((member.id, Purpose::Login(verified)), nonce, challenge, now());
    Ok(HttpResponse::Ok().json(json!({ "challenge": name, "options": options })))
}

fn cookie(desk: &Desk, value: String, life_ms: u64) -> Cookie<'static> {
    let life = time::Duration::milliseconds(life_ms.cast_signed());
    Cookie::build(COOKIE, value)
        .path("/admin")
        .http_only(true)
        .secure(desk.site.origin().starts_with("https://"))
        .same_site(SameSite::Strict)
        .max_age(life)
        .finish()
}

/// `POST /admin/api/login/finish`: the passkey; a session.
pub(super) async fn login(desk: Data<Desk>, request: HttpRequest, asked: Json<Proof>) -> Answer {
    let late = || refused(409, "This took too long. Begin again.");
    let pending = desk.challenges.take(&asked.challenge, now()).ok_or_else(late)?;
    let verified = match pending.purpose {
        Purpose::Login(verified) => verified,
        Purpose::Enrol(_) | Purpose::Vote { .. } | Purpose::Case { .. } => return Err(late()),
    };
    let key = desk.verified(pending.staff, &pending.challenge, &asked.assertion).await?;
    let all = desk.office.all_staff().await?;
    let member = all.into_iter().find(|member| member.id == pending.staff).ok_or_else(wrong)?;
    let (secret, ip) = (token(), client_ip(&request, &desk.shared.config).to_string());
    let new = NewStaffSession { token: digest(&secret), ip };
    let audit = entry(&desk, &request, (member.id, &member.name), "log in");
    if !desk.office.begin_staff_session(&new, (&verified, &key), &audit, now()).await? {
        return Err(refused(403, "The password was changed, or this passkey was copied. Ask for a new enrolment."));
    }
    Ok(HttpResponse::NoContent().cookie(cookie(&desk, secret, STAFF_SESSION_MS)).finish())
}

fn session_of(me: &Me) -> Value {
    let may = Permission::ALL.iter().filter(|permission| me.role.may(**permission));
    json!({ "id": me.id, "name": me.name, "signs": me.signs(), "role": me.role.name(), "account": me.account.map(|a| a.0),
        "ends_ms": me.ends_ms, "word": me.word, "may": may.map(|permission| permission.name()).collect::<Vec<_>>() })
}

/// `GET /admin/api/session`: who is logged in; a question, so that "nobody" is no error.
pub(super) async fn session(desk: Data<Desk>, request: HttpRequest) -> Answer {
    let me = who(&desk, &request).await?;
    Ok(HttpResponse::Ok().json(json!({ "open": me.as_ref().map(session_of) })))
}

/// `POST /admin/api/logout`.
pub(super) async fn logout(ask: Ask<SeeOneself>) -> Answer {
    let audit = ask.entry("log out", ask.me.signs(), &json!({}));
    ask.desk.office.end_staff_session(&ask.me.token, &audit, now()).await?;
    Ok(HttpResponse::NoContent().cookie(cookie(&ask.desk, String::new(), 0)).finish())
}
