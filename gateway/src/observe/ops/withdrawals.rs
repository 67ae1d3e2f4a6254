//! What people decide about withdrawals: `exchange admin withdrawal` asks here.
//!
//! Owns: these routes. Never does: pay. Invariants: a decision is in the audit before it is done, with who made it and why; the same
//! name, in whatever case, agrees once; nobody agrees while the owner is paused or locked. Known limits: a name is what the tool says:
//! staff with keys of their own come with the back office.

use super::decisions::{Decider, allowed, no_answer, no_audit, said};
use super::front::Front;
use super::running::Running;
use crate::common::time::{ms, now_ms};
use crate::observe::render_chain::flag_names;
use actix_web::web::{Data, Json, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use xng_core::account::AccountCommand;
use xng_core::account::facts::AccountStatus;
use xng_core::chain::withdrawal_facts::Vote;
use xng_core::chain::{Chain, ChainCommand, OpenWithdrawal, WithdrawalId, WithdrawalState};
use xng_core::entity::{Command, Reply, View};
use xng_core::reject::Reject;

/// Letters of a name, and of a reason, which the owner reads.
const MOST_NAME: usize = 64;
const MOST_REASON: usize = 200;

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

/// A name in the form in which it is counted.
fn one_form(name: &str) -> String {
    name.split_whitespace().collect::<Vec<&str>>().join(" ").to_ascii_lowercase()
}

/// The answer to whoever agrees although the owner's account is paused or may not act.
async fn stops(running: &Running, withdrawal: WithdrawalId) -> Option<HttpResponse> {
    let shared = &running.shared;
    let owner = |chain: &Chain| chain.withdrawal(withdrawal).map(|open| open.withdrawal.account);
    let account = shared.chains.look(withdrawal.chain(), owner).flatten()?;
    let Ok(paused) = shared.auth.withdrawals_paused_until(account).await else { return Some(no_audit()) };
    if paused.cast_signed() > now_ms() {
        return Some(said(409, &format!("withdrawals of account {account} are paused after a security change")));
    }
    match shared.operators.ask(Command::Account(account, AccountCommand::View)).await {
        Some(Reply::View(View::Account(view))) if view.status == AccountStatus::Active => None,
        Some(_) => Some(said(409, &format!("account {account} may not act"))),
        None => Some(no_answer()),
    }
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
    if agrees && let Some(answer) = stops(running, withdrawal).await {
        return answer;
    }
    let told = format!("{what} withdrawal {withdrawal}");
    if shared.auth.audit_operator(&who.by, &told, &id.to_string(), &who.reason).await.is_err() {
        return no_audit();
    }
    let vote = Vote { who: who_by, reason: who.reason.trim().to_owned() };
    let command = ChainCommand::Vote { withdrawal, vote, agrees };
    match shared.operators.ask(Command::Chain(withdrawal.chain(), command)).await {
        Some(Reply::Accepted(_)) => HttpResponse::Ok().json(json!({ "done": told })),
        Some(Reply::Rejected(Reject::UnknownWithdrawal | Reject::UnknownChain)) => {
            said(404, "there is no such withdrawal")
        }
        Some(Reply::Rejected(Reject::WithdrawalDone)) => said(409, "it is decided already"),
        Some(Reply::Rejected(Reject::NotTwoPeople)) => said(409, "the same person agreed before"),
        Some(Reply::Rejected(Reject::BadParameters)) => {
            said(400, "a name has letters from a to z, digits and . _ - @ +; a reason has no line breaks")
        }
        Some(other) => said(409, &format!("refused: {other:?}")),
        None => no_answer(),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/withdrawals", get().to(list));
    cfg.route("/admin/withdrawal/{id}/{action}", post().to(decide));
}
