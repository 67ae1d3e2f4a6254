//! Control frames of sockets (`docs/rules/realtime.md "Client to server"`).
//!
//! Owns: what a client may say, and the texts of refusals, which are the convention's own. Never does: answer a
//! subscription; the session does. Invariants: names and counts are bounded before anything is looked up. Known limits:
//! texts only.

use super::outbox::Mode;
use serde::Deserialize;
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
/// Streams of one connection, and so many may one frame name (`docs/rules/program-api.md "Streams"`).
pub const MAX_STREAMS: usize = 1_024;
/// Characters of a frame's id.
const MAX_ID: usize = 36;

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Method {
    Subscribe,
    Unsubscribe,
    ListSubscriptions,
    SetProperty,
    GetProperty,
}

#[derive(Deserialize)]
struct Frame {
    method: Method,
    #[serde(default)]
    params: Option<Vec<Value>>,
}

/// Reads a frame; the error is the answer to it.
pub fn parse(text: &str, mode: Mode) -> Result<Control, String> {
    let frame = match serde_json::from_str::<Value>(text) {
        Ok(frame) => frame,
        Err(error) => return Err(refusal(3, &format!("Invalid JSON: {error}"), &Value::Null)),
    };
    if mode == Mode::App
        && let Some(event) = frame.get("event")
    {
        return app_event(event, &frame);
    }
    let id = match frame.get("id") {
        Some(id) if is_id(id) => id.clone(),
        None if mode == Mode::App => Value::Null,
        _ if frame.is_object() => {
            return Err(refusal(2, "Invalid request: request ID must be an unsigned integer", &Value::Null));
        }
        _ => return Err(refusal(2, "Invalid request: a frame must be an object", &Value::Null)),
    };
    // From the text, so that what is wrong is told with its place.
    match serde_json::from_str::<Frame>(text) {
        Ok(frame) => request(frame, id.clone()).map_err(|(code, what)| refusal(code, &what, &id)),
        Err(error) => Err(refusal(2, &format!("Invalid request: {error}"), &id)),
    }
}

fn is_id(id: &Value) -> bool {
    match id {
        Value::Null => true,
        Value::Number(n) => n.is_i64(),
        Value::String(s) => s.len() <= MAX_ID,
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

type Wrong = (u8, String);

fn invalid(what: &str) -> Wrong {
    (2, format!("Invalid request: {what}"))
}

fn request(frame: Frame, id: Value) -> Result<Control, Wrong> {
    let params = frame.params.unwrap_or_default();
    match frame.method {
        Method::Subscribe => Ok(Control::Subscribe(names(params)?, id)),
        Method::Unsubscribe => Ok(Control::Unsubscribe(names(params)?, id)),
        Method::ListSubscriptions if params.is_empty() => Ok(Control::List(id)),
        Method::ListSubscriptions => Err(invalid("too many parameters")),
        Method::GetProperty => {
            property(&params, 1)?;
            Ok(Control::GetCombined(id))
        }
        Method::SetProperty => {
            property(&params, 2)?;
            let on = params.get(1).and_then(Value::as_bool);
            let on = on.ok_or_else(|| (1, "Invalid value type: expected Boolean".to_owned()))?;
            Ok(Control::SetCombined(on, id))
        }
    }
}

fn names(params: Vec<Value>) -> Result<Vec<String>, Wrong> {
    if params.is_empty() {
        return Err(invalid("params must be a list of stream names"));
    }
    if params.len() > MAX_STREAMS {
        return Err(invalid("too many parameters"));
    }
    let name = |value: Value| {
        let Value::String(name) = value else { return Err(invalid("a stream name must be a string")) };
        if name.len() <= MAX_NAME { Ok(name) } else { Err(invalid("a stream name is too long")) }
    };
    params.into_iter().map(name).collect()
}

/// The only property is `combined`.
fn property(params: &[Value], most: usize) -> Result<(), Wrong> {
    let name = params.first().and_then(Value::as_str);
    let name = name.ok_or_else(|| invalid("property name must be a string"))?;
    if params.len() > most {
        return Err(invalid("too many parameters"));
    }
    if name == "combined" { Ok(()) } else { Err((0, "Unknown property".to_owned())) }
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
    fn what_is_wrong_is_told_in_the_conventions_words() {
        let variants =
            "expected one of `SUBSCRIBE`, `UNSUBSCRIBE`, `LIST_SUBSCRIPTIONS`, `SET_PROPERTY`, `GET_PROPERTY`";
        let unknown = format!("Invalid request: unknown variant `NOPE`, {variants} at line 1 column 16");
        let id = "Invalid request: request ID must be an unsigned integer";
        let name = "Invalid request: property name must be a string";
        for (bad, code, text) in [
            ("", 3, "Invalid JSON: EOF while parsing a value at line 1 column 0"),
            (r#"{"method":x}"#, 3, "Invalid JSON: expected value at line 1 column 11"),
            (r#"{"id":1}"#, 2, "Invalid request: missing field `method` at line 1 column 8"),
            (r#"{"method":"NOPE","params":["x"],"id":1}"#, 2, &unknown),
            (r#"{"method":"SUBSCRIBE","params":["x"]}"#, 2, id),
            (r#"{"method":"SUBSCRIBE","params":["x"],"id":{}}"#, 2, id),
            (r#"{"method":"SUBSCRIBE","params":["x"],"id":1.5}"#, 2, id),
            (r#"{"method":"SUBSCRIBE","params":["x"],"id":9223372036854775808}"#, 2, id),
            (r#"{"method":"SUBSCRIBE","params":["x"],"id":"0123456789012345678901234567890123456"}"#, 2, id),
            (r#"{"method":"LIST_SUBSCRIPTIONS","params":["x"],"id":1}"#, 2, "Invalid request: too many parameters"),
            (r#"{"method":"GET_PROPERTY","params":["combined",1],"id":1}"#, 2, "Invalid request: too many parameters"),
            (r#"{"method":"GET_PROPERTY","id":1}"#, 2, name),
            (r#"{"method":"GET_PROPERTY","params":[1],"id":1}"#, 2, name),
            (r#"{"method":"GET_PROPERTY","params":["x"],"id":1}"#, 0, "Unknown property"),
            (r#"{"method":"SET_PROPERTY","params":["combined"],"id":1}"#, 1, "Invalid value type: expected Boolean"),
            (r#"{"method":"SET_PROPERTY","params":["combined",1],"id":1}"#, 1, "Invalid value type: expected Boolean"),
        ] {
            let reply: Value = serde_json::from_str(&parse(bad, Mode::Raw).unwrap_err()).unwrap();
            assert_eq!((&reply["error"]["code"], &reply["error"]["msg"]), (&json!(code), &json!(text)), "{bad}");
        }
    }

    #[test]
    fn frames_of_every_other_ill_kind_are_answered_not_obeyed() {
        for bad in [
            "[]",
            "1",
            r#"{"method":"SUBSCRIBE","id":1}"#,
            r#"{"method":"SUBSCRIBE","params":[1],"id":1}"#,
            r#"{"method":"SUBSCRIBE","params":[],"id":1}"#,
            r#"{"method":"SUBSCRIBE","params":"x","id":1}"#,
        ] {
            assert!(parse(bad, Mode::Raw).unwrap_err().contains("Invalid request: "), "{bad}");
        }
    }

    #[test]
    fn ids_are_integers_short_texts_or_null() {
        for id in ["-7", "null", r#""0123456789abcdef0123456789abcdef0123""#] {
            let frame = format!(r#"{{"method":"LIST_SUBSCRIPTIONS","id":{id}}}"#);
            assert_eq!(parse(&frame, Mode::Raw), Ok(Control::List(serde_json::from_str(id).unwrap())));
        }
    }

    #[test]
    fn only_the_app_logs_in() {
        let login = r#"{"event":"login","data":{"token":"t"}}"#;
        assert_eq!(parse(login, Mode::App), Ok(Control::Login("t".into())));
        assert!(parse(login, Mode::Raw).is_err());
    }
}
