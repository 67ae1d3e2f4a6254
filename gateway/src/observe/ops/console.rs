//! The live console at `/ops`: its page, its login, its socket.
//!
//! Owns: routes below `/ops`, the one snapshot a second, how many consoles look. Never does: change anything of the
//! exchange. Invariants: without a session nothing but the page and the login answers; a snapshot is made once for all
//! consoles, however they come and go, and only while one is open; a console that does not keep up misses snapshots,
//! nobody waits for it.
//! Known limits: the ops port speaks no TLS: it is for the loopback or a tunnel.

use super::access::{bearer, refuse};
use super::front::Front;
use super::login::{CONSOLE_SESSION_LENGTH, Refused};
use super::logs::Line;
use super::sample::Window;
use super::snapshot;
use crate::api::http::built;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header;
use actix_web::rt::time::interval;
use actix_web::web::{Data, Json, Path, Payload, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse, Responder};
use actix_ws::{CloseCode, CloseReason, Message, MessageStream, Session};
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::json;
use std::sync::atomic::Ordering;
use std::time::Duration;

const COOKIE: &str = "ops";
const EVERY: Duration = Duration::from_secs(1);
/// Lines of the log that a console begins with, and that a snapshot brings at most.
const BACKLOG: usize = 200;
/// Consoles at once.
const MOST: usize = 16;

fn off() -> HttpResponse {
    let text = "The console is off: give it a token of at least 16 characters (XNG__OPS__TOKEN) and start again.\n";
    HttpResponse::ServiceUnavailable().content_type("text/plain; charset=utf-8").body(text)
}

fn secret(request: &HttpRequest) -> Option<String> {
    request.cookie(COOKIE).map(|cookie| cookie.value().to_owned())
}

fn is_in(front: &Front, request: &HttpRequest) -> bool {
    secret(request).is_some_and(|secret| front.console.doors.knows(&secret))
}

/// The answer to who is neither logged in nor a program with a key.
pub(super) fn refused(front: &Front, request: &HttpRequest) -> Option<HttpResponse> {
    if is_in(front, request) { None } else { refuse(&front.console.doors, bearer(request)) }
}

/// The page, the same for everybody: what it shows comes after the login.
async fn page(front: Data<Front>, request: HttpRequest) -> HttpResponse {
    if !front.console.doors.is_on() {
        return off();
    }
    built::page(&front.console.folder, &request).await
}

async fn asset(front: Data<Front>, name: Path<String>, request: HttpRequest) -> HttpResponse {
    if !front.console.doors.is_on() {
        return HttpResponse::NotFound().finish();
    }
    built::asset(&front.console.folder, &name, &request).await
}

#[derive(Deserialize)]
struct Credentials {
    token: String,
}

fn cookie(value: String, life: Duration) -> Cookie<'static> {
    let life = actix_web::cookie::time::Duration::seconds(life.as_secs().cast_signed());
    Cookie::build(COOKIE, value).path("/ops").http_only(true).same_site(SameSite::Strict).max_age(life).finish()
}

async fn login(front: Data<Front>, credentials: Json<Credentials>) -> HttpResponse {
    match front.console.doors.knock(&credentials.token) {
        Ok(secret) => HttpResponse::NoContent().cookie(cookie(secret, CONSOLE_SESSION_LENGTH)).finish(),
        Err(Refused::Wrong) => HttpResponse::Unauthorized().finish(),
        Err(Refused::TooMany) => HttpResponse::TooManyRequests().insert_header((header::RETRY_AFTER, "60")).finish(),
        Err(Refused::Off) => off(),
    }
}

async fn logout(front: Data<Front>, request: HttpRequest) -> HttpResponse {
    secret(&request).into_iter().for_each(|secret| front.console.doors.close(&secret));
    HttpResponse::NoContent().cookie(cookie(String::new(), Duration::ZERO)).finish()
}

/// Whether the browser's session is still good; a question, so that "no" is no error.
async fn session(front: Data<Front>, request: HttpRequest) -> impl Responder {
    HttpResponse::Ok().json(json!({ "open": is_in(&front, &request) }))
}

async fn socket(front: Data<Front>, request: HttpRequest, body: Payload) -> Result<HttpResponse, actix_web::Error> {
    if !is_in(&front, &request) {
        return Ok(HttpResponse::Unauthorized().finish());
    }
    let Some(seat) = Seat::take(&front) else { return Ok(HttpResponse::TooManyRequests().finish()) };
    let (response, session, messages) = actix_ws::handle(&request, body)?;
    let secret = secret(&request).unwrap_or_default();
    actix_web::rt::spawn(look(seat, secret, session, messages));
    Ok(response)
}

/// One open console.
struct Seat(Data<Front>);

impl Seat {
    /// Nothing when all are taken. Who takes one may count on snapshots.
    fn take(front: &Data<Front>) -> Option<Seat> {
        let open = front.console.open.fetch_add(1, Ordering::SeqCst);
        let seat = Seat(front.clone());
        if open >= MOST {
            return None;
        }
        if let Some(maker) = Maker::of(front) {
            actix_web::rt::spawn(maker.run());
        }
        Some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.console.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whoever makes snapshots: one at most.
struct Maker(Data<Front>);

impl Maker {
    /// Nothing while there is another one.
    fn of(front: &Data<Front>) -> Option<Maker> {
        (!front.console.making.swap(true, Ordering::SeqCst)).then(|| Maker(front.clone()))
    }

    /// Makes snapshots until the last console is closed.
    async fn run(self) {
        let mut maker = self;
        loop {
            make_snapshots(&maker.0).await;
            let front = maker.0.clone();
            drop(maker);
            // A console that came in between saw a maker, so somebody must go on for it.
            if front.console.open.load(Ordering::SeqCst) == 0 {
                return;
            }
            let Some(again) = Maker::of(&front) else { return };
            maker = again;
        }
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        self.0.console.making.store(false, Ordering::SeqCst);
    }
}

fn log_rows(lines: &[Line]) -> Vec<serde_json::Value> {
    lines.iter().map(|(number, line)| json!([number, &**line])).collect()
}

async fn make_snapshots(front: &Front) {
    let console = &front.console;
    let (mut window, mut ticks) = (Window::default(), interval(EVERY));
    let mut sent = console.logs.since(0, 1).last().map_or(0, |(number, _)| *number);
    while console.open.load(Ordering::SeqCst) > 0 {
        ticks.tick().await;
        let Some(running) = front.running.get() else {
            console
                .newest
                .send_replace(json!({ "starting": front.health.startup.look().phase.name() }).to_string().into());
            continue;
        };
        let mut made = snapshot::make(running, &mut window);
        let lines = console.logs.since(sent, BACKLOG);
        sent = lines.last().map_or(sent, |(number, _)| *number);
        made["log"] = log_rows(&lines).into();
        console.newest.send_replace(made.to_string().into());
    }
}

/// Serves one console until it leaves or its session ends.
async fn look(seat: Seat, secret: String, mut session: Session, mut messages: MessageStream) {
    let console = &seat.0.console;
    let mut newest = console.newest.subscribe();
    let backlog = json!({ "log": log_rows(&console.logs.since(0, BACKLOG)) });
    if session.text(backlog.to_string()).await.is_err() {
        return;
    }
    loop {
        tokio::select! {
            changed = newest.changed() => {
                if !console.doors.knows(&secret) {
                    let reason = CloseReason { code: CloseCode::Policy, description: Some("logged out".into()) };
                    drop(session.close(Some(reason)).await);
                    return;
                }
                let text = newest.borrow_and_update().to_string();
                if changed.is_err() || session.text(text).await.is_err() {
                    return;
                }
            }
            message = messages.next() => match message {
                Some(Ok(Message::Ping(bytes))) => {
                    if session.pong(&bytes).await.is_err() {
                        return;
                    }
                }
                Some(Ok(Message::Pong(_) | Message::Nop | Message::Text(_))) => {}
                // What a console sends besides is none of ours.
                Some(Ok(_)) | Some(Err(_)) | None => {
                    drop(session.close(None).await);
                    return;
                }
            },
        }
    }
}

/// Routes of the console.
pub(super) fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/ops", get().to(page));
    cfg.route("/ops/", get().to(page));
    cfg.route("/ops/assets/{name}", get().to(asset));
    cfg.route("/ops/login", post().to(login));
    cfg.route("/ops/logout", post().to(logout));
    cfg.route("/ops/session", get().to(session));
    cfg.route("/ops/socket", get().to(socket));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::observe::ops::logs::LogTail;
    use std::path::Path as FilePath;
    use std::sync::Arc;
    use tokio::task::LocalSet;

    #[tokio::test]
    async fn consoles_that_come_and_go_quickly_share_one_maker_of_snapshots() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml");
        let front = Data::new(Front::new(&Config::load(FilePath::new(path)).unwrap(), LogTail::default()));
        let work = async {
            let mut last = Seat::take(&front);
            for _ in 0..20 {
                // A reload: the old console goes, the new one comes before anybody noticed.
                drop(last.take());
                last = Seat::take(&front);
                tokio::task::yield_now().await;
            }
            // Each maker holds the port's state, and so does each seat.
            let holders = Arc::strong_count(&front);
            drop(last);
            assert_eq!(holders, 3, "this test, one seat, one maker");
            let gone = async {
                while Arc::strong_count(&front) > 1 {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            tokio::time::timeout(4 * EVERY, gone).await.expect("the maker ends with the last console");
            let _seat = Seat::take(&front);
            let mut newest = front.console.newest.subscribe();
            tokio::time::timeout(4 * EVERY, newest.changed()).await.expect("and another one begins").unwrap();
        };
        LocalSet::new().run_until(work).await;
    }
}
