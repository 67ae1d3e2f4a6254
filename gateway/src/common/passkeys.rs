//! Passkeys: what a browser says of a new one is read, and signatures are verified (WebAuthn, level 2).
//!
//! Owns: the form of registrations and assertions, the checks that the standard asks of a relying party (sections 7.1 and 7.2).
//! Never does: compute a signature's arithmetic (`ring` does) or CBOR (`ciborium`); keep a challenge.
//! Invariants: a signature counts only for the challenge that was given, on a page of this origin, of a user whom the authenticator
//! verified. Known limits: no attestation: that a key lives in hardware is the word of who has it.
//!
//! A challenge is chosen by the caller, since a decision is signed by its digest; libraries for whole logins draw their own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ciborium::Value;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// COSE's numbers of what this reads: ES256, EdDSA, RS256.
const ALGORITHMS: [i64; 3] = [-7, -8, -257];
/// Bits of the authenticator's flags: the user was there, was verified; a new key follows.
const PRESENT: u8 = 1;
const VERIFIED: u8 = 1 << 2;
const HAS_KEY: u8 = 1 << 6;
/// Bytes of a credential's name at most, as the standard has it.
const MOST_NAME: usize = 1_023;
/// Letters of a part of an answer: signed ones stay in the audit.
const MOST_TEXT: usize = 8_192;
/// How long a browser waits for the user.
const PATIENCE_MS: u32 = 120_000;

/// Why an answer of an authenticator is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Wrong {
    /// It has not the form of one.
    #[error("this is no answer of an authenticator")]
    Malformed,
    /// It is for another purpose, challenge or site.
    #[error("the authenticator answered something else")]
    Elsewhere,
    /// The authenticator did not verify who used it.
    #[error("the authenticator did not verify you: a passkey needs a PIN or a finger")]
    Unverified,
    /// A key of a kind that this does not verify.
    #[error("this kind of passkey is not known here")]
    UnknownKind,
    /// The signature does not fit.
    #[error("the signature does not fit")]
    Signature,
}

/// What a browser says of a new passkey; texts are base64url.
#[derive(Debug, Deserialize)]
pub struct Registration {
    client_data: String,
    attestation: String,
}

/// What a browser says of a signature.
#[derive(Debug, Deserialize)]
pub struct Assertion {
    credential: String,
    client_data: String,
    authenticator_data: String,
    signature: String,
    /// Whom the authenticator made the key for, where it knows.
    #[serde(default)]
    user_handle: Option<String>,
}

/// A new passkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// What the authenticator calls it.
    pub credential: Vec<u8>,
    /// Its public key, COSE.
    pub public_key: Vec<u8>,
    /// Signatures so far.
    pub counter: u32,
}

/// The site that passkeys are for.
#[derive(Debug, Clone)]
pub struct Site {
    origin: String,
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

/// Bytes as texts of answers have them.
#[must_use]
pub fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn bytes(text: &str) -> Result<Vec<u8>, Wrong> {
    if text.len() > MOST_TEXT {
        return Err(Wrong::Malformed);
    }
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).map_err(|_| Wrong::Malformed)
}

/// Passkeys as a browser's options name them.
fn names<'a>(keys: impl Iterator<Item = &'a [u8]>) -> Vec<serde_json::Value> {
    keys.map(|key| json!({ "type": "public-key", "id": text(key) })).collect()
}

/// What an authenticator says with every answer.
struct Said<'a> {
    flags: u8,
    counter: u32,
    rest: &'a [u8],
}

/// A number or bytes of a map.
fn field(map: &[(Value, Value)], key: i64) -> Option<&Value> {
    map.iter().find(|(name, _)| name.as_integer() == Some(key.into())).map(|(_, value)| value)
}

fn part(map: &[(Value, Value)], key: i64) -> Result<&[u8], Wrong> {
    field(map, key).and_then(Value::as_bytes).map(Vec::as_slice).ok_or(Wrong::Malformed)
}

/// A public key.
enum PublicKey {
    Es256(Vec<u8>),
    EdDsa(Vec<u8>),
    Rs256 { n: Vec<u8>, e: Vec<u8> },
}

impl PublicKey {
    /// Reads one from the front of COSE.
    fn read(mut cose: &[u8]) -> Result<PublicKey, Wrong> {
        let value: Value = ciborium::from_reader(&mut cose).map_err(|_| Wrong::Malformed)?;
        let map = value.as_map().ok_or(Wrong::Malformed)?;
        let number = |key| field(map, key).and_then(Value::as_integer).and_then(|n| i64::try_from(n).ok());
        match (number(1), number(3), number(-1)) {
            // Key type, algorithm, curve.
            (Some(2), Some(-7), Some(1)) => {
                let (x, y) = (part(map, -2)?, part(map, -3)?);
                let fits = x.len() == 32 && y.len() == 32;
                if fits { Ok(PublicKey::Es256([&[4], x, y].concat())) } else { Err(Wrong::Malformed) }
            }
            (Some(1), Some(-8), Some(6)) => Ok(PublicKey::EdDsa(part(map, -2)?.to_vec())),
            (Some(3), Some(-257), _) => Ok(PublicKey::Rs256 { n: part(map, -1)?.to_vec(), e: part(map, -2)?.to_vec() }),
            _ => Err(Wrong::UnknownKind),
        }
    }

    fn verifies(&self, signed: &[u8], signature: &[u8]) -> bool {
        match self {
            PublicKey::Es256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(signed, signature),
            PublicKey::EdDsa(key) => UnparsedPublicKey::new(&ED25519, key).verify(signed, signature),
            PublicKey::Rs256 { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature)
            }
        }
        .is_ok()
    }
}

impl Registration {
    /// From the texts of a call.
    #[must_use]
    pub fn new(client_data: &str, attestation: &str) -> Registration {
        Registration { client_data: client_data.to_owned(), attestation: attestation.to_owned() }
    }
}

impl Assertion {
    /// What the authenticator calls the key that it signed with.
    ///
    /// # Errors
    /// When it is no text of one.
    pub fn credential(&self) -> Result<Vec<u8>, Wrong> {
        bytes(&self.credential)
    }

    /// The number of whom the key was made for, where the authenticator says so.
    #[must_use]
    pub fn user(&self) -> Option<u64> {
        let handle = bytes(self.user_handle.as_deref()?).ok()?;
        Some(u64::from_be_bytes(handle.try_into().ok()?))
    }

    /// What is kept of it, so that anybody can verify it later.
    #[must_use]
    pub fn kept(&self) -> serde_json::Value {
        json!({ "credential": self.credential, "client_data": self.client_data,
            "authenticator_data": self.authenticator_data, "signature": self.signature })
    }
}

impl Site {
    /// The site of an origin (`https://office.example`); none of an address in digits, for which browsers make no passkeys.
    #[must_use]
    pub fn new(origin: &str) -> Option<Site> {
        let (_, authority) = origin.split_once("://")?;
        let id = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        let is_name = !id.is_empty() && id.parse::<std::net::IpAddr>().is_err() && !id.starts_with('[');
        is_name.then(|| Site { origin: origin.to_owned(), id: id.to_owned() })
    }

    /// The origin.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// What a browser makes a passkey by, in an authenticator that has none of `keys`; `site` is what people call the site.
    #[must_use]
    pub fn creation<'a>(
        &self,
        challenge: &[u8],
        site: &str,
        (user, name): (u64, &str),
        keys: impl Iterator<Item = &'a [u8]>,
    ) -> serde_json::Value {
        let kinds = ALGORITHMS.map(|alg| json!({ "type": "public-key", "alg": alg }));
        json!({ "challenge": text(challenge), "rp": { "id": self.id, "name": site },
            "user": { "id": text(&user.to_be_bytes()), "name": name, "displayName": name }, "pubKeyCredParams": kinds,
            "authenticatorSelection": { "userVerification": "required", "residentKey": "preferred" },
            "excludeCredentials": names(keys), "attestation": "none", "timeout": PATIENCE_MS })
    }

    /// What a browser has a challenge signed by: one of `keys`, or without any whichever it has for this site.
    #[must_use]
    pub fn request<'a>(&self, challenge: &[u8], keys: impl Iterator<Item = &'a [u8]>) -> serde_json::Value {
        json!({ "challenge": text(challenge), "rpId": self.id, "allowCredentials": names(keys),
            "userVerification": "required", "timeout": PATIENCE_MS })
    }

    fn client_data(&self, sent: &str, kind: &str, challenge: &[u8]) -> Result<[u8; 32], Wrong> {
        let sent = bytes(sent)?;
        let data: ClientData = serde_json::from_slice(&sent).map_err(|_| Wrong::Malformed)?;
        let fits = data.r#type == kind && data.origin == self.origin && !data.cross_origin;
        if !fits || bytes(&data.challenge)? != challenge {
            return Err(Wrong::Elsewhere);
        }
        Ok(Sha256::digest(&sent).into())
    }

    fn said<'a>(&self, data: &'a [u8]) -> Result<Said<'a>, Wrong> {
        let (site, rest) = data.split_at_checked(32).ok_or(Wrong::Malformed)?;
        let (flags, rest) = rest.split_first().ok_or(Wrong::Malformed)?;
        let (counter, rest) = rest.split_first_chunk().ok_or(Wrong::Malformed)?;
        if site != Sha256::digest(&self.id).as_slice() {
            return Err(Wrong::Elsewhere);
        }
        if flags & (PRESENT | VERIFIED) != PRESENT | VERIFIED {
            return Err(Wrong::Unverified);
        }
        Ok(Said { flags: *flags, counter: u32::from_be_bytes(*counter), rest })
    }

    /// Reads a new passkey that answers this challenge.
    ///
    /// # Errors
    /// Why it is not taken.
    pub fn register(&self, challenge: &[u8], answer: &Registration) -> Result<NewKey, Wrong> {
        self.client_data(&answer.client_data, "webauthn.create", challenge)?;
        let attestation = bytes(&answer.attestation)?;
        let value: Value = ciborium::from_reader(attestation.as_slice()).map_err(|_| Wrong::Malformed)?;
        let map = value.as_map().ok_or(Wrong::Malformed)?;
        let data = map.iter().find(|(name, _)| name.as_text() == Some("authData"));
        let data = data.and_then(|(_, value)| value.as_bytes()).ok_or(Wrong::Malformed)?;
        let said = self.said(data)?;
        if said.flags & HAS_KEY == 0 {
            return Err(Wrong::Malformed);
        }
        // The authenticator's model, then the length of the name.
        let (_, rest) = said.rest.split_at_checked(16).ok_or(Wrong::Malformed)?;
        let (length, rest) = rest.split_first_chunk().ok_or(Wrong::Malformed)?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (credential, key) = rest.split_at_checked(length).ok_or(Wrong::Malformed)?;
        if !(1..=MOST_NAME).contains(&length) {
            return Err(Wrong::Malformed);
        }
        PublicKey::read(key)?;
        Ok(NewKey { credential: credential.to_vec(), public_key: key.to_vec(), counter: said.counter })
    }

    /// Verifies the signature of a passkey for this challenge; the key's counter by then.
    ///
    /// # Errors
    /// Why it is not taken.
    pub fn verify(&self, challenge: &[u8], public_key: &[u8], answer: &Assertion) -> Result<u32, Wrong> {
        let hash = self.client_data(&answer.client_data, "webauthn.get", challenge)?;
        let data = bytes(&answer.authenticator_data)?;
        let said = self.said(&data)?;
        let signed = [data.as_slice(), &hash].concat();
        let fits = PublicKey::read(public_key)?.verifies(&signed, &bytes(&answer.signature)?);
        if fits { Ok(said.counter) } else { Err(Wrong::Signature) }
    }
}

#[cfg(test)]
mod tests;
