//! Which pages of other sites may make the calls of programs from a browser.
//!
//! Owns: what a preflight is answered, and the headers by which a browser lets the page read an answer. Never does: let
//! cookies count: these calls go by the key that a page signs with. Invariants: without an origin in `server.cors_origins`
//! nothing of this is there. Known limits: what is refused before a call is looked up (413, a request that takes too long)
//! has no such header.

use super::call::Method;
use crate::config::{ANY_ORIGIN, Config};
use actix_cors::Cors;
use actix_web::middleware::Condition;

/// Headers that a page may send: what signed calls have, and the type of a form or of none.
const MAY_SEND: [&str; 3] = ["x-mbx-apikey", "x-mbx-time-unit", "content-type"];
/// Headers that a page may read besides those that every page may.
const MAY_READ: [&str; 5] =
    ["x-mbx-used-weight", "x-mbx-used-weight-1m", "x-mbx-order-count-10s", "x-mbx-order-count-1d", "retry-after"];
/// A browser asks this seldom whether it may.
const ASK_EVERY_S: usize = 3_600;

/// Around the calls of programs; nothing when no origin is listed.
pub(super) fn cors(config: &Config) -> Condition<Cors> {
    let origins = &config.server.cors_origins;
    let methods = [Method::Get, Method::Post, Method::Put, Method::Delete].map(Method::name);
    let terms = Cors::default().allowed_methods(methods).allowed_headers(MAY_SEND).expose_headers(MAY_READ);
    // Others are answered as before, without the headers: it is the browser that keeps the answer from the page.
    let terms = terms.block_on_origin_mismatch(false).max_age(ASK_EVERY_S);
    let terms = if origins.iter().any(|origin| origin == ANY_ORIGIN) {
        terms.allow_any_origin().send_wildcard()
    } else {
        origins.iter().fold(terms, |terms, origin| terms.allowed_origin(origin))
    };
    Condition::new(!origins.is_empty(), terms)
}
