//! What all decisions of operators have in common: who may decide, who decided and why, and what is answered.
//!
//! Owns: these. Never does: decide. Invariants: nobody decides without the key or the console's login, a name and a reason. Known
//! limits: who made a decision is what the tool says; whoever has the key may decide.

use super::access::bearer;
use super::console::refused;
use super::front::Front;
use super::running::Running;
use super::starting;
use crate::custody::review::{NO_ANSWER, NO_AUDIT};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use serde::Deserialize;
use serde_json::json;

/// Letters of a name or a reason.
const MOST_LETTERS: usize = 500;

/// Who decides, and why.
#[derive(Debug, Deserialize)]
pub(super) struct Decider {
    pub(super) by: String,
    pub(super) reason: String,
}

impl Decider {
    /// The answer to one who does not say who decides, or why.
    pub(super) fn lacks(&self) -> Option<HttpResponse> {
        let fits = |text: &str| (1..=MOST_LETTERS).contains(&text.trim().chars().count());
        if !fits(&self.by) || !fits(&self.reason) {
            return Some(said(400, "who decides and why must be said, in at most 500 letters each"));
        }
        // Such names are those of people with passkeys, and of users.
        let is_taken = self.by.contains(':') || self.by.to_ascii_lowercase().contains("@staff-");
        is_taken.then(|| said(400, "this name is not yours to decide by: no colon, and no @staff-"))
    }
}

/// The running exchange, for whoever may see and decide; the answer to all others.
pub(super) fn allowed<'f>(front: &'f Front, request: &HttpRequest) -> Result<&'f Running, Box<HttpResponse>> {
    match refused(front, request) {
        Some(refused) => Err(Box::new(refused)),
        None => front.running.get().ok_or_else(|| Box::new(starting())),
    }
}

/// The same for who brings the key of this process alone: neither `ops.token` nor the console's login make people of the staff.
pub(super) fn allowed_by_key<'f>(front: &'f Front, request: &HttpRequest) -> Result<&'f Running, Box<HttpResponse>> {
    if !bearer(request).is_some_and(|key| front.console.doors.is_key(key)) {
        return Err(Box::new(said(401, "this needs the key in ops.key of the data folder")));
    }
    front.running.get().ok_or_else(|| Box::new(starting()))
}

/// An answer that is no success.
pub(super) fn said(status: u16, text: &str) -> HttpResponse {
    let status = StatusCode::from_u16(status).expect("a status");
    HttpResponse::build(status).json(json!({ "error": text }))
}

/// Nothing was done: the decision could not be noted.
pub(super) fn no_audit() -> HttpResponse {
    said(503, NO_AUDIT)
}

/// Nobody knows whether it was done.
pub(super) fn no_answer() -> HttpResponse {
    said(503, NO_ANSWER)
}
