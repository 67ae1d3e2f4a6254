//! What operators decide about the office's audit: `exchange admin audit accept` asks here.
//!
//! Owns: this route. Never does: change a row. Invariants: who accepts an audit, and why, is its newest row, which the journal then
//! names. Known limits: one person with the key of the data folder accepts it.

use super::decisions::{Decider, allowed_by_key, said};
use super::front::Front;
use crate::backoffice::anchoring;
use actix_web::web::{Data, Json, ServiceConfig, post};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

async fn accept(front: Data<Front>, request: HttpRequest, who: Json<Decider>) -> HttpResponse {
    let running = match allowed_by_key(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    if let Some(answer) = who.lacks() {
        return answer;
    }
    match anchoring::accept(&running.shared, &who.by, &who.reason).await {
        Ok(rows) => HttpResponse::Ok().json(json!({ "accepted": rows })),
        Err((status, why)) => said(status, &why),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/audit/accept", post().to(accept));
}
