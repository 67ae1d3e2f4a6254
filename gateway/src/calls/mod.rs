//! The app's calls (`spec/domain.md` 1): one function a call, one table of routes.
//!
//! Owns: the table, and what all calls need: parameters, session, key, limits. Never does: contain a rule of a
//! product. Invariants: each call says what it does, and while the process drains only what frees or reads goes on.
//! Known limits: calls of the specification without a product answer "under development".

pub mod api_keys;
pub mod arranged;
pub mod auth;
pub mod common;
pub mod index;
pub mod market;
pub mod records;
pub mod rows;
pub mod spot;
pub mod upload;
pub mod user;
pub mod wallet;

use crate::app::App;
use crate::auth::Session;
use crate::http::compressing;
use crate::http::envelope::Answer;
use crate::http::errors::{Code, Failure};
use crate::http::guard::client_ip;
use crate::http::i18n::Lang;
use crate::http::limits::network;
use crate::http::params::Params;
use crate::http::writers::LARGE_ROWS;
use crate::market::payload::list;
use crate::metrics::http::Served;
use actix_web::http::header;
use actix_web::web::{Bytes, Data, ServiceConfig, get, post, put};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::future::Future;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use xng_core::entity::{Command, CommandClass, Reply};
use xng_core::ids::{AccountId, RequestKey};
use xng_core::record::Origin;
use xng_runtime::Fault;

/// A call as it came in.
#[derive(Debug)]
pub struct Call {
    /// What it can reach.
    pub app: Data<App>,
    /// Its fields.
    pub params: Params,
    /// Its language.
    pub lang: Lang,
    /// Where it came from.
    pub ip: IpAddr,
    /// When it was read.
    pub began: Instant,
    /// Its path below `/api`.
    pub path: String,
    method: String,
    token: Option<String>,
    key: Option<String>,
}

/// How calls end.
pub type Outcome = Result<Answer, Failure>;

impl Call {
    pub(crate) fn read(request: &HttpRequest, body: &Bytes, class: CommandClass) -> Result<Call, (Lang, Failure)> {
        let header = |name: header::HeaderName| request.headers().get(name).and_then(|v| v.to_str().ok());
        let mut params = Params::default();
        let is_json = header(header::CONTENT_TYPE).is_some_and(|t| t.starts_with("application/json"));
        let filled = params
            .add_form(request.query_string().as_bytes())
            .and_then(|()| if is_json && !body.is_empty() { params.add_json(body) } else { params.add_form(body) });
        let lang = Lang::parse(params.get("lang").unwrap_or_default());
        filled.map_err(|failure| (lang, failure))?;
        let app = request.app_data::<Data<App>>().cloned().ok_or((lang, Failure::from(Code::Busy)))?;
        let ip = client_ip(request, &app.shared.config);
        if !app.shared.ip_calls.take(network(ip)) {
            return Err((lang, Code::TooMany.into()));
        }
        // Who drains takes nothing new; what frees money goes on to the last moment.
        if class == CommandClass::Takes && app.shared.health.draining.load(Ordering::Relaxed) {
            return Err((lang, Failure::text(Code::Busy, "maintenance")));
        }
        Ok(Call {
            began: Instant::now(),
            params,
            lang,
            ip,
            path: request.path().to_owned(),
            method: request.method().to_string(),
            token: header(header::AUTHORIZATION).map(str::to_owned).filter(|t| !t.is_empty()),
            key: request.headers().get("idempotency-key").map(|v| v.to_str().unwrap_or_default().to_owned()),
            app,
        })
    }

    /// Waits for its turn in its address's second.
    async fn turn(&self, weight: u64) -> Result<(), Failure> {
        let from = network(self.ip);
        self.app.shared.pace.turn(from, weight).await.map_err(|_| Code::TooMany.into())
    }

    /// Counts the call as so many, itself among them, before it does what costs that.
    pub async fn weighs(&self, weight: u64) -> Result<(), Failure> {
        let more = weight.saturating_sub(1);
        if !self.app.shared.ip_calls.take_many(network(self.ip), more as usize) {
            return Err(Code::TooMany.into());
        }
        self.turn(more).await
    }

    /// Rows that were copied, written as JSON, by other threads if they are many.
    pub async fn written<T: Send + 'static>(
        &self,
        rows: Vec<T>,
        mirrored: bool,
        row: impl Fn(&mut String, &T) + Send + 'static,
    ) -> Outcome {
        let large = rows.len() > LARGE_ROWS;
        let write = move || Answer::body_of(&list(&rows, row), mirrored);
        Ok(Answer::written(self.app.shared.writers.run_if(large, write).await.map_err(|_| Code::Busy)?))
    }

    /// The token as sent.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Who is logged in, or 999.
    pub async fn session(&self) -> Result<Session, Failure> {
        let token = self.token.as_deref().ok_or(Code::NeedsLogin)?;
        let session = self.app.shared.auth.session(token).await?;
        if !self.app.shared.user_calls.take(session.account) {
            return Err(Code::TooMany.into());
        }
        Ok(session)
    }

    /// A localized text as a command's answer.
    #[must_use]
    pub fn said(&self, key: &str) -> Answer {
        Answer::ok(Value::String(self.app.shared.messages.text(self.lang, key, &[])))
    }

    /// Digest of this endpoint and body.
    fn body_digest(&self) -> u128 {
        digest(&[self.method.as_bytes(), self.path.as_bytes(), self.params.canonical().as_bytes()])
    }

    /// The request key from the header `Idempotency-Key`, when there is one.
    pub fn request_key(&self) -> Result<Option<RequestKey>, Failure> {
        let Some(key) = &self.key else { return Ok(None) };
        let printable = key.bytes().all(|b| (0x21..0x7f).contains(&b));
        if key.is_empty() || key.len() > 64 || !printable {
            return Err(Failure::field("Idempotency-Key", "1 to 64 printable characters"));
        }
        Ok(Some(RequestKey { key: key_digest(key), body: self.body_digest() as u64 }))
    }

    /// Asks the exchange for something that moves money. A twin of a request without a key is kept out until the answer
    /// is there, also when this caller goes away or gives up waiting (`spec/domain.md` 0.5 "Idempotency").
    pub async fn ask_alone(
        &self,
        account: AccountId,
        key: Option<RequestKey>,
        command: Command,
    ) -> Result<Reply, Failure> {
        let client = self.app.client.clone();
        if self.key.is_some() {
            // The account itself knows its key's twin; the command is on its way before anything can give up on it.
            return Ok(client.call(Origin::User, key, command).await?);
        }
        let alone = self.alone(account)?;
        let asked = actix_web::rt::spawn(async move {
            let reply = client.call(Origin::User, key, command).await;
            if matches!(reply, Err(Fault::Timeout)) {
                actix_web::rt::spawn(async move {
                    actix_web::rt::time::sleep(UNDECIDED).await;
                    drop(alone);
                });
            }
            reply
        });
        Ok(asked.await.map_err(|_| Failure::from(Code::Busy))??)
    }

    fn alone(&self, account: AccountId) -> Result<Alone, Failure> {
        let entry = (account, self.body_digest());
        if !self.app.shared.in_flight.insert(entry) {
            return Err(Code::Repeated.into());
        }
        Ok(Alone { app: self.app.clone(), entry })
    }
}

/// A request that nobody could answer in time is taken for undecided this much longer.
const UNDECIDED: Duration = Duration::from_secs(60);

/// Held while a money request without a key is being answered.
#[derive(Debug)]
struct Alone {
    app: Data<App>,
    entry: (AccountId, u128),
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.app.shared.in_flight.remove(&self.entry);
    }
}

/// How an `Idempotency-Key` is kept.
#[must_use]
pub fn key_digest(key: &str) -> u128 {
    digest(&[key.as_bytes()])
}

fn digest(parts: &[&[u8]]) -> u128 {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part);
    }
    let mut first = [0; 16];
    first.copy_from_slice(&sha.finalize()[..16]);
    u128::from_le_bytes(first)
}

/// The response to a call that failed.
fn failed(request: &HttpRequest, lang: Lang, failure: &Failure) -> HttpResponse {
    match request.app_data::<Data<App>>() {
        Some(app) => failure.answer(&app.shared.messages, lang).response(),
        None => HttpResponse::InternalServerError().finish(),
    }
}

async fn serve<F, Fut>(
    request: HttpRequest,
    body: Bytes,
    (route, class): (&'static str, CommandClass),
    call: F,
) -> HttpResponse
where
    F: FnOnce(Call) -> Fut,
    Fut: Future<Output = Outcome>,
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
        CommandClass::Reads
    };
    ($method:ident) => {
        CommandClass::Takes
    };
    ($method:ident reads) => {
        CommandClass::Reads
    };
    ($method:ident frees) => {
        CommandClass::Frees
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
        post "/api/coin/stop" => arranged::stop,
        post "/api/coin/oco" => arranged::oco,
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
    serve(request, body, ("/api", CommandClass::Reads), |_call| async { Err(Failure::from(Code::UnderDevelopment)) })
        .await
}
