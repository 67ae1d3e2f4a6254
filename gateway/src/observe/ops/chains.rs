//! What operators decide about chains: `exchange admin chain` asks here.
//!
//! Owns: these routes. Never does: credit anything. Invariants: a decision is in the audit before it is done, with who made it and
//! why; one person halts, and nobody lets it go on here once somebody is enrolled in the back office, where it takes two.
//! Known limits: before that, one person lets it go on.

use super::decisions::{Decider, allowed, no_answer, no_audit, said};
use super::front::Front;
use crate::app::Shared;
use crate::backoffice::roles::{Permission, Role};
use crate::custody::chains::{AssetStatus, ChainStatus};
use actix_web::web::{Data, Json, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use xng_core::chain::ChainCommand;
use xng_core::entity::{Command, Reply};
use xng_core::reject::Reject;

/// What our addresses hold of each asset.
pub(super) fn held(shared: &Shared, chain: &ChainStatus) -> Vec<Value> {
    let row = |asset: &AssetStatus| {
        json!({ "asset": shared.listed().asset_name(asset.form.asset),
            "amount": asset.amount().map(|amount| amount.to_string()) })
    };
    chain.assets.iter().map(row).collect()
}

/// Chains, as they are.
async fn list(front: Data<Front>, request: HttpRequest) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let rows = running.shared.chains.all().into_iter().map(|chain| {
        json!({ "chain": chain.params.chain.0, "name": chain.params.name, "halted": chain.halted.map(|why| format!("{why:?}")),
            "height": chain.cursor.map(|cursor| cursor.height), "node_height": chain.node.map(|node| node.tip),
            "addresses": chain.addresses, "held": held(&running.shared, &chain), "trouble": chain.trouble,
            "withdrawals_trouble": chain.unpaid })
    });
    HttpResponse::Ok().json(rows.collect::<Vec<Value>>())
}

/// `halt` or `resume`.
async fn decide(
    front: Data<Front>,
    request: HttpRequest,
    path: Path<(String, String)>,
    who: Json<Decider>,
) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let (shared, (name, what)) = (&running.shared, path.into_inner());
    if let Some(answer) = who.lacks() {
        return answer;
    }
    let all = shared.chains.all();
    let Some(chain) = all.into_iter().find(|chain| chain.params.name.eq_ignore_ascii_case(&name)) else {
        return said(404, "there is no such chain");
    };
    let command = match what.as_str() {
        "halt" => ChainCommand::Halt,
        "resume" => match shared.auth.office().ever_had(&Role::that_may(Permission::ResumeChains)).await {
            Ok(false) => ChainCommand::Resume,
            Ok(true) => return said(409, "two people of the back office let it go on, there"),
            Err(_) => return no_audit(),
        },
        _ => return said(400, "halt or resume"),
    };
    let told = format!("{what} {}", chain.params.name);
    let subject = format!("chain:{}", chain.params.chain.0);
    if matches!(command, ChainCommand::Halt) {
        shared.auth.note_operators_halt(&who.by, &told, &subject, &who.reason).await;
    } else if shared.auth.audit_operator(&who.by, &told, &subject, &who.reason).await.is_err() {
        return no_audit();
    }
    match shared.operators.ask(Command::Chain(chain.params.chain, command)).await {
        Some(Reply::Accepted(_)) => HttpResponse::Ok().json(json!({ "done": told })),
        Some(Reply::Rejected(Reject::ChainClosed)) => said(409, "it is halted already"),
        Some(other) => said(409, &format!("refused: {other:?}")),
        None => no_answer(),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/chains", get().to(list));
    cfg.route("/admin/chain/{name}/{action}", post().to(decide));
}
