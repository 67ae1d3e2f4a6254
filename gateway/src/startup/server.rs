//! HTTP: workers with their clients of the cell, routes, static files, the ops port.
//!
//! Owns: listeners, worker threads, the order in which a stop reaches clients. Never does: answer a call itself.
//! Invariants: whoever reserved an address has it alone, long before it is open.
//! Known limits: no TLS; a proxy in front terminates it.

use crate::api::app;
use crate::api::binance;
use crate::api::binance::futures::user_data::Known;
use crate::api::http::compressing::compress;
use crate::api::http::guard::{self, SocketHandle};
use crate::api::http::pipelining::Requests;
use crate::api::http::statics;
use crate::api::timeout;
use crate::api::udf;
use crate::api::ws;
use crate::api::ws::positions;
use crate::api::ws::private::PrivateHub;
use crate::app::App;
use crate::backoffice::{self, Desk};
use crate::chat;
use crate::common::critical_task;
use crate::config::Config;
use crate::custody::statements::FOLDER as RESERVES;
use crate::observe::health::Health;
use crate::observe::ops;
use crate::startup::exchange::Exchange;
use actix_files::Files;
use actix_web::dev::{Extensions, Server, ServerHandle};
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data, JsonConfig, PayloadConfig, ServiceConfig, get};
use actix_web::{App as WebApp, HttpResponse, HttpServer};
use socket2::{Domain, Protocol, Socket, Type};
use std::any::Any;
use std::net::{Shutdown, TcpListener, ToSocketAddrs};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use xng_runtime::Client;
use xng_runtime::clock::ClockOffset;

/// Request line, headers and body within this time.
const REQUEST_WITHIN: Duration = Duration::from_secs(10);
/// Between the word to clients and the end of their connections.
const SAY_SO: Duration = Duration::from_secs(1);
/// Listen keys that grew old are looked for this often.
const LISTEN_KEYS_EVERY: Duration = Duration::from_secs(20);
/// Bytes of what the staff sends.
const MOST_STAFF_BODY: usize = 64 << 10;
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// The wall clock may differ this much from the exchange's before somebody is told.
const CLOCK_ALARM_MS: i64 = 1_000;

/// What one worker thread works with.
fn worker(exchange: &Parts) -> App {
    let (events_tx, mut events) = mpsc::unbounded_channel();
    let client = Client::start(&exchange.cell, &exchange.admission, events_tx);
    let (contracts, histories) = (exchange.shared.contracts.clone(), exchange.shared.histories.clone());
    let private = Rc::new(PrivateHub::knowing(Known { contracts, histories }));
    let app = App { shared: exchange.shared.clone(), client, private };
    let pump = app.clone();
    let (mut kicks, mut keys) = (app.shared.auth.kicks(), app.shared.auth.keys.changes());
    let mut notices = app.shared.chat.notices();
    let mut seconds = actix_web::rt::time::interval(LISTEN_KEYS_EVERY);
    let mut valuing = actix_web::rt::time::interval(positions::EVERY);
    valuing.set_missed_tick_behavior(MissedTickBehavior::Delay);
    critical_task::task("worker", app.shared.health.drains(), async move {
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some(change) => pump.private.event(change, (&pump.shared.listed(), &pump.shared.cancel_names)),
                    None => return,
                },
                kick = kicks.recv() => match kick {
                    Ok(kick) => pump.private.kick(&pump.client, &kick),
                    // Some were missed: whoever is not alive any more is found by asking.
                    Err(RecvError::Lagged(_)) => {
                        pump.private.kick_ended(&pump.client, |id| pump.shared.auth.is_alive(id));
                    }
                    Err(RecvError::Closed) => return,
                },
                change = keys.recv() => match change {
                    // Also what still reads may have been given other addresses: who listens by it asks again.
                    Ok(change) => look_at_keys(&pump, Some(&change.name)),
                    Err(RecvError::Lagged(_)) => look_at_keys(&pump, None),
                    Err(RecvError::Closed) => return,
                },
                notice = notices.recv() => match notice {
                    Ok(notice) => pump.private.notice(&notice),
                    // What was missed is found when the page asks again.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                _ = seconds.tick() => look_at_keys(&pump, None),
                _ = valuing.tick() => {
                    pump.private.value_tickets(&pump.shared);
                    pump.private.call_margins();
                }
            }
        }
    });
    app
}

/// Ends what is listened to by keys that are not good any more.
fn look_at_keys(app: &App, changed: Option<&str>) {
    let (keys, listen) = (&app.shared.auth.keys, &app.shared.listen_keys);
    let is_good = |name: &str| changed != Some(name) && keys.reads(name);
    app.private.kick_keys(&app.client, is_good, |name| listen.find(name).is_some());
}

/// What every worker starts from.
#[derive(Clone)]
struct Parts {
    shared: std::sync::Arc<crate::app::Shared>,
    cell: xng_runtime::CellHandle,
    admission: xng_runtime::Admission,
}

fn routes(cfg: &mut ServiceConfig, config: &Config) {
    // In the order in which paths are compared: what costs little and is asked for most comes first.
    cfg.configure(app::routes)
        .configure(|cfg| binance::routes(cfg, config))
        .configure(ws::opening::routes)
        .configure(udf::routes)
        .configure(ws::asyncapi::routes);
    cfg.configure(app::unknown_routes);
    cfg.route("/", get().to(|| async { HttpResponse::Found().insert_header(("location", "/h5/")).finish() }));
    let docs = || async { HttpResponse::Found().insert_header(("location", "/h5/#/pages/common/api_docs")).finish() };
    cfg.route("/docs", get().to(docs));
    cfg.route("/h5", get().to(|| async { HttpResponse::Found().insert_header(("location", "/h5/")).finish() }));
}

fn keep_socket(send_buffer: usize) -> impl Fn(&dyn Any, &mut Extensions) + Send + Sync + 'static {
    move |io, data| {
        data.insert(Requests::default());
        if let Some(handle) = SocketHandle::keep(io, send_buffer) {
            data.insert(handle);
        }
    }
}

/// Connections that wait to be taken.
const BACKLOG: i32 = 1_024;

/// The public server on an open listener.
pub fn public(exchange: &Exchange, listener: TcpListener) -> std::io::Result<Server> {
    let parts =
        Parts { shared: exchange.shared.clone(), cell: exchange.cell.clone(), admission: exchange.admission.clone() };
    let config = &exchange.shared.config;
    let (workers, body, folder) =
        (config.server.workers, config.limits.body_kib * 1_024, config.server.static_dir.clone());
    let uploads = crate::api::app::upload::folder(config);
    std::fs::create_dir_all(&uploads)?;
    let reserves = config.server.data_dir.join(RESERVES);
    let server = HttpServer::new(move || {
        let statements = parts.shared.statements.clone();
        WebApp::new()
            .app_data(Data::new(worker(&parts)))
            .app_data(PayloadConfig::new(body))
            .app_data(Data::new(parts.shared.writers.clone()))
            .wrap(from_fn(timeout::within))
            .wrap(guard::headers(&parts.shared.config))
            .wrap(from_fn(compress))
            .configure(|cfg| routes(cfg, &parts.shared.config))
            .service(
                web::scope("/reserves")
                    .wrap(from_fn(statics::caching))
                    .wrap(from_fn(statics::counted))
                    .service(Files::new("/", &reserves).path_filter(move |path, _| statements.is_shown(path))),
            )
            .service(
                web::scope("/upload")
                    .wrap(from_fn(statics::caching))
                    .wrap(from_fn(statics::counted))
                    .service(Files::new("/", &uploads)),
            )
            .service(
                web::scope("/h5")
                    .wrap(from_fn({
                        let folder = folder.clone();
                        move |request, next| statics::twins(folder.clone(), request, next)
                    }))
                    .wrap(from_fn(statics::caching))
                    .wrap(from_fn(statics::counted))
                    .service(Files::new("/", &folder).index_file("index.html").prefer_utf8(true)),
            )
    });
    let send_buffer = config.limits.send_buffer_kib * 1_024;
    let server = server.workers(workers).on_connect(keep_socket(send_buffer)).client_request_timeout(REQUEST_WITHIN);
    Ok(server.keep_alive(KEEP_ALIVE).shutdown_timeout(5).listen(listener)?.disable_signals().run())
}

/// Takes the public address and refuses connections on it: a load balancer sees at once that nobody is there yet, and
/// nobody else takes the address meanwhile. [`listen`] opens it.
pub fn reserve(address: &str) -> std::io::Result<Socket> {
    let first = address.to_socket_addrs()?.next();
    let address = first.ok_or_else(|| std::io::Error::other("the address names no interface"))?;
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // Connections of a server that was killed linger on the address.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    // Two such sockets may be bound to one address; only to listen on it is for one. So it listens for a moment, and
    // from then on shares with nobody.
    socket.listen(1)?;
    socket.set_reuse_address(false)?;
    socket.shutdown(Shutdown::Both)?;
    Ok(socket)
}

/// Opens a reserved address.
pub fn listen(socket: Socket) -> std::io::Result<TcpListener> {
    socket.set_reuse_address(true)?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Waits for the end of the public server: because the process was asked to stop, or by itself, which is an error and
/// stops the process as well.
pub async fn until_served(
    public: impl Future<Output = std::io::Result<()>>,
    asked: impl Future<Output = ()>,
    health: &Health,
) -> std::io::Result<()> {
    let (mut public, mut asked) = (std::pin::pin!(public), std::pin::pin!(asked));
    let ended = tokio::select! {
        () = &mut asked => return public.await,
        ended = &mut public => ended,
    };
    if health.draining.load(Ordering::Relaxed) {
        asked.await;
        return ended;
    }
    ended.and(Err(std::io::Error::other("the public server ended by itself")))
}

/// Starts the ops server on an open listener, on a thread of its own, so that it answers while the exchange recovers.
pub fn operations(front: Data<ops::Front>, listener: TcpListener) -> std::io::Result<ServerHandle> {
    let app = move || {
        WebApp::new()
            .app_data(front.clone())
            .wrap(from_fn(ops::check))
            .wrap(guard::strict_headers())
            .configure(ops::routes)
    };
    let serve = move || {
        let server = HttpServer::new(app).workers(1).tcp_nodelay(true).listen(listener)?;
        Ok(server.disable_signals().shutdown_timeout(1).run())
    };
    beside("ops", serve, std::future::pending())
}

/// Serves on a thread of its own, and does something beside it.
fn beside(
    name: &'static str,
    serve: impl FnOnce() -> std::io::Result<Server> + Send + 'static,
    work: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<ServerHandle> {
    let (sender, receiver) = crossbeam::channel::bounded(1);
    let serve = move || {
        let started = actix_web::rt::System::new().block_on(async {
            actix_web::rt::spawn(work);
            let server = serve()?;
            drop(sender.send(server.handle()));
            server.await
        });
        if let Err(error) = started {
            tracing::error!(%error, name, "it is closed");
        }
    };
    std::thread::Builder::new().name(name.into()).spawn(serve)?;
    receiver.recv().map_err(|_| std::io::Error::other(format!("the {name} does not open")))
}

/// Serves the back office on an open listener, on a thread of its own.
pub fn back_office(desk: Data<Desk>, listener: TcpListener) -> std::io::Result<ServerHandle> {
    let looked_after = desk.clone();
    let app = move || {
        WebApp::new()
            .app_data(desk.clone())
            .app_data(JsonConfig::default().limit(MOST_STAFF_BODY))
            .wrap(from_fn(backoffice::check))
            .wrap(guard::strict_headers())
            .configure(backoffice::routes)
    };
    let sweep = async move {
        let mut minutes = actix_web::rt::time::interval(Duration::from_secs(60));
        loop {
            minutes.tick().await;
            looked_after.sweep();
        }
    };
    let serve = move || {
        let server = HttpServer::new(app).workers(1).tcp_nodelay(true).listen(listener)?;
        Ok(server.disable_signals().shutdown_timeout(1).run())
    };
    beside("back office", serve, sweep)
}

/// Looks after limits and the clock once a minute, for as long as the process lives.
pub async fn sweep(shared: std::sync::Arc<crate::app::Shared>, clock: ClockOffset) {
    let mut minutes = actix_web::rt::time::interval(Duration::from_secs(60));
    loop {
        minutes.tick().await;
        shared.sweep();
        shared.auth.review_api_keys().await;
        backoffice::tiers::settle_all(&shared).await;
        backoffice::anchoring::tend(&shared).await;
        backoffice::parameters::tend(&shared).await;
        backoffice::staff::watch(&shared).await;
        if let Err(failure) = shared.auth.erase_pictures(&shared.config.server.data_dir).await {
            tracing::warn!(code = failure.code as u16, "pictures that were never sent in stay for now");
        }
        chat::tidy(&shared).await;
        let offset_ms = clock.ms();
        if offset_ms.abs() > CLOCK_ALARM_MS {
            tracing::warn!(
                offset_ms,
                "the clock was set: the exchange's time follows by 0.5 ms a second, or at a restart"
            );
        }
    }
}

/// The signals that ask the process to stop, heard from when this is made on: before that they end it at once.
#[derive(Debug)]
pub struct StopSignals {
    term: Signal,
    int: Signal,
}

impl StopSignals {
    /// Begins to hear them.
    ///
    /// # Errors
    /// When the operating system does not let it.
    pub fn hear() -> std::io::Result<StopSignals> {
        Ok(StopSignals { term: signal(SignalKind::terminate())?, int: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.term.recv() => {}
            _ = self.int.recv() => {}
        }
    }
}

/// Waits until the process is asked to stop: then it is unready and takes nothing new, clients are told, house and feeds
/// stop, and the public server closes. Who asks a second time hurries the rest.
pub async fn until_asked_to_stop(
    shared: std::sync::Arc<crate::app::Shared>,
    server: ServerHandle,
    mut signals: StopSignals,
) {
    signals.next().await;
    tracing::info!("stopping");
    shared.begin_stop();
    let health = shared.health.clone();
    let hurry = async move {
        signals.next().await;
        tracing::info!("stopping without a snapshot");
        health.hurried.store(true, Ordering::Relaxed);
    };
    actix_web::rt::spawn(hurry);
    // Sockets get a moment to say so.
    actix_web::rt::time::sleep(SAY_SO).await;
    server.stop(true).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;
    use std::net::TcpStream;

    #[test]
    fn a_reserved_address_refuses_connections_and_is_nobody_elses() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let address = free.to_string();
        let refuses = || assert_eq!(TcpStream::connect(free).unwrap_err().kind(), ErrorKind::ConnectionRefused);
        let reserved = reserve(&address).unwrap();
        for _ in 0..3 {
            assert_eq!(reserve(&address).unwrap_err().kind(), ErrorKind::AddrInUse, "while it is reserved");
            refuses();
        }
        let listener = listen(reserved).unwrap();
        let client = TcpStream::connect(free).unwrap();
        assert_eq!(reserve(&address).unwrap_err().kind(), ErrorKind::AddrInUse, "while it is open");
        // The server's end closes first, so its connection lingers on the address.
        drop((listener.accept().unwrap(), listener));
        drop(client);
        let listener = listen(reserve(&address).expect("at once after a stop")).unwrap();
        TcpStream::connect(free).unwrap();
        drop(listener);
    }

    #[test]
    fn a_public_server_that_ends_by_itself_is_an_error_and_not_waited_for() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let health = Health::default();
        let ended = runtime.block_on(until_served(async { Ok(()) }, std::future::pending(), &health));
        assert!(ended.unwrap_err().to_string().contains("by itself"));
        let broken = async { Err(std::io::Error::other("no more files")) };
        let ended = runtime.block_on(until_served(broken, std::future::pending(), &health));
        assert!(ended.unwrap_err().to_string().contains("no more files"));
    }

    #[test]
    fn a_stop_that_was_asked_for_is_waited_for_to_its_end() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let health = Health::default();
        let (close, closed) = tokio::sync::oneshot::channel();
        let done = std::cell::Cell::new(false);
        let asked = async {
            health.draining.store(true, Ordering::Relaxed);
            close.send(()).unwrap();
            tokio::task::yield_now().await;
            done.set(true);
        };
        let public = async { closed.await.map_err(std::io::Error::other) };
        runtime.block_on(until_served(public, asked, &health)).unwrap();
        assert!(done.get());
    }
}
