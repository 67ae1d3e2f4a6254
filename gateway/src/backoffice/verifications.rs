//! Verification: the queue, what a reviewer sees and decides, and revocations, which two people decide.
//!
//! Owns: these calls. Never does: set a tier, the engine does. Invariants: names, numbers and pictures are shown to who reviews the case
//! now, and each look is in the audit; nobody reviews their own account; a person looks at so many an hour. Known limits: none. Rules:
//! `docs/rules/verification.md`, `docs/back-office.md "Votes"`.

use super::asking::{Answer, Ask, Refusal, Signed, now, reason, refused};
use super::roles::{Permission, ReviewVerifications, RevokeVerifications, SeeVerifications};
use super::tiers::{REVOKE, lower_tier};
use super::{cases, tiers};
use crate::api::auth::verification::REASONS;
use crate::common::time::now_ms;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, ContentType};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xng_core::account::{AccountCommand, Tier};
use xng_core::entity::{Command, Reply, View};
use xng_core::ids::AccountId;
use xng_persistence::office::{
    AuditFilter, NewCase, Verification, VerificationDecision, VerificationState, signature_name,
};

/// Rows that are told at once; of the audit; cases.
const ROWS: u32 = 100;
const NOTES: u32 = 50;
const OWN: &str = "This is about your own account: somebody else decides.";
/// Letters of a note to the user.
const MOST_NOTE: usize = 200;

#[derive(Deserialize)]
pub(super) struct Query {
    #[serde(default)]
    state: String,
    before: Option<u64>,
}

fn state_name(state: VerificationState) -> &'static str {
    match state {
        VerificationState::Waits => "waiting",
        VerificationState::Passed => "passed",
        VerificationState::Failed => "failed",
    }
}

fn row(v: &Verification, names: &BTreeMap<u64, String>) -> Value {
    let signs = |id: Option<u64>| id.and_then(|id| names.get(&id).map(|name| signature_name(id, name)));
    let leased = v.leased_until_ms.filter(|until| *until > now() && v.state == VerificationState::Waits);
    json!({ "case": v.id, "account": v.user.0, "level": v.level, "state": state_name(v.state), "country": v.country, "region": v.region,
        "id_type": v.id_type, "submitted_ms": v.submitted_ms, "reviewer": leased.and_then(|_| signs(v.reviewer)),
        "leased_until_ms": leased, "decided_by": signs(v.decided_by), "decided_ms": v.decided_ms, "reason": v.reason,
        "note": v.note })
}

async fn names<P, B>(ask: &Ask<P, B>) -> Result<BTreeMap<u64, String>, Refusal> {
    Ok(ask.desk.office.all_staff().await?.into_iter().map(|one| (one.id, one.name)).collect())
}

/// `GET /admin/api/verifications`: what waits, the oldest first, or what was decided, the newest first; and revocations.
pub(super) async fn list(ask: Ask<SeeVerifications, Query>) -> Answer {
    let (office, names) = (&ask.desk.office, names(&ask).await?);
    let state = match ask.asked.state.as_str() {
        "" | "waiting" => VerificationState::Waits,
        "passed" => VerificationState::Passed,
        "failed" => VerificationState::Failed,
        _ => return Err(refused(400, "waiting, passed or failed")),
    };
    let rows = office.verifications(state, ask.asked.before, ROWS).await?;
    let revocations = cases::listed(office, REVOKE, |case, told| {
        let (account, tier) = tiers::subject_of(&case.subject).unzip();
        told["account"] = account.map(|account| account.0).into();
        told["tier"] = tier.map(|tier| if tier == Tier::Basic { "basic" } else { "unverified" }).into();
    })
    .await?;
    Ok(HttpResponse::Ok().json(json!({ "rows": rows.iter().map(|v| row(v, &names)).collect::<Vec<Value>>(),
        "waiting": office.verifications_waiting().await?, "revocations": revocations,
        "now_ms": now_ms(), "me": ask.me.signs() })))
}

async fn found<P, B>(ask: &Ask<P, B>) -> Result<Verification, Refusal> {
    let found = ask.desk.office.verification(ask.number()?).await?;
    found.ok_or_else(|| refused(404, "There is no such case."))
}

/// Whether somebody reviews it now.
fn is_reviewed_by(v: &Verification, staff: u64) -> bool {
    let leased = v.leased_until_ms.is_some_and(|until| until > now());
    leased && v.reviewer == Some(staff) && v.state == VerificationState::Waits
}

fn subject(v: &Verification) -> String {
    format!("verification:{}", v.id)
}

/// The first letter of each word, unless it is to be shown.
fn masked(text: &str, shown: bool) -> String {
    if shown {
        return text.to_owned();
    }
    let first = |word: &str| word.chars().next().map_or_else(String::new, |first| format!("{first}***"));
    text.split(' ').map(first).collect::<Vec<String>>().join(" ")
}

/// `GET /admin/api/verifications/{id}`.
pub(super) async fn detail(ask: Ask<SeeVerifications>) -> Answer {
    let (v, office) = (found(&ask).await?, &ask.desk.office);
    let mine = ask.me.role.may(Permission::ReviewVerifications) && is_reviewed_by(&v, ask.me.id);
    let mut told = row(&v, &names(&ask).await?);
    let of_user = office.verifications_of(v.user).await?;
    // Pictures are looked at beside the document that passed before them.
    let document = of_user.iter().find(|one| one.level == Tier::Basic as u8 && one.state != VerificationState::Failed);
    let document = if v.level == Tier::Basic as u8 { Some(&v) } else { document };
    let person = document.and_then(|document| ask.desk.shared.auth.person(document));
    told["name"] = person.as_ref().map(|person| masked(&person.name, mine)).into();
    told["number"] = person.as_ref().map(|person| masked(&person.number, mine)).into();
    if let Some(document) = document {
        (told["id_type"], told["country"]) = (document.id_type.into(), document.country.clone().into());
        told["region"] = document.region.clone().into();
        told["same_document"] = office.same_document(document.id).await?.into();
    } else {
        told["same_document"] = json!([]);
    }
    let pictures = office.pictures(v.id).await?;
    told["pictures"] = pictures.iter().filter_map(|file| file.side.clone()).collect::<Vec<String>>().into();
    let about = AuditFilter { subject: subject(&v), ..AuditFilter::default() };
    told["notes"] = office.audit(&about, NOTES).await?.iter().map(super::audit::row).collect();
    told["mine"] = mine.into();
    (told["now_ms"], told["me"]) = (now_ms().into(), ask.me.signs().into());
    if mine {
        let seen = ask.entry("look at verification", subject(&v), &json!({}));
        office.append_audit(&seen, now()).await?;
    }
    Ok(HttpResponse::Ok().json(told))
}

/// `POST /admin/api/verifications/{id}/claim`: nobody else reviews it for a while.
pub(super) async fn claim(ask: Ask<ReviewVerifications>) -> Answer {
    let v = found(&ask).await?;
    if ask.me.account == Some(v.user) {
        return Err(refused(409, "This is about your own account: somebody else reviews it."));
    }
    if !ask.desk.reviews.take(ask.me.id) {
        return Err(refused(429, "You have looked at many documents. Wait an hour."));
    }
    let until = ask.desk.office.lease_verification(v.id, ask.me.id, now()).await?;
    let until = until.ok_or_else(|| refused(409, "Somebody else reviews it, or it is decided."))?;
    let audit = ask.entry("review verification", subject(&v), &json!({}));
    ask.desk.office.append_audit(&audit, now()).await?;
    Ok(HttpResponse::Ok().json(json!({ "leased_until_ms": until })))
}

/// `GET /admin/api/verifications/{id}/pictures/{side}`: to who reviews it.
pub(super) async fn picture(ask: Ask<ReviewVerifications>) -> Answer {
    let v = found(&ask).await?;
    if !is_reviewed_by(&v, ask.me.id) {
        return Err(refused(409, "Begin to review it first."));
    }
    let side = ask.request.match_info().get("side").unwrap_or_default().to_owned();
    let files = ask.desk.office.pictures(v.id).await?;
    let file = files.iter().find(|file| file.side.as_deref() == Some(side.as_str()));
    let file = file.ok_or_else(|| refused(404, "There is no such picture."))?;
    let audit = ask.entry("look at picture", subject(&v), &json!({ "side": side }));
    ask.desk.office.append_audit(&audit, now()).await?;
    let shared = &ask.desk.shared;
    let bytes = shared.auth.picture(&shared.config.server.data_dir, file).await;
    let bytes = bytes.map_err(|_| refused(404, "The picture's file is gone, or was changed."))?;
    let form = if file.ending == "jpg" { ContentType::jpeg() } else { ContentType::png() };
    Ok(HttpResponse::Ok().insert_header(form).insert_header((CACHE_CONTROL, "no-store")).body(bytes))
}

#[derive(Deserialize)]
pub(super) struct Decision {
    passes: bool,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    note: String,
}

/// `POST /admin/api/verifications/{id}/decide`: by who reviews it.
pub(super) async fn decide(ask: Ask<ReviewVerifications, Decision>) -> Answer {
    let v = found(&ask).await?;
    let Decision { passes, reason: why, note } = &ask.asked;
    let note = if note.trim().is_empty() { String::new() } else { reason(note)? };
    if note.chars().count() > MOST_NOTE {
        return Err(refused(400, "A note has 200 letters at most."));
    }
    if *passes != why.is_empty() || !passes && !REASONS.contains(&why.as_str()) {
        return Err(refused(400, "What fails has one of the reasons, what passes has none."));
    }
    if v.level == Tier::Advanced as u8 && *passes {
        let basic = matches!(tier_of(&ask, v.user).await?, Tier::Basic | Tier::Advanced);
        if !basic {
            return Err(refused(409, "Its basic verification does not stand any more."));
        }
    }
    let action = if *passes { "pass verification" } else { "fail verification" };
    let audit = ask.entry(action, subject(&v), &json!({ "account": v.user.0, "reason": why, "note": note }));
    let decision =
        VerificationDecision { id: v.id, by: ask.me.id, passes: *passes, reason: why.clone(), note: note.clone() };
    if !ask.desk.office.decide_verification(&decision, &audit, now()).await? {
        return Err(refused(409, "It is decided already, or you do not review it any more."));
    }
    if *passes && !tiers::settle(&ask.desk.shared, &v, ask.me.signs()).await {
        return Ok(HttpResponse::Ok().json(json!({ "done": "passed; the account has its tier in a minute" })));
    }
    Ok(HttpResponse::Ok().json(json!({ "done": action })))
}

async fn tier_of<P, B>(ask: &Ask<P, B>, account: AccountId) -> Result<Tier, Refusal> {
    match ask.desk.shared.operators.ask(Command::Account(account, AccountCommand::View)).await {
        Some(Reply::View(View::Account(view))) => Ok(view.tier),
        // Who has never had anything is nobody to the engine.
        Some(_) => Ok(Tier::Unverified),
        None => Err(refused(503, "The exchange did not answer.")),
    }
}

#[derive(Deserialize)]
pub(super) struct Revocation {
    account: u64,
    tier: String,
    reason: String,
}

/// `POST /admin/api/verifications/revoke`: another person has to agree.
pub(super) async fn propose_revocation(ask: Ask<RevokeVerifications, Revocation>) -> Answer {
    let (account, reason) = (AccountId(ask.asked.account), reason(&ask.asked.reason)?);
    let tier = lower_tier(&ask.asked.tier).ok_or_else(|| refused(400, "unverified or basic"))?;
    if ask.me.account == Some(account) {
        return Err(refused(409, OWN));
    }
    if tier_of(&ask, account).await? <= tier {
        return Err(refused(409, "The account has no higher tier."));
    }
    let subject = format!("account:{}:{}", account.0, ask.asked.tier);
    let audit = ask.entry("propose to revoke verification", subject.clone(), &json!({ "reason": reason }));
    let new = NewCase { kind: REVOKE.into(), subject, by: ask.me.id, reason };
    match ask.desk.office.propose(&new, &audit, now()).await? {
        Some(case) => Ok(HttpResponse::Ok().json(json!({ "case": case }))),
        None => Err(refused(409, "This is proposed already.")),
    }
}

/// Nobody decides about their own account.
async fn not_own<P, B>(ask: &Ask<P, B>) -> Result<(), Refusal> {
    let case = ask.desk.office.case(ask.number()?, now()).await?;
    let account = case.and_then(|case| tiers::subject_of(&case.subject)).map(|(account, _)| account);
    if account.is_some() && account == ask.me.account { Err(refused(409, OWN)) } else { Ok(()) }
}

/// `POST /admin/api/revocations/{id}/decide/begin`: what is to be signed.
pub(super) async fn begin_revocation(ask: Ask<RevokeVerifications, cases::Decision>) -> Answer {
    not_own(&ask).await?;
    cases::begin(&ask, REVOKE).await
}

/// `POST /admin/api/revocations/{id}/decide`: the signature; limits drop at once.
pub(super) async fn decide_revocation(ask: Ask<RevokeVerifications, Signed>) -> Answer {
    not_own(&ask).await?;
    let decided = cases::decide(&ask, REVOKE).await?;
    if decided.approves {
        let done = tiers::revoke(&ask.desk.shared, &decided.case, vec![decided.proposer, ask.me.signs()]).await?;
        if !done {
            return Ok(HttpResponse::Ok().json(json!({ "done": "approved; the account's limit drops in a minute" })));
        }
    }
    Ok(HttpResponse::Ok().json(json!({ "done": decided.action })))
}
