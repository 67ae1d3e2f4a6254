//! What people decide about withdrawals: `exchange admin withdrawal` asks here.
//!
//! Owns: these routes. Never does: pay. Invariants: a decision is in the audit before it is done, with who made it and why; the same
//! name agrees once. Known limits: a name is what the tool says: staff with keys of their own come with the back office.

use super::decisions::{Decider, allowed, no_answer, no_audit, said};
use super::front::Front;
use crate::common::time::ms;
use crate::observe::render_chain::flag_names;
use actix_web::web::{Data, Json, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use xng_core::chain::withdrawal_facts::Vote;
use xng_core::chain::{Chain, ChainCommand, OpenWithdrawal, WithdrawalId, WithdrawalState};
use xng_core::entity::{Command, Reply};
use xng_core::reject::Reject;

fn row(chain: &Chain, open: &OpenWithdrawal) -> Value {
    let w = &open.withdrawal;
    let (state, plan) = match chain.withdrawal_state(open) {
        WithdrawalState::Pending => ("pending", None),
        WithdrawalState::Approved => ("approved", None),
        WithdrawalState::Planned(plan) => ("planned", Some(plan.0)),
        WithdrawalState::Signed(plan) => ("signed", Some(plan.0)),
    };
    json!({ "withdrawal": w.withdrawal.0, "account": w.account.0, "asset": w.asset.0, "number": w.number.to_string(),
        "fee": w.fee.to_string(), "address": w.address, "inside": w.inside.map(|account| account.0),
        "flags": flag_names(w.flags), "needed": w.needed, "agreed": open.voters, "state": state, "plan": plan,
        "requested_ms": ms(open.requested) })
}

/// Open withdrawals of all chains, the oldest first.
async fn list(front: Data<Front>, request: HttpRequest) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let chains = &running.shared.chains;
    let of_chain = |chain: &Chain| chain.open_withdrawals().map(|open| row(chain, open)).collect::<Vec<Value>>();
    let ids = chains.all().into_iter().map(|status| status.params.chain);
    let rows: Vec<Value> = ids.filter_map(|id| chains.look(id, of_chain)).flatten().collect();
    HttpResponse::Ok().json(rows)
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
    let told = format!("{what} withdrawal {withdrawal}");
    if shared.auth.audit_operator(&who.by, &told, &id.to_string(), &who.reason).await.is_err() {
        return no_audit();
    }
    let vote = Vote { who: who.by.trim().to_owned(), reason: who.reason.trim().to_owned() };
    let command = ChainCommand::Vote { withdrawal, vote, agrees };
    match shared.operators.ask(Command::Chain(withdrawal.chain(), command)).await {
        Some(Reply::Accepted(_)) => HttpResponse::Ok().json(json!({ "done": told })),
        Some(Reply::Rejected(Reject::UnknownWithdrawal | Reject::UnknownChain)) => {
            said(404, "there is no such withdrawal")
        }
        Some(Reply::Rejected(Reject::WithdrawalDone)) => said(409, "it is decided already"),
        Some(Reply::Rejected(Reject::NotTwoPeople)) => said(409, "the same person agreed before"),
        Some(Reply::Rejected(Reject::BadParameters)) => said(400, "a name has 64 letters at most, a reason 200"),
        Some(other) => said(409, &format!("refused: {other:?}")),
        None => no_answer(),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/withdrawals", get().to(list));
    cfg.route("/admin/withdrawal/{id}/{action}", post().to(decide));
}
