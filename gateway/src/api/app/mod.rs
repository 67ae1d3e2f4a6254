//! The app's calls (`docs/rules/app-calls.md`): one function a call, one table of routes.
//!
//! Owns: the table, and what all calls need: parameters, session, key, limits. Never does: contain a rule of a
//! product. Invariants: each call says what it does, and while the process drains only what frees or reads goes on.
//! Known limits: calls of the specification without a product answer "under development".

pub mod api_keys;
pub mod auth;
mod call;
pub mod common;
pub mod content;
pub mod index;
mod ledger;
pub mod market;
pub mod order_groups;
pub mod records;
pub mod rows;
pub mod spot;
pub mod upload;
pub mod user;
pub mod wallet;
mod wallet_names;

use crate::api::http::compressing;
use crate::api::http::errors::{Code, Failure};
use crate::observe::metrics::http::Served;
use actix_web::web::{Bytes, ServiceConfig, get, post, put};
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

/// What a call does: what is not said to read or to free takes.
macro_rules! class {
    (get) => {
        CommandClass::ReadOnly
    };
    ($method:ident) => {
        CommandClass::Consumes
    };
    ($method:ident reads) => {
        CommandClass::ReadOnly
    };
    ($method:ident frees) => {
        CommandClass::Releases
    };
}

macro_rules! calls {
    ($cfg:expr, $($method:ident $($class:ident)? $path:literal => $call:path),* $(,)?) => {
        $($cfg.route(
            $path,
            $method().to(|request, body| serve(request, body, ($path, class!($method $($class)?)), $call)),
        );)*
    };
}

/// All calls of the app.
pub fn routes(cfg: &mut ServiceConfig) {
    calls! { cfg,
        get "/api/getSiteConfig" => common::site_config,
        get "/api/getSetting" => common::setting,
        get "/api/fiat/rates" => common::fiat_rates,

        post "/api/sms_mail" => auth::send_code,
        post "/api/user/check_email" => auth::check_code,
        post "/api/user/register" => auth::register,
        post "/api/user/login" => auth::login,
        post "/api/user/forget" => auth::forget,
        get "/api/user/logout" => auth::logout,
        get "/api/user/sessions" => auth::sessions,
        post "/api/user/sessions/revoke" => auth::revoke,
        get "/api/user/info" => user::info,
        post reads "/api/user/api_keys/list" => api_keys::list,
        post "/api/user/api_keys/create" => api_keys::create,
        post "/api/user/api_keys/update" => api_keys::update,
        post "/api/user/api_keys/confirm" => api_keys::confirm,
        post frees "/api/user/api_keys/delete" => api_keys::delete,

        get "/api/news/index_pop" => index::popup,
        post reads "/api/news/list" => index::news,
        post reads "/api/news/detail" => index::article,
        get "/api/faq" => index::faq,
        get "/api/aboutus" => index::about_us,
        get "/api/contactus" => index::contact_us,
        get "/api/operational_compliance" => index::compliance,
        get "/api/currency/quotation_new" => index::quotation,
        get "/api/menu" => index::menu,

        get "/api/currency/list" => wallet::currencies,
        get "/api/walletList" => wallet::all,
        get "/api/wallet/list" => wallet::all,
        post reads "/api/wallet/list" => wallet::all,
        post reads "/api/wallet/legalWalletList" => wallet::legal,
        post reads "/api/wallet/spotWalletList" => wallet::spot,
        post reads "/api/wallet/optionWalletList" => wallet::option,
        post reads "/api/wallet/contractsWalletList" => wallet::contracts,
        post reads "/api/wallet/earnWalletList" => wallet::earn,
        post reads "/api/wallet/detail" => wallet::detail,
        post reads "/api/wallet/legal_log" => wallet::log,
        get "/api/wallet/hzhistory" => wallet::transfers,
        get "/api/currency/user_currency_list" => wallet::transferable,
        post "/api/wallet/change" => wallet::transfer,

        get "/api/currency/new_timeshar" => market::candles_between,
        get "/api/currency/kline_market_Daily" => market::latest_candles,
        get "/api/currency/depth" => market::depth,
        get "/api/currency/deals" => market::deals,
        post "/api/optional/add" => market::favourite_add,
        post "/api/optional/del" => market::favourite_del,
        get "/api/optional/list" => market::favourites,

        post "/api/coin/trade" => spot::place,
        post "/api/coin/stop" => order_groups::stop,
        post "/api/coin/oco" => order_groups::oco,
        put frees "/api/coin/trade" => spot::cancel,
        post frees "/api/coin/cancel" => spot::cancel,
        post frees "/api/coin/cancel_all" => spot::cancel_all,
        get "/api/coin/list" => spot::orders,
        get "/api/coin/detail" => spot::detail,
        get "/api/coin/trades" => spot::trades,
        get "/api/coin/request" => spot::request,
    }
    cfg.route("/api/upload", post().to(upload::upload));
}

/// Calls that are not known; behind all others, because a path with a place-holder costs more to compare than all of them.
pub fn unknown_routes(cfg: &mut ServiceConfig) {
    cfg.service(actix_web::web::resource("/api/{tail:.*}").to(unknown));
}

async fn unknown(request: HttpRequest, body: Bytes) -> HttpResponse {
    serve(request, body, ("/api", CommandClass::ReadOnly), |_call| async { Err(Failure::from(Code::UnderDevelopment)) })
        .await
}
