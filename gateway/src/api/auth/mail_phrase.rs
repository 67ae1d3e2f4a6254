//! A user's anti-phishing text, by which the user tells our mails from forged ones.
//!
//! Owns: setting and removing it. Never does: add it to a mail, `messenger/letter.rs` does. Invariants: it is sealed before it is kept,
//! and changed by a proof. Known limits: whoever has a session reads it.
//! Rules: `docs/rules/authentication.md "Anti-phishing text"`.

use super::Auth;
use super::office::{away, now};
use super::second_factor::{Surety, entry};
use crate::api::http::errors::Failure;
use serde_json::json;

impl Auth {
    /// Sets the text, or removes it.
    ///
    /// # Errors
    /// 1022, 1010, 1018 as proofs have it.
    pub async fn set_mail_phrase(&self, phrase: Option<&str>, surety: &Surety<'_>) -> Result<(), Failure> {
        let user = surety.session.account;
        let proof = self.authorize(surety).await?;
        let sealed = phrase.map(|phrase| self.messenger.seal_phrase(user, phrase));
        let audit = entry(user, "change mail phrase", &json!({ "set": phrase.is_some() }), surety.ip);
        let set = self.office.set_mail_phrase((user, sealed.as_deref()), &proof, (&audit, now())).await;
        if set.map_err(away)? { Ok(()) } else { self.stale(user).await }
    }
}
