//! Cases: what one person proposes and another decides, by a signature.
//!
//! Owns: what is signed of a case, and the way from the proposal to the decision. Never does: what was decided. Invariants: a case is
//! decided by the calls of its own kind alone; nobody approves what they proposed, or what somebody proposed who does not work here any
//! more. Known limits: whether what was approved is done again when the exchange did not answer, is each kind's own matter. Rules:
//! `docs/back-office.md "Votes"`.

use super::asking::{Answer, Ask, Me, Refusal, Signed, now, reason, refused};
use super::challenges::Purpose;
use crate::api::auth::secrets::digest;
use crate::custody::review::CHANGED;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xng_core::record::Origin;
use xng_persistence::office::{CASE_OPEN_MS, CaseDecision, CaseState, Office, StaffCase, signature_name};

/// Cases that are told.
pub(super) const MOST: u32 = 100;

/// A case as people see it.
fn row(case: &StaffCase, names: &BTreeMap<u64, String>) -> Value {
    let signs = |id: u64| names.get(&id).map(|name| signature_name(id, name));
    let state = match case.state {
        CaseState::Proposed => "proposed",
        CaseState::Approved => "approved",
        CaseState::Refused => "refused",
        CaseState::Expired => "expired",
    };
    json!({ "case": case.id, "kind": case.kind, "subject": case.subject, "state": state,
        "proposed_by": signs(case.proposed_by), "proposed_ms": case.proposed_ms, "proposed_reason": case.proposed_reason,
        "expires_ms": case.proposed_ms + CASE_OPEN_MS, "decided_by": case.decided_by.and_then(signs),
        "decided_ms": case.decided_ms, "decided_reason": case.decided_reason })
}

/// The newest cases of a kind, as people see them; `more` adds what the kind has besides.
pub(super) async fn listed(
    office: &Office,
    kind: &str,
    more: impl Fn(&StaffCase, &mut Value),
) -> Result<Vec<Value>, Refusal> {
    let names: BTreeMap<u64, String> = office.all_staff().await?.into_iter().map(|one| (one.id, one.name)).collect();
    let cases = office.cases(kind, MOST, now()).await?;
    let row = |case: &StaffCase| {
        let mut row = row(case, &names);
        more(case, &mut row);
        row
    };
    Ok(cases.iter().map(row).collect())
}

#[derive(Deserialize)]
pub(super) struct Decision {
    pub(super) approves: bool,
    reason: String,
}

/// A case that was decided just now.
pub(super) struct Decided {
    pub(super) case: StaffCase,
    pub(super) approves: bool,
    /// What was done, as the audit names it.
    pub(super) action: String,
    /// Who proposed it, as the audit names them.
    pub(super) proposer: String,
}

impl Decided {
    /// Who is behind it, as the journal names them.
    pub(super) fn origin(&self, checker: &Me) -> Origin {
        origin(&self.case, checker.id)
    }
}

/// Who is behind a case that somebody approved, as the journal names them.
pub(super) fn origin(case: &StaffCase, checker: u64) -> Origin {
    let number = |id: u64| u32::try_from(id).unwrap_or(u32::MAX);
    Origin::Staff { maker: number(case.proposed_by), checker: number(checker), case: case.id }
}

fn statement(case: &StaffCase, (by, approves, reason): (&str, bool, &str), nonce: &str) -> String {
    json!({ "case": case.kind, "number": case.id, "subject": case.subject, "proposed_by": case.proposed_by,
        "proposed_reason": case.proposed_reason, "by": by, "approves": approves, "reason": reason, "nonce": nonce })
    .to_string()
}

/// The case in the address, of this kind and open; who proposed it.
async fn open<P, B>(ask: &Ask<P, B>, kind: &str, approves: bool) -> Result<(StaffCase, String), Refusal> {
    let case = ask.desk.office.case(ask.number()?, now()).await?;
    let case = case.filter(|case| case.kind == kind).ok_or_else(|| refused(404, "There is no such case."))?;
    if case.state != CaseState::Proposed {
        return Err(refused(409, "It is decided already, or too old."));
    }
    if approves && case.proposed_by == ask.me.id {
        return Err(refused(409, "You proposed it: another person has to agree."));
    }
    let all = ask.desk.office.all_staff().await?;
    let proposer = all.iter().find(|one| one.id == case.proposed_by);
    let name = proposer.map_or_else(String::new, |one| signature_name(one.id, &one.name));
    if approves {
        ask.still_here(std::slice::from_ref(&name)).await?;
    }
    Ok((case, name))
}

/// What is to be signed.
pub(super) async fn begin<P>(ask: &Ask<P, Decision>, kind: &str) -> Answer {
    let (approves, reason) = (ask.asked.approves, reason(&ask.asked.reason)?);
    let (case, _) = open(ask, kind, approves).await?;
    let purpose = Purpose::Case { case: case.id, approves, reason: reason.clone() };
    ask.sign(purpose, |nonce| statement(&case, (&ask.me.signs(), approves, &reason), nonce)).await
}

/// The signature: the case is decided, and the audit has it.
pub(super) async fn decide<P>(ask: &Ask<P, Signed>, kind: &str) -> Result<Decided, Refusal> {
    let pending = ask.pending()?;
    let (approves, reason) = match pending.purpose {
        Purpose::Case { case, approves, reason } if case == ask.number()? => (approves, reason),
        Purpose::Case { .. } | Purpose::Enrol(_) | Purpose::Login(_) | Purpose::Vote { .. } => {
            return Err(refused(409, "This signature is for something else."));
        }
    };
    let key = ask.desk.verified(ask.me.id, &pending.challenge, &ask.asked.assertion).await?;
    let (case, proposer) = open(ask, kind, approves).await?;
    let said = statement(&case, (&ask.me.signs(), approves, &reason), &pending.nonce);
    if digest(&said) != pending.challenge {
        return Err(refused(409, CHANGED));
    }
    let action = format!("{} to {kind}", if approves { "approve" } else { "refuse" });
    let audit = ask.signed_entry((&action, case.subject.clone()), &reason, &said);
    let decision = CaseDecision { case: case.id, by: ask.me.id, reason, approves };
    if !ask.desk.office.decide_case(&decision, &key, &audit, now()).await? {
        return Err(refused(409, "It was decided meanwhile."));
    }
    Ok(Decided { case, approves, action, proposer })
}
