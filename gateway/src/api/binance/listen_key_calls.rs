//! `userDataStream`, and `listenKey` of futures: private streams by listen key.
//!
//! Owns: these calls. Never does: send events; `ws/private.rs` does. Invariants: a key is its account's alone. Known limits:
//! the convention has retired them; they stay for clients that know nothing else.

use super::errors::ApiError;
use super::request::{ApiResult, Request};
use crate::api::auth::api_keys::ApiKey;
use serde_json::json;
use xng_core::ids::AccountId;

fn unknown() -> ApiError {
    ApiError::bad(-1125, "This listenKey does not exist.")
}

/// The API key of the request, which must be one that may read: the stream tells balances and orders.
fn reader(request: &Request) -> Result<&ApiKey, ApiError> {
    request.key.as_deref().filter(|key| key.scopes.read).ok_or_else(ApiError::key_rejected)
}

/// `POST userDataStream`: the account's key, made now or made to live longer.
pub async fn start(request: Request) -> ApiResult {
    let (key, shared) = (reader(&request)?, &request.app.shared);
    let listen_key = shared.listen_keys.start(key.account, request.venue, &key.name, |by| shared.auth.keys.reads(by));
    Ok(json!({ "listenKey": listen_key }).into())
}

/// The account's own key where futures clients name none.
fn of_account(request: &Request, account: AccountId) -> Result<String, ApiError> {
    let named = request.args.text("listenKey").map(str::to_owned);
    named.or_else(|| request.app.shared.listen_keys.of(account, request.venue)).ok_or_else(unknown)
}

/// `PUT /fapi/v1/listenKey`.
pub async fn extend_of_futures(request: Request) -> ApiResult {
    let account = reader(&request)?.account;
    let listen_key = of_account(&request, account)?;
    let lives = request.app.shared.listen_keys.extend(account, &listen_key);
    if lives { Ok(json!({ "listenKey": listen_key }).into()) } else { Err(unknown()) }
}

/// `DELETE /fapi/v1/listenKey`.
pub async fn end_of_futures(request: Request) -> ApiResult {
    let account = request.account()?;
    let listen_key = of_account(&request, account)?;
    let ended = request.app.shared.listen_keys.end(account, &listen_key);
    if ended { Ok(json!({}).into()) } else { Err(unknown()) }
}

/// `PUT userDataStream`.
pub async fn extend(request: Request) -> ApiResult {
    let (account, listen_key) = (reader(&request)?.account, request.args.need("listenKey")?);
    let lives = request.app.shared.listen_keys.extend(account, listen_key);
    if lives { Ok(json!({}).into()) } else { Err(unknown()) }
}

/// `DELETE userDataStream`.
pub async fn end(request: Request) -> ApiResult {
    let (account, listen_key) = (request.account()?, request.args.need("listenKey")?);
    let ended = request.app.shared.listen_keys.end(account, listen_key);
    if ended { Ok(json!({}).into()) } else { Err(unknown()) }
}
