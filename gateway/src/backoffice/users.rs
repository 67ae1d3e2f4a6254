//! Users: found by number, mail, phone, address or transaction; balances with what locks them; contacts once there is a reason.
//!
//! Owns: these calls. Never does: change anything; tell a password, a code or a secret. Invariants: a mail and a phone are masked until
//! somebody says why they look, and each look is a row of the audit. Known limits: transactions of open withdrawals alone are found.

use super::asking::{Answer, Ask, Refusal, Why, reason, refused};
use super::roles::{SeeUsers, ShowContacts};
use crate::api::auth::rules::Contact;
use crate::app::Shared;
use crate::common::time::now_ms;
use crate::custody::chains::OpenAttempt;
use actix_web::HttpResponse;
use serde::Deserialize;
use serde_json::{Value, json};
use xng_core::account::facts::AccountStatus;
use xng_core::account::{AccountCommand, AccountView};
use xng_core::chain::{Chain, TxId};
use xng_core::entity::{Command, Reply, View};
use xng_core::ids::AccountId;
use xng_core::region::Product;
use xng_persistence::office::User;

/// Users that are found at once.
const MOST: usize = 50;

#[derive(Deserialize)]
pub(super) struct Query {
    #[serde(default)]
    q: String,
}

/// The first and the last letters of something, for who need not know it.
fn masked(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    match letters.as_slice() {
        [first, .., last] if letters.len() > 4 => format!("{first}***{last}"),
        _ => "***".to_owned(),
    }
}

fn masked_mail(mail: &str) -> String {
    mail.split_once('@').map_or_else(|| masked(mail), |(name, domain)| format!("{}@{}", masked(name), masked(domain)))
}

fn row(user: &User) -> Value {
    json!({ "account": user.id.0, "email": user.email.as_deref().map(masked_mail),
        "phone": user.phone.as_ref().map(|phone| format!("+{} {}", phone.area_code, masked(&phone.number))),
        "nickname": user.nickname, "created_ms": user.created_ms })
}

/// Owners of an address or a transaction of ours.
fn by_chain(shared: &Shared, text: &str) -> Vec<AccountId> {
    // Some explorers of EVM chains write 0x before it.
    let txid = TxId::parse(text.strip_prefix("0x").unwrap_or(text));
    let mut found = Vec::new();
    for status in shared.chains.all() {
        let id = status.params.chain;
        if let Ok(Some(key)) = shared.chains.key_of(id, text) {
            let owner = |chain: &Chain| chain.owner_of(key);
            found.extend(shared.chains.look(id, owner).flatten());
        }
        let of_text = |chain: &Chain| {
            let open = chain.open_withdrawals().filter(|open| open.withdrawal.address == text);
            open.map(|open| open.withdrawal.account).collect::<Vec<AccountId>>()
        };
        found.extend(shared.chains.look(id, of_text).unwrap_or_default());
        for plan in shared.chains.open_plans(id) {
            let pays = |attempt: &OpenAttempt| attempt.signed.as_ref().is_some_and(|of| Some(of.txid) == txid);
            if plan.attempts.iter().any(pays) {
                let owner = |chain: &Chain| {
                    let open = plan.withdrawals.iter().filter_map(|id| chain.withdrawal(*id));
                    open.map(|open| open.withdrawal.account).collect::<Vec<AccountId>>()
                };
                found.extend(shared.chains.look(id, owner).unwrap_or_default());
            }
        }
    }
    found
}

/// `GET /admin/api/users?q=`: whom a text names.
pub(super) async fn search(ask: Ask<SeeUsers, Query>) -> Answer {
    let (shared, text) = (&ask.desk.shared, ask.asked.q.trim());
    if text.is_empty() {
        return Ok(HttpResponse::Ok().json(json!({ "rows": [] })));
    }
    may_look(&ask)?;
    let mut ids: Vec<AccountId> = text.parse().ok().map(AccountId).into_iter().collect();
    let (area, number) = text.strip_prefix('+').and_then(|text| text.split_once(' ')).unzip();
    if let Ok(contact) = Contact::parse(number.unwrap_or(text), area) {
        ids.extend(shared.auth.account_of(&contact).await?);
    }
    ids.extend(by_chain(shared, text));
    ids.sort_unstable();
    ids.dedup();
    let mut rows = Vec::new();
    for id in ids.into_iter().take(MOST) {
        rows.extend(ask.desk.office.user(id).await?.as_ref().map(row));
    }
    Ok(HttpResponse::Ok().json(json!({ "rows": rows })))
}

/// Nobody walks through all users.
fn may_look<B>(ask: &Ask<SeeUsers, B>) -> Result<(), Refusal> {
    let may = ask.desk.looks.take(ask.me.id);
    if may { Ok(()) } else { Err(refused(429, "You have looked at many users. Wait an hour.")) }
}

fn no_such() -> Refusal {
    refused(404, "There is no such user.")
}

/// What locks what an account has, a line each.
fn locks(shared: &Shared, account: AccountId, view: &AccountView) -> Vec<Value> {
    let mut rows = Vec::new();
    let counted = [
        (view.open.len(), "open spot orders"),
        (view.tickets.len(), "contract tickets"),
        (view.legs.as_ref().map_or(0, |legs| legs.orders.len()), "orders in contracts' books"),
        (view.options.len(), "seconds options"),
    ];
    let counted = counted.iter().filter(|(count, _)| *count > 0);
    rows.extend(counted.map(|(count, what)| json!({ "what": what, "count": count })));
    for status in shared.chains.all() {
        let own = |chain: &Chain| {
            let open = chain.open_withdrawals().filter(|open| open.withdrawal.account == account);
            let row = open.map(|open| {
                json!({ "what": "withdrawal", "withdrawal": open.withdrawal.withdrawal.0,
                    "asset": shared.listed().asset_name(open.withdrawal.asset),
                    "amount": open.withdrawal.number.to_string() })
            });
            row.collect::<Vec<Value>>()
        };
        rows.extend(shared.chains.look(status.params.chain, own).unwrap_or_default());
    }
    rows
}

/// `GET /admin/api/users/{id}`: what an account has, and what locks it.
pub(super) async fn detail(ask: Ask<SeeUsers>) -> Answer {
    let (shared, account) = (&ask.desk.shared, AccountId(ask.number()?));
    may_look(&ask)?;
    let user = ask.desk.office.user(account).await?.ok_or_else(no_such)?;
    let audit = ask.entry("look at user", format!("user:{}", account.0), &json!({}));
    ask.desk.office.append_audit(&audit, now_ms().cast_unsigned()).await?;
    let paused = shared.auth.withdrawals_paused_until(account).await?;
    let sessions = ask.desk.office.sessions(account, now_ms().cast_unsigned()).await?;
    let mut said = row(&user);
    said["paused_until_ms"] = paused.into();
    said["sessions"] = sessions.iter().map(|one| json!({ "ip": one.ip, "last_seen_ms": one.last_seen_ms })).collect();
    said["may_show"] = ask.me.role.may(super::roles::Permission::ShowContacts).into();
    match shared.operators.ask(Command::Account(account, AccountCommand::View)).await {
        Some(Reply::View(View::Account(view))) => {
            let names = shared.listed();
            let balance = |b: &xng_core::account::Balance| {
                json!({ "wallet": b.wallet.name(), "asset": names.asset_name(b.asset), "available": b.available.to_string(),
                    "locked": b.locked.to_string() })
            };
            said["country"] = view.country.letters().into();
            said["barred"] = names.barred(view.country).iter().map(Product::name).collect();
            said["status"] = if view.status == AccountStatus::Active { "active" } else { "locked" }.into();
            said["balances"] = view.balances.iter().map(balance).collect();
            said["locks"] = locks(shared, account, &view).into();
        }
        // Who has never had anything is nobody to the engine.
        Some(_) => {
            said["status"] = "active".into();
            (said["balances"], said["locks"]) = (json!([]), json!([]));
            (said["country"], said["barred"]) = ("".into(), json!([]));
        }
        None => return Err(refused(503, "The exchange did not answer.")),
    }
    Ok(HttpResponse::Ok().json(said))
}

/// `POST /admin/api/users/{id}/contacts`: mail and phone, once somebody says why.
pub(super) async fn show_contacts(ask: Ask<ShowContacts, Why>) -> Answer {
    let (account, reason) = (AccountId(ask.number()?), reason(&ask.asked.reason)?);
    if !ask.desk.shown.take(ask.me.id) {
        return Err(refused(429, "You have looked at many contacts. Wait an hour."));
    }
    let user = ask.desk.office.user(account).await?.ok_or_else(no_such)?;
    let audit = ask.entry("show contacts", format!("user:{}", account.0), &json!({ "reason": reason }));
    ask.desk.office.append_audit(&audit, now_ms().cast_unsigned()).await?;
    let phone = user.phone.map(|phone| format!("+{} {}", phone.area_code, phone.number));
    Ok(HttpResponse::Ok().json(json!({ "email": user.email, "phone": phone })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_masked_shows_the_ends_of_long_texts_alone() {
        assert_eq!(masked_mail("someone@example.com"), "s***e@e***m");
        assert_eq!(masked_mail("ab@example.com"), "***@e***m");
        assert_eq!(masked("13800138000"), "1***0");
    }
}
