//! Terms of conversion, seconds options and copy trading, read again while the exchange runs: `exchange admin terms` asks here.
//!
//! Owns: these routes. Never does: take a term from a request; the settings have them. Invariants: nothing is changed unless all
//! of the file is good; a change is in the audit before it is made, with its values, who made it and why. Known limits: when the
//! exchange refuses a step, those before it stay: asking again makes the rest.

use super::decisions::{Decider, allowed, no_answer, no_audit, said};
use super::front::Front;
use crate::app::Shared;
use crate::market::catalog::Seeds;
use crate::market::terms::{Change, Difference, Step, plan};
use actix_web::web::{Data, Json, ServiceConfig, block, get, post};
use actix_web::{HttpRequest, HttpResponse};
use xng_core::entity::Reply;
use xng_core::reject::Reject;

/// What the file of settings would change now; the answer when it is not good.
async fn read(shared: &Shared) -> Result<Vec<Step>, HttpResponse> {
    let file = shared.config.files.markets.clone();
    let wrong = |why: String| said(409, &format!("nothing was changed: {why}"));
    let seeds = match block(move || Seeds::load(&file)).await {
        Ok(Ok(seeds)) => seeds,
        Ok(Err(error)) => return Err(wrong(error.to_string())),
        Err(_) => return Err(said(503, "the exchange stops: nothing was changed")),
    };
    plan(&seeds, &shared.listed()).map_err(|why| wrong(format!("{}: {why}", shared.config.files.markets.display())))
}

fn rows(steps: &[Step]) -> HttpResponse {
    let rows: Vec<&Difference> = steps.iter().flat_map(|step| &step.differences).collect();
    HttpResponse::Ok().json(rows)
}

/// What differs.
async fn check(front: Data<Front>, request: HttpRequest) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    match read(&running.shared).await {
        Ok(steps) => rows(&steps),
        Err(answer) => answer,
    }
}

/// Puts a step into force; the answer when it is not.
async fn put(shared: &Shared, step: &Step) -> Result<(), HttpResponse> {
    let command = match &step.change {
        Change::Command(command) => command,
        Change::Copy(terms) => {
            shared.catalog.offer_traders(*terms);
            return Ok(());
        }
        Change::Amounts(amounts) => {
            shared.catalog.offer_amounts(amounts);
            return Ok(());
        }
    };
    let of = &step.terms;
    match shared.operators.ask(command.as_ref().clone()).await {
        Some(Reply::Accepted(_)) => Ok(()),
        Some(Reply::Rejected(Reject::AlreadyExists)) => Err(said(409, &format!("{of} changed meanwhile: look again"))),
        Some(other) => Err(said(409, &format!("{of} was refused: {other:?}; what came before it is in force"))),
        None => Err(no_answer()),
    }
}

/// Reads the settings again and puts what differs into force.
async fn reload(front: Data<Front>, request: HttpRequest, who: Json<Decider>) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let shared = &running.shared;
    if let Some(answer) = who.lacks() {
        return answer;
    }
    let steps = match read(shared).await {
        Ok(steps) => steps,
        Err(answer) => return answer,
    };
    for step in &steps {
        if shared.auth.audit_operator(&who.by, &step.told(), &step.terms, &who.reason).await.is_err() {
            return no_audit();
        }
        if let Err(answer) = put(shared, step).await {
            return answer;
        }
        tracing::info!(by = %who.by, reason = %who.reason, "{}", step.told());
    }
    rows(&steps)
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/terms", get().to(check));
    cfg.route("/admin/terms/reload", post().to(reload));
}
