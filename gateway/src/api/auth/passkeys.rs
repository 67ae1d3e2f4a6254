//! Passkeys of users: second factors that no other site can ask for, and a login by one alone.
//!
//! Owns: how a passkey is kept, and what a browser is asked. Never does: decide what a proof is for; `super::second_factor` does.
//! Invariants: of a passkey its name and its public key are kept sealed together, so that who writes to the database adds none; a
//! signature is good for one challenge. Known limits: a login by a passkey alone needs one that the device keeps with its user.
//! Rules: `docs/rules/authentication.md "Second factor"`.

use super::Auth;
use super::challenges::{Aim, Asked};
use super::office::{away, now};
use super::second_factor::{Given, Method, Surety, entry, shown_name};
use super::session::{LoginFrom, Session};
use crate::api::http::errors::{Code, Failure};
use crate::api::http::limits::network;
use crate::common::passkeys::{Assertion, Registration};
use serde_json::{Value, json};
use std::net::IpAddr;
use xng_core::ids::AccountId;
use xng_persistence::office::{Factor, FactorKind, Factors, MOST_PASSKEYS, NewFactor, Spending};

/// Who asks for a challenge of a login without a name.
const NOBODY: AccountId = AccountId(0);

/// A passkey that a browser is asked to make, or to sign with.
#[derive(Debug)]
pub struct AskedPasskey {
    /// The challenge that its answer names.
    pub challenge: String,
    /// When that ends, milliseconds since the epoch.
    pub expire_at_ms: u64,
    /// What the browser makes it by, or signs.
    pub options: Value,
}

/// What is kept of a passkey.
struct Kept {
    credential: Vec<u8>,
    public_key: Vec<u8>,
}

impl Kept {
    fn bytes(&self) -> Vec<u8> {
        // A name is shorter than 64 KiB, as the standard has it.
        let length = u16::try_from(self.credential.len()).unwrap_or(u16::MAX).to_be_bytes();
        [&length, self.credential.as_slice(), &self.public_key].concat()
    }

    fn read(bytes: &[u8]) -> Option<Kept> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (credential, public_key) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        Some(Kept { credential: credential.to_vec(), public_key: public_key.to_vec() })
    }
}

/// For whom a passkey is sealed.
fn owner(user: AccountId) -> String {
    format!("passkey:{}", user.0)
}

impl Auth {
    /// Whether users may add passkeys.
    #[must_use]
    pub fn has_passkeys(&self) -> bool {
        self.site.is_some()
    }

    fn opened<'a>(&self, user: AccountId, factors: &'a Factors) -> impl Iterator<Item = (&'a Factor, Kept)> {
        let owner = owner(user);
        factors.of(FactorKind::Passkey).filter_map(move |factor| {
            let bytes = self.keys.sealer.open_sealed(&owner, &factor.sealed)?;
            Some((factor, Kept::read(&bytes)?))
        })
    }

    /// What a browser has one of a user's passkeys sign; none when there is no passkey.
    pub(super) fn passkey_request(&self, (user, factors): (AccountId, &Factors), to_sign: &[u8; 32]) -> Option<Value> {
        let site = self.site.as_ref()?;
        let keys: Vec<Kept> = self.opened(user, factors).map(|(_, kept)| kept).collect();
        let names = keys.iter().map(|kept| kept.credential.as_slice());
        (!keys.is_empty()).then(|| site.request(to_sign, names))
    }

    /// What a signature spends, if it is a user's for this challenge.
    pub(super) fn signature_of(
        &self,
        (user, factors): (AccountId, &Factors),
        answer: &str,
        to_sign: &[u8; 32],
    ) -> Option<Spending> {
        let site = self.site.as_ref()?;
        let assertion: Assertion = serde_json::from_str(answer).ok()?;
        let credential = assertion.credential().ok()?;
        let (factor, kept) = self.opened(user, factors).find(|(_, kept)| kept.credential == credential)?;
        let counter = site.verify(to_sign, &kept.public_key, &assertion).ok()?;
        Some(Spending::Signature { factor: factor.id, counter })
    }

    /// Asks a browser to make a passkey. While no factor is in use the login password is asked for, else a proof.
    ///
    /// # Errors
    /// 1006 where there are none, 1013 of one more than [`MOST_PASSKEYS`]; 1009 of a wrong password, 1018 after too many, 1022
    /// without the proof.
    pub async fn begin_passkey(
        &self,
        surety: &Surety<'_>,
        password: Option<&str>,
        (site_name, label): (&str, String),
    ) -> Result<AskedPasskey, Failure> {
        let site = self.site.as_ref().ok_or(Code::UnderDevelopment)?;
        let account = surety.session.account;
        let user = self.known_user(account).await?;
        let factors = self.office.factors(account).await.map_err(away)?;
        if factors.of(FactorKind::Passkey).count() >= MOST_PASSKEYS as usize {
            return Err(Code::Limit.into());
        }
        let proof = self.may_add((&user, &factors), surety, password).await?;
        let aim = Aim::Passkey(label, proof);
        let (name, expire_at_ms) = self.challenges.ask(account, Asked::Session(surety.session.id), aim.clone(), now());
        let keys: Vec<Kept> = self.opened(account, &factors).map(|(_, kept)| kept).collect();
        let others = keys.iter().map(|kept| kept.credential.as_slice());
        let options = site.creation(&aim.to_sign(&name), site_name, (account.0, &shown_name(&user)), others);
        Ok(AskedPasskey { challenge: name, expire_at_ms, options })
    }

    /// Asks a browser for a passkey of whoever has one: a login without a name.
    ///
    /// # Errors
    /// 1006 where there are none.
    pub fn begin_passkey_login(&self, ip: IpAddr) -> Result<AskedPasskey, Failure> {
        let site = self.site.as_ref().ok_or(Code::UnderDevelopment)?;
        let (asked, aim) = (Asked::Address(network(ip.to_canonical())), Aim::PasskeyLogin);
        let to_sign = aim.clone();
        let (challenge, expire_at_ms) = self.challenges.ask(NOBODY, asked, aim, now());
        let options = site.request(&to_sign.to_sign(&challenge), std::iter::empty());
        Ok(AskedPasskey { challenge, expire_at_ms, options })
    }

    /// The signature: a token and whose it is. The authenticator has verified its user, so it stands for password and second factor.
    ///
    /// # Errors
    /// 1008 whatever was wrong: signature, challenge, address, or a user without this passkey; 1007 of a locked account.
    pub async fn login_by_passkey(
        &self,
        name: &str,
        answer: &str,
        from: LoginFrom<'_>,
    ) -> Result<(String, AccountId), Failure> {
        let wrong = || Failure::from(Code::BadCode);
        let asked = Asked::Address(network(from.ip.to_canonical()));
        let aim = self.challenges.attempt(name, asked, now()).map(|challenge| challenge.aim);
        let aim = aim.filter(|aim| *aim == Aim::PasskeyLogin).ok_or_else(wrong)?;
        let assertion: Assertion = serde_json::from_str(answer).map_err(|_| wrong())?;
        let account = assertion.user().map(AccountId).ok_or_else(wrong)?;
        let factors = self.office.factors(account).await.map_err(away)?;
        let given = Given { method: Method::Passkey, answer, to_sign: Some(aim.to_sign(name)) };
        self.spend((account, &factors), given, ("login by a passkey alone", from.ip)).await?;
        if !self.challenges.answered(name, now()) {
            return Err(wrong());
        }
        if self.locked.contains(account) {
            return Err(Code::AccountLocked.into());
        }
        let user = self.known_user(account).await?;
        let token = self.open_session((&user, &user.password_hash), true, from).await?.ok_or_else(wrong)?;
        Ok((token, account))
    }

    /// Puts a passkey into use that a browser made; its id, and the recovery codes when it is the first factor, which are not told
    /// again.
    ///
    /// # Errors
    /// 1006 where there are none, 1008 whatever is wrong with the answer or its challenge, 1016 of a passkey that is there, 1022
    /// when the proof does not hold any more.
    pub async fn finish_passkey(
        &self,
        session: Session,
        (name, answer): (&str, &Registration),
        ip: IpAddr,
    ) -> Result<(u64, Vec<String>), Failure> {
        let site = self.site.as_ref().ok_or(Code::UnderDevelopment)?;
        let account = session.account;
        let challenge = self.challenges.attempt(name, Asked::Session(session.id), now());
        let aim = challenge.map(|challenge| challenge.aim).ok_or(Code::BadCode)?;
        let to_sign = aim.to_sign(name);
        let Aim::Passkey(label, proof) = aim else { return Err(Code::BadCode.into()) };
        let key = site.register(&to_sign, answer).map_err(|_| Code::BadCode)?;
        let factors = self.office.factors(account).await.map_err(away)?;
        if self.opened(account, &factors).any(|(_, kept)| kept.credential == key.credential) {
            return Err(Code::Exists.into());
        }
        if !self.challenges.answered(name, now()) {
            return Err(Code::BadCode.into());
        }
        let kept = Kept { credential: key.credential, public_key: key.public_key };
        let sealed = self.keys.sealer.seal(&owner(account), &kept.bytes());
        let new = NewFactor { user: account, sealed, label };
        let (recovery, digests) = self.new_recovery(account);
        let audit = entry(account, "add passkey", &json!({ "label": &new.label }), ip);
        let added =
            self.office.add_passkey((&new, key.counter), &proof, &digests, &audit, now()).await.map_err(away)?;
        let Some((id, is_first)) = added else { return self.stale(account).await };
        Ok((id, if is_first { recovery } else { Vec::new() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_as_it_was() {
        let kept = Kept { credential: vec![1; 300], public_key: vec![2; 77] };
        let read = Kept::read(&kept.bytes()).unwrap();
        assert_eq!((read.credential, read.public_key), (vec![1; 300], vec![2; 77]));
        for wrong in [&[][..], &[0], &[0, 2, 1]] {
            assert!(Kept::read(wrong).is_none(), "{wrong:?}");
        }
    }
}
