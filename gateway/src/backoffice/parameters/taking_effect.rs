//! Approved changes of parameters, put into force at their time.
//!
//! Owns: the work once a minute, and right after an approval. Never does: decide. Invariants: a change is made once: the market refuses one
//! of another version than its own; what came of it is in the audit. Known limits: a change takes effect within a minute of its time;
//! one that the market refuses is proposed anew.

use super::super::asking::now;
use super::super::cases::origin;
use super::super::roles::{Permission, Role};
use super::proposal::{PARAMETERS, Proposal};
use crate::app::Shared;
use serde_json::json;
use xng_core::entity::{Command, Reply};
use xng_core::reject::Reject;
use xng_core::spot::{MarketCommand, MarketParams};
use xng_persistence::office::{AuditEntry, OfficeError, StaffCase};

/// What is said of one that is in force.
pub(super) const IN_FORCE: &str = "in force";
/// What is said of one that was taken back.
pub(super) const TAKEN_BACK: &str = "taken back";

/// Once a minute: puts into force what was approved and is due.
pub(crate) async fn tend(shared: &Shared) {
    let waiting = shared.auth.office().cases_without_outcome(PARAMETERS, now()).await;
    let all = match waiting {
        Ok(all) => all,
        Err(error) => return tracing::warn!(%error, "approved parameters were not looked for"),
    };
    for case in all {
        if let Err(error) = carry_out(shared, &case).await {
            tracing::warn!(%error, case = case.id, "what came of approved parameters is noted later");
        }
    }
}

/// Puts it into force when it is due; what came of it, none while it waits.
pub(super) async fn carry_out(shared: &Shared, case: &StaffCase) -> Result<Option<String>, OfficeError> {
    // Nobody takes it back, and nothing else carries it out, meanwhile.
    let _one = shared.changing_parameters.lock().await;
    let proposal = Proposal::of_subject(&case.subject);
    if proposal.as_ref().is_some_and(|p| p.effective_ms.is_some_and(|at| at > now())) {
        return Ok(None);
    }
    let office = shared.auth.office();
    if let Some(done) = office.case_outcome(case.id).await? {
        return Ok(Some(done.outcome));
    }
    let outcome = match proposal {
        Some(proposal) if !both_may(shared, case).await? => Some(format!(
            "Who proposed or approved it may not any more: propose it anew. {} stays as it is.",
            proposal.symbol
        )),
        Some(proposal) => put_into_force(shared, case, &proposal).await,
        None => Some("It cannot be read: propose it anew.".to_owned()),
    };
    let Some(outcome) = outcome else { return Ok(None) };
    let detail = json!({ "case": case.id, "outcome": outcome }).to_string();
    let (actor, action) = ("exchange".to_owned(), "parameters take effect".to_owned());
    let entry = AuditEntry { actor, action, subject: case.subject.clone(), detail, ip: String::new() };
    if office.end_case(case.id, &outcome, &entry, now()).await? {
        tracing::info!(case = case.id, outcome, "approved parameters of a market");
    }
    Ok(Some(outcome))
}

/// Whether both people still work here in a role that changes parameters.
async fn both_may(shared: &Shared, case: &StaffCase) -> Result<bool, OfficeError> {
    let all = shared.auth.office().all_staff().await?;
    let may = |id: u64| {
        let role = all.iter().find(|one| one.id == id && !one.disabled).and_then(|one| Role::parse(&one.role));
        role.is_some_and(|role| role.may(Permission::ChangeParameters))
    };
    Ok(may(case.proposed_by) && case.decided_by.is_some_and(may))
}

/// Asks the market; none when nothing answered, which is asked again.
async fn put_into_force(shared: &Shared, case: &StaffCase, proposal: &Proposal) -> Option<String> {
    let Some(info) = shared.listed().markets.get(&proposal.id()).cloned() else {
        return Some("There is no such market.".into());
    };
    // An earlier attempt was made although its answer was lost.
    if proposal.made(&info.params) {
        return Some(IN_FORCE.into());
    }
    let new = match proposal.on(&info.params) {
        Ok(new) => MarketParams { version: proposal.version, ..new },
        Err(refusal) => return Some(refusal.to_string()),
    };
    let by = origin(case, case.decided_by.unwrap_or_default());
    let change = Command::Market(proposal.id(), MarketCommand::ChangeParams(Box::new(new)));
    let refused = match shared.operators.ask_as(by, change).await? {
        Reply::Accepted(_) | Reply::Rejected(Reject::AlreadyExists) => return Some(IN_FORCE.into()),
        Reply::Rejected(reject) => reject,
        // There was no room for it: it is asked again.
        Reply::Busy | Reply::Known(_) | Reply::View(_) | Reply::TradeIds { .. } => return None,
    };
    let said = [
        (Reject::StaleTerms, "Other parameters came into force meanwhile: propose it anew."),
        (
            Reject::OrdersOpen,
            "The market had orders or quotes: tick and step change on an empty book only. Propose it anew.",
        ),
    ];
    let text = said.iter().find(|(of, _)| *of == refused).map(|(_, text)| (*text).to_owned());
    Some(text.unwrap_or_else(|| format!("refused: {refused:?}")))
}
