//! Documents that are large and seldom change: made and compressed once for all who ask.
//!
//! Owns: the texts, plain and compressed, by what they were made of. Never does: make one on a thread that takes orders.
//! Invariants: a text is of what it was asked for. Known limits: those of the latest few things that were asked for.

use super::compressing::{gzip, takes_gzip};
use super::writers::Writers;
use crate::observe::metrics::http::Served;
use actix_web::http::header::{self, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use flate2::Compression;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Texts that are kept of a document.
const KEPT: usize = 8;
/// What asking for one weighs.
pub const WEIGHT: u64 = 20;

#[derive(Debug)]
struct Text {
    plain: Bytes,
    packed: Option<Bytes>,
}

/// A document. What it is made of has a name, as the symbols that are listed.
#[derive(Debug, Default)]
pub struct Document(Mutex<VecDeque<(String, Arc<Text>)>>);

impl Document {
    fn known(&self, of: &str) -> Option<Arc<Text>> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.iter().find(|(known, _)| known == of).map(|(_, text)| text.clone())
    }

    fn keep(&self, of: String, text: &Arc<Text>) {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if texts.iter().all(|(known, _)| *known != of) {
            texts.truncate(KEPT - 1);
            texts.push_front((of, text.clone()));
        }
    }

    /// Answers with what was made of `of`, or makes it now; refuses who is not `admitted` with [`WEIGHT`].
    pub async fn answer(
        &self,
        (request, route): (&HttpRequest, &'static str),
        admitted: bool,
        writers: &Writers,
        of: String,
        make: impl FnOnce() -> Option<String> + Send + 'static,
    ) -> HttpResponse {
        let served = |response: HttpResponse| Served { route, code: response.status().as_u16() }.mark(response);
        if !admitted {
            return served(HttpResponse::TooManyRequests().insert_header((header::RETRY_AFTER, "1")).finish());
        }
        let text = match self.known(&of) {
            Some(text) => text,
            None => {
                let made = writers.run(move || {
                    let plain = Bytes::from(make()?);
                    let packed = gzip(&plain, Compression::best());
                    Some(Arc::new(Text { plain, packed }))
                });
                match made.await {
                    Ok(Some(text)) => {
                        self.keep(of, &text);
                        text
                    }
                    Ok(None) => return served(HttpResponse::InternalServerError().finish()),
                    Err(_) => return served(HttpResponse::ServiceUnavailable().finish()),
                }
            }
        };
        let mut answer = HttpResponse::Ok();
        answer.content_type("application/json").insert_header((header::VARY, "accept-encoding"));
        served(match text.packed.clone().filter(|_| takes_gzip(request)) {
            Some(packed) => {
                answer.insert_header((header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))).body(packed)
            }
            None => answer.body(text.plain.clone()),
        })
    }
}
