//! One request of the programmatic API over HTTP: from the bytes that came in to the response.
//!
//! Owns: the order of the checks: route, key, parameters, time, signature; then the call. Never does: know a call.
//! Invariants: whatever a call answers, its weight is counted. Known limits: bodies are forms; a GET's body is not looked at.

use super::authenticate::{Came, authorised};
use super::call::{Endpoint, Method, Security};
use super::errors::{ApiError, JSON};
use super::params::{Args, pairs};
use super::request::{ApiResponse, Request};
use super::signing::Signed;
use super::table;
use crate::api::http::compressing;
use crate::api::http::guard::client_ip;
use crate::api::http::limits::network;
use crate::app::App;
use crate::common::time::TimeUnit;
use crate::observe::metrics::http::Served;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use std::net::IpAddr;
use std::time::Instant;

/// A request as it came in.
struct Incoming<'r> {
    app: &'r Data<App>,
    request: &'r HttpRequest,
    body: &'r [u8],
    ip: IpAddr,
    call: &'static Endpoint,
    began: Instant,
}

fn text<'r>(request: &'r HttpRequest, name: &'static str) -> Option<&'r str> {
    request.headers().get(HeaderName::from_static(name)).map(|value| value.to_str().unwrap_or_default())
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

async fn answer(request: &HttpRequest, body: &[u8], call: &'static Endpoint) -> HttpResponse {
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
        Ok(ApiResponse { body, orders }) => (HttpResponse::Ok().content_type(JSON).body(body), orders),
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
