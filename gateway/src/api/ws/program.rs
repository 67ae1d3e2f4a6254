//! The websocket APIs (`/ws-api/v3`, of contracts `/ws-fapi/v1`): requests and their answers in frames
//! (`docs/rules/program-api.md "Websocket API"`).
//!
//! Owns: what a connection has logged on as and listens to. Never does: answer a call: the table
//! of calls does, as it does over HTTP. Invariants: whatever comes in is answered, and only a ban ends the connection; checks and
//! weights are those of the same call over HTTP. Known limits: answers come as they are ready, not in order of requests.

use super::methods;
use super::outbox::Outbox;
use super::private::{Holder, ReaderKind};
use crate::api::auth::api_keys::ApiKey;
use crate::api::binance::authenticate::{Came, authorised};
use crate::api::binance::call::{Endpoint, Security, Venue};
use crate::api::binance::errors::ApiError;
use crate::api::binance::exchange_info::{ORDER_INTERVALS, WEIGHT_INTERVAL, rate_limit};
use crate::api::binance::limits::OrderCounts;
use crate::api::binance::params::{Args, Pairs, SIGNED};
use crate::api::binance::request::ApiResponse;
use crate::api::binance::signing::{Deadline, Signed};
use crate::api::http::limits::network;
use crate::app::App;
use crate::common::time::now_ms;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use xng_core::account::AccountCommand;
use xng_core::entity::{Command, Reply, View};
use xng_core::ids::AccountId;
use xng_core::record::Origin;

/// Subscriptions that are open at a time, and in all.
const OPEN_SUBSCRIPTIONS: usize = 1_000;
const ALL_SUBSCRIPTIONS: u64 = 65_535;
/// What a frame says to the connection: signed with the rest, and no call's parameter.
const SHOWS_LIMITS: &str = "returnRateLimits";
/// What calls about the session weigh.
const SESSION_WEIGHT: u64 = 2;

/// A frame.
#[derive(Deserialize)]
struct Asked<'f> {
    #[serde(borrow)]
    id: Option<&'f RawValue>,
    method: String,
    #[serde(borrow, default)]
    params: BTreeMap<String, &'f RawValue>,
}

/// A parameter's text: of a string what it says, of anything else as it was sent.
fn text(value: &RawValue) -> String {
    serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

/// What all params of a request but the signature are to be signed as: by name, in order.
fn payload(params: &BTreeMap<String, String>) -> String {
    let pairs = params.iter().filter(|(name, _)| *name != "signature");
    pairs.map(|(name, value)| format!("{name}={value}")).collect::<Vec<String>>().join("&")
}

/// An answer's frame; the result goes out as the call has written it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Frame<'f> {
    id: Option<&'f RawValue>,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limits: Option<Vec<Value>>,
}

fn raw(body: String) -> Result<Box<RawValue>, ApiError> {
    RawValue::from_string(body).map_err(|_| ApiError::unknown())
}

/// What a connection has logged on as.
struct Logon {
    key: String,
    since_ms: i64,
}

/// What a connection knows of itself.
struct State {
    connected_ms: i64,
    shows_limits: bool,
    logon: Option<Logon>,
    /// Open subscriptions: whose, and whether it ends with the logon.
    subscriptions: BTreeMap<u64, (AccountId, bool)>,
    begun: u64,
}

/// One connection's side of the websocket API.
#[derive(Clone)]
pub(super) struct Program {
    app: Data<App>,
    outbox: Arc<Outbox>,
    ip: IpAddr,
    /// What its methods are about.
    venue: Venue,
    state: Rc<RefCell<State>>,
}

/// What a request ends with, and what its address has used by then.
struct ProgramReply {
    result: Result<Box<RawValue>, ApiError>,
    used: u64,
    orders: Option<OrderCounts>,
}

impl Program {
    pub(super) fn new(
        app: Data<App>,
        outbox: Arc<Outbox>,
        (ip, venue): (IpAddr, Venue),
        shows_limits: bool,
    ) -> Program {
        let (connected_ms, logon, subscriptions, begun) = (now_ms(), None, BTreeMap::new(), 0);
        let state = Rc::new(RefCell::new(State { connected_ms, shows_limits, logon, subscriptions, begun }));
        Program { app, outbox, ip, venue, state }
    }

    /// Answers a frame.
    pub(super) async fn frame(self, frame: String) {
        let began = Instant::now();
        if let Err(refused) = self.app.shared.api_limits.admit(network(self.ip)) {
            return self.refuse(refused);
        }
        let asked = match serde_json::from_str::<Asked<'_>>(&frame) {
            Ok(asked) => asked,
            Err(_) => {
                let error = match serde_json::from_str::<Value>(&frame) {
                    Ok(_) => ApiError::bad(-1135, "Invalid JSON Request"),
                    Err(_) => ApiError::bad(-1135, "JSON sent for parameter 'request' is not valid"),
                };
                return match self.weigh(1).await {
                    (used, Ok(())) => self.answer(None, ProgramReply { result: Err(error), used, orders: None }, None),
                    (_, Err(refused)) => self.refuse(refused),
                };
            }
        };
        let params: BTreeMap<String, String> = asked.params.iter().map(|(n, v)| (n.clone(), text(v))).collect();
        let shows_limits = params.get(SHOWS_LIMITS).map(|word| word != "false");
        let reply = self.request(&asked.method, params, began).await;
        self.answer(asked.id, reply, shows_limits);
    }

    /// Refuses a frame unread; who is banned is sent away.
    fn refuse(&self, refused: ApiError) {
        let is_banned = refused.status == StatusCode::IM_A_TEAPOT;
        self.answer(
            None,
            ProgramReply {
                result: Err(refused),
                used: self.app.shared.api_limits.used(network(self.ip)),
                orders: None,
            },
            None,
        );
        if is_banned {
            self.outbox.end_with("banned");
        }
    }

    async fn weigh(&self, weight: u64) -> (u64, Result<(), ApiError>) {
        self.app.shared.api_limits.weigh(network(self.ip), weight).await
    }

    async fn request(&self, method: &str, params: BTreeMap<String, String>, began: Instant) -> ProgramReply {
        let method = methods::plain(self.venue, method);
        if let Some(call) = methods::call_of(self.venue, method) {
            return self.call(call, params, began).await;
        }
        let (used, allowed) = self.weigh(SESSION_WEIGHT).await;
        let result = match allowed {
            Ok(()) => self.session(method, &params).await,
            Err(error) => Err(error),
        };
        ProgramReply { result: result.and_then(|value| raw(value.to_string())), used, orders: None }
    }

    /// What is about the connection itself.
    async fn session(&self, method: &str, params: &BTreeMap<String, String>) -> Result<Value, ApiError> {
        match method {
            "session.logon" => self.log_on(params),
            "session.status" => none_of(params).map(|()| self.status()),
            "session.logout" => none_of(params).map(|()| self.log_out()),
            "session.subscriptions" => none_of(params).map(|()| self.subscriptions()),
            "userDataStream.subscribe" if self.venue == Venue::Spot => self.subscribe(params).await,
            "userDataStream.subscribe.signature" if self.venue == Venue::Spot => self.subscribe_signed(params).await,
            "userDataStream.unsubscribe" if self.venue == Venue::Spot => self.unsubscribe(params),
            _ => Err(ApiError::bad(
                -1100,
                "Illegal characters found in parameter 'method'; legal range is a method's name.",
            )),
        }
    }

    /// A call of the table, checked as over HTTP.
    async fn call(&self, call: &'static Endpoint, params: BTreeMap<String, String>, began: Instant) -> ProgramReply {
        let checked = self.check(call, &params, began);
        let weight = checked.as_ref().map_or(1, |request| call.weight.of(&request.args));
        let (used, allowed) = self.weigh(weight).await;
        let outcome = match allowed.and(checked).and_then(|request| request.with_key_of_now(call.security)) {
            Ok(request) => (call.handler)(request).await,
            Err(error) => Err(error),
        };
        let orders = outcome.as_ref().ok().and_then(|answer| answer.orders);
        let result = outcome.and_then(|ApiResponse { body, .. }| raw(body));
        ProgramReply { result, used, orders }
    }

    fn check(
        &self,
        call: &'static Endpoint,
        params: &BTreeMap<String, String>,
        began: Instant,
    ) -> Result<crate::api::binance::request::Request, ApiError> {
        // Who names a key means that one and not the one of the logon.
        let signs = params.contains_key("signature") || params.contains_key("apiKey");
        let logged = if signs { None } else { self.logged_on(call.security) };
        let key = match (call.security, logged) {
            (Security::None, _) => None,
            (_, Some(key)) => Some(key?),
            (security, None) => {
                let name = params.get("apiKey").map_or("", String::as_str);
                Some(authorised(&self.app, name, self.ip, security)?)
            }
        };
        let named = |name: &str| name != SHOWS_LIMITS && (name != "apiKey" || call.security == Security::None);
        let sent: Pairs = params.iter().filter(|(name, _)| named(name)).map(|(n, v)| (n.clone(), v.clone())).collect();
        // Who has logged on signs no more; the time is still asked for.
        let is_logged = call.security.is_signed() && !signs && self.state.borrow().logon.is_some();
        let args = if is_logged {
            Args::read(call.params.iter().chain(&SIGNED[..2]), &sent)?
        } else {
            Args::read(call.all_params(), &sent)?
        };
        let came = Came { app: &self.app, ip: self.ip, unit: self.outbox.unit, began };
        came.check(call, key, args, || Ok(params.get("signature").map(|signature| signed(params, signature))))
    }

    /// The key of the logon, if there is one and it is still good.
    fn logged_on(&self, security: Security) -> Option<Result<Arc<ApiKey>, ApiError>> {
        let state = self.state.borrow();
        let logon = state.logon.as_ref()?;
        Some(authorised(&self.app, &logon.key, self.ip, security))
    }

    /// The key that signed these params.
    fn signer(&self, params: &BTreeMap<String, String>) -> Result<Arc<ApiKey>, ApiError> {
        let name = params.get("apiKey").ok_or_else(|| ApiError::missing("apiKey"))?;
        let key = authorised(&self.app, name, self.ip, Security::Read)?;
        let read = params.iter().filter(|(name, _)| *name != "apiKey" && *name != SHOWS_LIMITS);
        let sent: Pairs = read.map(|(name, value)| (name.clone(), value.clone())).collect();
        let args = Args::read(SIGNED.iter(), &sent)?;
        Deadline::of(&args)?.check()?;
        let signature = params.get("signature").ok_or_else(|| ApiError::missing("signature"))?;
        let signed = signed(params, signature);
        if key.verifier.accepts(&signed.payload, &signed.signature) { Ok(key) } else { Err(ApiError::signature()) }
    }

    fn log_on(&self, params: &BTreeMap<String, String>) -> Result<Value, ApiError> {
        let key = self.signer(params)?;
        self.state.borrow_mut().logon = Some(Logon { key: key.name.clone(), since_ms: now_ms() });
        Ok(self.status())
    }

    /// Forgets the subscriptions that were ended from elsewhere, as with their key.
    fn forget_ended(&self) {
        let (private, outbox) = (&self.app.private, self.outbox.id);
        let lives = |id: &u64, (account, _): &mut _| private.listens(*account, outbox, &ReaderKind::Subscription(*id));
        self.state.borrow_mut().subscriptions.retain(lives);
    }

    fn status(&self) -> Value {
        self.forget_ended();
        let state = self.state.borrow();
        let (key, since) = state.logon.as_ref().map_or((None, None), |l| (Some(l.key.as_str()), Some(l.since_ms)));
        let unit = self.outbox.unit;
        json!({
            "apiKey": key, "authorizedSince": since.map(|ms| unit.of(ms)), "connectedSince": unit.of(state.connected_ms),
            "returnRateLimits": state.shows_limits, "serverTime": unit.now(),
            "userDataStream": !state.subscriptions.is_empty(),
        })
    }

    fn log_out(&self) -> Value {
        let by_logon: Vec<u64> = {
            let mut state = self.state.borrow_mut();
            state.logon = None;
            state.subscriptions.iter().filter(|(_, (_, by_logon))| *by_logon).map(|(id, _)| *id).collect()
        };
        by_logon.into_iter().for_each(|id| self.end(id));
        self.status()
    }

    fn subscriptions(&self) -> Value {
        self.forget_ended();
        let state = self.state.borrow();
        state.subscriptions.keys().map(|id| json!({ "subscriptionId": id })).collect()
    }

    async fn subscribe(&self, params: &BTreeMap<String, String>) -> Result<Value, ApiError> {
        none_of(params)?;
        let key = self.logged_on(Security::Read).ok_or_else(ApiError::key_rejected)??;
        self.listen(&key, true).await
    }

    async fn subscribe_signed(&self, params: &BTreeMap<String, String>) -> Result<Value, ApiError> {
        let key = self.signer(params)?;
        self.listen(&key, false).await
    }

    async fn listen(&self, key: &ApiKey, by_logon: bool) -> Result<Value, ApiError> {
        self.forget_ended();
        let id = {
            let mut state = self.state.borrow_mut();
            if state.subscriptions.values().any(|(account, _)| *account == key.account) {
                return Err(ApiError::bad(-2035, "User Data Stream subscription already active."));
            }
            if state.subscriptions.len() >= OPEN_SUBSCRIPTIONS || state.begun >= ALL_SUBSCRIPTIONS {
                return Err(ApiError::bad(-1034, "Too many subscriptions on one connection."));
            }
            let id = state.begun;
            state.begun += 1;
            state.subscriptions.insert(id, (key.account, by_logon));
            id
        };
        let began = listen(&self.app, &self.outbox, key.account, &key.name, ReaderKind::Subscription(id)).await;
        if let Err(error) = began {
            self.state.borrow_mut().subscriptions.remove(&id);
            return Err(error);
        }
        Ok(json!({ "subscriptionId": id }))
    }

    fn unsubscribe(&self, params: &BTreeMap<String, String>) -> Result<Value, ApiError> {
        self.forget_ended();
        let inactive = || ApiError::bad(-2036, "User Data Stream subscription not active.");
        let ids: Vec<u64> = match params.get("subscriptionId") {
            Some(id) => vec![id.parse().map_err(|_| ApiError::data("subscriptionId"))?],
            None => self.state.borrow().subscriptions.keys().copied().collect(),
        };
        if ids.is_empty() || !ids.iter().all(|id| self.state.borrow().subscriptions.contains_key(id)) {
            return Err(inactive());
        }
        ids.into_iter().for_each(|id| self.end(id));
        Ok(json!({}))
    }

    fn end(&self, id: u64) {
        self.state.borrow_mut().subscriptions.remove(&id);
        self.app.private.leave_one(&self.app.client, self.outbox.id, &ReaderKind::Subscription(id));
    }

    fn answer(&self, id: Option<&RawValue>, reply: ProgramReply, shows_limits: Option<bool>) {
        let ProgramReply { result, used, orders } = reply;
        let (status, result, error) = match result {
            Ok(result) => (StatusCode::OK, Some(result), None),
            Err(error) => (error.status, None, raw(error.body()).ok()),
        };
        let mut rate_limits = None;
        if shows_limits.unwrap_or(self.state.borrow().shows_limits) {
            let api = &self.app.shared.config.api;
            let mut limits: Vec<Value> = Vec::new();
            if let Some(counts) = orders {
                let [seconds, day] = ORDER_INTERVALS;
                limits.push(rate_limit("ORDERS", seconds, api.orders_per_10_seconds, Some(counts.seconds)));
                limits.push(rate_limit("ORDERS", day, api.orders_per_day, Some(counts.day)));
            }
            limits.push(rate_limit("REQUEST_WEIGHT", WEIGHT_INTERVAL, api.weight_per_minute, Some(used)));
            rate_limits = Some(limits);
        }
        let answer = Frame { id, status: status.as_u16(), result, error, rate_limits };
        self.outbox.push_text(serde_json::to_string(&answer).unwrap_or_default());
    }
}

fn signed(params: &BTreeMap<String, String>, signature: &str) -> Signed {
    Signed { payload: payload(params).into_bytes(), signature: signature.to_owned() }
}

fn none_of(params: &BTreeMap<String, String>) -> Result<(), ApiError> {
    let sent = params.keys().filter(|name| *name != SHOWS_LIMITS).count();
    if sent == 0 { Ok(()) } else { Err(ApiError::unread(sent, 0)) }
}

/// Begins to tell a connection what happens to an account; answered when nothing can be missed any more.
///
/// # Errors
/// When the exchange does not answer; then it listens to nothing.
pub(super) async fn listen(
    app: &App,
    outbox: &Arc<Outbox>,
    account: AccountId,
    key: &str,
    kind: ReaderKind,
) -> Result<(), ApiError> {
    app.private.join(&app.client, account, Holder::Key(key.to_owned()), kind.clone(), outbox.clone());
    let ask = Command::Account(account, AccountCommand::View);
    match app.client.call(Origin::Api, None, ask).await {
        Ok(Reply::View(View::Account(view))) => {
            let with = (&*app.shared.listed(), &app.shared.cancel_names);
            app.private.begin(&view, outbox.id, &kind, with);
            Ok(())
        }
        other => {
            tracing::warn!(?other, "no snapshot for a private stream");
            app.private.leave_one(&app.client, outbox.id, &kind);
            Err(ApiError::busy())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn params_are_signed_in_the_order_of_their_names() {
        // The example of the convention's own documents.
        let frame = r#"{"id":1,"method":"order.place","params":{"symbol":"BTCUSDT","side":"SELL","type":"LIMIT",
            "timeInForce":"GTC","quantity":"0.01000000","price":"52000.00","recvWindow":100,
            "timestamp":1645423376532,"apiKey":"vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A",
            "signature":"x"}}"#;
        let asked: Asked<'_> = serde_json::from_str(frame).unwrap();
        let params = asked.params.iter().map(|(name, value)| (name.clone(), text(value))).collect();
        let expected = "apiKey=vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A\
            &price=52000.00&quantity=0.01000000&recvWindow=100&side=SELL&symbol=BTCUSDT&timeInForce=GTC\
            &timestamp=1645423376532&type=LIMIT";
        assert_eq!(payload(&params), expected);
        let secret = b"NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
        let verifier = crate::api::auth::signatures::Verifier::Hmac(key);
        let official = "aa1b5712c094bc4e57c05a1a5c1fd8d88dcd628338ea863fec7b88e59fe2db24";
        assert!(verifier.accepts(payload(&params).as_bytes(), official));
    }

    #[test]
    fn what_is_no_calls_own_is_signed_too() {
        let params = [("timestamp", "1"), (SHOWS_LIMITS, "false"), ("signature", "x")];
        let params: BTreeMap<String, String> = params.map(|(name, word)| (name.to_owned(), word.to_owned())).into();
        assert_eq!(payload(&params), "returnRateLimits=false&timestamp=1");
        assert!(none_of(&params).is_err() && none_of(&[(SHOWS_LIMITS.to_owned(), String::new())].into()).is_ok());
    }
}
