//! The user's keys of the programmatic API.
//!
//! Owns: reading these calls. Never does: tell a secret but in the answer that makes it. Invariants: the account is the
//! session's; every change asks for a proof or, while no second factor is in use, for the pay password. Known limits: without a
//! pay password the login's stands for it.

use super::call::{Call, CallResult};
use super::safe::surety;
use crate::api::auth::api_keys::{KeyRow, KeyTerms, Scopes, networks};
use crate::api::auth::challenges::Action;
use crate::api::auth::signatures::ed25519_public;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::common::time::ts;
use ipnet::IpNet;
use serde_json::{Value, json};
use xng_persistence::office::ApiKeyKind;

fn kind_name(kind: ApiKeyKind) -> &'static str {
    match kind {
        ApiKeyKind::Hmac => "hmac",
        ApiKeyKind::Ed25519 => "ed25519",
    }
}

fn row(key: &KeyRow) -> Value {
    let ips: Vec<String> = key.terms.networks.iter().map(IpNet::to_string).collect();
    json!({
        "id": key.id, "label": key.terms.label, "kind": kind_name(key.kind), "api_key": key.name,
        "scopes": key.terms.scopes.names(), "ips": ips, "created_at": ts(key.created_ms), "created_at_ms": key.created_ms,
        "last_used_at": key.used_ms.map(ts), "last_used_at_ms": key.used_ms, "suspended": key.suspended,
    })
}

/// `POST /user/api_keys/list`: a list, oldest first, without secrets. `suspended`: a reset of the password or a lock stopped the key,
/// and it works again when it is confirmed.
pub async fn list(call: Call) -> CallResult {
    let session = call.session().await?;
    let keys = call.app.shared.auth.api_keys(session.account).await?;
    Ok(Answer::ok(keys.iter().map(row).collect()))
}

fn scopes(call: &Call) -> Result<Option<Scopes>, Failure> {
    let read = |text| Scopes::parse(text).ok_or_else(|| Failure::field("scopes", "read, trade or both"));
    call.params.get("scopes").map(read).transpose()
}

/// Addresses and networks, comma-separated; an empty text: from anywhere.
fn ips(call: &Call) -> Result<Option<Vec<IpNet>>, Failure> {
    let sent = call.params.was_sent("ips");
    sent.then(|| networks(call.params.get("ips").unwrap_or_default())).transpose()
}

/// `POST /user/api_keys/create`: `label`, `kind` (`hmac`, which is the default, or `ed25519` with `public_key`), `scopes`
/// (`read` unless said otherwise), `ips` (from anywhere unless said otherwise), `pay_password` or `proof`. `data` is the row of the
/// list with the `secret` of a key of kind `hmac`, which is not told again.
pub async fn create(call: Call) -> CallResult {
    let session = call.session().await?;
    let p = &call.params;
    let public = match (p.get("kind"), p.get("public_key")) {
        (None | Some("hmac"), None) => None,
        (Some("ed25519"), Some(text)) => {
            Some(ed25519_public(text).ok_or_else(|| Failure::field("public_key", "not an Ed25519 public key"))?)
        }
        (Some("ed25519"), None) => return Err(Failure::field("public_key", "missing")),
        (None | Some("hmac"), Some(_)) => return Err(Failure::field("public_key", "only with kind ed25519")),
        (Some(_), _) => return Err(Failure::field("kind", "hmac or ed25519")),
    };
    let terms = KeyTerms {
        label: KeyTerms::label(p.need("label")?)?,
        scopes: scopes(&call)?.unwrap_or(Scopes { read: true, trade: false }),
        networks: ips(&call)?.unwrap_or_default(),
    };
    let surety = surety(&call, session, Action::CreateApiKey);
    let (key, secret) = call.app.shared.auth.create_api_key(&terms, public, &surety).await?;
    let mut made = row(&key);
    made["secret"] = secret.into();
    Ok(call.said("done").and(made))
}

/// `POST /user/api_keys/update`: `id`, `pay_password` or `proof`, and what of `label`, `scopes` and `ips` is to be another.
pub async fn update(call: Call) -> CallResult {
    let session = call.session().await?;
    let id: u64 = call.params.need_integer("id")?;
    let auth = &call.app.shared.auth;
    let keys = auth.api_keys(session.account).await?;
    let KeyTerms { label, scopes: may, networks } =
        keys.into_iter().find(|key| key.id == id).ok_or(Code::NotFound)?.terms;
    let terms = KeyTerms {
        label: call.params.get("label").map(KeyTerms::label).transpose()?.unwrap_or(label),
        scopes: scopes(&call)?.unwrap_or(may),
        networks: ips(&call)?.unwrap_or(networks),
    };
    auth.change_api_key(id, &terms, &surety(&call, session, Action::ChangeApiKey)).await?;
    Ok(call.said("done"))
}

/// `POST /user/api_keys/confirm`: `id`, `pay_password` or `proof`.
pub async fn confirm(call: Call) -> CallResult {
    let session = call.session().await?;
    let id = call.params.need_integer("id")?;
    call.app.shared.auth.confirm_api_key(id, &surety(&call, session, Action::ConfirmApiKey)).await?;
    Ok(call.said("done"))
}

/// `POST /user/api_keys/delete`: `id`, `pay_password` or `proof`.
pub async fn delete(call: Call) -> CallResult {
    let session = call.session().await?;
    let id = call.params.need_integer("id")?;
    call.app.shared.auth.delete_api_key(id, &surety(&call, session, Action::DeleteApiKey)).await?;
    Ok(call.said("done"))
}
