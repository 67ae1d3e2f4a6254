//! One request of the programmatic API: from the bytes that came in to the call's answer.
//!
//! Owns: the order of the checks: route, key, parameters, time, signature; then the call. Never does: know a call.
//! Invariants: a refusal tells no more than the first check that failed; whatever a call answers, its weight is counted.
//! Known limits: bodies are forms; a GET's body is not looked at.

use super::errors::ApiError;
use super::limits::OrderCounts;
use super::params::{Args, Param, SIGNED, pairs};
use super::signing::{Deadline, Signed};
use super::table::{self, Call, Method, Security};
use crate::app::App;
use crate::auth::api_keys::ApiKey;
use crate::http::compressing;
use crate::http::guard::client_ip;
use crate::http::limits::network;
use crate::metrics::http::Served;
use crate::time::TimeUnit;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use xng_core::entity::CommandClass;
use xng_core::ids::AccountId;

/// The media type of every answer.
pub(super) const JSON: &str = "application/json;charset=UTF-8";

/// How a call ends.
pub type Outcome = Result<Answer, ApiError>;

/// A call's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The JSON body.
    pub body: String,
    /// Unfilled orders of the account, for calls that place some.
    pub orders: Option<OrderCounts>,
}

impl From<String> for Answer {
    fn from(body: String) -> Answer {
        Answer { body, orders: None }
    }
}

impl From<serde_json::Value> for Answer {
    fn from(body: serde_json::Value) -> Answer {
        body.to_string().into()
    }
}

/// A request that passed all checks but those of its call.
#[derive(Debug, Clone)]
pub struct Request {
    /// What it can reach.
    pub app: Data<App>,
    /// What it was sent.
    pub args: Args,
    /// Where it came from.
    pub ip: IpAddr,
    /// The unit of times in its answer.
    pub unit: TimeUnit,
    /// By whose key it was made; none for calls that ask for none.
    pub key: Option<Arc<ApiKey>>,
    /// How long it may still be begun; none for calls that are not signed.
    pub deadline: Option<Deadline>,
    /// When it was read.
    pub began: Instant,
}

impl Request {
    /// Refuses a request whose key ended, or may not do this any more, while it waited for its turn.
    ///
    /// # Errors
    /// -2015 when it did.
    pub fn with_key_of_now(self, security: Security) -> Result<Request, ApiError> {
        if let Some(key) = &self.key {
            authorised(&self.app, &key.name, self.ip, security)?;
        }
        Ok(self)
    }

    /// Whose request it is.
    ///
    /// # Errors
    /// -2014 when it is nobody's.
    pub fn account(&self) -> Result<AccountId, ApiError> {
        self.key.as_ref().map(|key| key.account).ok_or_else(ApiError::key_format)
    }

    /// Whether it may still be begun, asked right before the exchange is.
    ///
    /// # Errors
    /// -1021.
    pub fn still_fresh(&self) -> Result<(), ApiError> {
        self.deadline.map_or(Ok(()), |deadline| deadline.check())
    }
}

/// A request as it came in.
struct Incoming<'r> {
    app: &'r Data<App>,
    request: &'r HttpRequest,
    body: &'r [u8],
    ip: IpAddr,
    call: &'static Call,
    began: Instant,
}

fn text<'r>(request: &'r HttpRequest, name: &'static str) -> Option<&'r str> {
    request.headers().get(HeaderName::from_static(name)).map(|value| value.to_str().unwrap_or_default())
}

/// The live key of a name, if it works from here and may do this.
///
/// # Errors
/// -2014 when it cannot be a key, -2015 when it is none or may not.
pub fn authorised(app: &App, name: &str, ip: IpAddr, security: Security) -> Result<Arc<ApiKey>, ApiError> {
    if name.len() != 64 || !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(ApiError::key_format());
    }
    let keys = &app.shared.auth.keys;
    let key = keys.find(name).filter(|key| key.works_from(ip)).ok_or_else(ApiError::key_rejected)?;
    let may = match security {
        Security::None | Security::Key => true,
        Security::Read => key.scopes.read,
        Security::Trade => key.scopes.trade,
    };
    if !may {
        return Err(ApiError::key_rejected());
    }
    keys.used(&key);
    Ok(key)
}

impl Incoming<'_> {
    /// The part of the body that counts.
    fn form(&self) -> &[u8] {
        if self.call.method == Method::Get { &[] } else { self.body }
    }

    fn args(&self) -> Result<Args, ApiError> {
        let mut sent = pairs(self.request.query_string().as_bytes())?;
        // What is in both counts as the query says.
        let body = pairs(self.form())?;
        for pair in body {
            if !sent.iter().any(|(name, _)| *name == pair.0) {
                sent.push(pair);
            }
        }
        Args::read(self.call.all_params(), &sent)
    }

    fn check(&self) -> Result<Request, ApiError> {
        let call = self.call;
        let unit = text(self.request, "x-mbx-time-unit").map_or(Some(TimeUnit::default()), TimeUnit::parse);
        let unit = unit.ok_or_else(ApiError::time_unit)?;
        let key = match call.security {
            Security::None => None,
            Security::Key | Security::Read | Security::Trade => {
                let name = text(self.request, "x-mbx-apikey").unwrap_or_default();
                Some(authorised(self.app, name, self.ip, call.security)?)
            }
        };
        let args = self.args()?;
        let came = Came { app: self.app, ip: self.ip, unit, began: self.began };
        came.check(call, key, args, || Signed::of(self.request.query_string().as_bytes(), self.form()).map(Some))
    }
}

/// How a request came, whatever brought it.
#[derive(Debug)]
pub struct Came<'r> {
    /// What it can reach.
    pub app: &'r Data<App>,
    /// Where it came from.
    pub ip: IpAddr,
    /// The unit of times in its answer.
    pub unit: TimeUnit,
    /// When it was read.
    pub began: Instant,
}

impl Came<'_> {
    /// What is looked at behind key and parameters: which of these go together, time, signature. `signed` gives what was
    /// signed, or nothing for a connection that has logged on.
    ///
    /// # Errors
    /// Those of the first check that fails.
    pub fn check(
        &self,
        call: &'static Call,
        key: Option<Arc<ApiKey>>,
        args: Args,
        signed: impl FnOnce() -> Result<Option<Signed>, ApiError>,
    ) -> Result<Request, ApiError> {
        (call.shape)(&args)?;
        let mut deadline = None;
        if let Some(key) = key.as_ref().filter(|_| call.security.is_signed()) {
            let until = Deadline::of(&args)?;
            until.check()?;
            if let Some(signed) = signed()?
                && !key.verifier.accepts(&signed.payload, &signed.signature)
            {
                return Err(ApiError::signature());
            }
            deadline = Some(until);
        }
        if call.class == CommandClass::Takes && self.app.shared.health.draining.load(Ordering::Relaxed) {
            return Err(ApiError::stopping());
        }
        Ok(Request { app: self.app.clone(), args, ip: self.ip, unit: self.unit, key, deadline, began: self.began })
    }
}

/// A call's own parameters and, when it is signed, those that all signed calls have.
impl Call {
    /// In the order in which they are looked at.
    pub fn all_params(&self) -> impl Iterator<Item = &Param> {
        let signed: &[Param] = if self.security.is_signed() { &SIGNED } else { &[] };
        self.params.iter().chain(signed)
    }
}

/// Answers a request of any path below the API's folders.
pub(super) async fn serve(request: HttpRequest, body: Bytes) -> HttpResponse {
    let calls = table::of_path(request.path());
    let Some(first) = calls.first() else {
        return ApiError::unsupported(StatusCode::NOT_FOUND).response();
    };
    let response = match calls.iter().find(|call| call.method.is(request.method())) {
        Some(call) => compressing::answer_to(call.class, answer(&request, &body, call).await),
        None => {
            let methods: Vec<&str> = calls.iter().map(|call| call.method.name()).collect();
            let mut refused = ApiError::unsupported(StatusCode::METHOD_NOT_ALLOWED).response();
            if let Ok(methods) = HeaderValue::from_str(&methods.join(", ")) {
                refused.headers_mut().insert(header::ALLOW, methods);
            }
            refused
        }
    };
    Served { route: first.path, code: response.status().as_u16() }.mark(response)
}

async fn answer(request: &HttpRequest, body: &[u8], call: &'static Call) -> HttpResponse {
    let began = Instant::now();
    let Some(app) = request.app_data::<Data<App>>() else { return ApiError::unknown().response() };
    let ip = client_ip(request, &app.shared.config);
    let (limits, from) = (&app.shared.api_limits, network(ip));
    if let Err(refused) = limits.admit(from) {
        return refused.response();
    }
    let checked = Incoming { app, request, body, ip, call, began }.check();
    let weight = checked.as_ref().map_or(1, |request| call.weight.of(&request.args));
    let (used, allowed) = limits.weigh(from, weight).await;
    let outcome = match allowed.and(checked).and_then(|request| request.with_key_of_now(call.security)) {
        Ok(checked) => (call.handler)(checked).await,
        Err(error) => Err(error),
    };
    let (mut response, orders) = match outcome {
        Ok(Answer { body, orders }) => (HttpResponse::Ok().content_type(JSON).body(body), orders),
        Err(error) => (error.response(), None),
    };
    let mut tell = |name: &'static str, count: u64| {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from(count));
    };
    tell("x-mbx-used-weight", used);
    tell("x-mbx-used-weight-1m", used);
    if let Some(counts) = orders {
        tell("x-mbx-order-count-10s", counts.seconds);
        tell("x-mbx-order-count-1d", counts.day);
    }
    if call.security != Security::None {
        // It is somebody's own.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}
