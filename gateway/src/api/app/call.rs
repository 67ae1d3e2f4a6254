//! What a call of the app is given: its fields, its address and language, who is logged in, its request key.
//!
//! Owns: what all calls need, limits among it. Never does: know a call. Invariants: while the process drains only what frees or
//! reads goes on; of a request without a key no twin is asked while it is being answered. Known limits: none.

use crate::api::auth::Session;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::api::http::guard::client_ip;
use crate::api::http::i18n::Lang;
use crate::api::http::limits::network;
use crate::api::http::params::Params;
use crate::api::http::writers::LARGE_ROWS;
use crate::app::App;
use crate::market::payload::list;
use actix_web::http::header;
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use xng_core::entity::{Command, CommandClass, Reply};
use xng_core::ids::{AccountId, RequestKey};
use xng_core::record::Origin;
use xng_runtime::Fault;

/// A call as it came in.
#[derive(Debug)]
pub struct Call {
    /// What it can reach.
    pub app: Data<App>,
    /// Its fields.
    pub params: Params,
    /// Its language.
    pub lang: Lang,
    /// Where it came from.
    pub ip: IpAddr,
    /// What the client calls itself, its first letters.
    pub agent: String,
    /// When it was read.
    pub began: Instant,
    /// Its path below `/api`.
    pub path: String,
    method: String,
    token: Option<String>,
    key: Option<String>,
}

/// How calls end.
pub type CallResult = Result<Answer, Failure>;

impl Call {
    pub(crate) fn read(request: &HttpRequest, body: &Bytes, class: CommandClass) -> Result<Call, (Lang, Failure)> {
        let header = |name: header::HeaderName| request.headers().get(name).and_then(|v| v.to_str().ok());
        let mut params = Params::default();
        let is_json = header(header::CONTENT_TYPE).is_some_and(|t| t.starts_with("application/json"));
        let filled = params
            .add_form(request.query_string().as_bytes())
            .and_then(|()| if is_json && !body.is_empty() { params.add_json(body) } else { params.add_form(body) });
        let lang = Lang::parse(params.get("lang").unwrap_or_default());
        filled.map_err(|failure| (lang, failure))?;
        let app = request.app_data::<Data<App>>().cloned().ok_or((lang, Failure::from(Code::Busy)))?;
        let ip = client_ip(request, &app.shared.config);
        if !app.shared.ip_calls.take(network(ip)) {
            return Err((lang, Code::TooMany.into()));
        }
        // Who drains takes nothing new; what frees money goes on to the last moment.
        if class == CommandClass::Consumes && app.shared.health.draining.load(Ordering::Relaxed) {
            return Err((lang, Failure::text(Code::Busy, "maintenance")));
        }
        Ok(Call {
            began: Instant::now(),
            params,
            lang,
            ip,
            agent: header(header::USER_AGENT).unwrap_or_default().chars().take(MOST_AGENT).collect(),
            path: request.path().to_owned(),
            method: request.method().to_string(),
            token: header(header::AUTHORIZATION).map(str::to_owned).filter(|t| !t.is_empty()),
            key: request.headers().get("idempotency-key").map(|v| v.to_str().unwrap_or_default().to_owned()),
            app,
        })
    }

    /// Waits for its turn in its address's second.
    pub(super) async fn turn(&self, weight: u64) -> Result<(), Failure> {
        let from = network(self.ip);
        self.app.shared.pace.turn(from, weight).await.map_err(|_| Code::TooMany.into())
    }

    /// Counts the call as so many, itself among them, before it does what costs that.
    pub async fn weighs(&self, weight: u64) -> Result<(), Failure> {
        let more = weight.saturating_sub(1);
        if !self.app.shared.ip_calls.take_many(network(self.ip), more as usize) {
            return Err(Code::TooMany.into());
        }
        self.turn(more).await
    }

    /// Rows that were copied, written as JSON, by other threads if they are many.
    pub async fn written<T: Send + 'static>(
        &self,
        rows: Vec<T>,
        mirrored: bool,
        row: impl Fn(&mut String, &T) + Send + 'static,
    ) -> CallResult {
        let large = rows.len() > LARGE_ROWS;
        let write = move || Answer::body_of(&list(&rows, row), mirrored);
        Ok(Answer::written(self.app.shared.writers.run_if(large, write).await.map_err(|_| Code::Busy)?))
    }

    /// The token as sent.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Who is logged in, or 999.
    pub async fn session(&self) -> Result<Session, Failure> {
        let session = self.session_uncounted().await?;
        if !self.app.shared.user_calls.take(session.account) {
            return Err(Code::TooMany.into());
        }
        Ok(session)
    }

    /// As [`Call::session`], beside the calls that the user may make: somebody else's session uses none of it up.
    pub async fn session_uncounted(&self) -> Result<Session, Failure> {
        let token = self.token.as_deref().ok_or(Code::NeedsLogin)?;
        self.app.shared.auth.session(token).await
    }

    /// A localized text as a command's answer.
    #[must_use]
    pub fn said(&self, key: &str) -> Answer {
        Answer::ok(Value::String(self.app.shared.messages.text(self.lang, key, &[])))
    }

    /// Digest of this endpoint and body.
    fn body_digest(&self) -> u128 {
        digest(&[self.method.as_bytes(), self.path.as_bytes(), self.params.canonical().as_bytes()])
    }

    /// The request key from the header `Idempotency-Key`, when there is one.
    pub fn request_key(&self) -> Result<Option<RequestKey>, Failure> {
        let Some(key) = &self.key else { return Ok(None) };
        let printable = key.bytes().all(|b| (0x21..0x7f).contains(&b));
        if key.is_empty() || key.len() > 64 || !printable {
            return Err(Failure::field("Idempotency-Key", "1 to 64 printable characters"));
        }
        Ok(Some(RequestKey { key: key_digest(key), body: self.body_digest() as u64 }))
    }

    /// Asks the exchange for something that moves money. A twin of a request without a key is kept out until the answer
    /// is there, also when this caller goes away or gives up waiting (`docs/rules/accounts.md "Request keys"`).
    pub async fn call_exclusively(
        &self,
        account: AccountId,
        key: Option<RequestKey>,
        command: Command,
    ) -> Result<Reply, Failure> {
        let client = self.app.client.clone();
        if self.key.is_some() {
            // The account itself knows its key's twin; the command is on its way before anything can give up on it.
            return Ok(client.call(Origin::User, key, command).await?);
        }
        let guard = self.guard(account)?;
        let asked = actix_web::rt::spawn(async move {
            let reply = client.call(Origin::User, key, command).await;
            if matches!(reply, Err(Fault::Timeout)) {
                actix_web::rt::spawn(async move {
                    actix_web::rt::time::sleep(UNDECIDED).await;
                    drop(guard);
                });
            }
            reply
        });
        Ok(asked.await.map_err(|_| Failure::from(Code::Busy))??)
    }

    fn guard(&self, account: AccountId) -> Result<InFlightGuard, Failure> {
        let entry = (account, self.body_digest());
        if !self.app.shared.in_flight.insert(entry) {
            return Err(Code::Repeated.into());
        }
        Ok(InFlightGuard { app: self.app.clone(), entry })
    }
}

/// Letters of what a client calls itself.
const MOST_AGENT: usize = 256;

/// A request that nobody could answer in time is taken for undecided this much longer.
const UNDECIDED: Duration = Duration::from_secs(60);

/// Held while a money request without a key is being answered.
#[derive(Debug)]
struct InFlightGuard {
    app: Data<App>,
    entry: (AccountId, u128),
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.app.shared.in_flight.remove(&self.entry);
    }
}

/// How an `Idempotency-Key` is kept.
#[must_use]
pub fn key_digest(key: &str) -> u128 {
    digest(&[key.as_bytes()])
}

fn digest(parts: &[&[u8]]) -> u128 {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part);
    }
    let mut first = [0; 16];
    first.copy_from_slice(&sha.finalize()[..16]);
    u128::from_le_bytes(first)
}

/// The response to a call that failed.
pub(super) fn failed(request: &HttpRequest, lang: Lang, failure: &Failure) -> HttpResponse {
    match request.app_data::<Data<App>>() {
        Some(app) => failure.answer(&app.shared.messages, lang).response(),
        None => HttpResponse::InternalServerError().finish(),
    }
}
