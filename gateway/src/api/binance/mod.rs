//! The programmatic API under `/api/v3`: Binance's spot convention (`docs/rules/program-api.md`); `/fapi`: its convention of
//! futures (`futures`); `/sapi` and `/dapi` as far as clients ask there before they trade.
//!
//! Owns: calls, parameters, signatures, weights, errors of this API. Never does: take an unknown parameter silently.
//! Invariants: requests are read and routes and document made by one table of calls; a refusal names what was wrong.
//! Known limits: those of each call.

pub mod account;
pub mod authenticate;
pub mod call;
pub mod cancel_names;
pub mod candles;
mod cors;
pub mod errors;
pub mod exchange_info;
pub mod futures;
pub mod limits;
pub mod listen_key_calls;
pub mod listen_keys;
pub mod market;
pub mod openapi;
pub mod orders;
pub mod params;
pub mod request;
pub mod response_types;
mod serve;
pub mod signing;
pub mod stubs;
pub mod table;
pub mod tickers;
pub mod user_data;

use crate::config::Config;
use actix_web::web::{ServiceConfig, get, scope, to};

/// All routes.
pub fn routes(cfg: &mut ServiceConfig, config: &Config) {
    cfg.route(openapi::PATH, get().to(openapi::serve));
    for folder in call::FOLDERS {
        cfg.service(scope(folder).wrap(cors::cors(config)).default_service(to(serve::serve)));
    }
}
