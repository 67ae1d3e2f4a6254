//! The programmatic API under `/api/v3`: Binance's spot convention (`design/api.md`), unsigned market data.
//!
//! Owns: queries, weights, errors of this API. Never does: take an unknown parameter silently. Invariants: a refusal
//! names what was wrong. Known limits: no signed calls yet.

pub mod errors;
pub mod exchange_info;
pub mod market;

use crate::app::App;
use crate::metrics::http::Served;
use actix_web::web::{Bytes, Data, ServiceConfig, get};
use actix_web::{HttpRequest, HttpResponse};
use errors::ApiError;
use std::collections::BTreeMap;

/// A query: names may come once.
#[derive(Debug)]
pub struct Query {
    app: Data<App>,
    fields: BTreeMap<String, String>,
}

/// How a call ends: the JSON body, or an error.
pub type Outcome = Result<String, ApiError>;

impl Query {
    fn read(request: &HttpRequest) -> Result<Query, ApiError> {
        let app = request.app_data::<Data<App>>().cloned().ok_or(ApiError::unknown())?;
        let ip = crate::http::guard::client_ip(request, &app.shared.config);
        if !app.shared.ip_calls.take(crate::http::limits::network(ip)) {
            return Err(ApiError::too_many());
        }
        let mut fields = BTreeMap::new();
        for pair in request.query_string().split('&').filter(|p| !p.is_empty()) {
            let mut one = crate::http::params::Params::default();
            one.add_form(pair.as_bytes()).map_err(|_| ApiError::illegal(pair.split('=').next().unwrap_or_default()))?;
            let name = pair.split('=').next().unwrap_or_default().to_owned();
            let value = one.get(&name).unwrap_or_default().to_owned();
            if fields.insert(name.clone(), value).is_some() {
                return Err(ApiError::duplicate(&name));
            }
        }
        Ok(Query { app, fields })
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }

    fn need(&self, name: &'static str) -> Result<&str, ApiError> {
        self.get(name).ok_or_else(|| ApiError::missing(name))
    }

    fn integer(&self, name: &'static str) -> Result<Option<i64>, ApiError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        if !text.bytes().all(|b| b.is_ascii_digit()) || text.len() > 19 {
            return Err(ApiError::illegal(name));
        }
        text.parse().map(Some).map_err(|_| ApiError::illegal(name))
    }

    /// `limit` within `1..=most`; more is cut, like there.
    fn limit(&self, default: usize, most: usize) -> Result<usize, ApiError> {
        match self.integer("limit")? {
            None => Ok(default),
            Some(0) => Err(ApiError::missing("limit")),
            Some(n) => Ok(usize::try_from(n).unwrap_or(most).min(most)),
        }
    }

    /// Refuses fields that the call does not have.
    fn only(&self, names: &[&str]) -> Result<(), ApiError> {
        match self.fields.keys().find(|k| !names.contains(&k.as_str())) {
            Some(_) => Err(ApiError::unread(self.fields.len(), names.len())),
            None => Ok(()),
        }
    }
}

fn answer(outcome: Outcome) -> HttpResponse {
    match outcome {
        Ok(body) => HttpResponse::Ok().content_type("application/json;charset=UTF-8").body(body),
        Err(error) => error.response(),
    }
}

macro_rules! calls {
    ($cfg:expr, $($path:literal => $call:path),* $(,)?) => {
        $($cfg.route($path, get().to(|request: HttpRequest, _: Bytes| async move {
            let response = answer(Query::read(&request).and_then(|query| $call(&query)));
            Served { route: $path, code: response.status().as_u16() }.mark(response)
        }));)*
    };
}

/// All routes.
pub fn routes(cfg: &mut ServiceConfig) {
    calls! { cfg,
        "/api/v3/ping" => market::ping,
        "/api/v3/time" => market::time,
        "/api/v3/exchangeInfo" => exchange_info::exchange_info,
        "/api/v3/depth" => market::depth,
        "/api/v3/trades" => market::trades,
        "/api/v3/aggTrades" => market::agg_trades,
        "/api/v3/klines" => market::klines,
        "/api/v3/uiKlines" => market::klines,
        "/api/v3/ticker/24hr" => market::ticker_24hr,
        "/api/v3/ticker/price" => market::ticker_price,
        "/api/v3/ticker/bookTicker" => market::ticker_book,
    }
    cfg.route("/api/v3/{tail:.*}", actix_web::web::route().to(|| async { HttpResponse::NotFound().finish() }));
}
