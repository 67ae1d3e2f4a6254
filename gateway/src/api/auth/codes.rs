//! Codes that prove an address: written to it, checked, used up with what they were for.
//!
//! Owns: who is told what, and how long it is worth something. Never does: tell whether an account exists; keep a code in the clear; send.
//! Invariants: a code proves only what it was sent for, and is hashed with it; what needs a login is sent to the user's own
//! contact, and is good within the session that asked; a code and the message that tells it are one write. Known limits: none.
//! Rules: `docs/rules/authentication.md "Verification codes"`.

use super::Auth;
use super::office::{away, login_of, now};
use super::rules::Contact;
use super::secrets;
use super::session::Session;
use crate::api::http::errors::{Code, Failure};
use crate::api::http::i18n::Lang;
use crate::api::http::limits::network;
use crate::messenger::Letter;
use std::net::IpAddr;
use xng_core::ids::AccountId;
use xng_persistence::office::{CodeCheck, CodeClaim, CodeUse, Login, Purpose, SendCheck, SendLimits};

/// A code is good for this long, and once verified again for this long.
const CODE_MS: u64 = 600_000;

/// Who asks for a code, or says that they have received it.
#[derive(Debug, Clone, Copy)]
pub struct Asker {
    /// Where from.
    pub ip: IpAddr,
    /// The session, where the code needs one.
    pub session: Option<Session>,
}

impl Asker {
    fn key(&self) -> String {
        match &self.session {
            Some(session) => format!("session:{}", secrets::hex(&session.id)),
            None => format!("address:{}", network(self.ip)),
        }
    }
}

/// Messages to such contacts go nowhere here.
fn closed(contact: &Contact) -> Failure {
    Failure::text(
        Code::UnderDevelopment,
        match contact {
            Contact::Email(_) => "no_mails",
            Contact::Phone { .. } => "no_sms",
        },
    )
}

impl Auth {
    /// A code as the office keeps it: hashed with what it is for, so that it proves nothing anywhere else.
    pub(super) fn claim(&self, purpose: Purpose, contact: &Contact, asker: Asker, code: &str) -> CodeClaim {
        let destination = contact.key();
        let hash = self.code_hasher.hash(&format!("{}:{destination}:{code}", purpose.name()));
        CodeClaim { purpose, destination, asker: asker.key(), hash }
    }

    /// Sends a code, or a notice when a code would tell whether the account exists.
    ///
    /// # Errors
    /// 999 without the session that a purpose needs, 1001 when the contact is not that user's own (or to be), 1006 where messages to such
    /// contacts go nowhere, 1018 when too many were sent.
    pub async fn send_code(
        &self,
        purpose: Purpose,
        contact: &Contact,
        asker: Asker,
        lang: Lang,
    ) -> Result<(), Failure> {
        if purpose == Purpose::BindNew && !self.messenger.reaches(contact) {
            return Err(closed(contact));
        }
        match asker.session.filter(|_| purpose == Purpose::BindNew) {
            Some(session) if !self.foreign_sends.take(session.account) => return Err(Code::TooMany.into()),
            Some(_) => {}
            None if purpose.needs_login() => self.needs_own(contact, asker).await?,
            None => {}
        }
        if !self.messenger.reaches(contact) {
            return Err(closed(contact));
        }
        let destination = contact.key();
        let from = network(asker.ip).to_string();
        let user = self.office.find_login(&login_of(contact)).await.map_err(away)?;
        let mut limits = SendLimits::default();
        // Looked up of nobody too: the time tells nothing.
        let id = user.as_ref().map_or(AccountId(0), |user| user.id);
        let is_known = self.office.knows_address(id, &from, now()).await.map_err(away)?;
        if purpose == Purpose::Forget && is_known {
            // What others ask for keeps nobody from a code who asks from where they log in.
            limits.a_day = u32::MAX;
        }
        let taken = self.messenger.take(contact, is_known || asker.session.is_some()).ok_or(Code::TooMany)?;
        let reserve = self.office.reserve_send(purpose, &destination, &from, &limits, now()).await;
        if !matches!(reserve, Ok(SendCheck::Allowed)) {
            taken.give_back();
        }
        if let SendCheck::Wait { .. } = reserve.map_err(away)? {
            return Err(Code::TooMany.into());
        }
        let code = secrets::code();
        // A code that nobody is told is kept, too: neither the time of an answer nor a wrong guess tells who is a user.
        let claim = self.claim(purpose, contact, asker, &code);
        let letter = match (purpose, user.is_some()) {
            (Purpose::Register | Purpose::BindNew, true) => Letter::AccountExists,
            (Purpose::Register | Purpose::BindNew, false) | (_, true) => Letter::Code(purpose, &code),
            (_, false) => Letter::NoAccount,
        };
        let now = now();
        let message = self.messenger.write((contact, user.as_ref()), letter, lang, now + CODE_MS);
        let message = message.ok_or_else(|| closed(contact))?;
        self.office.put_code(&claim, &message, now, CODE_MS).await.map_err(away)?;
        self.messenger.wake(contact);
        Ok(())
    }

    async fn needs_own(&self, contact: &Contact, asker: Asker) -> Result<(), Failure> {
        let session = asker.session.ok_or(Code::NeedsLogin)?;
        let user = self.office.user(session.account).await.map_err(away)?.ok_or(Code::NeedsLogin)?;
        let is_own = match login_of(contact) {
            Login::Email(address) => user.email.is_some_and(|own| own == address),
            Login::Phone(phone) => user.phone.is_some_and(|own| own == phone),
        };
        if is_own { Ok(()) } else { Err(Failure::text(Code::Parameter, "not_own_contact")) }
    }

    /// Checks a code without using it up; it stays good for ten minutes more. Without a purpose it is tried as what the
    /// newest code to that address was sent for, so that a wrong guess counts once.
    pub async fn check_code(
        &self,
        purpose: Option<Purpose>,
        contact: &Contact,
        asker: Asker,
        code: &str,
    ) -> Result<(), Failure> {
        let purpose = match purpose {
            Some(purpose) => purpose,
            None => {
                let (destination, asker) = (contact.key(), asker.key());
                let public = [Purpose::Register, Purpose::Forget];
                let newest = self.office.newest_purpose(&destination, &asker, &public, now());
                newest.await.map_err(away)?.ok_or(Code::BadCode)?
            }
        };
        let usage = CodeUse::Verify { for_ms: CODE_MS };
        let claim = self.claim(purpose, contact, asker, code);
        let checked = self.office.check_code(&claim, usage, now()).await;
        if checked.map_err(away)? == CodeCheck::Right { Ok(()) } else { Err(Code::BadCode.into()) }
    }
}
