//! Codes that prove an address: sent, checked, used up with what they were for.
//!
//! Owns: what is sent where, and in which words. Never does: tell whether an account exists; keep a code in the clear.
//! Invariants: a code proves only what it was sent for. Known limits: without the dev mailbox nothing is sent yet.
//! Rules: `docs/rules/authentication.md "Verification codes"`.

use super::Auth;
use super::office::{away, claim, login_of, now};
use super::rules::Contact;
use super::secrets;
use crate::api::http::errors::{Code, Failure};
use crate::api::http::i18n::Lang;
use crate::api::http::limits::network;
use std::net::IpAddr;
use xng_persistence::office::{self, CodeCheck, CodeUse, Purpose, SendCheck, SendLimits};

/// A code is good for this long, and once verified again for this long.
const CODE_MS: u64 = 600_000;

impl Auth {
    /// Sends a code, or a notice when a code would tell whether the account exists.
    pub async fn send_code(&self, purpose: Purpose, contact: &Contact, ip: IpAddr) -> Result<(), Failure> {
        let destination = contact.key();
        let from = network(ip).to_string();
        let limits = SendLimits::default();
        let reserve = self.office.reserve_send(purpose, &destination, &from, &limits, now());
        if let SendCheck::Wait { .. } = reserve.await.map_err(away)? {
            return Err(Code::TooMany.into());
        }
        let known = self.office.find_login(&login_of(contact)).await.map_err(away)?.is_some();
        let code = secrets::code();
        let (subject, body) = match (purpose, known) {
            (Purpose::Register, true) => ("mail_exists_title", "mail_exists_text"),
            (Purpose::Register, false) | (_, true) => {
                self.office.put_code(&claim(purpose, contact, &code), now(), CODE_MS).await.map_err(away)?;
                ("mail_code_title", "mail_code_text")
            }
            (_, false) => ("mail_unknown_title", "mail_unknown_text"),
        };
        self.send(contact, subject, body, &code).await
    }

    async fn send(&self, contact: &Contact, subject: &str, body: &str, code: &str) -> Result<(), Failure> {
        if !self.settings.dev_mailbox {
            return Err(Code::UnderDevelopment.into());
        }
        let channel = match contact {
            Contact::Email(_) => "mail",
            Contact::Phone { .. } => "sms",
        };
        let text = |key: &str| self.mails.text(Lang::En, key, &[("code", code.to_owned())]);
        let (to, subject, body) = (contact.key(), text(subject), text(body));
        self.office.put_mail(channel, &to, &subject, &body, now()).await.map(drop).map_err(away)
    }

    /// The dev mailbox, newest first; of one destination when `to` is not empty.
    pub async fn mailbox(&self, to: &str) -> Result<Vec<serde_json::Value>, Failure> {
        let mails = self.office.mails((!to.is_empty()).then_some(to), 50).await.map_err(away)?;
        let row = |m: office::Mail| {
            serde_json::json!({
                "id": m.id, "channel": m.channel, "to": m.destination, "subject": m.subject, "text": m.body,
                "created_ms": m.created_ms,
            })
        };
        Ok(mails.into_iter().map(row).collect())
    }

    /// Checks a code without using it up; it stays good for ten minutes more. Without a purpose it is tried as what the
    /// newest code to that address was sent for, so that a wrong guess counts once.
    pub async fn check_code(&self, purpose: Option<Purpose>, contact: &Contact, code: &str) -> Result<(), Failure> {
        let purpose = match purpose {
            Some(purpose) => purpose,
            None => {
                let key = contact.key();
                let newest = self.office.newest_purpose(&key, &[Purpose::Register, Purpose::Forget]);
                newest.await.map_err(away)?.ok_or(Code::BadCode)?
            }
        };
        let usage = CodeUse::Verify { for_ms: CODE_MS };
        let checked = self.office.check_code(&claim(purpose, contact, code), usage, now()).await;
        if checked.map_err(away)? == CodeCheck::Right { Ok(()) } else { Err(Code::BadCode.into()) }
    }
}
