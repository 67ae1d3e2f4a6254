//! Who works here: two owners add people and have them enrol anew, one disables somebody or stops an enrolment at once.
//!
//! Owns: these calls. Never does: set a password; keep a code. Invariants: who proposes and who agrees are two owners, each has half
//! of the code, and neither is the person that it is about; nobody disables themselves, stops their own enrolment, or disables one of
//! the last two owners. Known limits: what was approved while the office did not answer is proposed anew, and so is a half that was
//! lost. Rules: `docs/back-office.md "People"`.

use super::asking::{Answer, Ask, Refusal, Signed, Why, now, reason, refused};
use super::cases;
use super::enrolment_codes::{first_half, second_half};
use super::roles::{ManageStaff, Role, SeeStaff};
use crate::app::Shared;
use actix_web::HttpResponse;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;
use xng_core::ids::AccountId;
use xng_persistence::office::{
    CaseState, NewCase, NewStaff, Office, STAFF_CASE, StaffCase, StaffMember, signature_name,
};

/// Letters of a name.
const NAME: RangeInclusive<usize> = 2..=32;

/// Whether somebody may be called so; names are never given twice.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-'));
    NAME.contains(&name.len()) && plain && name.starts_with(|c: char| c.is_ascii_lowercase())
}

/// What [`is_name`] asks for.
pub(crate) const NAME_RULE: &str =
    "A name has 2 to 32 letters from a to z, digits, dots and dashes, and begins with a letter.";

/// Once a minute: counts enrolments that the operator made alone although owners decide, until they are used or end.
pub(crate) async fn watch(shared: &Shared) {
    let now = now();
    match shared.auth.office().enrolments(now).await {
        Ok(open) => {
            let waiting = open.iter().filter(|one| one.alone).count() as u64;
            let before = shared.waiting_enrolments.swap(waiting, Ordering::Relaxed);
            if waiting > before {
                tracing::warn!(waiting, "somebody was added to the staff, or is to enrol anew, by one person alone");
            }
        }
        Err(error) => tracing::warn!(%error, "enrolments of the staff were not looked at"),
    }
}

/// What is proposed: a person who is added, or who enrols anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Proposal {
    action: Action,
    name: String,
    role: String,
    account: Option<u64>,
    /// Digest of the first half of the code.
    half: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Add,
    Renew,
}

impl Proposal {
    fn text(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers")
    }

    fn of(case: &StaffCase) -> Option<Proposal> {
        serde_json::from_str(&case.subject).ok()
    }
}

/// As the audit names somebody about whom something is done.
fn subject(name: &str) -> String {
    format!("staff:{name}")
}

/// Nobody empties the house.
fn changes<P, B>(ask: &Ask<P, B>) -> Result<(), Refusal> {
    let text = "You have changed much about the staff. Wait an hour.";
    if ask.desk.staff.take(ask.me.id) { Ok(()) } else { Err(refused(429, text)) }
}

async fn named(office: &Office, name: &str) -> Result<Option<StaffMember>, Refusal> {
    Ok(office.all_staff().await?.into_iter().find(|one| one.name == name))
}

/// The person in the address, who works here.
async fn person<P, B>(ask: &Ask<P, B>) -> Result<StaffMember, Refusal> {
    let id = ask.number()?;
    let all = ask.desk.office.all_staff().await?;
    let found = all.into_iter().find(|one| one.id == id && !one.disabled);
    found.ok_or_else(|| refused(404, "Nobody who works here has this number."))
}

/// Whether a proposal can be done as things are.
async fn fits(office: &Office, proposal: &Proposal) -> Result<(), Refusal> {
    match (proposal.action, named(office, &proposal.name).await?) {
        (Action::Add, None) => Ok(()),
        (Action::Add, Some(_)) => Err(refused(409, "This name is taken, for ever.")),
        (Action::Renew, Some(one)) if !one.disabled => Ok(()),
        (Action::Renew, _) => Err(refused(404, "Nobody who works here has this name.")),
    }
}

/// `GET /admin/api/staff`: who works here, enrolments that are open or wait, and what is proposed.
pub(super) async fn list(ask: Ask<SeeStaff>) -> Answer {
    let office = &ask.desk.office;
    let open = office.enrolments(now()).await?;
    let open: BTreeMap<u64, Value> = open
        .iter()
        .map(|one| (one.staff, json!({ "opens_ms": one.opens_ms, "expires_ms": one.expires_ms, "alone": one.alone })))
        .collect();
    let row = |one: &StaffMember| {
        json!({ "id": one.id, "name": one.name, "signs": signature_name(one.id, &one.name), "role": one.role,
            "account": one.account.map(|account| account.0), "created_ms": one.created_ms,
            "enrolled": one.password_hash.is_some(), "disabled": one.disabled, "enrolment": open.get(&one.id) })
    };
    let cases = cases::listed(office, STAFF_CASE, |case, told| {
        told["terms"] = Proposal::of(case).map_or(
            Value::Null,
            |p| json!({ "action": p.action, "name": p.name, "role": p.role, "account": p.account }),
        );
        told["subject"] = Value::Null;
    });
    let (cases, all) = (cases.await?, office.all_staff().await?);
    let rows: Vec<Value> = all.iter().map(row).collect();
    let roles = Role::ALL.map(Role::name);
    Ok(HttpResponse::Ok().json(json!({ "rows": rows, "cases": cases, "roles": roles, "me": ask.me.signs() })))
}

#[derive(Deserialize)]
pub(super) struct New {
    action: Action,
    name: String,
    #[serde(default)]
    role: String,
    account: Option<u64>,
    reason: String,
}

/// `POST /admin/api/staff/propose`: another owner has to agree. The answer has the only copy of the first half of the code.
pub(super) async fn propose(ask: Ask<ManageStaff, New>) -> Answer {
    let (office, new, why) = (&ask.desk.office, &ask.asked, reason(&ask.asked.reason)?);
    let known = named(office, &new.name).await?;
    let (role, account) = match (new.action, &known) {
        (Action::Add, _) => (new.role.clone(), new.account),
        (Action::Renew, Some(one)) => (one.role.clone(), one.account.map(|account| account.0)),
        (Action::Renew, None) => (String::new(), None),
    };
    let (link, half) = first_half(&ask.desk.shared.config.admin_origin());
    let proposal = Proposal { action: new.action, name: new.name.clone(), role, account, half };
    if new.action == Action::Add {
        if !is_name(&proposal.name) {
            return Err(refused(400, NAME_RULE));
        }
        if Role::parse(&proposal.role).is_none() {
            return Err(refused(400, "There is no such role."));
        }
    }
    fits(office, &proposal).await?;
    if proposal.name == ask.me.name {
        return Err(refused(409, "This is you: another owner proposes it."));
    }
    let open = office.cases(STAFF_CASE, cases::MOST, now()).await?;
    let is_same = |case: &StaffCase| Proposal::of(case).is_some_and(|other| other.name == proposal.name);
    if open.iter().any(|case| case.state == CaseState::Proposed && is_same(case)) {
        return Err(refused(409, "Something is proposed about this name already."));
    }
    changes(&ask)?;
    let detail =
        json!({ "action": proposal.action, "role": proposal.role, "account": proposal.account, "reason": why });
    let audit = ask.entry("propose staff", subject(&proposal.name), &detail);
    let case = NewCase { kind: STAFF_CASE.into(), subject: proposal.text(), by: ask.me.id, reason: why };
    match office.propose(&case, &audit, now()).await? {
        Some(case) => Ok(HttpResponse::Ok().json(json!({ "case": case, "link": link }))),
        None => Err(refused(409, "Something is proposed about this name already.")),
    }
}

/// The proposal of the case in the address, which is about somebody else than who asks.
async fn proposal<B>(ask: &Ask<ManageStaff, B>) -> Result<Proposal, Refusal> {
    let case = ask.desk.office.case(ask.number()?, now()).await?;
    let proposal = case.filter(|case| case.kind == STAFF_CASE).as_ref().and_then(Proposal::of);
    let proposal = proposal.ok_or_else(|| refused(404, "There is no such case."))?;
    if proposal.name == ask.me.name {
        return Err(refused(409, "This is you: another owner decides."));
    }
    Ok(proposal)
}

/// `POST /admin/api/staff-cases/{id}/decide/begin`: what is to be signed.
pub(super) async fn begin_decision(ask: Ask<ManageStaff, cases::Decision>) -> Answer {
    let proposal = proposal(&ask).await?;
    if ask.asked.approves {
        fits(&ask.desk.office, &proposal).await?;
    }
    cases::begin(&ask, STAFF_CASE).await
}

/// `POST /admin/api/staff-cases/{id}/decide`: the signature. The answer has the only copy of the second half of the code.
pub(super) async fn decide(ask: Ask<ManageStaff, Signed>) -> Answer {
    let (office, now, proposal) = (&ask.desk.office, now(), proposal(&ask).await?);
    let decided = cases::decide(&ask, STAFF_CASE).await?;
    if !decided.approves {
        return Ok(HttpResponse::Ok().json(json!({ "done": decided.action })));
    }
    let (half, code) = second_half(&proposal.half, (decided.case.proposed_by, ask.me.id), now);
    let Proposal { action, name, role, account, .. } = proposal;
    let detail = json!({ "role": role, "account": account, "case": decided.case.id, "proposed_by": decided.proposer });
    let done = match action {
        Action::Add => {
            let new = NewStaff { name: name.clone(), role, account: account.map(AccountId) };
            office.add_staff(&new, &code, &ask.entry("add staff", subject(&name), &detail), now).await?.is_some()
        }
        Action::Renew => {
            office.renew_staff(&name, &code, &ask.entry("renew staff", subject(&name), &detail), now).await?
        }
    };
    if !done {
        return Err(refused(409, "The name was taken meanwhile, or one of you or the person left: propose it anew."));
    }
    Ok(HttpResponse::Ok().json(json!({ "done": decided.action, "half": half, "expires_ms": code.expires_ms })))
}

/// `POST /admin/api/staff/{id}/disable`: at once, by one owner, never themselves.
pub(super) async fn disable(ask: Ask<ManageStaff, Why>) -> Answer {
    let (why, one) = (reason(&ask.asked.reason)?, person(&ask).await?);
    if one.id == ask.me.id {
        return Err(refused(409, "This is you: another owner disables you."));
    }
    changes(&ask)?;
    let audit = ask.entry("disable staff", subject(&one.name), &json!({ "reason": why }));
    match ask.desk.office.disable_staff(&one.name, &audit, now()).await? {
        true => Ok(HttpResponse::Ok().json(json!({ "done": "disabled" }))),
        false => {
            Err(refused(409, "They were disabled meanwhile, or are one of the last two owners: add another one first."))
        }
    }
}

/// `POST /admin/api/staff/{id}/stop-enrolment`: at once, by one owner. Whoever is to enrol needs a new code.
pub(super) async fn stop_enrolment(ask: Ask<ManageStaff, Why>) -> Answer {
    let (why, one) = (reason(&ask.asked.reason)?, person(&ask).await?);
    if one.id == ask.me.id {
        return Err(refused(409, "This is you: another owner stops it."));
    }
    let audit = ask.entry("stop enrolment", subject(&one.name), &json!({ "reason": why }));
    match ask.desk.office.stop_enrolment(one.id, &audit, now()).await? {
        true => Ok(HttpResponse::Ok().json(json!({ "done": "stopped" }))),
        false => Err(refused(409, "No enrolment of theirs is open.")),
    }
}
