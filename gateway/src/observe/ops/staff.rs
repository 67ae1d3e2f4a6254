//! Who works in the back office: `exchange admin staff` asks here.
//!
//! Owns: these routes. Never does: set a password; keep a code as it is: only its digest.
//! Invariants: a change and its row of the audit, with who made it and why, are one transaction; a name is one person's for ever;
//! a code is used once, within a day of its opening; once two owners have enrolled it opens after 72 hours. Known limits: whoever reads
//! `ops.key` disables people, one alone, and until two owners have enrolled adds people, too.

use super::decisions::{Decider, allowed_by_key, no_audit, said};
use super::front::Front;
use super::running::Running;
use crate::backoffice::enrolment_codes::whole;
use crate::backoffice::roles::Role;
use crate::backoffice::staff::{NAME_RULE, is_name};
use crate::common::time::now_ms;
use actix_web::web::{Data, Json, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use serde::Deserialize;
use serde_json::{Value, json};
use xng_core::ids::AccountId;
use xng_persistence::office::{AuditEntry, EnrolmentCode, NewStaff, OfficeError, StaffMember};

#[derive(Deserialize)]
struct Person {
    role: String,
    account: Option<u64>,
    #[serde(flatten)]
    who: Decider,
}

/// Why nothing was done about a name.
const NOBODY: &str = "nobody who is not disabled has this name, or it is one of the last two owners, \
     or owners opened an enrolment for them";

/// A row of the audit about a person.
fn entry(who: &Decider, action: &str, name: &str, more: Value) -> AuditEntry {
    let mut detail = more;
    detail["reason"] = who.reason.as_str().into();
    let (actor, subject) = (who.by.clone(), format!("staff:{name}"));
    AuditEntry { actor, action: action.into(), subject, detail: detail.to_string(), ip: String::new() }
}

/// A new code, what is kept of it, and what is told.
async fn new_code(running: &Running) -> Result<(EnrolmentCode, Value), OfficeError> {
    let owners_decide = running.shared.auth.office().owners_decide().await?;
    Ok(whole(&running.shared.config.admin_origin(), owners_decide, now_ms().cast_unsigned()))
}

/// Everybody, by their numbers.
async fn list(front: Data<Front>, request: HttpRequest) -> HttpResponse {
    let running = match allowed_by_key(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let row = |one: &StaffMember| {
        json!({ "id": one.id, "name": one.name, "role": one.role, "account": one.account.map(|account| account.0),
            "enrolled": one.password_hash.is_some(), "disabled": one.disabled, "created_ms": one.created_ms })
    };
    match running.shared.auth.office().all_staff().await {
        Ok(all) => HttpResponse::Ok().json(all.iter().map(row).collect::<Vec<Value>>()),
        Err(_) => said(503, "the office database does not answer"),
    }
}

/// Adds a person; the answer has the only copy of the code.
async fn add(front: Data<Front>, request: HttpRequest, name: Path<String>, person: Json<Person>) -> HttpResponse {
    let running = match allowed_by_key(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    if let Some(answer) = person.who.lacks() {
        return answer;
    }
    let Some(role) = Role::parse(&person.role) else {
        return said(400, &format!("a role is one of {}", Role::ALL.map(Role::name).join(", ")));
    };
    if !is_name(&name) {
        return said(400, NAME_RULE);
    }
    let Ok((code, mut answer)) = new_code(running).await else { return no_audit() };
    let new = NewStaff { name: name.clone(), role: role.name().into(), account: person.account.map(AccountId) };
    let more = json!({ "role": role.name(), "account": person.account });
    let audit = entry(&person.who, "add staff", &name, more);
    match running.shared.auth.office().add_staff(&new, &code, &audit, now_ms().cast_unsigned()).await {
        Ok(Some(id)) => {
            answer["staff"] = id.into();
            HttpResponse::Ok().json(answer)
        }
        Ok(None) => said(409, "this name is taken, for ever"),
        Err(_) => no_audit(),
    }
}

/// `disable`, or `renew` the enrolment of who lost a passkey or a password.
async fn change(
    front: Data<Front>,
    request: HttpRequest,
    path: Path<(String, String)>,
    who: Json<Decider>,
) -> HttpResponse {
    let running = match allowed_by_key(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    if let Some(answer) = who.lacks() {
        return answer;
    }
    let (office, now) = (running.shared.auth.office(), now_ms().cast_unsigned());
    let (name, what) = path.into_inner();
    let (done, answer) = match what.as_str() {
        "disable" => {
            let audit = entry(&who, "disable staff", &name, json!({}));
            (office.disable_staff(&name, &audit, now).await, json!({ "done": "disabled" }))
        }
        "renew" => {
            let Ok((code, answer)) = new_code(running).await else { return no_audit() };
            let audit = entry(&who, "renew staff", &name, json!({}));
            (office.renew_staff(&name, &code, &audit, now).await, answer)
        }
        _ => return said(404, "disable or renew"),
    };
    match done {
        Ok(true) => HttpResponse::Ok().json(answer),
        Ok(false) => said(404, NOBODY),
        Err(_) => no_audit(),
    }
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/staff", get().to(list));
    cfg.route("/admin/staff/{name}", post().to(add));
    cfg.route("/admin/staff/{name}/{action}", post().to(change));
}
