//! Who reaches the back office at all: its names, pages of its own, addresses that the settings allow.
//!
//! Owns: this check around every request. Never does: know a session. Invariants: what is refused reaches no handler. Known limits:
//! none.

use super::Desk;
use crate::api::http::guard::client_ip;
use actix_web::HttpResponse;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::middleware::Next;
use actix_web::web::Data;

fn refusal(desk: &Desk, request: &ServiceRequest) -> Option<(StatusCode, &'static str)> {
    let from = client_ip(request.request(), &desk.shared.config);
    if !desk.addresses.is_empty() && !desk.addresses.iter().any(|net| net.contains(&from)) {
        return Some((StatusCode::FORBIDDEN, "The back office does not answer this address.\n"));
    }
    desk.names.refusal(request.head())
}

/// Lets pass what may be asked at all.
///
/// # Errors
/// Those of the handler.
pub async fn check(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let refused = match request.app_data::<Data<Desk>>() {
        Some(desk) => refusal(desk, &request),
        None => Some((StatusCode::INTERNAL_SERVER_ERROR, "")),
    };
    match refused {
        Some((status, why)) => Ok(request.into_response(HttpResponse::build(status).body(why))),
        None => next.call(request).await.map(ServiceResponse::map_into_boxed_body),
    }
}
