//! The pay password: setting it, and another in its place.
//!
//! Owns: this change. Never does: read the rules of passwords (`rules`); look at the pay password, which `key_changes` does.
//! Invariants: it is set by a code that was sent to the user's own contact within the session, in the write that uses the code up;
//! it is never the login password; what takes the place of another pauses withdrawals.
//! Known limits: other sessions go on.
//! Rules: `docs/rules/authentication.md "Pay password"`.

use super::Auth;
use super::codes::Asker;
use super::office::{away, now};
use super::rules::Contact;
use super::second_factor::entry;
use super::session::Session;
use crate::api::http::errors::{Code, Failure};
use serde_json::json;
use std::net::IpAddr;
use xng_persistence::office::{CodeCheck, CodeClaim, CodeUse, PaySetting, Purpose, User};

/// Where a user can get codes.
pub(super) fn contacts(user: &User) -> impl Iterator<Item = Contact> + '_ {
    let phone =
        user.phone.as_ref().map(|phone| Contact::Phone { area: phone.area_code.clone(), number: phone.number.clone() });
    user.email.clone().map(Contact::Email).into_iter().chain(phone)
}

impl Auth {
    /// Sets the pay password by a code. The code is verified before the hash is made, which is dear, and used up with the change.
    ///
    /// # Errors
    /// 1008 of a wrong code, 1001 of the login password, 1018 after too many comparisons with it, 1020 when it was changed
    /// meanwhile.
    pub async fn set_pay_password(
        &self,
        session: Session,
        password: &str,
        code: &str,
        ip: IpAddr,
    ) -> Result<(), Failure> {
        let user = self.office.user(session.account).await.map_err(away)?.ok_or(Code::NeedsLogin)?;
        let asker = Asker { ip, session: Some(session) };
        let claim = |contact: Contact| self.claim(Purpose::Pay, &contact, asker, code);
        let claims: Vec<CodeClaim> = contacts(&user).map(claim).collect();
        let mut right = Vec::new();
        for claim in claims {
            let usage = CodeUse::Verify { for_ms: 0 };
            if self.office.check_code(&claim, usage, now()).await.map_err(away)? == CodeCheck::Right {
                right.push(claim);
            }
        }
        if right.is_empty() {
            return Err(Code::BadCode.into());
        }
        // Compared before the code is used up, so that comparisons are counted: one code, asked for many times at once, is no way to
        // guess the login password.
        if !self.keys.wrong.take(user.id) {
            return Err(Code::TooMany.into());
        }
        if self.hasher.verify(password, Some(&user.password_hash)).await? {
            return Err(Failure::text(Code::Parameter, "pay_password_is_login"));
        }
        let hash = self.hasher.hash(password).await?;
        let detail = json!({ "replaced": user.pay_password_hash.is_some() });
        let audit = entry(user.id, "set pay password", &detail, ip);
        let at = (user.id, user.password_hash.as_str());
        match self.office.set_pay_password(at, &hash, &right, (&audit, now())).await.map_err(away)? {
            PaySetting::Set { .. } => {
                self.keys.wrong.give(&user.id);
                Ok(())
            }
            PaySetting::BadCode => Err(Code::BadCode.into()),
            PaySetting::Stale => Err(Code::Busy.into()),
        }
    }
}
