//! What operators decide about markets and contracts: `exchange admin market` asks here.
//!
//! Owns: these routes. Never does: set a price. Invariants: one person halts, and nobody lets a market go on here once somebody is
//! enrolled in the back office who may, where it takes two; a halt waits for no database. Known limits: before that, one person lets it
//! go on. Rules: `docs/back-office.md "Markets"`.

use super::decisions::{Decider, allowed, no_answer, no_audit, said};
use super::front::Front;
use crate::backoffice::markets::{HALT, listed};
use crate::backoffice::roles::{Permission, Role};
use actix_web::web::{Data, Json, Path, ServiceConfig, post};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;
use xng_core::entity::Reply;
use xng_core::market::MarketState;
use xng_core::reject::Reject;

/// `halt` or `resume` of a `market` or a `contract`.
async fn decide(
    front: Data<Front>,
    request: HttpRequest,
    path: Path<(String, String, String)>,
    who: Json<Decider>,
) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let (shared, (kind, symbol, what)) = (&running.shared, path.into_inner());
    if let Some(answer) = who.lacks() {
        return answer;
    }
    let mut all = listed(shared).into_iter();
    let Some(market) =
        all.find(|one| one.symbol.eq_ignore_ascii_case(&symbol) && one.is_contract == (kind == "contract"))
    else {
        return said(404, "there is no such market");
    };
    let (state, action) = match what.as_str() {
        "halt" => (MarketState::Halt, HALT),
        "resume" if market.state != MarketState::Halt => return said(409, "it is not halted"),
        "resume" => match shared.auth.office().ever_had(&Role::that_may(Permission::ResumeMarkets)).await {
            Ok(false) => (MarketState::Trading, "resume market"),
            Ok(true) => return said(409, "two people of the back office let it go on, there"),
            Err(_) => return no_audit(),
        },
        _ => return said(400, "halt or resume"),
    };
    let subject = market.subject();
    if state == MarketState::Halt {
        shared.auth.note_operators_halt(&who.by, action, &subject, &who.reason).await;
    } else if shared.auth.audit_operator(&who.by, action, &subject, &who.reason).await.is_err() {
        return no_audit();
    }
    match shared.operators.ask(market.command(state)).await {
        Some(Reply::Accepted(_)) => HttpResponse::Ok().json(json!({ "done": action })),
        Some(Reply::Rejected(Reject::AlreadyExists)) => said(409, "it is so already"),
        Some(other) => said(409, &format!("refused: {other:?}")),
        None => no_answer(),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/{kind:market|contract}/{symbol}/{action:halt|resume}", post().to(decide));
}
