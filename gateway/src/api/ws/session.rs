//! One socket's handshake and session: the only file that names actix-web-actors. Who may open one is in `opening.rs`.
//!
//! Owns: a client's subscriptions, its control frames, pings; the connection's body, which takes frames straight from the
//! outbox, so that no message passes an actor on its way out. Never does: queue what it sends (the outbox does).
//! Invariants: it writes what its outbox gives, pings, pongs and one close; a client that floods, idles or stalls is
//! disconnected. Known limits: frames that it receives are not queued: they are answered as they come.

use super::control::{self, Control, MAX_STREAMS};
use super::counted::Counted;
use super::frame::put_close;
use super::outbox::{Mode, Outbox};
use super::parts::{Parts, Wrong};
use super::private::{Holder, ReaderKind};
use super::program::{self, Program};
use super::stream::Stream;
use crate::api::binance::call::Venue;
use crate::api::http::errors::{Code, Failure};
use crate::app::App;
use crate::common::time::now_ms;
use crate::market::view::ViewInput;
use crate::observe::metrics::sockets::Dropped;
use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, StreamHandler, WrapFuture};
use actix_http::ws::{Codec, HandshakeError, Item};
use actix_web::http::header;
use actix_web::web::{Bytes, BytesMut, Data, Payload};
use actix_web::{HttpRequest, HttpResponseBuilder};
use actix_web_actors::ws::{self, CloseCode, CloseReason, Message, ProtocolError, WebsocketContext};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::Stream as FuturesStream;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// Requests of the websocket API in a second, whatever they weigh.
const MAX_REQUESTS: u32 = 1_000;
/// A ping this often …
const CLIENT_PING_EVERY: Duration = Duration::from_secs(20);
/// … and when one is not answered for this long the client is gone.
const CLIENT_PONG_WITHIN: Duration = Duration::from_secs(60);
/// Before a restart clients are asked to come back after this long, each with a jitter of its own.
const RECONNECT_AFTER_MS: u64 = 1_000;
/// A frame from the app …
const MAX_APP_FRAME: usize = 16 * 1_024;
/// … and from a program, which may name as many streams as there are in one.
const MAX_FRAME: usize = 64 * 1_024;

pub(super) struct Session {
    app: Data<App>,
    outbox: Arc<Outbox>,
    /// Names as the client gave them.
    names: BTreeSet<String>,
    /// The oldest ping that is not answered.
    pinged: Option<Instant>,
    second: Instant,
    frames: u32,
    /// Of a text that comes in several frames.
    parts: Parts,
    ip: IpAddr,
    /// Whose streams it names.
    venue: Venue,
    /// Its address has one socket less when it ends.
    _counted: Option<Counted>,
    /// Number of the latest login or logout: an answer to an earlier one comes too late.
    turn: Rc<Cell<u64>>,
    /// Its side of the websocket API, when it is a connection of that.
    program: Option<Program>,
}

/// What a session begins with.
pub(super) struct Begins {
    /// What it is told.
    pub(super) outbox: Arc<Outbox>,
    /// Its side of the websocket API, when it is a connection of that.
    pub(super) program: Option<Program>,
    /// Streams that its address names.
    pub(super) names: BTreeSet<String>,
    /// Whose limits it has.
    pub(super) ip: IpAddr,
    /// Whose streams it names.
    pub(super) venue: Venue,
    /// Its place among the sockets of that address.
    pub(super) counted: Option<Counted>,
}

impl Session {
    /// The body of a connection whose handshake is answered.
    pub(super) fn begin(
        app: &Data<App>,
        Begins { outbox, program, names, ip, venue, counted }: Begins,
        payload: Payload,
    ) -> impl FuturesStream<Item = Result<Bytes, actix_web::Error>> + use<> {
        let session = Session {
            app: app.clone(),
            outbox: outbox.clone(),
            names,
            pinged: None,
            second: Instant::now(),
            frames: 0,
            parts: Parts::default(),
            ip,
            venue,
            _counted: counted,
            turn: Rc::default(),
            program,
        };
        outbox.count_in(app.shared.meters.sockets.clone());
        let codec = Codec::new().max_size(session.most_bytes());
        let session = Box::pin(WebsocketContext::with_codec(session, payload, codec));
        Body { session, outbox, ended: false }
    }

    fn mode(&self) -> Mode {
        self.outbox.mode()
    }

    /// Control frames a second.
    fn allowed(&self) -> u32 {
        match self.mode() {
            // Weights bound what it asks.
            _ if self.program.is_some() => MAX_REQUESTS,
            Mode::App => 10,
            Mode::Raw | Mode::Combined => 5,
        }
    }

    /// Counts an incoming frame; false when there are too many.
    fn count(&mut self) -> bool {
        if self.second.elapsed() >= Duration::from_secs(1) {
            (self.second, self.frames) = (Instant::now(), 0);
        }
        self.frames += 1;
        self.frames <= self.allowed()
    }

    /// Tells the view. A session that finds no room is cut: it could not know what it reads; the view looks for ended
    /// sessions by itself.
    fn view(&self, input: ViewInput) {
        if self.app.shared.view.try_send(input).is_err() && !self.outbox.is_closed() {
            self.app.shared.health.sessions_cut.add(1);
            self.outbox.dropped(Dropped::NoRoom);
            self.outbox.cut();
        }
    }

    /// The public streams among names. Clients also subscribe to listen keys and to names of streams that are not there:
    /// these are taken and listed like the others, and this is where they part.
    fn streams<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Vec<Stream> {
        let catalog = self.app.shared.listed();
        let parse = match self.venue {
            Venue::Spot if self.outbox.mode() == Mode::App => Stream::parse_app,
            Venue::Spot => Stream::parse,
            Venue::Futures => Stream::parse_contract,
        };
        names.into_iter().filter_map(|n| parse(n, &catalog)).collect()
    }

    /// The names, each once, when the address may name so many more: each may take a snapshot or a search among readers,
    /// to subscribe as to unsubscribe. Otherwise the client is told.
    fn charged(&self, names: Vec<String>, id: &Value) -> Option<BTreeSet<String>> {
        let names: BTreeSet<String> = names.into_iter().collect();
        let taken = self.app.shared.ip_streams.take_many(self.ip, names.len());
        if !taken {
            self.outbox.push_text(control::refusal(2, "Invalid request: too many requests from this address", id));
        }
        taken.then_some(names)
    }

    fn subscribe(&mut self, names: Vec<String>, id: &Value, ctx: &mut WebsocketContext<Self>) {
        if self.names.len() + names.len() > MAX_STREAMS {
            let text = control::refusal(2, "Invalid request: too many streams on one connection", id);
            return self.outbox.push_text(text);
        }
        let Some(names) = self.charged(names, id) else { return };
        let (app, outbox) = (self.app.clone(), self.outbox.clone());
        if !names.iter().any(|name| app.shared.listen_keys.find(name).is_some()) {
            return self.subscribed(names, id);
        }
        // Answered when it listens; what the client says next is heard then.
        let id = id.clone();
        let begin = async move { listen(&app, &outbox, &names).await.then_some(names) };
        ctx.wait(begin.into_actor(self).map(move |names, session, _| match names {
            Some(names) => session.subscribed(names, &id),
            None => {
                let text = control::refusal(2, "Invalid request: the exchange does not answer, try again", &id);
                session.outbox.push_text(text);
            }
        }));
    }

    fn subscribed(&mut self, names: BTreeSet<String>, id: &Value) {
        let streams = self.streams(names.iter());
        self.names.extend(names);
        let answer = control::result(&Value::Null, id);
        self.view(ViewInput::Subscribe(self.outbox.clone(), streams, answer));
    }

    /// A text, however many frames it came in.
    fn text(&mut self, text: String, ctx: &mut WebsocketContext<Self>) {
        if let Some(program) = &self.program {
            ctx.spawn(program.clone().frame(text).into_actor(self));
            return;
        }
        match control::parse(&text, self.mode()) {
            Ok(control) => self.control(control, ctx),
            Err(answer) => self.outbox.push_text(answer),
        }
    }

    /// Bytes of a text at most.
    fn most_bytes(&self) -> usize {
        if self.mode() == Mode::App { MAX_APP_FRAME } else { MAX_FRAME }
    }

    /// The client does what may not be done.
    fn misused(&mut self, code: CloseCode, why: &str, ctx: &mut WebsocketContext<Self>) {
        self.outbox.dropped(Dropped::Misused);
        self.close(code, why, ctx);
    }

    fn control(&mut self, control: Control, ctx: &mut WebsocketContext<Self>) {
        match control {
            Control::Subscribe(names, id) => self.subscribe(names, &id, ctx),
            Control::Unsubscribe(names, id) => {
                let Some(names) = self.charged(names, &id) else { return };
                let streams = self.streams(&names);
                for name in &names {
                    for kind in [ReaderKind::Listen(name.clone()), ReaderKind::Futures(name.clone())] {
                        self.app.private.end(&self.app.client, self.outbox.id, &kind);
                    }
                }
                self.names.retain(|n| !names.contains(n));
                let answer = control::result(&Value::Null, &id);
                self.view(ViewInput::Unsubscribe(self.outbox.clone(), streams, answer));
            }
            Control::List(id) => {
                let names: Vec<&String> = self.names.iter().collect();
                self.outbox.push_text(control::result(&json!(names), &id));
            }
            Control::GetCombined(id) => {
                self.outbox.push_text(control::result(&json!(self.mode() != Mode::Raw), &id));
            }
            Control::SetCombined(on, id) => {
                self.outbox.set_combined(on);
                self.outbox.push_text(control::result(&Value::Null, &id));
            }
            Control::Login(token) => self.login(token, ctx),
            Control::Logout => {
                self.turn.set(self.turn.get() + 1);
                self.app.private.leave(&self.app.client, self.outbox.id);
            }
            Control::Ping(t) => {
                let data = json!({ "t": t, "time": now_ms() });
                self.outbox.push_text(json!({ "event": "pong", "data": data }).to_string());
            }
        }
    }

    fn login(&mut self, token: String, ctx: &mut WebsocketContext<Self>) {
        let (app, outbox, ip, turns) = (self.app.clone(), self.outbox.clone(), self.ip, self.turn.clone());
        let turn = turns.get() + 1;
        turns.set(turn);
        let work = async move {
            let found = token_session(&app, &token, ip).await;
            if turns.get() != turn {
                return;
            }
            let session = match found {
                Ok(session) => session,
                Err(failure) => return outbox.push_text(refused_login(&app, &failure)),
            };
            let holder = Holder::Session(session.id);
            app.private.join(&app.client, session.account, holder, ReaderKind::App, outbox.clone());
            // It may have ended before it joined, and its end told nobody here.
            if !app.shared.auth.is_alive(&session.id) {
                app.private.leave(&app.client, outbox.id);
                return outbox.push_text(refused_login(&app, &Code::NeedsLogin.into()));
            }
            outbox.push_text(json!({ "event": "login", "data": { "ok": true } }).to_string());
            use xng_core::account::AccountCommand;
            use xng_core::entity::{Command, Reply, View};
            let ask = Command::Account(session.account, AccountCommand::View);
            let view = app.client.call(xng_core::record::Origin::User, None, ask).await;
            if turns.get() != turn {
                return;
            }
            match view {
                Ok(Reply::View(View::Account(view))) => {
                    let with = (&*app.shared.listed(), &app.shared.cancel_names);
                    app.private.begin(&view, outbox.id, &ReaderKind::App, with);
                }
                // The client logs in again when no snapshot comes.
                other => {
                    tracing::warn!(?other, "no snapshot for a login");
                    app.private.leave(&app.client, outbox.id);
                }
            }
        };
        ctx.spawn(work.into_actor(self).map(|(), _, _| ()));
    }

    fn close(&mut self, code: CloseCode, why: &str, ctx: &mut WebsocketContext<Self>) {
        ctx.close(Some(CloseReason { code, description: Some(why.to_owned()) }));
        ctx.stop();
    }
}

/// Listens to the private streams among names: to all of them, or, when the exchange does not answer, to none more than
/// before.
pub(super) async fn listen(app: &App, outbox: &Arc<Outbox>, names: &BTreeSet<String>) -> bool {
    let mut begun: Vec<ReaderKind> = Vec::new();
    for name in names {
        let Some((account, key, venue)) = app.shared.listen_keys.find_of(name) else { continue };
        let kind = match venue {
            Venue::Spot => ReaderKind::Listen(name.clone()),
            Venue::Futures => ReaderKind::Futures(name.clone()),
        };
        // A listen key ends with the API key that asked for it.
        if !app.shared.auth.keys.reads(&key) || app.private.listens(account, outbox.id, &kind) {
            continue;
        }
        if program::listen(app, outbox, account, &key, kind.clone()).await.is_err() {
            begun.iter().for_each(|kind| app.private.end(&app.client, outbox.id, kind));
            return false;
        }
        begun.push(kind);
    }
    true
}

/// The session of a token; asking counts like a call.
async fn token_session(app: &App, token: &str, ip: IpAddr) -> Result<crate::api::auth::Session, Failure> {
    let may = app.shared.ip_calls.take(ip) && app.shared.pace.turn(ip, 1).await.is_ok();
    if !may {
        return Err(Code::TooMany.into());
    }
    let session = app.shared.auth.session(token).await?;
    if app.shared.user_calls.take(session.account) { Ok(session) } else { Err(Code::TooMany.into()) }
}

/// What a client is told before a restart.
fn farewell(outbox: &Outbox) -> String {
    let event = json!({ "e": "serverShutdown", "E": outbox.unit.now() });
    match outbox.mode() {
        Mode::App => json!({ "event": "reconnect", "data": { "after_ms": RECONNECT_AFTER_MS } }).to_string(),
        Mode::Combined => json!({ "stream": "!serverShutdown", "data": event }).to_string(),
        Mode::Raw => event.to_string(),
    }
}

fn refused_login(app: &App, failure: &Failure) -> String {
    let answer = failure.answer(&app.shared.messages, Default::default());
    let data = json!({ "ok": false, "type": answer.kind, "code": answer.code, "message": answer.message });
    json!({ "event": "login", "data": data }).to_string()
}

impl Actor for Session {
    type Context = WebsocketContext<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.app.shared.meters.sockets.opened(self.outbox.id, &self.outbox);
        let streams = self.streams(&self.names);
        self.view(ViewInput::Join(self.outbox.clone(), streams));
        let (outbox, mut stopping) = (self.outbox.clone(), self.app.shared.stopping.subscribe());
        let events = async move {
            if stopping.wait_for(|stops| *stops).await.is_ok() {
                outbox.push_text(farewell(&outbox));
            }
        };
        ctx.spawn(events.into_actor(self));
        if self.mode() != Mode::App {
            let life = Duration::from_secs(self.app.shared.config.limits.socket_life_seconds);
            ctx.run_later(life, |session, ctx| session.close(CloseCode::Away, "the connection's time is over", ctx));
        }
        ctx.run_interval(CLIENT_PING_EVERY, |session, ctx| {
            // The timer's own delays do not make it a period more.
            if session.pinged.is_some_and(|at| at.elapsed() + CLIENT_PING_EVERY / 2 > CLIENT_PONG_WITHIN) {
                session.outbox.dropped(Dropped::Silent);
                return session.close(CloseCode::Away, "no pong", ctx);
            }
            session.pinged.get_or_insert_with(Instant::now);
            ctx.ping(now_ms().to_string().as_bytes());
        });
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        self.outbox.close();
        self.app.shared.meters.sockets.closed(self.outbox.id);
        self.app.private.leave(&self.app.client, self.outbox.id);
        self.view(ViewInput::Gone(self.outbox.id));
    }
}

/// What a connection sends: the session's own control frames, and what its outbox gives.
struct Body<S> {
    session: Pin<Box<S>>,
    outbox: Arc<Outbox>,
    ended: bool,
}

impl<S: FuturesStream<Item = Result<Bytes, actix_web::Error>>> FuturesStream for Body<S> {
    type Item = Result<Bytes, actix_web::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        // Before the outbox is looked into, so that what comes meanwhile wakes again.
        self.outbox.wakes(cx.waker());
        // What the client says is heard first: its answers wait in the outbox.
        let own = self.session.as_mut().poll_next(cx);
        let mut out = BytesMut::new();
        if !self.outbox.drain_frames(&mut out) {
            put_close(&mut out, CloseCode::Again.into(), "the reader does not keep up");
            self.end();
            return Poll::Ready(Some(Ok(out.freeze())));
        }
        if let Some(why) = self.outbox.farewell() {
            put_close(&mut out, CloseCode::Policy.into(), why);
            self.end();
            return Poll::Ready(Some(Ok(out.freeze())));
        }
        match own {
            Poll::Ready(Some(Ok(frames))) => {
                out.extend_from_slice(&frames);
                Poll::Ready(Some(Ok(out.freeze())))
            }
            // A close was the last frame; what waits comes too late.
            Poll::Ready(ended) => {
                self.end();
                Poll::Ready(ended)
            }
            Poll::Pending if out.is_empty() => Poll::Pending,
            Poll::Pending => Poll::Ready(Some(Ok(out.freeze()))),
        }
    }
}

impl<S> Body<S> {
    fn end(&mut self) {
        self.ended = true;
        self.outbox.ends();
    }
}

impl StreamHandler<Result<Message, ProtocolError>> for Session {
    fn handle(&mut self, frame: Result<Message, ProtocolError>, ctx: &mut Self::Context) {
        let goes_on = matches!(frame, Ok(Message::Continuation(Item::Continue(_) | Item::Last(_))));
        if !goes_on && !self.count() {
            return self.misused(CloseCode::Policy, "too many messages", ctx);
        }
        match frame {
            Ok(Message::Ping(bytes)) => ctx.pong(&bytes),
            // Some clients answer pings with an empty pong: any payload counts.
            Ok(Message::Pong(_)) => self.pinged = None,
            Ok(Message::Nop) => {}
            Ok(Message::Text(text)) => self.text(text.to_string(), ctx),
            Ok(Message::Continuation(part)) => match self.parts.take(part, self.most_bytes()) {
                Ok(Some(text)) => self.text(text, ctx),
                Ok(None) => {}
                Err(Wrong::Order) => self.misused(CloseCode::Protocol, "protocol error", ctx),
                Err(Wrong::Kind) => self.misused(CloseCode::Unsupported, "text frames only", ctx),
                Err(Wrong::Size) => self.misused(CloseCode::Size, "the text is too long", ctx),
                Err(Wrong::Letters) => self.misused(CloseCode::Invalid, "not UTF-8", ctx),
            },
            Ok(Message::Binary(_)) => self.misused(CloseCode::Unsupported, "text frames only", ctx),
            Ok(Message::Close(reason)) => {
                ctx.close(reason);
                ctx.stop();
            }
            Err(_) => self.misused(CloseCode::Protocol, "protocol error", ctx),
        }
    }
}

/// Bytes of the key that a client draws for its handshake (RFC 6455 section 4.1).
const KEY_BYTES: usize = 16;

/// The head of the answer to a handshake, or the refusal.
pub(super) fn handshake(request: &HttpRequest) -> Result<HttpResponseBuilder, HandshakeError> {
    let field = |name| request.headers().get(name).map(|value| value.as_bytes());
    let answer = ws::handshake(request)?;
    // The library takes drafts of the protocol for it.
    if field(header::SEC_WEBSOCKET_VERSION) != Some(b"13") {
        return Err(HandshakeError::UnsupportedVersion);
    }
    let key = STANDARD.decode(field(header::SEC_WEBSOCKET_KEY).unwrap_or_default());
    if key.is_ok_and(|key| key.len() == KEY_BYTES) {
        return Ok(answer);
    }
    Err(HandshakeError::BadWebsocketKey)
}
