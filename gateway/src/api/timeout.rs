//! The HTTP timeout of every call on the public port, its count in the metrics, and the refusal of a body that is too large.
//!
//! Owns: the request timeout, and the two answers that no call gives itself: timed out, body too large. Never does: read a
//! body. Invariants: every request is counted once, also one that timed out. Known limits: a command that a request had sent
//! before it timed out may have taken effect.

use crate::api::binance::call::FOLDERS;
use crate::api::binance::errors::ApiError;
use crate::api::http::errors::Failure;
use crate::api::http::pipelining;
use crate::app::App;
use crate::observe::metrics::http::{Served, class};
use actix_web::HttpResponse;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::middleware::Next;
use actix_web::web::Data;
use std::time::{Duration, Instant};

/// A body that is too large is refused before a call is asked: with a code, as the calls below its path refuse.
fn with_code(answer: ServiceResponse) -> ServiceResponse {
    if answer.status() != StatusCode::PAYLOAD_TOO_LARGE {
        return answer;
    }
    let (request, refused) = answer.into_parts();
    let is_programs = FOLDERS.iter().any(|folder| request.path().starts_with(folder));
    let mut response = match request.app_data::<Data<App>>() {
        _ if is_programs => ApiError::too_large().response(),
        Some(app) => {
            let failure = Failure::field("body", "too large");
            failure.answer(&app.shared.messages, Default::default()).response()
        }
        None => return ServiceResponse::new(request, refused),
    };
    *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    ServiceResponse::new(request, response)
}

/// Answers a request that takes too long, its body included, and gives it up. What it asked of the exchange before may
/// have happened: the text says so.
pub async fn within(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    pipelining::look_again(&request).await;
    let app = request.app_data::<Data<App>>().cloned();
    let limit = app.as_ref().map_or(60, |app| app.shared.config.limits.request_seconds);
    let (began, route) = (Instant::now(), class(request.path()));
    let count = |served: Option<Served>, status: StatusCode| {
        if let Some(app) = &app {
            let served = served.unwrap_or(Served { route, code: status.as_u16() });
            app.shared.meters.http.count(served, began.elapsed());
        }
    };
    if let Ok(answered) = tokio::time::timeout(Duration::from_secs(limit), next.call(request)).await {
        if let Ok(answer) = &answered {
            count(answer.response().extensions().get::<Served>().copied(), answer.status());
        }
        return answered.map(|answer| with_code(answer.map_into_boxed_body()));
    }
    count(None, StatusCode::SERVICE_UNAVAILABLE);
    let late = Failure::outcome_unknown();
    let mut body = app.map_or_else(
        || HttpResponse::ServiceUnavailable().finish(),
        |app| late.answer(&app.shared.messages, Default::default()).response(),
    );
    // This answer passes the headers of all others by.
    let headers = body.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    Err(InternalError::from_response("the request took too long", body).into())
}
