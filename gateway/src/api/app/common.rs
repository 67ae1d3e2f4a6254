//! Launch calls (`docs/rules/app-calls.md "Launch calls"`).
//!
//! Owns: what the app asks first. Never does: need a login. Invariants: no secret of the settings is among them.
//! Known limits: rates come from a file.

use super::call::{Call, CallResult};
use super::table;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::Failure;
use crate::common::time::now_ms;
use serde_json::{Value, json};

/// Settings that anybody may read, and nothing else.
const SETTINGS: [(&str, &str); 2] = [("version", "wgt,80"), ("share_url", "/h5/#/pages/common/register")];

/// All products, in this release or a later one.
const FEATURES: [&str; 17] = [
    "spot",
    "contract",
    "options",
    "flash_exchange",
    "stocks",
    "follow",
    "ieo",
    "lock_mining",
    "dual",
    "nft",
    "loan",
    "buy_crypto",
    "guess",
    "coupon",
    "deposit",
    "withdraw",
    "verification",
];

/// `GET /getSiteConfig`.
pub async fn site_config(call: Call) -> CallResult {
    let config = &call.app.shared.config;
    let site = &config.site;
    let is_on = |feature: &str| table::features().any(|on| on == feature);
    let features: serde_json::Map<String, Value> =
        FEATURES.iter().map(|feature| ((*feature).to_owned(), is_on(feature).into())).collect();
    Ok(Answer::ok(json!({
        "site_name": site.site_name, "site_logo": site.site_logo, "down_logo": site.down_logo,
        "support_url": "", "zxkf_url": "", "telegram_url": "", "whatsApp_url": "", "jie_url": "", "hk_url": "",
        "h5_version": "1", "app_version": crate::RELEASE, "app_code": 80, "features": features,
        "demo": config.auth.dev_mailbox,
    })))
}

/// `GET /getSetting`: a list of names that are public; another name has no value.
pub async fn setting(call: Call) -> CallResult {
    let keyword = call.params.need("keyword")?;
    let shape = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    if keyword.len() > 64 || !keyword.bytes().all(shape) {
        return Err(Failure::field("keyword", "1 to 64 of a-z, 0-9 and _"));
    }
    let found = SETTINGS.iter().find(|(key, _)| *key == keyword);
    Ok(Answer::ok(found.map_or(Value::Null, |(key, value)| json!({ "key": key, "value": value }))))
}

/// `GET /fiat/rates`: fiat units for one USDT.
pub async fn fiat_rates(call: Call) -> CallResult {
    let rates = &call.app.shared.content.rates;
    let row = |(code, rate): (&String, &String)| json!({ "currency_code": code, "rate": rate, "value": rate });
    let rows: Vec<Value> = rates.iter().map(row).collect();
    let mut answer = Answer::ok(json!({ "rates": rows, "save_time": now_ms() })).and(json!({ "rates": rows }));
    answer.extra.insert("rates".into(), Value::Array(rows));
    answer.extra.insert("save_time".into(), now_ms().into());
    Ok(answer)
}
