//! What operators decide about traders whom others follow: `exchange admin trader` asks here.
//!
//! Owns: these routes. Never does: set a figure, a follower or a price. Invariants: a decision is in the audit before it is done, with
//! who made it and why. Known limits: none.

use super::decisions::{Decider, allowed, no_answer, no_audit, said};
use super::front::Front;
use actix_web::web::{Data, Json, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use xng_core::account::{AccountCommand, CopyCommand};
use xng_core::entity::{Command, Reply};
use xng_core::ids::AccountId;
use xng_core::reject::Reject;
use xng_persistence::office::TraderApplication;

/// Applications that are told at once.
const MOST: u32 = 100;

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
    let command = match path.1.as_str() {
        "approve" => match shared.listed().copy {
            Some(terms) => Some(CopyCommand::SetTrader(Some(terms))),
            None => return said(409, "copy trading is off: [copy] is not in the settings"),
        },
        "end" => Some(CopyCommand::SetTrader(None)),
        "refuse" => None,
        _ => return said(404, "approve, refuse or end"),
    };
    if shared.auth.user(account).await.is_err() {
        return said(404, "there is no such user");
    }
    let action = format!("{} trader", path.1);
    if shared.auth.audit_operator(&by, &action, &account.0.to_string(), &reason).await.is_err() {
        return no_audit();
    }
    if let Some(command) = command {
        match shared.operators.ask(Command::Account(account, AccountCommand::Copy(command))).await {
            // Done before, by the same decision whose application could not be marked.
            Some(Reply::Accepted(_) | Reply::Rejected(Reject::AlreadyExists)) => {}
            Some(Reply::Rejected(Reject::TraderFollows)) => {
                return said(409, "the account follows traders itself: it must stop first");
            }
            Some(other) => return said(409, &format!("refused: {other:?}")),
            None => return no_answer(),
        }
    }
    match shared.auth.decide_trader(account, path.1 == "approve", &reason).await {
        Ok(()) => HttpResponse::Ok().json(json!({ "account": account.0, "done": path.1 })),
        Err(_) => said(503, "done, but the application could not be marked: do it again"),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/traders", get().to(waiting));
    cfg.route("/admin/trader/{account}/{action}", post().to(decide));
}
