//! Compresses large answers, on the threads of [`super::writers`].
//!
//! Owns: which answers are compressed, and their headers. Never does: touch an answer that is a stream (a socket, a file
//! with its twins), small (as that to a handshake that is refused), compressed already, or to a call that changes
//! something. Invariants: an answer's length is told. Known limits: gzip only.

use super::writers::Writers;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    self, AcceptEncoding, CONTENT_ENCODING, CONTENT_TYPE, Encoding, Header, HeaderMap, HeaderValue, VARY,
};
use actix_web::middleware::Next;
use actix_web::web::{Bytes, Data};
use actix_web::{Error, HttpMessage, HttpResponse};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use xng_core::entity::CommandClass;

/// Shorter answers are sent as they are: compressing costs more than it spares.
const LEAST: usize = 1_024;

/// The bytes compressed; none where that fails or makes them longer.
#[must_use]
pub fn gzip(bytes: &[u8], level: Compression) -> Option<Bytes> {
    let mut out = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), level);
    out.write_all(bytes).ok()?;
    out.finish().ok().filter(|packed| packed.len() < bytes.len()).map(Bytes::from)
}

/// Whether a client takes gzip.
#[must_use]
pub fn takes_gzip(request: &impl HttpMessage) -> bool {
    let Ok(accepted) = AcceptEncoding::parse(request) else { return false };
    request.headers().contains_key(header::ACCEPT_ENCODING)
        && accepted.negotiate([Encoding::gzip(), Encoding::identity()].iter()) == Some(Encoding::gzip())
}

/// Goes with an answer that is not compressed.
struct AtOnce;

/// The answer to a call. Who sends or cancels an order does not wait behind those who read.
#[must_use]
pub fn answer_to(class: CommandClass, mut answer: HttpResponse) -> HttpResponse {
    if class != CommandClass::ReadOnly {
        answer.extensions_mut().insert(AtOnce);
    }
    answer
}

/// Texts are worth it, pictures are not.
fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.starts_with("text/") || kind.starts_with("application/json") || kind.starts_with("image/svg")
}

/// The middleware.
pub async fn compress(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let writers = request.app_data::<Data<Writers>>().cloned();
    let takes = takes_gzip(&request);
    let answer = next.call(request).await?.map_into_boxed_body();
    match writers {
        Some(writers) if is_text(answer.headers()) && !answer.headers().contains_key(CONTENT_ENCODING) => {
            let takes = takes && answer.response().extensions().get::<AtOnce>().is_none();
            Ok(packed(answer, takes, &writers).await)
        }
        _ => Ok(answer),
    }
}

async fn packed(answer: ServiceResponse, takes: bool, writers: &Writers) -> ServiceResponse {
    let (request, answer) = answer.into_parts();
    let (mut answer, body) = answer.into_parts();
    let body = match body.try_into_bytes() {
        Ok(bytes) if bytes.len() >= LEAST => bytes,
        Ok(bytes) => return ServiceResponse::new(request, answer.set_body(BoxBody::new(bytes))),
        Err(stream) => return ServiceResponse::new(request, answer.set_body(stream)),
    };
    answer.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
    if takes {
        let plain = body.clone();
        // Who finds them all at work gets it as it is.
        if let Ok(Some(bytes)) = writers.run(move || gzip(&plain, Compression::fast())).await {
            answer.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            return ServiceResponse::new(request, answer.set_body(BoxBody::new(bytes)));
        }
    }
    ServiceResponse::new(request, answer.set_body(BoxBody::new(body)))
}
