//! Control frames of sockets (`design/api.md` section 4, `gateway/REALTIME.md`).
//!
//! Owns: what a client may say. Never does: answer a subscription; the session does. Invariants: names and counts
//! are bounded before anything is looked up. Known limits: texts only.

use super::outbox::Mode;
use serde_json::{Value, json};

/// What a client asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// Names and the frame's id.
    Subscribe(Vec<String>, Value),
    /// Names and the frame's id.
    Unsubscribe(Vec<String>, Value),
    /// The frame's id.
    List(Value),
    /// `combined` and the frame's id.
    SetCombined(bool, Value),
    /// The frame's id.
    GetCombined(Value),
    /// The app: private events of this token's account.
    Login(String),
    /// The app: no longer.
    Logout,
    /// The app: answered at once.
    Ping(Value),
}

/// Characters of a stream's name; listen keys have 60.
pub const MAX_NAME: usize = 64;
/// Streams that one frame may name.
const MAX_NAMES: usize = 200;

/// Reads a frame; the error is the answer to it.
pub fn parse(text: &str, mode: Mode) -> Result<Control, String> {
    let Ok(frame) = serde_json::from_str::<Value>(text) else {
        return Err(refusal(3, "Invalid JSON: the frame is not JSON", &Value::Null));
    };
    if mode == Mode::App
        && let Some(event) = frame.get("event")
    {
        return app_event(event, &frame);
    }
    let id = frame.get("id").cloned().unwrap_or(Value::Null);
    let good_id = match &id {
        Value::Null => true,
        Value::Number(n) => n.is_i64() || n.is_u64(),
        Value::String(s) => s.len() <= 36,
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    };
    let invalid = |what: &str| Err(refusal(2, &format!("Invalid request: {what}"), &id));
    if !good_id {
        return Err(refusal(
            2,
            "Invalid request: request ID must be an integer, a text of up to 36 or null",
            &Value::Null,
        ));
    }
    let Some(Value::String(method)) = frame.get("method") else { return invalid("method must be a text") };
    match method.as_str() {
        "SUBSCRIBE" | "UNSUBSCRIBE" => {
            let names = frame.get("params").and_then(Value::as_array).filter(|names| !names.is_empty());
            let Some(names) = names else { return invalid("params must be a list of stream names") };
            let texts: Option<Vec<String>> = names.iter().map(|n| n.as_str().map(str::to_owned)).collect();
            match texts {
                Some(texts) if texts.len() <= MAX_NAMES && texts.iter().all(|t| t.len() <= MAX_NAME) => {
                    Ok(if method == "SUBSCRIBE" {
                        Control::Subscribe(texts, id)
                    } else {
                        Control::Unsubscribe(texts, id)
                    })
                }
                Some(_) => invalid("too many stream names"),
                None => invalid("a stream name must be a text"),
            }
        }
        "LIST_SUBSCRIPTIONS" => Ok(Control::List(id)),
        "GET_PROPERTY" if property(&frame, 0) => Ok(Control::GetCombined(id)),
        "SET_PROPERTY" if property(&frame, 0) => match frame["params"].get(1) {
            Some(Value::Bool(on)) => Ok(Control::SetCombined(*on, id)),
            _ => invalid("the property combined is true or false"),
        },
        _ => invalid("unknown method or property"),
    }
}

fn property(frame: &Value, at: usize) -> bool {
    frame["params"].get(at).and_then(Value::as_str) == Some("combined")
}

fn app_event(event: &Value, frame: &Value) -> Result<Control, String> {
    match event.as_str() {
        Some("login") => match frame["data"]["token"].as_str() {
            Some(token) if token.len() <= 256 => Ok(Control::Login(token.to_owned())),
            _ => Err(refusal(2, "Invalid request: login needs data.token", &Value::Null)),
        },
        Some("logout") => Ok(Control::Logout),
        Some("ping") => Ok(Control::Ping(frame["data"]["t"].clone())),
        _ => Err(refusal(2, "Invalid request: unknown event", &Value::Null)),
    }
}

/// An error answer, in the form that real servers send.
#[must_use]
pub fn refusal(code: u8, msg: &str, id: &Value) -> String {
    json!({ "error": { "code": code, "msg": msg }, "id": id }).to_string()
}

/// The answer to a control frame that was taken.
#[must_use]
pub fn result(value: &Value, id: &Value) -> String {
    json!({ "result": value, "id": id }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_every_ill_kind_are_answered_not_obeyed() {
        for bad in [
            "",
            "{",
            "[]",
            "1",
            r#"{"method":"SUBSCRIBE"}"#,
            r#"{"method":"SUBSCRIBE","params":[1],"id":1}"#,
            r#"{"method":"SUBSCRIBE","params":[],"id":1}"#,
            r#"{"method":"NOPE","params":["x"],"id":1}"#,
            r#"{"method":"SUBSCRIBE","params":["x"],"id":{}}"#,
            r#"{"method":"SUBSCRIBE","params":["x"],"id":1.5}"#,
        ] {
            assert!(parse(bad, Mode::Raw).unwrap_err().contains("error"), "{bad}");
        }
    }

    #[test]
    fn only_the_app_logs_in() {
        let login = r#"{"event":"login","data":{"token":"t"}}"#;
        assert_eq!(parse(login, Mode::App), Ok(Control::Login("t".into())));
        assert!(parse(login, Mode::Raw).is_err());
    }
}
