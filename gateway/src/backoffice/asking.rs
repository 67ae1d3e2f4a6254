//! How the staff's calls are asked: who asks, whether they may, and what with.
//!
//! Owns: [`Ask`]. Never does: decide. Invariants: a handler takes an `Ask` of its permission, so there is
//! none without; a change wants the session's own word (CSRF) besides the cookie; a role without the permission learns nothing.
//! Known limits: none.

use super::Desk;
use super::challenges::{Pending, Purpose};
use super::roles::{Needs, Role};
use crate::api::auth::secrets::{digest, hex, token};
use crate::api::http::errors::{Code, Failure};
use crate::api::http::guard::client_ip;
use crate::common::passkeys::{Assertion, Wrong};
use crate::common::time::now_ms;
use actix_web::dev::Payload;
use actix_web::http::{Method, StatusCode};
use actix_web::web::{Data, Json, Query};
use actix_web::{FromRequest, HttpRequest, HttpResponse, ResponseError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use xng_core::ids::AccountId;
use xng_persistence::office::{AuditEntry, OfficeError, StaffCredential, StaffMember, TokenHash, signature_name};

/// The session's cookie.
pub(super) const COOKIE: &str = "staff";
/// Where a change brings the session's own word.
const WORD: &str = "x-staff-word";
/// What a page says that asks by itself, while nobody has touched it: such a question keeps no session open.
const AWAY: &str = "x-staff-away";
/// Letters of a reason, which a withdrawal's owner reads.
const MOST_REASON: usize = 200;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    status: u16,
    text: String,
}

/// What a handler gives.
pub(super) type Answer = Result<HttpResponse, Refusal>;

/// A refusal with a word why.
pub(super) fn refused(status: u16, text: impl Into<String>) -> Refusal {
    Refusal { status, text: text.into() }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl ResponseError for Refusal {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).expect("a status")
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::build(self.status_code()).json(json!({ "error": self.text }))
    }
}

impl From<OfficeError> for Refusal {
    fn from(error: OfficeError) -> Refusal {
        tracing::warn!(%error, "the office database did not answer");
        refused(503, "The office database does not answer: nothing was done.")
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        if failure.code == Code::Busy {
            return refused(503, "The exchange is busy. Try again.");
        }
        refused(400, "The exchange refused this.")
    }
}

/// Who asks.
#[derive(Debug, Clone)]
pub(super) struct Me {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) account: Option<AccountId>,
    pub(super) ends_ms: u64,
    pub(super) token: TokenHash,
    pub(super) word: String,
}

impl Me {
    fn new(member: StaffMember, ends_ms: u64, secret: &str) -> Option<Me> {
        let role = Role::parse(&member.role)?;
        let (token, word) = (digest(secret), hex(&digest(&format!("word of {secret}"))));
        Some(Me { id: member.id, name: member.name, role, account: member.account, ends_ms, token, word })
    }

    /// As votes and the audit name them.
    pub(super) fn signs(&self) -> String {
        signature_name(self.id, &self.name)
    }
}

/// Whose session a request brings.
pub(super) async fn who(desk: &Desk, request: &HttpRequest) -> Result<Option<Me>, Refusal> {
    let Some(cookie) = request.cookie(COOKIE) else { return Ok(None) };
    let there = !request.headers().contains_key(AWAY);
    let found = desk.office.staff_session(&digest(cookie.value()), there, now()).await?;
    Ok(found.and_then(|(member, ends_ms)| Me::new(member, ends_ms, cookie.value())))
}

/// A call of somebody who may.
pub(super) struct Ask<P, B = Nothing> {
    pub(super) desk: Data<Desk>,
    pub(super) me: Me,
    /// Its fields: of the address of a question, of the body of a change.
    pub(super) asked: B,
    pub(super) request: HttpRequest,
    needs: PhantomData<P>,
}

/// The time, milliseconds since the epoch.
pub(super) fn now() -> u64 {
    now_ms().cast_unsigned()
}

/// Why somebody does something at once, or proposes it.
#[derive(Deserialize)]
pub(super) struct Why {
    pub(super) reason: String,
}

/// The refusal of who would decide about themselves.
pub(super) const OWN: &str = "This is your own account: somebody else decides.";

/// No fields.
#[derive(Deserialize)]
pub(super) struct Nothing {}

/// What somebody has signed.
#[derive(Deserialize)]
pub(super) struct Signed {
    pub(super) challenge: String,
    pub(super) assertion: Assertion,
}

/// The one text for a reason.
pub(super) fn reason(text: &str) -> Result<String, Refusal> {
    let text = text.trim();
    // Nor what turns the text around that follows, or is seen by nobody.
    let is_odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let fits = (1..=MOST_REASON).contains(&text.chars().count()) && !text.chars().any(is_odd);
    if fits { Ok(text.to_owned()) } else { Err(refused(400, "A reason has 1 to 200 letters and no line breaks.")) }
}

impl<P: Needs, B: DeserializeOwned + 'static> FromRequest for Ask<P, B> {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, actix_web::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let desk = request.app_data::<Data<Desk>>().expect("the listener has it").clone();
            let Some(me) = who(&desk, &request).await? else {
                return Err(refused(401, "Log in first.").into());
            };
            if !desk.calls.take(me.id) {
                return Err(refused(429, "Too many calls. Wait a minute.").into());
            }
            let changes = request.method() != Method::GET;
            let word = request.headers().get(WORD).and_then(|word| word.to_str().ok());
            if changes && word != Some(me.word.as_str()) {
                return Err(refused(403, "This call did not come from the back office's own page.").into());
            }
            if !me.role.may(P::PERMISSION) {
                let text = format!("The role {} may not do this.", me.role.name());
                return Err(refused(403, text).into());
            }
            let asked = if changes {
                Json::<B>::from_request(&request, &mut payload).await?.into_inner()
            } else {
                Query::<B>::from_query(request.query_string()).map_err(|e| refused(400, e.to_string()))?.into_inner()
            };
            Ok(Ask { desk, me, asked, request, needs: PhantomData })
        })
    }
}

impl<P, B> Ask<P, B> {
    /// The number in the address.
    pub(super) fn number(&self) -> Result<u64, Refusal> {
        self.request.match_info().get("id").and_then(|id| id.parse().ok()).ok_or(refused(404, "There is no such one."))
    }

    /// Whether the page asks by itself, while nobody has touched it of late.
    pub(super) fn is_away(&self) -> bool {
        self.request.headers().contains_key(AWAY)
    }

    /// A row of the audit about what they do.
    pub(super) fn entry(&self, action: &str, subject: String, detail: &Value) -> AuditEntry {
        let ip = client_ip(&self.request, &self.desk.shared.config).to_string();
        AuditEntry { actor: self.me.signs(), action: action.into(), subject, detail: detail.to_string(), ip }
    }

    /// Refuses what rests on the word of people of whom one does not work here any more, or is none of the staff.
    pub(super) async fn still_here(&self, names: &[String]) -> Result<(), Refusal> {
        let all = self.desk.office.all_staff().await?;
        let here: Vec<String> =
            all.iter().filter(|one| !one.disabled).map(|one| signature_name(one.id, &one.name)).collect();
        match names.iter().find(|name| !here.contains(name)) {
            Some(gone) => {
                Err(refused(409, format!("{gone} does not work here: refuse it, and have it asked for again.")))
            }
            None => Ok(()),
        }
    }

    /// What they are to sign: `statement` says it of a word that is drawn for it.
    pub(super) async fn sign(&self, purpose: Purpose, statement: impl Fn(&str) -> String) -> Answer {
        let nonce = token();
        let statement = statement(&nonce);
        let challenge = digest(&statement);
        let keys = self.desk.office.staff_credentials(self.me.id).await?;
        let options = self.desk.site.request(&challenge, keys.iter().map(|key| key.credential.as_slice()));
        let pending = (self.me.id, purpose);
        let name = self.desk.challenges.add(pending, nonce, challenge, now());
        let said = json!({ "challenge": name, "statement": statement, "digest": hex(&challenge), "options": options });
        Ok(HttpResponse::Ok().json(said))
    }
}

impl<P> Ask<P, Signed> {
    /// The challenge that they answer.
    pub(super) fn pending(&self) -> Result<Pending, Refusal> {
        let found = self.desk.challenges.take(&self.asked.challenge, now());
        let found = found.filter(|pending| pending.staff == self.me.id);
        found.ok_or(refused(409, "This took too long, or was answered before. Begin again."))
    }

    /// What they signed is kept with the row of the audit.
    pub(super) fn signed_entry(&self, (action, subject): (&str, String), reason: &str, statement: &str) -> AuditEntry {
        let detail = json!({ "reason": reason, "statement": statement, "signed": self.asked.assertion.kept() });
        self.entry(action, subject, &detail)
    }
}

impl Desk {
    /// The passkey of a person that signed this challenge, with its counter by then.
    pub(super) async fn verified(
        &self,
        staff: u64,
        challenge: &[u8; 32],
        assertion: &Assertion,
    ) -> Result<StaffCredential, Refusal> {
        let bad = |why: Wrong| refused(403, format!("Not taken: {why}."));
        let name = assertion.credential().map_err(bad)?;
        let keys = self.office.staff_credentials(staff).await?;
        let key = keys.into_iter().find(|key| key.credential == name);
        let mut key = key.ok_or_else(|| refused(403, "This is not your passkey."))?;
        key.counter = self.site.verify(challenge, &key.public_key, assertion).map_err(bad)?;
        Ok(key)
    }
}
