//! A program with a key of its own.

use crate::client::{Api, Server, Told};
use crate::wait::asked_again;
use ring::hmac;
use serde_json::Value;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where a request's parameters go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Query,
    Body,
}

pub(crate) struct Bot {
    pub(crate) api: Api,
    pub(crate) key: String,
    pub(crate) secret: String,
}

/// Milliseconds since the epoch.
pub(crate) fn now_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()
}

impl Bot {
    /// A demo user's new key.
    pub(crate) fn of(server: &Server, user: &str, fields: &[(&str, &str)]) -> Bot {
        let api = server.demo(user);
        // The first of a name counts.
        let form = [fields, &[("label", "bot"), ("scopes", "read,trade"), ("pay_password", "demo1234")]].concat();
        let made = api.post("/user/api_keys/create", &form);
        let text = |name: &str| made["data"][name].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
        Bot { key: text("api_key"), secret: text("secret"), api }
    }

    pub(crate) fn sign(&self, payload: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.secret.as_bytes());
        hmac::sign(&key, payload.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// A signed request as the wire has it.
    pub(crate) fn send(&self, method: &str, path: &str, sent: &str, place: Place) -> Told {
        let signed = format!("{sent}&signature={}", self.sign(sent));
        let headers = [("x-mbx-apikey", self.key.as_str())];
        match place {
            Place::Query => self.api.raw(method, &format!("{path}?{signed}"), &headers, ""),
            Place::Body => {
                let form = ("content-type", "application/x-www-form-urlencoded");
                self.api.raw(method, path, &[headers[0], form], &signed)
            }
        }
    }

    /// A signed request with a fresh timestamp.
    pub(crate) fn call(&self, method: &str, path: &str, params: &str) -> Told {
        self.call_at(method, &format!("/api/v3/{path}"), params)
    }

    /// The same, of a whole path.
    pub(crate) fn call_at(&self, method: &str, path: &str, params: &str) -> Told {
        let time = format!("timestamp={}", now_ms());
        let sent = if params.is_empty() { time } else { format!("{params}&{time}") };
        self.send(method, path, &sent, Place::Query)
    }

    /// As [`Bot::call_at`]. A GET whose answer is "later" (-1008) is asked again for a while, as bots do.
    pub(crate) fn call_patiently(&self, method: &str, path: &str, params: &str) -> Told {
        let is_later = |told: &Told| method == "GET" && told.status == 503 && told.body["code"] == -1008;
        asked_again(|| self.call_at(method, path, params), is_later)
    }

    /// The number of its account.
    pub(crate) fn user(&self) -> String {
        self.good("GET", "account", "")["uid"].to_string()
    }

    /// As [`Bot::call_patiently`] below `/api/v3`, of what must succeed.
    pub(crate) fn good(&self, method: &str, path: &str, params: &str) -> Value {
        let reply = self.call_patiently(method, &format!("/api/v3/{path}"), params);
        assert_eq!(reply.status, 200, "{method} {path} {params}: {}", reply.body);
        reply.body
    }
}
