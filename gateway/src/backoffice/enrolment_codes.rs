//! Codes by which people of the staff enrol: who makes one, what is kept of it, when it opens an enrolment.
//!
//! Owns: these. Never does: keep a code, or a half of one. Invariants: a code that two owners made has a half of each, and neither
//! half opens anything, so that no owner enrols alone as somebody else; what the operator's tool makes alone, once two owners have
//! enrolled, opens nothing for 72 hours. Known limits: none. Rules: `docs/back-office.md "People"`.

use crate::api::auth::secrets::{digest, hex, token};
use serde_json::{Value, json};
use xng_persistence::office::{ALONE_WAITS_MS, EnrolmentBy, EnrolmentCode, TokenHash};

/// A code opens an enrolment for a day.
const LIVES_MS: u64 = 24 * 3_600_000;
/// Between two halves; no letter of a half.
const BETWEEN: char = '.';

/// What is kept of a code.
pub(super) fn kept(code: &str) -> TokenHash {
    match code.split_once(BETWEEN) {
        Some((first, second)) => joined(&hex(&digest(first)), second),
        None => digest(code),
    }
}

/// What is kept of a code whose first half has this digest, in hexadecimal digits.
fn joined(first: &str, second: &str) -> TokenHash {
    digest(&format!("{first}{BETWEEN}{second}"))
}

/// The link that brings a code. It is behind a #, so that no server and no log on the way sees it.
fn link(origin: &str, code: &str) -> String {
    format!("{origin}/admin/#/enrol/{code}")
}

/// The first half of a code, as a link that wants the other half besides, and the half's digest.
pub(super) fn first_half(origin: &str) -> (String, String) {
    let half = token();
    (link(origin, &format!("{half}{BETWEEN}")), hex(&digest(&half)))
}

/// The second half of a code, and what is kept of both.
pub(super) fn second_half(first: &str, (proposed, agreed): (u64, u64), now_ms: u64) -> (String, EnrolmentCode) {
    let half = token();
    let (opens_ms, expires_ms) = (now_ms, now_ms + LIVES_MS);
    let by = EnrolmentBy::Owners(proposed, agreed);
    let code = EnrolmentCode { hash: joined(first, &half), opens_ms, expires_ms, by };
    (half, code)
}

/// A whole code of the operator's tool: what is kept of it, and what is told. It opens at once, or after 72 hours where owners decide.
pub(crate) fn whole(origin: &str, owners_decide: bool, now_ms: u64) -> (EnrolmentCode, Value) {
    let code = token();
    let (opens_ms, by) = if owners_decide {
        (now_ms + ALONE_WAITS_MS, EnrolmentBy::OperatorAlone)
    } else {
        (now_ms, EnrolmentBy::Operator)
    };
    let expires_ms = opens_ms + LIVES_MS;
    let mut told = json!({ "link": link(origin, &code), "expires_ms": expires_ms });
    if owners_decide {
        told["opens_ms"] = opens_ms.into();
        told["note"] =
            "Two owners have enrolled: what one person adds alone opens after 72 hours, and an owner may stop it."
                .into();
    }
    (EnrolmentCode { hash: digest(&code), opens_ms, expires_ms, by }, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: &str = "http://localhost:8082";

    fn code_of(link: &str) -> &str {
        link.rsplit_once('/').unwrap().1
    }

    #[test]
    fn two_halves_open_an_enrolment_and_neither_does_alone() {
        let (link, first) = first_half(ORIGIN);
        let (half, code) = second_half(&first, (1, 2), 1_000);
        let first_code = code_of(&link);
        assert_eq!(kept(&format!("{first_code}{half}")), code.hash);
        let of_other = second_half(&first_half(ORIGIN).1, (1, 2), 1_000).1.hash;
        let halves = [first_code.to_owned(), half.clone(), format!(".{half}"), format!("{half}.{first_code}"), first];
        assert!(halves.iter().all(|wrong| kept(wrong) != code.hash) && of_other != code.hash);
        assert_eq!((code.opens_ms, code.expires_ms), (1_000, 1_000 + LIVES_MS));
    }

    #[test]
    fn what_the_tool_makes_alone_opens_after_72_hours() {
        let (code, told) = whole(ORIGIN, false, 1_000);
        assert_eq!((kept(code_of(told["link"].as_str().unwrap())), code.opens_ms), (code.hash, 1_000));
        let (code, told) = whole(ORIGIN, true, 1_000);
        assert_eq!((code.opens_ms, code.expires_ms), (1_000 + ALONE_WAITS_MS, 1_000 + ALONE_WAITS_MS + LIVES_MS));
        assert_eq!(told["opens_ms"], code.opens_ms);
    }
}
