//! The ops port: health and figures for whoever watches the process, the operators' console and decisions, and the dev mailbox
//! of the demo. Never open to the outside.
//!
//! Owns: the answers, from the first moment on, before there is an exchange to ask.
//! Never does: change anything but by commands of operators (`stocks.rs`, `traders.rs`, `terms.rs`), or the demo's persister; wait for the
//! cell, but for what becomes of these commands and for 20 ms for the console. Invariants: health and figures are answered while
//! everything else is stuck; what tells of users' orders or mails, or changes anything, wants the console's login or a program's
//! key.
//! Known limits: health and figures are open to whoever reaches its port.

pub mod access;
mod audit;
mod chains;
mod console;
mod decisions;
mod front;
pub mod login;
pub mod logs;
mod markets;
mod order_trace;
mod running;
pub mod sample;
pub(crate) mod snapshot;
mod staff;
mod stocks;
mod terms;
mod traders;
mod users;
mod withdrawals;

use crate::common::time::now_ns;
use crate::config::Profile;
use crate::observe::health::{ClockWarning, Phase};
use crate::observe::metrics::scrape::render;
use actix_web::http::header;
use actix_web::web::{Data, Path, Query, ServiceConfig, block, get, post};
use actix_web::{HttpRequest, HttpResponse, Responder};
use console::refused;
pub use front::{Front, check};
use running::{capacity_name, unready, warnings};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use xng_core::histogram::Histogram;
use xng_core::ids::OrderId;
use xng_core::journal::Lsn;
use xng_persistence::store::PersisterHandle;

/// The answer of a process that has nothing to look at yet.
fn starting() -> HttpResponse {
    HttpResponse::ServiceUnavailable().json(json!({ "reasons": ["starting"] }))
}

/// Whether the process is worth keeping: cell and journal writer made progress of late.
async fn live(front: Data<Front>) -> impl Responder {
    // A long replay is work, not a reason to begin it anew.
    let Some(running) = front.running.get() else {
        return HttpResponse::Ok().json(json!({ "live": true, "reasons": [], "starting": true }));
    };
    let mut reasons = running.shared.health.stuck();
    if running.journal.has_failed() {
        reasons.push("journal failed");
    }
    let body = json!({ "live": reasons.is_empty(), "reasons": reasons });
    if reasons.is_empty() { HttpResponse::Ok().json(body) } else { HttpResponse::ServiceUnavailable().json(body) }
}

/// Whether it should be sent requests, and why not; `warnings` want an operator, users notice nothing yet.
async fn ready(front: Data<Front>) -> impl Responder {
    let Some(running) = front.running.get() else {
        let body = json!({ "ready": false, "reasons": ["starting"], "warnings": [] });
        return HttpResponse::ServiceUnavailable().json(body);
    };
    let reasons = unready(running);
    let body = json!({ "ready": reasons.is_empty(), "reasons": reasons, "warnings": warnings(running) });
    if reasons.is_empty() { HttpResponse::Ok().json(body) } else { HttpResponse::ServiceUnavailable().json(body) }
}

/// How far the start is; a success once it is over.
async fn startup(front: Data<Front>) -> impl Responder {
    let seen = front.health.startup.look();
    let (at, of) = seen.lsn;
    let body = json!({
        "started": seen.phase == Phase::Ready, "phase": seen.phase.name(), "lsn": at.0, "of": of.0,
        "facts_per_second": seen.facts_per_second, "seconds": seen.elapsed.as_secs_f64(),
        "clock": front.health.startup.clock().map(ClockWarning::text),
    });
    if seen.phase == Phase::Ready {
        HttpResponse::Ok().json(body)
    } else {
        HttpResponse::ServiceUnavailable().json(body)
    }
}

async fn status(front: Data<Front>) -> impl Responder {
    let Some(running) = front.running.get() else { return starting() };
    let (cell, health) = (running.cell.stats(), &running.shared.health);
    HttpResponse::Ok().json(json!({
        "version": crate::RELEASE, "commit": crate::COMMIT,
        "lsn": cell.lsn, "durable": running.journal.durable().0, "persisted": running.persister.persisted().0,
        "lag_records": running.persister.lag_records(), "lag_seconds": running.persister.lag(now_ns()).as_secs_f64(),
        "persister": persister_figures(&running.persister),
        "persister_failed": running.persister.has_failed(), "entities": cell.entities, "queued": cell.queued,
        "gated": cell.gated, "commands": cell.counters.commands, "records": cell.counters.records,
        "rejects": cell.counters.rejects, "busy": cell.counters.busy, "digests": cell.counters.digests,
        "journal_capacity": capacity_name(running.journal.capacity()),
        "journal_bytes": running.journal.segment_bytes(), "journal_spares": running.journal.spare_segments(),
        "disk_free_bytes": running.journal.free_bytes().ok(),
        "snapshot_lsn": health.snapshot_lsn.load(Ordering::Relaxed),
        "snapshot_age_seconds": health.snapshot.age().map(|age| age.as_secs()),
        "snapshot_failures": health.snapshot_failures.get(),
        "snapshot_failing": health.snapshot_failing.load(Ordering::Relaxed),
        "house_refused": health.house_refused.get(), "house_cut": health.house_cut.get(),
        "feed_dropped": health.feed_dropped.get(), "tape_dropped": health.tape_dropped.get(),
        "candles_late": health.candles_late.get(), "sessions_cut": health.sessions_cut.get(),
        "view_inputs": running.shared.view.len(), "clock_offset_ms": running.clock.ms(),
        "clock": health.startup.clock().map(ClockWarning::text),
        "sockets": running.shared.open_sockets(),
        "redis": running.shared.hot.get().map(|hot| {
            let stats = hot.stats();
            json!({
                "up": stats.up.load(Ordering::Relaxed), "errors": stats.errors.get(),
                "published": stats.published.get(), "rewritten": stats.rewritten.get(),
            })
        }),
        "halted": running.halted.iter().map(ToString::to_string).collect::<Vec<_>>(),
    }))
}

/// Batches, rows and attempts since the start; `bounds` are the upper ends of the buckets, the last one has none.
fn persister_figures(persister: &PersisterHandle) -> Value {
    let metrics = persister.metrics();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let buckets = |h: &Histogram| json!({ "bounds": h.bounds(), "counts": h.counts(), "sum": h.sum() });
    json!({
        "batches": count(&metrics.batches), "records": count(&metrics.records), "rows": count(&metrics.rows),
        "retries": count(&metrics.errors), "failing_seconds": persister.failing_for().map(|time| time.as_secs_f64()),
        "batch_micros": buckets(&metrics.batch_micros), "batch_rows": buckets(&metrics.batch_rows),
    })
}

/// All figures, for Prometheus.
async fn metrics(front: Data<Front>) -> impl Responder {
    let Some(running) = front.running.get() else { return starting() };
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(render(&running.figures))
}

#[derive(Deserialize)]
struct Asked {
    lsn: Option<u64>,
}

/// An order's way with its times, as far as they are remembered.
async fn trace(front: Data<Front>, request: HttpRequest, order: Path<u64>, asked: Query<Asked>) -> impl Responder {
    if let Some(refused) = refused(&front, &request) {
        return refused;
    }
    let Ok(permit) = front.traces.clone().try_acquire_owned() else {
        return HttpResponse::ServiceUnavailable().insert_header((header::RETRY_AFTER, "1")).finish();
    };
    let Some(running) = front.running.get() else { return starting() };
    let (figures, order, lsn) = (running.figures.clone(), OrderId(*order), asked.lsn.map(Lsn));
    // Who asked may go away meanwhile; the reading goes on and keeps its permit.
    let work = move || {
        let traced = order_trace::trace(&figures, order, lsn);
        drop(permit);
        traced
    };
    // The journal is read for it, which is for no thread that answers.
    match block(work).await {
        Ok(Ok(traced)) => HttpResponse::Ok().json(traced),
        Ok(Err(error)) => HttpResponse::InternalServerError().body(error.to_string()),
        Err(_) => HttpResponse::ServiceUnavailable().finish(),
    }
}

#[derive(Deserialize)]
struct Mailbox {
    #[serde(default)]
    to: String,
    /// For a browser, which sends no key by itself.
    key: Option<String>,
}

/// Codes and notices that a demo does not send, newest first.
async fn mailbox(front: Data<Front>, request: HttpRequest, query: Query<Mailbox>) -> impl Responder {
    let refused = match query.key.as_deref() {
        Some(key) => access::refuse(&front.console.doors, Some(key)),
        None => refused(&front, &request),
    };
    if let Some(refused) = refused {
        return refused;
    }
    let Some(running) = front.running.get() else { return starting() };
    if !running.shared.config.auth.dev_mailbox {
        return HttpResponse::NotFound().finish();
    }
    match running.shared.auth.messenger.mailbox(&query.to).await {
        Ok(mails) => HttpResponse::Ok().json(mails),
        Err(error) => HttpResponse::ServiceUnavailable().body(error.to_string()),
    }
}

/// Stops and resumes the persister, to see that nothing but history waits for it. Demo only.
async fn persister(front: Data<Front>, request: HttpRequest, action: Path<String>) -> impl Responder {
    if let Some(refused) = refused(&front, &request) {
        return refused;
    }
    let Some(running) = front.running.get() else { return starting() };
    if running.shared.config.profile != Profile::Demo {
        return HttpResponse::NotFound().finish();
    }
    match action.as_str() {
        "pause" => running.persister.pause(),
        "resume" => running.persister.resume(),
        _ => return HttpResponse::NotFound().finish(),
    }
    HttpResponse::Ok().finish()
}

/// Routes of the ops port.
pub fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/livez", get().to(live));
    cfg.route("/readyz", get().to(ready));
    cfg.route("/startupz", get().to(startup));
    cfg.route("/status", get().to(status));
    cfg.route("/metrics", get().to(metrics));
    // A session's cookie goes nowhere but below `/ops`.
    cfg.route("/trace/{order}", get().to(trace)).route("/ops/trace/{order}", get().to(trace));
    cfg.configure(console::routes)
        .configure(traders::routes)
        .configure(markets::routes)
        .configure(stocks::routes)
        .configure(chains::routes)
        .configure(withdrawals::routes)
        .configure(staff::routes)
        .configure(audit::routes)
        .configure(terms::routes)
        .configure(users::routes);
    cfg.route("/dev/mailbox", get().to(mailbox));
    cfg.route("/dev/persister/{action}", post().to(persister));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use actix_web::test::{TestRequest, call_service, init_service};

    #[actix_web::test]
    async fn what_tells_of_orders_or_changes_anything_wants_a_key_and_two_orders_are_followed_at_once() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml");
        let front = Data::new(Front::new(&Config::load(std::path::Path::new(path)).unwrap(), logs::LogTail::default()));
        let key = front.console.doors.make_key().unwrap();
        let app = actix_web::App::new().app_data(front.clone());
        let app = init_service(app.wrap(actix_web::middleware::from_fn(check)).configure(routes)).await;
        let bearer = |key: &str| ("authorization", format!("Bearer {key}"));
        let closed = [
            "/trace/1",
            "/ops/trace/1",
            "/dev/mailbox",
            "/dev/mailbox?key=wrong",
            "/dev/persister/pause",
            "/admin/traders",
            "/admin/stocks",
            "/admin/terms",
        ];
        for path in closed {
            let request = || match path {
                "/dev/persister/pause" => TestRequest::post().uri(path),
                _ => TestRequest::get().uri(path),
            };
            assert_eq!(call_service(&app, request().to_request()).await.status(), 401, "{path}");
            let wrong = request().insert_header(bearer("wrong")).to_request();
            assert_eq!(call_service(&app, wrong).await.status(), 401, "{path}");
            let right = path.split('?').next().unwrap();
            let right = request().uri(right).insert_header(bearer(&key)).to_request();
            assert_eq!(call_service(&app, right).await.status(), 503, "{path}: there is no exchange yet");
        }
        let with_key = TestRequest::get().uri(&format!("/dev/mailbox?key={key}")).to_request();
        assert_eq!(call_service(&app, with_key).await.status(), 503);
        for path in ["/livez", "/readyz", "/startupz", "/status", "/metrics", "/ops/session"] {
            let open = call_service(&app, TestRequest::get().uri(path).to_request()).await;
            assert!([200, 503].contains(&open.status().as_u16()), "{path}");
            let rebound = TestRequest::get().uri(path).insert_header(("host", "evil.example")).to_request();
            assert_eq!(call_service(&app, rebound).await.status(), 421, "{path}");
        }

        let _both = front.traces.clone().try_acquire_many_owned(2).expect("two");
        let third = TestRequest::get().uri("/trace/1").insert_header(bearer(&key)).to_request();
        let refused = call_service(&app, third).await;
        assert_eq!((refused.status().as_u16(), refused.headers().contains_key("retry-after")), (503, true));
    }
}
