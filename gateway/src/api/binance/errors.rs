//! Errors of the programmatic API, texts verbatim (`docs/rules/program-api.md "Errors"`).
//!
//! Owns: the form of errors, and codes and texts of those that several calls have; a call's own are with it. Never does:
//! translate one. Invariants: what the convention fixes is verbatim, because clients compare texts. Known limits: one error
//! an answer: the first that was found.

use actix_web::HttpResponse;
use actix_web::http::{StatusCode, header};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The media type of every answer.
pub(super) const JSON: &str = "application/json;charset=UTF-8";

/// A code, its text and the status it comes with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status.
    pub status: StatusCode,
    /// Code of the convention.
    pub code: i32,
    /// Its text.
    pub msg: Cow<'static, str>,
    /// Seconds after which to come again, for limits.
    pub retry_after: Option<u64>,
    /// What some errors tell besides.
    pub data: Option<Value>,
}

fn of(status: StatusCode, code: i32, msg: impl Into<Cow<'static, str>>) -> ApiError {
    ApiError { status, code, msg: msg.into(), retry_after: None, data: None }
}

impl ApiError {
    /// A request that is wrong: status 400.
    #[must_use]
    pub fn bad(code: i32, msg: impl Into<Cow<'static, str>>) -> ApiError {
        of(StatusCode::BAD_REQUEST, code, msg)
    }

    /// Something is wrong on our side.
    #[must_use]
    pub fn unknown() -> ApiError {
        let msg = "An unknown error occurred while processing the request.";
        of(StatusCode::INTERNAL_SERVER_ERROR, -1000, msg)
    }

    /// More weight than an address has in a minute; `wait` is in seconds.
    #[must_use]
    pub fn too_much_weight(limit: u64, wait: u64) -> ApiError {
        let msg = format!(
            "Too much request weight used; current limit is {limit} request weight per 1 MINUTE. Please use WebSocket \
             Streams for live updates to avoid polling the API."
        );
        ApiError { retry_after: Some(wait), ..of(StatusCode::TOO_MANY_REQUESTS, -1003, msg) }
    }

    /// More requests than an address has in five minutes; `wait` is in seconds.
    #[must_use]
    pub fn too_many_requests(wait: u64) -> ApiError {
        ApiError { retry_after: Some(wait), ..of(StatusCode::TOO_MANY_REQUESTS, -1003, "Too many requests queued.") }
    }

    /// An address that went on after it was refused, until a time in milliseconds; `wait` is in seconds.
    #[must_use]
    pub fn banned(until_ms: i64, wait: u64) -> ApiError {
        let msg = format!(
            "Way too much request weight used; IP banned until {until_ms}. Please use WebSocket Streams for live updates \
             to avoid bans."
        );
        ApiError { retry_after: Some(wait), ..of(StatusCode::IM_A_TEAPOT, -1003, msg) }
    }

    /// More unfilled orders than an account has in an interval (`10 SECOND`); `wait` is in seconds.
    #[must_use]
    pub fn too_many_orders(limit: u64, interval: &str, wait: u64) -> ApiError {
        let msg = format!("Too many new orders; current limit is {limit} orders per {interval}.");
        ApiError { retry_after: Some(wait), ..of(StatusCode::TOO_MANY_REQUESTS, -1015, msg) }
    }

    /// Nobody knows what became of it.
    #[must_use]
    pub fn timeout() -> ApiError {
        let msg = "Timeout waiting for response from backend server. Send status unknown; execution status unknown.";
        of(StatusCode::GATEWAY_TIMEOUT, -1007, msg)
    }

    /// Full, or history that is not there yet: nothing happened.
    #[must_use]
    pub fn busy() -> ApiError {
        let msg = "Server is currently overloaded with other requests. Please try again in a few minutes.";
        of(StatusCode::SERVICE_UNAVAILABLE, -1008, msg)
    }

    /// The process stops.
    #[must_use]
    pub fn stopping() -> ApiError {
        of(StatusCode::SERVICE_UNAVAILABLE, -1016, "This service is no longer available.")
    }

    /// A path or method that no call has.
    #[must_use]
    pub fn unsupported(status: StatusCode) -> ApiError {
        of(status, -1020, "This operation is not supported.")
    }

    /// A body that is larger than any call's.
    #[must_use]
    pub fn too_large() -> ApiError {
        of(StatusCode::PAYLOAD_TOO_LARGE, -1101, "Too many parameters sent for this endpoint.")
    }

    /// What the gateway refuses before the engine is asked.
    #[must_use]
    pub fn invalid(msg: impl Into<Cow<'static, str>>) -> ApiError {
        ApiError::bad(-1013, msg)
    }

    /// A filter of the market that an order does not pass.
    #[must_use]
    pub fn filter(name: &str) -> ApiError {
        ApiError::invalid(format!("Filter failure: {name}"))
    }

    /// A timestamp that is too old for its window.
    #[must_use]
    pub fn outside_window() -> ApiError {
        ApiError::bad(-1021, "Timestamp for this request is outside of the recvWindow.")
    }

    /// A timestamp of the future.
    #[must_use]
    pub fn ahead() -> ApiError {
        ApiError::bad(-1021, "Timestamp for this request was 1000ms ahead of the server's time.")
    }

    /// A signature that is not of this request or not of this key.
    #[must_use]
    pub fn signature() -> ApiError {
        ApiError::bad(-1022, "Signature for this request is not valid.")
    }

    /// Characters that a parameter may not have.
    #[must_use]
    pub fn illegal(name: &str, range: &str) -> ApiError {
        ApiError::bad(-1100, format!("Illegal characters found in parameter '{name}'; legal range is '{range}'."))
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

    /// Two parameters of which one must be there.
    #[must_use]
    pub fn neither(one: &str, other: &str) -> ApiError {
        ApiError::bad(-1102, format!("Param '{one}' or '{other}' must be sent, but both were empty/null!"))
    }

    /// Parameters that nobody read.
    #[must_use]
    pub fn unread(sent: usize, read: usize) -> ApiError {
        ApiError::bad(
            -1104,
            format!("Not all sent parameters were read; read '{read}' parameter(s) but was sent '{sent}'."),
        )
    }

    /// An optional parameter without a value.
    #[must_use]
    pub fn empty(name: &str) -> ApiError {
        ApiError::bad(-1105, format!("Parameter '{name}' was empty."))
    }

    /// A parameter that does not go with the others.
    #[must_use]
    pub fn not_required(name: &str) -> ApiError {
        ApiError::bad(-1106, format!("Parameter '{name}' sent when not required."))
    }

    /// A number beyond the largest.
    #[must_use]
    pub fn overflow(name: &str) -> ApiError {
        ApiError::bad(-1108, format!("Parameter '{name}' overflowed."))
    }

    /// More decimals than the ledger has.
    #[must_use]
    pub fn precision(name: &str) -> ApiError {
        ApiError::bad(-1111, format!("Parameter '{name}' has too much precision."))
    }

    /// A time in force that an order of this type does not have.
    #[must_use]
    pub fn tif_not_required() -> ApiError {
        ApiError::bad(-1114, "TimeInForce parameter sent when not required.")
    }

    /// A type of order that there is not.
    #[must_use]
    pub fn order_type() -> ApiError {
        ApiError::bad(-1116, "Invalid orderType.")
    }

    /// A symbol that there is not.
    #[must_use]
    pub fn symbol() -> ApiError {
        ApiError::bad(-1121, "Invalid symbol.")
    }

    /// A span of time that is too long, in hours.
    #[must_use]
    pub fn too_long(hours: u32) -> ApiError {
        ApiError::bad(-1127, format!("More than {hours} hours between startTime and endTime."))
    }

    /// Parameters that do not go together.
    #[must_use]
    pub fn combination() -> ApiError {
        ApiError::bad(-1128, "Combination of optional parameters invalid.")
    }

    /// A value that a parameter may not have.
    #[must_use]
    pub fn data(name: &str) -> ApiError {
        ApiError::bad(-1130, format!("Data sent for parameter '{name}' is not valid."))
    }

    /// A window that is too long.
    #[must_use]
    pub fn window() -> ApiError {
        ApiError::bad(-1131, "recvWindow must be less than 60000.")
    }

    /// A symbol twice in a list.
    #[must_use]
    pub fn duplicate_symbols() -> ApiError {
        ApiError::bad(-1151, "Symbol is present multiple times in the list.")
    }

    /// A symbol in another state than the one that was asked for.
    #[must_use]
    pub fn status_mismatch() -> ApiError {
        ApiError::bad(-1220, "The symbol's status does not match the requested symbolStatus.")
    }

    /// A unit of time that there is not.
    #[must_use]
    pub fn time_unit() -> ApiError {
        ApiError::bad(-1194, "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.")
    }

    /// An order that the market or the account refuses.
    #[must_use]
    pub fn rejected(msg: &'static str) -> ApiError {
        ApiError::bad(-2010, msg)
    }

    /// A cancel that finds nothing to cancel.
    #[must_use]
    pub fn cancel_rejected(msg: &'static str) -> ApiError {
        ApiError::bad(-2011, msg)
    }

    /// A cancel of an order that there is not.
    #[must_use]
    pub fn unknown_order() -> ApiError {
        ApiError::cancel_rejected("Unknown order sent.")
    }

    /// A cancel that the order's state does not permit.
    #[must_use]
    pub fn restricted() -> ApiError {
        ApiError::cancel_rejected("Order was not canceled due to cancel restrictions.")
    }

    /// A cancel of a list that there is not.
    #[must_use]
    pub fn unknown_list() -> ApiError {
        ApiError::cancel_rejected("Unknown order list sent.")
    }

    /// A list that there is not.
    #[must_use]
    pub fn no_such_list() -> ApiError {
        ApiError::bad(-2018, "Order list does not exist.")
    }

    /// An amendment that cannot be.
    #[must_use]
    pub fn not_amended(msg: &'static str) -> ApiError {
        ApiError::bad(-2038, msg)
    }

    /// An order that there is not.
    #[must_use]
    pub fn no_such_order() -> ApiError {
        ApiError::bad(-2013, "Order does not exist.")
    }

    /// A key that cannot be one.
    #[must_use]
    pub fn key_format() -> ApiError {
        of(StatusCode::UNAUTHORIZED, -2014, "API-key format invalid.")
    }

    /// A key that is unknown, used from elsewhere, or may not do this.
    #[must_use]
    pub fn key_rejected() -> ApiError {
        of(StatusCode::UNAUTHORIZED, -2015, "Invalid API-key, IP, or permissions for action.")
    }

    /// A symbol without an index.
    #[must_use]
    pub fn no_reference_price() -> ApiError {
        ApiError::bad(-2043, "This symbol doesn't have a reference price.")
    }

    /// A name that is another order's.
    #[must_use]
    pub fn other_order() -> ApiError {
        ApiError::bad(-2039, "Client order ID is not correct for this order ID.")
    }

    /// Its code and text, as a part of another answer.
    #[must_use]
    pub fn body_fields(&self) -> Value {
        json!({ "code": self.code, "msg": self.msg })
    }

    /// The body: `{"code":-1121,"msg":"Invalid symbol."}`.
    #[must_use]
    pub fn body(&self) -> String {
        let mut body = self.body_fields();
        if let Some(data) = &self.data {
            body["data"] = data.clone();
        }
        body.to_string()
    }

    /// The response.
    #[must_use]
    pub fn response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        if let Some(seconds) = self.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds.to_string()));
        }
        response.content_type(JSON).body(self.body())
    }
}
