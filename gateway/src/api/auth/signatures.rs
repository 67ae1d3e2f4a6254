//! What checks the signatures of programs.
//!
//! Owns: both kinds of signatures, and the forms of public keys. Never does: know whose a key is, or what is signed.
//! Invariants: a signature that is not well formed is none. Known limits: no RSA keys.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use ring::signature::{ED25519, UnparsedPublicKey};

/// What checks a key's signatures.
#[derive(Debug, Clone)]
pub enum Verifier {
    /// HMAC-SHA256 with a secret that both sides have; signatures are hex, in any case of letters.
    Hmac(hmac::Key),
    /// Ed25519 with the user's public key; signatures are base64.
    Ed25519([u8; 32]),
}

impl Verifier {
    /// Whether a signature, as it was sent, is of these bytes.
    #[must_use]
    pub fn accepts(&self, payload: &[u8], signature: &str) -> bool {
        match self {
            Verifier::Hmac(key) => from_hex(signature).is_some_and(|tag| hmac::verify(key, payload, &tag).is_ok()),
            Verifier::Ed25519(public) => STANDARD
                .decode(signature)
                .is_ok_and(|tag| UnparsedPublicKey::new(&ED25519, public).verify(payload, &tag).is_ok()),
        }
    }
}

/// The bytes of pairs of hexadecimal digits.
pub(in crate::api) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some((digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?) as u8)).collect()
}

/// The 32 bytes of an Ed25519 public key: PEM, or base64 of its SubjectPublicKeyInfo, or base64 of the bytes themselves.
#[must_use]
pub fn ed25519_public(text: &str) -> Option<[u8; 32]> {
    // RFC 8410: SEQUENCE { SEQUENCE { OID 1.3.101.112 }, BIT STRING }.
    const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
    let text = text.trim();
    let body = text.strip_prefix("-----BEGIN PUBLIC KEY-----").unwrap_or(text);
    let body = body.strip_suffix("-----END PUBLIC KEY-----").unwrap_or(body);
    let plain: String = body.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = STANDARD.decode(plain).ok()?;
    bytes.strip_prefix(SPKI.as_slice()).unwrap_or(&bytes).try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{Ed25519KeyPair, KeyPair};

    #[test]
    fn a_public_key_is_read_in_all_three_forms() {
        // RFC 8410 section 10.1.
        let spki = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
        let key = ed25519_public(spki).unwrap();
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{spki}\n-----END PUBLIC KEY-----\n");
        assert_eq!(ed25519_public(&pem), Some(key));
        assert_eq!(ed25519_public(&STANDARD.encode(key)), Some(key));
        for bad in ["", "x", &spki[..40], "-----BEGIN PUBLIC KEY-----", &STANDARD.encode([7; 31])] {
            assert_eq!(ed25519_public(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_signature_is_its_own_keys_alone() {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let verifier = Verifier::Ed25519(pair.public_key().as_ref().try_into().unwrap());
        let signature = STANDARD.encode(pair.sign(b"payload"));
        assert!(verifier.accepts(b"payload", &signature));
        assert!(!verifier.accepts(b"payloae", &signature) && !verifier.accepts(b"payload", &signature.to_lowercase()));
        let shared = Verifier::Hmac(hmac::Key::new(hmac::HMAC_SHA256, b"secret"));
        assert!(
            !shared.accepts(b"payload", "") && !shared.accepts(b"payload", "abc") && !shared.accepts(b"x", &signature)
        );
    }
}
