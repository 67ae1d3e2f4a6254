//! What people decide about withdrawals: `exchange admin withdrawal` asks here.
//!
//! Owns: these routes. Never does: pay. Invariants: a decision is in the audit before it is done, with who made it and why; the same
//! name, in whatever case, agrees once; nobody agrees here once somebody is enrolled in the back office, where people have keys of
//! their own. Known limits: a name is what the tool says.

use super::decisions::{Decider, allowed, no_audit, said};
use super::front::Front;
use crate::backoffice::roles::{Permission, Role};
use crate::custody::review;
use actix_web::web::{Data, Json, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;
use xng_core::chain::WithdrawalId;
use xng_core::chain::withdrawal_facts::Vote;

/// Letters of a name, and of a reason, which the owner reads.
const MOST_NAME: usize = 64;
const MOST_REASON: usize = 200;

/// Open withdrawals of all chains, the oldest first.
async fn list(front: Data<Front>, request: HttpRequest) -> HttpResponse {
    match allowed(&front, &request) {
        Ok(running) => HttpResponse::Ok().json(review::open_rows(&running.shared)),
        Err(answer) => *answer,
    }
}

/// A name in the form in which it is counted.
fn one_form(name: &str) -> String {
    name.split_whitespace().collect::<Vec<&str>>().join(" ").to_ascii_lowercase()
}

/// `agree` or `refuse`.
async fn decide(
    front: Data<Front>,
    request: HttpRequest,
    path: Path<(u64, String)>,
    who: Json<Decider>,
) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let (shared, (id, what)) = (&running.shared, path.into_inner());
    if let Some(answer) = who.lacks() {
        return answer;
    }
    let agrees = match what.as_str() {
        "agree" => true,
        "refuse" => false,
        _ => return said(400, "agree or refuse"),
    };
    let withdrawal = WithdrawalId(id);
    let who_by = one_form(&who.by);
    if who_by.chars().count() > MOST_NAME || who.reason.trim().chars().count() > MOST_REASON {
        return said(400, "a name has 64 letters at most, a reason 200");
    }
    if agrees {
        match shared.auth.office().ever_had(&Role::that_may(Permission::VoteWithdrawals)).await {
            Ok(false) => {}
            Ok(true) => return said(409, "people of the back office agree there, each with a key of their own"),
            Err(_) => return no_audit(),
        }
        if let Err((status, why)) = review::stops(shared, withdrawal).await {
            return said(status, &why);
        }
    }
    let told = format!("{what} withdrawal {withdrawal}");
    if shared.auth.audit_operator(&who.by, &told, &format!("withdrawal:{id}"), &who.reason).await.is_err() {
        return no_audit();
    }
    let vote = Vote { who: who_by, reason: who.reason.trim().to_owned() };
    match review::vote(shared, (withdrawal, None), vote, agrees).await {
        Ok(()) => HttpResponse::Ok().json(json!({ "done": told })),
        Err((status, why)) => said(status, &why),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/withdrawals", get().to(list));
    cfg.route("/admin/withdrawal/{id}/{action}", post().to(decide));
}
