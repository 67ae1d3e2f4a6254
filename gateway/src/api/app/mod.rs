//! The app's calls (`docs/rules/app-calls.md`): one function a call, one table of routes.
//!
//! Owns: what all calls need: parameters, session, key, limits. Never does: contain a rule of a
//! product. Invariants: each call says what it does, and while the process drains only what frees or reads goes on.
//! Known limits: calls of the specification without a product answer "under development".

pub(crate) mod address_book;
pub mod api_keys;
pub mod auth;
mod call;
pub(crate) mod cards;
pub(crate) mod chat;
pub mod common;
pub mod content;
pub mod contract;
pub mod convert;
pub mod coupon;
pub(crate) mod deposit;
mod document;
pub mod fair;
mod fields;
pub mod follow;
mod forms;
pub mod index;
mod ledger;
pub mod lever;
pub mod market;
pub(crate) mod messages;
pub mod records;
mod reserves;
pub mod rows;
pub mod safe;
pub mod seconds;
pub mod sessions;
pub mod spot;
pub(crate) mod stock;
mod table;
pub mod upload;
pub mod user;
mod verification;
pub mod wallet;
mod wallet_names;
pub(crate) mod withdraw;

use crate::api::http::compressing;
use crate::api::http::errors::{Code, Failure};
use crate::observe::metrics::http::Served;
use actix_web::web::{Bytes, ServiceConfig, get};
use actix_web::{HttpRequest, HttpResponse};
use call::failed;
pub use call::{Call, CallResult, key_digest};
use std::future::Future;
use xng_core::entity::CommandClass;

async fn serve<F, Fut>(
    request: HttpRequest,
    body: Bytes,
    (route, class): (&'static str, CommandClass),
    call: F,
) -> HttpResponse
where
    F: FnOnce(Call) -> Fut,
    Fut: Future<Output = CallResult>,
{
    let failed = |lang, failure: Failure| (failure.code as u16, failed(&request, lang, &failure));
    let (code, response) = match Call::read(&request, &body, class) {
        Err((lang, failure)) => failed(lang, failure),
        Ok(read) => {
            let lang = read.lang;
            let turn = read.turn(1).await;
            let outcome = match turn {
                Ok(()) => call(read).await,
                Err(failure) => Err(failure),
            };
            match outcome {
                Ok(answer) => (answer.code, answer.response()),
                Err(failure) => failed(lang, failure),
            }
        }
    };
    compressing::answer_to(class, Served { route, code }.mark(response))
}

/// The routes of all calls and of their document.
pub fn routes(cfg: &mut ServiceConfig) {
    table::routes(cfg);
    cfg.route(document::PATH, get().to(document::serve));
}

/// Calls that are not known; behind all others, because a path with a place-holder costs more to compare than all of them.
pub fn unknown_routes(cfg: &mut ServiceConfig) {
    cfg.service(actix_web::web::resource("/api/{tail:.*}").to(unknown));
}

async fn unknown(request: HttpRequest, body: Bytes) -> HttpResponse {
    serve(request, body, ("/api", CommandClass::ReadOnly), |_call| async { Err(Failure::from(Code::UnderDevelopment)) })
        .await
}
