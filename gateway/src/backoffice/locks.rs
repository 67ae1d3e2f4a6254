//! Accounts that are locked: by one person at once, unlocked by two.
//!
//! Owns: these calls. Never does: end a session or a key, `crate::api::auth` does. Invariants: nobody locks or unlocks their own account;
//! the engine unlocks for two people alone; what opened an account before the lock is gone before it is unlocked. Known limits: what was
//! approved while the exchange did not answer is proposed anew; the user is told by mail once the audit has what was done, so not when
//! the exchange stopped in between; a locked account is not locked for a second reason. Rules: `docs/back-office.md "Users"`.

use super::asking::{Answer, Ask, OWN, Refusal, Signed, Why, now, reason, refused};
use super::cases;
use super::roles::{LockAccounts, SeeUsers, UnlockAccounts};
use crate::custody::review::NO_ANSWER;
use actix_web::HttpResponse;
use serde_json::{Value, json};
use xng_core::account::facts::AccountStatus;
use xng_core::account::{AccountCommand, Property};
use xng_core::entity::{Command, Reply, View};
use xng_core::ids::AccountId;
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_persistence::office::{NewCase, StaffCase};

/// The kind of these cases.
const UNLOCK: &str = "unlock account";

fn subject(account: AccountId) -> String {
    format!("user:{}", account.0)
}

fn account_of(case: &StaffCase) -> Option<AccountId> {
    case.subject.strip_prefix("user:")?.parse().ok().map(AccountId)
}

/// `GET /admin/api/unlocks`: what was proposed and decided, the newest first.
pub(super) async fn list(ask: Ask<SeeUsers>) -> Answer {
    let account = |case: &StaffCase, row: &mut Value| row["account"] = account_of(case).map(|account| account.0).into();
    let rows = cases::listed(&ask.desk.office, UNLOCK, account).await?;
    Ok(HttpResponse::Ok().json(json!({ "rows": rows, "me": ask.me.signs() })))
}

/// The account in the address, which is a user's and not the person's own; whether it is locked.
async fn found<P, B>(ask: &Ask<P, B>) -> Result<(AccountId, bool), Refusal> {
    let account = AccountId(ask.number()?);
    ask.desk.office.user(account).await?.ok_or_else(|| refused(404, "There is no such user."))?;
    if ask.me.account == Some(account) {
        return Err(refused(409, OWN));
    }
    match ask.desk.shared.operators.ask(Command::Account(account, AccountCommand::View)).await {
        Some(Reply::View(View::Account(view))) => Ok((account, view.status == AccountStatus::Locked)),
        // Who has never had anything is nobody to the engine.
        Some(_) => Ok((account, false)),
        None => Err(refused(503, NO_ANSWER)),
    }
}

async fn set<P, B>(ask: &Ask<P, B>, account: AccountId, status: AccountStatus, by: Origin) -> Result<(), Refusal> {
    let command = Command::Account(account, AccountCommand::Set(Property::Status(status)));
    match ask.desk.shared.operators.ask_as(by, command).await {
        Some(Reply::Accepted(_)) => Ok(()),
        Some(Reply::Rejected(Reject::AlreadyExists)) => Err(refused(409, "It is so already.")),
        Some(other) => Err(refused(409, format!("refused: {other:?}"))),
        None => Err(refused(503, NO_ANSWER)),
    }
}

/// `POST /admin/api/users/{id}/lock`: at once, by one person. Sessions and keys end.
pub(super) async fn lock(ask: Ask<LockAccounts, Why>) -> Answer {
    let reason = reason(&ask.asked.reason)?;
    let (account, is_locked) = found(&ask).await?;
    if is_locked {
        return Err(refused(409, "It is locked already."));
    }
    if !ask.desk.locks.take(ask.me.id) {
        return Err(refused(429, "You have locked many accounts. Wait an hour."));
    }
    // Who asked for it is on record whatever comes of it.
    let audit = ask.entry("order account lock", subject(account), &json!({ "reason": reason }));
    ask.desk.office.append_audit(&audit, now()).await?;
    set(&ask, account, AccountStatus::Locked, Origin::Admin).await?;
    // The user is told of this row by mail.
    let audit = ask.entry("lock account", subject(account), &json!({}));
    ask.desk.office.append_audit(&audit, now()).await?;
    ask.desk.shared.auth.close_access(account).await?;
    Ok(HttpResponse::Ok().json(json!({ "done": "locked" })))
}

/// `POST /admin/api/users/{id}/propose-unlock`: another person has to agree.
pub(super) async fn propose(ask: Ask<UnlockAccounts, Why>) -> Answer {
    let reason = reason(&ask.asked.reason)?;
    let (account, is_locked) = found(&ask).await?;
    if !is_locked {
        return Err(refused(409, "It is not locked."));
    }
    let audit = ask.entry("propose to unlock account", subject(account), &json!({ "reason": reason }));
    let new = NewCase { kind: UNLOCK.into(), subject: subject(account), by: ask.me.id, reason };
    match ask.desk.office.propose(&new, &audit, now()).await? {
        Some(case) => Ok(HttpResponse::Ok().json(json!({ "case": case }))),
        None => Err(refused(409, "This is proposed already.")),
    }
}

/// Nobody decides about their own account.
async fn not_own<B>(ask: &Ask<UnlockAccounts, B>) -> Result<(), Refusal> {
    let case = ask.desk.office.case(ask.number()?, now()).await?;
    let account = case.as_ref().and_then(account_of);
    if account.is_some() && account == ask.me.account { Err(refused(409, OWN)) } else { Ok(()) }
}

/// `POST /admin/api/unlocks/{id}/decide/begin`: what is to be signed.
pub(super) async fn begin_decision(ask: Ask<UnlockAccounts, cases::Decision>) -> Answer {
    not_own(&ask).await?;
    cases::begin(&ask, UNLOCK).await
}

/// `POST /admin/api/unlocks/{id}/decide`: the signature; what was decided is done.
pub(super) async fn decide(ask: Ask<UnlockAccounts, Signed>) -> Answer {
    not_own(&ask).await?;
    let decided = cases::decide(&ask, UNLOCK).await?;
    if decided.approves {
        let account = account_of(&decided.case).ok_or_else(|| refused(404, "There is no such account."))?;
        ask.desk.shared.auth.close_access(account).await?;
        set(&ask, account, AccountStatus::Active, decided.origin(&ask.me)).await?;
        // The user is told of this row by mail.
        let audit = ask.entry("unlock account", decided.case.subject, &json!({ "case": decided.case.id }));
        ask.desk.office.append_audit(&audit, now()).await?;
    }
    Ok(HttpResponse::Ok().json(json!({ "done": decided.action })))
}
