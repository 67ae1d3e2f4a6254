//! What operators decide about users: `exchange admin user` asks here.
//!
//! Owns: these routes. Never does: read a secret. Invariants: a decision and its row of the audit, with who made it and why, are one
//! transaction; withdrawals pause. Known limits: one person decides: two of the staff come with the back office.

use super::decisions::{Decider, allowed, no_audit, said};
use super::front::Front;
use actix_web::web::{Data, Json, Path, ServiceConfig, post};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;
use xng_core::ids::AccountId;

/// The second factors of a user who lost them go, and all sessions end.
async fn remove_factors(
    front: Data<Front>,
    request: HttpRequest,
    account: Path<u64>,
    who: Json<Decider>,
) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    if let Some(answer) = who.lacks() {
        return answer;
    }
    match running.shared.auth.remove_factors(AccountId(*account), &who.by, &who.reason).await {
        Ok(true) => HttpResponse::Ok().json(json!({ "account": *account, "done": "remove-factors" })),
        Ok(false) => said(404, "there is no such user, or no second factor"),
        Err(_) => no_audit(),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/user/{account}/remove-factors", post().to(remove_factors));
}
