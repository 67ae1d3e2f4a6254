//! Errors of the programmatic API, texts verbatim (`design/api.md` section 3).
//!
//! Owns: codes and texts. Never does: translate one. Invariants: what the convention fixes is verbatim. Known
//! limits: only what market data can answer.

use actix_web::HttpResponse;
use actix_web::http::{StatusCode, header};
use serde_json::json;

/// A code, its text and the status it comes with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    status: StatusCode,
    code: i32,
    msg: String,
}

impl ApiError {
    fn bad(code: i32, msg: impl Into<String>) -> ApiError {
        ApiError { status: StatusCode::BAD_REQUEST, code, msg: msg.into() }
    }

    /// Something is wrong on our side.
    #[must_use]
    pub fn unknown() -> ApiError {
        let msg = "An unknown error occurred while processing the request.".into();
        ApiError { status: StatusCode::INTERNAL_SERVER_ERROR, code: -1000, msg }
    }

    /// Over the limit.
    #[must_use]
    pub fn too_many() -> ApiError {
        let msg = "Too many requests; current limit of IP is exceeded.".into();
        ApiError { status: StatusCode::TOO_MANY_REQUESTS, code: -1003, msg }
    }

    /// Characters that a parameter may not have.
    #[must_use]
    pub fn illegal(name: &str) -> ApiError {
        ApiError::bad(-1100, format!("Illegal characters found in parameter '{name}'."))
    }

    /// A parameter twice.
    #[must_use]
    pub fn duplicate(name: &str) -> ApiError {
        ApiError::bad(-1101, format!("Duplicate values for parameter '{name}' detected."))
    }

    /// A mandatory parameter that is not there.
    #[must_use]
    pub fn missing(name: &str) -> ApiError {
        ApiError::bad(-1102, format!("Mandatory parameter '{name}' was not sent, was empty/null, or malformed."))
    }

    /// Parameters that nobody read.
    #[must_use]
    pub fn unread(sent: usize, read: usize) -> ApiError {
        ApiError::bad(
            -1104,
            format!("Not all sent parameters were read; read '{read}' parameter(s) but was sent '{sent}'."),
        )
    }

    /// An interval that there is not.
    #[must_use]
    pub fn interval() -> ApiError {
        ApiError::bad(-1120, "Invalid interval.")
    }

    /// A symbol that there is not.
    #[must_use]
    pub fn symbol() -> ApiError {
        ApiError::bad(-1121, "Invalid symbol.")
    }

    /// Parameters that do not go together.
    #[must_use]
    pub fn combination() -> ApiError {
        ApiError::bad(-1128, "Combination of optional parameters invalid.")
    }

    /// The response.
    #[must_use]
    pub fn response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response.insert_header((header::RETRY_AFTER, "10"));
        }
        response
            .content_type("application/json;charset=UTF-8")
            .body(json!({ "code": self.code, "msg": self.msg }).to_string())
    }
}
