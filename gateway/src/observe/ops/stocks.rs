//! What operators decide about stocks and their calendars: `exchange admin stock|calendar` asks here.
//!
//! Owns: these routes. Never does: set a price. Invariants: a decision is in the audit before it is done, with who made it and why;
//! a corporate action has a number that the operator names, so that asking twice does it once. Known limits: none.

use super::decisions::{Decider, allowed, no_answer, no_audit, said};
use super::front::Front;
use crate::app::Shared;
use crate::common::decimal::amount;
use crate::common::time::now_ns;
use crate::market::catalog::MarketInfo;
use crate::market::stocks::trading_day_begin;
use actix_web::web::{Data, Json, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde::Deserialize;
use serde_json::{Value, json};
use xng_core::entity::{Command, Reply};
use xng_core::reject::Reject;
use xng_core::spot::MarketCommand;
use xng_core::stock::ActionKind;
use xng_core::stock::calendar::{CalendarCommand, CalendarParams, Session};

/// Who decides, why, and what.
#[derive(Debug, Deserialize)]
struct Decided {
    #[serde(flatten)]
    who: Decider,
    /// The number of a corporate action.
    number: Option<u32>,
    /// A split's shares.
    new: Option<u32>,
    old: Option<u32>,
    /// A dividend.
    per_share: Option<String>,
    withheld_ppm: Option<u32>,
    /// A day in the calendar's own zone, and a time of it.
    date: Option<String>,
    time: Option<String>,
}

fn missing(what: &str) -> HttpResponse {
    said(400, &format!("{what} is missing, or not what it should be"))
}

/// Markets of stocks and calendars, as they are.
async fn list(front: Data<Front>, request: HttpRequest) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let (shared, now) = (&running.shared, now_ns());
    let last = shared.stocks.last_actions();
    let stock = |info: &MarketInfo| {
        let p = &info.params;
        let venue = shared.stocks.venue(p.stock?.calendar, now);
        Some(
            json!({ "symbol": p.symbol, "state": format!("{:?}", info.state), "venue": venue.as_ref().map(|v| &v.name),
            "phase": venue.map(|v| v.phase.name()), "last_action": last.get(&p.market).copied().unwrap_or(0),
            "action_under_way": shared.stocks.is_under_way(p.market) }),
        )
    };
    let rows: Vec<Value> = shared.listed().markets.values().filter_map(stock).collect();
    HttpResponse::Ok().json(rows)
}

fn action_of(kind: &str, decided: &Decided) -> Option<(u32, ActionKind)> {
    let kind = match kind {
        "split" => ActionKind::Split { new: decided.new?, old: decided.old? },
        "dividend" => {
            let per_share = amount(decided.per_share.as_deref()?).ok()?;
            ActionKind::Dividend { per_share, withheld_ppm: decided.withheld_ppm? }
        }
        _ => return None,
    };
    kind.check().ok()?;
    Some((decided.number?, kind))
}

/// Notes who decided what, then does it; tells what became of it.
async fn done(shared: &Shared, what: &str, subject: &str, who: &Decider, command: Command) -> HttpResponse {
    if shared.auth.audit_operator(&who.by, what, subject, &who.reason).await.is_err() {
        return no_audit();
    }
    match shared.operators.ask(command).await {
        Some(Reply::Accepted(_)) => HttpResponse::Ok().json(json!({ "done": what })),
        Some(Reply::Rejected(Reject::AlreadyExists)) => said(409, "it is so already, or was done"),
        Some(Reply::Rejected(Reject::BadAction)) => {
            said(409, "an action needs a market of stocks, outside of the sessions, with no other action under way")
        }
        Some(Reply::Rejected(Reject::BadParameters)) => {
            said(409, "its values do not fit, or its number leaves out too many")
        }
        Some(Reply::Rejected(Reject::PriceStale)) => said(409, "the stock has no price yet"),
        Some(other) => said(409, &format!("refused: {other:?}")),
        None => no_answer(),
    }
}

/// `split` or `dividend` of a stock.
async fn market(
    front: Data<Front>,
    request: HttpRequest,
    path: Path<(String, String)>,
    decided: Json<Decided>,
) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let (shared, (symbol, what), decided) = (&running.shared, path.into_inner(), decided.into_inner());
    if let Some(answer) = decided.who.lacks() {
        return answer;
    }
    let listed = shared.listed();
    let Some(info) = listed.by_symbol(&symbol) else { return said(404, "there is no such market") };
    let Some((id, kind)) = action_of(&what, &decided) else { return missing("split or dividend with its number") };
    let symbol = &info.params.symbol;
    let command = Command::Market(info.params.market, MarketCommand::SetAction { id, kind });
    done(shared, &format!("{what} {symbol}"), symbol, &decided.who, command).await
}

fn local(zone: &TimeZone, ms: u64) -> Option<jiff::Zoned> {
    Some(Timestamp::from_millisecond(ms.cast_signed()).ok()?.to_zoned(zone.clone()))
}

/// The sessions that are left when those of a day end at a time of it, or do not take place, from the trading day on that is or
/// was last. None when that changes nothing.
fn cut(params: &CalendarParams, date: Date, until: Option<Time>, now_ms: u64) -> Option<Vec<Session>> {
    let zone = TimeZoneDatabase::bundled().get(&params.zone).ok()?;
    let begun = trading_day_begin(&params.sessions, now_ms.cast_signed());
    let is_kept = |s: &&Session| s.close_ms > now_ms || begun.is_some_and(|begun| s.open_ms.cast_signed() >= begun);
    let mut left: Vec<Session> = Vec::new();
    let (mut changed, mut last_of_day) = (false, None);
    for session in params.sessions.iter().filter(is_kept) {
        if local(&zone, session.open_ms)?.date() != date {
            left.push(*session);
            continue;
        }
        let end = until.and_then(|time| date.to_datetime(time).to_zoned(zone.clone()).ok());
        let end = end.map_or(0, |end| end.timestamp().as_millisecond().max(0).cast_unsigned());
        // What is under way ends now at the earliest.
        let close_ms = session.close_ms.min(end.max(now_ms + 1));
        changed |= close_ms != session.close_ms;
        if session.open_ms < close_ms && (session.open_ms < end || session.open_ms <= now_ms) {
            last_of_day = Some(left.len());
            left.push(Session { close_ms, ..*session });
        }
    }
    if let Some(session) = last_of_day.and_then(|at| left.get_mut(at)) {
        session.last = true;
    }
    changed.then_some(left)
}

/// `cancel` a day's sessions, or `close-early` on it.
async fn calendar(
    front: Data<Front>,
    request: HttpRequest,
    path: Path<(String, String)>,
    decided: Json<Decided>,
) -> HttpResponse {
    let running = match allowed(&front, &request) {
        Ok(running) => running,
        Err(answer) => return *answer,
    };
    let (shared, (name, what), decided) = (&running.shared, path.into_inner(), decided.into_inner());
    if let Some(answer) = decided.who.lacks() {
        return answer;
    }
    let Some(params) = shared.stocks.named(&name) else { return said(404, "there is no such calendar") };
    let Some(date) = decided.date.as_deref().and_then(|date| date.parse::<Date>().ok()) else {
        return missing("a date as 2026-11-27");
    };
    let time = decided.time.as_deref().map(str::parse::<Time>);
    let until = match (what.as_str(), time) {
        ("cancel", None) => None,
        ("close-early", Some(Ok(time))) => Some(time),
        _ => return missing("cancel, or close-early with a time as 12:00"),
    };
    let Some(sessions) = cut(&params, date, until, now_ns() / 1_000_000) else {
        return said(409, "no session that is not over is on that day, or none ends later");
    };
    let set = CalendarCommand::SetParams(Box::new(CalendarParams { sessions, ..params.clone() }));
    let told = format!("{what} {name} {date}");
    done(shared, &told, &params.name, &decided.who, Command::Calendar(params.calendar, set)).await
}

pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/admin/stocks", get().to(list));
    cfg.route("/admin/market/{symbol}/{action}", post().to(market));
    cfg.route("/admin/calendar/{name}/{action}", post().to(calendar));
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::stock::CalendarId;

    /// Two days of Hong Kong: 26 and 27 November 2026.
    fn params() -> CalendarParams {
        let day = 86_400_000;
        let morning = |start: u64| Session { open_ms: start + 5_400_000, close_ms: start + 14_400_000, last: false };
        let afternoon = |start: u64| Session { open_ms: start + 18_000_000, close_ms: start + 28_800_000, last: true };
        let first = 1_795_651_200_000;
        CalendarParams {
            calendar: CalendarId(2),
            version: 1,
            name: "HKEX".into(),
            zone: "Asia/Hong_Kong".into(),
            sessions: [first, first + day].into_iter().flat_map(|start| [morning(start), afternoon(start)]).collect(),
            markets: Vec::new(),
        }
    }

    #[test]
    fn a_day_is_cancelled_or_closed_early_and_the_others_stay() {
        let params = params();
        let (day, before) = (Date::constant(2026, 11, 27), params.sessions[0].open_ms);
        assert_eq!(cut(&params, day, None, before - 1), Some(params.sessions[..2].to_vec()));
        let noon = cut(&params, day, Some(Time::constant(11, 0, 0, 0)), before - 1).unwrap();
        let short = Session { close_ms: params.sessions[2].close_ms - 3_600_000, last: true, ..params.sessions[2] };
        assert_eq!(noon, [params.sessions[0], params.sessions[1], short]);
        assert_eq!(cut(&params, Date::constant(2026, 11, 28), None, before), None, "no trading day");
        assert_eq!(cut(&params, day, Some(Time::constant(16, 0, 0, 0)), before), None, "it ends then anyhow");
    }

    #[test]
    fn a_session_that_is_under_way_ends_at_once() {
        let params = params();
        let now = params.sessions[2].open_ms + 60_000;
        let left = cut(&params, Date::constant(2026, 11, 27), None, now).unwrap();
        assert_eq!(left, [Session { close_ms: now + 1, last: true, ..params.sessions[2] }]);
        assert!(CalendarParams { sessions: left, ..params }.check().is_ok());
    }

    #[test]
    fn what_is_over_of_a_day_stays_known() {
        let params = params();
        let [.., morning, afternoon] = params.sessions[..] else { panic!("two sessions a day") };
        let in_the_break = morning.close_ms + 60_000;
        let left = cut(&params, Date::constant(2026, 11, 27), None, in_the_break).unwrap();
        assert_eq!(left, [Session { last: true, ..morning }]);
        let in_the_afternoon = afternoon.open_ms + 60_000;
        let early = Some(Time::constant(15, 0, 0, 0));
        let left = cut(&params, Date::constant(2026, 11, 27), early, in_the_afternoon).unwrap();
        assert_eq!(left, [morning, Session { close_ms: afternoon.close_ms - 3_600_000, ..afternoon }]);
    }
}
