//! The envelope of all calls (`docs/rules/app-calls.md "Envelope"`): `type`, `code`, `message`, `data`.
//!
//! Owns: the four fields and pages. Never does: choose a text. Invariants: every call is answered in it. Known
//! limits: none.

use actix_web::HttpResponse;
use actix_web::http::header;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// An answer before it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// `ok`, `error`, `999` or `998`: a text, clients compare it strictly.
    pub kind: &'static str,
    /// 1 for success, else a code of the catalogue.
    pub code: u16,
    /// Data of a query, text of a command or failure.
    pub message: Value,
    /// What a command made; the mirror of a K-line answer.
    pub data: Value,
    /// Further top-level keys.
    pub extra: Map<String, Value>,
    /// The body, where it was written already; then the fields above are not looked at.
    pub written: Option<String>,
}

impl Answer {
    /// A query's data.
    #[must_use]
    pub fn ok(message: Value) -> Answer {
        Answer { kind: "ok", code: 1, message, data: Value::Null, extra: Map::new(), written: None }
    }

    /// The body of a query's data that is JSON already; `mirrored`: in `data` too.
    #[must_use]
    pub fn body_of(message: &str, mirrored: bool) -> String {
        let data = if mirrored { message } else { "null" };
        format!(r#"{{"code":1,"data":{data},"message":{message},"type":"ok"}}"#)
    }

    /// An answer whose body [`Self::body_of`] made.
    #[must_use]
    pub fn written(body: String) -> Answer {
        Answer { written: Some(body), ..Answer::ok(Value::Null) }
    }

    /// With data beside the message.
    #[must_use]
    pub fn and(mut self, data: Value) -> Answer {
        self.data = data;
        self
    }

    /// The body.
    #[must_use]
    pub fn body(&self) -> String {
        let Answer { kind, code, message, data, extra, written } = self;
        if let Some(body) = written {
            return body.clone();
        }
        let mut out = format!(r#"{{"code":{code},"data":{data}"#);
        for (name, value) in extra {
            let written = write!(out, ",{}:{value}", Value::from(name.as_str()));
            debug_assert!(written.is_ok(), "a text takes any text");
        }
        out + &format!(r#","message":{message},"type":"{kind}"}}"#)
    }

    /// The response: always 200, because clients reject every other status (`docs/rules/app-calls.md "Envelope"`).
    #[must_use]
    pub fn response(mut self) -> HttpResponse {
        let body = self.written.take().unwrap_or_else(|| self.body());
        HttpResponse::Ok()
            .insert_header((header::CONTENT_TYPE, "application/json"))
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .body(body)
    }
}

/// A page of rows (`docs/rules/app-calls.md "Paging"`).
#[must_use]
pub fn page(rows: Vec<Value>, page: u64, limit: u64, total: u64) -> Value {
    let pages = total.div_ceil(limit.max(1));
    json!({
        "data": rows, "page": page, "pages": pages, "total": total, "limit": limit,
        "current_page": page, "last_page": pages, "per_page": limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_an_object_of_all_that_the_answer_holds() {
        let mut answer = Answer::ok(json!({ "a \"b\"": [1, "x"] })).and(json!("d"));
        let fields = |extra: Value| {
            let mut all = json!({ "code": 1, "data": "d", "message": { "a \"b\"": [1, "x"] }, "type": "ok" });
            all.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            all
        };
        let read = |answer: &Answer| serde_json::from_str::<Value>(&answer.body()).unwrap();
        assert_eq!(read(&answer), fields(json!({})));
        answer.extra.insert("errors \"of\"".into(), json!({ "field": "missing" }));
        assert_eq!(read(&answer), fields(json!({ "errors \"of\"": { "field": "missing" } })));
        for (mirrored, data) in [(true, json!([1])), (false, Value::Null)] {
            let written = Answer::written(Answer::body_of("[1]", mirrored));
            assert_eq!(read(&written), read(&Answer::ok(json!([1])).and(data)));
        }
    }
}
