//! Texts to phones through the operator's hook: a signed POST for each.
//!
//! Owns: the form of a request and of its signature (`docs/operations.md "Outbox"`), and what an answer means. Never does: decide when
//! to send; follow a redirection. Invariants: the signature covers time and body, so that nobody changes or replays a request unseen.
//! Known limits: what the hook says in words is not kept.

use super::settings::{LEAST_SECRET, SmsSettings};
use super::way::{Outgoing, Unsent, Way};
use crate::api::auth::secrets::hex;
use crate::common::time::now_ms;
use ring::hmac;
use serde_json::json;
use std::time::Duration;
use ureq::Agent;

/// A request takes so long at most.
const WITHIN: Duration = Duration::from_secs(20);
/// When the request was signed, milliseconds since the epoch.
const TIMESTAMP: &str = "x-exchange-timestamp";
/// HMAC-SHA256 of the timestamp, a dot and the body, in small hexadecimal digits.
const SIGNATURE: &str = "x-exchange-signature";
/// The hook looked at the message and takes it never.
const REFUSALS: [u16; 3] = [400, 413, 422];

/// The hook.
pub(super) struct Hook {
    agent: Agent,
    url: String,
    key: hmac::Key,
    site: String,
}

impl std::fmt::Debug for Hook {
    /// Without the address, which may hold a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hook")
    }
}

impl Hook {
    /// The hook of the settings, with the secret that its file holds; texts begin with the site's name.
    ///
    /// # Errors
    /// A secret that is soon guessed.
    pub(super) fn new(settings: &SmsSettings, secret: &str, site: &str) -> Result<Hook, String> {
        if secret.len() < LEAST_SECRET {
            return Err(format!("sms.secret_file holds less than {LEAST_SECRET} bytes"));
        }
        let config = Agent::config_builder()
            .timeout_global(Some(WITHIN))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .build();
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        Ok(Hook { agent: config.into(), url: settings.url.clone(), key, site: site.to_owned() })
    }

    fn signature(&self, timestamp: &str, body: &str) -> String {
        hex(hmac::sign(&self.key, format!("{timestamp}.{body}").as_bytes()).as_ref())
    }
}

impl Way for Hook {
    fn send(&self, message: &Outgoing) -> Result<(), Unsent> {
        let body = json!({
            "id": message.id, "to": message.to, "lang": message.lang, "text": format!("{}: {}", self.site, message.text),
            "expires_ms": message.expires_ms,
        });
        let (body, timestamp) = (body.to_string(), now_ms().to_string());
        let request = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json")
            .header(TIMESTAMP, &timestamp)
            .header(SIGNATURE, self.signature(&timestamp, &body));
        let answer = request.send(&body).map_err(|error| Unsent::ForNow(cause(&error).to_owned()))?;
        let status = answer.status().as_u16();
        match status {
            200..300 => Ok(()),
            _ if REFUSALS.contains(&status) => Err(Unsent::ForEver(format!("the hook answered {status}"))),
            _ => Err(Unsent::ForNow(format!("the hook answered {status}"))),
        }
    }
}

/// What went wrong, in words of ours.
#[expect(clippy::wildcard_enum_match_arm, reason = "another crate's enum, which may grow")]
fn cause(error: &ureq::Error) -> &'static str {
    match error {
        ureq::Error::Timeout(_) => "the hook did not answer in time",
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => "no TLS with the hook",
        ureq::Error::HostNotFound => "the hook's host is not known",
        _ => "the hook is not reached",
    }
}
