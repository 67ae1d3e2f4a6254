//! What operators decide about traders whom others follow: `exchange admin trader` asks here.
//!
//! Owns: these routes. Never does: set a figure, a follower or a price. Invariants: a decision is in the audit before it is done, with
//! who made it and why. Known limits: none.

use super::decisions::{Decider, allowed, no_audit, said};
use super::front::Front;
use crate::backoffice::traders::{MOST, TraderDecision, carry_out};
use actix_web::web::{Data, Json, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use xng_core::ids::AccountId;
use xng_persistence::office::TraderApplication;

/// Applications that wait, the oldest first.
async fn waiting(front: Data<Front>, request: HttpRequest) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    match running.shared.auth.waiting_traders(MOST).await {
        Ok(found) => {
            let row =
                |a: &TraderApplication| json!({ "account": a.user.0, "intro": a.intro, "applied_ms": a.applied_ms });
            HttpResponse::Ok().json(found.iter().map(row).collect::<Vec<Value>>())
        }
        Err(_) => said(503, "the office database does not answer"),
    }
}

/// `approve`, `refuse` or `end`.
async fn decide(
    front: Data<Front>,
    request: HttpRequest,
    path: Path<(u64, String)>,
    decided: Json<Decider>,
) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let shared = &running.shared;
    let (account, decider) = (AccountId(path.0), decided.into_inner());
    if let Some(answer) = decider.lacks() {
        return answer;
    }
    let Decider { by, reason } = decider;
    let Some(decision) =
        [TraderDecision::Approve, TraderDecision::Refuse, TraderDecision::End].into_iter().find(|d| d.name() == path.1)
    else {
        return said(404, "approve, refuse or end");
    };
    let _one_at_a_time = shared.trader_decisions.lock().await;
    let command = match decision.command(shared, account) {
        Ok(command) => command,
        Err((status, why)) => return said(status, &why),
    };
    if shared.auth.user(account).await.is_err() {
        return said(404, "there is no such user");
    }
    let action = format!("{} trader", decision.name());
    if shared.auth.audit_operator(&by, &action, &format!("user:{}", account.0), &reason).await.is_err() {
        return no_audit();
    }
    match carry_out(shared, (account, decision), command, &reason).await {
        Ok(()) => HttpResponse::Ok().json(json!({ "account": account.0, "done": decision.name() })),
        Err((status, why)) => said(status, &why),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/traders", get().to(waiting));
    cfg.route("/admin/trader/{account}/{action}", post().to(decide));
}
