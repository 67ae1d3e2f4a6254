//! What users do with their API keys: making, changing, confirming, ending them; and the review of all once a minute.
//!
//! Owns: these changes, in the database and in memory. Never does: change a key without a proof or, while no second
//! factor is in use, its user's password. Invariants: what is asked for is done with that, which a reset of the password that
//! comes between makes worthless. Known limits: those of
//! [`super::api_keys`].

use super::Auth;
use super::api_keys::{KeyRow, KeyTerms, MOST_KEYS, NAME_CHARS, names_of, owner, row_of, used_since};
use super::office::{away, now};
use super::second_factor::Surety;
use super::secrets;
use crate::api::http::errors::{Code, Failure};
use serde_json::json;
use std::collections::BTreeSet;
use xng_core::ids::AccountId;
use xng_persistence::office::{ApiKeyKind, NewApiKey, PasswordProof, Proven, StoredApiKey};

/// What was done with a proof; a password that is not the user's any more is a wrong one.
fn done<T>(outcome: Proven<T>, nothing: Code) -> Result<T, Failure> {
    match outcome {
        Proven::Done(done) => done.ok_or_else(|| nothing.into()),
        Proven::Stale => Err(Code::BadPayPassword.into()),
    }
}

impl Auth {
    /// Refuses who does not know the user's pay password; while none is set, the login's stands for it. Wrong ones are
    /// counted before they are tried. What it was asked for is done with the proof: a reset of the password may come between.
    pub(super) async fn prove(&self, user: AccountId, password: &str) -> Result<PasswordProof, Failure> {
        if !self.keys.wrong.take(user) {
            return Err(Code::TooMany.into());
        }
        let known = self.office.user(user).await.map_err(away)?.ok_or(Code::NeedsLogin)?;
        let expected = known.pay_password_hash.as_deref().unwrap_or(&known.password_hash);
        if !self.hasher.verify(password, Some(expected)).await? {
            return Err(Code::BadPayPassword.into());
        }
        self.keys.wrong.give(&user);
        Ok(known.password_proof())
    }

    /// A user's keys, oldest first.
    pub async fn api_keys(&self, user: AccountId) -> Result<Vec<KeyRow>, Failure> {
        let stored = self.office.api_keys(user).await.map_err(away)?;
        stored.into_iter().map(row_of).collect()
    }

    /// Makes a key; without a public key of the user's the secret comes with it, which is not told again.
    pub async fn create_api_key(
        &self,
        terms: &KeyTerms,
        public: Option<[u8; 32]>,
        surety: &Surety<'_>,
    ) -> Result<(KeyRow, Option<String>), Failure> {
        let user = surety.session.account;
        let proof = self.authorize(surety).await?;
        let name = secrets::alphanumeric(NAME_CHARS);
        let hmac_secret = public.is_none().then(|| secrets::alphanumeric(NAME_CHARS));
        let secret = match (&hmac_secret, public) {
            (Some(secret), _) => self.keys.sealer.seal(&owner(user, &name), secret.as_bytes()),
            (None, public) => public.unwrap_or_default().to_vec(),
        };
        let new = NewApiKey {
            user,
            label: terms.label.clone(),
            kind: if hmac_secret.is_some() { ApiKeyKind::Hmac } else { ApiKeyKind::Ed25519 },
            name,
            secret,
            scopes: terms.scopes.bits(),
            networks: names_of(&terms.networks),
        };
        let changing = self.keys.changing().await;
        let at = now();
        let added = self.office.add_api_key(&new, &proof, MOST_KEYS, at).await;
        let id = done(added.map_err(away)?, Code::Limit)?;
        let made = StoredApiKey { id, key: new, created_ms: at, used_ms: None, suspended: false };
        self.keys.keep(made.clone());
        drop(changing);
        self.audit_about(user, "create api key", &key_detail(id, Some(terms)), surety.ip).await;
        Ok((row_of(made)?, hmac_secret))
    }

    /// Changes what may be changed of a user's own key.
    pub async fn change_api_key(&self, id: u64, terms: &KeyTerms, surety: &Surety<'_>) -> Result<(), Failure> {
        let user = surety.session.account;
        let proof = self.authorize(surety).await?;
        let changing = self.keys.changing().await;
        let change = (terms.label.as_str(), terms.scopes.bits(), &*names_of(&terms.networks));
        let changed = self.office.change_api_key(user, id, &proof, change).await;
        let stored = done(changed.map_err(away)?, Code::NotFound)?;
        let name = stored.key.name.clone();
        self.keys.keep(stored);
        self.keys.tell(name, user);
        drop(changing);
        self.audit_about(user, "change api key", &key_detail(id, Some(terms)), surety.ip).await;
        Ok(())
    }

    /// Lets one of a user's own keys work again that a reset of the password suspended.
    pub async fn confirm_api_key(&self, id: u64, surety: &Surety<'_>) -> Result<(), Failure> {
        let user = surety.session.account;
        let proof = self.authorize(surety).await?;
        let changing = self.keys.changing().await;
        let confirmed = self.office.confirm_api_key(user, id, &proof).await;
        let stored = done(confirmed.map_err(away)?, Code::NotFound)?;
        self.keys.keep(stored);
        drop(changing);
        self.audit_about(user, "confirm api key", &key_detail(id, None), surety.ip).await;
        Ok(())
    }

    /// Ends one of a user's own keys.
    pub async fn delete_api_key(&self, id: u64, surety: &Surety<'_>) -> Result<(), Failure> {
        let user = surety.session.account;
        let proof = self.authorize(surety).await?;
        let changing = self.keys.changing().await;
        let removed = self.office.remove_api_key(user, id, &proof).await;
        self.keys.end(&done(removed.map_err(away)?, Code::NotFound)?.key.name);
        drop(changing);
        self.audit_about(user, "delete api key", &key_detail(id, None), surety.ip).await;
        Ok(())
    }

    /// Ends the keys of users who were removed meanwhile, brings back those of users who were unlocked, and
    /// writes when keys were last used. While the database is away, all goes on as it was.
    pub async fn review_api_keys(&self) {
        self.keys.wrong.sweep();
        let used: Vec<(u64, u64)> = self.keys.live.iter().filter_map(|key| used_since(&key)).collect();
        if !used.is_empty()
            && let Err(error) = self.office.api_keys_used(&used).await
        {
            tracing::warn!(%error, "when API keys were last used was not noted");
        }
        let _changing = self.keys.changing().await;
        match self.office.live_api_keys().await {
            Ok(stored) => {
                let may_act = |one: &&StoredApiKey| !self.locked().contains(one.key.user);
                let known: BTreeSet<&str> = stored.iter().filter(may_act).map(|one| one.key.name.as_str()).collect();
                let gone = self.keys.live.iter().filter(|key| !known.contains(key.key().as_str()));
                let gone: Vec<String> = gone.map(|key| key.key().clone()).collect();
                gone.iter().for_each(|name| self.keys.end(name));
                let back = stored.iter().filter(may_act).filter(|one| !self.keys.live.contains_key(&one.key.name));
                back.for_each(|one| self.keys.keep(one.clone()));
            }
            Err(error) => tracing::warn!(%error, "API keys were not reviewed"),
        }
    }
}

fn key_detail(id: u64, terms: Option<&KeyTerms>) -> serde_json::Value {
    match terms {
        Some(terms) => json!({ "id": id, "scopes": terms.scopes.names(), "ips": names_of(&terms.networks) }),
        None => json!({ "id": id }),
    }
}
