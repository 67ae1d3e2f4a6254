//! TradingView's UDF protocol under `/udf` (`docs/rules/program-api.md "Charts"`): charts read the candles that klines are.
//!
//! Owns: its six calls, their names of periods and symbols. Never does: keep candles of its own; compute with floats: what
//! is a number there is written as decimal text. Invariants: times are seconds, bars ascend and lie in `[from, to)`, and
//! `countback` wins over `from`; what is wrong is told as `{"s":"error"}` with status 200, which charts read.
//! Known limits: as deep as the boards (1,500 bars a period); no marks.

use crate::api::http::guard::client_ip;
use crate::api::http::limits::network;
use crate::api::http::params::Params;
use crate::api::http::writers::LARGE_ROWS;
use crate::app::App;
use crate::common::decimal::{decimals, fixed, put_fixed};
use crate::common::time::{Ms, now_ms};
use crate::market::board::{Board, read};
use crate::market::candles::{Candle, Candles};
use crate::market::catalog::{Catalog, MarketInfo};
use crate::market::interval::Interval;
use crate::market::payload::{list, put_list};
use crate::observe::metrics::http::Served;
use actix_web::web::{Data, ServiceConfig, get};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::{Arc, RwLock};
use xng_core::money::Amount;
use xng_core::spot::Side;

/// Periods by their names there.
const RESOLUTIONS: [(&str, Interval); 15] = [
    ("1", Interval::M1),
    ("3", Interval::M3),
    ("5", Interval::M5),
    ("15", Interval::M15),
    ("30", Interval::M30),
    ("60", Interval::H1),
    ("120", Interval::H2),
    ("240", Interval::H4),
    ("360", Interval::H6),
    ("480", Interval::H8),
    ("720", Interval::H12),
    ("1D", Interval::D1),
    ("3D", Interval::D3),
    ("1W", Interval::W1),
    ("1M", Interval::Mo1),
];
/// What the only type of symbols is called.
const KIND: &str = "crypto";
/// Rows of a search, unless it asks for fewer.
const MOST_FOUND: usize = 30;
/// Symbols of one call for quotes.
const MOST_QUOTES: usize = 100;
/// So many bars weigh as much as a call.
const ROWS_A_WEIGHT: u64 = 50;
/// So many quotes.
const QUOTES_A_WEIGHT: u64 = 5;

/// A body that is still to be written, once what it weighs is taken.
struct Body {
    weight: u64,
    rows: usize,
    write: Box<dyn FnOnce() -> String + Send>,
}

impl From<String> for Body {
    fn from(body: String) -> Body {
        Body { weight: 1, rows: 1, write: Box::new(move || body) }
    }
}

impl From<Value> for Body {
    fn from(body: Value) -> Body {
        Body { weight: 1, rows: 1, write: Box::new(move || body.to_string()) }
    }
}

/// How a call ends: what the body says, or what is wrong.
type UdfResult = Result<Body, String>;

struct UdfRequest {
    app: Data<App>,
    params: Params,
}

impl UdfRequest {
    fn need(&self, name: &str) -> Result<&str, String> {
        self.params.get(name).ok_or_else(|| format!("{name} is missing"))
    }

    fn seconds(&self, name: &str) -> Result<Option<Ms>, String> {
        let seconds = self.params.integer::<i64>(name).map_err(|_| format!("{name} is not a whole number"))?;
        Ok(seconds.map(|s| s.saturating_mul(1_000)))
    }

    fn exchange(&self) -> &str {
        &self.app.shared.config.site.site_name
    }

    fn market<'a>(&self, catalog: &'a Catalog, name: &str) -> Result<&'a MarketInfo, String> {
        catalog.by_symbol(&plain(name)).ok_or_else(|| "unknown_symbol".to_owned())
    }

    fn board(&self, info: &MarketInfo) -> Result<Arc<RwLock<Board>>, String> {
        self.app.shared.boards.get(info.params.market).ok_or_else(|| "unknown_symbol".to_owned())
    }
}

/// A symbol without its exchange and punctuation: `X:BTC/USDT`, `BTC-USDT` and `btcusdt` are one.
fn plain(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or_default();
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase()
}

fn resolution(name: &str) -> Option<Interval> {
    // Days, weeks and months may come without their number.
    let name = match name {
        "D" => "1D",
        "W" => "1W",
        "M" => "1M",
        other => other,
    };
    RESOLUTIONS.into_iter().find(|(known, _)| *known == name).map(|(_, interval)| interval)
}

fn names() -> Vec<&'static str> {
    RESOLUTIONS.iter().map(|(name, _)| *name).collect()
}

fn config(call: &UdfRequest) -> UdfResult {
    let exchange = call.exchange();
    Ok(json!({
        "supported_resolutions": names(), "supports_search": true, "supports_group_request": false,
        "supports_marks": false, "supports_timescale_marks": false, "supports_time": true,
        "exchanges": [{ "value": "", "name": "All", "desc": "" },
            { "value": exchange, "name": exchange, "desc": exchange }],
        "symbols_types": [{ "name": "All", "value": "" }, { "name": "Crypto", "value": KIND }],
    })
    .into())
}

fn symbols(call: &UdfRequest) -> UdfResult {
    let catalog = call.app.shared.listed();
    let info = call.market(&catalog, call.need("symbol")?)?;
    let (p, exchange) = (&info.params, call.exchange());
    let price_scale = 10i128.pow(decimals(p.tick) as u32);
    let minutes = names().into_iter().filter(|name| name.bytes().all(|b| b.is_ascii_digit()));
    Ok(json!({
        "name": p.symbol, "ticker": p.symbol, "description": info.pair(), "type": KIND, "session": "24x7",
        "timezone": "Etc/UTC", "exchange": exchange, "listed_exchange": exchange, "format": "price",
        // How many of the price scale's units a tick is.
        "minmov": i64::try_from(p.tick.0 * price_scale / Amount::whole(1).0).unwrap_or(1),
        "pricescale": i64::try_from(price_scale).unwrap_or(1),
        "has_intraday": true, "intraday_multipliers": minutes.collect::<Vec<_>>(), "has_daily": true,
        "daily_multipliers": ["1", "3"], "has_weekly_and_monthly": true, "supported_resolutions": names(),
        "volume_precision": decimals(p.step), "data_status": "streaming",
    })
    .into())
}

fn search(call: &UdfRequest) -> UdfResult {
    let (catalog, exchange) = (call.app.shared.listed(), call.exchange());
    let query = plain(call.params.get("query").unwrap_or_default());
    let limit = call.params.integer::<usize>("limit").map_err(|_| "limit is not a whole number".to_owned())?;
    let fits = |name: &str, own: &str| call.params.get(name).is_none_or(|wanted| wanted.eq_ignore_ascii_case(own));
    let none = !fits("type", KIND) || !fits("exchange", exchange);
    let found = catalog.markets.values().filter(|info| !none && info.params.symbol.contains(&query));
    let row = |info: &MarketInfo| {
        let symbol = &info.params.symbol;
        json!({
            "symbol": symbol, "full_name": format!("{exchange}:{symbol}"), "description": info.pair(),
            "exchange": exchange, "ticker": symbol, "type": KIND,
        })
    };
    Ok(Value::Array(found.take(limit.unwrap_or(MOST_FOUND).min(MOST_FOUND)).map(row).collect()).into())
}

/// Bars that a chart asks for, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct Range {
    from: Ms,
    to: Ms,
    countback: Option<usize>,
}

/// Where they lie among candles: the first and the one behind the last.
fn wanted(candles: &Candles, interval: Interval, range: Range) -> (usize, usize) {
    let before = |at: Ms| {
        let series = candles.series(interval);
        series.len() - series.rev().take_while(|c| c.open_ms >= at).count()
    };
    let end = before(range.to);
    let begin = match range.countback {
        Some(count) => end.saturating_sub(count),
        None => before(range.from),
    };
    (begin.min(end), end)
}

fn history(call: &UdfRequest) -> UdfResult {
    let catalog = call.app.shared.listed();
    let info = call.market(&catalog, call.need("symbol")?)?;
    let interval = resolution(call.need("resolution")?).ok_or_else(|| "unknown resolution".to_owned())?;
    let countback = call.params.integer("countback").map_err(|_| "countback is not a whole number".to_owned())?;
    let (from, to) = (call.seconds("from")?, call.seconds("to")?.ok_or_else(|| "to is missing".to_owned())?);
    let from = match countback {
        Some(_) => from.unwrap_or_default(),
        None => from.ok_or_else(|| "from is missing".to_owned())?,
    };
    let board = call.board(info)?;
    let look = |board: &Board| {
        let (begin, end) = wanted(&board.candles, interval, Range { from, to, countback });
        let series = || board.candles.series(interval);
        let before = begin.checked_sub(1).and_then(|at| series().nth(at)).map(|before| before.open_ms);
        let found: Vec<Candle> = series().take(end).skip(begin).copied().collect();
        (found, before, (board.price_places(), board.quantity_places()))
    };
    let (found, before, places) = look(&read(&board));
    Ok(match (found.is_empty(), before) {
        // The nearest bar before the range, so that a chart jumps over what is empty.
        (true, Some(before)) => format!(r#"{{"s":"no_data","nextTime":{}}}"#, before / 1_000).into(),
        (true, None) => r#"{"s":"no_data"}"#.to_owned().into(),
        (false, _) => {
            let rows = found.len();
            Body { weight: 1 + rows as u64 / ROWS_A_WEIGHT, rows, write: Box::new(move || bars(&found, places)) }
        }
    })
}

fn bars(found: &[Candle], (price, quantity): (usize, usize)) -> String {
    let mut out = String::with_capacity(found.len() * 64);
    out.push_str(r#"{"s":"ok""#);
    let mut column = |name: &str, put: &dyn Fn(&mut String, &Candle)| {
        let _ = write!(out, r#","{name}":"#);
        put_list(&mut out, found, put);
    };
    column("t", &|out, c| {
        let _ = write!(out, "{}", c.open_ms / 1_000);
    });
    column("o", &|out, c| put_fixed(out, c.open, price));
    column("h", &|out, c| put_fixed(out, c.high, price));
    column("l", &|out, c| put_fixed(out, c.low, price));
    column("c", &|out, c| put_fixed(out, c.close, price));
    column("v", &|out, c| put_fixed(out, c.volume, quantity));
    out.push('}');
    out
}

/// A symbol as it was asked for, and what is there under its name.
type Quoted = (String, Option<(String, Arc<RwLock<Board>>)>);

fn quotes(call: &UdfRequest) -> UdfResult {
    let catalog = call.app.shared.listed();
    let wanted: Vec<&str> = call.need("symbols")?.split(',').filter(|name| !name.is_empty()).collect();
    if wanted.len() > MOST_QUOTES {
        return Err("too many symbols".to_owned());
    }
    let known = |name: &&str| -> Quoted {
        let found = call.market(&catalog, name).and_then(|info| Ok((info.pair(), call.board(info)?)));
        ((*name).to_owned(), found.ok())
    };
    let (known, exchange) = (wanted.iter().map(known).collect::<Vec<Quoted>>(), call.exchange().to_owned());
    let row = move |out: &mut String, (name, found): &Quoted| {
        let row = found.as_ref().and_then(|(pair, board)| quote(&read(board), pair, &exchange));
        let name = Value::from(name.as_str());
        let _ = match row {
            None => write!(out, r#"{{"s":"error","n":{name},"v":{{}}}}"#),
            Some(v) => write!(out, r#"{{"s":"ok","n":{name},"v":{v}}}"#),
        };
    };
    // Each looks through a day of minutes, or hours.
    let write = move || format!(r#"{{"s":"ok","d":{}}}"#, list(&known, row));
    Ok(Body { weight: 1 + wanted.len() as u64 / QUOTES_A_WEIGHT, rows: wanted.len(), write: Box::new(write) })
}

fn quote(board: &Board, pair: &str, exchange: &str) -> Option<String> {
    let day = board.day(now_ms())?;
    let (price, quantity) = (board.price_places(), board.quantity_places());
    let best = |side| fixed(board.best(side).unwrap_or_default().0, price);
    Some(format!(
        concat!(
            r#"{{"ch":{ch},"chp":{chp},"short_name":"{symbol}","exchange":{exchange},"description":{pair},"lp":{lp},"#,
            r#""bid":{bid},"ask":{ask},"open_price":{open},"high_price":{high},"low_price":{low},"#,
            r#""prev_close_price":{before},"volume":{volume}}}"#
        ),
        symbol = board.params.symbol,
        exchange = Value::from(exchange),
        pair = Value::from(pair),
        ch = fixed(day.change(), price),
        chp = day.change_percent(),
        lp = fixed(day.close, price),
        bid = best(Side::Buy),
        ask = best(Side::Sell),
        open = fixed(day.open, price),
        high = fixed(day.high, price),
        low = fixed(day.low, price),
        before = fixed(day.previous, price),
        volume = fixed(day.volume, quantity),
    ))
}

fn time(_: &UdfRequest) -> UdfResult {
    Ok((now_ms() / 1_000).to_string().into())
}

fn no_marks(_: &UdfRequest) -> UdfResult {
    Ok("[]".to_owned().into())
}

fn wrong(mut answer: HttpResponseBuilder, why: &str) -> HttpResponse {
    answer.json(json!({ "s": "error", "errmsg": why }))
}

async fn answer(request: &HttpRequest, kind: &'static str, call: fn(&UdfRequest) -> UdfResult) -> HttpResponse {
    let Some(app) = request.app_data::<Data<App>>().cloned() else {
        return HttpResponse::InternalServerError().finish();
    };
    let (shared, from) = (app.shared.clone(), network(client_ip(request, &app.shared.config)));
    let may = |weight: u64| shared.ip_calls.take_many(from, weight as usize);
    if !may(1) || shared.pace.turn(from, 1).await.is_err() {
        return wrong(HttpResponse::TooManyRequests(), "too many requests");
    }
    let mut params = Params::default();
    let read = params.add_form(request.query_string().as_bytes()).map_err(|_| "the query cannot be read".to_owned());
    let Body { weight, rows, write } = match read.and_then(|()| call(&UdfRequest { app, params })) {
        Ok(body) => body,
        Err(why) => return wrong(HttpResponse::Ok(), &why),
    };
    if !may(weight - 1) || shared.pace.turn(from, weight - 1).await.is_err() {
        return wrong(HttpResponse::TooManyRequests(), "too many requests");
    }
    match shared.writers.run_if(rows > LARGE_ROWS, write).await {
        Ok(body) => HttpResponse::Ok().content_type(kind).body(body),
        Err(_) => wrong(HttpResponse::ServiceUnavailable(), "busy"),
    }
}

macro_rules! calls {
    ($cfg:expr, $($path:literal $kind:literal => $call:path),* $(,)?) => {
        $($cfg.route($path, get().to(|request: HttpRequest| async move {
            let response = answer(&request, $kind, $call).await;
            Served { route: $path, code: response.status().as_u16() }.mark(response)
        }));)*
    };
}

/// All routes.
pub fn routes(cfg: &mut ServiceConfig) {
    calls! { cfg,
        "/udf/config" "application/json" => config,
        "/udf/time" "text/plain" => time,
        "/udf/symbols" "application/json" => symbols,
        "/udf/search" "application/json" => search,
        "/udf/history" "application/json" => history,
        "/udf/quotes" "application/json" => quotes,
        "/udf/marks" "application/json" => no_marks,
        "/udf/timescale_marks" "application/json" => no_marks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_read_with_or_without_exchange_and_punctuation() {
        for name in ["BTCUSDT", "btcusdt", "BTC/USDT", "BTC-USDT", "Meridian:BTC_USDT", "a:b:BTCUSDT"] {
            assert_eq!(plain(name), "BTCUSDT", "{name}");
        }
    }

    #[test]
    fn periods_have_charts_names_and_seconds_are_none_of_them() {
        assert_eq!((resolution("60"), resolution("D")), (Some(Interval::H1), Some(Interval::D1)));
        for bad in ["", "0", "2", "1m", "1h", "1S", "60.0", "-1"] {
            assert_eq!(resolution(bad), None, "{bad}");
        }
    }

    #[test]
    fn countback_wins_over_from_and_the_end_is_not_inside() {
        let mut candles = Candles::default();
        candles.load(Interval::M1, (0..10).map(|n| Candle::flat(n * 60_000, Amount::whole(1))));
        let range = |from: Ms, to: Ms, countback| {
            wanted(&candles, Interval::M1, Range { from: from * 60_000, to: to * 60_000, countback })
        };
        assert_eq!(range(2, 5, None), (2, 5));
        assert_eq!(range(2, 5, Some(4)), (1, 5));
        assert_eq!(range(0, 5, Some(1)), (4, 5));
        assert_eq!(range(9, 20, Some(100)), (0, 10));
        assert_eq!(range(20, 30, None), (10, 10), "behind the last");
        assert_eq!(range(5, 2, None), (2, 2), "the wrong way round");
        assert_eq!(range(3, 5, Some(0)), (5, 5));
    }
}
