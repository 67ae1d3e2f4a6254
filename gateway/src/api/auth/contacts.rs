//! Another mail address or phone of a user.
//!
//! Owns: which contact's code a change needs besides the new one's; the notice to the contact that was there. Never does: send a code.
//! Invariants: with a session alone nobody adds a contact by which a password is reset: it takes a code that was sent to one that was
//! bound before, and a proof where a second factor is in use. Known limits: none. Rules: `docs/rules/authentication.md "Contacts"`.

use super::Auth;
use super::codes::Asker;
use super::office::{away, login_of, now};
use super::pay_password::contacts;
use super::rules::Contact;
use super::second_factor::{Method, Surety, entry};
use crate::api::http::errors::{Code, Failure};
use crate::api::http::i18n::Lang;
use crate::messenger::Letter;
use serde_json::json;
use std::mem::discriminant;
use xng_persistence::office::{Binding, Purpose};

/// A notice is tried to be sent for so long.
pub(crate) const NOTICE_MS: u64 = 86_400_000;

impl Auth {
    /// Binds a contact by the code that was sent to it, and one that was sent to the contact of its kind that was bound before, or to the
    /// other one.
    ///
    /// # Errors
    /// 1008 of a wrong code, with the field `old_code` of the old one's; 1016 when it is somebody else's; 1022 without a proof where a
    /// second factor is in use; 1020 when the password was changed meanwhile.
    pub async fn bind_contact(
        &self,
        contact: &Contact,
        (code, old_code): (&str, &str),
        surety: &Surety<'_>,
        lang: Lang,
    ) -> Result<(), Failure> {
        let session = surety.session;
        let user = self.office.user(session.account).await.map_err(away)?.ok_or(Code::NeedsLogin)?;
        let is_same_kind = |old: &&Contact| discriminant(*old) == discriminant(contact);
        let bound: Vec<Contact> = contacts(&user).collect();
        let before = bound.iter().find(is_same_kind);
        let old = before.or(bound.first()).ok_or(Code::NeedsLogin)?;
        // Also where none is left that can be asked: a factor that nobody can answer for is one all the same.
        if self.methods(user.id).await? != [Method::PayPassword] {
            self.assure(&Surety { pay_password: None, ..*surety }).await?;
        }
        let asker = Asker { ip: surety.ip, session: Some(session) };
        let new_claim = self.claim(Purpose::BindNew, contact, asker, code);
        let old_claim = self.claim(Purpose::Bind, old, asker, old_code);
        let kind = if matches!(contact, Contact::Email(_)) { "email" } else { "phone" };
        let audit = entry(user.id, "bind contact", &json!({ "kind": kind, "replaced": before.is_some() }), surety.ip);
        let at = (user.id, user.password_hash.as_str());
        let now = now();
        // It is bound also where nobody can be told.
        let notice = self.messenger.write((old, Some(&user)), Letter::ContactBound, lang, now + NOTICE_MS);
        let claims = (&new_claim, &old_claim);
        let done = self.office.bind_contact(at, &login_of(contact), claims, (&audit, notice.as_ref()), now).await;
        match done.map_err(away)? {
            Binding::Bound => {
                self.messenger.wake(old);
                Ok(())
            }
            Binding::BadCode => Err(Failure { field: Some(("code".into(), "wrong")), ..Code::BadCode.into() }),
            Binding::BadOldCode => Err(Failure { field: Some(("old_code".into(), "wrong")), ..Code::BadCode.into() }),
            Binding::Taken => Err(Failure::text(Code::Exists, "account_exists")),
            Binding::Stale => Err(Code::Busy.into()),
        }
    }
}
