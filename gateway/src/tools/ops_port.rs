//! What the tools ask a running server of, and `exchange ready`.
//!
//! Owns: how its ops port is reached. Never does: send a key that it was not given.
//! Invariants: an answer comes within [`ANSWER_WITHIN`] or is none. Known limits: `server.ops_listen` must be an address in digits.

use super::error::ToolError;
use crate::config::Config;
use serde_json::Value;
use std::io::Write;
use std::time::Duration;

/// The server answers within this time.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Status and body of what the ops port answers, or why there is none.
pub(super) fn ask(config: &Config, path: &str, key: Option<&str>) -> Result<(u16, Value), String> {
    // Host names too: the server listens on what they mean.
    let port = &config.server.ops_listen;
    let settings = ureq::Agent::config_builder().timeout_global(Some(ANSWER_WITHIN)).http_status_as_error(false);
    let agent: ureq::Agent = settings.build().into();
    let mut request = agent.get(format!("http://{port}{path}"));
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    read(request.call().map_err(|e| e.to_string())?)
}

/// Status and body of what the ops port answers to a decision.
pub(super) fn tell(config: &Config, path: &str, key: &str, body: &Value) -> Result<(u16, Value), String> {
    let port = &config.server.ops_listen;
    let settings = ureq::Agent::config_builder().timeout_global(Some(ANSWER_WITHIN)).http_status_as_error(false);
    let agent: ureq::Agent = settings.build().into();
    let request = agent.post(format!("http://{port}{path}")).header("content-type", "application/json");
    let request = request.header("authorization", format!("Bearer {key}"));
    read(request.send(body.to_string()).map_err(|e| e.to_string())?)
}

fn read(mut answer: ureq::http::Response<ureq::Body>) -> Result<(u16, Value), String> {
    let text = answer.body_mut().read_to_string().map_err(|e| e.to_string())?;
    Ok((answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text))))
}

/// Whether the server that these settings name is ready, as `/readyz` tells.
pub(super) fn ready(config: &Config, out: &mut dyn Write) -> Result<(), ToolError> {
    match ask(config, "/readyz", None) {
        Ok((200, said)) => Ok(writeln!(out, "{said}")?),
        Ok((_, said)) => Err(ToolError::Found(format!("not ready: {said}"))),
        Err(why) => Err(ToolError::Found(format!("not ready: {why}"))),
    }
}
