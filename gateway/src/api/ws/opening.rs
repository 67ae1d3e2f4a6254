//! How a socket is opened: who may, and what it is for.
//!
//! Owns: the socket routes. Never does: speak once the handshake is answered (the session
//! does). Invariants: an address is asked what it may before the handshake is answered; one that ends before its session
//! begins leaves nothing behind. Known limits: none.

use super::address;
use super::control::MAX_STREAMS;
use super::counted::Counted;
use super::outbox::{Mode, Outbox};
use super::program::Program;
use super::session::{Begins, Session, handshake, listen};
use crate::api::binance::call::Venue;
use crate::api::http::guard::{SocketHandle, client_ip, origin_allowed};
use crate::api::http::limits::network;
use crate::app::App;
use crate::common::time::TimeUnit;
use actix_web::web::{Data, Payload, ServiceConfig, get};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A connection that is being opened, and perhaps listens already: that ends with it unless its session begins.
struct Opening {
    app: Data<App>,
    outbox: u64,
    counted: Option<Counted>,
}

impl Opening {
    /// None when the address has as many as it may have.
    fn one(app: &Data<App>, ip: IpAddr, outbox: u64) -> Option<Opening> {
        let counted = Counted::one(&app.shared, ip)?;
        Some(Opening { app: app.clone(), outbox, counted: Some(counted) })
    }

    /// Its session begins, and counts from now on.
    fn begun(mut self) -> Option<Counted> {
        self.counted.take()
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        if self.counted.is_some() {
            self.app.private.leave(&self.app.client, self.outbox);
        }
    }
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Streams,
    FuturesStreams,
    Requests,
    FuturesRequests,
}

impl Purpose {
    fn venue(self) -> Venue {
        match self {
            Purpose::Streams | Purpose::Requests => Venue::Spot,
            Purpose::FuturesStreams | Purpose::FuturesRequests => Venue::Futures,
        }
    }

    fn is_requests(self) -> bool {
        matches!(self, Purpose::Requests | Purpose::FuturesRequests)
    }
}

async fn open(
    request: HttpRequest,
    payload: Payload,
    mode: Mode,
    names: BTreeSet<String>,
    purpose: Purpose,
) -> Result<HttpResponse, actix_web::Error> {
    let unit = match address::time_unit(request.query_string()) {
        Ok(unit) if mode != Mode::App => unit,
        Ok(_) => TimeUnit::Millis,
        Err(why) => return Ok(HttpResponse::BadRequest().body(why)),
    };
    let Some(app) = request.app_data::<Data<App>>().cloned() else {
        return Ok(HttpResponse::InternalServerError().finish());
    };
    if !origin_allowed(&request, &app.shared.config) {
        return Ok(HttpResponse::Forbidden().body("this origin may not open a socket"));
    }
    if names.len() > MAX_STREAMS {
        return Ok(HttpResponse::BadRequest().body("too many streams"));
    }
    let ip = network(client_ip(&request, &app.shared.config));
    let opens = mode == Mode::App || app.shared.ip_sockets.take(ip);
    if !opens || !app.shared.ip_calls.take(ip) || !app.shared.ip_streams.take_many(ip, names.len()) {
        return Ok(HttpResponse::TooManyRequests().body("too many requests from one address"));
    }
    let mut answer = match handshake(&request) {
        Ok(answer) => answer,
        Err(refused) => return Ok(refused.error_response()),
    };
    let id = app.shared.next_session.fetch_add(1, Ordering::Relaxed);
    let Some(opening) = Opening::one(&app, ip, id) else {
        return Ok(HttpResponse::TooManyRequests().body("too many sockets from one address"));
    };
    let socket = request.conn_data::<SocketHandle>().map(SocketHandle::share);
    let outbox = Arc::new(Outbox::new(id, mode, socket).in_unit(unit));
    let venue = purpose.venue();
    let program = purpose.is_requests().then(|| {
        let shows_limits = address::shows_limits(request.query_string());
        let ip = client_ip(&request, &app.shared.config);
        Program::new(app.clone(), outbox.clone(), (ip, venue), shows_limits)
    });
    // The handshake is answered when it listens to the private streams that the address names.
    if !listen(&app, &outbox, &names).await {
        return Ok(HttpResponse::ServiceUnavailable().body("the exchange does not answer, try again"));
    }
    let begins = Begins { outbox, program, names, ip, venue, counted: opening.begun() };
    Ok(answer.streaming(Session::begin(&app, begins, payload)))
}

/// The socket routes.
pub fn routes(cfg: &mut ServiceConfig) {
    let raw = |request: HttpRequest, payload: Payload| async move {
        let names = address::path_names(request.path());
        open(request, payload, Mode::Raw, names, Purpose::Streams).await
    };
    cfg.route("/ws", get().to(raw));
    cfg.route("/ws/{names:.*}", get().to(raw));
    for (path, purpose) in [("/ws-api/v3", Purpose::Requests), ("/ws-fapi/v1", Purpose::FuturesRequests)] {
        let program = move |request: HttpRequest, payload: Payload| async move {
            open(request, payload, Mode::Raw, BTreeSet::new(), purpose).await
        };
        cfg.route(path, get().to(program));
    }
    cfg.route(
        "/stream",
        get().to(|request: HttpRequest, payload: Payload| async move {
            let names = address::query_names(request.query_string());
            open(request, payload, Mode::Combined, names, Purpose::Streams).await
        }),
    );
    for folder in address::FUTURES {
        let open_as = |mode| {
            move |request: HttpRequest, payload: Payload| async move {
                let names = address::futures_names(request.path(), request.query_string());
                open(request, payload, mode, names, Purpose::FuturesStreams).await
            }
        };
        cfg.route(&format!("{folder}/ws"), get().to(open_as(Mode::Raw)));
        cfg.route(&format!("{folder}/ws/{{names:.*}}"), get().to(open_as(Mode::Raw)));
        cfg.route(&format!("{folder}/stream"), get().to(open_as(Mode::Combined)));
    }
    cfg.route(
        "/realtime",
        get().to(|request: HttpRequest, payload: Payload| {
            open(request, payload, Mode::App, BTreeSet::new(), Purpose::Streams)
        }),
    );
}
