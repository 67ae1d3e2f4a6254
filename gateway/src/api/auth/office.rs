//! What all that ask the office database have in common: its errors, its clock, names of logins and codes in its form.
//!
//! Owns: these forms. Never does: ask it. Invariants: a code is hashed with what it is for. Known limits: none.

use super::rules::Contact;
use super::secrets::digest;
use crate::api::http::errors::{Code, Failure};
use crate::common::time::now_ms;
use xng_persistence::office::{CodeClaim, Login, OfficeError, Phone, Purpose};

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

pub(super) fn claim(purpose: Purpose, contact: &Contact, code: &str) -> CodeClaim {
    let destination = contact.key();
    // Hashed with what it is for: a code proves nothing anywhere else.
    let hash = digest(&format!("{}:{destination}:{code}", purpose.name()));
    CodeClaim { purpose, destination, hash }
}
