//! An authenticator in software: makes a passkey and signs with it, as a browser hands it on.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ciborium::Value as Cbor;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::cell::Cell;

/// The user was there and was verified; a new key follows.
pub(crate) const VERIFIED: u8 = 0x05;
pub(crate) const WITH_KEY: u8 = 0x45;

pub(crate) struct Authenticator {
    key: EcdsaKeyPair,
    pub(crate) name: [u8; 16],
    /// Signatures so far.
    pub(crate) counter: Cell<u32>,
}

pub(crate) fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What a browser says of a page that asks.
pub(crate) fn client(kind: &str, challenge: &str, origin: &str) -> String {
    json!({ "type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false }).to_string()
}

impl Authenticator {
    pub(crate) fn new() -> Authenticator {
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key.as_ref(), &random).unwrap();
        let mut name = [0; 16];
        random.fill(&mut name).unwrap();
        Authenticator { key, name, counter: Cell::new(0) }
    }

    /// Its public key.
    pub(crate) fn cose(&self) -> Vec<u8> {
        let point = self.key.public_key().as_ref();
        let pair = |name: i64, value: Cbor| (Cbor::from(name), value);
        let map = vec![
            pair(1, 2.into()),
            pair(3, (-7).into()),
            pair(-1, 1.into()),
            pair(-2, Cbor::Bytes(point[1..33].to_vec())),
            pair(-3, Cbor::Bytes(point[33..].to_vec())),
        ];
        let mut out = Vec::new();
        ciborium::into_writer(&Cbor::Map(map), &mut out).unwrap();
        out
    }

    fn data(&self, site: &str, flags: u8, rest: &[u8]) -> Vec<u8> {
        [Sha256::digest(site).as_slice(), &[flags], &self.counter.get().to_be_bytes(), rest].concat()
    }

    /// A new passkey for a site.
    pub(crate) fn register(&self, client: &str, site: &str, flags: u8) -> Value {
        let rest = [&[0; 16][..], &[0, 16], &self.name, &self.cose()].concat();
        let map = vec![
            (Cbor::from("fmt"), "none".into()),
            (Cbor::from("attStmt"), Cbor::Map(Vec::new())),
            (Cbor::from("authData"), Cbor::Bytes(self.data(site, flags, &rest))),
        ];
        let mut attestation = Vec::new();
        ciborium::into_writer(&Cbor::Map(map), &mut attestation).unwrap();
        json!({ "client_data": text(client.as_bytes()), "attestation": text(&attestation) })
    }

    /// A signature, which counts.
    pub(crate) fn sign(&self, client: &str, site: &str, flags: u8) -> Value {
        self.counter.set(self.counter.get() + 1);
        let data = self.data(site, flags, &[]);
        let signed = [data.as_slice(), Sha256::digest(client).as_slice()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        json!({ "credential": text(&self.name), "client_data": text(client.as_bytes()),
            "authenticator_data": text(&data), "signature": text(signature.as_ref()) })
    }
}
