//! What all that ask the office database have in common: its errors, its clock, names of logins in its form.
//!
//! Owns: these forms. Never does: ask it. Invariants: none. Known limits: none.

use super::rules::Contact;
use crate::api::http::errors::{Code, Failure};
use crate::common::time::now_ms;
use xng_persistence::office::{Login, OfficeError, Phone};

pub(super) fn away(error: OfficeError) -> Failure {
    tracing::warn!(%error, "the office database did not answer");
    Failure::text(Code::Busy, "login_later")
}

pub(super) fn now() -> u64 {
    now_ms() as u64
}

pub(super) fn login_of(contact: &Contact) -> Login {
    match contact {
        Contact::Email(address) => Login::Email(address.clone()),
        Contact::Phone { area, number } => Login::Phone(Phone { area_code: area.clone(), number: number.clone() }),
    }
}
