//! The user's own data (`docs/rules/app-calls.md "Users"`).
//!
//! Owns: the answer. Never does: show another user. Invariants: the account is the session's. Known limits: profile
//! changes are not there yet.

use super::call::{Call, CallResult};
use super::messages::unread_numbers;
use super::verification::{Levels, masked_name};
use crate::api::http::envelope::Answer;
use crate::common::time::ts;
use serde_json::json;
use xng_core::region::Product;

fn masked_phone(phone: &str) -> String {
    if phone.len() < 7 {
        return "****".into();
    }
    format!("{}****{}", &phone[..3], &phone[phone.len() - 4..])
}

/// `GET /user/info`: always of whoever asks.
pub async fn info(call: Call) -> CallResult {
    let session = call.session().await?;
    let user = call.app.shared.auth.user(session.account).await?;
    let view = call.view(session.account).await?;
    let is_trader = view.copying.as_deref().is_some_and(|own| own.trader.is_some());
    let levels = Levels::of(&call, session.account, view.tier).await?;
    let barred = call.app.shared.listed().barred(view.country).iter().map(Product::name).collect::<Vec<_>>();
    let account_number = user.email.clone().unwrap_or_else(|| user.phone.clone().unwrap_or_default());
    Ok(Answer::ok(json!({
        "id": session.account.0, "uid": session.account.0.to_string(), "account_number": account_number,
        "email": user.email, "phone": user.phone.as_deref().map(masked_phone), "area_code": user.area_code,
        "nickname": user.nickname, "signature": user.signature, "head_portrait": user.avatar,
        "extension_code": user.extension_code, "level": view.level, "level_name": format!("VIP{}", view.level),
        "score": 100, "status": 0, "is_trader": u8::from(is_trader), "is_market_maker": 0,
        "review_status": levels.basic as u8, "real_status": levels.highest(),
        "advanced_review_status": levels.advanced as u8,
        "name": levels.person.map_or_else(String::new, |person| masked_name(&person.name)),
        "has_pay_password": user.has_pay_password, "frozen_funds": 0,
        "time": ts(user.created_ms), "time_ms": user.created_ms,
        "country": view.country.letters(), "barred": barred,
        "invite": { "number": user.invited, "trans_number": 0, "rebate_total": "0" },
        "unread": unread_numbers(&call.app.shared, session.account).await,
    })))
}
